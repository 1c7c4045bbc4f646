//! Identification of the bearing from a record.
//!
//! The misfit is piecewise smooth in (a, D, β) with jumps where a slip changes its sample: no place for gradients. From
//! several seeds, a particle swarm searches the box in (f_d/K, ln D, β) and Nelder–Mead simplices polish; z₀ and r are
//! eliminated by least squares in every evaluation. These coordinates and the ladder of simplices matter: bearings with
//! the same f_d/K and many small jumps fit nearly as well as the right one, and catch a swarm in (a, D, β) nine times
//! out of ten. Then the set of parameters that fit as well as the best is sampled, which tells how well each is
//! identified.
//!
//! What a record can tell: a, D, β and z₀, and with a bearing that shears also r = K/K_BP, sharpest in the combinations
//! r β (slope at rest) and 2D (1 - r) (height of a jump). K itself only through K_BP, and friction forces only through
//! K.

use super::identifiability::{Identified, identify, quantities};
use super::model::Bearing;
use super::objective::{LinearFit, Objective, Shape};
use super::record::Record;
use argmin::core::{CostFunction, Executor, State};
use argmin::solver::neldermead::NelderMead;
use argmin::solver::particleswarm::ParticleSwarm;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use slipstick_numerics::stop::Scope;
use std::sync::Arc;

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

/// A parameter over the runs, as in the source's Table 1.
///
/// How far runs from different seeds agree; a run of its own has no spread:
///
/// ```
/// use slipstick_models::friction::bearing::{Bearing, Calibration, Record};
/// let t: Vec<f64> = (0..400).map(|k| k as f64 / 4.0).collect();
/// let temperature: Vec<f64> = t.iter().map(|t| 15.0 * (t / 9.0).sin()).collect();
/// let shown = Bearing::default().motion(&temperature).z;
/// let record = Record::new(t, temperature, shown)?;
/// let once = Calibration { runs: 1, particles: 15, iterations: 10, ..Calibration::default() };
/// let result = once.fit(&record)?;
/// assert!(result.spread.iter().all(|spread| spread.deviation == 0.0));
/// assert!(result.spread.iter().any(|spread| spread.mean == result.best.beta));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Its name.
    pub name: &'static str,
    /// The mean over the runs.
    pub mean: f64,
    /// The standard deviation; zero for a single run.
    pub deviation: f64,
    /// Deviation over mean.
    pub variation: f64,
}

/// The outcome of a calibration.
///
/// ```
/// use slipstick_models::friction::bearing::{Bearing, Calibration, Record};
/// let t: Vec<f64> = (0..400).map(|k| k as f64 / 4.0).collect();
/// let temperature: Vec<f64> = t.iter().map(|t| 15.0 * (t / 9.0).sin()).collect();
/// let shown = Bearing::default().motion(&temperature).z;
/// let record = Record::new(t, temperature, shown)?;
/// let quick = Calibration { runs: 2, particles: 15, iterations: 10, ..Calibration::default() };
/// let result = quick.fit(&record)?;
/// assert!(result.fits.len() == 2 && result.fits.iter().all(|fit| fit.rms >= result.best.rms));
/// // What the sensor shows is what the model says and what is left over.
/// for (i, residual) in result.residuals.iter().enumerate() {
///     assert!((record.displacement[i] - result.model[i] - residual).abs() < 1e-12);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CalibrationResult {
    /// The run that fits best.
    pub best: Fit,
    /// All runs, in the order of their seeds.
    pub fits: Vec<Fit>,
    /// Mean and spread over all runs.
    pub spread: Vec<Spread>,
    /// Mean and spread over the runs that reached the best fit.
    pub spread_of_reached: Vec<Spread>,
    /// What the record identifies, and how well.
    pub identified: Vec<Identified>,
    /// What the best fit says the sensor shows, m.
    pub model: Vec<f64>,
    /// The record less that, m.
    pub residuals: Vec<f64>,
}

