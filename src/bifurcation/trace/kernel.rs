//! Branch points, symmetry breaking, period doubling and tori confirmed by the null space of the linearisation.
//!
//! Where two curves cross, F' has a null space of two dimensions, and the system bordered by the tangent is singular;
//! at a fold, and where a test function changes sign for another reason, it is not. How near it is to singular is
//! measured by how much its inverse enlarges vectors: unlike a determinant that does not depend on how fast orbits
//! part. The same is asked, where a multiplier is said to be -1, or a pair e^{±iθ}, of the equations of perturbations
//! that come back with their sign turned, or rotated by θ: they are singular there, and nothing in them was used to
//! compute the multiplier.
//!
//! Reference: H. B. Keller (1977), in *Applications of Bifurcation Theory*, pp. 359–384.

use crate::{Inspect, Label, Record};
use slipstick_continuation::{Failure, Point, Problem};

/// Is the bordered system far nearer to singular `at` a point than at those `beside` it on the curve?
pub(super) fn is_crossing(problem: &mut dyn Problem, at: &Point, beside: [&Point; 2]) -> bool {
    stands_out(at, beside, |p| enlargement(problem, p))
}

/// Is there at a point with this label what has to be singular there, far nearer to it than `beside` it on the curve?
/// Labels of other kinds are not asked.
pub fn is_confirmed(
    problem: &mut dyn Inspect,
    label: Label,
    (at, record): (&Point, &Record),
    beside: [&Point; 2],
) -> bool {
    let Some(angle) = problem.recurrence().and_then(|r| r.rotation(label, record)) else {
        return true;
    };
    stands_out(at, beside, |p| rotated_enlargement(problem, p, angle))
}

/// Are vectors enlarged far more `at` a point than at those `beside` it?
fn stands_out(at: &Point, beside: [&Point; 2], mut enlargement: impl FnMut(&Point) -> Option<f64>) -> bool {
    /// By how much.
    const FACTOR: f64 = 10.0;
    /// Points nearer than this, relative to the distance between those beside, say the same.
    const APART: f64 = 0.05;
    let reach = beside[0].distance(beside[1]);
    let away = beside.into_iter().filter(|p| p.distance(at) > APART * reach);
    let usual = away.filter_map(&mut enlargement).fold(0.0, f64::max);
    enlargement(at).is_none_or(|found| found >= FACTOR * usual)
}

/// Fixed vectors keep results reproducible; one of them may have no part along what is enlarged.
const FREQUENCIES: [f64; 3] = [1.7, 2.3, 3.1];

/// How much the inverse of the system bordered by the tangent enlarges vectors, which next to a singular one it does
/// whatever they are; none where it has no inverse.
fn enlargement(problem: &mut dyn Problem, at: &Point) -> Option<f64> {
    let row: Vec<f64> = at.tangent.iter().zip(&at.weights).map(|(t, w)| t * w).collect();
    let n = at.z.len();
    largest(problem, at, |problem, frequency| {
        let mut v: Vec<f64> = (0..n).map(|i| 0.1 + (frequency * (1.0 + i as f64)).sin()).collect();
        v[n - 1] = 0.0;
        problem.solve(&row, &mut v)?;
        Ok(v)
    })
}

/// The same of the equations of perturbations that come back rotated.
fn rotated_enlargement(problem: &mut dyn Inspect, at: &Point, angle: f64) -> Option<f64> {
    largest(problem, at, |problem, frequency| match problem.recurrence() {
        Some(recurrence) => recurrence.solve_rotated(angle, frequency),
        None => Err(Failure::Evaluation("there is no return map here".into())),
    })
}

