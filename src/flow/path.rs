//! A solution of one mode over a stretch of time.

use super::error::FlowError;
use super::integrate::{Dense, integrate};
use super::linear::LinearField;
use super::mode_flow::ModeFlow;
use smallvec::SmallVec;

/// The solution of a mode from a given start over a given time: exact where the flow is, by dense output of order 7 (explicit)
/// or 3 (stiff) between the integrator's steps otherwise.
#[derive(Clone)]
pub struct Path<'a> {
    flow: ModeFlow<'a>,
    x0: SmallVec<[f64; 8]>,
    p: SmallVec<[f64; 8]>,
    duration: f64,
    form: Form,
}

#[derive(Clone, Debug)]
enum Form {
    ClosedForm,
    Linear(LinearField<f64>),
    Dense(Vec<Dense>),
}

impl<'a> Path<'a> {
    pub(crate) fn new(flow: ModeFlow<'a>, x0: &[f64], t: f64, p: &[f64]) -> Result<Self, FlowError> {
        let form = if flow.mode().exact.is_some() {
            Form::ClosedForm
        } else if let Some(linear) = flow.linear(p) {
            Form::Linear(linear)
        } else {
            let mut steps = Vec::new();
            let mut y = x0.to_vec();
            integrate(
                &flow.equations(p, &[], false),
                &mut y,
                t,
                flow.options(),
                Some(&mut steps),
            )?;
            Form::Dense(steps)
        };
        Ok(Self {
            flow,
            x0: SmallVec::from_slice(x0),
            p: SmallVec::from_slice(p),
            duration: t,
            form,
        })
    }
    /// The time covered, as it was asked for.
    pub fn duration(&self) -> f64 {
        self.duration
    }
    /// The states at `tau` after the start, into `out`. Times outside the path continue its ends' formulas.
    pub fn eval(&self, tau: f64, out: &mut [f64]) {
        match &self.form {
            Form::ClosedForm => {
                let Some(exact) = &self.flow.mode().exact else { return };
                let mut z: SmallVec<[f64; 12]> = self.x0.iter().copied().collect();
                z.push(tau);
                exact.value(&z, &self.p, out);
            }
            Form::Linear(linear) => linear.advance(&self.x0, tau, out),
            Form::Dense(steps) => {
                let sign = self.duration.signum();
                let after = steps.partition_point(|s| s.t * sign <= tau * sign);
                match steps.get(after.saturating_sub(1)) {
                    Some(step) => step.eval((tau - step.t) / step.h, out),
                    None => out.copy_from_slice(&self.x0),
                }
            }
        }
    }
}
