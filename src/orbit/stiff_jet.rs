//! The flow of a stiff field with its mixed third derivatives along three directions.
//!
//! Radau IIA with seven stages on intervals that resolve the solution, which is known beforehand. The stages are
//! numbers with derivatives: Newton's iteration finds their values, and three more iterations with the same factors all
//! derivatives, one order at a time. What decays is damped, with its derivatives, however fast it does.
//!
//! Reference: E. Hairer and G. Wanner, *Stiff differential equations solved by Radau methods*, J. Comput. Appl. Math.
//! 111 (1999) 93–111.

use slipstick_flow::jet::{self, JetError, PARTS, Sides};
use slipstick_numerics::linalg::{lu_factorise, lu_solve};
use slipstick_numerics::scalar::{Scalar, Third};
use slipstick_numerics::stop::look;
use slipstick_numerics::tableau::Tableau;
use slipstick_system::{Function, Jacobian};

const STAGES: usize = 7;
/// Newton iterations on the values.
const ITERATIONS: usize = 12;
/// An update of the values this small, relative to the sizes of the states, is rounding.
const CONVERGED: f64 = 1e-12;
/// One this small is good enough where updates do not shrink any more.
const STALLED: f64 = 1e-9;
/// Orders of derivatives.
const ORDERS: usize = 3;

/// A solution with the intervals that resolve it.
pub(super) struct Known<'a> {
    pub(super) field: &'a dyn Function,
    pub(super) p: &'a [f64],
    pub(super) sizes: &'a [f64],
    /// The ends of the intervals.
    pub(super) times: Vec<f64>,
    pub(super) dense: &'a dyn Fn(f64, &mut [f64]),
}

/// The solution could not be followed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(super) enum StiffError {
    #[error("the stiff flow and its derivatives cannot be integrated")]
    Newton,
    #[error(transparent)]
    Field(#[from] JetError),
}

