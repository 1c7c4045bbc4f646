//! States that keep their values along a word at all times, as the places of masses that stick and are never hit: any
//! value will do, so that orbits fill a continuum of as many dimensions as there are such states. A curve leads through
//! it in one direction: all of these states but the first keep the values of the guess, which takes the place of the
//! condition that they return, true of every value.

use crate::word::Word;
use slipstick_system::{Event, Mode, System};

/// At so many general places a rate or a change that is zero must be exactly that.
const PLACES: usize = 6;

/// The states of the first mode of the word that curves hold at their values.
pub(crate) fn fixed_states(system: &System, word: &Word) -> Vec<usize> {
    let Some(first) = word.letters.first().filter(|_| !word.symmetric) else {
        return vec![];
    };
    let parameters = system.default_parameters();
    let stays = |state: usize| moves_in(system, word, state, &parameters).is_some_and(|moves| moves.is_empty());
    let states = &system.modes[first.mode].states;
    (0..states.len()).filter(|&i| stays(states[i])).skip(1).collect()
}

/// The segments of a word in which a state of the system moves; none if an event changes it, or a mode is without it.
pub(crate) fn moves_in(system: &System, word: &Word, state: usize, p: &[f64]) -> Option<Vec<usize>> {
    let mut moves = vec![];
    for (k, letter) in word.letters.iter().enumerate() {
        let mode = &system.modes[letter.mode];
        let own = mode.states.iter().position(|&s| s == state)?;
        let kept = |event: usize| keeps(system, mode, &mode.events[event], state, p);
        if !letter.event.is_none_or(kept) {
            return None;
        }
        if !is_constant(mode, own, p) {
            moves.push(k);
        }
    }
    Some(moves)
}

/// Is the rate of a state of the mode zero wherever it is?
fn is_constant(mode: &Mode, own: usize, p: &[f64]) -> bool {
    let mut rates = vec![0.0; mode.states.len()];
    (0..PLACES).all(|k| {
        mode.field.value(&place(k, mode.states.len()), p, &mut rates);
        rates[own] == 0.0
    })
}

/// Has a state of the system the value behind an event that it had before?
fn keeps(system: &System, mode: &Mode, event: &Event, state: usize, p: &[f64]) -> bool {
    let Some(reset) = &event.reset else { return true };
    let target = &system.modes[event.target].states;
    let places = mode
        .states
        .iter()
        .position(|&s| s == state)
        .zip(target.iter().position(|&s| s == state));
    let Some((before, behind)) = places else { return false };
    let mut after = vec![0.0; target.len()];
    (0..PLACES).all(|k| {
        let x = place(k, mode.states.len());
        reset.value(&x, p, &mut after);
        after[behind] == x[before]
    })
}

/// A place at which no state is zero nor as large as another.
fn place(k: usize, states: usize) -> Vec<f64> {
    (0..states)
        .map(|i| (1.0 + 3.7 * k as f64 + 2.3 * i as f64).sin())
        .collect()
}
