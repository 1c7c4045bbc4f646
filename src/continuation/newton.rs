//! Newton's method on the bordered system.

use super::{Failure, Problem};
use slipstick_numerics::stop::look;

/// When to stop correcting.
///
/// ```
/// use slipstick_continuation::NewtonOptions;
/// // For a start far away: more iterations, with updates halved that do not help.
/// let far = NewtonOptions { damped: true, iterations: 50, ..NewtonOptions::default() };
/// assert_eq!(far.tolerance, NewtonOptions::default().tolerance);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct NewtonOptions {
    /// The scaled size of the last update that counts as converged; the iteration is quadratic, so the error left is
    /// far smaller.
    pub tolerance: f64,
    /// The most iterations; as many again while updates near the solution shrink fast.
    pub iterations: usize,
    /// Iterate on once converged until updates stop shrinking, so that what is left is rounding. For special points.
    pub polish: bool,
    /// Halve updates that do not reduce the residual. For starts far away; off while tracing.
    pub damped: bool,
    /// The most linearisations, those of halved updates among them.
    pub evaluations: usize,
    /// Take updates for rounding that are small and shrink no more. For orbits with an eigenvector: along a canard it
    /// decays and grows by ten powers of ten, and so do its errors of rounding. Off for all else, since next to
    /// singular points it is the matrix that amplifies errors.
    pub rests: bool,
}

impl Default for NewtonOptions {
    fn default() -> Self {
        Self {
            tolerance: 1e-9,
            iterations: 8,
            polish: false,
            damped: false,
            evaluations: usize::MAX,
            rests: false,
        }
    }
}

/// What Newton's iteration did.
///
/// ```
/// use slipstick_continuation::{Newton, NewtonOptions};
/// use slipstick_orbit::FixedPoint;
/// use slipstick_study as study;
/// let text = r#"Study(title: "fold", system: Smooth(states: ["x"], parameters: {"a": 2}, equations: ["x' = a - x^2"]))"#;
/// let plan = study::parse("fold.ron".as_ref(), text.into())?.plan(&[])?;
/// let mut rest = FixedPoint::equilibrium(&plan.systems[0].system, 0, vec![2.0], vec![0]);
/// let (mut newton, mut z) = (Newton::default(), [2.0, 2.0]);
/// newton.solve(&mut rest, &mut z, &[0.0, 1.0], &[0.0, 0.0], &[2.0], &NewtonOptions::default())?;
/// // Quadratic convergence: each update is about the square of the one before.
/// let updates = &newton.report.updates;
/// assert!(updates.len() >= 3 && updates.windows(2).all(|pair| pair[1] < 2.0 * pair[0] * pair[0]), "{updates:?}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct NewtonReport {
    /// Scaled sizes of the updates.
    pub updates: Vec<f64>,
}

/// After a last update of at most this part of the tolerance the linearisation before it may stand for the one after
/// it.
const REPEATS: f64 = 1e-2;
/// Updates this small shrink to less than this part of the one before, unless the linearisation is that of another
/// point.
const CLOSE: f64 = 1e-4;
const SLOW: f64 = 0.05;
/// So many updates in turn up to this size are rounding: without it, the second would have converged.
const RESTING: usize = 3;
const ROUNDING: f64 = 1e-5;

/// Buffers for Newton's iteration, reused along a curve.
///
/// ```
/// use slipstick_continuation::{Newton, NewtonOptions};
/// use slipstick_orbit::FixedPoint;
/// use slipstick_study as study;
/// let text = r#"Study(title: "fold", system: Smooth(states: ["x"], parameters: {"a": 1}, equations: ["x' = a - x^2"]))"#;
/// let plan = study::parse("fold.ron".as_ref(), text.into())?.plan(&[])?;
/// let mut rest = FixedPoint::equilibrium(&plan.systems[0].system, 0, vec![1.0], vec![0]);
/// // The unknowns are x and a; the border row says that a = 2.
/// let mut z = [1.2, 1.0];
/// Newton::default().solve(&mut rest, &mut z, &[0.0, 1.0], &[0.0, 0.0], &[2.0], &NewtonOptions::default())?;
/// assert!((z[0] - 2f64.sqrt()).abs() < 1e-15 && z[1] == 2.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Newton {
    residual: Vec<f64>,
    step: Vec<f64>,
    trial: Vec<f64>,
    sizes: Vec<f64>,
    /// The last run.
    pub report: NewtonReport,
}

