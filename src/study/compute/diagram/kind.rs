//! What the motions of an orbit diagram are called, and what is listed of them.

use serde::{Deserialize, Serialize};
use slipstick_flow::SectionPoint;
use slipstick_flow::exponents::Exponent;

/// What a motion is.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum MotionKind {
    Orbit,
    Rest,
    Torus,
    Chaos,
    Unsettled,
    Lost,
}

impl MotionKind {
    pub(crate) const ALL: [Self; 6] = [
        Self::Orbit,
        Self::Rest,
        Self::Torus,
        Self::Chaos,
        Self::Unsettled,
        Self::Lost,
    ];

    /// The word for it in tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Orbit => "orbit",
            Self::Rest => "rest",
            Self::Torus => "torus",
            Self::Chaos => "chaos",
            Self::Unsettled => "unsettled",
            Self::Lost => "lost",
        }
    }
}

/// What a motion at one value of the parameter shows.
#[derive(Serialize, Deserialize)]
pub(crate) struct Seen {
    pub(crate) points: Vec<SectionPoint>,
    pub(crate) kind: MotionKind,
    /// After how many points the motion repeats itself.
    pub(crate) period: Option<usize>,
    pub(crate) exponents: Vec<Exponent>,
    pub(crate) message: String,
}

impl Seen {
    /// One that cannot be followed.
    pub(crate) fn lost(message: String) -> Self {
        Self {
            points: vec![],
            kind: MotionKind::Lost,
            period: None,
            exponents: vec![],
            message,
        }
    }
}
