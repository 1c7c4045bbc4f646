//! From column names to mathematical labels: `mu_s` → μₛ, `max_abs_x` → max |x|, `nu1_log10` → log₁₀|ν₁|.

use super::markup::{Atom, Face, Label, LabelError, is_function, symbol};
use std::collections::BTreeMap;

/// Columns whose names are words of the output contract.
const WORDS: [(&str, &str); 13] = [
    ("t", "$t$"),
    ("period", r"period $T$"),
    ("index", "point"),
    ("stick", "stick duration"),
    ("delay", "delay beyond the fold"),
    ("canard_time", "time on canard segments"),
    ("canard_distance", "distance from the repelling sheet"),
    ("canard_head", "canard with head"),
    ("margin", "margin of admissibility"),
    ("unstable", "number of unstable multipliers"),
    ("residual", "residual"),
    ("arclength", "arclength $s$"),
    ("energy", "energy"),
];

/// Endings that stand for an accent: `yhat` → ŷ, `xdot` → ẋ.
const ACCENTS: [&str; 4] = ["hat", "dot", "bar", "tilde"];

/// The label of a column expression; `labels` holds the user's own for some names.
///
/// # Errors
/// What is wrong with the user's label.
pub(super) fn column_label(column: &str, labels: &BTreeMap<String, String>) -> Result<Label, LabelError> {
    if let Some(text) = labels.get(column) {
        return Label::parse(text);
    }
    if let Some((function, inner)) = split_call(column) {
        let inner = column_label(inner, labels)?;
        let inner_tex = match inner.tex.strip_prefix('$').and_then(|tex| tex.strip_suffix('$')) {
            Some(mathematics) if !mathematics.contains('$') => mathematics.to_owned(),
            _ => format!(r"\text{{{}}}", inner.tex),
        };
        let around = if function == "abs" {
            ("|", "|")
        } else {
            (r"\log_{10}(", ")")
        };
        let mut label = Label::math(around.0)?;
        label.atoms.extend(inner.atoms);
        label.atoms.extend(Label::math(around.1)?.atoms);
        label.tex = format!("${}{}{}$", around.0, inner_tex, around.1);
        return Ok(label);
    }
    if let Some((_, words)) = WORDS.iter().find(|(name, _)| *name == column) {
        return Label::parse(words);
    }
    match source(column) {
        Some(source) => Label::math(&source),
        None => Ok(Label::plain(&column.replace('_', " "))),
    }
}

/// A column's label for a page of text: pieces of (text, italic, raised 1 or lowered -1); and whether the column holds
/// angles.
pub(crate) fn label_pieces(column: &str) -> (LabelPieces, bool) {
    let label = column_label(column, &BTreeMap::new()).unwrap_or_else(|_| Label::plain(column));
    (pieces(&label), is_angle(column))
}

/// Pieces of a label: text, italic, raised (1) or lowered (-1).
pub(crate) type LabelPieces = Vec<(String, bool, i8)>;

/// A label for a page of text, in the same pieces.
pub(super) fn pieces(label: &Label) -> LabelPieces {
    fn collect(atoms: &[Atom], level: i8, pieces: &mut Vec<(String, bool, i8)>) {
        for atom in atoms {
            match atom {
                Atom::Run(face, text) => pieces.push((text.clone(), *face == Face::Italic, level)),
                Atom::Scripts { above, below } => {
                    collect(above, 1, pieces);
                    collect(below, -1, pieces);
                }
                Atom::Accent(accent, over) => {
                    collect(over, level, pieces);
                    if let Some((text, _, _)) = pieces.last_mut() {
                        text.push(combining(*accent));
                    }
                }
                Atom::Space(_) => pieces.push(("\u{2009}".to_owned(), false, level)),
            }
        }
    }
    let mut pieces = Vec::new();
    collect(&label.atoms, 0, &mut pieces);
    pieces
}

/// The combining form of an accent.
fn combining(accent: char) -> char {
    match accent {
        'ˆ' => '\u{302}',
        '˙' => '\u{307}',
        '¨' => '\u{308}',
        '¯' => '\u{304}',
        _ => '\u{303}',
    }
}

/// Whether a column holds angles in (-π, π], by its name.
pub(super) fn is_angle(column: &str) -> bool {
    let stem = column.trim_end_matches(|c: char| c.is_ascii_digit());
    matches!(stem, "theta" | "psi") || column.ends_with("_arg")
}

/// `abs(x)` → (`abs`, `x`): the functions that may wrap a column.
pub(super) fn split_call(column: &str) -> Option<(&str, &str)> {
    let (function, rest) = column.split_once('(')?;
    let inner = rest.strip_suffix(')')?;
    matches!(function, "abs" | "log10").then_some((function, inner.trim()))
}