impl Newton {
    /// Solve `F(z) = 0` together with `border · (z - anchor) = level`, one row for each free parameter, starting at
    /// `z`. On success `z` is the solution and the problem is linearised *there*.
    ///
    /// # Errors
    /// [`Failure`] when an iterate cannot be evaluated, the matrix is singular, or the updates do not shrink to the
    /// tolerance.
    pub fn solve<P: Problem + ?Sized>(
        &mut self,
        problem: &mut P,
        z: &mut [f64],
        border: &[f64],
        anchor: &[f64],
        level: &[f64],
        options: &NewtonOptions,
    ) -> Result<(), Failure> {
        let n = problem.unknowns();
        let equations = n - problem.free();
        self.residual.resize(equations, 0.0);
        self.step.resize(n, 0.0);
        self.sizes.resize(n, 0.0);
        self.report.updates.clear();
        problem.sizes(z, &mut self.sizes);
        problem.linearise(z, &mut self.residual)?;
        let (mut stuck, mut evaluations) = (0, 1);
        let (mut converged, mut renewed, mut doubted) = (false, false, false);
        // Beyond the last iteration, as many again as long as the solution is near.
        for iteration in 0..2 * options.iterations {
            if iteration >= options.iterations && !self.arrives() {
                break;
            }
            look();
            let size = match self.update(problem, z, border, anchor, level) {
                Ok(size) => size,
                Err(why) => return Err(self.run_off().unwrap_or(why)),
            };
            self.report.updates.push(size);
            if !size.is_finite() {
                return Err(Failure::Newton(self.report.updates.clone()));
            }
            // Convergence was foreseen, and did not come.
            converged &= !doubted || size <= ROUNDING;
            let shrinks_no_more = converged && self.report.updates[self.report.updates.len() - 2] <= 4.0 * size;
            // The first update of a new linearisation is none that shrinks no more.
            let fresh = std::mem::take(&mut renewed);
            if shrinks_no_more && !fresh {
                renewed = problem.renew();
                if !renewed {
                    return Ok(());
                }
            }
            let damped = options.damped && size > options.tolerance;
            if damped {
                stuck += usize::from(!self.damped_update(problem, z, &mut evaluations)?);
                if stuck > Self::STUCK || evaluations >= options.evaluations {
                    break;
                }
            } else {
                for (z, s) in z.iter_mut().zip(&self.step) {
                    *z += s;
                }
            }
            converged |= size <= options.tolerance || self.next_update() <= 1e-3 * options.tolerance;
            let last = converged && (!options.polish || size <= 1e-14);
            if last && !options.polish && size <= REPEATS * options.tolerance {
                return problem.reuse_linearisation(z, &mut self.residual);
            }
            if self.is_slow() {
                renewed |= problem.renew();
            }
            if !damped && let Err(why) = problem.linearise(z, &mut self.residual) {
                return Err(self.run_off().unwrap_or(why));
            }
            if last && !options.polish && problem.enlarges_errors() {
                // What two updates promise may be chance, and a small one need not be the last: the next one tells.
                let next = self.update(problem, z, border, anchor, level)?;
                if next <= REPEATS * options.tolerance {
                    return Ok(());
                }
                converged = next <= options.tolerance;
                // It is taken, once, even if it is rounding.
                renewed |= !std::mem::replace(&mut doubted, true);
            } else if last {
                return Ok(());
            }
            if options.rests && self.rests() {
                return Ok(());
            }
            if !options.damped && self.report.updates.len() >= 3 && self.diverges() {
                break;
            }
        }
        if converged {
            return Ok(());
        }
        Err(Failure::Newton(self.report.updates.clone()))
    }

