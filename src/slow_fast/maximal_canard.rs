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
use super::march::{Condition, Marcher, TimedState};
use super::problem::{SlowFastProblem, dot};
use super::singular_canard::{Along, CanardKind, SingularCanard};
use crate::flow::{FlowOptions, ModeFlow, Transition};

/// A maximal canard of the full system.
#[derive(Clone, Debug, PartialEq)]
pub struct MaximalCanard {
    /// Its points by increasing time, which is 0 in the section through the folded singularity.
    pub points: Vec<TimedState>,
    /// Where it crosses the section.
    pub crossing: Vec<f64>,
    /// Its slow distance from the singular canard across the flow, at its start on the attracting and its end on
    /// the repelling sheet.
    pub shifts: [f64; 2],
    /// In the section, `d(fast)/d(slow)` along the attracting and along the repelling manifold. They differ: the
    /// crossing is transversal.
    pub slopes: [f64; 2],
    /// Distance left in the section between the two orbits joined there.
    pub mismatch: f64,
}

/// Where one of the manifolds is entered: a point of the singular canard and the slow direction across the flow there.
struct Base {
    point: Vec<f64>,
    across: Vec<f64>,
    /// Slow time from here to the singularity.
    time: f64,
}

/// An orbit's arrival in the section.
struct Arrival {
    time: f64,
    start: Vec<f64>,
    state: Vec<f64>,
    /// Coordinates in the section, (across, fast), and their derivatives with respect to the shift of the start.
    at: [f64; 2],
    by_shift: [f64; 2],
}

/// The section through a folded singularity, normal to the slow flow.
struct Section {
    through: Vec<f64>,
    normal: Vec<f64>,
    across: Vec<f64>,
}

