//! How large the first cycles at a Hopf point may be.

use nalgebra::{Complex, DMatrix, DVector};
use slipstick_numerics::linalg::{balance, dot};
use slipstick_system::{Function, Mode};
use std::f64::consts::TAU;

/// What is linear to this part counts as linear.
const PART: f64 = 0.1;
/// Phases of the oscillation that are looked at.
const DIRECTIONS: usize = 8;

/// How far from the equilibrium `x`, along the plane of the eigenvector `q` to the frequency `omega`, the field is
/// linear to a tenth, as its value and its derivatives (by rows) there say. Where other rates are far beyond the
/// frequency what counts is how far states are displaced by the terms that are not linear: a fast state makes up for
/// a large rate by a small step.
pub(crate) fn oscillation_size(
    field: &dyn Function,
    x: &[f64],
    p: &[f64],
    (f, dx): (&[f64], &[f64]),
    (omega, q): (f64, &[Complex<f64>]),
) -> f64 {
    let n = x.len();
    let not_linear = |step: &[f64]| not_linear(field, x, p, (f, dx), step);
    let Some(fast) = FastStates::beyond(dx, omega, q) else {
        let linear = |step: &[f64]| -> Vec<f64> { dx.chunks_exact(n).map(|row| dot(row, step)).collect() };
        let size = linear_size(field, x, p, (f, &linear), q);
        return resonant_size(field, x, p, (f, dx), (omega, q), size);
    };
    largest_linear(x, |amplitude| {
        let part = |phase| fast.displacement(not_linear(&swing(q, amplitude, phase))) / amplitude;
        // What is no number is not linear either.
        let parts = phases().map(part);
        parts.fold(
            0.0,
            |most: f64, part| if part.is_nan() { f64::INFINITY } else { most.max(part) },
        )
    })
}

/// Phases of an oscillation, all over it.
fn phases() -> impl Iterator<Item = f64> {
    (0..DIRECTIONS).map(|k| TAU * k as f64 / DIRECTIONS as f64)
}

/// The oscillation along `q` at a phase.
fn swing(q: &[Complex<f64>], amplitude: f64, phase: f64) -> Vec<f64> {
    let (sin, cos) = phase.sin_cos();
    q.iter().map(|q| amplitude * (q.re * cos - q.im * sin)).collect()
}

/// What the value of the field, after a `step` from `x`, has beside its value `f` and derivatives `dx` there.
fn not_linear(field: &dyn Function, x: &[f64], p: &[f64], (f, dx): (&[f64], &[f64]), step: &[f64]) -> Vec<f64> {
    let moved: Vec<f64> = x.iter().zip(step).map(|(x, s)| x + s).collect();
    let mut y = vec![0.0; x.len()];
    field.value(&moved, p, &mut y);
    let rows = y.iter().zip(f).zip(dx.chunks_exact(x.len()));
    rows.map(|((y, f), row)| y - f - dot(row, step)).collect()
}

/// An oscillation beside states that are much faster.
struct FastStates {
    /// Units of the states in which the derivatives are balanced.
    units: Vec<f64>,
    /// How states respond to forces at twice the frequency, in these units.
    response: DMatrix<Complex<f64>>,
    /// The part that each state has in the oscillation, in these units; zero for those that hardly have one.
    parts: Vec<f64>,
}

impl FastStates {
    /// Those of derivatives `dx`, if there are any.
    fn beyond(dx: &[f64], omega: f64, q: &[Complex<f64>]) -> Option<Self> {
        /// Rates beyond so many times the frequency are fast.
        const FAST: f64 = 100.0;
        /// States with less than this part of the largest follow the terms that are not linear alone.
        const LEAST: f64 = 1e-6;
        let n = q.len();
        let (units, strength) = balance(dx, n);
        if !(strength > FAST * omega) {
            return None;
        }
        let shifted = DMatrix::from_fn(n, n, |i, j| {
            let own = if i == j {
                Complex::new(0.0, 2.0 * omega)
            } else {
                Complex::default()
            };
            own - dx[i * n + j] * units[j] / units[i]
        });
        let parts: Vec<f64> = q.iter().zip(&units).map(|(q, unit)| q.norm() / unit).collect();
        let least = LEAST * parts.iter().copied().fold(0.0, f64::max);
        Some(Self {
            response: shifted.try_inverse()?,
            parts: parts
                .into_iter()
                .map(|part| if part > least { part } else { 0.0 })
                .collect(),
            units: units.to_vec(),
        })
    }

