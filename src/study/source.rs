//! Starts that were computed before: points of other curves of the study, of finished runs, orbits in files.

use super::complaint::Complaint;
use super::plan::NamedSystem;
use super::plan::further_of;
use super::results::CurveResult;
use slipstick_bifurcation::Label;
use slipstick_continuation::Point;
use slipstick_report::{Column, Table, orbit_file_name, read_solutions};
use slipstick_system::text::plain_name;
use slipstick_system::{System, Units};
use std::path::{Path, PathBuf};

/// Where a start is taken from.
///
/// ```
/// use slipstick_study::{self as study, StartPlan};
/// let text = r#"Study(
///     title: "Points of another curve",
///     system: Smooth(states: ["x"], parameters: {"a": 1}, equations: ["x' = a*x - x^3"]),
///     curves: [
///         Curve(name: "rest", orbit: Equilibrium, start: Guess(at: {"a": 1}, states: [{"x": 0}]), free: "a", range: (-1, 2)),
///         Curve(name: "away", orbit: Equilibrium, start: Point(from: "rest, BP"), free: "a", range: (-1, 2)),
///     ],
/// )"#;
/// let plan = study::parse("study.ron".as_ref(), text.into())?.plan(&[])?;
/// let StartPlan::Point { source, after, .. } = &plan.curves[1].start else { panic!("it starts from a point") };
/// assert_eq!((source.curve.as_str(), source.folder.is_none(), *after), ("rest", true, Some(0)));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// The output folder of another run; none for a curve of this study.
    pub folder: Option<PathBuf>,
    /// The curve.
    pub curve: String,
    /// Which of its points.
    pub pick: Pick,
}

/// Which points of a curve.
///
/// ```
/// use slipstick_study::{self as study, Pick, StartPlan};
/// let text = r#"Study(
///     title: "Points of another curve",
///     system: Smooth(states: ["x"], parameters: {"a": 1}, equations: ["x' = a*x - x^3"]),
///     curves: [
///         Curve(name: "rest", orbit: Equilibrium, start: Guess(at: {"a": 1}, states: [{"x": 0}]), free: "a", range: (-1, 2)),
///         Curve(name: "away", orbit: Equilibrium, start: Point(from: "rest, BP"), free: "a", range: (-1, 2)),
///     ],
/// )"#;
/// let plan = study::parse("study.ron".as_ref(), text.into())?.plan(&[])?;
/// let StartPlan::Point { source, .. } = &plan.curves[1].start else { panic!("it starts from a point") };
/// assert!(matches!(&source.pick, Pick::Label(label, None) if label == "BP"), "all of them");
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Pick {
    /// Those with a label: all of them, or the one with this number along the curve, from 1.
    Label(String, Option<usize>),
    /// Those where a column has a value.
    Level(String, f64),
    /// The one with this index.
    Index(usize),
}

/// An orbit to start from, as tables hold it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Given {
    /// The label of the point it was, if it was one.
    pub(super) label: String,
    /// Parameters by name.
    pub(super) parameters: Vec<(String, f64)>,
    /// Times of the rows.
    pub(super) t: Vec<f64>,
    /// All states of the system in each row.
    pub(super) states: Vec<Vec<f64>>,
    /// The mode in each row.
    pub(super) modes: Vec<usize>,
    /// The point itself, where it is one of a curve of the same run.
    pub(super) known: Option<Known>,
}

/// A point of a curve of the same run: solved already, on its own meshes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Known {
    /// The word of the piece that it lies on.
    pub(super) word: String,
    pub(super) point: Point,
}

impl Given {
    /// The same orbit in other units. Its unknowns are those of the units that it was solved in.
    fn told_in(mut self, from: &Units, to: &Units) -> Self {
        if from != to {
            self.t.iter_mut().for_each(|t| *t *= from.time / to.time);
            for (i, x) in self.states.iter_mut().flat_map(|x| x.iter_mut().enumerate()) {
                *x *= from.state(i) / to.state(i);
            }
            self.known = None;
        }
        self
    }
}

