//! Formulas as trees that can be put together, differentiated and written down again.
//!
//! They make the texts of systems that are declared rather than written out: the rate of a switching function along a
//! field, the force that keeps a contact sticking.

use super::error::TextError;
use super::expression::{Expression, Term};
use super::operation::{Binary, Unary};
use std::fmt;
use std::ops::{Add, Div, Mul, Neg, Sub};
use std::sync::Arc;

/// A formula as a tree. Sums and products of numbers are carried out, and what is plainly zero or one is left out.
///
/// ```
/// use slipstick_system::text::{Expression, Symbolic};
/// let energy = Symbolic::of(&Expression::parse("v^2/2 + k*x^2/2 - cos(x)")?);
/// let force = -energy.derivative("x", &|_| None);
/// assert_eq!(force.to_string(), "-(k*(2*x)/2 + sin(x))");
/// assert_eq!(energy.derivative("v", &|_| None).to_string(), "v");
/// # Ok::<(), slipstick_system::text::TextError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Symbolic(pub(super) Arc<Node>);

#[derive(Debug, PartialEq)]
pub(super) enum Node {
    Number(f64),
    Name(String),
    Negate(Symbolic),
    Not(Symbolic),
    Binary(Infix, Symbolic, Symbolic),
    Call(String, Vec<Symbolic>),
}

/// An operation written between its operands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Infix {
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    Less,
    LessEqual,
    Equal,
    And,
    Or,
}

/// The arguments and the body of a definition, by its name: `None` for states, parameters and functions of the
/// language.
pub type Definitions<'a> = dyn Fn(&str) -> Option<(Vec<String>, Symbolic)> + 'a;

impl Symbolic {
    /// A number.
    pub fn number(value: f64) -> Self {
        Self(Arc::new(Node::Number(value)))
    }

    /// The value of a name.
    pub fn name(name: &str) -> Self {
        Self(Arc::new(Node::Name(name.to_owned())))
    }

    /// A function of the language, or a definition with arguments.
    pub fn call(name: &str, arguments: Vec<Self>) -> Self {
        Self(Arc::new(Node::Call(name.to_owned(), arguments)))
    }

