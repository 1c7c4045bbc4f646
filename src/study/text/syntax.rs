//! What the reader of RON objects to, in the words of studies.

use crate::text::locate::{Kind, RonToken, tokens};
use ron::Options;
use ron::error::{Error, Position, SpannedError};
use serde::de::DeserializeOwned;
use slipstick_bifurcation::Label;
use slipstick_system::text::nearest;
use std::ops::Range;

/// The value that this text holds.
///
/// # Errors
/// What the reader objects to: message, place and help.
pub(crate) fn read<T: DeserializeOwned>(
    options: &Options,
    text: &str,
) -> Result<T, (String, Range<usize>, Option<String>)> {
    options.from_str(text).map_err(|error| {
        let (message, range, help) = explain(text, &error);
        if error.code == Error::ExpectedIdentifier
            && let Some(found) = quoted(text, &range)
            && let Some((message, help)) = name_in_quotes::<T>(options, text, found, &range)
        {
            return (message, range, Some(help));
        }
        (message, range, help)
    })
}

/// What to say of a text in quotation marks where a word or a key belongs: the reader says which when it reads the text
/// without the marks.
fn name_in_quotes<T: DeserializeOwned>(
    options: &Options,
    text: &str,
    found: &str,
    range: &Range<usize>,
) -> Option<(String, String)> {
    let unknown = [&text[..range.start], "unknown_word", &text[range.end..]].concat();
    let (expected, help) = match options.from_str::<T>(&unknown).err()?.code {
        Error::NoSuchEnumVariant { expected, .. } if expected.contains(&found) => {
            ("word", format!("write it without quotation marks: `{found}`"))
        }
        Error::NoSuchEnumVariant { expected, .. } => {
            let list: Vec<String> = expected.iter().map(|word| format!("`{word}`")).collect();
            (
                "word",
                format!("without quotation marks one of these: {}", list.join(", ")),
            )
        }
        Error::NoSuchStructField { .. } => {
            let help = key_missing(&tokens(text), range);
            (
                "key",
                help.unwrap_or_else(|| "keys stand without quotation marks".to_owned()),
            )
        }
        _ => return None,
    };
    Some((format!("expected a {expected}, found a text in quotation marks"), help))
}

/// The byte that a position of the RON reader means; it counts characters.
fn offset(text: &str, position: Position) -> usize {
    let mut start = 0;
    for _ in 1..position.line {
        start += text[start..].find('\n').map_or(text.len() - start, |end| end + 1);
    }
    let column = position.col.saturating_sub(1);
    text[start..]
        .char_indices()
        .nth(column)
        .map_or(text.len(), |(at, _)| start + at)
}

