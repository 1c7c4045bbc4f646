//! The orbit problem of periodic stick-slip motion, for the common continuation engine.
//!
//! Unknowns: the modal state at an onset of stick (2N numbers), the durations of the phases, the free parameters.
//! Equations: the state after the last phase is the first again, and every phase ends on its guard. Newton's bordered
//! systems are solved by GMRES with the exact, matrix-free derivative of [`super::trajectory`]: nearly all multipliers
//! of a damped structure are tiny, so some two dozen applications suffice whatever N is, each at the cost of one run
//! over the period. Unknowns and equations are scaled by energy.

use super::bowed::{BowedParameter, BowedStructure, PARAMETERS};
use super::collocation::ElasticContact;
use super::error::ElasticError;
use super::event::{ContactEvent, Phase};
use super::krylov::{gmres, leading_eigenvalues};
use super::orbit::{BowedMultiplier, BowedOrbit, OrbitOptions, word};
use super::trajectory::{FAR, Leg, Trajectory, Variation};
use slipstick_bifurcation::Inspect;
use slipstick_continuation::{Failure, Problem};

/// Relative residual of the linear solves.
const LINEAR: f64 = 1e-9;
/// A phase shorter than this part of the period has vanished.
const VANISHED: f64 = 1e-8;
/// Most applications of the derivative in one linear solve.
const APPLICATIONS: usize = 200;

/// The periodic orbit problem of one word.
///
/// ```
/// use slipstick_models::elastic::{BowedParameter, BowedProblem, BowedStructure, FrictionLaw, OrbitOptions, Structure};
/// use slipstick_continuation::{Newton, NewtonOptions, Problem};
/// let string = Structure::string(6, 1.0, 0.1, &[0.4])?;
/// let bowed = BowedStructure::new(&string, 0, FrictionLaw::bowed_string(), 1.5)?;
/// let options = OrbitOptions { multipliers: 0, ..OrbitOptions::default() };
/// let orbit = bowed.find_orbit(&bowed.start(-2.9, -2.7)?, 50.0, &options)?;
/// // The same word with the bow speed among the unknowns, solved where it is 1.51.
/// let mut problem = BowedProblem::new(&bowed, &orbit.phases, &[BowedParameter::V0], options)?;
/// let mut z = problem.guess(&orbit.onset, &orbit.durations);
/// let mut border = vec![0.0; problem.unknowns()];
/// *border.last_mut().unwrap() = 1.0;
/// let anchor = vec![0.0; z.len()];
/// Newton::default().solve(&mut problem, &mut z, &border, &anchor, &[1.51], &NewtonOptions::default())?;
/// let faster = problem.orbit(&z)?;
/// assert!((faster.parameters[0] - 1.51).abs() < 1e-12 && faster.word() == orbit.word());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct BowedProblem {
    pub(super) bowed: BowedStructure,
    pub(super) phases: Vec<Phase>,
    /// Indices of the free parameters.
    pub(super) free: Vec<usize>,
    pub(super) options: OrbitOptions,
    /// Largest time step.
    h: f64,
    /// ‖∂F_hold/∂z‖ in the energy norm.
    holding_scale: f64,
    pub(super) last: Option<Linearised>,
}

/// The last linearisation and its scales.
pub(super) struct Linearised {
    pub(super) trajectory: Trajectory,
    residual: f64,
    /// Size of every unknown in the linear solves.
    columns: Vec<f64>,
    /// Factor of every equation.
    rows: Vec<f64>,
}

impl BowedProblem {
    /// The orbits of `bowed` that run through `phases`, which begin with a stick, with these parameters free.
    pub fn new(
        bowed: &BowedStructure,
        phases: &[Phase],
        free: &[BowedParameter],
        options: OrbitOptions,
    ) -> Result<Self, ElasticError> {
        let repeats = phases.iter().zip(phases.iter().cycle().skip(1)).any(|(a, b)| a == b);
        if phases.first() != Some(&Phase::Stick) || phases.len() < 2 || repeats {
            return Err(ElasticError::Word { word: word(phases) });
        }
        let (contact, n) = (&bowed.contact, bowed.modes());
        // F_hold = Σ n_k (ω_k² x_k + 2 D_k ω_k x_k') / Σ n_k²: its derivative along unit energy directions
        let mut square = 0.0;
        for (k, w) in contact.omega().iter().enumerate() {
            let mut unit = vec![0.0; 2 * n];
            unit[k] = 1.0 / w;
            square += contact.holding_force(&unit).powi(2);
        }
        Ok(Self {
            h: options.resolution.step(contact)?,
            bowed: bowed.clone(),
            phases: phases.to_vec(),
            free: free.iter().map(|p| p.index()).collect(),
            options,
            holding_scale: square.sqrt(),
            last: None,
        })
    }

