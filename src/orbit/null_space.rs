//! The two vectors at a crossing of families, with a rate each: they span a null space, of which they are one basis.
//! Both families are those of equilibria, of points of maps, or of cycles.
//!
//! Along a curve they stay dual to the basis at the point before, `⟨c_i, v_j⟩ = δ_ij`. There the first of them has no
//! rate: it is the null vector of the derivatives by the states alone. Where these have a second null vector both rates
//! vanish, and the basis stays as it came.

use slipstick_continuation::Point;

/// A component of both vectors: where it is among the unknowns, and its size.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Component {
    pub first: usize,
    pub second: usize,
    pub size: f64,
}

/// The conditions on the vectors: the last component is that of the rates.
pub(crate) struct NullSpace {
    components: Vec<Component>,
    dual: Vec<[f64; 2]>,
    /// What belongs to both vectors besides, without a part in the products.
    further: Vec<[usize; 2]>,
}

/// A matrix of two by two, by rows.
type Square = [[f64; 2]; 2];

fn inverse(m: Square) -> Square {
    let determinant = m[0][0] * m[1][1] - m[0][1] * m[1][0];
    [
        [m[1][1] / determinant, -m[0][1] / determinant],
        [-m[1][0] / determinant, m[0][0] / determinant],
    ]
}

fn times(row: [f64; 2], m: Square) -> [f64; 2] {
    [0, 1].map(|j| row[0] * m[0][j] + row[1] * m[1][j])
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl NullSpace {
    /// The conditions for the points that follow the one with the vectors in `z`.
    pub(crate) fn at(z: &[f64], components: Vec<Component>, further: Vec<[usize; 2]>) -> Self {
        let scaled =
            |at: fn(&Component) -> usize| -> Vec<f64> { components.iter().map(|c| z[at(c)] / c.size).collect() };
        let [first, second] = basis(scaled(|c| c.first), scaled(|c| c.second));
        let pairs = first.iter().zip(&second).zip(&components);
        let dual = pairs.map(|((v, w), c)| [v / c.size, w / c.size]).collect();
        Self {
            components,
            dual,
            further,
        }
    }

    /// The product of one of the two conditions with one of the vectors, as a row over all unknowns.
    pub(crate) fn row(&self, [condition, vector]: [usize; 2], unknowns: usize) -> Vec<f64> {
        let mut row = vec![0.0; unknowns];
        for (c, dual) in self.components.iter().zip(&self.dual) {
            row[[c.first, c.second][vector]] = dual[condition];
        }
        row
    }

    /// Where all components of both vectors are.
    fn places(&self) -> impl Iterator<Item = [usize; 2]> + '_ {
        let counted = self.components.iter().map(|c| [c.first, c.second]);
        counted.chain(self.further.iter().copied())
    }

    /// The products of the conditions with both vectors.
    fn products(&self, z: &[f64]) -> Square {
        let mut products = [[0.0; 2]; 2];
        for (c, dual) in self.components.iter().zip(&self.dual) {
            for (row, dual) in products.iter_mut().zip(dual) {
                row[0] += dual * z[c.first];
                row[1] += dual * z[c.second];
            }
        }
        products
    }

    /// Take a point with its tangent over. The equations are linear in the vectors: the point stays a solution.
    pub(crate) fn apply(&self, z: &mut [f64], tangent: &mut [f64]) {
        let factor = inverse(self.products(z));
        let change = self.products(tangent);
        if !factor.iter().chain(&change).flatten().all(|v| v.is_finite()) {
            return;
        }
        for [first, second] in self.places() {
            let own = times([z[first], z[second]], factor);
            let turned = times(own, change);
            let moved = [tangent[first] - turned[0], tangent[second] - turned[1]];
            let moved = times(moved, factor);
            [z[first], z[second]] = own;
            [tangent[first], tangent[second]] = moved;
        }
    }

    /// The point, with its tangent, whose vectors are that basis of their plane that comes nearest to those among the
    /// unknowns `near`; `None` where the vectors are no basis.
    pub(crate) fn nearest(&self, point: &Point, near: &[f64]) -> Option<Point> {
        let (mut own, mut across) = ([[0.0; 2]; 2], [[0.0; 2]; 2]);
        for c in &self.components {
            let (v, w) = ([point.z[c.first], point.z[c.second]], [near[c.first], near[c.second]]);
            for (i, v_i) in v.iter().enumerate() {
                for j in 0..2 {
                    own[i][j] += v_i * v[j] / (c.size * c.size);
                    across[i][j] += v_i * w[j] / (c.size * c.size);
                }
            }
        }
        let factor = inverse(own).map(|row| times(row, across));
        if !factor.iter().flatten().all(|v| v.is_finite()) {
            return None;
        }
        let mut turned = point.clone();
        for z in [&mut turned.z, &mut turned.tangent] {
            for [first, second] in self.places() {
                [z[first], z[second]] = times([z[first], z[second]], factor);
            }
        }
        Some(turned)
    }
}

