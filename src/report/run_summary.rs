//! `run.json`: what a run says of itself beyond its tables.

use super::{ReportError, write_atomically};
use serde::{Deserialize, Deserializer, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::Path;

/// The contents of `run.json`.
///
/// ```
/// use slipstick_report::RunSummary;
/// let folder = tempfile::tempdir()?;
/// let summary = RunSummary { slipstick: "0.1.0".into(), set: vec![("mu_s".into(), 1.2)], ..RunSummary::default() };
/// summary.write(folder.path())?;
/// assert_eq!(RunSummary::read(folder.path())?, summary);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunSummary {
    /// The version of this format: [`RunSummary::SCHEMA`]; 0 for runs that did not list their files yet.
    #[serde(default)]
    pub schema: u32,
    /// The version that ran.
    pub slipstick: String,
    /// The study's text.
    pub study: String,
    /// Its SHA-256 in hexadecimal.
    pub study_sha256: String,
    /// Parameter values set from outside.
    pub set: Vec<(String, f64)>,
    /// The files that the run read besides the study, by their path from its folder, with the SHA-256 of each.
    #[serde(default)]
    pub inputs: BTreeMap<String, String>,
    /// The files that the run wrote besides this one, by their path in its folder (with `/`), with the SHA-256 of each.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// The files of figures that were drawn into the folder later, likewise.
    #[serde(default)]
    pub drawn: BTreeMap<String, String>,
    /// Those figures by name, each with the text of the file that describes it.
    #[serde(default)]
    pub drawings: BTreeMap<String, String>,
    /// Was the run stopped before its end?
    pub stopped: bool,
    /// The curves.
    pub curves: Vec<CurveSummary>,
    /// The simulated trajectories.
    pub trajectories: Vec<TrajectorySummary>,
    /// The sweeps for attractors.
    #[serde(default)]
    pub attractors: Vec<AttractorsSummary>,
    /// The analyses.
    #[serde(default)]
    pub analyses: Vec<AnalysisSummary>,
    /// What produced no results.
    pub missing: Vec<MissingSummary>,
    /// How long the run took.
    pub seconds: f64,
}

/// What `run.json` says of a curve.
///
/// ```
/// use slipstick_report::{CurveSummary, RunSummary};
/// let curve = CurveSummary { name: "compliant".into(), free: "Omega".into(), from: 0.4757, to: 0.5259, ..CurveSummary::default() };
/// let json = RunSummary { curves: vec![curve], ..RunSummary::default() }.to_json()?;
/// assert!(json.contains("\"compliant\"") && json.contains("0.5259"));
/// # Ok::<(), slipstick_report::ReportError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CurveSummary {
    /// Its name.
    pub name: String,
    /// The words of its orbits in order.
    pub words: String,
    /// Its free parameter.
    pub free: String,
    /// How many points it has.
    pub points: usize,
    /// The smallest value of the free parameter.
    #[serde(deserialize_with = "number_or_null")]
    pub from: f64,
    /// The largest.
    #[serde(deserialize_with = "number_or_null")]
    pub to: f64,
    /// Its special points, counted.
    pub special: String,
    /// Why it ended, in words.
    pub ended: String,
    /// What is to be said of its start, where it is not the one asked for.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// How long it took.
    pub seconds: f64,
}

/// What `run.json` says of a trajectory.
///
/// ```
/// use slipstick_report::{RunSummary, TrajectorySummary};
/// let ride = TrajectorySummary { name: "ride".into(), nonunique: vec![(0.1, "stick or slip+".into())], ..TrajectorySummary::default() };
/// let json = RunSummary { trajectories: vec![ride], ..RunSummary::default() }.to_json()?;
/// assert!(json.contains("stick or slip+"));
/// # Ok::<(), slipstick_report::ReportError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrajectorySummary {
    /// Its name.
    pub name: String,
    /// Modes and events in order.
    pub word: String,
    /// Why it ended, in words.
    pub ended: String,
    /// Where the future was not unique: time and choice.
    pub nonunique: Vec<(f64, String)>,
}

/// What `run.json` says of a sweep for attractors.
///
/// ```
/// use slipstick_report::{AttractorsSummary, RunSummary};
/// let sweep = AttractorsSummary { name: "sweep".into(), missing: vec!["a cycle at r = 3.2".into()], ..AttractorsSummary::default() };
/// let json = RunSummary { attractors: vec![sweep], ..RunSummary::default() }.to_json()?;
/// assert!(json.contains("a cycle at r = 3.2"));
/// # Ok::<(), slipstick_report::ReportError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AttractorsSummary {
    /// Its name.
    pub name: String,
    /// What was found, and whether the curves show all of it.
    pub verdict: String,
    /// Orbits that attract and lie on no curve.
    pub missing: Vec<String>,
}

