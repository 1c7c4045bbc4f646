//! The other mode of which a boundary equilibrium is an equilibrium, too: along a curve of them in two parameters, what
//! bifurcates there does so on the boundary.

use super::FixedPoint;
use super::boundary::{candidates, residual_size};
use super::measure;
use slipstick_bifurcation::{Label, Record, TestSpec, subject};
use slipstick_floquet::least_factor;

/// What is left of the equations, relative to their terms, at a point that is an equilibrium in the other mode as well.
const ZERO: f64 = 1e-8;

/// The mode that the point at `z`, on the guard of `event`, is an equilibrium of besides its own.
pub(super) fn other_mode(problem: &FixedPoint<'_>, event: usize, z: &[f64]) -> Option<usize> {
    let found = candidates(problem, event, z).into_iter().find(|(mode, x)| {
        let mut there = equilibrium(problem, *mode);
        let z = there.guess(x);
        residual_size(&mut there, &z).is_some_and(|size| size <= ZERO)
    });
    found.map(|(mode, _)| mode)
}

fn equilibrium<'s>(problem: &FixedPoint<'s>, mode: usize) -> FixedPoint<'s> {
    FixedPoint::equilibrium(problem.system, mode, problem.parameters.clone(), problem.free.clone())
}

/// The test functions of the equilibria in the other mode: an eigenvalue of zero, and a pair on the imaginary axis.
pub(super) fn tests(problem: &FixedPoint<'_>, mode: usize) -> [TestSpec; 2] {
    let name = &problem.system.modes[mode].name;
    let spec = |label: Label, what: &str| {
        let meaning = format!(
            "codimension-two point on {}: in mode `{name}` {what}",
            subject(Label::BE)
        );
        TestSpec::new(Label::codimension_two(Label::BE, label), meaning)
    };
    [
        spec(
            Label::LP,
            "an eigenvalue of the equilibrium is zero, too: there persistence turns into a nonsmooth fold",
        ),
        spec(
            Label::HB,
            "a pair of eigenvalues of the equilibrium is on the imaginary axis, too",
        ),
    ]
}

/// Their values at `z`; no numbers where the mode has no state that belongs to this one.
pub(super) fn values(problem: &FixedPoint<'_>, (event, mode): (usize, usize), z: &[f64]) -> [f64; 2] {
    let candidates = candidates(problem, event, z);
    let Some((_, x)) = candidates.into_iter().find(|(known, _)| *known == mode) else {
        return [f64::NAN; 2];
    };
    let (mut there, mut record) = (equilibrium(problem, mode), Record::default());
    let z = there.guess(&x);
    if measure::measure(&mut there, &z, &mut record).is_err() {
        return [f64::NAN; 2];
    }
    let of = |counts: &dyn Fn(f64) -> bool| {
        let own = record.eigenvalues.iter().filter(|v| counts(v.im));
        least_factor(own.map(|v| v.re / (1.0 + v.re.abs())))
    };
    [of(&|im| im == 0.0), of(&|im| im > 0.0)]
}
