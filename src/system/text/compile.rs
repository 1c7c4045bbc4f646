//! The maps that expressions become once their names are known.

use super::corners::Corners;
use super::error::{TextError, TextErrorKind};
use super::expression::Expression;
use super::graph::Source;
use super::lower::Lowering;
use super::schedule::schedule;
use super::scope::{Fault, Scope};
use super::tape::Tape;
use std::ops::Range;
use std::sync::Arc;

/// One inequality of a condition, as a map that is positive where it holds.
///
/// ```
/// use slipstick_system::Function;
/// use slipstick_system::text::{Expression, Scope};
/// let mut scope = Scope::new();
/// scope.state("x")?;
/// let margins = scope.margins(&Expression::parse("0 < x and x < 2")?).unwrap();
/// // At x = 1/2 the first holds by 1/2, the second by 3/2.
/// let values: Vec<f64> = margins.iter().map(|margin| {
///     let mut value = [0.0];
///     margin.tape.value(&[0.5], &[], &mut value);
///     value[0]
/// }).collect();
/// assert_eq!(values, [0.5, 1.5]);
/// # Ok::<(), slipstick_system::text::TextError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Margin {
    /// The text of the inequality.
    pub name: String,
    /// The map.
    pub tape: Tape,
    /// Does the inequality not hold where the map is zero?
    pub strict: bool,
}

impl Scope {
    /// Compile expressions into one map, from states and parameters to as many numbers. What they share is computed
    /// once.
    pub fn compile(&self, expressions: &[&Expression]) -> Result<Tape, Fault> {
        let mut lowering = Lowering::new(self);
        let outputs = lowering.numbers(expressions)?;
        Ok(schedule(&lowering.graph, &outputs))
    }

    /// As [`Scope::compile`]; the map knows its corners.
    ///
    /// # Errors
    /// As [`Scope::compile`].
    pub fn compile_piecewise(&self, expressions: &[&Expression]) -> Result<Tape, Fault> {
        let mut lowering = Lowering::new(self);
        let outputs = lowering.numbers(expressions)?;
        let mut tape = schedule(&lowering.graph, &outputs);
        let corners = Corners::of(lowering.graph, &outputs, |origin| {
            let text = match &origin.source {
                Source::Expression(k) => expressions.get(*k).map(|e| e.text()),
                Source::Definition(name) => {
                    let found = self.definitions.iter().find(|d| d.name == *name);
                    found.map(|d| d.body.text())
                }
            };
            let reported = text.and_then(|text| text.get(origin.span.clone()));
            reported.unwrap_or_default().to_owned()
        });
        tape.corners = corners.map(Arc::new);
        Ok(tape)
    }

    /// Compile a condition made of inequalities: `a < b`, chains of them, and their combinations by `and` (each
    /// becomes a [`Margin`] of its own), `or` and `not`.
    pub fn margins(&self, condition: &Expression) -> Result<Vec<Margin>, Fault> {
        let mut lowering = Lowering::new(self);
        let margins = lowering.margins(condition)?;
        let text = condition.text();
        Ok(margins
            .into_iter()
            .map(|(term, id)| Margin {
                name: text[condition.terms[term].1.clone()].trim().to_owned(),
                tape: schedule(&lowering.graph, &[id]),
                strict: condition.is_strict(term),
            })
            .collect())
    }

    /// The value of an expression in which no state or parameter enters.
    pub fn constant(&self, expression: &Expression) -> Result<f64, Fault> {
        let mut lowering = Lowering::new(self);
        let id = lowering.numbers(&[expression])?[0];
        let value = lowering.graph.known(id).ok_or(TextErrorKind::NotConstant);
        let value = value.and_then(|value| {
            if value.is_finite() {
                Ok(value)
            } else {
                Err(TextErrorKind::Number {
                    found: expression.text().to_owned(),
                })
            }
        });
        value.map_err(|kind| Fault {
            place: Source::Expression(0),
            error: TextError::new(kind, 0..expression.text().len()),
        })
    }

    /// Where in `expressions`, or in the definitions they use, a value first stops being finite at a point; `None` if
    /// all are finite.
    pub fn first_not_finite(
        &self,
        expressions: &[&Expression],
        x: &[f64],
        p: &[f64],
    ) -> Result<Option<(Source, Range<usize>)>, Fault> {
        let mut lowering = Lowering::new(self);
        let outputs = lowering.numbers(expressions)?;
        let found = lowering.graph.first_not_finite(&outputs, x, p);
        Ok(found.map(|id| {
            let origin = lowering.graph.origins[id].clone();
            (origin.source, origin.span)
        }))
    }
}
