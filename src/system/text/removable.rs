//! Quotients whose numerator and denominator vanish together: `x/(exp(x) - 1)`.
//!
//! At x = 0 such a quotient is 0/0, and next to it the difference in the denominator cancels: k-th derivatives lose
//! as many digits as 1/xᵏ has. The function itself is analytic there. With φ one of `exp(w) - 1`, `sin(w)`, `sinh(w)`
//! and `tanh(w)`, which vanish at w = 0 like w itself, and a numerator that is a multiple of w, the quotient is that
//! multiple over φ(w)/w; and φ(w)/w is evaluated by its Taylor series next to w = 0, in any kind of number. That is
//! de l'Hospital's rule with all derivatives.
//!
//! The size of w vanishes like w, too, but for its sign: `w/abs(w)` is `sign(w)`.
//!
//! Only what is a multiple of w by the way it is written counts: `0.01*(10 - V)` of `(10 - V)/10`. Where the numerator
//! does not vanish, or vanishes elsewhere, the quotient stays what it is: a pole.

use super::graph::{Graph, Id, Node};
use super::operation::{Binary, Unary};
use std::collections::BTreeMap;

/// Longer sums and products are left alone.
const NODES: usize = 64;
/// Coefficients that were rounded differently are the same: `2.5 - 0.1*V` is a multiple of `V - 25`.
const SAME: f64 = 4.0 * f64::EPSILON;

/// A sum of multiples of values, and a number.
#[derive(Clone, Debug, Default)]
struct Sum {
    terms: BTreeMap<Id, f64>,
    constant: f64,
}

impl Sum {
    fn is_like(&self, other: &Self) -> bool {
        let near = |a: f64, b: f64| (a - b).abs() <= SAME * a.abs().max(b.abs());
        let mut pairs = self.terms.iter().zip(&other.terms);
        self.terms.len() == other.terms.len()
            && near(self.constant, other.constant)
            && pairs.all(|(a, b)| a.0 == b.0 && near(*a.1, *b.1))
    }

    /// The only value that it is made of besides the number, with coefficient one.
    fn alone(&self) -> Option<Id> {
        let mut ids = self.terms.keys();
        ids.next().copied().filter(|_| ids.next().is_none())
    }
}

/// A factor `leading · sum`, the first coefficient of the sum being one.
#[derive(Clone, Debug)]
struct Factor {
    id: Id,
    leading: f64,
    sum: Sum,
}

/// A number times the factors above over those below.
#[derive(Clone, Debug, Default)]
struct Product {
    number: f64,
    above: Vec<Factor>,
    below: Vec<Factor>,
}

impl Graph {
    /// The quotient `a/b` without its removable singularity, if it has one.
    pub(super) fn without_singularity(&mut self, a: Id, b: Id) -> Option<Id> {
        let (above, below) = (self.product(a)?, self.product(b)?);
        // A function that vanishes below, a multiple of its argument above; or the other way round.
        for (ours, theirs, inverse) in [(&below, &above, true), (&above, &below, false)] {
            for k in 0..ours.above.len() {
                let Some((ratio, argument)) = self.vanishing(&ours.above[k]) else {
                    continue;
                };
                let Some(mut rest) = self.over(theirs, argument) else {
                    continue;
                };
                let mut others = ours.clone();
                rest.number /= others.number * others.above.swap_remove(k).leading;
                rest.below.extend(others.above);
                rest.above.extend(others.below);
                if !rest.number.is_finite() || rest.number == 0.0 {
                    continue;
                }
                let sign = ratio == Unary::Sign;
                let ratio = self.unary(ratio, argument);
                // The quotient is `rest / ratio`, or one over it.
                let [mut top, mut bottom] =
                    [&rest.above, &rest.below].map(|f| f.iter().map(|f| f.id).collect::<Vec<_>>());
                if sign && inverse {
                    // One over a sign is the sign, also where it is zero.
                    top.push(ratio);
                } else {
                    bottom.push(ratio);
                }
                let mut number = rest.number;
                if !inverse {
                    std::mem::swap(&mut top, &mut bottom);
                    number = number.recip();
                }
                let number = self.constant(number);
                let top = top.into_iter().fold(number, |p, f| self.binary(Binary::Multiply, p, f));
                let one = self.constant(1.0);
                let bottom = bottom.into_iter().fold(one, |p, f| self.binary(Binary::Multiply, p, f));
                return Some(self.binary(Binary::Divide, top, bottom));
            }
        }
        None
    }

    /// A factor that vanishes with an argument, and like it: the operation that is their ratio, and the argument.
    fn vanishing(&self, factor: &Factor) -> Option<(Unary, Id)> {
        let Node::Unary(function, argument) = self.nodes[factor.sum.alone()?] else {
            return None;
        };
        let ratio = match (function, factor.sum.constant) {
            (Unary::Exp, -1.0) => Unary::ExpRatio,
            (Unary::Sin, 0.0) => Unary::SinRatio,
            (Unary::Sinh, 0.0) => Unary::SinhRatio,
            (Unary::Tanh, 0.0) => Unary::TanhRatio,
            (Unary::Abs, 0.0) => Unary::Sign,
            _ => return None,
        };
        Some((ratio, argument))
    }

