//! Chains whose multipliers are known.
#![allow(clippy::unwrap_used)]

use super::{FactorChain, FloquetError, FlowQuotient, Multiplier, MultiplierSolver, log10_abs_det, multipliers};
use nalgebra::{Complex, DMatrix};
use proptest::prelude::*;
use std::f64::consts::PI;

/// Reproducible numbers in (-1, 1).
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
    pub(super) fn matrix(&mut self, rows: usize, cols: usize) -> DMatrix<f64> {
        DMatrix::from_fn(rows, cols, |_, _| self.next())
    }
    /// A well-conditioned change of basis and its inverse.
    fn basis(&mut self, n: usize) -> (DMatrix<f64>, DMatrix<f64>) {
        let orthogonal = self.matrix(n, n).qr().q();
        let shear = DMatrix::from_fn(n, n, |i, j| {
            if i == j {
                1.0
            } else if i < j {
                0.5 * self.next()
            } else {
                0.0
            }
        });
        let s = orthogonal * shear;
        let inverse = s.clone().try_inverse().unwrap();
        (s, inverse)
    }
}

fn push(chain: &mut FactorChain, m: &DMatrix<f64>) {
    chain.push(m.nrows(), m.ncols(), m.transpose().as_slice()).unwrap();
}

pub(super) fn chain_of(factors: &[DMatrix<f64>]) -> FactorChain {
    let mut chain = FactorChain::new();
    factors.iter().for_each(|m| push(&mut chain, m));
    chain
}

pub(super) fn found(chain: &FactorChain) -> Vec<Multiplier> {
    let mut out = Vec::new();
    multipliers(chain, &mut out).unwrap();
    out
}

/// Factors `S_k B_k S_{k-1}⁻¹` of blocks B_k, scrambled by random bases at every node.
fn scrambled(blocks: &[DMatrix<f64>], seed: u64) -> FactorChain {
    let mut random = Random(seed);
    let dims: Vec<usize> = blocks.iter().map(|b| b.ncols()).collect();
    let bases: Vec<_> = dims.iter().map(|&n| random.basis(n)).collect();
    let count = blocks.len();
    let factors: Vec<_> = (0..count)
        .map(|k| &bases[(k + 1) % count].0 * &blocks[k] * &bases[k].1)
        .collect();
    chain_of(&factors)
}

fn diagonal(logs: &[f64]) -> DMatrix<f64> {
    DMatrix::from_diagonal(&nalgebra::DVector::from_iterator(
        logs.len(),
        logs.iter().map(|l| 10f64.powf(*l)),
    ))
}

fn assert_logs(chain: &FactorChain, expected: &[f64], tolerance: f64) {
    let found = found(chain);
    assert_eq!(found.len(), expected.len());
    for (m, e) in found.iter().zip(expected) {
        assert!(
            (m.log10 - e).abs() <= tolerance * e.abs().max(1.0),
            "{found:?}, expected {expected:?}"
        );
        assert_eq!(m.arg, 0.0);
    }
}

#[test]
fn scrambled_diagonals_of_size_1e15000_and_1e50000() {
    for (n, logs) in [
        (2, vec![15_000.0, -15_000.0]),
        (2, vec![11_346.553, -25_758.813]),
        (3, vec![50_000.0, 0.0, -50_000.0]),
        (4, vec![50_000.0, 15_000.0, -15_000.0, -50_000.0]),
        (5, vec![15_000.0, 10.0, 0.5, -3.0, -50_000.0]),
    ] {
        // The logarithms go up and down along the cycle, around a drift.
        let count = 25_000;
        let mut random = Random(n as u64);
        let mut at = vec![0.0; n];
        let blocks: Vec<_> = (1..=count)
            .map(|k| {
                let step: Vec<f64> = logs
                    .iter()
                    .zip(&mut at)
                    .map(|(l, at)| {
                        let wobble = if k < count { 0.3 * random.next() } else { 0.0 };
                        let target = l * k as f64 / count as f64 + wobble;
                        target - std::mem::replace(at, target)
                    })
                    .collect();
                diagonal(&step)
            })
            .collect();
        // Each factor's entries carry 25000 rounding errors of 1e-16 and more: 1e-11 in a logarithm near zero, less
        // than 1e-15 relative in the others.
        let chain = scrambled(&blocks, 7);
        let got = found(&chain);
        for (m, e) in got.iter().zip(&logs) {
            assert!((m.log10 - e).abs() < 1e-12 * e.abs() + 1e-10, "{got:?} {logs:?}");
            assert_eq!(m.arg, 0.0);
        }
        let sum: f64 = logs.iter().sum();
        assert!((log10_abs_det(&chain).unwrap() - sum).abs() < 1e-10 + 1e-12 * sum.abs());
    }
}

