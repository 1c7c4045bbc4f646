//! The monitors of equilibria and cycles of maps: which there are, what they are called, their values and gradients.

use super::FixedPoint;
use crate::monitors::Extreme;
use slipstick_bifurcation::{Monitor, MonitorKind};
use slipstick_continuation::Failure;
use slipstick_system::{HasCorners, Measure, Place, Quantity, Rule, SharedFunction, Statistic, jacobian};

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

impl FixedPoint<'_> {
    /// All monitors, in the order of the tables.
    pub(super) fn monitor_list(&self) -> Vec<PointScalar> {
        let kinds = [Extreme::Modulus, Extreme::Largest, Extreme::Least];
        let mut list: Vec<PointScalar> = (0..self.n).map(PointScalar::State).collect();
        list.extend(
            self.straight()
                .flat_map(|c| kinds.map(|kind| PointScalar::Extreme(c, kind))),
        );
        list.push(PointScalar::Norm);
        let own = self.system.monitors.iter().enumerate();
        let of_points = own.filter(|(_, m)| matches!(m.measure, Measure::At(Place::Start, _) | Measure::Over(..)));
        list.extend(of_points.map(|(i, _)| PointScalar::Own(i)));
        list
    }

    /// The states of the mode that are no angles.
    fn straight(&self) -> impl Iterator<Item = usize> {
        let states = &self.system.modes[self.mode].states;
        (0..self.n).filter(|&c| self.system.states[states[c]].period.is_none())
    }

    /// Name and kind of one of them.
    pub(super) fn described(&self, monitor: PointScalar) -> Monitor {
        let states = &self.system.modes[self.mode].states;
        let state = |c: usize| &self.system.states[states[c]].name;
        match monitor {
            PointScalar::State(c) => Monitor::new(state(c), MonitorKind::Diagnostic),
            PointScalar::Extreme(c, kind) => Monitor::new(kind.of(state(c)), MonitorKind::Extreme),
            PointScalar::Norm => Monitor::new("l2_norm", MonitorKind::Diagnostic),
            PointScalar::Own(i) => Monitor::new(&self.system.monitors[i].name, MonitorKind::Diagnostic),
        }
    }

    /// Their values at `z`.
    pub(super) fn monitor_values(&self, z: &[f64]) -> Result<Vec<f64>, Failure> {
        let mut gradient = vec![0.0; z.len()];
        let list = self.monitor_list().into_iter();
        list.map(|monitor| self.monitor(monitor, z, &mut gradient)).collect()
    }

    /// Can monitor number `index` be held at a value?
    pub(super) fn can_fix_monitor(&self, index: usize) -> Result<(), HasCorners> {
        match self.monitor_list().get(index) {
            Some(PointScalar::Own(i)) => self.system.monitors[*i].can_be_fixed(),
            _ => Ok(()),
        }
    }

    /// The value of monitor number `index`; its gradient is added.
    pub(super) fn monitor_gradient(&self, index: usize, z: &[f64], gradient: &mut [f64]) -> Result<f64, Failure> {
        match self.monitor_list().get(index) {
            Some(monitor) => self.monitor(*monitor, z, gradient),
            None => Err(Failure::Evaluation("there is no such monitor".into())),
        }
    }

    fn monitor(&self, monitor: PointScalar, z: &[f64], gradient: &mut [f64]) -> Result<f64, Failure> {
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
                let entries = (0..self.length).map(|k| k * self.n + c);
                let best = entries.max_by(|&a, &b| score(z[a]).total_cmp(&score(z[b])));
                let at = best.unwrap_or(c);
                let sign = if kind == Extreme::Modulus { z[at].signum() } else { 1.0 };
                gradient[at] += sign;
                Ok(sign * z[at])
            }
            PointScalar::Norm => {
                let entries = |c: usize| (0..self.length).map(move |k| k * self.n + c);
                let squares = self.straight().map(|c| entries(c).map(|i| z[i] * z[i]).sum::<f64>());
                let norm = (squares.sum::<f64>() / self.length as f64).sqrt();
                for i in self.straight().flat_map(entries) {
                    gradient[i] += z[i] / (norm * self.length as f64);
                }
                Ok(norm)
            }
            PointScalar::Own(i) => self.own_monitor(&self.system.monitors[i].measure, z, gradient),
        }
    }

    fn own_monitor(&self, measure: &Measure, z: &[f64], gradient: &mut [f64]) -> Result<f64, Failure> {
        let of = |of: &Quantity| self.system.quantity(of, self.mode);
        match measure {
            Measure::At(Place::Start, quantity) => Ok(self.add(&of(quantity), 0, |_| 1.0, z, gradient)),
            Measure::Over(statistic, quantity) => self.statistic(*statistic, &of(quantity), z, gradient),
            _ => Err(Failure::Evaluation(
                "equilibria and points of maps have neither modes nor events".into(),
            )),
        }
    }

    /// A statistic of a quantity over the points. An equilibrium stands for itself, whatever its period may be taken
    /// for.
    fn statistic(
        &self,
        statistic: Statistic,
        of: &SharedFunction,
        z: &[f64],
        gradient: &mut [f64],
    ) -> Result<f64, Failure> {
        let values: Vec<f64> = (0..self.length).map(|i| self.value(of, i, z)).collect();
        match statistic.rule() {
            Rule::Extreme(sign) => {
                let largest = (0..self.length).max_by(|&a, &b| (sign * values[a]).total_cmp(&(sign * values[b])));
                Ok(self.add(of, largest.unwrap_or(0), |_| 1.0, z, gradient))
            }
            Rule::Integral(by) => {
                let sum = values.iter().map(|v| (by.integrand)(*v)).sum();
                let (value, by_sum, _) = (by.result)(sum, self.length as f64);
                // Where all values are zero their root mean square has a corner.
                let by_sum = if by_sum.is_finite() { by_sum } else { 0.0 };
                for i in 0..self.length {
                    self.add(of, i, |v| by_sum * (by.slope)(v), z, gradient);
                }
                Ok(value)
            }
        }
    }

    fn value(&self, of: &SharedFunction, point: usize, z: &[f64]) -> f64 {
        let mut v = [0.0];
        of.value(self.point(z, point), &self.parameters, &mut v);
        v[0]
    }

    /// The value of a quantity at a point; its gradient is added with a weight that depends on the value.
    fn add(
        &self,
        of: &SharedFunction,
        point: usize,
        weight: impl Fn(f64) -> f64,
        z: &[f64],
        gradient: &mut [f64],
    ) -> f64 {
        let (mut v, mut dx, mut dp) = ([0.0], vec![0.0; self.n], vec![0.0; self.free.len()]);
        jacobian(
            of.as_ref(),
            self.point(z, point),
            &self.parameters,
            &self.free,
            &mut v,
            &mut dx,
            &mut dp,
        );
        let weight = weight(v[0]);
        let (own, parameters) = (point * self.n, gradient.len() - self.free.len());
        gradient[own..].iter_mut().zip(&dx).for_each(|(g, d)| *g += weight * d);
        gradient[parameters..]
            .iter_mut()
            .zip(&dp)
            .for_each(|(g, d)| *g += weight * d);
        v[0]
    }
}
