//! From tokens to terms: the grammar.
//!
//! ```text
//! condition   a or b,  a and b,  not a,  a < b <= c     (chains allowed; also > >= == !=)
//! number      a + b,  a - b;   a * b,  a / b;   -a;   a ^ b     (loosest first; ^ groups to the right, -x^2 is -(x^2))
//! atom        1.5e-3,  name,  function(a, b),  ( ... )
//! ```
//!
//! Terms stand in one array, operands before what uses them, so that nothing downstream needs recursion.

use super::error::{TextError, TextErrorKind};
use super::operation::{Binary, KEYWORDS, Unary, builtin};
use super::token::{Spanned, Token, tokens};
use std::ops::Range;

/// How deep parentheses, signs and powers may nest.
const DEPTH: usize = 128;

/// One node of a parsed expression; operands are indices of earlier terms.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Term {
    Number(f64),
    Name(String),
    Unary(Unary, usize),
    Binary(Binary, usize, usize),
    Call { name: String, arguments: Vec<usize> },
}

/// A parsed expression, its names not yet resolved.
///
/// ```
/// use slipstick_system::text::Expression;
/// assert!(Expression::parse("sigma*(y - x)").is_ok());
/// let fault = Expression::parse("2x").unwrap_err();
/// assert_eq!(fault.span, 1..2);
/// assert_eq!(fault.help().unwrap(), "write `2*x` to multiply");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    pub(super) text: String,
    pub(super) terms: Vec<(Term, Range<usize>)>,
}

impl Expression {
    /// Parse a text. Checks the grammar only; names are resolved by the [`Scope`](super::Scope) that compiles it.
    pub fn parse(text: &str) -> Result<Self, TextError> {
        Self::from_tokens(text, &tokens(text)?)
    }

    /// Parse the tokens of a piece of `text`; spans keep pointing into the whole of it.
    pub(super) fn from_tokens(text: &str, tokens: &[Spanned]) -> Result<Self, TextError> {
        let mut parser = Parser {
            text,
            tokens,
            at: 0,
            depth: 0,
            terms: Vec::new(),
        };
        if parser.peek().token == Token::End {
            return Err(TextError::new(TextErrorKind::Empty, parser.peek().span.clone()));
        }
        parser.climb(OR)?;
        parser.finish()?;
        Ok(Self {
            text: text.to_owned(),
            terms: parser.terms,
        })
    }

    /// The text it was parsed from.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The names it uses, of values and of functions, each as often as it stands there.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.terms.iter().filter_map(|(term, _)| match term {
            Term::Name(name) | Term::Call { name, .. } => Some(name.as_str()),
            _ => None,
        })
    }

    /// The index of the term that is the whole expression.
    pub(super) fn root(&self) -> usize {
        self.terms.len() - 1
    }

    /// Is this term a condition that does not hold where both sides of its inequality are equal? One of several parts
    /// decides.
    pub(super) fn is_strict(&self, term: usize) -> bool {
        let mut strict: Vec<bool> = Vec::with_capacity(term + 1);
        for (of, _) in &self.terms[..=term] {
            strict.push(match of {
                Term::Binary(Binary::LessEqual, ..) => false,
                Term::Unary(Unary::Not, a) => !strict[*a],
                Term::Binary(Binary::And | Binary::Or, a, b) => strict[*a] || strict[*b],
                _ => true,
            });
        }
        strict[term]
    }
}

/// Binding strengths, loosest first.
const OR: u8 = 1;
const AND: u8 = 2;
const NOT: u8 = 3;
const COMPARE: u8 = 4;
const SUM: u8 = 5;
const PRODUCT: u8 = 6;
const SIGN: u8 = 7;
const POWER: u8 = 8;

struct Parser<'a> {
    text: &'a str,
    tokens: &'a [Spanned],
    at: usize,
    depth: usize,
    terms: Vec<(Term, Range<usize>)>,
}

