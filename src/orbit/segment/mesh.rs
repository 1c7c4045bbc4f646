//! Meshes that fit the solution: intervals are moved and added until the estimated error meets the tolerance.
//!
//! The error of the collocation polynomial on an interval of width h is `C h^{m+1} |u^{(m+1)}|` with C = 1/binom(2m,
//! m); the derivative is estimated from the jumps of the piecewise constant m-th derivative. A mesh is good when each
//! interval's estimate is near the tolerance, so the density of intervals is (estimate/tolerance)^{1/(m+1)} per
//! interval.
//!
//! Reference: U. Ascher, R. Mattheij and R. Russell, *Numerical Solution of Boundary Value Problems for ODEs*, SIAM
//! (1995), ch. 9.

use crate::segment::relative::is_gone;
use slipstick_numerics::tableau::{MOST_STAGES, Tableau};

/// What is asked of a mesh.
///
/// ```
/// use slipstick_orbit::{Discretisation, MeshOptions};
/// // Collocation of order 6 at the ends of its intervals, as many of them as the tolerance needs.
/// let fine = Discretisation::Collocation(MeshOptions { stages: 3, tolerance: 1e-10, ..MeshOptions::default() });
/// assert_ne!(fine, Discretisation::default());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshOptions {
    /// Collocation points in each interval.
    pub stages: usize,
    /// The error of the interpolant that is aimed at, relative to the size of each component.
    pub tolerance: f64,
    /// The most intervals.
    pub most: usize,
}

impl Default for MeshOptions {
    fn default() -> Self {
        Self {
            stages: 8,
            tolerance: 1e-9,
            most: 20_000,
        }
    }
}

/// Errors below this, relative to the size of a state, cannot be distinguished from rounding: no mesh aims lower.
pub(crate) const FINEST: f64 = 2e-13;

/// A polynomial of collocation in each interval of a mesh.
pub(super) struct Piecewise<'a> {
    pub(super) n: usize,
    pub(super) mesh: &'a [f64],
    pub(super) gauss: &'a Tableau,
    /// The state at the start; then the stages of each interval and its end.
    pub(super) start: &'a [f64],
    pub(super) block: &'a [f64],
    /// The states that never change sign, since their rates vanish with them: errors are relative to what they are in
    /// each interval. A population that nearly dies out recovers from what is left of it.
    pub(super) relative: &'a [bool],
}

impl Piecewise<'_> {
    /// Does a component count by what it is where it is?
    fn is_relative(&self, component: usize, size: f64) -> bool {
        let largest = |j: usize| self.largest(component, j);
        self.relative[component] && !is_gone((0..self.mesh.len() - 1).map(largest).fold(0.0, f64::max), size)
    }

    /// The largest magnitude of a component in interval `j`, among its stages and its ends.
    fn largest(&self, component: usize, j: usize) -> f64 {
        let at = j * (self.gauss.stages + 1) * self.n;
        let node = if j == 0 {
            self.start
        } else {
            &self.block[at - self.n..at]
        };
        let own = &self.block[at..at + (self.gauss.stages + 1) * self.n];
        let values = own.iter().skip(component).step_by(self.n);
        values.fold(node[component].abs(), |most, v| most.max(v.abs()))
    }
}

/// For each interval, the fraction of one ideal interval that it amounts to: 1 means its error is the tolerance.
pub(super) fn loads(of: &Piecewise<'_>, options: &MeshOptions, sizes: &[f64]) -> Vec<f64> {
    let (n, count, m) = (of.n, of.mesh.len() - 1, of.gauss.stages);
    let tolerance = options.tolerance.max(FINEST);
    let mut load = vec![0.0f64; count];
    let constant = 1.0 / binomial(2 * m, m);
    let width = |j: usize| of.mesh[j + 1] - of.mesh[j];
    // m-th derivatives over m!, n for each interval.
    let mut derivatives = vec![0.0; n * count];
    for (j, own) in derivatives.chunks_exact_mut(n).enumerate() {
        let at = j * (m + 1) * n;
        let node = if j == 0 { of.start } else { &of.block[at - n..at] };
        of.gauss.leading(node, &of.block[at..at + m * n], own);
        let scale = width(j).powi(m as i32);
        own.iter_mut().for_each(|d| *d /= scale);
    }
    for (component, size) in sizes.iter().enumerate().take(n) {
        let relative = of.is_relative(component, *size);
        let derivative: Vec<f64> = derivatives.iter().skip(component).step_by(n).copied().collect();
        let jump = |j: usize| {
            let gap = 0.5 * (width(j) + width(j + 1));
            (derivative[j + 1] - derivative[j]).abs() / gap
        };
        for (j, slot) in load.iter_mut().enumerate() {
            let higher = if count == 1 {
                derivative[0].abs() / width(0)
            } else if j == 0 {
                jump(0)
            } else if j + 1 == count {
                jump(j - 1)
            } else {
                jump(j - 1).max(jump(j))
            };
            let error = constant * higher / (m as f64 + 1.0) * width(j).powi(m as i32 + 1);
            let size = if relative {
                of.largest(component, j).clamp(f64::MIN_POSITIVE, *size)
            } else {
                *size
            };
            *slot = slot.max(error / (size * tolerance));
        }
    }
    for slot in &mut load {
        *slot = slot.powf(1.0 / (m as f64 + 1.0));
    }
    load
}