    fn modal(&self) -> usize {
        2 * self.bowed.modes()
    }

    /// Unknowns from an onset state and durations, at the present parameters.
    pub fn guess(&mut self, onset: &[f64], durations: &[f64]) -> Vec<f64> {
        let p = self.bowed.parameters();
        let free = self.free.iter().map(|&i| p[i]);
        onset.iter().chain(durations).copied().chain(free).collect()
    }

    /// The course at the last linearisation, or at `z` if there is none.
    fn linearised(&mut self, z: &[f64]) -> Result<&Linearised, ElasticError> {
        if self.last.is_none() {
            self.run(z)?;
        }
        self.last.as_ref().ok_or(ElasticError::Newton {
            why: "nothing was computed".into(),
            v0: 0.0,
            mu: 0.0,
        })
    }

    fn run(&mut self, z: &[f64]) -> Result<Vec<f64>, ElasticError> {
        let (m, k) = (self.modal(), self.phases.len());
        let mut parameters = self.bowed.parameters();
        for (&i, &value) in self.free.iter().zip(&z[m + k..]) {
            parameters[i] = value;
        }
        self.bowed = self.bowed.with_parameters(parameters)?;
        let trajectory = self.bowed.trajectory(&z[..m], &self.phases, &z[m..m + k], self.h)?;
        let end = trajectory.legs.last().map_or(&z[..m], |leg| &leg.end);
        let mut residual: Vec<f64> = end.iter().zip(z).map(|(a, b)| a - b).collect();
        let change = self.bowed.energy_norm(&residual);
        residual.extend(trajectory.legs.iter().map(|leg| leg.guard));
        let mut columns = vec![0.0; z.len()];
        self.sizes(z, &mut columns);
        let energy = self.bowed.energy_norm(&z[..m]);
        let mut rows: Vec<f64> = columns[..m].iter().map(|c| 1.0 / c).collect();
        for (i, leg) in trajectory.legs.iter().enumerate() {
            rows.push(match leg.phase {
                Phase::Stick => 1.0 / (energy * self.holding_scale),
                Phase::Slip(_) => 1.0 / (energy * self.bowed.contact.mobility().sqrt()),
            });
            columns[m + i] = energy / self.bowed.energy_norm(&leg.rate).max(1e-3 * energy);
        }
        self.last = Some(Linearised {
            trajectory,
            residual: change / energy,
            columns,
            rows,
        });
        Ok(residual)
    }

    /// The leading multipliers at the last linearisation. None where a guard is met with zero speed: the return map has
    /// no derivative there.
    pub(super) fn multipliers(&self, trajectory: &Trajectory) -> Vec<BowedMultiplier> {
        let count = self.options.multipliers;
        // accelerations and rates of force are compared with what the bound μ makes of a unit of time
        let slow = |leg: &Leg| {
            let unit = match leg.phase {
                Phase::Stick => self.bowed.law().mu(),
                Phase::Slip(_) => self.bowed.law().mu() * self.bowed.contact.mobility(),
            };
            !(self.bowed.guard_rate(leg).abs() > 1e-8 * unit)
        };
        if count == 0 || trajectory.legs.iter().any(slow) {
            return Vec::new();
        }
        let omega = self.bowed.contact.omega();
        let weight = |i: usize| omega.get(i).copied().unwrap_or(1.0);
        let apply = |u: &[f64]| {
            let z = u.iter().enumerate().map(|(i, u)| u / weight(i)).collect();
            let image = self.bowed.vary_return(
                trajectory,
                &Variation {
                    z,
                    parameters: [0.0; PARAMETERS],
                },
            );
            Ok::<_, std::convert::Infallible>(image.iter().enumerate().map(|(i, z)| z * weight(i)).collect::<Vec<_>>())
        };
        let Ok(values) = leading_eigenvalues(apply, self.modal(), (3 * count).max(24));
        values
            .into_iter()
            .take(count)
            .map(|(value, residual)| BowedMultiplier {
                value,
                residual: residual.max(f64::EPSILON),
            })
            .collect()
    }

