//! Corners in what events do to the states: the side of each is held while a curve is followed, and where the state at
//! an event meets one it is seen how the curve goes on beyond, in the same word.

use crate::admissibility::{Subject, subjects};
use crate::periodic::PeriodicOrbit;
use crate::unfold::is_repeated;
use slipstick_bifurcation::Record;
use slipstick_continuation::{Point, Problem};
use slipstick_system::Function;
use slipstick_system::text::OneSided;
use std::sync::Arc;

/// States and derivatives after the event on both sides that differ by less than this part of what they are made of are
/// the same.
const SAME: f64 = 1e-8;
/// Arguments up to this, relative to what they are made of, vanish together with the one whose corner is met.
const TOGETHER: f64 = 1e-8;
/// Of so many corners that are met at once all combinations of sides are looked at.
const MOST_AT_ONCE: usize = 6;

/// Whose sides of the corners are held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Sides {
    /// None: resets are as they are written, corners and all.
    #[default]
    Written,
    /// Those of the first point of a curve.
    OfCurve,
    /// Those given for the curve to come.
    Given,
}

/// The sides of the corners of the resets of a word, segment by segment.
#[doc(hidden)]
#[derive(Clone)]
pub struct HeldSides(Vec<Option<Arc<OneSided>>>);

/// The orbits beyond a corner.
#[doc(hidden)]
#[derive(Clone)]
pub struct OtherSide {
    /// Their sides.
    pub sides: HeldSides,
    /// Do the derivatives change there?
    pub bends: bool,
}

/// What a curve meets at a corner of a reset.
#[doc(hidden)]
#[derive(Clone)]
pub enum AtResetCorner {
    /// It may go on with these sides.
    Beyond(Vec<OtherSide>),
    /// The reset jumps; what does, in words.
    Jumps(String),
    /// The laps of an orbit that goes several times through a shorter one's word come together.
    Born,
}

impl PeriodicOrbit<'_> {
    /// Hold the sides of the corners of resets along each curve, as they are at its first point.
    #[doc(hidden)]
    pub fn hold_sides_along_curves(&mut self) {
        self.sides = Sides::OfCurve;
    }

    /// Hold these sides along the curve to come, which may begin on a corner.
    #[doc(hidden)]
    pub fn on_sides(&mut self, sides: &HeldSides) {
        self.sides = Sides::Given;
        for (k, one_sided) in sides.0.iter().enumerate() {
            self.hold(k, one_sided.clone());
        }
    }

    /// Measure states as along the curve of another problem of the same word, which this one continues.
    #[doc(hidden)]
    pub fn measure_like(&mut self, other: &PeriodicOrbit<'_>) {
        self.met.clone_from(&other.met);
    }

    /// The sides that are held, and whose.
    pub(crate) fn held_sides(&self) -> (Sides, HeldSides) {
        let held = self.segments.iter().map(|s| s.one_sided.clone()).collect();
        (self.sides, HeldSides(held))
    }

    /// Hold sides that were held before.
    pub(crate) fn return_to_sides(&mut self, (whose, sides): (Sides, HeldSides)) {
        self.on_sides(&sides);
        self.sides = whose;
    }

    fn hold(&mut self, k: usize, one_sided: Option<Arc<OneSided>>) {
        let Some(reset) = reset(self, k) else { return };
        let held = one_sided
            .clone()
            .map(|one_sided| Arc::new(one_sided.outputs.clone()) as _);
        let segment = &mut self.segments[k];
        segment.junction.replace_reset(held.unwrap_or(reset));
        segment.one_sided = one_sided;
    }

    /// Resets as they are written, until there is a point that tells the sides.
    pub(crate) fn release_sides(&mut self) {
        if self.sides == Sides::Given {
            self.sides = Sides::OfCurve;
        }
        for k in 0..self.segments.len() {
            if self.segments[k].one_sided.is_some() {
                self.hold(k, None);
            }
        }
    }

    /// Hold the sides of the solved orbit at `z`, where the equations were evaluated last, unless some are held.
    pub(crate) fn hold_sides(&mut self, z: &[f64]) {
        if self.sides == Sides::Written || self.plan.corners.iter().all(Vec::is_empty) {
            return;
        }
        let sizes = self.sizes_at(z);
        for k in 0..self.segments.len() {
            let segment = &self.segments[k];
            if segment.one_sided.is_some() || segment.ends_on_jump.is_some() || self.plan.corners[k].is_empty() {
                continue;
            }
            let Some(reset) = reset(self, k) else { continue };
            let Some(corners) = reset.corners() else { continue };
            let own = &sizes[segment.offset..segment.offset + segment.n];
            let sides = corners.sides(&segment.transition.x, &self.parameters, own);
            let one_sided = Arc::new(corners.one_sided(&sides));
            self.hold(k, Some(one_sided));
        }
    }
}

