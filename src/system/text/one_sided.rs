//! Computations with the sides of their corners held.
//!
//! With the side of every operation held, a computation is a smooth one that goes on beyond the corner: so a curve is
//! followed up to the corner, which is met just where the argument vanishes.

use super::corners::{Corners, Kind, operands};
use super::graph::{Graph, Id, Node};
use super::operation::{Binary, Unary, holds};
use super::schedule::schedule;
use super::tape::Tape;

/// A computation with the sides of its corners held.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq)]
pub struct OneSided {
    /// For each operation the sign of its argument or the cell in which it is; none for those whose argument vanishes,
    /// which are left as they are.
    pub sides: Vec<Option<f64>>,
    /// Which of them take part.
    pub active: Vec<bool>,
    /// The smooth computation.
    pub outputs: Tape,
    /// For each operation a number that is positive on its side.
    pub margins: Tape,
}

impl Corners {
    /// The computation with these sides held.
    pub fn one_sided(&self, sides: &[Option<f64>]) -> OneSided {
        let mut graph = Graph::new(None);
        let new = self.rebuilt(&mut graph, sides);
        let taken = |c: Id| graph.known(new[c]).map(holds);
        let active = self.active(taken);
        let mut margins = vec![];
        for ((b, side), active) in self.breaks.iter().zip(sides).zip(&active) {
            let argument = new[b.argument];
            margins.push(match (side, b.kind) {
                // The root of max(x, 0) where x is negative: nothing comes nearer to the edge.
                (Some(_), Kind::Edge) if graph.known(argument).is_some() => graph.constant(1.0),
                (Some(side), Kind::Cell) if *active => {
                    let (low, high) = (graph.constant(*side), graph.constant(side + 1.0));
                    let above = graph.binary(Binary::Subtract, argument, low);
                    let below = graph.binary(Binary::Subtract, high, argument);
                    graph.binary(Binary::Multiply, above, below)
                }
                (Some(side), _) if *active => {
                    let side = graph.constant(*side);
                    graph.binary(Binary::Multiply, argument, side)
                }
                _ => graph.constant(1.0),
            });
        }
        let outputs: Vec<Id> = self.outputs.iter().map(|&o| new[o]).collect();
        OneSided {
            sides: sides.to_vec(),
            active: active.iter().zip(sides).map(|(a, s)| *a && s.is_some()).collect(),
            outputs: schedule(&graph, &outputs),
            margins: schedule(&graph, &margins),
        }
    }

    /// The sides that are held, and of operations that take no part those on which a point lies: nothing tells when
    /// their arguments pass zero.
    pub fn sides_at(&self, fixed: &OneSided, x: &[f64], p: &[f64], sizes: &[f64]) -> Vec<Option<f64>> {
        let here = self.sides(x, p, sizes);
        let all = fixed.sides.iter().zip(&fixed.active).zip(here);
        all.map(|((side, active), here)| if *active { *side } else { here.or(*side) })
            .collect()
    }

    /// The computation again, with these sides held: what each node becomes in `graph`.
    fn rebuilt(&self, graph: &mut Graph, sides: &[Option<f64>]) -> Vec<Id> {
        let side_of = |id: Id| {
            let at = self.breaks.iter().position(|b| b.node == id)?;
            sides[at]
        };
        let mut new: Vec<Id> = Vec::with_capacity(self.nodes.len());
        for (id, node) in self.nodes.iter().enumerate() {
            let made = match (*node, side_of(id)) {
                (Node::Unary(Unary::Abs, a), Some(side)) if side < 0.0 => graph.unary(Unary::Negate, new[a]),
                (Node::Unary(Unary::Abs, a), Some(_)) => new[a],
                (Node::Unary(Unary::Sign | Unary::Floor, _), Some(side)) => graph.constant(side),
                (Node::Unary(Unary::Heaviside, _), Some(side)) => graph.constant(0.5 * (side + 1.0)),
                (Node::Binary(Binary::Mod, a, b), Some(side)) => {
                    let cell = graph.constant(side);
                    let off = graph.binary(Binary::Multiply, new[b], cell);
                    graph.binary(Binary::Subtract, new[a], off)
                }
                (Node::Binary(Binary::Min, a, b), Some(side)) => new[if side < 0.0 { a } else { b }],
                (Node::Binary(Binary::Max, a, b), Some(side)) => new[if side > 0.0 { a } else { b }],
                (Node::Binary(Binary::Less | Binary::LessEqual, ..), Some(side)) => {
                    graph.constant(if side > 0.0 { 1.0 } else { 0.0 })
                }
                (Node::Constant(bits), _) => graph.constant(f64::from_bits(bits)),
                (Node::State(i), _) => graph.state(i),
                (Node::Parameter(i), _) => graph.parameter(i),
                (Node::Unary(f, a), _) => graph.unary(f, new[a]),
                (Node::Binary(f, a, b), _) => fixed_binary(graph, f, new[a], new[b]),
                (Node::Powi(a, n), _) => graph.powi(new[a], n),
                (Node::Select(c, a, b), _) => graph.select(new[c], new[a], new[b]),
            };
            new.push(made);
        }
        new
    }

