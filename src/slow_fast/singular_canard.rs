//! Singular canards: orbits of the reduced flow that cross from one sheet to the other through a folded singularity.
//!
//! In the desingularised flow they are the invariant manifolds of the folded saddle. Time runs backwards on repelling
//! sheets, so the *stable* manifold carries the vrai canard (from the attracting to the repelling sheet) and the
//! unstable one the faux canard. Through a folded node all orbits of a funnel pass; two of them are distinguished, the
//! strong canard, which bounds the funnel, and the weak one, to which the others are tangent.

use super::error::SlowFastError;
use super::folded::{FoldedClass, FoldedSingularity};
use super::problem::SlowFastProblem;
use super::reduced_flow::{ReducedEnd, ReducedFlow, ReducedPoint};
use serde::{Deserialize, Serialize};

/// Which way a canard crosses the fold.
///
/// ```
/// use slipstick_slow_fast::{CanardKind, FoldedClass, Reduction, SlowFastProblem};
/// use slipstick_system::catalogue::regularised_stiction;
/// use std::f64::consts::TAU;
/// let system = regularised_stiction();
/// let p = [2.0, 1.1, 0.4, 0.6, 1e-3]; // Ω, μ_s, μ_d, δ, ε
/// let layer = SlowFastProblem::new(&system, &p, Reduction::Singular)?;
/// let folded = layer.folded_singularities(&[(-0.6, 0.6), (-1.0, 1.0), (0.0, TAU)])?;
/// let saddle = folded.iter().find(|f| f.class == FoldedClass::Saddle && f.state[1] > 0.0).ok_or("no saddle")?;
///
/// let kinds: Vec<CanardKind> = layer.singular_canards(saddle, TAU)?.iter().map(|canard| canard.kind).collect();
/// assert_eq!(kinds, [CanardKind::Vrai, CanardKind::Faux]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CanardKind {
    /// From the attracting to the repelling sheet.
    Vrai,
    /// From the repelling to the attracting sheet.
    Faux,
}

impl CanardKind {
    /// Of a canard along the eigenvector of this eigenvalue.
    pub(super) fn of(lambda: f64) -> Self {
        if lambda < 0.0 { Self::Vrai } else { Self::Faux }
    }
}

/// Which of the two distinguished canards of a folded node.
///
/// ```
/// use slipstick_slow_fast::{CanardDirection, FoldedClass, Reduction, SlowFastProblem};
/// use slipstick_system::catalogue::regularised_stiction;
/// use std::f64::consts::TAU;
/// let system = regularised_stiction();
/// let p = [40.81, 1.1, 0.4, 0.6, 1e-3]; // Ω, μ_s, μ_d, δ, ε: Ω² ε δ is a little less than 1
/// let layer = SlowFastProblem::new(&system, &p, Reduction::Finite)?;
/// let folded = layer.folded_singularities(&[(-0.6, 0.6), (-1.0, 1.0), (0.0, TAU)])?;
/// let node = folded.iter().find(|f| f.class == FoldedClass::Node).ok_or("no node")?;
/// let directions: Vec<_> = layer.singular_canards(node, 0.5)?.iter().map(|canard| canard.direction).collect();
/// assert_eq!(directions, [Some(CanardDirection::Strong), Some(CanardDirection::Weak)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CanardDirection {
    /// Along the eigenvector of the eigenvalue of larger modulus.
    Strong,
    /// Along the other one.
    Weak,
}

/// A singular canard: a curve on the critical manifold.
///
/// ```
/// use slipstick_slow_fast::{FoldedClass, Reduction, SlowFastProblem};
/// use slipstick_system::catalogue::regularised_stiction;
/// use std::f64::consts::TAU;
/// let system = regularised_stiction();
/// let p = [2.0, 1.1, 0.4, 0.6, 1e-3]; // Ω, μ_s, μ_d, δ, ε
/// let layer = SlowFastProblem::new(&system, &p, Reduction::Singular)?;
/// let folded = layer.folded_singularities(&[(-0.6, 0.6), (-1.0, 1.0), (0.0, TAU)])?;
/// let saddle = folded.iter().find(|f| f.class == FoldedClass::Saddle && f.state[1] > 0.0).ok_or("no saddle")?;
/// let canard = layer.singular_canards(saddle, TAU)?.remove(0);
///
/// // From the attracting to the repelling sheet: f_y changes its sign with the slow time.
/// assert!(canard.points.iter().filter(|at| at.time.abs() < 1.0).all(|at| at.slope * at.time >= 0.0));
/// // In the limit ε → 0 the mass stands still, at the place of the folded saddle.
/// assert!(canard.points.iter().all(|at| (at.state[0] - (1.0 - 1.1) / 4.0).abs() < 1e-10));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SingularCanard {
    /// Vrai or faux.
    pub kind: CanardKind,
    /// Strong or weak, through a folded node.
    pub direction: Option<CanardDirection>,
    /// The folded singularity it passes through.
    pub through: FoldedSingularity,
    /// Its points by increasing slow time, which is 0 at the singularity; angles run on from there.
    pub points: Vec<ReducedPoint>,
    /// Why it ends, backwards and forwards in time.
    pub ends: [ReducedEnd; 2],
}

