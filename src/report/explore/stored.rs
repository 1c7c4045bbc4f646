//! What the stored orbit of a point says.

use super::FinishedRun;
use super::columns::{DIGITS, aligned};
use super::error::ShowError;
use crate::{Column, Table, orbit_file_name};
use slipstick_numerics::number::rounded;
use std::f64::consts::TAU;

/// Significant digits of what is read off samples.
const SAMPLED: usize = 3;

/// What the stored orbit says: how long it spends in each mode and on canard segments, and how far its states reach.
/// `points` are those of the curve, `row` the point's: what they know exactly is not read off the samples.
pub(super) fn orbit(
    run: &FinishedRun,
    (curve, index): (&str, usize),
    points: &Table,
    row: usize,
) -> Result<String, ShowError> {
    let known = |name: &str| {
        let value = points.numbers(name).ok()?[row];
        value.is_finite().then_some(value)
    };
    let Some(orbit) = run.data.orbits.get(&(curve.to_owned(), index)) else {
        return Ok("\nno orbit is stored for this point (special points have one)\n".into());
    };
    let file = orbit_file_name(curve, index)?;
    let mut text = format!("\norbit in orbits/{file}\n");
    let t = orbit.numbers("t")?;
    let mut lines = vec![];
    if let Ok(modes) = orbit.texts("mode") {
        lines.extend(stays(t, modes));
    }
    if let Ok(canard) = orbit.flags("canard") {
        let sampled: f64 = (1..t.len())
            .filter(|&i| canard[i] && canard[i - 1])
            .map(|i| t[i] - t[i - 1])
            .sum();
        let time = match known("canard_time") {
            Some(exact) => rounded(exact, DIGITS),
            None => format!("about {}", rounded(sampled, SAMPLED)),
        };
        let starts = (0..canard.len())
            .filter(|&i| canard[i] && (i == 0 || !canard[i - 1]))
            .count();
        let words = match starts {
            0 => "none".to_owned(),
            1 => format!("1 segment, for {time} in all"),
            n => format!("{n} segments, for {time} in all"),
        };
        lines.push(vec!["canards".to_owned(), words]);
    }
    for (name, column) in orbit.columns().filter(|(name, _)| *name != "t") {
        if let Column::Number(values) = column {
            let reach = match turns(values) {
                // How often an angle had turned before is no property of the orbit.
                Some(turns) => {
                    let first = values[0].rem_euclid(TAU);
                    let plural = if turns.abs() == 1.0 { "" } else { "s" };
                    format!("an angle: {turns} turn{plural} from {}", rounded(first, DIGITS))
                }
                None => {
                    let (low, high) = reach_of(name, t, values, &known);
                    format!("from {low} to {high}")
                }
            };
            lines.push(vec![name.to_owned(), reach]);
        }
    }
    for line in aligned(&lines).lines() {
        text.push_str(&format!("  {line}\n"));
    }
    Ok(text)
}

/// How many times a state turns round by 2π from the first to the last point of a periodic orbit; `None` if it comes
/// back to where it was.
fn turns(values: &[f64]) -> Option<f64> {
    let turns = (values.last()? - values.first()?) / TAU;
    let whole = turns.round();
    (whole != 0.0 && (turns - whole).abs() < 1e-6 * whole.abs()).then_some(whole)
}

/// The stays in modes, in order: mode, from when to when.
fn stays(t: &[f64], modes: &[String]) -> Vec<Vec<String>> {
    let mut lines = vec![];
    let mut begin = 0;
    for i in 1..=modes.len() {
        if i == modes.len() || modes[i] != modes[begin] {
            let until = t[i - 1];
            lines.push(vec![
                modes[begin].clone(),
                format!("t = {} to {}", rounded(t[begin], DIGITS), rounded(until, DIGITS)),
            ]);
            begin = i;
        }
    }
    lines
}

/// The least and the largest value of a column: exact where the point has a column for it, else with the digits that
/// the samples leave no doubt about.
fn reach_of(name: &str, t: &[f64], values: &[f64], known: &impl Fn(&str) -> Option<f64>) -> (String, String) {
    let mirrored: Vec<f64> = values.iter().map(|value| -value).collect();
    let (high, beyond) = largest(t, values);
    let (low, below) = largest(t, &mirrored);
    let low = -low;
    let amplitude = known(&format!("max_abs_{name}"));
    let is_amplitude =
        |size: f64, doubt: f64| amplitude.filter(|exact| (exact - size).abs() <= 2.0 * doubt + 1e-9 * exact);
    let written = |exact: Option<f64>, sampled: f64, doubt: f64| match exact {
        Some(exact) => rounded(exact, DIGITS),
        None => without_doubt(sampled, doubt),
    };
    let top = known(&format!("{name}_max")).or_else(|| is_amplitude(high, beyond));
    let bottom = known(&format!("{name}_min")).or_else(|| is_amplitude(-low, below).map(|exact| -exact));
    (written(bottom, low, below), written(top, high, beyond))
}

/// The largest of the samples, and by how much the motion may go beyond it: as far as the parabola through it and its
/// neighbours.
fn largest(t: &[f64], values: &[f64]) -> (f64, f64) {
    let Some(at) = (0..values.len()).max_by(|&a, &b| values[a].total_cmp(&values[b])) else {
        return (f64::NAN, 0.0);
    };
    let last = values.len() - 1;
    // An orbit comes back: before its first point stands the last but one.
    let (before, after) = match at {
        _ if last < 2 => return (values[at], 0.0),
        0 => ((t[last - 1] - t[last], values[last - 1]), (t[1] - t[0], values[1])),
        at if at == last => ((t[at - 1] - t[at], values[at - 1]), (t[1] - t[0], values[1])),
        at => ((t[at - 1] - t[at], values[at - 1]), (t[at + 1] - t[at], values[at + 1])),
    };
    let (left, right) = ((before.1 - values[at]) / before.0, (after.1 - values[at]) / after.0);
    let curvature = (right - left) / (after.0 - before.0);
    let slope = left - curvature * before.0;
    let beyond = -slope * slope / (4.0 * curvature);
    (values[at], if beyond.is_finite() { beyond.max(0.0) } else { 0.0 })
}

/// A number with the digits that stay the same where it is wrong by `doubt`.
fn without_doubt(value: f64, doubt: f64) -> String {
    let digits = (value.abs() / doubt).log10().floor();
    let digits = if digits.is_finite() {
        digits.clamp(1.0, DIGITS as f64)
    } else {
        DIGITS as f64
    };
    rounded(value, digits as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_told_with_the_digits_they_have() {
        let t: Vec<f64> = (0..=20).map(|k| f64::from(k) * TAU / 20.0).collect();
        let x: Vec<f64> = t.iter().map(|t| (t - 0.1).cos()).collect();
        let nothing = |_: &str| None;
        let (_, high) = reach_of("x", &t, &x, &nothing);
        // The samples come to 0.995 where the motion comes to 1.
        assert_eq!(high, "1");
        let exact = |name: &str| (name == "x_max").then_some(1.0 - 1e-9);
        assert_eq!(reach_of("x", &t, &x, &exact).1, "0.999999999");
        // What does not change is exact.
        assert_eq!(
            reach_of("x", &[0.0, 1.0, 2.0], &[0.3; 3], &nothing),
            ("0.3".into(), "0.3".into())
        );
    }
}
