//! One motion of an orbit diagram: its points, and what they show.

use crate::compute::attractors::exponents::{ITERATES, Wandering, of_record, wandering};
use crate::compute::attractors::motion::{ROUND, RoundByRound, exponents, extents, long, turning_time};
use crate::compute::attractors::trend::trend;
use crate::compute::diagram::kind::{MotionKind, Seen};
use crate::compute::diagram::orbit::{Corrected, Round, cycle, is_repeated};
use crate::compute::diagram::points::{OF_PARTS, SAME, apart, period, scales};
use crate::compute::diagram::recurrence::{NOT_BACK, comes_back};
use crate::compute::diagram::rest::{Equilibrium, stands, turning};
use crate::plan::orbit_diagram::OrbitDiagramPlan;
use slipstick_bifurcation::Record;
use slipstick_flow::exponents::{Exponent, ExponentOptions, SpectrumError, spectrum};
use slipstick_flow::{
    FlowError, Iterates, Section, SectionOptions, SectionPoint, SectionRun, constant_rates, section_points,
};
use slipstick_numerics::number::rounded;
use slipstick_system::System;

/// A largest exponent beyond this, and beyond three times its error, is not zero.
const POSITIVE: f64 = 5e-3;

/// An exponent below zero by more than this, over the time that it was averaged for, is so on no orbit of a flow.
const DECLINES: f64 = 10.0;

/// So many rounds are averaged over, and so many times as many where they say too little.
const ROUNDS: f64 = 90.0;
const LONG: f64 = 20.0;

/// With at least so many points they tell whether a motion grows or declines.
const MANY: usize = 60;

/// What is said of motions that are neither of these.
const REPELS: &str = "the points repeat themselves next to an orbit that repels: the motion has not left it yet";
const DECLINING: &str = "the motion nearly repeats itself, but all neighbours still approach each other, as on the way to rest: its transient is long";
const APPROACH: &str =
    "neighbouring motions approach each other: an orbit of more points than were taken, or a long transient";

/// A motion at one value of the parameter.
pub(crate) struct Motion<'a> {
    pub(crate) diagram: &'a OrbitDiagramPlan,
    pub(crate) system: &'a System,
    /// Where its points are taken; none of a map.
    pub(crate) section: Option<Section>,
    pub(crate) p: &'a [f64],
    /// Where motions are.
    pub(crate) region: &'a [(f64, f64)],
}

/// What a motion is, with exponents where these follow, and what is said of it.
struct Judged {
    kind: MotionKind,
    exponents: Option<Vec<Exponent>>,
    message: String,
}

impl Judged {
    fn plain(kind: MotionKind) -> Self {
        Self {
            kind,
            exponents: None,
            message: String::new(),
        }
    }

    fn unsettled(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            ..Self::plain(MotionKind::Unsettled)
        }
    }
}

