//! Maximal canards: orbits in which the attracting slow manifold, continued past a folded singularity, meets the
//! repelling one.
//!
//! Two families of orbits are followed to a section Σ through the folded singularity: forwards from the attracting
//! manifold, backwards from the repelling one, each started far enough away for the manifold to be reached to
//! rounding. They cut Σ in two curves; the maximal canard is their crossing, found by Newton's method with the
//! exact derivatives of both flows. Both directions contract, so the problem is well conditioned however small ε
//! is.
//!
//! References: P. Szmolyan and M. Wechselberger, *Canards in ℝ³*, J. Differential Equations 177 (2001) 419–453; M.
//! Desroches, B. Krauskopf and H. M. Osinga, *Numerical continuation of canard orbits in slow–fast dynamical
//! systems*, Nonlinearity 23 (2010) 739–765.

use super::error::SlowFastError;
use super::folded::FoldedSingularity;
use super::march::TimedState;
use super::passage::{Arrival, Passage};
use super::problem::SlowFastProblem;
use super::slow_manifold::ManifoldOrbit;
use serde::{Deserialize, Serialize};

/// A maximal canard of the full system.
///
/// ```
/// use slipstick_slow_fast::{FoldedClass, Reduction, SlowFastProblem, Stability};
/// use slipstick_system::catalogue::regularised_stiction;
/// use std::f64::consts::TAU;
/// let system = regularised_stiction();
/// let p = [2.0, 1.1, 0.4, 0.6, 1e-2]; // Ω, μ_s, μ_d, δ, ε
/// let layer = SlowFastProblem::new(&system, &p, Reduction::Singular)?;
/// let folded = layer.folded_singularities(&[(-0.6, 0.6), (-1.0, 1.0), (0.0, TAU)])?;
/// let saddle = folded.iter().find(|f| f.class == FoldedClass::Saddle && f.state[1] > 0.0).ok_or("no saddle")?;
///
/// let canard = layer.maximal_canard(saddle, TAU)?;
/// // One orbit through the fold: on the attracting sheet before, on the repelling one after.
/// let side = |time: f64| canard.points.iter().find(|at| at.time > time).map(|at| layer.stability(&at.state));
/// assert_eq!((side(-0.5), side(0.5)), (Some(Stability::Attracting), Some(Stability::Repelling)));
/// assert!(canard.mismatch < 1e-9 && canard.slopes[0] != canard.slopes[1], "the manifolds cross transversally");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MaximalCanard {
    /// Its points by increasing time, which is 0 in the section through the folded singularity.
    pub points: Vec<TimedState>,
    /// Where it crosses the section.
    pub crossing: Vec<f64>,
    /// Its slow distance from the singular canard across the flow, at its start on the attracting and its end on
    /// the repelling sheet.
    pub shifts: [f64; 2],
    /// The slow directions, of length one, along which these distances are measured, and that of the section.
    pub across: [Vec<f64>; 3],
    /// In the section, `d(fast)/d(slow)` along the attracting and along the repelling manifold. They differ: the
    /// crossing is transversal.
    pub slopes: [f64; 2],
    /// Distance left in the section between the two orbits joined there.
    pub mismatch: f64,
    /// The slow time for which the singular canard is followed to where the manifolds are entered: at most what was
    /// asked for.
    pub followed: f64,
}