#[test]
fn a_complex_pair_beside_1e_minus_5000() {
    let count = 2500;
    let angle: f64 = 2.0 / count as f64;
    let r = 1.5f64.powf(1.0 / count as f64);
    let mut block = DMatrix::zeros(3, 3);
    block[(0, 0)] = r * angle.cos();
    block[(0, 1)] = -r * angle.sin();
    block[(1, 0)] = r * angle.sin();
    block[(1, 1)] = r * angle.cos();
    block[(2, 2)] = 0.01;
    let got = found(&scrambled(&vec![block; count], 3));
    assert!(
        (got[0].log10 - 1.5f64.log10()).abs() < 1e-11 && (got[0].arg - 2.0).abs() < 1e-11,
        "{got:?}"
    );
    assert_eq!((got[1].log10, got[1].arg), (got[0].log10, -got[0].arg));
    assert!((got[2].log10 + 5000.0).abs() < 1e-9 && got[2].arg == 0.0);
}

#[test]
fn two_negative_multipliers_close_together_beside_huge_ones() {
    let count = 400;
    let blocks: Vec<_> = (0..count)
        .map(|k| {
            let sign = if k == 17 { -1.0 } else { 1.0 };
            DMatrix::from_diagonal(&vec![10.0, sign, sign * 1.001f64.powf(1.0 / count as f64), 1e-3].into())
        })
        .collect();
    let got = found(&scrambled(&blocks, 11));
    assert!((got[0].log10 - 400.0).abs() < 1e-10 && (got[3].log10 + 1200.0).abs() < 1e-10);
    assert!((got[1].value().unwrap() + 1.001).abs() < 1e-10, "{got:?}");
    assert!((got[2].value().unwrap() + 1.0).abs() < 1e-10, "{got:?}");
}

#[test]
fn forty_maps_whose_plain_product_is_noise() {
    // Multipliers 1e38, 1e-38 and two in between; the product in doubles has small eigenvalues near 1e22.
    let logs = [38.0, 0.3, -0.3, -38.0];
    let blocks = vec![diagonal(&logs.map(|l| l / 40.0)); 40];
    let chain = scrambled(&blocks, 5);
    let product = chain.factors().fold(DMatrix::identity(4, 4), |p, (r, c, a)| {
        DMatrix::from_row_slice(r, c, a) * p
    });
    let mut plain: Vec<f64> = product.complex_eigenvalues().iter().map(|z| z.norm()).collect();
    plain.sort_by(|a, b| b.total_cmp(a));
    assert!(
        plain[1] > 1e10 && plain[3] > 1e-30 * plain[1] || plain[3] == 0.0,
        "the plain product did not fail: {plain:?}"
    );
    assert_logs(&chain, &logs, 1e-12);
}

#[test]
fn all_signs_of_two_by_two_chains() {
    for signs in [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]] {
        let mut blocks = vec![diagonal(&[1.0, -1.5]); 300];
        for i in 0..2 {
            blocks[100][(i, i)] *= signs[i];
        }
        let got = found(&scrambled(&blocks, 23));
        assert!(
            (got[0].log10 - 300.0).abs() < 1e-9 && got[0].sign() == signs[0],
            "{signs:?} {got:?}"
        );
        assert!((got[1].log10 + 450.0).abs() < 1e-9 && got[1].sign() == signs[1]);
    }
}

#[test]
fn modes_with_fewer_states_give_exact_zeros() {
    // 3 → 3 → 1 → 2 → 3 states; the only nonzero multiplier is the product of what passes the node of one state.
    let mut random = Random(2);
    let dims = [3, 3, 1, 2, 3];
    let factors: Vec<_> = dims.windows(2).map(|d| random.matrix(d[1], d[0])).collect();
    let expected = (&factors[1] * &factors[0] * &factors[3] * &factors[2])[(0, 0)];
    let got = found(&chain_of(&factors));
    assert_eq!(got[1..], [Multiplier::ZERO; 2]);
    assert!((got[0].value().unwrap() / expected - 1.0).abs() < 1e-13);

    // 4 → 2 → 5 → 3 → 4: two nonzero, compared with the 2×2 product
    let dims = [4, 2, 5, 3, 4];
    let factors: Vec<_> = dims.windows(2).map(|d| random.matrix(d[1], d[0])).collect();
    let got = found(&chain_of(&factors));
    let small = &factors[0] * &factors[3] * &factors[2] * &factors[1];
    assert_eq!(got.len(), 5);
    assert_eq!(got[2..], [Multiplier::ZERO; 3]);
    compare(&got[..2], &small, 1e-12);
}

