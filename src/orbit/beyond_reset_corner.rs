//! How a curve of orbits goes on where the state at an event meets a corner of what that does to the states: in the
//! same word, with the other side.

use crate::admissibility::{Subject, subjects};
use crate::periodic::PeriodicOrbit;
use crate::reset_corners::{margins, reset};
use crate::sides::{FixedSides, MOST_AT_ONCE, TOGETHER, changes};
use crate::unfold::is_repeated;
use slipstick_continuation::{Point, Problem};
use slipstick_system::text::OneSided;
use std::sync::Arc;

/// States and derivatives after the event on both sides that differ by less than this part of what they are made of are
/// the same.
const SAME: f64 = 1e-8;

/// The orbits beyond a corner.
#[doc(hidden)]
#[derive(Clone)]
pub struct OtherSide {
    /// Their sides.
    pub sides: FixedSides,
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

/// What the curve meets at the corner of a reset at which the inequality of index `broken` vanishes, where it comes
/// from the orbit `inside`; `None` where the inequality is about something else, or no side is known.
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
    let fixed: Vec<Option<Arc<OneSided>>> = orbit.segments.iter().map(|s| s.one_sided.clone()).collect();
    let mut found = vec![];
    for changed in changes(&at_once) {
        let mut sides = fixed.clone();
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
        let sides = FixedSides(sides);
        let (mut continuous, mut bends) = (true, false);
        for (k, before) in before.iter().enumerate() {
            orbit.hold(k, sides.0[k].clone());
            let after = After::evaluated(orbit, k);
            let next = (k + 1) % orbit.segments.len();
            let periods = orbit.system.modes[orbit.segments[next].mode].states.iter();
            let periods: Vec<Option<f64>> = periods.map(|&s| orbit.system.states[s].period).collect();
            continuous &= before.leads_to_same(&after, &own[next], &periods);
            bends |= before.bends_into(&after, &own[k]);
            orbit.hold(k, fixed[k].clone());
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