/// The greatest length of what vectors of length one or so become.
fn largest<P: Problem + ?Sized>(
    problem: &mut P,
    at: &Point,
    mut solve: impl FnMut(&mut P, f64) -> Result<Vec<f64>, Failure>,
) -> Option<f64> {
    let mut residual = vec![0.0; at.z.len() - problem.free()];
    problem.linearise(&at.z, &mut residual).ok()?;
    let mut found = 0.0f64;
    for frequency in FREQUENCIES {
        let v = solve(problem, frequency).ok()?;
        let weights = at.weights.iter().cycle();
        let length = v.iter().zip(weights).map(|(v, w)| v * v * w).sum::<f64>().sqrt();
        if !length.is_finite() {
            return None;
        }
        found = found.max(length);
    }
    Some(found)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use slipstick_numerics::linalg::DenseSystem;

    /// λu - u³ + e = 0, which has a pitchfork at the origin for e = 0, beside a state that grows by a factor of e¹⁰⁰⁰
    /// in a hundred stages.
    struct Pitchfork {
        imperfection: f64,
        rows: DenseSystem,
        own: Vec<f64>,
    }

    const STAGES: usize = 100;

    impl Problem for Pitchfork {
        fn unknowns(&self) -> usize {
            STAGES + 2
        }
        fn free(&self) -> usize {
            1
        }
        fn weights(&self, _: &[f64], weights: &mut [f64]) {
            weights.fill(1.0);
        }
        fn linearise(&mut self, z: &[f64], residual: &mut [f64]) -> Result<(), Failure> {
            let (u, l) = (z[STAGES], z[STAGES + 1]);
            let growth = 10f64.exp();
            self.own.fill(0.0);
            let width = STAGES + 2;
            for k in 0..STAGES {
                // Each stage is described by the next, the last is held.
                let next = (k + 1 < STAGES).then(|| z[k + 1]);
                residual[k] = growth * z[k] - next.unwrap_or(0.0) - u;
                self.own[k * width + k] = growth;
                if next.is_some() {
                    self.own[k * width + k + 1] = -1.0;
                }
                self.own[k * width + STAGES] = -1.0;
            }
            residual[STAGES] = l * u - u * u * u + self.imperfection;
            self.own[STAGES * width + STAGES] = l - 3.0 * u * u;
            self.own[STAGES * width + STAGES + 1] = u;
            Ok(())
        }
        fn solve(&mut self, border: &[f64], rhs: &mut [f64]) -> Result<(), Failure> {
            let width = STAGES + 2;
            for (i, row) in self.own.chunks_exact(width).enumerate() {
                self.rows.set_row(i, row);
            }
            self.rows.set_row(width - 1, border);
            self.rows.factorise()?;
            Ok(self.rows.solve(rhs)?)
        }
    }

    /// A point with unit tangent at given u and λ, the stages by iteration.
    fn point(problem: &mut Pitchfork, u: f64, l: f64, direction: [f64; 2]) -> Point {
        let mut z = vec![0.0; STAGES + 2];
        (z[STAGES], z[STAGES + 1]) = (u, l);
        let mut tangent = vec![0.0; STAGES + 2];
        (tangent[STAGES], tangent[STAGES + 1]) = (direction[0], direction[1]);
        for k in (0..STAGES).rev() {
            let above = |v: &[f64]| if k + 1 < STAGES { v[k + 1] } else { 0.0 };
            (z[k], tangent[k]) = (
                (above(&z) + u) / 10f64.exp(),
                (above(&tangent) + direction[0]) / 10f64.exp(),
            );
        }
        let length = tangent.iter().map(|t| t * t).sum::<f64>().sqrt();
        tangent.iter_mut().for_each(|t| *t /= length);
        let mut residual = vec![0.0; STAGES + 1];
        problem.linearise(&z, &mut residual).unwrap();
        assert!(residual.iter().all(|r| r.abs() < 1e-12), "a point of the curve");
        Point {
            z,
            tangent,
            weights: vec![1.0; STAGES + 2],
            meshes: None,
        }
    }

    fn problem(imperfection: f64) -> Pitchfork {
        Pitchfork {
            imperfection,
            rows: DenseSystem::new(STAGES + 2),
            own: vec![0.0; (STAGES + 2) * (STAGES + 1)],
        }
    }

    #[test]
    fn a_crossing_is_told_from_a_fold_and_from_a_regular_point() {
        let mut perfect = problem(0.0);
        // Along the trivial branch and along the other, which is vertical where they cross.
        let beside = [-0.05, 0.05].map(|l| point(&mut perfect, 0.0, l, [0.0, 1.0]));
        for off in [0.0, 1e-9, -1e-6] {
            let at = point(&mut perfect, 0.0, off, [0.0, 1.0]);
            assert!(is_crossing(&mut perfect, &at, [&beside[0], &beside[1]]), "{off}");
        }
        let regular = point(&mut perfect, 0.0, 0.02, [0.0, 1.0]);
        assert!(!is_crossing(&mut perfect, &regular, [&beside[0], &beside[1]]));
        let pitchfork_branch = |p: &mut Pitchfork, u: f64| point(p, u, u * u, [1.0, 2.0 * u]);
        let beside = [-0.1, 0.1].map(|u| pitchfork_branch(&mut perfect, u));
        for off in [0.0, 1e-7] {
            let at = pitchfork_branch(&mut perfect, off);
            assert!(is_crossing(&mut perfect, &at, [&beside[0], &beside[1]]), "{off}");
        }
        // The imperfect one has a fold at u³ = -e/2 on its other part, λ = u² - e/u.
        let mut imperfect = problem(0.05);
        let on = |p: &mut Pitchfork, u: f64| point(p, u, u * u - 0.05 / u, [1.0, 2.0 * u + 0.05 / (u * u)]);
        let fold = -(0.025f64.cbrt());
        let beside = [fold - 0.1, fold + 0.1].map(|u| on(&mut imperfect, u));
        let at = on(&mut imperfect, fold);
        assert!(at.tangent[STAGES + 1].abs() < 1e-12);
        assert!(!is_crossing(&mut imperfect, &at, [&beside[0], &beside[1]]));
    }
}
