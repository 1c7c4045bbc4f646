//! What is measured on a periodic orbit: extremes, monitors, admissibility, multipliers.

use crate::admissibility;
use crate::angles::straight_states;
use crate::dense_output::DenseOutput;
use crate::monitors::{self, Extreme, OrbitScalar};
use crate::multiplier_tests;
use crate::periodic::PeriodicOrbit;
use crate::perturbation::Stability;
use crate::refit;
use crate::segment::Segment;
use crate::stability;
use slipstick_bifurcation::Record;
use slipstick_continuation::{Failure, Point};
use slipstick_floquet::{FactorChain, Multiplier};

/// Measure the orbit at `point`, where it was linearised last. Returns the transition factors that its multipliers are
/// those of, if they were taken from any.
pub(crate) fn measure(orbit: &PeriodicOrbit<'_>, point: &Point, record: &mut Record) -> Result<FactorChain, Failure> {
    measure_all_but_stability(orbit, &point.z, record)?;
    measure_stability(orbit, &point.z, point.parameter_rate(), record)
}

/// Measure the equilibrium at `z`, a cycle of no extent, all but its stability.
pub(crate) fn measure_at_rest(orbit: &mut PeriodicOrbit<'_>, z: &[f64], record: &mut Record) -> Result<(), Failure> {
    orbit.take_parameters(z);
    let outcome = measure_all_but_stability(orbit, z, record);
    monitors::put(orbit, OrbitScalar::Liouville, 0.0, record);
    monitors::put(orbit, OrbitScalar::Error, 0.0, record);
    outcome
}

/// Extremes, monitors and inequalities, in one pass over the segments.
fn measure_all_but_stability(orbit: &PeriodicOrbit<'_>, z: &[f64], record: &mut Record) -> Result<(), Failure> {
    let (p, plan) = (&orbit.parameters, &orbit.plan);
    record.parameters.clone_from(p);
    record.period = orbit.period(z);
    record.monitors.clear();
    record.inequalities.clear();
    let mut ranges = vec![(f64::NAN, f64::NAN); plan.extremes.len()];
    let (mut square, mut length) = (0.0, 0.0);
    let mut dense_outputs = Vec::with_capacity(orbit.segments.len());
    for (k, s) in orbit.segments.iter().enumerate() {
        let duration = orbit.duration(z, k);
        let dense = DenseOutput::new(orbit.system, s, z, p)?;
        for ((least, most), (_, by_mode)) in ranges.iter_mut().zip(&plan.extremes) {
            let (lo, hi) = match &by_mode[s.mode] {
                Some(f) => dense.extrema(f.as_ref(), p)?,
                None => (0.0, 0.0),
            };
            (*least, *most) = (least.min(lo), most.max(hi));
        }
        if !orbit.system.is_hybrid() {
            // Angles have no size: where an orbit starts would show in it.
            let straight = straight_states(orbit.system, s.mode);
            dense.integrate(s.n, duration, &mut |weight, x| {
                square += weight * straight.iter().map(|&i| x[i] * x[i]).sum::<f64>();
            });
            length += duration;
        }
        admissibility::measure(orbit, z, k, &dense, &mut record.inequalities)?;
        dense_outputs.push(dense);
    }
    admissibility::join_parts(orbit, &mut record.inequalities);
    for monitor in monitors::list(orbit) {
        let value = match monitor {
            OrbitScalar::Extreme(state, kind) => {
                let (lo, hi) = range_of(orbit, &ranges, state);
                match kind {
                    Extreme::Modulus => lo.abs().max(hi.abs()),
                    Extreme::Largest => hi,
                    Extreme::Least => lo,
                }
            }
            OrbitScalar::Own(i) => monitors::own_value(orbit, i, &dense_outputs, z)?,
            OrbitScalar::Norm => (square / length).sqrt(),
            // They are known with the stability.
            OrbitScalar::Liouville | OrbitScalar::Error if orbit.meshed() => f64::NAN,
            OrbitScalar::Liouville | OrbitScalar::Error => 0.0,
        };
        record.monitors.push(value);
    }
    Ok(())
}

/// The least and the largest value of a state over the period, from those on the segments.
fn range_of(orbit: &PeriodicOrbit<'_>, ranges: &[(f64, f64)], state: usize) -> (f64, f64) {
    let found = |state: usize| {
        let i = orbit.plan.extremes.iter().position(|(s, _)| *s == state)?;
        Some(ranges[i])
    };
    let (mut lo, mut hi) = found(state).unwrap_or((f64::NAN, f64::NAN));
    if let Some(symmetry) = orbit.system.symmetry.as_ref().filter(|_| orbit.word.symmetric) {
        // The mirrored half takes the mirrored values of the state that it is the image of.
        let source = found(symmetry.source[state]).unwrap_or((lo, hi));
        let image = |v: f64| symmetry.sign[state] * v + symmetry.shift[state];
        let (a, b) = (image(source.0), image(source.1));
        lo = lo.min(a).min(b);
        hi = hi.max(a).max(b);
    }
    (lo, hi)
}

/// Multipliers of the orbit and the test functions made of them.
fn measure_stability(
    orbit: &PeriodicOrbit<'_>,
    z: &[f64],
    rate: f64,
    record: &mut Record,
) -> Result<FactorChain, Failure> {
    let symmetric = orbit.word.symmetric;
    let mut work = Stability::new(&orbit.plan.phases);
    let target = if symmetric {
        &mut record.nu
    } else {
        &mut record.multipliers
    };
    let defect = stability::multipliers(orbit, &mut work, z, target)?;
    if orbit.constraint.is_some() {
        prune_neutral(target);
    }
    if orbit.meshed() {
        let defect = defect.abs() * if symmetric { 2.0 } else { 1.0 };
        monitors::put(orbit, OrbitScalar::Liouville, defect, record);
        let error = refit::mesh_error(orbit, z);
        monitors::put(orbit, OrbitScalar::Error, error, record);
        let refusals = orbit.segments.iter().filter_map(Segment::profile);
        if let Some(why) = refusals.filter_map(|p| p.refusal(error)).next() {
            return Err(Failure::Evaluation(why));
        }
    }
    record.tests.clear();
    let target = if symmetric { &record.nu } else { &record.multipliers };
    let tests = multiplier_tests::values(target, orbit.neutral, rate);
    record.tests.extend(tests);
    if symmetric {
        record.multipliers.clear();
        record.multipliers.extend(record.nu.iter().map(|m| m.squared()));
    }
    record.unstable = Multiplier::count_unstable(&record.multipliers);
    Ok(work.chain)
}

/// Along a family at one value of the parameter a multiplier is +1 exactly; what it is off is rounding.
fn prune_neutral(multipliers: &mut [Multiplier]) {
    let distance = |m: &Multiplier| m.log10.hypot(m.arg);
    if let Some(m) = multipliers
        .iter_mut()
        .min_by(|a, b| distance(a).total_cmp(&distance(b)))
    {
        (m.log10, m.arg) = (0.0, 0.0);
    }
}
