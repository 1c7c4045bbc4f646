//! A sliding shoe on a spring with Coulomb friction: finitely many half swings, then rest.
//!
//! `m r'' + k r = -μ m g sign r'` from rest at r₀. With d = μ m g/k and w = √(k/m) the shoe turns at t_n = nπ/w, where
//! r_{n+1} = -(r_n - 2d sign r_n), so |r_n| = |r₀| - 2nd, and stays where |r_n| ≤ d first holds.
//!
//! Source: Code_Aster test case SDND100 (its recurrence is garbled and its r(t) holds in the first half swing only).
//! Its modelling D lets friction act along one axis only, at 45° to the motion: there μ is effectively divided by √2.

use serde::Deserialize;
use std::f64::consts::PI;

/// The shoe.
///
/// ```
/// use slipstick_models::friction::shoe::Shoe;
/// let shoe = Shoe { mass: 1.0, stiffness: 4.0, mu: 0.1, gravity: 10.0, start: 1.9 };
/// // It turns every half period of its own, and each half swing takes 2 μ m g / k of the amplitude.
/// let turns = shoe.turning_points()?;
/// assert_eq!(turns.len(), shoe.half_swings() + 1);
/// assert!((turns[1].t - std::f64::consts::PI / shoe.natural_frequency()).abs() < 1e-14);
/// assert!(shoe.stop()?.r.abs() <= shoe.reach());
/// # Ok::<(), slipstick_models::friction::shoe::ShoeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Shoe {
    /// Mass m.
    pub mass: f64,
    /// Stiffness k.
    pub stiffness: f64,
    /// Coefficient of friction μ along the direction of motion.
    pub mu: f64,
    /// Gravity g.
    pub gravity: f64,
    /// Where it is released, at rest.
    pub start: f64,
}

impl Default for Shoe {
    /// The published case: 1 kg, 10⁴ N/m, μ = 0.1, 10 m/s², released at 0.85 mm.
    fn default() -> Self {
        Self {
            mass: 1.0,
            stiffness: 1e4,
            mu: 0.1,
            gravity: 10.0,
            start: 0.85e-3,
        }
    }
}

/// A parameter that makes no sense.
///
/// ```
/// use slipstick_models::friction::shoe::Shoe;
/// let shoe = Shoe { mass: -1.0, stiffness: 4.0, mu: 0.1, gravity: 10.0, start: 1.9 };
/// assert_eq!(shoe.check().unwrap_err().name, "mass");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("{name} = {value} is not possible: {requirement}")]
pub struct ShoeError {
    /// Which one.
    pub name: &'static str,
    /// Its value.
    pub value: f64,
    /// What it must satisfy.
    pub requirement: &'static str,
}

/// An instant at which the velocity vanishes.
///
/// ```
/// use slipstick_models::friction::shoe::Shoe;
/// let shoe = Shoe { mass: 1.0, stiffness: 4.0, mu: 0.1, gravity: 10.0, start: 1.9 };
/// let turns = shoe.turning_points()?;
/// assert!(turns.windows(2).all(|two| two[1].t > two[0].t && two[1].r.abs() < two[0].r.abs()));
/// # Ok::<(), slipstick_models::friction::shoe::ShoeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn {
    /// When.
    pub t: f64,
    /// Where.
    pub r: f64,
}

impl Shoe {
    /// The most half swings that are followed; more need friction below a ten-millionth of the spring force.
    pub const MOST_SWINGS: f64 = 1e7;

    /// The shoe when friction acts along one axis only, at `angle` to the motion: μ becomes μ |cos angle|.
    #[must_use]
    pub fn with_friction_along(self, angle: f64) -> Self {
        Self {
            mu: self.mu * angle.cos().abs(),
            ..self
        }
    }

