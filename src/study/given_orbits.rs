//! Curves of periodic orbits that start from an orbit given by another curve, a file or a Hopf point.

use super::follow::Tracer;
use super::interpolation::Interpolation;
use super::plan::CurvePlan;
use super::source::{Given, Known};
use super::starts::{corrected, smooth};
use crate::bifurcation::{Inspect, Label};
use crate::continuation::{Newton, NewtonOptions, Point, Problem, tangent_at};
use crate::orbit::{PeriodicOrbit, Word};
use crate::system::System;

/// Follow periodic orbits from an orbit that was computed before, or from an equilibrium at a Hopf point.
pub(super) fn follow_given(
    problem: &mut PeriodicOrbit<'_>,
    orbit: &Given,
    tracer: &mut Tracer<'_>,
) -> Result<(), String> {
    if orbit.states.len() > 1 {
        match orbit
            .known
            .as_ref()
            .and_then(|known| taken_over(problem, known, &orbit.label))
        {
            Some(Taken::Regular(z)) => {
                tracer.follow(problem, z);
                return Ok(());
            }
            Some(Taken::Fold(point)) => {
                tracer.follow_through(problem, point);
                return Ok(());
            }
            None => {}
        }
        let z = given_orbit(problem, orbit)?;
        tracer.follow(problem, z);
        return Ok(());
    }
    let x = own_states(problem.system(), orbit.modes[0], &orbit.states[0]);
    let point = problem
        .from_hopf(&x)
        .map_err(|e| format!("no periodic orbit could be started from the equilibrium: {e}"))?;
    tracer.follow_from(problem, point);
    Ok(())
}

/// A point that another curve of the same run has solved.
enum Taken {
    /// A solution that is regular at fixed parameters.
    Regular(Vec<f64>),
    /// A fold at fixed parameters: a point with the tangent of the new curve.
    Fold(Point),
}

/// Take over a known point with its meshes: at a fixed value of the free parameter or, at a fold, on the plane across the null vector, which is the
/// tangent there whatever parameter is free. None where the unknowns are others, or it does not converge.
fn taken_over(problem: &mut PeriodicOrbit<'_>, known: &Known, label: &str) -> Option<Taken> {
    /// Residuals of a solved point.
    const SOLVED: f64 = 1e-8;
    if known.word != Inspect::word(problem) {
        return None;
    }
    problem.restore(&known.point.meshes);
    let n = problem.unknowns();
    let mut z = known.point.z.clone();
    if z.len() != n || problem.free() != 1 {
        return None;
    }
    z[n - 1] = problem.parameters()[*problem.free_parameters().first()?];
    problem.set_off(&z);
    let options = NewtonOptions::default();
    let anchor = z.clone();
    let mut newton = Newton::default();
    if label == Label::LP.code() {
        let point = &known.point;
        let border: Vec<f64> = point.tangent.iter().zip(&point.weights).map(|(t, w)| t * w).collect();
        if newton
            .solve(problem, &mut z, &border, &anchor, &[0.0], &options)
            .is_err()
        {
            // Among canards rounding keeps Newton's method from coming to rest; the point is solved already.
            z = anchor;
            let mut residual = vec![0.0; n - 1];
            problem.linearise(&z, &mut residual).ok()?;
            if !residual.iter().all(|r| r.abs() <= SOLVED) {
                return None;
            }
        }
        return tangent_at(problem, z, &border, 1.0).ok().map(Taken::Fold);
    }
    let mut border = vec![0.0; n];
    border[n - 1] = 1.0;
    newton.solve(problem, &mut z, &border, &anchor, &[0.0], &options).ok()?;
    Some(Taken::Regular(z))
}

/// The states that live in a mode, of all states of the system.
pub(super) fn own_states(system: &System, mode: usize, all: &[f64]) -> Vec<f64> {
    system.modes[mode].states.iter().map(|&i| all[i]).collect()
}

/// Hand the parameters of a start to the problem: those of the point it comes from, then those that the study gives.
pub(super) fn set_parameters(
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

/// The orbit near one that is given by rows of a table.
pub(super) fn given_orbit(problem: &mut PeriodicOrbit<'_>, orbit: &Given) -> Result<Vec<f64>, String> {
    let system = problem.system();
    let word = problem.word().clone();
    if orbit.t.len() < 3 {
        return Err(format!("an orbit of {} rows is no periodic orbit", orbit.t.len()));
    }
    let (first, last) = (orbit.t[0], orbit.t[orbit.t.len() - 1]);
    if !smooth(&word) {
        let visits = visits(system, &word, orbit)?;
        let starts: Vec<Vec<f64>> = visits.iter().map(|v| v.states[0].clone()).collect();
        let durations: Vec<f64> = visits.iter().map(|v| v.duration).collect();
        let courses: Vec<Interpolation> = visits.into_iter().map(|v| Interpolation::new(v.t, v.states)).collect();
        let along = problem.guess_along(&starts, &durations, &|k, t, out| courses[k].eval(t, out));
        if let Some(z) = along.ok().and_then(|z| corrected(problem, z).ok()) {
            return Ok(z);
        }
        // Rows may be too few to tell the course: then by trajectories from the starts of the segments.
        let z = problem.guess(&starts, &durations).map_err(|e| e.to_string())?;
        return corrected(problem, z);
    }
    let mode = word.letters[0].mode;
    let rows: Vec<Vec<f64>> = orbit.states.iter().map(|x| own_states(system, mode, x)).collect();
    let course = Interpolation::new(orbit.t.iter().map(|t| t - first).collect(), rows);
    let z = problem
        .guess_course(last - first, &|t, out| course.eval(t, out))
        .map_err(|e| e.to_string())?;
    corrected(problem, z)
}

/// One segment of an orbit given by rows: times since its start, and the states of its mode.
#[derive(Clone)]
struct Visit {
    mode: usize,
    t: Vec<f64>,
    states: Vec<Vec<f64>>,
    duration: f64,
}

/// The segments of an orbit given by rows with their modes; the rows may begin anywhere in the word.
fn visits(system: &System, word: &Word, orbit: &Given) -> Result<Vec<Visit>, String> {
    // A segment ends where the mode changes, or where two rows stand at the same time.
    let mut segments: Vec<Visit> = vec![];
    let mut begin = 0;
    let count = orbit.t.len();
    for i in 1..=count {
        if i == count || orbit.modes[i] != orbit.modes[begin] || orbit.t[i] == orbit.t[i - 1] {
            let mode = orbit.modes[begin];
            let next = if i == count { orbit.t[i - 1] } else { orbit.t[i] };
            let rows = &orbit.states[begin..i];
            segments.push(Visit {
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
        let modes: Vec<&str> = segments.iter().map(|s| &*system.modes[s.mode].name).collect();
        return Err(format!(
            "the orbit visits the modes {}, which is not the word `{}`",
            modes.join(" "),
            word.describe(system)
        ));
    };
    Ok((0..wanted)
        .map(|k| segments[(shift + k) % segments.len()].clone())
        .collect())
}
