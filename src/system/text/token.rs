//! From characters to tokens, each with its place in the text.

use super::error::{TextError, TextErrorKind};
use super::names::{continues_name, plain_name, starts_name};
use std::ops::Range;

/// A word of the language.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Number(f64),
    /// A name in its plain spelling.
    Name(String),
    Plus,
    Minus,
    Star,
    Slash,
    Caret,
    Open,
    Close,
    Comma,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    /// A single `=`, as between the sides of an equation.
    Assign,
    Prime,
    End,
}

/// A token and the bytes it was read from.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Spanned {
    pub(super) token: Token,
    pub(super) span: Range<usize>,
}

/// All tokens of a text; the last is `End`.
pub(super) fn tokens(text: &str) -> Result<Vec<Spanned>, TextError> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let start = at;
        if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        }
        let token = if c.is_ascii_digit() || (c == '.' && followed_by_digit(text, at + 1)) {
            at = end_of_number(text, at);
            number(&text[start..at], start)?
        } else if starts_name(c) {
            at += text[at..].find(|c| !continues_name(c)).unwrap_or(text.len() - at);
            Token::Name(plain_name(&text[start..at]))
        } else {
            let (token, length) = symbol(&text[at..], start)?;
            at += length;
            token
        };
        found.push(Spanned { token, span: start..at });
    }
    found.push(Spanned {
        token: Token::End,
        span: text.len()..text.len(),
    });
    Ok(found)
}

fn followed_by_digit(text: &str, at: usize) -> bool {
    text.as_bytes().get(at).is_some_and(u8::is_ascii_digit)
}

fn end_of_number(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let digits = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let mut at = digits(start);
    if bytes.get(at) == Some(&b'.') {
        at = digits(at + 1);
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        if followed_by_digit(text, at + 1 + sign) {
            at = digits(at + 1 + sign);
        }
    }
    at
}

fn number(digits: &str, start: usize) -> Result<Token, TextError> {
    match digits.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(Token::Number(value)),
        _ => Err(TextError::new(
            TextErrorKind::Number { found: digits.into() },
            start..start + digits.len(),
        )),
    }
}

fn symbol(rest: &str, start: usize) -> Result<(Token, usize), TextError> {
    for (spelling, token) in [
        ("<=", Token::LessEqual),
        (">=", Token::GreaterEqual),
        ("==", Token::Equal),
        ("!=", Token::NotEqual),
    ] {
        if rest.starts_with(spelling) {
            return Ok((token, 2));
        }
    }
    let refuse = |found: char, instead, length| {
        Err(TextError::new(
            TextErrorKind::UnexpectedCharacter { found, instead },
            start..start + length,
        ))
    };
    for (spelling, instead) in [
        ("**", "powers are written `^`"),
        ("&&", "write `and`"),
        ("||", "write `or`"),
    ] {
        if rest.starts_with(spelling) {
            return refuse(rest.chars().next().unwrap_or(' '), Some(instead), 2);
        }
    }
    let c = rest.chars().next().unwrap_or(' ');
    let token = match c {
        '+' => Token::Plus,
        '-' | '−' => Token::Minus,
        '*' | '·' | '×' | '⋅' => Token::Star,
        '/' => Token::Slash,
        '^' => Token::Caret,
        '(' => Token::Open,
        ')' => Token::Close,
        ',' => Token::Comma,
        '<' => Token::Less,
        '≤' => Token::LessEqual,
        '>' => Token::Greater,
        '≥' => Token::GreaterEqual,
        '≠' => Token::NotEqual,
        '=' => Token::Assign,
        '\'' | '′' | '’' => Token::Prime,
        _ => {
            let instead = match c {
                '!' => Some("write `not`"),
                '&' => Some("write `and`"),
                '|' => Some("write `abs(...)` for an absolute value, `or` between conditions"),
                '[' | ']' | '{' | '}' => Some("only round parentheses group"),
                '²' => Some("write `^2`"),
                '³' => Some("write `^3`"),
                '√' => Some("write `sqrt(...)`"),
                ';' => Some("arguments are separated by commas"),
                '%' => Some("write `mod(a, b)`"),
                '"' => Some("no quotation marks inside an expression"),
                '.' => Some("a number needs a digit: `0.5`, `1.0`"),
                _ => None,
            };
            return refuse(c, instead, c.len_utf8());
        }
    };
    Ok((token, c.len_utf8()))
}
