//! One step with the contact force as unknown: exponential collocation.
//!
//! Over a step of size h the contact force is a polynomial through its values at the right Radau nodes c_i h. The
//! structure answers it exactly (its modes are propagated in closed form), so the contact velocities at the nodes are
//! y₂(c_i h) = b_i + Σ_j W_ij F_j, with b_i what happens without force. In slip F_j = F(y₂(c_j h) - v₀) makes this a
//! small nonlinear system; in stick y₂ = v₀ makes it linear. The last node is the end of the step, so stick holds there
//! exactly. Error of the motion at step ends: O(h^{2s-1}) with s = 6 while the step resolves the highest mode.
//!
//! References: M. Hochbruck and A. Ostermann, Exponential integrators, Acta Numerica 19 (2010) 209–286; H. Brunner,
//! *Collocation Methods for Volterra Integral and Related Functional Differential Equations*, Cambridge (2004), §2.4
//! (equations of the first kind).

use super::error::ElasticError;
use super::event::Side;
use super::friction::FrictionLaw;
use nalgebra::{DMatrix, SMatrix, SVector};
use slipstick_numerics::roots::Bernstein;
use slipstick_numerics::tableau::quadrature::{lagrange, radau_right};
use std::sync::LazyLock;

/// Number of nodes s.
pub(crate) const STAGES: usize = 6;
/// A value at every node.
pub(crate) type Stages = SVector<f64, STAGES>;
/// Values at nodes from values at nodes.
pub(crate) type StageMatrix = SMatrix<f64, STAGES, STAGES>;

/// The nodes and what follows from them alone.
pub(crate) struct Nodes {
    /// c_i, ascending, the last one 1.
    pub(crate) c: Stages,
    /// Derivative at 1 of the polynomial through values at the nodes.
    slope_at_end: Stages,
    /// Bernstein coefficients from values at the nodes.
    bernstein: DMatrix<f64>,
    /// Bernstein coefficients from values at 0 and the nodes.
    bernstein_from_start: DMatrix<f64>,
}

/// The nodes used everywhere.
pub(crate) static NODES: LazyLock<Nodes> = LazyLock::new(|| {
    let c = radau_right(STAGES);
    let mut with_start = vec![0.0];
    with_start.extend(&c);
    let slope = |j: usize| {
        // ℓ_j'(1): for the last node Σ 1/(1 - c_i), else Π_{i ≠ j, last} (1 - c_i)/(c_j - c_i) / (c_j - 1)
        let others = (0..STAGES - 1).filter(|&i| i != j);
        if j == STAGES - 1 {
            others.map(|i| 1.0 / (1.0 - c[i])).sum()
        } else {
            others.map(|i| (1.0 - c[i]) / (c[j] - c[i])).product::<f64>() / (c[j] - 1.0)
        }
    };
    Nodes {
        c: Stages::from_iterator(c.iter().copied()),
        slope_at_end: Stages::from_fn(|j, _| slope(j)),
        bernstein: to_bernstein(&c),
        bernstein_from_start: to_bernstein(&with_start),
    }
});

/// The matrix from values at `nodes` to Bernstein coefficients on [0, 1].
fn to_bernstein(nodes: &[f64]) -> DMatrix<f64> {
    let n = nodes.len() - 1;
    let binomial = |k: usize| (0..k).fold(1.0, |b, i| b * (n - i) as f64 / (i + 1) as f64);
    let basis = DMatrix::from_fn(n + 1, n + 1, |i, k| {
        binomial(k) * nodes[i].powi(k as i32) * (1.0 - nodes[i]).powi((n - k) as i32)
    });
    // distinct nodes: the collocation matrix of a basis is invertible
    basis.try_inverse().unwrap_or_else(|| DMatrix::zeros(n + 1, n + 1))
}

impl Nodes {
    /// The lagrange polynomials of the nodes at `x`.
    pub(crate) fn basis(&self, x: f64) -> Vec<f64> {
        lagrange(self.c.as_slice(), x)
    }
    /// d/dτ at τ = 1 of the polynomial through `values`.
    pub(crate) fn end_slope(&self, values: &Stages) -> f64 {
        self.slope_at_end.dot(values)
    }
    /// The first τ ∈ (0, 1] where a function, positive before, reaches zero. `values` are taken at the nodes; at τ = 0
    /// the function has the value `start` if `zeros` = 0, else a zero of that multiplicity, which is divided out.
    pub(crate) fn first_zero(&self, values: &Stages, start: f64, zeros: i32) -> Option<f64> {
        let lowest = values.iter().fold(f64::INFINITY, |a, &b| a.min(b));
        if zeros == 0 {
            // far from zero there is nothing to look for: the polynomial cannot dip by more than its spread
            let highest = values.iter().fold(start, |a: f64, &b| a.max(b));
            if lowest.min(start) > 4.0 * (highest - lowest.min(start)) {
                return None;
            }
            return self.curve(values, start).first_zero();
        }
        let divided = Stages::from_fn(|i, _| values[i] / self.c[i].powi(zeros));
        let row = |i: usize| (0..STAGES).map(|j| self.bernstein[(i, j)] * divided[j]).sum();
        Bernstein((0..STAGES).map(row).collect()).first_zero()
    }
    /// The polynomial of degree s through the value `start` at 0 and `values` at the nodes.
    pub(crate) fn curve(&self, values: &Stages, start: f64) -> Bernstein {
        let known = |j: usize| if j == 0 { start } else { values[j - 1] };
        let row = |i: usize| (0..=STAGES).map(|j| self.bernstein_from_start[(i, j)] * known(j)).sum();
        Bernstein((0..=STAGES).map(row).collect())
    }
}

