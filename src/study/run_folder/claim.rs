//! One run at a time in one folder, and only in a folder of runs.

use crate::run_folder::aside::{is_absent, is_folder, keep, listed, shown};
use crate::run_folder::own;
use crate::run_folder::placing::{self, JSON};
use slipstick_report::RunSummary;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Why a folder cannot be used for results.
///
/// ```
/// use slipstick_study::{Claim, ClaimError};
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("thesis.tex"), "mine")?;
/// assert!(matches!(Claim::take(folder.path()), Err(ClaimError::Foreign { .. })));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, thiserror::Error)]
pub enum ClaimError {
    /// The file system refuses.
    #[error("cannot write results into {}: {source}", folder.display())]
    Unwritable {
        /// The folder.
        folder: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Another run is writing there.
    #[error(
        "another run{} is writing into {}; wait for it, or choose another folder with --out",
        holder.map_or_else(String::new, |id| format!(" (process {id})")),
        folder.display()
    )]
    Taken {
        /// The folder.
        folder: PathBuf,
        /// The process that holds it, where it says so.
        holder: Option<u32>,
    },
    /// There are files of the user's, and no run.
    #[error(
        "{} is not the folder of a run; it contains {}: nothing was changed; choose a new folder, an empty one or that of an earlier run, as with --out {}",
        folder.display(), listed(found), folder.join("run").display()
    )]
    Foreign {
        /// The folder.
        folder: PathBuf,
        /// What is there.
        found: Vec<String>,
    },
    /// There is a run that does not list its files as this version does.
    #[error(
        "{} contains a run of {} of slipstick, which did not list its files: nothing was changed; move it, or choose another folder with --out",
        folder.display(),
        if *newer { "a newer version" } else { "an earlier version" }
    )]
    OtherFormat {
        /// The folder.
        folder: PathBuf,
        /// Is its format newer than this version's?
        newer: bool,
    },
    /// It is no folder.
    #[error("`{}` is {what}, not a folder: choose one that is new, empty or an earlier run's with --out", path.display())]
    NoFolder {
        /// What was named.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
}

/// A folder held for one run; released when dropped.
///
/// The folder itself is locked, so that removing files from it does not release it.
///
/// ```
/// use slipstick_study::Claim;
/// let folder = tempfile::tempdir()?;
/// let first = Claim::take(folder.path())?;
/// assert!(Claim::take(folder.path()).unwrap_err().to_string().starts_with("another run (process "));
/// drop(first);
/// assert!(Claim::take(folder.path()).is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Claim {
    root: PathBuf,
    lock: File,
    identity: Option<(u64, u64)>,
    /// Is the program's own folder in it known to be that?
    prepared: bool,
    reported: Vec<String>,
}

/// So often a folder that is held is looked at again: who releases it or has just taken it is about to say so.
const LOOKS: usize = 100;
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

/// So often a folder that is removed while it is taken is made anew.
const MADE: usize = 100;

impl Claim {
    /// Create the folder if needed, lock it, make sure that it is empty or a run's, and complete what a run that was
    /// killed was putting in place.
    ///
    /// # Errors
    /// `ClaimError`.
    pub fn take(folder: &Path) -> Result<Self, ClaimError> {
        let refuse = |source| ClaimError::Unwritable {
            folder: folder.to_path_buf(),
            source,
        };
        let what = match fs::metadata(folder) {
            Err(_) if folder.as_os_str().is_empty() => Some("an empty name"),
            Ok(found) if found.is_dir() => None,
            Ok(_) => Some("a file"),
            Err(_) if fs::symlink_metadata(folder).is_ok_and(|m| m.is_symlink()) => Some("a link that leads nowhere"),
            Err(_) => None,
        };
        if let Some(what) = what {
            let path = folder.to_path_buf();
            return Err(ClaimError::NoFolder { path, what });
        }
        let lock = lock(folder)?;
        let mut claim = Self {
            root: folder.to_path_buf(),
            lock,
            identity: identity(folder).map_err(refuse)?,
            prepared: false,
            reported: vec![],
        };
        claim.look()?;
        claim.prepare().map_err(refuse)?;
        Ok(claim)
    }

    /// Refuse a folder with other things in it than a run.
    fn look(&self) -> Result<(), ClaimError> {
        let folder = self.root.clone();
        let refuse = |source| ClaimError::Unwritable {
            folder: folder.clone(),
            source,
        };
        let run = placing::read(&folder.join(JSON)).map(|(_, run)| run);
        if let Some(run) = &run
            && run.schema != RunSummary::SCHEMA
        {
            let newer = run.schema > RunSummary::SCHEMA;
            return Err(ClaimError::OtherFormat { folder, newer });
        }
        if run.is_some() || own::has_checkpoint(&folder) || own::has_commit(&folder) {
            return Ok(());
        }
        let ours = own::is_ours(&folder).map_err(refuse)?;
        let locks_file = self.lock.metadata().is_ok_and(|m| !m.is_dir());
        let mut found = vec![];
        for entry in fs::read_dir(&folder).map_err(refuse)? {
            let name = PathBuf::from(entry.map_err(refuse)?.file_name());
            let lock = locks_file && name == Path::new(own::LOCK);
            if !(lock || ours && name == Path::new(own::FOLDER)) {
                found.push(placing::named(&folder, &name));
            }
        }
        found.sort();
        if found.is_empty() {
            Ok(())
        } else {
            Err(ClaimError::Foreign { folder, found })
        }
    }

