//! Shaw's oscillator: exact and Euler motions, convergence, slow forcing.

use super::{AnalysisResult, Outputs, Surroundings, evenly, numbers, worded};
use crate::friction::shaw::quasi_static::{first_slips, slow_forcing};
use crate::friction::shaw::{Cascade, EulerScheme, Forcing, Interpolation, Motion, Oscillator, Tone, convergence};
use crate::system::text::{Expression, Scope};
use serde::Deserialize;

/// The forcing T(t).
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub enum ForcingSpec {
    /// cos(ω t).
    Harmonic {
        /// ω.
        omega: f64,
    },
    /// A sum of tones `(amplitude, omega, phase)`.
    Tones(Vec<(f64, f64, f64)>),
    /// An expression of `t`, followed by cubics to `tolerance`.
    Expression {
        /// The expression.
        of: String,
        /// The largest error of the cubics.
        #[serde(default = "default_tolerance")]
        tolerance: f64,
    },
    /// The first two columns of a CSV file with points as decimals: times and values. A header is skipped.
    Csv {
        /// The file, relative to the study.
        file: String,
        /// Between samples.
        #[serde(default)]
        interpolation: Interpolation,
    },
}

fn default_tolerance() -> f64 {
    1e-10
}

impl ForcingSpec {
    fn parse(of: &str) -> Result<impl Fn(f64) -> f64 + use<>, String> {
        let expression = Expression::parse(of).map_err(|e| format!("the forcing `{of}`: {e}"))?;
        let mut scope = Scope::new();
        scope.state("t").map_err(|e| e.to_string())?;
        let tape = scope
            .compile(&[&expression])
            .map_err(|f| format!("the forcing `{of}`: {}", f.error))?;
        Ok(move |t: f64| {
            let mut out = [0.0];
            crate::system::Function::value(&tape, &[t], &[], &mut out);
            out[0]
        })
    }

    fn check(&self) -> Result<(), String> {
        match self {
            Self::Expression { of, .. } => Self::parse(of).map(|_| ()),
            _ => Ok(()),
        }
    }

    fn build(&self, around: Surroundings<'_>, to: f64) -> Result<Forcing, String> {
        match self {
            Self::Harmonic { omega } => Ok(Forcing::harmonic(*omega)),
            Self::Tones(list) => Ok(Forcing::tones(
                list.iter()
                    .map(|&(amplitude, omega, phase)| Tone {
                        amplitude,
                        omega,
                        phase,
                    })
                    .collect(),
            )),
            Self::Expression { of, tolerance } => {
                Forcing::function(Self::parse(of)?, 0.0, to, *tolerance).map_err(|e| e.to_string())
            }
            Self::Csv { file, interpolation } => {
                let path = around.folder.join(file);
                let text =
                    std::fs::read_to_string(&path).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
                let (mut t, mut v) = (vec![], vec![]);
                for (i, line) in text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty()) {
                    let fields: Vec<Option<f64>> =
                        line.split([',', ';', '\t']).map(|f| f.trim().parse().ok()).collect();
                    match fields.as_slice() {
                        [Some(a), Some(b), ..] => {
                            t.push(*a);
                            v.push(*b);
                        }
                        _ if i == 0 => {}
                        _ => {
                            return Err(format!(
                                "{}: line {} does not begin with two numbers",
                                path.display(),
                                i + 1
                            ));
                        }
                    }
                }
                Forcing::record(&t, &v, *interpolation).map_err(|e| format!("{}: {e}", path.display()))
            }
        }
    }
}

/// How a motion is computed.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub enum SolverSpec {
    /// Exactly, event by event.
    #[default]
    Exact,
    /// By the time stepping of the variational inequality.
    Euler {
        /// The time step.
        step: f64,
    },
}

/// A motion of Shaw's oscillator: `trajectories/<name>.csv`, and with the exact solver the instants τ in `tables/<name>-instants.csv`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShawSpec {
    /// Its name.
    pub name: String,
    /// The oscillator.
    #[serde(default)]
    pub oscillator: Oscillator,
    /// The forcing; cos(t/2) if left out.
    #[serde(default = "default_forcing")]
    pub forcing: ForcingSpec,
    /// Initial displacement.
    #[serde(default = "default_start")]
    pub start: f64,
    /// Initial velocity.
    #[serde(default)]
    pub velocity: f64,
    /// How long.
    #[serde(default = "default_time")]
    pub time: f64,
    /// Rows of the table, besides the instants.
    #[serde(default = "default_rows")]
    pub rows: usize,
    /// How it is computed.
    #[serde(default)]
    pub solver: SolverSpec,
}

