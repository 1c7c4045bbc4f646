//! A compiled computation: a list of operations on registers.

use super::corners::Corners;
use super::operation::{Binary, Unary, holds, truth};
use crate::{Formula, SharedFunction, Structure};
use slipstick_numerics::scalar::Scalar;
use std::sync::Arc;

/// What one step does with the registers it reads, `a`, `b` and `c`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Code {
    Constant(f64),
    Negate,
    Add,
    Subtract,
    Multiply,
    Divide,
    /// `a + k`
    Shift(f64),
    /// `k - a`
    Reflect(f64),
    /// `k a`
    Scale(f64),
    /// `a / k`
    Shrink(f64),
    /// `k / a`
    Invert(f64),
    /// The truth of `a < k`.
    Below(f64),
    /// The truth of `a > k`.
    Above(f64),
    Powi(i32),
    /// Writes two registers.
    SinCos,
    Unary(Unary),
    Binary(Binary),
    /// `b` if the truth `a` holds, else `c`.
    Select,
    /// Go on at step `target` unless the truth `a` is `wanted`: the steps between serve one branch only.
    Skip {
        wanted: bool,
        target: u32,
    },
    /// Go on at this step.
    Jump(u32),
    /// Write `a` as this output.
    Output(u32),
}

/// One step of a tape. `R` names registers: by the node they hold while the tape is laid out, by number in the end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Step<R = u32> {
    pub(super) code: Code,
    pub(super) read: [R; 3],
    pub(super) write: [R; 2],
}

impl Code {
    /// How many registers are read.
    pub(super) fn reads(self) -> usize {
        match self {
            Self::Constant(_) | Self::Jump(_) => 0,
            Self::Add | Self::Subtract | Self::Multiply | Self::Divide | Self::Binary(_) => 2,
            Self::Select => 3,
            _ => 1,
        }
    }
    /// How many registers are written.
    pub(super) fn writes(self) -> usize {
        match self {
            Self::Skip { .. } | Self::Jump(_) | Self::Output(_) => 0,
            Self::SinCos => 2,
            _ => 1,
        }
    }
}

/// A compiled map from states and parameters to numbers: a [`Formula`], so it can be evaluated in every kind of scalar.
///
/// Evaluation allocates nothing as long as no more than 128 values are alive at once.
///
/// ```
/// use slipstick_system::text::{Expression, Scope};
/// use slipstick_system::jacobian;
/// let mut scope = Scope::new();
/// for name in ["x", "y"] {
///     scope.state(name)?;
/// }
/// scope.parameter("mu")?;
/// let tape = scope.compile(&[&Expression::parse("mu*(1 - x^2)")?]).unwrap();
/// assert_eq!((tape.states(), tape.parameters()), (&[0][..], &[0][..]), "y does not enter");
/// // Being a formula it has exact derivatives: ∂x = -2 μ x, ∂μ = 1 - x².
/// let (mut value, mut dx, mut dp) = ([0.0], [0.0; 2], [0.0]);
/// jacobian(&tape, &[3.0, 0.0], &[0.5], &[0], &mut value, &mut dx, &mut dp);
/// assert_eq!((value, dx, dp), ([-4.0], [-3.0, 0.0], [-8.0]));
/// # Ok::<(), slipstick_system::text::TextError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Tape {
    /// Where the first registers are loaded from: states, then parameters.
    pub(super) states: Vec<usize>,
    pub(super) parameters: Vec<usize>,
    pub(super) steps: Vec<Step>,
    pub(super) registers: usize,
    pub(super) outputs: usize,
    /// Where it is not smooth.
    pub(super) corners: Option<Arc<Corners>>,
    /// Which states each output depends on, where these are many.
    pub(super) structure: Option<Arc<Structure>>,
}

/// Up to so many states all derivatives are taken in one pass, whatever depends on what.
const FEW: usize = 8;
/// With more than one entry in so many the Jacobian counts as full.
const FULL: usize = 4;

impl Tape {
    /// The same behind a pointer. Made here, all its kinds of number are compiled once, with the speed of this crate.
    pub fn shared(self) -> SharedFunction {
        Arc::new(self)
    }

    /// The indices of the states that enter.
    pub fn states(&self) -> &[usize] {
        &self.states
    }

    /// The indices of the parameters that enter.
    pub fn parameters(&self) -> &[usize] {
        &self.parameters
    }

    /// How many steps an evaluation takes at most.
    pub fn steps(&self) -> usize {
        self.steps.len()
    }

