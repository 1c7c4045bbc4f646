//! Walks along the windows of a path: crossings, touchings, extremes. Pure polynomial work; the results are brackets
//! and candidates that the caller polishes on the exact solution.

use super::taylor_piece::TaylorPiece;
use slipstick_numerics::roots::polynomial::{Polynomial, bracketed, derivative, sign_changes, spread, value};
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
        /// Where the window's polynomial crosses.
        guess: f64,
    },
    /// sign·h comes up to zero at `t`, within rounding, and turns back.
    Touch {
        /// The time.
        t: f64,
    },
}

/// A walk that looks for sign·h going from negative to positive.
///
/// It is armed once sign·h was negative beyond rounding; so a path that starts on the surface does not report its
/// start.
#[derive(Clone, Debug)]
pub(crate) struct CrossingScan {
    sign: f64,
    /// The next point visited is the start, which lies on the surface.
    on_surface: bool,
    /// Up to this far beyond the surface the path still counts as at its start.
    leeway: f64,
    /// The last time at which sign·h was surely negative.
    armed: Option<f64>,
    /// Since then: the extremum nearest to zero, within rounding of it.
    touch: Option<f64>,
    /// Where the path last stood, and whether that was within rounding of zero.
    end: Option<(f64, bool)>,
    /// Since the last sure sign: where the window's polynomial changed sign.
    guess: Option<f64>,
    /// The first sure sign was positive: the path starts beyond the surface, or starts on it and leaves at once.
    pub(crate) beyond: bool,
    /// A sure sign was met.
    decided: bool,
}

impl CrossingScan {
    pub(crate) fn new(sign: f64) -> Self {
        Self {
            sign,
            on_surface: false,
            leeway: 0.0,
            armed: None,
            touch: None,
            end: None,
            guess: None,
            beyond: false,
            decided: false,
        }
    }
    /// A walk that starts on the surface, whatever rounding says, and may be beyond it by `leeway` at first.
    pub(crate) fn from_surface(sign: f64, leeway: f64) -> Self {
        Self {
            on_surface: true,
            leeway,
            ..Self::new(sign)
        }
    }
    /// Walk through a window.
    pub(crate) fn feed(&mut self, w: &TaylorPiece, found: &mut SmallVec<[Find; 4]>) {
        let q = &w.q;
        if q[0].abs() - spread(q) > w.delta {
            // No zero anywhere in the window.
            self.step(w.time(w.last), q[0] * self.sign, w.delta, false, found);
            return;
        }
        let (mut s0, mut v0) = (-1.0, value(q, -1.0));
        self.step(w.time(s0), v0 * self.sign, w.delta, false, found);
        let turns = sign_changes(&derivative(q), -1.0, w.last);
        for (k, &s) in turns.iter().chain([&w.last]).enumerate() {
            let v = value(q, s);
            if v0 * v < 0.0 && v0 * self.sign < 0.0 {
                self.guess = Some(w.time(bracketed(q, s0, s, v0, v)));
            }
            self.step(w.time(s), v * self.sign, w.delta, k < turns.len(), found);
            (s0, v0) = (s, v);
        }
    }
    /// The path is over: a zero at its very end, come from below, counts.
    pub(crate) fn finish(&mut self, found: &mut SmallVec<[Find; 4]>) {
        if let (Some(before), Some((t, true))) = (self.armed, self.end)
            && self.touch != Some(t)
        {
            found.push(Find::Crossing {
                before,
                after: t,
                guess: self.guess.unwrap_or(t),
            });
            self.armed = None;
        } else if let (Some(_), Some(t)) = (self.armed, self.touch) {
            found.push(Find::Touch { t });
        }
    }
    fn step(&mut self, t: f64, v: f64, tolerance: f64, extremum: bool, found: &mut SmallVec<[Find; 4]>) {
        let v = if std::mem::take(&mut self.on_surface) { 0.0 } else { v };
        self.end = Some((t, v.abs() <= tolerance));
        if !self.decided && (v < -tolerance || v > tolerance.max(self.leeway)) {
            self.decided = true;
            self.beyond = v > 0.0;
        }
        if v < -tolerance {
            if let (Some(_), Some(touch)) = (self.armed, self.touch) {
                found.push(Find::Touch { t: touch });
            }
            self.armed = Some(t);
            self.touch = None;
            self.guess = None;
        } else if v > tolerance {
            if let Some(before) = self.armed.take() {
                let guess = self.guess.take().unwrap_or(0.5 * (before + t));
                found.push(Find::Crossing {
                    before,
                    after: t,
                    guess,
                });
            }
            self.touch = None;
        } else if extremum && self.armed.is_some() {
            self.touch = Some(t);
        }
    }
}

/// The slope with which a window, of which `d` is the derivative, goes from or to its `end`. Where it turns right there
/// rounding decides what it is, and it may be zero: then that a little inside, towards the `other` end.
fn slope_at_end(d: &Polynomial, end: f64, other: f64) -> f64 {
    /// Less than this part of what it is made of is rounding, of polynomials of high degree through given values.
    const ROUNDING: f64 = 1e-9;
    const INSIDE: f64 = 1e-4;
    let slope = value(d, end);
    if slope.abs() > ROUNDING * (d[0].abs() + spread(d)) {
        return slope;
    }
    value(d, end + INSIDE * (other - end))
}

