//! A periodic orbit as rows of a table: time, states, mode.

use super::PeriodicOrbit;
use super::dense_output::DenseOutput;
use slipstick_continuation::{Failure, Point, Problem};
use slipstick_flow::rows::{self, DenseSegment, Row};
use slipstick_system::Symmetry;
use std::cell::RefCell;

/// Sampled states along one period.
///
/// ```
/// use slipstick_bifurcation::{TraceOptions, Tracer};
/// use slipstick_flow::FlowOptions;
/// use slipstick_orbit::{PeriodicOrbit, Word};
/// use slipstick_system::catalogue::stiction;
/// let system = stiction();
/// let word = Word::parse("slip- stick", true, &system)?;
/// let mut orbit = PeriodicOrbit::new(&system, word, system.default_parameters(), vec![0], FlowOptions::default());
/// let start = orbit.guess(&[vec![0.4, 0.0, -0.6], vec![-0.4, 1.4]], &[2.0, 1.1])?;
/// let branch = Tracer::new(&mut orbit, &TraceOptions::over((2.0, 2.01))).from_guess(start)?;
/// let sample = orbit.sample(&branch.points[0].point, 200)?;
/// // One whole period, of which the second half mirrors the first.
/// assert!((sample.t.last().unwrap() - std::f64::consts::TAU).abs() < 1e-10);
/// let largest = |sign: f64| sample.states.iter().map(|state| sign * state[0]).fold(0.0, f64::max);
/// assert!((largest(1.0) - largest(-1.0)).abs() < 1e-3 && sample.canard.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct OrbitSample {
    /// Times, from zero; an event appears twice, before and after.
    pub t: Vec<f64>,
    /// All states of the system at each time; angles run on without being wrapped.
    pub states: Vec<Vec<f64>>,
    /// The mode at each time.
    pub modes: Vec<usize>,
    /// The observables at each time.
    pub observables: Vec<Vec<f64>>,
    /// Whether each time lies on a canard segment; empty for systems that are not slow–fast.
    pub canard: Vec<bool>,
}

/// A motion in `n` states at the `times`, and at those between them at which it must be known as well for its chords to
/// follow it: a jump along a fast fibre is a small part of a segment. Not more than `most` in all, the worst places
/// first: where an orbit shrinks to a point, rounding is all that is left of it, and no chord follows that.
fn resolved(times: &[f64], n: usize, most: usize, dense: &dyn Fn(f64, &mut [f64])) -> Vec<Row> {
    /// How far a chord may leave the motion, in units of the range of each state, and how often it is halved at most.
    const OFF: f64 = 4e-3;
    const HALVINGS: usize = 12;
    let at = |tau: f64| {
        let mut x = vec![0.0; n];
        dense(tau, &mut x);
        (tau, x)
    };
    let mut found: Vec<Row> = times.iter().map(|&tau| at(tau)).collect();
    let range = |i: usize| {
        let values = found.iter().map(|(_, x)| x[i]);
        values.clone().fold(f64::NEG_INFINITY, f64::max) - values.fold(f64::INFINITY, f64::min)
    };
    let allowed: Vec<f64> = (0..n).map(|i| OFF * range(i)).collect();
    // The first of two neighbouring rows each, between which the motion is not known well enough yet.
    let mut open: Vec<usize> = (1..found.len()).map(|to| to - 1).collect();
    for _ in 0..HALVINGS {
        let halved = |&from: &usize| {
            let (a, b) = (&found[from], &found[from + 1]);
            let middle = at(0.5 * (a.0 + b.0));
            let off = |i: usize| (middle.1[i] - 0.5 * (a.1[i] + b.1[i])).abs() / allowed[i];
            let off = (0..n).map(off).fold(0.0, f64::max);
            (off > 1.0).then_some((off, from, middle))
        };
        let mut new: Vec<(f64, usize, Row)> = open.iter().filter_map(halved).collect();
        let left = most.saturating_sub(found.len());
        if new.len() > left {
            new.sort_by(|a, b| b.0.total_cmp(&a.0));
            new.truncate(left);
            new.sort_by_key(|(_, from, _)| *from);
        }
        if new.is_empty() {
            break;
        }
        open.clear();
        let mut new = new.into_iter().peekable();
        let mut finer = Vec::with_capacity(found.len() + new.len());
        for (from, row) in found.into_iter().enumerate() {
            finer.push(row);
            if let Some((_, _, middle)) = new.next_if(|(_, first, _)| *first == from) {
                open.extend([finer.len() - 1, finer.len()]);
                finer.push(middle);
            }
        }
        found = finer;
    }
    found
}

