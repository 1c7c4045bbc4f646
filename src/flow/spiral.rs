//! Motions that spiral into an equilibrium, and are no cycles, however small beside the states.

use super::error::FlowError;
use super::mode_flow::ModeFlow;
use super::options::FlowOptions;
use super::prepared_mode::constant_turn;
use super::section;
use super::stay::Stay;
use nalgebra::{DMatrix, DVector};
use slipstick_numerics::linalg::graded::eigenvalues_of_scale;
use slipstick_system::{System, jacobian};

/// The sizes of the states of a motion that is cut by a section.
pub(super) struct Sizes {
    /// At its start, and the largest at that, as far as it was seen to move, and where it passed the section.
    start: Vec<f64>,
    passed: Vec<f64>,
}

impl Sizes {
    /// Those of a motion that starts with these states, and was seen to move so far.
    pub(super) fn of(start: &[f64], seen: &[f64]) -> Self {
        let start: Vec<f64> = start.iter().map(|v| v.abs()).collect();
        Self {
            passed: start.iter().zip(seen).map(|(a, b)| a.max(*b)).collect(),
            start,
        }
    }

    /// Does the motion spiral into an equilibrium? Its last returns differ by rounding beside the sizes of states and
    /// rates, and nothing moves in between. (Measured by itself such a motion never repeats.) And either the
    /// equilibrium is seen to attract; or, of one that eigenvalues say nothing of, returns differ ever less. A state
    /// may begin at zero, and be zero at rest: its size is known from the motion alone, which is relied on where the
    /// equilibrium attracts.
    pub(super) fn dies_out(
        &mut self,
        system: &System,
        history: &[Stay],
        p: &[f64],
        flow: FlowOptions,
    ) -> Result<bool, FlowError> {
        let n = self.start.len();
        if let Some(last) = history.last().filter(|last| last.start.len() == n) {
            let both = self.passed.iter_mut().zip(&last.start);
            both.for_each(|(size, x)| *size = size.max(x.abs()));
        }
        let [.., a, b, c] = history else { return Ok(false) };
        let section = system.modes[c.mode].events.len() - 1;
        let alike = |s: &Stay| s.mode == c.mode && s.event == section && s.start.len() == n;
        if !(alike(a) && alike(b) && alike(c)) {
            return Ok(false);
        }
        let straight: Vec<usize> = (0..n)
            .filter(|&i| system.states[system.modes[c.mode].states[i]].period.is_none())
            .collect();
        // Angles alone do not die out where one turns unevenly.
        if straight.is_empty() && constant_turn(system, c.mode, p).is_none() {
            return Ok(false);
        }
        let changes = |i: usize| ((b.start[i] - a.start[i]).abs(), (c.start[i] - b.start[i]).abs());
        let error = |size: f64| (ROUNDING * size).max(flow.atol);
        let sizes = in_a_round(system, c, &self.passed, p);
        if !straight.iter().all(|&i| changes(i).1 <= error(sizes[i])) {
            return Ok(false);
        }
        let moves = section::ranges(&ModeFlow::new(system, c.mode, flow), &c.start, c.duration, p)?;
        let still = |sizes: &[f64]| straight.iter().all(|&i| moves[i] <= STILL * sizes[i]);
        if still(&sizes) && attracts_beside(system, c, &sizes, p) {
            return Ok(true);
        }
        let sizes = in_a_round(system, c, &self.start, p);
        let shrinks = straight.iter().all(|&i| {
            let (before, now) = changes(i);
            now <= before && now <= error(sizes[i])
        });
        Ok(shrinks && still(&sizes))
    }
}

/// Differences of returns that are rounding, and a motion that is none, relative to the sizes.
const ROUNDING: f64 = 1e-14;
const STILL: f64 = 1e-9;

/// An eigenvalue nearer to the axis than this part of what it is made of attracts by rounding only.
const NEUTRAL: f64 = 1e-10;

/// Sizes of the states, and of what the terms of their rates would change in a round: these cancel at rest, and how
/// fast a motion came there says nothing of it.
fn in_a_round(system: &System, last: &Stay, largest: &[f64], p: &[f64]) -> Vec<f64> {
    let n = largest.len();
    let (mut rates, mut slopes) = (vec![0.0; n], vec![0.0; n * n]);
    let field = system.modes[last.mode].field.as_ref();
    jacobian(field, &last.start, p, &[], &mut rates, &mut slopes, &mut []);
    let sizes: Vec<f64> = largest
        .iter()
        .zip(&last.start)
        .map(|(a, b)| a.abs().max(b.abs()))
        .collect();
    let size = |i: usize| {
        let row = slopes[i * n..(i + 1) * n].iter().zip(&sizes);
        let terms: f64 = row.map(|(slope, size)| slope.abs() * size).sum();
        sizes[i].max(terms * last.duration)
    };
    (0..n).map(size).collect()
}

