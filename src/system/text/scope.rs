//! What names mean: states, parameters, definitions.

use super::equation::Head;
use super::error::{TextError, TextErrorKind};
use super::expression::Expression;
use super::graph::Source;
use super::names::is_name;
use super::operation::{KEYWORDS, builtin, constant};
use std::collections::HashMap;
use std::ops::Range;

/// What a declared name stands for.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Meaning {
    State(usize),
    Parameter(usize),
    Definition(usize),
    /// Declared, but without a value here; why, and what to do.
    Unavailable(String),
}

/// A named expression, with arguments if it is a function.
#[derive(Clone, Debug)]
pub(super) struct Definition {
    pub(super) name: String,
    pub(super) arguments: Vec<String>,
    pub(super) body: Expression,
}

/// A fault found when names were resolved: it may lie in a definition rather than in the expression that uses it.
///
/// ```
/// use slipstick_system::text::{Expression, Scope, Source, TextErrorKind};
/// let mut scope = Scope::new();
/// scope.state("x")?;
/// scope.parameter("k")?;
/// scope.define("force(u)", "-kk*u")?;
/// let fault = scope.compile(&[&Expression::parse("force(x)")?]).err().unwrap();
/// // The expression is sound; it is the definition that uses a name nobody declared.
/// assert_eq!(fault.place, Source::Definition("force".into()));
/// assert!(matches!(fault.error.kind, TextErrorKind::UnknownName { nearest: Some(name), .. } if name == "k"));
/// # Ok::<(), slipstick_system::text::TextError>(())
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{error}")]
pub struct Fault {
    /// The text at fault.
    pub place: Source,
    /// What is wrong with it.
    #[source]
    pub error: TextError,
}

/// The names that expressions may use. Built up by declaring; then it compiles.
///
/// ```
/// use slipstick_system::Function;
/// use slipstick_system::text::{Expression, Scope};
/// let mut scope = Scope::new();
/// scope.state("x")?;
/// scope.state("y")?;
/// scope.parameter("mu")?;
/// scope.define("damping(u)", "mu*(1 - u^2)")?;
/// let field = ["y", "damping(x)*y - x"].map(|text| Expression::parse(text).unwrap());
/// let tape = scope.compile(&[&field[0], &field[1]]).unwrap();
/// let mut out = [0.0; 2];
/// tape.value(&[2.0, 0.5], &[3.0], &mut out);
/// assert_eq!(out, [0.5, -6.5]);
/// # Ok::<(), slipstick_system::text::TextError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Scope {
    names: Vec<(String, Meaning)>,
    /// Where each name stands in the list.
    places: HashMap<String, usize>,
    pub(super) definitions: Vec<Definition>,
    states: usize,
    parameters: usize,
    pub(super) clock: Option<usize>,
}

impl Scope {
    /// A scope without names but for the functions and constants of the language.
    pub fn new() -> Self {
        Self::default()
    }

    /// Declare the next state; states count from 0 in order of declaration.
    pub fn state(&mut self, name: &str) -> Result<usize, TextError> {
        self.declare(name, 0..name.len(), Meaning::State(self.states))?;
        self.states += 1;
        Ok(self.states - 1)
    }

    /// Declare the next parameter; parameters count from 0 in order of declaration.
    pub fn parameter(&mut self, name: &str) -> Result<usize, TextError> {
        self.declare(name, 0..name.len(), Meaning::Parameter(self.parameters))?;
        self.parameters += 1;
        Ok(self.parameters - 1)
    }

    /// Declare a definition: `head` is a name or a function with the names of its arguments, `body` an expression.
    /// Definitions may use each other in any order, but not themselves. A fault in the head and one in the body are
    /// distinguished by trying [`Scope::check_head`] first.
    pub fn define(&mut self, head: &str, body: &str) -> Result<(), TextError> {
        self.define_parsed(head, Expression::parse(body)?)
    }

    /// Is this a well-formed head of a definition with a name still free?
    pub fn check_head(&self, head: &str) -> Result<(), TextError> {
        self.head(head).map(|_| ())
    }

    /// A head whose names may all be declared.
    fn head(&self, head: &str) -> Result<Head, TextError> {
        let head = Head::parse(head)?;
        for (k, (argument, span)) in head.arguments.iter().enumerate() {
            check_name(argument, span.clone())?;
            if head.arguments[..k].iter().any(|(earlier, _)| earlier == argument) {
                return Err(bad_name(argument, "two arguments have this name", span.clone()));
            }
        }
        self.free_name(&head.name.0, head.name.1.clone())?;
        Ok(head)
    }

    fn define_parsed(&mut self, head: &str, body: Expression) -> Result<(), TextError> {
        let head = self.head(head)?;
        let (name, span) = head.name;
        self.declare(&name, span, Meaning::Definition(self.definitions.len()))?;
        self.definitions.push(Definition {
            name,
            arguments: head.arguments.into_iter().map(|(argument, _)| argument).collect(),
            body,
        });
        Ok(())
    }

    /// Declare a name that has no value here; using it is a fault that says `why`.
    pub fn unavailable(&mut self, name: &str, why: &str) -> Result<(), TextError> {
        self.declare(name, 0..name.len(), Meaning::Unavailable(why.to_owned()))
    }

    /// Take the state with this index for the phase of a forcing: products with it are kept reduced, so that `omega*t`
    /// with `t = phase/omega` is the phase itself.
    pub fn clock(&mut self, state: usize) {
        self.clock = Some(state);
    }

    /// The declared names in order of declaration.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|(name, _)| name.as_str())
    }

    /// The declared names that have a value here.
    pub(super) fn valued_names(&self) -> impl Iterator<Item = &str> {
        let valued = self
            .names
            .iter()
            .filter(|(_, meaning)| !matches!(meaning, Meaning::Unavailable(_)));
        valued.map(|(name, _)| name.as_str())
    }

    pub(super) fn meaning(&self, name: &str) -> Option<&Meaning> {
        self.places.get(name).map(|place| &self.names[*place].1)
    }

    /// The plain form of a name that may be declared.
    fn free_name(&self, name: &str, span: Range<usize>) -> Result<String, TextError> {
        let name = super::names::plain_name(name);
        check_name(&name, span.clone())?;
        if self.meaning(&name).is_some() {
            return Err(bad_name(&name, "the name is already taken", span));
        }
        Ok(name)
    }

    fn declare(&mut self, name: &str, span: Range<usize>, meaning: Meaning) -> Result<(), TextError> {
        let name = self.free_name(name, span)?;
        self.places.insert(name.clone(), self.names.len());
        self.names.push((name, meaning));
        Ok(())
    }
}

fn bad_name(name: &str, why: &'static str, span: Range<usize>) -> TextError {
    TextError::new(
        TextErrorKind::BadName {
            name: name.to_owned(),
            why,
        },
        span,
    )
}

/// May this name be declared? `e` may (restitution is called so); `pi` and the functions may not.
fn check_name(name: &str, span: Range<usize>) -> Result<(), TextError> {
    let why = if !is_name(name) {
        "a name is a letter, then letters, digits and underscores"
    } else if KEYWORDS.contains(&name) {
        "it is a word of the language"
    } else if builtin(name).is_some() {
        "it is a function of the language"
    } else if name != "e" && constant(name).is_some() {
        "it is a constant of the language"
    } else {
        return Ok(());
    };
    Err(bad_name(name, why, span))
}
