//! The reduced equations of a Hopf point at which several pairs of eigenvalues are imaginary with the same frequency,
//! as in every ring of equal oscillators.
//!
//! With right and left vectors q_j, p_i of iω, `⟨p_i, q_j⟩ = δ_ij`, cycles `x + a (v e^{iωt} + v̄ e^{-iωt}) + …` with
//! v = Σ A_j q_j and |A| = 1 obey to third order
//!
//! > μ α A + N(A, A, Ā) = i ν A,
//!
//! where the parameter changes by μ a², the frequency by ν a², and α is the matrix of the rates at which the
//! eigenvalues cross. These are k complex equations for A up to its phase, μ and ν. Newton's method solves them from
//! starts all over the sphere. Without α A the zeros are those of a vector field on the complex projective space: if
//! all are simple, the signs of their determinants add up to its Euler characteristic, k. If they do not, some have
//! not been found.
//!
//! Reference: M. Golubitsky, I. Stewart and D. G. Schaeffer, *Singularities and Groups in Bifurcation Theory* 2,
//! Springer (1988), ch. XVI to XVIII.

use crate::multilinear::{Iterated, Multilinear};
use nalgebra::{Complex, DMatrix, DVector};
use slipstick_numerics::linalg::eigen::Balanced;
use slipstick_numerics::linalg::singular::Singular;
use slipstick_numerics::scalar::{Dual, Second};
use slipstick_system::{Function, jacobian};
use std::f64::consts::TAU;

type Vector = DVector<Complex<f64>>;
type Matrix = DMatrix<Complex<f64>>;

/// Eigenvalues that differ by less than this part of their size are one, at a point that is located to about 1e-9.
const SAME: f64 = 1e-6;
/// The most pairs.
const MOST_PAIRS: usize = 3;
/// The most states.
const MOST_STATES: usize = 64;
/// Starts on the sphere for one pair.
const STARTS: usize = 150;
/// So many starts for each pair that bring nothing new are the last ones.
const IDLE: usize = 100;
/// Simple zeros closer than this are one; of those that are not simple, places so far apart represent the rest.
const ONE: f64 = 1e-4;
const APART: f64 = 0.05;
/// Derivatives with a singular value below this, relative to the size of N, are those of a zero that is not simple.
const SIMPLE: f64 = 1e-6;
/// More zeros than this are not listed.
const MOST_ZEROS: usize = 120;

/// A solution of the reduced equations.
#[derive(Clone, Debug)]
pub(crate) struct Amplitudes {
    /// A.
    pub(crate) a: Vector,
    /// The changes of the parameter and of the frequency with the square of the amplitude.
    pub(crate) mu: f64,
    pub(crate) nu: f64,
    /// The sign of the determinant, 0 where the zero is not simple.
    pub(crate) sign: f64,
    /// In how many directions it is not simple.
    pub(crate) soft: usize,
}

/// What the reduced equations say.
pub(crate) struct Zeros {
    pub(crate) simple: Vec<Amplitudes>,
    /// Places among zeros that are not simple: to third order they fill a continuum.
    pub(crate) continuum: Vec<Amplitudes>,
    /// Were all found, as far as can be decided?
    pub(crate) complete: bool,
}

impl Zeros {
    /// How many families branch off, as far as terms of third order tell.
    pub(crate) fn describe(&self, pairs: usize) -> String {
        let count = match self.simple.len() {
            0 => "no isolated family".to_owned(),
            1 => "one isolated family".to_owned(),
            count => format!("{count} isolated families"),
        };
        let more = match (self.continuum.is_empty(), self.complete) {
            (false, _) => ", and others that these terms do not separate",
            (true, true) => "",
            (true, false) => "; there may be more",
        };
        format!(
            "{pairs} pairs of eigenvalues are imaginary with one frequency: by terms up to third order {count} of periodic \
             orbits branch off{more}"
        )
    }
}

