//! Figures of several runs: their tables put together, and the names that figures give them.
//!
//! The first run keeps its names. Curves and trajectories of the others are called after their run as well:
//! `frc (duff)`. A name without a folder means what all runs have under it.

use super::data_file::read_data;
use super::error::FigureError;
use super::spec::Figure;
use crate::column::Column;
use crate::explore::FinishedRun;
use crate::reference::reference_parts;
use crate::table::Table;
use crate::{ReportError, RunData};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Figures with the tables that they are drawn from.
///
/// ```
/// use slipstick_report::figure::{Figure, Gathered, draw};
/// use slipstick_report::{Kind, RunData, Table};
/// let run = |r: f64| {
///     let mut points = Table::new([("curve", Kind::Text), ("index", Kind::Number), ("r", Kind::Number), ("x", Kind::Number)]);
///     for k in 0..3usize {
///         points.push_row(["fold".into(), k.into(), (r + k as f64).into(), (k as f64).into()])?;
///     }
///     Ok::<_, slipstick_report::ReportError>(RunData { points, ..RunData::default() })
/// };
/// let figures = vec![Figure::from_ron(r#"Diagram(name: "both", x: "r", y: "x", of: ["fold"])"#).unwrap()];
/// let both = Gathered::new(figures, vec![("output/a".into(), run(0.0)?), ("output/b".into(), run(1.0)?)], "".as_ref())?;
/// assert_eq!(both.data.points.distinct("curve"), ["fold", "fold (b)"]);
/// assert!(draw(&both.figures[0], &both.data)?.svg().contains("<svg"));
/// # Ok::<(), slipstick_report::ReportError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Gathered {
    /// The figures, in the names of the tables.
    pub figures: Vec<Figure>,
    /// The tables of all runs.
    pub data: RunData,
}

/// A run with the name that the figure gives it.
struct Member {
    folder: PathBuf,
    name: String,
    data: RunData,
}

impl Member {
    /// Is this run meant by a folder, as it is written from `home`?
    fn is_at(&self, text: &str, home: &Path) -> bool {
        let same = |path: &Path| match (path.canonicalize(), self.folder.canonicalize()) {
            (Ok(a), Ok(b)) => a == b,
            _ => path == self.folder,
        };
        same(&home.join(text)) || self.folder.file_name().is_some_and(|name| name == text)
    }

    fn has(&self, kind: Kind, name: &str) -> bool {
        match kind {
            Kind::Curves | Kind::Orbits => {
                let curves = self.data.points.texts("curve");
                curves.is_ok_and(|curves| curves.iter().any(|curve| curve == name))
            }
            Kind::Trajectories => self.data.trajectories.contains_key(name) || self.data.tables.contains_key(name),
            Kind::Sweeps => self.data.seen(name).is_some(),
        }
    }

    /// What something of this run is called among several; the first run keeps its names.
    fn called(&self, at: usize, name: &str) -> String {
        if at == 0 {
            name.to_owned()
        } else {
            format!("{name} ({})", self.name)
        }
    }
}

/// What a list of a figure names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Curves,
    /// Curves with choices of their points.
    Orbits,
    Trajectories,
    Sweeps,
}

