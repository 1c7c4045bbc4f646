//! The stiction oscillator's slow–fast objects against exact values, and other systems.
#![allow(clippy::unwrap_used)]

mod canards;
mod cycles;
mod invariants;
mod manifolds;
mod others;
mod reduced;
mod segments;

use super::{Reduction, SlowFastProblem};
use slipstick_system::System;
use slipstick_system::catalogue::regularised_stiction;
use std::f64::consts::TAU;

/// The catalogue system and parameters with the given Ω and ε.
fn oscillator(omega: f64, epsilon: f64) -> (System, Vec<f64>) {
    let system = regularised_stiction();
    let mut p = system.default_parameters();
    p[0] = omega;
    p[4] = epsilon;
    (system, p)
}

fn problem<'a>(system: &'a System, p: &[f64], reduction: Reduction) -> SlowFastProblem<'a> {
    SlowFastProblem::new(system, p, reduction).unwrap()
}

/// All of the layer: |ξ| ≤ μ_s everywhere within.
fn whole_layer(omega: f64) -> [(f64, f64); 3] {
    let x = 2.5 / (omega * omega);
    [(-x, x), (-1.0, 1.0), (0.0, TAU)]
}

fn close(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance, "{a} {b}: off by {:e}", (a - b).abs());
}