impl SlowFastProblem<'_> {
    /// The maximal canard at the folded saddle (or along the strong canard of the folded node) `near`, whose
    /// singular canard is followed for the slow time `time` on both sides.
    ///
    /// The attracting manifold is entered at the point of the singular canard where its sheet attracts most
    /// strongly, the repelling one where it repels most strongly.
    ///
    /// # Errors
    /// When no canard passes through the singularity, when either manifold cannot be followed to the section, or
    /// when they do not meet near the singular canard: then ε is too large for the canard to be there.
    pub fn maximal_canard(&self, near: &FoldedSingularity, time: f64) -> Result<MaximalCanard, SlowFastError> {
        const ITERATIONS: usize = 40;
        let full = self.full()?;
        let singular = (full
            .singular_canards(&full.folded_singularity(&near.state)?, time)?
            .into_iter())
        .find(|canard| canard.kind == CanardKind::Vrai)
        .ok_or_else(|| SlowFastError::Absent("only a faux canard passes through this folded node".into()))?;
        let strongest = |sign: f64| {
            let side = singular.points.iter().filter(|p| p.time * sign > 0.0);
            side.max_by(|a, b| (a.slope * sign).total_cmp(&(b.slope * sign)))
                .map(|p| p.time)
        };
        let (Some(from), Some(to)) = (strongest(-1.0), strongest(1.0)) else {
            return Err(SlowFastError::Absent(
                "the singular canard has no point on one of the sheets".into(),
            ));
        };
        let section = full.section_through(&singular.through.state);
        let bases = [full.base(&singular, from)?, full.base(&singular, to)?];
        let mut shifts = [0.0, 0.0];
        let mut both = full.arrive_both(&bases, shifts, &section)?;
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
                match full.arrive_both(&bases, trial, &section) {
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
                advice: "make ε smaller: near the folded saddle–node, or at large ε, the manifolds need \
                         not meet near the singular canard",
            });
        }
        let slope = |a: &Arrival| a.by_shift[1] / a.by_shift[0];
        let mut points = Vec::new();
        for (arrival, base) in both.iter().zip(&bases) {
            let (mut orbit, _) = full.full_orbit(&arrival.start, arrival.time)?;
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
            slopes: [slope(&both[0]), slope(&both[1])],
            mismatch: residual,
        })
    }
    fn section_through(&self, x: &[f64]) -> Section {
        let slow = self.local(x).slow;
        let size = dot(&slow, &slow).sqrt();
        let normal: Vec<f64> = slow.iter().map(|g| g / size).collect();
        Section {
            through: x.to_vec(),
            across: self.across(&normal),
            normal,
        }
    }
    /// The slow direction at right angles to a slow direction (two slow states).
    fn across(&self, direction: &[f64]) -> Vec<f64> {
        let slow: Vec<usize> = self.slow().collect();
        let size = dot(direction, direction).sqrt();
        let mut across = vec![0.0; self.dimension()];
        across[slow[0]] = direction[slow[1]] / size;
        across[slow[1]] = -direction[slow[0]] / size;
        across
    }
    fn base(&self, singular: &SingularCanard, time: f64) -> Result<Base, SlowFastError> {
        let found = self.canard_at(singular, Along::Time, time)?;
        let point =
            found.into_iter().next().map(|p| p.state).ok_or_else(|| {
                SlowFastError::Absent(format!("the singular canard has no point at slow time {time}"))
            })?;
        let across = self.across(&self.local(&point).slow);
        Ok(Base {
            point,
            across,
            time: -time,
        })
    }
    fn arrive_both(
        &self,
        bases: &[Base; 2],
        shifts: [f64; 2],
        section: &Section,
    ) -> Result<[Arrival; 2], SlowFastError> {
        Ok([
            self.arrive(&bases[0], shifts[0], section)?,
            self.arrive(&bases[1], shifts[1], section)?,
        ])
    }
    /// Follow the slow manifold from its base, shifted across the flow, to the section.
    fn arrive(&self, base: &Base, shift: f64, section: &Section) -> Result<Arrival, SlowFastError> {
        let shifted: Vec<f64> = base
            .point
            .iter()
            .zip(&base.across)
            .map(|(x, e)| x + shift * e)
            .collect();
        let start = self.on_slow_manifold(&shifted)?;
        let n = self.dimension();
        let sign = base.time.signum();
        let ahead = |x: &[f64]| -> f64 {
            (0..n)
                .map(|i| section.normal[i] * (section.through[i] - x[i]))
                .sum::<f64>()
                * sign
        };
        let marcher = |stretch: f64, budget: usize| Marcher {
            flow: self.full_flow(),
            parameters: self.parameters(),
            stretch,
            budget,
        };
        // In long stretches nearly to the section, then in short ones: an orbit that overshoots it may leave the
        // slow manifold and the mode.
        let conditions: [Condition; 2] = [&|_, x| ahead(x), &|_, x| self.room(x)];
        let mut march = marcher(0.49 * base.time, 2).march(&start, &conditions)?;
        let mut before = 0.0;
        if let (None, Some(last)) = (march.stopped, march.points.last()) {
            before = last.time;
            march = marcher(0.005 * base.time, 400).march(&last.state, &conditions)?;
        }
        let Some(TimedState { time, state }) = march.points.last().filter(|_| march.stopped == Some(0)) else {
            return Err(SlowFastError::Absent(
                "an orbit on a slow manifold does not reach the section through the folded singularity".into(),
            ));
        };
        let time = before + time;
        let mut end = Transition::default();
        // The derivative steers Newton's method and gives the slopes; it need not be as sharp as the orbit.
        let options = FlowOptions {
            rtol: 1e-9,
            atol: 1e-10,
            ..*self.full_flow().options()
        };
        let flow = ModeFlow::new(self.system(), self.mode_index(), options);
        flow.linearise(&start, time, self.parameters(), &[], &mut end)?;
        // The start moves across the flow and, on the manifold, with the sheet.
        let local = self.local(&start);
        let mut moved = base.across.clone();
        moved[self.fast()] = -dot(&local.gradient, &base.across) / local.gradient[self.fast()];
        let carried: Vec<f64> = (0..n).map(|i| dot(&end.dx[i * n..(i + 1) * n], &moved)).collect();
        let delay = dot(&section.normal, &carried) / dot(&section.normal, &end.f);
        let by_shift: Vec<f64> = (0..n).map(|i| carried[i] - delay * end.f[i]).collect();
        let from: Vec<f64> = state.iter().zip(&section.through).map(|(a, b)| a - b).collect();
        let coordinates = |v: &[f64]| [dot(&section.across, v), v[self.fast()]];
        Ok(Arrival {
            time,
            start,
            at: coordinates(&from),
            by_shift: coordinates(&by_shift),
            state: state.clone(),
        })
    }
}
