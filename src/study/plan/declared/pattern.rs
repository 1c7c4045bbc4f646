//! On which side of each surface a mode is.

/// The side of one surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Side {
    /// Where the switching function is positive.
    Plus,
    /// Where it is negative.
    Minus,
    /// On the surface.
    On,
}

impl Side {
    /// As it is written in a study.
    pub(crate) fn letter(self) -> char {
        match self {
            Self::Plus => '+',
            Self::Minus => '-',
            Self::On => '0',
        }
    }

    /// The side written like this.
    pub(crate) fn of(letter: char) -> Option<Self> {
        [Self::Plus, Self::Minus, Self::On]
            .into_iter()
            .find(|side| side.letter() == letter)
    }

    /// The other side; the surface itself has none.
    pub(crate) fn opposite(self) -> Self {
        match self {
            Self::Plus => Self::Minus,
            Self::Minus => Self::Plus,
            Self::On => Self::On,
        }
    }

    /// The value of the sign there.
    pub(crate) fn sign(self) -> f64 {
        match self {
            Self::Plus => 1.0,
            Self::Minus => -1.0,
            Self::On => 0.0,
        }
    }
}

/// The sides of all surfaces.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Pattern(pub(crate) Vec<Side>);

impl Pattern {
    /// All patterns of so many surfaces on at most `on` of which the motion stays; those off all surfaces first.
    pub(crate) fn all(surfaces: usize, on: usize) -> Vec<Self> {
        let mut all = vec![Self(vec![])];
        for _ in 0..surfaces {
            let sides = [Side::Plus, Side::Minus, Side::On];
            all = all
                .iter()
                .flat_map(|p| sides.map(|side| Self(p.0.iter().copied().chain([side]).collect())))
                .collect();
        }
        all.retain(|p| p.on().count() <= on);
        all.sort_by_key(|p| p.on().count());
        all
    }

    /// The surfaces on which the motion stays.
    pub(crate) fn on(&self) -> impl Iterator<Item = usize> {
        let sides = self.0.iter().enumerate();
        sides.filter(|(_, side)| **side == Side::On).map(|(i, _)| i)
    }

    /// The same with another side of one surface.
    pub(crate) fn with(&self, surface: usize, side: Side) -> Self {
        let mut other = self.clone();
        other.0[surface] = side;
        other
    }

    /// As it is written in a study.
    pub(crate) fn text(&self) -> String {
        self.0.iter().map(|side| side.letter()).collect()
    }

    /// The pattern written like this, of so many surfaces.
    pub(crate) fn parse(text: &str, surfaces: usize) -> Option<Self> {
        let sides: Vec<Side> = text.chars().map(Side::of).collect::<Option<_>>()?;
        (sides.len() == surfaces).then_some(Self(sides))
    }
}
