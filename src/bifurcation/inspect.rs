//! What is measured at a point of a curve: monitors, test functions, inequalities, stability.

use super::{BranchPoint, Label};
use nalgebra::Complex;
use slipstick_continuation::{Curve, Failure, Point, Problem};
use slipstick_floquet::{Multiplier, UnitPair, nearest_unit_pair_beside};
use std::ops::Range;

/// A test function: it changes sign where its label belongs.
///
/// ```
/// use slipstick_bifurcation::{Inspect, Label};
/// use slipstick_flow::FlowOptions;
/// use slipstick_orbit::{PeriodicOrbit, Word};
/// use slipstick_system::catalogue::stiction;
/// let system = stiction();
/// let labels = |text: &str, symmetric| {
///     let word = Word::parse(text, symmetric, &system).unwrap();
///     let orbit = PeriodicOrbit::new(&system, word, system.default_parameters(), vec![0], FlowOptions::default());
///     orbit.tests().into_iter().map(|test| test.label).collect::<Vec<_>>()
/// };
/// // A symmetric orbit may lose its symmetry; where that is lost already, the period doubles instead.
/// assert!(labels("slip- stick", true).contains(&Label::SB));
/// let lopsided = labels("slip- stick slip+ stick", false);
/// assert!(lopsided.contains(&Label::PD) && !lopsided.contains(&Label::SB));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestSpec {
    /// The label at a zero.
    pub label: Label,
    /// What happens there, in words.
    pub meaning: String,
}

/// Where several inequalities vanish together, the one of the highest rank says best what happens.
///
/// ```
/// use slipstick_bifurcation::Rank;
/// // Where a segment vanishes, the event that ends it is no longer reached either: the first says it better.
/// assert!(Rank::Duration > Rank::Rate && Rank::Rate > Rank::Other);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub enum Rank {
    /// Neither of those below.
    #[default]
    Other,
    /// An event is no longer reached.
    Rate,
    /// A segment is no more.
    Duration,
}

/// An inequality of admissibility: its value must stay positive.
///
/// ```
/// use slipstick_bifurcation::{Inspect, Label, Rank};
/// use slipstick_flow::FlowOptions;
/// use slipstick_orbit::{PeriodicOrbit, Word};
/// use slipstick_system::catalogue::stiction;
/// let system = stiction();
/// let word = Word::parse("slip- stick", true, &system)?;
/// let orbit = PeriodicOrbit::new(&system, word, system.default_parameters(), vec![0], FlowOptions::default());
/// // Each of the two segments must last: where its duration reaches zero, the segment vanishes.
/// let durations = orbit.inequalities().into_iter().filter(|one| one.rank == Rank::Duration);
/// assert!(durations.map(|one| one.label).eq([Label::VS, Label::VS]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct InequalitySpec {
    /// The label where it vanishes.
    pub label: Label,
    /// How well it says what happens.
    pub rank: Rank,
    /// What happens there, in words.
    pub meaning: String,
}

/// The measurements at one point; buffers are reused along a curve.
///
/// ```
/// use slipstick_bifurcation::Record;
/// let record = Record { inequalities: vec![0.7, 0.2, 1.5], unstable: 1, ..Record::default() };
/// assert!(record.admissible() && !record.stable());
/// assert_eq!(record.margin(), 0.2);
/// ```
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Record {
    /// All parameters of the system.
    pub parameters: Vec<f64>,
    /// The period (zero for equilibria; the number of iterates for maps).
    pub period: f64,
    /// Monitors, in the order of [`Inspect::monitors`].
    pub monitors: Vec<f64>,
    /// Test functions, in the order of [`Inspect::tests`].
    pub tests: Vec<f64>,
    /// Inequalities, in the order of [`Inspect::inequalities`].
    pub inequalities: Vec<f64>,
    /// Nontrivial multipliers over the full period, descending.
    pub multipliers: Vec<Multiplier>,
    /// For symmetric orbits: the multipliers ν of the half map.
    pub nu: Vec<Multiplier>,
    /// For equilibria: the eigenvalues, largest real part first.
    #[serde(with = "pairs")]
    pub eigenvalues: Vec<Complex<f64>>,
    /// How many multipliers lie outside the unit circle, or eigenvalues to the right of the imaginary axis.
    pub unstable: usize,
}

