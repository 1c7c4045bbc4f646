//! The curve tracer: one-parameter families of zeros by pseudo-arclength.
//!
//! A [`Problem`] is `F(z) = 0` with one unknown more than equations (the last one, the free parameter). [`Curve`] walks
//! along its zeros: predict along the curve's cubic, correct with Newton on the bordered system, judge the step by the
//! turn of the tangent and the speed of convergence. It is an iterator of [`Point`]s that a caller can stop, inspect,
//! and ask for points in between.
//!
//! Where a whole family of solutions exists at one value of the parameter, the parameter is held and the family is the
//! curve.
//!
//! [`Constrained`] fixes a condition and frees another parameter: that is how every two-parameter curve is made.
//!
//! References: H. B. Keller (1977), in *Applications of Bifurcation Theory*; E. L. Allgower and K. Georg, *Introduction
//! to Numerical Continuation Methods*, SIAM (2003).

mod constrained;
mod curve;
mod family;
mod hermite;
mod newton;
mod point;
mod problem;
mod scale;
mod singular_start;

pub use constrained::{Condition, Constrained};
pub use curve::{Curve, StepOptions, Stride};
pub use family::{enter_family, family_on_plane};
pub use hermite::{hermite_rates, hermite_weights};
pub use newton::{Newton, NewtonOptions, NewtonReport};
pub use point::{Point, tangent_at};
pub use problem::{Failure, Meshes, Problem};
pub use scale::ParameterScale;
pub use singular_start::solution_next_to;
