//! The critical manifold `f = 0`: its sheets over the slow states, and meshes of it.

use super::error::SlowFastError;
use super::problem::{SlowFastProblem, Stability};
use serde::{Deserialize, Serialize};
use slipstick_numerics::roots::sampled_zeros;

/// A point of the critical manifold.
///
/// ```
/// use slipstick_slow_fast::{Reduction, SlowFastProblem, Stability};
/// use slipstick_system::catalogue::regularised_stiction;
/// let system = regularised_stiction();
/// let p = [2.0, 1.1, 0.4, 0.6, 1e-3]; // Ω, μ_s, μ_d, δ, ε
/// let layer = SlowFastProblem::new(&system, &p, Reduction::Singular)?;
/// // Over x = -0.2, θ = 0 there are two sheets.
/// let sheets = layer.sheets(&[-0.2, 0.0, 0.0], (-1.0, 1.0))?;
/// assert_eq!([sheets[0].stability(), sheets[1].stability()], [Stability::Attracting, Stability::Repelling]);
/// assert!(sheets.iter().all(|point| layer.force(&point.state).abs() < 1e-14));
/// # Ok::<(), slipstick_slow_fast::SlowFastError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ManifoldPoint {
    /// The mode's states.
    pub state: Vec<f64>,
    /// `f_y`: over ε, the rate at which neighbouring points leave (positive) or approach (negative) along the fast
    /// fibre.
    pub slope: f64,
}

impl ManifoldPoint {
    /// Attracting, repelling or fold.
    pub fn stability(&self) -> Stability {
        Stability::of(self.slope)
    }
}

/// One coordinate of a mesh: which state runs, from where to where, over how many nodes.
///
/// ```
/// use slipstick_slow_fast::Axis;
/// let axis = Axis { state: 2, from: 0.0, to: 1.0, nodes: 5 };
/// assert_eq!([0, 1, 4].map(|k| axis.at(k)), [0.0, 0.25, 1.0]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// Index among the mode's states.
    pub state: usize,
    /// First value.
    pub from: f64,
    /// Last value.
    pub to: f64,
    /// Number of nodes, at least 2.
    pub nodes: usize,
}

impl Axis {
    /// The value at node `k`.
    pub fn at(&self, k: usize) -> f64 {
        self.from + (self.to - self.from) * k as f64 / (self.nodes - 1) as f64
    }
}

/// The critical manifold over a grid of two states.
///
/// ```
/// use slipstick_slow_fast::{Axis, Reduction, SlowFastProblem};
/// use slipstick_system::catalogue::regularised_stiction;
/// use std::f64::consts::TAU;
/// let system = regularised_stiction();
/// let p = [2.0, 1.1, 0.4, 0.6, 1e-3]; // Ω, μ_s, μ_d, δ, ε
/// let layer = SlowFastProblem::new(&system, &p, Reduction::Singular)?;
/// // Over velocity and phase the critical manifold is a graph: one x for each node.
/// let axes = [Axis { state: 1, from: -0.9, to: 0.9, nodes: 7 }, Axis { state: 2, from: 0.0, to: TAU, nodes: 9 }];
/// let mesh = layer.manifold_mesh(axes, 0, &[0.0; 3], (-1.0, 1.0))?;
/// assert!(mesh.nodes.len() == 7 * 9 && mesh.nodes.iter().all(|over| over.len() == 1));
/// // In the middle, at ŷ = 0 and θ = π, nothing pulls: x = 0.
/// assert!(mesh.at(3, 4)[0].state[0].abs() < 1e-14);
/// # Ok::<(), slipstick_slow_fast::SlowFastError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ManifoldMesh {
    /// The two coordinates.
    pub axes: [Axis; 2],
    /// All points over each node, row by row (the second axis runs fastest), by increasing value of the state
    /// solved for.
    pub nodes: Vec<Vec<ManifoldPoint>>,
}

impl ManifoldMesh {
    /// The points over node (i, j).
    pub fn at(&self, i: usize, j: usize) -> &[ManifoldPoint] {
        &self.nodes[i * self.axes[1].nodes + j]
    }
}

