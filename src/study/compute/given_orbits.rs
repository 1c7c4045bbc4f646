//! Curves of periodic orbits that start from an orbit given by another curve, a file, a Hopf point or a boundary
//! equilibrium.

use crate::compute::boundary_starts::born_at_boundary;
use crate::compute::correction::{corrected, smooth};
use crate::compute::error::ComputeError;
use crate::compute::family::Family;
use crate::compute::given::own_states;
use crate::compute::interpolation::Interpolation;
use crate::compute::least_period::at_least_period_with_events;
use crate::compute::no_start::lasts_otherwise;
use crate::compute::tracer::{CurveTracer, add_to};
use crate::plan::entries::CurvePlan;
use crate::plan::orbit_files::{Given, Known};
use slipstick_bifurcation::{Inspect, Label};
use slipstick_continuation::{Newton, NewtonOptions, Point, Problem, tangent_at};
use slipstick_numerics::number::exact;
use slipstick_orbit::{HopfFamilies, PeriodicOrbit, Word, families_from_hopf};
use slipstick_system::System;

/// Follow periodic orbits from an orbit that was computed before, or from an equilibrium at a Hopf point. The start has
/// the parameters that were asked for; the free one may differ where it is not `held` and no orbit is found there.
pub(crate) fn follow_given(
    problem: &mut PeriodicOrbit<'_>,
    orbit: &Given,
    at_parameter: bool,
    tracer: &mut CurveTracer<'_>,
) -> Result<(), ComputeError> {
    // At the Hopf point where a family of cycles ends, the orbit is the equilibrium.
    if orbit.states.len() > 1 && orbit.label != Label::HB.code() {
        let known = orbit.known.as_ref();
        let start = match known.and_then(|known| taken_over(problem, known, &orbit.label)) {
            Some(start) => start,
            None => given_orbit(problem, orbit, at_parameter)?,
        };
        follow(problem, start, tracer);
        return Ok(());
    }
    if orbit.label == Label::BE.code() {
        let value = problem.parameters()[tracer.curve.free];
        let point = born_at_boundary(problem, orbit, tracer.curve)?;
        let said = format!("the cycles are born at the boundary equilibrium at {}", exact(value));
        add_to(&mut tracer.note, &said);
        tracer.follow_from(problem, point);
        return Ok(());
    }
    if problem.word().letters.iter().any(|letter| letter.event.is_some()) {
        let mode = problem.system().modes[orbit.modes[0]].name.clone();
        return Err(ComputeError::HopfInWordWithEvents { mode });
    }
    let x = own_states(problem.system(), orbit.modes[0], &orbit.states[0]);
    let free = tracer.curve.free;
    let level = problem.parameters()[free];
    let found = families_from_hopf(problem, &x, tracer.curve.trace.range).map_err(ComputeError::Hopf)?;
    if found.pairs > 1 {
        follow_families(problem, found, tracer);
        return Ok(());
    }
    let Some(point) = found.starts.into_iter().next() else {
        return Ok(());
    };
    if !ends_at_hopf_point(problem, &point, (&x, level), tracer) {
        tracer.follow_from(problem, point);
    }
    Ok(())
}

/// Follow all families of one Hopf point. Those are different: each is compared to what was known before only.
fn follow_families(problem: &mut PeriodicOrbit<'_>, found: HopfFamilies, tracer: &mut CurveTracer<'_>) {
    let (note, earlier) = (tracer.note.clone(), tracer.results.len());
    add_to(&mut tracer.note, &found.said);
    for point in found.starts {
        problem.begin_again(&point);
        tracer.follow_apart(problem, point, earlier);
        // It stands with the first one that there is.
        if tracer.results.len() > earlier {
            tracer.note.clone_from(&note);
        }
    }
    tracer.note = note;
}

