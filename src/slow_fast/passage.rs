//! The two slow manifolds on their way to the section through a folded singularity.

use super::error::SlowFastError;
use super::folded::FoldedSingularity;
use super::march::{Condition, Marcher, TimedState};
use super::problem::{SlowFastProblem, dot};
use super::reduced_flow::{ReducedEnd, ReducedPoint};
use super::singular_canard::{Along, CanardKind, SingularCanard};
use super::slow_manifold::ManifoldOrbit;
use slipstick_flow::{FlowOptions, ModeFlow, Transition};

/// Where one of the manifolds is entered: a point of the singular canard and the slow direction across the flow there.
pub(super) struct Base {
    point: Vec<f64>,
    across: Vec<f64>,
    /// Slow time from here to the singularity.
    pub(super) time: f64,
    /// The part of it after which the singular canard comes to the section for the last time: it may have crossed it
    /// before, where the slow flow turns round.
    lead: f64,
    /// By how many e-folds the fibres contract on the way to the singularity.
    contraction: f64,
}

impl Base {
    /// The point moved across the flow.
    fn shifted(&self, shift: f64) -> Vec<f64> {
        self.point
            .iter()
            .zip(&self.across)
            .map(|(x, e)| x + shift * e)
            .collect()
    }
}

/// An orbit's arrival in the section.
pub(super) struct Arrival {
    /// Time from the start to the section, negative backwards.
    pub(super) time: f64,
    pub(super) start: Vec<f64>,
    pub(super) state: Vec<f64>,
    /// Coordinates in the section, (across, fast), and their derivatives with respect to the shift of the start.
    pub(super) at: [f64; 2],
    pub(super) by_shift: [f64; 2],
}

/// The section through a folded singularity, normal to the slow flow.
struct Section {
    through: Vec<f64>,
    normal: Vec<f64>,
    across: Vec<f64>,
}

impl Section {
    /// How far a state is behind the section, along the slow flow.
    fn beyond(&self, x: &[f64]) -> f64 {
        let from = self.through.iter().zip(x).zip(&self.normal);
        from.map(|((through, x), normal)| normal * (x - through)).sum()
    }
    /// The part of the way from a point of a singular canard at slow `time` to the section after which it is on that
    /// side only, and farthest away.
    fn lead(&self, singular: &SingularCanard, time: f64) -> f64 {
        let off = |p: &ReducedPoint| self.beyond(&p.state) * time.signum();
        let own = |p: &&ReducedPoint| p.time * time > 0.0 && p.time.abs() <= time.abs();
        let mut near: Vec<&ReducedPoint> = singular.points.iter().filter(own).collect();
        near.sort_by(|a, b| a.time.abs().total_cmp(&b.time.abs()));
        let last = near.into_iter().take_while(|p| off(p) > 0.0);
        let farthest = last.max_by(|a, b| off(a).total_cmp(&off(b)));
        farthest.map_or(0.0, |p| p.time - time)
    }
}

/// The problem at its ε, the section, and the bases of the attracting and the repelling manifold.
pub(super) struct Passage<'a> {
    pub(super) problem: SlowFastProblem<'a>,
    section: Section,
    pub(super) bases: [Base; 2],
}

