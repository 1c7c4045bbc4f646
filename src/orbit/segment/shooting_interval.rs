//! One shot: the flow from one point of an orbit to the next, forwards or backwards in time, with its derivatives.
//!
//! Radau IIA with seven stages, of order 13 at the ends of its steps and stiffly accurate, so that what decays in the
//! direction of the shot is damped however fast it does. The stages are found by Newton's iteration from the orbit as
//! it is known; the derivatives are those of the steps that were taken, exactly, so that Newton's iteration on the
//! nodes is quadratic whatever the tolerance. The error is estimated by an embedded formula of order seven and
//! controlled relative to the size of each state; at the ends of the steps the solution is far better.
//!
//! Reference: E. Hairer and G. Wanner, *Stiff differential equations solved by Radau methods*, J. Comput. Appl. Math.
//! 111 (1999) 93–111.

use super::stages::{Scratch, Split, StageSystem};
use slipstick_continuation::Failure;
use slipstick_numerics::linalg::{lu_factorise, lu_solve};
use slipstick_numerics::tableau::Tableau;
use slipstick_numerics::tableau::quadrature::lagrange;
use slipstick_system::Jacobian;

const STAGES: usize = 7;
/// The weight of the field at the start in the embedded formula: about the inverse of the real eigenvalue of the
/// inverted Runge–Kutta matrix.
const EMBEDDED: f64 = 0.112;
/// Newton iterations before a step is shortened.
const ITERATIONS: usize = 10;
/// Steps, taken and repeated, before a shot is given up.
const MOST_STEPS: usize = 5_000;

/// What a shot goes over, and how well.
pub(super) struct Range<'a> {
    /// Where it begins and ends, as parts of an interval; backwards in time if that falls.
    pub(super) ends: (f64, f64),
    /// The width of the interval in scaled time, and the duration of the segment.
    pub(super) width: f64,
    pub(super) duration: f64,
    /// The size of each state, and the error aimed at relative to it.
    pub(super) sizes: &'a [f64],
    pub(super) tolerance: f64,
}

/// The integrator; keeps its memory from shot to shot.
pub(super) struct Shooter {
    scheme: Tableau,
    /// The polynomial through what is known at the stages, at the start of the step.
    at_start: Vec<f64>,
    n: usize,
    columns: usize,
    split: Split,
    work: Scratch,
    lu: Vec<f64>,
    pivots: Vec<u32>,
    stages: Vec<f64>,
    f: Vec<f64>,
    fx: Vec<f64>,
    fp: Vec<f64>,
    update: Vec<f64>,
    first_f: Vec<f64>,
    first_fx: Vec<f64>,
    first_fp: Vec<f64>,
    filter: Vec<f64>,
    filter_pivots: Vec<u32>,
    response: Vec<f64>,
    /// Where the shot is, and the derivatives of that by where it started, by the duration and by the parameters: n ×
    /// (n + 1 + k) by rows.
    pub(super) x: Vec<f64>,
    pub(super) by: Vec<f64>,
}

impl Shooter {
    pub(super) fn new(n: usize) -> Self {
        let scheme = Tableau::radau(STAGES);
        let at_start = lagrange(&scheme.c, 0.0);
        Self {
            at_start,
            scheme,
            n,
            columns: 0,
            split: Split::new(n),
            work: Scratch::default(),
            lu: vec![],
            pivots: vec![],
            stages: vec![0.0; STAGES * n],
            f: vec![0.0; STAGES * n],
            fx: vec![0.0; STAGES * n * n],
            fp: vec![],
            update: vec![0.0; STAGES * n],
            first_f: vec![0.0; n],
            first_fx: vec![0.0; n * n],
            first_fp: vec![],
            filter: vec![0.0; n * n],
            filter_pivots: vec![0; n],
            response: vec![],
            x: vec![],
            by: vec![],
        }
    }

