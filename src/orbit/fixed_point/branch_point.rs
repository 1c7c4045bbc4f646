//! Branch points located by equations that are regular there.
//!
//! Where two families cross, the equations of the curve are singular and Newton's method on them loses half of its
//! digits. The extended system `F(z) + μ φ = 0, F'(z)ᵀ φ = 0, φᵀφ = 1` for (z, φ, μ) is regular at every simple branch
//! point, with μ = 0.
//!
//! Reference: W.-J. Beyn, A. Champneys, E. Doedel, W. Govaerts, Yu. Kuznetsov and B. Sandstede, in *Handbook of
//! Dynamical Systems* 2 (2002), ch. 4.

use super::FixedPoint;
use nalgebra::DMatrix;
use slipstick_continuation::Problem;
use slipstick_numerics::linalg::DenseSystem;
use slipstick_numerics::linalg::singular::Singular;
use slipstick_numerics::scalar::{Dual, Second};

/// Where errors of the extended system are amplified by more than the first, as with a second branch point next to the
/// one in question, interpolation between both sides of the place may tell it as well: it is then believed, unless it
/// is off by more than the extended system can be. Beyond the second the extended system tells nothing.
const AMPLIFIED: (f64, f64) = (2e6, 1e9);

impl FixedPoint<'_> {
    /// The branch point next to `z`, to rounding; `None` if there is none, or if it cannot be located to rounding.
    /// Unknowns count in these sizes.
    pub(super) fn branch_point_near(&mut self, z: &[f64], sizes: &[f64]) -> Option<Vec<f64>> {
        if self.free.len() != 1 {
            return None;
        }
        let (unknowns, equations) = (z.len(), z.len() - 1);
        let size = unknowns + equations + 1;
        let mut residual = vec![0.0; equations];
        let from = z;
        let (mut z, mut mu) = (z.to_vec(), 0.0);
        self.linearise(&z, &mut residual).ok()?;
        // Unknowns count in their own sizes and equations in theirs, first and second derivatives together, since the
        // first may vanish here.
        let rows = self.equation_sizes(&z, sizes);
        let slope = |jacobian: &[f64], r: usize, c: usize| jacobian[r * unknowns + c] * sizes[c] / rows[r];
        let mut phi = {
            let derivative = DMatrix::from_fn(equations, unknowns, |r, c| slope(&self.jacobian, r, c));
            Singular::of(&derivative.transpose())?.least().as_slice().to_vec()
        };
        let mut system = DenseSystem::new(size);
        let mut amplified = f64::INFINITY;
        for _ in 0..12 {
            self.linearise(&z, &mut residual).ok()?;
            let scaled: Vec<f64> = phi.iter().zip(&rows).map(|(p, row)| p / row).collect();
            let curvature = self.curvature(&z, &scaled);
            system.clear();
            let mut rhs = vec![0.0; size];
            for r in 0..equations {
                for c in 0..unknowns {
                    let v = slope(&self.jacobian, r, c);
                    system.add(r, c, v);
                    system.add(equations + c, unknowns + r, v);
                    rhs[equations + c] -= v * phi[r];
                }
                system.add(r, unknowns + r, mu);
                system.add(r, size - 1, phi[r]);
                rhs[r] = -(residual[r] / rows[r] + mu * phi[r]);
                system.add(size - 1, unknowns + r, 2.0 * phi[r]);
            }
            for (i, v) in curvature.iter().enumerate() {
                let (row, column) = (i / unknowns, i % unknowns);
                system.add(equations + row, column, v * sizes[row] * sizes[column]);
            }
            rhs[size - 1] = 1.0 - phi.iter().map(|v| v * v).sum::<f64>();
            system.factorise().ok()?;
            system.solve(&mut rhs).ok()?;
            let change = rhs[..unknowns].iter().fold(0.0f64, |m, d| m.max(d.abs()));
            if !(change < 1.0) {
                return None;
            }
            for ((z, d), size) in z.iter_mut().zip(&rhs).zip(sizes) {
                *z += d * size;
            }
            phi.iter_mut().zip(&rhs[unknowns..]).for_each(|(p, d)| *p += d);
            mu += rhs[size - 1];
            if change < 1e-9 {
                // Fixed vectors keep results reproducible.
                let mut errors: Vec<f64> = (0..size).map(|i| (1.7 * (1.0 + i as f64)).sin()).collect();
                system.solve(&mut errors).ok()?;
                amplified = errors[..unknowns].iter().fold(0.0, |m: f64, e| m.max(e.abs()));
            }
            if change < 1e-13 {
                break;
            }
        }
        self.linearise(&z, &mut residual).ok()?;
        let residual = residual
            .iter()
            .zip(&rows)
            .fold(0.0f64, |m, (r, row)| m.max((r / row).abs()));
        let moved = z.iter().zip(from).zip(sizes);
        let moved = moved.fold(0.0f64, |m, ((a, b), size)| m.max(((a - b) / size).abs()));
        let better = amplified <= AMPLIFIED.0 || amplified <= AMPLIFIED.1 && moved > amplified * f64::EPSILON;
        (better && mu.abs() < 1e-8 && residual < 1e-8).then_some(z)
    }

    /// The sizes of the unknowns at a branch point. Newton's method leaves errors there that may pass for sizes: a
    /// state that is far smaller than it counts beside the point, by these weights, is zero.
    pub(super) fn sizes_beside(&self, z: &[f64], weights: &[f64]) -> Vec<f64> {
        const FAR_SMALLER: f64 = 1e-3;
        let mut sizes = vec![0.0; z.len()];
        self.sizes(z, &mut sizes);
        for (size, weight) in sizes.iter_mut().zip(weights) {
            let beside = weight.sqrt().recip();
            if beside.is_finite() && *size < FAR_SMALLER * beside {
                *size = beside;
            }
        }
        sizes
    }

    /// How large the terms of each equation are when the unknowns change by their sizes.
    fn equation_sizes(&self, z: &[f64], sizes: &[f64]) -> Vec<f64> {
        let unknowns = z.len();
        let largest = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0f64, |m, v| m.max(v.abs()));
        let of_row = |(r, row): (usize, &[f64])| {
            let first = largest(&mut row.iter().zip(sizes).map(|(v, s)| v * s));
            let mut unit = vec![0.0; unknowns - 1];
            unit[r] = 1.0;
            let curvature = self.curvature(z, &unit);
            let second = curvature.iter().enumerate();
            let second = largest(&mut second.map(|(i, v)| v * sizes[i / unknowns] * sizes[i % unknowns]));
            let size = first.max(second);
            if size > 0.0 { size } else { 1.0 }
        };
        self.jacobian.chunks_exact(unknowns).enumerate().map(of_row).collect()
    }

    /// `Σ φᵣ ∂²Fᵣ/∂zᵢ∂zⱼ`, by rows.
    fn curvature(&self, z: &[f64], phi: &[f64]) -> Vec<f64> {
        let unknowns = z.len();
        let n = self.n;
        let mut out = vec![0.0; unknowns * unknowns];
        let mut y = vec![Second::constant(Dual::constant(0.0)); n];
        for point in 0..self.length {
            let x = self.point(z, point);
            let field = self.field_at(point);
            // Directions: the states of this point, then the parameter.
            let at = |i: usize| if i < n { point * n + i } else { unknowns - 1 };
            for i in 0..=n {
                for j in i..=n {
                    let unit = |k: usize, i: usize| if k == i { 1.0 } else { 0.0 };
                    let states: Vec<Second> = (0..n).map(|k| Second::mixed(x[k], unit(k, i), unit(k, j))).collect();
                    let parameters: Vec<Second> = self
                        .parameters
                        .iter()
                        .enumerate()
                        .map(|(k, &v)| {
                            let free = if k == self.free[0] { n } else { n + 1 };
                            Second::mixed(v, unit(free, i), unit(free, j))
                        })
                        .collect();
                    field.second(&states, &parameters, &mut y);
                    let value: f64 = (0..n).map(|r| phi[point * n + r] * y[r].eps[0].eps[0]).sum();
                    out[at(i) * unknowns + at(j)] += value;
                    if i != j {
                        out[at(j) * unknowns + at(i)] += value;
                    }
                }
            }
        }
        out
    }
}
