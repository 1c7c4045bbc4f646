//! Orbit problems: equilibria, cycles of maps, and periodic orbits as cyclic sequences of segments given by a word.

mod adopt;
mod collocation;
mod course;
mod course_guess;
mod equations;
mod fingerprint;
mod fixed_point;
mod gauss;
mod held;
mod hold;
mod inspect;
mod lingering;
mod locus;
mod locus_ends;
mod locus_inspect;
mod mesh;
mod neighbour;
mod normal;
mod normal_form;
mod periodic;
mod phase;
mod planar;
mod refit;
mod rest;
mod return_map;
mod sample;
mod search;
mod shooting;
mod stability;
mod stages;
mod unfold;
mod variational;
mod word;

pub(crate) use fixed_point::KeptAnchor;
pub use fixed_point::{FixedPoint, KeptPoint, PointLocus, PointSearch, extremes, find_points};
pub use hold::{Hold, Scalar};
pub use locus::{Kept, Locus, LocusError};
pub use mesh::MeshOptions;
pub use neighbour::Neighbour;
pub use periodic::{Discretisation, PeriodicOrbit};
pub(crate) use phase::KeptPhase;

pub use sample::OrbitSample;
pub use search::{Found, SearchOptions, Searched, find_all};
pub use stability::runs_on;
pub use word::{Letter, Word, WordError};
