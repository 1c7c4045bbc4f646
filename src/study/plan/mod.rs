//! From what a study says to what is to be computed: names resolved, numbers checked.

pub(crate) mod analyses;
pub(crate) mod attractors;
pub(crate) mod axis;
pub(crate) mod basins;
pub(crate) mod chart;
pub(crate) mod columns;
pub(crate) mod curve;
pub(crate) mod declared;
pub(crate) mod entries;
pub(crate) mod exponents;
pub(crate) mod family;
pub(crate) mod figures;

pub(crate) mod inputs;
pub(crate) mod locus;
pub(crate) mod lyapunov;
pub(crate) mod named_system;
pub(crate) mod names;
pub(crate) mod object;
pub(crate) mod orbit_diagram;
pub(crate) mod orbit_files;
pub(crate) mod parameters;
pub(crate) mod passed;
pub(crate) mod points;
pub(crate) mod portrait;
pub(crate) mod referable;
pub(crate) mod repetition;
pub(crate) mod simulation;
pub(crate) mod source;
pub(crate) mod start;
pub(crate) mod study;
pub(crate) mod system;
pub(crate) mod systems;
pub(crate) mod task;
pub(crate) mod twins;
