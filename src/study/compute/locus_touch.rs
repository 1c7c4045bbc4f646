//! Where a stay away from stick vanishes between two stretches of stick, as where slip sets in or a body lifts off, it
//! begins on the surface by which it ends, wherever it begins: that it lasts no time says nothing of where that is.
//! What says it is the orbit without it, which sticks there while the force touches its limit.

use slipstick_bifurcation::{BranchPoint, Inspect, Label, Rank};
use slipstick_orbit::{Neighbour, PeriodicOrbit, Word, guess_beyond, neighbours, solved_near};

/// Limits of forces that are this near are touched.
const TOUCHED: f64 = 1e-6;
/// What vanishes like the root of a distance is located to this part of the period.
const VANISHED: f64 = 1e-3;

/// An orbit that touches the limit of a force in stick.
pub(crate) struct Touching {
    pub(crate) word: Word,
    pub(crate) at: BranchPoint,
    /// The inequality that vanishes.
    pub(crate) inequality: usize,
}

/// The orbit at a point where a segment vanishes, as one that touches the limit of a force in stick without that
/// segment; none where it is no such orbit. `made` makes the orbits of a word.
pub(crate) fn touching<'s>(
    orbit: &mut PeriodicOrbit<'s>,
    made: &dyn Fn(&Word) -> PeriodicOrbit<'s>,
    at: &BranchPoint,
) -> Option<Touching> {
    let (specs, values) = (orbit.inequalities(), &at.record.inequalities);
    let durations = (0..specs.len()).filter(|&i| specs[i].rank == Rank::Duration);
    let least = durations.min_by(|&a, &b| values[a].abs().total_cmp(&values[b].abs()))?;
    if values[least].abs() > VANISHED * at.record.period {
        return None;
    }
    let beyond = neighbours(orbit, &at.point, least);
    beyond.iter().find_map(|beyond| touching_in(orbit, made, at, beyond))
}

fn touching_in<'s>(
    orbit: &mut PeriodicOrbit<'s>,
    made: &dyn Fn(&Word) -> PeriodicOrbit<'s>,
    at: &BranchPoint,
    beyond: &Neighbour,
) -> Option<Touching> {
    let mut without = made(&beyond.word);
    let guess = guess_beyond(&mut without, orbit, &at.point, beyond).ok()?;
    let (word, at) = solved_as(at, &mut without, guess)?;
    let specs = without.inequalities();
    let of_forces = specs.iter().zip(&at.record.inequalities).enumerate();
    let of_forces = of_forces.filter(|(_, (spec, _))| spec.label == Label::OV);
    let (inequality, (_, distance)) = of_forces.min_by(|a, b| a.1.1.abs().total_cmp(&b.1.1.abs()))?;
    (distance.abs() <= TOUCHED).then_some(Touching { word, at, inequality })
}

/// The orbit at a point, as one of another problem of which it nearly is a solution.
pub(crate) fn solved_as(
    at: &BranchPoint,
    orbit: &mut PeriodicOrbit<'_>,
    guess: Vec<f64>,
) -> Option<(Word, BranchPoint)> {
    let mut solved = at.clone();
    solved.point = solved_near(orbit, guess)?;
    orbit.inspect(&solved.point, &mut solved.record).ok()?;
    Some((orbit.word().clone(), solved))
}
