//! Quotients that are signs: `h/abs(h)`, `abs(h)/h`, `h/sqrt(h^2)`.
//!
//! They are those of a function and its size, whatever other factors stand beside them, and have no value where the
//! function vanishes, which a sign has.

use super::symbolic::{Infix, Node, Symbolic, combined};

/// The factors of a product, above and below its fraction bar.
#[derive(Default)]
struct Factors {
    negative: bool,
    above: Vec<Symbolic>,
    below: Vec<Symbolic>,
}

impl Symbolic {
    /// The same with `sign(h)` for quotients of a multiple of h and the size of h. `multiple` gives what its second
    /// formula is to be multiplied by to give the first one, if that is so.
    ///
    /// ```
    /// use slipstick_system::text::Symbolic;
    /// let force = Symbolic::parse("mu*(v - b)/abs(v - b)")?;
    /// let signed = force.with_signs_of_quotients(&|a, b| a.ratio_to(b));
    /// assert_eq!(signed.to_string(), "mu*sign(v - b)");
    /// # Ok::<(), slipstick_system::text::TextError>(())
    /// ```
    #[must_use]
    pub fn with_signs_of_quotients(&self, multiple: &dyn Fn(&Self, &Self) -> Option<Self>) -> Self {
        let inner = |a: &Self| a.with_signs_of_quotients(multiple);
        match &*self.0 {
            Node::Number(_) | Node::Name(_) => self.clone(),
            Node::Negate(a) => -inner(a),
            Node::Not(a) => Self(Node::Not(inner(a)).into()),
            Node::Call(name, arguments) => Self::call(name, arguments.iter().map(inner).collect()),
            Node::Binary(Infix::Multiply | Infix::Divide, ..) => {
                let mut factors = Factors::default();
                factors.add(self, true);
                if factors.take_signs(multiple) {
                    return inner(&factors.product());
                }
                self.with_inner(&inner)
            }
            Node::Binary(..) => self.with_inner(&inner),
        }
    }

    fn with_inner(&self, inner: &dyn Fn(&Self) -> Self) -> Self {
        match &*self.0 {
            Node::Binary(operation, a, b) => combined(*operation, inner(a), inner(b)),
            _ => self.clone(),
        }
    }

    /// The formula that this is the size of: of `abs(h)`, `max(h, -h)`, `sqrt(h^2)`, `sqrt(h*h)`, `(h^2)^0.5`.
    fn size_of(&self) -> Option<Self> {
        match &*self.0 {
            Node::Call(name, arguments) => match (name.as_str(), &arguments[..]) {
                ("abs", [h]) => Some(h.clone()),
                ("sqrt", [square]) => square.root(),
                ("max", [h, other]) => (other.ratio_to(h)?.value()? == -1.0).then(|| h.clone()),
                _ => None,
            },
            Node::Binary(Infix::Power, square, half) => (half.folded().value()? == 0.5).then(|| square.root())?,
            _ => None,
        }
    }

    /// A formula of which this is the square.
    fn root(&self) -> Option<Self> {
        match &*self.0 {
            Node::Binary(Infix::Power, h, two) => (two.value()? == 2.0).then(|| h.clone()),
            Node::Binary(Infix::Multiply, a, b) => (a == b).then(|| a.clone()),
            _ => None,
        }
    }
}

impl Factors {
    fn add(&mut self, of: &Symbolic, above: bool) {
        match &*of.0 {
            Node::Negate(a) => {
                self.negative = !self.negative;
                self.add(a, above);
            }
            Node::Binary(Infix::Multiply, a, b) => {
                self.add(a, above);
                self.add(b, above);
            }
            Node::Binary(Infix::Divide, a, b) => {
                self.add(a, above);
                self.add(b, !above);
            }
            _ if above => self.above.push(of.clone()),
            _ => self.below.push(of.clone()),
        }
    }

    /// Put signs in the place of quotients that are signs; are there any?
    fn take_signs(&mut self, multiple: &dyn Fn(&Symbolic, &Symbolic) -> Option<Symbolic>) -> bool {
        let mut any = false;
        while let Some(found) = quotient(&self.above, &self.below, multiple) {
            self.above[found.function] = found.ratio * found.sign;
            self.below.swap_remove(found.size);
            any = true;
        }
        while let Some(found) = quotient(&self.below, &self.above, multiple) {
            self.below[found.function] = found.ratio;
            self.above[found.size] = found.sign;
            any = true;
        }
        any
    }

    fn product(self) -> Symbolic {
        let one = Symbolic::number(1.0);
        let product = |factors: Vec<Symbolic>| factors.into_iter().reduce(|a, b| a * b);
        let above = product(self.above).unwrap_or_else(|| one.clone());
        let whole = match product(self.below) {
            Some(below) => above / below,
            None => above,
        };
        if self.negative { -whole } else { whole }
    }
}

/// A function among some factors of which the size stands among others, and the sign that is their quotient but for the
/// ratio of the function to that of which the size is.
struct Quotient {
    function: usize,
    size: usize,
    ratio: Symbolic,
    sign: Symbolic,
}

fn quotient(
    functions: &[Symbolic],
    sizes: &[Symbolic],
    multiple: &dyn Fn(&Symbolic, &Symbolic) -> Option<Symbolic>,
) -> Option<Quotient> {
    sizes.iter().enumerate().find_map(|(size, own)| {
        let h = own.size_of()?;
        let mut all = functions.iter().enumerate();
        let (function, ratio) = all.find_map(|(function, f)| Some((function, multiple(f, &h)?)))?;
        let sign = Symbolic::call("sign", vec![h]);
        Some(Quotient {
            function,
            size,
            ratio,
            sign,
        })
    })
}
