//! Orbits with no more points than a screen can show.

use crate::column::Column;
use crate::figure::essential;
use crate::table::Table;

/// Parts of the range of a column that a screen does not show apart.
const VISIBLE: f64 = 1e-3;

/// The rows of an orbit needed to draw each column over time and against each other, at most about `most`: all of them
/// where the mode or a flag changes, else where some column bends.
pub(super) fn thin(orbit: &Table, most: usize) -> Table {
    let rows = orbit.rows();
    if rows <= most {
        return orbit.clone();
    }
    let mut tolerance = VISIBLE;
    let mut keep = needed(orbit, tolerance);
    while keep.iter().filter(|&&needed| needed).count() > most && tolerance < 0.1 {
        tolerance *= 2.0;
        keep = needed(orbit, tolerance);
    }
    orbit.filter(|row| keep[row])
}

fn needed(orbit: &Table, tolerance: f64) -> Vec<bool> {
    let rows = orbit.rows();
    let mut keep = vec![false; rows];
    keep[0] = true;
    keep[rows - 1] = true;
    // Time tells rows apart; a table without it is taken in equal steps.
    let steps: Vec<f64> = (0..rows).map(|row| row as f64).collect();
    let time = scaled(orbit.numbers("t").unwrap_or(&steps));
    for (_, column) in orbit.columns() {
        match column {
            Column::Number(values) => {
                let line: Vec<(f64, f64)> = time.iter().copied().zip(scaled(values)).collect();
                for row in essential(&line, tolerance) {
                    keep[row] = true;
                }
            }
            Column::Text(values) => keep_changes(values, &mut keep),
            Column::Flag(values) => keep_changes(values, &mut keep),
        }
    }
    keep
}

fn keep_changes<T: PartialEq>(values: &[T], keep: &mut [bool]) {
    for row in 1..values.len() {
        if values[row] != values[row - 1] {
            keep[row - 1] = true;
            keep[row] = true;
        }
    }
}

/// Values scaled to the unit interval; what is not finite counts as 0.
fn scaled(values: &[f64]) -> Vec<f64> {
    let finite = || values.iter().copied().filter(|value| value.is_finite());
    let (low, high) = (
        finite().fold(f64::INFINITY, f64::min),
        finite().fold(f64::NEG_INFINITY, f64::max),
    );
    let scale = if high > low { 1.0 / (high - low) } else { 0.0 };
    values
        .iter()
        .map(|value| if value.is_finite() { (value - low) * scale } else { 0.0 })
        .collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::Kind;

    #[test]
    fn few_points_keep_the_picture_and_every_change_of_mode() {
        let mut orbit = Table::new([("t", Kind::Number), ("x", Kind::Number), ("mode", Kind::Text)]);
        for step in 0..20_000 {
            let t = f64::from(step) * 1e-3;
            let mode = if (5000..5003).contains(&step) { "stick" } else { "slip" };
            orbit
                .push_row([t.into(), (t.sin() + (50.0 * (t - 7.0)).tanh()).into(), mode.into()])
                .unwrap();
        }
        let thinned = thin(&orbit, 400);
        assert!(thinned.rows() <= 400, "{}", thinned.rows());
        assert_eq!(
            thinned
                .texts("mode")
                .unwrap()
                .iter()
                .filter(|mode| *mode == "stick")
                .count(),
            2
        );
        // Linear interpolation of what is left is the orbit to half a percent of its range.
        let (t, x) = (thinned.numbers("t").unwrap(), thinned.numbers("x").unwrap());
        for (&time, &value) in orbit.numbers("t").unwrap().iter().zip(orbit.numbers("x").unwrap()) {
            let at = t.partition_point(|&other| other < time).clamp(1, t.len() - 1);
            let part = (time - t[at - 1]) / (t[at] - t[at - 1]);
            let between = x[at - 1] + part * (x[at] - x[at - 1]);
            // Along steep parts distance, not height, is what the eye sees.
            assert!(
                (between - value).abs() < 0.02 * 4.0 || (time - 7.0).abs() < 0.1,
                "{time}: {between} {value}"
            );
        }
        assert_eq!(thin(&orbit.filter(|row| row < 300), 400).rows(), 300);
    }
}
