//! Orbits in an invariant plane of their system, on which a state is zero that keeps its sign: a population that is not
//! there. Such an orbit stays in the plane exactly. What rounding leaves of the state instead may grow by any factor
//! along the orbit, and next to a multiplier of +1 from point to point.

use crate::PeriodicOrbit;
use slipstick_continuation::Problem;
use slipstick_system::keep_sign;

/// The states that are zero all along the orbit `z` and wherever it is moved to by a solution of the linearised
/// equations with this border and right-hand side, in which they do not occur.
pub(crate) fn states_that_stay_zero(orbit: &PeriodicOrbit<'_>, border: &[f64], rhs: &[f64]) -> Vec<usize> {
    let z = &orbit.at[..];
    let count = states(orbit);
    let zero = |c: usize| {
        largest(orbit, z, c) == 0.0
            && border.chunks_exact(z.len()).all(|row| largest(orbit, row, c) == 0.0)
            && has_no_right_hand_side(orbit, rhs, c)
    };
    (0..count).filter(|&c| zero(c) && keeps_sign(orbit, z, c)).collect()
}

/// Put points of a curve, each with its tangent, into an invariant plane that the first of them is in but for rounding,
/// as is its tangent. Returns whether anything changed.
pub(crate) fn enter(orbit: &PeriodicOrbit<'_>, companions: &mut [(&mut Vec<f64>, &mut Vec<f64>)]) -> bool {
    /// A state smaller than this part of the largest one is rounding, where the curve does not lead away from zero: by
    /// less than this, in sizes of the unknowns.
    const ROUNDING: f64 = 1e-8;
    const LEAVES: f64 = 1e-6;
    let Some((z, tangent)) = companions.first().map(|(z, tangent)| (&z[..], &tangent[..])) else {
        return false;
    };
    let count = states(orbit);
    let most = (0..count).map(|c| largest(orbit, z, c)).fold(0.0, f64::max);
    let is_nothing = |c: usize| largest(orbit, z, c) == 0.0 && largest(orbit, tangent, c) == 0.0;
    let small = |c: &usize| largest(orbit, z, *c) <= ROUNDING * most && !is_nothing(*c);
    let mut entered: Vec<usize> = (0..count).filter(small).collect();
    if entered.is_empty() {
        return false;
    }
    let mut sizes = vec![0.0; z.len()];
    orbit.sizes(z, &mut sizes);
    entered.retain(|&c| largest(orbit, tangent, c) <= LEAVES * largest(orbit, &sizes, c) && keeps_sign(orbit, z, c));
    for (z, tangent) in companions {
        for &c in &entered {
            clear(orbit, z, c);
            clear(orbit, tangent, c);
        }
    }
    !entered.is_empty()
}

/// Make state `c` zero in a vector of unknowns.
pub(crate) fn clear(orbit: &PeriodicOrbit<'_>, z: &mut [f64], c: usize) {
    for s in &orbit.segments {
        z[s.offset + c] = 0.0;
        z[s.block()].iter_mut().skip(c).step_by(s.n).for_each(|v| *v = 0.0);
    }
}

/// How many states there are to look at: those of a smooth system, where nothing is solved for beside the orbit.
fn states(orbit: &PeriodicOrbit<'_>) -> usize {
    if orbit.system.is_hybrid() || orbit.vectors > 0 || orbit.constraint.is_some() {
        return 0;
    }
    orbit.segments.first().map_or(0, |s| s.n)
}

/// The largest value of state `c` in a vector of unknowns.
fn largest(orbit: &PeriodicOrbit<'_>, z: &[f64], c: usize) -> f64 {
    let along = orbit.segments.iter().flat_map(|s| {
        let block = z[s.block()].iter().skip(c).step_by(s.n);
        block.chain([&z[s.offset + c]])
    });
    along.fold(0.0, |most, v| most.max(v.abs()))
}

/// Are the right-hand sides of the equations for state `c` zero, in the segments and where they join?
fn has_no_right_hand_side(orbit: &PeriodicOrbit<'_>, rhs: &[f64], c: usize) -> bool {
    let mut row = 0;
    orbit.segments.iter().all(|s| {
        let (block, joins) = (row..row + s.block().len(), row + s.block().len() + 1);
        row = joins + s.next.len();
        rhs[block].iter().skip(c).step_by(s.n).all(|v| *v == 0.0) && rhs[joins + c] == 0.0
    })
}

/// Does state `c` stay zero, also where the orbit is mirrored? Looked at once: it is a property of the equations.
fn keeps_sign(orbit: &PeriodicOrbit<'_>, z: &[f64], c: usize) -> bool {
    let keep = orbit.keep_sign.get_or_init(|| {
        let Some(s) = orbit.segments.first() else {
            return vec![];
        };
        let x = &z[s.offset..s.offset + s.n];
        keep_sign(&*orbit.system.modes[s.mode].field, x, &orbit.parameters)
    });
    let mirror = orbit.system.symmetry.as_ref().filter(|_| orbit.word.symmetric);
    keep.get(c).is_some_and(|keep| *keep) && mirror.is_none_or(|m| m.source[c] == c)
}
