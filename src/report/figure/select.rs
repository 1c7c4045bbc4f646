//! Which numbers a figure means: column expressions and choices of orbits.

use super::symbol::split_call;
use crate::RunData;
use crate::column::Column;
use crate::reference::reference_parts;
use crate::table::Table;
use slipstick_system::text::plain_name;
use std::fmt;

/// A column, perhaps wrapped in a function, perhaps with a `*` for any letters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Expression<'a> {
    pub(super) function: Option<&'a str>,
    pub(super) column: &'a str,
}

impl<'a> Expression<'a> {
    pub(super) fn parse(text: &'a str) -> Self {
        match split_call(text) {
            Some((function, column)) => Self {
                function: Some(function),
                column,
            },
            None => Self {
                function: None,
                column: text.trim(),
            },
        }
    }

    /// The expressions meant, one for each of the known columns that match.
    pub(super) fn expand<S: AsRef<str>>(&self, known: &[S]) -> Vec<String> {
        let matches = |name: &str| match self.column.split_once('*') {
            Some((head, tail)) => {
                name.len() >= head.len() + tail.len() && name.starts_with(head) && name.ends_with(tail)
            }
            None => name == self.column,
        };
        let wrapped = |name: &str| match self.function {
            Some(function) => format!("{function}({name})"),
            None => name.to_owned(),
        };
        known
            .iter()
            .map(AsRef::as_ref)
            .filter(|name| matches(name))
            .map(wrapped)
            .collect()
    }

    /// The numbers in a table; none if it has no such number column.
    pub(super) fn values(&self, table: &Table) -> Option<Vec<f64>> {
        let Some(Column::Number(numbers)) = table.get(self.column) else {
            return None;
        };
        Some(match self.function {
            Some("abs") => numbers.iter().map(|value| value.abs()).collect(),
            Some(_) => numbers.iter().map(|value| value.log10()).collect(),
            None => numbers.clone(),
        })
    }
}

/// The orbits of one curve: `stiff: LP, Omega=2, 17`, or `stiff, LP, Omega=2, 17`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct OrbitChoice {
    pub(super) curve: String,
    /// What to take; none means all.
    pub(super) items: Vec<OrbitItem>,
}

/// One way to name orbits of a curve.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum OrbitItem {
    /// By the label of the point.
    Label(String),
    /// By the value of a column.
    Level(String, f64),
    /// By the index of the point.
    Index(usize),
}

impl OrbitChoice {
    pub(super) fn parse(text: &str) -> Self {
        let parts = reference_parts(text);
        let item = |item: &str| {
            if let Some((column, value)) = item.split_once('=')
                && let Ok(value) = value.trim().parse()
            {
                return OrbitItem::Level(plain_name(column.trim()), value);
            }
            match item.parse() {
                Ok(index) => OrbitItem::Index(index),
                Err(_) => OrbitItem::Label(item.to_owned()),
            }
        };
        let items = parts[1..].iter().filter(|text| !text.is_empty());
        Self {
            curve: parts[0].to_owned(),
            items: items.map(|text| item(text)).collect(),
        }
    }

    /// The columns that levels refer to.
    pub(super) fn levels(&self) -> impl Iterator<Item = (&str, f64)> {
        self.items.iter().filter_map(|item| match item {
            OrbitItem::Level(column, value) => Some((column.as_str(), *value)),
            _ => None,
        })
    }

    /// The labels asked for.
    pub(super) fn labels(&self) -> impl Iterator<Item = &str> {
        self.items.iter().filter_map(|item| match item {
            OrbitItem::Label(label) => Some(label.as_str()),
            _ => None,
        })
    }

