//! The ways out of a mode.

use crate::plan::declared::mechanical::contact::Law;
use crate::plan::declared::mechanical::mechanism::Mechanism;
use crate::plan::declared::mechanical::motion::Motion;
use crate::plan::declared::mechanical::pattern::{Pattern, Status, with};
use crate::plan::declared::mechanical::smoothed::{EPSILON, Smoothed};
use crate::plan::declared::time_jumps::CLEAR;
use crate::spec::system::declared::DirectionSpec;
use slipstick_system::text::Symbolic;

/// A way out of a mode.
#[derive(Clone)]
pub(crate) struct Transition {
    pub(crate) event: String,
    pub(crate) guard: Symbolic,
    pub(crate) direction: DirectionSpec,
    /// What else must hold.
    pub(crate) when: Vec<Symbolic>,
    pub(crate) to: Pattern,
    /// What is added to velocities.
    pub(crate) jumps: Vec<(usize, Symbolic)>,
    /// The contact whose layer it enters, and from which side.
    pub(crate) enters: Option<(usize, f64)>,
}

/// What an impulse makes of the other contacts.
struct Outcome {
    /// What the name of the event says besides, of contacts that change their state by it.
    changes: String,
    when: Vec<Symbolic>,
    to: Pattern,
}

fn number(value: f64) -> Symbolic {
    Symbolic::number(value)
}

fn smooth(event: String, guard: Symbolic, direction: DirectionSpec, to: Pattern) -> Transition {
    Transition {
        event,
        guard,
        direction,
        when: vec![],
        to,
        jumps: vec![],
        enters: None,
    }
}

/// Up where the guard grows with positive sign.
fn towards(sign: f64) -> DirectionSpec {
    if sign > 0.0 {
        DirectionSpec::Up
    } else {
        DirectionSpec::Down
    }
}

