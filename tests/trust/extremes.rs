//! Extreme numbers, limits and interruptions: an answer or a refusal in words, in time.

use super::known::none_wrong;
use super::random::{Random, members};
use slipstick_study as study;
use std::fs;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// What stands in for a number.
const EXTREMES: [&str; 19] = [
    "1e308",
    "-1e308",
    "1.7976931348623157e308",
    "1e-308",
    "-1e-308",
    "5e-324",
    "0",
    "-0.0",
    "-1",
    "1e16",
    "1e-16",
    "9007199254740993",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999999999",
    "1000000000",
    "NaN",
    "inf",
    "-inf",
];

/// The shipped studies, with their paths.
fn shipped() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("studies");
    let mut found = vec![];
    for folder in [root.clone(), root.join("benchmarks")] {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            // The tests put studies of their own beside those that are shipped.
            let own = path
                .file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with("extreme-"));
            if path.extension().is_some_and(|e| e == "ron") && !own {
                let text = fs::read_to_string(&path).unwrap();
                found.push((path, text));
            }
        }
    }
    found.sort();
    found
}

/// Where the numbers of a study stand, those in its formulas among them.
fn numbers(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let (mut found, mut at) = (vec![], 0);
    while at < bytes.len() {
        let word = at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_' || bytes[at - 1] >= 128);
        if text[at..].starts_with("//") {
            at += text[at..].find('\n').unwrap_or(text.len() - at);
        } else if bytes[at].is_ascii_digit() && !word {
            let begin = at;
            while at < bytes.len() && (bytes[at].is_ascii_digit() || bytes[at] == b'.') {
                at += 1;
            }
            let sign = |at: usize| usize::from(matches!(bytes.get(at), Some(b'-' | b'+')));
            if bytes.get(at) == Some(&b'e') && bytes.get(at + 1 + sign(at + 1)).is_some_and(u8::is_ascii_digit) {
                at += 2;
                while bytes.get(at).is_some_and(u8::is_ascii_digit) {
                    at += 1;
                }
            }
            found.push(begin..at);
        } else {
            at += 1;
            while !text.is_char_boundary(at) {
                at += 1;
            }
        }
    }
    found
}

/// The study with some of its numbers replaced by extreme ones.
fn extreme(text: &str, random: &mut Random) -> String {
    let places = numbers(text);
    let mut chosen: Vec<usize> = (0..1 + random.below(3)).map(|_| random.below(places.len())).collect();
    chosen.sort_unstable();
    chosen.dedup();
    let mut changed = text.to_owned();
    for k in chosen.into_iter().rev() {
        changed.replace_range(places[k].clone(), EXTREMES[random.below(EXTREMES.len())]);
    }
    changed
}

#[test]
fn extreme_numbers_are_checked_without_a_panic() {
    let shipped = shipped();
    let count = members(200);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("extreme numbers", member);
        let (path, text) = &shipped[random.below(shipped.len())];
        let changed = extreme(text, &mut random);
        let checked = catch_unwind(AssertUnwindSafe(|| {
            if let Ok(loaded) = study::parse(path, changed.clone()) {
                match loaded.plan(&[]) {
                    Ok(plan) => plan.warnings.iter().for_each(|w| assert!(!loaded.warn(w).is_empty())),
                    Err(said) => assert!(!said.to_string().is_empty()),
                }
            }
        }));
        if checked.is_err() {
            wrong.push((member, format!("a panic\n{changed}")));
        }
    }
    none_wrong("extreme numbers, checked", count, &wrong);
}

/// A run of a study in a process of its own that may take three gigabytes.
fn launched(study: &Path, out: &Path) -> Child {
    let command = r#"ulimit -v 3000000; exec "$0" run "$1" --out "$2" --jobs 2"#;
    Command::new("sh")
        .args(["-c", command])
        .arg(assert_cmd::cargo::cargo_bin("slipstick"))
        .args([study, out])
        .stdout(Stdio::null())
        .stderr(fs::File::create(out.with_extension("stderr")).unwrap())
        .spawn()
        .unwrap()
}

