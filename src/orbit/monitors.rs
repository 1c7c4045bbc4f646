//! The monitors of a periodic orbit: which there are, what they are called, their values.
//!
//! [`list`] is the one list that names, values and gradients follow.

use crate::dense_output::DenseOutput;
use crate::own_monitor::Spot;
use crate::periodic::PeriodicOrbit;
use crate::segment::Discretisation;
use slipstick_bifurcation::{Monitor, MonitorKind, Record};
use slipstick_continuation::Failure;
use slipstick_system::{Measure, Place, Rule, SharedFunction};

/// A monitor of a periodic orbit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OrbitScalar {
    /// An extreme of a state of the system.
    Extreme(usize, Extreme),
    /// One of the system's own monitors.
    Own(usize),
    /// The root of the mean square of all states that are no angles.
    Norm,
    /// How far the product of the multipliers is from what the divergence says.
    Liouville,
    /// The error of the mesh.
    Error,
}

/// Which extreme of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extreme {
    Modulus,
    Largest,
    Least,
}

impl Extreme {
    /// What it is called, of a state of this name.
    pub(crate) fn of(self, state: &str) -> String {
        match self {
            Self::Modulus => format!("max_abs_{state}"),
            Self::Largest => format!("{state}_max"),
            Self::Least => format!("{state}_min"),
        }
    }
}

/// All monitors, in the order of the tables.
pub(crate) fn list(orbit: &PeriodicOrbit<'_>) -> Vec<OrbitScalar> {
    let system = orbit.system;
    let straight = (0..system.states.len()).filter(|&s| system.states[s].period.is_none());
    let kinds = [Extreme::Modulus, Extreme::Largest, Extreme::Least];
    let mut list: Vec<OrbitScalar> = straight
        .flat_map(|s| kinds.map(|kind| OrbitScalar::Extreme(s, kind)))
        .collect();
    list.extend((0..system.monitors.len()).map(OrbitScalar::Own));
    if !system.is_hybrid() {
        list.push(OrbitScalar::Norm);
    }
    // Whether or not this word visits a mode that is: the words of a curve have the same columns.
    if orbit.meshed() || orbit.discretisations().iter().any(|d| *d != Discretisation::Flow) {
        list.extend([OrbitScalar::Liouville, OrbitScalar::Error]);
    }
    list
}

/// Name and kind of one of them.
pub(crate) fn described(orbit: &PeriodicOrbit<'_>, monitor: OrbitScalar) -> Monitor {
    match monitor {
        OrbitScalar::Extreme(state, kind) => {
            Monitor::new(kind.of(&orbit.system.states[state].name), MonitorKind::Extreme)
        }
        OrbitScalar::Own(i) => {
            let own = &orbit.system.monitors[i];
            let kind = match orbit.is_free() && own.is_read_at_start() {
                true => MonitorKind::Incidental,
                false => MonitorKind::Diagnostic,
            };
            Monitor::new(&own.name, kind)
        }
        OrbitScalar::Norm => Monitor::new("l2_norm", MonitorKind::Diagnostic),
        OrbitScalar::Liouville => Monitor::new("liouville", MonitorKind::Incidental),
        OrbitScalar::Error => Monitor::new("error", MonitorKind::Error),
    }
}

/// Put a monitor's value into a record that has room for all of them.
pub(crate) fn put(orbit: &PeriodicOrbit<'_>, monitor: OrbitScalar, value: f64, record: &mut Record) {
    let all = list(orbit).into_iter().zip(&mut record.monitors);
    all.filter(|(m, _)| *m == monitor).for_each(|(_, v)| *v = value);
}

/// The value of one of the system's own monitors on the orbit with these segments; NaN where the orbit never comes
/// to the place asked for.
pub(crate) fn own_value(
    orbit: &PeriodicOrbit<'_>,
    index: usize,
    dense_outputs: &[DenseOutput<'_, '_>],
    z: &[f64],
) -> Result<f64, Failure> {
    let (own, p) = (&orbit.plan.own[index], &orbit.parameters);
    match &orbit.system.monitors[index].measure {
        Measure::Duration(_) => Ok(own.spot.map_or(0.0, |spot| orbit.reported_duration(z, spot.segment))),
        Measure::At(place, _) => {
            let Some(spot) = own.spot else { return Ok(f64::NAN) };
            if matches!(place, Place::Start)
                && let Some(zero) = orbit.phase_zero(z)
            {
                let s = &orbit.segments[zero.segment];
                let (mut x, mut v) = (vec![0.0; s.n], [0.0]);
                dense_outputs[zero.segment].eval(zero.t, &mut x);
                own.function(s.mode, zero.mirrored).value(&x, p, &mut v);
                return Ok(own.turned(v[0]));
            }
            let s = &orbit.segments[spot.segment];
            let x = if spot.at_end {
                &s.transition.x
            } else {
                orbit.start(z, spot.segment)
            };
            let mut v = [0.0];
            own.function(s.mode, spot.mirrored).value(x, p, &mut v);
            Ok(own.turned(v[0]))
        }
        Measure::Sum(_) => {
            let worth = |(spot, of): &(Spot, SharedFunction)| {
                let mut v = [0.0];
                of.value(&orbit.segments[spot.segment].transition.x, p, &mut v);
                v[0]
            };
            Ok(own.terms.iter().map(worth).sum())
        }
        Measure::Over(statistic, _) => {
            let traversed = orbit
                .segments
                .iter()
                .zip(dense_outputs)
                .enumerate()
                .flat_map(|(k, (s, dense))| {
                    let duration = orbit.duration(z, k);
                    own.halves(s.mode).map(move |of| (s, dense, of, duration))
                });
            match statistic.rule() {
                Rule::Extreme(sign) => {
                    let mut largest = f64::NEG_INFINITY;
                    for (s, dense, of, duration) in traversed {
                        let (least, most) = dense.range_of(of, s.n, p, duration)?;
                        largest = largest.max((sign * least).max(sign * most));
                    }
                    Ok(sign * largest)
                }
                Rule::Integral(by) => {
                    let mut sum = 0.0;
                    for (s, dense, of, duration) in traversed {
                        sum += dense.integral_of(of, by.integrand, s.n, p, duration)?.value;
                    }
                    Ok((by.result)(sum, orbit.period(z)).0)
                }
            }
        }
    }
}
