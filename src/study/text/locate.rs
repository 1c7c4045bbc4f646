//! Places in the text of a study.
//!
//! RON keeps no places once it is read. [`locate`] finds them again: it walks the text along a path of keys and
//! indices, tolerant of whatever else is wrong with it.
//!
//! A path is written as one would say it: `curves[0].free`, `system.modes."slip+".equations[1]`. A key names a field of
//! `(...)` or an entry of `{...}`; an index counts the items of `[...]`, and the fields or entries of the others, too.
//! A path that ends in `#` means the key in front of the value, one that ends in `()` the name in front of the
//! parentheses.

use slipstick_system::text::plain_name;
use std::ops::Range;

/// The bytes of the text that `path` means, or `within` it when it is a string: bytes of the string's contents.
///
/// When a part of the path is not there, the place of the part before it; when that is the whole text, its first word.
///
/// ```
/// use slipstick_study::locate::locate;
/// let text = r#"(curves: [Curve(free: "Omega")])"#;
/// assert_eq!(&text[locate(text, "curves[0].free", None)], "\"Omega\"");
/// assert_eq!(&text[locate(text, "curves[0].free#", None)], "free");
/// assert_eq!(&text[locate(text, "curves[0].free", Some(0..2))], "Om");
/// assert_eq!(&text[locate(text, "curves[0]()", None)], "Curve");
/// ```
pub fn locate(text: &str, path: &str, within: Option<Range<usize>>) -> Range<usize> {
    let (path, part) = if let Some(path) = path.strip_suffix('#') {
        (path, Part::Key)
    } else if let Some(path) = path.strip_suffix("()") {
        (path, Part::Name)
    } else {
        (path, Part::Value)
    };
    let tokens = tokens(text);
    let steps = steps(path);
    let mut at = 0;
    let mut key = None;
    let mut taken = 0;
    for step in &steps {
        let Some((found_key, value)) = descend(text, &tokens, at, step) else {
            break;
        };
        (key, at) = (found_key.or(key), value);
        taken += 1;
    }
    let complete = taken == steps.len();
    let Some(first) = tokens.get(at) else {
        return text.len()..text.len();
    };
    if taken == 0 {
        return first.range.clone();
    }
    match (part, key) {
        (Part::Key, Some(key)) if complete => {
            let key = tokens[key].range.clone();
            return within.map_or(key.clone(), |within| inside(text, &key, &within));
        }
        (Part::Name, _) if first.kind == Kind::Word => return first.range.clone(),
        _ => {}
    }
    match within {
        Some(within) if complete && first.kind == Kind::String => inside(text, &first.range, &within),
        _ => {
            let last = value_end(&tokens, at).saturating_sub(1).max(at);
            first.range.start..tokens[last].range.end
        }
    }
}

enum Part {
    Key,
    Name,
    Value,
}

#[derive(Debug, PartialEq)]
enum Step {
    Key(String),
    Index(usize),
}

/// The steps of a path. What does not parse is taken as a key.
fn steps(path: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        rest = rest.strip_prefix('.').unwrap_or(rest);
        if rest.starts_with('"') {
            let end = string_end(rest, 0);
            steps.push(Step::Key(contents(rest, &(0..end)).0));
            rest = &rest[end..];
        } else if let Some((index, after)) = rest.strip_prefix('[').and_then(|r| r.split_once(']')) {
            steps.push(index.parse().map_or_else(|_| Step::Key(index.to_owned()), Step::Index));
            rest = after;
        } else {
            let end = rest.find(['.', '[']).filter(|end| *end > 0).unwrap_or(rest.len());
            steps.push(Step::Key(rest[..end].to_owned()));
            rest = &rest[end..];
        }
    }
    steps
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Open,
    Close,
    Comma,
    Colon,
    String,
    Word,
}

#[derive(Clone, Debug)]
pub(crate) struct RonToken {
    pub(crate) kind: Kind,
    pub(crate) range: Range<usize>,
}

