//! The calibration of the bearing: its settings, and what one fit says of the bearing.
//!
//! What a record can tell: a, D, β and z₀, and with a bearing that shears also r = K/K_BP, sharpest in the combinations
//! r β (slope at rest) and 2D (1 - r) (height of a jump). K itself only through K_BP, and friction forces only through
//! K.

use super::model::Bearing;
use super::objective::{LinearFit, Shape};

/// How to calibrate.
///
/// ```
/// use slipstick_models::friction::bearing::Calibration;
/// let quick = Calibration { runs: 1, particles: 20, iterations: 10, ..Calibration::default() };
/// assert!(quick.check().is_ok());
/// assert!(Calibration { beta: (6e-4, 1e-4), ..quick }.check().is_err());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    /// The range of f_d/K to search, m.
    pub dynamic_reach: (f64, f64),
    /// The range of D = (f_s - f_d)/K to search, m; on a logarithmic scale.
    pub half_jump: (f64, f64),
    /// The range of β to search, m/K.
    pub beta: (f64, f64),
    /// Is x(0) unknown? If not, the record starts relaxed: x(0) = β T(0).
    pub free_start: bool,
    /// K_BP, N/m; `None` for a rigid bearing, whose K and friction forces cannot be identified.
    pub shear_stiffness: Option<f64>,
    /// Number of runs, from as many seeds.
    pub runs: usize,
    /// The seed of the first run; the others follow it.
    pub seed: u64,
    /// Particles of the swarm.
    pub particles: usize,
    /// Iterations of the swarm.
    pub iterations: u64,
}

impl Default for Calibration {
    /// The box and the number of runs of the source's Table 1.
    fn default() -> Self {
        Self {
            dynamic_reach: (0.2e-3, 6e-3),
            half_jump: (0.01e-3, 1.5e-3),
            beta: (1e-4, 6e-4),
            free_start: false,
            shear_stiffness: Some(2e9),
            runs: 10,
            seed: 1,
            particles: 60,
            iterations: 60,
        }
    }
}

/// Why there is no calibration.
///
/// ```
/// use slipstick_models::friction::bearing::{Calibration, CalibrationError};
/// let error = Calibration { shear_stiffness: Some(-1.0), ..Calibration::default() }.check().unwrap_err();
/// assert!(matches!(error, CalibrationError::Shear { value } if value == -1.0));
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CalibrationError {
    /// A range that is empty or not positive.
    #[error(
        "the range [{low}, {high}] to search for {name} is not possible: it must be positive, finite and not empty"
    )]
    Range {
        /// Of what.
        name: &'static str,
        /// Its lower end.
        low: f64,
        /// Its upper end.
        high: f64,
    },
    /// K_BP is not positive.
    #[error(
        "the shear stiffness {value} of the bearing is not possible: it must be positive, or absent for a rigid bearing"
    )]
    Shear {
        /// Its value.
        value: f64,
    },
    /// Nothing to run.
    #[error("a calibration needs at least one run, two particles and one iteration")]
    Effort,
    /// The optimiser failed.
    #[error("the optimiser stopped: {reason}")]
    Optimiser {
        /// What it says.
        reason: String,
    },
    /// No slip in the best fit.
    #[error(
        "the best fit never slips: the amplitude of β T is too small compared with the smallest f_d/K searched ({low:e} m) to identify friction. Extend the record, or lower the range of a"
    )]
    NoSlip {
        /// The smallest f_d/K.
        low: f64,
    },
}

