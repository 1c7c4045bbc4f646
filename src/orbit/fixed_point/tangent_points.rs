//! What is special along curves of tangencies and two-folds, in one parameter and in two.

use super::FixedPoint;
use super::monitors;
use crate::tangency::{self, OTHER_VISIBILITY, SPEED, VISIBILITY, VISIBILITY_MINUS, VISIBILITY_PLUS};
use slipstick_bifurcation::{Label, Record, TestSpec, subject};

/// The position of a monitor among the values of a record.
fn position(problem: &FixedPoint<'_>, name: &str) -> Option<usize> {
    let mut names = monitors::list(problem)
        .into_iter()
        .map(|m| monitors::described(problem, m).name);
    names.position(|own| own == name)
}

fn value(problem: &FixedPoint<'_>, record: &Record, name: &str) -> Option<f64> {
    record.monitors.get(position(problem, name)?).copied()
}

/// The test functions, each with the position of its value among the monitors; none of what moves.
pub(super) fn tests(problem: &FixedPoint<'_>) -> Vec<(usize, TestSpec)> {
    if !problem.has_no_motion() {
        return vec![];
    }
    let planar = position(problem, SPEED).is_some();
    let own = problem.system.monitors.iter();
    own.filter_map(|m| Some((position(problem, &m.name)?, tangency::test(&m.name, planar)?)))
        .collect()
}

/// The monitor whose zero a point with this label is, by its index.
pub(super) fn vanishing(problem: &FixedPoint<'_>, label: Label, record: &Record) -> Option<usize> {
    let size = |monitor: usize| record.monitors.get(monitor).map_or(f64::INFINITY, |v| v.abs());
    let of_label = tests(problem).into_iter().filter(|(_, test)| test.label == label);
    let monitors = of_label.map(|(monitor, _)| monitor);
    monitors.min_by(|&a, &b| size(a).total_cmp(&size(b)))
}

/// The tests along a curve in two parameters on which `condition` stays, and a monitor of the points with it where it
/// is one: those of the other monitors; of two-folds also that of the other side's tangency.
pub(super) fn tests_beside(problem: &FixedPoint<'_>, condition: Label, stays: Option<usize>) -> Vec<(usize, TestSpec)> {
    let mut others: Vec<(usize, TestSpec)> = tests(problem).into_iter().filter(|(m, _)| Some(*m) != stays).collect();
    if condition == Label::TF
        && let Some(other) = position(problem, OTHER_VISIBILITY)
    {
        let meaning = "cubic tangency of the field on the other side: two-folds change their kind";
        others.push((other, TestSpec::new(Label::CT, meaning)));
    }
    let beside = |(monitor, test): (usize, TestSpec)| {
        let label = Label::codimension_two(condition, test.label);
        let meaning = format!(
            "codimension-two point on {}: also a {}",
            subject(condition),
            test.meaning
        );
        (monitor, TestSpec::new(label, meaning))
    };
    others.into_iter().map(beside).collect()
}

/// What it means that a curve of tangencies turns back.
pub(super) fn fold_meaning(problem: &FixedPoint<'_>, parameter: &str) -> String {
    match position(problem, SPEED) {
        Some(_) => {
            format!("cubic tangency: a visible and an invisible tangency meet, and the curve turns back in {parameter}")
        }
        None => format!("fold: two solutions meet, and the curve turns back in {parameter}"),
    }
}

/// What more there is to say of a point with this label.
pub(super) fn explain(problem: &FixedPoint<'_>, label: Label, record: &Record) -> Option<String> {
    if label != Label::TF {
        return None;
    }
    let of = |name: &str| value(problem, record, name);
    let plus = of(VISIBILITY_PLUS).or_else(|| of(VISIBILITY))?;
    let minus = of(VISIBILITY_MINUS).or_else(|| of(OTHER_VISIBILITY))?;
    Some(format!(", {}", tangency::kind([plus, minus])))
}
