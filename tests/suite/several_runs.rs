//! Figures of several runs and of data of one's own; points named by a comma or a colon.

use crate::command::slipstick;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;
use tempfile::TempDir;

/// Two studies: a fold and a pitchfork with a Hopf point beside it, in parameters of different names.
const FOLD: &str = r#"Study(
    title: "Fold",
    system: Smooth(states: ["x"], parameters: {"r": 1}, equations: ["x' = r - x^2"]),
    curves: [Curve(name: "rest", orbit: Equilibrium, start: Guess(at: {"r": 1}, states: [{"x": 1}]), free: "r", range: (-1, 2))],
)"#;
const HOPF: &str = r#"Study(
    title: "Hopf",
    system: Smooth(states: ["x", "y"], parameters: {"a": -1, "w": 1}, equations: ["x' = a*x - w*y - x*(x^2 + y^2)", "y' = w*x + a*y - y*(x^2 + y^2)"]),
    curves: [
        Curve(name: "rest", orbit: Equilibrium, start: Guess(at: {"a": -1}, states: [{"x": 0, "y": 0}]), free: "a", range: (-1, 1)),
        Curve(name: "cycles", orbit: PeriodicOrbit, start: Point(from: "rest: HB"), free: "a", range: (-1, 1)),
    ],
    loci: [Locus(name: "border", from: "rest, HB", free: ("a", "w"), range: ((-1, 1), (0.5, 2)))],
)"#;

/// Both runs, with another of the first.
static RUNS: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("fold", FOLD), ("hopf", HOPF)] {
        fs::write(folder.path().join(format!("{name}.ron")), text).unwrap();
        let run = slipstick(folder.path(), &["run", &format!("{name}.ron"), "--quiet"]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{name}");
    }
    folder
});

/// Draw a figure in a folder of its own beside the runs; what was said, and the picture.
fn plot(runs: &[&str], figure: &str, data: &[(&str, &str)]) -> (crate::command::Outcome, String) {
    let own = tempfile::tempdir_in(RUNS.path()).unwrap();
    for (name, text) in data {
        fs::write(own.path().join(name), text).unwrap();
    }
    fs::write(own.path().join("figure.ron"), figure).unwrap();
    let file = own.path().join("figure.ron");
    let arguments: Vec<&str> = ["plot"]
        .into_iter()
        .chain(runs.iter().copied())
        .chain([file.to_str().unwrap()])
        .collect();
    let outcome = slipstick(RUNS.path(), &arguments);
    let picture = fs::read_to_string(own.path().join("both.tex")).unwrap_or_default();
    (outcome, picture)
}

#[test]
fn several_runs_are_drawn_in_one_figure() {
    let figure = r#"Diagram(name: "both", x: "unstable", y: "x", of: ["rest"])"#;
    let (plotted, picture) = plot(&["output/fold", "output/hopf"], figure, &[]);
    assert_eq!((plotted.code, plotted.stderr.as_str()), (0, ""));
    for name in ["rest (fold)", "rest (hopf)"] {
        assert!(picture.contains(name), "no {name} in the legend of\n{picture}");
    }
    assert!(
        !RUNS.path().join("output/fold/figures/both.svg").exists(),
        "it is no part of the run"
    );
}

