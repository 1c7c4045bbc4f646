//! Reduced equations that are dear to evaluate, sampled on a sphere and continued between the samples by polynomials.
//!
//! On a small sphere their first terms dominate, so that a polynomial of low degree in the coordinates of the unit
//! sphere says where the zeros are; on the sphere homogeneous polynomials of two successive degrees are all of them.

use super::{Reduced, ReducedEquations, Zero, median, points_on_sphere, zeros_from};
use nalgebra::{DMatrix, DVector};
use slipstick_numerics::linalg::singular::Singular;

/// The degrees of the polynomials.
const DEGREES: [u32; 2] = [4, 5];
/// How many samples there are for each coefficient.
const SAMPLES: f64 = 0.9;
/// Singular values this small, relative to the largest, count as zero when coefficients are fitted.
const CUTOFF: f64 = 1e-10;

/// The reduced equations on one sphere, from samples.
pub(super) struct Sampled {
    lengths: DVector<f64>,
    along_parameter: bool,
    exponents: Vec<Vec<u32>>,
    /// For each equation the factors of the monomials.
    coefficients: Vec<DVector<f64>>,
    /// The usual size of b.
    pub(super) size: f64,
}

impl Sampled {
    /// Sample `equations` on the sphere with these half-lengths; `None` where too few samples can be had.
    pub(super) fn on_sphere(equations: &mut impl ReducedEquations, lengths: &DVector<f64>) -> Option<Self> {
        let m = equations.unknowns();
        let exponents: Vec<Vec<u32>> = DEGREES.iter().flat_map(|degree| monomials(m, *degree)).collect();
        let count = (SAMPLES * exponents.len() as f64) as usize;
        let samples: Vec<(DVector<f64>, Reduced)> = points_on_sphere(m, count)
            .into_iter()
            .filter_map(|eta| {
                let found = equations.at(&eta.component_mul(lengths))?;
                Some((eta, found))
            })
            .collect();
        // Each gives its value and m - 1 slopes along the sphere.
        if samples.len() * m <= exponents.len() {
            return None;
        }
        let size = median(samples.iter().map(|(_, found)| found.values.norm()).collect())?;
        let mut matrix = DMatrix::zeros(samples.len() * (1 + m), exponents.len());
        let mut values = DMatrix::zeros(samples.len() * (1 + m), m - 1);
        for (s, (eta, found)) in samples.iter().enumerate() {
            let first = s * (1 + m);
            for (c, own) in exponents.iter().enumerate() {
                let (value, gradient) = monomial(own, eta);
                matrix[(first, c)] = value;
                along_sphere(eta, &gradient)
                    .iter()
                    .enumerate()
                    .for_each(|(j, slope)| matrix[(first + 1 + j, c)] = *slope);
            }
            for i in 0..m - 1 {
                values[(first, i)] = found.values[i] / size;
                let gradient = DVector::from_fn(m, |j, _| found.slopes[(i, j)] * lengths[j] / size);
                along_sphere(eta, &gradient)
                    .iter()
                    .enumerate()
                    .for_each(|(j, slope)| values[(first + 1 + j, i)] = *slope);
            }
        }
        let decomposed = Singular::of(&matrix)?;
        let fit = |i: usize| size * decomposed.least_squares(&values.column(i).into_owned(), CUTOFF);
        Some(Self {
            lengths: lengths.clone(),
            along_parameter: equations.along_parameter(),
            coefficients: (0..m - 1).map(fit).collect(),
            exponents,
            size,
        })
    }
}

impl ReducedEquations for Sampled {
    fn unknowns(&self) -> usize {
        self.lengths.len()
    }

    fn along_parameter(&self) -> bool {
        self.along_parameter
    }

    fn at(&mut self, xi: &DVector<f64>) -> Option<Reduced> {
        let m = self.unknowns();
        let eta = xi.component_div(&self.lengths);
        let mut values = DVector::zeros(m - 1);
        let mut slopes = DMatrix::zeros(m - 1, m);
        for (c, own) in self.exponents.iter().enumerate() {
            let (value, gradient) = monomial(own, &eta);
            for (i, coefficients) in self.coefficients.iter().enumerate() {
                values[i] += coefficients[c] * value;
                for j in 0..m {
                    slopes[(i, j)] += coefficients[c] * gradient[j] / self.lengths[j];
                }
            }
        }
        Some(Reduced {
            values,
            slopes,
            offset: vec![],
        })
    }

