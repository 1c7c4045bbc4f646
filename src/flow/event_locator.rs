//! Scalar functions watched along the solutions of a mode: guards, inequalities, observables.

use super::error::FlowError;
use super::exact::Exact;
use super::integrate::Dense;
use super::mode_flow::ModeFlow;
use super::scan::{CrossingScan, ExtremeScan, Find};
use super::taylor_piece::{Noise, Rows, Taylor, TaylorPiece, interpolate};
use slipstick_numerics::stop::look;
use slipstick_system::{Direction, Function};
use smallvec::SmallVec;

/// A zero of a guard along a path.
///
/// ```
/// use slipstick_flow::{FlowOptions, ModeFlow};
/// use slipstick_system::{Direction, catalogue::stiction};
/// let system = stiction();
/// let p = [2.0, 1.1, 0.4];
/// let slip = ModeFlow::new(&system, system.mode("slip-").unwrap(), FlowOptions::default());
/// // When does the mass, sliding back from x = 1, come to a halt?
/// let path = slip.path(&[1.0, -0.5, 0.0], 6.0, &p)?;
/// let halt = &system.modes[system.mode("slip-").unwrap()].events[0].guard;
/// let crossing = path.first_crossing(halt.as_ref(), Direction::Up, &p, 0.0, 6.0)?.ok_or("it never halts")?;
/// let mut state = [0.0; 3];
/// path.eval(crossing.t, &mut state);
/// assert!(state[1].abs() < 1e-13 && crossing.rate > 0.0 && !crossing.touching);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// When, since the start of the path.
    pub t: f64,
    /// d(guard)/dt there.
    pub rate: f64,
    /// The guard only touches zero, within rounding, and turns back.
    pub touching: bool,
}

/// An extreme value along a path.
///
/// ```
/// use slipstick_flow::{FlowOptions, ModeFlow};
/// use slipstick_system::catalogue::stiction;
/// let system = stiction();
/// let p = [2.0, 1.1, 0.4];
/// let slip = ModeFlow::new(&system, system.mode("slip-").unwrap(), FlowOptions::default());
/// let path = slip.path(&[1.0, -0.5, 0.0], 3.0, &p)?;
/// // The guard of slip is the velocity: where is it least, and how large is it there?
/// let velocity = &system.modes[system.mode("slip-").unwrap()].events[0].guard;
/// let fastest = path.interior_minimum(velocity.as_ref(), 1.0, &p, 0.0, 3.0, false)?.ok_or("no minimum inside")?;
/// let mut state = [0.0; 3];
/// path.eval(fastest.t, &mut state);
/// assert!((state[1] - fastest.value).abs() < 1e-13 && fastest.value < -0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extreme {
    /// When, since the start of the path.
    pub t: f64,
    /// The value.
    pub value: f64,
}

/// A mode at fixed parameters, ready to locate events and extremes of functions along many solutions. What depends on
/// the parameters alone is computed once: make one per parameter value, not per solution.
///
/// ```
/// use slipstick_flow::{FlowOptions, ModeFlow};
/// use slipstick_system::{Direction, catalogue::stiction};
/// let system = stiction();
/// let p = [2.0, 1.1, 0.4];
/// let slip = system.mode("slip-").unwrap();
/// let locator = ModeFlow::new(&system, slip, FlowOptions::default()).locator(&p);
/// // The expansion of the guard is made once and serves every start.
/// let halt = locator.prepare(system.modes[slip].events[0].guard.as_ref(), &p);
/// let mut times = vec![];
/// for x in [0.5, 1.0, 1.5] {
///     let crossing = locator.first_crossing(&halt, &[x, -0.5, 0.0], Direction::Up, 0.0, 6.0)?;
///     times.push(crossing.ok_or("it never halts")?.t);
/// }
/// assert!(times.windows(2).all(|pair| pair[0] < pair[1]), "the further out, the longer the way back");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct EventLocator<'a> {
    flow: ModeFlow<'a>,
    p: SmallVec<[f64; 8]>,
    taylor: Option<Taylor>,
}

/// A function made ready for a [`EventLocator`].
///
/// ```
/// use slipstick_flow::{FlowOptions, ModeFlow};
/// use slipstick_system::catalogue::stiction;
/// let system = stiction();
/// let p = [2.0, 1.1, 0.4];
/// let slip = system.mode("slip-").unwrap();
/// let locator = ModeFlow::new(&system, slip, FlowOptions::default()).locator(&p);
/// let velocity = locator.prepare(system.modes[slip].events[0].guard.as_ref(), &p);
/// let (least, largest) = locator.extrema(&velocity, &[1.0, -0.5, 0.0], 1.0)?;
/// assert!(least < -0.5 && (largest + 0.5).abs() < 1e-15, "it begins at its slowest");
/// # Ok::<(), slipstick_flow::FlowError>(())
/// ```
pub struct Target<'f> {
    pub(super) function: &'f dyn Function,
    pub(super) p: SmallVec<[f64; 8]>,
    /// Its expansion, if the mode is linear and the function affine in the basis.
    pub(super) rows: Option<Rows>,
}