#[test]
fn a_node_without_states_forgets_everything() {
    let mut chain = FactorChain::new();
    chain.push(0, 2, &[]).unwrap();
    chain.push(2, 0, &[]).unwrap();
    assert_eq!(found(&chain), [Multiplier::ZERO; 2]);
    let mut empty = FactorChain::new();
    empty.push(0, 0, &[]).unwrap();
    assert!(found(&empty).is_empty() && log10_abs_det(&empty).unwrap() == 0.0);
}

#[test]
fn square_factors_that_lose_rank_exactly_give_exact_zeros() {
    let mut random = Random(9);
    let mut factors: Vec<_> = (0..6).map(|_| random.matrix(4, 4)).collect();
    factors[2].set_row(1, &nalgebra::RowDVector::zeros(4));
    factors[4].set_column(0, &nalgebra::DVector::zeros(4));
    let product = factors.iter().fold(DMatrix::identity(4, 4), |p, a| a * p);
    let chain = chain_of(&factors);
    let got = found(&chain);
    assert_eq!(got[3], Multiplier::ZERO);
    assert_eq!(log10_abs_det(&chain).unwrap(), f64::NEG_INFINITY);
    // two factors of rank 3 whose kernel and image are in general position leave rank 2 or 3; here the product tells
    let mut plain: Vec<f64> = product.complex_eigenvalues().iter().map(|z| z.norm()).collect();
    plain.sort_by(|a, b| b.total_cmp(a));
    for (m, p) in got.iter().zip(plain).take(3) {
        assert!((m.modulus() / p - 1.0).abs() < 1e-9);
    }

    let zero = chain_of(&[random.matrix(3, 3), DMatrix::zeros(3, 3)]);
    assert_eq!(found(&zero), [Multiplier::ZERO; 3]);
    let nilpotent = chain_of(&[DMatrix::from_row_slice(
        3,
        3,
        &[0.0, 1.0, 2.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0],
    )]);
    assert_eq!(found(&nilpotent), [Multiplier::ZERO; 3]);
    let planar = chain_of(&[
        diagonal(&[0.0, -1.0]),
        DMatrix::from_row_slice(2, 2, &[1.0, 2.0, 2.0, 4.0]),
    ]);
    assert_eq!(found(&planar)[1], Multiplier::ZERO);
}

#[test]
fn defective_and_repeated_multipliers() {
    // Jordan blocks: n-fold eigenvalues are determined to ε^(1/n) only; exact ones stay exact.
    let jordan = DMatrix::from_row_slice(3, 3, &[2.0, 1.0, 0.0, 0.0, 2.0, 1.0, 0.0, 0.0, 2.0]);
    assert_logs(&chain_of(std::slice::from_ref(&jordan)), &[2f64.log10(); 3], 1e-15);
    for m in found(&scrambled(&vec![jordan; 4], 1)) {
        assert!((m.to_complex().unwrap() - 16.0).norm() < 16.0 * 1e-4);
    }
    // Repeated but not defective: full accuracy.
    let got = found(&scrambled(&vec![DMatrix::from_diagonal_element(4, 4, 1.1); 50], 8));
    for m in got {
        assert!((m.to_complex().unwrap() / 1.1f64.powi(50) - 1.0).norm() < 1e-12);
    }
}

#[test]
fn permutations_need_exceptional_shifts() {
    for n in [3, 4, 6, 7] {
        let cyclic = DMatrix::from_fn(n, n, |i, j| if i == (j + 1) % n { 1.0 } else { 0.0 });
        let chain = chain_of(&[cyclic.clone(), DMatrix::identity(n, n), cyclic]);
        let got = found(&chain);
        for m in &got {
            let z = m.to_complex().unwrap();
            assert!((z.powu(n as u32) - 1.0).norm() < 1e-13, "{n}: {got:?}");
        }
    }
}

