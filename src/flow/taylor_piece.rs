//! Windows: stretches of a path on which a scalar function of the state is a polynomial to rounding.
//!
//! On a *linear* mode with a function affine in the basis, h = c·z, the window's polynomial is the Taylor polynomial
//! about its centre, h(t + r s) = Σ (c Mᵏ z) (r s)ᵏ/k!, whose remainder is bounded rigorously by |c M²⁰| exp(‖M‖ r) ‖z‖
//! r²⁰/20! in balanced scales. Everything but z depends on the parameters only and is prepared once ([`Taylor`],
//! [`rows`](Taylor::rows)); the centres are met by the closed form, or by exp(2 r M), computed once. In all other cases
//! the function is interpolated at Chebyshev nodes, and the window is halved until the high coefficients have died out
//! ([`interpolate`]).

use super::expm::{SMALL, expm};
use super::linear::{LinearField, Multiplied, dot};
use slipstick_numerics::linalg::balance;
use slipstick_numerics::roots::polynomial::{Polynomial, TERMS, spread};
use slipstick_numerics::stop::look;
use slipstick_system::Function;
use smallvec::SmallVec;
use std::cell::{Cell, RefCell};
use std::sync::{Arc, LazyLock, OnceLock};

/// A polynomial in s ∈ [-1, 1] on the times `centre + half·s`, of which only s ≤ `last` belongs to the path.
pub(crate) struct TaylorPiece {
    /// The time at s = 0.
    pub(crate) centre: f64,
    /// Half the length; negative when time runs backwards.
    pub(crate) half: f64,
    /// The function in s.
    pub(crate) q: Polynomial,
    /// The function is this close to the polynomial; smaller values cannot be distinguished from zero.
    pub(crate) delta: f64,
    /// The last s of the path.
    pub(crate) last: f64,
}

impl TaylorPiece {
    /// The time at `s`.
    pub(crate) fn time(&self, s: f64) -> f64 {
        self.centre + self.half * s
    }
}

/// Fewer windows than this are crossed as fast one by one where exponentials are large matrices.
const MANY: f64 = 24.0;

/// The prepared Taylor expansion of a linear mode at fixed parameters.
pub(crate) struct Taylor {
    pub(crate) field: LinearField<f64>,
    /// Half the length of a window; negative when time runs backwards.
    pub(crate) half: f64,
    /// ‖M‖ in the units in which it is balanced.
    norm: f64,
    /// The nonzero entries (row, column, value) of M.
    entries: SmallVec<[(usize, usize, f64); 24]>,
    /// Scales of the basis in which M is balanced, and exp(‖M‖·half) there: by how much the basis can grow from the
    /// centre.
    scales: SmallVec<[f64; 17]>,
    growth: f64,
    /// exp(M·half).
    first: OnceLock<Vec<f64>>,
    /// exp(M·length·2ʲ) for windows of that length, as far as they are needed.
    leaps: RefCell<Vec<Arc<[f64]>>>,
}

/// The rows c Mᵏ halfᵏ/k! of a function c·z, k = 0…19, and the weight of the remainder.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    rows: SmallVec<[f64; 120]>,
    remainder: f64,
    size: usize,
    /// For windows twice, four, … times as long, as far as they are needed: the rows that give the function at the
    /// nodes of one from the basis where it begins.
    wide: RefCell<Vec<Option<Arc<[f64]>>>>,
}

