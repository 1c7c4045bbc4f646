//! A watched function on the exact solution: what candidates found on polynomials are polished with.

use super::dop853::Explicit;
use super::error::FlowError;
use super::event_locator::{Crossing, EventLocator, Target};
use super::linear::dot;
use super::mode_flow::ModeFlow;
use super::radau::Implicit;
use super::scan::Find;
use super::step::{Dense, Tolerance};
use slipstick_numerics::roots::newton_root;
use slipstick_system::jacobian;
use smallvec::SmallVec;

/// Values of a watched function on the exact solution.
pub(super) struct Exact<'w, 'a, 'f> {
    locator: &'w EventLocator<'a>,
    pub(super) h: &'w Target<'f>,
    pub(super) x0: &'w [f64],
    pub(super) steps: &'w [Dense],
    /// The state last visited.
    pub(super) x: SmallVec<[f64; 8]>,
}

impl<'w, 'a, 'f> Exact<'w, 'a, 'f> {
    pub(super) fn new(locator: &'w EventLocator<'a>, h: &'w Target<'f>, x0: &'w [f64], steps: &'w [Dense]) -> Self {
        Self {
            locator,
            h,
            x0,
            steps,
            x: SmallVec::from_slice(x0),
        }
    }
    /// The value at `t` of a path without integrator steps; NaN where the path fails.
    pub(super) fn sample(&mut self, t: f64) -> f64 {
        if self.locator.state(self.x0, t, &mut self.x).is_err() {
            return f64::NAN;
        }
        self.value()
    }
    /// The value on the interpolant of `step`.
    pub(super) fn in_step(&mut self, step: &Dense, t: f64) -> f64 {
        step.eval((t - step.t) / step.h, &mut self.x);
        self.value()
    }
    /// The value at the state last visited, the start at first.
    pub(super) fn value(&self) -> f64 {
        let mut v = [0.0];
        self.h.function.value(&self.x, &self.h.p, &mut v);
        v[0]
    }
    /// The rounding of the terms that the value at the state last visited is made of: ε Σ |∂h/∂xᵢ xᵢ|.
    pub(super) fn rounding(&self) -> f64 {
        let mut gradient: SmallVec<[f64; 8]> = SmallVec::from_elem(0.0, self.x.len());
        let mut v = [0.0];
        jacobian(self.h.function, &self.x, &self.h.p, &[], &mut v, &mut gradient, &mut []);
        let terms: f64 = gradient.iter().zip(&self.x).map(|(g, x)| (g * x).abs()).sum();
        f64::EPSILON * (terms + v[0].abs())
    }
    /// Value and time derivative at `t`.
    pub(super) fn at(&mut self, t: f64) -> Result<(f64, f64), FlowError> {
        if self.steps.is_empty() {
            self.locator.state(self.x0, t, &mut self.x)?;
        } else {
            restep(
                self.locator.flow(),
                self.locator.parameters(),
                self.steps,
                t,
                &mut self.x,
            )?;
        }
        if let (Some(taylor), Some(rows)) = (self.locator.taylor(), &self.h.rows) {
            let mut z: SmallVec<[f64; 17]> = SmallVec::from_elem(0.0, taylor.field.size());
            taylor.field.embed(&self.x, &mut z);
            return Ok(rows.value_and_rate(&z, taylor.half));
        }
        let n = self.x.len();
        let mut gradient: SmallVec<[f64; 8]> = SmallVec::from_elem(0.0, n);
        let mut field = gradient.clone();
        let mut v = [0.0];
        jacobian(self.h.function, &self.x, &self.h.p, &[], &mut v, &mut gradient, &mut []);
        self.locator
            .flow()
            .mode()
            .field
            .value(&self.x, self.locator.parameters(), &mut field);
        Ok((v[0], dot(&gradient, &field)))
    }
    /// The crossing itself, to rounding.
    pub(super) fn polish(&mut self, find: Find, sign: f64) -> Result<Crossing, FlowError> {
        match find {
            Find::Touch { t } => {
                let (_, rate) = self.at(t)?;
                Ok(Crossing {
                    t,
                    rate,
                    touching: true,
                })
            }
            Find::Crossing { before, after, guess } => {
                // At `after` itself the path ends, within rounding of zero.
                let resolution = (0.0, 2.0 * f64::EPSILON);
                let root = newton_root((before, after), -sign, guess, resolution, |t| self.at(t))?;
                Ok(Crossing {
                    t: root.at,
                    rate: root.slope,
                    touching: false,
                })
            }
        }
    }
}

/// The state at `t` by one integrator step from the start of the step that holds it: as accurate as the path's own
/// nodes.
pub(crate) fn restep(flow: &ModeFlow<'_>, p: &[f64], steps: &[Dense], t: f64, x: &mut [f64]) -> Result<(), FlowError> {
    let Some(step) = step_at(steps, t) else { return Ok(()) };
    let h = t - step.t;
    if h == 0.0 {
        x.copy_from_slice(&step.y0);
        return Ok(());
    }
    let equations = flow.equations(&step.y0, p, &[], false);
    let tolerance = Tolerance {
        rtol: flow.options().rtol,
        atol: flow.options().atol,
    };
    if step.explicit() {
        let mut explicit = Explicit::new(&equations, &step.y0);
        explicit.attempt(&equations, &step.y0, h, tolerance);
        x.copy_from_slice(&explicit.y1);
    } else {
        let mut implicit = Implicit::new(&equations);
        if implicit.attempt(&equations, &step.y0, h, tolerance).is_some() {
            x.copy_from_slice(&implicit.y1);
        } else {
            step.eval(h / step.h, x);
        }
    }
    equations.finite(x, t)
}

/// The step that holds `t`.
pub(crate) fn step_at(steps: &[Dense], t: f64) -> Option<&Dense> {
    let sign = steps.first()?.h.signum();
    let after = steps.partition_point(|s| s.t * sign <= t * sign);
    steps.get(after.saturating_sub(1))
}
