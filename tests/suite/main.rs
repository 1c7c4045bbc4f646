//! What the crate claims, checked from outside: the numbers of its studies, its files and its messages.
#![allow(clippy::unwrap_used, missing_docs)]

mod analyses;
mod bearing;
mod benchmarks;
mod command;
mod confirmed;
mod diagnostics;
mod documentation;
mod explore;
mod family;
mod figures;
mod friction_systems;
mod fuzz;
mod invariance;
mod licences;
mod loci;
mod materials;
mod nonsmooth;
mod numerics;
<<<<<<< HEAD
mod point_loci;
=======
mod random_systems;
>>>>>>> main
mod reference;
mod regularised;
mod resume;
mod runs;
mod shaw;
mod slow_fast;
mod smooth;
mod support;
mod tracer;
