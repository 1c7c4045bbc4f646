//! The coefficients of Radau IIA(5) in closed form, with those of its error estimate and of its dense output.
//!
//! Reference: E. Hairer and G. Wanner, *Solving Ordinary Differential Equations II*, 2nd ed., Springer (1996), § IV.8.

const SQRT_6: f64 = 2.449_489_742_783_178;
/// The Runge–Kutta matrix.
pub const A: [[f64; 3]; 3] = [
    [
        (88.0 - 7.0 * SQRT_6) / 360.0,
        (296.0 - 169.0 * SQRT_6) / 1800.0,
        (-2.0 + 3.0 * SQRT_6) / 225.0,
    ],
    [
        (296.0 + 169.0 * SQRT_6) / 1800.0,
        (88.0 + 7.0 * SQRT_6) / 360.0,
        (-2.0 - 3.0 * SQRT_6) / 225.0,
    ],
    [(16.0 - SQRT_6) / 36.0, (16.0 + SQRT_6) / 36.0, 1.0 / 9.0],
];
/// The nodes.
pub const C: [f64; 3] = [(4.0 - SQRT_6) / 10.0, (4.0 + SQRT_6) / 10.0, 1.0];
/// The real eigenvalue of A⁻¹: 3 + 3^(2/3) - 3^(1/3).
pub const GAMMA: f64 = 3.637_834_252_744_496;
/// The weights of the stages in the error estimate.
pub const E: [f64; 3] = [(-13.0 - 7.0 * SQRT_6) / 3.0, (-13.0 + 7.0 * SQRT_6) / 3.0, -1.0 / 3.0];
/// Stage increments → coefficients of s, s², s³ of the collocation polynomial.
pub const P: [[f64; 3]; 3] = [
    [
        13.0 / 3.0 + 7.0 * SQRT_6 / 3.0,
        -23.0 / 3.0 - 22.0 * SQRT_6 / 3.0,
        10.0 / 3.0 + 5.0 * SQRT_6,
    ],
    [
        13.0 / 3.0 - 7.0 * SQRT_6 / 3.0,
        -23.0 / 3.0 + 22.0 * SQRT_6 / 3.0,
        10.0 / 3.0 - 5.0 * SQRT_6,
    ],
    [1.0 / 3.0, -8.0 / 3.0, 10.0 / 3.0],
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tableau::Tableau;

    #[test]
    fn they_are_those_of_collocation_at_the_points_of_radau() {
        let scheme = Tableau::radau(3);
        for i in 0..3 {
            assert!((C[i] - scheme.c[i]).abs() < 1e-15);
            for j in 0..3 {
                assert!((A[i][j] - scheme.a[3 * i + j]).abs() < 1e-15);
            }
        }
    }
}