/// The tokens of a RON text, comments and attributes left out. Never fails: what is unknown is a word.
pub(crate) fn tokens(text: &str) -> Vec<RonToken> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        let c = rest.chars().next().unwrap_or(' ');
        if c.is_whitespace() {
            at += c.len_utf8();
        } else if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with("/*") {
            at = comment_end(text, at);
        } else if rest.starts_with("#!") {
            at += rest.find(']').map_or(rest.len(), |end| end + 1);
        } else {
            let (kind, end) = match c {
                '(' | '[' | '{' => (Kind::Open, at + 1),
                ')' | ']' | '}' => (Kind::Close, at + 1),
                ',' => (Kind::Comma, at + 1),
                ':' => (Kind::Colon, at + 1),
                _ if string_start(rest).is_some() => (Kind::String, string_end(text, at)),
                '\'' => (Kind::Word, char_end(text, at)),
                _ => (Kind::Word, word_end(text, at)),
            };
            tokens.push(RonToken { kind, range: at..end });
            at = end;
        }
    }
    tokens
}

fn comment_end(text: &str, start: usize) -> usize {
    let mut depth = 0;
    let mut at = start;
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                break;
            }
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    at
}

/// For a string: the length of what stands before its contents (`"`, `r#"`, `b"`), and for a raw one what ends it.
fn string_start(rest: &str) -> Option<(usize, Option<String>)> {
    let body = rest.strip_prefix('b').unwrap_or(rest);
    let prefix = rest.len() - body.len();
    if body.starts_with('"') {
        return Some((prefix + 1, None));
    }
    let invariants = body.strip_prefix('r')?;
    let hashes = invariants.len() - invariants.trim_start_matches('#').len();
    invariants[hashes..]
        .starts_with('"')
        .then(|| (prefix + 1 + hashes + 1, Some(format!("\"{}", "#".repeat(hashes)))))
}

fn string_end(text: &str, start: usize) -> usize {
    let Some((prefix, raw)) = string_start(&text[start..]) else {
        return start;
    };
    let body = start + prefix;
    if let Some(close) = raw {
        return text[body..]
            .find(&close)
            .map_or(text.len(), |end| body + end + close.len());
    }
    let mut escaped = false;
    for (at, c) in text[body..].char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return body + at + 1,
            _ => {}
        }
    }
    text.len()
}

fn char_end(text: &str, start: usize) -> usize {
    let mut inner = text[start + 1..].char_indices();
    match inner.next() {
        Some((_, '\\')) => text[start + 2..].find('\'').map_or(start + 1, |end| start + 3 + end),
        Some(_) => match inner.next() {
            Some((end, '\'')) => start + 1 + end + 1,
            _ => start + 1,
        },
        None => start + 1,
    }
}

fn word_end(text: &str, start: usize) -> usize {
    let stops = |c: char| c.is_whitespace() || ",:()[]{}\"'".contains(c);
    let first = text[start..].chars().next().map_or(1, char::len_utf8);
    let mut end = start + first;
    end += text[end..].find(stops).unwrap_or(text.len() - end);
    // A comment ends a word, too.
    text[start..end]
        .find("//")
        .or(text[start..end].find("/*"))
        .map_or(end, |comment| (start + comment).max(start + first))
}

/// The index after the value that begins at this token.
fn value_end(tokens: &[RonToken], start: usize) -> usize {
    let kind = |k: usize| tokens.get(k).map(|token| token.kind);
    let mut at = start;
    if kind(at) == Some(Kind::Word) && kind(at + 1) == Some(Kind::Open) {
        at += 1;
    }
    if kind(at) != Some(Kind::Open) {
        return (start + 1).min(tokens.len());
    }
    let mut depth = 0;
    while at < tokens.len() {
        match tokens[at].kind {
            Kind::Open => depth += 1,
            Kind::Close => depth -= 1,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            break;
        }
    }
    at
}

