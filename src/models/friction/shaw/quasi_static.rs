//! Slow forcing: the quasi-static map, the exact slip under a ramp, and the play operator.
//!
//! When the forcing does not move during a slip, the mass jumps by 2 (f_s - f_d)/K in half a natural period and rests.
//! Under a ramp
//! |d(βT)/dt| = r the slip can be solved exactly (no viscous damping): with w = √(K/m), D = (f_s - f_d)/K and q = r/w,
//!
//! ```text
//! w · duration = φ = π + 2 atan(q/D),     jump = D (1 - cos φ) + q (φ - sin φ) = 2D + π q + O(q²)
//! ```
//!
//! For f_s = f_d the two limits do not commute: the map does not move at all, while the exact slip is x = q (wt - sin
//! wt): on average the mass follows the ramp. The quasi-static limit is then the play operator: x keeps within f/K of β
//! T and moves no more than it must. (The source's remark that x_j stays at x₀ is the map's answer, not the limit's.)

use super::{Cascade, CascadeError, Forcing, Motion, Oscillator};
use std::f64::consts::PI;

/// The slip that the quasi-static map assumes.
///
/// ```
/// use slipstick_models::friction::shaw::{Oscillator, quasi_static::{frozen_slip, ramp_slip}};
/// // A forcing that moves while the mass slips carries it farther.
/// let oscillator = Oscillator::default();
/// assert!(ramp_slip(&oscillator, 0.1).jump > frozen_slip(&oscillator).jump);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slip {
    /// How long it takes.
    pub duration: f64,
    /// How far it goes.
    pub jump: f64,
}

/// The slip of the quasi-static map, (18): the forcing stands still meanwhile.
pub fn frozen_slip(oscillator: &Oscillator) -> Slip {
    Slip {
        duration: PI / oscillator.natural_frequency(),
        jump: 2.0 * (oscillator.f_s - oscillator.f_d) / oscillator.stiffness,
    }
}

/// The slip under a ramp with |db/dt| = `rate` at its onset, exact without viscous damping.
pub fn ramp_slip(oscillator: &Oscillator, rate: f64) -> Slip {
    let w = oscillator.natural_frequency();
    let d = (oscillator.f_s - oscillator.f_d) / oscillator.stiffness;
    let q = rate.abs() / (oscillator.stiffness * w);
    let phi = PI + 2.0 * q.atan2(d);
    Slip {
        duration: phi / w,
        jump: d * (1.0 - phi.cos()) + q * (phi - phi.sin()),
    }
}

/// The quasi-static response to a slowly moving target u = β T.
///
/// Rests while |u - x| ≤ `reach` = f_s/K; then jumps by `jump` = 2 (f_s - f_d)/K towards u as often as needed. For
/// `jump` = 0 it is the play operator (Krasnosel'skii and Pokrovskii, *Systems with Hysteresis*, Springer 1989).
///
/// ```
/// use slipstick_models::friction::shaw::{Oscillator, quasi_static::QuasiStatic};
/// // Rest until the target is farther than f_s/K, then one jump of 2 (f_s - f_d)/K.
/// let law = QuasiStatic::of(&Oscillator::default());
/// assert_eq!(law.follow(0.0, 1.0), 0.0);
/// assert!((law.follow(0.0, 1.3) - law.jump).abs() < 1e-15);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QuasiStatic {
    /// How far u may run ahead.
    pub reach: f64,
    /// How far one slip goes.
    pub jump: f64,
}

impl QuasiStatic {
    /// Of an oscillator.
    pub fn of(oscillator: &Oscillator) -> Self {
        Self {
            reach: oscillator.f_s / oscillator.stiffness,
            jump: frozen_slip(oscillator).jump,
        }
    }

    /// Where the mass rests after u has moved monotonically to `u`, having rested at `x` before.
    #[inline]
    pub fn follow(&self, x: f64, u: f64) -> f64 {
        let ahead = u - x;
        let beyond = ahead.abs() - self.reach;
        if beyond <= 0.0 {
            x
        } else if self.jump > 0.0 {
            x + (beyond / self.jump).ceil() * self.jump * ahead.signum()
        } else {
            x + beyond * ahead.signum()
        }
    }
}

/// One slip, three ways.
///
/// ```
/// use slipstick_models::friction::shaw::{Oscillator, quasi_static::first_slips};
/// let found = first_slips(Oscillator::default(), 5.0, &[1e-2, 1e-3])?;
/// let [fast, slow] = [found[0].ok_or("no slip")?, found[1].ok_or("no slip")?];
/// // The slower the forcing, the less it matters that it moves while the mass slips.
/// let off = |one: slipstick_models::friction::shaw::quasi_static::SlipComparison| (one.exact.jump - one.frozen.jump).abs();
/// assert!(off(slow) < 0.3 * off(fast));
/// // The ramp has most of that in it.
/// assert!((slow.exact.jump - slow.ramp.jump).abs() < 0.1 * off(slow));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlipComparison {
    /// Angular frequency of the forcing.
    pub omega: f64,
    /// |db/dt| at the onset.
    pub rate: f64,
    /// The exact slip (until the mass next rests).
    pub exact: Slip,
    /// Under a ramp with that rate.
    pub ramp: Slip,
    /// With the forcing frozen.
    pub frozen: Slip,
}

