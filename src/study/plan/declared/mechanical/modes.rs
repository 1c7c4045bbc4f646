//! Modes: their states, equations and events, as text.

use crate::plan::declared::mechanical::contact::Law;
use crate::plan::declared::mechanical::mechanism::Mechanism;
use crate::plan::declared::mechanical::motion::{Motion, Velocity};
use crate::plan::declared::mechanical::pattern::{Pattern, Status};
use crate::plan::declared::mechanical::smoothed::{EPSILON, Smoothed};
use crate::plan::declared::mechanical::transition::Transition;
use crate::spec::system::declared::{EventSpec, HybridSpec, KindSpec, ModeSpec};
use crate::spec::system::named::Named;
use slipstick_system::UNMADE;
use slipstick_system::text::Symbolic;

impl Mechanism<'_> {
    /// The mode with the contacts in these states, and the ways out of it, in the order of its events.
    pub(crate) fn mode(&mut self, pattern: &[Status]) -> (ModeSpec, Vec<Transition>) {
        let motion = self.motion(pattern);
        let transitions = self.transitions(pattern, &motion);
        let events = transitions.iter().map(|t| (t.event.clone(), self.event(t))).collect();
        let structure = &self.structure;
        let n = structure.coordinates.len();
        let replaced = self.replaced(pattern, &motion);
        let (mut states, mut absent, mut equations, mut surfaces) = (vec![], vec![], vec![], vec![]);
        let mut tied_to = self.contacts.iter().zip(pattern);
        let jumps = tied_to.any(|(contact, status)| contact.sticks_to_jumps(*status));
        let coordinates = structure.coordinates.iter().zip(&structure.velocities);
        for ((x, v), place) in coordinates.zip(&motion.places) {
            if let Some(place) = place {
                absent.push((x.clone(), place.to_string()));
            } else {
                equations.push(format!("{x}' = {v}"));
                states.push(x.clone());
            }
        }
        for i in 0..n {
            let name = structure.velocities[i].clone();
            let fast = replaced.iter().flatten().find(|(own, _)| *own == i);
            match (&motion.velocities[i], fast) {
                (_, Some((_, value))) => absent.push((name, value.to_string())),
                (Velocity::Own, None) => {
                    equations.push(format!("{name}' = {}", motion.accelerations[i]));
                    states.push(name);
                }
                (Velocity::Of(other), None) => absent.push((name, structure.velocities[*other].clone())),
                // A velocity does not jump with that of a belt: it is a state, which stays on it meanwhile.
                (Velocity::Given(velocity, rate), None) if jumps && velocity.value().is_none() => {
                    let off = Symbolic::name(&name) - velocity.clone();
                    equations.push(format!("{name}' = {}", rate.clone() - off.clone()));
                    surfaces.push(off.to_string());
                    states.push(name);
                }
                (Velocity::Given(velocity, _), None) => absent.push((name, velocity.to_string())),
            }
        }
        let (mut define, mut admissible) = (vec![], vec![]);
        for (c, (contact, &status)) in self.contacts.iter().zip(pattern).enumerate() {
            match &contact.law {
                Law::Jenkins { elongation, .. } if status == Status::Stick => {
                    let rate = if self.is_locked(c, pattern) {
                        Symbolic::number(0.0)
                    } else {
                        contact.velocity.clone()
                    };
                    equations.push(format!("{elongation}' = {rate}"));
                    states.push(elongation.clone());
                }
                Law::Jenkins {
                    stiffness,
                    limit,
                    elongation,
                } => {
                    let reached = Symbolic::number(status.sign()) * (limit.clone() / stiffness.clone());
                    absent.push((elongation.clone(), reached.to_string()));
                }
                Law::Friction {
                    normal: Some(normal), ..
                }
                | Law::Smoothed(Smoothed {
                    normal: Some(normal), ..
                }) => {
                    admissible.push(Symbolic::number(0.0).less(normal.clone()).to_string());
                }
                _ => {}
            }
            let force = match &motion.pulls[c] {
                Some(pull) => -pull.clone(),
                None => contact.force(status),
            };
            define.extend(self.force_name(c).map(|name| (name, force.to_string())));
            if let (Some(power), Some(name)) = (contact.power(status), self.power_name(c)) {
                define.push((name, power.to_string()));
            }
        }
        for (c, smoothed) in self.smooth_contacts().filter(|(_, smoothed)| smoothed.is_fast) {
            let hat = smoothed.hat.clone();
            if replaced[c].is_some() {
                let rate = self.relative_acceleration(c, &motion) / Symbolic::name(EPSILON);
                equations.push(format!("{hat}' = {rate}"));
                states.push(hat);
            } else {
                absent.push((hat, smoothed.scaled().to_string()));
            }
        }
        if states.is_empty() {
            states.extend(self.moving_alone(&motion, &mut absent, &mut equations));
        }
        let tied = motion.pulls.iter().any(Option::is_some);
        let mode = ModeSpec {
            states: if absent.is_empty() { vec![] } else { states },
            absent: Named(absent),
            define: Named(define),
            kind: if tied { KindSpec::Stick } else { KindSpec::Free },
            equations,
            surfaces,
            admissible,
            events: Named(events),
        };
        (mode, transitions)
    }

    /// The state that a mode has in which no coordinate moves: the phase of the forcing, or else a coordinate that
    /// stays at its place, and would come back to it.
    fn moving_alone(
        &self,
        motion: &Motion,
        absent: &mut Vec<(String, String)>,
        equations: &mut Vec<String>,
    ) -> Option<String> {
        let frame = &self.reader.declarations.frame;
        if let Some(phase) = frame.phase {
            return Some(frame.states[phase].name.clone());
        }
        let mut placed = self.structure.coordinates.iter().zip(&motion.places);
        let (x, place) = placed.find_map(|(x, place)| Some((x, place.as_ref()?)))?;
        absent.retain(|(name, _)| name != x);
        equations.push(format!("{x}' = {}", place.clone() - Symbolic::name(x)));
        Some(x.clone())
    }

    fn event(&mut self, transition: &Transition) -> EventSpec {
        let after = self.motion(&transition.to);
        let replaced = self.replaced(&transition.to, &after);
        let velocities = &self.structure.velocities;
        let jump = |(i, by): &(usize, Symbolic)| {
            let after = Symbolic::name(&velocities[*i]) + by.clone();
            (velocities[*i].clone(), after.to_string())
        };
        let own = |i: usize| after.moves(i) && !replaced.iter().flatten().any(|(fast, _)| *fast == i);
        let jumps = transition.jumps.iter().filter(|(i, _)| own(*i)).map(jump);
        let mut reset: Vec<(String, String)> = jumps.collect();
        for (c, smoothed) in self.smooth_contacts().filter(|(c, _)| replaced[*c].is_some()) {
            let by = self.relative_jump(c, &transition.jumps);
            let value = match transition.enters {
                Some((own, side)) if own == c => Symbolic::number(side),
                _ if by.is_zero() => continue,
                _ => (smoothed.height.clone() + by) / Symbolic::name(EPSILON),
            };
            reset.push((smoothed.hat.clone(), value.to_string()));
        }
        EventSpec {
            guard: transition.guard.to_string(),
            direction: transition.direction,
            when: transition.when.iter().map(ToString::to_string).collect(),
            to: self.name(&transition.to),
            reset: Named(reset),
        }
    }
}

