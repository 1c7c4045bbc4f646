//! A structure with its contacts: what all modes of it share.

use crate::plan::declared::mechanical::contact::Contact;
use crate::plan::declared::mechanical::motion::Motion;
use crate::plan::declared::mechanical::pattern::{Pattern, Status};
use crate::plan::declared::mechanical::reader::{Made, Reader};
use crate::plan::declared::mechanical::structure::Structure;
use slipstick_system::text::Symbolic;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A structure with its contacts, of which modes are made.
pub(crate) struct Mechanism<'a> {
    pub(crate) structure: Structure,
    pub(crate) contacts: Vec<Contact>,
    pub(crate) made: Made,
    pub(crate) reader: Reader<'a>,
    motions: BTreeMap<Pattern, Rc<Motion>>,
}

/// Values of definitions, where they have one.
type Known = RefCell<BTreeMap<String, Option<f64>>>;

/// The name of the only mode of a system without contacts.
const ALONE: &str = "motion";

impl<'a> Mechanism<'a> {
    pub(crate) fn new(structure: Structure, contacts: Vec<Contact>, made: Made, reader: Reader<'a>) -> Self {
        Self {
            structure,
            contacts,
            made,
            reader,
            motions: BTreeMap::new(),
        }
    }

    /// What the mode with the contacts in these states is called.
    pub(crate) fn name(&self, pattern: &[Status]) -> String {
        let parts = self
            .contacts
            .iter()
            .zip(pattern)
            .map(|(contact, &status)| contact.state_name(status));
        let name = parts.collect::<Vec<_>>().join(",");
        if name.is_empty() { ALONE.to_owned() } else { name }
    }

    /// The motion with the contacts in these states.
    pub(crate) fn motion(&mut self, pattern: &[Status]) -> Rc<Motion> {
        if let Some(known) = self.motions.get(pattern) {
            return known.clone();
        }
        let motion = Rc::new(Motion::of(&self.structure, &self.contacts, pattern, &mut self.made));
        self.motions.insert(pattern.to_vec(), motion.clone());
        motion
    }

    /// The value of a formula at states, zero where left out, and the default parameters.
    pub(crate) fn value(&self, formula: &Symbolic, x: &[f64]) -> Option<f64> {
        let mut all = vec![0.0; self.reader.declarations.frame.states.len()];
        all.iter_mut().zip(x).for_each(|(all, x)| *all = *x);
        self.value_at(formula, &all, &RefCell::default())
    }

    /// The same with what is known of definitions made on the way: each is computed once, however many others use it.
    fn value_at(&self, formula: &Symbolic, x: &[f64], known: &Known) -> Option<f64> {
        let made = |name: &str| {
            if let Some(value) = known.borrow().get(name) {
                return *value;
            }
            let (_, body, _) = self.made.definitions.iter().find(|(own, ..)| own == name)?;
            let value = self.value_at(body, x, known);
            known.borrow_mut().insert(name.to_owned(), value);
            value
        };
        let put_in = formula.replaced(&|name, call| call.map_or_else(|| made(name), |_| None).map(Symbolic::number));
        self.reader.declarations.value(&put_in, x)
    }

    /// The sign of a formula of the parameters, which must stay what it is at their defaults.
    pub(crate) fn sign(&mut self, formula: Symbolic) -> f64 {
        let value = self.value(&formula, &[]).unwrap_or(1.0);
        let sign = if value < 0.0 { -1.0 } else { 1.0 };
        if formula.value().is_none() {
            let positive = if value < 0.0 { -formula } else { formula };
            self.reader.require(&Symbolic::number(0.0).less(positive));
        }
        sign
    }

    /// The names of a contact's force and power in each mode, where they are free.
    pub(crate) fn force_name(&self, contact: usize) -> Option<String> {
        let name = format!("{}_force", self.contacts[contact].name);
        (!self.made.is_taken(&name)).then_some(name)
    }

    pub(crate) fn power_name(&self, contact: usize) -> Option<String> {
        let name = format!("{}_power", self.contacts[contact].name);
        (!self.made.is_taken(&name)).then_some(name)
    }
}
