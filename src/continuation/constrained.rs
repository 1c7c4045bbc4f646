//! A problem with more free parameters than one, of which all but the last are spent on conditions that hold along the
//! curve.

use super::{Failure, Meshes, ParameterScale, Problem};

/// A scalar condition on the unknowns of a problem: `g(z) = 0`.
///
/// Orbits on which two monitors agree, say, are points where their difference is zero. Here an equilibrium is kept
/// where x = 1, whatever the parameters:
///
/// Orbits on which two monitors agree, say, are points where their difference is zero. Here an equilibrium is kept
/// where x = 1, whatever the parameters:
///
/// ```
/// use slipstick_continuation::{Condition, Failure, Newton, NewtonOptions, Constrained};
/// use slipstick_orbit::FixedPoint;
/// use slipstick_study as study;
/// struct AtOne;
/// impl<'s> Condition<FixedPoint<'s>> for AtOne {
///     fn evaluate(&mut self, _: &FixedPoint<'s>, z: &[f64], gradient: &mut [f64]) -> Result<f64, Failure> {
///         gradient[0] = 1.0;
///         Ok(z[0] - 1.0)
///     }
/// }
/// let text = r#"Study(title: "cusp", system: Smooth(states: ["x"], parameters: {"a": 0, "b": 0}, equations: ["x' = a + b*x - x^3"]))"#;
/// let plan = study::parse("cusp.ron".as_ref(), text.into())?.plan(&[])?;
/// let rest = FixedPoint::equilibrium(&plan.systems[0].system, 0, vec![0.0, 0.0], vec![0, 1]);
/// let mut constrained = Constrained::new(rest, vec![AtOne]);
/// // At b = 3 that needs a = -2.
/// let mut z = [0.9, 0.0, 2.0];
/// Newton::default().solve(&mut constrained, &mut z, &[0.0, 0.0, 1.0], &[0.0; 3], &[3.0], &NewtonOptions::default())?;
/// assert!((z[0] - 1.0).abs() < 1e-14 && (z[1] + 2.0).abs() < 1e-13);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Condition<P: ?Sized> {
    /// The value of g at `z`, where the problem is linearised, and its gradient over all unknowns, which comes in as
    /// zeros.
    ///
    /// # Errors
    /// [`Failure`] when it cannot be evaluated there.
    fn evaluate(&mut self, problem: &P, z: &[f64], gradient: &mut [f64]) -> Result<f64, Failure>;
    /// Told of each accepted point, after the problem. Returns true if the condition was changed so that it no longer
    /// holds exactly.
    fn accept(&mut self, problem: &P, z: &[f64]) -> bool {
        let _ = (problem, z);
        false
    }
}

/// A problem `F(z) = 0` with k + 1 free parameters and k conditions `g(z) = 0`: a curve. This is how a monitor is fixed
/// and another parameter freed. Gradients of conditions become border rows, so a problem keeps the structure of its
/// matrix.
///
/// ```
/// use slipstick_bifurcation::{Column, Inspect};
/// use slipstick_continuation::{Curve, Constrained, Problem, StepOptions};
/// use slipstick_flow::FlowOptions;
/// use slipstick_orbit::{FixedScalar, PeriodicOrbit, Scalar, Word};
/// use slipstick_system::catalogue::stiction;
/// let system = stiction();
/// let word = Word::parse("slip- stick", true, &system)?;
/// // Ω and μ_s are free, and the time spent in stick (monitor of that name) is held: a curve in the plane of both.
/// let mut orbit = PeriodicOrbit::new(&system, word, system.default_parameters(), vec![1, 0], FlowOptions::default());
/// let z = orbit.guess(&[vec![0.4, 0.0, -0.6], vec![-0.4, 1.4]], &[2.0, 1.1])?;
/// let stick = orbit.monitor_names().iter().position(|name| name == "stick").ok_or("no such monitor")?;
/// let hold = FixedScalar { scalar: Scalar::Column(Column::Monitor(stick)), level: 1.0 };
/// let mut constrained = Constrained::new(orbit, vec![hold]);
/// assert_eq!(constrained.free(), 1);
/// let mut curve = Curve::start(&mut constrained, z, 1.0, StepOptions::default())?;
/// let point = curve.nth(5).ok_or("it ends early")??;
/// assert!((curve.problem_ref().problem().duration(&point.z, 1) - 1.0).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Constrained<P, C> {
    problem: P,
    conditions: Vec<C>,
    /// The gradients at the last linearisation, one row for each condition.
    rows: Vec<f64>,
}

impl<P: Problem, C: Condition<P>> Constrained<P, C> {
    /// The problem with these conditions; it must have more free parameters than there are conditions.
    pub fn new(problem: P, conditions: Vec<C>) -> Self {
        Self {
            problem,
            conditions,
            rows: vec![],
        }
    }
    /// The problem without its conditions.
    pub fn problem(&self) -> &P {
        &self.problem
    }
    /// The same, to be changed.
    pub fn problem_mut(&mut self) -> &mut P {
        &mut self.problem
    }
    /// The conditions, to be changed.
    pub fn conditions_mut(&mut self) -> &mut [C] {
        &mut self.conditions
    }
}

