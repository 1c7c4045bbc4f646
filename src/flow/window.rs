//! Windows: stretches of a path on which a scalar function of the state is a polynomial to rounding.
//!
//! On a *linear* mode with a function affine in the basis, h = c·z, the window's polynomial is the Taylor polynomial about its centre,
//! h(t + r s) = Σ (c Mᵏ z) (r s)ᵏ/k!, whose remainder is bounded rigorously: |c M²⁰| exp(|M| r) |z| r²⁰/20!. Everything but z depends on
//! the parameters only and is prepared once ([`Taylor`], [`rows`](Taylor::rows)); the centre moves on by a precomputed
//! exp(2 r M). In all other cases the function is interpolated at Chebyshev nodes, and the window is halved until the
//! high coefficients have died out ([`interpolate`]).

use super::expm::expm;
use super::linear::{LinearField, dot};
use super::polynomial::{Polynomial, TERMS, spread};
use crate::system::Function;
use smallvec::SmallVec;
use std::sync::LazyLock;

/// A polynomial in s ∈ [-1, 1] on the times `centre + half·s`, of which only s ≤ `last` belongs to the path.
pub(crate) struct Window {
    /// The time at s = 0.
    pub(crate) centre: f64,
    /// Half the length; negative when time runs backwards.
    pub(crate) half: f64,
    /// The function in s.
    pub(crate) q: Polynomial,
    /// The function is this close to the polynomial; smaller values cannot be told from zero.
    pub(crate) delta: f64,
    /// The last s of the path.
    pub(crate) last: f64,
}

impl Window {
    /// The time at `s`.
    pub(crate) fn time(&self, s: f64) -> f64 {
        self.centre + self.half * s
    }
}

/// The prepared Taylor expansion of a linear mode at fixed parameters.
pub(crate) struct Taylor {
    pub(crate) field: LinearField<f64>,
    /// Half the length of a window.
    pub(crate) half: f64,
    /// exp(M·half) and exp(2M·half).
    to_centre: Vec<f64>,
    hop: Vec<f64>,
    /// exp(|M|·half): by how much |z| can grow from the centre.
    growth: Vec<f64>,
}

/// The rows c Mᵏ halfᵏ/k! of a function c·z, k = 0…19, and that of the remainder.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    rows: Vec<f64>,
    remainder: Vec<f64>,
    size: usize,
}

