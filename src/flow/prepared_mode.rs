//! A visit of a mode: which of its events comes first.

use super::clock::Clock;
use super::closed_windows::Span;
use super::error::FlowError;
use super::event_effect::{Effect, effect, onto, rate, same_surface, value};
use super::event_locator::{Crossing, EventLocator, Target};
use super::exact::restep;
use super::integrate::integrate;
use super::junction::Junction;
use super::mode_flow::ModeFlow;
use super::options::FlowOptions;
use super::scan::{CrossingScan, Find};
use super::step::Dense;
use super::taylor_piece::{Rows, TaylorPiece};
use slipstick_numerics::scalar::Second;
use slipstick_system::{Direction, Function, Inequality, ModeKind, System, jacobian};
use smallvec::SmallVec;
use std::cell::{Cell, RefCell};
use std::sync::Arc;

/// The ways out of a mode through one surface in one direction.
pub(super) struct Surface<'s> {
    located: Target<'s>,
    function: &'s dyn Function,
    direction: Direction,
    /// The mode's events that share it; they differ in what else must hold.
    events: SmallVec<[usize; 2]>,
}

/// One mode at fixed parameters, ready to be visited.
pub(super) struct PreparedMode<'s> {
    pub(super) locator: EventLocator<'s>,
    pub(super) kind: ModeKind,
    /// Its index.
    mode: usize,
    surfaces: Vec<Surface<'s>>,
    conditions: Vec<&'s [Inequality]>,
    targets: Vec<usize>,
    /// Events that only mark a passage: the mode, the guard and its rate stay the same.
    passages: Vec<bool>,
    /// Events into their own mode that leave the guard alone and need not turn the motion back.
    passable: Vec<bool>,
    junctions: RefCell<Vec<Junction>>,
    /// The longest time after which all angles are back, if they turn at constant rates.
    turn: Option<f64>,
    angles: SmallVec<[bool; 8]>,
    /// What jumps at times that are known beforehand.
    clock: Option<Clock>,
    /// The steps of the integrator that motions in the mode have taken together.
    taken: Cell<usize>,
}

/// Where a path reaches a surface: the scan along it, and what was found.
struct Sought {
    scan: CrossingScan,
    found: SmallVec<[Find; 4]>,
}

/// Numbers of surfaces.
type Surfaces = SmallVec<[usize; 8]>;

/// What ended a stretch of flow.
#[derive(Debug)]
pub(super) enum Arrival {
    /// Nothing happened in the time given.
    Quiet,
    /// The path starts beyond this surface, or on it and leaves through it at once.
    AtOnce { surface: usize },
    /// Surfaces reached at the same time, within rounding.
    Reached {
        at: Crossing,
        surfaces: SmallVec<[usize; 2]>,
        /// By a jump, which may have led beyond surfaces of the next mode as well.
        by_jump: bool,
    },
}

