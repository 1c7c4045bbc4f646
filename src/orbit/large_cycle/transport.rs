//! Perturbations of a cycle, transported from the start through one interval after the other, and rows the other way.

use super::stages::Stages;
use slipstick_numerics::linalg::Gmres;

/// What belongs to the last linearisation.
#[derive(Default)]
pub(super) struct Linear {
    /// What changes of the period and of the parameter make of the orbit, with a start that stays; and what a unit row
    /// of the phase condition is at the start.
    pub(super) responses: Option<Responses>,
    /// The space in which the first system after a step sets off was solved: those that come hardly differ from it.
    pub(super) gmres: Gmres,
    /// What was left of the equations at the last linearisation.
    pub(super) left: Vec<f64>,
}

/// See [`Linear`].
pub(super) struct Responses {
    pub(super) by_period: Vec<f64>,
    pub(super) by_parameter: Vec<f64>,
    pub(super) phase: Row,
}

/// A row on the start, the period and the parameter.
pub(super) struct Row {
    pub(super) start: Vec<f64>,
    pub(super) period: f64,
    pub(super) parameter: f64,
}

impl Linear {
    pub(super) fn forget(&mut self) {
        self.responses = None;
    }
    /// Forget what was solved as well.
    pub(super) fn begin_again(&mut self) {
        self.responses = None;
        self.gmres.forget();
    }
}

/// What makes a perturbation besides its start.
#[derive(Clone, Copy)]
pub(super) enum Source<'a> {
    Nothing,
    Period,
    Parameter,
    /// What is left of the equations.
    Errors(&'a [f64]),
}

/// Transport the perturbation `v` of the start through all intervals; it becomes that of the end. `look` sees the
/// changes of the points of each interval.
pub(super) fn transport(stages: &Stages, v: &mut [f64], source: Source<'_>, look: &mut dyn FnMut(usize, &[f64])) {
    let n = v.len();
    let mut rhs = vec![];
    for (i, own) in stages.intervals.iter().enumerate() {
        rhs.clear();
        for d in &stages.from_start {
            rhs.extend(v.iter().map(|v| d * v));
        }
        match source {
            Source::Nothing => {}
            Source::Period => rhs.iter_mut().zip(&own.rates).for_each(|(r, f)| *r += own.width * f),
            Source::Parameter => rhs.iter_mut().zip(&own.slopes).for_each(|(r, f)| *r += own.length * f),
            Source::Errors(errors) => {
                let errors = &errors[i * rhs.len()..];
                rhs.iter_mut().zip(errors).for_each(|(r, e)| *r += e);
            }
        }
        own.solve(&mut rhs);
        v.copy_from_slice(&rhs[rhs.len() - n..]);
        look(i, &rhs);
    }
}

/// What a row on the points of all intervals is on the start, by the transposed equations.
pub(super) fn transport_back(stages: &Stages, n: usize, row: &[f64]) -> Vec<f64> {
    let stride = stages.from_start.len() * n;
    let mut back = vec![0.0; n];
    for (i, own) in stages.intervals.iter().enumerate().rev() {
        let mut rhs = row[i * stride..(i + 1) * stride].to_vec();
        rhs[stride - n..].iter_mut().zip(&back).for_each(|(r, b)| *r += b);
        own.solve_transposed(&mut rhs);
        back.fill(0.0);
        for (d, own) in stages.from_start.iter().zip(rhs.chunks_exact(n)) {
            back.iter_mut().zip(own).for_each(|(b, v)| *b += d * v);
        }
    }
    back
}