    /// Say who holds the folder, and bring what a run that was killed left there into order.
    fn prepare(&mut self) -> io::Result<()> {
        let root = &self.root;
        let folder = own::path(root);
        if !is_absent(&folder)? && !own::is_ours(root)? {
            let kept = keep(root, Path::new(own::FOLDER))?;
            self.reported.push(format!(
                "{} does not belong to a run: it is renamed to {}",
                own::FOLDER,
                shown(&kept)
            ));
        }
        if !is_folder(&folder) {
            fs::create_dir(&folder)?;
        }
        self.prepared = true;
        own::write(root, own::HOLDER, &format!("{HOLDER}{}\n", std::process::id()))?;
        if own::has_commit(root) {
            self.reported
                .push("the results of a run that was killed while it moved them are complete now".into());
            self.reported.extend(placing::complete(root)?);
        }
        own::remove_staging(root)
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.root
    }

    /// What was done in the folder beyond what was asked for, to be reported.
    #[must_use]
    pub fn reported(&self) -> &[String] {
        &self.reported
    }

    /// The finished run that is there.
    #[must_use]
    pub fn run(&self) -> Option<RunSummary> {
        placing::read(&self.root.join(JSON)).map(|(_, run)| run)
    }

    /// The files of a finished run that are no longer there, and those that are not as it wrote them.
    pub fn damage(&self, run: &RunSummary) -> (Vec<String>, Vec<String>) {
        let (mut gone, mut changed) = (vec![], vec![]);
        for (name, hash) in &run.files {
            match placing::has_hash(&self.root.join(name), hash) {
                Ok(true) => {}
                Ok(false) => changed.push(name.clone()),
                Err(_) => gone.push(name.clone()),
            }
        }
        (gone, changed)
    }

    /// Release the folder. Returns what is to be reported.
    #[must_use]
    pub fn release(self) -> Option<String> {
        let left = self.check().and_then(|()| own::leave(&self.root)).ok()??;
        Some(format!(
            "{} contains files that no run wrote: it is renamed to {left}",
            own::FOLDER
        ))
    }

    /// Is the folder still the one that was taken? Somebody may have removed it, and made another of the same name.
    pub(crate) fn check(&self) -> io::Result<()> {
        if identity(&self.root)? == self.identity {
            Ok(())
        } else {
            Err(io::Error::other(
                "the folder was replaced by another while the run was under way",
            ))
        }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // What cannot be removed is no harm: the next run does.
        if self.prepared && self.check().is_ok() {
            let _ = own::leave(&self.root);
        }
    }
}

/// What a holder writes before its number.
const HOLDER: &str = "slipstick process ";

/// The process that holds a folder, if it says so and is alive.
fn holder(root: &Path) -> Option<u32> {
    let text = fs::read_to_string(own::path(root).join(own::HOLDER)).ok()?;
    let id: u32 = text.strip_prefix(HOLDER)?.trim().parse().ok()?;
    let gone = cfg!(target_os = "linux") && !Path::new("/proc").join(id.to_string()).exists();
    (!gone).then_some(id)
}

/// Create and lock a folder.
fn lock(folder: &Path) -> Result<File, ClaimError> {
    let refuse = |source| ClaimError::Unwritable {
        folder: folder.to_path_buf(),
        source,
    };
    let (mut looks, mut made) = (0, 0);
    loop {
        made += 1;
        let (taken, lock) = match fs::create_dir_all(folder).and_then(|()| try_lock(folder)) {
            Ok(both) => both,
            // Removed by somebody in between.
            Err(e) if e.kind() == io::ErrorKind::NotFound && made < MADE => continue,
            Err(e) => return Err(refuse(e)),
        };
        if !taken {
            looks += 1;
            let holder = holder(folder);
            if holder.is_some() || looks >= LOOKS {
                let folder = folder.to_path_buf();
                return Err(ClaimError::Taken { folder, holder });
            }
            std::thread::sleep(BETWEEN_LOOKS);
            continue;
        }
        if is_the_same(&lock, folder) {
            return Ok(lock);
        }
        if made >= MADE {
            return Err(refuse(io::Error::other("the folder is removed again and again")));
        }
    }
}

/// Try to lock a folder, or a file in it where folders cannot be locked.
fn try_lock(folder: &Path) -> io::Result<(bool, File)> {
    if cfg!(unix) {
        let opened = File::open(folder)?;
        match opened.try_lock() {
            Ok(()) => return Ok((true, opened)),
            Err(TryLockError::WouldBlock) => return Ok((false, opened)),
            // Not every network file system can.
            Err(TryLockError::Error(_)) => {}
        }
    }
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .open(folder.join(own::LOCK))?;
    match file.try_lock() {
        Ok(()) => Ok((true, file)),
        Err(TryLockError::WouldBlock) => Ok((false, file)),
        Err(TryLockError::Error(e)) => Err(e),
    }
}

/// Is a locked folder, or the locked file in it, what has its name?
#[cfg(unix)]
fn is_the_same(lock: &File, folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let Ok(own) = lock.metadata() else { return false };
    let path = if own.is_dir() {
        folder.to_path_buf()
    } else {
        folder.join(own::LOCK)
    };
    fs::metadata(path).is_ok_and(|m| (m.dev(), m.ino()) == (own.dev(), own.ino()))
}

#[cfg(not(unix))]
fn is_the_same(_: &File, folder: &Path) -> bool {
    folder.is_dir()
}

/// What tells a folder from another of the same name.
#[cfg(unix)]
fn identity(folder: &Path) -> io::Result<Option<(u64, u64)>> {
    use std::os::unix::fs::MetadataExt;
    let found = fs::metadata(folder)?;
    Ok(Some((found.dev(), found.ino())))
}

#[cfg(not(unix))]
fn identity(folder: &Path) -> io::Result<Option<(u64, u64)>> {
    fs::metadata(folder).map(|_| None)
}
