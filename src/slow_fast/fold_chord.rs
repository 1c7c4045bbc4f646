//! A piece of a fold line between two neighbouring points of it, and the folded singularities on it.

use super::folded::FoldedSingularity;
use super::problem::{SlowFastProblem, dot};
use nalgebra::{DMatrix, DVector};
use slipstick_numerics::roots::{Sample, resolved_zeros};

/// The fold line over the chord between two of its points: its point at `s` lies in the plane across the chord at
/// `a + s (b - a)`.
pub(super) struct FoldChord<'a> {
    problem: &'a SlowFastProblem<'a>,
    begin: Vec<f64>,
    chord: Vec<f64>,
}

impl<'a> FoldChord<'a> {
    /// With two slow states. Angles go the short way from `a` to `b`.
    pub(super) fn new(problem: &'a SlowFastProblem<'a>, a: &[f64], b: &[f64]) -> Self {
        Self {
            problem,
            begin: a.to_vec(),
            chord: problem.difference(b, a),
        }
    }
    fn length(&self) -> f64 {
        dot(&self.chord, &self.chord).sqrt()
    }
    /// The point of the fold line over the chord at `s`, by Newton's method.
    pub(super) fn point(&self, s: f64) -> Option<Vec<f64>> {
        const ITERATIONS: usize = 20;
        let n = self.begin.len();
        let length = self.length();
        let start = self.begin.iter().zip(&self.chord).map(|(a, c)| a + s * c);
        let start = DVector::from_iterator(n, start);
        if s == 0.0 || s == 1.0 {
            // The ends lie on the line.
            return Some(start.as_slice().to_vec());
        }
        let chord = DVector::from_column_slice(&self.chord);
        let mut x = start.clone();
        let mut last = f64::INFINITY;
        for _ in 0..ITERATIONS {
            let (r, j) = self.problem.fold_equations(&x);
            let rows = j.nrows();
            let full = DMatrix::from_fn(
                rows + 1,
                n,
                |i, k| if i < rows { j[(i, k)] } else { self.chord[k] / length },
            );
            let across = (&x - &start).dot(&chord) / length;
            let residual = DVector::from_fn(rows + 1, |i, _| if i < rows { r[i] } else { across });
            let step = full.lu().solve(&residual)?;
            let size = step.norm();
            x -= step;
            if !size.is_finite() || (&x - &start).norm() > length {
                return None;
            }
            let rounding = 4.0 * f64::EPSILON * x.norm();
            if size <= rounding || (size <= 1e-9 * length && size >= 0.5 * last) {
                return Some(x.as_slice().to_vec());
            }
            last = size;
        }
        None
    }
    /// `f_z g` over the chord at `s`, and its derivative by s.
    fn sample(&self, s: f64) -> Option<Sample> {
        let x = self.point(s)?;
        let (_, j) = self.problem.fold_equations(&DVector::from_column_slice(&x));
        let tangent = j.row(0).cross(&j.row(1));
        let rate = dot(&self.chord, &self.chord) / dot(&self.chord, tangent.as_slice());
        let push = self.problem.desingularised_jacobian(&x);
        let gradient = push.row(self.problem.fast());
        Some(Sample {
            integral: None,
            value: self.problem.local(&x).push(),
            slope: rate * gradient.dot(&tangent),
        })
    }
    /// Where the reduced flow turns round, in increasing order: also twice within a small part of the chord.
    pub(super) fn turns(&self) -> Vec<f64> {
        let finite = |s: &Sample| s.value.is_finite() && s.slope.is_finite();
        let found = resolved_zeros(&[0.0, 1.0], |s| self.sample(s).filter(finite).into_iter().collect());
        found.into_iter().map(|(s, _)| s).collect()
    }
    /// The folded singularity at a turn: by Newton's method, unless that leads to another one.
    pub(super) fn singularity(&self, s: f64) -> Option<FoldedSingularity> {
        /// Parts of the chord within which it is the same one.
        const SAME: f64 = 1e-5;
        let x = self.point(s)?;
        let same = |at: &FoldedSingularity| {
            let off = self.problem.difference(&at.state, &x);
            dot(&off, &off).sqrt() <= SAME * self.length()
        };
        let polished = self.problem.folded_singularity(&x).ok().filter(same);
        Some(polished.unwrap_or_else(|| self.problem.classify(&x)))
    }
}
