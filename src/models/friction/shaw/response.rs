//! Closed-form response of a damped linear oscillator to a cubic and tones.
//!
//! ```text
//! x'' + 2γ x' + w² x = c₀ + c₁ s + c₂ s² + c₃ s³ + Σ A cos(ω s + φ),      x(0), x'(0) given
//! ```
//!
//! With λ± the roots of λ² + 2γ λ + w² = 0, the response from rest to `exp(μ s)` is the divided difference of μ ↦ exp(μ
//! s) at the nodes μ, λ₊, λ₋; the impulse response is the one at λ₊, λ₋. Written in this way nothing is singular at
//! resonance (μ = λ) or at critical damping (λ₊ = λ₋); the formulas below only choose the evaluation that cancels
//! least.
//!
//! Reference: A. McCurdy, K. C. Ng and B. N. Parlett, *Accurate computation of divided differences of the exponential
//! function*, Math. Comp. 43 (1984) 501–528.

use super::forcing::Local;
use nalgebra::Complex;
use smallvec::SmallVec;

type C = Complex<f64>;

/// The motion over one piece of forcing, from a state at s = 0.
#[derive(Clone, Debug)]
pub(super) enum Response {
    /// A piece short against every time scale: the power series of the motion, without any transcendental function.
    Series(SmallVec<[f64; 12]>),
    /// Any other.
    Closed(Box<Closed>),
}

impl Response {
    /// `forcing` is the right-hand side, needed up to `s = length`.
    pub(super) fn new(gamma: f64, w2: f64, x0: f64, v0: f64, forcing: Local, length: f64) -> Self {
        let fastest = (2.0 * gamma).max(w2.sqrt()).max(forcing.fastest());
        if fastest * length <= 0.25 {
            Self::Series(series(gamma, w2, x0, v0, &forcing, length))
        } else {
            Self::Closed(Box::new(Closed::new(gamma, w2, x0, v0, forcing)))
        }
    }

    /// Displacement and velocity at `s`.
    pub(super) fn at(&self, s: f64) -> (f64, f64) {
        match self {
            Self::Closed(closed) => closed.at(s),
            Self::Series(c) => c.iter().rev().fold((0.0, 0.0), |(x, v), &a| (x * s + a, v * s + x)),
        }
    }
}

/// The power series of the motion: (k+1)(k+2) a_{k+2} = u_k - 2γ (k+1) a_{k+1} - w² a_k with u_k that of the right-hand
/// side.
fn series(gamma: f64, w2: f64, x0: f64, v0: f64, forcing: &Local, length: f64) -> SmallVec<[f64; 12]> {
    const MOST: usize = 24;
    // For each tone: A cos and A sin of its phase, and ω^k/k!.
    let mut tones: SmallVec<[(f64, f64, f64, f64); 2]> = forcing
        .tones
        .iter()
        .map(|t| {
            let (sin, cos) = t.phase.sin_cos();
            (t.amplitude * cos, t.amplitude * sin, t.omega, 1.0)
        })
        .collect();
    let mut a: SmallVec<[f64; 12]> = SmallVec::from_slice(&[x0, v0]);
    let mut power = length * length;
    let mut largest = x0.abs().max((v0 * length).abs());
    let mut small = 0;
    for k in 0..MOST {
        let mut u = forcing.cubic.get(k).copied().unwrap_or(0.0);
        for (cos, sin, omega, scale) in &mut tones {
            let turned = match k % 4 {
                0 => *cos,
                1 => -*sin,
                2 => -*cos,
                _ => *sin,
            };
            u += turned * *scale;
            *scale *= *omega / (k + 1) as f64;
        }
        let next = (u - 2.0 * gamma * (k + 1) as f64 * a[k + 1] - w2 * a[k]) / ((k + 1) * (k + 2)) as f64;
        a.push(next);
        let term = (next * power).abs();
        largest = largest.max(term);
        // Two terms in a row must be negligible, in the displacement and (k times larger) in the velocity.
        small = if term * (k + 2) as f64 <= 0.1 * f64::EPSILON * largest {
            small + 1
        } else {
            0
        };
        if small == 2 && k >= 3 {
            break;
        }
        power *= length;
    }
    a
}

