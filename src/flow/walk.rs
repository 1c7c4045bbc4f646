//! Walks along the windows of a path: crossings, touchings, extremes. Pure polynomial work; the results are brackets and candidates that
//! the caller polishes on the exact solution.

use super::polynomial::{derivative, sign_changes, spread, value};
use super::window::Window;
use smallvec::SmallVec;

/// What a walk found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Find {
    /// sign·h is negative at `before` and positive at `after`, with one crossing in between.
    Crossing {
        /// A time before the crossing.
        before: f64,
        /// A time after it.
        after: f64,
    },
    /// sign·h comes up to zero at `t`, within rounding, and turns back.
    Touch {
        /// The time.
        t: f64,
    },
}

/// A walk that looks for sign·h going from negative to positive.
///
/// It is armed once sign·h was negative beyond rounding; so a path that starts on the surface does not report its start.
#[derive(Clone, Debug)]
pub(crate) struct CrossingWalk {
    sign: f64,
    /// The last time at which sign·h was surely negative.
    armed: Option<f64>,
    /// Since then: the extremum nearest to zero, within rounding of it.
    touch: Option<f64>,
    /// Where the path last stood, and whether that was within rounding of zero.
    end: Option<(f64, bool)>,
}

impl CrossingWalk {
    pub(crate) fn new(sign: f64) -> Self {
        Self {
            sign,
            armed: None,
            touch: None,
            end: None,
        }
    }
    /// Walk through a window.
    pub(crate) fn feed(&mut self, w: &Window, found: &mut SmallVec<[Find; 4]>) {
        let q = &w.q;
        if q[0].abs() - spread(q) > w.delta {
            // No zero anywhere in the window.
            self.step(w.time(w.last), q[0] * self.sign, w.delta, false, found);
            if q[0] * self.sign < 0.0 {
                self.armed = Some(w.time(w.last));
            }
            return;
        }
        let tolerance = w.delta;
        self.step(w.time(-1.0), value(q, -1.0) * self.sign, tolerance, false, found);
        for s in sign_changes(&derivative(q), -1.0, w.last) {
            self.step(w.time(s), value(q, s) * self.sign, tolerance, true, found);
        }
        self.step(w.time(w.last), value(q, w.last) * self.sign, tolerance, false, found);
    }
    /// The path is over: a zero at its very end, come from below, counts.
    pub(crate) fn finish(&mut self, found: &mut SmallVec<[Find; 4]>) {
        if let (Some(before), Some((t, true))) = (self.armed, self.end)
            && self.touch != Some(t)
        {
            found.push(Find::Crossing { before, after: t });
            self.armed = None;
        } else if let (Some(_), Some(t)) = (self.armed, self.touch) {
            found.push(Find::Touch { t });
        }
    }
    fn step(&mut self, t: f64, v: f64, tolerance: f64, extremum: bool, found: &mut SmallVec<[Find; 4]>) {
        self.end = Some((t, v.abs() <= tolerance));
        if v < -tolerance {
            if let (Some(_), Some(touch)) = (self.armed, self.touch) {
                found.push(Find::Touch { t: touch });
            }
            self.armed = Some(t);
            self.touch = None;
        } else if v > tolerance {
            if let Some(before) = self.armed.take() {
                found.push(Find::Crossing { before, after: t });
            }
            self.touch = None;
        } else if extremum && self.armed.is_some() {
            self.touch = Some(t);
        }
    }
}

/// A walk that collects local minima of sign·h inside the path.
#[derive(Clone, Debug)]
pub(crate) struct MinimumWalk {
    sign: f64,
    /// The slope at the end of the window before, and the time.
    slope: Option<f64>,
    /// The lowest local minimum: time and value.
    pub(crate) best: Option<(f64, f64)>,
}

impl MinimumWalk {
    pub(crate) fn new(sign: f64) -> Self {
        Self {
            sign,
            slope: None,
            best: None,
        }
    }
    /// Offer a candidate.
    pub(crate) fn offer(&mut self, t: f64, v: f64) {
        if self.best.is_none_or(|(_, b)| v < b) {
            self.best = Some((t, v));
        }
    }
    /// Walk through a window.
    pub(crate) fn feed(&mut self, w: &Window) {
        let d = derivative(&w.q);
        let (first, last) = (value(&d, -1.0) * self.sign, value(&d, w.last) * self.sign);
        if self.slope.is_some_and(|before| before < 0.0 && first >= 0.0) {
            self.offer(w.time(-1.0), value(&w.q, -1.0) * self.sign);
        }
        self.slope = Some(last);
        let lowest = w.q[0] * self.sign - spread(&w.q);
        if self.best.is_some_and(|(_, b)| lowest > b) {
            return;
        }
        let mut before = -1.0;
        for s in sign_changes(&d, -1.0, w.last) {
            if value(&d, 0.5 * (before + s)) * self.sign < 0.0 {
                self.offer(w.time(s), value(&w.q, s) * self.sign);
            }
            before = s;
        }
    }
}
