//! Contacts whose force jumps no more: the jump is spread over a layer of width ε.
//!
//! Where the relative velocity v of dry friction changes its sign, the force -F(|v|) sign v becomes -F(v φ(v̂)) φ(v̂) with
//! v̂ = v/ε; that of a relay changes with its displacement instead. As force over mass is the rate of v, and not that of
//! the displacement, v̂ is a fast variable of friction, and of no relay.

use crate::plan::declared::law::Law as Spread;
use crate::plan::declared::mechanical::contact::{Contact, Law};
use crate::plan::declared::mechanical::mechanism::Mechanism;
use crate::plan::declared::mechanical::motion::{Motion, Velocity};
use crate::plan::declared::mechanical::pattern::Status;
use slipstick_system::text::Symbolic;

/// The small parameter.
pub(crate) const EPSILON: &str = "epsilon";

/// What a contact with a smooth force exerts, and where.
pub(crate) struct Smoothed {
    /// The size of the force.
    pub(crate) size: Symbolic,
    /// The normal force, if it can change its sign.
    pub(crate) normal: Option<Symbolic>,
    /// What the force changes with: the relative velocity or the displacement.
    pub(crate) height: Symbolic,
    /// The name of that over ε.
    pub(crate) hat: String,
    /// φ there.
    within: Symbolic,
    /// Is the force that of dry friction beyond |height| = ε?
    has_layer: bool,
    pub(crate) is_fast: bool,
}

impl Smoothed {
    /// The states that the contact can be in.
    pub(crate) fn states(&self) -> Vec<Status> {
        let [plus, minus] = self.sides();
        if self.has_layer {
            vec![plus, minus, Status::Stick]
        } else {
            vec![Status::Stick]
        }
    }

    /// What the state is called in which the force changes.
    pub(crate) fn word(&self) -> &'static str {
        if self.has_layer { "layer" } else { "smooth" }
    }

    /// The states beside the layer.
    pub(crate) fn sides(&self) -> [Status; 2] {
        if self.is_fast {
            [Status::SlipPlus, Status::SlipMinus]
        } else {
            [Status::Above, Status::Below]
        }
    }

    /// What takes the place of the sign.
    pub(crate) fn sign(&self, status: Status) -> Symbolic {
        match status {
            Status::Stick => self.within.clone(),
            side => Symbolic::number(side.sign()),
        }
    }

    /// The state at this multiple of ε.
    pub(crate) fn state_at(&self, height: f64) -> Status {
        let [plus, minus] = self.sides();
        match height {
            _ if !self.has_layer || height.abs() < 1.0 => Status::Stick,
            h if h > 0.0 => plus,
            _ => minus,
        }
    }

    /// The height over ε.
    pub(crate) fn scaled(&self) -> Symbolic {
        self.height.clone() / Symbolic::name(EPSILON)
    }

    /// The states after a jump to the relative velocity `after`, in the direction of `jump`, each with its condition.
    pub(crate) fn after_jump(&self, now: Status, jump: f64, after: &Symbolic) -> Vec<(Status, Option<Symbolic>)> {
        if !self.has_layer || !self.is_fast {
            return vec![(now, None)];
        }
        let epsilon = Symbolic::name(EPSILON);
        let ahead = if jump < 0.0 { -after.clone() } else { after.clone() };
        let [plus, minus] = self.sides();
        let (first, last) = if jump < 0.0 { (plus, minus) } else { (minus, plus) };
        let beyond = (last, Some(epsilon.clone().less(ahead.clone())));
        if now == last {
            vec![(now, None)]
        } else if now == Status::Stick {
            vec![(now, Some(ahead.less(epsilon))), beyond]
        } else {
            let size = Symbolic::call("abs", vec![ahead.clone()]);
            vec![
                (first, Some(ahead.less(-epsilon.clone()))),
                (Status::Stick, Some(size.less(epsilon))),
                beyond,
            ]
        }
    }
}

