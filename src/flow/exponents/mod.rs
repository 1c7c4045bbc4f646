//! Lyapunov exponents of maps, flows and flows with events, and the directions that belong to them.
//!
//! ```
//! use slipstick_flow::exponents::{ExponentOptions, spectrum};
//! use slipstick_study as study;
//! let text = r#"Study(title: "logistic", system: Map(states: ["x"], parameters: {"r": 4}, equations: ["x+ = r*x*(1 - x)"]))"#;
//! let plan = study::parse("map.ron".as_ref(), text.into())?.plan(&[])?;
//! let long = ExponentOptions { time: 100_000.0, ..ExponentOptions::default() };
//! let found = spectrum(&plan.systems[0].system, 0, &[0.3], &[4.0], &long)?;
//! // At r = 4 the map is conjugate to the doubling of an angle.
//! let largest = found.largest();
//! assert!((largest.value - 2f64.ln()).abs() < 4.0 * largest.error && largest.error < 1e-3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod covariant;
mod flow_motion;
mod frame;
mod iterated;
mod motion;
mod options;
mod sizes;
mod spectrum;

pub use covariant::{CovariantPoint, covariant_vectors};
pub use options::{ExponentOptions, SpectrumError};
pub use spectrum::{Exponent, Spectrum, spectrum};
