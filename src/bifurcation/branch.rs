//! What a trace is asked for, and what it gives.

use super::{Label, Record};
use slipstick_continuation::{Point, StepOptions};
use slipstick_numerics::number::exact;

/// A value of a column at which a point is wanted.
///
/// ```
/// use slipstick_bifurcation::{Column, Label, Level, TraceOptions, Tracer};
/// use slipstick_orbit::FixedPoint;
/// use slipstick_study as study;
/// let text = r#"Study(title: "fold", system: Smooth(states: ["x"], parameters: {"a": 1}, equations: ["x' = a - x^2"]))"#;
/// let plan = study::parse("fold.ron".as_ref(), text.into())?.plan(&[])?;
/// let mut rest = FixedPoint::equilibrium(&plan.systems[0].system, 0, vec![1.0], vec![0]);
/// let quarter = Level { column: Column::Parameter(0), name: "a".into(), value: 0.25, unit: 1.0 };
/// let options = TraceOptions { levels: vec![quarter], ..TraceOptions::over((-1.0, 2.0)) };
/// let branch = Tracer::new(&mut rest, &options).from_guess(vec![1.0, 1.0])?;
/// // The branch passes a = 1/4 twice, at x = ±1/2.
/// let at: Vec<f64> = branch.special().filter(|(_, p)| p.label == Some(Label::UZ)).map(|(_, p)| p.point.z[0]).collect();
/// assert!(at.len() == 2 && at.iter().all(|x| (x.abs() - 0.5).abs() < 1e-14));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    /// A parameter or monitor.
    pub column: Column,
    /// Its name.
    pub name: String,
    /// The value.
    pub value: f64,
    /// The unit of the value: messages print `value * unit`.
    pub unit: f64,
}

impl Level {
    /// The level in words.
    pub fn reported(&self) -> String {
        format!("{} = {}", self.name, exact(self.value * self.unit))
    }
    /// How far from the level a value at this point still is the level but for rounding; `free` is the parameter that
    /// changes along the curve.
    pub(super) fn rounding(&self, point: &Point, record: &Record, free: usize) -> f64 {
        const ROUNDING: f64 = 1e-12;
        let size = match self.column {
            Column::Parameter(i) if i == free => point.weights.last().map_or(0.0, |w| w.sqrt().recip()),
            column if self.value != 0.0 => self.value.abs().max(column.of(record).abs()),
            // What is zero has the size of what is measured beside it.
            _ => record.monitors.iter().fold(0.0, |m: f64, v| m.max(v.abs())),
        };
        ROUNDING * size
    }
}

/// A scalar of a record.
///
/// ```
/// use slipstick_bifurcation::{Column, Record};
/// let record = Record { parameters: vec![2.0, 1.1], period: 6.25, monitors: vec![0.4], ..Record::default() };
/// let of = |column: Column| column.of(&record);
/// assert_eq!([of(Column::Parameter(1)), of(Column::Monitor(0)), of(Column::Period)], [1.1, 0.4, 6.25]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// A parameter of the system by index.
    Parameter(usize),
    /// A monitor by index.
    Monitor(usize),
    /// The period.
    Period,
}

impl Column {
    /// Its value in a record.
    pub fn of(self, record: &Record) -> f64 {
        match self {
            Self::Parameter(i) => record.parameters[i],
            Self::Monitor(i) => record.monitors[i],
            Self::Period => record.period,
        }
    }
}

/// How a curve is traced.
///
/// ```
/// use slipstick_bifurcation::{Column, Level, TraceOptions};
/// let options = TraceOptions {
///     // A point exactly where the first parameter is 3, and only upwards from the start.
///     levels: vec![Level { column: Column::Parameter(0), name: "Omega".into(), value: 3.0, unit: 1.0 }],
///     directions: vec![1.0],
///     ..TraceOptions::over((1.0, 15.0))
/// };
/// assert_eq!((options.range, options.points), ((1.0, 15.0), 20_000));
/// ```
#[derive(Clone, Debug)]
pub struct TraceOptions {
    /// The free parameter is followed within this closed range.
    pub range: (f64, f64),
    /// Wanted values of columns.
    pub levels: Vec<Level>,
    /// Columns that must stay within an interval; the curve ends where one leaves it.
    pub within: Vec<(Level, Level)>,
    /// Step control.
    pub steps: StepOptions,
    /// The most points in each direction.
    pub points: usize,
    /// Directions of the parameter to set off in, from the start.
    pub directions: Vec<f64>,
}

impl TraceOptions {
    /// Both ways over a range of the free parameter, with step control that adapts.
    pub fn over(range: (f64, f64)) -> Self {
        Self {
            range,
            levels: vec![],
            within: vec![],
            steps: StepOptions::default(),
            points: 20_000,
            directions: vec![1.0, -1.0],
        }
    }
}

