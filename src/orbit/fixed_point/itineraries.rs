//! The cycles that a map with corners may have, by the sides on which their points lie.
//!
//! Where a map is nearly linear on each side, as skew tent maps are, each order of sides has one cycle at most, and
//! Newton's method finds it from any points on these sides. From seeds it is met the more seldom the steeper the map
//! and the longer the cycle.

use super::FixedPoint;

/// Points to begin with, in all orders of the sides that the map is seen on: each cycle once, whichever of its points
/// is the first, and none that is a shorter one gone through several times. Sides are seen from these seeds; there are
/// no orders where they are too many.
pub(super) fn itineraries(problem: &FixedPoint<'_>, seeds: impl Iterator<Item = Vec<f64>>) -> Vec<Vec<Vec<f64>>> {
    /// Orders of sides, rotations included.
    const MOST: usize = 4096;
    if problem.rest || problem.large.is_some() || problem.length < 2 {
        return vec![];
    }
    let places = on_all_sides(problem, seeds);
    let (kinds, length) = (places.len(), problem.length);
    let orders = u32::try_from(length).ok().and_then(|length| kinds.checked_pow(length));
    let Some(orders) = orders.filter(|orders| kinds > 1 && *orders <= MOST) else {
        return vec![];
    };
    let order = |mut k: usize| -> Vec<usize> {
        let digit = |_| {
            let digit = k % kinds;
            k /= kinds;
            digit
        };
        (0..length).map(digit).collect()
    };
    let is_first = |order: &Vec<usize>| {
        (1..length).all(|by| {
            let turned = order[by..].iter().chain(&order[..by]);
            order.iter().lt(turned)
        })
    };
    let orders = (0..orders).map(order).filter(is_first);
    orders
        .map(|order| order.iter().map(|&kind| places[kind].clone()).collect())
        .collect()
}

/// A point on each combination of sides that the seeds and the next points of the map lie on.
fn on_all_sides(problem: &FixedPoint<'_>, seeds: impl Iterator<Item = Vec<f64>>) -> Vec<Vec<f64>> {
    let field = problem.system.modes[problem.mode].field.as_ref();
    let Some(corners) = field.corners().filter(|corners| corners.has_sides()) else {
        return vec![];
    };
    let mut found: Vec<(Vec<Option<f64>>, Vec<f64>)> = vec![];
    for mut x in seeds {
        for _ in 0..problem.length {
            let sizes = vec![0.0; problem.n];
            let mut sides = corners.sides(&x, &problem.parameters, &sizes);
            let one_sided = corners.one_sided(&sides);
            // Those in a branch that is not taken are no sides.
            let takes_part = sides.iter_mut().zip(&one_sided.active);
            takes_part
                .filter(|(_, active)| !**active)
                .for_each(|(side, _)| *side = None);
            if !found.iter().any(|(known, _)| *known == sides) {
                found.push((sides, x.clone()));
            }
            let mut next = vec![0.0; problem.n];
            field.value(&x, &problem.parameters, &mut next);
            if !next.iter().all(|v| v.is_finite()) {
                break;
            }
            x = next;
        }
    }
    found.into_iter().map(|(_, x)| x).collect()
}
