//! Event-driven motion of a structure with friction at one contact: stick, slip, and the instants between them.
//!
//! Steps are those of [`super::collocation`]; their size resolves the highest mode. Within a step the event function
//! (relative velocity in slip, distance of the force from its bounds in stick) is a polynomial through its values at
//! the nodes, whose first zero is isolated by Bernstein subdivision, so that none is overlooked. The step is then
//! repeated with its end moved onto the event by Newton's method, to rounding; nothing is interpolated. Cost per step:
//! O(N) and independent of the time elapsed.

use super::collocation::{ElasticContact, NODES, STAGES, Solved, Stages, positive, solve_slip, solve_stick};
use super::error::ElasticError;
use super::event::{ContactEvent, Phase, Side};
use super::friction::FrictionLaw;
use slipstick_numerics::stop::look;
use std::sync::Arc;

/// How finely a run is stepped.
///
/// ```
/// use slipstick_models::elastic::{BowedStructure, FrictionLaw, Resolution, Structure};
/// let string = Structure::string(10, 1.0, 0.1, &[0.4])?;
/// let bowed = BowedStructure::new(&string, 0, FrictionLaw::bowed_string(), 1.5)?;
/// let start = bowed.start(-2.9, -2.7)?;
/// // Half the steps change next to nothing.
/// let usual = Resolution::default();
/// let fine = Resolution { highest: 0.5 * usual.highest, lowest: 0.5 * usual.lowest, ..usual };
/// let end = |resolution: &Resolution| bowed.simulate(&start, 5.0, &[5.0], resolution).map(|motion| motion.requested[0].y1);
/// assert!((end(&usual)? - end(&fine)?).abs() < 1e-9);
/// # Ok::<(), slipstick_models::elastic::ElasticError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Resolution {
    /// Largest ω_N h, with ω_N the highest natural frequency.
    pub highest: f64,
    /// Largest ω_1 h, with ω_1 the lowest one.
    pub lowest: f64,
    /// More changes of phase than this are taken for chatter.
    pub max_events: usize,
}

impl Default for Resolution {
    /// ω_N h ≤ 4, ω_1 h ≤ 0.1: periods and force gaps of the bowed string to 1e-12 or better for 20 to 640 modes.
    fn default() -> Self {
        Self {
            highest: 4.0,
            lowest: 0.1,
            max_events: 100_000,
        }
    }
}

impl Resolution {
    /// The largest step for a structure.
    pub(crate) fn step<C: ElasticContact>(&self, contact: &C) -> Result<f64, ElasticError> {
        let highest = positive("resolution.highest", self.highest, "ω_N h is positive")?;
        let lowest = positive("resolution.lowest", self.lowest, "ω_1 h is positive")?;
        Ok((highest / contact.omega_max()).min(lowest / contact.omega_min()))
    }
}

/// A step taken.
struct Taken<C: ElasticContact> {
    step: Arc<C::Step>,
    solved: Solved,
}

/// A motion in progress.
pub(crate) struct March<'a, C: ElasticContact> {
    pub(crate) contact: &'a C,
    law: FrictionLaw,
    v0: f64,
    h: f64,
    full: Arc<C::Step>,
    max_events: usize,
    events: usize,
    pub(crate) t: f64,
    pub(crate) state: C::State,
    pub(crate) phase: Phase,
    /// Contact force at `t`, on the side of what follows.
    pub(crate) force: f64,
    /// Multiplicity of the zero that the event function has at `t`.
    zeros: i32,
}

impl<C: ElasticContact> Clone for March<'_, C> {
    fn clone(&self) -> Self {
        Self {
            full: Arc::clone(&self.full),
            state: self.state.clone(),
            ..*self
        }
    }
}

/// How a step ended.
pub(crate) enum StepEnd {
    /// Nothing happened.
    Plain,
    /// The phase changed.
    Event(ContactEvent),
}

