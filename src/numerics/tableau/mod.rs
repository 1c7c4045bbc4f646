//! Coefficients of Runge–Kutta methods and of quadrature: the one place where they stand.
//!
//! - [`Tableau`] computes those of collocation at the points of Gauss or of Radau, with up to eight stages;
//! - [`dop853`] and [`radau5`] are the published ones of the integrators with automatic steps;
//! - [`quadrature`] has nodes, weights and Lagrange polynomials for any number of points.

mod collocation;
pub mod dop853;
pub mod quadrature;
pub mod radau5;

pub use collocation::{MOST_STAGES, Tableau};
