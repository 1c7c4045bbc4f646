//! What studies of elastic structures have in common: the structure and the bow.

use crate::analysis::fault::Fault;
use serde::{Deserialize, Deserializer, Serialize};
use slipstick_models::elastic::{BowedStructure, ElasticError, FrictionKind, FrictionLaw, StringKernel, Structure};
use std::fs::File;
use std::path::Path;

/// One contact position or several: `0.4` or `[0.4, 0.7]`.
///
/// ```
/// use slipstick_study::analysis::Positions;
/// assert_eq!(ron::from_str::<Positions>("0.4")?.0, [0.4]);
/// assert_eq!(ron::from_str::<Positions>("[0.4, 0.7]")?.0, [0.4, 0.7]);
/// # Ok::<(), ron::error::SpannedError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Positions(pub Vec<f64>);

impl<'de> Deserialize<'de> for Positions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum OneOrMany {
            One(f64),
            Many(Vec<f64>),
        }
        Ok(Self(match OneOrMany::deserialize(deserializer)? {
            OneOrMany::One(at) => vec![at],
            OneOrMany::Many(at) => at,
        }))
    }
}

/// A structure, up to the number of its modes.
///
/// ```
/// use slipstick_study as study;
/// use slipstick_study::analysis::AnalysisSpec;
/// let text = r#"Study(
///     title: "An analysis",
///     analyses: [Kernel(name: "beam", structure: Cantilever(damping: 0.02))],
/// )"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let AnalysisSpec::Kernel(spec) = &study.analyses[0] else { panic!("it is one") };
/// assert!(matches!(&spec.structure, slipstick_study::analysis::StructureSpec::Cantilever { damping: 0.02, .. }));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum StructureSpec {
    /// A pre-tensed string on 0 ≤ ξ ≤ 1.
    String {
        /// Damping ratio D of all modes.
        damping: f64,
        /// Position of the contact.
        #[serde(default = "two_fifths")]
        at: Positions,
        /// Wave speed.
        #[serde(default = "one")]
        c: f64,
    },
    /// An Euler–Bernoulli cantilever of unit length, clamped at ξ = 0.
    Cantilever {
        /// Damping ratio D of all modes.
        damping: f64,
        /// Position of the contact.
        #[serde(default = "tip")]
        at: Positions,
    },
    /// A table of modes: a CSV file with the columns `omega`, `damping` and one for each contact.
    Table {
        /// The file, relative to the study.
        file: String,
        /// The columns of the contacts to use; all if left out.
        #[serde(default)]
        contacts: Vec<String>,
    },
}

fn two_fifths() -> Positions {
    Positions(vec![0.4])
}

fn tip() -> Positions {
    Positions(vec![1.0])
}

fn one() -> f64 {
    1.0
}

impl Default for StructureSpec {
    /// The string of the source, with D = 1/10.
    fn default() -> Self {
        Self::String {
            damping: 0.1,
            at: two_fifths(),
            c: one(),
        }
    }
}

impl StructureSpec {
    /// The file that it is read from.
    pub(crate) fn input(&self) -> Option<&str> {
        match self {
            Self::Table { file, .. } => Some(file),
            Self::String { .. } | Self::Cantilever { .. } => None,
        }
    }

    /// The structure with its `modes` lowest modes.
    pub(crate) fn build(&self, modes: usize, folder: &Path) -> Result<Structure, ElasticError> {
        match self {
            Self::String { damping, at, c } => Structure::string(modes, *c, *damping, &at.0),
            Self::Cantilever { damping, at } => Structure::cantilever(modes, *damping, &at.0),
            Self::Table { file, contacts } => {
                let path = folder.join(file);
                let opened = File::open(&path).map_err(|e| ElasticError::Table {
                    line: 0,
                    what: format!("cannot open {}: {e}", path.display()),
                })?;
                Structure::from_csv(file.as_str(), opened)?.truncated(modes, contacts)
            }
        }
    }

