//! What a study asks for beside curves and simulations: `tasks: [...]`.

use crate::spec::basins::BasinsSpec;
use crate::spec::chart::ChartSpec;
use crate::spec::family::FamilySpec;
use crate::spec::lyapunov::LyapunovSpec;
use crate::spec::orbit_diagram::OrbitDiagramSpec;
use crate::spec::twins::TwinsSpec;
use serde::Deserialize;
use std::collections::BTreeMap;

/// One task.
///
/// ```
/// use slipstick_study as study;
/// use slipstick_study::spec::TaskSpec;
/// let text = r#"Study(
///     title: "Chaos",
///     system: Map(states: ["x"], parameters: {"r": 4}, equations: ["x+ = r*x*(1 - x)"]),
///     tasks: [Lyapunov(name: "logistic", from: {"x": 0.3}, time: 10000)],
/// )"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// assert!(study.tasks[0].name() == "logistic" && matches!(study.tasks[0], TaskSpec::Lyapunov(_)));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub enum TaskSpec {
    /// Lyapunov exponents of a motion, or of orbits of a curve.
    Lyapunov(LyapunovSpec),
    /// The points of motions on a section, over a parameter.
    OrbitDiagram(OrbitDiagramSpec),
    /// Which initial state comes to which attractor.
    Basins(BasinsSpec),
    /// What attracts, over several parameters.
    Chart(ChartSpec),
    /// The curves of the study for every value of further parameters.
    Family(FamilySpec),
    /// The curves of a system and of its regularisations, and the distances between them.
    Twins(TwinsSpec),
}

impl TaskSpec {
    /// Its name, which its tables begin with.
    pub fn name(&self) -> &str {
        match self {
            Self::Lyapunov(spec) => &spec.name,
            Self::OrbitDiagram(spec) => &spec.name,
            Self::Basins(spec) => &spec.name,
            Self::Chart(spec) => &spec.name,
            Self::Family(spec) => &spec.name,
            Self::Twins(spec) => &spec.name,
        }
    }

    /// The parameter values of its own.
    pub(crate) fn set(&self) -> &BTreeMap<String, f64> {
        match self {
            Self::Lyapunov(spec) => &spec.set,
            Self::OrbitDiagram(spec) => &spec.set,
            Self::Basins(spec) => &spec.set,
            Self::Chart(spec) => &spec.set,
            Self::Family(spec) => &spec.set,
            Self::Twins(spec) => &spec.set,
        }
    }
}
