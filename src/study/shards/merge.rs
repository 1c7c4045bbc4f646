//! The shares of a run, put together: the logs of all of them become the checkpoint of one run, which then has nothing
//! left to compute that is divided.

use crate::checkpoint::frames::{Frames, whole_frames};
use crate::checkpoint::parts::value;
use crate::loading::{Loaded, parse};
use crate::run_folder::claim::{Claim, ClaimError};
use crate::run_folder::own;
use crate::shards::manifest::{Manifest, shards_folder};
use crate::share::shard::Shard;
use crate::text::rejected::Rejected;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// Why shares cannot be put together.
///
/// ```
/// use slipstick_study::{MergeError, Shares};
/// let folder = tempfile::tempdir()?;
/// assert!(matches!(Shares::of(&folder.path().join("run")), Err(MergeError::None(_))));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// There are none.
    #[error("there are no shards of a run in {}; `slipstick run STUDY --shard 1/N` computes one", .0.display())]
    None(PathBuf),
    /// They are not shares of one division.
    #[error("{} contains shards of {} and of {}: remove the folders of one division", folder.display(), of.0, of.1)]
    Divisions {
        /// The folder.
        folder: PathBuf,
        /// The two numbers of shares.
        of: (usize, usize),
    },
    /// They are not of one run.
    #[error(
        "shards {first} and {second} are of different runs: another study, other --set values, other input files or another version of slipstick"
    )]
    Different {
        /// One of them.
        first: Shard,
        /// Another.
        second: Shard,
    },
    /// They are of another version, or inputs have changed.
    #[error(
        "the shards were computed with another version of slipstick, or their input files have changed: compute them again"
    )]
    Outdated,
    /// Another process holds the folder of one.
    #[error("shard {shard}: {source}")]
    Unavailable {
        /// The share.
        shard: Shard,
        /// Who holds it.
        #[source]
        source: ClaimError,
    },
    /// What one says of itself cannot be read.
    #[error("shard {shard} is damaged ({source}): run it again with --resume")]
    Damaged {
        /// The share.
        shard: Shard,
        /// What is wrong.
        #[source]
        source: io::Error,
    },
    /// The study of the shares is refused.
    #[error(transparent)]
    Study(#[from] Rejected),
    /// The file system refuses.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}

/// The shares of one run that are there.
///
/// ```
/// use slipstick_study::{self as study, Checkpoint, Claim, Manifest, Shard, Shares, Silent};
/// let text = r#"Study(
///     title: "Windows",
///     system: Map(states: ["x"], parameters: {"r": 4}, equations: ["x+ = r*x*(1 - x)"]),
///     tasks: [Chart(name: "windows", over: {"r": Linear(3.5, 4, 300)}, starts: 1)],
/// )"#;
/// let folder = tempfile::tempdir()?;
/// let run = folder.path().join("windows");
/// let loaded = study::parse("windows.ron".as_ref(), text.into())?;
/// let plan = loaded.plan(&[])?;
/// // The first of two shares.
/// let shard = Shard::new(1, 2)?;
/// let claim = Claim::take(&shard.folder(&run))?;
/// let checkpoint = Checkpoint::begin(&claim, text, &[], &plan.inputs(), false)?;
/// let manifest = Manifest::new(shard, (&loaded.path, text), &[], &plan);
/// study::run_share(&plan, &Silent, &false.into(), Some(&checkpoint), &shard.share());
/// manifest.done().write(claim.folder())?;
/// drop(checkpoint);
/// drop(claim);
/// assert_eq!(Shares::of(&run)?.lacking(), ["shard 2/2 was not computed"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Shares {
    folder: PathBuf,
    of: usize,
    /// What each checkpoint says that it is of: the same in all.
    run: String,
    found: Vec<Found>,
}

struct Found {
    shard: Shard,
    manifest: Manifest,
    claim: Claim,
}

