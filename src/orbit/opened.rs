//! Beyond a grazing or the limit of a side condition, where a visit that is about to appear has opened.
//!
//! At the boundary itself the visit lasts no time, and the equations of the word with it have a second solution there:
//! every orbit that is cut where it meets the surface, with a visit of no length. The two cross, Newton's method comes
//! to rest at neither. A little beyond, the orbit without the visit (which passes through the surface and is no
//! solution any more) says where the visit begins and how long it lasts, and the solutions are apart.

use super::PeriodicOrbit;
use super::admissibility::{Subject, subjects};
use super::dense_output::DenseOutput;
use super::neighbour::Neighbour;
use crate::neighbour;
use crate::word::Letter;
use slipstick_continuation::{Newton, NewtonOptions, Point, Problem, solution_next_to, tangent_at};
use slipstick_flow::{ON_SURFACE, Segment as Met, SimulationOptions, simulate};
use slipstick_system::Direction;

/// A neighbour as it is a little beyond the boundary.
pub struct Opened {
    /// The neighbour, its visit of the length that the orbit without it suggests.
    pub neighbour: Neighbour,
    /// The orbit without it, which was cut.
    pub orbit: Point,
    /// The parameters at which that was.
    pub parameters: Vec<f64>,
    /// Which segment the visit is, and how long it lasts.
    pub stretch: (usize, f64),
}

/// The boundary orbit at `point` as a neighbour of itself that begins half a lap later, if it is one segment
/// without an end and touches the surface of the inequality of index `broken` next to where it begins: a visit that
/// opens there would straddle the start.
pub fn begun_elsewhere(orbit: &mut PeriodicOrbit<'_>, point: &Point, broken: usize) -> Option<Neighbour> {
    /// What is next to the start, as part of a lap.
    const NEAR: f64 = 0.1;
    orbit.be_at(point).ok()?;
    let Subject::Clearance(0, w) = *subjects(orbit).get(broken)? else {
        return None;
    };
    let [segment] = &orbit.segments[..] else { return None };
    if segment.guard.is_some() {
        return None;
    }
    let p = orbit.parameters_at(&point.z);
    let surface = &orbit.plan.clearances[0][w];
    let (guard, sign) = (&surface.function, surface.sign);
    let dense = DenseOutput::new(orbit.system, segment, &point.z, &p).ok()?;
    let duration = orbit.duration(&point.z, 0);
    let inside = dense
        .least_inside_at(guard.as_ref(), (sign, ON_SURFACE), (true, false), &p)
        .ok()?;
    let at = |t: f64| {
        let (mut x, mut value) = (vec![0.0; segment.n], [0.0]);
        dense.eval(t, &mut x);
        guard.value(&x, &p, &mut value);
        (t, sign * value[0])
    };
    let least = |a: (f64, f64), b: (f64, f64)| if b.1 < a.1 { b } else { a };
    let (touch, _) = inside.into_iter().fold(least(at(0.0), at(duration)), least);
    if (NEAR * duration..(1.0 - NEAR) * duration).contains(&touch) {
        return None;
    }
    let mut start = vec![0.0; segment.n];
    dense.eval(0.5 * duration, &mut start);
    Some(Neighbour {
        word: orbit.word.clone(),
        starts: vec![start],
        durations: vec![duration],
        along: vec![Some((0, 0.5 * duration))],
        change: String::new(),
    })
}

/// Solve for the orbit near `z` at its value of the parameter.
pub fn solved_near(orbit: &mut PeriodicOrbit<'_>, mut z: Vec<f64>) -> Option<Point> {
    let near = Point {
        z: z.clone(),
        tangent: vec![],
        weights: vec![],
        meshes: orbit.meshes(),
    };
    orbit.rephase(&near);
    let row = correct_at_parameter(orbit, &mut z)?;
    tangent_at(orbit, z, &row, 1.0).ok()
}

/// Solve for the orbit near `z` on which a segment lasts as long as there, with the tangent along which it lasts
/// longer: where solutions without that segment are near, they are kept away from.
pub fn solved_with_duration(orbit: &mut PeriodicOrbit<'_>, mut z: Vec<f64>, segment: usize) -> Option<Point> {
    let known = &orbit.segments[segment];
    let mut row = vec![0.0; z.len()];
    row[known.offset + known.n] = 1.0;
    let anchor = z.clone();
    Newton::default()
        .solve(orbit, &mut z, &row, &anchor, &[0.0], &NewtonOptions::default())
        .ok()?;
    tangent_at(orbit, z, &row, 1.0).ok()
}

