//! What repeats must do so wherever an entry of the study leads: a field after the positive period of its forcing, and
//! what depends on an angle after a turn of it.

use crate::plan::passed::Passed;
use crate::plan::system::turns::unrepeated;
use crate::spec::system::entry::SystemSpec;
use crate::text::complaint::Complaint;
use slipstick_report::explore::rounded;
use slipstick_system::System;
use slipstick_system::text::plain_name;
use std::f64::consts::TAU;

/// At how many states and times the field is compared.
const SAMPLES: usize = 8;

/// How far apart two values may be that should be equal, relative to the size of the component.
const TOLERANCE: f64 = 1e-8;

/// Complain about an angle after a turn of which something does not repeat, or about what else than fields does not
/// repeat with a forcing, at parameters that an entry begins with or passes. `root` is the path of the system.
pub(crate) fn check_angles(
    system: &System,
    spec: Option<&SystemSpec>,
    root: &str,
    passed: &Passed,
    complaints: &mut Vec<Complaint>,
) {
    let forcing = spec.and_then(SystemSpec::forcing);
    let phase = forcing.and_then(|forcing| system.state(&plain_name(&forcing.phase)));
    if let Some((state, fault)) = unrepeated(system, phase, &passed.parameters) {
        let path = match phase == Some(state) {
            true => format!("{root}.forcing.period"),
            false => format!("{root}.angles.\"{}\"", system.states[state].name),
        };
        complaints.push(Complaint::new(path, format!("{fault}{}", passed.said())));
    }
}

/// Complain about a forcing whose period is not positive at parameters that an entry begins with, or after which the
/// field does not repeat at those that it passes. `root` is the path of the system.
pub(crate) fn check_forcing(
    system: &System,
    spec: Option<&SystemSpec>,
    root: &str,
    passed: &Passed,
    complaints: &mut Vec<Complaint>,
) {
    let parameters = &passed.parameters[..];
    let Some(forcing) = spec.and_then(SystemSpec::forcing) else {
        return;
    };
    let Some(phase) = system.state(&plain_name(&forcing.phase)) else {
        return;
    };
    let mut complain = |message: String, help: &str| {
        let complaint = Complaint::new(format!("{root}.forcing.period"), message).help(help);
        if !complaints.contains(&complaint) {
            complaints.push(complaint);
        }
    };
    let start = system.start_at(parameters);
    for (m, mode) in system.modes.iter().enumerate() {
        let Some(place) = mode.states.iter().position(|&s| s == phase) else {
            continue;
        };
        let n = mode.states.len();
        let base = if m == start.0 { start.1.clone() } else { vec![0.0; n] };
        let mut f = vec![0.0; n];
        mode.field.value(&base, parameters, &mut f);
        let period = TAU / f[place];
        if !(period > 0.0 && period.is_finite()) {
            // A curve that comes there ends.
            if passed.is_on_the_way() {
                return;
            }
            let message = format!(
                "the period of the forcing is {}: it must be positive",
                rounded(period, 6)
            );
            return complain(
                message,
                "write a formula that is positive at the parameters of all entries",
            );
        }
        let names = mode.states.iter().map(|&s| format!("{}'", system.states[s].name));
        let rates = |x: &[f64]| {
            let mut values = vec![0.0; n];
            mode.field.value(x, parameters, &mut values);
            values
        };
        let pairs: Vec<(Vec<f64>, Vec<f64>, f64)> = (0..SAMPLES)
            .map(|k| {
                let mut x: Vec<f64> = (base.iter().enumerate())
                    .map(|(i, v)| v + (1.0 + v.abs()) * (2.0 * spread(k, i) - 1.0))
                    .collect();
                x[place] = TAU * spread(k, n);
                let now = rates(&x);
                let at = x[place];
                x[place] += TAU;
                (now, rates(&x), at / TAU * period)
            })
            .collect();
        for (i, name) in names.enumerate() {
            let finite = || pairs.iter().filter(|(a, b, _)| a[i].is_finite() && b[i].is_finite());
            let size = finite().fold(0.0f64, |m, (a, b, _)| m.max(a[i].abs()).max(b[i].abs()));
            let apart = finite().max_by(|p, q| (p.0[i] - p.1[i]).abs().total_cmp(&(q.0[i] - q.1[i]).abs()));
            if let Some((now, later, t)) = apart.filter(|(a, b, _)| (a[i] - b[i]).abs() > TOLERANCE * size) {
                let (now, later) = (rounded(now[i], 6), rounded(later[i], 6));
                let (t, period) = (rounded(*t, 6), rounded(period, 6));
                return complain(
                    format!(
                        "the field does not repeat after the period {period} of the forcing: in one state, {name} is {now} at t = {t} and \
                         {later} a period later{}",
                        passed.said()
                    ),
                    "give the time after which everything that depends on `t` repeats: `4*pi` for cos(t/2)",
                );
            }
        }
    }
}

/// A number between 0 and 1 for coordinate `i` of sample `k`, spread evenly over the samples.
fn spread(k: usize, i: usize) -> f64 {
    let irrational = (2.0 + i as f64).sqrt() + 0.1 * (3.0 + i as f64).ln();
    ((k as f64 + 0.5) * irrational).fract()
}