impl Source {
    /// Read `"curve, label"` or `"folder, curve, label"`.
    pub(super) fn parse(text: &str, home: &Path) -> Result<Self, String> {
        let parts: Vec<&str> = text.split(',').map(str::trim).collect();
        let (folder, curve, pick) = match parts[..] {
            [curve, pick] => (None, curve, pick),
            [folder, curve, pick] => (Some(home.join(folder)), curve, pick),
            _ => return Err(format!("`{text}` does not name a point")),
        };
        if curve.is_empty() || pick.is_empty() {
            return Err(format!("`{text}` does not name a point"));
        }
        let pick = if let Some((column, value)) = pick.split_once('=') {
            let value = value
                .trim()
                .parse()
                .map_err(|_| format!("`{}` is not a number", value.trim()))?;
            Pick::Level(plain_name(column.trim()), value)
        } else if let Ok(index) = pick.parse() {
            Pick::Index(index)
        } else if let Some((label, number)) = pick.split_once(' ') {
            match number.trim().parse() {
                Ok(k) if k > 0 => Pick::Label(label.into(), Some(k)),
                _ => return Err(format!("`{}` does not count points from 1", number.trim())),
            }
        } else {
            Pick::Label(pick.into(), None)
        };
        if let Pick::Label(label, _) = &pick
            && !Label::ALL.iter().any(|l| l.code() == label)
        {
            let known: Vec<&str> = Label::ALL.iter().map(|l| l.code()).collect();
            return Err(format!("`{label}` is no label; labels are {}", known.join(", ")));
        }
        Ok(Self {
            folder,
            curve: curve.into(),
            pick,
        })
    }

    /// In words.
    fn describe(&self) -> String {
        let point = match &self.pick {
            Pick::Label(label, None) => format!("with label {label}"),
            Pick::Label(label, Some(k)) => format!("number {k} with label {label}"),
            Pick::Level(column, value) => format!("with {column} = {value}"),
            Pick::Index(index) => format!("with index {index}"),
        };
        match &self.folder {
            Some(folder) => format!("a point {point} on curve `{}` in {}", self.curve, folder.display()),
            None => format!("a point {point} on curve `{}`", self.curve),
        }
    }

    /// The points meant, with their orbits.
    pub(super) fn find(
        &self,
        system: &System,
        systems: &[NamedSystem],
        earlier: &[&CurveResult],
    ) -> Result<Vec<Given>, String> {
        let found = match &self.folder {
            Some(folder) => self.in_folder(folder, system)?,
            None => self.in_study(system, systems, earlier)?,
        };
        if found.is_empty() {
            let mut why = format!("there is no {}", self.describe().trim_start_matches("a "));
            let siblings = if self.folder.is_none() {
                self.siblings(earlier)
            } else {
                vec![]
            };
            if !siblings.is_empty() {
                why += &format!(
                    "; from the same start there are some on {}: write that name",
                    siblings.join(", ")
                );
            }
            return Err(why);
        }
        Ok(found)
    }

    /// The curves that the same entry of the study gave besides (`rest-2`, …) and that have a point with the label.
    fn siblings(&self, earlier: &[&CurveResult]) -> Vec<String> {
        let Pick::Label(wanted, _) = &self.pick else {
            return vec![];
        };
        let of_entry = |name: &str| name.strip_prefix(&self.curve).is_some_and(|rest| rest.starts_with('-'));
        let has = |c: &CurveResult| c.points().any(|(_, _, p)| p.label.is_some_and(|l| l.code() == wanted));
        let fitting = earlier.iter().filter(|c| of_entry(&c.name) && has(c));
        fitting.map(|c| format!("`{}`", c.name)).collect()
    }

    /// Does the `count`-th point with this label (from 1) fit?
    fn fits(&self, index: usize, label: &str, count: usize, column: impl Fn(&str) -> Option<f64>) -> bool {
        match &self.pick {
            Pick::Label(wanted, number) => wanted == label && number.is_none_or(|k| k == count),
            Pick::Level(name, value) => column(name).is_some_and(|v| (v - value).abs() <= 1e-9 * (1.0 + value.abs())),
            Pick::Index(wanted) => *wanted == index,
        }
    }

