//! Multiple shooting of one segment: between its nodes the flow itself, by an integrator for stiff modes.
//!
//! The points are those of collocation on the same mesh, nodes and stages, and each shot leads from one to the next, with its derivatives: forwards where
//! perturbations decay along it, from the later point backwards where they grow, so that what errors there are do not grow over a shot. Where perturbations
//! grow both ways the points are as many as that asks for. Everything that looks at the orbit in between finds it on the mesh.
//!
//! Reference: U. Ascher, R. Mattheij and R. Russell, *Numerical Solution of Boundary Value Problems for ODEs*, SIAM (1995), ch. 4.

use super::collocation::Collocation;
use super::mesh::FINEST;
use super::shot::Range;
use super::units::link_in;
use nalgebra::DMatrix;
use slipstick_continuation::Failure;
use slipstick_numerics::linalg::eigen::eigenvalues;
use slipstick_numerics::linalg::{Chain, dot, norm};
use slipstick_numerics::stop::{look, to_the_end};
use slipstick_system::{Function, Jacobian};

/// Perturbations may grow along one shot by e to this power.
const GROWTH: f64 = 2.0;
/// Shots are so much more accurate than the mesh that looks at the orbit in between.
const FINER: f64 = 0.01;

/// A node stays if so little of it is left in the shots on both sides.
const WEAK: f64 = 1e-4;

/// The size of each state, and the error aimed at relative to it.
pub(super) struct Precision<'a> {
    pub(super) sizes: &'a [f64],
    pub(super) tolerance: f64,
}

