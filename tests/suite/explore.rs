//! Finished runs looked at from the shell: `show`, `diff`, `plot`, completions and the manual page.

use super::command::{files, slipstick};
use super::support::STICTION;
use std::fs;
use std::path::Path;
use std::sync::OnceLock;

/// A run of the shipped study, made once: `a/` and a copy of its study beside it.
fn finished() -> &'static Path {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("stiction.ron"), STICTION).unwrap();
        let run = slipstick(folder.path(), &["run", "stiction.ron", "--out", "a", "--quiet"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        folder
    });
    folder.path()
}

/// The index of the only point of a curve with this label.
fn index_of(curve: &str, label: &str) -> usize {
    let data = slipstick_report::RunData::read(finished().join("a")).unwrap();
    let rows = data.special.rows_where("curve", curve);
    let at = rows.texts("label").unwrap().iter().position(|l| l == label).unwrap();
    rows.numbers("index").unwrap()[at] as usize
}

#[test]
fn show_tells_curves_and_their_special_points() {
    let all = slipstick(finished(), &["show", "a"]);
    assert_eq!((all.code, all.stderr.as_str()), (0, ""));
    let fold = format!("compliant-{}", index_of("compliant", "LP"));
    let line = all.stdout.lines().find(|l| l.contains(&fold)).unwrap();
    assert!(line.contains("LP") && line.contains("Omega = 0.475765667821"), "{line}");
    assert!(all.stdout.contains("ended  VS: segment 2"), "{}", all.stdout);

    let one = slipstick(finished(), &["show", "a", "stiff"]);
    let table: Vec<&str> = one.stdout.lines().skip(2).collect();
    assert!(table[0].starts_with("index  label  Omega"), "{}", table[0]);
    assert_eq!(table.len(), 8, "VS, SB, four levels, the end: {table:?}");
    let every = slipstick(finished(), &["show", "a", "stiff", "--all"]);
    let data = slipstick_report::RunData::read(finished().join("a")).unwrap();
    let points = data.points.rows_where("curve", "stiff").rows();
    assert_eq!(every.stdout.lines().count(), points + 3);
}

#[test]
fn show_tells_the_story_of_a_point() {
    let breaking = index_of("stiff", "SB");
    for name in [format!("stiff-{breaking}"), format!("stiff:{breaking}")] {
        let run = slipstick(finished(), &["show", "a", &name]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""));
        let says = |text: &str| assert!(run.stdout.contains(text), "no `{text}` in\n{}", run.stdout);
        says(&format!("point {breaking} of `stiff`: SB"));
        says("a pair of asymmetric orbits");
        says("word        slip- land stick release- | mirrored");
        says("stable      neutral (ν = -1)");
        says("nu1    -1\n");
        says("mult2  0\n");
        says(&format!("orbit in orbits/stiff-{breaking}.csv"));
        says("slip+  t = ");
        let omega = run.stdout.lines().find(|l| l.starts_with("Omega")).unwrap();
        let value: f64 = omega.split_whitespace().nth(1).unwrap().parse().unwrap();
        assert!((value - 1.627747758837944).abs() < 1e-12, "{omega}");
    }
    let plain = slipstick(finished(), &["show", "a", "stiff-1"]);
    assert!(plain.stdout.contains("no orbit is stored"), "{}", plain.stdout);
}

#[test]
fn points_are_shown_by_label_number_and_level() {
    let show = |what: &str| slipstick(finished(), &["show", "a", what]);
    let breaking = show(&format!("stiff-{}", index_of("stiff", "SB")));
    for what in ["stiff, SB", "stiff-SB", "stiff:SB", "stiff, SB 1"] {
        assert_eq!(show(what).stdout, breaking.stdout, "{what}");
    }
    assert!(
        !breaking.stdout.lines().any(|l| l.starts_with("mult1_arg")),
        "told in words"
    );
    assert!(
        breaking.stdout.contains("theta  an angle: 1 turn from "),
        "{}",
        breaking.stdout
    );
    // The levels are 2, 3, 5 and 10.
    assert_eq!(show("stiff, UZ 3").stdout, show("stiff, Omega=5").stdout);
    let all = show("stiff, UZ").stdout;
    assert_eq!(all.lines().filter(|l| l.starts_with("point ")).count(), 4, "{all}");
    for what in ["stiff, PD", "stiff, UZ 9", "stiff, Omega=4"] {
        let none = show(what);
        assert_eq!((none.code, none.stdout.as_str()), (2, ""), "{what}");
        assert!(
            none.stderr.contains("has no point") && none.stderr.contains("SB"),
            "{}",
            none.stderr
        );
    }
}