impl Gathered {
    /// Figures of these runs, by their folders, and of those that they name themselves, as in
    /// `of: ["../output/duff: frc"]`. Folders and files of data are named from the folder `home`.
    ///
    /// # Errors
    /// [`ReportError`] for a folder without a run, for files of data that cannot be read, and for runs whose tables do
    /// not fit together.
    pub fn new(mut figures: Vec<Figure>, runs: Vec<(PathBuf, RunData)>, home: &Path) -> Result<Self, ReportError> {
        let mut members: Vec<Member> = vec![];
        for (folder, data) in runs {
            add(&mut members, folder, data);
        }
        let mut named: Vec<(String, String)> = vec![];
        for figure in &mut figures {
            read_data(figure, home)?;
            let name = figure.name().to_owned();
            each_list(figure, &mut |kind, list| {
                let folders = list.iter().filter_map(|text| folder_of(text, kind, &members));
                named.extend(folders.map(|folder| (name.clone(), folder.to_owned())));
            });
        }
        for (figure, folder) in named {
            if !members.iter().any(|member| member.is_at(&folder, home)) {
                let path = home.join(&folder);
                let run = FinishedRun::read(&path).map_err(|e| FigureError::Run {
                    figure,
                    folder,
                    why: e.to_string(),
                })?;
                add(&mut members, path, run.data);
            }
        }
        for figure in &mut figures {
            let mut labels = BTreeMap::new();
            each_list(figure, &mut |kind, list| {
                *list = list
                    .iter()
                    .flat_map(|text| named_among(text, kind, &members, home))
                    .collect();
            });
            if members.len() > 1 {
                labels_of_first(&members[0], &mut labels);
            }
            each_labels(figure, &mut |own| {
                let given: Vec<(String, String)> =
                    own.iter().map(|(key, label)| (key.clone(), label.clone())).collect();
                for (key, label) in given {
                    let names = named_among(&key, Kind::Curves, &members, home);
                    if reference_parts(&key).len() > 1 {
                        own.extend(names.into_iter().map(|name| (name, label.clone())));
                    }
                }
                for (name, label) in &labels {
                    own.entry(name.clone()).or_insert_with(|| label.clone());
                }
            });
        }
        Ok(Self {
            figures,
            data: united(members)?,
        })
    }
}

impl Figure {
    /// Does it name runs by their folders, as in `of: ["../output/duff: frc"]`?
    #[must_use]
    pub fn names_folders(&self) -> bool {
        let mut named = false;
        each_list(&mut self.clone(), &mut |kind, list| {
            named |= list.iter().any(|text| {
                let parts = reference_parts(text);
                parts.len() > 1 && !(kind == Kind::Orbits && is_choice(parts[1]))
            });
        });
        named
    }

    /// Does it show data of one's own?
    #[must_use]
    pub fn shows_data(&self) -> bool {
        match self {
            Self::Diagram(diagram) => !diagram.data.is_empty(),
            Self::Panels(sheet) => sheet.panels.iter().any(Self::shows_data),
            _ => false,
        }
    }
}

/// One more run. It is called after its folder, by as many parts of the path as tell it from the others.
fn add(members: &mut Vec<Member>, folder: PathBuf, data: RunData) {
    let plain = |c: char| if ":,".contains(c) { '_' } else { c };
    let parts: Vec<String> = folder
        .iter()
        .map(|part| part.to_string_lossy().chars().map(plain).collect())
        .collect();
    let endings = (0..parts.len()).rev().map(|at| parts[at..].join("/"));
    let free = |name: &String| !members.iter().any(|other| other.name == *name);
    let name = endings.into_iter().find(free);
    let name = name.unwrap_or_else(|| format!("run {}", members.len() + 1));
    members.push(Member { folder, name, data });
}

/// The folder in front of a name, if there is one: what is in front of the name of a curve.
fn folder_of<'a>(text: &'a str, kind: Kind, members: &[Member]) -> Option<&'a str> {
    let parts = reference_parts(text);
    let own = |name: &str| members.iter().any(|member| member.has(kind, name));
    (parts.len() > 1 && !own(parts[0]) && !(kind == Kind::Orbits && is_choice(parts[1]))).then(|| parts[0])
}

/// Is this a choice of points, and no name of a curve?
fn is_choice(text: &str) -> bool {
    text.contains('=') || text.parse::<usize>().is_ok() || slipstick_bifurcation::Label::parse(text).is_some()
}

/// What a name means among the runs: in all that have it, or in the one whose folder stands in front of it. What none
/// has stays as it is, to be complained about.
fn named_among(text: &str, kind: Kind, members: &[Member], home: &Path) -> Vec<String> {
    let parts = reference_parts(text);
    let folder = folder_of(text, kind, members);
    let parts = if folder.is_some() { &parts[1..] } else { &parts[..] };
    let of = |(at, member): (usize, &Member)| {
        let meant = folder.is_none_or(|folder| member.is_at(folder, home)) && member.has(kind, parts[0]);
        meant.then(|| {
            let name = member.called(at, parts[0]);
            match parts[1..].join(", ") {
                choice if choice.is_empty() => name,
                choice => format!("{name}: {choice}"),
            }
        })
    };
    let found: Vec<String> = members.iter().enumerate().filter_map(of).collect();
    if found.is_empty() { vec![text.to_owned()] } else { found }
}

