//! Wear power of a mass on a base that vibrates harmonically.
//!
//! The base accelerates by a₀ sin ωt (velocity -(a₀/ω) cos ωt). The mass sticks to it while a₀ |sin ωt| ≤ μ g, then
//! slips at the constant acceleration ±μ g; where the velocities meet again it sticks if a₀ |sin ωt| ≤ μ g there, else
//! the slip reverses. With η = μ g/a₀ and η* = 2/√(π² + 4) the motion settles in one of three regimes: stick (η ≥ 1),
//! stick-slip (η* < η < 1), slip-slip (η ≤ η*).
//!
//! The wear power is normal force times slip speed, m g |V| (Archard); over a window it is the mean of that. Friction
//! dissipates μ times as much. In phase φ = ω (t - t_s) after a slip has begun at phase θ with the sign σ of its
//! velocity,
//!
//! ```text
//! ω V/a₀ = -σ η φ + cos(θ + φ) - cos θ,      ω² ∫ V dt/a₀ = -σ η φ²/2 + sin(θ + φ) - sin θ - φ cos θ
//! ```
//!
//! Source: Code_Aster test case SDND104 (v3.04.104), after B. Westermo and F. Udwadia, Earthquake Eng. Struct. Dyn. 14
//! (1986) 135–146. Its table, headed [4 s, 11.99 s], is for the window [4 s, 12 s]; its dissipated-power formula has a
//! μ that its numbers do not; and "η < η* alternates phases of adherence and slip" must read η > η*.

use serde::Deserialize;
use slipstick_numerics::roots::{Probe, Search, first_zero};
use std::f64::consts::PI;

/// The critical η* = 2/√(π² + 4) = 0.537….
pub fn critical_eta() -> f64 {
    2.0 / PI.hypot(2.0)
}

/// The mass and the motion of its base.
///
/// ```
/// use slipstick_models::friction::wear::{Regime, VibratingBase, critical_eta};
/// let base = VibratingBase { mass: 1.0, gravity: 9.81, mu: 0.3, acceleration: 4.0, omega: 20.0 };
/// assert_eq!(base.regime(), Regime::StickSlip);
/// assert!(base.eta() < 1.0 && base.eta() > critical_eta());
/// assert!(base.asymptotic_wear_power()? > 0.0);
/// # Ok::<(), slipstick_models::friction::wear::WearError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct VibratingBase {
    /// Mass m.
    pub mass: f64,
    /// Gravity g.
    pub gravity: f64,
    /// Coefficient of friction μ.
    pub mu: f64,
    /// Amplitude a₀ of the acceleration of the base.
    pub acceleration: f64,
    /// Angular frequency ω.
    pub omega: f64,
}

impl Default for VibratingBase {
    /// The published case with a₀ = 1.5 m/s²: 1 kg, 10 m/s², μ = 0.1, ω = 2π rad/s.
    fn default() -> Self {
        Self {
            mass: 1.0,
            gravity: 10.0,
            mu: 0.1,
            acceleration: 1.5,
            omega: 2.0 * PI,
        }
    }
}

/// What the motion settles into.
///
/// ```
/// use slipstick_models::friction::wear::{Regime, VibratingBase};
/// let at = |acceleration| VibratingBase { mass: 1.0, gravity: 9.81, mu: 0.3, acceleration, omega: 20.0 }.regime();
/// assert_eq!([1.0, 4.0, 40.0].map(at), [Regime::Stick, Regime::StickSlip, Regime::SlipSlip]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Regime {
    /// Permanent adherence, η ≥ 1.
    Stick,
    /// Stick and slip alternate, η* < η < 1; periodic from the first slip on.
    StickSlip,
    /// Slip in one direction and then the other, η ≤ η*; periodic only asymptotically.
    SlipSlip,
}

impl std::fmt::Display for Regime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Stick => "stick",
            Self::StickSlip => "stick-slip",
            Self::SlipSlip => "slip-slip",
        })
    }
}

