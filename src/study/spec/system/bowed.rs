//! `BowedStructure(...)`: an elastic structure of few modes under friction at one point, for the common engine.

use crate::analysis::elastic::{BowSpec, StructureSpec};
use serde::{Deserialize, Serialize};

/// `BowedStructure(...)`: N modes of an elastic structure under friction against a body that moves at constant speed,
/// as a hybrid system with the states `x1` … `xN`, `v1` … `vN` and the parameters `v0`, `mu`, `kappa`, `sigma`, `D`.
///
/// ```ron
/// BowedStructure(structure: String(damping: 0.1), modes: 6, bow: (v0: 1.5, law: LosesShare, mu: 4))
/// ```
///
/// ```
/// use slipstick_study::{self as study, system::SystemSpec};
/// let text = r#"Study(title: "Bowed string", system: BowedStructure(structure: String(damping: 0.1), modes: 6, bow: (v0: 1.5)))"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let Some(SystemSpec::Bowed(system)) = study.system else { panic!("it is one") };
/// assert_eq!((system.modes, system.bow.v0), (6, 1.5));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(default, deny_unknown_fields, rename = "BowedStructure")]
pub struct BowedSystemSpec {
    /// The structure: `String(...)` or `Cantilever(...)`.
    pub structure: StructureSpec,
    /// Number of modes.
    pub modes: usize,
    /// The bow and its friction.
    pub bow: BowSpec,
    /// Contact displacement and velocity that a trajectory starts from; the first mode alone is excited.
    pub start: (f64, f64),
}

impl Default for BowedSystemSpec {
    fn default() -> Self {
        Self {
            structure: StructureSpec::default(),
            modes: 6,
            bow: BowSpec::default(),
            start: (-2.9224, -2.7668),
        }
    }
}
