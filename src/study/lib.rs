//! Studies: one text file that says what to compute, from its text to the files it leaves behind.
//!
//! The rooms, each of which uses only those above it: `text` (places and complaints), `results` (what a run gives),
//! [`analysis`] (the case studies), [`spec`] (the format), `plan` (what is to be computed, checked), `run_folder` and
//! `checkpoint` (files of a run under way), `share` (which part of a run a process computes), `compute` (curves,
//! sweeps, portraits), `run` (the order of it all, and what is written), `shards` (a run put together from shares).

pub mod analysis;
mod checkpoint;
mod compute;
mod expanding;
mod loading;
mod plan;
mod results;
mod run;
mod run_folder;
mod shards;
mod share;
pub mod spec;
pub mod system;
mod text;

pub use checkpoint::{Checkpoint, CheckpointError};
pub use loading::{Loaded, figure_complaint, figures_in, load, parse};
pub use plan::attractors::AttractorsPlan;
pub use plan::axis::{Axis, Grid};
pub use plan::basins::{BasinsPlan, Starts};
pub use plan::chart::ChartPlan;
pub use plan::entries::{CurvePlan, NamedSystem, SimulationPlan, StartPlan};
pub use plan::family::FamilyPlan;
pub use plan::locus::LocusPlan;
pub use plan::lyapunov::{LyapunovOf, LyapunovPlan};
pub use plan::object::Object;
pub use plan::orbit_diagram::OrbitDiagramPlan;
pub use plan::portrait::{OutcomesPlan, PortraitPlan};
pub use plan::source::{Pick, Source};
pub use plan::study::Plan;
pub use plan::task::TaskPlan;
pub use plan::twins::TwinsPlan;
pub use results::attractors::{Attractor, AttractorKind, AttractorsResult};
pub use results::curve::{CurveResult, Piece};
pub use results::observer::{Observer, Silent};
pub use results::portrait::{OutcomeOfStart, PortraitResult};
pub use results::run::{Missing, RunResult};
pub use results::trajectory::TrajectoryResult;
pub use run::order::{names_of_tasks, run, run_share, run_with_checkpoint};
pub use run::output::{Settings, Written, write as write_run};
pub use run::units::in_measured_units;
pub use run_folder::{Claim, ClaimError, Staging};
pub use shards::divided::{Divided, divided};
pub use shards::manifest::{Manifest, shards_folder};
pub use shards::merge::{MergeError, Shares};
pub use share::sample::Sample;
pub use share::shard::{Shard, ShardError};
pub use share::{Alone, Assembly, Share};
pub use slipstick_numerics::stop::Stop;
pub use text::complaint::Complaint;
pub use text::diagnostic::{Diagnostic, Severity};
pub use text::locate;
pub use text::reading::read_text;
pub use text::rejected::{Flaw, Rejected};
