//! The small cycle at a Hopf point of many states.

use super::LargeCycle;
use super::rest::eigenpair;
use crate::fixed_point::spectrum;
use crate::hopf::Fractions;
use crate::hopf_size::linear_size;
use crate::perturbation::evaluation;
use nalgebra::Complex;
use slipstick_continuation::{Failure, Newton, NewtonOptions, Point, Problem, tangent_at};
use std::f64::consts::TAU;

/// The first cycle of the family that branches off at a Hopf point: at the equilibrium `x` with the present parameters
/// a pair of eigenvalues is imaginary. As [`from_hopf`](crate::from_hopf) for systems of few states.
///
/// ```
/// use slipstick_orbit::{LargeCycle, MeshOptions, large_from_hopf};
/// use slipstick_study as study;
/// // Fifty oscillators in a ring begin to turn together at a = 0, on the circle of radius √a.
/// let n = 50;
/// let (mut states, mut equations) = (vec![], vec![]);
/// for i in 0..n {
///     let (l, r) = ((i + n - 1) % n, (i + 1) % n);
///     states.push(format!("\"x{i}\", \"y{i}\""));
///     equations.push(format!("\"x{i}' = a*x{i} - 2*y{i} - x{i}*(x{i}^2 + y{i}^2) + x{l} - 2*x{i} + x{r}\""));
///     equations.push(format!("\"y{i}' = 2*x{i} + a*y{i} - y{i}*(x{i}^2 + y{i}^2) + y{l} - 2*y{i} + y{r}\""));
/// }
/// let (states, equations) = (states.join(", "), equations.join(", "));
/// let text = format!("Study(title: \"ring\", system: Smooth(states: [{states}], parameters: {{\"a\": 0}}, equations: [{equations}]))");
/// let plan = study::parse("ring.ron".as_ref(), text)?.plan(&[])?;
/// let mut cycle = LargeCycle::new(&plan.systems[0].system, vec![0.0], 0, MeshOptions { stages: 4, tolerance: 1e-6, ..MeshOptions::default() })?;
/// let point = large_from_hopf(&mut cycle, &vec![0.0; 2 * n], (-1.0, 1.0))?;
/// let radius = cycle.start(&point.z)[0].hypot(cycle.start(&point.z)[1]);
/// assert!((point.parameter() - radius * radius).abs() < 1e-8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Failure`] when there is no such pair, or no member of the family converges.
pub fn large_from_hopf(cycle: &mut LargeCycle<'_>, x: &[f64], range: (f64, f64)) -> Result<Point, Failure> {
    let (omega, q) = imaginary_pair(cycle, x)?;
    let p = cycle.parameters.clone();
    let size = {
        let Some(mut derivatives) = cycle.derivatives() else {
            return Err(Failure::Evaluation("the system has no sparse equations".into()));
        };
        let rates = cycle.derive(x, &p, &mut derivatives);
        let linear = |step: &[f64]| {
            let mut image = vec![0.0; step.len()];
            derivatives.matrix.multiply(step, &mut image);
            image
        };
        let field = cycle.system.modes[cycle.system.start.mode()].field.as_ref();
        linear_size(field, x, &p, (&rates, &linear), &q)
    };
    let options = NewtonOptions {
        iterations: 12,
        ..NewtonOptions::default()
    };
    let (mut newton, here) = (Newton::default(), p[cycle.free[0]]);
    let mut last = Failure::Evaluation("no amplitude was tried".into());
    let mut fractions = Fractions::within(here, range);
    while let Some(fraction) = fractions.next() {
        let amplitude = fraction * size;
        cycle.set_parameter(cycle.free[0], here);
        let mut z = cycle.guess(TAU / omega, &mut |t, out| {
            let (sin, cos) = (omega * t).sin_cos();
            for ((o, q), x) in out.iter_mut().zip(&q).zip(x) {
                *o = x + amplitude * (q.re * cos - q.im * sin);
            }
        });
        let mut weights = vec![0.0; z.len()];
        cycle.weights(&z, &mut weights);
        // The equilibrium itself, and the direction in which the family grows.
        let mut rest = z.clone();
        rest[..z.len() - 2]
            .chunks_exact_mut(x.len())
            .for_each(|own| own.copy_from_slice(x));
        let away: Vec<f64> = z.iter().zip(&rest).map(|(z, r)| z - r).collect();
        let length = away.iter().zip(&weights).map(|(a, w)| a * a * w).sum::<f64>().sqrt();
        let row: Vec<f64> = away.iter().zip(&weights).map(|(a, w)| a * w / length).collect();
        let solved = newton.solve(cycle, &mut z, &row, &rest, &[length], &options);
        let found = solved.and_then(|()| tangent_at(cycle, z, &row, 1.0));
        match found {
            Ok(point) if fractions.ends_with(fraction, point.parameter()) => return Ok(point),
            Ok(_) => {}
            Err(e) => last = e,
        }
    }
    Err(last)
}

/// The frequency of the eigenvalues nearest to the imaginary axis, and the right vector of length one.
fn imaginary_pair(cycle: &LargeCycle<'_>, x: &[f64]) -> Result<(f64, Vec<Complex<f64>>), Failure> {
    /// The real part, relative to the modulus.
    const NEAR: f64 = 1e-2;
    let none =
        || Failure::Evaluation("the point has no pair of imaginary eigenvalues, so it is not a Hopf point".into());
    let mut derivatives = cycle.derivatives().ok_or_else(none)?;
    cycle.derive(x, &cycle.parameters, &mut derivatives);
    let found = spectrum(&derivatives.matrix, &derivatives.order, false).map_err(evaluation)?;
    let pair = found
        .values
        .into_iter()
        .filter(|v| v.im > 0.0)
        .min_by(|a, b| (a.re.abs() / a.norm()).total_cmp(&(b.re.abs() / b.norm())))
        .filter(|v| v.re.abs() < NEAR * v.norm())
        .ok_or_else(none)?;
    let (value, q) = eigenpair(&derivatives, pair)
        .ok_or_else(|| Failure::Evaluation("the eigenvector of the Hopf point could not be computed".into()))?;
    Ok((value.im, q))
}