impl Taylor {
    /// Prepare for `field`.
    pub(crate) fn new(field: LinearField<f64>) -> Self {
        let n = field.size();
        let entries = field.entries();
        let (scales, norm) = balance(&field.matrix, n);
        // Twenty terms of the series reach rounding for ‖M‖·half = 1.3.
        let half = if norm > 0.0 { 1.3 / norm } else { 1.0 };
        Self {
            half,
            norm,
            entries,
            scales,
            growth: (norm * half).exp(),
            first: OnceLock::new(),
            leaps: RefCell::default(),
            field,
        }
    }
    /// The same for time running backwards.
    pub(crate) fn reversed(&self) -> Self {
        Self {
            field: self.field.clone(),
            half: -self.half,
            norm: self.norm,
            entries: self.entries.clone(),
            scales: self.scales.clone(),
            growth: self.growth,
            first: OnceLock::new(),
            leaps: RefCell::default(),
        }
    }
    /// The rows of `function`, if it is affine in the basis.
    pub(crate) fn rows(&self, function: &dyn Function, p: &[f64]) -> Option<Rows> {
        let n = self.field.size();
        let first = self.field.row(function, p)?;
        let mut rows: SmallVec<[f64; 120]> = SmallVec::from_elem(0.0, (TERMS + 1) * n);
        rows[..n].copy_from_slice(&first);
        for k in 1..=TERMS {
            let factor = self.half / k as f64;
            let (before, row) = rows[(k - 1) * n..(k + 1) * n].split_at_mut(n);
            for &(i, j, v) in &self.entries {
                row[j] += before[i] * v * factor;
            }
        }
        let last = &rows[TERMS * n..];
        let remainder = self.growth * last.iter().zip(&self.scales).map(|(c, d)| c.abs() * d).sum::<f64>();
        Some(Rows {
            rows,
            remainder,
            size: n,
            wide: RefCell::default(),
        })
    }
    /// The rows that give `function` at the nodes of a window of 2^`level` lengths, from the basis where it begins:
    /// c exp(M τ), in whole lengths τ by what leaps over them, and the rest by the series.
    fn at_nodes(&self, function: &Rows, level: usize) -> Arc<[f64]> {
        let mut wide = function.wide.borrow_mut();
        if wide.len() <= level {
            wide.resize(level + 1, None);
        }
        let rows = wide[level].get_or_insert_with(|| {
            let lengths = 2.0f64.powi(level as i32);
            let at = |s: &f64| {
                let tau = 0.5 * lengths * (1.0 + s);
                let whole = tau.round() as usize;
                let mut row = function.later(2.0 * (tau - whole as f64));
                for bit in 0.. {
                    if whole >> bit == 0 {
                        break;
                    }
                    if whole >> bit & 1 == 1 {
                        row = times(&row, &self.transfer(bit));
                    }
                }
                row
            };
            CHEBYSHEV.points.iter().flat_map(at).collect()
        });
        Arc::clone(rows)
    }
    /// The function on the 2^`level` lengths that begin at the time `from` with the basis `z`, if it is a polynomial
    /// there.
    pub(crate) fn wide_piece(
        &self,
        function: &Rows,
        level: usize,
        z: &[f64],
        angle: f64,
        from: f64,
    ) -> Option<TaylorPiece> {
        /// The high coefficients are rounding, if they are a few times that of the values.
        const DIED_OUT: f64 = 4.0;
        let rows = self.at_nodes(function, level);
        let mut values = [0.0; NODES];
        let mut terms: f64 = 0.0;
        for (value, row) in values.iter_mut().zip(rows.chunks_exact(function.size)) {
            *value = dot(row, z);
            terms = terms.max(row.iter().zip(z).map(|(c, z)| (c * z).abs()).sum());
        }
        let (q, tail) = through(&values);
        let noise = (16.0 + angle) * f64::EPSILON * (terms + spread(&q));
        let half = self.half * 2.0f64.powi(level as i32);
        // Values that are no numbers are for the windows that tell where they begin.
        (tail <= DIED_OUT * noise).then_some(TaylorPiece {
            centre: from + half,
            half,
            q,
            delta: noise + 2.0 * tail,
            last: 1.0,
        })
    }
    /// The length of a window.
    pub(crate) fn length(&self) -> f64 {
        2.0 * self.half
    }
    /// The basis at the first centre, from the basis at the start.
    pub(crate) fn first(&self, z: &mut [f64]) {
        let once = self
            .first
            .get_or_init(|| expm(&self.field.matrix, self.half, self.field.size()));
        apply(once, z);
    }
    /// The basis `count` windows later.
    pub(crate) fn leap(&self, mut count: usize, z: &mut [f64]) {
        let mut level = 0;
        while count > 0 {
            if count & 1 == 1 {
                apply(&self.transfer(level), z);
            }
            count >>= 1;
            level += 1;
        }
    }
    /// The basis 2^`level` windows later.
    pub(crate) fn leap_wide(&self, level: usize, z: &mut [f64]) {
        apply(&self.transfer(level), z);
    }
    /// Are windows of one length, over the time `span`, many that cost much?
    pub(crate) fn is_worth_widening(&self, span: f64) -> bool {
        self.field.size() > SMALL && span / self.length() > MANY
    }
    fn transfer(&self, level: usize) -> Arc<[f64]> {
        let mut leaps = self.leaps.borrow_mut();
        while leaps.len() <= level {
            let time = self.length() * 2.0f64.powi(leaps.len() as i32);
            leaps.push(expm(&self.field.matrix, time, self.field.size()).into());
        }
        Arc::clone(&leaps[level])
    }
    /// x(t) from `x0`: to the centre of the window in leaps that are computed once, and by the series from there.
    pub(crate) fn advance(&self, x0: &[f64], t: f64, x: &mut [f64]) {
        /// Times beyond that many windows are rounded by a window.
        const MOST: f64 = 1e15;
        let size = self.field.size();
        let is_near = t.abs() <= self.half.abs();
        let windows = (t / self.length()).floor();
        let many = if size > SMALL { MANY } else { 0.0 };
        if !is_near && !(many..MOST).contains(&windows) {
            return self.field.advance(x0, t, x);
        }
        let mut z: SmallVec<[f64; 17]> = SmallVec::from_elem(0.0, size);
        self.field.embed(x0, &mut z);
        let mut rest = t;
        if !is_near {
            self.first(&mut z);
            self.leap(windows as usize, &mut z);
            rest = t - (windows + 0.5) * self.length();
        }
        Multiplied::of(&self.field, &self.entries).step(&mut z, rest, self.norm);
        self.field.project(x0, t, &z, x);
    }
    /// Show each of the `active` functions its window about the centre with basis `z`. A function whose window was
    /// answered with false is active no longer; `to` may be drawn nearer meanwhile.
    ///
    /// Returns false where a function is no finite number.
    pub(crate) fn show(
        &self,
        functions: &[&Rows],
        active: &mut [bool],
        (z, angle): (&[f64], f64),
        (centre, to): (f64, &Cell<f64>),
        each: &mut dyn FnMut(usize, &TaylorPiece) -> bool,
    ) -> bool {
        for (f, (rows, active)) in functions.iter().zip(active).enumerate() {
            if !*active {
                continue;
            }
            let last = ((to.get() - centre) / self.half).min(1.0);
            let piece = self.piece(rows, z, angle, centre, last);
            if !piece.delta.is_finite() {
                return false;
            }
            *active = each(f, &piece);
        }
        true
    }
    /// The window about the centre with basis `z`, there being angles as large as `angle`.
    fn piece(&self, rows: &Rows, z: &[f64], angle: f64, centre: f64, last: f64) -> TaylorPiece {
        let n = rows.size;
        let mut q = [0.0; TERMS];
        for (q, row) in q.iter_mut().zip(rows.rows.chunks_exact(n)) {
            *q = dot(row, z);
        }
        let size: f64 = rows.rows[..n].iter().zip(z).map(|(c, z)| (c * z).abs()).sum();
        let largest = z
            .iter()
            .zip(&self.scales)
            .fold(0.0, |m: f64, (z, d)| m.max(z.abs() / d));
        TaylorPiece {
            centre,
            half: self.half,
            q,
            // Sine and cosine of a large angle know it only to its rounding.
            delta: rows.remainder * largest + (16.0 + angle) * f64::EPSILON * (size + spread(&q)),
            last,
        }
    }
}