/// The space of the eigenvectors of iω with the reduced equations there.
pub(crate) struct CentreSpace {
    pub(crate) omega: f64,
    /// The vectors q_j as columns, and p_i.
    right: Matrix,
    left: Matrix,
    /// α.
    crossing: Matrix,
    /// How the equilibrium changes with the parameter.
    pub(crate) shift: DVector<f64>,
    /// N, for each j, l and m the coefficients of A_j A_l Ā_m.
    cubic: Vec<Vector>,
    /// What v v̄ and v v add to the cycle, for each pair of indices.
    mean: Vec<Vector>,
    double: Vec<Vector>,
}

/// The distance of two vectors of length one, whatever their phases.
pub(crate) fn apart(a: &Vector, b: &Vector) -> f64 {
    (2.0 - 2.0 * a.dotc(b).norm().min(1.0)).sqrt()
}

impl CentreSpace {
    /// Those of a field at the equilibrium `x`; none where less than two pairs have the frequency of the pair nearest
    /// to the imaginary axis, or where they have not as many vectors, or derivatives cannot be had.
    pub(crate) fn at(field: &dyn Function, x: &[f64], p: &[f64], free: usize) -> Option<Self> {
        let n = x.len();
        if !(4..=MOST_STATES).contains(&n) {
            return None;
        }
        let (mut f, mut dx, mut dp) = (vec![0.0; n], vec![0.0; n * n], vec![0.0; n]);
        jacobian(field, x, p, &[free], &mut f, &mut dx, &mut dp);
        let matrix = DMatrix::from_row_slice(n, n, &dx);
        let balanced = Balanced::new(&matrix);
        let omega = frequency_of_several(&balanced.eigenvalues().ok()?)?;
        let eigenvalue = Complex::new(0.0, omega);
        let (right, left) = vectors(&matrix, balanced.scale(), eigenvalue)?;
        let k = right.ncols();
        if !(2..=MOST_PAIRS).contains(&k) {
            return None;
        }
        let zero = Complex::new(0.0, 0.0);
        let forced = DVector::from_iterator(n, dp.iter().map(|v| Complex::new(*v, 0.0)));
        let shift = balanced.resolve(zero, &forced)?.map(|v| v.re);
        let forms = Iterated {
            functions: vec![field],
            x,
            p,
            written: None,
        };
        let q: Vec<Vector> = right.column_iter().map(|c| c.into_owned()).collect();
        let conjugate: Vec<Vector> = q.iter().map(|q| q.map(|v| v.conj())).collect();
        let crossing = &left.adjoint() * rates(field, (x, p), free, &shift, &q);
        let (mut mean, mut double) = (vec![], vec![]);
        for j in 0..k {
            for l in 0..k {
                mean.push(balanced.resolve(zero, &forms.complex_second(&q[j], &conjugate[l]))?);
                let half = forms.complex_second(&q[j], &q[l]) * Complex::new(0.5, 0.0);
                double.push(balanced.resolve(eigenvalue * 2.0, &half)?);
            }
        }
        let mut cubic = vec![];
        for j in 0..k {
            for l in 0..k {
                for m in 0..k {
                    let sum = forms.complex_second(&q[j], &mean[l * k + m])
                        + forms.complex_second(&conjugate[m], &double[j * k + l])
                        + forms.complex_third(&q[j], &q[l], &conjugate[m]) * Complex::new(0.5, 0.0);
                    cubic.push(left.adjoint() * sum);
                }
            }
        }
        let all = cubic.iter().chain(&mean).chain(&double).flat_map(|v| v.iter());
        let finite = all.chain(crossing.iter()).all(|v| v.is_finite());
        finite.then_some(Self {
            omega,
            right,
            left,
            crossing,
            shift,
            cubic,
            mean,
            double,
        })
    }

    /// How many pairs there are.
    pub(crate) fn pairs(&self) -> usize {
        self.right.ncols()
    }

    /// v = Σ A_j q_j.
    pub(crate) fn vector(&self, a: &Vector) -> Vector {
        &self.right * a
    }

