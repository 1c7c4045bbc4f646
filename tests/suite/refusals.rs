//! Studies that would go wrong later are refused before any work: names, periods, sizes, figures; each with the line
//! and a way out.

use super::command::slipstick;
use super::diagnostics::said;
use slipstick_study as study;
use std::fs;

/// A flow with a rest state at x = a/b, with this put into the system and into the study.
fn decay(system: &str, study: &str) -> String {
    format!(
        "Study(title: \"t\",\n system: Smooth(states: [\"x\"], parameters: {{\"a\": 1, \"b\": 1}}, equations: [\"x' = a - b*x\"], {system}),\n {study})\n"
    )
}

const REST: &str = r#"Curve(name: "rest", orbit: Equilibrium, start: All(at: {"a": 1}), free: "a", range: (0, 2))"#;

/// A forced flow.
fn forced(period: &str) -> String {
    format!(
        "Study(title: \"t\", system: Smooth(states: [\"x\"], parameters: {{\"a\": 1}}, equations: [\"x' = a*cos(t) - x\"],\n \
         forcing: Forcing(period: \"{period}\")),\n simulations: [Simulation(name: \"s\", time: 1)])\n"
    )
}

/// The study is refused with all of these words.
#[track_caller]
fn refused(text: &str, wanted: &[&str]) {
    let found = said(text, &[]);
    for words in wanted {
        assert!(found.contains(words), "no `{words}` in\n{found}");
    }
}

/// What is said about a sound study, on standard error.
#[track_caller]
fn warned(text: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("study.ron"), text).unwrap();
    let check = slipstick(folder.path(), &["check", "study.ron"]);
    assert_eq!(check.code, 0, "{}", check.stderr);
    check.stderr
}

/// A tolerance is a small number: too coarse a one is refused, and one out of reach is not: a run says what it reached.
#[test]
fn tolerances_are_relative_errors_up_to_a_hundredth() {
    let study = |tolerance: &str| {
        format!(
            r#"Study(title: "t", system: Smooth(states: ["x", "y"], parameters: {{"a": 1}}, equations: ["x' = y", "y' = a*(1 - x^2)*y - x"]),
            curves: [Curve(name: "c", orbit: PeriodicOrbit, start: Settle(at: {{"a": 1}}, from: {{"x": 2}}), free: "a", range: (0.5, 2),
            method: Collocation(tolerance: {tolerance}))])"#
        )
    };
    for coarse in ["0", "-1e-9", "0.0100001", "0.5", "inf", "NaN"] {
        refused(
            &study(coarse),
            &["is not a valid tolerance", "above 0 and at most 1e-2"],
        );
    }
    for fine in ["1e-2", "1e-9", "1e-13", "1e-17"] {
        assert_eq!(warned(&study(fine)), "", "{fine}");
    }
}

#[test]
fn columns_are_not_called_like_others() {
    for name in [
        "stable", "index", "label", "curve", "period", "l2_norm", "word", "unstable", "x_max", "eig1_re",
    ] {
        let text = decay("", &format!("curves: [{REST}]"))
            .replace("\"b\"", &format!("\"{name}\""))
            .replace("b*x", &format!("{name}*x"));
        refused(
            &text,
            &[
                &format!("the parameter `{name}` has the name of a column"),
                "study.ron:2:",
                &format!("`{name}_1`"),
            ],
        );
    }
    refused(
        r#"Study(title: "t", system: Smooth(states: ["x", "x_max"], parameters: {"a": 1}, equations: ["x' = a - x", "x_max' = -x_max"]),
 curves: [Curve(name: "r", orbit: Equilibrium, start: All(at: {"a": 1}), free: "a", range: (0, 2))])"#,
        &["the state `x_max` has the name of a column"],
    );
    refused(
        r#"Study(title: "t", system: Smooth(states: ["x", "t"], equations: ["x' = t", "t' = -x"]),
 simulations: [Simulation(name: "s", time: 1)])"#,
        &["the state `t` has the name of a column"],
    );
    refused(
        &decay(
            "observables: {\"mode\": \"x^2\"}",
            "simulations: [Simulation(name: \"s\", time: 1)]",
        ),
        &["the observable `mode` has the name of a column"],
    );
    // Without a curve there is no table of points to meet.
    let alone = decay("", "simulations: [Simulation(name: \"s\", time: 1)]");
    assert_eq!(
        warned(&alone.replace("\"b\"", "\"stable\"").replace("b*x", "stable*x")),
        ""
    );
}