    /// How far forces displace the states, relative to the parts that these have in the oscillation.
    fn displacement(&self, forces: Vec<f64>) -> f64 {
        let forces = forces
            .iter()
            .zip(&self.units)
            .map(|(force, unit)| Complex::from(force / unit));
        let displaced = &self.response * DVector::from_iterator(self.units.len(), forces);
        let states = displaced.iter().zip(&self.parts).filter(|(_, part)| **part > 0.0);
        // What is no number is no small displacement either.
        states
            .map(|(d, part)| d.norm() / part)
            .fold(0.0, |most, d| if d <= most { most } else { d })
    }
}

/// The largest part of a `size` at which other states respond little to what is not linear. They respond much where a
/// multiple of the frequency is nearly one of theirs, or one of them hardly changes by itself: what is small beside the
/// linear field then moves them as far as the oscillation goes, and the first cycles must be smaller.
fn resonant_size(
    field: &dyn Function,
    x: &[f64],
    p: &[f64],
    (f, dx): (&[f64], &[f64]),
    (omega, q): (f64, &[Complex<f64>]),
    size: f64,
) -> f64 {
    /// Multiples of the frequency at which terms of second and third order act, apart from itself.
    const MULTIPLES: [usize; 3] = [0, 2, 3];
    /// The response may be so many times the oscillation at the size itself: first cycles are a tenth of it.
    const RESPONSE: f64 = 2.0;
    const RATIO: f64 = 0.5;
    const TRIES: usize = 30;
    /// Beyond this a response is rounding: the state does not change by itself at all.
    const NEUTRAL: f64 = 1e9;
    let n = x.len();
    let (units, strength) = balance(dx, n);
    let response = |k: usize| {
        let shifted = DMatrix::from_fn(n, n, |i, j| {
            let own = if i == j { k as f64 * omega } else { 0.0 };
            Complex::new(0.0, own) - dx[i * n + j] * units[j] / units[i]
        });
        let inverse = shifted.try_inverse()?;
        (inverse.norm() * strength < NEUTRAL).then_some((k, inverse))
    };
    let responses: Vec<_> = MULTIPLES.into_iter().filter_map(response).collect();
    let squares = q.iter().zip(&units).map(|(q, unit)| q.norm_sqr() / (unit * unit));
    let length = squares.sum::<f64>().sqrt();
    let answer_little = |amplitude: &f64| {
        let mut forces = vec![DVector::<Complex<f64>>::zeros(n); responses.len()];
        for phase in phases() {
            let off = not_linear(field, x, p, (f, dx), &swing(q, *amplitude, phase));
            for ((k, _), force) in responses.iter().zip(&mut forces) {
                let turn = Complex::cis(-phase * *k as f64) / DIRECTIONS as f64;
                let parts = off.iter().zip(&units).zip(force.iter_mut());
                parts.for_each(|((off, unit), force)| *force += turn * (off / unit));
            }
        }
        let answers = responses.iter().zip(&forces).map(|((k, inverse), force)| {
            let both = if *k == 0 { 1.0 } else { 2.0 };
            both * (inverse * force).norm()
        });
        answers.fold(0.0, f64::max) <= RESPONSE * amplitude * length
    };
    let smaller = |size: &f64| Some(RATIO * size);
    let mut sizes = std::iter::successors(Some(size), smaller).take(TRIES);
    sizes.find(answer_little).unwrap_or(size)
}

/// How far from the equilibrium `x`, along the plane of the eigenvector `q`, the field is linear to a tenth: as its
/// value `f` and its derivatives there say, of which the product with a step is `linear`.
pub(crate) fn linear_size(
    field: &dyn Function,
    x: &[f64],
    p: &[f64],
    (f, linear): (&[f64], &dyn Fn(&[f64]) -> Vec<f64>),
    q: &[Complex<f64>],
) -> f64 {
    let n = x.len();
    let mut y = vec![0.0; n];
    // Over all phases together: where time scales are far apart the linear part nearly vanishes at some of them.
    largest_linear(x, |amplitude| {
        let (mut most_off, mut most) = (0.0f64, 0.0f64);
        for phase in phases() {
            let step = swing(q, amplitude, phase);
            let moved: Vec<f64> = x.iter().zip(&step).map(|(x, s)| x + s).collect();
            field.value(&moved, p, &mut y);
            let (mut off, mut whole) = (0.0f64, 0.0f64);
            for (i, linear) in linear(&step).into_iter().enumerate() {
                off += (y[i] - f[i] - linear).powi(2);
                whole += linear.powi(2);
            }
            if !off.is_finite() {
                return f64::INFINITY;
            }
            (most_off, most) = (most_off.max(off.sqrt()), most.max(whole.sqrt()));
        }
        if most_off == 0.0 { 0.0 } else { most_off / most }
    })
}

