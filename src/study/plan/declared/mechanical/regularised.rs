//! The slow–fast twin of masses, springs and contacts.

use crate::plan::declared::expansion::{Declarations, Expansion, Sources};
use crate::plan::declared::law::Law;
use crate::plan::declared::mechanical::reader::Made;
use crate::plan::declared::mechanical::smoothed::EPSILON;
use crate::plan::system::error::{SystemError, SystemFault};
use crate::plan::system::frame::{defined_name, quoted};
use crate::spec::system::declared::{HybridSpec, SlowFastSpec};
use crate::spec::system::mechanical::{ContactSpec, MechanicalSpec};
use crate::spec::system::named::Number;
use crate::spec::system::regularised::{LawSpec, RegularisedSpec};
use slipstick_system::UNMADE;
use slipstick_system::text::{Symbolic, plain_name};

/// The function that takes the place of the sign of a contact.
pub(crate) struct Spread {
    pub(crate) law: Law,
    /// The name of its argument.
    pub(crate) hat: String,
    /// Is that a fast variable?
    pub(crate) is_fast: bool,
}

impl RegularisedSpec {
    /// The twin of a mechanical system. `path` is its place in the study.
    pub(crate) fn expand_mechanical(&self, of: &MechanicalSpec, path: &str) -> Result<Expansion, Vec<SystemError>> {
        let mut of = of.clone();
        self.add_parameters(&mut of.parameters, &mut of.require);
        if !self.start.is_empty() {
            of.start = self.start.clone();
        }
        let inside = format!("{path}.of");
        let place = |errors: Vec<SystemError>| errors.into_iter().map(|e| self.own_place(e, path)).collect::<Vec<_>>();
        self.fits(&of, path)?;
        let shell = of.shell();
        Declarations::of(&shell, &inside)
            .and_then(|mut declarations| self.check_law(&mut declarations, path))
            .map_err(place)?;
        let mut sources = Sources::default();
        let spread = self.spread(&mut of, &mut sources);
        let mut twin = of.expand_with(&spread, &inside).map_err(place)?;
        let mut all = Sources::within("of", std::mem::take(&mut twin.sources));
        all.add(format!("parameters.{EPSILON}"), EPSILON.to_owned());
        all.append(sources);
        let hats: Vec<String> = spread.into_iter().flatten().map(|spread| spread.hat).collect();
        twin.system.slow_fast = slow_fast(&twin.system, &hats);
        for name in without_given(&mut twin) {
            all.add(format!("define.{name}"), "of.contacts".to_owned());
        }
        Ok(Expansion { sources: all, ..twin })
    }

    /// Does the law suit the contacts?
    fn fits(&self, of: &MechanicalSpec, path: &str) -> Result<(), Vec<SystemError>> {
        let fault = |key: String, what: String, instead: &str| {
            let instead = instead.to_owned();
            let fault = SystemFault::Declaration { what, instead };
            Err(vec![SystemError::new(format!("{path}.{key}"), fault)])
        };
        let jumping: Vec<(&str, &ContactSpec)> = of.contacts.iter().filter(|(_, contact)| contact.jumps()).collect();
        if jumping.is_empty() {
            let what =
                "no contact has a force that jumps, as dry friction and relays without hysteresis have".to_owned();
            return fault("of".to_owned(), what, "write the system without `Regularised`");
        }
        if matches!(self.by, LawSpec::Law(_)) {
            return Ok(());
        }
        let rises = matches!(self.by, LawSpec::Stiction { .. });
        let sticks = |contact: &ContactSpec| contact.ratio().value() != Some(1.0);
        match jumping.into_iter().find(|(_, contact)| sticks(contact) != rises) {
            None => Ok(()),
            Some((name, _)) if rises => fault(
                format!("of.contacts.{}", quoted(name)),
                format!("`by: Stiction` rises to the level in sticking, and contact `{name}` has none of its own"),
                "make it a `Stiction` with a higher `mu_s`, or write `by: Smoothstep(2)`",
            ),
            Some((name, _)) => fault(
                "by".to_owned(),
                format!("the law never exceeds 1, and contact `{name}` has a higher level in sticking"),
                "write `Stiction(delta: 0.6)`, or a `Law(\"...\")` that rises to that level",
            ),
        }
    }

    /// The laws of the contacts, as definitions of the system.
    fn spread(&self, of: &mut MechanicalSpec, sources: &mut Sources) -> Vec<Option<Spread>> {
        let mut taken = Made::beside(&of.shell());
        let mut known: Vec<(Symbolic, Law)> = vec![];
        let mut all = vec![];
        for (name, contact) in of.contacts.iter() {
            if !contact.jumps() {
                all.push(None);
                continue;
            }
            let ratio = contact.ratio();
            let law = known.iter().find(|(own, _)| *own == ratio).map(|(_, law)| law.clone());
            let law = law.unwrap_or_else(|| {
                let law = Law::of(&self.by, &ratio, &|name| taken.is_taken(name));
                for (head, body) in &law.definitions {
                    taken.take(&defined_name(head));
                    sources.add(format!("define.{}", defined_name(head)), "by".to_owned());
                    sources.add(format!("define[{}]", of.define.0.len()), "by".to_owned());
                    of.define.0.push((head.clone(), body.clone()));
                }
                known.push((ratio, law.clone()));
                law
            });
            let hat = taken.take(&format!("{name}_hat"));
            let is_fast = !matches!(contact, ContactSpec::Relay { .. });
            all.push(Some(Spread { law, hat, is_fast }));
        }
        all
    }

