//! From terms to the graph: names are given their meaning, definitions are put in, numbers and conditions are kept
//! apart.

use super::elsewhere::written_here;
use super::error::{TextError, TextErrorKind};
use super::expression::{Expression, Term};
use super::graph::{Graph, Id, Origin, Source};
use super::names::nearest;
use super::operation::{Binary, Builtin, CONSTANTS, FUNCTIONS, Unary, builtin, constant};
use super::scope::{Fault, Meaning, Scope};
use std::collections::HashMap;
use std::ops::Range;

/// How many operations expressions may have, definitions put in, and how many more for each of them.
const LENGTH: usize = 100_000;
const LENGTH_EACH: usize = 200;
/// How deep definitions may use one another.
const DEPTH: usize = 64;

/// What a term computes.
#[derive(Clone, Copy, Debug)]
enum Value {
    Number(Id),
    /// A truth; and, if it is made of inequalities, a number that is positive where it holds.
    Truth(Id, Option<Id>),
}

/// One computation being put together.
pub(super) struct Lowering<'a> {
    scope: &'a Scope,
    pub(super) graph: Graph,
    /// The definitions without arguments that are already there.
    ready: HashMap<usize, Value>,
    /// The definitions being put in.
    active: Vec<usize>,
    source: Source,
    length: usize,
    limit: usize,
}

impl<'a> Lowering<'a> {
    pub(super) fn new(scope: &'a Scope) -> Self {
        Self {
            scope,
            graph: Graph::new(scope.clock),
            ready: HashMap::new(),
            active: Vec::new(),
            source: Source::Expression(0),
            length: 0,
            limit: LENGTH,
        }
    }

    /// Put in expressions that are numbers.
    pub(super) fn numbers(&mut self, expressions: &[&Expression]) -> Result<Vec<Id>, Fault> {
        self.limit = LENGTH + LENGTH_EACH * expressions.len();
        let mut ids = Vec::with_capacity(expressions.len());
        for (k, expression) in expressions.iter().enumerate() {
            self.source = Source::Expression(k);
            let value = self.expression(expression, &[])?;
            ids.push(self.number(value, &expression.terms[expression.root()].1)?);
        }
        Ok(ids)
    }

    /// Put in a condition; for each inequality that must hold, its place and a number positive where it holds.
    pub(super) fn margins(&mut self, condition: &Expression) -> Result<Vec<(usize, Id)>, Fault> {
        let values = self.terms(condition, &[])?;
        let mut open = vec![condition.root()];
        let mut margins = Vec::new();
        while let Some(k) = open.pop() {
            let (term, span) = &condition.terms[k];
            if let Term::Binary(Binary::And, left, right) = term {
                open.extend([*right, *left]);
                continue;
            }
            match values[k] {
                Value::Truth(_, Some(margin)) => margins.push((k, margin)),
                Value::Truth(_, None) => return self.fault(TextErrorKind::NotAnInequality, span),
                Value::Number(_) => return self.fault(TextErrorKind::NotACondition, span),
            }
        }
        Ok(margins)
    }

    fn fault<T>(&self, kind: TextErrorKind, span: &Range<usize>) -> Result<T, Fault> {
        Err(Fault {
            place: self.source.clone(),
            error: TextError::new(kind, span.clone()),
        })
    }

    fn number(&self, value: Value, span: &Range<usize>) -> Result<Id, Fault> {
        match value {
            Value::Number(id) => Ok(id),
            Value::Truth(..) => self.fault(TextErrorKind::NotANumber, span),
        }
    }

    fn truth(&self, value: Value, span: &Range<usize>) -> Result<(Id, Option<Id>), Fault> {
        match value {
            Value::Truth(id, margin) => Ok((id, margin)),
            Value::Number(_) => self.fault(TextErrorKind::NotACondition, span),
        }
    }

    fn expression(&mut self, expression: &Expression, arguments: &[(String, Value)]) -> Result<Value, Fault> {
        let values = self.terms(expression, arguments)?;
        Ok(values[expression.root()])
    }