    /// The orbits of a run that are meant, in the order of the choice, each once.
    pub(super) fn find<'a>(&self, data: &'a RunData) -> Vec<ChosenOrbit<'a>> {
        let rows = rows_with_orbits(data, &self.curve);
        let all = [None];
        let wanted: Vec<Option<&OrbitItem>> = if self.items.is_empty() {
            all.to_vec()
        } else {
            self.items.iter().map(Some).collect()
        };
        let mut chosen: Vec<ChosenOrbit<'a>> = Vec::new();
        for item in wanted {
            for orbit in rows.iter().filter(|orbit| item.is_none_or(|item| orbit.is(item, data))) {
                if !chosen.iter().any(|other| other.index == orbit.index) {
                    let level = match item {
                        Some(OrbitItem::Level(column, value)) => Some((column.clone(), *value)),
                        _ => None,
                    };
                    chosen.push(ChosenOrbit { level, ..orbit.clone() });
                }
            }
        }
        chosen
    }
}

/// An orbit of a run and what is known of its point.
#[derive(Clone, Debug)]
pub(super) struct ChosenOrbit<'a> {
    pub(super) curve: String,
    pub(super) index: usize,
    pub(super) label: String,
    /// Row in `points`.
    pub(super) row: usize,
    /// The column and value by which it was chosen.
    pub(super) level: Option<(String, f64)>,
    pub(super) table: &'a Table,
}

/// Is a value of a column this level, to rounding?
pub(super) fn is_level(level: f64, value: f64) -> bool {
    (value - level).abs() <= 1e-9 * level.abs().max(1e-3)
}

/// An item as choices write it.
impl fmt::Display for OrbitItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Label(label) => f.write_str(label),
            Self::Level(column, value) => write!(f, "{column}={value}"),
            Self::Index(index) => write!(f, "{index}"),
        }
    }
}

impl ChosenOrbit<'_> {
    pub(super) fn is(&self, item: &OrbitItem, data: &RunData) -> bool {
        match item {
            OrbitItem::Label(label) => self.label == *label,
            OrbitItem::Index(index) => self.index == *index,
            OrbitItem::Level(column, value) => data
                .points
                .numbers(column)
                .is_ok_and(|numbers| is_level(*value, numbers[self.row])),
        }
    }
}

pub(super) fn rows_with_orbits<'a>(data: &'a RunData, curve: &str) -> Vec<ChosenOrbit<'a>> {
    let (Ok(curves), Ok(indices)) = (data.points.texts("curve"), data.points.numbers("index")) else {
        return Vec::new();
    };
    let labels = data.points.texts("label").ok();
    let orbit_of = |row: usize| {
        let index = indices[row] as usize;
        let table = data.orbits.get(&(curve.to_owned(), index))?;
        let label = labels.map_or_else(String::new, |labels| labels[row].clone());
        Some(ChosenOrbit {
            curve: curve.to_owned(),
            index,
            label,
            row,
            level: None,
            table,
        })
    };
    (0..data.points.rows())
        .filter(|&row| curves[row] == curve)
        .filter_map(orbit_of)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_and_functions_expand() {
        let known = ["Omega", "mult1_log10", "mult1_arg", "mult2_log10"];
        assert_eq!(
            Expression::parse("mult*_log10").expand(&known),
            ["mult1_log10", "mult2_log10"]
        );
        assert_eq!(Expression::parse("abs( Omega )").expand(&known), ["abs(Omega)"]);
        assert!(Expression::parse("omega").expand(&known).is_empty());
    }

    #[test]
    fn choices_read_like_captions() {
        let choice = OrbitChoice::parse("stiff: LP, Omega = 2, 17");
        let items = [
            OrbitItem::Label("LP".into()),
            OrbitItem::Level("Omega".into(), 2.0),
            OrbitItem::Index(17),
        ];
        assert_eq!(
            (choice.curve.as_str(), choice.items.as_slice()),
            ("stiff", items.as_slice())
        );
        assert_eq!(OrbitChoice::parse("stiff, LP, Omega = 2, 17"), choice);
        assert!(OrbitChoice::parse("stiff").items.is_empty());
    }
}
