//! Folders, files, locks and interruptions: a run touches only what a run wrote.

use super::random::{Random, members};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// What lies at a place: a file's bytes, where a link leads, or a folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Thing {
    File(Vec<u8>),
    Link(PathBuf),
    Folder,
}

/// Everything below a folder, links not followed.
fn tree(folder: &Path) -> BTreeMap<PathBuf, Thing> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(here) = open.pop() {
        for entry in fs::read_dir(&here).unwrap() {
            let path = entry.unwrap().path();
            let kind = fs::symlink_metadata(&path).unwrap().file_type();
            let thing = if kind.is_symlink() {
                Thing::Link(fs::read_link(&path).unwrap())
            } else if kind.is_dir() {
                open.push(path.clone());
                Thing::Folder
            } else {
                Thing::File(fs::read(&path).unwrap())
            };
            found.insert(path.strip_prefix(folder).unwrap().to_path_buf(), thing);
        }
    }
    found
}

/// The files of a run but the one with the timings.
fn results(folder: &Path) -> BTreeMap<PathBuf, Thing> {
    let mut all = tree(folder);
    all.retain(|path, _| path != Path::new("run.json"));
    all
}

/// A quick study with tables, orbits, figures, a trajectory and an input file.
fn study(top: f64) -> String {
    format!(
        r#"Study(
    title: "Quick", system: Smooth(states: ["x", "y"], parameters: {{"r": 1}}, equations: ["x' = r - x^2", "y' = -y"], start: {{"x": 0.1}}),
    curves: [
        Curve(name: "fold", orbit: Equilibrium, start: Guess(at: {{"r": 1}}, states: [{{"x": 1, "y": 0}}]), free: "r", range: (-1, {top:?})),
        Curve(name: "given", orbit: Equilibrium, start: File(path: "given.csv", at: {{"r": 1}}), free: "r", range: (0.5, 1.5)),
    ],
    simulations: [Simulation(name: "ride", time: 5)],
    figures: [Diagram(name: "branch", x: "r", y: "x", of: ["fold"])],
)"#
    )
}

/// The same with curves that take some time, so that there is something to kill.
fn slow_study(top: f64) -> String {
    study(top).replace(
        "free: \"r\", range: (-1,",
        "free: \"r\", step: Step(largest: 0.002), range: (-1,",
    )
}

/// A folder with a study and its input.
fn home(text: &str) -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("quick.ron"), text).unwrap();
    write_input(home.path(), 1.0);
    home
}

fn write_input(home: &Path, x: f64) {
    fs::write(home.join("given.csv"), format!("t,x,y\n0,{x:?},0\n")).unwrap();
}

fn command(home: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("slipstick"));
    command.current_dir(home).args(arguments).stdin(Stdio::null());
    command
}

