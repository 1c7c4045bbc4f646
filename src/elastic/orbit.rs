//! Periodic stick-slip motion of a bowed structure as an orbit problem.
//!
//! Unknown is the modal state z at the onset of stick; the equation is P(z) = z for the return map P of [`super::cycle`]. Newton's method
//! solves (DP - I) δ = z - P(z) by GMRES with the exact action of DP: almost all multipliers of a damped structure are tiny, so a
//! dozen actions suffice whatever N, and a Newton step for N modes costs O(N × steps). Norms are energy norms,
//! |z|² = Σ ω_k² x_k² + x_k'².

use super::bowed::BowedStructure;
use super::cycle::{Cycle, Variation, reusable_march};
use super::error::ElasticError;
use super::event::{ContactEvent, Phase};
use super::krylov::{gmres, leading_eigenvalues};
use super::march::{Resolution, StepEnd};
use super::modal::dot;
use super::motion::Motion;
use nalgebra::Complex;

/// How orbits are sought.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OrbitOptions {
    /// Time steps.
    pub resolution: Resolution,
    /// Newton stops at this residual, relative to the energy norm of the state.
    pub tolerance: f64,
    /// Most Newton steps.
    pub iterations: usize,
    /// Onsets of stick in one period.
    pub sticks: usize,
    /// Longest time without a change of phase, in periods of the lowest mode.
    pub patience: f64,
    /// How many multipliers are computed; 0 for none.
    pub multipliers: usize,
}

impl Default for OrbitOptions {
    fn default() -> Self {
        Self {
            resolution: Resolution::default(),
            tolerance: 1e-11,
            iterations: 12,
            sticks: 1,
            patience: 20.0,
            multipliers: 8,
        }
    }
}

/// A Floquet multiplier of the return map on the section y₂ = v₀ (the trivial multiplier 1 does not occur there).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Multiplier {
    /// μ.
    pub value: Complex<f64>,
    /// |DP v - μ v| / |v|: the accuracy to which it is known.
    pub residual: f64,
}

/// A periodic orbit with stick.
#[derive(Clone, Debug)]
pub struct BowedOrbit {
    /// Bow speed v₀.
    pub v0: f64,
    /// Friction bound μ.
    pub mu: f64,
    /// Period.
    pub period: f64,
    /// Total time in stick.
    pub stick: f64,
    /// Modal state at the onset of stick (N displacements, N velocities).
    pub onset: Vec<f64>,
    /// Contact displacement at the onset of stick.
    pub y1_stick: f64,
    /// Contact displacement when stick ends.
    pub y1_slip: f64,
    /// Jump of the contact force at the onset of stick.
    pub gap: f64,
    /// Changes of phase within one period after the onset of stick; the last is the next onset.
    pub events: Vec<ContactEvent>,
    /// |P(z) - z| / |z| in the energy norm.
    pub residual: f64,
    /// Leading multipliers, largest first.
    pub multipliers: Vec<Multiplier>,
}

impl BowedOrbit {
    /// The phases in order, from the onset of stick: `stick slip-`.
    pub fn word(&self) -> String {
        let mut word = "stick".to_owned();
        for event in self.events.iter().take(self.events.len().saturating_sub(1)) {
            word.push(' ');
            word.push_str(event.to.name());
        }
        word
    }
    /// The smallest distance of the force from its bounds over all onsets of stick, μ - |F|: how far the orbit is from losing one.
    pub fn margin(&self) -> f64 {
        let onsets = self.events.iter().filter(|e| e.to == Phase::Stick);
        onsets
            .map(|e| self.mu - e.force_after.abs())
            .fold(f64::INFINITY, f64::min)
    }
    /// Multipliers outside the unit circle; `None` when none were computed.
    pub fn unstable(&self) -> Option<usize> {
        let count = || self.multipliers.iter().filter(|m| m.value.norm() > 1.0).count();
        (!self.multipliers.is_empty()).then(count)
    }
    /// The motion over one period.
    pub fn motion(&self, bowed: &BowedStructure, resolution: &Resolution) -> Result<Motion, ElasticError> {
        let bowed = bowed.with_v0(self.v0).with_mu(self.mu)?;
        bowed.simulate(&bowed.on_section(&self.onset), self.period, &[], resolution)
    }
}

