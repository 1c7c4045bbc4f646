//! Normal-form coefficients: what the second and third derivatives say about a bifurcation of equilibria or of points of maps.
//!
//! With eigenvectors `A q = λ q`, `Aᵀ p = λ̄ p`, `⟨p, q⟩ = 1` and the multilinear forms B and C of the second and third derivatives, the centre
//! manifold is eliminated by projection. Derivatives are exact.
//!
//! Reference: Yu. A. Kuznetsov, *Elements of Applied Bifurcation Theory*, 3rd ed., Springer (2004), ch. 5.4 and 5.5.

use crate::scalar::{Dual, Second, Third};
use crate::system::Function;
use nalgebra::{Complex, DMatrix, DVector};

type ComplexVector = DVector<Complex<f64>>;

/// The second and third derivatives of a map at a point, along given directions; not numbers where they cannot be had.
pub(super) trait Multilinear {
    /// `B(u, v)`.
    fn second(&self, u: &DVector<f64>, v: &DVector<f64>) -> DVector<f64>;
    /// `C(u, v, w)`.
    fn third(&self, u: &DVector<f64>, v: &DVector<f64>, w: &DVector<f64>) -> DVector<f64>;
}

/// A field, or a map applied `times` times, at the point `x`.
pub(super) struct Iterated<'a> {
    pub(super) function: &'a dyn Function,
    /// How often the function is applied: 1 for fields.
    pub(super) times: usize,
    pub(super) x: &'a [f64],
    pub(super) p: &'a [f64],
}

impl Multilinear for Iterated<'_> {
    fn second(&self, u: &DVector<f64>, v: &DVector<f64>) -> DVector<f64> {
        let n = self.x.len();
        let mut y: Vec<Second> = (0..n).map(|i| Second::mixed(self.x[i], u[i], v[i])).collect();
        let p: Vec<Second> = self.p.iter().map(|&v| Dual::constant(Dual::constant(v))).collect();
        for _ in 0..self.times {
            let mut next = y.clone();
            self.function.second(&y, &p, &mut next);
            y = next;
        }
        DVector::from_iterator(n, y.iter().map(|v| v.eps[0].eps[0]))
    }

    fn third(&self, u: &DVector<f64>, v: &DVector<f64>, w: &DVector<f64>) -> DVector<f64> {
        let n = self.x.len();
        let mut y: Vec<Third> = (0..n).map(|i| Third::mixed(self.x[i], u[i], v[i], w[i])).collect();
        let p: Vec<Third> = self
            .p
            .iter()
            .map(|&v| Dual::constant(Dual::constant(Dual::constant(v))))
            .collect();
        for _ in 0..self.times {
            let mut next = y.clone();
            self.function.third(&y, &p, &mut next);
            y = next;
        }
        DVector::from_iterator(n, y.iter().map(|v| v.eps[0].eps[0].eps[0]))
    }
}

/// The expansion of a field or a map at a point.
pub(super) struct Expansion<'a> {
    pub(super) forms: Box<dyn Multilinear + 'a>,
    /// The first derivative.
    pub(super) linear: DMatrix<f64>,
}

/// An eigenvalue's right and left vectors with ⟨p, q⟩ = 1 and |q| = 1.
pub(super) struct Eigenvectors {
    pub(super) right: ComplexVector,
    pub(super) left: ComplexVector,
}

fn vector(v: &DVector<f64>) -> ComplexVector {
    v.map(|x| Complex::new(x, 0.0))
}

fn product(p: &ComplexVector, v: &ComplexVector) -> Complex<f64> {
    p.dotc(v)
}