    /// Check that every parameter makes sense.
    ///
    /// # Errors
    /// Names the first one that does not.
    pub fn check(&self) -> Result<(), ShoeError> {
        let positive = "it must be positive and finite";
        let rules = [
            ("mass", self.mass),
            ("stiffness", self.stiffness),
            ("mu", self.mu),
            ("gravity", self.gravity),
        ];
        if let Some((name, value)) = rules.into_iter().find(|(_, v)| !(*v > 0.0 && v.is_finite())) {
            return Err(ShoeError {
                name,
                value,
                requirement: positive,
            });
        }
        if !self.start.is_finite() {
            return Err(ShoeError {
                name: "start",
                value: self.start,
                requirement: "it must be a number",
            });
        }
        if self.start.abs() / self.reach() > Self::MOST_SWINGS {
            let requirement = "with so little friction the shoe swings more than five million times; use a larger mu";
            return Err(ShoeError {
                name: "mu",
                value: self.mu,
                requirement,
            });
        }
        Ok(())
    }

    /// d = μ m g/k: how far from the middle friction can hold the shoe.
    pub fn reach(&self) -> f64 {
        self.mu * self.mass * self.gravity / self.stiffness
    }

    /// w = √(k/m).
    pub fn natural_frequency(&self) -> f64 {
        (self.stiffness / self.mass).sqrt()
    }

    /// The number of half swings before it rests: the first n with |r₀| - 2nd ≤ d.
    ///
    /// Rounding must not decide the case of equality, in which it rests: an excess below a few units in the last place
    /// of r₀ is none.
    pub fn half_swings(&self) -> usize {
        let ratio = self.start.abs() / self.reach();
        ((ratio * (1.0 - 8.0 * f64::EPSILON) - 1.0) / 2.0).ceil().max(0.0) as usize
    }

    /// The turning points from the release on; the last one is where it stays.
    ///
    /// # Errors
    /// Parameters that make no sense.
    pub fn turning_points(&self) -> Result<Vec<Turn>, ShoeError> {
        self.check()?;
        Ok((0..=self.half_swings()).map(|n| self.turn(n)).collect())
    }

    /// When and where it comes to rest.
    ///
    /// # Errors
    /// Parameters that make no sense.
    pub fn stop(&self) -> Result<Turn, ShoeError> {
        self.check()?;
        Ok(self.turn(self.half_swings()))
    }

    fn turn(&self, n: usize) -> Turn {
        let side = if n.is_multiple_of(2) { 1.0 } else { -1.0 };
        let r = (self.start.abs() - 2.0 * n as f64 * self.reach()) * side * self.start.signum();
        Turn {
            t: n as f64 * PI / self.natural_frequency(),
            r,
        }
    }

