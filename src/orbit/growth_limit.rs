//! Whether curves end where rounding within a shot grows too large.

/// In which modes curves end where rounding within a shot grows by more than Newton's method can follow, as their
/// orbits can be discretised on meshes.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GrowthLimit {
    /// They go on everywhere.
    Nowhere,
    /// Where an integrator follows the mode.
    Integrated,
    /// In linear modes as well.
    Everywhere,
}

impl GrowthLimit {
    /// The same along curves that are not begun again on meshes: linear modes are followed to many more digits there.
    pub fn without_linear(self) -> Self {
        match self {
            Self::Everywhere => Self::Integrated,
            limit => limit,
        }
    }
}
