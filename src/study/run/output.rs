//! Write what a run computed: the files of the output contract.

use crate::loading::Loaded;
use crate::loading::figures_in;
use crate::plan::study::Plan;
use crate::results::analysis::AnalysisResult;
use crate::results::attractors::AttractorsResult;
use crate::results::attractors_table;
use crate::results::big_table::BigTable;
use crate::results::curve::CurveResult;
use crate::results::run::{Missing, RunResult};
use crate::results::tables;
use crate::results::trajectory::TrajectoryResult;
use crate::run::distances;
use crate::run::portrait_tables;
use crate::run_folder::claim::Claim;
use crate::run_folder::staging::Staging;
use crate::spec::start::StartSpec;
use slipstick_report::figure::{FigureError, draw, unseen};
use slipstick_report::html::{CurveStory, Story, page};
use slipstick_report::{
    AnalysisSummary, AttractorsSummary, CurveSummary, MissingSummary, ReportError, RunData, RunSummary, Table,
    TrajectorySummary, branch_files, sha256,
};
use std::collections::BTreeMap;
use std::path::Path;

/// What a run is given from outside.
///
/// ```
/// use slipstick_study::Settings;
/// let settings = Settings { set: &[("mu_s".into(), 1.2)], ..Settings::default() };
/// assert!(settings.inputs.is_empty());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Settings<'a> {
    /// Parameter values.
    pub set: &'a [(String, f64)],
    /// The files that it reads, with their hashes.
    pub inputs: BTreeMap<String, String>,
}

/// What is to be reported of the files that were written.
///
/// ```
/// use slipstick_study::{self as study, Claim, Settings, Silent};
/// let text = r#"Study(title: "Shaw", analyses: [Shaw(name: "shaw", time: 10)])"#;
/// let study = study::parse("shaw.ron".as_ref(), text.into())?;
/// let plan = study.plan(&[])?;
/// let folder = tempfile::tempdir()?;
/// let claim = Claim::take(folder.path())?;
/// let result = study::run(&plan, &Silent, &false.into());
/// let written = study::write_run(&claim, &study, &plan, &Settings::default(), &result, 0.0)?;
/// assert!(written.missing.is_empty() && written.reported.is_empty());
/// assert!(claim.run().is_some_and(|run| run.files.contains_key("report.html")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// What could not be drawn.
    pub missing: Vec<String>,
    /// What was found in the folder that is not as a run wrote it, and how it was kept.
    pub reported: Vec<String>,
}

/// The tables of a run.
///
/// # Errors
/// [`ReportError`] when names clash with columns of the contract.
fn tables_of(plan: &Plan, result: &RunResult) -> Result<RunData, ReportError> {
    let mut data = RunData::default();
    for curve in &result.curves {
        data.points.append(tables::points(curve, false)?)?;
        data.special.append(tables::points(curve, true)?)?;
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
        data.attractors
            .insert(sweep.name.clone(), attractors_table::table(sweep)?);
    }
    for found in &result.portraits {
        if let Some(of) = plan.portraits.iter().find(|p| p.name == found.name) {
            let tables = portrait_tables::tables(&plan.systems[of.system].system, of, found)?;
            data.portraits.insert(found.name.clone(), tables);
        }
    }
    for analysis in &result.analyses {
        data.trajectories.extend(analysis.motions.iter().cloned());
        data.tables.extend(analysis.tables.iter().cloned());
        data.orbits.extend(analysis.orbits.iter().cloned());
    }
    if let Some(curve) = plan.curves.first().filter(|_| result.curves.is_empty()) {
        let parameters = &plan.systems[curve.system].system.parameters;
        let parameters: Vec<String> = parameters.iter().map(|p| p.name.clone()).collect();
        let columns = |special| tables::columns(&parameters, &curve.monitors, [0; 3], special);
        data.points = Table::new(columns(false));
        data.special = Table::new(columns(true));
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
            from: starts_from(study, &curve.name),
            states: curve.system.map_or_else(Vec::new, |at| {
                plan.systems[at]
                    .system
                    .states
                    .iter()
                    .map(|state| state.name.clone())
                    .collect()
            }),
        };
        story.curves.insert(&curve.name, about);
        let mut first = 0;
        for piece in &curve.pieces {
            for (system, (index, sample)) in piece.between.iter().filter_map(|o| Some((curve.system?, o))) {
                let table = tables::orbit(&plan.systems[system].system, sample)?;
                story.orbits.insert((curve.name.clone(), first + index), table);
            }
            first += piece.branch.points.len();
        }
    }
    Ok(story)
}

/// The point of another curve that a curve starts from, as the study says it; nothing if it does not.
fn starts_from(study: &Loaded, name: &str) -> String {
    let own = |of: &str| name == of || name.strip_prefix(of).is_some_and(|rest| rest.starts_with('-'));
    let curve = study.spec.curves.iter().find(|curve| own(&curve.name));
    let point = curve.and_then(|curve| match &curve.start {
        StartSpec::Point { from, .. } => Some(from),
        _ => None,
    });
    let locus = || {
        study
            .spec
            .loci
            .iter()
            .find(|locus| own(&locus.name))
            .map(|locus| &locus.from)
    };
    point.or_else(locus).cloned().unwrap_or_default()
}

