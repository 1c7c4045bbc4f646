//! Perturbations that come back rotated: multiplied by e^{iθ}, in real arithmetic.

use super::{DenseSystem, Singular};

/// Where the equations of what comes back say that the image of the end is the start: row, column and size of each -1.
pub type Closing = (usize, usize, f64);

/// Solve the equations of perturbations (`rows`, square, row by row) with each -w of `closing` turned into -w e^{iθ}.
/// `rhs` holds the real parts, then the imaginary ones, of the right-hand side, and of the solution afterwards: [[A +
/// (1 - cos θ) W, sin θ W], [-sin θ W, A + (1 - cos θ) W]].
///
/// # Errors
/// [`Singular`] where a multiplier is e^{iθ} to the last digit.
pub fn solve_rotated(rows: &[f64], closing: &[Closing], angle: f64, rhs: &mut [f64]) -> Result<(), Singular> {
    let n = rhs.len() / 2;
    let (sin, cos) = if angle == std::f64::consts::PI {
        (0.0, -1.0)
    } else {
        angle.sin_cos()
    };
    let mut system = DenseSystem::new(2 * n);
    system.clear();
    for (i, row) in rows.chunks_exact(n).enumerate() {
        for (j, &v) in row.iter().enumerate().filter(|(_, v)| **v != 0.0) {
            system.add(i, j, v);
            system.add(n + i, n + j, v);
        }
    }
    for &(i, j, w) in closing {
        system.add(i, j, (1.0 - cos) * w);
        system.add(i, n + j, sin * w);
        system.add(n + i, j, -sin * w);
        system.add(n + i, n + j, (1.0 - cos) * w);
    }
    system.factorise()?;
    system.solve(rhs)
}

/// A fixed right-hand side for such equations, which keeps results reproducible: its last `held` entries, real and
/// imaginary, are zero.
pub fn fixed_vector(n: usize, fixed: usize, frequency: f64) -> Vec<f64> {
    (0..2 * n)
        .map(|i| {
            let free = i % n < n - fixed;
            if free {
                0.1 + (frequency * (1.0 + i as f64)).sin()
            } else {
                0.0
            }
        })
        .collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// x⁺ = M x with eigenvalues 1.25 e^{±0.7i}: (M - e^{iθ}) x = b against the closed form.
    #[test]
    fn what_comes_back_rotated_is_solved_for() {
        let (rho, turn, theta) = (1.25f64, 0.7f64, 0.9f64);
        let (a, b) = (rho * turn.cos(), rho * turn.sin());
        let rows = [a - 1.0, -b, b, a - 1.0];
        let mut x = fixed_vector(2, 0, 1.7);
        let rhs = x.clone();
        solve_rotated(&rows, &[(0, 0, 1.0), (1, 1, 1.0)], theta, &mut x).unwrap();
        let (c, s) = (theta.cos(), theta.sin());
        let [re, im] = [&x[..2], &x[2..]];
        let left = [
            a * re[0] - b * re[1] - c * re[0] + s * im[0],
            b * re[0] + a * re[1] - c * re[1] + s * im[1],
            a * im[0] - b * im[1] - c * im[0] - s * re[0],
            b * im[0] + a * im[1] - c * im[1] - s * re[1],
        ];
        assert!(
            left.iter().zip(&rhs).all(|(l, r)| (l - r).abs() < 1e-13),
            "{left:?} {rhs:?}"
        );
        // On the circle and at its own angle the equations are singular.
        let rows = [turn.cos() - 1.0, -turn.sin(), turn.sin(), turn.cos() - 1.0];
        let mut x = rhs.clone();
        let found = solve_rotated(&rows, &[(0, 0, 1.0), (1, 1, 1.0)], turn, &mut x);
        assert!(found.is_err() || x.iter().fold(0.0f64, |m, v| m.max(v.abs())) > 1e14);
    }
}
