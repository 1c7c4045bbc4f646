//! Formulas where the signs of some of their parts are known: the branches that are taken there.

use super::symbolic::{Infix, Node, Symbolic, combined};
use std::sync::Arc;

/// The sign of a formula, where it is known.
type Signs<'a> = dyn Fn(&Symbolic) -> Option<f64> + 'a;

impl Symbolic {
    /// The same where `sign` gives the signs of formulas: of each branch of `if` and `piecewise` the one that is taken,
    /// and the values of `sign`, `heaviside` and `abs`.
    ///
    /// ```
    /// use slipstick_system::text::Symbolic;
    /// let force = Symbolic::parse("F + if(v > 0, mp, -mm)*heaviside(u)")?;
    /// let backwards = force.with_signs(&|of| (*of == Symbolic::name("v")).then_some(-1.0));
    /// assert_eq!(backwards.to_string(), "F - mm*heaviside(u)");
    /// # Ok::<(), slipstick_system::text::TextError>(())
    /// ```
    #[must_use]
    pub fn with_signs(&self, sign: &Signs<'_>) -> Self {
        let inner = |a: &Self| a.with_signs(sign);
        if let Some(holds) = self.holds(sign) {
            return Self::number(f64::from(u8::from(holds)));
        }
        match &*self.0 {
            Node::Number(_) | Node::Name(_) => self.clone(),
            Node::Negate(a) => -inner(a),
            Node::Not(a) => Self(Arc::new(Node::Not(inner(a)))),
            // What is known of one side of `and` or `or` leaves it to the other.
            Node::Binary(Infix::And | Infix::Or, a, b) if a.holds(sign).is_some() => inner(b),
            Node::Binary(Infix::And | Infix::Or, a, b) if b.holds(sign).is_some() => inner(a),
            Node::Binary(operation, a, b) => combined(*operation, inner(a), inner(b)),
            Node::Call(name, arguments) => match (name.as_str(), &arguments[..]) {
                ("if" | "piecewise", _) => chosen(name, arguments, sign),
                ("sign" | "sgn", [a]) if sign(a).is_some() => Self::number(sign(a).unwrap_or(0.0)),
                ("heaviside", [a]) if sign(a).is_some() => Self::number(0.5 * (1.0 + sign(a).unwrap_or(0.0))),
                ("abs", [a]) if sign(a).is_some() => Self::number(sign(a).unwrap_or(1.0)) * inner(a),
                _ => Self::call(name, arguments.iter().map(inner).collect()),
            },
        }
    }

    /// Does it hold, if it is a condition that known signs decide?
    fn holds(&self, sign: &Signs<'_>) -> Option<bool> {
        match &*self.0 {
            Node::Binary(Infix::Less | Infix::LessEqual, a, b) => sign(&(b.clone() - a.clone())).map(|sign| sign > 0.0),
            Node::Binary(Infix::Equal, a, b) => sign(&(b.clone() - a.clone())).map(|_| false),
            Node::Binary(Infix::And, a, b) => match (a.holds(sign), b.holds(sign)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (a, b) => Some(a? && b?),
            },
            Node::Binary(Infix::Or, a, b) => match (a.holds(sign), b.holds(sign)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (a, b) => Some(a? || b?),
            },
            Node::Not(a) => a.holds(sign).map(|holds| !holds),
            _ => None,
        }
    }
}

/// The branch that is taken, or those that may be.
fn chosen(name: &str, arguments: &[Symbolic], sign: &Signs<'_>) -> Symbolic {
    let mut left = vec![];
    let mut pairs = arguments.chunks_exact(2);
    for pair in &mut pairs {
        match pair[0].holds(sign) {
            Some(false) => {}
            Some(true) => {
                left.push(pair[1].with_signs(sign));
                return piece(name, left);
            }
            None => left.extend(pair.iter().map(|part| part.with_signs(sign))),
        }
    }
    left.extend(pairs.remainder().iter().map(|last| last.with_signs(sign)));
    piece(name, left)
}

fn piece(name: &str, mut left: Vec<Symbolic>) -> Symbolic {
    match left.len() {
        1 => left.swap_remove(0),
        _ => Symbolic::call(name, left),
    }
}