impl Motion<'_> {
    /// The points of the motion from a start. One that turns by an angle, and does not come to the section that is
    /// taken by default, has its points at phase zero of the angle.
    ///
    /// # Errors
    /// [`FlowError`] when it cannot be followed.
    pub(crate) fn followed(&mut self, start: &(usize, Vec<f64>)) -> Result<SectionRun, FlowError> {
        let (skip, count) = self.diagram.points;
        let run = self.points(start, skip, count)?;
        if !(run.away && self.diagram.natural) {
            return Ok(run);
        }
        let end = (run.end.0, &*run.end.1);
        let Some(angle) = turning(self.system, end, self.p, self.diagram.longest) else {
            return Ok(run);
        };
        let given = self.section.replace(Section::Phase { angle, phase: 0.0 });
        match self.points(&run.end, skip, count)? {
            turned if !turned.away && !turned.rests => Ok(turned),
            _ => {
                self.section = given;
                Ok(run)
            }
        }
    }

    /// The points of the motion from a state: `skip` of them are let pass, `count` are taken.
    fn points(&self, (mode, x): &(usize, Vec<f64>), skip: usize, count: usize) -> Result<SectionRun, FlowError> {
        let Self { system, p, .. } = *self;
        if let Some(section) = &self.section {
            let options = SectionOptions {
                skip,
                count,
                longest: self.diagram.longest,
                policy: self.diagram.sweep.policy,
                flow: self.diagram.sweep.flow,
            };
            return section_points(system, section, (*mode, x), p, &options);
        }
        let mut orbit = Iterates::new(system, *mode, x, p)?;
        orbit.advance_by(skip)?;
        let first = orbit.count();
        let point = |(k, states): (usize, Vec<f64>)| SectionPoint {
            t: (first + k) as f64,
            mode: *mode,
            states: system.full_state(*mode, &states, p),
        };
        Ok(SectionRun {
            points: orbit.take(count)?.into_iter().enumerate().map(point).collect(),
            rests: false,
            away: false,
            waited: 0.0,
            events: 0,
            end: (*mode, orbit.point().to_vec()),
        })
    }

    /// What the points of the motion show.
    pub(crate) fn seen(&self, run: &SectionRun) -> Seen {
        let wanted = self.diagram.sweep.exponents;
        let scales = scales(self.system, self.region, &run.points);
        let mut points = run.points.clone();
        let mut repeats = None;
        let mut judged = match self.at_rest(run, &scales) {
            Some((judged, at)) => {
                if let Some(at) = at {
                    points = vec![at];
                }
                judged
            }
            None => match period(self.system, &run.points, &scales) {
                Some(length) => {
                    let (judged, length) = self.repeating(run, length, &scales);
                    repeats = Some(length).filter(|_| judged.kind == MotionKind::Orbit);
                    judged
                }
                None => self.wandering(run),
            },
        };
        let exponents = match judged.exponents.take() {
            _ if wanted == 0 => vec![],
            Some(known) => known,
            None => self.averaged(run, wanted).unwrap_or_else(|why| {
                let says = format!("no exponents: {why}");
                judged.message = match &*judged.message {
                    "" => says,
                    before => format!("{before}; {says}"),
                };
                vec![]
            }),
        };
        Seen {
            points,
            kind: judged.kind,
            period: repeats,
            exponents: exponents.into_iter().take(wanted).collect(),
            message: judged.message,
        }
    }

    /// Is the motion at rest, or does it come to an equilibrium, which is listed in place of its points? Nor is it
    /// followed further if it stays away from the section.
    fn at_rest(&self, run: &SectionRun, scales: &[f64]) -> Option<(Judged, Option<SectionPoint>)> {
        let Self { system, p, .. } = *self;
        let end = (run.end.0, &*run.end.1);
        let rest = || Judged::plain(MotionKind::Rest);
        let at = |found: &Equilibrium| {
            let judged = Judged {
                exponents: Some(self.of_record(&found.record)),
                ..rest()
            };
            let t = run.points.last().map_or(0.0, |last| last.t);
            Some((judged, Some(found.point(t))))
        };
        let free = self.diagram.sweep.sweep;
        if system.is_map() {
            return None;
        }
        if run.rests {
            return Some((rest(), None));
        }
        if run.away {
            if stands(system, end, p, (self.diagram.longest, scales)) {
                return Some((rest(), None));
            }
            let found = Equilibrium::near(system, end, p, free);
            let drawn = |found: &Equilibrium| {
                found.draws(system, end.1, p, self.region) && self.comes_nearer(found, run, scales)
            };
            if let Some(found) = found.filter(drawn) {
                return at(&found);
            }
            let time = system.units.time;
            let longest = self.diagram.longest * time;
            let says = if run.waited * time < 0.999 * longest {
                let waited = rounded(run.waited * time, 4);
                format!(
                    "the motion moves, and does not come to the section within 200000 events, a time of {waited}: give another `section`"
                )
            } else {
                format!(
                    "the motion moves, and does not come to the section within a time of {longest}: raise `longest`, or give another `section`"
                )
            };
            return Some((Judged::unsettled(says), None));
        }
        if run.events > 0 {
            return None;
        }
        let [.., before, last] = &run.points[..] else {
            return None;
        };
        let gap = last.t - before.t;
        if stands(system, end, p, (gap, scales)) {
            return Some((rest(), None));
        }
        if !self.is_autonomous(end.0) {
            return None;
        }
        let round = Round::of(system, &self.diagram.sweep, end, p, gap)?;
        let found = Equilibrium::near(system, (end.0, &round.middle?), p, free)?;
        found
            .attracts(system, &run.points, scales)
            .then(|| at(&found))
            .flatten()
    }

    /// Does a motion that is drawn to an equilibrium come to it, waited for as long again several times? On a small
    /// cycle around it, it is drawn there every now and then.
    fn comes_nearer(&self, found: &Equilibrium, run: &SectionRun, scales: &[f64]) -> bool {
        /// By then perturbations have decayed to that; what is left of the distance may be more, where it turns.
        const DECAYED: f64 = 0.05;
        const LEFT: f64 = 0.3;
        const TIMES: usize = 8;
        let off = |end| found.off(self.system, end, self.p, scales);
        let first = off(&run.end);
        if first <= SAME || found.decay(run.waited) == 1.0 {
            return true;
        }
        let (mut end, mut time) = (run.end.clone(), 0.0);
        for _ in 0..TIMES {
            match self.points(&end, 0, 1) {
                Ok(later) if later.rests => return true,
                Ok(later) if later.away => (end, time) = (later.end, time + later.waited),
                _ => return false,
            }
            if found.decay(time) <= DECAYED {
                return off(&end) <= LEFT * first;
            }
        }
        false
    }

    /// Does nothing in this mode turn at a constant rate?
    fn is_autonomous(&self, mode: usize) -> bool {
        constant_rates(&self.system.modes[mode], self.p)
            .iter()
            .all(|rate| *rate == 0.0)
    }

    /// The orbit that Newton's method finds next to the last points, so many of them.
    fn corrected(&self, run: &SectionRun, length: usize, scales: &[f64]) -> Corrected {
        let Self { system, p, diagram, .. } = *self;
        let sweep = &diagram.sweep;
        if system.is_map() {
            return cycle(system, sweep, p, (&run.points, length), scales);
        }
        let last = run.points.len() - 1;
        let time = run.points[last].t - run.points[last - length].t;
        let round = Round::of(system, sweep, (run.end.0, &*run.end.1), p, time);
        round.map_or(Corrected::Nothing, |round| round.corrected(system, sweep, p, scales))
    }

    /// The orbit next to the last points, so many of them, and the number of its points: fewer where a motion comes to
    /// an orbit so slowly, as before a period doubling, that only several rounds of it together seem to repeat
    /// themselves.
    fn orbit(&self, run: &SectionRun, length: usize, scales: &[f64]) -> (Corrected, usize) {
        let found = self.corrected(run, length, scales);
        if let Corrected::Orbit(several) = &found {
            let last = run.points.len() - 1;
            let near = |k: &usize| {
                let [a, b] = [last, last - k].map(|at| &*run.points[at].states);
                length.is_multiple_of(*k) && apart(self.system, a, b, scales) <= OF_PARTS
            };
            for k in (1..length).filter(near) {
                match self.corrected(run, k, scales) {
                    Corrected::Orbit(one) if is_repeated(&one, several, length / k) => {
                        return (Corrected::Orbit(one), k);
                    }
                    _ => {}
                }
            }
        }
        (found, length)
    }

    /// A motion that repeats itself after so many points, and after how many it does: with the exponents of the orbit
    /// that Newton's method finds there; else with averages over whole periods.
    fn repeating(&self, run: &SectionRun, length: usize, scales: &[f64]) -> (Judged, usize) {
        let Self { system, diagram, .. } = *self;
        let (corrected, length) = self.orbit(run, length, scales);
        let judged = match corrected {
            Corrected::Orbit(record) => Judged {
                exponents: Some(self.of_record(&record)),
                ..Judged::plain(MotionKind::Orbit)
            },
            Corrected::Repelling => Judged::unsettled(REPELS),
            Corrected::Point | Corrected::Nothing if system.is_map() => Judged::plain(MotionKind::Orbit),
            Corrected::Point | Corrected::Nothing => self.averaged_over_rounds(run, length, diagram.sweep.exponents),
        };
        (judged, length)
    }

    /// A motion that repeats itself after so many points, where no orbit was found: with averages over whole periods.
    fn averaged_over_rounds(&self, run: &SectionRun, length: usize, wanted: usize) -> Judged {
        let Self { system, p, .. } = *self;
        let orbit = |exponents| Judged {
            exponents: Some(exponents),
            ..Judged::plain(MotionKind::Orbit)
        };
        let end = (run.end.0, &*run.end.1);
        let last = run.points.len() - 1;
        let time = run.points[last].t - run.points[last - length].t;
        let autonomous = self.is_autonomous(end.0);
        let wanted = wanted.max(usize::from(autonomous));
        if wanted == 0 {
            return Judged::plain(MotionKind::Orbit);
        }
        let whole = (ROUNDS * self.round(run).0 / time).ceil().max(1.0) * time;
        let exponents = match long(system, end, p, whole, wanted) {
            Ok(found) => found,
            Err(why) => {
                return Judged {
                    message: format!("no exponents: {why}"),
                    ..orbit(vec![])
                };
            }
        };
        let declines = |e: &Exponent| e.value * whole < -DECLINES && e.value < -3.0 * e.error;
        if autonomous && exponents.first().is_some_and(declines) {
            return Judged {
                exponents: Some(exponents),
                ..Judged::unsettled(DECLINING)
            };
        }
        orbit(exponents)
    }

    /// A motion that does not repeat itself.
    fn wandering(&self, run: &SectionRun) -> Judged {
        let Self { system, p, diagram, .. } = *self;
        let end = (run.end.0, &*run.end.1);
        // The two largest exponents tell tori from chaos.
        let count = diagram.sweep.exponents.max(2).min(system.dimension());
        let mut exponents = match self.averaged(run, count) {
            Ok(found) => found,
            Err(why) => {
                return Judged {
                    exponents: Some(vec![]),
                    ..Judged::unsettled(format!("no exponents: {why}"))
                };
            }
        };
        let (round, positive) = self.round(run);
        let tell = |exponents: &mut Vec<Exponent>| match wandering(system, end, p, round, exponents, positive) {
            Wandering::Chaos(_) => MotionKind::Chaos,
            Wandering::Torus => MotionKind::Torus,
            Wandering::Undecided => MotionKind::Unsettled,
        };
        let mut kind = tell(&mut exponents);
        // Directions that are zero in the end may take longer to part from those that decline slowly.
        let slow = |e: &Exponent| e.value * ROUNDS * round > -DECLINES;
        if kind == MotionKind::Unsettled
            && !system.is_map()
            && system.dimension() > 2
            && exponents.get(1).is_some_and(slow)
            && let Ok(later) = long(system, end, p, LONG * ROUNDS * round, count)
        {
            exponents = later;
            kind = tell(&mut exponents);
        }
        let says = match kind {
            MotionKind::Unsettled => Some(APPROACH.to_owned()),
            _ => self.changes(run, round, kind),
        };
        let judged = says.map_or(Judged::plain(kind), Judged::unsettled);
        Judged {
            exponents: Some(exponents),
            ..judged
        }
    }

    /// Whether a motion that does not repeat itself still grows or declines, in words: from its points, or where these
    /// are few from rounds that follow; and by whether it comes back.
    fn changes(&self, run: &SectionRun, round: f64, kind: MotionKind) -> Option<String> {
        let Self { system, p, .. } = *self;
        let separates = kind == MotionKind::Chaos;
        let straight: Vec<usize> = (0..system.states.len())
            .filter(|&i| system.states[i].period.is_none())
            .collect();
        if system.is_map() && !separates {
            return self.leaves(run, separates);
        }
        let rounds = if run.points.len() >= MANY || system.is_map() {
            let of = |point: &SectionPoint| straight.iter().map(|&i| point.states[i].abs()).collect();
            Some(run.points.iter().map(of).collect::<Vec<_>>())
        } else {
            let times = (round, self.diagram.sweep.flow);
            let found = RoundByRound::from(system, (run.end.0, &run.end.1), p, times).rounds();
            found.ok().map(|rounds| extents(system, &rounds))
        };
        rounds
            .and_then(|rounds| trend(&rounds, separates))
            .or_else(|| self.leaves(run, separates))
    }

    /// Whether a motion does not come back to its points, in words. A torus may come back late.
    fn leaves(&self, run: &SectionRun, separates: bool) -> Option<String> {
        /// How many points are let pass, and taken, for each one that is looked at.
        const ITERATES: (usize, usize) = (100, 50);
        const RETURNS: (usize, usize) = (2, 4);
        /// So few points say too little.
        const FEW: usize = 30;
        let mut end = run.end.clone();
        let mut earlier = run.points.clone();
        if earlier.len() < FEW {
            let more = match self.points(&end, 0, MANY) {
                Ok(more) => more,
                Err(why) => return Some(why.to_string()),
            };
            (earlier, end) = (more.points, more.end);
        }
        // Others are looked at as often as they are dense.
        earlier.drain(..earlier.len().saturating_sub(MANY));
        let n = earlier.len();
        let (skip, count) = match (self.system.is_map(), separates) {
            (true, _) => ITERATES,
            (false, false) => RETURNS,
            (false, true) => (RETURNS.0, 1),
        };
        match self.points(&end, skip * n, count * n) {
            Ok(later) => (!comes_back(self.system, &earlier, &later.points)).then(|| NOT_BACK.to_owned()),
            Err(why) => Some(why.to_string()),
        }
    }

    /// The largest exponents, averaged along the motion.
    fn averaged(&self, run: &SectionRun, count: usize) -> Result<Vec<Exponent>, SpectrumError> {
        let Self { system, p, .. } = *self;
        let (mode, x) = (run.end.0, &*run.end.1);
        if !system.is_map() {
            return exponents(system, (mode, x), p, self.round(run).0, count);
        }
        let options = ExponentOptions {
            transient: 0.0,
            time: (20 * self.diagram.points.1).max(4000) as f64,
            count: Some(count),
            ..ExponentOptions::default()
        };
        Ok(spectrum(system, mode, x, p, &options)?.exponents)
    }

    /// The exponents of an equilibrium or an orbit.
    fn of_record(&self, record: &Record) -> Vec<Exponent> {
        of_record(self.system, record, self.diagram.sweep.exponents)
    }

    /// The unit of time of the motion, and the exponent that shows itself within so many of them: the period of the
    /// forcing, or two returns to the section, whatever the unit of time.
    fn round(&self, run: &SectionRun) -> (f64, f64) {
        let Self { system, p, .. } = *self;
        if system.is_map() {
            return (ITERATES, POSITIVE);
        }
        if let Some(period) = turning_time(system, run.end.0, &run.end.1, p) {
            return (period, POSITIVE);
        }
        let [first, .., last] = &run.points[..] else {
            return (ROUND, POSITIVE);
        };
        let round = 2.0 * (last.t - first.t) / (run.points.len() - 1) as f64;
        (round, POSITIVE * ROUND / round)
    }
}
