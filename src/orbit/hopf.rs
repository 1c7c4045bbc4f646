//! The small oscillation at a Hopf point.

use crate::hopf_size::{clear_size, oscillation_size};
use crate::periodic::PeriodicOrbit;
use crate::perturbation::evaluation;
use nalgebra::{Complex, DMatrix};
use slipstick_continuation::{Failure, Newton, NewtonOptions, Point, Problem, tangent_at};
use slipstick_numerics::linalg::balance;
use slipstick_numerics::linalg::eigen::Balanced;
use slipstick_system::{jacobian, keep_sign};
use std::f64::consts::TAU;

/// The first periodic orbit of the family that branches off at a Hopf point: at the equilibrium `x` with the
/// present parameters a pair of eigenvalues is imaginary.
///
/// The family sets off along the plane of that pair with the pair's period. Its first member is corrected at a
/// given distance from the equilibrium, with period and parameter free.
///
/// A member outside of the `range` of the parameter is replaced by a smaller one within, if there is room for one.
///
/// # Errors
/// [`Failure`] when there is no such pair, or no member of the family converges.
pub fn from_hopf(orbit: &mut PeriodicOrbit<'_>, x: &[f64], range: (f64, f64)) -> Result<Point, Failure> {
    let Some(mode) = orbit.segments.first().map(|s| s.mode) else {
        return Err(Failure::Evaluation("the word is empty".into()));
    };
    let (n, field) = (x.len(), orbit.system.modes[mode].field.as_ref());
    let (mut f, mut dx) = (vec![0.0; n], vec![0.0; n * n]);
    jacobian(field, x, &orbit.parameters, &[], &mut f, &mut dx, &mut []);
    let (omega, mut q) = imaginary_pair(&DMatrix::from_row_slice(n, n, &dx))?;
    // In an invariant plane the oscillation stays there, but for rounding of the eigenvector.
    let keep = keep_sign(field, x, &orbit.parameters);
    let present = x.iter().zip(&keep).map(|(x, keep)| !keep || *x != 0.0);
    q.iter_mut()
        .zip(present)
        .filter(|(_, present)| !present)
        .for_each(|(q, _)| *q = Complex::default());
    let period = TAU / omega;
    let size = oscillation_size(field, x, &orbit.parameters, (&f, &dx), (omega, &q));
    let size = clear_size(&orbit.system.modes[mode], x, &orbit.parameters, &q, size);
    let options = NewtonOptions {
        iterations: 12,
        ..NewtonOptions::default()
    };
    let mut newton = Newton::default();
    let mut last = Failure::Evaluation("no amplitude was tried".into());
    let (free, lessening) = (orbit.free.last().copied(), lessening(&dx, &q));
    let here = free.map_or(0.0, |i| orbit.parameters[i]);
    let mut fractions = Fractions::within(here, range);
    while let Some(fraction) = fractions.next() {
        let amplitude = fraction * size;
        let swing = |t: f64, out: &mut [f64]| {
            let (sin, cos) = (omega * t).sin_cos();
            for (o, q) in out.iter_mut().zip(&q) {
                *o = q.re * cos - q.im * sin;
            }
        };
        let dense = |t: f64, out: &mut [f64]| {
            swing(t, out);
            for (o, x) in out.iter_mut().zip(x) {
                *o = x + amplitude * *o;
            }
        };
        // A try that failed has left its own.
        if let Some(free) = free {
            orbit.set_parameter(free, here);
        }
        orbit.restore(&None);
        let guess = orbit.guess_trajectory(period, &dense)?;
        let n = guess.len();
        let mut weights = vec![0.0; n];
        orbit.weights(&guess, &mut weights);
        // The direction in which the family grows, and the equilibrium itself.
        let (mut away, mut rest) = (vec![0.0; n], guess.clone());
        for s in &orbit.segments {
            let states = (s.offset..s.offset + s.n).chain(s.block());
            for (i, j) in states.enumerate() {
                rest[j] = x[i % s.n];
                away[j] = (guess[j] - rest[j]) / amplitude;
                weights[j] *= lessening[i % s.n];
            }
        }
        let length = away.iter().zip(&weights).map(|(a, w)| a * a * w).sum::<f64>().sqrt();
        let row: Vec<f64> = away.iter().zip(&weights).map(|(a, w)| a * w / length).collect();
        let mut z = guess;
        match newton.solve(orbit, &mut z, &row, &rest, &[amplitude * length], &options) {
            Ok(()) if z.iter().zip(&rest).all(|(a, b)| a == b) => {}
            Ok(()) => match tangent_at(orbit, z, &row, 1.0) {
                Ok(point) if fractions.ends_with(fraction, point.parameter()) => return Ok(point),
                Ok(_) => {}
                Err(e) => last = e,
            },
            Err(e) => last = e,
        }
    }
    Err(last)
}

