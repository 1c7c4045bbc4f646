//! The sliding shoe.

use crate::analysis::error::AnalysisError;
use crate::analysis::fault::Fault;
use crate::analysis::tabulate::{evenly, layout, numbers, positive};
use crate::analysis::task::{Analysis, Outputs, Surroundings};
use crate::results::analysis::AnalysisResult;
use crate::text::limits::{self, Limit};
use serde::Deserialize;
use slipstick_models::friction::shoe::Shoe;
use std::path::Path;

/// A sliding shoe: its motion in `trajectories/<name>.csv`, its turning points in `tables/<name>-turns.csv`.
///
/// ```
/// use slipstick_study as study;
/// use slipstick_study::analysis::AnalysisSpec;
/// let text = r#"Study(
///     title: "An analysis",
///     analyses: [SlidingShoe(name: "shoe", shoe: (mu: 0.2))],
/// )"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let AnalysisSpec::SlidingShoe(spec) = &study.analyses[0] else { panic!("it is one") };
/// assert_eq!((spec.shoe.mu, spec.time), (0.2, None));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ShoeSpec {
    /// Its name.
    pub name: String,
    /// The shoe.
    pub shoe: Shoe,
    /// The angle between the motion and the axis along which friction acts, degrees; zero for isotropic friction.
    pub friction_axis: f64,
    /// The angle between the motion and the axis on which `projected` is taken, degrees.
    pub projection: f64,
    /// How long; a tenth more than it takes to stop if left out.
    pub time: Option<f64>,
    /// Rows of the table.
    pub rows: usize,
}

impl Default for ShoeSpec {
    fn default() -> Self {
        Self {
            name: "shoe".into(),
            shoe: Shoe::default(),
            friction_axis: 0.0,
            projection: 45.0,
            time: None,
            rows: 600,
        }
    }
}

const MOTION: [&str; 4] = ["t", "r", "v", "projected"];

const TURNS: [&str; 4] = ["n", "t", "r", "projected"];

impl ShoeSpec {
    fn shoe(&self) -> Shoe {
        self.shoe.with_friction_along(self.friction_axis.to_radians())
    }
}

impl Analysis for ShoeSpec {
    fn name(&self) -> &str {
        &self.name
    }

    fn outputs(&self) -> Outputs {
        vec![
            layout(self.name.clone(), MOTION),
            layout(format!("{}-turns", self.name), TURNS),
        ]
    }

    fn settings(&mut self) -> Vec<(&'static str, &mut f64)> {
        let s = &mut self.shoe;
        vec![
            ("m", &mut s.mass),
            ("k", &mut s.stiffness),
            ("mu", &mut s.mu),
            ("g", &mut s.gravity),
        ]
    }

    fn sizes(&self) -> Vec<(&'static str, &'static Limit, f64)> {
        vec![("rows", &limits::ROWS, self.rows as f64)]
    }

    fn check(&self, _: &Path) -> Result<(), Fault> {
        self.time.map_or(Ok(()), |t| positive("time", t))?;
        self.shoe()
            .check()
            .map_err(|e| Fault::new(format!("shoe.{}", e.name), e))
    }

    fn run(&self, _: Surroundings<'_>) -> Result<AnalysisResult, AnalysisError> {
        let shoe = self.shoe();
        let share = self.projection.to_radians().cos();
        let turns = shoe.turning_points()?;
        let stop = turns.last().map_or(0.0, |s| s.t);
        let mut rows = vec![];
        for t in evenly(0.0, self.time.unwrap_or(1.1 * stop), self.rows) {
            let (r, v) = shoe.at(t)?;
            rows.push([t, r, v, r * share]);
        }
        let turns = turns.iter().enumerate().map(|(n, p)| [n as f64, p.t, p.r, p.r * share]);
        Ok(AnalysisResult {
            motions: vec![(self.name.clone(), numbers(MOTION, rows)?)],
            tables: vec![(format!("{}-turns", self.name), numbers(TURNS, turns)?)],
            ..AnalysisResult::default()
        })
    }
}
