//! Where an orbit comes almost to rest: the equilibria near which it spends its time, or the place where it is slowest.

use crate::angles::centred;
use crate::periodic::PeriodicOrbit;
use crate::sample::OrbitSample;
use nalgebra::{Complex, DMatrix, DVector};
use slipstick_bifurcation::Rest;
use slipstick_continuation::Point;
use slipstick_numerics::linalg::eigen::eigenvalues;
use slipstick_system::jacobian;

/// How near to an equilibrium counts as near, in units of the orbit's range in each state: slow motion along a manifold
/// goes further.
const NEAR: f64 = 0.05;

/// How slow is slow, relative to the greatest speed of the orbit.
const SLOW: f64 = 0.05;

/// How often an equilibrium is looked for.
const TRIES: usize = 40;

/// A place at which the orbit spends a smaller part of its period is none.
const SHORT: f64 = 0.01;

/// Samples of a period.
const SAMPLES: usize = 2000;

/// The rows of an orbit in units of its ranges.
struct Chords<'a> {
    ranges: Vec<f64>,
    /// The periods of those states that are angles.
    turns: Vec<Option<f64>>,
    chords: Vec<Chord<'a>>,
    period: f64,
}

/// A piece of an orbit between two samples.
struct Chord<'a> {
    speed: f64,
    duration: f64,
    mode: usize,
    x: &'a [f64],
    /// The first and the last state of its stay in the mode.
    stay: [&'a [f64]; 2],
}

impl<'a> Chords<'a> {
    fn of(sample: &'a OrbitSample, turns: Vec<Option<f64>>) -> Option<Self> {
        let first = sample.states.first()?;
        let range = |i: usize| {
            let values = sample.states.iter().map(|x| x[i]);
            values.clone().fold(f64::NEG_INFINITY, f64::max) - values.fold(f64::INFINITY, f64::min)
        };
        let mut found = Self {
            ranges: (0..first.len()).map(range).collect(),
            turns,
            chords: vec![],
            period: 0.0,
        };
        let pieces = sample.t.windows(2).zip(sample.states.windows(2)).zip(&sample.modes);
        let mut begun: Option<(usize, &[f64])> = None;
        for ((t, x), &mode) in pieces {
            let duration = t[1] - t[0];
            // Events take no time.
            if !(duration > 0.0) {
                begun = None;
                continue;
            }
            let (_, from) = *begun.insert(begun.filter(|own| own.0 == mode).unwrap_or((mode, &x[0])));
            found.chords.push(Chord {
                speed: found.apart(&x[0], &x[1]) / duration,
                duration,
                mode,
                x: &x[0],
                stay: [from, &x[1]],
            });
            found.period += duration;
        }
        // Each stay ends where its last chord does.
        let mut last: Option<[&[f64]; 2]> = None;
        for chord in found.chords.iter_mut().rev() {
            let same = last.filter(|stay| std::ptr::eq(stay[0], chord.stay[0]));
            chord.stay = *last.insert(same.unwrap_or(chord.stay));
        }
        Some(found)
    }

    /// The largest difference of two states, up to whole turns of angles.
    fn apart(&self, a: &[f64], b: &[f64]) -> f64 {
        let parts = (0..a.len()).filter(|&i| self.ranges[i] > 0.0).map(|i| {
            let off = a[i] - b[i];
            let off = self.turns[i].map_or(off, |turn| off - (off / turn).round() * turn);
            off.abs() / self.ranges[i]
        });
        parts.fold(0.0, f64::max)
    }
}

