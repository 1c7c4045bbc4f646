//! The stage equations of one interval, `δU = A diag(J) δU h + r`, factorised with respect for what the field leaves
//! out.
//!
//! Components that neither feed themselves nor each other (a position whose rate is a velocity, a phase that runs on
//! its own) have the identity as their diagonal block and are eliminated first, so only the rest needs LU factors. For
//! a slow–fast oscillator driven by a phase that leaves m of 3m unknowns.

use slipstick_numerics::linalg::{lu_factorise, lu_factorise_blocked, lu_solve, lu_solve_blocked};
use slipstick_numerics::tableau::{MOST_STAGES, Tableau};

/// Systems of this order and larger ones are factorised in blocks.
const LARGE: usize = 48;

/// Which components are eliminated by hand and which need LU factors; `pattern[c n + d]` tells whether ∂f_c/∂x_d is
/// ever not zero.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Split {
    n: usize,
    pattern: Vec<bool>,
    easy: Vec<usize>,
    rest: Vec<usize>,
}

impl Split {
    pub(super) fn new(n: usize) -> Self {
        let mut split = Self {
            n,
            pattern: vec![false; n * n],
            ..Self::default()
        };
        split.sort();
        split
    }

    /// Learn which derivatives occur, from Jacobians (n×n by rows) one after the other.
    pub(super) fn learn(&mut self, jacobians: &[f64]) {
        let mut news = false;
        for own in jacobians.chunks_exact(self.n * self.n) {
            for (known, v) in self.pattern.iter_mut().zip(own) {
                if *v != 0.0 && !*known {
                    *known = true;
                    news = true;
                }
            }
        }
        if news {
            self.sort();
        }
    }

    fn sort(&mut self) {
        self.easy.clear();
        self.rest.clear();
        for c in 0..self.n {
            let apart = |d: &usize| !self.has(c, *d) && !self.has(*d, c);
            if !self.has(c, c) && self.easy.iter().all(apart) {
                self.easy.push(c);
            } else {
                self.rest.push(c);
            }
        }
    }

    fn has(&self, c: usize, d: usize) -> bool {
        self.pattern[c * self.n + d]
    }

    /// The order of the system that needs LU factors, for m stages.
    pub(super) fn order(&self, m: usize) -> usize {
        self.rest.len() * m
    }

    /// How many numbers the interchanges of rows take, for m stages.
    pub(super) fn pivots(&self, m: usize) -> usize {
        let order = self.order(m);
        if order < LARGE { order } else { 2 * order }
    }
}

/// Solve with the factors of a system that has so many rows.
#[inline(always)]
fn solve_factors(lu: &[f64], pivots: &[u32], b: &mut [f64], columns: usize, order: usize) {
    if order < LARGE {
        lu_solve(lu, pivots, b, columns);
    } else {
        lu_solve_blocked(lu, pivots, b, columns);
    }
}

/// The scratch memory of one factorisation.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    left: Vec<f64>,
    rhs: Vec<f64>,
}

/// The Jacobians of one interval (m matrices n×n by rows) and its width in time.
pub(super) struct StageSystem<'a> {
    pub(super) split: &'a Split,
    pub(super) gauss: &'a Tableau,
    pub(super) jacobians: &'a [f64],
    pub(super) h: f64,
}

