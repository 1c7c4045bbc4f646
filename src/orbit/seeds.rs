//! Seeds of a search for orbits: points on the surface of the event that closes the word, carried once through it.

use super::PeriodicOrbit;
use super::angles::phase;
use super::derivatives::derivatives;
use super::returned::returned;
use nalgebra::{DMatrix, DVector};
use slipstick_continuation::Failure;
use slipstick_flow::Path;
use slipstick_numerics::linalg::dot;
use slipstick_numerics::number::rounded;
use slipstick_numerics::stop::look;
use slipstick_system::{Direction, SharedFunction};

/// Under a forcing, segments that end with an event are looked for up to so many of its periods.
const FORCING_PERIODS: f64 = 8.0;

/// Points on the surface of the closing event, as states of the last segment's mode.
pub(super) struct Seeds {
    /// The interval of each state.
    intervals: Vec<(f64, f64)>,
    /// The states that the guard may determine, the first that can.
    candidates: Vec<usize>,
    /// The phase of the forcing, which is zero at the start of orbits without events.
    clock: Option<usize>,
    /// How many coordinates are free.
    spread: usize,
    /// How many there are at most.
    count: usize,
    /// The surface along which the motion slides in the last segment, if it does. Beside it there are no orbits, and
    /// the equations of sliding may mean nothing.
    surface: Option<SharedFunction>,
}

impl Seeds {
    /// So many over a region, or as many as its dimension asks for.
    pub(super) fn of(problem: &PeriodicOrbit<'_>, region: &[(f64, f64)], count: Option<usize>) -> Option<Self> {
        let last = problem.segments.last()?;
        let mode = &problem.system.modes[last.mode];
        let states = &mode.states;
        let intervals: Vec<(f64, f64)> = states
            .iter()
            .map(|&s| problem.system.states[s].period.map_or_else(|| region[s], |p| (0.0, p)))
            .collect();
        // The guard determines one state: one that runs on a line if it can, else an angle.
        let mut candidates: Vec<usize> = (0..states.len()).collect();
        candidates.sort_by_key(|&i| problem.system.states[states[i]].period.is_some());
        // Orbits without events start from where the clock stands at zero.
        let clock = last.guard.is_none().then(|| phase(problem.system, mode)).flatten();
        let spread = states.len() - usize::from(last.guard.is_some() || clock.is_some());
        let count = count.unwrap_or(if spread <= 1 { 720 } else { 4096 });
        let mut seeds = Self {
            intervals,
            candidates,
            clock,
            spread,
            count,
            surface: None,
        };
        seeds.surface = sliding_surface(problem, &seeds.intervals);
        Some(seeds)
    }

    /// All of them.
    pub(super) fn all(&self, problem: &PeriodicOrbit<'_>) -> Vec<Vec<f64>> {
        let fraction = |k: usize, dimension: usize| {
            if self.spread <= 1 {
                (k as f64 + 0.5) / self.count as f64
            } else {
                halton(k + 1, dimension)
            }
        };
        let mut all: Vec<Vec<f64>> = vec![];
        for k in 0..self.count {
            let Some(seed) = self.seed(problem, &|dimension| fraction(k, dimension)) else {
                continue;
            };
            // On two surfaces seeds from different places may come to the same one.
            if self.surface.is_none() || !all.iter().any(|other| is_same(other, &seed)) {
                all.push(seed);
            }
        }
        all
    }

    /// The one at these fractions of the intervals of the free coordinates, if there is one.
    fn seed(&self, problem: &PeriodicOrbit<'_>, fraction: &dyn Fn(usize) -> f64) -> Option<Vec<f64>> {
        let last = problem.segments.last()?;
        let states = &problem.system.modes[last.mode].states;
        let place = |solved: Option<usize>| {
            let mut dimension = 0;
            let mut x = vec![0.0; states.len()];
            for (i, &(lo, hi)) in self.intervals.iter().enumerate() {
                let fraction = if self.clock == Some(i) {
                    0.0
                } else if solved == Some(i) && problem.system.states[states[i]].period.is_none() {
                    0.5
                } else {
                    dimension += 1;
                    fraction(dimension - 1)
                };
                x[i] = lo + fraction * (hi - lo);
            }
            x
        };
        if last.guard.is_none() {
            return Some(place(None));
        }
        self.candidates.iter().find_map(|&solved| {
            let x = place(Some(solved));
            self.projected(problem, &x, solved)
        })
    }

