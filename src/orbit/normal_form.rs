//! Normal-form coefficients: what the second and third derivatives say about a bifurcation of equilibria or of points
//! of maps.
//!
//! With eigenvectors `A q = λ q`, `Aᵀ p = λ̄ p`, `⟨p, q⟩ = 1` and the multilinear forms B and C of the second and third
//! derivatives, the centre manifold is eliminated by projection. Derivatives are exact.
//!
//! Reference: Yu. A. Kuznetsov, *Elements of Applied Bifurcation Theory*, 3rd ed., Springer (2004), ch. 5.4 and 5.5.

use crate::linear::Linear;
use crate::multilinear::{ComplexVector, Multilinear, Side};
use nalgebra::{Complex, ComplexField, DVector};
use slipstick_numerics::linalg::eigen::{Eigenvectors, phase};
use std::f64::consts::TAU;

/// The expansion of a field or a map at a point.
pub(super) struct Expansion<'a> {
    pub(super) forms: Box<dyn Multilinear + 'a>,
    /// The first derivative.
    pub(super) linear: Linear,
    /// The units of the states: vectors have the length one in the system's own. Those left out are one.
    pub(super) units: Vec<f64>,
}

pub(super) fn product(p: &ComplexVector, v: &ComplexVector) -> Complex<f64> {
    p.dotc(v)
}

