//! Curves given by m equations in m + 1 unknowns: fold lines, and folded singularities over a parameter.

use nalgebra::{DMatrix, DVector};
use slipstick_continuation::{Curve, Failure, NewtonOptions, Point, Problem, StepOptions, tangent_at};
use slipstick_numerics::linalg::DenseSystem;
use slipstick_numerics::roots::bracketed_root;

/// Equations of a curve: residuals (m) and their Jacobian (m × (m+1)).
pub(super) type Equations<'a> = dyn Fn(&DVector<f64>) -> (DVector<f64>, DMatrix<f64>) + 'a;

/// A curve given by its equations, and how it is traced.
pub(super) struct ImplicitCurve<'a> {
    equations: &'a Equations<'a>,
    /// The unit of each unknown.
    scale: Vec<f64>,
    /// The largest step, in these units.
    step: f64,
    /// The most points.
    limit: usize,
    bordered: DenseSystem,
}

impl Problem for ImplicitCurve<'_> {
    fn unknowns(&self) -> usize {
        self.scale.len()
    }
    fn free(&self) -> usize {
        1
    }
    fn weights(&self, _: &[f64], weights: &mut [f64]) {
        for (w, s) in weights.iter_mut().zip(&self.scale) {
            *w = (s * s).recip();
        }
    }
    fn linearise(&mut self, z: &[f64], residual: &mut [f64]) -> Result<(), Failure> {
        let (r, j) = (self.equations)(&DVector::from_column_slice(z));
        if r.iter().chain(&j).any(|v| !v.is_finite()) {
            return Err(Failure::Evaluation(
                "the equations of the curve are not finite there".into(),
            ));
        }
        residual.copy_from_slice(r.as_slice());
        for (i, row) in j.row_iter().enumerate() {
            self.bordered.set_row(i, &row.iter().copied().collect::<Vec<_>>());
        }
        Ok(())
    }
    fn solve(&mut self, border: &[f64], rhs: &mut [f64]) -> Result<(), Failure> {
        self.bordered.set_row(rhs.len() - 1, border);
        self.bordered.factorise()?;
        Ok(self.bordered.solve(rhs)?)
    }
}

impl<'a> ImplicitCurve<'a> {
    pub(super) fn new(equations: &'a Equations<'a>, scale: Vec<f64>, step: f64, limit: usize) -> Self {
        let bordered = DenseSystem::new(scale.len());
        Self {
            equations,
            scale,
            step,
            limit,
            bordered,
        }
    }
    fn options(&self) -> StepOptions {
        StepOptions {
            initial: 0.25 * self.step,
            smallest: 1e-9 * self.step,
            largest: self.step,
            turn: 0.06,
            newton: NewtonOptions {
                polish: true,
                ..NewtonOptions::default()
            },
            ..StepOptions::default()
        }
    }
    /// The nearest point of the curve to `x` (Gauss–Newton), if the iteration finds one.
    pub(super) fn nearest(&self, x: &[f64]) -> Option<Vec<f64>> {
        let scale = DVector::from_column_slice(&self.scale);
        let mut x = DVector::from_column_slice(x);
        for _ in 0..30 {
            let (r, mut j) = (self.equations)(&x);
            for (mut column, s) in j.column_iter_mut().zip(&self.scale) {
                column *= *s;
            }
            let gram = &j * j.transpose();
            let step = j.transpose() * gram.lu().solve(&r)?;
            let size = step.norm();
            x -= step.component_mul(&scale);
            if size <= 1e-14 * (1.0 + x.component_div(&scale).norm()) {
                return Some(x.as_slice().to_vec());
            }
            if !size.is_finite() {
                return None;
            }
        }
        None
    }
    /// The point `x` of the curve with its unit tangent, of either orientation.
    fn point(&mut self, x: &[f64]) -> Option<Point> {
        let n = x.len();
        self.linearise(x, &mut vec![0.0; n - 1]).ok()?;
        // The unknown that borders best is the one most parallel to the tangent found.
        let candidates = (0..n).filter_map(|k| {
            let mut row = vec![0.0; n];
            row[k] = 1.0;
            let point = tangent_at(self, x.to_vec(), &row, 1.0).ok()?;
            Some((point.tangent[k].abs() / self.scale[k], point))
        });
        candidates.max_by(|a, b| a.0.total_cmp(&b.0)).map(|c| c.1)
    }
    /// The curve from `start`, first in the direction `sign` of its tangent, as long as `inside` holds. It ends at a
    /// point equal to the start (modulo what `same` says) when the curve is closed.
    pub(super) fn trace(
        &mut self,
        start: &[f64],
        sign: f64,
        inside: &dyn Fn(&[f64]) -> bool,
        same: &dyn Fn(&[f64], &[f64]) -> f64,
    ) -> Vec<Point> {
        let Some(mut first) = self.point(start) else {
            return vec![];
        };
        first.tangent.iter_mut().for_each(|t| *t *= sign);
        let (limit, options) = (self.limit, self.options());
        let mut points = vec![first.clone()];
        for next in Curve::resume(self, first, options).map_while(Result::ok) {
            if !inside(&next.z) || points.len() >= limit {
                break;
            }
            let before = &points[points.len() - 1];
            let closed = points.len() > 3 && same(&next.z, start) < 0.75 * before.arclength_to(&next);
            points.push(if closed { points[0].clone() } else { next });
            if closed {
                break;
            }
        }
        points
    }
    /// The zero of `test` on the curve between its neighbouring points `a` and `b`, where the signs differ.
    pub(super) fn locate(&mut self, test: &dyn Fn(&[f64]) -> f64, a: &Point, b: &Point) -> Option<Vec<f64>> {
        let options = self.options();
        let mut curve = Curve::resume(self, b.clone(), options);
        let length = a.arclength_to(b);
        let mut at = |s: f64| curve.between(a, s).map(|point| point.z);
        let s = bracketed_root(0.0, test(&a.z), length, test(&b.z), 0.0, |s| {
            Ok::<_, Failure>(test(&at(s)?))
        })
        .ok()?;
        at(s).ok()
    }
}
