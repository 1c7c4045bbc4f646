//! Write what a run computed: the files of the output contract.

use super::Loaded;
use super::plan::Plan;
use super::portrait;
use super::run::RunResult;
use super::tables;
use crate::report::figure::draw;
use crate::report::html::{CurveStory, Story, page};
use crate::report::{ReportError, RunData, Table, write_atomically};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::path::Path;

/// What `run.json` says of a curve.
#[derive(Serialize)]
struct CurveSummary<'a> {
    name: &'a str,
    words: String,
    free: &'a str,
    points: usize,
    from: f64,
    to: f64,
    special: String,
    ended: String,
    seconds: f64,
}

/// What `run.json` says of a trajectory.
#[derive(Serialize)]
struct TrajectorySummary<'a> {
    name: &'a str,
    word: &'a str,
    ended: &'a str,
    nonunique: Vec<(f64, &'a str)>,
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
    trajectories: Vec<TrajectorySummary<'a>>,
    missing: Vec<MissingSummary<'a>>,
    seconds: f64,
}

/// The tables of a run.
///
/// # Errors
/// [`ReportError`] when names clash with columns of the contract.
pub(super) fn tables_of(plan: &Plan, result: &RunResult) -> Result<RunData, ReportError> {
    let mut data = RunData::default();
    let mut pieces: Vec<(Table, Table)> = vec![];
    for curve in &result.curves {
        pieces.push((tables::points(curve, false)?, tables::points(curve, true)?));
        let mut first = 0;
        for piece in &curve.pieces {
            for (index, sample) in &piece.orbits {
                let table = tables::orbit(&plan.systems[curve.system].system, sample)?;
                data.orbits.insert((curve.name.clone(), first + index), table);
            }
            first += piece.branch.points.len();
        }
    }
    for t in &result.trajectories {
        data.trajectories
            .insert(t.name.clone(), tables::trajectory(&plan.systems[t.system].system, t)?);
    }
    for found in &result.portraits {
        if let Some(of) = plan.portraits.iter().find(|p| p.name == found.name) {
            let tables = portrait::tables(&plan.systems[of.system].system, of, found)?;
            data.portraits.insert(found.name.clone(), tables);
        }
    }
    for (points, special) in pieces {
        data.points.append(&points)?;
        data.special.append(&special)?;
    }
    Ok(data)
}

/// What the report tells beyond the tables.
///
/// # Errors
/// [`ReportError`] when names clash with columns of the contract.
pub(super) fn story<'a>(study: &'a Loaded, plan: &Plan, result: &'a RunResult) -> Result<Story<'a>, ReportError> {
    let mut story = Story {
        title: &study.spec.title,
        study: &study.text,
        figures: &study.spec.figures,
        ..Story::default()
    };
    for curve in &result.curves {
        let about = CurveStory {
            free: vec![curve.free.clone()],
            ended: curve.ended(),
        };
        story.curves.insert(&curve.name, about);
        let mut first = 0;
        for piece in &curve.pieces {
            for (index, sample) in &piece.walk {
                let table = tables::orbit(&plan.systems[curve.system].system, sample)?;
                story.orbits.insert((curve.name.clone(), first + index), table);
            }
            first += piece.branch.points.len();
        }
    }
    Ok(story)
}

/// The text of `run.json`.
///
/// # Errors
/// When a value cannot be written as JSON.
pub(super) fn summary(
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
                words: c.words(),
                free: &c.free,
                points: c.len(),
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
        trajectories: result
            .trajectories
            .iter()
            .map(|t| TrajectorySummary {
                name: &t.name,
                word: &t.word,
                ended: &t.ended,
                nonunique: t.nonunique.iter().map(|(t, c)| (*t, c.as_str())).collect(),
            })
            .collect(),
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

/// Write tables, figures and `run.json` into `folder`, and take away what an earlier run left there under other names. Figures that cannot
/// be drawn come back as warnings.
///
/// # Errors
/// [`ReportError`] when the file system refuses.
pub(super) fn write(
    folder: &Path,
    data: &RunData,
    story: &Story<'_>,
    run_json: &str,
) -> Result<Vec<String>, ReportError> {
    for part in ["orbits", "trajectories", "slow_fast", "figures"] {
        match std::fs::remove_dir_all(folder.join(part)) {
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                return Err(ReportError::Io {
                    path: folder.join(part),
                    source,
                });
            }
            _ => {}
        }
    }
    data.write(folder)?;
    let mut warnings = vec![];
    for figure in story.figures {
        match draw(figure, data) {
            Ok(drawing) => drawing.write(folder.join("figures"))?,
            Err(e) => warnings.push(format!("figure `{}` could not be drawn: {e}", figure.name())),
        }
    }
    write_atomically(folder.join("report.html"), page(data, story).as_bytes())?;
    write_atomically(folder.join("run.json"), run_json.as_bytes())?;
    Ok(warnings)
}