/// The misfit on the unit cube, for the optimisers.
struct Misfit {
    objective: Arc<Objective>,
    ranges: [(f64, f64); 3],
}

impl Misfit {
    fn shape(&self, u: &[f64]) -> Shape {
        let linear = |i: usize| self.ranges[i].0 + u[i] * (self.ranges[i].1 - self.ranges[i].0);
        let (least, greatest) = self.ranges[1];
        let d = least * (greatest / least).powf(u[1]);
        let a = linear(0) + d;
        // The fourth coordinate, if any, is the lead over what friction can hold.
        let lead = u.get(3).map_or(0.0, |v| (2.0 * v - 1.0) * a);
        Shape {
            a,
            d,
            beta: linear(2),
            lead,
        }
    }
    fn evaluate(&self, u: &[f64]) -> f64 {
        let beyond: f64 = u.iter().map(|v| (v - v.clamp(0.0, 1.0)).abs()).sum();
        let inside: Vec<f64> = u.iter().map(|v| v.clamp(0.0, 1.0)).collect();
        // Outside the box: worse than anything at its wall, so that a simplex turns back.
        self.objective.fit(self.shape(&inside)).rms * (1.0 + beyond) + beyond
    }
}

impl CostFunction for Misfit {
    type Param = Vec<f64>;
    type Output = f64;
    fn cost(&self, u: &Vec<f64>) -> Result<f64, argmin::core::Error> {
        Ok(self.evaluate(u))
    }
}

impl Calibration {
    /// How many starting values of D, evenly on a logarithmic scale, the simplex tries after the swarm, less one.
    const RUNGS: u32 = 30;

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