/// From the value that begins at token `at` to the item meant by a step: the tokens of its key, if it has one, and of
/// its value.
fn descend(text: &str, tokens: &[RonToken], at: usize, step: &Step) -> Option<(Option<usize>, usize)> {
    let kind = |k: usize| tokens.get(k).map(|token| token.kind);
    let mut next = at;
    if kind(next) == Some(Kind::Word) && kind(next + 1) == Some(Kind::Open) {
        next += 1;
    }
    if kind(next) != Some(Kind::Open) {
        return None;
    }
    let round = text[tokens[next].range.clone()].starts_with('(');
    next += 1;
    let mut count = 0;
    while next < tokens.len() && kind(next) != Some(Kind::Close) {
        if matches!(kind(next), Some(Kind::Comma | Kind::Colon)) {
            next += 1;
            continue;
        }
        let key = Some(next).filter(|_| kind(next + 1) == Some(Kind::Colon));
        let value = if key.is_some() { next + 2 } else { next };
        let found = match step {
            Step::Index(index) => *index == count,
            // A path may spell Greek letters out that the text does not.
            Step::Key(name) => key.is_some_and(|key| {
                let found = contents(text, &tokens[key].range).0;
                found == *name || plain_name(&found) == *name
            }),
        };
        if found {
            return (value < tokens.len()).then_some((key, value));
        }
        let end = value_end(tokens, value);
        // A wrapper such as `Some(...)` or `Smooth((...))` is transparent.
        let alone = round && count == 0 && key.is_none() && kind(end) == Some(Kind::Close);
        if alone && matches!(step, Step::Key(_)) {
            return descend(text, tokens, value, step);
        }
        next = end.max(next + 1);
        count += 1;
    }
    None
}

/// The contents of a string token with escapes undone, and for every byte of them (and their end) where it comes from;
/// of another token, its text.
pub(crate) fn contents(text: &str, range: &Range<usize>) -> (String, Vec<usize>) {
    let token = &text[range.clone()];
    let Some((prefix, raw)) = string_start(token) else {
        return (token.to_owned(), (range.start..=range.end).collect());
    };
    let close = raw.as_deref().unwrap_or("\"");
    let end = range.end
        - if token[prefix..].ends_with(close) {
            close.len()
        } else {
            0
        };
    let mut found = String::new();
    let mut origins = Vec::new();
    let mut at = range.start + prefix;
    while at < end {
        let (c, length) = match &text[at..end] {
            escape if raw.is_none() && escape.starts_with('\\') => unescape(escape),
            plain => plain.chars().next().map_or((None, 1), |c| (Some(c), c.len_utf8())),
        };
        if let Some(c) = c {
            found.push(c);
            origins.resize(found.len(), at);
        }
        at += length;
    }
    origins.push(end);
    (found, origins)
}

/// The character that an escape means, and the length of the escape.
fn unescape(escape: &str) -> (Option<char>, usize) {
    let hexadecimal = |digits: &str| u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
    match escape[1..].chars().next() {
        Some('n') => (Some('\n'), 2),
        Some('r') => (Some('\r'), 2),
        Some('t') => (Some('\t'), 2),
        Some('0') => (Some('\0'), 2),
        Some('x') => (
            escape.get(2..4).and_then(hexadecimal),
            escape.char_indices().nth(4).map_or(escape.len(), |(end, _)| end),
        ),
        Some('u') => {
            let end = escape.find('}').map_or(escape.len(), |end| end + 1);
            (escape.get(3..end - 1).and_then(hexadecimal), end)
        }
        Some(c) => (Some(c), 1 + c.len_utf8()),
        None => (None, 1),
    }
}