impl Expansion<'_> {
    /// The vectors of an eigenvalue; `None` where it is none of the matrix, or has none of its own.
    pub(super) fn eigenvectors(&self, eigenvalue: Complex<f64>) -> Option<Eigenvectors<Complex<f64>>> {
        Some(self.in_own_units(self.linear.complex_vectors(eigenvalue)?))
    }

    /// Those of a real eigenvalue.
    pub(super) fn real_eigenvectors(&self, eigenvalue: f64) -> Option<Eigenvectors<f64>> {
        Some(self.in_own_units(self.linear.real_vectors(eigenvalue)?))
    }

    /// Vectors whose right one has, in the system's own units, the length one and a largest component that is positive.
    fn in_own_units<T: ComplexField<RealField = f64>>(&self, found: Eigenvectors<T>) -> Eigenvectors<T> {
        if self.units.iter().all(|&unit| unit == 1.0) {
            return found;
        }
        let own = DVector::from_iterator(
            found.right.len(),
            found
                .right
                .iter()
                .zip(&self.units)
                .map(|(q, unit)| q.clone().scale(*unit)),
        );
        let (length, turn) = (own.norm(), phase(&own));
        Eigenvectors {
            right: found.right.map(|q| q.unscale(length) / turn.clone()),
            left: found.left.map(|p| p.scale(length) / turn.clone()),
        }
    }

    pub(super) fn second(&self, u: &DVector<f64>, v: &DVector<f64>) -> DVector<f64> {
        self.forms.second(u, v)
    }

    pub(super) fn third(&self, u: &DVector<f64>, v: &DVector<f64>, w: &DVector<f64>) -> DVector<f64> {
        self.forms.third(u, v, w)
    }

    pub(super) fn complex_second(&self, u: &ComplexVector, v: &ComplexVector) -> ComplexVector {
        self.forms.complex_second(u, v)
    }

    /// `C(u, u, ū)`.
    fn third_around(&self, u: &ComplexVector) -> ComplexVector {
        let (a, b) = (u.map(|x| x.re), u.map(|x| x.im));
        // C(a+ib, a+ib, a-ib) = C(a,a,a) + C(a,b,b) + i (C(a,a,b) + C(b,b,b))
        let re = self.third(&a, &a, &a) + self.third(&a, &b, &b);
        let im = self.third(&a, &a, &b) + self.third(&b, &b, &b);
        re.zip_map(&im, Complex::new)
    }

    /// The quadratic coefficient `a = ⟨p, B(q, q)⟩ / 2` of a fold, λ = 0 for fields and 1 for maps.
    pub(super) fn fold(&self, eigenvalue: f64) -> Option<Coefficient> {
        let Eigenvectors { right: q, left: p } = self.real_eigenvectors(eigenvalue)?;
        let terms = p.component_mul(&self.second(&q, &q)) * 0.5;
        Some(Coefficient::sum(terms.iter().copied()))
    }

    /// The quadratic and the cubic coefficient at a real eigenvalue: `⟨p, B(q, q)⟩ / 2`, and
    /// `⟨p, C(q, q, q) + 3 B(q, h)⟩ / 6` with `(A - λ) h = -B(q, q)` off the null space, `⟨p, h⟩ = 0`.
    pub(super) fn pitchfork(&self, eigenvalue: f64) -> Option<(Coefficient, Coefficient)> {
        let vectors = self.real_eigenvectors(eigenvalue)?;
        let (q, p) = (&vectors.right, &vectors.left);
        let b = self.second(q, q);
        let quadratic = p.component_mul(&b) * 0.5;
        let h = self.linear.resolve_off(eigenvalue, &vectors, &-b)?;
        let cubic = [p.dot(&self.third(q, q, q)) / 6.0, p.dot(&self.second(q, &h)) / 2.0];
        let quadratic = Coefficient::sum(quadratic.iter().copied());
        // Of something linear all terms are rounding: beside what is linear over the sizes of the states they are none.
        let curvature = self.forms.reach(q).map_or(0.0, f64::recip);
        Some((
            quadratic.beside(curvature),
            Coefficient::of(cubic).beside(curvature * curvature),
        ))
    }

    /// The first Lyapunov coefficient l₁ of a Hopf point with eigenvalues ±iω; negative: the cycles that branch off are
    /// stable on the centre manifold (supercritical).
    pub(super) fn lyapunov(&self, omega: f64) -> Option<Coefficient> {
        let i = Complex::new(0.0, omega);
        let terms = self.cubic_terms(i, Complex::new(0.0, 0.0), i * 2.0)?;
        Some(Coefficient::real_part(terms.map(|t| t / (2.0 * omega))))
    }

    /// The cubic coefficient of a period doubling, `⟨p, C(q, q, q) + 3 B(q, (1 - A)⁻¹ B(q, q))⟩ / 6`; positive: the
    /// doubled cycle is stable (supercritical).
    pub(super) fn flip(&self) -> Option<Coefficient> {
        let Eigenvectors { right: q, left: p } = self.real_eigenvectors(-1.0)?;
        let h = self.linear.real_resolve(1.0, &self.second(&q, &q))?;
        let cubic = match self.along(&q, &p) {
            Some(Beside { cubic, .. }) => cubic,
            None => p.dot(&self.third(&q, &q, &q)) / 6.0,
        };
        Some(Coefficient::of([cubic, p.dot(&self.second(&q, &h)) / 2.0]))
    }

    /// Where second derivatives jump at the point, the radius of the cycles of a Hopf point, or of the invariant curve
    /// of a map, obeys r' = … + a r²: this a; negative: supercritical.
    pub(super) fn growth_of_radius(&self, eigenvalue: Complex<f64>, map: bool) -> Option<Coefficient> {
        let Eigenvectors { right: q, left: p } = self.eigenvectors(eigenvalue)?;
        let turn = if map { eigenvalue.conj() } else { Complex::new(1.0, 0.0) };
        self.around(&q, &p, turn)?.quadratic
    }

    /// Where second derivatives jump at the point, every second point of a cycle of twice the period obeys ξ → ξ - a ξ²
    /// for ξ > 0: this a; positive: supercritical.
    pub(super) fn growth_of_doubled(&self) -> Option<Coefficient> {
        let Eigenvectors { right: q, left: p } = self.real_eigenvectors(-1.0)?;
        self.along(&q, &p)?.quadratic
    }

    /// The derivatives on both ways along a real vector.
    fn along(&self, q: &DVector<f64>, p: &DVector<f64>) -> Option<Beside<f64>> {
        let sides = [self.forms.beside(q)?, self.forms.beside(&-q)?];
        let [ahead, behind] = [&sides[0], &sides[1]].map(|side| p.dot(&side.second) / 2.0);
        let quadratic = Coefficient {
            value: ahead - behind,
            terms: ahead.abs() + behind.abs(),
        };
        Some(Beside {
            quadratic: jumps(&sides).then_some(quadratic.averaged()),
            cubic: p.dot(&(&sides[0].third - &sides[1].third)) / 12.0,
        })
    }

    /// The derivatives all around in the plane of a pair of complex vectors, averaged: of u = q e^{iθ} + q̄ e^{-iθ} the
    /// means over θ of `turn e^{-iθ} ⟨p, B(u, u)⟩ / 2`, real part, and of `e^{-iθ} ⟨p, C(u, u, u)⟩ / 3`, which without
    /// jumps is `⟨p, C(q, q, q̄)⟩`.
    fn around(&self, q: &ComplexVector, p: &ComplexVector, turn: Complex<f64>) -> Option<Beside<Complex<f64>>> {
        /// So many angles; the second half are the opposite ones of the first.
        const ANGLES: usize = 720;
        let mut sides = Vec::with_capacity(ANGLES);
        let mut quadratic = Coefficient { value: 0.0, terms: 0.0 };
        let mut cubic = Complex::new(0.0, 0.0);
        for k in 0..ANGLES {
            let back = Complex::from_polar(1.0, -(k as f64 + 0.5) / ANGLES as f64 * TAU);
            let u = q.map(|q| 2.0 * (q * back.conj()).re);
            let side = self.forms.beside(&u)?;
            let product = |v: &DVector<f64>| p.iter().zip(v).map(|(p, v)| p.conj() * v).sum::<Complex<f64>>();
            let term = turn * back * product(&side.second) / (2.0 * ANGLES as f64);
            quadratic.value += term.re;
            quadratic.terms += term.norm();
            cubic += back * product(&side.third) / (3.0 * ANGLES as f64);
            sides.push(side);
        }
        Some(Beside {
            quadratic: jumps(&sides).then_some(quadratic.averaged()),
            cubic,
        })
    }

    /// The coefficient of a Neimark–Sacker point with multipliers e^{±iθ}; negative: the invariant curve is stable
    /// (supercritical).
    pub(super) fn neimark_sacker(&self, theta: f64) -> Option<Coefficient> {
        let turn = Complex::from_polar(1.0, theta);
        let terms = self.cubic_terms(turn, Complex::new(1.0, 0.0), turn * turn)?;
        let known = Coefficient::real_part(terms.map(|t| turn.conj() * t * 0.5));
        // Where the pair is nearly a double multiplier, vectors are known to rounding over its distance, and so is what
        // is solved with them.
        let apart = 2.0 * theta.sin().abs();
        Some(Coefficient {
            terms: known.terms * (1.0 + (apart * apart).recip()),
            ..known
        })
    }

    /// `⟨p, C(q, q, q̄)⟩`, `⟨p, 2 B(q, (s₀ - A)⁻¹ B(q, q̄))⟩`, `⟨p, B(q̄, (s₂ - A)⁻¹ B(q, q))⟩` for the vectors of a
    /// complex eigenvalue.
    fn cubic_terms(
        &self,
        eigenvalue: Complex<f64>,
        mean: Complex<f64>,
        double: Complex<f64>,
    ) -> Option<[Complex<f64>; 3]> {
        let Eigenvectors { right: q, left: p } = self.eigenvectors(eigenvalue)?;
        let conjugate = q.map(|v| v.conj());
        let mean = self
            .linear
            .complex_resolve(mean, &self.complex_second(&q, &conjugate))?;
        let double = self.linear.complex_resolve(double, &self.complex_second(&q, &q))?;
        let cubic = match self.around(&q, &p, Complex::new(1.0, 0.0)) {
            Some(Beside { cubic, .. }) => cubic,
            None => product(&p, &self.third_around(&q)),
        };
        let terms = [
            cubic,
            product(&p, &self.complex_second(&q, &mean)) * 2.0,
            product(&p, &self.complex_second(&conjugate, &double)),
        ];
        Some(terms)
    }
}