/// Why there is no answer.
///
/// ```
/// use slipstick_models::friction::wear::VibratingBase;
/// let base = VibratingBase { mass: 1.0, gravity: 9.81, mu: 0.3, acceleration: 4.0, omega: 20.0 };
/// assert!(base.wear_power(5.0, 1.0).unwrap_err().to_string().contains("window"));
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WearError {
    /// A parameter that makes no sense.
    #[error("{name} = {value} is not possible: it must be positive and finite")]
    Parameter {
        /// Which one.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// A window that is empty, or begins before the motion.
    #[error("no mean over the window [{from}, {to}]: it must begin at 0 or later and end after it begins")]
    TaylorPiece {
        /// Its start.
        from: f64,
        /// Its end.
        to: f64,
    },
    /// The slip could not be followed.
    #[error(
        "the end of the slip that begins at t = {t} cannot be isolated (η = {eta} is within rounding of a change of regime)"
    )]
    Slip {
        /// Its start.
        t: f64,
        /// μ g/a₀.
        eta: f64,
    },
}

/// One slip: relative velocity of one sign between two instants.
///
/// ```
/// use slipstick_models::friction::wear::VibratingBase;
/// let base = VibratingBase { mass: 1.0, gravity: 9.81, mu: 0.3, acceleration: 4.0, omega: 20.0 };
/// let first = base.slips().next().unwrap()?;
/// assert!(first.to > first.from && first.sticks && base.first_slip() == Some(first.from));
/// # Ok::<(), slipstick_models::friction::wear::WearError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slip {
    /// When it begins.
    pub from: f64,
    /// When the velocities meet again.
    pub to: f64,
    /// The sign of the velocity of the mass relative to the base.
    pub sign: f64,
    /// Does the mass stick afterwards (or does the slip reverse)?
    pub sticks: bool,
}

impl VibratingBase {
    /// Check that every parameter makes sense.
    ///
    /// # Errors
    /// Names the first one that does not.
    pub fn check(&self) -> Result<(), WearError> {
        let values = [
            ("mass", self.mass),
            ("gravity", self.gravity),
            ("mu", self.mu),
            ("acceleration", self.acceleration),
            ("omega", self.omega),
        ];
        match values.into_iter().find(|(_, v)| !(*v > 0.0 && v.is_finite())) {
            Some((name, value)) => Err(WearError::Parameter { name, value }),
            None => Ok(()),
        }
    }

    /// η = μ g/a₀.
    pub fn eta(&self) -> f64 {
        self.mu * self.gravity / self.acceleration
    }

    /// The regime.
    pub fn regime(&self) -> Regime {
        match self.eta() {
            eta if eta >= 1.0 => Regime::Stick,
            eta if eta > critical_eta() => Regime::StickSlip,
            _ => Regime::SlipSlip,
        }
    }

    /// t₁: when the first slip begins; `None` if the mass sticks for ever.
    pub fn first_slip(&self) -> Option<f64> {
        let eta = self.eta();
        (eta < 1.0).then(|| eta.asin() / self.omega)
    }

    /// t₂: when the velocities meet again after [`first_slip`](Self::first_slip).
    ///
    /// # Errors
    /// Parameters that make no sense.
    pub fn first_codimension_two(&self) -> Result<Option<f64>, WearError> {
        Ok(self.slips().next().transpose()?.map(|s| s.to))
    }

    /// ϑ: the phase time at which the slips of the periodic slip-slip motion begin (modulo π/ω); `None` in the other
    /// regimes.
    pub fn asymptotic_reversal(&self) -> Option<f64> {
        (self.regime() == Regime::SlipSlip).then(|| (0.5 * PI * self.eta()).acos() / self.omega)
    }

    /// The slips from t = 0 on, without end; none if the mass sticks for ever.
    pub fn slips(&self) -> impl Iterator<Item = Result<Slip, WearError>> + use<> {
        let base = *self;
        let mut next = match base.check() {
            Ok(()) => base.first_slip().map(|t| Ok((t, -1.0))),
            Err(e) => Some(Err(e)),
        };
        let mut half_periods = 0_u32;
        std::iter::from_fn(move || {
            let (from, sign) = match next.take()? {
                Ok(start) => start,
                Err(e) => return Some(Err(e)),
            };
            let Some(phase) = base.slip_length(from, sign) else {
                return Some(Err(WearError::Slip {
                    t: from,
                    eta: base.eta(),
                }));
            };
            let to = from + phase / base.omega;
            let sticks = (base.omega * to).sin().abs() <= base.eta();
            next = Some(Ok(if sticks {
                // The base next reaches the limit a whole number of half periods after t₁, whatever happened before.
                let t1 = base.eta().asin() / base.omega;
                half_periods += 1;
                // At η* the slip ends at the very onset of the next one: rounding must not make it wait for the one
                // after.
                let earliest = to * (1.0 - 16.0 * f64::EPSILON);
                while t1 + f64::from(half_periods) * PI / base.omega < earliest {
                    half_periods += 1;
                }
                let onset = (t1 + f64::from(half_periods) * PI / base.omega).max(to);
                (onset, if half_periods.is_multiple_of(2) { -1.0 } else { 1.0 })
            } else {
                (to, -sign)
            }));
            Some(Ok(Slip { from, to, sign, sticks }))
        })
    }

