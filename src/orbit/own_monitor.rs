//! The monitors that a system has of its own, as read on the orbits of a word.

use crate::quadrature::Piecewise;
use crate::word::{Letter, Word};
use slipstick_numerics::scalar::Scalar;
use slipstick_system::{Formula, Measure, Place, Quantity, SharedFunction, Symmetry, System};

/// Where a quantity is read: at the start or at the end of a segment, or of its mirror image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spot {
    pub(crate) segment: usize,
    pub(crate) at_end: bool,
    pub(crate) mirrored: bool,
}

/// What the system's own monitors need, made once for a word: one entry for each of them.
pub(crate) struct OwnMonitor {
    pub(crate) spot: Option<Spot>,
    /// The ends of segments that are added up, each with what is read there.
    pub(crate) terms: Vec<(Spot, SharedFunction)>,
    /// For each mode the quantity and, of a symmetric orbit, that of the mirrored half.
    pub(crate) by_mode: Vec<(Piecewise, Option<Piecewise>)>,
    /// The period of the angle that is read.
    pub(crate) turn: Option<f64>,
}

impl OwnMonitor {
    /// Those of the system of an orbit.
    pub(crate) fn all(system: &System, word: &Word) -> Vec<Self> {
        let modes = || 0..system.modes.len();
        let of = |measure: &Measure| match measure {
            Measure::Duration(modes) => Self {
                spot: spot(system, word, &Place::Entry(modes.clone())),
                terms: vec![],
                by_mode: vec![],
                turn: None,
            },
            Measure::At(place, of) => Self {
                spot: spot(system, word, place),
                terms: vec![],
                by_mode: modes().map(|mode| both(system, word, of, mode)).collect(),
                turn: match of {
                    Quantity::State(state) => system.states[*state].period,
                    _ => None,
                },
            },
            Measure::Over(_, of) => Self {
                spot: None,
                terms: vec![],
                by_mode: modes().map(|mode| both(system, word, of, mode)).collect(),
                turn: None,
            },
            Measure::Sum(terms) => Self {
                spot: None,
                terms: terms
                    .iter()
                    .flat_map(|(events, of)| ends(system, word, events, of))
                    .collect(),
                by_mode: vec![],
                turn: None,
            },
        };
        system.monitors.iter().map(|m| of(&m.measure)).collect()
    }

    /// A value read, brought into the range of its angle if it is one.
    pub(crate) fn turned(&self, value: f64) -> f64 {
        self.turn.map_or(value, |period| crate::angles::centred(value, period))
    }

    /// The quantity on a segment in `mode`, or on its mirror image.
    pub(crate) fn function(&self, mode: usize, mirrored: bool) -> &SharedFunction {
        let (own, image) = &self.by_mode[mode];
        let piecewise = image.as_ref().filter(|_| mirrored).unwrap_or(own);
        &piecewise.function
    }

    /// What a statistic is taken of on a segment in `mode`: the quantity, and that of the mirrored half.
    pub(crate) fn halves(&self, mode: usize) -> impl Iterator<Item = &Piecewise> {
        let (own, mirrored) = &self.by_mode[mode];
        std::iter::once(own).chain(mirrored)
    }
}

/// A quantity on segments in a mode and, of a symmetric orbit, on their mirror images.
fn both(system: &System, word: &Word, of: &Quantity, mode: usize) -> (Piecewise, Option<Piecewise>) {
    let mirrored = if word.symmetric {
        system.mirrored_quantity(of, mode)
    } else {
        None
    };
    (Piecewise::new(system.quantity(of, mode)), mirrored.map(Piecewise::new))
}

/// The parts of an orbit that a word stands for: itself and, of a symmetric one, its mirror image.
fn halves<'s>(system: &'s System, word: &Word) -> impl Iterator<Item = Option<&'s Symmetry>> {
    let symmetry = system.symmetry.as_ref().filter(|_| word.symmetric);
    [Some(None), symmetry.map(Some)].into_iter().flatten()
}

/// Does a segment, or its mirror image, end with one of these events?
fn ends_with(system: &System, letter: &Letter, symmetry: Option<&Symmetry>, events: &[(usize, usize)]) -> bool {
    let own = letter.event.and_then(|event| match symmetry {
        Some(symmetry) => Some((symmetry.modes[letter.mode], system.mirrored_event(letter.mode, event)?)),
        None => Some((letter.mode, event)),
    });
    own.is_some_and(|event| events.contains(&event))
}

/// The ends of all segments that end with one of these events, with the quantity there.
fn ends(system: &System, word: &Word, events: &[(usize, usize)], of: &Quantity) -> Vec<(Spot, SharedFunction)> {
    let mut all = vec![];
    for symmetry in halves(system, word) {
        let mirrored = symmetry.is_some();
        let ending = word.letters.iter().enumerate();
        for (segment, letter) in ending.filter(|(_, letter)| ends_with(system, letter, symmetry, events)) {
            let image = mirrored.then(|| system.mirrored_quantity(of, letter.mode)).flatten();
            let function = image.unwrap_or_else(|| system.quantity(of, letter.mode));
            let at_end = true;
            all.push((
                Spot {
                    segment,
                    at_end,
                    mirrored,
                },
                function,
            ));
        }
    }
    all
}

/// The first spot of the orbit that is such a place.
fn spot(system: &System, word: &Word, place: &Place) -> Option<Spot> {
    let letters = &word.letters;
    for symmetry in halves(system, word) {
        let image = |mode: usize| symmetry.map_or(mode, |s| s.modes[mode]);
        let found = match place {
            Place::Start => Some(0),
            Place::Entry(modes) => letters.iter().position(|l| modes.contains(&image(l.mode))),
            Place::Event(events) => letters.iter().position(|l| ends_with(system, l, symmetry, events)),
        };
        if let Some(segment) = found {
            return Some(Spot {
                segment,
                at_end: matches!(place, Place::Event(_)),
                mirrored: symmetry.is_some(),
            });
        }
    }
    None
}

/// The sum of the squares of some states.
struct Squares(Vec<usize>);

impl Formula for Squares {
    fn outputs(&self) -> usize {
        1
    }
    fn eval<T: Scalar>(&self, x: &[T], _: &[T], out: &mut [T]) {
        out[0] = self.0.iter().fold(T::zero(), |sum, &i| sum + x[i] * x[i]);
    }
}

/// The sum of the squares of the states of a mode that are no angles.
pub(crate) fn squares(system: &System, mode: usize) -> Piecewise {
    Piecewise::new(std::sync::Arc::new(Squares(crate::angles::straight_states(
        system, mode,
    ))))
}