/// The closed form.
#[derive(Clone, Debug)]
pub(super) struct Closed {
    gamma: f64,
    w2: f64,
    lambda: [C; 2],
    x0: f64,
    v0: f64,
    forcing: Local,
}

impl Closed {
    fn new(gamma: f64, w2: f64, x0: f64, v0: f64, forcing: Local) -> Self {
        let root = C::new(gamma * gamma - w2, 0.0).sqrt();
        // The product of the roots is w²: the small one without cancellation.
        let far = -(root + gamma);
        let near = if root.re > 0.0 {
            C::new(w2, 0.0) / far
        } else {
            root - gamma
        };
        Self {
            gamma,
            w2,
            lambda: [near, far],
            x0,
            v0,
            forcing,
        }
    }

    fn at(&self, s: f64) -> (f64, f64) {
        let [l1, l2] = self.lambda;
        let impulse = first_difference(l1, l2, s).re;
        let impulse_rate = derivative_of_impulse(l1, l2, s);
        // Free motion: x₀ (h' + 2γ h) + v₀ h with h the impulse response, h'' = -2γ h' - w² h.
        let mut x = self.x0 * (impulse_rate + 2.0 * self.gamma * impulse) + self.v0 * impulse;
        let mut v = self.v0 * impulse_rate - self.x0 * self.w2 * impulse;
        let [c0, c1, c2, c3] = self.forcing.cubic;
        if self.forcing.cubic != [0.0; 4] {
            let p = self.power_responses(s);
            x += c0 * p[0] + c1 * p[1] + 2.0 * c2 * p[2] + 6.0 * c3 * p[3];
            v += c0 * impulse + c1 * p[0] + 2.0 * c2 * p[1] + 6.0 * c3 * p[2];
        }
        for tone in &self.forcing.tones {
            let mu = C::new(0.0, tone.omega);
            let amplitude = C::from_polar(tone.amplitude, tone.phase);
            let y = second_difference(mu, l1, l2, s);
            x += (amplitude * y).re;
            v += (amplitude * (mu * y + impulse)).re;
        }
        (x, v)
    }

    /// Responses from rest to 1, s, s²/2, s³/6; each is the derivative of the next.
    fn power_responses(&self, s: f64) -> [f64; 4] {
        let [l1, l2] = self.lambda;
        let (apart, size) = ((l1 - l2).norm(), l1.norm().max(l2.norm()));
        if size * s <= 1.0 {
            return self.power_series(s);
        }
        if apart * s >= 0.5 {
            let (a, b) = (single_responses(l1, s), single_responses(l2, s));
            return std::array::from_fn(|n| ((a[n] - b[n]) / (l1 - l2)).re);
        }
        // Nearly critical damping and a long time: w s is about γ s > 1/2, and dividing by w² is harmless.
        let impulse = first_difference(l1, l2, s).re;
        let mut before = [derivative_of_impulse(l1, l2, s), impulse];
        let mut power = 1.0;
        std::array::from_fn(|n| {
            let next = (power - 2.0 * self.gamma * before[1] - before[0]) / self.w2;
            power *= s / (n + 1) as f64;
            before = [before[1], next];
            next
        })
    }

    /// The same by the power series of the impulse response, early in a long piece.
    fn power_series(&self, s: f64) -> [f64; 4] {
        const TERMS: usize = 28;
        let mut h = [1.0, -2.0 * self.gamma];
        let mut term = [s * s / 2.0, s.powi(3) / 6.0, s.powi(4) / 24.0, s.powi(5) / 120.0];
        let mut sum = [0.0; 4];
        for k in 0..TERMS {
            for n in 0..4 {
                sum[n] += h[0] * term[n];
                term[n] *= s / (n + 3 + k) as f64;
            }
            h = [h[1], -2.0 * self.gamma * h[1] - self.w2 * h[0]];
        }
        sum
    }
}

