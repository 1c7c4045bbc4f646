//! Where a computation is not smooth: the corners and jumps of `abs`, `min`, `if` and the like, and the zeros of
//! denominators.
//!
//! Each such operation has an argument whose sign (or cell, for `floor` and `mod`) decides what is computed.

use super::graph::{Graph, Id, Node, Origin, Source};
use super::operation::{Binary, Unary, holds};
use std::ops::Range;

/// An argument this small, relative to the numbers that it is made of, is zero: the point lies on the corner.
const ON: f64 = 1e-9;

/// What `if`, `<` and the like are called.
pub const CONDITION: &str = "a condition";

/// Why a computation is not smooth somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The side is the sign of an argument.
    Sign,
    /// The side is the integer below an argument.
    Cell,
    /// An argument must not pass zero: a denominator.
    Denominator,
    /// An argument must stay positive: the edge of the domain of a root, a logarithm or an inverse function.
    Edge,
}

/// One operation that is not smooth.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Break {
    pub(super) node: Id,
    pub(super) kind: Kind,
    /// What decides.
    pub(super) argument: Id,
    /// How it is called and what its argument is, as the text writes them.
    name: String,
    place: String,
    source: Source,
    span: Range<usize>,
}

/// The operations of a computation that are not smooth where their arguments vanish.
///
/// ```
/// use slipstick_system::Formula;
/// use slipstick_system::text::{Expression, Scope};
/// let mut scope = Scope::new();
/// scope.state("x")?;
/// let tape = scope.compile_piecewise(&[&Expression::parse("1 - abs(x)")?]).unwrap();
/// let corners = tape.corners().ok_or("no corner")?;
/// assert_eq!(corners.describe(0), "corner of abs at x = 0");
/// // A polynomial has none.
/// assert!(scope.compile_piecewise(&[&Expression::parse("x^3 - x")?]).unwrap().corners().is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Corners {
    pub(super) nodes: Vec<Node>,
    pub(super) outputs: Vec<Id>,
    pub(super) breaks: Vec<Break>,
}

impl Corners {
    /// Those of the outputs of a graph, if there are any; `texts` gives what a place in the text says.
    pub(super) fn of(mut graph: Graph, outputs: &[Id], texts: impl Fn(&Origin) -> String) -> Option<Self> {
        let mut needed = vec![false; graph.nodes.len()];
        outputs.iter().for_each(|&o| needed[o] = true);
        for id in (0..graph.nodes.len()).rev() {
            if needed[id] {
                graph.operands(id).for_each(|o| needed[o] = true);
            }
        }
        let mut breaks = vec![];
        for id in 0..needed.len() {
            if !needed[id] {
                continue;
            }
            let (kind, argument) = match graph.nodes[id] {
                Node::Unary(Unary::Abs | Unary::Sign | Unary::Heaviside, a) => (Kind::Sign, a),
                Node::Unary(Unary::Floor, a) => (Kind::Cell, a),
                Node::Unary(Unary::Tan, a) => (Kind::Denominator, graph.unary(Unary::Cos, a)),
                Node::Binary(Binary::Min | Binary::Max, a, b) => (Kind::Sign, graph.binary(Binary::Subtract, a, b)),
                Node::Binary(Binary::Less | Binary::LessEqual, a, b) => {
                    (Kind::Sign, graph.binary(Binary::Subtract, b, a))
                }
                Node::Binary(Binary::Mod, a, b) => (Kind::Cell, graph.binary(Binary::Divide, a, b)),
                Node::Binary(Binary::Divide, _, b) if graph.known(b).is_none() => (Kind::Denominator, b),
                Node::Unary(Unary::Sqrt | Unary::Ln | Unary::Log10, a) if graph.known(a).is_none() => (Kind::Edge, a),
                Node::Unary(Unary::Asin | Unary::Acos, a) if graph.known(a).is_none() => {
                    let (one, square) = (graph.constant(1.0), graph.powi(a, 2));
                    (Kind::Edge, graph.binary(Binary::Subtract, one, square))
                }
                _ => continue,
            };
            let origin = graph.origins[id].clone();
            let (name, place) = names(&texts(&origin), &graph.nodes[id]);
            breaks.push(Break {
                node: id,
                kind,
                argument,
                name,
                place,
                source: origin.source,
                span: origin.span,
            });
        }
        (!breaks.is_empty()).then(|| Self {
            nodes: graph.nodes,
            outputs: outputs.to_vec(),
            breaks,
        })
    }

