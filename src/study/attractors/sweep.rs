//! The sweep: settle from many initial states at each value, tell the attractors apart, and look for them on the traced curves.

use super::motion::rounds;
use super::plan::AttractorsPlan;
use super::rest::extents;
use super::{Attractor, AttractorKind, AttractorsResult};
use crate::bifurcation::{Inspect, Record};
use crate::continuation::{Newton, NewtonOptions, Point};
use crate::flow::{SettleError, SettleOptions, Settled, SettledOrbit, settle};
use crate::orbit::{Letter, PeriodicOrbit, Word};
use crate::study::checkpoint::PartsLog;
use crate::study::follow::passes_through;
use crate::study::plan::Plan;
use crate::study::run::CurveResult;
use crate::study::starts::search_region;
use crate::system::System;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};

/// A settled motion as a zero of its equations.
struct Known {
    word: Word,
    ends: Vec<Vec<f64>>,
}

/// Run one sweep, in parallel over the values; `curves` are the traced curves, `log` what is known of the values already. Same results for any number of threads.
pub(crate) fn run_attractors(
    plan: &Plan,
    sweep: &AttractorsPlan,
    curves: &[CurveResult],
    stop: &AtomicBool,
    log: &PartsLog<'_>,
) -> AttractorsResult {
    let system = &plan.systems[sweep.system].system;
    let monitors = monitors(system, sweep);
    let compared: Vec<&CurveResult> = curves.iter().filter(|c| shows(c, sweep, system)).collect();
    let by_value: Vec<Vec<Attractor>> = sweep
        .values
        .par_iter()
        .enumerate()
        .map(|(k, &value)| {
            if stop.load(Ordering::Relaxed) {
                return vec![];
            }
            log.remember(k, stop, || at_value(system, sweep, k, value, monitors.len(), &compared))
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
pub(super) fn belongs(curve: &str, name: &str) -> bool {
    curve
        .strip_prefix(name)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

/// Names of the monitors of orbits: those of any word.
fn monitors(system: &System, sweep: &AttractorsPlan) -> Vec<String> {
    let word = Word {
        letters: vec![Letter {
            mode: system.start.0,
            event: None,
        }],
        symmetric: false,
    };
    problem(system, word, sweep, &sweep.parameters).monitors()
}

fn problem<'s>(system: &'s System, word: Word, sweep: &AttractorsPlan, p: &[f64]) -> PeriodicOrbit<'s> {
    PeriodicOrbit::new(system, word, p.to_vec(), vec![sweep.sweep], sweep.flow)
}

/// Everything at one value of the parameter, orbits first, in the order in which the initial states came to them.
fn at_value(
    system: &System,
    sweep: &AttractorsPlan,
    k: usize,
    value: f64,
    width: usize,
    curves: &[&CurveResult],
) -> Vec<Attractor> {
    let mut p = sweep.parameters.clone();
    p[sweep.sweep] = value;
    let region = search_region(system, &p, &sweep.region, sweep.flow);
    let options = SettleOptions {
        max_events: sweep.events,
        tolerance: 1e-8,
        flow: sweep.flow,
        ..SettleOptions::default()
    };
    let mut orbits: Vec<(Known, Attractor)> = vec![];
    let mut others: Vec<Attractor> = vec![];
    for i in 0..sweep.starts {
        let Some((mode, x)) = initial(system, sweep, &region, &p, (k, i)) else {
            continue;
        };
        let plain = |kind: AttractorKind, rows: Vec<Vec<f64>>, message: String| Attractor {
            value,
            kind,
            starts: 1,
            rows,
            curve: None,
            message,
            settled: None,
        };
        let other = match settle(system, mode, &x, &p, &options) {
            Ok(Settled::Orbit(settled)) => match corrected(system, sweep, &p, &settled) {
                Some((known, record)) => {
                    let same = |other: &Known| {
                        other.word == known.word
                            && problem(system, known.word.clone(), sweep, &p).match_ends(&other.ends, &known.ends, 1e-6)
                    };
                    if let Some((_, attractor)) = orbits.iter_mut().find(|(o, _)| same(o)) {
                        attractor.starts += 1;
                    } else {
                        let kind = AttractorKind::Orbit {
                            word: known.word.describe(system),
                            period: record.period,
                        };
                        let mut attractor = plain(kind, vec![record.monitors.clone()], String::new());
                        attractor.curve = on_curve(system, sweep, value, &settled, curves);
                        attractor.settled = Some(settled);
                        orbits.push((known, attractor));
                    }
                    continue;
                }
                None => plain(
                    AttractorKind::Unsettled,
                    vec![],
                    "the motion nearly repeats itself, but no orbit was found there".into(),
                ),
            },
            Ok(Settled::Rest { mode, state }) => at_rest(system, mode, &state, &p, width, sweep, plain),
            Err(SettleError::Restless { .. }) => match rounds(system, mode, &x, &p, sweep.flow) {
                Ok(rounds) => {
                    let rows = rounds.extremes.iter().map(|r| row(system, r, width)).collect();
                    /// An exponent that is this large shows itself within the rounds followed.
                    const POSITIVE: f64 = 0.01;
                    let kind = if rounds.exponent > POSITIVE {
                        AttractorKind::Chaos {
                            exponent: rounds.exponent,
                        }
                    } else {
                        AttractorKind::Unsettled
                    };
                    plain(kind, rows, String::new())
                }
                Err(e) => plain(AttractorKind::Lost, vec![], e.to_string()),
            },
            Err(e) => plain(AttractorKind::Lost, vec![], e.to_string()),
        };
        // States of rest of one mode are one continuum when they have the same ends; motions without a period are counted together.
        let same = |a: &Attractor| match (&a.kind, &other.kind) {
            (AttractorKind::Rest { .. }, AttractorKind::Rest { .. }) => {
                a.kind == other.kind && close(&a.rows, &other.rows)
            }
            (AttractorKind::Chaos { .. }, AttractorKind::Chaos { .. })
            | (AttractorKind::Unsettled, AttractorKind::Unsettled) => overlap(&a.rows, &other.rows),
            (AttractorKind::Lost, AttractorKind::Lost) => true,
            _ => false,
        };
        match others.iter_mut().find(|a| same(a)) {
            Some(a) => a.starts += 1,
            None => others.push(other),
        }
    }
    orbits.into_iter().map(|(_, a)| a).chain(others).collect()
}

/// Do rows agree as well as settled motions do?
fn close(a: &[Vec<f64>], b: &[Vec<f64>]) -> bool {
    let near = |x: &f64, y: &f64| (x - y).abs() <= 1e-6 * (1.0 + x.abs()) || x == y || (x.is_nan() && y.is_nan());
    a.len() == b.len() && a.iter().flatten().zip(b.iter().flatten()).all(|(x, y)| near(x, y))
}

/// Do two motions without a period, each told by rows of extremes, fill much the same intervals? Mirror images, and others apart from each other, do not.
fn overlap(a: &[Vec<f64>], b: &[Vec<f64>]) -> bool {
    let range = |rows: &[Vec<f64>], i: usize| {
        let values = rows.iter().map(|r| r[i]);
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(v), hi.max(v)))
    };
    let (Some(first), Some(_)) = (a.first(), b.first()) else {
        return a.len() == b.len();
    };
    (0..first.len()).filter(|&i| !first[i].is_nan()).all(|i| {
        let ((a0, a1), (b0, b1)) = (range(a, i), range(b, i));
        let common = a1.min(b1) - a0.max(b0);
        common >= 0.5 * (a1 - a0).min(b1 - b0)
    })
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
        return plain(kind, vec![row(system, &full(state), width)], String::new());
    }
    let mut rows = vec![];
    let mut said = vec![];
    for (index, low, high) in continua {
        said.push(format!("{low} < {} < {high}", system.states[index].name));
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

/// A random state in a mode that it can start in.
fn initial(
    system: &System,
    sweep: &AttractorsPlan,
    region: &[(f64, f64)],
    p: &[f64],
    (k, i): (usize, usize),
) -> Option<(usize, Vec<f64>)> {
    let mut random = ChaCha8Rng::seed_from_u64(sweep.seed);
    random.set_stream((k * sweep.starts + i) as u64);
    let first = random.random_range(0..system.modes.len());
    for _ in 0..20 {
        let full: Vec<f64> = system
            .states
            .iter()
            .zip(region)
            .map(|(s, &(lo, hi))| {
                let (lo, hi) = s.period.map_or((lo, hi), |period| (0.0, period));
                lo + random.random::<f64>() * (hi - lo)
            })
            .collect();
        for m in 0..system.modes.len() {
            let mode = (first + m) % system.modes.len();
            let x: Vec<f64> = system.modes[mode].states.iter().map(|&s| full[s]).collect();
            if fits(system, mode, &x, p) {
                return Some((mode, x));
            }
        }
    }
    None
}

/// Does a state lie on the inner side of all surfaces of a mode?
fn fits(system: &System, mode: usize, x: &[f64], p: &[f64]) -> bool {
    let m = &system.modes[mode];
    let value = |f: &crate::system::SharedFunction| {
        let mut v = [0.0];
        f.value(x, p, &mut v);
        v[0]
    };
    m.events.iter().all(|e| e.direction.sign() * value(&e.guard) < 0.0)
        && m.inequalities.iter().all(|i| value(&i.function) > 0.0)
}

/// The orbit that a motion settled to, corrected and measured.
fn corrected(system: &System, sweep: &AttractorsPlan, p: &[f64], settled: &SettledOrbit) -> Option<(Known, Record)> {
    let word = Word {
        letters: settled
            .word
            .iter()
            .map(|&(mode, event)| Letter { mode, event })
            .collect(),
        symmetric: settled.symmetric,
    };
    let mut orbit = problem(system, word.clone(), sweep, p);
    let z = solved(&mut orbit, settled, p[sweep.sweep])?;
    let ends = orbit.ends(&z);
    let n = z.len();
    let point = Point {
        tangent: vec![0.0; n],
        weights: vec![1.0; n],
        meshes: None,
        z,
    };
    let mut record = Record::default();
    orbit.inspect(&point, &mut record).ok()?;
    Some((Known { word, ends }, record))
}

/// The unknowns of a settled orbit in the word of `orbit`, corrected at this value of the parameter.
pub(super) fn solved(orbit: &mut PeriodicOrbit<'_>, settled: &SettledOrbit, value: f64) -> Option<Vec<f64>> {
    let mut z = orbit.adopt(settled).ok()?;
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
pub(super) fn on_curve(
    system: &System,
    sweep: &AttractorsPlan,
    value: f64,
    settled: &SettledOrbit,
    curves: &[&CurveResult],
) -> Option<String> {
    let mut p = sweep.parameters.clone();
    p[sweep.sweep] = value;
    for curve in curves {
        for piece in &curve.pieces {
            let word = if piece.word.is_empty() {
                word_of(settled)
            } else {
                Word::parse(&piece.word, piece.word.ends_with("| mirrored"), system).ok()?
            };
            let mut orbit = problem(system, word, sweep, &p);
            let Some(z) = solved(&mut orbit, settled, value) else {
                continue;
            };
            let ends = orbit.ends(&z);
            if passes_through(&mut orbit, &piece.branch, &ends, value) {
                return Some(curve.name.clone());
            }
        }
    }
    None
}

/// The word of a settled orbit.
pub(super) fn word_of(settled: &SettledOrbit) -> Word {
    Word {
        letters: settled
            .word
            .iter()
            .map(|&(mode, event)| Letter { mode, event })
            .collect(),
        symmetric: settled.symmetric,
    }
}
