//! A motion along a given word, with given durations, and its exact linearisation.
//!
//! Here phases end when their durations say so, not when their guards do: this is what Newton's method on an orbit
//! needs (the motion stays defined, and smooth, when a guess ends too early, and beyond the point where a phase has
//! shrunk to nothing). The derivative with respect to the modal state is never formed. It is applied to a vector by
//! repeating the steps, linearised, at their cost of O(N) each.

use super::bowed::{BowedStructure, PARAMETERS};
use super::collocation::{ElasticContact, NODES, STAGES, Solved, StageMatrix, Stages, solve_slip, solve_stick};
use super::error::ElasticError;
use super::event::Phase;
use super::modal::{ModalStep, dot};
use slipstick_numerics::stop::look;

/// How far away a surface counts that is never approached from inside.
pub(crate) const FAR: f64 = 1e3;

/// δF of one step: P δb + Σ_i p_i δ(parameter i), in the order v₀, μ, κ, σ.
struct LinearStep {
    from_free: StageMatrix,
    by_parameter: [Stages; PARAMETERS],
}

/// One phase of the motion.
pub(crate) struct Leg {
    pub(crate) phase: Phase,
    pub(crate) duration: f64,
    /// Modal state at its end.
    pub(crate) end: Vec<f64>,
    /// Its rate there, with the force of this phase.
    pub(crate) rate: Vec<f64>,
    /// Guard that ends it: y₂ - v₀ in slip; F_hold ∓ μ in stick.
    pub(crate) guard: f64,
    /// Contact displacement at its start and end.
    pub(crate) y1: [f64; 2],
    /// Contact force at its start and end.
    pub(crate) force: [f64; 2],
    /// The force that would hold the contact at its end.
    pub(crate) holding: f64,
    /// Least distance from leaving the phase at interior minima: of |v_r| in slip, of μ - |F| in stick.
    pub(crate) least: f64,
    /// Least and largest contact displacement.
    pub(crate) range: [f64; 2],
    /// Sign of the bound that ends stick.
    bound: f64,
    steps: usize,
    step: ModalStep,
    /// One for each step; in stick all steps share one.
    linear: Vec<LinearStep>,
}

/// The legs in order.
pub(crate) struct Trajectory {
    pub(crate) legs: Vec<Leg>,
}

/// A variation of the start and of the parameters.
pub(crate) struct Variation {
    pub(crate) z: Vec<f64>,
    pub(crate) parameters: [f64; PARAMETERS],
}

/// What becomes of a variation.
pub(crate) struct Varied {
    /// δz at the end.
    pub(crate) z: Vec<f64>,
    /// Change of each guard.
    pub(crate) guards: Vec<f64>,
}

impl BowedStructure {
    /// The nearest state with y₂ = v₀ in the norm of kinetic energy.
    pub(crate) fn on_section(&self, z: &[f64]) -> Vec<f64> {
        let mut out = z.to_vec();
        self.project(&mut out, self.v0);
        out
    }
    /// Give the contact the velocity `y2`.
    fn project(&self, z: &mut [f64], y2: f64) {
        let n = self.modes();
        let excess = (y2 - dot(self.contact.shape(), &z[n..])) / self.contact.mobility();
        for (v, shape) in z[n..].iter_mut().zip(self.contact.shape()) {
            *v += excess * shape;
        }
    }

    /// Run through the phases `word` (which begins in stick) from `z`, each for its duration, in steps of at most `h`.
    /// Every stick starts from the projection onto y₂ = v₀; on an orbit that changes nothing.
    pub(crate) fn trajectory(
        &self,
        z: &[f64],
        word: &[Phase],
        durations: &[f64],
        h: f64,
    ) -> Result<Trajectory, ElasticError> {
        let mut z = z.to_vec();
        let mut legs = Vec::with_capacity(word.len());
        for (i, (&phase, &duration)) in word.iter().zip(durations).enumerate() {
            if phase == Phase::Stick {
                self.project(&mut z, self.v0);
            }
            let next = word[(i + 1) % word.len()];
            let before = word[(i + word.len() - 1) % word.len()];
            let leg = self.leg(&z, [before, phase, next], duration, h)?;
            z.clone_from(&leg.end);
            legs.push(leg);
        }
        Ok(Trajectory { legs })
    }

