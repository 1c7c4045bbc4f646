//! Runs of the command: its files, its summary, its exit codes, and what is left when something goes wrong.

use super::command::{files, slipstick};
use super::support::STICTION;
use insta::assert_snapshot;
use slipstick_report::RunData;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A folder with the shipped study in it.
fn with_study() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("stiction.ron"), STICTION).unwrap();
    folder
}

/// The shipped study without its figures.
fn curves_only() -> String {
    let at = STICTION.find("    figures: [").unwrap();
    format!("{})\n", &STICTION[..at])
}

/// Counts of points and seconds replaced by dots: the one depends on the step control, the other on the machine.
fn timeless(summary: &str) -> String {
    let line = |line: &str| match line.split_once(" points, ").zip(line.rsplit_once("; ")) {
        Some(((begin, _), (_, seconds))) if seconds.ends_with(" s") => {
            let name = begin.rsplit_once(' ').unwrap().0;
            let rest = &line[begin.len()..line.len() - seconds.len()];
            format!("{name} ...{rest}... s")
        }
        _ => line.to_owned(),
    };
    summary.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_main_command_leaves_what_the_contract_says() {
    let folder = with_study();
    let run = slipstick(folder.path(), &["run", "stiction.ron"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.stderr);
    assert_snapshot!(timeless(&run.stdout), @r"
    stiff: ... points, Omega from 1.354552 to 15; special points: VS, SB, 4 UZ, EP; ... s
        first point: VS: segment 2 (`stick`) vanishes: its duration shrinks to zero
        last point: reached the end of the range
    compliant: ... points, Omega from 0.4757657 to 0.5259235; special points: VS, 2 UZ, LP, NU, VT; ... s
        first point: VS: segment 2 (`stick`) vanishes: its duration shrinks to zero
        last point: VT: segment 2 (`stick`) reaches `release-` at a visible tangency: beyond it, stick would end earlier
    results in output/stiction
    ");
    let out = folder.path().join("output/stiction");
    let names: Vec<String> = files(&out)
        .into_iter()
        .map(|(name, _)| name)
        .filter(|n| !n.starts_with("orbits/"))
        .collect();
    assert_snapshot!(names.join("\n"), @r"
    figures/amplitude.pdf
    figures/amplitude.png
    figures/amplitude.svg
    figures/amplitude.tex
    figures/multiplier.pdf
    figures/multiplier.png
    figures/multiplier.svg
    figures/multiplier.tex
    figures/onset.pdf
    figures/onset.png
    figures/onset.svg
    figures/onset.tex
    figures/orbits.pdf
    figures/orbits.png
    figures/orbits.svg
    figures/orbits.tex
    figures/slip-stick.pdf
    figures/slip-stick.png
    figures/slip-stick.svg
    figures/slip-stick.tex
    figures/strip.pdf
    figures/strip.png
    figures/strip.svg
    figures/strip.tex
    inequalities/compliant.csv
    inequalities/stiff.csv
    points.csv
    report.html
    run.json
    special.csv
    ");
    let data = RunData::read(&out).unwrap();
    assert_snapshot!(data.special.names().join(","), @"curve,index,label,Omega,mu_s,mu_d,period,max_abs_x,x_max,x_min,max_abs_y,y_max,y_min,theta0,stick,word,admissible,margin,stable,unstable,mult1_log10,mult1_arg,mult2_log10,mult2_arg,nu1_log10,nu1_arg,nu2_log10,nu2_arg,message");
    // One orbit file for each labelled row, closed up after a period.
    assert_eq!(data.orbits.len(), data.special.rows());
    for ((curve, index), orbit) in &data.orbits {
        assert_eq!(orbit.names(), ["t", "x", "y", "theta", "mode", "xi"]);
        let (x, y) = (orbit.numbers("x").unwrap(), orbit.numbers("y").unwrap());
        let last = orbit.rows() - 1;
        assert!(
            (x[last] - x[0]).abs() < 1e-11 && (y[last] - y[0]).abs() < 1e-11,
            "{curve}-{index}"
        );
        let modes = orbit.texts("mode").unwrap();
        for (mode, y) in modes.iter().zip(y) {
            assert!(match mode.as_str() {
                "stick" => *y == 0.0,
                "slip+" => *y > -1e-12,
                _ => *y < 1e-12,
            });
        }
    }
    // Special rows are rows of points.csv.
    let index = data.special.numbers("index").unwrap();
    for row in 0..data.special.rows() {
        let curve = &data.special.texts("curve").unwrap()[row];
        let points = data.points.rows_where("curve", curve);
        let at = points
            .numbers("index")
            .unwrap()
            .iter()
            .position(|i| *i == index[row])
            .unwrap();
        for name in points.names() {
            let (a, b) = (
                points.get(name).unwrap().get(at),
                data.special.get(name).unwrap().get(row),
            );
            assert_eq!(format!("{a:?}"), format!("{b:?}"), "{name}");
        }
    }
    let json: serde_json::Value = serde_json::from_slice(&fs::read(out.join("run.json")).unwrap()).unwrap();
    assert_eq!(json["study"], STICTION);
    assert_eq!(json["slipstick"], env!("CARGO_PKG_VERSION"));
    assert_eq!(json["curves"].as_array().unwrap().len(), 2);
    assert!(
        json["curves"][0]["ended"]
            .as_str()
            .unwrap()
            .contains("reached the end of the range")
    );
}

#[test]
fn two_runs_write_the_same_bytes_but_for_the_timings() {
    let folder = with_study();
    for (out, jobs) in [("a", "1"), ("b", "2")] {
        let run = slipstick(
            folder.path(),
            &["run", "stiction.ron", "--out", out, "--jobs", jobs, "--quiet"],
        );
        assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (0, "", ""));
    }
    let (a, b) = (files(&folder.path().join("a")), files(&folder.path().join("b")));
    assert_eq!(a.len(), b.len());
    for ((name, x), (other, y)) in a.iter().zip(&b) {
        assert_eq!(name, other);
        assert!(x == y || name == "run.json", "{name} differs");
    }
    assert!(a.len() > 20);
}

#[test]
fn a_second_run_leaves_nothing_of_the_first() {
    let folder = with_study();
    slipstick(folder.path(), &["run", "stiction.ron", "--out", "out"]);
    fs::write(
        folder.path().join("small.ron"),
        curves_only().replace("[2, 3, 5, 10]", "[4]"),
    )
    .unwrap();
    assert_eq!(slipstick(folder.path(), &["run", "small.ron", "--out", "out"]).code, 0);
    let data = RunData::read(folder.path().join("out")).unwrap();
    assert_eq!(data.orbits.len(), data.special.rows());
    assert!(!folder.path().join("out/figures").exists());
}

#[test]
fn materials_are_set_from_outside_and_recorded() {
    let folder = with_study();
    let run = slipstick(
        folder.path(),
        &[
            "run",
            "stiction.ron",
            "--set",
            "mu_s=1.05",
            "--set",
            "mu_d=0.3",
            "--quiet",
        ],
    );
    assert_eq!(run.code, 0, "{}", run.stderr);
    let out = folder.path().join("output/stiction");
    let data = RunData::read(&out).unwrap();
    assert!(data.points.numbers("mu_s").unwrap().iter().all(|v| *v == 1.05));
    assert!(data.points.numbers("mu_d").unwrap().iter().all(|v| *v == 0.3));
    let json: serde_json::Value = serde_json::from_slice(&fs::read(out.join("run.json")).unwrap()).unwrap();
    assert_eq!(json["set"].to_string(), r#"[["mu_s",1.05],["mu_d",0.3]]"#);
}

#[test]
fn a_run_without_any_orbit_still_writes_the_columns_of_its_tables() {
    let folder = tempfile::tempdir().unwrap();
    let study = concat!(env!("CARGO_MANIFEST_DIR"), "/studies/stiction.ron");
    // Friction this strong is never overcome by a forcing of amplitude 1.
    let run = slipstick(
        folder.path(),
        &["run", study, "--set", "mu_s=4", "--set", "mu_d=3.9", "--quiet"],
    );
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(
        run.stderr
            .contains("figure `amplitude` was not drawn: what it shows produced no points")
    );
    let points = fs::read_to_string(folder.path().join("output/stiction/points.csv")).unwrap();
    assert!(
        points.starts_with("curve,index,label,Omega,mu_s,mu_d,period,max_abs_x,"),
        "{points}"
    );
    assert_eq!(points.lines().count(), 1);
}

#[test]
fn a_missing_branch_is_exit_code_1_and_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let text = curves_only()
        .replace("range: (0.3, 1.0)", "range: (0.6, 0.9)")
        .replace("\"Omega\": 0.5", "\"Omega\": 0.7");
    fs::write(folder.path().join("gap.ron"), text.replace("[0.5]", "[]")).unwrap();
    let run = slipstick(folder.path(), &["run", "gap.ron"]);
    assert_eq!(run.code, 1);
    assert_snapshot!(run.stderr, @"`compliant` produced no points: no admissible orbit with word `slip- land stick release- | mirrored` was found at the parameters of the start, nor for other Omega between 0.6 and 0.9; segments of up to 8 periods of the forcing were looked for; give `within` to say where to look");
    assert!(
        run.stdout.contains("stiff: "),
        "what there is, is there: {}",
        run.stdout
    );
    assert!(folder.path().join("output/gap/points.csv").is_file());
}

#[test]
fn a_folder_that_cannot_be_written_is_exit_code_1_before_any_work() {
    let folder = with_study();
    fs::write(folder.path().join("occupied"), "a file").unwrap();
    let run = slipstick(folder.path(), &["run", "stiction.ron", "--out", "occupied/below"]);
    assert_eq!((run.code, run.stdout.as_str()), (1, ""));
    assert_snapshot!(run.stderr, @"error: cannot write results into occupied/below: Not a directory (os error 20)");
    assert_eq!(fs::read_to_string(folder.path().join("occupied")).unwrap(), "a file");
}

#[test]
fn a_folder_without_a_run_is_refused_before_any_work_and_nothing_in_it_is_touched() {
    let folder = with_study();
    fs::create_dir_all(folder.path().join("out/points.csv/in the way")).unwrap();
    fs::write(folder.path().join("out/notes.txt"), "mine").unwrap();
    let run = slipstick(folder.path(), &["run", "stiction.ron", "--out", "out", "--quiet"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert_snapshot!(run.stderr, @"error: out is not the folder of a run; it contains notes.txt, points.csv/: nothing was changed; choose a new folder, an empty one or that of an earlier run, as with --out out/run");
    assert_eq!(
        files(&folder.path().join("out")),
        [("notes.txt".to_owned(), b"mine".to_vec())]
    );
    assert!(folder.path().join("out/points.csv/in the way").is_dir());
}

#[test]
fn two_runs_into_one_folder_do_not_mix() {
    let folder = with_study();
    let held = slipstick_study::Claim::take(&folder.path().join("out")).unwrap();
    let run = slipstick(folder.path(), &["run", "stiction.ron", "--out", "out"]);
    assert_eq!((run.code, run.stdout.as_str()), (1, ""));
    let said = run.stderr.replace(&std::process::id().to_string(), "N");
    assert_snapshot!(said, @"error: another run (process N) is writing into out; wait for it, or choose another folder with --out");
    // It is the folder that is locked: removing what is in it does not release it.
    fs::remove_dir_all(folder.path().join("out/.checkpoint")).unwrap();
    let run = slipstick(folder.path(), &["run", "stiction.ron", "--out", "out"]);
    assert!(
        run.code == 1 && run.stderr.contains("another run is writing into out"),
        "{}",
        run.stderr
    );
    drop(held);
    assert_eq!(
        slipstick(folder.path(), &["run", "stiction.ron", "--out", "out"]).code,
        0
    );
    assert!(!folder.path().join("out/.checkpoint").exists());
}

/// Start the command, wait until it holds its folder and is at work, and ask it to end, as programs do that end others
/// after a time: once the process, once its group.
#[cfg(unix)]
fn interrupted(folder: &Path, study: &str) -> (i32, String) {
    let mut child = Command::new(assert_cmd::cargo::cargo_bin("slipstick"))
        .current_dir(folder)
        .args(["run", study, "--out", "out", "--jobs", "1", "--quiet"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let began = Instant::now();
    while !folder.join("out/.checkpoint/of").exists() && began.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_millis(1500));
    let killed = Command::new("kill")
        .args(["-TERM", &child.id().to_string(), &child.id().to_string()])
        .status()
        .unwrap();
    assert!(killed.success());
    let mut stderr = String::new();
    std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut stderr).unwrap();
    (child.wait().unwrap().code().unwrap_or(-1), stderr)
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_keeps_what_is_finished_and_says_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    // On one thread: a curve that is done at once, one that takes very long, one that is not reached.
    let curve = |name: &str, largest: f64| {
        format!(
            r#"Curve(name: "{name}", orbit: Symmetric("slip- stick"), start: All(at: {{"Omega": 2.0}}), free: "Omega",
                range: (1.0, 15.0), step: Step(largest: {largest}), points: 1000000),"#
        )
    };
    let text = format!(
        r#"Study(title: "Long", system: Stiction(mu_s: 1.1, mu_d: 0.4), curves: [{}{}{}],
            tasks: [Chart(name: "chart", over: {{"Omega": Linear(1, 2, 3), "mu_s": Linear(1.05, 1.2, 3)}})],
            figures: [Chart(name: "map", of: "chart")])"#,
        curve("quick", 1.0),
        curve("slow", 1e-8),
        curve("never", 1.0)
    );
    fs::write(folder.path().join("long.ron"), text).unwrap();
    let (code, stderr) = interrupted(folder.path(), "long.ron");
    assert_eq!(code, 1, "{stderr}");
    for said in [
        "figure `map` was not drawn: the run was stopped before the chart `chart` had results",
        "`never` produced no points: the run was stopped before it began",
        "stopped before the end",
        "`slow` is incomplete",
    ] {
        assert!(stderr.contains(said), "{stderr}");
    }
    assert!(!stderr.contains("`quick`"), "{stderr}");
    let data = RunData::read(folder.path().join("out")).unwrap();
    assert_eq!(data.points.distinct("curve"), ["quick", "slow"]);
    let ends = data.special.rows_where("curve", "quick");
    assert_eq!(ends.texts("label").unwrap(), ["VS", "SB", "EP"]);
    assert!(!folder.path().join("out/.checkpoint/holder").exists());
}

#[cfg(unix)]
#[test]
fn an_interrupted_second_run_leaves_the_first_as_it_was_and_waits_to_be_resumed() {
    let folder = with_study();
    let first = slipstick(folder.path(), &["run", "stiction.ron", "--out", "out", "--quiet"]);
    assert_eq!(first.code, 0);
    let before = files(&folder.path().join("out"));
    let text = curves_only().replace(
        "range: (1.0, 15.0)",
        "range: (1.0, 15.0), step: Step(largest: 1e-8), points: 1000000",
    );
    fs::write(folder.path().join("long.ron"), text).unwrap();
    let (code, stderr) = interrupted(folder.path(), "long.ron");
    assert_eq!(code, 1, "{stderr}");
    for said in [
        "the same command with --resume continues from here",
        "stopped before the end; the earlier run in out stays until this one is complete",
    ] {
        assert!(stderr.contains(said), "{stderr}");
    }
    let mut after = files(&folder.path().join("out"));
    after.retain(|(name, _)| !name.starts_with(".checkpoint"));
    assert!(after == before);
    assert!(folder.path().join("out/.checkpoint/of").exists());
}

#[test]
fn check_says_fine_or_what_is_wrong() {
    let folder = with_study();
    let run = slipstick(folder.path(), &["check", "stiction.ron"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert_snapshot!(run.stdout, @"stiction.ron: fine. Slip-stick orbits of the stiction oscillator: 2 curves, 6 figures.");
    assert!(!folder.path().join("output").exists(), "nothing is run");
}

#[test]
fn the_template_runs() {
    let folder = tempfile::tempdir().unwrap();
    let made = slipstick(folder.path(), &["new", "mine.ron"]);
    assert_eq!((made.code, made.stderr.as_str()), (0, ""));
    assert_snapshot!(made.stdout, @"wrote mine.ron; run it with: slipstick run mine.ron");
    let again = slipstick(folder.path(), &["new", "mine.ron"]);
    assert_eq!(again.code, 2);
    assert_snapshot!(again.stderr, @"error: mine.ron exists already; choose another name");
    let shown = slipstick(folder.path(), &["new"]);
    assert_eq!(
        shown.stdout.trim_end(),
        fs::read_to_string(folder.path().join("mine.ron")).unwrap().trim_end()
    );
    let check = slipstick(folder.path(), &["check", "mine.ron"]);
    assert_eq!((check.code, check.stderr.as_str()), (0, ""));
    let run = slipstick(folder.path(), &["run", "mine.ron"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.stderr);
    assert!(folder.path().join("output/mine/special.csv").is_file());
}

/// Each template runs as it is: everything that it asks for is computed and drawn.
#[test]
fn every_template_runs() {
    for (template, label) in [
        ("stiction", "SB"),
        ("smooth", "HB"),
        ("forced", "CP"),
        ("hybrid", "GR"),
        ("friction", "GR"),
        ("map", "PD"),
        ("slow-fast", "HB"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let made = slipstick(folder.path(), &["new", "--template", template, "mine.ron"]);
        assert_eq!((made.code, made.stderr.as_str()), (0, ""), "{template}");
        let run = slipstick(folder.path(), &["run", "mine.ron"]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{template}");
        let special = fs::read_to_string(folder.path().join("output/mine/special.csv")).unwrap();
        assert!(special.contains(&format!(",{label},")), "{template}: {special}");
    }
}

#[test]
fn systems_lists_what_a_study_can_name() {
    let run = slipstick(Path::new("."), &["systems"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let stiction = run.stdout.split("\n\n").find(|s| s.starts_with("Stiction")).unwrap();
    assert_snapshot!(stiction, @r"
    Stiction
      Friction oscillator with stiction (Bossolini, Brøns and Kristiansen 2017, eq. 4): stick up to the static friction mu_s, slip with the dynamic friction mu_d.
      states      x, y, theta
      parameter   Omega = 2  (natural frequency over forcing frequency)
      parameter   mu_s = 1.1  (static friction over forcing amplitude)
      parameter   mu_d = 0.4  (dynamic friction over forcing amplitude)
      modes       slip+ (land, reverse), slip- (land, reverse), stick (release+, release-)
      monitors    period, max_abs_x, x_max, x_min, max_abs_y, y_max, y_min, theta0, stick
      symmetric   yes
    ");
}
