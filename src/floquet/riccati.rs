//! The transition matrix of a planar linear equation `w' = A(t) w` whose solutions grow and decay by any power of ten.
//!
//! Followed as `M = Q(α) · diag(e^{ℓ₁}, e^{ℓ₂}) · [1 s; 0 1]`, where Q is the rotation by α. With q₁, q₂ its columns,
//! `α' = q₂ᵀ A q₁`, `ℓ₁' = q₁ᵀ A q₁`, `ℓ₂' = q₂ᵀ A q₂`, `s' = (q₁ᵀ A q₂ + q₂ᵀ A q₁) e^{ℓ₂ - ℓ₁}`. The angle is attracted by the direction of strongest growth,
//! so its equation is stiff but stable; it is integrated by Radau IIA of order 5 with steps of its own, however the orbit itself was
//! discretised. Neither a monodromy matrix nor an exponential of ℓ is ever formed.
//!
//! References: L. Dieci, R. Russell and E. Van Vleck, *On the computation of Lyapunov exponents for continuous dynamical systems*, SIAM J. Numer.
//! Anal. 34 (1997) 402–423; E. Hairer and G. Wanner, *Solving Ordinary Differential Equations II*, ch. IV.8.

use super::{FactorChain, FloquetError};

/// `M = Q(angle) · diag(e^{growth₀}, e^{growth₁}) · [1 shear; 0 1]`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlanarTransition {
    /// The angle α of the first direction, in radians.
    pub angle: f64,
    /// Natural logarithms ℓ₁, ℓ₂ of the growth along the two directions.
    pub growth: [f64; 2],
    /// The coupling s.
    pub shear: f64,
    /// The integral of the trace of A, by the same steps but independently of α: ℓ₁ + ℓ₂ by Liouville's formula.
    pub trace: f64,
}

/// The equation could not be followed to its end.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("the variational equation could not be followed beyond t = {t} (step {h:.1e})")]
pub struct PlanarFailure {
    /// Where it stopped.
    pub t: f64,
    /// The last step tried.
    pub h: f64,
}

const SQRT6: f64 = 2.449_489_742_783_178;
const C: [f64; 3] = [(4.0 - SQRT6) / 10.0, (4.0 + SQRT6) / 10.0, 1.0];
const A: [[f64; 3]; 3] = [
    [
        (88.0 - 7.0 * SQRT6) / 360.0,
        (296.0 - 169.0 * SQRT6) / 1800.0,
        (-2.0 + 3.0 * SQRT6) / 225.0,
    ],
    [
        (296.0 + 169.0 * SQRT6) / 1800.0,
        (88.0 + 7.0 * SQRT6) / 360.0,
        (-2.0 - 3.0 * SQRT6) / 225.0,
    ],
    [(16.0 - SQRT6) / 36.0, (16.0 + SQRT6) / 36.0, 1.0 / 9.0],
];
const GAMMA0: f64 = 0.274_888_829_595_676_9;
const E: [f64; 3] = [
    GAMMA0 * (-13.0 - 7.0 * SQRT6) / 3.0,
    GAMMA0 * (-13.0 + 7.0 * SQRT6) / 3.0,
    -GAMMA0 / 3.0,
];

/// Right-hand side of α and its derivative, and the three quadratures.
struct Rates {
    angle: f64,
    slope: f64,
    growth: [f64; 2],
    coupling: f64,
}

fn rates(a: &[f64; 4], angle: f64) -> Rates {
    let (s, c) = angle.sin_cos();
    let (cc, ss, sc) = (c * c, s * s, s * c);
    let angle = a[2] * cc - a[1] * ss + (a[3] - a[0]) * sc;
    let slope = (a[3] - a[0]) * (cc - ss) - 2.0 * (a[1] + a[2]) * sc;
    let first = a[0] * cc + (a[1] + a[2]) * sc + a[3] * ss;
    let second = a[0] * ss - (a[1] + a[2]) * sc + a[3] * cc;
    let other = a[1] * cc - a[2] * ss + (a[3] - a[0]) * sc;
    Rates {
        angle,
        slope,
        growth: [first, second],
        coupling: other + angle,
    }
}

