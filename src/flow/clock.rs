//! Jumps at times that are known beforehand: those of fields and guards where what only counts time passes them, as in
//! square waves, saw teeth and set points that change with the hour.

use super::scan::{CrossingScan, Find};
use super::taylor_piece::{Noise, interpolate};
use slipstick_numerics::roots::bracketed_root;
use slipstick_system::{Direction, Mode, SharedFunction, System, jacobian};
use smallvec::SmallVec;
use std::convert::Infallible;
use std::sync::Arc;

/// The jumps of a mode that its clocks decide: the states that grow at a constant rate whatever the others do.
pub(super) struct Clock {
    mode: Mode,
    /// Scalars of which one changes sign at each jump; each is smooth between the zeros of those before it.
    surfaces: Vec<SharedFunction>,
}

/// The jumps ahead of a motion, one after the other.
#[derive(Clone)]
pub(super) struct Ahead<'c> {
    surfaces: &'c [SharedFunction],
    rates: Vec<f64>,
    p: Vec<f64>,
    start: Vec<f64>,
    from: f64,
    end: f64,
    /// How long before and after a jump its sides can be told apart.
    aside: f64,
}

/// A jump ahead.
#[derive(Clone, Copy, Debug)]
pub(super) struct Jump {
    pub(super) surface: usize,
    /// So long it is until shortly before the jump, where the field is one formula,
    pub(super) before: f64,
    /// and so long from there until shortly behind it.
    pub(super) over: f64,
}

impl Clock {
    /// That of a mode, if it has one that decides jumps of its field or of its guards.
    pub(super) fn of(system: &System, mode: usize, with_guards: bool) -> Option<Self> {
        let m = &system.modes[mode];
        let guards = m.events.iter().map(|event| &event.guard).filter(|_| with_guards);
        let corners: Vec<_> = [&m.field]
            .into_iter()
            .chain(guards)
            .filter_map(|f| f.corners())
            .collect();
        if !corners.iter().any(|c| c.has_sides()) {
            return None;
        }
        let rates = constant_rates(m, &system.default_parameters());
        let surfaces = corners.into_iter().flat_map(|c| c.surfaces_by(|i| rates[i] != 0.0));
        let surfaces: Vec<SharedFunction> = surfaces.map(|s| Arc::new(s) as SharedFunction).collect();
        (!surfaces.is_empty()).then(|| Self {
            mode: m.clone(),
            surfaces,
        })
    }

    /// A scalar that changes sign at a jump.
    pub(super) fn surface(&self, jump: &Jump) -> &SharedFunction {
        &self.surfaces[jump.surface]
    }

    /// A state with its clocks moved by so much time.
    pub(super) fn moved(&self, x: &[f64], time: f64, p: &[f64]) -> Vec<f64> {
        let moved = x.iter().zip(constant_rates(&self.mode, p));
        moved.map(|(x, rate)| x + rate * time).collect()
    }

    /// The jumps ahead of `x` within a time.
    pub(super) fn ahead(&self, x: &[f64], time: f64, p: &[f64]) -> Ahead<'_> {
        let rates = constant_rates(&self.mode, p);
        let aside = aside(x, &rates);
        Ahead {
            surfaces: &self.surfaces,
            rates,
            p: p.to_vec(),
            start: x.to_vec(),
            from: 0.0,
            end: time,
            aside,
        }
    }
}