    /// Shoot from `start`. `course` tells the orbit as it is known at parts of the interval.
    ///
    /// # Errors
    /// [`Failure`] when the solution cannot be followed.
    pub(super) fn shoot(
        &mut self,
        jacobian: &mut Jacobian<'_>,
        free: usize,
        start: &[f64],
        range: &Range<'_>,
        dense: &dyn Fn(f64, &mut [f64]),
    ) -> Result<(), Failure> {
        let n = self.n;
        let columns = n + 1 + free;
        self.columns = columns;
        self.fp.resize(STAGES * n * free, 0.0);
        self.first_fp.resize(n * free, 0.0);
        self.response.resize(STAGES * n * columns, 0.0);
        self.x.clear();
        self.x.extend_from_slice(start);
        self.by.clear();
        self.by.resize(n * columns, 0.0);
        for c in 0..n {
            self.by[c * columns + c] = 1.0;
        }
        let (mut tau, end) = range.ends;
        let mut known = vec![0.0; n];
        let mut wish = 1.0f64;
        let mut steps = 0;
        while tau != end {
            let left = end - tau;
            let count = (left.abs() / wish).ceil().max(1.0);
            let step = if count > 1.0 { left / count } else { left };
            let to = if count > 1.0 { tau + step } else { end };
            steps += 1;
            if steps > MOST_STEPS || to == tau {
                return Err(Failure::Evaluation(
                    "the shooting interval cannot be integrated: the error stays too large for all step sizes".into(),
                ));
            }
            dense(tau, &mut known);
            for (offset, x) in known.iter_mut().zip(&self.x) {
                *offset = x - *offset;
            }
            for (c, stage) in self.scheme.c.iter().zip(self.stages.chunks_exact_mut(n)) {
                dense(tau + c * step, stage);
                for (v, offset) in stage.iter_mut().zip(&known) {
                    *v += offset;
                }
            }
            let error = self.attempt(jacobian, range, step * range.width);
            let Some(error) = error.filter(|e| e.is_finite()) else {
                wish = 0.25 * step.abs();
                continue;
            };
            if error > 1.0 {
                wish = step.abs() * (0.9 * error.powf(-0.125)).clamp(0.1, 0.9);
                continue;
            }
            self.derivatives(range, step * range.width)?;
            self.x.copy_from_slice(&self.stages[(STAGES - 1) * n..]);
            self.by.copy_from_slice(&self.response[(STAGES - 1) * n * columns..]);
            tau = to;
            wish = step.abs() * (0.9 * error.max(1e-9).powf(-0.125)).clamp(0.2, 8.0);
        }
        Ok(())
    }

    /// Find the stages of a step of this scaled width; its error relative to the tolerance comes back, nothing where
    /// Newton's iteration fails.
    fn attempt(&mut self, jacobian: &mut Jacobian<'_>, range: &Range<'_>, width: f64) -> Option<f64> {
        let (n, h) = (self.n, width * range.duration);
        let k = self.first_fp.len() / n;
        let a = &self.scheme.a;
        let mut last = f64::INFINITY;
        for iteration in 0.. {
            let stages = self.stages.chunks_exact(n).zip(self.f.chunks_exact_mut(n));
            for (i, ((x, f), fx)) in stages.zip(self.fx.chunks_exact_mut(n * n)).enumerate() {
                jacobian.at(x, f, fx, &mut self.fp[i * n * k..(i + 1) * n * k]);
            }
            for (i, (r, own)) in self
                .update
                .chunks_exact_mut(n)
                .zip(self.stages.chunks_exact(n))
                .enumerate()
            {
                for c in 0..n {
                    let slope: f64 = (0..STAGES).map(|l| a[i * STAGES + l] * self.f[l * n + c]).sum();
                    r[c] = self.x[c] + h * slope - own[c];
                }
            }
            self.split.learn(&self.fx);
            let order = self.split.order(STAGES);
            self.lu.resize(order * order, 0.0);
            self.pivots.resize(order, 0);
            let system = StageSystem {
                split: &self.split,
                gauss: &self.scheme,
                jacobians: &self.fx,
                h,
            };
            if !system.factorise(&mut self.lu, &mut self.pivots, STAGES, &mut self.work) {
                return None;
            }
            system.solve(&self.lu, &self.pivots, &mut self.update, (1, STAGES), &mut self.work);
            let mut size = 0.0f64;
            for (own, r) in self.stages.chunks_exact_mut(n).zip(self.update.chunks_exact(n)) {
                for c in 0..n {
                    own[c] += r[c];
                    size = size.max((r[c] / range.sizes[c]).abs());
                }
            }
            if !size.is_finite() || self.update.iter().any(|v| !v.is_finite()) {
                return None;
            }
            // What is left is the square of that, or rounding.
            if size <= 0.01 * range.tolerance || (iteration > 1 && size <= range.tolerance && size > 0.5 * last) {
                break;
            }
            if iteration + 1 >= ITERATIONS || (iteration > 2 && size > 2.0 * last) {
                return None;
            }
            last = size;
        }
        let Self {
            first_f,
            first_fx,
            first_fp,
            filter,
            ..
        } = self;
        jacobian.at(&self.x, first_f, first_fx, first_fp);
        for (i, (v, fx)) in filter.iter_mut().zip(first_fx.iter()).enumerate() {
            *v = f64::from(u8::from(i / n == i % n)) - EMBEDDED * h * fx;
        }
        for c in 0..n {
            let extrapolated: f64 = (0..STAGES).map(|i| self.at_start[i] * self.f[i * n + c]).sum();
            self.first_f[c] = EMBEDDED * h * (self.first_f[c] - extrapolated);
        }
        if !lu_factorise(&mut self.filter, &mut self.filter_pivots) {
            return None;
        }
        lu_solve(&self.filter, &self.filter_pivots, &mut self.first_f, 1);
        let errors = self.first_f.iter().zip(range.sizes).map(|(e, size)| (e / size).abs());
        Some(errors.fold(0.0, f64::max) / range.tolerance)
    }