/// Follow `w' = A(t) w` over [0, `duration`], starting from the identity. `matrix(t)` returns A by rows.
///
/// # Errors
/// [`PlanarFailure`] when A is not finite or steps shrink to nothing.
pub fn planar_transition(
    duration: f64,
    tolerance: f64,
    mut matrix: impl FnMut(f64) -> [f64; 4],
) -> Result<PlanarTransition, PlanarFailure> {
    let mut m = PlanarTransition::default();
    let mut t = 0.0;
    let mut a0 = matrix(0.0);
    let scale = a0.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    let mut h = (0.1 / scale.max(1e-300)).min(0.01 * duration);
    let mut rejected = false;
    while t < duration {
        let last = t + 1.0001 * h >= duration;
        if last {
            h = duration - t;
        }
        let at = [matrix(t + C[0] * h), matrix(t + C[1] * h), matrix(t + h)];
        let step = radau_step(&a0, &at, &m, h);
        let error = step.as_ref().map_or(f64::INFINITY, |s| s.error / tolerance);
        let factor = if error.is_finite() {
            (0.9 * error.max(1e-12).powf(-0.25)).clamp(0.2, 6.0)
        } else {
            0.2
        };
        match step {
            Some(s) if error <= 1.0 => {
                t += h;
                m = s.result;
                if last {
                    return Ok(m);
                }
                a0 = at[2];
                h *= if rejected { factor.min(1.0) } else { factor };
                rejected = false;
            }
            _ => {
                h *= factor.min(0.8);
                rejected = true;
                if !(h > 1e-15 * duration) {
                    return Err(PlanarFailure { t, h });
                }
            }
        }
    }
    Ok(m)
}

struct Step {
    result: PlanarTransition,
    error: f64,
}

fn radau_step(a0: &[f64; 4], at: &[[f64; 4]; 3], from: &PlanarTransition, h: f64) -> Option<Step> {
    let start = rates(a0, from.angle);
    let mut z = [0.0f64; 3];
    let mut stages = [0, 1, 2].map(|i| rates(&at[i], from.angle));
    let mut converged = false;
    let mut before = f64::INFINITY;
    for _ in 0..12 {
        // (I - h A diag(g')) δ = h A g - z
        let mut matrix = [[0.0; 4]; 3];
        for i in 0..3 {
            for j in 0..3 {
                matrix[i][j] = f64::from(u8::from(i == j)) - h * A[i][j] * stages[j].slope;
            }
            matrix[i][3] = h * (0..3).map(|j| A[i][j] * stages[j].angle).sum::<f64>() - z[i];
        }
        let delta = solve3(&mut matrix)?;
        let size = delta.iter().fold(0.0f64, |m, d| m.max(d.abs()));
        if !size.is_finite() || size > 2.0 * before {
            return None;
        }
        before = size;
        for i in 0..3 {
            z[i] += delta[i];
            stages[i] = rates(&at[i], from.angle + z[i]);
        }
        if size < 1e-13 {
            converged = true;
            break;
        }
    }
    if !converged || z.iter().any(|z| z.abs() > 0.7) {
        return None;
    }
    let raw = GAMMA0 * h * start.angle + E[0] * z[0] + E[1] * z[1] + E[2] * z[2];
    let mut error = (raw / (1.0 - h * GAMMA0 * start.slope).abs().max(1.0)).abs();
    let mut result = *from;
    result.angle += z[2];
    let mut increments = [[0.0; 3]; 2];
    for (k, increment) in increments.iter_mut().enumerate() {
        for i in 0..3 {
            increment[i] = h * (0..3).map(|j| A[i][j] * stages[j].growth[k]).sum::<f64>();
        }
        result.growth[k] += increment[2];
        let raw = GAMMA0 * h * start.growth[k] + (0..3).map(|i| E[i] * increment[i]).sum::<f64>();
        // Where the angle is strongly attracted the rates follow it, and the estimate is filtered in the same way.
        let filtered = raw / (1.0 - h * GAMMA0 * start.slope).abs().max(1.0);
        error = error.max(filtered.abs() / (1.0 + result.growth[k].abs()));
    }
    result.trace += h * (0..3).map(|j| A[2][j] * (at[j][0] + at[j][3])).sum::<f64>();
    let gap = |i: usize| from.growth[1] - from.growth[0] + increments[1][i] - increments[0][i];
    let begin = start.coupling * (from.growth[1] - from.growth[0]).exp();
    let couplings = [0, 1, 2].map(|i| stages[i].coupling * gap(i).exp());
    let shears = [0, 1, 2].map(|i| h * (0..3).map(|j| A[i][j] * couplings[j]).sum::<f64>());
    result.shear += shears[2];
    let raw = GAMMA0 * h * begin + (0..3).map(|i| E[i] * shears[i]).sum::<f64>();
    let filtered = raw / (1.0 - h * GAMMA0 * start.slope).abs().max(1.0);
    error = error.max(filtered.abs() / (1.0 + result.shear.abs()));
    (error.is_finite() && result.shear.is_finite()).then_some(Step { result, error })
}

