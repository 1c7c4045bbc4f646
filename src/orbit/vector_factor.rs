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
    let beta = shift_of_first(point.z.len(), closure);
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

/// What is known of a curve, over vectors of the length and of the phase that apply from a point on: with its vector v
/// and c = v / ‖v‖², ⟨c, v⟩ = 1; components count relative to the sizes of their states.
pub(super) struct Normalisation {
    closure: Closure,
    /// The places of the components of the first vector and, so much further, of the second one.
    components: Vec<(usize, usize)>,
    /// Those among them that the products sum over, with c there.
    reference: Vec<((usize, usize), Complex<f64>)>,
}

impl Normalisation {
    /// That of the vectors among the unknowns `z`; `summed` are the places that the products sum over, with the sizes
    /// of their states.
    pub(super) fn at(
        z: &[f64],
        components: Vec<(usize, usize)>,
        summed: &[((usize, usize), f64)],
        closure: Closure,
    ) -> Self {
        let mut own = Self {
            closure,
            components,
            reference: vec![],
        };
        let relative = |(place, size): ((usize, usize), f64)| own.vector(z, place) / (size * size);
        let lengths = summed
            .iter()
            .map(|&(place, size)| own.vector(z, place).norm_sqr() / (size * size));
        let length: f64 = lengths.sum();
        let reference = summed.iter().map(|&known| (known.0, relative(known) / length));
        own.reference = reference.collect();
        own
    }

    /// A component of the first vector; a pair is one complex vector.
    fn vector(&self, z: &[f64], (i, n): (usize, usize)) -> Complex<f64> {
        let pair = self.closure == Closure::Rotated;
        Complex::new(z[i], if pair { z[i + n] } else { 0.0 })
    }

    /// ⟨c, v⟩ of the first vector.
    fn along(&self, z: &[f64]) -> Complex<f64> {
        let parts = self
            .reference
            .iter()
            .map(|(place, c)| c.conj() * self.vector(z, *place));
        parts.sum()
    }

    /// Take a point with its tangent over. The equations are linear in the vectors: the point stays a solution.
    pub(super) fn apply(&self, z: &mut [f64], tangent: &mut [f64]) {
        let factor = self.along(z).inv();
        // Along the curve the factor changes as well.
        let change = -self.along(tangent) * factor;
        if !(factor.is_finite() && change.is_finite()) {
            return;
        }
        for &(i, n) in &self.components {
            let v = self.vector(z, (i, n)) * factor;
            let t = self.vector(tangent, (i, n)) * factor + v * change;
            (z[i], tangent[i]) = (v.re, t.re);
            if self.closure == Closure::Rotated {
                (z[i + n], tangent[i + n]) = (v.im, t.im);
            }
        }
        if let Some(beta) = shift_of_first(z.len(), self.closure) {
            z[beta] *= factor.re;
            tangent[beta] = tangent[beta] * factor.re + z[beta] * change.re;
        }
    }
}

/// Where among so many unknowns the parameter is that shifts the first vector along the flow: it is a part of that
/// vector. The further parameters of the closure stand before the two free ones.
fn shift_of_first(unknowns: usize, closure: Closure) -> Option<usize> {
    let names = closure.parameters();
    let beta = names.iter().position(|name| *name == "beta");
    beta.map(|i| unknowns - 2 - names.len() + i)
}
