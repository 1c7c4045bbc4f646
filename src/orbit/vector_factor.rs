//! Eigenvectors along a curve in two parameters are determined up to a factor: back at a point where the curve has
//! been, they have another one.

use nalgebra::Complex;
use slipstick_continuation::Point;
use slipstick_system::Closure;

/// The point, with its tangent, whose vectors are multiplied such that they come nearest to those among the unknowns
/// `near`. `components` are the places of the components of the first vector and, so much further, of the second one;
/// the further parameters of the closure stand before the two free ones. `None` where one of the vectors is zero.
pub(super) fn multiplied_near(
    point: &Point,
    near: &[f64],
    components: &[(usize, usize)],
    closure: Closure,
) -> Option<Point> {
    // A pair is one complex vector.
    let pair = closure == Closure::Rotated;
    let at = |z: &[f64], (i, n): (usize, usize)| Complex::new(z[i], if pair { z[i + n] } else { 0.0 });
    let (mut along, mut own, mut wanted) = (Complex::new(0.0, 0.0), 0.0, 0.0);
    for &place in components {
        let (v, w) = (at(&point.z, place), at(near, place));
        along += v.conj() * w;
        own += v.norm_sqr();
        wanted += w.norm_sqr();
    }
    let factor = along / along.norm() * (wanted / own).sqrt();
    if !(factor.re.is_finite() && factor.im.is_finite()) {
        return None;
    }
    // The shift along the flow is a part of the first vector.
    let names = closure.parameters();
    let beta = names.iter().position(|name| *name == "beta");
    let beta = beta.map(|i| point.z.len() - 2 - names.len() + i);
    let mut multiplied = point.clone();
    for z in [&mut multiplied.z, &mut multiplied.tangent] {
        for &(i, n) in components {
            let v = at(z, (i, n)) * factor;
            z[i] = v.re;
            if pair {
                z[i + n] = v.im;
            }
        }
        if let Some(beta) = beta {
            z[beta] *= factor.re;
        }
    }
    Some(multiplied)
}
