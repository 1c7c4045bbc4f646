//! Write what a run computed: the files of the output contract.

use super::Loaded;
use super::analysis::AnalysisResult;
use super::attractors::{self, AttractorsResult};
use super::distances;
use super::plan::Plan;
use super::portrait;
use super::results::{CurveResult, Missing, RunResult, TrajectoryResult};
use super::tables;
use crate::report::figure::{Figure, draw};
use crate::report::html::{CurveStory, Story, page};
use crate::report::{
    AnalysisSummary, AttractorsSummary, CurveSummary, MissingSummary, ReportError, RunData, RunSummary, Table,
    TrajectorySummary, write_atomically,
};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The tables of a run.
///
/// # Errors
/// [`ReportError`] when names clash with columns of the contract.
fn tables_of(plan: &Plan, result: &RunResult) -> Result<RunData, ReportError> {
    let mut data = RunData::default();
    let mut pieces: Vec<(Table, Table)> = vec![];
    for curve in &result.curves {
        pieces.push((tables::points(curve, false)?, tables::points(curve, true)?));
        if let Some(margins) = tables::inequalities(curve)? {
            data.inequalities.insert(curve.name.clone(), margins);
        }
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
fn story<'a>(study: &'a Loaded, plan: &Plan, result: &'a RunResult) -> Result<Story<'a>, ReportError> {
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
            map: curve.system.is_some_and(|at| plan.systems[at].system.is_map()),
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

/// Write the curves of smooth systems as AUTO's files; returns their names.
///
/// # Errors
/// [`ReportError`] when the file system refuses.
fn write_auto(folder: &Path, plan: &Plan, result: &RunResult, data: &RunData) -> Result<Vec<String>, ReportError> {
    let mut names = vec![];
    for (curve, system) in result.curves.iter().filter_map(|c| Some((c, c.system?))) {
        let system = &plan.systems[system].system;
        if system.is_hybrid() {
            continue;
        }
        let states: Vec<String> = system.states.iter().map(|s| s.name.clone()).collect();
        let (name, parameters) = (&curve.name, &curve.parameters);
        crate::report::write_branch(folder, data, name, &states, parameters, &curve.free)?;
        names.extend([format!("b.{name}"), format!("s.{name}")]);
    }
    Ok(names)
}

/// What the run says of itself.
fn summary(study_text: &str, overrides: &[(String, f64)], result: &RunResult, seconds: f64) -> RunSummary {
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

/// Write tables, figures and `run.json` into `folder`, and then take away what an earlier run left there under other names. Figures are drawn
/// without the curves that gave nothing; those that cannot be drawn come back as warnings.
///
/// Everything is written beside an earlier run first and takes its place when it is whole: a disk that is full loses nothing of the earlier run.
/// While files take their places there is no `run.json`, so that old and new tables never pass for a run.
///
/// # Errors
/// [`ReportError`] when the file system refuses, or names clash with columns of the contract.
pub(super) fn write(
    folder: &Path,
    study: &Loaded,
    plan: &Plan,
    overrides: &[(String, f64)],
    result: &RunResult,
    seconds: f64,
) -> Result<Vec<String>, ReportError> {
    let data = tables_of(plan, result)?;
    let mut story = story(study, plan, result)?;
    let summary = summary(&study.text, overrides, result, seconds);
    let new = folder.join(NEW);
    withdraw_all(&new)?;
    let written = write_new(&new, study, plan, result, &data, &mut story);
    let (warnings, own) = match written.and_then(|done| summary.write(&new).map(|()| done)) {
        Ok(done) => done,
        Err(e) => {
            // What there is of it only takes room.
            withdraw_all(&new)?;
            return Err(e);
        }
    };
    withdraw(&folder.join("run.json"))?;
    for file in &own {
        place(&new, folder, file)?;
    }
    for part in PARTS {
        withdraw_others(folder, Path::new(part), &own)?;
    }
    place(&new, folder, Path::new("run.json"))?;
    withdraw_all(&new)?;
    Ok(warnings)
}

/// Where a run is written until it is whole.
const NEW: &str = ".new";

/// Write everything but `run.json` into `folder`; returns warnings, and the files.
fn write_new(
    folder: &Path,
    study: &Loaded,
    plan: &Plan,
    result: &RunResult,
    data: &RunData,
    story: &mut Story<'_>,
) -> Result<(Vec<String>, BTreeSet<PathBuf>), ReportError> {
    data.write(folder)?;
    let mut own: BTreeSet<PathBuf> = data.files()?.into_iter().map(|(file, _)| file).collect();
    for spec in &study.spec.distances {
        let file = Path::new("distances").join(format!("{}.csv", spec.name));
        distances::table(spec, result)?.write(folder.join(&file))?;
        own.insert(file);
    }
    let mut warnings = vec![];
    let absent: Vec<&str> = result.missing.iter().map(|m| m.curve.as_str()).collect();
    let traced: Vec<String> = data.points.distinct("curve").into_iter().map(str::to_owned).collect();
    for figure in story.figures {
        let mut absent = absent.clone();
        let missing = figure
            .curves()
            .into_iter()
            .filter(|name| !traced.iter().any(|t| t == name));
        for name in missing {
            if !absent.contains(&name) {
                warnings.push(format!(
                    "figure `{}` shows no `{name}`: the run gave no such curve; it gave: {}",
                    figure.name(),
                    traced.join(", ")
                ));
                absent.push(name);
            }
        }
        let nothing = || format!("figure `{}` was not drawn: what it shows gave nothing", figure.name());
        let Some(figure) = figure.without(&absent) else {
            warnings.push(nothing());
            continue;
        };
        match draw(&figure, data) {
            Err(_) if data.points.is_empty() && !absent.is_empty() => warnings.push(nothing()),
            Ok(drawing) => {
                drawing.write(folder.join("figures"))?;
                own.extend(drawing.files().map(|file| Path::new("figures").join(file)));
                if !is_view(&figure) || data.points.is_empty() {
                    let svg = drawing.svg().to_owned();
                    story.drawings.push((figure.name().to_owned(), svg));
                }
            }
            // What is wrong with a figure names it already.
            Err(ReportError::Figure(e)) => warnings.push(e.to_string()),
            Err(e) => warnings.push(format!("figure `{}` could not be drawn: {e}", figure.name())),
        }
    }
    if study.spec.auto {
        let files = write_auto(&folder.join("auto"), plan, result, data)?;
        own.extend(files.into_iter().map(|file| Path::new("auto").join(file)));
    }
    write_atomically(folder.join("report.html"), page(data, story).as_bytes())?;
    own.insert("report.html".into());
    Ok((warnings, own))
}

/// Move a file from the new run to its place.
fn place(new: &Path, folder: &Path, file: &Path) -> Result<(), ReportError> {
    let to = folder.join(file);
    let parent = to.parent().unwrap_or(folder);
    let moved = std::fs::create_dir_all(parent).and_then(|()| std::fs::rename(new.join(file), &to));
    moved.map_err(|source| ReportError::Io { path: to, source })
}

/// Remove a folder that may not be there, with all that is in it.
fn withdraw_all(path: &Path) -> Result<(), ReportError> {
    match std::fs::remove_dir_all(path) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => Err(ReportError::Io {
            path: path.to_path_buf(),
            source,
        }),
        _ => Ok(()),
    }
}

/// Does the report show all of a figure in views of its own: the diagram, and the orbits of its points?
fn is_view(figure: &Figure) -> bool {
    match figure {
        Figure::Diagram(_) | Figure::Orbits(_) => true,
        Figure::Trajectories(_) | Figure::Manifold(_) => false,
        Figure::Panels(sheet) => sheet.panels.iter().all(is_view),
    }
}

/// The folders that a run writes into.
pub(super) const PARTS: [&str; 9] = [
    "orbits",
    "inequalities",
    "trajectories",
    "attractors",
    "tables",
    "slow_fast",
    "distances",
    "figures",
    "auto",
];

/// Remove every file in `part` of `folder` that is not among `own`, and what is empty then.
fn withdraw_others(folder: &Path, part: &Path, own: &BTreeSet<PathBuf>) -> Result<(), ReportError> {
    let path = folder.join(part);
    let refuse = |source| ReportError::Io {
        path: path.clone(),
        source,
    };
    let entries = match std::fs::read_dir(&path) {
        Ok(entries) => entries,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(e) => return Err(refuse(e)),
    };
    let mut kept = false;
    for entry in entries {
        let entry = entry.map_err(refuse)?;
        let file = part.join(entry.file_name());
        if entry.file_type().map_err(refuse)?.is_dir() {
            withdraw_others(folder, &file, own)?;
            kept |= entry.path().exists();
        } else if own.contains(&file) {
            kept = true;
        } else {
            withdraw(&entry.path())?;
        }
    }
    if kept {
        Ok(())
    } else {
        std::fs::remove_dir(&path).map_err(refuse)
    }
}

/// Remove a file that may not be there.
fn withdraw(path: &Path) -> Result<(), ReportError> {
    match std::fs::remove_file(path) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => Err(ReportError::Io {
            path: path.to_path_buf(),
            source,
        }),
        _ => Ok(()),
    }
}
