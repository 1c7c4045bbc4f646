//! Find every periodic orbit of a given word at given parameters, without knowing where.
//!
//! Seeds are spread over the surface of the event that closes the word (a grid when one coordinate is free, a Halton
//! sequence otherwise), carried once through the word by the flow, and handed to Newton. What converges is admitted if
//! its inequalities hold, and kept once: orbits without events by numbers that do not depend on the point they start
//! from.

use super::PeriodicOrbit;
use super::gradient::derivatives;
use super::tolerances::SAME_ORBIT;
use crate::fingerprint;
use slipstick_bifurcation::{Inspect, Record};
use slipstick_continuation::{Failure, Meshes, Newton, NewtonOptions, Point, Problem, enter_family};
use slipstick_numerics::stop::look;
use slipstick_system::{Direction, jacobian};

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
/// // Starts from all over this region of x, y and θ, for segments no longer than a period of the forcing.
/// let options = SearchOptions { seeds: None, longest: TAU, region: vec![(-2.0, 2.0), (-2.0, 2.0), (0.0, TAU)] };
/// assert_eq!(find_all(&mut orbit, &options, &mut |_| true)?.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct SearchOptions {
    /// The number of seeds; `None` chooses 720 for one free coordinate, 4096 for more.
    pub seeds: Option<usize>,
    /// The longest duration of a segment that is looked for, where no forcing tells it.
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
        ..NewtonOptions::default()
    };
    let mut newton = Newton::default();
    let mut record = Record::default();
    let (mut failure, mut followed) = (None, false);
    let all = seeds(problem, options);
    // Seeds of a plane and more cover the region evenly from the first on, each part of them more finely than the last.
    let even = options.seeds.is_none() && all.len() > ENOUGH;
    let mut last_new = 0;
    for (tried, seed) in all.iter().enumerate() {
        look();
        if even && tried >= ENOUGH && tried >= LATER * last_new {
            break;
        }
        let so_far = Searched {
            tried,
            seeds: all.len(),
            found: found.len(),
        };
        if !observe(so_far) {
            break;
        }
        let propagated = propagate(problem, seed, options.longest);
        followed |= propagated.is_ok();
        let mut z = match propagated {
            Ok(Some((starts, durations))) => match problem.guess(&starts, &durations) {
                Ok(z) => z,
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
        let solved = newton.solve(problem, &mut z, &border, &anchor, &vec![0.0; k], &newton_options);
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
        let invariants = fingerprint::invariants(problem, &z);
        if found
            .iter()
            .any(|f| fingerprint::match_invariants(problem, &f.invariants, &invariants, SAME_ORBIT))
        {
            continue;
        }
        let ends = problem.ends(&z);
        let point = Point {
            tangent: vec![0.0; n],
            weights: vec![1.0; n],
            meshes: None,
            z,
        };
        // Durations must be positive beyond rounding: an orbit of zero length solves the equations of some words.
        let positive = (0..problem.segments.len()).all(|s| problem.duration(&point.z, s) > 1e-9);
        if positive && problem.inspect(&point, &mut record).is_ok() && record.admissible() {
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

/// Do the equations hold at `z` nearly as well as they can?
fn nearly_solved(problem: &mut PeriodicOrbit<'_>, z: &[f64]) -> bool {
    let mut residual = vec![0.0; z.len() - problem.free()];
    problem.linearise(z, &mut residual).is_ok() && residual.iter().all(|r| r.abs() < 1e-7)
}

/// Points on the surface of the closing event, as states of the last segment's mode.
fn seeds(problem: &PeriodicOrbit<'_>, options: &SearchOptions) -> Vec<Vec<f64>> {
    let Some(last) = problem.segments.last() else {
        return vec![];
    };
    let mode = &problem.system.modes[last.mode];
    let states = &mode.states;
    let intervals: Vec<(f64, f64)> = states
        .iter()
        .map(|&s| {
            problem.system.states[s]
                .period
                .map_or_else(|| options.region[s], |p| (0.0, p))
        })
        .collect();
    // The guard determines one state: one that runs on a line if it can, else an angle.
    let mut candidates: Vec<usize> = (0..states.len()).collect();
    candidates.sort_by_key(|&i| problem.system.states[states[i]].period.is_some());
    // Orbits without events start from where the clock stands at zero.
    let clock = last
        .guard
        .is_none()
        .then(|| clock(problem, last.mode, &intervals))
        .flatten();
    let spread = states.len() - usize::from(last.guard.is_some() || clock.is_some());
    let count = options.seeds.unwrap_or(if spread <= 1 { 720 } else { 4096 });
    let mut all = Vec::with_capacity(count);
    for k in 0..count {
        let place = |solved: Option<usize>| {
            let mut dimension = 0;
            let mut x = vec![0.0; states.len()];
            for (i, &(lo, hi)) in intervals.iter().enumerate() {
                let fraction = if clock == Some(i) {
                    0.0
                } else if solved == Some(i) && problem.system.states[states[i]].period.is_none() {
                    0.5
                } else if spread <= 1 {
                    (k as f64 + 0.5) / count as f64
                } else {
                    dimension += 1;
                    halton(k + 1, dimension - 1)
                };
                x[i] = lo + fraction * (hi - lo);
            }
            x
        };
        if last.guard.is_none() {
            all.push(place(None));
            continue;
        }
        all.extend(candidates.iter().find_map(|&solved| {
            let mut x = place(Some(solved));
            project(problem, &mut x, solved).then_some(x)
        }));
    }
    all
}

/// Put `x` on the closing guard by changing component `i` only.
fn project(problem: &PeriodicOrbit<'_>, x: &mut [f64], i: usize) -> bool {
    let Some(last) = problem.segments.last() else {
        return false;
    };
    let Some(guard) = &last.guard else { return false };
    for _ in 0..30 {
        let (value, dx, _) = derivatives(guard.as_ref(), x, &problem.parameters, &[]);
        if dx[i] == 0.0 || !dx[i].is_finite() {
            return false;
        }
        let step = value / dx[i];
        x[i] -= step;
        if step.abs() <= 1e-13 * (1.0 + x[i].abs()) {
            // Along an angle a guard comes back to zero both ways; only one of them ends the segment.
            let mode = &problem.system.modes[last.mode];
            let mut f = vec![0.0; x.len()];
            mode.field.value(x, &problem.parameters, &mut f);
            let turns = problem.system.states[mode.states[i]].period.is_some();
            return x[i].is_finite() && (!turns || last.direction * slipstick_numerics::linalg::dot(&dx, &f) > 0.0);
        }
    }
    false
}

/// Carry a seed once through the word: the starts and durations of its segments, if all events happen.
#[allow(clippy::type_complexity)]
fn propagate(
    problem: &mut PeriodicOrbit<'_>,
    seed: &[f64],
    longest: f64,
) -> Result<Option<(Vec<Vec<f64>>, Vec<f64>)>, Failure> {
    let fail = |e: slipstick_flow::FlowError| Failure::Evaluation(e.to_string());
    let count = problem.segments.len();
    let mut x = seed.to_vec();
    let (mut starts, mut durations) = (vec![], vec![]);
    for k in 0..count {
        let mut u = vec![0.0; problem.segments[k].n];
        problem.enter(k, &x, &mut u);
        let s = &problem.segments[k];
        let turn = forcing_period(problem, s.mode, &u);
        let Some(guard) = &s.guard else {
            // A free segment of a forced system lasts a period of the forcing.
            starts.push(u);
            let part = if problem.word.symmetric { 0.5 } else { 1.0 };
            durations.push(turn.map_or(longest, |t| part * t));
            continue;
        };
        let direction = if s.direction > 0.0 {
            Direction::Up
        } else {
            Direction::Down
        };
        let longest = turn.unwrap_or(longest);
        let path = s.flow.path(&u, longest, &problem.parameters).map_err(fail)?;
        let Some(crossing) = path
            .first_crossing(guard.as_ref(), direction, &problem.parameters, 0.0, longest)
            .map_err(fail)?
        else {
            return Ok(None);
        };
        x = vec![0.0; s.n];
        path.eval(crossing.t, &mut x);
        starts.push(u);
        durations.push(crossing.t);
    }
    Ok(Some((starts, durations)))
}

/// The time in which an angle turns once: the period of the forcing, if there is one.
fn forcing_period(problem: &PeriodicOrbit<'_>, mode: usize, x: &[f64]) -> Option<f64> {
    let mode = &problem.system.modes[mode];
    let mut rates = vec![0.0; x.len()];
    mode.field.value(x, &problem.parameters, &mut rates);
    mode.states.iter().zip(&rates).find_map(|(&state, rate)| {
        let period = problem.system.states[state].period?;
        (*rate != 0.0).then(|| period / rate.abs())
    })
}

/// The angle of a mode that turns at a rate of its own, whatever the state: the phase of a forcing.
fn clock(problem: &PeriodicOrbit<'_>, mode: usize, intervals: &[(f64, f64)]) -> Option<usize> {
    let mode = &problem.system.modes[mode];
    let n = mode.states.len();
    let centre: Vec<f64> = intervals.iter().map(|(lo, hi)| 0.5 * (lo + hi)).collect();
    let (mut rates, mut dx) = (vec![0.0; n], vec![0.0; n * n]);
    jacobian(
        mode.field.as_ref(),
        &centre,
        &problem.parameters,
        &[],
        &mut rates,
        &mut dx,
        &mut [],
    );
    let angle = (0..n).find(|&i| problem.system.states[mode.states[i]].period.is_some())?;
    let steady = dx[angle * n..(angle + 1) * n].iter().all(|d| *d == 0.0);
    (steady && rates[angle] != 0.0).then_some(angle)
}

/// The `index`-th element of the Halton sequence in the given dimension.
pub(super) fn halton(mut index: usize, dimension: usize) -> f64 {
    const PRIMES: [usize; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
    let base = PRIMES[dimension % PRIMES.len()];
    let (mut fraction, mut value) = (1.0, 0.0);
    while index > 0 {
        fraction /= base as f64;
        value += fraction * (index % base) as f64;
        index /= base;
    }
    value
}