/// Solve a 3×3 system given with its right-hand side as fourth column.
fn solve3(m: &mut [[f64; 4]; 3]) -> Option<[f64; 3]> {
    for k in 0..3 {
        let pivot = (k..3).max_by(|&i, &j| m[i][k].abs().total_cmp(&m[j][k].abs()))?;
        m.swap(k, pivot);
        if m[k][k] == 0.0 {
            return None;
        }
        for i in k + 1..3 {
            let f = m[i][k] / m[k][k];
            for j in k..4 {
                m[i][j] -= f * m[k][j];
            }
        }
    }
    let mut x = [0.0; 3];
    for k in (0..3).rev() {
        x[k] = (m[k][3] - (k + 1..3).map(|j| m[k][j] * x[j]).sum::<f64>()) / m[k][k];
    }
    Some(x)
}

impl PlanarTransition {
    /// Push the transition as factors of moderate size: the shear, equal parts of the growth, the rotation.
    ///
    /// # Errors
    /// [`FloquetError`] when a factor is not finite.
    pub fn push_to(&self, chain: &mut FactorChain) -> Result<(), FloquetError> {
        chain.push(2, 2, &[1.0, self.shear, 0.0, 1.0])?;
        // e^{±300} fits a double with room to spare.
        let parts = (self.growth[0].abs().max(self.growth[1].abs()) / 300.0).ceil().max(1.0);
        let (a, b) = ((self.growth[0] / parts).exp(), (self.growth[1] / parts).exp());
        for _ in 0..parts as usize {
            chain.push(2, 2, &[a, 0.0, 0.0, b])?;
        }
        let (s, c) = self.angle.sin_cos();
        chain.push(2, 2, &[c, -s, s, c])
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// w' = (Θ' J + Q(Θ) diag(a, b) Q(Θ)ᵀ) w has the solution Q(Θ(t)) diag(e^{at}, e^{bt}) for Θ(0) = 0.
    #[test]
    fn a_turning_saddle_keeps_both_logarithms() {
        for (a, b, duration) in [
            (3.0, -2.0, 2.0),
            (900.0, -4000.0, 3.0),
            (-4000.0, -3999.0, 1.0),
            (1e5, -3e5, 2.0),
        ] {
            let theta = |t: f64| 0.7 * t.sin();
            let m = planar_transition(duration, 1e-11, |t| {
                let (s, c) = theta(t).sin_cos();
                let rate = 0.7 * t.cos();
                [
                    a * c * c + b * s * s,
                    (a - b) * s * c - rate,
                    (a - b) * s * c + rate,
                    a * s * s + b * c * c,
                ]
            })
            .unwrap();
            assert!(
                (m.growth[0] - a * duration).abs() < 1e-9 * (a * duration).abs(),
                "{m:?}"
            );
            assert!(
                (m.growth[1] - b * duration).abs() < 1e-9 * (b * duration).abs(),
                "{m:?}"
            );
            assert!((m.angle - theta(duration)).abs() < 1e-9);
            assert!((m.trace - (a + b) * duration).abs() < 1e-10 * (a + b).abs() * duration);
        }
    }

    #[test]
    fn a_rotation_with_shear_is_the_matrix_exponential() {
        // Constant A with complex eigenvalues: M = exp(A t) in closed form.
        let a = [-0.3, 2.0, -1.5, 0.1];
        let t = 1.7;
        let m = planar_transition(t, 1e-12, |_| a).unwrap();
        let (half, det) = (0.5 * (a[0] + a[3]), a[0] * a[3] - a[1] * a[2]);
        let w = (det - half * half).sqrt();
        let (s, c) = (w * t).sin_cos();
        let e = (half * t).exp();
        let exact = [
            e * (c + (a[0] - half) * s / w),
            e * a[1] * s / w,
            e * a[2] * s / w,
            e * (c + (a[3] - half) * s / w),
        ];
        let (sa, ca) = m.angle.sin_cos();
        let (g, k) = (m.growth[0].exp(), m.growth[1].exp());
        let ours = [ca * g, ca * g * m.shear - sa * k, sa * g, sa * g * m.shear + ca * k];
        for (x, y) in exact.iter().zip(ours) {
            assert!((x - y).abs() < 1e-10, "{exact:?} {ours:?}");
        }
    }
}
