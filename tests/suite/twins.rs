//! `Twins(...)`: distances of regularisations from their limit, their order, and what only one of them has.

use super::support::run;
use proptest::prelude::*;
use slipstick_report::Table;
use slipstick_report::figure::Figure;
use slipstick_study::{self as study, RunResult};

fn table<'r>(result: &'r RunResult, name: &str) -> &'r Table {
    let tables = result.analyses.iter().flat_map(|a| &a.tables);
    tables.into_iter().find(|(n, _)| n == name).map(|(_, t)| t).unwrap()
}

/// A study of equilibria of x' = `limit` and x' = `twin`, in which `w` is small.
fn study_of(limit: &str, twin: &str, values: &str) -> String {
    let system = |rate: &str| {
        let parameters = if rate.contains('w') {
            "\"a\": 0, \"w\": 0.01"
        } else {
            "\"a\": 0"
        };
        format!(r#"Smooth(states: ["x"], parameters: {{{parameters}}}, equations: ["x' = {rate}"])"#)
    };
    let curve = |name: &str| {
        format!(
            r#"Curve(name: "{name}", system: "{name}", orbit: Equilibrium, start: All(at: {{"a": 0}}), free: "a", range: (-2, 2))"#
        )
    };
    format!(
        r#"Study(title: "t", systems: {{"limit": {}, "twin": {}}}, curves: [{}, {}],
            tasks: [Twins(name: "t", limit: ["limit"], twin: ["twin"], over: {{"w": {values}}}, columns: ["x"])])"#,
        system(limit),
        system(twin),
        curve("limit"),
        curve("twin"),
    )
}

/// The rows of an object in a column: parameter, distance, order, slope.
fn rows(distances: &Table, object: &str, column: &str) -> Vec<[f64; 4]> {
    let (objects, columns) = (distances.texts("object").unwrap(), distances.texts("column").unwrap());
    let numbers = ["w", "distance", "order", "slope"].map(|name| distances.numbers(name).unwrap());
    let own = (0..distances.rows()).filter(|&row| objects[row] == object && columns[row] == column);
    own.map(|row| numbers.map(|column| column[row])).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    /// Equilibria of x' = a + x - x³ + k wⁿ are those of the limit at a + k wⁿ: the folds are off by k wⁿ in `a`, and
    /// by nothing in `x`; where a curve is steep it is off by more, with the same order.
    #[test]
    fn orders_are_those_of_the_perturbation(k in 0.3..1.5f64, n in 1u8..4) {
        let twin = format!("a + x - x^3 + {k:?}*w^{n}");
        let result = run(&study_of("a + x - x^3", &twin, "Values([0.1, 0.02, 0.01])"), &[]);
        let distances = table(&result, "t");
        for fold in ["LP 1", "LP 2"] {
            let own = rows(distances, fold, "a");
            prop_assert_eq!(own.len(), 3);
            for row in &own {
                let wanted = k * row[0].powi(i32::from(n));
                prop_assert!((row[1] - wanted).abs() < 1e-8, "{:?} {}", row, wanted);
            }
            prop_assert!((own[0][3] - f64::from(n)).abs() < 1e-2 && own[0][2].is_nan());
            prop_assert!(rows(distances, fold, "x").iter().all(|row| row[1] < 1e-6));
        }
        let largest = rows(distances, "curve", "x");
        prop_assert!((largest[2][2] - f64::from(n)).abs() < 0.3, "{:?}", largest);
        // At every level: by Newton's method.
        for row in 0..distances.rows() {
            if distances.texts("object").unwrap()[row].starts_with("a = ") {
                let (w, at) = (distances.numbers("w").unwrap()[row], distances.numbers("at").unwrap()[row]);
                let mut x = distances.numbers("value").unwrap()[row];
                let found = x;
                for _ in 0..20 {
                    x -= (at + x - x * x * x + k * w.powi(i32::from(n))) / (1.0 - 3.0 * x * x);
                }
                prop_assert!((x - found).abs() < 1e-9);
            }
        }
        // Next to a fold there may be more solutions at a level, but there are no more folds.
        prop_assert!(!result.analyses[0].notes.iter().any(|note| note.contains("LP (")));
    }
}