    /// The kernel with all modes.
    pub(crate) fn continuum(&self) -> Result<StringKernel, Fault> {
        match self {
            Self::String { damping, at, c } => {
                StringKernel::new(*c, *damping, &at.0).map_err(|e| Fault::new("structure", e))
            }
            _ => {
                let message = "the kernel with all modes is known for strings only; ask for many modes instead";
                Err(Fault::new("continuum", message))
            }
        }
    }

    pub(crate) fn settings(&mut self) -> Vec<(&'static str, &mut f64)> {
        match self {
            Self::String { damping, c, .. } => vec![("D", damping), ("c", c)],
            Self::Cantilever { damping, .. } => vec![("D", damping)],
            Self::Table { .. } => vec![],
        }
    }
}

/// A rigid body that moves past the contact at constant speed, and the friction between them.
///
/// ```
/// use slipstick_study as study;
/// use slipstick_study::analysis::AnalysisSpec;
/// let text = r#"Study(
///     title: "An analysis",
///     analyses: [Bowed(name: "slow", bow: (v0: 0.5))],
/// )"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let AnalysisSpec::Bowed(spec) = &study.analyses[0] else { panic!("it is one") };
/// assert_eq!(spec.bow.v0, 0.5);
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, default, rename = "Bow")]
pub struct BowSpec {
    /// Its speed.
    pub v0: f64,
    /// The friction law, g(v) with g(0) = μ.
    pub law: FrictionKind,
    /// μ, the bound of the force in stick.
    pub mu: f64,
    /// κ of the law.
    pub kappa: f64,
    /// σ of the law.
    pub sigma: f64,
}

impl Default for BowSpec {
    fn default() -> Self {
        let law = FrictionLaw::bowed_string();
        Self {
            v0: 1.5,
            law: law.kind(),
            mu: law.mu(),
            kappa: law.kappa(),
            sigma: law.sigma(),
        }
    }
}

impl BowSpec {
    pub(crate) fn law(&self) -> Result<FrictionLaw, ElasticError> {
        FrictionLaw::new(self.law, self.mu, self.kappa, self.sigma)
    }

    /// The structure under this bow at its only contact.
    pub(crate) fn on(
        &self,
        structure: &StructureSpec,
        modes: usize,
        folder: &Path,
    ) -> Result<BowedStructure, ElasticError> {
        let built = structure.build(modes, folder)?;
        if built.contacts().len() > 1 {
            return Err(ElasticError::Parameter {
                name: "number of contacts",
                value: built.contacts().len() as f64,
                requirement: "a bow touches one point; name a single one",
            });
        }
        BowedStructure::new(&built, 0, self.law()?, self.v0)
    }

    /// Check structure, bow and law.
    pub(crate) fn check(&self, structure: &StructureSpec, modes: usize, folder: &Path) -> Result<(), Fault> {
        structure.build(modes, folder).map_err(|e| Fault::new("structure", e))?;
        match self.on(structure, modes, folder) {
            Ok(_) => Ok(()),
            Err(e @ ElasticError::Parameter { name, .. }) if ["v0", "mu", "kappa", "sigma"].contains(&name) => {
                Err(Fault::new(format!("bow.{name}"), e))
            }
            Err(e) => Err(Fault::new("structure", e)),
        }
    }

    /// Is slip well posed in the continuum?
    pub(crate) fn warnings(&self, structure: &StructureSpec, modes: usize, folder: &Path) -> Vec<Fault> {
        let (Ok(law), Ok(built)) = (self.law(), structure.build(modes, folder)) else {
            return vec![];
        };
        let warning = law.well_posedness(&built, 0).warning();
        warning.map(|words| Fault::new("bow", words)).into_iter().collect()
    }

    /// The parameters of the bow and of the structure it plays on.
    pub(crate) fn settings<'a>(&'a mut self, structure: &'a mut StructureSpec) -> Vec<(&'static str, &'a mut f64)> {
        let mut settings = structure.settings();
        settings.extend([
            ("v0", &mut self.v0),
            ("mu", &mut self.mu),
            ("kappa", &mut self.kappa),
            ("sigma", &mut self.sigma),
        ]);
        settings
    }
}
