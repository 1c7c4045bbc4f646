//! The reduced equation with memory, to high order and at constant cost per step.
//!
//! With m(t) = ∫₀ᵗ L₀(t-s) F(s) ds and w = y₂ - m the reduced equation becomes y₁' = w + m, w' = -K y₁ - C (w + m) + L̄
//! F + H(t) z(0). L₀ = Re Σ γ_k e^{λ_k t}, so m = Re Σ γ_k I_k with I_k(t) = ∫₀ᵗ e^{λ_k(t-s)} F(s) ds: the past enters
//! through one complex number for each mode, and is never summed again. Over a step F is the polynomial of
//! [`super::collocation`]; the I_k are advanced exactly, (y₁, w) by the Radau IIA method on the same nodes. Cost per
//! step: 2(2s + 2)N multiplications for N modes and s = 6 nodes, however long the past (the convolution sum of the
//! Euler scheme costs one multiplication for every step already taken).
//!
//! Mode 1, which carries the projection, has no memory of its own; modes with a node at the contact have none either.

use super::collocation::{ElasticContact, NODES, STAGES, StageMatrix, Stages, positive};
use super::error::ElasticError;
use super::friction::FrictionLaw;
use super::kernel::{MemoryKernel, ModalKernel};
use super::march::{March, Resolution};
use super::motion::{Motion, record};
use nalgebra::{Complex, DMatrix, SMatrix};
use slipstick_numerics::tableau::quadrature::gauss_legendre;

/// The reduced equation of a structure with one contact.
///
/// ```
/// use slipstick_models::elastic::{BowedStructure, FrictionLaw, ModalKernel, ReducedEquation, Resolution, Structure};
/// let string = Structure::string(10, 1.0, 0.1, &[0.4])?;
/// let law = FrictionLaw::bowed_string();
/// let bowed = BowedStructure::new(&string, 0, law.clone(), 1.5)?;
/// let (start, resolution) = (bowed.start(-2.9, -2.7)?, Resolution::default());
/// // Two equations with memory say the same as twenty without.
/// let reduced = ReducedEquation::new(&ModalKernel::new(&string)?)?.simulate(law, 1.5, &start, 4.0, &[4.0], &resolution)?;
/// let full = bowed.simulate(&start, 4.0, &[4.0], &resolution)?;
/// assert!((reduced.requested[0].y1 - full.requested[0].y1).abs() < 1e-10);
/// # Ok::<(), slipstick_models::elastic::ElasticError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ReducedEquation {
    stiffness: f64,
    damper: f64,
    l_bar: f64,
    memory: Vec<(Complex<f64>, Complex<f64>)>,
    mobility: f64,
    omega_max: f64,
    omega_min: f64,
    kernel: ModalKernel,
}

/// y₁, w and the memory.
#[derive(Clone, Debug)]
pub(crate) struct ReducedState {
    y1: f64,
    w: f64,
    /// m = Re Σ γ_k I_k.
    m: f64,
    /// I_k.
    integrals: Vec<Complex<f64>>,
    /// Terms of H(t) z(0), with their exponents; empty when Q z(0) = 0.
    forcing: Vec<(Complex<f64>, Complex<f64>)>,
}

/// Coefficients of one step of size h.
pub(crate) struct ReducedStep {
    h: f64,
    /// γ_k e^{λ_k c_i h}.
    recall: Vec<Vec<Complex<f64>>>,
    /// ∫₀^{c_i h} L₀(c_i h - s) ℓ_j(s/h) ds.
    local: StageMatrix,
    /// e^{λ_k h} and ∫₀ʰ e^{λ_k(h - s)} ℓ_j(s/h) ds.
    decay: Vec<Complex<f64>>,
    gain: Vec<[Complex<f64>; STAGES]>,
    /// (I - h A⊗[0, 1; -K, -C])⁻¹ and h A.
    inverse: SMatrix<f64, { 2 * STAGES }, { 2 * STAGES }>,
    butcher: StageMatrix,
    response: StageMatrix,
}

impl ReducedEquation {
    /// Of a modal kernel with one contact point.
    pub fn new(kernel: &ModalKernel) -> Result<Self, ElasticError> {
        if kernel.contacts() != 1 {
            let requirement = "the reduced equation is solved for one contact point";
            return Err(ElasticError::Parameter {
                name: "contacts",
                value: kernel.contacts() as f64,
                requirement,
            });
        }
        let (stiffness, damper) = kernel.oscillator();
        let omega = kernel.projection().omega();
        Ok(Self {
            stiffness: stiffness[(0, 0)],
            damper: damper[(0, 0)],
            l_bar: kernel.l_bar()[(0, 0)],
            memory: kernel.exponentials(0, 0),
            mobility: kernel.l(0.0)[(0, 0)],
            omega_max: omega.iter().fold(0.0, |a, &b| a.max(b)),
            omega_min: omega.iter().fold(f64::INFINITY, |a, &b| a.min(b)),
            kernel: kernel.clone(),
        })
    }

