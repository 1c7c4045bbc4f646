//! Chains of two-point relations, reduced from end to end without losing growing or decaying solutions.
//!
//! A chain is `-Mⱼ xⱼ + xⱼ₊₁ - Bⱼ q = rⱼ`, j = 0 … N-1, for vectors xⱼ ∈ ℝⁿ and a few shared unknowns q; a link may
//! also lead back, as `xⱼ - Mⱼ xⱼ₊₁ - Bⱼ q = rⱼ`. Multiplying the maps Mⱼ out would overflow where solutions grow like
//! e^{1000}; instead each interior xⱼ is eliminated by an orthogonal factorisation of the pair of block rows it stands
//! in. What is left is one well-scaled relation `P x₀ + S x_N + B q = ρ`. The cost is linear in N.
//!
//! Reference: S. J. Wright, *Stable parallel algorithms for two-point boundary value problems*, SIAM J. Sci. Stat.
//! Comput. 13 (1992) 742–764.

use super::blocked::reflect_tall;

/// From so many components on vectors are eliminated in blocks.
const MANY: usize = 12;

/// The reduction of a chain; buffers are reused when the chain keeps its length.
///
/// Of each eliminated vector it keeps `R xⱼ = ρ' - P' x₀ - S' xⱼ₊₁ - B' q` and the reflections that led there, in one
/// flat store.
///
/// ```
/// use slipstick_numerics::linalg::Chain;
/// // Solutions of xⱼ₊₁ = 10⁵⁰ xⱼ + r grow beyond all doubles within seven steps, but for the one that is constant.
/// let (growth, steps) = (1e50, 20);
/// let mut chain = Chain::default();
/// chain.begin(1, 0);
/// for _ in 0..steps {
///     chain.push(&[growth], &[]);
/// }
/// let mut retained = vec![];
/// let rho = chain.reduce(&vec![1.0 - growth; steps], &mut retained);
/// // The constant is one if the end is. P x₀ + S x_N = ρ gives the start, and the reduction, backwards, all between.
/// let mut x = vec![1.0; steps + 1];
/// x[0] = (rho[0] - chain.s[0]) / chain.p[0];
/// chain.expand(&retained, &[], &mut x);
/// assert!(x.iter().all(|x| (x - 1.0).abs() < 1e-14));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Chain {
    n: usize,
    q: usize,
    /// For each link, n columns of 2n: Householder vectors below, R above the diagonal.
    reflections: Vec<f64>,
    /// For each link: the n scales of the reflections, the n diagonal entries of R.
    scales: Vec<f64>,
    /// For each link: n rows of `[P' | S' | B']`.
    rows: Vec<f64>,
    used: usize,
    started: bool,
    /// `P`, n×n by rows, of the relation so far.
    pub p: Vec<f64>,
    /// `S`, n×n by rows.
    pub s: Vec<f64>,
    /// `B`, n×q by rows.
    pub b: Vec<f64>,
    work: Vec<f64>,
}

impl Chain {
    /// Start an empty chain of vectors with `n` components and `q` shared unknowns.
    pub fn begin(&mut self, n: usize, q: usize) {
        self.n = n;
        self.q = q;
        self.used = 0;
        self.started = false;
        self.p.resize(n * n, 0.0);
        self.s.resize(n * n, 0.0);
        self.b.resize(n * q, 0.0);
        self.work.resize(2 * n * (2 * n + q), 0.0);
    }

    /// Append the relation `-M xⱼ + xⱼ₊₁ - B q`; `m` is n×n by rows, `b` n×q by rows.
    #[inline(always)]
    pub fn push(&mut self, m: &[f64], b: &[f64]) {
        self.append(m, b, false);
    }

    /// Append the relation `xⱼ - M xⱼ₊₁ - B q`.
    ///
    /// ```
    /// use slipstick_numerics::linalg::Chain;
    /// // Back from the end, what grows forwards by 10⁵⁰ with each step decays.
    /// let mut chain = Chain::default();
    /// chain.begin(1, 0);
    /// for _ in 0..20 {
    ///     chain.push_back(&[1e-50], &[]);
    /// }
    /// let mut retained = vec![];
    /// let rho = chain.reduce(&[1.0 - 1e-50; 20], &mut retained);
    /// let mut x = vec![1.0; 21];
    /// x[0] = (rho[0] - chain.s[0]) / chain.p[0];
    /// chain.expand(&retained, &[], &mut x);
    /// assert!(x.iter().all(|x| (x - 1.0).abs() < 1e-14));
    /// ```
    pub fn push_back(&mut self, m: &[f64], b: &[f64]) {
        self.append(m, b, true);
    }

