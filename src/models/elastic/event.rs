//! Phases of a frictional contact and the events between them.

/// On which side of the moving body the contact point slips.
///
/// ```
/// use slipstick_models::elastic::Side;
/// // The sign of the relative velocity.
/// assert_eq!((Side::Behind.sign(), Side::Ahead.sign()), (-1.0, 1.0));
/// ```
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
///
/// ```
/// use slipstick_models::elastic::{Phase, Side};
/// let names = [Phase::Stick, Phase::Slip(Side::Behind), Phase::Slip(Side::Ahead)].map(Phase::name);
/// assert_eq!(names, ["stick", "slip-", "slip+"]);
/// ```
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
///
/// ```
/// use slipstick_models::elastic::{BowedStructure, FrictionLaw, Phase, Resolution, Structure};
/// let string = Structure::string(10, 1.0, 0.1, &[0.4])?;
/// let bowed = BowedStructure::new(&string, 0, FrictionLaw::bowed_string(), 1.5)?;
/// let motion = bowed.simulate(&bowed.start(-2.9, -2.7)?, 10.0, &[], &Resolution::default())?;
/// // With finitely many modes the force jumps where the contact begins to stick, and is continuous where it lets go.
/// for event in &motion.events {
///     assert!(event.to == Phase::Stick || event.gap().abs() < 1e-6, "{event:?}");
/// }
/// assert!(motion.events.iter().any(|event| event.to == Phase::Stick && event.gap().abs() > 1e-6));
/// # Ok::<(), slipstick_models::elastic::ElasticError>(())
/// ```
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
