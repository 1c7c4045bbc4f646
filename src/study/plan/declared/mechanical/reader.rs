//! Numbers and formulas of the declaration, read and checked with their places, and definitions made on the way.

use crate::plan::declared::expansion::Declarations;
use crate::plan::system::error::{SystemError, SystemFault};
use crate::plan::system::mechanical_fault::MechanicalFault;
use crate::spec::system::declared::HybridSpec;
use crate::spec::system::named::Number;
use slipstick_system::text::{Expression, Symbolic, plain_name};
use std::collections::BTreeSet;

/// Reads the formulas of a declaration and keeps what is wrong with them.
pub(crate) struct Reader<'a> {
    pub(crate) declarations: Declarations<'a>,
    path: &'a str,
    pub(crate) errors: Vec<SystemError>,
    /// Conditions on the parameters under which what is made of the declaration is right.
    pub(crate) required: Vec<String>,
}

/// Where a constant of a contact lies.
#[derive(Clone, Copy)]
pub(crate) enum Range {
    Positive,
    NotNegative,
    /// From 0 to 1.
    Unit,
}

impl Range {
    fn words(self) -> &'static str {
        match self {
            Self::Positive => "positive",
            Self::NotNegative => "not negative",
            Self::Unit => "from 0 to 1",
        }
    }

    fn holds(self, value: f64) -> bool {
        match self {
            Self::Positive => value > 0.0,
            Self::NotNegative => value >= 0.0,
            Self::Unit => (0.0..=1.0).contains(&value),
        }
    }

    /// The conditions on a formula.
    fn conditions(self, formula: &Symbolic) -> Vec<Symbolic> {
        let number = Symbolic::number;
        match self {
            Self::Positive => vec![number(0.0).less(formula.clone())],
            Self::NotNegative => vec![number(0.0).at_most(formula.clone())],
            Self::Unit => vec![
                number(0.0).at_most(formula.clone()),
                formula.clone().at_most(number(1.0)),
            ],
        }
    }
}

impl<'a> Reader<'a> {
    /// A reader of the declaration at `path`, whose states, parameters and definitions `shell` has.
    pub(crate) fn new(shell: &'a HybridSpec, path: &'a str) -> Result<Self, Vec<SystemError>> {
        Ok(Self {
            declarations: Declarations::of(shell, path)?,
            path,
            errors: vec![],
            required: vec![],
        })
    }

    /// Note a fault at `key`.
    pub(crate) fn fault(&mut self, key: &str, fault: MechanicalFault) {
        let fault = SystemFault::Mechanical(fault);
        self.errors
            .push(SystemError::new(format!("{}.{key}", self.path), fault));
    }

    /// Note that there is nothing of this name.
    pub(crate) fn unknown(&mut self, key: &str, what: &'static str, name: &str, known: Vec<String>) {
        let name = name.to_owned();
        let fault = SystemFault::Unknown { what, name, known };
        self.errors
            .push(SystemError::new(format!("{}.{key}", self.path), fault));
    }

    /// A number or formula of the parameters; zero where it is wrong.
    pub(crate) fn constant(&mut self, number: &Number, key: &str) -> Symbolic {
        self.read(number, key, |declarations, text, path| {
            declarations.constant(text, path)
        })
    }

    /// A number or formula of states, time and parameters; zero where it is wrong.
    pub(crate) fn formula(&mut self, number: &Number, key: &str) -> Symbolic {
        self.read(number, key, |declarations, text, path| declarations.formula(text, path))
    }