#[test]
fn more_solutions_than_the_limit_are_told() {
    // Where the limit has one equilibrium for every `a`, a layer of width `w` has three near a = 0.
    let result = run(
        &study_of("a - x", "a - x + 0.5*w*tanh(20*x/w)", "Values([0.2, 0.1])"),
        &[],
    );
    let notes = &result.analyses[0].notes;
    let more: Vec<&String> = notes
        .iter()
        .filter(|note| note.contains("more solutions than its limit"))
        .collect();
    assert_eq!(more.len(), 2, "{notes:?}");
    assert!(
        more[0].contains("w = 2e-1") && more[0].contains("LP (2 instead of 0)"),
        "{}",
        more[0]
    );
    let counts = table(&result, "t-solutions");
    let (objects, twin) = (counts.texts("object").unwrap(), counts.numbers("twin").unwrap());
    let limit = counts.numbers("limit").unwrap();
    for row in 0..counts.rows() {
        let wanted = match objects[row].strip_prefix("a = ") {
            None => (0.0, 2.0),
            Some(_) => (1.0, twin[row]),
        };
        assert_eq!((limit[row], twin[row]), wanted, "{}", objects[row]);
    }
    // The other way round nothing is more; the folds have no partner.
    let result = run(&study_of("a + x - x^3", "a - x + w", "Values([0.2, 0.1])"), &[]);
    let notes = result.analyses[0].notes.join("\n");
    assert!(
        notes.contains("LP 1 of limit") && notes.contains("has no such point"),
        "{notes}"
    );
    assert!(!notes.contains("more solutions"), "{notes}");
}

#[test]
fn its_figure_has_a_line_for_each_object() {
    let text = study_of("a + x - x^3", "a + x - x^3 + w", "Values([0.1, 0.01])");
    let figures =
        r#"figures: [Twins(name: "orders", of: "t"), Twins(name: "folds", of: "t", objects: ["LP"], columns: ["a"])])"#;
    let text = format!("{}, {figures}", text.trim_end().trim_end_matches(')'));
    let loaded = study::parse("study.ron".as_ref(), text.clone()).unwrap();
    assert!(loaded.plan(&[]).is_ok());
    for (wrong, says) in [
        (
            text.replace("of: \"t\", objects", "of: \"tt\", objects"),
            "unknown comparison of twins `tt`",
        ),
        (
            text.replace("columns: [\"a\"])", "columns: [\"y\"])"),
            "unknown column that is compared `y`",
        ),
    ] {
        assert_ne!(wrong, text);
        let refused = study::parse("study.ron".as_ref(), wrong).and_then(|s| s.plan(&[]).map(|_| ()));
        let message = refused.unwrap_err().to_string();
        assert!(message.contains(says), "{message}");
    }
    let result = run(&text, &[]);
    let mut data = slipstick_report::RunData::default();
    for (name, table) in &result.analyses[0].tables {
        data.tables.insert(name.clone(), table.clone());
    }
    let figure = Figure::from_ron(r#"Twins(name: "folds", of: "t", objects: ["LP"], columns: ["a"])"#).unwrap();
    let drawing = slipstick_report::figure::draw(&figure, &data).unwrap();
    let tex = drawing.tex();
    assert!(
        tex.contains("LP 1, order 1.00") && tex.contains("LP 2, order 1.00"),
        "{tex}"
    );
}

#[test]
fn what_cannot_be_compared_is_said() {
    let sound = study_of("a + x - x^3", "a + x - x^3 + w", "Values([0.1, 0.01])");
    for (from, to, says) in [
        ("limit: [\"limit\"]", "limit: [\"limt\"]", "unknown curve `limt`"),
        ("twin: [\"twin\"]", "twin: [\"twn\"]", "unknown curve `twn`"),
        ("limit: [\"limit\"]", "limit: []", "names no curve"),
        (
            "{\"w\": Values([0.1, 0.01])}",
            "{\"w\": Values([0.1]), \"a\": Values([0, 1])}",
            "in one parameter",
        ),
        ("over: {\"w\"", "over: {\"ww\"", "unknown parameter `ww`"),
        ("columns: [\"x\"]", "columns: [\"y\"]", "unknown column `y`"),
        ("columns: [\"x\"]", "columns: []", "nothing to compare"),
        (
            "columns: [\"x\"]",
            "columns: [\"x\"], at: Log(-1, 1, 4)",
            "no logarithms",
        ),
    ] {
        let text = sound.replace(from, to);
        assert_ne!(text, sound);
        let refused = study::parse("study.ron".as_ref(), text).and_then(|s| s.plan(&[]).map(|_| ()));
        let message = refused.unwrap_err().to_string();
        assert!(
            message.contains(says) && message.contains("study.ron:"),
            "{to}\n{message}"
        );
    }
}