    /// The product over the argument of a function, if all of that which may vanish is among the factors of the
    /// product.
    fn over(&self, product: &Product, argument: Id) -> Option<Product> {
        let divisor = self.product(argument)?;
        let mut rest = product.clone();
        rest.number /= divisor.number;
        let mut cancelled = false;
        for factor in divisor.above {
            match rest.above.iter().position(|f| f.sum.is_like(&factor.sum)) {
                Some(k) => {
                    rest.number *= rest.above.swap_remove(k).leading / factor.leading;
                    cancelled = true;
                }
                // A parameter says in which unit, not where, the argument vanishes.
                None if matches!(self.nodes[factor.id], Node::Parameter(_)) => rest.below.push(factor),
                None => return None,
            }
        }
        rest.above.extend(divisor.below);
        cancelled.then_some(rest)
    }

    /// The factors of a value; none of one that is made of too many.
    fn product(&self, id: Id) -> Option<Product> {
        let mut product = Product {
            number: 1.0,
            ..Product::default()
        };
        let mut left = NODES;
        let mut open = vec![(id, true)];
        while let Some((id, above)) = open.pop() {
            left = left.checked_sub(1)?;
            match self.nodes[id] {
                Node::Constant(bits) => {
                    let value = f64::from_bits(bits);
                    product.number *= if above { value } else { value.recip() };
                }
                Node::Unary(Unary::Negate, inner) => {
                    product.number = -product.number;
                    open.push((inner, above));
                }
                Node::Binary(Binary::Multiply, a, b) => open.extend([(a, above), (b, above)]),
                Node::Binary(Binary::Divide, a, b) => open.extend([(a, above), (b, !above)]),
                _ => {
                    let mut sum = Sum::default();
                    self.add_to(&mut sum, id, 1.0, &mut left)?;
                    sum.terms.retain(|_, c| *c != 0.0);
                    let leading = *sum.terms.values().next()?;
                    sum.terms.values_mut().for_each(|c| *c /= leading);
                    sum.constant /= leading;
                    let side = if above { &mut product.above } else { &mut product.below };
                    side.push(Factor { id, leading, sum });
                }
            }
        }
        product.number.is_finite().then_some(product)
    }

    /// Do the terms of a sum cancel, by the way it is written?
    pub(super) fn cancels(&self, id: Id) -> bool {
        let mut sum = Sum::default();
        let mut left = NODES;
        let whole = self.add_to(&mut sum, id, 1.0, &mut left).is_some();
        whole && sum.constant == 0.0 && sum.terms.values().all(|c| *c == 0.0)
    }

    /// A product with a negated factor: the same without the sign, if that is computed as well.
    fn without_sign(&self, operation: Binary, a: Id, b: Id) -> Option<Id> {
        let inner = |id: Id| match self.nodes[id] {
            Node::Unary(Unary::Negate, inner) => Some(inner),
            _ => None,
        };
        let (a, b) = match (inner(a), inner(b)) {
            (Some(a), None) => (a, b),
            (None, Some(b)) => (a, b),
            _ => return None,
        };
        let (first, second) = match operation.commutes() {
            true => (a.min(b), a.max(b)),
            false => (a, b),
        };
        self.find(Node::Binary(operation, first, second))
    }

    /// Add a multiple of a value to a sum.
    fn add_to(&self, sum: &mut Sum, id: Id, by: f64, left: &mut usize) -> Option<()> {
        *left = left.checked_sub(1)?;
        match self.nodes[id] {
            Node::Constant(bits) => sum.constant += by * f64::from_bits(bits),
            Node::Unary(Unary::Negate, a) => self.add_to(sum, a, -by, left)?,
            Node::Binary(Binary::Add, a, b) => {
                self.add_to(sum, a, by, left)?;
                self.add_to(sum, b, by, left)?;
            }
            Node::Binary(Binary::Subtract, a, b) => {
                self.add_to(sum, a, by, left)?;
                self.add_to(sum, b, -by, left)?;
            }
            Node::Binary(operation @ (Binary::Multiply | Binary::Divide), a, b) => {
                match (operation, self.known(a), self.known(b)) {
                    (Binary::Multiply, Some(k), _) => self.add_to(sum, b, by * k, left)?,
                    (Binary::Multiply, _, Some(k)) => self.add_to(sum, a, by * k, left)?,
                    (Binary::Divide, _, Some(k)) => self.add_to(sum, a, by / k, left)?,
                    _ => match self.without_sign(operation, a, b) {
                        Some(positive) => *sum.terms.entry(positive).or_insert(0.0) -= by,
                        None => *sum.terms.entry(id).or_insert(0.0) += by,
                    },
                }
            }
            _ => *sum.terms.entry(id).or_insert(0.0) += by,
        }
        Some(())
    }
}
