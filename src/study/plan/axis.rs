//! Grids of cells: the values along their axes, and the tiles that the work is divided into.

use crate::spec::axis::AxisSpec;
use crate::text::complaint::{Complaint, written};
use crate::text::limits;
use std::collections::BTreeMap;
use std::ops::Range;

/// Cells that are computed together, one after the other.
const TILE: usize = 64;

/// One axis of a grid.
///
/// ```
/// use slipstick_study::Axis;
/// let axis = Axis { name: "Omega".into(), index: 0, values: vec![0.5, 1.0, 2.0] };
/// assert_eq!(axis.values.len(), 3);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// The name of the parameter or state.
    pub name: String,
    /// Its index.
    pub index: usize,
    /// Its values.
    pub values: Vec<f64>,
}

impl Axis {
    /// The smallest and the largest value.
    pub(crate) fn ends(&self) -> (f64, f64) {
        let wider = |(lo, hi): (f64, f64), v: &f64| (lo.min(*v), hi.max(*v));
        self.values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), wider)
    }
}

/// A grid of cells; those along the first axis follow each other.
///
/// ```
/// use slipstick_study::{Axis, Grid};
/// let axis = |name: &str, index, values: &[f64]| Axis { name: name.into(), index, values: values.to_vec() };
/// let grid = Grid { axes: vec![axis("a", 0, &[1.0, 2.0]), axis("b", 1, &[10.0, 20.0, 30.0])] };
/// let values: Vec<f64> = grid.cell(3).map(|(_, value)| value).collect();
/// assert!(grid.len() == 6 && values == [2.0, 20.0]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// Its axes.
    pub axes: Vec<Axis>,
}

