//! `Tangencies(...)`: the points of a surface at which fields are tangent to it.

use crate::spec::system::filippov::FilippovSpec;
use crate::spec::system::named::{Named, Number};
use serde::{Deserialize, Serialize};

/// `Tangencies(...)`: the equations of the points of a surface at which the fields of its sides are tangent to it: of
/// one side a tangency, of both a two-fold. Their solutions are followed like equilibria. There are as many equations
/// as states: in the plane for tangencies, in three dimensions for two-folds. States that are too many become
/// parameters, and tangencies in three dimensions a curve along one of them.
///
/// ```ron
/// Tangencies(
///     of: Filippov(
///         states: ["x", "v"], parameters: {"k": 1, "mu": 0.3, "v0": 1},
///         surfaces: {"slip": "v - v0"},
///         equations: ["x' = v", "v' = -k*x - mu*sgn(slip)"],
///     ),
///     surface: "slip",
///     sides: "+",
/// )
/// ```
///
/// ```
/// use slipstick_study::{self as study, system::SystemSpec};
/// let text = r#"Study(title: "Belt", system: Tangencies(
///     of: Filippov(
///         states: ["x", "v"], parameters: {"k": 1, "mu": 0.3, "v0": 1},
///         surfaces: {"slip": "v - v0"},
///         equations: ["x' = v", "v' = -k*x - mu*sgn(slip)"],
///     ),
///     surface: "slip", sides: "+",
/// ))"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let built = study.system.unwrap().build("system").map_err(|errors| format!("{errors:?}"))?;
/// // At x = -mu/k, v = v0 the mass that slips forwards is tangent to the surface.
/// let mut left = [1.0; 2];
/// built.system.modes[0].field.value(&[-0.3, 1.0], &[1.0, 0.3, 1.0], &mut left);
/// assert_eq!(left, [0.0, 0.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename = "Tangencies")]
pub struct TangenciesSpec {
    /// The system: `Filippov(...)`.
    pub of: TangentSpec,
    /// The surface, by name.
    pub surface: String,
    /// The sides whose fields are tangent to it: `"+"`, `"-"`, or `"+-"` for two-folds.
    pub sides: String,
    /// The sides of the other surfaces, of a system that has more than one: `{"q": "+"}`.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub others: Named<String>,
    /// States that become parameters, with their values.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub along: Named<Number>,
}

/// The system whose tangencies are meant.
///
/// ```
/// use slipstick_study::{self as study, system::{SystemSpec, TangentSpec}};
/// let text = r#"Study(title: "Belt", system: Tangencies(
///     of: Filippov(states: ["x", "v"], surfaces: {"slip": "v - 1"}, equations: ["x' = v", "v' = -x - sgn(slip)"]),
///     surface: "slip", sides: "-",
/// ))"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let Some(SystemSpec::Tangencies(system)) = study.system else { panic!("it is one") };
/// let TangentSpec::Filippov(of) = system.of;
/// assert_eq!(of.states, ["x", "v"]);
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename = "System")]
pub enum TangentSpec {
    /// Fields that jump at surfaces.
    Filippov(FilippovSpec),
}
