//! One traced curve and its pieces.
use slipstick_bifurcation::{Branch, BranchPoint, End, InequalitySpec, Label};
use slipstick_orbit::OrbitSample;

/// One traced curve.
///
/// ```
/// use slipstick_study::{self as study, Silent};
/// let text = r#"Study(
///     title: "Steady states of x' = r - x²",
///     system: Smooth(states: ["x"], parameters: {"r": 1}, equations: ["x' = r - x^2"]),
///     curves: [Curve(name: "fold", orbit: Equilibrium, start: Guess(at: {"r": 1}, states: [{"x": 1}]), free: "r", range: (-1, 2))],
/// )"#;
/// let plan = study::parse("fold.ron".as_ref(), text.into())?.plan(&[])?;
/// let fold = &study::run(&plan, &Silent, &false.into()).curves[0];
/// assert_eq!((fold.free.as_str(), fold.special().as_str()), ("r", "2 EP, LP"));
/// assert!(fold.covered().0.abs() < 1e-9);
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct CurveResult {
    /// Its name in tables.
    pub name: String,
    /// Index of its system in the plan; none for the curve of an analysis, which samples its own orbits.
    pub system: Option<usize>,
    /// Names of all parameters.
    pub parameters: Vec<String>,
    /// The name of the free parameter; of a two-parameter curve both: `Omega, mu_s`.
    pub free: String,
    /// Names of the monitors.
    pub monitors: Vec<String>,
    /// The pieces in order along the curve; a curve has more than one where its word was switched.
    pub pieces: Vec<Piece>,
    /// What is to be said of its start, where it is not the one asked for, and levels at which it has no point.
    pub note: String,
    /// Computing time.
    pub seconds: f64,
}

impl CurveResult {
    /// All points with their indices along the curve, and the piece each belongs to.
    pub fn points(&self) -> impl Iterator<Item = (usize, &Piece, &BranchPoint)> {
        self.pieces
            .iter()
            .flat_map(|p| p.branch.points.iter().map(move |q| (p, q)))
            .enumerate()
            .map(|(i, (p, q))| (i, p, q))
    }
    /// The number of points.
    pub fn len(&self) -> usize {
        self.pieces.iter().map(|p| p.branch.points.len()).sum()
    }
    /// Has it no points?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The range of the (first) free parameter that the curve covers.
    pub fn covered(&self) -> (f64, f64) {
        self.points()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), (_, _, p)| {
                let v = p.point.parameter();
                (lo.min(v), hi.max(v))
            })
    }
    /// The range of each free parameter in words: `Omega from 0.5 to 2, mu_s from 1 to 1.5`; numbers as `written`.
    pub fn ranges(&self, written: impl Fn(f64) -> String) -> String {
        let range = |name: &str| {
            let (from, to) = match self.parameters.iter().position(|p| p == name) {
                Some(i) if self.free.contains(", ") => self
                    .points()
                    .map(|(_, _, p)| p.record.parameters[i])
                    .fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(v), hi.max(v))),
                _ => self.covered(),
            };
            // What is rounding beside the range is zero.
            let plain = |v: f64| if v.abs() < 1e-15 * (to - from) { 0.0 } else { v };
            format!("{name} from {} to {}", written(plain(from)), written(plain(to)))
        };
        let all: Vec<String> = self.free.split(", ").map(range).collect();
        all.join(", ")
    }
    /// The special points in words: `LP, SB, 5 UZ`.
    pub fn special(&self) -> String {
        counted(self.points().filter_map(|(_, _, p)| p.label).map(|label| label.code()))
    }
    /// The words of its orbits in order.
    pub fn words(&self) -> String {
        let words: Vec<&str> = self.pieces.iter().map(|p| p.word.as_str()).collect();
        words.join(" → ")
    }
    /// Why it ended, at its first point (for curves traced both ways) and at its last.
    pub fn ends(&self) -> Vec<&End> {
        let (Some(first), Some(last)) = (self.pieces.first(), self.pieces.last()) else {
            return vec![];
        };
        let begin = (first.branch.ends.len() > 1)
            .then(|| first.branch.ends.first())
            .flatten();
        begin.into_iter().chain(last.branch.ends.last()).collect()
    }
    /// The same in words.
    pub fn ended(&self) -> String {
        let words: Vec<String> = self.ends().into_iter().map(End::describe).collect();
        words.join(" | ")
    }
}

