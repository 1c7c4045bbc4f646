//! All half-branches of solutions that leave a branch point, found on a small sphere around it.
//!
//! Let the kernel of F' have dimension k + 1 there. By Lyapunov and Schmidt the solutions near the point are those of k
//! reduced equations b(ξ) = 0 in k + 1 unknowns, the coordinates ξ of the kernel, whatever the order of the first terms
//! of b. Every half-branch passes each small sphere around the point, so its places there are the zeros of b on the
//! sphere, a map from a sphere of dimension k to ℝᵏ. Newton's method finds them from starts all over the sphere. Simple
//! zeros of such a map, counted with the sign of its determinant, add up to zero: where they do not, some have not been
//! found. A second, smaller sphere must have as many.
//!
//! Solutions grow as fast as the parameter, as its root, or otherwise: the sphere is stretched so that what the
//! parameter and what the states do to b is of the same size.
//!
//! Reference: M. Golubitsky and D. G. Schaeffer, *Singularities and Groups in Bifurcation Theory* 1, Springer (1985),
//! ch. VII.

mod of_cycles;
mod sampled;

pub use of_cycles::cycle_half_branches;

use nalgebra::{DMatrix, DVector};
use slipstick_continuation::Point;
use slipstick_numerics::linalg::singular::Singular;

/// Singular values up to this, relative to what derivatives are nearby, are zero at a branch point that is located to
/// about 1e-8.
const ZERO: f64 = 1e-5;
/// The largest kernel whose half-branches are looked for.
pub(crate) const MOST_KERNEL: usize = 3;
/// The change of the parameter on the first sphere, relative to the range that is traced, and how much smaller each
/// next one is.
const FIRST: f64 = 1e-3;
const SHRINK: f64 = 0.2;
const SPHERES: usize = 4;
/// With a kernel of dimension one, so many half-branches at most leave a branch point where two curves cross. More must
/// leave on so many spheres in succession: a larger one may have several branch points within.
const USUAL: usize = 4;
const SUCCESSIVE: usize = 3;
/// How many times as many starts the last sphere sees.
const DENSER: usize = 6;
/// Places closer than this on the unit sphere are one.
const ONE: f64 = 1e-4;
/// Zeros whose derivatives have a singular value this small, relative to the size of b on the sphere, are not simple.
const SIMPLE: f64 = 1e-5;
/// More places on one sphere than this are those of a continuum.
const MOST_PLACES: usize = 120;

/// What leaves a branch point.
#[doc(hidden)]
pub struct HalfBranches {
    /// The dimension of the kernel at fixed parameter.
    pub kernel: usize,
    /// A point on each half-branch, with the tangent that leads away; those of the known curve are among them.
    pub starts: Vec<Point>,
    /// Were all found, as far as can be decided?
    pub(crate) complete: bool,
    /// Are there zeros that are not simple, as where a whole surface of solutions leaves?
    pub continuum: bool,
}

impl HalfBranches {
    /// What is known of a kernel that is too large for its half-branches to be looked for.
    pub(crate) fn of_large(kernel: usize) -> Self {
        Self {
            kernel,
            starts: vec![],
            complete: false,
            continuum: false,
        }
    }

    /// What leaves, where it is not a simple crossing of two curves.
    pub(crate) fn describe(&self) -> String {
        let kernel = self.kernel;
        if self.continuum {
            return "; the solutions near this point fill a surface, or so nearly that single curves are not resolved"
                .into();
        }
        if self.starts.is_empty() {
            return format!("; the kernel has dimension {kernel}: there may be more than one other branch");
        }
        let count = self.starts.len();
        let more = if self.complete { "" } else { "; there may be more" };
        format!(
            "; {count} half-branches meet here, including the two of this curve (kernel of dimension {kernel}){more}"
        )
    }
}

/// The reduced equations somewhere.
pub(crate) struct Reduced {
    /// b.
    pub(crate) values: DVector<f64>,
    /// Its derivatives by the coordinates ξ of the kernel.
    pub(crate) slopes: DMatrix<f64>,
    /// How far the solution of the other equations is from the branch point, in scaled unknowns.
    pub(crate) offset: Vec<f64>,
}

