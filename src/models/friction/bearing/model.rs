//! The quasi-static model of the bearing and its sensor.

use super::record::{Record, RecordError};
use crate::friction::shaw::quasi_static::QuasiStatic;
use serde::Deserialize;
use std::f64::consts::TAU;

/// The parameters of the bearing.
///
/// ```
/// use slipstick_models::friction::bearing::Bearing;
/// let bearing = Bearing { shear_stiffness: None, ..Bearing::default() };
/// // A rigid bearing hides no shear. It rests until β T has moved by f_s/K, then jumps by 2 (f_s - f_d)/K.
/// assert_eq!(bearing.shear_share(), 0.0);
/// let law = bearing.law();
/// assert!((law.reach - 0.47e6 / 1.89e8).abs() < 1e-15 && (law.jump - 2.0 * 0.05e6 / 1.89e8).abs() < 1e-15);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Bearing {
    /// Stiffness K, N/m.
    pub stiffness: f64,
    /// Static friction f_s, N.
    pub f_s: f64,
    /// Dynamic friction f_d, N.
    pub f_d: f64,
    /// Dilatation β, m/K.
    pub beta: f64,
    /// Offset z₀ of the sensor, m.
    pub offset: f64,
    /// Stiffness K_BP of the bearing in shear, N/m; `None` when it is rigid.
    pub shear_stiffness: Option<f64>,
}

impl Default for Bearing {
    /// Near the mean of the source's Table 1, in consistent units.
    fn default() -> Self {
        Self {
            stiffness: 1.89e8,
            f_s: 0.47e6,
            f_d: 0.42e6,
            beta: 3.06e-4,
            offset: 9.67e-3,
            shear_stiffness: Some(2e9),
        }
    }
}

/// The response of a bearing to a record of temperature.
///
/// ```
/// use slipstick_models::friction::bearing::Bearing;
/// // Warmer and warmer: the bearing rests, then slips again and again.
/// let temperature: Vec<f64> = (0..400).map(|k| 0.1 * k as f64).collect();
/// let bearing = Bearing::default();
/// let motion = bearing.motion(&temperature);
/// let first = motion.slips[0];
/// assert!(motion.x[..first].iter().all(|x| *x == motion.x[0]));
/// assert!(bearing.beta * temperature[first] >= bearing.law().reach && motion.slips.len() > 5);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct BearingMotion {
    /// Displacement x of the bearing point, m.
    pub x: Vec<f64>,
    /// What the sensor shows, m.
    pub z: Vec<f64>,
    /// The samples before which the bearing has slipped.
    pub slips: Vec<usize>,
}

impl Bearing {
    /// r = K/K_BP, the share of the spring's extension that the sensor sees as shear.
    pub fn shear_share(&self) -> f64 {
        self.shear_stiffness.map_or(0.0, |k| self.stiffness / k)
    }

    /// The law of rest and slip.
    pub fn law(&self) -> QuasiStatic {
        QuasiStatic {
            reach: self.f_s / self.stiffness,
            jump: 2.0 * (self.f_s - self.f_d) / self.stiffness,
        }
    }

    /// The response to temperatures in order of time, starting relaxed: x = β T at the first.
    pub fn motion(&self, temperature: &[f64]) -> BearingMotion {
        self.motion_from(temperature, 0.0)
    }

    /// The same from x = β T + `lead` at the first temperature.
    pub fn motion_from(&self, temperature: &[f64], lead: f64) -> BearingMotion {
        let (law, r) = (self.law(), self.shear_share());
        let mut motion = BearingMotion {
            x: vec![],
            z: vec![],
            slips: vec![],
        };
        let mut x = temperature.first().map_or(0.0, |t| self.beta * t) + lead;
        for (i, t) in temperature.iter().enumerate() {
            let target = self.beta * t;
            let next = law.follow(x, target);
            if next != x {
                motion.slips.push(i);
            }
            x = next;
            motion.x.push(x);
            motion.z.push(self.offset + (1.0 - r) * x + r * target);
        }
        motion
    }

    /// A synthetic record of this bearing without random numbers: 300 days, a sample every ten minutes, under
    ///
    /// ```text
    /// T = 11 + 9 cos(2π (t + 17)/365.25) + 3 cos(2π (t - 0.625)) + 3 sin(2π t/11.3) + 2 sin(2π t/4.7 + 1)     (t in days, T in °C)
    /// ```
    ///
    /// # Errors
    /// Those of [`Record::new`], when the parameters are not numbers.
    pub fn synthetic_record(&self) -> Result<Record, RecordError> {
        const PER_DAY: f64 = 144.0;
        const SAMPLES: usize = 43_200;
        let t: Vec<f64> = (0..SAMPLES).map(|i| i as f64 / PER_DAY).collect();
        let temperature: Vec<f64> = t.iter().map(|&t| synthetic_temperature(t)).collect();
        let z = self.motion(&temperature).z;
        Record::new(t, temperature, z)
    }
}

fn synthetic_temperature(t: f64) -> f64 {
    11.0 + 9.0 * (TAU * (t + 17.0) / 365.25).cos()
        + 3.0 * (TAU * (t - 0.625)).cos()
        + 3.0 * (TAU * t / 11.3).sin()
        + 2.0 * (TAU * t / 4.7 + 1.0).sin()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::excessive_precision)]
mod tests {
    use super::*;

    #[test]
    fn the_synthetic_record() {
        let record = Bearing::default().synthetic_record().unwrap();
        let known = [
            (0, 0.015538929509616526),
            (1000, 0.015403252359533704),
            (5000, 0.014600631408329566),
            (10000, 0.01349004153545918),
            (20000, 0.010777593811454482),
            (30000, 0.010813887958754896),
            (40000, 0.014021081819909107),
            (43199, 0.014909956996316155),
        ];
        for (i, z) in known {
            assert!(
                (record.displacement[i] - z).abs() < 2e-17,
                "{i}: {:.18}",
                record.displacement[i]
            );
        }
        let n = record.displacement.len() as f64;
        let mean = record.displacement.iter().sum::<f64>() / n;
        let variance = record.displacement.iter().map(|z| (z - mean).powi(2)).sum::<f64>() / n;
        assert!((mean - 0.012518400038289).abs() < 1e-15);
        assert!((variance.sqrt() - 0.00172518350039).abs() < 1e-14);
        assert_eq!(Bearing::default().motion(&record.temperature).slips.len(), 19);
        assert!(record.notes.is_empty());
    }

    #[test]
    fn units_of_the_source() {
        let b = Bearing::default();
        let law = b.law();
        assert!((law.reach - 2.487e-3).abs() < 5e-7);
        assert!((law.jump - 0.529e-3).abs() < 5e-7);
        // Table 1 with its first K read as 1.75e8: the printed mean and deviation.
        let k: [f64; 10] = [1.75, 2.06, 1.81, 1.93, 1.98, 1.85, 1.8, 1.83, 1.9, 1.97];
        let mean = k.iter().sum::<f64>() / 10.0;
        let deviation = (k.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 9.0).sqrt();
        assert!(
            (mean - 1.888).abs() < 1e-12 && (deviation * 1e8 - 9.67e6).abs() < 2e4,
            "{deviation}"
        );
    }
}
