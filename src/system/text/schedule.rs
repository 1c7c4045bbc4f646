//! From a graph to a tape: what is computed when, what can be skipped, and in which registers.
//!
//! A value that only one branch of an `if` needs is computed inside that branch and skipped when the other is taken.
//! Registers are given by a linear scan: a register is free again after the last step that reads it.

use super::graph::{Graph, Id, Node};
use super::operation::{Binary, Unary};
use super::tape::{Code, Step, Tape};
use std::collections::HashMap;

/// Compile the `outputs` of `graph`.
pub(super) fn schedule(graph: &Graph, outputs: &[Id]) -> Tape {
    let regions = Regions::of(graph, outputs);
    let steps = in_order(graph, &regions, outputs);
    let input = |pick: fn(Node) -> Option<usize>| -> Vec<(usize, Id)> {
        let mut used: Vec<_> = (0..graph.nodes.len())
            .filter(|&id| regions.of_node[id].is_some())
            .filter_map(|id| pick(graph.nodes[id]).map(|index| (index, id)))
            .collect();
        used.sort_unstable();
        used
    };
    let states = input(|node| match node {
        Node::State(i) => Some(i),
        _ => None,
    });
    let parameters = input(|node| match node {
        Node::Parameter(i) => Some(i),
        _ => None,
    });
    let inputs: Vec<Id> = states.iter().chain(&parameters).map(|(_, id)| *id).collect();
    let (steps, registers) = with_registers(&steps, &inputs);
    let mut tape = Tape {
        states: states.into_iter().map(|(index, _)| index).collect(),
        parameters: parameters.into_iter().map(|(index, _)| index).collect(),
        steps,
        registers,
        outputs: outputs.len(),
        corners: None,
        structure: None,
    };
    tape.note_structure();
    tape
}

/// The branches that each node serves: region 0 is always computed, every other one is an arm of a selection in its
/// parent.
struct Regions {
    /// Parent and depth of each region.
    tree: Vec<(usize, usize)>,
    /// The regions of the two arms of each selection.
    arms: HashMap<Id, [usize; 2]>,
    /// The region of each node; `None` when nothing needs it.
    of_node: Vec<Option<usize>>,
    /// The nodes of each region in order.
    members: Vec<Vec<Id>>,
}

impl Regions {
    fn of(graph: &Graph, outputs: &[Id]) -> Self {
        let mut regions = Self {
            tree: vec![(0, 0)],
            arms: HashMap::new(),
            of_node: vec![None; graph.nodes.len()],
            members: vec![],
        };
        for &output in outputs {
            regions.of_node[output] = Some(0);
        }
        for id in (0..graph.nodes.len()).rev() {
            let Some(region) = regions.of_node[id] else { continue };
            match graph.nodes[id] {
                Node::Select(condition, yes, no) => {
                    let first = regions.tree.len();
                    let depth = regions.tree[region].1 + 1;
                    regions.tree.extend([(region, depth); 2]);
                    regions.arms.insert(id, [first, first + 1]);
                    regions.need(condition, region);
                    regions.need(yes, first);
                    regions.need(no, first + 1);
                }
                _ => {
                    for operand in read_operands(graph, id) {
                        regions.need(operand, region);
                    }
                }
            }
        }
        regions.members = vec![vec![]; regions.tree.len()];
        for (id, region) in regions.of_node.iter().enumerate() {
            if let Some(region) = region {
                regions.members[*region].push(id);
            }
        }
        regions
    }

    fn need(&mut self, id: Id, region: usize) {
        self.of_node[id] = Some(match self.of_node[id] {
            None => region,
            Some(other) => self.common(other, region),
        });
    }

    /// The innermost region around both.
    fn common(&self, mut a: usize, mut b: usize) -> usize {
        while a != b {
            if self.tree[a].1 >= self.tree[b].1 {
                a = self.tree[a].0;
            } else {
                b = self.tree[b].0;
            }
        }
        a
    }
}

