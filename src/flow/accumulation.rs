//! Where events that accumulate come to an end.
//!
//! Times between the last events of a kind fall by a factor that tends to a constant, and so do the changes of the
//! states: their sums are those of geometric series.

use super::trajectory::Segment;
use slipstick_system::System;

/// The limit of events of one kind that accumulate.
pub(super) struct Limit {
    /// When.
    pub(super) t: f64,
    /// The states there, absent ones filled in.
    pub(super) state: Vec<f64>,
}

/// The limit that the events accumulate to of which the last one ends the last of these segments; none where those of
/// its kind do not follow one another faster and faster.
pub(super) fn limit(system: &System, segments: &[Segment], p: &[f64]) -> Option<Limit> {
    // Motions too slow to leave a surface meet it again at once.
    let lasts = |s: &&Segment| s.duration > 0.0;
    let last = segments.iter().rev().find(lasts)?;
    let same = |s: &&Segment| lasts(s) && (s.mode, s.event) == (last.mode, last.event);
    let mut before = segments.iter().rev().filter(same);
    let mut at = || before.next().map(|s| (s.t0 + s.duration, s));
    let ((t, c), (earlier, b), (first, _)) = (at()?, at()?, at()?);
    let ratio = (t - earlier) / (earlier - first);
    if !(ratio > 0.0 && ratio < 1.0) {
        return None;
    }
    let rest = ratio / (1.0 - ratio);
    let [b, c] = [b, c].map(|s| system.full_state(s.mode, &s.end, p));
    Some(Limit {
        t: t + (t - earlier) * rest,
        state: b.iter().zip(&c).map(|(b, c)| c + (c - b) * rest).collect(),
    })
}

impl Limit {
    /// Time and states in words; states that have come to zero are zero.
    pub(super) fn in_words(&self, system: &System, segments: &[Segment], p: &[f64]) -> String {
        /// Of the largest value on the way this is zero.
        const ZERO: f64 = 1e-9;
        let mut largest = vec![0.0f64; self.state.len()];
        for s in segments {
            for x in [&s.start, &s.end] {
                let full = system.full_state(s.mode, x, p);
                largest.iter_mut().zip(&full).for_each(|(m, v)| *m = m.max(v.abs()));
            }
        }
        /// Digits behind the first one.
        const DIGITS: usize = 11;
        let short = |v: f64| format!("{v:.DIGITS$e}").parse::<f64>().map_or(v, |short| short + 0.0);
        let of = |i: usize| {
            let state = &system.states[i];
            let value = match state.period {
                Some(period) => self.state[i].rem_euclid(period),
                None if self.state[i].abs() <= ZERO * largest[i] => 0.0,
                None => self.state[i] * system.units.state(i),
            };
            format!("{} = {}", state.name, short(value))
        };
        let states: Vec<String> = (0..self.state.len()).map(of).collect();
        format!("t = {}, {}", short(self.t * system.units.time), states.join(", "))
    }
}