    /// Displacement and velocity at time `t`.
    ///
    /// # Errors
    /// Parameters that make no sense.
    pub fn at(&self, t: f64) -> Result<(f64, f64), ShoeError> {
        let stop = self.stop()?;
        if t <= 0.0 {
            return Ok((self.start, 0.0));
        }
        if t >= stop.t {
            return Ok((stop.r, 0.0));
        }
        let w = self.natural_frequency();
        let from = self.turn((t * w / PI).floor() as usize);
        // The half swing is a cosine about the middle that friction shifts towards the side it comes from.
        let middle = self.reach() * from.r.signum();
        let (sin, cos) = (w * (t - from.t)).sin_cos();
        Ok((middle + (from.r - middle) * cos, -(from.r - middle) * w * sin))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::excessive_precision)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_4};

    #[track_caller]
    fn near(a: f64, b: f64, tolerance: f64) {
        assert!((a - b).abs() <= tolerance, "{a:.17e} is not {b:.17e}");
    }

    #[test]
    fn the_published_shoe() {
        let shoe = Shoe::default();
        let turns = shoe.turning_points().unwrap();
        let places = [0.85e-3, -0.65e-3, 0.45e-3, -0.25e-3, 0.05e-3];
        assert_eq!(turns.len(), 5);
        for (n, (turn, r)) in turns.iter().zip(places).enumerate() {
            near(turn.t, n as f64 * PI * 1e-2, 2e-17);
            near(turn.r, r, 1e-18);
        }
        near(shoe.stop().unwrap().t, 0.1256637061435917, 1e-16);
        let projected = [
            -4.596194077712559e-4,
            3.181980515339464e-4,
            -1.767766952966369e-4,
            3.535533905932738e-5,
        ];
        for (turn, y) in turns[1..].iter().zip(projected) {
            near(turn.r * FRAC_1_SQRT_2, y, 1e-18);
        }
        // Printed to four digits.
        for (turn, y) in turns[1..].iter().zip([-4.596e-4, 3.182e-4, -1.768e-4, 3.536e-5]) {
            near(turn.r * FRAC_1_SQRT_2, y, 5.01e-4 * y.abs());
        }
        // Modelling C: regression values of a code, a per cent off.
        for (turn, y) in turns[1..].iter().zip([-4.585e-4, 3.173e-4, -1.754e-4, 3.550e-5]) {
            near(turn.r * FRAC_1_SQRT_2, y, 0.01 * y.abs());
        }
    }

    #[test]
    fn friction_along_one_axis() {
        let shoe = Shoe::default().with_friction_along(FRAC_PI_4);
        near(shoe.reach(), 7.071067811865475e-5, 1e-19);
        let turns = shoe.turning_points().unwrap();
        assert_eq!(turns.len(), 7);
        let printed = [
            -5.010407640085654e-4,
            4.010407640085654e-4,
            -3.010407640085654e-4,
            2.010407640085654e-4,
            -1.010407640085654e-4,
        ];
        for (n, (turn, y)) in turns[1..].iter().zip(printed).enumerate() {
            near(turn.r * FRAC_1_SQRT_2, y, 2e-19);
            let n = n as i32 + 1;
            near(
                turn.r * FRAC_1_SQRT_2,
                (-1.0_f64).powi(n) * (0.85e-3 * FRAC_1_SQRT_2 - 1e-4 * f64::from(n)),
                2e-19,
            );
        }
        near(turns[6].t, 0.1884955592153876, 1e-16);
        near(turns[6].r, 1.471862576142971e-6, 3e-19);
    }

    #[test]
    fn equality_stops() {
        // |r_n| = d after n half swings, for values of r₀/d whose quotient rounds either way.
        for n in 0..40 {
            for d in [1e-4, 0.1, 0.3, 1.0 / 3.0, 0.7e-5] {
                let shoe = Shoe {
                    stiffness: 1.0,
                    mu: d / 10.0,
                    start: -f64::from(2 * n + 1) * d,
                    ..Shoe::default()
                };
                assert_eq!(shoe.half_swings(), n as usize, "n {n} d {d}");
                near(shoe.stop().unwrap().r.abs(), d, 100.0 * f64::EPSILON * d);
            }
        }
        // And it never moves from within reach.
        assert_eq!(
            Shoe {
                start: 0.9e-4,
                ..Shoe::default()
            }
            .turning_points()
            .unwrap()
            .len(),
            1
        );
        assert_eq!(
            Shoe {
                start: 0.0,
                ..Shoe::default()
            }
            .stop()
            .unwrap(),
            Turn { t: 0.0, r: 0.0 }
        );
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        assert_eq!(
            Shoe {
                mu: 0.0,
                ..Shoe::default()
            }
            .stop()
            .unwrap_err()
            .name,
            "mu"
        );
        assert!(
            Shoe {
                mu: 1e-12,
                ..Shoe::default()
            }
            .stop()
            .unwrap_err()
            .to_string()
            .contains("larger mu")
        );
        assert_eq!(
            Shoe {
                start: f64::NAN,
                ..Shoe::default()
            }
            .stop()
            .unwrap_err()
            .name,
            "start"
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn energy_is_lost_to_friction_alone(start in -1e-2..1e-2f64, mu in 0.02..1.0f64, share in 0.0..1.2f64) {
            let shoe = Shoe { start, mu, ..Shoe::default() };
            let t = share * shoe.stop().unwrap().t;
            let (r, v) = shoe.at(t).unwrap();
            // The way travelled: whole half swings and the part of this one.
            let turns = shoe.turning_points().unwrap();
            let done = turns.iter().filter(|p| p.t <= t).count() - 1;
            let way: f64 = turns[..=done].windows(2).map(|p| (p[1].r - p[0].r).abs()).sum::<f64>()
                + (r - turns[done].r).abs();
            let energy = |r: f64, v: f64| 0.5 * shoe.mass * v * v + 0.5 * shoe.stiffness * r * r;
            let lost = shoe.mu * shoe.mass * shoe.gravity * way;
            prop_assert!((energy(start, 0.0) - energy(r, v) - lost).abs() < 1e-12 * energy(start, 0.0).max(1e-9));
        }
    }
}
