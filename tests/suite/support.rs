//! Studies run in this process, and their results by the names of the output contract.

use slipstick_bifurcation::{BranchPoint, Label};
use slipstick_study::{self as study, CurveResult, Plan, RunResult, Silent};
use std::sync::LazyLock;

/// The study shipped for the stiction oscillator.
pub(crate) const STICTION: &str = include_str!("../../studies/stiction.ron");

/// Run a study with parameters set from outside.
pub(crate) fn run(text: &str, set: &[(&str, f64)]) -> RunResult {
    planned(text, set).1
}

/// The shipped atlas of the stiction oscillator, run once for all tests that look at it.
pub(crate) static ATLAS: LazyLock<(Plan, RunResult)> =
    LazyLock::new(|| planned(include_str!("../../studies/stiction_atlas.ron"), &[]));

/// A study, run, with its plan.
pub(crate) fn planned(text: &str, set: &[(&str, f64)]) -> (Plan, RunResult) {
    let study = study::parse("study.ron".as_ref(), text.to_owned()).unwrap();
    let set: Vec<(String, f64)> = set.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    let plan = study.plan(&set).unwrap_or_else(|e| panic!("{e}"));
    let result = study::run(&plan, &Silent, &false.into());
    (plan, result)
}

/// The curve of this name.
pub(crate) fn curve<'r>(result: &'r RunResult, name: &str) -> &'r CurveResult {
    let found = result.curves.iter().find(|c| c.name == name);
    found.unwrap_or_else(|| {
        let curves: Vec<_> = result.curves.iter().map(|c| &c.name).collect();
        panic!("no curve `{name}` among {curves:?}; missing: {:?}", result.missing)
    })
}

/// A parameter, monitor, the period, `nu` (the signed multiplier of the half map) or `T` (the duration of slip in half
/// a period).
pub(crate) fn value(curve: &CurveResult, point: &BranchPoint, name: &str) -> f64 {
    let r = &point.record;
    let monitor = |name: &str| {
        let at = curve.monitors.iter().position(|m| m == name);
        at.map(|i| r.monitors[i])
    };
    match name {
        "period" => r.period,
        "T" => 0.5 * r.period - monitor("stick").unwrap(),
        "nu" => 10f64.powf(r.nu[0].log10) * r.nu[0].arg.cos(),
        _ => {
            let parameter = curve.parameters.iter().position(|p| p == name);
            parameter.map(|i| r.parameters[i]).or_else(|| monitor(name)).unwrap()
        }
    }
}

/// All points along the curve.
pub(crate) fn points(curve: &CurveResult) -> Vec<&BranchPoint> {
    curve.points().map(|(_, _, p)| p).collect()
}

/// The labelled points along the curve.
pub(crate) fn specials(curve: &CurveResult) -> Vec<&BranchPoint> {
    points(curve).into_iter().filter(|p| p.label.is_some()).collect()
}

/// The points with this label.
pub(crate) fn labelled(curve: &CurveResult, label: Label) -> Vec<&BranchPoint> {
    points(curve).into_iter().filter(|p| p.label == Some(label)).collect()
}

/// The only point with this label.
pub(crate) fn only(curve: &CurveResult, label: Label) -> &BranchPoint {
    let found = labelled(curve, label);
    assert_eq!(found.len(), 1, "{label} on `{}`", curve.name);
    found[0]
}

/// Fail unless the two agree to `tolerance`, relative to numbers larger than one.
#[track_caller]
pub(crate) fn assert_close(what: &str, found: f64, wanted: f64, tolerance: f64) {
    let scale = wanted.abs().max(1.0);
    assert!(
        (found - wanted).abs() <= tolerance * scale,
        "{what}: {found} instead of {wanted}, off by {:.1e}",
        (found - wanted).abs() / scale
    );
}
