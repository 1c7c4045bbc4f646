//! Folds of the critical manifold along one line of fast states: where it turns back.

use super::error::SlowFastError;
use super::manifold::ManifoldPoint;
use super::problem::SlowFastProblem;
use nalgebra::{Matrix2, Vector2};
use slipstick_numerics::roots::{Sample, resolved_zeros};

/// Equal pieces of an interval at whose ends it is sampled, and pieces of equal ratio towards zero and the ends where
/// the interval covers several orders of magnitude: where this is the only line looked at, and where there are many, or
/// each sample is a search of its own, as where f is not linear in the state solved for.
const PIECES: [usize; 2] = [1024, 160];
const RATIOS: [usize; 2] = [256, 48];
/// The smallest magnitude at which an interval that contains zero is sampled, as a part of its largest.
const SMALLEST: f64 = 1e-9;

/// Increasing values from `low` to `high`: evenly spaced, and with equal ratios.
fn nodes((low, high): (f64, f64), pieces: usize, ratios: usize) -> Vec<f64> {
    let even = |k: usize| low + (high - low) * k as f64 / pieces as f64;
    let mut nodes: Vec<f64> = (0..pieces).map(even).collect();
    nodes.push(high);
    for (sign, near, far) in [(1.0, low, high), (-1.0, -high, -low)] {
        let near = near.max(SMALLEST * far);
        if far > 2.0 * near {
            let ratio = (far / near).ln() / ratios as f64;
            nodes.extend((0..ratios).map(|k| sign * near * (ratio * k as f64).exp()));
        }
    }
    nodes.retain(|v| (low..=high).contains(v));
    nodes.sort_by(f64::total_cmp);
    nodes.dedup();
    nodes
}