#[test]
fn names_can_be_files_and_are_used_once() {
    let long = "n".repeat(300);
    for (name, wanted) in [
        ("a/b", "`a/b` cannot name a file"),
        ("../x", "`../x` cannot name a file"),
        ("", "an empty name"),
        (".", "`.` cannot name a file"),
        ("a\\nb", "`a\\nb` cannot name a file"),
        (long.as_str(), "too long to name files: it has 300 letters"),
    ] {
        let curve = REST.replace("\"rest\"", &format!("\"{name}\""));
        refused(&decay("", &format!("curves: [{curve}]")), &[wanted, "study.ron:3:"]);
        let simulation = format!("simulations: [Simulation(name: \"{name}\", time: 1)]");
        refused(&decay("", &simulation), &[wanted]);
        let figure = format!("curves: [{REST}], figures: [Diagram(name: \"{name}\", x: \"a\", y: \"x\")]");
        refused(&decay("", &figure), &[wanted]);
    }
    let second = REST.replace("\"rest\"", "\"rest-2\"");
    refused(
        &decay("", &format!("curves: [{REST}, {second}]")),
        &["`rest-2` is reserved", "`rest_2`"],
    );
    let twice = |list: &str, entry: &str| decay("", &format!("curves: [{REST}], {list}: [{entry}, {entry}]"));
    refused(
        &twice("simulations", "Simulation(name: \"s\", time: 1)"),
        &["two simulations are called `s`"],
    );
    refused(
        &twice("figures", "Diagram(name: \"d\", x: \"a\", y: \"x\")"),
        &["two figures are called `d`"],
    );
    refused(
        &twice(
            "loci",
            "Locus(name: \"l\", from: \"rest: LP\", free: (\"a\", \"b\"), range: ((0, 1), (0, 1)))",
        ),
        &["two curves are called `l`"],
    );
    refused(
        "Study(title: \"t\", analyses: [Kernel(name: \"k\"), Kernel(name: \"k\")])",
        &["two analyses are called `k`"],
    );
}

#[test]
fn keys_of_maps_are_given_once() {
    let curve = REST.replace("{\"a\": 1}", "{\"a\": 1, \"a\": 0.5}");
    refused(
        &decay("", &format!("curves: [{curve}]")),
        &["a second `a`", "study.ron:3:", "keep one of them"],
    );
    let greek = REST.replace("{\"a\": 1}", "{\"α\": 1, \"alpha\": 0.5}");
    refused(&decay("", &format!("curves: [{greek}]")), &["a second `alpha`"]);
}

#[test]
fn a_forcing_has_a_positive_period_after_which_the_field_repeats() {
    assert_eq!(warned(&forced("2*pi")), "");
    assert_eq!(warned(&forced("4*pi")), "");
    refused(
        &forced("-2*pi"),
        &[
            "the period of the forcing is -6.28319: it must be positive",
            "study.ron:2:",
        ],
    );
    refused(
        &forced("0*a"),
        &[
            "the period of the forcing is 0",
            "it must be positive",
            "study.ron:2:",
            "`\"2*pi/omega\"`",
        ],
    );
    refused(
        &forced("pi"),
        &["does not repeat after the period 3.14159", "x' is", "a period later"],
    );
    refused(&forced("6.283"), &["does not repeat after the period 6.283"]);
    // The period may depend on parameters, which an entry sets.
    let set = forced("2*pi")
        .replace("cos(t)", "cos(a*t)")
        .replace("time: 1", "time: 1, set: {\"a\": 0.5}");
    refused(&set, &["does not repeat"]);
    assert_eq!(warned(&set.replace("2*pi", "2*pi/a")), "");
}

