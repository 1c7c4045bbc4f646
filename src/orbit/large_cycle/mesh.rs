//! Meshes on which the estimated error of a cycle is the same in each interval.
//!
//! The polynomial of an interval of width h has the error `K h^{m+1} u^{(m+1)}/m!`, where K is the largest modulus of
//! `∫₀^τ Π (s - cᵢ) ds`. The derivative is estimated from the jumps of the m-th derivative between intervals, over the
//! closed orbit. At the ends of the intervals, and of the period and the multipliers, the error is of the order
//! `h^{2m-1}`, and so far smaller.
//!
//! Reference: E. Hairer and G. Wanner, *Solving Ordinary Differential Equations II*, 2nd ed., Springer (1996), ch.
//! IV.5.

use super::LargeCycle;
use crate::segment::mesh::{FINEST, equidistributed};
use slipstick_numerics::tableau::{MOST_STAGES, Tableau};

/// By so much the error may exceed the tolerance on the mesh of the point before.
const SLACK: f64 = 30.0;
/// A mesh is changed where an interval amounts to more than this, or where this part of its intervals would do.
const FULL: f64 = 1.02;
const PART: f64 = 0.75;

impl LargeCycle<'_> {
    /// For each interval, the fraction of one ideal interval that it amounts to: 1 means its error is the tolerance.
    fn loads(&self, z: &[f64]) -> Vec<f64> {
        let (n, m, count) = (self.n, self.tableau.stages, self.intervals());
        let sizes = self.state_sizes(z);
        let width = |i: usize| self.mesh[i + 1] - self.mesh[i];
        let mut derivatives = vec![0.0; n * count];
        for (i, own) in derivatives.chunks_exact_mut(n).enumerate() {
            let points = &z[i * m * n..(i + 1) * m * n];
            self.tableau.leading(self.node(z, i), points, own);
            let scale = width(i).powi(m as i32);
            own.iter_mut().for_each(|d| *d /= scale);
        }
        // Of the jump at the begin of each interval, relative to the sizes.
        let jumps: Vec<f64> = (0..count)
            .map(|i| {
                let before = (i + count - 1) % count;
                let gap = 0.5 * (width(i) + width(before));
                let own = derivatives[i * n..].iter().zip(&derivatives[before * n..]).zip(&sizes);
                own.fold(0.0f64, |most, ((a, b), size)| most.max((a - b).abs() / size)) / gap
            })
            .collect();
        let constant = largest_integral(&self.tableau);
        let tolerance = self.options.tolerance.max(FINEST);
        (0..count)
            .map(|i| {
                let higher = jumps[i].max(jumps[(i + 1) % count]);
                let error = constant * higher * width(i).powi(m as i32 + 1);
                (error / tolerance).powf(1.0 / (m as f64 + 1.0))
            })
            .collect()
    }

    /// The estimated error of the states, relative to the size of each.
    pub(super) fn mesh_error(&self, z: &[f64]) -> f64 {
        let worst = self.loads(z).into_iter().fold(0.0, f64::max);
        self.options.tolerance.max(FINEST) * worst.powi(self.tableau.stages as i32 + 1)
    }

    /// Is the error within reach of the tolerance, where a finer mesh is possible?
    pub(super) fn mesh_fits(&self, z: &[f64]) -> bool {
        self.intervals() >= self.options.most || self.mesh_error(z) <= SLACK * self.options.tolerance.max(FINEST)
    }

    /// The mesh that the orbit `z` asks for, where the present one has too few intervals for it or far too many.
    pub(super) fn mesh_wanted(&self, z: &[f64]) -> Option<Vec<f64>> {
        let loads = self.loads(z);
        let worst = loads.iter().copied().fold(0.0, f64::max);
        let fresh = equidistributed(&self.mesh, &loads, self.options.most);
        let fewer = (fresh.len() as f64) < PART * self.mesh.len() as f64;
        let refined = worst > FULL && self.intervals() < self.options.most;
        ((refined || fewer) && worst.is_finite()).then_some(fresh)
    }

    /// Take over this mesh, with all these vectors of unknowns.
    pub(super) fn change_mesh(&mut self, fresh: &[f64], vectors: &mut [&mut Vec<f64>]) {
        for vector in vectors {
            **vector = self.transferred(fresh, vector);
        }
        self.set_mesh(fresh);
    }

    /// The unknowns `v` on another mesh.
    pub(super) fn transferred(&self, fresh: &[f64], v: &[f64]) -> Vec<f64> {
        let mut out = Vec::with_capacity((fresh.len() - 1) * self.stride() + 2);
        let mut x = vec![0.0; self.n];
        for pair in fresh.windows(2) {
            for c in &self.tableau.c {
                self.interpolate(v, pair[0] + c * (pair[1] - pair[0]), &mut x);
                out.extend_from_slice(&x);
            }
        }
        out.extend_from_slice(&v[v.len() - 2..]);
        out
    }

    /// The interval that the time `sigma`, a part of the period, lies in.
    pub(super) fn interval_of(&self, sigma: f64) -> usize {
        self.mesh[1..self.mesh.len() - 1].partition_point(|node| *node < sigma)
    }

    /// The states at the time `sigma`, a part of the period.
    pub(super) fn interpolate(&self, z: &[f64], sigma: f64, x: &mut [f64]) {
        let i = self.interval_of(sigma);
        let tau = (sigma - self.mesh[i]) / (self.mesh[i + 1] - self.mesh[i]);
        let mut weights = [0.0; MOST_STAGES + 1];
        self.tableau.interpolation(tau, &mut weights);
        x.copy_from_slice(self.node(z, i));
        x.iter_mut().for_each(|x| *x *= weights[0]);
        let points = z[i * self.stride()..].chunks_exact(self.n);
        for (w, point) in weights[1..=self.tableau.stages].iter().zip(points) {
            x.iter_mut().zip(point).for_each(|(x, v)| *x += w * v);
        }
    }
}

/// The largest modulus of `∫₀^τ Π (s - cᵢ) ds` for τ between 0 and 1.
fn largest_integral(tableau: &Tableau) -> f64 {
    const PIECES: usize = 200;
    let value = |s: f64| -> f64 { tableau.c.iter().map(|c| s - c).product() };
    let h = 1.0 / PIECES as f64;
    let (mut sum, mut most) = (0.0f64, 0.0f64);
    for k in 0..PIECES {
        let a = k as f64 * h;
        sum += h / 6.0 * (value(a) + 4.0 * value(a + 0.5 * h) + value(a + h));
        most = most.max(sum.abs());
    }
    most
}
