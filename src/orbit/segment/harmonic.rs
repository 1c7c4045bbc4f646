//! Trigonometric collocation of a smooth orbit that is one segment: harmonic balance in which the field is evaluated in
//! time.
//!
//! The unknowns are the states at M equally spaced times and at the end. A smooth periodic orbit is a trigonometric
//! polynomial through them up to an error that falls geometrically with M, and the differential equation holds at each
//! of these times but the end. What comes back at the end is `x(σ + 1) = S x(σ) + w`, with the identity for S, or the
//! symmetry of the system if the segment is half of a symmetric orbit; w are the turns of angles, which follow from
//! start and end. Of a state the part that S keeps runs on harmonics of the segment, the part that S turns round on
//! those halfway between. Multipliers are those of the variational equation along the interpolated orbit: the matrix of
//! the scheme has as many eigenvalues as unknowns, most of them spurious (Hill's determinant).
//!
//! References: L. N. Trefethen, *Spectral Methods in MATLAB*, SIAM (2000), ch. 3; M. Krack and J. Gross, *Harmonic
//! Balance for Nonlinear Vibration Problems*, Springer (2019), ch. 2.

use crate::perturbation::Stability;
use crate::resolved_steps::for_each_step;
use crate::segment::mesh::FINEST;
use crate::segment::scheme::{Along, At, Guess, Profile, Rows, Scheme, Transfer};
use crate::segment::trigonometric::{Parity, Points};
use crate::variational::resolved_factors;
use slipstick_continuation::Failure;
use slipstick_flow::Transition;
use slipstick_numerics::tableau::{MOST_STAGES, Tableau};
use slipstick_system::Jacobian;

/// What is asked of a trigonometric polynomial.
///
/// ```
/// use slipstick_orbit::{Discretisation, HarmonicOptions};
/// // Orbits of one segment as Fourier series of as many harmonics as the tolerance needs, fifty at most.
/// let series = Discretisation::Harmonic(HarmonicOptions { harmonics: 50, ..HarmonicOptions::default() });
/// assert_ne!(series, Discretisation::default());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HarmonicOptions {
    /// The most harmonics of the orbit's frequency.
    pub harmonics: usize,
    /// The error of the interpolant that is aimed at, relative to the size of each state.
    pub tolerance: f64,
}

impl Default for HarmonicOptions {
    fn default() -> Self {
        Self {
            harmonics: 200,
            tolerance: 1e-12,
        }
    }
}

/// The fewest points.
const FEWEST: usize = 9;

/// A first guess has at most so many, unless twice the points bring the error down by this factor.
const FIRST: usize = 128;

const FASTER: f64 = 0.1;

/// Of a guess, amplitudes below this part of a state do not matter.
const ROUGH: f64 = 1e-6;

/// A segment on equally spaced points.
pub(crate) struct Harmonic {
    n: usize,
    options: HarmonicOptions,
    /// Projections (n×n by rows) on what comes back as it is and on what comes back with the other sign, each with its
    /// interpolation; those that are zero are left out.
    split: Vec<(Vec<f64>, Points)>,
    /// Does a state come back with the other sign?
    half: bool,
    mesh: Vec<f64>,
    gauss: Tableau,
    duration: f64,
    free: usize,
    /// The field at the points but the end, and its derivatives by states and by free parameters.
    f: Vec<f64>,
    fx: Vec<f64>,
    fp: Vec<f64>,
}

impl Harmonic {
    /// For `n` states that come back by the linear map `closing` (n×n by rows), its own inverse.
    pub(crate) fn new(n: usize, options: HarmonicOptions, closing: &[f64]) -> Self {
        let projection = |sign: f64| -> Vec<f64> {
            let unit = |i: usize| f64::from(u8::from(i / n == i % n));
            closing
                .iter()
                .enumerate()
                .map(|(i, s)| 0.5 * (unit(i) + sign * s))
                .collect()
        };
        let both = [(projection(1.0), Parity::Even), (projection(-1.0), Parity::Odd)];
        let half = both[1].0.iter().any(|v| *v != 0.0);
        let parts = both.into_iter().filter(|(p, _)| p.iter().any(|v| *v != 0.0));
        let mut harmonic = Self {
            n,
            options,
            split: parts.map(|(p, parity)| (p, Points::new(parity))).collect(),
            half,
            mesh: vec![],
            gauss: Tableau::gauss(MOST_STAGES),
            duration: 0.0,
            free: 0,
            f: vec![],
            fx: vec![],
            fp: vec![],
        };
        harmonic.take(harmonic.fitting(FEWEST));
        harmonic
    }