/// The largest amplitude, within a factor of two, up to which an oscillation about `x` is linear: what is not linear is
/// a tenth of it, by the part that `nonlinear` says. Where that is so at all amplitudes, as of weak forces beside those
/// of a spring, it is the one at which the part is largest.
fn largest_linear(x: &[f64], mut nonlinear: impl FnMut(f64) -> f64) -> f64 {
    /// Amplitudes are tried in this ratio.
    const RATIO: f64 = 2.0;
    /// So many of them, from the size of the equilibrium, or one, up and down.
    const TRIES: usize = 120;
    /// At so many amplitudes, each half as large, it must stay linear.
    const STAYS: i32 = 6;
    /// A part below this is rounding.
    const ROUNDING: f64 = 1e-9;
    let size = x.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    let first = if size > 0.0 { size } else { 1.0 };
    let grows = nonlinear(first) <= PART;
    let mut found = first;
    // The largest part, where it is, and whether one was beyond a tenth.
    let (mut largest, mut turned) = ((0.0, first), false);
    for _ in 0..TRIES {
        let next = if grows { found * RATIO } else { found / RATIO };
        let part = nonlinear(next);
        if (part <= PART) != grows {
            found = if grows { found } else { next };
            turned = true;
            break;
        }
        if part > largest.0 {
            largest = (part, next);
        }
        found = next;
    }
    if grows && !turned && largest.0 > ROUNDING {
        return largest.1;
    }
    let mut is_linear = |amplitude: f64| nonlinear(amplitude) <= PART;
    // What is linear stays so at smaller amplitudes. An equilibrium that is zero to rounding has a size that tells
    // nothing: there the values of the field are rounding too, and larger amplitudes are looked at.
    let mut stays = |largest: f64| (0..STAYS).all(|k| is_linear(largest / RATIO.powi(k)));
    if stays(found) {
        return found;
    }
    let upwards = || (0..2 * TRIES as i32).map(|k| first * RATIO.powi(k));
    let Some(begin) = upwards().find(|amplitude| stays(*amplitude)) else {
        return first;
    };
    let linear = upwards().skip_while(|a| *a <= begin).take_while(|a| is_linear(*a));
    linear.last().unwrap_or(begin)
}

/// The same within the mode of the equilibrium `x`: how far the oscillation may go, up to a `size`, before it meets an
/// event or a bound of the mode, those apart on which the equilibrium lies itself.
pub(crate) fn clear_size(mode: &Mode, x: &[f64], p: &[f64], q: &[Complex<f64>], size: f64) -> f64 {
    const RATIO: f64 = 0.5;
    const TRIES: usize = 400;
    const DIRECTIONS: usize = 16;
    let guards = mode.events.iter().map(|event| event.guard.as_ref());
    let scalars = guards.chain(mode.inequalities.iter().map(|bound| bound.function.as_ref()));
    let value = |scalar: &dyn Function, x: &[f64]| {
        let mut value = [0.0];
        scalar.value(x, p, &mut value);
        value[0]
    };
    let apart: Vec<(&dyn Function, f64)> = scalars
        .map(|scalar| (scalar, value(scalar, x)))
        .filter(|(_, here)| *here != 0.0)
        .collect();
    let is_clear = |amplitude: &f64| {
        (0..DIRECTIONS).all(|k| {
            let step = swing(q, *amplitude, TAU * k as f64 / DIRECTIONS as f64);
            let moved: Vec<f64> = x.iter().zip(step).map(|(x, s)| x + s).collect();
            apart.iter().all(|(scalar, here)| value(*scalar, &moved) * here > 0.0)
        })
    };
    let smaller = |size: &f64| Some(RATIO * size);
    let mut sizes = std::iter::successors(Some(size), smaller).take(TRIES);
    sizes.find(is_clear).unwrap_or(size)
}
