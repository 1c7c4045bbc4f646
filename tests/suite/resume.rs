//! Runs that are broken off and resumed end with the bytes of an unbroken run, wherever they were broken off.

use super::command::{files, slipstick};
use slipstick_study::{self as study, Checkpoint, Claim, Settings, Silent};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Searches, a word that is switched, branches, collocation on adaptive meshes that settles first, two-parameter
/// curves, a sweep for attractors that traces what it finds, a trajectory, tasks in tiles, a portrait, an analysis:
/// everything a checkpoint must carry.
pub(super) const STUDY: &str = r#"Study(
    title: "Everything a checkpoint must carry",
    systems: {
        "hard": Stiction(mu_s: 1.1, mu_d: 0.4),
        "soft": RegularisedStiction(mu_s: 1.1, mu_d: 0.4, delta: 0.6, epsilon: 1e-2),
        "smooth": Smooth(
            states: ["x", "y"],
            parameters: {"m": 1.0},
            equations: ["x' = y", "y' = m*(1 - x^2)*y - x"],
        ),
        "bautin": Smooth(
            states: ["x", "y"],
            parameters: {"a": -1, "b": 0.5},
            equations: [
                "x' = a*x - y + (x^2 + y^2)*(b - x^2 - y^2)*x",
                "y' = x + a*y + (x^2 + y^2)*(b - x^2 - y^2)*y",
            ],
        ),
        "cusp": Smooth(states: ["x"], parameters: {"a": 1, "b": 1}, equations: ["x' = a + b*x - x^3"]),
    },
    curves: [
        Curve(
            name: "atlas", system: "hard", orbit: Symmetric("slip- stick"), start: All(at: {"Omega": 2.0}), free: "Omega",
            range: (1.0, 6.0), levels: {"Omega": [1.5, 3, 5]}, within: {"max_abs_x": (0, 2)}, step: Step(largest: 0.02),
            switch: Auto, branches: [SB, PD], generations: 2,
        ),
        Curve(
            name: "regular", system: "soft", orbit: Symmetric("slip- layer"), start: Settle(at: {"Omega": 2.0}, from: {"x": 1.0}),
            free: "Omega", range: (1.7, 2.5), levels: {"Omega": [2.2]},
        ),
        Curve(
            name: "van der Pol", system: "smooth", orbit: PeriodicOrbit, start: Settle(at: {"m": 1.0}, from: {"x": 2.0}),
            free: "m", range: (0.5, 1.5), levels: {"m": [0.8, 1.2]},
        ),
        Curve(
            name: "rest", system: "bautin", orbit: Equilibrium, start: Guess(at: {"a": -1}, states: [{"x": 0, "y": 0}]), free: "a", range: (-2, 1),
        ),
        Curve(name: "rings", system: "bautin", orbit: PeriodicOrbit, start: Point(from: "rest, HB"), free: "a", range: (-1, 0.1)),
        Curve(name: "steady", system: "cusp", orbit: Equilibrium, start: All(at: {"a": 1}), free: "a", range: (-1, 1)),
        Curve(
            name: "plain", system: "hard", orbit: Symmetric("slip- stick"), start: All(at: {"Omega": 2.0}), free: "Omega", range: (1.4, 2.0),
        ),
    ],
    loci: [
        Locus(name: "cycles", from: "rings: LP", free: ("a", "b"), range: ((-3, 3), (0.2, 1.5))),
        Locus(name: "wedge", from: "steady: LP", free: ("a", "b"), range: ((-1, 1), (-1, 1))),
        Locus(
            name: "breaking", from: "atlas: SB", free: ("Omega", "mu_s"), range: ((1.2, 2.5), (1.0, 1.2)), levels: {"mu_s": [1.05]},
        ),
    ],
    simulations: [
        Simulation(name: "slip", system: "hard", from: {"x": 1.0}, time: 40),
        Simulation(name: "relax", system: "smooth", from: {"x": 0.1}, time: 20),
    ],
    attractors: [
        Attractors(
            name: "seen", system: "hard", sweep: "Omega", range: (1.4, 1.9), count: 6, starts: 4,
            within: {"x": (-2, 2), "y": (-2, 2)}, compare: ["plain"], trace: true,
        ),
    ],
    tasks: [
        Chart(
            name: "chart", system: "hard", over: {"Omega": Linear(0.6, 2, 12), "mu_s": Linear(1.05, 1.3, 4)}, starts: 1,
            within: {"x": (-2, 2), "y": (-2, 2)},
        ),
        Basins(name: "basins", system: "hard", set: {"Omega": 0.5}, sample: 300, within: {"x": (-2, 2), "y": (-2, 2)}),
        OrbitDiagram(name: "points", system: "hard", over: {"Omega": Linear(1.3, 1.5, 10)}, starts: 1, points: 10, exponents: 1),
        Lyapunov(name: "exponents", system: "smooth", from: {"x": 1}, time: 200),
    ],
    slow_fast: [
        Portrait(
            name: "layer", system: "soft", mesh: (6, 12), orbits: 2, manifolds: 0, fates: Fates(over: "theta", from: {"yhat": 0}, samples: 3),
            cycle: {"x": 0},
        ),
    ],
    analyses: [
        Shaw(name: "shaw", time: 40),
        Shaw(name: "loud", time: 30, oscillator: (beta: 9)),
    ],
    figures: [Diagram(name: "atlas", x: "Omega", y: "max_abs_x", of: ["atlas"])],
)
"#;

