//! What a study says about elastic structures with memory.

use crate::elastic::{BowedParameter, FrictionKind};
use serde::Deserialize;

/// One thing to compute about an elastic structure.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub enum ElasticSpec {
    /// The memory kernel over time.
    Kernel(KernelSpec),
    /// A motion under friction.
    Motion(MotionSpec),
    /// The periodic orbit for several numbers of modes, and the limit of many.
    Modes(ModesSpec),
    /// The branch of periodic orbits over one parameter.
    Branch(BranchSpec),
}

impl ElasticSpec {
    /// The name of its table or curve.
    pub fn name(&self) -> &str {
        match self {
            Self::Kernel(s) => &s.name,
            Self::Motion(s) => &s.name,
            Self::Modes(s) => &s.name,
            Self::Branch(s) => &s.name,
        }
    }
}

/// A structure, up to the number of its modes.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub enum StructureSpec {
    /// A pre-tensed string, 0 ≤ ξ ≤ 1.
    String {
        /// Damping ratio of all modes.
        damping: f64,
        /// Position of the contact.
        #[serde(default = "string_contact")]
        at: f64,
        /// Wave speed.
        #[serde(default = "one")]
        c: f64,
    },
    /// An Euler–Bernoulli cantilever of unit length, clamped at ξ = 0.
    Cantilever {
        /// Damping ratio of all modes.
        damping: f64,
        /// Position of the contact.
        #[serde(default = "one")]
        at: f64,
    },
    /// A table of modes: a CSV file with columns omega, damping and one for each contact.
    Table {
        /// The file, from the folder the command runs in.
        file: String,
        /// The name of the contact's column.
        contact: String,
    },
}

/// A friction law.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, default, rename = "Law")]
pub struct LawSpec {
    /// Its shape.
    pub kind: FrictionKind,
    /// Bound of the force in stick.
    pub mu: f64,
    /// κ of the law.
    pub kappa: f64,
    /// σ of the law.
    pub sigma: f64,
}

impl Default for LawSpec {
    fn default() -> Self {
        Self {
            kind: FrictionKind::LosesShare,
            mu: 4.0,
            kappa: 0.32,
            sigma: 1.0,
        }
    }
}

/// `Kernel(...)`: `trajectories/<name>.csv` with columns `t`, `L1_<N>` for each number of modes, `L1_inf` for the continuum.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct KernelSpec {
    /// The name of its table.
    pub name: String,
    /// The structure.
    pub structure: StructureSpec,
    /// Numbers of modes.
    #[serde(default)]
    pub modes: Vec<usize>,
    /// All modes as well? For strings.
    #[serde(default)]
    pub continuum: bool,
    /// First time.
    #[serde(default)]
    pub from: f64,
    /// Last time.
    pub until: f64,
    /// Rows of the table.
    #[serde(default = "rows")]
    pub rows: usize,
    /// Are times spaced evenly in their logarithm?
    #[serde(default)]
    pub log: bool,
}

/// How a motion is computed.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub enum MethodSpec {
    /// All modes, event-driven.
    #[default]
    Full,
    /// The reduced equation with memory, to high order.
    Reduced,
    /// The reduced equation by the source's Euler scheme with this step.
    Euler(f64),
    /// The same with the kernel of the continuum (strings).
    EulerContinuum(f64),
}

/// `Motion(...)`: `trajectories/<name>.csv` with columns `t`, `y1`, `y2`, `force`, `mode`.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct MotionSpec {
    /// The name of its table.
    pub name: String,
    /// The structure.
    pub structure: StructureSpec,
    /// Number of modes.
    pub modes: usize,
    /// The friction law.
    #[serde(default)]
    pub law: LawSpec,
    /// Bow speed.
    pub v0: f64,
    /// Contact displacement and velocity at the start; the first mode alone is excited.
    pub start: (f64, f64),
    /// How long.
    pub time: f64,
    /// How it is computed.
    #[serde(default)]
    pub method: MethodSpec,
}

/// `Modes(...)`: `trajectories/<name>.csv` with one row for each number of modes and a last one, at `inverse` = 0, with the limits: columns
/// `modes`, `inverse` (1/N), `period`, `stick`, `y1_stick`, `y1_slip`, `gap`, `abs_gap`, `gap_times_modes`.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct ModesSpec {
    /// The name of its table.
    pub name: String,
    /// The structure.
    pub structure: StructureSpec,
    /// Numbers of modes, ascending.
    pub modes: Vec<usize>,
    /// The friction law.
    #[serde(default)]
    pub law: LawSpec,
    /// Bow speed.
    pub v0: f64,
    /// Contact displacement and velocity that the search starts from.
    pub start: (f64, f64),
    /// How long to wait before the motion is taken for nearly periodic.
    #[serde(default = "transient")]
    pub transient: f64,
}

/// `Branch(...)`: a curve of `points.csv`, with parameters `v0`, `mu`, `kappa`, `sigma` and monitors `stick`, `y1_stick`, `y1_slip`, `gap`,
/// `force_stick`, `y1_max`, `y1_min`.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct BranchSpec {
    /// The name of the curve.
    pub name: String,
    /// The structure.
    pub structure: StructureSpec,
    /// Number of modes.
    pub modes: usize,
    /// The friction law.
    #[serde(default)]
    pub law: LawSpec,
    /// Bow speed.
    pub v0: f64,
    /// Contact displacement and velocity that the search starts from.
    pub start: (f64, f64),
    /// How long to wait before the motion is taken for nearly periodic.
    #[serde(default = "transient")]
    pub transient: f64,
    /// The free parameter: V0, Mu, Kappa or Sigma.
    pub free: BowedParameter,
    /// Its range.
    pub range: (f64, f64),
    /// How many multipliers are computed.
    #[serde(default = "multipliers")]
    pub multipliers: usize,
}

fn string_contact() -> f64 {
    0.4
}
fn one() -> f64 {
    1.0
}
fn rows() -> usize {
    1001
}
fn transient() -> f64 {
    12.0
}
fn multipliers() -> usize {
    8
}
