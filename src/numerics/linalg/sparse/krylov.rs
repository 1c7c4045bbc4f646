//! The eigenvalues nearest to a point, by the Krylov–Schur method on the inverse of the shifted matrix; and those of
//! the largest moduli of a map that is known by its images only.
//!
//! The Krylov space is restarted with the part that belongs to the largest Ritz values. All is real: with conjugates
//! the kept Schur vectors span a real space.
//!
//! Reference: G. W. Stewart, *A Krylov–Schur algorithm for large eigenproblems*, SIAM J. Matrix Anal. Appl. 23 (2002)
//! 601–614.

use super::lu::{Order, SparseFactors};
use super::matrix::SparseMatrix;
use crate::linalg::{Singular, dot, multiply_add, multiply_transposed_add, norm};
use crate::stop::look;
use nalgebra::{Complex, DMatrix, DVector, Schur};

/// What is asked for.
///
/// ```
/// use slipstick_numerics::linalg::sparse::KrylovOptions;
/// // All within a distance of 5, but not more than 20.
/// let options = KrylovOptions { radius: 5.0, most: 20, ..KrylovOptions::default() };
/// assert!(options.tolerance < 1e-9);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct KrylovOptions {
    /// At least so many.
    pub least: usize,
    /// All at this distance from the point at most.
    pub radius: f64,
    /// No more than this.
    pub most: usize,
    /// The residual of an eigenvalue of the inverse, relative to it.
    pub tolerance: f64,
    /// Residuals of eigenvalues of a smaller modulus than this are relative to it instead.
    pub floor: f64,
    /// Restarts at most.
    pub restarts: usize,
    /// Begin so often once more, beside what was found: an eigenvalue that counts several times is found once for each.
    pub again: usize,
}

impl Default for KrylovOptions {
    fn default() -> Self {
        Self {
            least: 6,
            radius: 0.0,
            most: 80,
            tolerance: 1e-12,
            floor: 0.0,
            restarts: 60,
            again: 0,
        }
    }
}

/// The eigenvalues nearest to a point.
///
/// ```
/// use slipstick_numerics::linalg::sparse::{KrylovOptions, Order, SparseMatrix, nearest_eigenvalues};
/// let a = SparseMatrix::from_rows(2, &[vec![(0, 1.0)], vec![(1, 3.0)]]);
/// let found = nearest_eigenvalues(&a, &Order::of(&a), 0.0, &KrylovOptions::default())?;
/// assert!((found.values[0].re - 1.0).abs() < 1e-12 && found.radius > 1.0 && found.solutions > 0);
/// # Ok::<(), slipstick_numerics::linalg::Singular>(())
/// ```
#[derive(Clone, Debug)]
pub struct NearestEigenvalues {
    /// The nearest first, conjugates both.
    pub values: Vec<Complex<f64>>,
    /// All eigenvalues at most this far from the point are among them, so far as the Krylov space tells.
    pub radius: f64,
    /// Solutions of linear systems that it took.
    pub solutions: usize,
}

/// The eigenvalues of `matrix` nearest to the real number `shift`, which is none of them.
///
/// An eigenvalue is accepted with its vector: only where what is left of `A x - λ x` is rounding beside the terms that
/// it is the sum of.
///
/// ```
/// use slipstick_numerics::linalg::sparse::{KrylovOptions, Order, SparseMatrix, nearest_eigenvalues};
/// // Second differences on a line: eigenvalues -4 sin²(kπ/2(n+1)).
/// let n = 100;
/// let near = |i: usize| [i.wrapping_sub(1), i + 1].into_iter().filter(|j| *j < n).map(|j| (j, 1.0));
/// let rows: Vec<_> = (0..n).map(|i| near(i).chain([(i, -2.0)]).collect()).collect();
/// let a = SparseMatrix::from_rows(n, &rows);
/// let found = nearest_eigenvalues(&a, &Order::of(&a), 0.1, &KrylovOptions::default())?;
/// for (k, value) in found.values.iter().enumerate() {
///     let wanted = -4.0 * ((k + 1) as f64 * std::f64::consts::PI / 202.0).sin().powi(2);
///     assert!((value.re - wanted).abs() < 1e-13 && value.im == 0.0);
/// }
/// # Ok::<(), slipstick_numerics::linalg::Singular>(())
/// ```
///
/// # Errors
/// [`Singular`] where the shift is an eigenvalue to rounding.
pub fn nearest_eigenvalues(
    matrix: &SparseMatrix,
    order: &Order,
    shift: f64,
    options: &KrylovOptions,
) -> Result<NearestEigenvalues, Singular> {
    let factors = SparseFactors::of(matrix, order, shift)?;
    let mut solve = |v: &mut [f64]| factors.solve(v);
    let (space, found) = Space::searched(matrix.len(), &mut solve, options);
    Ok(space.accepted(matrix, shift, &found))
}

