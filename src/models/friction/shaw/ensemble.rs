//! Many paths under a harmonic plus random forcing, and what they have in common.

use super::euler::LOOK_EVERY;
use super::{
    Cascade, CascadeError, EulerScheme, Forcing, Interpolation, Motion, OrnsteinUhlenbeck, Oscillator, ParameterError,
    Tau, Tone,
};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde::Deserialize;
use slipstick_numerics::stop::{Scope, look, unless_stopped};

/// How a path is solved.
///
/// ```
/// use slipstick_models::friction::shaw::{Ensemble, PathSolver};
/// let exact = Ensemble { solver: PathSolver::Exact, paths: 2, to: 3.0, ..Ensemble::default() };
/// assert_eq!(exact.run()?.paths.len(), 2);
/// # Ok::<(), slipstick_models::friction::shaw::CascadeError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum PathSolver {
    /// The Euler scheme of the variational inequality, on the grid of the noise.
    #[default]
    Euler,
    /// The exact motion under the noise joined by straight lines between the grid points.
    Exact,
}

/// An ensemble of paths under T(t) = cos(ω t) + ρ v(t), v an Ornstein–Uhlenbeck process.
///
/// ```
/// use slipstick_models::friction::shaw::Ensemble;
/// let ensemble = Ensemble { paths: 20, to: 10.0, ..Ensemble::default() };
/// let found = ensemble.run()?;
/// assert_eq!(found.paths.len(), 20);
/// assert!((0.0..=1.0).contains(&found.stick_fraction.mean) && found.stick_fraction.standard_error > 0.0);
/// # Ok::<(), slipstick_models::friction::shaw::CascadeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ensemble {
    /// The oscillator.
    pub oscillator: Oscillator,
    /// Angular frequency ω of the harmonic part.
    pub omega: f64,
    /// Strength ρ of the noise.
    pub rho: f64,
    /// The noise.
    pub noise: OrnsteinUhlenbeck,
    /// Initial displacement; the mass starts at rest.
    pub start: f64,
    /// Statistics are taken from this time …
    pub from: f64,
    /// … to this one.
    pub to: f64,
    /// The step of the noise and of the Euler scheme.
    pub step: f64,
    /// How a path is solved.
    pub solver: PathSolver,
    /// How many paths.
    pub paths: usize,
    /// The seed. Path i uses stream i of it: the same whatever the number of threads, and whatever the number of paths.
    pub seed: u64,
}

impl Default for Ensemble {
    /// The example of Bensoussan et al., §3.1.4, as in its Fig. 2.
    fn default() -> Self {
        Self {
            oscillator: Oscillator::default(),
            omega: 0.5,
            rho: 0.25,
            noise: OrnsteinUhlenbeck::default(),
            start: 5.0,
            from: 0.0,
            to: 30.0,
            step: 1e-2,
            solver: PathSolver::Euler,
            paths: 1000,
            seed: 1,
        }
    }
}

/// What is kept of one path.
///
/// ```
/// use slipstick_models::friction::shaw::{Ensemble, PathSolver};
/// let quiet = Ensemble { rho: 0.0, paths: 2, to: 50.0, solver: PathSolver::Exact, ..Ensemble::default() };
/// let path = quiet.run()?.paths[0];
/// // Without noise the mass sticks and slips under the harmonic forcing alone.
/// assert!(path.dynamic_phases > 1.0 && (0.0..1.0).contains(&path.stick_fraction));
/// assert!(path.mean_square.sqrt() <= path.max_abs);
/// # Ok::<(), slipstick_models::friction::shaw::CascadeError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PathSummary {
    /// How many dynamic phases begin in the window.
    pub dynamic_phases: f64,
    /// How many sub-phases begin in it.
    pub sub_phases: f64,
    /// How often the velocity leaves zero there. The Euler scheme hits zero for one step in about every second
    /// reversal, at whatever step, so that it leaves zero much more often than dynamic phases begin; for the exact
    /// motion it is every sub-phase.
    pub departures: f64,
    /// The fraction of the time at rest.
    pub stick_fraction: f64,
    /// The mean of x² over time.
    pub mean_square: f64,
    /// The largest |x|.
    pub max_abs: f64,
    /// x at the end.
    pub final_x: f64,
}

/// An ensemble mean with its uncertainty.
///
/// ```
/// use slipstick_models::friction::shaw::Ensemble;
/// let found = Ensemble { paths: 25, to: 10.0, ..Ensemble::default() }.run()?;
/// // The standard error of a mean over n paths is the deviation over √n.
/// let phases = found.dynamic_phases;
/// assert!((phases.standard_error - phases.deviation / 5.0).abs() < 1e-12 * (1.0 + phases.deviation));
/// # Ok::<(), slipstick_models::friction::shaw::CascadeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Statistic {
    /// The mean over the paths.
    pub mean: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// The standard deviation from path to path.
    pub deviation: f64,
}