    /// A point put on the closing guard by changing this component, and on the sliding surface by changing another.
    fn projected(&self, problem: &PeriodicOrbit<'_>, x: &[f64], solved: usize) -> Option<Vec<f64>> {
        let surface = self.surface.as_ref();
        let by = |solved: &[usize]| {
            let mut x = x.to_vec();
            project(problem, &mut x, surface, solved).then_some(x)
        };
        if surface.is_none() {
            return by(&[solved]);
        }
        let mut others = self.candidates.iter().filter(|&&i| i != solved);
        others.find_map(|&other| by(&[solved, other]))
    }

    /// Where seeds on a line return to themselves, between neighbours of which a coordinate returns from different
    /// sides. An orbit that Newton's method does not find from anywhere, as where a motion runs off to infinity just
    /// beyond the event, is found by halving.
    pub(super) fn returning(&self, problem: &mut PeriodicOrbit<'_>, longest: f64) -> Vec<Vec<f64>> {
        /// So often an interval between neighbours is halved.
        const HALVINGS: usize = 45;
        if self.spread != 1 || self.surface.is_some() {
            return vec![];
        }
        let mut off = |place: f64| -> Option<(Vec<f64>, Vec<f64>)> {
            look();
            let seed = self.seed(problem, &|_| place)?;
            let end = propagate(problem, &seed, longest).ok()??.end;
            let states = &problem.system.modes[problem.segments.last()?.mode].states;
            let turns = |off: f64, i: usize| match problem.system.states[states[i]].period {
                Some(period) => off - (off / period).round() * period,
                None => off,
            };
            let off = seed.iter().zip(&end).enumerate().map(|(i, (a, b))| turns(b - a, i));
            Some((off.collect(), seed))
        };
        let place = |k: usize| (k as f64 + 0.5) / self.count as f64;
        let all: Vec<Option<Vec<f64>>> = (0..self.count).map(|k| Some(off(place(k))?.0)).collect();
        let mut found = vec![];
        for k in 1..self.count {
            let (Some(before), Some(behind)) = (&all[k - 1], &all[k]) else {
                continue;
            };
            for (i, (before, behind)) in before.iter().zip(behind).enumerate() {
                if !(before * behind < 0.0) {
                    continue;
                }
                let (mut low, mut high) = (place(k - 1), place(k));
                let mut last = None;
                for _ in 0..HALVINGS {
                    let middle = 0.5 * (low + high);
                    let Some((own, seed)) = off(middle) else { break };
                    if own[i] * before > 0.0 {
                        low = middle;
                    } else {
                        high = middle;
                    }
                    last = Some(seed);
                }
                found.extend(last);
            }
        }
        found
    }
}

/// The guard of the event by which the last segment begins, if the motion in it stays on the surface of that guard.
fn sliding_surface(problem: &PeriodicOrbit<'_>, intervals: &[(f64, f64)]) -> Option<SharedFunction> {
    /// So many points of the surface are looked at.
    const POINTS: usize = 4;
    /// What is no more than this part of its terms is zero.
    const ZERO: f64 = 1e-9;
    let letters = &problem.word.letters;
    let [.., before, last] = &letters[..] else { return None };
    let (from, mode) = (&problem.system.modes[before.mode], &problem.system.modes[last.mode]);
    let event = &from.events[before.event?];
    if last.event.is_none() || event.reset.is_some() || from.states != mode.states {
        return None;
    }
    let (p, n) = (&problem.parameters, mode.states.len());
    let stays = |x: &[f64]| {
        let (_, dx, _) = derivatives(event.guard.as_ref(), x, p, &[]);
        // Along the motion that comes to the surface it changes.
        let (mut f, mut arriving) = (vec![0.0; n], vec![0.0; n]);
        mode.field.value(x, p, &mut f);
        from.field.value(x, p, &mut arriving);
        let rates = f.iter().zip(&arriving).map(|(f, arriving)| f.abs() + arriving.abs());
        let terms: f64 = dx.iter().zip(rates).map(|(d, rate)| d.abs() * rate).sum();
        terms > 0.0 && terms.is_finite() && dot(&dx, &f).abs() <= ZERO * terms
    };
    let on_surface = |k: usize| {
        let place = |(i, &(lo, hi)): (usize, &(f64, f64))| lo + halton(k + 1, i) * (hi - lo);
        let x: Vec<f64> = intervals.iter().enumerate().map(place).collect();
        (0..n).find_map(|i| {
            let mut x = x.clone();
            solve_for(&[&event.guard], p, &mut x, &[i]).then_some(x)
        })
    };
    let points: Vec<Vec<f64>> = (0..POINTS).filter_map(on_surface).collect();
    let slides = points.len() == POINTS && points.iter().all(|x| stays(x));
    slides.then(|| event.guard.clone())
}