    fn zeros(&mut self, lengths: &DVector<f64>, starts: &[DVector<f64>]) -> Vec<Zero> {
        let size = self.size;
        zeros_from(self, lengths, starts, size)
    }
}

/// The part of a gradient along the unit sphere at η.
fn along_sphere(eta: &DVector<f64>, gradient: &DVector<f64>) -> DVector<f64> {
    gradient - eta * eta.dot(gradient)
}

/// The exponents of all monomials of this degree in m variables.
fn monomials(m: usize, degree: u32) -> Vec<Vec<u32>> {
    if m == 1 {
        return vec![vec![degree]];
    }
    let with = |first: u32| {
        monomials(m - 1, degree - first)
            .into_iter()
            .map(move |rest| [vec![first], rest].concat())
    };
    (0..=degree).flat_map(with).collect()
}

/// A monomial and its gradient.
fn monomial(exponents: &[u32], x: &DVector<f64>) -> (f64, DVector<f64>) {
    let power = |j: usize, less: u32| x[j].powi((exponents[j] - less) as i32);
    let others = |j: usize| (0..x.len()).filter(|l| *l != j).map(|l| power(l, 0)).product::<f64>();
    let slope = |j: usize| match exponents[j] {
        0 => 0.0,
        e => f64::from(e) * power(j, 1) * others(j),
    };
    let value = (0..x.len()).map(|j| power(j, 0)).product();
    (value, DVector::from_fn(x.len(), |j, _| slope(j)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::half_branches::on_spheres;

    /// A pitchfork of the square: bᵢ = ξᵢ (λ - a ξᵢ² - c |ξ|²), whose half-branches are those of the known curve, two,
    /// along the axes, two for each, and along the diagonals.
    struct Square {
        a: f64,
        c: f64,
        kernel: usize,
        evaluations: usize,
        sampled: bool,
    }
    impl ReducedEquations for Square {
        fn unknowns(&self) -> usize {
            self.kernel + 1
        }
        fn along_parameter(&self) -> bool {
            true
        }
        fn at(&mut self, xi: &DVector<f64>) -> Option<Reduced> {
            self.evaluations += 1;
            let (k, lambda) = (self.kernel, xi[0]);
            let square: f64 = xi.iter().skip(1).map(|x| x * x).sum();
            let values = DVector::from_fn(k, |i, _| {
                xi[i + 1] * (lambda - self.a * xi[i + 1].powi(2) - self.c * square)
            });
            let slopes = DMatrix::from_fn(k, k + 1, |i, j| {
                let x = xi[i + 1];
                match j {
                    0 => x,
                    j if j == i + 1 => lambda - 3.0 * self.a * x * x - self.c * (square + 2.0 * x * x),
                    j => -2.0 * self.c * x * xi[j],
                }
            });
            Some(Reduced {
                values,
                slopes,
                offset: vec![],
            })
        }
        fn zeros(&mut self, lengths: &DVector<f64>, starts: &[DVector<f64>]) -> Vec<Zero> {
            if !self.sampled {
                return zeros_from(self, lengths, starts, 1e-3);
            }
            let mut sampled = Sampled::on_sphere(self, lengths).unwrap();
            sampled.zeros(lengths, starts)
        }
    }

    #[test]
    fn samples_show_as_many_half_branches_as_the_equations_themselves() {
        for (a, c) in [(1.0, 0.3), (-0.7, 1.1), (0.4, -2.0), (-1.0, -0.2)] {
            for (kernel, expected) in [(2, 2 + 8), (3, 2 + 26)] {
                let counts = [false, true].map(|sampled| {
                    let mut square = Square {
                        a,
                        c,
                        kernel,
                        evaluations: 0,
                        sampled,
                    };
                    let found = on_spheres(&mut square, 1.0).unwrap();
                    assert!(found.complete && !found.continuum, "{a} {c} {kernel} {sampled}");
                    assert!(!sampled || square.evaluations < 1500, "{}", square.evaluations);
                    found.zeros.len()
                });
                assert_eq!(counts, [expected; 2], "{a} {c} {kernel}");
            }
        }
    }
}
