//! Cyclic coordinates: nothing depends on them, and they are left out.

use crate::plan::declared::expansion::Expansion;
use crate::plan::declared::mechanical::contact::Law;
use crate::plan::declared::mechanical::mechanism::Mechanism;
use crate::plan::declared::mechanical::points::index;
use crate::plan::system::mechanical_fault::MechanicalFault;
use crate::spec::system::mechanical::MechanicalSpec;
use slipstick_system::text::{Symbolic, plain_name};

impl Mechanism<'_> {
    /// The names of the coordinates that are cyclic. That nothing depends on them is checked.
    pub(crate) fn cyclic(&mut self, spec: &MechanicalSpec) -> Vec<String> {
        let mut all = vec![];
        for (k, name) in spec.cyclic.iter().enumerate() {
            let key = format!("cyclic[{k}]");
            let Some(i) = index(name, &self.structure.coordinates) else {
                let known = self.structure.coordinates.clone();
                self.reader.unknown(&key, "coordinate", name, known);
                continue;
            };
            let coordinate = self.structure.coordinates[i].clone();
            match self.dependent(i) {
                Some(what) => self.reader.fault(&key, MechanicalFault::NotCyclic { coordinate, what }),
                None => all.push(coordinate),
            }
        }
        all
    }

    /// What depends on the value of a coordinate.
    fn dependent(&self, i: usize) -> Option<String> {
        let name = &self.structure.coordinates[i];
        let made = &self.made.definitions;
        let define = |name: &str| match made.iter().find(|(own, ..)| own == name) {
            Some((_, body, _)) => Some((vec![], body.clone())),
            None => self.reader.declarations.definition(name),
        };
        let depends = |formula: &Symbolic| formula.written_out(&define).mentions(name);
        let loads = self.structure.loads.iter().zip(&self.structure.coordinates);
        if let Some((_, loaded)) = loads.into_iter().find(|(load, _)| depends(load)) {
            return Some(format!("the force on `{loaded}`"));
        }
        let bound = self.contacts.iter().find(|contact| {
            let by_place = match &contact.law {
                Law::Rigid { .. } | Law::Compliant { .. } | Law::Relay { .. } => depends(&contact.displacement),
                Law::Friction { level, normal, .. } => depends(&level.whole) || normal.as_ref().is_some_and(depends),
                Law::Jenkins { .. } | Law::Smoothed(_) => false,
            };
            by_place
                || contact
                    .states()
                    .into_iter()
                    .any(|status| depends(&contact.force(status)))
        });
        bound.map(|contact| format!("contact `{}`", contact.name))
    }
}

/// Take these states out of a system in which nothing depends on them, and with them the displacements of points to
/// which they contribute.
pub(crate) fn without(cyclic: &[String], spec: &MechanicalSpec, expansion: &mut Expansion) {
    let Expansion { system, lying, .. } = expansion;
    let is_kept = |name: &String| !cyclic.contains(name);
    let moves = |point: &str| {
        let mut own = spec.points.iter().filter(|(name, _)| plain_name(name) == point);
        own.any(|(_, parts)| {
            parts
                .iter()
                .any(|(coordinate, _)| cyclic.contains(&plain_name(coordinate)))
        })
    };
    system.define.0.retain(|(name, _)| !moves(name));
    system.states.retain(is_kept);
    for (_, mode) in &mut system.modes.0 {
        mode.states.retain(is_kept);
        mode.absent.0.retain(|(name, _)| is_kept(name));
        let of_cyclic = |equation: &String| cyclic.iter().any(|name| equation.starts_with(&format!("{name}' = ")));
        mode.equations.retain(|equation| !of_cyclic(equation));
    }
    if let Some(symmetry) = &mut system.symmetry {
        symmetry.states.0.retain(|(name, _)| is_kept(name));
    }
    let start = system.start.iter_mut().map(|start| &mut start.at);
    for at in start.chain(lying) {
        at.0.retain(|(name, _)| is_kept(name));
    }
}