/// Are two seeds the same point?
fn is_same(a: &[f64], b: &[f64]) -> bool {
    const SAME: f64 = 1e-9;
    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= SAME * (1.0 + a.abs()))
}

/// Put `x` on the closing guard, and on a surface where one is given, by changing as many components only, the first of
/// them for the guard.
fn project(problem: &PeriodicOrbit<'_>, x: &mut [f64], surface: Option<&SharedFunction>, solved: &[usize]) -> bool {
    let Some(last) = problem.segments.last() else {
        return false;
    };
    let Some(guard) = &last.guard else { return false };
    let functions: Vec<&SharedFunction> = std::iter::once(guard).chain(surface).collect();
    if !solve_for(&functions, &problem.parameters, x, solved) {
        return false;
    }
    // Along an angle a guard comes back to zero both ways; only one of them ends the segment.
    let mode = &problem.system.modes[last.mode];
    if problem.system.states[mode.states[solved[0]]].period.is_none() {
        return true;
    }
    let (_, dx, _) = derivatives(guard.as_ref(), x, &problem.parameters, &[]);
    let mut f = vec![0.0; x.len()];
    mode.field.value(x, &problem.parameters, &mut f);
    last.direction * dot(&dx, &f) > 0.0
}

/// Newton's method for the zeros of as many functions as components may change.
fn solve_for(functions: &[&SharedFunction], p: &[f64], x: &mut [f64], solved: &[usize]) -> bool {
    let m = functions.len();
    for _ in 0..30 {
        let mut matrix = DMatrix::zeros(m, m);
        let mut values = DVector::zeros(m);
        for (row, function) in functions.iter().enumerate() {
            let (value, dx, _) = derivatives(function.as_ref(), x, p, &[]);
            values[row] = value;
            for (column, &i) in solved.iter().enumerate() {
                matrix[(row, column)] = dx[i];
            }
        }
        let Some(step) = matrix
            .lu()
            .solve(&values)
            .filter(|step| step.iter().all(|s| s.is_finite()))
        else {
            return false;
        };
        for (&i, step) in solved.iter().zip(step.iter()) {
            x[i] -= step;
        }
        let near = |(&i, step): (&usize, &f64)| step.abs() <= 1e-13 * (1.0 + x[i].abs());
        if solved.iter().zip(step.iter()).all(near) {
            return solved.iter().all(|&i| x[i].is_finite());
        }
    }
    false
}

/// A seed carried once through the word.
pub(super) struct Propagated {
    /// The starts of the segments.
    pub(super) starts: Vec<Vec<f64>>,
    pub(super) durations: Vec<f64>,
    /// The most steps that the integrator takes in one of them; none where one has not been integrated.
    pub(super) steps: Option<usize>,
    /// The state at the end of the last one.
    end: Vec<f64>,
}