#[test]
fn what_no_machine_can_do_is_refused() {
    let map = |orbit: &str| {
        format!(
            "Study(title: \"t\", system: Map(states: [\"x\"], parameters: {{\"a\": 2.5}}, equations: [\"x+ = a*x*(1-x)\"]),\n \
             curves: [Curve(name: \"r\", orbit: {orbit}, start: All(at: {{\"a\": 2.5}}), free: \"a\", range: (1, 4))])"
        )
    };
    refused(
        &map("Cycle(1000000)"),
        &["a cycle of 1000000 points has 1000000 unknowns", "study.ron:2:"],
    );
    refused(
        &decay("", "simulations: [Simulation(name: \"s\", time: 1, every: 1e-12)]"),
        &[
            "1e12 rows would take about 400 TB of memory; up to 2000000 are possible",
            "every: 5e-7",
        ],
    );
    for step in ["turn: 1e-308", "largest: 1e-300", "initial: 1e-11"] {
        let curve = REST.replace("free:", &format!("step: Step({step}), free:"));
        refused(
            &decay("", &format!("curves: [{curve}]")),
            &["is too small: the smallest possible step is"],
        );
    }
    let orbit = REST.replace("Equilibrium", "PeriodicOrbit");
    refused(
        &decay("", &format!("curves: [{orbit}]")),
        &[
            "an autonomous system with the single state `x` is monotone",
            "orbit: Equilibrium",
        ],
    );
    let ball = |mode: &str| {
        format!(
            "Study(title: \"t\", system: Hybrid(states: [\"x\", \"v\"], modes: {{\"{mode}\": Mode(equations: [\"x' = v\", \"v' = -1\"], \
             events: {{\"hit\": Event(guard: \"x\", direction: Down, to: \"{mode}\", reset: {{\"v\": \"-v\"}})}})}}, \
             start: Start(mode: \"{mode}\", at: {{\"x\": 1}})), simulations: [Simulation(name: \"s\", time: 1)])"
        )
    };
    for mode in ["free", "mirrored", "fly high", ""] {
        refused(&ball(mode), &[&format!("`{mode}` cannot name a mode")]);
    }
    assert_eq!(warned(&ball("fly")), "");
}

#[test]
fn figures_name_labels_that_exist_and_curves_that_may_come() {
    let with = |curve: &str, figure: &str| decay("", &format!("curves: [{curve}],\n figures: [{figure}]"));
    let diagram = |more: &str| format!("Diagram(name: \"d\", x: \"a\", y: \"x\", {more})");
    refused(
        &with(REST, &diagram("mark: Only([\"QQ\"])")),
        &["`QQ` is no label", "study.ron:4:"],
    );
    refused(
        &with(REST, "Orbits(name: \"o\", of: [\"rest: QQ\"], panels: [Time(\"x\")])"),
        &["`QQ` is no label", "labels are LP, SB"],
    );
    assert_eq!(warned(&with(REST, &diagram("of: [\"rest\", \"rest-2\"]"))), "");
    let branching = REST.replace("free:", "branches: [BP], free:");
    assert_eq!(warned(&with(&branching, &diagram("of: [\"rest-BP1a\"]"))), "");
    refused(
        &with(REST, &diagram("of: [\"rest-BP1a\"]")),
        &["does not trace branches at BP: add BP to its `branches`"],
    );
    refused(
        &with(&branching, &diagram("of: [\"rest-BP1a-BP1b\"]")),
        &["raise its `generations`"],
    );
    refused(
        &with(&branching, &diagram("of: [\"rest-BPX\"]")),
        &["no run produces a curve `rest-BPX`"],
    );
    let orbit =
        r#", Curve(name: "po", orbit: Equilibrium, start: Point(from: "rest-BPX, LP"), free: "a", range: (0, 2))"#;
    refused(
        &decay("", &format!("curves: [{REST}{orbit}]")),
        &["no run produces a curve `rest-BPX`"],
    );
    // The key is underlined, not the whole figure, and the way out stands in a line of its own.
    let found = said(&with(REST, &diagram("x_range: (2, 1)")), &[]);
    let mark = found.lines().find(|line| line.contains('^')).unwrap();
    assert_eq!(mark.matches('^').count(), "x_range".len(), "{found}");
    assert!(found.contains("= help: write the smaller number first"), "{found}");
    refused(
        &with(REST, "Diagram(name: \"d\", x: \"a\", y: \"xx\")"),
        &["unknown column `xx`", "did you mean `x`?"],
    );
}

