//! A study that is computed in shards, killed and resumed or not, gives the bytes of one process.

use super::command::{Outcome, files, slipstick};
use super::resume::{assert_same, random, results, with_study};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

fn shard(folder: &Path, which: &str, out: &str, more: &[&str]) -> Outcome {
    let arguments = ["run", "study.ron", "--quiet", "--out", out, "--shard", which];
    slipstick(folder, &[&arguments[..], more].concat())
}

fn ends(outcome: &Outcome, code: i32, words: &str) {
    assert_eq!(
        (outcome.code, outcome.stdout.as_str()),
        (code, ""),
        "{}",
        outcome.stderr
    );
    assert!(outcome.stderr.contains(words), "{}", outcome.stderr);
}

/// A study that takes a moment, with two tasks that are divided.
const SMALL: &str = r#"Study(
    title: "Windows of Henon's map",
    system: Map(states: ["x", "y"], parameters: {"a": 1.4, "b": 0.3}, equations: ["x+ = 1 - a*x^2 + y", "y+ = b*x"], start: {"x": 0.1}),
    tasks: [
        Chart(name: "windows", over: {"a": Linear(0.1, 1.4, 40), "b": Linear(0.1, 0.3, 10)}, within: {"x": (-0.5, 0.5), "y": (-0.1, 0.1)}, starts: 1),
        Basins(name: "plane", set: {"a": 1.2}, over: {"x": Linear(-2, 2, 30), "y": Linear(-1, 1, 10)}),
    ],
)"#;

fn with_small() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("study.ron"), SMALL).unwrap();
    folder
}

#[test]
fn shards_that_are_killed_and_resumed_merge_into_the_run_of_one_process() {
    let folder = with_study();
    let here = folder.path();
    assert_eq!(
        slipstick(here, &["run", "study.ron", "--out", "whole", "--quiet"]).code,
        0
    );
    let whole = results(&here.join("whole"));
    let mut seed = 11;
    for of in [1, 3, 4] {
        let out = format!("of{of}");
        for number in 1..=of {
            let which = format!("{number}/{of}");
            if number == 2 {
                let mut child = Command::new(assert_cmd::cargo::cargo_bin("slipstick"))
                    .current_dir(here)
                    .args(["run", "study.ron", "--quiet", "--out", &out, "--shard", &which])
                    .stdout(Stdio::null())
                    .spawn()
                    .unwrap();
                std::thread::sleep(Duration::from_millis(100 + random(&mut seed, 400)));
                let finished = child.try_wait().unwrap().is_some();
                child.kill().unwrap();
                child.wait().unwrap();
                if !finished {
                    ends(&slipstick(here, &["merge", &out]), 1, "shard 2/");
                }
            }
            ends(&shard(here, &which, &out, &["--resume", "--jobs", "1"]), 0, "");
        }
        ends(&slipstick(here, &["merge", &out, "--quiet"]), 0, "");
        assert_same(&results(&here.join(&out)), &whole);
        // The shards are in the run now.
        assert!(!here.join(format!("{out}.shards")).exists());
    }
}

#[test]
fn what_is_missing_or_damaged_is_named_and_computed_again() {
    let folder = with_small();
    let here = folder.path();
    assert_eq!(
        slipstick(here, &["run", "study.ron", "--out", "whole", "--quiet"]).code,
        0
    );
    let merge = || slipstick(here, &["merge", "run", "--quiet"]);
    ends(&merge(), 2, "there are no shards of a run in run.shards");
    ends(&shard(here, "1/3", "run", &[]), 0, "");
    ends(&merge(), 1, "shard 2/3 was not computed\nshard 3/3 was not computed\n");
    ends(&shard(here, "2/3", "run", &[]), 0, "");
    ends(&shard(here, "3/3", "run", &[]), 0, "");
    assert!(!here.join("run").exists(), "nothing was written meanwhile");
    // Half of a log is lost.
    let log = here.join("run.shards/2-of-3/.checkpoint/task-0.log");
    let bytes = fs::read(&log).unwrap();
    fs::write(&log, &bytes[..bytes.len() / 2]).unwrap();
    ends(&merge(), 1, "shard 2/3 is damaged");
    ends(&shard(here, "2/3", "run", &["--resume"]), 0, "");
    let manifest = here.join("run.shards/3-of-3/.checkpoint/share");
    let whole = fs::read(&manifest).unwrap();
    fs::write(&manifest, "slipstick share\n{").unwrap();
    ends(&merge(), 1, "shard 3/3 is damaged");
    fs::write(&manifest, whole).unwrap();
    // A file that is not the program's own stays, and nothing else.
    fs::write(here.join("run.shards/notes.txt"), "mine").unwrap();
    ends(&merge(), 0, "");
    assert_same(&results(&here.join("run")), &results(&here.join("whole")));
    assert_eq!(
        files(&here.join("run.shards")),
        [("notes.txt".to_owned(), b"mine".to_vec())]
    );
}

