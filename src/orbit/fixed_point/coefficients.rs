//! Coefficients of normal forms at equilibria and cycles of maps.

use super::FixedPoint;
use crate::linear::Linear;
use crate::multilinear::Iterated;
use crate::normal_form::{Coefficient, Expansion};
use nalgebra::{DMatrix, DVector};
use slipstick_continuation::Problem;
use slipstick_numerics::scalar::Second;
use slipstick_system::jacobian;

/// The square root of what counts as rounding: an eigenvalue below this part of the largest one is zero.
pub(super) const ZERO: f64 = 1e-7;

/// What is said where a coefficient cannot be computed.
pub(super) fn unknown(name: &str) -> String {
    format!(
        "; {name} is not defined: the eigenvalue is multiple, as in area-preserving maps, or the equations have no third derivatives"
    )
}

/// The derivative of the field, or of the map along the whole cycle.
pub(super) fn monodromy(problem: &FixedPoint<'_>, z: &[f64]) -> DMatrix<f64> {
    let (n, p) = (problem.n, &problem.parameters);
    let (mut y, mut dx) = (vec![0.0; n], vec![0.0; n * n]);
    let mut product = DMatrix::identity(n, n);
    for i in 0..problem.length {
        let field = problem.field_at(i);
        jacobian(field, problem.point(z, i), p, &[], &mut y, &mut dx, &mut []);
        product = DMatrix::from_row_slice(n, n, &dx) * product;
    }
    product
}

/// The same, with states in their sizes.
pub(super) fn scaled_monodromy(problem: &FixedPoint<'_>, z: &[f64]) -> DMatrix<f64> {
    let mut sizes = vec![0.0; z.len()];
    problem.sizes(z, &mut sizes);
    let a = monodromy(problem, z);
    DMatrix::from_fn(problem.n, problem.n, |i, j| a[(i, j)] * sizes[j] / sizes[i])
}

/// The derivatives, of many states by the entries that can differ from zero, as last evaluated.
fn linear(problem: &FixedPoint<'_>, z: &[f64]) -> Linear {
    match &problem.large {
        Some(large) => {
            let (matrix, order) = large.linear();
            Linear::Sparse(matrix.clone(), order.clone())
        }
        None => Linear::of(monodromy(problem, z)),
    }
}

pub(super) fn expansion<'a>(problem: &'a FixedPoint<'_>, z: &'a [f64]) -> Expansion<'a> {
    let field = problem.system.modes[problem.mode].field.as_ref();
    let with_corners = problem.large.is_none() && field.corners().is_some();
    let written = with_corners.then(|| {
        let mut sizes = vec![0.0; z.len()];
        problem.sizes(z, &mut sizes);
        sizes.truncate(problem.n);
        (vec![field; problem.length], sizes)
    });
    Expansion {
        forms: Box::new(Iterated {
            functions: (0..problem.length).map(|i| problem.field_at(i)).collect(),
            x: problem.point(z, 0),
            p: &problem.parameters,
            written,
        }),
        linear: linear(problem, z),
        units: problem.system.units_of_mode(problem.mode),
    }
}

impl FixedPoint<'_> {
    /// A coefficient of a normal form beside what becomes of it within the accuracy of the place. A factor that is zero
    /// at the bifurcation itself, as μ in u'' = μ (1 - u²) u' - u, leaves a coefficient without terms that cancel, of
    /// which the sign is nevertheless one of rounding.
    pub(super) fn beside_its_changes(
        &mut self,
        z: &[f64],
        of: impl Fn(&Expansion<'_>) -> Option<Coefficient>,
    ) -> Option<Coefficient> {
        /// How far the parameter is moved, relative to its size; and which part of that is the accuracy of the place.
        const MOVED: f64 = 1e-8;
        const PLACE: f64 = 1e-2;
        let found = of(&expansion(self, z))?;
        let Some(&free) = self.free.last().filter(|_| self.large.is_none()) else {
            return Some(found);
        };
        let mut sizes = vec![0.0; z.len()];
        self.sizes(z, &mut sizes);
        let (own, size) = (self.parameters[free], sizes.last().copied().unwrap_or(1.0));
        let mut change = 0.0f64;
        for side in [-1.0, 1.0] {
            self.parameters[free] = own + side * MOVED * size;
            if let Some(beside) = of(&expansion(self, z)).filter(Coefficient::is_finite) {
                change = change.max((beside.value - found.value).abs());
            }
        }
        self.parameters[free] = own;
        Some(found.uncertain_by(PLACE * change))
    }
}

