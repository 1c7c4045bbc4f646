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
    let data = slipstick::report::RunData::read(finished().join("a")).unwrap();
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
    let data = slipstick::report::RunData::read(finished().join("a")).unwrap();
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
        says("stable      yes");
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
    let data = slipstick::report::RunData::read(finished().join("a")).unwrap();
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
        "inequalities: margin, and what happens where it vanishes"
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
            "error: the run has no curve or trajectory `stif`; it has: stiff, compliant. Its points are called CURVE-INDEX, \"CURVE, LABEL\" or \
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
    assert_eq!(
        (folder.code, folder.stderr.trim_end()),
        (2, "error: nowhere holds no finished run: there is no points.csv in it")
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
    says("parameters set from outside differ: nothing | mu_s=1.1001");
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
