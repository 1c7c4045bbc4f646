//! The memory kernel: what the rest of the structure does to a contact point.
//!
//! The contact motion y = (y₁; y₂) obeys, exactly, y' = A y + L̄ F(t) + ∫_{0-}^{t} dL₁(s) F'(t - s) + H(t) z(0) + L₀(t)
//! F(0), with L the impulse response seen by the projected oscillator, L̄ its mean, L₀ = L - L̄ and L₁ = ∫ L₀. The
//! first M rows of all of these are zero; the functions here return the last M rows as M×M matrices (row: where it
//! acts, column: where the force is).

use super::error::ElasticError;
use super::polylog::polylog_exp;
use super::projection::{Impulse, Projection};
use super::structure::{Continuum, Structure};
use nalgebra::{Complex, DMatrix};
use std::f64::consts::PI;

/// A memory kernel of a structure with M contact points.
///
/// ```
/// use slipstick_models::elastic::{MemoryKernel, ModalKernel, StringKernel, Structure};
/// // The string with all its modes, and its first 400: kernels of one kind, which differ where the last modes matter.
/// let whole = StringKernel::new(1.0, 0.1, &[0.4])?;
/// let cut = ModalKernel::new(&Structure::string(400, 1.0, 0.1, &[0.4])?)?;
/// let at = |kernel: &dyn MemoryKernel, t: f64| kernel.l1(t)[(0, 0)];
/// assert_eq!((whole.contacts(), at(&cut, 0.0)), (1, 0.0));
/// assert!((at(&whole, 0.5) - at(&cut, 0.5)).abs() < 1e-2);
/// # Ok::<(), slipstick_models::elastic::ElasticError>(())
/// ```
pub trait MemoryKernel: Send + Sync {
    /// Number of contact points M.
    fn contacts(&self) -> usize;
    /// The mean of L: (projected stiffness) × (static compliance), M×M.
    fn l_bar(&self) -> &DMatrix<f64>;
    /// L₁(t), M×M, for t ≥ 0; L₁(0) = 0.
    fn l1(&self, t: f64) -> DMatrix<f64>;
    /// K and C of the projected oscillator y₁'' + C y₁' + K y₁ = ….
    fn oscillator(&self) -> (&DMatrix<f64>, &DMatrix<f64>);
}

/// The kernel of finitely many modes, in closed form.
///
/// ```
/// use slipstick_models::elastic::{ModalKernel, Structure};
/// let kernel = ModalKernel::new(&Structure::string(10, 1.0, 0.1, &[0.4])?)?;
/// // One contact: a 1 by 1 matrix, which fades as the string forgets.
/// assert!(kernel.l(20.0)[(0, 0)].abs() < kernel.l(0.5)[(0, 0)].abs());
/// # Ok::<(), slipstick_models::elastic::ElasticError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ModalKernel {
    projection: Projection,
    l_bar: DMatrix<f64>,
}

impl ModalKernel {
    /// Of a structure as it is truncated.
    pub fn new(structure: &Structure) -> Result<Self, ElasticError> {
        let projection = Projection::new(structure)?;
        let [compliance] = sum_modes(&projection, |w, _| [1.0 / (w * w)]);
        let l_bar = projection.stiffness() * compliance;
        Ok(Self { projection, l_bar })
    }
    /// The projections behind it.
    pub fn projection(&self) -> &Projection {
        &self.projection
    }

    /// L(t) = Σ_k (g_k' + K ∫g_k + C g_k) n_k n_kᵀ, M×M; L(0) = Σ n_k n_kᵀ.
    pub fn l(&self, t: f64) -> DMatrix<f64> {
        let (stiffness, damper) = self.oscillator();
        let [dg, integral, g] = sum_modes(&self.projection, |w, d| {
            let r = Impulse::new(w, d, t);
            [r.dg, r.integral, r.g]
        });
        dg + stiffness * integral + damper * g
    }
    /// L₀(t) = L(t) - L̄, M×M.
    pub fn l0(&self, t: f64) -> DMatrix<f64> {
        self.l(t) - &self.l_bar
    }

