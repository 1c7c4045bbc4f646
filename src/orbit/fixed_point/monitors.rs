//! The monitors of equilibria and cycles of maps: which there are, what they are called, their values and gradients.

use super::FixedPoint;
use crate::derivatives::derivatives;
use crate::monitors::Extreme;
use slipstick_bifurcation::{Monitor, MonitorKind};
use slipstick_continuation::Failure;
use slipstick_system::{HasCorners, Measure, Place, Quantity, Rule, SharedFunction, Statistic, jacobian};

/// A monitor of a point or cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PointScalar {
    /// A state of the system at the first point.
    State(usize),
    /// An extreme of a state of the system over the points.
    Extreme(usize, Extreme),
    /// The root of the mean square of all states that are no angles.
    Norm,
    /// One of the system's own monitors.
    Own(usize),
}

/// Of systems of more states the tables have no columns for each: they are in the files of the orbits.
const TABULATED: usize = 500;

/// All monitors, in the order of the tables.
pub(super) fn list(problem: &FixedPoint<'_>) -> Vec<PointScalar> {
    let own = problem.system.monitors.iter().enumerate();
    let of_points = own.filter(|(_, m)| matches!(m.measure, Measure::At(Place::Start, _) | Measure::Over(..)));
    let of_points = of_points.map(|(i, _)| PointScalar::Own(i));
    if problem.system.states.len() > TABULATED {
        return std::iter::once(PointScalar::Norm).chain(of_points).collect();
    }
    let kinds = [Extreme::Modulus, Extreme::Largest, Extreme::Least];
    let states = 0..problem.system.states.len();
    let mut list: Vec<PointScalar> = states.map(PointScalar::State).collect();
    list.extend(straight(problem).flat_map(|s| kinds.map(|kind| PointScalar::Extreme(s, kind))));
    list.push(PointScalar::Norm);
    list.extend(of_points);
    list
}

/// The states of the system that are no angles. All modes have the same columns: a curve may pass from one to another.
fn straight(problem: &FixedPoint<'_>) -> impl Iterator<Item = usize> {
    let states = &problem.system.states;
    (0..states.len()).filter(|&s| states[s].period.is_none())
}

/// Where a state of the system stands among those of a mode.
fn own_place(states: &[usize], s: usize) -> Option<usize> {
    if states.get(s) == Some(&s) {
        return Some(s);
    }
    states.iter().position(|&own| own == s)
}

/// A state of the system at a point of the cycle.
fn state(problem: &FixedPoint<'_>, s: usize, point: usize, z: &[f64]) -> f64 {
    let mode = &problem.system.modes[problem.mode];
    let x = problem.point(z, point);
    match own_place(&mode.states, s) {
        Some(c) => x[c],
        None => problem.system.full_state(problem.mode, x, &problem.parameters)[s],
    }
}

/// Add the gradient of a state of the system at a point of the cycle.
fn add_state(problem: &FixedPoint<'_>, s: usize, point: usize, weight: f64, z: &[f64], gradient: &mut [f64]) {
    let mode = &problem.system.modes[problem.mode];
    let own = point * problem.n;
    if let Some(c) = own_place(&mode.states, s) {
        gradient[own + c] += weight;
        return;
    }
    let Some(absent) = &mode.absent else { return };
    let (n, free) = (problem.n, problem.free.len());
    let count = problem.system.states.len() - n;
    let (mut value, mut dx, mut dp) = (vec![0.0; count], vec![0.0; count * n], vec![0.0; count * free]);
    let x = problem.point(z, point);
    jacobian(
        absent.as_ref(),
        x,
        &problem.parameters,
        &problem.free,
        &mut value,
        &mut dx,
        &mut dp,
    );
    let row = (0..s).filter(|other| !mode.states.contains(other)).count();
    let parameters = gradient.len() - free;
    for (g, d) in gradient[own..own + n].iter_mut().zip(&dx[row * n..]) {
        *g += weight * d;
    }
    for (g, d) in gradient[parameters..].iter_mut().zip(&dp[row * free..]) {
        *g += weight * d;
    }
}

/// Name and kind of one of them.
pub(super) fn described(problem: &FixedPoint<'_>, monitor: PointScalar) -> Monitor {
    let state = |s: usize| &problem.system.states[s].name;
    match monitor {
        PointScalar::State(s) => Monitor::new(state(s), MonitorKind::Diagnostic),
        PointScalar::Extreme(s, kind) => Monitor::new(kind.of(state(s)), MonitorKind::Extreme),
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
        PointScalar::State(s) => {
            add_state(problem, s, 0, 1.0, z, gradient);
            Ok(state(problem, s, 0, z))
        }
        PointScalar::Extreme(s, kind) => {
            let score = |v: f64| match kind {
                Extreme::Modulus => v.abs(),
                Extreme::Largest => v,
                Extreme::Least => -v,
            };
            let values: Vec<f64> = (0..problem.length).map(|k| state(problem, s, k, z)).collect();
            let best = (0..problem.length).max_by(|&a, &b| score(values[a]).total_cmp(&score(values[b])));
            let at = best.unwrap_or(0);
            let sign = if kind == Extreme::Modulus {
                values[at].signum()
            } else {
                1.0
            };
            add_state(problem, s, at, sign, z, gradient);
            Ok(sign * values[at])
        }
        PointScalar::Norm => {
            let entries = || straight(problem).flat_map(|s| (0..problem.length).map(move |k| (s, k)));
            // States in units of their own add up in those of the study.
            let unit = |s: usize| problem.system.units.state(s);
            let squares: f64 = entries()
                .map(|(s, k)| (unit(s) * state(problem, s, k, z)).powi(2))
                .sum();
            let norm = (squares / problem.length as f64).sqrt();
            for (s, k) in entries() {
                let weight = unit(s).powi(2) * state(problem, s, k, z) / (norm * problem.length as f64);
                add_state(problem, s, k, weight, z, gradient);
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
