//! Settled orbits on the curves of a study: which curve passes through one.

use crate::compute::attractors::problem::{problem, solved};
use crate::compute::passing::passes_through;
use crate::plan::attractors::{AttractorsPlan, belongs};
use crate::plan::study::Plan;
use crate::results::curve::{CurveResult, Piece};
use slipstick_bifurcation::BranchPoint;
use slipstick_flow::AttractingOrbit;
use slipstick_orbit::{Discretisation, Letter, PeriodicOrbit, Word, invariants};
use slipstick_system::System;

/// Is the curve one of those that the sweep is compared with?
pub(crate) fn shows(curve: &CurveResult, sweep: &AttractorsPlan, system: &System) -> bool {
    curve.system == Some(sweep.system)
        && curve.free == system.parameters[sweep.sweep].name
        && (sweep.compare.is_empty() || sweep.compare.iter().any(|name| belongs(&curve.name, name)))
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
            .or_else(|| sweep.like(&plan.curves, &plan.systems))
            .map(|c| match c.discretisations.iter().all(|d| *d == Discretisation::Flow) {
                true => &*c.otherwise,
                false => &*c.discretisations,
            });
        for piece in &curve.pieces {
            let meshed = piece.branch.points.iter().any(|p| p.point.meshes.is_some());
            let Some((word, described)) = described_on(piece, image, value, system) else {
                continue;
            };
            let mut orbit = problem(system, word.clone(), sweep, &p);
            let Some(z) = solved(&mut orbit, &described, value) else {
                continue;
            };
            let invariants = invariants(&orbit, &z);
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
