//! Forward non-uniqueness: what may be chosen from is named in rows of its own, and a study may choose.

use crate::support::{ATLAS, assert_close, curve, labelled, only, points, run, value};
use slipstick_bifurcation::Label;
use slipstick_study::{CurveResult, RunResult};

/// The forced oscillator with stiction, whose mass may also creep where it may stick.
fn creeping(choice: &str) -> RunResult {
    let text = include_str!("../by_hand/fric.ron");
    let (system, _) = text.split_once("    curves: [").unwrap();
    let system = system
        .replace(
            r#"                    "turn": Event(guard: "v", direction: Down"#,
            r#"                    "seize": Event(guard: "v", direction: Down, when: ["F > -eta"], to: "creep"),
                    "turn": Event(guard: "v", direction: Down"#,
        )
        .replace(
            r#"                    "turn": Event(guard: "v", direction: Up"#,
            r#"                    "seize": Event(guard: "v", direction: Up, when: ["F < eta"], to: "creep"),
                    "turn": Event(guard: "v", direction: Up"#,
        )
        .replace(
            r#"            "stick": Mode("#,
            r#"            "creep": Mode(
                states: ["x", "theta"],
                absent: {"v": "0"},
                equations: ["x' = 0.1*F", "theta' = omega"],
                events: {
                    "up": Event(guard: "F - eta", direction: Up, to: "slip+"),
                    "down": Event(guard: "F + eta", direction: Down, to: "slip-"),
                },
            ),
            "stick": Mode("#,
        );
    let curves = format!(
        r#"    curves: [Curve(
            name: "no stop", orbit: Symmetric("slip+ turn"), start: All(at: {{"omega": 0.9}}, seeds: 120), free: "omega", range: (0.6, 1.1),
            switch: Auto, {choice}
        )],
        )"#
    );
    run(&(system + &curves), &[])
}

fn words(c: &CurveResult) -> Vec<String> {
    let mut words: Vec<String> = c.pieces.iter().map(|p| p.word.clone()).collect();
    words.sort();
    words
}

const LIMIT: f64 = 0.7486857316306344;

#[test]
fn several_words_that_continue_a_curve_are_all_followed() {
    let result = creeping("");
    let c = curve(&result, "no stop");
    let limit = only(c, Label::VS);
    assert_close("limit", value(c, limit, "omega"), LIMIT, 1e-10);
    let choice = only(c, Label::NU);
    assert_close("choice", value(c, choice, "omega"), LIMIT, 1e-10);
    for word in ["slip+ seize creep down | mirrored", "slip+ stop stick down | mirrored"] {
        assert!(choice.message.contains(&format!("`{word}`")), "{}", choice.message);
    }
    // The curve goes on with one of them, the other is a curve of its own from the same orbit.
    let other = curve(&result, "no stop-or1");
    assert!(
        limit.message.contains("the other continuation is curve `no stop-or1`"),
        "{}",
        limit.message
    );
    let mut both = words(other);
    both.extend(
        words(c)
            .into_iter()
            .filter(|w| w.contains("stick") || w.contains("creep")),
    );
    both.sort();
    assert_eq!(
        both,
        ["slip+ seize creep down | mirrored", "slip+ stop stick down | mirrored"]
    );
    let at_limit = points(other)
        .into_iter()
        .find(|p| (p.point.parameter() - LIMIT).abs() < 1e-9)
        .unwrap();
    for column in ["x_max", "v_max", "period"] {
        assert_close(column, value(other, at_limit, column), value(c, limit, column), 1e-8);
    }
    assert!(points(other).len() > 5);
    for p in points(other) {
        assert!(p.record.margin() > -1e-8);
    }
    // What creeps and what sticks is one orbit at the limit and two below it.
    let top = |c: &CurveResult| {
        let low = points(c)
            .into_iter()
            .min_by(|a, b| a.point.parameter().total_cmp(&b.point.parameter()));
        value(c, low.unwrap(), "x_max")
    };
    assert!((top(c) - top(other)).abs() > 1e-3);
}

#[test]
fn a_study_chooses_the_word_to_go_on_with() {
    for (choice, taken, left) in [("Stick", "stick", "creep"), ("Slip", "creep", "stick")] {
        let result = creeping(&format!("choice: {choice},"));
        assert_eq!(result.curves.len(), 1);
        let c = curve(&result, "no stop");
        let all = words(c).join("; ");
        assert!(all.contains(taken) && !all.contains(left), "{choice}: {all}");
        let choice = only(c, Label::NU);
        assert!(
            choice.message.contains(taken) && choice.message.contains(left),
            "{}",
            choice.message
        );
        assert!(
            only(c, Label::VS)
                .message
                .contains("the other continuation is not traced")
        );
    }
}

#[test]
fn where_stick_may_be_kept_or_left_a_row_says_so() {
    let result = &ATLAS.1;
    let c = curve(result, "compliant");
    let tangency = only(c, Label::VT);
    let choices = labelled(c, Label::NU);
    let own = choices
        .iter()
        .find(|p| (p.point.parameter() - tangency.point.parameter()).abs() < 1e-12)
        .unwrap();
    assert!(
        own.message
            .contains("two continuations are admissible: staying in `stick`, and `release-` into `slip+`"),
        "{}",
        own.message
    );
    // It has the orbit of the end that it stands beside.
    for piece in &c.pieces {
        for (i, p) in piece
            .branch
            .points
            .iter()
            .enumerate()
            .filter(|(_, p)| p.label == Some(Label::NU))
        {
            let sample = |at: usize| piece.orbits.iter().find(|(k, _)| *k == at).map(|(_, s)| s);
            let beside = if i == 1 { 0 } else { i + 1 };
            assert_eq!(piece.branch.points[beside].point, p.point);
            assert_eq!(sample(i).unwrap(), sample(beside).unwrap());
        }
        assert!(piece.orbits.windows(2).all(|w| w[0].0 < w[1].0));
        assert!(
            piece
                .orbits
                .iter()
                .all(|(i, _)| piece.branch.points[*i].label.is_some())
        );
        assert!(
            piece
                .between
                .iter()
                .all(|(i, _)| piece.branch.points[*i].label.is_none())
        );
    }
}
