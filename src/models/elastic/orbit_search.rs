//! Periodic stick-slip motion of a bowed structure: found by simulation, solved as an orbit problem.

use super::bowed::BowedStructure;
use super::collocation::ElasticContact;
use super::error::ElasticError;
use super::event::Phase;
use super::march::StepEnd;
use super::orbit::{BowedOrbit, OrbitOptions};
use super::problem::BowedProblem;
use slipstick_continuation::{Newton, NewtonOptions};

/// One return found by simulation.
struct Return {
    onset: Vec<f64>,
    phases: Vec<Phase>,
    durations: Vec<f64>,
}

impl BowedStructure {
    /// The periodic orbit reached from the state `z`: simulate for the time `transient`, then until one return changes
    /// the onset state by less than a percent (at most 40 returns), then solve.
    pub fn find_orbit(&self, z: &[f64], transient: f64, options: &OrbitOptions) -> Result<BowedOrbit, ElasticError> {
        let found = self.after_transient(z, transient, options)?;
        let mut problem = BowedProblem::new(self, &found.phases, &[], *options)?;
        let start = problem.guess(&found.onset, &found.durations);
        self.solve(problem, start)
    }

    /// The orbit of the same word near `guess`, at the parameters of this structure.
    pub fn solve_orbit(&self, guess: &BowedOrbit, options: &OrbitOptions) -> Result<BowedOrbit, ElasticError> {
        let mut problem = BowedProblem::new(self, &guess.phases, &[], *options)?;
        let start = problem.guess(&guess.onset, &guess.durations);
        self.solve(problem, start)
    }

    fn solve(&self, mut problem: BowedProblem, mut z: Vec<f64>) -> Result<BowedOrbit, ElasticError> {
        let parameters = self.parameters();
        let options = NewtonOptions {
            damped: true,
            iterations: 25,
            ..NewtonOptions::default()
        };
        Newton::default()
            .solve(&mut problem, &mut z, &[], &[], &[], &options)
            .map_err(|e| ElasticError::Newton {
                why: e.to_string(),
                v0: parameters[0],
                mu: parameters[1],
            })?;
        let orbit = problem.orbit(&z)?;
        match problem.broken() {
            Some(what) => Err(ElasticError::Inadmissible {
                what,
                v0: parameters[0],
                mu: parameters[1],
            }),
            None => Ok(orbit),
        }
    }