/// What derivatives next to a point say that may jump there.
struct Beside<T> {
    /// The quadratic coefficient, where the second ones do.
    quadratic: Option<Coefficient>,
    /// What stands for the product with the third ones.
    cubic: T,
}

/// Do second derivatives differ from those in the opposite directions, which come in the second half?
fn jumps(sides: &[Side]) -> bool {
    /// A part of the largest, and so many times what third derivatives make of it on the way there.
    const JUMP: f64 = 1e-4;
    const CLEAR: f64 = 10.0;
    let (ahead, behind) = sides.split_at(sides.len() / 2);
    let most = |of: &dyn Fn(&Side) -> f64| sides.iter().map(of).fold(0.0, f64::max);
    let (largest, way) = (
        most(&|side| side.second.amax()),
        most(&|side| side.off * side.third.amax()),
    );
    let pairs = ahead.iter().zip(behind);
    let change = pairs.map(|(a, b)| (&a.second - &b.second).amax()).fold(0.0, f64::max);
    change > JUMP * largest && change > CLEAR * way
}

/// What location and derivatives leave of terms that cancel.
const ACCURACY: f64 = 1e-9;

/// A normal-form coefficient and the sizes of the terms that it is the sum of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Coefficient {
    pub(super) value: f64,
    /// The sum of their moduli: in all linear coordinates the same multiple of the value.
    pub(super) terms: f64,
}

