//! What motions of flows settle to: orbits, each corrected and compared with the others, states of rest, and motions
//! that do not repeat.

use crate::compute::attractors::at_rest::{GROWS, Stopped};
use crate::compute::attractors::census::{Census, Entry};
use crate::compute::attractors::comparing::on_curve;
use crate::compute::attractors::explorer::Explorer;
use crate::compute::attractors::exponents::{Wandering, of_record, wandering};
use crate::compute::attractors::growth::{grew, grows_on};
use crate::compute::attractors::least::least;
use crate::compute::attractors::motion::{RoundByRound, extents, round_time, rounds, row};
use crate::compute::attractors::problem::{measured, problem, solved};
use crate::compute::attractors::recognition::{Place, Recognition, Round};
use crate::compute::attractors::trend::trend;
use crate::compute::attractors::units::orbit_in_own;
use crate::compute::family::Family;
use crate::plan::attractors::AttractorsPlan;
use crate::plan::study::Plan;
use crate::results::attractors::{Attractor, AttractorKind};
use crate::results::curve::CurveResult;
use slipstick_bifurcation::{Inspect, Record};
use slipstick_flow::measure::unit_of_time;
use slipstick_flow::{
    AfterTransient, AttractingOrbit, Followed, TransientError, TransientOptions, run_transient, run_transient_unless,
};
use slipstick_orbit::{FixedPoint, Letter, SAME_ORBIT, Word, forcing_phase};
use slipstick_system::System;

/// |log₁₀| of a multiplier that is one up to rounding, and what is said where one is.
const NEUTRAL: f64 = 1e-7;
const CONTINUUM: &str =
    "one of a continuum of orbits, as where a contact sticks at all times and may stick elsewhere as well";

/// An exponent that is larger than this shows itself within the rounds followed.
const POSITIVE: f64 = 0.01;

/// A transient along which neighbours do not separate may have so many times as many events as others.
const PATIENT: usize = 10;

/// How what is said of motions begins that did not repeat themselves for as long as they were followed.
const LONG: &str = "the motion does not repeat itself within";

/// The steps of the integrator that a motion may take for each of its events, and altogether at least.
const STEPS: usize = 250;
const LEAST_STEPS: usize = 1_000_000;

/// How long a mode may last without an event before it is taken as running freely, in units of time that are not below
/// one.
const WAIT: f64 = 500.0;

/// A motion that has not come to rest is followed for so many times as long, and again, up to this many times: rates of
/// stiff systems differ by as much.
const SLOW: f64 = 100.0;
const SLOWEST: f64 = 1e8;

/// A settled motion as a zero of its equations.
pub(crate) struct Known {
    word: Word,
    invariants: Vec<Vec<f64>>,
    /// None without events.
    round: Option<Round>,
}

/// What became of the orbit that a motion settled to.
enum Found {
    /// It stands in the census.
    Entered(Entry),
    /// None that attracts was found.
    Nothing,
    /// It violates what holds in the system, as the words say.
    Inadmissible(String),
}

/// Motions of a flow at one value of the parameter swept over. The system may be in other units than that of the plan.
pub(crate) struct Motions<'a> {
    plan: &'a Plan,
    sweep: &'a AttractorsPlan,
    system: &'a System,
    p: Vec<f64>,
    value: f64,
    /// The number of monitors.
    width: usize,
    curves: &'a [&'a CurveResult],
    options: TransientOptions,
}