/// Beside the curves of other runs, those of the first say which it is, too.
fn labels_of_first(first: &Member, labels: &mut BTreeMap<String, String>) {
    let plain = |text: &str| text.chars().all(|c| c.is_alphanumeric() || " .-+=()/".contains(c));
    let curves = first.data.points.distinct("curve").into_iter().map(str::to_owned);
    for name in curves.chain(first.data.trajectories.keys().cloned()) {
        let label = format!("{name} ({})", first.name);
        if plain(&label) {
            labels.insert(name, label);
        }
    }
}

/// The lists of names in a figure.
fn each_list(figure: &mut Figure, change: &mut dyn FnMut(Kind, &mut Vec<String>)) {
    match figure {
        Figure::Diagram(diagram) => {
            change(Kind::Curves, &mut diagram.of);
            change(Kind::Sweeps, &mut diagram.attractors);
        }
        Figure::Orbits(orbits) => change(Kind::Orbits, &mut orbits.of),
        Figure::Trajectories(trajectories) => change(Kind::Trajectories, &mut trajectories.of),
        Figure::Manifold(manifold) => change(Kind::Orbits, &mut manifold.orbits),
        Figure::Space(space) => {
            change(Kind::Orbits, &mut space.orbits);
            change(Kind::Trajectories, &mut space.trajectories);
        }
        Figure::Chart(chart) => {
            if let Some(curves) = &mut chart.curves {
                change(Kind::Curves, curves);
            }
        }
        Figure::Family(_) | Figure::Twins(_) | Figure::Basins(_) => {}
        Figure::Panels(sheet) => sheet.panels.iter_mut().for_each(|panel| each_list(panel, change)),
    }
}

/// The labels of a figure.
pub(super) fn each_labels(figure: &mut Figure, change: &mut dyn FnMut(&mut BTreeMap<String, String>)) {
    match figure {
        Figure::Diagram(diagram) => change(&mut diagram.labels),
        Figure::Orbits(orbits) => change(&mut orbits.labels),
        Figure::Trajectories(trajectories) => change(&mut trajectories.labels),
        Figure::Manifold(manifold) => change(&mut manifold.labels),
        Figure::Space(space) => change(&mut space.labels),
        Figure::Chart(chart) => change(&mut chart.labels),
        Figure::Family(family) => change(&mut family.labels),
        Figure::Twins(twins) => change(&mut twins.labels),
        Figure::Basins(basins) => change(&mut basins.labels),
        Figure::Panels(sheet) => sheet.panels.iter_mut().for_each(|panel| each_labels(panel, change)),
    }
}

/// The tables of all runs. Tasks and portraits are those of the first.
fn united(members: Vec<Member>) -> Result<RunData, ReportError> {
    let mut members = members.into_iter().enumerate();
    let Some((_, first)) = members.next() else {
        return Ok(RunData::default());
    };
    let mut all = first.data;
    for (at, mut member) in members {
        let data = std::mem::take(&mut member.data);
        let called = |name: &str| member.called(at, name);
        all.points = appended(all.points, renamed(data.points, &called)?)?;
        all.special = appended(all.special, renamed(data.special, &called)?)?;
        let orbits = data.orbits.into_iter();
        all.orbits
            .extend(orbits.map(|((curve, index), orbit)| ((called(&curve), index), orbit)));
        let others = [
            (&mut all.inequalities, data.inequalities),
            (&mut all.trajectories, data.trajectories),
            (&mut all.attractors, data.attractors),
            (&mut all.tables, data.tables),
        ];
        for (tables, more) in others {
            tables.extend(more.into_iter().map(|(name, table)| (called(&name), table)));
        }
    }
    Ok(all)
}

/// A table whose curves have other names.
fn renamed(mut table: Table, called: &dyn Fn(&str) -> String) -> Result<Table, ReportError> {
    if let Ok(curves) = table.texts("curve") {
        let curves = curves.iter().map(|curve| called(curve)).collect();
        table.set_column("curve", Column::Text(curves))?;
    }
    Ok(table)
}

