//! What an interrupted run leaves behind so that the next can go on from there.
//!
//! While a run computes, the folder of its results holds `.checkpoint/`: a file that says which study it is of, one log
//! for each curve, and one for each kind of result that comes as a whole (trajectories, values of a sweep, the objects
//! of a portrait, analyses). A log is only ever appended to, one frame with its length and checksum for each point as
//! it is found and each search or result as it ends. A thread puts what was appended onto the disk a few times a
//! second, so that a process that is killed, or a machine that loses its power, loses what it found in the last second
//! and what it was working on, nothing else; a torn last frame is cut off when the log is read. The next run repeats
//! the logic of the first and takes from the log what was computed; because every step is deterministic, it ends with
//! the same bytes.

pub(crate) mod frames;
pub(crate) mod log;
pub(crate) mod parts;
mod record;
mod sync;

use crate::checkpoint::frames::Behind;
pub(crate) use crate::checkpoint::parts::Parts;
use crate::checkpoint::sync::Syncing;
use crate::run_folder::claim::Claim;
use crate::run_folder::own;
use sha2::{Digest, Sha256};
use slipstick_report::{CsvFormat, ReportError, TableFormat};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Changes whenever what is logged does.
const FORMAT: u32 = 11;

/// Why a run cannot be resumed.
///
/// ```
/// use slipstick_study::{Checkpoint, CheckpointError, Claim};
/// let folder = tempfile::tempdir()?;
/// let claim = Claim::take(folder.path())?;
/// drop(Checkpoint::begin(&claim, "Study(title: \"One\")", &[], &[].into(), false)?);
/// // What was kept of one study is no help with another.
/// let other = Checkpoint::begin(&claim, "Study(title: \"Two\")", &[], &[].into(), true);
/// assert!(matches!(other, Err(CheckpointError::Other(_))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The checkpoint belongs to something else.
    #[error(
        "the interrupted run in {} was of another study, other --set values or another version of slipstick; run without --resume to start over, or \
         choose another folder with --out",
        .0.display()
    )]
    Other(PathBuf),
    /// The file system refuses.
    #[error("cannot write checkpoints into {}: {source}", folder.display())]
    Io {
        /// The folder.
        folder: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// The checkpoint of a run.
///
/// ```
/// use slipstick_study::{self as study, Checkpoint, Claim, Silent};
/// let text = r#"Study(
///     title: "Steady states of x' = r - x²",
///     system: Smooth(states: ["x"], parameters: {"r": 1}, equations: ["x' = r - x^2"]),
///     curves: [Curve(name: "fold", orbit: Equilibrium, start: Guess(at: {"r": 1}, states: [{"x": 1}]), free: "r", range: (-1, 2))],
/// )"#;
/// let folder = tempfile::tempdir()?;
/// let claim = Claim::take(folder.path())?;
/// let plan = study::parse("fold.ron".as_ref(), text.into())?.plan(&[])?;
/// let points = |resume| -> Result<usize, Box<dyn std::error::Error>> {
///     let checkpoint = Checkpoint::begin(&claim, text, &[], &plan.inputs(), resume)?;
///     assert_eq!(checkpoint.resumed(), resume);
///     Ok(study::run_with_checkpoint(&plan, &Silent, &false.into(), Some(&checkpoint)).curves[0].len())
/// };
/// assert_eq!(points(false)?, points(true)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Checkpoint<'c> {
    claim: &'c Claim,
    resumed: bool,
    changed: Vec<String>,
    /// The first write that failed: the run goes on, but cannot be resumed beyond that.
    trouble: Arc<Mutex<Option<String>>>,
    /// Results of divided tasks, by the keys of these.
    results: Mutex<BTreeMap<String, Arc<Parts>>>,
    format: Box<dyn TableFormat>,
    syncing: Syncing,
}

impl<'c> Checkpoint<'c> {
    /// Begin a checkpoint in a run's folder, for a study with this text, these values set from outside and these inputs
    /// with their hashes. With `resume`, what is there is kept, unless inputs have changed since.
    ///
    /// # Errors
    /// [`CheckpointError`].
    pub fn begin(
        claim: &'c Claim,
        study: &str,
        overrides: &[(String, f64)],
        inputs: &BTreeMap<String, String>,
        resume: bool,
    ) -> Result<Self, CheckpointError> {
        let run = claim.folder();
        let refuse = |source| CheckpointError::Io {
            folder: own::path(run),
            source,
        };
        let key = key(study, overrides);
        let found = if own::has_checkpoint(run) {
            Some(fs::read_to_string(own::path(run).join(own::OF)).map_err(refuse)?)
        } else {
            None
        };
        let of = key.clone() + &inputs.iter().map(input_line).collect::<String>();
        let mut changed = vec![];
        if let Some(text) = found.as_ref().filter(|_| resume) {
            let Some(before) = text.strip_prefix(&key) else {
                return Err(CheckpointError::Other(run.to_path_buf()));
            };
            let is_new = |line: &&str| !of.lines().any(|l| l == *line);
            let was = |input: &(&String, &String)| before.lines().any(|l| l == input_line(*input).trim_end());
            changed.extend(inputs.iter().filter(|i| !was(i)).map(|i| i.0.clone()));
            if changed.is_empty() && before.lines().any(|l| is_new(&l)) {
                changed.push("the list of input files".into());
            }
        }
        let resumed = resume && found.is_some() && changed.is_empty();
        if !resumed {
            let begun = own::remove_checkpoint(run).and_then(|()| own::write(run, own::OF, &of));
            begun.map_err(refuse)?;
        }
        let trouble = Arc::new(Mutex::new(None));
        Ok(Self {
            claim,
            resumed,
            changed,
            results: Mutex::default(),
            format: Box::new(CsvFormat),
            syncing: Syncing::start(own::path(run), Arc::clone(&trouble)),
            trouble,
        })
    }