impl<'s> PreparedMode<'s> {
    pub(super) fn new(system: &'s System, mode: usize, p: &[f64], options: FlowOptions) -> Self {
        let m = &system.modes[mode];
        let locator = ModeFlow::new(system, mode, options).locator(p);
        let mut surfaces: Vec<Surface<'s>> = vec![];
        let mut shared: Vec<&Arc<dyn Function>> = vec![];
        for (e, event) in m.events.iter().enumerate() {
            let known = shared
                .iter()
                .zip(&mut surfaces)
                .find(|(f, s)| same_surface(f, &event.guard, m.states.len(), p) && s.direction == event.direction);
            if let Some((_, surface)) = known {
                surface.events.push(e);
            } else {
                surfaces.push(Surface {
                    located: locator.prepare(&*event.guard, p),
                    function: &*event.guard,
                    direction: event.direction,
                    events: SmallVec::from_slice(&[e]),
                });
                shared.push(&event.guard);
            }
        }
        let effects: Vec<Effect> = (0..m.events.len()).map(|e| effect(system, mode, e, p)).collect();
        let angles: SmallVec<[bool; 8]> = m.states.iter().map(|&s| system.states[s].period.is_some()).collect();
        Self {
            kind: m.kind,
            mode,
            surfaces,
            conditions: m.events.iter().map(|e| e.when.as_slice()).collect(),
            targets: m.events.iter().map(|e| e.target).collect(),
            passages: effects.iter().map(|e| *e == Effect::Passage).collect(),
            passable: effects.iter().map(|e| *e != Effect::Other).collect(),
            junctions: RefCell::new(
                (0..m.events.len())
                    .map(|e| Junction::new(system, mode, Some(e), false))
                    .collect(),
            ),
            turn: constant_turn(system, mode, p).map(|(_, turn)| turn),
            angles,
            clock: Some(mode)
                .filter(|_| !m.events.is_empty())
                .and_then(|mode| Clock::of(system, mode, true)),
            taken: Cell::new(0),
            locator,
        }
    }
    /// The steps of the integrator that motions in the mode have taken together.
    pub(super) fn taken(&self) -> usize {
        self.taken.get()
    }
    /// Can the mode end?
    pub(super) fn has_events(&self) -> bool {
        !self.surfaces.is_empty()
    }
    /// The mode that `event` leads to.
    pub(super) fn target(&self, event: usize) -> usize {
        self.targets[event]
    }
    /// The start of the next mode after `event` at `x`, which a jump with time may have set off just before.
    pub(super) fn leave(&self, event: usize, (x, by_jump): (&[f64], bool), p: &[f64]) -> Vec<f64> {
        let junction = &mut self.junctions.borrow_mut()[event];
        junction.set_off_by_jump(self.locator.flow().mode(), by_jump);
        let mut next = vec![0.0; junction.outputs()];
        junction.apply(x, p, &mut next);
        next
    }
    /// The events of `surface` whose side conditions hold at `x`, up to `slack`.
    pub(super) fn possible(&self, surface: usize, x: &[f64], p: &[f64], slack: f64) -> SmallVec<[usize; 2]> {
        let holds = |i: &Inequality| value(&*i.function, x, p) >= -slack;
        let events = self.surfaces[surface].events.iter();
        events
            .copied()
            .filter(|&e| self.conditions[e].iter().all(holds))
            .collect()
    }
    /// Surfaces that `x` lies on, up to `slack`, and from which the flow leads away into the mode or along.
    pub(super) fn resting_on(&self, x: &[f64], p: &[f64], slack: f64) -> SmallVec<[usize; 2]> {
        let on = |s: &usize| {
            let surface = &self.surfaces[*s];
            value(surface.function, x, p).abs() <= slack && !self.heads_out(*s, x, p, slack)
        };
        (0..self.surfaces.len()).filter(on).collect()
    }
    /// A surface that `x` lies beyond, where a motion in this mode cannot be.
    pub(super) fn beyond(&self, x: &[f64], p: &[f64], slack: f64) -> Option<usize> {
        let v = |s: &Surface| s.direction.sign() * value(s.function, x, p);
        let passed = |s: &Surface| s.events.iter().all(|&e| self.passable[e]);
        self.surfaces.iter().position(|s| !passed(s) && v(s) > slack)
    }
    /// The surface of an event into this mode that has led from `x`, on the surface, to `next`, if the motion goes on
    /// through it as it came: it is not met a second time.
    pub(super) fn passes(&self, event: usize, x: &[f64], next: &[f64], p: &[f64], slack: f64) -> Option<usize> {
        if self.targets[event] != self.mode {
            return None;
        }
        let surface = self.surfaces.iter().position(|s| s.events.contains(&event))?;
        let s = &self.surfaces[surface];
        let outwards = |x: &[f64]| s.direction.sign() * self.rate(surface, x, p) > slack;
        let on = value(s.function, next, p).abs() <= slack;
        (on && outwards(x) && outwards(next)).then_some(surface)
    }
    /// The rate of the guard of a surface along the flow.
    fn rate(&self, surface: usize, x: &[f64], p: &[f64]) -> f64 {
        rate(
            &*self.locator.flow().mode().field,
            self.surfaces[surface].function,
            x,
            p,
        )
    }
    /// Would the flow from `x` leave the mode at once, through another surface than the one just `passed`?
    pub(super) fn leaves_at_once(&self, x: &[f64], p: &[f64], slack: f64, passed: Option<usize>) -> bool {
        (0..self.surfaces.len()).filter(|&s| passed != Some(s)).any(|s| {
            let surface = &self.surfaces[s];
            let v = surface.direction.sign() * value(surface.function, x, p);
            (self.is_due(s, x, p, slack) && (v > slack || self.heads_out(s, x, p, slack)))
                && !self.possible(s, x, p, slack).is_empty()
        })
    }
    /// May an event of `surface` happen at `x` without a crossing: on the surface itself, or in a stick mode beyond it?
    fn is_due(&self, surface: usize, x: &[f64], p: &[f64], slack: f64) -> bool {
        let s = &self.surfaces[surface];
        let v = s.direction.sign() * value(s.function, x, p);
        (v.abs() <= slack || (v > slack && self.kind == ModeKind::Stick)) && s.events.iter().any(|&e| !self.passages[e])
    }
    /// Does the flow at `x`, on the surface, point out of the mode?
    fn heads_out(&self, surface: usize, x: &[f64], p: &[f64], slack: f64) -> bool {
        self.outwards(surface, x, p, slack) > 0.0
    }
    /// The first derivative of the guard along the flow that does not vanish at `x`, on the surface: positive if it
    /// points out of the mode, zero if the first two vanish.
    fn outwards(&self, surface: usize, x: &[f64], p: &[f64], slack: f64) -> f64 {
        let s = &self.surfaces[surface];
        let n = x.len();
        let field = &*self.locator.flow().mode().field;
        let zeros = |len: usize| -> SmallVec<[f64; 16]> { SmallVec::from_elem(0.0, len) };
        let (mut f, mut gradient) = (zeros(n), zeros(n));
        field.value(x, p, &mut f);
        jacobian(s.function, x, p, &[], &mut [0.0], &mut gradient, &mut []);
        let rate: f64 = gradient.iter().zip(&f).map(|(g, f)| g * f).sum();
        if rate.abs() > slack {
            return rate * s.direction.sign();
        }
        // d²g/dt² = f·∇²g·f + ∇g·(∂f/∂x f): asked for at tangencies only.
        let mut jac = zeros(n * n);
        jacobian(field, x, p, &[], &mut f, &mut jac, &mut []);
        let along: SmallVec<[Second; 8]> = x.iter().zip(&f).map(|(&x, &f)| Second::mixed(x, f, f)).collect();
        let constants: SmallVec<[Second; 8]> = p.iter().map(|&v| Second::mixed(v, 0.0, 0.0)).collect();
        let mut out = [Second::mixed(0.0, 0.0, 0.0)];
        s.function.second(&along, &constants, &mut out);
        let bend: f64 = (0..n)
            .map(|i| gradient[i] * (0..n).map(|j| jac[i * n + j] * f[j]).sum::<f64>())
            .sum();
        let bend = (out[0].eps[0].eps[0] + bend) * s.direction.sign();
        if bend.abs() > slack { bend } else { 0.0 }
    }
    /// The time after which the flow from `x` repeats itself within the mode, if only angles move: the mode then never
    /// ends unless an event comes within that time.
    pub(super) fn rest(&self, x: &[f64], p: &[f64]) -> Result<Option<f64>, FlowError> {
        let Some(turn) = self.turn else { return Ok(None) };
        let mut y: SmallVec<[f64; 8]> = SmallVec::from_elem(0.0, x.len());
        self.locator.flow().mode().field.value(x, p, &mut y);
        if (0..x.len()).any(|i| !self.angles[i] && y[i].abs() > 1e-12 * (1.0 + x[i].abs())) {
            return Ok(None);
        }
        for fraction in [0.381_966, 1.0] {
            if self.locator.flow().advance(x, fraction * turn, p, &mut y).is_err() {
                return Ok(None);
            }
            let moved = (0..x.len()).any(|i| !self.angles[i] && (y[i] - x[i]).abs() > 1e-12 * (1.0 + x[i].abs()));
            if moved {
                return Ok(None);
            }
        }
        Ok(Some(turn))
    }
    /// Flow from `x` for at most `longest`; `x` gets the state where that ends. The surface `ignore` does not count as
    /// left at once.
    pub(super) fn run(
        &self,
        x: &mut [f64],
        longest: f64,
        p: &[f64],
        slack: f64,
        ignore: Option<usize>,
    ) -> Result<Arrival, FlowError> {
        let Some(clock) = &self.clock else {
            return self.run_smoothly(x, longest, p, slack, ignore);
        };
        let mut ahead = clock.ahead(x, longest, p);
        /// What a motion along a surface may be off it.
        const ROUNDING: f64 = 1e-14;
        let (mut t, mut ignore) = (0.0, ignore);
        let reached = |t: f64, (touching, by_jump): (bool, bool), surfaces: SmallVec<[usize; 2]>| Arrival::Reached {
            at: Crossing { t, rate: 0.0, touching },
            surfaces,
            by_jump,
        };
        loop {
            let left = longest - t;
            let next = ahead.next();
            let arrival = self.run_smoothly(x, next.map_or(left, |jump| jump.before), p, slack, ignore)?;
            match arrival {
                Arrival::AtOnce { surface } if t > 0.0 => {
                    return Ok(reached(t, (false, false), SmallVec::from_slice(&[surface])));
                }
                Arrival::Reached { at, surfaces, .. } if t > 0.0 => {
                    return Ok(reached(t + at.t, (at.touching, false), surfaces));
                }
                Arrival::AtOnce { .. } | Arrival::Reached { .. } => return Ok(arrival),
                Arrival::Quiet => {}
            }
            let Some(jump) = next else {
                return Ok(Arrival::Quiet);
            };
            // Surfaces that the motion is inside of before the jump, and beyond after it.
            let heights = |x: &[f64]| -> SmallVec<[f64; 8]> {
                let height = |s: &Surface| s.direction.sign() * value(s.function, x, p);
                self.surfaces.iter().map(height).collect()
            };
            let start: SmallVec<[f64; 8]> = SmallVec::from_slice(x);
            self.locator.flow().over(&start, &jump, p, x)?;
            t += jump.before + jump.over;
            let (inside, beyond) = (heights(&start), heights(x));
            let passed = |s: &usize| {
                let (a, b) = (inside[*s], beyond[*s]);
                a <= 0.0 && b > 0.0 && b - a > ROUNDING && !self.possible(*s, x, p, slack).is_empty()
            };
            let passed: SmallVec<[usize; 2]> = (0..self.surfaces.len()).filter(passed).collect();
            if !passed.is_empty() {
                return Ok(reached(t, (false, true), passed));
            }
            ignore = None;
        }
    }
    /// As [`PreparedMode::run`], where nothing jumps on the way.
    fn run_smoothly(
        &self,
        x: &mut [f64],
        longest: f64,
        p: &[f64],
        slack: f64,
        ignore: Option<usize>,
    ) -> Result<Arrival, FlowError> {
        let start: SmallVec<[f64; 8]> = SmallVec::from_slice(x);
        let counts = |s: usize| {
            ignore != Some(s) && self.is_due(s, &start, p, slack) && !self.possible(s, &start, p, slack).is_empty()
        };
        if self.locator.is_exact() {
            self.run_exact(&start, x, longest, slack, &counts)
        } else {
            self.run_integrated(&start, x, longest, slack, &counts)
        }
    }
    fn scan(&self, number: usize, start: &[f64], slack: f64) -> CrossingScan {
        let (surface, p) = (&self.surfaces[number], self.locator.parameters());
        let sign = surface.direction.sign();
        if value(surface.function, start, p).abs() > slack {
            return CrossingScan::new(sign);
        }
        // A flow that leads into the mode may begin beyond the surface by rounding.
        let leeway = if self.outwards(number, start, p, slack) < 0.0 {
            slack
        } else {
            0.0
        };
        CrossingScan::from_surface(sign, leeway)
    }
    /// The scans of all surfaces along a path from `start`.
    fn sought(&self, start: &[f64], slack: f64) -> SmallVec<[Sought; 2]> {
        let all = 0..self.surfaces.len();
        all.map(|s| Sought {
            scan: self.scan(s, start, slack),
            found: SmallVec::new(),
        })
        .collect()
    }
    /// The surface through which a path leaves at once, where it is known to leave through that `found`: of several the
    /// one declared first.
    fn at_once(&self, found: usize, start: &[f64], slack: f64, counts: &dyn Fn(usize) -> bool) -> Arrival {
        let p = self.locator.parameters();
        let leaves = |s: &usize| {
            let surface = &self.surfaces[*s];
            let v = surface.direction.sign() * value(surface.function, start, p);
            counts(*s) && (v > slack || self.heads_out(*s, start, p, slack))
        };
        let surface = (0..found).find(leaves).unwrap_or(found);
        Arrival::AtOnce { surface }
    }
    /// The crossing itself.
    fn hit(&self, surface: usize, start: &[f64], steps: &[Dense], find: Find) -> Result<Crossing, FlowError> {
        let Surface { located, direction, .. } = &self.surfaces[surface];
        self.locator.polish(located, start, steps, find, direction.sign())
    }
    fn run_exact(
        &self,
        start: &[f64],
        x: &mut [f64],
        longest: f64,
        slack: f64,
        counts: &dyn Fn(usize) -> bool,
    ) -> Result<Arrival, FlowError> {
        let mut hits: SmallVec<[(usize, Crossing); 4]> = SmallVec::new();
        let to = Cell::new(longest);
        // A little longer than to the first crossing, so that a simultaneous event is seen.
        let nearer = |c: &Crossing| to.set(to.get().min(c.t + SIMULTANEOUS * (1.0 + c.t.abs())));
        // The closed form may leave the numbers beyond the end of the visit: that matters only if no surface is reached
        // before.
        let mut blown_up: Option<FlowError> = None;
        let mut sought = self.sought(start, slack);
        // Expansions are scanned together, as the basis is the same for all; other functions in turn.
        let expanded = |s: &usize| self.surfaces[*s].located.rows.is_some();
        let (together, in_turn): (Surfaces, Surfaces) = (0..sought.len()).partition(expanded);
        for group in [&together, &in_turn].into_iter().filter(|group| !group.is_empty()) {
            let mut at_once = None;
            let mut failure = None;
            let mut each = |k: usize, w: &TaylorPiece| {
                let s = group[k];
                let Sought { scan, found } = &mut sought[s];
                scan.feed(w, found);
                if at_once.is_none() && scan.beyond && counts(s) {
                    at_once = Some(s);
                }
                if let Some(&find) = found.first() {
                    match self.hit(s, start, &[], find) {
                        Ok(crossing) => {
                            nearer(&crossing);
                            hits.push((s, crossing));
                        }
                        Err(e) => failure = Some(e),
                    }
                }
                at_once.is_none() && failure.is_none() && found.is_empty()
            };
            let rows: SmallVec<[&Rows; 8]> = group
                .iter()
                .filter_map(|&s| self.surfaces[s].located.rows.as_ref())
                .collect();
            let outcomes = if rows.is_empty() {
                let targets: SmallVec<[&Target<'_>; 8]> = group.iter().map(|&s| &self.surfaces[s].located).collect();
                self.locator.windows_in_turn(&targets, start, &to, &mut each)
            } else {
                let outcome = self.locator.windows_together(&rows, start, &to, &mut each);
                SmallVec::from_elem(outcome, group.len())
            };
            if let Some(found) = at_once {
                return Ok(self.at_once(found, start, slack, counts));
            }
            if let Some(e) = failure {
                return Err(e);
            }
            for (&s, outcome) in group.iter().zip(outcomes) {
                match outcome {
                    Err(FlowError::NotFinite { mode, t }) => {
                        to.set(to.get().min(t));
                        blown_up = Some(FlowError::NotFinite { mode, t });
                    }
                    Err(e) => return Err(e),
                    Ok(()) => {
                        let Sought { scan, found } = &mut sought[s];
                        if found.is_empty() {
                            scan.finish(found);
                            if let Some(&find) = found.first() {
                                let crossing = self.hit(s, start, &[], find)?;
                                nearer(&crossing);
                                hits.push((s, crossing));
                            }
                        }
                    }
                }
            }
        }
        if let (true, Some(e)) = (hits.is_empty(), blown_up) {
            return Err(e);
        }
        let arrival = earliest(&hits);
        if let Arrival::Reached { at, surfaces, .. } = &arrival {
            self.locator.state(start, at.t, x)?;
            self.onto(surfaces, at, start, x);
        } else {
            self.locator.state(start, longest, x)?;
        }
        Ok(arrival)
    }
    fn run_integrated(
        &self,
        start: &[f64],
        x: &mut [f64],
        longest: f64,
        slack: f64,
        counts: &dyn Fn(usize) -> bool,
    ) -> Result<Arrival, FlowError> {
        let flow = self.locator.flow();
        let mut sought = self.sought(start, slack);
        let mut steps: Vec<Dense> = vec![];
        let mut at_once = None;
        let mut failure = None;
        let mut observe = |step: Dense| {
            steps.push(step);
            let last = &steps[steps.len() - 1..];
            let span = Span {
                from: last[0].t,
                to: last[0].t + last[0].h,
            };
            for (s, surface) in self.surfaces.iter().enumerate() {
                let Sought { scan, found } = &mut sought[s];
                let outcome = self.locator.windows(&surface.located, start, last, span, &mut |w| {
                    scan.feed(w, found);
                    found.is_empty()
                });
                if let Err(e) = outcome {
                    failure = Some(e);
                    return false;
                }
                if scan.beyond && counts(s) {
                    at_once = Some(s);
                    return false;
                }
            }
            sought.iter().all(|s| s.found.is_empty())
        };
        let mut end = start.to_vec();
        let p = self.locator.parameters();
        let cost = integrate(
            &flow.equations(start, p, &[], false),
            &mut end,
            longest,
            flow.options(),
            Some(&mut observe),
        )?;
        self.taken.set(self.taken.get() + cost.steps());
        if let Some(e) = failure {
            return Err(e);
        }
        if let Some(found) = at_once {
            return Ok(self.at_once(found, start, slack, counts));
        }
        let mut hits: SmallVec<[(usize, Crossing); 4]> = SmallVec::new();
        let stopped = sought.iter().any(|s| !s.found.is_empty());
        for (s, Sought { scan, found }) in sought.iter_mut().enumerate() {
            if !stopped {
                scan.finish(found);
            }
            if let Some(&find) = found.first() {
                hits.push((s, self.hit(s, start, &steps, find)?));
            }
        }
        let arrival = earliest(&hits);
        if let Arrival::Reached { at, surfaces, .. } = &arrival {
            restep(flow, p, &steps, at.t, x)?;
            self.onto(surfaces, at, start, x);
        } else {
            x.copy_from_slice(&end);
        }
        Ok(arrival)
    }
}

impl PreparedMode<'_> {
    /// Take the state in which surfaces are crossed onto the first of them, where it moves so fast that the rounding of
    /// the time leaves it off by more than the errors of motions.
    fn onto(&self, surfaces: &[usize], at: &Crossing, start: &[f64], x: &mut [f64]) {
        /// What rounding leaves of the time since the start; and the part of states that it may take them off by.
        const OF_TIME: f64 = 8.0 * f64::EPSILON;
        const OF_STATES: f64 = 1e-10;
        let (Some(&first), false) = (surfaces.first(), at.touching) else {
            return;
        };
        let (guard, p) = (self.surfaces[first].function, self.locator.parameters());
        let field = &*self.locator.flow().mode().field;
        let Some(on) = onto(field, guard, x, p, OF_TIME * at.t.abs()) else {
            return;
        };
        let moves = |((on, x), start): ((&f64, &f64), &f64)| (on - x).abs() > OF_STATES * x.abs().max(start.abs());
        if on.iter().zip(&*x).zip(start).any(moves) {
            x.copy_from_slice(&on);
        }
    }
}

