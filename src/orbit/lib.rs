//! Orbit problems: equilibria, cycles of maps, and periodic orbits as cyclic sequences of segments given by a word.

mod absent;
mod adopt;
mod blocked;
#[cfg(test)]
mod confirmation_tests;
mod course;
mod course_guess;
mod equations;
mod fingerprint;
mod fixed_point;
mod gauss;
mod held;
mod hold;
mod inspect;
mod limits;
mod lingering;
mod locus;
mod locus_ends;
mod locus_inspect;
mod neighbour;
mod normal;
mod normal_form;
mod opened;
mod parts;
mod periodic;
mod phase;
mod refit;
mod rest;
mod return_map;
mod sample;
mod search;
mod segment;
mod shots;
mod sizes;
mod stability;
mod stiff_jet;
mod unfold;
mod vanishing;
mod variational;
mod word;

pub use fixed_point::{BeyondCorner, HalfBranches, KeptAnchor};
pub use fixed_point::{FixedPoint, KeptPoint, PointLocus, PointSearch, extremes, find_points};
pub use hold::{Hold, Scalar};
pub use locus::{Kept, Locus, LocusError};
pub use neighbour::Neighbour;
pub use periodic::PeriodicOrbit;
pub use phase::KeptPhase;

pub use sample::OrbitSample;
pub use sample::denser_at_ends;
pub use search::{Found, SearchOptions, Searched, find_all};
pub use segment::{Discretisation, HarmonicOptions, MeshOptions};
pub use stability::runs_on;
pub use word::{Letter, Word, WordError};
