//! The files of a run that is whole take their places. Every step can be done again: whoever is killed here, the next
//! process completes it.

use crate::run_folder::aside::{is_absent, is_file, is_folder, keep, listed, shown};
use crate::run_folder::own;
use slipstick_report::{RunSummary, sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A run's own account of itself.
pub(crate) const JSON: &str = "run.json";

/// The first line of a commit. `keeps` says that the checkpoint is still needed.
pub(crate) fn first_line(keeps: bool) -> String {
    format!(
        "slipstick commit, the checkpoint {}\n",
        if keeps { "stays" } else { "goes" }
    )
}

/// The run that a `run.json` tells of, if it is of this program.
pub(crate) fn read(file: &Path) -> Option<(String, RunSummary)> {
    let text = is_file(file).then(|| fs::read_to_string(file).ok())??;
    let run = serde_json::from_str(&text).ok()?;
    Some((text, run))
}

/// Put the committed run in its place, and remove the files of the one before that it does not have. Comes back with
/// what is to be reported.
pub(crate) fn complete(root: &Path) -> io::Result<Vec<String>> {
    let control = own::path(root);
    let commit = fs::read_to_string(control.join(own::COMMIT))?;
    let (first, text) = commit.split_once('\n').unwrap_or_default();
    let keeps = format!("{first}\n") == first_line(true);
    let run: RunSummary = serde_json::from_str(text)?;
    let mut reported = vec![];
    if fs::read_to_string(root.join(JSON)).ok().as_deref() != Some(text) {
        withdraw_account(root, &mut reported)?;
        let old = read(&control.join(own::OLD)).map(|(_, run)| run).unwrap_or_default();
        let mut places = Places {
            root,
            old: &old,
            new: &run,
            touched: BTreeSet::new(),
            kept: BTreeMap::new(),
        };
        places.retire()?;
        places.fill()?;
        for folder in &places.touched {
            if is_folder(&root.join(folder)) {
                own::sync(&root.join(folder))?;
            }
        }
        reported.extend(places.kept.iter().map(|(kept, file)| as_kept(file, kept)));
        let mut strangers = strangers(root, &run)?;
        strangers.retain(|path| !places.kept.contains_key(path));
        let strangers: Vec<String> = strangers.iter().map(|path| named(root, path)).collect();
        if !strangers.is_empty() {
            reported.push(format!(
                "not changed, because no run wrote them: {}",
                listed(&strangers)
            ));
        }
        own::write(root, JSON, text)?;
        fs::rename(control.join(JSON), root.join(JSON))?;
        own::sync(root)?;
    }
    if !keeps {
        own::remove_checkpoint(root)?;
    }
    // Last of all: until here the next process would do all this again.
    own::remove_staging(root)?;
    own::remove(&control.join(own::OLD))?;
    own::remove(&control.join(own::COMMIT))?;
    Ok(reported)
}

/// Without its account the run before passes for none while its files make room. A `run.json` that was changed by hand
/// is kept.
fn withdraw_account(root: &Path, reported: &mut Vec<String>) -> io::Result<()> {
    let (json, old) = (root.join(JSON), own::path(root).join(own::OLD));
    if is_absent(&json)? {
        return Ok(());
    }
    match read(&json) {
        Some((text, _)) if RunSummary::is_sealed(&text) => fs::rename(&json, &old),
        other => {
            if let Some((text, _)) = other {
                fs::write(&old, text)?;
            }
            let kept = keep(root, Path::new(JSON))?;
            reported.push(as_kept(Path::new(JSON), &kept));
            Ok(())
        }
    }
}

fn as_kept(file: &Path, kept: &Path) -> String {
    format!(
        "{} was changed after the run wrote it: it is renamed to {}",
        shown(file),
        shown(kept)
    )
}

/// Two runs in one folder, of which the second replaces the first.
struct Places<'a> {
    root: &'a Path,
    old: &'a RunSummary,
    new: &'a RunSummary,
    /// Folders in which names have changed.
    touched: BTreeSet<PathBuf>,
    /// What stood in the way, by its new name.
    kept: BTreeMap<PathBuf, PathBuf>,
}

