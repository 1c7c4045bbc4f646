//! Write what a run computed: the files of the output contract.

use super::plan::Plan;
use super::run::RunResult;
use super::tables;
use crate::report::{ReportError, RunData, Table, write_atomically};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::path::Path;

/// What `run.json` says of a curve.
#[derive(Serialize)]
struct CurveSummary<'a> {
    name: &'a str,
    word: &'a str,
    free: &'a str,
    points: usize,
    from: f64,
    to: f64,
    special: String,
    ended: String,
    seconds: f64,
}

/// What `run.json` says of something that gave nothing.
#[derive(Serialize)]
struct MissingSummary<'a> {
    curve: &'a str,
    reason: &'a str,
}

/// `run.json`.
#[derive(Serialize)]
struct RunSummary<'a> {
    slipstick: &'a str,
    study: &'a str,
    study_sha256: String,
    set: Vec<(&'a str, f64)>,
    stopped: bool,
    curves: Vec<CurveSummary<'a>>,
    missing: Vec<MissingSummary<'a>>,
    seconds: f64,
}

/// The tables of a run.
///
/// # Errors
/// [`ReportError`] when names clash with columns of the contract.
pub fn tables_of(plan: &Plan, result: &RunResult) -> Result<RunData, ReportError> {
    let mut data = RunData::default();
    let mut pieces: Vec<(Table, Table)> = vec![];
    for curve in &result.curves {
        pieces.push((tables::points(curve, false)?, tables::points(curve, true)?));
        for (index, sample) in &curve.orbits {
            let table = tables::orbit(&plan.systems[curve.system].system, sample)?;
            data.orbits.insert((curve.name.clone(), *index), table);
        }
    }
    for (points, special) in pieces {
        data.points.append(&points)?;
        data.special.append(&special)?;
    }
    Ok(data)
}

/// The text of `run.json`.
///
/// # Errors
/// When a value cannot be written as JSON.
pub fn summary(
    study_text: &str,
    overrides: &[(String, f64)],
    result: &RunResult,
    seconds: f64,
) -> Result<String, serde_json::Error> {
    let curves = result
        .curves
        .iter()
        .map(|c| {
            let (from, to) = c.covered();
            CurveSummary {
                name: &c.name,
                word: &c.word,
                free: &c.free,
                points: c.branch.points.len(),
                from,
                to,
                special: c.special(),
                ended: c.ended(),
                seconds: c.seconds,
            }
        })
        .collect();
    let hash = Sha256::digest(study_text.as_bytes());
    let run = RunSummary {
        slipstick: env!("CARGO_PKG_VERSION"),
        study: study_text,
        study_sha256: hash.iter().map(|b| format!("{b:02x}")).collect(),
        set: overrides.iter().map(|(n, v)| (n.as_str(), *v)).collect(),
        stopped: result.stopped,
        curves,
        missing: result
            .missing
            .iter()
            .map(|m| MissingSummary {
                curve: &m.curve,
                reason: &m.reason,
            })
            .collect(),
        seconds,
    };
    let mut text = serde_json::to_string_pretty(&run)?;
    text.push('\n');
    Ok(text)
}

/// Write tables and `run.json` into `folder`.
///
/// # Errors
/// [`ReportError`] when the file system refuses.
pub fn write(folder: &Path, data: &RunData, run_json: &str) -> Result<(), ReportError> {
    data.write(folder)?;
    write_atomically(folder.join("run.json"), run_json.as_bytes())
}
