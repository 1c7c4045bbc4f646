//! Folded singularities: equilibria of the desingularised flow on a fold line.
//!
//! With two slow states they are isolated zeros of `(f, f_y, f_z g)`. The linear part of the desingularised field,
//! restricted to the tangent plane of the critical manifold (spanned there by the fast direction and the fold's
//! slow tangent), has the two eigenvalues that name them.
//!
//! Reference: M. Wechselberger, *À propos de canards (apropos canards)*, Trans. Amer. Math. Soc. 364 (2012) 3289–3309.

use super::error::SlowFastError;
use super::problem::{SlowFastProblem, dot};
use super::trace::ImplicitCurve;
use nalgebra::{Complex, DMatrix, DVector, Matrix2};
use serde::{Deserialize, Serialize};

/// The class of a folded singularity.
///
/// ```
/// use slipstick_slow_fast::{FoldedClass, Reduction, SlowFastProblem};
/// use slipstick_system::catalogue::regularised_stiction;
/// let system = regularised_stiction();
/// let layer = SlowFastProblem::new(&system, &system.default_parameters(), Reduction::Singular)?;
/// let found = layer.folded_singularities(&[(-0.6, 0.6), (-1.0, 1.0), (0.0, std::f64::consts::TAU)])?;
/// let saddles = found.iter().filter(|at| at.class == FoldedClass::Saddle);
/// assert_eq!(saddles.count(), 2);
/// # Ok::<(), slipstick_slow_fast::SlowFastError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FoldedClass {
    /// Real eigenvalues of opposite signs.
    Saddle,
    /// Real eigenvalues of one sign.
    Node,
    /// Complex eigenvalues.
    Focus,
    /// Imaginary eigenvalues.
    Centre,
    /// An eigenvalue zero (type I when it is the merger of two folded singularities).
    SaddleNode,
}

/// A folded singularity.
///
/// ```
/// use slipstick_slow_fast::{Reduction, SlowFastProblem};
/// use slipstick_system::catalogue::regularised_stiction;
/// let system = regularised_stiction();
/// let layer = SlowFastProblem::new(&system, &system.default_parameters(), Reduction::Singular)?;
/// let found = layer.folded_singularities(&[(-0.6, 0.6), (-1.0, 1.0), (0.0, std::f64::consts::TAU)])?;
/// // The determinant of the desingularised flow is the product of its eigenvalues.
/// for at in &found {
///     let product = at.eigenvalues[0] * at.eigenvalues[1];
///     assert!((product.re - at.invariants.1).abs() < 1e-9 * at.invariants.1.abs());
/// }
/// # Ok::<(), slipstick_slow_fast::SlowFastError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub struct FoldedSingularity {
    /// The mode's states there, angles in `[0, period)`.
    pub state: Vec<f64>,
    /// Its class.
    pub class: FoldedClass,
    /// The eigenvalues of the desingularised flow: by increasing real part, then imaginary part.
    pub eigenvalues: [Complex<f64>; 2],
    /// Unit eigenvectors in the mode's states, tangent to the critical manifold.
    pub eigenvectors: [Vec<Complex<f64>>; 2],
    /// Trace and determinant of the linear part.
    pub invariants: (f64, f64),
}

/// A folded singularity as checkpoints keep it: complex numbers are pairs.
#[derive(Serialize, Deserialize)]
struct Written {
    state: Vec<f64>,
    class: FoldedClass,
    eigenvalues: [(f64, f64); 2],
    eigenvectors: [Vec<(f64, f64)>; 2],
    invariants: (f64, f64),
}

impl From<FoldedSingularity> for Written {
    fn from(at: FoldedSingularity) -> Self {
        let pair = |z: Complex<f64>| (z.re, z.im);
        Self {
            state: at.state,
            class: at.class,
            eigenvalues: at.eigenvalues.map(pair),
            eigenvectors: at.eigenvectors.map(|v| v.into_iter().map(pair).collect()),
            invariants: at.invariants,
        }
    }
}

impl From<Written> for FoldedSingularity {
    fn from(at: Written) -> Self {
        let complex = |(re, im)| Complex::new(re, im);
        Self {
            state: at.state,
            class: at.class,
            eigenvalues: at.eigenvalues.map(complex),
            eigenvectors: at.eigenvectors.map(|v| v.into_iter().map(complex).collect()),
            invariants: at.invariants,
        }
    }
}