/// The seconds of processor time that a process has taken so far; none once it is gone.
fn cpu(id: u32) -> Option<f64> {
    /// `getconf CLK_TCK` of every Linux there is.
    const TICKS: f64 = 100.0;
    let text = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    let fields: Vec<&str> = text.rsplit(')').next()?.split_whitespace().collect();
    let ticks = |k: usize| fields.get(k)?.parse::<f64>().ok();
    (fields.first() != Some(&"Z")).then_some(())?;
    Some((ticks(11)? + ticks(12)?) / TICKS)
}

/// How a process that was asked to end after `patience` did so, and what is wrong with that.
fn ended(mut child: Child, patience: f64, signal: &str, said: &Path) -> Option<String> {
    /// Two threads that take a second each after they were asked to end, and as much for what there is to write down,
    /// in a build that is not optimised.
    const MOST: f64 = 4.0;
    /// A process that does nothing is stuck, too.
    const STUCK: Duration = Duration::from_secs(120);
    let begin = Instant::now();
    let mut asked: Option<(f64, Instant)> = None;
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        let spent = cpu(child.id()).unwrap_or(0.0);
        match asked {
            None if begin.elapsed().as_secs_f64() >= patience && spent >= 0.05 => {
                let sent = Command::new("kill").args([signal, &child.id().to_string()]).status();
                assert!(sent.is_ok());
                asked = Some((spent, Instant::now()));
            }
            Some((before, at)) if spent - before > MOST || at.elapsed() > STUCK => {
                child.kill().unwrap();
                child.wait().unwrap();
                return Some(format!(
                    "goes on for {:.1} s of processor time after {signal}",
                    spent - before
                ));
            }
            _ => {}
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    let said = fs::read_to_string(said.with_extension("stderr")).unwrap();
    // A study that is still being read has no results to write down: the signal itself ends it.
    let by_signal = asked.is_some() && status.code().is_none() && said.is_empty();
    let fine = by_signal || (matches!(status.code(), Some(0..=2)) && !said.contains("panicked"));
    (!fine).then(|| format!("{status}: {said}"))
}

#[test]
fn extreme_numbers_are_run_or_refused_and_the_run_ends_when_asked() {
    let shipped = shipped();
    let folder = tempfile::tempdir().unwrap();
    let count = members(3);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("extreme runs", member);
        let (path, text) = &shipped[random.below(shipped.len())];
        let changed = extreme(text, &mut random);
        // Beside the shipped one, whose files it reads.
        let here = folder.path().join(format!("{member}"));
        let study = path.with_file_name(format!("extreme-{member}-{}.ron", std::process::id()));
        fs::write(&study, &changed).unwrap();
        let fault = ended(launched(&study, &here), 2.0, "-INT", &here);
        fs::remove_file(&study).unwrap();
        let _ = fs::remove_dir_all(&here);
        wrong.extend(fault.map(|fault| (member, format!("{fault}\n{changed}"))));
    }
    none_wrong("extreme numbers, run", count, &wrong);
}

