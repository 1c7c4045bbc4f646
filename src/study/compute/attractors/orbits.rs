//! What motions of flows settle to: orbits, each corrected and compared with the others, states of rest, and motions
//! that do not repeat.

use crate::compute::attractors::census::{Census, Entry};
use crate::compute::attractors::comparing::on_curve;
use crate::compute::attractors::explorer::Explorer;
use crate::compute::attractors::exponents::{Wandering, of_motion, of_record, wandering};
use crate::compute::attractors::least::least;
use crate::compute::attractors::motion::rounds;
use crate::compute::attractors::problem::{problem, solved};
use crate::compute::attractors::recognition::{Place, Recognition, Round};
use crate::compute::attractors::rest::extents;
use crate::compute::attractors::units::orbit_in_own;
use crate::compute::family::Family;
use crate::plan::attractors::AttractorsPlan;
use crate::plan::study::Plan;
use crate::results::attractors::{Attractor, AttractorKind};
use crate::results::curve::CurveResult;
use slipstick_bifurcation::{Inspect, Record};
use slipstick_continuation::Point;
use slipstick_flow::{
    AfterTransient, AttractingOrbit, TransientError, TransientOptions, run_transient, run_transient_unless,
};
use slipstick_orbit::{FixedPoint, Letter, SAME_ORBIT, Word};
use slipstick_system::System;

/// An exponent that is larger than this shows itself within the rounds followed.
const POSITIVE: f64 = 0.01;

/// A transient along which neighbours do not separate may have so many times as many events as others.
const PATIENT: usize = 10;

/// A motion that has not come to rest is followed for so many times as long.
const SLOW: f64 = 100.0;

/// A settled motion as a zero of its equations.
pub(crate) struct Known {
    word: Word,
    invariants: Vec<Vec<f64>>,
    /// None without events.
    round: Option<Round>,
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
                max_events: sweep.events,
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
        let mut rounds = match rounds(system, mode, x, p, sweep.flow, sweep.exponents.max(2)) {
            Ok(rounds) => rounds,
            Err(e) => return (plain(AttractorKind::Lost, vec![], e.to_string()), Place::default()),
        };
        let kind = match wandering(system, (mode, x), p, &mut rounds.exponents, POSITIVE) {
            Wandering::Chaos(exponent) => AttractorKind::Chaos { exponent },
            Wandering::Torus => AttractorKind::Torus,
            Wandering::Undecided => AttractorKind::Undecided,
        };
        let rows = rounds.extremes.iter().map(|r| row(system, r, self.width)).collect();
        let mut attractor = plain(kind, rows, String::new());
        attractor.exponents = rounds.exponents.into_iter().take(sweep.exponents).collect();
        (attractor, rounds.place)
    }

    /// The orbit that a motion settled to, entered into the census; none if there is none that attracts.
    fn enter(&self, attracting: AttractingOrbit, census: &mut Census<Known>) -> Option<Entry> {
        let Self {
            system, sweep, ref p, ..
        } = *self;
        if let Some(entry) =
            census.meet_orbit(|_, known| known.attracting.as_ref().is_some_and(|k| repeats(k, &attracting)))
        {
            return Some(entry);
        }
        let (attracting, known, record) = corrected_least(system, sweep, p, attracting)?;
        // A chaotic motion that happened to come by an orbit again: nothing stays there.
        if record.unstable > 0 {
            return None;
        }
        if let Some(entry) = census.meet_orbit(|other, _| self.same(other, &known)) {
            return Some(entry);
        }
        let kind = AttractorKind::Orbit {
            word: known.word.describe(system),
            period: record.period,
        };
        let mut attractor = census.attractor(kind, vec![record.monitors.clone()], String::new());
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
        Some(census.enter_orbit(known, attractor))
    }
}

impl Explorer for Motions<'_> {
    type Key = Known;

    fn follow(&self, mode: usize, x: &[f64], census: &mut Census<Known>) -> Entry {
        let Self {
            system,
            sweep,
            ref p,
            width,
            ..
        } = *self;
        let value = self.value;
        // How large the motion is at least.
        let size = x.iter().fold(0.0, |size: f64, v| size.max(v.abs()));
        let plain = |kind, rows, message| Census::<Known>::one(value, kind, rows, message);
        let rounds = census
            .orbits()
            .filter_map(|(key, entry)| Some((key.round.as_ref()?, entry)));
        let mut recognition = Recognition::new(system, rounds, census.places());
        let outcome = run_transient_unless(system, mode, x, p, &self.options, &mut |event| {
            recognition.passes(event)
        });
        let recognised = recognition.found;
        let mut outcome = match outcome {
            Ok(Some(found)) => Ok(found),
            Err(e) => Err(e),
            Ok(None) => match recognised {
                Some(entry) => {
                    census.count(entry);
                    return entry;
                }
                None => run_transient(system, mode, x, p, &self.options),
            },
        };
        if let Err(TransientError::Restless { .. }) = outcome {
            let (wanders, place) = self.wanders(mode, x);
            if !matches!(wanders.kind, AttractorKind::Torus | AttractorKind::Undecided) {
                let entry = census.enter_other(wanders);
                census.locate(entry, place);
                return entry;
            }
            // Neighbours do not separate: the transient may just be long.
            let patient = TransientOptions {
                max_events: PATIENT * self.options.max_events,
                ..self.options.clone()
            };
            outcome = run_transient(system, mode, x, p, &patient);
            if let Err(TransientError::Restless { .. }) = outcome {
                return census.enter_other(wanders);
            }
        }
        if let Ok(AfterTransient::Rest { mode, state }) = &outcome
            && moves(system, (*mode, state), size, p)
            && equilibrium_near(system, (*mode, state), size, p, sweep).is_none()
        {
            // Slow beside the fastest rate, it goes on to somewhere else.
            let longer = TransientOptions {
                longest_segment: SLOW * self.options.longest_segment,
                ..self.options.clone()
            };
            outcome = run_transient(system, *mode, state, p, &longer);
        }
        let other = match outcome {
            Ok(AfterTransient::Orbit(attracting)) => match self.enter(attracting, census) {
                Some(entry) => return entry,
                None => match self.wanders(mode, x).0 {
                    wanders if matches!(wanders.kind, AttractorKind::Chaos { .. }) => wanders,
                    _ => plain(
                        AttractorKind::Undecided,
                        vec![],
                        "the motion nearly repeats itself, but no orbit that attracts was found there".into(),
                    ),
                },
            },
            Ok(AfterTransient::Rest { mode, state }) => {
                let mut attractor = at_rest(system, (mode, &state), p, (width, size), sweep, plain);
                attractor.exponents = of_motion(system, sweep.exponents, (mode, &state), p);
                attractor
            }
            Err(e) => plain(AttractorKind::Lost, vec![], e.to_string()),
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
        return FixedPoint::cycle(system, system.start.0, 1, sweep.parameters.clone(), vec![sweep.sweep])
            .monitor_names();
    }
    let word = Word {
        letters: vec![Letter {
            mode: system.start.0,
            event: None,
        }],
        symmetric: false,
    };
    problem(system, word, sweep, &sweep.parameters).monitor_names()
}

