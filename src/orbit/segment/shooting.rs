//! Multiple shooting of one segment: between its nodes the flow itself, by an integrator for stiff modes.
//!
//! The points are those of collocation on the same mesh, nodes and stages, and each shot leads from one to the next,
//! with its derivatives: forwards where perturbations decay along it, from the later point backwards where they grow,
//! so that what errors there are do not grow over a shot. Where perturbations grow both ways the points are as many as
//! that asks for. Everything that looks at the orbit in between finds it on the mesh.
//!
//! Reference: U. Ascher, R. Mattheij and R. Russell, *Numerical Solution of Boundary Value Problems for ODEs*, SIAM
//! (1995), ch. 4.

use crate::perturbation::Stability;
use crate::segment::collocation::Collocation;
use crate::segment::links::Links;
use crate::segment::mesh::{FINEST, MeshOptions};
use crate::segment::scheme::{Along, At, Guess, Profile, Rows, Scheme};
use crate::segment::shooting_interval::{Range, Shooter};
use crate::units::link_in;
use nalgebra::DMatrix;
use slipstick_continuation::Failure;
use slipstick_flow::Transition;
use slipstick_numerics::linalg::eigen::eigenvalues;
use slipstick_numerics::linalg::{dot, norm};
use slipstick_numerics::stop::{look, to_the_end};
use slipstick_system::Jacobian;

/// Perturbations may grow along one shot by e to this power.
const GROWTH: f64 = 2.0;

/// Shots are so much more accurate than the mesh that looks at the orbit in between.
const FINER: f64 = 0.01;

/// A node stays if so little of it is left in the shots on both sides.
const WEAK: f64 = 1e-4;

/// A segment that is shot over from point to point of a mesh of collocation.
pub(crate) struct Shooting {
    mesh: Collocation,
    shooter: Shooter,
    /// For each shot whether it goes from the later of its ends back to the earlier one.
    back: Vec<bool>,
    free: usize,
    /// For each shot where it ends per unit of where it begins and of (δT, δp): n × (n + 1 + k) by rows.
    maps: Vec<f64>,
    links: Links,
}

impl Shooting {
    pub(crate) fn new(n: usize, options: MeshOptions) -> Self {
        Self {
            mesh: Collocation::new(n, options),
            shooter: Shooter::new(n),
            back: vec![],
            free: 0,
            maps: vec![],
            links: Links::default(),
        }
    }

    /// Where in an interval its points are, from its start (0) over the stages to its end.
    fn part(&self, point: usize) -> f64 {
        match point.checked_sub(1) {
            None => 0.0,
            Some(i) => self.mesh.gauss.c.get(i).copied().unwrap_or(1.0),
        }
    }

    /// Split the intervals with shots along which perturbations grow by more than is allowed, by the Jacobians at the
    /// last evaluation.
    fn split_expanding(&mut self) {
        let mut nodes = vec![0.0];
        for (pair, growth) in self.mesh.mesh.windows(2).zip(self.expansion()) {
            let parts = growth.ceil().clamp(1.0, 1e3);
            let inner = (1..parts as usize).map(|i| pair[0] + i as f64 / parts * (pair[1] - pair[0]));
            nodes.extend(inner.chain([pair[1]]));
        }
        self.mesh.mesh = nodes;
    }

    /// For each interval the largest part of the growth allowed to a shot that perturbations grow by along one, in the
    /// direction in which they grow less.
    fn expansion(&self) -> Vec<f64> {
        let growth = self.growth();
        let pieces = growth.chunks_exact(self.mesh.gauss.stages + 1);
        let least = |pieces: &[(f64, f64)]| {
            pieces
                .iter()
                .fold(0.0, |most: f64, (onward, back)| most.max(onward.min(*back)))
        };
        pieces.map(|own| least(own) / GROWTH).collect()
    }

    /// The logarithm of what perturbations grow by over each shot, forwards and backwards: the integral of the largest
    /// real part of the Jacobian's eigenvalues, and of the negative of the smallest, between the last evaluations at
    /// the stages.
    fn growth(&self) -> Vec<(f64, f64)> {
        let mesh = &self.mesh;
        let (n, m) = (mesh.n, mesh.gauss.stages);
        let mut growth = Vec::with_capacity(mesh.intervals() * (m + 1));
        for (pair, own) in mesh.mesh.windows(2).zip(mesh.fx.chunks_exact(m * n * n)) {
            let rates: Vec<(f64, f64)> = own.chunks_exact(n * n).map(|fx| rates(fx, n)).collect();
            let time = (pair[1] - pair[0]) * mesh.duration;
            for interval in 0..=m {
                let width = time * (self.part(interval + 1) - self.part(interval));
                let (a, b) = (rates[interval.saturating_sub(1)], rates[interval.min(m - 1)]);
                growth.push((
                    0.5 * width * (a.1.max(0.0) + b.1.max(0.0)),
                    -0.5 * width * (a.0.min(0.0) + b.0.min(0.0)),
                ));
            }
        }
        growth
    }
}

impl Scheme for Shooting {
    fn profile(&self) -> Option<&dyn Profile> {
        Some(&self.mesh)
    }
    fn profile_mut(&mut self) -> Option<&mut dyn Profile> {
        Some(&mut self.mesh)
    }

    fn wants_sizes(&self) -> bool {
        true
    }