    /// L₀ between contacts `row` and `column` as a sum of exponentials, L₀(t) = Re Σ γ_k exp(λ_k t): pairs (λ_k, γ_k).
    /// For one contact the mode that carries W has γ = 0 and is left out, and so are modes with a node at the contact.
    pub fn exponentials(&self, row: usize, column: usize) -> Vec<(Complex<f64>, Complex<f64>)> {
        let (stiffness, damper) = self.oscillator();
        let p = &self.projection;
        let mut out = Vec::with_capacity(p.modes());
        for (k, (&w, &d)) in p.omega().iter().zip(p.damping()).enumerate() {
            let q = (1.0 - d * d).sqrt();
            // L₀ = Σ (I - K/ω²) n nᵀ g' + (C - 2 D K/ω) n nᵀ g, with g = Im e^{λt}/(qω), g' = Re e^{λt} - (D/q) Im
            // e^{λt}
            let mut alpha = p.shapes()[(row, k)] * p.shapes()[(column, k)];
            let mut beta = 0.0;
            for i in 0..p.contacts() {
                let pair = p.shapes()[(i, k)] * p.shapes()[(column, k)];
                alpha -= stiffness[(row, i)] / (w * w) * pair;
                beta += (damper[(row, i)] - 2.0 * d * stiffness[(row, i)] / w) * pair;
            }
            let gamma = Complex::new(alpha, alpha * d / q - beta / (q * w));
            if gamma.norm() > 1e-14 {
                out.push((Complex::new(-d * w, q * w), gamma));
            }
        }
        out
    }
}

/// Σ_k f_r(ω_k, D_k) n_k n_kᵀ for several f_r at once.
fn sum_modes<const R: usize>(p: &Projection, f: impl Fn(f64, f64) -> [f64; R]) -> [DMatrix<f64>; R] {
    let m = p.contacts();
    let mut sums = [(); R].map(|()| DMatrix::zeros(m, m));
    for (k, (&w, &d)) in p.omega().iter().zip(p.damping()).enumerate() {
        let values = f(w, d);
        for i in 0..m {
            for j in 0..m {
                let pair = p.shapes()[(i, k)] * p.shapes()[(j, k)];
                for (sum, value) in sums.iter_mut().zip(values) {
                    sum[(i, j)] += value * pair;
                }
            }
        }
    }
    sums
}

impl MemoryKernel for ModalKernel {
    fn contacts(&self) -> usize {
        self.projection.contacts()
    }
    fn l_bar(&self) -> &DMatrix<f64> {
        &self.l_bar
    }
    /// Σ_k [(I - K/ω_k²) g_k + (C - 2 D_k K/ω_k) ∫g_k] n_k n_kᵀ. For D > 0 it tends to a constant that is not 0; only
    /// its increments decay.
    fn l1(&self, t: f64) -> DMatrix<f64> {
        let (stiffness, damper) = self.oscillator();
        let [g, a, stiff] = sum_modes(&self.projection, |w, d| {
            let r = Impulse::new(w, d, t);
            [r.g, r.integral, r.g / (w * w) + 2.0 * d / w * r.integral]
        });
        g + damper * a - stiffness * stiff
    }
    fn oscillator(&self) -> (&DMatrix<f64>, &DMatrix<f64>) {
        (self.projection.stiffness(), self.projection.damper())
    }
}

/// The kernel of the string with all its modes, by polylogarithms; exact to rounding for every D ≥ 0.
///
/// ```
/// use slipstick_models::elastic::{MemoryKernel, StringKernel};
/// let kernel = StringKernel::new(2.0, 0.1, &[0.4])?;
/// // L₁ jumps at once by arccos D/(π c √(1 - D²)): the contact feels its own force.
/// let jump = 0.1f64.acos() / (std::f64::consts::PI * 2.0 * (1.0f64 - 0.01).sqrt());
/// assert!((kernel.right_limit() - jump).abs() < 1e-15);
/// assert!((kernel.l1(1e-9)[(0, 0)] - jump).abs() < 1e-6);
/// # Ok::<(), slipstick_models::elastic::ElasticError>(())
/// ```
#[derive(Clone, Debug)]
pub struct StringKernel {
    c: f64,
    damping: f64,
    at: Vec<f64>,
    stiffness: DMatrix<f64>,
    damper: DMatrix<f64>,
    l_bar: DMatrix<f64>,
}