    fn leg(
        &self,
        start: &[f64],
        [before, phase, next]: [Phase; 3],
        duration: f64,
        h: f64,
    ) -> Result<Leg, ElasticError> {
        let contact = &self.contact;
        let steps = ((duration.abs() / h).ceil() as usize).max(1);
        let size = duration / steps as f64;
        let step = contact.prepare(size);
        let bound = match next {
            Phase::Slip(side) => -side.sign(),
            Phase::Stick => 0.0,
        };
        let mut z = start.to_vec();
        let y1 = contact.displacement(&z);
        let first = match phase {
            Phase::Stick => contact.holding_force(&z),
            Phase::Slip(side) => {
                let speed = side.sign() * (contact.velocity(&z) - self.v0);
                -side.sign() * self.law.force(speed)
            }
        };
        let (mut force, mut position) = (first, y1);
        let mut shape = Shape {
            least: FAR,
            range: [y1, y1],
            falling: [false; 2],
        };
        let mut linear = Vec::with_capacity(if phase == Phase::Stick { 1 } else { steps });
        for i in 0..steps {
            look();
            let (free, velocity) = (contact.free_velocity(&step, &z), contact.velocity(&z));
            let solved = match phase {
                Phase::Stick => solve_stick(&free, contact.response(&step), self.v0).ok_or(f64::INFINITY),
                Phase::Slip(side) => solve_slip(&free, contact.response(&step), &self.law, self.v0, side, force),
            };
            let solved = solved.map_err(|residual| ElasticError::Step {
                t: i as f64 * size,
                step: size,
                residual,
                resolution: size * contact.omega_max(),
            })?;
            if phase != Phase::Stick || i == 0 {
                linear.push(linearise(&solved, contact.response(&step)));
            }
            match phase {
                Phase::Stick => {
                    let mu = Stages::repeat(self.law.mu());
                    shape.distance(0, &(mu - solved.force), self.law.mu() - force);
                    shape.distance(1, &(mu + solved.force), self.law.mu() + force);
                }
                Phase::Slip(side) => {
                    let away = (solved.velocity - Stages::repeat(self.v0)) * side.sign();
                    if i == 0 {
                        shape.departure(&away, if before == Phase::Stick { 2 } else { 1 });
                    } else {
                        shape.distance(0, &away, side.sign() * (velocity - self.v0));
                    }
                }
            }
            z = contact.advance(&step, &z, &solved.force);
            force = match phase {
                Phase::Stick => contact.holding_force(&z),
                Phase::Slip(_) => solved.force[STAGES - 1],
            };
            let next_position = contact.displacement(&z);
            shape.displacement(&solved.velocity, velocity, size, position, next_position);
            position = next_position;
        }
        let guard = match phase {
            Phase::Stick => force - bound * self.law.mu(),
            Phase::Slip(_) => contact.velocity(&z) - self.v0,
        };
        Ok(Leg {
            phase,
            duration,
            rate: contact.rate(&z, force),
            guard,
            y1: [y1, position],
            force: [first, force],
            holding: contact.holding_force(&z),
            least: shape.least,
            range: shape.range,
            bound,
            steps,
            step,
            linear,
            end: z,
        })
    }

    /// d(guard)/dt at the end of a leg.
    pub(crate) fn guard_rate(&self, leg: &Leg) -> f64 {
        self.guard_of(leg, &leg.rate)
    }
    /// The guard's derivative along a state variation.
    fn guard_of(&self, leg: &Leg, z: &Vec<f64>) -> f64 {
        match leg.phase {
            Phase::Stick => self.contact.holding_force(z),
            Phase::Slip(_) => self.contact.velocity(z),
        }
    }