    /// An error in what was added to the system, at its place in the twin.
    fn own_place(&self, mut error: SystemError, path: &str) -> SystemError {
        let mut moves = vec![("of.parameters.epsilon", EPSILON), ("of.parameters.delta", "by")];
        if !self.start.is_empty() {
            moves.push(("of.start", "start"));
        }
        for (from, to) in moves {
            if let Some(rest) = error.path.strip_prefix(&format!("{path}.{from}")) {
                error.path = format!("{path}.{to}{rest}");
            }
        }
        error
    }
}

impl ContactSpec {
    /// Does its force jump?
    fn jumps(&self) -> bool {
        match self {
            Self::Coulomb { .. } | Self::Stiction { .. } | Self::Stribeck { .. } => true,
            Self::Relay { hysteresis, .. } => symbolic(hysteresis).is_zero(),
            Self::Jenkins { .. } | Self::Gap { .. } => false,
        }
    }

    /// The ratio of the level in sticking to that where slip begins. What is no formula is reported where it is read.
    fn ratio(&self) -> Symbolic {
        let one = Symbolic::number(1.0);
        match self {
            Self::Stiction { mu_s, mu_d, .. } if mu_s != mu_d => symbolic(mu_s) / symbolic(mu_d),
            Self::Stribeck {
                law, mu_s: Some(level), ..
            } => {
                let zero = Symbolic::number(0.0);
                let law = symbolic(law);
                let at_rest = law.replaced(&|name, call| (name == "v" && call.is_none()).then(|| zero.clone()));
                symbolic(level) / at_rest
            }
            _ => one,
        }
    }
}

fn symbolic(number: &Number) -> Symbolic {
    match number {
        Number::Value(value) => Symbolic::number(*value),
        Number::Formula(text) => Symbolic::parse(text).unwrap_or_else(|_| Symbolic::number(1.0)),
    }
}

/// The declaration that the only fast variable is fast: in the mode of the start, if it moves there, else in the first
/// one in which it does.
fn slow_fast(system: &HybridSpec, hats: &[String]) -> Option<SlowFastSpec> {
    let moves = |name: &str, hat: &String| {
        let mode = system.modes.get(name);
        mode.is_some_and(|mode| mode.states.contains(hat))
    };
    let names: Vec<&str> = system.modes.iter().map(|(name, _)| name).collect();
    let moving = |hat: &&String| names.iter().any(|name| moves(name, hat));
    let fast: Vec<&String> = hats.iter().filter(moving).collect();
    let [fast] = fast[..] else { return None };
    let start = system.start.iter().map(|start| start.mode.as_str());
    let mode = start.chain(names.iter().copied()).find(|name| moves(name, fast))?;
    Some(SlowFastSpec {
        mode: (names.len() > 1).then(|| mode.to_owned()),
        fast: fast.clone(),
        epsilon: EPSILON.to_owned(),
    })
}

/// Make definitions of the states that have the same formula in all modes; their names.
fn without_given(expansion: &mut Expansion) -> Vec<String> {
    let Expansion { system, lying, .. } = expansion;
    let modes = |system: &HybridSpec| -> Vec<usize> {
        let own = system.modes.0.iter().enumerate();
        own.filter(|(_, (name, _))| !name.starts_with(UNMADE))
            .map(|(k, _)| k)
            .collect()
    };
    let formula = |state: &String| {
        let mut texts = modes(system).into_iter().map(|k| system.modes.0[k].1.absent.get(state));
        let first = texts.next()??;
        texts.all(|text| text == Some(first)).then(|| first.clone())
    };
    let given: Vec<(String, String)> = system
        .states
        .iter()
        .filter_map(|state| Some((state.clone(), formula(state)?)))
        .collect();
    let is_given = |name: &str| given.iter().any(|(own, _)| *own == plain_name(name));
    system.states.retain(|name| !is_given(name));
    for (_, mode) in &mut system.modes.0 {
        mode.absent.0.retain(|(name, _)| !is_given(name));
        if mode.absent.is_empty() {
            mode.states.clear();
        }
    }
    if let Some(symmetry) = &mut system.symmetry {
        symmetry.states.0.retain(|(name, _)| !is_given(name));
    }
    let start = system.start.iter_mut().map(|start| &mut start.at);
    for at in start.chain(lying) {
        at.0.retain(|(name, _)| !is_given(name));
    }
    let names = given.iter().map(|(name, _)| name.clone()).collect();
    system.define.0.extend(given);
    names
}
