//! Jenkins elements whose relative velocity the ties of a mode keep zero, as beside a gap in contact: they are locked,
//! keep the force that they have, and do not slip.

use crate::plan::declared::mechanical::contact::Law;
use crate::plan::declared::mechanical::mechanism::Mechanism;
use crate::plan::declared::mechanical::pattern::{Status, with};
use crate::plan::declared::mechanical::ties::{Condition, left};
use crate::plan::declared::mechanical::transition::Transition;
use slipstick_system::text::Symbolic;

/// A spring whose force is this near to its limit, as a part of it, is strained to the limit: nothing has moved it
/// since it slipped.
const AT_LIMIT: f64 = 1e-8;

/// An obstacle as near as this, as a part of the elongation at the limit, is met.
const AT_OBSTACLE: f64 = 1e-8;

impl Mechanism<'_> {
    /// Is the contact a Jenkins element whose relative velocity the others keep zero in these states?
    pub(crate) fn is_locked(&self, c: usize, pattern: &[Status]) -> bool {
        if !matches!(self.contacts[c].law, Law::Jenkins { .. }) {
            return false;
        }
        let rest = left(&self.ties_but(None, pattern), &self.velocity_is_zero(c));
        rest.vanishes() && rest.right.is_zero()
    }

    /// Can the contacts be in these states at all? What is locked does not slip.
    pub(crate) fn is_possible(&self, pattern: &[Status]) -> bool {
        (0..pattern.len()).all(|c| pattern[c].sign() == 0.0 || !self.is_locked(c, pattern))
    }

    /// A transition of contact `c` with what becomes of Jenkins elements that are locked behind it, which stick, or
    /// before it: one that is strained to its limit slips on at once, if it is pulled further.
    pub(crate) fn with_locked(&self, c: usize, pattern: &[Status], transition: Transition) -> Vec<Transition> {
        let mut all = vec![self.sticks_where_locked(transition)];
        for d in 0..self.contacts.len() {
            let Some(slip) = self.slips_when_freed(d, c, pattern, &all[0]) else {
                continue;
            };
            let Some(strain) = self.strain_beyond_limit(d, slip) else {
                continue;
            };
            let slips_on = |t: &Transition| Transition {
                event: format!("{},{}", t.event, self.contacts[d].state_name(slip)),
                when: t.when.iter().cloned().chain([zero().less(strain.clone())]).collect(),
                to: with(&t.to, d, slip),
                ..t.clone()
            };
            let sticks_on = |t: &Transition| Transition {
                when: t.when.iter().cloned().chain([strain.clone().less(zero())]).collect(),
                ..t.clone()
            };
            all = all.iter().flat_map(|t| [sticks_on(t), slips_on(t)]).collect();
        }
        all
    }

    fn sticks_where_locked(&self, mut transition: Transition) -> Transition {
        for d in 0..self.contacts.len() {
            if transition.to[d].sign() != 0.0 && self.is_locked(d, &transition.to) {
                transition.to[d] = Status::Stick;
                transition.event = format!("{},{}", transition.event, self.contacts[d].state_name(Status::Stick));
            }
        }
        transition
    }

    /// The way in which a Jenkins element moves that was locked by contact `c`, and is not behind a transition in which
    /// nothing else lets go.
    fn slips_when_freed(&self, d: usize, c: usize, pattern: &[Status], transition: &Transition) -> Option<Status> {
        let to = &transition.to;
        let was_locked = pattern[d] == Status::Stick && self.is_locked(d, pattern) && !self.is_locked(d, to);
        let ties = |c: usize, of: &[Status]| self.contacts[c].ties(of[c]);
        let only = (0..self.contacts.len()).all(|k| ties(k, pattern) == (ties(k, to) || k == c));
        if !was_locked || !only || !ties(c, pattern) {
            return None;
        }
        let others = self.ties_but(Some(c), pattern);
        let [own, of_contact] = [d, c].map(|k| left(&others, &self.velocity_is_zero(k)));
        // The contact slips to a side, or moves away from its obstacle.
        let moves = if to[c] == Status::Open {
            -pattern[c].sign()
        } else {
            to[c].sign()
        };
        Some(if own.ratio(&of_contact)? * moves > 0.0 {
            Status::SlipPlus
        } else {
            Status::SlipMinus
        })
    }

    /// What is positive where a Jenkins element that would begin to slip to this side is clear of obstacles that end
    /// its motion there. One that slipped when an obstacle was hit has its spring strained to the limit just where the
    /// obstacle is met again: it slips on beyond no obstacle.
    pub(crate) fn clear_of_obstacles(&self, c: usize, slip: Status, pattern: &[Status]) -> Vec<Symbolic> {
        let Law::Jenkins { stiffness, limit, .. } = &self.contacts[c].law else {
            return vec![];
        };
        let unit = limit.clone() / stiffness.clone();
        let ties = self.ties_but(None, pattern);
        let own = left(&ties, &self.velocity_is_zero(c));
        let mut clear = vec![];
        for d in (0..self.contacts.len()).filter(|&d| pattern[d] == Status::Open) {
            let contact = &self.contacts[d];
            let Some(ratio) = own.ratio(&left(&ties, &self.velocity_is_zero(d))) else {
                continue;
            };
            if matches!(contact.law, Law::Rigid { .. }) {
                let ahead = contact
                    .obstacles()
                    .into_iter()
                    .filter(|side| side.sign() * ratio * slip.sign() > 0.0);
                clear.extend(ahead.map(|side| {
                    let left = -contact.penetration(side.sign()) / unit.clone();
                    Symbolic::number(AT_OBSTACLE).less(left)
                }));
            }
        }
        clear
    }

    /// What is positive where the spring of a Jenkins element is strained to its limit at this side.
    fn strain_beyond_limit(&self, d: usize, slip: Status) -> Option<Symbolic> {
        let Law::Jenkins {
            stiffness,
            limit,
            elongation,
        } = &self.contacts[d].law
        else {
            return None;
        };
        // As a part of the limit: side conditions are judged to an absolute accuracy.
        let force = Symbolic::number(slip.sign()) * (stiffness.clone() * Symbolic::name(elongation));
        Some(force / limit.clone() - Symbolic::number(1.0 - AT_LIMIT))
    }

    /// The conditions that contacts in these states set to velocities, without that of one contact.
    fn ties_but(&self, without: Option<usize>, pattern: &[Status]) -> Vec<Condition> {
        let tied = (0..self.contacts.len()).filter(|&c| Some(c) != without && self.contacts[c].ties(pattern[c]));
        tied.map(|c| self.velocity_is_zero(c)).collect()
    }

    fn velocity_is_zero(&self, c: usize) -> Condition {
        let contact = &self.contacts[c];
        contact.tie(&self.structure, contact.belt.0.clone())
    }
}

fn zero() -> Symbolic {
    Symbolic::number(0.0)
}