impl SlowFastProblem<'_> {
    fn point_of_manifold(&self, state: Vec<f64>) -> ManifoldPoint {
        let slope = self.local(&state).gradient[self.fast()];
        ManifoldPoint { state, slope }
    }
    fn check_state(&self, x: &[f64]) -> Result<(), SlowFastError> {
        if x.len() == self.dimension() && x.iter().all(|v| v.is_finite()) {
            return Ok(());
        }
        Err(SlowFastError::Argument(format!(
            "a point of mode `{}` has {} finite states, got {x:?}",
            self.mode().name,
            self.dimension()
        )))
    }
    /// All points of the critical manifold on the line through `at` along the state `solve_for`, which runs over
    /// `range`.
    ///
    /// # Errors
    /// When `at` is not a point of the mode, or the state does not exist.
    pub fn manifold_along(
        &self,
        solve_for: usize,
        at: &[f64],
        range: (f64, f64),
    ) -> Result<Vec<ManifoldPoint>, SlowFastError> {
        self.check_state(at)?;
        if solve_for >= self.dimension() {
            return Err(SlowFastError::Argument(format!(
                "cannot solve f = 0 for state {solve_for}: mode `{}` has {}",
                self.mode().name,
                self.dimension()
            )));
        }
        let found = match self.affine_force(at, solve_for) {
            Some((constant, slope)) => {
                let zero = -constant / slope;
                let inside = zero >= range.0 && zero <= range.1;
                inside.then_some(zero).into_iter().collect()
            }
            None => {
                let mut x = at.to_vec();
                let mut force = self.force_along(solve_for);
                sampled_zeros(
                    |v| {
                        x[solve_for] = v;
                        force(&x)
                    },
                    range.0,
                    range.1,
                )
            }
        };
        Ok((found.into_iter())
            .map(|v| {
                let mut state = at.to_vec();
                state[solve_for] = v;
                self.point_of_manifold(state)
            })
            .collect())
    }
    /// The sheets over the slow states of `at` (its fast entry is ignored): all points of the critical manifold on that
    /// fast fibre within `range`, by increasing fast state.
    ///
    /// # Errors
    /// When `at` is not a point of the mode.
    pub fn sheets(&self, at: &[f64], range: (f64, f64)) -> Result<Vec<ManifoldPoint>, SlowFastError> {
        self.manifold_along(self.fast(), at, range)
    }
    /// A mesh of the critical manifold: at every node of the grid of the two `axes`, the remaining states as in
    /// `at`, `f = 0` is solved for the state `solve_for` in `range`.
    ///
    /// Solving for the fast state shows the manifold as sheets over slow states; solving for a slow state in which f is
    /// monotone shows it as one graph, folds included.
    ///
    /// # Errors
    /// When an axis has fewer than two nodes, or the states are not distinct.
    pub fn manifold_mesh(
        &self,
        axes: [Axis; 2],
        solve_for: usize,
        at: &[f64],
        range: (f64, f64),
    ) -> Result<ManifoldMesh, SlowFastError> {
        let states = [axes[0].state, axes[1].state, solve_for];
        let distinct = states[0] != states[1] && states[0] != states[2] && states[1] != states[2];
        if !distinct || axes.iter().any(|a| a.nodes < 2 || a.state >= self.dimension()) {
            return Err(SlowFastError::Argument(format!(
                "a mesh needs two axes of at least two nodes and a third state to solve for, all different states of \
                 mode `{}`; got {axes:?} and {solve_for}",
                self.mode().name
            )));
        }
        let mut x = at.to_vec();
        let mut nodes = Vec::with_capacity(axes[0].nodes * axes[1].nodes);
        for i in 0..axes[0].nodes {
            for j in 0..axes[1].nodes {
                self.check_state(&x)?;
                x[axes[0].state] = axes[0].at(i);
                x[axes[1].state] = axes[1].at(j);
                nodes.push(self.manifold_along(solve_for, &x, range)?);
            }
        }
        Ok(ManifoldMesh { axes, nodes })
    }
    /// The point of the critical manifold on the fast fibre through `near`, by Newton's method from there.
    ///
    /// # Errors
    /// When the method does not converge: no sheet is near, or a fold is.
    pub fn project(&self, near: &[f64]) -> Result<ManifoldPoint, SlowFastError> {
        const ITERATIONS: usize = 50;
        self.check_state(near)?;
        let mut x = near.to_vec();
        let mut residual = f64::INFINITY;
        for _ in 0..ITERATIONS {
            let local = self.local(&x);
            let step = local.force / local.gradient[self.fast()];
            residual = local.force.abs();
            x[self.fast()] -= step;
            if step.abs() <= 4.0 * f64::EPSILON * x[self.fast()].abs().max(1.0) {
                return Ok(self.point_of_manifold(x));
            }
        }
        Err(SlowFastError::NoConvergence {
            what: "the critical manifold on a fast fibre",
            residual,
            iterations: ITERATIONS,
            advice: "start nearer to a sheet and away from its folds",
        })
    }
}
