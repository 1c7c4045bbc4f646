//! Orthogonal collocation of one segment on a mesh of its own.
//!
//! On each interval [σⱼ, σⱼ₊₁] of the scaled time σ = t/T ∈ [0, 1] the solution is a polynomial of degree m that satisfies the differential
//! equation at the m Gauss points. Unknowns: the node values uⱼ and the stage values Uⱼᵢ. The stage values are condensed interval by
//! interval, the interior nodes by the orthogonal reduction of [`Chain`], so cost and storage are linear in the number of intervals.
//!
//! References: C. de Boor and B. Swartz, SIAM J. Numer. Anal. 10 (1973) 582–606; U. Ascher, R. Mattheij and R. Russell, *Numerical Solution of
//! Boundary Value Problems for ODEs*, SIAM (1995), ch. 5 and 7.

use super::gauss::{Gauss, MOST};
use super::shot::Shooter;
use super::stages::{Scratch, Split, StageSystem, integrate};
use super::units;
use pulp::{Arch, NullaryFnOnce};
use slipstick_continuation::Failure;
use slipstick_numerics::linalg::{Chain, Singular, dot};
use slipstick_system::{Function, Jacobian};

/// How many integrals are taken side by side.
const LANES: usize = 8;

/// An interval, and the weights in it of its start and of its stages.
pub(super) type Stencil = (usize, [f64; MOST + 1]);

/// A segment discretised by collocation. The block of unknowns it owns is `[U₀₁ … U₀ₘ u₁ | U₁₁ … u₂ | …]`; its start u₀ and its
/// duration T are the orbit's.
pub(super) struct Collocation {
    pub(super) n: usize,
    /// The unit of each state in the chains: with a state far smaller than another, reflections would leave it no digits.
    pub(super) units: Vec<f64>,
    pub(super) gauss: Gauss,
    /// Mesh in scaled time, from 0 to 1.
    pub(super) mesh: Vec<f64>,
    /// What integrates the sub-segments instead, if they are shot over.
    pub(super) shooter: Option<Shooter>,
    /// For each shot whether it goes from the later of its ends back to the earlier one.
    pub(super) back: Vec<bool>,
    pub(super) free: usize,
    /// The field at the stages and its derivatives by states and by free parameters, in the order of the stages.
    pub(super) f: Vec<f64>,
    pub(super) fx: Vec<f64>,
    fp: Vec<f64>,
    split: Split,
    pub(super) duration: f64,
    /// The Jacobians and the duration that the factors below belong to.
    factored: Vec<f64>,
    factored_duration: f64,
    /// LU factors of each interval's stage system.
    lu: Vec<f64>,
    pivots: Vec<u32>,
    /// For each interval δU per unit of (δuⱼ, δT, δp): mn × (n + 1 + k) by rows.
    response: Vec<f64>,
    /// For each shot where it ends per unit of where it begins and of (δT, δp): n × (n + 1 + k) by rows.
    pub(super) maps: Vec<f64>,
    work: Scratch,
    /// The interior nodes that are not eliminated, and the chains from the start over them to the end.
    pub(super) stays: Vec<usize>,
    pub(super) chains: Vec<Chain>,
    kept: Vec<Vec<f64>>,
    condensed: Vec<f64>,
}

impl Collocation {
    pub(super) fn new(n: usize, stages: usize) -> Self {
        Self {
            n,
            units: vec![1.0; n],
            gauss: Gauss::new(stages),
            mesh: vec![0.0, 1.0],
            shooter: None,
            back: vec![],
            free: 0,
            f: vec![],
            fx: vec![],
            fp: vec![],
            split: Split::new(n),
            duration: 0.0,
            factored: vec![],
            factored_duration: 0.0,
            lu: vec![],
            pivots: vec![],
            response: vec![],
            maps: vec![],
            work: Scratch::default(),
            stays: vec![],
            chains: vec![Chain::default()],
            kept: vec![],
            condensed: vec![],
        }
    }

    /// Number of intervals.
    pub(super) fn len(&self) -> usize {
        self.mesh.len() - 1
    }

    /// Number of links that are left once the stages of collocation are condensed: one for each interval, or for each shot.
    fn links(&self) -> usize {
        match &self.shooter {
            Some(_) => self.len() * (self.gauss.stages + 1),
            None => self.len(),
        }
    }

