//! What can go wrong with an elastic structure and its contact, in words and numbers.

use thiserror::Error;

/// A structure, a law or a computation that cannot be used as given.
///
/// ```
/// use slipstick_models::elastic::{ElasticError, Structure};
/// assert!(matches!(Structure::string(5, 1.0, 1.5, &[0.4]), Err(ElasticError::Damping { .. })));
/// ```
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ElasticError {
    /// There is nothing to vibrate.
    #[error("structure `{structure}` has no modes; give at least one")]
    NoModes {
        /// Name of the structure.
        structure: String,
    },
    /// There is nowhere to touch it.
    #[error("structure `{structure}` has no contact point; give at least one column of mode shape values")]
    NoContacts {
        /// Name of the structure.
        structure: String,
    },
    /// Lists of different lengths.
    #[error("structure `{structure}`: {what} has {found} values for {modes} modes; give one for each mode")]
    Length {
        /// Name of the structure.
        structure: String,
        /// The list.
        what: String,
        /// Its length.
        found: usize,
        /// The number of frequencies.
        modes: usize,
    },
    /// A frequency that is not a positive number.
    #[error(
        "structure `{structure}`, mode {mode}: natural frequency {value} is not a positive finite number; \
         a rigid-body mode (ω = 0) has no kernel L̄, support the structure or leave the mode out"
    )]
    Frequency {
        /// Name of the structure.
        structure: String,
        /// One-based mode number.
        mode: usize,
        /// The value given.
        value: f64,
    },
    /// A damping ratio outside [0, 1).
    #[error(
        "structure `{structure}`, mode {mode}: damping ratio D = {value}; 0 ≤ D < 1 is needed (modes must oscillate, \
         an overdamped one is two real exponentials)"
    )]
    Damping {
        /// Name of the structure.
        structure: String,
        /// One-based mode number.
        mode: usize,
        /// The value given.
        value: f64,
    },
    /// A mode shape value that is not a number.
    #[error("structure `{structure}`, mode {mode}, contact `{contact}`: mode shape value {value} is not finite")]
    Shape {
        /// Name of the structure.
        structure: String,
        /// One-based mode number.
        mode: usize,
        /// Name of the contact.
        contact: String,
        /// The value given.
        value: f64,
    },
    /// Two modes with one frequency.
    #[error(
        "structure `{structure}`: modes {first} and {second} have the same natural frequency {value}; one contact excites only a combination of them, so replace the two by one mode with n = √(n₁² + n₂²)"
    )]
    Repeated {
        /// Name of the structure.
        structure: String,
        /// One-based mode number.
        first: usize,
        /// One-based mode number.
        second: usize,
        /// The shared frequency.
        value: f64,
    },
    /// A contact on a node of all modes, or contacts that cannot be distinguished.
    #[error(
        "structure `{structure}`: contact `{contact}` is {why}, so no matrix W with V W = I exists; move it or leave it out"
    )]
    Blind {
        /// Name of the structure.
        structure: String,
        /// Name of the contact.
        contact: String,
        /// In words.
        why: String,
    },
    /// A position off the structure.
    #[error("contact at ξ = {value}: positions lie {range}")]
    Position {
        /// The value given.
        value: f64,
        /// The allowed range in words.
        range: &'static str,
    },
    /// A table of modes that cannot be read.
    #[error("table of modes, line {line}: {what}")]
    Table {
        /// One-based line number.
        line: u64,
        /// What is wrong and what to write.
        what: String,
    },
    /// A number that makes no sense.
    #[error("{name} = {value}: {requirement}")]
    Parameter {
        /// Name of the number.
        name: &'static str,
        /// The value given.
        value: f64,
        /// What is required of it.
        requirement: &'static str,
    },
    /// A start of the wrong size.
    #[error("the state has {found} numbers, {modes} modes need {needed}: displacements first, then velocities")]
    State {
        /// Length given.
        found: usize,
        /// Number of modes.
        modes: usize,
        /// Length needed.
        needed: usize,
    },
    /// Newton's method for the contact force of one step failed.
    #[error(
        "no contact force found at t = {t} with step {step}: residual {residual:.1e}; the slip law is too steep for this \
         step, take more steps per wave (now ω_N h = {resolution})"
    )]
    Step {
        /// Time at the start of the step.
        t: f64,
        /// Step size.
        step: f64,
        /// What remained.
        residual: f64,
        /// Highest frequency times step.
        resolution: f64,
    },
    /// Too many events.
    #[error("{events} changes between stick and slip before t = {t} (chattering); use a shorter time or allow more")]
    Chatter {
        /// How many events there were.
        events: usize,
        /// When the last one happened.
        t: f64,
    },
    /// No periodic stick-slip motion was reached.
    #[error(
        "no onset of stick within {waited} time units after t = {t}: permanent slip or permanent stick at v0 = {v0}, μ = {mu}"
    )]
    NoReturn {
        /// Time of the last event.
        t: f64,
        /// How long was waited.
        waited: f64,
        /// Bow speed.
        v0: f64,
        /// Friction bound.
        mu: f64,
    },
    /// Newton's method on the orbit failed.
    #[error("no periodic orbit at v0 = {v0}, μ = {mu}: {why}; start closer to it")]
    Newton {
        /// How it failed.
        why: String,
        /// Bow speed.
        v0: f64,
        /// Friction bound.
        mu: f64,
    },
    /// An orbit that breaks a condition of its word.
    #[error("the orbit found at v0 = {v0}, μ = {mu} is not a motion: {what}")]
    Inadmissible {
        /// Which condition.
        what: String,
        /// Bow speed.
        v0: f64,
        /// Friction bound.
        mu: f64,
    },
    /// Phases that do not make a periodic motion.
    #[error(
        "`{word}` is not the word of a bowed structure's orbit: begin with `stick`, then alternate with `slip-` and `slip+`"
    )]
    Word {
        /// What was given.
        word: String,
    },
}
