//! The integrator's driver: step control, the choice between the explicit and the implicit method, dense output.

use super::dop853::Explicit;
use super::equations::Equations;
use super::error::FlowError;
use super::options::{FlowOptions, Method};
use super::radau::Implicit;
use super::short_excursions::ShortExcursions;
use super::step::{Dense, Tolerance};
use slipstick_numerics::stop::look;

/// Gets the polynomial of each accepted step; false stops the integration.
pub(crate) type Observer<'o> = Option<&'o mut dyn FnMut(Dense) -> bool>;

/// Accepted and rejected steps and the method in use at the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cost {
    pub(crate) accepted: usize,
    pub(crate) rejected: usize,
    pub(crate) implicit: bool,
}

impl Cost {
    /// All steps.
    pub(crate) fn steps(self) -> usize {
        self.accepted + self.rejected
    }
}

/// Integrate `equations` from `y` over the signed time `end`; `y` gets the result, `observe` each step's polynomial.
/// The integration stops early, at the end of that step, when `observe` returns false.
pub(crate) fn integrate(
    equations: &Equations,
    y: &mut [f64],
    end: f64,
    options: &FlowOptions,
    mut observe: Observer<'_>,
) -> Result<Cost, FlowError> {
    let mut cost = Cost::default();
    if end == 0.0 {
        return Ok(cost);
    }
    equations.finite(y, 0.0)?;
    let mut t = 0.0;
    loop {
        if options.method != Method::Stiff {
            cost.implicit = false;
            t = explicit(equations, y, (t, end), options, &mut observe, &mut cost)?;
        }
        if t == end {
            return Ok(cost);
        }
        cost.implicit = true;
        t = implicit(equations, y, (t, end), options, &mut observe, &mut cost)?;
        if t == end {
            return Ok(cost);
        }
    }
}

/// DOP853 from one time to the other, with proportional–integral step control. Returns the time reached: the last, or
/// an earlier one when the mode proves stiff.
fn explicit(
    equations: &Equations,
    y: &mut [f64],
    (begin, end): (f64, f64),
    options: &FlowOptions,
    observe: &mut Observer<'_>,
    cost: &mut Cost,
) -> Result<f64, FlowError> {
    /// Exponents of the controller: 1/8 - 0.75·β and β.
    const BETA: f64 = 0.04;
    const ALPHA: f64 = 0.125 - 0.75 * BETA;
    /// Half the length of DOP853's real stability interval is about 6.1/2; Hairer's threshold for h·λ.
    const STIFF: f64 = 6.1;
    let tol = Tolerance {
        rtol: options.rtol,
        atol: options.atol,
    };
    let mut step = Explicit::new(equations, y);
    let (mut t, mut h) = (begin, first_step(equations, &mut step, y, end - begin, tol));
    let mut excursions = ShortExcursions::of(equations, y, step.field(), h);
    let (mut last_error, mut rejected) = (1e-4_f64, false);
    let (mut stiff, mut mild) = (0, 0);
    let before = cost.accepted;
    let mut trial = (FIRST_TRIAL, begin);
    loop {
        let last = (t + 1.01 * h - end) * end.signum() >= 0.0;
        if last {
            h = end - t;
        }
        check_step(equations, options, cost, t, h, end)?;
        let error = step.attempt(equations, y, h, tol);
        if !error.is_finite() || step.y1.iter().any(|v| !v.is_finite()) {
            h *= 0.1;
            rejected = true;
            cost.rejected += 1;
            continue;
        }
        if error > 1.0 {
            h *= (0.9 * error.powf(-ALPHA)).max(0.3);
            rejected = true;
            cost.rejected += 1;
            continue;
        }
        if let Some(excursions) = &mut excursions {
            let rate = step.field_at_end(equations.n).to_vec();
            let end = step.y1[..equations.n].to_vec();
            if let Some(part) = excursions.cut((&end, &rate), h, || step.dense(equations, y, t, h)) {
                h *= part;
                rejected = true;
                cost.rejected += 1;
                continue;
            }
        }
        cost.accepted += 1;
        let go_on = observe
            .as_mut()
            .is_none_or(|observe| observe(step.dense(equations, y, t, h)));
        if options.method == Method::Auto {
            if step.stiffness(equations.n, y, h) > STIFF {
                stiff += 1;
                mild = 0;
            } else if stiff > 0 {
                mild += 1;
                if mild == 6 {
                    stiff = 0;
                }
            }
        }
        y.copy_from_slice(&step.y1);
        equations.let_vanish(y);
        step.accept();
        if last || !go_on {
            return Ok(end);
        }
        t += h;
        if stiff == 15 {
            return Ok(t);
        }
        if options.method == Method::Auto && cost.accepted - before == trial.0 {
            let pace = (t - trial.1).abs() / (trial.0 as f64 * if trial.0 > FIRST_TRIAL { 0.5 } else { 1.0 });
            let left = options.max_steps.saturating_sub(cost.accepted + cost.rejected) as f64;
            let gain = if (end - t).abs() > pace * left {
                LEAST_GAIN
            } else {
                GAIN
            };
            if implicit_goes_farther(equations, y, end - t, gain * pace, options) {
                return Ok(t);
            }
            trial = (2 * trial.0, t);
        }
        let mut factor = 0.9 * error.max(1e-10).powf(-ALPHA) * last_error.powf(BETA);
        factor = factor.clamp(0.3, if rejected { 1.0 } else { 6.0 });
        last_error = error.max(1e-4);
        rejected = false;
        h *= factor;
    }
}

