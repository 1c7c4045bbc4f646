use super::*;
use crate::linalg::eigen::eigenvalues;
use nalgebra::{Complex, DMatrix};
use proptest::prelude::*;
use std::f64::consts::PI;

fn dense(a: &SparseMatrix) -> DMatrix<f64> {
    let mut full = DMatrix::zeros(a.len(), a.len());
    for c in 0..a.len() {
        for (r, v) in a.column(c) {
            full[(r, c)] = v;
        }
    }
    full
}

/// A banded matrix with entries far from the diagonal besides.
fn random(n: usize, seeds: &[f64]) -> SparseMatrix {
    let at = |k: usize| seeds[k % seeds.len()];
    let rows: Vec<Vec<(usize, f64)>> = (0..n)
        .map(|i| {
            let mut row = vec![(i, 2.0 * at(7 * i))];
            for (k, step) in [1, 2, 9].into_iter().enumerate() {
                row.push(((i + step) % n, at(5 * i + k)));
                row.push(((i + n - step) % n, at(3 * i + 2 * k + 1)));
            }
            row
        })
        .collect();
    SparseMatrix::from_rows(n, &rows)
}

/// The Brusselator on a line at its homogeneous state, and its eigenvalues in closed form.
fn brusselator(points: usize, length: f64) -> (SparseMatrix, Vec<Complex<f64>>) {
    let (a, b, du, dv) = (2.0, 5.45, 0.008, 0.004);
    let h = ((points + 1) as f64 / length).powi(2);
    let mut rows = vec![];
    for i in 0..points {
        let near = |offset: usize, d: f64| {
            let mut row = vec![(2 * i + offset, -2.0 * h * d)];
            if i > 0 {
                row.push((2 * (i - 1) + offset, h * d));
            }
            if i + 1 < points {
                row.push((2 * (i + 1) + offset, h * d));
            }
            row
        };
        let mut u = near(0, du);
        u[0].1 += b - 1.0;
        u.push((2 * i + 1, a * a));
        let mut v = near(1, dv);
        v[0].1 -= a * a;
        v.push((2 * i, -b));
        rows.extend([u, v]);
    }
    let mut values = vec![];
    for k in 1..=points {
        let mu = 4.0 * h * (k as f64 * PI / (2.0 * (points + 1) as f64)).sin().powi(2);
        let (p, q) = (b - 1.0 - du * mu, -a * a - dv * mu);
        let (half, determinant) = (0.5 * (p + q), p * q + a * a * b);
        let root = Complex::new(half * half - determinant, 0.0).sqrt();
        values.extend([root + half, -root + half]);
    }
    (SparseMatrix::from_rows(2 * points, &rows), values)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn factors_solve_and_tell_the_determinant(
        n in 20usize..60,
        seeds in prop::collection::vec(-1.0f64..1.0, 101),
        shift in -2.0f64..2.0,
        turn in -2.0f64..2.0,
    ) {
        let a = random(n, &seeds);
        let order = Order::of(&a);
        let full = dense(&a) - DMatrix::identity(n, n) * shift;
        let real = SparseFactors::of(&a, &order, shift).unwrap();
        let x: Vec<f64> = (0..n).map(|i| (1.3 * i as f64).sin()).collect();
        let mut b = (&full * nalgebra::DVector::from_column_slice(&x)).as_slice().to_vec();
        real.solve(&mut b);
        let condition = full.clone().svd(false, false).singular_values;
        let amplified = 1e-14 * condition[0] / condition[n - 1] * n as f64;
        prop_assert!(b.iter().zip(&x).all(|(b, x)| (b - x).abs() < amplified));
        let mut b = full.tr_mul(&nalgebra::DVector::from_column_slice(&x)).as_slice().to_vec();
        real.solve_transposed(&mut b);
        prop_assert!(b.iter().zip(&x).all(|(b, x)| (b - x).abs() < amplified));
        prop_assert_eq!(real.determinant_phase().re, full.determinant().signum());
        let s = Complex::new(shift, turn);
        let complex = SparseFactors::of(&a, &order, s).unwrap();
        let full = dense(&a).map(|v| Complex::new(v, 0.0)) - DMatrix::identity(n, n) * s;
        let determinant = full.determinant();
        prop_assert!((complex.determinant_phase() - determinant / determinant.norm()).norm() < 1e-9);
    }

    #[test]
    fn the_nearest_eigenvalues_are_those_of_the_dense_method(
        n in 40usize..90,
        seeds in prop::collection::vec(-1.0f64..1.0, 103),
        away in 0.3f64..2.0,
    ) {
        let a = random(n, &seeds);
        let all = eigenvalues(&dense(&a)).unwrap();
        let shift = all[0].re + away;
        let found = nearest_eigenvalues(&a, &Order::of(&a), shift, &KrylovOptions { least: 8, ..KrylovOptions::default() }).unwrap();
        let mut known = all.clone();
        known.sort_by(|a, b| (a - shift).norm().total_cmp(&(b - shift).norm()));
        prop_assert!(found.values.len() >= 8);
        for (k, value) in found.values.iter().enumerate() {
            let off = known.iter().map(|v| (v - value).norm()).fold(f64::INFINITY, f64::min);
            prop_assert!(off < 1e-9, "{value} {off:e}");
            prop_assert!(((value - shift).norm() - (known[k] - shift).norm()).abs() < 1e-8);
        }
    }

    #[test]
    fn bounds_hold_and_counts_are_right(
        n in 30usize..70,
        seeds in prop::collection::vec(-1.0f64..1.0, 97),
        line in -1.0f64..1.0,
        known in 0usize..6,
    ) {
        let a = random(n, &seeds);
        let all = eigenvalues(&dense(&a)).unwrap();
        let box_ = bounds(&a);
        prop_assert!(all.iter().all(|v| v.re <= box_.right + 1e-12 && v.im.abs() <= box_.height + 1e-12));
        // Conjugates are known together.
        let known = all.iter().take(known).flat_map(|v| [*v, v.conj()]).fold(vec![], |mut list: Vec<Complex<f64>>, v| {
            if !list.iter().any(|w| (w - v).norm() < 1e-12) {
                list.push(v);
            }
            list
        });
        let right = all.iter().filter(|v| v.re > line).count();
        let inside = known.iter().filter(|v| v.re > line).count();
        prop_assume!(all.iter().all(|v| (v.re - line).abs() > 1e-6));
        let counted = count_right_of(&a, &Order::of(&a), line, &box_, &known);
        prop_assert_eq!(counted.map(|c| c.missing), Some(right - inside));
    }
}

