//! What is measured at a point of a curve: monitors, test functions, inequalities, stability.

use super::Label;
use crate::continuation::{Failure, Point, Problem};
use crate::floquet::Multiplier;
use nalgebra::Complex;
use std::ops::Range;

/// A test function: it changes sign where its label belongs.
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
/// use slipstick::bifurcation::Rank;
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
/// use slipstick::bifurcation::Record;
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
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rest {
    /// The part of the period that it spends there.
    pub share: f64,
    /// The equilibria there, in words: the values of the states by their names.
    pub places: Vec<String>,
}

/// A problem whose points can be measured.
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
    /// Is it special where the curve turns back in its parameter? Not on two-parameter curves.
    fn folds(&self) -> bool {
        true
    }
    /// A located zero of test function `test`, corrected by equations that are regular there; `None` where that is not needed or fails.
    fn refine(&mut self, test: usize, point: &Point) -> Option<Vec<f64>> {
        let _ = (test, point);
        None
    }
    /// What more there is to say about a located point with this label, to be appended to its message: normal-form coefficients and the like.
    fn explain(&mut self, label: Label, point: &Point, record: &Record) -> Option<String> {
        let _ = (label, point, record);
        None
    }
    /// For orbits whose period may grow without bound: which monitors tell their shape.
    fn shape(&self) -> Option<Range<usize>> {
        None
    }
    /// For orbits whose period may grow without bound: where the orbit at `point` comes almost to rest near an equilibrium.
    fn rest(&mut self, point: &Point) -> Option<Rest> {
        let _ = point;
        None
    }
    /// How large the states are at `point`, where families may run off to infinity.
    fn extent(&self, point: &Point) -> Option<f64> {
        let _ = point;
        None
    }
    /// What a fold means for this kind of object.
    fn fold_meaning(&self, parameter: &str) -> String {
        format!("fold: the branch turns back in {parameter}")
    }
}
