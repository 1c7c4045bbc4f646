//! Gradients of the system's own monitors, of integrals above all, so that they can be held.
//!
//! An integral over a segment is differentiated under the integral sign at the points of its quadrature. Where the
//! integrand jumps, at a surface that the orbit crosses, the instant of the crossing moves besides.

use crate::dense_output::DenseOutput;
use crate::derivatives::derivatives;
use crate::gradient::{Gradient, Place};
use crate::own_monitor::{Spot, squares};
use crate::perturbation::evaluation;
use crate::quadrature::{ASIDE, Piecewise};
use slipstick_continuation::Failure;
use slipstick_flow::Transition;
use slipstick_numerics::linalg::dot;
use slipstick_system::{Integrated, Measure, Rule, SharedFunction, Statistic};

/// Derivatives by the state and by the free parameters at a time of a segment.
struct Pull {
    t: f64,
    dx: Vec<f64>,
    dp: Vec<f64>,
}

/// The value of one of the system's own monitors; its gradient is added.
pub(crate) fn own_gradient(g: &mut Gradient<'_, '_>, index: usize) -> Result<f64, Failure> {
    let (orbit, own) = (g.orbit, &g.orbit.plan.own[index]);
    let spot = || {
        let missing = || Failure::Evaluation("the orbit does not reach the event or mode of this monitor".into());
        own.spot.ok_or_else(missing)
    };
    match &orbit.system.monitors[index].measure {
        Measure::Duration(_) => {
            let k = spot()?.segment;
            let s = &orbit.segments[k];
            g.by[s.offset + s.n] += 1.0;
            Ok(orbit.duration(g.z, k))
        }
        Measure::At(read, _) => {
            if matches!(read, slipstick_system::Place::Start)
                && let Some(zero) = orbit.phase_zero(g.z)
            {
                let function = own.function(orbit.segments[zero.segment].mode, zero.mirrored);
                return Ok(own.turned(g.add_at_phase_zero(&zero, function.as_ref())?));
            }
            let spot = spot()?;
            let place = if spot.at_end { Place::End } else { Place::Start };
            let function = own.function(orbit.segments[spot.segment].mode, spot.mirrored);
            Ok(own.turned(g.add_function(spot.segment, place, function.as_ref(), 1.0)?))
        }
        Measure::Sum(_) => {
            let worth =
                |(spot, of): &(Spot, SharedFunction)| g.add_function(spot.segment, Place::End, of.as_ref(), 1.0);
            own.terms.iter().map(worth).sum()
        }
        Measure::Over(kind, _) => statistic(g, *kind, &|k| own.halves(orbit.segments[k].mode).collect()),
    }
}

/// The root of the mean square of all states that are no angles, with its gradient.
pub(crate) fn norm_gradient(g: &mut Gradient<'_, '_>) -> Result<f64, Failure> {
    let squares = squares(g.orbit.system, g.orbit.segments[0].mode);
    let mean = statistic(g, Statistic::Mean, &|_| vec![&squares])?;
    rooted(mean, g.by)
}

/// A statistic of a quantity that is given for each segment, with its gradient, which must be zero before.
fn statistic<'q>(
    g: &mut Gradient<'_, '_>,
    statistic: Statistic,
    of: &dyn Fn(usize) -> Vec<&'q Piecewise>,
) -> Result<f64, Failure> {
    let orbit = g.orbit;
    let Rule::Integral(by) = statistic.rule() else {
        return Err(Failure::Evaluation("an extreme cannot be a constraint".into()));
    };
    let mut sum = 0.0;
    for k in 0..orbit.segments.len() {
        for of in of(k) {
            sum += integral(g, k, of, &by)?;
        }
    }
    let (value, by_integral, by_period) = (by.result)(sum, orbit.period(g.z));
    if !(by_integral.is_finite() && by_period.is_finite()) {
        return Err(Failure::Evaluation("the root of zero cannot be a constraint".into()));
    }
    g.by.iter_mut().for_each(|g| *g *= by_integral);
    let factor = if orbit.word.symmetric { 2.0 } else { 1.0 };
    for s in &orbit.segments {
        g.by[s.offset + s.n] += factor * by_period;
    }
    Ok(value)
}

