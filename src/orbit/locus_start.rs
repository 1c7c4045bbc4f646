//! Where a two-parameter curve begins: at the point that it is asked from.

use crate::periodic::PeriodicOrbit;
use slipstick_continuation::{Failure, Problem};
use slipstick_system::ModeKind;

/// The corrector may move the parameters of the located point by this part of their sizes: as far as the first step
/// of a curve. What it finds farther away is another solution. States and durations that vanish with the root of a
/// distance are off by more.
const NEAR: f64 = 0.01;

/// Is the solution `found` that from which the curve is asked? Both parameters come last.
///
/// # Errors
/// [`Failure`] when it is farther away than a first step.
pub(crate) fn is_near(problem: &impl Problem, from: &[f64], found: &[f64]) -> Result<(), Failure> {
    let mut sizes = vec![0.0; from.len()];
    problem.sizes(from, &mut sizes);
    let states = from.len().saturating_sub(2);
    let moves = from
        .iter()
        .zip(found)
        .zip(&sizes)
        .map(|((a, b), size)| ((b - a) / size).abs());
    let most = moves.skip(states).fold(0.0, f64::max);
    if most <= NEAR {
        return Ok(());
    }
    Err(Failure::Evaluation(format!(
        "Newton's method ends at another solution, with a parameter {most:.0e} of itself away"
    )))
}

/// What to do where all motion of the orbit at `z` vanishes and one segment in stick is left: no equation says then
/// when the motion begins, and the place is where the force in stick reaches its limit.
pub(crate) fn stuck_all_along(orbit: &PeriodicOrbit<'_>, z: &[f64]) -> Option<String> {
    /// A part of the lap that is located as none.
    const VANISHED: f64 = 1e-5;
    let lasting = |k: &usize| orbit.duration(z, *k).abs() > VANISHED * orbit.lap(z);
    let mut left = (0..orbit.segments.len()).filter(lasting);
    let (Some(k), None) = (left.next(), left.next()) else {
        return None;
    };
    let mode = &orbit.system.modes[orbit.segments[k].mode];
    (orbit.segments.len() > 1 && mode.kind == ModeKind::Stick).then(|| {
        format!(
            "the whole motion vanishes there: trace a curve of the word `{} free`, and follow its OV instead",
            mode.name
        )
    })
}