    /// The values of all terms of an expression.
    fn terms(&mut self, expression: &Expression, arguments: &[(String, Value)]) -> Result<Vec<Value>, Fault> {
        let mut values: Vec<Value> = Vec::with_capacity(expression.terms.len());
        for (term, span) in &expression.terms {
            self.length += 1;
            if self.length > self.limit {
                return self.fault(TextErrorKind::TooLong { limit: self.limit }, span);
            }
            self.graph.origin = Origin {
                source: self.source.clone(),
                span: span.clone(),
            };
            let of = |k: &usize| (values[*k], &expression.terms[*k].1);
            let value = match term {
                Term::Number(value) => Value::Number(self.graph.constant(*value)),
                Term::Name(name) => self.name(name, span, arguments)?,
                Term::Unary(Unary::Not, a) => {
                    let (a, a_span) = of(a);
                    let (holds, margin) = self.truth(a, a_span)?;
                    let margin = margin.map(|m| self.graph.unary(Unary::Negate, m));
                    Value::Truth(self.graph.unary(Unary::Not, holds), margin)
                }
                Term::Unary(operation, a) => {
                    let (a, a_span) = of(a);
                    let a = self.number(a, a_span)?;
                    Value::Number(self.graph.unary(*operation, a))
                }
                Term::Binary(operation @ (Binary::And | Binary::Or), a, b) => {
                    let ((a, a_span), (b, b_span)) = (of(a), of(b));
                    let (a, a_margin) = self.truth(a, a_span)?;
                    let (b, b_margin) = self.truth(b, b_span)?;
                    let least = if *operation == Binary::And {
                        Binary::Min
                    } else {
                        Binary::Max
                    };
                    let margin = a_margin.zip(b_margin).map(|(a, b)| self.graph.binary(least, a, b));
                    Value::Truth(self.graph.binary(*operation, a, b), margin)
                }
                Term::Binary(operation, a, b) => {
                    let ((a, a_span), (b, b_span)) = (of(a), of(b));
                    let (a, b) = (self.number(a, a_span)?, self.number(b, b_span)?);
                    self.binary(*operation, a, b, b_span)?
                }
                Term::Call { name, arguments: given } => {
                    let given: Vec<_> = given
                        .iter()
                        .map(|k| (values[*k], expression.terms[*k].1.clone()))
                        .collect();
                    self.call(name, &given, span)?
                }
            };
            values.push(value);
        }
        Ok(values)
    }

    fn binary(&mut self, operation: Binary, a: Id, b: Id, b_span: &Range<usize>) -> Result<Value, Fault> {
        let by_zero = self.graph.known(b) == Some(0.0);
        let id = match operation {
            Binary::Divide | Binary::Mod if by_zero => return self.fault(TextErrorKind::DivisionByZero, b_span),
            Binary::Power => self.power(a, b),
            Binary::Less | Binary::LessEqual => {
                let margin = self.graph.binary(Binary::Subtract, b, a);
                return Ok(Value::Truth(self.graph.binary(operation, a, b), Some(margin)));
            }
            Binary::Equal => return Ok(Value::Truth(self.graph.binary(operation, a, b), None)),
            _ => self.graph.binary(operation, a, b),
        };
        Ok(Value::Number(id))
    }

    fn power(&mut self, base: Id, exponent: Id) -> Id {
        match (self.graph.known(base), self.graph.known(exponent)) {
            (_, Some(0.5)) => self.graph.unary(Unary::Sqrt, base),
            (_, Some(n)) if n.fract() == 0.0 && n.abs() <= 1024.0 => self.graph.powi(base, n as i32),
            (Some(std::f64::consts::E), _) => self.graph.unary(Unary::Exp, exponent),
            _ => self.graph.binary(Binary::Power, base, exponent),
        }
    }

    fn name(&mut self, name: &str, span: &Range<usize>, arguments: &[(String, Value)]) -> Result<Value, Fault> {
        if let Some((_, value)) = arguments.iter().find(|(argument, _)| argument == name) {
            return Ok(*value);
        }
        match self.scope.meaning(name) {
            Some(Meaning::State(i)) => Ok(Value::Number(self.graph.state(*i))),
            Some(Meaning::Parameter(i)) => Ok(Value::Number(self.graph.parameter(*i))),
            Some(Meaning::Definition(d)) if self.scope.definitions[*d].arguments.is_empty() => {
                if let Some(value) = self.ready.get(d) {
                    return Ok(*value);
                }
                let value = self.definition(*d, vec![], span)?;
                self.ready.insert(*d, value);
                Ok(value)
            }
            Some(Meaning::Definition(_)) => self.fault(TextErrorKind::WithoutArguments { name: name.into() }, span),
            Some(Meaning::Unavailable(why)) => self.fault(
                TextErrorKind::Unavailable {
                    name: name.into(),
                    why: why.clone(),
                },
                span,
            ),
            None => {
                if let Some(value) = constant(name) {
                    return Ok(Value::Number(self.graph.constant(value)));
                }
                if builtin(name).is_some() {
                    return self.fault(TextErrorKind::WithoutArguments { name: name.into() }, span);
                }
                let local = arguments.iter().map(|(argument, _)| argument.as_str());
                let known: Vec<&str> = local.chain(self.scope.valued_names()).collect();
                let language = CONSTANTS
                    .iter()
                    .map(|(n, _)| *n)
                    .chain(FUNCTIONS.iter().map(|(n, _)| *n));
                self.fault(
                    TextErrorKind::UnknownName {
                        name: name.into(),
                        nearest: nearest(name, known.iter().copied().chain(language)).map(str::to_owned),
                        known: known.into_iter().map(str::to_owned).collect(),
                    },
                    span,
                )
            }
        }
    }