impl StageSystem<'_> {
    fn derivative(&self, stage: usize, c: usize, d: usize) -> f64 {
        let n = self.split.n;
        self.jacobians[(stage * n + c) * n + d]
    }

    /// LU factors of what is left after the easy components; false if it is singular. `m` is the number of stages,
    /// given so that loops over a number that the compiler knows come out unrolled.
    #[inline(always)]
    pub(super) fn factorise(&self, lu: &mut [f64], pivots: &mut [u32], m: usize, work: &mut Scratch) -> bool {
        self.assemble(lu, work, m);
        if self.split.order(m) < LARGE {
            lu_factorise(lu, pivots)
        } else {
            lu_factorise_blocked(lu, pivots)
        }
    }

    #[inline(always)]
    fn assemble(&self, lu: &mut [f64], work: &mut Scratch, m: usize) {
        let Split { easy, rest, .. } = self.split;
        let size = rest.len() * m;
        let a = &self.gauss.a[..m * m];
        lu.fill(0.0);
        for i in 0..size {
            lu[i * size + i] = 1.0;
        }
        for (ra, &c) in rest.iter().enumerate() {
            for (rb, &d) in rest.iter().enumerate() {
                if self.split.has(c, d) {
                    for l in 0..m {
                        let weight = -self.h * self.derivative(l, c, d);
                        for i in 0..m {
                            lu[(ra * m + i) * size + rb * m + l] += a[i * m + l] * weight;
                        }
                    }
                }
            }
            // Through an easy component e: -h² (A J_ce) (A J_ed).
            for &e in easy.iter().filter(|&&e| self.split.has(c, e)) {
                let feeders = rest.iter().enumerate().filter(|(_, d)| self.split.has(e, **d));
                for (rb, &d) in feeders {
                    work.left.resize(m * m, 0.0);
                    let left = &mut work.left[..m * m];
                    for q in 0..m {
                        let weight = self.h * self.derivative(q, c, e);
                        for i in 0..m {
                            left[i * m + q] = a[i * m + q] * weight;
                        }
                    }
                    let mut columns = [0.0; MOST_STAGES];
                    for (l, column) in columns[..m].iter_mut().enumerate() {
                        *column = -self.h * self.derivative(l, e, d);
                    }
                    for i in 0..m {
                        let mut sum = [0.0; MOST_STAGES];
                        for q in 0..m {
                            let x = left[i * m + q];
                            for l in 0..m {
                                sum[l] += x * a[q * m + l];
                            }
                        }
                        let row = &mut lu[(ra * m + i) * size + rb * m..][..m];
                        for l in 0..m {
                            row[l] += sum[l] * columns[l];
                        }
                    }
                }
            }
        }
    }

    /// Solve `δU - h A diag(J) δU = r` for several right-hand sides: `r` holds m·n rows (stage by stage) of `columns`
    /// numbers and is overwritten.
    #[inline(always)]
    pub(super) fn solve(
        &self,
        lu: &[f64],
        pivots: &[u32],
        r: &mut [f64],
        (columns, m): (usize, usize),
        work: &mut Scratch,
    ) {
        match columns {
            1 => self.substitute_one(lu, pivots, r, m, work),
            4 => self.substitute_padded::<4>(lu, pivots, r, 4, m, work),
            5 => self.substitute_padded::<6>(lu, pivots, r, 5, m, work),
            columns => self.substitute(lu, pivots, r, columns, m, work),
        }
    }

    /// For one right-hand side: sums run over all stages at a time.
    #[inline(always)]
    fn substitute_one(&self, lu: &[f64], pivots: &[u32], r: &mut [f64], m: usize, work: &mut Scratch) {
        let Split { easy, rest, n, .. } = self.split;
        let n = *n;
        let transposed = &self.gauss.transposed[..m * m];
        // Σₗ aᵢₗ h J_l xₗ for all i, where J is the derivative of component c by d.
        let through = |c: usize, d: usize, x: &dyn Fn(usize) -> f64| {
            let mut sum = [0.0; MOST_STAGES];
            for (l, a) in transposed.chunks_exact(m).enumerate() {
                let weight = self.h * self.derivative(l, c, d) * x(l);
                for i in 0..m {
                    sum[i] += weight * a[i];
                }
            }
            sum
        };
        work.rhs.resize(rest.len() * m, 0.0);
        let rhs = &mut work.rhs[..];
        for (own, &c) in rhs.chunks_exact_mut(m).zip(rest) {
            for i in 0..m {
                own[i] = r[i * n + c];
            }
            for &e in easy.iter().filter(|&&e| self.split.has(c, e)) {
                let sum = through(c, e, &|l| r[l * n + e]);
                for i in 0..m {
                    own[i] += sum[i];
                }
            }
        }
        solve_factors(lu, pivots, rhs, 1, rest.len() * m);
        for (own, &d) in rhs.chunks_exact(m).zip(rest) {
            for &e in easy.iter().filter(|&&e| self.split.has(e, d)) {
                let sum = through(e, d, &|l| own[l]);
                for i in 0..m {
                    r[i * n + e] += sum[i];
                }
            }
            for i in 0..m {
                r[i * n + d] = own[i];
            }
        }
    }

    /// For a few right-hand sides, padded to C.
    #[inline(always)]
    fn substitute_padded<const C: usize>(
        &self,
        lu: &[f64],
        pivots: &[u32],
        r: &mut [f64],
        columns: usize,
        m: usize,
        work: &mut Scratch,
    ) {
        let Split { easy, rest, n, .. } = self.split;
        let a = &self.gauss.a[..m * m];
        let at = |stage: usize, c: usize| (stage * n + c) * columns;
        let mut rates = [[0.0; C]; MOST_STAGES];
        work.rhs.clear();
        work.rhs.resize(rest.len() * m * C, 0.0);
        let (rhs, _) = work.rhs.as_chunks_mut::<C>();
        for (own, &c) in rhs.chunks_exact_mut(m).zip(rest) {
            for i in 0..m {
                own[i][..columns].copy_from_slice(&r[at(i, c)..][..columns]);
            }
            for &e in easy.iter().filter(|&&e| self.split.has(c, e)) {
                for l in 0..m {
                    let weight = self.h * self.derivative(l, c, e);
                    for (rate, x) in rates[l][..columns].iter_mut().zip(&r[at(l, e)..][..columns]) {
                        *rate = weight * x;
                    }
                }
                for i in 0..m {
                    own[i] = integrate(&a[i * m..(i + 1) * m], &rates, own[i]);
                }
            }
        }
        solve_factors(lu, pivots, rhs.as_flattened_mut(), C, rest.len() * m);
        for (own, &d) in rhs.chunks_exact(m).zip(rest) {
            for &e in easy.iter().filter(|&&e| self.split.has(e, d)) {
                for l in 0..m {
                    let weight = self.h * self.derivative(l, e, d);
                    for c in 0..C {
                        rates[l][c] = weight * own[l][c];
                    }
                }
                for i in 0..m {
                    let sum = integrate(&a[i * m..(i + 1) * m], &rates, [0.0; C]);
                    for (x, s) in r[at(i, e)..][..columns].iter_mut().zip(&sum) {
                        *x += s;
                    }
                }
            }
            for i in 0..m {
                r[at(i, d)..][..columns].copy_from_slice(&own[i][..columns]);
            }
        }
    }

    #[inline(always)]
    fn substitute(&self, lu: &[f64], pivots: &[u32], r: &mut [f64], columns: usize, m: usize, work: &mut Scratch) {
        let Split { easy, rest, n, .. } = self.split;
        let n = *n;
        let a = &self.gauss.a[..m * m];
        let at = |stage: usize, c: usize| (stage * n + c) * columns;
        work.rhs.resize(rest.len() * m * columns, 0.0);
        let rhs = &mut work.rhs[..];
        for (row, &c) in rest.iter().enumerate() {
            for i in 0..m {
                rhs[(row * m + i) * columns..][..columns].copy_from_slice(&r[at(i, c)..][..columns]);
            }
            for &e in easy.iter().filter(|&&e| self.split.has(c, e)) {
                for l in 0..m {
                    let weight = self.h * self.derivative(l, c, e);
                    let source = &r[at(l, e)..][..columns];
                    for i in 0..m {
                        let factor = weight * a[i * m + l];
                        let target = &mut rhs[(row * m + i) * columns..][..columns];
                        for (t, s) in target.iter_mut().zip(source) {
                            *t += factor * s;
                        }
                    }
                }
            }
        }
        solve_factors(lu, pivots, rhs, columns, rest.len() * m);
        for (row, &d) in rest.iter().enumerate() {
            for &e in easy.iter().filter(|&&e| self.split.has(e, d)) {
                for l in 0..m {
                    let weight = self.h * self.derivative(l, e, d);
                    let source = &rhs[(row * m + l) * columns..][..columns];
                    for i in 0..m {
                        let factor = weight * a[i * m + l];
                        let target = &mut r[at(i, e)..][..columns];
                        for (t, s) in target.iter_mut().zip(source) {
                            *t += factor * s;
                        }
                    }
                }
            }
            for i in 0..m {
                r[at(i, d)..][..columns].copy_from_slice(&rhs[(row * m + i) * columns..][..columns]);
            }
        }
    }
}