/// What the event that ends segment `k` does to the states.
fn reset(orbit: &PeriodicOrbit<'_>, k: usize) -> Option<slipstick_system::SharedFunction> {
    let letter = orbit.word.letters[k];
    let event = &orbit.system.modes[letter.mode].events[letter.event?];
    event.reset.clone()
}

/// What each corner of the reset at the end of segment `k` is, in words.
pub(crate) fn described(orbit: &PeriodicOrbit<'_>, k: usize) -> Vec<String> {
    let reset = reset(orbit, k);
    let Some(corners) = reset.as_ref().and_then(|reset| reset.corners()) else {
        return vec![];
    };
    orbit.plan.corners[k]
        .iter()
        .map(|(c, _)| corners.describe(*c))
        .collect()
}

/// How far the end of segment `k`, where it was evaluated last, is from each corner of the reset there, in the corner's
/// own argument; far where no side is held.
pub(crate) fn measure(orbit: &PeriodicOrbit<'_>, k: usize, values: &mut Vec<f64>) {
    let corners = &orbit.plan.corners[k];
    if corners.is_empty() {
        return;
    }
    let margins = margins(orbit, k);
    let value = |c: &usize| margins.as_ref().and_then(|m| m[*c]).unwrap_or(Record::FAR);
    values.extend(corners.iter().map(|(c, _)| value(c).min(Record::FAR)));
}

/// The distances from all corners of the reset at the end of segment `k` of which a side is held, by the numbers of the
/// corners.
fn margins(orbit: &PeriodicOrbit<'_>, k: usize) -> Option<Vec<Option<f64>>> {
    let segment = &orbit.segments[k];
    let held = segment.one_sided.as_ref().filter(|_| segment.ends_on_jump.is_none())?;
    let mut margins = vec![0.0; held.sides.len()];
    held.margins
        .value(&segment.transition.x, &orbit.parameters, &mut margins);
    let active = margins.iter().zip(&held.active);
    Some(active.map(|(m, active)| active.then_some(*m)).collect())
}

/// What the curve meets at the corner of a reset at which the inequality of index `broken` vanishes, where it comes from
/// the orbit `inside`; `None` where the inequality is about something else, or no side is known.
#[doc(hidden)]
pub fn beyond_reset_corner(
    orbit: &mut PeriodicOrbit<'_>,
    at: &Point,
    inside: &Point,
    broken: usize,
) -> Option<AtResetCorner> {
    let Subject::Corner(met_segment, met) = *subjects(orbit).get(broken)? else {
        return None;
    };
    let met = (met_segment, orbit.plan.corners[met_segment][met].0);
    orbit.evaluate_at(inside)?;
    orbit.hold_sides(&inside.z);
    orbit.evaluate_at(at)?;
    let before: Vec<After> = (0..orbit.segments.len()).map(|k| After::of(orbit, k)).collect();
    let sizes = orbit.sizes_at(&at.z);
    let own: Vec<Vec<f64>> = orbit
        .segments
        .iter()
        .map(|s| sizes[s.offset..][..s.n].to_vec())
        .collect();
    // Arguments that vanish together, as those of abs(x) and sign(x), change sides together or not.
    let mut at_once = vec![met];
    let mut arguments = vec![vec![]; orbit.segments.len()];
    let mut known = vec![vec![]; orbit.segments.len()];
    for k in 0..orbit.segments.len() {
        let (Some(margins), Some(reset)) = (margins(orbit, k), reset(orbit, k)) else {
            continue;
        };
        let corners = reset.corners()?;
        let (end, p) = (&orbit.segments[k].transition.x, &orbit.parameters);
        arguments[k] = corners.arguments(end, p, &own[k]);
        known[k] = corners.sides_at(orbit.segments[k].one_sided.as_deref()?, end, p, &own[k]);
        for (c, _) in &orbit.plan.corners[k] {
            let (v, size) = arguments[k][*c];
            // Those of a branch of a condition that is not taken may be taken beyond.
            let distance = margins[*c].unwrap_or(v).abs();
            let vanishes = known[k][*c].is_some() && distance <= TOGETHER * size.max(v.abs());
            if vanishes && (k, *c) != met && at_once.len() < MOST_AT_ONCE {
                at_once.push((k, *c));
            }
        }
    }
    if at_once.iter().any(|(k, _)| *k != met.0) && is_repeated(orbit, &at.z) {
        return Some(AtResetCorner::Born);
    }
    let held: Vec<Option<Arc<OneSided>>> = orbit.segments.iter().map(|s| s.one_sided.clone()).collect();
    let mut found = vec![];
    for combination in 0..1usize << (at_once.len() - 1) {
        let changed = |n: usize| n == 0 || (combination >> (n - 1)) & 1 == 0;
        let changed: Vec<(usize, usize)> = (0..at_once.len()).filter(|&n| changed(n)).map(|n| at_once[n]).collect();
        let mut sides = held.clone();
        for (k, known) in known.iter().enumerate().filter(|(_, known)| !known.is_empty()) {
            let reset = reset(orbit, k)?;
            let (corners, mut own) = (reset.corners()?, known.clone());
            for &(_, c) in changed.iter().filter(|(of, _)| *of == k) {
                own[c] = own[c].map(|side| corners.beyond(c, side, arguments[k][c].0));
            }
            sides[k] = Some(Arc::new(corners.one_sided(&own)));
        }
        // What takes no part beyond has no other side there.
        let takes_part = |(k, c): &(usize, usize)| sides[*k].as_ref().is_some_and(|sides| sides.active[*c]);
        if !changed[1..].iter().all(takes_part) {
            continue;
        }
        let sides = HeldSides(sides);
        let (mut continuous, mut bends) = (true, false);
        for (k, before) in before.iter().enumerate() {
            orbit.hold(k, sides.0[k].clone());
            let after = After::evaluated(orbit, k);
            let next = (k + 1) % orbit.segments.len();
            let periods = orbit.system.modes[orbit.segments[next].mode].states.iter();
            let periods: Vec<Option<f64>> = periods.map(|&s| orbit.system.states[s].period).collect();
            continuous &= before.leads_to_same(&after, &own[next], &periods);
            bends |= before.bends_into(&after, &own[k]);
            orbit.hold(k, held[k].clone());
        }
        if continuous {
            found.push(OtherSide { sides, bends });
        }
    }
    if found.is_empty() {
        let reset = reset(orbit, met.0)?;
        return Some(AtResetCorner::Jumps(reset.corners()?.describe_jump(met.1)));
    }
    Some(AtResetCorner::Beyond(found))
}