/// Times over `[0, duration]` at which to look at a course that is known everywhere; more lie at both ends, where a
/// fast state has its layers.
pub fn denser_at_ends(duration: f64) -> Vec<f64> {
    const SAMPLES: usize = 200;
    /// Halvings of the first and last sampling interval.
    const HALVINGS: i32 = 30;
    let step = duration / SAMPLES as f64;
    let near_end = (1..=HALVINGS).map(|k| step * 0.5_f64.powi(k));
    let mut times: Vec<f64> = (0..=SAMPLES).map(|k| duration * k as f64 / SAMPLES as f64).collect();
    times.extend(near_end.flat_map(|d| [d, duration - d]));
    times.sort_by(f64::total_cmp);
    times
}

impl PeriodicOrbit<'_> {
    /// Sample the orbit at `point` of a curve at about `count` times over the whole period, the mirrored half included.
    ///
    /// # Errors
    /// [`Failure`] when a flow cannot be evaluated.
    pub fn sample(&mut self, point: &Point, count: usize) -> Result<OrbitSample, Failure> {
        self.sampled(point, count, false)
    }

    /// The same for a table whose rows are joined by polynomials: where the orbit moves too fast for those there are
    /// more rows, of all at most ten times as many.
    ///
    /// # Errors
    /// [`Failure`] when a flow cannot be evaluated.
    pub fn tabulated(&mut self, point: &Point, count: usize) -> Result<OrbitSample, Failure> {
        self.sampled(point, count, true)
    }

    fn sampled(&mut self, point: &Point, count: usize, joined: bool) -> Result<OrbitSample, Failure> {
        self.restore(&point.meshes);
        let z = &point.z;
        let period = self.period(z);
        let p = self.parameters_at(z);
        let segments = self.segments.iter();
        let dense: Vec<DenseOutput<'_, '_>> = segments
            .map(|s| DenseOutput::new(self.system, s, z, &p))
            .collect::<Result<_, _>>()?;
        let mut rows: Vec<Vec<Row>> = vec![];
        for (k, dense) in dense.iter().enumerate() {
            let s = &self.segments[k];
            let duration = self.reported_duration(z, k);
            let pieces = ((count as f64 * duration / period).ceil() as usize).clamp(8, count.max(8));
            let times: Vec<f64> = (0..=pieces).map(|i| duration * i as f64 / pieces as f64).collect();
            let eval = |tau: f64, x: &mut [f64]| dense.eval(tau, x);
            let chords = self.system.slow_fast.as_ref().is_some_and(|split| split.mode == s.mode);
            rows.push(if chords {
                resolved(&times, s.n, rows::MOST * times.len(), &eval)
            } else {
                let at = |tau: f64| {
                    let mut x = vec![0.0; s.n];
                    eval(tau, &mut x);
                    (tau, x)
                };
                times.into_iter().map(at).collect()
            });
        }
        if joined {
            let segments = self.segments.iter().zip(&dense);
            let segments: Vec<DenseSegment<'_>> = segments
                .map(|(s, dense)| DenseSegment {
                    mode: s.mode,
                    states: Box::new(|tau, x| dense.eval(tau, x)),
                    nodes: dense.nodes(),
                })
                .collect();
            let halves = if self.word.symmetric { 2 } else { 1 };
            rows = rows::joined(self.system, &p, &segments, rows, rows::MOST * count / halves).0;
        }
        let mut sample = OrbitSample::default();
        let mut begin = 0.0;
        for (k, rows) in rows.into_iter().enumerate() {
            let mode = self.segments[k].mode;
            for (tau, x) in rows {
                sample.t.push(begin + tau);
                sample.states.push(self.system.full_state(mode, &x, &p));
                sample.modes.push(mode);
            }
            begin += self.reported_duration(z, k);
        }
        if let Some(symmetry) = self.system.symmetry.as_ref().filter(|_| self.word.symmetric) {
            for i in 0..sample.t.len() {
                sample.t.push(begin + sample.t[i]);
                sample.states.push(image(symmetry, &sample.states[i]));
                sample.modes.push(symmetry.modes[sample.modes[i]]);
            }
        }
        for (x, &mode) in sample.states.iter().zip(&sample.modes) {
            let own: Vec<f64> = self.system.modes[mode].states.iter().map(|&i| x[i]).collect();
            let mut values = Vec::with_capacity(self.system.observables.len());
            for o in &self.system.observables {
                let mut v = [0.0];
                o.by_mode[mode].value(&own, &p, &mut v);
                values.push(v[0]);
            }
            sample.observables.push(values);
        }
        Ok(sample)
    }

    /// The mode and all states at time `t` since the start of the first segment, anywhere in one period (the mirrored
    /// half included).
    ///
    /// # Errors
    /// [`Failure`] when a flow cannot be evaluated.
    pub fn state(&mut self, point: &Point, t: f64) -> Result<(usize, Vec<f64>), Failure> {
        self.restore(&point.meshes);
        let z = &point.z;
        let p = self.parameters_at(z);
        let half = self.lap(z);
        let mirror = self
            .system
            .symmetry
            .as_ref()
            .filter(|_| self.word.symmetric && t > half);
        let mut tau = if mirror.is_some() { t - half } else { t };
        let mut k = 0;
        while k + 1 < self.segments.len() && tau > self.duration(z, k) {
            tau -= self.duration(z, k);
            k += 1;
        }
        let s = &self.segments[k];
        let mut x = vec![0.0; s.n];
        DenseOutput::new(self.system, s, z, &p)?.eval(tau, &mut x);
        let full = self.system.full_state(s.mode, &x, &p);
        let Some(symmetry) = mirror else {
            return Ok((s.mode, full));
        };
        Ok((symmetry.modes[s.mode], image(symmetry, &full)))
    }
}

