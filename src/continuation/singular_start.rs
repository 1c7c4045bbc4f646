//! Starts at a point of a curve where its parameter turns back, so that no correction at fixed parameter is possible.

use super::point::{Point, tangent_at};
use super::{Failure, Newton, NewtonOptions, Problem};

/// The solution next to a guess, with the tangent of the curve through it: the parameter is corrected with the rest,
/// so that it may turn back there or nearly so, as where an impact begins of which the velocity grows like a root. The
/// `direction` is one along the curve.
///
/// # Errors
/// [`Failure`] where the guess does not converge, or several curves meet.
///
/// ```
/// use slipstick_continuation::{NewtonOptions, solution_next_to};
/// use slipstick_orbit::FixedPoint;
/// use slipstick_study as study;
/// let text = r#"Study(title: "fold", system: Smooth(states: ["x"], parameters: {"a": 1}, equations: ["x' = a - x^2"]))"#;
/// let plan = study::parse("fold.ron".as_ref(), text.into())?.plan(&[])?;
/// let mut rest = FixedPoint::equilibrium(&plan.systems[0].system, 0, vec![0.0], vec![0]);
/// let fold = solution_next_to(&mut rest, &[1e-9, 0.0], 1.0, &NewtonOptions::default())?;
/// assert!(fold.stays_at_parameter() && fold.parameter().abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn solution_next_to<P: Problem + ?Sized>(
    problem: &mut P,
    guess: &[f64],
    direction: f64,
    options: &NewtonOptions,
) -> Result<Point, Failure> {
    let n = guess.len();
    let mut weights = vec![0.0; n];
    problem.weights(guess, &mut weights);
    // Any row with a part along the curve will do; a fixed one keeps results reproducible.
    let row: Vec<f64> = (0..n)
        .map(|i| (1.0 + 0.5 * (1.7 * i as f64).sin()) * weights[i].sqrt())
        .collect();
    let mut z = guess.to_vec();
    Newton::default().solve(problem, &mut z, &row, guess, &[0.0], options)?;
    tangent_at(problem, z, &row, direction)
}

/// The fold that a guess lies on, with the tangent of the curve through it, after a `failure` at fixed parameter.
///
/// # Errors
/// The `failure`, or what is wrong with a solution from which no curve is known to lead on.
pub(crate) fn at_fold<P: Problem + ?Sized>(
    problem: &mut P,
    guess: &[f64],
    direction: f64,
    options: &NewtonOptions,
    failure: Failure,
) -> Result<Point, Failure> {
    /// How far the fold may be from the guess, and its parameter from that of the guess, in their own scales.
    const NEAR: f64 = 1e-6;
    const SAME: f64 = 1e-9;
    /// Residuals as small as this are rounding.
    const SOLVED: f64 = 1e-12;
    let n = guess.len();
    let found = solution_next_to(problem, guess, direction, options);
    if let Ok(point) = found {
        let off = |i: usize| (point.z[i] - guess[i]).abs() * point.weights[i].sqrt();
        if point.stays_at_parameter() && (0..n).all(|i| off(i) <= NEAR) && off(n - 1) <= SAME {
            return Ok(point);
        }
    }
    let mut residual = vec![0.0; n - 1];
    if problem.linearise(guess, &mut residual).is_ok() && residual.iter().all(|r| r.abs() <= SOLVED) {
        return Err(Failure::Evaluation(
            "the guess is a solution, but a singular one, where several curves may meet: start beside it, at another value of the parameter"
                .into(),
        ));
    }
    Err(failure)
}