impl Places<'_> {
    /// Remove the files of the old run that the new one does not have, and the folders that are empty then.
    fn retire(&mut self) -> io::Result<()> {
        for (name, hash) in self.old.files.iter().chain(&self.old.drawn) {
            let path = Path::new(name);
            let stays = self.new.files.contains_key(name) || self.new.drawn.contains_key(name);
            let real = || path.ancestors().skip(1).all(|a| is_folder(&self.root.join(a)));
            if stays || !own::is_inside(path) || !real() || !is_file(&self.root.join(path)) {
                continue;
            }
            let parent = path.parent().unwrap_or(Path::new(""));
            if has_hash(&self.root.join(path), hash)? {
                own::remove(&self.root.join(path))?;
            } else {
                self.kept.insert(keep(self.root, path)?, path.to_path_buf());
            }
            self.touched.insert(parent.to_path_buf());
            for folder in parent.ancestors().filter(|a| !a.as_os_str().is_empty()) {
                // One that is not empty stays.
                if fs::remove_dir(self.root.join(folder)).is_err() {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Move the staged files to their places.
    fn fill(&mut self) -> io::Result<()> {
        let new = own::path(self.root).join(own::NEW);
        for (name, hash) in self.new.files.iter().chain(&self.new.drawn) {
            let path = Path::new(name);
            let staged = new.join(path);
            if !own::is_inside(path) || !is_file(&staged) {
                continue;
            }
            let mut folders: Vec<&Path> = path.ancestors().skip(1).filter(|a| !a.as_os_str().is_empty()).collect();
            folders.reverse();
            for folder in folders {
                if is_folder(&self.root.join(folder)) {
                    continue;
                }
                self.make_room(folder)?;
                fs::create_dir(self.root.join(folder))?;
                self.touched
                    .insert(folder.parent().unwrap_or(Path::new("")).to_path_buf());
            }
            let target = self.root.join(path);
            if !(is_file(&target) && self.may_be_replaced(name, hash)?) {
                self.make_room(path)?;
            }
            fs::rename(&staged, &target)?;
            self.touched
                .insert(path.parent().unwrap_or(Path::new("")).to_path_buf());
        }
        Ok(())
    }

    /// Is the file of this name as the old run wrote it, or the same as the new one? A figure drawn later is no file of
    /// the study's own.
    fn may_be_replaced(&self, name: &str, hash: &str) -> io::Result<bool> {
        let target = self.root.join(name);
        let drawn = self.old.drawn.get(name).filter(|_| self.new.drawn.contains_key(name));
        for known in [
            Some(hash),
            self.old.files.get(name).map(String::as_str),
            drawn.map(String::as_str),
        ] {
            if let Some(known) = known
                && has_hash(&target, known)?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Keep what is in the way under another name.
    fn make_room(&mut self, path: &Path) -> io::Result<()> {
        if !is_absent(&self.root.join(path))? {
            self.kept.insert(keep(self.root, path)?, path.to_path_buf());
        }
        Ok(())
    }
}

pub(crate) fn has_hash(file: &Path, hash: &str) -> io::Result<bool> {
    Ok(sha256(&fs::read(file)?) == hash)
}

/// A path as messages show it: folders with a slash.
pub(crate) fn named(root: &Path, path: &Path) -> String {
    shown(path) + if is_folder(&root.join(path)) { "/" } else { "" }
}

/// What lies in the folders of a run and is none of its files. Folders that the run has nothing in are named and not
/// looked into; links are not followed.
fn strangers(root: &Path, run: &RunSummary) -> io::Result<Vec<PathBuf>> {
    let own: BTreeSet<&Path> = run.files.keys().chain(run.drawn.keys()).map(Path::new).collect();
    let folders: BTreeSet<&Path> = own.iter().flat_map(|f| f.ancestors().skip(1)).collect();
    let mut found = vec![];
    for folder in &folders {
        if !is_folder(&root.join(folder)) {
            continue;
        }
        for entry in fs::read_dir(root.join(folder))? {
            let path = folder.join(entry?.file_name());
            let lock = path == Path::new(own::LOCK) && fs::metadata(root.join(&path)).is_ok_and(|m| m.len() == 0);
            let expected = lock || path == Path::new(JSON) || path == Path::new(own::FOLDER);
            if !expected && !own.contains(path.as_path()) && !folders.contains(path.as_path()) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}
