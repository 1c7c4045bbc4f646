//! What a study selects and a run does not have: refused where that is known before, else said, with exit code 1, while
//! everything else is drawn.

use super::command::slipstick;
use super::diagnostics::said;
use std::fs;
use std::path::Path;

/// Van der Pol's oscillator: a family of cycles without a special point, with these levels and figures.
fn cycles(levels: &str, more: &str) -> String {
    format!(
        r#"Study(
    title: "Cycles",
    system: Smooth(states: ["x", "y"], parameters: {{"mu": 1, "nu": 1}}, equations: ["x' = y", "y' = mu*(1 - x^2)*y - nu*x"], start: {{"x": 2}}),
    curves: [
        Curve(name: "rest", orbit: Equilibrium, start: Guess(at: {{"mu": 1}}, states: [{{"x": 0, "y": 0}}]), free: "mu", range: (0.5, 2)),
        Curve(name: "cycles", orbit: PeriodicOrbit, start: Settle(at: {{"mu": 1}}), free: "mu", range: (0.5, 2), levels: {levels}),
    ],
    {more}
)
"#
    )
}

fn orbits(of: &str) -> String {
    format!(r#"figures: [Orbits(name: "orbits", of: [{of}], panels: [Plane("x", "y")])],"#)
}

fn account(folder: &Path) -> serde_json::Value {
    serde_json::from_slice(&fs::read(folder.join("run.json")).unwrap()).unwrap()
}

#[test]
fn levels_that_a_curve_is_not_asked_for_are_refused_with_what_to_write() {
    let levels = r#"{"mu": [1, 1.5], "x_max": [2.01]}"#;
    for (of, wanted) in [
        (
            r#""cycles: mu=1, mu=1.2""#,
            r#"curve `cycles` is not asked for a point at mu = 1.2"#,
        ),
        (r#""cycles: mu=1.2""#, r#"levels: {"mu": [1, 1.2, 1.5]}"#),
        (r#""cycles: period=7""#, r#"levels: {"period": [7]}"#),
    ] {
        let found = said(&cycles(levels, &orbits(of)), &[]);
        assert!(found.contains(wanted), "{found}");
    }
    let space = r#"figures: [Space(name: "space", x: "x", y: "y", z: "t", orbits: ["cycles: mu=0.7"])],"#;
    assert!(said(&cycles(levels, space), &[]).contains("mu = 0.7"));
    let portrait = r#"slow_fast: [Portrait(name: "layer", time: 3, within: {"x": (-1, 1), "y": (-1, 1)})],
        figures: [Manifold(name: "layer", of: "layer", x: "x", y: "y", show: [Sheets], orbits: ["cycles: mu=0.7"])],"#;
    let slow_fast = cycles(levels, portrait)
        .replace("y' = mu*(1 - x^2)*y - nu*x", "y' = (mu*(1 - x^2)*y - nu*x)/eps")
        .replace(r#""nu": 1"#, r#""nu": 1, "eps": 1"#)
        .replace(
            "equations",
            r#"slow_fast: SlowFast(fast: "y", epsilon: "eps"), equations"#,
        );
    assert!(said(&slow_fast, &[]).contains("mu = 0.7"));
    let from = r#"figures: [],"#;
    let next = r#"Curve(name: "next", orbit: PeriodicOrbit, start: Point(from: "cycles, mu=0.7"), free: "nu", range: (0.5, 2)),
    ],"#;
    let starting = cycles(levels, from).replacen("    ],\n", next, 1);
    assert!(said(&starting, &[]).contains("is not asked for a point at mu = 0.7"));
    // What is the same along the curve, and the ends of its range, are levels of every curve.
    let folder = tempfile::tempdir().unwrap();
    let fine = cycles(levels, &orbits(r#""cycles: mu=1, x_max=2.01, mu=2, nu=1""#));
    fs::write(folder.path().join("study.ron"), fine).unwrap();
    let check = slipstick(folder.path(), &["check", "study.ron"]);
    assert_eq!((check.code, check.stderr.as_str()), (0, ""));
}

#[test]
fn labels_that_a_kind_of_curve_cannot_have_are_refused() {
    for (more, wanted) in [
        (
            orbits(r#""rest: PD""#),
            "curve `rest` consists of equilibria, which have no point with label PD",
        ),
        (orbits(r#""cycles: SB""#), "which have no point with label SB"),
        (
            r#"figures: [Diagram(name: "all", x: "mu", y: "x", of: ["rest"], mark: Only(["HB", "NS"]))],"#.to_owned(),
            "which have no point with label NS",
        ),
        (
            r#"figures: [Diagram(name: "all", x: "mu", y: "nu1_log10")],"#.to_owned(),
            "unknown column `nu1_log10`",
        ),
        (
            r#"loci: [Locus(name: "locus", from: "rest: PD", free: ("mu", "nu"), range: ((0.5, 2), (0.5, 2)))],"#
                .to_owned(),
            "which have no point with label PD",
        ),
    ] {
        let found = said(&cycles("{}", &more), &[]);
        assert!(found.contains(wanted), "{found}");
    }
    let starting = cycles("{}", "").replace(r#"start: Settle(at: {"mu": 1})"#, r#"start: Point(from: "rest, PD")"#);
    assert!(said(&starting, &[]).contains("consists of equilibria"));
    // The columns that are offered are those that a curve can have.
    let columns = said(
        &cycles("{}", r#"figures: [Diagram(name: "all", x: "mu", y: "none")],"#),
        &[],
    );
    assert!(
        columns.contains("mult1_log10") && columns.contains("eig2_im"),
        "{columns}"
    );
    assert!(
        !columns.contains("nu1_log10") && !columns.contains("mult2_log10"),
        "{columns}"
    );
}

#[test]
fn a_selection_that_finds_nothing_is_missing_and_the_rest_is_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let figures = r#"figures: [
        Orbits(name: "orbits", of: ["cycles: mu=1, LP", "cycles: 4000"], panels: [Plane("x", "y")]),
        Diagram(name: "folds", x: "mu", y: "x_max", of: ["cycles"], mark: Only(["LP"])),
        Diagram(name: "empty", x: "mu", y: ["x_max", "eig1_re"], of: ["cycles", "rest"]),
        Diagram(name: "none", x: "mu", y: "mult1_log10", of: ["cycles", "rest"]),
        Panels(name: "sheet", panels: [Diagram(x: "mu", y: "x_max", of: ["cycles"]), Orbits(of: ["cycles: PD, mu=1"], panels: [Time("x")])]),
    ],"#;
    fs::write(folder.path().join("study.ron"), cycles(r#"{"mu": [1]}"#, figures)).unwrap();
    let run = slipstick(folder.path(), &["run", "study.ron", "--out", "out"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    for wanted in [
        "`cycles`: figure `orbits` does not show `cycles: LP`: the curve has no point with this label; it has orbits at 0 (EP, mu=0.5), ",
        "(UZ, mu=1)",
        "figure `orbits` does not show `cycles: 4000`: the curve has no orbit at this point",
        "figure `folds` marks no points: none of its curves has LP; they have EP, UZ",
        "figure `none` does not show `rest`: no point of the curve has numbers in `mu`, `mult1_log10`",
        "figure `sheet` does not show `cycles: PD`",
    ] {
        assert!(run.stderr.contains(wanted), "no `{wanted}` in\n{}", run.stderr);
    }
    assert!(!run.stderr.contains("figure `empty`"), "{}", run.stderr);
    let missing = account(&folder.path().join("out"))["missing"].clone();
    let missing = missing.as_array().unwrap();
    assert_eq!(missing.len(), 5);
    assert!(missing.iter().all(|part| part["partly"] == true));
    assert!(missing[0]["curve"] == "cycles" && missing[0]["reason"].as_str().unwrap().contains("`cycles: LP`"));
    for figure in ["orbits", "folds", "empty", "none", "sheet"] {
        assert!(folder.path().join(format!("out/figures/{figure}.svg")).is_file());
    }
    let shown = slipstick(folder.path(), &["show", "out"]);
    assert!(
        shown
            .stdout
            .contains("cycles: figure `orbits` does not show `cycles: LP`"),
        "{}",
        shown.stdout
    );
    // `plot` says it, too, and draws.
    let figure = r#"Orbits(name: "again", of: ["cycles: mu=1, GR"], panels: [Plane("x", "y")])"#;
    fs::write(folder.path().join("again.ron"), figure).unwrap();
    let plot = slipstick(folder.path(), &["plot", "out", "again.ron"]);
    assert_eq!(plot.code, 1);
    assert!(plot.stderr.contains("does not show `cycles: GR`"), "{}", plot.stderr);
    assert!(folder.path().join("out/figures/again.svg").is_file());
}

#[test]
fn levels_that_are_not_reached_are_noted() {
    let folder = tempfile::tempdir().unwrap();
    let study = cycles(r#"{"mu": [1], "x_max": [5, 2.01], "period": [70]}"#, "");
    fs::write(folder.path().join("study.ron"), study).unwrap();
    let run = slipstick(folder.path(), &["run", "study.ron", "--out", "out"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let note = "no point at the levels period = 70, x_max = 5";
    assert!(
        run.stderr.contains(note) || run.stdout.contains(note),
        "{}\n{}",
        run.stdout,
        run.stderr
    );
    assert_eq!(account(&folder.path().join("out"))["curves"][1]["note"], note);
}

#[test]
fn tables_of_distances_without_a_row_are_missing() {
    let folder = tempfile::tempdir().unwrap();
    let distances =
        r#"distances: [Distances(name: "apart", reference: ["rest"], of: ["cycles"], column: "mu", over: "mu")],"#;
    fs::write(folder.path().join("study.ron"), cycles(r#"{"mu": [1]}"#, distances)).unwrap();
    let run = slipstick(folder.path(), &["run", "study.ron", "--out", "out"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(
        run.stderr.contains("`apart`: the table of distances is empty"),
        "{}",
        run.stderr
    );
    assert!(folder.path().join("out/distances/apart.csv").is_file());
}

/// Where a study starts from a label that the curve could have but does not, the message lists the labels that it has.
#[test]
fn a_start_without_a_point_names_those_there_are() {
    let folder = tempfile::tempdir().unwrap();
    let study = cycles("{}", "").replace(r#"start: Settle(at: {"mu": 1})"#, r#"start: Point(from: "rest, HB")"#);
    fs::write(folder.path().join("study.ron"), study).unwrap();
    let run = slipstick(folder.path(), &["run", "study.ron", "--out", "out"]);
    assert_eq!(run.code, 1);
    let wanted = "there is no point with label HB on curve `rest`; its special points: 2 EP";
    assert!(run.stderr.contains(wanted), "{}", run.stderr);
}

#[test]
fn families_at_hopf_points_are_curves_of_their_own() {
    let branches = cycles("{}", "").replacen("range:", "branches: [HB], range:", 1);
    let found = said(&branches, &[]);
    assert!(
        found.contains("unknown word `HB`") && !found.contains("did you mean"),
        "{found}"
    );
    assert!(found.contains(r#"start: Point(from: "curve, HB")"#), "{found}");
    let others = said(&branches.replace("[HB]", "[NS]"), &[]);
    assert!(others.contains("branches are traced at SB, PD, BP"), "{others}");
}

/// The end of the second parameter's range is called so in the tables as in the summary.
#[test]
fn both_ends_of_two_ranges_have_one_name() {
    let folder = tempfile::tempdir().unwrap();
    let study = r#"Study(
    title: "A cusp",
    system: Smooth(states: ["x"], parameters: {"a": -1, "b": 1}, equations: ["x' = a + b*x - x^3"]),
    curves: [Curve(name: "rest", orbit: Equilibrium, start: Guess(at: {"a": -1}, states: [{"x": -1.3}]), free: "a", range: (-1, 1))],
    loci: [Locus(name: "folds", from: "rest: LP", free: ("a", "b"), range: ((-5, 5), (-1, 1.5)))],
)"#;
    fs::write(folder.path().join("study.ron"), study).unwrap();
    let run = slipstick(folder.path(), &["run", "study.ron", "--out", "out"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let special = fs::read_to_string(folder.path().join("out/special.csv")).unwrap();
    assert!(special.contains("end of the range, b = 1.5"), "{special}");
    assert!(!special.contains("interval"), "{special}");
}
