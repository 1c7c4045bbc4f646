//! Cycles with events that end as closed orbits of one mode, which fill a continuum.
//!
//! Where the equilibrium of a linear sliding mode has a pair of imaginary eigenvalues, closed orbits surround it, up to
//! the largest one that stays within the sliding region. A cycle that leaves the surface and comes back tends to that
//! largest one as the parameter comes to this value: what it leaves the surface for vanishes, whichever side it is on,
//! its period tends to that of the pair and a multiplier to +1. On the way beyond the value no cycle is left. All of it
//! is known from the equilibrium; the equations of the cycle lose their digits there.
//!
//! Reference: M. di Bernardo, C. J. Budd, A. R. Champneys, P. Kowalczyk, *Piecewise-smooth Dynamical Systems*, Springer
//! (2008), ch. 8.

use crate::periodic::PeriodicOrbit;
use crate::rest;
use crate::vanishing::{Near, Rest, hopf_point};
use crate::vanishing_at_guard::{centres, may_vanish, starts};
use slipstick_bifurcation::{BranchPoint, Label, Record};
use slipstick_continuation::{Point, Problem};
use slipstick_floquet::Multiplier;
use slipstick_numerics::number::exact;
use slipstick_system::ModeKind;
use std::f64::consts::TAU;

/// Segments of this part of the period vanish.
const SHORT: f64 = 1e-2;
/// The place and the period of a cycle whose last segments vanish agree to this with those of the equilibrium, relative
/// to their sizes: both differ by the fourth power of what is left of the segments.
const PLACE: f64 = 1e-7;
const PERIOD: f64 = 1e-6;
/// Parameters are resolved to this part of their size.
const RESOLUTION: f64 = 1e-10;

/// The end of the curve next to the cycle `last`, whose last segments outside one mode vanish, at the value at which an
/// equilibrium of that mode has a pair of imaginary eigenvalues; none where that is not so.
pub(super) fn closed_in_one_mode(
    orbit: &mut PeriodicOrbit<'_>,
    (last, record): (&Point, &Record),
) -> Option<BranchPoint> {
    if !may_vanish(orbit) || orbit.vectors > 0 {
        return None;
    }
    orbit.restore(&last.meshes);
    orbit.take_parameters(&last.z);
    let (z, period) = (&last.z, record.period);
    let count = orbit.segments.len();
    let (gone, lasting): (Vec<usize>, Vec<usize>) =
        (0..count).partition(|&k| orbit.duration(z, k).abs() <= SHORT * period);
    let mode = orbit.segments[*lasting.first().filter(|_| !gone.is_empty())?].mode;
    // In a mode of free motion the continuum is itself a family of cycles that can be followed.
    let slides = orbit.system.modes[mode].kind == ModeKind::Stick;
    if !slides
        || lasting.iter().any(|&k| orbit.segments[k].mode != mode)
        || gone.iter().any(|&k| orbit.segments[k].mode == mode)
    {
        return None;
    }
    let all = starts(orbit, z);
    let (centre, extent) = centres(orbit, &all, record);
    let own = |values: &[f64]| -> Vec<f64> { orbit.system.modes[mode].states.iter().map(|&i| values[i]).collect() };
    let sizes = orbit.sizes_at(z);
    let size = *sizes.last()?;
    let now = last.parameter();
    let near = Near {
        mode,
        x: &own(&centre),
        extent: &own(&extent),
        frequency: TAU / period,
    };
    let rest = hopf_point(orbit, &near, (now, now), RESOLUTION * size)?;
    let ends = (rest.parameter - now).abs() <= PLACE * size && (period * rest.pair.im / TAU - 1.0).abs() <= PERIOD;
    if !ends {
        return None;
    }
    let mut point = last.clone();
    for k in gone {
        let at = orbit.segments[k].offset + orbit.segments[k].n;
        point.z[at] = 0.0;
    }
    *point.z.last_mut()? = rest.parameter;
    let limit = limit_of(orbit, record, &rest)?;
    let place = orbit.system.full_state(mode, &rest.x, &orbit.parameters);
    let message = format!(
        "what the cycle does outside mode `{name}` vanishes: it becomes a closed orbit of `{name}` at {parameter} = {value}, where the equilibrium {place} of that mode \
         has a pair of imaginary eigenvalues of frequency {frequency:.12}; the period tends to {period:.9} and a multiplier to +1; inside, closed orbits of `{name}` \
         fill a continuum at this value",
        name = orbit.system.modes[mode].name,
        parameter = orbit.system.parameters[*orbit.free.first()?].name,
        value = exact(rest.parameter),
        place = rest::in_words(orbit, &place, &extent),
        frequency = rest.pair.im / orbit.system.units.time,
        period = limit.period * orbit.system.units.time,
    );
    Some(BranchPoint {
        point,
        record: limit,
        label: Some(Label::VS),
        message,
    })
}

/// What is measured of the cycle where it ends: by what is known of the equilibrium, and else as next to the end.
fn limit_of(orbit: &PeriodicOrbit<'_>, record: &Record, rest: &Rest) -> Option<Record> {
    let mut limit = record.clone();
    limit.parameters[*orbit.free.first()?] = rest.parameter;
    limit.period = TAU / rest.pair.im;
    if orbit.word.symmetric {
        become_one(&mut limit.nu, true);
        limit.multipliers = limit.nu.iter().map(|m| m.squared()).collect();
    } else {
        become_one(&mut limit.multipliers, false);
    }
    limit.unstable = Multiplier::count_unstable(&limit.multipliers);
    limit.inequalities.iter_mut().for_each(|v| *v = v.max(0.0));
    Some(limit)
}

/// Let the multiplier that is nearest to the unit circle on the real axis be on it: of a symmetric cycle on the side on
/// which it is, of others at +1.
fn become_one(multipliers: &mut [Multiplier], symmetric: bool) {
    let off = |m: &Multiplier| m.log10.abs();
    if let Some(nearest) = multipliers.iter_mut().min_by(|a, b| off(a).total_cmp(&off(b))) {
        let turned = symmetric && nearest.arg.abs() > 1.0;
        *nearest = Multiplier {
            log10: 0.0,
            arg: if turned { std::f64::consts::PI } else { 0.0 },
        };
    }
}
