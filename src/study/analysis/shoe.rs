//! The sliding shoe.

use super::{AnalysisResult, Outputs, evenly, numbers};
use crate::friction::shoe::Shoe;
use serde::Deserialize;

/// A sliding shoe: its motion in `trajectories/<name>.csv`, its turning points in `tables/<name>-turns.csv`.
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
    pub(super) fn outputs(&self) -> Outputs {
        vec![
            (self.name.clone(), MOTION.to_vec()),
            (format!("{}-turns", self.name), TURNS.to_vec()),
        ]
    }

    fn shoe(&self) -> Shoe {
        self.shoe.with_friction_along(self.friction_axis.to_radians())
    }

    pub(super) fn check(&self) -> Result<(), String> {
        self.shoe().check().map_err(|e| e.to_string())
    }

    pub(super) fn run(&self) -> Result<AnalysisResult, String> {
        let shoe = self.shoe();
        let share = self.projection.to_radians().cos();
        let turns = shoe.turning_points().map_err(|e| e.to_string())?;
        let stop = turns.last().map_or(0.0, |s| s.t);
        let mut rows = vec![];
        for t in evenly(0.0, self.time.unwrap_or(1.1 * stop), self.rows) {
            let (r, v) = shoe.at(t).map_err(|e| e.to_string())?;
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