/// The system with these modes and, behind them, the others that events lead to, in which motion ends.
pub(crate) fn hybrid_of(mechanism: &mut Mechanism<'_>, shell: &HybridSpec, patterns: &[Pattern]) -> HybridSpec {
    let mut modes: Vec<(String, ModeSpec)> = vec![];
    let mut unmade: Vec<String> = vec![];
    for pattern in patterns {
        let (mut mode, transitions) = mechanism.mode(pattern);
        for (transition, (_, event)) in transitions.into_iter().zip(&mut mode.events.0) {
            if !patterns.contains(&transition.to) {
                event.to = format!("{UNMADE}{}", mechanism.name(&transition.to));
                event.reset = Named::default();
                if !unmade.contains(&event.to) {
                    unmade.push(event.to.clone());
                }
            }
        }
        modes.push((mechanism.name(pattern), mode));
    }
    for name in unmade {
        modes.push((name, stop(mechanism, &shell.states)));
    }
    let made = mechanism
        .made
        .definitions
        .iter()
        .map(|(name, body, _)| (name.clone(), body.to_string()));
    HybridSpec {
        define: Named(shell.define.0.iter().cloned().chain(made).collect()),
        modes: Named(modes),
        observables: Named::default(),
        monitors: Named::default(),
        require: shell
            .require
            .iter()
            .cloned()
            .chain(mechanism.reader.required.iter().cloned())
            .collect(),
        ..shell.clone()
    }
}

/// A mode in which motion ends.
fn stop(mechanism: &Mechanism<'_>, states: &[String]) -> ModeSpec {
    let zero = |name: String| (name, "0".to_owned());
    let forces = (0..mechanism.contacts.len()).flat_map(|c| [mechanism.force_name(c), mechanism.power_name(c)]);
    ModeSpec {
        states: states.iter().take(1).cloned().collect(),
        absent: Named(states.iter().skip(1).cloned().map(zero).collect()),
        define: Named(forces.flatten().map(zero).collect()),
        kind: KindSpec::Outside,
        equations: states.first().map(|name| format!("{name}' = 0")).into_iter().collect(),
        ..ModeSpec::default()
    }
}
