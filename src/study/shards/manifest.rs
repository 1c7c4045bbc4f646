//! What the folder of one share says of itself.

use crate::plan::study::Plan;
use crate::run_folder::own;
use crate::shards::divided::{Divided, divided};
use crate::share::shard::Shard;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The first line of the file.
const FIRST: &str = "slipstick share\n";

/// The folder of the shares of the run that goes into a folder: beside it, with `.shards` behind its name.
pub fn shards_folder(run: &Path) -> PathBuf {
    let mut name = run.file_name().unwrap_or_default().to_owned();
    name.push(".shards");
    run.with_file_name(name)
}

impl Shard {
    /// Its own folder among those of the shares of a run.
    #[must_use]
    pub fn folder(self, run: &Path) -> PathBuf {
        shards_folder(run).join(format!("{}-of-{}", self.number(), self.of()))
    }

    /// The share that a folder of this name is of.
    pub(crate) fn of_folder(name: &str) -> Option<Self> {
        let (number, of) = name.split_once("-of-")?;
        Self::new(number.parse().ok()?, of.parse().ok()?).ok()
    }
}

/// Which share of which study a folder is of.
///
/// ```
/// use slipstick_study::{self as study, Claim, Manifest, Shard};
/// let text = r#"Study(title: "Shaw", system: Shaw(), simulations: [Simulation(name: "motion", time: 10)])"#;
/// let loaded = study::parse("shaw.ron".as_ref(), text.into())?;
/// let folder = tempfile::tempdir()?;
/// let claim = Claim::take(folder.path())?;
/// let manifest = Manifest::new(Shard::new(1, 2)?, (&loaded.path, text), &[], &loaded.plan(&[])?);
/// manifest.done().write(claim.folder())?;
/// assert!(claim.folder().join(".checkpoint/share").exists());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    number: usize,
    of: usize,
    /// Where the study was.
    pub(crate) path: PathBuf,
    /// Its text.
    pub(crate) text: String,
    /// The values set from outside, as bits.
    set: Vec<(String, u64)>,
    pub(crate) divided: Vec<Divided>,
    /// Is all of the share computed?
    pub(crate) done: bool,
}

impl Manifest {
    /// Of share `shard` of a study that is read from `path`.
    pub fn new(shard: Shard, (path, text): (&Path, &str), set: &[(String, f64)], plan: &Plan) -> Self {
        Self {
            number: shard.number(),
            of: shard.of(),
            path: path.canonicalize().unwrap_or_else(|_| path.to_path_buf()),
            text: text.to_owned(),
            set: set
                .iter()
                .map(|(name, value)| (name.clone(), value.to_bits()))
                .collect(),
            divided: divided(plan),
            done: false,
        }
    }

    /// The same, with all of it computed.
    #[must_use]
    pub fn done(self) -> Self {
        Self { done: true, ..self }
    }

    /// The values set from outside.
    pub(crate) fn set(&self) -> Vec<(String, f64)> {
        let value = |(name, bits): &(String, u64)| (name.clone(), f64::from_bits(*bits));
        self.set.iter().map(value).collect()
    }

    /// Write it into the folder of the share.
    ///
    /// # Errors
    /// When the file system refuses.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        let text = serde_json::to_string(self).map_err(io::Error::other)?;
        own::write(folder, own::SHARE, &(FIRST.to_owned() + &text))
    }

    /// Read that of the folder of a share.
    pub(crate) fn read(folder: &Path, shard: Shard) -> io::Result<Self> {
        let text = fs::read_to_string(own::path(folder).join(own::SHARE))?;
        let text = text
            .strip_prefix(FIRST)
            .ok_or_else(|| io::Error::other("it is not that of a shard"))?;
        let read: Self = serde_json::from_str(text).map_err(io::Error::other)?;
        if (read.number, read.of) == (shard.number(), shard.of()) {
            Ok(read)
        } else {
            Err(io::Error::other(format!("it is of shard {}/{}", read.number, read.of)))
        }
    }
}