/// Weights of the energy norm.
pub(crate) fn weights(bowed: &BowedStructure) -> Vec<f64> {
    let omega = bowed.contact.omega();
    omega.iter().copied().chain(omega.iter().map(|_| 1.0)).collect()
}

/// The longest wait for the next stick.
pub(crate) fn patience(bowed: &BowedStructure, options: &OrbitOptions) -> f64 {
    use super::collocation::ElasticContact;
    options.patience * 2.0 * std::f64::consts::PI / bowed.contact.omega_min()
}

/// The state at the `count`-th onset of stick after time `transient`, on a motion from `z`.
fn onset_after(
    bowed: &BowedStructure,
    z: &[f64],
    transient: f64,
    options: &OrbitOptions,
) -> Result<Vec<f64>, ElasticError> {
    let mut march = bowed.march(z, &options.resolution)?;
    let wait = patience(bowed, options);
    let mut last = 0.0;
    loop {
        if let (StepEnd::Event(event), _) = march.step()? {
            last = event.t;
            if event.to == Phase::Stick && event.t >= transient {
                return Ok(march.state);
            }
        } else if march.t > transient.max(last) + wait {
            let (v0, mu) = (bowed.v0, bowed.law.mu());
            return Err(ElasticError::NoReturn {
                t: last,
                waited: wait,
                v0,
                mu,
            });
        }
    }
}

impl BowedStructure {
    /// The periodic orbit reached from the state `z`: simulate for the time `transient`, then until one return changes the onset state by
    /// less than a percent (at most 40 returns), then solve.
    pub fn find_orbit(&self, z: &[f64], transient: f64, options: &OrbitOptions) -> Result<BowedOrbit, ElasticError> {
        let mut onset = onset_after(self, z, transient, options)?;
        let weights = weights(self);
        let mut march = reusable_march(self, &self.on_section(&onset), &options.resolution)?;
        for _ in 0..40 {
            let cycle = self.cycle(&onset, &mut march, options.sticks, patience(self, options))?;
            onset = cycle.end.clone();
            if defect(&cycle, &weights).1 < 0.01 {
                break;
            }
        }
        self.solve_orbit(&onset, options)
    }

    /// The periodic orbit near the stick onset `onset`, by Newton's method; a step that makes things worse is halved.
    pub fn solve_orbit(&self, onset: &[f64], options: &OrbitOptions) -> Result<BowedOrbit, ElasticError> {
        let weights = weights(self);
        let mut march = reusable_march(self, &self.on_section(onset), &options.resolution)?;
        let wait = patience(self, options);
        let mut cycle = self.cycle(onset, &mut march, options.sticks, wait)?;
        let (mut right, mut residual) = defect(&cycle, &weights);
        for _ in 0..options.iterations {
            if residual <= options.tolerance {
                break;
            }
            // accuracy of the linear solve: enough to square the residual
            let tolerance = residual.clamp(1e-10, 1e-3);
            let solve = gmres(
                |u| Ok::<_, ElasticError>(self.apply(&cycle, u, &weights, -1.0)),
                &right,
                tolerance,
                80,
            )?;
            let mut share = 1.0;
            let better = loop {
                let z: Vec<f64> = cycle
                    .start
                    .iter()
                    .zip(&solve.x)
                    .zip(&weights)
                    .map(|((z, d), w)| z - share * d / w)
                    .collect();
                if let Ok(next) = self.cycle(&z, &mut march, options.sticks, wait) {
                    let (next_right, next_residual) = defect(&next, &weights);
                    if next_residual < residual {
                        (cycle, right, residual) = (next, next_right, next_residual);
                        break true;
                    }
                }
                share *= 0.5;
                // at rounding level no step improves
                if residual < 1e-9 || share < 1e-3 {
                    break false;
                }
            };
            if !better {
                break;
            }
        }
        if residual > options.tolerance.max(1e-9) {
            let iterations = options.iterations;
            return Err(ElasticError::Newton {
                residual,
                iterations,
                v0: self.v0,
                mu: self.law.mu(),
            });
        }
        let multipliers = self.multipliers(&cycle, &weights, options.multipliers);
        Ok(self.describe(&cycle, residual, multipliers))
    }

