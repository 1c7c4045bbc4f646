//! Run a study into a folder, as the command does. Meanwhile Python can interrupt, and its callback gets the progress.

use crate::errors::{refused, run_error};
use crate::progress::{Happening, Reporter};
use crate::studies::LoadedStudy;
use pyo3::prelude::*;
use slipstick_report::{ReportError, RunSummary};
use slipstick_study::{self as study, Alone, Checkpoint, Claim, Loaded, Plan, Settings, Stop};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// How often a run that says nothing looks for an interruption.
const LOOK: Duration = Duration::from_millis(50);

/// Room for the stack of the thread that a run begins on.
const STACK: usize = 16 << 20;

/// A run to be carried out.
struct Job<'a> {
    study: &'a Loaded,
    plan: Arc<Plan>,
    set: Vec<(String, f64)>,
    folder: PathBuf,
    jobs: usize,
    resume: bool,
    stop: Stop,
}

/// What came of it.
#[derive(Default)]
struct Outcome {
    /// What is to be reported of the files and of results that are missing.
    reported: Vec<String>,
    stopped: bool,
    /// Was the run written? One that is stopped does not replace another that is whole.
    written: bool,
}

/// Carry out a study into a folder. `progress` is called with what happens: kind, name, value, label, parts done, parts
/// there are. Returns what is to be reported, and whether the folder holds the run.
#[pyfunction]
#[pyo3(signature = (study, folder, set, jobs=None, resume=false, progress=None))]
pub(crate) fn compute(
    py: Python<'_>,
    study: &LoadedStudy,
    folder: PathBuf,
    set: Vec<(String, f64)>,
    jobs: Option<usize>,
    resume: bool,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<(Vec<String>, bool)> {
    let stop = Stop::default();
    let job = Job {
        study: study.loaded(),
        plan: study.planned(py, &set)?,
        set,
        folder,
        jobs: jobs.unwrap_or(0),
        resume,
        stop: stop.clone(),
    };
    let (sender, happenings) = channel();
    let (done, wanted) = (sender.clone(), progress.is_some());
    let progress = progress.map(Bound::unbind);
    let waited = py.detach(move || {
        std::thread::scope(move |scope| {
            let work = move || perform(&job, done, wanted);
            let worker = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
            let worker = match worker {
                Ok(worker) => worker,
                Err(e) => return Err(refused(e)),
            };
            drop(sender);
            let mut interrupted = None;
            let mut looked = Instant::now();
            loop {
                let happening = match happenings.recv_timeout(LOOK) {
                    Ok(happening) => Some(happening),
                    Err(RecvTimeoutError::Timeout) => None,
                    Err(RecvTimeoutError::Disconnected) => break,
                };
                if interrupted.is_some() {
                    continue;
                }
                let due = looked.elapsed() >= LOOK;
                let seen = Python::attach(|py| {
                    if let (Some(progress), Some(happening)) = (&progress, happening) {
                        let Happening {
                            kind,
                            name,
                            value,
                            label,
                            parts,
                        } = happening;
                        let (done, of) = parts.unzip();
                        progress.call1(py, (kind, name, value, label, done, of))?;
                    }
                    if due { py.check_signals() } else { Ok(()) }
                });
                if due {
                    looked = Instant::now();
                }
                if let Err(why) = seen {
                    stop.request();
                    interrupted = Some(why);
                }
            }
            let outcome = worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            match interrupted {
                Some(why) => Err(why),
                None => Ok(outcome),
            }
        })
    })?;
    match waited {
        Ok(outcome) => Ok((outcome.reported, outcome.written && !outcome.stopped)),
        Err(e) => Err(run_error(py, &e)),
    }
}

/// Why there is no run, in words.
type Refused = Box<dyn std::error::Error + Send + Sync>;

/// Compute what a checkpoint does not have, and write the results, on this thread and a pool of its own. `done` is
/// dropped when that is over.
fn perform(job: &Job<'_>, done: Sender<Happening>, wanted: bool) -> Result<Outcome, Refused> {
    let clock = Instant::now();
    let Job { study, plan, set, .. } = job;
    let mut outcome = Outcome::default();
    let claim = Claim::take(&job.folder)?;
    outcome.reported.extend(claim.reported().iter().cloned());
    let inputs = plan.inputs();
    let before = claim.run();
    if job.resume
        && !Checkpoint::is_in(&job.folder)
        && let Some(before) = &before
    {
        let same = before.study == study.text
            && before.set == *set
            && before.slipstick == env!("CARGO_PKG_VERSION")
            && before.inputs == inputs;
        if !same {
            let place = job.folder.display();
            let why = format!(
                "the finished run in {place} is of another study, other values or other files; omit `resume` to replace it"
            );
            return Err(why.into());
        }
        let whole = !before.stopped && before.missing.is_empty() && claim.damage(before).0.is_empty();
        if whole {
            outcome.written = true;
            outcome.reported.extend(claim.release());
            return Ok(outcome);
        }
    }
    let checkpoint = Checkpoint::begin(&claim, &study.text, set, &inputs, job.resume)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(job.jobs).build()?;
    let reporter = Reporter(wanted.then(|| done.clone()));
    let result = pool.install(|| study::run_share(plan, &reporter, &job.stop, Some(&checkpoint), &Alone::default()));
    reporter.send(|| Happening::of("writing", ""));
    outcome.stopped = result.stopped;
    outcome
        .reported
        .extend(result.missing.iter().map(study::Missing::in_words));
    let resumes = |before: &RunSummary| checkpoint.resumed() && before.stopped && before.study == study.text;
    if result.stopped && before.as_ref().is_some_and(|before| !resumes(before)) {
        return Ok(outcome);
    }
    let settings = Settings { set, inputs };
    let seconds = clock.elapsed().as_secs_f64();
    let write = || study::write_run(&claim, study, plan, &settings, &result, seconds);
    let written = if result.stopped {
        write()
    } else {
        job.stop.until(write).unwrap_or(Err(ReportError::Stopped))
    };
    let written = match written {
        Err(ReportError::Stopped) => {
            outcome.stopped = true;
            return Ok(outcome);
        }
        written => written?,
    };
    outcome.written = true;
    outcome.reported.extend(written.missing);
    outcome.reported.extend(written.reported);
    if let Some(trouble) = checkpoint.trouble().filter(|_| result.stopped) {
        outcome
            .reported
            .push(format!("part of the checkpoint could not be written: {trouble}"));
    }
    drop(checkpoint);
    if changed(plan, &settings) {
        outcome
            .reported
            .push("an input file changed while the run was under way: run it again".into());
    }
    outcome.reported.extend(claim.release());
    Ok(outcome)
}

/// Have the files changed that the run read?
fn changed(plan: &Plan, settings: &Settings<'_>) -> bool {
    plan.inputs() != settings.inputs
}

/// Is there a run that was interrupted, to go on with?
pub(crate) fn is_interrupted(folder: &Path) -> bool {
    Checkpoint::is_in(folder)
}