/// The attractor made of states of rest, with the interval that they fill.
fn at_rest(
    system: &System,
    (mode, state): (usize, &[f64]),
    p: &[f64],
    (width, size): (usize, f64),
    sweep: &AttractorsPlan,
    plain: impl Fn(AttractorKind, Vec<Vec<f64>>, String) -> Attractor,
) -> Attractor {
    let kind = AttractorKind::Rest {
        mode: system.modes[mode].name.clone(),
    };
    let full = |x: &[f64]| -> Vec<(f64, f64)> { system.full_state(mode, x, p).iter().map(|&v| (v, v)).collect() };
    let continua = extents(system, mode, state, p, sweep.flow).unwrap_or_default();
    if continua.is_empty() {
        let equilibrium = equilibrium_near(system, (mode, state), size, p, sweep);
        if equilibrium.is_none() && moves(system, (mode, state), size, p) {
            let says = "the motion goes on without an event, neither coming to rest nor repeating itself: it may be unbounded, or its transient longer";
            return plain(AttractorKind::Undecided, vec![], says.into());
        }
        let state = equilibrium.unwrap_or_else(|| state.to_vec());
        return plain(kind, vec![row(system, &full(&state), width)], String::new());
    }
    let mut rows = vec![];
    let mut said = vec![];
    for (index, low, high) in continua {
        let [from, to] = [low, high].map(|v| v * system.units.state(index));
        said.push(format!("{from} < {} < {to}", system.states[index].name));
        for end in [low, high] {
            let mut x = state.to_vec();
            if let Some(i) = system.modes[mode].states.iter().position(|&s| s == index) {
                x[i] = end;
            }
            rows.push(row(system, &full(&x), width));
        }
    }
    plain(kind, rows, format!("at rest for {}", said.join(" and ")))
}

/// The equilibrium that a motion came to rest at, by Newton's method: motions that come to it from different sides stop
/// at different distances from it. None where the field vanishes nowhere near, as where an angle goes on turning.
fn equilibrium_near(
    system: &System,
    (mode, x): (usize, &[f64]),
    size: f64,
    p: &[f64],
    sweep: &AttractorsPlan,
) -> Option<Vec<f64>> {
    /// As far as motions at rest may be from it, relative to the states where they began.
    const NEAR: f64 = 1e-3;
    let mut problem = FixedPoint::equilibrium(system, mode, p.to_vec(), vec![sweep.sweep]);
    let guess = problem.guess_points(&[x.to_vec()]);
    let z = problem.corrected(guess).ok()?;
    let found = problem.points(&z).into_iter().next()?;
    let size = x.iter().fold(size, |size: f64, v| size.max(v.abs()));
    let near = x
        .iter()
        .zip(&found)
        .all(|(a, b)| (a - b).abs() <= NEAR * (size + b.abs()));
    near.then_some(found)
}

/// Would a motion that was taken for one at rest, but is near no equilibrium, go on to somewhere else within the time
/// that was waited?
fn moves(system: &System, (mode, x): (usize, &[f64]), size: f64, p: &[f64]) -> bool {
    /// What counts as somewhere else, relative to the states.
    const FAR: f64 = 1e-3;
    let own = &system.modes[mode];
    let mut rates = vec![0.0; x.len()];
    own.field.value(x, p, &mut rates);
    let time = TransientOptions::default().longest_segment;
    let size = x.iter().fold(size, |size: f64, v| size.max(v.abs()));
    let straight = |s: &usize| system.states[*s].period.is_none();
    let mut states = own.states.iter().zip(rates).filter(|(s, _)| straight(s));
    states.any(|(_, rate)| !(rate.abs() * time <= FAR * size))
}

/// The extremes of the states as the first monitors of an orbit are made of them; the rest is left open.
fn row(system: &System, extremes: &[(f64, f64)], width: usize) -> Vec<f64> {
    let mut row = vec![];
    for (state, &(low, high)) in system.states.iter().zip(extremes) {
        if state.period.is_none() {
            row.extend([low.abs().max(high.abs()), high, low]);
        }
    }
    row.resize(width, f64::NAN);
    row
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
    let n = z.len();
    let point = Point {
        tangent: vec![0.0; n],
        weights: vec![1.0; n],
        meshes: None,
        z,
    };
    let mut record = Record::default();
    orbit.inspect(&point, &mut record).ok()?;
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