    /// How far each state may swing with amplitudes of length one; zero where that is next to nothing.
    pub(crate) fn sizes(&self) -> Vec<f64> {
        const NOTHING: f64 = 1e-9;
        let sizes: Vec<f64> = self.right.row_iter().map(|row| row.norm()).collect();
        let largest = sizes.iter().fold(0.0f64, |m, size| m.max(*size));
        let counts = |size: f64| if size > NOTHING * largest { size } else { 0.0 };
        sizes.into_iter().map(counts).collect()
    }

    /// The amplitudes that the first harmonic of a motion has.
    pub(crate) fn amplitudes(&self, harmonic: &Vector) -> Vector {
        self.left.adjoint() * harmonic
    }

    /// What a cycle has, beside a v, of second order in the amplitude: a mean, and a part of twice the frequency.
    pub(crate) fn second_order(&self, a: &Vector) -> (DVector<f64>, Vector) {
        let k = self.pairs();
        let n = self.right.nrows();
        let (mut mean, mut double) = (Vector::zeros(n), Vector::zeros(n));
        for j in 0..k {
            for l in 0..k {
                mean += &self.mean[j * k + l] * (a[j] * a[l].conj());
                double += &self.double[j * k + l] * (a[j] * a[l]);
            }
        }
        (mean.map(|v| v.re), double)
    }

    /// N(A, B, C̄).
    fn cubic(&self, a: &Vector, b: &Vector, c: &Vector) -> Vector {
        let k = self.pairs();
        let mut sum = Vector::zeros(k);
        for j in 0..k {
            for l in 0..k {
                for m in 0..k {
                    sum += &self.cubic[(j * k + l) * k + m] * (a[j] * b[l] * c[m].conj());
                }
            }
        }
        sum
    }

    /// All solutions of the reduced equations that Newton's method finds.
    pub(crate) fn zeros(&self) -> Option<Zeros> {
        let k = self.pairs();
        let starts = sphere(k, STARTS * k * (k - 1));
        let crossing = self.crossing.norm();
        let sizes = starts.iter().map(|a| self.cubic(a, a, a).norm());
        let cubic = sizes.fold(0.0f64, f64::max);
        if !(crossing > 0.0 && cubic > 0.0) {
            return None;
        }
        let scaled = Scaled {
            space: self,
            crossing,
            cubic,
        };
        let (mut simple, mut continuum): (Vec<Amplitudes>, Vec<Amplitudes>) = (vec![], vec![]);
        let mut idle = 0;
        for start in starts {
            idle += 1;
            if idle > IDLE * k {
                break;
            }
            let Some(found) = scaled.solve(start) else { continue };
            let (list, least) = if found.sign == 0.0 {
                (&mut continuum, APART)
            } else {
                (&mut simple, ONE)
            };
            if list.len() < MOST_ZEROS && list.iter().all(|known| apart(&known.a, &found.a) > least) {
                list.push(found);
                idle = 0;
            }
        }
        // Where the parameter moves all amplitudes one way, the signs count.
        let part = &self.crossing + self.crossing.adjoint();
        let rates = part.symmetric_eigenvalues();
        let one_way = rates.iter().all(|r| *r > 0.0) || rates.iter().all(|r| *r < 0.0);
        let balance = simple.iter().map(|zero| zero.sign).sum::<f64>().abs();
        let complete = one_way && continuum.is_empty() && balance == k as f64;
        Some(Zeros {
            simple,
            continuum,
            complete,
        })
    }
}

/// The reduced equations in units in which α and N are of size one.
struct Scaled<'a> {
    space: &'a CentreSpace,
    crossing: f64,
    cubic: f64,
}