impl Shares {
    /// Find and hold the shares of the run that goes into this folder.
    ///
    /// # Errors
    /// [`MergeError`].
    pub fn of(run: &Path) -> Result<Self, MergeError> {
        let folder = shards_folder(run);
        let refuse = |path: &Path| {
            let path = path.to_path_buf();
            move |source| MergeError::Io { path, source }
        };
        let entries = match fs::read_dir(&folder) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Err(MergeError::None(folder)),
            entries => entries.map_err(refuse(&folder))?,
        };
        let mut shards = vec![];
        for entry in entries {
            let name = entry.map_err(refuse(&folder))?.file_name();
            shards.extend(name.to_str().and_then(Shard::of_folder));
        }
        shards.sort();
        let Some(first) = shards.first().copied() else {
            return Err(MergeError::None(folder));
        };
        if let Some(other) = shards.iter().find(|s| s.of() != first.of()) {
            let of = (first.of(), other.of());
            return Err(MergeError::Divisions { folder, of });
        }
        let mut found = vec![];
        let mut known: Option<(Shard, String)> = None;
        for shard in shards {
            let place = shard.folder(run);
            let claim = Claim::take(&place).map_err(|source| MergeError::Unavailable { shard, source })?;
            if !own::has_checkpoint(&place) {
                // It was never begun.
                continue;
            }
            let of = fs::read_to_string(own::path(&place).join(own::OF)).map_err(refuse(&place))?;
            let manifest = Manifest::read(&place, shard).map_err(|source| MergeError::Damaged { shard, source })?;
            match &known {
                Some((first, run)) if *run != of => {
                    let first = *first;
                    return Err(MergeError::Different { first, second: shard });
                }
                Some(_) => {}
                None => known = Some((shard, of)),
            }
            found.push(Found { shard, manifest, claim });
        }
        match known {
            None => Err(MergeError::None(folder)),
            Some((_, run)) => Ok(Self {
                folder,
                of: first.of(),
                run,
                found,
            }),
        }
    }

    /// The study that they are of, and the values set from outside.
    ///
    /// # Errors
    /// [`Rejected`].
    pub fn study(&self) -> Result<(Loaded, Vec<(String, f64)>), Rejected> {
        let Some(Found { manifest, .. }) = self.found.first() else {
            return Err(Rejected::because("there is no shard"));
        };
        Ok((parse(&manifest.path, manifest.text.clone())?, manifest.set()))
    }

    /// What is missing, in words; nothing where the shares are whole.
    #[must_use]
    pub fn lacking(&self) -> Vec<String> {
        let mut lacking: Vec<String> = (1..=self.of)
            .filter(|number| !self.found.iter().any(|f| f.shard.number() == *number))
            .map(|number| format!("shard {number}/{} was not computed", self.of))
            .collect();
        let unfinished = self.found.iter().filter(|f| !f.manifest.done);
        lacking.extend(unfinished.map(|f| {
            let (there, all) = self.progress(f);
            format!(
                "shard {} is not finished: {there} of its {all} parts are there; run it again with --resume",
                f.shard
            )
        }));
        if lacking.is_empty() {
            let damaged = self.found.iter().filter_map(|f| {
                let (there, all) = self.progress(f);
                (there < all).then(|| {
                    format!(
                        "shard {} is damaged: {} of its {all} parts cannot be read; run it again with --resume",
                        f.shard,
                        all - there
                    )
                })
            });
            lacking.extend(damaged);
        }
        lacking
    }

    /// How many parts of a share are there, and how many it has.
    fn progress(&self, found: &Found) -> (usize, usize) {
        let own = |part: &usize| part % self.of == found.shard.number() - 1;
        let tasks = found.manifest.divided.iter().map(|task| {
            let log = own::path(found.claim.folder()).join(format!("{}.log", task.key));
            let there = parts_in(&log).unwrap_or_default();
            let all = (0..task.parts).filter(own);
            all.fold((0, 0), |(t, n), part| (t + usize::from(there.contains(&part)), n + 1))
        });
        tasks.fold((0, 0), |(a, b), (c, d)| (a + c, b + d))
    }

    /// Put all logs together in the folder of a run, whose checkpoint was begun there for the same study.
    ///
    /// # Errors
    /// [`MergeError`].
    pub fn gather(&self, into: &Claim) -> Result<(), MergeError> {
        let target = own::path(into.folder());
        let refuse = |path: &Path| {
            let path = path.to_path_buf();
            move |source| MergeError::Io { path, source }
        };
        if fs::read_to_string(target.join(own::OF)).map_err(refuse(&target))? != self.run {
            return Err(MergeError::Outdated);
        }
        let mut logs: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
        for found in &self.found {
            for log in own::logs(found.claim.folder()).map_err(refuse(found.claim.folder()))? {
                let name = log.file_name().unwrap_or_default().into();
                logs.entry(name).or_default().push(log);
            }
        }
        for (name, of_shares) in logs {
            let path = target.join(name);
            join(&of_shares, &path).map_err(refuse(&path))?;
        }
        Ok(())
    }

    /// Remove the shares, which are in the run now. What is not the program's stays.
    ///
    /// # Errors
    /// [`MergeError::Io`].
    pub fn remove(self) -> Result<(), MergeError> {
        for Found { claim, .. } in self.found {
            let folder = claim.folder().to_path_buf();
            own::remove_checkpoint(&folder).map_err(|source| MergeError::Io {
                path: folder.clone(),
                source,
            })?;
            drop(claim);
            let _ = fs::remove_dir(&folder);
        }
        let _ = fs::remove_dir(&self.folder);
        Ok(())
    }
}

/// The numbers of the parts in a log.
fn parts_in(log: &Path) -> io::Result<BTreeSet<usize>> {
    let mut parts = BTreeSet::new();
    whole_frames(&File::open(log)?, |_, payload| {
        parts.extend(value(&payload).map(|(part, _)| part));
    })?;
    Ok(parts)
}

/// One log of several of the same name: of results that are known by numbers, each once; of steps that follow each
/// other, those of the share that has most of them.
fn join(logs: &[PathBuf], into: &Path) -> io::Result<()> {
    let mut numbered = true;
    let mut longest: Option<(u64, &PathBuf)> = None;
    for log in logs {
        let size = whole_frames(&File::open(log)?, |_, payload| numbered &= value(&payload).is_some())?;
        if longest.is_none_or(|(most, _)| size > most) {
            longest = Some((size, log));
        }
    }
    let mut joined = Frames::scan(into, |_, _| {})?;
    let chosen: Vec<&PathBuf> = match longest {
        Some((_, longest)) if !numbered => vec![longest],
        _ => logs.iter().collect(),
    };
    let mut known = BTreeSet::new();
    let mut outcome = Ok(());
    for log in chosen {
        whole_frames(&File::open(log)?, |_, payload| {
            let new = value(&payload).is_none_or(|(part, _)| !numbered || known.insert(part));
            if new && outcome.is_ok() {
                outcome = joined.append(&payload);
            }
        })?;
    }
    outcome?;
    joined.flush()
}