/// A change of class along a branch of folded singularities.
///
/// ```
/// use slipstick_slow_fast::{FoldedClass, FoldedTransition, Reduction, SlowFastProblem};
/// use slipstick_system::catalogue::regularised_stiction;
/// use std::f64::consts::TAU;
/// let system = regularised_stiction();
/// let p = [2.0, 1.1, 0.4, 0.6, 1e-3]; // Ω, μ_s, μ_d, δ, ε
/// let layer = SlowFastProblem::new(&system, &p, Reduction::Finite)?;
/// let folded = layer.folded_singularities(&[(-0.6, 0.6), (-1.0, 1.0), (0.0, TAU)])?;
/// let saddle = folded.iter().find(|f| f.class == FoldedClass::Saddle && f.state[1] > 0.0).ok_or("no saddle")?;
///
/// // Along the folded singularities over Ω the folded saddle merges with a folded node, which before was a focus.
/// let branch = layer.folded_branch(saddle, 0, (1.0, 60.0))?;
/// let merger = branch.transitions.iter().find(|(kind, ..)| *kind == FoldedTransition::SaddleNode).ok_or("no merger")?;
/// assert!((merger.1 - 1.0 / f64::sqrt(1e-3 * 0.6)).abs() < 1e-9, "where Ω² ε δ = 1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FoldedTransition {
    /// A folded saddle and a folded node merge (type I).
    SaddleNode,
    /// A folded node turns into a folded focus: the eigenvalues meet.
    NodeFocus,
}

/// Folded singularities over a parameter.
///
/// ```
/// use slipstick_slow_fast::{FoldedClass, Reduction, SlowFastProblem};
/// use slipstick_system::catalogue::regularised_stiction;
/// use std::f64::consts::TAU;
/// let system = regularised_stiction();
/// let p = [2.0, 1.1, 0.4, 0.6, 1e-3]; // Ω, μ_s, μ_d, δ, ε
/// let layer = SlowFastProblem::new(&system, &p, Reduction::Finite)?;
/// let folded = layer.folded_singularities(&[(-0.6, 0.6), (-1.0, 1.0), (0.0, TAU)])?;
/// let saddle = folded.iter().find(|f| f.class == FoldedClass::Saddle && f.state[1] > 0.0).ok_or("no saddle")?;
///
/// let branch = layer.folded_branch(saddle, 0, (1.0, 10.0))?;
/// // Each point is a folded singularity at its own stiffness: on the fold, where ŷ = δ.
/// assert!(branch.points.iter().all(|(_, at)| (at.state[1] - 0.6).abs() < 1e-10) && branch.transitions.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FoldedBranch {
    /// (parameter value, singularity) in order along the branch.
    pub points: Vec<(f64, FoldedSingularity)>,
    /// The located changes of class: kind, parameter value and singularity.
    pub transitions: Vec<(FoldedTransition, f64, FoldedSingularity)>,
}

/// A scalar along a branch whose zeros are changes of class.
type Test<'a> = &'a dyn Fn(&[f64]) -> f64;

/// Size below which a trace or determinant counts as zero, relative to the products it is made of.
const DEGENERATE: f64 = 1e-10;

