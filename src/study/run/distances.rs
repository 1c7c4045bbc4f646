//! How far curves are from reference curves where both have a point at the same level of their parameter.

use crate::results::curve::CurveResult;
use crate::results::run::RunResult;
use crate::spec::distances::DistancesSpec;
use slipstick_bifurcation::{BranchPoint, Label};
use slipstick_report::{Cell, Kind, ReportError, Table};

/// One row for each pair of UZ points at the same value of the parameter: of all points a curve has there, the one
/// nearest to the reference. Where the same pair is found for another value of `over`, `order` is the slope of
/// log(distance) over log(`over`) between the two.
///
/// # Errors
/// [`ReportError`] when names clash with columns of the table.
pub(crate) fn table(spec: &DistancesSpec, result: &RunResult) -> Result<Table, ReportError> {
    let mut table = Table::new([
        ("reference", Kind::Text),
        ("curve", Kind::Text),
        ("level", Kind::Number),
        (spec.over.as_str(), Kind::Number),
        ("value", Kind::Number),
        ("target", Kind::Number),
        ("distance", Kind::Number),
        ("order", Kind::Number),
    ]);
    for reference in named(result, &spec.reference) {
        for at in levels(reference) {
            let Some(target) = column(reference, at, &spec.column) else {
                continue;
            };
            let mut before: Option<(f64, f64)> = None;
            for curve in named(result, &spec.of) {
                let there = levels(curve).filter(|p| p.point.parameter() == at.point.parameter());
                let nearest = there
                    .filter(|p| p.record.stable() == at.record.stable())
                    .filter_map(|p| column(curve, p, &spec.column).map(|v| (p, v)))
                    .min_by(|a, b| (a.1 - target).abs().total_cmp(&(b.1 - target).abs()));
                let Some((p, value)) = nearest else { continue };
                let over = column(curve, p, &spec.over).unwrap_or(f64::NAN);
                let distance = (value - target).abs();
                let order = before.map_or(f64::NAN, |(o, d)| (distance / d).ln() / (over / o).ln());
                before = Some((over, distance));
                table.push_row([
                    Cell::Text(reference.name.clone()),
                    Cell::Text(curve.name.clone()),
                    Cell::Number(at.point.parameter()),
                    Cell::Number(over),
                    Cell::Number(value),
                    Cell::Number(target),
                    Cell::Number(distance),
                    Cell::Number(order),
                ])?;
            }
        }
    }
    Ok(table)
}

fn named<'a>(result: &'a RunResult, names: &'a [String]) -> impl Iterator<Item = &'a CurveResult> {
    names.iter().filter_map(|n| result.curves.iter().find(|c| c.name == *n))
}

fn levels(curve: &CurveResult) -> impl Iterator<Item = &BranchPoint> {
    curve.points().map(|(_, _, p)| p).filter(|p| p.label == Some(Label::UZ))
}

/// The value of a parameter, monitor or the period at a point.
pub(crate) fn column(curve: &CurveResult, p: &BranchPoint, name: &str) -> Option<f64> {
    if let Some(i) = curve.parameters.iter().position(|n| n == name) {
        return p.record.parameters.get(i).copied();
    }
    if name == "period" {
        return Some(p.record.period);
    }
    let i = curve.monitors.iter().position(|n| n == name)?;
    p.record.monitors.get(i).copied()
}