    /// Solve for the update at `z`, where the problem is linearised; returns its scaled size.
    fn update<P: Problem + ?Sized>(
        &mut self,
        problem: &mut P,
        z: &[f64],
        border: &[f64],
        anchor: &[f64],
        level: &[f64],
    ) -> Result<f64, Failure> {
        let (n, equations) = (z.len(), self.residual.len());
        for (s, r) in self.step.iter_mut().zip(&self.residual) {
            *s = -r;
        }
        for (k, l) in level.iter().enumerate() {
            let row = &border[k * n..(k + 1) * n];
            let at: f64 = row
                .iter()
                .zip(z.iter().zip(anchor))
                .map(|(b, (z, a))| b * (z - a))
                .sum();
            self.step[equations + k] = l - at;
        }
        problem.solve(border, &mut self.step)?;
        Ok(self.size())
    }

    /// Are the updates so small for so long that what is left of them is rounding?
    fn rests(&self) -> bool {
        let updates = &self.report.updates;
        updates.len() >= RESTING && updates[updates.len() - RESTING..].iter().all(|u| *u <= ROUNDING)
    }

    /// Has the iteration left the place where it began? What cannot be evaluated where it is says nothing of the
    /// equations there.
    fn run_off(&self) -> Option<Failure> {
        /// The last update is larger than an unknown is.
        const FAR: f64 = 1.0;
        let updates = &self.report.updates;
        let far = updates.last().is_some_and(|update| *update > FAR);
        far.then(|| Failure::Newton(updates.clone()))
    }

    /// The largest relative update; NaN if any is.
    fn size(&self) -> f64 {
        self.step.iter().zip(&self.sizes).fold(0.0, |m: f64, (s, size)| {
            let v = (s / size).abs();
            if v > m || v.is_nan() { v } else { m }
        })
    }

    /// What the next update would be, where the last two show quadratic convergence; otherwise infinite.
    fn next_update(&self) -> f64 {
        match self.report.updates[..] {
            [.., before, last] if last <= 0.01 * before => last * (last / before).powi(2),
            _ => f64::INFINITY,
        }
    }

    /// Do updates near the solution shrink more slowly than Newton's method makes them?
    fn is_slow(&self) -> bool {
        matches!(self.report.updates[..], [.., before, last] if last > SLOW * before && before <= CLOSE)
    }

    /// Do updates near the solution shrink fast?
    fn arrives(&self) -> bool {
        const FAST: f64 = 0.2;
        matches!(self.report.updates[..], [.., before, last] if last <= FAST * before && before <= CLOSE)
    }

    fn diverges(&self) -> bool {
        let u = &self.report.updates;
        u[u.len() - 1] > u[u.len() - 2] && u[u.len() - 2] > u[u.len() - 3]
    }

    /// A damped iteration may leave this many flat spots.
    const STUCK: usize = 2;