/// The bytes of the text where bytes `within` the contents of a string token come from.
fn inside(text: &str, range: &Range<usize>, within: &Range<usize>) -> Range<usize> {
    let (_, origins) = contents(text, range);
    let at = |k: usize| origins[k.min(origins.len() - 1)];
    let (start, end) = (at(within.start), at(within.end));
    start..end.max(start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const STUDY: &str = r##"#![enable(implicit_some)]
// A comment with ( and "quotes".
Study(
    title: "A \"title\" (not a path)", /* free: "no" /* nested */ */
    curves: [
        Curve(name: "first", range: (0.3, 1.0), levels: {"Omega": [2, 3, 5]}),
        Curve(
            name: r#"raw "name""#,
            start: All(at: {"Omega": 2.0}), // free: 1
            free: 'x',
        ),
    ],
    pub(crate) system: Some(Hybrid(modes: {"slip+": Mode(equations: ["x' = y", "y' = \u{3be}*2x"])})),
)"##;

    fn at(path: &str) -> &str {
        &STUDY[locate(STUDY, path, None)]
    }

    #[test]
    fn values_are_found_by_keys_and_indices() {
        assert_eq!(at("title"), r#""A \"title\" (not a path)""#);
        assert_eq!(at("curves[0].name"), "\"first\"");
        assert_eq!(at("curves[0].range[1]"), "1.0");
        assert_eq!(at("curves[0].levels.Omega[2]"), "5");
        assert_eq!(at("curves[0].levels[0]"), "[2, 3, 5]");
        assert_eq!(at("curves[1].name"), "r#\"raw \"name\"\"#");
        assert_eq!(at("curves[1].start.at.\"Omega\""), "2.0");
        assert_eq!(at("curves[1].start"), "All(at: {\"Omega\": 2.0})");
        assert_eq!(at("curves[1].free"), "'x'");
        assert_eq!(at("system.modes.\"slip+\".equations[0]"), "\"x' = y\"");
    }

    #[test]
    fn keys_and_names_are_found_too() {
        assert_eq!(at("curves[0].levels.Omega#"), "\"Omega\"");
        assert_eq!(at("curves[1].free#"), "free");
        assert_eq!(at("curves[1].start()"), "All");
        assert_eq!(at("curves[0].levels[0]#"), "\"Omega\"");
        assert_eq!(&STUDY[locate(STUDY, "curves[0].levels.Omega#", Some(1..3))], "me");
    }

    #[test]
    fn what_is_missing_is_where_it_should_be() {
        assert_eq!(
            at("curves[0].step.initial"),
            "Curve(name: \"first\", range: (0.3, 1.0), levels: {\"Omega\": [2, 3, 5]})"
        );
        assert_eq!(at("curves[0].nothing#"), at("curves[0]"));
        assert_eq!(at("nothing"), "Study");
        assert_eq!(locate("", "curves", None), 0..0);
    }

    #[test]
    fn places_within_strings_see_through_escapes() {
        let path = "system.modes.\"slip+\".equations[1]";
        // y' = ξ*2x: the Greek letter has two bytes, and eight characters here.
        assert_eq!(&STUDY[locate(STUDY, path, Some(5..7))], r"\u{3be}");
        assert_eq!(&STUDY[locate(STUDY, path, Some(9..10))], "x");
        assert_eq!(&STUDY[locate(STUDY, path, Some(10..10))], "");
        assert_eq!(&STUDY[locate(STUDY, "title", Some(2..9))], r#"\"title\""#);
        assert_eq!(&STUDY[locate(STUDY, "curves[1].name", Some(4..10))], "\"name\"");
    }

    proptest! {
        #[test]
        fn no_text_and_no_path_makes_it_panic(
            words in prop::collection::vec(
                prop::sample::select(&[
                    "(", ")", "[", "]", "{", "}", ",", ":", "\"", "\\", "r#\"", "\"#", "'", "//", "/*", "*/", "\n", "a", "b", "1.5", "é", "#!",
                    "\\u{", "\\x", "curves", "name",
                ][..]),
                0..40,
            ),
            path in "[a-c\\[\\]0-1.\"#()é\\\\]{0,12}",
            from in 0..9usize,
            to in 0..9usize,
        ) {
            let text = words.concat();
            for within in [None, Some(from..to)] {
                prop_assert!(text.get(locate(&text, &path, within)).is_some());
            }
            prop_assert!(STUDY.get(locate(STUDY, &path, None)).is_some());
        }
    }
}