/// Write the curves of smooth systems as AUTO's files; what stands in the way of one comes back in words.
///
/// # Errors
/// [`ReportError`] when the file system refuses.
fn write_auto(
    files: &mut Staging<'_>,
    plan: &Plan,
    result: &RunResult,
    data: &RunData,
) -> Result<Vec<String>, ReportError> {
    let mut warnings = vec![];
    for (curve, system) in result.curves.iter().filter_map(|c| Some((c, c.system?))) {
        let system = &plan.systems[system].system;
        if system.is_hybrid() {
            continue;
        }
        let states: Vec<String> = system.states.iter().map(|s| s.name.clone()).collect();
        let (name, parameters) = (&curve.name, &curve.parameters);
        let free: Vec<&str> = curve.free.split(", ").collect();
        match branch_files(data, name, &states, parameters, &free) {
            Ok((b, s)) => {
                files.put(&format!("auto/b.{name}"), b.as_bytes())?;
                files.put(&format!("auto/s.{name}"), s.as_bytes())?;
            }
            Err(why) => warnings.push(format!("`{name}` could not be written as AUTO's files: {why}")),
        }
    }
    Ok(warnings)
}

/// What the run says of itself.
fn summary(study_text: &str, settings: &Settings<'_>, result: &RunResult, seconds: f64) -> RunSummary {
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
    RunSummary {
        schema: RunSummary::SCHEMA,
        slipstick: env!("CARGO_PKG_VERSION").into(),
        study: study_text.into(),
        study_sha256: sha256(study_text.as_bytes()),
        set: settings.set.to_vec(),
        inputs: settings.inputs.clone(),
        stopped: result.stopped,
        curves: result.curves.iter().map(curve).collect(),
        trajectories: result.trajectories.iter().map(trajectory).collect(),
        attractors: result.attractors.iter().map(sweep).collect(),
        analyses: result.analyses.iter().map(analysis).collect(),
        missing: result.missing.iter().map(of_missing).collect(),
        seconds,
        ..RunSummary::default()
    }
}

/// Write tables, figures and `run.json` into the folder that is held, in place of those of an earlier run. Figures are
/// drawn without the curves that have no points; those that cannot be drawn come back as missing.
///
/// Everything is written beside an earlier run first and takes its place when it is whole: a disk that is full loses
/// nothing of the earlier run. While files take their places there is no `run.json`, so that old and new tables never
/// pass for a run.
///
/// # Errors
/// [`ReportError`] when the file system refuses, or names clash with columns of the contract.
pub fn write(
    claim: &Claim,
    study: &Loaded,
    plan: &Plan,
    settings: &Settings<'_>,
    result: &RunResult,
    seconds: f64,
) -> Result<Written, ReportError> {
    let data = tables_of(plan, result)?;
    let mut story = story(study, plan, result)?;
    let mut account = summary(&study.text, settings, result, seconds);
    let mut files = Staging::begin(claim)?;
    let (missing, unseen) = write_new(&mut files, study, plan, result, &data, &mut story)?;
    account.missing.extend(unseen);
    account.files.clone_from(files.files());
    let mut reported = match claim.run() {
        Some(before) => draw_again(&mut files, study, &before, &data, &mut account)?,
        None => vec![],
    };
    reported.extend(files.commit(&account, result.stopped)?);
    Ok(Written { missing, reported })
}

/// Figures that were drawn into the folder after the earlier run are drawn again from this one. What cannot be drawn
/// again stays as it is.
fn draw_again(
    files: &mut Staging<'_>,
    study: &Loaded,
    before: &RunSummary,
    data: &RunData,
    account: &mut RunSummary,
) -> Result<Vec<String>, ReportError> {
    let mut reported = vec![];
    for (name, text) in &before.drawings {
        let names = ["svg", "pdf", "png", "tex"].map(|ending| format!("figures/{name}.{ending}"));
        if names.iter().any(|file| account.files.contains_key(file)) {
            reported.push(format!(
                "the study now has its own figure `{name}`: the figure that was added to the run is renamed"
            ));
            continue;
        }
        account.drawings.insert(name.clone(), text.clone());
        let figure = figures_in(Path::new(name), text.clone())
            .map_err(|e| e.to_string())
            .and_then(|all| {
                all.into_iter()
                    .find(|f| f.name() == name)
                    .ok_or_else(|| "it is not described".into())
            });
        let drawn = figure.and_then(|figure| {
            let drawing = draw(&figure, data).map_err(|e| e.to_string())?;
            let drawing = study.spec.sign(drawing).map_err(|e| e.to_string())?;
            drawing.contents().map_err(|e| e.to_string())
        });
        match drawn {
            Ok(contents) => {
                for (file, bytes) in contents {
                    files.put(&format!("figures/{file}"), &bytes)?;
                    let path = format!("figures/{file}");
                    let hash = files.files().get(&path).cloned().unwrap_or_default();
                    account.drawn.insert(path, hash);
                }
            }
            Err(why) => {
                reported.push(format!(
                    "figure `{name}` (added to the earlier run) still shows the earlier run, because it cannot be drawn from this one: {why}"
                ));
                let cells = format!("figures/{name}-cells");
                let own = |file: &String| names.contains(file) || file.starts_with(&cells);
                let old = before.drawn.iter().filter(|(file, _)| own(file));
                account
                    .drawn
                    .extend(old.map(|(file, hash)| (file.clone(), hash.clone())));
            }
        }
    }
    Ok(reported)
}