    /// The formula of a text.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn parse(text: &str) -> Result<Self, TextError> {
        Ok(Self::of(&Expression::parse(text)?))
    }

    /// The formula that was parsed.
    pub fn of(expression: &Expression) -> Self {
        let mut all: Vec<Self> = Vec::with_capacity(expression.terms.len());
        for (term, _) in &expression.terms {
            let made = match term {
                Term::Number(value) => Self::number(*value),
                Term::Name(name) => Self::name(name),
                Term::Unary(Unary::Negate, a) => -all[*a].clone(),
                // The grammar has no other operation on one number that is not a call.
                Term::Unary(_, a) => Self(Arc::new(Node::Not(all[*a].clone()))),
                Term::Binary(operation, a, b) => written(*operation, all[*a].clone(), all[*b].clone()),
                Term::Call { name, arguments } => Self::call(name, arguments.iter().map(|a| all[*a].clone()).collect()),
            };
            all.push(made);
        }
        all.swap_remove(expression.root())
    }

    /// Its value, if it is a number.
    pub fn value(&self) -> Option<f64> {
        match &*self.0 {
            Node::Number(value) => Some(*value),
            _ => None,
        }
    }

    /// Is it plainly zero?
    pub fn is_zero(&self) -> bool {
        self.value() == Some(0.0)
    }

    /// `self < other`, a condition.
    #[must_use]
    pub fn less(self, other: Self) -> Self {
        infix(Infix::Less, self, other)
    }

    /// `self <= other`, a condition.
    #[must_use]
    pub fn at_most(self, other: Self) -> Self {
        infix(Infix::LessEqual, self, other)
    }

    /// A power.
    #[must_use]
    pub fn power(self, exponent: Self) -> Self {
        match (self.value(), exponent.value()) {
            (_, Some(1.0)) => self,
            (_, Some(0.0)) => Self::number(1.0),
            (Some(a), Some(b)) if a.powf(b).is_finite() => Self::number(a.powf(b)),
            _ => infix(Infix::Power, self, exponent),
        }
    }

    /// Does it name this value or function?
    pub fn mentions(&self, name: &str) -> bool {
        match &*self.0 {
            Node::Number(_) => false,
            Node::Name(own) => own == name,
            Node::Negate(a) | Node::Not(a) => a.mentions(name),
            Node::Binary(_, a, b) => a.mentions(name) || b.mentions(name),
            Node::Call(own, arguments) => own == name || arguments.iter().any(|a| a.mentions(name)),
        }
    }

    /// Does this name enter, itself or through a definition?
    pub fn depends_on(&self, name: &str, definitions: &Definitions<'_>) -> bool {
        match &*self.0 {
            Node::Number(_) => false,
            Node::Name(own) => {
                own == name || definitions(own).is_some_and(|(_, body)| body.depends_on(name, definitions))
            }
            Node::Negate(a) | Node::Not(a) => a.depends_on(name, definitions),
            Node::Binary(_, a, b) => a.depends_on(name, definitions) || b.depends_on(name, definitions),
            Node::Call(own, arguments) => {
                arguments.iter().any(|a| a.depends_on(name, definitions))
                    || definitions(own).is_some_and(|(own, body)| apart(&own, &body).depends_on(name, definitions))
            }
        }
    }

    /// What `other` is to be multiplied by to give this, as far as the way in which both are written shows it.
    ///
    /// ```
    /// use slipstick_system::text::Symbolic;
    /// let [slip, of] = ["2*(b - v)", "v - b"].map(|text| Symbolic::parse(text));
    /// let ratio = slip?.ratio_to(&of?).and_then(|ratio| ratio.value());
    /// assert_eq!(ratio, Some(-2.0));
    /// # Ok::<(), slipstick_system::text::TextError>(())
    /// ```
    pub fn ratio_to(&self, other: &Self) -> Option<Self> {
        if self == other {
            return Some(Self::number(1.0));
        }
        match &*self.0 {
            Node::Negate(a) => Some(-a.ratio_to(other)?),
            Node::Binary(Infix::Subtract, a, b) => match &*other.0 {
                Node::Binary(Infix::Subtract, c, d) => (a == d && b == c).then(|| Self::number(-1.0)),
                _ => None,
            },
            Node::Binary(Infix::Multiply, a, b) => match a.ratio_to(other) {
                Some(ratio) => Some(ratio * b.clone()),
                None => Some(a.clone() * b.ratio_to(other)?),
            },
            Node::Binary(Infix::Divide, a, b) => Some(a.ratio_to(other)? / b.clone()),
            _ => None,
        }
    }

    /// The same with every name and call replaced for which `replacement` has something else: it is given the name, and
    /// the arguments of a call.
    #[must_use]
    pub fn replaced(&self, replacement: &dyn Fn(&str, Option<&[Self]>) -> Option<Self>) -> Self {
        let inner = |a: &Self| a.replaced(replacement);
        match &*self.0 {
            Node::Number(_) => self.clone(),
            Node::Name(name) => replacement(name, None).unwrap_or_else(|| self.clone()),
            Node::Negate(a) => -inner(a),
            Node::Not(a) => Self(Arc::new(Node::Not(inner(a)))),
            Node::Binary(operation, a, b) => combined(*operation, inner(a), inner(b)),
            Node::Call(name, arguments) => replacement(name, Some(arguments))
                .unwrap_or_else(|| Self::call(name, arguments.iter().map(inner).collect())),
        }
    }

    /// The same without definitions: each is replaced by its body.
    #[must_use]
    pub fn written_out(&self, definitions: &Definitions<'_>) -> Self {
        self.replaced(&|name, arguments| {
            let (own, body) = definitions(name)?;
            let given: Vec<Self> = arguments
                .unwrap_or_default()
                .iter()
                .map(|a| a.written_out(definitions))
                .collect();
            let body = apart(&own, &body).written_out(definitions);
            Some(body.replaced(&|name, _| given.get(argument(name)?).cloned()))
        })
    }

    /// The derivative by a name, through definitions.
    #[must_use]
    pub fn derivative(&self, by: &str, definitions: &Definitions<'_>) -> Self {
        if !self.depends_on(by, definitions) {
            return Self::number(0.0);
        }
        let slope = |a: &Self| a.derivative(by, definitions);
        match &*self.0 {
            Node::Name(name) if name == by => Self::number(1.0),
            Node::Name(_) => slope(&self.written_out(definitions)),
            Node::Negate(a) => -slope(a),
            Node::Binary(operation, a, b) => match operation {
                Infix::Add => slope(a) + slope(b),
                Infix::Subtract => slope(a) - slope(b),
                Infix::Multiply => slope(a) * b.clone() + a.clone() * slope(b),
                Infix::Divide => {
                    let whole = slope(a) / b.clone();
                    let by_divisor = a.clone() * slope(b);
                    whole - by_divisor / (b.clone() * b.clone())
                }
                Infix::Power => power_slope(a, b, slope(a), slope(b)),
                // Conditions are constant but where they change.
                Infix::Less | Infix::LessEqual | Infix::Equal | Infix::And | Infix::Or => Self::number(0.0),
            },
            Node::Call(name, _) if definitions(name).is_some() => slope(&self.written_out(definitions)),
            Node::Call(name, arguments) => call_slope(name, arguments, &slope),
            Node::Number(_) | Node::Not(_) => Self::number(0.0),
        }
    }
}