/// The mirror image of all states of the system.
fn image(symmetry: &Symmetry, x: &[f64]) -> Vec<f64> {
    let of = |j: usize| symmetry.sign[j] * x[symmetry.source[j]] + symmetry.shift[j];
    (0..x.len()).map(of).collect()
}

/// Look at each visit of the orbit at `point` to `mode`, over as many segments as it lasts: events that lead back
/// to the mode without moving the state, and the end of the period, interrupt none. `look` gets when in the period
/// the visit begins, the visit as a function of time since then, times close enough to see all of it, and whether
/// it is endless, that is whether the orbit stays in the mode for good; then the times run over one period (half of
/// one, of a symmetric orbit), and states are known for as long before it.
///
/// # Errors
/// [`Failure`] when a flow cannot be evaluated.
pub fn with_segments(
    orbit: &mut PeriodicOrbit<'_>,
    point: &Point,
    mode: usize,
    look: &mut dyn FnMut(f64, &dyn Fn(f64) -> Vec<f64>, &[f64], bool),
) -> Result<(), Failure> {
    orbit.restore(&point.meshes);
    let p = orbit.parameters_at(&point.z);
    let (z, count) = (&point.z, orbit.segments.len());
    let follows: Vec<bool> = (0..count).map(|k| goes_on(orbit, k)).collect();
    let before = |k: usize| (k + count - 1) % count;
    let own = |k: usize| orbit.segments[k].mode == mode;
    let endless = (0..count).all(|k| own(k) && follows[k]);
    let interrupted = |k: usize| !(own(before(k)) && follows[before(k)]);
    let begins = (0..count).filter(|&k| own(k) && if endless { k == 0 } else { interrupted(k) });
    for first in begins {
        let mut pieces = vec![];
        let (mut k, mut t) = (first, 0.0);
        loop {
            let dense = DenseOutput::new(orbit.system, &orbit.segments[k], z, &p)?;
            pieces.push((t, k, dense));
            t += orbit.duration(z, k);
            if !follows[k] || pieces.len() == count {
                break;
            }
            k = (k + 1) % count;
        }
        let mut times: Vec<f64> = vec![];
        for (begin, k, _) in &pieces {
            let duration = orbit.duration(z, *k);
            times.pop();
            match orbit.segments[*k].profile() {
                Some(profile) => {
                    for pair in profile.mesh().windows(2) {
                        times.extend([pair[0], 0.5 * (pair[0] + pair[1])].map(|s| begin + s * duration));
                    }
                    times.push(begin + duration);
                }
                None => times.extend(denser_at_ends(duration).iter().map(|t| begin + t)),
            }
        }
        if !(t > 0.0) {
            continue;
        }
        // States before the end of the word are given in the frame of its beginning.
        let turn = RefCell::new(orbit.segments[count - 1].junction.clone());
        let wraps = pieces.iter().position(|piece| piece.1 < first).unwrap_or(0);
        let n = orbit.segments[first].n;
        let at = |time: f64| {
            let earlier = endless && time < 0.0;
            let time = if earlier { time + t } else { time };
            let i = pieces.partition_point(|piece| piece.0 <= time).max(1) - 1;
            let (begin, _, dense) = &pieces[i];
            let mut x = vec![0.0; n];
            dense.eval(time - begin, &mut x);
            if earlier || i < wraps {
                let mut turned = vec![0.0; n];
                turn.borrow_mut().apply(&x, &p, &mut turned);
                x = turned;
            }
            x
        };
        let begin = (0..first).map(|k| orbit.duration(z, k)).sum();
        look(begin, &at, &times, endless);
    }
    Ok(())
}

