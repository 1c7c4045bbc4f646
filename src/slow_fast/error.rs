//! What can go wrong with slow–fast objects.

use slipstick_flow::FlowError;

/// Why a slow–fast object could not be computed.
///
/// ```
/// use slipstick_slow_fast::{Reduction, SlowFastError, SlowFastProblem};
/// use slipstick_system::catalogue::{regularised_stiction, stiction};
/// // A system that says nothing about time scales has none.
/// let rough = stiction();
/// let refused = SlowFastProblem::new(&rough, &rough.default_parameters(), Reduction::Singular);
/// assert!(matches!(refused, Err(SlowFastError::NotDeclared { system }) if system == rough.name));
/// // Two numbers are no state of a mode that has three.
/// let system = regularised_stiction();
/// let layer = SlowFastProblem::new(&system, &system.default_parameters(), Reduction::Singular)?;
/// assert!(matches!(layer.reduced_orbit(&[0.0, 0.0], 1.0), Err(SlowFastError::Argument(_))));
/// # Ok::<(), SlowFastError>(())
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SlowFastError {
    /// The system says nothing about time scales.
    #[error("`{system}` is not declared slow–fast: name the mode, its fast state and the small parameter")]
    NotDeclared {
        /// The system's name.
        system: String,
    },
    /// The declaration does not fit the system.
    #[error("`{system}`: slow–fast declaration: {what}")]
    BadDeclaration {
        /// The system's name.
        system: String,
        /// What is wrong.
        what: String,
    },
    /// The small parameter is not a small positive number.
    #[error("{parameter} = {value}: the small parameter of a slow–fast system must be positive and finite")]
    BadEpsilon {
        /// The parameter's name.
        parameter: String,
        /// Its value.
        value: f64,
    },
    /// The object exists only with this number of slow states.
    #[error("{object} need {expected} slow states, mode `{mode}` has {found}")]
    SlowStates {
        /// What was asked for.
        object: &'static str,
        /// The mode's name.
        mode: String,
        /// How many are needed.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// An argument has the wrong length, order or value.
    #[error("{0}")]
    Argument(String),
    /// Newton's method failed.
    #[error("{what}: Newton's method stopped with residual {residual:e} after {iterations} iterations; {advice}")]
    NoConvergence {
        /// What was being solved.
        what: &'static str,
        /// The residual reached.
        residual: f64,
        /// Iterations made.
        iterations: usize,
        /// A way out.
        advice: &'static str,
    },
    /// The object asked for does not exist here.
    #[error("{0}")]
    Absent(String),
    /// The flow could not be computed.
    #[error(transparent)]
    Flow(#[from] FlowError),
}