/// The eigenvalues of largest modulus of a linear map.
///
/// ```
/// use slipstick_numerics::linalg::sparse::{KrylovOptions, largest_eigenvalues};
/// // A diagonal of 1, 1/2, 1/4, ….
/// let mut halve = |v: &mut [f64]| v.iter_mut().enumerate().for_each(|(i, v)| *v *= 0.5f64.powi(i as i32));
/// let options = KrylovOptions { least: 3, floor: 0.1, ..KrylovOptions::default() };
/// let found = largest_eigenvalues(40, &mut halve, &options);
/// assert!((found.values[1].re - 0.5).abs() < 1e-12 && found.modulus <= 0.25 && found.images > 3);
/// ```
#[derive(Clone, Debug)]
pub struct LargestEigenvalues {
    /// The largest first, conjugates both.
    pub values: Vec<Complex<f64>>,
    /// All eigenvalues of a larger modulus are among them, so far as the Krylov space tells.
    pub modulus: f64,
    /// How many images it took.
    pub images: usize,
}

/// The eigenvalues of largest modulus of the linear map of `n` numbers that `apply` puts in place of its argument.
///
/// Those are found whose residual is [`KrylovOptions::tolerance`] of them, or of [`KrylovOptions::floor`] where they
/// are smaller than that; all whose moduli are larger than one over [`KrylovOptions::radius`], which is infinite for as
/// many as there are.
///
/// ```
/// use slipstick_numerics::linalg::sparse::{KrylovOptions, largest_eigenvalues};
/// // Two rotations with decay: eigenvalues ±0.9i and ±0.3i.
/// let mut turn = |v: &mut [f64]| {
///     let x = v.to_vec();
///     v.copy_from_slice(&[-0.9 * x[1], 0.9 * x[0], -0.3 * x[3], 0.3 * x[2]]);
/// };
/// let found = largest_eigenvalues(4, &mut turn, &KrylovOptions { radius: 2.0, ..KrylovOptions::default() });
/// assert!((found.values[0].im - 0.9).abs() < 1e-14 && (found.values[3].im + 0.3).abs() < 1e-14);
/// ```
pub fn largest_eigenvalues(n: usize, apply: &mut dyn FnMut(&mut [f64]), options: &KrylovOptions) -> LargestEigenvalues {
    let (space, found) = Space::searched(n, apply, options);
    let mut out = NearestEigenvalues {
        values: found.values[..found.complete]
            .iter()
            .map(|v| real_if_nearly(*v))
            .collect(),
        radius: 0.0,
        solutions: space.solutions,
    };
    out.pair();
    LargestEigenvalues {
        modulus: if found.complete == n {
            0.0
        } else {
            out.values.last().map_or(f64::INFINITY, |v| v.norm())
        },
        values: out.values,
        images: space.solutions,
    }
}

/// A real eigenvalue has an imaginary part of rounding.
fn real_if_nearly(mut value: Complex<f64>) -> Complex<f64> {
    const REAL: f64 = 1e-12;
    if value.im.abs() <= REAL * value.norm() {
        value.im = 0.0;
    }
    value
}