impl SlowFastProblem<'_> {
    /// The folds of the critical manifold on the plane through `at` of the fast state, within `range`, and the slow
    /// state `solve_for`, within `within`: where the graph of that state over the fast one has an extremum. Intervals
    /// of the fast state are halved until nothing narrow is left between samples.
    ///
    /// # Errors
    /// When `at` is not a point of the mode, or the state is not a slow one.
    ///
    /// ```
    /// use slipstick_slow_fast::{Reduction, SlowFastProblem};
    /// use slipstick_system::catalogue::regularised_stiction;
    /// let system = regularised_stiction();
    /// let p = [2.0, 1.1, 0.4, 0.6, 1e-3]; // Ω, μ_s, μ_d, δ, ε
    /// let layer = SlowFastProblem::new(&system, &p, Reduction::Singular)?;
    /// // At one phase, over the velocity of the layer: where the friction is the static one.
    /// let folds = layer.fold_points(0, &[0.0; 3], (-0.9, 0.9), (-1.0, 1.0))?;
    /// assert!(folds.len() == 2 && folds.iter().all(|x| (x[1].abs() - 0.6).abs() < 1e-9));
    /// # Ok::<(), slipstick_slow_fast::SlowFastError>(())
    /// ```
    pub fn fold_points(
        &self,
        solve_for: usize,
        at: &[f64],
        range: (f64, f64),
        within: (f64, f64),
    ) -> Result<Vec<Vec<f64>>, SlowFastError> {
        self.fold_points_on_line(solve_for, at, [range, within], true)
    }
    /// The same, on one of many lines unless it is the `only` one.
    pub(super) fn fold_points_on_line(
        &self,
        solve_for: usize,
        at: &[f64],
        [range, within]: [(f64, f64); 2],
        only: bool,
    ) -> Result<Vec<Vec<f64>>, SlowFastError> {
        let fast = self.fast();
        if solve_for == fast {
            let what = format!("folds are sought over the fast state {fast}, so f = 0 is not solved for it");
            return Err(SlowFastError::Argument(what));
        }
        // Checks the point and the state.
        self.manifold_along(solve_for, at, within)?;
        let linear = self.affine_force(at, solve_for).is_some();
        // A graph is followed out of the interval, and back into it.
        let reach = if linear {
            (f64::NEG_INFINITY, f64::INFINITY)
        } else {
            within
        };
        let over = |y: f64| -> Vec<ManifoldPoint> {
            let mut x = at.to_vec();
            x[fast] = y;
            self.manifold_along(solve_for, &x, reach).unwrap_or_default()
        };
        let (mut unit, mut other) = (vec![0.0; at.len()], vec![0.0; at.len()]);
        (unit[fast], other[solve_for]) = (1.0, 1.0);
        let sample = |point: &ManifoldPoint| {
            let x = &point.state;
            let across = self.local(x).gradient[solve_for];
            let (bend, turn) = (self.gradient_along(x, &unit), self.gradient_along(x, &other));
            let slope = -point.slope / across;
            let second = -(bend[fast] + 2.0 * bend[solve_for] * slope + turn[solve_for] * slope * slope) / across;
            Sample {
                integral: Some(x[solve_for]),
                value: slope,
                slope: second,
            }
        };
        let kind = usize::from(!(linear && only));
        let graph = |y: f64| {
            let samples: Vec<Sample> = over(y).iter().map(sample).collect();
            let finite =
                |s: &Sample| s.value.is_finite() && s.slope.is_finite() && s.integral.is_some_and(f64::is_finite);
            if samples.iter().all(finite) { samples } else { vec![] }
        };
        let zeros = resolved_zeros(&nodes(range, PIECES[kind], RATIOS[kind]), graph);
        let mut folds: Vec<Vec<f64>> = Vec::new();
        for (y, k) in zeros {
            let Some(point) = over(y).into_iter().nth(k) else {
                continue;
            };
            let z = point.state[solve_for];
            // A change of sign of the slope may be a pole of the graph.
            if z >= within.0
                && z <= within.1
                && let Some(fold) = self.polished_fold(point.state, solve_for, range.1 - range.0)
            {
                folds.push(fold);
            }
        }
        Ok(folds)
    }
    /// The zero of `(f, f_y)` next to `x` in the plane of the fast state and this slow one, if it is a zero.
    fn polished_fold(&self, mut x: Vec<f64>, solve_for: usize, width: f64) -> Option<Vec<f64>> {
        /// A fold lies this near to where the slope of the graph changes its sign, as a part of the interval.
        const NEAR: f64 = 1e-6;
        let fast = self.fast();
        let mut unit = vec![0.0; x.len()];
        unit[fast] = 1.0;
        let begin = x[fast];
        for _ in 0..8 {
            let (local, bend) = (self.local(&x), self.gradient_along(&x, &unit));
            let slope = local.gradient[fast];
            let jacobian = Matrix2::new(slope, local.gradient[solve_for], bend[fast], bend[solve_for]);
            let step = jacobian.lu().solve(&Vector2::new(local.force, slope))?;
            if !(step[0].is_finite() && step[1].is_finite()) {
                return None;
            }
            let moved = x[fast] - step[0] - begin;
            if moved.abs() > NEAR * width {
                return None;
            }
            x[fast] -= step[0];
            x[solve_for] -= step[1];
            if step[0].abs() <= 1e-14 * width {
                return Some(x);
            }
        }
        Some(x)
    }
}

#[cfg(test)]
mod tests {
    use super::nodes;

    #[test]
    fn intervals_over_several_magnitudes_have_nodes_in_each() {
        for range in [(5e-4, 1.2), (-1.2, -5e-4), (-1.0, 3.0), (0.0, 2.0), (5.0, 6.0)] {
            let values = nodes(range, 10, 40);
            assert!(values.is_sorted_by(|a, b| a < b));
            assert_eq!((values[0], values[values.len() - 1]), range);
            let smallest = values
                .iter()
                .map(|v| v.abs())
                .filter(|v| *v > 0.0)
                .fold(f64::INFINITY, f64::min);
            let near = if range.0 * range.1 > 0.0 {
                range.0.abs().min(range.1.abs())
            } else {
                1e-8
            };
            assert!(smallest <= near * 1.000_001, "{range:?}: {smallest}");
        }
    }
}
