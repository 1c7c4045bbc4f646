//! The files that a run reads besides its study: orbits, solutions of AUTO's, points of other runs, records.

use crate::plan::entries::StartPlan;
use crate::plan::source::Source;
use crate::plan::study::Plan;
use slipstick_report::{Table, orbit_file_name, sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Stands for the hash of a file that cannot be read.
const UNREADABLE: &str = "unreadable";

impl Plan {
    /// The files that the run will read besides the study, by their path from the study's folder, with the SHA-256 of
    /// each as it is now.
    ///
    /// ```
    /// use slipstick_study as study;
    /// let folder = tempfile::tempdir().unwrap();
    /// let text = r#"Study(title: "Driven", analyses: [Shaw(name: "driven", forcing: Csv(file: "force.csv"))])"#;
    /// std::fs::write(folder.path().join("force.csv"), "t,f\n0,0\n1,1\n2,0\n3,1\n").unwrap();
    /// let plan = study::parse(&folder.path().join("study.ron"), text.into())?.plan(&[])?;
    /// let before = plan.inputs();
    /// assert_eq!(before.keys().collect::<Vec<_>>(), ["force.csv"]);
    /// std::fs::write(folder.path().join("force.csv"), "t,f\n0,0\n1,1\n2,0\n3,2\n").unwrap();
    /// assert_ne!(plan.inputs(), before);
    /// # Ok::<(), study::Rejected>(())
    /// ```
    #[must_use]
    pub fn inputs(&self) -> BTreeMap<String, String> {
        let mut files: BTreeSet<PathBuf> = BTreeSet::new();
        for curve in &self.curves {
            match &curve.start {
                StartPlan::File(path) | StartPlan::Auto { path, .. } => drop(files.insert(path.clone())),
                StartPlan::Point { source, .. } => files.extend(files_of(source)),
                StartPlan::Search { .. } | StartPlan::Settle { .. } | StartPlan::Guess { .. } => {}
            }
        }
        let read = self.analyses.iter().flat_map(|a| a.inputs());
        files.extend(read.map(|file| self.folder.join(file)));
        let hashed = |path: PathBuf| {
            let hash = std::fs::read(&path).map_or_else(|_| UNREADABLE.to_owned(), |bytes| sha256(&bytes));
            let name = path.strip_prefix(&self.folder).unwrap_or(&path);
            (name.display().to_string(), hash)
        };
        files.into_iter().map(hashed).collect()
    }
}

/// The files of another run that its points on a curve are read from.
fn files_of(source: &Source) -> Vec<PathBuf> {
    let Some(folder) = &source.folder else { return vec![] };
    let special = folder.join("special.csv");
    let mut files = vec![special.clone()];
    if let Ok(table) = Table::read(&special)
        && let (Ok(curves), Ok(indices)) = (table.texts("curve"), table.numbers("index"))
    {
        let own = curves.iter().zip(indices).filter(|(curve, _)| **curve == source.curve);
        let names = own.filter_map(|(_, index)| orbit_file_name(&source.curve, *index as usize).ok());
        files.extend(names.map(|name| folder.join(Path::new("orbits")).join(name)));
    }
    files
}
