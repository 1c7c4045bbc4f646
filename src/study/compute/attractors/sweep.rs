//! The sweep: settle from many initial states at each value, tell the attractors apart, and look for them on the traced
//! curves.

use crate::checkpoint::log::NumberedLog;
use crate::compute::attractors::census::Census;
use crate::compute::attractors::cycles::cycles_at;
use crate::compute::attractors::initial::initial;
use crate::compute::attractors::least::least;
use crate::compute::attractors::motion::rounds;
use crate::compute::attractors::rest::extents;
use crate::compute::family::Family;
use crate::compute::passing::passes_through;
use crate::compute::region::search_region;
use crate::plan::attractors::AttractorsPlan;
use crate::plan::entries::CurvePlan;
use crate::plan::study::Plan;
use crate::results::attractors::{Attractor, AttractorKind, AttractorsResult};
use crate::results::curve::{CurveResult, Piece};
use crate::results::observer::Observer;
use rayon::prelude::*;
use slipstick_bifurcation::{BranchPoint, Inspect, Record};
use slipstick_continuation::{Newton, NewtonOptions, Point};
use slipstick_flow::{AfterTransient, AttractingOrbit, TransientError, TransientOptions, run_transient};
use slipstick_numerics::stop::{Scope, unless_stopped};
use slipstick_orbit::{FixedPoint, Letter, PeriodicOrbit, SAME_ORBIT, Word, adopt_itself};
use slipstick_system::System;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A settled motion as a zero of its equations.
struct Known {
    word: Word,
    invariants: Vec<Vec<f64>>,
}

/// Run one sweep, in parallel over the values; `curves` are the traced curves, `log` what is known of the values
/// already. Same results for any number of threads.
pub(crate) fn run_attractors(
    plan: &Plan,
    sweep: &AttractorsPlan,
    curves: &[&CurveResult],
    observer: &dyn Observer,
    stop: &AtomicBool,
    log: &NumberedLog<'_>,
) -> AttractorsResult {
    let done = AtomicUsize::new(0);
    let system = &plan.systems[sweep.system].system;
    let monitors = monitors(system, sweep);
    let compared: Vec<&CurveResult> = curves.iter().copied().filter(|c| shows(c, sweep, system)).collect();
    let scope = Scope::here();
    let by_value: Vec<Vec<Attractor>> = sweep
        .values
        .par_iter()
        .enumerate()
        .map(|(k, &value)| {
            if stop.load(Ordering::Relaxed) {
                return vec![];
            }
            let found = || {
                log.remember(k, stop, || {
                    if system.is_map() {
                        cycles_at(system, sweep, k, value, &compared, stop)
                    } else {
                        at_value(plan, sweep, (k, value), monitors.len(), &compared, stop)
                    }
                })
            };
            let found = scope.enter(|| unless_stopped(found)).unwrap_or_default();
            let so_far = done.fetch_add(1, Ordering::Relaxed) + 1;
            observer.work_done(&sweep.name, so_far, sweep.values.len());
            found
        })
        .collect();
    let found: Vec<Attractor> = by_value.into_iter().flatten().collect();
    let mut result = AttractorsResult {
        name: sweep.name.clone(),
        system: sweep.system,
        parameter: system.parameters[sweep.sweep].name.clone(),
        monitors,
        starts: sweep.starts,
        found,
        missing: vec![],
    };
    result.name_missing();
    result
}

/// Is the curve one of those that the sweep is compared with?
fn shows(curve: &CurveResult, sweep: &AttractorsPlan, system: &System) -> bool {
    curve.system == Some(sweep.system)
        && curve.free == system.parameters[sweep.sweep].name
        && (sweep.compare.is_empty() || sweep.compare.iter().any(|name| belongs(&curve.name, name)))
}

/// Is it the curve `name`, one of the others that its entry gave, or a branch of it?
pub(crate) fn belongs(curve: &str, name: &str) -> bool {
    curve
        .strip_prefix(name)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

/// Names of the monitors of orbits: those of any word, or of cycles of any length.
fn monitors(system: &System, sweep: &AttractorsPlan) -> Vec<String> {
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

fn problem<'s>(system: &'s System, word: Word, sweep: &AttractorsPlan, p: &[f64]) -> PeriodicOrbit<'s> {
    PeriodicOrbit::new(system, word, p.to_vec(), vec![sweep.sweep], sweep.flow)
}

