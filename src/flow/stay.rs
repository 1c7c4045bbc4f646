//! One visit of a mode, as a motion under way has left it.

/// From one event to the next.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Stay {
    pub(super) mode: usize,
    pub(super) event: usize,
    pub(super) start: Vec<f64>,
    /// Where its event finds it.
    pub(super) end: Vec<f64>,
    pub(super) duration: f64,
}
