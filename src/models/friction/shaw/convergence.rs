//! How fast the Euler scheme converges to the exact motion.

use super::{Cascade, CascadeError, EulerScheme, Forcing, Oscillator};

/// The error of the scheme at one step.
///
/// ```
/// use slipstick_models::friction::shaw::{Forcing, Oscillator, convergence};
/// let steps = [0.02, 0.01, 0.005, 0.0025];
/// let rows = convergence(Oscillator::default(), &Forcing::harmonic(0.5), (0.0, 0.0, 0.0), 20.0, 0.5, &steps)?;
/// // Halving the step halves the error: the scheme projects the velocity, and is of first order.
/// assert!(rows[0].order.is_nan() && rows.windows(2).all(|pair| pair[1].displacement < pair[0].displacement));
/// assert!((rows[3].order - 1.0).abs() < 0.3, "{rows:?}");
/// # Ok::<(), slipstick_models::friction::shaw::CascadeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConvergenceRow {
    /// The step h.
    pub step: f64,
    /// Largest error of the displacement at the test times.
    pub displacement: f64,
    /// Largest error of the velocity there.
    pub velocity: f64,
    /// The order seen between the row before and this one; NaN in the first.
    pub order: f64,
}

/// Errors of the Euler scheme against the exact motion, at the times `from + i · every` up to `to`, for each of the
/// `steps`.
///
/// Every step should divide `every`: otherwise the nearest grid point is compared, at an error of first order of its
/// own.
///
/// # Errors
/// Those of [`Cascade::new`] and [`EulerScheme::new`].
pub fn convergence(
    oscillator: Oscillator,
    forcing: &Forcing,
    start: (f64, f64, f64),
    to: f64,
    every: f64,
    steps: &[f64],
) -> Result<Vec<ConvergenceRow>, CascadeError> {
    let exact = Cascade::new(oscillator, forcing, start, to)?;
    let mut rows: Vec<ConvergenceRow> = Vec::with_capacity(steps.len());
    for &step in steps {
        let scheme = EulerScheme::new(oscillator, step)?;
        let stride = ((every / step).round() as usize).max(1);
        let (mut displacement, mut velocity) = (0.0_f64, 0.0_f64);
        for (t, x, v) in scheme.path(|t| forcing.at(t), start, to).step_by(stride) {
            let s = exact.at(t);
            displacement = displacement.max((x - s.x).abs());
            velocity = velocity.max((v - s.v).abs());
        }
        let order = rows.last().map_or(f64::NAN, |r| {
            (displacement / r.displacement).ln() / (step / r.step).ln()
        });
        rows.push(ConvergenceRow {
            step,
            displacement,
            velocity,
            order,
        });
    }
    Ok(rows)
}