impl SlowFastProblem<'_> {
    /// Residual `(f, f_y, f_z g)` and its Jacobian.
    fn folded_equations(&self, x: &[f64]) -> (DVector<f64>, DMatrix<f64>) {
        let n = self.dimension();
        let local = self.local(x);
        let mut unit = vec![0.0; n];
        unit[self.fast()] = 1.0;
        let slope = self.gradient_along(x, &unit);
        let push = self.desingularised_jacobian(x).row(self.fast()).clone_owned();
        let residual = vec![local.force, local.gradient[self.fast()], local.push()];
        let jacobian = DMatrix::from_fn(3, n, |i, j| match i {
            0 => local.gradient[j],
            1 => slope[j],
            _ => push[j],
        });
        (DVector::from_vec(residual), jacobian)
    }
    /// The folded singularity near `guess`, by Newton's method.
    ///
    /// # Errors
    /// When the mode does not have two slow states or the method does not converge.
    pub fn folded_singularity(&self, guess: &[f64]) -> Result<FoldedSingularity, SlowFastError> {
        const ITERATIONS: usize = 40;
        self.two_slow_states("folded singularities")?;
        let mut x = DVector::from_row_slice(guess);
        let mut residual = f64::INFINITY;
        let mut last = f64::INFINITY;
        for _ in 0..ITERATIONS {
            let (r, j) = self.folded_equations(x.as_slice());
            residual = r.norm();
            let Some(inverse) = j.clone().try_inverse() else { break };
            let step = &inverse * &r;
            // Each state counts by its size, or by what the terms of the equations make of rounding in it.
            let sizes = inverse.abs() * (j.abs() * x.abs());
            let size = (0..x.len()).fold(0.0, |most: f64, i| {
                let scale = sizes[i].max(x[i].abs()).max(guess[i].abs());
                // What underflows has no digits left to compare.
                let moves = step[i].abs() >= f64::MIN_POSITIVE;
                most.max(if moves { step[i].abs() / scale } else { 0.0 })
            });
            x -= step;
            if size <= 1e-15 || (size <= 1e-12 && size >= 0.5 * last) {
                return Ok(self.classify(x.as_slice()));
            }
            last = size;
        }
        Err(SlowFastError::NoConvergence {
            what: "folded singularity",
            residual,
            iterations: ITERATIONS,
            advice: "start nearer to a zero of f_z g on a fold line",
        })
    }
    /// The linear part in the tangent plane at a folded singularity, with the plane's orthonormal basis (fast, slow).
    fn linear_part(&self, x: &[f64]) -> (Matrix2<f64>, [DVector<f64>; 2]) {
        let n = self.dimension();
        let local = self.local(x);
        let slow: Vec<usize> = self.slow().collect();
        let mut fast_direction = DVector::zeros(n);
        fast_direction[self.fast()] = 1.0;
        // Across the slow gradient, and with the flow where the flow is not zero.
        let mut along = DVector::zeros(n);
        along[slow[0]] = -local.gradient[slow[1]];
        along[slow[1]] = local.gradient[slow[0]];
        let mut along = along.normalize();
        if dot(along.as_slice(), &local.slow) < 0.0 {
            along = -along;
        }
        let basis = [fast_direction, along];
        let j = self.desingularised_jacobian(x);
        let m = Matrix2::from_fn(|a, b| basis[a].dot(&(&j * &basis[b])));
        (m, basis)
    }
    /// Trace and determinant of the linear part.
    fn invariants(&self, x: &[f64]) -> (f64, f64) {
        let m = self.linear_part(x).0;
        (m.trace(), m.determinant())
    }
    pub(super) fn classify(&self, x: &[f64]) -> FoldedSingularity {
        let (m, basis) = self.linear_part(x);
        let (trace, det) = (m.trace(), m.determinant());
        let half = 0.5 * trace;
        let disc = half * half - det;
        // The larger root first, the other from the product: no cancellation.
        let eigenvalues = if disc >= 0.0 {
            let big = half + half.signum() * disc.sqrt();
            let other = if big == 0.0 { 0.0 } else { det / big };
            let (low, high) = if big < other { (big, other) } else { (other, big) };
            [Complex::new(low, 0.0), Complex::new(high, 0.0)]
        } else {
            let w = (-disc).sqrt();
            [Complex::new(half, -w), Complex::new(half, w)]
        };
        // Products of entries that units of the states leave as they are.
        let square = (m[(0, 0)].powi(2))
            .max(m[(1, 1)].powi(2))
            .max((m[(0, 1)] * m[(1, 0)]).abs());
        let class = if det.abs() <= DEGENERATE * square {
            FoldedClass::SaddleNode
        } else if det < 0.0 {
            FoldedClass::Saddle
        } else if disc >= 0.0 {
            FoldedClass::Node
        } else if trace.abs() <= DEGENERATE * square.sqrt() {
            FoldedClass::Centre
        } else {
            FoldedClass::Focus
        };
        let eigenvectors = eigenvalues.map(|l| {
            // Two formulas for the null vector of M - λ; the longer one is the accurate one.
            let first = [Complex::from(m[(0, 1)]), l - m[(0, 0)]];
            let second = [l - m[(1, 1)], Complex::from(m[(1, 0)])];
            let length = |v: &[Complex<f64>; 2]| (v[0].norm_sqr() + v[1].norm_sqr()).sqrt();
            let v = if length(&first) >= length(&second) {
                first
            } else {
                second
            };
            let norm = length(&v);
            // Real vectors point along the slow flow.
            let sign = if v[1].re < 0.0 { -1.0 } else { 1.0 };
            (0..x.len())
                .map(|i| (v[0] * basis[0][i] + v[1] * basis[1][i]) * (sign / norm))
                .collect()
        });
        FoldedSingularity {
            state: self.canonical(x),
            class,
            eigenvalues,
            eigenvectors,
            invariants: (trace, det),
        }
    }
    /// The branch of folded singularities through `start` over the parameter `index` within `range`, with its
    /// changes of class.
    ///
    /// Classes are those of the reduction chosen: with [`super::Reduction::Finite`] a branch in Ω shows the centre
    /// become a focus, a node, and merge with the saddle.
    ///
    /// # Errors
    /// When the parameter's present value is not in the range, or does not exist.
    pub fn folded_branch(
        &self,
        start: &FoldedSingularity,
        index: usize,
        range: (f64, f64),
    ) -> Result<FoldedBranch, SlowFastError> {
        self.two_slow_states("folded singularities")?;
        let name = (self.system().parameters.get(index)).map_or("?", |p| p.name.as_str());
        let value = self.parameters().get(index).copied().unwrap_or(f64::NAN);
        if !(range.0 <= value && value <= range.1 && range.0 < range.1) {
            return Err(SlowFastError::Argument(format!(
                "a branch in {name} starts at its present value {value}, which must lie in the range {range:?}"
            )));
        }
        let n = self.dimension();
        let at = |u: &[f64]| {
            self.with_parameter(index, u[n])
                .map(|problem| (problem, u[..n].to_vec()))
        };
        let equations = |u: &DVector<f64>| match at(u.as_slice()) {
            Ok((problem, x)) => {
                let (r, j) = problem.folded_equations(&x);
                let dp = problem.fold_system_by_parameter(&x, index);
                (
                    r,
                    j.insert_column(n, 0.0) + DMatrix::from_fn(3, n + 1, |i, k| if k == n { dp[i] } else { 0.0 }),
                )
            }
            // Not a number: the corrector gives up and the tracer shortens its step.
            Err(_) => (
                DVector::from_element(3, f64::NAN),
                DMatrix::from_element(3, n + 1, f64::NAN),
            ),
        };
        let mut scale: Vec<f64> = start.state.iter().map(|v| v.abs().max(1e-3)).collect();
        for (i, s) in scale.iter_mut().enumerate() {
            *s = self.period(i).unwrap_or(*s);
        }
        scale.push(range.1 - range.0);
        let mut curve = ImplicitCurve::new(&equations, scale, 0.02, 5_000);
        let inside = |u: &[f64]| u[n] >= range.0 && u[n] <= range.1;
        let mut seed = start.state.clone();
        seed.push(value);
        let far = |_: &[f64], _: &[f64]| f64::INFINITY;
        let mut points = curve.trace(&seed, -1.0, &inside, &far);
        points.reverse();
        points.pop();
        points.extend(curve.trace(&seed, 1.0, &inside, &far));
        let merge = |u: &[f64]| at(u).map_or(f64::NAN, |(problem, x)| problem.invariants(&x).1);
        let meet = |u: &[f64]| {
            at(u).map_or(f64::NAN, |(problem, x)| {
                let (trace, det) = problem.invariants(&x);
                0.25 * trace * trace - det
            })
        };
        let tests: [(FoldedTransition, Test); 2] = [
            (FoldedTransition::SaddleNode, &merge),
            (FoldedTransition::NodeFocus, &meet),
        ];
        let mut transitions = Vec::new();
        for w in points.windows(2) {
            for (kind, test) in tests {
                if test(&w[0].z) * test(&w[1].z) < 0.0
                    && let Some(u) = curve.locate(test, &w[0], &w[1])
                {
                    let (problem, x) = at(&u)?;
                    transitions.push((kind, u[n], problem.classify(&x)));
                }
            }
        }
        let points = (points.iter())
            .map(|p| at(&p.z).map(|(problem, x)| (p.z[n], problem.classify(&x))))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(FoldedBranch { points, transitions })
    }
}