/// By what the states that hardly take part in the oscillation along `q` count less for its distance from the
/// equilibrium: where they answer to multiples of the frequency, they move much further than they do in it.
fn lessening(dx: &[f64], q: &[Complex<f64>]) -> Vec<f64> {
    /// States count in full from this part of the largest one.
    const PART: f64 = 0.05;
    let (units, _) = balance(dx, q.len());
    let parts: Vec<f64> = q.iter().zip(&units).map(|(q, unit)| q.norm() / unit).collect();
    let least = PART * parts.iter().copied().fold(0.0, f64::max);
    parts.iter().map(|part| (part / least).min(1.0).powi(2)).collect()
}

/// Amplitudes of first members of a family, as parts of the size within which the field is linear, in the order in
/// which they are tried.
pub(crate) struct Fractions {
    left: Vec<f64>,
    here: f64,
    range: (f64, f64),
    smaller: usize,
}

impl Fractions {
    /// Those for a Hopf point at the value `here` of the parameter.
    pub(crate) fn within(here: f64, range: (f64, f64)) -> Self {
        Self {
            left: vec![0.003, 0.01, 0.3, 0.03, 0.1],
            here,
            range,
            smaller: 0,
        }
    }

    /// The next one.
    pub(crate) fn next(&mut self) -> Option<f64> {
        self.left.pop()
    }

    /// Is a member with this amplitude and value of the parameter the one to begin with? Outside the range it is not,
    /// if there is room for a smaller one, which comes next.
    pub(crate) fn ends_with(&mut self, fraction: f64, reached: f64) -> bool {
        /// The part of the way to the border of the range, and how often it is aimed at.
        const PART: f64 = 0.5;
        const SMALLER: usize = 4;
        let (low, high) = self.range;
        let room = if reached > high {
            high - self.here
        } else {
            self.here - low
        };
        if (low..=high).contains(&reached) || !(room > 0.0) || self.smaller == SMALLER {
            return true;
        }
        // The parameter changes as the square of the amplitude.
        self.smaller += 1;
        self.left
            .push(fraction * (PART * room / (reached - self.here).abs()).sqrt());
        false
    }
}

/// The frequency of the eigenvalues nearest to the imaginary axis, and the right vector scaled to length one.
fn imaginary_pair(matrix: &DMatrix<f64>) -> Result<(f64, Vec<Complex<f64>>), Failure> {
    let balanced = Balanced::new(matrix);
    let values = balanced.eigenvalues().map_err(evaluation)?;
    let pair = values
        .into_iter()
        .filter(|v| v.im > 0.0)
        .min_by(|a, b| (a.re.abs() / a.norm()).total_cmp(&(b.re.abs() / b.norm())))
        .filter(|v| v.re.abs() < 1e-2 * v.norm())
        .ok_or_else(|| {
            Failure::Evaluation("the point has no pair of imaginary eigenvalues, so it is not a Hopf point".into())
        })?;
    let vectors = balanced
        .eigenvectors(pair)
        .ok_or_else(|| Failure::Evaluation("the eigenvectors of the Hopf point could not be computed".into()))?;
    // The state that swings most passes its mean at time zero.
    let q = vectors.right.iter().map(|v| *v * Complex::i()).collect();
    Ok((pair.im, q))
}