    /// Write large tables in this format, and others in it as well.
    #[must_use]
    pub fn with_format(self, format: Box<dyn TableFormat>) -> Self {
        Self { format, ..self }
    }

    /// The format of large tables.
    pub(crate) fn format(&self) -> &dyn TableFormat {
        &*self.format
    }

    /// A file in the run's folder that has no name, and vanishes with the process.
    pub(crate) fn unnamed_file(&self) -> Result<fs::File, ReportError> {
        let folder = own::path(self.claim.folder());
        tempfile::tempfile_in(&folder).map_err(|source| ReportError::Io { path: folder, source })
    }

    /// Did a run into this folder leave a checkpoint?
    #[must_use]
    pub fn is_in(run: &Path) -> bool {
        own::has_checkpoint(run)
    }

    /// The inputs that have changed since the run was interrupted, for which it begins anew.
    #[must_use]
    pub fn changed(&self) -> &[String] {
        &self.changed
    }

    /// Is there something to go on from?
    #[must_use]
    pub fn resumed(&self) -> bool {
        self.resumed
    }

    /// Where the log of this name is.
    pub(crate) fn log_path(&self, name: &str) -> PathBuf {
        own::path(self.claim.folder()).join(format!("{name}.log"))
    }

    /// What the parts of a divided task gave: the same for all who ask.
    pub(crate) fn results(&self, key: &str) -> Arc<Parts> {
        let mut results = self.results.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = results.get(key) {
            return Arc::clone(known);
        }
        let parts = match self.check() {
            Ok(()) => Parts::open(&self.log_path(key), Arc::clone(&self.trouble)),
            Err(e) => {
                self.note(&e);
                Parts::in_memory()
            }
        };
        if let Some(log) = parts.behind() {
            self.include(log);
        }
        let parts = Arc::new(parts);
        results.insert(key.to_owned(), Arc::clone(&parts));
        parts
    }

    /// Is the result of this part of a divided task there?
    pub fn has(&self, key: &str, part: usize) -> bool {
        self.results(key).has(part)
    }

    /// Keep the result of a part that another process computed.
    pub fn keep(&self, key: &str, part: usize, result: &[u8]) {
        self.results(key).put(part, result);
    }

    /// The whole logs in the folder of a run whose names without their ending `take` takes.
    ///
    /// # Errors
    /// When the file system refuses.
    pub fn logs_in(run: &Path, take: impl Fn(&str) -> bool) -> io::Result<Vec<(String, Vec<u8>)>> {
        let mut logs = vec![];
        for log in own::logs(run)? {
            if let Some(name) = log.file_stem().and_then(|n| n.to_str()).filter(|n| take(n)) {
                logs.push((name.to_owned(), fs::read(&log)?));
            }
        }
        Ok(logs)
    }

    /// Add logs that another process wrote, before they are read here: each in place of a shorter one.
    ///
    /// # Errors
    /// When the file system refuses.
    pub fn add_logs(&self, logs: &[(String, Vec<u8>)]) -> io::Result<()> {
        self.check()?;
        for (name, bytes) in logs {
            let path = self.log_path(name);
            let there = fs::metadata(&path).map_or(0, |m| m.len());
            if (bytes.len() as u64) > there {
                fs::write(path, bytes)?;
            }
        }
        Ok(())
    }

    /// The first thing that could not be kept, in words.
    #[must_use]
    pub fn trouble(&self) -> Option<String> {
        self.trouble.lock().ok().and_then(|t| t.clone())
    }

    pub(crate) fn note(&self, error: &io::Error) {
        sync::note(&self.trouble, error);
    }

    /// Is the run's folder still the one that it began in?
    fn check(&self) -> io::Result<()> {
        self.claim.check()
    }

    /// Put what this log is given onto the disk.
    fn include(&self, log: Behind) {
        self.syncing.include(log);
    }

    /// Take the checkpoint away: the run is complete.
    ///
    /// # Errors
    /// [`CheckpointError::Io`].
    pub fn finish(self) -> Result<(), CheckpointError> {
        let folder = self.claim.folder();
        own::remove_checkpoint(folder).map_err(|source| CheckpointError::Io {
            folder: own::path(folder),
            source,
        })
    }
}

/// An input as a checkpoint names it, on a line of its own.
fn input_line((name, hash): (&String, &String)) -> String {
    format!("input {hash} {}\n", name.escape_default())
}

/// What a checkpoint is of, but for its inputs.
fn key(study: &str, overrides: &[(String, f64)]) -> String {
    let mut hash = Sha256::new();
    hash.update(study.as_bytes());
    for (name, value) in overrides {
        hash.update([0]);
        hash.update(name.as_bytes());
        hash.update(value.to_bits().to_le_bytes());
    }
    let digest: String = hash.finalize().iter().map(|b| format!("{b:02x}")).collect();
    format!(
        "slipstick {} format {FORMAT} study {digest}\n",
        env!("CARGO_PKG_VERSION")
    )
}