impl<'a> Motions<'a> {
    pub(crate) fn new(
        plan: &'a Plan,
        sweep: &'a AttractorsPlan,
        system: &'a System,
        value: f64,
        width: usize,
        curves: &'a [&'a CurveResult],
    ) -> Self {
        let mut p = sweep.parameters.clone();
        p[sweep.sweep] = value;
        Self {
            plan,
            sweep,
            system,
            p,
            value,
            width,
            curves,
            options: TransientOptions {
                longest_segment: WAIT * unit_of_time(system).max(1.0),
                max_events: sweep.events,
                max_steps: LEAST_STEPS.max(STEPS.saturating_mul(sweep.events)),
                tolerance: 1e-8,
                policy: sweep.policy,
                flow: sweep.flow,
                ..TransientOptions::default()
            },
        }
    }

    /// A motion that does not repeat itself.
    fn wanders(&self, mode: usize, x: &[f64]) -> (Attractor, Place) {
        let Self {
            system, sweep, ref p, ..
        } = *self;
        let plain = |kind, rows, message| Census::<Known>::one(self.value, kind, rows, message);
        let lost = |why: String| (plain(AttractorKind::Lost, vec![], why), Place::default());
        let round = round_time(system, mode, x, p);
        let mut rounds = match rounds(system, mode, x, p, sweep.flow, sweep.exponents.max(2)) {
            Ok(rounds) => rounds,
            Err(e) => return lost(self.why_lost((mode, x), e.to_string())),
        };
        let extents = extents(system, &rounds.extremes);
        let end = (rounds.end.0, &*rounds.end.1);
        let mut onward = RoundByRound::from(system, end, p, (round, sweep.flow));
        if grows_on(&extents, largest(x), &mut |rounds| onward.extents_after(rounds)) {
            return lost(GROWS.into());
        }
        let kind = match wandering(system, (mode, x), p, round, &mut rounds.exponents, POSITIVE) {
            Wandering::Chaos(exponent) => AttractorKind::Chaos { exponent },
            Wandering::Torus => AttractorKind::Torus,
            Wandering::Undecided => AttractorKind::Undecided,
        };
        let separates = matches!(kind, AttractorKind::Chaos { .. });
        if let Some(says) = trend(&extents, separates) {
            return (plain(AttractorKind::Undecided, vec![], says), Place::default());
        }
        let rows = rounds.extremes.iter().map(|r| row(system, r, self.width)).collect();
        let mut attractor = plain(kind, rows, String::new());
        attractor.exponents = rounds.exponents.into_iter().take(sweep.exponents).collect();
        (attractor, rounds.place)
    }

    /// Why a motion that began with these states of a mode was lost: it grew without bound, or what is `said`.
    fn why_lost(&self, (mode, x): (usize, &[f64]), said: String) -> String {
        let round = round_time(self.system, mode, x, &self.p);
        let mut motion = RoundByRound::from(self.system, (mode, x), &self.p, (round, self.sweep.flow));
        if grew(largest(x), &mut motion) {
            GROWS.into()
        } else {
            said
        }
    }

    /// The orbit that a motion settled to, entered into the census.
    fn enter(&self, attracting: AttractingOrbit, census: &mut Census<Known>) -> Found {
        let Self {
            system, sweep, ref p, ..
        } = *self;
        if let Some(entry) =
            census.meet_orbit(|_, known| known.attracting.as_ref().is_some_and(|k| repeats(k, &attracting)))
        {
            return Found::Entered(entry);
        }
        let Some((attracting, known, record)) = corrected_least(system, sweep, p, attracting) else {
            return Found::Nothing;
        };
        // A chaotic motion that happened to come by an orbit again: nothing stays there.
        let multipliers = record.of_return_map();
        if multipliers.iter().any(|m| m.log10 > NEUTRAL) || is_point(system, &record) {
            return Found::Nothing;
        }
        if let Some(why) = self.inadmissible(&known.word, &record) {
            return Found::Inadmissible(why);
        }
        if let Some(entry) = census.meet_orbit(|other, _| self.same(other, &known)) {
            return Found::Entered(entry);
        }
        let kind = AttractorKind::Orbit {
            word: known.word.describe(system),
            period: record.period,
        };
        let continuum = multipliers.iter().any(|m| m.log10.abs() <= NEUTRAL);
        let says = if continuum { CONTINUUM } else { "" };
        let mut attractor = census.attractor(kind, vec![record.monitors.clone()], says.to_owned());
        // Curves are in the units of the plan.
        let in_plan = std::ptr::eq(system, &raw const self.plan.systems[sweep.system].system);
        let own = if in_plan {
            attracting.clone()
        } else {
            orbit_in_own(&attracting, system)
        };
        attractor.curve = on_curve(self.plan, sweep, self.value, &own, self.curves);
        attractor.exponents = of_record(system, &record, sweep.exponents);
        attractor.attracting = Some(attracting);
        Found::Entered(census.enter_orbit(known, attractor))
    }

    /// Why an orbit with this word that was corrected is none of the system, in words.
    fn inadmissible(&self, word: &Word, record: &Record) -> Option<String> {
        /// What fails by less than this is where it fails.
        const NEARLY: f64 = 1e-6;
        let measured = record.inequalities.iter().enumerate();
        let (worst, by) = measured.min_by(|a, b| a.1.total_cmp(b.1))?;
        if *by >= -NEARLY {
            return None;
        }
        let inequalities = problem(self.system, word.clone(), self.sweep, &self.p).inequalities();
        let fails = inequalities.get(worst).map_or("", |inequality| &inequality.meaning);
        Some(format!(
            "the motion repeats itself, but no orbit with its word `{}` is admissible: {fails}",
            word.describe(self.system)
        ))
    }

    /// What a motion that was taken for one at rest comes to, on ever slower time scales: it may be slow beside the
    /// fastest rate, and go on to somewhere else. With the options of the last attempt.
    fn wait_while_slow(
        &self,
        mut outcome: Result<AfterTransient, TransientError>,
        motion: ((usize, &[f64]), f64),
        mut options: TransientOptions,
    ) -> (Result<AfterTransient, TransientError>, TransientOptions) {
        while let Ok(AfterTransient::Rest { mode, state }) = &outcome
            && options.longest_segment < SLOWEST * self.options.longest_segment
            && self.stopped(*mode, state, motion, &options).goes_on()
        {
            options.longest_segment *= SLOW;
            outcome = run_transient(self.system, *mode, state, &self.p, &options);
        }
        (outcome, options)
    }

    /// The state of rest that a motion comes to which seemed to repeat itself while it crept along, in rows of `width`
    /// monitors; none where it comes to something else.
    fn rest_later(
        &self,
        width: usize,
        motion: ((usize, &[f64]), f64),
        plain: impl Fn(AttractorKind, Vec<Vec<f64>>, String) -> Attractor,
    ) -> Option<Attractor> {
        let (mode, x) = motion.0;
        let longer = TransientOptions {
            longest_segment: SLOW * SLOW * self.options.longest_segment,
            ..self.options.clone()
        };
        let outcome = run_transient(self.system, mode, x, &self.p, &longer);
        let (Ok(AfterTransient::Rest { mode, state }), options) = self.wait_while_slow(outcome, motion, longer) else {
            return None;
        };
        let rest = self.stopped(mode, &state, motion, &options).attractor(width, plain);
        matches!(rest.kind, AttractorKind::Rest { .. }).then_some(rest)
    }

    /// A motion that began with these states of a mode, as large as `size`, and was taken for one at rest with these
    /// options.
    fn stopped<'s>(
        &'s self,
        mode: usize,
        state: &'s [f64],
        (begin, size): ((usize, &'s [f64]), f64),
        options: &TransientOptions,
    ) -> Stopped<'s> {
        Stopped {
            system: self.system,
            mode,
            state,
            p: &self.p,
            begin,
            sweep: self.sweep,
            size,
            waited: options.longest_segment,
        }
    }
}