pub(super) fn with_study() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("study.ron"), STUDY).unwrap();
    folder
}

/// All files of a run but the one with the timings.
pub(super) fn results(folder: &Path) -> Vec<(String, Vec<u8>)> {
    files(folder)
        .into_iter()
        .filter(|(name, _)| name != "run.json")
        .collect()
}

pub(super) fn assert_same(a: &[(String, Vec<u8>)], b: &[(String, Vec<u8>)]) {
    let names = |files: &[(String, Vec<u8>)]| files.iter().map(|f| f.0.clone()).collect::<Vec<_>>();
    assert_eq!(names(a), names(b));
    for ((name, x), (_, y)) in a.iter().zip(b) {
        assert!(x == y, "{name} differs");
    }
}

/// Pseudo-random numbers below `bound`: the same in every run of the tests.
pub(super) fn random(state: &mut u64, bound: u64) -> u64 {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) % bound
}

#[test]
fn fifty_kills_at_random_moments_leave_no_trace() {
    let folder = with_study();
    let clock = Instant::now();
    let whole = slipstick(folder.path(), &["run", "study.ron", "--out", "whole", "--quiet"]);
    // Killed after up to half the time of an unbroken run, most runs are killed more than once.
    let span = (clock.elapsed().as_millis() as u64 / 2).max(20);
    assert_eq!((whole.code, whole.stderr.as_str()), (0, ""));
    let mut seed = 2024;
    let mut killed = 0;
    let mut part = 0;
    while killed < 50 {
        let out = format!("part{part}");
        let mut finished = false;
        while killed < 50 && !finished {
            let mut child = Command::new(assert_cmd::cargo::cargo_bin("slipstick"))
                .current_dir(folder.path())
                .args(["run", "study.ron", "--out", &out, "--quiet", "--resume", "--jobs", "2"])
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            std::thread::sleep(Duration::from_millis(random(&mut seed, span)));
            finished = child.try_wait().unwrap().is_some();
            child.kill().unwrap();
            child.wait().unwrap();
            killed += usize::from(!finished);
            // Whatever there is, is whole; killed at once, there is nothing.
            let left = folder.path().join(&out);
            for (name, bytes) in if left.exists() { files(&left) } else { vec![] } {
                if name.ends_with(".csv") && !name.contains(".checkpoint") {
                    assert_eq!(bytes.last(), Some(&b'\n'), "{name} is half-written");
                }
            }
        }
        let last = slipstick(
            folder.path(),
            &["run", "study.ron", "--out", &out, "--quiet", "--resume"],
        );
        // A kill while a whole run is put in its place is completed by the next one, which says so.
        const COMPLETED: &str = "the results of a run that was killed while it moved them are complete now\n";
        assert_eq!(last.code, 0, "{}", last.stderr);
        assert!(["", COMPLETED].contains(&last.stderr.as_str()), "{}", last.stderr);
        assert_same(
            &results(&folder.path().join(&out)),
            &results(&folder.path().join("whole")),
        );
        part += 1;
    }
}