    #[inline(always)]
    fn append(&mut self, m: &[f64], b: &[f64], back: bool) {
        if !self.started {
            self.started = true;
            let n = self.n;
            let (mapped, retained) = if back {
                (&mut self.s, &mut self.p)
            } else {
                (&mut self.p, &mut self.s)
            };
            for i in 0..n {
                for j in 0..n {
                    mapped[i * n + j] = -m[i * n + j];
                    retained[i * n + j] = unit(i, j);
                }
            }
            for (x, y) in self.b.iter_mut().zip(b) {
                *x = -y;
            }
            return;
        }
        match (self.n, self.q) {
            (2, 2) => self.eliminate(m, b, back, 2, 2),
            (3, 2) => self.eliminate(m, b, back, 3, 2),
            (n, q) => self.eliminate(m, b, back, n, q),
        }
    }

    /// Eliminate the vector that the relation so far ends at and the new link starts at.
    #[inline(always)]
    fn eliminate(&mut self, m: &[f64], b: &[f64], back: bool, n: usize, q: usize) {
        let width = 2 * n + q;
        let link = self.used;
        self.used += 1;
        let grow = |v: &mut Vec<f64>, size: usize| {
            if v.len() < (link + 1) * size {
                v.resize((link + 1) * size, 0.0);
            }
        };
        grow(&mut self.reflections, 2 * n * n);
        grow(&mut self.scales, 2 * n);
        grow(&mut self.rows, n * width);
        let columns = &mut self.reflections[link * 2 * n * n..(link + 1) * 2 * n * n];
        let (scale, diagonal) = self.scales[link * 2 * n..(link + 1) * 2 * n].split_at_mut(n);
        // The 2n rows: [S; -M] on xⱼ, [P; 0] on x₀, [0; I] on xⱼ₊₁, [B; -b] on q; M and I change places in a link that
        // leads back.
        let work = &mut self.work[..2 * n * width];
        work.fill(0.0);
        for i in 0..n {
            for j in 0..n {
                columns[j * 2 * n + i] = self.s[i * n + j];
                let (here, next) = if back {
                    (unit(i, j), -m[i * n + j])
                } else {
                    (-m[i * n + j], unit(i, j))
                };
                columns[j * 2 * n + n + i] = here;
                work[(n + i) * width + n + j] = next;
                work[i * width + j] = self.p[i * n + j];
            }
            for j in 0..q {
                work[i * width + 2 * n + j] = self.b[i * q + j];
                work[(n + i) * width + 2 * n + j] = -b[i * q + j];
            }
        }
        if n >= MANY {
            reflect_tall(columns, 2 * n, scale, diagonal, work);
            self.hand_on(link, n, q);
            return;
        }
        for k in 0..n {
            let (head, tail) = columns.split_at_mut((k + 1) * 2 * n);
            let v = &mut head[k * 2 * n..];
            let length = v[k..].iter().map(|x| x * x).sum::<f64>().sqrt();
            let alpha = if v[k] > 0.0 { -length } else { length };
            diagonal[k] = alpha;
            v[k] -= alpha;
            // vᵀv = 2 (length² + |v_k| length)
            let half = length * v[k].abs();
            let tau = if half > 0.0 { 1.0 / half } else { 0.0 };
            scale[k] = tau;
            for column in tail.chunks_exact_mut(2 * n) {
                let t = tau * (k..2 * n).map(|i| v[i] * column[i]).sum::<f64>();
                for i in k..2 * n {
                    column[i] -= t * v[i];
                }
            }
            for j in 0..width {
                let t = tau * (k..2 * n).map(|i| v[i] * work[i * width + j]).sum::<f64>();
                for i in k..2 * n {
                    work[i * width + j] -= t * v[i];
                }
            }
        }
        self.hand_on(link, n, q);
    }

    /// Keep the relation for the vector that was eliminated, and go on with the other.
    #[inline(always)]
    fn hand_on(&mut self, link: usize, n: usize, q: usize) {
        let width = 2 * n + q;
        let work = &self.work[..2 * n * width];
        self.rows[link * n * width..(link + 1) * n * width].copy_from_slice(&work[..n * width]);
        for i in 0..n {
            let row = &work[(n + i) * width..(n + i + 1) * width];
            self.p[i * n..(i + 1) * n].copy_from_slice(&row[..n]);
            self.s[i * n..(i + 1) * n].copy_from_slice(&row[n..2 * n]);
            self.b[i * q..(i + 1) * q].copy_from_slice(&row[2 * n..]);
        }
    }

    /// The reflections, their scales with the diagonal of R, and the rows of link `j`.
    fn link(&self, j: usize) -> (&[f64], &[f64], &[f64]) {
        let (n, width) = (self.n, 2 * self.n + self.q);
        (
            &self.reflections[j * 2 * n * n..(j + 1) * 2 * n * n],
            &self.scales[j * 2 * n..(j + 1) * 2 * n],
            &self.rows[j * n * width..(j + 1) * n * width],
        )
    }