impl<'a, C: ElasticContact> March<'a, C> {
    /// Begin at time 0.
    pub(crate) fn new(
        contact: &'a C,
        law: FrictionLaw,
        v0: f64,
        state: C::State,
        resolution: &Resolution,
    ) -> Result<Self, ElasticError> {
        let h = resolution.step(contact)?;
        if !v0.is_finite() {
            return Err(ElasticError::Parameter {
                name: "v0",
                value: v0,
                requirement: "the bow speed is finite",
            });
        }
        let mut march = Self {
            contact,
            law,
            v0,
            h,
            full: Arc::new(contact.prepare(h)),
            max_events: resolution.max_events,
            events: 0,
            t: 0.0,
            state,
            phase: Phase::Stick,
            force: 0.0,
            zeros: 0,
        };
        let relative = contact.velocity(&march.state) - v0;
        if relative.abs() > 1e-12 * (1.0 + v0.abs()) {
            march.enter_slip(Side::of(relative), 0, relative.abs());
        } else {
            march.stick_or_slip(None);
        }
        Ok(march)
    }

    fn enter_slip(&mut self, side: Side, zeros: i32, speed: f64) {
        self.phase = Phase::Slip(side);
        self.zeros = zeros;
        self.force = -side.sign() * self.law.force(speed);
    }

    /// At v_r = 0: stick if the bounds allow it, else slip to the other side of where we come from (or where the force
    /// pulls).
    fn stick_or_slip(&mut self, from: Option<Side>) {
        let holding = self.contact.holding_force(&self.state);
        if holding.abs() <= self.law.mu() {
            (self.phase, self.zeros, self.force) = (Phase::Stick, 0, holding);
        } else {
            self.enter_slip(from.map_or(Side::of(-holding), Side::other), 1, 0.0);
        }
    }

    fn solve(&self, step: &C::Step, h: f64) -> Result<Solved, ElasticError> {
        let (free, response) = (
            self.contact.free_velocity(step, &self.state),
            self.contact.response(step),
        );
        let solved = match self.phase {
            Phase::Stick => solve_stick(&free, response, self.v0).ok_or(f64::INFINITY),
            Phase::Slip(side) => solve_slip(&free, response, &self.law, self.v0, side, self.force),
        };
        solved.map_err(|residual| ElasticError::Step {
            t: self.t,
            step: h,
            residual,
            resolution: h * self.contact.omega_max(),
        })
    }

    /// The first event within a solved step, as a fraction of it.
    fn first_event(&self, solved: &Solved) -> Option<f64> {
        match self.phase {
            Phase::Slip(side) => {
                let distance = (solved.velocity - Stages::repeat(self.v0)) * side.sign();
                let start = side.sign() * (self.contact.velocity(&self.state) - self.v0);
                NODES.first_zero(&distance, start, self.zeros)
            }
            Phase::Stick => {
                let mu = self.law.mu();
                let upper = NODES.first_zero(&(Stages::repeat(mu) - solved.force), mu - self.force, 0);
                let lower = NODES.first_zero(&(Stages::repeat(mu) + solved.force), mu + self.force, 0);
                match (upper, lower) {
                    (Some(a), Some(b)) => Some(a.min(b)),
                    (a, b) => a.or(b),
                }
            }
        }
    }

    /// Solve a full step, or a smaller one where the friction law leaves the forces of a full step undetermined.
    fn attempt(&self) -> Result<(f64, Taken<C>), ElasticError> {
        let mut failure = match self.solve(&self.full, self.h) {
            Ok(solved) => {
                return Ok((
                    self.h,
                    Taken {
                        step: Arc::clone(&self.full),
                        solved,
                    },
                ));
            }
            Err(failure) => failure,
        };
        for halvings in 1..=8 {
            let h = self.h * 0.5f64.powi(halvings);
            let step = self.contact.prepare(h);
            match self.solve(&step, h) {
                Ok(solved) => {
                    return Ok((
                        h,
                        Taken {
                            step: Arc::new(step),
                            solved,
                        },
                    ));
                }
                Err(smaller) => failure = smaller,
            }
        }
        Err(failure)
    }