impl Rows {
    /// The function and its time derivative at the basis `z`, for windows of half-length `half`.
    pub(crate) fn value_and_rate(&self, z: &[f64], half: f64) -> (f64, f64) {
        let n = self.size;
        (dot(&self.rows[..n], z), dot(&self.rows[n..2 * n], z) / half)
    }
    /// The row that gives the function by `s` half lengths later, |s| ≤ 1.
    fn later(&self, s: f64) -> Vec<f64> {
        let mut row = vec![0.0; self.size];
        let mut power = 1.0;
        for term in self.rows.chunks_exact(self.size) {
            row.iter_mut().zip(term).for_each(|(row, term)| *row += power * term);
            power *= s;
        }
        row
    }
    /// The rows for time running backwards.
    pub(crate) fn reversed(&self) -> Self {
        let mut rows = self.clone();
        rows.wide = RefCell::default();
        for (k, row) in rows.rows.chunks_exact_mut(self.size).enumerate() {
            if k % 2 == 1 {
                row.iter_mut().for_each(|v| *v = -*v);
            }
        }
        rows
    }
}

/// The row times a matrix.
fn times(row: &[f64], m: &[f64]) -> Vec<f64> {
    let mut image = vec![0.0; row.len()];
    for (c, m) in row.iter().zip(m.chunks_exact(row.len())) {
        image.iter_mut().zip(m).for_each(|(image, m)| *image += c * m);
    }
    image
}

fn apply(m: &[f64], z: &mut [f64]) {
    let n = z.len();
    let image: SmallVec<[f64; 17]> = m.chunks_exact(n).map(|row| dot(row, z)).collect();
    z.copy_from_slice(&image);
}

/// Nodes of the interpolation: degree 12.
const NODES: usize = 13;
/// Windows are halved at most this often.
const DEPTH: u32 = 14;