    /// Scalars of the states, of which one changes sign wherever the computation has a corner or jumps.
    pub fn surfaces(&self) -> Vec<Tape> {
        self.surfaces_by(|_| true)
    }

    /// Those of them that these states alone decide, in an order in which each is smooth between those before it.
    pub fn surfaces_by(&self, decides: impl Fn(usize) -> bool) -> Vec<Tape> {
        let moves = self.moving();
        let others = self.decided_by(|i| !decides(i));
        let decided = self.breaks.iter().filter(|b| moves[b.argument] && !others[b.argument]);
        let mut decided = decided.peekable();
        if decided.peek().is_none() {
            return vec![];
        }
        let mut graph = Graph::new(None);
        let new = self.rebuilt(&mut graph, &vec![None; self.breaks.len()]);
        let mut surfaces = vec![];
        for b in decided {
            let Some(surface) = surface_of(&mut graph, b.kind, new[b.argument]) else {
                continue;
            };
            if !surfaces.contains(&surface) {
                surfaces.push(surface);
            }
        }
        surfaces.into_iter().map(|s| schedule(&graph, &[s])).collect()
    }

    /// The operations that have sides, by their numbers, each with a scalar of the states that changes sign where they
    /// change.
    pub fn with_sides(&self) -> Vec<(usize, Tape)> {
        let mut graph = Graph::new(None);
        let new = self.rebuilt(&mut graph, &vec![None; self.breaks.len()]);
        let all = self.breaks.iter().enumerate();
        all.filter_map(|(k, b)| {
            let surface = surface_of(&mut graph, b.kind, new[b.argument])?;
            Some((k, schedule(&graph, &[surface])))
        })
        .collect()
    }

    /// Which operations take part where conditions are known: those of a branch that is not taken do not.
    fn active(&self, taken: impl Fn(Id) -> Option<bool>) -> Vec<bool> {
        let mut needed = vec![false; self.nodes.len()];
        self.outputs.iter().for_each(|&o| needed[o] = true);
        for id in (0..self.nodes.len()).rev() {
            if !needed[id] {
                continue;
            }
            match self.nodes[id] {
                Node::Select(c, a, b) => {
                    needed[c] = true;
                    let way = taken(c);
                    needed[a] |= way != Some(false);
                    needed[b] |= way != Some(true);
                }
                ref node => operands(node).for_each(|o| needed[o] = true),
            }
        }
        self.breaks.iter().map(|b| needed[b.node]).collect()
    }
}

/// What changes sign where the side of an operation changes; none where it ends there.
fn surface_of(graph: &mut Graph, kind: Kind, argument: Id) -> Option<Id> {
    match kind {
        Kind::Sign => Some(argument),
        // It has a zero at every whole number.
        Kind::Cell => {
            let pi = graph.constant(std::f64::consts::PI);
            let turned = graph.binary(Binary::Multiply, pi, argument);
            Some(graph.unary(Unary::Sin, turned))
        }
        Kind::Denominator | Kind::Edge => None,
    }
}

/// An operation between values with sides held: `(x + abs(x))/2` and `x*heaviside(x)` are zero on one side, where no
/// root of them comes to its edge.
fn fixed_binary(graph: &mut Graph, operation: Binary, a: Id, b: Id) -> Id {
    let by_zero = operation == Binary::Multiply && [a, b].into_iter().any(|f| graph.known(f) == Some(0.0));
    let made = graph.binary(operation, a, b);
    let is_sum = matches!(operation, Binary::Add | Binary::Subtract);
    if by_zero || is_sum && graph.cancels(made) {
        return graph.constant(0.0);
    }
    made
}