/// Does a curve traced before end at the Hopf point with the equilibrium `x` at this level of the free parameter, as
/// the family that sets off at `point`? It tells that better than the small orbits next to the Hopf point do.
fn ends_at_hopf_point(
    problem: &PeriodicOrbit<'_>,
    point: &Point,
    (x, level): (&[f64], f64),
    tracer: &CurveTracer<'_>,
) -> bool {
    /// Of the width of the range, of the states and of the period: small orbits have nearly that of the Hopf point.
    const SAME_LEVEL: f64 = 1e-9;
    const SAME_STATE: f64 = 1e-6;
    const SAME_PERIOD: f64 = 1e-2;
    let (low, high) = tracer.curve.trace.range;
    let period = problem.period(&point.z);
    let word = Inspect::word(problem);
    let near = |a: f64, b: f64, part: f64| (a - b).abs() <= part * a.abs().max(b.abs());
    let pieces = tracer.results.iter().flat_map(|r| &r.pieces).filter(|p| p.word == word);
    let mut ends = pieces
        .flat_map(|piece| &piece.branch.points)
        .filter(|p| p.label == Some(Label::HB));
    ends.any(|end| {
        let there = end.point.z.get(..x.len());
        (end.point.parameter() - level).abs() <= SAME_LEVEL * (high - low)
            && near(end.record.period, period, SAME_PERIOD)
            && there.is_some_and(|there| there.iter().zip(x).all(|(a, b)| near(*a, *b, SAME_STATE)))
    })
}

/// Newton's options for starts: among canards rounding keeps it from coming closer than it does.
fn resting() -> NewtonOptions {
    NewtonOptions {
        rests: true,
        ..NewtonOptions::default()
    }
}

/// Where a curve starts.
pub(crate) enum Start {
    /// At a solution that the value of the free parameter tells from its neighbours.
    At(Vec<f64>),
    /// At a solution with the tangent of the curve, next to which the parameter says too little: at a fold, or among
    /// canards.
    Through(Point),
}

pub(crate) fn follow(problem: &mut PeriodicOrbit<'_>, start: Start, tracer: &mut CurveTracer<'_>) {
    match start {
        Start::At(z) => match at_least_period_with_events(tracer.curve, problem, &z) {
            Some((mut once, z, said)) => {
                tracer.note = said;
                tracer.follow(&mut once, z);
            }
            None => tracer.follow(problem, z),
        },
        Start::Through(point) => tracer.follow_through(problem, point),
    }
}

/// Take over a known point with its meshes: at a fixed value of the free parameter or, where that says too little, on
/// the plane across the curve; at a fold that is the plane across the null vector, which is the tangent there whatever
/// parameter is free. None where the unknowns are others, or it does not converge.
fn taken_over(problem: &mut PeriodicOrbit<'_>, known: &Known, label: &str) -> Option<Start> {
    if known.word != Inspect::word(problem) || known.half != problem.is_half() {
        return None;
    }
    problem.restore(&known.point.meshes);
    let n = problem.unknowns();
    if known.point.z.len() != n || problem.free() != 1 {
        return None;
    }
    let mut point = known.point.clone();
    point.z[n - 1] = problem.parameters()[*problem.free_parameters().first()?];
    problem.rephase(&point);
    let z = point.z;
    if label == Label::LP.code() {
        return across(problem, z, plane(&known.point), &resting());
    }
    let mut fixed = vec![0.0; n];
    fixed[n - 1] = 1.0;
    let mut at = z.clone();
    let solved = Newton::default().solve(problem, &mut at, &fixed, &z, &[0.0], &resting());
    if solved.is_ok() {
        return Some(Start::At(at));
    }
    let tangent = tangent_near(problem, &z);
    let plane = plane(tangent.as_ref().unwrap_or(&known.point));
    across(problem, z, plane, &resting())
}

/// The row of the plane across the tangent of a point.
fn plane(point: &Point) -> Vec<f64> {
    point.tangent.iter().zip(&point.weights).map(|(t, w)| t * w).collect()
}

