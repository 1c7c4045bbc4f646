//! A cycle of a map may start from any of its points and be passed several times: other unknowns, the same cycle.
//!
//! A curve of cycles of 2k points may shrink onto a cycle of k points at a period doubling of that. In the unknowns the
//! curve goes on smoothly, and beyond that place the same cycles come again, started from the point half way round. The
//! difference of the two halves changes its sign there: so the place is seen. It is a branch point of the equations of
//! 2k points, and located as such.

use super::FixedPoint;
use super::branch_point;
use super::measure;
use crate::tolerances::SAME_ORBIT;
use slipstick_bifurcation::{BranchPoint, Inspect, Label, Record};
use slipstick_continuation::{Failure, Point, Problem, tangent_at};
use slipstick_floquet::Multiplier;
use slipstick_numerics::number::exact;
use std::f64::consts::PI;

/// A curve ends at the doubling that its cycles were born at when the last of them is as near as this, in scaled
/// arclength: what happens before is found by steps as any other.
const NEAR: f64 = 2e-3;

/// Is a multiplier -1, as far as the place is known?
fn doubles(multiplier: &Multiplier) -> bool {
    const NEAR: f64 = 1e-5;
    multiplier.arg.abs() == PI && multiplier.log10.abs() <= NEAR
}

/// The problem of a cycle gone through once, with its unknowns, where `z` goes through it several times.
pub fn least_cycle<'s>(problem: &FixedPoint<'s>, z: &[f64]) -> Option<(FixedPoint<'s>, Vec<f64>)> {
    let least = problem.least_length(z)?;
    Some(first_points(problem, z, least))
}

impl FixedPoint<'_> {
    /// The number of points of the cycle that `z` goes through several times, where it does.
    pub(super) fn least_length(&self, z: &[f64]) -> Option<usize> {
        let points = self.points(z);
        let closes = |d: &usize| {
            self.length.is_multiple_of(*d)
                && (0..self.length).all(|i| {
                    let later = (i + d) % self.length;
                    self.match_points(&points[i..=i], &points[later..=later], SAME_ORBIT)
                })
        };
        (1..self.length).find(closes)
    }
}

/// The problem of cycles of the first `count` points alone, and their unknowns.
fn first_points<'s>(problem: &FixedPoint<'s>, z: &[f64], count: usize) -> (FixedPoint<'s>, Vec<f64>) {
    let mut once = FixedPoint::new(
        problem.system,
        problem.mode,
        problem.rest,
        count,
        problem.parameters.clone(),
        problem.free.clone(),
    );
    once.parameter_scales.clone_from(&problem.parameter_scales);
    once.searched.clone_from(&problem.searched);
    let mut short = z[..count * problem.n].to_vec();
    short.extend_from_slice(&z[problem.n * problem.length..]);
    once.anchor(&short);
    (once, short)
}

/// Where the cycle at a period doubling is gone through twice, as at the end of the branch that is born there: the
/// problem of that cycle gone through once, and its point with the tangent of its own family.
///
/// # Errors
/// [`Failure`] where that family has no tangent.
pub fn parent_cycle<'s>(problem: &FixedPoint<'s>, at: &Point) -> Option<Result<(FixedPoint<'s>, Point), Failure>> {
    let (mut once, z) = least_cycle(problem, &at.z)?;
    let mut row = vec![0.0; z.len()];
    row[z.len() - 1] = 1.0;
    let mut residual = vec![0.0; z.len() - once.free.len()];
    let point = once
        .linearise(&z, &mut residual)
        .and_then(|()| tangent_at(&mut once, z, &row, 1.0));
    Some(point.map(|point| (once, point)))
}

/// The whole turns of state `c`, an angle though it may not be declared as one, that lead from one value of it to
/// within half a turn of another. What is not declared must repeat at other values of the free parameters as well.
pub(super) fn turns_of_any(problem: &FixedPoint<'_>, c: usize, from: f64, to: f64) -> f64 {
    let states = &problem.system.modes[problem.mode].states;
    let turning = problem.turning.get_or_init(|| {
        let undeclared = problem.system.undeclared_angles(&problem.parameters, &problem.free);
        let period = |&s: &usize| {
            let found = undeclared.iter().find(|(state, _)| *state == s);
            problem.system.states[s].period.or(found.map(|(_, period)| *period))
        };
        states.iter().map(period).collect()
    });
    turning[c].map_or(0.0, |period| ((to - from) / period).round() * period)
}

/// The cycle of a point of a curve started from that of its points from which it comes nearest to `near`, with its
/// angles turned by whole periods, if that is another way to tell it.
pub(super) fn classified_near(problem: &FixedPoint<'_>, point: &Point, near: &[f64]) -> Option<Point> {
    let (n, count) = (problem.n, problem.length);
    let shifts = if problem.rest { 1 } else { count };
    let from = |k: usize, shift: usize| (k + shift * n) % (n * count);
    let reported = |k: usize, shift: usize| {
        let v = point.z[from(k, shift)];
        v + turns_of_any(problem, k % n, v, near[k])
    };
    let square = |shift: usize| -> f64 {
        (0..n * count)
            .map(|k| (reported(k, shift) - near[k]).powi(2) * point.weights[k])
            .sum()
    };
    let nearest = match shifts {
        1 => 0,
        _ => {
            let squares: Vec<f64> = (0..shifts).map(square).collect();
            (0..shifts).min_by(|&a, &b| squares[a].total_cmp(&squares[b]))?
        }
    };
    let turned = (0..n * count).any(|k| reported(k, nearest) != point.z[k]);
    turned.then(|| {
        let mut there = point.clone();
        for k in 0..n * count {
            there.z[k] = reported(k, nearest);
            there.tangent[k] = point.tangent[from(k, nearest)];
        }
        there
    })
}

