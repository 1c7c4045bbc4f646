//! Wear power over the amplitude of the base.

use crate::analysis::error::AnalysisError;
use crate::analysis::fault::Fault;
use crate::analysis::tabulate::{evenly, layout, worded};
use crate::analysis::task::{Analysis, Outputs, Surroundings};
use crate::results::analysis::AnalysisResult;
use crate::text::limits::{self, Limit};
use serde::Deserialize;
use slipstick_models::friction::wear::{VibratingBase, WearError, critical_eta};
use std::path::Path;

/// Wear power over a₀, with η beside it: `tables/<name>.csv`. Rows where the regime changes are always included.
///
/// ```
/// use slipstick_study as study;
/// use slipstick_study::analysis::AnalysisSpec;
/// let text = r#"Study(
///     title: "An analysis",
///     analyses: [WearPower(name: "wear", range: (0.1, 1.2))],
/// )"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let AnalysisSpec::WearPower(spec) = &study.analyses[0] else { panic!("it is one") };
/// assert_eq!(spec.range, (0.1, 1.2));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WearSpec {
    /// Its name.
    pub name: String,
    /// The mass and its base; the amplitude is replaced by those of the sweep.
    pub base: VibratingBase,
    /// The range of amplitudes a₀.
    pub range: (f64, f64),
    /// How many of them, evenly spaced in ln a₀.
    pub rows: usize,
    /// Amplitudes besides.
    pub at: Vec<f64>,
    /// A window of time over which the mean power is taken, besides the asymptotic one.
    pub window: (f64, f64),
}

impl Default for WearSpec {
    fn default() -> Self {
        let (base, at) = (VibratingBase::default(), vec![0.99, 1.01, 1.5, 15.0]);
        Self {
            name: "wear".into(),
            base,
            range: (0.9, 20.0),
            rows: 400,
            at,
            window: (4.0, 12.0),
        }
    }
}

const COLUMNS: [&str; 8] = [
    "a0",
    "eta",
    "t1",
    "t2",
    "theta",
    "asymptotic",
    "slip_slip_formula",
    "window",
];

impl WearSpec {
    fn at(&self, acceleration: f64) -> VibratingBase {
        VibratingBase {
            acceleration,
            ..self.base
        }
    }
}

impl Analysis for WearSpec {
    fn name(&self) -> &str {
        &self.name
    }

    fn outputs(&self) -> Outputs {
        vec![layout(self.name.clone(), COLUMNS)]
    }

    fn settings(&mut self) -> Vec<(&'static str, &mut f64)> {
        let b = &mut self.base;
        vec![
            ("m", &mut b.mass),
            ("g", &mut b.gravity),
            ("mu", &mut b.mu),
            ("omega", &mut b.omega),
        ]
    }

    fn sizes(&self) -> Vec<(&'static str, &'static Limit, f64)> {
        vec![("rows", &limits::ROWS, self.rows as f64)]
    }

    fn check(&self, _: &Path) -> Result<(), Fault> {
        let (low, high) = self.range;
        if !(low > 0.0 && high > low && high.is_finite()) {
            let message =
                format!("({low}, {high}) is no range of amplitudes: write two positive numbers, the smaller first");
            return Err(Fault::new("range", message));
        }
        self.base.check().map_err(|e| match e {
            WearError::Parameter { name, .. } => Fault::new(format!("base.{name}"), e),
            _ => Fault::new("base", e),
        })?;
        for &acceleration in &self.at {
            self.at(acceleration).check().map_err(|e| Fault::new("at", e))?;
        }
        let (from, to) = self.window;
        if !(from >= 0.0 && to > from && to.is_finite()) {
            let message =
                format!("the window ({from}, {to}) is not possible: it begins at 0 or later and ends after that");
            return Err(Fault::new("window", message));
        }
        Ok(())
    }

    fn run(&self, _: Surroundings<'_>) -> Result<AnalysisResult, AnalysisError> {
        let (low, high) = self.range;
        let limit = self.base.mu * self.base.gravity;
        let mut amplitudes: Vec<f64> = evenly(low.ln(), high.ln(), self.rows).map(f64::exp).collect();
        amplitudes.extend(&self.at);
        amplitudes.extend(
            [limit, limit / critical_eta()]
                .into_iter()
                .filter(|a| (low..=high).contains(a)),
        );
        amplitudes.sort_by(f64::total_cmp);
        amplitudes.dedup();
        let mut rows = vec![];
        for a0 in amplitudes {
            let base = self.at(a0);
            let (from, to) = self.window;
            rows.push((
                [base.regime().to_string()],
                [
                    a0,
                    base.eta(),
                    base.first_slip().unwrap_or(f64::NAN),
                    base.first_codimension_two()?.unwrap_or(f64::NAN),
                    base.asymptotic_reversal().unwrap_or(f64::NAN),
                    base.asymptotic_wear_power()?,
                    base.slip_slip_formula(),
                    base.wear_power(from, to)?,
                ],
            ));
        }
        let table = worded(["regime"], COLUMNS, rows)?;
        Ok(AnalysisResult {
            tables: vec![(self.name.clone(), table)],
            ..AnalysisResult::default()
        })
    }
}
