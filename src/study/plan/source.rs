//! Where a start is taken from: points of other curves of the study, of finished runs.
use crate::plan::named_system::NamedSystem;
use crate::plan::names::further_of;
use crate::plan::points;
use crate::text::complaint::Complaint;
use slipstick_bifurcation::Label;
use slipstick_report::reference_parts;
use slipstick_system::text::plain_name;
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

impl Source {
    /// Read `"curve, label"` or `"folder, curve, label"`, which stands at `path` in the study; colons do as well.
    fn parse(text: &str, path: &str, home: &Path) -> Result<Self, Complaint> {
        let wrong = |message: String| Complaint::new(path, message);
        let parts = reference_parts(text);
        let (folder, curve, pick) = match parts[..] {
            [curve, pick] => (None, curve, pick),
            [folder, curve, pick] => (Some(home.join(folder)), curve, pick),
            _ => return Err(wrong(format!("`{text}` does not name a point"))),
        };
        if curve.is_empty() || pick.is_empty() {
            return Err(wrong(format!("`{text}` does not name a point")));
        }
        let pick = if let Some((column, value)) = pick.split_once('=') {
            let value = value
                .trim()
                .parse()
                .map_err(|_| wrong(format!("`{}` is not a number", value.trim())))?;
            Pick::Level(plain_name(column.trim()), value)
        } else if let Ok(index) = pick.parse() {
            Pick::Index(index)
        } else if let Some((label, number)) = pick.split_once(' ') {
            match number.trim().parse() {
                Ok(k) if k > 0 => Pick::Label(label.into(), Some(k)),
                _ => return Err(wrong(format!("`{}` does not count points from 1", number.trim()))),
            }
        } else {
            Pick::Label(pick.into(), None)
        };
        if let Pick::Label(label, _) = &pick
            && !Label::ALL.iter().any(|l| l.code() == label)
        {
            let known: Vec<&str> = Label::ALL.iter().map(|l| l.code()).collect();
            let message = format!("`{label}` is no label; labels are {}", known.join(", "));
            return Err(wrong(message));
        }
        Ok(Self {
            folder,
            curve: curve.into(),
            pick,
        })
    }
}

/// Check the source that a study names for the curve number `own`; returns it with the number of the curve it depends
/// on.
pub(crate) fn resolve(
    text: &str,
    (path, key): (&str, &str),
    home: &Path,
    (curves, systems): (&[crate::spec::curve::CurveSpec], &[NamedSystem]),
    own: usize,
    complaints: &mut Vec<Complaint>,
) -> Option<(Source, Option<usize>)> {
    let here = format!("{path}.{key}");
    let source = match Source::parse(text, &here, home) {
        Ok(source) => source,
        Err(complaint) => {
            complaints.push(
                complaint
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
                && let Err(complaint) = further_of(curve, &source.curve, &here)
            {
                complaints.push(complaint);
                return None;
            }
            let known = points::of_curve(curve, systems);
            let refused = match &source.pick {
                Pick::Label(label, _) => known.refuses_label(&source.curve, label),
                // Where the curve starts it has a point as well.
                Pick::Level(column, value) if points::starts_at(curve, systems, column, *value) => None,
                Pick::Level(column, value) => known.refuses_level(&source.curve, column, *value),
                Pick::Index(_) => None,
            };
            if let Some(why) = refused {
                complaints.push(points::refused(&here, &why));
                return None;
            }
            Some((source, Some(index)))
        }
        None => {
            let known: Vec<&str> = curves[..own].iter().map(|c| c.name.as_str()).collect();
            let message = if own == 0 && !curves.iter().any(|c| c.name == source.curve) {
                format!("unknown curve `{}`; there is no curve before this one", source.curve)
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
