//! Labels of special points.

use std::fmt;

/// What is special about a point, by its two-letter code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "each variant is described by `meaning`")]
pub enum Label {
    LP,
    SB,
    BP,
    PD,
    NS,
    HB,
    CP,
    BT,
    GH,
    ZH,
    HH,
    VS,
    GR,
    VT,
    OV,
    NU,
    UZ,
    EP,
    MX,
}

impl Label {
    /// All labels.
    pub const ALL: [Self; 19] = [
        Self::LP,
        Self::SB,
        Self::BP,
        Self::PD,
        Self::NS,
        Self::HB,
        Self::CP,
        Self::BT,
        Self::GH,
        Self::ZH,
        Self::HH,
        Self::VS,
        Self::GR,
        Self::VT,
        Self::OV,
        Self::NU,
        Self::UZ,
        Self::EP,
        Self::MX,
    ];

    /// The code in tables.
    pub fn code(self) -> &'static str {
        match self {
            Self::LP => "LP",
            Self::SB => "SB",
            Self::BP => "BP",
            Self::PD => "PD",
            Self::NS => "NS",
            Self::HB => "HB",
            Self::CP => "CP",
            Self::BT => "BT",
            Self::GH => "GH",
            Self::ZH => "ZH",
            Self::HH => "HH",
            Self::VS => "VS",
            Self::GR => "GR",
            Self::VT => "VT",
            Self::OV => "OV",
            Self::NU => "NU",
            Self::UZ => "UZ",
            Self::EP => "EP",
            Self::MX => "MX",
        }
    }
    /// What it means, in a few words.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::LP => "fold",
            Self::SB => "symmetry breaking",
            Self::BP => "branch point",
            Self::PD => "period doubling",
            Self::NS => "Neimark–Sacker",
            Self::HB => "Hopf",
            Self::CP => "cusp",
            Self::BT => "Bogdanov–Takens",
            Self::GH => "generalised Hopf",
            Self::ZH => "zero-Hopf",
            Self::HH => "double Hopf",
            Self::VS => "vanishing segment",
            Self::GR => "grazing",
            Self::VT => "visible tangency",
            Self::OV => "stick force overshoots",
            Self::NU => "forward non-uniqueness",
            Self::UZ => "user level",
            Self::EP => "end of range",
            Self::MX => "no convergence",
        }
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}
