//! What is wrong with a study, shown: the file, the line, what it concerns, and a way out.

use crate::text::locate::locate;
use crate::text::syntax::read;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use ron::Options;
use serde::de::DeserializeOwned;
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

    /// What a text in RON holds.
    ///
    /// # Errors
    /// A text that is no RON, or no study: what the reader of RON objects to, in the words of studies.
    pub fn read<T: DeserializeOwned>(options: &Options, text: &str) -> Result<T, Self> {
        read(options, text).map_err(|(message, span, help)| Self {
            severity: Severity::Error,
            message,
            span,
            help,
        })
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
        let fault = Diagnostic::read::<Study>(&options, text).unwrap_err();
        fault.render("study.ron", text, false)
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
            rendered("Study(title: \"a\", system: Smooth(states: [\"x\"], equations: {\"x\": \"1\"}))"),
            rendered("Study(title: \"a\", system: Smooth(states: [\"x\"], equations: [], parameters: [\"a\"]))"),
            rendered("Study(title: \"a\", system: Stiction)"),
            curve("name: \"stiff\", range: (1.0, 15.0), wey: Up"),
            curve("name: \"θ\", range: (1.0, 15.0), way: Upp"),
            curve("name: \"stiff\", range: (1.0, 15.0)"),
            curve("name: \"stiff\", range: (1.0, 15.0), name: \"b\", way: Up"),
            curve("name: \"stiff\", range: (1.0,), way: Up"),
            curve("name: stiff, range: (1.0, 2.0), way: Up"),
            curve("name: \"stiff\", range: (1.0, 2.0), way: \"Up\""),
            curve("name: \"stiff\", range: (1.0, 2.0), way: \"up\""),
            curve("\"stiff\", range: (1.0, 2.0), way: Up"),
            curve("\"name\": \"stiff\", range: (1.0, 2.0), way: Up"),
            curve("stiff, range: (1.0, 2.0), way: Up"),
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
    error: expected a list `[...]`
     --> study.ron:1:60
      |
    1 | Study(title: "a", system: Smooth(states: ["x"], equations: {"x": "1"}))
      |                                                            ^
      |
      = help: one text for each state: `equations: ["x' = ...", ...]`
    error: expected a map `{"name": ..., ...}`
     --> study.ron:1:76
      |
    1 | Study(title: "a", system: Smooth(states: ["x"], equations: [], parameters: ["a"]))
      |                                                                            ^
      |
      = help: each name with its value: `parameters: {"name": 1, ...}`
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
      |
      = help: write `"stiff"`
    error: expected a word, found a text in quotation marks
     --> study.ron:5:54
      |
    5 |         Curve(name: "stiff", range: (1.0, 2.0), way: "Up"),
      |                                                      ^^^^
      |
      = help: write it without quotation marks: `Up`
    error: expected a word, found a text in quotation marks
     --> study.ron:5:54
      |
    5 |         Curve(name: "stiff", range: (1.0, 2.0), way: "up"),
      |                                                      ^^^^
      |
      = help: without quotation marks one of these: `Up`, `Down`
    error: expected a key, found a text in quotation marks
     --> study.ron:5:15
      |
    5 |         Curve("stiff", range: (1.0, 2.0), way: Up),
      |               ^^^^^^^
      |
      = help: values have keys before them: `key: value`
    error: expected a key, found a text in quotation marks
     --> study.ron:5:15
      |
    5 |         Curve("name": "stiff", range: (1.0, 2.0), way: Up),
      |               ^^^^^^
      |
      = help: keys stand without quotation marks
    error: unknown key `stiff` in `Curve`
     --> study.ron:5:15
      |
    5 |         Curve(stiff, range: (1.0, 2.0), way: Up),
      |               ^^^^^
      |
      = help: values have keys before them: `key: value`
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