/// Newton's method at the value of the parameter that `z` has; returns the row that keeps it.
fn correct_at_parameter(orbit: &mut PeriodicOrbit<'_>, z: &mut [f64]) -> Option<Vec<f64>> {
    let mut row = vec![0.0; z.len()];
    *row.last_mut()? = 1.0;
    let anchor = z.to_vec();
    Newton::default()
        .solve(orbit, z, &row, &anchor, &[0.0], &NewtonOptions::default())
        .ok()?;
    Some(row)
}

/// The orbit at a value of the parameter `shift` away from that at `point`, admissible or not.
pub(super) fn solved_beyond(orbit: &mut PeriodicOrbit<'_>, point: &Point, shift: f64) -> Option<Vec<f64>> {
    let n = point.z.len();
    let rate = point.tangent[n - 1];
    let predicted = point.z.iter().zip(&point.tangent);
    let mut z: Vec<f64> = predicted
        .map(|(z, t)| if rate == 0.0 { *z } else { z + t * shift / rate })
        .collect();
    z[n - 1] = point.z[n - 1] + shift;
    correct_at_parameter(orbit, &mut z)?;
    Some(z)
}

/// The neighbour `like` of the boundary orbit at `point` as it may be at a value of the parameter `shift` away, if the
/// inequality of index `broken` is one beyond which a visit elsewhere begins, and it has begun there.
pub fn opened_beyond(
    orbit: &mut PeriodicOrbit<'_>,
    point: &Point,
    broken: usize,
    like: &Neighbour,
    shift: f64,
) -> Vec<Opened> {
    opened_at(orbit, point, broken, like, |orbit| solved_beyond(orbit, point, shift))
}

/// The same for orbits that fill a continuum at one value of the parameter: the orbit without the visit is so far along
/// the curve, in scaled distance.
pub fn opened_along(
    orbit: &mut PeriodicOrbit<'_>,
    point: &Point,
    broken: usize,
    like: &Neighbour,
    distance: f64,
) -> Vec<Opened> {
    opened_at(orbit, point, broken, like, |orbit| {
        let way = point.z.iter().zip(&point.tangent);
        let guess: Vec<f64> = way.map(|(z, t)| z + distance * t).collect();
        let solved = solution_next_to(orbit, &guess, 1.0, &NewtonOptions::default());
        Some(solved.ok()?.z)
    })
}

fn opened_at<'s>(
    orbit: &mut PeriodicOrbit<'s>,
    point: &Point,
    broken: usize,
    like: &Neighbour,
    solved: impl FnOnce(&mut PeriodicOrbit<'s>) -> Option<Vec<f64>>,
) -> Vec<Opened> {
    orbit.restore(&point.meshes);
    orbit.take_parameters(&point.z);
    let Some(subject @ (Subject::Clearance(..) | Subject::Condition(_))) = subjects(orbit).get(broken).copied() else {
        return vec![];
    };
    let Some(appears) = like.durations.iter().position(|d| *d == 0.0) else {
        return vec![];
    };
    let Some(z) = solved(orbit) else {
        return vec![];
    };
    orbit.take_parameters(&z);
    let modes = &orbit.system.modes;
    let states = |mode: usize| &modes[mode].states;
    let found = match subject {
        Subject::Clearance(k, w) => {
            let same = states(like.word.letters[appears].mode) == states(orbit.segments[k].mode);
            let first = if same { None } else { followed(orbit, &z, subject, like) };
            [first, dipped(orbit, &z, (k, w), like)]
        }
        _ => [followed(orbit, &z, subject, like), None],
    };
    let opened = |(neighbour, lasts)| Opened {
        neighbour,
        parameters: orbit.parameters_at(&z),
        orbit: Point {
            z: z.clone(),
            meshes: orbit.meshes(),
            ..point.clone()
        },
        stretch: (appears, lasts),
    };
    found.into_iter().flatten().map(opened).collect()
}