impl Coefficient {
    fn of<const N: usize>(terms: [f64; N]) -> Self {
        Self {
            value: terms.iter().sum(),
            terms: terms.iter().map(|t| t.abs()).sum(),
        }
    }

    /// The sum of any number of terms.
    pub(super) fn sum(terms: impl Iterator<Item = f64>) -> Self {
        terms.fold(Self { value: 0.0, terms: 0.0 }, |sum, term| Self {
            value: sum.value + term,
            terms: sum.terms + term.abs(),
        })
    }

    /// The real part of a sum of complex terms. A term may be imaginary to rounding, as at a centre: its modulus is
    /// what rounding is measured by.
    pub(super) fn real_part<const N: usize>(terms: [Complex<f64>; N]) -> Self {
        Self {
            value: terms.iter().map(|t| t.re).sum(),
            terms: terms.iter().map(|t| t.norm()).sum(),
        }
    }

    /// A sum over directions, of which what cancels is not exactly zero: zero where it is not more than that.
    fn averaged(self) -> Self {
        const CANCELLED: f64 = 1e-4;
        let counts = self.value.abs() > CANCELLED * self.terms;
        Self {
            value: if counts { self.value } else { 0.0 },
            ..self
        }
    }

    /// The value, or zero where it is nothing but rounding, which along a curve leaves its place all digits.
    pub(super) fn decided(&self) -> f64 {
        const ROUNDING: f64 = 1e-13;
        if self.value.abs() > ROUNDING * self.terms {
            self.value
        } else {
            0.0
        }
    }

    /// The same, beside terms of this size that have cancelled.
    fn beside(self, size: f64) -> Self {
        Self {
            terms: self.terms.max(size),
            ..self
        }
    }

    /// The same, whose value is not known better than this.
    pub(super) fn uncertain_by(self, error: f64) -> Self {
        Self {
            terms: self.terms.max(error / ACCURACY),
            ..self
        }
    }

    /// Is it a number?
    pub(super) fn is_finite(&self) -> bool {
        self.value.is_finite() && self.terms.is_finite()
    }

    /// Is it positive? None where its terms cancel, so that its sign is one of rounding.
    pub(super) fn is_positive(&self) -> Option<bool> {
        (self.value.abs() > ACCURACY * self.terms).then_some(self.value > 0.0)
    }
}

