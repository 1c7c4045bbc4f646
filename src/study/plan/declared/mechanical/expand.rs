//! From the declaration to the hybrid system.

use crate::plan::declared::expansion::{Expansion, Sources};
use crate::plan::declared::mechanical::contact::{self, Contact};
use crate::plan::declared::mechanical::cyclic::without;
use crate::plan::declared::mechanical::mechanism::Mechanism;
use crate::plan::declared::mechanical::modes::hybrid_of;
use crate::plan::declared::mechanical::points;
use crate::plan::declared::mechanical::reader::{Made, Reader};
use crate::plan::declared::mechanical::regularised::Spread;
use crate::plan::declared::mechanical::structure::{Structure, names};
use crate::plan::system::error::{SystemError, SystemFault};
use crate::plan::system::frame::quoted;
use crate::plan::system::mechanical_fault::MechanicalFault;
use crate::spec::system::declared::{HybridSpec, MonitorSpec, StartSpec};
use crate::spec::system::mechanical::{ContactSpec, MechanicalSpec};
use crate::spec::system::named::{Named, Number};
use slipstick_system::text::plain_name;

impl MechanicalSpec {
    /// The hybrid system that it stands for.
    pub(crate) fn expand(&self, path: &str) -> Result<Expansion, Vec<SystemError>> {
        self.expand_with(&[], path)
    }

    /// The same with functions in the place of jumps: for each contact the one that is spread over its layer, if one
    /// is.
    pub(crate) fn expand_with(&self, spread: &[Option<Spread>], path: &str) -> Result<Expansion, Vec<SystemError>> {
        let (coordinates, velocities) = names(self);
        if velocities.len() != coordinates.len() {
            let fault = MechanicalFault::Length {
                what: "`velocities`",
                found: velocities.len(),
                expected: coordinates.len(),
            };
            let at = format!("{path}.velocities");
            return Err(vec![SystemError::new(at, SystemFault::Mechanical(fault))]);
        }
        let mut shell = self.shell();
        let hats = spread.iter().flatten().filter(|spread| spread.is_fast);
        shell.states.extend(hats.map(|spread| spread.hat.clone()));
        let mut expansion = Expansion {
            system: HybridSpec::default(),
            sources: self.sources(),
            lying: None,
        };
        let placed = |expansion: &Expansion, errors: Vec<SystemError>| -> Vec<SystemError> {
            errors
                .into_iter()
                .map(|error| expansion.sources.place(error, path))
                .collect()
        };
        let mut reader = Reader::new(&shell, path).map_err(|errors| placed(&expansion, errors))?;
        let mut made = Made::beside(&shell);
        let structure = Structure::read(self, &mut reader, &mut made);
        let contacts = contact::read(self, &structure, &mut reader).into_iter();
        let spread = spread.iter().map(Option::as_ref).chain(std::iter::repeat(None));
        let contacts = contacts.zip(spread).map(|(contact, spread)| match spread {
            Some(spread) => contact.smoothed(&spread.law, &spread.hat),
            None => contact,
        });
        let contacts: Vec<Contact> = contacts.collect();
        contact::closed_loop(&contacts, &structure, &mut reader);
        if !reader.errors.is_empty() {
            return Err(reader.errors);
        }
        let mut mechanism = Mechanism::new(structure, contacts, made, reader);
        let cyclic = mechanism.cyclic(self);
        let states = mechanism.states_at_start(self);
        let start = mechanism.start(self, &states);
        let mirror = mechanism.mirror(self);
        if !mechanism.reader.errors.is_empty() {
            return Err(mechanism.reader.errors);
        }
        let patterns = mechanism.patterns(self, &shell, &start, mirror.as_ref(), path);
        if !mechanism.reader.errors.is_empty() {
            return Err(mechanism.reader.errors);
        }
        let mut system = hybrid_of(&mut mechanism, &shell, &patterns);
        system.symmetry = mirror.map(|mirror| mirror.written(&patterns, |pattern| mechanism.name(pattern)));
        system.observables = self.columns(&mechanism);
        system.monitors = self.losses(&mechanism, &system);
        let name = mechanism.name(&start.0);
        let moving = system
            .modes
            .get(&name)
            .map(|mode| mode.states.clone())
            .unwrap_or_default();
        let given = mechanism.reader.declarations.frame.states.iter().zip(&states);
        let given = given.filter(|(_, formula)| !formula.is_zero());
        let lying = given.map(|(state, formula)| (state.name.clone(), Number::of(formula)));
        let lying: Vec<(String, Number)> = lying.collect();
        let phase = shell.forcing.as_ref().map(|forcing| plain_name(&forcing.phase));
        let moves = |state: &String| moving.is_empty() || moving.contains(state) || phase.as_ref() == Some(state);
        let at = lying.iter().filter(|(state, _)| moves(state)).cloned();
        system.start = Some(StartSpec {
            mode: name,
            at: Named(at.collect()),
        });
        expansion.lying = Some(Named(lying));
        let names = mechanism.made.definitions.iter();
        expansion
            .sources
            .extend(names.map(|(name, _, source)| (format!("define.{name}"), source.clone())));
        expansion.system = system;
        without(&cyclic, self, &mut expansion);
        Ok(expansion)
    }

