//! A symmetry of the coordinates: what it makes of velocities, contacts and modes.

use crate::plan::declared::mechanical::contact::{Contact, Law, at_speed};
use crate::plan::declared::mechanical::mechanism::Mechanism;
use crate::plan::declared::mechanical::pattern::{Pattern, Status};
use crate::plan::declared::mechanical::points::Point;
use crate::plan::system::frame::quoted;
use crate::plan::system::mechanical_fault::MechanicalFault;
use crate::spec::system::declared::SymmetrySpec;
use crate::spec::system::mechanical::{MechanicalSpec, SideSpec};
use crate::spec::system::named::{Named, Number};
use slipstick_system::text::{Symbolic, plain_name};

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
        let points = (0..self.structure.points.all.len()).map(|k| self.image_of_point(k, &sources));
        let images: Vec<Option<(usize, f64)>> = sources.iter().copied().map(Some).chain(points).collect();
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
        let contacts = self.images(&images, &states)?;
        for (c, &(d, sign)) in contacts.iter().enumerate() {
            if let Some((own, other)) = self.contacts[c].own_state_name().zip(self.contacts[d].own_state_name())
                && (own != other || sign < 0.0)
                && !given(&states, own)
            {
                states.push((own.to_owned(), signed(sign, other)));
            }
        }
        Some(Mirror {
            contacts,
            states: Named(states),
        })
    }

    /// For each contact the one that the symmetry takes to it, and with which sign; each is taken to one.
    ///
    /// Between the same bodies there may be several contacts of one kind. Those of which all constants agree belong
    /// together; where there are none, the system has no such symmetry, and its check says where the sides differ.
    fn images(&mut self, sources: &[Option<(usize, f64)>], states: &[(String, String)]) -> Option<Vec<(usize, f64)>> {
        let n = self.contacts.len();
        let candidates: Vec<Vec<(usize, f64)>> = (0..n).map(|c| self.candidates(c, sources)).collect();
        let mut images: Vec<Option<(usize, f64)>> = vec![None; n];
        if candidates.iter().any(|own| own.len() > 1) {
            let (points, mirrored) = self.mirrored_points(states);
            let laws = |at: &[Vec<f64>]| -> Vec<Vec<Vec<f64>>> {
                let law = |c: usize| at.iter().map(|x| self.constants(c, x)).collect();
                (0..n).map(law).collect()
            };
            let (before, after) = (laws(&points), laws(&mirrored));
            for (c, own) in candidates.iter().enumerate() {
                let agree = |d: usize, sign: f64| after[c].iter().zip(&before[d]).all(|(a, b)| agree(a, b, sign));
                let same = own.iter().find(|&&(d, sign)| is_free(&images, d) && agree(d, sign));
                images[c] = same.copied();
            }
        }
        for (c, own) in candidates.iter().enumerate() {
            if images[c].is_none() {
                images[c] = own.iter().find(|(d, _)| is_free(&images, *d)).copied();
            }
            if images[c].is_none() {
                let contact = self.contacts[c].name.clone();
                self.reader.fault("symmetry", MechanicalFault::NoImage { contact });
                return None;
            }
        }
        images.into_iter().collect()
    }

    /// The contacts of the kind of contact `c` between the images of its bodies, and with which sign.
    fn candidates(&self, c: usize, sources: &[Option<(usize, f64)>]) -> Vec<(usize, f64)> {
        let contact = &self.contacts[c];
        let (Some((on, sign)), Some(against)) = (
            sources[contact.on],
            contact.against.map_or(Some(None), |k| sources[k].map(Some)),
        ) else {
            return vec![];
        };
        if against.is_some_and(|(_, other)| other != sign) {
            return vec![];
        }
        let against = against.map(|(k, _)| k);
        let candidate = |d: usize| {
            let other = &self.contacts[d];
            let sign = if (other.on, other.against) == (on, against) {
                sign
            } else if against.is_some() && (Some(other.on), other.against) == (against, Some(on)) {
                -sign
            } else {
                return None;
            };
            alike(contact, other, sign).then_some((d, sign))
        };
        (0..self.contacts.len()).filter_map(candidate).collect()
    }

    /// The point that a symmetry of the coordinates takes a point to, if there is one, and with which sign.
    fn image_of_point(&self, k: usize, sources: &[(usize, f64)]) -> Option<(usize, f64)> {
        const ROUNDING: f64 = 1e-9;
        let points = &self.structure.points.all;
        let mut image = vec![0.0; sources.len()];
        for ((_, part), &(source, sign)) in points[k].shape.iter().zip(sources) {
            image[source] += sign * part;
        }
        let largest = image.iter().fold(0.0, |most: f64, part| most.max(part.abs()));
        let is = |point: &Point, sign: f64| {
            let mut pairs = point.shape.iter().zip(&image);
            pairs.all(|((_, part), image)| (sign * part - image).abs() <= ROUNDING * largest)
        };
        let signs = points
            .iter()
            .enumerate()
            .flat_map(|(k, point)| [(k, point, 1.0), (k, point, -1.0)]);
        let mut found = signs.filter(|(_, point, sign)| is(point, *sign));
        found.next().map(|(k, _, sign)| (sources.len() + k, sign))
    }

    /// Some states, always the same ones, and their images under the symmetry.
    fn mirrored_points(&self, states: &[(String, String)]) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
        const POINTS: usize = 3;
        let names = self.reader.declarations.state_names();
        let image = |name: &String| {
            let given = states.iter().find(|(known, _)| plain_name(known) == *name);
            given.and_then(|(_, text)| Symbolic::parse(text).ok())
        };
        let images: Vec<Option<Symbolic>> = names.iter().map(image).collect();
        let pair = |k: usize| {
            let x: Vec<f64> = (0..names.len())
                .map(|i| (0.9 + 1.7 * (k * 7 + i) as f64).sin())
                .collect();
            let mirrored = images.iter().zip(&x).map(|(image, &own)| match image {
                Some(image) => self.value(image, &x).unwrap_or(f64::NAN),
                None => own,
            });
            let mirrored = mirrored.collect();
            (x, mirrored)
        };
        (0..POINTS).map(pair).unzip()
    }

    /// What the law of a contact consists of at a state. The first number, the velocity of its belt, has a sign.
    fn constants(&self, c: usize, x: &[f64]) -> Vec<f64> {
        let contact = &self.contacts[c];
        // Friction is compared at these speeds.
        let at_speeds = |of: &Symbolic| [0.31, 1.7].map(|speed| at_speed(of, &Symbolic::number(speed)));
        let parts: Vec<Symbolic> = match &contact.law {
            Law::Friction { kinetic, level, .. } => {
                let speeds = at_speeds(&kinetic.whole).into_iter();
                speeds.chain([level.whole.clone()]).collect()
            }
            Law::Jenkins { stiffness, limit, .. } => vec![stiffness.clone(), limit.clone()],
            Law::Rigid {
                distance,
                restitution,
                rest,
                ..
            } => [distance, restitution].into_iter().chain(rest).cloned().collect(),
            Law::Compliant {
                distance,
                stiffness,
                damping,
                ..
            } => vec![distance.clone(), stiffness.clone(), damping.clone()],
            Law::Relay { level, hysteresis } => vec![level.clone(), hysteresis.clone()],
            Law::Smoothed(smoothed) => at_speeds(&smoothed.size).into(),
        };
        let all = std::iter::once(&contact.belt.0).chain(&parts);
        all.map(|part| self.value(part, x).unwrap_or(f64::NAN)).collect()
    }
}

/// Are these the constants of one law, up to rounding? What has no value on either side is no difference.
fn agree(a: &[f64], b: &[f64], sign: f64) -> bool {
    const TOLERANCE: f64 = 1e-9;
    let signs = std::iter::once(sign).chain(std::iter::repeat(1.0));
    let mut pairs = a.iter().zip(b).zip(signs).map(|((a, b), sign)| (*a, sign * b));
    a.len() == b.len()
        && pairs.all(|(a, b)| a == b || (a - b).abs() <= TOLERANCE * (a.abs() + b.abs()) || (a.is_nan() && b.is_nan()))
}

/// Is the contact the image of none yet?
fn is_free(images: &[Option<(usize, f64)>], d: usize) -> bool {
    images.iter().flatten().all(|(taken, _)| *taken != d)
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
