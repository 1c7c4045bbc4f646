//! Orthogonal collocation of one segment on a mesh of its own.
//!
//! On each interval [σⱼ, σⱼ₊₁] of the scaled time σ = t/T ∈ [0, 1] the solution is a polynomial of degree m that
//! satisfies the differential equation at the m Gauss points. Unknowns: the node values uⱼ and the stage values Uⱼᵢ.
//! The stage values are condensed interval by interval, the interior nodes by the orthogonal reduction of [`Chain`], so
//! cost and storage are linear in the number of intervals.
//!
//! References: C. de Boor and B. Swartz, SIAM J. Numer. Anal. 10 (1973) 582–606; U. Ascher, R. Mattheij and R. Russell,
//! *Numerical Solution of Boundary Value Problems for ODEs*, SIAM (1995), ch. 5 and 7.

mod kernels;

use crate::perturbation::Stability;
use crate::segment::links::Links;
use crate::segment::mesh::{self, MeshOptions, Piecewise};
use crate::segment::relative::Relative;
use crate::segment::scheme::{Along, At, Guess, Profile, Rows, Scheme, Transfer};
use crate::segment::stages::{Scratch, Split, StageSystem, integrate};
use crate::segment::stiff_mesh;
use crate::units;
use crate::variational::resolved_factors;
use slipstick_continuation::Failure;
use slipstick_flow::Transition;
use slipstick_numerics::linalg::{Singular, dot};
use slipstick_numerics::tableau::{MOST_STAGES, Tableau};
use slipstick_system::{Function, Jacobian};

/// How many integrals are taken side by side.
const LANES: usize = 8;

/// An interval, and the weights in it of its start and of its stages.
type Stencil = (usize, [f64; MOST_STAGES + 1]);

/// A segment discretised by collocation. The block of unknowns it owns is `[U₀₁ … U₀ₘ u₁ | U₁₁ … u₂ | …]`; its start u₀
/// and its duration T are the orbit's.
pub(crate) struct Collocation {
    pub(crate) n: usize,
    pub(crate) gauss: Tableau,
    /// Where in an interval its stages and its end are.
    parts: Vec<f64>,
    /// Mesh in scaled time, from 0 to 1.
    pub(crate) mesh: Vec<f64>,
    pub(crate) options: MeshOptions,
    free: usize,
    /// The field at the stages and its derivatives by states and by free parameters, in the order of the stages.
    pub(crate) f: Vec<f64>,
    pub(crate) fx: Vec<f64>,
    fp: Vec<f64>,
    /// The states whose errors count by what they are.
    relative: Relative,
    split: Split,
    pub(crate) duration: f64,
    /// The Jacobians and the duration that the factors below belong to.
    factored: Vec<f64>,
    /// The same Jacobians in the units of the states where each interval begins, where these have own ones.
    scaled: Vec<f64>,
    factored_duration: f64,
    /// LU factors of each interval's stage system.
    lu: Vec<f64>,
    pivots: Vec<u32>,
    /// For each interval δU per unit of (δuⱼ, δT, δp): mn × (n + 1 + k) by rows.
    response: Vec<f64>,
    work: Scratch,
    links: Links,
    condensed: Vec<f64>,
}

impl Collocation {
    pub(crate) fn new(n: usize, options: MeshOptions) -> Self {
        let gauss = Tableau::gauss(options.stages);
        Self {
            n,
            parts: gauss.c.iter().copied().chain([1.0]).collect(),
            gauss,
            mesh: vec![0.0, 1.0],
            options,
            free: 0,
            f: vec![],
            fx: vec![],
            fp: vec![],
            relative: Relative::none(n),
            split: Split::new(n),
            duration: 0.0,
            factored: vec![],
            scaled: vec![],
            factored_duration: 0.0,
            lu: vec![],
            pivots: vec![],
            response: vec![],
            work: Scratch::default(),
            links: Links::default(),
            condensed: vec![],
        }
    }

    /// What each interval of the mesh amounts to; see [`mesh::loads`].
    pub(super) fn loads(&self, start: &[f64], block: &[f64], sizes: &[f64]) -> Vec<f64> {
        let polynomial = Piecewise {
            n: self.n,
            mesh: &self.mesh,
            gauss: &self.gauss,
            start,
            block,
            relative: &self.relative.states,
        };
        mesh::loads(&polynomial, &self.options, sizes)
    }