#[test]
fn factors_of_extreme_size_do_not_overflow() {
    for n in 1..5 {
        let blocks: Vec<_> = (0..30)
            .map(|k| DMatrix::from_diagonal_element(n, n, if k % 3 == 0 { 1e-290 } else { 1e290 }))
            .collect();
        for m in found(&scrambled(&blocks, 4)) {
            assert!((m.log10 - 2900.0).abs() < 1e-11 && m.arg.abs() < 1e-11, "{n}: {m:?}");
        }
    }
}

#[test]
fn fifty_states() {
    let logs: Vec<f64> = (0..50).map(|i| 40.0 - 3.0 * f64::from(i)).collect();
    let blocks = vec![diagonal(&logs.iter().map(|l| l / 60.0).collect::<Vec<_>>()); 60];
    assert_logs(&scrambled(&blocks, 13), &logs, 1e-12);
}

#[test]
fn what_is_wrong_with_a_chain_is_said() {
    let mut chain = FactorChain::new();
    let mut out = Vec::new();
    assert_eq!(multipliers(&chain, &mut out), Err(FloquetError::Empty));
    chain.push(2, 3, &[0.0; 6]).unwrap();
    assert_eq!(
        multipliers(&chain, &mut out),
        Err(FloquetError::NotCyclic { first: 3, last: 2 })
    );
    assert!(matches!(
        chain.push(2, 3, &[0.0; 6]),
        Err(FloquetError::Shape { expected: 2, .. })
    ));
    for n in 1..5 {
        for bad in [f64::NAN, f64::INFINITY] {
            let mut factors = vec![DMatrix::<f64>::identity(n, n); 5];
            factors[3][(0, 0)] = bad;
            assert_eq!(
                multipliers(&chain_of(&factors), &mut out),
                Err(FloquetError::NotFinite { factor: 3 }),
                "{n}"
            );
        }
    }
}

