//! A trace that can be taken up again where it was broken off.

use super::{BranchPoint, End};
use slipstick_continuation::Stride;

/// What the walker carries beyond a point: enough to go on from there as if it had never stopped.
///
/// ```
/// use slipstick_bifurcation::{BranchPoint, Logbook, Pace, TraceOptions, Tracer};
/// use slipstick_orbit::FixedPoint;
/// use slipstick_study as study;
/// /// How far the walk has come each way.
/// #[derive(Default)]
/// struct Odometer([f64; 2]);
/// impl Logbook for Odometer {
///     fn point(&mut self, direction: usize, _: &BranchPoint, pace: Option<&Pace>) -> bool {
///         if let Some(pace) = pace {
///             assert!(pace.travelled >= self.0[direction] && pace.stride.step > 0.0);
///             self.0[direction] = pace.travelled;
///         }
///         true
///     }
/// }
/// let text = r#"Study(title: "fold", system: Smooth(states: ["x"], parameters: {"a": 1}, equations: ["x' = a - x^2"]))"#;
/// let plan = study::parse("fold.ron".as_ref(), text.into())?.plan(&[])?;
/// let mut rest = FixedPoint::equilibrium(&plan.systems[0].system, 0, vec![1.0], vec![0]);
/// let mut unlabelled = Odometer::default();
/// Tracer::new(&mut rest, &TraceOptions::over((-1.0, 9.0))).logged(&mut unlabelled).from_guess(vec![1.0, 1.0])?;
/// assert!(unlabelled.0.iter().all(|length| *length > 0.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Pace {
    /// What the tracer carries.
    pub stride: Stride,
    /// The arclength travelled in this direction.
    pub travelled: f64,
    /// The steps taken in this direction.
    pub steps: usize,
    /// How many of the last ones were so short that the curve hardly got on.
    pub short_steps: usize,
    /// How often the direction was begun again before a turn that was none, with shorter steps each time.
    pub retries: usize,
    /// What the equations owe to the points before.
    pub memory: Vec<f64>,
}

/// What an earlier attempt has found in one direction of a trace.
///
/// ```
/// use slipstick_bifurcation::{BranchPoint, End, Logbook, Pace, Past, TraceOptions, Tracer};
/// use slipstick_orbit::FixedPoint;
/// use slipstick_study as study;
/// /// What was found in each direction, and how much of that is new.
/// #[derive(Default)]
/// struct Memory { pasts: [Past; 2], new: usize }
/// impl Logbook for Memory {
///     fn past(&mut self, direction: usize) -> Past {
///         self.pasts[direction].clone()
///     }
///     fn point(&mut self, direction: usize, point: &BranchPoint, pace: Option<&Pace>) -> bool {
///         self.new += 1;
///         self.pasts[direction].points.push(point.clone());
///         self.pasts[direction].pace = pace.cloned();
///         true
///     }
///     fn end(&mut self, direction: usize, points: &[BranchPoint], end: &End) {
///         self.pasts[direction].points = points.to_vec();
///         self.pasts[direction].end = Some(end.clone());
///     }
/// }
/// let text = r#"Study(title: "fold", system: Smooth(states: ["x"], parameters: {"a": 1}, equations: ["x' = a - x^2"]))"#;
/// let plan = study::parse("fold.ron".as_ref(), text.into())?.plan(&[])?;
/// let mut rest = FixedPoint::equilibrium(&plan.systems[0].system, 0, vec![1.0], vec![0]);
/// let (options, mut memory) = (TraceOptions::over((-1.0, 9.0)), Memory::default());
/// let branch = Tracer::new(&mut rest, &options).logged(&mut memory).from_guess(vec![1.0, 1.0])?;
/// // A second time nothing is computed again.
/// memory.new = 0;
/// let again = Tracer::new(&mut rest, &options).logged(&mut memory).from_guess(vec![1.0, 1.0])?;
/// assert!(memory.new == 0 && again.points == branch.points);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Past {
    /// The points in the order in which they were found.
    pub points: Vec<BranchPoint>,
    /// What was carried beyond the last of them, if there is any.
    pub pace: Option<Pace>,
    /// Why the direction ended, if it did.
    pub end: Option<End>,
}

/// Receives each point as it is found, may stop the trace, and may know what an earlier attempt found.
///
/// ```
/// use slipstick_bifurcation::{BranchPoint, Logbook, Pace, TraceOptions, Tracer};
/// use slipstick_orbit::FixedPoint;
/// use slipstick_study as study;
/// /// Lets a trace go on for so many points.
/// struct Patience(usize);
/// impl Logbook for Patience {
///     fn point(&mut self, _: usize, _: &BranchPoint, _: Option<&Pace>) -> bool {
///         self.0 = self.0.saturating_sub(1);
///         self.0 > 0
///     }
/// }
/// let text = r#"Study(title: "fold", system: Smooth(states: ["x"], parameters: {"a": 1}, equations: ["x' = a - x^2"]))"#;
/// let plan = study::parse("fold.ron".as_ref(), text.into())?.plan(&[])?;
/// let mut rest = FixedPoint::equilibrium(&plan.systems[0].system, 0, vec![1.0], vec![0]);
/// let branch = Tracer::new(&mut rest, &TraceOptions::over((0.0, 9.0))).logged(&mut Patience(4)).from_guess(vec![1.0, 1.0])?;
/// assert!(branch.points.len() <= 5 && branch.ends.contains(&slipstick_bifurcation::End::Stopped));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Logbook {
    /// What is known of direction number `direction` (0 or 1); asked once, before it is walked.
    fn past(&mut self, direction: usize) -> Past {
        let _ = direction;
        Past::default()
    }
    /// Is a pace wanted with the next point that has one? It is as large as several points.
    fn wants_pace(&self) -> bool {
        true
    }
    /// A point was found. Points without a pace are special ones located on the way to the next that has one, or no
    /// pace was wanted. Returns whether to go on.
    fn point(&mut self, direction: usize, point: &BranchPoint, pace: Option<&Pace>) -> bool;
    /// All but the first `points` points of the direction were taken back; a pace or the end comes next.
    fn rewind(&mut self, direction: usize, points: usize) {
        let _ = (direction, points);
    }
    /// The direction ended for good (not because [`Logbook::point`] said so), with its points as they are now.
    fn end(&mut self, direction: usize, points: &[BranchPoint], end: &End) {
        let _ = (direction, points, end);
    }
}

impl<F: FnMut(&BranchPoint) -> bool> Logbook for F {
    fn point(&mut self, _: usize, point: &BranchPoint, _: Option<&Pace>) -> bool {
        self(point)
    }
    fn wants_pace(&self) -> bool {
        false
    }
}