/// A zero of the reduced equations on a sphere.
pub(crate) struct Zero {
    /// Where on the unit sphere.
    pub(crate) eta: DVector<f64>,
    /// The sign of the determinant, 0 where the zero is not simple.
    sign: f64,
    pub(crate) offset: Vec<f64>,
}

/// The reduced equations b(ξ) = 0 at a branch point.
pub(crate) trait ReducedEquations {
    /// The number of coordinates, one more than there are equations.
    fn unknowns(&self) -> usize;
    /// Is the first coordinate the change of the scaled parameter?
    fn along_parameter(&self) -> bool;
    /// b at ξ; `None` where Newton's method does not converge.
    fn at(&mut self, xi: &DVector<f64>) -> Option<Reduced>;
    /// The zeros on a sphere with these half-lengths, looked for from `starts` on the unit sphere.
    fn zeros(&mut self, lengths: &DVector<f64>, starts: &[DVector<f64>]) -> Vec<Zero>;
    /// From how large states on, relative to their sizes, and in how many directions it is looked for where they
    /// outweigh the parameter.
    const LARGEST: f64 = 1.0;
    const DIRECTIONS: usize = 7;
    /// The error that b is evaluated with, relative to what its equations are made of, where that is more than
    /// rounding.
    const ROUNDING: f64 = 0.0;
}

/// The usual size of b on the sphere.
pub(crate) fn usual_size(
    equations: &mut impl ReducedEquations,
    lengths: &DVector<f64>,
    starts: &[DVector<f64>],
) -> Option<f64> {
    let found = starts
        .iter()
        .take(24)
        .filter_map(|s| equations.at(&s.component_mul(lengths)));
    median(found.map(|found| found.values.norm()).collect())
}

/// The middle one of sizes, unless it is zero.
fn median(mut sizes: Vec<f64>) -> Option<f64> {
    sizes.sort_by(f64::total_cmp);
    sizes.get(sizes.len() / 2).copied().filter(|s| *s > 0.0)
}

/// The half-lengths of the sphere in the direction of the parameter and in the others, for this change of the (scaled)
/// parameter.
fn stretch<E: ReducedEquations>(equations: &mut E, parameter: f64, directions: &[DVector<f64>]) -> DVector<f64> {
    let m = equations.unknowns();
    let mut lengths = DVector::from_element(m, parameter);
    if !equations.along_parameter() {
        return lengths;
    }
    let mut size = E::LARGEST;
    let mut found = None;
    // From above, where the states outweigh the parameter, down to where they do no more.
    while size > 1e-9 {
        let mut ratios: Vec<f64> = vec![];
        for d in directions {
            let mut xi = d * size;
            xi[0] = 0.0;
            let still = equations.at(&xi).map(|found| found.values);
            xi[0] = parameter;
            let moved = equations.at(&xi).map(|found| found.values);
            ratios.push(match (still, moved) {
                (Some(a), Some(b)) => a.norm() / (b - &a).norm().max(f64::MIN_POSITIVE),
                _ => f64::INFINITY,
            });
        }
        ratios.sort_by(f64::total_cmp);
        if ratios[ratios.len() / 2] < 1.0 {
            found = Some(size);
            break;
        }
        size *= 0.5;
    }
    let size = found.unwrap_or(parameter);
    for j in 1..m {
        lengths[j] = size;
    }
    lengths
}

