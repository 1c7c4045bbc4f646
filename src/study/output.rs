//! Write what a run computed: the files of the output contract.

use super::Loaded;
use super::analysis::AnalysisResult;
use super::attractors::{self, AttractorsResult};
use super::plan::Plan;
use super::portrait;
use super::run::{CurveResult, Missing, RunResult, TrajectoryResult};
use super::tables;
use crate::report::figure::{Figure, draw};
use crate::report::html::{CurveStory, Story, page};
use crate::report::{
    AnalysisSummary, AttractorsSummary, CurveSummary, MissingSummary, ReportError, RunData, RunSummary, Table,
    TrajectorySummary, write_atomically,
};
use sha2::{Digest, Sha256};
use std::path::Path;

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
            for (system, (index, sample)) in piece.orbits.iter().filter_map(|o| Some((curve.system?, o))) {
                let table = tables::orbit(&plan.systems[system].system, sample)?;
                data.orbits.insert((curve.name.clone(), first + index), table);
            }
            first += piece.branch.points.len();
        }
    }
    for t in &result.trajectories {
        data.trajectories
            .insert(t.name.clone(), tables::trajectory(&plan.systems[t.system].system, t)?);
    }
    for sweep in &result.attractors {
        data.attractors.insert(sweep.name.clone(), attractors::table(sweep)?);
    }
    for found in &result.portraits {
        if let Some(of) = plan.portraits.iter().find(|p| p.name == found.name) {
            let tables = portrait::tables(&plan.systems[of.system].system, of, found)?;
            data.portraits.insert(found.name.clone(), tables);
        }
    }
    for analysis in &result.analyses {
        data.trajectories.extend(analysis.motions.iter().cloned());
        data.tables.extend(analysis.tables.iter().cloned());
        data.orbits.extend(analysis.orbits.iter().cloned());
    }
    if let Some(curve) = plan.curves.first().filter(|_| pieces.is_empty()) {
        let parameters = &plan.systems[curve.system].system.parameters;
        let parameters: Vec<String> = parameters.iter().map(|p| p.name.clone()).collect();
        let columns = |special| tables::columns(&parameters, &curve.monitors, [0; 3], special);
        pieces.push((Table::new(columns(false)), Table::new(columns(true))));
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
    for analysis in &result.analyses {
        let note = |n: &String| (analysis.name.clone(), n.clone());
        story.notes.extend(analysis.notes.iter().map(note));
    }
    for curve in &result.curves {
        let about = CurveStory {
            free: curve.free.split(", ").map(str::to_owned).collect(),
            ended: curve.ended(),
        };
        story.curves.insert(&curve.name, about);
        let mut first = 0;
        for piece in &curve.pieces {
            for (system, (index, sample)) in piece.walk.iter().filter_map(|o| Some((curve.system?, o))) {
                let table = tables::orbit(&plan.systems[system].system, sample)?;
                story.orbits.insert((curve.name.clone(), first + index), table);
            }
            first += piece.branch.points.len();
        }
    }
    Ok(story)
}

/// Write the curves of smooth systems as AUTO's files.
///
/// # Errors
/// [`ReportError`] when the file system refuses.
pub(super) fn write_auto(folder: &Path, plan: &Plan, result: &RunResult, data: &RunData) -> Result<(), ReportError> {
    for (curve, system) in result.curves.iter().filter_map(|c| Some((c, c.system?))) {
        let system = &plan.systems[system].system;
        if system.is_hybrid() {
            continue;
        }
        let states: Vec<String> = system.states.iter().map(|s| s.name.clone()).collect();
        crate::report::write_branch(
            &folder.join("auto"),
            data,
            &curve.name,
            &states,
            &curve.parameters,
            &curve.free,
        )?;
    }
    Ok(())
}

/// What the run says of itself.
pub(super) fn summary(study_text: &str, overrides: &[(String, f64)], result: &RunResult, seconds: f64) -> RunSummary {
    let curve = |c: &CurveResult| {
        let (from, to) = c.covered();
        CurveSummary {
            name: c.name.clone(),
            words: c.words(),
            free: c.free.clone(),
            points: c.len(),
            from,
            to,
            special: c.special(),
            ended: c.ended(),
            note: c.note.clone(),
            seconds: c.seconds,
        }
    };
    let trajectory = |t: &TrajectoryResult| TrajectorySummary {
        name: t.name.clone(),
        word: t.word.clone(),
        ended: t.ended.clone(),
        nonunique: t.nonunique.clone(),
    };
    let sweep = |a: &AttractorsResult| AttractorsSummary {
        name: a.name.clone(),
        verdict: a.verdict(),
        missing: a.missing.clone(),
    };
    let analysis = |a: &AnalysisResult| AnalysisSummary {
        name: a.name.clone(),
        notes: a.notes.clone(),
    };
    let missing = |m: &Missing| MissingSummary {
        curve: m.curve.clone(),
        reason: m.reason.clone(),
    };
    RunSummary {
        slipstick: env!("CARGO_PKG_VERSION").into(),
        study: study_text.into(),
        study_sha256: sha256(study_text.as_bytes()),
        set: overrides.to_vec(),
        stopped: result.stopped,
        curves: result.curves.iter().map(curve).collect(),
        trajectories: result.trajectories.iter().map(trajectory).collect(),
        attractors: result.attractors.iter().map(sweep).collect(),
        analyses: result.analyses.iter().map(analysis).collect(),
        missing: result.missing.iter().map(missing).collect(),
        seconds,
    }
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

/// Write tables, figures and `run.json` into `folder`, and take away what an earlier run left there under other names. Figures are drawn
/// without the curves that gave nothing; those that cannot be drawn come back as warnings.
///
/// # Errors
/// [`ReportError`] when the file system refuses.
pub(super) fn write(
    folder: &Path,
    data: &RunData,
    mut story: Story<'_>,
    missing: &[Missing],
    summary: &RunSummary,
) -> Result<Vec<String>, ReportError> {
    for part in [
        "orbits",
        "trajectories",
        "attractors",
        "tables",
        "slow_fast",
        "figures",
        "auto",
    ] {
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
    let absent: Vec<&str> = missing.iter().map(|m| m.curve.as_str()).collect();
    for figure in story.figures {
        let nothing = || format!("figure `{}` was not drawn: what it shows gave nothing", figure.name());
        let Some(figure) = figure.without(&absent) else {
            warnings.push(nothing());
            continue;
        };
        match draw(&figure, data) {
            Err(_) if data.points.is_empty() && !absent.is_empty() => warnings.push(nothing()),
            Ok(drawing) => {
                drawing.write(folder.join("figures"))?;
                if matches!(figure, Figure::Trajectories(_)) {
                    let svg = drawing.svg().to_owned();
                    story.drawings.push((figure.name().to_owned(), svg));
                }
            }
            Err(e) => warnings.push(format!("figure `{}` could not be drawn: {e}", figure.name())),
        }
    }
    write_atomically(folder.join("report.html"), page(data, &story).as_bytes())?;
    summary.write(folder)?;
    Ok(warnings)
}
