//! Multiple shooting of one segment: between its nodes the flow itself, by an integrator for stiff modes.
//!
//! The nodes are unknowns as in collocation, and each sub-segment is integrated from its own node together with the variational
//! equations, so no error grows over more than one sub-segment; their number follows from the local rate of expansion. What the flow passes
//! at the collocation points is kept beside the nodes, for all that looks at the orbit in between.
//!
//! Reference: U. Ascher, R. Mattheij and R. Russell, *Numerical Solution of Boundary Value Problems for ODEs*, SIAM (1995), ch. 4.

use super::collocation::Collocation;
use crate::continuation::Failure;
use crate::flow::{ModeFlow, Transition};
use nalgebra::DMatrix;

/// Perturbations may grow along one sub-segment by e to this power.
const GROWTH: f64 = 7.0;

impl Collocation {
    /// Evaluate the equations `Uⱼᵢ = φ(cᵢ h; uⱼ)`, `uⱼ₊₁ = φ(h; uⱼ)` into `residual`, and their derivatives on the way.
    ///
    /// # Errors
    /// [`Failure`] when the flow cannot be followed.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn shoot(
        &mut self,
        flow: &ModeFlow<'_>,
        start: &[f64],
        duration: f64,
        block: &[f64],
        p: &[f64],
        free: &[usize],
        residual: &mut [f64],
    ) -> Result<(), Failure> {
        let (n, m, k) = (self.n, self.gauss.stages, free.len());
        let (size, columns) = (m * n, n + 1 + k);
        self.prepare(flow.mode().field.as_ref(), duration, block, p, free);
        self.response.resize(self.len() * size * columns, 0.0);
        self.maps.resize(self.len() * n * columns, 0.0);
        let mut end = Transition::default();
        for j in 0..self.len() {
            let width = self.mesh[j + 1] - self.mesh[j];
            let own = j * self.gauss.stride(n)..(j + 1) * self.gauss.stride(n);
            let mut x = self.node(start, block, j).to_vec();
            // ∂x/∂(uⱼ, T, p), by rows.
            let mut by = vec![0.0; n * columns];
            for c in 0..n {
                by[c * columns + c] = 1.0;
            }
            let mut reached = 0.0;
            for (i, c) in self.gauss.c.iter().copied().chain([1.0]).enumerate() {
                let part = (c - reached) * width;
                flow.linearise(&x, part * duration, p, free, &mut end)
                    .map_err(|e| Failure::Evaluation(e.to_string()))?;
                let before = by.clone();
                for r in 0..n {
                    let row = &mut by[r * columns..(r + 1) * columns];
                    for (q, v) in row.iter_mut().enumerate() {
                        *v = (0..n).map(|a| end.dx[r * n + a] * before[a * columns + q]).sum();
                    }
                    row[n] += part * end.f[r];
                    for q in 0..k {
                        row[n + 1 + q] += end.dp[r * k + q];
                    }
                }
                x.copy_from_slice(&end.x);
                reached = c;
                let at = own.start + i * n;
                for r in 0..n {
                    residual[at + r] = block[at + r] - x[r];
                }
                let target = if i < m {
                    &mut self.response[(j * m + i) * n * columns..][..n * columns]
                } else {
                    &mut self.maps[j * n * columns..][..n * columns]
                };
                target.copy_from_slice(&by);
            }
        }
        Ok(())
    }

    /// The relation between the ends, from the maps of the last shot.
    pub(super) fn condense_shots(&mut self) {
        let (n, k) = (self.n, self.free);
        let columns = n + 1 + k;
        self.chain.begin(n, 1 + k);
        for own in self.maps.chunks_exact(n * columns) {
            let map: Vec<f64> = own.chunks_exact(columns).flat_map(|r| &r[..n]).copied().collect();
            let shared: Vec<f64> = own.chunks_exact(columns).flat_map(|r| &r[n..]).copied().collect();
            self.chain.push(&map, &shared);
        }
    }

    /// Split the intervals along which perturbations grow by more than is allowed, by the Jacobians at the last evaluation.
    pub(super) fn split_expanding(&mut self) {
        let mut nodes = vec![0.0];
        for (pair, growth) in self.mesh.windows(2).zip(self.expansion()) {
            let parts = growth.ceil().max(1.0);
            let inner = (1..parts as usize).map(|i| pair[0] + i as f64 / parts * (pair[1] - pair[0]));
            nodes.extend(inner.chain([pair[1]]));
        }
        self.mesh = nodes;
    }

    /// For each interval the part of the growth allowed to a sub-segment that perturbations grow by: the integral of the largest real part of the
    /// Jacobian's eigenvalues, at the last evaluation.
    pub(super) fn expansion(&self) -> Vec<f64> {
        let (n, m) = (self.n, self.gauss.stages);
        let rate = |fx: &[f64]| {
            let eigenvalues = DMatrix::from_row_slice(n, n, fx).complex_eigenvalues();
            eigenvalues.iter().fold(0.0f64, |largest, e| largest.max(e.re))
        };
        let intervals = self.mesh.windows(2).zip(self.fx.chunks_exact(m * n * n));
        intervals
            .map(|(pair, own)| {
                let mean: f64 = own
                    .chunks_exact(n * n)
                    .zip(&self.gauss.b)
                    .map(|(fx, b)| b * rate(fx))
                    .sum();
                (pair[1] - pair[0]) * self.duration * mean / GROWTH
            })
            .collect()
    }
}