impl Ahead<'_> {
    /// How long before and after a jump its sides can be told apart.
    pub(super) fn aside(&self) -> f64 {
        self.aside
    }

    /// The start lies on a jump, or shortly before it: the time at which the motion is behind it, from where on jumps
    /// are ahead.
    pub(super) fn leave_start(&mut self, near: f64) -> f64 {
        let mut next = self.clone();
        let jump = next.next().filter(|jump| jump.before + self.aside <= near);
        self.from = jump.map_or(2.0 * self.aside, |jump| jump.before + jump.over);
        self.from
    }

    /// Is there none after the last one that was found?
    pub(super) fn was_last(&self) -> bool {
        self.clone().next().is_none()
    }

    /// Look a little further, so that a jump at the end itself is found.
    pub(super) fn reach_beyond_end(&mut self) {
        self.end += 2.0 * self.aside;
    }

    /// The states of the clocks at a time, the others as they were.
    fn at(&self, t: f64) -> SmallVec<[f64; 8]> {
        let moved = self.start.iter().zip(&self.rates);
        moved.map(|(x, rate)| x + rate * t).collect()
    }

    fn value(&self, surface: usize, t: f64) -> f64 {
        let mut v = [0.0];
        self.surfaces[surface].value(&self.at(t), &self.p, &mut v);
        v[0]
    }

    /// The next one, if there is another.
    pub(super) fn next(&mut self) -> Option<Jump> {
        let (from, aside) = (self.from, self.aside);
        let mut next: Option<Jump> = None;
        for surface in 0..self.surfaces.len() {
            let to = next.map_or(self.end, |jump| from + jump.before);
            let found = self.zero(surface, from, to);
            if let Some(at) = found.filter(|at| *at > from + 2.0 * aside && at - aside < to) {
                next = Some(Jump {
                    surface,
                    before: at - aside - from,
                    over: 2.0 * aside,
                });
            }
        }
        self.from = next.map_or(self.end, |jump| from + jump.before + jump.over);
        next
    }

    /// The first change of sign of a surface between two times.
    fn zero(&self, surface: usize, from: f64, to: f64) -> Option<f64> {
        /// Windows are this part of the time in which the fastest clock counts one, but there are at most so many.
        const PART: f64 = 0.5;
        const MOST: f64 = 1e5;
        let fastest = self.rates.iter().fold(0.0, |most: f64, rate| most.max(rate.abs()));
        let count = ((to - from) * fastest / PART).ceil().clamp(1.0, MOST);
        let mut scans = [Direction::Up, Direction::Down].map(|direction| CrossingScan::new(direction.sign()));
        let mut found: SmallVec<[Find; 4]> = SmallVec::new();
        let noise = Noise {
            relative: 4.0 * f64::EPSILON,
            absolute: 4.0 * f64::EPSILON,
        };
        for k in 0..count as usize {
            let at = |k: usize| from + (to - from) * k as f64 / count;
            interpolate(&mut |t| self.value(surface, t), at(k), at(k + 1), noise, &mut |w| {
                scans.iter_mut().for_each(|scan| scan.feed(w, &mut found));
                found.is_empty()
            });
            let crossing = found.iter().find_map(|find| match *find {
                Find::Crossing { before, after, .. } => Some((before, after)),
                Find::Touch { .. } => None,
            });
            if let Some((a, b)) = crossing {
                let (va, vb) = (self.value(surface, a), self.value(surface, b));
                let root = bracketed_root(a, va, b, vb, 0.1 * self.aside, |t| {
                    Ok::<_, Infallible>(self.value(surface, t))
                });
                return root.ok();
            }
            found.clear();
        }
        None
    }

    /// The derivatives of the time of a jump by the states shortly before it and by the parameters `free`.
    pub(super) fn time_derivatives(&self, jump: &Jump, x: &[f64], free: &[usize]) -> (Vec<f64>, Vec<f64>) {
        let (mut dx, mut dp) = (vec![0.0; x.len()], vec![0.0; free.len()]);
        let surface = &*self.surfaces[jump.surface];
        jacobian(surface, x, &self.p, free, &mut [0.0], &mut dx, &mut dp);
        let rate: f64 = dx.iter().zip(&self.rates).map(|(d, r)| d * r).sum();
        dx.iter_mut().chain(&mut dp).for_each(|d| *d /= -rate);
        (dx, dp)
    }
}

/// How long before and after a jump of clocks with these rates its sides can be told apart.
fn aside(x: &[f64], rates: &[f64]) -> f64 {
    const APART: f64 = 1e-12;
    let clocks = rates.iter().zip(x).filter(|(rate, _)| **rate != 0.0);
    APART * clocks.map(|(rate, x)| (1.0 + x.abs()) / rate.abs()).fold(0.0, f64::max)
}

/// A state on a jump with time, or just behind it, with the clocks of its mode before it.
pub(super) fn before_jump(mode: &Mode, x: &[f64], p: &[f64]) -> Vec<f64> {
    let rates = constant_rates(mode, p);
    let back = 2.0 * aside(x, &rates);
    x.iter().zip(&rates).map(|(x, rate)| x - rate * back).collect()
}

/// The rates of the states of a mode that are constant whatever the states are, as those of clocks; zero for the
/// others.
#[doc(hidden)]
pub fn constant_rates(mode: &Mode, p: &[f64]) -> Vec<f64> {
    let n = mode.states.len();
    let (mut rates, mut jac) = (vec![0.0; n], vec![0.0; n * n]);
    let mut before: Option<Vec<f64>> = None;
    for x in [vec![0.1; n], vec![0.7; n]] {
        jacobian(&*mode.field, &x, p, &[], &mut rates, &mut jac, &mut []);
        for i in 0..n {
            let depends = jac[i * n..(i + 1) * n].iter().any(|d| *d != 0.0);
            let changes = before.as_ref().is_some_and(|before| before[i] != rates[i]);
            if depends || changes || !rates[i].is_finite() {
                rates[i] = 0.0;
            }
        }
        before = Some(rates.clone());
    }
    rates
}