impl Grid {
    /// The number of cells.
    pub fn len(&self) -> usize {
        self.axes.iter().map(|a| a.values.len()).product()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The place of a cell along each axis.
    pub fn places(&self, cell: usize) -> impl Iterator<Item = (&Axis, usize)> {
        let mut rest = cell;
        self.axes.iter().map(move |axis| {
            let at = rest % axis.values.len();
            rest /= axis.values.len();
            (axis, at)
        })
    }

    /// The values of a cell, each with its axis.
    pub fn cell(&self, cell: usize) -> impl Iterator<Item = (&Axis, f64)> {
        self.places(cell).map(|(axis, at)| (axis, axis.values[at]))
    }

    /// The cells of each tile.
    pub(crate) fn tiles(&self) -> Vec<Range<usize>> {
        tiles(self.len())
    }
}

/// The cells of each tile.
pub(crate) fn tiles(cells: usize) -> Vec<Range<usize>> {
    (0..cells.div_ceil(TILE))
        .map(|k| k * TILE..cells.min((k + 1) * TILE))
        .collect()
}

/// Resolve the axes of a grid at `path`; `index` finds what a name stands for among `known`.
pub(crate) fn plan_grid(
    over: &BTreeMap<String, AxisSpec>,
    path: &str,
    (kind, index, known): (&'static str, &dyn Fn(&str) -> Option<usize>, &[&str]),
    complaints: &mut Vec<Complaint>,
) -> Option<Grid> {
    let before = complaints.len();
    if over.is_empty() {
        complaints.push(
            Complaint::new(format!("{path}.over"), "there is nothing to go over").help(format!(
                "name a {kind} with its values: `over: {{\"name\": Linear(0, 1, 50)}}`"
            )),
        );
    }
    let mut axes = vec![];
    for (name, spec) in over {
        let here = format!("{path}.over.\"{name}\"");
        let found = index(name);
        if found.is_none() {
            complaints.push(Complaint::unknown(
                format!("{here}#"),
                kind,
                name,
                known.iter().copied(),
            ));
        }
        // Values are made only where there are not too many.
        let count = match spec {
            AxisSpec::Linear(_, _, count) | AxisSpec::Log(_, _, count) => *count,
            AxisSpec::Values(values) => values.len(),
        };
        let enough = complaints.len();
        limits::CELLS.check(here.clone(), count as f64, complaints);
        if complaints.len() == enough
            && let Some(values) = values(spec, &here, complaints)
            && let Some(index) = found
        {
            axes.push(Axis {
                name: name.clone(),
                index,
                values,
            });
        }
    }
    let cells: f64 = axes.iter().map(|a| a.values.len() as f64).product();
    limits::CELLS.check(format!("{path}.over"), cells, complaints);
    (complaints.len() == before).then_some(Grid { axes })
}

/// The values along an axis.
pub(crate) fn values(spec: &AxisSpec, path: &str, complaints: &mut Vec<Complaint>) -> Option<Vec<f64>> {
    let mut wrong = |message: String, help: &str| {
        complaints.push(Complaint::new(path, message).help(help));
        None
    };
    match *spec {
        AxisSpec::Linear(_, _, 0) | AxisSpec::Log(_, _, 0) => wrong("it has no values".into(), "give one or more"),
        AxisSpec::Linear(lo, hi, count) | AxisSpec::Log(lo, hi, count)
            if !(lo.is_finite() && hi.is_finite() && (lo < hi || (lo == hi && count == 1))) =>
        {
            wrong(
                format!("({}, {}) is not an interval", written(lo), written(hi)),
                "give two finite numbers, the smaller one first, and how many values",
            )
        }
        AxisSpec::Log(lo, hi, _) if lo <= 0.0 => wrong(
            format!("({}, {}) has no logarithms", written(lo), written(hi)),
            "give positive numbers, or use `Linear`",
        ),
        AxisSpec::Linear(lo, hi, count) => Some((0..count).map(|i| evenly_spaced((lo, hi), i, count)).collect()),
        AxisSpec::Log(lo, hi, count) => {
            let ends = (lo.log10(), hi.log10());
            let value = |i: usize| match i {
                0 => lo,
                _ if i + 1 == count => hi,
                _ => 10f64.powf(evenly_spaced(ends, i, count)),
            };
            Some((0..count).map(value).collect())
        }
        AxisSpec::Values(ref values) if values.is_empty() => wrong("it has no values".into(), "give one or more"),
        AxisSpec::Values(ref values) => match values.iter().find(|v| !v.is_finite()) {
            Some(bad) => wrong(format!("{} is not a finite number", written(*bad)), "leave it out"),
            None => Some(values.clone()),
        },
    }
}

/// Value number `i` of `count` evenly spaced ones from `lo` to `hi`. Where a decimal of twelve digits, counted from the
/// larger end, is the same to rounding, it is meant: 0.9, not 0.8999999999999999.
pub(crate) fn evenly_spaced((lo, hi): (f64, f64), i: usize, count: usize) -> f64 {
    const DIGITS: f64 = 12.0;
    /// What the few operations below leave, relative to the larger end.
    const ROUNDING: f64 = 8.0 * f64::EPSILON;
    let last = count.saturating_sub(1);
    let value = match i {
        _ if last == 0 => lo + 0.5 * (hi - lo),
        0 => return lo,
        _ if i == last => return hi,
        _ => lo + (hi - lo) * (i as f64 / last as f64),
    };
    let size = lo.abs().max(hi.abs());
    let decimals = DIGITS - 1.0 - size.log10().floor();
    if !(0.0..400.0).contains(&decimals) {
        return value;
    }
    let decimal = format!("{value:.*}", decimals as usize).parse().unwrap_or(value);
    if (decimal - value).abs() <= ROUNDING * size {
        decimal + 0.0
    } else {
        value
    }
}

#[cfg(test)]
mod tests {
    use super::evenly_spaced;

    /// Decimals a, a + d, …, with random numbers of digits, come out as they are written; other values are within
    /// rounding of what they are.
    #[test]
    fn values_of_a_grid_are_told_as_they_are_meant() {
        let mut seed = 1_u64;
        let mut below = |n: u64| {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % n
        };
        for _ in 0..2000 {
            let (exponent, count) = (below(12) as i32 - 8, 2 + below(60) as usize);
            let (first, step) = (below(2000) as i64 - 1000, 1 + below(300) as i64);
            let decimal = |i: usize| -> f64 {
                format!("{}e{exponent}", first + step * i as i64)
                    .parse()
                    .unwrap_or(f64::NAN)
            };
            let ends = (decimal(0), decimal(count - 1));
            for i in 0..count {
                assert_eq!(
                    evenly_spaced(ends, i, count).to_string(),
                    decimal(i).to_string(),
                    "{ends:?} {i} of {count}"
                );
            }
            let third = evenly_spaced((ends.0, ends.0 + 1.0), 1, 4) - ends.0;
            assert!((third - 1.0 / 3.0).abs() <= 4.0 * f64::EPSILON * (1.0 + ends.0.abs()));
        }
    }
}
