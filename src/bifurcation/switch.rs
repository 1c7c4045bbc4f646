//! Branch switching: the direction of the second curve through a branch point, from the null space of the
//! linearisation.

use slipstick_continuation::{Failure, Newton, NewtonOptions, Point, Problem, family_on_plane, tangent_at};

/// How far from the branch point the other branch is sought, one after the other.
const STEPS: [f64; 5] = [0.02, 0.005, 0.05, 0.1, 0.001];

/// The first point on the other branch through `at`, whose tangent is that of the known branch, towards `side` (±1) of
/// the null vector.
///
/// At a simple branch point F' has a null space of dimension two. The null vector v orthogonal to the known tangent is
/// found by inverse iteration on `[F'; tᵀ]`, which is singular just there. The point is then corrected on the plane
/// `v · (z - z₀) = ds`, away from the known branch whatever its curvature, so no random push is needed. Where the other
/// branch is a family at one value of the parameter, the problem holds its parameter afterwards; that is looked for
/// unless `families` says that it cannot be one.
///
/// Reference: H. B. Keller (1977), in *Applications of Bifurcation Theory*, pp. 359–384.
///
/// # Errors
/// [`Failure`] when no step off the known branch converges.
pub fn other_branch<P: Problem>(problem: &mut P, at: &Point, side: f64, families: bool) -> Result<Point, Failure> {
    problem.release_parameter();
    let v = null_vector(problem, at)?;
    let row: Vec<f64> = v.iter().zip(&at.weights).map(|(v, w)| v * w * side).collect();
    let options = NewtonOptions {
        iterations: 20,
        ..NewtonOptions::default()
    };
    // A branch that keeps the parameter may count twice, and is one where the parameter is held.
    for ds in STEPS.into_iter().filter(|_| families) {
        let z: Vec<f64> = at.z.iter().zip(&v).map(|(z, v)| z + side * ds * v).collect();
        let mut guess = z;
        guess[at.z.len() - 1] = at.parameter();
        if let Some(point) = family_on_plane(problem, &guess, (&row, &at.z, ds), &options)
            && at.distance(&point) < 3.0 * ds
        {
            // The family goes through the branch point itself, and begins there.
            let here = family_on_plane(problem, &at.z, (&row, &at.z, 0.0), &options);
            return Ok(match here {
                Some(here) => here,
                None => family_on_plane(problem, &guess, (&row, &at.z, ds), &options).unwrap_or(point),
            });
        }
    }
    problem.release_parameter();
    let mut newton = Newton::default();
    let mut last = Failure::Evaluation("no step size is left to try".into());
    for ds in STEPS {
        let mut z: Vec<f64> = at.z.iter().zip(&v).map(|(z, v)| z + side * ds * v).collect();
        match newton.solve(problem, &mut z, &row, &at.z, &[ds], &options) {
            Ok(()) => match tangent_at(problem, z, &row, 1.0) {
                Ok(point) if at.distance(&point) < 20.0 * ds => return Ok(point),
                Ok(_) => last = Failure::Evaluation("the other branch was not found near the branch point".into()),
                Err(e) => last = e,
            },
            Err(e) => last = e,
        }
    }
    Err(last)
}

/// The unit null vector of F' orthogonal to the tangent at `at`, its largest component, relative to the sizes of the
/// unknowns, positive.
fn null_vector<P: Problem>(problem: &mut P, at: &Point) -> Result<Vec<f64>, Failure> {
    // At a branch point known to rounding the matrix may be exactly singular; a little beside it the null vector is the
    // same.
    let beside: Vec<f64> = at.z.iter().zip(&at.tangent).map(|(z, t)| z + 1e-7 * t).collect();
    null_vector_at(problem, at, &at.z).or_else(|_| null_vector_at(problem, at, &beside))
}

fn null_vector_at<P: Problem>(problem: &mut P, at: &Point, z: &[f64]) -> Result<Vec<f64>, Failure> {
    let n = at.z.len();
    let mut residual = vec![0.0; n - 1];
    problem.linearise(z, &mut residual)?;
    let row: Vec<f64> = at.tangent.iter().zip(&at.weights).map(|(t, w)| t * w).collect();
    // Any start with a part along v will do; a fixed one keeps results reproducible.
    let mut v: Vec<f64> = (0..n).map(|i| 1.0 + 0.5 * (1.7 * i as f64).sin()).collect();
    for _ in 0..4 {
        v[n - 1] = 0.0;
        problem.solve(&row, &mut v)?;
        let length = v.iter().zip(&at.weights).map(|(v, w)| v * v * w).sum::<f64>().sqrt();
        v.iter_mut().for_each(|x| *x /= length);
    }
    let largest = v
        .iter()
        .zip(&at.weights)
        .map(|(v, w)| v * w.sqrt())
        .fold(0.0f64, |m, x| if x.abs() > m.abs() { x } else { m });
    if largest < 0.0 {
        v.iter_mut().for_each(|x| *x = -*x);
    }
    Ok(v)
}