    /// The derivatives of the stages of the step whose factors are in store.
    fn derivatives(&mut self, range: &Range<'_>, width: f64) -> Result<(), Failure> {
        let (n, columns, h) = (self.n, self.columns, width * range.duration);
        let k = columns - n - 1;
        for (i, rows) in self.response.chunks_exact_mut(n * columns).enumerate() {
            rows.copy_from_slice(&self.by);
            for (l, a) in self.scheme.a[i * STAGES..(i + 1) * STAGES].iter().enumerate() {
                for (c, row) in rows.chunks_exact_mut(columns).enumerate() {
                    row[n] += width * a * self.f[l * n + c];
                    for (v, fp) in row[n + 1..].iter_mut().zip(&self.fp[(l * n + c) * k..]) {
                        *v += h * a * fp;
                    }
                }
            }
        }
        let system = StageSystem {
            split: &self.split,
            gauss: &self.scheme,
            jacobians: &self.fx,
            h,
        };
        system.solve(
            &self.lu,
            &self.pivots,
            &mut self.response,
            (columns, STAGES),
            &mut self.work,
        );
        if self.response.iter().all(|v| v.is_finite()) {
            Ok(())
        } else {
            Err(Failure::Evaluation(
                "the derivatives of the flow along the orbit are not finite".into(),
            ))
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use slipstick_numerics::scalar::Scalar;
    use slipstick_system::Formula;

    /// y' = λ (y - cos t) - sin t, t' = 1: y = cos t + δ e^{λ t}.
    struct Relaxation;
    impl Formula for Relaxation {
        fn outputs(&self) -> usize {
            2
        }
        fn eval<T: Scalar>(&self, x: &[T], p: &[T], out: &mut [T]) {
            out[0] = p[0] * (x[0] - x[1].cos()) - x[1].sin();
            out[1] = T::one();
        }
    }

    /// Start δ off the slow manifold at t = 0.3 and go on for the signed time; the shot ends where and with what
    /// derivatives the closed form says, each to its own tolerance.
    fn check(lambda: f64, offset: f64, time: f64, tolerance: [f64; 2]) {
        let mut jacobian = Jacobian::new(&Relaxation, 2, &[lambda], &[0]);
        let range = Range {
            ends: if time > 0.0 { (0.0, 1.0) } else { (1.0, 0.0) },
            width: 0.5,
            duration: 2.0 * time.abs(),
            sizes: &[1.0, 1.0],
            tolerance: 1e-11,
        };
        let mut shooter = Shooter::new(2);
        let manifold = |_: f64, out: &mut [f64]| out.copy_from_slice(&[0.9, 0.3]);
        shooter
            .shoot(&mut jacobian, 1, &[0.3f64.cos() + offset, 0.3], &range, &manifold)
            .unwrap();
        let (end, left) = (0.3 + time, offset * (lambda * time).exp());
        let near = |a: f64, b: f64, tolerance: f64| {
            assert!(
                (a - b).abs() <= tolerance * b.abs().max(1.0),
                "λ = {lambda}, h = {time}: {a} {b}"
            );
        };
        near(shooter.x[0], end.cos() + left, tolerance[0]);
        near(shooter.x[1], end, tolerance[0]);
        // By y and t at the start, by the duration (of which the shot covers a half), by λ.
        let decay = (lambda * time).exp();
        let wanted = [
            decay,
            decay * (0.3f64.sin() - lambda * offset) + lambda * left - end.sin(),
            0.5 * time.signum() * (lambda * left - end.sin()),
            time * left,
        ];
        for (a, b) in shooter.by.iter().zip(wanted) {
            near(*a, b, tolerance[1]);
        }
    }

    #[test]
    fn a_shot_ends_where_the_closed_form_says_with_its_derivatives() {
        check(-3.0, 0.2, 0.7, [1e-10; 2]);
        check(2.0, 0.2, 0.7, [1e-10; 2]);
        check(3.0, 0.2, -0.7, [1e-10; 2]);
    }

    /// Along an attracting manifold forwards, along a repelling one backwards: e^{-50000} over one shot. The derivative
    /// by the start is that of the steps, small but not as small.
    #[test]
    fn what_decays_in_the_direction_of_the_shot_is_damped_however_fast() {
        // A step that is long for the decay but not for the manifold leaves about 1/(λh) of a perturbation: an error of
        // the derivatives alone.
        check(-1e5, 0.0, 0.5, [1e-9, 1e-3]);
        check(1e5, 0.0, -0.5, [1e-9, 1e-3]);
        check(-1e5, 0.1, 0.5, [1e-9, 1e-9]);
    }
}
