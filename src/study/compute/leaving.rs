//! Setting off from the boundary of a word in a word that is valid beyond it.

use crate::compute::by_either::SetOff;
use crate::compute::error::{ComputeError, Hindrance};
use crate::compute::family::problem_like;
use crate::compute::openings::{Opening, leads_away};
use crate::compute::tracer::CurveTracer;
use crate::results::curve::Piece;
use slipstick_bifurcation::{Branch, BranchPoint, End, TraceOptions, Tracer};
use slipstick_continuation::{Failure, NewtonOptions, Point, Problem, StepOptions, solution_next_to};
use slipstick_orbit::{Exchange, Neighbour, PeriodicOrbit, exchanged_beyond, guess_beyond, match_ends};

/// A continuation in another word: its problem, the points there, and what changed.
pub(crate) type Entered<'s> = (PeriodicOrbit<'s>, Piece, String);

/// Where a curve beyond a boundary begins.
pub(crate) enum Start {
    /// At an orbit like this one, with the same parameter; directions are those of the parameter.
    Guess(Vec<f64>),
    /// At this orbit; directions are along the curve.
    Orbit(Point),
}

impl Start {
    fn unknowns(&self) -> &[f64] {
        match self {
            Self::Guess(z) => z,
            Self::Orbit(point) => &point.z,
        }
    }

    fn trace(&self, tracer: Tracer<'_>) -> Result<Branch, Failure> {
        match self {
            Self::Guess(z) => tracer.from_guess(z.clone()),
            Self::Orbit(point) => tracer.through(point),
        }
    }
}

impl From<Start> for SetOff {
    fn from(start: Start) -> Self {
        match start {
            Start::Guess(z) => Self::Beside(z),
            Start::Orbit(point) => Self::Through(point),
        }
    }
}

impl CurveTracer<'_> {
    /// Continue a curve in the word in which the events happen in the opposite order between which segments have
    /// vanished `together`: as the way from the orbits `inside`, of which the nearest comes first, leads on. Returns
    /// also whether the events commute, so that nothing happens to the orbit.
    pub(crate) fn enter_exchanged<'s, 'p>(
        &self,
        problem: &mut PeriodicOrbit<'s>,
        name: &str,
        (at, together): (&BranchPoint, &[usize]),
        inside: impl Iterator<Item = &'p BranchPoint>,
    ) -> Option<(Entered<'s>, bool)> {
        /// How long what opens is on the first orbit, as part of the lap; and the points inside that are looked at.
        const PARTS: [f64; 3] = [1e-4, 1e-3, 1e-5];
        const POINTS: usize = 4;
        /// A solution that is the one looked for is this near to what is expected of it, and opens as much.
        const NEAR: f64 = 1e-3;
        const OPENS: f64 = 0.5;
        let inside: Vec<&BranchPoint> = inside.take(POINTS).collect();
        let tries = inside.iter().flat_map(|inside| PARTS.map(|part| (inside, part)));
        tries.into_iter().find_map(|(inside, part)| {
            let exchange = exchanged_beyond(problem, &at.point, &inside.point, (together, part))?;
            let Exchange { neighbour, opening, .. } = exchange;
            let mut parameters = at.record.parameters.clone();
            parameters[self.curve.free] = exchange.parameter;
            let mut next = problem_like(self.curve, problem, neighbour.word.clone(), &parameters);
            let guess = guess_beyond(&mut next, problem, &at.point, &neighbour).ok()?;
            next.set_off(&guess);
            let solved = |next: &mut PeriodicOrbit<'s>, way: f64| {
                solution_next_to(next, &guess, way, &NewtonOptions::default()).ok()
            };
            let mut start = solved(&mut next, 1.0)?;
            let opens = |z: &[f64]| -> f64 {
                opening
                    .iter()
                    .map(|&k| next.duration(z, k))
                    .fold(f64::INFINITY, f64::min)
            };
            let near = match_ends(&next, &next.ends(&start.z), &next.ends(&guess), NEAR);
            if !near || !(opens(&start.z) > OPENS * opens(&guess)) {
                return None;
            }
            if opening.iter().map(|&k| next.duration(&start.tangent, k)).sum::<f64>() < 0.0 {
                start = solved(&mut next, -1.0)?;
            }
            let opening = Opening::Short(&opening);
            let piece = self
                .leave(&mut next, name, Start::Orbit(start), (NEAR, &[1.0]), opening)
                .ok()?;
            Some(((next, piece, neighbour.change), exchange.commutes))
        })
    }

    /// Trace away from a boundary in one of the `directions`, from a `start` next to it: the first orbit must agree
    /// with it to `tolerance`, and what opens there must last. Where it is followed on meshes, `next` is its problem on
    /// these.
    pub(crate) fn leave(
        &self,
        next: &mut PeriodicOrbit<'_>,
        name: &str,
        start: Start,
        (tolerance, directions): (f64, &[f64]),
        opening: Opening<'_>,
    ) -> Result<Piece, ComputeError> {
        let wanted = next.ends(start.unknowns());
        let meshes = next.meshes();
        let mut why = vec![];
        // However long the first step of the curve is to be: what opens at a boundary may close again within it.
        let mut steps = self.curve.trace.steps;
        steps.initial = steps.initial.min(StepOptions::default().initial);
        let direction = directions.iter().copied().find(|&d| {
            let mut options = TraceOptions {
                points: 3,
                levels: vec![],
                directions: vec![d],
                steps,
                ..self.curve.trace.clone()
            };
            next.restore(&meshes);
            let mut branch = start.trace(Tracer::new(next, &options));
            if let Some(initial) = branch
                .as_ref()
                .ok()
                .and_then(|b| shorter_step(b, options.steps.initial))
            {
                options.steps.initial = initial;
                next.restore(&meshes);
                branch = start.trace(Tracer::new(next, &options));
            }
            let branch = match branch {
                Ok(branch) => branch,
                Err(e) => {
                    why.push(Hindrance::from(e));
                    return false;
                }
            };
            let near = branch.points.first().is_some_and(|p| {
                next.restore(&p.point.meshes);
                match_ends(next, &next.ends(&p.point.z), &wanted, tolerance)
            });
            let ends: Vec<Vec<Vec<f64>>> = branch
                .points
                .iter()
                .map(|p| {
                    next.restore(&p.point.meshes);
                    next.ends(&p.point.z)
                })
                .collect();
            if !opening.lasts(&ends) {
                why.push(Hindrance::Shortens);
                return false;
            }
            if !near {
                why.push(Hindrance::OtherOrbit);
            } else if branch.points.len() <= 2 {
                why.extend(branch.ends.first().cloned().map(Hindrance::Ends));
            }
            near && branch.points.len() > 2 && leads_away(&branch, options.steps.initial)
        });
        let Some(direction) = direction else {
            why.dedup_by_key(|hindrance| hindrance.to_string());
            return Err(ComputeError::NotEntered(why));
        };
        let options = TraceOptions {
            directions: vec![direction],
            steps,
            ..self.curve.trace.clone()
        };
        next.restore(&meshes);
        let (branch, other) = self.trace_by_either(name, next, &start.into(), options)?;
        if let Some(other) = other {
            *next = other;
        }
        Ok(self.piece(next, branch))
    }
}

