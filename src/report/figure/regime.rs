//! What a cell of a chart shows: the kind of motion, its word, and how many periods of the forcing (of a map: iterates)
//! it takes.

use super::markup::{Atom, Face, Label, LabelError};
use super::plane::Name;
use super::scene::Hue;
use crate::table::Table;
use std::collections::BTreeMap;

/// A kind of motion that has a colour of its own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Regime {
    /// How many turns the orbit takes; other motions, and orbits of which it is not known, come last.
    pub(super) turns: u64,
    pub(super) kind: String,
    pub(super) word: String,
}

/// No number of turns.
const UNKNOWN: u64 = u64::MAX;

impl Regime {
    /// The regimes of all rows of a table.
    pub(super) fn of_rows(table: &Table) -> Vec<Self> {
        let (Ok(kinds), Ok(words)) = (table.texts("kind"), table.texts("word")) else {
            return vec![];
        };
        let turns = table.numbers("turns").ok();
        let turns = |row: usize| match turns.map(|turns| turns[row]) {
            Some(turns) if turns >= 1.0 => turns as u64,
            _ => UNKNOWN,
        };
        let regime = |row: usize| Self {
            turns: turns(row),
            kind: kinds[row].clone(),
            word: words[row].clone(),
        };
        (0..table.rows()).map(regime).collect()
    }

    pub(super) fn is_rest(&self) -> bool {
        self.kind == "rest"
    }

    pub(super) fn is_chaos(&self) -> bool {
        self.kind == "chaos"
    }

    /// Is each row that shows it an attractor of its own?
    pub(super) fn is_separate(&self) -> bool {
        self.is_rest() || self.kind == "orbit"
    }

    /// The colour of motions that are neither orbits nor states of rest.
    pub(super) fn hue(&self) -> Option<Hue> {
        match self.kind.as_str() {
            "orbit" | "rest" => None,
            "torus" => Some(Hue::Torus),
            "chaos" => Some(Hue::Chaos),
            "lost" => Some(Hue::Lost),
            _ => Some(Hue::Unsettled),
        }
    }

    /// The largest exponent of a row that says something about stability: of a periodic orbit of a flow the one along
    /// the flow is zero.
    pub(super) fn exponent(&self, exponents: &[&[f64]], row: usize) -> Option<f64> {
        let mut own = exponents
            .iter()
            .map(|column| column[row])
            .filter(|value| !value.is_nan());
        match self.kind.as_str() {
            "orbit" => own.find(|value| *value != 0.0),
            "rest" | "chaos" => own.next(),
            _ => None,
        }
    }

    /// What it is called, in plain letters.
    pub(super) fn plain(&self) -> String {
        self.parts().concat()
    }

    /// What the legend calls it; `labels` are the user's own by its word and by its name.
    pub(super) fn name(&self, labels: &BTreeMap<String, String>) -> Result<Name, LabelError> {
        let plain = self.plain();
        let own = labels
            .get(&plain)
            .or_else(|| labels.get(&self.word).filter(|_| !self.word.is_empty()));
        let label = match own {
            Some(own) => Label::parse(own)?,
            None => {
                let [before, power, after] = self.parts();
                let mut label = Label::plain(&before);
                if let Some(power) = power.strip_prefix('^') {
                    label.append(Label {
                        tex: format!("$^{{{power}}}$"),
                        atoms: vec![Atom::Scripts {
                            above: vec![Atom::Run(Face::Upright, power.to_owned())],
                            below: vec![],
                        }],
                    });
                }
                label.append(Label::plain(&after));
                label
            }
        };
        Ok(Name { plain, label })
    }

    /// The name before a power, the power, and the name after it.
    fn parts(&self) -> [String; 3] {
        let one = |text: &str| [text.to_owned(), String::new(), String::new()];
        let turns = || (self.turns != UNKNOWN).then(|| format!("period {}", self.turns));
        match self.kind.as_str() {
            "orbit" if self.word == "smooth" => one(&turns().unwrap_or_else(|| "periodic orbit".to_owned())),
            "orbit" if self.word.starts_with("cycle of ") => one(&turns().unwrap_or_else(|| self.word.clone())),
            "orbit" => {
                let (root, power) = root(&self.word);
                let more = turns().filter(|_| self.turns > 1 && self.turns != UNKNOWN && self.word != "fixed point");
                let after = more.map_or_else(String::new, |more| format!(", {more}"));
                if power > 1 {
                    [format!("({root})"), format!("^{power}"), after]
                } else {
                    [root, String::new(), after]
                }
            }
            "rest" if !self.word.is_empty() => one(&format!("rest in {}", self.word)),
            kind => one(kind),
        }
    }
}

/// A word as a power of a shorter one.
fn root(word: &str) -> (String, usize) {
    let letters: Vec<&str> = word.split(' ').collect();
    let n = letters.len();
    let repeats =
        |length: &usize| n.is_multiple_of(*length) && letters.iter().zip(&letters[*length..]).all(|(a, b)| a == b);
    let length = (1..=n).find(repeats).unwrap_or(n);
    (letters[..length].join(" "), n / length)
}

/// The columns of exponents, the largest first.
pub(super) fn exponents(table: &Table) -> Vec<&[f64]> {
    (1..)
        .map_while(|k| table.numbers(&format!("exponent{k}")).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_written_as_powers() {
        assert_eq!(root("flight impact flight impact"), ("flight impact".to_owned(), 2));
        assert_eq!(root("a b a"), ("a b a".to_owned(), 1));
        assert_eq!(root("stick stick stick"), ("stick".to_owned(), 3));
        let regime = |word: &str, turns| Regime {
            turns,
            kind: "orbit".into(),
            word: word.into(),
        };
        assert_eq!(
            regime("flight impact flight impact", 4).plain(),
            "(flight impact)^2, period 4"
        );
        assert_eq!(regime("flight impact", 1).plain(), "flight impact");
        assert_eq!(regime("smooth", 3).plain(), "period 3");
        assert_eq!(regime("cycle of 5 points", 5).plain(), "period 5");
        assert_eq!(regime("fixed point", 1).plain(), "fixed point");
        assert_eq!(regime("smooth", UNKNOWN).plain(), "periodic orbit");
    }
}