/// Message, place and help for an error of the RON reader.
fn explain(text: &str, error: &SpannedError) -> (String, Range<usize>, Option<String>) {
    let start = offset(text, error.span.start);
    let end = offset(text, error.span.end).max(start);
    let all = tokens(text);
    let here = start..end;
    // What is wrong is the word read last: it ends where the reader stopped.
    let last_word = |word: &str| {
        let found = all
            .iter()
            .rfind(|t| t.range.start <= end && text[t.range.clone()].trim_matches('"') == word);
        found.map_or(here.clone(), |t| t.range.clone())
    };
    let place = enclosing(text, &all, start);
    match &error.code {
        Error::NoSuchStructField { expected, found, .. } => {
            let (message, help) = unknown("key", found, expected, place.as_ref());
            let range = last_word(found);
            let help = key_missing(&all, &range).or(help);
            (message, range, help)
        }
        Error::NoSuchEnumVariant { expected, found, .. } => {
            let (message, help) = unknown("word", found, expected, None);
            (message, last_word(found), other_branch(found, expected).or(help))
        }
        Error::DuplicateStructField { field, .. } => (
            format!("a second `{field}`"),
            last_word(field),
            Some("keep one of them".into()),
        ),
        Error::MissingStructField { field, .. } => match place {
            Some((name, range)) => (
                format!("the key `{field}` is missing in {name}"),
                range,
                Some(format!("add `{field}: ...`")),
            ),
            None => (
                format!("the key `{field}` is missing"),
                here,
                Some(format!("add `{field}: ...`")),
            ),
        },
        Error::ExpectedDifferentStructName { expected, found } => (
            format!("expected `{expected}(...)`, found `{found}`"),
            last_word(found),
            (expected == &"Study")
                .then(|| "a study begins with `Study(`; `slipstick new` writes one to start from".into()),
        ),
        Error::ExpectedNamedStructLike(name) => (
            format!(
                "expected {}`(`",
                if name.is_empty() {
                    String::new()
                } else {
                    format!("`{name}(...)` or ")
                }
            ),
            value_at(&all, start, end),
            (name == &"Study").then(|| "a study begins with `Study(`; `slipstick new` writes one to start from".into()),
        ),
        Error::ExpectedDifferentLength { expected, found } => (
            format!("expected {expected}, and this has {found}"),
            place.map_or(here, |(_, range)| range),
            None,
        ),
        Error::Eof => (
            "the text ends before the study does".into(),
            text.len()..text.len(),
            Some("a closing bracket or quotation mark may be missing".into()),
        ),
        Error::TrailingCharacters => (
            "there is more text after the end of the study".into(),
            value_at(&all, start, end),
            Some("a bracket may be closed too early".into()),
        ),
        Error::ExpectedStringEnd => (
            "this text is never closed".into(),
            string_before(&all, end).unwrap_or(here),
            Some("add a `\"`".into()),
        ),
        // What is left of a number of which a part was read as a whole one.
        Error::ExpectedComma if number_around(text, &all, start).is_some() => {
            whole_number(text, number_around(text, &all, start).unwrap_or(here))
        }
        Error::ExpectedComma if over_lines(text, &all, start).is_some() => (
            "expected a comma: the text before this runs over several lines".into(),
            over_lines(text, &all, start).unwrap_or(here),
            Some("a `\"` may be missing here".into()),
        ),
        Error::ExpectedStructLikeEnd if place.as_ref().is_some_and(|(name, _)| name == NAMELESS) => (
            "expected `)`".into(),
            value_at(&all, start, end),
            Some("an interval has two numbers: `(low, high)`".into()),
        ),
        Error::ExpectedComma => {
            let ended = all.last().is_none_or(|t| t.range.end <= start);
            let help = ended.then(|| "a closing bracket is missing before the end".to_owned());
            ("expected a comma".into(), value_at(&all, start, end), help)
        }
        Error::ExpectedMapColon => {
            let help = "keys and values are separated by a colon: `key: value`";
            ("expected a colon".into(), value_at(&all, start, end), Some(help.into()))
        }
        Error::InvalidValueForType { expected, found } => {
            let range = value_before(&all, start, end);
            let word = &text[range.clone()];
            // A word by itself is read as a value without contents.
            if found == "a unit value" && !word.starts_with('"') {
                (
                    format!("expected {expected}, found `{word}`"),
                    range,
                    Some(format!("write `\"{word}\"`")),
                )
            } else {
                (format!("expected {expected}, found {found}"), range, None)
            }
        }
        Error::InvalidIntegerDigit { .. } => whole_number(text, value_at(&all, start, end)),
        Error::NoSuchExtension(name) => {
            let at = text
                .find("#![")
                .and_then(|line| Some(line + text[line..].find(name.as_str())?));
            (
                format!("unknown extension `{name}`"),
                at.map_or(here, |at| at..at + name.len()),
                Some("studies need no `#![enable(...)]`: leave it out".into()),
            )
        }
        Error::SuggestRawIdentifier(_) | Error::InvalidIdentifier(_) if place.is_some() => {
            let range = value_at(&all, start, end);
            let name = place.map_or_else(String::new, |(name, _)| format!(" in {name}"));
            (
                format!("expected a key{name}, found `{}`", &text[range.clone()]),
                range,
                Some("values have keys before them: `key: value`".into()),
            )
        }
        Error::Message(message) => (message.clone(), value_before(&all, start, end), None),
        code => {
            let (message, help) = expected(code);
            let range = value_at(&all, start, end);
            let help = help.or_else(|| instead(code, text, &all, &range));
            (message, range, help)
        }
    }
}

