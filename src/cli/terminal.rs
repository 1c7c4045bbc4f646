//! What a terminal makes of a text: lines wrapped at words, and colours. In files and pipes it stays as it is.

use anstyle::{AnsiColor, Style};
use slipstick_bifurcation::Label;
use std::io::{IsTerminal, Write};

/// Fewer columns than these are left to the terminal.
const NARROWEST: usize = 20;

const BAD: Style = AnsiColor::Red.on_default().bold();
const CAUTION: Style = AnsiColor::Yellow.on_default().bold();
const ADVICE: Style = AnsiColor::Cyan.on_default().bold();
const PLACE: Style = AnsiColor::Blue.on_default().bold();
const POINT: Style = AnsiColor::Magenta.on_default().bold();
const NAME: Style = Style::new().bold();

/// What a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// What was done and found: names stand in front of colons.
    Summary,
    /// What is to be said besides.
    Message,
}

/// What a stream can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Terminal {
    /// The columns of a terminal.
    pub(super) width: Option<usize>,
    colour: bool,
}

impl Terminal {
    pub(super) fn stdout() -> Self {
        let out = std::io::stdout();
        let size = out
            .is_terminal()
            .then(|| terminal_size::terminal_size_of(&out))
            .flatten();
        Self::of(size, anstream::AutoStream::choice(&out))
    }

    pub(super) fn stderr() -> Self {
        let err = std::io::stderr();
        let size = err
            .is_terminal()
            .then(|| terminal_size::terminal_size_of(&err))
            .flatten();
        Self::of(size, anstream::AutoStream::choice(&err))
    }

    fn of(size: Option<(terminal_size::Width, terminal_size::Height)>, choice: anstream::ColorChoice) -> Self {
        Self {
            width: size
                .map(|(width, _)| usize::from(width.0))
                .filter(|width| *width >= NARROWEST),
            colour: choice != anstream::ColorChoice::Never,
        }
    }

    /// A text as this terminal shows it.
    pub(super) fn set(self, text: &str, role: Role) -> String {
        let mut set = vec![];
        for line in text.split('\n') {
            let pieces = match self.width {
                Some(width) if !is_source(line) => wrapped(line, width),
                _ => vec![line.to_owned()],
            };
            for (k, piece) in pieces.into_iter().enumerate() {
                set.push(if self.colour && k == 0 {
                    coloured(&piece, role)
                } else {
                    piece
                });
            }
        }
        set.join("\n")
    }
}

/// Write to standard output; its error is for the caller to judge.
pub(super) fn write_out(bytes: &[u8]) -> std::io::Result<()> {
    // Escape codes reach terminals that know none as what they stand for.
    let mut out = anstream::AutoStream::new(std::io::stdout().lock(), choice(Terminal::stdout()));
    out.write_all(bytes)?;
    out.flush()
}

/// Write a line to standard error, if it takes one.
pub(super) fn write_err(text: &str) {
    let mut err = anstream::AutoStream::new(std::io::stderr().lock(), choice(Terminal::stderr()));
    let _ = writeln!(err, "{text}");
}

/// Texts are passed on as they are where nothing is coloured.
fn choice(terminal: Terminal) -> anstream::ColorChoice {
    if terminal.colour {
        anstream::ColorChoice::Always
    } else {
        anstream::ColorChoice::AlwaysAnsi
    }
}

/// Is this a line of a file, quoted under its number, or the place of one?
fn is_source(line: &str) -> bool {
    let rest = line
        .trim_start()
        .trim_start_matches(|c: char| c.is_ascii_digit())
        .trim_start();
    rest.starts_with('|') || rest.starts_with("-->")
}

/// A line in pieces that fit between the margins, broken at words. What follows stands under the last column of a row,
/// or a little to the right of where the line begins.
fn wrapped(line: &str, width: usize) -> Vec<String> {
    let letters: Vec<char> = line.chars().collect();
    if letters.len() <= width {
        return vec![line.to_owned()];
    }
    let begin = letters.iter().take_while(|c| **c == ' ').count();
    let last_column = (begin + 2..letters.len()).rev().find(|&k| {
        let before = letters[k - 1] == ' ' && letters[k - 2] == ' ';
        before && letters[k] != ' '
    });
    let indented = if 2 * (begin + 4) <= width { begin + 4 } else { 0 };
    let hanging = last_column.filter(|at| 3 * at <= 2 * width).unwrap_or(indented);
    let (mut pieces, mut at) = (vec![], 0);
    while at < letters.len() {
        let indent = if pieces.is_empty() { 0 } else { hanging };
        let room = width - indent;
        let end = if letters.len() - at <= room {
            letters.len()
        } else {
            let first = if pieces.is_empty() { begin } else { 0 };
            // A word that is longer than the room stays whole.
            let fitting = (at + first + 1..=at + room).rev().find(|&k| letters[k] == ' ');
            let beyond = || (at + room..letters.len()).find(|&k| letters[k] == ' ');
            fitting.or_else(beyond).unwrap_or(letters.len())
        };
        let piece: String = letters[at..end].iter().collect();
        pieces.push(format!("{}{}", " ".repeat(indent), piece.trim_end()));
        at = end;
        while at < letters.len() && letters[at] == ' ' {
            at += 1;
        }
    }
    pieces
}

