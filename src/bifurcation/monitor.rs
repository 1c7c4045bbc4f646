//! What kinds of scalars there are along a curve: monitors, test functions, inequalities of admissibility.

use super::Label;

/// A named scalar along a curve.
///
/// ```
/// use slipstick_bifurcation::{Inspect, Label, Monitor, MonitorKind};
/// use slipstick_flow::FlowOptions;
/// use slipstick_orbit::{PeriodicOrbit, Word};
/// use slipstick_system::catalogue::stiction;
/// let system = stiction();
/// let word = Word::parse("slip- stick", true, &system)?;
/// let orbit = PeriodicOrbit::new(&system, word, system.default_parameters(), vec![0], FlowOptions::default());
/// let monitors = orbit.monitors();
/// assert_eq!(monitors[0], Monitor { name: "max_abs_x".into(), kind: MonitorKind::Extreme });
/// assert!(monitors.iter().any(|m| matches!(&m.kind, MonitorKind::Test(test) if test.label == Label::SB)));
/// // An exact flow has no mesh, so that there is no error to monitor.
/// assert!(monitors.iter().all(|m| m.kind != MonitorKind::Error));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Monitor {
    /// Its name in tables and studies; of test functions and inequalities the label.
    pub name: String,
    /// What it says.
    pub kind: MonitorKind,
}

/// What a monitor says.
///
/// ```
/// use slipstick_bifurcation::{Label, Monitor, MonitorKind, TestSpec};
/// let test = Monitor::from(TestSpec::new(Label::HB, "a pair of eigenvalues crosses the imaginary axis"));
/// assert!(matches!(test.kind, MonitorKind::Test(_)) && !test.is_tabulated());
/// let monitors = [Monitor::new("x_max", MonitorKind::Extreme), test, Monitor::new("error", MonitorKind::Error)];
/// // The second of those that are tabulated.
/// assert_eq!(Monitor::error(&monitors), Some(1));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MonitorKind {
    /// Of a state, the largest modulus, the maximum or the minimum over the solution, in this order for each state: all
    /// of them together tell how large a solution is and what it looks like.
    Extreme,
    /// Any other scalar of the solution.
    Diagnostic,
    /// What depends on how the solution was computed or on its initial point, and not on the solution alone.
    Incidental,
    /// The estimated error of the discretisation: incidental as well.
    Error,
    /// It changes sign where a label belongs.
    Test(TestSpec),
    /// It must stay positive.
    Inequality(InequalitySpec),
}

impl Monitor {
    /// A monitor of this kind.
    pub fn new(name: impl Into<String>, kind: MonitorKind) -> Self {
        Self {
            name: name.into(),
            kind,
        }
    }
    /// A scalar of the solution that is tabulated.
    pub fn diagnostic(name: impl Into<String>) -> Self {
        Self::new(name, MonitorKind::Diagnostic)
    }
    /// One list of scalars that are tabulated, test functions and inequalities.
    pub fn list(
        scalars: impl IntoIterator<Item = Self>,
        tests: Vec<TestSpec>,
        inequalities: Vec<InequalitySpec>,
    ) -> Vec<Self> {
        let scalars = scalars.into_iter();
        let tests = tests.into_iter().map(Self::from);
        scalars
            .chain(tests)
            .chain(inequalities.into_iter().map(Self::from))
            .collect()
    }
    /// Is it a column of the tables?
    pub fn is_tabulated(&self) -> bool {
        !matches!(self.kind, MonitorKind::Test(_) | MonitorKind::Inequality(_))
    }
    /// Where the monitors of one kind stand in [`Record::monitors`](crate::Record::monitors).
    pub fn positions(monitors: &[Self], kind: &MonitorKind) -> Vec<usize> {
        let tabulated = monitors.iter().filter(|m| m.is_tabulated()).enumerate();
        tabulated.filter(|(_, m)| m.kind == *kind).map(|(i, _)| i).collect()
    }
    /// Where the estimated error stands there, if there is one.
    pub fn error(monitors: &[Self]) -> Option<usize> {
        Self::positions(monitors, &MonitorKind::Error).first().copied()
    }
}

impl From<TestSpec> for Monitor {
    fn from(test: TestSpec) -> Self {
        Self::new(test.label.to_string(), MonitorKind::Test(test))
    }
}

impl From<InequalitySpec> for Monitor {
    fn from(inequality: InequalitySpec) -> Self {
        Self::new(inequality.label.to_string(), MonitorKind::Inequality(inequality))
    }
}

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
    /// Does it vanish at folds, too? Its values are then divided by the square of the parameter's rate, to see what is
    /// left of it there.
    pub at_folds: bool,
}

impl TestSpec {
    /// A test that vanishes where its label belongs and nowhere else.
    pub fn new(label: Label, meaning: impl Into<String>) -> Self {
        Self {
            label,
            meaning: meaning.into(),
            at_folds: false,
        }
    }
}

/// Where several inequalities vanish together, the one of the highest rank says best what happens.
///
/// ```
/// use slipstick_bifurcation::Rank;
/// // Where a segment vanishes, the event that ends it is no longer reached either: the first says it better.
/// assert!(Rank::Duration > Rank::Rate && Rank::Rate > Rank::Other);
/// // An event leads somewhere, which an inequality that is stated of its mode does not.
/// assert!(Rank::Other > Rank::Stated);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub enum Rank {
    /// What is stated of a mode, besides its events.
    Stated,
    /// None of these.
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
    /// The segment of an orbit that it is about; 0 where there are none.
    pub segment: usize,
    /// What happens there, in words.
    pub meaning: String,
}
