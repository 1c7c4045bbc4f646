//! Units of the states in which no factor of a chain is badly scaled.

use super::FactorChain;
use super::planar::largest;
use slipstick_numerics::linalg::balance;

/// Units this far apart are bad. What is nearer is left as it is, and so is what no number of ordinary size can mend.
const BAD: std::ops::Range<f64> = 64.0..1e150;

/// A chain with the same multipliers in better units; a workspace that can be filled again.
///
/// Orthogonal changes of basis mix states as numbers. In units in which one state is 10⁴ times another, as metres and
/// metres per second at a kilohertz, the smaller one loses as many digits, and the periodic QR iteration may never
/// come to an end. All nodes with equally many states get the same units, powers of two, so that nothing is rounded;
/// but directions that grow, each by its own, are no states, and keep the units that they have.
///
/// Reference: E. E. Osborne, *On pre-conditioning of matrices*, J. ACM 7 (1960) 338–345.
#[derive(Clone, Debug, Default)]
pub(super) struct Units {
    /// For each dimension that a node has: the dimension and where its states begin.
    groups: Vec<(usize, usize)>,
    /// What each state of a group does to each other one, all factors together, row by row.
    strength: Vec<f64>,
    /// The units of the states of all groups, one after the other.
    units: Vec<f64>,
    scaled: FactorChain,
}

impl Units {
    /// The chain in better units, or the chain itself where its own are good.
    pub(super) fn balanced<'a>(&'a mut self, chain: &'a FactorChain) -> &'a FactorChain {
        self.collect(chain);
        if self.size() == 0 {
            return chain;
        }
        let (balanced, _) = balance(&self.strength, self.size());
        self.units.clear();
        self.units.extend(balanced.iter().map(|d| d.log2().round().exp2()));
        let (least, most) = self.units.iter().fold((f64::INFINITY, 0.0f64), |(least, most), d| {
            (least.min(*d), most.max(*d))
        });
        if !BAD.contains(&(most / least)) {
            return chain;
        }
        self.scaled.clone_from(chain);
        let ones = vec![1.0; self.groups.iter().map(|g| g.0).max().unwrap_or(0)];
        self.scaled.scale(|dim, grows| match grows {
            true => &ones[..dim],
            false => &self.units[first(&self.groups, dim)..][..dim],
        });
        &self.scaled
    }

    /// The number of states of all groups.
    fn size(&self) -> usize {
        self.groups.iter().map(|g| g.0).sum()
    }

    fn collect(&mut self, chain: &FactorChain) {
        self.groups.clear();
        for &dim in chain.dims() {
            if !self.groups.iter().any(|g| g.0 == dim) {
                self.groups.push((dim, self.size()));
            }
        }
        let size = self.size();
        self.strength.clear();
        self.strength.resize(size * size, 0.0);
        for (k, (rows, cols, a)) in chain.factors().enumerate() {
            let share = 1.0 / largest(a);
            if !share.is_finite() || chain.has_directions(k) || chain.has_directions(k + 1) {
                continue;
            }
            let (to, from) = (first(&self.groups, rows), first(&self.groups, cols));
            for (i, row) in a.chunks_exact(cols).enumerate() {
                let strengths = &mut self.strength[(to + i) * size + from..][..cols];
                strengths.iter_mut().zip(row).for_each(|(s, a)| *s += share * a.abs());
            }
        }
    }
}

/// Where the states of the nodes of this dimension begin.
fn first(groups: &[(usize, usize)], dim: usize) -> usize {
    groups.iter().find(|g| g.0 == dim).map_or(0, |g| g.1)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::tests::{Random, chain_of, found};
    use nalgebra::{DMatrix, DVector};

    /// Pairs of nearly equal moduli, in coordinates of positions and velocities, in random units of either.
    #[test]
    fn multipliers_do_not_depend_on_units() {
        let mut random = Random(7);
        for member in 0..3000 {
            let count = 1 + member % 4;
            let shapes = random.matrix(2, 2);
            let (first, second) = (1.0 + random.next().abs(), 2.0 + random.next().abs());
            let basis = DMatrix::from_fn(4, 4, |i, j| match (i < 2, j % 2 == 0) {
                (true, true) => shapes[(i, j / 2)],
                (false, false) => shapes[(i - 2, j / 2)] * if j < 2 { first } else { second },
                _ => 0.0,
            });
            let inverse = basis.clone().try_inverse().unwrap();
            let condition = basis.norm() * inverse.norm();
            if condition > 100.0 {
                continue;
            }
            let blocks: Vec<DMatrix<f64>> = (0..count)
                .map(|_| {
                    let mut block = DMatrix::zeros(4, 4);
                    for at in [0, 2] {
                        let (modulus, angle) = (0.8 + 0.2 * random.next().abs(), 3.0 * random.next());
                        let (c, s) = (modulus * angle.cos(), modulus * angle.sin());
                        block.view_mut((at, at), (2, 2)).copy_from_slice(&[c, s, -s, c]);
                    }
                    &basis * block * &inverse
                })
                .collect();
            let plain = found(&chain_of(&blocks));
            let units = DVector::from_fn(4, |i, _| if i < 2 { 1.0 } else { 10f64.powf(7.0 * random.next()) });
            let there = DMatrix::from_diagonal(&units);
            let back = DMatrix::from_diagonal(&units.map(f64::recip));
            let other = found(&chain_of(
                &blocks.iter().map(|b| &there * b * &back).collect::<Vec<_>>(),
            ));
            for (a, b) in plain.iter().zip(&other) {
                assert!(
                    (a.log10 - b.log10).abs() < 1e-11 && (a.arg - b.arg).abs() < 1e-10,
                    "{member}: {plain:?} {other:?}"
                );
            }
        }
    }
}