/// After so many explicit steps the implicit method is tried, and each time that their number has doubled.
const FIRST_TRIAL: usize = 1000;
/// It takes over where its steps are so many times as long; where the explicit steps will not suffice, as soon as they
/// are somewhat longer.
const GAIN: f64 = 10.0;
const LEAST_GAIN: f64 = 2.0;

/// Are the implicit method's steps longer than `wanted`, on the average over a few once they have stopped growing? What
/// holds explicit steps back at their limit of stability is seen by this whatever the units of the states are, and
/// however near to the limit the steps keep.
fn implicit_goes_farther(equations: &Equations, y: &[f64], rest: f64, wanted: f64, options: &FlowOptions) -> bool {
    const STEPS: usize = 24;
    // The first steps have yet to grow to what the motion allows.
    let mut trial = y.to_vec();
    let mut reached = vec![0.0];
    let mut observe = |step: Dense| {
        reached.push((step.t + step.h).abs());
        reached.len() <= STEPS
    };
    let trial_options = FlowOptions {
        max_steps: 4 * STEPS,
        ..*options
    };
    let observer: Observer<'_> = Some(&mut observe);
    // Where it fails it goes no farther than it did.
    let _ = implicit(
        equations,
        &mut trial,
        (0.0, rest),
        &trial_options,
        &mut { observer },
        &mut Cost::default(),
    );
    let (count, end) = (reached.len() - 1, reached[reached.len() - 1]);
    if count < STEPS && end < rest.abs() {
        return false;
    }
    let half = reached[count / 2];
    end - half >= wanted * (count - count / 2) as f64
}