/// Chebyshev points, and the matrices from values there to Chebyshev and to power coefficients.
struct Chebyshev {
    points: [f64; NODES],
    to_series: [[f64; NODES]; NODES],
    to_powers: [[f64; NODES]; NODES],
}

static CHEBYSHEV: LazyLock<Chebyshev> = LazyLock::new(|| {
    let degree = NODES - 1;
    let angle = |j: usize| std::f64::consts::PI * j as f64 / degree as f64;
    let points = std::array::from_fn(|j| -angle(j).cos());
    let half_at_ends = |j: usize| if j == 0 || j == degree { 0.5 } else { 1.0 };
    let to_series: [[f64; NODES]; NODES] = std::array::from_fn(|k| {
        std::array::from_fn(|j| {
            2.0 / degree as f64
                * half_at_ends(j)
                * half_at_ends(k)
                * (k as f64 * (std::f64::consts::PI - angle(j))).cos()
        })
    });
    // Powers of T_k by the three-term recurrence.
    let mut t = [[0.0; NODES]; NODES];
    t[0][0] = 1.0;
    t[1][1] = 1.0;
    for k in 2..NODES {
        for i in 0..NODES {
            t[k][i] = if i > 0 { 2.0 * t[k - 1][i - 1] } else { 0.0 } - t[k - 2][i];
        }
    }
    let to_powers =
        std::array::from_fn(|i| std::array::from_fn(|j| (0..NODES).map(|k| t[k][i] * to_series[k][j]).sum()));
    Chebyshev {
        points,
        to_series,
        to_powers,
    }
});

/// The polynomial through values at the nodes, and how large its high Chebyshev coefficients are together.
fn through(values: &[f64; NODES]) -> (Polynomial, f64) {
    let table = &*CHEBYSHEV;
    let series = |k: usize| dot(&table.to_series[k], values).abs();
    let tail = series(NODES - 1) + series(NODES - 2) + series(NODES - 3);
    let mut q = [0.0; TERMS];
    for (q, row) in q.iter_mut().zip(&table.to_powers) {
        *q = dot(row, values);
    }
    (q, tail)
}

/// The accuracy of a function's values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Noise {
    /// Relative to the largest value in the window.
    pub(crate) relative: f64,
    /// Absolute: the rounding of the terms that the function adds up, which may cancel.
    pub(crate) absolute: f64,
}

/// Cover the times from `a` to `b` with windows of the function `h`, in order, until `visit` returns false.
/// The values of `h` are taken to be as accurate as `noise` says.
pub(crate) fn interpolate(
    h: &mut dyn FnMut(f64) -> f64,
    a: f64,
    b: f64,
    noise: Noise,
    each: &mut dyn FnMut(&TaylorPiece) -> bool,
) -> bool {
    let mut halving = Halving::of(a, b);
    while let Some(piece) = halving.next(h, noise) {
        if !each(&piece) {
            return false;
        }
    }
    true
}

/// What is still to be covered with windows of a function, which are halved until it is a polynomial on them.
#[derive(Default)]
pub(crate) struct Halving {
    /// Stretches of time, the next one last, and how often they have been halved.
    ahead: SmallVec<[(f64, f64, u32); 4]>,
}

impl Halving {
    pub(crate) fn of(a: f64, b: f64) -> Self {
        Self {
            ahead: SmallVec::from_slice(&[(a, b, 0)]),
        }
    }
    /// When the next window begins; none if all is covered.
    pub(crate) fn next_begin(&self) -> Option<f64> {
        self.ahead.last().map(|stretch| stretch.0)
    }
    /// The next window of the function `h`, with values as accurate as `noise` says.
    pub(crate) fn next(&mut self, h: &mut dyn FnMut(f64) -> f64, noise: Noise) -> Option<TaylorPiece> {
        loop {
            look();
            let (a, b, depth) = self.ahead.pop()?;
            let (centre, half) = (0.5 * (a + b), 0.5 * (b - a));
            let values = CHEBYSHEV.points.map(|s| h(centre + half * s));
            let size = values.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
            let (q, tail) = through(&values);
            let noise_here = noise.relative * size + noise.absolute;
            if tail > 20.0 * noise_here && depth < DEPTH {
                self.ahead.extend([(centre, b, depth + 1), (a, centre, depth + 1)]);
                continue;
            }
            return Some(TaylorPiece {
                centre,
                half,
                q,
                delta: 8.0 * noise_here + 2.0 * tail,
                last: 1.0,
            });
        }
    }
}
