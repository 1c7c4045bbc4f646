//! The monitors that a system has of its own, as read on the orbits of a word.

use crate::quadrature::Piecewise;
use crate::word::Word;
use slipstick_numerics::scalar::Scalar;
use slipstick_system::{Formula, Measure, Place, Quantity, SharedFunction, System};

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
                by_mode: vec![],
                turn: None,
            },
            Measure::At(place, of) => Self {
                spot: spot(system, word, place),
                by_mode: modes().map(|mode| both(system, word, of, mode)).collect(),
                turn: match of {
                    Quantity::State(state) => system.states[*state].period,
                    _ => None,
                },
            },
            Measure::Over(_, of) => Self {
                spot: None,
                by_mode: modes().map(|mode| both(system, word, of, mode)).collect(),
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

/// The first spot of the orbit that is such a place.
fn spot(system: &System, word: &Word, place: &Place) -> Option<Spot> {
    let symmetry = system.symmetry.as_ref().filter(|_| word.symmetric);
    let halves = [Some(None), symmetry.map(Some)].into_iter().flatten();
    let letters = &word.letters;
    for symmetry in halves {
        let image = |mode: usize| symmetry.map_or(mode, |s| s.modes[mode]);
        let found = match place {
            Place::Start => Some(0),
            Place::Entry(modes) => letters.iter().position(|l| modes.contains(&image(l.mode))),
            Place::Event(events) => letters.iter().position(|l| {
                let own = l.event.and_then(|e| match symmetry {
                    Some(_) => system.mirrored_event(l.mode, e),
                    None => Some(e),
                });
                own.is_some_and(|e| events.contains(&(image(l.mode), e)))
            }),
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
