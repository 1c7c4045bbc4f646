//! Orbit problems: equilibria, cycles of maps, and periodic orbits as cyclic sequences of segments given by a word.

mod adopt;
mod collocation;
mod course;
mod course_guess;
mod equations;
mod fixed_point;
mod gauss;
mod hold;
mod inspect;
mod locus;
mod locus_inspect;
mod mesh;
mod neighbour;
mod normal;
mod periodic;
mod planar;
mod refit;
mod sample;
mod search;
mod shooting;
mod stability;
mod stages;
mod unfold;
mod word;

pub use fixed_point::{FixedPoint, KeptPoint, PointLocus, PointSearch, find_points};
pub use hold::{Hold, Scalar};
pub use locus::{Kept, Locus, LocusError};
pub use mesh::MeshOptions;
pub use neighbour::Neighbour;
pub use periodic::{Discretisation, PeriodicOrbit};
pub(crate) use refit::SLACK;
pub use sample::OrbitSample;
pub use search::{Found, SearchOptions, find_all};
pub use stability::runs_on;
pub use word::{Letter, Word, WordError};
