//! Chains of relations between neighbouring states of a segment, reduced to relations between the few states that stay.

use crate::segment::scheme::Rows;
use crate::units;
use slipstick_continuation::Failure;
use slipstick_numerics::linalg::Chain;

/// Links from state to state along a segment, and the states between that are not eliminated.
#[derive(Default)]
pub(crate) struct Links {
    n: usize,
    shared: usize,
    count: usize,
    /// The unit of each state in the chains: with a state far smaller than another, reflections would leave it no
    /// digits.
    pub(crate) units: Vec<f64>,
    /// Units that differ from state to state along the chains, where there are such: those of all states.
    own_units: Vec<f64>,
    /// States that are zero all along.
    absent: Vec<usize>,
    pub(crate) stays: Vec<usize>,
    /// The chains from the start over the states that stay to the end.
    chains: Vec<Chain>,
    kept: Vec<Vec<f64>>,
}

impl Links {
    /// Eliminate states in these units from the next link on.
    pub(crate) fn set_units(&mut self, units: &[f64]) {
        self.units.clear();
        self.units.extend_from_slice(units);
        self.own_units.clear();
    }

    /// Eliminate each state in units of its own, those of one after those of the other.
    pub(crate) fn set_own_units(&mut self, units: Vec<f64>) {
        self.own_units = units;
    }

    /// These states are zero all along.
    pub(crate) fn set_absent(&mut self, absent: &[usize]) {
        self.absent.clear();
        self.absent.extend_from_slice(absent);
    }

    /// Cut states that are zero all along off the others in a link, by its map and its part of the shared unknowns, and
    /// let them decay by a factor: as they grow along the orbit, rounding would come back from them enlarged.
    #[inline(always)]
    pub(crate) fn cut_off_absent(&self, (map, shared): (&mut [f64], &mut [f64]), factor: f64) {
        let n = self.n;
        for &c in &self.absent {
            map.iter_mut().skip(c).step_by(n).for_each(|v| *v = 0.0);
            map[c * n..(c + 1) * n].fill(0.0);
            map[c * n + c] = factor;
            shared[c * self.shared..(c + 1) * self.shared].fill(0.0);
        }
    }

    /// The units of the state at so many links from the start.
    #[inline(always)]
    pub(crate) fn units_at(&self, link: usize) -> &[f64] {
        match &self.own_units[..] {
            [] => &self.units,
            own => &own[link * self.n..(link + 1) * self.n],
        }
    }

    /// Has each state along the segment units of its own?
    pub(crate) fn has_own_units(&self) -> bool {
        !self.own_units.is_empty()
    }

    /// The units of the states that are left, where each has its own.
    pub(crate) fn units_left(&self) -> Option<Vec<f64>> {
        self.has_own_units()
            .then(|| self.left().flat_map(|at| self.units_at(at)).copied().collect())
    }

    /// No links yet, between states of `n` numbers, with so many `shared` unknowns.
    pub(crate) fn begin(&mut self, n: usize, shared: usize) {
        (self.n, self.shared, self.count) = (n, shared, 0);
        self.stays.clear();
        self.chains.resize_with(1, Chain::default);
        self.chains[0].begin(n, shared);
    }

