//! Smooth systems and maps in units in which what is explored is about one: whether motions agree is judged beside one.

use crate::results::attractors::{Attractor, AttractorKind};
use slipstick_flow::AttractingOrbit;
use slipstick_system::{System, Units};

/// Systems all of whose sizes are within this factor of one are explored as they are.
const ORDINARY: f64 = 16.0;

/// A region is far from zero at so many times half its width.
const FAR: f64 = 8.0;

/// Points of the region at which rates are looked at.
const LOOKS: usize = 25;

/// The system in units of the size of a region and of the rates in it; none where all are about one, and of systems
/// with events, which are measured by their motions.
pub(crate) fn in_region_units(system: &System, region: &[(f64, f64)], p: &[f64]) -> Option<System> {
    if system.is_hybrid() {
        return None;
    }
    let straight = |i: usize| system.states[i].period.is_none();
    let mut sizes: Vec<f64> = region.iter().map(|(lo, hi)| lo.abs().max(hi.abs())).collect();
    let rates = rates(system, region, p);
    let middle = |values: &mut dyn Iterator<Item = f64>| {
        let mut values: Vec<f64> = values.filter(|v| v.is_finite() && *v > 0.0).collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied()
    };
    let known = |i: &usize| sizes[*i] > 0.0 && straight(*i);
    // Far from zero, rates have to do with how wide the region is, not with where it lies.
    let moves = |i: usize| match 0.5 * (region[i].1 - region[i].0) {
        wide if FAR * wide < sizes[i] && wide > 0.0 => wide,
        _ => sizes[i],
    };
    let relative = |f: &Vec<f64>| {
        (0..f.len())
            .filter(known)
            .map(|i| f[i].abs() / moves(i))
            .fold(0.0, f64::max)
    };
    let rate = middle(&mut rates.iter().map(relative)).unwrap_or(1.0);
    for i in 0..sizes.len() {
        if !straight(i) {
            sizes[i] = 1.0;
        } else if sizes[i] == 0.0 {
            sizes[i] = middle(&mut rates.iter().map(|f| f[i].abs() / rate)).unwrap_or(1.0);
        }
    }
    // States that a symmetry exchanges have one unit.
    for (i, &source) in system.symmetry.iter().flat_map(|s| s.source.iter().enumerate()) {
        let size = sizes[i].max(sizes[source]);
        (sizes[i], sizes[source]) = (size, size);
    }
    let time = if system.is_map() { 1.0 } else { rate.recip() };
    let ordinary = |v: &f64| (1.0 / ORDINARY..=ORDINARY).contains(v);
    if sizes.iter().chain([&time]).all(ordinary) {
        return None;
    }
    // Powers of two round nothing.
    let unit = |v: f64| if v.is_normal() { v.log2().round().exp2() } else { 1.0 };
    let units = Units {
        states: sizes.into_iter().map(unit).collect(),
        time: unit(time),
    };
    Some(system.in_units(units, &|_, _| 1.0))
}

/// The field at points spread over the region.
fn rates(system: &System, region: &[(f64, f64)], p: &[f64]) -> Vec<Vec<f64>> {
    let mode = system.start.mode();
    let part = |k: usize, i: usize| ((k + 1) as f64 * std::f64::consts::SQRT_2 * (1.0 + 0.37 * i as f64)).fract();
    let at = |k: usize| -> Vec<f64> {
        let states = region.iter().enumerate();
        states.map(|(i, (lo, hi))| lo + (hi - lo) * part(k, i)).collect()
    };
    let field = |k: usize| {
        let mut f = vec![0.0; region.len()];
        system.modes[mode].field.value(&at(k), p, &mut f);
        f
    };
    (0..LOOKS).map(field).collect()
}

/// A region in the units of the system.
pub(crate) fn region_in(region: &[(f64, f64)], system: &System) -> Vec<(f64, f64)> {
    let of = |(i, &(lo, hi)): (usize, &(f64, f64))| (lo / system.units.state(i), hi / system.units.state(i));
    region.iter().enumerate().map(of).collect()
}

/// An attractor found in the units of `system`, in those of the study; `units` are those of its monitors.
pub(crate) fn attractor_in_own(found: &mut Attractor, units: &[f64], system: &System) {
    let time = system.units.time;
    match &mut found.kind {
        AttractorKind::Orbit { period, .. } => *period *= time,
        AttractorKind::Chaos { exponent } => *exponent /= time,
        AttractorKind::Rest { .. } | AttractorKind::Torus | AttractorKind::Undecided | AttractorKind::Lost => {}
    }
    for exponent in &mut found.exponents {
        exponent.value /= time;
        exponent.error /= time;
    }
    for row in &mut found.rows {
        row.iter_mut().zip(units).for_each(|(v, unit)| *v *= unit);
    }
    if let Some(attracting) = &mut found.attracting {
        *attracting = orbit_in_own(attracting, system);
    }
}

/// A settled orbit found in the units of `system`, in those of the study.
pub(crate) fn orbit_in_own(attracting: &AttractingOrbit, system: &System) -> AttractingOrbit {
    let mut own = attracting.clone();
    own.period *= system.units.time;
    own.durations.iter_mut().for_each(|t| *t *= system.units.time);
    for (x, (mode, _)) in own.starts.iter_mut().zip(&own.word) {
        for (x, &s) in x.iter_mut().zip(&system.modes[*mode].states) {
            *x *= system.units.state(s);
        }
    }
    own
}
