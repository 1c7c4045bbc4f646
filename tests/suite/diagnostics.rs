//! Every way to be wrong, and what is said about it: the line, the place in it, a way out, exit code 2, and no work
//! done.

use super::command::slipstick;
use insta::assert_snapshot;
use std::fs;

const STUDY: &str = r#"Study(
    title: "A study with a fault",
    system: Stiction(mu_s: 1.1, mu_d: 0.4),
    curves: [
        Curve(
            name: "stiff",
            orbit: Symmetric("slip- stick"),
            start: All(at: {"Omega": 2.0}),
            free: "Omega",
            range: (1.0, 15.0),
            levels: {"Omega": [2, 3]},
        ),
    ],
    figures: [
        Diagram(name: "amplitude", x: "Omega", y: "max_abs_x", of: ["stiff"]),
    ],
)
"#;

/// What is said about a text, with these arguments after the study.
#[track_caller]
pub(crate) fn said(text: &str, arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("study.ron"), text).unwrap();
    let check = slipstick(folder.path(), &[&["check", "study.ron"], arguments].concat());
    let run = slipstick(folder.path(), &[&["run", "study.ron"], arguments].concat());
    assert_eq!((run.code, check.code), (2, 2), "{}", run.stderr);
    assert_eq!((run.stdout.as_str(), check.stdout.as_str()), ("", ""));
    assert_eq!(run.stderr.replace("slipstick run", "slipstick check"), check.stderr);
    assert!(!folder.path().join("output").exists(), "nothing is begun");
    run.stderr
}

/// What is said when a part of the study is replaced.
#[track_caller]
fn fault(right: &str, wrong: &str) -> String {
    assert_eq!(STUDY.matches(right).count(), 1, "{right}");
    said(&STUDY.replace(right, wrong), &[])
}

#[test]
fn the_study_without_a_fault_is_fine() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("study.ron"), STUDY).unwrap();
    assert_eq!(slipstick(folder.path(), &["check", "study.ron"]).code, 0);
}