/// The constant that a step carries in itself instead of reading it from a register: its value, and is it the left
/// operand?
fn immediate(graph: &Graph, node: Node) -> Option<(f64, bool)> {
    use Binary::{Add, Divide, Less, Multiply, Subtract};
    let Node::Binary(Add | Subtract | Multiply | Divide | Less, a, b) = node else {
        return None;
    };
    let left = graph.known(a).map(|c| (c, true));
    left.or_else(|| graph.known(b).map(|c| (c, false)))
}

/// The operands of a node that are read from registers.
fn read_operands(graph: &Graph, id: Id) -> impl Iterator<Item = Id> {
    let propagates = immediate(graph, graph.nodes[id]).is_some();
    graph
        .operands(id)
        .filter(move |&operand| !(propagates && graph.known(operand).is_some()))
}

fn new_step(code: Code, read: &[Id], write: &[Id]) -> Step<Id> {
    let at = |list: &[Id], k: usize| list.get(k).copied().unwrap_or(0);
    Step {
        code,
        read: [at(read, 0), at(read, 1), at(read, 2)],
        write: [at(write, 0), at(write, 1)],
    }
}

/// The steps in order, registers named by the nodes they hold.
fn in_order(graph: &Graph, regions: &Regions, outputs: &[Id]) -> Vec<Step<Id>> {
    enum Work {
        /// The nodes of a region, from a position on.
        Region(usize, usize),
        /// Set the target of this step to the next one.
        Land(usize),
        /// The way over the second arm, at the end of the first; `Land`s the skip to the second.
        Jump(usize),
        /// A selection once its arms are done: node and operands.
        Select(Id, [Id; 3]),
    }
    let computes = |region: usize| {
        let computed = |&id: &Id| !matches!(graph.nodes[id], Node::State(_) | Node::Parameter(_));
        regions.members[region].iter().any(computed)
    };
    let mut outputs_of: HashMap<Id, Vec<u32>> = HashMap::new();
    for (&output, index) in outputs.iter().zip(0..) {
        outputs_of.entry(output).or_default().push(index);
    }
    let mut steps = Vec::new();
    let mut paired = vec![false; graph.nodes.len()];
    let mut open = vec![Work::Region(0, 0)];
    while let Some(work) = open.pop() {
        let finished = match work {
            Work::Region(region, position) => {
                let Some(&id) = regions.members[region].get(position) else {
                    continue;
                };
                open.push(Work::Region(region, position + 1));
                if let Node::Select(condition, yes, no) = graph.nodes[id] {
                    open.push(Work::Select(id, [condition, yes, no]));
                    let [first, second] = regions.arms[&id];
                    let skip = steps.len();
                    let wanted = computes(first);
                    if computes(first) && computes(second) {
                        // Jump lands the skip and leaves its own landing to the end of the second arm.
                        open.extend([Work::Region(second, 0), Work::Jump(skip), Work::Region(first, 0)]);
                    } else if computes(first) || computes(second) {
                        let arm = if wanted { first } else { second };
                        open.extend([Work::Land(skip), Work::Region(arm, 0)]);
                    } else {
                        continue;
                    }
                    steps.push(new_step(Code::Skip { wanted, target: 0 }, &[condition], &[]));
                    continue;
                }
                if !paired[id] {
                    steps.extend(step(graph, regions, id, &mut paired));
                }
                id
            }
            Work::Jump(skip) => {
                let jump = steps.len();
                steps.push(new_step(Code::Jump(0), &[], &[]));
                land(&mut steps, skip);
                // Below the second arm on the stack, so that it comes after it.
                open.insert(open.len() - 1, Work::Land(jump));
                continue;
            }
            Work::Land(step) => {
                land(&mut steps, step);
                continue;
            }
            Work::Select(id, operands) => {
                steps.push(new_step(Code::Select, &operands, &[id]));
                id
            }
        };
        for &index in outputs_of.get(&finished).into_iter().flatten() {
            steps.push(new_step(Code::Output(index), &[finished], &[]));
        }
    }
    steps
}