    /// Take the update, halved until it can be evaluated and the residual does not grow; false if that never came.
    fn damped_update<P: Problem + ?Sized>(
        &mut self,
        problem: &mut P,
        z: &mut [f64],
        evaluations: &mut usize,
    ) -> Result<bool, Failure> {
        let before = slipstick_numerics::linalg::norm(&self.residual);
        let mut fraction = 1.0;
        loop {
            self.trial.clear();
            self.trial
                .extend(z.iter().zip(&self.step).map(|(z, s)| z + fraction * s));
            let outcome = problem.linearise(&self.trial, &mut self.residual);
            *evaluations += 1;
            let after = slipstick_numerics::linalg::norm(&self.residual);
            if outcome.is_ok() && after.is_finite() && after <= before * (1.0 - 0.25 * fraction) {
                z.copy_from_slice(&self.trial);
                return Ok(true);
            }
            fraction *= 0.5;
            if fraction < 1e-4 {
                // A small step in the full direction sometimes leaves a flat spot; a stuck iteration ends by its count.
                outcome?;
                z.copy_from_slice(&self.trial);
                return Ok(false);
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// s (x - 1) + noise = 0, where the noise depends on the last digits of x and s is small.
    struct Noisy(f64);
    const SLOPE: f64 = 1e-5;
    impl Problem for Noisy {
        fn unknowns(&self) -> usize {
            2
        }
        fn free(&self) -> usize {
            1
        }
        fn weights(&self, _: &[f64], weights: &mut [f64]) {
            weights.fill(1.0);
        }
        fn linearise(&mut self, z: &[f64], residual: &mut [f64]) -> Result<(), Failure> {
            let noise = if z[0] > 1.0 { self.0 } else { -self.0 };
            residual[0] = SLOPE * (z[0] - 1.0) + noise;
            Ok(())
        }
        fn solve(&mut self, _: &[f64], rhs: &mut [f64]) -> Result<(), Failure> {
            rhs[0] /= SLOPE;
            Ok(())
        }
    }

    /// x² - 2 = 0 with a slope that is kept from where it was first wanted, until a new one is asked for.
    struct Keeping {
        x: f64,
        kept_at: Option<f64>,
    }
    impl Problem for Keeping {
        fn unknowns(&self) -> usize {
            2
        }
        fn free(&self) -> usize {
            1
        }
        fn weights(&self, _: &[f64], weights: &mut [f64]) {
            weights.fill(1.0);
        }
        fn linearise(&mut self, z: &[f64], residual: &mut [f64]) -> Result<(), Failure> {
            self.x = z[0];
            residual[0] = z[0] * z[0] - 2.0;
            Ok(())
        }
        fn renew(&mut self) -> bool {
            self.kept_at.take().is_some_and(|kept| kept != self.x)
        }
        fn solve(&mut self, _: &[f64], rhs: &mut [f64]) -> Result<(), Failure> {
            rhs[0] /= 2.0 * *self.kept_at.get_or_insert(self.x);
            Ok(())
        }
    }

    #[test]
    fn a_linearisation_that_was_kept_is_renewed_where_updates_shrink_slowly() {
        let root = 2f64.sqrt();
        for off in [2e-5, 1e-7, 3e-10, 0.0] {
            let mut problem = Keeping {
                x: 0.0,
                kept_at: Some(2.0),
            };
            let mut z = [root + off, 0.0];
            let options = NewtonOptions {
                polish: true,
                ..NewtonOptions::default()
            };
            let outcome = Newton::default().solve(&mut problem, &mut z, &[0.0, 1.0], &[0.0; 2], &[0.0], &options);
            assert!(
                outcome.is_ok() && (z[0] - root).abs() <= 4.0 * f64::EPSILON,
                "{off}: {outcome:?} {}",
                z[0]
            );
        }
    }

    #[test]
    fn small_updates_that_shrink_no_more_are_rounding_and_larger_ones_are_not() {
        let solve = |noise: f64| {
            let mut z = [1.0 + 2e-7, 0.0];
            let outcome = Newton::default().solve(
                &mut Noisy(noise),
                &mut z,
                &[0.0, 1.0],
                &[0.0; 2],
                &[0.0],
                &NewtonOptions {
                    rests: true,
                    ..NewtonOptions::default()
                },
            );
            (outcome, z[0])
        };
        let (outcome, x) = solve(5e-14);
        assert!(outcome.is_ok() && (x - 1.0).abs() < 2e-8, "{outcome:?} {x}");
        let (outcome, x) = solve(3e-11);
        assert!(outcome.is_ok() && (x - 1.0).abs() < 1e-5, "{outcome:?} {x}");
        assert!(solve(2e-10).0.is_err(), "updates are too large");
    }
}