/// A Krylov space: rows of `basis` with `B vᵢ = Σ projected[j, i] vⱼ`.
struct Space {
    n: usize,
    /// The orthonormal vectors, one after the other.
    basis: Vec<f64>,
    projected: DMatrix<f64>,
    /// How many of them have images.
    size: usize,
    solutions: usize,
    draws: u64,
}

/// Ordered Ritz values of the inverse with their vectors in the basis.
struct Ritz {
    values: Vec<Complex<f64>>,
    vectors: Vec<DVector<Complex<f64>>>,
    /// How many of the first are converged, conjugates both.
    complete: usize,
    /// Schur vectors in the order of the values.
    schur: DMatrix<Complex<f64>>,
}

impl Space {
    /// The space in which what is asked for is found, with its Ritz values.
    fn searched(n: usize, apply: &mut dyn FnMut(&mut [f64]), options: &KrylovOptions) -> (Self, Ritz) {
        let room = (2 * options.most + 20).min(n);
        let mut space = Self {
            n,
            basis: vec![],
            projected: DMatrix::zeros(room + 1, room),
            size: 0,
            solutions: 0,
            draws: 0,
        };
        let mut found = space.search(apply, options, room);
        for _ in 0..options.again {
            space.begin_again(found.complete);
            found = space.search(apply, options, room);
        }
        (space, found)
    }

    /// A vector without structure, the same at every run.
    fn draw(&mut self) -> Vec<f64> {
        self.draws += 1;
        let mut state = 0x9e37_79b9_7f4a_7c15u64.wrapping_mul(self.draws);
        (0..self.n)
            .map(|_| {
                state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                let mut z = state;
                z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
                z ^= z >> 31;
                (z >> 11) as f64 / (1u64 << 52) as f64 - 1.0
            })
            .collect()
    }

    /// Make `w` orthogonal to the first `count` vectors; returns the coefficients.
    fn orthogonalise(&self, w: &mut [f64], count: usize) -> Vec<f64> {
        let basis = &self.basis[..count * self.n];
        let mut sums = vec![0.0; count];
        // Twice is enough.
        for _ in 0..2 {
            let mut parts = vec![0.0; count];
            multiply_add(basis, w, &mut parts, (count, self.n, 1));
            sums.iter_mut().zip(&parts).for_each(|(s, p)| *s += p);
            parts.iter_mut().for_each(|p| *p = -*p);
            multiply_transposed_add(basis, &parts, w, (self.n, count, 1));
        }
        sums
    }

    /// A vector of the basis that has nothing in common with the others.
    fn push_drawn(&mut self) {
        let mut v = self.draw();
        let count = self.basis.len() / self.n;
        self.orthogonalise(&mut v, count);
        let length = norm(&v);
        self.basis.extend(v.iter().map(|x| x / length));
    }

    /// Keep the space of the first Ritz values, which is closed, and go on with a new vector.
    fn begin_again(&mut self, closed: usize) {
        self.basis.truncate(closed * self.n);
        for column in 0..closed {
            self.projected[(closed, column)] = 0.0;
        }
        self.size = closed;
        self.push_drawn();
    }

    /// Enlarge the space to `room` vectors with images; fewer where it closes by then.
    fn expand(&mut self, apply: &mut dyn FnMut(&mut [f64]), room: usize) {
        while self.size < room {
            look();
            let j = self.size;
            let mut w = self.basis[j * self.n..].to_vec();
            apply(&mut w);
            self.solutions += 1;
            let before = norm(&w);
            let parts = self.orthogonalise(&mut w, j + 1);
            for (i, part) in parts.iter().enumerate() {
                self.projected[(i, j)] = *part;
            }
            let length = norm(&w);
            self.size += 1;
            if self.size == self.n {
                self.projected[(j + 1, j)] = 0.0;
                self.basis.extend(vec![0.0; self.n]);
            } else if length <= 1e-14 * before {
                // The space is closed: go on beside it.
                self.projected[(j + 1, j)] = 0.0;
                self.push_drawn();
            } else {
                self.projected[(j + 1, j)] = length;
                self.basis.extend(w.iter().map(|v| v / length));
            }
        }
    }

