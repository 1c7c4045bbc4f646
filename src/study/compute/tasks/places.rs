//! Of attractors: how many turns of the forcing they take, and where they meet the plane of initial states.

use crate::compute::attractors::orbits::monitors;
use crate::plan::attractors::AttractorsPlan;
use crate::results::attractors::{Attractor, AttractorKind};
use slipstick_flow::{Section, SectionOptions, section_points};
use slipstick_system::System;

/// More points than these of one attractor are not listed.
const MOST: usize = 64;

/// The phase of the forcing, if there is one, and the time in which it turns once, from the states of a mode.
fn forcing(system: &System, (mode, x): (usize, &[f64]), p: &[f64]) -> Option<(usize, f64)> {
    let Section::Phase { angle, .. } = Section::natural(system, p) else {
        return None;
    };
    let own = &system.modes[mode];
    let place = own.states.iter().position(|&s| s == angle)?;
    let mut rates = vec![0.0; x.len()];
    own.field.value(x, p, &mut rates);
    let turn = (system.states[angle].period? / rates[place]).abs();
    turn.is_finite().then_some((angle, turn))
}

/// After how many turns of the forcing, of a map iterates, an orbit repeats itself; no number of other motions.
pub(super) fn turns(system: &System, p: &[f64], attractor: &Attractor) -> f64 {
    let AttractorKind::Orbit { period, .. } = attractor.kind else {
        return f64::NAN;
    };
    if system.is_map() {
        return period;
    }
    let orbit = attractor.attracting.as_ref();
    let start = orbit.and_then(|orbit| Some((orbit.word.first()?.0, orbit.starts.first()?)));
    let turn = start.and_then(|(mode, x)| forcing(system, (mode, x), p));
    turn.map_or(f64::NAN, |(_, turn)| (period / turn).round())
}

/// The states of an attractor in the plane of initial states `from`: the points of a cycle of a map, a forced orbit at
/// the phase of the plane, an equilibrium.
pub(super) fn places(system: &System, sweep: &AttractorsPlan, from: &[f64], attractor: &Attractor) -> Vec<Vec<f64>> {
    let n = system.states.len();
    match &attractor.kind {
        AttractorKind::Orbit { .. } if system.is_map() => {
            let rows = attractor.rows.iter().take(MOST);
            rows.filter_map(|row| row.get(..n).map(<[f64]>::to_vec)).collect()
        }
        AttractorKind::Orbit { period, .. } => {
            let p = &sweep.parameters;
            let start = attractor.attracting.as_ref();
            let Some((mode, x)) = start.and_then(|orbit| Some((orbit.word.first()?.0, orbit.starts.first()?))) else {
                return vec![];
            };
            let Some((angle, turn)) = forcing(system, (mode, x), p) else {
                return vec![];
            };
            let section = Section::Phase {
                angle,
                phase: from[angle],
            };
            let options = SectionOptions {
                skip: 0,
                count: ((period / turn).round() as usize).clamp(1, MOST),
                longest: 2.0 * turn,
                policy: sweep.policy,
                flow: sweep.flow,
            };
            let run = section_points(system, &section, (mode, x), p, &options);
            run.map_or_else(
                |_| vec![],
                |run| run.points.into_iter().map(|point| point.states).collect(),
            )
        }
        AttractorKind::Rest { .. } => at_rest(system, sweep, attractor),
        _ => vec![],
    }
}

/// The states of an equilibrium, or of the ends of a continuum of states of rest.
pub(super) fn at_rest(system: &System, sweep: &AttractorsPlan, attractor: &Attractor) -> Vec<Vec<f64>> {
    let names = monitors(system, sweep);
    let value = |row: &[f64], state: &str| {
        let at = names.iter().position(|name| *name == format!("{state}_max"));
        at.and_then(|at| row.get(at).copied()).unwrap_or(f64::NAN)
    };
    let states = |row: &Vec<f64>| system.states.iter().map(|s| value(row, &s.name)).collect();
    attractor.rows.iter().map(states).collect()
}
