//! A field that depends on the signs of switching functions, as a function of signs that may take any value between.

use crate::plan::declared::pattern::{Pattern, Side};
use slipstick_system::text::Symbolic;

/// A field with one component for each state.
pub(crate) struct SwitchedField {
    components: Vec<Component>,
    surfaces: usize,
}

/// One component, linear in every sign.
enum Component {
    /// A formula in which signs are called as [`sign`] says.
    Formula(Symbolic),
    /// Its values where all signs are ±1, by pattern; between them it is interpolated in every sign (Filippov's convex
    /// combination).
    Corners(Vec<(Pattern, Symbolic)>),
}

/// The name that stands for the sign of a surface in formulas; no name of a study looks like it.
pub(crate) fn sign(surface: usize) -> String {
    format!("#sign{surface}")
}

impl SwitchedField {
    /// A field of formulas in which signs are called as [`sign`] says.
    pub(crate) fn of_formulas(formulas: Vec<Symbolic>, surfaces: usize) -> Self {
        let component = |formula: Symbolic| {
            let is_linear = |i: usize| {
                let slope = formula.derivative(&sign(i), &|_| None);
                formula.enters_plainly(&sign(i)) && !slope.depends_on(&sign(i), &|_| None)
            };
            if (0..surfaces).all(is_linear) {
                return Component::Formula(formula);
            }
            let corners = Pattern::all(surfaces, 0).into_iter();
            Component::Corners(
                corners
                    .map(|pattern| {
                        let value = with_signs(&formula, &signs(&pattern));
                        (pattern, value.folded())
                    })
                    .collect(),
            )
        };
        Self {
            components: formulas.into_iter().map(component).collect(),
            surfaces,
        }
    }

    /// A field given by its values at all patterns.
    pub(crate) fn of_corners(fields: &[(Pattern, Vec<Symbolic>)], surfaces: usize) -> Self {
        let count = fields.first().map_or(0, |(_, field)| field.len());
        let component = |c: usize| {
            let values = fields
                .iter()
                .map(|(pattern, field)| (pattern.clone(), field[c].clone()));
            let values: Vec<(Pattern, Symbolic)> = values.collect();
            match values.split_first() {
                Some(((_, first), rest)) if rest.iter().all(|(_, other)| other == first) => {
                    Component::Formula(first.clone())
                }
                _ => Component::Corners(values),
            }
        };
        Self {
            components: (0..count).map(component).collect(),
            surfaces,
        }
    }

    /// Its components at these signs.
    pub(crate) fn at(&self, signs: &[Symbolic]) -> Vec<Symbolic> {
        self.components
            .iter()
            .map(|component| match component {
                Component::Formula(formula) => with_signs(formula, signs),
                Component::Corners(corners) => self.between(corners, signs, &mut vec![]),
            })
            .collect()
    }

    /// The interpolation of corners, the sides of the first surfaces being `chosen`.
    fn between(&self, corners: &[(Pattern, Symbolic)], signs: &[Symbolic], chosen: &mut Vec<Side>) -> Symbolic {
        let next = chosen.len();
        if next == self.surfaces {
            let value = corners.iter().find(|(pattern, _)| pattern.0 == *chosen);
            return value.map_or_else(|| Symbolic::number(0.0), |(_, value)| value.clone());
        }
        let mut on = |side: Side| {
            chosen.push(side);
            let value = self.between(corners, signs, chosen);
            chosen.pop();
            value
        };
        match signs[next].value() {
            Some(1.0) => on(Side::Plus),
            Some(-1.0) => on(Side::Minus),
            _ => {
                let (plus, minus) = (on(Side::Plus), on(Side::Minus));
                let half = |a: Symbolic| a / Symbolic::number(2.0);
                half(plus.clone() + minus.clone()) + half(plus - minus) * signs[next].clone()
            }
        }
    }
}

/// The signs of a pattern; those of surfaces on which the motion stays by their names.
pub(crate) fn signs(pattern: &Pattern) -> Vec<Symbolic> {
    let sides = pattern.0.iter().enumerate();
    sides
        .map(|(i, side)| match side {
            Side::On => Symbolic::name(&sign(i)),
            side => Symbolic::number(side.sign()),
        })
        .collect()
}

/// A formula with these values of the signs.
pub(crate) fn with_signs(formula: &Symbolic, signs: &[Symbolic]) -> Symbolic {
    formula.replaced(&|name, _| {
        let surface = (0..signs.len()).find(|i| sign(*i) == name)?;
        Some(signs[surface].clone())
    })
}