/// The rows of both. Parameters stand before the period, where those of one table alone stand as well.
fn appended(one: Table, other: Table) -> Result<Table, ReportError> {
    let mut heads: Vec<(String, crate::Kind)> = one
        .columns()
        .map(|(name, column)| (name.to_owned(), column.kind()))
        .collect();
    let border = |name: &str| name == "period";
    let mut before = true;
    for (name, column) in other.columns() {
        before &= !border(name);
        if one.has(name) {
            continue;
        }
        let end = heads.iter().position(|(head, _)| border(head)).filter(|_| before);
        heads.insert(end.unwrap_or(heads.len()), (name.to_owned(), column.kind()));
    }
    let mut both = Table::new(heads);
    both.append(one)?;
    both.append(other)?;
    Ok(both)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::Kind as Cells;

    fn run(parameter: &str, curves: &[&str]) -> RunData {
        let mut points = Table::new([
            ("curve", Cells::Text),
            ("index", Cells::Number),
            ("label", Cells::Text),
            (parameter, Cells::Number),
            ("period", Cells::Number),
            ("stable", Cells::Flag),
        ]);
        for curve in curves {
            for k in 0..3usize {
                let at = k as f64;
                points
                    .push_row([
                        (*curve).into(),
                        k.into(),
                        "".into(),
                        at.into(),
                        (1.0 + at).into(),
                        true.into(),
                    ])
                    .unwrap();
            }
        }
        RunData {
            special: points.clone(),
            points,
            ..RunData::default()
        }
    }

    fn gathered(figure: &str, runs: Vec<(&str, RunData)>) -> Gathered {
        let runs = runs.into_iter().map(|(folder, data)| (folder.into(), data)).collect();
        Gathered::new(vec![Figure::from_ron(figure).unwrap()], runs, Path::new("")).unwrap()
    }

    fn of(gathered: &Gathered) -> Vec<String> {
        match &gathered.figures[0] {
            Figure::Diagram(diagram) => diagram.of.clone(),
            Figure::Orbits(orbits) => orbits.of.clone(),
            _ => vec![],
        }
    }

    #[test]
    fn names_mean_all_runs_and_folders_one() {
        let runs = || vec![("out/a", run("r", &["fold", "rest"])), ("out/b", run("r", &["fold"]))];
        let diagram = |of: &str| format!(r#"Diagram(name: "d", x: "r", y: "period", of: [{of}])"#);
        assert_eq!(of(&gathered(&diagram(r#""fold""#), runs())), ["fold", "fold (b)"]);
        assert_eq!(of(&gathered(&diagram(r#""rest""#), runs())), ["rest"]);
        assert_eq!(of(&gathered(&diagram(r#""out/b: fold""#), runs())), ["fold (b)"]);
        assert_eq!(
            of(&gathered(&diagram(r#""b, fold", "a: rest""#), runs())),
            ["fold (b)", "rest"]
        );
        // What no run has is left for the check to complain about.
        assert_eq!(of(&gathered(&diagram(r#""foold""#), runs())), ["foold"]);
        let orbits = r#"Orbits(name: "o", of: ["fold: LP, 2", "b: fold: r=1"], panels: [Time("x")])"#;
        assert_eq!(
            of(&gathered(orbits, runs())),
            ["fold: LP, 2", "fold (b): LP, 2", "fold (b): r=1"]
        );
    }

    #[test]
    fn runs_of_one_name_are_told_apart() {
        let both = gathered(
            r#"Diagram(name: "d", x: "r", y: "period")"#,
            vec![("one/out", run("r", &["fold"])), ("two/out", run("r", &["fold"]))],
        );
        assert_eq!(both.data.points.distinct("curve"), ["fold", "fold (two/out)"]);
    }

    #[test]
    fn parameters_of_one_run_alone_stay_parameters() {
        let both = gathered(
            r#"Diagram(name: "d", x: "r", y: "period")"#,
            vec![("a", run("r", &["fold"])), ("b", run("s", &["fold"]))],
        );
        let names = both.data.points.names();
        let place = |name: &str| names.iter().position(|n| n == name).unwrap();
        assert!(
            place("r") < place("period") && place("s") < place("period"),
            "{names:?}"
        );
        let free = super::super::diagram::free_parameters(&both.data.points.rows_where("curve", "fold (b)"));
        assert_eq!(free, ["s"]);
        let free = super::super::diagram::free_parameters(&both.data.points.rows_where("curve", "fold"));
        assert_eq!(free, ["r"]);
    }
}
