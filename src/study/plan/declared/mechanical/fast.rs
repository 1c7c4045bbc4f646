//! Fast variables: contacts with functions in the place of signs, and the velocities that their scaled values take the
//! place of.

use crate::plan::declared::law::Law as Spread;
use crate::plan::declared::mechanical::contact::{Contact, Law};
use crate::plan::declared::mechanical::mechanism::Mechanism;
use crate::plan::declared::mechanical::motion::{Motion, Velocity};
use crate::plan::declared::mechanical::pattern::Status;
use crate::plan::declared::mechanical::smoothed::{EPSILON, Smoothed};
use slipstick_system::text::Symbolic;

impl Contact {
    /// The same with a function in the place of the sign; as it is where nothing jumps.
    pub(crate) fn smoothed(self, spread: &Spread, hat: &str) -> Self {
        let (size, normal, height, is_fast) = match self.law {
            Law::Friction { kinetic, normal, .. } => (kinetic.whole, normal, self.velocity.clone(), true),
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
    /// For each contact the velocity that its fast variable takes the place of: that of the coordinate it acts on, or
    /// of what that is against, or of another one, if contacts before it have taken them; none where the relative
    /// velocity follows from theirs.
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
            let candidates = candidates.filter(|place| *place < velocities.len());
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
        let at = |place: usize| self.structure.points.at(place, &motion.accelerations);
        let on = at(contact.on) - contact.belt.1.clone();
        match contact.against {
            Some(other) => on - at(other),
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
