//! What the tracer asks of a problem.

use super::ParameterScale;
use slipstick_numerics::linalg::Singular;
use std::sync::Arc;

/// The meshes of a discretisation, one list of nodes for each meshed part.
pub type Meshes = Arc<Vec<Vec<f64>>>;

/// Why a problem could not be evaluated, in words.
///
/// ```
/// use slipstick_continuation::{Failure, Newton, NewtonOptions};
/// use slipstick_orbit::FixedPoint;
/// use slipstick_study as study;
/// let text = r#"Study(title: "fold", system: Smooth(states: ["x"], parameters: {"a": 1}, equations: ["x' = a - x^2"]))"#;
/// let plan = study::parse("fold.ron".as_ref(), text.into())?.plan(&[])?;
/// let mut rest = FixedPoint::equilibrium(&plan.systems[0].system, 0, vec![1.0], vec![0]);
/// // There is nothing at a = -1, and the updates say how Newton's iteration went astray.
/// let mut z = [0.3, -1.0];
/// let failure = Newton::default()
///     .solve(&mut rest, &mut z, &[0.0, 1.0], &[0.0, 0.0], &[-1.0], &NewtonOptions::default())
///     .unwrap_err();
/// assert!(matches!(failure, Failure::Newton(updates) if !updates.is_empty()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// A flow, event or formula could not be evaluated there.
    #[error("{0}")]
    Evaluation(String),
    /// Newton's matrix has no inverse.
    #[error(transparent)]
    Singular(#[from] Singular),
    /// Newton's iteration did not converge; the scaled sizes of its updates tell how it went.
    #[error("Newton's iteration did not converge (updates {})", history(.0))]
    Newton(Vec<f64>),
}

/// The updates; of many the first and the last.
fn history(updates: &[f64]) -> String {
    const MANY: usize = 10;
    const LAST: usize = 4;
    let words = |of: &[f64]| of.iter().map(|u| format!("{u:.1e}")).collect::<Vec<_>>().join(", ");
    if updates.len() <= MANY {
        return words(updates);
    }
    let (first, last) = (&updates[..1], &updates[updates.len() - LAST..]);
    format!("{}, …, {}, {} in all", words(first), words(last), updates.len())
}

