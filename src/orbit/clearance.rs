//! Guards and inequalities that must keep their sign along a segment, and what keeps their events from happening.

use slipstick_system::SharedFunction;

/// What keeps the events of a surface from happening.
#[derive(Default)]
pub(crate) struct Openings {
    /// For each event of the surface its side conditions; none if one of the events has none.
    conditions: Vec<Vec<SharedFunction>>,
    always: bool,
}

impl Openings {
    /// One more event of the surface, with its side conditions.
    pub(super) fn add(&mut self, conditions: Vec<SharedFunction>) {
        self.always |= conditions.is_empty();
        self.conditions.push(conditions);
    }

    /// Is an event of the surface possible wherever it is met, as far as is known without looking?
    pub(super) fn always(&self) -> bool {
        self.always || self.conditions.is_empty()
    }

    /// Are they those of events, rather than of an inequality of a mode?
    pub(super) fn of_events(&self) -> bool {
        !self.conditions.is_empty()
    }

    /// Positive where an event is possible: the largest, over the events, of the smallest of their conditions.
    pub(super) fn at(&self, x: &[f64], p: &[f64]) -> f64 {
        let value = |f: &SharedFunction| {
            let mut v = [0.0];
            f.value(x, p, &mut v);
            v[0]
        };
        let weakest = |all: &Vec<SharedFunction>| all.iter().map(value).fold(f64::INFINITY, f64::min);
        self.conditions.iter().map(weakest).fold(f64::NEG_INFINITY, f64::max)
    }
}

/// A guard or inequality that must keep its sign along a segment.
pub(crate) struct Clearance {
    pub(crate) function: SharedFunction,
    /// The value of `sign · function` must stay positive inside the segment.
    pub(crate) sign: f64,
    /// May the segment end on this surface?
    pub(crate) ends_here: bool,
    /// Where its events are possible.
    pub(crate) openings: Openings,
}