    /// The motion of the contact under friction, from the modal state `z` (N displacements, then N velocities; only y =
    /// V z and the forcing H(t) z are used of it), to time `until`.
    pub fn simulate(
        &self,
        law: FrictionLaw,
        v0: f64,
        z: &[f64],
        until: f64,
        at: &[f64],
        resolution: &Resolution,
    ) -> Result<Motion, ElasticError> {
        positive("until", until, "the final time is positive and finite")?;
        let y = self.kernel.projection().resolve(z)?;
        let state = ReducedState {
            y1: y[0],
            w: y[1],
            m: 0.0,
            integrals: vec![Complex::new(0.0, 0.0); self.memory.len()],
            forcing: self.forcing(z),
        };
        record(March::new(self, law, v0, state, resolution)?, until, at, |_| Vec::new())
    }

    /// H(t) z = Re Σ η_k e^{λ_k t}: pairs (λ_k, η_k). With x_k = Re(ζ_k e^{λ_k t}), η_k = n_k ζ_k (K - ω_k² + (C - 2
    /// D_k ω_k) λ_k).
    fn forcing(&self, z: &[f64]) -> Vec<(Complex<f64>, Complex<f64>)> {
        let p = self.kernel.projection();
        let n = p.modes();
        let mut out = Vec::new();
        for k in 0..n {
            let (w, d) = (p.omega()[k], p.damping()[k]);
            let q = (1.0 - d * d).sqrt();
            let lambda = Complex::new(-d * w, q * w);
            let amplitude = Complex::new(z[k], -(z[n + k] + d * w * z[k]) / (q * w));
            let seen = (lambda * (self.damper - 2.0 * d * w) + (self.stiffness - w * w)) * p.shapes()[(0, k)];
            let eta = amplitude * seen;
            if eta.norm() > 1e-14 {
                out.push((lambda, eta));
            }
        }
        out
    }

    /// H at the nodes.
    fn forcing_at_nodes(&self, h: f64, state: &ReducedState) -> Stages {
        Stages::from_fn(|i, _| {
            state
                .forcing
                .iter()
                .map(|(l, eta)| ((l * (NODES.c[i] * h)).exp() * eta).re)
                .sum()
        })
    }

    /// (Y₁, W) at the nodes for given m, H and F there.
    fn oscillator(&self, step: &ReducedStep, state: &ReducedState, m: &Stages, push: &Stages) -> (Stages, Stages) {
        let first = Stages::repeat(state.y1) + step.butcher * m;
        let second = Stages::repeat(state.w) + step.butcher * (push - m * self.damper);
        let right =
            SMatrix::<f64, { 2 * STAGES }, 1>::from_fn(|i, _| if i < STAGES { first[i] } else { second[i - STAGES] });
        let solved = step.inverse * right;
        (
            Stages::from_fn(|i, _| solved[i]),
            Stages::from_fn(|i, _| solved[STAGES + i]),
        )
    }

    fn recalled(step: &ReducedStep, state: &ReducedState) -> Stages {
        Stages::from_fn(|i, _| {
            step.recall[i]
                .iter()
                .zip(&state.integrals)
                .map(|(g, z)| g.re * z.re - g.im * z.im)
                .sum()
        })
    }
}

impl ElasticContact for ReducedEquation {
    type State = ReducedState;
    type Step = ReducedStep;

    fn prepare(&self, h: f64) -> ReducedStep {
        let (x, weight) = gauss_legendre(10 + (self.omega_max * h).ceil() as usize);
        let terms = self.memory.len();
        let zero = Complex::new(0.0, 0.0);
        let (mut local, mut butcher) = (StageMatrix::zeros(), StageMatrix::zeros());
        let mut gain = vec![[zero; STAGES]; terms];
        let mut recall = vec![vec![zero; terms]; STAGES];
        for i in 0..STAGES {
            let reach = NODES.c[i] * h;
            for (r, (lambda, gamma)) in recall[i].iter_mut().zip(&self.memory) {
                *r = gamma * (lambda * reach).exp();
            }
            for (x, weight) in x.iter().zip(&weight) {
                let basis = NODES.basis(NODES.c[i] * x);
                let mut l0 = 0.0;
                for (g, (lambda, gamma)) in gain.iter_mut().zip(&self.memory) {
                    let e = (lambda * (reach * (1.0 - x))).exp();
                    l0 += (gamma * e).re;
                    if i == STAGES - 1 {
                        for (g, b) in g.iter_mut().zip(&basis) {
                            *g += e * (h * weight * b);
                        }
                    }
                }
                for (j, b) in basis.iter().enumerate() {
                    local[(i, j)] += reach * weight * b * l0;
                    butcher[(i, j)] += reach * weight * b;
                }
            }
        }
        let mut system = DMatrix::identity(2 * STAGES, 2 * STAGES);
        for i in 0..STAGES {
            for j in 0..STAGES {
                system[(i, STAGES + j)] -= butcher[(i, j)];
                system[(STAGES + i, j)] += self.stiffness * butcher[(i, j)];
                system[(STAGES + i, STAGES + j)] += self.damper * butcher[(i, j)];
            }
        }
        // the Radau IIA method is A-stable: the stage matrix of a damped oscillator is invertible for every h
        let inverse = system
            .try_inverse()
            .unwrap_or_else(|| DMatrix::identity(2 * STAGES, 2 * STAGES));
        let inverse = SMatrix::from_fn(|i, j| inverse[(i, j)]);
        let decay = self.memory.iter().map(|(lambda, _)| (lambda * h).exp()).collect();
        let mut step = ReducedStep {
            h,
            recall,
            local,
            decay,
            gain,
            inverse,
            butcher,
            response: StageMatrix::zeros(),
        };
        let rest = ReducedState {
            y1: 0.0,
            w: 0.0,
            m: 0.0,
            integrals: Vec::new(),
            forcing: Vec::new(),
        };
        for j in 0..STAGES {
            let force = Stages::from_fn(|i, _| if i == j { 1.0 } else { 0.0 });
            let m = step.local * force;
            let (_, w) = self.oscillator(&step, &rest, &m, &(force * self.l_bar));
            step.response.set_column(j, &(w + m));
        }
        step
    }

