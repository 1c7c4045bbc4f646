//! The rates of states along a meshed segment as the polynomials have them, whatever the field makes of their errors.

use crate::segment::collocation::Collocation;
use crate::segment::scheme::Profile;

impl Collocation {
    /// Those at the start and at all own unknowns, over this duration.
    pub(super) fn slopes(&self, start: &[f64], block: &[f64], duration: f64) -> Vec<f64> {
        let n = self.n;
        let nodes: Vec<f64> = std::iter::once(0.0).chain(self.gauss.c.iter().copied()).collect();
        let parts = [0.0].iter().chain(self.parts());
        let weights: Vec<Vec<f64>> = parts.map(|part| differentiation(&nodes, *part)).collect();
        let mut rates = vec![0.0; n + block.len()];
        for (j, pair) in self.mesh.windows(2).enumerate() {
            let width = (pair[1] - pair[0]) * duration;
            let first = j * self.stride();
            let own = &mut rates[first..first + n + self.stride()];
            // At a node between two intervals the mean of what both say.
            if j > 0 {
                own[..n].iter_mut().for_each(|rate| *rate *= 0.5);
            }
            for (k, (weights, rate)) in weights.iter().zip(own.chunks_exact_mut(n)).enumerate() {
                let share = if k == 0 && j > 0 { 0.5 } else { 1.0 };
                let stages = self.stages(block, j).chunks_exact(n);
                let values = std::iter::once(self.node(start, block, j)).chain(stages);
                for (weight, x) in weights.iter().zip(values) {
                    for (rate, v) in rate.iter_mut().zip(x) {
                        *rate += share * weight / width * v;
                    }
                }
            }
        }
        rates
    }
}

/// The weights of values at nodes in the derivative at `tau` of the polynomial through them.
fn differentiation(nodes: &[f64], tau: f64) -> Vec<f64> {
    let others = |i: usize| nodes.iter().enumerate().filter(move |(l, _)| *l != i);
    let weight = |(i, at): (usize, &f64)| -> f64 {
        // The product of the factors of Lagrange's polynomial, differentiated one by one.
        let by = |(l, node): (usize, &f64)| -> f64 {
            let left = others(i).filter(|(q, _)| *q != l);
            left.map(|(_, q)| (tau - q) / (at - q)).product::<f64>() / (at - node)
        };
        others(i).map(by).sum()
    };
    nodes.iter().enumerate().map(weight).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_of_polynomials_are_exact() {
        let nodes = [0.0, 0.1, 0.45, 0.8];
        for tau in [0.0, 0.1, 0.6, 1.0] {
            let weights = differentiation(&nodes, tau);
            for degree in 0..4 {
                let slope: f64 = weights.iter().zip(nodes).map(|(w, x)| w * x.powi(degree)).sum();
                let exact = f64::from(degree) * tau.powi((degree - 1).max(0));
                assert!((slope - exact).abs() < 1e-12, "{tau} {degree}: {slope}");
            }
        }
    }
}