fn default_forcing() -> ForcingSpec {
    ForcingSpec::Harmonic { omega: 0.5 }
}
fn default_start() -> f64 {
    5.0
}
fn default_time() -> f64 {
    28.0
}
fn default_rows() -> usize {
    1200
}

const MOTION: [&str; 5] = ["t", "x", "v", "b", "friction"];

impl ShawSpec {
    pub(super) fn outputs(&self) -> Outputs {
        let mut outputs = vec![(self.name.clone(), MOTION.to_vec())];
        if self.solver == SolverSpec::Exact {
            outputs.push((format!("{}-instants", self.name), vec!["t", "x", "b"]));
        }
        outputs
    }

    pub(super) fn check(&self) -> Result<(), String> {
        self.oscillator.check().map_err(|e| e.to_string())?;
        self.forcing.check()?;
        if let SolverSpec::Euler { step } = self.solver {
            EulerScheme::new(self.oscillator, step).map_err(|e| e.to_string())?;
        }
        positive("time", self.time)
    }

    pub(super) fn run(&self, around: Surroundings<'_>) -> Result<AnalysisResult, String> {
        let forcing = self.forcing.build(around, self.time)?;
        let start = (0.0, self.start, self.velocity);
        let mut result = AnalysisResult::default();
        match self.solver {
            SolverSpec::Exact => {
                let cascade = Cascade::new(self.oscillator, &forcing, start, self.time).map_err(|e| e.to_string())?;
                // The instants are rows of their own, so that corners are sharp.
                let mut times: Vec<f64> = evenly(0.0, self.time, self.rows).collect();
                times.extend(cascade.instants().iter().map(|i| i.t));
                times.sort_by(f64::total_cmp);
                times.dedup();
                let rows = times.into_iter().map(|t| cascade.at(t));
                let table = worded(
                    ["mode"],
                    MOTION,
                    rows.map(|s| ([s.motion.to_string()], [s.t, s.x, s.v, s.force, s.friction])),
                )?;
                result.motions.push((self.name.clone(), table));
                let instants = cascade.instants().iter();
                let rows = instants.map(|i| ([i.tau.to_string(), i.begins.to_string()], [i.t, i.x, i.force]));
                let table = worded(["tau", "begins"], ["t", "x", "b"], rows)?;
                result.tables.push((format!("{}-instants", self.name), table));
            }
            SolverSpec::Euler { step } => {
                let scheme = EulerScheme::new(self.oscillator, step).map_err(|e| e.to_string())?;
                let every = ((self.time / step) / self.rows.max(2) as f64).ceil().max(1.0) as usize;
                let o = self.oscillator;
                let rows = scheme
                    .path(|t| forcing.at(t), start, self.time)
                    .step_by(every)
                    .map(|(t, x, v)| {
                        let b = o.force(x, v, forcing.at(t));
                        let (motion, friction) = match v {
                            0.0 => (Motion::Stick, b.clamp(-o.f_s, o.f_s)),
                            v if v > 0.0 => (Motion::SlipUp, o.f_d),
                            _ => (Motion::SlipDown, -o.f_d),
                        };
                        ([motion.to_string()], [t, x, v, b, friction])
                    });
                result
                    .motions
                    .push((self.name.clone(), worded(["mode"], MOTION, rows)?));
            }
        }
        Ok(result)
    }
}

/// The error of the Euler scheme under cos(ω t): `tables/<name>.csv`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConvergenceSpec {
    /// Its name.
    pub name: String,
    /// The oscillator.
    #[serde(default)]
    pub oscillator: Oscillator,
    /// ω.
    #[serde(default = "default_omega")]
    pub omega: f64,
    /// Initial displacement, at rest.
    #[serde(default = "default_start")]
    pub start: f64,
    /// How long.
    #[serde(default = "default_time")]
    pub time: f64,
    /// Errors are taken at multiples of this time.
    #[serde(default = "default_every")]
    pub every: f64,
    /// The time steps.
    #[serde(default = "default_steps")]
    pub steps: Vec<f64>,
}