impl Collocation {
    /// Evaluate the equations of the shots between neighbouring points, `xᵢ₊₁ = φ(xᵢ)` or backwards `xᵢ = φ⁻¹(xᵢ₊₁)`, into `residual`, and their derivatives on
    /// the way.
    ///
    /// # Errors
    /// [`Failure`] when the flow cannot be followed.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn shoot(
        &mut self,
        field: &dyn Function,
        start: &[f64],
        duration: f64,
        block: &[f64],
        p: &[f64],
        free: &[usize],
        precision: Precision<'_>,
        residual: &mut [f64],
    ) -> Result<(), Failure> {
        let (n, k) = (self.n, free.len());
        let columns = n + 1 + k;
        self.prepare(field, duration, block, p, free);
        self.back = self.growth().into_iter().map(|(onward, back)| back < onward).collect();
        // What is taken out here is put back, so that no end comes in between.
        look();
        let mut maps = std::mem::take(&mut self.maps);
        maps.resize(residual.len() * columns, 0.0);
        let Some(mut shooter) = self.shooter.take() else {
            return Ok(());
        };
        let mut jacobian = Jacobian::new(field, n, p, free);
        let mut outcome = Ok(());
        let points = residual
            .chunks_exact_mut(n)
            .zip(block.chunks_exact(n))
            .zip(maps.chunks_exact_mut(n * columns));
        let mut before = start;
        for (i, ((residual, point), map)) in points.enumerate() {
            let (j, own) = (i / (self.gauss.stages + 1), i % (self.gauss.stages + 1));
            let ends = (self.part(own), self.part(own + 1));
            let (from, to) = if self.back[i] { (point, before) } else { (before, point) };
            let range = Range {
                ends: if self.back[i] { (ends.1, ends.0) } else { ends },
                width: self.mesh[j + 1] - self.mesh[j],
                duration,
                sizes: precision.sizes,
                tolerance: (FINER * precision.tolerance).max(FINEST),
            };
            let course = |tau: f64, out: &mut [f64]| self.eval_in(start, block, j, tau, out);
            outcome = to_the_end(|| shooter.shoot(&mut jacobian, k, from, &range, &course));
            if outcome.is_err() {
                break;
            }
            for (r, (u, x)) in residual.iter_mut().zip(to.iter().zip(&shooter.x)) {
                *r = u - x;
            }
            map.copy_from_slice(&shooter.by);
            before = point;
        }
        (self.shooter, self.maps) = (Some(shooter), maps);
        outcome
    }

    /// Where in an interval its points are, from its start (0) over the stages to its end.
    fn part(&self, point: usize) -> f64 {
        match point.checked_sub(1) {
            None => 0.0,
            Some(i) => self.gauss.c.get(i).copied().unwrap_or(1.0),
        }
    }

    /// The relations between the nodes that stay, from the maps of the last shots. A node stays where all that depends on it has decayed away: where an orbit
    /// leaves a repelling manifold, say, when it does so is felt neither before nor after, and no relation between other nodes would tell.
    pub(super) fn condense_shots(&mut self) {
        let (n, k) = (self.n, self.free);
        let columns = n + 1 + k;
        self.stays.clear();
        self.chains.resize_with(1, Chain::default);
        self.chains[0].begin(n, 1 + k);
        for (j, (own, back)) in self.maps.chunks_exact(n * columns).zip(&self.back).enumerate() {
            let mut map: Vec<f64> = own.chunks_exact(columns).flat_map(|r| &r[..n]).copied().collect();
            let mut shared: Vec<f64> = own.chunks_exact(columns).flat_map(|r| &r[n..]).copied().collect();
            link_in(&self.units, &mut map, &mut shared);
            let count = self.chains.len();
            let first = self.stays.last().copied().unwrap_or(0) == j;
            if !first && !back && weakest(&self.chains[count - 1].s, &map, n) < WEAK {
                self.stays.push(j);
                let mut next = Chain::default();
                next.begin(n, 1 + k);
                self.chains.push(next);
            }
            let Some(chain) = self.chains.last_mut() else { return };
            if *back {
                chain.push_back(&map, &shared);
            } else {
                chain.push(&map, &shared);
            }
        }
    }

    /// Split the intervals with shots along which perturbations grow by more than is allowed, by the Jacobians at the last evaluation.
    pub(super) fn split_expanding(&mut self) {
        let mut nodes = vec![0.0];
        for (pair, growth) in self.mesh.windows(2).zip(self.expansion()) {
            let parts = growth.ceil().clamp(1.0, 1e3);
            let inner = (1..parts as usize).map(|i| pair[0] + i as f64 / parts * (pair[1] - pair[0]));
            nodes.extend(inner.chain([pair[1]]));
        }
        self.mesh = nodes;
    }

    /// For each interval the largest part of the growth allowed to a shot that perturbations grow by along one, in the direction in which they grow less.
    pub(super) fn expansion(&self) -> Vec<f64> {
        let growth = self.growth();
        let shots = growth.chunks_exact(self.gauss.stages + 1);
        let least = |shots: &[(f64, f64)]| {
            shots
                .iter()
                .fold(0.0, |most: f64, (onward, back)| most.max(onward.min(*back)))
        };
        shots.map(|own| least(own) / GROWTH).collect()
    }

    /// The logarithm of what perturbations grow by over each shot, forwards and backwards: the integral of the largest real part of the Jacobian's
    /// eigenvalues, and of the negative of the smallest, between the last evaluations at the stages.
    fn growth(&self) -> Vec<(f64, f64)> {
        let (n, m) = (self.n, self.gauss.stages);
        let mut growth = Vec::with_capacity(self.len() * (m + 1));
        for (pair, own) in self.mesh.windows(2).zip(self.fx.chunks_exact(m * n * n)) {
            let rates: Vec<(f64, f64)> = own.chunks_exact(n * n).map(|fx| rates(fx, n)).collect();
            let time = (pair[1] - pair[0]) * self.duration;
            for shot in 0..=m {
                let width = time * (self.part(shot + 1) - self.part(shot));
                let (a, b) = (rates[shot.saturating_sub(1)], rates[shot.min(m - 1)]);
                growth.push((
                    0.5 * width * (a.1.max(0.0) + b.1.max(0.0)),
                    -0.5 * width * (a.0.min(0.0) + b.0.min(0.0)),
                ));
            }
        }
        growth
    }
}