/// The body of a definition with its arguments renamed, so that none is taken for a state of the same name.
fn apart(arguments: &[String], body: &Symbolic) -> Symbolic {
    body.replaced(&|name, call| {
        let place = arguments.iter().position(|a| a == name && call.is_none())?;
        Some(Symbolic::name(&format!("#{place}")))
    })
}

/// The number of the argument that was renamed to this.
fn argument(name: &str) -> Option<usize> {
    name.strip_prefix('#')?.parse().ok()
}

/// An operation of the language as it is written.
fn written(operation: Binary, a: Symbolic, b: Symbolic) -> Symbolic {
    let call = |name, a, b| Symbolic::call(name, vec![a, b]);
    match operation {
        Binary::Add => a + b,
        Binary::Subtract => a - b,
        Binary::Multiply => a * b,
        Binary::Divide => a / b,
        Binary::Power => a.power(b),
        Binary::Less => infix(Infix::Less, a, b),
        Binary::LessEqual => infix(Infix::LessEqual, a, b),
        Binary::Equal => infix(Infix::Equal, a, b),
        Binary::And => infix(Infix::And, a, b),
        Binary::Or => infix(Infix::Or, a, b),
        Binary::Min => call("min", a, b),
        Binary::Max => call("max", a, b),
        Binary::Mod => call("mod", a, b),
        Binary::Atan2 => call("atan2", a, b),
    }
}

pub(super) fn combined(operation: Infix, a: Symbolic, b: Symbolic) -> Symbolic {
    match operation {
        Infix::Add => a + b,
        Infix::Subtract => a - b,
        Infix::Multiply => a * b,
        Infix::Divide => a / b,
        Infix::Power => a.power(b),
        _ => infix(operation, a, b),
    }
}

fn infix(operation: Infix, a: Symbolic, b: Symbolic) -> Symbolic {
    Symbolic(Arc::new(Node::Binary(operation, a, b)))
}

/// (a^b)' of a base and an exponent with these slopes.
fn power_slope(a: &Symbolic, b: &Symbolic, da: Symbolic, db: Symbolic) -> Symbolic {
    let by_base = b.clone() * a.clone().power(b.clone() - Symbolic::number(1.0)) * da;
    if db.is_zero() {
        return by_base;
    }
    let by_exponent = a.clone().power(b.clone()) * Symbolic::call("ln", vec![a.clone()]) * db;
    by_base + by_exponent
}

