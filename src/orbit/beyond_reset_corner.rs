//! How a curve of orbits goes on where the state at an event meets a corner of what that does to the states: in the
//! same word, with the other side.

use crate::admissibility::{Subject, subjects};
use crate::dense_output::DenseOutput;
use crate::periodic::PeriodicOrbit;
use crate::reset_corners::{margins, reset};
use crate::sides::{FixedSides, MOST_AT_ONCE, TOGETHER, changes};
use crate::unfold::is_repeated;
use slipstick_continuation::{Newton, NewtonOptions, Point, Problem, tangent_at};
use slipstick_system::text::OneSided;
use slipstick_system::{Function, jacobian};
use std::sync::Arc;

/// States and derivatives after the event on both sides that differ by less than this part of what they are made of are
/// the same.
const SAME: f64 = 1e-8;

/// By this factor slopes next to a root are larger than beyond it.
const STEEPER: f64 = 1e3;
/// Distances from a corner, as parts of the sizes of the states. What a root or a power is off by shrinks between them
/// to this part, of the tenth root still; a jump does not shrink.
const INSIDE: [f64; 2] = [1e-10, 1e-13];
const SHRINKS: f64 = 0.6;

/// The orbits beyond a corner.
#[doc(hidden)]
#[derive(Clone)]
pub struct OtherSide {
    /// Their sides.
    pub sides: FixedSides,
    /// Do the derivatives change there?
    pub bends: bool,
    /// The number of the inequality that vanishes at the corner, and whether the equations are far steeper on the side
    /// that the curve comes from, as those of a root are: from there the place is known to half the digits.
    pub inequality: usize,
    smoother: bool,
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
        let (mut continuous, mut bends, mut steep, mut slope) = (true, false, 0.0f64, 0.0f64);
        for (k, before) in before.iter().enumerate() {
            let changed: Vec<usize> = changed.iter().filter(|(of, _)| *of == k).map(|(_, c)| *c).collect();
            let own_inside = from_inside(orbit, k, &changed, &own[k]);
            orbit.hold(k, sides.0[k].clone());
            let after = After::evaluated(orbit, k);
            let next = (k + 1) % orbit.segments.len();
            let periods = orbit.system.modes[orbit.segments[next].mode].states.iter();
            let periods: Vec<Option<f64>> = periods.map(|&s| orbit.system.states[s].period).collect();
            let agree = |befores: [After; 2], afters: [After; 2]| {
                let pairs = befores.iter().zip(&afters);
                let apart: Vec<f64> = pairs.map(|(a, b)| a.apart(b, &own[next], &periods)).collect();
                apart[1] <= SHRINKS * apart[0]
            };
            let inside = own_inside.zip(from_inside(orbit, k, &changed, &own[k]));
            continuous &= before.leads_to_same(&after, &own[next], &periods)
                || inside.is_some_and(|(befores, afters)| agree(befores, afters));
            bends |= before.bends_into(&after, &own[k]);
            (steep, slope) = (steep.max(before.steepest()), slope.max(after.steepest()));
            orbit.hold(k, fixed[k].clone());
        }
        if continuous {
            found.push(OtherSide {
                sides,
                bends,
                inequality: broken,
                smoother: steep > STEEPER * slope,
            });
        }
    }
    if found.is_empty() {
        let reset = reset(orbit, met.0)?;
        return Some(AtResetCorner::Jumps(reset.corners()?.describe_jump(met.1)));
    }
    Some(AtResetCorner::Beyond(found))
}