/// The difference of the two halves of a cycle, its angles turned as at `near`, and those turns.
fn halves_apart(problem: &FixedPoint<'_>, z: &[f64], near: &[f64]) -> Option<(Vec<f64>, Vec<f64>)> {
    if problem.rest || problem.length % 2 == 1 || problem.free.len() != 1 {
        return None;
    }
    let half = problem.n * problem.length / 2;
    let states = &problem.system.modes[problem.mode].states;
    let turns: Vec<f64> = (0..half)
        .map(|k| match problem.system.states[states[k % problem.n]].period {
            Some(period) => ((near[k] - near[half + k]) / period).round() * period,
            None => 0.0,
        })
        .collect();
    let apart = (0..half).map(|k| z[k] - z[half + k] - turns[k]).collect();
    Some((apart, turns))
}

/// Does the step from `a` to `b` lead across a place where the two halves of the cycle are the same, or onto cycles
/// of half as many points?
pub(super) fn passes_half(problem: &FixedPoint<'_>, a: &Point, b: &Point) -> bool {
    /// A step that brings the halves so much nearer to each other is too long next to such a place.
    const VANISHED: f64 = 0.1;
    let (Some((before, _)), Some((after, _))) = (halves_apart(problem, &a.z, &a.z), halves_apart(problem, &b.z, &a.z))
    else {
        return false;
    };
    let product = |x: &[f64], y: &[f64]| -> f64 {
        let terms = x.iter().zip(y).zip(&a.weights);
        terms.map(|((x, y), w)| x * y * w).sum()
    };
    let (square, along) = (product(&before, &before), product(&before, &after));
    square > 0.0 && (along < 0.0 || product(&after, &after) < VANISHED * VANISHED * square)
}

/// The period doubling that the cycles of a curve were born at, if the `last` of them is next to it.
pub(super) fn birth(problem: &mut FixedPoint<'_>, last: &Point) -> Option<BranchPoint> {
    let half = problem.n * problem.length / 2;
    let (apart, turns) = halves_apart(problem, &last.z, &last.z)?;
    let middle = |z: &[f64], apart: &[f64]| {
        let mut z = z.to_vec();
        for k in 0..half {
            z[k] -= 0.5 * apart[k];
            z[half + k] = z[k] - turns[k];
        }
        z
    };
    let start = middle(&last.z, &apart);
    let mut sizes = vec![0.0; start.len()];
    problem.sizes(&start, &mut sizes);
    let found = branch_point::branch_point_near(problem, &start, &sizes)?;
    let (left, _) = halves_apart(problem, &found, &last.z)?;
    let z = middle(&found, &left);
    let (mut once, short) = first_points(problem, &z, problem.length / 2);
    let mut tangent = vec![0.0; z.len()];
    for k in 0..half {
        (tangent[k], tangent[half + k]) = (-apart[k], apart[k]);
    }
    let squares = tangent.iter().zip(&last.weights).map(|(t, w)| t * t * w);
    let length = squares.sum::<f64>().sqrt();
    tangent.iter_mut().for_each(|t| *t /= length);
    let mut weights = vec![0.0; z.len()];
    problem.weights(&z, &mut weights);
    let off = left.iter().zip(&weights).map(|(d, w)| d * d * w).sum::<f64>().sqrt();
    let point = Point {
        z,
        tangent,
        weights,
        meshes: None,
    };
    if off > SAME_ORBIT || last.distance(&point) > NEAR {
        return None;
    }
    problem.linearise(&point.z, &mut vec![0.0; point.z.len() - 1]).ok()?;
    let mut record = Record::default();
    problem.inspect(&point, &mut record).ok()?;
    let name = &problem.system.parameters[problem.free[0]].name;
    let onto = match problem.length / 2 {
        1 => "fixed point".to_owned(),
        k => format!("cycle of {k} points"),
    };
    let mut message = format!(
        "period doubling: this branch ends at {name} = {} on the {onto} that it is born from, one of whose multipliers is -1; beyond it the same cycles recur, \
         with another initial point",
        exact(point.parameter())
    );
    let short = Point {
        z: short,
        ..point.clone()
    };
    let mut of_half = Record::default();
    measure::measure(&mut once, &short.z, &mut of_half).ok()?;
    if !of_half.multipliers.iter().any(doubles) {
        return None;
    }
    message.push_str(&once.explain(Label::PD, &short, &of_half).unwrap_or_default());
    Some(BranchPoint {
        point,
        record,
        label: Some(Label::PD),
        message,
    })
}