    /// Carry right-hand sides `r` (n for each link) through the reduction: `kept` gets ρ' of each eliminated vector,
    /// the return value is ρ of the final relation.
    pub fn reduce(&self, r: &[f64], retained: &mut Vec<f64>) -> Vec<f64> {
        let n = self.n;
        retained.clear();
        let mut rho = r[..n].to_vec();
        let mut pair = vec![0.0; 2 * n];
        for j in 0..self.used {
            let (reflections, scales, _) = self.link(j);
            pair[..n].copy_from_slice(&rho);
            pair[n..].copy_from_slice(&r[(j + 1) * n..(j + 2) * n]);
            for (k, (v, scale)) in reflections.chunks_exact(2 * n).zip(&scales[..n]).enumerate() {
                let t = scale * super::dot(&v[k..], &pair[k..]);
                for (x, y) in pair[k..].iter_mut().zip(&v[k..]) {
                    *x -= t * y;
                }
            }
            retained.extend_from_slice(&pair[..n]);
            rho.copy_from_slice(&pair[n..]);
        }
        rho
    }

    /// `R⁻¹ x` for link `j`, in place.
    fn back(&self, j: usize, x: &mut [f64]) {
        let (n, (reflections, scales, _)) = (self.n, self.link(j));
        for k in (0..n).rev() {
            let upper: f64 = (k + 1..n).map(|c| reflections[c * 2 * n + k] * x[c]).sum();
            x[k] = (x[k] - upper) / scales[n + k];
        }
    }

    /// `R⁻ᵀ x` for link `j`, in place.
    fn back_transposed(&self, j: usize, x: &mut [f64]) {
        let (n, (reflections, scales, _)) = (self.n, self.link(j));
        for k in 0..n {
            let above: f64 = (0..k).map(|r| reflections[k * 2 * n + r] * x[r]).sum();
            x[k] = (x[k] - above) / scales[n + k];
        }
    }

    /// The interior vectors x₁ … x_{N-1} from the ends and the shared unknowns; `x` holds all N+1 vectors, ends filled
    /// in.
    pub fn expand(&self, retained: &[f64], shared: &[f64], x: &mut [f64]) {
        let (n, width) = (self.n, 2 * self.n + self.q);
        let mut v = vec![0.0; n];
        for j in (0..self.used).rev() {
            let (_, _, rows) = self.link(j);
            for ((v, row), retained) in v.iter_mut().zip(rows.chunks_exact(width)).zip(&retained[j * n..]) {
                *v = retained
                    - super::dot(&row[..n], &x[..n])
                    - super::dot(&row[n..2 * n], &x[(j + 2) * n..(j + 3) * n])
                    - super::dot(&row[2 * n..], shared);
            }
            self.back(j, &mut v);
            x[(j + 1) * n..(j + 2) * n].copy_from_slice(&v);
        }
    }

    /// Rewrite the row `Σ wⱼ·xⱼ + shared·q` in terms of the ends: `w` holds N+1 coefficient vectors, of which the first
    /// and last are updated, `shared` gains the rest; the return value is the constant that the row loses to the
    /// right-hand side.
    pub fn condense_row(&self, retained: &[f64], w: &mut [f64], shared: &mut [f64]) -> f64 {
        let (n, width) = (self.n, 2 * self.n + self.q);
        let mut constant = 0.0;
        let mut v = vec![0.0; n];
        for j in 0..self.used {
            let (_, _, rows) = self.link(j);
            v.copy_from_slice(&w[(j + 1) * n..(j + 2) * n]);
            self.back_transposed(j, &mut v);
            for (i, (&t, row)) in v.iter().zip(rows.chunks_exact(width)).enumerate() {
                constant += t * retained[j * n + i];
                for c in 0..n {
                    w[c] -= t * row[c];
                    w[(j + 2) * n + c] -= t * row[n + c];
                }
                for (shared, b) in shared.iter_mut().zip(&row[2 * n..]) {
                    *shared -= t * b;
                }
            }
        }
        constant
    }
}