    /// Calibrate on a record; runs go in parallel, and the result does not depend on how many at once.
    ///
    /// # Errors
    /// Settings that make no sense, an optimiser that fails, a record in which nothing slips.
    pub fn fit(&self, record: &Record) -> Result<CalibrationResult, CalibrationError> {
        self.check()?;
        let objective = Arc::new(Objective::new(record, self.shear_stiffness.is_some()));
        let seeds: Vec<u64> = (0..self.runs as u64).map(|i| self.seed.wrapping_add(i)).collect();
        let scope = Scope::here();
        let mut fits: Vec<Fit> = seeds
            .into_par_iter()
            .map(|seed| scope.enter(|| self.run(&objective, seed)))
            .collect::<Result<_, _>>()?;
        let smallest = fits.iter().map(|f| f.rms).fold(f64::INFINITY, f64::min);
        let negligible = negligible(record);
        fits.iter_mut()
            .for_each(|f| f.reached = f.rms <= 1.05 * smallest + negligible);
        let best = *fits
            .iter()
            .min_by(|a, b| a.rms.total_cmp(&b.rms))
            .ok_or(CalibrationError::Effort)?;
        if best.slips == 0 {
            return Err(CalibrationError::NoSlip {
                low: self.dynamic_reach.0,
            });
        }
        let identified = identify(&objective, &best, self, negligible);
        let bearing = self.bearing(&best);
        let model = bearing.motion_from(&record.temperature, best.lead).z;
        let residuals = record.displacement.iter().zip(&model).map(|(z, m)| z - m).collect();
        let reached: Vec<Fit> = fits.iter().filter(|f| f.reached).copied().collect();
        let (spread, spread_of_reached) = (spread(&fits), spread(&reached));
        Ok(CalibrationResult {
            best,
            fits,
            spread,
            spread_of_reached,
            identified,
            model,
            residuals,
        })
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

    fn misfit(&self, objective: &Arc<Objective>) -> Misfit {
        Misfit {
            objective: objective.clone(),
            ranges: [self.dynamic_reach, self.half_jump, self.beta],
        }
    }

    fn run(&self, objective: &Arc<Objective>, seed: u64) -> Result<Fit, CalibrationError> {
        let failed = |e: argmin::core::Error| CalibrationError::Optimiser { reason: e.to_string() };
        let unknowns = if self.free_start { 4 } else { 3 };
        let swarm = ParticleSwarm::new((vec![0.0; unknowns], vec![1.0; unknowns]), self.particles)
            .with_rng_generator(ChaCha8Rng::seed_from_u64(seed));
        let searched = Executor::new(self.misfit(objective), swarm)
            .configure(|s| s.max_iters(self.iterations))
            .timer(false)
            .run()
            .map_err(failed)?;
        let found = searched
            .state()
            .get_best_param()
            .map_or_else(|| vec![0.5; unknowns], |p| p.position.clone());
        // Many small jumps resemble the right few: the swarm may settle on the wrong rung with f_d/K and β nearly
        // right. Try every rung.
        let rungs = (0..=Self::RUNGS).map(|i| {
            let mut rung = found.clone();
            rung[1] = f64::from(i) / f64::from(Self::RUNGS);
            rung
        });
        let mut best = (f64::INFINITY, found.clone());
        for start in rungs.chain([found.clone()]) {
            for edge in [0.03, -0.03] {
                let tried = self.simplex(objective, &start, edge, 60)?;
                if tried.0 < best.0 {
                    best = tried;
                }
            }
        }
        // A simplex may collapse at a jump of the misfit: begin again, ever smaller, and the other way round.
        for edge in [0.05, -0.02, 0.01, -5e-3, 2e-3, -5e-4, 1e-4, -1e-5] {
            let tried = self.simplex(objective, &best.1, edge, 300)?;
            if tried.0 <= best.0 {
                best = tried;
            }
        }
        let mut u = best.1;
        let misfit = self.misfit(objective);
        u.iter_mut().for_each(|v| *v = v.clamp(0.0, 1.0));
        let shape = misfit.shape(&u);
        Ok(self.describe(seed, shape, objective.fit(shape)))
    }

    /// Nelder–Mead from a right-angled simplex with the given (signed) edge; the misfit reached, and where.
    fn simplex(
        &self,
        objective: &Arc<Objective>,
        start: &[f64],
        edge: f64,
        iterations: u64,
    ) -> Result<(f64, Vec<f64>), CalibrationError> {
        let mut corners = vec![start.to_vec()];
        for i in 0..start.len() {
            let mut corner = start.to_vec();
            corner[i] += if corner[i] + edge > 1.0 || corner[i] + edge < 0.0 {
                -edge
            } else {
                edge
            };
            corners.push(corner);
        }
        let result = Executor::new(self.misfit(objective), NelderMead::new(corners))
            .configure(|s| s.max_iters(iterations))
            .timer(false)
            .run()
            .map_err(|e| CalibrationError::Optimiser { reason: e.to_string() })?;
        let state = result.state();
        let place = state.get_best_param().cloned().unwrap_or_else(|| start.to_vec());
        Ok((state.get_best_cost(), place))
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

/// A misfit that is nothing: a millionth of the displacement's standard deviation.
fn negligible(record: &Record) -> f64 {
    let n = record.displacement.len() as f64;
    let mean = record.displacement.iter().sum::<f64>() / n;
    1e-6 * (record.displacement.iter().map(|z| (z - mean).powi(2)).sum::<f64>() / n).sqrt()
}

fn spread(fits: &[Fit]) -> Vec<Spread> {
    let n = fits.len() as f64;
    let count = fits.first().map_or(0, |f| quantities(f).len());
    (0..count)
        .map(|i| {
            let name = quantities(&fits[0])[i].0;
            let values: Vec<f64> = fits.iter().map(|f| quantities(f)[i].1).collect();
            let mean = values.iter().sum::<f64>() / n;
            let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
            let deviation = if fits.len() > 1 {
                (squares / (n - 1.0)).sqrt()
            } else {
                0.0
            };
            Spread {
                name,
                mean,
                deviation,
                variation: deviation / mean.abs(),
            }
        })
        .filter(|s| !s.mean.is_nan())
        .collect()
}
