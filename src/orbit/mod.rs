//! Orbit problems: periodic orbits as cyclic sequences of segments given by a word.

mod inspect;
mod junction;
mod periodic;
mod search;
mod word;

pub use periodic::PeriodicOrbit;
pub use search::{Found, SearchOptions, find_all};
pub use word::{Letter, Word, WordError};