/// An entry of the identity.
fn unit(i: usize, j: usize) -> f64 {
    f64::from(u8::from(i == j))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Many components, each with a rate of its own, coupled by rotations: eliminated in blocks.
    #[test]
    fn a_chain_of_many_components_is_solved() {
        let (n, links) = (2 * MANY, 30);
        let mut chain = Chain::default();
        chain.begin(n, 2);
        let x: Vec<f64> = (0..(links + 1) * n).map(|i| (0.7 * i as f64).sin()).collect();
        let q = [0.3, -1.1];
        let mut r = vec![];
        for j in 0..links {
            let m: Vec<f64> = (0..n * n)
                .map(|k| {
                    let (row, column) = (k / n, k % n);
                    let rate = if row == column {
                        10f64.powi(row as i32 % 5 - 2)
                    } else {
                        0.0
                    };
                    rate + 0.1 * ((j + 3 * row + 5 * column) as f64).sin()
                })
                .collect();
            let b: Vec<f64> = (0..2 * n).map(|k| ((k + j) as f64).cos()).collect();
            chain.push(&m, &b);
            for i in 0..n {
                let image = super::super::dot(&m[i * n..(i + 1) * n], &x[j * n..(j + 1) * n]);
                r.push(x[(j + 1) * n + i] - image - b[2 * i] * q[0] - b[2 * i + 1] * q[1]);
            }
        }
        let mut retained = vec![];
        let rho = chain.reduce(&r, &mut retained);
        for i in 0..n {
            let left = super::super::dot(&chain.p[i * n..(i + 1) * n], &x[..n])
                + super::super::dot(&chain.s[i * n..(i + 1) * n], &x[links * n..])
                + super::super::dot(&chain.b[2 * i..2 * i + 2], &q);
            assert!(
                (left - rho[i]).abs() < 1e-11 * (1.0 + rho[i].abs()),
                "{left} {}",
                rho[i]
            );
        }
        let mut y = x.clone();
        y[n..links * n].fill(0.0);
        chain.expand(&retained, &q, &mut y);
        for (a, b) in x.iter().zip(&y) {
            assert!((a - b).abs() < 1e-11, "{a} {b}");
        }
    }

    /// A chain with one component growing by 1e3 and one decaying by 1e-3 per link, 400 links: 1e±1200 from end to end.
    #[test]
    fn a_dichotomic_chain_keeps_both_directions() {
        let (n, links) = (2, 400);
        let mut chain = Chain::default();
        chain.begin(n, 1);
        let angle = |j: usize| 0.3 * (j as f64 * 0.1).sin();
        let rotation = |a: f64| [a.cos(), -a.sin(), a.sin(), a.cos()];
        let mul = |a: [f64; 4], b: [f64; 4]| {
            [
                a[0] * b[0] + a[1] * b[2],
                a[0] * b[1] + a[1] * b[3],
                a[2] * b[0] + a[3] * b[2],
                a[2] * b[1] + a[3] * b[3],
            ]
        };
        // Exact solution by construction: x_j = cos(j), sin(2j), q = 0.7; right-hand sides follow.
        let x: Vec<f64> = (0..=links)
            .flat_map(|j| [(j as f64).cos(), (2.0 * j as f64).sin()])
            .collect();
        let q = 0.7;
        let mut r = vec![];
        for j in 0..links {
            // Some links lead back, where what grows decays.
            let back = j % 3 == 1;
            let (from, to) = if back { (j + 1, j) } else { (j, j + 1) };
            let growth = if back { 1e-3 } else { 1e3 };
            let stretch = [growth, 0.0, 0.0, 1.0 / growth];
            let m = mul(rotation(angle(to)), mul(stretch, rotation(-angle(from))));
            let b = [1.0, (j as f64).sin()];
            if back {
                chain.push_back(&m, &b);
            } else {
                chain.push(&m, &b);
            }
            for i in 0..n {
                r.push(x[to * n + i] - m[i * n] * x[from * n] - m[i * n + 1] * x[from * n + 1] - b[i] * q);
            }
        }
        let mut retained = vec![];
        let rho = chain.reduce(&r, &mut retained);
        for i in 0..n {
            let left = chain.p[i * n] * x[0]
                + chain.p[i * n + 1] * x[1]
                + chain.s[i * n] * x[links * n]
                + chain.s[i * n + 1] * x[links * n + 1]
                + chain.b[i] * q;
            assert!((left - rho[i]).abs() < 1e-9 * (1.0 + rho[i].abs()), "{left} {}", rho[i]);
        }
        let mut y = vec![0.0; (links + 1) * n];
        y[..n].copy_from_slice(&x[..n]);
        y[links * n..].copy_from_slice(&x[links * n..]);
        chain.expand(&retained, &[q], &mut y);
        for (a, b) in x.iter().zip(&y) {
            assert!((a - b).abs() < 1e-11, "{a} {b}");
        }
        // A row over all vectors has the same value after condensation.
        let w: Vec<f64> = (0..(links + 1) * n).map(|i| (i as f64 * 0.37).sin()).collect();
        let value = super::super::dot(&w, &x) + 0.5 * q;
        let mut condensed = w.clone();
        let mut shared = [0.5];
        let constant = chain.condense_row(&retained, &mut condensed, &mut shared);
        let ends = super::super::dot(&condensed[..n], &x[..n])
            + super::super::dot(&condensed[links * n..], &x[links * n..])
            + shared[0] * q
            + constant;
        assert!((ends - value).abs() < 1e-9 * (1.0 + value.abs()), "{ends} {value}");
    }
}
