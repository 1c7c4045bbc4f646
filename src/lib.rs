//! slipstick: continuation and bifurcation of periodic orbits in systems that slip, stick, switch and split their time scales.
//!
//! The crate is a house whose floors use only the floors below:
//!
//! - [`study`] reads a study (a system, curves, figures) from a RON file, checks it and carries it out; [`report`] writes its tables and figures,
//!   and [`cli`] is the command around both;
//! - [`bifurcation`] watches a curve, labels what happens on it and locates it; [`continuation`] traces the curve;
//! - [`floquet`] computes multipliers; [`orbit`] states periodic orbits as equations; [`flow`] solves initial-value problems with events;
//! - [`system`] describes vector fields with modes, events and symmetries; [`linalg`] and [`scalar`] carry the numbers.
//!
//! # Example
//!
//! Every symmetric slip-stick orbit of the stiction oscillator at Ω = 1/2 is found, and the branch through them is traced past its fold.
//!
//! ```
//! use slipstick::bifurcation::Label;
//! use slipstick::study::{self, Silent};
//!
//! let text = r#"Study(
//!     title: "Compliant stiction oscillator",
//!     system: Stiction(mu_s: 1.1, mu_d: 0.4),
//!     curves: [Curve(
//!         name: "compliant",
//!         orbit: Symmetric("slip- stick"),
//!         start: All(at: {"Omega": 0.5}),
//!         free: "Omega",
//!         range: (0.3, 1.0),
//!     )],
//! )"#;
//! let plan = study::parse("example.ron".as_ref(), text.into())?.plan(&[])?;
//! let result = study::run(&plan, &Silent, &false.into());
//! let branch = &result.curves[0].pieces[0].branch;
//! let (_, fold) = branch.special().find(|(_, p)| p.label == Some(Label::LP)).ok_or("no fold")?;
//! assert!((fold.point.parameter() - 0.4757656678212827).abs() < 1e-12);
//! assert!((fold.record.nu[0].log10).abs() < 1e-9, "the half map has the multiplier ν = +1 there");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod cli;

pub use slipstick_bifurcation as bifurcation;
pub use slipstick_continuation as continuation;
pub use slipstick_floquet as floquet;
pub use slipstick_flow as flow;
pub use slipstick_models::{elastic, friction};
pub use slipstick_numerics::{linalg, scalar};
pub use slipstick_orbit as orbit;
pub use slipstick_report as report;
pub use slipstick_slow_fast as slow_fast;
pub use slipstick_study as study;
pub use slipstick_system as system;

/// The samples of the pages are compiled and run like those of the sources.
#[cfg(doctest)]
mod book {
    #[doc = include_str!("../README.md")]
    struct Readme;
    #[doc = include_str!("../docs/extending.md")]
    struct Extending;
    #[doc = include_str!("../docs/mathematics/systems.md")]
    struct Systems;
    #[doc = include_str!("../docs/mathematics/flow.md")]
    struct Flow;
    #[doc = include_str!("../docs/mathematics/continuation.md")]
    struct Continuation;
    #[doc = include_str!("../docs/mathematics/multipliers.md")]
    struct Multipliers;
    #[doc = include_str!("../docs/mathematics/orbits.md")]
    struct Orbits;
    #[doc = include_str!("../docs/mathematics/special-points.md")]
    struct SpecialPoints;
    #[doc = include_str!("../docs/mathematics/slow-fast.md")]
    struct SlowFast;
    #[doc = include_str!("../docs/mathematics/elastic.md")]
    struct Elastic;
    #[doc = include_str!("../docs/mathematics/friction.md")]
    struct Friction;
}