/// The statistics of an ensemble.
///
/// ```
/// use slipstick_models::friction::shaw::Ensemble;
/// let found = Ensemble { paths: 12, to: 10.0, ..Ensemble::default() }.run()?;
/// // Means over the paths, which are all kept.
/// let mean = found.paths.iter().map(|path| path.final_x).sum::<f64>() / 12.0;
/// assert!((found.final_x.mean - mean).abs() < 1e-12 && found.named().len() == 7);
/// # Ok::<(), slipstick_models::friction::shaw::CascadeError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct EnsembleStatistics {
    /// Dynamic phases in the window.
    pub dynamic_phases: Statistic,
    /// Sub-phases in the window.
    pub sub_phases: Statistic,
    /// How often the velocity leaves zero in the window; see [`PathSummary::departures`].
    pub departures: Statistic,
    /// Fraction of the time at rest.
    pub stick_fraction: Statistic,
    /// Mean of x² over time.
    pub mean_square: Statistic,
    /// Largest |x|.
    pub max_abs: Statistic,
    /// x at the end.
    pub final_x: Statistic,
    /// The paths, in the order of their streams.
    pub paths: Vec<PathSummary>,
}

impl EnsembleStatistics {
    /// The statistics with their names in tables.
    pub fn named(&self) -> [(&'static str, Statistic); 7] {
        [
            ("dynamic_phases", self.dynamic_phases),
            ("sub_phases", self.sub_phases),
            ("departures", self.departures),
            ("stick_fraction", self.stick_fraction),
            ("mean_square", self.mean_square),
            ("max_abs_x", self.max_abs),
            ("final_x", self.final_x),
        ]
    }
}

impl Ensemble {
    /// Check that every number makes sense.
    ///
    /// # Errors
    /// Names the first one that does not.
    pub fn check(&self) -> Result<(), ParameterError> {
        self.oscillator.check()?;
        let rules: [(&'static str, f64, bool, &'static str); 8] = [
            ("step", self.step, self.step > 0.0, "a time step is positive"),
            (
                "rate",
                self.noise.rate,
                self.noise.rate > 0.0,
                "the rate of the noise must be positive",
            ),
            (
                "intensity",
                self.noise.intensity,
                self.noise.intensity >= 0.0,
                "an intensity is not negative",
            ),
            ("omega", self.omega, true, "it must be a number"),
            ("rho", self.rho, true, "it must be a number"),
            ("start", self.start, true, "it must be a number"),
            ("from", self.from, self.from >= 0.0, "time starts at 0"),
            (
                "to",
                self.to,
                self.to > self.from,
                "the window must end after it begins",
            ),
        ];
        for (name, value, holds, requirement) in rules {
            if !(holds && value.is_finite()) {
                return Err(ParameterError {
                    name,
                    value,
                    requirement,
                });
            }
        }
        if self.paths < 2 {
            let requirement = "a standard error needs at least two paths";
            return Err(ParameterError {
                name: "paths",
                value: self.paths as f64,
                requirement,
            });
        }
        Ok(())
    }

    /// Run all paths, in parallel, and collect their statistics.
    ///
    /// # Errors
    /// Numbers that make no sense, and those of [`Cascade::new`] for the exact solver.
    pub fn run(&self) -> Result<EnsembleStatistics, CascadeError> {
        self.check()?;
        let scope = Scope::here();
        // The first path that is ended ends all: there may be millions of them to come.
        let one = |i: u64| scope.enter(|| unless_stopped(|| self.path(i)));
        let all = (0..self.paths as u64).into_par_iter().map(one);
        let paths = match all.collect::<Option<Result<Vec<PathSummary>, CascadeError>>>() {
            Some(paths) => paths?,
            None => {
                look();
                vec![]
            }
        };
        let of = |f: fn(&PathSummary) -> f64| {
            let n = paths.len() as f64;
            let mean = paths.iter().map(f).sum::<f64>() / n;
            let variance = paths.iter().map(|p| (f(p) - mean).powi(2)).sum::<f64>() / (n - 1.0);
            Statistic {
                mean,
                standard_error: (variance / n).sqrt(),
                deviation: variance.sqrt(),
            }
        };
        Ok(EnsembleStatistics {
            dynamic_phases: of(|p| p.dynamic_phases),
            sub_phases: of(|p| p.sub_phases),
            departures: of(|p| p.departures),
            stick_fraction: of(|p| p.stick_fraction),
            mean_square: of(|p| p.mean_square),
            max_abs: of(|p| p.max_abs),
            final_x: of(|p| p.final_x),
            paths,
        })
    }

    /// The noise of path `i` at 0, h, 2h, ….
    pub fn noise_of(&self, i: u64) -> impl Iterator<Item = f64> + use<> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(i);
        self.noise.path(self.step, rng)
    }

