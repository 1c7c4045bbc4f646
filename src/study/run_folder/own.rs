//! The folder inside a run's folder that belongs to the program: what a run needs while it is under way, and only then.
//!
//! Everything in it has a name given here, or (logs) begins with a line of the program's, so that nothing else is ever
//! removed.

use crate::run_folder::aside::{is_file, is_folder, keep, shown};
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Its name.
pub(crate) const FOLDER: &str = ".checkpoint";

/// Locked where a file system does not lock folders, and never removed.
pub(crate) const LOCK: &str = ".lock";

/// Says of which study and inputs the checkpoint is.
pub(crate) const OF: &str = "of";

/// Says which process holds the run's folder.
pub(crate) const HOLDER: &str = "holder";

/// Says that a run is whole and where its files belong: what `run.json` will be, after a line of the program's.
pub(crate) const COMMIT: &str = "commit";

/// The `run.json` of the run that is being replaced.
pub(crate) const OLD: &str = "old.json";

/// The names of the files written so far, before they take their places.
pub(crate) const STAGED: &str = "staged";

/// Those files.
pub(crate) const NEW: &str = "new";

/// Says which share of a run that is computed by several processes the checkpoint is.
pub(crate) const SHARE: &str = "share";

/// What the first lines of these files begin with.
const MAGIC: &str = "slipstick ";

/// What logs begin with.
pub(crate) const LOG: &[u8] = b"slipstick log\n";

pub(crate) fn path(root: &Path) -> PathBuf {
    root.join(FOLDER)
}

/// Is what has the name of the program's folder its own? An empty folder is, and one with a file that says so.
pub(crate) fn is_ours(root: &Path) -> io::Result<bool> {
    let folder = path(root);
    if !is_folder(&folder) {
        return Ok(false);
    }
    let named = [HOLDER, OF, COMMIT].iter().any(|name| says_so(&folder.join(name)));
    // Killed before it was named.
    let part = |name: &Path| name == Path::new(&part_of(HOLDER));
    Ok(named || fs::read_dir(&folder)?.all(|entry| entry.is_ok_and(|e| part(Path::new(&e.file_name())))))
}

/// Is there a checkpoint to go on from?
pub(crate) fn has_checkpoint(root: &Path) -> bool {
    is_folder(&path(root)) && says_so(&path(root).join(OF))
}

/// Is there a run that is whole and not yet in its place?
pub(crate) fn has_commit(root: &Path) -> bool {
    is_folder(&path(root)) && says_so(&path(root).join(COMMIT))
}

fn says_so(file: &Path) -> bool {
    begins_with(file, MAGIC.as_bytes()) == Some(true)
}

/// Does a file (no link) begin with these bytes? None where it is shorter than they are and agrees so far.
fn begins_with(file: &Path, bytes: &[u8]) -> Option<bool> {
    let mut begin = vec![];
    if !is_file(file) {
        return Some(false);
    }
    let Ok(opened) = fs::File::open(file) else {
        return Some(false);
    };
    if opened.take(bytes.len() as u64).read_to_end(&mut begin).is_err() {
        return Some(false);
    }
    if begin.len() < bytes.len() && bytes.starts_with(&begin) {
        return None;
    }
    Some(begin == bytes)
}

/// Is this a log of the program's, be it torn?
pub(crate) fn is_log(file: &Path) -> bool {
    is_file(file) && begins_with(file, LOG) != Some(false)
}

fn part_of(name: &str) -> String {
    format!("{name}.part")
}

/// Write one of the program's files, whole or not at all, and onto the disk.
pub(crate) fn write(root: &Path, name: &str, text: &str) -> io::Result<()> {
    let folder = path(root);
    let part = folder.join(part_of(name));
    let mut file = fs::File::create(&part)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&part, folder.join(name))?;
    sync(&folder)
}