    /// Use so many points.
    fn take(&mut self, count: usize) {
        if self.mesh.len() != count + 1 {
            self.mesh = (0..=count).map(|j| j as f64 / count as f64).collect();
            self.split.iter_mut().for_each(|(_, points)| points.take(count));
        }
    }

    /// So many points, or one more: an odd number for the harmonics of the segment, an even one for those halfway
    /// between.
    fn fitting(&self, wanted: usize) -> usize {
        if self.half { wanted + wanted % 2 } else { wanted | 1 }
    }

    fn count(&self) -> usize {
        self.mesh.len() - 1
    }

    /// The most points that the harmonics allowed amount to.
    fn most(&self) -> usize {
        let harmonics = self.options.harmonics;
        self.fitting(if self.half { harmonics + 1 } else { 2 * harmonics + 1 })
            .max(FEWEST)
    }

    /// The harmonics of the orbit's frequency that so many points tell.
    fn harmonics(&self, count: usize) -> usize {
        if self.half { count - 1 } else { (count - 1) / 2 }
    }

    /// The value of weights of the points, for each part, into `out`.
    fn combine(&self, weights: &[Vec<f64>], start: &[f64], block: &[f64], out: &mut [f64]) {
        let n = self.n;
        let mut sum = vec![0.0; n];
        out.fill(0.0);
        for ((projection, _), weights) in self.split.iter().zip(weights) {
            sum.fill(0.0);
            for (w, x) in weights.iter().zip(std::iter::once(start).chain(block.chunks_exact(n))) {
                for (s, v) in sum.iter_mut().zip(x) {
                    *s += w * v;
                }
            }
            for (o, row) in out.iter_mut().zip(projection.chunks_exact(n)) {
                *o += slipstick_numerics::linalg::dot(row, &sum);
            }
        }
    }

    /// The weights of the points in the value at the part `tau` of interval `j`.
    fn weights(&self, j: usize, tau: f64) -> Vec<Vec<f64>> {
        self.split.iter().map(|(_, points)| points.value(j, tau)).collect()
    }

    /// The amplitudes of the harmonics halfway and full of the segment, relative to the sizes of the states, in order
    /// of their frequency.
    fn amplitudes(&self, start: &[f64], block: &[f64], sizes: &[f64]) -> Vec<f64> {
        let n = self.n;
        let mut all = vec![0.0f64; self.count() + 1];
        let mut values = vec![0.0; self.count() + 1];
        for (projection, points) in &self.split {
            for (row, size) in projection.chunks_exact(n).zip(sizes) {
                let states = std::iter::once(start).chain(block.chunks_exact(n));
                for (v, x) in values.iter_mut().zip(states) {
                    *v = slipstick_numerics::linalg::dot(row, x) / size;
                }
                points.amplitudes(&values, &mut all);
            }
        }
        all
    }
}

/// What amplitudes say about the terms that are left out.
struct Decay {
    /// The largest amplitude from each frequency on.
    envelope: Vec<f64>,
    /// By how much amplitudes fall from one frequency to the next.
    ratio: f64,
    /// Are the last ones rounding, of which more would follow?
    rests: bool,
}

impl Decay {
    fn of(amplitudes: &[f64]) -> Self {
        /// Decay that is slower is not distinguished from rounding, or by less than this number of e-folds over all
        /// frequencies.
        const SLOWEST: f64 = 0.95;
        const FOLDS: f64 = 2.0;
        /// Amplitudes below the first part of the largest that fall by less than to the second part of them over the
        /// upper half are rounding.
        const SMALL: f64 = 1e-11;
        const FLAT: f64 = 0.2;
        let mut envelope = amplitudes.to_vec();
        for q in (0..envelope.len() - 1).rev() {
            envelope[q] = envelope[q].max(envelope[q + 1]);
        }
        // The last frequencies may have no amplitude for a reason of symmetry.
        let last = Self::last(envelope.len());
        let middle = envelope.len() / 2;
        let fall = envelope[last] / envelope[middle].max(f64::MIN_POSITIVE);
        let ratio = fall.max(f64::MIN_POSITIVE).powf(1.0 / (last - middle).max(1) as f64);
        Self {
            ratio: ratio.min(SLOWEST.max(1.0 - FOLDS / envelope.len() as f64)),
            rests: fall > FLAT && envelope[middle] < SMALL * envelope[0],
            envelope,
        }
    }

