//! Nodes and weights on [0, 1]: Gauss–Legendre for integrals, right Radau for collocation.
//!
//! Reference: P. J. Davis and P. Rabinowitz, *Methods of Numerical Integration*, 2nd ed., Academic Press (1984), §2.7.

use std::f64::consts::PI;

/// Legendre polynomials P_n and P_{n-1} at x ∈ [-1, 1].
fn legendre(n: usize, x: f64) -> (f64, f64) {
    let (mut p, mut below) = (x, 1.0);
    for k in 1..n {
        let k = k as f64;
        (p, below) = (((2.0 * k + 1.0) * x * p - k * below) / (k + 1.0), p);
    }
    (p, below)
}

/// `n`-point Gauss–Legendre rule on [0, 1], ascending: (nodes, weights). Exact for degree 2n - 1.
pub(crate) fn gauss_legendre(n: usize) -> (Vec<f64>, Vec<f64>) {
    let mut nodes = vec![0.5; n];
    let mut weights = vec![1.0; n];
    for i in 0..n {
        let mut x = -(PI * (i as f64 + 0.75) / (n as f64 + 0.5)).cos();
        let mut slope = 1.0;
        for _ in 0..100 {
            let (p, below) = legendre(n, x);
            slope = n as f64 * (x * p - below) / (x * x - 1.0);
            let step = p / slope;
            x -= step;
            if step.abs() < 1e-16 {
                break;
            }
        }
        nodes[i] = 0.5 * (1.0 + x);
        weights[i] = 1.0 / ((1.0 - x * x) * slope * slope);
    }
    (nodes, weights)
}

/// The `s` right Radau nodes on (0, 1], ascending, the last one 1: zeros of P_s - P_{s-1}.
pub(crate) fn radau(s: usize) -> Vec<f64> {
    let f = |x: f64| {
        let (p, below) = legendre(s, x);
        p - below
    };
    // the s - 1 inner zeros are simple; each is bracketed on a grid finer than their spacing, then bisected to the last bit
    let grid = 40 * s * s;
    let at = |i: usize| -(PI * i as f64 / grid as f64).cos();
    let mut nodes = Vec::with_capacity(s);
    for i in 0..grid - 1 {
        let (mut low, mut high) = (at(i), at(i + 1));
        if f(low).signum() == f(high).signum() {
            continue;
        }
        let sign = f(low).signum();
        loop {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                break;
            }
            if f(middle).signum() == sign {
                low = middle;
            } else {
                high = middle;
            }
        }
        nodes.push(0.5 * (1.0 + high));
    }
    nodes.truncate(s - 1);
    nodes.push(1.0);
    nodes
}

/// Values at `x` of the Lagrange polynomials of `nodes`.
pub(crate) fn lagrange(nodes: &[f64], x: f64) -> Vec<f64> {
    (0..nodes.len())
        .map(|j| {
            (0..nodes.len())
                .filter(|&i| i != j)
                .map(|i| (x - nodes[i]) / (nodes[j] - nodes[i]))
                .product()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gauss_rules_integrate_their_degree_exactly() {
        for n in [1, 2, 5, 10, 24, 60] {
            let (x, w) = gauss_legendre(n);
            for degree in [0, 1, 2 * n - 1] {
                let sum: f64 = x.iter().zip(&w).map(|(x, w)| w * x.powi(degree as i32)).sum();
                assert!((sum - 1.0 / (degree as f64 + 1.0)).abs() < 1e-15, "{n} {degree}");
            }
            assert!(x.windows(2).all(|p| p[0] < p[1]));
        }
    }

    #[test]
    fn radau_nodes_are_the_known_ones_and_integrate_degree_2s_minus_2() {
        let root6 = 6f64.sqrt();
        for (a, b) in radau(3).iter().zip([(4.0 - root6) / 10.0, (4.0 + root6) / 10.0, 1.0]) {
            assert!((a - b).abs() < 1e-16 * 4.0);
        }
        for s in [2, 4, 6, 8] {
            let nodes = radau(s);
            assert_eq!((nodes.len(), nodes[s - 1]), (s, 1.0));
            let (x, w) = gauss_legendre(s);
            for degree in 0..=2 * s - 2 {
                let mut sum = 0.0;
                for j in 0..s {
                    let weight: f64 = x.iter().zip(&w).map(|(x, w)| w * lagrange(&nodes, *x)[j]).sum();
                    sum += weight * nodes[j].powi(degree as i32);
                }
                assert!((sum - 1.0 / (degree as f64 + 1.0)).abs() < 1e-14, "{s} {degree}");
            }
        }
    }
}
