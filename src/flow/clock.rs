//! Jumps at times that are known beforehand: those of fields and guards where what only counts time passes them, as in
//! square waves, saw teeth and set points that change with the hour.

use super::error::FlowError;
use super::mode_flow::ModeFlow;
use super::options::FlowOptions;
use super::path::Path;
use slipstick_numerics::scalar::Scalar;
use slipstick_system::{Direction, Formula, Mode, SharedFunction, System, jacobian};
use std::sync::Arc;

/// The jumps of a mode that its clocks decide: the states that grow at a constant rate whatever the others do.
pub(super) struct Clock {
    system: System,
    mode: Mode,
    /// Scalars of which one changes sign at each jump; each is smooth between the zeros of those before it.
    surfaces: Vec<SharedFunction>,
}

/// A clock at fixed parameters.
pub(super) struct Ticking<'c> {
    surfaces: &'c [SharedFunction],
    /// The mode with nothing moving but its clocks.
    alone: System,
    rates: Vec<f64>,
}

/// A jump ahead.
#[derive(Clone, Copy, Debug)]
pub(super) struct Jump {
    surface: usize,
    /// So long it is until shortly before the jump, where the field is one formula,
    pub(super) before: f64,
    /// and so long from there until shortly behind it.
    pub(super) over: f64,
}

/// Constant rates of all states.
struct Steady(Vec<f64>);

impl Formula for Steady {
    fn outputs(&self) -> usize {
        self.0.len()
    }
    fn eval<T: Scalar>(&self, _: &[T], _: &[T], out: &mut [T]) {
        for (out, rate) in out.iter_mut().zip(&self.0) {
            *out = T::from_f64(*rate);
        }
    }
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
        if corners.is_empty() {
            return None;
        }
        let rates = constant_rates(m, &system.default_parameters());
        let surfaces = corners.into_iter().flat_map(|c| c.surfaces_by(|i| rates[i] != 0.0));
        let surfaces: Vec<SharedFunction> = surfaces.map(|s| Arc::new(s) as SharedFunction).collect();
        (!surfaces.is_empty()).then(|| Self {
            system: System {
                modes: vec![],
                ..system.clone()
            },
            mode: Mode {
                events: vec![],
                inequalities: vec![],
                exact: None,
                ..m.clone()
            },
            surfaces,
        })
    }

    /// The same at these parameters.
    pub(super) fn at(&self, p: &[f64]) -> Ticking<'_> {
        let rates = constant_rates(&self.mode, p);
        let alone = Mode {
            field: Arc::new(Steady(rates.clone())),
            ..self.mode.clone()
        };
        Ticking {
            surfaces: &self.surfaces,
            alone: System {
                modes: vec![alone],
                ..self.system.clone()
            },
            rates,
        }
    }
}

impl Ticking<'_> {
    /// How long before and after a jump its sides can be told apart.
    fn aside(&self, x: &[f64]) -> f64 {
        const APART: f64 = 1e-12;
        let clocks = self.rates.iter().zip(x).filter(|(rate, _)| **rate != 0.0);
        APART * clocks.map(|(rate, x)| (1.0 + x.abs()) / rate.abs()).fold(0.0, f64::max)
    }

    /// The jumps ahead of `x` within a time.
    ///
    /// # Errors
    /// When a clock leaves the finite numbers.
    pub(super) fn ahead(&self, x: &[f64], time: f64, p: &[f64]) -> Result<Ahead<'_>, FlowError> {
        Ok(Ahead {
            surfaces: self.surfaces,
            path: ModeFlow::new(&self.alone, 0, FlowOptions::default()).path(x, time, p)?,
            p: p.to_vec(),
            aside: self.aside(x),
            from: 0.0,
        })
    }

    /// The derivatives of the time of a jump by the states shortly before it and by the parameters `free`.
    pub(super) fn time_derivatives(&self, jump: &Jump, x: &[f64], p: &[f64], free: &[usize]) -> (Vec<f64>, Vec<f64>) {
        let (mut dx, mut dp) = (vec![0.0; x.len()], vec![0.0; free.len()]);
        jacobian(&*self.surfaces[jump.surface], x, p, free, &mut [0.0], &mut dx, &mut dp);
        let rate: f64 = dx.iter().zip(&self.rates).map(|(d, r)| d * r).sum();
        dx.iter_mut().chain(&mut dp).for_each(|d| *d /= -rate);
        (dx, dp)
    }
}

/// The jumps ahead of a motion, one after the other.
pub(super) struct Ahead<'t> {
    surfaces: &'t [SharedFunction],
    path: Path<'t>,
    p: Vec<f64>,
    aside: f64,
    from: f64,
}

impl Ahead<'_> {
    /// The next one, if there is another.
    ///
    /// # Errors
    /// When a clock leaves the finite numbers.
    pub(super) fn next(&mut self) -> Result<Option<Jump>, FlowError> {
        let (from, end, aside) = (self.from, self.path.duration(), self.aside);
        let mut next: Option<Jump> = None;
        for (surface, function) in self.surfaces.iter().enumerate() {
            for direction in [Direction::Up, Direction::Down] {
                let to = next.map_or(end, |jump| from + jump.before);
                let found = self.path.first_crossing(&**function, direction, &self.p, from, to)?;
                if let Some(at) = found.filter(|at| at.t > from + 2.0 * aside && at.t - aside < to) {
                    next = Some(Jump {
                        surface,
                        before: at.t - aside - from,
                        over: 2.0 * aside,
                    });
                }
            }
        }
        self.from += next.map_or(end - from, |jump| jump.before + jump.over);
        Ok(next)
    }
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