fn run(home: &Path, arguments: &[&str]) -> Output {
    command(home, arguments).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[track_caller]
fn runs(home: &Path, arguments: &[&str]) -> String {
    let output = run(home, arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", said(&output));
    said(&output)
}

/// Names that users give to files, and those that a run uses itself.
const NAMES: [&str; 28] = [
    "notes.txt",
    "Thesis (final) 2.docx",
    "ünïcödé Ω.csv",
    "line\nbreak",
    "-rf",
    ".hidden",
    "points.csv",
    "special.csv",
    "run.json",
    "report.html",
    ".lock",
    ".new",
    ".checkpoint",
    "x.part",
    ".points.csv.part",
    "figures",
    "orbits",
    "tables",
    "auto",
    "trajectories",
    "slow_fast",
    "points.csv.kept",
    "a'b\"c",
    "figures.kept",
    "of",
    "holder",
    "inequalities",
    "distances",
];

/// Put a random thing at a place that is free: a file, an empty file, a folder with a file, a link to a file, to a
/// folder, to nowhere.
fn put(random: &mut Random, place: &Path, outside: &Path) -> bool {
    if fs::symlink_metadata(place).is_ok() {
        return false;
    }
    let bytes = format!("mine {}", random.unit());
    match random.below(6) {
        0 => fs::write(place, bytes).unwrap(),
        1 => fs::write(place, "").unwrap(),
        2 => {
            fs::create_dir(place).unwrap();
            fs::write(place.join(NAMES[random.below(NAMES.len())]), bytes).unwrap();
        }
        #[cfg(unix)]
        3 => std::os::unix::fs::symlink(outside.join("file"), place).unwrap(),
        #[cfg(unix)]
        4 => std::os::unix::fs::symlink(outside, place).unwrap(),
        #[cfg(unix)]
        _ => std::os::unix::fs::symlink("nowhere", place).unwrap(),
        #[cfg(not(unix))]
        _ => fs::write(place, bytes).unwrap(),
    }
    true
}

/// A folder outside with files that links lead to.
fn outside(home: &Path) -> PathBuf {
    let outside = home.join("outside");
    fs::create_dir_all(outside.join("figures")).unwrap();
    fs::write(outside.join("file"), "linked").unwrap();
    fs::write(outside.join("points.csv"), "linked").unwrap();
    fs::write(outside.join("figures/branch.svg"), "linked").unwrap();
    outside
}

#[test]
fn a_folder_that_holds_no_run_is_refused_and_left_as_it_is() {
    for member in 0..members(20) {
        let mut random = Random::of("foreign folders", member);
        let home = home(&study(2.0));
        let outside = outside(home.path());
        let out = home.path().join("out");
        fs::create_dir(&out).unwrap();
        for _ in 0..1 + random.below(6) {
            let name = NAMES[random.below(NAMES.len())];
            put(&mut random, &out.join(name), &outside);
        }
        // The only thing that may be taken for the program's own is an empty folder, and nothing is lost with it.
        let before = tree(home.path());
        let own = |path: &PathBuf| path == Path::new("out/.checkpoint");
        if before
            .iter()
            .filter(|(path, _)| path.starts_with("out/") && *path != Path::new("out"))
            .all(|(path, _)| own(path))
        {
            continue;
        }
        let resume: &[&str] = if random.below(2) == 0 { &["--resume"] } else { &[] };
        let output = run(home.path(), &[&["run", "quick.ron", "--out", "out"], resume].concat());
        assert_eq!(output.status.code(), Some(2), "member {member}: {}", said(&output));
        assert!(
            said(&output).contains("is not the folder of a run")
                && said(&output).contains("--out out/run")
                && output.stdout.is_empty(),
            "member {member}: {}",
            said(&output)
        );
        assert_eq!(said(&output).lines().count(), 1, "names stay on their line");
        assert!(tree(home.path()) == before, "member {member}");
    }
}

/// Does the content of `thing` still lie in the folder, under its name or one that says it was kept?
fn survives(path: &Path, thing: &Thing, after: &BTreeMap<PathBuf, Thing>) -> bool {
    if after.get(path) == Some(thing) {
        return true;
    }
    // Kept itself, or with a folder that it is in.
    path.ancestors().filter(|a| !a.as_os_str().is_empty()).any(|up| {
        let below = path.strip_prefix(up).unwrap();
        let kept = (1..9).map(|n| {
            let mut name = up.file_name().unwrap().to_owned();
            name.push(if n == 1 {
                ".kept".to_owned()
            } else {
                format!(".kept-{n}")
            });
            let kept = up.with_file_name(name);
            if below.as_os_str().is_empty() {
                kept
            } else {
                kept.join(below)
            }
        });
        kept.into_iter().any(|kept| after.get(&kept) == Some(thing))
    })
}

#[test]
fn what_a_user_puts_into_a_run_or_changes_in_it_survives_the_next_one() {
    for member in 0..members(12) {
        let mut random = Random::of("users in runs", member);
        let home = home(&study(2.0));
        let outside = outside(home.path());
        let elsewhere = tree(&outside);
        runs(home.path(), &["run", "quick.ron", "--out", "out"]);
        let out = home.path().join("out");
        let run_files: Vec<PathBuf> = tree(&out).into_keys().filter(|p| out.join(p).is_file()).collect();
        let folders: Vec<PathBuf> = tree(&out)
            .into_keys()
            .filter(|p| out.join(p).is_dir())
            .chain([PathBuf::new()])
            .collect();
        let mut mine: BTreeMap<PathBuf, Thing> = BTreeMap::new();
        for _ in 0..1 + random.below(5) {
            let place = match random.below(3) {
                // New, beside the run's files.
                0 => {
                    let new = folders[random.below(folders.len())].join(NAMES[random.below(NAMES.len())]);
                    if !out.join(&new).parent().unwrap().is_dir() || !put(&mut random, &out.join(&new), &outside) {
                        continue;
                    }
                    new
                }
                // One of the run's files, changed or replaced by something else.
                kind => {
                    let file = run_files[random.below(run_files.len())].clone();
                    if mine.contains_key(&file) || fs::symlink_metadata(out.join(&file)).is_err() {
                        continue;
                    }
                    if kind == 1 {
                        let mut bytes = fs::read(out.join(&file)).unwrap();
                        bytes.extend(b" ");
                        fs::write(out.join(&file), &bytes).unwrap();
                    } else {
                        fs::remove_file(out.join(&file)).unwrap();
                        put(&mut random, &out.join(&file), &outside);
                    }
                    file
                }
            };
            mine.extend(tree(&out).into_iter().filter(|(p, _)| p.starts_with(&place)));
        }
        // A whole folder of the run's becomes a link.
        #[cfg(unix)]
        if random.below(3) == 0 && out.join("figures").is_dir() && !mine.keys().any(|p| p.starts_with("figures")) {
            fs::rename(out.join("figures"), home.path().join("moved")).unwrap();
            std::os::unix::fs::symlink(&outside, out.join("figures")).unwrap();
            mine.insert("figures".into(), Thing::Link(outside.clone()));
        }
        mine.retain(|_, thing| *thing != Thing::Folder);
        // `run.json` that is no longer one: what is there cannot be told from the user's, and is refused.
        let lost_account = {
            let text = fs::read_to_string(out.join("run.json")).unwrap_or_default();
            serde_json::from_str::<serde_json::Value>(&text).is_err()
                || fs::symlink_metadata(out.join("run.json")).unwrap().is_symlink()
        };
        let before = tree(&out);
        fs::write(home.path().join("quick.ron"), study(random.between(1.8, 2.2))).unwrap();
        let output = run(home.path(), &["run", "quick.ron", "--out", "out"]);
        let after = tree(&out);
        assert!(tree(&outside) == elsewhere, "member {member}: a link was followed");
        if lost_account {
            assert_eq!(output.status.code(), Some(2), "member {member}: {}", said(&output));
            assert!(after == before, "member {member}");
            continue;
        }
        assert_eq!(output.status.code(), Some(0), "member {member}: {}", said(&output));
        for (path, thing) in &mine {
            assert!(
                survives(path, thing, &after),
                "member {member}: {} is lost\n{}",
                path.display(),
                said(&output)
            );
        }
        let empty_lock = |p: &PathBuf| p == Path::new(".lock") && mine[p] == Thing::File(vec![]);
        let told = mine.keys().any(|p| !empty_lock(p));
        assert!(
            !told || said(&output).contains("no run wrote") || said(&output).contains("renamed to"),
            "member {member}: {}",
            said(&output)
        );
        // And the new run is whole.
        let fresh = run(home.path(), &["run", "quick.ron", "--out", "fresh"]);
        assert_eq!(fresh.status.code(), Some(0));
        for (path, thing) in results(&home.path().join("fresh")) {
            assert!(
                after.get(&path) == Some(&thing),
                "member {member}: {} is not the new run's",
                path.display()
            );
        }
        assert!(
            !out.join(".checkpoint").exists() || mine.keys().any(|p| p.starts_with(".checkpoint")),
            "member {member}"
        );
    }
}

/// Start the command with its output thrown away.
fn start(home: &Path, arguments: &[&str]) -> Child {
    command(home, arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Every file that `run.json` lists is there with its hash; nothing else is.
#[track_caller]
fn is_one_run(folder: &Path) {
    let text = fs::read_to_string(folder.join("run.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let listed = json["files"].as_object().unwrap();
    let found: Vec<PathBuf> = results(folder)
        .into_iter()
        .filter(|(_, t)| *t != Thing::Folder)
        .map(|(p, _)| p)
        .collect();
    let names: Vec<PathBuf> = listed.keys().map(PathBuf::from).collect();
    let sorted = |mut list: Vec<PathBuf>| {
        list.sort();
        list
    };
    assert_eq!(sorted(found), sorted(names));
    for (name, hash) in listed {
        assert_eq!(
            hash.as_str(),
            Some(sha256(&fs::read(folder.join(name)).unwrap()).as_str()),
            "{name}"
        );
    }
}

fn sha256(bytes: &[u8]) -> String {
    use sha2::{Digest, Sha256};
    Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

/// Killed at any moment, the last ones included, over an earlier run or over nothing: the earlier run is whole or the
/// new one is completed, a file of the user's stays, and `--resume` ends with the bytes of an unbroken run and nothing
/// else.
#[test]
fn kills_at_random_moments_lose_nothing() {
    let home = home(&slow_study(2.0));
    runs(home.path(), &["run", "quick.ron", "--out", "whole"]);
    let clock = Instant::now();
    runs(home.path(), &["run", "quick.ron", "--out", "again"]);
    let span = clock.elapsed();
    let expected = results(&home.path().join("whole"));
    fs::write(home.path().join("earlier.ron"), study(1.5)).unwrap();
    let wanted = members(24);
    let (mut killed, mut member) = (0, 0);
    while killed < wanted {
        let mut random = Random::of("kills", member);
        member += 1;
        let out = format!("out{member}");
        let path = home.path().join(&out);
        let earlier = random.below(2) == 0;
        if earlier {
            runs(home.path(), &["run", "earlier.ron", "--out", &out]);
            fs::write(path.join("mine.txt"), "mine").unwrap();
        }
        let before = earlier.then(|| tree(&path));
        let mut fresh: &[&str] = &[];
        for _ in 0..4 {
            let mut child = start(
                home.path(),
                &[&["run", "quick.ron", "--out", &out, "--quiet"], fresh].concat(),
            );
            // Half of them in the last 50 milliseconds of a run.
            let moment = if random.below(2) == 0 {
                span.saturating_sub(Duration::from_secs_f64(random.between(0.0, 0.05)))
            } else {
                span.mul_f64(random.unit())
            };
            std::thread::sleep(moment);
            let finished = child.try_wait().unwrap().is_some();
            let _ = child.kill();
            child.wait().unwrap();
            killed += usize::from(!finished);
            if !path.exists() {
                continue;
            }
            let now = tree(&path);
            if let Some(before) = &before {
                let mine = Thing::File(b"mine".to_vec());
                assert!(now.get(Path::new("mine.txt")) == Some(&mine), "member {member}");
                // Before the commit nothing of the earlier run has changed.
                let committed = path.join(".checkpoint/commit").exists()
                    || now.get(Path::new("run.json")) != before.get(Path::new("run.json"));
                assert!(
                    committed || before.iter().all(|(p, thing)| now.get(p) == Some(thing)),
                    "member {member}"
                );
            }
            // A run without a checkpoint is whole, and the earlier one is not to be resumed.
            let has = |name: &str| now.contains_key(Path::new(".checkpoint").join(name).as_path());
            fresh = if earlier
                && !has("of")
                && !has("commit")
                && now.get(Path::new("run.json")) == before.as_ref().unwrap().get(Path::new("run.json"))
            {
                &[]
            } else {
                &["--resume"]
            };
        }
        let last = runs(
            home.path(),
            &[&["run", "quick.ron", "--out", &out, "--quiet"], fresh].concat(),
        );
        assert!(
            last.lines()
                .all(|l| l.contains("mine.txt") || l.contains("are complete now")),
            "member {member}: {last}"
        );
        if earlier {
            fs::remove_file(path.join("mine.txt")).unwrap();
        }
        assert_eq!(
            results(&path).keys().collect::<Vec<_>>(),
            expected.keys().collect::<Vec<_>>(),
            "member {member}"
        );
        assert!(results(&path) == expected, "member {member}: other bytes");
        is_one_run(&path);
        fs::remove_dir_all(&path).unwrap();
    }
}

/// Four processes at once in one folder, which may be new, hold a run, or be removed meanwhile: each ends well or says
/// that another holds it, and what is left is one whole run.
#[test]
fn bursts_of_four_processes_leave_one_whole_run() {
    let texts = [study(2.0), study(1.7)];
    let home = home(&texts[0]);
    fs::write(home.path().join("other.ron"), &texts[1]).unwrap();
    let studies = ["quick.ron", "other.ron"];
    let expected: Vec<_> = studies
        .iter()
        .map(|study| {
            runs(home.path(), &["run", study, "--out", "whole"]);
            results(&home.path().join("whole"))
        })
        .collect();
    for member in 0..members(12) {
        let mut random = Random::of("bursts", member);
        let out = home.path().join("out");
        if random.below(2) == 0 && out.exists() {
            fs::remove_dir_all(&out).unwrap();
        }
        let children: Vec<Child> = (0..4)
            .map(|_| {
                std::thread::sleep(Duration::from_secs_f64(random.between(0.0, 0.02)));
                let study = studies[random.below(2)];
                let mut command = command(home.path(), &["run", study, "--out", "out", "--quiet"]);
                command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
            })
            .collect();
        let mut ended = 0;
        for child in children {
            let output = child.wait_with_output().unwrap();
            match output.status.code() {
                Some(0) => {
                    assert_eq!(said(&output), "", "member {member}");
                    ended += 1;
                }
                code => {
                    assert_eq!(code, Some(1), "member {member}: {}", said(&output));
                    let words = said(&output);
                    let process = words
                        .strip_prefix("error: another run (process ")
                        .unwrap_or_else(|| panic!("member {member}: {words}"));
                    let (id, rest) = process.split_once(')').unwrap();
                    assert!(id.parse::<u32>().is_ok(), "member {member}: {words}");
                    assert_eq!(
                        rest.trim_end(),
                        " is writing into out; wait for it, or choose another folder with --out"
                    );
                }
            }
        }
        assert!(ended > 0, "member {member}");
        let found = results(&out);
        assert!(expected.contains(&found), "member {member}: a mixed folder");
        is_one_run(&out);
    }
}

/// An input that changes between a run and `--resume`: the results are those of the new input, whether the run was
/// finished or killed.
#[test]
fn changed_inputs_are_computed_anew() {
    for member in 0..members(6) {
        let mut random = Random::of("inputs", member);
        let home = home(&slow_study(2.0));
        write_input(home.path(), random.between(0.8, 1.2));
        let mut child = start(home.path(), &["run", "quick.ron", "--out", "out"]);
        if random.below(2) == 0 {
            std::thread::sleep(Duration::from_secs_f64(random.between(0.05, 0.3)));
            let _ = child.kill();
        }
        child.wait().unwrap();
        // The other root.
        write_input(home.path(), -random.between(0.8, 1.2));
        runs(home.path(), &["run", "quick.ron", "--out", "out", "--resume"]);
        runs(home.path(), &["run", "quick.ron", "--out", "fresh"]);
        assert!(
            results(&home.path().join("out")) == results(&home.path().join("fresh")),
            "member {member}"
        );
        let words = run(home.path(), &["run", "quick.ron", "--out", "out", "--resume"]);
        assert!(String::from_utf8_lossy(&words.stdout).contains("nothing to resume"));
    }
}

/// Figures drawn into a run are drawn again by the next one, from its own tables.
#[test]
fn figures_drawn_later_are_drawn_again() {
    let home = home(&study(2.0));
    runs(home.path(), &["run", "quick.ron", "--out", "out"]);
    fs::write(
        home.path().join("figure.ron"),
        r#"Diagram(name: "later", x: "r", y: "x", of: ["fold"])"#,
    )
    .unwrap();
    runs(home.path(), &["plot", "out", "figure.ron"]);
    let first = fs::read(home.path().join("out/figures/later.svg")).unwrap();
    fs::write(home.path().join("quick.ron"), study(1.2)).unwrap();
    assert_eq!(runs(home.path(), &["run", "quick.ron", "--out", "out", "--quiet"]), "");
    let again = fs::read(home.path().join("out/figures/later.svg")).unwrap();
    assert!(first != again, "it shows the new run");
    runs(home.path(), &["plot", "out", "figure.ron", "--out", "elsewhere"]);
    assert!(again == fs::read(home.path().join("elsewhere/later.svg")).unwrap());
    // One with the name of a figure of the study stands in its place, and that is said.
    let own = fs::read(home.path().join("out/figures/branch.svg")).unwrap();
    let named = r#"Diagram(name: "branch", x: "x", y: "r", of: ["fold"])"#;
    fs::write(home.path().join("named.ron"), named).unwrap();
    let words = runs(home.path(), &["plot", "out", "named.ron"]);
    assert!(
        words.contains("figure `branch` now stands in place of the study's own"),
        "{words}"
    );
    assert!(own != fs::read(home.path().join("out/figures/branch.svg")).unwrap());
    assert!(!runs(home.path(), &["plot", "out"]).contains("in place of"));
    assert!(own == fs::read(home.path().join("out/figures/branch.svg")).unwrap());
    // A run that cannot draw it keeps it, and says so.
    fs::write(
        home.path().join("quick.ron"),
        study(1.2).replace("\"fold\"", "\"bend\""),
    )
    .unwrap();
    let words = runs(home.path(), &["run", "quick.ron", "--out", "out", "--quiet"]);
    assert!(
        words.contains("figure `later` (added to the earlier run) still shows the earlier run"),
        "{words}"
    );
    assert!(again == fs::read(home.path().join("out/figures/later.svg")).unwrap());
}

/// Folders that a user may well name.
#[test]
fn odd_folders_are_told_in_words() {
    let home = home(&study(2.0));
    fs::write(home.path().join("file"), "mine").unwrap();
    let refused = |out: &str, code: i32, words: &str| {
        let before = tree(home.path());
        let output = run(home.path(), &["run", "quick.ron", "--out", out]);
        assert_eq!(output.status.code(), Some(code), "{out}: {}", said(&output));
        assert!(said(&output).contains(words), "{out}: {}", said(&output));
        assert!(tree(home.path()) == before, "{out}");
    };
    refused(".", 2, "it contains file, given.csv, quick.ron");
    refused("/", 2, "is not the folder of a run");
    refused("file", 2, "`file` is a file, not a folder");
    refused("file/below", 1, "cannot write results into file/below");
    refused("", 2, "a value is required for '--out <DIR>'");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("nowhere", home.path().join("dangling")).unwrap();
        refused("dangling", 2, "`dangling` is a link that leads nowhere, not a folder");
        fs::create_dir(home.path().join("real")).unwrap();
        std::os::unix::fs::symlink("real", home.path().join("link")).unwrap();
        runs(home.path(), &["run", "quick.ron", "--out", "link"]);
        is_one_run(&home.path().join("real"));
        runs(home.path(), &["run", "quick.ron", "--out", "link/"]);
    }
    for odd in ["-odd", "two words", "ünïcödé Ω", "line\nbreak", "a/b/../c"] {
        runs(home.path(), &["run", "quick.ron", &format!("--out={odd}")]);
        is_one_run(&home.path().join(odd));
    }
    // A run of a version that did not list its files yet.
    let text = fs::read_to_string(home.path().join("two words/run.json")).unwrap();
    let mut json: serde_json::Value = serde_json::from_str(&text).unwrap();
    json.as_object_mut().unwrap().remove("schema");
    json.as_object_mut().unwrap().remove("files");
    fs::write(home.path().join("two words/run.json"), json.to_string()).unwrap();
    refused("two words", 2, "contains a run of an earlier version of slipstick");
}