    /// The frequency from which on the last amplitudes are looked at, of so many.
    fn last(count: usize) -> usize {
        count - (count / 4).clamp(1, 5)
    }

    /// What would be left out by stopping at this frequency: what follows the last amplitudes, and as much again that
    /// is taken for something else.
    fn error_at(&self, q: usize) -> f64 {
        2.0 * self.envelope[q] / (1.0 - self.ratio * self.ratio)
    }

    fn error(&self) -> f64 {
        self.error_at(Self::last(self.envelope.len()))
    }

    /// How many points meet the tolerance, if the present ones do not, or are far too many.
    fn wanted(&self, tolerance: f64) -> Option<usize> {
        /// Errors aimed at are so much smaller than the tolerance, and smaller still before points are left out.
        const BELOW: f64 = 0.1;
        const FAR_BELOW: f64 = 0.01;
        let count = self.envelope.len() - 1;
        let error = self.error();
        if error > tolerance && self.rests {
            return None;
        }
        if error > tolerance {
            let more = (error / (BELOW * tolerance)).ln() / -self.ratio.ln();
            return Some(count + (more.ceil() as usize).clamp(2, count));
        }
        let enough = (0..=count).find(|&q| self.error_at(q) <= FAR_BELOW * tolerance)?;
        let fewer = (enough + enough / 8 + 8).max(FEWEST);
        (4 * fewer < 3 * count).then_some(fewer)
    }
}

/// Where a state stands in the rows of a condensed system.
fn column(start: usize, duration: usize, state: usize, n: usize) -> usize {
    match state {
        0 => start,
        _ => duration + 1 + (state - 1) * n,
    }
}

impl Scheme for Harmonic {
    fn profile(&self) -> Option<&dyn Profile> {
        Some(self)
    }
    fn profile_mut(&mut self) -> Option<&mut dyn Profile> {
        Some(self)
    }

    fn evaluate(&mut self, at: &At<'_, '_>, residual: &mut [f64], _: &mut Transition) -> Result<(), Failure> {
        let (n, k, count) = (self.n, at.free.len(), self.count());
        (self.duration, self.free) = (at.duration, k);
        self.f.resize(count * n, 0.0);
        self.fx.resize(count * n * n, 0.0);
        self.fp.resize(count * n * k, 0.0);
        let mut jacobian = Jacobian::new(at.field, n, at.p, at.free);
        for j in 0..count {
            let x = if j == 0 {
                at.start
            } else {
                &at.block[(j - 1) * n..j * n]
            };
            let fp = &mut self.fp[j * n * k..(j + 1) * n * k];
            jacobian.at(
                x,
                &mut self.f[j * n..(j + 1) * n],
                &mut self.fx[j * n * n..(j + 1) * n * n],
                fp,
            );
        }
        residual.fill(0.0);
        let mut part = vec![0.0; (count + 1) * n];
        for (projection, points) in &self.split {
            let states = std::iter::once(at.start).chain(at.block.chunks_exact(n));
            for (part, x) in part.chunks_exact_mut(n).zip(states) {
                for (p, row) in part.iter_mut().zip(projection.chunks_exact(n)) {
                    *p = slipstick_numerics::linalg::dot(row, x);
                }
            }
            for (j, r) in residual.chunks_exact_mut(n).enumerate() {
                for (w, x) in points.rate(j).iter().zip(part.chunks_exact(n)) {
                    for (r, x) in r.iter_mut().zip(x) {
                        *r += w * x;
                    }
                }
            }
        }
        for (r, f) in residual.iter_mut().zip(&self.f) {
            *r -= at.duration * f;
        }
        Ok(())
    }

    /// All of them: the equations at one time involve the states at all others.
    fn states_left(&self) -> usize {
        self.count() + 1
    }

