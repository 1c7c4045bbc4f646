//! What other contacts do at the instant of an event: those with the same relative velocity end their slip together,
//! and those that stick may give way at once where a force or a velocity jumps.

use crate::plan::declared::mechanical::contact::{Law, at_speed};
use crate::plan::declared::mechanical::mechanism::Mechanism;
use crate::plan::declared::mechanical::pattern::{Status, combinations, with};
use crate::plan::declared::mechanical::transition::Transition;
use slipstick_system::text::Symbolic;

/// Up to so many combinations of what gives way at once become events; of more only those in which one contact does.
const MOST: usize = 27;

fn zero() -> Symbolic {
    Symbolic::number(0.0)
}

impl Mechanism<'_> {
    /// A transition of contact `c` out of a mode, in which the contacts that move with it change their state too; none
    /// where it is part of that of another contact.
    pub(crate) fn joined(&self, c: usize, pattern: &[Status], mut transition: Transition) -> Option<Transition> {
        let own = &self.contacts[c];
        if !transition.jumps.is_empty() || !self.slips(c, pattern) || transition.to[c] == pattern[c] {
            return Some(transition);
        }
        let alike = |&d: &usize| {
            let other = &self.contacts[d];
            let reversed = -other.velocity.clone() == own.velocity;
            let sign = if reversed { -1.0 } else { 1.0 };
            (other.velocity == own.velocity || reversed)
                && self.slips(d, pattern)
                && pattern[d].sign() == sign * pattern[c].sign()
        };
        let elastic = |d: usize| matches!(self.contacts[d].law, Law::Jenkins { .. });
        let others: Vec<usize> = (0..self.contacts.len()).filter(|&d| d != c).filter(alike).collect();
        // Friction decides where it goes on; of springs in series with friction the first one names the event.
        if elastic(c) && others.iter().any(|&d| !elastic(d) || d < c) {
            return None;
        }
        for d in others.into_iter().filter(|&d| elastic(d)) {
            transition.event = format!("{},{}", transition.event, self.contacts[d].state_name(Status::Stick));
            transition.to[d] = Status::Stick;
        }
        Some(transition)
    }

    /// Is it in slip, which ends where the relative velocity vanishes?
    fn slips(&self, c: usize, pattern: &[Status]) -> bool {
        matches!(self.contacts[c].law, Law::Friction { .. } | Law::Jenkins { .. }) && pattern[c].sign() != 0.0
    }

    /// The ways on at a transition of contact `c`: what sticks elsewhere stays if it is pulled by less than its level
    /// after the event, what rests on an obstacle if it is pressed, and else it gives way at once.
    pub(crate) fn with_giving_way(&mut self, c: usize, pattern: &[Status], base: Transition) -> Vec<Transition> {
        if !self.jumps_a_force(c, pattern, &base) {
            return vec![base];
        }
        let (before, after) = (self.motion(pattern), self.motion(&base.to));
        let concerned = |&d: &usize| {
            let stays = base.to[d] == pattern[d] && self.contacts[d].ties(pattern[d]);
            d != c && stays && self.after_jumps(after.pulls[d].as_ref(), &base) != before.pulls[d]
        };
        let concerned: Vec<usize> = (0..self.contacts.len()).filter(concerned).collect();
        if concerned.is_empty() {
            return vec![base];
        }
        let choices: Vec<Vec<Status>> = concerned
            .iter()
            .map(|&d| match pattern[d] {
                Status::Stick => vec![Status::Stick, Status::SlipPlus, Status::SlipMinus],
                rests => vec![rests, Status::Open],
            })
            .collect();
        let mut together = combinations(&choices, MOST).unwrap_or_else(|| {
            let stay: Vec<Status> = concerned.iter().map(|&d| pattern[d]).collect();
            let alone = choices.iter().enumerate();
            let alone = alone.flat_map(|(k, own)| own.iter().skip(1).map(move |status| (k, *status)));
            let alone: Vec<_> = alone.map(|(k, status)| with(&stay, k, status)).collect();
            [stay].into_iter().chain(alone).collect()
        });
        let changed = |statuses: &Vec<Status>| {
            let pairs = concerned.iter().zip(statuses);
            pairs.filter(|(d, status)| pattern[**d] != **status).count()
        };
        // The fewest changes first: with friction that falls where slip begins, several may be possible.
        together.sort_by_key(changed);
        let mut all = vec![];
        for statuses in together {
            let mut to = base.to.clone();
            let mut event = base.event.clone();
            for (&d, &status) in concerned.iter().zip(&statuses) {
                to[d] = status;
                if status != pattern[d] {
                    event = format!("{event},{}", self.contacts[d].state_name(status));
                }
            }
            let mut when = if to == base.to {
                base.when.clone()
            } else {
                self.ends_slip(c, pattern, &to, &base)
            };
            for &d in &concerned {
                when.extend(self.goes_on_in(d, pattern, &to, &base));
            }
            all.push(Transition {
                event,
                when,
                to,
                ..base.clone()
            });
        }
        all
    }

    /// What must hold for contact `c` itself at an event with others that give way.
    fn ends_slip(&mut self, c: usize, pattern: &[Status], to: &[Status], base: &Transition) -> Vec<Symbolic> {
        let friction = matches!(self.contacts[c].law, Law::Friction { .. });
        if friction && self.slips(c, pattern) {
            self.goes_on_in(c, pattern, to, base)
        } else {
            base.when.clone()
        }
    }

    /// What must hold for a contact without relative velocity to be in its state in `to`: it sticks by a pull below its
    /// level, rests while it is pressed, or moves off to the side of its state.
    fn goes_on_in(&mut self, d: usize, pattern: &[Status], to: &[Status], base: &Transition) -> Vec<Symbolic> {
        let motion = self.motion(to);
        let contact = &self.contacts[d];
        let side = Symbolic::number(if matches!(contact.law, Law::Rigid { .. }) {
            // Away from the obstacle on which it rested.
            if to[d] == Status::Open {
                -pattern[d].sign()
            } else {
                to[d].sign()
            }
        } else {
            to[d].sign()
        });
        if let Some(pull) = self.after_jumps(motion.pulls[d].as_ref(), base) {
            return match &contact.law {
                Law::Friction { level, .. } => {
                    vec![(-level.clone()).less(pull.clone()), pull.less(level.clone())]
                }
                _ => vec![zero().less(side * pull)],
            };
        }
        let off = side * self.relative_acceleration(d, &motion);
        self.after_jumps(Some(&off), base)
            .map(|off| zero().less(off))
            .into_iter()
            .collect()
    }

    /// Does a force jump at this transition of contact `c`, by its own state or by a jump of velocities?
    fn jumps_a_force(&self, c: usize, pattern: &[Status], transition: &Transition) -> bool {
        if !transition.jumps.is_empty() {
            return true;
        }
        match &self.contacts[c].law {
            Law::Friction { kinetic, level, .. } => pattern[c] != Status::Stick || at_speed(kinetic, &zero()) != *level,
            Law::Compliant { damping, .. } => !damping.is_zero(),
            Law::Relay { .. } => true,
            Law::Jenkins { .. } | Law::Rigid { .. } | Law::Smoothed(_) => false,
        }
    }

    /// A formula after the jumps of velocities at a transition.
    fn after_jumps(&self, formula: Option<&Symbolic>, transition: &Transition) -> Option<Symbolic> {
        let velocities = &self.structure.velocities;
        let after = |name: &str| {
            let (i, by) = transition.jumps.iter().find(|(i, _)| velocities[*i] == name)?;
            Some(Symbolic::name(&velocities[*i]) + by.clone())
        };
        formula.map(|formula| formula.replaced(&|name, arguments| after(name).filter(|_| arguments.is_none())))
    }
}
