//! How one mode is advanced, and the derivatives of that.

use super::clock::{Clock, Jump};
use super::equations::{Equations, signed};
use super::error::FlowError;
use super::integrate::{Observer, integrate};
use super::linear::{Layout, LinearField, constants};
use super::options::FlowOptions;
use super::step::Dense;
use super::time_jumps::{NEAR, TimeJumps};
use slipstick_system::{Mode, State, System, jacobian};
use smallvec::SmallVec;
use std::sync::Arc;

/// By what means a mode is advanced.
///
/// ```
/// use slipstick_flow::{FlowKind, FlowOptions, ModeFlow};
/// use slipstick_system::catalogue::{regularised_stiction, stiction};
/// let kind = |system: &slipstick_system::System, mode: &str| {
///     let mode = system.mode(mode).unwrap();
///     ModeFlow::new(system, mode, FlowOptions::default()).kind(&system.default_parameters())
/// };
/// assert_eq!(kind(&stiction(), "slip-"), FlowKind::ClosedForm);
/// // The regularised friction law is a polynomial: no closed form there.
/// assert_eq!(kind(&regularised_stiction(), "layer"), FlowKind::Integrated);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowKind {
    /// The mode brings its flow in closed form.
    ClosedForm,
    /// The field is linear; the matrix exponential flows it exactly.
    Linear,
    /// A numerical integrator.
    Integrated,
}

/// The end of a flow with its derivatives. Buffers are reused from call to call.
///
/// ```
/// use slipstick_flow::{FlowOptions, ModeFlow, Transition};
/// use slipstick_system::catalogue::stiction;
/// let system = stiction();
/// let slip = ModeFlow::new(&system, system.mode("slip-").unwrap(), FlowOptions::default());
/// // Free slip at Ω = 2: perturbations of x and y turn like those of a harmonic oscillator.
/// let mut end = Transition::default();
/// slip.linearise(&[0.3, -0.1, 1.0], 0.7, &[2.0, 1.1, 0.4], &[], &mut end)?;
/// let (s, c) = f64::sin_cos(2.0 * 0.7);
/// let [xx, xy, yx, yy] = [end.dx[0], end.dx[1], end.dx[3], end.dx[4]];
/// assert!((xx - c).abs() < 1e-14 && (xy - s / 2.0).abs() < 1e-14);
/// assert!((yx + 2.0 * s).abs() < 1e-14 && (yy - c).abs() < 1e-14);
/// # Ok::<(), slipstick_flow::FlowError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transition {
    /// The states at the end, n.
    pub x: Vec<f64>,
    /// ∂x/∂x0, n×n row-major.
    pub dx: Vec<f64>,
    /// The field at the end, n: the derivative with respect to time.
    pub f: Vec<f64>,
    /// ∂x/∂p for the parameters asked for, n×k row-major.
    pub dp: Vec<f64>,
}

impl Transition {
    fn resize(&mut self, n: usize, k: usize) {
        self.x.resize(n, 0.0);
        self.dx.resize(n * n, 0.0);
        self.f.resize(n, 0.0);
        self.dp.resize(n * k, 0.0);
    }
}

/// The flow of one mode of a system.
///
/// ```
/// use slipstick_flow::{FlowKind, FlowOptions, ModeFlow, Transition};
/// use slipstick_system::catalogue::stiction;
/// let system = stiction();
/// let slip = ModeFlow::new(&system, 1, FlowOptions::default());
/// let p = [2.0, 1.1, 0.4];
/// assert_eq!(slip.kind(&p), FlowKind::ClosedForm);
/// let mut end = Transition::default();
/// slip.linearise(&[0.3, 0.0, 1.0], 0.7, &p, &[0], &mut end)?;
/// assert!((end.f[0] - end.x[1]).abs() < 1e-15); // x' = y
/// # Ok::<(), slipstick_flow::FlowError>(())
/// ```
#[derive(Clone)]
pub struct ModeFlow<'a> {
    mode: &'a Mode,
    states: SmallVec<[&'a State; 8]>,
    options: FlowOptions,
    /// The layout in which the field is linear at the default parameters: tried first at others.
    layout: Option<Layout>,
    /// What jumps at times that are known beforehand.
    clock: Option<Arc<Clock>>,
    /// The same with the guards of its events.
    jumps: Option<TimeJumps>,
    /// Do motions begin, and end, on such jumps?
    on_jumps: (bool, bool),
}

