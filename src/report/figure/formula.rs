//! Where a reference line stands: a number, or a formula of what stays the same along the curves drawn.

use super::scene::Ink;
use super::spec::Place;
use crate::column::Column;
use crate::table::Table;
use slipstick_system::text::{Expression, Scope, TextError};
use std::collections::BTreeMap;

/// One curve of a panel: its ink, and its parameters and other columns that have one value all along it.
#[derive(Clone, Debug, Default)]
pub(super) struct Constants {
    pub(super) ink: Option<Ink>,
    values: BTreeMap<String, f64>,
}

impl Constants {
    /// Of the rows of one curve.
    pub(super) fn of(rows: &Table, ink: Ink) -> Self {
        let one = |column: &Column| match column {
            Column::Number(values) => {
                let first = *values.first()?;
                (first.is_finite() && values.iter().all(|v| *v == first)).then_some(first)
            }
            _ => None,
        };
        Self {
            ink: Some(ink),
            values: rows
                .columns()
                .filter_map(|(name, column)| Some((name.to_owned(), one(column)?)))
                .collect(),
        }
    }
}

/// The value of a formula; `Err` says why it has none.
pub(super) fn evaluate(formula: &str, constants: &BTreeMap<String, f64>) -> Result<f64, TextError> {
    let expression = Expression::parse(formula)?;
    let mut scope = Scope::new();
    for name in expression.names() {
        // Named twice, or a function of the language: already there.
        if let Some(value) = constants.get(name) {
            let _ = scope.define(name, &format!("({value:e})"));
        }
    }
    scope.constant(&expression).map_err(|fault| fault.error)
}

/// Is this a formula of the known names? `Err` says why not.
pub(super) fn check(formula: &str, known: &[String]) -> Result<(), TextError> {
    let expression = Expression::parse(formula)?;
    let mut scope = Scope::new();
    for name in expression.names().filter(|name| known.iter().any(|k| k == name)) {
        // Named twice: already there.
        let _ = scope.parameter(name);
    }
    scope.compile(&[&expression]).map(|_| ()).map_err(|fault| fault.error)
}

/// The different places meant, each with the ink of its curve when there are several.
pub(super) fn places(at: &Place, curves: &[Constants]) -> Vec<(f64, Ink)> {
    let formula = match at {
        Place::Number(value) => return vec![(*value, Ink::Neutral)],
        Place::Formula(formula) => formula,
    };
    let none = [Constants::default()];
    let curves = if curves.is_empty() { &none } else { curves };
    let mut found: Vec<(f64, Ink)> = Vec::new();
    for curve in curves {
        if let Ok(value) = evaluate(formula, &curve.values)
            && !found
                .iter()
                .any(|(other, _)| (other - value).abs() <= 1e-12 * value.abs())
        {
            found.push((value, curve.ink.unwrap_or(Ink::Neutral)));
        }
    }
    if let [(_, ink)] = found.as_mut_slice() {
        *ink = Ink::Neutral;
    }
    found
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::Kind;

    fn curve(epsilon: f64) -> Constants {
        let mut rows = Table::new([
            ("epsilon", Kind::Number),
            ("delta", Kind::Number),
            ("Omega", Kind::Number),
        ]);
        for omega in [1.0, 2.0] {
            rows.push_row([epsilon.into(), 0.6.into(), omega.into()]).unwrap();
        }
        Constants::of(&rows, Ink::Series(7))
    }

    #[test]
    fn formulas_take_what_is_constant_along_a_curve() {
        let bound = Place::Formula("1/sqrt(epsilon*delta)".into());
        let [(at, ink)] = places(&bound, &[curve(1e-3), curve(1e-3)])[..] else {
            panic!()
        };
        assert!((at - 40.824_829_046_386_3).abs() < 1e-9);
        assert_eq!(ink, Ink::Neutral);
        let two = places(&bound, &[curve(1e-3), curve(1e-2)]);
        assert_eq!((two.len(), two[1].1), (2, Ink::Series(7)));
        // Ω varies along the curve.
        assert!(places(&Place::Formula("2*Omega".into()), &[curve(1e-3)]).is_empty());
        assert_eq!(
            places(&Place::Formula("pi/2".into()), &[]),
            [(std::f64::consts::FRAC_PI_2, Ink::Neutral)]
        );
        assert!(evaluate("1/", &BTreeMap::new()).is_err());
        let known = ["epsilon".to_owned()];
        assert!(check("1/(1 - epsilon/epsilon) + pi", &known).is_ok());
        assert!(check("delta*epsilon", &known).is_err_and(|why| why.to_string().contains("delta")));
    }
}
