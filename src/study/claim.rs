//! One run at a time in one folder.

use super::output;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

/// Why a folder cannot be used for results.
#[derive(Debug, thiserror::Error)]
pub enum ClaimError {
    /// The file system refuses.
    #[error("cannot write results into {}: {source}", folder.display())]
    Unwritable {
        /// The folder.
        folder: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Another run is writing there.
    #[error("another run is writing into {}; wait for it, or choose another folder with --out", .0.display())]
    Taken(PathBuf),
}

/// A folder held for one run; released when dropped.
///
/// ```
/// use slipstick::study::Claim;
/// let folder = tempfile::tempdir()?;
/// let first = Claim::take(folder.path())?;
/// assert!(Claim::take(folder.path()).unwrap_err().to_string().contains("another run is writing"));
/// drop(first);
/// assert!(Claim::take(folder.path()).is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Claim {
    lock: PathBuf,
    _file: File,
}

impl Claim {
    /// Create the folder if needed, make sure it can be written, and hold it.
    ///
    /// # Errors
    /// `ClaimError`.
    pub fn take(folder: &Path) -> Result<Self, ClaimError> {
        let refuse = |source| ClaimError::Unwritable {
            folder: folder.to_path_buf(),
            source,
        };
        fs::create_dir_all(folder).map_err(refuse)?;
        let lock = folder.join(".lock");
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(&lock)
            .map_err(refuse)?;
        match file.try_lock() {
            Ok(()) => {
                sweep(folder).map_err(refuse)?;
                Ok(Self { lock, _file: file })
            }
            Err(TryLockError::WouldBlock) => Err(ClaimError::Taken(folder.to_path_buf())),
            Err(TryLockError::Error(e)) => Err(refuse(e)),
        }
    }
}

/// Remove what a run that was killed while it wrote has left under temporary names, in the folder and those of its parts.
fn sweep(folder: &Path) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if entry.file_type()?.is_dir() {
            if output::PARTS.contains(&&*name) || name == ".checkpoint" {
                sweep_part(&entry.path())?;
            }
        } else if is_temporary(&name) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// The same in a folder that belongs to runs as a whole.
fn sweep_part(folder: &Path) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            sweep_part(&entry.path())?;
        } else if is_temporary(&entry.file_name().to_string_lossy()) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

fn is_temporary(name: &str) -> bool {
    name.starts_with('.') && name.ends_with(".part")
}

impl Drop for Claim {
    fn drop(&mut self) {
        // Left behind, the file would only be an empty curiosity: the lock itself goes with the process.
        let _ = fs::remove_file(&self.lock);
    }
}