    /// The orbit at the zero `z`.
    pub fn orbit(&mut self, z: &[f64]) -> Result<BowedOrbit, ElasticError> {
        let margin = self.values(z)?.into_iter().fold(f64::INFINITY, f64::min);
        let m = self.modal();
        let parameters = self.bowed.parameters();
        let last = self.linearised(z)?;
        let residual = last.residual;
        let legs = &last.trajectory.legs;
        let mut t = 0.0;
        let mut events = Vec::with_capacity(legs.len());
        let next = legs.iter().cycle().skip(1);
        for (leg, next) in legs.iter().zip(next) {
            t += leg.duration;
            let [force_before, force_after] = [leg.force[1], next.force[0]];
            events.push(ContactEvent {
                t,
                to: next.phase,
                y1: leg.y1[1],
                force_before,
                force_after,
            });
        }
        let [stick, y1_stick, y1_slip, gap, _, high, low] = measures(legs);
        let (onset, durations) = (z[..m].to_vec(), legs.iter().map(|leg| leg.duration).collect());
        let multipliers = match &self.last {
            Some(last) => self.multipliers(&last.trajectory),
            None => Vec::new(),
        };
        Ok(BowedOrbit {
            parameters,
            period: t,
            phases: self.phases.clone(),
            durations,
            onset,
            stick,
            y1_stick,
            y1_slip,
            gap,
            y1_range: [low, high],
            events,
            margin,
            residual,
            multipliers,
        })
    }

    /// The inequalities' values, in the order of [`Inspect::inequalities`].
    pub(super) fn values(&mut self, z: &[f64]) -> Result<Vec<f64>, ElasticError> {
        self.linearised(z)?;
        let Some(last) = &self.last else { return Ok(Vec::new()) };
        let legs = &last.trajectory.legs;
        let mu = self.bowed.law().mu();
        let least: f64 = VANISHED * legs.iter().map(|leg| leg.duration.abs()).sum::<f64>();
        let mut values = Vec::new();
        for (leg, next) in legs.iter().zip(legs.iter().cycle().skip(1)) {
            values.push(leg.duration - least);
            let rate = self.bowed.guard_rate(leg);
            match (leg.phase, next.phase) {
                (Phase::Stick, Phase::Slip(side)) => values.push(-side.sign() * rate),
                (Phase::Slip(side), Phase::Stick) => values.extend([-side.sign() * rate, mu - leg.holding.abs()]),
                (Phase::Slip(side), Phase::Slip(_)) => values.extend([-side.sign() * rate, leg.holding.abs() - mu]),
                (Phase::Stick, Phase::Stick) => {}
            }
            values.push(leg.least.min(FAR));
        }
        Ok(values)
    }

    /// What makes the motion at the last linearisation inadmissible, if anything does.
    pub fn broken(&mut self) -> Option<String> {
        let values = self.values(&[]).ok()?;
        let worst = values.iter().position(|&v| v < -1e-9)?;
        Some(self.inequalities().swap_remove(worst).meaning)
    }
}

/// stick, y1_stick, y1_slip, gap, force_stick, y1_max, y1_min.
pub(super) fn measures(legs: &[Leg]) -> [f64; 7] {
    let stick = legs
        .iter()
        .filter(|leg| leg.phase == Phase::Stick)
        .map(|leg| leg.duration)
        .sum();
    let high = legs.iter().fold(f64::NEG_INFINITY, |a, leg| a.max(leg.range[1]));
    let low = legs.iter().fold(f64::INFINITY, |a, leg| a.min(leg.range[0]));
    match (legs.first(), legs.last()) {
        (Some(first), Some(last)) => [
            stick,
            first.y1[0],
            first.y1[1],
            first.force[0] - last.force[1],
            first.force[0],
            high,
            low,
        ],
        _ => [f64::NAN; 7],
    }
}

