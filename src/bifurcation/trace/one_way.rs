//! Where one direction of a trace stands: the last point, what was measured there, and what has been noted on the way.

use crate::track::Track;
use crate::{InequalitySpec, InspectedCurve, Record, TestSpec};
use slipstick_continuation::Point;
use slipstick_floquet::Neutral;
use std::rc::Rc;

/// A test function as small as this is zero where a walk begins.
pub(super) const ZERO_TEST: f64 = 1e-11;

/// How often a step that has left its curve is repeated, each time shorter by this factor.
pub(super) const MOST_SHORTER: usize = 6;
pub(super) const SHORTER: f64 = 0.25;

/// What may end a walk from within an interval, and what is merely noted.
#[derive(Clone)]
pub(super) enum Event {
    Fold,
    /// A multiplier passes +1 where the parameter stays the same to rounding.
    FlatFold,
    Test(usize),
    Touch(usize),
    /// So many eigenvalues pass the imaginary axis together, or multipliers the unit circle, this one the first of
    /// them, where this test function touches zero.
    Together {
        exponent: usize,
        count: usize,
        test: usize,
    },
    /// The curve turns back where a test function changes sign: a pitchfork seen from its prongs.
    PitchforkBranch(usize),
    /// A test function for branch points has a zero of this order.
    Multiple(usize, usize),
    Level(usize),
    Boundary(usize),
    RangeEnd(f64),
    Bound(usize, bool),
}

impl Event {
    /// Does the curve end where this happens?
    pub(super) fn ends(&self) -> bool {
        matches!(self, Self::Boundary(_) | Self::RangeEnd(_) | Self::Bound(..))
    }
}

/// A continuum that a walk has been seen to lead along.
pub(super) struct Continuum {
    /// The parameter, the period and the largest extreme where it was recognised.
    pub(super) parameter: f64,
    pub(super) period: f64,
    pub(super) extent: f64,
    /// The largest error of an orbit met on it.
    pub(super) error: f64,
    /// How many of the last steps were short.
    pub(super) short: usize,
}

/// One direction of a trace.
pub(crate) struct OneWay<'p> {
    pub(super) curve: InspectedCurve<'p>,
    pub(super) tests: Vec<TestSpec>,
    pub(super) inequalities: Vec<InequalitySpec>,
    pub(super) parameter: usize,
    pub(super) parameter_name: String,
    /// The unit of times in messages.
    pub(super) time_unit: f64,
    pub(super) folds: bool,
    /// Does the walk go along a family at one value of the parameter?
    pub(super) family: bool,
    pub(super) fold_meaning: String,
    /// The monitors that tell the size and the shape of a solution.
    pub(super) extremes: Vec<usize>,
    /// May its period grow without bound?
    pub(super) lasts: bool,
    /// Those that are not of the solution alone, and among them the estimated error.
    pub(super) incidental: Vec<usize>,
    pub(super) error: Option<usize>,
    pub(super) last: (Point, Record),
    pub(super) trial: Record,
    /// Where the walk began, and how far it has come.
    pub(super) begin: Point,
    pub(super) begin_record: Record,
    pub(super) travelled: f64,
    pub(super) steps: usize,
    /// How often it was begun again before a turn that was none.
    pub(super) retries: usize,
    /// How many of the last steps were so short that the curve hardly got on.
    pub(super) short_steps: usize,
    /// What stays neutral along the curve.
    pub(super) neutral: Neutral,
    /// How often the present step was made shorter since it had left its curve.
    pub(super) shorter: usize,
    /// Has the step been seen to leave its curve? And which inequality jumps below zero in it?
    pub(super) left: bool,
    pub(super) jumps: Option<usize>,
    /// How fast each inequality has changed on the way to the last point; empty where that is not known.
    pub(super) slopes: Vec<f64>,
    /// The curve around a crossing in the present step, interpolated; and whether that was tried in vain.
    pub(super) track: Option<Rc<Track>>,
    pub(super) trackless: bool,
    /// What was measured where cycles were largest, and how often the walk stepped across the point where they vanish.
    pub(super) largest: Record,
    pub(super) crossings: usize,
    /// How many of the last steps led along a continuum, at one value of the parameter, and the continuum once it is
    /// recognised.
    pub(super) still: usize,
    pub(super) continuum: Option<Continuum>,
    /// The continuum that the present step leads off: where the parameter only begins to change, the sign of its rate
    /// is one of errors.
    pub(super) left_continuum: Option<Continuum>,
    /// Where the range ends because a requirement on the parameters ceases to hold, and its name.
    pub(super) limits: Vec<(f64, String)>,
}
