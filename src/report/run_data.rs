//! All tables of one run, in memory and as a folder.

use super::table::Table;
use super::{ReportError, RunSummary};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The tables of a run. Files of the folder:
///
/// - `points.csv`: one row per computed point of every curve;
/// - `special.csv`: the labelled rows only, plus `message`;
/// - `orbits/<curve>-<index>.csv`: the orbit at each labelled point: `t`, the states, `mode`, observables;
/// - `inequalities/<curve>.csv`: the margin of every inequality at each point, one column for each, headed
///   `LABEL: label where it is zero`;
/// - `attractors/<name>.csv`: what many initial states settle to over a sweep of a parameter;
/// - `trajectories/<name>.csv`: simulated trajectories, same columns, and other motions over time;
/// - `tables/<name>.csv`: what analyses give besides;
/// - `slow_fast/<portrait>/<object>.csv`: slow–fast objects.
///
/// Columns of `points`: `curve`, `index`, `label`, the parameters, `period`, the monitors, `word`, `admissible`,
/// `margin`, `stable`, `unstable`, `mult1_log10`, `mult1_arg`, …, `nu1_log10`, `nu1_arg`, ….
///
/// ```
/// use slipstick_report::{Kind, RunData, Table};
/// let mut points = Table::new([("curve", Kind::Text), ("index", Kind::Number), ("r", Kind::Number)]);
/// points.push_row(["fold".into(), 0usize.into(), 0.5.into()])?;
/// let data = RunData { special: points.clone(), points, ..RunData::default() };
/// let folder = tempfile::tempdir().unwrap();
/// data.write(folder.path())?;
/// assert_eq!(RunData::read(folder.path())?, data);
/// # Ok::<(), slipstick_report::ReportError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunData {
    /// Every point of every curve.
    pub points: Table,
    /// The labelled points with their messages.
    pub special: Table,
    /// Orbits by (curve, index of the point on it).
    pub orbits: BTreeMap<(String, usize), Table>,
    /// The margins of all inequalities, by curve: `index`, and a column for each.
    pub inequalities: BTreeMap<String, Table>,
    /// Simulated trajectories by name.
    pub trajectories: BTreeMap<String, Table>,
    /// Sweeps for attractors by name.
    pub attractors: BTreeMap<String, Table>,
    /// Slow–fast portraits by name: their tables by the name of the object.
    pub portraits: BTreeMap<String, BTreeMap<String, Table>>,
    /// Other tables by name.
    pub tables: BTreeMap<String, Table>,
}

impl RunData {
    /// Every table with its file, in the order in which they are written: what programs wait for comes last.
    ///
    /// # Errors
    /// [`ReportError::FileName`] for a curve or trajectory that cannot name a file.
    pub fn files(&self) -> Result<Vec<(PathBuf, &Table)>, ReportError> {
        let mut files = vec![];
        for ((curve, index), orbit) in &self.orbits {
            files.push((Path::new("orbits").join(orbit_file_name(curve, *index)?), orbit));
        }
        let folders = [
            ("inequalities", &self.inequalities),
            ("trajectories", &self.trajectories),
            ("attractors", &self.attractors),
            ("tables", &self.tables),
        ];
        for (folder, tables) in folders {
            for (name, table) in tables {
                check_file_name(name)?;
                files.push((Path::new(folder).join(format!("{name}.csv")), table));
            }
        }
        for (name, objects) in &self.portraits {
            check_file_name(name)?;
            for (object, table) in objects {
                files.push((Path::new(PORTRAITS).join(name).join(format!("{object}.csv")), table));
            }
        }
        files.extend([
            ("special.csv".into(), &self.special),
            ("points.csv".into(), &self.points),
        ]);
        Ok(files)
    }

    /// Write every table into the folder, each file whole or not at all.
    ///
    /// # Errors
    /// [`ReportError::Io`]; [`ReportError::FileName`] for a curve or trajectory that cannot name a file.
    pub fn write(&self, folder: impl AsRef<Path>) -> Result<(), ReportError> {
        for (file, table) in self.files()? {
            table.write(folder.as_ref().join(file))?;
        }
        Ok(())
    }

    /// The table of what a sweep, an orbit diagram or a chart saw: one that tells the kind of each motion.
    pub fn seen(&self, name: &str) -> Option<&Table> {
        let tells = |table: &&Table| table.texts("kind").is_ok();
        self.attractors
            .get(name)
            .or_else(|| self.tables.get(name).filter(tells))
    }

    /// Read a run folder back. Folders `orbits`, `inequalities`, `trajectories`, `attractors`, `tables` and `slow_fast`
    /// may be missing.
    ///
    /// # Errors
    /// [`ReportError::Io`] when `points.csv` or `special.csv` is missing; [`ReportError::Csv`].
    pub fn read(folder: impl AsRef<Path>) -> Result<Self, ReportError> {
        Self::read_if(folder.as_ref(), &|_| true)
    }

    /// The same of the tables that a run lists, without those that somebody put beside them; all of them where it has
    /// no list.
    pub(super) fn read_of(folder: &Path, run: &RunSummary) -> Result<Self, ReportError> {
        Self::read_if(folder, &|file| run.schema == 0 || run.files.contains_key(file))
    }