    /// Number of unknowns of one interval.
    fn stride(&self) -> usize {
        (self.gauss.stages + 1) * self.n
    }

    /// Number of unknowns (and of equations) it owns.
    pub(super) fn unknowns(&self) -> usize {
        self.len() * self.stride()
    }

    /// The node uⱼ, given the start and the block of unknowns.
    pub(super) fn node<'z>(&self, start: &'z [f64], block: &'z [f64], j: usize) -> &'z [f64] {
        if j == 0 {
            start
        } else {
            &block[j * self.stride() - self.n..j * self.stride()]
        }
    }

    /// The stage values of interval `j`, one after the other.
    pub(super) fn stages<'z>(&self, block: &'z [f64], j: usize) -> &'z [f64] {
        let at = j * self.stride();
        &block[at..at + self.gauss.stages * self.n]
    }

    /// Evaluate the equations into `residual`, and the field's derivatives on the way.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn evaluate(
        &mut self,
        field: &dyn Function,
        start: &[f64],
        duration: f64,
        block: &[f64],
        p: &[f64],
        free: &[usize],
        residual: &mut [f64],
    ) {
        self.prepare(field, duration, block, p, free);
        Arch::new().dispatch(Residuals(self, start, block, residual));
    }

    /// The equations, once the field is known at the stages.
    #[inline(always)]
    fn residuals(&self, start: &[f64], block: &[f64], residual: &mut [f64], n: usize, m: usize) {
        let size = m * n;
        let (a, d) = (&self.gauss.a[..m * m], &self.gauss.d[..m]);
        for (j, r) in residual.chunks_exact_mut(size + n).take(self.len()).enumerate() {
            let h = (self.mesh[j + 1] - self.mesh[j]) * self.duration;
            let u = &self.node(start, block, j)[..n];
            let stages = &self.stages(block, j)[..size];
            let next = &self.node(start, block, j + 1)[..n];
            let f = &self.f[j * size..(j + 1) * size];
            for i in 0..m {
                for c in 0..n {
                    let mut slope = 0.0;
                    for l in 0..m {
                        slope += a[i * m + l] * f[l * n + c];
                    }
                    r[i * n + c] = stages[i * n + c] - u[c] - h * slope;
                }
            }
            for c in 0..n {
                let mut jump = 0.0;
                for i in 0..m {
                    jump += d[i] * (stages[i * n + c] - u[c]);
                }
                r[size + c] = next[c] - u[c] - jump;
            }
        }
    }

    /// The field and its derivatives at the stages.
    pub(super) fn prepare(&mut self, field: &dyn Function, duration: f64, block: &[f64], p: &[f64], free: &[usize]) {
        let (n, m, k, count) = (self.n, self.gauss.stages, free.len(), self.len());
        let size = m * n;
        self.free = k;
        self.duration = duration;
        self.f.resize(count * size, 0.0);
        self.fx.resize(count * size * n, 0.0);
        self.fp.resize(count * size * k, 0.0);
        let mut jacobian = Jacobian::new(field, n, p, free);
        let derivatives = self
            .fx
            .chunks_exact_mut(n * n)
            .zip(self.f.chunks_exact_mut(n))
            .enumerate();
        for (at, (fx, f)) in derivatives {
            let first = (at / m) * self.gauss.stride(n) + (at % m) * n;
            let fp = &mut self.fp[at * n * k..(at + 1) * n * k];
            jacobian.at(&block[first..first + n], f, fx, fp);
        }
    }

    /// Condense the linearisation at the last evaluation to a relation between the ends.
    pub(super) fn condense(&mut self) -> Result<(), Failure> {
        if self.shooter.is_some() {
            self.condense_shots();
            return self.finite();
        }
        Arch::new().dispatch(Condensation(self))?;
        self.finite()
    }

    /// Condense interval by interval: the responses of the stages, and the links of the chain.
    #[inline(always)]
    fn condense_intervals(&mut self, n: usize, m: usize, k: usize) -> Result<(), Failure> {
        let (size, columns, count) = (m * n, n + 1 + k, self.len());
        self.split.learn(&self.fx);
        self.factored.clone_from(&self.fx);
        self.factored_duration = self.duration;
        let order = self.split.order(m);
        self.lu.resize(count * order * order, 0.0);
        self.pivots.resize(count * order, 0);
        self.response.resize(count * size * columns, 0.0);
        self.chains[0].begin(n, 1 + k);
        let a = &self.gauss.a[..m * m];
        let mut rates = [[0.0; LANES]; MOST];
        let mut link = vec![0.0; n * columns];
        let mut map = vec![0.0; n * n];
        let mut shared = vec![0.0; n * (1 + k)];
        for j in 0..count {
            let h = self.mesh[j + 1] - self.mesh[j];
            let system = StageSystem {
                split: &self.split,
                gauss: &self.gauss,
                jacobians: &self.factored[j * size * n..(j + 1) * size * n],
                h: h * self.duration,
            };
            let lu = &mut self.lu[j * order * order..(j + 1) * order * order];
            let pivots = &mut self.pivots[j * order..(j + 1) * order];
            if !system.factorise(lu, pivots, m, &mut self.work) {
                return Err(Failure::Singular(Singular {
                    unknowns: size,
                    smallest: 0.0,
                    largest: 0.0,
                }));
            }
            let response = &mut self.response[j * size * columns..(j + 1) * size * columns];
            let f = &self.f[j * size..(j + 1) * size];
            let fp = &self.fp[j * size * k..(j + 1) * size * k];
            response.fill(0.0);
            for (row, own) in response.chunks_exact_mut(columns).enumerate() {
                own[row % n] = 1.0;
            }
            // Integrals of the field and of its derivatives by parameters, a few at a time.
            for first in (0..n * (1 + k)).step_by(LANES) {
                let lanes = (n * (1 + k) - first).min(LANES);
                let place = |t: usize| ((first + t) / (1 + k), (first + t) % (1 + k));
                for (l, rates) in rates[..m].iter_mut().enumerate() {
                    for t in 0..lanes {
                        let (c, q) = place(t);
                        rates[t] = match q {
                            0 => h * f[l * n + c],
                            _ => h * self.duration * fp[(l * n + c) * k + q - 1],
                        };
                    }
                }
                for (i, weights) in a.chunks_exact(m).enumerate() {
                    let integrals = integrate(weights, &rates, [0.0; LANES]);
                    for t in 0..lanes {
                        let (c, q) = place(t);
                        response[(i * n + c) * columns + n + q] = integrals[t];
                    }
                }
            }
            system.solve(lu, pivots, response, (columns, m), &mut self.work);
            link.fill(0.0);
            for (d, rows) in self.gauss.d[..m].iter().zip(response.chunks_exact(n * columns)) {
                for (t, v) in link.iter_mut().zip(rows) {
                    *t += d * v;
                }
            }
            for c in 0..n {
                let row = &link[c * columns..(c + 1) * columns];
                map[c * n..(c + 1) * n].copy_from_slice(&row[..n]);
                map[c * n + c] += self.gauss.keep;
                shared[c * (1 + k)..(c + 1) * (1 + k)].copy_from_slice(&row[n..]);
            }
            units::link_in(&self.units[..n], &mut map, &mut shared);
            self.chains[0].push(&map, &shared);
        }
        Ok(())
    }

    /// Does the condensed linearisation serve as well at the last evaluation? A change that is nothing beside the size of a state, or of a long duration, may
    /// change the sign of a fast rate, or most of a short duration.
    pub(super) fn is_condensed_near(&self) -> bool {
        /// Changes of rates over an interval, relative to one and to themselves, and of the duration.
        const NEAR: f64 = 1e-3;
        if self.shooter.is_some() {
            return true;
        }
        let change = (self.duration - self.factored_duration).abs();
        if self.factored.len() != self.fx.len() || !(change <= NEAR * self.duration.abs()) {
            return false;
        }
        let size = self.gauss.stages * self.n * self.n;
        let rates = self.fx.chunks_exact(size).zip(self.factored.chunks_exact(size));
        rates.zip(self.mesh.windows(2)).all(|((now, then), pair)| {
            let h = (pair[1] - pair[0]) * self.duration.abs();
            let near = |(a, b): (&f64, &f64)| h * (a - b).abs() <= NEAR * (1.0 + h * a.abs());
            now.iter().zip(then).fold(true, |all, pair| all & near(pair))
        })
    }

    fn finite(&self) -> Result<(), Failure> {
        let finite = |chain: &Chain| chain.p.iter().chain(&chain.s).chain(&chain.b).all(|v| v.is_finite());
        if self.chains.iter().all(finite) {
            Ok(())
        } else {
            Err(Failure::Evaluation(
                "the linearised equations on the mesh are not finite".into(),
            ))
        }
    }

    /// Carry right-hand sides of the equations through the condensation; those of the relations come back.
    pub(super) fn reduce(&mut self, rhs: &[f64]) -> Vec<f64> {
        let (n, m) = (self.n, self.gauss.stages);
        let size = m * n;
        let mut r = vec![0.0; self.links() * n];
        self.condensed.resize(self.len() * size, 0.0);
        if self.shooter.is_some() {
            r.copy_from_slice(rhs);
        } else if rhs.iter().all(|v| *v == 0.0) {
            self.condensed.fill(0.0);
        } else {
            Arch::new().dispatch(Reduction(self, rhs, &mut r));
        }
        units::divide(&mut r, &self.units);
        self.kept.resize_with(self.chains.len(), Vec::new);
        let mut rho = vec![];
        let ends = chain_ends(&self.stays, r.len() / n);
        for ((chain, kept), (from, to)) in self.chains.iter().zip(&mut self.kept).zip(ends) {
            rho.extend(chain.reduce(&r[from * n..to * n], kept));
        }
        rho
    }

    /// What right-hand sides leave of the stages, into `condensed`, and of the links between the nodes, into `r`.
    #[inline(always)]
    fn reduce_intervals(&mut self, rhs: &[f64], r: &mut [f64], n: usize, m: usize) {
        let size = m * n;
        let order = self.split.order(m);
        for (j, (own, target)) in rhs.chunks_exact(size + n).zip(r.chunks_exact_mut(n)).enumerate() {
            let condensed = &mut self.condensed[j * size..(j + 1) * size];
            condensed.copy_from_slice(&own[..size]);
            let system = StageSystem {
                split: &self.split,
                gauss: &self.gauss,
                jacobians: &self.factored[j * size * n..(j + 1) * size * n],
                h: (self.mesh[j + 1] - self.mesh[j]) * self.factored_duration,
            };
            let lu = &self.lu[j * order * order..(j + 1) * order * order];
            let pivots = &self.pivots[j * order..(j + 1) * order];
            system.solve(lu, pivots, condensed, (1, m), &mut self.work);
            target.copy_from_slice(&own[size..]);
            for (d, stage) in self.gauss.d[..m].iter().zip(condensed.chunks_exact(n)) {
                for (t, v) in target.iter_mut().zip(stage) {
                    *t += d * v;
                }
            }
        }
    }

    /// The relations `P u + S v + B (T, p) = ρ` between the start u₀, the nodes that stay and the end u_N, each and the next: P, S (n×n) and B (n×(1+k)),
    /// by rows; for u and v in the units of the states.
    pub(super) fn relations(&self) -> impl Iterator<Item = (&[f64], &[f64], &[f64])> {
        self.chains
            .iter()
            .map(|chain| (&chain.p[..], &chain.s[..], &chain.b[..]))
    }

    /// Rewrite a border row over the block of unknowns in terms of u₀, the nodes that stay, u_N and (T, p): coefficients are added to `nodes` (the vectors one
    /// after the other) and `shared`, and the constant that the row loses to its right-hand side comes back. Uses the last [`Collocation::reduce`].
    pub(super) fn condense_row(&self, row: &[f64], nodes: &mut [f64], shared: &mut [f64]) -> f64 {
        let (n, m) = (self.n, self.gauss.stages);
        let size = m * n;
        let columns = n + 1 + self.free;
        let mut w = vec![0.0; (self.links() + 1) * n];
        let mut constant = 0.0;
        let condensed = if self.shooter.is_some() {
            w[n..].copy_from_slice(row);
            0
        } else {
            self.len()
        };
        for j in 0..condensed {
            let own = &row[j * self.stride()..(j + 1) * self.stride()];
            if own[..size].iter().any(|v| *v != 0.0) {
                constant += dot(&own[..size], &self.condensed[j * size..(j + 1) * size]);
                let response = &self.response[j * size * columns..(j + 1) * size * columns];
                for (&t, response) in own[..size].iter().zip(response.chunks_exact(columns)) {
                    let targets = w[j * n..(j + 1) * n].iter_mut().chain(shared.iter_mut());
                    for (x, v) in targets.zip(response) {
                        *x += t * v;
                    }
                }
            }
            for c in 0..n {
                w[(j + 1) * n + c] += own[size + c];
            }
        }
        units::multiply(&mut w, &self.units);
        for ((chain, kept), (from, to)) in self
            .chains
            .iter()
            .zip(&self.kept)
            .zip(chain_ends(&self.stays, self.links()))
        {
            constant += chain.condense_row(kept, &mut w[from * n..(to + 1) * n], shared);
        }
        let remaining = std::iter::once(0)
            .chain(self.stays.iter().copied())
            .chain([self.links()]);
        for (node, at) in nodes.chunks_exact_mut(n).zip(remaining) {
            for ((x, v), unit) in node.iter_mut().zip(&w[at * n..]).zip(&self.units) {
                *x += v / unit;
            }
        }
        constant
    }

    /// Fill in the block of unknowns from u₀, the nodes that stay and u_N, and the shared unknowns, after [`Collocation::reduce`].
    pub(super) fn expand(&self, nodes: &[f64], shared: &[f64], block: &mut [f64]) {
        let n = self.n;
        let mut x = vec![0.0; (self.links() + 1) * n];
        let remaining = std::iter::once(0)
            .chain(self.stays.iter().copied())
            .chain([self.links()]);
        for (node, at) in nodes.chunks_exact(n).zip(remaining) {
            x[at * n..(at + 1) * n].copy_from_slice(node);
        }
        units::divide(&mut x, &self.units);
        for ((chain, kept), (from, to)) in self
            .chains
            .iter()
            .zip(&self.kept)
            .zip(chain_ends(&self.stays, self.links()))
        {
            chain.expand(kept, shared, &mut x[from * n..(to + 1) * n]);
        }
        units::multiply(&mut x, &self.units);
        if self.shooter.is_some() {
            block.copy_from_slice(&x[n..]);
            return;
        }
        Arch::new().dispatch(Expansion(self, &x, shared, block));
    }

    /// Stage values from node values.
    #[inline(always)]
    fn fill(&self, x: &[f64], shared: &[f64], block: &mut [f64], columns: usize) {
        let (n, size) = (self.n, self.gauss.stages * self.n);
        let mut inputs = vec![0.0; columns];
        inputs[n..].copy_from_slice(shared);
        let blocks = block.chunks_exact_mut(size + n).zip(x.windows(2 * n).step_by(n));
        let known = self
            .response
            .chunks_exact(size * columns)
            .zip(self.condensed.chunks_exact(size));
        for ((own, nodes), (response, condensed)) in blocks.zip(known) {
            inputs[..n].copy_from_slice(&nodes[..n]);
            let (stages, node) = own.split_at_mut(size);
            for ((v, condensed), response) in stages.iter_mut().zip(condensed).zip(response.chunks_exact(columns)) {
                let mut sum = *condensed;
                for c in 0..columns {
                    sum += response[c] * inputs[c];
                }
                *v = sum;
            }
            node.copy_from_slice(&nodes[n..]);
        }
    }

    /// The solution at scaled time `sigma`.
    pub(super) fn eval(&self, start: &[f64], block: &[f64], sigma: f64, out: &mut [f64]) {
        let last = self.len() - 1;
        let j = self.mesh.partition_point(|&s| s <= sigma).saturating_sub(1).min(last);
        let tau = (sigma - self.mesh[j]) / (self.mesh[j + 1] - self.mesh[j]);
        self.eval_in(start, block, j, tau, out);
    }

    /// The solution at scaled time `sigma` as a combination of vectors of n unknowns: where each begins in the block (`None` for the start of the
    /// segment), and its weight.
    pub(super) fn stencil(&self, sigma: f64) -> Vec<(Option<usize>, f64)> {
        let last = self.len() - 1;
        let j = self.mesh.partition_point(|&s| s <= sigma).saturating_sub(1).min(last);
        let tau = (sigma - self.mesh[j]) / (self.mesh[j + 1] - self.mesh[j]);
        let mut weights = [0.0; MOST + 1];
        self.gauss.interpolation(tau, &mut weights);
        let node = (j > 0).then(|| j * self.stride() - self.n);
        let stages = (0..self.gauss.stages).map(|i| Some(j * self.stride() + i * self.n));
        std::iter::once(node).chain(stages).zip(weights).collect()
    }

    /// The solution in interval `j` at `tau` ∈ [0, 1].
    pub(super) fn eval_in(&self, start: &[f64], block: &[f64], j: usize, tau: f64, out: &mut [f64]) {
        let mut weights = [0.0; MOST + 1];
        self.gauss.interpolation(tau, &mut weights);
        self.combine(start, block, &(j, weights), out);
    }

    /// How the solution at each unknown of the mesh with these nodes follows from the unknowns here.
    pub(super) fn stencils(&self, nodes: &[f64]) -> Vec<Stencil> {
        let last = self.len() - 1;
        let mut j = 0;
        let mut stencils = Vec::with_capacity((nodes.len() - 1) * (self.gauss.stages + 1));
        for pair in nodes.windows(2) {
            for tau in self.gauss.c.iter().chain(&[1.0]) {
                let sigma = pair[0] + tau * (pair[1] - pair[0]);
                while j < last && self.mesh[j + 1] <= sigma {
                    j += 1;
                }
                let mut weights = [0.0; MOST + 1];
                let own = (sigma - self.mesh[j]) / (self.mesh[j + 1] - self.mesh[j]);
                self.gauss.interpolation(own, &mut weights);
                stencils.push((j, weights));
            }
        }
        stencils
    }

    /// The value that a stencil stands for.
    pub(super) fn combine(&self, start: &[f64], block: &[f64], (j, weights): &Stencil, out: &mut [f64]) {
        for (o, u) in out.iter_mut().zip(self.node(start, block, *j)) {
            *o = weights[0] * u;
        }
        for (w, stage) in weights[1..].iter().zip(self.stages(block, *j).chunks_exact(self.n)) {
            for (o, v) in out.iter_mut().zip(stage) {
                *o += w * v;
            }
        }
    }
}

