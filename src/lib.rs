//! slipstick: continuation and bifurcation of periodic orbits in systems that slip, stick, switch and split their time
//! scales.
//!
//! Most users write a study and run the command `slipstick`; the README shows how. The library gives the same engine to
//! Rust programs, in five modules:
//!
//! - [`system`] describes a vector field with modes, events and symmetries;
//! - [`orbit`] states equilibria, cycles of maps and periodic orbits as equations, finds them and measures their
//!   stability;
//! - [`continuation`] traces curves of them, locates what happens on the way and labels it;
//! - [`study`] reads a study file, checks it and runs it;
//! - [`plot`] draws figures of a finished run.
//!
//! The format of studies, the columns of the tables and these names are stable. They come from crates of their own, one
//! for each floor of the house (`slipstick-numerics` at the bottom, `slipstick-study` at the top), whose other names
//! may change.
//!
//! # Example
//!
//! Every symmetric slip-stick orbit of the stiction oscillator at Ω = 1/2 is found, and the branch through them is
//! traced past its fold.
//!
//! ```
//! use slipstick::continuation::Label;
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

#[doc(hidden)]
pub mod cli;

/// Vector fields with modes, events, resets and symmetries, written once for every kind of number.
///
/// ```
/// use slipstick::system::stiction;
/// let system = stiction();
/// let names: Vec<_> = system.states.iter().map(|state| state.name.as_str()).collect();
/// assert_eq!(names, ["x", "y", "theta"]);
/// ```
pub mod system {
    pub use slipstick_numerics::scalar::Scalar;
    pub use slipstick_system::catalogue::{regularised_stiction, stiction};
    pub use slipstick_system::{
        Direction, Event, Formula, Inequality, Mode, ModeKind, Observable, OrbitMonitor, Parameter, SlowFast, State,
        Symmetry, System, Units,
    };
}

/// Equilibria, cycles of maps and periodic orbits as equations; searches, simulation and stability.
///
/// ```
/// use slipstick::orbit::{FlowOptions, PeriodicOrbit, Word};
/// let system = slipstick::system::stiction();
/// let word = Word::parse("slip- stick", true, &system)?;
/// // Ω (parameter 0) is free; the guess gives each segment's start and duration.
/// let mut orbit = PeriodicOrbit::new(&system, word, system.default_parameters(), vec![0], FlowOptions::default());
/// let guess = orbit.guess(&[vec![0.4, 0.0, -0.6], vec![-0.4, 1.4]], &[2.0, 1.1])?;
/// assert_eq!(guess.last(), Some(&2.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub mod orbit {
    pub use slipstick_floquet::Multiplier;
    pub use slipstick_flow::{FlowOptions, SimulationOptions, Trajectory, TransientOptions, run_transient, simulate};
    pub use slipstick_orbit::{
        Discretisation, FixedPoint, MeshOptions, OrbitSample, PeriodicOrbit, SearchOptions, Word, find_all,
    };
}

/// Curves of zeros of any problem: traced by pseudo-arclength, with labels where something happens.
///
/// ```
/// use slipstick::continuation::{End, Label, TraceOptions, Tracer};
/// use slipstick::orbit::{FlowOptions, PeriodicOrbit, Word};
/// let system = slipstick::system::stiction();
/// let word = Word::parse("slip- stick", true, &system)?;
/// let mut orbit = PeriodicOrbit::new(&system, word, system.default_parameters(), vec![0], FlowOptions::default());
/// let guess = orbit.guess(&[vec![0.4, 0.0, -0.6], vec![-0.4, 1.4]], &[2.0, 1.1])?;
/// let branch = Tracer::new(&mut orbit, &TraceOptions::over((1.0, 2.0))).from_guess(guess)?;
/// // Towards the resonance the time in stick shrinks to nothing.
/// assert!(branch.ends.iter().any(|end| matches!(end, End::Boundary { label: Label::VS, .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub mod continuation {
    pub use slipstick_bifurcation::{
        Branch, BranchPoint, Column, End, Inspect, Label, Level, Monitor, MonitorKind, Record, TraceOptions, Tracer,
    };
    pub use slipstick_continuation::{Failure, Point, Problem, StepOptions};
}

/// Study files: read, checked and run.
///
/// ```
/// use slipstick::study::{self, Silent};
/// let text = r#"Study(
///     title: "A fold",
///     system: Smooth(states: ["x"], parameters: {"a": 1}, equations: ["x' = a - x^2"], start: {"x": 1}),
///     curves: [Curve(name: "rest", orbit: Equilibrium, start: Settle(at: {"a": 1}), free: "a", range: (-1, 2))],
/// )"#;
/// let plan = study::parse("fold.ron".as_ref(), text.into())?.plan(&[])?;
/// let result = study::run(&plan, &Silent, &false.into());
/// assert!(result.missing.is_empty() && result.curves.len() == 1);
/// # Ok::<(), slipstick::study::Rejected>(())
/// ```
pub mod study {
    pub use slipstick_study::{Observer, Plan, Rejected, RunResult, Silent, Stop, load, parse, run};
}

/// Figures of finished runs.
///
/// ```
/// use slipstick::plot::RunData;
/// // A folder without a run is refused with the reason.
/// assert!(RunData::read(std::path::Path::new("no such folder")).is_err());
/// ```
pub mod plot {
    pub use slipstick_report::RunData;
    pub use slipstick_report::figure::{Figure, draw};
}

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
