//! The flow of a stiff field with its mixed third derivatives along three directions.
//!
//! Radau IIA with seven stages on intervals that resolve the solution, which is known beforehand. The stages are
//! numbers with derivatives: Newton's iteration finds their values, once for all directions. Iterations with the
//! factors there find the derivatives, one order at a time, and one more removes what rounding in the factors left.
//! What decays is damped, with its derivatives, however fast it does.
//!
//! Reference: E. Hairer and G. Wanner, *Stiff differential equations solved by Radau methods*, J. Comput. Appl. Math.
//! 111 (1999) 93–111.

use slipstick_continuation::Failure;
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
/// Iterations on the derivatives: one for each order, and one for what rounding in the factors leaves.
const ORDERS: usize = 3 + 1;
/// Factors of more equations are not stored but computed again.
const MOST_STORED: usize = 300;

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
    #[error(transparent)]
    Orbit(#[from] Failure),
}

/// The values of a solution, along which derivatives can be followed in any directions.
#[derive(Debug)]
pub(super) struct Solved {
    scheme: Tableau,
    steps: Vec<Step>,
}

/// The values at the stages of a step, and what their Newton iteration ended with.
#[derive(Debug)]
struct Step {
    h: f64,
    stages: Vec<f64>,
    factors: Option<Factors>,
}

/// The factors of Newton's matrix 1 - h A ⊗ J for the values of the stages.
#[derive(Debug)]
struct Factors {
    lu: Vec<f64>,
    pivots: Vec<u32>,
}

impl Known<'_> {
    /// Find the values that begin with `x`, where the solution does.
    ///
    /// # Errors
    /// [`StiffError`] when Newton's iteration fails or the field is not smooth along the solution.
    pub(super) fn solve(&self, x: &[f64]) -> Result<Solved, StiffError> {
        let scheme = Tableau::radau(STAGES);
        let mut sides = Sides::new(self.field, self.p, self.sizes);
        let mut jacobian = Jacobian::new(self.field, x.len(), self.p, &[]);
        let mut x = x.to_vec();
        let mut steps = Vec::with_capacity(self.times.len());
        for pair in self.times.windows(2) {
            look();
            let step = self.step(&scheme, &x, pair[0], pair[1] - pair[0], &mut jacobian)?;
            let stages = step.stages.chunks_exact(x.len());
            stages.clone().try_for_each(|stage| sides.look(stage))?;
            if let Some(end) = stages.last() {
                x.copy_from_slice(end);
            }
            steps.push(step);
        }
        Ok(Solved { scheme, steps })
    }

    fn step(
        &self,
        scheme: &Tableau,
        x: &[f64],
        from: f64,
        h: f64,
        jacobian: &mut Jacobian<'_>,
    ) -> Result<Step, StiffError> {
        let n = x.len();
        // As far from the known solution as the step begins.
        let mut known = vec![0.0; n];
        (self.dense)(from, &mut known);
        let start: Vec<f64> = x.iter().zip(&known).map(|(x, known)| x - known).collect();
        let mut stages: Vec<f64> = vec![];
        for c in &scheme.c {
            (self.dense)(from + c * h, &mut known);
            stages.extend(start.iter().zip(&known).map(|(x, known)| x + known));
        }
        let mut slopes = vec![0.0; STAGES * n];
        let mut update = vec![0.0; STAGES * n];
        let mut last = f64::INFINITY;
        for _ in 0..ITERATIONS {
            for (stage, slope) in stages.chunks_exact(n).zip(slopes.chunks_exact_mut(n)) {
                self.field.value(stage, self.p, slope);
            }
            for (i, row) in update.chunks_exact_mut(n).enumerate() {
                for (c, u) in row.iter_mut().enumerate() {
                    let weights = scheme.a[i * STAGES..(i + 1) * STAGES].iter();
                    let slope: f64 = weights.enumerate().map(|(l, a)| a * slopes[l * n + c]).sum();
                    *u = x[c] + h * slope - stages[i * n + c];
                }
            }
            let factors = Factors::of(scheme, &stages, jacobian, h, n)?;
            lu_solve(&factors.lu, &factors.pivots, &mut update, 1);
            let mut size = 0.0f64;
            for (k, (stage, u)) in stages.iter_mut().zip(&update).enumerate() {
                if !u.is_finite() {
                    return Err(StiffError::Newton);
                }
                *stage += u;
                size = size.max((u / self.sizes[k % n]).abs());
            }
            if size <= CONVERGED || (size <= STALLED && size > 0.5 * last) {
                let factors = (STAGES * n <= MOST_STORED).then(|| Factors::of(scheme, &stages, jacobian, h, n));
                return Ok(Step {
                    h,
                    stages,
                    factors: factors.transpose()?,
                });
            }
            last = size;
        }
        Err(StiffError::Newton)
    }
}