/// Complex numbers as pairs of their parts.
mod pairs {
    use super::Complex;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(values: &[Complex<f64>], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(values.iter().map(|v| (v.re, v.im)))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Complex<f64>>, D::Error> {
        let parts = Vec::<(f64, f64)>::deserialize(deserializer)?;
        Ok(parts.into_iter().map(|(re, im)| Complex::new(re, im)).collect())
    }
}

impl Record {
    /// The smallest inequality; infinite when there are none.
    pub fn margin(&self) -> f64 {
        self.inequalities.iter().copied().fold(f64::INFINITY, f64::min)
    }
    /// Do all inequalities hold?
    pub fn admissible(&self) -> bool {
        self.inequalities.iter().all(|&v| v >= 0.0)
    }
    /// No multiplier outside the unit circle, no eigenvalue to the right of the imaginary axis?
    pub fn stable(&self) -> bool {
        self.unstable == 0
    }
}

/// Where an orbit comes almost to rest.
///
/// ```
/// use slipstick_bifurcation::Inspect;
/// use slipstick_continuation::{Curve, StepOptions};
/// use slipstick_flow::{FlowOptions, AfterTransient, TransientOptions, run_transient};
/// use slipstick_orbit::{PeriodicOrbit, Word};
/// use slipstick_study as study;
/// // The level h of H = (y² - x²)/2 + x³/3 attracts; for small -h it is a cycle that passes close to the saddle at the origin.
/// let text = r#"Study(title: "near a loop", system: Smooth(states: ["x", "y"], parameters: {"h": -1e-6},
///     define: {"H": "(y^2 - x^2)/2 + x^3/3"}, equations: ["x' = y", "y' = x - x^2 - y*(H - h)"]))"#;
/// let plan = study::parse("loop.ron".as_ref(), text.into())?.plan(&[])?;
/// let system = &plan.systems[0].system;
/// let AfterTransient::Orbit(cycle) = run_transient(system, 0, &[1.4, 0.0], &[-1e-6], &TransientOptions::default())? else {
///     panic!("it goes round")
/// };
/// let word = Word::connected(system, &[(0, None)], false)?;
/// let mut orbit = PeriodicOrbit::new(system, word, vec![-1e-6], vec![0], FlowOptions::default());
/// let z = orbit.guess(&cycle.starts, &cycle.durations)?;
/// let point = Curve::start(&mut orbit, z, -1.0, StepOptions::default())?.point().clone();
/// let rest = orbit.rest(&point).ok_or("it never rests")?;
/// assert!(rest.share > 0.2 && rest.places[0].contains("x = "), "{rest:?}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rest {
    /// The part of the period that it spends there.
    pub share: f64,
    /// The equilibria there, in words: the values of the states by their names. None where the orbit is slow without an
    /// equilibrium nearby.
    pub places: Vec<String>,
    /// Where the orbit is slowest, in words.
    pub slowest: String,
}