    /// The phase φ that a slip from `from` lasts: the first φ > 0 with sin(θ + φ/2) sinc(φ/2) = -σ η, which is V = 0
    /// divided by φ.
    fn slip_length(&self, from: f64, sign: f64) -> Option<f64> {
        let (theta, eta) = (self.omega * from, self.eta());
        // g is the mean over the slip of the excess of the base's acceleration over the friction's: positive at first,
        // -η over a whole period. |g''| ≤ 1/3, because g is an average of sines of θ + uφ with weights u² ≤ 1.
        let (sin0, cos0) = theta.sin_cos();
        let probe = |phi: f64, _: f64| {
            // means of sin and cos of θ + uφ over u in [0, 1], and of u cos(θ + uφ).
            let (s, c) = (phi * 0.5).sin_cos();
            let sinc = if phi < 1e-3 {
                1.0 - phi * phi / 24.0
            } else {
                s / (0.5 * phi)
            };
            let value = (sin0 * c + cos0 * s) * sinc;
            let slope = if phi < 1e-3 {
                0.5 * cos0 - phi / 3.0 * sin0 - phi * phi / 8.0 * cos0 + phi.powi(3) / 30.0 * sin0
            } else {
                ((theta + phi).sin() - value) / phi
            };
            Probe {
                value: -sign * value - eta,
                slope: -sign * slope,
                curvature: 1.0 / 3.0,
            }
        };
        let (floor, resolution) = (4.0 * f64::EPSILON, 4.0 * f64::EPSILON);
        let search = Search {
            from: 0.0,
            to: 2.0 * PI,
            horizon: 2.0 * PI,
            floor,
            resolution,
        };
        first_zero(search, probe).ok().flatten()
    }

    /// The velocity of the mass relative to the base at time `t`.
    ///
    /// # Errors
    /// Parameters that make no sense.
    pub fn relative_velocity(&self, t: f64) -> Result<f64, WearError> {
        for slip in self.slips() {
            let slip = slip?;
            if slip.from >= t {
                break;
            }
            if t <= slip.to {
                let (theta, phi) = (self.omega * slip.from, self.omega * (t - slip.from));
                let change = -slip.sign * self.eta() * phi - 2.0 * (theta + 0.5 * phi).sin() * (0.5 * phi).sin();
                return Ok(self.acceleration / self.omega * change);
            }
        }
        Ok(0.0)
    }

    /// ∫ m g |V| dt over the part of a slip from its begin to `t`.
    fn wear_since(&self, slip: &Slip, t: f64) -> f64 {
        let (theta, phi) = (self.omega * slip.from, self.omega * (t - slip.from));
        let (sin0, cos0) = theta.sin_cos();
        // -σ η φ²/2 + sin(θ+φ) - sin θ - φ cos θ, the last three together without cancellation for short slips.
        let area = -slip.sign * self.eta() * phi * phi * 0.5 - sin0 * one_minus_cos(phi) - cos0 * phi_minus_sin(phi);
        self.mass * self.gravity * self.acceleration / self.omega.powi(2) * slip.sign * area
    }

    /// ∫ m g |V| dt over a window of time: the wear energy.
    ///
    /// # Errors
    /// Parameters or windows that make no sense.
    pub fn wear_energy(&self, from: f64, to: f64) -> Result<f64, WearError> {
        self.check()?;
        if !(from >= 0.0 && to >= from && to.is_finite()) {
            return Err(WearError::TaylorPiece { from, to });
        }
        let mut energy = 0.0;
        for slip in self.slips() {
            let slip = slip?;
            if slip.from >= to {
                break;
            }
            if slip.to > from {
                energy += self.wear_since(&slip, slip.to.min(to)) - self.wear_since(&slip, slip.from.max(from));
            }
        }
        Ok(energy)
    }