/// Labels in words, each with its number: `LP, SB, 5 UZ`.
pub(crate) fn counted<'l>(labels: impl Iterator<Item = &'l str>) -> String {
    let mut counts: Vec<(&str, usize)> = vec![];
    for label in labels {
        match counts.iter_mut().find(|c| c.0 == label) {
            Some(c) => c.1 += 1,
            None => counts.push((label, 1)),
        }
    }
    let words = counts.iter().map(|(label, count)| match count {
        1 => (*label).to_owned(),
        n => format!("{n} {label}"),
    });
    let words: Vec<String> = words.collect();
    if words.is_empty() {
        "none".into()
    } else {
        words.join(", ")
    }
}

/// The part of a curve on which the word of its orbits stays the same.
///
/// ```
/// use slipstick_study as study;
/// let text = r#"Study(
///     title: "One curve",
///     system: Stiction(mu_s: 1.1, mu_d: 0.4),
///     curves: [Curve(name: "stiff", orbit: Symmetric("slip- stick"), start: All(at: {"Omega": 2}), free: "Omega", range: (1.9, 2.1))],
/// )"#;
/// let plan = study::parse("study.ron".as_ref(), text.into())?.plan(&[])?;
/// let result = study::run(&plan, &study::Silent, &false.into());
/// // One word all along, so one piece.
/// let [piece] = &result.curves[0].pieces[..] else { panic!("the word is switched") };
/// assert!(piece.word.starts_with("slip- land stick") && !piece.branch.points.is_empty());
/// // The orbits at labelled points are kept.
/// assert_eq!(piece.orbits.len(), piece.branch.special().count());
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Piece {
    /// The word.
    pub word: String,
    /// Are its orbits halves of symmetric ones?
    pub half: bool,
    /// The points.
    pub branch: Branch,
    /// What each inequality of their records is about.
    pub inequalities: Vec<InequalitySpec>,
    /// Sampled orbits at the labelled points, by their index in this piece.
    pub orbits: Vec<(usize, OrbitSample)>,
    /// Some of the orbits in between, sampled more coarsely, for reports.
    pub between: Vec<(usize, OrbitSample)>,
}

impl Piece {
    /// The first point, or the last.
    pub(crate) fn end(&self, at_start: bool) -> Option<&BranchPoint> {
        if at_start {
            self.branch.points.first()
        } else {
            self.branch.points.last()
        }
    }

    /// The same, to be added to.
    pub(crate) fn end_mut(&mut self, at_start: bool) -> Option<&mut BranchPoint> {
        if at_start {
            self.branch.points.first_mut()
        } else {
            self.branch.points.last_mut()
        }
    }

    /// Of the monitors called `own` keep those of the curve: a piece that is followed on meshes has others beside them.
    pub(crate) fn keep_monitors(&mut self, own: &[String], of_curve: &[String]) {
        if own == of_curve {
            return;
        }
        let place = |name: &String| own.iter().position(|own| own == name);
        let places: Vec<Option<usize>> = of_curve.iter().map(place).collect();
        for point in &mut self.branch.points {
            let values = &point.record.monitors;
            let value = |place: &Option<usize>| place.and_then(|k| values.get(k).copied()).unwrap_or(f64::NAN);
            point.record.monitors = places.iter().map(value).collect();
        }
    }

    /// Put a point of forward non-uniqueness beside an end, with the end's orbit; what there is to choose from is added
    /// to one that is there already.
    pub(crate) fn mark_choice(&mut self, at_start: bool, message: String) {
        let count = self.branch.points.len();
        let Some(end) = self.end(at_start).cloned() else { return };
        let beside = if at_start { 1 } else { count.wrapping_sub(2) };
        if let Some(known) = self
            .branch
            .points
            .get_mut(beside)
            .filter(|p| p.label == Some(Label::NU))
        {
            known.message.push_str(&format!("; {message}"));
            return;
        }
        let place = if at_start { 1 } else { count - 1 };
        let old = if at_start { 0 } else { count - 1 };
        let orbit = self
            .orbits
            .iter()
            .find(|(i, _)| *i == old)
            .map(|(_, sample)| sample.clone());
        for (i, _) in self.orbits.iter_mut().chain(&mut self.between) {
            *i += usize::from(*i >= place);
        }
        self.branch.start += usize::from(self.branch.start >= place);
        let label = Some(Label::NU);
        self.branch.points.insert(place, BranchPoint { label, message, ..end });
        if let Some(orbit) = orbit {
            let at = self
                .orbits
                .iter()
                .position(|(i, _)| *i > place)
                .unwrap_or(self.orbits.len());
            self.orbits.insert(at, (place, orbit));
        }
    }
}