/// The integral over segment `k` of what a statistic integrates; its gradient is added.
fn integral(g: &mut Gradient<'_, '_>, k: usize, of: &Piecewise, by: &Integrated) -> Result<f64, Failure> {
    let orbit = g.orbit;
    let (s, p) = (&orbit.segments[k], &orbit.parameters);
    let field = &orbit.system.modes[s.mode].field;
    let (duration, made) = (orbit.duration(g.z, k), by.integrand);
    let dense = DenseOutput::new(orbit.system, s, g.z, p)?;
    let found = dense.integral_of(of, made, s.n, p, duration)?;
    let h = of.function.as_ref();
    let mut x = vec![0.0; s.n];
    let mut value = |t: f64| {
        let mut v = [0.0];
        dense.eval(t, &mut x);
        h.value(&x, p, &mut v);
        v[0]
    };
    let jumps: Vec<f64> = found
        .breaks
        .iter()
        .map(|b| made(value(b.t - ASIDE * duration)) - made(value(b.t + ASIDE * duration)))
        .collect();
    g.by[s.offset + s.n] += if !s.on_mesh() {
        made(value(duration))
    } else if duration > 0.0 {
        // Times are parts of the duration.
        found.value / duration
    } else {
        made(value(0.0))
    };
    let mut pulls = vec![];
    let mut pull = |function: &dyn slipstick_system::Function, t: f64, factor: &dyn Fn(f64, &[f64], &[f64]) -> f64| {
        let mut x = vec![0.0; s.n];
        dense.eval(t, &mut x);
        let (value, mut dx, mut dp) = derivatives(function, &x, p, &orbit.free);
        let factor = factor(value, &x, &dx);
        dx.iter_mut().chain(&mut dp).for_each(|d| *d *= factor);
        pulls.push(Pull { t, dx, dp });
    };
    for (t, weight) in &found.points {
        pull(h, *t, &|v, _, _| weight * (by.slope)(v));
    }
    let size = found.value.abs() / duration;
    for (b, jump) in found.breaks.iter().zip(jumps) {
        // A corner, not a jump, to rounding.
        if jump.abs() > 1e-11 * size {
            pull(of.surface(b), b.t, &|_, x, dx| {
                let mut f = vec![0.0; s.n];
                field.value(x, p, &mut f);
                -jump / dot(dx, &f)
            });
        }
    }
    pulls.sort_by(|a, b| a.t.total_cmp(&b.t));
    add_along(g, k, &pulls)?;
    Ok(found.value)
}

/// Carry derivatives at ascending times of segment `k` to the unknowns.
fn add_along(g: &mut Gradient<'_, '_>, k: usize, pulls: &[Pull]) -> Result<(), Failure> {
    let orbit = g.orbit;
    let s = &orbit.segments[k];
    let (n, free) = (s.n, orbit.free.len());
    if s.on_mesh() {
        for pull in pulls {
            g.add_through(k, Place::Inside(pull.t), &pull.dx, &pull.dp)?;
        }
        return Ok(());
    }
    // The flow goes on from point to point, with the derivatives of what came before.
    let gradient = &mut *g.by;
    let parameters = gradient.len() - free;
    let columns = n + free;
    let mut by = vec![0.0; n * columns];
    (0..n).for_each(|i| by[i * columns + i] = 1.0);
    let (mut at, mut x, mut step) = (0.0, orbit.start(g.z, k).to_vec(), Transition::default());
    for pull in pulls {
        if pull.t > at {
            s.flow
                .linearise(&x, pull.t - at, &orbit.parameters, &orbit.free, &mut step)
                .map_err(evaluation)?;
            let mut next = vec![0.0; n * columns];
            for r in 0..n {
                for c in 0..columns {
                    let propagated: f64 = (0..n).map(|i| step.dx[r * n + i] * by[i * columns + c]).sum();
                    let own = if c < n { 0.0 } else { step.dp[r * free + c - n] };
                    next[r * columns + c] = propagated + own;
                }
            }
            (by, at) = (next, pull.t);
            x.clone_from(&step.x);
        }
        for (r, d) in pull.dx.iter().enumerate() {
            for c in 0..n {
                gradient[s.offset + c] += d * by[r * columns + c];
            }
            for c in 0..free {
                gradient[parameters + c] += d * by[r * columns + n + c];
            }
        }
        gradient[parameters..]
            .iter_mut()
            .zip(&pull.dp)
            .for_each(|(g, d)| *g += d);
    }
    Ok(())
}