    /// The chain that the next link goes to; the caller pushes it, in the units of the states.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> &mut Chain {
        self.count += 1;
        let last = self.chains.len() - 1;
        &mut self.chains[last]
    }

    /// Number of links.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// What the relation so far says about the state that the next link starts at, n×n by rows; nothing where that
    /// stays.
    pub(crate) fn fixed_sizes(&self) -> Option<&[f64]> {
        let first = self.stays.last().copied().unwrap_or(0) == self.count;
        if first {
            None
        } else {
            self.chains.last().map(|chain| &chain.s[..])
        }
    }

    /// The state that the next link starts at stays.
    pub(crate) fn stay(&mut self) {
        self.stays.push(self.count);
        let mut next = Chain::default();
        next.begin(self.n, self.shared);
        self.chains.push(next);
    }

    pub(crate) fn finite(&self) -> Result<(), Failure> {
        let finite = |chain: &Chain| chain.p.iter().chain(&chain.s).chain(&chain.b).all(|v| v.is_finite());
        if self.chains.iter().all(finite) {
            Ok(())
        } else {
            Err(Failure::Evaluation(
                "the linearised equations on the mesh are not finite".into(),
            ))
        }
    }

    /// What the right-hand sides of the links leave of the relations.
    pub(crate) fn reduce(&mut self, r: &mut [f64]) -> Vec<f64> {
        let n = self.n;
        for (link, own) in r.chunks_exact_mut(n).enumerate() {
            units::divide(own, self.units_at(link + 1));
        }
        self.kept.resize_with(self.chains.len(), Vec::new);
        let mut rho = vec![];
        let ends = chain_ends(&self.stays, self.count);
        for ((chain, kept), (from, to)) in self.chains.iter().zip(&mut self.kept).zip(ends) {
            rho.extend(chain.reduce(&r[from * n..to * n], kept));
        }
        rho
    }

    /// The relations `P u + S v + B (T, p) = ρ` between the start, the states that stay and the end, each and the next;
    /// their right-hand sides are in the units of the states.
    pub(crate) fn relations(&self, rows: &mut Rows<'_>) {
        let (n, width, shared) = (self.n, rows.width, self.shared);
        let mut from = rows.start;
        let mut line = 0;
        let ends = chain_ends(&self.stays, self.count);
        for ((to, chain), (first, last)) in (rows.duration + 1..).step_by(n).zip(&self.chains).zip(ends) {
            for r in 0..n {
                let j = &mut rows.jacobian[line * width..(line + 1) * width];
                for (c, (at_first, at_last)) in self.units_at(first).iter().zip(self.units_at(last)).enumerate() {
                    j[from + c] = chain.p[r * n + c] / at_first;
                    j[to + c] = chain.s[r * n + c] / at_last;
                }
                j[rows.duration] = chain.b[r * shared];
                j[rows.parameters..].copy_from_slice(&chain.b[r * shared + 1..(r + 1) * shared]);
                line += 1;
            }
            from = to;
        }
    }

    /// Condense a row over all states, `w`, to one over those that are left, which is added to `nodes`; the constant
    /// comes back.
    pub(crate) fn condense_row(&self, w: &mut [f64], nodes: &mut [f64], shared: &mut [f64]) -> f64 {
        let n = self.n;
        for (link, own) in w.chunks_exact_mut(n).enumerate() {
            units::multiply(own, self.units_at(link));
        }
        let mut constant = 0.0;
        let ends = chain_ends(&self.stays, self.count);
        for ((chain, kept), (from, to)) in self.chains.iter().zip(&self.kept).zip(ends) {
            constant += chain.condense_row(kept, &mut w[from * n..(to + 1) * n], shared);
        }
        for (node, at) in nodes.chunks_exact_mut(n).zip(self.left()) {
            for ((x, v), unit) in node.iter_mut().zip(&w[at * n..]).zip(self.units_at(at)) {
                *x += v / unit;
            }
        }
        constant
    }

    /// All states from those that are left.
    pub(crate) fn expand(&self, nodes: &[f64], shared: &[f64]) -> Vec<f64> {
        let n = self.n;
        let mut x = vec![0.0; (self.count + 1) * n];
        for (node, at) in nodes.chunks_exact(n).zip(self.left()) {
            x[at * n..(at + 1) * n].copy_from_slice(node);
            units::divide(&mut x[at * n..(at + 1) * n], self.units_at(at));
        }
        let ends = chain_ends(&self.stays, self.count);
        for ((chain, kept), (from, to)) in self.chains.iter().zip(&self.kept).zip(ends) {
            chain.expand(kept, shared, &mut x[from * n..(to + 1) * n]);
        }
        for (link, own) in x.chunks_exact_mut(n).enumerate() {
            units::multiply(own, self.units_at(link));
        }
        x
    }

    /// The states that are left.
    fn left(&self) -> impl Iterator<Item = usize> {
        let stays = self.stays.iter().copied();
        std::iter::once(0).chain(stays).chain([self.count])
    }
}

/// The states that each chain leads from and to.
fn chain_ends(stays: &[usize], last: usize) -> impl Iterator<Item = (usize, usize)> {
    let from = std::iter::once(0).chain(stays.iter().copied());
    from.zip(stays.iter().copied().chain([last]))
}