    /// The equations of the shots between neighbouring points, `xᵢ₊₁ = φ(xᵢ)` or backwards `xᵢ = φ⁻¹(xᵢ₊₁)`.
    fn evaluate(&mut self, at: &At<'_, '_>, residual: &mut [f64], _: &mut Transition) -> Result<(), Failure> {
        let (n, k) = (self.mesh.n, at.free.len());
        let columns = n + 1 + k;
        self.free = k;
        self.mesh.prepare(at.field, at.duration, at.block, at.p, at.free);
        self.back = self.growth().into_iter().map(|(onward, back)| back < onward).collect();
        look();
        self.maps.resize(residual.len() * columns, 0.0);
        let mut jacobian = Jacobian::new(at.field, n, at.p, at.free);
        let mut before = at.start;
        for (i, (residual, point)) in residual.chunks_exact_mut(n).zip(at.block.chunks_exact(n)).enumerate() {
            let (j, own) = (i / (self.mesh.gauss.stages + 1), i % (self.mesh.gauss.stages + 1));
            let ends = (self.part(own), self.part(own + 1));
            let (from, to) = if self.back[i] { (point, before) } else { (before, point) };
            let range = Range {
                ends: if self.back[i] { (ends.1, ends.0) } else { ends },
                width: self.mesh.mesh[j + 1] - self.mesh.mesh[j],
                duration: at.duration,
                sizes: at.sizes,
                tolerance: (FINER * self.mesh.options.tolerance).max(FINEST),
            };
            let Self { mesh, shooter, .. } = self;
            let dense = |tau: f64, out: &mut [f64]| mesh.eval_in(at.start, at.block, j, tau, out);
            // No end comes in between.
            to_the_end(|| shooter.shoot(&mut jacobian, k, from, &range, &dense))?;
            for (r, (u, x)) in residual.iter_mut().zip(to.iter().zip(&shooter.x)) {
                *r = u - x;
            }
            self.maps[i * n * columns..(i + 1) * n * columns].copy_from_slice(&self.shooter.by);
            before = point;
        }
        Ok(())
    }

    fn states_left(&self) -> usize {
        2 + self.links.stays.len()
    }

    fn forget(&mut self) {
        self.links.stays.clear();
    }

    /// A node stays where all that depends on it has decayed away: where an orbit leaves a repelling manifold, say,
    /// when it does so is felt neither before nor after, and no relation between other nodes would tell.
    fn condense(&mut self, units: &[f64], absent: &[usize]) -> Result<(), Failure> {
        self.links.set_units(units);
        self.links.set_absent(absent);
        let (n, k) = (self.mesh.n, self.free);
        let columns = n + 1 + k;
        self.links.begin(n, 1 + k);
        for (own, back) in self.maps.chunks_exact(n * columns).zip(&self.back) {
            let mut map: Vec<f64> = own.chunks_exact(columns).flat_map(|r| &r[..n]).copied().collect();
            let mut shared: Vec<f64> = own.chunks_exact(columns).flat_map(|r| &r[n..]).copied().collect();
            link_in((&self.links.units, &self.links.units), &mut map, &mut shared);
            self.links
                .cut_off_absent((&mut map, &mut shared), if *back { 2.0 } else { 0.5 });
            let known = self.links.fixed_sizes();
            if !back && known.is_some_and(|known| weakest(known, &map, n) < WEAK) {
                self.links.stay();
            }
            if *back {
                self.links.next().push_back(&map, &shared);
            } else {
                self.links.next().push(&map, &shared);
            }
        }
        self.links.finite()
    }

    fn relations(&self, rows: &mut Rows<'_>) {
        self.links.relations(rows);
    }

    fn reduce(&mut self, rhs: &[f64]) -> Vec<f64> {
        self.links.reduce(&mut rhs.to_vec())
    }

    fn condense_row(&self, row: &[f64], nodes: &mut [f64], shared: &mut [f64]) -> f64 {
        let n = self.mesh.n;
        let mut w = vec![0.0; (self.links.len() + 1) * n];
        w[n..].copy_from_slice(row);
        self.links.condense_row(&mut w, nodes, shared)
    }

    fn expand(&self, nodes: &[f64], shared: &[f64], block: &mut [f64]) {
        let x = self.links.expand(nodes, shared);
        block.copy_from_slice(&x[self.mesh.n..]);
    }

    fn fit(&mut self, guess: &Guess<'_>, dense: &mut dyn FnMut(f64, &mut [f64])) {
        self.mesh.fit_states(guess, dense);
        let profile: &dyn Profile = &self.mesh;
        let block = profile.reported(dense);
        self.mesh
            .prepare(guess.field, guess.duration, &block, guess.p, guess.free);
        self.split_expanding();
    }

    fn refitted(&self, start: &[f64], block: &[f64], sizes: &[f64]) -> Option<Vec<f64>> {
        let mut loads = self.mesh.loads(start, block, sizes);
        for (load, growth) in loads.iter_mut().zip(self.expansion()) {
            *load = load.max(growth);
        }
        self.mesh.refitted_to(&loads)
    }

    fn factors(&self, along: &Along<'_, '_>, work: &mut Stability) -> Result<Option<f64>, Failure> {
        self.mesh.factors(along, work)
    }
}

/// The least that is left of a column of two matrices by rows, one above the other, once the columns before it are
/// taken out of it.
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
