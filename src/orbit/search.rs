//! Find every periodic orbit of a given word at given parameters, without knowing where.
//!
//! Seeds are spread over the surface of the event that closes the word (a grid when one coordinate is free, a Halton
//! sequence otherwise), carried once through the word by the flow, and handed to Newton; along a line of seeds, so are
//! the points that return to themselves between two of them. What converges is admitted if
//! its inequalities hold, and kept once: orbits without events by numbers that do not depend on the point they start
//! from.

use super::PeriodicOrbit;
use super::dense_output::DenseOutput;
use super::seeds::{Seeds, propagate};
use super::tolerances::SAME_ORBIT;
use crate::fingerprint;
use crate::unfold::is_repeated;
use slipstick_bifurcation::{Inspect, Record};
use slipstick_continuation::{Failure, Meshes, Newton, NewtonOptions, Point, Problem, enter_family};
use slipstick_flow::ON_SURFACE;
use slipstick_numerics::stop::look;

/// How to search.
///
/// ```
/// use slipstick_flow::FlowOptions;
/// use slipstick_orbit::{PeriodicOrbit, SearchOptions, Word, find_all};
/// use slipstick_system::catalogue::stiction;
/// use std::f64::consts::TAU;
/// let system = stiction();
/// let word = Word::parse("slip- stick", true, &system)?;
/// let mut orbit = PeriodicOrbit::new(&system, word, system.default_parameters(), vec![0], FlowOptions::default());
/// // Starts from all over this region of x, y and θ, for segments that last up to eight periods of the forcing.
/// let options = SearchOptions { seeds: None, longest: TAU, region: vec![(-2.0, 2.0), (-2.0, 2.0), (0.0, TAU)] };
/// assert_eq!(find_all(&mut orbit, &options, &mut |_| true)?.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct SearchOptions {
    /// The number of seeds; `None` chooses 720 for one free coordinate, 4096 for more.
    pub seeds: Option<usize>,
    /// The longest duration of a segment that is looked for, where no forcing tells it: under one, segments are looked
    /// for up to eight of its periods.
    pub longest: f64,
    /// For each state of the system: the interval to spread seeds over. Angles take their whole period.
    pub region: Vec<(f64, f64)>,
}

/// How far a search is.
///
/// ```
/// use slipstick_flow::FlowOptions;
/// use slipstick_orbit::{PeriodicOrbit, SearchOptions, Word, find_all};
/// use slipstick_system::catalogue::stiction;
/// use std::f64::consts::TAU;
/// let system = stiction();
/// let word = Word::parse("slip- stick", true, &system)?;
/// let mut orbit = PeriodicOrbit::new(&system, word, system.default_parameters(), vec![0], FlowOptions::default());
/// let options = SearchOptions { seeds: Some(200), longest: TAU, region: vec![(-2.0, 2.0), (-2.0, 2.0), (0.0, TAU)] };
/// // End the search with its first find.
/// let mut tried = 0;
/// let found = find_all(&mut orbit, &options, &mut |so_far| {
///     tried = so_far.tried;
///     so_far.found == 0
/// })?;
/// assert!(found.len() == 1 && tried < 200);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Searched {
    /// Seeds tried.
    pub tried: usize,
    /// Seeds there are.
    pub seeds: usize,
    /// Different orbits found.
    pub found: usize,
}

/// One found orbit; [`Found::begin`] prepares the problem to start a curve there.
///
/// ```
/// use slipstick_bifurcation::{TraceOptions, Tracer};
/// use slipstick_flow::FlowOptions;
/// use slipstick_orbit::{PeriodicOrbit, SearchOptions, Word, find_all};
/// use slipstick_system::catalogue::stiction;
/// use std::f64::consts::TAU;
/// let system = stiction();
/// let word = Word::parse("slip- stick", true, &system)?;
/// let mut orbit = PeriodicOrbit::new(&system, word, system.default_parameters(), vec![0], FlowOptions::default());
/// let options = SearchOptions { seeds: Some(200), longest: TAU, region: vec![(-2.0, 2.0), (-2.0, 2.0), (0.0, TAU)] };
/// let found = find_all(&mut orbit, &options, &mut |_| true)?;
/// // A curve sets off from it.
/// let start = found[0].begin(&mut orbit)?;
/// let branch = Tracer::new(&mut orbit, &TraceOptions::over((2.0, 2.1))).from_guess(start)?;
/// assert!(branch.points.iter().all(|p| p.record.admissible()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Found {
    /// Its unknowns.
    pub z: Vec<f64>,
    /// The meshes that they refer to.
    pub meshes: Option<Meshes>,
    /// Starts and durations of its segments.
    pub ends: Vec<Vec<f64>>,
    /// What tells it from others: its fingerprint if it has no events, else its ends.
    pub invariants: Vec<Vec<f64>>,
}

