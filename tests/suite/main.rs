//! What the crate claims, checked from outside: the numbers of its studies, its files and its messages.
#![allow(clippy::unwrap_used, missing_docs)]

mod analyses;
mod bearing;
mod benchmarks;
mod command;
mod diagnostics;
mod explore;
mod figures;
mod friction_systems;
mod invariance;
mod loci;
mod materials;
mod numerics;
mod point_loci;
mod reference;
mod regularised;
mod resume;
mod runs;
mod shaw;
mod smooth;
mod support;