/// The key that a value belongs to, if one stands before it.
fn key_of<'t>(text: &'t str, all: &[RonToken], value: &Range<usize>) -> Option<&'t str> {
    let at = all.iter().position(|t| t.range.start == value.start)?;
    let (key, colon) = (all.get(at.checked_sub(2)?)?, &all[at - 1]);
    (colon.kind == Kind::Colon).then(|| &text[key.range.clone()])
}

/// What to write where a value stands in the place of a key.
fn key_missing(all: &[RonToken], value: &Range<usize>) -> Option<String> {
    let next = all.iter().find(|t| t.range.start >= value.end);
    let is_key = next.is_some_and(|t| t.kind == Kind::Colon);
    (!is_key).then(|| "values have keys before them: `key: value`".to_owned())
}

/// What to write in the place of a value of another form.
fn instead(code: &Error, text: &str, all: &[RonToken], value: &Range<usize>) -> Option<String> {
    let found = &text[value.clone()];
    match (code, key_of(text, all, value)) {
        (Error::ExpectedArray, Some("equations")) => {
            Some("one text for each state: `equations: [\"x' = ...\", ...]`".to_owned())
        }
        (Error::ExpectedMap, Some(key)) => Some(format!("each name with its value: `{key}: {{\"name\": 1, ...}}`")),
        (Error::ExpectedString, _) if found.starts_with(char::is_alphabetic) => Some(format!("write `\"{found}\"`")),
        _ => None,
    }
}

/// What is said of a number that is no whole one.
fn whole_number(text: &str, range: Range<usize>) -> (String, Range<usize>, Option<String>) {
    let found = &text[range.clone()];
    let whole = found
        .replace('_', "")
        .parse::<f64>()
        .ok()
        .filter(|v| v.fract() == 0.0 && v.abs() < 1e15);
    let help = match whole {
        Some(v) => format!("write `{v}`"),
        None => "whole numbers are written with digits only".to_owned(),
    };
    (format!("expected a whole number, found `{found}`"), range, Some(help))
}

/// The number that has this place between its digits.
fn number_around(text: &str, all: &[RonToken], at: usize) -> Option<Range<usize>> {
    let around = all.iter().find(|t| t.range.start < at && at < t.range.end)?;
    let number = text.get(around.range.clone())?.replace('_', "").parse::<f64>();
    number.ok().map(|_| around.range.clone())
}

/// What stands in quotation marks, if something does.
fn quoted<'t>(text: &'t str, range: &Range<usize>) -> Option<&'t str> {
    text.get(range.clone())?.strip_prefix('"')?.strip_suffix('"')
}

/// What to write where a branch is asked for at a label at which none are traced.
fn other_branch(found: &str, known: &[&str]) -> Option<String> {
    let labels = |words: &[&str]| words.iter().all(|word| Label::parse(word).is_some());
    if !labels(&[found]) || known.is_empty() || !labels(known) {
        return None;
    }
    Some(match found {
        "HB" => "families of cycles that begin at Hopf points are curves of their own: `orbit: PeriodicOrbit, start: Point(from: \"curve, HB\")`".to_owned(),
        _ => format!("branches are traced at {}", known.join(", ")),
    })
}

/// For an unknown key or word: the message with what is known, and the nearest of it.
fn unknown(
    what: &str,
    found: &str,
    known: &[&str],
    place: Option<&(String, Range<usize>)>,
) -> (String, Option<String>) {
    let inside = place.map_or(String::new(), |(name, _)| format!(" in {name}"));
    let list: Vec<String> = known.iter().map(|k| format!("`{k}`")).collect();
    let help = match nearest(found, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => "no keys are known here".into(),
        None => format!("known here: {}", list.join(", ")),
    };
    (format!("unknown {what} `{found}`{inside}"), Some(help))
}