    fn read(
        &mut self,
        number: &Number,
        key: &str,
        read: impl Fn(&mut Declarations<'a>, &str, &str) -> Result<Symbolic, SystemError>,
    ) -> Symbolic {
        let path = format!("{}.{key}", self.path);
        let found = match number {
            Number::Value(value) if value.is_finite() => return Symbolic::number(*value),
            Number::Value(value) => Err(SystemError::new(
                path,
                SystemFault::NotFinite {
                    name: key.rsplit('.').next().unwrap_or_default().to_owned(),
                    value: *value,
                },
            )),
            Number::Formula(text) => read(&mut self.declarations, text, &path),
        };
        found.unwrap_or_else(|error| {
            self.errors.push(error);
            Symbolic::number(0.0)
        })
    }

    /// Check a formula that was put together from the `text` at `key`.
    pub(crate) fn check(&mut self, formula: &Symbolic, text: &str, key: &str) {
        let path = format!("{}.{key}", self.path);
        let made = formula.to_string();
        let checked = Expression::parse(&made)
            .map_err(|error| SystemError::text(path.clone(), error))
            .and_then(|expression| self.declarations.check(&expression, &path));
        // The place is one in the formula made of the text: the same word is to blame there.
        self.errors.extend(checked.err().map(|error| {
            let word = error.within.clone().and_then(|within| made.get(within));
            let within = word.and_then(|word| place_of(word, text));
            SystemError { within, ..error }
        }));
    }

    /// Does a name enter a formula, itself or through definitions?
    pub(crate) fn depends(&self, formula: &Symbolic, name: &str) -> bool {
        formula.depends_on(name, &|name| self.declarations.definition(name))
    }

    /// The first state that enters a formula, other than the phase.
    pub(crate) fn moving(&self, formula: &Symbolic) -> Option<String> {
        let states = self.declarations.frame.spec.states.iter().map(|name| plain_name(name));
        states.into_iter().find(|name| self.depends(formula, name))
    }

    /// Does a formula depend on a state, the time or the phase of the forcing?
    pub(crate) fn varies(&self, formula: &Symbolic) -> bool {
        let forcing = self.declarations.frame.spec.forcing.as_ref();
        let by_phase = |phase: &str| self.depends(formula, &plain_name(phase));
        self.moving(formula).is_some()
            || self.depends(formula, "t")
            || forcing.is_some_and(|forcing| by_phase(&forcing.phase))
    }

    /// May a formula jump where the time alone decides?
    pub(crate) fn jumps_with_time(&self, formula: &Symbolic) -> bool {
        let phase = self.declarations.frame.phase;
        self.declarations.jumps(formula, &|state| phase == Some(state))
    }

    /// The value of a formula of parameters at their defaults.
    pub(crate) fn value(&self, formula: &Symbolic) -> Option<f64> {
        match formula.value() {
            Some(value) => Some(value),
            None => {
                let x = vec![0.0; self.declarations.frame.states.len()];
                self.declarations.value(formula, &x)
            }
        }
    }

    /// Note a constant outside its range, and require of the parameters that it stays there.
    pub(crate) fn range(&mut self, formula: &Symbolic, key: &str, what: &'static str, range: Range) {
        if self.varies(formula) {
            return;
        }
        if let Some(value) = self.value(formula).filter(|value| !range.holds(*value)) {
            let range = range.words();
            self.fault(key, MechanicalFault::Range { what, range, value });
            return;
        }
        range
            .conditions(formula)
            .iter()
            .for_each(|condition| self.require(condition));
    }

    /// Require a condition, if it is one on parameters.
    pub(crate) fn require(&mut self, condition: &Symbolic) {
        let varies = self.varies(condition);
        let parameters = self.declarations.frame.spec.parameters.iter();
        let mut parameters = parameters.map(|(name, _)| plain_name(name));
        if varies || !parameters.any(|name| self.depends(condition, &name)) {
            return;
        }
        let condition = condition.to_string();
        if !self.required.contains(&condition) {
            self.required.push(condition);
        }
    }
}

/// Definitions that the program makes, under names that are still free.
pub(crate) struct Made {
    /// Heads and bodies, and the key of the declaration that each comes from.
    pub(crate) definitions: Vec<(String, Symbolic, String)>,
    taken: BTreeSet<String>,
}

impl Made {
    /// None yet.
    pub(crate) fn beside(shell: &HybridSpec) -> Self {
        let heads = shell
            .define
            .iter()
            .map(|(head, _)| head.split('(').next().unwrap_or(head));
        let names = heads
            .chain(shell.states.iter().map(String::as_str))
            .chain(shell.parameters.iter().map(|(name, _)| name))
            .chain(shell.observables.iter().map(|(name, _)| name))
            .chain(shell.monitors.iter().map(|(name, _)| name))
            .chain(shell.forcing.iter().map(|forcing| forcing.phase.as_str()));
        Self {
            definitions: vec![],
            taken: names.map(|name| plain_name(name.trim())).collect(),
        }
    }

    /// Is the name taken?
    pub(crate) fn is_taken(&self, name: &str) -> bool {
        self.taken.contains(name)
    }

    /// Take a free name that is `base` or begins with it.
    pub(crate) fn take(&mut self, base: &str) -> String {
        let mut name = base.to_owned();
        while !self.taken.insert(name.clone()) {
            name.push('_');
        }
        name
    }

    /// What a name stands for that was made.
    pub(crate) fn definition(&self, name: &str) -> Option<(Vec<String>, Symbolic)> {
        let found = self.definitions.iter().find(|(own, ..)| own == name)?;
        Some((vec![], found.1.clone()))
    }

    /// A formula under a name that is `base` or begins with it.
    pub(crate) fn define(&mut self, base: &str, formula: Symbolic, source: &str) -> Symbolic {
        let name = self.take(base);
        self.definitions.push((name.clone(), formula, source.to_owned()));
        Symbolic::name(&name)
    }

    /// The formula itself if it is short; else a name for it.
    pub(crate) fn short(&mut self, base: &str, formula: Symbolic, source: &str) -> Symbolic {
        /// Up to so many characters a formula is written wherever it is used.
        const SHORT: usize = 12;
        let text = formula.to_string();
        if formula.value().is_some() || text.len() <= SHORT {
            return formula;
        }
        if let Some((name, ..)) = self.definitions.iter().find(|(_, known, _)| *known == formula) {
            return Symbolic::name(name);
        }
        let base = format!("{base}_{}", self.definitions.len() + 1);
        self.define(&base, formula, source)
    }
}

/// Where a text has a word by itself.
fn place_of(word: &str, text: &str) -> Option<std::ops::Range<usize>> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut all = text.match_indices(word).map(|(at, _)| at..at + word.len());
    all.find(|place| !text[..place.start].ends_with(is_name) && !text[place.end..].starts_with(is_name))
}
