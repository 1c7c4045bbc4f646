//! Equations and the heads of definitions: what stands to the left of what is computed.

use super::error::{TextError, TextErrorKind};
use super::expression::Expression;
use super::token::{Spanned, Token, tokens};
use std::ops::Range;

/// What an equation says about its state.
///
/// ```
/// use slipstick_system::text::{Equation, EquationForm};
/// assert_eq!(Equation::parse("x' = -x", EquationForm::Rate)?.state, "x");
/// // A map says what comes next, not how fast.
/// assert_eq!(Equation::parse("x+ = r*x*(1 - x)", EquationForm::Next)?.state, "x");
/// assert!(Equation::parse("x' = r*x*(1 - x)", EquationForm::Next).is_err());
/// # Ok::<(), slipstick_system::text::TextError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EquationForm {
    /// Its rate of change: `x' = ...`.
    Rate,
    /// Its next value: `x+ = ...`.
    Next,
}

/// An equation for one state.
///
/// ```
/// use slipstick_system::text::{Equation, EquationForm};
/// let rate = Equation::parse("v' = -x - 2*zeta*v", EquationForm::Rate)?;
/// assert!(rate.state == "v" && rate.right.names().any(|name| name == "zeta"));
/// # Ok::<(), slipstick_system::text::TextError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Equation {
    /// The state, in its plain spelling.
    pub state: String,
    /// Where its name stands.
    pub state_span: Range<usize>,
    /// The right-hand side; its spans point into the whole equation.
    pub right: Expression,
}

impl Equation {
    /// Parse `x' = expression` or `x+ = expression`.
    pub fn parse(text: &str, form: EquationForm) -> Result<Self, TextError> {
        let tokens = tokens(text)?;
        if tokens.len() == 1 {
            return Err(TextError::new(TextErrorKind::Empty, 0..text.len()));
        }
        let (mark, expected) = match form {
            EquationForm::Rate => (Token::Prime, "the rate of a state, as in `x' = ...`"),
            EquationForm::Next => (Token::Plus, "the next value of a state, as in `x+ = ...`"),
        };
        let left = tokens.iter().position(|s| s.token == Token::Assign).unwrap_or(0);
        match &tokens[..left] {
            [
                Spanned {
                    token: Token::Name(name),
                    span,
                },
                marked,
            ] if marked.token == mark => Ok(Self {
                state: name.clone(),
                state_span: span.clone(),
                right: Expression::from_tokens(text, &tokens[left + 1..])?,
            }),
            [
                Spanned {
                    token: Token::Name(_), ..
                },
                first,
                ..,
                last,
            ] if form == EquationForm::Rate && first.token == Token::Prime && last.token == Token::Prime => Err(
                TextError::new(TextErrorKind::HigherOrder, tokens[0].span.start..last.span.end),
            ),
            _ => {
                let end = if left == 0 { 0 } else { left - 1 };
                Err(TextError::new(
                    TextErrorKind::LeftHandSide { expected },
                    tokens[0].span.start..tokens[end].span.end,
                ))
            }
        }
    }
}

/// The head of a definition: a name, with the names of its arguments if it is a function.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Head {
    pub(super) name: (String, Range<usize>),
    pub(super) arguments: Vec<(String, Range<usize>)>,
}

impl Head {
    /// Parse `name` or `name(a, b)`.
    pub(super) fn parse(text: &str) -> Result<Self, TextError> {
        let tokens = tokens(text)?;
        let refuse = |at: &Spanned| {
            let kind = TextErrorKind::Expected {
                found: match at.token {
                    Token::End => "the end".into(),
                    _ => format!("`{}`", &text[at.span.clone()]),
                },
                expected: "a name like `r2`, or a function like `phi(u)`",
            };
            Err(TextError::new(kind, at.span.clone()))
        };
        let mut names = Vec::new();
        // name ( name , name ) end
        for (k, token) in tokens.iter().enumerate() {
            let fits = match &token.token {
                Token::Name(name) if k % 2 == 0 => {
                    names.push((name.clone(), token.span.clone()));
                    true
                }
                Token::Open => k == 1,
                Token::Comma => k > 1 && k % 2 == 1,
                Token::Close => k > 1 && k % 2 == 1 && tokens.len() == k + 2,
                Token::End => k == 1 || (k > 3 && tokens[k - 1].token == Token::Close),
                _ => false,
            };
            if !fits {
                return refuse(token);
            }
        }
        let mut names = names.into_iter();
        match names.next() {
            Some(name) => Ok(Self {
                name,
                arguments: names.collect(),
            }),
            None => refuse(&tokens[0]),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn an_equation_names_its_state_and_keeps_its_places() {
        let equation = Equation::parse("θ' = 2*x", EquationForm::Rate).unwrap();
        assert_eq!(equation.state, "theta");
        assert_eq!(equation.right.text(), "θ' = 2*x");
        let fault = Equation::parse("x' = 2 x", EquationForm::Rate).unwrap_err();
        assert_eq!(fault.span, 7..8);
        assert!(Equation::parse("x+ = r*x*(1-x)", EquationForm::Next).is_ok());
    }

    #[test]
    fn a_wrong_left_hand_side_is_pointed_at() {
        let fault = |text, form| Equation::parse(text, form).unwrap_err();
        assert_eq!(fault("x'' = -x", EquationForm::Rate).kind, TextErrorKind::HigherOrder);
        assert_eq!(fault("x'' = -x", EquationForm::Rate).span, 0..3);
        for text in ["dx/dt = y", "y", "x = y", "x+ = y", "= y", "'", "x'"] {
            assert!(matches!(
                fault(text, EquationForm::Rate).kind,
                TextErrorKind::LeftHandSide { .. }
            ));
        }
        assert_eq!(fault("x' =", EquationForm::Rate).kind, TextErrorKind::Empty);
        assert_eq!(fault("  ", EquationForm::Rate).kind, TextErrorKind::Empty);
    }

    #[test]
    fn a_head_is_a_name_or_a_function_of_names() {
        let names = |text| {
            let head = Head::parse(text).unwrap();
            (head.name.0, head.arguments.into_iter().map(|a| a.0).collect::<Vec<_>>())
        };
        assert_eq!(names("r2"), ("r2".into(), vec![]));
        assert_eq!(names("φ(u, v)"), ("phi".into(), vec!["u".into(), "v".into()]));
        for text in [
            "", "2", "f(", "f()", "f(a", "f(a,", "f(a,)", "f(a b)", "f(a)b", "f+g", "f)", "(f)", "f(a)(b)",
        ] {
            assert!(Head::parse(text).is_err(), "{text}");
        }
    }
}