/// An orthonormal basis of the plane of both vectors, near to them; the first one has no rate.
fn basis(v: Vec<f64>, w: Vec<f64>) -> [Vec<f64>; 2] {
    /// Rates that are a smaller part of both vectors are nearly zero, as is what remains of the smaller of two parts.
    const NO_RATE: f64 = 1e-3;
    let rates = [&v, &w].map(|vector| vector.last().copied().unwrap_or_default());
    let length = dot(&v, &v).max(dot(&w, &w)).sqrt();
    let mut first = v.clone();
    if rates[0].hypot(rates[1]) > NO_RATE * length {
        first = v.iter().zip(&w).map(|(v, w)| rates[1] * v - rates[0] * w).collect();
        if let Some(rate) = first.last_mut() {
            *rate = 0.0;
        }
    }
    let unit = |mut vector: Vec<f64>, near: &[f64]| {
        let length = dot(&vector, &vector).sqrt().copysign(dot(&vector, near));
        vector.iter_mut().for_each(|x| *x /= length);
        vector
    };
    let first = unit(first, &v);
    let rest = |vector: &[f64]| -> Vec<f64> {
        let part = dot(&first, vector);
        vector.iter().zip(&first).map(|(x, f)| x - part * f).collect()
    };
    // The first vector itself may be what the second one was.
    let (of_first, of_second) = (rest(&v), rest(&w));
    let second = if dot(&of_second, &of_second) > NO_RATE * dot(&w, &w) {
        of_second
    } else {
        of_first
    };
    let second = unit(second, &w);
    [first, second]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn components() -> Vec<Component> {
        let sizes = [1.0, 1e-3, 1e4, 1.0];
        let component = |(i, size): (usize, &f64)| Component {
            first: i,
            second: 4 + i,
            size: *size,
        };
        sizes.iter().enumerate().map(component).collect()
    }

    #[test]
    fn a_basis_that_was_taken_over_fulfils_its_conditions_and_its_first_vector_has_no_rate() {
        let mut z = vec![0.3, 2e-3, -1e4, 0.4, 1.1, 1e-3, 2e4, -0.7];
        let mut tangent = vec![0.1, 1e-3, 3e3, 0.2, -0.5, 2e-3, 1e4, 0.3];
        let (before, rates) = (z.clone(), tangent.clone());
        let space = NullSpace::at(&z, components(), vec![]);
        space.apply(&mut z, &mut tangent);
        let (products, changes) = (space.products(&z), space.products(&tangent));
        for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let one = if i == j { 1.0 } else { 0.0 };
            assert!((products[i][j] - one).abs() < 1e-14 && changes[i][j].abs() < 1e-13);
            let row = space.row([i, j], 8);
            assert!((dot(&row, &z) - one).abs() < 1e-14);
        }
        assert!(z[3].abs() < 1e-14);
        // A step along the old tangent, taken over, is one along the new tangent.
        let h = 1e-6;
        let mut ahead: Vec<f64> = before.iter().zip(&rates).map(|(z, t)| z + h * t).collect();
        space.apply(&mut ahead, &mut rates.clone());
        for (i, size) in components().iter().map(|c| c.size).enumerate() {
            for k in [i, 4 + i] {
                assert!(((ahead[k] - z[k]) / h - tangent[k]).abs() < 1e-4 * size);
            }
        }
        let point = Point {
            z: before,
            tangent: rates,
            weights: vec![1.0; 8],
            meshes: None,
        };
        let back = space.nearest(&point, &z).map(|point| point.z).unwrap_or_default();
        assert!(
            back.iter()
                .zip(&z)
                .all(|(a, b)| (a - b).abs() <= 1e-12 * b.abs().max(1e-3))
        );
    }
}
