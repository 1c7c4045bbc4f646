//! Test functions made of multipliers: those of the return map, which for a symmetric orbit is the half map.

use slipstick_bifurcation::{Label, Record, TestSpec};
use slipstick_floquet::{
    Multiplier, Neutral, UnitPair, nearest_unit_pair_beside, psi_minus_beside, psi_ns_beside, psi_plus,
};
use std::f64::consts::PI;

/// The position among the tests of that for branch points.
pub(crate) const CROSSING: usize = 2;

/// The multipliers of the return map.
pub(crate) fn of_return_map(symmetric: bool, record: &Record) -> &[Multiplier] {
    if symmetric { &record.nu } else { &record.multipliers }
}

/// The test functions, in the order of [`values`].
pub(crate) fn specs(symmetric: bool) -> Vec<TestSpec> {
    let spec = |label, meaning: &str| TestSpec::new(label, meaning);
    // It has the rate of the parameter as a factor.
    let branch_point = TestSpec {
        at_folds: true,
        ..spec(
            Label::BP,
            "branch point: a multiplier is +1 but the curve does not turn back; another branch of orbits of the same kind intersects it",
        )
    };
    if symmetric {
        vec![
            spec(
                Label::SB,
                "symmetry breaking: ν = -1 (so a multiplier is +1); a pair of asymmetric orbits, mirror images of each other, branches off",
            ),
            spec(
                Label::NS,
                "Neimark–Sacker: a complex pair ν crosses the unit circle; an invariant torus branches off",
            ),
            branch_point,
        ]
    } else {
        vec![
            spec(
                Label::PD,
                "period doubling: a multiplier is -1; an orbit of twice the period branches off",
            ),
            spec(
                Label::NS,
                "Neimark–Sacker: a complex pair of multipliers crosses the unit circle; an invariant torus branches off",
            ),
            branch_point,
        ]
    }
}

/// What the integration of the variational equation leaves of the product of two multipliers.
pub(crate) const NEUTRAL: f64 = 1e-8;

/// Their values beside what is neutral, where the parameter changes at this rate along the curve.
pub(crate) fn values(multipliers: &[Multiplier], neutral: Neutral, rate: f64) -> [f64; 3] {
    let (others, beside) = neutral.beside_minus_one(multipliers);
    // A fold changes the sign of both factors of the last test, a branch point only that of the first.
    [
        psi_minus_beside(&others, beside),
        psi_ns_beside(&others, beside.pairs),
        psi_plus(multipliers) * rate,
    ]
}

/// Are the multipliers at a located zero of a test those of its bifurcation?
pub(crate) fn confirm(test: usize, multipliers: &[Multiplier], neutral: Neutral) -> bool {
    /// log₁₀ of a multiplier, and its angle off the axis, that pass for ±1 at a located zero.
    const UNIT: f64 = 1e-4;
    let (others, _) = neutral.beside_minus_one(multipliers);
    let are = |wanted: f64| {
        let near = |m: &&Multiplier| m.log10.abs() <= UNIT && (m.arg.abs() - wanted).abs() <= UNIT;
        others.iter().filter(near).count()
    };
    match test {
        0 => are(PI) > 0,
        // The test for NS also vanishes at neutral saddles, where nothing bifurcates.
        1 => unit_angle(multipliers, neutral).is_some(),
        _ => are(0.0) > 0,
    }
}

/// The angle of the complex pair nearest to the unit circle, if it is nearer than a real pair of product one.
pub(crate) fn unit_angle(multipliers: &[Multiplier], neutral: Neutral) -> Option<f64> {
    let (others, beside) = neutral.beside_minus_one(multipliers);
    match nearest_unit_pair_beside(&others, beside.pairs) {
        Some(UnitPair::Conjugate { arg }) => Some(arg),
        _ => None,
    }
}

/// What a fold is.
pub(crate) fn fold_meaning(symmetric: bool, parameter: &str) -> String {
    if symmetric {
        format!("fold of symmetric orbits: the branch turns back in {parameter}; ν = +1")
    } else {
        format!("fold of periodic orbits: the branch turns back in {parameter}; a multiplier is +1")
    }
}