/// A walk that collects local minima of sign·h inside the path, or minima and maxima.
#[derive(Clone, Debug)]
pub(crate) struct ExtremeScan {
    /// Signs of h of which the minimum is sought: one, or both.
    pub(crate) signs: SmallVec<[f64; 2]>,
    /// The slope at the end of the window before.
    slope: f64,
    /// Do the ends of the path count?
    ends: bool,
    /// While the path has not left the surface it starts on: how far it must go. A tangential start turns there within
    /// rounding.
    leaving: Option<f64>,
    /// Where the path ends on the surface: from what time on, and how near to it, a turn belongs to the end.
    arriving: Option<(f64, f64)>,
    /// For each sign the lowest minimum: time and value of sign·h.
    pub(crate) best: SmallVec<[Option<(f64, f64)>; 2]>,
}

impl ExtremeScan {
    pub(crate) fn new(signs: &[f64], ends: bool) -> Self {
        Self {
            signs: SmallVec::from_slice(signs),
            slope: 0.0,
            ends,
            leaving: None,
            arriving: None,
            best: SmallVec::from_elem(None, signs.len()),
        }
    }
    /// The path starts on the surface: turns before |h| exceeds `distance` belong to the start.
    pub(crate) fn starts_on_surface(&mut self, distance: f64) {
        self.leaving = Some(distance);
    }
    /// The path ends on the surface: turns from time `from` on with |h| up to `distance` belong to the end. A
    /// tangential end turns there within rounding.
    pub(crate) fn ends_on_surface(&mut self, from: f64, distance: f64) {
        self.arriving = Some((from, distance));
    }
    fn passes(&mut self, v: f64) -> bool {
        if self.leaving.is_some_and(|distance| v.abs() > distance) {
            self.leaving = None;
        }
        self.leaving.is_none()
    }
    /// Offer the value `v` of h at `t` to the search number `k`.
    pub(crate) fn offer(&mut self, k: usize, t: f64, v: f64) {
        let v = v * self.signs[k];
        if self.best[k].is_none_or(|(_, b)| v < b) {
            self.best[k] = Some((t, v));
        }
    }
    /// Walk through a window.
    pub(crate) fn feed(&mut self, w: &TaylorPiece) {
        if self.ends {
            // Seams are points of the path like any other.
            for k in 0..self.signs.len() {
                self.offer(k, w.time(-1.0), value(&w.q, -1.0));
                self.offer(k, w.time(w.last), value(&w.q, w.last));
            }
        }
        let d = derivative(&w.q);
        if self.slope * slope_at_end(&d, -1.0, w.last) < 0.0 {
            // A turn right on the seam between two windows.
            self.turn(w, -1.0, self.slope);
        }
        self.slope = slope_at_end(&d, w.last, -1.0);
        let reach = spread(&w.q);
        let hopeless = |k: usize| self.best[k].is_some_and(|(_, b)| w.q[0] * self.signs[k] - reach > b);
        if !(0..self.signs.len()).all(hopeless) {
            let mut before = -1.0;
            for s in sign_changes(&d, -1.0, w.last) {
                self.turn(w, s, value(&d, 0.5 * (before + s)));
                before = s;
            }
        }
        self.passes(value(&w.q, w.last));
    }
    /// h turns at `s`, where its slope was `slope` before.
    fn turn(&mut self, w: &TaylorPiece, s: f64, slope: f64) {
        let (t, v) = (w.time(s), value(&w.q, s));
        let belongs_to_the_end = self
            .arriving
            .is_some_and(|(from, distance)| t >= from && v.abs() <= distance);
        if !self.passes(v) || belongs_to_the_end {
            return;
        }
        for k in 0..self.signs.len() {
            if slope * self.signs[k] < 0.0 {
                self.offer(k, t, v);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use slipstick_numerics::roots::polynomial::TERMS;

    /// The greatest value of a parabola right on the seam of two windows, with slopes there of zero or of rounding.
    #[test]
    fn turns_on_seams_are_found() {
        for noise in [
            [0.0, 0.0],
            [2e-16, 2e-16],
            [-2e-16, -2e-16],
            [2e-16, -2e-16],
            [-2e-16, 2e-16],
        ] {
            let mut scan = ExtremeScan::new(&[-1.0], false);
            for (centre, noise) in [-0.5, 0.5].into_iter().zip(noise) {
                let mut q = [0.0; TERMS];
                q[..3].copy_from_slice(&[-0.25, -centre + noise, -0.25]);
                scan.feed(&TaylorPiece {
                    centre,
                    half: 0.5,
                    q,
                    delta: 1e-15,
                    last: 1.0,
                });
            }
            let found = scan.best[0];
            assert!(
                found.is_some_and(|(t, v)| t.abs() < 1e-12 && v.abs() < 1e-15),
                "{noise:?}: {found:?}"
            );
        }
    }
}
