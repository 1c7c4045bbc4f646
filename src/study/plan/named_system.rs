//! A system with its name in the study.

use slipstick_system::System;

/// A system of the study, built.
///
/// ```
/// use slipstick_study as study;
/// let text = r#"Study(
///     title: "Twins",
///     system: Stiction(),
///     systems: {"soft": RegularisedStiction(epsilon: 1e-2)},
/// )"#;
/// let plan = study::parse("study.ron".as_ref(), text.into())?.plan(&[])?;
/// // The main system has no name.
/// let names: Vec<&str> = plan.systems.iter().map(|one| one.name.as_str()).collect();
/// assert_eq!(names, ["", "soft"]);
/// assert!(plan.systems[1].system.parameters.iter().any(|p| p.name == "epsilon" && p.value == 1e-2));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
pub struct NamedSystem {
    /// Its name in the study; empty for the study's main `system`.
    pub name: String,
    /// The system, its parameter defaults as the study and `--set` want them.
    pub system: System,
}
