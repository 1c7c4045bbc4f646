//! `slipstick plot`: draw figures of finished runs without computing anything again.

use super::folder::{hold, report};
use super::{INCOMPLETE, PlotArgs, WRONG, complain, say};
use slipstick_report::explore::FinishedRun;
use slipstick_report::figure::{Drawing, Gathered, draw, unseen};
use slipstick_report::{ReportError, RunSummary};
use slipstick_study::{self as study, Staging};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub(super) fn plot(args: &PlotArgs) -> ExitCode {
    let asked = match Asked::of(args) {
        Ok(asked) => asked,
        Err(code) => return code,
    };
    match &asked.out {
        Some(folder) => draw_all(&asked, None, |drawing| drawing.write(folder), folder),
        None => plot_into_run(&asked),
    }
}

/// What is to be drawn.
struct Asked {
    /// The run, and others that its figures show as well.
    run: PathBuf,
    others: Vec<PathBuf>,
    /// The file with the figures, and what it holds.
    file: Option<(PathBuf, String)>,
    /// Where the drawings go, if not into the run.
    out: Option<PathBuf>,
}

impl Asked {
    fn of(args: &PlotArgs) -> Result<Self, ExitCode> {
        let mut runs = args.paths.clone();
        let is_text =
            |path: &PathBuf| !path.is_dir() && (path.is_file() || path.extension().is_some_and(|e| e == "ron"));
        let file = if runs.len() > 1 {
            runs.pop_if(|path| is_text(path))
        } else {
            None
        };
        let wrong = |words: &str| {
            complain(words);
            ExitCode::from(WRONG)
        };
        if runs.len() > 1 && file.is_none() {
            return Err(wrong(
                "error: several runs, and no file with a figure of them: slipstick plot RUN RUN FIGURE.ron",
            ));
        }
        let text = file.as_ref().map(|file| study::read_text(file, "figures file"));
        let text = text.transpose().map_err(|e| wrong(&e.to_string()))?;
        let file = file.zip(text);
        let others = runs.split_off(1);
        let mut asked = Self {
            run: runs.remove(0),
            others,
            file,
            out: args.out.clone(),
        };
        if asked.out.is_none() && asked.is_of_more()? {
            // Figures of more than a run are no part of it: they go beside the text that describes them.
            asked.out = Some(asked.home().to_path_buf());
        }
        Ok(asked)
    }

    /// The folder from which figures name others.
    fn home(&self) -> &Path {
        let file = self.file.as_ref().and_then(|(file, _)| file.parent());
        file.filter(|home| !home.as_os_str().is_empty())
            .unwrap_or(Path::new("."))
    }

    /// Do the figures show anything beside one run?
    fn is_of_more(&self) -> Result<bool, ExitCode> {
        if !self.others.is_empty() {
            return Ok(true);
        }
        let Some((file, text)) = &self.file else {
            return Ok(false);
        };
        let figures = study::figures_in(file, text.clone()).map_err(|e| {
            complain(&e.to_string());
            ExitCode::from(WRONG)
        })?;
        Ok(figures
            .iter()
            .any(|figure| figure.names_folders() || figure.shows_data()))
    }

    /// The figures, with the tables that they are drawn from.
    fn gathered(&self, run: FinishedRun) -> Result<Gathered, ExitCode> {
        let figures = match &self.file {
            Some((file, text)) => study::figures_in(file, text.clone()),
            None => study_of(&self.run, &run.summary).map(|study| study.figures),
        };
        let figures = figures.map_err(|e| {
            complain(&e.to_string());
            ExitCode::from(WRONG)
        })?;
        let mut runs = vec![(self.run.clone(), run.data)];
        for folder in &self.others {
            runs.push((folder.clone(), finished(folder)?.data));
        }
        Gathered::new(figures, runs, self.home()).map_err(|e| self.refused("", e))
    }

    /// What is wrong with a figure.
    fn refused(&self, figure: &str, error: ReportError) -> ExitCode {
        complain(&match (error, &self.file) {
            (ReportError::Figure(e), Some((file, text))) => study::figure_complaint(file, text, &e),
            // What is wrong with a figure names it already.
            (ReportError::Figure(e), None) => format!("error: {e}"),
            (e, _) if figure.is_empty() => format!("error: {e}"),
            (e, _) => format!("error: figure `{figure}` could not be drawn: {e}"),
        });
        ExitCode::from(WRONG)
    }
}

