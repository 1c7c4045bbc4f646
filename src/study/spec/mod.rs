//! The format of studies: every key, its default and what it means.

pub(crate) mod attractors;
pub(crate) mod axis;
pub(crate) mod basins;
pub(crate) mod chart;
pub(crate) mod curve;
pub(crate) mod distances;
pub(crate) mod family;
pub(crate) mod locus;
pub(crate) mod lyapunov;
pub(crate) mod orbit_diagram;
pub(crate) mod plain;
pub(crate) mod portrait;
pub(crate) mod simulation;
pub(crate) mod start;
pub(crate) mod study;
pub(crate) mod system;
pub(crate) mod task;
pub(crate) mod twins;

pub use attractors::AttractorsSpec;
pub use axis::AxisSpec;
pub use basins::BasinsSpec;
pub use chart::ChartSpec;
pub use curve::{BranchLabel, ChoiceSpec, CurveSpec, Directions, MethodSpec, OrbitSpec, StepSpec, SwitchSpec};
pub use distances::DistancesSpec;
pub use family::FamilySpec;
pub use locus::LocusSpec;
pub use lyapunov::LyapunovSpec;
pub use orbit_diagram::{OrbitDiagramSpec, SectionSpec, SweepSpec};
pub use portrait::{FatesSpec, OverSpec, PortraitSpec, ReductionSpec, ReturnsSpec};
pub use simulation::{PolicySpec, SimulationSpec};
pub use start::StartSpec;
pub use study::Study;
pub use task::TaskSpec;
pub use twins::TwinsSpec;