/// The checkpoint in a folder, gone on with.
fn begin(claim: &Claim) -> Checkpoint<'_> {
    Checkpoint::begin(claim, STUDY, &[], &[].into(), true).unwrap()
}

#[test]
fn a_log_cut_anywhere_is_enough_to_go_on_from() {
    let folder = tempfile::tempdir().unwrap();
    let loaded = study::parse("study.ron".as_ref(), STUDY.into()).unwrap();
    let plan = loaded.plan(&[]).unwrap_or_else(|e| panic!("{e}"));
    // A checkpoint stays until the run is whole: what is written first goes into another folder.
    let run = |checkpoint: &Checkpoint<'_>| {
        let result = study::run_with_checkpoint(&plan, &Silent, &false.into(), Some(checkpoint));
        assert!(result.missing.is_empty(), "{:?}", result.missing);
        let out = tempfile::tempdir().unwrap();
        let claim = Claim::take(out.path()).unwrap();
        study::write_run(&claim, &loaded, &plan, &Settings::default(), &result, 0.0).unwrap();
        drop(claim);
        results(out.path())
    };
    let whole = folder.path().join("whole");
    let claim = Claim::take(&whole).unwrap();
    let checkpoint = begin(&claim);
    let expected_results = run(&checkpoint);
    let logs: Vec<(String, Vec<u8>)> = files(&whole.join(".checkpoint"));
    let expected = [
        "analysis-0.log",
        "analysis-1.log",
        "attractors-0-traced.log",
        "attractors-0.log",
        "curve-0.log",
        "curve-1.log",
        "curve-2.log",
        "curve-3.log",
        "curve-4.log",
        "curve-5.log",
        "curve-6.log",
        "holder",
        "locus-0.log",
        "locus-1.log",
        "locus-2.log",
        "of",
        "portrait-0.log",
        "simulation-0.log",
        "simulation-1.log",
        "task-0.log",
        "task-1.log",
        "task-2.log",
        "task-3.log",
    ];
    assert_eq!(logs.iter().map(|l| l.0.as_str()).collect::<Vec<_>>(), expected);
    assert!(logs.iter().all(|(_, bytes)| !bytes.is_empty()));
    let expected = expected_results;

    let mut seed = 7;
    for k in 0..8 {
        let out = folder.path().join(format!("cut{k}"));
        fs::create_dir_all(out.join(".checkpoint")).unwrap();
        for (name, bytes) in &logs {
            let kept = if !name.ends_with(".log") {
                bytes.len()
            } else {
                random(&mut seed, bytes.len() as u64) as usize
            };
            fs::write(out.join(".checkpoint").join(name), &bytes[..kept]).unwrap();
        }
        let claim = Claim::take(&out).unwrap();
        let checkpoint = begin(&claim);
        assert!(checkpoint.resumed());
        assert_same(&run(&checkpoint), &expected);
        drop(checkpoint);
        // The log is whole again, too: a run broken off a second time goes on from the second place.
        let checkpoint = begin(&claim);
        assert_same(&run(&checkpoint), &expected);
        assert_eq!(checkpoint.trouble(), None);
        checkpoint.finish().unwrap();
        drop(claim);
        assert_eq!(files(&out), []);
    }
}