    fn relations(&self, rows: &mut Rows<'_>) {
        let (n, width, k) = (self.n, rows.width, self.free);
        let (start, duration) = (rows.start, rows.duration);
        let column = |state| column(start, duration, state, n);
        for (line, row) in rows.jacobian.chunks_exact_mut(width).take(self.count() * n).enumerate() {
            let (j, r) = (line / n, line % n);
            for (projection, points) in &self.split {
                let own = &projection[r * n..(r + 1) * n];
                for (state, w) in points.rate(j).iter().enumerate() {
                    let at = column(state);
                    for (slot, p) in row[at..at + n].iter_mut().zip(own) {
                        *slot += w * p;
                    }
                }
            }
            let at = column(j);
            for (slot, fx) in row[at..at + n].iter_mut().zip(&self.fx[line * n..]) {
                *slot -= self.duration * fx;
            }
            row[rows.duration] = -self.f[line];
            for (slot, fp) in row[rows.parameters..]
                .iter_mut()
                .zip(&self.fp[line * k..(line + 1) * k])
            {
                *slot = -self.duration * fp;
            }
        }
    }

    /// What does not come back as the orbit does is no function of this kind: state by state along the orbit.
    fn transport(&self, along: &Along<'_, '_>, rows: &mut Rows<'_>) -> Result<(), Failure> {
        let (n, width, count) = (self.n, rows.width, self.count());
        let (start, duration) = (rows.start, rows.duration);
        let mut next = vec![0.0; n * n];
        for (j, own) in rows.jacobian.chunks_exact_mut(n * width).take(count).enumerate() {
            let mut map: Vec<f64> = (0..n * n).map(|i| f64::from(u8::from(i / n == i % n))).collect();
            for_each_step(self, along, std::iter::once(j), &mut |_, transition| {
                for (next, row) in next.chunks_exact_mut(n).zip(transition.chunks_exact(n)) {
                    for (c, v) in next.iter_mut().enumerate() {
                        *v = row.iter().zip(map.iter().skip(c).step_by(n)).map(|(a, b)| a * b).sum();
                    }
                }
                map.copy_from_slice(&next);
                Ok(())
            })?;
            let (from, to) = (column(start, duration, j, n), column(start, duration, j + 1, n));
            let field = if j + 1 == count {
                &along.end.f
            } else {
                &self.f[(j + 1) * n..(j + 2) * n]
            };
            for (r, row) in own.chunks_exact_mut(width).enumerate() {
                row[to + r] = 1.0;
                for (slot, v) in row[from..from + n].iter_mut().zip(&map[r * n..]) {
                    *slot = -v;
                }
                row[rows.duration] = -field[r] / count as f64;
            }
        }
        Ok(())
    }

    fn reduce(&mut self, rhs: &[f64]) -> Vec<f64> {
        rhs.to_vec()
    }

    fn condense_row(&self, row: &[f64], nodes: &mut [f64], _: &mut [f64]) -> f64 {
        for (x, v) in nodes[self.n..].iter_mut().zip(row) {
            *x += v;
        }
        0.0
    }

    fn expand(&self, nodes: &[f64], _: &[f64], block: &mut [f64]) {
        block.copy_from_slice(&nodes[self.n..]);
    }

    fn fit(&mut self, guess: &Guess<'_>, dense: &mut dyn FnMut(f64, &mut [f64])) {
        let mut start = vec![0.0; self.n];
        dense(0.0, &mut start);
        let tolerance = self.options.tolerance.max(ROUGH);
        let (mut wanted, mut last) = (FIRST / 4, f64::INFINITY);
        loop {
            self.take(self.fitting(wanted).min(self.most()));
            let profile: &dyn Profile = self;
            let block = profile.reported(&mut *dense);
            let decay = Decay::of(&self.amplitudes(&start, &block, guess.sizes));
            // What is not closed yet, and so has a kink, would ask for more and more.
            let slow = wanted >= FIRST && decay.error() > FASTER * last;
            if decay.error() <= tolerance || wanted >= self.most() || slow {
                return;
            }
            last = decay.error();
            wanted *= 2;
        }
    }

    fn refitted(&self, start: &[f64], block: &[f64], sizes: &[f64]) -> Option<Vec<f64>> {
        let decay = Decay::of(&self.amplitudes(start, block, sizes));
        let wanted = self
            .fitting(decay.wanted(self.tolerance().max(FINEST))?)
            .min(self.most());
        (wanted != self.count()).then(|| (0..=wanted).map(|j| j as f64 / wanted as f64).collect())
    }

    fn factors(&self, along: &Along<'_, '_>, work: &mut Stability) -> Result<Option<f64>, Failure> {
        work.end.set(along.mode, along.phase, &along.end.x, along.p)?;
        resolved_factors(self, along, work).map(Some)
    }
}