    fn search(&mut self, apply: &mut dyn FnMut(&mut [f64]), options: &KrylovOptions, room: usize) -> Ritz {
        if self.basis.is_empty() {
            self.push_drawn();
        }
        // As small as will do: the space grows with what turns out to be wanted.
        let mut wanted = options.least.max(self.size);
        let mut restarts = 0;
        loop {
            let to = (2 * wanted + 12).min(room);
            self.expand(apply, to);
            let ritz = self.ritz(options.tolerance, options.floor);
            let beyond = ritz.values[..ritz.complete]
                .iter()
                .any(|theta| theta.norm() * options.radius < 1.0);
            let enough = ritz.complete >= options.least && (beyond || options.radius == 0.0);
            restarts += 1;
            let exhausted = self.size == self.n || restarts > options.restarts;
            if enough || exhausted || ritz.complete >= options.most {
                let complete = ritz.complete;
                return self.restarted(ritz, complete);
            }
            if ritz.complete + 4 >= wanted {
                wanted = (2 * wanted).min(options.most);
            }
            let kept = (ritz.complete + (to - ritz.complete) / 2)
                .max(wanted.min(to - 2))
                .min(to - 1);
            self.restarted(ritz, kept);
        }
    }

    /// The Ritz values of the space, the largest first.
    fn ritz(&self, tolerance: f64, floor: f64) -> Ritz {
        let m = self.size;
        let square = self.projected.view((0, 0), (m, m)).map(|v| Complex::new(v, 0.0));
        let rest = self.projected.row(m).columns(0, m).into_owned();
        let (mut vectors, mut triangle) = Schur::new(square).unpack();
        sort(&mut vectors, &mut triangle);
        let coupling: Vec<Complex<f64>> = (0..m)
            .map(|c| (0..m).map(|r| vectors[(r, c)] * rest[r]).sum())
            .collect();
        let values: Vec<Complex<f64>> = (0..m).map(|i| triangle[(i, i)]).collect();
        let mut own = vec![];
        let mut complete = None;
        for i in 0..m {
            let y = triangular_vector(&triangle, i);
            let left: Complex<f64> = y.iter().zip(&coupling).map(|(y, c)| y * c).sum();
            if left.norm() > tolerance * values[i].norm().max(floor) && complete.is_none() {
                complete = Some(i);
            }
            if complete.is_none() {
                own.push(vectors.columns(0, i + 1) * &y);
            }
        }
        let mut complete = complete.unwrap_or(m);
        // Conjugates come and go together.
        while !is_closed(&values[..complete]) {
            complete -= 1;
        }
        Ritz {
            values,
            vectors: own,
            complete,
            schur: vectors,
        }
    }

    /// Shrink the space to what belongs to the first `kept` Ritz values.
    fn restarted(&mut self, mut ritz: Ritz, kept: usize) -> Ritz {
        let m = self.size;
        let kept = (kept..=m).find(|kept| is_closed(&ritz.values[..*kept])).unwrap_or(m);
        if kept >= m {
            return ritz;
        }
        let part = ritz.schur.columns(0, kept);
        // The projector on a space that is closed under conjugation is real.
        let projector = (part * part.adjoint()).map(|v| v.re);
        let turned = projector.col_piv_qr().q().columns(0, kept).into_owned();
        let square = self.projected.view((0, 0), (m, m));
        let small = turned.transpose() * square * &turned;
        let rest = self.projected.row(m).columns(0, m) * &turned;
        let flat: Vec<f64> = (0..m)
            .flat_map(|r| (0..kept).map(move |c| (r, c)))
            .map(|at| turned[at])
            .collect();
        let mut basis = vec![0.0; kept * self.n];
        multiply_transposed_add(&flat, &self.basis[..m * self.n], &mut basis, (kept, m, self.n));
        basis.extend_from_slice(&self.basis[m * self.n..(m + 1) * self.n]);
        self.basis = basis;
        self.projected.fill(0.0);
        self.projected.view_mut((0, 0), (kept, kept)).copy_from(&small);
        self.projected.view_mut((kept, 0), (1, kept)).copy_from(&rest);
        self.size = kept;
        // Vectors in the new basis.
        let down = turned.transpose().map(|v| Complex::new(v, 0.0));
        for v in &mut ritz.vectors {
            *v = &down * &*v;
        }
        ritz
    }