/// The contact over one step.
#[derive(Clone, Debug)]
pub(crate) struct Solved {
    /// Contact velocities at the nodes.
    pub(crate) velocity: Stages,
    /// Contact forces at the nodes.
    pub(crate) force: Stages,
    /// dF/dy₂ at the nodes; `None` in stick.
    pub(crate) law: Option<LawSlopes>,
}

/// The friction law linearised at the nodes.
#[derive(Clone, Debug)]
pub(crate) struct LawSlopes {
    /// dF/dv_r.
    pub(crate) by_velocity: Stages,
    /// ∂F/∂μ, ∂F/∂κ, ∂F/∂σ.
    pub(crate) by_parameter: [Stages; 3],
}

/// The forces that hold the contact at speed `v0`: W F = v₀ - b. `None` if W is singular.
pub(crate) fn solve_stick(free: &Stages, response: &StageMatrix, v0: f64) -> Option<Solved> {
    let force = response.lu().solve(&(Stages::repeat(v0) - free))?;
    Some(Solved {
        velocity: Stages::repeat(v0),
        force,
        law: None,
    })
}

/// The forces of slip on one side: Newton's method on y_i = b_i + Σ W_ij F(y_j - v₀), started from the constant force
/// `guess`.
pub(crate) fn solve_slip(
    free: &Stages,
    response: &StageMatrix,
    law: &FrictionLaw,
    v0: f64,
    side: Side,
    guess: f64,
) -> Result<Solved, f64> {
    let sign = side.sign();
    let mut velocity = free + response * Stages::repeat(guess);
    let mut last = f64::INFINITY;
    for _ in 0..25 {
        let mut force = Stages::zeros();
        let mut slopes = LawSlopes {
            by_velocity: Stages::zeros(),
            by_parameter: [Stages::zeros(); 3],
        };
        for i in 0..STAGES {
            let [g, slope, by_parameter @ ..] = law.linearised(sign * (velocity[i] - v0));
            force[i] = -sign * g;
            slopes.by_velocity[i] = -slope;
            for (own, by) in slopes.by_parameter.iter_mut().zip(by_parameter) {
                own[i] = -sign * by;
            }
        }
        let residual = velocity - free - response * force;
        let jacobian = StageMatrix::identity() - response * StageMatrix::from_diagonal(&slopes.by_velocity);
        let step = jacobian.lu().solve(&residual).ok_or(f64::INFINITY)?;
        let size = step.amax();
        if !size.is_finite() {
            return Err(size);
        }
        let scale = 1.0 + velocity.amax();
        // quadratic convergence: the step after one below 1e-8 is below rounding
        if size <= 1e-8 * scale && (size <= 1e-14 * scale || size >= last) {
            return Ok(Solved {
                velocity,
                force,
                law: Some(slopes),
            });
        }
        velocity -= step;
        last = size;
    }
    Err(last)
}

/// A linear structure seen from one contact point, ready to be stepped.
pub(crate) trait ElasticContact: Sync {
    /// Everything that determines the future.
    type State: Clone + Send + Sync;
    /// What depends on the step size alone.
    type Step: Send + Sync;
    /// Prepare steps of size `h`.
    fn prepare(&self, h: f64) -> Self::Step;
    /// b: contact velocities at the nodes without force.
    fn free_velocity(&self, step: &Self::Step, state: &Self::State) -> Stages;
    /// W: contact velocities from forces.
    fn response<'a>(&self, step: &'a Self::Step) -> &'a StageMatrix;
    /// The state at the end of the step.
    fn advance(&self, step: &Self::Step, state: &Self::State, force: &Stages) -> Self::State;
    /// Contact displacement.
    fn displacement(&self, state: &Self::State) -> f64;
    /// Contact velocity.
    fn velocity(&self, state: &Self::State) -> f64;
    /// Contact acceleration without force.
    fn free_acceleration(&self, state: &Self::State) -> f64;
    /// Contact acceleration per unit of force, Σ n_k².
    fn mobility(&self) -> f64;
    /// The highest natural frequency.
    fn omega_max(&self) -> f64;
    /// The lowest natural frequency.
    fn omega_min(&self) -> f64;
    /// The force that keeps the contact velocity constant.
    fn holding_force(&self, state: &Self::State) -> f64 {
        -self.free_acceleration(state) / self.mobility()
    }
}

/// A positive finite number, or words.
pub(crate) fn positive(name: &'static str, value: f64, requirement: &'static str) -> Result<f64, ElasticError> {
    if value.is_finite() && value > 0.0 {
        Ok(value)
    } else {
        Err(ElasticError::Parameter {
            name,
            value,
            requirement,
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn first_zero_finds_the_first_of_two_close_ones_and_divides_out_the_start() {
        let at = |f: &dyn Fn(f64) -> f64| Stages::from_fn(|i, _| f(NODES.c[i]));
        let two = |x: f64| (x - 0.61) * (x - 0.612) * (x + 1.0);
        let found = NODES.first_zero(&at(&two), two(0.0), 0).unwrap();
        assert!((found - 0.61).abs() < 1e-9, "{found}");
        let above = |x: f64| (x - 0.61) * (x - 0.61) + 1e-7;
        assert_eq!(NODES.first_zero(&at(&above), above(0.0), 0), None);
        let double = |x: f64| x * x * (0.3 - x);
        assert!((NODES.first_zero(&at(&double), 0.0, 2).unwrap() - 0.3).abs() < 1e-11);
        let simple = |x: f64| x * (1.2 - x);
        assert_eq!(NODES.first_zero(&at(&simple), 0.0, 1), None);
    }

    #[test]
    fn end_slope_differentiates_polynomials() {
        let values = Stages::from_fn(|i, _| NODES.c[i].powi(5) - 2.0 * NODES.c[i]);
        assert!((NODES.end_slope(&values) - 3.0).abs() < 1e-12);
    }
}
