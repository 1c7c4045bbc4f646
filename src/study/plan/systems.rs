//! The systems of a study, of whatever kind, built.

use crate::plan::system::build::{Built, hybrid, map, smooth};
use crate::plan::system::error::{SystemError, SystemFault};
use crate::plan::system::monitors;
use crate::plan::system::number::number_at;
use crate::plan::system::turns::undeclared;
use crate::spec::system::declared::{HybridSpec, MonitorSpec};
use crate::spec::system::entry::{SystemSpec, WRITTEN};
use crate::spec::system::named::{Named, Number};
use slipstick_system::catalogue;
use slipstick_system::text::Scope;

impl SystemSpec {
    /// The system described. `path` is where the description stands in the study (`system`), for errors.
    ///
    /// # Errors
    /// Everything that is wrong, in the order of the text.
    pub fn build(&self, path: &str) -> Result<Built, Vec<SystemError>> {
        let mut built = match self {
            Self::Smooth(spec) => smooth(spec, path),
            Self::Map(spec) => map(spec, path),
            Self::Hybrid(spec) => hybrid(spec, path),
            Self::Filippov(spec) => spec.expand(path)?.build(path),
            Self::Regularised(spec) => spec.expand(path)?.build(path),
            Self::Tangencies(spec) => spec.expand(path)?.build(path),
            Self::Mechanical(spec) => spec.expand(path)?.build(path),
            Self::Bowed(spec) => spec.build(path),
            Self::Builtin {
                name,
                parameters,
                monitors,
            } => builtin(name, parameters, monitors, path),
        }?;
        if matches!(
            self,
            Self::Smooth(_) | Self::Map(_) | Self::Hybrid(_) | Self::Filippov(_)
        ) {
            built.warnings.extend(undeclared(&built.system, path));
        }
        Ok(built)
    }

    /// The hybrid system that a declaration stands for; none for systems that are written out. `path` is where the
    /// declaration stands in the study.
    ///
    /// ```
    /// use slipstick_study as study;
    /// let text = r#"Study(title: "Belt", system: Filippov(
    ///     states: ["x", "v"], parameters: {"k": 1, "mu": 0.3, "v0": 1},
    ///     surfaces: {"slip": "v - v0"},
    ///     equations: ["x' = v", "v' = -k*x - mu*sgn(slip)"],
    /// ))"#;
    /// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
    /// let written = study.system.unwrap().written_out("system").map_err(|errors| format!("{errors:?}"))?.unwrap();
    /// // A mass that is carried along by the belt has no velocity of its own.
    /// let carried = written.modes.get("slip0").unwrap();
    /// assert_eq!(carried.absent.get("v").map(String::as_str), Some("v0"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Everything that is wrong with the declaration.
    pub fn written_out(&self, path: &str) -> Result<Option<HybridSpec>, Vec<SystemError>> {
        Ok(match self {
            Self::Filippov(spec) => Some(spec.expand(path)?.system),
            Self::Regularised(spec) => Some(spec.expand(path)?.system),
            Self::Tangencies(spec) => Some(spec.expand(path)?.system),
            Self::Mechanical(spec) => Some(spec.expand(path)?.system),
            _ => None,
        })
    }
}

/// A system of the catalogue, with parameters changed and monitors added.
fn builtin(
    name: &str,
    parameters: &Named<Number>,
    monitors: &Named<MonitorSpec>,
    path: &str,
) -> Result<Built, Vec<SystemError>> {
    let systems = catalogue::all();
    let mut known: Vec<String> = systems.iter().map(|s| s.name.clone()).collect();
    let Some(mut system) = systems.into_iter().find(|s| s.name == name) else {
        known.extend(WRITTEN.map(str::to_owned));
        let fault = SystemFault::Unknown {
            what: "system",
            name: name.to_owned(),
            known,
        };
        return Err(vec![SystemError::new(format!("{path}()"), fault)]);
    };
    let mut errors = vec![];
    let mut given: Vec<&str> = vec![];
    for (key, number) in parameters.iter() {
        let here = format!("{path}.{key}");
        let plain = slipstick_system::text::plain_name(key);
        if let Some(index) = system.parameter(&plain) {
            match number_at(number, &Scope::new(), &here) {
                Ok(value) => system.parameters[index].value = value,
                Err(error) => errors.push(error),
            }
        } else {
            let fault = SystemFault::Unknown {
                what: "parameter",
                name: key.to_owned(),
                known: system.parameters.iter().map(|p| p.name.clone()).collect(),
            };
            errors.push(SystemError::new(format!("{here}#"), fault));
        }
        if given.contains(&key) {
            errors.push(SystemError::new(
                format!("{here}#"),
                SystemFault::Duplicate {
                    what: "parameter",
                    name: key.to_owned(),
                },
            ));
        }
        given.push(key);
    }
    monitors::add(monitors, path, &mut system, &mut errors);
    if errors.is_empty() {
        Ok(Built {
            system,
            warnings: vec![],
        })
    } else {
        Err(errors)
    }
}