    fn read_if(folder: &Path, listed: &dyn Fn(&str) -> bool) -> Result<Self, ReportError> {
        let read_folder = |part: &str| read_folder(folder, part, listed);
        let mut data = Self {
            points: Table::read(folder.join("points.csv"))?,
            special: Table::read(folder.join("special.csv"))?,
            ..Self::default()
        };
        for (stem, table) in read_folder("orbits")? {
            if let Some((curve, index)) = stem.rsplit_once('-')
                && let Ok(index) = index.parse()
            {
                data.orbits.insert((curve.to_owned(), index), table);
            }
        }
        data.inequalities = read_folder("inequalities")?;
        data.trajectories = read_folder("trajectories")?;
        data.attractors = read_folder("attractors")?;
        for name in subfolders(&folder.join(PORTRAITS))? {
            let objects = read_folder(&format!("{PORTRAITS}/{name}"))?;
            if !objects.is_empty() {
                data.portraits.insert(name, objects);
            }
        }
        data.tables = read_folder("tables")?;
        Ok(data)
    }
}

/// The file of an orbit inside `orbits/`: `<curve>-<index>.csv`.
///
/// # Errors
/// [`ReportError::FileName`] when the curve's name cannot be part of a file name.
pub fn orbit_file_name(curve: &str, index: usize) -> Result<String, ReportError> {
    check_file_name(curve)?;
    Ok(format!("{curve}-{index}.csv"))
}

/// File systems take names of 255 bytes; the number of a point and an ending are added to this.
const LONGEST_NAME: usize = 220;

/// Names become files on every common system, so only characters that all of them accept.
pub fn check_file_name(name: &str) -> Result<(), ReportError> {
    let fine = |c: char| c.is_alphanumeric() || " ._+-=()".contains(c);
    if name.is_empty()
        || name.len() > LONGEST_NAME
        || name.starts_with('.')
        || !name.chars().all(fine)
        || name.trim() != name
    {
        return Err(ReportError::FileName { name: name.to_owned() });
    }
    Ok(())
}

/// The folder of slow–fast portraits.
const PORTRAITS: &str = "slow_fast";

/// The names of the folders in a folder, which may be missing.
fn subfolders(folder: &Path) -> Result<Vec<String>, ReportError> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(vec![]),
        Err(error) => return Err(ReportError::io(folder, error)),
    };
    let mut names = vec![];
    for entry in entries {
        let path = entry.map_err(|error| ReportError::io(folder, error))?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        names.extend(name.filter(|_| path.is_dir()).map(str::to_owned));
    }
    Ok(names)
}

/// The listed tables in one part of a run's folder.
fn read_folder(
    folder: &Path,
    part: &str,
    listed: &dyn Fn(&str) -> bool,
) -> Result<BTreeMap<String, Table>, ReportError> {
    let folder = &folder.join(part);
    let mut tables = BTreeMap::new();
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(tables),
        Err(error) => return Err(ReportError::io(folder, error)),
    };
    for entry in entries {
        let path = entry.map_err(|error| ReportError::io(folder, error))?.path();
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        if let Some(stem) = stem.filter(|stem| !stem.starts_with('.'))
            && path.extension().is_some_and(|extension| extension == "csv")
            && listed(&format!("{part}/{stem}.csv"))
        {
            tables.insert(stem.to_owned(), Table::read(&path)?);
        }
    }
    Ok(tables)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::Kind;
    use super::*;

    #[test]
    fn a_run_folder_reads_back_identical() {
        let mut points = Table::new([
            ("curve", Kind::Text),
            ("index", Kind::Number),
            ("nu1_log10", Kind::Number),
        ]);
        points
            .push_row(["a-b".into(), 7usize.into(), f64::NEG_INFINITY.into()])
            .unwrap();
        let mut data = RunData {
            special: points.clone(),
            points,
            ..RunData::default()
        };
        let mut orbit = Table::new([("t", Kind::Number), ("mode", Kind::Text)]);
        orbit.push_row([0.1.into(), "stick".into()]).unwrap();
        data.orbits.insert(("a-b".to_owned(), 7), orbit.clone());
        data.trajectories.insert("settle".to_owned(), orbit.clone());
        let mut margins = Table::new([
            ("index", Kind::Number),
            ("VS: `stick` vanishes, and is no more", Kind::Number),
        ]);
        margins.push_row([7usize.into(), 0.25.into()]).unwrap();
        data.inequalities.insert("a-b".to_owned(), margins);
        data.portraits
            .insert("layer".into(), [("fold_lines".to_owned(), orbit)].into());
        let folder = tempfile::tempdir().unwrap();
        data.write(folder.path()).unwrap();
        assert!(folder.path().join("orbits/a-b-7.csv").is_file());
        assert_eq!(RunData::read(folder.path()).unwrap(), data);
    }

    #[test]
    fn names_that_leave_the_folder_are_refused() {
        for name in ["", "../x", "a/b", ".hidden", "a:b", "tail "] {
            assert!(
                matches!(orbit_file_name(name, 1), Err(ReportError::FileName { .. })),
                "{name}"
            );
        }
        assert_eq!(orbit_file_name("Ω > 1", 1).ok(), None);
        assert_eq!(orbit_file_name("stiff (Ω=2)", 12).unwrap(), "stiff (Ω=2)-12.csv");
    }
}