    /// The same computation of arguments and outputs in other units: its arguments are multiplied by `arguments` first,
    /// what comes out by `values`.
    pub(crate) fn in_units(&self, arguments: &[f64], values: &[f64]) -> Self {
        let mut nodes: Vec<Node> = Vec::with_capacity(self.nodes.len());
        let times = |nodes: &mut Vec<Node>, id: Id, unit: f64| {
            nodes.push(Node::Constant(unit.to_bits()));
            nodes.push(Node::Binary(Binary::Multiply, id, nodes.len() - 1));
            nodes.len() - 1
        };
        let mut new: Vec<Id> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            nodes.push(match *node {
                Node::Constant(_) | Node::State(_) | Node::Parameter(_) => *node,
                Node::Unary(f, a) => Node::Unary(f, new[a]),
                Node::Binary(f, a, b) => Node::Binary(f, new[a], new[b]),
                Node::Powi(a, n) => Node::Powi(new[a], n),
                Node::Select(c, a, b) => Node::Select(new[c], new[a], new[b]),
            });
            let id = nodes.len() - 1;
            new.push(match *node {
                Node::State(i) if arguments[i] != 1.0 => times(&mut nodes, id, arguments[i]),
                _ => id,
            });
        }
        let outputs = self.outputs.iter().zip(values);
        Self {
            outputs: outputs.map(|(&id, &unit)| times(&mut nodes, new[id], unit)).collect(),
            breaks: self
                .breaks
                .iter()
                .map(|b| Break {
                    node: new[b.node],
                    argument: new[b.argument],
                    ..b.clone()
                })
                .collect(),
            nodes,
        }
    }

    /// Those of this computation and of another one of the same states, one after the other.
    pub(crate) fn followed_by(&self, next: &Self) -> Self {
        let by = self.nodes.len();
        let moved = next.nodes.iter().map(|node| match *node {
            Node::Constant(_) | Node::State(_) | Node::Parameter(_) => *node,
            Node::Unary(f, a) => Node::Unary(f, a + by),
            Node::Binary(f, a, b) => Node::Binary(f, a + by, b + by),
            Node::Powi(a, n) => Node::Powi(a + by, n),
            Node::Select(c, a, b) => Node::Select(c + by, a + by, b + by),
        });
        let breaks = next.breaks.iter().map(|b| Break {
            node: b.node + by,
            argument: b.argument + by,
            ..b.clone()
        });
        Self {
            nodes: self.nodes.iter().copied().chain(moved).collect(),
            outputs: self
                .outputs
                .iter()
                .copied()
                .chain(next.outputs.iter().map(|o| o + by))
                .collect(),
            breaks: self.breaks.iter().cloned().chain(breaks).collect(),
        }
    }

    /// What happens at operation number `index`, in words.
    pub fn describe(&self, index: usize) -> String {
        let Break { name, place, kind, .. } = &self.breaks[index];
        match kind {
            Kind::Denominator => format!("zero of the denominator of {place}"),
            Kind::Edge => format!("edge of the domain of {name}, {place}"),
            _ => format!("corner of {name} at {place}"),
        }
    }

    /// The same, for operations that jump there.
    pub fn describe_jump(&self, index: usize) -> String {
        let Break { name, place, .. } = &self.breaks[index];
        format!("jump of {name} at {place}")
    }

    /// Those operations that are not smooth where states enter: what they are called and where they stand in the texts.
    pub fn of_states(&self) -> Vec<(String, Source, Range<usize>)> {
        let moves = self.moving();
        let corners = self
            .breaks
            .iter()
            .filter(|b| !matches!(b.kind, Kind::Denominator | Kind::Edge));
        corners
            .filter(|b| moves[b.argument])
            .map(|b| (b.name.clone(), b.source.clone(), b.span.clone()))
            .collect()
    }

    /// Those operations that may jump where states enter, as [`Corners::of_states`]; true for those that clocks alone
    /// decide.
    pub fn jumps_of_states(&self, is_clock: impl Fn(usize) -> bool) -> Vec<(String, Source, Range<usize>, bool)> {
        let (moves, others) = (self.moving(), self.decided_by(|i| !is_clock(i)));
        let jumps = |b: &&Break| {
            let node = &self.nodes[b.node];
            let sides = matches!(node, Node::Unary(Unary::Sign | Unary::Heaviside | Unary::Floor, _));
            sides || matches!(node, Node::Binary(Binary::Less | Binary::LessEqual | Binary::Mod, ..))
        };
        let jumping = self.breaks.iter().filter(jumps).filter(|b| moves[b.argument]);
        jumping
            .map(|b| (b.name.clone(), b.source.clone(), b.span.clone(), !others[b.argument]))
            .collect()
    }

    /// Are there operations that have sides, or are there denominators and edges only?
    pub fn has_sides(&self) -> bool {
        let ends = |b: &Break| matches!(b.kind, Kind::Denominator | Kind::Edge);
        !self.breaks.iter().all(ends)
    }

    /// How many operations there are.
    pub fn count(&self) -> usize {
        self.breaks.len()
    }

    /// Do the equations end, rather than change, where the argument of operation number `index` vanishes?
    pub fn ends_there(&self, index: usize) -> bool {
        matches!(self.breaks[index].kind, Kind::Denominator | Kind::Edge)
    }

    /// The edges of domains of functions that a point lies next to, within this part of the numbers that their
    /// arguments are made of, by the numbers of the operations.
    pub fn edges_near(&self, x: &[f64], p: &[f64], sizes: &[f64], near: f64) -> impl Iterator<Item = usize> {
        let arguments = self.arguments(x, p, sizes);
        let edges = (0..self.breaks.len()).filter(|&k| self.breaks[k].kind == Kind::Edge);
        edges.filter(move |&k| {
            let (v, size) = arguments[k];
            v <= near * size && (v <= 0.0 || self.can_vanish(self.breaks[k].argument, (x, p), sizes))
        })
    }

    /// The denominators among the operations, by their numbers: the size of each at a point, and as a part of the
    /// numbers that it is made of. Where the numerator vanishes as well, as in `x/(exp(x) - 1)`, the quotient may have
    /// a value, and there is none.
    pub fn denominators(&self, x: &[f64], p: &[f64], sizes: &[f64]) -> Vec<(usize, f64, f64)> {
        /// A numerator below this part of what it is made of vanishes.
        const VANISHES: f64 = 1e-3;
        let (values, weights) = self.weighted(x, p, sizes);
        let numerator = |b: &Break| match self.nodes[b.node] {
            Node::Binary(Binary::Divide, a, _) => values[a].abs() > VANISHES * weights[a],
            _ => true,
        };
        let all = self.breaks.iter().enumerate();
        all.filter(|(_, b)| b.kind == Kind::Denominator && numerator(b))
            .map(|(k, b)| {
                let size = values[b.argument].abs();
                (k, size, size / weights[b.argument])
            })
            .collect()
    }

    /// Are there denominators that states enter?
    pub fn has_poles(&self) -> bool {
        let moves = self.moving();
        self.breaks
            .iter()
            .any(|b| b.kind == Kind::Denominator && moves[b.argument])
    }

    /// Does a positive value fall to zero when a state, or a parameter, moves by a small part of its size? The numbers
    /// that a long formula is made of may all be far larger than anything that it can come near to: `(a - b)^2 + 1`.
    fn can_vanish(&self, id: Id, (x, p): (&[f64], &[f64]), sizes: &[f64]) -> bool {
        const SMALL: f64 = 1e-3;
        let vanishes = |x: &[f64], p: &[f64]| !(self.values(x, p)[id] > 0.0);
        let among = |values: &[f64], size: &dyn Fn(usize) -> f64, vanishes: &dyn Fn(&[f64]) -> bool| {
            (0..values.len()).any(|i| {
                [-SMALL, SMALL].into_iter().any(|part| {
                    let mut there = values.to_vec();
                    there[i] += part * size(i);
                    vanishes(&there)
                })
            })
        };
        among(x, &|i| x[i].abs().max(sizes[i]), &|x| vanishes(x, p)) || among(p, &|i| p[i].abs(), &|p| vanishes(x, p))
    }

    /// The values of all nodes at a point.
    fn values(&self, x: &[f64], p: &[f64]) -> Vec<f64> {
        let mut values: Vec<f64> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            values.push(match *node {
                Node::Constant(bits) => f64::from_bits(bits),
                Node::State(i) => x[i],
                Node::Parameter(i) => p[i],
                Node::Unary(f, a) => f.apply(values[a]),
                Node::Binary(f, a, b) => f.apply(values[a], values[b]),
                Node::Powi(a, n) => values[a].powi(n),
                Node::Select(c, a, b) => values[if holds(values[c]) { a } else { b }],
            });
        }
        values
    }

    /// The arguments that decide, each with the size of the numbers it is made of where states count at least as much
    /// as `sizes`.
    pub fn arguments(&self, x: &[f64], p: &[f64], sizes: &[f64]) -> Vec<(f64, f64)> {
        let (values, weights) = self.weighted(x, p, sizes);
        self.breaks
            .iter()
            .map(|b| (values[b.argument], weights[b.argument]))
            .collect()
    }

    /// The values of all nodes, and the sizes of the numbers that each is made of.
    fn weighted(&self, x: &[f64], p: &[f64], sizes: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let values = self.values(x, p);
        let mut weights: Vec<f64> = Vec::with_capacity(values.len());
        for (id, node) in self.nodes.iter().enumerate() {
            weights.push(match *node {
                Node::State(i) => x[i].abs().max(sizes[i]),
                Node::Unary(Unary::Negate | Unary::Abs, a) => weights[a],
                Node::Binary(Binary::Add | Binary::Subtract, a, b) => weights[a] + weights[b],
                Node::Binary(Binary::Min | Binary::Max, a, b) => weights[a].max(weights[b]),
                Node::Binary(Binary::Multiply, a, b) => weights[a] * weights[b],
                Node::Binary(Binary::Divide, a, b) => weights[a] / values[b].abs(),
                _ => values[id].abs(),
            });
        }
        (values, weights)
    }

    /// The sides on which a point lies; none where it lies on the corner itself.
    pub fn sides(&self, x: &[f64], p: &[f64], sizes: &[f64]) -> Vec<Option<f64>> {
        let arguments = self.arguments(x, p, sizes);
        let pairs = self.breaks.iter().zip(arguments);
        pairs
            .map(|(b, (v, size))| match b.kind {
                _ if !v.is_finite() => None,
                Kind::Cell if (v - v.round()).abs() <= ON * size => None,
                Kind::Cell => Some(v.floor()),
                _ if v.abs() <= ON * size => None,
                _ => Some(v.signum()),
            })
            .collect()
    }

    /// The side beyond the corner that operation number `index` is met at from `side`, where its argument is `v`.
    pub fn beyond(&self, index: usize, side: f64, v: f64) -> f64 {
        match self.breaks[index].kind {
            Kind::Cell if v.round() > side => side + 1.0,
            Kind::Cell => side - 1.0,
            _ => -side,
        }
    }

    /// The two sides of operation number `index` next to the corner that its argument `v` lies on.
    pub fn around(&self, index: usize, v: f64) -> [f64; 2] {
        match self.breaks[index].kind {
            Kind::Cell => [v.round() - 1.0, v.round()],
            _ => [-1.0, 1.0],
        }
    }

    /// Which nodes states enter.
    pub(super) fn moving(&self) -> Vec<bool> {
        self.decided_by(|_| true)
    }

    /// Which nodes these states enter.
    pub(super) fn decided_by(&self, enters: impl Fn(usize) -> bool) -> Vec<bool> {
        let mut moves = vec![false; self.nodes.len()];
        for (id, node) in self.nodes.iter().enumerate() {
            moves[id] = matches!(node, Node::State(i) if enters(*i)) || operands(node).any(|o| moves[o]);
        }
        moves
    }
}