/// A line with what matters of it in colours.
fn coloured(line: &str, role: Role) -> String {
    let begin = line.len() - line.trim_start().len();
    let (margin, rest) = line.split_at(begin);
    for (word, style) in [
        ("error", BAD),
        ("warning", CAUTION),
        ("help:", ADVICE),
        ("= help:", ADVICE),
    ] {
        if rest.starts_with(word) {
            let end = rest.find(':').map_or(word.len(), |at| at + 1);
            return format!("{margin}{style}{}{style:#}{}", &rest[..end], &rest[end..]);
        }
    }
    if is_source(line) {
        let (mark, length) = if rest.starts_with("-->") { ("-->", 3) } else { ("|", 1) };
        let end = line.find(mark).map_or(line.len(), |at| at + length);
        let (place, quoted) = line.split_at(end);
        let carets = !quoted.trim().is_empty() && quoted.trim().chars().all(|c| c == '^');
        let quoted = if carets {
            format!("{BAD}{quoted}{BAD:#}")
        } else {
            quoted.to_owned()
        };
        return format!("{PLACE}{place}{PLACE:#}{quoted}");
    }
    if begin == 0
        && role == Role::Summary
        && let Some((name, said)) = line.split_once(": ")
    {
        return format!("{NAME}{name}:{NAME:#} {said}");
    }
    // The label of a special point is the second word of its line.
    let mut words = rest.split(' ').filter(|word| !word.is_empty());
    if begin > 0
        && let (Some(first), Some(label)) = (words.next(), words.next())
        && first.contains('-')
        && Label::parse(label).is_some()
    {
        let at = begin + first.len() + rest[first.len()..].find(label).unwrap_or(0);
        let (before, after) = line.split_at(at);
        return format!("{before}{POINT}{label}{POINT:#}{}", &after[label.len()..]);
    }
    line.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PIPE: Terminal = Terminal {
        width: None,
        colour: false,
    };

    #[test]
    fn rows_go_on_under_their_last_column() {
        let row = "  stiff-0  VS  Omega = 1.35  the stick segment vanishes there";
        assert_eq!(
            wrapped(row, 48),
            [
                "  stiff-0  VS  Omega = 1.35  the stick segment",
                "                             vanishes there"
            ]
        );
    }

    #[test]
    fn errors_labels_and_names_have_colours_and_sources_stay_whole() {
        let terminal = Terminal {
            width: Some(30),
            colour: true,
        };
        let source = "12 |     free: \"Omga\", range: (1, 2), levels: {}";
        let text = format!("error: unknown\n{source}\n   |           ^^^^\nstiff: 7 points\n  stiff-0  VS  Omega = 1");
        let set = terminal.set(&text, Role::Summary);
        assert!(set.contains("\u{1b}[1m\u{1b}[31merror:"), "{set:?}");
        assert!(set.contains("free: \"Omga\", range: (1, 2), levels: {}"), "{set:?}");
        assert!(set.contains("\u{1b}[35mVS"), "{set:?}");
        assert!(set.contains("\u{1b}[1mstiff:"), "{set:?}");
        assert_eq!(anstream::adapter::strip_str(&set).to_string(), text);
        assert_eq!(PIPE.set(&text, Role::Summary), text);
    }

    proptest! {
        /// Wrapping loses no word, leaves words whole, and no line with room for its words is too wide.
        #[test]
        fn lines_wrap_at_words(
            words in prop::collection::vec(("[a-zμ=.]{1,18}", 1usize..4), 1..40),
            begin in 0usize..9,
            width in NARROWEST..120,
        ) {
            let mut line = " ".repeat(begin);
            for (word, blanks) in &words {
                line.push_str(word);
                line.extend(std::iter::repeat_n(' ', *blanks));
            }
            let line = line.trim_end();
            let pieces = wrapped(line, width);
            let again: Vec<&str> = pieces.iter().flat_map(|piece| piece.split_whitespace()).collect();
            prop_assert_eq!(again, line.split_whitespace().collect::<Vec<_>>());
            for piece in &pieces {
                let alone = piece.split_whitespace().count() == 1;
                prop_assert!(piece.chars().count() <= width || alone, "{:?}", pieces);
            }
        }

        /// Colours add codes and change no letter.
        #[test]
        fn colours_change_no_letter(line in "[ a-zA-Z|^>:=-]{0,60}") {
            prop_assert_eq!(anstream::adapter::strip_str(&coloured(&line, Role::Summary)).to_string(), line);
        }
    }
}