impl Problem for BowedProblem {
    fn unknowns(&self) -> usize {
        self.modal() + self.phases.len() + self.free.len()
    }
    fn free(&self) -> usize {
        self.free.len()
    }
    fn weights(&self, z: &[f64], weights: &mut [f64]) {
        let (m, k, n) = (self.modal(), self.phases.len(), self.bowed.modes());
        let energy = self.bowed.energy_norm(&z[..m]).max(1e-8);
        let period: f64 = z[m..m + k].iter().map(|t| t.abs()).sum();
        for (i, weight) in weights.iter_mut().enumerate() {
            let size = if i < n {
                energy / self.bowed.contact.omega()[i]
            } else if i < m {
                energy
            } else if i < m + k {
                period
            } else {
                z[i].abs().max(0.1)
            };
            *weight = 1.0 / (size * size);
        }
    }
    fn linearise(&mut self, z: &[f64], residual: &mut [f64]) -> Result<(), Failure> {
        let values = self.run(z).map_err(|e| Failure::Evaluation(e.to_string()))?;
        residual.copy_from_slice(&values);
        Ok(())
    }
    fn solve(&mut self, border: &[f64], rhs: &mut [f64]) -> Result<(), Failure> {
        let Some(last) = &self.last else {
            return Err(Failure::Evaluation("the orbit problem was not linearised".into()));
        };
        let (m, k, unknowns) = (self.modal(), self.phases.len(), self.unknowns());
        let borders: Vec<(Vec<f64>, f64)> = border
            .chunks_exact(unknowns)
            .map(|row| {
                let scaled: Vec<f64> = row.iter().zip(&last.columns).map(|(b, c)| b * c).collect();
                let length = scaled.iter().map(|b| b * b).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
                (scaled.iter().map(|b| b / length).collect(), 1.0 / length)
            })
            .collect();
        let factors = || last.rows.iter().copied().chain(borders.iter().map(|b| b.1));
        let right: Vec<f64> = rhs.iter().zip(factors()).map(|(r, f)| r * f).collect();
        let apply = |u: &[f64]| {
            let change: Vec<f64> = u.iter().zip(&last.columns).map(|(u, c)| u * c).collect();
            let mut parameters = [0.0; PARAMETERS];
            for (&i, &p) in self.free.iter().zip(&change[m + k..]) {
                parameters[i] = p;
            }
            let variation = Variation {
                z: change[..m].to_vec(),
                parameters,
            };
            let varied = self.bowed.vary(&last.trajectory, &variation, &change[m..m + k]);
            let closing = varied.z.iter().zip(&change).map(|(a, b)| a - b).chain(varied.guards);
            let mut out: Vec<f64> = closing.zip(&last.rows).map(|(v, r)| v * r).collect();
            out.extend(
                borders
                    .iter()
                    .map(|(row, _)| row.iter().zip(u).map(|(b, u)| b * u).sum::<f64>()),
            );
            Ok::<_, std::convert::Infallible>(out)
        };
        let Ok(solve) = gmres(apply, &right, LINEAR, APPLICATIONS);
        if !(solve.residual < 1e-4) {
            let why = format!(
                "the linear solve stalled at a relative residual of {:.1e}",
                solve.residual
            );
            return Err(Failure::Evaluation(why));
        }
        for ((r, x), c) in rhs.iter_mut().zip(&solve.x).zip(&last.columns) {
            *r = x * c;
        }
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::elastic::{FrictionLaw, Side, Structure};

    #[test]
    fn words_that_make_no_sense_are_refused() {
        let string = Structure::string(4, 1.0, 0.1, &[0.4]).unwrap();
        let bowed = BowedStructure::new(&string, 0, FrictionLaw::bowed_string(), 1.5).unwrap();
        let refused = |phases: &[Phase]| BowedProblem::new(&bowed, phases, &[], OrbitOptions::default()).is_err();
        let slip = Phase::Slip(Side::Behind);
        assert!(refused(&[]) && refused(&[Phase::Stick]) && refused(&[slip, Phase::Stick]));
        assert!(refused(&[Phase::Stick, slip, slip]) && refused(&[Phase::Stick, slip, Phase::Stick]));
        assert!(!refused(&[Phase::Stick, slip]));
    }
}
