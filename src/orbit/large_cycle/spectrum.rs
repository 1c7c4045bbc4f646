//! The leading multipliers of a cycle of many states.
//!
//! Perturbations are taken modulo the direction of the flow at the start: that has the multiplier one, which so never
//! enters, and what is left of the map has all others. Those of largest modulus are found by the Krylov–Schur method.

use super::LargeCycle;
use nalgebra::Complex;
use slipstick_continuation::Failure;
use slipstick_floquet::{Multiplier, Neutral, psi_minus_beside, psi_ns_beside, psi_plus};
use slipstick_numerics::linalg::sparse::{KrylovOptions, largest_eigenvalues};
use slipstick_numerics::linalg::{dot, norm};
use std::f64::consts::{LN_10, PI};

/// So many are looked for at least, so many at most, and all of a larger modulus than this.
const LEAST: usize = 6;
const MOST: usize = 60;
const MODULUS: f64 = 0.5;
/// What a Krylov space leaves of a multiplier, relative to it, or of those below this modulus, to this.
const RESIDUAL: f64 = 1e-10;
const FLOOR: f64 = 1e-2;
/// Multipliers below this are what residuals and rounding leave of smaller ones.
const NOTHING: f64 = 1e-9;

/// The leading multipliers without the trivial one, largest modulus first, and how far the map of perturbations over a
/// period moves the direction of the flow, which comes back as it is: what is left is the error of the discretisation.
pub(super) fn multipliers(cycle: &mut LargeCycle<'_>) -> Result<(Vec<Multiplier>, f64), Failure> {
    cycle.factorise_here()?;
    cycle.prepare()?;
    let cycle = &*cycle;
    let n = cycle.n;
    let sizes = cycle.state_sizes(&cycle.at);
    // In units of the states.
    let mut flow: Vec<f64> = match cycle.stages.intervals.last() {
        Some(last) => last.rates[last.rates.len() - n..].to_vec(),
        None => vec![0.0; n],
    };
    flow.iter_mut().zip(&sizes).for_each(|(f, size)| *f /= size);
    let length = norm(&flow);
    flow.iter_mut().for_each(|f| *f /= length);
    let image = |v: &mut [f64]| {
        v.iter_mut().zip(&sizes).for_each(|(v, size)| *v *= size);
        cycle.image(v);
        v.iter_mut().zip(&sizes).for_each(|(v, size)| *v /= size);
    };
    let across = |v: &mut [f64]| {
        let along = dot(&flow, v);
        v.iter_mut().zip(&flow).for_each(|(v, f)| *v -= along * f);
    };
    let mut apply = |v: &mut [f64]| {
        across(v);
        image(v);
        across(v);
    };
    let options = KrylovOptions {
        least: LEAST,
        radius: MODULUS.recip(),
        most: MOST,
        tolerance: RESIDUAL,
        floor: FLOOR,
        ..KrylovOptions::default()
    };
    let found = largest_eigenvalues(n, &mut apply, &options);
    let mut moved = flow.clone();
    image(&mut moved);
    let moved: Vec<f64> = moved.iter().zip(&flow).map(|(m, f)| m - f).collect();
    let large = found.values.iter().filter(|v| v.norm() > NOTHING);
    Ok((large.map(|v| multiplier(*v)).collect(), norm(&moved)))
}

fn multiplier(value: Complex<f64>) -> Multiplier {
    if value.im == 0.0 {
        return Multiplier::real(value.re);
    }
    Multiplier {
        log10: value.norm().ln() / LN_10,
        arg: value.arg().clamp(-PI, PI),
    }
}

/// The test functions for period doublings, tori and branch points, in the order of those of small systems. How many
/// small multipliers are known differs from point to point: here each of them, and each product of two, counts as its
/// positive distance from one.
pub(super) fn tests(multipliers: &[Multiplier], neutral: Neutral, rate: f64) -> [f64; 3] {
    let real = multipliers.iter().filter(|m| m.is_real()).count();
    let complex = (multipliers.len() - real) / 2;
    let pairs = (complex + real * real.saturating_sub(1) / 2).saturating_sub(neutral.pairs);
    let sign = |count: usize| if count.is_multiple_of(2) { 1.0 } else { -1.0 };
    [
        psi_minus_beside(multipliers, neutral),
        sign(pairs) * psi_ns_beside(multipliers, neutral.pairs),
        sign(real) * psi_plus(multipliers) * rate,
    ]
}