/// What `run.json` says of an analysis.
///
/// ```
/// use slipstick_report::{AnalysisSummary, RunSummary};
/// let kernel = AnalysisSummary { name: "kernel".into(), notes: vec!["L₁ jumps at zero".into()] };
/// assert!(RunSummary { analyses: vec![kernel], ..RunSummary::default() }.to_json()?.contains("L₁ jumps at zero"));
/// # Ok::<(), slipstick_report::ReportError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AnalysisSummary {
    /// Its name.
    pub name: String,
    /// What was noticed, in words.
    pub notes: Vec<String>,
}

/// What `run.json` says of something that produced no results, or of which a part is missing.
///
/// ```
/// use slipstick_report::{MissingSummary, RunSummary};
/// let missing = MissingSummary { curve: "branches".into(), reason: "there is no BP on `main`".into(), partly: false };
/// assert!(RunSummary { missing: vec![missing], ..RunSummary::default() }.to_json()?.contains("there is no BP"));
/// # Ok::<(), slipstick_report::ReportError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MissingSummary {
    /// Its name.
    pub curve: String,
    /// Why.
    pub reason: String,
    /// Is it a part of the results only, as one of the branches of a curve?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub partly: bool,
}

/// JSON has no word for NaN and infinities: they are written as `null`.
fn number_or_null<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(f64::NAN))
}

/// The SHA-256 of some bytes in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

/// What stands before and behind the seal in `run.json`: the SHA-256 of the text before it, by which a change by hand
/// is noticed.
const SEAL: (&str, &str) = (",\n  \"seal\": \"", "\"\n}\n");

impl RunSummary {
    /// The version of the format that is written.
    pub const SCHEMA: u32 = 2;

    /// Is this the text of a `run.json` as it was written, without a change by hand?
    #[must_use]
    pub fn is_sealed(text: &str) -> bool {
        let seal = |text: &str| {
            let (body, seal) = text.strip_suffix(SEAL.1)?.rsplit_once(SEAL.0)?;
            Some(sha256(body.as_bytes()) == seal)
        };
        seal(text).unwrap_or(false)
    }

    /// The text of `run.json`, with a seal at its end.
    ///
    /// # Errors
    /// [`ReportError::Json`].
    pub fn to_json(&self) -> Result<String, ReportError> {
        let text = serde_json::to_string_pretty(self).map_err(|source| ReportError::Json {
            origin: "run.json".into(),
            source,
        })?;
        let body = text.strip_suffix("\n}").unwrap_or(&text);
        Ok(format!("{body}{}{}{}", SEAL.0, sha256(body.as_bytes()), SEAL.1))
    }

    /// Write `run.json` into a run's folder.
    ///
    /// # Errors
    /// [`ReportError::Io`], [`ReportError::Json`].
    pub fn write(&self, folder: impl AsRef<Path>) -> Result<(), ReportError> {
        write_atomically(folder.as_ref().join("run.json"), self.to_json()?.as_bytes())
    }

    /// Read the `run.json` of a run's folder.
    ///
    /// # Errors
    /// [`ReportError::Io`] when there is none, [`ReportError::Json`] when it is not one of ours.
    pub fn read(folder: impl AsRef<Path>) -> Result<Self, ReportError> {
        let path = folder.as_ref().join("run.json");
        let bytes = std::fs::read(&path).map_err(|source| ReportError::io(&path, source))?;
        serde_json::from_slice(&bytes).map_err(|source| ReportError::Json {
            origin: path.display().to_string(),
            source,
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_change_by_hand_breaks_the_seal() {
        let summary = RunSummary {
            study: "Study(title: \"}\")".into(),
            ..RunSummary::default()
        };
        let text = summary.to_json().unwrap();
        assert_eq!(serde_json::from_str::<RunSummary>(&text).unwrap(), summary);
        assert!(RunSummary::is_sealed(&text));
        for at in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[at] = if bytes[at] == b'x' { b'y' } else { b'x' };
            assert!(!RunSummary::is_sealed(&String::from_utf8(bytes).unwrap()), "byte {at}");
        }
    }
}