impl SlowFastProblem<'_> {
    /// The maximal canard at the folded saddle (or along the strong canard of the folded node) `near`, whose
    /// singular canard is followed for the slow time `time` on both sides.
    ///
    /// The attracting manifold is entered at the point of the singular canard where its sheet attracts most
    /// strongly, the repelling one where it repels most strongly. Where they do not meet from there, as the reduced
    /// flow parts what is next to the singular canard on long ways, both are entered nearer to the singularity, but so
    /// far away that they are reached to rounding.
    ///
    /// # Errors
    /// When no canard passes through the singularity, when either manifold cannot be followed to the section, or
    /// when they do not meet near the singular canard.
    pub fn maximal_canard(&self, near: &FoldedSingularity, time: f64) -> Result<MaximalCanard, SlowFastError> {
        let mut passage = self.passage(near, time)?;
        let mut followed = time;
        let first = match passage.maximal(followed) {
            Ok(canard) => return Ok(canard),
            Err(error) => error,
        };
        while let Some(nearer) = passage.nearer() {
            followed = nearer;
            passage = self.passage(near, followed)?;
            if let Ok(canard) = passage.maximal(followed) {
                return Ok(canard);
            }
        }
        Err(first)
    }
    /// Where the attracting and the repelling slow manifold cut the section of [`SlowFastProblem::maximal_canard`]: for
    /// each shift of the start across the flow (a list for each manifold) the coordinates (slow distance across the
    /// flow, distance of the fast state) from the folded singularity. Orbits that do not reach the section are left
    /// out.
    ///
    /// # Errors
    /// When no vrai canard passes through the singularity.
    pub fn manifold_sections(
        &self,
        near: &FoldedSingularity,
        time: f64,
        shifts: [&[f64]; 2],
    ) -> Result<[Vec<[f64; 2]>; 2], SlowFastError> {
        let passage = self.passage(near, time)?;
        let cut = |which: usize| {
            shifts[which]
                .iter()
                .filter_map(|&shift| passage.arrive(which, shift).ok())
                .map(|a| a.at)
                .collect()
        };
        Ok([cut(0), cut(1)])
    }
    /// Orbits on the attracting slow manifold (forwards) and on the repelling one (backwards), each for the time
    /// `time` from where [`SlowFastProblem::maximal_canard`] enters that manifold, shifted across the flow by each of
    /// its `shifts`; every orbit with its shift. Those between which the maximal canard lies tell which orbits jump and
    /// which turn. Where the shifted start has no sheet near it, there is no orbit.
    ///
    /// # Errors
    /// When no vrai canard passes through the singularity.
    pub fn manifold_families(
        &self,
        near: &FoldedSingularity,
        time: f64,
        shifts: [&[f64]; 2],
    ) -> Result<[Vec<(f64, ManifoldOrbit)>; 2], SlowFastError> {
        let passage = self.passage(near, time)?;
        let family = |which: usize| {
            (shifts[which].iter())
                .filter_map(|&shift| Some((shift, passage.follow(which, shift, time).ok()?)))
                .collect()
        };
        Ok([family(0), family(1)])
    }
}

impl Passage<'_> {
    /// The crossing of both manifolds, by Newton's method from the singular canard, which is `followed` for this slow
    /// time.
    fn maximal(&self, followed: f64) -> Result<MaximalCanard, SlowFastError> {
        const ITERATIONS: usize = 40;
        let mut shifts = [0.0, 0.0];
        let mut both = self.arrive_both(shifts)?;
        let gap = |a: &[Arrival; 2]| [a[0].at[0] - a[1].at[0], a[0].at[1] - a[1].at[1]];
        let size = |g: [f64; 2]| g[0].hypot(g[1]);
        let mut residual = size(gap(&both));
        let mut previous = f64::INFINITY;
        for iteration in 0..ITERATIONS {
            // gap + D · (δ₀, δ₁) = 0 with columns ∂a/∂shift₀ and -∂r/∂shift₁.
            let ([g0, g1], [a0, a1], [r0, r1]) = (gap(&both), both[0].by_shift, both[1].by_shift);
            let det = -a0 * r1 + a1 * r0;
            let step = [(g0 * r1 - g1 * r0) / det, (g0 * a1 - g1 * a0) / det];
            let mut damping = 1.0;
            let next = loop {
                let trial = [shifts[0] + damping * step[0], shifts[1] + damping * step[1]];
                match self.arrive_both(trial) {
                    Ok(arrivals) if size(gap(&arrivals)) < residual || residual < 1e-10 => {
                        break Some((trial, arrivals));
                    }
                    _ if damping < 1e-4 => break None,
                    _ => damping *= 0.5,
                }
            };
            let Some((trial, arrivals)) = next else { break };
            (shifts, both) = (trial, arrivals);
            previous = residual.min(previous);
            residual = size(gap(&both));
            if iteration > 0 && residual <= 1e-10 && residual >= 0.1 * previous || residual <= 1e-14 {
                break;
            }
        }
        if residual > 1e-8 {
            return Err(SlowFastError::NoConvergence {
                what: "maximal canard",
                residual,
                iterations: ITERATIONS,
                advice: "from wherever they are entered, the manifolds do not meet in the section next to the singular \
                         canard: beside a folded saddle–node the slow flow all but stands still there, and at large ε \
                         the canard is far away; make ε smaller, or change `time`",
            });
        }
        let slope = |a: &Arrival| a.by_shift[1] / a.by_shift[0];
        let mut points = Vec::new();
        for (arrival, base) in both.iter().zip(&self.bases) {
            let (mut orbit, _) = self.problem.full_orbit(&arrival.start, arrival.time)?;
            for at in &mut orbit {
                at.time -= arrival.time;
            }
            if base.time > 0.0 {
                points.append(&mut orbit);
            } else {
                orbit.reverse();
                points.extend(orbit.into_iter().skip(1));
            }
        }
        Ok(MaximalCanard {
            points,
            crossing: both[0].state.clone(),
            shifts,
            across: self.across(),
            slopes: [slope(&both[0]), slope(&both[1])],
            mismatch: residual,
            followed,
        })
    }
}
