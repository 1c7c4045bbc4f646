//! What is said of an end at which a state comes to stand still for good.

use crate::compute::openings::lasts_beyond;
use crate::results::curve::Piece;
use slipstick_bifurcation::{End, Label, Rank};
use slipstick_continuation::Point;
use slipstick_orbit::{PeriodicOrbit, Standstill, without_all};

/// Name an end after all segments that vanish there, whichever of them, or of what fails with them, rounding let be
/// met first.
pub(crate) fn name_end(problem: &PeriodicOrbit<'_>, piece: &mut Piece, at_start: bool, still: &Standstill) {
    let system = problem.system();
    let vanishes = |k: usize| {
        let specs = piece.inequalities.iter();
        specs.clone().position(|s| s.rank == Rank::Duration && s.segment == k)
    };
    let Some(first) = still.segments.first().and_then(|k| vanishes(*k)) else {
        return;
    };
    let named: Vec<String> = still
        .segments
        .iter()
        .map(|k| format!("{} (`{}`)", k + 1, system.modes[problem.word().letters[*k].mode].name))
        .collect();
    let said = format!(
        "segments {} vanish together: their durations shrink to zero",
        named.join(" and ")
    );
    let ends = &mut piece.branch.ends;
    let end = if at_start { ends.first_mut() } else { ends.last_mut() };
    let Some(End::Boundary {
        inequality,
        label,
        meaning,
    }) = end
    else {
        return;
    };
    let before = std::mem::replace(meaning, said.clone());
    (*inequality, *label) = (first, Label::VS);
    if let Some(point) = piece.end_mut(at_start) {
        point.label = Some(Label::VS);
        point.message = point.message.replacen(&before, &said, 1);
    }
}

/// What there is beyond such an end.
pub(crate) fn stands_still_beyond(problem: &mut PeriodicOrbit<'_>, at: &Point, still: &Standstill) -> String {
    let without = without_all(problem, at, &still.segments);
    let system = problem.system();
    let word = without.as_ref().map(|without| &without.word);
    let lasts = word.is_some_and(|word| word.letters.iter().all(|letter| letter.event.is_none()));
    if let Some(without) = without.as_ref().filter(|_| lasts) {
        return lasts_beyond(problem, &still.segments, without);
    }
    let names: Vec<String> = still
        .states
        .iter()
        .map(|state| format!("`{}`", system.states[*state].name))
        .collect();
    let (names, stand) = (names.join(" and "), if names.len() == 1 { "stands" } else { "stand" });
    let along = word.map_or(String::new(), |word| format!(" along `{}`", word.describe(system)));
    format!(
        "beyond, {names} {stand} still at all times{along}, anywhere within an interval, so that orbits fill a continuum at each value of \
         the parameter; over the parameter they are followed where a number stands in the system for {names}"
    )
}