impl Profile for Harmonic {
    fn mesh(&self) -> &[f64] {
        &self.mesh
    }
    /// Only how many nodes there are counts.
    fn set_mesh(&mut self, nodes: &[f64]) {
        self.take(nodes.len() - 1);
    }
    fn parts(&self) -> &[f64] {
        &[1.0]
    }
    fn states(&self) -> usize {
        self.n
    }
    fn fixes_phase_by_integral(&self) -> bool {
        true
    }
    fn may_be_subdivided(&self) -> bool {
        false
    }

    fn eval_in(&self, start: &[f64], block: &[f64], j: usize, tau: f64, out: &mut [f64]) {
        self.combine(&self.weights(j, tau), start, block, out);
    }

    fn pull(&self, sigma: f64, dx: &[f64], start: &mut [f64], block: &mut [f64]) {
        let n = self.n;
        let (j, tau) = self.place(sigma);
        for ((projection, _), weights) in self.split.iter().zip(self.weights(j, tau)) {
            let mut own = vec![0.0; n];
            for (d, row) in dx.iter().zip(projection.chunks_exact(n)) {
                own.iter_mut().zip(row).for_each(|(o, p)| *o += d * p);
            }
            let targets = std::iter::once(&mut *start).chain(block.chunks_exact_mut(n));
            for (w, target) in weights.iter().zip(targets) {
                target.iter_mut().zip(&own).for_each(|(t, d)| *t += w * d);
            }
        }
    }

    /// The points, and the middles between them, where the field is that of its own trigonometric polynomial.
    fn each_node(&self, start: &[f64], block: &[f64], each_node: &mut dyn FnMut(f64, &[f64], &[f64])) {
        let (n, count) = (self.n, self.count());
        let (mut x, mut f) = (vec![0.0; n], vec![0.0; n]);
        let (first, rest) = self.f.split_at(n);
        for j in 0..count {
            if j > 0 {
                each_node(self.mesh[j], &block[(j - 1) * n..j * n], &self.f[j * n..(j + 1) * n]);
            }
            self.eval_in(start, block, j, 0.5, &mut x);
            let weights: Vec<Vec<f64>> = self.split.iter().map(|(_, points)| points.closed(j, 0.5)).collect();
            self.combine(&weights, first, rest, &mut f);
            each_node((j as f64 + 0.5) / count as f64, &x, &f);
        }
    }

    fn integrate(&self, start: &[f64], block: &[f64], duration: f64, each_node: &mut dyn FnMut(f64, &[f64])) {
        let mut x = vec![0.0; self.n];
        for j in 0..self.count() {
            for (b, c) in self.gauss.b.iter().zip(&self.gauss.c) {
                self.eval_in(start, block, j, *c, &mut x);
                each_node(b * duration / self.count() as f64, &x);
            }
        }
    }

    fn gauss(&self) -> &Tableau {
        &self.gauss
    }

    fn tolerance(&self) -> f64 {
        self.options.tolerance
    }
    fn error(&self, start: &[f64], block: &[f64], sizes: &[f64]) -> f64 {
        Decay::of(&self.amplitudes(start, block, sizes)).error()
    }
    fn may_be_refined(&self) -> bool {
        self.count() < self.most()
    }
    fn refusal(&self, error: f64) -> Option<String> {
        /// An error that is larger by this factor is not what was asked for.
        const SLACK: f64 = 30.0;
        let refused = !self.may_be_refined() && !(error <= SLACK * self.tolerance().max(FINEST));
        refused.then(|| {
            format!(
                "{} harmonics are too few for this orbit: the estimated error is {error:.1e}, the tolerance {:.1e}; allow more harmonics, or use collocation",
                self.harmonics(self.count()),
                self.tolerance()
            )
        })
    }

    fn transfer<'a>(&'a self, nodes: &[f64]) -> Transfer<'a> {
        let inner = &nodes[1..nodes.len() - 1];
        let weights: Vec<Vec<Vec<f64>>> = inner
            .iter()
            .map(|&sigma| {
                let (j, tau) = self.place(sigma);
                self.weights(j, tau)
            })
            .collect();
        Box::new(move |start, block| {
            let n = self.n;
            let mut out = vec![0.0; (weights.len() + 1) * n];
            for (x, weights) in out.chunks_exact_mut(n).zip(&weights) {
                self.combine(weights, start, block, x);
            }
            let end = weights.len() * n;
            out[end..].copy_from_slice(&block[block.len() - n..]);
            out
        })
    }
}
