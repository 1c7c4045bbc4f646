//! What the tracer asks of a problem beyond its equations: how its points are measured, what its labels mean.

use super::{BranchPoint, InequalitySpec, Label, Monitor, MonitorKind, Record, TestSpec};
use slipstick_continuation::{Curve, Failure, Point, Problem};
use slipstick_floquet::{Multiplier, Neutral, UnitPair, nearest_unit_pair_beside};

/// Where an orbit comes almost to rest.
///
/// ```
/// use slipstick_bifurcation::Recurrence;
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
    /// All monitors. A [`Record`] holds the values of those that are tabulated, of the test functions and of the
    /// inequalities, each in the order of this list.
    fn monitors(&self) -> Vec<Monitor>;
    /// The names of those that are tabulated.
    fn monitor_names(&self) -> Vec<String> {
        let all = self.monitors().into_iter();
        all.filter(Monitor::is_tabulated).map(|m| m.name).collect()
    }
    /// The test functions.
    fn tests(&self) -> Vec<TestSpec> {
        let of = |monitor: Monitor| match monitor.kind {
            MonitorKind::Test(test) => Some(test),
            _ => None,
        };
        self.monitors().into_iter().filter_map(of).collect()
    }
    /// The inequalities.
    fn inequalities(&self) -> Vec<InequalitySpec> {
        let of = |monitor: Monitor| match monitor.kind {
            MonitorKind::Inequality(inequality) => Some(inequality),
            _ => None,
        };
        self.monitors().into_iter().filter_map(of).collect()
    }
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
    /// The same at a branch point at which the test function does not change its sign: `several` eigenvalues pass zero
    /// together, or the curve touches the point and passes without a change of stability.
    fn explain_touch(&mut self, point: &Point, several: bool) -> Option<String> {
        let _ = (point, several);
        None
    }
    /// The same where several pairs of eigenvalues pass the imaginary axis together.
    fn explain_several_pairs(&mut self, point: &Point) -> Option<String> {
        let _ = point;
        None
    }
    /// The label and the meaning of the boundary of this inequality at a located point, where they are others than
    /// those of the inequality itself.
    fn boundary_at(&mut self, inequality: usize, point: &Point) -> Option<(Label, String)> {
        let _ = (inequality, point);
        None
    }
    /// What more there is to say about the boundary of this inequality.
    fn explain_boundary(&mut self, inequality: usize, point: &Point) -> Option<String> {
        let _ = (inequality, point);
        None
    }
    /// What a fold means for this kind of object.
    fn fold_meaning(&self, parameter: &str) -> String {
        format!("fold: the branch turns back in {parameter}")
    }
    /// What is neutral to rounding at a measured point: pairs of eigenvalues or multipliers with a sum of zero or a
    /// product of one, multipliers -1.
    fn neutral(&self, record: &Record) -> Neutral {
        let _ = record;
        Neutral::default()
    }
    /// Leave so much out of the test functions from now on, since it is neutral all along the curve: what conserves
    /// something or is reversible has such multipliers, and they bifurcate nowhere.
    fn leave_out_neutral(&mut self, neutral: Neutral) {
        let _ = neutral;
    }
    /// The unit of times in messages: times of the computation are multiplied by it.
    fn time_unit(&self) -> f64 {
        1.0
    }
    /// What can be asked of solutions that come back to where they began.
    fn recurrence(&mut self) -> Option<&mut dyn Recurrence> {
        None
    }
    /// What can be asked of equations that do not hold everywhere.
    fn domain(&self) -> Option<&dyn Domain> {
        None
    }
    /// What can be asked of a curve in two parameters. There it is not special where the curve turns back in one of
    /// them.
    fn two_parameters(&mut self) -> Option<&mut dyn TwoParameters> {
        None
    }
}

/// What is asked of solutions that come back to where they began: orbits, cycles of maps.
///
/// ```
/// use slipstick_bifurcation::{Label, Record, Recurrence};
/// use slipstick_flow::FlowOptions;
/// use slipstick_orbit::{PeriodicOrbit, Word};
/// use slipstick_system::catalogue::stiction;
/// let system = stiction();
/// let word = Word::parse("slip- stick", true, &system)?;
/// let orbit = PeriodicOrbit::new(&system, word, system.default_parameters(), vec![0], FlowOptions::default());
/// // Where the symmetry breaks, perturbations come back with the other sign after half a period.
/// assert_eq!(orbit.rotation(Label::SB, &Record::default()), Some(std::f64::consts::PI));
/// assert_eq!(orbit.rotation(Label::LP, &Record::default()), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Recurrence {
    /// The angle by which the perturbations come back rotated that bifurcate at a point with this label: π where a
    /// multiplier is -1, of the half map for symmetric orbits. `None` for other labels.
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
    /// May one and the same orbit start from different of its points along a curve?
    fn may_start_anywhere(&self) -> bool {
        false
    }
    /// May two points at the same parameters, at which the same is measured, be one solution, on whatever meshes, up to
    /// whole turns of angles? Where an orbit may start from any of its points, from whichever.
    fn is_same(&mut self, a: &Point, b: &Point) -> bool {
        start_alike(a, b)
    }
    /// Does the solution at `point`, as nearly as places are located, go twice through one of half the period?
    fn is_doubled(&mut self, point: &Point) -> bool {
        let _ = point;
        false
    }
    /// The same solution as at `point`, with its tangent, shifted along its cycle and with its angles turned by whole
    /// periods such that it comes nearest to `near`, and its eigenvectors multiplied; none if it is nearest as it
    /// stands.
    fn turned(&self, point: &Point, near: &[f64]) -> Option<Point> {
        let _ = (point, near);
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
    /// For cycles with events: the end of their curve where all their segments vanish but those in one mode, if the
    /// closed orbits of that mode fill a continuum there. The point lies where the last segments vanish.
    fn closed_in_one_mode(&mut self, at: (&Point, &Record)) -> Option<BranchPoint> {
        let _ = at;
        None
    }
    /// May the period grow without bound?
    fn may_last(&self) -> bool {
        false
    }
    /// For orbits whose period may grow without bound: where the orbit at `point` comes almost to rest near an
    /// equilibrium.
    fn rest(&mut self, point: &Point) -> Option<Rest> {
        let _ = point;
        None
    }
}

