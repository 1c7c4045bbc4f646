//! What is special along curves of tangencies and two-folds.

use super::FixedPoint;
use super::monitors;
use crate::tangency::{self, OTHER_VISIBILITY, SPEED, VISIBILITY, VISIBILITY_MINUS, VISIBILITY_PLUS};
use slipstick_bifurcation::{Label, Record, TestSpec};

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

/// The test functions, each with the position of its value among the monitors.
pub(super) fn tests(problem: &FixedPoint<'_>) -> Vec<(usize, TestSpec)> {
    let planar = position(problem, SPEED).is_some();
    let own = problem.system.monitors.iter();
    own.filter_map(|m| Some((position(problem, &m.name)?, tangency::test(&m.name, planar)?)))
        .collect()
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