    /// What does not depend on contacts, with the states of all modes together.
    pub(crate) fn shell(&self) -> HybridSpec {
        let (coordinates, velocities) = names(self);
        let elongations = self.elongations().map(|(_, name)| name);
        let own = self.define.0.iter().cloned();
        let define = Named(own.chain(points::definitions(self, &velocities)).collect());
        HybridSpec {
            name: self.name.clone(),
            about: self.about.clone(),
            states: coordinates.into_iter().chain(velocities).chain(elongations).collect(),
            parameters: self.parameters.clone(),
            define,
            forcing: self.forcing.clone(),
            observables: self.observables.clone(),
            monitors: self.monitors.clone(),
            require: self.require.clone(),
            ..HybridSpec::default()
        }
    }

    /// The elements with an elongation of their own, and what that is called.
    fn elongations(&self) -> impl Iterator<Item = (&str, String)> {
        let jenkins = self
            .contacts
            .iter()
            .filter(|(_, c)| matches!(c, ContactSpec::Jenkins { .. }));
        jenkins.map(|(name, _)| (name, contact::elongation(name)))
    }

    /// Where the parts of the system come from.
    fn sources(&self) -> Sources {
        let n = self.coordinates.len();
        let mut all: Vec<(String, String)> = vec![
            ("states".to_owned(), "coordinates".to_owned()),
            ("symmetry".to_owned(), "symmetry".to_owned()),
            ("start".to_owned(), "start".to_owned()),
        ];
        for i in 0..n {
            all.push((format!("states[{i}]"), format!("coordinates[{i}]")));
            let list = if self.velocities.is_empty() {
                "coordinates"
            } else {
                "velocities"
            };
            all.push((format!("states[{}]", n + i), format!("{list}[{i}]")));
        }
        for (k, (name, _)) in self.elongations().enumerate() {
            all.push((format!("states[{}]", 2 * n + k), format!("contacts.{}", quoted(name))));
        }
        for (name, _) in self.points.iter() {
            let plain = plain_name(name);
            let source = format!("points.{}", quoted(name));
            all.push((format!("define.{plain}"), source.clone()));
            all.push((format!("define.v_{plain}"), source));
        }
        let mut sources = Sources::default();
        sources.extend(all);
        sources
    }

    /// The monitors of the study and, behind them, the energy that is lost at the hits of each rigid obstacle.
    fn losses(&self, mechanism: &Mechanism<'_>, system: &HybridSpec) -> Named<MonitorSpec> {
        let mut monitors = self.monitors.clone();
        for (c, contact) in mechanism.contacts.iter().enumerate() {
            let name = format!("{}_loss", contact.name);
            let Some((hit, stop)) = mechanism.loss(c).filter(|_| !mechanism.made.is_taken(&name)) else {
                continue;
            };
            let mut of: Vec<(String, String)> = vec![];
            for (event, _) in system.modes.iter().flat_map(|(_, mode)| mode.events.iter()) {
                let lost = match event.strip_prefix(&format!("{}:", contact.name)) {
                    Some(what) if what.starts_with("hit") => &hit,
                    Some(what) if what.starts_with("stop") => &stop,
                    _ => continue,
                };
                if !of.iter().any(|(known, _)| known == event) {
                    of.push((event.to_owned(), lost.to_string()));
                }
            }
            if !of.is_empty() {
                monitors.0.push((name, MonitorSpec::Sum { of: Named(of) }));
            }
        }
        monitors
    }

    /// The columns of the tables: those of the study, the energy, what contacts dissipate and what they store.
    fn columns(&self, mechanism: &Mechanism<'_>) -> Named<String> {
        let mut all: Vec<(String, String)> = vec![];
        if !mechanism.made.is_taken("energy") {
            let stored = mechanism.contacts.iter().map(|contact| contact.energy());
            let energy = stored.fold(mechanism.structure.energy.clone(), |sum, stored| sum + stored);
            all.push(("energy".to_owned(), energy.to_string()));
        }
        for (c, contact) in mechanism.contacts.iter().enumerate() {
            let dissipates = contact
                .states()
                .into_iter()
                .all(|status| contact.power(status).is_some());
            all.extend(
                mechanism
                    .power_name(c)
                    .filter(|_| dissipates)
                    .map(|name| (name.clone(), name)),
            );
            let (name, stored) = (format!("{}_energy", contact.name), contact.energy());
            if !stored.is_zero() && !mechanism.made.is_taken(&name) {
                all.push((name, stored.to_string()));
            }
        }
        all.extend(
            self.observables
                .iter()
                .map(|(name, text)| (name.to_owned(), text.clone())),
        );
        Named(all)
    }
}
