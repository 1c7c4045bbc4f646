//! What can go wrong while a mode is flowed.

use super::unmodelled::instead;
use slipstick_numerics::number::rounded;

/// Why a flow, an event search or a simulation could not be completed.
///
/// ```
/// use slipstick_flow::{FlowError, FlowOptions, ModeFlow};
/// use slipstick_system::catalogue::stiction;
/// let system = stiction();
/// let slip = ModeFlow::new(&system, system.mode("slip-").unwrap(), FlowOptions::default());
/// // Two numbers are no state of a mode with three.
/// let error = slip.path(&[0.3, 0.1], 1.0, &[2.0, 1.1, 0.4]).err().unwrap();
/// assert!(matches!(&error, FlowError::Argument { mode, .. } if mode == "slip-"), "{error}");
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FlowError {
    /// The state left the numbers: blow-up, or a formula outside its domain.
    #[error(
        "mode `{mode}`: at time {t} after the start the state is no finite number: the solution blows up or a formula leaves its \
         domain; shorten the time or move the start"
    )]
    NotFinite {
        /// The mode's name.
        mode: String,
        /// Time since the start of the flow.
        t: f64,
    },
    /// The motion came to what is not modelled.
    #[error("{why}")]
    Outside {
        /// Where to, in words.
        why: String,
    },
    /// The step control gave up.
    #[error(
        "mode `{mode}`: step size {h:e} at t = {t} is at rounding level (tolerance rtol = {rtol:e}); the field is \
         discontinuous or singular there: make that surface an event, or start elsewhere"
    )]
    StepTooSmall {
        /// The mode's name.
        mode: String,
        /// Time since the start of the flow.
        t: f64,
        /// The step that failed.
        h: f64,
        /// The relative tolerance asked for.
        rtol: f64,
    },
    /// Too many steps.
    #[error(
        "mode `{mode}`: the {steps} steps that a motion may take between two events reach only t = {t} of {end}; integrate over a shorter \
         time, or start elsewhere"
    )]
    TooManySteps {
        /// The mode's name.
        mode: String,
        /// The limit that was reached.
        steps: usize,
        /// Time reached.
        t: f64,
        /// Time asked for.
        end: f64,
    },
    /// An argument has the wrong length or is not a number.
    #[error("mode `{mode}`: {what}")]
    Argument {
        /// The mode's name.
        mode: String,
        /// What is wrong, with numbers.
        what: String,
    },
    /// The iterates of a map leave the finite numbers.
    #[error(
        "the iteration diverges after {iterates} iterates: {state} has no finite value after {}; start elsewhere",
        rounded(*from, 7)
    )]
    Escapes {
        /// The state that has no next value.
        state: String,
        /// How many iterates there are.
        iterates: usize,
        /// Its last value.
        from: f64,
    },
    /// A map has no motion between its iterates.
    #[error("the system `{system}` is a map: it is iterated, not integrated")]
    Map {
        /// The system's name.
        system: String,
    },
    /// Events follow one another too often.
    #[error(
        "{events} events within a time of {t}: they may follow one another ever faster, as where a motion spirals to an intersection of surfaces without end"
    )]
    TooManyEvents {
        /// How many.
        events: usize,
        /// The time.
        t: f64,
    },
    /// Events accumulate.
    #[error("events accumulate (Zeno) at t = {t}, the last one is `{event}`; {}", instead(event))]
    Accumulates {
        /// When.
        t: f64,
        /// The last event.
        event: String,
    },
    /// An event did not happen again.
    #[error(
        "event `{event}` of mode `{mode}` does not happen again within {longest}; allow more time, or start on an orbit that returns"
    )]
    NoReturn {
        /// The mode's name.
        mode: String,
        /// The event's name.
        event: String,
        /// The time allowed.
        longest: f64,
    },
}

impl FlowError {
    /// The same of a stretch of a motion that began at this time: where it breaks down is a time of the motion.
    pub(crate) fn after(mut self, began: f64) -> Self {
        if let Self::NotFinite { t, .. } | Self::StepTooSmall { t, .. } = &mut self {
            *t += began;
        }
        self
    }
}
