//! What opens and what vanishes at the boundary of a word.

use crate::compute::family::problem_like;
use crate::plan::entries::CurvePlan;
use slipstick_bifurcation::{Branch, BranchPoint, Inspect, Label, Record};
use slipstick_continuation::{Curve, Point, Problem, StepOptions};
use slipstick_floquet::Multiplier;
use slipstick_flow::ON_SURFACE;
use slipstick_orbit::{Neighbour, PeriodicOrbit, guess_beyond, solved_near};

/// Segments that last no longer than this part of the period have no length.
const SHORT: f64 = 1e-7;

/// What opens beyond a boundary.
#[derive(Clone, Copy)]
pub(crate) enum Opening<'a> {
    /// Segments that have no length at the boundary, where they vanish together or a continuum ends: beyond they have
    /// one.
    Short(&'a [usize]),
    /// A stretch that has opened: on the first orbit it lasts longer than this, and ever longer from there.
    Stretch(usize, f64),
}

impl Opening<'_> {
    /// Does what opens last on the orbits with these ends?
    pub(crate) fn lasts(self, orbits: &[Vec<Vec<f64>>]) -> bool {
        let lasts = |orbit: &Vec<Vec<f64>>, k: usize| orbit.get(k).and_then(|end| end.last().copied()).unwrap_or(0.0);
        match self {
            // What stays as short as rounding makes it is none: so it is where, beyond, the motion touches a surface
            // without leaving it.
            Self::Short(segments) => orbits.last().is_none_or(|orbit| {
                let whole: f64 = (0..orbit.len()).map(|k| lasts(orbit, k).abs()).sum();
                orbits.len() < 3 || segments.iter().all(|k| lasts(orbit, *k) > SHORT * whole)
            }),
            Self::Stretch(segment, length) => {
                let all: Vec<f64> = orbits.iter().map(|orbit| lasts(orbit, segment)).collect();
                all.first().is_some_and(|first| *first > length) && all.is_sorted_by(|a, b| a < b)
            }
        }
    }
}

/// Do these segments, beyond a boundary next to `guess`, stay as short as rounding makes them, whichever way the curve
/// goes? That takes three points, of which nothing is measured; false where these are not found.
pub(crate) fn opens_nowhere(
    problem: &mut PeriodicOrbit<'_>,
    guess: &[f64],
    segments: &[usize],
    steps: StepOptions,
) -> bool {
    let meshes = problem.meshes();
    let mut is_short = |direction: f64| {
        problem.restore(&meshes);
        problem.set_off(guess);
        let Ok(mut curve) = Curve::start_at_fold_too(&mut *problem, guess.to_vec(), direction, steps) else {
            return false;
        };
        let mut points = vec![curve.point().clone()];
        points.extend(curve.by_ref().map_while(Result::ok).take(2));
        let ends: Vec<_> = points
            .iter()
            .map(|point| {
                problem.restore(&point.meshes);
                problem.ends(&point.z)
            })
            .collect();
        !Opening::Short(segments).lasts(&ends)
    };
    let nowhere = [1.0, -1.0].into_iter().all(&mut is_short);
    problem.restore(&meshes);
    nowhere
}

/// The segments that have no length at the boundary where `inequality` vanishes, and have one on the orbits before it,
/// of which the nearest comes first.
pub(crate) fn vanishing<'p>(
    problem: &mut PeriodicOrbit<'_>,
    at: &BranchPoint,
    inequality: usize,
    before: impl Iterator<Item = &'p BranchPoint>,
) -> Vec<usize> {
    /// Lengths that are left where the end could not be located, and that tend to zero together, are alike to this.
    const ALIKE: f64 = 4.0;
    let mut lasts = |point: &Point| -> Vec<f64> {
        problem.restore(&point.meshes);
        let ends = problem.ends(&point.z);
        ends.iter().map(|end| end.last().copied().unwrap_or(0.0)).collect()
    };
    let here = lasts(&at.point);
    let none = SHORT * here.iter().map(|lasts| lasts.abs()).sum::<f64>();
    let left = at.record.inequalities.get(inequality).copied();
    let left = left.filter(|left| *left > none && here.contains(left));
    let (short, far) = match left {
        Some(left) => (ALIKE * left, usize::MAX),
        None => (none, 1),
    };
    let vanished = |before: Vec<f64>| -> Vec<usize> {
        let both = here.iter().zip(&before).enumerate();
        let vanish = both.filter(|(_, (here, before))| here.abs() <= short && **before > short);
        vanish.map(|(k, _)| k).collect()
    };
    let mut found = before.take(far).map(|p| vanished(lasts(&p.point)));
    found.find(|all| !all.is_empty()).unwrap_or_default()
}

