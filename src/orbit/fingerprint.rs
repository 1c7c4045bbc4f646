//! Numbers by which orbits without events are distinguished, whatever point they start from.

use super::PeriodicOrbit;
use super::angles::phase;
use super::dense_output::DenseOutput;
use super::sizes::least_sizes;
use std::f64::consts::TAU;

/// What is averaged of a state.
enum Part {
    /// Of one that runs on a line: itself, its square and its cube.
    Moments(usize),
    /// Its product with the cosine and the sine of the angle that is the orbit's phase.
    Harmonics { state: usize, clock: usize, frequency: f64 },
    /// Of an angle: its cosine and sine.
    Turn { state: usize, frequency: f64 },
    /// Of two states that run on a line one after the other: their product, and the area that they go round in their
    /// plane in a unit of time. These tell orbits apart that differ by the phases of the states beside each other only,
    /// as waves that run round a ring of equal cells one way and the other.
    Pair(usize, usize),
}

impl Part {
    fn length(&self) -> usize {
        match self {
            Self::Moments(_) => 3,
            Self::Harmonics { .. } | Self::Turn { .. } | Self::Pair(..) => 2,
        }
    }

    /// Add what this is at a point x where the states change at the rates f.
    fn add(&self, weight: f64, x: &[f64], f: &[f64], sums: &mut [f64]) {
        match *self {
            Self::Moments(i) => {
                let mut power = weight;
                for sum in sums {
                    power *= x[i];
                    *sum += power;
                }
            }
            Self::Harmonics {
                state,
                clock,
                frequency,
            } => {
                let (sine, cosine) = (frequency * x[clock]).sin_cos();
                sums[0] += weight * x[state] * cosine;
                sums[1] += weight * x[state] * sine;
            }
            Self::Turn { state, frequency } => {
                let (sine, cosine) = (frequency * x[state]).sin_cos();
                sums[0] += weight * cosine;
                sums[1] += weight * sine;
            }
            Self::Pair(i, j) => {
                sums[0] += weight * x[i] * x[j];
                sums[1] += weight * 0.5 * (x[i] * f[j] - x[j] * f[i]);
            }
        }
    }
}

/// Have the orbits no events, so that they may start from any of their points?
fn is_smooth(orbit: &PeriodicOrbit<'_>) -> bool {
    orbit.word.letters.iter().all(|l| l.event.is_none())
}

/// How many numbers [`fingerprint`] gives.
fn fingerprint_length(orbit: &PeriodicOrbit<'_>) -> Option<usize> {
    is_smooth(orbit).then(|| parts(orbit).iter().map(Part::length).sum::<usize>() + 1)
}

/// For orbits without events: the period, the averages of each state, its square and its cube, those of products of two
/// states, the areas that they go round, and under a forcing averages of their products with the cosine and the sine of
/// the phase. `None` for others, which start at an event.
fn fingerprint(orbit: &PeriodicOrbit<'_>, z: &[f64]) -> Option<Vec<f64>> {
    if !is_smooth(orbit) {
        return None;
    }
    let p = orbit.parameters_at(z);
    let parts = parts(orbit);
    let mut sums = vec![0.0; parts.iter().map(Part::length).sum()];
    let mut f = vec![];
    let mut add = |weight: f64, mode: usize, x: &[f64]| {
        f.resize(x.len(), 0.0);
        orbit.system.modes[mode].field.value(x, &p, &mut f);
        let mut at = 0;
        for part in &parts {
            part.add(weight, x, &f, &mut sums[at..at + part.length()]);
            at += part.length();
        }
    };
    for (k, s) in orbit.segments.iter().enumerate() {
        let duration = orbit.duration(z, k);
        let dense = DenseOutput::new(orbit.system, s, z, &p).ok()?;
        let symmetry = orbit.system.symmetry.as_ref().filter(|_| orbit.word.symmetric);
        dense.integrate(s.n, duration, &mut |weight, x| {
            add(weight, s.mode, x);
            // The other half of a symmetric orbit is the mirror image of this one.
            if let Some(symmetry) = symmetry {
                let full = orbit.system.full_state(s.mode, x, &p);
                let mode = symmetry.modes[s.mode];
                let image = orbit.system.modes[mode]
                    .states
                    .iter()
                    .map(|&i| symmetry.sign[i] * full[symmetry.source[i]] + symmetry.shift[i]);
                add(weight, mode, &image.collect::<Vec<f64>>());
            }
        });
    }
    let period = orbit.period(z);
    sums.iter_mut().for_each(|v| *v /= period);
    sums.push(period);
    Some(sums)
}

/// What tells an orbit from others of the word: its fingerprint if it has one, else its ends.
pub fn invariants(orbit: &PeriodicOrbit<'_>, z: &[f64]) -> Vec<Vec<f64>> {
    fingerprint(orbit, z).map_or_else(|| orbit.ends(z), |invariants| vec![invariants])
}

