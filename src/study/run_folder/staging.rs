//! The files of a run, written beside those of an earlier one until they are whole.

use crate::run_folder::aside::is_absent;
use crate::run_folder::claim::Claim;
use crate::run_folder::own;
use crate::run_folder::placing;
use sha2::{Digest, Sha256};
use slipstick_report::{ReportError, RunSummary, sha256};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::path::Path;

/// Files that wait for their places. Without [`commit`](Self::commit) they go, and nothing has changed.
///
/// Each name is written down before its file, so that what a process that is killed leaves here is known for its own.
#[doc(hidden)]
pub struct Staging<'c> {
    claim: &'c Claim,
    names: File,
    files: BTreeMap<String, String>,
}

impl<'c> Staging<'c> {
    /// Begin in the folder that is held.
    ///
    /// # Errors
    /// [`ReportError::Io`].
    pub fn begin(claim: &'c Claim) -> Result<Self, ReportError> {
        let root = claim.folder();
        let begun = || {
            claim.check()?;
            own::remove_staging(root)?;
            fs::create_dir(own::path(root).join(own::NEW))?;
            File::create(own::path(root).join(own::STAGED))
        };
        let names = begun().map_err(|source| ReportError::Io {
            path: root.to_path_buf(),
            source,
        })?;
        Ok(Self {
            claim,
            names,
            files: BTreeMap::new(),
        })
    }

    /// Write a file; its place is `name`, with `/`, in the run's folder.
    ///
    /// # Errors
    /// [`ReportError::Io`].
    pub fn put(&mut self, name: &str, bytes: &[u8]) -> Result<(), ReportError> {
        let path = own::path(self.claim.folder()).join(own::NEW).join(name);
        let written = self.names.write_all(format!("{name}\n").as_bytes());
        let written = written.and_then(|()| write(&path, bytes));
        written.map_err(|source| ReportError::Io {
            path: self.claim.folder().join(name),
            source,
        })?;
        self.files.insert(name.to_owned(), sha256(bytes));
        Ok(())
    }

    /// As [`Staging::put`], with what an open file contains.
    ///
    /// # Errors
    /// [`ReportError::Io`].
    pub(crate) fn put_file(&mut self, name: &str, contents: &File) -> Result<(), ReportError> {
        let path = own::path(self.claim.folder()).join(own::NEW).join(name);
        let mut copied = || {
            self.names.write_all(format!("{name}\n").as_bytes())?;
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            let mut from = contents;
            from.rewind()?;
            let mut to = File::create(&path)?;
            let mut hash = Sha256::new();
            let mut buffer = vec![0; 1 << 16];
            loop {
                let read = from.read(&mut buffer)?;
                if read == 0 {
                    break;
                }
                hash.update(&buffer[..read]);
                to.write_all(&buffer[..read])?;
            }
            to.sync_all()?;
            Ok(hash.finalize().iter().map(|b| format!("{b:02x}")).collect())
        };
        let hash: String = copied().map_err(|source| ReportError::Io {
            path: self.claim.folder().join(name),
            source,
        })?;
        self.files.insert(name.to_owned(), hash);
        Ok(())
    }

    /// The files so far with their hashes.
    pub fn files(&self) -> &BTreeMap<String, String> {
        &self.files
    }

    /// The run is whole: `account` becomes its `run.json`, and all files take their places. From the one rename in here
    /// on, whoever holds the folder next completes what this process does not. `keeps` says that the checkpoint is
    /// still needed. Returns what is to be reported.
    ///
    /// # Errors
    /// [`ReportError::Io`], [`ReportError::Json`].
    pub fn commit(self, account: &RunSummary, keeps: bool) -> Result<Vec<String>, ReportError> {
        let root = self.claim.folder();
        let text = placing::first_line(keeps) + &account.to_json()?;
        let refuse = |source| ReportError::Io {
            path: root.to_path_buf(),
            source,
        };
        let on_disk = || {
            let new = own::path(root).join(own::NEW);
            let folders = self.files.keys().flat_map(|name| Path::new(name).ancestors().skip(1));
            for folder in folders.collect::<std::collections::BTreeSet<_>>() {
                own::sync(&new.join(folder))?;
            }
            self.names.sync_all()?;
            self.claim.check()?;
            own::write(root, own::COMMIT, &text)
        };
        on_disk().map_err(refuse)?;
        placing::complete(root).map_err(refuse)
    }
}

impl Drop for Staging<'_> {
    fn drop(&mut self) {
        let root = self.claim.folder();
        // After a commit the files are needed; otherwise they only take room.
        if self.claim.check().is_ok() && is_absent(&own::path(root).join(own::COMMIT)).unwrap_or(false) {
            let _ = own::remove_staging(root);
        }
    }
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}