/// `sum + Σₗ aₗ xₗ`.
#[inline(always)]
pub(super) fn integrate<const C: usize>(a: &[f64], x: &[[f64; C]; MOST_STAGES], mut sum: [f64; C]) -> [f64; C] {
    for (factor, x) in a.iter().zip(x) {
        for c in 0..C {
            sum[c] += factor * x[c];
        }
    }
    sum
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use nalgebra::{DMatrix, DVector};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn agrees_with_the_full_stage_matrix_whatever_the_pattern(
            n in 1usize..5,
            m in 1usize..9,
            holes in prop::collection::vec(prop::bool::ANY, 16),
            entries in prop::collection::vec(-1.0..1.0f64, 8 * 16 + 32 * 2),
        ) {
            let gauss = Tableau::gauss(m);
            let mut jacobians = entries[..m * n * n].to_vec();
            for own in jacobians.chunks_exact_mut(n * n) {
                for (v, hole) in own.iter_mut().zip(&holes) {
                    if *hole {
                        *v = 0.0;
                    }
                }
            }
            let mut split = Split::new(n);
            split.learn(&jacobians);
            let h = 0.4;
            let mut full = DMatrix::<f64>::identity(m * n, m * n);
            for i in 0..m {
                for l in 0..m {
                    for c in 0..n {
                        for d in 0..n {
                            full[(i * n + c, l * n + d)] -= h * gauss.a[i * m + l] * jacobians[(l * n + c) * n + d];
                        }
                    }
                }
            }
            let size = split.order(m);
            let (mut lu, mut pivots) = (vec![0.0; size * size], vec![0; split.pivots(m)]);
            let mut work = Scratch::default();
            let system = StageSystem { split: &split, gauss: &gauss, jacobians: &jacobians, h };
            prop_assert!(system.factorise(&mut lu, &mut pivots, m, &mut work));
            let mut r = entries[128..128 + 2 * m * n].to_vec();
            let before = r.clone();
            system.solve(&lu, &pivots, &mut r, (2, m), &mut work);
            for c in 0..2 {
                let x = DVector::from_iterator(m * n, r.iter().skip(c).step_by(2).copied());
                let b = DVector::from_iterator(m * n, before.iter().skip(c).step_by(2).copied());
                prop_assert!((&full * x - b).amax() < 1e-12);
            }
        }
    }

    #[test]
    fn a_driven_oscillator_needs_factors_for_its_velocity_alone() {
        // x' = v, v' = f(x, v, θ), θ' = 1
        let mut split = Split::new(3);
        split.learn(&[0.0, 1.0, 0.0, -2.0, 3.0, 0.5, 0.0, 0.0, 0.0]);
        assert_eq!(
            (split.order(6), split.rest.as_slice(), split.easy.as_slice()),
            (6, &[1usize][..], &[0, 2][..])
        );
    }
}