/// Make a skip or jump go on at the next step.
fn land(steps: &mut [Step<Id>], from: usize) {
    let next = steps.len() as u32;
    if let Code::Skip { target, .. } | Code::Jump(target) = &mut steps[from].code {
        *target = next;
    }
}

/// The step that computes one node that is no selection; none for an input.
fn step(graph: &Graph, regions: &Regions, id: Id, paired: &mut [bool]) -> Option<Step<Id>> {
    let node = graph.nodes[id];
    let (code, read) = match (node, immediate(graph, node)) {
        (Node::State(_) | Node::Parameter(_) | Node::Select(..), _) => return None,
        (Node::Constant(bits), _) => (Code::Constant(f64::from_bits(bits)), [0, 0]),
        (Node::Binary(f, a, b), Some((k, left))) => {
            let code = match (f, left) {
                (Binary::Add, _) => Code::Shift(k),
                (Binary::Subtract, true) => Code::Reflect(k),
                (Binary::Subtract, false) => Code::Shift(-k),
                (Binary::Divide, true) => Code::Invert(k),
                (Binary::Divide, false) => Code::Shrink(k),
                (Binary::Less, true) => Code::Above(k),
                (Binary::Less, false) => Code::Below(k),
                _ => Code::Scale(k),
            };
            (code, [if left { b } else { a }, 0])
        }
        (Node::Binary(f, a, b), None) => {
            let code = match f {
                Binary::Add => Code::Add,
                Binary::Subtract => Code::Subtract,
                Binary::Multiply => Code::Multiply,
                Binary::Divide => Code::Divide,
                _ => Code::Binary(f),
            };
            (code, [a, b])
        }
        (Node::Powi(a, n), _) => (Code::Powi(n), [a, 0]),
        (Node::Unary(Unary::Negate, a), _) => (Code::Negate, [a, 0]),
        (Node::Unary(f, a), _) => {
            if let Some(partner) = partner(graph, f, a)
                && regions.of_node[partner] == regions.of_node[id]
            {
                paired[partner] = true;
                let write = if f == Unary::Sin { [id, partner] } else { [partner, id] };
                return Some(new_step(Code::SinCos, &[a], &write));
            }
            (Code::Unary(f), [a, 0])
        }
    };
    Some(new_step(code, &read, &[id]))
}

/// The cosine of the same argument for a sine, and conversely.
fn partner(graph: &Graph, f: Unary, a: Id) -> Option<Id> {
    match f {
        Unary::Sin => graph.find(Node::Unary(Unary::Cos, a)),
        Unary::Cos => graph.find(Node::Unary(Unary::Sin, a)),
        _ => None,
    }
}

/// Numbered registers in place of nodes, the inputs in the first ones; and how many registers there are.
fn with_registers(steps: &[Step<Id>], inputs: &[Id]) -> (Vec<Step>, usize) {
    let mut last_read = HashMap::new();
    for (at, step) in steps.iter().enumerate() {
        for &id in &step.read[..step.code.reads()] {
            last_read.insert(id, at);
        }
    }
    let mut register_of: HashMap<Id, u32> = inputs.iter().copied().zip(0..).collect();
    let mut count = inputs.len() as u32;
    let mut free = vec![];
    let mut numbered = Vec::with_capacity(steps.len());
    for (at, step) in steps.iter().enumerate() {
        let (reads, writes) = (step.code.reads(), step.code.writes());
        let mut done = Step {
            code: step.code,
            read: [0; 3],
            write: [0; 2],
        };
        for (register, id) in done.read.iter_mut().zip(&step.read[..reads]) {
            *register = register_of.get(id).copied().unwrap_or(0);
        }
        for id in &step.read[..reads] {
            if last_read.get(id) == Some(&at) {
                free.extend(register_of.remove(id));
            }
        }
        for (register, &id) in done.write.iter_mut().zip(&step.write[..writes]) {
            *register = free.pop().unwrap_or_else(|| {
                count += 1;
                count - 1
            });
            register_of.insert(id, *register);
        }
        numbered.push(done);
    }
    (numbered, count as usize)
}