    /// Simulate until the motion nearly repeats after `options.sticks` onsets of stick.
    fn after_transient(&self, z: &[f64], transient: f64, options: &OrbitOptions) -> Result<Return, ElasticError> {
        let mut march = self.march(z, &options.resolution)?;
        let patience = options.patience * 2.0 * std::f64::consts::PI / self.contact.omega_min();
        let mut last = 0.0;
        let mut current: Option<Return> = None;
        let mut since = 0.0;
        let mut returns = 0;
        loop {
            let phase = march.phase;
            let StepEnd::Event(event) = march.step()? else {
                if march.t > last + patience {
                    let (v0, mu) = (self.v0(), self.law().mu());
                    return Err(ElasticError::NoReturn {
                        t: last,
                        waited: patience,
                        v0,
                        mu,
                    });
                }
                continue;
            };
            last = event.t;
            if let Some(current) = &mut current {
                current.phases.push(phase);
                current.durations.push(event.t - since);
            }
            since = event.t;
            if event.to != Phase::Stick || event.t < transient {
                continue;
            }
            let sticks = |r: &Return| r.phases.iter().filter(|p| **p == Phase::Stick).count();
            if let Some(done) = current.take_if(|r| sticks(r) == options.sticks) {
                returns += 1;
                let change: Vec<f64> = done.onset.iter().zip(&march.state).map(|(a, b)| b - a).collect();
                if self.energy_norm(&change) < 0.01 * self.energy_norm(&done.onset) || returns == 40 {
                    return Ok(Return {
                        onset: march.state,
                        ..done
                    });
                }
            }
            current.get_or_insert_with(|| Return {
                onset: march.state.clone(),
                phases: vec![],
                durations: vec![],
            });
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::elastic::{BowedParameter, FrictionLaw, Resolution, Structure};
    use nalgebra::Complex;

    fn string(modes: usize) -> BowedStructure {
        let string = Structure::string(modes, 1.0, 0.1, &[0.4]).unwrap();
        BowedStructure::new(&string, 0, FrictionLaw::bowed_string(), 1.5).unwrap()
    }

    /// The state after the next return to stick, by simulation.
    fn returned(bowed: &BowedStructure, z: &[f64]) -> Vec<f64> {
        let mut march = bowed.march(&bowed.on_section(z), &Resolution::default()).unwrap();
        loop {
            if let StepEnd::Event(event) = march.step().unwrap()
                && event.to == Phase::Stick
            {
                return march.state;
            }
        }
    }

    #[test]
    fn multipliers_are_the_eigenvalues_of_the_return_map_by_differences() {
        let bowed = string(10);
        let z = bowed.start(-2.9224, -2.7668).unwrap();
        let options = OrbitOptions {
            multipliers: 20,
            ..OrbitOptions::default()
        };
        let orbit = bowed.find_orbit(&z, 12.0, &options).unwrap();
        assert_eq!((orbit.unstable(), orbit.word().as_str()), (Some(0), "stick slip-"));
        let column = |j: usize, h: f64| {
            let mut z = orbit.onset.clone();
            z[j] += h;
            returned(&bowed, &z)
        };
        let h = 1e-6;
        let mut matrix = nalgebra::DMatrix::zeros(20, 20);
        for j in 0..20 {
            let (up, down) = (column(j, h), column(j, -h));
            for i in 0..20 {
                matrix[(i, j)] = (up[i] - down[i]) / (2.0 * h);
            }
        }
        let mut values: Vec<Complex<f64>> = matrix.complex_eigenvalues().iter().copied().collect();
        values.sort_by(|a, b| b.norm().total_cmp(&a.norm()));
        for (multiplier, value) in orbit.multipliers.iter().zip(&values).take(8) {
            assert!(
                (multiplier.value.norm() - value.norm()).abs() < 1e-6,
                "{multiplier:?} {value}"
            );
            assert!(multiplier.residual < 1e-12);
        }
        // the projection onto the section adds a zero
        assert!(orbit.multipliers.last().unwrap().value.norm() < 1e-9);
    }

    #[test]
    fn the_orbit_attracts_at_the_rate_of_its_leading_multiplier() {
        let bowed = string(20);
        let z = bowed.start(-2.9224, -2.7668).unwrap();
        let orbit = bowed.find_orbit(&z, 12.0, &OrbitOptions::default()).unwrap();
        assert!(orbit.residual < 1e-11 && (orbit.multipliers[0].value.re - 0.559013490).abs() < 1e-8);
        let mut z = orbit.onset.clone();
        z[0] += 1e-4;
        let mut distances = Vec::new();
        for _ in 0..12 {
            z = returned(&bowed, &z);
            let off: Vec<f64> = z.iter().zip(&orbit.onset).map(|(a, b)| a - b).collect();
            distances.push(bowed.energy_norm(&off));
        }
        assert!(
            (distances[11] / distances[10] - orbit.multipliers[0].value.re).abs() < 2e-3,
            "{distances:?}"
        );
    }

    #[test]
    fn an_orbit_of_two_sticks_is_the_same_motion_and_squares_the_multipliers() {
        let bowed = string(10);
        let z = bowed.start(-2.9224, -2.7668).unwrap();
        let once = bowed.find_orbit(&z, 12.0, &OrbitOptions::default()).unwrap();
        let twice = bowed
            .find_orbit(
                &z,
                12.0,
                &OrbitOptions {
                    sticks: 2,
                    ..OrbitOptions::default()
                },
            )
            .unwrap();
        assert!((twice.period - 2.0 * once.period).abs() < 1e-10 && (twice.stick - 2.0 * once.stick).abs() < 1e-10);
        assert_eq!(twice.word(), "stick slip- stick slip-");
        assert!((twice.multipliers[0].value - once.multipliers[0].value.powi(2)).norm() < 1e-9);
        let motion = once.motion(&bowed, &[], &Resolution::default()).unwrap();
        let (first, last) = (motion.samples.first().unwrap(), motion.samples.last().unwrap());
        assert!((last.t - once.period).abs() < 1e-15 && (first.y1 - last.y1).abs() < 1e-10);
        let highest = motion.samples.iter().fold(f64::MIN, |a, s| a.max(s.y1));
        assert!(once.y1_range[1] >= highest && once.y1_range[1] - highest < 1e-2);
        // the same orbit again from a neighbour's
        let near = bowed
            .with(BowedParameter::V0, 1.49)
            .unwrap()
            .find_orbit(&z, 12.0, &OrbitOptions::default())
            .unwrap();
        let solved = bowed.solve_orbit(&near, &OrbitOptions::default()).unwrap();
        assert!((solved.period - once.period).abs() < 1e-11);
    }

    #[test]
    fn motion_without_stick_is_refused_in_words() {
        let string = Structure::string(10, 1.0, 0.2, &[0.4]).unwrap();
        let bowed = BowedStructure::new(&string, 0, FrictionLaw::bowed_string(), 6.0).unwrap();
        let z = bowed.start(0.0, 0.0).unwrap();
        let error = bowed
            .find_orbit(&z, 5.0, &OrbitOptions::default())
            .unwrap_err()
            .to_string();
        assert!(error.contains("no onset of stick"), "{error}");
    }
}
