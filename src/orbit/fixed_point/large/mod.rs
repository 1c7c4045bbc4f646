//! Equilibria of many states of which each equation sees few: what is computed of
//! [`FixedPoint`](super::FixedPoint) with sparse factors.

mod crossing;
mod equations;
mod linearisation;
mod measure;
mod spectrum;

pub(super) use crossing::crossing;
pub(super) use linearisation::Large;
pub(super) use measure::measure;
pub(crate) use spectrum::spectrum;