impl Parser<'_> {
    fn peek(&self) -> &Spanned {
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn next(&mut self) -> Spanned {
        let token = self.peek().clone();
        self.at += 1;
        token
    }

    fn push(&mut self, term: Term, span: Range<usize>) -> usize {
        self.terms.push((term, span));
        self.terms.len() - 1
    }

    fn binary(&mut self, operation: Binary, left: usize, right: usize) -> usize {
        let (a, b) = (&self.terms[left].1, &self.terms[right].1);
        let span = a.start.min(b.start)..a.end.max(b.end);
        self.push(Term::Binary(operation, left, right), span)
    }

    fn describe(&self, token: &Spanned) -> String {
        match token.token {
            Token::End => "the end".into(),
            _ => format!("`{}`", &self.text[token.span.clone()]),
        }
    }

    fn expected<T>(&self, expected: &'static str) -> Result<T, TextError> {
        let token = self.peek();
        let kind = match token.token {
            Token::Assign => TextErrorKind::UnexpectedCharacter {
                found: '=',
                instead: Some("a comparison is written `==`, and an equation has one `=`"),
            },
            Token::Prime => TextErrorKind::UnexpectedCharacter {
                found: '\'',
                instead: Some("derivatives stand on the left of an equation only: write out the right-hand side meant"),
            },
            _ => TextErrorKind::Expected {
                found: self.describe(token),
                expected,
            },
        };
        Err(TextError::new(kind, token.span.clone()))
    }

    /// A term whose operators all bind at least as strongly as `least`.
    fn climb(&mut self, least: u8) -> Result<usize, TextError> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(TextError::new(
                TextErrorKind::TooDeep { limit: DEPTH },
                self.peek().span.clone(),
            ));
        }
        let mut left = self.prefix()?;
        loop {
            let token = &self.peek().token;
            let (strength, operation) = match token {
                Token::Name(n) if n == "or" => (OR, Binary::Or),
                Token::Name(n) if n == "and" => (AND, Binary::And),
                Token::Less
                | Token::LessEqual
                | Token::Greater
                | Token::GreaterEqual
                | Token::Equal
                | Token::NotEqual => {
                    if COMPARE < least {
                        break;
                    }
                    left = self.comparisons(left)?;
                    continue;
                }
                Token::Plus => (SUM, Binary::Add),
                Token::Minus => (SUM, Binary::Subtract),
                Token::Star => (PRODUCT, Binary::Multiply),
                Token::Slash => (PRODUCT, Binary::Divide),
                Token::Caret => (POWER, Binary::Power),
                _ => break,
            };
            if strength < least {
                break;
            }
            self.next();
            // Powers group to the right, everything else to the left.
            let right = self.climb(if strength == POWER { POWER } else { strength + 1 })?;
            left = self.binary(operation, left, right);
        }
        self.depth -= 1;
        Ok(left)
    }

    /// `left < b <= c …`: every neighbouring pair must compare as written.
    fn comparisons(&mut self, first: usize) -> Result<usize, TextError> {
        let mut left = first;
        let mut all = None;
        loop {
            let comparison = self.peek().token.clone();
            if !matches!(
                comparison,
                Token::Less | Token::LessEqual | Token::Greater | Token::GreaterEqual | Token::Equal | Token::NotEqual
            ) {
                break;
            }
            self.next();
            let right = self.climb(SUM)?;
            let pair = match comparison {
                Token::Less => self.binary(Binary::Less, left, right),
                Token::LessEqual => self.binary(Binary::LessEqual, left, right),
                Token::Greater => self.binary(Binary::Less, right, left),
                Token::GreaterEqual => self.binary(Binary::LessEqual, right, left),
                _ => self.binary(Binary::Equal, left, right),
            };
            let pair = if comparison == Token::NotEqual {
                let span = self.terms[pair].1.clone();
                self.push(Term::Unary(Unary::Not, pair), span)
            } else {
                pair
            };
            all = Some(match all {
                None => pair,
                Some(before) => self.binary(Binary::And, before, pair),
            });
            left = right;
        }
        Ok(all.unwrap_or(first))
    }

    fn prefix(&mut self) -> Result<usize, TextError> {
        let token = self.peek().clone();
        let (operation, strength) = match &token.token {
            Token::Minus => (Some(Unary::Negate), SIGN),
            Token::Plus => (None, SIGN),
            Token::Name(n) if n == "not" => (Some(Unary::Not), NOT),
            _ => {
                let atom = self.atom()?;
                self.refuse_neighbour(atom)?;
                return Ok(atom);
            }
        };
        self.next();
        let operand = self.climb(strength)?;
        let span = token.span.start..self.terms[operand].1.end;
        Ok(match operation {
            Some(operation) => self.push(Term::Unary(operation, operand), span),
            None => operand,
        })
    }

    fn atom(&mut self) -> Result<usize, TextError> {
        let token = self.peek().clone();
        match token.token {
            Token::Number(value) => {
                self.next();
                Ok(self.push(Term::Number(value), token.span))
            }
            Token::Name(name) if !KEYWORDS.contains(&name.as_str()) => {
                self.next();
                if self.peek().token == Token::Open {
                    let open = self.next().span;
                    let arguments = self.arguments(&open)?;
                    let span = token.span.start..self.tokens[self.at - 1].span.end;
                    return Ok(self.push(Term::Call { name, arguments }, span));
                }
                Ok(self.push(Term::Name(name), token.span))
            }
            Token::Open => {
                self.next();
                let inner = self.climb(OR)?;
                self.close(&token.span, "an operator or `)`")?;
                // The last term pushed is the inner one: let it cover its parentheses.
                self.terms[inner].1 = token.span.start..self.tokens[self.at - 1].span.end;
                Ok(inner)
            }
            Token::Close if !self.inside() => Err(TextError::new(TextErrorKind::Unopened, token.span)),
            _ => self.expected("a number, a name or `(`"),
        }
    }

    fn arguments(&mut self, open: &Range<usize>) -> Result<Vec<usize>, TextError> {
        let mut arguments = Vec::new();
        if self.peek().token == Token::Close {
            self.next();
            return Ok(arguments);
        }
        loop {
            arguments.push(self.climb(OR)?);
            if self.peek().token == Token::Comma {
                self.next();
                continue;
            }
            self.close(open, "an operator, `,` or `)`")?;
            return Ok(arguments);
        }
    }

    fn close(&mut self, open: &Range<usize>, expected: &'static str) -> Result<(), TextError> {
        match self.peek().token {
            Token::Close => {
                self.next();
                Ok(())
            }
            Token::End => Err(TextError::new(TextErrorKind::Unclosed, open.clone())),
            _ => self.expected(expected),
        }
    }

    /// Is there an opening parenthesis before this place that is not yet closed?
    fn inside(&self) -> bool {
        let open = |t: &Token| self.tokens[..self.at].iter().filter(|s| s.token == *t).count();
        open(&Token::Open) > open(&Token::Close)
    }

    /// No implicit multiplication: `2x`, `2(x)`, `(a)(b)`, `x y`.
    fn refuse_neighbour(&self, left: usize) -> Result<(), TextError> {
        let token = self.peek();
        let right = match &token.token {
            Token::Number(_) => self.text[token.span.clone()].to_owned(),
            Token::Name(n) if !KEYWORDS.contains(&n.as_str()) => {
                let call = self
                    .tokens
                    .get(self.at + 1)
                    .is_some_and(|next| next.token == Token::Open);
                format!("{}{}", &self.text[token.span.clone()], if call { "(...)" } else { "" })
            }
            Token::Open => "(...)".to_owned(),
            _ => return Ok(()),
        };
        let (term, span) = &self.terms[left];
        if let Term::Name(name) = term
            && builtin(name).is_some()
        {
            return Err(TextError::new(
                TextErrorKind::WithoutArguments { name: name.clone() },
                span.clone(),
            ));
        }
        let left = match &self.text[span.clone()] {
            long if long.ends_with(')') => "(...)".to_owned(),
            short => short.to_owned(),
        };
        Err(TextError::new(
            TextErrorKind::ImplicitMultiplication { left, right },
            token.span.clone(),
        ))
    }

    fn finish(&self) -> Result<(), TextError> {
        match self.peek().token {
            Token::End => Ok(()),
            Token::Close => Err(TextError::new(TextErrorKind::Unopened, self.peek().span.clone())),
            _ => self.expected("an operator or the end"),
        }
    }
}