impl Found {
    /// Make an orbit problem of this word begin here, with meshes, phase condition and turns of the angles as found;
    /// returns the unknowns.
    ///
    /// # Errors
    /// [`Failure`] when the flow cannot be evaluated there.
    pub fn begin(&self, orbit: &mut PeriodicOrbit<'_>) -> Result<Vec<f64>, Failure> {
        orbit.restore(&self.meshes);
        orbit.anchor(&self.z)?;
        Ok(self.z.clone())
    }
}

/// Bring the angles of the first segment into [0, period), and those of the others along by the same turns.
pub(crate) fn normalise(orbit: &PeriodicOrbit<'_>, z: &mut [f64]) {
    let Some(first) = orbit.segments.first() else { return };
    for (i, &state) in orbit.system.modes[first.mode].states.iter().enumerate() {
        let Some(period) = orbit.system.states[state].period else {
            continue;
        };
        let turns = (z[i] / period).floor() * period;
        for s in &orbit.segments {
            if let Some(j) = orbit.system.modes[s.mode].states.iter().position(|&k| k == state) {
                z[s.offset + j] -= turns;
                let own = &mut z[s.block()];
                own.chunks_exact_mut(s.n).for_each(|x| x[j] -= turns);
            }
        }
    }
}

/// A search with as many seeds as it likes ends after this many when nothing new has come for most of them: not since
/// an eighth of the seeds tried.
const ENOUGH: usize = 1024;
const LATER: usize = 8;
/// From a seed that needs more linearisations than this Newton's method finds nothing that it does not find from
/// others.
const EVALUATIONS: usize = 100;
/// On the way to an orbit segments may take so many times as many steps as from the seed, and some more: trials far
/// off, where motions are fast, would take a hundred times as long, and lead nowhere.
const STEPS: usize = 4;
const MORE_STEPS: usize = 100;