/// The least that is left of a column of two matrices by rows, one above the other, once the columns before it are taken out of it.
fn weakest(upper: &[f64], lower: &[f64], n: usize) -> f64 {
    let mut columns: Vec<Vec<f64>> = (0..n)
        .map(|c| {
            (0..n)
                .map(|r| upper[r * n + c])
                .chain((0..n).map(|r| lower[r * n + c]))
                .collect()
        })
        .collect();
    let mut least = f64::INFINITY;
    for c in 0..n {
        let (done, rest) = columns.split_at_mut(c);
        let own = &mut rest[0];
        for q in done {
            let part = dot(q, own);
            own.iter_mut().zip(q).for_each(|(v, q)| *v -= part * *q);
        }
        let length = norm(own);
        least = least.min(length);
        own.iter_mut().for_each(|v| *v /= length);
    }
    least
}

/// The smallest and the largest real part of the eigenvalues of a matrix by rows.
fn rates(matrix: &[f64], n: usize) -> (f64, f64) {
    // States whose rates depend on none of those that are left, a phase among them, have the eigenvalue zero.
    let mut left: Vec<usize> = (0..n).collect();
    let idle = |left: &[usize]| {
        left.iter()
            .position(|&r| left.iter().all(|&c| matrix[r * n + c] == 0.0))
    };
    while let Some(i) = idle(&left) {
        left.remove(i);
    }
    let at = |r: usize, c: usize| matrix[left[r] * n + left[c]];
    let spread = |values: &[f64]| {
        let idle = if left.len() < n { Some(0.0) } else { None };
        let all = values.iter().copied().chain(idle);
        all.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)))
    };
    match left.len() {
        0 => (0.0, 0.0),
        1 => spread(&[at(0, 0)]),
        2 => {
            let (mean, half) = (0.5 * (at(0, 0) + at(1, 1)), 0.5 * (at(0, 0) - at(1, 1)));
            let root = (half * half + at(0, 1) * at(1, 0)).max(0.0).sqrt();
            spread(&[mean - root, mean + root])
        }
        count => {
            let matrix = DMatrix::from_fn(count, count, at);
            match eigenvalues(&matrix) {
                Ok(found) => spread(&found.iter().map(|e| e.re).collect::<Vec<f64>>()),
                // No rate is larger than the matrix.
                Err(_) => spread(&[-matrix.norm(), matrix.norm()]),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_the_extreme_real_parts_of_the_eigenvalues() {
        // A spiral driven by a phase, a saddle, a saddle with a third direction.
        assert_eq!(rates(&[-1.0, 2.0, 5.0, -2.0, -1.0, 3.0, 0.0, 0.0, 0.0], 3), (-1.0, 0.0));
        assert_eq!(rates(&[2.0, 0.0, 7.0, -3.0], 2), (-3.0, 2.0));
        let (least, most) = rates(&[1.0, 1.0, 0.0, 0.0, -4.0, 1.0, 1e-9, 0.0, 2.0], 3);
        assert!(
            (least + 4.0).abs() < 1e-8 && (most - 2.0).abs() < 1e-8,
            "{least} {most}"
        );
        assert_eq!(rates(&[0.0; 9], 3), (0.0, 0.0));
    }

    #[test]
    fn the_weakest_column_is_found_among_those_before_it() {
        let (upper, lower) = ([1.0, 0.0, 0.0, 1e-9], [1.0, 0.0, 0.0, 1e-9]);
        assert!((weakest(&upper, &lower, 2) - 2f64.sqrt() * 1e-9).abs() < 1e-15);
        // The second column is the first one, but for a little.
        let (upper, lower) = ([1.0, 2.0, 0.0, 1e-6], [1.0, 2.0, 0.0, 0.0]);
        assert!((weakest(&upper, &lower, 2) - 1e-6).abs() < 1e-12);
    }
}
