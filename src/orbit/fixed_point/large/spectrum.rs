//! The eigenvalues of equilibria of many states: all of them, or the leading ones and whether they are all that matter.

use super::super::hopf_test::product;
use crate::perturbation::evaluation;
use nalgebra::{Complex, DMatrix};
use slipstick_continuation::Failure;
use slipstick_floquet::leave_out;
use slipstick_numerics::linalg::Singular;
use slipstick_numerics::linalg::eigen::eigenvalues;
use slipstick_numerics::linalg::sparse::{
    KrylovOptions, Order, SparseMatrix, bounds, count_right_of, nearest_eigenvalues,
};
use std::f64::consts::FRAC_PI_2;

/// So many are tabulated at most, if no more are unstable.
pub(super) const LEADING: usize = 8;
/// So many are looked for at most.
const MOST: usize = 60;
/// Pairs farther from the axis than this, relative to their moduli, count as far away.
const NEAR: f64 = 0.05;
/// The point whose nearest eigenvalues are looked for lies at least this part of the largest entry to the right of all:
/// the bound itself may be one of them.
const AWAY: f64 = 1e-10;
/// A located bifurcation has eigenvalues on the axis up to this part of the largest one; those count as not unstable.
const ON_AXIS: f64 = 1e-10;

/// The eigenvalues right of a line.
#[derive(Clone)]
pub(crate) struct Spectrum {
    /// The largest real part first, conjugates adjacent with the positive imaginary part first.
    pub(crate) values: Vec<Complex<f64>>,
    /// All right of it are among them.
    pub(super) line: f64,
    /// Has the number right of the axis been counted, and is it that of these?
    pub(super) counted: bool,
    /// What rounding leaves of a real part.
    rounding: f64,
}

/// How many eigenvalues were unstable where they were last counted.
#[derive(Clone, Copy)]
pub(super) struct LastCount {
    pub(super) unstable: usize,
    /// So many points of the curve ago.
    pub(super) points: usize,
}

impl Spectrum {
    pub(super) fn unstable(&self) -> usize {
        self.values.iter().filter(|v| v.re > self.rounding).count()
    }
}

/// All eigenvalues, by the dense method.
pub(super) fn all_eigenvalues(matrix: &SparseMatrix) -> Result<Spectrum, Failure> {
    let n = matrix.len();
    let mut full = DMatrix::zeros(n, n);
    for c in 0..n {
        matrix.column(c).for_each(|(r, v)| full[(r, c)] = v);
    }
    let values = eigenvalues(&full).map_err(evaluation)?;
    let size = values.iter().fold(0.0f64, |m, v| m.max(v.norm()));
    Ok(Spectrum {
        values,
        line: f64::NEG_INFINITY,
        counted: true,
        rounding: ON_AXIS * size,
    })
}

/// Changes sign where a complex pair passes the imaginary axis, or, at a neutral saddle, two real eigenvalues have the
/// sum zero: a product over the pairs, of which those far from it count as one. Real eigenvalues left of the `line` are
/// not known; they are met at nine tenths of the way there at the latest, where nothing bifurcates.
pub(super) fn hopf_test(values: &[Complex<f64>], line: f64, neutral: usize) -> f64 {
    let reach = if line < 0.0 { 0.9 * -line } else { f64::INFINITY };
    let mut factors: Vec<f64> = values.iter().filter(|v| v.im > 0.0).map(|v| -v.re / v.norm()).collect();
    let real: Vec<f64> = values.iter().filter(|v| v.im == 0.0).map(|v| v.re).collect();
    for (i, a) in real.iter().enumerate() {
        for b in &real[i + 1..] {
            let other = if *b < 0.0 { a.min(reach) } else { *a };
            let size = other.abs() + b.abs();
            factors.push(if size > 0.0 { -(other + b) / size } else { 0.0 });
        }
    }
    leave_out(&mut factors, neutral, |f| f.abs());
    let far = |f: f64| (FRAC_PI_2 * (f / NEAR).clamp(-1.0, 1.0)).sin();
    product(factors.into_iter().map(far).collect())
}

/// The eigenvalues right of the axis and the leading ones besides.
///
/// All eigenvalues lie in a rectangle, and those nearest to a point to the right of it are found first. As far as a
/// disc around that point covers the rectangle all are known, so far as a Krylov space tells, which may miss copies of
/// eigenvalues that count several times. So they are counted, by the argument principle, if asked for.
pub(crate) fn spectrum(matrix: &SparseMatrix, order: &Order, count: bool) -> Result<Spectrum, Singular> {
    let bounds = bounds(matrix);
    let height = bounds.height;
    let largest = largest(matrix);
    let away = (0.25 * height).max(0.1 * bounds.right.abs()).max(AWAY * largest);
    let shift = bounds.right + away.max(f64::MIN_POSITIVE);
    let radius = if bounds.right > 0.0 {
        shift.hypot(height) * (1.0 + 1e-9)
    } else {
        0.0
    };
    let mut options = KrylovOptions {
        least: LEADING,
        radius,
        most: MOST,
        ..KrylovOptions::default()
    };
    let rounding = 4.0 * f64::EPSILON * largest;
    let mut counted = bounds.right <= 0.0;
    loop {
        let found = nearest_eigenvalues(matrix, order, shift, &options)?;
        let covered = found.radius > height;
        let line = if covered {
            shift - (found.radius.powi(2) - height * height).sqrt()
        } else {
            f64::INFINITY
        };
        let mut values = found.values.clone();
        sort(&mut values);
        if count && !counted {
            // Between eigenvalues, so that none lies on the line: those on the axis to rounding count on neither side.
            let near = values
                .iter()
                .map(|v| v.re)
                .filter(|re| *re < -rounding)
                .fold(line.min(-rounding), f64::max);
            let at = 0.5 * near.max(-height.max(bounds.right)).min(-2.0 * rounding);
            let missing = count_right_of(matrix, order, at, &bounds, &found.values).map(|c| c.missing);
            counted = missing == Some(0);
            if missing.is_some_and(|m| m > 0) && options.again < 2 {
                options.again += 1;
                continue;
            }
        }
        // Left of the line some are known and others not.
        let mut values: Vec<Complex<f64>> = values.iter().copied().filter(|v| !covered || v.re >= line).collect();
        if values.len() < LEADING {
            values = found.values.clone();
            sort(&mut values);
            values.truncate(LEADING);
        }
        let line = if covered {
            line
        } else {
            values.last().map_or(0.0, |v| v.re)
        };
        return Ok(Spectrum {
            values,
            line,
            counted,
            rounding,
        });
    }
}

fn sort(values: &mut [Complex<f64>]) {
    values.sort_by(|a, b| {
        b.re.total_cmp(&a.re)
            .then(a.im.abs().total_cmp(&b.im.abs()))
            .then(b.im.total_cmp(&a.im))
    });
}

/// The largest entry.
fn largest(matrix: &SparseMatrix) -> f64 {
    (0..matrix.len())
        .flat_map(|c| matrix.column(c))
        .fold(0.0, |m: f64, (_, v)| m.max(v.abs()))
}