/// Do orbits fill a continuum at one value of the parameter?
pub(crate) fn is_continuum(branch: &Branch) -> bool {
    stands_still(branch) && (branch.points.len() > 3 || is_short_continuum(branch))
}

/// Is a branch of three points or fewer, along which the parameter stands still, a continuum that a step leads across?
/// Its ends lie apart, along the tangent at its start.
fn is_short_continuum(branch: &Branch) -> bool {
    /// Ends that lie no farther apart are one.
    const APART: f64 = 1e-7;
    let points = &branch.points;
    let (Some(first), Some(start), Some(last)) = (points.first(), points.get(branch.start), points.last()) else {
        return false;
    };
    let (start, first, last) = (&start.point, &first.point, &last.point);
    start.z.len() == first.z.len()
        && start.z.len() == last.z.len()
        && start.stays_at_parameter()
        && (start.arclength_to(last) - start.arclength_to(first)).abs() > APART
}

/// Is the parameter the same all along a branch, as on a continuum, however few its points are?
pub(crate) fn stands_still(branch: &Branch) -> bool {
    /// Parameters that are equal but for rounding, relative to their size.
    const ROUNDING: f64 = 1e-11;
    let Some(Point { weights, .. }) = branch.points.first().map(|p| &p.point) else {
        return false;
    };
    let size = weights.last().map_or(0.0, |w| w.sqrt().recip());
    let levels = || branch.points.iter().map(|p| p.point.parameter());
    let first = levels().next().unwrap_or(0.0);
    levels().all(|p| (p - first).abs() <= ROUNDING * size)
}

/// Is the boundary orbit in a word without events one of a continuum, rather than of a curve? Where Newton's method
/// fails, as it does in a continuum, the boundary orbit itself tells.
pub(crate) fn fills_continuum(
    curve: &CurvePlan,
    problem: &mut PeriodicOrbit<'_>,
    at: &BranchPoint,
    without: &Neighbour,
) -> bool {
    let mut next = problem_like(curve, problem, without.word.clone(), &at.record.parameters);
    let Ok(z) = guess_beyond(&mut next, problem, &at.point, without) else {
        return false;
    };
    let boundary = Point {
        tangent: vec![0.0; z.len()],
        weights: vec![],
        meshes: next.meshes(),
        z: z.clone(),
    };
    let point = solved_near(&mut next, z).or_else(|| {
        next.restore(&boundary.meshes);
        let mut residual = vec![0.0; next.unknowns() - next.free()];
        next.linearise(&boundary.z, &mut residual).ok().map(|()| boundary)
    });
    let mut record = Record::default();
    let inspected = point.is_some_and(|point| next.inspect(&point, &mut record).is_ok());
    inspected && record.multipliers.iter().any(Multiplier::is_nearly_one)
}

/// What is to be said where all that ended segments has vanished: the motion goes on in one mode.
pub(crate) fn lasts_beyond(problem: &PeriodicOrbit<'_>, together: &[usize], without: &Neighbour) -> String {
    let system = problem.system();
    let gone: Vec<String> = together
        .iter()
        .map(|k| format!("`{}`", system.modes[problem.word().letters[*k].mode].name))
        .collect();
    let word = without.word.describe(system);
    format!(
        "{} vanish together: beyond, `{word}` lasts, where a state that nothing resets may keep any value, so that orbits fill a continuum \
         at each value of the parameter; the word `{word} free` starts there, and a symmetric one, where the system has a symmetry, \
         follows its symmetric orbits",
        gone.join(" and ")
    )
}

/// Does the orbit rebound by so little before it touches a surface again that a touching looks like a start on the
/// surface? Such a grazing is located where the orbit passes the surface by the accuracy of surfaces.
pub(crate) fn rebounds_untold(at: &BranchPoint, inequality: usize) -> bool {
    /// This part of the accuracy, at which others are not located.
    const PASSED: f64 = 0.5;
    let clearance = at.record.inequalities.get(inequality);
    at.label == Some(Label::GR) && clearance.is_some_and(|clearance| *clearance < -PASSED * ON_SURFACE)
}

/// Does a branch that sets off with this step lead away from its first point, further than rounding does?
pub(crate) fn leads_away(branch: &Branch, step: f64) -> bool {
    /// Scaled distances up to this may be the root of rounding, as the velocity of an impact is.
    const ROUNDING: f64 = 1e-6;
    let rounding = ROUNDING.min(0.5 * step);
    let points = &branch.points;
    let Some((first, rest)) = points.split_first() else {
        return false;
    };
    rest.iter()
        .any(|p| first.point.z.len() != p.point.z.len() || first.point.distance(&p.point) > rounding)
}
