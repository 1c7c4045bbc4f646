//! What an interrupted run leaves behind so that the next can go on from there.
//!
//! While a run computes, the folder of its results holds `.checkpoint/`: a file that says which study it is of, one log for each curve, and one for
//! each kind of result that comes as a whole (trajectories, values of a sweep, the objects of a portrait, analyses). A log is only ever appended to,
//! one frame with its length and checksum for each point as it is found and each search or result as it ends, so that a process that is killed loses
//! what it found in the last moment (a twentieth of a second) and what it was working on, nothing else; a torn last frame is cut off when the log is
//! read. The next run
//! repeats the logic of the first and takes from the log what was computed; because every step is deterministic, it ends with the same bytes.

mod frames;
mod log;
mod record;

pub(super) use log::{EntryLog, PartsLog, TraceLog};

use sha2::{Digest, Sha256};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// The folder inside a run's folder.
const FOLDER: &str = ".checkpoint";
/// The file in it that says what it is of.
const NAME: &str = "of";
/// Changes whenever what is logged does.
const FORMAT: u32 = 5;

/// Why a run cannot be resumed.
///
/// ```
/// use slipstick::study::{Checkpoint, CheckpointError};
/// let folder = tempfile::tempdir().unwrap();
/// drop(Checkpoint::begin(folder.path(), "Study(title: \"One\")", &[], false).unwrap());
/// // What was kept of one study is no help with another.
/// let other = Checkpoint::begin(folder.path(), "Study(title: \"Two\")", &[], true);
/// assert!(matches!(other, Err(CheckpointError::Other(_))));
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
/// use slipstick::study::{self, Checkpoint, Silent};
/// let text = r#"Study(
///     title: "Steady states of x' = r - x²",
///     system: Smooth(states: ["x"], parameters: {"r": 1}, equations: ["x' = r - x^2"]),
///     curves: [Curve(name: "fold", orbit: Equilibrium, start: Guess(at: {"r": 1}, states: [{"x": 1}]), free: "r", range: (-1, 2))],
/// )"#;
/// let folder = tempfile::tempdir()?;
/// let plan = study::parse("fold.ron".as_ref(), text.into())?.plan(&[])?;
/// let points = |resume| -> Result<usize, Box<dyn std::error::Error>> {
///     let checkpoint = Checkpoint::begin(folder.path(), text, &[], resume)?;
///     assert_eq!(checkpoint.resumed(), resume);
///     Ok(study::run_kept(&plan, &Silent, &false.into(), Some(&checkpoint)).curves[0].len())
/// };
/// assert_eq!(points(false)?, points(true)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Checkpoint {
    folder: PathBuf,
    resumed: bool,
    /// The first write that failed: the run goes on, but cannot be resumed beyond that.
    trouble: Mutex<Option<String>>,
}

impl Checkpoint {
    /// Begin a checkpoint in a run's folder, for a study with this text and these values set from outside. With `resume`, what is there is kept.
    ///
    /// # Errors
    /// [`CheckpointError`].
    pub fn begin(run: &Path, study: &str, overrides: &[(String, f64)], resume: bool) -> Result<Self, CheckpointError> {
        let folder = run.join(FOLDER);
        let refuse = |source| CheckpointError::Io {
            folder: folder.clone(),
            source,
        };
        let key = key(study, overrides);
        let named = folder.join(NAME);
        let found = match fs::read_to_string(&named) {
            Ok(text) => Some(text),
            Err(e) if e.kind() == io::ErrorKind::NotFound => None,
            Err(e) => return Err(refuse(e)),
        };
        let resumed = match found {
            Some(text) if resume && text == key => true,
            Some(_) if resume => return Err(CheckpointError::Other(run.to_path_buf())),
            _ => {
                remove(&folder).map_err(refuse)?;
                fs::create_dir_all(&folder).map_err(refuse)?;
                // Last: without this name the folder is no checkpoint.
                crate::report::write_atomically(&named, key.as_bytes()).map_err(|e| refuse(io::Error::other(e)))?;
                false
            }
        };
        Ok(Self {
            folder,
            resumed,
            trouble: Mutex::new(None),
        })
    }

    /// Did a run into this folder leave a checkpoint?
    #[must_use]
    pub fn is_in(run: &Path) -> bool {
        run.join(FOLDER).join(NAME).exists()
    }

    /// Is there something to go on from?
    #[must_use]
    pub fn resumed(&self) -> bool {
        self.resumed
    }

    /// The log of the part of the run that is called `name`, with what it holds already.
    pub(super) fn log(&self, name: &str) -> EntryLog<'_> {
        EntryLog::open(Some(self), &self.folder.join(format!("{name}.log")))
    }

    /// The log of results that several threads compute.
    pub(super) fn parts(&self, name: &str) -> PartsLog<'_> {
        PartsLog::of(self.log(name))
    }

    /// The first thing that could not be kept, in words.
    #[must_use]
    pub fn trouble(&self) -> Option<String> {
        self.trouble.lock().ok().and_then(|t| t.clone())
    }

    fn note(&self, error: &io::Error) {
        if let Ok(mut trouble) = self.trouble.lock() {
            trouble.get_or_insert_with(|| error.to_string());
        }
    }

    /// Take the checkpoint away: the run is complete.
    ///
    /// # Errors
    /// [`CheckpointError::Io`].
    pub fn finish(self) -> Result<(), CheckpointError> {
        remove(&self.folder).map_err(|source| CheckpointError::Io {
            folder: self.folder,
            source,
        })
    }
}

/// Remove a checkpoint, its name first, so that half of one is none.
fn remove(folder: &Path) -> io::Result<()> {
    for outcome in [fs::remove_file(folder.join(NAME)), fs::remove_dir_all(folder)] {
        match outcome {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
            _ => {}
        }
    }
    Ok(())
}

/// What a checkpoint is of.
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
