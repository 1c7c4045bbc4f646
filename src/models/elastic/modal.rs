//! The full N-mode structure behind one contact point, propagated exactly between contact forces.

use super::collocation::{ElasticContact, NODES, STAGES, StageMatrix, Stages};
use super::projection::Impulse;
use super::structure::Structure;
use slipstick_numerics::tableau::quadrature::gauss_legendre;

/// N modes seen from one contact. A state holds the N modal displacements, then the N modal velocities.
#[derive(Clone, Debug)]
pub(crate) struct ModalContact {
    omega: Vec<f64>,
    damping: Vec<f64>,
    shape: Vec<f64>,
    mobility: f64,
}

/// Coefficients of one step of size h.
pub(crate) struct ModalStep {
    /// n_k times the velocity at node i per unit of displacement and of velocity.
    from_displacement: Vec<Vec<f64>>,
    from_velocity: Vec<Vec<f64>>,
    response: StageMatrix,
    /// e^{Rh}, mode by mode.
    e11: Vec<f64>,
    e12: Vec<f64>,
    e21: Vec<f64>,
    e22: Vec<f64>,
    /// Displacement and velocity at the end per unit of force at node j.
    b1: Vec<Vec<f64>>,
    b2: Vec<Vec<f64>>,
}

impl ModalContact {
    pub(crate) fn new(structure: &Structure, contact: usize) -> Self {
        let shape = structure.contacts()[contact].shape.clone();
        let mobility = shape.iter().map(|n| n * n).sum();
        Self {
            omega: structure.omega().to_vec(),
            damping: structure.damping().to_vec(),
            shape,
            mobility,
        }
    }
    pub(crate) fn modes(&self) -> usize {
        self.omega.len()
    }
    pub(crate) fn omega(&self) -> &[f64] {
        &self.omega
    }
    pub(crate) fn shape(&self) -> &[f64] {
        &self.shape
    }
    /// z' = R z + v F.
    pub(crate) fn rate(&self, state: &[f64], force: f64) -> Vec<f64> {
        let n = self.modes();
        let mut out = vec![0.0; 2 * n];
        for k in 0..n {
            let (w, d) = (self.omega[k], self.damping[k]);
            out[k] = state[n + k];
            out[n + k] = self.shape[k] * force - w * w * state[k] - 2.0 * d * w * state[n + k];
        }
        out
    }
}

impl ElasticContact for ModalContact {
    type State = Vec<f64>;
    type Step = ModalStep;

    fn prepare(&self, h: f64) -> ModalStep {
        let n = self.modes();
        // Gauss rule that integrates a polynomial of degree s - 1 times the fastest oscillation to rounding
        let (x, weight) = gauss_legendre(10 + (self.omega_max() * h).ceil() as usize);
        let mut step = ModalStep {
            from_displacement: vec![vec![0.0; n]; STAGES],
            from_velocity: vec![vec![0.0; n]; STAGES],
            response: StageMatrix::zeros(),
            e11: vec![0.0; n],
            e12: vec![0.0; n],
            e21: vec![0.0; n],
            e22: vec![0.0; n],
            b1: vec![vec![0.0; n]; STAGES],
            b2: vec![vec![0.0; n]; STAGES],
        };
        for i in 0..STAGES {
            let reach = NODES.c[i] * h;
            let basis: Vec<Vec<f64>> = x.iter().map(|x| NODES.basis(NODES.c[i] * x)).collect();
            let mut mobility = vec![0.0; x.len()];
            for k in 0..n {
                let (w, d, shape) = (self.omega[k], self.damping[k], self.shape[k]);
                let r = Impulse::new(w, d, reach);
                step.from_displacement[i][k] = -shape * w * w * r.g;
                step.from_velocity[i][k] = shape * r.dg;
                if i == STAGES - 1 {
                    step.e11[k] = r.dg + 2.0 * d * w * r.g;
                    step.e12[k] = r.g;
                    step.e21[k] = -w * w * r.g;
                    step.e22[k] = r.dg;
                }
                for (q, x) in x.iter().enumerate() {
                    let r = Impulse::new(w, d, reach * (1.0 - x));
                    mobility[q] += shape * shape * r.dg;
                    if i == STAGES - 1 {
                        for j in 0..STAGES {
                            let share = h * weight[q] * basis[q][j] * shape;
                            step.b1[j][k] += share * r.g;
                            step.b2[j][k] += share * r.dg;
                        }
                    }
                }
            }
            for q in 0..x.len() {
                for j in 0..STAGES {
                    step.response[(i, j)] += reach * weight[q] * basis[q][j] * mobility[q];
                }
            }
        }
        step
    }

