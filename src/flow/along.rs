//! What is found along one solution: crossings and extremes, on windows that leave no gaps, polished on the exact
//! solution.

use super::closed_windows::{ClosedWindows, EXACT, Span};
use super::error::FlowError;
use super::event_locator::{Crossing, EventLocator, Extreme, ON_SURFACE, Target};
use super::exact::Exact;
use super::scan::{CrossingScan, ExtremeScan, Find};
use super::step::Dense;
use super::taylor_piece::{Noise, Rows, Taylor, TaylorPiece, interpolate};
use slipstick_numerics::stop::look;
use slipstick_system::Direction;
use smallvec::SmallVec;
use std::cell::Cell;

/// What rounding of the time makes of a function on a step that is short beside it: where a motion runs off to
/// infinity, times are known to a part of the step only.
fn rounding_of_time(exact: &mut Exact<'_, '_, '_>, step: &Dense) -> f64 {
    /// A step so short that times in it are known to this part.
    const SHORT: f64 = 3e-12;
    let rounding = f64::EPSILON * (step.t + step.h).abs();
    if rounding <= SHORT * step.h.abs() {
        return 0.0;
    }
    let (begin, end) = (exact.in_step(step, step.t), exact.in_step(step, step.t + step.h));
    4.0 * rounding * ((end - begin) / step.h).abs()
}

