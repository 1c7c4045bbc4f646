//! Elastic structures touched at points.

mod beam;
mod error;
mod kernel;
mod polylog;
mod projection;
mod quadrature;
mod structure;

pub use error::ElasticError;
pub use kernel::{MemoryKernel, ModalKernel, StringKernel};
pub use projection::Projection;
pub use structure::{Contact, Continuum, Structure};
