//! One return of a bowed structure from the onset of stick to the next one, with its exact linearisation.
//!
//! The return map acts on the modal state z on the section y₂ = v₀. Its derivative is never formed: it is applied to a vector by
//! repeating the steps of the nonlinear run, linearised, at their cost (O(N) each), with the shifts of the event times:
//! δt = -δe/(de/dt) for the event function e, and a jump (F₋ - F₊) n δt of the velocities where the force jumps.

use super::bowed::BowedStructure;
use super::collocation::{ElasticContact, Solved, StageMatrix, Stages};
use super::error::ElasticError;
use super::event::{ContactEvent, Phase};
use super::march::{March, Resolution, StepEnd};
use super::modal::{ModalContact, ModalStep, dot};
use std::sync::Arc;

/// A step with the linear map from free velocities and parameters to forces: δF = P δb + p_v δv₀ + p_μ δμ.
struct LinearStep {
    step: Arc<ModalStep>,
    from_free: StageMatrix,
    by_v0: Stages,
    by_mu: Stages,
}

/// How an event time answers: δt = Σ c δz + c_v δv₀ + c_μ δμ, the functional being one of two.
struct LinearEvent {
    /// Does the event end stick (functional: holding force) or slip (functional: contact velocity)?
    of_stick: bool,
    /// de/dt just before.
    rate: f64,
    /// ∂e/∂v₀ and ∂e/∂μ.
    by_parameter: [f64; 2],
    /// Force jump before − after.
    jump: f64,
}

/// One return.
pub(crate) struct Cycle {
    /// From a point of the section (after projection onto it).
    pub(crate) start: Vec<f64>,
    /// To the next point of the section.
    pub(crate) end: Vec<f64>,
    /// Time it takes.
    pub(crate) duration: f64,
    /// All changes of phase, the last one the stick onset that ends it. Times count from the start.
    pub(crate) events: Vec<ContactEvent>,
    /// Contact displacement at the start.
    pub(crate) y1: f64,
    segments: Vec<(Vec<LinearStep>, LinearEvent)>,
    end_rate: Vec<f64>,
}

/// A variation of state and parameters.
#[derive(Clone, Debug)]
pub(crate) struct Variation {
    pub(crate) z: Vec<f64>,
    pub(crate) v0: f64,
    pub(crate) mu: f64,
}

/// Where a variation ends up.
pub(crate) struct Varied {
    /// δz on the section.
    pub(crate) z: Vec<f64>,
    /// Change of the return time.
    pub(crate) duration: f64,
}

impl BowedStructure {
    /// The nearest state on the section y₂ = v₀ in the kinetic energy norm.
    pub(crate) fn on_section(&self, z: &[f64]) -> Vec<f64> {
        let n = self.modes();
        let excess = (self.v0 - dot(self.contact.shape(), &z[n..])) / self.contact.mobility();
        let mut out = z.to_vec();
        for (v, shape) in out[n..].iter_mut().zip(self.contact.shape()) {
            *v += excess * shape;
        }
        out
    }

    /// From (the projection of) `z` to the `returns`-th onset of stick. `march` is a march of this structure to be reused, whatever its
    /// present state and parameters.
    pub(crate) fn cycle(
        &self,
        z: &[f64],
        march: &mut March<'_, ModalContact>,
        returns: usize,
        patience: f64,
    ) -> Result<Cycle, ElasticError> {
        let start = self.on_section(z);
        march.retune(self.law, self.v0);
        march.restart_in_stick(start.clone());
        let mut sticks = 0;
        let (v0, mu) = (self.v0, self.law.mu());
        if march.force.abs() > mu {
            return Err(ElasticError::NoStick {
                force: march.force,
                v0,
                mu,
            });
        }
        let y1 = self.contact.displacement(&start);
        let (mut segments, mut steps, mut events) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            let before = march.phase;
            let (end, taken) = march.step()?;
            steps.push(linearise(
                Arc::clone(&taken.step),
                &taken.solved,
                self.contact.response(&taken.step),
            ));
            let StepEnd::Event(event) = end else {
                let last = events.last().map_or(0.0, |e: &ContactEvent| e.t);
                if march.t - last > patience {
                    return Err(ElasticError::NoReturn {
                        t: last,
                        waited: patience,
                        v0,
                        mu,
                    });
                }
                continue;
            };
            let rate = self.contact.rate(&march.state, event.force_before);
            let linear = match before {
                Phase::Stick => LinearEvent {
                    of_stick: true,
                    rate: self.contact.holding_force(&rate),
                    by_parameter: [0.0, -event.force_before.signum()],
                    jump: 0.0,
                },
                Phase::Slip(_) => LinearEvent {
                    of_stick: false,
                    rate: self.contact.velocity(&rate),
                    by_parameter: [-1.0, 0.0],
                    jump: event.force_before - event.force_after,
                },
            };
            segments.push((std::mem::take(&mut steps), linear));
            events.push(event);
            sticks += usize::from(event.to == Phase::Stick);
            if sticks == returns {
                let (end, duration) = (march.state.clone(), march.t);
                return Ok(Cycle {
                    start,
                    end,
                    duration,
                    events,
                    y1,
                    segments,
                    end_rate: rate,
                });
            }
        }
    }

    /// The derivative of the return map (with projection onto the section) along a variation.
    pub(crate) fn vary(&self, cycle: &Cycle, variation: &Variation) -> Varied {
        let n = self.modes();
        let shape = self.contact.shape();
        let mut z = variation.z.clone();
        let excess = (variation.v0 - dot(shape, &z[n..])) / self.contact.mobility();
        for (v, shape) in z[n..].iter_mut().zip(shape) {
            *v += excess * shape;
        }
        let mut shift = 0.0;
        for (i, (steps, event)) in cycle.segments.iter().enumerate() {
            for s in steps {
                let free = self.contact.free_velocity(&s.step, &z);
                let force = s.from_free * free + s.by_v0 * variation.v0 + s.by_mu * variation.mu;
                z = self.contact.advance(&s.step, &z, &force);
            }
            let along = if event.of_stick {
                self.contact.holding_force(&z)
            } else {
                self.contact.velocity(&z)
            };
            let [by_v0, by_mu] = event.by_parameter;
            shift = -(along + by_v0 * variation.v0 + by_mu * variation.mu) / event.rate;
            if i + 1 < cycle.segments.len() {
                for (v, shape) in z[n..].iter_mut().zip(shape) {
                    *v += event.jump * shift * shape;
                }
            }
        }
        for (z, rate) in z.iter_mut().zip(&cycle.end_rate) {
            *z += shift * rate;
        }
        Varied { z, duration: shift }
    }
}

