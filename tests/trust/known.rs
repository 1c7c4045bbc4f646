//! A study's labels held against those that are known.

use slipstick_bifurcation::{BranchPoint, Label};
use slipstick_study::{self as study, CurveResult, RunResult, Silent};

/// Run a study.
pub(crate) fn run(text: &str) -> RunResult {
    let loaded = study::parse("study.ron".as_ref(), text.to_owned()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let plan = loaded.plan(&[]).unwrap_or_else(|e| panic!("{e}\n{text}"));
    study::run(&plan, &Silent, &false.into())
}

/// The curve of this name.
pub(crate) fn curve<'r>(result: &'r RunResult, name: &str) -> &'r CurveResult {
    let found = result.curves.iter().find(|c| c.name == name);
    found.unwrap_or_else(|| panic!("no curve `{name}`; missing: {:?}", result.missing))
}

/// The labelled points of a curve, without ends of the range and user levels.
pub(crate) fn labels(curve: &CurveResult) -> Vec<(Label, f64, &BranchPoint)> {
    let labelled = curve
        .points()
        .filter_map(|(_, _, p)| Some((p.label?, p.point.parameter(), p)));
    labelled
        .filter(|(label, _, _)| !matches!(label, Label::EP | Label::UZ))
        .collect()
}

/// The points of all curves of a locus, one list for each.
pub(crate) fn pieces<'r>(result: &'r RunResult, name: &str) -> Vec<Vec<&'r BranchPoint>> {
    let own = |known: &str| known == name || known.strip_prefix(name).is_some_and(|rest| rest.starts_with('-'));
    let curves = result.curves.iter().filter(|curve| own(&curve.name));
    curves
        .map(|curve| curve.points().map(|(_, _, p)| p).collect())
        .collect()
}

/// What is wrong with the labels of one member: those missed and those invented, in words.
#[derive(Debug, Default)]
pub(crate) struct Verdict {
    pub(crate) missed: Vec<String>,
    pub(crate) invented: Vec<String>,
}

impl Verdict {
    /// Hold what was found against what is known, each within `tolerance` (absolute) of its parameter. Two known places
    /// closer than the tolerance are two labels, or one.
    pub(crate) fn of(found: &[(Label, f64)], known: &[(Label, f64)], tolerance: f64) -> Self {
        let mut left: Vec<(Label, f64)> = found.to_vec();
        let mut verdict = Self::default();
        for &(label, at) in known {
            let near = left.iter().position(|f| f.0 == label && (f.1 - at).abs() <= tolerance);
            match near {
                Some(i) => drop(left.swap_remove(i)),
                None => verdict.missed.push(format!("{label} at {at:?}")),
            }
        }
        verdict.invented = left.iter().map(|f| format!("{} at {:?}", f.0, f.1)).collect();
        verdict
    }

    pub(crate) fn is_right(&self) -> bool {
        self.missed.is_empty() && self.invented.is_empty()
    }
}

/// Fail with all wrong members of a class, if there are any: their numbers, verdicts and studies.
#[track_caller]
pub(crate) fn none_wrong(class: &str, members: usize, wrong: &[(usize, String)]) {
    let shown: Vec<String> = wrong
        .iter()
        .take(12)
        .map(|(i, what)| format!("member {i}: {what}"))
        .collect();
    assert!(
        wrong.is_empty(),
        "{class}: {} of {members} wrong\n{}",
        wrong.len(),
        shown.join("\n")
    );
}
