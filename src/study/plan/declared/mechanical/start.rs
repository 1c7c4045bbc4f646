//! The mode that initial values belong to.

use crate::plan::declared::mechanical::contact::Law;
use crate::plan::declared::mechanical::mechanism::Mechanism;
use crate::plan::declared::mechanical::pattern::{Pattern, Status, with};
use crate::plan::system::frame::quoted;
use crate::plan::system::mechanical_fault::MechanicalFault;
use crate::spec::system::mechanical::MechanicalSpec;
use slipstick_system::text::{Symbolic, plain_name};

/// What is this close to a limit, relative to its size, is at it.
const AT: f64 = 1e-12;

impl Mechanism<'_> {
    /// All states where trajectories start, formulas of the parameters.
    pub(crate) fn states_at_start(&mut self, spec: &MechanicalSpec) -> Vec<Symbolic> {
        let names = self.reader.declarations.state_names();
        let mut states = vec![Symbolic::number(0.0); names.len()];
        // Fast variables follow from the velocities.
        let is_own = |name: &String| !self.smooth_contacts().any(|(_, smoothed)| smoothed.hat == *name);
        let is_cyclic = |name: &String| spec.cyclic.iter().any(|cyclic| plain_name(cyclic) == *name);
        let own = names.iter().filter(|name| is_own(name) && !is_cyclic(name));
        let own: Vec<String> = own.cloned().collect();
        for (name, number) in spec.start.iter() {
            let key = format!("start.{}", quoted(name));
            let formula = self.reader.constant(number, &key);
            let plain = plain_name(name);
            let known = names.iter().position(|known| *known == plain);
            match known.filter(|_| own.contains(&plain)) {
                Some(i) => states[i] = formula,
                None => self.reader.unknown(&format!("{key}#"), "state", name, own.clone()),
            }
        }
        let scaled: Vec<(String, Symbolic)> = self
            .smooth_contacts()
            .map(|(_, smoothed)| (smoothed.hat.clone(), smoothed.scaled()))
            .collect();
        for (hat, scaled) in scaled {
            if let Some(i) = names.iter().position(|name| *name == hat) {
                let scaled = scaled.written_out(&|name| self.made.definition(name));
                states[i] = self.reader.declarations.put_in(&scaled, &states);
            }
        }
        states
    }

    /// The states of all contacts there at the default parameters, and the values of all states.
    pub(crate) fn start(&mut self, spec: &MechanicalSpec, states: &[Symbolic]) -> (Pattern, Vec<f64>) {
        let mut x = self.reader.declarations.values(states);
        self.set_fast(&mut x);
        let mut pattern: Pattern = (0..self.contacts.len()).map(|c| self.own_state(c, &x)).collect();
        // What can stick does, but for contacts that cannot hold: the one that is pulled most lets go first.
        loop {
            let motion = self.motion(&pattern);
            let mut worst: Option<(f64, usize, Status)> = None;
            for c in 0..self.contacts.len() {
                let Some(pull) = motion.pulls[c].as_ref().and_then(|pull| self.value(pull, &x)) else {
                    continue;
                };
                let (excess, status) = match &self.contacts[c].law {
                    Law::Friction { level, .. } => {
                        let level = self.value(level.at(pull), &x).unwrap_or(0.0);
                        let slip = if pull > 0.0 {
                            Status::SlipPlus
                        } else {
                            Status::SlipMinus
                        };
                        (pull.abs() - level, slip)
                    }
                    _ => (-pull * pattern[c].sign(), Status::Open),
                };
                if excess > AT * (1.0 + pull.abs()) && worst.is_none_or(|(most, ..)| excess > most) {
                    worst = Some((excess, c, status));
                }
            }
            match worst {
                Some((_, c, status)) => pattern[c] = status,
                None => break,
            }
        }
        if !spec.start.is_empty() {
            self.rests_unsaid(&pattern, &x);
        }
        (pattern, x)
    }

    /// A start at rest on an obstacle that is pressed needs permanent contact, or it would be hit for ever at once.
    fn rests_unsaid(&mut self, pattern: &[Status], x: &[f64]) {
        for c in 0..self.contacts.len() {
            if !matches!(self.contacts[c].law, Law::Rigid { rest: None, .. }) {
                continue;
            }
            let contact = &self.contacts[c];
            let at = |formula: &Symbolic| self.value(formula, x).unwrap_or(0.0);
            let touching = |side: &Status| at(&contact.penetration(side.sign())).abs() <= AT;
            let Some(side) = contact.obstacles().into_iter().find(touching) else {
                continue;
            };
            let still = at(&contact.velocity).abs() <= AT;
            let name = contact.name.clone();
            let pull = self.motion(&with(pattern, c, side)).pulls[c].clone();
            let pressed = pull.and_then(|pull| self.value(&pull, x)).unwrap_or(0.0) * side.sign();
            if still && pressed > AT {
                let key = format!("contacts.{}", quoted(&name));
                self.reader.fault(&key, MechanicalFault::RestsUnsaid { contact: name });
            }
        }
    }

    /// Fast variables by what they are the scaled values of.
    pub(crate) fn set_fast(&self, x: &mut [f64]) {
        let names = self.reader.declarations.state_names();
        for (_, smoothed) in self.smooth_contacts() {
            let index = names.iter().position(|name| *name == smoothed.hat);
            if let (Some(i), Some(value)) = (index, self.value(&smoothed.scaled(), x)) {
                x[i] = value;
            }
        }
    }

    /// The state of a contact by its own displacement and velocity.
    fn own_state(&mut self, c: usize, x: &[f64]) -> Status {
        let contact = &self.contacts[c];
        let at = |formula: &Symbolic| self.value(formula, x).unwrap_or(0.0);
        let velocity = at(&contact.velocity);
        let slip = if velocity > 0.0 {
            Status::SlipPlus
        } else {
            Status::SlipMinus
        };
        let still = velocity.abs() <= AT * (1.0 + at(&contact.belt.0).abs());
        let beyond = |sign: f64| at(&contact.penetration(sign));
        match &contact.law {
            Law::Friction { .. } if still => Status::Stick,
            Law::Friction { .. } => slip,
            Law::Jenkins {
                stiffness,
                limit,
                elongation,
            } => {
                let strained = at(&(stiffness.clone() * Symbolic::name(elongation)));
                let yields = strained * velocity > 0.0 && strained.abs() >= at(limit) * (1.0 - AT);
                if yields && !still { slip } else { Status::Stick }
            }
            Law::Rigid { rest, .. } => {
                let sides = contact.obstacles();
                if sides.iter().any(|s| beyond(s.sign()) > AT) {
                    let (contact, value) = (contact.name.clone(), at(&contact.displacement));
                    self.reader
                        .fault("start", MechanicalFault::StartBeyond { contact, value });
                    return Status::Open;
                }
                let touching = sides.into_iter().find(|s| beyond(s.sign()).abs() <= AT);
                touching.filter(|_| rest.is_some() && still).unwrap_or(Status::Open)
            }
            Law::Compliant { .. } => {
                let pressed = contact.obstacles().into_iter().find(|s| beyond(s.sign()) > 0.0);
                pressed.unwrap_or(Status::Open)
            }
            Law::Relay { hysteresis, .. } if at(&contact.displacement) < -at(hysteresis) => Status::Below,
            Law::Relay { .. } => Status::Above,
            Law::Smoothed(smoothed) => smoothed.state_at(at(&smoothed.scaled())),
        }
    }
}