/// The operands of a node.
pub(super) fn operands(node: &Node) -> impl Iterator<Item = Id> + use<> {
    let all = match *node {
        Node::Constant(_) | Node::State(_) | Node::Parameter(_) => [None; 3],
        Node::Unary(_, a) | Node::Powi(a, _) => [Some(a), None, None],
        Node::Binary(_, a, b) => [Some(a), Some(b), None],
        Node::Select(c, a, b) => [Some(c), Some(a), Some(b)],
    };
    all.into_iter().flatten()
}

/// What an operation is called, and where its corner lies, from its text.
fn names(text: &str, node: &Node) -> (String, String) {
    let text = text.trim();
    let inside = text
        .split_once('(')
        .and_then(|(name, rest)| Some((name.trim(), rest.strip_suffix(')')?)));
    match (node, inside) {
        (Node::Unary(f, _), Some((name, argument))) if *f != Unary::Tan => match f {
            Unary::Floor => (name.to_owned(), format!("a whole number of {}", argument.trim())),
            Unary::Asin | Unary::Acos => (name.to_owned(), format!("abs({}) = 1", argument.trim())),
            _ => (name.to_owned(), format!("{} = 0", argument.trim())),
        },
        (Node::Binary(Binary::Min | Binary::Max, ..), Some((name, arguments))) => {
            (name.to_owned(), format!("equal arguments ({})", arguments.trim()))
        }
        (Node::Binary(Binary::Mod, ..), Some((name, arguments))) => {
            (name.to_owned(), format!("the end of a turn of ({})", arguments.trim()))
        }
        (Node::Binary(Binary::Less | Binary::LessEqual, ..), _) => {
            (CONDITION.to_owned(), format!("the border of `{text}`"))
        }
        _ => (format!("`{text}`"), format!("`{text}`")),
    }
}