    /// DP u + shift · u in energy coordinates.
    pub(crate) fn apply(&self, cycle: &Cycle, u: &[f64], weights: &[f64], shift: f64) -> Vec<f64> {
        let z = u.iter().zip(weights).map(|(u, w)| u / w).collect();
        let varied = self.vary(cycle, &Variation { z, v0: 0.0, mu: 0.0 });
        varied
            .z
            .iter()
            .zip(weights)
            .zip(u)
            .map(|((z, w), u)| z * w + shift * u)
            .collect()
    }

    pub(crate) fn multipliers(&self, cycle: &Cycle, weights: &[f64], count: usize) -> Vec<Multiplier> {
        if count == 0 {
            return Vec::new();
        }
        let apply = |u: &[f64]| Ok::<_, std::convert::Infallible>(self.apply(cycle, u, weights, 0.0));
        let Ok(values) = leading_eigenvalues(apply, weights.len(), (3 * count).max(24));
        values
            .into_iter()
            .take(count)
            .map(|(value, residual)| Multiplier { value, residual })
            .collect()
    }

    pub(crate) fn describe(&self, cycle: &Cycle, residual: f64, multipliers: Vec<Multiplier>) -> BowedOrbit {
        let mut stick = 0.0;
        let mut since = Some(0.0);
        for event in &cycle.events {
            match (since, event.to) {
                (Some(start), Phase::Slip(_)) => {
                    stick += event.t - start;
                    since = None;
                }
                (None, Phase::Stick) => since = Some(event.t),
                _ => {}
            }
        }
        let (first, last) = (cycle.events.first(), cycle.events.last());
        BowedOrbit {
            v0: self.v0,
            mu: self.law.mu(),
            period: cycle.duration,
            stick,
            onset: cycle.start.clone(),
            y1_stick: cycle.y1,
            y1_slip: first.map_or(f64::NAN, |e| e.y1),
            gap: last.map_or(f64::NAN, ContactEvent::gap),
            events: cycle.events.clone(),
            residual,
            multipliers,
        }
    }
}

/// P(z) - z in energy coordinates, and its size relative to z.
pub(crate) fn defect(cycle: &Cycle, weights: &[f64]) -> (Vec<f64>, f64) {
    let change: Vec<f64> = cycle
        .start
        .iter()
        .zip(&cycle.end)
        .zip(weights)
        .map(|((a, b), w)| w * (b - a))
        .collect();
    let relative = norm(&change) / norm(&scaled(&cycle.start, weights));
    (change, relative)
}
/// Elementwise product.
pub(crate) fn scaled(z: &[f64], weights: &[f64]) -> Vec<f64> {
    z.iter().zip(weights).map(|(z, w)| z * w).collect()
}
/// Euclidean norm.
pub(crate) fn norm(v: &[f64]) -> f64 {
    dot(v, v).sqrt()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::elastic::{FrictionLaw, Structure};

    fn string(modes: usize) -> BowedStructure {
        let string = Structure::string(modes, 1.0, 0.1, &[0.4]).unwrap();
        BowedStructure::new(&string, 0, FrictionLaw::bowed_string(), 1.5).unwrap()
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
        assert_eq!(orbit.unstable(), Some(0));
        let mut march = bowed.march(&orbit.onset, &options.resolution).unwrap();
        let mut column = |j: usize, h: f64| {
            let mut z = orbit.onset.clone();
            z[j] += h;
            bowed.cycle(&z, &mut march, 1, 40.0).unwrap().end
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
        let weights = weights(&bowed);
        let mut march = bowed.march(&orbit.onset, &Resolution::default()).unwrap();
        let mut z = orbit.onset.clone();
        z[0] += 1e-4;
        let mut distances = Vec::new();
        for _ in 0..12 {
            z = bowed.cycle(&z, &mut march, 1, 40.0).unwrap().end;
            let off: Vec<f64> = z.iter().zip(&orbit.onset).map(|(a, b)| a - b).collect();
            distances.push(norm(&scaled(&off, &weights)));
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
        let motion = once.motion(&bowed, &Resolution::default()).unwrap();
        let (first, last) = (motion.samples.first().unwrap(), motion.samples.last().unwrap());
        assert!((last.t - once.period).abs() < 1e-15 && (first.y1 - last.y1).abs() < 1e-10);
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
        assert!(error.contains("slips for good"), "{error}");
    }
}
