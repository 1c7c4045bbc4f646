//! `slipstick plan`: how long a study would take on many cores, from a few parts that are computed here.

use super::folder::default_folder;
use super::pool::{stop_on_request, threads};
use super::study_file::{planned, warn};
use super::{INCOMPLETE, PlanArgs, complain, print, say};
use slipstick_report::explore::rounded;
use slipstick_study::{self as study, Divided, Sample};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;

/// The numbers of cores that times are estimated for.
const CORES: [usize; 4] = [1, 16, 256, 4096];

/// A batch job is proposed for about this long.
const HOUR: f64 = 3600.0;

pub(super) fn plan(args: &PlanArgs) -> Result<ExitCode, ExitCode> {
    let (loaded, plan) = planned(&args.study, &args.set)?;
    warn(&loaded, &plan);
    let tasks = study::divided(&plan);
    if tasks.is_empty() {
        say("nothing in this study is divided into parts: one process computes it, with a thread for each curve");
        return Ok(ExitCode::SUCCESS);
    }
    // One thread, so that a part takes as long as it would on a core of its own.
    let pool = threads(Some(1))?;
    let sample = Sample::new(args.time);
    let stop = stop_on_request();
    pool.install(|| study::run_share(&plan, &study::Silent, &stop, None, &sample));
    if stop.is_requested() {
        complain("stopped before all tasks were measured");
        return Err(ExitCode::from(INCOMPLETE));
    }
    let measured: Vec<Measured> = tasks
        .into_iter()
        .map(|task| Measured {
            seconds: sample.seconds(&task.key),
            task,
        })
        .collect();
    let mut lines: Vec<String> = measured.iter().map(Measured::in_words).collect();
    let all: Vec<f64> = measured.iter().flat_map(Measured::every_part).collect();
    let total: f64 = all.iter().sum();
    lines.push(format!("expected time of all {} parts:", all.len()));
    for cores in CORES {
        let time = makespan(&all, cores);
        lines.push(format!(
            "    {cores} core{}: {}, efficiency {:.0} %",
            if cores == 1 { "" } else { "s" },
            in_units(time),
            100.0 * total / (time * cores as f64)
        ));
    }
    if let Some(memory) = memory_used() {
        lines.push(format!(
            "memory of each process: about {} MB; the one that merges also holds the tables, about {} MB",
            rounded(memory / 1e6, 2),
            rounded(measured.iter().map(|m| m.task.cells as f64 * ROW).sum::<f64>() / 1e6, 2)
        ));
    }
    let shares = (total / HOUR).ceil().clamp(1.0, all.len() as f64).min(1000.0) as usize;
    let script = batch_script(&args.study, &args.set, shares, makespan(&all, shares));
    let outcome = match &args.script {
        None => {
            lines.push("a batch script for Slurm:\n".into());
            Ok(())
        }
        Some(file) => std::fs::File::create_new(file).and_then(|mut f| {
            lines.push(format!("batch script: {}", file.display()));
            std::io::Write::write_all(&mut f, script.as_bytes())
        }),
    };
    say(lines.join("\n").trim_end());
    if args.script.is_none() {
        // To be copied as it is.
        print(format!("\n{}\n", script.trim_end()).as_bytes());
    }
    match (outcome, &args.script) {
        (Err(e), Some(file)) => {
            complain(&format!("error: {} cannot be written: {e}", file.display()));
            Err(ExitCode::from(INCOMPLETE))
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// Bytes that a cell takes in tables, roughly.
const ROW: f64 = 200.0;

/// A divided task, and how long some of its parts took.
struct Measured {
    task: Divided,
    seconds: Vec<f64>,
}

impl Measured {
    fn in_words(&self) -> String {
        let Divided { name, cells, parts, .. } = &self.task;
        let n = self.seconds.len();
        let mut words = format!("{name}: {cells} cells in {parts} parts");
        if let (Some(low), Some(high)) = (self.seconds.first(), self.seconds.last()) {
            let mean = self.seconds.iter().sum::<f64>() / n as f64;
            let _ = write!(
                words,
                "; seconds a part, of {n} measured: mean {}, from {} to {}",
                rounded(mean, 3),
                rounded(*low, 3),
                rounded(*high, 3)
            );
        }
        words
    }

    /// The expected time of each part: those measured, each about as often as the others, slow and quick ones mixed.
    fn every_part(&self) -> Vec<f64> {
        const GOLDEN: f64 = 0.618_033_988_749_894_9;
        let n = self.seconds.len();
        let parts = if n == 0 { 0 } else { self.task.parts };
        let measured = |part: usize| ((part as f64 * GOLDEN).fract() * n as f64) as usize;
        (0..parts).map(|part| self.seconds[measured(part).min(n - 1)]).collect()
    }
}

/// How long a queue of parts takes when each core takes the next part as soon as it is free.
fn makespan(parts: &[f64], cores: usize) -> f64 {
    let nanoseconds = |s: f64| (s * 1e9) as u64;
    let mut free: BinaryHeap<Reverse<u64>> = (0..cores).map(|_| Reverse(0)).collect();
    let mut last = 0;
    for &part in parts {
        let Some(Reverse(at)) = free.pop() else { break };
        let end = at + nanoseconds(part);
        last = last.max(end);
        free.push(Reverse(end));
    }
    last as f64 / 1e9
}

/// A time as people say it.
fn in_units(seconds: f64) -> String {
    match seconds {
        s if s < 120.0 => format!("{} s", rounded(s, 3)),
        s if s < 7200.0 => format!("{} min", rounded(s / 60.0, 3)),
        s if s < 48.0 * HOUR => format!("{} h", rounded(s / HOUR, 3)),
        s => format!("{} days", rounded(s / (24.0 * HOUR), 3)),
    }
}

/// The most memory that this process has used, where the system says so.
fn memory_used() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    let kilobytes: f64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(1024.0 * kilobytes)
}

/// A job array of Slurm, with the command that puts the shares together.
fn batch_script(study: &Path, set: &[(String, f64)], shares: usize, seconds: f64) -> String {
    // Twice the expected time, in whole minutes, at least five.
    let minutes = (2.0 * seconds / 60.0).ceil().max(5.0);
    let quoted = |text: &str| format!("'{}'", text.replace('\'', "'\\''"));
    let out = default_folder(study);
    let mut options = format!("--out {}", quoted(&out.display().to_string()));
    for (name, value) in set {
        let _ = write!(options, " --set {}", quoted(&format!("{name}={value}")));
    }
    format!(
        "#!/bin/sh\n\
         #SBATCH --array=1-{shares}\n\
         #SBATCH --ntasks=1\n\
         #SBATCH --cpus-per-task=1\n\
         #SBATCH --time={minutes}\n\
         # A task that was killed goes on where it was when it is submitted again.\n\
         slipstick run {} {options} --shard auto --jobs 1 --resume --quiet\n\
         # When all tasks have ended: slipstick merge {}\n",
        quoted(&study.display().to_string()),
        quoted(&out.display().to_string())
    )
}

#[cfg(test)]
mod tests {
    use super::{Measured, makespan};
    use slipstick_study::Divided;

    #[test]
    fn every_time_measured_counts_as_often_as_the_others() {
        for (n, parts) in [(1, 10), (15, 75), (10, 1000), (64, 5000)] {
            let task = Divided {
                key: "task-0".into(),
                name: "chart".into(),
                cells: 64 * parts,
                parts,
            };
            let seconds: Vec<f64> = (0..n).map(f64::from).collect();
            let all = Measured { task, seconds }.every_part();
            assert_eq!(all.len(), parts);
            for k in 0..n {
                let count = all.iter().filter(|s| **s == f64::from(k)).count() as f64;
                let fair = parts as f64 / f64::from(n);
                assert!(
                    (count - fair).abs() <= 2.0 + 0.05 * fair,
                    "{n} {parts}: {k} {count} times"
                );
            }
        }
    }

    #[test]
    fn a_queue_ends_when_its_last_part_does() {
        assert!((makespan(&[1.0; 10], 1) - 10.0).abs() < 1e-9);
        assert!((makespan(&[1.0; 10], 4) - 3.0).abs() < 1e-9);
        assert!((makespan(&[1.0, 1.0, 5.0], 2) - 6.0).abs() < 1e-9);
        assert!((makespan(&[1.0; 10], 4096) - 1.0).abs() < 1e-9);
    }
}