/// A point of a branch.
///
/// ```
/// use slipstick_bifurcation::{Label, TraceOptions, Tracer};
/// use slipstick_orbit::FixedPoint;
/// use slipstick_study as study;
/// let text = r#"Study(title: "fold", system: Smooth(states: ["x"], parameters: {"a": 1}, equations: ["x' = a - x^2"]))"#;
/// let plan = study::parse("fold.ron".as_ref(), text.into())?.plan(&[])?;
/// let mut rest = FixedPoint::equilibrium(&plan.systems[0].system, 0, vec![1.0], vec![0]);
/// let branch = Tracer::new(&mut rest, &TraceOptions::over((-1.0, 2.0))).from_guess(vec![1.0, 1.0])?;
/// let (_, fold) = branch.special().find(|(_, p)| p.label == Some(Label::LP)).ok_or("no fold")?;
/// // At the fold x = a = 0, and the eigenvalue -2x is zero.
/// assert!(fold.point.z.iter().all(|v| v.abs() < 1e-12) && fold.record.eigenvalues[0].re.abs() < 1e-12);
/// assert!(fold.message.contains("turns back"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct BranchPoint {
    /// Unknowns, tangent and weights.
    pub point: Point,
    /// What was measured there.
    pub record: Record,
    /// Its label, if it is special.
    pub label: Option<Label>,
    /// What the label says, in words.
    pub message: String,
}

/// Why a curve ended.
///
/// ```
/// use slipstick_bifurcation::End;
/// assert_eq!(End::Range.describe(), "reached the end of the range");
/// assert_eq!(End::Failed("no convergence".into()).describe(), "MX: no convergence");
/// ```
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub enum End {
    /// The end of the parameter's range.
    Range,
    /// An inequality of admissibility stopped holding.
    Boundary {
        /// The index of the inequality.
        inequality: usize,
        /// The label of the last point.
        label: Label,
        /// What happened, in words.
        meaning: String,
    },
    /// The period grows without bound: the orbits approach one that connects equilibria.
    Homoclinic {
        /// The last period computed.
        period: f64,
        /// What is approached and how, in words.
        meaning: String,
    },
    /// The orbits shrink to an equilibrium, as at a Hopf point, beyond which the same orbits come again; or what moves
    /// on one of their segments comes to rest.
    Shrunk {
        /// The parameter there, in words.
        meaning: String,
    },
    /// The solutions grow beyond all bounds.
    Unbounded {
        /// What happens, in words.
        meaning: String,
    },
    /// A requirement on the parameters ceases to hold.
    Limit {
        /// Which, and where, in words.
        meaning: String,
    },
    /// The solutions fill a continuum at one value of the parameter.
    Continuum {
        /// Which, in words.
        meaning: String,
    },
    /// The curve closed upon itself.
    Closed,
    /// The allowed number of points was reached.
    Points,
    /// The caller stopped it.
    Stopped,
    /// The tracer could not go on, for this reason.
    Failed(String),
    /// The discretisation cannot tell the solutions any more, where another one can.
    Outgrown {
        /// Why, in words.
        meaning: String,
    },
}

impl End {
    /// In words, for summaries.
    pub fn describe(&self) -> String {
        match self {
            Self::Range => "reached the end of the range".into(),
            Self::Boundary { label, meaning, .. } => format!("{label}: {meaning}"),
            Self::Homoclinic { meaning, .. }
            | Self::Shrunk { meaning }
            | Self::Unbounded { meaning }
            | Self::Limit { meaning }
            | Self::Continuum { meaning } => meaning.clone(),
            Self::Closed => "closed upon itself".into(),
            Self::Points => "reached the allowed number of points".into(),
            Self::Stopped => "stopped".into(),
            Self::Failed(why) | Self::Outgrown { meaning: why } => format!("MX: {why}"),
        }
    }
}

/// A traced curve.
///
/// ```
/// use slipstick_bifurcation::{Label, TraceOptions, Tracer};
/// use slipstick_orbit::FixedPoint;
/// use slipstick_study as study;
/// // The fold of x' = r - x² lies at the origin.
/// let text = r#"Study(title: "fold", system: Smooth(states: ["x"], parameters: {"r": 1}, equations: ["x' = r - x^2"]))"#;
/// let plan = study::parse("fold.ron".as_ref(), text.into())?.plan(&[])?;
/// let system = &plan.systems[0].system;
/// let mut rest = FixedPoint::equilibrium(system, 0, vec![1.0], vec![0]);
/// let branch = Tracer::new(&mut rest, &TraceOptions::over((-1.0, 2.0))).from_guess(vec![1.0, 1.0])?;
/// let (_, fold) = branch.special().find(|(_, point)| point.label == Some(Label::LP)).unwrap();
/// assert!(fold.point.parameter().abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Branch {
    /// The points in order along the curve.
    pub points: Vec<BranchPoint>,
    /// Why it ended at its first point (for curves traced both ways) and at its last.
    pub ends: Vec<End>,
    /// The index of the start among the points.
    pub start: usize,
}

impl Branch {
    /// The labelled points with their indices.
    pub fn special(&self) -> impl Iterator<Item = (usize, &BranchPoint)> {
        self.points.iter().enumerate().filter(|(_, p)| p.label.is_some())
    }
}
