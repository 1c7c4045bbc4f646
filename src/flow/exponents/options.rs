//! Over how long exponents are averaged, and what can go wrong.

use crate::error::FlowError;
use crate::options::FlowOptions;
use crate::trajectory::NonUniqueness;

/// Over how long exponents are averaged, and how.
///
/// ```
/// use slipstick_flow::exponents::ExponentOptions;
/// let largest = ExponentOptions { count: Some(1), ..ExponentOptions::default() };
/// assert!(largest.time > largest.transient);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ExponentOptions {
    /// The time (of a map: iterates) before averaging begins.
    pub transient: f64,
    /// The time averaged over.
    pub time: f64,
    /// How many exponents, the largest first; all by default.
    pub count: Option<usize>,
    /// What to do where the future is not unique; `Both` sticks.
    pub policy: NonUniqueness,
    /// Into how many pieces of equal length the time is divided for the estimate of the error.
    pub batches: usize,
    /// Events accumulate (Zeno) when this many of them …
    pub zeno_events: usize,
    /// … happen within this time, relative to 1 + t.
    pub zeno_time: f64,
    /// Tolerances of the integrators.
    pub flow: FlowOptions,
}

impl Default for ExponentOptions {
    fn default() -> Self {
        Self {
            transient: 100.0,
            time: 1000.0,
            count: None,
            policy: NonUniqueness::Stick,
            batches: 20,
            zeno_events: 30,
            zeno_time: 1e-9,
            // Averages converge like the root of the time: more digits of the motion do not show in them.
            flow: FlowOptions {
                rtol: 1e-9,
                atol: 1e-10,
                ..FlowOptions::default()
            },
        }
    }
}

/// Why exponents could not be computed.
///
/// ```
/// use slipstick_flow::exponents::{ExponentOptions, SpectrumError, spectrum};
/// use slipstick_system::catalogue::stiction;
/// let system = stiction();
/// let none = ExponentOptions { time: 0.0, ..ExponentOptions::default() };
/// let error = spectrum(&system, 2, &[0.4, 0.0], &[2.0, 1.1, 0.4], &none).unwrap_err();
/// assert!(matches!(error, SpectrumError::Options { .. }), "{error}");
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SpectrumError {
    /// The motion could not be followed.
    #[error(transparent)]
    Flow(#[from] FlowError),
    /// The surface of an event is met tangentially, to rounding.
    #[error(
        "event `{event}` of mode `{mode}` is met tangentially at t = {t}: perturbations grow without bound there; start elsewhere"
    )]
    Grazing {
        /// The mode.
        mode: String,
        /// The event.
        event: String,
        /// When.
        t: f64,
    },
    /// Some directions decay too fast beside others.
    #[error(
        "mode `{mode}`: within a time of {piece:e} perturbations come a factor of a million apart, which would take too many steps; ask for fewer exponents (`count`), the largest ones"
    )]
    Separation {
        /// The mode.
        mode: String,
        /// The time in which they do.
        piece: f64,
    },
    /// The options make no sense.
    #[error("exponents: {what}")]
    Options {
        /// What is wrong.
        what: String,
    },
}

/// Can exponents be computed with these options?
pub(super) fn check(options: &ExponentOptions) -> Result<(), SpectrumError> {
    let wrong = |what: String| Err(SpectrumError::Options { what });
    if !(options.time.is_finite() && options.time > 0.0) {
        return wrong(format!("an average over a time of {} is not possible", options.time));
    }
    if !(options.transient.is_finite() && options.transient >= 0.0) {
        return wrong(format!("a transient of {} is not possible", options.transient));
    }
    if options.batches < 2 {
        return wrong("their errors take two batches at least".into());
    }
    if options.count == Some(0) {
        return wrong("none are asked for".into());
    }
    Ok(())
}
