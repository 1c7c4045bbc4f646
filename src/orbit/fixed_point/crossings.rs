//! What kind of crossing a branch point is: coefficients tell, but on a corner of the equations, where they are others
//! on the two sides, and where the stability does not change. There the half-branches do.

use super::FixedPoint;
use super::coefficients;
use super::coefficients::unknown;
use super::half_branches;
use super::measure;
use crate::half_branches::HalfBranches;
use crate::normal_form::{CONVENTION, twelve_digits};
use slipstick_bifurcation::Record;
use slipstick_continuation::{Point, Problem};

/// Arguments of corners this small beside what they are made of vanish at a located branch point.
const ON_CORNER: f64 = 1e-6;

/// What passes at a branch point.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Passing {
    One,
    /// Several eigenvalues together.
    Several,
    /// Nothing: the curve only touches the point, and its stability is the same on both sides.
    Nothing,
}

/// What kind of crossing a branch point is, in words.
pub(super) fn explain_crossing(problem: &mut FixedPoint<'_>, point: &Point, passing: Passing) -> Option<String> {
    // A range for which the parameter's own size stands.
    let mut sizes = vec![0.0; point.z.len()];
    problem.sizes(&point.z, &mut sizes);
    let found = half_branches::half_branches(problem, point, sizes[point.z.len() - 1]);
    problem.linearise(&point.z, &mut vec![0.0; point.z.len() - 1]).ok()?;
    if let Some(found) = &found
        && (found.kernel > 1 || found.complete && found.starts.len() > 4)
    {
        return Some(found.describe());
    }
    if passing == Passing::Several {
        return Some("; how many branches emanate was not determined".into());
    }
    if passing == Passing::Nothing {
        let alone = found.is_some_and(|found| found.complete && found.starts.len() == 2);
        let others = if alone {
            "; no other solutions were found next to it: they are complex, or touch this curve"
        } else {
            ""
        };
        return Some(format!(
            "; the stability of this branch does not change here, so it is neither a transcritical point nor a pitchfork{others}"
        ));
    }
    if let Some(said) = found.and_then(|found| crossing_on_corner(problem, point, &found)) {
        return Some(said);
    }
    let found = coefficients::crossing_coefficients(problem, &point.z);
    let Some((a, b)) = found.filter(|(a, b)| a.is_finite() && b.is_finite()) else {
        return Some(unknown("the kind of crossing"));
    };
    if !coefficients::has_no_quadratic(problem, &point.z, a, b) {
        return Some(format!(
            "; transcritical: quadratic coefficient a = {}, {CONVENTION}",
            twelve_digits(a.value)
        ));
    }
    let kind = match b.is_positive() {
        Some(false) => "a pitchfork, supercritical",
        Some(true) => "a pitchfork, subcritical",
        None => "degenerate",
    };
    Some(format!(
        "; {kind}: quadratic coefficient 0, cubic coefficient b = {}, {CONVENTION}",
        twelve_digits(b.value)
    ))
}

/// The kind of a crossing that lies on a corner of the equations and has a kernel of dimension one, in words.
fn crossing_on_corner(problem: &mut FixedPoint<'_>, at: &Point, found: &HalfBranches) -> Option<String> {
    if !found.complete || found.kernel != 1 || found.starts.len() != 4 || !lies_on_corner(problem, &at.z) {
        return None;
    }
    // The known curve is among them: the two that lie best along its tangent.
    let along = |p: &Point| {
        let (mut dot, mut square) = (0.0, 0.0);
        for (((a, b), t), w) in at.z.iter().zip(&p.z).zip(&at.tangent).zip(&at.weights) {
            dot += (b - a) * t * w;
            square += (b - a) * (b - a) * w;
        }
        dot / square.sqrt()
    };
    let mut order: Vec<usize> = (0..4).collect();
    order.sort_by(|&i, &j| along(&found.starts[i]).total_cmp(&along(&found.starts[j])));
    let [back, one, other, on] = order[..] else { return None };
    let mut unstable = |i: usize| {
        let mut record = Record::default();
        let p = &found.starts[i];
        problem.linearise(&p.z, &mut vec![0.0; p.z.len() - 1]).ok()?;
        measure::measure(problem, &p.z, &mut record).ok()?;
        Some(record.unstable)
    };
    let (known, others) = ((back, on), (one, other));
    let [known_unstable, others_unstable] = [known, others].map(|(i, j)| Some((unstable(i)?, unstable(j)?)));
    let (known_unstable, others_unstable) = (known_unstable?, others_unstable?);
    problem.linearise(&at.z, &mut vec![0.0; at.z.len() - 1]).ok()?;
    let change = |i: usize| found.starts[i].parameter() - at.parameter();
    let on_one_side = |(i, j): (usize, usize)| change(i) * change(j) > 0.0;
    // The prongs of a pitchfork, the other family and how many unstable directions it has on both sides.
    let (branches, trunk, unstable) = if on_one_side(others) {
        (others, known, known_unstable)
    } else if on_one_side(known) {
        (known, others, others_unstable)
    } else {
        return Some("; transcritical, on a corner: a branch has a kink here".into());
    };
    // Supercritical where the prongs lie on the side on which the other family has the more unstable directions.
    let (beyond, before) = if change(branches.0) * change(trunk.0) > 0.0 {
        unstable
    } else {
        (unstable.1, unstable.0)
    };
    let kind = if beyond > before {
        "supercritical"
    } else {
        "subcritical"
    };
    Some(format!(
        "; a pitchfork on a corner, {kind}: one of the families turns back here"
    ))
}

/// Does a point lie on a corner of the equations?
fn lies_on_corner(problem: &FixedPoint<'_>, z: &[f64]) -> bool {
    let Some(corners) = problem.system.modes[problem.mode].field.corners() else {
        return false;
    };
    let mut sizes = vec![0.0; z.len()];
    problem.sizes(z, &mut sizes);
    (0..problem.length).any(|i| {
        let own = &sizes[i * problem.n..(i + 1) * problem.n];
        let arguments = corners.arguments(problem.point(z, i), &problem.parameters, own);
        let on = |(k, (v, size)): (usize, &(f64, f64))| !corners.ends_there(k) && v.abs() <= ON_CORNER * size;
        arguments.iter().enumerate().any(on)
    })
}