impl<P: Problem, C: Condition<P>> Problem for Constrained<P, C> {
    fn unknowns(&self) -> usize {
        self.problem.unknowns()
    }
    fn free(&self) -> usize {
        self.problem.free() - self.conditions.len()
    }
    fn weights(&self, z: &[f64], weights: &mut [f64]) {
        self.problem.weights(z, weights);
    }
    fn longest_step(&self, tangent: &[f64], weights: &[f64]) -> f64 {
        self.problem.longest_step(tangent, weights)
    }
    fn sizes(&self, z: &[f64], sizes: &mut [f64]) {
        self.problem.sizes(z, sizes);
    }
    fn set_scales(&mut self, z: &[f64], parameters: &[ParameterScale]) {
        self.problem.set_scales(z, parameters);
    }
    fn linearise(&mut self, z: &[f64], residual: &mut [f64]) -> Result<(), Failure> {
        let n = z.len();
        let equations = n - self.problem.free();
        let (own, pins) = residual.split_at_mut(equations);
        self.problem.linearise(z, own)?;
        self.rows.clear();
        self.rows.resize(self.conditions.len() * n, 0.0);
        for ((c, row), r) in self.conditions.iter_mut().zip(self.rows.chunks_exact_mut(n)).zip(pins) {
            *r = c.evaluate(&self.problem, z, row)?;
            if !r.is_finite() || row.iter().any(|v| !v.is_finite()) {
                return Err(Failure::Evaluation(
                    "the constraint of the curve is not finite here".into(),
                ));
            }
        }
        Ok(())
    }
    fn solve(&mut self, border: &[f64], rhs: &mut [f64]) -> Result<(), Failure> {
        let mut rows = self.rows.clone();
        rows.extend_from_slice(border);
        self.problem.solve(&rows, rhs)
    }
    fn amplification(&mut self, border: &[f64]) -> Option<f64> {
        let mut rows = self.rows.clone();
        rows.extend_from_slice(border);
        self.problem.amplification(&rows)
    }
    fn meshes(&self) -> Option<Meshes> {
        self.problem.meshes()
    }
    fn enlarges_errors(&self) -> bool {
        self.problem.enlarges_errors()
    }
    fn renew(&mut self) -> bool {
        self.problem.renew()
    }
    fn restore(&mut self, meshes: &Option<Meshes>) {
        self.problem.restore(meshes);
    }
    fn recall(&mut self, z: &[f64], meshes: &Option<Meshes>) {
        self.problem.recall(z, meshes);
    }
    fn accept(&mut self, z: &mut Vec<f64>, tangent: &mut Vec<f64>) -> bool {
        let mut changed = self.problem.accept(z, tangent);
        for c in &mut self.conditions {
            changed |= c.accept(&self.problem, z);
        }
        changed
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::{Curve, StepOptions};
    use slipstick_numerics::linalg::DenseSystem;

    /// x² + a - b = 0: folds where x = 0, so along a = b.
    struct Parabola(f64);
    impl Problem for Parabola {
        fn unknowns(&self) -> usize {
            3
        }
        fn free(&self) -> usize {
            2
        }
        fn weights(&self, _: &[f64], weights: &mut [f64]) {
            weights.fill(1.0);
        }
        fn linearise(&mut self, z: &[f64], residual: &mut [f64]) -> Result<(), Failure> {
            self.0 = z[0];
            residual[0] = z[0] * z[0] + z[1] - z[2];
            Ok(())
        }
        fn solve(&mut self, border: &[f64], rhs: &mut [f64]) -> Result<(), Failure> {
            let mut matrix = DenseSystem::new(3);
            matrix.set_row(0, &[2.0 * self.0, 1.0, -1.0]);
            for (i, row) in border.chunks_exact(3).enumerate() {
                matrix.set_row(i + 1, row);
            }
            matrix.factorise()?;
            Ok(matrix.solve(rhs)?)
        }
    }

    /// 2x = c.
    struct Slope(f64);
    impl Condition<Parabola> for Slope {
        fn evaluate(&mut self, _: &Parabola, z: &[f64], gradient: &mut [f64]) -> Result<f64, Failure> {
            gradient[0] = 2.0;
            Ok(2.0 * z[0] - self.0)
        }
    }

    #[test]
    fn the_condition_holds_all_along_the_curve() {
        for slope in [0.0, 0.5] {
            let mut constrained = Constrained::new(Parabola(0.0), vec![Slope(slope)]);
            let curve = Curve::start(&mut constrained, vec![0.1, 1.0, 1.2], 1.0, StepOptions::default()).unwrap();
            let points: Vec<_> = curve.take(20).map(Result::unwrap).collect();
            assert!(points[19].parameter() > 1.3);
            for p in points {
                assert!((2.0 * p.z[0] - slope).abs() < 1e-15);
                assert!((p.z[2] - p.z[1] - 0.25 * slope * slope).abs() < 1e-14);
            }
        }
    }
}