    fn free_velocity(&self, step: &ModalStep, state: &Vec<f64>) -> Stages {
        let (x, v) = state.split_at(self.modes());
        Stages::from_fn(|i, _| dot(&step.from_displacement[i], x) + dot(&step.from_velocity[i], v))
    }
    fn response<'a>(&self, step: &'a ModalStep) -> &'a StageMatrix {
        &step.response
    }
    fn advance(&self, step: &ModalStep, state: &Vec<f64>, force: &Stages) -> Vec<f64> {
        let n = self.modes();
        let (x, v) = state.split_at(n);
        let mut out = vec![0.0; 2 * n];
        let (out_x, out_v) = out.split_at_mut(n);
        propagate(out_x, (&step.e11, x), (&step.e12, v), &step.b1, force);
        propagate(out_v, (&step.e21, x), (&step.e22, v), &step.b2, force);
        out
    }
    fn displacement(&self, state: &Vec<f64>) -> f64 {
        dot(&self.shape, &state[..self.modes()])
    }
    fn velocity(&self, state: &Vec<f64>) -> f64 {
        dot(&self.shape, &state[self.modes()..])
    }
    fn free_acceleration(&self, state: &Vec<f64>) -> f64 {
        let n = self.modes();
        (0..n)
            .map(|k| {
                let (w, d) = (self.omega[k], self.damping[k]);
                -self.shape[k] * (w * w * state[k] + 2.0 * d * w * state[n + k])
            })
            .sum()
    }
    fn mobility(&self) -> f64 {
        self.mobility
    }
    fn omega_max(&self) -> f64 {
        self.omega.iter().fold(0.0, |a, &b| a.max(b))
    }
    fn omega_min(&self) -> f64 {
        self.omega.iter().fold(f64::INFINITY, |a, &b| a.min(b))
    }
}

/// out = a x + b v + Σ_j c_j F_j, elementwise.
fn propagate(out: &mut [f64], (a, x): (&[f64], &[f64]), (b, v): (&[f64], &[f64]), c: &[Vec<f64>], force: &Stages) {
    let n = out.len();
    let (a, x, b, v) = (&a[..n], &x[..n], &b[..n], &v[..n]);
    let [c0, c1, c2, c3, c4, c5] = [0, 1, 2, 3, 4, 5].map(|j| &c[j][..n]);
    for k in 0..n {
        let forced = (c0[k] * force[0] + c1[k] * force[1])
            + (c2[k] * force[2] + c3[k] * force[3])
            + (c4[k] * force[4] + c5[k] * force[5]);
        out[k] = a[k] * x[k] + b[k] * v[k] + forced;
    }
}

/// a · b with four partial sums in a fixed order.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut partial = [0.0; 4];
    let (chunks_a, chunks_b) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: f64 = chunks_a
        .remainder()
        .iter()
        .zip(chunks_b.remainder())
        .map(|(x, y)| x * y)
        .sum();
    for (x, y) in chunks_a.zip(chunks_b) {
        for i in 0..4 {
            partial[i] += x[i] * y[i];
        }
    }
    (partial[0] + partial[1]) + (partial[2] + partial[3]) + rest
}