impl Explorer for Motions<'_> {
    type Key = Known;

    fn follow(&self, mode: usize, x: &[f64], census: &mut Census<Known>) -> Entry {
        let Self {
            system, ref p, width, ..
        } = *self;
        let value = self.value;
        let begin = (mode, x);
        // How large the motion is at least.
        let size = largest(x);
        let plain = |kind, rows, message| Census::<Known>::one(value, kind, rows, message);
        let rounds = census
            .orbits()
            .filter_map(|(key, entry)| Some((key.round.as_ref()?, entry)));
        let mut recognition = Recognition::new(system, rounds, census.places());
        let followed = run_transient_unless(system, mode, x, p, &self.options, &mut |event| {
            recognition.passes(event)
        });
        let mut outcome = match followed {
            Ok(Followed::ToTheEnd(found)) => Ok(found),
            Ok(Followed::Recognised(entry)) => {
                census.count(entry);
                return entry;
            }
            Err(e) => Err(e),
        };
        if came_to_nothing(&outcome) {
            let (wanders, place) = self.wanders(mode, x);
            let wanders = undecided(wanders, &outcome);
            if !matches!(wanders.kind, AttractorKind::Torus | AttractorKind::Undecided) {
                let entry = census.enter_other(wanders);
                census.locate(entry, place);
                return entry;
            }
            if is_plain_torus(&wanders, &outcome) || census.knows(&wanders) {
                return census.enter_other(wanders);
            }
            // Neighbours do not separate: the transient may just be long.
            let patient = TransientOptions {
                max_events: PATIENT * self.options.max_events,
                ..self.options.clone()
            };
            outcome = run_transient(system, mode, x, p, &patient);
            if came_to_nothing(&outcome) {
                return census.enter_other(undecided(wanders, &outcome));
            }
        }
        let (outcome, options) = self.wait_while_slow(outcome, (begin, size), self.options.clone());
        let other = match outcome {
            Ok(AfterTransient::Orbit(attracting)) => match self.enter(attracting, census) {
                Found::Entered(entry) => return entry,
                Found::Inadmissible(why) => plain(AttractorKind::Lost, vec![], why),
                Found::Nothing => match self.wanders(mode, x).0 {
                    wanders if matches!(wanders.kind, AttractorKind::Chaos { .. }) => wanders,
                    _ => self.rest_later(width, (begin, size), plain).unwrap_or_else(|| {
                        let says = "the motion nearly repeats itself, but no orbit that attracts was found there";
                        plain(AttractorKind::Undecided, vec![], says.into())
                    }),
                },
            },
            Ok(AfterTransient::Rest { mode, state }) => self
                .stopped(mode, &state, (begin, size), &options)
                .attractor(width, plain),
            unsettled if came_to_nothing(&unsettled) => undecided(self.wanders(mode, x).0, &unsettled),
            Err(e) => plain(AttractorKind::Lost, vec![], self.why_lost((mode, x), e.to_string())),
        };
        census.enter_other(other)
    }

    fn key(&self, attractor: &Attractor) -> Option<Known> {
        let attracting = attractor.attracting.as_ref()?;
        Some(corrected(self.system, self.sweep, &self.p, attracting)?.0)
    }

    fn same(&self, a: &Known, b: &Known) -> bool {
        a.word == b.word
            && problem(self.system, a.word.clone(), self.sweep, &self.p).same(&a.invariants, &b.invariants, SAME_ORBIT)
    }

    fn census(&self) -> Census<Known> {
        Census::new(self.value, usize::MAX)
    }
}

