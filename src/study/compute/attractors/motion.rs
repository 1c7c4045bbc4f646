//! Motions that do not repeat: their extremes round by round, and whether neighbours separate.

use slipstick_flow::{FlowError, FlowOptions, SimulationOptions, Trajectory, simulate};
use slipstick_system::System;

/// Rounds that are let pass, and rounds that are looked at.
const PASSED: usize = 150;
const ROUNDS: usize = 60;

/// A round in systems without a forcing.
const ROUND: f64 = 10.0;

/// The distance at which a neighbour is followed.
const APART: f64 = 1e-8;

/// Rows in a round.
const SAMPLES: f64 = 200.0;

/// The rounds of a motion.
pub(crate) struct Rounds {
    /// For each round: the smallest and the largest value of each state.
    pub(crate) extremes: Vec<Vec<(f64, f64)>>,
    /// The largest Lyapunov exponent, as these rounds show it.
    pub(crate) exponent: f64,
}

/// Follow a motion from the states `x` of `mode`.
pub(crate) fn rounds(
    system: &System,
    mode: usize,
    x: &[f64],
    p: &[f64],
    flow: FlowOptions,
) -> Result<Rounds, FlowError> {
    let round = round_time(system, mode, x, p);
    let run = |mode: usize, x: &[f64], time: f64| {
        let options = SimulationOptions {
            t_end: time,
            flow,
            ..SimulationOptions::default()
        };
        simulate(system, mode, x, p, &options)
    };
    let last = |run: &Trajectory| run.segments.last().map(|s| (s.mode, s.end.clone()));
    let passed = run(mode, x, PASSED as f64 * round)?;
    let Some((mut mode, mut x)) = last(&passed) else {
        return Ok(Rounds {
            extremes: vec![],
            exponent: 0.0,
        });
    };
    let mut extremes = vec![];
    let (mut growth, mut counted) = (0.0, 0);
    let mut shift = vec![];
    for _ in 0..ROUNDS {
        let own = run(mode, &x, round)?;
        let mut range = vec![(f64::INFINITY, f64::NEG_INFINITY); system.states.len()];
        for row in own.table(system, p, round / SAMPLES, flow)? {
            for (r, v) in range.iter_mut().zip(&row.states) {
                *r = (r.0.min(*v), r.1.max(*v));
            }
        }
        extremes.push(range);
        let Some((next_mode, next)) = last(&own) else { break };
        if shift.len() != x.len() {
            shift = displacement(system, mode, x.len());
        }
        let displaced: Vec<f64> = x.iter().zip(&shift).map(|(x, d)| x + d).collect();
        let neighbour = run(mode, &displaced, round).ok().and_then(|n| last(&n));
        shift.clear();
        if let Some((other_mode, other)) = neighbour.filter(|n| n.0 == next_mode) {
            let apart: Vec<f64> = other.iter().zip(&next).map(|(a, b)| a - b).collect();
            let size = apart.iter().map(|v| v * v).sum::<f64>().sqrt();
            if other_mode == next_mode && size > 0.0 {
                growth += (size / APART).ln();
                counted += 1;
                shift = apart.iter().map(|v| v * APART / size).collect();
            }
        }
        (mode, x) = (next_mode, next);
    }
    let exponent = if counted > 0 {
        growth / (f64::from(counted) * round)
    } else {
        0.0
    };
    Ok(Rounds { extremes, exponent })
}

/// A displacement along the states that are no angles.
fn displacement(system: &System, mode: usize, n: usize) -> Vec<f64> {
    let straight = |i: usize| system.states[system.modes[mode].states[i]].period.is_none();
    let count = (0..n).filter(|&i| straight(i)).count().max(1) as f64;
    (0..n)
        .map(|i| if straight(i) { APART / count.sqrt() } else { 0.0 })
        .collect()
}

/// The period of the forcing, if an angle of the mode turns.
fn round_time(system: &System, mode: usize, x: &[f64], p: &[f64]) -> f64 {
    let m = &system.modes[mode];
    let mut f = vec![0.0; x.len()];
    m.field.value(x, p, &mut f);
    let turn = m
        .states
        .iter()
        .zip(&f)
        .find_map(|(&s, f)| Some(system.states[s].period? / f.abs()));
    turn.filter(|t| t.is_finite()).unwrap_or(ROUND)
}