#[test]
fn a_branch_that_a_run_does_not_give_is_missed_at_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let study = decay(
        "",
        &format!("curves: [{REST}],\n figures: [Diagram(name: \"d\", x: \"a\", y: \"x\", of: [\"rest\", \"rest-2\"])]"),
    );
    fs::write(folder.path().join("study.ron"), study).unwrap();
    let run = slipstick(folder.path(), &["run", "study.ron", "--out", "out"]);
    assert_eq!(run.code, 1);
    assert!(
        run.stderr.contains("figure `d` does not show `rest-2`"),
        "{}",
        run.stderr
    );
    assert!(folder.path().join("out/figures/d.svg").is_file());
}

#[test]
fn levels_outside_the_range_are_said() {
    let curve = REST.replace("free:", "levels: {\"a\": [0, 0.5, 30]}, free:");
    let said = warned(&decay("", &format!("curves: [{curve}]")));
    assert!(
        said.contains("no point will be found at the level a = 30: the range is (0, 2)"),
        "{said}"
    );
    assert_eq!(said.matches("no point will be found").count(), 1);
}

/// A number of nothing, and a level without a value or with the same one twice, are no wishes that can be met.
#[test]
fn nothing_and_the_same_twice_are_refused() {
    let with = |key: &str| {
        decay(
            "",
            &format!("curves: [{}]", REST.replace("free:", &format!("{key}, free:"))),
        )
    };
    refused(
        &with("branches: [BP], generations: 0"),
        &[
            "`generations` must be at least 1",
            "study.ron:3:",
            "leave `generations` out",
        ],
    );
    let text = decay("", "simulations: [Simulation(name: \"s\", time: 20, every: 0)]");
    refused(&text, &["a time of 0 is not possible", "give a positive number"]);
    assert!(!said(&text, &[]).contains("inf"), "one fault is said once");
}

#[test]
fn letters_and_numbers_are_read_as_meant() {
    let greek = REST.replace("\"a\"", "\"α\"");
    let figure = r#"Diagram(name: "d", x: "α", y: "x", labels: {"α": "$\\alpha$"})"#;
    let study = decay("", &format!("curves: [{greek}], figures: [{figure}]"))
        .replace("\"a\": 1, \"b\"", "\"α\": 1, \"b\"")
        .replace("a - b*x", "α - b*x");
    assert_eq!(warned(&study), "");
    assert_eq!(warned(&format!("\u{feff}{study}")), "");
    let unknown = greek.replace("{\"α\"", "{\"β\"");
    refused(&study.replace(&greek, &unknown), &["unknown parameter `beta`", "\"β\""]);
    let points = REST.replace("free:", "points: 1e5, free:");
    refused(
        &decay("", &format!("curves: [{points}]")),
        &["expected a whole number, found `1e5`", "write `100000`"],
    );
    for (number, instead) in [("1.5", "digits only"), ("2_000.0", "write `2000`")] {
        let points = REST.replace("free:", &format!("points: {number}, free:"));
        refused(
            &decay("", &format!("curves: [{points}]")),
            &[&format!("expected a whole number, found `{number}`"), instead],
        );
    }
    let huge = REST.replace("(0, 2)", "(1e308, 1)");
    refused(
        &decay("", &format!("curves: [{huge}]")),
        &["the range (1e308, 1) is reversed"],
    );
    let guess = REST.replace("All(at: {\"a\": 1})", "Guess(at: {\"a\": 1}, states: [{\"x\": NaN}])");
    refused(
        &decay("", &format!("curves: [{guess}]")),
        &["x = NaN is not a finite number"],
    );
    let orphan = REST.replace("All(at: {\"a\": 1})", "Point(from: \"other, HB\")");
    refused(
        &decay("", &format!("curves: [{orphan}]")),
        &["there is no curve before this one"],
    );
}