/// A visit by the orbit without it, which is beyond the surface `w` of segment `k` that long.
fn dipped(orbit: &PeriodicOrbit<'_>, z: &[f64], (k, w): (usize, usize), like: &Neighbour) -> Option<(Neighbour, f64)> {
    let p = orbit.parameters_at(z);
    let segment = &orbit.segments[k];
    let duration = orbit.duration(z, k);
    let surface = &orbit.plan.clearances[k][w];
    let (guard, sign) = (&surface.function, surface.sign);
    let dense = DenseOutput::new(orbit.system, segment, z, &p).ok()?;
    let (lowest, depth) = dense
        .least_inside_at(guard.as_ref(), (sign, ON_SURFACE), (true, true), &p)
        .ok()??;
    if depth >= 0.0 {
        return None;
    }
    let (outwards, inwards) = if sign > 0.0 {
        (Direction::Down, Direction::Up)
    } else {
        (Direction::Up, Direction::Down)
    };
    let leaves = dense.crossings(guard.as_ref(), outwards, &p, duration).ok()?;
    let returns = dense.crossings(guard.as_ref(), inwards, &p, duration).ok()?;
    let from = leaves.into_iter().filter(|t| *t < lowest).fold(f64::NAN, f64::max);
    let to = returns.into_iter().filter(|t| *t > lowest).fold(f64::NAN, f64::min);
    let (mut touch, mut back) = (vec![0.0; segment.n], vec![0.0; segment.n]);
    if !(from < to) {
        return None;
    }
    dense.eval(from, &mut touch);
    dense.eval(to, &mut back);
    let cut = neighbour::segments_at(orbit, z, k, w, &touch, from);
    let mut neighbour = cut.into_iter().find(|n| n.word == like.word)?;
    let appears = neighbour.durations.iter().position(|d| *d == 0.0)?;
    let next = (appears + 1) % neighbour.durations.len();
    if next == appears {
        return None;
    }
    neighbour.durations[appears] = to - from;
    neighbour.durations[next] -= to - from;
    // Where the visit has the same states, it goes and leaves about as the orbit without it does.
    let modes = &orbit.system.modes;
    let own = &modes[orbit.segments[k].mode].states;
    let same = |stretch: usize| modes[like.word.letters[stretch].mode].states == *own;
    if neighbour.starts[next].len() == back.len() && same(next) {
        neighbour.starts[next] = back;
    }
    if same(appears) {
        neighbour.along[appears] = Some((k, from));
    }
    if let Some((_, offset)) = &mut neighbour.along[next] {
        *offset += to - from;
    }
    Some((neighbour, to - from))
}

/// A visit by the flow itself: where it begins or ends tangentially it lasts longer than the orbit without it says.
fn followed(orbit: &PeriodicOrbit<'_>, z: &[f64], subject: Subject, like: &Neighbour) -> Option<(Neighbour, f64)> {
    let (Subject::Clearance(k, _) | Subject::Condition(k)) = subject else {
        return None;
    };
    let p = orbit.parameters_at(z);
    let free = orbit.word.letters[k].event.is_none();
    let mut start = orbit.start(z, k).to_vec();
    if free {
        // Well away from where it touches.
        let (_, touch) = like.along.iter().copied().flatten().next()?;
        let duration = orbit.duration(z, k);
        let dense = DenseOutput::new(orbit.system, &orbit.segments[k], z, &p).ok()?;
        dense.eval((touch + 0.5 * duration) % duration, &mut start);
    }
    let options = SimulationOptions {
        t_end: orbit.lap(z),
        max_events: 2,
        flow: orbit.options,
        ..SimulationOptions::default()
    };
    let run = simulate(orbit.system, orbit.segments[k].mode, &start, &p, &options).ok()?;
    let [before, excursion, ..] = &run.segments[..] else {
        return None;
    };
    let cut = match subject {
        Subject::Clearance(_, w) => neighbour::segments_at(orbit, z, k, w, &before.end, before.duration),
        _ => neighbour::with_another_ending(orbit, z, k),
    };
    let mut neighbour = cut.into_iter().find(|n| n.word == like.word)?;
    let (letters, count) = (&neighbour.word.letters, neighbour.word.letters.len());
    let appears = neighbour.durations.iter().position(|d| *d == 0.0)?;
    let (first, next) = ((appears + count - 1) % count, (appears + 1) % count);
    let met = |letter: &Letter, met: &Met| (letter.mode, letter.event) == (met.mode, met.event);
    if count < 2 || !met(&letters[first], before) && !free || !met(&letters[appears], excursion) {
        return None;
    }
    // The next segment begins later than it did, by as long as the visit lasts.
    let begins = match run.segments.get(2) {
        Some(after) if free || next > appears => after.start.clone(),
        _ => {
            let from = &neighbour.starts[next];
            let segment = orbit.segments.iter().find(|s| s.mode == letters[next].mode)?;
            let mut begins = vec![0.0; from.len()];
            segment.flow.advance(from, excursion.duration, &p, &mut begins).ok()?;
            begins
        }
    };
    neighbour.starts[appears].clone_from(&excursion.start);
    neighbour.starts[next] = begins;
    neighbour.durations[next] -= excursion.duration;
    if !free {
        neighbour.durations[next] += neighbour.durations[first] - before.duration;
        neighbour.durations[first] = before.duration;
    }
    neighbour.durations[appears] = excursion.duration;
    if let Some((_, offset)) = &mut neighbour.along[next] {
        *offset += excursion.duration;
    }
    (neighbour.durations[next] > 0.0).then_some((neighbour, excursion.duration))
}
