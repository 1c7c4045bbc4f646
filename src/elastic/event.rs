//! Phases of a frictional contact and the events between them.

/// On which side of the moving body the contact point slips.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The structure moves slower than the body, v_r < 0; friction drives it on, F > 0.
    Behind,
    /// The structure moves faster, v_r > 0; friction holds it back, F < 0.
    Ahead,
}

impl Side {
    /// The sign of v_r.
    pub fn sign(self) -> f64 {
        match self {
            Self::Behind => -1.0,
            Self::Ahead => 1.0,
        }
    }
    /// The side with this sign of v_r.
    pub(crate) fn of(v: f64) -> Self {
        if v > 0.0 { Self::Ahead } else { Self::Behind }
    }
    /// The other one.
    pub(crate) fn other(self) -> Self {
        match self {
            Self::Behind => Self::Ahead,
            Self::Ahead => Self::Behind,
        }
    }
}

/// What the contact does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// It moves with the body; the force follows from the constraint.
    Stick,
    /// It slips; the force follows from the law.
    Slip(Side),
}

impl Phase {
    /// The name in words and tables: `stick`, `slip-`, `slip+`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stick => "stick",
            Self::Slip(Side::Behind) => "slip-",
            Self::Slip(Side::Ahead) => "slip+",
        }
    }
}

/// A change of phase.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactEvent {
    /// When.
    pub t: f64,
    /// The phase that begins. From slip to slip, the contact crosses without sticking.
    pub to: Phase,
    /// Contact displacement then.
    pub y1: f64,
    /// Contact force just before.
    pub force_before: f64,
    /// Contact force just after.
    pub force_after: f64,
}

impl ContactEvent {
    /// The jump of the force. At the onset of stick it vanishes like 1/N with the number of modes of a string.
    pub fn gap(&self) -> f64 {
        self.force_after - self.force_before
    }
}
