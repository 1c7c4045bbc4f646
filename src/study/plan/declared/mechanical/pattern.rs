//! The states that contacts can be in, and their combinations.

/// The state of one contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Status {
    /// Slip with positive relative velocity.
    SlipPlus,
    /// Slip with negative relative velocity.
    SlipMinus,
    /// No slip: a tie, or the strained spring of a Jenkins element.
    Stick,
    /// Clear of the obstacle.
    Open,
    /// In contact with the obstacle above.
    Above,
    /// In contact with that below.
    Below,
}

impl Status {
    /// What it is under a reflection of the relative displacement.
    pub(crate) fn reflected(self) -> Self {
        match self {
            Self::SlipPlus => Self::SlipMinus,
            Self::SlipMinus => Self::SlipPlus,
            Self::Above => Self::Below,
            Self::Below => Self::Above,
            Self::Stick | Self::Open => self,
        }
    }

    /// The sign of the relative velocity in slip, of the displacement at an obstacle.
    pub(crate) fn sign(self) -> f64 {
        match self {
            Self::SlipPlus | Self::Above => 1.0,
            Self::SlipMinus | Self::Below => -1.0,
            Self::Stick | Self::Open => 0.0,
        }
    }
}

/// The states of all contacts, in their order.
pub(crate) type Pattern = Vec<Status>;

/// All combinations of these states, or none if there are more than `most`.
pub(crate) fn combinations(states: &[Vec<Status>], most: usize) -> Option<Vec<Pattern>> {
    let count = states
        .iter()
        .try_fold(1usize, |count, own| count.checked_mul(own.len()));
    count.filter(|&count| count <= most)?;
    let mut all: Vec<Pattern> = vec![vec![]];
    for own in states {
        let longer = |p: &Pattern| {
            own.iter()
                .map(|&s| p.iter().copied().chain([s]).collect())
                .collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    Some(all)
}

/// The same with another state of one contact.
pub(crate) fn with(pattern: &[Status], contact: usize, status: Status) -> Pattern {
    let mut other = pattern.to_vec();
    other[contact] = status;
    other
}