/// Studies that would run for hours.
fn endless(random: &mut Random) -> String {
    let body = match random.below(11) {
        0 => {
            let long = random.log_between(1e6, 1e9);
            format!(r#"system: Stiction(), simulations: [Simulation(name: "s", set: {{"Omega": 0.9}}, time: {long:e})]"#)
        }
        1 => format!(
            r#"system: Smooth(states: ["x", "y"], equations: ["x' = y", "y' = -sin(x) - 1e{}*y*(x^2 - 1)"], start: {{"x": 2}}),
            simulations: [Simulation(name: "s", time: 1e9)]"#,
            random.below(9)
        ),
        2 => r#"system: Map(states: ["x"], parameters: {"r": 3.7}, equations: ["x+ = r*x*(1 - x)"], start: {"x": 0.3}),
            simulations: [Simulation(name: "s", time: 9e9, every: 1e4)]"#
            .to_owned(),
        3 => format!(
            r#"analyses: [Shaw(name: "s", time: 1e5, solver: Euler(step: {}e-2), rows: 100)]"#,
            random.between(0.25, 1.0)
        ),
        4 => r#"analyses: [Ensemble(name: "s", paths: 1000000, to: 200)]"#.to_owned(),
        5 => r#"system: Stiction(), attractors: [Attractors(name: "s", sweep: "Omega", range: (0.3, 3), count: 20000, starts: 64)]"#
            .to_owned(),
        6 => r#"system: Stiction(), curves: [Curve(name: "s", orbit: Symmetric("slip- stick"), start: All(at: {"Omega": 2}, seeds: 900000),
            free: "Omega", range: (1, 15))]"#
            .to_owned(),
        7 => r#"system: Smooth(states: ["x", "y"], parameters: {"m": 1}, equations: ["x' = y", "y' = m*(1 - x^2)*y - x"]),
            curves: [Curve(name: "s", orbit: PeriodicOrbit, start: Settle(at: {"m": 1}, from: {"x": 2}), free: "m", range: (0.5, 300),
            step: Step(largest: 1e-5))]"#
            .to_owned(),
        8 => r#"analyses: [Bowed(name: "s", modes: 40, time: 1e5)]"#.to_owned(),
        9 => r#"system: RegularisedStiction(epsilon: 1e-3), slow_fast: [Portrait(name: "s", mesh: (900, 900), manifolds: 900)]"#.to_owned(),
        _ => r#"system: RegularisedStiction(epsilon: 1e-3), curves: [Curve(name: "s", orbit: Symmetric("slip- layer"),
            start: Everywhere(samples: 900), free: "Omega", range: (1, 9))]"#
            .to_owned(),
    };
    format!("Study(title: \"endless\", {body})")
}

#[test]
fn runs_end_when_asked_wherever_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let count = members(6);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("endless runs", member);
        let text = endless(&mut random);
        let here = folder.path().join(format!("{member}"));
        let study = here.with_extension("ron");
        fs::write(&study, &text).unwrap();
        let signal = if random.below(2) == 0 { "-INT" } else { "-TERM" };
        let fault = ended(launched(&study, &here), random.between(0.05, 1.5), signal, &here);
        let said = fs::read_to_string(here.with_extension("stderr")).unwrap();
        let fault = fault.or_else(|| said.contains("error: ").then_some(said));
        wrong.extend(fault.map(|fault| (member, format!("{fault}\n{text}"))));
    }
    none_wrong("endless runs", count, &wrong);
}

