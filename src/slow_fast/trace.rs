//! Curves given by m equations in m + 1 unknowns, traced by arclength: fold lines, and folded singularities over a
//! parameter.

use nalgebra::{DMatrix, DVector};
use slipstick_numerics::stop::look;

/// Equations of a curve: residuals (m) and their Jacobian (m × (m+1)).
pub(super) type Equations<'a> = dyn Fn(&DVector<f64>) -> (DVector<f64>, DMatrix<f64>) + 'a;

/// How a curve is traced. Unknowns are measured in units of `scale`.
pub(super) struct Tracer<'a> {
    pub(super) equations: &'a Equations<'a>,
    pub(super) scale: Vec<f64>,
    /// Largest step, in scaled units.
    pub(super) step: f64,
    /// Most points on a curve.
    pub(super) limit: usize,
}

/// Newton iterations of a corrector.
const ITERATIONS: usize = 12;
/// Consecutive tangents may differ by this much (cosine).
const ALIGNED: f64 = 0.985;

impl Tracer<'_> {
    /// Residual and Jacobian in scaled unknowns.
    fn scaled(&self, u: &DVector<f64>) -> (DVector<f64>, DMatrix<f64>) {
        let x = DVector::from_iterator(u.len(), u.iter().zip(&self.scale).map(|(u, s)| u * s));
        let (r, mut j) = (self.equations)(&x);
        for (mut column, s) in j.column_iter_mut().zip(&self.scale) {
            column *= *s;
        }
        (r, j)
    }
    fn to_scaled(&self, x: &[f64]) -> DVector<f64> {
        DVector::from_iterator(x.len(), x.iter().zip(&self.scale).map(|(x, s)| x / s))
    }
    fn to_plain(&self, u: &DVector<f64>) -> Vec<f64> {
        u.iter().zip(&self.scale).map(|(u, s)| u * s).collect()
    }
    /// The nearest point of the curve to `x` (Gauss–Newton), if the iteration finds one.
    pub(super) fn nearest(&self, x: &[f64]) -> Option<Vec<f64>> {
        let mut u = self.to_scaled(x);
        for _ in 0..30 {
            let (r, j) = self.scaled(&u);
            let gram = &j * j.transpose();
            let step = j.transpose() * gram.lu().solve(&r)?;
            let size = step.norm();
            u -= step;
            if size <= 1e-14 * (1.0 + u.norm()) {
                return Some(self.to_plain(&u));
            }
            if !size.is_finite() {
                return None;
            }
        }
        None
    }
    /// The unit tangent at `u`, on the side of `like`.
    fn tangent(&self, u: &DVector<f64>, like: Option<&DVector<f64>>) -> Option<DVector<f64>> {
        let n = u.len();
        let (_, j) = self.scaled(u);
        let border = |row: &DVector<f64>| {
            let mut a = j.clone().insert_row(n - 1, 0.0);
            a.set_row(n - 1, &row.transpose());
            let mut rhs = DVector::zeros(n);
            rhs[n - 1] = 1.0;
            a.lu().solve(&rhs).map(|t| t.normalize())
        };
        if let Some(t) = like {
            return border(t);
        }
        // Without a guess: the unit vector that borders best, which is the one most parallel to the tangent found.
        let candidates = (0..n).filter_map(|k| {
            let mut row = DVector::zeros(n);
            row[k] = 1.0;
            border(&row).map(|t| (t[k].abs(), t))
        });
        candidates.max_by(|a, b| a.0.total_cmp(&b.0)).map(|c| c.1)
    }
    /// The point of the curve in the plane through `predicted` across `t`; with the number of iterations.
    fn correct(&self, predicted: &DVector<f64>, t: &DVector<f64>) -> Option<(DVector<f64>, usize)> {
        let n = predicted.len();
        let mut u = predicted.clone();
        for iteration in 1..=ITERATIONS {
            look();
            let (r, j) = self.scaled(&u);
            let mut a = j.insert_row(n - 1, 0.0);
            a.set_row(n - 1, &t.transpose());
            let mut rhs = r.insert_row(n - 1, 0.0);
            rhs[n - 1] = t.dot(&(&u - predicted));
            let step = a.lu().solve(&rhs)?;
            let size = step.norm();
            u -= step;
            if size <= 1e-13 * (1.0 + u.norm()) {
                return Some((u, iteration));
            }
            if !size.is_finite() {
                return None;
            }
        }
        None
    }
    /// The curve from `start`, first in the direction `sign` of its tangent, as long as `inside` holds. Ends at a
    /// point equal to the start (modulo what `same` says) when the curve is closed.
    pub(super) fn trace(
        &self,
        start: &[f64],
        sign: f64,
        inside: &dyn Fn(&[f64]) -> bool,
        same: &dyn Fn(&[f64], &[f64]) -> f64,
    ) -> Vec<Vec<f64>> {
        let mut points = vec![start.to_vec()];
        let mut u = self.to_scaled(start);
        let Some(t) = self.tangent(&u, None) else { return points };
        let mut t = t * sign;
        let mut h = 0.25 * self.step;
        while points.len() < self.limit {
            let advanced = self.correct(&(&u + &t * h), &t).and_then(|(next, iterations)| {
                let turned = self.tangent(&next, Some(&t))?;
                (turned.dot(&t) > ALIGNED).then_some((next, turned, iterations))
            });
            let Some((next, turned, iterations)) = advanced else {
                h *= 0.5;
                if h < 1e-9 * self.step {
                    break;
                }
                continue;
            };
            let x = self.to_plain(&next);
            if !inside(&x) {
                break;
            }
            let closed = points.len() > 3 && same(&x, start) < 0.75 * h;
            points.push(if closed { start.to_vec() } else { x });
            if closed {
                break;
            }
            (u, t) = (next, turned);
            if iterations <= 4 {
                h = (h * 1.6).min(self.step);
            }
        }
        points
    }
    /// The zero of `test` on the curve between its neighbouring points `a` and `b`, where the signs differ
    /// (Illinois on arclength).
    pub(super) fn locate(&self, test: &dyn Fn(&[f64]) -> f64, a: &[f64], b: &[f64]) -> Option<Vec<f64>> {
        let (ua, ub) = (self.to_scaled(a), self.to_scaled(b));
        let chord = &ub - &ua;
        let length = chord.norm();
        let t = chord / length;
        let at = |s: f64| self.correct(&(&ua + &t * s), &t).map(|(u, _)| self.to_plain(&u));
        let (mut low, mut high) = (0.0, length);
        let (mut test_low, mut test_high) = (test(a), test(b));
        let mut best = b.to_vec();
        for _ in 0..100 {
            let s = (low * test_high - high * test_low) / (test_high - test_low);
            best = at(s)?;
            let value = test(&best);
            if value == 0.0 || (high - low).abs() <= 1e-15 * length {
                break;
            }
            if value * test_high < 0.0 {
                (low, test_low) = (high, test_high);
            } else {
                test_low *= 0.5;
            }
            if (s - high).abs() <= 2.0 * f64::EPSILON * length {
                break;
            }
            (high, test_high) = (s, value);
        }
        Some(best)
    }
}