#[test]
fn shards_of_different_runs_and_numbers_are_refused() {
    let folder = with_small();
    let here = folder.path();
    for (which, words) in [
        ("0/0", "there is no shard 0 of 0"),
        ("5/4", "there is no shard 5 of 4"),
        ("0/4", "there is no shard 0 of 4"),
        ("1/99999999", "at most 1000000"),
        ("one", "`one` is not a shard; write K/N"),
    ] {
        let refused = shard(here, which, "run", &[]);
        assert_eq!(refused.code, 2);
        assert!(refused.stderr.contains(words), "{}", refused.stderr);
    }
    ends(&shard(here, "auto", "run", &[]), 2, "SLURM_ARRAY_TASK_ID");
    assert!(!here.join("run.shards").exists());

    ends(&shard(here, "1/2", "run", &[]), 0, "");
    ends(&shard(here, "2/2", "run", &["--set", "b=0.2"]), 0, "");
    let merge = || slipstick(here, &["merge", "run", "--quiet"]);
    ends(&merge(), 2, "shards 1/2 and 2/2 are of different runs");
    ends(
        &shard(here, "2/2", "run", &["--resume"]),
        2,
        "was of another study, other --set values",
    );
    ends(&shard(here, "2/2", "run", &[]), 0, "");
    ends(&shard(here, "1/5", "run", &[]), 0, "");
    ends(&merge(), 2, "contains shards of 2 and of 5");
    fs::remove_dir_all(here.join("run.shards/1-of-5")).unwrap();
    // Merged into a folder of something else, nothing is lost.
    fs::create_dir(here.join("run")).unwrap();
    fs::write(here.join("run/thesis.tex"), "mine").unwrap();
    ends(&merge(), 2, "is not the folder of a run");
    fs::remove_file(here.join("run/thesis.tex")).unwrap();
    ends(&merge(), 0, "");
}

#[test]
fn a_job_array_says_which_shard_it_is() {
    let folder = with_small();
    for task in ["3", "4"] {
        let status = Command::new(assert_cmd::cargo::cargo_bin("slipstick"))
            .current_dir(folder.path())
            .args(["run", "study.ron", "--quiet", "--out", "run", "--shard", "auto"])
            .env("SLURM_ARRAY_TASK_ID", task)
            .env("SLURM_ARRAY_TASK_MIN", "3")
            .env("SLURM_ARRAY_TASK_COUNT", "2")
            .status()
            .unwrap();
        assert!(status.success());
    }
    ends(&slipstick(folder.path(), &["merge", "run", "--quiet"]), 0, "");
}

#[test]
fn a_plan_measures_parts_and_proposes_a_script_that_computes_the_study() {
    let folder = with_small();
    let here = folder.path();
    let plan = slipstick(here, &["plan", "study.ron", "--time", "0.05", "--set", "b=0.2"]);
    assert_eq!((plan.code, plan.stderr.as_str()), (0, ""));
    for words in [
        "windows: 400 cells in 7 parts; seconds a part",
        "plane: 300 cells in 5 parts",
        "expected time of all 12 parts",
        "    4096 cores: ",
        "#SBATCH --array=1-1\n",
        "slipstick run 'study.ron' --out 'output/study' --set 'b=0.2' --shard auto",
    ] {
        assert!(plan.stdout.contains(words), "{words}: {}", plan.stdout);
    }
    assert_eq!(files(here).len(), 1, "planning writes nothing");
    let script = |name: &str| slipstick(here, &["plan", "study.ron", "--time", "0", "--script", name]);
    assert_eq!(script("job.sh").code, 0);
    assert!(
        fs::read_to_string(here.join("job.sh"))
            .unwrap()
            .starts_with("#!/bin/sh\n")
    );
    let again = script("study.ron");
    assert!(
        again.code == 1 && again.stderr.contains("study.ron cannot be written"),
        "{}",
        again.stderr
    );
    assert_eq!(fs::read_to_string(here.join("study.ron")).unwrap(), SMALL);
    let bad = slipstick(here, &["plan", "study.ron", "--time=-1"]);
    assert!(bad.code == 2 && bad.stderr.contains("is not a time"), "{}", bad.stderr);
}