/// What to measure along a canard.
///
/// ```
/// use slipstick_slow_fast::{Along, FoldedClass, Reduction, SlowFastProblem};
/// use slipstick_system::catalogue::regularised_stiction;
/// use std::f64::consts::TAU;
/// let system = regularised_stiction();
/// let p = [2.0, 1.1, 0.4, 0.6, 1e-3]; // Ω, μ_s, μ_d, δ, ε
/// let layer = SlowFastProblem::new(&system, &p, Reduction::Singular)?;
/// let folded = layer.folded_singularities(&[(-0.6, 0.6), (-1.0, 1.0), (0.0, TAU)])?;
/// let saddle = folded.iter().find(|f| f.class == FoldedClass::Saddle && f.state[1] > 0.0).ok_or("no saddle")?;
/// let canard = layer.singular_canards(saddle, TAU)?.remove(0);
///
/// // Where the canard passes the middle of the layer, and when.
/// let middle = layer.canard_at(&canard, Along::State(1), 0.0)?.pop().ok_or("not passed")?;
/// assert!((middle.state[2] - 3.041_425_232_428_233).abs() < 1e-9);
/// let again = layer.canard_at(&canard, Along::Time, middle.time)?.remove(0);
/// assert!(again.state[1].abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Along {
    /// The mode's state of this index.
    State(usize),
    /// Slow time since the singularity.
    Time,
}

/// Distance from the singularity at which its linear approximation is left. The error is of second order and the flow
/// away from the saddle contracts it.
const OFFSET: f64 = 1e-6;

impl SingularCanard {
    /// The curve through a folded singularity, from its halves on both sides, each by increasing distance; `lambda` is
    /// the eigenvalue of its direction.
    pub(super) fn joined(
        through: &FoldedSingularity,
        (lambda, direction): (f64, Option<CanardDirection>),
        [mut points, after]: [Vec<ReducedPoint>; 2],
        ends: [ReducedEnd; 2],
    ) -> Self {
        points.reverse();
        points.push(ReducedPoint {
            time: 0.0,
            state: through.state.clone(),
            slope: 0.0,
            sigma: f64::INFINITY,
        });
        points.extend(after);
        Self {
            kind: CanardKind::of(lambda),
            direction,
            through: through.clone(),
            points,
            ends,
        }
    }
}

impl SlowFastProblem<'_> {
    /// The singular canards through a folded saddle (vrai, then faux) or node (the strong one, then the weak one if
    /// there is a smooth one: see [`Self::weak_canard`]), for slow times up to `time` on either side.
    ///
    /// # Errors
    /// When the singularity is a focus, a centre or degenerate: no canard passes through it.
    pub fn singular_canards(
        &self,
        through: &FoldedSingularity,
        time: f64,
    ) -> Result<Vec<SingularCanard>, SlowFastError> {
        let [low, high] = through.eigenvalues.map(|l| l.re);
        match through.class {
            FoldedClass::Saddle => [0, 1]
                .map(|k| self.canard_along(through, k, time))
                .into_iter()
                .collect(),
            FoldedClass::Node => {
                let mut strong = self.canard_along(through, usize::from(low.abs() <= high.abs()), time)?;
                strong.direction = Some(CanardDirection::Strong);
                Ok([strong]
                    .into_iter()
                    .chain(self.weak_canard(through, time).ok())
                    .collect())
            }
            class => Err(SlowFastError::Absent(format!(
                "no canard passes through a folded {class:?}: only folded saddles and nodes have them"
            ))),
        }
    }
    fn canard_along(&self, through: &FoldedSingularity, k: usize, time: f64) -> Result<SingularCanard, SlowFastError> {
        let lambda = through.eigenvalues[k].re;
        let v: Vec<f64> = through.eigenvectors[k].iter().map(|c| c.re).collect();
        let at = self.local(&through.state);
        let flow = ReducedFlow::new(self);
        // Along v the slow states move with g: v_z = g dt.
        let speed: f64 = at.slow.iter().map(|g| g * g).sum();
        let dt: f64 = at.slow.iter().zip(&v).map(|(g, v)| g * v).sum::<f64>() / speed;
        let half = |side: f64| {
            let state: Vec<f64> = (through.state.iter().zip(&v))
                .map(|(x, v)| x + side * OFFSET * v)
                .collect();
            let state = self.back_onto_manifold(state);
            let start = ReducedPoint {
                time: side * OFFSET * dt,
                slope: self.local(&state).gradient[self.fast()],
                state,
                sigma: 0.0,
            };
            // Away from the singularity: forwards on its unstable manifold, backwards on its stable one.
            flow.march(&start, lambda.signum(), 0.5 / lambda.abs(), time)
        };
        let (before, after) = (half(-1.0)?, half(1.0)?);
        let ends = [before.end, after.end];
        Ok(SingularCanard::joined(
            through,
            (lambda, None),
            [before.points, after.points],
            ends,
        ))
    }
    /// The point of `f = 0` nearest to `x` with the same fast state: beside a fold, where the fast state cannot be
    /// solved for.
    fn back_onto_manifold(&self, mut x: Vec<f64>) -> Vec<f64> {
        for _ in 0..3 {
            let local = self.local(&x);
            let size: f64 = self.slow().map(|i| local.gradient[i].powi(2)).sum();
            for i in self.slow() {
                x[i] -= local.force * local.gradient[i] / size;
            }
        }
        x
    }
    /// All points of a canard at which the quantity has the given value, by increasing time; angles are taken as
    /// they run.
    ///
    /// # Errors
    /// When the state does not exist or the flow fails.
    pub fn canard_at(
        &self,
        canard: &SingularCanard,
        along: Along,
        value: f64,
    ) -> Result<Vec<ReducedPoint>, SlowFastError> {
        let n = self.dimension();
        let index = match along {
            Along::Time => n,
            Along::State(i) if i < n => i,
            Along::State(i) => {
                return Err(SlowFastError::Argument(format!(
                    "a canard has no state {i}: the mode has {n}"
                )));
            }
        };
        ReducedFlow::new(self).crossings(&canard.points, &|z| z[index] - value)
    }
}