/// The largest estimated error that loads stand for.
pub(super) fn error(loads: &[f64], options: &MeshOptions) -> f64 {
    let worst = loads.iter().copied().fold(0.0, f64::max);
    options.tolerance.max(FINEST) * worst.powi(options.stages as i32 + 1)
}

fn binomial(n: usize, k: usize) -> f64 {
    (0..k).map(|i| (n - i) as f64 / (k - i) as f64).product()
}

/// How much wider intervals may become with the distance from a narrow one. Next to a layer widths grow like the
/// distance from it, and a derivative that is estimated across a larger change of widths is that of the layer in one
/// interval and that of its tail in the other.
const WIDENING: f64 = 1.2;

/// The mesh on which every interval carries about the same load, with as many intervals as the tolerance asks for, and
/// with widths that change gradually.
///
/// Reference: J. Kautsky and N. K. Nichols, *Equidistributing meshes with constraints*, SIAM J. Sci. Stat. Comput. 1
/// (1980) 499–511.
pub(crate) fn equidistributed(mesh: &[f64], loads: &[f64], most: usize) -> Vec<f64> {
    let count = loads.len();
    // No interval is worth nothing.
    let total: f64 = loads.iter().sum();
    let floor = (0.02 * total / count as f64).max(1e-3);
    let width = |j: usize| mesh[j + 1] - mesh[j];
    // The width at which each interval would carry a load of one.
    let mut wanted_width: Vec<f64> = (0..count).map(|j| width(j) / loads[j].max(floor)).collect();
    let room = |j: usize| WIDENING * 0.5 * (width(j) + width(j + 1));
    for j in 1..count {
        wanted_width[j] = wanted_width[j].min(wanted_width[j - 1] + room(j - 1));
    }
    for j in (1..count).rev() {
        wanted_width[j - 1] = wanted_width[j - 1].min(wanted_width[j] + room(j - 1));
    }
    let mut cumulative = vec![0.0; count + 1];
    for j in 0..count {
        cumulative[j + 1] = cumulative[j] + width(j) / wanted_width[j];
    }
    let load = cumulative[count];
    let wanted = ((1.2 * load).ceil() as usize).clamp(8, most.max(8));
    let mut fresh = Vec::with_capacity(wanted + 1);
    fresh.push(0.0);
    let mut j = 0;
    for i in 1..wanted {
        let target = load * i as f64 / wanted as f64;
        while cumulative[j + 1] < target {
            j += 1;
        }
        let fraction = (target - cumulative[j]) / (cumulative[j + 1] - cumulative[j]);
        fresh.push(mesh[j] + fraction * (mesh[j + 1] - mesh[j]));
    }
    fresh.push(1.0);
    fresh
}

/// A mesh for a known function of scaled time, by bisection until the polynomial through its values at the collocation
/// points predicts it. Components that are `relative` are to be predicted to what they are in each interval.
pub(super) fn for_function(
    relative: &[bool],
    options: &MeshOptions,
    sizes: &[f64],
    value: &mut dyn FnMut(f64, &mut [f64]),
) -> Vec<f64> {
    let n = relative.len();
    let probe = Tableau::gauss(options.stages.min(4));
    let m = probe.stages;
    let tolerance = options.tolerance.max(1e-6);
    let mut mesh = vec![0.0];
    // A stack of intervals, leftmost on top.
    let mut open: Vec<(f64, f64)> = (0..8)
        .rev()
        .map(|i| (f64::from(i) / 8.0, f64::from(i + 1) / 8.0))
        .collect();
    let mut x = vec![0.0; n];
    while let Some((a, b)) = open.pop() {
        let mut start = vec![0.0; n];
        value(a, &mut start);
        let mut stages = vec![];
        for &c in &probe.c {
            value(a + c * (b - a), &mut x);
            stages.extend_from_slice(&x);
        }
        let units: Vec<f64> = (0..n)
            .map(|c| match relative[c] {
                true => {
                    let own = stages.iter().skip(c).step_by(n);
                    let largest = own.fold(start[c].abs(), |most: f64, v| most.max(v.abs()));
                    largest.max(f64::MIN_POSITIVE).min(sizes[c])
                }
                false => sizes[c],
            })
            .collect();
        let mut fits = true;
        for tau in [0.11, 0.52, 0.97] {
            value(a + tau * (b - a), &mut x);
            let mut w = [0.0; MOST_STAGES + 1];
            probe.interpolation(tau, &mut w);
            for c in 0..n {
                let v = w[0] * start[c] + (0..m).map(|i| w[i + 1] * stages[i * n + c]).sum::<f64>();
                fits &= (v - x[c]).abs() <= tolerance * units[c];
            }
        }
        if fits || b - a < 1e-14 || mesh.len() + open.len() >= options.most {
            mesh.push(b);
        } else {
            let mid = 0.5 * (a + b);
            open.push((mid, b));
            open.push((a, mid));
        }
    }
    mesh
}