impl StringKernel {
    /// A string with wave speed `c`, damping ratio `damping` for all modes, touched at `at` (0 < ξ < 1).
    pub fn new(c: f64, damping: f64, at: &[f64]) -> Result<Self, ElasticError> {
        // only the carriers of W matter here; sixteen modes tell any few contacts apart
        let string = Structure::string(16 + 4 * at.len(), c, damping, at)?;
        let projection = Projection::new(&string)?;
        let compliance = DMatrix::from_fn(at.len(), at.len(), |i, j| {
            at[i].min(at[j]) * (1.0 - at[i].max(at[j])) / (c * c)
        });
        let (stiffness, damper) = (projection.stiffness().clone(), projection.damper().clone());
        let l_bar = &stiffness * compliance;
        Ok(Self {
            c,
            damping,
            at: at.to_vec(),
            stiffness,
            damper,
            l_bar,
        })
    }

    /// The kernel of the continuum behind a truncated string, if the structure is one.
    pub fn of(structure: &Structure) -> Option<Result<Self, ElasticError>> {
        match structure.continuum() {
            Continuum::String { c, damping, at } => Some(Self::new(*c, *damping, at)),
            _ => None,
        }
    }

    /// The right limit L₁(0+): arccos(D)/(π c √(1 - D²)) times the identity (every contact feels its own force at once,
    /// and the others later).
    pub fn right_limit(&self) -> f64 {
        self.damping.acos() / (PI * self.c * (1.0 - self.damping * self.damping).sqrt())
    }

    /// Σ_k 2 sin(kπξ_i) sin(kπξ_j) e^{kμ}/k^s for s = 1, 2, 3.
    fn sums(&self, i: usize, j: usize, mu: Complex<f64>) -> [Complex<f64>; 3] {
        let mut sums = [Complex::new(0.0, 0.0); 3];
        let half = [(self.at[i] - self.at[j], 0.5), (self.at[i] + self.at[j], -0.5)];
        for (distance, weight) in half {
            for side in [PI, -PI] {
                let li = polylog_exp(mu + Complex::new(0.0, side * distance));
                for (s, l) in sums.iter_mut().zip(li) {
                    *s += l * weight;
                }
            }
        }
        sums
    }
}