/// Everything at one value of the parameter, orbits first, in the order in which the initial states came to them.
fn at_value(
    plan: &Plan,
    sweep: &AttractorsPlan,
    (k, value): (usize, f64),
    width: usize,
    curves: &[&CurveResult],
    stop: &AtomicBool,
) -> Vec<Attractor> {
    let system = &plan.systems[sweep.system].system;
    let mut p = sweep.parameters.clone();
    p[sweep.sweep] = value;
    let region = search_region(system, &p, &sweep.region, sweep.flow);
    let options = TransientOptions {
        max_events: sweep.events,
        tolerance: 1e-8,
        flow: sweep.flow,
        ..TransientOptions::default()
    };
    let mut census = Census::new(value, usize::MAX);
    for i in 0..sweep.starts {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let Some((mode, x)) = initial(system, sweep, &region, &p, (k, i)) else {
            continue;
        };
        let plain = |kind, rows, message| census.attractor(kind, rows, message);
        let other = match run_transient(system, mode, &x, &p, &options) {
            Ok(AfterTransient::Orbit(attracting)) => match corrected_least(system, sweep, &p, attracting) {
                Some((attracting, known, record)) => {
                    let same = |other: &Known| {
                        other.word == known.word
                            && problem(system, known.word.clone(), sweep, &p).same(
                                &other.invariants,
                                &known.invariants,
                                SAME_ORBIT,
                            )
                    };
                    if !census.meet_again(same) {
                        let kind = AttractorKind::Orbit {
                            word: known.word.describe(system),
                            period: record.period,
                        };
                        let mut attractor = census.attractor(kind, vec![record.monitors.clone()], String::new());
                        attractor.curve = on_curve(plan, sweep, value, &attracting, curves);
                        attractor.attracting = Some(attracting);
                        census.enter_orbit(known, attractor);
                    }
                    continue;
                }
                None => plain(
                    AttractorKind::Undecided,
                    vec![],
                    "the motion nearly repeats itself, but no orbit was found there".into(),
                ),
            },
            Ok(AfterTransient::Rest { mode, state }) => at_rest(system, mode, &state, &p, width, sweep, plain),
            Err(TransientError::Restless { .. }) => match rounds(system, mode, &x, &p, sweep.flow) {
                Ok(rounds) => {
                    let rows = rounds.extremes.iter().map(|r| row(system, r, width)).collect();
                    /// An exponent that is this large shows itself within the rounds followed.
                    const POSITIVE: f64 = 0.01;
                    let kind = if rounds.exponent > POSITIVE {
                        AttractorKind::Chaos {
                            exponent: rounds.exponent,
                        }
                    } else {
                        AttractorKind::Undecided
                    };
                    plain(kind, rows, String::new())
                }
                Err(e) => plain(AttractorKind::Lost, vec![], e.to_string()),
            },
            Err(e) => plain(AttractorKind::Lost, vec![], e.to_string()),
        };
        census.enter_other(other);
    }
    census.finish()
}

