//! What other contacts do at the instant of an event: those that switch at the same place do so together, and those
//! that stick may give way at once where a force or a velocity jumps.

use crate::plan::declared::expansion::Definition;
use crate::plan::declared::mechanical::contact::{Law, at_speed};
use crate::plan::declared::mechanical::mechanism::Mechanism;
use crate::plan::declared::mechanical::pattern::{Status, combinations, with};
use crate::plan::declared::mechanical::smoothed::EPSILON;
use crate::plan::declared::mechanical::transition::Transition;
use crate::plan::system::frame::quoted;
use crate::spec::system::declared::DirectionSpec;
use slipstick_system::text::Symbolic;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// Up to so many combinations of what gives way at once become events; of more only those in which one contact does.
const MOST: usize = 27;

/// What takes the place of names; of those that stay, nothing.
type Known = BTreeMap<String, Option<Symbolic>>;

fn zero() -> Symbolic {
    Symbolic::number(0.0)
}

impl Mechanism<'_> {
    /// A transition of contact `c` out of a mode, in which the contacts that switch at the same place change their
    /// state too; none where it is part of that of another contact. `alone` are the transitions of each contact by
    /// itself.
    pub(crate) fn joined(
        &mut self,
        c: usize,
        pattern: &[Status],
        transition: &Transition,
        alone: &[Vec<Transition>],
    ) -> Option<Transition> {
        let mut joined = transition.clone();
        let Some(place) = self.place(c, pattern, transition) else {
            return Some(joined);
        };
        for d in self.beside(c) {
            if self.rests_at(d, pattern, &place) {
                return None;
            }
            let mut others = alone[d].iter();
            let Some(other) = others.find(|other| self.is_at(&place, transition.direction, d, pattern, other)) else {
                continue;
            };
            if self.rank(d) < self.rank(c) {
                return None;
            }
            // What is thrown back there does not come to the other side.
            if !matches!(self.contacts[c].law, Law::Rigid { .. }) {
                joined.event = format!("{},{}", joined.event, self.contacts[d].state_name(other.to[d]));
                joined.to[d] = other.to[d];
            }
        }
        Some(joined)
    }

    /// Of contacts that switch at one place the first by this decides where the motion goes on: a rigid obstacle throws
    /// it back, friction may hold it, all others go along.
    fn rank(&self, c: usize) -> (usize, usize) {
        let kind = match &self.contacts[c].law {
            Law::Rigid { .. } => 0,
            Law::Friction { .. } => 1,
            Law::Jenkins { .. } | Law::Compliant { .. } | Law::Relay { .. } | Law::Smoothed(_) => 2,
        };
        (kind, c)
    }

    /// What vanishes at a transition of contact `c`, if it is a function of its relative displacement or velocity.
    fn place(&self, c: usize, pattern: &[Status], transition: &Transition) -> Option<Symbolic> {
        match &self.contacts[c].law {
            Law::Friction { .. } | Law::Jenkins { .. } if !self.slips(c, pattern) => None,
            Law::Rigid { .. } if pattern[c] != Status::Open => None,
            Law::Smoothed(smoothed) => {
                let side = if pattern[c].sign() == 0.0 {
                    transition.to[c]
                } else {
                    pattern[c]
                };
                let edge = Symbolic::number(side.sign()) * Symbolic::name(EPSILON);
                Some(smoothed.height.clone() - edge)
            }
            _ => Some(transition.guard.clone()),
        }
    }

    /// Is a place passed in this direction at a transition of contact `d`, too?
    fn is_at(
        &mut self,
        place: &Symbolic,
        direction: DirectionSpec,
        d: usize,
        pattern: &[Status],
        transition: &Transition,
    ) -> bool {
        let other = self.place(d, pattern, transition);
        let factor = other.and_then(|other| self.factor(place, &other));
        factor.is_some_and(|factor| (factor > 0.0) == (direction == transition.direction))
    }

    /// Does contact `d` rest on an obstacle at this place?
    fn rests_at(&mut self, d: usize, pattern: &[Status], place: &Symbolic) -> bool {
        let contact = &self.contacts[d];
        if !matches!(contact.law, Law::Rigid { .. }) || !contact.ties(pattern[d]) {
            return false;
        }
        let here = contact.penetration(pattern[d].sign());
        self.factor(place, &here).is_some()
    }

    /// Is it in slip, which ends where the relative velocity vanishes?
    fn slips(&self, c: usize, pattern: &[Status]) -> bool {
        matches!(self.contacts[c].law, Law::Friction { .. } | Law::Jenkins { .. }) && pattern[c].sign() != 0.0
    }

    /// The ways on at a transition of contact `c`: what sticks elsewhere stays if it is pulled by less than its level
    /// after the event, what rests on an obstacle if it is pressed, and else it gives way at once.
    pub(crate) fn with_giving_way(&mut self, c: usize, pattern: &[Status], base: Transition) -> Vec<Transition> {
        let mut changed = (0..self.contacts.len()).filter(|&d| d == c || base.to[d] != pattern[d]);
        if !changed.any(|d| self.jumps_a_force(d, pattern, &base)) {
            return vec![base];
        }
        let (before, after) = (self.motion(pattern), self.motion(&base.to));
        let mut concerned: Vec<usize> = vec![];
        for d in (0..self.contacts.len()).filter(|&d| d != c) {
            let stays = base.to[d] == pattern[d] && self.contacts[d].ties(pattern[d]);
            if stays && self.after_jumps(after.pulls[d].as_ref(), &base) != before.pulls[d] {
                concerned.push(d);
            }
        }
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
        let level = |sign: f64| match &contact.law {
            Law::Friction { level, .. } => Some(level.at(sign).clone()),
            _ => None,
        };
        let levels = (level(1.0), level(-1.0));
        if let Some(pull) = self.after_jumps(motion.pulls[d].as_ref(), base) {
            let [up, down] = [levels.0, levels.1].map(|level| self.after_jumps(level.as_ref(), base));
            return match up.zip(down) {
                Some((up, down)) => vec![(-down).less(pull.clone()), pull.less(up)],
                None => vec![zero().less(side * pull)],
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
            Law::Friction { kinetic, level, .. } => {
                pattern[c] != Status::Stick || at_speed(&kinetic.whole, &zero()) != level.whole
            }
            Law::Compliant { damping, .. } => !damping.is_zero(),
            Law::Relay { .. } => true,
            Law::Jenkins { .. } | Law::Rigid { .. } | Law::Smoothed(_) => false,
        }
    }

    /// A formula after the jumps of velocities at a transition, also of those that enter it through definitions.
    fn after_jumps(&mut self, formula: Option<&Symbolic>, transition: &Transition) -> Option<Symbolic> {
        Some(self.after(formula?, &transition.jumps))
    }

    /// The same after these jumps.
    pub(crate) fn after(&mut self, formula: &Symbolic, jumps: &[(usize, Symbolic)]) -> Symbolic {
        if jumps.is_empty() {
            return formula.clone();
        }
        let velocities = &self.structure.velocities;
        let after = |(i, by): &(usize, Symbolic)| {
            let velocity = &velocities[*i];
            (velocity.clone(), Some(Symbolic::name(velocity) + by.clone()))
        };
        let mut known: Known = jumps.iter().map(after).collect();
        let declared = self.reader.declarations.definitions();
        self.put_in(formula, &declared, &mut known)
    }

    /// A formula with what is known of names; of definitions it is found here.
    fn put_in(&mut self, formula: &Symbolic, declared: &[Definition], known: &mut Known) -> Symbolic {
        // The body of a function may speak of more than its arguments.
        let definition = |name: &str| {
            let (_, arguments, body) = declared.iter().find(|(own, ..)| own == name)?;
            Some((arguments.clone(), body.clone()))
        };
        let changed: Vec<&String> = known
            .iter()
            .filter(|(_, to)| to.is_some())
            .map(|(own, _)| own)
            .collect();
        let speaks = |body: &Symbolic| changed.iter().any(|own| body.depends_on(own, &definition));
        let formula = formula
            .written_out(&|name| definition(name).filter(|(arguments, body)| !arguments.is_empty() && speaks(body)));
        let names = RefCell::new(BTreeSet::new());
        let _ = formula.replaced(&|name, _| {
            names.borrow_mut().insert(name.to_owned());
            None
        });
        for name in names.into_inner() {
            if known.contains_key(&name) {
                continue;
            }
            let made = self.made.definitions.iter().find(|(own, ..)| *own == name);
            let made = made.map(|(_, body, source)| (body.clone(), source.clone()));
            let own = declared
                .iter()
                .find(|(own, arguments, _)| *own == name && arguments.is_empty());
            let own = own.map(|(_, _, body)| (body.clone(), format!("define.{}", quoted(&name))));
            let Some((body, source)) = made.or(own) else { continue };
            let after = self.put_in(&body, declared, known);
            let changed = (after != body).then(|| self.made.short(&format!("{name}_after"), after, &source));
            known.insert(name, changed);
        }
        formula.replaced(&|name, arguments| known.get(name).cloned().flatten().filter(|_| arguments.is_none()))
    }
}