impl MemoryKernel for StringKernel {
    fn contacts(&self) -> usize {
        self.at.len()
    }
    fn l_bar(&self) -> &DMatrix<f64> {
        &self.l_bar
    }
    /// At D = 0 it is piecewise cubic with jumps, and takes their mean; at t = 0 it is 0 (see
    /// [`StringKernel::right_limit`]).
    fn l1(&self, t: f64) -> DMatrix<f64> {
        let m = self.contacts();
        if t <= 0.0 {
            return DMatrix::zeros(m, m);
        }
        let (d, w1) = (self.damping, self.c * PI);
        let q = (1.0 - d * d).sqrt();
        let mu = Complex::new(-w1 * t * d, w1 * t * q);
        let [mut g, mut g3, mut a, mut a3] = [(); 4].map(|()| DMatrix::zeros(m, m));
        for i in 0..m {
            for j in 0..m {
                let [s1, s2, s3] = self.sums(i, j, mu);
                let [_, r2, r3] = self.sums(i, j, Complex::new(0.0, 0.0));
                g[(i, j)] = s1.im / (q * w1);
                g3[(i, j)] = s3.im / (q * w1.powi(3));
                a[(i, j)] = (r2.re - s2.re - d / q * s2.im) / (w1 * w1);
                a3[(i, j)] = (r3.re - s3.re - d / q * s3.im) / w1.powi(3);
            }
        }
        g - &self.stiffness * (g3 + a3 * (2.0 * d)) + &self.damper * a
    }
    fn oscillator(&self) -> (&DMatrix<f64>, &DMatrix<f64>) {
        (&self.stiffness, &self.damper)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use slipstick_numerics::tableau::quadrature::gauss_legendre;

    fn string(modes: usize, damping: f64) -> ModalKernel {
        ModalKernel::new(&Structure::string(modes, 1.0, damping, &[0.4]).unwrap()).unwrap()
    }

    #[test]
    fn table_of_the_string_kernel() {
        let table = [
            (
                0.001,
                [
                    0.0176205390088198,
                    0.0373842098087603,
                    0.0763996802906322,
                    0.151606955391332,
                    0.468403163593828,
                ],
            ),
            (
                0.01,
                [
                    0.1672154673371,
                    0.323489997802917,
                    0.49362400052076,
                    0.448920493656614,
                    0.449969115224173,
                ],
            ),
            (
                0.1,
                [
                    0.257235881131287,
                    0.277126594877952,
                    0.283949365973124,
                    0.28531171998221,
                    0.285747942119551,
                ],
            ),
            (
                0.2,
                [
                    0.135389918981633,
                    0.143318806487725,
                    0.145127251614515,
                    0.145563358172375,
                    0.145960118220976,
                ],
            ),
            (
                0.5,
                [
                    -0.0189049252748017,
                    -0.0166530919124399,
                    -0.0158569713663528,
                    -0.0154628427515976,
                    -0.0150662047364313,
                ],
            ),
            (
                1.0,
                [
                    0.0157155123686918,
                    0.0172504985449696,
                    0.01803104004605,
                    0.0184251560576086,
                    0.0188217940727659,
                ],
            ),
            (
                2.0,
                [
                    0.0154107487416354,
                    0.0169401058510071,
                    0.0177206376135413,
                    0.0181147536250724,
                    0.0185113916402297,
                ],
            ),
        ];
        let infinite = StringKernel::new(1.0, 0.1, &[0.4]).unwrap();
        for (t, row) in table {
            for (modes, expected) in [20, 40, 80, 160].into_iter().zip(row) {
                let value = string(modes, 0.1).l1(t)[(0, 0)];
                assert!(
                    (value - expected).abs() < 2e-15,
                    "N = {modes}, t = {t}: {value} {expected}"
                );
            }
            let value = infinite.l1(t)[(0, 0)];
            assert!((value - row[4]).abs() < 1e-14, "t = {t}: {value} {}", row[4]);
        }
    }

    #[test]
    fn means_and_right_limits_of_the_string() {
        let expected = [2.31875310654934, 2.34371108261856, 2.35620581018975, 2.36245515052234];
        for (modes, l_bar) in [20, 40, 80, 160].into_iter().zip(expected) {
            for damping in [0.0, 0.1, 0.6] {
                assert!((string(modes, damping).l_bar()[(0, 0)] - l_bar).abs() < 1e-14);
            }
        }
        assert!((StringKernel::new(1.0, 0.1, &[0.4]).unwrap().l_bar()[(0, 0)] - 2.36870505626145).abs() < 1e-14);
        for (damping, limit) in [
            (0.0, 0.5),
            (0.05, 0.484684101023138),
            (0.1, 0.470474000085871),
            (0.2, 0.444894476936793),
        ] {
            for xi in [0.4, 0.17] {
                let kernel = StringKernel::new(1.0, damping, &[xi]).unwrap();
                assert!((kernel.right_limit() - limit).abs() < 1e-15);
                assert!((kernel.l1(1e-12)[(0, 0)] - limit).abs() < 1e-10);
                assert_eq!(kernel.l1(0.0)[(0, 0)], 0.0);
                let structure = Structure::string(3, 1.0, damping, &[xi]).unwrap();
                assert_eq!(structure.kernel_jump(0), Some(kernel.right_limit()));
            }
        }
    }

    #[test]
    fn undamped_string_is_the_closed_form_with_its_jumps() {
        let wrap = |x: f64| x - 2.0 * PI * (x / (2.0 * PI)).floor();
        let s1 = |x: f64| (PI - wrap(x)) / 2.0;
        let s3 = |x: f64| {
            let x = wrap(x);
            x * x * x / 12.0 - PI * x * x / 4.0 + PI * PI * x / 6.0
        };
        let xi = 0.4;
        let f = |s: &dyn Fn(f64) -> f64, t: f64| s(PI * t) - (s(PI * (t + 2.0 * xi)) + s(PI * (t - 2.0 * xi))) / 2.0;
        let kernel = StringKernel::new(1.0, 0.0, &[xi]).unwrap();
        let l1 = |t: f64| kernel.l1(t)[(0, 0)];
        for i in 1..97 {
            let t = 0.0413 * f64::from(i);
            assert!((l1(t) - (f(&s1, t) - f(&s3, t)) / PI).abs() < 1e-13, "{t}");
            assert!((l1(t) - l1(t + 2.0)).abs() < 1e-13);
            assert!((l1(t) + l1(((2.0 - t) % 2.0 + 2.0) % 2.0)).abs() < 1e-13);
        }
        for (t, jump) in [(2.0, 1.0), (0.8, -0.5), (1.2, -0.5), (2.8, -0.5)] {
            assert!((l1(t + 1e-10) - l1(t - 1e-10) - jump).abs() < 1e-8, "{t}");
        }
        assert!((l1(1e-13) - 0.5).abs() < 1e-11);
    }

    #[test]
    fn infinitely_many_modes_are_the_limit_of_many_for_two_contacts() {
        let at = [0.3, 0.55];
        let many = ModalKernel::new(&Structure::string(4000, 1.4, 0.08, &at).unwrap()).unwrap();
        let all = StringKernel::new(1.4, 0.08, &at).unwrap();
        // both carry W on modes 1 and 2; the tail of the compliance part decays like 1/N
        for t in [0.02, 0.4, 1.7] {
            assert!((many.l1(t) - all.l1(t)).amax() < 2e-4, "{t} {}", many.l1(t) - all.l1(t));
            let half = ModalKernel::new(&Structure::string(2000, 1.4, 0.08, &at).unwrap())
                .unwrap()
                .l1(t);
            let richardson = many.l1(t) * 2.0 - half;
            assert!((richardson - all.l1(t)).amax() < 2e-7, "{t}");
        }
        assert!((many.l_bar() - all.l_bar()).amax() < 2e-3);
    }

    #[test]
    fn kernel_starts_with_the_slope_of_the_modal_mass_and_is_the_integral_of_l0() {
        let kernel = string(20, 0.1);
        let slope: f64 = (1..=20)
            .map(|k| 2.0 * (0.4 * f64::from(k) * PI).sin().powi(2) * (1.0 - f64::from(k).powi(-2)))
            .sum();
        assert_eq!(kernel.l1(0.0)[(0, 0)], 0.0);
        assert!((kernel.l0(0.0)[(0, 0)] - slope).abs() < 1e-12);
        let (x, w) = gauss_legendre(40);
        for (a, b) in [(0.0, 0.3), (0.3, 0.75)] {
            let integral: f64 = x
                .iter()
                .zip(&w)
                .map(|(x, w)| w * (b - a) * kernel.l0(a + (b - a) * x)[(0, 0)])
                .sum();
            assert!((kernel.l1(b)[(0, 0)] - kernel.l1(a)[(0, 0)] - integral).abs() < 1e-13);
        }
        let terms = kernel.exponentials(0, 0);
        for t in [0.0, 0.013, 0.7] {
            let sum: f64 = terms
                .iter()
                .map(|(lambda, gamma)| (gamma * (lambda * t).exp()).re)
                .sum();
            assert!((sum - kernel.l0(t)[(0, 0)]).abs() < 1e-12, "{t}");
        }
    }

    #[test]
    fn memory_equation_holds_along_exact_modal_solutions() {
        // F = cos νt + 0.4 sin 3νt, any start, non-uniform damping, one and two contacts (both forces act)
        let string = Structure::string(12, 1.0, 0.0, &[0.4]).unwrap();
        let damping: Vec<f64> = (0..12).map(|k| 0.02 + 0.013 * f64::from(k)).collect();
        let uneven = Structure::new("s", string.omega().to_vec(), damping, string.contacts().to_vec()).unwrap();
        let two = Structure::string(9, 1.0, 0.06, &[0.27, 0.61]).unwrap();
        for (structure, tolerance) in [
            (uneven, 3e-11),
            (Structure::cantilever(4, 0.05, &[1.0]).unwrap(), 4e-9),
            (two, 3e-11),
        ] {
            let residual = residual_of_the_memory_equation(&structure, 0.83);
            assert!(residual < tolerance, "{}: {residual:e}", structure.name());
        }
    }

    fn residual_of_the_memory_equation(structure: &Structure, t: f64) -> f64 {
        let kernel = ModalKernel::new(structure).unwrap();
        let (p, m, n) = (kernel.projection(), kernel.contacts(), structure.modes());
        let nu = 1.7;
        let start: Vec<f64> = (0..2 * n).map(|i| (1.0 + i as f64).sin() / (1.0 + i as f64)).collect();
        // force on contact j: amplitude (1 - 2j)
        let share = |j: usize| 1.0 - 2.0 * j as f64;
        let force = |t: f64| (nu * t).cos() + 0.4 * (3.0 * nu * t).sin();
        let rate = |t: f64| -nu * (nu * t).sin() + 1.2 * nu * (3.0 * nu * t).cos();
        // exact modal solution: a particular harmonic one plus free motion
        let particular = |t: f64| -> Vec<f64> {
            let mut z = vec![0.0; 2 * n];
            for k in 0..n {
                let (w, d) = (structure.omega()[k], structure.damping()[k]);
                let input: f64 = (0..m).map(|j| structure.contacts()[j].shape[k] * share(j)).sum();
                for (f, amplitude) in [(nu, Complex::new(1.0, 0.0)), (3.0 * nu, Complex::new(0.0, -0.4))] {
                    let x = amplitude * input / Complex::new(w * w - f * f, 2.0 * d * w * f)
                        * Complex::new(0.0, f * t).exp();
                    z[k] += x.re;
                    z[n + k] += (x * Complex::new(0.0, f)).re;
                }
            }
            z
        };
        let offset: Vec<f64> = start.iter().zip(particular(0.0)).map(|(a, b)| a - b).collect();
        let free = p.free_motion(&offset, t).unwrap();
        let z: Vec<f64> = particular(t).iter().zip(&free).map(|(a, b)| a + b).collect();
        let y = p.resolve(&z).unwrap();
        let h0 = p.initial_forcing(&start, t).unwrap();
        let (l_bar, l0) = (kernel.l_bar(), kernel.l0(t));
        let (nodes, weights) = gauss_legendre(24);
        let panels = 200;
        let mut worst = 0.0_f64;
        for i in 0..m {
            let mut left = 0.0; // y₂' from the modal equations
            for k in 0..n {
                let (w, d) = (structure.omega()[k], structure.damping()[k]);
                let input: f64 = (0..m)
                    .map(|j| structure.contacts()[j].shape[k] * share(j) * force(t))
                    .sum();
                left += structure.contacts()[i].shape[k] * (input - w * w * z[k] - 2.0 * d * w * z[n + k]);
            }
            let mut right = h0[m + i];
            for j in 0..m {
                right += p.a()[(m + i, j)] * y[j] + p.a()[(m + i, m + j)] * y[m + j];
                right += share(j) * (l_bar[(i, j)] * force(t) + l0[(i, j)] * force(0.0));
            }
            for panel in 0..panels {
                let h = t / f64::from(panels);
                for (x, w) in nodes.iter().zip(&weights) {
                    let s = h * (f64::from(panel) + x);
                    let kernel_there = kernel.l0(s);
                    let sum: f64 = (0..m).map(|j| kernel_there[(i, j)] * share(j)).sum();
                    right += w * h * sum * rate(t - s);
                }
            }
            worst = worst.max((left - right).abs());
        }
        worst
    }

    #[test]
    fn beam_kernel_grows_like_the_square_root() {
        for (damping, constant, tolerance) in [(0.1_f64, 1.52150615852436, 1e-6), (0.0, 1.59576912160573, 2e-2)] {
            let exact = 4.0 / PI.sqrt() * (damping.acos() / 2.0).sin() / (1.0 - damping * damping).sqrt();
            assert!((exact - constant).abs() < 1e-14);
            let kernel = ModalKernel::new(&Structure::cantilever(3000, damping, &[1.0]).unwrap()).unwrap();
            // C(t) = L₁/√t runs in powers of √t: extrapolate twice
            let c = |t: f64| kernel.l1(t)[(0, 0)] / t.sqrt();
            let once = |t: f64| 2.0 * c(t) - c(4.0 * t);
            let twice = (4.0 * once(2e-6) - once(8e-6)) / 3.0;
            assert!((twice - constant).abs() < tolerance, "{twice} {constant}");
        }
    }
}
