//! A symmetry of the coordinates: what it makes of velocities, contacts and modes.

use crate::plan::declared::mechanical::contact::{Contact, Law};
use crate::plan::declared::mechanical::mechanism::Mechanism;
use crate::plan::declared::mechanical::pattern::{Pattern, Status};
use crate::plan::system::frame::quoted;
use crate::plan::system::mechanical_fault::MechanicalFault;
use crate::spec::system::declared::SymmetrySpec;
use crate::spec::system::mechanical::{MechanicalSpec, SideSpec};
use crate::spec::system::named::{Named, Number};
use slipstick_system::text::plain_name;

/// For each contact: the one whose state it takes, and whether that is reflected.
pub(crate) struct Mirror {
    contacts: Vec<(usize, f64)>,
    states: Named<String>,
}

impl Mirror {
    /// The image of a mode.
    pub(crate) fn image(&self, pattern: &[Status]) -> Pattern {
        let image = |&(from, sign): &(usize, f64)| {
            if sign < 0.0 {
                pattern[from].reflected()
            } else {
                pattern[from]
            }
        };
        self.contacts.iter().map(image).collect()
    }

    /// The symmetry of the system with these modes.
    pub(crate) fn written(&self, patterns: &[Pattern], name: impl Fn(&[Status]) -> String) -> SymmetrySpec {
        let images = patterns.iter().map(|pattern| (pattern, self.image(pattern)));
        let moved = images.filter(|(pattern, image)| *pattern != image);
        SymmetrySpec {
            states: self.states.clone(),
            modes: Named(moved.map(|(pattern, image)| (name(pattern), name(&image))).collect()),
        }
    }
}

impl Mechanism<'_> {
    /// The symmetry that a declaration gives, if it does.
    pub(crate) fn mirror(&mut self, spec: &MechanicalSpec) -> Option<Mirror> {
        if spec.symmetry.is_empty() {
            return None;
        }
        let n = self.structure.coordinates.len();
        let names = self.reader.declarations.state_names();
        let mut sources: Vec<(usize, f64)> = (0..n).map(|i| (i, 1.0)).collect();
        let mut states: Vec<(String, String)> = vec![];
        for (name, image) in spec.symmetry.iter() {
            let key = format!("symmetry.{}", quoted(name));
            states.push((name.to_owned(), image.clone()));
            let plain = plain_name(name);
            if !names.contains(&plain) {
                self.reader.unknown(&format!("{key}#"), "state", name, names.clone());
                continue;
            }
            let Some(i) = self.structure.coordinates.iter().position(|x| *x == plain) else {
                continue;
            };
            let formula = self.reader.formula(&Number::Formula(image.clone()), &key);
            // One that is no coordinate with a sign is refused with the symmetry of the whole system.
            let slope = |j: usize| {
                let mut unit = vec![0.0; n];
                let at_zero = self.value(&formula, &unit)?;
                unit[j] = 1.0;
                Some((j, self.value(&formula, &unit)? - at_zero))
            };
            let found = (0..n).filter_map(slope).find(|(_, slope)| *slope != 0.0);
            sources[i] = found.unwrap_or(sources[i]);
        }
        let given = |states: &[(String, String)], name: &str| states.iter().any(|(known, _)| plain_name(known) == name);
        let signed = |sign: f64, name: &str| {
            if sign < 0.0 {
                format!("-{name}")
            } else {
                name.to_owned()
            }
        };
        for (i, &(j, sign)) in sources.iter().enumerate() {
            let (own, other) = (&self.structure.velocities[i], &self.structure.velocities[j]);
            if (own != other || sign < 0.0) && !given(&states, own) {
                states.push((own.clone(), signed(sign, other)));
            }
        }
        let mut contacts = vec![];
        for c in 0..self.contacts.len() {
            let Some((d, sign)) = self.image_of(c, &sources) else {
                let contact = self.contacts[c].name.clone();
                self.reader.fault("symmetry", MechanicalFault::NoImage { contact });
                return None;
            };
            if let Some((own, other)) = self.contacts[c].own_state_name().zip(self.contacts[d].own_state_name())
                && (own != other || sign < 0.0)
                && !given(&states, own)
            {
                states.push((own.to_owned(), signed(sign, other)));
            }
            contacts.push((d, sign));
        }
        Some(Mirror {
            contacts,
            states: Named(states),
        })
    }

    /// The contact that the symmetry takes to contact `c`, and with which sign.
    fn image_of(&self, c: usize, sources: &[(usize, f64)]) -> Option<(usize, f64)> {
        let contact = &self.contacts[c];
        let (on, sign) = sources[contact.on];
        let against = contact.against.map(|k| sources[k]);
        if against.is_some_and(|(_, other)| other != sign) {
            return None;
        }
        let against = against.map(|(k, _)| k);
        (0..self.contacts.len()).find_map(|d| {
            let other = &self.contacts[d];
            let sign = if (other.on, other.against) == (on, against) {
                sign
            } else if against.is_some() && (Some(other.on), other.against) == (against, Some(on)) {
                -sign
            } else {
                return None;
            };
            alike(contact, other, sign).then_some((d, sign))
        })
    }
}

/// Are they of one kind, with obstacles on the sides that correspond?
fn alike(a: &Contact, b: &Contact, sign: f64) -> bool {
    let sides = |a: SideSpec, b: SideSpec| match a {
        SideSpec::Above if sign < 0.0 => b == SideSpec::Below,
        SideSpec::Below if sign < 0.0 => b == SideSpec::Above,
        same => b == same,
    };
    match (&a.law, &b.law) {
        (Law::Friction { .. }, Law::Friction { .. })
        | (Law::Jenkins { .. }, Law::Jenkins { .. })
        | (Law::Relay { .. }, Law::Relay { .. }) => true,
        (Law::Smoothed(a), Law::Smoothed(b)) => a.is_fast == b.is_fast,
        (Law::Rigid { side: a, .. }, Law::Rigid { side: b, .. })
        | (Law::Compliant { side: a, .. }, Law::Compliant { side: b, .. }) => sides(*a, *b),
        _ => false,
    }
}
