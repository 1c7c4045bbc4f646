//! What is read off the profile of a cycle: integrals and extremes.

use super::LargeCycle;
use slipstick_system::Function;

impl LargeCycle<'_> {
    /// The mean over the period of what `value` makes of the states.
    pub(super) fn mean(&self, z: &[f64], value: &mut dyn FnMut(&[f64]) -> f64) -> f64 {
        let points = z[..z.len() - 2].chunks_exact(self.n);
        points.zip(self.shares()).map(|(x, share)| share * value(x)).sum()
    }

    /// The means of all states.
    pub(super) fn centre(&self, z: &[f64]) -> Vec<f64> {
        let mut centre = vec![0.0; self.n];
        for (x, share) in z[..z.len() - 2].chunks_exact(self.n).zip(self.shares()) {
            centre.iter_mut().zip(x).for_each(|(c, x)| *c += share * x);
        }
        centre
    }

    /// The largest value of `sign` times a function of the states.
    pub(super) fn largest(&self, z: &[f64], of: &dyn Function, sign: f64) -> f64 {
        let p = self.parameters_at(z);
        let mut x = vec![0.0; self.n];
        let mut value = |sigma: f64| {
            let mut v = [0.0];
            self.interpolate(z, sigma, &mut x);
            of.value(&x, &p, &mut v);
            sign * v[0]
        };
        self.largest_of(&mut value)
    }

    /// The largest and the least value of state `c`.
    pub(super) fn range(&self, z: &[f64], c: usize) -> (f64, f64) {
        let (m, n) = (self.tableau.stages, self.n);
        let mut weights = [0.0; slipstick_numerics::tableau::MOST_STAGES + 1];
        let mut value = |sigma: f64| {
            let i = self.interval_of(sigma);
            let tau = (sigma - self.mesh[i]) / (self.mesh[i + 1] - self.mesh[i]);
            self.tableau.interpolation(tau, &mut weights);
            let points = (0..m).map(|j| weights[j + 1] * z[(i * m + j) * n + c]);
            weights[0] * self.node(z, i)[c] + points.sum::<f64>()
        };
        let largest = self.largest_of(&mut value);
        (largest, -self.largest_of(&mut |sigma| -value(sigma)))
    }

    /// The largest value of a function of the part of the period: near the largest at the points of the mesh, by
    /// bisection with the golden section.
    fn largest_of(&self, value: &mut dyn FnMut(f64) -> f64) -> f64 {
        const GOLDEN: f64 = 0.618_033_988_749_894_8;
        const STEPS: usize = 40;
        let mut places = vec![0.0];
        for pair in self.mesh.windows(2) {
            places.extend(self.tableau.c.iter().map(|c| pair[0] + c * (pair[1] - pair[0])));
        }
        let values: Vec<f64> = places.iter().map(|sigma| value(*sigma)).collect();
        let best = (0..values.len())
            .max_by(|&a, &b| values[a].total_cmp(&values[b]))
            .unwrap_or(0);
        let last = places.len() - 1;
        // Over the end of the period the cycle goes on.
        let (mut a, mut b) = match best {
            0 => (places[last - 1] - 1.0, places[1]),
            k if k == last => (places[last - 1], 1.0 + places[1]),
            k => (places[k - 1], places[k + 1]),
        };
        let mut at = |sigma: f64| value(sigma - sigma.floor());
        let (mut c, mut d) = (b - GOLDEN * (b - a), a + GOLDEN * (b - a));
        let (mut at_c, mut at_d) = (at(c), at(d));
        for _ in 0..STEPS {
            if at_c > at_d {
                (b, d, at_d) = (d, c, at_c);
                c = b - GOLDEN * (b - a);
                at_c = at(c);
            } else {
                (a, c, at_c) = (c, d, at_d);
                d = a + GOLDEN * (b - a);
                at_d = at(d);
            }
        }
        at_c.max(at_d).max(values[best])
    }
}