/// In slip (I - W F') δy = δb + W (F_μ δμ - F' δv₀) and δF = F' (δy - δv₀) + F_μ δμ; in stick W δF = δv₀ - δb. A singular stage matrix
/// cannot occur in a step that was solved.
fn linearise(step: Arc<ModalStep>, solved: &Solved, response: &StageMatrix) -> LinearStep {
    let inverse = |m: StageMatrix| m.try_inverse().unwrap_or_else(StageMatrix::zeros);
    match &solved.law {
        None => {
            let holding = inverse(*response);
            let by_v0 = holding * Stages::repeat(1.0);
            LinearStep {
                step,
                from_free: -holding,
                by_v0,
                by_mu: Stages::zeros(),
            }
        }
        Some(law) => {
            let slope = StageMatrix::from_diagonal(&law.by_velocity);
            let from_free = slope * inverse(StageMatrix::identity() - response * slope);
            let by_v0 = -(from_free * (response * law.by_velocity)) - law.by_velocity;
            let by_mu = from_free * (response * law.by_mu) + law.by_mu;
            LinearStep {
                step,
                from_free,
                by_v0,
                by_mu,
            }
        }
    }
}

/// A march whose states will be set by [`BowedStructure::cycle`].
pub(crate) fn reusable_march<'a>(
    bowed: &'a BowedStructure,
    z: &[f64],
    resolution: &Resolution,
) -> Result<March<'a, ModalContact>, ElasticError> {
    bowed.march(z, resolution)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::elastic::{FrictionLaw, Structure};

    #[test]
    fn variations_match_central_differences_of_the_return_map() {
        let string = Structure::string(20, 1.0, 0.1, &[0.4]).unwrap();
        let bowed = BowedStructure::new(&string, 0, FrictionLaw::bowed_string(), 1.5).unwrap();
        let resolution = Resolution::default();
        let mut march = bowed
            .march(&bowed.start(-2.9224, -2.7668).unwrap(), &resolution)
            .unwrap();
        let mut onsets = Vec::new();
        while onsets.len() < 4 {
            if let (StepEnd::Event(e), _) = march.step().unwrap()
                && e.to == Phase::Stick
            {
                onsets.push(march.state.clone());
            }
        }
        // the first return releases ahead of the bow, later ones behind it
        for (index, z) in onsets.iter().enumerate() {
            let returns = 1 + index % 2;
            let run = |z: &[f64], v0: f64, mu: f64| {
                let b = bowed.with_v0(v0).with_mu(mu).unwrap();
                let mut march = reusable_march(&b, z, &resolution).unwrap();
                b.cycle(z, &mut march, returns, 40.0).unwrap()
            };
            let cycle = run(z, 1.5, 4.0);
            for case in 0..4 {
                let direction: Vec<f64> = match case {
                    0 | 3 => (0..40)
                        .map(|i| (1.3 * f64::from(i)).cos() / (1.0 + f64::from(i % 20)))
                        .collect(),
                    _ => vec![0.0; 40],
                };
                let (v0, mu) = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (0.3, -0.7)][case];
                let exact = bowed.vary(
                    &cycle,
                    &Variation {
                        z: direction.clone(),
                        v0,
                        mu,
                    },
                );
                let h = 1e-6;
                let shifted = |h: f64| {
                    let z: Vec<f64> = z.iter().zip(&direction).map(|(a, d)| a + h * d).collect();
                    run(&z, 1.5 + h * v0, 4.0 + h * mu)
                };
                let (up, down) = (shifted(h), shifted(-h));
                let duration = (up.duration - down.duration) / (2.0 * h);
                assert!(
                    (duration - exact.duration).abs() < 1e-6 * (1.0 + duration.abs()),
                    "{index} {case}: {duration} {}",
                    exact.duration
                );
                for (i, e) in exact.z.iter().enumerate() {
                    let d = (up.end[i] - down.end[i]) / (2.0 * h);
                    assert!((d - e).abs() < 2e-6 * (1.0 + d.abs()), "{index} {case} {i}: {d} {e}");
                }
            }
        }
    }
}
