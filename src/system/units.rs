//! The units that a system is expressed in.

/// The units that a system is expressed in: a state or a time in its own units is what it is here times the unit.
///
/// ```
/// use slipstick_system::Units;
/// let units = Units { states: vec![1.0, 0.125], time: 1024.0 };
/// // States that are not mentioned are expressed in their own units.
/// assert_eq!((units.state(1), units.state(2)), (0.125, 1.0));
/// assert_eq!(Units::default().time, 1.0);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Units {
    /// Of each state; angles stay what they are. Those left out are one.
    pub states: Vec<f64>,
    /// Of time.
    pub time: f64,
}

impl Default for Units {
    fn default() -> Self {
        Self {
            states: vec![],
            time: 1.0,
        }
    }
}

impl Units {
    /// The unit of state `i`.
    #[must_use]
    pub fn state(&self, i: usize) -> f64 {
        self.states.get(i).copied().unwrap_or(1.0)
    }
}
