//! A solution of one mode over a stretch of time.

use super::closed_windows::Span;
use super::error::FlowError;
use super::event_effect::{onto, rate, value};
use super::event_locator::{Crossing, EventLocator, Extreme};
use super::exact::{restep, step_at};
use super::mode_flow::ModeFlow;
use super::step::Dense;
use slipstick_system::{Direction, Function};
use smallvec::SmallVec;
use std::sync::OnceLock;

/// The solution of a mode from a given start over a given time: exact where the flow is, by dense output of order 7
/// (explicit) or 3 (stiff) between the integrator's steps otherwise.
///
/// Guards and inequalities along it are checked without gaps; see [`EventLocator`] for the same along many solutions at
/// the same parameters.
///
/// ```
/// use slipstick_flow::{FlowOptions, ModeFlow};
/// use slipstick_system::catalogue::stiction;
/// let system = stiction();
/// // In stick nothing moves but the phase of the forcing.
/// let stick = ModeFlow::new(&system, system.mode("stick").unwrap(), FlowOptions::default());
/// let path = stick.path(&[0.3, 1.0], 2.0, &[2.0, 1.1, 0.4])?;
/// let mut state = [0.0; 2];
/// path.eval(0.75, &mut state);
/// assert_eq!((path.duration(), state), (2.0, [0.3, 1.75]));
/// # Ok::<(), slipstick_flow::FlowError>(())
/// ```
pub struct Path<'a> {
    flow: ModeFlow<'a>,
    x0: SmallVec<[f64; 8]>,
    p: SmallVec<[f64; 8]>,
    duration: f64,
    /// The integrator's steps; empty when the flow is exact.
    steps: Vec<Dense>,
    /// Its end, where that is known better than by its time.
    end: Option<SmallVec<[f64; 8]>>,
    locator: OnceLock<EventLocator<'a>>,
    /// The stretches between jumps with time.
    stretches: OnceLock<Vec<(f64, f64)>>,
}

impl<'a> ModeFlow<'a> {
    /// The solution from `x0` over the time `t` (which may be negative), to be evaluated anywhere in between.
    ///
    /// # Errors
    /// When the state leaves the finite numbers or the integrator gives up.
    pub fn path(&self, x0: &[f64], t: f64, p: &[f64]) -> Result<Path<'a>, FlowError> {
        self.path_until(x0, t, p, &mut |_| false)
    }
    /// The same up to the end of the first step at which `reached` says so of the states: a motion that runs off to
    /// infinity in a finite time is not followed beyond the event on its way. Flows in closed form have no steps.
    ///
    /// # Errors
    /// When the state leaves the finite numbers or the integrator gives up.
    pub fn path_until(
        &self,
        x0: &[f64],
        t: f64,
        p: &[f64],
        reached: &mut dyn FnMut(&[f64]) -> bool,
    ) -> Result<Path<'a>, FlowError> {
        self.check(x0, t)?;
        Path::new(self.clone(), x0, t, p, reached)
    }
    /// The solution from `x0` over the time `t`, at the end of which `guard` rises through zero, or falls for a `sign`
    /// of -1. Where a state moves so fast there that the errors of the integrator in time take it off the surface,
    /// times are stretched by so little that the path ends on it.
    ///
    /// # Errors
    /// When the state leaves the finite numbers or the integrator gives up.
    pub fn path_onto(
        &self,
        x0: &[f64],
        t: f64,
        p: &[f64],
        (guard, sign): (&dyn Function, f64),
    ) -> Result<Path<'a>, FlowError> {
        /// What the errors of the integrator in time are at most, as a part of the time.
        const ERROR: f64 = 1e-9;
        const ROUNDS: usize = 4;
        let field = &*self.mode().field;
        let (mut path, mut lasts) = match self.path(x0, t, p) {
            Ok(path) => (path, t),
            // Just beyond the event it may run off to infinity.
            Err(why) => {
                let mut height = |t: f64| {
                    let path = self.path(x0, t, p).ok()?;
                    Some(sign * value(guard, &path.last().ok()?, p))
                };
                let Some(sooner) = crossing_before(t, &why, &mut height) else {
                    return Err(why);
                };
                (self.path(x0, sooner, p)?, sooner)
            }
        };
        let Some(mut off) = path.off(guard, p)? else {
            path.stretch(t);
            return Ok(path);
        };
        for _ in 0..ROUNDS {
            let by = -off / rate(field, guard, &path.last()?, p);
            if !((lasts + by - t).abs() <= ERROR * t.abs()) {
                break;
            }
            let Ok(other) = self.path(x0, lasts + by, p) else { break };
            let left = other.off(guard, p)?.unwrap_or(0.0);
            if left.abs() >= off.abs() {
                break;
            }
            (path, lasts, off) = (other, lasts + by, left);
            if off == 0.0 {
                break;
            }
        }
        path.stretch(t);
        path.end = onto(field, guard, &path.last()?, p, ERROR * t.abs());
        Ok(path)
    }
}