#[test]
fn faults_of_systems_are_told_in_whole_sentences() {
    refused(
        &decay("require: [\"1 > 2\"]", &format!("curves: [{REST}]")),
        &["the system needs 1 > 2, whatever the parameters are: it never holds"],
    );
    refused(
        &format!("#![enable(foo)]\n{}", decay("", "")),
        &["unknown extension `foo`", "study.ron:1:11"],
    );
    refused(
        "Study(title: \"t\", system: Stiction(1, 2))",
        &["expected a key in `Stiction`, found `1`"],
    );
    refused(&decay("", "").replace("b*x", "x**2"), &["powers are written `^`"]);
}

#[test]
fn files_that_are_not_utf_8_say_where() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("study.ron");
    let said = |bytes: &[u8]| {
        fs::write(&file, bytes).unwrap();
        let check = slipstick(folder.path(), &["check", "study.ron"]);
        assert_eq!(check.code, 2);
        check.stderr
    };
    let latin = said(b"Study(\n title: \"R\xf6ssler\")");
    assert!(
        latin.contains("line 2 holds the byte 0xf6") && latin.contains("save it as UTF-8"),
        "{latin}"
    );
    let wide = said(&[0xff, 0xfe, b'S', 0, b't', 0]);
    assert!(wide.contains("it seems to be UTF-16"), "{wide}");
}

#[test]
fn a_finished_run_of_something_else_is_not_replaced_in_silence() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("study.ron"), decay("", &format!("curves: [{REST}]"))).unwrap();
    let run = |more: &[&str]| slipstick(folder.path(), &[&["run", "study.ron", "--out", "out"], more].concat());
    let first = run(&[]);
    assert_eq!((first.code, first.stderr.as_str()), (0, ""));
    let kept = fs::read(folder.path().join("out/run.json")).unwrap();
    let resumed = run(&["--resume", "--set", "b=2"]);
    assert_eq!(resumed.code, 2);
    assert!(
        resumed.stderr.contains("was of the study's own values, without --set"),
        "{}",
        resumed.stderr
    );
    assert_eq!(fs::read(folder.path().join("out/run.json")).unwrap(), kept);
    let again = run(&["--resume"]);
    assert_eq!(
        (again.code, again.stdout.trim_end()),
        (0, "the run in out is complete: nothing to resume")
    );
    let other = run(&["--set", "b=2"]);
    assert_eq!(other.code, 0);
    assert!(
        other
            .stderr
            .contains("out holds a finished run of the study's own values, without --set (1 curve)"),
        "{}",
        other.stderr
    );
    let back = run(&[]);
    assert!(back.stderr.contains("other values: --set b=2"), "{}", back.stderr);
}

#[test]
#[cfg(target_os = "linux")]
fn words_that_do_not_arrive_are_an_error() {
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let run = std::process::Command::new(env!("CARGO_BIN_EXE_slipstick"))
        .arg("systems")
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(run.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&run.stderr).contains("cannot write to standard output"));
}

#[test]
fn time_scales_that_are_not_those_declared_are_said() {
    let van_der_pol = |fast: &str, first: &str, second: &str| {
        warned(&format!(
            "Study(title: \"t\", system: Smooth(states: [\"x\", \"y\"], parameters: {{\"a\": 0.3, \"eps\": 0.02}},\n \
             equations: [\"x' = {first}\", \"y' = {second}\"], slow_fast: SlowFast(fast: \"{fast}\", epsilon: \"eps\")))\n"
        ))
    };
    assert_eq!(van_der_pol("x", "(y - x^3/3 + x)/eps", "a - x"), "");
    // Besides what is fast, a rate may have other parts; and there may be a third time scale.
    assert_eq!(van_der_pol("x", "(y - x^3/3 + x)/eps + a*x", "eps*y + a - x"), "");
    let in_fast_time = van_der_pol("x", "y - x^3/3 + x", "eps*(a - x)");
    for words in [
        "`x` does not grow like 1/eps as eps decreases",
        "these are equations in fast time",
        "x' = (...)/eps",
    ] {
        assert!(in_fast_time.contains(words), "{in_fast_time}");
    }
    let another = van_der_pol("y", "(y - x^3/3 + x)/eps", "a - x");
    assert!(
        another.contains("that of `x` does") && another.contains("write `fast: \"x\"`"),
        "{another}"
    );
    let nowhere = van_der_pol("x", "y - x^3/3 + x", "a*eps^0 - x");
    assert!(nowhere.contains("divide the right-hand side"), "{nowhere}");
}