/// Carry a seed once through the word, if all events happen.
pub(super) fn propagate(
    problem: &mut PeriodicOrbit<'_>,
    seed: &[f64],
    longest: f64,
) -> Result<Option<Propagated>, Failure> {
    let fail = |e: slipstick_flow::FlowError| Failure::Evaluation(e.to_string());
    let count = problem.segments.len();
    let mut x = seed.to_vec();
    let (mut starts, mut durations) = (vec![], vec![]);
    let mut steps = Some(0);
    for k in 0..count {
        let mut u = vec![0.0; problem.segments[k].n];
        problem.enter(k, &x, &mut u);
        let s = &problem.segments[k];
        // Orbits without events begin at the phase zero, those with a symmetry too, which may shift it.
        if s.guard.is_none()
            && k == 0
            && let Some(clock) = phase(problem.system, &problem.system.modes[s.mode])
        {
            u[clock] = 0.0;
        }
        let turn = forcing_period(problem, s.mode, &u);
        let Some(guard) = &s.guard else {
            let part = if problem.word.symmetric { 0.5 } else { 1.0 };
            // A free segment of a forced system lasts a period of the forcing, that of a motion that begins anywhere
            // until it comes back.
            let returned = match turn {
                None if count == 1 => returned(problem, &u, longest).map_err(fail)?,
                _ => None,
            };
            let (u, duration) = match (returned, turn) {
                (Some((u, duration)), _) => (u, part * duration),
                (None, Some(turn)) => (u, part * turn),
                (None, None) if count == 1 => return Ok(None),
                (None, None) => (u, longest),
            };
            starts.push(u);
            durations.push(duration);
            steps = None;
            continue;
        };
        let direction = if s.direction > 0.0 {
            Direction::Up
        } else {
            Direction::Down
        };
        let longest = turn.map_or(longest, |turn| FORCING_PERIODS * turn);
        let p = &problem.parameters;
        let sign = s.direction;
        let mut height = [0.0];
        guard.value(&u, p, &mut height);
        let mut below = sign * height[0] < 0.0;
        let mut passes = |x: &[f64]| {
            guard.value(x, p, &mut height);
            let is_below = sign * height[0] < 0.0;
            std::mem::replace(&mut below, is_below) && !is_below
        };
        let crossing_on = |path: &Path<'_>| {
            let found = path.first_crossing(guard.as_ref(), direction, p, 0.0, path.duration());
            found.map_err(fail)
        };
        let mut path = s.flow.path_until(&u, longest, p, &mut passes).map_err(fail)?;
        let mut crossing = crossing_on(&path)?;
        if crossing.is_none() && path.duration() < longest {
            // What was passed does not count.
            path = s.flow.path(&u, longest, p).map_err(fail)?;
            crossing = crossing_on(&path)?;
        }
        let Some(crossing) = crossing else { return Ok(None) };
        x = vec![0.0; s.n];
        path.eval(crossing.t, &mut x);
        starts.push(u);
        durations.push(crossing.t);
        steps = steps.map(|most: usize| most.max(path.nodes().len()));
    }
    Ok(Some(Propagated {
        starts,
        durations,
        steps,
        end: x,
    }))
}

/// Up to which durations a search looks for the segments of a word, in words; none where all orbits of the word last as
/// long, as those without events under a forcing.
///
/// ```
/// use slipstick_flow::FlowOptions;
/// use slipstick_orbit::{PeriodicOrbit, Word, sought};
/// use slipstick_system::catalogue::stiction;
/// let system = stiction();
/// let word = Word::parse("slip- stick", true, &system)?;
/// let orbit = PeriodicOrbit::new(&system, word, system.default_parameters(), vec![0], FlowOptions::default());
/// assert_eq!(sought(&orbit, 100.0).as_deref(), Some("segments of up to 8 periods of the forcing were looked for"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn sought(problem: &PeriodicOrbit<'_>, longest: f64) -> Option<String> {
    let mut ended = problem.segments.iter().filter(|s| s.guard.is_some()).peekable();
    ended.peek()?;
    // The phase of a forcing turns wherever the others are.
    let forced = ended.all(|s| forcing_period(problem, s.mode, &vec![0.0; s.n]).is_some());
    Some(if forced {
        format!("segments of up to {FORCING_PERIODS} periods of the forcing were looked for")
    } else {
        let longest = rounded(longest * problem.system.units.time, 3);
        format!("segments that last up to {longest} were looked for")
    })
}

/// The period of the forcing, if there is one: the time in which its phase turns once.
fn forcing_period(problem: &PeriodicOrbit<'_>, mode: usize, x: &[f64]) -> Option<f64> {
    let mode = &problem.system.modes[mode];
    let clock = phase(problem.system, mode)?;
    let period = problem.system.states[mode.states[clock]].period?;
    let mut rates = vec![0.0; x.len()];
    mode.field.value(x, &problem.parameters, &mut rates);
    (rates[clock] != 0.0).then(|| period / rates[clock].abs())
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