    /// The complete ones with their vectors, residuals checked.
    fn accepted(&self, matrix: &SparseMatrix, shift: f64, found: &Ritz) -> NearestEigenvalues {
        /// What is left of `A x - λ x` beside the terms that it is the sum of.
        const RESIDUAL: f64 = 1e-9;
        let mut out = NearestEigenvalues {
            values: vec![],
            radius: 0.0,
            solutions: self.solutions,
        };
        for (theta, y) in found.values.iter().zip(&found.vectors).take(found.complete) {
            let part = |of: fn(&Complex<f64>) -> f64| {
                let weights: Vec<f64> = y.iter().map(of).collect();
                let mut x = vec![0.0; self.n];
                multiply_transposed_add(&self.basis[..y.len() * self.n], &weights, &mut x, (self.n, y.len(), 1));
                x
            };
            let (re, im) = (part(|v| v.re), part(|v| v.im));
            let length = (dot(&re, &re) + dot(&im, &im)).sqrt();
            let x: Vec<Complex<f64>> = re
                .iter()
                .zip(&im)
                .map(|(a, b)| Complex::new(a / length, b / length))
                .collect();
            let value = real_if_nearly(*theta).inv() + shift;
            let image = matrix.apply(&x);
            let left = image
                .iter()
                .zip(&x)
                .map(|(a, x)| (a - value * x).norm_sqr())
                .sum::<f64>()
                .sqrt();
            let size = image.iter().map(|a| a.norm_sqr()).sum::<f64>().sqrt() + value.norm();
            let terms = size.max(largest_product(matrix, &x));
            if !(left <= RESIDUAL * terms) {
                break;
            }
            out.values.push(value);
        }
        while !is_closed(&out.values) {
            out.values.pop();
        }
        out.pair();
        // What is next is not converged: only up to the last one all are known.
        out.radius = match out.values.last() {
            Some(_) if out.values.len() == self.n => f64::INFINITY,
            Some(last) => (last - shift).norm(),
            None => 0.0,
        };
        out
    }
}

impl NearestEigenvalues {
    /// Make conjugates conjugate to the last digit, and of each the one with the positive imaginary part first.
    fn pair(&mut self) {
        let mut left = std::mem::take(&mut self.values);
        while !left.is_empty() {
            let value = left.remove(0);
            if value.im == 0.0 {
                self.values.push(value);
                continue;
            }
            let distance = |k: &usize| (left[*k] - value.conj()).norm();
            let partner = (0..left.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)));
            if let Some(partner) = partner {
                left.remove(partner);
            }
            let upper = Complex::new(value.re, value.im.abs());
            self.values.extend([upper, upper.conj()]);
        }
    }
}

/// The length of `|A| |x|`.
fn largest_product(matrix: &SparseMatrix, x: &[Complex<f64>]) -> f64 {
    let mut out = vec![0.0; x.len()];
    for (c, v) in x.iter().enumerate() {
        for (r, a) in matrix.column(c) {
            out[r] += a.abs() * v.norm();
        }
    }
    norm(&out)
}