/// The largest of the states.
fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |size, v| size.max(v.abs()))
}

/// Was a motion followed for as long as it may be, without coming to anything?
fn came_to_nothing<T>(outcome: &Result<T, TransientError>) -> bool {
    matches!(
        outcome,
        Err(TransientError::Restless { .. } | TransientError::Laborious { .. })
    )
}

/// A motion of which its exponents do not tell what it is, with how far it was followed and what to do.
fn undecided<T>(wanders: Attractor, outcome: &Result<T, TransientError>) -> Attractor {
    let (events, closest) = match outcome {
        Err(TransientError::Restless { events, closest, .. } | TransientError::Laborious { events, closest, .. }) => {
            (events, closest)
        }
        _ => return wanders,
    };
    if wanders.kind != AttractorKind::Undecided || !(wanders.message.is_empty() || wanders.message.starts_with(LONG)) {
        return wanders;
    }
    let longest = TransientOptions::default().longest_word;
    Attractor {
        message: format!(
            "{LONG} {events} events, in rounds of up to {longest} (its nearest return is {closest:.1e} off), and \
             neighbours neither separate nor stay apart: its transient is long, or its rounds are longer; raise `events`, \
             or look at its points in an `OrbitDiagram`"
        ),
        ..wanders
    }
}

/// Does a motion go round a torus for sure: neighbours neither separate nor approach each other, and its returns are
/// further apart than those of a long transient?
fn is_plain_torus<T>(wanders: &Attractor, outcome: &Result<T, TransientError>) -> bool {
    /// What decays by a factor of ten in as many events as are waited for, and no sooner, comes back nearer.
    const APART: f64 = 5e-3;
    let (Err(TransientError::Restless { closest, .. }) | Err(TransientError::Laborious { closest, .. })) = outcome
    else {
        return false;
    };
    matches!(wanders.kind, AttractorKind::Torus) && *closest > APART
}

