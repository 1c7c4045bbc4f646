//! Formulas that a sign enters through conditions and steps, as `if(sgn(h) > 0, a, b)`, rather than as a factor.

use super::operation::{Binary, Builtin, Unary, builtin};
use super::symbolic::{Infix, Node, Symbolic, combined};
use std::sync::Arc;

impl Symbolic {
    /// The same with `side(b - a)` compared with zero in the place of `a` with `b`, where `side` has something.
    ///
    /// ```
    /// use slipstick_system::text::Symbolic;
    /// let level = Symbolic::parse("if(v > v0 and x > 0, mp, mm)")?;
    /// let slip = Symbolic::parse("v - v0")?;
    /// let sided = level.with_comparisons(&|of| (*of == slip).then(|| Symbolic::name("u")));
    /// assert_eq!(sided.to_string(), "if(0 < u and 0 < x, mp, mm)");
    /// # Ok::<(), slipstick_system::text::TextError>(())
    /// ```
    #[must_use]
    pub fn with_comparisons(&self, side: &dyn Fn(&Self) -> Option<Self>) -> Self {
        let inner = |a: &Self| a.with_comparisons(side);
        match &*self.0 {
            Node::Number(_) | Node::Name(_) => self.clone(),
            Node::Negate(a) => -inner(a),
            Node::Not(a) => Self(Arc::new(Node::Not(inner(a)))),
            Node::Binary(operation @ (Infix::Less | Infix::LessEqual | Infix::Equal), a, b) => {
                match side(&(b.clone() - a.clone())) {
                    Some(side) => combined(*operation, Self::number(0.0), side),
                    None => combined(*operation, inner(a), inner(b)),
                }
            }
            Node::Binary(operation, a, b) => combined(*operation, inner(a), inner(b)),
            Node::Call(name, arguments) => Self::call(name, arguments.iter().map(inner).collect()),
        }
    }

    /// Does a name enter by sums, products and the pieces of `if` and `piecewise` alone? What it enters by a condition
    /// or by another function may jump with it, although its derivative is zero.
    #[must_use]
    pub fn enters_plainly(&self, name: &str) -> bool {
        let plainly = |a: &Self| a.enters_plainly(name);
        match &*self.0 {
            Node::Number(_) | Node::Name(_) => true,
            Node::Negate(a) => plainly(a),
            Node::Binary(Infix::Add | Infix::Subtract | Infix::Multiply | Infix::Divide | Infix::Power, a, b) => {
                plainly(a) && plainly(b)
            }
            Node::Call(own, arguments) if matches!(own.as_str(), "if" | "piecewise") => {
                let last = arguments.len().saturating_sub(1);
                let mut all = arguments.iter().enumerate();
                all.all(|(i, a)| {
                    if i % 2 == 1 || i == last {
                        plainly(a)
                    } else {
                        !a.mentions(name)
                    }
                })
            }
            Node::Not(_) | Node::Binary(..) | Node::Call(..) => !self.mentions(name),
        }
    }

    /// The same with what numbers alone decide carried out: functions of them, and conditions with their branches.
    ///
    /// ```
    /// use slipstick_system::text::Symbolic;
    /// let force = Symbolic::parse("if(0 < -floor(1.5) and x > 0, mp, mm*max(0, 2))")?;
    /// assert_eq!(force.folded().to_string(), "2*mm");
    /// # Ok::<(), slipstick_system::text::TextError>(())
    /// ```
    #[must_use]
    pub fn folded(&self) -> Self {
        match &*self.0 {
            Node::Number(_) | Node::Name(_) => self.clone(),
            Node::Negate(a) => -a.folded(),
            Node::Not(a) => {
                let a = a.folded();
                match a.value() {
                    Some(value) => truth(value == 0.0),
                    None => Self(Arc::new(Node::Not(a))),
                }
            }
            Node::Binary(operation, a, b) => decided(*operation, a.folded(), b.folded()),
            Node::Call(name, arguments) => {
                let arguments = arguments.iter().map(Self::folded).collect();
                match name.as_str() {
                    "if" | "piecewise" => branch(name, arguments),
                    _ => called(name, arguments),
                }
            }
        }
    }

    fn is_condition(&self) -> bool {
        let infix = |operation: &Infix| {
            use Infix::{And, Equal, Less, LessEqual, Or};
            matches!(operation, Less | LessEqual | Equal | And | Or)
        };
        match &*self.0 {
            Node::Not(_) => true,
            Node::Binary(operation, ..) => infix(operation),
            _ => false,
        }
    }
}

fn truth(holds: bool) -> Symbolic {
    Symbolic::number(f64::from(u8::from(holds)))
}

/// An operation, with its value where numbers decide it.
fn decided(operation: Infix, a: Symbolic, b: Symbolic) -> Symbolic {
    let holds = |of: &Symbolic| of.value().map(|value| value != 0.0);
    match (operation, a.value(), b.value()) {
        (Infix::Less, Some(a), Some(b)) => truth(a < b),
        (Infix::LessEqual, Some(a), Some(b)) => truth(a <= b),
        (Infix::Equal, Some(a), Some(b)) => truth(a == b),
        (Infix::And | Infix::Or, ..) => {
            // The truth that decides, whatever the other one is; the other truth leaves it to the other one.
            let decides = operation == Infix::Or;
            match (holds(&a), holds(&b)) {
                (Some(known), _) if known == decides => truth(decides),
                (_, Some(known)) if known == decides => truth(decides),
                (Some(_), Some(_)) => truth(!decides),
                (Some(_), None) if b.is_condition() => b,
                (None, Some(_)) if a.is_condition() => a,
                _ => combined(operation, a, b),
            }
        }
        _ => combined(operation, a, b),
    }
}

/// Of `if` or `piecewise` the branches that may be taken.
fn branch(name: &str, arguments: Vec<Symbolic>) -> Symbolic {
    let mut left: Vec<Symbolic> = vec![];
    let mut pairs = arguments.chunks_exact(2);
    let taken = pairs.by_ref().find_map(|pair| match pair[0].value() {
        Some(0.0) => None,
        Some(_) => Some(pair[1].clone()),
        None => {
            left.extend_from_slice(pair);
            None
        }
    });
    left.extend(taken.or_else(|| pairs.remainder().first().cloned()));
    match left.len() {
        1 => left.swap_remove(0),
        _ => Symbolic::call(name, left),
    }
}

/// A function, with its value where it has one at numbers.
fn called(name: &str, arguments: Vec<Symbolic>) -> Symbolic {
    let numbers: Option<Vec<f64>> = arguments.iter().map(Symbolic::value).collect();
    let value = numbers.as_deref().and_then(|numbers| match (builtin(name)?, numbers) {
        (Builtin::Unary(f), [a]) => Some(Unary::apply(f, *a)),
        (Builtin::Binary(f), [a, b]) => Some(Binary::apply(f, *a, *b)),
        (Builtin::Fold(f), _) => numbers.iter().copied().reduce(|a, b| f.apply(a, b)),
        _ => None,
    });
    match value.filter(|value| value.is_finite()) {
        Some(value) => Symbolic::number(value),
        None => Symbolic::call(name, arguments),
    }
}
