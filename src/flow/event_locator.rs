//! Scalar functions watched along the solutions of a mode: guards, inequalities, observables.

use super::error::FlowError;
use super::mode_flow::ModeFlow;
use super::taylor_piece::{Rows, Taylor};
use slipstick_system::Function;
use smallvec::SmallVec;

/// A start or end at which a guard is this close to zero lies on its surface: orbits are solved to about this accuracy.
pub const ON_SURFACE: f64 = 1e-9;

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

impl<'a> ModeFlow<'a> {
    /// The mode at the parameters `p`, ready to locate events and extremes of functions along many solutions.
    pub fn locator(&self, p: &[f64]) -> EventLocator<'a> {
        EventLocator::new(self.clone(), p)
    }
}

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
                taylor.advance(x0, t, x);
                true
            }
            None => false,
        }
    }

    pub(super) fn not_finite(&self, t: f64) -> FlowError {
        FlowError::NotFinite {
            mode: self.flow.mode().name.clone(),
            t,
        }
    }
    /// The exact state at `t`, without looking up the linear field again.
    pub(crate) fn state(&self, x0: &[f64], t: f64, x: &mut [f64]) -> Result<(), FlowError> {
        match &self.taylor {
            Some(taylor) if self.flow.mode().exact.is_none() => {
                taylor.advance(x0, t, x);
                Ok(())
            }
            _ => self.flow.advance(x0, t, &self.p, x),
        }
    }
}