    fn in_study(
        &self,
        system: &System,
        systems: &[NamedSystem],
        earlier: &[&CurveResult],
    ) -> Result<Vec<Given>, String> {
        let curve = earlier
            .iter()
            .find(|c| c.name == self.curve)
            .ok_or_else(|| format!("curve `{}` gave nothing to start from", self.curve))?;
        let of = curve
            .system
            .and_then(|k| systems.get(k))
            .map_or(system, |named| &named.system);
        let mut found = vec![];
        let mut first = 0;
        let mut count = 0;
        for piece in &curve.pieces {
            for (at, sample) in &piece.orbits {
                let p = &piece.branch.points[*at];
                let label = p.label.map_or("", Label::code);
                if matches!(&self.pick, Pick::Label(wanted, _) if wanted == label) {
                    count += 1;
                }
                let column = |name: &str| {
                    let parameter = curve.parameters.iter().position(|n| n == name);
                    let monitor = curve.monitors.iter().position(|n| n == name);
                    parameter
                        .map(|i| p.record.parameters[i])
                        .or_else(|| monitor.map(|i| p.record.monitors[i] * of.unit_of_column(name)))
                        .or_else(|| (name == "period").then_some(p.record.period * of.units.time))
                };
                if self.fits(first + at, label, count, column) {
                    let given = Given {
                        label: label.into(),
                        parameters: curve
                            .parameters
                            .iter()
                            .cloned()
                            .zip(p.record.parameters.iter().copied())
                            .collect(),
                        t: sample.t.clone(),
                        states: sample.states.clone(),
                        modes: sample.modes.clone(),
                        known: Some(Known {
                            word: piece.word.clone(),
                            point: p.point.clone(),
                        }),
                    };
                    found.push(given.told_in(&of.units, &system.units));
                }
            }
            first += piece.branch.points.len();
        }
        Ok(found)
    }

    fn in_folder(&self, folder: &Path, system: &System) -> Result<Vec<Given>, String> {
        let special = Table::read(folder.join("special.csv"))
            .map_err(|e| format!("{e}; give the output folder of a finished run"))?;
        let words = |name: &str| special.texts(name).map_err(|e| e.to_string());
        let (curves, labels) = (words("curve")?, words("label")?);
        let indices = special.numbers("index").map_err(|e| e.to_string())?;
        let mut found = vec![];
        let mut count = 0;
        for row in 0..special.rows() {
            if curves[row] != self.curve {
                continue;
            }
            if matches!(&self.pick, Pick::Label(wanted, _) if *wanted == labels[row]) {
                count += 1;
            }
            let column = |name: &str| special.numbers(name).ok().map(|v| v[row]);
            let index = indices[row] as usize;
            if !self.fits(index, &labels[row], count, column) {
                continue;
            }
            let name = orbit_file_name(&self.curve, index).map_err(|e| e.to_string())?;
            let mut given = read_orbit(&folder.join("orbits").join(name), system)?;
            given.label.clone_from(&labels[row]);
            given.parameters = system
                .parameters
                .iter()
                .filter_map(|p| Some((p.name.clone(), column(&p.name)?)))
                .filter(|p| p.1.is_finite())
                .collect();
            found.push(given);
        }
        if found.is_empty() && !curves.contains(&self.curve) {
            let mut known: Vec<&str> = curves.iter().map(String::as_str).collect();
            known.dedup();
            return Err(format!(
                "the run in {} has no curve `{}`; it has: {}",
                folder.display(),
                self.curve,
                known.join(", ")
            ));
        }
        Ok(found)
    }
}

/// Read an orbit file: `t`, the states by name and, for hybrid systems, `mode`.
pub(super) fn read_orbit(path: &Path, system: &System) -> Result<Given, String> {
    let table = Table::read(path).map_err(|e| e.to_string())?;
    let numbers = |name: &str| table.numbers(name).map_err(|e| format!("{}: {e}", path.display()));
    let t = match table.get("t") {
        None if table.rows() == 1 => vec![0.0],
        _ => numbers("t")?.to_vec(),
    };
    let columns: Vec<&[f64]> = system
        .states
        .iter()
        .map(|s| numbers(&s.name))
        .collect::<Result<_, _>>()?;
    if t.is_empty() {
        return Err(format!("{} has no rows", path.display()));
    }
    let states: Vec<Vec<f64>> = (0..t.len()).map(|i| columns.iter().map(|c| c[i]).collect()).collect();
    if let Some(row) = (0..t.len()).find(|&i| !t[i].is_finite() || states[i].iter().any(|v| !v.is_finite())) {
        return Err(format!(
            "{}: row {} has a number that is not finite",
            path.display(),
            row + 1
        ));
    }
    if let Some(row) = (1..t.len()).find(|&i| t[i] < t[i - 1]) {
        return Err(format!("{}: time runs backwards in row {}", path.display(), row + 1));
    }
    let modes = match table.get("mode") {
        Some(Column::Text(names)) => names
            .iter()
            .map(|name| {
                let known = || {
                    let modes: Vec<&str> = system.modes.iter().map(|m| &*m.name).collect();
                    format!(
                        "{}: unknown mode `{name}`; this system has: {}",
                        path.display(),
                        modes.join(", ")
                    )
                };
                system.mode(name).ok_or_else(known)
            })
            .collect::<Result<_, _>>()?,
        _ if system.is_hybrid() => return Err(format!("{} has no column `mode`", path.display())),
        _ => vec![system.start.0; t.len()],
    };
    let given = Given {
        t,
        states,
        modes,
        ..Given::default()
    };
    Ok(given.told_in(&Units::default(), &system.units))
}

