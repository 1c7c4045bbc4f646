//! Equations written as text: `y' = -xi - mu_d*sign(y)`.
//!
//! A text is read once: characters → tokens → terms ([`Expression`]) → a graph in which names have their meaning,
//! definitions are put in and every value is computed once → a [`Tape`] of operations on registers. A tape is a
//! [`Formula`](super::Formula) like any other: values, exact derivatives of every order the engine uses, and affine
//! forms come by themselves.
//!
//! # The language
//! - Numbers `1`, `2.5`, `1e-3`; constants `pi` and `e` (a declared name `e` takes its place); names of states,
//!   parameters and definitions. Greek letters and subscripts spell names, too: `Ω` is `Omega`, `μₛ` is `mu_s`.
//! - `+ - * / ^` and parentheses, as usual: `-x^2` is `-(x^2)`, `a^b^c` is `a^(b^c)`. No implicit multiplication.
//! - `sin cos tan asin acos atan atan2(y, x) sinh cosh tanh exp ln log log10 sqrt abs sign heaviside floor min max`;
//!   `log` is the natural logarithm; `sign(0) = 0`, `heaviside(0) = 1/2`; `mod(a, b) = a - b floor(a/b)`, so that it
//!   has the sign of `b`.
//! - Comparisons `< <= > >= == !=`, also chained (`-1 < x < 1`), joined by `and`, `or`, `not`.
//! - `if(condition, a, b)` and `piecewise(c1, a1, c2, a2, ..., otherwise)`: only the branch taken is evaluated and
//!   differentiated.
//! - `x/(exp(x) - 1)` and the like, with a numerator that is written as a multiple of the argument of `exp`, and
//!   `sin(x)/x`, `sinh(x)/x`, `tanh(x)/x`, are smooth at x = 0, with all their derivatives.
//!
//! Every fault ([`TextError`]) carries its place in the text and, where there is one, a way out.

mod compile;
mod corners;
mod elsewhere;
mod equation;
mod error;
mod expression;
mod graph;
mod known_signs;
mod lower;
mod names;
mod one_sided;
mod operation;
mod quotient_signs;
mod removable;
mod schedule;
mod scope;
mod steps;
mod symbolic;
mod tape;
mod token;

#[cfg(test)]
mod tests;

pub use compile::Margin;
pub use corners::{CONDITION, Corners};
pub use equation::{Equation, EquationForm};
pub use error::{TextError, TextErrorKind};
pub use expression::Expression;
pub use graph::Source;
pub use names::{nearest, plain_name};
pub use one_sided::OneSided;
pub use scope::{Fault, Scope};
pub use symbolic::{Definitions, Symbolic};
pub use tape::Tape;
