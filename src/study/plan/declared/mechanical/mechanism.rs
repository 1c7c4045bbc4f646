//! A structure with its contacts: what all modes of it share.

use crate::plan::declared::coincidence::factor;
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
    /// For each contact the others whose relative displacement is proportional to its own, at the default parameters.
    beside: Vec<Vec<usize>>,
    /// Functions that were compared, with what came of it.
    compared: BTreeMap<[String; 2], Option<f64>>,
}

/// Values of definitions, where they have one.
type Known = RefCell<BTreeMap<String, Option<f64>>>;

/// The name of the only mode of a system without contacts.
const ALONE: &str = "motion";

impl<'a> Mechanism<'a> {
    pub(crate) fn new(structure: Structure, contacts: Vec<Contact>, made: Made, reader: Reader<'a>) -> Self {
        Self {
            beside: beside(&structure, &contacts),
            structure,
            contacts,
            made,
            reader,
            motions: BTreeMap::new(),
            compared: BTreeMap::new(),
        }
    }

    /// The contacts that may switch where this one does.
    pub(crate) fn beside(&self, contact: usize) -> Vec<usize> {
        self.beside[contact].clone()
    }

    /// The sign of the factor between two functions that are the same but for it; none where they are not.
    pub(crate) fn factor(&mut self, one: &Symbolic, other: &Symbolic) -> Option<f64> {
        let pair = [one, other].map(ToString::to_string);
        if let Some(known) = self.compared.get(&pair) {
            return *known;
        }
        let found = factor(&self.reader.declarations, one, other);
        self.compared.insert(pair, found);
        found
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

/// For each contact the others whose relative displacement is proportional to its own, at the default parameters.
fn beside(structure: &Structure, contacts: &[Contact]) -> Vec<Vec<usize>> {
    const ROUNDING: f64 = 1e-10;
    let shape = |contact: &Contact| -> Vec<f64> {
        let tie = contact.tie(structure, Symbolic::number(0.0));
        let size = tie.factors.iter().fold(0.0, |size: f64, (_, own)| size.max(own.abs()));
        tie.factors.iter().map(|(_, own)| own / size).collect()
    };
    let shapes: Vec<Vec<f64>> = contacts.iter().map(shape).collect();
    let agree = |a: &[f64], b: &[f64], sign: f64| a.iter().zip(b).all(|(a, b)| (a - sign * b).abs() <= ROUNDING);
    let proportional = |c: usize, d: usize| [1.0, -1.0].iter().any(|sign| agree(&shapes[c], &shapes[d], *sign));
    let others = |c: usize| (0..contacts.len()).filter(move |&d| d != c);
    (0..contacts.len())
        .map(|c| others(c).filter(|&d| proportional(c, d)).collect())
        .collect()
}
