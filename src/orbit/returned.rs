//! Where a motion of an autonomous system comes back to: from there a search for cycles begins.

use super::PeriodicOrbit;
use super::angles::apart;
use slipstick_flow::FlowError;

/// A motion that comes back to its first point this nearly, beside its extents, may be next to an orbit.
const NEAR: f64 = 0.3;

/// Where and for how long a motion of an autonomous system goes round, as nearly as it does: from its first point, or
/// from one on which it is much later, if it comes back there more closely. None where it comes to rest or does not
/// come back.
pub(super) fn returned(
    problem: &PeriodicOrbit<'_>,
    u: &[f64],
    longest: f64,
) -> Result<Option<(Vec<f64>, f64)>, FlowError> {
    /// How often it is looked at, and the part of the time after which it counts as late.
    const LOOKS: usize = 4000;
    const LATE: f64 = 0.5;
    /// A motion through less than this part of its size is rest.
    const STILL: f64 = 1e-6;
    let s = &problem.segments[0];
    let path = s.flow.path(u, longest, &problem.parameters)?;
    let step = longest / LOOKS as f64;
    let mut x = vec![0.0; s.n];
    let mut points = Vec::with_capacity(LOOKS + 1);
    for k in 0..=LOOKS {
        path.eval(step * k as f64, &mut x);
        points.push(x.clone());
    }
    let states = &problem.system.modes[s.mode].states;
    let difference = |a: &[f64], b: &[f64]| -> Vec<f64> {
        let of = |i: usize| apart(problem.system, states[i], a[i], b[i]);
        (0..s.n).map(of).collect()
    };
    let from = |begin: usize| -> Option<(f64, usize, usize)> {
        let later = &points[begin..];
        let extent = |i: usize| {
            let (low, high) = later.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| {
                (a.min(x[i]), b.max(x[i]))
            });
            (high - low, low.abs().max(high.abs()))
        };
        let extents: Vec<(f64, f64)> = (0..s.n).map(extent).collect();
        if extents.iter().all(|(extent, size)| *extent <= STILL * size) {
            return None;
        }
        let scaled = |d: Vec<f64>| -> Vec<f64> {
            let own = d.iter().zip(&extents);
            own.map(|(d, (extent, _))| if *extent > 0.0 { d / extent } else { 0.0 })
                .collect()
        };
        let mut rates = vec![0.0; s.n];
        problem.system.modes[s.mode]
            .field
            .value(&points[begin], &problem.parameters, &mut rates);
        let normal = scaled(rates);
        let mut before = 0.0;
        let mut nearest: Option<(f64, usize, usize)> = None;
        for (k, x) in later.iter().enumerate().skip(1) {
            let off = scaled(difference(x, &points[begin]));
            let height: f64 = off.iter().zip(&normal).map(|(a, b)| a * b).sum();
            let distance = off.iter().map(|v| v * v).sum::<f64>().sqrt();
            // Up through the plane across the flow, not on the other side of the motion.
            if before < 0.0 && height >= 0.0 && nearest.is_none_or(|n| distance < 0.5 * n.0) {
                nearest = Some((distance, begin, k));
            }
            before = height;
        }
        nearest
    };
    let found = [from(0), from((LATE * LOOKS as f64) as usize)];
    // Where it comes to is found from many seeds; what repels is next to few.
    let nearest = match found {
        [Some(at_once), late] if at_once.0 < NEAR || late.is_none() => Some(at_once),
        [_, late] => late,
    };
    Ok(nearest.map(|(_, begin, k)| (points[begin].clone(), step * k as f64)))
}