/// Where a branch comes to the end of its range within its first step: a step with which it has some points on the way.
fn shorter_step(branch: &Branch, initial: f64) -> Option<f64> {
    /// As a part of the way.
    const PART: f64 = 0.125;
    let [first, last] = &branch.points[..] else {
        return None;
    };
    let is_cut = branch.ends == [End::Range];
    let comparable = first.point.z.len() == last.point.z.len();
    (is_cut && comparable && leads_away(branch, initial)).then(|| PART * first.point.distance(&last.point))
}

/// Where to set off from the boundary orbit `at` in the word of a neighbour, along the curve through it and against
/// it: far enough not to be led by rounding, of which the velocity of an impact is the root. None where the nearest
/// orbit in that word does not agree with the boundary orbit to `tolerance`.
pub(crate) fn starts_along(
    problem: &mut PeriodicOrbit<'_>,
    next: &mut PeriodicOrbit<'_>,
    at: &BranchPoint,
    neighbour: &Neighbour,
    tolerance: f64,
) -> Vec<Start> {
    /// How far, as a scaled distance.
    const AWAY: f64 = 1e-6;
    let options = NewtonOptions::default();
    let Ok(guess) = guess_beyond(next, problem, &at.point, neighbour) else {
        return vec![];
    };
    next.set_off(&guess);
    let Ok(border) = solution_next_to(next, &guess, 1.0, &options) else {
        return vec![];
    };
    if !match_ends(next, &next.ends(&border.z), &next.ends(&guess), tolerance) {
        return vec![];
    }
    let mut start = |way: f64| {
        let along = border.z.iter().zip(&border.tangent);
        let beside: Vec<f64> = along.map(|(z, t)| z + way * AWAY * t).collect();
        solution_next_to(next, &beside, way, &options).map(Start::Orbit).ok()
    };
    [1.0, -1.0].into_iter().filter_map(&mut start).collect()
}
