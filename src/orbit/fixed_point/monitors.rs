//! The monitors of equilibria and cycles of maps: which there are, what they are called, their values and gradients.

use super::FixedPoint;
use crate::gradient::derivatives;
use crate::monitors::Extreme;
use slipstick_bifurcation::{Monitor, MonitorKind};
use slipstick_continuation::Failure;
use slipstick_system::{HasCorners, Measure, Place, Quantity, Rule, SharedFunction, Statistic};

/// A monitor of a point or cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PointScalar {
    /// A state of the mode at the first point.
    State(usize),
    /// An extreme of a state of the mode over the points.
    Extreme(usize, Extreme),
    /// The root of the mean square of all states that are no angles.
    Norm,
    /// One of the system's own monitors.
    Own(usize),
}

/// All monitors, in the order of the tables.
pub(super) fn list(problem: &FixedPoint<'_>) -> Vec<PointScalar> {
    let kinds = [Extreme::Modulus, Extreme::Largest, Extreme::Least];
    let mut list: Vec<PointScalar> = (0..problem.n).map(PointScalar::State).collect();
    list.extend(straight(problem).flat_map(|c| kinds.map(|kind| PointScalar::Extreme(c, kind))));
    list.push(PointScalar::Norm);
    let own = problem.system.monitors.iter().enumerate();
    let of_points = own.filter(|(_, m)| matches!(m.measure, Measure::At(Place::Start, _) | Measure::Over(..)));
    list.extend(of_points.map(|(i, _)| PointScalar::Own(i)));
    list
}

/// The states of the mode that are no angles.
fn straight(problem: &FixedPoint<'_>) -> impl Iterator<Item = usize> {
    let states = &problem.system.modes[problem.mode].states;
    (0..problem.n).filter(|&c| problem.system.states[states[c]].period.is_none())
}

/// Name and kind of one of them.
pub(super) fn described(problem: &FixedPoint<'_>, monitor: PointScalar) -> Monitor {
    let states = &problem.system.modes[problem.mode].states;
    let state = |c: usize| &problem.system.states[states[c]].name;
    match monitor {
        PointScalar::State(c) => Monitor::new(state(c), MonitorKind::Diagnostic),
        PointScalar::Extreme(c, kind) => Monitor::new(kind.of(state(c)), MonitorKind::Extreme),
        PointScalar::Norm => Monitor::new("l2_norm", MonitorKind::Diagnostic),
        PointScalar::Own(i) => Monitor::new(&problem.system.monitors[i].name, MonitorKind::Diagnostic),
    }
}

/// Their values at `z`.
pub(super) fn values(problem: &FixedPoint<'_>, z: &[f64]) -> Result<Vec<f64>, Failure> {
    let mut gradient = vec![0.0; z.len()];
    let all = list(problem).into_iter();
    all.map(|scalar| monitor(problem, scalar, z, &mut gradient)).collect()
}

/// Can monitor number `index` be held at a value?
pub(super) fn can_fix(problem: &FixedPoint<'_>, index: usize) -> Result<(), HasCorners> {
    match list(problem).get(index) {
        Some(PointScalar::Own(i)) => problem.system.monitors[*i].can_be_fixed(),
        _ => Ok(()),
    }
}

/// The value of monitor number `index`; its gradient is added.
pub(super) fn gradient(
    problem: &FixedPoint<'_>,
    index: usize,
    z: &[f64],
    gradient: &mut [f64],
) -> Result<f64, Failure> {
    match list(problem).get(index) {
        Some(scalar) => monitor(problem, *scalar, z, gradient),
        None => Err(Failure::Evaluation("there is no such monitor".into())),
    }
}