#[test]
fn a_portrait_that_was_computed_is_not_computed_again() {
    let text = r#"Study(
        title: "Portraits",
        systems: {
            "layer": RegularisedStiction(epsilon: 1e-2),
            "van der Pol": Smooth(
                states: ["x", "y"], parameters: {"epsilon": 0.01, "a": 0.9}, equations: ["x' = (y - x^3/3 + x)/epsilon", "y' = a - x"],
                slow_fast: SlowFast(fast: "x", epsilon: "epsilon"),
            ),
        },
        slow_fast: [
            Portrait(
                name: "layer", system: "layer", reduction: Finite, mesh: (6, 12), orbits: 2, manifolds: 2, returns: Returns(symmetric: true, count: 8),
                fates: Fates(over: "theta", from: {"yhat": 0}, samples: 5), cycle: {"x": 0}, over: Over(parameter: "Omega", range: (1.5, 2.5)),
            ),
            Portrait(name: "plane", system: "van der Pol", within: {"x": (-2.5, 2.5)}, time: 10),
        ],
    )"#;
    let loaded = study::parse("study.ron".as_ref(), text.into()).unwrap();
    let plan = loaded.plan(&[]).unwrap_or_else(|e| panic!("{e}"));
    let folder = tempfile::tempdir().unwrap();
    let claim = Claim::take(folder.path()).unwrap();
    let run = |resume: bool, kept: bool| {
        let checkpoint = Checkpoint::begin(&claim, text, &[], &[].into(), resume).unwrap();
        let result = study::run_with_checkpoint(&plan, &Silent, &false.into(), kept.then_some(&checkpoint));
        let out = tempfile::tempdir().unwrap();
        let place = Claim::take(out.path()).unwrap();
        study::write_run(&place, &loaded, &plan, &Settings::default(), &result, 0.0).unwrap();
        drop(place);
        (results(out.path()), files(&folder.path().join(".checkpoint")))
    };
    let (plain, _) = run(false, false);
    let (first, logs) = run(false, true);
    let (again, after) = run(true, true);
    assert!(plain.iter().any(|(name, _)| name.contains("slow_fast/layer/maximal")));
    assert_same(&first, &plain);
    // From the log come the same bytes, and nothing is added to it.
    assert_same(&again, &plain);
    assert!(
        logs.iter()
            .any(|(name, bytes)| name == "portrait-1.log" && !bytes.is_empty())
    );
    assert_same(&after, &logs);
}

