//! What is not a run's own: kept under another name where it stands in the way, and named in messages.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// File systems take names of 255 bytes; the ending and a number are added to this.
const LONGEST: usize = 230;

/// So many names are listed; the others are counted.
const REPORTED: usize = 6;

/// Rename what is at `path` in `root`, without following links, to the same name with `.kept` behind it (`.kept-2`, …
/// where that is taken).
pub(crate) fn keep(root: &Path, path: &Path) -> io::Result<PathBuf> {
    let mut stem = path.file_name().unwrap_or_default().to_owned();
    if stem.len() > LONGEST {
        stem = stem
            .to_string_lossy()
            .chars()
            .take(LONGEST / 4)
            .collect::<String>()
            .into();
    }
    for number in 1usize.. {
        let mut name: OsString = stem.clone();
        name.push(".kept");
        if number > 1 {
            name.push(format!("-{number}"));
        }
        let kept = path.with_file_name(name);
        if is_absent(&root.join(&kept))? {
            fs::rename(root.join(path), root.join(&kept))?;
            return Ok(kept);
        }
    }
    Err(io::Error::other("there are too many kept files of this name"))
}

/// Is there nothing of this name, not even a link that leads nowhere?
pub(crate) fn is_absent(path: &Path) -> io::Result<bool> {
    match fs::symlink_metadata(path) {
        Ok(_) => Ok(false),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(e) => Err(e),
    }
}

/// Is this a folder, and no link to one?
pub(crate) fn is_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|m| m.is_dir())
}

/// Is this a file, and no link to one?
pub(crate) fn is_file(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|m| m.is_file())
}

/// A name as a message shows it: on one line, whatever is in it.
pub(crate) fn shown(path: &Path) -> String {
    let text = path.display().to_string();
    let char = |c: char| {
        if c.is_control() {
            c.escape_default().to_string()
        } else {
            c.into()
        }
    };
    text.chars().map(char).collect()
}

/// A list of names as a message shows it.
pub(crate) fn listed(names: &[String]) -> String {
    let reported = names
        .iter()
        .take(REPORTED)
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join(", ");
    match names.len().saturating_sub(REPORTED) {
        0 => reported,
        more => format!("{reported} and {more} more"),
    }
}