impl<'a> SlowFastProblem<'a> {
    /// The passage along the vrai canard of `near`, which is followed for the slow time `time` on both sides. Each
    /// manifold is entered where its sheet attracts or repels most strongly.
    pub(super) fn passage(&self, near: &FoldedSingularity, time: f64) -> Result<Passage<'a>, SlowFastError> {
        let full = self.full()?;
        let through = full.folded_singularity(&near.state)?;
        let singular = (full.singular_canards(&through, time)?.into_iter())
            .find(|canard| canard.kind == CanardKind::Vrai)
            .ok_or_else(|| SlowFastError::Absent("only a faux canard passes through this folded node".into()))?;
        let strongest = |sign: f64| {
            // Of a half that runs off to infinity the first half of its time.
            let (end, last) = if sign < 0.0 {
                (singular.ends[0], singular.points.first())
            } else {
                (singular.ends[1], singular.points.last())
            };
            let within = match end {
                ReducedEnd::Infinity => last.map_or(0.0, |p| 0.5 * p.time.abs()),
                _ => f64::INFINITY,
            };
            let side = singular.points.iter();
            let side = side.filter(|p| p.time * sign > 0.0 && p.time.abs() <= within);
            side.max_by(|a, b| (a.slope * sign).total_cmp(&(b.slope * sign)))
                .map(|p| p.time)
        };
        let (Some(from), Some(to)) = (strongest(-1.0), strongest(1.0)) else {
            return Err(SlowFastError::Absent(
                "the singular canard has no point on one of the sheets".into(),
            ));
        };
        let section = full.section_through(&through.state);
        let base = |time: f64| full.base(&singular, time, section.lead(&singular, time));
        Ok(Passage {
            bases: [base(from)?, base(to)?],
            section,
            problem: full,
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
    /// `∫ |f_y| dt / ε` along a singular canard between slow `time` and the singularity.
    fn contraction(&self, singular: &SingularCanard, time: f64) -> f64 {
        let within = |p: &ReducedPoint| p.time * time >= 0.0 && p.time.abs() <= time.abs();
        let pairs = singular.points.windows(2).filter(|w| within(&w[0]) && within(&w[1]));
        let areas = pairs.map(|w| 0.5 * (w[1].time - w[0].time) * (w[0].slope + w[1].slope).abs());
        areas.sum::<f64>() / self.epsilon()
    }
    fn base(&self, singular: &SingularCanard, time: f64, lead: f64) -> Result<Base, SlowFastError> {
        let found = self.canard_at(singular, Along::Time, time)?;
        let point = found.into_iter().next().map(|p| p.state).ok_or_else(|| {
            let time = time * self.system().units.time;
            SlowFastError::Absent(format!("the singular canard has no point at slow time {time}"))
        })?;
        let across = self.across(&self.local(&point).slow);
        Ok(Base {
            point,
            across,
            time: -time,
            lead,
            contraction: self.contraction(singular, time),
        })
    }
}

impl Passage<'_> {
    /// A shorter time for which the singular canard may be followed, if the manifolds are still reached from there to
    /// rounding.
    pub(super) fn nearer(&self) -> Option<f64> {
        /// The part of the longer of both ways.
        const PART: f64 = 0.6;
        /// e-folds, of which a nearer way has about PART² as many.
        const ENOUGH: f64 = 60.0;
        let [a, b] = &self.bases;
        let enough = a.contraction.min(b.contraction) > ENOUGH;
        enough.then(|| PART * a.time.abs().max(b.time.abs()))
    }
    /// The slow directions across the flow at both bases and in the section.
    pub(super) fn across(&self) -> [Vec<f64>; 3] {
        let [attracting, repelling] = &self.bases;
        [&attracting.across, &repelling.across, &self.section.across].map(Vec::clone)
    }
    /// Both manifolds with their shifts.
    pub(super) fn arrive_both(&self, shifts: [f64; 2]) -> Result<[Arrival; 2], SlowFastError> {
        Ok([self.arrive(0, shifts[0])?, self.arrive(1, shifts[1])?])
    }
    /// The orbit on one of the manifolds (0 attracting, 1 repelling) from its base, shifted across the flow.
    pub(super) fn follow(&self, which: usize, shift: f64, time: f64) -> Result<ManifoldOrbit, SlowFastError> {
        self.problem
            .slow_manifold_orbit(&self.bases[which].shifted(shift), time)
    }
    /// Follow one of the manifolds (0 attracting, 1 repelling) from its base, shifted across the flow, to the section.
    pub(super) fn arrive(&self, which: usize, shift: f64) -> Result<Arrival, SlowFastError> {
        let Self {
            problem,
            section,
            bases,
        } = self;
        let base = &bases[which];
        let start = problem.on_slow_manifold(&base.shifted(shift))?;
        let n = problem.dimension();
        let sign = base.time.signum();
        let ahead = |x: &[f64]| -sign * section.beyond(x);
        let marcher = |stretch: f64, budget: usize| Marcher {
            flow: problem.marching_flow(),
            parameters: problem.parameters(),
            stretch,
            budget,
        };
        // In long stretches nearly to the section, then in short ones: an orbit that overshoots it may leave the
        // slow manifold and the mode.
        let conditions: [Condition; 2] = [&|_, x| ahead(x), &|_, x| problem.room(x)];
        let (mut before, mut from) = (0.0, start.clone());
        if base.lead != 0.0 {
            let lead = marcher(base.lead, 1).march(&start, &conditions[1..])?;
            if let (None, Some(last)) = (lead.stopped, lead.points.last()) {
                (before, from) = (last.time, last.state.clone());
            }
        }
        let mut march = marcher(0.49 * (base.time - before), 2).march(&from, &conditions)?;
        if let (None, Some(last)) = (march.stopped, march.points.last()) {
            before += last.time;
            march = marcher(0.005 * base.time, 400).march(&last.state, &conditions)?;
        }
        let Some(TimedState { time, state }) = march.points.last().filter(|_| march.stopped == Some(0)) else {
            return Err(SlowFastError::Absent(
                "an orbit on a slow manifold turns or jumps before it comes to the section through the folded \
                 singularity; change `time`, for which the singular canard is followed"
                    .into(),
            ));
        };
        let time = before + time;
        let mut end = Transition::default();
        // The derivative steers Newton's method and gives the slopes; it need not be as sharp as the orbit.
        let options = FlowOptions {
            rtol: 1e-9,
            atol: 1e-10,
            ..*problem.full_flow().options()
        };
        let flow = ModeFlow::new(problem.system(), problem.mode_index(), options);
        flow.linearise(&start, time, problem.parameters(), &[], &mut end)?;
        // The start moves across the flow and, on the manifold, with the sheet.
        let local = problem.local(&start);
        let mut moved = base.across.clone();
        moved[problem.fast()] = -dot(&local.gradient, &base.across) / local.gradient[problem.fast()];
        let propagated: Vec<f64> = (0..n).map(|i| dot(&end.dx[i * n..(i + 1) * n], &moved)).collect();
        let delay = dot(&section.normal, &propagated) / dot(&section.normal, &end.f);
        let by_shift: Vec<f64> = (0..n).map(|i| propagated[i] - delay * end.f[i]).collect();
        let from: Vec<f64> = state.iter().zip(&section.through).map(|(a, b)| a - b).collect();
        let coordinates = |v: &[f64]| [dot(&section.across, v), v[problem.fast()]];
        Ok(Arrival {
            time,
            start,
            at: coordinates(&from),
            by_shift: coordinates(&by_shift),
            state: state.clone(),
        })
    }
}
