//! Where events that accumulate come to an end.
//!
//! Times between the last events of a kind fall by a factor that tends to a constant, and so do the changes of the
//! states: their sums are those of geometric series.

use super::event_effect::rate;
use super::trajectory::Segment;
use slipstick_system::{Event, Function, System, jacobian};
use std::collections::VecDeque;

/// The last events of a motion: do they come ever faster?
#[derive(Default)]
pub(super) struct Chain {
    last: Option<f64>,
    /// The times between them.
    between: VecDeque<f64>,
    /// The event of its mode that was met last, after a way from its surface too short to be resolved.
    shallow: Option<(usize, usize)>,
    /// Was it met from the side that it leads to, or no time after itself?
    impossible: bool,
}

/// Where a motion is after an event that it met without having left the surface, as far as that can be resolved.
pub(super) enum Place {
    /// On the surface.
    On,
    /// Beyond the surface of this event, where it cannot be: it meets it again and again at once.
    Beyond(String),
    /// Elsewhere, or there was no such event.
    Off,
}

impl Chain {
    /// So many times between events are compared with as many before.
    const FEW: usize = 2;
    const MORE: usize = 4;

    /// The event that ends a segment.
    pub(super) fn event(&mut self, system: &System, segment: &Segment, t: f64, p: &[f64]) {
        /// A guard that changes by less on the way cannot be resolved.
        const SHALLOW: f64 = 1e-9;
        if let Some(last) = self.last.replace(t) {
            self.between.push_back(t - last);
        }
        if self.between.len() > 2 * Self::MORE {
            self.between.pop_front();
        }
        let before = self.shallow.take();
        self.impossible = false;
        let (Some(event), Some(time), true) = (segment.event, self.between.back(), self.shrinks()) else {
            return;
        };
        let mode = &system.modes[segment.mode];
        let rate = rate(&*mode.field, &*mode.events[event].guard, &segment.end, p);
        if rate.abs() * time <= SHALLOW {
            let own = (segment.mode, event);
            let outwards = mode.events[event].direction.sign() * rate;
            self.impossible = before == Some(own) && (*time == 0.0 || outwards < 0.0);
            self.shallow = Some(own);
        }
    }

    /// Where a state of a mode is.
    pub(super) fn place(&self, system: &System, (mode, x): (usize, &[f64]), p: &[f64]) -> Place {
        /// A guard is zero up to this part of its terms, and of one.
        const ROUNDING: f64 = 1e-14;
        let Some((own, event)) = self.shallow.filter(|(own, _)| *own == mode) else {
            return Place::Off;
        };
        let event = &system.modes[own].events[event];
        let (mut guard, mut gradient) = ([0.0], vec![0.0; x.len()]);
        jacobian(event.guard.as_ref(), x, p, &[], &mut guard, &mut gradient, &mut []);
        let terms: f64 = gradient.iter().zip(x).map(|(g, x)| (g * x).abs()).sum();
        let zero = ROUNDING * (1.0 + terms);
        match event.direction.sign() * guard[0] {
            beyond if self.impossible || beyond > zero => Place::Beyond(event.name.clone()),
            beyond if beyond < -zero => Place::Off,
            _ => Place::On,
        }
    }

    /// The longest of the last times.
    pub(super) fn longest(&self) -> f64 {
        self.between.iter().copied().fold(0.0, f64::max)
    }

    /// Are the last few times shorter than those before?
    pub(super) fn shrinks(&self) -> bool {
        self.falls(Self::FEW).unwrap_or(false)
    }

    /// The same of some more, as far as there are so many.
    pub(super) fn goes_on(&self) -> bool {
        self.falls(Self::MORE).unwrap_or(true)
    }

    fn falls(&self, count: usize) -> Option<bool> {
        /// A time that is shorter by less is not.
        const SHORTER: f64 = 0.999;
        let first = self.between.len().checked_sub(2 * count)?;
        let longest = |from: usize| self.between.range(from..from + count).copied().fold(0.0, f64::max);
        let (before, after) = (longest(first), longest(first + count));
        Some(before == 0.0 || after <= SHORTER * before)
    }
}

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
    /// The mode that holds the motion there, with its states at a time shortly before: one on more surfaces than the
    /// modes between which the motion has gone to and fro, as that on the intersection of two surfaces around which it
    /// has turned. None where events change states, as impacts do.
    pub(super) fn holding(
        &self,
        system: &System,
        segments: &[Segment],
        t: f64,
        p: &[f64],
    ) -> Option<(usize, Vec<f64>)> {
        /// So many events are looked at.
        const LAST: usize = 8;
        /// States lie where a mode has them by this part of their last changes.
        const NEAR: f64 = 1e-3;
        const ROUNDING: f64 = 1e-12;
        let last = &segments[segments.len().saturating_sub(LAST)..];
        let is_plain = |s: &Segment| s.event.is_some_and(|e| system.modes[s.mode].events[e].reset.is_none());
        let first = last.first().filter(|_| last.iter().all(is_plain))?;
        let before = system.full_state(first.mode, &first.start, p);
        let most = last.iter().map(|s| system.kept(s.mode)).max()?;
        let holds = |mode: &usize| {
            let own = &system.modes[*mode];
            let x = system.own_states(*mode, &self.state);
            let earlier = system.own_states(*mode, &before);
            let there = system.full_state(*mode, &x, p);
            let mut fits = there.iter().zip(&self.state).zip(&before);
            let value = |guard: &dyn Function, x: &[f64]| {
                let mut value = [0.0];
                guard.value(x, p, &mut value);
                value[0]
            };
            // Not on a border either, which all guards of the surfaces are zero on.
            let clear = |event: &Event| {
                let [now, then] = [&x, &earlier].map(|x| value(&*event.guard, x));
                event.direction.sign() * now < -(then - now).abs()
            };
            fits.all(|((there, x), before)| (there - x).abs() <= NEAR * (before - x).abs() + ROUNDING * (1.0 + x.abs()))
                && own.events.iter().all(clear)
                && system.is_inside(*mode, &x, p)
        };
        let all = 0..system.modes.len();
        let modes = all.filter(|mode| system.kept(*mode) > most && system.outside(*mode).is_none());
        let mode = modes.filter(holds).max_by_key(|mode| system.kept(*mode))?;
        let mut x = system.own_states(mode, &self.state);
        let mut speed = vec![0.0; x.len()];
        system.modes[mode].field.value(&x, p, &mut speed);
        x.iter_mut()
            .zip(speed)
            .for_each(|(x, speed)| *x -= (self.t - t) * speed);
        Some((mode, x))
    }

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