/// The quadratic and the cubic coefficient at a branch point.
pub(super) fn crossing_coefficients(problem: &FixedPoint<'_>, z: &[f64]) -> Option<(Coefficient, Coefficient)> {
    expansion(problem, z).pitchfork(neutral(problem))
}

/// The eigenvalue of a fold.
pub(super) fn neutral(problem: &FixedPoint<'_>) -> f64 {
    if problem.rest { 0.0 } else { 1.0 }
}

/// Is a branch point a pitchfork?
pub(super) fn is_pitchfork(problem: &FixedPoint<'_>, z: &[f64]) -> Option<bool> {
    let (a, b) = crossing_coefficients(problem, z)?;
    Some(has_no_quadratic(problem, z, a, b))
}

/// Is the quadratic coefficient of a branch point zero beside the cubic one?
///
/// In u' = r ρ u + a u² + b u³, with ρ the parameter in units of its own size, the other family turns back at ρ =
/// a²/(4 r b). Where that is zero to rounding nothing tells the crossing from a pitchfork, in whatever units the
/// states are measured.
pub(super) fn has_no_quadratic(problem: &FixedPoint<'_>, z: &[f64], a: Coefficient, b: Coefficient) -> bool {
    let Some(rate) = crossing_rate(problem, z) else {
        return false;
    };
    let mut sizes = vec![0.0; z.len()];
    problem.sizes(z, &mut sizes);
    let size = sizes.last().copied().unwrap_or(1.0);
    a.is_positive().is_none() || a.value * a.value <= ZERO * ZERO * (4.0 * rate * size * b.value).abs()
}

/// How fast the eigenvalue that vanishes at a branch point (that is 1 there, of a map) changes with the parameter,
/// along the family that is no function of the null vector: `⟨p, ∂²f(q, w)⟩` with w = (x', 1) and
/// `(A - λ) x' = -∂f/∂parameter`.
fn crossing_rate(problem: &FixedPoint<'_>, z: &[f64]) -> Option<f64> {
    let linear = linear(problem, z);
    let vectors = linear.real_vectors(neutral(problem))?;
    let n = problem.n;
    let along = |u: &dyn Fn(usize) -> f64, w: &dyn Fn(usize) -> f64, rate: f64| -> Vec<Second> {
        let x = problem.point(z, 0);
        let mut y: Vec<Second> = (0..n).map(|i| Second::mixed(x[i], u(i), w(i))).collect();
        let p: Vec<Second> = problem
            .parameters
            .iter()
            .enumerate()
            .map(|(k, &v)| Second::mixed(v, 0.0, if k == problem.free[0] { rate } else { 0.0 }))
            .collect();
        for i in 0..problem.length {
            let mut next = y.clone();
            problem.field_at(i).second(&y, &p, &mut next);
            y = next;
        }
        y
    };
    let still = |_: usize| 0.0;
    let by_parameter = along(&still, &still, 1.0);
    let rhs = DVector::from_fn(n, |i, _| -by_parameter[i].eps[0].re);
    let w = linear.resolve_off(neutral(problem), &vectors, &rhs)?;
    let mixed = along(&|i| vectors.right[i], &|i| w[i], 1.0);
    let rate: f64 = (0..n).map(|i| vectors.left[i] * mixed[i].eps[0].eps[0]).sum();
    rate.is_finite().then_some(rate)
}
