//! Periodic stick-slip motion as the number of modes grows.

use crate::analysis::bowed::{START, finite_start};
use crate::analysis::elastic::{BowSpec, StructureSpec};
use crate::analysis::error::AnalysisError;
use crate::analysis::fault::Fault;
use crate::analysis::tabulate::{layout, numbers};
use crate::analysis::task::{Analysis, Outputs, Surroundings};
use crate::results::analysis::AnalysisResult;
use crate::text::limits::{self, Limit};
use serde::Deserialize;
use slipstick_models::elastic::{BowedOrbit, OrbitOptions, extrapolate_modes, orbits_over_modes};
use std::path::Path;

/// The periodic orbit that the motion settles to, for each number of modes: `tables/<name>.csv`. The last row, at
/// `inverse` = 0, holds the limits of the parabolas in 1/N through the last three rows; `exponent` is p in |gap| ∝ N^-p
/// since the row before.
///
/// ```
/// use slipstick_study as study;
/// use slipstick_study::analysis::AnalysisSpec;
/// let text = r#"Study(
///     title: "An analysis",
///     analyses: [BowedModes(name: "limit", modes: [10, 20, 40])],
/// )"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let AnalysisSpec::BowedModes(spec) = &study.analyses[0] else { panic!("it is one") };
/// assert_eq!(spec.modes.last(), Some(&40));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BowedModesSpec {
    /// Its name.
    pub name: String,
    /// The structure.
    pub structure: StructureSpec,
    /// Numbers of modes, ascending.
    pub modes: Vec<usize>,
    /// The bow and its friction.
    pub bow: BowSpec,
    /// Contact displacement and velocity that the search starts from.
    pub start: (f64, f64),
    /// How long to wait before the motion is taken for nearly periodic.
    pub transient: f64,
    /// Onsets of stick in one period.
    pub sticks: usize,
}

impl Default for BowedModesSpec {
    fn default() -> Self {
        Self {
            name: "bowed-modes".into(),
            structure: StructureSpec::default(),
            modes: vec![20, 40, 80, 160, 320, 640],
            bow: BowSpec::default(),
            start: START,
            transient: TRANSIENT,
            sticks: 1,
        }
    }
}

/// How long a search waits by default.
pub(crate) const TRANSIENT: f64 = 12.0;
const COLUMNS: [&str; 10] = [
    "modes",
    "inverse",
    "period",
    "stick",
    "y1_stick",
    "y1_slip",
    "gap",
    "abs_gap",
    "gap_times_modes",
    "exponent",
];

/// What is measured of an orbit: period, stick, y1_stick, y1_slip, gap.
const MEASURES: [fn(&BowedOrbit) -> f64; 5] = [|o| o.period, |o| o.stick, |o| o.y1_stick, |o| o.y1_slip, |o| o.gap];

impl BowedModesSpec {
    fn rows(&self, orbits: &[BowedOrbit]) -> Vec<[f64; 10]> {
        let row = |n: f64, [period, stick, y1_stick, y1_slip, gap]: [f64; 5], scaled: f64, exponent: f64| {
            let abs = gap.abs();
            [n, 1.0 / n, period, stick, y1_stick, y1_slip, gap, abs, scaled, exponent]
        };
        let mut rows: Vec<[f64; 10]> = vec![];
        for (orbit, &n) in orbits.iter().zip(&self.modes) {
            let n = n as f64;
            let exponent = rows
                .last()
                .map_or(f64::NAN, |r| (r[6] / orbit.gap).abs().ln() / (n / r[0]).ln());
            rows.push(row(n, MEASURES.map(|m| m(orbit)), n * orbit.gap, exponent));
        }
        if orbits.len() >= 3 {
            let first = orbits.len() - 3;
            let limit = |value: &dyn Fn(usize) -> f64| {
                let values: Vec<(usize, f64)> = (first..orbits.len()).map(|i| (self.modes[i], value(i))).collect();
                extrapolate_modes(&values).map_or(f64::NAN, |e| e.limit)
            };
            let measures = MEASURES.map(|m| limit(&|i| m(&orbits[i])));
            let scaled = limit(&|i| self.modes[i] as f64 * orbits[i].gap);
            rows.push(row(f64::INFINITY, measures, scaled, f64::NAN));
        }
        rows
    }
}

impl Analysis for BowedModesSpec {
    fn name(&self) -> &str {
        &self.name
    }

    fn outputs(&self) -> Outputs {
        vec![layout(self.name.clone(), COLUMNS)]
    }

    fn settings(&mut self) -> Vec<(&'static str, &mut f64)> {
        self.bow.settings(&mut self.structure)
    }

    fn sizes(&self) -> Vec<(&'static str, &'static Limit, f64)> {
        let most = self.modes.iter().copied().max().unwrap_or(0);
        vec![
            ("modes", &limits::MODES, most as f64),
            ("sticks", &limits::STICKS, self.sticks as f64),
        ]
    }

    fn inputs(&self) -> Vec<&str> {
        self.structure.input().into_iter().collect()
    }

    fn check(&self, folder: &Path) -> Result<(), Fault> {
        if self.modes.is_empty() || self.modes.windows(2).any(|w| w[0] >= w[1]) {
            let message = "list numbers of modes in ascending order: `modes: [20, 40, 80]`";
            return Err(Fault::new("modes", message));
        }
        finite_start(self.start)?;
        self.modes
            .iter()
            .try_for_each(|&n| self.bow.check(&self.structure, n, folder))
    }

    fn warnings(&self, folder: &Path) -> Vec<Fault> {
        let first = self.modes.first().copied().unwrap_or(1);
        self.bow.warnings(&self.structure, first, folder)
    }

    fn run(&self, around: Surroundings<'_>) -> Result<AnalysisResult, AnalysisError> {
        let options = OrbitOptions {
            multipliers: 0,
            sticks: self.sticks,
            ..OrbitOptions::default()
        };
        let build = |n| self.bow.on(&self.structure, n, around.folder);
        let start = [self.start.0, self.start.1];
        let orbits = orbits_over_modes(build, &self.modes, start, self.transient, &options)?;
        Ok(AnalysisResult {
            tables: vec![(self.name.clone(), numbers(COLUMNS, self.rows(&orbits))?)],
            notes: self.warnings(around.folder).into_iter().map(|f| f.message).collect(),
            ..AnalysisResult::default()
        })
    }
}
