//! States of rest that form a continuum: how far it reaches.

use slipstick_flow::{FlowError, FlowOptions, ModeFlow};
use slipstick_numerics::roots::bracketed_root;
use slipstick_system::System;

/// Along each state of the mode that may be displaced without setting the system in motion: its name's index and the
/// interval in which the mode never ends. In a stick mode that is the interval of permanent stick; an isolated
/// equilibrium has none.
pub(crate) fn extents(
    system: &System,
    mode: usize,
    x: &[f64],
    p: &[f64],
    flow: FlowOptions,
) -> Result<Vec<(usize, f64, f64)>, FlowError> {
    let m = &system.modes[mode];
    let turns = |i: usize| system.states[m.states[i]].period;
    let resting = |x: &[f64]| {
        let mut f = vec![0.0; x.len()];
        m.field.value(x, p, &mut f);
        (0..x.len()).all(|i| turns(i).is_some() || f[i].abs() <= 1e-12 * (1.0 + x[i].abs()))
    };
    let mut f = vec![0.0; x.len()];
    m.field.value(x, p, &mut f);
    let turn = (0..x.len())
        .filter_map(|i| Some(turns(i)? / f[i].abs()))
        .filter(|t| t.is_finite())
        .fold(0.0, f64::max);
    let flow = ModeFlow::new(system, mode, flow);
    // How far the mode stays clear of all its surfaces and inequalities, over a turn of the angles.
    let margin = |x: &[f64]| -> Result<f64, FlowError> {
        let surfaces = m.events.iter().map(|e| (&e.guard, -e.direction.sign()));
        let surfaces = surfaces.chain(m.inequalities.iter().map(|i| (&i.function, 1.0)));
        let mut least = f64::INFINITY;
        let path = (turn > 0.0).then(|| flow.path(x, turn, p)).transpose()?;
        for (function, sign) in surfaces {
            let value = match &path {
                Some(path) => {
                    let (low, high) = path.extrema(function.as_ref(), p)?;
                    (sign * low).min(sign * high)
                }
                None => {
                    let mut v = [0.0];
                    function.value(x, p, &mut v);
                    sign * v[0]
                }
            };
            least = least.min(value);
        }
        Ok(least)
    };
    let mut found = vec![];
    for i in (0..x.len()).filter(|&i| turns(i).is_none()) {
        let at = |v: f64| {
            let mut y = x.to_vec();
            y[i] = v;
            y
        };
        let near = 1e-3 * (1.0 + x[i].abs());
        if !resting(&at(x[i] + near)) || !resting(&at(x[i] - near)) {
            continue;
        }
        let here = margin(x)?;
        if !(here > 0.0 && here.is_finite()) {
            continue;
        }
        let mut ends = [f64::NAN; 2];
        for (end, side) in ends.iter_mut().zip([-1.0, 1.0]) {
            let (mut inside, mut value) = (x[i], here);
            let mut step = 0.01 * (1.0 + x[i].abs());
            for _ in 0..60 {
                let beyond = inside + side * step;
                let there = margin(&at(beyond))?;
                if there < 0.0 {
                    *end = bracketed_root(inside, value, beyond, there, 1e-15, |v| margin(&at(v)))?;
                    break;
                }
                (inside, value) = (beyond, there);
                step *= 2.0;
            }
            if end.is_nan() {
                *end = side * f64::INFINITY;
            }
        }
        found.push((m.states[i], ends[0], ends[1]));
    }
    Ok(found)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use slipstick_system::catalogue::stiction;

    #[test]
    fn permanent_stick_reaches_as_far_as_the_force_allows() {
        let system = stiction();
        for omega in [0.4, 1.0, 2.5] {
            let found = extents(&system, 2, &[0.01, 0.3], &[omega, 1.1, 0.4], FlowOptions::default()).unwrap();
            let [(0, low, high)] = found[..] else {
                panic!("{found:?}")
            };
            let wanted = (1.1 - 1.0) / (omega * omega);
            assert!(
                (high - wanted).abs() < 1e-12 && (low + wanted).abs() < 1e-12,
                "{low} {high}"
            );
        }
    }
}
