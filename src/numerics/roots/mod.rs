//! Zeros of scalar functions: the one place where they are found.
//!
//! - [`bracketed_root`] needs values only, [`newton_root`] a derivative, [`boundary`] no more than yes or no; each is
//!   kept inside a bracket.
//! - [`polynomial`] and [`Bernstein`] find all zeros, or the first, of a polynomial, and [`first_zero`] that of a
//!   function whose second derivative is bounded, such as sums of sines and exponentials: none is missed.
//! - [`sampled_zeros`] finds all zeros of a function of which nothing is known but values and slopes at samples, and
//!   [`resolved_zeros`] halves the intervals between them until nothing narrow is left.

mod bernstein;
mod bracket;
mod first_zero;
pub mod polynomial;
mod resolved;
mod sampled;

pub use bernstein::Bernstein;
pub use bracket::{Root, boundary, bracketed_root, newton_root};
pub use first_zero::{Hovering, Probe, Search, first_zero};
pub use resolved::{Sample, resolved_zeros};
pub use sampled::sampled_zeros;
