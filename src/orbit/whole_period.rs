//! A symmetric orbit without events in one segment.

use crate::neighbour::{Draft, Neighbour};
use crate::periodic::PeriodicOrbit;
use slipstick_continuation::{Point, Problem};

/// The whole period of a symmetric orbit without events, as one segment.
///
/// ```
/// use slipstick_continuation::{Point, Problem};
/// use slipstick_flow::FlowOptions;
/// use slipstick_orbit::{PeriodicOrbit, Word, whole_period};
/// use slipstick_study as study;
/// use std::f64::consts::{PI, TAU};
/// let text = r#"Study(title: "t", system: Smooth(states: ["x", "y"], parameters: {"a": 0},
///     equations: ["x' = y", "y' = a*y - x"], symmetry: {"x": "-x", "y": "-y"}))"#;
/// let plan = study::parse("t.ron".as_ref(), text.into())?.plan(&[])?;
/// let system = &plan.systems[0].system;
/// let word = Word::parse("smooth", true, system)?;
/// let mut half = PeriodicOrbit::new(system, word, vec![0.0], vec![0], FlowOptions::default());
/// let z = half.guess(&[vec![1.0, 0.0]], &[PI])?;
/// let point = Point { z, tangent: vec![], weights: vec![], meshes: None };
/// let whole = whole_period(&mut half, &point).ok_or("not symmetric")?;
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