    /// Note which states each output depends on. Steps that may be skipped count as taken: what they write is read
    /// inside of their branch, or chosen at its end.
    pub(super) fn note_structure(&mut self) {
        if self.states.len() <= FEW {
            return;
        }
        let mut known: Vec<Vec<usize>> = vec![vec![]; self.registers];
        for (known, state) in known.iter_mut().zip(&self.states) {
            known.push(*state);
        }
        let mut rows = vec![vec![]; self.outputs];
        for step in &self.steps {
            let mut union: Vec<usize> = vec![];
            for register in &step.read[..step.code.reads()] {
                union.extend_from_slice(&known[*register as usize]);
            }
            union.sort_unstable();
            union.dedup();
            if let Code::Output(index) = step.code {
                rows[index as usize] = union;
                continue;
            }
            for register in &step.write[..step.code.writes()] {
                known[*register as usize].clone_from(&union);
            }
        }
        // Where nearly everything depends on everything, nothing is gained.
        let entries: usize = rows.iter().map(Vec::len).sum();
        if FULL * entries > self.states.len() * rows.len() {
            return;
        }
        let arguments = self.states.iter().max().map_or(0, |last| last + 1);
        self.structure = Some(Arc::new(Structure::new(arguments, &rows)));
    }

    fn input<T: Scalar>(&self, register: usize, x: &[T], p: &[T]) -> T {
        let states = self.states.len();
        if register < states {
            x[self.states[register]]
        } else if register < states + self.parameters.len() {
            p[self.parameters[register - states]]
        } else {
            T::zero()
        }
    }

    #[inline(never)]
    fn on_stack<T: Scalar, const N: usize>(&self, x: &[T], p: &[T], out: &mut [T]) {
        let mut registers = [T::zero(); N];
        for (register, input) in registers[..self.states.len() + self.parameters.len()]
            .iter_mut()
            .enumerate()
        {
            *input = self.input(register, x, p);
        }
        self.run(&mut registers, out);
    }

    fn on_heap<T: Scalar>(&self, x: &[T], p: &[T], out: &mut [T]) {
        let mut registers: Vec<T> = (0..self.registers).map(|register| self.input(register, x, p)).collect();
        self.run(&mut registers, out);
    }

    fn run<T: Scalar>(&self, r: &mut [T], out: &mut [T]) {
        let mut at = 0;
        while let Some(step) = self.steps.get(at) {
            at += 1;
            let [a, b, c] = step.read.map(|register| register as usize);
            let to = step.write[0] as usize;
            match step.code {
                Code::Constant(value) => r[to] = T::from_f64(value),
                Code::Negate => r[to] = -r[a],
                Code::Add => r[to] = r[a] + r[b],
                Code::Subtract => r[to] = r[a] - r[b],
                Code::Multiply => r[to] = r[a] * r[b],
                Code::Divide => r[to] = r[a] / r[b],
                Code::Shift(k) => r[to] = r[a] + k,
                Code::Reflect(k) => r[to] = -r[a] + k,
                Code::Scale(k) => r[to] = r[a] * k,
                Code::Shrink(k) => r[to] = r[a] / k,
                Code::Invert(k) => r[to] = T::from_f64(k) / r[a],
                Code::Below(k) => r[to] = truth::<T>(r[a].value() < k).chosen_by(r[a]),
                Code::Above(k) => r[to] = truth::<T>(r[a].value() > k).chosen_by(r[a]),
                Code::Powi(n) => r[to] = r[a].powi(n),
                Code::SinCos => (r[to], r[step.write[1] as usize]) = r[a].sin_cos(),
                Code::Unary(f) => r[to] = f.apply(r[a]),
                Code::Binary(f) => r[to] = f.apply(r[a], r[b]),
                Code::Select => {
                    let condition = r[a];
                    r[to] = r[if holds(condition) { b } else { c }].chosen_by(condition);
                }
                Code::Skip { wanted, target } => {
                    if holds(r[a]) != wanted {
                        at = target as usize;
                    }
                }
                Code::Jump(target) => at = target as usize,
                Code::Output(index) => out[index as usize] = r[a],
            }
        }
    }
}

impl Formula for Tape {
    fn outputs(&self) -> usize {
        self.outputs
    }
    fn eval<T: Scalar>(&self, x: &[T], p: &[T], out: &mut [T]) {
        match self.registers {
            0..=8 => self.on_stack::<T, 8>(x, p, out),
            9..=16 => self.on_stack::<T, 16>(x, p, out),
            17..=32 => self.on_stack::<T, 32>(x, p, out),
            33..=64 => self.on_stack::<T, 64>(x, p, out),
            65..=128 => self.on_stack::<T, 128>(x, p, out),
            _ => self.on_heap(x, p, out),
        }
    }
    fn corners(&self) -> Option<&Corners> {
        self.corners.as_deref()
    }
    fn structure(&self) -> Option<&Structure> {
        self.structure.as_deref()
    }
}
