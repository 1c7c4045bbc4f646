//! Take over an orbit that a trajectory has settled to.

use super::{Letter, PeriodicOrbit, Word};
use crate::perturbation::evaluation;
use crate::segment::Segment;
use crate::subdivision;
use slipstick_continuation::Failure;
use slipstick_flow::{AttractingOrbit, Transition, crossing_before};
use slipstick_system::System;

/// Unknowns of this problem from a settled orbit, started from the segment that the problem's word begins with. The
/// orbit may start from another of its points, be the mirror image of the one wanted, or be passed several times by it.
///
/// # Errors
/// [`Failure`] when the orbit has another word, which the message names with what to write for it, or is not symmetric
/// although it should be.
pub fn adopt(orbit: &mut PeriodicOrbit<'_>, attractor: &AttractingOrbit) -> Result<Vec<f64>, Failure> {
    adopt_itself(orbit, attractor).or_else(|missed| match attractor.mirrored(orbit.system, &orbit.parameters) {
        Some(image) => adopt_itself(orbit, &image).map_err(|_| missed),
        None => Err(missed),
    })
}

/// As [`adopt`], but never the mirror image of the orbit.
pub fn adopt_itself(orbit: &mut PeriodicOrbit<'_>, attractor: &AttractingOrbit) -> Result<Vec<f64>, Failure> {
    subdivision::subdivide(orbit, orbit.given);
    if orbit.word.symmetric && !attractor.symmetric {
        return Err(other_word(orbit, attractor, ", which is not symmetric"));
    }
    let Some((mut starts, mut durations)) = described_as(orbit, attractor)? else {
        return Err(other_word(orbit, attractor, ""));
    };
    for (s, (u, t)) in orbit.segments.iter().zip(starts.iter().zip(&mut durations)) {
        *t = lasting(s, u, *t, &orbit.parameters);
    }
    unwrap_angles(orbit, &mut starts, &durations)?;
    orbit.guess(&starts, &durations)
}

/// Starts and durations of the segments of this problem's word along an orbit, if the word is the orbit's, started
/// from anywhere and passed any number of times that fits.
#[allow(clippy::type_complexity)]
fn described_as(
    orbit: &PeriodicOrbit<'_>,
    attractor: &AttractingOrbit,
) -> Result<Option<(Vec<Vec<f64>>, Vec<f64>)>, Failure> {
    let found = word_of(attractor);
    if let ([own], [only]) = (&orbit.word.letters[..], &found.letters[..])
        && own.event.is_none()
        && own == only
    {
        let part = if orbit.word.symmetric { 0.5 } else { 1.0 };
        return Ok(Some((attractor.starts.clone(), vec![part * attractor.period])));
    }
    let full = found.full_period(orbit.system).map_err(evaluation)?;
    let mut starts = attractor.starts.clone();
    let mut durations = attractor.durations.clone();
    if attractor.symmetric
        && let Some(other_half) = attractor.mirrored(orbit.system, &orbit.parameters)
    {
        starts.extend(other_half.starts);
        durations.extend(other_half.durations);
    }
    let (count, wanted) = (full.letters.len(), orbit.word.letters.len());
    let length = if orbit.word.symmetric { 2 * wanted } else { wanted };
    // From one half of a symmetric orbit to the other the symmetry leads after an odd number of halves only.
    if length % count != 0 || (orbit.word.symmetric && (length / count) % 2 == 0) {
        return Ok(None);
    }
    let fits = |o: &usize| (0..wanted).all(|k| full.letters[(o + k) % count] == orbit.word.letters[k]);
    Ok((0..count).find(fits).map(|offset| {
        let pick = |k: usize| (offset + k) % count;
        (
            (0..wanted).map(|k| starts[pick(k)].clone()).collect(),
            (0..wanted).map(|k| durations[pick(k)]).collect(),
        )
    }))
}

/// Why a settled orbit is none of this word, and what to write for it.
fn other_word(orbit: &PeriodicOrbit<'_>, attractor: &AttractingOrbit, why: &str) -> Failure {
    let found = word_of(attractor);
    Failure::Evaluation(format!(
        "the trajectory converges to an orbit with word `{}` and period {}{why}, not to one with word `{}`: write `orbit: {}` to trace that orbit, or start elsewhere (`from`, `at`)",
        found.describe(orbit.system),
        attractor.period * orbit.system.units.time,
        orbit.word.describe(orbit.system),
        as_written(&found, orbit.system),
    ))
}

/// How long a segment lasts that a trajectory took a time `t` for. Where it runs off to infinity just beyond its event
/// the errors of the integrator may take it there: a time in which it can be followed, with its derivatives.
fn lasting(s: &Segment<'_>, start: &[f64], t: f64, p: &[f64]) -> f64 {
    let Some(guard) = s.guard.as_ref().filter(|_| !s.on_mesh()) else {
        return t;
    };
    let mut end = Transition::default();
    let Err(why) = s.flow.linearise(start, t, p, &[], &mut end) else {
        return t;
    };
    let mut height = |t: f64| {
        s.flow.linearise(start, t, p, &[], &mut end).ok()?;
        let mut v = [0.0];
        guard.value(&end.x, p, &mut v);
        Some(s.direction * v[0])
    };
    crossing_before(t, &why, &mut height).unwrap_or(t)
}

/// Bring the angles of each start next to where the segment before it ends.
///
/// # Errors
/// [`Failure`] when a flow cannot be evaluated there.
pub(crate) fn unwrap_angles(
    orbit: &mut PeriodicOrbit<'_>,
    starts: &mut [Vec<f64>],
    durations: &[f64],
) -> Result<(), Failure> {
    for k in 1..starts.len() {
        let s = &orbit.segments[k - 1];
        let entered = &orbit.system.modes[orbit.segments[k].mode].states;
        if entered.iter().all(|&state| orbit.system.states[state].period.is_none()) {
            continue;
        }
        let mut end = vec![0.0; s.n];
        s.flow
            .advance(&starts[k - 1], durations[k - 1], &orbit.parameters, &mut end)
            .map_err(evaluation)?;
        let mut u = vec![0.0; orbit.segments[k].n];
        orbit.enter(k, &end, &mut u);
        for (i, &state) in orbit.system.modes[orbit.segments[k].mode].states.iter().enumerate() {
            if let Some(period) = orbit.system.states[state].period {
                starts[k][i] += ((u[i] - starts[k][i]) / period).round() * period;
            }
        }
    }
    Ok(())
}

/// The word of a settled orbit.
pub(super) fn word_of(attractor: &AttractingOrbit) -> Word {
    Word {
        letters: attractor
            .word
            .iter()
            .map(|&(mode, event)| Letter { mode, event })
            .collect(),
        symmetric: attractor.symmetric,
    }
}

/// The word as a study asks for it.
fn as_written(word: &Word, system: &System) -> String {
    let text = word.describe(system);
    match text.strip_suffix(" | mirrored") {
        Some(half) => format!("Symmetric(\"{half}\")"),
        None => format!("Periodic(\"{text}\")"),
    }
}