impl<'a> ModeFlow<'a> {
    /// The flow of mode number `mode` of `system`.
    ///
    /// # Panics
    /// If the system has no such mode.
    pub fn new(system: &'a System, mode: usize, options: FlowOptions) -> Self {
        let (number, mode) = (mode, &system.modes[mode]);
        let states: SmallVec<[&State; 8]> = mode.states.iter().map(|&i| &system.states[i]).collect();
        let layout = LinearField::recognise(&*mode.field, &states, &system.default_parameters());
        Self {
            mode,
            states,
            options,
            layout: layout.map(LinearField::into_layout),
            clock: mode
                .field
                .corners()
                .and_then(|_| Clock::of(system, number, false))
                .map(Arc::new),
            jumps: (mode.events.iter().any(|event| event.guard.corners().is_some()))
                .then(|| TimeJumps::of(system, number))
                .flatten(),
            on_jumps: (false, false),
        }
    }
    /// Motions begin, and end, on jumps with time: they are behind the one and before the other all along. A motion a
    /// little too long goes on beyond the jump as it came to it.
    #[doc(hidden)]
    pub fn lies_between_jumps(&mut self, begins: bool, ends: bool) {
        self.on_jumps = (begins, ends);
    }
    pub(crate) fn lies_on_jumps(&self) -> bool {
        self.on_jumps.0 || self.on_jumps.1
    }
    /// The stretches of a motion between which its field, or a guard, jumps with time.
    pub(crate) fn stretches(&self, x: &[f64], time: f64, p: &[f64]) -> Vec<(f64, f64)> {
        match self.jumps.as_ref().filter(|_| time > 0.0) {
            Some(jumps) => jumps.stretches(x, time, p, self.on_jumps),
            None => vec![(0.0, time)],
        }
    }
    /// Number of states of the mode.
    pub fn dim(&self) -> usize {
        self.states.len()
    }
    /// The mode.
    pub fn mode(&self) -> &'a Mode {
        self.mode
    }
    /// The tolerances.
    pub fn options(&self) -> &FlowOptions {
        &self.options
    }
    /// Give a motion up after so many steps from now on.
    ///
    /// ```
    /// use slipstick_flow::{FlowOptions, ModeFlow};
    /// use slipstick_system::catalogue::regularised_stiction;
    /// let system = regularised_stiction();
    /// let mut slip = ModeFlow::new(&system, 0, FlowOptions::default());
    /// slip.limit_steps(500);
    /// assert_eq!(slip.options().max_steps, 500);
    /// ```
    pub fn limit_steps(&mut self, most: usize) {
        self.options.max_steps = most;
    }
    /// How the mode is advanced at the parameters `p`.
    pub fn kind(&self, p: &[f64]) -> FlowKind {
        if self.mode.exact.is_some() {
            FlowKind::ClosedForm
        } else if self.linear(p).is_some() {
            FlowKind::Linear
        } else {
            FlowKind::Integrated
        }
    }
    /// Is the flow known in closed form at `p` and at parameters nearby? A cubic spring of stiffness zero is linear at
    /// `p` alone.
    pub fn is_closed_nearby(&self, p: &[f64]) -> bool {
        self.mode.exact.is_some()
            || self
                .linear(p)
                .is_some_and(|linear| linear.is_linear_nearby(&*self.mode.field, p))
    }
    /// The field of the mode as a linear field, if it is one at `p`.
    pub(crate) fn linear(&self, p: &[f64]) -> Option<LinearField<f64>> {
        let field = &*self.mode.field;
        self.layout
            .as_ref()
            .and_then(|layout| LinearField::in_layout(field, layout, &constants(p)))
            .or_else(|| LinearField::recognise(field, &self.states, p))
    }
    /// The derivatives of the rates by the states but the `phase`, by rows, if they are the same everywhere: in a
    /// linear mode without other angles.
    ///
    /// ```
    /// use slipstick_flow::{FlowOptions, ModeFlow};
    /// use slipstick_system::catalogue::regularised_stiction;
    /// let system = regularised_stiction();
    /// // x' = y, y' = -x - ... + sin θ, θ' = Ω.
    /// let slip = ModeFlow::new(&system, 0, FlowOptions::default());
    /// assert_eq!(slip.constant_jacobian(&[2.0, 1.1, 0.4, 0.6, 1e-3], 2).unwrap()[..2], [0.0, 1.0]);
    /// ```
    pub fn constant_jacobian(&self, p: &[f64], phase: usize) -> Option<Vec<f64>> {
        self.linear(p)?.coefficients_without(phase)
    }
    /// The equations of the mode without or with the variational ones, for motions from `x`.
    pub(crate) fn equations<'b>(
        &'b self,
        x: &[f64],
        p: &'b [f64],
        free: &'b [usize],
        variational: bool,
    ) -> Equations<'b> {
        Equations {
            signed: signed(&*self.mode.field, x, p),
            mode: &self.mode.name,
            field: &*self.mode.field,
            p,
            free,
            n: self.dim(),
            columns: if variational { self.dim() + free.len() } else { 0 },
        }
    }
    /// The state `t` after `x0`, into `out`. `t` may be negative or zero.
    ///
    /// # Errors
    /// When the state leaves the finite numbers or the integrator gives up.
    pub fn advance(&self, x0: &[f64], t: f64, p: &[f64], out: &mut [f64]) -> Result<(), FlowError> {
        self.check(x0, t)?;
        if let Some(exact) = &self.mode.exact {
            let mut z: SmallVec<[f64; 12]> = SmallVec::from_slice(x0);
            z.push(t);
            exact.value(&z, p, out);
        } else if let Some(linear) = self.linear(p) {
            linear.advance(x0, t, out);
        } else {
            out.copy_from_slice(x0);
            self.integrate(out, t, p, None)?;
        }
        self.finite(out, t)
    }
    /// Integrate from `x` over a time, from jump to jump; `observe` gets the steps.
    pub(crate) fn integrate(
        &self,
        x: &mut [f64],
        time: f64,
        p: &[f64],
        mut observe: Observer<'_>,
    ) -> Result<(), FlowError> {
        let equations = self.equations(x, p, &[], false);
        let Some(clock) = self.clock.as_ref().filter(|_| time > 0.0) else {
            integrate(&equations, x, time, &self.options, observe)?;
            return Ok(());
        };
        let mut ahead = clock.ahead(x, time, p);
        let observed = observe.is_some();
        let (mut from, mut steps) = (0.0, 0);
        loop {
            let jump = ahead.next();
            let parts = jump.map_or([time - from, 0.0], |jump| [jump.before, jump.over]);
            for part in parts {
                let mut goes_on = true;
                let mut moved = |mut step: Dense| {
                    step.t += from;
                    goes_on = observe.as_mut().is_none_or(|observe| observe(step));
                    goes_on
                };
                let moved: Observer<'_> = if observed { Some(&mut moved) } else { None };
                steps += integrate(&equations, x, part, &self.options, moved)?.steps();
                if !goes_on {
                    return Ok(());
                }
                from += part;
            }
            if jump.is_none() {
                return Ok(());
            }
            self.not_too_many(steps, from, time)?;
        }
    }
    /// An error if the pieces between jumps have taken more steps together than one may.
    pub(crate) fn not_too_many(&self, steps: usize, t: f64, end: f64) -> Result<(), FlowError> {
        if steps < self.options.max_steps {
            return Ok(());
        }
        Err(FlowError::TooManySteps {
            mode: self.mode.name.clone(),
            steps,
            t,
            end,
        })
    }
    /// The state behind a jump, from that shortly before it.
    pub(crate) fn over(&self, x: &[f64], jump: &Jump, p: &[f64], out: &mut [f64]) -> Result<(), FlowError> {
        if self.mode.exact.is_some() || self.linear(p).is_some() {
            return self.advance(x, jump.over, p, out);
        }
        out.copy_from_slice(x);
        let equations = self.equations(x, p, &[], false);
        integrate(&equations, out, jump.over, &self.options, None)?;
        self.finite(out, jump.over)
    }
    /// The state `t` after `x0` with its exact derivatives with respect to `x0`, time, and the parameters listed in
    /// `free`.
    ///
    /// # Errors
    /// When the state leaves the finite numbers or the integrator gives up.
    pub fn linearise(
        &self,
        x0: &[f64],
        t: f64,
        p: &[f64],
        free: &[usize],
        tr: &mut Transition,
    ) -> Result<(), FlowError> {
        self.check(x0, t)?;
        let (n, k) = (self.dim(), free.len());
        tr.resize(n, k);
        if let Some(exact) = &self.mode.exact {
            let mut z: SmallVec<[f64; 12]> = SmallVec::from_slice(x0);
            z.push(t);
            let mut d: SmallVec<[f64; 90]> = SmallVec::from_elem(0.0, n * (n + 1));
            jacobian(&**exact, &z, p, free, &mut tr.x, &mut d, &mut tr.dp);
            for i in 0..n {
                let row = &d[i * (n + 1)..(i + 1) * (n + 1)];
                tr.dx[i * n..(i + 1) * n].copy_from_slice(&row[..n]);
                tr.f[i] = row[n];
            }
        } else if let Some(linear) = self.linear(p) {
            linear.linearise(x0, t, &mut tr.x, &mut tr.dx, &mut tr.f);
            linear.parameter_derivatives(&*self.mode.field, x0, t, p, free, &mut tr.dp);
        } else {
            let equations = self.equations(x0, p, free, true);
            let mut y = vec![0.0; equations.len()];
            y[..n].copy_from_slice(x0);
            for i in 0..n {
                y[n + i * (n + k) + i] = 1.0;
            }
            let before_jump = self.integrate_variations(&equations, &mut y, t, free)?;
            tr.x.copy_from_slice(&y[..n]);
            for i in 0..n {
                let row = &y[n + i * (n + k)..n + (i + 1) * (n + k)];
                tr.dx[i * n..(i + 1) * n].copy_from_slice(&row[..n]);
                tr.dp[i * k..(i + 1) * k].copy_from_slice(&row[n..]);
            }
            match before_jump {
                Some(rates) => tr.f.copy_from_slice(&rates),
                None => self.mode.field.value(&tr.x, p, &mut tr.f),
            }
        }
        self.finite(&tr.x, t)
    }
    /// Integrate the states with their derivatives from jump to jump. A jump of the field turns the derivatives by the
    /// difference of the fields times that of the jump's time. Of a motion that ends on a jump the rates before it.
    fn integrate_variations(
        &self,
        equations: &Equations,
        y: &mut [f64],
        time: f64,
        free: &[usize],
    ) -> Result<Option<Vec<f64>>, FlowError> {
        let (n, p) = (self.dim(), equations.p);
        let columns = n + free.len();
        let (mut from, mut steps) = (0.0, 0);
        /// A jump counts as so many steps: where a correction goes astray, times grow to any length.
        const JUMP: usize = 500;
        let rates_at = |x: &[f64]| {
            let mut rates = vec![0.0; n];
            self.mode.field.value(x, p, &mut rates);
            rates
        };
        let slide = |y: &mut [f64], rates: &[f64], time: f64| {
            y.iter_mut().zip(rates).for_each(|(x, rate)| *x += rate * time);
        };
        if let Some(clock) = self.clock.as_ref().filter(|_| time <= 0.0 && self.lies_on_jumps()) {
            // On the way to a border a segment may last less than no time.
            let aside = 2.0 * clock.ahead(&y[..n], 0.0, p).aside();
            let side = if self.on_jumps.1 { time - aside } else { aside };
            let rates = rates_at(&clock.moved(&y[..n], side, p));
            slide(y, &rates, time);
            return Ok(Some(rates));
        }
        if let Some(clock) = self.clock.as_ref().filter(|_| time > 0.0) {
            let mut ahead = clock.ahead(&y[..n], time, p);
            if self.on_jumps.0 {
                from = ahead.leave_start(NEAR * time);
                let behind = rates_at(&clock.moved(&y[..n], from, p));
                slide(y, &behind, from);
            }
            if self.on_jumps.1 {
                ahead.reach_beyond_end();
            }
            while let Some(jump) = ahead.next() {
                let at = from + jump.before + ahead.aside();
                steps += integrate(equations, y, jump.before, &self.options, None)?.steps();
                let x = y[..n].to_vec();
                let before = rates_at(&x);
                if self.on_jumps.1 && time - at <= NEAR * time && ahead.was_last() {
                    slide(y, &before, time - from - jump.before);
                    return Ok(Some(before));
                }
                self.over(&x, &jump, p, &mut y[..n])?;
                let behind = rates_at(&y[..n]);
                let (dx, dp) = ahead.time_derivatives(&jump, &x, free);
                let later: Vec<f64> = (0..columns)
                    .map(|c| {
                        let moved: f64 = (0..n).map(|i| dx[i] * y[n + i * columns + c]).sum();
                        moved + c.checked_sub(n).map_or(0.0, |k| dp[k])
                    })
                    .collect();
                for i in 0..n {
                    for (c, later) in later.iter().enumerate() {
                        y[n + i * columns + c] += (before[i] - behind[i]) * later;
                    }
                }
                from += jump.before + jump.over;
                steps += JUMP;
                self.not_too_many(steps, from, time)?;
            }
        }
        integrate(equations, y, time - from, &self.options, None)?;
        Ok(None)
    }
    pub(super) fn check(&self, x0: &[f64], t: f64) -> Result<(), FlowError> {
        if x0.len() != self.dim() {
            return Err(FlowError::Argument {
                mode: self.mode.name.clone(),
                what: format!("the start has {} states where the mode has {}", x0.len(), self.dim()),
            });
        }
        if !t.is_finite() {
            return Err(FlowError::Argument {
                mode: self.mode.name.clone(),
                what: format!("cannot integrate over the time {t}"),
            });
        }
        Ok(())
    }
    fn finite(&self, x: &[f64], t: f64) -> Result<(), FlowError> {
        if x.iter().all(|v| v.is_finite()) {
            return Ok(());
        }
        Err(FlowError::NotFinite {
            mode: self.mode.name.clone(),
            t,
        })
    }
}