/// Everything that a study says in whole numbers, a thousand million times.
#[test]
fn a_thousand_million_of_anything_is_refused_with_the_memory_it_would_take() {
    let curve = |more: &str| {
        format!(
            r#"system: Smooth(states: ["x", "y"], parameters: {{"m": 1}}, equations: ["x' = y", "y' = m*(1 - x^2)*y - x"]),
            curves: [Curve(name: "s", orbit: PeriodicOrbit, free: "m", range: (0.5, 2), {more})]"#
        )
    };
    let bowed = |what: &str| format!("analyses: [{what}]");
    let studies = [
        curve(r#"start: All(at: {"m": 1}, seeds: N)"#),
        curve(r#"start: Everywhere(samples: N)"#),
        curve(r#"start: Settle(at: {"m": 1}), points: N"#),
        curve(r#"start: Settle(at: {"m": 1}), generations: N"#),
        curve(r#"start: Settle(at: {"m": 1}), method: Shooting(shots: N)"#),
        r#"system: Stiction(), simulations: [Simulation(name: "s", time: N, every: 1)]"#.to_owned(),
        r#"system: Stiction(), attractors: [Attractors(name: "s", sweep: "Omega", range: (0.3, 3), count: N)]"#
            .to_owned(),
        r#"system: Stiction(), attractors: [Attractors(name: "s", sweep: "Omega", range: (0.3, 3), starts: N)]"#
            .to_owned(),
        r#"system: Stiction(), attractors: [Attractors(name: "s", sweep: "Omega", range: (0.3, 3), events: N)]"#
            .to_owned(),
        r#"system: RegularisedStiction(), slow_fast: [Portrait(name: "s", mesh: (N, 10))]"#.to_owned(),
        r#"system: RegularisedStiction(), slow_fast: [Portrait(name: "s", mesh: (10, N))]"#.to_owned(),
        r#"system: RegularisedStiction(), slow_fast: [Portrait(name: "s", orbits: N)]"#.to_owned(),
        r#"system: RegularisedStiction(), slow_fast: [Portrait(name: "s", manifolds: N)]"#.to_owned(),
        r#"system: RegularisedStiction(), slow_fast: [Portrait(name: "s", fates: Fates(over: "x", samples: N))]"#
            .to_owned(),
        r#"system: RegularisedStiction(), slow_fast: [Portrait(name: "s", returns: Returns(count: N))]"#.to_owned(),
        bowed(r#"Shaw(rows: N)"#),
        bowed(r#"Shaw(time: N, solver: Euler(step: 1e-3))"#),
        bowed(r#"Convergence(time: N)"#),
        bowed(r#"Ensemble(paths: N)"#),
        bowed(r#"Ensemble(rows: N)"#),
        bowed(r#"Ensemble(to: N)"#),
        bowed(r#"Calibration(runs: N)"#),
        bowed(r#"Calibration(particles: N)"#),
        bowed(r#"WearPower(rows: N)"#),
        bowed(r#"SlidingShoe(rows: N)"#),
        bowed(r#"Kernel(rows: N)"#),
        bowed(r#"Kernel(modes: [20, N])"#),
        bowed(r#"Bowed(rows: N)"#),
        bowed(r#"Bowed(modes: N)"#),
        bowed(r#"Bowed(time: N, method: Euler(step: 1e-3))"#),
        bowed(r#"BowedConvergence(modes: N)"#),
        bowed(r#"BowedConvergence(time: N)"#),
        bowed(r#"BowedModes(modes: [20, N])"#),
        bowed(r#"BowedModes(sticks: N)"#),
        bowed(r#"BowedBranch(modes: N)"#),
        bowed(r#"BowedBranch(sticks: N)"#),
        bowed(r#"BowedBranch(multipliers: N)"#),
        bowed(r#"BowedBranch(points: N)"#),
    ];
    for body in studies {
        let text = format!("Study(title: \"many\", {})", body.replace('N', "1000000000"));
        let refused = study::parse("many.ron".as_ref(), text.clone()).and_then(|s| s.plan(&[]).map(|_| ()));
        let said = refused.expect_err(&text).to_string();
        assert!(said.contains("of memory; up to"), "{text}\n{said}");
    }
}

#[test]
fn systems_of_any_size_are_checked_in_time() {
    /// Two seconds of a quiet machine.
    const MOST: Duration = Duration::from_secs(20);
    let many = |n: usize, one: &dyn Fn(usize) -> String| (0..n).map(one).collect::<Vec<_>>().join(", ");
    let chain = |k: usize| match k {
        0 => r#""d0": "x""#.to_owned(),
        _ => format!(r#""d{k}": "d{} + 1e-3*x""#, k - 1),
    };
    let (states, equations) = (
        |k: usize| format!(r#""x{k}""#),
        |k: usize| format!(r#""x{k}' = a - x{k}""#),
    );
    let studies = [
        format!(
            r#"Smooth(states: ["x"], parameters: {{"a": 1}}, define: {{{}}}, equations: ["x' = a - d7999"])"#,
            many(8000, &chain)
        ),
        format!(
            r#"Smooth(states: ["x"], parameters: {{"a": 1}}, define: {{{}}}, equations: ["x' = a - d1999"])"#,
            many(2000, &chain)
        ),
        format!(
            r#"Smooth(states: [{}], parameters: {{"a": 1}}, equations: [{}])"#,
            many(10_000, &states),
            many(10_000, &equations)
        ),
        format!(
            r#"Smooth(states: [{}], parameters: {{"a": 1}}, equations: [{}])"#,
            many(1500, &states),
            many(1500, &equations)
        ),
    ];
    for system in studies {
        let clock = Instant::now();
        let text = format!("Study(title: \"large\", system: {system})");
        let outcome = study::parse("large.ron".as_ref(), text).and_then(|s| s.plan(&[]).map(|_| ()));
        assert!(clock.elapsed() < MOST, "{:?}: {:.80}", clock.elapsed(), system);
        if let Err(said) = outcome {
            assert!(said.to_string().len() < 100_000);
        }
    }
}
