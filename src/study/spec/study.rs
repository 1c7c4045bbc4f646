//! A study, as written.

use crate::analysis::list::AnalysisSpec;
use crate::spec::attractors::AttractorsSpec;
use crate::spec::curve::CurveSpec;
use crate::spec::distances::DistancesSpec;
use crate::spec::locus::LocusSpec;
use crate::spec::portrait::PortraitSpec;
use crate::spec::simulation::SimulationSpec;
use crate::spec::system::entry::SystemSpec;
use crate::spec::task::TaskSpec;
use serde::Deserialize;
use slipstick_report::ReportError;
use slipstick_report::figure::{Drawing, Figure};
use std::collections::BTreeMap;

/// A study: systems, the curves to trace, trajectories to compute, figures to draw.
///
/// ```
/// use slipstick_study as study;
/// let text = r#"Study(
///     title: "Motions of an oscillator",
///     system: Shaw(),
///     simulations: [Simulation(name: "motion", time: 10)],
/// )"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// assert_eq!((study.seed, study.curves.len(), study.simulations.len()), (0, 0, 1));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Study {
    /// One line that says what the study shows.
    pub title: String,
    /// Who made it; the figures' files say so, too.
    #[serde(default)]
    pub author: Option<String>,
    /// The system that curves and simulations are about, unless they name another.
    #[serde(default)]
    pub system: Option<SystemSpec>,
    /// Further systems by name, for studies that compare several.
    #[serde(default)]
    pub systems: BTreeMap<String, SystemSpec>,
    /// Seed of all random numbers.
    #[serde(default)]
    pub seed: u64,
    /// The curves to trace.
    #[serde(default)]
    pub curves: Vec<CurveSpec>,
    /// Two-parameter curves of special points.
    #[serde(default)]
    pub loci: Vec<LocusSpec>,
    /// Trajectories to compute.
    #[serde(default)]
    pub simulations: Vec<SimulationSpec>,
    /// Sweeps of simulations that find attractors, to be compared with the curves.
    #[serde(default)]
    pub attractors: Vec<AttractorsSpec>,
    /// Tables of distances between curves.
    #[serde(default)]
    pub distances: Vec<DistancesSpec>,
    /// Slow–fast objects of systems declared slow–fast.
    #[serde(default)]
    pub slow_fast: Vec<PortraitSpec>,
    /// Computations by a system's own solver.
    #[serde(default)]
    pub analyses: Vec<AnalysisSpec>,
    /// What else is to be computed: exponents, orbit diagrams, basins, charts.
    #[serde(default)]
    pub tasks: Vec<TaskSpec>,
    /// Figures to draw from the tables.
    #[serde(default)]
    pub figures: Vec<Figure>,
    /// Write each curve of a smooth system as AUTO's text files, too: `auto/b.NAME` and `auto/s.NAME`.
    #[serde(default)]
    pub auto: bool,
}

impl Study {
    /// Put the title of the study and its author into the files of a drawing.
    ///
    /// # Errors
    /// [`ReportError::Drawing`].
    pub fn sign(&self, drawing: Drawing) -> Result<Drawing, ReportError> {
        drawing.signed(&self.title, self.author.as_deref())
    }
}