/// The tangent of the curve near `z`, from the equations at a fixed value of the parameter: where these are nearly
/// singular that is one step of inverse iteration to their null vector, which is the tangent there.
fn tangent_near(problem: &mut PeriodicOrbit<'_>, z: &[f64]) -> Option<Point> {
    let n = z.len();
    let mut residual = vec![0.0; n - 1];
    problem.linearise(z, &mut residual).ok()?;
    let mut fixed = vec![0.0; n];
    fixed[n - 1] = 1.0;
    tangent_at(problem, z.to_vec(), &fixed, 1.0).ok()
}

/// The point of the curve on the plane with this row through `z`. What is solved already is taken as it is where
/// Newton's method does not come to rest.
fn across(problem: &mut PeriodicOrbit<'_>, mut z: Vec<f64>, plane: Vec<f64>, options: &NewtonOptions) -> Option<Start> {
    /// Residuals of a solved point.
    const SOLVED: f64 = 1e-8;
    let anchor = z.clone();
    let solved = Newton::default().solve(problem, &mut z, &plane, &anchor, &[0.0], options);
    if solved.is_err() {
        z = anchor;
        let mut residual = vec![0.0; z.len() - 1];
        problem.linearise(&z, &mut residual).ok()?;
        if !residual.iter().all(|r| r.abs() <= SOLVED) {
            return None;
        }
    }
    tangent_at(problem, z, &plane, 1.0).ok().map(Start::Through)
}

/// Hand the parameters of a start to the problem: those of the point it comes from, then those that the study gives.
pub(crate) fn set_parameters(
    system: &System,
    curve: &CurvePlan,
    orbit: &Given,
    given: &[(usize, f64)],
    mut set: impl FnMut(usize, f64),
) {
    for (i, &v) in curve.parameters.iter().enumerate() {
        set(i, v);
    }
    for (name, v) in &orbit.parameters {
        if let Some(i) = system.parameter(name) {
            set(i, *v);
        }
    }
    for &(i, v) in given {
        set(i, v);
    }
}

/// Correct what rows of a table tell: at fixed parameters or, where that fails and the free one is not `held`, on the
/// plane across the curve. Newton's method takes full steps first: next to layers even a small distance makes residuals
/// so large that damping by them leads astray.
fn corrected_near(problem: &mut PeriodicOrbit<'_>, z: Vec<f64>, at_parameter: bool) -> Result<Start, ComputeError> {
    let patient = NewtonOptions {
        iterations: 40,
        damped: true,
        ..resting()
    };
    let mut fixed = vec![0.0; z.len()];
    fixed[z.len() - 1] = 1.0;
    if let Some(z) = solved_near(problem, &z, &fixed) {
        return Ok(Start::At(z));
    }
    let tangent = if at_parameter { None } else { tangent_near(problem, &z) };
    let plane = tangent.as_ref().map(plane);
    if let Some(plane) = &plane
        && let Some(z) = solved_near(problem, &z, plane)
        && let Ok(point) = tangent_at(problem, z, plane, 1.0)
    {
        return Ok(Start::Through(point));
    }
    corrected(problem, z.clone())
        .map(Start::At)
        .or_else(|why| plane.and_then(|plane| across(problem, z, plane, &patient)).ok_or(why))
}

/// The solution near `z` on the plane with this row, if full steps of Newton's method lead to one that is near indeed.
fn solved_near(problem: &mut PeriodicOrbit<'_>, z: &[f64], row: &[f64]) -> Option<Vec<f64>> {
    /// So much an unknown may change, relative to its size.
    const NEAR: f64 = 0.2;
    let mut solution = z.to_vec();
    Newton::default()
        .solve(problem, &mut solution, row, z, &[0.0], &resting())
        .ok()?;
    let mut sizes = vec![0.0; z.len()];
    problem.sizes(z, &mut sizes);
    let near = |((a, b), size): ((&f64, &f64), &f64)| (a - b).abs() <= NEAR * size;
    solution.iter().zip(z).zip(&sizes).all(near).then_some(solution)
}