/// Are the first of these values closed under conjugation?
fn is_closed(values: &[Complex<f64>]) -> bool {
    let near = |a: Complex<f64>, b: Complex<f64>| (a - b).norm() <= 1e-7 * a.norm();
    let count = |v: Complex<f64>| values.iter().filter(|w| near(v, **w)).count();
    let real = |v: &Complex<f64>| v.im.abs() <= 1e-7 * v.norm();
    values.iter().all(|v| real(v) || count(*v) == count(v.conj()))
}

/// Bring the largest diagonal entries of a triangular matrix to its begin, conjugates next to each other.
fn sort(vectors: &mut DMatrix<Complex<f64>>, triangle: &mut DMatrix<Complex<f64>>) {
    let m = triangle.nrows();
    // By modulus in steps that rounding does not cross, then by the real part, the positive imaginary part first.
    let before = |a: Complex<f64>, b: Complex<f64>| {
        let size = a.norm().max(b.norm());
        if (a.norm() - b.norm()).abs() > 1e-9 * size {
            return a.norm() > b.norm();
        }
        if (a.re - b.re).abs() > 1e-9 * size {
            return a.re > b.re;
        }
        a.im.abs() > b.im.abs() + 1e-9 * size
            || (a.im > 0.0 && b.im < 0.0 && (a.im.abs() - b.im.abs()).abs() <= 1e-9 * size)
    };
    for end in (1..m).rev() {
        let mut swapped = false;
        for i in 0..end {
            if before(triangle[(i + 1, i + 1)], triangle[(i, i)]) {
                swap(vectors, triangle, i);
                swapped = true;
            }
        }
        if !swapped {
            break;
        }
    }
}

/// Exchange two neighbours on the diagonal of a triangular matrix by a rotation.
fn swap(vectors: &mut DMatrix<Complex<f64>>, triangle: &mut DMatrix<Complex<f64>>, i: usize) {
    let (a, b, t) = (triangle[(i, i)], triangle[(i + 1, i + 1)], triangle[(i, i + 1)]);
    // The vector of b is (t, b - a).
    let (x, y) = (t, b - a);
    let length = x.norm().hypot(y.norm());
    if length == 0.0 {
        return;
    }
    let (c, s) = (x / length, y / length);
    let m = triangle.nrows();
    // Columns (i, i+1) ← (c u + s v, -s̄ u + c̄ v).
    let turn_columns = |matrix: &mut DMatrix<Complex<f64>>, rows: usize| {
        for r in 0..rows {
            let (u, v) = (matrix[(r, i)], matrix[(r, i + 1)]);
            matrix[(r, i)] = c * u + s * v;
            matrix[(r, i + 1)] = -s.conj() * u + c.conj() * v;
        }
    };
    turn_columns(triangle, i + 2);
    turn_columns(vectors, m);
    for column in i..m {
        let (u, v) = (triangle[(i, column)], triangle[(i + 1, column)]);
        triangle[(i, column)] = c.conj() * u + s.conj() * v;
        triangle[(i + 1, column)] = -s * u + c * v;
    }
    triangle[(i + 1, i)] = Complex::new(0.0, 0.0);
    triangle[(i, i)] = b;
    triangle[(i + 1, i + 1)] = a;
}

/// The unit vector of diagonal entry `i` of a triangular matrix: its first i + 1 components.
fn triangular_vector(triangle: &DMatrix<Complex<f64>>, i: usize) -> DVector<Complex<f64>> {
    let mut y = DVector::zeros(i + 1);
    y[i] = Complex::new(1.0, 0.0);
    let value = triangle[(i, i)];
    let size = value.norm().max(f64::MIN_POSITIVE);
    for r in (0..i).rev() {
        let sum: Complex<f64> = (r + 1..=i).map(|c| triangle[(r, c)] * y[c]).sum();
        let mut gap = value - triangle[(r, r)];
        // Equal ones are as near to each other as rounding.
        if gap.norm() < f64::EPSILON * size {
            gap = Complex::new(f64::EPSILON * size, 0.0);
        }
        y[r] = sum / gap;
    }
    let length = y.norm();
    y.unscale(length)
}