/// The nodes that each chain leads from and to.
fn chain_ends(stays: &[usize], last: usize) -> impl Iterator<Item = (usize, usize)> {
    let from = std::iter::once(0).chain(stays.iter().copied());
    from.zip(stays.iter().copied().chain([last]))
}

// Kernels that are compiled for each kind of vector unit, and for the sizes that occur most.

struct Residuals<'a>(&'a Collocation, &'a [f64], &'a [f64], &'a mut [f64]);
impl NullaryFnOnce for Residuals<'_> {
    type Output = ();
    #[inline(always)]
    fn call(self) {
        let Self(c, start, block, residual) = self;
        match (c.n, c.gauss.stages) {
            (2, 8) => c.residuals(start, block, residual, 2, 8),
            (3, 8) => c.residuals(start, block, residual, 3, 8),
            (n, m) => c.residuals(start, block, residual, n, m),
        }
    }
}

struct Condensation<'a>(&'a mut Collocation);
impl NullaryFnOnce for Condensation<'_> {
    type Output = Result<(), Failure>;
    #[inline(always)]
    fn call(self) -> Result<(), Failure> {
        match (self.0.n, self.0.gauss.stages, self.0.free) {
            (2, 8, 1) => self.0.condense_intervals(2, 8, 1),
            (3, 8, 1) => self.0.condense_intervals(3, 8, 1),
            (n, m, k) => self.0.condense_intervals(n, m, k),
        }
    }
}

struct Reduction<'a>(&'a mut Collocation, &'a [f64], &'a mut [f64]);
impl NullaryFnOnce for Reduction<'_> {
    type Output = ();
    #[inline(always)]
    fn call(self) {
        let Self(c, rhs, r) = self;
        match (c.n, c.gauss.stages) {
            (2, 8) => c.reduce_intervals(rhs, r, 2, 8),
            (3, 8) => c.reduce_intervals(rhs, r, 3, 8),
            (n, m) => c.reduce_intervals(rhs, r, n, m),
        }
    }
}

struct Expansion<'a>(&'a Collocation, &'a [f64], &'a [f64], &'a mut [f64]);
impl NullaryFnOnce for Expansion<'_> {
    type Output = ();
    #[inline(always)]
    fn call(self) {
        let Self(c, x, shared, block) = self;
        match c.n + 1 + c.free {
            4 => c.fill(x, shared, block, 4),
            5 => c.fill(x, shared, block, 5),
            columns => c.fill(x, shared, block, columns),
        }
    }
}