/// Where a `height` rises through zero so little before the time `t` that the errors of an integrator in time are as
/// large, if it is not known at `t` itself, and why: a motion that runs off to infinity just beyond an event.
#[doc(hidden)]
pub fn crossing_before(t: f64, why: &FlowError, height: &mut dyn FnMut(f64) -> Option<f64>) -> Option<f64> {
    /// How far before, as parts of the time.
    const FIRST: f64 = 1e-14;
    const LAST: f64 = 1e-8;
    const ROUNDS: usize = 60;
    let ran_off = match why {
        FlowError::NotFinite { t, .. } | FlowError::StepTooSmall { t, .. } => *t,
        _ => return None,
    };
    if !((ran_off - t).abs() <= LAST * t.abs()) {
        return None;
    }
    let mut part = FIRST;
    let below = |v: Option<f64>| v.is_some_and(|v| v < 0.0);
    while !below(height(t * (1.0 - part))) {
        part *= 4.0;
        if !(part <= LAST) {
            return None;
        }
    }
    let (mut low, mut high) = (t * (1.0 - part), t);
    for _ in 0..ROUNDS {
        let middle = 0.5 * (low + high);
        if !(low < middle && middle < high) {
            break;
        }
        if below(height(middle)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(low)
}

/// The lower of two extremes.
fn lower(least: &mut Option<Extreme>, other: Option<Extreme>) {
    if let Some(other) = other
        && least.is_none_or(|least| other.value < least.value)
    {
        *least = Some(other);
    }
}

impl<'a> Path<'a> {
    fn new(
        flow: ModeFlow<'a>,
        x0: &[f64],
        t: f64,
        p: &[f64],
        reached: &mut dyn FnMut(&[f64]) -> bool,
    ) -> Result<Self, FlowError> {
        let mut steps: Vec<Dense> = Vec::new();
        let mut duration = t;
        let locator = OnceLock::new();
        if flow.mode().exact.is_none() {
            let known = EventLocator::new(flow.clone(), p);
            if !known.is_linear() {
                let mut y = x0.to_vec();
                let mut end = y.clone();
                let mut keep = |step: Dense| {
                    step.eval(1.0, &mut end);
                    let stops = reached(&end);
                    if stops {
                        duration = step.t + step.h;
                    }
                    steps.push(step);
                    !stops
                };
                flow.integrate(&mut y, t, p, Some(&mut keep))?;
            }
            let _ = locator.set(known);
        }
        Ok(Self {
            flow,
            x0: SmallVec::from_slice(x0),
            p: SmallVec::from_slice(p),
            duration,
            steps,
            end: None,
            locator,
            stretches: OnceLock::new(),
        })
    }
    /// The state that an integrated path ends in.
    fn last(&self) -> Result<Vec<f64>, FlowError> {
        let mut x = self.x0.to_vec();
        self.state(self.duration, &mut x)?;
        Ok(x)
    }
    /// How far off its surface a guard is at the end of an integrated path, if it is.
    fn off(&self, guard: &dyn Function, p: &[f64]) -> Result<Option<f64>, FlowError> {
        /// Less than this is what errors of motions leave.
        const OFF: f64 = 1e-7;
        if self.steps.is_empty() {
            return Ok(None);
        }
        let off = value(guard, &self.last()?, p);
        Ok(Some(off).filter(|off| off.abs() > OFF))
    }
    /// Count its time so that it lasts for `duration`.
    fn stretch(&mut self, duration: f64) {
        if self.duration == duration {
            return;
        }
        let factor = duration / self.duration;
        for step in &mut self.steps {
            step.t *= factor;
            step.h *= factor;
        }
        self.duration = duration;
    }
    /// The time covered, as it was asked for.
    pub fn duration(&self) -> f64 {
        self.duration
    }
    /// The times at which the integrator's steps begin and end; those of the path's ends where the flow is exact.
    pub fn nodes(&self) -> Vec<f64> {
        let mut nodes: Vec<f64> = self.steps.iter().map(|step| step.t).collect();
        if nodes.is_empty() {
            nodes.push(0.0);
        }
        nodes.push(self.duration);
        nodes
    }
    /// The states at `tau` after the start, into `out`. Times outside the path continue the formulas of its ends.
    pub fn eval(&self, tau: f64, out: &mut [f64]) {
        let tau = self.off_jumps(tau);
        if let Some(end) = self.end.as_ref().filter(|_| tau == self.duration) {
            out.copy_from_slice(end);
        } else if let Some(exact) = &self.flow.mode().exact {
            let mut z: SmallVec<[f64; 12]> = self.x0.iter().copied().collect();
            z.push(tau);
            exact.value(&z, &self.p, out);
        } else if let Some(step) = step_at(&self.steps, tau) {
            step.eval((tau - step.t) / step.h, out);
        } else if !self.locator().linear_state(&self.x0, tau, out) {
            out.copy_from_slice(&self.x0);
        }
    }
    /// The states at `tau` for tables. Between the points of an implicit step its polynomial has fewer digits than the
    /// points themselves: where the steps are implicit, one that ends there is made.
    pub(crate) fn table_state(&self, tau: f64, out: &mut [f64]) -> Result<(), FlowError> {
        if step_at(&self.steps, tau).is_some_and(|step| !step.explicit()) {
            return self.state(tau, out);
        }
        self.eval(tau, out);
        Ok(())
    }
    /// The states at `tau`, where the path was integrated by an integrator step that ends there: as accurate as the
    /// integrator's own points, which [`Path::eval`] between them is not quite.
    ///
    /// # Errors
    /// When the state is not finite.
    pub fn state(&self, tau: f64, out: &mut [f64]) -> Result<(), FlowError> {
        if self.steps.is_empty() {
            self.eval(tau, out);
            Ok(())
        } else {
            restep(&self.flow, &self.p, &self.steps, tau, out)
        }
    }
    /// The first time in [from, to] at which `guard` crosses zero in the given direction; see
    /// [`EventLocator::first_crossing`]. `p` are the parameters that the guard takes.
    ///
    /// # Errors
    /// When the state leaves the finite numbers.
    pub fn first_crossing(
        &self,
        guard: &dyn Function,
        direction: Direction,
        p: &[f64],
        from: f64,
        to: f64,
    ) -> Result<Option<Crossing>, FlowError> {
        let locator = self.locator();
        let guard = locator.prepare(guard, p);
        let found = locator.crossings_of(&guard, &self.x0, &self.steps, direction, Span { from, to }, true)?;
        Ok(found.first().copied())
    }
    /// All crossings in [from, to], in order.
    ///
    /// # Errors
    /// When the state leaves the finite numbers.
    pub fn crossings(
        &self,
        guard: &dyn Function,
        direction: Direction,
        p: &[f64],
        from: f64,
        to: f64,
    ) -> Result<Vec<Crossing>, FlowError> {
        let locator = self.locator();
        let guard = locator.prepare(guard, p);
        let mut all = vec![];
        for span in self.smooth_parts(guard.function, from, to) {
            all.extend(locator.crossings_of(&guard, &self.x0, &self.steps, direction, span, false)?);
        }
        Ok(all)
    }
    /// The smallest value of `sign·h` over the open interval (from, to); see [`EventLocator::minimum`].
    ///
    /// # Errors
    /// When the state leaves the finite numbers.
    pub fn interior_minimum(
        &self,
        h: &dyn Function,
        sign: f64,
        p: &[f64],
        from: f64,
        to: f64,
        ends: bool,
    ) -> Result<Option<Extreme>, FlowError> {
        let locator = self.locator();
        let h = locator.prepare(h, p);
        let mut least = None;
        for span in self.smooth_parts(h.function, from, to) {
            lower(
                &mut least,
                locator.minimum_of(&h, &self.x0, &self.steps, sign, span, ends)?,
            );
            // At a jump the values on both sides are met.
            for (t, _) in [(span.from, from), (span.to, to)].iter().filter(|(t, end)| t != end) {
                let mut x = self.x0.clone();
                self.state(*t, &mut x)?;
                let value = sign * value(h.function, &x, &h.p);
                lower(&mut least, Some(Extreme { t: *t, value }));
            }
        }
        Ok(least)
    }
    /// The smallest value of `sign·h` that speaks about the inside of the path: interior local minima, the start unless
    /// the path starts on the surface h = 0, and the end unless it `ends_here`, on that surface. Infinite if nothing is
    /// left.
    ///
    /// # Errors
    /// When the state leaves the finite numbers.
    pub fn least_inside(&self, h: &dyn Function, sign: f64, ends_here: bool, p: &[f64]) -> Result<f64, FlowError> {
        let locator = self.locator();
        let h = locator.prepare(h, p);
        locator.least_inside_of(&h, &self.x0, &self.steps, sign, ends_here, self.duration)
    }
    /// As [`Path::least_inside`], with the time at which it is met, of a path that may begin, or end, on the surface,
    /// where what is `near` zero lies on it; `None` if nothing is left.
    ///
    /// # Errors
    /// When the state leaves the finite numbers.
    pub fn least_inside_at(
        &self,
        h: &dyn Function,
        (sign, near): (f64, f64),
        (begins_here, ends_here): (bool, bool),
        p: &[f64],
    ) -> Result<Option<Extreme>, FlowError> {
        let locator = self.locator();
        let h = locator.prepare(h, p);
        let (mut least, parts) = (None, self.smooth_parts(h.function, 0.0, self.duration));
        for (k, span) in parts.iter().enumerate() {
            let on = (begins_here && k == 0, ends_here && k + 1 == parts.len());
            lower(
                &mut least,
                locator.least_inside_at(&h, &self.x0, &self.steps, (sign, near), on, *span)?,
            );
        }
        Ok(least)
    }
    /// A time of the path; beside the jumps with time that it begins, or ends, on.
    fn off_jumps(&self, tau: f64) -> f64 {
        if !self.flow.lies_on_jumps() || tau < 0.0 || tau > self.duration {
            return tau;
        }
        let (first, last) = (self.stretches().first(), self.stretches().last());
        tau.max(first.map_or(tau, |s| s.0)).min(last.map_or(tau, |s| s.1))
    }
    fn stretches(&self) -> &[(f64, f64)] {
        self.stretches
            .get_or_init(|| self.flow.stretches(&self.x0, self.duration, &self.p))
    }
    /// The parts of the path between two times on each of which a function does not jump with time.
    fn smooth_parts(&self, function: &dyn Function, from: f64, to: f64) -> SmallVec<[Span; 2]> {
        if !function.corners().is_some_and(|corners| corners.has_sides()) {
            return SmallVec::from_elem(Span { from, to }, 1);
        }
        let stretches = self.stretches();
        let within = stretches.iter().enumerate().map(|(k, &(a, b))| {
            // Beyond its ends the formulas of these go on, but for an end that lies on a jump.
            let (first, last) = (k == 0 && a == 0.0, k + 1 == stretches.len() && b == self.duration);
            Span {
                from: if first { from } else { a.max(from) },
                to: if last { to } else { b.min(to) },
            }
        });
        within
            .filter(|span| span.from < span.to || stretches.len() == 1)
            .collect()
    }
    /// The smallest and the largest value of `h` over the whole path, its ends included, to rounding.
    ///
    /// # Errors
    /// When the state leaves the finite numbers.
    pub fn extrema(&self, h: &dyn Function, p: &[f64]) -> Result<(f64, f64), FlowError> {
        let locator = self.locator();
        let target = locator.prepare(h, p);
        let (least, largest) = locator.extrema_of(&target, &self.x0, &self.steps, self.duration)?;
        let Some(end) = &self.end else {
            return Ok((least, largest));
        };
        // What is extreme at the end, to the rounding of the time, is what it is on the surface.
        let known = value(h, end, p);
        let last = value(h, &self.last()?, p);
        let noise = 4.0 * f64::EPSILON * self.duration.abs() * rate(&*self.flow.mode().field, h, end, p).abs();
        let noise = noise + (last - known).abs();
        let at_end = |v: f64| (v - known).abs() <= noise;
        let least = if at_end(least) { known } else { least.min(known) };
        let largest = if at_end(largest) { known } else { largest.max(known) };
        Ok((least, largest))
    }
    fn locator(&self) -> &EventLocator<'a> {
        self.locator
            .get_or_init(|| EventLocator::new(self.flow.clone(), &self.p))
    }
}
