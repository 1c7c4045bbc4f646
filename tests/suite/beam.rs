//! The shipped beam of twenty modes that rubs at a point, against its motion by matrix exponentials.

use crate::support::{assert_close, curve, run, value};
use nalgebra::{DMatrix, DVector};
use slipstick_bifurcation::BranchPoint;
use slipstick_study::CurveResult;
use std::f64::consts::PI;

const MODES: usize = 20;
/// Places and speeds of the modes, speeds in units of their frequencies; cosine and sine of the phase; one.
const SIZE: usize = 2 * MODES + 3;

/// The shape of a mode of the beam at a place.
fn shape(k: usize, place: f64) -> f64 {
    2f64.sqrt() * ((k + 1) as f64 * PI * place).sin()
}

fn frequency(k: usize) -> f64 {
    ((k + 1) as f64).powi(2)
}

struct Beam {
    force: f64,
    omega: f64,
    mu: f64,
    eta: f64,
    contact: f64,
}

impl Beam {
    fn of(curve: &CurveResult, p: &BranchPoint) -> Self {
        let at = |name: &str| value(curve, p, name);
        Self {
            force: at("F"),
            omega: at("omega"),
            mu: at("mu"),
            eta: at("eta"),
            contact: at("xi"),
        }
    }

    /// The speed of the point of contact, as a row.
    fn speed(&self) -> DVector<f64> {
        DVector::from_fn(SIZE, |i, _| match i {
            i if (MODES..2 * MODES).contains(&i) => shape(i - MODES, self.contact) * frequency(i - MODES),
            _ => 0.0,
        })
    }

    /// The field without friction.
    fn free(&self) -> DMatrix<f64> {
        let mut m = DMatrix::zeros(SIZE, SIZE);
        for k in 0..MODES {
            let w = frequency(k);
            m[(k, MODES + k)] = w;
            m[(MODES + k, k)] = -w;
            m[(MODES + k, MODES + k)] = -self.eta * w * w;
            m[(MODES + k, 2 * MODES)] = self.force * shape(k, 0.3) / w;
        }
        m[(2 * MODES, 2 * MODES + 1)] = -self.omega;
        m[(2 * MODES + 1, 2 * MODES)] = self.omega;
        m
    }

    /// What a unit of force at the contact does.
    fn push(&self) -> DVector<f64> {
        DVector::from_fn(SIZE, |i, _| match i {
            i if (MODES..2 * MODES).contains(&i) => shape(i - MODES, self.contact) / frequency(i - MODES),
            _ => 0.0,
        })
    }

    /// Sliding upwards.
    fn slip(&self) -> DMatrix<f64> {
        let mut m = self.free();
        let pushed = -self.mu * self.push();
        m.column_mut(SIZE - 1).axpy(1.0, &pushed, 1.0);
        m
    }

    /// The force that holds the point, as a row.
    fn hold(&self) -> DVector<f64> {
        let speed = self.speed();
        -(self.free().transpose() * &speed) / speed.dot(&self.push())
    }

    fn stick(&self) -> DMatrix<f64> {
        self.free() + self.push() * self.hold().transpose()
    }
}

/// exp(M t) by the series on parts in which M is small, and squares.
fn exponential(m: &DMatrix<f64>, t: f64) -> DMatrix<f64> {
    let norm = m
        .row_iter()
        .map(|row| row.iter().map(|v| v.abs()).sum::<f64>())
        .fold(0.0, f64::max)
        * t;
    let squares = norm.log2().ceil().max(0.0) as i32 + 1;
    let part = m * (t / 2f64.powi(squares));
    let mut sum = DMatrix::identity(m.nrows(), m.nrows());
    let mut term = sum.clone();
    for k in 1..20 {
        term = &term * &part / f64::from(k);
        sum += &term;
    }
    for _ in 0..squares {
        sum = &sum * &sum;
    }
    sum
}

/// The orbits at the ends and at the levels of the branch, by the start of slip and the two durations only: it comes back mirrored, the point of
/// contact rests while it sticks, where the force that holds it is below the limit and reaches it at the end, and the
/// leading multipliers are those of the product of exponentials.
#[test]
fn a_beam_rubs_at_a_point() {
    let result = run(include_str!("../../studies/benchmarks/beam.ron"), &[]);
    let response = curve(&result, "response");
    let sticks_once = "rub:slip+ rub:land rub:stick rub:release- | mirrored";
    let pieces = response.pieces.iter().filter(|piece| piece.word == sticks_once);
    let orbits = pieces.flat_map(|piece| piece.orbits.iter().map(|(k, orbit)| (&piece.branch.points[*k], orbit)));
    let mut looked = 0;
    for (p, orbit) in orbits {
        looked += 1;
        let beam = Beam::of(response, p);
        let x = &orbit.states[0];
        let slips = orbit.t[orbit.modes.iter().position(|mode| *mode != orbit.modes[0]).unwrap()];
        let (sticks, phase) = (0.5 * p.record.period - slips, x[2 * MODES]);
        let start = DVector::from_fn(SIZE, |i, _| match i {
            i if i < MODES => x[i],
            i if i < 2 * MODES => x[i] / frequency(i - MODES),
            i if i == 2 * MODES => phase.cos(),
            i if i == 2 * MODES + 1 => phase.sin(),
            _ => 1.0,
        });
        let (slip, stick) = (exponential(&beam.slip(), slips), exponential(&beam.stick(), sticks));
        let lands = &slip * &start;
        let end = &stick * &lands;
        let size = start.rows(0, 2 * MODES).amax();
        // Half a period: all but the constant is mirrored.
        assert_close("half a period", beam.omega * (slips + sticks), PI, 1e-11);
        for i in 0..SIZE - 1 {
            assert_close("mirrored", end[i] / size, -start[i] / size, 1e-9);
        }
        let (speed, hold) = (beam.speed(), beam.hold());
        assert_close("lands", speed.dot(&lands), 0.0, 1e-9 * size);
        assert_close("limit of stick", hold.dot(&end), beam.mu, 1e-9);
        const PARTS: usize = 8;
        let part = exponential(&beam.stick(), sticks / PARTS as f64);
        let mut x = lands.clone();
        for _ in 1..PARTS {
            x = &part * &x;
            assert!(hold.dot(&x).abs() < beam.mu, "{}", hold.dot(&x));
            assert_close("rests", speed.dot(&x), 0.0, 1e-9 * size);
        }
        // Where it lands, the field jumps.
        let (before, after) = (beam.slip() * &lands, beam.stick() * &lands);
        let jump = DMatrix::identity(SIZE, SIZE) + (&after - &before) * speed.transpose() / speed.dot(&before);
        let half = -(stick * jump * slip);
        let states = half.view((0, 0), (2 * MODES, 2 * MODES)).into_owned();
        let mut known: Vec<_> = states.complex_eigenvalues().iter().map(|nu| nu * nu).collect();
        known.sort_by(|a, b| b.norm().total_cmp(&a.norm()));
        for (k, wanted) in known.iter().take(2).enumerate() {
            let found = p.record.multipliers[k];
            assert_close("modulus", 10f64.powf(found.log10), wanted.norm(), 1e-8);
            assert_close("argument", found.arg.abs(), wanted.arg().abs(), 1e-7);
        }
    }
    assert!(looked == 5, "{looked}");
}