/// What was expected, in words, for the errors that say only that.
fn expected(code: &Error) -> (String, Option<String>) {
    let (what, help) = match code {
        Error::ExpectedFloat => ("a number", None),
        Error::ExpectedInteger => ("a whole number", None),
        Error::ExpectedBoolean => ("`true` or `false`", None),
        Error::ExpectedString => ("a text in quotation marks", None),
        Error::ExpectedArray => ("a list `[...]`", None),
        Error::ExpectedArrayEnd => ("`]`", Some("items are separated by commas")),
        Error::ExpectedMap => ("a map `{\"name\": ..., ...}`", None),
        Error::ExpectedMapEnd => ("`}`", Some("entries are separated by commas")),
        Error::ExpectedStructLike => (
            "`(`",
            Some("intervals are written `(low, high)`, keys stand in parentheses, even if there are none: `Name()`"),
        ),
        Error::IntegerOutOfBounds => ("a whole number that is not negative and not too large", None),
        Error::ExpectedStructLikeEnd => ("`)`", Some("keys with their values are separated by commas")),
        Error::ExpectedIdentifier => ("a word", None),
        other => return (other.to_string(), None),
    };
    (format!("expected {what}"), help.map(str::to_owned))
}

/// The token at a place, or the next one: errors about a value are often reported on the blank before it.
fn value_at(all: &[RonToken], start: usize, end: usize) -> Range<usize> {
    let token = all.iter().find(|t| t.range.end > start);
    token.map_or(start..end, |t| t.range.clone())
}

/// The value at a place, or the one before it: errors about the contents of a value are reported after it.
fn value_before(all: &[RonToken], start: usize, end: usize) -> Range<usize> {
    let is_value = |t: &RonToken| matches!(t.kind, Kind::String | Kind::Word);
    let within = all
        .iter()
        .find(|t| t.range.end > start && t.range.start < end.max(start + 1) && is_value(t));
    let before = || all.iter().rfind(|t| t.range.start < end.max(1) && is_value(t));
    within.or_else(before).map_or(start..end, |t| t.range.clone())
}

fn string_before(all: &[RonToken], end: usize) -> Option<Range<usize>> {
    all.iter()
        .rfind(|t| t.kind == Kind::String && t.range.start <= end)
        .map(|t| t.range.clone())
}

/// Brackets without a name before them.
const NAMELESS: &str = "these brackets";

/// The first line of a text in quotation marks that ends at a place and runs over several lines.
fn over_lines(text: &str, all: &[RonToken], at: usize) -> Option<Range<usize>> {
    let last = all.iter().rfind(|t| t.range.end <= at)?;
    let first = text[last.range.clone()].find('\n')?;
    (last.kind == Kind::String).then_some(last.range.start..last.range.start + first)
}

/// The innermost brackets around a place: what to call them, and where they begin.
fn enclosing(text: &str, all: &[RonToken], at: usize) -> Option<(String, Range<usize>)> {
    let mut open: Vec<usize> = vec![];
    for (k, token) in all.iter().enumerate() {
        // A missing key is reported at the closing bracket, which still counts as inside.
        if token.range.end > at && !(token.kind == Kind::Close && token.range.start < at) {
            break;
        }
        match token.kind {
            Kind::Open => open.push(k),
            Kind::Close => {
                open.pop();
            }
            _ => {}
        }
    }
    let bracket = *open.last()?;
    let name = bracket
        .checked_sub(1)
        .filter(|k| all[*k].kind == Kind::Word && all[*k].range.end == all[bracket].range.start);
    Some(match name {
        Some(name) => (format!("`{}`", &text[all[name].range.clone()]), all[name].range.clone()),
        None => (NAMELESS.to_owned(), all[bracket].range.clone()),
    })
}
