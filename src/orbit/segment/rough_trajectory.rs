//! Meshes that serve a trajectory that is known roughly: intervals are halved where polynomials do not tell the field
//! along it.
//!
//! Where a force changes fast as a slow state goes by, as dry friction that is regularised does, the states hardly show
//! the layer that their rates have. The trajectory tells where the layer is, and the field along it how narrow.

use crate::segment::collocation::Collocation;
use crate::segment::mesh;
use crate::segment::relative::relative_along;
use crate::segment::scheme::Guess;
use slipstick_numerics::linalg::balance;
use slipstick_system::{Function, Jacobian};

/// Where in an interval the field is compared with the polynomial through its values at the Gauss points.
const PROBES: [f64; 4] = [0.06, 0.32, 0.54, 0.84];
/// What it may be off by over an interval, where the tolerance is below that: trajectories are only roughly right.
const ROUGH: f64 = 1e-6;
/// No interval is halved below this part of the segment.
const NARROWEST: f64 = 1e-13;

impl Collocation {
    /// A mesh that tells the states along a guess.
    pub(super) fn fit_states(&mut self, guess: &Guess<'_>, dense: &mut dyn FnMut(f64, &mut [f64])) {
        let relative = relative_along(guess, dense);
        self.mesh = mesh::for_function(&relative, &self.options, guess.sizes, dense);
    }

    /// A mesh that tells the states along a guess and the field there.
    pub(super) fn fit_guess(&mut self, guess: &Guess<'_>, dense: &mut dyn FnMut(f64, &mut [f64])) {
        self.fit_states(guess, dense);
        let mut rough = RoughTrajectory {
            field: guess.field,
            p: guess.p,
            duration: guess.duration,
            sizes: guess.sizes,
            state: dense,
            allowed: self.options.tolerance.max(ROUGH),
        };
        self.mesh = self.halved_along(&mut rough);
    }

    /// The nodes with those halfway in intervals until they tell the field along a trajectory.
    fn halved_along(&self, rough: &mut RoughTrajectory<'_>) -> Vec<f64> {
        let mut nodes = vec![0.0];
        for pair in self.mesh.windows(2) {
            // A stack of intervals, leftmost on top.
            let mut open = vec![(pair[0], pair[1])];
            while let Some((a, b)) = open.pop() {
                let room = b - a > NARROWEST && nodes.len() + open.len() < self.options.most;
                if room && !rough.is_resolved(&self.gauss.c, (a, b)) {
                    let middle = 0.5 * (a + b);
                    open.extend([(middle, b), (a, middle)]);
                } else {
                    nodes.push(b);
                }
            }
        }
        nodes
    }
}

/// States over scaled time, and the field along them.
struct RoughTrajectory<'a> {
    field: &'a dyn Function,
    p: &'a [f64],
    duration: f64,
    sizes: &'a [f64],
    state: &'a mut dyn FnMut(f64, &mut [f64]),
    /// What a polynomial may be off by, relative to the sizes.
    allowed: f64,
}

impl RoughTrajectory<'_> {
    /// Does the polynomial through the values at these parts of the way between `a` and `b` tell the field there? What
    /// it is off by counts by what it does to the states: over the width, or as long as perturbations live.
    fn is_resolved(&mut self, parts: &[f64], (a, b): (f64, f64)) -> bool {
        let n = self.sizes.len();
        let width = (b - a) * self.duration.abs();
        let (mut x, mut f, mut fx) = (vec![0.0; n], vec![0.0; n], vec![0.0; n * n]);
        let mut known = vec![0.0; parts.len() * n];
        for (part, f) in parts.iter().zip(known.chunks_exact_mut(n)) {
            (self.state)(a + part * (b - a), &mut x);
            self.field.value(&x, self.p, f);
        }
        PROBES.iter().all(|probe| {
            (self.state)(a + probe * (b - a), &mut x);
            self.field.value(&x, self.p, &mut f);
            let weights = through(parts, *probe);
            let off_by = |i: usize| {
                let interpolated: f64 = weights
                    .iter()
                    .zip(known[i..].iter().step_by(n))
                    .map(|(w, f)| w * f)
                    .sum();
                (f[i] - interpolated).abs() / self.sizes[i]
            };
            let off = width * (0..n).map(off_by).fold(0.0, f64::max);
            if off <= self.allowed {
                return true;
            }
            Jacobian::new(self.field, n, self.p, &[]).at(&x, &mut f, &mut fx, &mut []);
            let (_, strength) = balance(&fx, n);
            off <= self.allowed * (1.0 + strength * width)
        })
    }
}

/// The weights at `part` of values at nodes in the polynomial through them.
fn through(nodes: &[f64], part: f64) -> Vec<f64> {
    let weight = |(i, node): (usize, &f64)| -> f64 {
        let others = nodes.iter().enumerate().filter(|(l, _)| *l != i);
        others.map(|(_, other)| (part - other) / (node - other)).product()
    };
    nodes.iter().enumerate().map(weight).collect()
}