    /// Repeat a step with its end on the event that lies near `guess` and before `limit`: Newton's method on its size.
    fn locate(&self, guess: f64, limit: f64) -> Result<(f64, Taken<C>, C::State), ElasticError> {
        let mut h = guess.max(1e-3 * f64::EPSILON * limit);
        let mut last = f64::INFINITY;
        loop {
            let step = self.contact.prepare(h);
            let solved = self.solve(&step, h)?;
            let state = self.contact.advance(&step, &self.state, &solved.force);
            let (value, slope) = match self.phase {
                Phase::Slip(_) => {
                    let force = solved.force[STAGES - 1];
                    let acceleration = self.contact.free_acceleration(&state) + self.contact.mobility() * force;
                    (self.contact.velocity(&state) - self.v0, acceleration)
                }
                Phase::Stick => {
                    let force = self.contact.holding_force(&state);
                    (
                        force - self.law.mu() * force.signum(),
                        NODES.end_slope(&solved.force) / h,
                    )
                }
            };
            let change = value / slope;
            let taken = Taken {
                step: Arc::new(step),
                solved,
            };
            // stop at rounding, or when Newton's steps have ceased to shrink near it
            if !change.is_finite() || change.abs() <= 4.0 * f64::EPSILON * (self.t + h) || change.abs() >= 0.5 * last {
                return Ok((h, taken, state));
            }
            last = change.abs();
            h = (h - change).clamp(0.25 * h, 1.5 * limit);
        }
    }

    /// The contact force just after a solved step, within the phase.
    fn end_force(&self, solved: &Solved, state: &C::State) -> f64 {
        match self.phase {
            Phase::Stick => self.contact.holding_force(state),
            Phase::Slip(_) => solved.force[STAGES - 1],
        }
    }

    /// One step, or less of it up to the next event.
    pub(crate) fn step(&mut self) -> Result<StepEnd, ElasticError> {
        look();
        let (h, taken) = self.attempt()?;
        let Some(fraction) = self.first_event(&taken.solved) else {
            self.state = self.contact.advance(&taken.step, &self.state, &taken.solved.force);
            self.t += h;
            self.zeros = 0;
            self.force = self.end_force(&taken.solved, &self.state);
            return Ok(StepEnd::Plain);
        };
        let (h, taken, state) = self.locate(fraction * h, h)?;
        self.state = state;
        self.t += h;
        self.events += 1;
        if self.events > self.max_events {
            return Err(ElasticError::Chatter {
                events: self.events,
                t: self.t,
            });
        }
        let y1 = self.contact.displacement(&self.state);
        let force_before = self.end_force(&taken.solved, &self.state);
        match self.phase {
            Phase::Slip(side) => self.stick_or_slip(Some(side)),
            Phase::Stick => self.enter_slip(Side::of(-force_before), 2, 0.0),
        }
        let event = ContactEvent {
            t: self.t,
            to: self.phase,
            y1,
            force_before,
            force_after: self.force,
        };
        Ok(StepEnd::Event(event))
    }

    /// The state `ahead` of now within the present phase, without moving on: (state, contact force). `ahead` is at most
    /// a full step.
    pub(crate) fn peek(&self, ahead: f64) -> Result<(C::State, f64), ElasticError> {
        if ahead <= 0.0 {
            return Ok((self.state.clone(), self.force));
        }
        let step = self.contact.prepare(ahead);
        let solved = self.solve(&step, ahead)?;
        let state = self.contact.advance(&step, &self.state, &solved.force);
        let force = self.end_force(&solved, &state);
        Ok((state, force))
    }

    /// The same march, moved within the present phase to time `t`.
    pub(crate) fn moved(mut self, t: f64, state: C::State, force: f64) -> Self {
        (self.t, self.state, self.force, self.zeros) = (t, state, force, 0);
        self
    }

    /// Contact displacement, velocity and acceleration now.
    pub(crate) fn motion(&self) -> [f64; 3] {
        let acceleration = match self.phase {
            Phase::Stick => 0.0,
            Phase::Slip(_) => self.contact.free_acceleration(&self.state) + self.contact.mobility() * self.force,
        };
        [
            self.contact.displacement(&self.state),
            self.contact.velocity(&self.state),
            acceleration,
        ]
    }
}
