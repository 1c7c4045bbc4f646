//! What is wrong with a study, shown: the file, the line, what it concerns, and a way out.

use crate::text::locate::{Kind, RonToken, locate, tokens};
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use ron::error::{Error, Position, SpannedError};
use slipstick_bifurcation::Label;
use slipstick_system::text::nearest;
use std::ops::Range;

/// How bad it is.
///
/// ```
/// use slipstick_study::{Diagnostic, Severity};
/// let text = "Study(title: \"\")";
/// let empty = Diagnostic::at(text, "title", None, "the title is empty", None);
/// assert_eq!((empty.severity, empty.warning().severity), (Severity::Error, Severity::Warning));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// Nothing can be run.
    Error,
    /// Worth a look.
    Warning,
}

/// Something to say about a place in a study.
///
/// ```
/// use slipstick_study::Diagnostic;
/// let text = "Study(\n    title: \"Stiction\",\n    seed: -1,\n)";
/// let negative = Diagnostic::at(text, "seed", None, "a seed is not negative", Some("write 1".into()));
/// assert_eq!((negative.line_and_column(text), &text[negative.span.clone()]), ((3, 11), "-1"));
/// let shown = negative.render("study.ron", text, false);
/// assert!(shown.contains("study.ron:3:11") && shown.contains("write 1"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// The bytes of the text concerned.
    pub span: Range<usize>,
    /// What to write instead.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error about the value at `path` (see [`locate`]) of the study `text`, or `within` it if it is a string.
    pub fn at(
        text: &str,
        path: &str,
        within: Option<Range<usize>>,
        message: impl Into<String>,
        help: Option<String>,
    ) -> Self {
        Self {
            severity: Severity::Error,
            message: message.into(),
            span: locate(text, path, within),
            help,
        }
    }

    /// A text that is no RON, or no study: what the reader of RON objects to, in the words of studies.
    pub fn syntax(text: &str, error: &SpannedError) -> Self {
        let (message, span, help) = explain(text, error);
        Self {
            severity: Severity::Error,
            message,
            span,
            help,
        }
    }

    /// The same as a warning.
    #[must_use]
    pub fn warning(mut self) -> Self {
        self.severity = Severity::Warning;
        self
    }

    /// Line and column of its beginning, counted from 1, the column in characters.
    pub fn line_and_column(&self, text: &str) -> (usize, usize) {
        let before = &text[..self.span.start.min(text.len())];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        (
            before.matches('\n').count() + 1,
            before[line_start..].chars().count() + 1,
        )
    }

    /// As lines for a reader: message, `file:line:column`, the line with a mark, help. `coloured` for a terminal.
    pub fn render(&self, file: &str, text: &str, coloured: bool) -> String {
        // A mark over many lines helps nobody: it stops where its first line does.
        let start = self.span.start.min(text.len());
        let line = text[start..].find('\n').map_or(text.len(), |end| start + end);
        let span = start..self.span.end.clamp(start, line.max(start));
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let snippet = Snippet::source(text)
            .path(file)
            .annotation(AnnotationKind::Primary.span(span));
        let mut group: Group = level.primary_title(&self.message).element(snippet);
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(help));
        }
        let renderer = if coloured {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        renderer.render(&[group])
    }
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
            (message, last_word(found), help)
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
        Error::ExpectedIdentifier if quoted(text, &value_at(&all, start, end)).is_some() => {
            let range = value_at(&all, start, end);
            let help = quoted(text, &range).map(|word| format!("write it without quotation marks: `{word}`"));
            ("expected a word, found a text in quotation marks".into(), range, help)
        }
        Error::InvalidIntegerDigit { .. } => {
            let range = value_at(&all, start, end);
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
            (message, value_at(&all, start, end), help)
        }
    }
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::system::SystemSpec;
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code)]
    struct Study {
        title: String,
        system: SystemSpec,
        #[serde(default)]
        curves: Vec<Curve>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code)]
    struct Curve {
        name: String,
        range: (f64, f64),
        #[serde(default)]
        points: usize,
        way: Way,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code)]
    enum Way {
        Up,
        Down,
    }

    fn rendered(text: &str) -> String {
        let options = ron::Options::default().with_default_extension(ron::extensions::Extensions::IMPLICIT_SOME);
        let error = options.from_str::<Study>(text).unwrap_err();
        Diagnostic::syntax(text, &error).render("study.ron", text, false)
    }

    fn curve(keys: &str) -> String {
        rendered(&format!(
            "Study(\n    title: \"θ\",\n    system: Stiction(mu_s: 1.1),\n    curves: [\n        Curve({keys}),\n    ],\n)\n"
        ))
    }

    #[test]
    fn faults_of_form_are_shown_with_a_way_out() {
        let all = [
            rendered("Study(titel: \"a\")"),
            rendered("Study(\n    title: \"a\",\n    system: Smooth(states: [\"x\"], equation: [\"x' = 1\"]),\n)"),
            rendered("Study(title: \"a\", system: Smooth(states: [\"x\"]))"),
            rendered("Study(title: \"a\", system: Smooth(states: \"x\", equations: []))"),
            rendered("Study(title: \"a\", system: Smooth(states: [\"x\"], equations: [], parameters: {\"a\": true}))"),
            rendered("Study(title: \"a\", system: Stiction)"),
            curve("name: \"stiff\", range: (1.0, 15.0), wey: Up"),
            curve("name: \"θ\", range: (1.0, 15.0), way: Upp"),
            curve("name: \"stiff\", range: (1.0, 15.0)"),
            curve("name: \"stiff\", range: (1.0, 15.0), name: \"b\", way: Up"),
            curve("name: \"stiff\", range: (1.0,), way: Up"),
            curve("name: stiff, range: (1.0, 2.0), way: Up"),
            curve("name: \"stiff\", range: (1.0, \"wide\"), way: Up"),
            curve("name: \"stiff\", range: (1.0, 2.0), points: -3, way: Up"),
            curve("name: \"stiff\", range: (1.0, 2.0) way: Up"),
            curve("name: \"stiff\", range (1.0, 2.0), way: Up"),
            curve("name: \"stiff, range: (1.0, 2.0), way: Up"),
            rendered("Study(title: \"a\", system: Stiction()"),
            rendered("Study(title: \"a\", system: Stiction()))"),
            rendered(""),
            rendered("title: \"a\""),
        ];
        insta::assert_snapshot!(all.join("\n"), @r##"
    error: unknown key `titel` in `Study`
     --> study.ron:1:7
      |
    1 | Study(titel: "a")
      |       ^^^^^
      |
      = help: did you mean `title`?
    error: unknown key `equation` in `Smooth`
     --> study.ron:3:35
      |
    3 |     system: Smooth(states: ["x"], equation: ["x' = 1"]),
      |                                   ^^^^^^^^
      |
      = help: did you mean `equations`?
    error: the key `equations` is missing in `Smooth`
     --> study.ron:1:27
      |
    1 | Study(title: "a", system: Smooth(states: ["x"]))
      |                           ^^^^^^
      |
      = help: add `equations: ...`
    error: expected a list `[...]`
     --> study.ron:1:42
      |
    1 | Study(title: "a", system: Smooth(states: "x", equations: []))
      |                                          ^^^
    error: expected a number, or a formula such as "8/3", found the boolean `true`
     --> study.ron:1:82
      |
    1 | Study(title: "a", system: Smooth(states: ["x"], equations: [], parameters: {"a": true}))
      |                                                                                  ^^^^
    error: expected `(`
     --> study.ron:1:35
      |
    1 | Study(title: "a", system: Stiction)
      |                                   ^
      |
      = help: intervals are written `(low, high)`, keys stand in parentheses, even if there are none: `Name()`
    error: unknown key `wey` in `Curve`
     --> study.ron:5:50
      |
    5 |         Curve(name: "stiff", range: (1.0, 15.0), wey: Up),
      |                                                  ^^^
      |
      = help: did you mean `way`?
    error: unknown word `Upp`
     --> study.ron:5:51
      |
    5 |         Curve(name: "θ", range: (1.0, 15.0), way: Upp),
      |                                                   ^^^
      |
      = help: did you mean `Up`?
    error: the key `way` is missing in `Curve`
     --> study.ron:5:9
      |
    5 |         Curve(name: "stiff", range: (1.0, 15.0)),
      |         ^^^^^
      |
      = help: add `way: ...`
    error: a second `name`
     --> study.ron:5:50
      |
    5 |         Curve(name: "stiff", range: (1.0, 15.0), name: "b", way: Up),
      |                                                  ^^^^
      |
      = help: keep one of them
    error: expected a tuple of size 2, and this has 1
     --> study.ron:5:37
      |
    5 |         Curve(name: "stiff", range: (1.0,), way: Up),
      |                                     ^
    error: expected a text in quotation marks
     --> study.ron:5:21
      |
    5 |         Curve(name: stiff, range: (1.0, 2.0), way: Up),
      |                     ^^^^^
    error: expected a number
     --> study.ron:5:43
      |
    5 |         Curve(name: "stiff", range: (1.0, "wide"), way: Up),
      |                                           ^^^^^^
    error: expected a whole number that is not negative and not too large
     --> study.ron:5:57
      |
    5 |         Curve(name: "stiff", range: (1.0, 2.0), points: -3, way: Up),
      |                                                         ^^
    error: expected a comma
     --> study.ron:5:48
      |
    5 |         Curve(name: "stiff", range: (1.0, 2.0) way: Up),
      |                                                ^^^
    error: expected a colon
     --> study.ron:5:36
      |
    5 |         Curve(name: "stiff", range (1.0, 2.0), way: Up),
      |                                    ^
      |
      = help: keys and values are separated by a colon: `key: value`
    error: this text is never closed
     --> study.ron:5:21
      |
    5 |         Curve(name: "stiff, range: (1.0, 2.0), way: Up),
      |                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: add a `"`
    error: expected a comma
     --> study.ron:1:36
      |
    1 | Study(title: "a", system: Stiction()
      |                                    ^
    error: there is more text after the end of the study
     --> study.ron:1:38
      |
    1 | Study(title: "a", system: Stiction()))
      |                                      ^
      |
      = help: a bracket may be closed too early
    error: expected `Study(...)` or `(`
     --> study.ron:1:1
      |
    1 |
      | ^
      |
      = help: a study begins with `Study(`; `slipstick new` writes one to start from
    error: expected `Study(...)`, found `title`
     --> study.ron:1:1
      |
    1 | title: "a"
      | ^^^^^
      |
      = help: a study begins with `Study(`; `slipstick new` writes one to start from
    "##);
    }

    #[test]
    fn a_mark_stays_on_its_line_and_positions_count_characters() {
        let text = "(θ: [\n  1,\n])";
        let diagnostic = Diagnostic::at(text, "θ", None, "too short", None).warning();
        assert_eq!(diagnostic.span, 5..13);
        assert_eq!(diagnostic.line_and_column(text), (1, 5));
        insta::assert_snapshot!(diagnostic.render("a.ron", text, false), @r##"
    warning: too short
     --> a.ron:1:5
      |
    1 | (θ: [
      |     ^
    "##);
        assert!(diagnostic.render("a.ron", text, true).contains('\u{1b}'));
    }
}