impl Mechanism<'_> {
    /// All ways out of a mode with this motion, in the order of the contacts.
    pub(crate) fn transitions(&mut self, pattern: &[Status], motion: &Motion) -> Vec<Transition> {
        let alone: Vec<Vec<Transition>> = (0..self.contacts.len())
            .map(|c| match (&self.contacts[c].law, pattern[c]) {
                (Law::Friction { .. }, Status::Stick) => self.releases(c, pattern, motion),
                (Law::Friction { .. }, _) => self.landings(c, pattern),
                (Law::Jenkins { .. }, _) => self.yielding(c, pattern),
                (Law::Rigid { .. }, Status::Open) => self.hits(c, pattern),
                (Law::Rigid { .. }, status) => self.leaving(c, status, pattern, motion),
                (Law::Compliant { .. }, _) => self.closing(c, pattern),
                (Law::Relay { .. }, _) => self.switching(c, pattern),
                (Law::Smoothed(smoothed), _) => self.crossing(c, smoothed, pattern),
            })
            .collect();
        let friction = (0..self.contacts.len()).filter(|&c| self.contacts[c].belt_jumps);
        let mut all: Vec<Transition> = friction.flat_map(|c| self.jumps_of_belt(c, pattern)).collect();
        for (c, own) in alone.iter().enumerate() {
            for transition in own {
                if let Some(joined) = self.joined(c, pattern, transition, &alone) {
                    for whole in self.with_giving_way(c, pattern, joined) {
                        all.extend(self.with_locked(c, pattern, whole));
                    }
                }
            }
        }
        all
    }

    /// Stick ends where the pull reaches the level.
    fn releases(&self, c: usize, pattern: &[Status], motion: &Motion) -> Vec<Transition> {
        let contact = &self.contacts[c];
        let (Law::Friction { level, .. }, Some(pull)) = (&contact.law, &motion.pulls[c]) else {
            return vec![];
        };
        let release = |status: Status| {
            let guard = pull.clone() - number(status.sign()) * level.at(status.sign()).clone();
            let event = contact.event_name("release", status);
            smooth(event, guard, towards(status.sign()), with(pattern, c, status))
        };
        vec![release(Status::SlipPlus), release(Status::SlipMinus)]
    }

    /// The velocity of a belt jumps. Friction is finite and gives no impulse: the mass slips then, to the side on which
    /// it is. Such events stand before all others of their surface.
    fn jumps_of_belt(&self, c: usize, pattern: &[Status]) -> Vec<Transition> {
        let contact = &self.contacts[c];
        if !matches!(contact.law, Law::Friction { .. }) {
            return vec![];
        }
        let size = number(1.0) + Symbolic::call("abs", vec![contact.belt.0.clone()]);
        let clear = number(CLEAR) * size;
        let event = |to: Status| contact.event_name("jump", to);
        let to = |status: Status| with(pattern, c, status);
        if pattern[c] == Status::Stick {
            let off = |status: Status| {
                let guard = contact.velocity.clone() - number(status.sign()) * clear.clone();
                smooth(event(status), guard, towards(status.sign()), to(status))
            };
            return vec![off(Status::SlipPlus), off(Status::SlipMinus)];
        }
        let (sign, beyond) = (pattern[c].sign(), pattern[c].reflected());
        vec![Transition {
            when: vec![clear.less(number(-sign) * contact.velocity.clone())],
            ..smooth(event(beyond), contact.velocity.clone(), towards(-sign), to(beyond))
        }]
    }

    /// Slip ends where the relative velocity vanishes: in stick, where the pull is within the level, else in slip the
    /// other way.
    fn landings(&mut self, c: usize, pattern: &[Status]) -> Vec<Transition> {
        let stick = with(pattern, c, Status::Stick);
        let pull = self.motion(&stick).pulls[c].clone();
        let contact = &self.contacts[c];
        let (Law::Friction { level, .. }, Some(pull)) = (&contact.law, pull) else {
            return vec![];
        };
        let sign = pattern[c].sign();
        let back = number(-sign) * pull;
        let leave = |what: &str, to, condition| Transition {
            when: vec![condition],
            ..smooth(
                format!("{}:{what}", contact.name),
                contact.velocity.clone(),
                towards(-sign),
                to,
            )
        };
        // Slip the other way begins at the level of that side.
        let level = level.at(-sign);
        let reversed = with(pattern, c, pattern[c].reflected());
        vec![
            leave("land", stick, back.clone().less(level.clone())),
            leave("reverse", reversed, level.clone().less(back)),
        ]
    }

    /// The spring of a Jenkins element reaches its limit, or the slip of it ends.
    fn yielding(&self, c: usize, pattern: &[Status]) -> Vec<Transition> {
        let contact = &self.contacts[c];
        let Law::Jenkins {
            stiffness,
            limit,
            elongation,
        } = &contact.law
        else {
            return vec![];
        };
        let sign = pattern[c].sign();
        if sign != 0.0 {
            let event = format!("{}:land", contact.name);
            let stick = with(pattern, c, Status::Stick);
            return vec![smooth(event, contact.velocity.clone(), towards(-sign), stick)];
        }
        if self.is_locked(c, pattern) {
            return vec![];
        }
        let release = |status: Status| {
            let force = stiffness.clone() * Symbolic::name(elongation);
            let guard = force - number(status.sign()) * limit.clone();
            let event = contact.event_name("release", status);
            Transition {
                when: self.clear_of_obstacles(c, status, pattern),
                ..smooth(event, guard, towards(status.sign()), with(pattern, c, status))
            }
        };
        vec![release(Status::SlipPlus), release(Status::SlipMinus)]
    }

    /// A rigid obstacle is hit.
    fn hits(&mut self, c: usize, pattern: &[Status]) -> Vec<Transition> {
        let mut all = vec![];
        for side in self.contacts[c].obstacles() {
            let contact = &self.contacts[c];
            let Law::Rigid { restitution, rest, .. } = &contact.law else {
                return vec![];
            };
            let (sign, rest) = (side.sign(), rest.clone());
            let guard = contact.penetration(sign);
            let faster = rest.as_ref().filter(|rest| !rest.is_zero()).map(|rest| {
                let approach = number(sign) * contact.velocity.clone();
                let excess = approach - rest.clone();
                match restitution.value() {
                    Some(_) => excess,
                    // A restitution that may be zero: every hit ends in contact then, however fast it is.
                    None => {
                        let rebounds = number(0.0).less(restitution.clone());
                        Symbolic::call("if", vec![rebounds, excess, -rest.clone()])
                    }
                }
            });
            let whole = number(1.0) + restitution.clone();
            let (hit, stop) = (contact.event_name("hit", side), contact.event_name("stop", side));
            let jumps = self.impulse(c, &whole);
            for outcome in self.outcomes(c, sign, &jumps, pattern) {
                let mut when = outcome.when;
                if rest.is_some() {
                    let parted = -self.pressed(c, side, &outcome.to);
                    let bounces = match &faster {
                        Some(faster) => Symbolic::call("max", vec![faster.clone(), parted]),
                        None => parted,
                    };
                    when.push(number(0.0).less(bounces));
                }
                all.push(Transition {
                    event: format!("{hit}{}", outcome.changes),
                    guard: guard.clone(),
                    direction: DirectionSpec::Up,
                    when,
                    to: outcome.to,
                    jumps: jumps.clone(),
                    enters: None,
                });
            }
            if rest.is_none() {
                continue;
            }
            let jumps = self.impulse(c, &number(1.0));
            for outcome in self.outcomes(c, sign, &jumps, &with(pattern, c, side)) {
                let mut when = outcome.when;
                when.extend(faster.iter().map(|faster| faster.clone().less(number(0.0))));
                when.push(number(0.0).less(self.pressed(c, side, &outcome.to)));
                all.push(Transition {
                    event: format!("{stop}{}", outcome.changes),
                    guard: guard.clone(),
                    direction: DirectionSpec::Up,
                    when,
                    to: outcome.to,
                    jumps: jumps.clone(),
                    enters: None,
                });
            }
        }
        all
    }

    /// The force that presses a contact to the obstacle at a side if it rests there, the others being as they are: at
    /// the velocities behind the impulse that stops it.
    fn pressed(&mut self, c: usize, side: Status, pattern: &[Status]) -> Symbolic {
        let pull = self.motion(&with(pattern, c, side)).pulls[c].clone();
        let stops = self.impulse(c, &number(1.0));
        self.after(&(number(side.sign()) * pull.unwrap_or_else(|| number(0.0))), &stops)
    }

    /// Contact ends where nothing presses any more.
    fn leaving(&self, c: usize, status: Status, pattern: &[Status], motion: &Motion) -> Vec<Transition> {
        let contact = &self.contacts[c];
        let Some(pull) = &motion.pulls[c] else { return vec![] };
        let event = contact.event_name("leave", status);
        let guard = number(status.sign()) * pull.clone();
        vec![smooth(
            event,
            guard,
            DirectionSpec::Down,
            with(pattern, c, Status::Open),
        )]
    }

    /// A compliant obstacle is met or left.
    fn closing(&self, c: usize, pattern: &[Status]) -> Vec<Transition> {
        let contact = &self.contacts[c];
        if pattern[c] != Status::Open {
            let guard = contact.penetration(pattern[c].sign());
            let event = format!("{}:open", contact.name);
            return vec![smooth(
                event,
                guard,
                DirectionSpec::Down,
                with(pattern, c, Status::Open),
            )];
        }
        let close = |side: Status| {
            let event = contact.event_name("close", side);
            smooth(
                event,
                contact.penetration(side.sign()),
                DirectionSpec::Up,
                with(pattern, c, side),
            )
        };
        contact.obstacles().into_iter().map(close).collect()
    }

    fn switching(&self, c: usize, pattern: &[Status]) -> Vec<Transition> {
        let contact = &self.contacts[c];
        let Law::Relay { hysteresis, .. } = &contact.law else {
            return vec![];
        };
        let other = pattern[c].reflected();
        let guard = contact.displacement.clone() - number(other.sign()) * hysteresis.clone();
        let event = contact.event_name("switch", other);
        vec![smooth(event, guard, towards(other.sign()), with(pattern, c, other))]
    }

    /// The layer in which a smooth force changes is entered or left.
    fn crossing(&self, c: usize, smoothed: &Smoothed, pattern: &[Status]) -> Vec<Transition> {
        let contact = &self.contacts[c];
        if smoothed.states().len() == 1 {
            return vec![];
        }
        let sign = pattern[c].sign();
        if sign != 0.0 {
            let guard = smoothed.height.clone() - number(sign) * Symbolic::name(EPSILON);
            let event = format!("{}:enter", contact.name);
            return vec![Transition {
                enters: Some((c, sign)),
                ..smooth(event, guard, towards(-sign), with(pattern, c, Status::Stick))
            }];
        }
        let scaled = if smoothed.is_fast {
            Symbolic::name(&smoothed.hat)
        } else {
            smoothed.scaled()
        };
        let leave = |side: Status| {
            let guard = scaled.clone() - number(side.sign());
            let event = contact.event_name("leave", side);
            smooth(event, guard, towards(side.sign()), with(pattern, c, side))
        };
        smoothed.sides().map(leave).into()
    }

    /// What an impulse that takes `part` times the approach velocity off the relative velocity of a contact adds to
    /// each velocity.
    fn impulse(&self, c: usize, part: &Symbolic) -> Vec<(usize, Symbolic)> {
        let own = self.coupling(c, c);
        let speed = part.clone() * self.contacts[c].velocity.clone();
        (0..self.structure.coordinates.len())
            .filter_map(|i| {
                let response = self.response(i, c);
                if response.is_zero() {
                    return None;
                }
                let ratio = if response == own {
                    number(1.0)
                } else if -response.clone() == own {
                    number(-1.0)
                } else {
                    response / own.clone()
                };
                Some((i, -(ratio * speed.clone())))
            })
            .collect()
    }

    /// The energy that is lost where a rigid obstacle is hit, and where the motion stops there: by the velocities
    /// before.
    pub(crate) fn loss(&self, c: usize) -> Option<(Symbolic, Symbolic)> {
        let contact = &self.contacts[c];
        let Law::Rigid { restitution, .. } = &contact.law else {
            return None;
        };
        let square = |of: &Symbolic| of.clone().power(number(2.0));
        let stopped = square(&contact.velocity) / (number(2.0) * self.coupling(c, c));
        Some(((number(1.0) - square(restitution)) * stopped.clone(), stopped))
    }

    /// The velocity that a unit impulse at a contact gives to a coordinate or a point.
    fn response(&self, i: usize, c: usize) -> Symbolic {
        let contact = &self.contacts[c];
        let (mobility, points) = (&self.structure.mobility, &self.structure.points);
        let by = |place: usize| -> Symbolic {
            let rows: Vec<Symbolic> = mobility.iter().map(|row| points.at(place, row)).collect();
            points.at(i, &rows)
        };
        match contact.against {
            Some(other) => by(contact.on) - by(other),
            None => by(contact.on),
        }
    }

    /// The relative velocity that a unit impulse at contact `c` gives to contact `d`.
    fn coupling(&self, d: usize, c: usize) -> Symbolic {
        let on = self.response(self.contacts[d].on, c);
        match self.contacts[d].against {
            Some(other) => on - self.response(other, c),
            None => on,
        }
    }

    /// What jumps of velocities add to the relative velocity of a contact.
    pub(crate) fn relative_jump(&self, c: usize, jumps: &[(usize, Symbolic)]) -> Symbolic {
        let mut changes = vec![number(0.0); self.structure.coordinates.len()];
        jumps.iter().for_each(|(i, by)| changes[*i] = by.clone());
        let change = |place: usize| self.structure.points.at(place, &changes);
        let on = change(self.contacts[c].on);
        match self.contacts[c].against {
            Some(other) => on - change(other),
            None => on,
        }
    }

    /// The contacts where contact `c` rests at the side `sign` after an impulse there, by which others move that were
    /// tied.
    fn stopped(&self, c: usize, sign: f64, pattern: &[Status]) -> Pattern {
        let mut stopped = pattern.to_vec();
        for d in (0..self.contacts.len()).filter(|&d| self.contacts[d].ties(pattern[d])) {
            if !self.coupling(d, c).is_zero() {
                stopped[d] = match self.contacts[d].law {
                    Law::Rigid { .. } => Status::Open,
                    _ => Status::SlipPlus,
                };
            }
        }
        with(&stopped, c, if sign > 0.0 { Status::Above } else { Status::Below })
    }

    /// What a hit of contact `c` from the side `sign` makes of the others. Friction is finite and gives no impulse:
    /// what stuck goes on sticking only if its relative velocity stays zero.
    fn outcomes(&mut self, c: usize, sign: f64, jumps: &[(usize, Symbolic)], pattern: &[Status]) -> Vec<Outcome> {
        let mut all = vec![Outcome {
            changes: String::new(),
            when: vec![],
            to: pattern.to_vec(),
        }];
        let stopped = self.stopped(c, sign, pattern);
        for d in (0..self.contacts.len()).filter(|&d| d != c) {
            let coupling = self.coupling(d, c);
            let rigid = matches!(self.contacts[d].law, Law::Rigid { .. });
            let concerned = match &self.contacts[d].law {
                Law::Friction { .. } => true,
                Law::Jenkins { .. } => pattern[d] != Status::Stick,
                Law::Rigid { .. } => pattern[d] != Status::Open,
                Law::Smoothed(smoothed) => smoothed.is_fast && smoothed.states().len() > 1,
                Law::Compliant { .. } | Law::Relay { .. } => false,
            };
            if !concerned || coupling.is_zero() {
                continue;
            }
            // The way the relative velocity of this contact jumps.
            let jump = -sign * self.sign(coupling);
            let (now, slipping) = (pattern[d], pattern[d].sign());
            let after_slip = if matches!(self.contacts[d].law, Law::Jenkins { .. }) {
                Status::Stick
            } else {
                now.reflected()
            };
            let contact = &self.contacts[d];
            let after = contact.velocity.clone() + self.relative_jump(d, jumps);
            let choices: Vec<(Status, Option<Symbolic>)> = if let Law::Smoothed(smoothed) = &contact.law {
                smoothed.after_jump(now, jump, &after)
            } else if rigid {
                vec![(Status::Open, None)]
            } else if after_slip == Status::Stick && self.is_locked(d, &stopped) {
                // Its velocity is that of the contact, and does not go on in its direction.
                vec![(Status::Stick, None)]
            } else if slipping == 0.0 {
                let slip = if jump > 0.0 {
                    Status::SlipPlus
                } else {
                    Status::SlipMinus
                };
                vec![(slip, None)]
            } else if slipping * jump > 0.0 {
                vec![(now, None)]
            } else {
                let ahead = number(slipping) * after;
                vec![
                    (now, Some(number(0.0).less(ahead.clone()))),
                    (after_slip, Some(ahead.less(number(0.0)))),
                ]
            };
            all = all
                .iter()
                .flat_map(|outcome| {
                    choices.iter().map(|(status, condition)| Outcome {
                        changes: if *status == now {
                            outcome.changes.clone()
                        } else {
                            format!("{},{}", outcome.changes, contact.state_name(*status))
                        },
                        when: outcome.when.iter().chain(condition).cloned().collect(),
                        to: with(&outcome.to, d, *status),
                    })
                })
                .collect();
        }
        all
    }
}
