//! Nodes on [0, 1] and the integrals of their Lagrange polynomials.
//!
//! Reference: W. Gautschi, *Orthogonal Polynomials: Computation and Approximation*, Oxford (2004), ch. 3.

use crate::roots::boundary;
use std::convert::Infallible;
use std::f64::consts::PI;

/// The Legendre polynomials of degree m and m - 1 at `x` ∈ [-1, 1].
fn legendre(m: usize, x: f64) -> (f64, f64) {
    let (mut below, mut p) = (0.0, 1.0);
    for k in 1..=m {
        let k = k as f64;
        (below, p) = (p, ((2.0 * k - 1.0) * x * p - (k - 1.0) * below) / k);
    }
    (p, below)
}

/// The m Gauss–Legendre points on [0, 1], ascending, with their weights.
pub fn gauss_legendre(m: usize) -> (Vec<f64>, Vec<f64>) {
    let mut points = vec![];
    for i in 0..m {
        let mut x = (PI * (i as f64 + 0.75) / (m as f64 + 0.5)).cos();
        let mut slope = 1.0;
        for _ in 0..50 {
            let (p, below) = legendre(m, x);
            slope = m as f64 * (x * p - below) / (x * x - 1.0);
            let step = p / slope;
            x -= step;
            if step.abs() < 1e-16 {
                break;
            }
        }
        points.push((0.5 * (1.0 - x), 1.0 / ((1.0 - x * x) * slope * slope)));
    }
    points.into_iter().unzip()
}

/// The m right Radau points on [0, 1], ascending; the last is 1. They are the zeros of `P_m - P_{m-1}`.
pub fn radau_right(m: usize) -> Vec<f64> {
    let value = |x: f64| {
        let (p, below) = legendre(m, 2.0 * x - 1.0);
        p - below
    };
    // A zero lies between two neighbouring Chebyshev points of a grid this fine.
    let grid = 40 * m;
    let at = |i: usize| 0.5 * (1.0 - (PI * i as f64 / grid as f64).cos());
    let mut points = vec![];
    for i in 0..grid - 1 {
        let (a, b) = (at(i), at(i + 1));
        let falls = value(a) > 0.0;
        if falls != (value(b) > 0.0) {
            let side = boundary(a, b, |x| Ok::<_, Infallible>((value(x) > 0.0) == falls));
            points.extend(side.map(|(below, above)| 0.5 * (below + above)));
        }
    }
    points.push(1.0);
    points
}

/// Values at `x` of the Lagrange polynomials of `nodes`.
pub fn lagrange(nodes: &[f64], x: f64) -> Vec<f64> {
    (0..nodes.len())
        .map(|j| {
            (0..nodes.len())
                .filter(|&i| i != j)
                .map(|i| (x - nodes[i]) / (nodes[j] - nodes[i]))
                .product()
        })
        .collect()
}

/// `a[i·m + l] = ∫₀^{to[i]} ℓₗ`, where ℓₗ are the Lagrange polynomials of the m `nodes`.
pub fn lagrange_integrals(nodes: &[f64], to: &[f64]) -> Vec<f64> {
    let m = nodes.len();
    // Exact for the degree m - 1.
    let (points, weights) = gauss_legendre(m);
    let mut a = Vec::with_capacity(to.len() * m);
    for &end in to {
        let row = a.len();
        a.resize(row + m, 0.0);
        for (c, weight) in points.iter().zip(&weights) {
            for (sum, value) in a[row..].iter_mut().zip(lagrange(nodes, end * c)) {
                *sum += weight * end * value;
            }
        }
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_families_integrate_to_their_full_degree() {
        for m in 1..=9 {
            let (gauss, weights) = gauss_legendre(m);
            let radau = radau_right(m);
            assert_eq!((gauss.len(), radau.len()), (m, m));
            let radau_weights = lagrange_integrals(&radau, &[1.0]);
            for (nodes, weights, degree) in [(gauss, weights, 2 * m - 1), (radau, radau_weights, 2 * m - 2)] {
                for d in 0..=degree {
                    let q: f64 = nodes.iter().zip(&weights).map(|(c, b)| b * c.powi(d as i32)).sum();
                    assert!((q - 1.0 / (d as f64 + 1.0)).abs() < 1e-15, "{m} {d} {q}");
                }
            }
        }
    }

    #[test]
    fn large_gauss_rules_keep_their_order() {
        for n in [10, 24, 60] {
            let (x, w) = gauss_legendre(n);
            for degree in [0, 1, 2 * n - 1] {
                let sum: f64 = x.iter().zip(&w).map(|(x, w)| w * x.powi(degree as i32)).sum();
                assert!((sum - 1.0 / (degree as f64 + 1.0)).abs() < 1e-15, "{n} {degree}");
            }
            assert!(x.windows(2).all(|p| p[0] < p[1]));
        }
    }

    #[test]
    fn the_radau_points_of_order_five_are_known() {
        let s = 6f64.sqrt();
        for (a, b) in radau_right(3).iter().zip([(4.0 - s) / 10.0, (4.0 + s) / 10.0, 1.0]) {
            assert!((a - b).abs() < 3e-16, "{a} {b}");
        }
    }

    #[test]
    fn integrals_of_lagrange_polynomials_integrate_powers_to_each_end() {
        let (nodes, _) = gauss_legendre(6);
        let a = lagrange_integrals(&nodes, &nodes);
        for (i, &end) in nodes.iter().enumerate() {
            for d in 0..6 {
                let q: f64 = (0..6).map(|l| a[i * 6 + l] * nodes[l].powi(d)).sum();
                assert!((q - end.powi(d + 1) / f64::from(d + 1)).abs() < 1e-15);
            }
        }
    }
}
