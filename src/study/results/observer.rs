//! Who wants to know how a run is going, and may stop it.
use crate::results::curve::CurveResult;
use slipstick_bifurcation::BranchPoint;
use slipstick_orbit::Searched;

/// Who wants to know how a run is going, and may stop it.
///
/// ```
/// use slipstick_bifurcation::BranchPoint;
/// use slipstick_study::{self as study, Observer};
/// use std::sync::atomic::{AtomicUsize, Ordering};
/// struct Count(AtomicUsize);
/// impl Observer for Count {
///     fn point(&self, _: &str, _: &BranchPoint) {
///         self.0.fetch_add(1, Ordering::Relaxed);
///     }
/// }
/// let text = r#"Study(
///     title: "Steady states of x' = r - x²",
///     system: Smooth(states: ["x"], parameters: {"r": 1}, equations: ["x' = r - x^2"]),
///     curves: [Curve(name: "fold", orbit: Equilibrium, start: Guess(at: {"r": 1}, states: [{"x": 1}]), free: "r", range: (-1, 2))],
/// )"#;
/// let plan = study::parse("fold.ron".as_ref(), text.into())?.plan(&[])?;
/// let count = Count(AtomicUsize::new(0));
/// let result = study::run(&plan, &count, &false.into());
/// assert!(count.0.into_inner() >= result.curves[0].len() - 1);
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
pub trait Observer: Sync {
    /// A curve begins.
    fn curve_begins(&self, name: &str) {
        let _ = name;
    }
    /// A start of the curve is looked for at this value of its free parameter.
    fn searching(&self, name: &str, value: f64, so_far: Searched) {
        let _ = (name, value, so_far);
    }
    /// A point was computed.
    fn point(&self, name: &str, point: &BranchPoint) {
        let _ = (name, point);
    }
    /// A curve has ended.
    fn curve_ends(&self, result: &CurveResult) {
        let _ = result;
    }
    /// Work on something else begins: a simulation, a sweep, a portrait, an analysis.
    fn work_begins(&self, name: &str) {
        let _ = name;
    }
    /// So many of its parts are done.
    fn work_done(&self, name: &str, parts: usize, of: usize) {
        let _ = (name, parts, of);
    }
    /// That work has ended.
    fn work_ends(&self, name: &str) {
        let _ = name;
    }
}

/// An observer who does not look.
///
/// ```
/// use slipstick_study::{self as study, Silent};
/// let text = r#"Study(
///     title: "One curve",
///     system: Stiction(mu_s: 1.1, mu_d: 0.4),
///     curves: [Curve(name: "stiff", orbit: Symmetric("slip- stick"), start: All(at: {"Omega": 2}), free: "Omega", range: (1.9, 2.1))],
/// )"#;
/// let plan = study::parse("study.ron".as_ref(), text.into())?.plan(&[])?;
/// let result = study::run(&plan, &Silent, &false.into());
/// assert_eq!(result.curves[0].covered(), (1.9, 2.1));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
pub struct Silent;

impl Observer for Silent {}