/// Radau IIA(5) from `t` to `end`. Returns the time reached: `end`, or an earlier one where explicit steps would have
/// been longer for a while, and that method is to be chosen.
fn implicit(
    equations: &Equations,
    y: &mut [f64],
    (mut t, end): (f64, f64),
    options: &FlowOptions,
    observe: &mut Observer<'_>,
    cost: &mut Cost,
) -> Result<f64, FlowError> {
    /// Steps that are so short in units of the fastest rate, so many on end, as where a state grows or decays by many
    /// decades: explicit ones of order 8 are many times as long there. Jumps of relaxation oscillations take fewer.
    const SHORT: f64 = 0.5;
    const MANY: usize = 500;
    let tol = Tolerance {
        rtol: options.rtol,
        atol: options.atol,
    }
    .of_estimate();
    // What is seen between steps may be off by so many times the tolerance of a step.
    const BETWEEN: f64 = 100.0;
    let between = Tolerance {
        rtol: BETWEEN * options.rtol,
        atol: BETWEEN * options.atol,
    };
    let n = equations.n;
    let mut step = Implicit::new(equations);
    let mut h = {
        let mut probe = Explicit::new(equations, y);
        first_step(equations, &mut probe, y, end - t, tol)
    };
    let mut last: Option<(f64, f64)> = None;
    let mut short = 0;
    loop {
        let final_step = (t + 1.01 * h - end) * end.signum() >= 0.0;
        if final_step {
            h = end - t;
        }
        check_step(equations, options, cost, t, h, end)?;
        let Some(error) = step.attempt(equations, y, h, tol).filter(|e| e.is_finite()) else {
            h *= 0.25;
            cost.rejected += 1;
            continue;
        };
        let error = match observe {
            Some(_) => error.max(step.error_between(equations, y, h, between)),
            None => error,
        };
        if !(error <= 1.0) {
            h *= (0.9 * error.powf(-0.25)).max(0.1);
            cost.rejected += 1;
            continue;
        }
        cost.accepted += 1;
        let go_on = observe.as_mut().is_none_or(|observe| observe(step.dense(n, y, t, h)));
        step.accept(n, y, h);
        y.copy_from_slice(&step.y1);
        equations.let_vanish(y);
        equations.finite(y, t + h)?;
        if final_step || !go_on {
            return Ok(end);
        }
        t += h;
        if options.method == Method::Auto {
            let is_short = h.abs() * step.fastest_rate(n) <= SHORT;
            short = if is_short { short + 1 } else { 0 };
            if short == MANY {
                return Ok(t);
            }
        }
        let mut factor = 0.9 * error.max(1e-10).powf(-0.25);
        if let Some((h0, error0)) = last {
            // Gustafsson's predictive controller.
            factor = factor.min(0.9 * (h / h0) * (error0 / (error * error).max(1e-20)).powf(0.25));
        }
        last = Some((h, error.max(1e-2)));
        // Small changes are not worth a new factorisation.
        if !(1.0..1.2).contains(&factor) {
            h *= factor.clamp(0.2, 8.0);
        }
    }
}

fn check_step(
    equations: &Equations,
    options: &FlowOptions,
    cost: &Cost,
    t: f64,
    h: f64,
    end: f64,
) -> Result<(), FlowError> {
    look();
    if cost.accepted + cost.rejected >= options.max_steps {
        return Err(FlowError::TooManySteps {
            mode: equations.mode.into(),
            steps: options.max_steps,
            t,
            end,
        });
    }
    // The very last step may be as short as it likes.
    let to_end = (end - t).abs();
    if h.abs() <= 8.0 * f64::EPSILON * t.abs().max(1e-300) && h.abs() < to_end {
        return Err(FlowError::StepTooSmall {
            mode: equations.mode.into(),
            t,
            h,
            rtol: options.rtol,
        });
    }
    Ok(())
}

/// The first step (Hairer, Nørsett and Wanner, § II.4).
fn first_step(equations: &Equations, step: &mut Explicit, y: &[f64], end: f64, tol: Tolerance) -> f64 {
    let n = equations.n;
    let sign = end.signum();
    let plain = Equations {
        columns: 0,
        ..*equations
    };
    let size = |v: &[f64]| plain.norm(&v[..n], &y[..n], &y[..n], tol.rtol, tol.atol);
    let f0: Vec<f64> = step.field().to_vec();
    let (d0, d1) = (size(y), size(&f0));
    let mut h = if d0 < 1e-5 || d1 < 1e-5 { 1e-6 } else { 0.01 * d0 / d1 };
    h = h.min(end.abs());
    let moved: Vec<f64> = y.iter().zip(&f0).map(|(y, f)| y + sign * h * f).collect();
    let f1 = step.probe(equations, &moved).to_vec();
    let difference: Vec<f64> = f1.iter().zip(&f0).map(|(a, b)| a - b).collect();
    let d2 = size(&difference) / h;
    let steepest = d1.max(d2);
    let h1 = if steepest <= 1e-15 {
        (h * 1e-3).max(1e-6)
    } else {
        (0.01 / steepest).powf(0.125)
    };
    let h = (100.0 * h).min(h1).min(end.abs());
    if h.is_finite() && h > 0.0 {
        sign * h
    } else {
        sign * 1e-6 * end.abs()
    }
}