impl EventLocator<'_> {
    pub(crate) fn least_inside_of(
        &self,
        h: &Target<'_>,
        x0: &[f64],
        steps: &[Dense],
        sign: f64,
        ends_here: bool,
        duration: f64,
    ) -> Result<f64, FlowError> {
        let span = Span {
            from: 0.0,
            to: duration,
        };
        let least = self.least_inside_at(h, x0, steps, (sign, ON_SURFACE), (true, ends_here), span)?;
        Ok(least.map_or(f64::INFINITY, |e| e.value))
    }

    /// As [`EventLocator::least_inside_of`], over a part of a path that may begin, or end, on the surface, with the
    /// time at which it is met, where what is `near` zero lies on the surface; `None` if nothing is left.
    pub(crate) fn least_inside_at(
        &self,
        h: &Target<'_>,
        x0: &[f64],
        steps: &[Dense],
        (sign, near): (f64, f64),
        (begins_here, ends_here): (bool, bool),
        span: Span,
    ) -> Result<Option<Extreme>, FlowError> {
        /// A tangency turns this close to its end, for a curvature of 1.
        const NEAR_END: f64 = 1e-4;
        /// Along integrated paths heights that this part of the duration makes at the rate of the end are rounding: a
        /// membrane potential that fires may rise by its whole size in a billionth of that.
        const ROUNDING: f64 = 1e-14;
        let Span { from, to: duration } = span;
        let mut exact = Exact::new(self, h, x0, steps);
        let mut scan = ExtremeScan::new(&[sign], false);
        let start = if from == 0.0 { exact.value() } else { exact.at(from)?.0 };
        if start.abs() > near || !begins_here {
            scan.offer(0, from, start);
        } else {
            scan.starts_on_surface(near);
        }
        if ends_here {
            let rounding = if steps.is_empty() {
                0.0
            } else {
                ROUNDING * duration * exact.at(duration)?.1.abs()
            };
            scan.ends_on_surface(duration - NEAR_END * (1.0 + duration), near.max(rounding));
        } else {
            scan.offer(0, duration, exact.at(duration)?.0);
        }
        self.extremes(&mut scan, &mut exact, span)?;
        Ok(scan.best[0].map(|(t, value)| Extreme { t, value }))
    }

    pub(crate) fn extrema_of(
        &self,
        h: &Target<'_>,
        x0: &[f64],
        steps: &[Dense],
        duration: f64,
    ) -> Result<(f64, f64), FlowError> {
        let mut exact = Exact::new(self, h, x0, steps);
        let mut scan = ExtremeScan::new(&[1.0, -1.0], true);
        if duration == 0.0 {
            let v = exact.at(0.0)?.0;
            return Ok((v, v));
        }
        self.extremes(
            &mut scan,
            &mut exact,
            Span {
                from: 0.0,
                to: duration,
            },
        )?;
        let value = |k: usize| scan.best[k].map_or(f64::NAN, |(_, v)| v);
        Ok((value(0), -value(1)))
    }

    /// The exact crossing that a walk has found.
    pub(crate) fn polish(
        &self,
        guard: &Target<'_>,
        x0: &[f64],
        steps: &[Dense],
        find: Find,
        sign: f64,
    ) -> Result<Crossing, FlowError> {
        Exact::new(self, guard, x0, steps).polish(find, sign)
    }

    pub(crate) fn crossings_of(
        &self,
        guard: &Target<'_>,
        x0: &[f64],
        steps: &[Dense],
        direction: Direction,
        span: Span,
        only_first: bool,
    ) -> Result<SmallVec<[Crossing; 4]>, FlowError> {
        let mut scan = CrossingScan::new(direction.sign());
        let mut found: SmallVec<[Find; 4]> = SmallVec::new();
        self.windows(guard, x0, steps, span, &mut |w| {
            scan.feed(w, &mut found);
            !only_first || found.is_empty()
        })?;
        if !only_first || found.is_empty() {
            scan.finish(&mut found);
        }
        if only_first {
            found.truncate(1);
        }
        let mut exact = Exact::new(self, guard, x0, steps);
        found.into_iter().map(|f| exact.polish(f, direction.sign())).collect()
    }

    pub(crate) fn minimum_of(
        &self,
        h: &Target<'_>,
        x0: &[f64],
        steps: &[Dense],
        sign: f64,
        span: Span,
        ends: bool,
    ) -> Result<Option<Extreme>, FlowError> {
        let mut scan = ExtremeScan::new(&[sign], ends);
        let mut exact = Exact::new(self, h, x0, steps);
        self.extremes(&mut scan, &mut exact, span)?;
        Ok(scan.best[0].map(|(t, value)| Extreme { t, value }))
    }

    /// Walk along `span`, and replace values off an interpolant by exact ones.
    fn extremes(&self, scan: &mut ExtremeScan, exact: &mut Exact<'_, '_, '_>, span: Span) -> Result<(), FlowError> {
        // Trials of Newton's method may last any time.
        let (mut count, most) = (0, self.flow().options().max_steps);
        self.windows(exact.h, exact.x0, exact.steps, span, &mut |w| {
            scan.feed(w);
            count += 1;
            count < most
        })?;
        self.flow().not_too_many(count, span.from, span.to)?;
        if exact.h.rows.is_none() {
            for (best, sign) in scan.best.iter_mut().zip(&scan.signs) {
                if let Some((t, v)) = best {
                    *v = sign * exact.at(*t)?.0;
                }
            }
        }
        Ok(())
    }

    /// Visit the windows of `h` along the solution from `x0`, until `visit` returns false.
    pub(crate) fn windows(
        &self,
        h: &Target<'_>,
        x0: &[f64],
        steps: &[Dense],
        span: Span,
        each: &mut dyn FnMut(&TaylorPiece) -> bool,
    ) -> Result<(), FlowError> {
        let Span { from, to } = span;
        if from == to {
            return Ok(());
        }
        match (self.taylor(), &h.rows) {
            (Some(taylor), Some(rows)) => {
                let mut only = |_: usize, w: &TaylorPiece| each(w);
                let to = Cell::new(to);
                if to.get() > from {
                    self.taylor_pieces(taylor, &[rows], x0, from, &to, &mut only)
                } else {
                    self.taylor_pieces(&taylor.reversed(), &[&rows.reversed()], x0, from, &to, &mut only)
                }
            }
            _ => {
                if steps.is_empty() {
                    for window in ClosedWindows::new(self, h, x0, span) {
                        match window {
                            Ok(window) if each(&window) => {}
                            Ok(_) => break,
                            Err(t) => return Err(self.not_finite(t)),
                        }
                    }
                    return Ok(());
                }
                let mut exact = Exact::new(self, h, x0, steps);
                let mut lost = None;
                let mut each = |w: &TaylorPiece| {
                    if w.q.iter().any(|c| !c.is_finite()) {
                        lost = Some(w.time(-1.0));
                        return false;
                    }
                    each(w)
                };
                for step in steps {
                    exact.x.copy_from_slice(&step.y0);
                    let absolute = exact.rounding();
                    let noise = Noise {
                        relative: self.flow().options().rtol.max(EXACT),
                        absolute: absolute.max(rounding_of_time(&mut exact, step)),
                    };
                    let (a, b) = if to > from {
                        (step.t.max(from), (step.t + step.h).min(to))
                    } else {
                        (step.t.min(from), (step.t + step.h).max(to))
                    };
                    if (b - a) * (to - from) > 0.0
                        && !interpolate(&mut |t| exact.in_step(step, t), a, b, noise, &mut each)
                    {
                        break;
                    }
                }
                lost.map_or(Ok(()), |t| Err(self.not_finite(t)))
            }
        }
    }

    /// As [`EventLocator::windows`] for several functions at once, of which all are affine in a linear mode: the
    /// windows come in the order of time, each with the index of its function. A function whose window was answered
    /// with false is left out from there on. `to` may be drawn nearer meanwhile.
    ///
    /// # Errors
    /// Where the path leaves the finite numbers.
    pub(crate) fn windows_together(
        &self,
        functions: &[&Rows],
        x0: &[f64],
        to: &Cell<f64>,
        each: &mut dyn FnMut(usize, &TaylorPiece) -> bool,
    ) -> Result<(), FlowError> {
        match self.taylor() {
            Some(taylor) if to.get() > 0.0 => self.taylor_pieces(taylor, functions, x0, 0.0, to, each),
            _ => Ok(()),
        }
    }

    fn taylor_pieces(
        &self,
        taylor: &Taylor,
        functions: &[&Rows],
        x0: &[f64],
        from: f64,
        to: &Cell<f64>,
        each: &mut dyn FnMut(usize, &TaylorPiece) -> bool,
    ) -> Result<(), FlowError> {
        /// Without a closed form the basis is carried from centre to centre, and renewed from the start every so many
        /// windows, so that rounding does not pile up.
        const RENEW: usize = 16;
        let length = taylor.length();
        let closed = self.flow().mode().exact.is_some();
        if !closed && taylor.is_worth_widening(to.get() - from) {
            return self.wide_pieces(taylor, functions, x0, from, to, each);
        }
        let mut z: SmallVec<[f64; 17]> = SmallVec::from_elem(0.0, taylor.field.size());
        let mut x: SmallVec<[f64; 8]> = SmallVec::from_slice(x0);
        let mut active: SmallVec<[bool; 8]> = SmallVec::from_elem(true, functions.len());
        let mut k = 0;
        while active.contains(&true) {
            look();
            let start = from + k as f64 * length;
            let centre = start + taylor.half;
            if (to.get() - start) * length <= 0.0 && k > 0 {
                break;
            }
            if closed {
                self.state(x0, centre, &mut x)?;
                taylor.field.embed(&x, &mut z);
            } else if k % RENEW == 0 {
                if start != 0.0 {
                    self.state(x0, start, &mut x)?;
                }
                taylor.field.embed(&x, &mut z);
                taylor.first(&mut z);
            } else {
                taylor.leap(1, &mut z);
            }
            let angle = taylor.field.largest_angle(&x);
            if !taylor.show(functions, &mut active, (&z, angle), (centre, to), each) {
                return Err(self.not_finite(start));
            }
            k += 1;
        }
        Ok(())
    }
}