/// What the reset on the fixed sides leads to at the end of segment `k`, from states that lie this far inside of the
/// `corners`: on the corner itself a root may have no value, by rounding, and a small power of what rounding leaves may
/// be anything but small.
fn from_inside(orbit: &PeriodicOrbit<'_>, k: usize, corners: &[usize], sizes: &[f64]) -> Option<[After; 2]> {
    let segment = &orbit.segments[k];
    let margins = &segment.one_sided.as_ref()?.margins;
    let (count, n) = (margins.outputs(), segment.n);
    let states = INSIDE.map(|distance| {
        let mut x = segment.transition.x.clone();
        for &corner in corners {
            let (mut values, mut dx) = (vec![0.0; count], vec![0.0; count * n]);
            jacobian(margins, &x, &orbit.parameters, &[], &mut values, &mut dx, &mut []);
            let scaled: Vec<f64> = dx[corner * n..][..n].iter().zip(sizes).map(|(g, s)| g * s).collect();
            let length = scaled.iter().map(|g| g * g).sum::<f64>().sqrt();
            let missing = distance - values[corner] / length;
            if missing.is_finite() {
                let moved = x.iter_mut().zip(scaled.iter().zip(sizes));
                moved.for_each(|(x, (g, size))| *x += missing * g / length * size);
            }
        }
        x
    });
    Some(states.map(|x| After::from_state(orbit, k, &x)))
}

/// A point of the curve beyond next to the corner, on the fixed sides: on the corner itself the equations may have no
/// value or no slope.
#[doc(hidden)]
pub fn set_off_inside(orbit: &mut PeriodicOrbit<'_>, arriving: &Point) -> Option<Point> {
    /// How far, in scaled arclength.
    const AWAY: [f64; 3] = [1e-14, 1e-12, 1e-10];
    let has_slopes = |orbit: &mut PeriodicOrbit<'_>, z: &[f64]| {
        let mut residual = vec![0.0; z.len() - orbit.free.len()];
        let slopes = |orbit: &PeriodicOrbit<'_>| {
            let mut all = orbit.segments.iter().flat_map(|s| &s.junction_dx);
            all.all(|slope| slope.is_finite())
        };
        orbit.linearise(z, &mut residual).is_ok() && slopes(orbit)
    };
    let row = parameter_row(arriving.z.len());
    AWAY.into_iter().find_map(|away| {
        let along = arriving.z.iter().zip(&arriving.tangent);
        let z: Vec<f64> = along.map(|(z, t)| z + away * t).collect();
        has_slopes(orbit, &z)
            .then(|| tangent_at(orbit, z, &row, 1.0).ok())
            .flatten()
    })
}

/// The orbit on the corner by the equations beyond, to all digits, with the tangent of their curve, where they are the
/// smoother ones.
#[doc(hidden)]
pub fn corner_from_beyond(orbit: &mut PeriodicOrbit<'_>, at: &Point, beyond: &OtherSide) -> Option<Point> {
    /// The parameter of the second orbit, in its size, and how often the secant is taken.
    const BESIDE: f64 = 1e-6;
    const ROUNDS: usize = 4;
    if !beyond.smoother {
        return None;
    }
    let Subject::Corner(k, c) = *subjects(orbit).get(beyond.inequality)? else {
        return None;
    };
    let (corner, row) = (orbit.plan.corners[k][c].0, parameter_row(at.z.len()));
    let solved = |orbit: &mut PeriodicOrbit<'_>, value: f64| -> Option<(f64, f64, Vec<f64>)> {
        let mut z = at.z.clone();
        *z.last_mut()? = value;
        let anchor = z.clone();
        let options = NewtonOptions::default();
        Newton::default()
            .solve(orbit, &mut z, &row, &anchor, &[0.0], &options)
            .ok()?;
        Some((value, margins(orbit, k)?[corner]?, z))
    };
    let size = at.weights.last()?.sqrt().recip();
    let mut before = solved(orbit, at.parameter() + BESIDE * size)?;
    let mut last = solved(orbit, at.parameter())?;
    for _ in 0..ROUNDS {
        if last.1 == 0.0 || last.1 == before.1 {
            break;
        }
        let next = last.0 - last.1 * (last.0 - before.0) / (last.1 - before.1);
        before = std::mem::replace(&mut last, solved(orbit, next)?);
    }
    tangent_at(orbit, last.2, &row, 1.0).ok()
}