    /// The stage values of interval `j`, one after the other.
    pub(crate) fn stages<'z>(&self, block: &'z [f64], j: usize) -> &'z [f64] {
        let at = j * self.stride();
        &block[at..at + self.gauss.stages * self.n]
    }

    /// The equations, once the field is known at the stages.
    #[inline(always)]
    fn residuals(&self, start: &[f64], block: &[f64], residual: &mut [f64], n: usize, m: usize) {
        let size = m * n;
        let (a, d) = (&self.gauss.a[..m * m], &self.gauss.d[..m]);
        for (j, r) in residual.chunks_exact_mut(size + n).take(self.intervals()).enumerate() {
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
    pub(crate) fn prepare(&mut self, field: &dyn Function, duration: f64, block: &[f64], p: &[f64], free: &[usize]) {
        let (n, m, k, count) = (self.n, self.gauss.stages, free.len(), self.intervals());
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
        self.relative.note(field, n, p, block, self.gauss.stride(n));
    }

    /// Condense interval by interval: the responses of the stages, and the links of the chain.
    #[inline(always)]
    fn condense_intervals(&mut self, n: usize, m: usize, k: usize) -> Result<(), Failure> {
        let (size, columns, count) = (m * n, n + 1 + k, self.intervals());
        self.split.learn(&self.fx);
        self.factored.clone_from(&self.fx);
        self.factored_duration = self.duration;
        self.links.begin(n, 1 + k);
        let has_own_units = self.links.has_own_units();
        if has_own_units {
            self.scaled.clone_from(&self.factored);
            for (j, own) in self.scaled.chunks_exact_mut(size * n).enumerate() {
                units::scale_jacobians(self.links.units_at(j), own);
            }
        }
        let jacobians = if has_own_units { &self.scaled } else { &self.factored };
        let (order, interchanges) = (self.split.order(m), self.split.pivots(m));
        self.lu.resize(count * order * order, 0.0);
        self.pivots.resize(count * interchanges, 0);
        self.response.resize(count * size * columns, 0.0);
        let a = &self.gauss.a[..m * m];
        let mut rates = [[0.0; LANES]; MOST_STAGES];
        let mut link = vec![0.0; n * columns];
        let mut map = vec![0.0; n * n];
        let mut shared = vec![0.0; n * (1 + k)];
        for j in 0..count {
            let h = self.mesh[j + 1] - self.mesh[j];
            let system = StageSystem {
                split: &self.split,
                gauss: &self.gauss,
                jacobians: &jacobians[j * size * n..(j + 1) * size * n],
                h: h * self.duration,
            };
            let lu = &mut self.lu[j * order * order..(j + 1) * order * order];
            let pivots = &mut self.pivots[j * interchanges..(j + 1) * interchanges];
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
            if has_own_units {
                let units = self.links.units_at(j);
                for (row, own) in response.chunks_exact_mut(columns).enumerate() {
                    own[n..].iter_mut().for_each(|v| *v /= units[row % n]);
                }
                system.solve(lu, pivots, response, (columns, m), &mut self.work);
                for (row, own) in response.chunks_exact_mut(columns).enumerate() {
                    own.iter_mut().for_each(|v| *v *= units[row % n]);
                    own[..n].iter_mut().zip(units).for_each(|(v, unit)| *v /= unit);
                }
            } else {
                system.solve(lu, pivots, response, (columns, m), &mut self.work);
            }
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
            let ends = (self.links.units_at(j), self.links.units_at(j + 1));
            units::link_in(ends, &mut map, &mut shared);
            self.links.cut_off_absent((&mut map, &mut shared), 0.5);
            self.links.next().push(&map, &shared);
        }
        Ok(())
    }

    /// What right-hand sides leave of the stages, into `condensed`, and of the links between the nodes, into `r`.
    #[inline(always)]
    fn reduce_intervals(&mut self, rhs: &[f64], r: &mut [f64], n: usize, m: usize) {
        let size = m * n;
        let (order, interchanges) = (self.split.order(m), self.split.pivots(m));
        let has_own_units = self.links.has_own_units();
        let jacobians = if has_own_units { &self.scaled } else { &self.factored };
        for (j, (own, target)) in rhs.chunks_exact(size + n).zip(r.chunks_exact_mut(n)).enumerate() {
            let condensed = &mut self.condensed[j * size..(j + 1) * size];
            condensed.copy_from_slice(&own[..size]);
            let system = StageSystem {
                split: &self.split,
                gauss: &self.gauss,
                jacobians: &jacobians[j * size * n..(j + 1) * size * n],
                h: (self.mesh[j + 1] - self.mesh[j]) * self.factored_duration,
            };
            let lu = &self.lu[j * order * order..(j + 1) * order * order];
            let pivots = &self.pivots[j * interchanges..(j + 1) * interchanges];
            if has_own_units {
                let units = self.links.units_at(j);
                units::divide(condensed, units);
                system.solve(lu, pivots, condensed, (1, m), &mut self.work);
                units::multiply(condensed, units);
            } else {
                system.solve(lu, pivots, condensed, (1, m), &mut self.work);
            }
            target.copy_from_slice(&own[size..]);
            for (d, stage) in self.gauss.d[..m].iter().zip(condensed.chunks_exact(n)) {
                for (t, v) in target.iter_mut().zip(stage) {
                    *t += d * v;
                }
            }
        }
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

    /// The mesh that serves these loads of the intervals, if it is not the present one.
    pub(crate) fn refitted_to(&self, loads: &[f64]) -> Option<Vec<f64>> {
        /// A mesh that needs no more intervals is only changed where it takes less than this part of them.
        const FEWER: f64 = 0.75;
        let worst = loads.iter().copied().fold(0.0, f64::max);
        let total: f64 = loads.iter().sum();
        let count = self.intervals() as f64;
        let needs_more = worst > 1.0 && self.intervals() < self.options.most;
        let may_have_spare = count > 2.5 * total + 16.0;
        (needs_more || may_have_spare)
            .then(|| mesh::equidistributed(&self.mesh, loads, self.options.most))
            .filter(|fresh| needs_more || (fresh.len() as f64) < FEWER * count)
    }

    /// How the solution at each unknown of the mesh with these nodes follows from the unknowns here.
    fn stencils(&self, nodes: &[f64]) -> Vec<Stencil> {
        let last = self.intervals() - 1;
        let mut j = 0;
        let mut stencils = Vec::with_capacity((nodes.len() - 1) * (self.gauss.stages + 1));
        for pair in nodes.windows(2) {
            for tau in self.gauss.c.iter().chain(&[1.0]) {
                let sigma = pair[0] + tau * (pair[1] - pair[0]);
                while j < last && self.mesh[j + 1] <= sigma {
                    j += 1;
                }
                let mut weights = [0.0; MOST_STAGES + 1];
                let own = (sigma - self.mesh[j]) / (self.mesh[j + 1] - self.mesh[j]);
                self.gauss.interpolation(own, &mut weights);
                stencils.push((j, weights));
            }
        }
        stencils
    }

    /// The value that a stencil stands for.
    fn combine(&self, start: &[f64], block: &[f64], (j, weights): &Stencil, out: &mut [f64]) {
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

impl Scheme for Collocation {
    fn profile(&self) -> Option<&dyn Profile> {
        Some(self)
    }
    fn profile_mut(&mut self) -> Option<&mut dyn Profile> {
        Some(self)
    }

    fn evaluate(&mut self, at: &At<'_, '_>, residual: &mut [f64], _: &mut Transition) -> Result<(), Failure> {
        self.prepare(at.field, at.duration, at.block, at.p, at.free);
        self.find_residuals(at.start, at.block, residual);
        Ok(())
    }

    fn states_left(&self) -> usize {
        2
    }

    fn condense(&mut self, units: &[f64], absent: &[usize]) -> Result<(), Failure> {
        self.links.set_units(units);
        self.links.set_absent(absent);
        if self.relative.any() {
            self.links.set_own_units(self.relative.units_by_node(units));
        }
        self.condense_all()?;
        self.links.finite()
    }

    fn units_left(&self) -> Option<Vec<f64>> {
        self.links.units_left()
    }

    /// A change that is nothing beside the size of a state, or of a long duration, may change the sign of a fast rate,
    /// or most of a short duration.
    fn is_condensed_near(&self) -> bool {
        /// Changes of rates over an interval, relative to one and to themselves, and of the duration.
        const NEAR: f64 = 1e-3;
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

    fn relations(&self, rows: &mut Rows<'_>) {
        self.links.relations(rows);
    }

    fn reduce(&mut self, rhs: &[f64]) -> Vec<f64> {
        let mut r = vec![0.0; self.intervals() * self.n];
        self.condensed
            .resize(self.intervals() * self.gauss.stages * self.n, 0.0);
        if rhs.iter().all(|v| *v == 0.0) {
            self.condensed.fill(0.0);
        } else {
            self.reduce_all(rhs, &mut r);
        }
        self.links.reduce(&mut r)
    }

    fn condense_row(&self, row: &[f64], nodes: &mut [f64], shared: &mut [f64]) -> f64 {
        let (n, m) = (self.n, self.gauss.stages);
        let size = m * n;
        let columns = n + 1 + self.free;
        let mut w = vec![0.0; (self.intervals() + 1) * n];
        let mut constant = 0.0;
        for j in 0..self.intervals() {
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
        constant + self.links.condense_row(&mut w, nodes, shared)
    }

    fn expand(&self, nodes: &[f64], shared: &[f64], block: &mut [f64]) {
        let x = self.links.expand(nodes, shared);
        self.fill_all(&x, shared, block);
    }

    fn fit(&mut self, guess: &Guess<'_>, dense: &mut dyn FnMut(f64, &mut [f64])) {
        self.fit_guess(guess, dense);
    }

    fn refitted(&self, start: &[f64], block: &[f64], sizes: &[f64]) -> Option<Vec<f64>> {
        self.refitted_to(&self.loads(start, block, sizes))
    }

    /// The planar variational equation at fixed phase, where that is what it is: of two states and a phase.
    fn factors(&self, along: &Along<'_, '_>, work: &mut Stability) -> Result<Option<f64>, Failure> {
        work.end.set(along.mode, along.phase, &along.end.x, along.p)?;
        let defect = match along.phase {
            Some(phase) if self.n == 3 => self.planar_factors(work, along, phase)?,
            None if stiff_mesh::is_stiff(self, along) => stiff_mesh::factors(self, along, work)?,
            _ => resolved_factors(self, along, work)?,
        };
        Ok(Some(defect))
    }
}

impl Profile for Collocation {
    fn mesh(&self) -> &[f64] {
        &self.mesh
    }
    fn set_mesh(&mut self, nodes: &[f64]) {
        self.mesh.clear();
        self.mesh.extend_from_slice(nodes);
    }
    fn parts(&self) -> &[f64] {
        &self.parts
    }
    fn states(&self) -> usize {
        self.n
    }
    fn fixes_phase_by_integral(&self) -> bool {
        true
    }
    fn may_be_subdivided(&self) -> bool {
        true
    }

    fn eval_in(&self, start: &[f64], block: &[f64], j: usize, tau: f64, out: &mut [f64]) {
        let mut weights = [0.0; MOST_STAGES + 1];
        self.gauss.interpolation(tau, &mut weights);
        self.combine(start, block, &(j, weights), out);
    }

    fn pull(&self, sigma: f64, dx: &[f64], start: &mut [f64], block: &mut [f64]) {
        let (j, tau) = self.place(sigma);
        let mut weights = [0.0; MOST_STAGES + 1];
        self.gauss.interpolation(tau, &mut weights);
        let (n, first) = (self.n, j * self.stride());
        let add = |target: &mut [f64], weight: f64| {
            for (g, d) in target.iter_mut().zip(dx) {
                *g += weight * d;
            }
        };
        match j {
            0 => add(start, weights[0]),
            _ => add(&mut block[first - n..first], weights[0]),
        }
        let stages = &mut block[first..first + self.gauss.stages * n];
        for (stage, weight) in stages.chunks_exact_mut(n).zip(&weights[1..]) {
            add(stage, *weight);
        }
    }

    fn each_node(&self, _: &[f64], block: &[f64], each_node: &mut dyn FnMut(f64, &[f64], &[f64])) {
        let (n, m) = (self.n, self.gauss.stages);
        for j in 0..self.intervals() {
            let (a, b) = (self.mesh[j], self.mesh[j + 1]);
            let stages = self.stages(block, j).chunks_exact(n);
            let fields = self.f[j * m * n..(j + 1) * m * n].chunks_exact(n);
            for ((c, x), f) in self.gauss.c.iter().zip(stages).zip(fields) {
                each_node(a + c * (b - a), x, f);
            }
        }
    }

    fn rates(&self, start: &[f64], block: &[f64], duration: f64) -> Option<Vec<f64>> {
        Some(self.slopes(start, block, duration))
    }

    fn integrate(&self, _: &[f64], block: &[f64], duration: f64, each_node: &mut dyn FnMut(f64, &[f64])) {
        for j in 0..self.intervals() {
            let width = (self.mesh[j + 1] - self.mesh[j]) * duration;
            let stages = self.stages(block, j).chunks_exact(self.n);
            for (b, x) in self.gauss.b.iter().zip(stages) {
                each_node(b * width, x);
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
        mesh::error(&self.loads(start, block, sizes), &self.options)
    }
    fn may_be_refined(&self) -> bool {
        self.intervals() < self.options.most
    }
    fn transfer<'a>(&'a self, nodes: &[f64]) -> Transfer<'a> {
        let stencils = self.stencils(nodes);
        Box::new(move |start, block| {
            let mut out = vec![0.0; stencils.len() * self.n];
            for (x, stencil) in out.chunks_exact_mut(self.n).zip(&stencils) {
                self.combine(start, block, stencil, x);
            }
            out
        })
    }
}
