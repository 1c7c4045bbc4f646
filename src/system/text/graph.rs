//! The computation of one or several expressions as a graph in which every value is computed once.
//!
//! Nodes are numbered so that operands come before what uses them (static single assignment). Equal nodes are the same
//! node (common subexpressions), and what depends on nothing is a constant (folding). Rewrites keep values to the last
//! bit, but for quotients that are 0/0 somewhere and smooth: next to that place they gain digits.

use super::operation::{Binary, Unary, holds};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

/// The number of a node.
pub(super) type Id = usize;

/// How one value is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Node {
    /// The bits of a constant.
    Constant(u64),
    State(usize),
    Parameter(usize),
    Unary(Unary, Id),
    Binary(Binary, Id, Id),
    Powi(Id, i32),
    /// Condition, value if it holds, value if not.
    Select(Id, Id, Id),
}

/// Which text, and where in it, a value was first asked for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Origin {
    pub(super) source: Source,
    pub(super) span: Range<usize>,
}

/// A text that takes part in a computation.
///
/// ```
/// use slipstick_system::text::{Expression, Scope, Source};
/// let mut scope = Scope::new();
/// scope.state("x")?;
/// let (sound, odd) = (Expression::parse("2*x")?, Expression::parse("2*y")?);
/// let fault = scope.compile(&[&sound, &odd]).err().unwrap();
/// assert_eq!(fault.place, Source::Expression(1));
/// # Ok::<(), slipstick_system::text::TextError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The expression with this index, of those compiled together.
    Expression(usize),
    /// The definition of this name.
    Definition(String),
}

/// The graph under construction.
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
    pub(super) origins: Vec<Origin>,
    index: HashMap<Node, Id>,
    /// The state that is the phase of the forcing: products with it are kept reduced.
    clock: Option<usize>,
    /// Products that hold the phase once as a factor.
    clock_products: HashSet<Id>,
    /// Where the values asked for now come from.
    pub(super) origin: Origin,
}

impl Graph {
    pub(super) fn new(clock: Option<usize>) -> Self {
        Self {
            nodes: Vec::new(),
            origins: Vec::new(),
            index: HashMap::new(),
            clock,
            clock_products: HashSet::new(),
            origin: Origin {
                source: Source::Expression(0),
                span: 0..0,
            },
        }
    }

    fn add(&mut self, node: Node) -> Id {
        if let Some(&id) = self.index.get(&node) {
            return id;
        }
        let id = self.nodes.len();
        self.nodes.push(node);
        self.origins.push(self.origin.clone());
        self.index.insert(node, id);
        id
    }

    /// The number of a node that is already there.
    pub(super) fn find(&self, node: Node) -> Option<Id> {
        self.index.get(&node).copied()
    }

    pub(super) fn constant(&mut self, value: f64) -> Id {
        self.add(Node::Constant(value.to_bits()))
    }

    pub(super) fn state(&mut self, index: usize) -> Id {
        let id = self.add(Node::State(index));
        if self.clock == Some(index) {
            self.clock_products.insert(id);
        }
        id
    }

    pub(super) fn parameter(&mut self, index: usize) -> Id {
        self.add(Node::Parameter(index))
    }

    /// The value of a constant.
    pub(super) fn known(&self, id: Id) -> Option<f64> {
        match self.nodes[id] {
            Node::Constant(bits) => Some(f64::from_bits(bits)),
            _ => None,
        }
    }

    pub(super) fn unary(&mut self, operation: Unary, a: Id) -> Id {
        if let Some(value) = self.known(a) {
            return self.constant(operation.apply(value));
        }
        match (operation, self.nodes[a]) {
            (Unary::Negate, Node::Unary(Unary::Negate, inner)) | (Unary::Not, Node::Unary(Unary::Not, inner)) => inner,
            _ => self.add(Node::Unary(operation, a)),
        }
    }

    pub(super) fn binary(&mut self, operation: Binary, a: Id, b: Id) -> Id {
        let (left, right) = (self.known(a), self.known(b));
        if let (Some(left), Some(right)) = (left, right) {
            return self.constant(operation.apply(left, right));
        }
        if operation == Binary::Divide
            && right.is_none()
            && let Some(smooth) = self.without_singularity(a, b)
        {
            return smooth;
        }
        let negated = |id: Id| match self.nodes[id] {
            Node::Unary(Unary::Negate, inner) => Some(inner),
            _ => None,
        };
        match (operation, left, right) {
            (Binary::Add | Binary::Subtract, _, Some(0.0)) => a,
            (Binary::Add, Some(0.0), _) => b,
            (Binary::Subtract, Some(0.0), _) => self.unary(Unary::Negate, b),
            (Binary::Multiply | Binary::Divide, _, Some(1.0)) => a,
            (Binary::Multiply, Some(1.0), _) => b,
            (Binary::Multiply | Binary::Divide, _, Some(-1.0)) => self.unary(Unary::Negate, a),
            (Binary::Multiply, Some(-1.0), _) => self.unary(Unary::Negate, b),
            (Binary::And, Some(t), _) | (Binary::Or, Some(t), _) => {
                if holds(t) == (operation == Binary::And) {
                    b
                } else {
                    a
                }
            }
            (Binary::And, _, Some(t)) | (Binary::Or, _, Some(t)) => {
                if holds(t) == (operation == Binary::And) {
                    a
                } else {
                    b
                }
            }
            _ => match (operation, negated(a), negated(b)) {
                (Binary::Add, _, Some(inner)) => self.binary(Binary::Subtract, a, inner),
                (Binary::Add, Some(inner), _) => self.binary(Binary::Subtract, b, inner),
                (Binary::Subtract, _, Some(inner)) => self.binary(Binary::Add, a, inner),
                (Binary::Multiply | Binary::Divide, ..) if self.has_clock(operation, a, b) => {
                    self.reduced_product(operation, a, b)
                }
                _ if operation.commutes() => self.add(Node::Binary(operation, a.min(b), a.max(b))),
                _ => self.add(Node::Binary(operation, a, b)),
            },
        }
    }