    /// Carry a variation along, with the durations changed by `durations`.
    pub(crate) fn vary(&self, trajectory: &Trajectory, variation: &Variation, durations: &[f64]) -> Varied {
        let mut changes = durations.iter().copied();
        self.propagate(trajectory, variation, |_, _| changes.next().unwrap_or(0.0))
    }
    /// Carry a variation along, with the durations changed so that every guard stays zero: the derivative of the return
    /// map.
    pub(crate) fn vary_return(&self, trajectory: &Trajectory, variation: &Variation) -> Vec<f64> {
        self.propagate(trajectory, variation, |leg, guard| -guard / self.guard_rate(leg))
            .z
    }

    fn propagate(
        &self,
        trajectory: &Trajectory,
        variation: &Variation,
        mut duration: impl FnMut(&Leg, f64) -> f64,
    ) -> Varied {
        let p = &variation.parameters;
        let mut z = variation.z.clone();
        let mut guards = Vec::with_capacity(trajectory.legs.len());
        for leg in &trajectory.legs {
            if leg.phase == Phase::Stick {
                self.project(&mut z, p[0]);
            }
            for i in 0..leg.steps {
                let linear = &leg.linear[i.min(leg.linear.len() - 1)];
                let mut force = linear.from_free * self.contact.free_velocity(&leg.step, &z);
                for (by, change) in linear.by_parameter.iter().zip(p) {
                    force += by * *change;
                }
                z = self.contact.advance(&leg.step, &z, &force);
            }
            let explicit = match leg.phase {
                Phase::Stick => -leg.bound * p[1],
                Phase::Slip(_) => -p[0],
            };
            let mut guard = self.guard_of(leg, &z) + explicit;
            let change = duration(leg, guard);
            guard += change * self.guard_rate(leg);
            for (z, rate) in z.iter_mut().zip(&leg.rate) {
                *z += change * rate;
            }
            guards.push(guard);
        }
        Varied { z, guards }
    }
}

/// In slip (I - W F') δy = δb + W (F_p δp - F' δv₀) and δF = F' (δy - δv₀) + F_p δp; in stick W δF = δv₀ - δb. The
/// stage matrix of a step that was solved is not singular.
fn linearise(solved: &Solved, response: &StageMatrix) -> LinearStep {
    let inverse = |m: StageMatrix| m.try_inverse().unwrap_or_else(StageMatrix::zeros);
    let mut by_parameter = [Stages::zeros(); PARAMETERS];
    let Some(law) = &solved.law else {
        let holding = inverse(*response);
        by_parameter[0] = holding * Stages::repeat(1.0);
        return LinearStep {
            from_free: -holding,
            by_parameter,
        };
    };
    let slope = StageMatrix::from_diagonal(&law.by_velocity);
    let from_free = slope * inverse(StageMatrix::identity() - response * slope);
    by_parameter[0] = -(from_free * (response * law.by_velocity)) - law.by_velocity;
    for (by, own) in by_parameter[1..].iter_mut().zip(&law.by_parameter) {
        *by = from_free * (response * own) + own;
    }
    LinearStep {
        from_free,
        by_parameter,
    }
}

/// Extremes gathered step by step.
struct Shape {
    least: f64,
    range: [f64; 2],
    /// Was the distance falling at the end of the last step?
    falling: [bool; 2],
}