impl Taylor {
    /// Prepare for `field`.
    pub(crate) fn new(field: LinearField<f64>) -> Self {
        let n = field.size();
        let half = half_length(&field.matrix, n);
        let absolute: Vec<f64> = field.matrix.iter().map(|v| v.abs()).collect();
        let to_centre = expm(&field.matrix, half, n);
        let hop = super::expm::product(&to_centre, &to_centre, n);
        let growth = expm(&absolute, half, n);
        Self {
            field,
            half,
            to_centre,
            hop,
            growth,
        }
    }
    /// The same for time running backwards.
    pub(crate) fn reversed(&self) -> Self {
        let n = self.field.size();
        let half = -self.half;
        let to_centre = expm(&self.field.matrix, half, n);
        let hop = super::expm::product(&to_centre, &to_centre, n);
        Self {
            field: self.field.clone(),
            half,
            to_centre,
            hop,
            growth: self.growth.clone(),
        }
    }
    /// The rows of `function`, if it is affine in the basis.
    pub(crate) fn rows(&self, function: &dyn Function, p: &[f64]) -> Option<Rows> {
        let n = self.field.size();
        let mut row = self.field.row(function, p)?;
        let mut rows = Vec::with_capacity(TERMS * n);
        for k in 1..=TERMS {
            rows.extend_from_slice(&row);
            let factor = self.half / k as f64;
            let next: Vec<f64> = (0..n)
                .map(|j| (0..n).map(|i| row[i] * self.field.matrix[i * n + j]).sum::<f64>() * factor)
                .collect();
            row = next;
        }
        let remainder = (0..n)
            .map(|j| (0..n).map(|i| row[i].abs() * self.growth[i * n + j]).sum())
            .collect();
        Some(Rows {
            rows,
            remainder,
            size: n,
        })
    }
    /// The basis at the first centre, from the basis at the start.
    pub(crate) fn first(&self, z: &mut [f64]) {
        apply(&self.to_centre, z);
    }
    /// The basis at the next centre.
    pub(crate) fn next(&self, z: &mut [f64]) {
        apply(&self.hop, z);
    }
    /// The window about the centre with basis `z`.
    pub(crate) fn window(&self, rows: &Rows, z: &[f64], centre: f64, last: f64) -> Window {
        let n = rows.size;
        let mut q = [0.0; TERMS];
        for (q, row) in q.iter_mut().zip(rows.rows.chunks_exact(n)) {
            *q = dot(row, z);
        }
        let size: f64 = rows.rows[..n].iter().zip(z).map(|(c, z)| (c * z).abs()).sum();
        let remainder: f64 = rows.remainder.iter().zip(z).map(|(c, z)| c * z.abs()).sum();
        Window {
            centre,
            half: self.half,
            q,
            delta: remainder + 16.0 * f64::EPSILON * (size + spread(&q)),
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
    /// The rows for time running backwards.
    pub(crate) fn reversed(&self) -> Self {
        let mut rows = self.clone();
        for (k, row) in rows.rows.chunks_exact_mut(self.size).enumerate() {
            if k % 2 == 1 {
                row.iter_mut().for_each(|v| *v = -*v);
            }
        }
        rows
    }
}

fn apply(m: &[f64], z: &mut [f64]) {
    let n = z.len();
    let image: SmallVec<[f64; 17]> = m.chunks_exact(n).map(|row| dot(row, z)).collect();
    z.copy_from_slice(&image);
}

/// A half-length for which twenty Taylor terms reach rounding: 1.3 divided by the growth rate of the powers of M, but not so long that the
/// bound exp(|M| half) becomes loose.
fn half_length(m: &[f64], n: usize) -> f64 {
    let norm = |m: &[f64]| {
        m.chunks_exact(n)
            .map(|r| r.iter().map(|v| v.abs()).sum::<f64>())
            .fold(0.0, f64::max)
    };
    let direct = norm(m);
    if direct == 0.0 || !direct.is_finite() {
        return 1.0;
    }
    let mut power: Vec<f64> = m.iter().map(|v| v / direct).collect();
    for _ in 0..4 {
        power = super::expm::product(&power, &power, n);
    }
    let rate = direct * norm(&power).powf(1.0 / 16.0);
    (1.3 / rate).min(4.0 / direct)
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

/// Cover the times from `a` to `b` with windows of the function `h`, in order, until `visit` returns false.
/// `noise` is the relative accuracy of the values of `h`.
pub(crate) fn interpolate(
    h: &mut dyn FnMut(f64) -> f64,
    a: f64,
    b: f64,
    noise: f64,
    visit: &mut dyn FnMut(&Window) -> bool,
) -> bool {
    halve(h, a, b, noise, 0, visit)
}

fn halve(
    h: &mut dyn FnMut(f64) -> f64,
    a: f64,
    b: f64,
    noise: f64,
    depth: u32,
    visit: &mut dyn FnMut(&Window) -> bool,
) -> bool {
    let table = &*CHEBYSHEV;
    let (centre, half) = (0.5 * (a + b), 0.5 * (b - a));
    let values = table.points.map(|s| h(centre + half * s));
    let size = values.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    let series = |k: usize| dot(&table.to_series[k], &values).abs();
    let tail = series(NODES - 1) + series(NODES - 2) + series(NODES - 3);
    if tail > 20.0 * noise * size && depth < DEPTH {
        return halve(h, a, centre, noise, depth + 1, visit) && halve(h, centre, b, noise, depth + 1, visit);
    }
    let mut q = [0.0; TERMS];
    for (q, row) in q.iter_mut().zip(&table.to_powers) {
        *q = dot(row, &values);
    }
    visit(&Window {
        centre,
        half,
        q,
        delta: 8.0 * noise * size + 2.0 * tail,
        last: 1.0,
    })
}