/// The equilibria near which the orbit at `point` is slow, with the part of the period that it spends there;
/// without any, the part that it spends where it is slowest. In smooth systems these are saddles; a mode of a
/// hybrid system may have its orbits leave nodes and foci as well.
pub(crate) fn equilibria_nearby(orbit: &mut PeriodicOrbit<'_>, point: &Point) -> Option<Rest> {
    let sample = orbit.sample(point, SAMPLES).ok()?;
    let p = orbit.parameters_at(&point.z);
    let turns = orbit.system.states.iter().map(|s| s.period).collect();
    let mut slow_parts = Chords::of(&sample, turns)?;
    let slow = SLOW * slow_parts.chords.iter().fold(0.0, |m: f64, c| m.max(c.speed));
    let mut chords = std::mem::take(&mut slow_parts.chords);
    chords.retain(|c| c.speed <= slow);
    chords.sort_by(|a, b| a.speed.total_cmp(&b.speed));
    // The equilibria next to the places where the orbit is slowest.
    let mut equilibria: Vec<Vec<f64>> = vec![];
    let mut tries = 0;
    for chord in &chords {
        if equilibria.iter().any(|s| slow_parts.apart(s, chord.x) <= NEAR) {
            continue;
        }
        tries += 1;
        if tries > TRIES {
            break;
        }
        let found = resting_place(orbit, chord, &slow_parts, &p);
        equilibria.extend(found.filter(|s| slow_parts.apart(s, chord.x) <= NEAR));
    }
    let slowest = chords.first()?.x;
    let mut rest = Rest {
        slowest: in_words(orbit, slowest, &slow_parts.ranges),
        ..Rest::default()
    };
    let mut time_near = |place: &[f64]| {
        let mut time = 0.0;
        chords.retain(|c| {
            let near = slow_parts.apart(c.x, place) <= NEAR;
            time += if near { c.duration } else { 0.0 };
            !near
        });
        time / slow_parts.period
    };
    for place in &equilibria {
        let share = time_near(place);
        if share > SHORT {
            rest.share += share;
            rest.places.push(in_words(orbit, place, &slow_parts.ranges));
        }
    }
    if rest.places.is_empty() {
        rest.share = time_near(slowest);
    }
    Some(rest)
}

/// The equilibrium next to a chord at which an orbit may come to rest, as a point in all states of the system.
fn resting_place(orbit: &PeriodicOrbit<'_>, chord: &Chord<'_>, chords: &Chords<'_>, p: &[f64]) -> Option<Vec<f64>> {
    let states = &orbit.system.modes[chord.mode].states;
    let own: Vec<f64> = states.iter().map(|&s| chord.x[s]).collect();
    let (x, values) = equilibrium_from(orbit, chord.mode, &own, p)?;
    let mut place = chord.x.to_vec();
    for (&s, v) in states.iter().zip(x) {
        place[s] = v;
    }
    // Orbits pass by nodes and foci without tending to them, unless an event leads to one that repels, or away from
    // one that attracts.
    let (grows, decays) = (values.iter().any(|v| v.re > 0.0), values.iter().any(|v| v.re < 0.0));
    let at = |end: &[f64]| chords.apart(&place, end) <= NEAR;
    let [begin, end] = chord.stay;
    let tends = (grows && decays) || orbit.system.is_hybrid() && (!decays && at(begin) || !grows && at(end));
    tends.then_some(place)
}

/// The equilibrium of a mode that Newton's method finds from `x`, with its eigenvalues.
pub(crate) fn equilibrium_from(
    orbit: &PeriodicOrbit<'_>,
    mode: usize,
    x: &[f64],
    p: &[f64],
) -> Option<(Vec<f64>, Vec<Complex<f64>>)> {
    let field = orbit.system.modes[mode].field.as_ref();
    let n = x.len();
    let mut x = DVector::from_column_slice(x);
    let (mut f, mut dx) = (vec![0.0; n], vec![0.0; n * n]);
    for _ in 0..20 {
        jacobian(field, x.as_slice(), p, &[], &mut f, &mut dx, &mut []);
        let step = DMatrix::from_row_slice(n, n, &dx)
            .lu()
            .solve(&DVector::from_column_slice(&f))?;
        x -= &step;
        if step.amax() <= 1e-10 * (1.0 + x.amax()) {
            let values = eigenvalues(&DMatrix::from_row_slice(n, n, &dx)).ok()?;
            return Some((x.as_slice().to_vec(), values));
        }
    }
    None
}

/// The states by their names, angles within half a turn; what is zero up to rounding is written as zero.
pub(crate) fn in_words(orbit: &PeriodicOrbit<'_>, x: &[f64], ranges: &[f64]) -> String {
    let words = orbit
        .system
        .states
        .iter()
        .zip(x)
        .zip(ranges)
        .enumerate()
        .map(|(i, ((state, v), range))| {
            let v = &state.period.map_or(*v, |period| centred(*v, period));
            let v = if v.abs() <= 1e-9 * range {
                0.0
            } else {
                *v * orbit.system.units.state(i)
            };
            format!("{} = {v:.6}", state.name)
        });
    format!("({})", words.collect::<Vec<_>>().join(", "))
}