/// Compare with the eigenvalues of an ordinary matrix, each with the nearest.
fn compare(found: &[Multiplier], product: &DMatrix<f64>, tolerance: f64) {
    let mut plain: Vec<Complex<f64>> = product.complex_eigenvalues().iter().copied().collect();
    for m in found {
        let z = m.to_complex().unwrap();
        let nearest = (0..plain.len())
            .min_by(|&a, &b| (plain[a] - z).norm().total_cmp(&(plain[b] - z).norm()))
            .unwrap();
        let w = plain.swap_remove(nearest);
        assert!((w - z).norm() <= tolerance * product.norm(), "{z} {w} {found:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn ordinary_products_have_ordinary_eigenvalues(n in 1usize..9, count in 1usize..41, seed in 0u64..1 << 40) {
        let mut random = Random(seed);
        // near-identity factors, as an orbit's segments give: their product is a well-behaved matrix
        let factors: Vec<_> = (0..count)
            .map(|_| DMatrix::identity(n, n) + random.matrix(n, n) * (2.0 / (count * n) as f64))
            .collect();
        let product = factors.iter().fold(DMatrix::identity(n, n), |p, a| a * p);
        let got = found(&chain_of(&factors));
        prop_assert_eq!(got.len(), n);
        compare(&got, &product, 1e-9);
        let sum: f64 = got.iter().map(|m| m.log10).sum();
        prop_assert!((sum - product.determinant().abs().log10()).abs() < 1e-10);
        for pair in got.windows(2) {
            prop_assert!(pair[0].log10 >= pair[1].log10);
        }
        for (i, m) in got.iter().enumerate() {
            if !m.is_real() {
                let partner = if m.arg > 0.0 { got[i + 1] } else { got[i - 1] };
                prop_assert_eq!((partner.log10, partner.arg), (m.log10, -m.arg));
            }
        }
    }

    #[test]
    fn wild_products_satisfy_liouville_and_do_not_depend_on_where_the_cycle_starts(
        n in 2usize..7, count in 1usize..30, seed in 0u64..1 << 40
    ) {
        let mut random = Random(seed);
        let factors: Vec<_> = (0..count).map(|_| random.matrix(n, n) * 10f64.powf(100.0 * random.next())).collect();
        let chain = chain_of(&factors);
        let got = found(&chain);
        let sum: f64 = got.iter().map(|m| m.log10).sum();
        let lu: f64 = factors.iter().map(|a| a.clone().lu().u().diagonal().iter().map(|d| d.abs().log10()).sum::<f64>()).sum();
        prop_assert!((sum - lu).abs() < 1e-8, "{} {}", sum, lu);
        prop_assert!((log10_abs_det(&chain).unwrap() - lu).abs() < 1e-9);
        let turned: Vec<_> = factors.iter().cycle().skip(count / 2).take(count).cloned().collect();
        for (a, b) in got.iter().zip(found(&chain_of(&turned))) {
            prop_assert!((a.log10 - b.log10).abs() < 1e-7, "{:?} {:?}", a, b);
        }
    }
}

#[test]
fn the_quotient_by_the_flow_keeps_tiny_multipliers_clean() {
    // Transition matrices along a periodic orbit: diag(1, 10^-0.5, 2^(1/60)) in a frame whose first vector is the
    // field.
    let count = 60;
    let mut random = Random(77);
    let bases: Vec<_> = (0..count).map(|_| random.basis(3)).collect();
    let step = diagonal(&[0.0, -0.5, 2f64.log10() / 60.0]);
    let field = |k: usize| -> Vec<f64> { bases[k].0.column(0).iter().map(|x| x * (1.5 + k as f64)).collect() };
    // The transition maps field to field, of whatever length.
    let transition = |k: usize| {
        let next = (k + 1) % count;
        let mut step = step.clone();
        step[(0, 0)] = (1.5 + next as f64) / (1.5 + k as f64);
        (&bases[next].0 * step * &bases[k].1).transpose().as_slice().to_vec()
    };
    let mut chain = FactorChain::new();
    let mut quotient = FlowQuotient::start(&mut chain, &field(0)).unwrap();
    for k in 0..count - 1 {
        quotient.push(&transition(k), &field(k + 1)).unwrap();
    }
    quotient.close(&transition(count - 1)).unwrap();
    assert_logs(&chain, &[2f64.log10(), -30.0], 1e-13);
    assert!((log10_abs_det(&chain).unwrap() - 2f64.log10() + 30.0).abs() < 1e-12);
}

#[test]
fn liouville_on_periodic_linear_systems() {
    // x' = (B + C cos t + D sin t) x over 2π: the logarithms add up to 2π tr B.
    for (n, stiffness) in [(2, 1.0), (3, 40.0), (6, 10.0)] {
        let mut random = Random(n as u64 + 100);
        let [b, c, d] = [0; 3].map(|_| random.matrix(n, n) * stiffness);
        let steps = 1500;
        let h = std::f64::consts::TAU / steps as f64;
        let field = |t: f64| &b + &c * t.cos() + &d * t.sin();
        let factors: Vec<_> = (0..steps)
            .map(|k| {
                // Magnus, order 4 (two Gauss points): its determinant is exp ∫tr up to quadrature, exact for cos and
                // sin over a period.
                let t = k as f64 * h;
                let (a1, a2) = (
                    field(t + h * (0.5 - 3f64.sqrt() / 6.0)),
                    field(t + h * (0.5 + 3f64.sqrt() / 6.0)),
                );
                let commutator = &a2 * &a1 - &a1 * &a2;
                ((&a1 + &a2) * (h / 2.0) + commutator * (h * h * 3f64.sqrt() / 12.0)).exp()
            })
            .collect();
        let chain = chain_of(&factors);
        let expected = std::f64::consts::TAU * b.trace() / std::f64::consts::LN_10;
        let sum: f64 = found(&chain).iter().map(|m| m.log10).sum();
        assert!((sum - expected).abs() < 1e-10, "{n}: {sum} {expected}");
        assert!((log10_abs_det(&chain).unwrap() - expected).abs() < 1e-11);
    }
}

#[test]
fn a_solver_used_again_gives_the_same_as_a_fresh_one() {
    let mut solver = MultiplierSolver::new();
    let mut random = Random(31);
    let mut out = Vec::new();
    for n in [5, 2, 7, 3, 1, 4] {
        let factors: Vec<_> = (0..9).map(|_| random.matrix(n, n)).collect();
        let chain = chain_of(&factors);
        solver.multipliers(&chain, &mut out).unwrap();
        assert_eq!(out, found(&chain));
    }
    let single = chain_of(&[DMatrix::from_element(1, 1, -2.0)]);
    solver.multipliers(&single, &mut out).unwrap();
    assert_eq!(
        out,
        [Multiplier {
            log10: 2f64.log10(),
            arg: PI
        }]
    );
}
