//! Equal cells that swing together: multipliers that coincide, and groups of them that nearly do.
#![allow(clippy::unwrap_used)]

use super::tests::{Random, chain_of};
use super::{Multiplier, multipliers};
use nalgebra::{Complex, DMatrix};
use std::f64::consts::TAU;

/// How cells are coupled.
#[derive(Clone, Copy, Debug)]
enum Coupling {
    /// In a ring, to the neighbour before and the one after by so much.
    Ring(f64, f64),
    /// Each to all others.
    All(f64),
}

impl Coupling {
    fn matrix(self, cells: usize) -> DMatrix<f64> {
        DMatrix::from_fn(cells, cells, |i, j| {
            let one = |next: usize, by: f64| if next == j { by } else { 0.0 } - if i == j { by } else { 0.0 };
            match self {
                Self::Ring(before, after) => one((i + cells - 1) % cells, before) + one((i + 1) % cells, after),
                Self::All(by) => (0..cells).map(|next| one(next, by)).sum(),
            }
        })
    }

    /// Its eigenvalue number `k`.
    fn rate(self, cells: usize, k: usize) -> Complex<f64> {
        let turn = Complex::from_polar(1.0, TAU * k as f64 / cells as f64);
        match self {
            Self::Ring(before, after) => (turn.conj() - 1.0) * before + (turn - 1.0) * after,
            Self::All(by) => Complex::from(if k == 0 { 0.0 } else { -by * cells as f64 }),
        }
    }
}

/// The factors of the variational equations along the synchronous cycle of radius `rho` of Hopf normal forms, over
/// `count` parts of the period, and what the multipliers are.
fn in_phase(cells: usize, coupling: Coupling, rho: f64, count: usize) -> (Vec<DMatrix<f64>>, Vec<Complex<f64>>) {
    let step = TAU / count as f64;
    let rotation = |angle: f64| DMatrix::from_row_slice(2, 2, &[angle.cos(), -angle.sin(), angle.sin(), angle.cos()]);
    let spread = (coupling.matrix(cells) * step).exp();
    let radial = -2.0 * rho * rho;
    let factor = |part: usize| {
        let angle = part as f64 * step;
        let own = DMatrix::from_row_slice(2, 2, &[(radial * step).exp(), 0.0, 0.0, 1.0]);
        spread.kronecker(&(rotation(angle + step) * own * rotation(-angle)))
    };
    let rates = (0..cells).map(|k| coupling.rate(cells, k));
    let known = rates.flat_map(|rate| [rate, rate + radial].map(|rate| (rate * TAU).exp()));
    ((0..count).map(factor).collect(), known.collect())
}

/// How far the multipliers are from those that are known, at most.
fn furthest(found: &[Multiplier], known: &[Complex<f64>]) -> f64 {
    let mut left = known.to_vec();
    let mut most = 0.0f64;
    for m in found {
        let z = m.to_complex().unwrap();
        let nearest = (0..left.len()).min_by(|&a, &b| (left[a] - z).norm().total_cmp(&(left[b] - z).norm()));
        most = most.max((left.swap_remove(nearest.unwrap()) - z).norm());
    }
    most
}

/// Half of the factors are off by up to 1e-6, as on a mesh: pairs that coincide are nearly the same then, and nearly
/// without a second eigenvector.
#[test]
fn multipliers_of_equal_cells_in_phase() {
    let mut random = Random(41);
    for number in 0..1000 {
        let cells = 3 + number % 8;
        let by = 10f64.powf(-1.5 + 1.5 * random.next());
        let part = random.next().abs();
        let coupling = match number % 4 {
            0 => Coupling::Ring(by, by),
            1 => Coupling::Ring(by, 0.0),
            2 => Coupling::Ring(by, by * part),
            _ => Coupling::All(by),
        };
        let rho = 10f64.powf(-1.5 + 2.0 * random.next());
        let count = 4 + (30.0 * (1.0 + random.next())) as usize;
        let noise = 10f64.powf(-11.0 + 5.0 * random.next());
        let noise = if random.next() > 0.0 { noise } else { 0.0 };
        let (factors, known) = in_phase(cells, coupling, rho, count);
        let off = |f: DMatrix<f64>| f + random.matrix(2 * cells, 2 * cells) * noise;
        let factors: Vec<_> = factors.into_iter().map(off).collect();
        let mut found = vec![];
        let outcome = multipliers(&chain_of(&factors), &mut found);
        assert_eq!(
            outcome,
            Ok(()),
            "{number}: {cells} {coupling:?} {rho:e} {count} {noise:e}"
        );
        // The matrices are normal up to the radial direction, so that multipliers are as exact as the factors.
        let most = 3e-13 + 2.0 * noise * (count * cells) as f64;
        let off = furthest(&found, &known);
        assert!(
            off <= most,
            "{number}: {cells} {coupling:?} {rho:e} {count} {noise:e}: {off:e}"
        );
    }
}