/// A column name as mathematics, if it is a symbol rather than a word.
pub(super) fn source(column: &str) -> Option<String> {
    if let Some(of) = column.strip_suffix("_log10") {
        return Some(format!(r"\log_{{10}}|{}|", source(of)?));
    }
    if let Some(of) = column.strip_suffix("_arg") {
        return Some(format!(r"\arg {}", source(of)?));
    }
    if let Some(of) = column.strip_prefix("max_abs_") {
        return Some(format!(r"\max|{}|", source(of)?));
    }
    for function in ["max", "min"] {
        if let Some(of) = column.strip_prefix(function).and_then(|rest| rest.strip_prefix('_')) {
            return Some(format!(r"\{function} {}", source(of)?));
        }
    }
    // A Lyapunov exponent.
    let exponent = column.strip_prefix("exponent");
    if let Some(of) = exponent.filter(|of| of.chars().all(|c| c.is_ascii_digit())) {
        return Some(format!(r"\lambda_{{{of}}}"));
    }
    if let Some(of) = column.strip_prefix("abs_") {
        return Some(format!("|{}|", source(of)?));
    }
    let (stem, script) = column
        .split_once('_')
        .map_or((column, None), |(stem, script)| (stem, Some(script)));
    let digits = stem.trim_start_matches(|c: char| !c.is_ascii_digit());
    let letters = &stem[..stem.len() - digits.len()];
    if !digits.chars().all(|c| c.is_ascii_digit()) {
        return None;
    }
    let letters = if letters == "mult" { "mu" } else { letters };
    let base = letter(letters)?;
    let below: Vec<String> = [digits]
        .into_iter()
        .filter(|digits| !digits.is_empty())
        .map(str::to_owned)
        .chain(script.map(script_source))
        .collect();
    Some(if below.is_empty() {
        base
    } else {
        format!("{base}_{{{}}}", below.join(","))
    })
}

/// One letter, Greek or Latin, with the accent its name ends in.
fn letter(name: &str) -> Option<String> {
    let mut letters = name.chars();
    let first = letters.next()?;
    if letters.next().is_none() && first.is_alphabetic() {
        return Some(name.to_owned());
    }
    if symbol(name).is_some_and(|sign| sign.chars().all(char::is_alphabetic)) {
        return Some(format!(r"\{name}"));
    }
    ACCENTS
        .iter()
        .find_map(|accent| Some(format!(r"\{accent}{{{}}}", letter(name.strip_suffix(accent)?)?)))
}

/// What stands below a letter: symbols as such, words upright, parts separated by commas.
fn script_source(script: &str) -> String {
    let part = |part: &str| match letter(part) {
        Some(symbol) => symbol,
        None if is_function(part) || part.chars().all(|c| c.is_ascii_digit()) => part.to_owned(),
        None => format!(r"\mathrm{{{part}}}"),
    };
    script.split('_').map(part).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn names_become_symbols() {
        let cases = [
            ("Omega", r"\Omega"),
            ("mu_s", r"\mu_{s}"),
            ("theta0", r"\theta_{0}"),
            ("max_abs_x", r"\max|x|"),
            ("epsilon", r"\epsilon"),
            ("nu1_log10", r"\log_{10}|\nu_{1}|"),
            ("mult2_arg", r"\arg \mu_{2}"),
            ("yhat", r"\hat{y}"),
            ("x_max", r"x_{max}"),
            ("xdot1", r"\dot{x}_{1}"),
            ("k_lin", r"k_{\mathrm{lin}}"),
            ("max_theta", r"\max \theta"),
            ("x1", "x_{1}"),
        ];
        for (name, wanted) in cases {
            assert_eq!(source(name).unwrap(), wanted);
            Label::math(wanted).unwrap();
        }
        assert_eq!(source("amplitude"), None);
        assert_eq!(source("stick_2"), None);
    }

    #[test]
    fn words_wrapped_columns_and_overrides() {
        let none = BTreeMap::new();
        assert_eq!(column_label("dead_zone", &none).unwrap().tex, "dead zone");
        assert_eq!(column_label("abs(x_min)", &none).unwrap().tex, r"$|x_{\mathrm{min}}|$");
        assert_eq!(
            column_label("log10(margin)", &none).unwrap().tex,
            r"$\log_{10}(\text{margin of admissibility})$"
        );
        let own = BTreeMap::from([("Omega".to_owned(), r"ratio $\omega/\omega_0$".to_owned())]);
        assert_eq!(column_label("Omega", &own).unwrap().tex, r"ratio $\omega/\omega_0$");
    }
}