/// sinh(z)/z.
fn sinhc(z: C) -> C {
    if z.norm() < 0.5 {
        let q = z * z;
        return (1..=9).rev().fold(C::new(1.0, 0.0), |sum, k| {
            q * sum / f64::from(2 * k * (2 * k + 1)) + 1.0
        });
    }
    z.sinh() / z
}

/// `(e^{as} - e^{bs})/(a - b)`.
fn first_difference(a: C, b: C, s: f64) -> C {
    let half = (a - b) * (0.5 * s);
    if half.re.abs() > 1.0 {
        return ((a * s).exp() - (b * s).exp()) / (a - b);
    }
    ((a + b) * (0.5 * s)).exp() * sinhc(half) * s
}

/// The derivative of the impulse response: the mean of the two exponentials plus the mean root times the impulse
/// response.
fn derivative_of_impulse(l1: C, l2: C, s: f64) -> f64 {
    let half = (l1 - l2) * (0.5 * s);
    if half.re.abs() > 1.0 {
        return ((l1 * (l1 * s).exp() - l2 * (l2 * s).exp()) / (l1 - l2)).re;
    }
    let mean = (l1 + l2) * 0.5;
    ((mean * s).exp() * (half.cosh() + mean * s * sinhc(half))).re
}

/// Divided difference of `z ↦ e^{zs}` at three nodes.
fn second_difference(a: C, b: C, c: C, s: f64) -> C {
    // Divide by the largest of the three differences; the nodes it separates are the first two.
    let candidates = [(a, b, c), (a, c, b), (b, c, a)];
    let (p, q, r) = candidates
        .into_iter()
        .max_by(|x, y| (x.0 - x.1).norm().total_cmp(&(y.0 - y.1).norm()))
        .unwrap_or((a, b, c));
    if (p - q).norm() * s >= 0.5 {
        return (first_difference(p, r, s) - first_difference(q, r, s)) / (p - q);
    }
    // Three nodes close together: expand about their mean, with the complete symmetric polynomials of the deviations.
    const TERMS: usize = 22;
    let mean = (a + b + c) / 3.0;
    let (x, y, z) = ((a - mean) * s, (b - mean) * s, (c - mean) * s);
    let (e2, e3) = (x * y + y * z + z * x, x * y * z);
    // h₀ = 1, h₁ = e₁ = 0, h_k = -e₂ h_{k-2} + e₃ h_{k-3}.
    let mut h = [C::new(0.0, 0.0), C::new(0.0, 0.0), C::new(1.0, 0.0)];
    let mut inverse_factorial = 0.5;
    let mut sum = C::new(0.0, 0.0);
    for k in 0..TERMS {
        sum += h[2] * inverse_factorial;
        inverse_factorial /= (k + 3) as f64;
        h = [h[1], h[2], e3 * h[0] - e2 * h[1]];
    }
    (mean * s).exp() * sum * s * s
}