/// All admissible orbits of the problem's word at its present parameters, ordered by the starts of their segments.
/// `observe` receives each seed and may end the search.
///
/// # Errors
/// [`Failure`] when the flow cannot be evaluated at all.
pub fn find_all(
    problem: &mut PeriodicOrbit<'_>,
    options: &SearchOptions,
    observe: &mut dyn FnMut(Searched) -> bool,
) -> Result<Vec<Found>, Failure> {
    let mut found: Vec<Found> = vec![];
    let newton_options = NewtonOptions {
        tolerance: 1e-10,
        iterations: 40,
        damped: true,
        evaluations: EVALUATIONS,
        ..NewtonOptions::default()
    };
    let mut newton = Newton::default();
    let mut record = Record::default();
    let (mut failure, mut followed) = (None, false);
    let seeds = Seeds::of(problem, &options.region, options.seeds);
    let mut all = seeds.as_ref().map_or_else(Vec::new, |seeds| seeds.all(problem));
    let given = all.len();
    // Seeds of a plane and more cover the region evenly from the first on, each part of them more finely than the last.
    let even = options.seeds.is_none() && all.len() > ENOUGH;
    let mut last_new = 0;
    for tried in 0.. {
        look();
        if tried == given
            && let Some(seeds) = &seeds
        {
            all.extend(seeds.returning(problem, options.longest));
        }
        let Some(seed) = all.get(tried) else { break };
        if even && tried >= ENOUGH && tried >= LATER * last_new {
            break;
        }
        let so_far = Searched {
            tried,
            seeds: given,
            found: found.len(),
        };
        if tried < given && !observe(so_far) {
            break;
        }
        let propagated = propagate(problem, seed, options.longest);
        followed |= propagated.is_ok();
        let (mut z, steps) = match propagated {
            Ok(Some(own)) => match problem.guess(&own.starts, &own.durations) {
                Ok(z) => (z, own.steps),
                Err(_) => continue,
            },
            Ok(None) => continue,
            Err(e) => {
                failure.get_or_insert(e);
                continue;
            }
        };
        let n = z.len();
        let k = problem.free_parameters().len();
        let mut border = vec![0.0; n * k];
        for i in 0..k {
            border[i * n + n - k + i] = 1.0;
        }
        let anchor = z.clone();
        problem.release_parameter();
        let most: Vec<usize> = problem.segments.iter().map(|s| s.flow.options().max_steps).collect();
        if let Some(steps) = steps {
            let limit = STEPS * steps + MORE_STEPS;
            for (segment, &most) in problem.segments.iter_mut().zip(&most) {
                segment.flow.limit_steps(limit.min(most));
            }
        }
        let solved = newton.solve(problem, &mut z, &border, &anchor, &vec![0.0; k], &newton_options);
        for (segment, most) in problem.segments.iter_mut().zip(most) {
            segment.flow.limit_steps(most);
        }
        if solved.is_err() {
            // Among orbits that fill a continuum the matrix is singular, although the equations hold.
            match nearly_solved(problem, &z)
                .then(|| enter_family(problem, &z, 1.0, &newton_options))
                .flatten()
            {
                Some(point) => {
                    z = point.z;
                    z[n - 1] = anchor[n - 1];
                }
                None => continue,
            }
        }
        normalise(problem, &mut z);
        // Of a word that repeats itself, orbits are wanted that do not.
        if is_repeated(problem, &z) {
            continue;
        }
        let invariants = fingerprint::invariants(problem, &z);
        if found
            .iter()
            .any(|f| fingerprint::match_invariants(problem, &f.invariants, &invariants, SAME_ORBIT))
        {
            continue;
        }
        let ends = problem.ends(&z);
        let point = Point::alone(z);
        // Durations must be positive beyond rounding: an orbit of zero length solves the equations of some words.
        let positive = (0..problem.segments.len()).all(|s| problem.duration(&point.z, s) > 1e-9);
        if positive
            && leaves_its_surfaces(problem, &point.z)
            && problem.inspect(&point, &mut record).is_ok()
            && record.admissible()
        {
            last_new = tried + 1;
            found.push(Found {
                z: point.z,
                meshes: problem.meshes(),
                ends,
                invariants,
            });
        }
    }
    problem.release_parameter();
    // Seeds from which motions run off to infinity tell nothing of the others.
    if !followed && let Some(e) = failure {
        return Err(e);
    }
    found.sort_by(|a, b| {
        let (a, b) = (a.ends.iter().flatten(), b.ends.iter().flatten());
        a.zip(b)
            .map(|(x, y)| x.total_cmp(y))
            .find(|o| o.is_ne())
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    Ok(found)
}

/// Does the orbit leave the surfaces that it meets, beyond what they are solved to? Where events accumulate, their
/// equations hold to rounding for motions that do not.
fn leaves_its_surfaces(problem: &PeriodicOrbit<'_>, z: &[f64]) -> bool {
    let p = &problem.parameters;
    problem.segments.iter().any(|s| {
        let Some(guard) = &s.guard else { return true };
        let dense = DenseOutput::new(problem.system, s, z, p);
        let Ok((low, high)) = dense.and_then(|dense| dense.extrema(guard.as_ref(), p)) else {
            return true;
        };
        low.abs().max(high.abs()) > ON_SURFACE
    })
}

/// Are the equations true at `z` nearly as well as they can be? Of orbits that hardly move, as where events accumulate,
/// what is left must be small beside what moves.
fn nearly_solved(problem: &mut PeriodicOrbit<'_>, z: &[f64]) -> bool {
    const LEFT: f64 = 1e-7;
    let mut residual = vec![0.0; z.len() - problem.free()];
    if problem.linearise(z, &mut residual).is_err() {
        return false;
    }
    let mut moves = 0.0f64;
    for k in 0..problem.segments.len() {
        let mut rates = vec![0.0; problem.segments[k].n];
        let mode = &problem.system.modes[problem.segments[k].mode];
        mode.field.value(problem.start(z, k), &problem.parameters, &mut rates);
        let duration = problem.duration(z, k).abs();
        moves = rates.iter().fold(moves, |m, rate| m.max(rate.abs() * duration));
    }
    residual.iter().all(|r| r.abs() < LEFT * moves.min(1.0))
}