#[test]
fn words_and_texts_are_told_apart() {
    refused(
        &decay(
            "",
            "curves: [Curve(name: \"c\", orbit: \"PeriodicOrbit\", start: All(), free: \"a\", range: (0, 1))]",
        ),
        &[
            "found a text in quotation marks",
            "write it without quotation marks: `PeriodicOrbit`",
        ],
    );
    let belt = |against: &str, law: &str| {
        format!(
            "Study(title: \"t\", system: Mechanical(coordinates: [\"x\"], parameters: {{\"v0\": 1, \"vs\": 0.1}}, masses: {{\"x\": 1}},\n \
             contacts: {{\"belt\": Stribeck(on: \"x\", against: Belt({against}), law: \"{law}\", normal: 1)}}))\n"
        )
    };
    refused(&belt("v0", "0.3 + exp(-v/vs)"), &["found `v0`", "write `\"v0\"`"]);
    // Only the name that is not known is marked.
    let name = said(&belt("\"v0\"", "0.3 + exp(-v/vss)"), &[]);
    assert!(name.contains("^^^\n") && !name.contains("^^^^"), "{name}");
    refused(
        &decay("", "").replace("\"x' = a - b*x\"", "\"x' = a - b*x\", \"z' = 1\""),
        &["unknown state `z`", "add `z` to `states`"],
    );
}

#[test]
fn folders_and_names_without_ending_are_recognised() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("belt.ron"), decay("", &format!("curves: [{REST}]"))).unwrap();
    let run = slipstick(folder.path(), &["run", "belt"]);
    assert!(
        run.code == 2 && run.stderr.contains("did you mean `belt.ron`?"),
        "{}",
        run.stderr
    );
    assert_eq!(slipstick(folder.path(), &["run", "belt.ron", "--out", "out"]).code, 0);
    let run = slipstick(folder.path(), &["run", "out"]);
    assert!(
        run.stderr.contains("it is a folder") && run.stderr.contains("`slipstick show out`"),
        "{}",
        run.stderr
    );
}

/// Tables write `| mirrored` behind the word of half a symmetric orbit.
#[test]
fn half_a_symmetric_orbit_is_no_whole_one() {
    let study = |orbit: &str| {
        format!(
            "Study(title: \"t\", system: Stiction(mu_s: 1.1, mu_d: 0.4),\n curves: [Curve(name: \"c\", orbit: {orbit}, start: Settle(at: \
             {{\"Omega\": 2}}), free: \"Omega\", range: (1, 3))])\n"
        )
    };
    refused(
        &study("Periodic(\"slip- stick | mirrored\")"),
        &["is half of a symmetric orbit", "write `Symmetric(\"slip- stick\")`"],
    );
    warned(&study("Symmetric(\"slip- stick | mirrored\")"));
}

/// Where events accumulate, the message says what the last element lacks.
#[test]
fn accumulations_name_what_is_missing() {
    let ended = |contact: &str, start: &str| {
        let text = format!(
            "Study(title: \"t\", system: Mechanical(coordinates: [\"x\"], parameters: {{\"F\": 0.3}}, masses: {{\"x\": 1}}, \
             springs: [Spring(on: \"x\", stiffness: 1, damping: 0.1)], forces: {{\"x\": \"F\"}}, contacts: {{\"a\": {contact}}}, \
             start: {{{start}}}), simulations: [Simulation(name: \"s\", time: 200)])\n"
        );
        let plan = study::parse("study.ron".as_ref(), text).unwrap().plan(&[]).unwrap();
        let result = study::run(&plan, &study::Silent, &false.into());
        result.trajectories[0].ended.clone()
    };
    let relay = ended("Relay(on: \"x\", level: 0.5)", "");
    assert!(relay.contains("`hysteresis`") && !relay.contains("Gap"), "{relay}");
    let wall = ended("Gap(on: \"x\", distance: 0.1, restitution: 0.5)", "\"x\": -0.5");
    assert!(wall.contains("`Gap`") && wall.contains("`rest: 1e-6`"), "{wall}");
}