fn monitor(problem: &FixedPoint<'_>, monitor: PointScalar, z: &[f64], gradient: &mut [f64]) -> Result<f64, Failure> {
    match monitor {
        PointScalar::State(c) => {
            gradient[c] += 1.0;
            Ok(z[c])
        }
        PointScalar::Extreme(c, kind) => {
            let score = |v: f64| match kind {
                Extreme::Modulus => v.abs(),
                Extreme::Largest => v,
                Extreme::Least => -v,
            };
            let entries = (0..problem.length).map(|k| k * problem.n + c);
            let best = entries.max_by(|&a, &b| score(z[a]).total_cmp(&score(z[b])));
            let at = best.unwrap_or(c);
            let sign = if kind == Extreme::Modulus { z[at].signum() } else { 1.0 };
            gradient[at] += sign;
            Ok(sign * z[at])
        }
        PointScalar::Norm => {
            let entries = |c: usize| (0..problem.length).map(move |k| k * problem.n + c);
            let squares = straight(problem).map(|c| entries(c).map(|i| z[i] * z[i]).sum::<f64>());
            let norm = (squares.sum::<f64>() / problem.length as f64).sqrt();
            for i in straight(problem).flat_map(entries) {
                gradient[i] += z[i] / (norm * problem.length as f64);
            }
            Ok(norm)
        }
        PointScalar::Own(i) => own_monitor(problem, &problem.system.monitors[i].measure, z, gradient),
    }
}

fn own_monitor(problem: &FixedPoint<'_>, measure: &Measure, z: &[f64], gradient: &mut [f64]) -> Result<f64, Failure> {
    let of = |of: &Quantity| problem.system.quantity(of, problem.mode);
    match measure {
        Measure::At(Place::Start, quantity) => Ok(add(problem, &of(quantity), 0, |_| 1.0, z, gradient)),
        Measure::Over(kind, quantity) => statistic(problem, *kind, &of(quantity), z, gradient),
        _ => Err(Failure::Evaluation(
            "equilibria and points of maps have neither modes nor events".into(),
        )),
    }
}

/// A statistic of a quantity over the points. An equilibrium stands for itself, whatever its period may be taken for.
fn statistic(
    problem: &FixedPoint<'_>,
    statistic: Statistic,
    of: &SharedFunction,
    z: &[f64],
    gradient: &mut [f64],
) -> Result<f64, Failure> {
    let values: Vec<f64> = (0..problem.length).map(|i| value(problem, of, i, z)).collect();
    match statistic.rule() {
        Rule::Extreme(sign) => {
            let largest = (0..problem.length).max_by(|&a, &b| (sign * values[a]).total_cmp(&(sign * values[b])));
            Ok(add(problem, of, largest.unwrap_or(0), |_| 1.0, z, gradient))
        }
        Rule::Integral(by) => {
            let sum = values.iter().map(|v| (by.integrand)(*v)).sum();
            let (value, by_sum, _) = (by.result)(sum, problem.length as f64);
            // Where all values are zero their root mean square has a corner.
            let by_sum = if by_sum.is_finite() { by_sum } else { 0.0 };
            for i in 0..problem.length {
                add(problem, of, i, |v| by_sum * (by.slope)(v), z, gradient);
            }
            Ok(value)
        }
    }
}

fn value(problem: &FixedPoint<'_>, of: &SharedFunction, point: usize, z: &[f64]) -> f64 {
    let mut v = [0.0];
    of.value(problem.point(z, point), &problem.parameters, &mut v);
    v[0]
}

/// The value of a quantity at a point; its gradient is added with a weight that depends on the value.
fn add(
    problem: &FixedPoint<'_>,
    of: &SharedFunction,
    point: usize,
    weight: impl Fn(f64) -> f64,
    z: &[f64],
    gradient: &mut [f64],
) -> f64 {
    let x = problem.point(z, point);
    let (value, dx, dp) = derivatives(of.as_ref(), x, &problem.parameters, &problem.free);
    let weight = weight(value);
    let (own, parameters) = (point * problem.n, gradient.len() - problem.free.len());
    gradient[own..].iter_mut().zip(&dx).for_each(|(g, d)| *g += weight * d);
    gradient[parameters..]
        .iter_mut()
        .zip(&dp)
        .for_each(|(g, d)| *g += weight * d);
    value
}