/// A number in words: twelve digits, without zeros at their end.
pub(super) fn twelve_digits(v: f64) -> String {
    digits(v, 12)
}

/// The same with so many digits.
pub(super) fn digits(v: f64, count: usize) -> String {
    let short: f64 = format!("{v:.0$e}", count - 1).parse().unwrap_or(v);
    format!("{short:?}")
}

/// How the vectors are normalised that coefficients are made with.
pub(super) const CONVENTION: &str = "with |q| = 1 and ⟨p, q⟩ = 1";

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::multilinear::Iterated;
    use nalgebra::DMatrix;
    use slipstick_numerics::scalar::Scalar;
    use slipstick_system::{Formula, jacobian};

    /// The Hopf normal form in sheared coordinates with quadratic terms; its coefficient is known.
    struct Hopf;
    impl Formula for Hopf {
        fn outputs(&self) -> usize {
            2
        }
        fn eval<T: Scalar>(&self, x: &[T], p: &[T], out: &mut [T]) {
            let (u, v) = (x[0], x[1]);
            out[0] = -v * p[0] + u * u * 0.7 + u * v * 0.3 - u * u * u * 0.2 + u * v * v * 0.5;
            out[1] = u * p[0] - u * u * 0.4 + v * v * 1.1 + v * v * v * 0.6 - u * u * v * 0.3;
        }
    }

    #[test]
    fn the_lyapunov_coefficient_agrees_with_the_planar_formula() {
        let omega = 1.7;
        let (mut f, mut dx) = ([0.0; 2], [0.0; 4]);
        jacobian(&Hopf, &[0.0, 0.0], &[omega], &[], &mut f, &mut dx, &mut []);
        let at = [omega];
        let expansion = Expansion {
            forms: Box::new(Iterated {
                functions: vec![&Hopf],
                x: &[0.0, 0.0],
                p: &at,
                written: None,
            }),
            linear: Linear::Dense(DMatrix::from_row_slice(2, 2, &dx)),
            units: vec![],
        };
        // Guckenheimer & Holmes (3.4.11) for u' = -ω v + f, v' = ω u + g.
        let (fuuu, fuvv, guuv, gvvv) = (-1.2, 1.0, -0.6, 3.6);
        let (fuu, fuv, fvv, guu, guv, gvv) = (1.4, 0.3, 0.0, -0.8, 0.0, 2.2);
        let a = (fuuu + fuvv + guuv + gvvv) / 16.0
            + (fuv * (fuu + fvv) - guv * (guu + gvv) - fuu * guu + fvv * gvv) / (16.0 * omega);
        // The book's l₁ with |q| = 1: amplitude |q| w, w = (u - iv)/√2, so l₁ = 2 · (2a/ω) / 2 up to the norm of q.
        let l1 = expansion.lyapunov(omega).unwrap().value;
        assert!((l1 - 2.0 * a / omega).abs() < 1e-12, "{l1} {}", 2.0 * a / omega);
    }

    /// The field of the Hamiltonian ω (u² + v²)/2 + a u³ + b u² v + c u v² + d v³: the origin is a centre.
    struct Centre;
    impl Formula for Centre {
        fn outputs(&self) -> usize {
            2
        }
        fn eval<T: Scalar>(&self, x: &[T], p: &[T], out: &mut [T]) {
            let (u, v) = (x[0], x[1]);
            out[0] = -(v * p[0] + u * u * p[2] + u * v * p[3] * 2.0 + v * v * p[4] * 3.0);
            out[1] = u * p[0] + u * u * p[1] * 3.0 + u * v * p[2] * 2.0 + v * v * p[3];
        }
    }

    proptest::proptest! {
        #[test]
        fn at_a_centre_the_sign_of_the_lyapunov_coefficient_is_undecided(
            omega in 0.1f64..10.0,
            cubic in proptest::array::uniform4(-2.0f64..2.0),
        ) {
            let p = [omega, cubic[0], cubic[1], cubic[2], cubic[3]];
            let (mut f, mut dx) = ([0.0; 2], [0.0; 4]);
            jacobian(&Centre, &[0.0, 0.0], &p, &[], &mut f, &mut dx, &mut []);
            let expansion = Expansion {
                forms: Box::new(Iterated { functions: vec![&Centre], x: &[0.0, 0.0], p: &p, written: None }),
                linear: Linear::Dense(DMatrix::from_row_slice(2, 2, &dx)),
                units: vec![],
            };
            let l1 = expansion.lyapunov(omega).unwrap();
            proptest::prop_assert_eq!(l1.is_positive(), None, "{:?}", l1);
        }
    }

    /// A map with the multiplier 1 and a quadratic term along its vector, in skew coordinates and in other units.
    struct Skew;
    impl Formula for Skew {
        fn outputs(&self) -> usize {
            2
        }
        fn eval<T: Scalar>(&self, x: &[T], p: &[T], out: &mut [T]) {
            let [m, n, a, lambda] = [p[2], p[3], p[4], p[5]];
            let (y, z) = (x[0] * p[0], x[1] * p[1]);
            // (y, z) = (u + m v, n u + v).
            let determinant = T::one() - m * n;
            let (u, v) = ((y - m * z) / determinant, (z - n * y) / determinant);
            let (next_u, next_v) = (u + a * u * u, lambda * v + u * u);
            out[0] = (next_u + m * next_v) / p[0];
            out[1] = (n * next_u + next_v) / p[1];
        }
    }

    proptest::proptest! {
        /// The vector (1, n) has its largest component positive whatever units the states are counted in.
        #[test]
        fn quadratic_coefficients_have_their_sign_in_the_own_units(
            m in -0.9f64..0.9,
            n in -1.0f64..1.0,
            a in 0.1f64..3.0,
            lambda in -0.8f64..0.8,
            units in proptest::array::uniform2(-12i32..12),
        ) {
            proptest::prop_assume!((n.abs() - 1.0).abs() > 1e-3);
            let units = units.map(|power| f64::from(power).exp2());
            let p = [units[0], units[1], m, n, a, lambda];
            let (mut f, mut dx) = ([0.0; 2], [0.0; 4]);
            jacobian(&Skew, &[0.0, 0.0], &p, &[], &mut f, &mut dx, &mut []);
            let expansion = Expansion {
                forms: Box::new(Iterated { functions: vec![&Skew], x: &[0.0, 0.0], p: &p, written: None }),
                linear: Linear::Dense(DMatrix::from_row_slice(2, 2, &dx)),
                units: units.to_vec(),
            };
            let (quadratic, _) = expansion.pitchfork(1.0).unwrap();
            let wanted = a / (1.0 + n * n).sqrt();
            proptest::prop_assert!((quadratic.value - wanted).abs() < 1e-10 * wanted, "{} {wanted}", quadratic.value);
        }
    }

    struct Logistic;
    impl Formula for Logistic {
        fn outputs(&self) -> usize {
            1
        }
        fn eval<T: Scalar>(&self, x: &[T], p: &[T], out: &mut [T]) {
            out[0] = p[0] * x[0] * (T::one() - x[0]);
        }
    }

    #[test]
    fn the_flip_coefficient_of_the_logistic_map() {
        // At r = 3, x = 2/3: f'' = -6, f''' = 0, so c = f''²/4 + f'''/6 = 9.
        let expansion = Expansion {
            forms: Box::new(Iterated {
                functions: vec![&Logistic],
                x: &[2.0 / 3.0],
                p: &[3.0],
                written: None,
            }),
            linear: Linear::Dense(DMatrix::from_element(1, 1, -1.0)),
            units: vec![],
        };
        assert!((expansion.flip().unwrap().value - 9.0).abs() < 1e-12);
    }
}