/// Read the solution with a label from a file of AUTO's; `numbers` are AUTO's numbers of the parameters.
pub(super) fn read_auto(path: &Path, label: usize, numbers: &[usize], system: &System) -> Result<Given, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let solutions = read_solutions(&text, &path.display().to_string()).map_err(|e| e.to_string())?;
    let Some(solution) = solutions.iter().find(|s| s.label == label) else {
        let known: Vec<String> = solutions.iter().map(|s| s.label.to_string()).collect();
        return Err(format!(
            "{} has no solution with label {label}; it has: {}",
            path.display(),
            known.join(", ")
        ));
    };
    let n = solution.states[0].len();
    if n != system.states.len() {
        return Err(format!(
            "the solutions in {} have {n} states, the system has {}",
            path.display(),
            system.states.len()
        ));
    }
    let stretch = if solution.t.len() > 1 { solution.period() } else { 1.0 };
    if !(stretch > 0.0 && stretch.is_finite()) {
        return Err(format!("solution {label} in {} has no period, PAR(11)", path.display()));
    }
    let parameters = system
        .parameters
        .iter()
        .zip(numbers)
        .filter_map(|(p, &k)| Some((p.name.clone(), *solution.parameters.get(k - 1)?)));
    let given = Given {
        label: String::new(),
        parameters: parameters.collect(),
        t: solution.t.iter().map(|t| t * stretch).collect(),
        modes: vec![system.start.0; solution.t.len()],
        states: solution.states.clone(),
        known: None,
    };
    Ok(given.told_in(&Units::default(), &system.units))
}

/// Check the source that a study names for the curve number `own`; returns it with the number of the curve it depends on.
pub(super) fn resolve(
    text: &str,
    path: &str,
    home: &Path,
    curves: &[super::spec::CurveSpec],
    own: usize,
    complaints: &mut Vec<Complaint>,
) -> Option<(Source, Option<usize>)> {
    let here = format!("{path}.from");
    let source = match Source::parse(text, home) {
        Ok(source) => source,
        Err(why) => {
            complaints.push(
                Complaint::new(here, why)
                    .help("write `\"curve, label\"` for a curve of this study, `\"folder, curve, label\"` for one of a finished run"),
            );
            return None;
        }
    };
    if source.folder.is_some() {
        return Some((source, None));
    }
    // A curve that traces several is called NAME, NAME-2, NAME-BP4a and so on.
    let base = curves[..own]
        .iter()
        .enumerate()
        .filter(|(_, c)| source.curve == c.name || source.curve.starts_with(&format!("{}-", c.name)))
        .max_by_key(|(_, c)| c.name.len());
    match base {
        Some((index, curve)) => {
            if source.curve != curve.name
                && let Err(why) = further_of(curve, &source.curve)
            {
                complaints.push(Complaint::new(here, why));
                return None;
            }
            Some((source, Some(index)))
        }
        None => {
            let known: Vec<&str> = curves[..own].iter().map(|c| c.name.as_str()).collect();
            let message = if own == 0 && !curves.iter().any(|c| c.name == source.curve) {
                format!("unknown curve `{}`; no curve stands above this one", source.curve)
            } else if curves[own..].iter().any(|c| c.name == source.curve) {
                format!("curve `{}` does not come before this one", source.curve)
            } else {
                format!(
                    "unknown curve `{}`; the curves before this one are: {}",
                    source.curve,
                    known.join(", ")
                )
            };
            complaints.push(Complaint::new(here, message).help("name a curve that stands above this one"));
            None
        }
    }
}
