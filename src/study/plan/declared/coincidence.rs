//! Whether two switching functions are one and the same but for a factor: they then change their signs together, at all
//! states and parameters.
//!
//! That is no matter of the form in which they are written, but of their values: they are compared at general states of
//! many sizes, and at general parameters. Two parameters that have the same value are not the same.

use crate::plan::declared::expansion::Declarations;
use slipstick_system::Function;
use slipstick_system::text::{Expression, Symbolic};

/// Sets of parameters at which functions are compared.
const PARAMETERS: usize = 4;
/// The sizes of states.
const SIZES: [f64; 9] = [0.0, 1e-12, 1e-9, 1e-6, 1e-3, 0.3, 1.0, 3.0, 1e3];
/// So many of them must tell, with each set of parameters.
const ENOUGH: usize = 3;
/// Up to so much the factors differ by rounding.
const ROUNDING: f64 = 1e-10;

/// The sign of the factor between two functions that are the same but for it; none where they are not.
pub(crate) fn factor(declarations: &Declarations<'_>, one: &Symbolic, other: &Symbolic) -> Option<f64> {
    let factors = factors(declarations, one, other)?;
    let sign = factors[0].signum();
    factors.iter().all(|own| own.signum() == sign).then_some(sign)
}

/// The same where the factor is one number, whatever the parameters: its sign stays when they move.
pub(crate) fn number(declarations: &Declarations<'_>, one: &Symbolic, other: &Symbolic) -> Option<f64> {
    let factors = factors(declarations, one, other)?;
    let first = factors[0];
    let is_first = |own: &f64| (own - first).abs() <= ROUNDING * first.abs();
    factors.iter().all(is_first).then(|| first.signum())
}

/// The factors between two functions that are the same but for it, with each set of parameters.
fn factors(declarations: &Declarations<'_>, one: &Symbolic, other: &Symbolic) -> Option<[f64; PARAMETERS]> {
    if one == other {
        return Some([1.0; PARAMETERS]);
    }
    if -one.clone() == *other {
        return Some([-1.0; PARAMETERS]);
    }
    let [one, other] = [one, other].map(|f| Expression::parse(&f.to_string()).ok());
    let tape = declarations.frame.full_scope().ok()?.compile(&[&one?, &other?]).ok()?;
    let count = declarations.frame.states.len();
    let general = |k: usize, i: usize| (1.0 + 3.7 * k as f64 + 2.3 * i as f64).sin();
    let mut factors = [0.0; PARAMETERS];
    for (set, found) in factors.iter_mut().enumerate() {
        let parameters = declarations.frame.parameters.iter().enumerate();
        let near = |(i, p): (usize, &slipstick_system::Parameter)| {
            let part = 0.2 * general(set, i + 7);
            if p.value == 0.0 { part } else { p.value * (1.0 + part) }
        };
        let p: Vec<f64> = parameters.map(near).collect();
        let (mut factor, mut telling): (Option<f64>, usize) = (None, 0);
        for (k, size) in SIZES.into_iter().enumerate() {
            let x: Vec<f64> = (0..count).map(|i| size * general(k + 5 * set, i)).collect();
            let mut values = [0.0; 2];
            tape.value(&x, &p, &mut values);
            let [a, b] = values;
            if !a.is_finite() || !b.is_finite() || (a == 0.0 && b == 0.0) {
                continue;
            }
            let known = *factor.get_or_insert(b / a);
            if !known.is_finite() || known == 0.0 || !((b - known * a).abs() <= ROUNDING * b.abs()) {
                return None;
            }
            telling += 1;
        }
        *found = factor.filter(|_| telling >= ENOUGH)?;
    }
    Some(factors)
}