/// Equations `F(z) = 0` with fewer equations than unknowns; the last [`Problem::free`] unknowns are parameters.
///
/// The tracer never forms the Jacobian: it asks for solutions of the bordered system `[F'(z); B] δz = [r; b]` with as
/// many border rows B as there are free parameters, so that a problem can use the structure of its own matrix. All
/// derivatives must be exact.
///
/// ```
/// use slipstick_continuation::{Curve, Failure, Problem, StepOptions};
/// use slipstick_numerics::linalg::DenseSystem;
/// /// The parabola a = x², with its Jacobian in a matrix that gets the border as its last row.
/// struct Parabola(DenseSystem);
/// impl Problem for Parabola {
///     fn unknowns(&self) -> usize { 2 }
///     fn free(&self) -> usize { 1 }
///     fn weights(&self, _: &[f64], weights: &mut [f64]) { weights.fill(1.0) }
///     fn linearise(&mut self, z: &[f64], residual: &mut [f64]) -> Result<(), Failure> {
///         residual[0] = z[1] - z[0] * z[0];
///         self.0.set_row(0, &[-2.0 * z[0], 1.0]);
///         Ok(())
///     }
///     fn solve(&mut self, border: &[f64], rhs: &mut [f64]) -> Result<(), Failure> {
///         self.0.set_row(1, border);
///         self.0.factorise()?;
///         Ok(self.0.solve(rhs)?)
///     }
/// }
/// let mut parabola = Parabola(DenseSystem::new(2));
/// let mut curve = Curve::start(&mut parabola, vec![1.0, 1.0], -1.0, StepOptions::default())?;
/// // Through the fold at the origin and up the other side.
/// let beyond = curve.by_ref().map_while(Result::ok).find(|point| point.z[0] < -1.0).ok_or("it ends early")?;
/// assert!((beyond.parameter() - beyond.z[0] * beyond.z[0]).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Problem {
    /// The number of unknowns, free parameters included.
    fn unknowns(&self) -> usize;
    /// The number of free parameters: the excess of unknowns over equations.
    fn free(&self) -> usize;
    /// The metric of arclength: a weight, not negative, for each squared unknown, so that each counts in its own unit
    /// of size.
    fn weights(&self, z: &[f64], weights: &mut [f64]);
    /// The typical size of each unknown, by which Newton's updates are judged. By default one over the root of its
    /// weight.
    fn sizes(&self, z: &[f64], sizes: &mut [f64]) {
        self.weights(z, sizes);
        sizes.iter_mut().for_each(|s| *s = s.sqrt().recip());
    }
    /// The longest step along a tangent, in the metric of these weights, that is short enough for every single unknown.
    fn longest_step(&self, _tangent: &[f64], _weights: &[f64]) -> f64 {
        f64::INFINITY
    }
    /// Evaluate F at `z` into `residual` (one entry for each equation) and keep the linearisation there.
    ///
    /// # Errors
    /// [`Failure`] when `z` is outside the domain of the problem.
    fn linearise(&mut self, z: &[f64], residual: &mut [f64]) -> Result<(), Failure>;
    /// Told that a last small update led from the last linearisation to `z`: keep the linearisation there. A problem
    /// for which that is dear may let the last one stand for it.
    ///
    /// # Errors
    /// As [`Problem::linearise`].
    fn reuse_linearisation(&mut self, z: &[f64], residual: &mut [f64]) -> Result<(), Failure> {
        self.linearise(z, residual)
    }
    /// Told that updates shrink slowly: if the last linearisation was that of a point nearby, the next one is to be
    /// made anew. Returns true if so.
    fn renew(&mut self) -> bool {
        false
    }
    /// Do small errors of the unknowns grow along a solution, so that an update of the size of rounding need not be the
    /// last?
    fn enlarges_errors(&self) -> bool {
        false
    }
    /// Told before a curve sets off from `z`: how its free parameters are measured, in their order, the continuation
    /// parameter last. Arclength and Newton's tolerances go by it from now on.
    fn set_scales(&mut self, z: &[f64], parameters: &[ParameterScale]) {
        let _ = (z, parameters);
    }
    /// Solve the bordered system at the last linearisation. `border` holds the rows one after the other; `rhs` the
    /// right-hand side of the equations, then of the border rows; it is overwritten by δz.
    ///
    /// # Errors
    /// [`Failure::Singular`].
    fn solve(&mut self, border: &[f64], rhs: &mut [f64]) -> Result<(), Failure>;
    /// By how much errors of the equations, relative to the terms they are made of, are enlarged in the unknowns,
    /// relative to their sizes, at the last linearisation; `None` where that is not known, or dear.
    fn amplification(&mut self, border: &[f64]) -> Option<f64> {
        let _ = border;
        None
    }
    /// Told that errors are enlarged here: until this is called again with `false`, evaluate F with twice the digits.
    /// Returns false where the problem cannot do that.
    fn sharpen(&mut self, on: bool) -> bool {
        let _ = on;
        false
    }
    /// The meshes that unknowns refer to at present; `None` for problems without.
    fn meshes(&self) -> Option<Meshes> {
        None
    }
    /// Go back to meshes that were in use before.
    fn restore(&mut self, meshes: &Option<Meshes>) {
        let _ = meshes;
    }
    /// Does the discretisation still fit the solution at `z`? A step to where it does not is repeated shorter.
    fn fits(&self, z: &[f64]) -> bool {
        let _ = z;
        true
    }
    /// Before [`Problem::accept`]: if another discretisation is wanted and the present one fits, carry `z` and its
    /// `companions` (its tangent, the point before and the tangent there) over to it. Nothing is corrected then.
    /// Returns true when they were rewritten.
    fn transfer_mesh(&mut self, z: &mut Vec<f64>, companions: &mut [&mut Vec<f64>]) -> bool {
        let _ = (z, companions);
        false
    }
    /// The error, relative to the sizes of the unknowns, that carrying a point over to another discretisation may leave
    /// in it.
    fn discretisation_error(&self) -> f64 {
        0.0
    }
    /// Hold the only free parameter at its value in `z` from now on. Its place among the unknowns is taken by one that
    /// unfolds the equations and keeps the parameter's value just where they hold: where a whole family of solutions
    /// exists at one value of the parameter, F' may be short of full rank, and the unfolded equations are not. Returns
    /// false where the problem cannot do that.
    fn fix_parameter(&mut self, z: &[f64]) -> bool {
        let _ = z;
        false
    }
    /// Free the parameter again.
    fn release_parameter(&mut self) {}
    /// Is the parameter held?
    fn fixes_parameter(&self) -> bool {
        false
    }
    /// A walk sets off from `z`: the phase condition, if there is one, is set by it.
    fn set_off(&mut self, z: &[f64]) {
        let _ = z;
    }
    /// Told of a point that an earlier attempt accepted, where the curve goes on from its end: what later steps owe to
    /// it besides the point itself, as sizes met so far.
    fn recall(&mut self, z: &[f64], meshes: &Option<Meshes>) {
        let _ = (z, meshes);
    }
    /// What the next steps owe to the points accepted so far, besides the last point, its mesh and sizes: the sense in
    /// which a curve runs, say. A trace that is taken up again gets it back by [`Problem::set_memory`].
    fn memory(&self) -> Vec<f64> {
        vec![]
    }
    /// Go on with what [`Problem::memory`] gave at the point where an earlier attempt ended.
    fn set_memory(&mut self, memory: &[f64]) {
        let _ = memory;
    }
    /// Told after an accepted point was left as it is: the phase of an orbit may be determined by a condition that was
    /// renewed at this point, or vectors among the unknowns up to a factor. Take the `companions` (this point, then
    /// those before it, each with its tangent) over to the renewed condition. Returns true when they were rewritten.
    fn normalise(&mut self, companions: &mut [(&mut Vec<f64>, &mut Vec<f64>)]) -> bool {
        let _ = companions;
        false
    }
    /// Told of each accepted point: refresh phase conditions or meshes. May change the number of unknowns, in which
    /// case both slices are rewritten. Returns true when something changed, so that the point must be corrected again.
    fn accept(&mut self, z: &mut Vec<f64>, tangent: &mut Vec<f64>) -> bool {
        let _ = (z, tangent);
        false
    }
}