/// Is there an equilibrium that attracts where a motion of these sizes has come to?
fn attracts_beside(system: &System, last: &Stay, sizes: &[f64], p: &[f64]) -> bool {
    let x = &last.start;
    let straight = |i: usize| system.states[system.modes[last.mode].states[i]].period.is_none();
    if constant_turn(system, last.mode, p).is_some() || !(0..x.len()).all(straight) {
        return false;
    }
    let Some((at, slopes)) = equilibrium_near(system, last.mode, x, sizes, p) else {
        return false;
    };
    let within = (0..x.len()).all(|i| (at[i] - x[i]).abs() <= STILL * sizes[i]);
    within && eigenvalues_of_scale(&slopes).is_ok_and(|found| found.iter().all(|v| v.value.re < -NEUTRAL * v.scale))
}

/// The equilibrium into which a motion spirals that came back from `before` to `x` over this period. It attracts, and
/// either states change so little on the way that their own size hides a spiral, and no cycle lies so near to an
/// equilibrium that attracts; or `x` lies nearer to it by as much as the slowest perturbation decays.
pub(super) fn attracting_within(
    system: &System,
    mode: usize,
    [before, x]: [&[f64]; 2],
    (period, moves): (f64, &[f64]),
    (p, rtol): (&[f64], f64),
) -> Option<Vec<f64>> {
    /// Changes up to this part of the states.
    const SMALL: f64 = 1e-6;
    /// How far off it may lie, in parts of the changes, and of the errors of the integrator.
    const OFF: (f64, f64) = (10.0, 100.0);
    /// What decays by less over a period is not distinguished from a cycle by its changes.
    const DECAYS: f64 = 1e-2;
    /// So much of what it should come nearer by.
    const MOST: f64 = 0.5;
    let n = x.len();
    let straight = |i: usize| system.states[system.modes[mode].states[i]].period.is_none();
    if constant_turn(system, mode, p).is_some() || !(0..n).all(straight) {
        return None;
    }
    let sizes: Vec<f64> = (0..n).map(|i| x[i].abs().max(moves[i])).collect();
    let (at, slopes) = equilibrium_near(system, mode, x, &sizes, p)?;
    let within = |i: usize| (at[i] - x[i]).abs() <= OFF.0 * moves[i] + OFF.1 * rtol * sizes[i];
    let found = eigenvalues_of_scale(&slopes).ok()?;
    let attracts = found.iter().all(|v| v.value.re < -NEUTRAL * v.scale);
    if !((0..n).all(within) && attracts) {
        return None;
    }
    let small = (0..n).all(|i| moves[i] <= SMALL * x[i].abs());
    let slowest = found.iter().fold(f64::NEG_INFINITY, |m, v| m.max(v.value.re));
    let decay = -(slowest * period).exp_m1();
    let apart = |a: &[f64], b: &[f64]| -> f64 {
        let parts = (0..n)
            .filter(|i| moves[*i] > 0.0)
            .map(|i| ((a[i] - b[i]) / moves[i]).abs());
        parts.fold(0.0, f64::max)
    };
    let nearer = decay > DECAYS && apart(before, x) >= MOST * decay * apart(before, &at);
    (small || nearer).then_some(at)
}

/// The equilibrium that Newton's method finds from `x`, with the derivatives there.
pub(super) fn equilibrium_near(
    system: &System,
    mode: usize,
    x: &[f64],
    sizes: &[f64],
    p: &[f64],
) -> Option<(Vec<f64>, DMatrix<f64>)> {
    const ITERATIONS: usize = 20;
    const CONVERGED: f64 = 1e-14;
    let n = x.len();
    let field = system.modes[mode].field.as_ref();
    let (mut rates, mut slopes) = (vec![0.0; n], vec![0.0; n * n]);
    let mut at = x.to_vec();
    for _ in 0..ITERATIONS {
        jacobian(field, &at, p, &[], &mut rates, &mut slopes, &mut []);
        // In sizes of the states and rates, so that pivots are those of the equations, not of units.
        let rows: Vec<f64> = (0..n)
            .map(|r| (0..n).fold(0.0, |m: f64, c| m.max((slopes[r * n + c] * sizes[c]).abs())))
            .collect();
        let scaled = DMatrix::from_fn(n, n, |r, c| slopes[r * n + c] * sizes[c] / rows[r]);
        let left = DVector::from_fn(n, |r, _| rates[r] / rows[r]);
        let step = scaled.lu().solve(&left)?;
        at.iter_mut()
            .zip(&step)
            .zip(sizes)
            .for_each(|((at, step), size)| *at -= step * size);
        if !at.iter().all(|v| v.is_finite()) {
            return None;
        }
        if step.amax() <= CONVERGED {
            return Some((at, DMatrix::from_row_slice(n, n, &slopes)));
        }
    }
    None
}