/// Does the orbit stay in the mode of segment `k` when that ends, its state unmoved but for the symmetry?
fn goes_on(orbit: &PeriodicOrbit<'_>, k: usize) -> bool {
    let letter = orbit.word.letters[k];
    let event = letter.event.map(|e| &orbit.system.modes[letter.mode].events[e]);
    let next = orbit.word.letters[(k + 1) % orbit.segments.len()].mode;
    next == letter.mode && event.is_none_or(|e| e.reset.is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jump_gets_the_points_it_needs_and_a_line_none() {
        let times: Vec<f64> = (0..=10).map(f64::from).collect();
        let step = |tau: f64, x: &mut [f64]| x[0] = (40.0 * (tau - 4.3)).tanh();
        let fine = resolved(&times, 1, 1000, &step);
        assert!(
            fine.windows(2).all(|w| w[0].0 < w[1].0) && fine.len() < 120,
            "{}",
            fine.len()
        );
        let mut x = [0.0; 3];
        for w in fine.windows(2) {
            step(w[0].0, &mut x[..1]);
            step(w[1].0, &mut x[1..2]);
            step(0.5 * (w[0].0 + w[1].0), &mut x[2..]);
            assert!((x[2] - 0.5 * (x[0] + x[1])).abs() <= 4e-3 * 2.0);
        }
        let line = resolved(&times, 1, 1000, &|tau, x| x[0] = 3.0 * tau);
        assert!(line.iter().map(|l| l.0).eq(times) && line.iter().all(|l| l.1 == [3.0 * l.0]));
    }

    #[test]
    fn what_is_nothing_but_rounding_is_not_resolved() {
        let times: Vec<f64> = (0..=100).map(f64::from).collect();
        let rounding = |tau: f64, x: &mut [f64]| x[0] = 0.46 + f64::EPSILON * (1e9 * tau).sin();
        let rows = resolved(&times, 1, 500, &rounding);
        assert!(rows.len() <= 500 && rows.is_sorted_by(|a, b| a.0 < b.0));
        // The worst places are resolved first: a jump is, whatever else there is.
        let jump = |tau: f64, x: &mut [f64]| x[0] = (1e3 * (tau - 43.3)).tanh() + 0.02 * (1e9 * tau).sin();
        let rows = resolved(&times, 1, 500, &jump);
        let widest = rows.windows(2).filter(|w| (w[0].1[0] - w[1].1[0]).abs() > 1.0);
        assert!(rows.len() <= 500 && widest.map(|w| w[1].0 - w[0].0).fold(0.0, f64::max) < 0.01);
    }
}
