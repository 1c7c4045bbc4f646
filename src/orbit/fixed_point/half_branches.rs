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

use super::FixedPoint;
use super::branch_point;
use nalgebra::{DMatrix, DVector};
use slipstick_continuation::{Point, Problem, tangent_at};
use slipstick_numerics::linalg::DenseSystem;
use slipstick_numerics::linalg::singular::Singular;
use slipstick_numerics::scalar::{Scalar, TwoFold};

/// Singular values up to this, relative to what derivatives are nearby, are zero at a branch point that is located to
/// about 1e-8.
const ZERO: f64 = 1e-5;
/// The largest kernel whose half-branches are looked for.
const MOST_KERNEL: usize = 3;
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

/// Where b is smaller than this on a sphere, relative to what its equations are made of, rounding is no small part of
/// it.
const FAINT: f64 = 1e-9;

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

/// The reduced equations at a branch point.
struct Reduced<'p, 's> {
    problem: &'p mut FixedPoint<'s>,
    z: Vec<f64>,
    sizes: Vec<f64>,
    /// The coordinate directions in the kernel, in scaled unknowns, the one along the parameter first if there is one,
    /// and orthogonal.
    basis: DMatrix<f64>,
    along_parameter: bool,
    /// A basis of what F' does not reach.
    left: DMatrix<f64>,
    rows: Vec<f64>,
    /// Are the equations evaluated with twice the digits, where they can be?
    precise: bool,
}

impl Reduced<'_, '_> {
    fn unknowns(&self) -> usize {
        self.basis.ncols()
    }

    /// b at ξ and its derivatives, and the scaled offset of the unknowns; `None` where Newton's method does not
    /// converge.
    fn at(&mut self, xi: &DVector<f64>) -> Option<(DVector<f64>, DMatrix<f64>, Vec<f64>)> {
        let (width, m, k) = (self.z.len(), self.basis.ncols(), self.left.ncols());
        let equations = width - 1;
        let start = &self.basis * xi;
        let mut offset: Vec<f64> = start.iter().copied().collect();
        let mut b = DVector::zeros(k);
        let mut system = DenseSystem::new(width + k);
        let mut residual = vec![0.0; equations];
        let length = start.norm().max(f64::MIN_POSITIVE);
        let mut converged = false;
        for _ in 0..12 {
            let z: Vec<f64> = (0..width).map(|i| self.z[i] + self.sizes[i] * offset[i]).collect();
            self.problem.linearise(&z, &mut residual).ok()?;
            if self.precise {
                self.refine(&offset, &mut residual);
            }
            system.clear();
            let mut rhs = vec![0.0; width + k];
            for r in 0..equations {
                for c in 0..width {
                    system.add(
                        r,
                        c,
                        self.problem.jacobian[r * width + c] * self.sizes[c] / self.rows[r],
                    );
                }
                let mut v = residual[r] / self.rows[r];
                for j in 0..k {
                    system.add(r, width + j, -self.left[(r, j)]);
                    v -= self.left[(r, j)] * b[j];
                }
                rhs[r] = -v;
            }
            for j in 0..m {
                let square = self.basis.column(j).norm_squared();
                let mut v = xi[j];
                for c in 0..width {
                    system.add(equations + j, c, self.basis[(c, j)] / square);
                    v -= self.basis[(c, j)] / square * offset[c];
                }
                rhs[equations + j] = v;
            }
            system.factorise().ok()?;
            if converged {
                // The derivatives of b: the same system with a unit in one coordinate.
                let mut slopes = DMatrix::zeros(k, m);
                for j in 0..m {
                    let mut unit = vec![0.0; width + k];
                    unit[equations + j] = 1.0;
                    system.solve(&mut unit).ok()?;
                    (0..k).for_each(|i| slopes[(i, j)] = unit[width + i]);
                }
                return Some((b, slopes, offset));
            }
            system.solve(&mut rhs).ok()?;
            let change = rhs[..width].iter().fold(0.0f64, |a, v| a.max(v.abs()));
            if !(change <= 10.0 * length) {
                return None;
            }
            (0..width).for_each(|i| offset[i] += rhs[i]);
            (0..k).for_each(|j| b[j] += rhs[width + j]);
            converged = change <= 1e-9 * length;
        }
        None
    }