    fn free_velocity(&self, step: &ReducedStep, state: &ReducedState) -> Stages {
        let m = Self::recalled(step, state);
        self.oscillator(step, state, &m, &self.forcing_at_nodes(step.h, state))
            .1
            + m
    }
    fn response<'a>(&self, step: &'a ReducedStep) -> &'a StageMatrix {
        &step.response
    }
    fn advance(&self, step: &ReducedStep, state: &ReducedState, force: &Stages) -> ReducedState {
        let m = Self::recalled(step, state) + step.local * force;
        let push = self.forcing_at_nodes(step.h, state) + force * self.l_bar;
        let (y1, w) = self.oscillator(step, state, &m, &push);
        let mut integrals = state.integrals.clone();
        for ((z, e), gain) in integrals.iter_mut().zip(&step.decay).zip(&step.gain) {
            *z *= e;
            for (g, f) in gain.iter().zip(force) {
                *z += g * *f;
            }
        }
        let forcing = state
            .forcing
            .iter()
            .map(|(l, eta)| (*l, eta * (l * step.h).exp()))
            .collect();
        ReducedState {
            y1: y1[STAGES - 1],
            w: w[STAGES - 1],
            m: m[STAGES - 1],
            integrals,
            forcing,
        }
    }
    fn displacement(&self, state: &ReducedState) -> f64 {
        state.y1
    }
    fn velocity(&self, state: &ReducedState) -> f64 {
        state.w + state.m
    }
    fn free_acceleration(&self, state: &ReducedState) -> f64 {
        let memory: f64 = self
            .memory
            .iter()
            .zip(&state.integrals)
            .map(|((l, g), z)| (l * g * z).re)
            .sum();
        let forcing: f64 = state.forcing.iter().map(|(_, eta)| eta.re).sum();
        memory + forcing - self.stiffness * state.y1 - self.damper * (state.w + state.m)
    }
    fn mobility(&self) -> f64 {
        self.mobility
    }
    fn omega_max(&self) -> f64 {
        self.omega_max
    }
    fn omega_min(&self) -> f64 {
        self.omega_min
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::elastic::{BowedStructure, Structure};

    #[test]
    fn reduced_equation_and_full_model_tell_the_same_story() {
        // uneven damping and a start with Q z ≠ 0, so that every term of the equation is at work
        let string = Structure::string(24, 1.0, 0.0, &[0.4]).unwrap();
        let damping = (0..24).map(|k| 0.08 + 0.002 * f64::from(k)).collect();
        let structure = Structure::new("s", string.omega().to_vec(), damping, string.contacts().to_vec()).unwrap();
        let law = FrictionLaw::bowed_string();
        let bowed = BowedStructure::new(&structure, 0, law, 1.5).unwrap();
        let mut z = bowed.start(-2.9224, -2.7668).unwrap();
        for (k, x) in z.iter_mut().enumerate() {
            *x += 0.2 * (k as f64).cos() / (1.0 + k as f64);
        }
        let reduced = ReducedEquation::new(&ModalKernel::new(&structure).unwrap()).unwrap();
        let at: Vec<f64> = (1..=50).map(|i| 0.2 * f64::from(i)).collect();
        let fine = Resolution {
            highest: 0.5,
            lowest: 0.025,
            ..Resolution::default()
        };
        let full = bowed.simulate(&z, 10.0, &at, &fine).unwrap();
        let short = reduced.simulate(law, 1.5, &z, 10.0, &at, &fine).unwrap();
        assert_eq!(full.events.len(), short.events.len());
        assert!(full.events.len() > 4);
        for (a, b) in full.events.iter().zip(&short.events) {
            assert!((a.t - b.t).abs() < 1e-12 && (a.y1 - b.y1).abs() < 1e-12 && (a.gap() - b.gap()).abs() < 1e-11);
            assert_eq!(a.to, b.to);
        }
        for (a, b) in full.requested.iter().zip(&short.requested) {
            assert!((a.y1 - b.y1).abs() < 1e-12 && (a.y2 - b.y2).abs() < 5e-12);
            assert!((a.force - b.force).abs() < 5e-12);
        }
    }
}