/// The zeros of b on the sphere with these half-lengths, by Newton's method from `starts`; b is usually of this `size`
/// there.
pub(crate) fn zeros_from<E: ReducedEquations>(
    equations: &mut E,
    lengths: &DVector<f64>,
    starts: &[DVector<f64>],
    size: f64,
) -> Vec<Zero> {
    /// A zero is known when what is left of b is below the first part of its size, or is rounding that is no more than
    /// the second.
    const LEFT: (f64, f64) = (1e-9, 1e-4);
    let left = (E::ROUNDING / size).clamp(LEFT.0, LEFT.1);
    let (m, k) = (equations.unknowns(), equations.unknowns() - 1);
    let mut found: Vec<Zero> = vec![];
    for start in starts {
        let mut eta = start.clone();
        for _ in 0..30 {
            let Some(reduced) = equations.at(&eta.component_mul(lengths)) else {
                break;
            };
            let mut matrix = DMatrix::zeros(m, m);
            let mut rhs = DVector::zeros(m);
            for i in 0..k {
                for j in 0..m {
                    matrix[(i, j)] = reduced.slopes[(i, j)] * lengths[j] / size;
                }
                rhs[i] = -reduced.values[i] / size;
            }
            for j in 0..m {
                matrix[(k, j)] = eta[j];
            }
            rhs[k] = 0.5 * (1.0 - eta.norm_squared());
            let determinant = matrix.determinant();
            if rhs.norm() <= left {
                let known = found.iter().any(|f| (&f.eta - &eta).norm() <= ONE);
                if !known {
                    let least = Singular::of(&matrix).map_or(0.0, |found| found.values[0]);
                    let sign = if least <= SIMPLE { 0.0 } else { determinant.signum() };
                    found.push(Zero {
                        eta,
                        sign,
                        offset: reduced.offset,
                    });
                }
                break;
            }
            let Some(mut step) = matrix.lu().solve(&rhs) else { break };
            let length = step.norm();
            if !length.is_finite() {
                break;
            }
            if length > 0.3 {
                step *= 0.3 / length;
            }
            eta += step;
        }
        // A surface of solutions has a place for every start.
        if found.len() > MOST_PLACES {
            break;
        }
    }
    if m == 2 { without_repeats(found) } else { found }
}

/// Zeros on a circle without those that rounding has left in several places. Simple zeros of a continuous function
/// follow each other with alternating signs: two neighbours of one sign next to each other are one.
fn without_repeats(mut zeros: Vec<Zero>) -> Vec<Zero> {
    /// How far apart rounding may leave them.
    const REPEATED: f64 = 0.02;
    let mut k = 0;
    while k < zeros.len() && zeros.len() > 1 {
        let angle = |i: usize| zeros[i].eta[1].atan2(zeros[i].eta[0]);
        let onwards = |i: usize| (angle(i) - angle(k)).rem_euclid(std::f64::consts::TAU);
        let next = (0..zeros.len())
            .filter(|&i| i != k)
            .min_by(|&i, &j| onwards(i).total_cmp(&onwards(j)));
        match next {
            Some(next) if zeros[next].sign * zeros[k].sign > 0.0 && onwards(next) <= REPEATED => {
                zeros.remove(k.max(next));
                k = 0;
            }
            _ => k += 1,
        }
    }
    zeros
}

/// Points all over the unit sphere in `m` dimensions, the same in every run, `density` times as many as usually
/// suffice.
pub(crate) fn sphere(m: usize, density: usize) -> Vec<DVector<f64>> {
    points_on_sphere(m, density * [0, 2, 96, 400, 1200][m.min(4)])
}

/// So many points all over the unit sphere in `m` dimensions, the same in every run.
fn points_on_sphere(m: usize, count: usize) -> Vec<DVector<f64>> {
    // Weyl's sequence, equidistributed in the cube, made normal by Box and Muller.
    let roots = [2f64.sqrt(), 3f64.sqrt(), 5f64.sqrt(), 7f64.sqrt()];
    (0..count)
        .map(|i| {
            if m == 2 {
                let angle = std::f64::consts::TAU * (i as f64 + 0.37) / count as f64;
                return DVector::from_vec(vec![angle.cos(), angle.sin()]);
            }
            let u = |j: usize| ((i + 1) as f64 * roots[j]).fract();
            let pair = |j: usize| {
                let radius = (-2.0 * (1.0 - u(j)).ln()).sqrt();
                let (s, c) = (std::f64::consts::TAU * u(j + 1)).sin_cos();
                [radius * c, radius * s]
            };
            let all = [pair(0), pair(2)].concat();
            let v = DVector::from_iterator(m, all.into_iter().take(m));
            let length = v.norm().max(1e-3);
            v / length
        })
        .collect()
}

/// What was found on the last sphere that was looked at.
pub(crate) struct OnSpheres {
    pub(crate) zeros: Vec<Zero>,
    pub(crate) complete: bool,
    pub(crate) continuum: bool,
}