/// The attractor made of states of rest, with the interval that they fill.
fn at_rest(
    system: &System,
    mode: usize,
    state: &[f64],
    p: &[f64],
    width: usize,
    sweep: &AttractorsPlan,
    plain: impl Fn(AttractorKind, Vec<Vec<f64>>, String) -> Attractor,
) -> Attractor {
    let kind = AttractorKind::Rest {
        mode: system.modes[mode].name.clone(),
    };
    let full = |x: &[f64]| -> Vec<(f64, f64)> { system.full_state(mode, x, p).iter().map(|&v| (v, v)).collect() };
    let continua = extents(system, mode, state, p, sweep.flow).unwrap_or_default();
    if continua.is_empty() {
        let state = equilibrium_near(system, mode, state, p, sweep).unwrap_or_else(|| state.to_vec());
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
fn equilibrium_near(system: &System, mode: usize, x: &[f64], p: &[f64], sweep: &AttractorsPlan) -> Option<Vec<f64>> {
    /// As far as motions at rest may be from it, relative to the states.
    const NEAR: f64 = 1e-3;
    let mut problem = FixedPoint::equilibrium(system, mode, p.to_vec(), vec![sweep.sweep]);
    let guess = problem.guess_points(&[x.to_vec()]);
    let z = problem.corrected(guess).ok()?;
    let found = problem.points(&z).into_iter().next()?;
    let size = x.iter().fold(0.0, |size: f64, v| size.max(v.abs()));
    let near = x
        .iter()
        .zip(&found)
        .all(|(a, b)| (a - b).abs() <= NEAR * (size + b.abs()));
    near.then_some(found)
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
    Some((Known { word, invariants }, record))
}

/// The unknowns of a settled orbit in the word of `orbit`, corrected at this value of the parameter.
pub(crate) fn solved(orbit: &mut PeriodicOrbit<'_>, attracting: &AttractingOrbit, value: f64) -> Option<Vec<f64>> {
    let mut z = adopt_itself(orbit, attracting).ok()?;
    let n = z.len();
    let mut fixed = vec![0.0; n];
    fixed[n - 1] = 1.0;
    let anchor = vec![0.0; n];
    Newton::default()
        .solve(orbit, &mut z, &fixed, &anchor, &[value], &NewtonOptions::default())
        .ok()?;
    Some(z)
}

/// The curve that passes through an orbit settled to at this value of the parameter.
pub(crate) fn on_curve(
    plan: &Plan,
    sweep: &AttractorsPlan,
    value: f64,
    attracting: &AttractingOrbit,
    curves: &[&CurveResult],
) -> Option<String> {
    let system = &plan.systems[sweep.system].system;
    let mut p = sweep.parameters.clone();
    p[sweep.sweep] = value;
    // The mirror image of an orbit on a curve is on the mirror image of that curve: nothing else is to be traced. A
    // curve that passes through the orbit itself is named first.
    let images: Vec<AttractingOrbit> = std::iter::once(attracting.clone())
        .chain(attracting.mirrored(system, &p))
        .collect();
    let passed = images
        .iter()
        .flat_map(|image| curves.iter().map(move |curve| (image, curve)));
    for (image, curve) in passed {
        // Its points are on the meshes of the entry that it comes from; those that a sweep adds are traced as the first
        // of the curves compared with.
        let entry = plan.curves.iter().filter(|c| belongs(&curve.name, &c.name));
        let traced = entry
            .max_by_key(|c| c.name.len())
            .or_else(|| like(plan, sweep))
            .map(|c| &*c.discretisations);
        for piece in &curve.pieces {
            let meshed = piece.branch.points.iter().any(|p| p.point.meshes.is_some());
            let Some((word, described)) = described_on(piece, image, value, system) else {
                continue;
            };
            let mut orbit = problem(system, word.clone(), sweep, &p);
            let Some(z) = solved(&mut orbit, &described, value) else {
                continue;
            };
            let invariants = orbit.invariants(&z);
            if let Some(traced) = traced.filter(|_| meshed) {
                let free = vec![sweep.sweep];
                orbit = PeriodicOrbit::discretised(system, word, p.clone(), free, sweep.flow, traced);
            }
            if passes_through(&mut orbit, &piece.branch, &invariants, value) {
                return Some(curve.name.clone());
            }
        }
    }
    None
}

/// The word in which a piece of a curve has its orbits, and a settled orbit expressed in it as far as words without
/// events do not say how: over half a period if the piece has symmetric orbits, over several if it passes shorter ones
/// several times.
fn described_on(
    piece: &Piece,
    attracting: &AttractingOrbit,
    value: f64,
    system: &System,
) -> Option<(Word, AttractingOrbit)> {
    if !piece.word.is_empty() {
        let word = Word::parse(&piece.word, piece.word.ends_with("| mirrored"), system).ok()?;
        return Some((word, attracting.clone()));
    }
    let off = |p: &&BranchPoint| (p.point.parameter() - value).abs();
    let nearest = piece.branch.points.iter().min_by(|a, b| off(a).total_cmp(&off(b)))?;
    // Multipliers of half a period are reported of symmetric orbits only.
    let symmetric = !nearest.record.nu.is_empty();
    let word = Word {
        symmetric,
        ..word_of(attracting)
    };
    let passes = (nearest.record.period / attracting.period).round().max(1.0);
    let mut described = attracting.clone();
    described.period *= passes;
    if symmetric && passes % 2.0 == 0.0 {
        return None;
    }
    Some((word, described))
}

/// The first of the curves that the sweep is compared with.
pub(crate) fn like<'p>(plan: &'p Plan, sweep: &AttractorsPlan) -> Option<&'p CurvePlan> {
    plan.curves.iter().find(|c| {
        let named = sweep.compare.is_empty() || sweep.compare.iter().any(|name| belongs(&c.name, name));
        let map = plan.systems[sweep.system].system.is_map();
        c.system == sweep.system && c.free == sweep.sweep && (map || c.object.word().is_some()) && named
    })
}

/// The word of a settled orbit.
pub(crate) fn word_of(attracting: &AttractingOrbit) -> Word {
    Word {
        letters: attracting
            .word
            .iter()
            .map(|&(mode, event)| Letter { mode, event })
            .collect(),
        symmetric: attracting.symmetric,
    }
}