#[test]
fn a_figure_names_other_runs_by_their_folders() {
    for (of, legend) in [
        (r#""rest", "../output/hopf: rest""#, true),
        (r#""rest", "../output/hopf, rest""#, true),
        (r#""rest""#, false),
    ] {
        let figure = format!(r#"Diagram(name: "both", x: "unstable", y: "x", of: [{of}])"#);
        let (plotted, picture) = plot(&["output/fold", "--out", "."], &figure, &[]);
        assert_eq!((plotted.code, plotted.stderr.as_str()), (0, ""), "{of}");
        let picture = if picture.is_empty() {
            fs::read_to_string(RUNS.path().join("both.tex")).unwrap()
        } else {
            picture
        };
        assert_eq!(picture.contains("rest (hopf)"), legend, "{of}\n{picture}");
    }
    let figure = "Diagram(\n    name: \"both\",\n    x: \"unstable\",\n    y: \"x\",\n    of: [\"rest\", \"../output/hpf: rest\"],\n)";
    let (plotted, _) = plot(&["output/fold"], figure, &[]);
    assert_eq!(plotted.code, 2);
    assert!(
        plotted.stderr.contains("figure.ron:5:") && plotted.stderr.contains("there is no folder"),
        "{}",
        plotted.stderr
    );
    // Without a figure it is not known what to draw of both.
    assert_eq!(slipstick(RUNS.path(), &["plot", "output/fold", "output/hopf"]).code, 2);
}

#[test]
fn data_of_ones_own_stand_beside_curves() {
    let figure =
        |data: &str| format!("Diagram(\n    name: \"both\",\n    x: \"r\",\n    y: \"x\",\n    data: [{data}],\n)");
    let csv = [("measured.csv", "# by hand\nf;a;b\n0,5;0,7;1\n1,0;;1\n1,5;1,22;1\n")];
    let (plotted, picture) = plot(
        &["output/fold"],
        &figure(
            r#"Data(file: "measured.csv", x: "f", y: 2, label: "measured $x$"), Data(file: "measured.csv", x: 1, y: "b", draw: Line)"#,
        ),
        &csv,
    );
    assert_eq!((plotted.code, plotted.stderr.as_str()), (0, ""));
    assert!(
        picture.contains("measured $x$") && picture.contains("{measured}"),
        "{picture}"
    );
    for (data, line, words) in [
        (
            r#"Data(file: "mesured.csv", x: 1, y: 2)"#,
            "figure.ron:5:",
            "cannot be read",
        ),
        (
            r#"Data(file: "measured.csv", x: "g", y: 2)"#,
            "figure.ron:5:",
            "its columns are: f, a, b",
        ),
        (
            r#"Data(file: "measured.csv", x: 1, y: 7)"#,
            "figure.ron:5:",
            "line 3 has 3 columns, and column 7",
        ),
        (
            r#"Data(file: "measured.csv", x: 0, y: 2)"#,
            "figure.ron:5:",
            "numbered from 1",
        ),
        (
            r#"Data(file: "measured.csv", x: 1, z: 2)"#,
            "figure.ron:5:",
            "unknown key `z`",
        ),
    ] {
        let (plotted, _) = plot(&["output/fold"], &figure(data), &csv);
        assert_eq!(plotted.code, 2, "{data}");
        assert!(
            plotted.stderr.contains(line) && plotted.stderr.contains(words),
            "{data}: {}",
            plotted.stderr
        );
    }
    // A study has no such data: its figures are those of its run.
    let study = FOLD.replace(
        "    curves",
        r#"    figures: [Diagram(name: "d", x: "r", y: "x", data: [Data(file: "m.csv", x: 1, y: 2)])],
    curves"#,
    );
    fs::write(RUNS.path().join("own.ron"), study).unwrap();
    let check = slipstick(RUNS.path(), &["check", "own.ron"]);
    assert!(
        check.code == 2 && check.stderr.contains("slipstick plot RUN FIGURE.ron"),
        "{}",
        check.stderr
    );
}

/// Points are named by a comma or a colon wherever they are named: starts, two-parameter curves, figures, `show`.
#[test]
fn commas_and_colons_name_points() {
    let results = |text: &str, out: &str| -> String {
        let folder: &Path = RUNS.path();
        fs::write(folder.join(format!("{out}.ron")), text).unwrap();
        let run = slipstick(folder, &["run", &format!("{out}.ron"), "--quiet"]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{out}");
        fs::read_to_string(folder.join(format!("output/{out}/points.csv"))).unwrap()
    };
    let swapped = HOPF.replace("rest: HB", "rest , HB").replace("rest, HB", "rest : HB");
    assert_ne!(swapped, HOPF);
    assert_eq!(results(&swapped, "swapped"), results(HOPF, "plain"));
    let elsewhere = HOPF.replace("rest: HB", "output/hopf: rest: HB 1");
    assert_eq!(results(&elsewhere, "elsewhere"), results(HOPF, "plain"));
    let shown = |what: &str| slipstick(RUNS.path(), &["show", "output/hopf", what]).stdout;
    assert!(shown("rest, HB").contains("neutral (a pair of imaginary eigenvalues)"));
    for other in ["rest: HB", "rest:HB 1", "rest, HB 1", "rest: a=0"] {
        assert_eq!(shown(other), shown("rest, HB"), "{other}");
    }
    let orbits = |of: &str| {
        let figure = format!(r#"Orbits(name: "both", of: ["{of}"], panels: [Plane("x", "y")])"#);
        let (plotted, _) = plot(&["output/hopf", "--out", "orbits"], &figure, &[]);
        assert_eq!((plotted.code, plotted.stderr.as_str()), (0, ""), "{of}");
        fs::read(RUNS.path().join("orbits/both.svg")).unwrap()
    };
    assert_eq!(orbits("cycles: EP"), orbits("cycles, EP"));
}

#[test]
fn the_figure_of_several_runs_on_the_page_is_drawn() {
    let page = include_str!("../../docs/runs.md");
    let block = page
        .split("```ron\n")
        .find(|block| block.contains("data: [Data("))
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("figure.ron"), block.split("```").next().unwrap()).unwrap();
    fs::write(
        folder.path().join("measured.csv"),
        "frequency ratio,run,amplitude\n2,1,0.42\n3,2,0.15\n",
    )
    .unwrap();
    fs::write(folder.path().join("stiction.ron"), crate::support::STICTION).unwrap();
    for (out, mu) in [("output/stiction", "mu_s=1.1"), ("output/weaker", "mu_s=1.05")] {
        let run = slipstick(
            folder.path(),
            &["run", "stiction.ron", "--set", mu, "--out", out, "--quiet"],
        );
        assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    }
    let arguments = page
        .lines()
        .find_map(|line| line.strip_prefix("slipstick plot output/stiction output/weaker "));
    let plotted = slipstick(
        folder.path(),
        &["plot", "output/stiction", "output/weaker", arguments.unwrap()],
    );
    assert_eq!((plotted.code, plotted.stderr.as_str()), (0, ""));
    let picture = fs::read_to_string(folder.path().join("materials.tex")).unwrap();
    for name in ["stiff (stiction)", "stiff (weaker)", "compliant (weaker)", "{measured}"] {
        assert!(picture.contains(name), "no {name} in\n{picture}");
    }
    assert!(!picture.contains("compliant (stiction)"));
}