impl PeriodicOrbit<'_> {
    fn evaluate_at(&mut self, point: &Point) -> Option<()> {
        self.restore(&point.meshes);
        let mut residual = vec![0.0; point.z.len() - self.free.len()];
        self.linearise(&point.z, &mut residual).ok()
    }
}

/// The state after an event, with its derivatives by the state before it and by the free parameters.
struct After {
    next: Vec<f64>,
    dx: Vec<f64>,
    dp: Vec<f64>,
}

impl After {
    /// As it was evaluated last.
    fn of(orbit: &PeriodicOrbit<'_>, k: usize) -> Self {
        let s = &orbit.segments[k];
        Self {
            next: s.next.clone(),
            dx: s.junction_dx.clone(),
            dp: s.junction_dp.clone(),
        }
    }

    /// At the end of segment `k`, by the reset that is held.
    fn evaluated(orbit: &PeriodicOrbit<'_>, k: usize) -> Self {
        let mut after = Self::of(orbit, k);
        let s = &orbit.segments[k];
        let (p, free) = (&orbit.parameters, &orbit.free);
        let Self { next, dx, dp } = &mut after;
        s.junction.clone().linearise(&s.transition.x, p, free, next, dx, dp);
        after
    }

    /// Is the state the same, up to turns of angles?
    fn leads_to_same(&self, other: &Self, sizes: &[f64], periods: &[Option<f64>]) -> bool {
        let pairs = self.next.iter().zip(&other.next).zip(sizes.iter().zip(periods));
        pairs.into_iter().all(|((a, b), (size, period))| {
            let mut apart = a - b;
            if let Some(period) = period {
                apart -= (apart / period).round() * period;
            }
            apart.abs() <= SAME * size.max(a.abs())
        })
    }

    /// Do the derivatives differ, where each state before the event counts as these sizes?
    fn bends_into(&self, other: &Self, sizes: &[f64]) -> bool {
        let n = sizes.len();
        let rows = self.dx.chunks_exact(n).zip(other.dx.chunks_exact(n));
        let by_states = rows.into_iter().any(|(a, b)| {
            let scaled = |row: &[f64]| row.iter().zip(sizes).map(|(d, s)| d * s).collect::<Vec<f64>>();
            differ(&scaled(a), &scaled(b))
        });
        let free = self.dp.len() / self.next.len().max(1);
        by_states
            || free > 0 && (self.dp.chunks_exact(free).zip(other.dp.chunks_exact(free))).any(|(a, b)| differ(a, b))
    }
}

/// Do two rows of derivatives differ, relative to the largest of their numbers? What is not finite differs.
fn differ(a: &[f64], b: &[f64]) -> bool {
    let size = a.iter().chain(b).fold(0.0f64, |m, d| m.max(d.abs()));
    a.iter().zip(b).any(|(a, b)| !((a - b).abs() <= SAME * size))
}
