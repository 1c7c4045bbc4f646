//! Does a system have the time scales that it declares? In slow time the rate of the fast state grows like 1/ε as ε
//! decreases, and that of slow states stays as it is: another declaration has no critical manifold that means anything.

use crate::plan::system::error::{SystemError, SystemFault};
use slipstick_system::{SlowFast, System};

/// States at which rates are compared.
const SAMPLES: usize = 24;
/// ε, as a part of its value, and of that what it is compared with.
const SMALL: f64 = 1e-3;
const SMALLER: f64 = 0.1;

/// What to look at, of a system with declared time scales whose description is at `root`.
pub(crate) fn other_scales(system: &System, root: &str) -> Option<SystemError> {
    let split = system.slow_fast.as_ref()?;
    let growth = growth(system, split);
    let (fast, epsilon) = (&system.states[split.fast].name, &system.parameters[split.epsilon].name);
    let own = growth.iter().find(|(state, _)| *state == split.fast)?.1?;
    if (own - 1.0).abs() < 0.2 {
        return None;
    }
    let others = || {
        let others = growth.iter().filter(|(state, _)| *state != split.fast);
        others.filter_map(|(state, growth)| Some((&system.states[*state].name, (*growth)?)))
    };
    let like = format!("the rate of the fast state `{fast}` does not grow like 1/{epsilon} as {epsilon} decreases");
    let grows = others().find(|(_, growth)| (growth - 1.0).abs() < 0.2);
    let (what, instead) = match grows {
        Some((other, _)) => (
            format!("{like}, and that of `{other}` does: the critical manifold is not that of `{other}`"),
            format!("write `fast: \"{other}\"`, or divide the right-hand side of `{fast}'` by {epsilon}"),
        ),
        None if own.abs() < 0.2 && others().count() > 0 && others().all(|(_, growth)| growth < -0.5) => (
            format!("{like}, and slow states come to rest: these are equations in fast time"),
            format!(
                "write them in slow time, all right-hand sides divided by {epsilon}: \"{fast}' = (...)/{epsilon}\"; times of the study are then slow ones"
            ),
        ),
        None => (
            like,
            format!("divide the right-hand side of its equation by {epsilon}: \"{fast}' = (...)/{epsilon}\""),
        ),
    };
    let fault = SystemFault::TimeScales { what, instead };
    Some(SystemError::new(format!("{root}.slow_fast.fast"), fault))
}

/// For each state that moves the power of 1/ε with which its rate grows; none where it has no rate.
fn growth(system: &System, split: &SlowFast) -> Vec<(usize, Option<f64>)> {
    let mode = &system.modes[split.mode];
    let mut p = system.default_parameters();
    let size = p[split.epsilon].abs().clamp(1e-6, 1.0) * SMALL;
    let mut largest = |epsilon: f64| {
        p[split.epsilon] = epsilon;
        let mut largest = vec![0.0_f64; mode.states.len()];
        let mut rates = vec![0.0; mode.states.len()];
        for sample in 0..SAMPLES {
            mode.field.value(&place(system, split, sample), &p, &mut rates);
            for (most, rate) in largest.iter_mut().zip(&rates).filter(|(_, rate)| rate.is_finite()) {
                *most = most.max(rate.abs());
            }
        }
        largest
    };
    let (before, after) = (largest(size), largest(size * SMALLER));
    let powers = before.iter().zip(&after).map(|(before, after)| {
        let power = (after / before).log10() / -SMALLER.log10();
        power.is_finite().then_some(power)
    });
    mode.states.iter().copied().zip(powers).collect()
}

/// States of the mode around those where trajectories start, spread evenly.
fn place(system: &System, split: &SlowFast, sample: usize) -> Vec<f64> {
    let p = system.default_parameters();
    let (own, start) = system.start_at(&p);
    let full = system.full_state(own, &start, &p);
    let spread = |(place, &state): (usize, &usize)| {
        // Multiples of irrational numbers fill the interval without a pattern.
        let part = (sample as f64 * (2.0 + place as f64).sqrt()).fract();
        full[state] + (1.0 + full[state].abs()) * (2.0 * part - 1.0)
    };
    system.modes[split.mode].states.iter().enumerate().map(spread).collect()
}
