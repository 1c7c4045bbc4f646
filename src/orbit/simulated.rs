//! Beyond a border at which more than one segment appears or vanishes: the word that the motion itself goes through.
//!
//! Where several events come together, as where a mass comes to rest by friction just as it touches a stop, no word
//! that differs in one segment is valid beyond. The orbit of the old word, solved a little beyond the border, is no
//! motion of the system any more; the motion that starts on it, well before the border, tells the word.

use super::PeriodicOrbit;
use super::dense_output::DenseOutput;
use super::neighbour::{Draft, Neighbour};
use super::opened::solved_beyond;
use super::word::Word;
use crate::segment_end::INSTANT;
use slipstick_continuation::{Point, Problem};
use slipstick_flow::{Ending, Segment as Met, SimulationOptions, exchanged, mirror_image, simulate};
use slipstick_system::System;

/// A neighbour as a motion goes through it a little beyond the border.
///
/// ```
/// use slipstick_bifurcation::{End, TraceOptions, Tracer};
/// use slipstick_flow::FlowOptions;
/// use slipstick_orbit::{PeriodicOrbit, SearchOptions, Word, find_all, simulated_beyond};
/// use slipstick_system::catalogue::stiction;
/// use std::f64::consts::TAU;
/// let system = stiction();
/// let word = Word::parse("slip- stick", true, &system)?;
/// let mut orbit = PeriodicOrbit::new(&system, word, system.default_parameters(), vec![0], FlowOptions::default());
/// let options = SearchOptions { seeds: None, longest: TAU, region: vec![(-2.0, 2.0), (-2.0, 2.0), (0.0, TAU)] };
/// let start = find_all(&mut orbit, &options, &mut |_| true)?[0].begin(&mut orbit)?;
/// let downwards = TraceOptions { directions: vec![-1.0], ..TraceOptions::over((1.2, 2.0)) };
/// let branch = Tracer::new(&mut orbit, &downwards).from_guess(start)?;
/// // The segment in which the mass sticks vanishes at Ω = 1.3545…; below, the motion only slips.
/// let last = branch.points.last().ok_or("no points")?;
/// let beyond = simulated_beyond(&mut orbit, &last.point, -1e-6).ok_or("the same word")?;
/// assert!(!beyond.neighbour.word.describe(&system).contains("stick"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Simulated {
    /// The neighbour, with the segments of the motion.
    pub neighbour: Neighbour,
    /// The orbit of the old word on which the motion starts.
    pub orbit: Point,
    /// The parameters at which that is.
    pub parameters: Vec<f64>,
}

/// Are two words the same round, begun elsewhere?
fn goes_round_alike(system: &System, a: &Word, b: &Word) -> bool {
    let (Ok(a), Ok(b)) = (a.full_period(system), b.full_period(system)) else {
        return a == b;
    };
    let count = a.letters.len();
    count == b.letters.len() && (0..count).any(|by| (0..count).all(|k| a.letters[(k + by) % count] == b.letters[k]))
}

/// The word of the motion that starts on the orbit of this word at a value of the parameter `shift` away from the
/// border at `point`, inside its longest segment, and goes round once; none where that is this word, or no word that
/// leads back to the same mode.
pub fn simulated_beyond(orbit: &mut PeriodicOrbit<'_>, point: &Point, shift: f64) -> Option<Simulated> {
    /// Where in the segment: in its middle, unless that touches a surface, too.
    const PLACES: [f64; 3] = [0.5, 0.3, 0.7];
    orbit.restore(&point.meshes);
    orbit.take_parameters(&point.z);
    // Where several segments vanish at once there may be no orbit of this word beyond: that at the border is near.
    let z = solved_beyond(orbit, point, shift).unwrap_or_else(|| {
        let mut z = point.z.clone();
        z.last_mut().into_iter().for_each(|parameter| *parameter += shift);
        z
    });
    let p = orbit.parameters_at(&z);
    let system = orbit.system;
    let longest = (0..orbit.segments.len()).max_by(|a, b| orbit.duration(&z, *a).total_cmp(&orbit.duration(&z, *b)))?;
    let segment = &orbit.segments[longest];
    let dense = DenseOutput::new(system, segment, &z, &p).ok()?;
    let mut start = vec![0.0; segment.n];
    let neighbour = PLACES.into_iter().find_map(|place| {
        dense.eval(place * orbit.duration(&z, longest), &mut start);
        let neighbour = gone_round(orbit, &z, segment.mode, &start)?;
        (!goes_round_alike(system, &neighbour.word, &orbit.word)).then_some(neighbour)
    })?;
    Some(Simulated {
        neighbour,
        parameters: p,
        orbit: Point {
            z,
            meshes: orbit.meshes(),
            ..point.clone()
        },
    })
}

/// The round of the motion that starts in state `start` of `mode` at the parameters of the orbit at `z`.
fn gone_round(orbit: &PeriodicOrbit<'_>, z: &[f64], mode: usize, start: &[f64]) -> Option<Neighbour> {
    let (system, symmetric) = (orbit.system, orbit.word.symmetric);
    let p = orbit.parameters_at(z);
    let options = SimulationOptions {
        t_end: orbit.lap(z),
        flow: orbit.options,
        ..SimulationOptions::default()
    };
    let run = simulate(system, mode, start, &p, &options).ok()?;
    let back = match system.symmetry.as_ref().filter(|_| symmetric) {
        Some(symmetry) => symmetry.modes[mode],
        None => mode,
    };
    let [first, between @ .., last] = &run.segments[..] else {
        return None;
    };
    // Between events of one instant no time passes, if it does not on the orbit either, or if they do not depend on
    // each other: parallel elements that unloaded by as much are at their limits together again.
    let instant = INSTANT * orbit.lap(z);
    let instants = (0..orbit.segments.len()).any(|k| orbit.duration(z, k).abs() <= instant);
    let independent = |before: &Met, between: &Met| {
        let events = before.event.zip(between.event);
        events.is_some_and(|events| exchanged(system, before.mode, events, &before.end, &p, instant).is_some())
    };
    let mut following = run.segments.windows(2);
    let lasts = instants || following.all(|pair| pair[1].duration > 0.0 || independent(&pair[0], &pair[1]));
    if run.ending != Ending::Time || last.mode != back || !lasts {
        return None;
    }
    // The segment in which the motion starts begins where its round ends.
    let begins = match symmetric {
        true => mirror_image(system, back, &last.start, &p),
        false => last.start.clone(),
    };
    let mut draft = Draft {
        passages: vec![(mode, first.event)],
        starts: vec![begins],
        durations: vec![last.duration + first.duration],
        along: vec![None],
    };
    for segment in between {
        draft.passages.push((segment.mode, segment.event));
        draft.starts.push(segment.start.clone());
        draft.durations.push(segment.duration);
        draft.along.push(None);
    }
    Some(
        draft
            .begun_alike(orbit, z)
            .finished(orbit, "as a simulation beyond shows"),
    )
}