#[test]
fn the_brusselator_on_a_line_has_its_eigenvalues_in_closed_form() {
    for (points, length) in [(50, 0.7), (500, 1.3), (2000, 2.1)] {
        let (a, mut known) = brusselator(points, length);
        let order = Order::of(&a);
        let box_ = bounds(&a);
        let shift = box_.right + 0.25 * box_.height;
        let radius = shift.hypot(box_.height);
        let found = nearest_eigenvalues(
            &a,
            &order,
            shift,
            &KrylovOptions {
                radius,
                ..KrylovOptions::default()
            },
        )
        .unwrap();
        assert!(found.radius >= radius);
        known.sort_by(|a, b| (a - shift).norm().total_cmp(&(b - shift).norm()));
        // Rounding of the entries themselves, which are as large as n².
        let rounding = 1e-11 + 1e-15 * ((points + 1) as f64 / length).powi(2);
        for value in &found.values {
            let off = known.iter().map(|v| (v - value).norm()).fold(f64::INFINITY, f64::min);
            assert!(off < rounding, "{value} {off:e}");
        }
        assert_eq!(
            found.values.len(),
            known
                .iter()
                .filter(|v| (*v - shift).norm() <= found.radius * (1.0 + 1e-9))
                .count()
        );
        let counted = count_right_of(&a, &order, -0.01, &box_, &found.values).unwrap();
        assert_eq!(counted.missing, 0);
        let fewer = count_right_of(&a, &order, -0.01, &box_, &[]).unwrap();
        assert_eq!(fewer.missing, known.iter().filter(|v| v.re > -0.01).count());
        assert!(counted.factorisations <= 80, "{counted:?}");
    }
}

/// Two copies of a line beside each other: every eigenvalue counts twice.
#[test]
fn eigenvalues_that_count_twice_are_missed_by_one_start_and_the_count_tells() {
    let (one, _) = brusselator(40, 1.3);
    let n = one.len();
    let mut rows = vec![vec![]; 2 * n];
    for c in 0..n {
        for (r, v) in one.column(c) {
            rows[r].push((c, v));
            rows[n + r].push((n + c, v));
        }
    }
    let a = SparseMatrix::from_rows(2 * n, &rows);
    let (order, box_) = (Order::of(&a), bounds(&a));
    let shift = box_.right + 0.25 * box_.height;
    let options = KrylovOptions {
        radius: shift.hypot(box_.height),
        ..KrylovOptions::default()
    };
    let twice = nearest_eigenvalues(&a, &order, shift, &KrylovOptions { again: 1, ..options }).unwrap();
    let all = eigenvalues(&dense(&a)).unwrap();
    let right = all.iter().filter(|v| v.re > 0.0).count();
    assert!(right >= 4 && twice.values.iter().filter(|v| v.re > 0.0).count() == right);
    assert_eq!(
        count_right_of(&a, &order, 0.0, &box_, &twice.values).map(|c| c.missing),
        Some(0)
    );
    let some = &twice.values[..0];
    assert_eq!(
        count_right_of(&a, &order, 0.0, &box_, some).map(|c| c.missing),
        Some(right)
    );
}
