//! The computations of a plan: curves, two-parameter curves, sweeps, portraits, trajectories.

pub(crate) mod analysis;
pub(crate) mod attractors;
pub(crate) mod beyond;
pub(crate) mod corners;
pub(crate) mod correction;
pub(crate) mod divided;
pub(crate) mod error;
pub(crate) mod family;
pub(crate) mod follow;
pub(crate) mod given;
pub(crate) mod given_orbits;
pub(crate) mod interpolation;
pub(crate) mod least_period;
pub(crate) mod locus;
pub(crate) mod orbit_starts;
pub(crate) mod passing;
pub(crate) mod point_starts;
pub(crate) mod portrait;
pub(crate) mod region;
pub(crate) mod simulation;
pub(crate) mod starts;
pub(crate) mod task;
pub(crate) mod tasks;
pub(crate) mod tracer;
pub(crate) mod transient;
pub(crate) mod words;