impl Solved {
    /// Advance `x`, which has the values that the solution begins with, along it.
    ///
    /// # Errors
    /// [`StiffError`] when a derivative is not finite.
    pub(super) fn propagate(&self, field: &dyn Function, p: &[f64], x: &mut [Third]) -> Result<(), StiffError> {
        let mut jacobian = Jacobian::new(field, x.len(), p, &[]);
        let p = jet::constants(p);
        for step in &self.steps {
            look();
            match &step.factors {
                Some(factors) => step.propagate(&self.scheme, field, &p, factors, x)?,
                None => {
                    let factors = Factors::of(&self.scheme, &step.stages, &mut jacobian, step.h, x.len())?;
                    step.propagate(&self.scheme, field, &p, &factors, x)?;
                }
            }
        }
        Ok(())
    }
}

impl Step {
    /// Iterations with the factors of the values, each of which makes one more order of the derivatives exact.
    fn propagate(
        &self,
        scheme: &Tableau,
        field: &dyn Function,
        p: &[Third],
        factors: &Factors,
        x: &mut [Third],
    ) -> Result<(), StiffError> {
        let n = x.len();
        let begins = x.iter().cycle().map(|x| *x - x.value());
        let mut stages: Vec<Third> = self.stages.iter().zip(begins).map(|(v, d)| d + *v).collect();
        let mut slopes = vec![Third::zero(); STAGES * n];
        let mut update = vec![0.0; STAGES * n * PARTS];
        for _ in 0..ORDERS {
            for (stage, slope) in stages.chunks_exact(n).zip(slopes.chunks_exact_mut(n)) {
                field.third(stage, p, slope);
            }
            for (i, rows) in update.chunks_exact_mut(n * PARTS).enumerate() {
                for (c, row) in rows.chunks_exact_mut(PARTS).enumerate() {
                    let weights = &scheme.a[i * STAGES..(i + 1) * STAGES];
                    let slope = weights
                        .iter()
                        .enumerate()
                        .fold(Third::zero(), |sum, (l, a)| sum + slopes[l * n + c] * *a);
                    row.copy_from_slice(&jet::parts(&(x[c] + slope * self.h - stages[i * n + c])));
                }
            }
            lu_solve(&factors.lu, &factors.pivots, &mut update, PARTS);
            for (stage, row) in stages.iter_mut().zip(update.chunks_exact(PARTS)) {
                if row.iter().any(|v| !v.is_finite()) {
                    return Err(StiffError::Newton);
                }
                *stage += jet::assembled(row);
            }
        }
        x.copy_from_slice(&stages[(STAGES - 1) * n..]);
        Ok(())
    }
}

impl Factors {
    fn of(scheme: &Tableau, stages: &[f64], jacobian: &mut Jacobian<'_>, h: f64, n: usize) -> Result<Self, StiffError> {
        let order = STAGES * n;
        let (mut lu, mut pivots) = (vec![0.0; order * order], vec![0u32; order]);
        let (mut f, mut fx) = (vec![0.0; n], vec![0.0; n * n]);
        for (l, stage) in stages.chunks_exact(n).enumerate() {
            jacobian.at(stage, &mut f, &mut fx, &mut []);
            for i in 0..STAGES {
                for (r, row) in fx.chunks_exact(n).enumerate() {
                    for (c, v) in row.iter().enumerate() {
                        lu[(i * n + r) * order + l * n + c] = -h * scheme.a[i * STAGES + l] * v;
                    }
                }
            }
        }
        (0..order).for_each(|k| lu[k * order + k] += 1.0);
        if lu_factorise(&mut lu, &mut pivots) {
            Ok(Self { lu, pivots })
        } else {
            Err(StiffError::Newton)
        }
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
            let solved = known.solve(&[x0, x0 * x0]).unwrap();
            solved.propagate(&field, &[], &mut x).unwrap();
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