/// Events closer in time than this (relative to 1 + t) count as simultaneous.
const SIMULTANEOUS: f64 = 1e-12;

fn earliest(hits: &[(usize, Crossing)]) -> Arrival {
    let Some(&(_, at)) = hits.iter().min_by(|a, b| a.1.t.total_cmp(&b.1.t)) else {
        return Arrival::Quiet;
    };
    let together = |c: &Crossing| c.t - at.t <= SIMULTANEOUS * (1.0 + at.t.abs());
    // In the order of their declaration, however they were found.
    let mut surfaces: SmallVec<[usize; 2]> = hits.iter().filter(|(_, c)| together(c)).map(|&(s, _)| s).collect();
    surfaces.sort_unstable();
    Arrival::Reached {
        at,
        surfaces,
        by_jump: false,
    }
}

/// The angle of the mode that takes longest for a turn, and that time, if all its angles turn at constant rates.
pub(super) fn constant_turn(system: &System, mode: usize, p: &[f64]) -> Option<(usize, f64)> {
    let m = &system.modes[mode];
    let n = m.states.len();
    let (mut f, mut jac) = (vec![0.0; n], vec![0.0; n * n]);
    let mut slowest: Option<(usize, f64)> = None;
    for x in [vec![0.0; n], vec![0.7; n]] {
        jacobian(&*m.field, &x, p, &[], &mut f, &mut jac, &mut []);
        for (i, &s) in m.states.iter().enumerate() {
            let Some(period) = system.states[s].period else {
                continue;
            };
            let turn = (period / f[i]).abs();
            if !turn.is_finite() || jac[i * n..(i + 1) * n].iter().any(|&d| d != 0.0) {
                return None;
            }
            if slowest.is_none_or(|(_, t)| turn > t) {
                slowest = Some((i, turn));
            }
        }
    }
    slowest
}
