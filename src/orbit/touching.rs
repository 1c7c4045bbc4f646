//! Where a segment has vanished that ends on the surface it begins on, as the contact with a compliant obstacle: the
//! orbit touches the surface. The two events are one condition there, and the equations of the word singular; those of
//! the word without the segment are regular.

use crate::admissibility::{Subject, subjects};
use crate::gradient::derivatives;
use crate::neighbour::{Draft, Neighbour, joined};
use crate::periodic::PeriodicOrbit;
use slipstick_continuation::{Point, Problem};
use slipstick_system::Function;

/// Two gradients are parallel if the sine of the angle between them is no larger.
const PARALLEL: f64 = 1e-6;
/// A segment that lasts no longer, as part of the longest one, has vanished.
const VANISHED: f64 = 1e-6;

/// The orbit at `point` without the segment the duration of which is inequality number `vanished`, if that segment ends
/// on the surface it begins on, and lies between two of one mode; and without others that have vanished with it, as on
/// both sides of an orbit that is symmetric although its word does not say so.
///
/// ```
/// use slipstick_continuation::Point;
/// use slipstick_flow::FlowOptions;
/// use slipstick_orbit::{PeriodicOrbit, Word, touching};
/// use slipstick_study as study;
/// // A forced mass beside a spring that it has just ceased to touch: x = cos(t), F = c, the spring at x = 1.
/// let text = r#"Study(title: "t", system: Mechanical(coordinates: ["x"], parameters: {"F": 0.3}, masses: {"x": 1},
///     forcing: Forcing(period: "2*pi", phase: "theta"), springs: [Spring(on: "x", stiffness: 1, damping: 0.3)],
///     forces: {"x": "-F*sin(t)"}, contacts: {"wall": Gap(on: "x", distance: 1, stiffness: 2)}))"#;
/// let plan = study::parse("t.ron".as_ref(), text.into())?.plan(&[])?;
/// let system = &plan.systems[0].system;
/// let word = Word::parse("wall:open wall:close wall:closed wall:open", false, system)?;
/// let mut orbit = PeriodicOrbit::new(system, word, vec![0.3], vec![0], FlowOptions::default());
/// let z = orbit.guess(&[vec![1.0, 0.0, 0.0], vec![1.0, 0.0, 0.0]], &[std::f64::consts::TAU, 0.0])?;
/// let point = Point { z, tangent: vec![], weights: vec![], meshes: None };
/// let without = touching(&mut orbit, &point, 1).ok_or("it does not touch")?;
/// assert_eq!(without.word.describe(system), "wall:open");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn touching(orbit: &mut PeriodicOrbit<'_>, point: &Point, vanished: usize) -> Option<Neighbour> {
    orbit.restore(&point.meshes);
    orbit.take_parameters(&point.z);
    let z = &point.z;
    let Subject::Duration(k) = *subjects(orbit).get(vanished)? else {
        return None;
    };
    if !ends_where_it_begins(orbit, z, k)? {
        return None;
    }
    let count = orbit.segments.len();
    if orbit.word.symmetric && count > 2 {
        return joined(orbit, z, k);
    }
    let longest = (0..count).map(|j| orbit.duration(z, j)).fold(0.0, f64::max);
    let touches =
        |j: usize| orbit.duration(z, j) <= VANISHED * longest && ends_where_it_begins(orbit, z, j) == Some(true);
    let mut gone: Vec<usize> = (0..count).filter(|&j| j == k || touches(j)).collect();
    let mut draft = Draft::of(orbit, z);
    // From the last one, so that those before it stay where they are, but for the first if it goes with the last.
    while let Some(j) = gone.pop() {
        let left = draft.passages.len();
        if left == 2 {
            // The one that stays closes upon itself.
            draft.passages[1 - j].1 = None;
            draft.remove(j);
        } else {
            draft.leave_out(j)?;
            if j + 1 == left {
                gone.iter_mut().for_each(|k| *k -= 1);
            }
        }
    }
    Some(draft.finished(orbit, ""))
}

/// The whole period of a symmetric orbit without events, as one segment.
///
/// ```
/// use slipstick_continuation::Point;
/// use slipstick_flow::FlowOptions;
/// use slipstick_orbit::{PeriodicOrbit, Word, whole_period};
/// use slipstick_study as study;
/// use std::f64::consts::{PI, TAU};
/// let text = r#"Study(title: "t", system: Smooth(states: ["x", "y"], parameters: {"a": 0}, equations: ["x' = y", "y' = a*y - x"],
///     symmetry: {"x": "-x", "y": "-y"}))"#;
/// let plan = study::parse("t.ron".as_ref(), text.into())?.plan(&[])?;
/// let system = &plan.systems[0].system;
/// let word = Word::parse("smooth", true, system)?;
/// let mut half = PeriodicOrbit::new(system, word, vec![0.0], vec![0], FlowOptions::default());
/// let z = half.guess(&[vec![1.0, 0.0]], &[PI])?;
/// let whole = whole_period(&mut half, &Point { z, tangent: vec![], weights: vec![], meshes: None }).ok_or("not symmetric")?;
/// assert_eq!((whole.durations, whole.word.symmetric), (vec![TAU], false));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn whole_period(half: &mut PeriodicOrbit<'_>, point: &Point) -> Option<Neighbour> {
    let [letter] = half.word.letters[..] else { return None };
    if !half.word.symmetric || letter.event.is_some() {
        return None;
    }
    half.restore(&point.meshes);
    half.take_parameters(&point.z);
    let mut draft = Draft::of(half, &point.z);
    draft.durations[0] *= 2.0;
    let mut whole = draft.finished(half, "");
    whole.word.symmetric = false;
    Some(whole)
}

/// Does segment `k`, which begins without a jump, end on the surface that it begins on?
fn ends_where_it_begins(orbit: &PeriodicOrbit<'_>, z: &[f64], k: usize) -> Option<bool> {
    let (system, letters) = (orbit.system, &orbit.word.letters);
    let letter = letters[k];
    let mut before = letters[(k + letters.len() - 1) % letters.len()];
    let mut entering = before.event?;
    if orbit.word.symmetric && k == 0 {
        entering = system.mirrored_event(before.mode, entering)?;
        before.mode = system.symmetry.as_ref()?.modes[before.mode];
    }
    let (mode, mode_before) = (&system.modes[letter.mode], &system.modes[before.mode]);
    let (enters, leaves) = (&mode_before.events[entering], &mode.events[letter.event?]);
    if enters.reset.is_some() || mode.states != mode_before.states {
        return Some(false);
    }
    let segment = &orbit.segments[k];
    let sizes = orbit.sizes_at(z);
    let sizes = &sizes[segment.offset..segment.offset + segment.n];
    let gradient = |guard: &dyn Function| -> Vec<f64> {
        let (_, by_states, _) = derivatives(guard, orbit.start(z, k), &orbit.parameters, &[]);
        by_states.iter().zip(sizes).map(|(d, size)| d * size).collect()
    };
    Some(parallel(
        &gradient(enters.guard.as_ref()),
        &gradient(leaves.guard.as_ref()),
    ))
}

fn parallel(a: &[f64], b: &[f64]) -> bool {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let along = dot(a, b) / dot(a, a);
    let across: Vec<f64> = b.iter().zip(a).map(|(b, a)| b - along * a).collect();
    dot(&across, &across) <= PARALLEL * PARALLEL * dot(b, b)
}