/// Times of a walk, from first to last.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) from: f64,
    pub(crate) to: f64,
}

/// Relative accuracy of values along exact and along integrated paths.
const EXACT: f64 = 4.0 * f64::EPSILON;

impl<'a> EventLocator<'a> {
    pub(crate) fn new(flow: ModeFlow<'a>, p: &[f64]) -> Self {
        let taylor = flow.linear(p).map(Taylor::new);
        Self {
            flow,
            p: SmallVec::from_slice(p),
            taylor,
        }
    }
    /// The flow watched.
    pub fn flow(&self) -> &ModeFlow<'a> {
        &self.flow
    }
    /// Make `function` ready; `p` are the parameters it takes.
    pub fn prepare<'f>(&self, function: &'f dyn Function, p: &[f64]) -> Target<'f> {
        Target {
            function,
            p: SmallVec::from_slice(p),
            rows: self.taylor.as_ref().and_then(|t| t.rows(function, p)),
        }
    }
    /// The first time in [from, to] at which the guard crosses zero in the given direction, along the solution from
    /// `x0`; touching zero within rounding counts. A zero at `from` itself, where the solution has just started, does
    /// not. Backwards if `to < from`.
    ///
    /// # Errors
    /// When the state leaves the finite numbers or the integrator gives up.
    pub fn first_crossing(
        &self,
        guard: &Target<'_>,
        x0: &[f64],
        direction: Direction,
        from: f64,
        to: f64,
    ) -> Result<Option<Crossing>, FlowError> {
        if !self.is_exact() {
            return self
                .flow
                .path(x0, to, &self.p)?
                .first_crossing(guard.function, direction, &guard.p, from, to);
        }
        self.crossings_of(guard, x0, &[], direction, Span { from, to }, true)
            .map(|c| c.first().copied())
    }
    /// The smallest value of `sign·h` over the open interval (from, to) along the solution from `x0`: the lowest
    /// interior local minimum, and with `ends` the values at both ends too. `None` if there is no interior minimum and
    /// the ends are left out.
    ///
    /// # Errors
    /// When the state leaves the finite numbers or the integrator gives up.
    pub fn minimum(
        &self,
        h: &Target<'_>,
        x0: &[f64],
        sign: f64,
        from: f64,
        to: f64,
        ends: bool,
    ) -> Result<Option<Extreme>, FlowError> {
        if !self.is_exact() {
            return self
                .flow
                .path(x0, to, &self.p)?
                .interior_minimum(h.function, sign, &h.p, from, to, ends);
        }
        self.minimum_of(h, x0, &[], sign, Span { from, to }, ends)
    }

    /// [`Path::least_inside`](super::Path::least_inside) along the solution from `x0` over `duration`.
    ///
    /// # Errors
    /// When the state leaves the finite numbers or the integrator gives up.
    pub fn least_inside(
        &self,
        h: &Target<'_>,
        x0: &[f64],
        sign: f64,
        ends_here: bool,
        duration: f64,
    ) -> Result<f64, FlowError> {
        if !self.is_exact() {
            return self
                .flow
                .path(x0, duration, &self.p)?
                .least_inside(h.function, sign, ends_here, &h.p);
        }
        self.least_inside_of(h, x0, &[], sign, ends_here, duration)
    }
    /// The smallest and the largest value of `h` along the solution from `x0` over `duration`, the ends included.
    ///
    /// # Errors
    /// When the state leaves the finite numbers or the integrator gives up.
    pub fn extrema(&self, h: &Target<'_>, x0: &[f64], duration: f64) -> Result<(f64, f64), FlowError> {
        if !self.is_exact() {
            return self.flow.path(x0, duration, &self.p)?.extrema(h.function, &h.p);
        }
        self.extrema_of(h, x0, &[], duration)
    }

    pub(crate) fn least_inside_of(
        &self,
        h: &Target<'_>,
        x0: &[f64],
        steps: &[Dense],
        sign: f64,
        ends_here: bool,
        duration: f64,
    ) -> Result<f64, FlowError> {
        let least = self.least_inside_at(h, x0, steps, sign, ends_here, duration)?;
        Ok(least.map_or(f64::INFINITY, |e| e.value))
    }

    /// As [`EventLocator::least_inside_of`], with its time; `None` if nothing is left.
    pub(crate) fn least_inside_at(
        &self,
        h: &Target<'_>,
        x0: &[f64],
        steps: &[Dense],
        sign: f64,
        ends_here: bool,
        duration: f64,
    ) -> Result<Option<Extreme>, FlowError> {
        /// A start this close to the surface is on it: orbits are solved to about this accuracy.
        const ON_SURFACE: f64 = 1e-9;
        /// A tangency turns this close to its end, for a curvature of 1.
        const NEAR_END: f64 = 1e-4;
        let mut exact = Exact::new(self, h, x0, steps);
        let mut scan = ExtremeScan::new(&[sign], false);
        let start = exact.value();
        if start.abs() > ON_SURFACE {
            scan.offer(0, 0.0, start);
        } else {
            scan.starts_on_surface(ON_SURFACE);
        }
        if ends_here {
            scan.ends_on_surface(duration - NEAR_END * (1.0 + duration), ON_SURFACE);
        } else {
            scan.offer(0, duration, exact.at(duration)?.0);
        }
        self.extremes(
            &mut scan,
            &mut exact,
            Span {
                from: 0.0,
                to: duration,
            },
        )?;
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
    pub(super) fn taylor(&self) -> Option<&Taylor> {
        self.taylor.as_ref()
    }
    /// The parameters.
    pub(crate) fn parameters(&self) -> &[f64] {
        &self.p
    }
    /// Is the mode flowed without an integrator?
    pub(crate) fn is_exact(&self) -> bool {
        self.taylor.is_some() || self.flow.mode().exact.is_some()
    }
    pub(crate) fn is_linear(&self) -> bool {
        self.taylor.is_some()
    }
    /// x(t) from `x0` if the mode is linear.
    pub(crate) fn linear_state(&self, x0: &[f64], t: f64, x: &mut [f64]) -> bool {
        match &self.taylor {
            Some(taylor) => {
                taylor.field.advance(x0, t, x);
                true
            }
            None => false,
        }
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
        self.windows(exact.h, exact.x0, exact.steps, span, &mut |w| {
            scan.feed(w);
            true
        })?;
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
        match (&self.taylor, &h.rows) {
            (Some(taylor), Some(rows)) => {
                if to > from {
                    self.taylor_pieces(taylor, rows, x0, span, each)
                } else {
                    self.taylor_pieces(&taylor.reversed(), &rows.reversed(), x0, span, each)
                }
            }
            _ => {
                let mut exact = Exact::new(self, h, x0, steps);
                let mut lost = None;
                let mut each = |w: &TaylorPiece| {
                    if w.q.iter().any(|c| !c.is_finite()) {
                        lost = Some(w.time(-1.0));
                        return false;
                    }
                    each(w)
                };
                if steps.is_empty() {
                    // The natural window of a linear mode; a guess, halved as needed, for other closed forms.
                    let length = self.taylor.as_ref().map_or((to - from).abs() / 4.0, |t| 2.0 * t.half);
                    let count = ((to - from).abs() / length).ceil().clamp(1.0, 1e6);
                    let noise = Noise {
                        relative: EXACT,
                        absolute: exact.rounding(),
                    };
                    for k in 0..count as usize {
                        let at = |k: usize| from + (to - from) * k as f64 / count;
                        if !interpolate(&mut |t| exact.sample(t), at(k), at(k + 1), noise, &mut each) {
                            break;
                        }
                    }
                } else {
                    for step in steps {
                        exact.x.copy_from_slice(&step.y0);
                        let noise = Noise {
                            relative: self.flow.options().rtol.max(EXACT),
                            absolute: exact.rounding(),
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
                }
                lost.map_or(Ok(()), |t| Err(self.not_finite(t)))
            }
        }
    }

    fn taylor_pieces(
        &self,
        taylor: &Taylor,
        rows: &Rows,
        x0: &[f64],
        Span { from, to }: Span,
        each: &mut dyn FnMut(&TaylorPiece) -> bool,
    ) -> Result<(), FlowError> {
        /// Without a closed form the basis is carried from centre to centre, and renewed from the start every so many
        /// windows, so that rounding does not pile up.
        const RENEW: usize = 16;
        let length = 2.0 * taylor.half;
        let closed = self.flow.mode().exact.is_some();
        let mut z: SmallVec<[f64; 17]> = SmallVec::from_elem(0.0, taylor.field.size());
        let mut x: SmallVec<[f64; 8]> = SmallVec::from_slice(x0);
        let mut k = 0;
        loop {
            look();
            let start = from + k as f64 * length;
            let centre = start + taylor.half;
            if (to - start) * length <= 0.0 && k > 0 {
                return Ok(());
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
                taylor.next(&mut z);
            }
            let last = ((to - centre) / taylor.half).min(1.0);
            let piece = taylor.piece(rows, &z, taylor.field.largest_angle(&x), centre, last);
            if !piece.delta.is_finite() {
                return Err(self.not_finite(start));
            }
            if !each(&piece) {
                return Ok(());
            }
            k += 1;
        }
    }

    fn not_finite(&self, t: f64) -> FlowError {
        FlowError::NotFinite {
            mode: self.flow.mode().name.clone(),
            t,
        }
    }
    /// The exact state at `t`, without looking up the linear field again.
    pub(crate) fn state(&self, x0: &[f64], t: f64, x: &mut [f64]) -> Result<(), FlowError> {
        match &self.taylor {
            Some(taylor) if self.flow.mode().exact.is_none() => {
                taylor.field.advance(x0, t, x);
                Ok(())
            }
            _ => self.flow.advance(x0, t, &self.p, x),
        }
    }
}
