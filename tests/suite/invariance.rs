//! The same numbers whatever the step size, the direction, the start and the number of threads.

use super::support::{self, STICTION, assert_close, curve, points, specials, value};
use slipstick_bifurcation::Label;
use slipstick_study::{CurveResult, RunResult};
use std::sync::LazyLock;

static RESULT: LazyLock<RunResult> = LazyLock::new(|| support::run(STICTION, &[]));

/// The shipped study with more keys in each curve.
fn with(keys: &str) -> String {
    let text = STICTION.replace("free: \"Omega\",", &format!("free: \"Omega\", {keys}"));
    assert_ne!(text, STICTION);
    text
}

/// The special points of two curves must be the same, in the order of the curve.
#[track_caller]
fn assert_same_specials(what: &str, found: &CurveResult, wanted: &CurveResult) {
    let labels = |c: &CurveResult| specials(c).into_iter().filter_map(|p| p.label).collect::<Vec<Label>>();
    assert_eq!(labels(found), labels(wanted), "{what}: {}", found.name);
    for (a, b) in specials(found).into_iter().zip(specials(wanted)) {
        let what = format!("{what}: {} {}", found.name, a.message);
        assert_eq!(a.message, b.message);
        for column in ["Omega", "theta0", "stick", "max_abs_x"] {
            assert_close(
                &format!("{what} {column}"),
                value(found, a, column),
                value(wanted, b, column),
                1e-11,
            );
        }
        // At the tangency ν is infinite, and its logarithm says only how near the point lies.
        if !matches!(a.label, Some(Label::VT | Label::NU)) {
            assert_close(&what, value(found, a, "nu"), value(wanted, b, "nu"), 1e-10);
            // Where ν = ±1 rounding decides.
            if !matches!(a.label, Some(Label::LP | Label::SB)) {
                assert_eq!(a.record.stable(), b.record.stable(), "{what}");
            }
        }
    }
}

#[test]
fn step_sizes_do_not_matter() {
    for (initial, largest) in [(1e-3, 1e-3), (1e-3, 10.0), (0.03, 0.03), (10.0, 10.0), (10.0, 0.3)] {
        let result = support::run(
            &with(&format!("step: Step(initial: {initial}, largest: {largest}),")),
            &[],
        );
        for wanted in &RESULT.curves {
            let c = curve(&result, &wanted.name);
            assert_same_specials(&format!("initial {initial}, largest {largest}"), c, wanted);
            let points = points(c);
            let widest = points
                .windows(2)
                .map(|w| (value(c, w[1], "Omega") - value(c, w[0], "Omega")).abs());
            assert!(
                widest.fold(0.0, f64::max) <= largest * 1.01,
                "steps no longer than {largest}"
            );
        }
    }
}

#[test]
fn the_turn_of_a_step_does_not_matter() {
    for turn in [0.02, 0.5] {
        let result = support::run(&with(&format!("step: Step(turn: {turn}),")), &[]);
        for wanted in &RESULT.curves {
            assert_same_specials(&format!("turn {turn}"), curve(&result, &wanted.name), wanted);
        }
    }
}

#[test]
fn both_directions_are_the_one_and_the_other() {
    let up = support::run(&with("directions: Up,"), &[]);
    let down = support::run(&with("directions: Down,"), &[]);
    for both in &RESULT.curves {
        let onsets = |c: &CurveResult| {
            let onsets = specials(c).into_iter().map(|p| value(c, p, "theta0"));
            onsets.collect::<Vec<_>>()
        };
        let (up, down) = (curve(&up, &both.name), curve(&down, &both.name));
        // The two share their start.
        let mut joined = onsets(down);
        joined.reverse();
        let shared = points(up)[0].label.is_some();
        joined.extend(onsets(up).into_iter().skip(usize::from(shared)));
        for (found, wanted) in joined.iter().zip(onsets(both)) {
            assert_close(&both.name, *found, wanted, 1e-11);
        }
        assert_eq!(joined.len(), onsets(both).len());
        assert_eq!(up.len() + down.len(), both.len() + 1);
    }
}

#[test]
fn the_start_does_not_matter() {
    for (stiff, compliant) in [(1.4, 0.478), (14.5, 0.52)] {
        let text = STICTION
            .replace("All(at: {\"Omega\": 2.0})", &format!("All(at: {{\"Omega\": {stiff}}})"))
            .replace(
                "All(at: {\"Omega\": 0.5})",
                &format!("All(at: {{\"Omega\": {compliant}}})"),
            );
        let result = support::run(&text, &[]);
        assert_eq!(result.curves.len(), 2);
        for wanted in &RESULT.curves {
            assert_same_specials(
                &format!("start at {stiff} and {compliant}"),
                curve(&result, &wanted.name),
                wanted,
            );
        }
    }
}

#[test]
fn the_number_of_threads_does_not_matter() {
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let result = pool.install(|| support::run(STICTION, &[]));
        for (found, wanted) in result.curves.iter().zip(&RESULT.curves) {
            assert_eq!(found.name, wanted.name);
            assert!(
                points(found) == points(wanted),
                "{threads} threads change `{}`",
                found.name
            );
        }
    }
}