impl Scaled<'_> {
    /// The solution that Newton's method comes to from a start on the sphere.
    fn solve(&self, mut a: Vector) -> Option<Amplitudes> {
        const ITERATIONS: usize = 50;
        const LONGEST: f64 = 0.3;
        const SOLVED: f64 = 1e-11;
        const CUTOFF: f64 = 1e-10;
        let k = a.len();
        let size = 2 * k + 2;
        let (mut mu, mut nu) = self.best(&a);
        for _ in 0..ITERATIONS {
            let along = &self.space.crossing * &a / Complex::new(self.crossing, 0.0);
            let value = self.value(&a, mu, nu);
            let mut rhs = DVector::zeros(size);
            let mut matrix = DMatrix::zeros(size, size);
            let mut put = |column: usize, v: &Vector| {
                for (i, v) in v.iter().enumerate() {
                    matrix[(2 * i, column)] = v.re;
                    matrix[(2 * i + 1, column)] = v.im;
                }
            };
            for c in 0..2 * k {
                let unit = if c % 2 == 0 {
                    Complex::new(1.0, 0.0)
                } else {
                    Complex::i()
                };
                let d = Vector::from_fn(k, |i, _| if i == c / 2 { unit } else { Complex::new(0.0, 0.0) });
                put(c, &self.derivative(&a, &d, mu, nu));
            }
            put(2 * k, &along);
            put(2 * k + 1, &(&a * Complex::new(0.0, -1.0)));
            for (i, v) in value.iter().enumerate() {
                rhs[2 * i] = -v.re;
                rhs[2 * i + 1] = -v.im;
            }
            // Its length, and a phase that does not turn.
            for (i, a) in a.iter().enumerate() {
                matrix[(2 * k, 2 * i)] = a.re;
                matrix[(2 * k, 2 * i + 1)] = a.im;
                matrix[(2 * k + 1, 2 * i)] = -a.im;
                matrix[(2 * k + 1, 2 * i + 1)] = a.re;
            }
            rhs[2 * k] = 0.5 * (1.0 - a.norm_squared());
            let singular = Singular::of(&matrix)?;
            if rhs.norm() <= SOLVED {
                let soft = singular.values.partition_point(|value| *value <= SIMPLE);
                return Some(Amplitudes {
                    a,
                    mu: mu * self.cubic / self.crossing,
                    nu: nu * self.cubic,
                    sign: if soft == 0 { matrix.determinant().signum() } else { 0.0 },
                    soft,
                });
            }
            let mut step = singular.least_squares(&rhs, CUTOFF);
            let length = step.rows(0, 2 * k).norm();
            if !length.is_finite() {
                return None;
            }
            if length > LONGEST {
                step *= LONGEST / length;
            }
            for (i, a) in a.iter_mut().enumerate() {
                *a += Complex::new(step[2 * i], step[2 * i + 1]);
            }
            mu += step[2 * k];
            nu += step[2 * k + 1];
        }
        None
    }

    fn value(&self, a: &Vector, mu: f64, nu: f64) -> Vector {
        let linear = &self.space.crossing * a * Complex::new(mu / self.crossing, 0.0);
        linear + self.space.cubic(a, a, a) / Complex::new(self.cubic, 0.0) - a * Complex::new(0.0, nu)
    }

    fn derivative(&self, a: &Vector, d: &Vector, mu: f64, nu: f64) -> Vector {
        let linear = &self.space.crossing * d * Complex::new(mu / self.crossing, 0.0);
        let cubic = self.space.cubic(d, a, a) + self.space.cubic(a, d, a) + self.space.cubic(a, a, d);
        linear + cubic / Complex::new(self.cubic, 0.0) - d * Complex::new(0.0, nu)
    }

    /// The changes of parameter and frequency that solve the equations best.
    fn best(&self, a: &Vector) -> (f64, f64) {
        let crossing = a.dotc(&(&self.space.crossing * a)) / self.crossing;
        let cubic = a.dotc(&self.space.cubic(a, a, a)) / self.cubic;
        let mu = if crossing.re.abs() > 0.1 {
            -cubic.re / crossing.re
        } else {
            0.0
        };
        (mu, cubic.im + mu * crossing.im)
    }
}