/// A problem whose points can be measured.
///
/// ```
/// use slipstick_bifurcation::{Inspect, Record};
/// use slipstick_continuation::{Curve, StepOptions};
/// use slipstick_orbit::FixedPoint;
/// use slipstick_study as study;
/// let text = r#"Study(title: "fold", system: Smooth(states: ["x"], parameters: {"a": 1}, equations: ["x' = a - x^2"]))"#;
/// let plan = study::parse("fold.ron".as_ref(), text.into())?.plan(&[])?;
/// let mut rest = FixedPoint::equilibrium(&plan.systems[0].system, 0, vec![1.0], vec![0]);
/// assert_eq!(rest.parameter_names(), ["a"]);
/// let point = Curve::start(&mut rest, vec![1.0, 1.0], 1.0, StepOptions::default())?.point().clone();
/// let mut record = Record::default();
/// rest.inspect(&point, &mut record)?;
/// // The upper branch x = √a is stable, its eigenvalue is -2x.
/// assert!(record.stable() && (record.eigenvalues[0].re + 2.0).abs() < 1e-14);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Inspect: Problem {
    /// Names of all parameters of the system, as they head the tables.
    fn parameter_names(&self) -> Vec<String>;
    /// Index (among all parameters) of each free parameter, the continuation parameter last.
    fn free_parameters(&self) -> &[usize];
    /// Names of the monitors.
    fn monitors(&self) -> Vec<String>;
    /// The test functions.
    fn tests(&self) -> Vec<TestSpec>;
    /// The inequalities.
    fn inequalities(&self) -> Vec<InequalitySpec>;
    /// The word of the orbit, for hybrid systems.
    fn word(&self) -> String;
    /// Measure at `point`, where the problem is linearised.
    ///
    /// # Errors
    /// [`Failure`] when something cannot be evaluated there.
    fn inspect(&mut self, point: &Point, record: &mut Record) -> Result<(), Failure>;
    /// Is a located zero of test function `test` what its label says? For tests that also vanish elsewhere.
    fn confirm(&self, test: usize, record: &Record) -> bool {
        let _ = (test, record);
        true
    }
    /// How many pairs of eigenvalues or multipliers are neutral to rounding at a measured point: with a sum of zero or
    /// a product of one.
    fn neutral_pairs(&self, record: &Record) -> usize {
        let _ = record;
        0
    }
    /// Leave so many pairs out of the test functions from now on, since they are neutral all along the curve: what
    /// conserves something or is reversible has such pairs, and they bifurcate nowhere.
    fn leave_out_neutral(&mut self, pairs: usize) {
        let _ = pairs;
    }
    /// The angle by which the perturbations come back rotated that bifurcate at a point with this label: π where a
    /// multiplier is -1, of the half map for symmetric orbits. `None` for other labels, and for objects that do not
    /// come back.
    fn rotation(&self, label: Label, record: &Record) -> Option<f64> {
        let _ = (label, record);
        None
    }
    /// Solve for a perturbation at fixed parameters that comes back rotated by an angle, where the problem is
    /// linearised, from a right-hand side that the frequency chooses: its equations are singular just where e^{iθ} is a
    /// multiplier. The answer has real and imaginary parts of each unknown that is solved for.
    ///
    /// # Errors
    /// [`Failure`] where the equations are singular to the last digit, or there are none.
    fn solve_rotated(&mut self, angle: f64, frequency: f64) -> Result<Vec<f64>, Failure> {
        let _ = (angle, frequency);
        Err(Failure::Evaluation("there is no return map here".into()))
    }
    /// Does test function `test` vanish, twice, at folds as well?
    fn vanishes_at_folds(&self, test: usize) -> bool {
        let _ = test;
        false
    }
    /// The same solution as at `point`, with its tangent, shifted along its cycle and with its angles turned by whole
    /// periods such that it comes nearest to `near`; none if it is nearest as it stands.
    fn turned(&self, point: &Point, near: &[f64]) -> Option<Point> {
        let _ = (point, near);
        None
    }
    /// Is it special where the curve turns back in its parameter? Not on two-parameter curves.
    fn folds(&self) -> bool {
        true
    }
    /// A located zero of test function `test`, corrected by equations that are regular there; `None` where that is not
    /// needed or fails.
    fn refine(&mut self, test: usize, point: &Point) -> Option<Vec<f64>> {
        let _ = (test, point);
        None
    }
    /// What more there is to say about a located point with this label, to be appended to its message: normal-form
    /// coefficients and the like.
    fn explain(&mut self, label: Label, point: &Point, record: &Record) -> Option<String> {
        let _ = (label, point, record);
        None
    }
    /// The same at a branch point that the curve touches and passes without a change of stability.
    fn explain_touch(&mut self, point: &Point) -> Option<String> {
        let _ = point;
        None
    }
    /// May one and the same orbit be told from different of its points along a curve?
    fn may_start_anywhere(&self) -> bool {
        false
    }
    /// Which monitor is the error of the discretisation, if there is one.
    fn error_monitor(&self) -> Option<usize> {
        None
    }
    /// The monitors that depend on how a solution was computed or on its initial point, not on the solution alone.
    fn incidental_monitors(&self) -> Vec<usize> {
        vec![]
    }
    /// For orbits whose period may grow without bound: which monitors tell their shape.
    fn shape(&self) -> Option<Range<usize>> {
        None
    }
    /// For two-parameter curves of cycles that may shrink to a point: which monitors tell their extent (modulus,
    /// maximum and minimum of each state).
    fn extremes(&self) -> Option<Range<usize>> {
        None
    }
    /// For cycles that may shrink to an equilibrium: how much smaller the last one is than one before.
    fn shrinkage(&self, before: &Record, last: &Record) -> Option<f64> {
        let _ = (before, last);
        None
    }
    /// For cycles that may shrink to an equilibrium, or cycles of a map that may shrink onto one of half as many
    /// points: does the step from the first to the second lead across the point where they do?
    fn turned_over(&self, a: (&Point, &Record), b: (&Point, &Record)) -> bool {
        let _ = (a, b);
        false
    }
    /// For the same: the point at which they do, if the last one and what was measured of one before lead there.
    fn vanishing_point(&mut self, before: &Record, last: (&Point, &Record)) -> Option<BranchPoint> {
        let _ = (before, last);
        None
    }
    /// For curves of cycles in two parameters: if those near `point` shrink to an equilibrium, the label of the point
    /// where they do, and what happens there.
    fn shrunk(&mut self, point: &Point) -> Option<(Label, String)> {
        let _ = point;
        None
    }
    /// For orbits whose period may grow without bound: where the orbit at `point` comes almost to rest near an
    /// equilibrium.
    fn rest(&mut self, point: &Point) -> Option<Rest> {
        let _ = point;
        None
    }
    /// The unit that times are told in: in words they are multiplied by it.
    fn time_unit(&self) -> f64 {
        1.0
    }
    /// How large the states are at `point` in units of what they change the equations by, where families may run off to
    /// infinity.
    fn extent(&self, point: &Point) -> Option<f64> {
        let _ = point;
        None
    }
    /// On the way of the parameter from `point` to a value: where a requirement on the parameters first ceases to hold,
    /// and which.
    fn requirement_limit(&self, point: &Point, end: f64) -> Option<(f64, String)> {
        let _ = (point, end);
        None
    }
    /// Why a problem may not be solved to its digits at `point`, and what helps, in words.
    fn digits_lost(&self, point: &Point) -> Option<String> {
        let _ = point;
        None
    }
    /// What stops being defined next to `point`, in words.
    fn edge_near(&self, point: &Point) -> Option<String> {
        let _ = point;
        None
    }
    /// The number of the inequality whose boundary `point` lies on, to rounding, where a curve cannot be followed any
    /// further: a corner of the equations, beyond which other ones hold.
    fn corner_reached(&self, point: &Point) -> Option<usize> {
        let _ = point;
        None
    }
    /// What a fold means for this kind of object.
    fn fold_meaning(&self, parameter: &str) -> String {
        format!("fold: the branch turns back in {parameter}")
    }
}

/// A curve of which the points can be measured. One instance of the tracer serves every problem.
pub(crate) type InspectedCurve<'p> = Curve<'p, dyn Inspect + 'p>;

/// The angle by which the perturbations come back rotated that bifurcate at a label of a map with these multipliers, of
/// which so many pairs stay neutral.
pub fn rotation(label: Label, multipliers: &[Multiplier], neutral_pairs: usize) -> Option<f64> {
    match label {
        Label::SB | Label::PD => Some(std::f64::consts::PI),
        Label::NS => match nearest_unit_pair_beside(multipliers, neutral_pairs) {
            Some(UnitPair::Conjugate { arg }) => Some(arg),
            _ => None,
        },
        _ => None,
    }
}