    /// The mean wear power over a window of time.
    ///
    /// # Errors
    /// Parameters or windows that make no sense.
    pub fn wear_power(&self, from: f64, to: f64) -> Result<f64, WearError> {
        if to <= from {
            return Err(WearError::TaylorPiece { from, to });
        }
        Ok(self.wear_energy(from, to)? / (to - from))
    }

    /// The mean wear power of the periodic motion: in slip-slip (m g a₀/ω) √(4/π² - η²), in stick-slip that of one slip
    /// per half period.
    ///
    /// # Errors
    /// Parameters that make no sense.
    pub fn asymptotic_wear_power(&self) -> Result<f64, WearError> {
        self.check()?;
        match self.regime() {
            Regime::Stick => Ok(0.0),
            Regime::SlipSlip => Ok(self.slip_slip_formula()),
            Regime::StickSlip => {
                let slip = self.slips().next().transpose()?;
                Ok(slip.map_or(0.0, |s| self.wear_since(&s, s.to) * self.omega / PI))
            }
        }
    }

    /// (m g a₀/ω) √(4/π² - η²), whatever the regime: right for η ≤ η*, NaN for η > 2/π.
    pub fn slip_slip_formula(&self) -> f64 {
        let eta = self.eta();
        self.mass * self.gravity * self.acceleration / self.omega * ((2.0 / PI - eta) * (2.0 / PI + eta)).sqrt()
    }
}

fn one_minus_cos(phi: f64) -> f64 {
    2.0 * (0.5 * phi).sin().powi(2)
}

/// φ - sin φ.
fn phi_minus_sin(phi: f64) -> f64 {
    if phi < 1.0 {
        let q = phi * phi;
        let sum = (2..=10)
            .rev()
            .fold(1.0, |sum, k| 1.0 - q * sum / f64::from(2 * k * (2 * k + 1)));
        return phi * q / 6.0 * sum;
    }
    phi - phi.sin()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::excessive_precision)]
mod tests {
    use super::*;

    fn base(acceleration: f64) -> VibratingBase {
        VibratingBase {
            acceleration,
            ..VibratingBase::default()
        }
    }

    #[track_caller]
    fn near(a: f64, b: f64, tolerance: f64) {
        assert!(
            (a - b).abs() <= tolerance * b.abs().max(f64::MIN_POSITIVE),
            "{a:.17e} is not {b:.17e}"
        );
    }

    #[test]
    fn wear_power_of_the_published_cases() {
        let known = [
            (
                15.0,
                15.257521793943562308,
                15.267099589371613859,
                15.114614488611315470,
            ),
            (
                1.5,
                0.40910313286351074591,
                0.40906245101570892173,
                0.40906245101570892173,
            ),
            (
                1.01,
                2.2644718025510584037e-4,
                2.2616412127978695807e-4,
                2.2616412127978695807e-4,
            ),
            (0.99, 0.0, 0.0, 0.0),
        ];
        for (a0, short, long, asymptotic) in known {
            let b = base(a0);
            near(b.wear_power(4.0, 11.99).unwrap(), short, 1e-12);
            near(b.wear_power(4.0, 12.0).unwrap(), long, 1e-12);
            near(b.asymptotic_wear_power().unwrap(), asymptotic, 1e-12);
        }
        // The published table, to its digits, is the longer window.
        for (a0, printed) in [(15.0, 15.26709959), (1.5, 0.40906245), (1.01, 2.261641e-4)] {
            near(base(a0).wear_power(4.0, 12.0).unwrap(), printed, 2e-7);
        }
        // At 1.01 both windows hold the same energy: the mass sticks in the last hundredth of a second.
        near(
            base(1.01).wear_energy(4.0, 11.99).unwrap(),
            base(1.01).wear_energy(4.0, 12.0).unwrap(),
            1e-14,
        );
    }