/// Look for half-branches on spheres that are small against the `range` of the (scaled) parameter.
pub(crate) fn on_spheres<E: ReducedEquations>(equations: &mut E, range: f64) -> Option<OnSpheres> {
    let m = equations.unknowns();
    let mut starts = sphere(m, 1);
    let apart = starts.len() / E::DIRECTIONS;
    let directions: Vec<DVector<f64>> = starts.iter().step_by(apart).cloned().collect();
    let mut parameter = FIRST * range;
    let mut last: Option<Vec<Zero>> = None;
    let mut complete = false;
    let mut alike = 0;
    for turn in 0..SPHERES {
        // The last sphere is searched more closely, and may show more than those before.
        let closely = turn + 1 == SPHERES;
        if closely {
            starts = sphere(m, DENSER);
        }
        let lengths = stretch(equations, parameter, &directions);
        let zeros = equations.zeros(&lengths, &starts);
        let simple = zeros.iter().all(|z| z.sign != 0.0);
        let balance: f64 = zeros.iter().map(|z| z.sign).sum();
        let before = last.as_ref().map_or(0, Vec::len);
        let agrees = before == zeros.len() || closely && before < zeros.len();
        complete = agrees && simple && balance == 0.0 && !zeros.is_empty();
        alike = if before == zeros.len() { alike + 1 } else { 1 };
        let enough = alike >= SUCCESSIVE || zeros.len() <= USUAL || m > 2;
        let ends = complete && before == zeros.len() && enough;
        // Of two spheres that agree the larger one's are further apart, if it resolves them.
        let resolved = |zeros: &Vec<Zero>| zeros.iter().all(|z| z.sign != 0.0);
        if !(ends && last.as_ref().is_some_and(resolved)) {
            last = Some(zeros);
        }
        if ends {
            break;
        }
        parameter *= SHRINK;
    }
    let zeros = last?;
    let continuum = zeros.iter().filter(|z| z.sign == 0.0).count() > 2 || zeros.len() > MOST_PLACES;
    Some(OnSpheres {
        zeros,
        complete,
        continuum,
    })
}

/// Orthonormal bases of the null spaces of a matrix with rows of about unit length and of its transpose.
pub(crate) fn null_spaces(matrix: &DMatrix<f64>) -> Option<(DMatrix<f64>, DMatrix<f64>)> {
    let (equations, width) = matrix.shape();
    let null = Singular::of(matrix)?.null_space(ZERO);
    let left = Singular::of(&matrix.transpose())?.null_space(ZERO);
    if width - null.ncols() != equations - left.ncols() {
        return None;
    }
    // Checked, not believed.
    let off = (matrix * &null).norm().max((matrix.transpose() * &left).norm());
    (off <= 10.0 * ZERO * (width as f64)).then_some((null, left))
}

/// Orthogonal coordinates in the null space: one in which the scaled parameter changes by one, if there is any, and
/// orthonormal ones that leave it.
pub(crate) fn coordinates(null: &DMatrix<f64>) -> (DMatrix<f64>, bool) {
    /// The parameter's part of a null space in which it changes at all.
    const CHANGES: f64 = 1e-4;
    let (width, m) = null.shape();
    let parameter = null.row(width - 1).transpose();
    let square = parameter.norm_squared();
    if square.sqrt() <= CHANGES {
        return (null.clone(), false);
    }
    // Gram and Schmidt on the coordinates: the parameter's direction first.
    let mut directions = vec![parameter.clone() / square.sqrt()];
    for j in 0..m {
        let mut v = DVector::from_fn(m, |i, _| if i == j { 1.0 } else { 0.0 });
        for _ in 0..2 {
            for d in &directions {
                let part = d.dot(&v);
                v -= d * part;
            }
        }
        let length = v.norm();
        // Of m unit vectors one at least is dropped; those nearly in the span of the others are.
        if length > 0.3 / (m as f64) && directions.len() < m {
            directions.push(v / length);
        }
    }
    let mut basis = DMatrix::zeros(width, directions.len());
    for (j, d) in directions.iter().enumerate() {
        let column = null * d;
        let scale = if j == 0 { square.sqrt().recip() } else { 1.0 };
        basis.set_column(j, &(column * scale));
    }
    (basis, true)
}
