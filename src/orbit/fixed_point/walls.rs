//! Values at which a state stays, whatever the others are: where species that are absent, or substances that have been
//! used up, remain so. Solutions with such states have basins of Newton's method that are thin beside these walls, or
//! none at all inside of a box that ends there, as at its corners; among the others they are found as all are.

use super::FixedPoint;
use crate::seeds::halton;

/// Places at which a wall is looked at.
const PLACES: usize = 9;
/// A rate that is this part of what it is elsewhere is rounding.
const ROUNDING: f64 = 1e-13;
/// The most walls and places where they cross.
const MOST: usize = 256;

/// The walls in a region and where these cross: for each state the value that it stays at, or none. Those with fewest
/// free states come first.
pub(super) fn walls(problem: &FixedPoint<'_>, region: &[(f64, f64)]) -> Vec<Vec<Option<f64>>> {
    if problem.large.is_some() {
        return vec![];
    }
    let mut all: Vec<Vec<Option<f64>>> = vec![vec![]];
    for (c, &(lo, hi)) in region.iter().enumerate() {
        let mut values = vec![lo, hi];
        if lo < 0.0 && hi > 0.0 {
            values.push(0.0);
        }
        values.retain(|value| stays(problem, region, c, *value));
        let values: Vec<Option<f64>> = std::iter::once(None).chain(values.into_iter().map(Some)).collect();
        // States beyond the most are free.
        let values = if all.len() * values.len() > MOST {
            &values[..1]
        } else {
            &values[..]
        };
        all = values
            .iter()
            .flat_map(|value| all.iter().map(|before| [&before[..], &[*value]].concat()))
            .collect();
    }
    let free = |wall: &Vec<Option<f64>>| wall.iter().filter(|at| at.is_none()).count();
    all.retain(|wall| free(wall) < wall.len());
    all.sort_by_key(free);
    all
}

/// Does state `c` stay at a value?
fn stays(problem: &FixedPoint<'_>, region: &[(f64, f64)], c: usize, value: f64) -> bool {
    let mut rates = vec![0.0; problem.n];
    let (mut there, mut elsewhere) = (0.0f64, 0.0f64);
    for k in 1..=PLACES {
        let place = |(d, (lo, hi)): (usize, &(f64, f64))| lo + halton(k, d) * (hi - lo);
        let mut x: Vec<f64> = region.iter().enumerate().map(place).collect();
        for (at, most) in [(x[c], &mut elsewhere), (value, &mut there)] {
            x[c] = at;
            let field = &problem.system.modes[problem.mode].field;
            field.value(&x, &problem.parameters, &mut rates);
            let change = if problem.rest { rates[c] } else { rates[c] - at };
            *most = if change.is_finite() {
                most.max(change.abs())
            } else {
                f64::INFINITY
            };
        }
    }
    there.is_finite() && elsewhere > 0.0 && there <= ROUNDING * elsewhere
}