/// The derivative of a function of the language. Where it has a corner, that of the side that its value is taken from.
fn call_slope(name: &str, arguments: &[Symbolic], slope: &dyn Fn(&Symbolic) -> Symbolic) -> Symbolic {
    let number = Symbolic::number;
    let call = |name: &str, a: &Symbolic| Symbolic::call(name, vec![a.clone()]);
    let square = |a: &Symbolic| a.clone().power(number(2.0));
    let choose = |condition: Symbolic, a: Symbolic, b: Symbolic| {
        if a == b {
            a
        } else {
            Symbolic::call("if", vec![condition, a, b])
        }
    };
    let [first, rest @ ..] = arguments else {
        return number(0.0);
    };
    let da = slope(first);
    match (name, rest) {
        ("sin", []) => call("cos", first) * da,
        ("cos", []) => -(call("sin", first) * da),
        ("tan", []) => da / square(&call("cos", first)),
        ("asin", []) => da / Symbolic::call("sqrt", vec![number(1.0) - square(first)]),
        ("acos", []) => -(da / Symbolic::call("sqrt", vec![number(1.0) - square(first)])),
        ("atan", []) => da / (number(1.0) + square(first)),
        ("sinh", []) => call("cosh", first) * da,
        ("cosh", []) => call("sinh", first) * da,
        ("tanh", []) => (number(1.0) - square(&call("tanh", first))) * da,
        ("exp", []) => call("exp", first) * da,
        ("ln" | "log", []) => da / first.clone(),
        ("log10", []) => da / (first.clone() * Symbolic::call("ln", vec![number(10.0)])),
        ("sqrt", []) => da / (number(2.0) * call("sqrt", first)),
        ("abs", []) => call("sign", first) * da,
        ("atan2", [x]) => {
            let dx = slope(x);
            (x.clone() * da - first.clone() * dx) / (square(x) + square(first))
        }
        ("mod", [b]) => da - Symbolic::call("floor", vec![first.clone() / b.clone()]) * slope(b),
        ("min" | "max", _) => {
            // Of the first two, then of that and the next.
            let (mut value, mut derivative) = (first.clone(), da);
            for next in rest {
                let first_is_it = if name == "min" {
                    value.clone().less(next.clone())
                } else {
                    next.clone().less(value.clone())
                };
                derivative = choose(first_is_it, derivative, slope(next));
                value = Symbolic::call(name, vec![value, next.clone()]);
            }
            derivative
        }
        ("if" | "piecewise", _) => {
            // Conditions stand before their values, the last value alone.
            let last = arguments.len() - 1;
            let slopes = arguments.iter().enumerate();
            let slopes: Vec<Symbolic> = slopes
                .map(|(i, a)| if i % 2 == 1 || i == last { slope(a) } else { a.clone() })
                .collect();
            // Where all pieces have one slope, as steps have, it is that.
            let one = slopes.iter().enumerate().all(|(i, slope)| {
                let is_piece = i % 2 == 1 || i == last;
                !is_piece || (slope.value().is_some() && *slope == slopes[last])
            });
            if one {
                return slopes[last].clone();
            }
            Symbolic::call(name, slopes)
        }
        // `sign`, `heaviside` and `floor` are constant but where they jump.
        _ => number(0.0),
    }
}

impl Add for Symbolic {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        match (&*self.0, &*other.0) {
            (Node::Number(a), Node::Number(b)) => Self::number(a + b),
            (Node::Number(0.0), _) => other,
            (_, Node::Number(0.0)) => self,
            (_, Node::Negate(b)) => self - b.clone(),
            (Node::Negate(a), _) => other - a.clone(),
            (_, Node::Number(b)) if *b < 0.0 => self - Self::number(-b),
            _ => infix(Infix::Add, self, other),
        }
    }
}

impl Sub for Symbolic {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        match (&*self.0, &*other.0) {
            (Node::Number(a), Node::Number(b)) => Self::number(a - b),
            (Node::Number(0.0), _) => -other,
            (_, Node::Number(0.0)) => self,
            (_, Node::Negate(b)) => self + b.clone(),
            (_, Node::Number(b)) if *b < 0.0 => self + Self::number(-b),
            _ if self == other => Self::number(0.0),
            _ => infix(Infix::Subtract, self, other),
        }
    }
}

impl Mul for Symbolic {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        match (&*self.0, &*other.0) {
            (Node::Number(a), Node::Number(b)) => Self::number(a * b),
            (Node::Number(0.0), _) | (_, Node::Number(0.0)) => Self::number(0.0),
            (Node::Number(1.0), _) => other,
            (_, Node::Number(1.0)) => self,
            (Node::Number(-1.0), _) => -other,
            (_, Node::Number(-1.0)) => -self,
            (Node::Binary(Infix::Divide, a, b), _) if *b == other => a.clone(),
            (_, Node::Binary(Infix::Divide, a, b)) if *b == self => a.clone(),
            // Numbers stand first, and together.
            (_, Node::Number(_)) => other * self,
            (Node::Number(a), Node::Binary(Infix::Multiply, b, rest)) if b.value().is_some() => {
                Self::number(a * b.value().unwrap_or(1.0)) * rest.clone()
            }
            (Node::Number(a), _) if *a < 0.0 => -(Self::number(-a) * other),
            (Node::Negate(a), _) => -(a.clone() * other),
            (_, Node::Negate(b)) => -(self * b.clone()),
            _ => infix(Infix::Multiply, self, other),
        }
    }
}