/// Put what a folder lists onto the disk.
pub(crate) fn sync(folder: &Path) -> io::Result<()> {
    if cfg!(unix) {
        fs::File::open(folder)?.sync_all()
    } else {
        Ok(())
    }
}

/// The logs of the checkpoint.
pub(crate) fn logs(root: &Path) -> io::Result<Vec<PathBuf>> {
    let folder = path(root);
    let mut logs: Vec<PathBuf> = entries(&folder)?.into_iter().map(|entry| folder.join(entry)).collect();
    logs.retain(|file| file.extension().is_some_and(|e| e == "log") && is_log(file));
    logs.sort();
    Ok(logs)
}

/// Remove the checkpoint: what it is of, last.
pub(crate) fn remove_checkpoint(root: &Path) -> io::Result<()> {
    let folder = path(root);
    for log in logs(root)? {
        fs::remove_file(log)?;
    }
    if says_so(&folder.join(SHARE)) {
        remove(&folder.join(SHARE))?;
    }
    remove(&folder.join(part_of(SHARE)))?;
    remove(&folder.join(part_of(OF)))?;
    remove(&folder.join(OF))
}

/// Remove the files of a run that was not committed.
pub(crate) fn remove_staging(root: &Path) -> io::Result<()> {
    let folder = path(root);
    let new = folder.join(NEW);
    let staged = match fs::read_to_string(folder.join(STAGED)) {
        Ok(text) => text,
        Err(e) if e.kind() == io::ErrorKind::NotFound => String::new(),
        Err(e) => return Err(e),
    };
    if is_folder(&new) {
        let mut parents: Vec<&Path> = vec![];
        for name in staged.lines().map(Path::new).filter(|name| is_inside(name)) {
            if name.ancestors().skip(1).all(|a| is_folder(&new.join(a))) {
                remove_if_file(&new.join(name))?;
            }
            parents.extend(name.ancestors().skip(1));
        }
        parents.sort_by_key(|p| std::cmp::Reverse(p.components().count()));
        parents.dedup();
        for parent in parents {
            // What somebody put there stays, and is kept below.
            let _ = fs::remove_dir(new.join(parent));
        }
        let _ = fs::remove_dir(&new);
    }
    if !crate::run_folder::aside::is_absent(&new)? {
        keep(root, &Path::new(FOLDER).join(NEW))?;
    }
    remove(&folder.join(STAGED))?;
    remove(&folder.join(part_of(COMMIT)))?;
    if !has_commit(root) {
        remove(&folder.join(OLD))?;
    }
    Ok(())
}

/// Remove the folder if nothing is left in it; what is left is not the program's, and is kept under another name, which
/// comes back for a message.
pub(crate) fn leave(root: &Path) -> io::Result<Option<String>> {
    let folder = path(root);
    remove(&folder.join(part_of(HOLDER)))?;
    remove(&folder.join(HOLDER))?;
    if !has_checkpoint(root) {
        remove(&folder.join(part_of(OF)))?;
    }
    if has_checkpoint(root) || has_commit(root) || fs::remove_dir(&folder).is_ok() || !is_folder(&folder) {
        return Ok(None);
    }
    keep(root, Path::new(FOLDER)).map(|kept| Some(shown(&kept)))
}

/// Does a path lead down only?
pub(crate) fn is_inside(path: &Path) -> bool {
    let normal = |c: std::path::Component<'_>| matches!(c, std::path::Component::Normal(_));
    path.components().next().is_some() && path.components().all(normal)
}

/// The names in a folder that may not be there.
fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    match fs::read_dir(folder) {
        Ok(entries) => entries.map(|e| Ok(e?.file_name().into())).collect(),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(vec![]),
        Err(e) => Err(e),
    }
}

/// Remove a file that may not be there.
pub(crate) fn remove(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
        _ => Ok(()),
    }
}

fn remove_if_file(file: &Path) -> io::Result<()> {
    if is_file(file) { remove(file) } else { Ok(()) }
}