fn finished(folder: &Path) -> Result<FinishedRun, ExitCode> {
    FinishedRun::read(folder).map_err(|e| {
        complain(&format!("error: {e}"));
        ExitCode::from(WRONG)
    })
}

/// Draw into the run's own folder, whose list of files they join.
fn plot_into_run(asked: &Asked) -> ExitCode {
    // What is wrong with the folder is said before it is held.
    let account = || std::fs::read(asked.run.join("run.json")).ok();
    let first = account();
    let before = match finished(&asked.run) {
        Ok(run) => run,
        Err(code) => return code,
    };
    let claim = match hold(&asked.run) {
        Ok(claim) => claim,
        Err(code) => return code,
    };
    // Another run may have taken its place in between.
    let before = (account() == first).then_some(before);
    let mut files = match Staging::begin(&claim) {
        Ok(files) => files,
        Err(e) => return unwritten(&e),
    };
    let mut account = claim.run().unwrap_or_default();
    let put = |drawing: &Drawing| {
        for (file, bytes) in drawing.contents()? {
            let path = format!("figures/{file}");
            files.put(&path, &bytes)?;
            let hash = files.files().get(&path).cloned().unwrap_or_default();
            match &asked.file {
                // The study's own, once more.
                None => {
                    account.drawn.remove(&path);
                    account.drawings.remove(drawing.name());
                    account.files.insert(path, hash);
                }
                Some((_, text)) => {
                    account.files.remove(&path);
                    account.drawn.insert(path, hash);
                    account.drawings.insert(drawing.name().to_owned(), text.clone());
                }
            }
        }
        Ok(())
    };
    let code = draw_all(asked, before, put, &asked.run.join("figures"));
    if files.files().is_empty() {
        return code;
    }
    match files.commit(&account, study::Checkpoint::is_in(&asked.run)) {
        Ok(reported) => report(reported),
        Err(e) => return unwritten(&e),
    }
    report(claim.release());
    code
}

fn unwritten(e: &ReportError) -> ExitCode {
    complain(&format!("error: {e}"));
    ExitCode::from(INCOMPLETE)
}

/// Draw the figures that were asked for, from the run as it was read, or as it is now; `put` takes each, and `folder`
/// is where it will be.
fn draw_all(
    asked: &Asked,
    run: Option<FinishedRun>,
    mut put: impl FnMut(&Drawing) -> Result<(), ReportError>,
    folder: &Path,
) -> ExitCode {
    let gathered = run.map_or_else(|| finished(&asked.run), Ok).and_then(|run| {
        // A run of another version may hold a study that is no study any more; what draws it is a file then.
        let study = study_of(&asked.run, &run.summary).ok();
        let study = study.filter(|_| asked.others.is_empty());
        Ok((study, asked.gathered(run)?))
    });
    let (study, Gathered { figures, data, .. }) = match gathered {
        Ok(gathered) => gathered,
        Err(code) => return code,
    };
    let mut code = ExitCode::SUCCESS;
    for figure in &figures {
        let signed = |drawing| match &study {
            Some(study) => study.sign(drawing),
            None => Ok(drawing),
        };
        let drawing = match draw(figure, &data).and_then(signed) {
            Ok(drawing) => drawing,
            Err(e) => {
                code = asked.refused(figure.name(), e);
                continue;
            }
        };
        for part in unseen(figure, &data) {
            complain(&format!("`{}`: {}", part.curve, part.reason));
            if code == ExitCode::SUCCESS {
                code = ExitCode::from(INCOMPLETE);
            }
        }
        match put(&drawing) {
            Ok(()) => say(&format!(
                "{}",
                folder.join(format!("{}.{{svg,pdf,png,tex}}", figure.name())).display()
            )),
            Err(e) => return unwritten(&e),
        }
        let own = |study: &study::spec::Study| study.figures.iter().any(|own| own.name() == figure.name());
        if asked.out.is_none() && asked.file.is_some() && study.as_ref().is_some_and(own) {
            complain(&format!(
                "figure `{}` now stands in place of the study's own; `slipstick plot {}` draws that again",
                figure.name(),
                asked.run.display()
            ));
        }
    }
    code
}

/// The study that was run.
fn study_of(run: &Path, summary: &RunSummary) -> Result<study::spec::Study, study::Rejected> {
    Ok(study::parse(&run.join("run.json"), summary.study.clone())?.spec)
}
