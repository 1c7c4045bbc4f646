//! Linear algebra that the floors above share: small helpers over nalgebra and faer, block-structured solves, scaled products.

mod dense;

pub use dense::{DenseSystem, Singular, dot, norm};