/// Responses of x' = λ x from rest to 1, s, s²/2, s³/6.
fn single_responses(lambda: C, s: f64) -> [C; 4] {
    const TERMS: usize = 26;
    let z = lambda * s;
    if z.norm() <= 1.0 {
        return std::array::from_fn(|n| {
            // s^{n+1} Σ z^k/(k+n+1)!
            let mut term = C::new((1..=n + 1).fold(1.0, |t, i| t * s / i as f64), 0.0);
            let mut sum = C::new(0.0, 0.0);
            for k in 0..TERMS {
                sum += term;
                term *= z / (n + 2 + k) as f64;
            }
            sum
        });
    }
    let mut response = z.exp();
    let mut power = 1.0;
    std::array::from_fn(|n| {
        response = (response - power) / lambda;
        power *= s / (n + 1) as f64;
        response
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::friction::shaw::forcing::Tone;

    fn forcing(cubic: [f64; 4], tones: &[Tone]) -> Local {
        Local {
            length: f64::INFINITY,
            cubic,
            tones: tones.iter().copied().collect(),
        }
    }

    /// The same by classical Runge–Kutta steps, good to about 1e-12 here.
    fn integrated(gamma: f64, w2: f64, x0: f64, v0: f64, f: &Local, s: f64) -> (f64, f64) {
        let n = 4000;
        let h = s / f64::from(n);
        let rate = |t: f64, x: f64, v: f64| (v, f.derivative(t, 0) - 2.0 * gamma * v - w2 * x);
        let (mut x, mut v) = (x0, v0);
        for i in 0..n {
            let t = h * f64::from(i);
            let a = rate(t, x, v);
            let b = rate(t + h / 2.0, x + h / 2.0 * a.0, v + h / 2.0 * a.1);
            let c = rate(t + h / 2.0, x + h / 2.0 * b.0, v + h / 2.0 * b.1);
            let d = rate(t + h, x + h * c.0, v + h * c.1);
            x += h / 6.0 * (a.0 + 2.0 * (b.0 + c.0) + d.0);
            v += h / 6.0 * (a.1 + 2.0 * (b.1 + c.1) + d.1);
        }
        (x, v)
    }

    #[test]
    fn agrees_with_integration_in_every_regime_of_damping_and_at_resonance() {
        let tone = |omega| Tone {
            amplitude: 0.7,
            omega,
            phase: 0.4,
        };
        let cubic = [0.3, -0.2, 0.15, -0.04];
        for (gamma, w2) in [
            (0.0, 1.0),
            (0.3, 1.0),
            (1.0, 1.0),
            (1.0 + 1e-9, 1.0),
            (1.0 - 1e-6, 1.0),
            (3.0, 1.0),
            (2.0, 1e-4),
            (0.0, 1e-8),
        ] {
            for omega in [0.0, 0.5, f64::sqrt(w2), f64::sqrt(w2) + 1e-7, 2.3] {
                let f = forcing(cubic, &[tone(omega)]);
                let exact = Closed::new(gamma, w2, 0.8, -0.3, f.clone());
                for s in [1e-3, 0.2, 1.1, 4.0] {
                    let (x, v) = exact.at(s);
                    let (xi, vi) = integrated(gamma, w2, 0.8, -0.3, &f, s);
                    let (xs, vs) = Response::new(gamma, w2, 0.8, -0.3, f.clone(), s).at(s);
                    assert!(
                        (x - xs).abs().max((v - vs).abs()) < 2e-15,
                        "{gamma} {w2} {omega} {s}: {x} {xs} {v} {vs}"
                    );
                    let e = (x - xi).abs().max((v - vi).abs());
                    assert!(
                        e < 2e-11,
                        "gamma {gamma} w2 {w2} omega {omega} s {s}: {x} {xi} {v} {vi}"
                    );
                }
            }
        }
    }

    #[test]
    fn is_a_flow() {
        // Going to s and on to s + r is going to s + r, with the forcing shifted; checks long times to rounding.
        let f = |s: f64| {
            forcing(
                [0.3 + 0.1 * s, 0.1, 0.0, 0.0],
                &[Tone {
                    amplitude: 1.0,
                    omega: 1.0,
                    phase: s,
                }],
            )
        };
        for gamma in [0.0, 0.05, 1.0, 4.0] {
            let whole = Closed::new(gamma, 1.0, 0.1, 0.2, f(0.0)).at(17.0);
            let (x, v) = Closed::new(gamma, 1.0, 0.1, 0.2, f(0.0)).at(9.0);
            let part = Closed::new(gamma, 1.0, x, v, f(9.0)).at(8.0);
            assert!(
                (whole.0 - part.0).abs() < 1e-13 && (whole.1 - part.1).abs() < 1e-13,
                "{gamma}"
            );
        }
    }
}
