//! The monitors of a cycle of many states: which there are, what they are called, their values.

use super::LargeCycle;
use super::spectrum;
use crate::monitors::Extreme;
use slipstick_bifurcation::{Monitor, MonitorKind, Record};
use slipstick_continuation::{Failure, Point, Problem};
use slipstick_floquet::{Multiplier, Neutral};
use slipstick_system::{Measure, Place, Rule};

/// Of systems of more states the tables have no columns for each: they are in the files of the orbits.
const TABULATED: usize = 500;
/// A point nearer than this to the last linearisation, relative to the sizes of its unknowns, is measured with that.
const NEAR: f64 = 1e-9;

/// A monitor.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CycleScalar {
    Extreme(usize, Extreme),
    Own(usize),
    Norm,
    Amplitude,
    Trivial,
    Error,
}

fn list(cycle: &LargeCycle<'_>) -> Vec<CycleScalar> {
    let kinds = [Extreme::Modulus, Extreme::Largest, Extreme::Least];
    let states = if cycle.n > TABULATED { 0 } else { cycle.n };
    let mut list: Vec<CycleScalar> = (0..states)
        .flat_map(|s| kinds.map(|kind| CycleScalar::Extreme(s, kind)))
        .collect();
    list.extend((0..cycle.system.monitors.len()).map(CycleScalar::Own));
    list.extend([
        CycleScalar::Norm,
        CycleScalar::Amplitude,
        CycleScalar::Trivial,
        CycleScalar::Error,
    ]);
    list
}

/// All monitors, in the order of the tables.
pub(super) fn described(cycle: &LargeCycle<'_>) -> Vec<Monitor> {
    let of = |scalar| match scalar {
        CycleScalar::Extreme(s, kind) => Monitor::new(kind.of(&cycle.system.states[s].name), MonitorKind::Extreme),
        CycleScalar::Own(i) => {
            let own = &cycle.system.monitors[i];
            let kind = match own.is_read_at_start() {
                true => MonitorKind::Incidental,
                false => MonitorKind::Diagnostic,
            };
            Monitor::new(&own.name, kind)
        }
        CycleScalar::Norm => Monitor::diagnostic("l2_norm"),
        CycleScalar::Amplitude => Monitor::diagnostic("amplitude"),
        CycleScalar::Trivial => Monitor::new("trivial", MonitorKind::Incidental),
        CycleScalar::Error => Monitor::new("error", MonitorKind::Error),
    };
    list(cycle).into_iter().map(of).collect()
}

/// Where the amplitude stands among them.
pub(super) fn amplitude(cycle: &LargeCycle<'_>, record: &Record) -> Option<f64> {
    let at = list(cycle)
        .iter()
        .position(|scalar| *scalar == CycleScalar::Amplitude)?;
    record.monitors.get(at).copied()
}

/// The value of one of the system's own monitors.
fn own_value(cycle: &LargeCycle<'_>, measure: &Measure, z: &[f64]) -> f64 {
    let p = cycle.parameters_at(z);
    let mode = cycle.system.start.mode();
    match measure {
        Measure::At(Place::Start, quantity) => {
            let mut v = [0.0];
            cycle.system.quantity(quantity, mode).value(cycle.start(z), &p, &mut v);
            v[0]
        }
        Measure::Over(statistic, quantity) => {
            let of = cycle.system.quantity(quantity, mode);
            match statistic.rule() {
                Rule::Extreme(sign) => sign * cycle.largest(z, of.as_ref(), sign),
                Rule::Integral(by) => {
                    let mut v = [0.0];
                    let mean = cycle.mean(z, &mut |x| {
                        of.value(x, &p, &mut v);
                        (by.integrand)(v[0])
                    });
                    let period = cycle.period(z);
                    (by.result)(mean * period, period).0
                }
            }
        }
        // There are neither modes nor events.
        _ => f64::NAN,
    }
}

/// Measure a cycle, with its leading multipliers.
pub(super) fn measure(cycle: &mut LargeCycle<'_>, point: &Point, record: &mut Record) -> Result<(), Failure> {
    let z = &point.z;
    let mut sizes = vec![0.0; z.len()];
    cycle.sizes(z, &mut sizes);
    let near = |((a, b), size): ((&f64, &f64), &f64)| (a - b).abs() <= NEAR * size;
    if cycle.at.len() != z.len() || !cycle.at.iter().zip(z).zip(&sizes).all(near) {
        cycle.linearise(z, &mut vec![0.0; z.len() - 1])?;
    }
    cycle.parameters = cycle.parameters_at(z);
    record.parameters.clone_from(&cycle.parameters);
    record.period = cycle.period(z);
    let (multipliers, trivial) = spectrum::multipliers(cycle)?;
    measure_profile(cycle, z, record);
    let known = list(cycle).into_iter().zip(&mut record.monitors);
    known
        .filter(|(scalar, _)| *scalar == CycleScalar::Trivial)
        .for_each(|(_, value)| *value = trivial);
    record.inequalities.clear();
    record.tests.clear();
    record.tests.extend(spectrum::tests(
        &multipliers,
        Neutral::default(),
        point.parameter_rate(),
    ));
    record.unstable = Multiplier::count_unstable(&multipliers);
    record.multipliers = multipliers;
    Ok(())
}

/// All monitors that the profile of the cycle tells.
pub(super) fn measure_profile(cycle: &LargeCycle<'_>, z: &[f64], record: &mut Record) {
    let norm = cycle.mean(z, &mut |x| squares(cycle, x, None)).sqrt();
    let centre = cycle.centre(z);
    let amplitude = cycle.mean(z, &mut |x| squares(cycle, x, Some(&centre))).sqrt();
    record.monitors.clear();
    let mut range = (0.0, 0.0);
    for scalar in list(cycle) {
        record.monitors.push(match scalar {
            CycleScalar::Extreme(s, Extreme::Modulus) => {
                range = cycle.range(z, s);
                range.0.abs().max(range.1.abs())
            }
            CycleScalar::Extreme(_, Extreme::Largest) => range.0,
            CycleScalar::Extreme(_, Extreme::Least) => range.1,
            CycleScalar::Own(i) => own_value(cycle, &cycle.system.monitors[i].measure, z),
            CycleScalar::Norm => norm,
            CycleScalar::Amplitude => amplitude,
            CycleScalar::Trivial => 0.0,
            CycleScalar::Error => cycle.mesh_error(z),
        });
    }
}

/// The sum of the squares of the states, less those of a centre, in the units of the study.
fn squares(cycle: &LargeCycle<'_>, x: &[f64], centre: Option<&[f64]>) -> f64 {
    let unit = |s: usize| cycle.system.units.state(s);
    let from = |s: usize| centre.map_or(0.0, |centre| centre[s]);
    x.iter()
        .enumerate()
        .map(|(s, x)| (unit(s) * (x - from(s))).powi(2))
        .sum()
}