/// The first slip after resting at `x0` under cos(ω t), for each ω; `None` for those at which nothing slips in a
/// period.
///
/// # Errors
/// Those of [`Cascade::new`].
pub fn first_slips(
    oscillator: Oscillator,
    x0: f64,
    omegas: &[f64],
) -> Result<Vec<Option<SlipComparison>>, CascadeError> {
    omegas
        .iter()
        .map(|&omega| {
            let to = 2.0 * PI / omega + 4.0 * PI / oscillator.natural_frequency();
            let cascade = Cascade::new(oscillator, &Forcing::harmonic(omega), (0.0, x0, 0.0), to)?;
            let rows = cascade.instants();
            let onset = rows.iter().position(|i| i.begins != Motion::Stick);
            Ok(onset.and_then(|k| {
                let (onset, rest) = (rows[k], rows[k + 1..].iter().find(|i| i.begins == Motion::Stick)?);
                let rate = (oscillator.stiffness * oscillator.beta * omega * (omega * onset.t).sin()).abs();
                Some(SlipComparison {
                    omega,
                    rate,
                    exact: Slip {
                        duration: rest.t - onset.t,
                        jump: (rest.x - onset.x).abs(),
                    },
                    ramp: ramp_slip(&oscillator, rate),
                    frozen: frozen_slip(&oscillator),
                })
            }))
        })
        .collect()
}

/// How far the quasi-static response is from the exact one at one forcing frequency.
///
/// ```
/// use slipstick_models::friction::shaw::{Oscillator, quasi_static::slow_forcing};
/// let rows = slow_forcing(Oscillator::default(), 5.0, &[1e-2, 1e-3], 1.0)?;
/// // The mass follows the quasi-static law the better, the slower the forcing is.
/// assert!(rows[1].distance < rows[0].distance && rows[1].rms < rows[0].rms);
/// # Ok::<(), slipstick_models::friction::shaw::CascadeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlowForcingRow {
    /// Angular frequency of the forcing.
    pub omega: f64,
    /// For f_s > f_d: the largest distance between the places of the k-th rest, compared while both rest. For f_s =
    /// f_d: the largest distance of the two motions at the same time.
    pub distance: f64,
    /// The root mean square over time of the difference of the two motions at the same time.
    pub rms: f64,
}

/// Compare the exact motion with the quasi-static response over `periods` forcing periods from rest at `x0`, for each
/// ω.
///
/// For f_s > f_d each exact jump is longer by about π r/K w than the map's; the places of rest drift apart by the sum
/// of these, which vanishes like ω. At the same time t, one motion may have jumped when the other has not yet, so that
/// the difference of the motions vanishes only in the mean, like √ω. For f_s = f_d there are no jumps, and the motions
/// approach each other like ω.
///
/// # Errors
/// Those of [`Cascade::new`].
pub fn slow_forcing(
    oscillator: Oscillator,
    x0: f64,
    omegas: &[f64],
    periods: f64,
) -> Result<Vec<SlowForcingRow>, CascadeError> {
    const SAMPLES: f64 = 4000.0;
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let law = QuasiStatic::of(&oscillator);
    let jumps = law.jump > 0.0;
    omegas
        .iter()
        .map(|&omega| {
            let to = periods * 2.0 * PI / omega;
            let cascade = Cascade::new(oscillator, &Forcing::harmonic(omega), (0.0, x0, 0.0), to)?;
            let n = (SAMPLES * periods).ceil() as usize;
            let (mut x, mut sum, mut distance) = (x0, 0.0, 0.0_f64);
            let mut rests = vec![x0];
            for i in 0..=n {
                // Spread so that no multiple of the natural period beats with the sampling.
                let t = to * ((i as f64 + (i as f64 * GOLDEN).fract()) / (n + 1) as f64);
                let next = law.follow(x, oscillator.beta * (omega * t).cos());
                if jumps {
                    let count = ((next - x).abs() / law.jump).round() as usize;
                    rests.extend((1..=count).map(|k| x + k as f64 * law.jump * (next - x).signum()));
                }
                x = next;
                let difference = cascade.at(t).x - x;
                sum += difference * difference;
                if !jumps {
                    distance = distance.max(difference.abs());
                }
            }
            if jumps {
                let exact = cascade
                    .instants()
                    .iter()
                    .filter(|r| r.begins == Motion::Stick)
                    .map(|r| r.x);
                distance = exact.zip(rests).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            }
            Ok(SlowForcingRow {
                omega,
                distance,
                rms: (sum / (n + 1) as f64).sqrt(),
            })
        })
        .collect()
}