fn default_omega() -> f64 {
    0.5
}
fn default_every() -> f64 {
    0.1
}
fn default_steps() -> Vec<f64> {
    vec![1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4]
}

const CONVERGENCE: [&str; 4] = ["step", "displacement", "velocity", "order"];

impl ConvergenceSpec {
    pub(super) fn outputs(&self) -> Outputs {
        vec![(self.name.clone(), CONVERGENCE.to_vec())]
    }

    pub(super) fn check(&self) -> Result<(), String> {
        self.oscillator.check().map_err(|e| e.to_string())?;
        positive("time", self.time)?;
        positive("every", self.every)?;
        self.steps.iter().try_for_each(|&s| positive("steps", s))
    }

    pub(super) fn run(&self) -> Result<AnalysisResult, String> {
        let forcing = Forcing::harmonic(self.omega);
        let start = (0.0, self.start, 0.0);
        let rows = convergence(self.oscillator, &forcing, start, self.time, self.every, &self.steps);
        let rows = rows.map_err(|e| e.to_string())?.into_iter();
        let table = numbers(CONVERGENCE, rows.map(|r| [r.step, r.displacement, r.velocity, r.order]))?;
        Ok(AnalysisResult {
            tables: vec![(self.name.clone(), table)],
            ..AnalysisResult::default()
        })
    }
}

/// The quasi-static limit under cos(ω t): the whole motion in `tables/<name>.csv`, the first slip in `tables/<name>-slips.csv`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlowForcingSpec {
    /// Its name.
    pub name: String,
    /// The oscillator.
    #[serde(default)]
    pub oscillator: Oscillator,
    /// Initial displacement, at rest.
    #[serde(default = "default_start")]
    pub start: f64,
    /// The forcing frequencies.
    #[serde(default = "default_omegas")]
    pub omegas: Vec<f64>,
    /// How many periods of the forcing are compared.
    #[serde(default = "default_periods")]
    pub periods: f64,
}

fn default_omegas() -> Vec<f64> {
    vec![1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4, 5e-5, 2e-5, 1e-5]
}
fn default_periods() -> f64 {
    1.25
}

const SLOW: [&str; 3] = ["omega", "distance", "rms"];
const SLIPS: [&str; 8] = [
    "omega",
    "rate",
    "jump",
    "ramp_jump",
    "frozen_jump",
    "duration",
    "ramp_duration",
    "frozen_duration",
];

impl SlowForcingSpec {
    pub(super) fn outputs(&self) -> Outputs {
        vec![
            (self.name.clone(), SLOW.to_vec()),
            (format!("{}-slips", self.name), SLIPS.to_vec()),
        ]
    }

    pub(super) fn check(&self) -> Result<(), String> {
        self.oscillator.check().map_err(|e| e.to_string())?;
        positive("periods", self.periods)?;
        self.omegas.iter().try_for_each(|&w| positive("omegas", w))
    }

    pub(super) fn run(&self) -> Result<AnalysisResult, String> {
        let rows = slow_forcing(self.oscillator, self.start, &self.omegas, self.periods).map_err(|e| e.to_string())?;
        let whole = numbers(SLOW, rows.into_iter().map(|r| [r.omega, r.distance, r.rms]))?;
        let slips = first_slips(self.oscillator, self.start, &self.omegas).map_err(|e| e.to_string())?;
        let slips = slips.into_iter().flatten().map(|s| {
            [
                s.omega,
                s.rate,
                s.exact.jump,
                s.ramp.jump,
                s.frozen.jump,
                s.exact.duration,
                s.ramp.duration,
                s.frozen.duration,
            ]
        });
        let slips = numbers(SLIPS, slips)?;
        let tables = vec![(self.name.clone(), whole), (format!("{}-slips", self.name), slips)];
        Ok(AnalysisResult {
            tables,
            ..AnalysisResult::default()
        })
    }
}

fn positive(key: &str, value: f64) -> Result<(), String> {
    if value > 0.0 && value.is_finite() {
        Ok(())
    } else {
        Err(format!("{key} = {value} is not possible: give a positive number"))
    }
}