impl Shape {
    /// Note interior minima of a distance with these values at the nodes and at the start of the step.
    fn distance(&mut self, which: usize, values: &Stages, start: f64) {
        let curve = NODES.curve(values, start);
        let (begins, ends) = curve.end_slopes();
        if self.falling[which] && begins >= 0.0 {
            self.least = self.least.min(start);
        }
        if begins < 0.0 && ends > 0.0 {
            self.least = self.least.min(curve.minimum());
        }
        self.falling[which] = ends < 0.0;
    }
    /// The same for the first step of slip, which leaves v_r = 0 with a zero of multiplicity `zeros`.
    fn departure(&mut self, values: &Stages, zeros: i32) {
        if NODES.first_zero(values, 0.0, zeros).is_some() {
            self.least = self.least.min(values.min());
        }
        self.falling[0] = NODES.curve(values, 0.0).end_slopes().1 < 0.0;
    }
    /// Note the displacements at the ends of a step and where the velocity passes zero within.
    fn displacement(&mut self, velocity: &Stages, start: f64, h: f64, from: f64, to: f64) {
        let [low, high] = &mut self.range;
        (*low, *high) = (low.min(to), high.max(to));
        if start * velocity[STAGES - 1] < 0.0 {
            let y = from
                + h * NODES
                    .curve(&(velocity * start.signum()), start.abs())
                    .integral_to_zero()
                    * start.signum();
            (*low, *high) = (low.min(y), high.max(y));
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::elastic::{FrictionLaw, Side, Structure};

    #[test]
    fn variations_match_central_differences() {
        let string = Structure::string(12, 1.0, 0.1, &[0.4]).unwrap();
        let (behind, ahead) = (Phase::Slip(Side::Behind), Phase::Slip(Side::Ahead));
        // the second word slips on the wrong side for a while, where the law goes on as its tangent: take one without a
        // bend there
        let weakening = FrictionLaw::bowed_string();
        let constant = FrictionLaw::new(weakening.kind(), 4.0, 0.0, 1.0).unwrap();
        let words: [(&[Phase], &[f64], FrictionLaw, f64); 2] = [
            (&[Phase::Stick, behind], &[0.3, 1.6], weakening, 1.0),
            (&[Phase::Stick, ahead, behind], &[0.2, 0.1, 1.5], constant, 0.0),
        ];
        for (word, durations, law, bend) in words {
            let bowed = BowedStructure::new(&string, 0, law, 1.5).unwrap();
            let z = bowed.start(0.4, 1.2).unwrap();
            let z_step: Vec<f64> = (0..24)
                .map(|i| (1.3 * f64::from(i)).cos() / (1.0 + f64::from(i % 12)))
                .collect();
            let t_step = [0.3, -0.2, 0.4];
            let p_step = [0.5, -0.7, 0.2 * bend, 0.3 * bend];
            let run = |h: f64| {
                let z: Vec<f64> = z.iter().zip(&z_step).map(|(z, d)| z + h * d).collect();
                let durations: Vec<f64> = durations.iter().zip(t_step).map(|(t, d)| t + h * d).collect();
                let mut p = bowed.parameters();
                for (p, d) in p.iter_mut().zip(p_step) {
                    *p += h * d;
                }
                bowed
                    .with_parameters(p)
                    .unwrap()
                    .trajectory(&z, word, &durations, 0.0173)
                    .unwrap()
            };
            let trajectory = run(0.0);
            let variation = Variation {
                z: z_step.clone(),
                parameters: p_step,
            };
            let exact = bowed.vary(&trajectory, &variation, &t_step[..word.len()]);
            let h = 1e-5;
            let (up, down) = (run(h), run(-h));
            for (i, e) in exact.guards.iter().enumerate() {
                let d = (up.legs[i].guard - down.legs[i].guard) / (2.0 * h);
                assert!((d - e).abs() < 1e-6 * (1.0 + d.abs()), "{i}: {d} {e}");
            }
            let (up, down) = (&up.legs.last().unwrap().end, &down.legs.last().unwrap().end);
            for (i, e) in exact.z.iter().enumerate() {
                let d = (up[i] - down[i]) / (2.0 * h);
                assert!((d - e).abs() < 1e-6 * (1.0 + d.abs()), "{word:?} {i}: {d} {e}");
            }
        }
    }

    #[test]
    fn backwards_undoes_forwards() {
        let string = Structure::string(6, 1.0, 0.1, &[0.4]).unwrap();
        let bowed = BowedStructure::new(&string, 0, FrictionLaw::bowed_string(), 1.5).unwrap();
        let z = bowed.on_section(&bowed.start(0.4, 1.2).unwrap());
        let word = [Phase::Stick, Phase::Slip(Side::Behind)];
        let there = bowed.trajectory(&z, &word, &[0.05, 1e-9], 0.02).unwrap();
        let back = bowed
            .trajectory(&there.legs[0].end, &word, &[-0.05, 1e-9], 0.02)
            .unwrap();
        for (a, b) in back.legs[0].end.iter().zip(&z) {
            assert!((a - b).abs() < 1e-12);
        }
    }
}