impl Expansion<'_> {
    /// Null vectors of `A - λ`, by the singular vectors of its smallest singular value.
    pub(super) fn eigenvectors(&self, eigenvalue: Complex<f64>) -> Option<Eigenvectors> {
        let n = self.linear.nrows();
        let mut shifted = self.linear.map(|v| Complex::new(v, 0.0));
        for i in 0..n {
            shifted[(i, i)] -= eigenvalue;
        }
        let svd = shifted.try_svd(true, true, f64::EPSILON, 10_000)?;
        let least = svd.singular_values.imin();
        let right = svd.v_t.as_ref()?.row(least).adjoint();
        let left: ComplexVector = svd.u.as_ref()?.column(least).into_owned();
        let overlap = product(&left, &right);
        if overlap.norm() < 1e-12 {
            return None;
        }
        // ⟨p, q⟩ = 1 with the product that conjugates its first factor.
        let left = left / overlap.conj();
        Some(Eigenvectors { right, left })
    }

    /// The real null vectors of `A - λ` for a real eigenvalue.
    pub(super) fn real_eigenvectors(&self, eigenvalue: f64) -> Option<(DVector<f64>, DVector<f64>)> {
        let n = self.linear.nrows();
        let shifted = &self.linear - DMatrix::identity(n, n) * eigenvalue;
        let svd = shifted.try_svd(true, true, f64::EPSILON, 10_000)?;
        let least = svd.singular_values.imin();
        let right: DVector<f64> = svd.v_t.as_ref()?.row(least).transpose();
        let left: DVector<f64> = svd.u.as_ref()?.column(least).into_owned();
        let overlap = left.dot(&right);
        (overlap.abs() > 1e-12).then(|| (right, left / overlap))
    }

    fn second(&self, u: &DVector<f64>, v: &DVector<f64>) -> DVector<f64> {
        self.forms.second(u, v)
    }

    fn third(&self, u: &DVector<f64>, v: &DVector<f64>, w: &DVector<f64>) -> DVector<f64> {
        self.forms.third(u, v, w)
    }

    /// `B(u, v)` by linearity in the real and imaginary parts.
    fn complex_second(&self, u: &ComplexVector, v: &ComplexVector) -> ComplexVector {
        let (ur, ui) = (u.map(|x| x.re), u.map(|x| x.im));
        let (vr, vi) = (v.map(|x| x.re), v.map(|x| x.im));
        let re = self.second(&ur, &vr) - self.second(&ui, &vi);
        let im = self.second(&ur, &vi) + self.second(&ui, &vr);
        re.zip_map(&im, Complex::new)
    }

    /// `C(u, u, ū)`.
    fn complex_third(&self, u: &ComplexVector) -> ComplexVector {
        let (a, b) = (u.map(|x| x.re), u.map(|x| x.im));
        // C(a+ib, a+ib, a-ib) = C(a,a,a) + C(a,b,b) + i (C(a,a,b) + C(b,b,b))
        let re = self.third(&a, &a, &a) + self.third(&a, &b, &b);
        let im = self.third(&a, &a, &b) + self.third(&b, &b, &b);
        re.zip_map(&im, Complex::new)
    }

    /// Solve `(s - A) h = r`.
    fn resolve(&self, s: Complex<f64>, r: &ComplexVector) -> Option<ComplexVector> {
        let n = self.linear.nrows();
        let mut matrix = self.linear.map(|v| Complex::new(-v, 0.0));
        for i in 0..n {
            matrix[(i, i)] += s;
        }
        matrix.lu().solve(r)
    }

    /// The quadratic coefficient `a = ⟨p, B(q, q)⟩ / 2` of a fold, λ = 0 for fields and 1 for maps.
    pub(super) fn fold(&self, eigenvalue: f64) -> Option<f64> {
        let (q, p) = self.real_eigenvectors(eigenvalue)?;
        Some(0.5 * p.dot(&self.second(&q, &q)))
    }

    /// The quadratic and cubic coefficients at a real eigenvalue, and the size of the second derivatives that the quadratic one is to be compared with;
    /// the cubic one is that of a pitchfork, `⟨p, C(q, q, q) + 3 B(q, h)⟩ / 6` with `A h = -B(q, q)` off the null space.
    pub(super) fn pitchfork(&self, eigenvalue: f64) -> Option<(f64, f64)> {
        let (q, p) = self.real_eigenvectors(eigenvalue)?;
        let n = self.linear.nrows();
        let b = self.second(&q, &q);
        let quadratic = 0.5 * p.dot(&b);
        // Bordered: [A - λ, p; qᵀ, 0] [h; s] = [-B(q, q); 0]
        let mut matrix = DMatrix::zeros(n + 1, n + 1);
        matrix
            .view_mut((0, 0), (n, n))
            .copy_from(&(&self.linear - DMatrix::identity(n, n) * eigenvalue));
        let mut rhs = DVector::zeros(n + 1);
        for i in 0..n {
            matrix[(i, n)] = p[i];
            matrix[(n, i)] = q[i];
            rhs[i] = -b[i];
        }
        let h = matrix.lu().solve(&rhs)?.rows(0, n).into_owned();
        let cubic = p.dot(&(self.third(&q, &q, &q) + self.second(&q, &h) * 3.0)) / 6.0;
        Some((quadratic, cubic))
    }

    /// The first Lyapunov coefficient l₁ of a Hopf point with eigenvalues ±iω; negative: the cycles that branch off are stable on the centre
    /// manifold (supercritical).
    pub(super) fn lyapunov(&self, omega: f64) -> Option<f64> {
        let i = Complex::new(0.0, omega);
        let Eigenvectors { right: q, left: p } = self.eigenvectors(i)?;
        let conjugate = q.map(|v| v.conj());
        // -A⁻¹ B(q, q̄) and (2iω - A)⁻¹ B(q, q)
        let mean = self.resolve(Complex::new(0.0, 0.0), &self.complex_second(&q, &conjugate))?;
        let double = self.resolve(i * 2.0, &self.complex_second(&q, &q))?;
        let sum = self.complex_third(&q)
            + self.complex_second(&q, &mean) * Complex::new(2.0, 0.0)
            + self.complex_second(&conjugate, &double);
        Some(product(&p, &sum).re / (2.0 * omega))
    }

    /// The cubic coefficient of a period doubling, `⟨p, C(q, q, q) + 3 B(q, (1 - A)⁻¹ B(q, q))⟩ / 6`; positive: the doubled cycle is stable
    /// (supercritical).
    pub(super) fn flip(&self) -> Option<f64> {
        let (q, p) = self.real_eigenvectors(-1.0)?;
        let b = vector(&self.second(&q, &q));
        let h = self.resolve(Complex::new(1.0, 0.0), &b)?.map(|v| v.re);
        Some(p.dot(&(self.third(&q, &q, &q) + self.second(&q, &h) * 3.0)) / 6.0)
    }

    /// The coefficient of a Neimark–Sacker point with multipliers e^{±iθ}; negative: the invariant curve is stable (supercritical).
    pub(super) fn neimark_sacker(&self, theta: f64) -> Option<f64> {
        let turn = Complex::from_polar(1.0, theta);
        let Eigenvectors { right: q, left: p } = self.eigenvectors(turn)?;
        let conjugate = q.map(|v| v.conj());
        let mean = self.resolve(Complex::new(1.0, 0.0), &self.complex_second(&q, &conjugate))?;
        let double = self.resolve(turn * turn, &self.complex_second(&q, &q))?;
        let sum = self.complex_third(&q)
            + self.complex_second(&q, &mean) * Complex::new(2.0, 0.0)
            + self.complex_second(&conjugate, &double);
        Some(0.5 * (turn.conj() * product(&p, &sum)).re)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::scalar::Scalar;
    use crate::system::{Formula, jacobian};

    /// The Hopf normal form in sheared coordinates with quadratic terms; its coefficient is known.
    struct Hopf;
    impl Formula for Hopf {
        fn outputs(&self) -> usize {
            2
        }
        fn eval<T: Scalar>(&self, x: &[T], p: &[T], out: &mut [T]) {
            // Example 5.? of the book's kind: a predator–prey form with l₁ by the planar formula below.
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
                function: &Hopf,
                times: 1,
                x: &[0.0, 0.0],
                p: &at,
            }),
            linear: DMatrix::from_row_slice(2, 2, &dx),
        };
        // Guckenheimer & Holmes (3.4.11) for u' = -ω v + f, v' = ω u + g.
        let (fuuu, fuvv, guuv, gvvv) = (-1.2, 1.0, -0.6, 3.6);
        let (fuu, fuv, fvv, guu, guv, gvv) = (1.4, 0.3, 0.0, -0.8, 0.0, 2.2);
        let a = (fuuu + fuvv + guuv + gvvv) / 16.0
            + (fuv * (fuu + fvv) - guv * (guu + gvv) - fuu * guu + fvv * gvv) / (16.0 * omega);
        // The book's l₁ with |q| = 1: amplitude |q| w, w = (u - iv)/√2, so l₁ = 2 · (2a/ω) / 2 up to the norm of q.
        let l1 = expansion.lyapunov(omega).unwrap();
        assert!((l1 - 2.0 * a / omega).abs() < 1e-12, "{l1} {}", 2.0 * a / omega);
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
                function: &Logistic,
                times: 1,
                x: &[2.0 / 3.0],
                p: &[3.0],
            }),
            linear: DMatrix::from_element(1, 1, -1.0),
        };
        assert!((expansion.flip().unwrap() - 9.0).abs() < 1e-12);
    }
}