#[test]
fn a_checkpoint_of_something_else_is_refused_and_kept() {
    let folder = with_study();
    let out = folder.path().join("out");
    let claim = Claim::take(&out).unwrap();
    drop(Checkpoint::begin(&claim, STUDY, &[("mu_s".into(), 1.2)], &[].into(), false).unwrap());
    drop(claim);
    let run = slipstick(folder.path(), &["run", "study.ron", "--out", "out", "--resume"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert!(
        run.stderr.contains("was of another study, other --set values"),
        "{}",
        run.stderr
    );
    assert!(Checkpoint::is_in(&out));
}

#[test]
fn a_finished_run_that_lost_a_file_is_computed_anew_and_one_that_was_edited_says_so() {
    let folder = with_study();
    let resume = || slipstick(folder.path(), &["run", "study.ron", "--out", "out", "--resume"]);
    assert_eq!(slipstick(folder.path(), &["run", "study.ron", "--out", "out"]).code, 0);
    let table = folder.path().join("out/points.csv");
    let whole = fs::read(&table).unwrap();
    fs::remove_file(&table).unwrap();
    let again = resume();
    assert_eq!(
        (again.code, again.stderr.trim_end()),
        (
            0,
            "files of the run in out are missing (points.csv): everything is computed again"
        )
    );
    assert_eq!(fs::read(&table).unwrap(), whole);
    fs::write(&table, "mine").unwrap();
    let again = resume();
    assert_eq!(
        (again.code, again.stderr.trim_end()),
        (0, "since it was computed, points.csv has changed")
    );
    assert_eq!(fs::read(&table).unwrap(), b"mine");
}

#[test]
fn resuming_what_never_began_begins_and_what_is_complete_is_left_alone() {
    let folder = with_study();
    let first = slipstick(folder.path(), &["run", "study.ron", "--out", "out", "--resume"]);
    assert_eq!(first.code, 0);
    assert_eq!(
        first.stderr.trim_end(),
        "there is no interrupted run in out: starting from the beginning"
    );
    assert!(!Checkpoint::is_in(&folder.path().join("out")));
    let before = fs::metadata(folder.path().join("out/points.csv"))
        .unwrap()
        .modified()
        .unwrap();
    let again = slipstick(folder.path(), &["run", "study.ron", "--out", "out", "--resume"]);
    assert_eq!((again.code, again.stderr.as_str()), (0, ""));
    assert_eq!(again.stdout.trim_end(), "the run in out is complete: nothing to resume");
    let after = fs::metadata(folder.path().join("out/points.csv"))
        .unwrap()
        .modified()
        .unwrap();
    assert_eq!(before, after);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told_in_words() {
    // A file system of one megabyte needs rights that tests do not always have; a limit on the size of files acts
    // alike.
    let folder = with_study();
    let command = assert_cmd::cargo::cargo_bin("slipstick");
    let script = format!(
        "ulimit -f 16; trap '' XFSZ; exec '{}' run study.ron --out out --quiet",
        command.display()
    );
    let output = Command::new("bash")
        .current_dir(folder.path())
        .args(["-c", &script])
        .output()
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(
        stderr.contains("part of the checkpoint could not be written"),
        "{stderr}"
    );
    assert_eq!(stderr.matches("--resume").count(), 1, "{stderr}");
    assert!(stderr.contains("error: the results could not be written: "), "{stderr}");
    for (name, bytes) in results(&folder.path().join("out")) {
        assert!(!name.ends_with(".part"), "{name} is left behind");
        assert!(
            !name.ends_with(".csv") || bytes.last() == Some(&b'\n'),
            "{name} is half-written"
        );
    }
    // With room again, nothing of the old attempt is in the way.
    let again = slipstick(
        folder.path(),
        &["run", "study.ron", "--out", "out", "--quiet", "--resume"],
    );
    assert_eq!((again.code, again.stderr.as_str()), (0, ""));
}

#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_fills_up_during_a_second_run_loses_nothing_of_the_first() {
    let folder = with_study();
    let first = slipstick(folder.path(), &["run", "study.ron", "--out", "out", "--quiet"]);
    assert_eq!(first.code, 0);
    let before = results(&folder.path().join("out"));
    let command = assert_cmd::cargo::cargo_bin("slipstick");
    let script = format!(
        "ulimit -f 16; trap '' XFSZ; exec '{}' run study.ron --set mu_s=1.12 --out out --quiet",
        command.display()
    );
    let output = Command::new("bash")
        .current_dir(folder.path())
        .args(["-c", &script])
        .output()
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("error: the results could not be written: "), "{stderr}");
    // The first run is there as it was, and nothing of the second but its checkpoint.
    let left = results(&folder.path().join("out"));
    let left: Vec<_> = left
        .into_iter()
        .filter(|(name, _)| !name.starts_with(".checkpoint"))
        .collect();
    assert_same(&left, &before);
    let shown = slipstick(folder.path(), &["show", "out"]);
    assert_eq!((shown.code, shown.stderr.as_str()), (0, ""));
    // With room again it is finished, and what only the first run had is gone.
    let again = slipstick(
        folder.path(),
        &[
            "run",
            "study.ron",
            "--set",
            "mu_s=1.12",
            "--out",
            "out",
            "--quiet",
            "--resume",
        ],
    );
    let fresh = slipstick(
        folder.path(),
        &["run", "study.ron", "--set", "mu_s=1.12", "--out", "fresh", "--quiet"],
    );
    assert_eq!((again.code, again.stderr.as_str()), (fresh.code, fresh.stderr.as_str()));
    assert_same(
        &results(&folder.path().join("out")),
        &results(&folder.path().join("fresh")),
    );
}

#[cfg(unix)]
#[test]
fn a_folder_that_must_not_be_written_is_told_in_words() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    let folder = with_study();
    let out = folder.path().join("out");
    fs::create_dir(&out).unwrap();
    fs::set_permissions(&out, fs::Permissions::from_mode(0o555)).unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let mut run = Command::new(assert_cmd::cargo::cargo_bin("slipstick"));
    run.current_dir(folder.path())
        .args(["run", "study.ron", "--out", "out"]);
    if fs::write(out.join("probe"), "").is_ok() {
        // Nothing is forbidden to the administrator: the command runs as nobody.
        fs::remove_file(out.join("probe")).unwrap();
        run.uid(65534);
    }
    let output = match run.output() {
        Err(e) if e.kind() == std::io::ErrorKind::PermissionDenied => {
            eprintln!("not tested: nobody may not run the command from where it was built");
            return;
        }
        output => output.unwrap(),
    };
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        (output.status.code(), stderr.trim_end()),
        (
            Some(1),
            "error: cannot write results into out: Permission denied (os error 13)"
        )
    );
    assert_eq!(fs::read_dir(&out).unwrap().count(), 0);
}
