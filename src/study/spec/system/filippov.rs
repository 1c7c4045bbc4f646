//! `Filippov(...)`: fields that jump at surfaces, of which the program makes the modes.

use crate::spec::system::declared::{ForcingSpec, MonitorSpec};
use crate::spec::system::named::{Named, Number, present};
use serde::{Deserialize, Serialize};

/// `Filippov(...)`: a field that jumps at surfaces h = 0. The program makes the modes on both sides, the sliding modes
/// on the surfaces by Filippov's convex combination, and the events between them.
///
/// ```ron
/// Filippov(
///     states: ["x", "v"], parameters: {"k": 1, "mu": 0.3, "v0": 1},
///     surfaces: {"slip": "v - v0"},
///     equations: ["x' = v", "v' = -k*x - mu*sgn(slip)"],
/// )
/// ```
///
/// ```
/// use slipstick_study::{self as study, system::SystemSpec};
/// let text = r#"Study(title: "Belt", system: Filippov(
///     states: ["x", "v"], parameters: {"k": 1, "mu": 0.3, "v0": 1},
///     surfaces: {"slip": "v - v0"},
///     equations: ["x' = v", "v' = -k*x - mu*sgn(slip)"],
/// ))"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let built = study.system.unwrap().build("system").map_err(|errors| format!("{errors:?}"))?;
/// let modes: Vec<&str> = built.system.modes.iter().map(|mode| mode.name.as_str()).collect();
/// assert_eq!(modes, ["slip+", "slip-", "slip0"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename = "Filippov")]
pub struct FilippovSpec {
    /// A name for reports.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// A sentence or two: what it is, and the source.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// The names of the states, in the order of tables.
    pub states: Vec<String>,
    /// Those states that are angles, with the period each is taken modulo: `{"theta": "2*pi"}`.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub angles: Named<Number>,
    /// The parameters with their values: numbers, or formulas of numbers like `"8/3"`.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub parameters: Named<Number>,
    /// Abbreviations, usable everywhere, in any order.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub define: Named<String>,
    /// For fields that depend on the time `t`: their period.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub forcing: Option<ForcingSpec>,
    /// The switching functions by name: the field jumps where one vanishes. `{"slip": "v - v0"}`.
    pub surfaces: Named<String>,
    /// One equation for each state, in any order, in which `sgn(name)`, `heaviside(name)` and conditions on `name` of
    /// a surface say on which side it is: `"v' = -k*x - mu*sgn(slip)"`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub equations: Vec<String>,
    /// Instead: the equations for each pattern of signs of the surfaces, in their order, as `"+"`, `"-"` or `"+-"`.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub fields: Named<Vec<String>>,
    /// Where more than Filippov's combination holds the motion on a surface, as in static friction: the ratio of the
    /// level in sticking to that in slipping, a formula of at least 1. `{"slip": "mu_s/mu_d"}`.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub stiction: Named<String>,
    /// Names of modes, by their pattern: `{"+": "slip+", "-": "slip-", "0": "stick"}`. Without one a mode is called by
    /// its surfaces with their signs, as `slip+` or `a+,b0`.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub modes: Named<String>,
    /// The image of each state under a symmetry of the system; those of the modes follow.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub symmetry: Named<String>,
    /// Further columns of the tables, defined in every mode.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub observables: Named<String>,
    /// Named scalars of orbits, as columns of the tables.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub monitors: Named<MonitorSpec>,
    /// The default initial state of trajectories; zero where left out. The mode is the one that it lies in.
    /// Parameters may enter.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub start: Named<Number>,
    /// Conditions on the parameters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub require: Vec<String>,
}