    /// What the equations are at this offset, with twice the digits where they can be had.
    fn refine(&self, offset: &[f64], residual: &mut [f64]) {
        let place = self.z.iter().zip(&self.sizes).zip(offset);
        let z: Vec<TwoFold> = place
            .map(|((z, size), off)| TwoFold::from_f64(*z) + size * off)
            .collect();
        if let Some(values) = branch_point::precise_values(self.problem, &z) {
            residual.iter_mut().zip(&values).for_each(|(r, v)| *r = v.value());
        }
    }

    /// The usual size of b on the sphere.
    fn usual(&mut self, lengths: &DVector<f64>, starts: &[DVector<f64>]) -> Option<f64> {
        let mut sizes: Vec<f64> = vec![];
        for s in starts.iter().take(24) {
            sizes.extend(self.at(&s.component_mul(lengths)).map(|found| found.0.norm()));
        }
        sizes.sort_by(f64::total_cmp);
        sizes.get(sizes.len() / 2).copied().filter(|s| *s > 0.0)
    }

    /// The half-lengths of the sphere in the direction of the parameter and in the others, for this change of the
    /// (scaled) parameter.
    fn stretch(&mut self, parameter: f64, directions: &[DVector<f64>]) -> DVector<f64> {
        let m = self.unknowns();
        let mut lengths = DVector::from_element(m, parameter);
        if !self.along_parameter {
            return lengths;
        }
        let mut size = 1.0;
        let mut found = None;
        // From above, where the states outweigh the parameter, down to where they do no more.
        while size > 1e-9 {
            let mut ratios: Vec<f64> = vec![];
            for d in directions {
                let mut xi = d * size;
                xi[0] = 0.0;
                let still = self.at(&xi).map(|found| found.0);
                xi[0] = parameter;
                let moved = self.at(&xi).map(|found| found.0);
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

    /// The zeros of b on the sphere: coordinates, sign of the determinant (0 where it vanishes) and offset.
    fn zeros(&mut self, lengths: &DVector<f64>, starts: &[DVector<f64>]) -> Vec<(DVector<f64>, f64, Vec<f64>)> {
        let (m, k) = (self.unknowns(), self.left.ncols());
        let mut usual = self.usual(lengths, starts);
        if !self.precise && usual.is_none_or(|size| size < FAINT) {
            self.precise = true;
            usual = self.usual(lengths, starts);
        }
        let Some(size) = usual else { return vec![] };
        let mut found: Vec<(DVector<f64>, f64, Vec<f64>)> = vec![];
        for start in starts {
            let mut eta = start.clone();
            for _ in 0..30 {
                let Some((b, slopes, offset)) = self.at(&eta.component_mul(lengths)) else {
                    break;
                };
                let mut matrix = DMatrix::zeros(m, m);
                let mut rhs = DVector::zeros(m);
                for i in 0..k {
                    for j in 0..m {
                        matrix[(i, j)] = slopes[(i, j)] * lengths[j] / size;
                    }
                    rhs[i] = -b[i] / size;
                }
                for j in 0..m {
                    matrix[(k, j)] = eta[j];
                }
                rhs[k] = 0.5 * (1.0 - eta.norm_squared());
                let determinant = matrix.determinant();
                if rhs.norm() <= 1e-9 {
                    let known = found.iter().any(|f| (&f.0 - &eta).norm() <= ONE);
                    if !known {
                        let least = Singular::of(&matrix).map_or(0.0, |found| found.values[0]);
                        let sign = if least <= SIMPLE { 0.0 } else { determinant.signum() };
                        found.push((eta, sign, offset));
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
}

/// Zeros on a circle without those that rounding has left in several places. Simple zeros of a continuous function
/// follow each other with alternating signs: two neighbours of one sign next to each other are one.
fn without_repeats(mut zeros: Vec<(DVector<f64>, f64, Vec<f64>)>) -> Vec<(DVector<f64>, f64, Vec<f64>)> {
    /// How far apart rounding may leave them.
    const REPEATED: f64 = 0.02;
    let mut k = 0;
    while k < zeros.len() && zeros.len() > 1 {
        let angle = |i: usize| zeros[i].0[1].atan2(zeros[i].0[0]);
        let onwards = |i: usize| (angle(i) - angle(k)).rem_euclid(std::f64::consts::TAU);
        let next = (0..zeros.len())
            .filter(|&i| i != k)
            .min_by(|&i, &j| onwards(i).total_cmp(&onwards(j)));
        match next {
            Some(next) if zeros[next].1 * zeros[k].1 > 0.0 && onwards(next) <= REPEATED => {
                zeros.remove(k.max(next));
                k = 0;
            }
            _ => k += 1,
        }
    }
    zeros
}

/// More places on one sphere than this are those of a continuum.
const MOST_PLACES: usize = 120;

/// Points all over the unit sphere in `m` dimensions, the same in every run, `density` times as many as usually
/// suffice.
fn sphere(m: usize, density: usize) -> Vec<DVector<f64>> {
    let count = density * [0, 2, 96, 400, 1200][m.min(4)];
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

/// The reduced equations at a solution `z` where F' is short of full rank, with unknowns of these sizes; `None`
/// where it is not, or the kernel is too large.
fn reduced<'p, 's>(
    problem: &'p mut FixedPoint<'s>,
    z: &[f64],
    sizes: Vec<f64>,
) -> Option<Result<Reduced<'p, 's>, usize>> {
    // Of many states kernels are not looked for.
    if problem.large.is_some() {
        return None;
    }
    let width = z.len();
    let equations = width - 1;
    let mut residual = vec![0.0; equations];
    // What derivatives are nearby says which of those here are zero.
    let mut rows = vec![0.0f64; equations];
    for probe in 0..8 {
        let wave = |i: usize| (1.3 + 2.1 * f64::from(probe) + 1.7 * i as f64).sin();
        let beside: Vec<f64> = (0..width).map(|i| z[i] + 0.05 * wave(i) * sizes[i]).collect();
        if problem.linearise(&beside, &mut residual).is_err() {
            continue;
        }
        for (r, row) in rows.iter_mut().enumerate() {
            let own = &problem.jacobian[r * width..(r + 1) * width];
            let norm = own.iter().zip(&sizes).map(|(d, s)| (d * s).powi(2)).sum::<f64>().sqrt();
            *row = row.max(norm);
        }
    }
    if rows.iter().any(|r| !(*r > 0.0 && r.is_finite())) {
        return None;
    }
    problem.linearise(z, &mut residual).ok()?;
    let scaled = DMatrix::from_fn(equations, width, |r, c| {
        problem.jacobian[r * width + c] * sizes[c] / rows[r]
    });
    let (null, left) = null_spaces(&scaled)?;
    match left.ncols() {
        0 => return None,
        kernel if kernel > MOST_KERNEL => return Some(Err(kernel)),
        _ => {}
    }
    let (basis, along_parameter) = coordinates(&null);
    Some(Ok(Reduced {
        problem,
        z: z.to_vec(),
        sizes,
        basis,
        along_parameter,
        left,
        rows,
        precise: false,
    }))
}

/// The dimension of the surface of solutions, in states and parameter, that `z` lies on; `None` where it lies on a
/// curve, or at a place where curves meet. On a surface the reduced equations vanish identically.
pub fn surface_at(problem: &mut FixedPoint<'_>, z: &[f64]) -> Option<usize> {
    /// What is left of equations that vanish identically, relative to their derivatives nearby.
    const VANISHES: f64 = 1e-12;
    /// How far away, relative to the sizes of the unknowns.
    const AWAY: [f64; 2] = [0.01, 0.05];
    let mut sizes = vec![0.0; z.len()];
    problem.sizes(z, &mut sizes);
    let mut reduced = reduced(problem, z, sizes)?.ok()?;
    let m = reduced.unknowns();
    for direction in sphere(m, 1).iter().step_by(7).take(12) {
        for away in AWAY {
            let (b, ..) = reduced.at(&(direction * away))?;
            if b.norm() > VANISHES {
                return None;
            }
        }
    }
    Some(m)
}

/// All half-branches that leave the branch point `at`, on a sphere that is small against the `range` of the
/// parameter; `None` where the equations are regular, or nothing can be found out.
pub fn half_branches(problem: &mut FixedPoint<'_>, at: &Point, range: f64) -> Option<HalfBranches> {
    let width = at.z.len();
    let mut residual = vec![0.0; width - 1];
    let sizes = branch_point::sizes_beside(problem, &at.z, &at.weights);
    let mut reduced = match reduced(problem, &at.z, sizes)? {
        Ok(reduced) => reduced,
        Err(kernel) => {
            return Some(HalfBranches {
                kernel,
                starts: vec![],
                complete: false,
                continuum: false,
            });
        }
    };
    let kernel = reduced.left.ncols();
    let m = kernel + 1;
    let mut starts = sphere(m, 1);
    let directions: Vec<DVector<f64>> = starts.iter().step_by(starts.len() / 7).cloned().collect();
    let unit = reduced.sizes[width - 1];
    let mut parameter = FIRST * range / unit;
    let mut last: Option<Vec<(DVector<f64>, f64, Vec<f64>)>> = None;
    let mut complete = false;
    let mut alike = 0;
    for turn in 0..SPHERES {
        // The last sphere is searched more closely, and may show more than those before.
        let closely = turn + 1 == SPHERES;
        if closely {
            starts = sphere(m, DENSER);
        }
        let lengths = reduced.stretch(parameter, &directions);
        let zeros = reduced.zeros(&lengths, &starts);
        let simple = zeros.iter().all(|z| z.1 != 0.0);
        let balance: f64 = zeros.iter().map(|z| z.1).sum();
        let before = last.as_ref().map_or(0, |l: &Vec<_>| l.len());
        let agrees = before == zeros.len() || closely && before < zeros.len();
        complete = agrees && simple && balance == 0.0 && !zeros.is_empty();
        alike = if before == zeros.len() { alike + 1 } else { 1 };
        let enough = alike >= SUCCESSIVE || zeros.len() <= USUAL || kernel > 1;
        if complete && before == zeros.len() && enough {
            break;
        }
        last = Some(zeros);
        parameter *= SHRINK;
    }
    let zeros = last?;
    let continuum = zeros.iter().filter(|z| z.1 == 0.0).count() > 2 || zeros.len() > MOST_PLACES;
    let (z0, sizes, basis) = (reduced.z, reduced.sizes, reduced.basis);
    let mut found = vec![];
    for (eta, _, offset) in zeros.iter().filter(|_| !continuum) {
        let z: Vec<f64> = (0..width).map(|i| z0[i] + sizes[i] * offset[i]).collect();
        if problem.linearise(&z, &mut residual).is_err() {
            continue;
        }
        // Away from the branch point.
        let away = &basis * eta;
        let row: Vec<f64> = (0..width).map(|i| (away[i] + offset[i]) / sizes[i]).collect();
        if let Ok(point) = tangent_at(problem, z, &row, 1.0) {
            found.push(point);
        }
    }
    Some(HalfBranches {
        kernel,
        complete: complete && found.len() == zeros.len(),
        starts: found,
        continuum,
    })
}

/// Orthonormal bases of the null spaces of a matrix with rows of about unit length and of its transpose.
fn null_spaces(matrix: &DMatrix<f64>) -> Option<(DMatrix<f64>, DMatrix<f64>)> {
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
fn coordinates(null: &DMatrix<f64>) -> (DMatrix<f64>, bool) {
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