impl Contact {
    /// The same with a function in the place of the sign; as it is where nothing jumps.
    pub(crate) fn smoothed(self, spread: &Spread, hat: &str) -> Self {
        let (size, normal, height, is_fast) = match self.law {
            Law::Friction { kinetic, normal, .. } => (kinetic, normal, self.velocity.clone(), true),
            Law::Relay { level, ref hysteresis } if hysteresis.is_zero() => {
                (level, None, self.displacement.clone(), false)
            }
            law => return Self { law, ..self },
        };
        let scaled = if is_fast {
            Symbolic::name(hat)
        } else {
            height.clone() / Symbolic::name(EPSILON)
        };
        let smoothed = Smoothed {
            size,
            normal,
            height,
            hat: hat.to_owned(),
            within: spread.at(scaled),
            has_layer: spread.has_layer,
            is_fast,
        };
        Self {
            law: Law::Smoothed(smoothed),
            ..self
        }
    }
}

/// A velocity in the place of which a fast variable moves: the coordinate, and its value.
pub(crate) type Replaced = (usize, Symbolic);

impl Mechanism<'_> {
    /// For each contact the velocity that its fast variable takes the place of: that of the coordinate it acts on, or of
    /// what that is against, or of another one, if contacts before it have taken them; none where the relative velocity
    /// follows from theirs.
    pub(crate) fn replaced(&self, pattern: &[Status], motion: &Motion) -> Vec<Option<Replaced>> {
        let velocities = &self.structure.velocities;
        let tied = |name: &str| {
            let i = velocities.iter().position(|v| v == name)?;
            match &motion.velocities[i] {
                Velocity::Own => None,
                Velocity::Of(other) => Some(Symbolic::name(&velocities[*other])),
                Velocity::Given(value, _) => Some(value.clone()),
            }
        };
        let put_in = |formula: &Symbolic, i: usize, value: &Symbolic| {
            formula.replaced(&|name, call| (call.is_none() && name == velocities[i]).then(|| value.clone()))
        };
        let mut all: Vec<Option<Replaced>> = vec![None; self.contacts.len()];
        for (c, contact) in self.contacts.iter().enumerate() {
            let Law::Smoothed(smoothed) = &contact.law else {
                continue;
            };
            if !smoothed.is_fast || pattern[c] != Status::Stick {
                continue;
            }
            let height = smoothed
                .height
                .replaced(&|name, call| tied(name).filter(|_| call.is_none()));
            let height = all.iter().flatten().fold(height, |h, (i, value)| put_in(&h, *i, value));
            let candidates = [Some(contact.on), contact.against].into_iter().flatten();
            let mut candidates = candidates.chain(0..velocities.len());
            let slope = |i: usize| height.derivative(&velocities[i], &|_| None).value();
            let Some((i, slope)) = candidates.find_map(|i| slope(i).filter(|slope| *slope != 0.0).map(|s| (i, s)))
            else {
                continue;
            };
            let rest = put_in(&height, i, &Symbolic::number(0.0));
            let own = Symbolic::name(EPSILON) * Symbolic::name(&smoothed.hat);
            let value = if slope > 0.0 { own - rest } else { rest - own };
            for (_, earlier) in all.iter_mut().flatten() {
                *earlier = put_in(earlier, i, &value);
            }
            all[c] = Some((i, value));
        }
        all
    }

    /// The rate of the relative velocity of a contact.
    pub(crate) fn relative_acceleration(&self, c: usize, motion: &Motion) -> Symbolic {
        let contact = &self.contacts[c];
        let on = motion.accelerations[contact.on].clone() - contact.belt.1.clone();
        match contact.against {
            Some(other) => on - motion.accelerations[other].clone(),
            None => on,
        }
    }

    /// The contacts with a smooth force.
    pub(crate) fn smooth_contacts(&self) -> impl Iterator<Item = (usize, &Smoothed)> {
        self.contacts
            .iter()
            .enumerate()
            .filter_map(|(c, contact)| match &contact.law {
                Law::Smoothed(smoothed) => Some((c, smoothed)),
                _ => None,
            })
    }
}