    /// Put in the body of a definition.
    fn definition(&mut self, d: usize, given: Vec<(String, Value)>, span: &Range<usize>) -> Result<Value, Fault> {
        let definition = &self.scope.definitions[d];
        if let Some(first) = self.active.iter().position(|active| *active == d) {
            let way = self.active[first..].iter().chain([&d]);
            let cycle: Vec<&str> = way.map(|d| self.scope.definitions[*d].name.as_str()).collect();
            let kind = TextErrorKind::Circular {
                name: definition.name.clone(),
                cycle: cycle.join(" -> "),
            };
            return self.fault(kind, span);
        }
        if self.active.len() == DEPTH {
            return self.fault(TextErrorKind::TooDeep { limit: DEPTH }, span);
        }
        self.active.push(d);
        let caller = std::mem::replace(&mut self.source, Source::Definition(definition.name.clone()));
        let value = self.expression(&definition.body, &given)?;
        self.source = caller;
        self.active.pop();
        Ok(value)
    }

    fn call(&mut self, name: &str, given: &[(Value, Range<usize>)], span: &Range<usize>) -> Result<Value, Fault> {
        let what = match self.scope.meaning(name) {
            Some(Meaning::Definition(d)) if !self.scope.definitions[*d].arguments.is_empty() => {
                let names = &self.scope.definitions[*d].arguments;
                if names.len() != given.len() {
                    let expected = format!("{} argument{}", names.len(), if names.len() == 1 { "" } else { "s" });
                    return self.arity(name, expected, given.len(), span);
                }
                let local = names
                    .iter()
                    .cloned()
                    .zip(given.iter().map(|(value, _)| *value))
                    .collect();
                return self.definition(*d, local, span);
            }
            Some(Meaning::State(_)) => "a state",
            Some(Meaning::Parameter(_)) => "a parameter",
            Some(Meaning::Definition(_)) => "a definition without arguments",
            Some(Meaning::Unavailable(_)) => "a name without a value here",
            None if constant(name).is_some() => "a constant",
            None => return self.function(name, given, span),
        };
        let kind = TextErrorKind::NotAFunction {
            name: name.into(),
            what,
        };
        self.fault(kind, span)
    }

    fn arity<T>(&self, name: &str, expected: String, found: usize, span: &Range<usize>) -> Result<T, Fault> {
        let kind = TextErrorKind::Arity {
            name: name.into(),
            expected,
            found,
        };
        self.fault(kind, span)
    }

    /// A function of the language.
    fn function(&mut self, name: &str, given: &[(Value, Range<usize>)], span: &Range<usize>) -> Result<Value, Fault> {
        let Some(function) = builtin(name) else {
            let definitions = self.scope.definitions.iter().filter(|d| !d.arguments.is_empty());
            let own: Vec<&str> = definitions.map(|d| d.name.as_str()).collect();
            let near_own = nearest(name, own.iter().copied());
            let known: Vec<&str> = own.into_iter().chain(FUNCTIONS.iter().map(|(n, _)| *n)).collect();
            let near = match written_here(name) {
                Some(_) => near_own,
                None => nearest(name, known.iter().copied()),
            };
            let kind = TextErrorKind::UnknownFunction {
                name: name.into(),
                nearest: near.map(str::to_owned),
                known: known.into_iter().map(str::to_owned).collect(),
            };
            return self.fault(kind, span);
        };
        if let Some(expected) = function.wrong_arity(given.len()) {
            return self.arity(name, expected.to_owned(), given.len(), span);
        }
        let number = |k: usize| self.number(given[k].0, &given[k].1);
        match function {
            Builtin::Unary(operation) => {
                let a = number(0)?;
                Ok(Value::Number(self.graph.unary(operation, a)))
            }
            Builtin::Binary(operation) => {
                let (a, b) = (number(0)?, number(1)?);
                self.binary(operation, a, b, &given[1].1)
            }
            Builtin::Fold(operation) => {
                let mut all = number(0)?;
                for (value, span) in &given[1..] {
                    let next = self.number(*value, span)?;
                    all = self.graph.binary(operation, all, next);
                }
                Ok(Value::Number(all))
            }
            Builtin::If | Builtin::Piecewise => {
                let (pairs, last) = given.split_at(given.len() - 1);
                let mut value = self.number(last[0].0, &last[0].1)?;
                for pair in pairs.chunks_exact(2).rev() {
                    let (condition, _) = self.truth(pair[0].0, &pair[0].1)?;
                    let yes = self.number(pair[1].0, &pair[1].1)?;
                    value = self.graph.select(condition, yes, value);
                }
                Ok(Value::Number(value))
            }
        }
    }
}