/// The orbit near one that is given by rows of a table.
pub(crate) fn given_orbit(
    problem: &mut PeriodicOrbit<'_>,
    orbit: &Given,
    at_parameter: bool,
) -> Result<Start, ComputeError> {
    let system = problem.system();
    let word = problem.word().clone();
    if orbit.t.len() < 3 {
        return Err(ComputeError::FewRows { rows: orbit.t.len() });
    }
    let (first, last) = (orbit.t[0], orbit.t[orbit.t.len() - 1]);
    if !smooth(&word) {
        let passages = passages(system, &word, orbit)?;
        let starts: Vec<Vec<f64>> = passages.iter().map(|v| v.states[0].clone()).collect();
        let durations: Vec<f64> = passages.iter().map(|v| v.duration).collect();
        let trajectories: Vec<Interpolation> = passages
            .into_iter()
            .map(|v| Interpolation::new(v.t, v.states))
            .collect();
        let along = problem.guess_along(&starts, &durations, &|k, t, out| trajectories[k].eval(t, out));
        if let Some(start) = along.ok().and_then(|z| corrected_near(problem, z, at_parameter).ok()) {
            return Ok(start);
        }
        // Rows may be too few to tell the course: then by trajectories from the starts of the segments.
        let z = problem.guess(&starts, &durations)?;
        return corrected_near(problem, z, at_parameter);
    }
    let mode = word.letters[0].mode;
    let rows: Vec<Vec<f64>> = orbit.states.iter().map(|x| own_states(system, mode, x)).collect();
    let trajectory = Interpolation::new(orbit.t.iter().map(|t| t - first).collect(), rows);
    let z = problem.guess_trajectory(last - first, &|t, out| trajectory.eval(t, out))?;
    let start = corrected_near(problem, z, at_parameter)?;
    let z = match &start {
        Start::At(z) => z,
        Start::Through(point) => &point.z,
    };
    lasts_otherwise(problem.period(z), last - first).map_or(Ok(start), Err)
}

/// One segment of an orbit given by rows: times since its start, and the states of its mode.
#[derive(Clone)]
struct Passage {
    mode: usize,
    t: Vec<f64>,
    states: Vec<Vec<f64>>,
    duration: f64,
}

/// The segments of an orbit given by rows with their modes; the rows may begin anywhere in the word.
fn passages(system: &System, word: &Word, orbit: &Given) -> Result<Vec<Passage>, ComputeError> {
    // A segment ends where the mode changes, or where two rows stand at the same time.
    let mut segments: Vec<Passage> = vec![];
    let mut begin = 0;
    let count = orbit.t.len();
    for i in 1..=count {
        if i == count || orbit.modes[i] != orbit.modes[begin] || orbit.t[i] == orbit.t[i - 1] {
            let mode = orbit.modes[begin];
            let next = if i == count { orbit.t[i - 1] } else { orbit.t[i] };
            let rows = &orbit.states[begin..i];
            segments.push(Passage {
                mode,
                t: orbit.t[begin..i].iter().map(|t| t - orbit.t[begin]).collect(),
                states: rows.iter().map(|x| own_states(system, mode, x)).collect(),
                duration: next - orbit.t[begin],
            });
            begin = i;
        }
    }
    let wanted = word.letters.len();
    let fits = |shift: usize| (0..wanted).all(|k| segments[(shift + k) % segments.len()].mode == word.letters[k].mode);
    let length = if word.symmetric { 2 * wanted } else { wanted };
    let shift = (segments.len() == length)
        .then(|| (0..segments.len()).find(|&s| fits(s)))
        .flatten();
    let Some(shift) = shift else {
        return Err(ComputeError::OtherModes {
            modes: segments.iter().map(|s| system.modes[s.mode].name.clone()).collect(),
            word: word.describe(system),
        });
    };
    Ok((0..wanted)
        .map(|k| segments[(shift + k) % segments.len()].clone())
        .collect())
}