/// The frequency that several pairs of eigenvalues have which are as near to the imaginary axis as any.
fn frequency_of_several(values: &[Complex<f64>]) -> Option<f64> {
    let distance = |v: &Complex<f64>| v.re.abs() / v.norm();
    let first = values
        .iter()
        .filter(|v| v.im > 0.0)
        .min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
    let near: Vec<f64> = values
        .iter()
        .filter(|v| (*v - first).norm() <= SAME * first.norm())
        .map(|v| v.im)
        .collect();
    let imaginary = first.re.abs() <= SAME * first.norm();
    (near.len() > 1 && imaginary).then(|| near.iter().sum::<f64>() / near.len() as f64)
}

/// Right and left vectors of an eigenvalue as columns, `⟨p_i, q_j⟩ = δ_ij`; none where it has not as many as it is
/// multiple.
fn vectors(matrix: &DMatrix<f64>, scale: &[f64], eigenvalue: Complex<f64>) -> Option<(Matrix, Matrix)> {
    /// The least part that left and right vectors have in common.
    const DEFECTIVE: f64 = 1e-3;
    let n = matrix.nrows();
    let shifted = Matrix::from_fn(n, n, |i, j| {
        let own = if i == j { eigenvalue } else { Complex::new(0.0, 0.0) };
        Complex::new(matrix[(i, j)] * scale[j] / scale[i], 0.0) - own
    });
    let zero = SAME * eigenvalue.norm();
    let right = Singular::of(&shifted)?.null_space(zero);
    let left = Singular::of(&shifted.adjoint())?.null_space(zero);
    if right.ncols() != left.ncols() || right.ncols() == 0 {
        return None;
    }
    let common = left.adjoint() * &right;
    if Singular::of(&common)?
        .values
        .first()
        .is_none_or(|least| *least < DEFECTIVE)
    {
        return None;
    }
    let left = left * common.try_inverse()?.adjoint();
    let own = |m: &Matrix, power: i32| Matrix::from_fn(n, m.ncols(), |i, j| m[(i, j)] * scale[i].powi(power));
    Some((own(&right, 1), own(&left, -1)))
}

/// The derivatives of A q by the parameter along the curve of equilibria, for each vector.
fn rates(field: &dyn Function, (x, p): (&[f64], &[f64]), free: usize, shift: &DVector<f64>, q: &[Vector]) -> Matrix {
    let n = x.len();
    let moving: Vec<Second> = (0..p.len())
        .map(|i| Second::mixed(p[i], 0.0, if i == free { 1.0 } else { 0.0 }))
        .collect();
    let along = |u: &DVector<f64>| {
        let states: Vec<Second> = (0..n).map(|i| Second::mixed(x[i], u[i], shift[i])).collect();
        let mut out = vec![Dual::constant(Dual::constant(0.0)); n];
        field.second(&states, &moving, &mut out);
        DVector::from_iterator(n, out.iter().map(|v| v.eps[0].eps[0]))
    };
    let columns: Vec<Vector> = q
        .iter()
        .map(|q| along(&q.map(|v| v.re)).zip_map(&along(&q.map(|v| v.im)), Complex::new))
        .collect();
    Matrix::from_columns(&columns)
}

/// So many points all over the sphere of complex vectors, the same in every run.
fn sphere(k: usize, count: usize) -> Vec<Vector> {
    // Weyl's sequence, equidistributed in the cube, made normal by Box and Muller.
    const SQUARES: [f64; 8] = [2.0, 3.0, 5.0, 7.0, 11.0, 13.0, 17.0, 19.0];
    (1..=count)
        .map(|i| {
            let u = |j: usize| (i as f64 * SQUARES[j].sqrt()).fract();
            let a = Vector::from_fn(k, |j, _| {
                let radius = (-2.0 * (1.0 - u(2 * j)).ln()).sqrt();
                Complex::from_polar(radius, TAU * u(2 * j + 1))
            });
            let length = a.norm().max(1e-3);
            a / Complex::new(length, 0.0)
        })
        .collect()
}