    /// How many steps reach the end of the window.
    fn steps(&self) -> usize {
        (self.to / self.step + 1e-9).floor() as usize
    }

    /// The exact motion of path `i`, under the noise joined by straight lines.
    ///
    /// # Errors
    /// Those of [`Cascade::new`].
    pub fn exact_path(&self, i: u64) -> Result<Cascade, CascadeError> {
        // One more sample than needed, so that rounding cannot end the record before the window.
        let values: Vec<f64> = self.noise_of(i).take(self.steps() + 2).map(|v| self.rho * v).collect();
        let times: Vec<f64> = (0..values.len()).map(|n| n as f64 * self.step).collect();
        let tone = Tone {
            amplitude: 1.0,
            omega: self.omega,
            phase: 0.0,
        };
        let forcing = Forcing::record(&times, &values, Interpolation::Linear).map_err(|_| {
            CascadeError::Parameter(ParameterError {
                name: "step",
                value: self.step,
                requirement: "the window needs at least one step",
            })
        })?;
        let end = self.steps() as f64 * self.step;
        Cascade::new(
            self.oscillator,
            &forcing.with_tones(&[tone]),
            (0.0, self.start, 0.0),
            end,
        )
    }

    fn path(&self, i: u64) -> Result<PathSummary, CascadeError> {
        match self.solver {
            PathSolver::Euler => Ok(self.euler_summary(i)?),
            PathSolver::Exact => self.exact_summary(i),
        }
    }

    fn euler_summary(&self, i: u64) -> Result<PathSummary, ParameterError> {
        let scheme = EulerScheme::new(self.oscillator, self.step)?;
        let mut summary = PathSummary::default();
        let (mut x, mut v) = (self.start, 0.0);
        let first = (self.from / self.step).ceil() as usize;
        let last = self.steps();
        let mut resting = 0_usize;
        // Has the mass rested since it last moved, and which way did it move?
        let (mut after_transient, mut direction) = (true, 0.0);
        for (n, noise) in self.noise_of(i).enumerate().take(last + 1) {
            if n.is_multiple_of(LOOK_EVERY) {
                look();
            }
            let inside = n >= first;
            if inside {
                summary.max_abs = summary.max_abs.max(x.abs());
                let weight = if n == first || n == last { 0.5 } else { 1.0 };
                summary.mean_square += weight * x * x;
            }
            if n == last {
                break;
            }
            let forcing = (self.omega * (n as f64 * self.step)).cos() + self.rho * noise;
            let next = scheme.advance(x, v, forcing);
            // A static phase needs |b| ≤ f_s as well as no velocity: a zero of the velocity without it is part of a
            // reversal.
            let sticking = self.oscillator.force(x, 0.0, forcing).abs() <= self.oscillator.f_s;
            if v == 0.0 && sticking {
                after_transient = true;
            }
            if inside {
                if next.1 == 0.0 {
                    resting += 1;
                } else if v == 0.0 {
                    summary.departures += 1.0;
                }
                if next.1 != 0.0 && after_transient {
                    summary.dynamic_phases += 1.0;
                }
                if next.1 != 0.0 && (after_transient || next.1 * direction <= 0.0) {
                    summary.sub_phases += 1.0;
                }
            }
            if next.1 != 0.0 {
                (after_transient, direction) = (false, next.1.signum());
            }
            (x, v) = next;
        }
        let steps = (last - first).max(1) as f64;
        summary.stick_fraction = resting as f64 / steps;
        summary.mean_square /= steps;
        summary.final_x = x;
        Ok(summary)
    }

    fn exact_summary(&self, i: u64) -> Result<PathSummary, CascadeError> {
        let cascade = self.exact_path(i)?;
        let end = cascade.end();
        let mut summary = PathSummary::default();
        for instant in cascade
            .instants()
            .iter()
            .filter(|n| n.t >= self.from && n.begins != Motion::Stick)
        {
            summary.sub_phases += 1.0;
            summary.departures += 1.0;
            if matches!(instant.tau, Tau::Dynamic(_)) {
                summary.dynamic_phases += 1.0;
            }
            summary.max_abs = summary.max_abs.max(instant.x.abs());
        }
        let intervals = (((end - self.from) / self.step).round() as usize).max(1);
        for n in 0..=intervals {
            let x = cascade
                .at(self.from + (end - self.from) * (n as f64 / intervals as f64))
                .x;
            summary.mean_square += if n == 0 || n == intervals { 0.5 } else { 1.0 } * x * x;
            summary.max_abs = summary.max_abs.max(x.abs());
            summary.final_x = x;
        }
        summary.mean_square /= intervals as f64;
        summary.stick_fraction = cascade.time_at_rest(self.from, end) / (end - self.from);
        Ok(summary)
    }
}