impl Div for Symbolic {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        match (&*self.0, &*other.0) {
            (Node::Number(a), Node::Number(b)) if *b != 0.0 => Self::number(a / b),
            (_, Node::Number(1.0)) => self,
            (_, Node::Number(-1.0)) => -self,
            (Node::Number(0.0), _) if !other.is_zero() => self,
            (Node::Binary(Infix::Multiply, a, rest), Node::Number(b)) if a.value().is_some() && *b != 0.0 => {
                Self::number(a.value().unwrap_or(1.0) / b) * rest.clone()
            }
            (Node::Negate(a), _) => -(a.clone() / other),
            (_, Node::Negate(b)) => -(self / b.clone()),
            _ => infix(Infix::Divide, self, other),
        }
    }
}

impl Neg for Symbolic {
    type Output = Self;
    fn neg(self) -> Self {
        match &*self.0 {
            // Not -0.
            Node::Number(a) => Self::number(0.0 - a),
            Node::Negate(a) => a.clone(),
            Node::Binary(Infix::Subtract, a, b) => b.clone() - a.clone(),
            _ => Self(Arc::new(Node::Negate(self))),
        }
    }
}

/// How strongly what is written outermost binds its operands, loosest first.
fn strength(node: &Node) -> u8 {
    match node {
        Node::Binary(Infix::Or, ..) => 1,
        Node::Binary(Infix::And, ..) => 2,
        Node::Not(_) => 3,
        Node::Binary(Infix::Less | Infix::LessEqual | Infix::Equal, ..) => 4,
        Node::Binary(Infix::Add | Infix::Subtract, ..) => 5,
        Node::Binary(Infix::Multiply | Infix::Divide, ..) => 6,
        Node::Negate(_) => 7,
        Node::Number(value) if value.is_sign_negative() => 7,
        Node::Binary(Infix::Power, ..) => 8,
        Node::Number(_) | Node::Name(_) | Node::Call(..) => 9,
    }
}

impl fmt::Display for Symbolic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // What binds more loosely than it must stands in parentheses.
        let operand = |a: &Self, least: u8, f: &mut fmt::Formatter<'_>| {
            if strength(&a.0) < least {
                write!(f, "({a})")
            } else {
                write!(f, "{a}")
            }
        };
        match &*self.0 {
            Node::Number(value) if *value == 0.0 || (1e-5..1e15).contains(&value.abs()) => write!(f, "{value}"),
            Node::Number(value) => write!(f, "{value:e}"),
            Node::Name(name) => f.write_str(name),
            Node::Negate(a) => {
                f.write_str("-")?;
                operand(a, 8, f)
            }
            Node::Not(a) => {
                f.write_str("not ")?;
                operand(a, 4, f)
            }
            Node::Binary(operation, a, b) => {
                let (sign, left, right) = match operation {
                    Infix::Or => (" or ", 1, 2),
                    Infix::And => (" and ", 2, 3),
                    Infix::Less => (" < ", 5, 5),
                    Infix::LessEqual => (" <= ", 5, 5),
                    Infix::Equal => (" == ", 5, 5),
                    Infix::Add => (" + ", 5, 6),
                    Infix::Subtract => (" - ", 5, 6),
                    Infix::Multiply => ("*", 6, 7),
                    Infix::Divide => ("/", 6, 7),
                    Infix::Power => ("^", 9, 8),
                };
                // A sign behind an operator stands in parentheses, for readers.
                let right = if matches!(operation, Infix::Multiply | Infix::Divide) {
                    right + 1
                } else {
                    right
                };
                operand(a, left, f)?;
                f.write_str(sign)?;
                operand(b, right, f)
            }
            Node::Call(name, arguments) => {
                write!(f, "{name}(")?;
                for (i, argument) in arguments.iter().enumerate() {
                    if i > 0 {
                        f.write_str(", ")?;
                    }
                    write!(f, "{argument}")?;
                }
                f.write_str(")")
            }
        }
    }
}