#[test]
fn two_parameter_curves_are_told_with_both_parameters() {
    let folder = tempfile::tempdir().unwrap();
    // Folds of a + b·x − x³ lie on 27 a² = 4 b³.
    let study = r#"Study(
        title: "Cusp",
        system: Smooth(states: ["x"], parameters: {"a": -1, "b": 1}, equations: ["x' = a + b*x - x^3"]),
        curves: [Curve(name: "rest", orbit: Equilibrium, start: All(at: {"a": -1}), free: "a", range: (-1, 1))],
        loci: [Locus(name: "folds", from: "rest: LP", free: ("a", "b"), range: ((-1, 1), (-1, 2)))],
    )"#;
    fs::write(folder.path().join("cusp.ron"), study).unwrap();
    let run = slipstick(folder.path(), &["run", "cusp.ron", "--out", "out"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(
        run.stdout.contains("a from -1 to 1, b from 0 to 1.889882"),
        "{}",
        run.stdout
    );
    let show = slipstick(folder.path(), &["show", "out"]);
    let end = format!("a = 1, b = {}", (27.0f64 / 4.0).cbrt().to_string().split_at(13).0);
    assert!(show.stdout.contains(&end), "no `{end}` in\n{}", show.stdout);
}

#[test]
fn every_inequality_of_every_point_is_kept_and_the_smallest_is_the_margin() {
    let data = slipstick_report::RunData::read(finished().join("a")).unwrap();
    for curve in ["stiff", "compliant"] {
        let points = data.points.rows_where("curve", curve);
        let margins = &data.inequalities[curve];
        assert_eq!(margins.numbers("index").unwrap(), points.numbers("index").unwrap());
        assert!(margins.names().len() > 4, "{:?}", margins.names());
        for (row, &margin) in points.numbers("margin").unwrap().iter().enumerate() {
            let values = margins.names()[1..]
                .iter()
                .map(|name| margins.numbers(name).unwrap()[row]);
            assert_eq!(values.fold(f64::INFINITY, f64::min), margin, "{curve}-{row}");
        }
    }
    // Where the stick phase vanishes, its duration comes first.
    let end = index_of("compliant", "VS");
    let run = slipstick(finished(), &["show", "a", &format!("compliant-{end}")]);
    let mut lines = run.stdout.lines().skip_while(|line| !line.starts_with("inequalities:"));
    assert_eq!(
        lines.next().unwrap(),
        "inequalities: margin, and the label where it is zero"
    );
    let told: Vec<(f64, &str)> = lines
        .take_while(|line| !line.is_empty())
        .map(|line| {
            let (margin, meaning) = line.trim().split_once(' ').unwrap();
            let margin = if margin == "far" {
                f64::INFINITY
            } else {
                margin.parse().unwrap()
            };
            (margin, meaning.trim())
        })
        .collect();
    assert!(told.is_sorted_by(|a, b| a.0 <= b.0) && told.len() > 3, "{told:?}");
    let stick = told
        .iter()
        .find(|(_, meaning)| meaning.starts_with("VS: segment 2 (`stick`) vanishes"));
    assert!(stick.is_some_and(|(margin, _)| margin.abs() < 1e-9), "{told:?}");
}

#[test]
fn what_cannot_be_shown_is_said_with_what_can() {
    let curve = slipstick(finished(), &["show", "a", "stif"]);
    assert_eq!(
        (curve.code, curve.stderr.trim_end()),
        (
            2,
            "error: the run has no curve, trajectory or table `stif`; did you mean `stiff`? it has: stiff, compliant. Its points are called CURVE-INDEX, \"CURVE, LABEL\" or \
             \"CURVE, LABEL NUMBER\""
        )
    );
    let point = slipstick(finished(), &["show", "a", "stiff-99999"]);
    assert_eq!(point.code, 2);
    assert!(
        point.stderr.contains("has no point 99999; its points are 0 to "),
        "{}",
        point.stderr
    );
    let folder = slipstick(finished(), &["show", "nowhere"]);
    assert!(
        folder.code == 2
            && folder
                .stderr
                .starts_with("error: there is no folder nowhere; there are runs in a"),
        "{}",
        folder.stderr
    );
    let folder = slipstick(finished(), &["show", "."]);
    assert!(
        folder.code == 2
            && folder
                .stderr
                .contains("there is no points.csv in it; there are runs in ./a"),
        "{}",
        folder.stderr
    );
}

#[test]
fn diff_tells_runs_apart() {
    let folder = tempfile::tempdir().unwrap();
    let run = |out: &str, more: &[&str]| {
        let study = finished().join("stiction.ron");
        let mut arguments = vec!["run", study.to_str().unwrap(), "--quiet", "--out", out];
        arguments.extend(more);
        assert_eq!(slipstick(folder.path(), &arguments).code, 0);
    };
    run("again", &[]);
    run("other", &["--set", "mu_s=1.1001"]);
    let first = finished().join("a");
    let first = first.to_str().unwrap();
    let same = slipstick(folder.path(), &["diff", first, "again", "--verbose"]);
    assert_eq!((same.code, same.stderr.as_str()), (0, ""), "{}", same.stdout);
    assert!(
        same.stdout.contains("special points of `stiff`: identical"),
        "{}",
        same.stdout
    );
    let other = slipstick(folder.path(), &["diff", first, "other"]);
    assert_eq!(other.code, 1);
    let says = |text: &str| assert!(other.stdout.contains(text), "no `{text}` in\n{}", other.stdout);
    // What changed comes first, in three lines.
    let summary: Vec<&str> = other.stdout.lines().take(4).collect();
    assert!(summary[0].starts_with("parameters: mu_s 1.1 → 1.1001"), "{summary:?}");
    assert!(
        summary[1].starts_with("labels: ") && summary[1].contains(" moved: `") && summary[1].contains(" to Omega = "),
        "{summary:?}"
    );
    assert!(
        summary[2].starts_with("curves: ") && summary[3].is_empty(),
        "{summary:?}"
    );
    says("--set values differ: nothing | mu_s=1.1001");
    says("special points of `compliant`: `Omega` differs in ");
    says("1.1 | 1.1001");
    assert!(
        !other.stdout.contains("the studies differ in their text"),
        "{}",
        other.stdout
    );
    // With a tolerance that covers the change the numbers agree.
    let loose = slipstick(folder.path(), &["diff", first, "other", "--tolerance", "0.5"]);
    assert!(!loose.stdout.contains("`Omega` differs"), "{}", loose.stdout);
}

#[test]
fn plot_redraws_the_same_bytes_without_computing() {
    let out = tempfile::tempdir().unwrap();
    let to = out.path().to_str().unwrap();
    let run = slipstick(finished(), &["plot", "a", "--out", to]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert_eq!(files(out.path()), files(&finished().join("a/figures")));

    let figure = r#"Diagram(name: "mine", x: "Omega", y: "max_abs_x", log: [X], style: Style(palette: Monochrome))"#;
    for (file, text) in [
        ("one.ron", figure.to_owned()),
        (
            "list.ron",
            format!("// two\n[{figure}, {}]", figure.replace("mine", "other")),
        ),
    ] {
        fs::write(out.path().join(file), text).unwrap();
        let path = out.path().join(file);
        let run = slipstick(finished(), &["plot", "a", path.to_str().unwrap(), "--out", to]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    }
    assert!(out.path().join("mine.pdf").is_file() && out.path().join("other.tex").is_file());
}

#[test]
fn plot_says_what_is_wrong_with_a_figure() {
    let out = tempfile::tempdir().unwrap();
    let file = out.path().join("figure.ron");
    let plot = |text: &str| {
        fs::write(&file, text).unwrap();
        slipstick(
            finished(),
            &[
                "plot",
                "a",
                file.to_str().unwrap(),
                "--out",
                out.path().to_str().unwrap(),
            ],
        )
    };
    let syntax = plot("Diagram(\n  name: \"a\",\n  xx: \"Omega\",\n)");
    assert_eq!(syntax.code, 2);
    assert!(
        syntax.stderr.contains("figure.ron:3:") && syntax.stderr.contains("xx"),
        "{}",
        syntax.stderr
    );
    let column = plot(r#"Diagram(name: "a", x: "Omega", y: "amplitude")"#);
    assert_eq!(column.code, 2);
    assert!(
        column.stderr.contains("amplitude") && column.stderr.contains("max_abs_x"),
        "{}",
        column.stderr
    );
    let nameless = plot(r#"Diagram(x: "Omega", y: "max_abs_x")"#);
    assert_eq!(nameless.code, 2, "{}", nameless.stderr);
}

#[test]
fn completions_and_the_manual_name_every_command() {
    let man = slipstick(Path::new("."), &["man"]);
    assert_eq!((man.code, man.stderr.as_str()), (0, ""));
    assert!(man.stdout.contains(".TH slipstick"), "{}", man.stdout);
    for shell in ["bash", "zsh", "fish"] {
        let script = slipstick(Path::new("."), &["completions", shell]);
        assert_eq!((script.code, script.stderr.as_str()), (0, ""));
        for command in ["run", "check", "new", "systems", "show", "diff", "plot"] {
            assert!(script.stdout.contains(command), "{shell} does not know {command}");
            assert!(
                man.stdout.contains(&format!("SLIPSTICK {}", command.to_uppercase())),
                "{command}"
            );
        }
    }
}

#[test]
fn a_run_of_analyses_alone_is_listed_and_its_report_shows_its_figures_without_an_empty_diagram() {
    let folder = tempfile::tempdir().unwrap();
    let study = r#"Study(
        title: "Stick, slip and memory",
        system: Stiction(mu_s: 1.1, mu_d: 0.4),
        simulations: [Simulation(name: "ride", from: {"x": 1.0}, time: 20)],
        analyses: [Shaw(name: "loud", time: 30, oscillator: (beta: 9))],
        figures: [Trajectories(name: "rides", of: ["ride"], panels: [Time("x")])],
    )"#;
    fs::write(folder.path().join("alone.ron"), study).unwrap();
    let run = slipstick(folder.path(), &["run", "alone.ron", "--out", "out", "--quiet"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let all = slipstick(folder.path(), &["show", "out"]).stdout;
    for part in [
        "ride: trajectory, ",
        "loud: analysis",
        "loud: motion over time, ",
        "loud-instants: table, ",
    ] {
        assert!(all.contains(part), "no `{part}` in {all}");
    }
    let report = fs::read_to_string(folder.path().join("out/report.html")).unwrap();
    assert_eq!(report.matches("data:image/svg+xml").count(), 1);
    let plot = slipstick(folder.path(), &["plot", "nowhere"]);
    assert_eq!(
        (plot.code, plot.stderr.trim_end()),
        (2, "error: there is no folder nowhere; there are runs in out")
    );
    fs::remove_file(folder.path().join("out/run.json")).unwrap();
    let plot = slipstick(folder.path(), &["plot", "out"]);
    assert!(
        plot.code == 2 && plot.stderr.contains("holds no finished run"),
        "{}",
        plot.stderr
    );
}

#[test]
fn diff_tells_where_points_with_the_same_label_lie_in_both_runs() {
    let folder = finished();
    let args = [
        "run",
        "stiction.ron",
        "--set",
        "mu_s=1.05",
        "--out",
        "weaker",
        "--quiet",
    ];
    slipstick(folder, &args);
    let told = slipstick(folder, &["diff", "a", "weaker"]).stdout;
    let line = told
        .lines()
        .find(|line| line.starts_with("`stiff, SB 1`: Omega = "))
        .unwrap();
    let numbers: Vec<f64> = line
        .split(['=', '|', ','])
        .filter_map(|part| part.trim().parse().ok())
        .collect();
    assert!(
        (numbers[0] - 1.627747758837944).abs() < 1e-12 && numbers[1] != numbers[0],
        "{line}"
    );
    let by: f64 = line.rsplit(' ').next().unwrap().parse().unwrap();
    assert!((by - (numbers[1] - numbers[0])).abs() < 1e-5 * by.abs(), "{line}");
}

#[test]
fn diff_names_the_parameters_that_one_run_only_has() {
    let folder = tempfile::tempdir().unwrap();
    for (name, parameters) in [("a", "\"r\": 1, \"a\": 2"), ("b", "\"r\": 1, \"b\": 2, \"c\": 3")] {
        let text = format!(
            "Study(title: \"t\", system: Smooth(states: [\"x\"], parameters: {{{parameters}}}, equations: [\"x' = r - x\"]), curves: \
             [Curve(name: \"x\", orbit: Equilibrium, start: Guess(at: {{\"r\": 1}}, states: [{{\"x\": 1}}]), free: \"r\", range: (0, 2))])"
        );
        std::fs::write(folder.path().join(format!("{name}.ron")), text).unwrap();
        slipstick(
            folder.path(),
            &["run", &format!("{name}.ron"), "--out", name, "--quiet"],
        );
    }
    let said = slipstick(folder.path(), &["diff", "a", "b"]).stdout;
    let line = said.lines().find(|line| line.starts_with("parameters:")).unwrap();
    assert!(
        line.contains("a of the first run only") && line.contains("b, c of the second run only"),
        "{line}"
    );
}

#[test]
fn a_start_from_a_label_that_only_a_sibling_has_names_the_sibling() {
    let folder = tempfile::tempdir().unwrap();
    // Two curves from one start: x = -2, which is alone and found first, and the parabola around x = 1, which folds.
    let study = r#"Study(
        title: "Siblings",
        system: Smooth(states: ["x"], parameters: {"a": 0.5}, equations: ["x' = (x + 2)*(a - (x - 1)^2)"]),
        curves: [
            Curve(name: "rest", orbit: Equilibrium, start: Guess(at: {"a": 0.5}, states: [{"x": -2}]), free: "a", range: (0.1, 1)),
            Curve(name: "on", orbit: Equilibrium, start: Point(from: "rest, LP"), free: "a", range: (-1, 1)),
            Curve(name: "all", orbit: Equilibrium, start: All(at: {"a": 0.5}, within: {"x": (-3, 3)}), free: "a", range: (-1, 1)),
            Curve(name: "away", orbit: Equilibrium, start: Point(from: "all, LP"), free: "a", range: (-1, 1)),
        ],
    )"#;
    fs::write(folder.path().join("siblings.ron"), study).unwrap();
    let run = slipstick(folder.path(), &["run", "siblings.ron", "--out", "out", "--quiet"]);
    let told = |curve: &str| {
        run.stderr
            .lines()
            .find(|line| line.starts_with(curve))
            .unwrap()
            .to_owned()
    };
    assert!(
        told("`on`").ends_with("there is no point with label LP on curve `rest`; its special points: 2 EP"),
        "{}",
        run.stderr
    );
    assert!(
        told("`away`").contains("there are some on `all-2`: write that name"),
        "{}",
        run.stderr
    );
}

#[test]
fn in_the_regularised_run_every_point_has_its_own_orbit_in_the_report() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("r.ron"),
        include_str!("../../studies/regularised.ron"),
    )
    .unwrap();
    let run = slipstick(folder.path(), &["run", "r.ron", "--out", "out", "--quiet"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let report = fs::read_to_string(folder.path().join("out/report.html")).unwrap();
    let payload = report
        .split_once("id=\"payload\">")
        .unwrap()
        .1
        .split_once("</script>")
        .unwrap()
        .0;
    let payload: serde_json::Value = serde_json::from_str(payload).unwrap();
    let points = slipstick_report::RunData::read(folder.path().join("out"))
        .unwrap()
        .points
        .rows();
    assert!(points < 600, "else not all of them fit");
    let stored: std::collections::BTreeSet<(u64, u64)> = payload["orbits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|orbit| (orbit["curve"].as_u64().unwrap(), orbit["index"].as_u64().unwrap()))
        .collect();
    assert_eq!(stored.len(), points);
    assert!(report.len() < 8_000_000, "{} bytes", report.len());
}

/// At a bifurcation a motion is neither stable nor unstable for what is neutral there.
#[test]
fn what_is_neutral_is_called_so() {
    let at = |what: &str| slipstick(finished(), &["show", "a", what]);
    assert!(at("stiff, SB").stdout.contains("stable      neutral (ν = -1)\n"));
    assert!(at("stiff, Omega=2").stdout.contains("stable      yes\n"));
    let missed = at("stif");
    assert_eq!(missed.code, 2);
    assert!(missed.stderr.contains("did you mean `stiff`?"), "{}", missed.stderr);
}

/// What the tables know exactly is not read off the samples of an orbit.
#[test]
fn extents_are_exact_or_have_the_digits_of_samples() {
    let shown = slipstick(finished(), &["show", "a", "stiff, SB"]).stdout;
    let row = |name: &str| -> Vec<String> {
        let line = shown
            .lines()
            .map(str::trim)
            .find(|line| line.starts_with(&format!("{name} ")))
            .unwrap();
        line.split_whitespace().map(str::to_owned).collect()
    };
    let amplitude: f64 = row("max_abs_x")[1].parse().unwrap();
    let reach = row("x");
    assert_eq!([&*reach[1], &*reach[3]], ["from", "to"]);
    for end in [&reach[2], &reach[4]] {
        assert!((end.parse::<f64>().unwrap().abs() - amplitude).abs() < 1e-11, "{shown}");
    }
    // No column has the largest phase of the forcing or of its observables; velocities have theirs.
    let velocity: f64 = row("max_abs_y")[1].parse().unwrap();
    assert!(
        (row("y")[4].parse::<f64>().unwrap() - velocity).abs() < 1e-11,
        "{shown}"
    );
    assert!(
        shown.contains("multipliers (without the trivial one of free motion along the orbit, 1)"),
        "{shown}"
    );
}

#[test]
fn stability_that_was_not_computed_is_not_told() {
    use slipstick_report::explore::{FinishedRun, Selection, show};
    use slipstick_report::{Kind, RunData, Table};
    let columns = [
        ("curve", Kind::Text),
        ("index", Kind::Number),
        ("label", Kind::Text),
        ("period", Kind::Number),
        ("stable", Kind::Flag),
        ("unstable", Kind::Number),
        ("mult1_log10", Kind::Number),
        ("mult1_arg", Kind::Number),
    ];
    let told = |log10: f64, unstable: f64| {
        let mut points = Table::new(columns);
        let row: [slipstick_report::Cell; 6] = [
            "on".into(),
            0usize.into(),
            "".into(),
            1.0.into(),
            false.into(),
            unstable.into(),
        ];
        points
            .push_row(row.into_iter().chain([log10.into(), 0.0.into()]))
            .unwrap();
        let data = RunData {
            special: Table::new(columns.into_iter().chain([("message", Kind::Text)])),
            points,
            ..RunData::default()
        };
        let run = FinishedRun {
            data,
            ..FinishedRun::default()
        };
        let point = Selection::Point {
            curve: "on".into(),
            index: 0,
        };
        show(&run, &point).unwrap()
    };
    let unknown = told(f64::NAN, 0.0);
    assert!(
        unknown.contains("stable      not known: no multipliers were computed here"),
        "{unknown}"
    );
    assert!(told(0.3, 1.0).contains("stable      no: 1 multiplier outside the unit circle"));
}