impl Known<'_> {
    /// Advance `x`, which begins where the solution does, along it.
    ///
    /// # Errors
    /// [`StiffError`] when Newton's iteration fails or the field is not smooth along the solution.
    pub(super) fn propagate(&self, x: &mut [Third]) -> Result<(), StiffError> {
        let scheme = Tableau::radau(STAGES);
        let mut sides = Sides::new(self.field, self.p, self.sizes);
        for pair in self.times.windows(2) {
            look();
            self.step(&scheme, x, pair[0], pair[1] - pair[0], &mut sides)?;
        }
        Ok(())
    }

    fn step(
        &self,
        scheme: &Tableau,
        x: &mut [Third],
        from: f64,
        h: f64,
        sides: &mut Sides<'_>,
    ) -> Result<(), StiffError> {
        let n = x.len();
        let p = jet::constants(self.p);
        let mut jacobian = Jacobian::new(self.field, n, self.p, &[]);
        let (mut lu, mut pivots) = (vec![0.0; (STAGES * n).pow(2)], vec![0u32; STAGES * n]);
        // As far from the known solution as the step begins, with the derivatives with which it begins.
        let mut known = vec![0.0; n];
        (self.dense)(from, &mut known);
        let start: Vec<Third> = x.iter().zip(&known).map(|(x, known)| *x - *known).collect();
        let mut stages: Vec<Third> = vec![];
        for c in &scheme.c {
            (self.dense)(from + c * h, &mut known);
            stages.extend(start.iter().zip(&known).map(|(x, known)| *x + *known));
        }
        let mut slopes = vec![Third::zero(); STAGES * n];
        let mut update = vec![0.0; STAGES * n * PARTS];
        let (mut last, mut left) = (f64::INFINITY, None);
        for _ in 0..ITERATIONS + ORDERS {
            for (stage, slope) in stages.chunks_exact(n).zip(slopes.chunks_exact_mut(n)) {
                self.field.third(stage, &p, slope);
            }
            for (i, rows) in update.chunks_exact_mut(n * PARTS).enumerate() {
                for (c, row) in rows.chunks_exact_mut(PARTS).enumerate() {
                    let weights = &scheme.a[i * STAGES..(i + 1) * STAGES];
                    let slope = weights
                        .iter()
                        .enumerate()
                        .fold(Third::zero(), |sum, (l, a)| sum + slopes[l * n + c] * *a);
                    row.copy_from_slice(&jet::parts(&(x[c] + slope * h - stages[i * n + c])));
                }
            }
            if left.is_none() {
                Self::factorise(scheme, &stages, &mut jacobian, h, &mut lu, &mut pivots)?;
            }
            lu_solve(&lu, &pivots, &mut update, PARTS);
            let mut size = 0.0f64;
            for (k, (stage, row)) in stages.iter_mut().zip(update.chunks_exact(PARTS)).enumerate() {
                if row.iter().any(|v| !v.is_finite()) {
                    return Err(StiffError::Newton);
                }
                *stage += jet::assembled(row);
                size = size.max((row[0] / self.sizes[k % n]).abs());
            }
            left = match left {
                Some(1) => {
                    let values: Vec<f64> = stages.iter().map(Scalar::value).collect();
                    values.chunks_exact(n).try_for_each(|stage| sides.look(stage))?;
                    x.copy_from_slice(&stages[(STAGES - 1) * n..]);
                    return Ok(());
                }
                Some(k) => Some(k - 1),
                None if size <= CONVERGED || (size <= STALLED && size > 0.5 * last) => Some(ORDERS),
                None => None,
            };
            last = size;
        }
        Err(StiffError::Newton)
    }

    /// The factors of Newton's matrix 1 - h A ⊗ J for the values of the stages.
    fn factorise(
        scheme: &Tableau,
        stages: &[Third],
        jacobian: &mut Jacobian<'_>,
        h: f64,
        lu: &mut [f64],
        pivots: &mut [u32],
    ) -> Result<(), StiffError> {
        let (order, n) = (pivots.len(), pivots.len() / STAGES);
        let (mut f, mut fx) = (vec![0.0; n], vec![0.0; n * n]);
        lu.fill(0.0);
        for (l, stage) in stages.chunks_exact(n).enumerate() {
            let values: Vec<f64> = stage.iter().map(Scalar::value).collect();
            jacobian.at(&values, &mut f, &mut fx, &mut []);
            for i in 0..STAGES {
                for (r, row) in fx.chunks_exact(n).enumerate() {
                    for (c, v) in row.iter().enumerate() {
                        lu[(i * n + r) * order + l * n + c] = -h * scheme.a[i * STAGES + l] * v;
                    }
                }
            }
        }
        (0..order).for_each(|k| lu[k * order + k] += 1.0);
        lu_factorise(lu, pivots).then_some(()).ok_or(StiffError::Newton)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use slipstick_system::Formula;

    /// x' = -x² and a state that follows x² fast: x = x₀/(1 + x₀ t), y = x² + (y₀ - x₀²) e^{-λt}.
    struct Follower(f64);
    impl Formula for Follower {
        fn outputs(&self) -> usize {
            2
        }
        fn eval<T: Scalar>(&self, x: &[T], _: &[T], out: &mut [T]) {
            out[0] = -(x[0] * x[0]);
            out[1] = (x[0] * x[0] - x[1]) * self.0 - x[0] * x[0] * x[0] * 2.0;
        }
    }

    #[test]
    fn derivatives_of_a_stiff_flow() {
        let (x0, t) = (0.7, 1.3);
        let dense = |t: f64, x: &mut [f64]| {
            x[0] = x0 / (1.0 + x0 * t);
            x[1] = x[0] * x[0];
        };
        for rate in [1e4, 1e8, 1e12] {
            let field = Follower(rate);
            let known = Known {
                field: &field,
                p: &[],
                sizes: &[0.7, 0.5],
                times: (0..=8).map(|k| t * f64::from(k) / 8.0).collect(),
                dense: &dense,
            };
            let mut x = [Third::mixed(x0, 1.0, 1.0, 1.0), Third::mixed(x0 * x0, -2.0, 3.0, 0.5)];
            known.propagate(&mut x).unwrap();
            let s = 1.0 + x0 * t;
            let wanted = [x0 / s, 1.0 / s.powi(2), -2.0 * t / s.powi(3), 6.0 * t * t / s.powi(4)];
            // Of x²; what was beside it has decayed.
            let [v, d1, d2, d3] = wanted;
            let square = [
                v * v,
                2.0 * v * d1,
                2.0 * (d1 * d1 + v * d2),
                2.0 * (3.0 * d1 * d2 + v * d3),
            ];
            for (x, wanted) in x.iter().zip([wanted, square]) {
                let got = jet::parts(x);
                for (i, order) in [(0, 0), (1, 1), (2, 1), (4, 1), (3, 2), (5, 2), (6, 2), (7, 3)] {
                    let error = (got[i] - wanted[order]).abs();
                    assert!(error < 1e-12, "{rate:e}, part {i}: {} {}", got[i], wanted[order]);
                }
            }
        }
    }
}
