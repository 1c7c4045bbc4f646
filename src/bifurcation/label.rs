//! Labels of special points.

use std::fmt;
use std::sync::LazyLock;

/// What is special about a point, by its code.
///
/// ```
/// use slipstick_bifurcation::Label;
/// assert_eq!(Label::parse("SB"), Some(Label::SB));
/// assert_eq!((Label::LP.code(), Label::SB.meaning()), ("LP", "symmetry breaking"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[allow(missing_docs, reason = "each variant is described by `meaning`")]
#[non_exhaustive]
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
    GPD,
    CH,
    DP,
    R1,
    R2,
    R3,
    R4,
    VS,
    GR,
    VT,
    OV,
    BE,
    TF,
    CT,
    NU,
    UZ,
    EP,
    MX,
    /// Two of the others at once, on a two-parameter curve; made by [`Label::codimension_two`].
    CodimensionTwo(CodimensionTwo),
}

/// Two labels that hold at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct CodimensionTwo {
    first: u8,
    second: u8,
}

/// Codes and meanings of all meetings.
static CODIMENSION_TWO: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
    let pair = |a: Label, b: Label| {
        (
            format!("{}+{}", a.code(), b.code()),
            format!("{} and {}", a.meaning(), b.meaning()),
        )
    };
    Label::ALL
        .iter()
        .flat_map(|&a| Label::ALL.iter().map(move |&b| pair(a, b)))
        .collect()
});

impl CodimensionTwo {
    fn index(self) -> usize {
        usize::from(self.first) * Label::ALL.len() + usize::from(self.second)
    }
}

impl Label {
    /// All labels that are not meetings.
    pub const ALL: [Self; 29] = [
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
        Self::GPD,
        Self::CH,
        Self::DP,
        Self::R1,
        Self::R2,
        Self::R3,
        Self::R4,
        Self::VS,
        Self::GR,
        Self::VT,
        Self::OV,
        Self::BE,
        Self::TF,
        Self::CT,
        Self::NU,
        Self::UZ,
        Self::EP,
        Self::MX,
    ];

    /// On the two-parameter curve of `first`, the point where `second` happens as well: `LP+VT`.
    pub fn codimension_two(first: Self, second: Self) -> Self {
        let at = |label| {
            Self::ALL
                .iter()
                .position(|l| *l == label)
                .and_then(|i| u8::try_from(i).ok())
        };
        match (at(first), at(second)) {
            (Some(first), Some(second)) => Self::CodimensionTwo(CodimensionTwo { first, second }),
            _ => second,
        }
    }
    /// The label with this code.
    pub fn parse(code: &str) -> Option<Self> {
        match code.split_once('+') {
            Some((a, b)) => Some(Self::codimension_two(Self::parse(a)?, Self::parse(b)?)),
            None => Self::ALL.into_iter().find(|l| l.code() == code),
        }
    }
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
            Self::GPD => "GPD",
            Self::CH => "CH",
            Self::DP => "DP",
            Self::R1 => "R1",
            Self::R2 => "R2",
            Self::R3 => "R3",
            Self::R4 => "R4",
            Self::VS => "VS",
            Self::GR => "GR",
            Self::VT => "VT",
            Self::OV => "OV",
            Self::BE => "BE",
            Self::TF => "TF",
            Self::CT => "CT",
            Self::NU => "NU",
            Self::UZ => "UZ",
            Self::EP => "EP",
            Self::MX => "MX",
            Self::CodimensionTwo(m) => &CODIMENSION_TWO[m.index()].0,
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
            Self::GPD => "generalised period doubling",
            Self::CH => "Chenciner",
            Self::DP => "degenerate pitchfork or transcritical point",
            Self::R1 => "resonance 1:1",
            Self::R2 => "resonance 1:2",
            Self::R3 => "resonance 1:3",
            Self::R4 => "resonance 1:4",
            Self::VS => "vanishing segment",
            Self::GR => "grazing",
            Self::VT => "visible tangency",
            Self::OV => "stick force reaches its limit",
            Self::BE => "boundary equilibrium",
            Self::TF => "two-fold",
            Self::CT => "cubic tangency",
            Self::NU => "forward non-uniqueness",
            Self::UZ => "user level",
            Self::EP => "end of range",
            Self::MX => "no convergence",
            Self::CodimensionTwo(m) => &CODIMENSION_TWO[m.index()].1,
        }
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_read_back() {
        for a in Label::ALL {
            assert_eq!(Label::parse(a.code()), Some(a));
            for b in Label::ALL {
                let codimension_two = Label::codimension_two(a, b);
                assert_eq!(codimension_two.code(), format!("{a}+{b}"));
                assert_eq!(Label::parse(codimension_two.code()), Some(codimension_two));
            }
        }
        assert_eq!(Label::parse("LP+XX"), None);
        assert_eq!(
            Label::codimension_two(Label::LP, Label::VT).meaning(),
            "fold and visible tangency"
        );
    }
}