#[test]
fn a_file_that_is_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let run = slipstick(folder.path(), &["run", "nowhere.ron"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert_snapshot!(run.stderr, @r"
    error: cannot read the study nowhere.ron: No such file or directory (os error 2)
      help: `slipstick new nowhere.ron` writes a study to start from
    ");
    assert_eq!(slipstick(folder.path(), &["check", "nowhere.ron"]).code, 2);
}

#[test]
fn not_ron() {
    assert_snapshot!(said("Dear reader, this is no study.\n", &[]), @r"
    error: expected `Study(...)`, found `Dear`
     --> study.ron:1:1
      |
    1 | Dear reader, this is no study.
      | ^^^^
      |
      = help: a study begins with `Study(`; `slipstick new` writes one to start from
    ");
    assert_snapshot!(said("{\"title\": \"JSON\"}\n", &[]), @r#"
    error: expected `Study(...)` or `(`
     --> study.ron:1:1
      |
    1 | {"title": "JSON"}
      | ^
      |
      = help: a study begins with `Study(`; `slipstick new` writes one to start from
    "#);
    assert_snapshot!(said("", &[]), @r"
    error: expected `Study(...)` or `(`
     --> study.ron:1:1
      |
    1 |
      | ^
      |
      = help: a study begins with `Study(`; `slipstick new` writes one to start from
    ");
    assert_snapshot!(fault("range: (1.0, 15.0),", "range: (1.0, 15.0,"), @r#"
    error: expected `)`
      --> study.ron:11:13
       |
    11 |             levels: {"Omega": [2, 3]},
       |             ^^^^^^
       |
       = help: an interval has two numbers: `(low, high)`
    "#);
    assert_snapshot!(fault("    ],\n)", "    ],\n"), @r"
    error: the text ends before the study does
      --> study.ron:17:2
       |
    17 |
       | ^
       |
       = help: a closing bracket or quotation mark may be missing
    ");
    assert_snapshot!(fault("\"stiff\",", "\"stiff,"), @r#"
    error: expected a comma: the text before this runs over several lines
     --> study.ron:6:19
      |
    6 |             name: "stiff,
      |                   ^^^^^^^
      |
      = help: a `"` may be missing here
    "#);
}

#[test]
fn a_typo_in_a_key() {
    assert_snapshot!(fault("range:", "rnage:"), @r"
    error: unknown key `rnage` in `Curve`
      --> study.ron:10:13
       |
    10 |             rnage: (1.0, 15.0),
       |             ^^^^^
       |
       = help: did you mean `range`?
    ");
    assert_snapshot!(fault("system:", "sytem:"), @r"
    error: unknown key `sytem` in `Study`
     --> study.ron:3:5
      |
    3 |     sytem: Stiction(mu_s: 1.1, mu_d: 0.4),
      |     ^^^^^
      |
      = help: did you mean `system`?
    ");
    assert_snapshot!(fault("All(at:", "All(att:"), @r#"
    error: unknown key `att` in `All`
     --> study.ron:8:24
      |
    8 |             start: All(att: {"Omega": 2.0}),
      |                        ^^^
      |
      = help: did you mean `at`?
    "#);
    assert_snapshot!(fault("Symmetric(", "Symetric("), @r#"
    error: unknown word `Symetric`
     --> study.ron:7:20
      |
    7 |             orbit: Symetric("slip- stick"),
      |                    ^^^^^^^^
      |
      = help: did you mean `Symmetric`?
    "#);
    assert_snapshot!(fault("Diagram(name: \"amplitude\", x:", "Diagram(name: \"amplitude\", abscissa:"), @r#"
    error: unknown key `abscissa` in `Diagram`
      --> study.ron:15:36
       |
    15 |         Diagram(name: "amplitude", abscissa: "Omega", y: "max_abs_x", of: ["stiff"]),
       |                                    ^^^^^^^^
       |
       = help: known here: `name`, `x`, `y`, `of`, `attractors`, `data`, `log`, `x_range`, `y_range`, `mark`, `lines`, `notes`, `inset`, `legend`, `labels`, `style`
    "#);
}

#[test]
fn a_key_that_is_missing() {
    assert_snapshot!(fault("            free: \"Omega\",\n", ""), @r"
    error: the key `free` is missing in `Curve`
     --> study.ron:5:9
      |
    5 |         Curve(
      |         ^^^^^
      |
      = help: add `free: ...`
    ");
    assert_snapshot!(fault("    system: Stiction(mu_s: 1.1, mu_d: 0.4),\n", ""), @r"
    error: the study has no system (study.ron)
      help: add `system: Stiction(mu_s: 1.1, mu_d: 0.4),`
    ");
}

#[test]
fn a_key_given_twice() {
    assert_snapshot!(fault("free: \"Omega\",", "free: \"Omega\", free: \"mu_s\","), @r#"
    error: a second `free`
     --> study.ron:9:28
      |
    9 |             free: "Omega", free: "mu_s",
      |                            ^^^^
      |
      = help: keep one of them
    "#);
}

#[test]
fn a_wrong_type() {
    assert_snapshot!(fault("free: \"Omega\"", "free: 3"), @r"
    error: expected a text in quotation marks
     --> study.ron:9:19
      |
    9 |             free: 3,
      |                   ^
    ");
    assert_snapshot!(fault("range: (1.0, 15.0)", "range: \"wide\""), @r#"
    error: expected `(`
      --> study.ron:10:20
       |
    10 |             range: "wide",
       |                    ^^^^^^
       |
       = help: intervals are written `(low, high)`, keys stand in parentheses, even if there are none: `Name()`
    "#);
    assert_snapshot!(fault("range: (1.0, 15.0)", "range: (1.0, 2.0, 15.0)"), @r"
    error: expected `)`
      --> study.ron:10:31
       |
    10 |             range: (1.0, 2.0, 15.0),
       |                               ^^^^
       |
       = help: an interval has two numbers: `(low, high)`
    ");
    assert_snapshot!(fault("mu_s: 1.1", "mu_s: \"high\""), @r#"
    error: unknown name `high`
     --> study.ron:3:29
      |
    3 |     system: Stiction(mu_s: "high", mu_d: 0.4),
      |                             ^^^^
      |
      = help: did you mean `sinh`?
    "#);
    assert_snapshot!(fault("[2, 3]", "2"), @r#"
    error: expected a list `[...]`
      --> study.ron:11:31
       |
    11 |             levels: {"Omega": 2},
       |                               ^
    "#);
}

#[test]
fn an_unknown_system() {
    assert_snapshot!(fault("Stiction(", "Stictoin("), @r"
    error: unknown system `Stictoin`; known: `Stiction`, `RegularisedStiction`, `Shaw`, `Wear`, `Shoe`, `Smooth`, `Map`, `Hybrid`, `BowedStructure`, `Filippov`, `Regularised`, `Mechanical`, `Tangencies`
     --> study.ron:3:13
      |
    3 |     system: Stictoin(mu_s: 1.1, mu_d: 0.4),
      |             ^^^^^^^^
      |
      = help: did you mean `Stiction`?
    ");
    assert_snapshot!(fault("free: \"Omega\",", "free: \"Omega\", system: \"other\","), @r#"
    error: unknown system `other`; this study names no systems
     --> study.ron:9:36
      |
    9 |             free: "Omega", system: "other",
      |                                    ^^^^^^^
      |
      = help: leave `system` out, or add `systems: {"other": ...}` to the study
    "#);
}

#[test]
fn an_unknown_parameter() {
    assert_snapshot!(fault("mu_s: 1.1", "mus: 1.1"), @r"
    error: unknown parameter `mus`; known: `Omega`, `mu_s`, `mu_d`
     --> study.ron:3:22
      |
    3 |     system: Stiction(mus: 1.1, mu_d: 0.4),
      |                      ^^^
      |
      = help: did you mean `mu_s`?
    ");
    assert_snapshot!(fault("free: \"Omega\"", "free: \"Omgea\""), @r#"
    error: unknown parameter `Omgea`; this system has: Omega, mu_s, mu_d
     --> study.ron:9:19
      |
    9 |             free: "Omgea",
      |                   ^^^^^^^
      |
      = help: did you mean `Omega`?
    "#);
    assert_snapshot!(fault("{\"Omega\": 2.0}", "{\"omega\": 2.0}"), @r#"
    error: unknown parameter `omega`; this system has: Omega, mu_s, mu_d
     --> study.ron:8:29
      |
    8 |             start: All(at: {"omega": 2.0}),
      |                             ^^^^^^^
      |
      = help: did you mean `Omega`?
    "#);
    assert_snapshot!(fault("free: \"Omega\",", "free: \"Omega\", set: {\"stiffness\": 2},"), @r#"
    error: unknown parameter `stiffness`; this system has: Omega, mu_s, mu_d
     --> study.ron:9:34
      |
    9 |             free: "Omega", set: {"stiffness": 2},
      |                                  ^^^^^^^^^^^
    "#);
    assert_snapshot!(said(STUDY, &["--set", "mu=1.2"]), @r"
    error: --set mu: unknown parameter; the study's systems have: Omega, mu_s, mu_d (study.ron)
      help: did you mean `mu_s`?
    ");
}

#[test]
fn an_unknown_monitor() {
    assert_snapshot!(fault("{\"Omega\": [2, 3]}", "{\"max_x\": [0.5]}"), @r#"
    error: unknown parameter or monitor `max_x`; this system has: Omega, mu_s, mu_d, max_abs_x, x_max, x_min, max_abs_y, y_max, y_min, theta0, stick, period
      --> study.ron:11:22
       |
    11 |             levels: {"max_x": [0.5]},
       |                      ^^^^^^^
    "#);
    assert_snapshot!(fault("free: \"Omega\",", "free: \"Omega\", within: {\"stik\": (0, 1)},"), @r#"
    error: unknown parameter or monitor `stik`; this system has: Omega, mu_s, mu_d, max_abs_x, x_max, x_min, max_abs_y, y_max, y_min, theta0, stick, period
     --> study.ron:9:37
      |
    9 |             free: "Omega", within: {"stik": (0, 1)},
      |                                     ^^^^^^
      |
      = help: did you mean `stick`?
    "#);
}

#[test]
fn an_unknown_column_or_curve_in_a_figure() {
    assert_snapshot!(fault("y: \"max_abs_x\"", "y: \"max_x\""), @r#"
    error: figure `amplitude`: unknown column `max_x`; there are: index, Omega, mu_s, mu_d, period, max_abs_x, x_max, x_min, max_abs_y, y_max, y_min, theta0, stick, margin, unstable, mult1_log10, mult1_arg, nu1_log10, nu1_arg, mult2_log10, mult2_arg, nu2_log10, nu2_arg
      --> study.ron:15:52
       |
    15 |         Diagram(name: "amplitude", x: "Omega", y: "max_x", of: ["stiff"]),
       |                                                    ^^^^^
    "#);
    assert_snapshot!(fault("of: [\"stiff\"]", "of: [\"soft\"]"), @r#"
    error: figure `amplitude`: unknown curve `soft`; there are: stiff
      --> study.ron:15:70
       |
    15 |         Diagram(name: "amplitude", x: "Omega", y: "max_abs_x", of: ["soft"]),
       |                                                                      ^^^^
    "#);
}

#[test]
fn an_unknown_mode_in_a_word() {
    assert_snapshot!(fault("slip- stick", "slip- glide"), @r#"
    error: `glide` is neither a mode of this system (slip+, slip-, stick) nor an event of the mode before it (land, reverse)
     --> study.ron:7:20
      |
    7 |             orbit: Symmetric("slip- glide"),
      |                    ^^^^^^^^^^^^^^^^^^^^^^^^
    "#);
    assert_snapshot!(fault("slip- stick", "slip- slip-"), @r#"
    error: no event leads from mode `slip-` to mode `slip-`; its events are land (to stick), reverse (to slip+)
     --> study.ron:7:20
      |
    7 |             orbit: Symmetric("slip- slip-"),
      |                    ^^^^^^^^^^^^^^^^^^^^^^^^
    "#);
}

#[test]
fn friction_that_does_not_hold() {
    assert_snapshot!(fault("mu_d: 0.4", "mu_d: 1.2"), @r"
    error: Stiction needs mu_d < mu_s; here mu_s = 1.1, mu_d = 1.2
     --> study.ron:3:13
      |
    3 |     system: Stiction(mu_s: 1.1, mu_d: 1.2),
      |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: choose parameters with mu_d < mu_s
    ");
    assert_snapshot!(fault("mu_d: 0.4", "mu_d: 1.1"), @r"
    error: Stiction needs mu_d < mu_s; here mu_s = 1.1, mu_d = 1.1
     --> study.ron:3:13
      |
    3 |     system: Stiction(mu_s: 1.1, mu_d: 1.1),
      |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: choose parameters with mu_d < mu_s
    ");
    assert_snapshot!(fault("free: \"Omega\",", "free: \"Omega\", set: {\"mu_s\": 0.3},"), @r#"
    error: Stiction needs mu_d < mu_s; here mu_s = 0.3, mu_d = 0.4
     --> study.ron:9:42
      |
    9 |             free: "Omega", set: {"mu_s": 0.3},
      |                                          ^^^
      |
      = help: choose parameters with mu_d < mu_s
    "#);
    assert_snapshot!(said(STUDY, &["--set", "mu_d=1.5"]), @r"
    error: --set mu_d=1.5: Stiction needs mu_d < mu_s; here mu_s = 1.1, mu_d = 1.5 (study.ron)
      help: choose parameters with mu_d < mu_s
    ");
}

#[test]
fn negative_numbers() {
    assert_snapshot!(fault("mu_d: 0.4", "mu_d: -0.4"), @r"
    error: Stiction needs mu_d > 0; here mu_d = -0.4
     --> study.ron:3:13
      |
    3 |     system: Stiction(mu_s: 1.1, mu_d: -0.4),
      |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: choose parameters with mu_d > 0
    ");
    assert_snapshot!(fault("{\"Omega\": 2.0}", "{\"Omega\": -2.0}"), @r#"
    error: Stiction needs Omega > 0; here Omega = -2
     --> study.ron:8:38
      |
    8 |             start: All(at: {"Omega": -2.0}),
      |                                      ^^^^
      |
      = help: choose parameters with Omega > 0
    "#);
    assert_snapshot!(fault("range: (1.0, 15.0)", "range: (-1.0, 15.0)"), @r"
    error: at the lower end of the range, Stiction needs Omega > 0; here Omega = -1
      --> study.ron:10:20
       |
    10 |             range: (-1.0, 15.0),
       |                    ^^^^^^^^^^^^
       |
       = help: choose parameters with Omega > 0
    ");
    assert_snapshot!(fault("free: \"Omega\",", "free: \"Omega\", step: Step(largest: -0.1),"), @r#"
    error: a step of -0.1 is not possible
     --> study.ron:9:48
      |
    9 |             free: "Omega", step: Step(largest: -0.1),
      |                                                ^^^^
      |
      = help: give a positive number, or leave it out
    "#);
    assert_snapshot!(fault("free: \"Omega\",", "free: \"Omega\", points: -5,"), @r#"
    error: expected a whole number that is not negative and not too large
     --> study.ron:9:36
      |
    9 |             free: "Omega", points: -5,
      |                                    ^^
    "#);
}

#[test]
fn numbers_that_are_not_finite() {
    assert_snapshot!(fault("mu_s: 1.1", "mu_s: NaN"), @r"
    error: `mu_s` = NaN is not a finite number
     --> study.ron:3:28
      |
    3 |     system: Stiction(mu_s: NaN, mu_d: 0.4),
      |                            ^^^
      |
      = help: write a finite number
    ");
    assert_snapshot!(fault("mu_s: 1.1", "mu_s: inf"), @r"
    error: `mu_s` = inf is not a finite number
     --> study.ron:3:28
      |
    3 |     system: Stiction(mu_s: inf, mu_d: 0.4),
      |                            ^^^
      |
      = help: write a finite number
    ");
    assert_snapshot!(fault("{\"Omega\": 2.0}", "{\"Omega\": NaN}"), @r#"
    error: Omega = NaN is not a finite number
     --> study.ron:8:38
      |
    8 |             start: All(at: {"Omega": NaN}),
      |                                      ^^^
      |
      = help: write a finite number
    "#);
    assert_snapshot!(fault("range: (1.0, 15.0)", "range: (1.0, inf)"), @r"
    error: the range (1, inf) is not finite
      --> study.ron:10:20
       |
    10 |             range: (1.0, inf),
       |                    ^^^^^^^^^^
       |
       = help: give two finite numbers: `range: (low, high)`
    ");
    assert_snapshot!(fault("[2, 3]", "[2, NaN]"), @r#"
    error: the level NaN is not a finite number
      --> study.ron:11:35
       |
    11 |             levels: {"Omega": [2, NaN]},
       |                                   ^^^
       |
       = help: write a finite number
    "#);
    assert_snapshot!(said(STUDY, &["--set", "mu_s=NaN"]), @r"
    error: invalid value 'mu_s=NaN' for '--set <NAME=VALUE>': mu_s must be finite

    For more information, try '--help'.
    ");
}

#[test]
fn an_empty_or_reversed_range() {
    assert_snapshot!(fault("range: (1.0, 15.0)", "range: (2.0, 2.0)"), @r"
    error: the range (2, 2) is empty
      --> study.ron:10:20
       |
    10 |             range: (2.0, 2.0),
       |                    ^^^^^^^^^^
       |
       = help: give two different values: `range: (low, high)`
    ");
    assert_snapshot!(fault("range: (1.0, 15.0)", "range: (15.0, 1.0)"), @r"
    error: the range (15, 1) is reversed
      --> study.ron:10:20
       |
    10 |             range: (15.0, 1.0),
       |                    ^^^^^^^^^^^
       |
       = help: write the smaller value first: `range: (low, high)`
    ");
}

#[test]
fn a_start_outside_the_range() {
    assert_snapshot!(fault("range: (1.0, 15.0)", "range: (3.0, 15.0)"), @r#"
    error: the start has Omega = 2, outside the range (3, 15)
     --> study.ron:8:20
      |
    8 |             start: All(at: {"Omega": 2.0}),
      |                    ^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: give `at: {"Omega": …}` inside the range, or widen the range
    "#);
}

#[test]
fn several_faults_are_all_told() {
    let text = STUDY
        .replace("free: \"Omega\"", "free: \"Omgea\"")
        .replace("slip- stick", "slip- glide");
    assert_snapshot!(said(&text, &[]), @r#"
    error: unknown parameter `Omgea`; this system has: Omega, mu_s, mu_d
     --> study.ron:9:19
      |
    9 |             free: "Omgea",
      |                   ^^^^^^^
      |
      = help: did you mean `Omega`?

    error: `glide` is neither a mode of this system (slip+, slip-, stick) nor an event of the mode before it (land, reverse)
     --> study.ron:7:20
      |
    7 |             orbit: Symmetric("slip- glide"),
      |                    ^^^^^^^^^^^^^^^^^^^^^^^^
    "#);
}

#[test]
fn two_curves_of_one_name() {
    let begin = STUDY.find("        Curve(").unwrap();
    let end = STUDY.find("    ],\n    figures").unwrap();
    let text = STUDY.replace(&STUDY[begin..end], &STUDY[begin..end].repeat(2));
    assert_snapshot!(said(&text, &[]), @r#"
    error: two curves are called `stiff`
      --> study.ron:14:19
       |
    14 |             name: "stiff",
       |                   ^^^^^^^
       |
       = help: give each curve a name of its own: tables and figures refer to it
    "#);
}

#[test]
fn a_call_that_is_wrong() {
    assert_snapshot!(said(STUDY, &["--set", "mu_s"]), @r"
    error: invalid value 'mu_s' for '--set <NAME=VALUE>': `mu_s` is not of the form NAME=VALUE, as in mu_s=1.05

    For more information, try '--help'.
    ");
    assert_snapshot!(said(STUDY, &["--set", "mu_s=high"]), @r"
    error: invalid value 'mu_s=high' for '--set <NAME=VALUE>': `high` is not a number, nor a formula of numbers such as 1/3 or 2*pi

    For more information, try '--help'.
    ");
    let folder = tempfile::tempdir().unwrap();
    for arguments in [
        &["frob"][..],
        &["run"],
        &["run", "study.ron", "--jobs", "0"],
        &["check", "a.ron", "b.ron"],
    ] {
        let run = slipstick(folder.path(), arguments);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(run.stderr.starts_with("error: "), "{}", run.stderr);
    }
}