    /// `a^n`: by multiplications as long as they are few, so that powers of one base share them.
    pub(super) fn powi(&mut self, a: Id, n: i32) -> Id {
        const FEW: i32 = 16;
        if let Some(value) = self.known(a) {
            return self.constant(value.powi(n));
        }
        if (-FEW..0).contains(&n) {
            let below = self.powi(a, -n);
            let one = self.constant(1.0);
            return self.binary(Binary::Divide, one, below);
        }
        match n {
            0 => self.constant(1.0),
            1 => a,
            2..=FEW => {
                let square = self.binary(Binary::Multiply, a, a);
                let even = self.powi(square, n / 2);
                if n % 2 == 0 {
                    even
                } else {
                    self.binary(Binary::Multiply, a, even)
                }
            }
            _ => self.add(Node::Powi(a, n)),
        }
    }

    pub(super) fn select(&mut self, condition: Id, yes: Id, no: Id) -> Id {
        match self.known(condition) {
            Some(truth) if holds(truth) => yes,
            Some(_) => no,
            None if yes == no => yes,
            None => self.add(Node::Select(condition, yes, no)),
        }
    }

    fn has_clock(&self, operation: Binary, a: Id, b: Id) -> bool {
        let (left, right) = (self.clock_products.contains(&a), self.clock_products.contains(&b));
        left && !right || (right && !left && operation == Binary::Multiply)
    }

    /// A product or quotient that holds the phase of the forcing once, with common factors cancelled: `omega*t` with
    /// `t = phase/omega` is `phase` again, and so a forcing stays what it is, a harmonic of the phase.
    fn reduced_product(&mut self, operation: Binary, a: Id, b: Id) -> Id {
        let mut coefficient = 1.0;
        let mut factors = BTreeMap::new();
        let exponent = if operation == Binary::Divide { -1 } else { 1 };
        let mut open = vec![(a, 1), (b, exponent)];
        while let Some((id, exponent)) = open.pop() {
            match self.nodes[id] {
                Node::Constant(bits) => {
                    let value = f64::from_bits(bits);
                    coefficient *= value.powi(exponent);
                }
                Node::Unary(Unary::Negate, inner) => {
                    coefficient = -coefficient;
                    open.push((inner, exponent));
                }
                Node::Binary(Binary::Multiply, left, right) => open.extend([(left, exponent), (right, exponent)]),
                Node::Binary(Binary::Divide, left, right) => open.extend([(left, exponent), (right, -exponent)]),
                _ => *factors.entry(id).or_insert(0) += exponent,
            }
        }
        let mut above = None;
        let mut below = None;
        for (id, exponent) in factors {
            let side = if exponent > 0 { &mut above } else { &mut below };
            for _ in 0..i32::abs(exponent) {
                *side = Some(match *side {
                    None => id,
                    Some(product) => self.add(Node::Binary(Binary::Multiply, id.min(product), id.max(product))),
                });
            }
        }
        // The phase is one of the factors above, so `above` is there.
        let mut product = above.unwrap_or(a);
        if let Some(below) = below {
            product = self.add(Node::Binary(Binary::Divide, product, below));
        }
        if coefficient != 1.0 {
            let factor = self.constant(coefficient);
            product = self.add(Node::Binary(Binary::Multiply, product, factor));
        }
        self.clock_products.insert(product);
        product
    }

    /// The operands of a node.
    pub(super) fn operands(&self, id: Id) -> impl Iterator<Item = Id> + use<> {
        let all = match self.nodes[id] {
            Node::Constant(_) | Node::State(_) | Node::Parameter(_) => [None; 3],
            Node::Unary(_, a) | Node::Powi(a, _) => [Some(a), None, None],
            Node::Binary(_, a, b) => [Some(a), Some(b), None],
            Node::Select(c, a, b) => [Some(c), Some(a), Some(b)],
        };
        all.into_iter().flatten()
    }

    /// The first node, of those that `outputs` need at the point, that is not finite: what a reader wants to see.
    pub(super) fn first_not_finite(&self, outputs: &[Id], x: &[f64], p: &[f64]) -> Option<Id> {
        let mut values = vec![f64::NAN; self.nodes.len()];
        for (id, node) in self.nodes.iter().enumerate() {
            values[id] = match *node {
                Node::Constant(bits) => f64::from_bits(bits),
                Node::State(i) => x[i],
                Node::Parameter(i) => p[i],
                Node::Unary(f, a) => f.apply(values[a]),
                Node::Binary(f, a, b) => f.apply(values[a], values[b]),
                Node::Powi(a, n) => values[a].powi(n),
                Node::Select(c, a, b) => values[if holds(values[c]) { a } else { b }],
            };
        }
        let mut needed = vec![false; self.nodes.len()];
        for &output in outputs {
            needed[output] = true;
        }
        for id in (0..self.nodes.len()).rev() {
            if !needed[id] {
                continue;
            }
            if let Node::Select(c, a, b) = self.nodes[id] {
                needed[c] = true;
                needed[if holds(values[c]) { a } else { b }] = true;
            } else {
                for operand in self.operands(id) {
                    needed[operand] = true;
                }
            }
        }
        (0..self.nodes.len()).find(|&id| needed[id] && !values[id].is_finite())
    }
}