/// What is asked of equations that do not hold everywhere.
///
/// ```
/// use slipstick_bifurcation::Domain;
/// use slipstick_continuation::{Curve, StepOptions};
/// use slipstick_orbit::FixedPoint;
/// use slipstick_study as study;
/// let text = r#"Study(title: "root", system: Smooth(states: ["x"], parameters: {"a": 1}, require: ["a > 0"], equations: ["x' = a - x^2"]))"#;
/// let plan = study::parse("root.ron".as_ref(), text.into())?.plan(&[])?;
/// let mut rest = FixedPoint::equilibrium(&plan.systems[0].system, 0, vec![1.0], vec![0]);
/// let point = Curve::start(&mut rest, vec![1.0, 1.0], 1.0, StepOptions::default())?.point().clone();
/// // The requirement holds on the way up, and on the way down to zero.
/// assert!(rest.requirement_limit(&point, 2.0).is_none());
/// assert!(rest.requirement_limit(&point, -1.0).is_some_and(|(limit, _)| limit.abs() < 1e-12));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Domain {
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
    /// Not further from `point` along its tangent than `reach`: the parameters where a requirement on them last holds,
    /// and which.
    fn requirement_ahead(&self, point: &Point, reach: f64) -> Option<(Vec<f64>, String)> {
        let _ = (point, reach);
        None
    }
    /// Why a problem may not be solved to its digits at `point`, and what helps, in words.
    fn digits_lost(&self, point: &Point) -> Option<String> {
        let _ = point;
        None
    }
    /// Why the discretisation cannot tell the solutions near `point` any more, in words, where another one can.
    fn outgrown(&self, point: &Point) -> Option<String> {
        let _ = point;
        None
    }
    /// What of the solution at `point` is lost in the rounding of its unknowns, in words.
    fn lost_in_rounding(&self, point: &Point) -> Option<String> {
        let _ = point;
        None
    }
    /// What stops being defined next to `point`, in words.
    fn edge_near(&self, point: &Point) -> Option<String> {
        let _ = point;
        None
    }
    /// The zero of a denominator that a solution comes so near to at `point` that it cannot be followed any further, in
    /// words.
    fn pole_near(&self, point: &Point) -> Option<String> {
        let _ = point;
        None
    }
    /// The number of the inequality whose boundary `point` lies on, to rounding, where a curve cannot be followed any
    /// further: a corner of the equations, beyond which other ones hold.
    fn corner_reached(&self, point: &Point) -> Option<usize> {
        let _ = point;
        None
    }
}

/// What is asked of curves in two parameters.
///
/// ```
/// use slipstick_bifurcation::TwoParameters;
/// /// Folds of equilibria: there are no cycles on the curve that could shrink.
/// struct Folds;
/// impl TwoParameters for Folds {}
/// assert!(!Folds.may_shrink());
/// ```
pub trait TwoParameters {
    /// May the solutions be cycles that shrink to a point?
    fn may_shrink(&self) -> bool {
        false
    }
    /// If the cycles near `point` shrink to an equilibrium: the label of the point where they do, and what happens
    /// there.
    fn shrunk(&mut self, point: &Point) -> Option<(Label, String)> {
        let _ = point;
        None
    }
    /// Between two points of a curve of folds that look as if there were a cusp between them: if the curve ends there,
    /// since the same solutions recur beyond it, the label of that point, what happens there, and the point.
    fn recurs_between(&mut self, base: &Point, next: &Point) -> Option<(Label, String, Point)> {
        let _ = (base, next);
        None
    }
    /// The same at a point so near to such a place that rounding hides the distance.
    fn recurs_at(&mut self, point: &Point) -> Option<(Label, String, Point)> {
        let _ = point;
        None
    }
    /// Where a segment of the solution at `point` touches a surface all along the curve: how far the touch is from an
    /// end of that segment, as part of its duration; the label of the point at which it comes there, and what happens.
    fn touch_near_end(&mut self, point: &Point) -> Option<(f64, Label, String)> {
        let _ = point;
        None
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

/// Do two solutions start from the same point, by the first of their unknowns?
pub(crate) fn start_alike(a: &Point, b: &Point) -> bool {
    /// How far starts of one orbit may differ, as sizes.
    const NEAR: f64 = 1e-3;
    let starts = a.z.iter().zip(&b.z).zip(&a.weights).take(2);
    starts.fold(0.0, |m: f64, ((a, b), w)| m.max((a - b).abs() * w.sqrt())) <= NEAR
}
