//! Beyond a border at which more than one segment appears or vanishes: the word that the motion itself goes through.
//!
//! Where several events come together, as where a mass comes to rest by friction just as it touches a stop, no word
//! that differs in one segment is valid beyond. The orbit of the old word, solved a little beyond the border, is no
//! motion of the system any more; the motion that starts on it, well before the border, tells the word.

use super::PeriodicOrbit;
use super::dense_output::DenseOutput;
use super::neighbour::{Draft, Neighbour};
use super::opened::solved_beyond;
use slipstick_continuation::{Point, Problem};
use slipstick_flow::{Ending, SimulationOptions, mirror_image, simulate};

/// A neighbour as a motion goes through it a little beyond the border.
pub struct Simulated {
    /// The neighbour, with the segments of the motion.
    pub neighbour: Neighbour,
    /// The orbit of the old word on which the motion starts.
    pub orbit: Point,
    /// The parameters at which that is.
    pub parameters: Vec<f64>,
}

/// The word of the motion that starts on the orbit of this word at a value of the parameter `shift` away from the
/// border at `point`, in the middle of its longest segment, and goes round once; none where that is this word, or no
/// word that leads back to the same mode.
pub fn simulated_beyond(orbit: &mut PeriodicOrbit<'_>, point: &Point, shift: f64) -> Option<Simulated> {
    orbit.restore(&point.meshes);
    orbit.take_parameters(&point.z);
    // Where several segments vanish at once there may be no orbit of this word beyond: that at the border is near.
    let z = solved_beyond(orbit, point, shift).unwrap_or_else(|| {
        let mut z = point.z.clone();
        z.last_mut().into_iter().for_each(|parameter| *parameter += shift);
        z
    });
    let p = orbit.parameters_at(&z);
    let (system, symmetric) = (orbit.system, orbit.word.symmetric);
    let longest = (0..orbit.segments.len()).max_by(|a, b| orbit.duration(&z, *a).total_cmp(&orbit.duration(&z, *b)))?;
    let segment = &orbit.segments[longest];
    let (mode, mut start) = (segment.mode, vec![0.0; segment.n]);
    let dense = DenseOutput::new(system, segment, &z, &p).ok()?;
    dense.eval(0.5 * orbit.duration(&z, longest), &mut start);
    let options = SimulationOptions {
        t_end: orbit.lap(&z),
        flow: orbit.options,
        ..SimulationOptions::default()
    };
    let run = simulate(system, mode, &start, &p, &options).ok()?;
    let back = match system.symmetry.as_ref().filter(|_| symmetric) {
        Some(symmetry) => symmetry.modes[mode],
        None => mode,
    };
    let [first, between @ .., last] = &run.segments[..] else {
        return None;
    };
    let lasts = run.segments.iter().all(|s| s.duration > 0.0);
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
    if !symmetric {
        draft.begin_like(orbit.word.letters[0].mode, orbit.start(&z, 0));
    }
    let neighbour = draft.finished(orbit, "as a simulation beyond shows");
    (neighbour.word != orbit.word).then(|| Simulated {
        neighbour,
        parameters: p,
        orbit: Point {
            z,
            meshes: orbit.meshes(),
            ..point.clone()
        },
    })
}