/// The outcome of one run.
///
/// ```
/// use slipstick_models::friction::bearing::{Bearing, Calibration};
/// let (bearing, day) = (Bearing::default(), |k: usize| k as f64 / 8.0);
/// // A hundred days, eight samples a day, of a bearing whose parameters we know.
/// let t: Vec<f64> = (0..800).map(day).collect();
/// let temperature: Vec<f64> = t.iter().map(|t| 12.0 * (t / 11.0).sin() + 6.0 * (std::f64::consts::TAU * t).sin()).collect();
/// let shown = bearing.motion(&temperature).z;
/// let record = slipstick_models::friction::bearing::Record::new(t, temperature, shown)?;
/// let quick = Calibration { runs: 2, particles: 30, iterations: 25, ..Calibration::default() };
/// let fit = quick.fit(&record)?.best;
/// // a = f_s/K and β are found again, and r = K/K_BP with them.
/// assert!((fit.reach / (bearing.f_s / bearing.stiffness) - 1.0).abs() < 0.05, "{fit:?}");
/// assert!((fit.beta / bearing.beta - 1.0).abs() < 0.05 && fit.rms < 2e-5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    /// Its seed.
    pub seed: u64,
    /// Weighted root mean square residual, m.
    pub rms: f64,
    /// a = f_s/K, m.
    pub reach: f64,
    /// D = (f_s - f_d)/K, m.
    pub half_jump: f64,
    /// β, m/K.
    pub beta: f64,
    /// x(0) - β T(0), m.
    pub lead: f64,
    /// z₀, m.
    pub offset: f64,
    /// r = K/K_BP; zero for a rigid bearing.
    pub shear_share: f64,
    /// K = r K_BP, N/m, if K_BP is known.
    pub stiffness: Option<f64>,
    /// f_s = a K, N.
    pub f_s: Option<f64>,
    /// f_d = (a - D) K, N.
    pub f_d: Option<f64>,
    /// How many samples are preceded by a slip.
    pub slips: usize,
    /// Does it fit within 5 % of the best run? If not, the run was caught in a local minimum.
    pub reached: bool,
}

impl Calibration {
    /// Check the settings.
    ///
    /// # Errors
    /// Ranges, a shear stiffness or an effort that make no sense.
    pub fn check(&self) -> Result<(), CalibrationError> {
        let ranges = [
            ("f_d/K", self.dynamic_reach),
            ("D = (f_s - f_d)/K", self.half_jump),
            ("beta", self.beta),
        ];
        for (name, (low, high)) in ranges {
            if !(low > 0.0 && high > low && high.is_finite()) {
                return Err(CalibrationError::Range { name, low, high });
            }
        }
        if let Some(value) = self.shear_stiffness.filter(|k| !(*k > 0.0 && k.is_finite())) {
            return Err(CalibrationError::Shear { value });
        }
        if self.runs == 0 || self.particles < 2 || self.iterations == 0 {
            return Err(CalibrationError::Effort);
        }
        Ok(())
    }

    /// The bearing that a fit describes. Without K_BP its K is arbitrary (1 N/m), and the friction forces are in
    /// proportion.
    pub fn bearing(&self, fit: &Fit) -> Bearing {
        // A share r without shear stiffness is zero, and so is a fitted one at its bound: K then needs another scale.
        let stiffness = fit.stiffness.filter(|k| *k > 0.0).unwrap_or(1.0);
        Bearing {
            stiffness,
            f_s: fit.reach * stiffness,
            f_d: (fit.reach - fit.half_jump) * stiffness,
            beta: fit.beta,
            offset: fit.offset,
            shear_stiffness: self.shear_stiffness.filter(|_| fit.shear_share > 0.0),
        }
    }

    pub(super) fn describe(&self, seed: u64, shape: Shape, linear: LinearFit) -> Fit {
        let stiffness = self.shear_stiffness.map(|k| k * linear.share);
        Fit {
            seed,
            rms: linear.rms,
            reach: shape.a,
            half_jump: shape.d,
            beta: shape.beta,
            lead: shape.lead,
            offset: linear.offset,
            shear_share: linear.share,
            stiffness,
            f_s: stiffness.map(|k| k * shape.a),
            f_d: stiffness.map(|k| k * (shape.a - shape.d)),
            slips: linear.slips,
            reached: false,
        }
    }
}