/// Write everything but `run.json`; returns what is missing of the figures, in words, and of that what `run.json` says
/// for itself.
fn write_new(
    files: &mut Staging<'_>,
    study: &Loaded,
    plan: &Plan,
    result: &RunResult,
    data: &RunData,
    story: &mut Story<'_>,
) -> Result<(Vec<String>, Vec<MissingSummary>), ReportError> {
    let mut warnings = vec![];
    let mut not_found = vec![];
    let mut note = |part: Missing| {
        not_found.push(of_missing(&part));
        part.in_words()
    };
    let big = &result.big_tables;
    let replaced = |file: &Path| {
        let table = |b: &&BigTable| file == Path::new("tables").join(format!("{}.csv", b.name));
        big.iter().filter(|b| b.replaces).any(|b| table(&b))
    };
    for table in big {
        files.put_file(&format!("tables/{}.{}", table.name, table.ending), &table.contents)?;
    }
    for (file, table) in data.files()?.into_iter().filter(|(file, _)| !replaced(file)) {
        files.put(&slashed(&file), table.to_csv().as_bytes())?;
    }
    for spec in &study.spec.distances {
        let table = distances::table(spec, result)?;
        let traced = |names: &[String]| {
            names
                .iter()
                .any(|name| result.curves.iter().any(|curve| curve.name == *name))
        };
        if table.is_empty() && traced(&spec.reference) && traced(&spec.of) {
            let why = "the table of distances is empty: at no level do a reference and a curve both have a point of the same stability";
            warnings.push(note(Missing::part_of(&spec.name, why)));
        }
        files.put(&format!("distances/{}.csv", spec.name), table.to_csv().as_bytes())?;
    }
    let missing = result.missing.iter().filter(|m| !m.partly);
    let absent: Vec<&str> = missing.map(|m| m.curve.as_str()).collect();
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
                    "figure `{}` does not show `{name}`: the run has no such curve; it has: {}",
                    figure.name(),
                    traced.join(", ")
                ));
                absent.push(name);
            }
        }
        let nothing = || {
            format!(
                "figure `{}` was not drawn: what it shows produced no points",
                figure.name()
            )
        };
        let Some(figure) = figure.without(&absent) else {
            warnings.push(nothing());
            continue;
        };
        for part in unseen(&figure, data) {
            warnings.push(note(Missing::part_of(&part.curve, part.reason)));
        }
        match draw(&figure, data).and_then(|drawing| study.spec.sign(drawing)) {
            Err(_) if data.points.is_empty() && !absent.is_empty() => warnings.push(nothing()),
            Ok(drawing) => {
                for (file, bytes) in drawing.contents()? {
                    files.put(&format!("figures/{file}"), &bytes)?;
                    if let (Some(name), Ok(svg)) = (file.strip_suffix(".svg"), String::from_utf8(bytes)) {
                        story.drawings.push((name.to_owned(), svg));
                    }
                }
            }
            // All names were known when the study was planned.
            Err(ReportError::Figure(FigureError::Unknown { figure, what, word, .. })) if result.stopped => {
                warnings.push(format!(
                    "figure `{figure}` was not drawn: the run was stopped before the {what} `{word}` had results"
                ));
            }
            // What is wrong with a figure names it already.
            Err(ReportError::Figure(e)) => warnings.push(e.to_string()),
            Err(e) => warnings.push(format!("figure `{}` could not be drawn: {e}", figure.name())),
        }
    }
    if study.spec.auto {
        warnings.extend(write_auto(files, plan, result, data)?);
    }
    files.put("report.html", page(data, story).as_bytes())?;
    Ok((warnings, not_found))
}

/// What `run.json` says of what is missing.
fn of_missing(missing: &Missing) -> MissingSummary {
    MissingSummary {
        curve: missing.curve.clone(),
        reason: missing.reason.clone(),
        partly: missing.partly,
    }
}

/// A path in a run's folder as `run.json` lists it on every system.
fn slashed(path: &Path) -> String {
    let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
    parts.join("/")
}
