//! Families of curves: the members of a study, each with its points and special points or the reason why not.

use super::support::run;
use slipstick_report::Table;
use slipstick_study::{self as study, RunResult};

const CUBIC: &str = r#"system: Smooth(states: ["x"], parameters: {"a": 0, "b": 3}, equations: ["x' = a + b*x - x^3"])"#;

fn table<'r>(result: &'r RunResult, name: &str) -> &'r Table {
    let tables = result.analyses.iter().flat_map(|a| &a.tables);
    tables.into_iter().find(|(n, _)| n == name).map(|(_, t)| t).unwrap()
}

#[test]
fn a_cubic_has_its_folds_in_every_member() {
    let text = format!(
        r#"Study(title: "t", {CUBIC},
            curves: [Curve(name: "rest", orbit: Equilibrium, start: All(at: {{"a": 0}}), free: "a", range: (-3, 3))],
            tasks: [Family(name: "folds", over: {{"b": Linear(0.5, 3, 6)}})])"#
    );
    let result = run(&text, &[]);
    let (special, members) = (table(&result, "folds-special"), table(&result, "folds-members"));
    assert_eq!(members.numbers("member").unwrap(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let bs = members.numbers("b").unwrap();
    let (numbers, labels) = (special.numbers("member").unwrap(), special.texts("label").unwrap());
    for (k, &b) in bs.iter().enumerate() {
        assert!((b - 0.5 * (k + 1) as f64).abs() < 1e-15);
        let fold = |row: &usize| labels[*row] == "LP" && numbers[*row] == (k + 1) as f64;
        let rows: Vec<usize> = (0..special.rows()).filter(fold).collect();
        assert_eq!(rows.len(), 2, "b = {b}");
        let mut found: Vec<f64> = rows.iter().map(|&row| special.numbers("a").unwrap()[row]).collect();
        found.sort_by(f64::total_cmp);
        let wanted = 2.0 * (b / 3.0).powf(1.5);
        assert!(
            (found[0] + wanted).abs() < 1e-9 && (found[1] - wanted).abs() < 1e-9,
            "b = {b}: {found:?}"
        );
        assert!(rows.iter().all(|&row| special.numbers("b").unwrap()[row] == b));
        assert!(members.texts("special").unwrap()[k].contains("2 LP"));
    }
    // Every point of a member is one of its own cubic.
    let points = table(&result, "folds");
    let column = |name: &str| points.numbers(name).unwrap();
    for row in 0..points.rows() {
        let (a, b, x) = (column("a")[row], column("b")[row], column("x")[row]);
        assert_eq!(b, bs[column("member")[row] as usize - 1]);
        assert!((a + b * x - x * x * x).abs() < 1e-9);
    }
    let counted: f64 = members.numbers("points").unwrap().iter().sum();
    assert_eq!(counted, points.rows() as f64);
}

#[test]
fn members_that_fail_have_a_reason_and_the_others_are_there() {
    // Without equilibria for a + b < 0.
    let text = r#"Study(title: "t",
        system: Smooth(states: ["x"], parameters: {"a": 0, "b": 1}, equations: ["x' = a + b - x^2"]),
        curves: [Curve(name: "rest", orbit: Equilibrium, start: All(at: {"a": 0}), free: "a", range: (-0.5, 0.5))],
        tasks: [Family(name: "f", over: {"b": Values([-2, 1, 2])})])"#;
    let result = run(text, &[]);
    let members = table(&result, "f-members");
    let (numbers, points) = (members.numbers("member").unwrap(), members.numbers("points").unwrap());
    let ended = members.texts("ended").unwrap();
    for row in 0..members.rows() {
        let lacking = numbers[row] == 1.0;
        assert_eq!(points[row] == 0.0, lacking, "{row}: {}", ended[row]);
        assert!(!ended[row].is_empty());
        assert_eq!(members.numbers("from").unwrap()[row].is_nan(), lacking);
    }
    for member in [1.0, 2.0, 3.0] {
        assert!(numbers.contains(&member));
    }
    assert!(
        result.analyses[0].notes[0].contains("1 lack curves"),
        "{:?}",
        result.analyses[0].notes
    );
}

#[test]
fn the_table_is_the_same_for_any_number_of_threads() {
    let text = format!(
        r#"Study(title: "t", {CUBIC},
            curves: [Curve(name: "rest", orbit: Equilibrium, start: All(at: {{"a": 0}}), free: "a", range: (-3, 3))],
            tasks: [Family(name: "folds", over: {{"b": Linear(-1, 2, 5)}})])"#
    );
    let tables = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let result = pool.install(|| run(&text, &[]));
        ["folds", "folds-special", "folds-members"].map(|name| format!("{:?}", table(&result, name)))
    };
    assert_eq!(tables(1), tables(3));
}

#[test]
fn what_a_family_cannot_go_over_is_said() {
    let curves = |start: &str| {
        format!(r#"Curve(name: "rest", orbit: Equilibrium, start: All(at: {start}), free: "a", range: (-3, 3))"#)
    };
    let plain = curves(r#"{"a": 0}"#);
    for (curves, task, help) in [
        (
            &plain,
            r#"Family(name: "f", over: {"b": Linear(0, 1, 3)}, curves: ["rst"])"#,
            ["unknown curve `rst`", "`rest`"],
        ),
        (
            &plain,
            r#"Family(name: "f", over: {"bb": Linear(0, 1, 3)})"#,
            ["unknown parameter `bb`", "`b`"],
        ),
        (
            &plain,
            r#"Family(name: "f", over: {"a": Linear(0, 1, 3)})"#,
            ["free parameter of curve `rest`", "go over another parameter"],
        ),
        (
            &plain,
            r#"Family(name: "f", over: {"b": Linear(0, 1, 3)}, set: {"b": 2})"#,
            ["has no effect", "leave it out"],
        ),
        (
            &curves(r#"{"a": 0, "b": 2}"#),
            r#"Family(name: "f", over: {"b": Linear(0, 1, 3)})"#,
            ["has a value of its own here", "leave it out"],
        ),
        (
            &String::new(),
            r#"Family(name: "f", over: {"b": Linear(0, 1, 3)})"#,
            ["no curves", "curves: [...]"],
        ),
    ] {
        let text = format!(r#"Study(title: "t", {CUBIC}, curves: [{curves}], tasks: [{task}])"#);
        let refused = study::parse("study.ron".as_ref(), text)
            .and_then(|s| s.plan(&[]).map(|_| ()))
            .err()
            .unwrap_or_else(|| panic!("{task} is accepted"))
            .to_string();
        assert!(help.iter().all(|part| refused.contains(part)), "{task}: {refused}");
    }
}
