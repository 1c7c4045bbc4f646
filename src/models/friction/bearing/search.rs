//! Identification of the bearing from a record.
//!
//! The misfit is piecewise smooth in (a, D, β) with jumps where a slip changes its sample: no place for gradients. From
//! several seeds, a particle swarm searches the box in (f_d/K, ln D, β) and Nelder–Mead simplices polish; z₀ and r are
//! eliminated by least squares in every evaluation. These coordinates and the ladder of simplices matter: bearings with
//! the same f_d/K and many small jumps fit nearly as well as the right one, and catch a swarm in (a, D, β) nine times
//! out of ten. Then the set of parameters that fit as well as the best is sampled, which tells how well each is
//! identified.

use super::calibration::{Calibration, CalibrationError, Fit};
use super::identifiability::{Identified, identify, quantities};
use super::objective::{Objective, Shape};
use super::record::Record;
use argmin::core::{CostFunction, Executor, State};
use argmin::solver::neldermead::NelderMead;
use argmin::solver::particleswarm::ParticleSwarm;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use slipstick_numerics::stop::Scope;
use std::sync::Arc;

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
