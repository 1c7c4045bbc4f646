//! Random members of whole classes of systems and situations, of which the right answer is known in closed form or by
//! construction.
//!
//! Each room draws members of its class from a fixed seed. The suite draws few;
//! `SLIPSTICK_TRUST=50 cargo test --release --test trust` draws fifty times as many, as for the figures in
//! `docs/trust.md`.
#![allow(clippy::unwrap_used, missing_docs)]

mod at_rest;
mod borders;
mod boundary;
mod branching;
mod canards;
mod clocks;
mod conservative;
mod contacts;
mod counts;
mod crossings;
mod curved;
mod cycles;
mod doubled;
mod dying_out;
mod equilibria;
mod extremes;
mod files;
mod fold_curves;
mod forced;
mod hybrid;
mod hybrid_forms;
mod impacts;
mod in_phase;
mod invasions;
mod known;
mod laws;
mod limits;
mod map_cycles;
mod map_forms;
mod materials;
mod monitors;
mod multiple_eigenvalues;
mod nonsmooth;
mod normal_forms;
mod orbit_ends;
mod passages;
mod random;
mod removable;
mod resting;
mod rotations;
mod scales;
mod sliding;
mod smooth_coordinates;
mod smooth_cycles;
mod smooth_hybrid;
mod starts;
mod stiff;
mod tangencies;
mod two_parameters;
mod words;