/// Do marks, as [`invariants`] gives them, belong to the same orbit?
pub fn match_invariants(orbit: &PeriodicOrbit<'_>, a: &[Vec<f64>], b: &[Vec<f64>], tolerance: f64) -> bool {
    match (a, b) {
        ([x], [y]) if fingerprint_length(orbit) == Some(x.len()) && y.len() == x.len() => {
            let sizes = mark_sizes(orbit, x, y);
            let invariants = x.iter().zip(y).zip(&sizes);
            invariants
                .into_iter()
                .all(|((x, y), size)| (x - y).abs() <= tolerance * size)
        }
        _ => match_ends(orbit, a, b, tolerance),
    }
}

/// The sizes that differences of two fingerprints are measured by: those of the states, as their squares tell them,
/// to the power that each average has.
fn mark_sizes(orbit: &PeriodicOrbit<'_>, x: &[f64], y: &[f64]) -> Vec<f64> {
    let parts = parts(orbit);
    // Beside the largest state, one that is so much smaller counts as that; orbits that rest at zero, up to rounding,
    // are one.
    const LEAST: f64 = 1e-3;
    let at_rest = |state: usize| {
        let first = orbit.segments.first().map(|s| &orbit.system.modes[s.mode].states);
        let place = first.and_then(|states| states.get(state));
        let least = place.and_then(|&place| least_sizes(orbit)?.get(place));
        least.copied().unwrap_or(0.0)
    };
    let mut places = vec![];
    let mut at = 0;
    for part in &parts {
        places.push(at);
        at += part.length();
    }
    let root = |state: usize| {
        let own = |part: &Part| matches!(part, Part::Moments(s) if *s == state);
        let place = parts.iter().position(own).map(|i| places[i] + 1);
        place.map_or(0.0, |i| x[i].max(y[i]).max(0.0).sqrt())
    };
    let states = orbit.segments.first().map_or(0, |s| s.n);
    let largest = (0..states).map(root).fold(0.0, f64::max);
    let size = |state: usize| root(state).max(LEAST * largest).max(at_rest(state));
    let period = x.last().map_or(0.0, |t| t.abs());
    let mut sizes = vec![];
    for part in &parts {
        match *part {
            Part::Moments(i) => sizes.extend((1..=3).map(|power| size(i).powi(power))),
            Part::Harmonics { state, .. } => sizes.extend([size(state); 2]),
            Part::Turn { .. } => sizes.extend([1.0; 2]),
            Part::Pair(i, j) => {
                let product = size(i) * size(j);
                sizes.extend([product, product * TAU / period.max(f64::MIN_POSITIVE)]);
            }
        }
    }
    sizes.push(period);
    sizes
}

/// What is averaged along an orbit.
fn parts(orbit: &PeriodicOrbit<'_>) -> Vec<Part> {
    let Some(first) = orbit.segments.first() else {
        return vec![];
    };
    let states = &orbit.system.modes[first.mode].states;
    let frequency = |i: usize| orbit.system.states[states[i]].period.map(|period| TAU / period);
    let clock = phase(orbit.system, &orbit.system.modes[first.mode]);
    let mut parts = vec![];
    let mut before = None;
    for state in 0..first.n {
        if let Some(frequency) = frequency(state) {
            parts.push(Part::Turn { state, frequency });
            continue;
        }
        parts.extend(before.map(|before| Part::Pair(before, state)));
        before = Some(state);
        parts.push(Part::Moments(state));
        if let Some((clock, frequency)) = clock.and_then(|c| Some((c, frequency(c)?))) {
            parts.push(Part::Harmonics {
                state,
                clock,
                frequency,
            });
        }
    }
    parts
}

/// Do starts and durations, as [`PeriodicOrbit::ends`] gives them, belong to the same orbit, up to the segment it
/// starts from and turns of the angles?
pub fn match_ends(orbit: &PeriodicOrbit<'_>, a: &[Vec<f64>], b: &[Vec<f64>], tolerance: f64) -> bool {
    let count = orbit.segments.len();
    (0..count).any(|shift| {
        let fits = (0..count).all(|k| orbit.word.letters[k] == orbit.word.letters[(k + shift) % count]);
        fits && (0..count).all(|k| {
            let states = &orbit.system.modes[orbit.segments[k].mode].states;
            a[k].iter().zip(&b[(k + shift) % count]).enumerate().all(|(i, (x, y))| {
                let mut difference = x - y;
                if let Some(period) = states.get(i).and_then(|&k| orbit.system.states[k].period) {
                    difference -= (difference / period).round() * period;
                }
                difference.abs() <= tolerance * (1.0 + x.abs())
            })
        })
    })
}