/// The root of a mean square whose gradient this is.
fn rooted(square: f64, gradient: &mut [f64]) -> Result<f64, Failure> {
    let root = square.sqrt();
    if !(root > 0.0) {
        return Err(Failure::Evaluation("the root of zero cannot be a constraint".into()));
    }
    gradient.iter_mut().for_each(|g| *g /= 2.0 * root);
    Ok(root)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::periodic::PeriodicOrbit;
    use crate::segment::discretisation::Discretisation;
    use crate::segment::mesh::MeshOptions;
    use crate::word::Word;
    use slipstick_continuation::Problem;
    use slipstick_flow::FlowOptions;
    use slipstick_system::System;

    fn system(text: &str) -> System {
        let study = format!("Study(title: \"Gradients\", system: {text})");
        let plan = slipstick_study::parse("study.ron".as_ref(), study)
            .unwrap()
            .plan(&[])
            .unwrap();
        plan.systems[0].system.clone()
    }

    /// The gradients of all monitors of the system against differences of their values, at a guess that is no orbit.
    fn check(system: &System, word: &str, free: &[usize], starts: &[Vec<f64>], durations: &[f64], by: Discretisation) {
        const STEP: f64 = 1e-5;
        let word = Word::parse(word, word.ends_with("| mirrored"), system).unwrap();
        let discretisations = vec![by; system.modes.len()];
        let p = system.default_parameters();
        let options = FlowOptions::default();
        let mut orbit = PeriodicOrbit::discretised(system, word, p, free.to_vec(), options, &discretisations);
        let z = orbit.guess(starts, durations).unwrap();
        let mut residual = vec![0.0; z.len() - free.len()];
        let mut at = |z: &[f64], index: usize| {
            orbit.linearise(z, &mut residual).unwrap();
            let mut gradient = vec![0.0; z.len()];
            let by = &mut gradient;
            let value = own_gradient(&mut Gradient { orbit: &orbit, z, by }, index).unwrap();
            (value, gradient)
        };
        for (index, monitor) in system.monitors.iter().enumerate() {
            let (_, gradient) = at(&z, index);
            for i in 0..z.len() {
                let mut moved = z.clone();
                moved[i] = z[i] + STEP;
                let above = at(&moved, index).0;
                moved[i] = z[i] - STEP;
                let slope = (above - at(&moved, index).0) / (2.0 * STEP);
                let name = &monitor.name;
                assert!(
                    (slope - gradient[i]).abs() < 1e-6 * (1.0 + slope.abs()),
                    "{name}, {i}: {slope} {}",
                    gradient[i]
                );
            }
        }
    }

    #[test]
    fn gradients_are_exact_by_flows_by_collocation_and_by_shooting() {
        let stiction = system(
            r#"Stiction(monitors: {"loss": Integral("mu_d*abs(y)"), "mean": Mean("x^2*Omega"), "size": Rms("x + y"),
               "late": Mean("if(sin(theta) > 0.3, x^2, 0)"), "landed": AtEvent(events: ["land"], of: "xi^2"), "first": Value("x + mu_d")})"#,
        );
        let starts = [vec![0.4, -0.1, -0.6], vec![-0.4, 1.4]];
        let flow = Discretisation::Flow;
        check(&stiction, "slip- stick | mirrored", &[2, 0], &starts, &[2.0, 1.1], flow);
        let duffing = system(
            r#"Smooth(states: ["x", "v"], parameters: {"w": 1.2, "F": 0.3}, forcing: Forcing(period: "2*pi/w"),
               equations: ["x' = v", "v' = -0.2*v - x - x^3 + F*cos(w*t)"],
               monitors: {"power": Mean("F*cos(w*t)*v"), "way": Integral("abs(v)"), "above": Mean("if(x > 0.1, w, 0)"), "size": Rms("x")})"#,
        );
        let options = MeshOptions::default();
        for by in [
            flow,
            Discretisation::Collocation(options),
            Discretisation::Shooting(options),
        ] {
            check(&duffing, "smooth free", &[1, 0], &[vec![0.5, 0.2, 0.0]], &[5.0], by);
        }
    }
}