    #[test]
    fn the_power_is_continuous_where_stick_vanishes() {
        // At a₀ = μ g/η* every slip ends where the next begins.
        let critical = VibratingBase::default().mu * VibratingBase::default().gravity / critical_eta();
        for a0 in [critical * (1.0 - 1e-9), critical, critical * (1.0 + 1e-9)] {
            let b = base(a0);
            near(b.wear_power(4.0, 12.0).unwrap(), b.slip_slip_formula(), 1e-8);
            near(b.asymptotic_wear_power().unwrap(), b.slip_slip_formula(), 1e-8);
        }
    }

    #[test]
    fn instants_of_the_published_cases() {
        near(critical_eta(), 0.53702927214631507685, 1e-15);
        near(base(1.5).first_slip().unwrap(), 0.11613976359938499463, 1e-15);
        near(
            base(1.5).first_codimension_two().unwrap().unwrap(),
            0.52889038619959029291,
            1e-15,
        );
        near(base(1.01).first_slip().unwrap(), 0.22758527455723949391, 1e-14);
        near(
            base(1.01).first_codimension_two().unwrap().unwrap(),
            0.29487409350908018510,
            1e-14,
        );
        near(base(15.0).asymptotic_reversal().unwrap(), 0.23330272028006693706, 1e-15);
        assert_eq!(base(15.0).regime(), Regime::SlipSlip);
        assert_eq!(base(1.5).regime(), Regime::StickSlip);
        assert_eq!(base(0.99).regime(), Regime::Stick);
        assert_eq!(
            (base(0.99).first_slip(), base(0.99).first_codimension_two().unwrap()),
            (None, None)
        );
    }

    #[test]
    fn the_energy_is_the_integral_of_the_relative_velocity() {
        for a0 in [15.0, 1.5, 1.01, 1.0 / 0.537, 1.0 / 0.5371] {
            let b = base(a0);
            let (from, to, n) = (0.3, 2.4, 40_000);
            let h = (to - from) / f64::from(n);
            let sum: f64 = (0..n)
                .map(|i| b.relative_velocity(from + h * (f64::from(i) + 0.5)).unwrap().abs())
                .sum();
            near(b.wear_energy(from, to).unwrap(), 10.0 * h * sum, 1e-6);
        }
    }

    #[test]
    fn the_slip_slip_motion_tends_to_its_periodic_limit() {
        let b = base(15.0);
        let slips: Vec<Slip> = b.slips().take(400).map(Result::unwrap).collect();
        assert!(slips.iter().all(|s| !s.sticks));
        let theta = b.asymptotic_reversal().unwrap();
        let last = slips[399].from;
        near((last - theta) / 0.5, ((last - theta) / 0.5).round(), 1e-10);
        near(
            b.wear_power(slips[398].from, slips[398].to).unwrap(),
            b.asymptotic_wear_power().unwrap(),
            1e-10,
        );
        // Both formulas meet at η*.
        let at = base(1.0 / critical_eta() * (1.0 - 1e-12));
        assert_eq!(at.regime(), Regime::StickSlip);
        near(at.asymptotic_wear_power().unwrap(), at.slip_slip_formula(), 1e-10);
    }

    #[test]
    fn weak_slip_has_the_power_of_its_expansion() {
        // η → 1, c = √(1 - η²) → 0: φ → 3c/η, E → (m g a₀/ω²) (9/8) c⁴/η³.
        for small in [1e-4, 1e-6] {
            let b = base(1.0 / (1.0 - small));
            let (eta, c) = (b.eta(), (1.0 - b.eta().powi(2)).sqrt());
            let energy = 10.0 * b.acceleration / b.omega.powi(2) * 1.125 * c.powi(4) / eta.powi(3);
            near(b.asymptotic_wear_power().unwrap(), energy * b.omega / PI, 3.0 * c * c);
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        assert!(matches!(
            base(-1.0).wear_power(0.0, 1.0),
            Err(WearError::Parameter {
                name: "acceleration",
                ..
            })
        ));
        assert!(matches!(
            base(2.0).wear_power(1.0, 1.0),
            Err(WearError::TaylorPiece { .. })
        ));
        assert!(matches!(
            base(2.0).wear_energy(-1.0, 1.0),
            Err(WearError::TaylorPiece { .. })
        ));
    }
}
