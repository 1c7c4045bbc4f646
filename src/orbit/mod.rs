//! Orbit problems: periodic orbits as cyclic sequences of segments given by a word.

mod adopt;
mod collocation;
mod course;
mod equations;
mod gauss;
mod inspect;
mod mesh;
mod neighbour;
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

pub use mesh::MeshOptions;
pub use neighbour::Neighbour;
pub use periodic::{Discretisation, PeriodicOrbit};
pub(crate) use refit::SLACK;
pub use sample::OrbitSample;
pub use search::{Found, SearchOptions, find_all};
pub use word::{Letter, Word, WordError};
