//! `Regularised(...)`: the slow–fast twin of a system whose field jumps.

use crate::spec::system::filippov::FilippovSpec;
use crate::spec::system::mechanical::MechanicalSpec;
use crate::spec::system::named::{Named, Number};
use serde::{Deserialize, Serialize};

/// `Regularised(...)`: the system in which every jump of a field is spread over a layer of width ε: the sign of a
/// switching function h becomes φ(h/ε).
///
/// ```ron
/// Regularised(
///     of: Filippov(
///         states: ["x", "v"], parameters: {"k": 1, "mu": 0.3, "v0": 1},
///         surfaces: {"slip": "v - v0"},
///         equations: ["x' = v", "v' = -k*x - mu*sgn(slip)"],
///     ),
///     by: Smoothstep(2),
///     epsilon: 1e-3,
/// )
/// ```
///
/// ```
/// use slipstick_study::{self as study, system::SystemSpec};
/// let text = r#"Study(title: "Belt", system: Regularised(
///     of: Filippov(
///         states: ["x", "v"], parameters: {"k": 1, "mu": 0.3, "v0": 1},
///         surfaces: {"slip": "v - v0"},
///         equations: ["x' = v", "v' = -k*x - mu*sgn(slip)"],
///     ),
///     by: Tanh, epsilon: 1e-3,
/// ))"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let built = study.system.unwrap().build("system").map_err(|errors| format!("{errors:?}"))?;
/// // The switching function over epsilon is the fast state.
/// let states: Vec<&str> = built.system.states.iter().map(|state| state.name.as_str()).collect();
/// assert_eq!(states, ["x", "slip_hat"]);
/// assert!(built.system.slow_fast.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename = "Regularised")]
pub struct RegularisedSpec {
    /// The system: `Filippov(...)` or `Mechanical(...)`.
    pub of: JumpingSpec,
    /// The function φ that takes the place of the sign.
    pub by: LawSpec,
    /// The width ε of the layer, which becomes the parameter `epsilon`.
    pub epsilon: Number,
    /// The default initial state of trajectories, in place of that of the system: zero where left out. Parameters may
    /// enter.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub start: Named<Number>,
}

/// A system whose field jumps.
///
/// ```
/// use slipstick_study::{self as study, system::{JumpingSpec, SystemSpec}};
/// let text = r#"Study(title: "Relay", system: Regularised(
///     of: Filippov(states: ["x", "y"], surfaces: {"h": "x"}, equations: ["x' = y - sgn(h)", "y' = -x"]),
///     by: Tanh, epsilon: 0.01,
/// ))"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let Some(SystemSpec::Regularised(system)) = study.system else { panic!("it is one") };
/// let JumpingSpec::Filippov(of) = system.of else { panic!("it is one") };
/// assert_eq!(of.states, ["x", "y"]);
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename = "System")]
pub enum JumpingSpec {
    /// Fields that jump at surfaces.
    Filippov(FilippovSpec),
    /// Masses, springs and contacts: the forces of dry friction, and of relays without hysteresis, become smooth. All
    /// other contacts stay as they are, with their events.
    Mechanical(Box<MechanicalSpec>),
}

/// A function φ(s) that goes from -1 to 1.
///
/// ```
/// use slipstick_study::{self as study, system::{LawSpec, SystemSpec}};
/// let text = r#"Study(title: "Relay", system: Regularised(
///     of: Filippov(states: ["x", "y"], surfaces: {"h": "x"}, equations: ["x' = y - sgn(h)", "y' = -x"]),
///     by: Law("atan(s)*2/pi"), epsilon: 0.01,
/// ))"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let Some(SystemSpec::Regularised(system)) = study.system else { panic!("it is one") };
/// assert_eq!(system.by, LawSpec::Law("atan(s)*2/pi".into()));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename = "Law")]
pub enum LawSpec {
    /// tanh s.
    Tanh,
    /// s/√(1 + s²).
    Algebraic,
    /// The odd polynomial that reaches ±1 at s = ±1 with so many derivatives equal to zero there, from 1 to 4, and is
    /// constant beyond.
    Smoothstep(u8),
    /// The polynomial of the stiction oscillator: it rises to the ratio of the static to the kinetic level, which
    /// `stiction` gives, at s = `delta`, falls to 1 at s = 1, and is constant beyond.
    Stiction {
        /// Where it is largest, between 0 and 1; it becomes the parameter `delta`.
        delta: Number,
    },
    /// A formula in `s` and the parameters, smooth everywhere: `Law("atan(s)*2/pi")`.
    Law(String),
}
