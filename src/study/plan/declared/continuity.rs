//! Where a field that is written with a sign does not jump: what the sign multiplies vanishes on the surface.
//!
//! Quadratic drag c v² sgn(v) is such a field, and |v| written v sgn(v). That it vanishes is no matter of the form of a
//! formula, but of its values: they are looked at on the surface, and compared with what rounding makes of them there,
//! at general parameters. How large states are does not count.

use crate::plan::declared::expansion::Declarations;
use slipstick_system::Function;
use slipstick_system::text::{Expression, Symbolic, Tape};

/// Points of the surface at which a formula is looked at.
const POINTS: usize = 24;
/// So many of them must tell.
const ENOUGH: usize = 6;
/// A formula is zero where its value is no more than so many times what the last digits of the states change in it.
const ROUNDING: f64 = 1e6;

/// Formulas at states and parameters.
pub(super) struct Values<'a> {
    tape: Tape,
    declarations: &'a Declarations<'a>,
}

impl<'a> Values<'a> {
    /// A switching function and another formula.
    pub(super) fn of(declarations: &'a Declarations<'a>, height: &Symbolic, formula: &Symbolic) -> Option<Self> {
        let [height, formula] = [height, formula].map(|f| Expression::parse(&f.to_string()).ok());
        let scope = declarations.frame.full_scope().ok()?;
        let tape = scope.compile(&[&height?, &formula?]).ok()?;
        Some(Self { tape, declarations })
    }

    fn at(&self, x: &[f64], p: &[f64]) -> Option<[f64; 2]> {
        let mut values = [0.0; 2];
        self.tape.value(x, p, &mut values);
        values.iter().all(|v| v.is_finite()).then_some(values)
    }

    /// Does the formula vanish wherever the switching function does, and not beside it?
    pub(super) fn vanishes(&self) -> bool {
        let parameters: Vec<f64> = self.declarations.frame.parameters.iter().map(|p| p.value).collect();
        let count = self.declarations.frame.states.len();
        let mut telling = 0;
        for k in 0..POINTS {
            let general = |i: usize| (1.0 + 3.7 * k as f64 + 2.3 * i as f64).sin();
            let size = [0.3, 1.0, 3.0][k % 3];
            let p: Vec<f64> = parameters
                .iter()
                .enumerate()
                .map(|(i, v)| {
                    let part = 0.2 * general(i + 7);
                    if *v == 0.0 { part } else { v * (1.0 + part) }
                })
                .collect();
            let beside: Vec<f64> = (0..count).map(|i| size * general(i)).collect();
            let Some((on, off)) = (0..count).find_map(|i| self.on_surface(&beside, i, &p)) else {
                continue;
            };
            if !on {
                return false;
            }
            telling += usize::from(off != 0.0);
        }
        telling >= ENOUGH
    }

    /// Whether the formula is zero where the surface is reached by moving state `i`, and its value beside that.
    fn on_surface(&self, beside: &[f64], i: usize, p: &[f64]) -> Option<(bool, f64)> {
        /// Steps of the secant method.
        const STEPS: usize = 60;
        /// How far beside.
        const STEP: f64 = 0.1;
        let mut x = beside.to_vec();
        let mut at = |v: f64| {
            x[i] = v;
            self.at(&x, p)
        };
        let (mut a, mut b) = (beside[i], beside[i] + STEP);
        let (mut before, mut now) = (at(a)?[0], at(b)?[0]);
        for _ in 0..STEPS {
            if now == 0.0 || a == b || before == now {
                break;
            }
            let next = b - now * (b - a) / (now - before);
            (a, before) = (b, now);
            (b, now) = (next, at(next)?[0]);
        }
        let off = at(b + STEP)?[1];
        x[i] = b;
        let [is_on, is_zero] = self.are_zero(&mut x, p)?;
        is_on.then_some((is_zero, off))
    }

    /// Are both formulas zero, but for rounding?
    fn are_zero(&self, x: &mut [f64], p: &[f64]) -> Option<[bool; 2]> {
        let own = self.at(x, p)?;
        let mut changes = [0.0f64; 2];
        for i in 0..x.len() {
            let before = x[i];
            for digits in [-3.0, -1.0, 1.0, 3.0] {
                x[i] = before * (1.0 + digits * f64::EPSILON);
                let moved = self.at(x, p)?;
                for (change, (moved, own)) in changes.iter_mut().zip(moved.iter().zip(own)) {
                    *change = change.max((moved - own).abs());
                }
            }
            x[i] = before;
        }
        Some(std::array::from_fn(|k| own[k].abs() <= ROUNDING * changes[k]))
    }
}
