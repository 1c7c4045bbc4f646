//! What can be wrong with a text, and where.

use super::elsewhere::written_here;
use std::ops::Range;

/// A fault in an expression or an equation, with the bytes of the text it concerns.
///
/// ```
/// use slipstick_system::text::Expression;
/// let error = Expression::parse("2 x").unwrap_err();
/// assert!(error.to_string().contains("side by side") && error.help().is_some());
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{kind}")]
pub struct TextError {
    /// What is wrong.
    pub kind: TextErrorKind,
    /// The bytes concerned; empty at the end of the text when something is missing there.
    pub span: Range<usize>,
}

/// What is wrong with a text.
///
/// ```
/// use slipstick_system::text::{Expression, TextErrorKind};
/// let kind = |text: &str| Expression::parse(text).map_err(|error| error.kind);
/// assert_eq!(kind("").unwrap_err(), TextErrorKind::Empty);
/// assert_eq!(kind("(x + 1").unwrap_err(), TextErrorKind::Unclosed);
/// assert!(matches!(kind("2 x"), Err(TextErrorKind::ImplicitMultiplication { left, right }) if left == "2" && right == "x"));
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TextErrorKind {
    /// Nothing but blanks.
    #[error("the expression is empty")]
    Empty,
    /// A character that has no meaning here.
    #[error("unexpected character `{found}`")]
    UnexpectedCharacter {
        /// The character.
        found: char,
        /// What to write instead, if that is known.
        instead: Option<&'static str>,
    },
    /// A number that is not one, or that no double can hold.
    #[error("`{found}` is not a finite number")]
    Number {
        /// The digits.
        found: String,
    },
    /// Something else should stand here.
    #[error("found {found}, expected {expected}")]
    Expected {
        /// What stands here.
        found: String,
        /// What should.
        expected: &'static str,
    },
    /// Two factors without a sign between them.
    #[error("`{left}` and `{right}` stand side by side without an operator")]
    ImplicitMultiplication {
        /// The first factor.
        left: String,
        /// The second.
        right: String,
    },
    /// An opening parenthesis that is never closed.
    #[error("this `(` is never closed")]
    Unclosed,
    /// A closing parenthesis that was never opened.
    #[error("this `)` closes nothing")]
    Unopened,
    /// Parentheses, powers, signs or definitions inside one another beyond reason.
    #[error("nested deeper than {limit} levels")]
    TooDeep {
        /// How deep is allowed.
        limit: usize,
    },
    /// An expression that, definitions put in, has too many operations.
    #[error("longer than {limit} operations once its definitions are put in")]
    TooLong {
        /// How long is allowed.
        limit: usize,
    },
    /// A name nobody declared.
    #[error("unknown name `{name}`")]
    UnknownName {
        /// The name.
        name: String,
        /// The known name it resembles.
        nearest: Option<String>,
        /// What is known: states, parameters, definitions.
        known: Vec<String>,
    },
    /// A function nobody declared.
    #[error("unknown function `{name}`")]
    UnknownFunction {
        /// The name.
        name: String,
        /// The known function it resembles; of one that another language has, only a definition's.
        nearest: Option<String>,
        /// What is known.
        known: Vec<String>,
    },
    /// A state, parameter or constant followed by an argument list.
    #[error("`{name}` is {what}, not a function")]
    NotAFunction {
        /// The name.
        name: String,
        /// What it is: a state, a parameter, …
        what: &'static str,
    },
    /// A function without its arguments.
    #[error("the function `{name}` needs its arguments")]
    WithoutArguments {
        /// The name.
        name: String,
    },
    /// The wrong number of arguments.
    #[error("`{name}` takes {expected}, {found} given")]
    Arity {
        /// The function.
        name: String,
        /// How many it takes, in words.
        expected: String,
        /// How many are given.
        found: usize,
    },
    /// A number where a comparison is needed.
    #[error("a condition is needed here, and this is a number")]
    NotACondition,
    /// A comparison where a number is needed.
    #[error("a number is needed here, and this is a condition")]
    NotANumber,
    /// A condition that holds on a thin set or by exception, where an inequality is needed.
    #[error("this condition is no inequality")]
    NotAnInequality,
    /// A division by zero that is there for every state and parameter.
    #[error("division by zero")]
    DivisionByZero,
    /// Definitions that need each other.
    #[error("`{name}` is defined in terms of itself: {cycle}")]
    Circular {
        /// One of the names.
        name: String,
        /// The way round, in words.
        cycle: String,
    },
    /// A name that exists but has no value in this place.
    #[error("`{name}` has no value here: {why}")]
    Unavailable {
        /// The name.
        name: String,
        /// Why not, and what to do.
        why: String,
    },
    /// A text that should be a plain number but depends on something.
    #[error("this must be a constant")]
    NotConstant,
    /// A left-hand side that is not one.
    #[error("an equation begins with {expected}")]
    LeftHandSide {
        /// How it should begin.
        expected: &'static str,
    },
    /// A left-hand side with more than one prime.
    #[error("a derivative of higher order")]
    HigherOrder,
    /// A name that cannot be declared.
    #[error("`{name}` cannot be declared: {why}")]
    BadName {
        /// The name.
        name: String,
        /// Why not.
        why: &'static str,
    },
}

impl TextError {
    pub(super) fn new(kind: TextErrorKind, span: Range<usize>) -> Self {
        Self { kind, span }
    }

    /// A way out, in words, if there is something to say beyond the message.
    pub fn help(&self) -> Option<String> {
        self.kind.help()
    }
}

impl TextErrorKind {
    /// A way out, in words, if there is something to say beyond the message.
    pub fn help(&self) -> Option<String> {
        if let Self::UnknownFunction {
            name, nearest: None, ..
        } = self
            && let Some(formula) = written_here(name)
        {
            return Some(format!("write `{formula}`"));
        }
        Some(match self {
            Self::UnexpectedCharacter { instead, .. } => (*instead)?.to_owned(),
            Self::ImplicitMultiplication { left, right } => format!("write `{left}*{right}` to multiply"),
            Self::UnknownName { nearest, known, .. } | Self::UnknownFunction { nearest, known, .. } => match nearest {
                Some(near) => format!("did you mean `{near}`?"),
                None if known.is_empty() => return None,
                None => format!("known here: {}", known.join(", ")),
            },
            Self::NotAFunction { name, .. } => format!("write `{name}*(...)` to multiply"),
            Self::WithoutArguments { name } => format!("write `{name}(...)`"),
            Self::NotACondition => "compare it with something, for instance `> 0`".to_owned(),
            Self::NotANumber => "turn the condition into a number with `if(condition, 1, 0)`".to_owned(),
            Self::NotAnInequality => "write it with `<` or `>`".to_owned(),
            Self::TooDeep { .. } => {
                "write it with fewer parentheses, or with fewer definitions that stand on one another".to_owned()
            }
            Self::NotConstant => "numbers, `pi` and `e` may enter, no states or parameters".to_owned(),
            Self::HigherOrder => "name the velocity as a state of its own: `x' = v`, `v' = ...`".to_owned(),
            _ => return None,
        })
    }
}
