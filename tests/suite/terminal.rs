//! What the command says of itself, and how it says it: help, manual, completions, colours, runs that replace others.

use crate::command::slipstick;
use assert_cmd::Command;
use std::fs;
use std::path::Path;

const COMMANDS: [&str; 12] = [
    "run",
    "merge",
    "plan",
    "check",
    "expand",
    "new",
    "systems",
    "show",
    "diff",
    "plot",
    "completions",
    "man",
];

/// What is said to users is no code of the library.
fn is_prose(text: &str) {
    for code in ["```", "assert!", "use clap", "fn main", "unwrap()", "Cli::"] {
        assert!(!text.contains(code), "`{code}` in\n{text}");
    }
}

#[test]
fn help_and_the_manual_speak_to_users() {
    let here = Path::new(".");
    for arguments in [vec!["--help"], vec!["-h"], vec!["help"], vec!["man"]] {
        let said = slipstick(here, &arguments);
        assert_eq!((said.code, said.stderr.as_str()), (0, ""));
        is_prose(&said.stdout);
        for command in COMMANDS {
            assert!(said.stdout.contains(command), "{arguments:?} does not name {command}");
        }
    }
    for command in COMMANDS {
        let said = slipstick(here, &[command, "--help"]);
        assert_eq!((said.code, said.stderr.as_str()), (0, ""));
        is_prose(&said.stdout);
        let long = said.stdout.lines().find(|line| line.chars().count() > 100);
        assert_eq!(long, None, "{command}");
    }
    // The manual has all commands in one page, and names no other.
    let man = slipstick(here, &["man"]).stdout;
    assert!(!man.contains("\\-run(1)"), "{man}");
    assert!(man.contains(".SH \"SLIPSTICK PLOT\""), "{man}");
}

fn with(variables: &[(&str, &str)], folder: &Path, arguments: &[&str]) -> (String, String) {
    let mut command = Command::cargo_bin("slipstick").unwrap();
    command.current_dir(folder).args(arguments);
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(name);
    }
    let output = command.envs(variables.iter().copied()).output().unwrap();
    (
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

#[test]
fn colours_are_for_terminals_and_change_no_word() {
    let folder = tempfile::tempdir().unwrap();
    let study = r#"Study(
    title: "Fold",
    system: Smooth(states: ["x"], parameters: {"r": 1}, equations: ["x' = r - x^2"]),
    curves: [Curve(name: "rest", orbit: Equilibrium, start: Guess(at: {"r": 1}, states: [{"x": 1}]), free: "r", range: (-1, 2))],
)"#;
    fs::write(folder.path().join("fold.ron"), study).unwrap();
    fs::write(
        folder.path().join("wrong.ron"),
        study.replace("free: \"r\"", "free: \"s\""),
    )
    .unwrap();
    let force = [("CLICOLOR_FORCE", "1")];
    let forbidden = [("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")];
    with(&[], folder.path(), &["run", "fold.ron", "--quiet"]);
    for arguments in [
        vec!["check", "wrong.ron"],
        vec!["show", "output/fold"],
        vec!["show", "nowhere"],
    ] {
        let (plain, coloured) = (
            with(&[], folder.path(), &arguments),
            with(&force, folder.path(), &arguments),
        );
        assert!(!format!("{plain:?}").contains("\\u{1b}"), "{plain:?}");
        let strip = |text: &str| {
            let mut kept = String::new();
            let mut rest = text;
            while let Some((before, code)) = rest.split_once("\u{1b}[") {
                kept.push_str(before);
                rest = code.split_once('m').unwrap().1;
            }
            kept + rest
        };
        assert_ne!(plain, coloured, "{arguments:?}");
        assert_eq!(plain, (strip(&coloured.0), strip(&coloured.1)), "{arguments:?}");
        assert_eq!(plain, with(&forbidden, folder.path(), &arguments), "{arguments:?}");
    }
    // Studies and scripts are not for reading only.
    for arguments in [
        vec!["new"],
        vec!["expand", "fold.ron"],
        vec!["completions", "bash"],
        vec!["man"],
    ] {
        assert_eq!(
            with(&[], folder.path(), &arguments),
            with(&force, folder.path(), &arguments)
        );
    }
}

#[test]
fn a_run_into_an_existing_run_says_what_is_there_and_what_becomes_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let study = r#"Study(
    title: "Decay",
    system: Smooth(states: ["x"], parameters: {"r": 1}, equations: ["x' = -r*x"]),
    simulations: [Simulation(name: "fast", from: {"x": 1}, time: 3), Simulation(name: "slow", from: {"x": 0.1}, time: 3)],
)"#;
    fs::write(folder.path().join("decay.ron"), study).unwrap();
    let run = |more: &[&str]| slipstick(folder.path(), &[&["run", "decay.ron"], more].concat());
    assert_eq!(run(&[]).stderr, "", "there is nothing yet");
    let said = run(&[]).stderr;
    let place = Path::new("output").join("decay");
    assert_eq!(
        said.trim_end(),
        format!(
            "{} holds a finished run of this study (2 trajectories): it stays until this run is complete, which then replaces it",
            place.display()
        )
    );
    assert_eq!(run(&["--quiet"]).stderr, "");
    assert!(
        run(&["--set", "r=2"])
            .stderr
            .contains("a finished run of the study's own values, without --set")
    );
    assert!(
        run(&[])
            .stderr
            .contains("a finished run of other values: --set r=2 (2 trajectories)")
    );
}