/// The border row of so many unknowns that fixes the parameter.
fn parameter_row(unknowns: usize) -> Vec<f64> {
    let mut row = vec![0.0; unknowns];
    row.last_mut().into_iter().for_each(|last| *last = 1.0);
    row
}

/// The corner of a reset that the orbit at `point` lies on, as the number of its inequality in a record, where the
/// equations have no value beyond it: steps that lead across it fail.
pub(crate) fn reset_corner_reached(orbit: &PeriodicOrbit<'_>, point: &Point) -> Option<usize> {
    if orbit.meshes() != point.meshes || orbit.plan.corners.iter().all(Vec::is_empty) {
        return None;
    }
    let (sizes, p) = (orbit.sizes_at(&point.z), orbit.parameters_at(&point.z));
    let on_corner = |subject: &Subject| {
        let Subject::Corner(k, c) = *subject else { return false };
        let (segment, c) = (&orbit.segments[k], orbit.plan.corners[k][c].0);
        let is_fixed = segment.one_sided.as_ref().is_some_and(|fixed| fixed.active[c]);
        let (Some(reset), true) = (reset(orbit, k), is_fixed) else {
            return false;
        };
        let Ok(trajectory) = DenseOutput::new(orbit.system, segment, &point.z, &p) else {
            return false;
        };
        let mut end = vec![0.0; segment.n];
        trajectory.eval(orbit.duration(&point.z, k), &mut end);
        let own = &sizes[segment.offset..][..segment.n];
        reset.corners().is_some_and(|corners| {
            let (v, size) = corners.arguments(&end, &p, own)[c];
            v.abs() <= TOGETHER * size
        })
    };
    subjects(orbit).iter().position(on_corner)
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

    /// At the end of segment `k`, by the reset on the fixed sides.
    fn evaluated(orbit: &PeriodicOrbit<'_>, k: usize) -> Self {
        Self::from_state(orbit, k, &orbit.segments[k].transition.x)
    }

    /// From a state `x` at the end of segment `k`, by the reset on the fixed sides.
    fn from_state(orbit: &PeriodicOrbit<'_>, k: usize, x: &[f64]) -> Self {
        let mut after = Self::of(orbit, k);
        let s = &orbit.segments[k];
        let (p, free) = (&orbit.parameters, &orbit.free);
        let Self { next, dx, dp } = &mut after;
        s.junction.clone().linearise(x, p, free, next, dx, dp);
        after
    }

    /// Is the state the same, up to turns of angles?
    fn leads_to_same(&self, other: &Self, sizes: &[f64], periods: &[Option<f64>]) -> bool {
        self.apart(other, sizes, periods) <= SAME
    }

    /// How far the states are from each other, up to turns of angles and relative to sizes: infinitely far where one
    /// has no value.
    fn apart(&self, other: &Self, sizes: &[f64], periods: &[Option<f64>]) -> f64 {
        let pairs = self.next.iter().zip(&other.next).zip(sizes.iter().zip(periods));
        let of_states = pairs.into_iter().map(|((a, b), (size, period))| {
            let mut apart = a - b;
            if let Some(period) = period {
                apart -= (apart / period).round() * period;
            }
            let part = apart.abs() / size.max(a.abs()).max(f64::MIN_POSITIVE);
            if part.is_finite() { part } else { f64::INFINITY }
        });
        of_states.fold(0.0, f64::max)
    }

    /// The largest derivative.
    fn steepest(&self) -> f64 {
        let sizes = self.dx.iter().map(|d| if d.is_nan() { f64::INFINITY } else { d.abs() });
        sizes.fold(0.0, f64::max)
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
    !size.is_finite() || a.iter().zip(b).any(|(a, b)| !((a - b).abs() <= SAME * size))
}
