//! Forced orbits that rest at zero all along, as a pendulum does whose support moves up and down.
//!
//! Zero is a solution exactly, with and without eigenvectors beside it. What rounding leaves of the states instead is
//! multiplied from point to point, and comes to numbers whose products are none.

use super::PeriodicOrbit;
use super::invariant_planes::clear;
use super::sizes::least_sizes;

/// States smaller than this part of the sizes that count beside rest are rounding, where the curve leads away from zero
/// by less than the second part in a unit of its length.
const ROUNDING: f64 = 1e-12;
const LEAVES: f64 = 1e-6;
/// The field is looked at so often in a period.
const TIMES: usize = 8;

/// Put points of a curve, each with its tangent, at rest where their orbits rest at zero but for rounding. Returns
/// whether anything changed.
pub(super) fn come_to_rest(orbit: &PeriodicOrbit<'_>, companions: &mut [(&mut Vec<f64>, &mut Vec<f64>)]) -> bool {
    let (Some(least), Some(first)) = (least_sizes(orbit), orbit.segments.first()) else {
        return false;
    };
    let mode = &orbit.system.modes[first.mode];
    let straight = |c: &usize| orbit.system.states[mode.states[*c]].period.is_none();
    let states: Vec<usize> = (0..first.n / (1 + orbit.vectors)).filter(straight).collect();
    let most = |v: &[f64], c: usize| {
        let along = orbit.segments.iter().flat_map(|s| {
            let block = v[s.block()].iter().skip(c).step_by(s.n);
            block.chain([&v[s.offset + c]])
        });
        along.fold(0.0f64, |most, v| most.max(v.abs()))
    };
    let is_zero = |v: &[f64]| states.iter().all(|&c| most(v, c) == 0.0);
    let rounds = |v: &[f64], part: f64| states.iter().all(|&c| most(v, c) <= part * least[mode.states[c]]);
    let mut changed = false;
    for (z, tangent) in companions {
        let at_rest = is_zero(z) && is_zero(tangent);
        if at_rest || !rounds(z, ROUNDING) || !rounds(tangent, LEAVES) || !is_solution(orbit, z) {
            continue;
        }
        for &c in &states {
            clear(orbit, z, c);
            clear(orbit, tangent, c);
        }
        changed = true;
    }
    changed
}

/// Does the field vanish at zero at all times, at the parameters of this point?
fn is_solution(orbit: &PeriodicOrbit<'_>, z: &[f64]) -> bool {
    let p = orbit.parameters_at(z);
    orbit.segments.iter().all(|s| {
        let mode = &orbit.system.modes[s.mode];
        let mut f = vec![0.0; s.n];
        (0..TIMES).all(|time| {
            let periods = mode.states.iter().map(|&state| orbit.system.states[state].period);
            let turn = time as f64 / TIMES as f64;
            let x: Vec<f64> = periods
                .map(|period| period.map_or(0.0, |period| turn * period))
                .collect();
            mode.field.value(&x, &p, &mut f);
            let own = f.iter().zip(&mode.states).take(s.n / (1 + orbit.vectors));
            own.into_iter()
                .all(|(f, &state)| *f == 0.0 || orbit.system.states[state].period.is_some())
        })
    })
}
