//! Corners of smooth orbits: where the field changes within a layer that the orbit crosses without moving far itself.
//!
//! Friction or a relay that is regularised changes its sign while a state passes by zero within O(ε). There the rates
//! jump and the states do not. In the layer F' is about `b nᵀ/ε` with n the gradient of what the law switches by, and
//! n is about `F'ᵀ F' F`: the plane across n is that of the layer, wherever else on it the orbit goes through.

use slipstick_numerics::linalg::{dot, norm};
use slipstick_system::{Function, Jacobian};

/// A corner is where the field changes by itself while the states move by less than this part of how far they move in
/// all. (Beside their values all of a small cycle is one.)
const NEAR: f64 = 0.1;

/// The least cosine between the flow and n, each state in units of how far it moves: beside it the plane is nearly
/// along the orbit, and small errors move the phase far.
const LEAST_ANGLE: f64 = 0.03;

/// The field and the parameters.
pub(crate) type Flow<'a> = (&'a dyn Function, &'a [f64]);

/// The rates of the states in each of these rows.
pub(crate) fn rates((field, p): Flow<'_>, rows: &[&[f64]]) -> Vec<Vec<f64>> {
    let rate = |x: &&[f64]| {
        let mut f = vec![0.0; x.len()];
        field.value(x, p, &mut f);
        f
    };
    rows.iter().map(rate).collect()
}

/// The row of the plane of the layer through `x`, in units of one over `sizes`, how far each state moves, if there is a
/// corner at `x` or at one of the states `beside` it; it is positive along the flow at `x`. A mesh may cross a thin
/// layer within an interval.
pub(crate) fn plane_of_layer<'x>(
    flow: Flow<'_>,
    x: &'x [f64],
    beside: impl Iterator<Item = &'x [f64]>,
    sizes: &[f64],
) -> Option<Vec<f64>> {
    let mut here = vec![0.0; x.len()];
    flow.0.value(x, flow.1, &mut here);
    here.iter_mut().zip(sizes).for_each(|(f, size)| *f /= size);
    let along = |row: &Vec<f64>| dot(row, &here) >= LEAST_ANGLE * norm(&here);
    std::iter::once(x)
        .chain(beside)
        .filter_map(|at| gradient(flow, at, sizes))
        .find(along)
}

/// The direction of n at `x`, if there is a corner.
fn gradient((field, p): Flow<'_>, x: &[f64], sizes: &[f64]) -> Option<Vec<f64>> {
    let n = x.len();
    let (mut f, mut fx) = (vec![0.0; n], vec![0.0; n * n]);
    Jacobian::new(field, n, p, &[]).at(x, &mut f, &mut fx, &mut []);
    f.iter_mut().zip(sizes).for_each(|(f, size)| *f /= size);
    for (row, own) in fx.chunks_exact_mut(n).zip(sizes) {
        row.iter_mut().zip(sizes).for_each(|(v, size)| *v *= size / own);
    }
    let change: Vec<f64> = fx.chunks_exact(n).map(|row| dot(row, &f)).collect();
    let (speed, turning) = (norm(&f), norm(&change));
    if !(speed * speed < NEAR * turning) {
        return None;
    }
    let mut row = vec![0.0; n];
    for (own, by) in fx.chunks_exact(n).zip(&change) {
        row.iter_mut().zip(own).for_each(|(r, v)| *r += by * v);
    }
    let length = norm(&row);
    row.iter_mut().for_each(|r| *r /= length);
    Some(row)
}