/// Is what a motion settled to a point that it turns about ever more slowly, with any period, even one below zero? A
/// forced motion at rest is an orbit.
fn is_point(system: &System, record: &Record) -> bool {
    /// The extent, relative to the states, that location leaves of a point.
    const POINT: f64 = 1e-7;
    let forced = (0..system.modes.len()).any(|mode| forcing_phase(system, mode).is_some());
    let extremes = || record.monitors.chunks_exact(3).take(system.states.len());
    let largest = extremes().fold(0.0f64, |m, e| m.max(e[0]));
    record.period <= 0.0 || (!forced && extremes().all(|e| e[1] - e[2] <= POINT * largest))
}

/// Did two motions settle to the same orbit, so plainly that neither has to be corrected to see it?
fn repeats(a: &AttractingOrbit, b: &AttractingOrbit) -> bool {
    /// Far above what settling leaves, far below what tells orbits apart.
    const NEAR: f64 = 1e-6;
    let near = |x: &f64, y: &f64| (x - y).abs() <= NEAR * (x.abs() + y.abs()).min(1.0);
    a.word == b.word
        && a.symmetric == b.symmetric
        && near(&a.period, &b.period)
        && a.durations.iter().zip(&b.durations).all(|(x, y)| near(x, y))
        && a.starts
            .iter()
            .flatten()
            .zip(b.starts.iter().flatten())
            .all(|(x, y)| x == y || near(x, y))
}

/// Names of the monitors of orbits: those of any word, or of cycles of any length.
pub(crate) fn monitors(system: &System, sweep: &AttractorsPlan) -> Vec<String> {
    if system.is_map() {
        return FixedPoint::cycle(
            system,
            system.start.mode(),
            1,
            sweep.parameters.clone(),
            vec![sweep.sweep],
        )
        .monitor_names();
    }
    let word = Word {
        letters: vec![Letter {
            mode: system.start.mode(),
            event: None,
        }],
        symmetric: false,
    };
    problem(system, word, sweep, &sweep.parameters).monitor_names()
}

/// The shortest orbit that a motion settled to, corrected and measured.
fn corrected_least(
    system: &System,
    sweep: &AttractorsPlan,
    p: &[f64],
    attracting: AttractingOrbit,
) -> Option<(AttractingOrbit, Known, Record)> {
    let attracting = least(system, attracting, p, sweep.sweep, sweep.flow);
    let (known, record) = corrected(system, sweep, p, &attracting)?;
    Some((attracting, known, record))
}

/// The orbit that a motion settled to, corrected and measured.
fn corrected(
    system: &System,
    sweep: &AttractorsPlan,
    p: &[f64],
    attracting: &AttractingOrbit,
) -> Option<(Known, Record)> {
    let word = Word {
        letters: attracting
            .word
            .iter()
            .map(|&(mode, event)| Letter { mode, event })
            .collect(),
        symmetric: attracting.symmetric,
    };
    let mut orbit = problem(system, word.clone(), sweep, p);
    let z = solved(&mut orbit, attracting, p[sweep.sweep])?;
    let invariants = orbit.invariants(&z);
    let record = measured(&mut orbit, z)?;
    let round = Round::of(attracting, system, p);
    Some((
        Known {
            word,
            invariants,
            round,
        },
        record,
    ))
}
