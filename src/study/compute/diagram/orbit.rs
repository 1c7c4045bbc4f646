//! The orbit that points of a motion repeat, corrected by Newton's method.

use crate::compute::attractors::problem::{measured, problem, solved};
use crate::compute::diagram::points::{SAME, apart};
use crate::plan::attractors::AttractorsPlan;
use slipstick_bifurcation::Record;
use slipstick_flow::{AttractingOrbit, SectionPoint, Segment, SimulationOptions, simulate};
use slipstick_orbit::{FixedPoint, Letter, Word};
use slipstick_system::System;

/// log₁₀ of a multiplier that is one, up to rounding and to what Newton's method leaves where it is one nearly.
const NEUTRAL: f64 = 1e-6;

/// As far as an orbit may be from the points of a motion that comes to it, in the scales of the states.
const NEAR: f64 = 0.1;

/// What is found next to points that repeat themselves.
pub(crate) enum Corrected {
    /// An orbit.
    Orbit(Record),
    /// One that repels.
    Repelling,
    /// A point about which the motion turns.
    Point,
    /// Nothing.
    Nothing,
}

fn judged(record: Record) -> Corrected {
    if record.of_return_map().iter().any(|m| m.log10 > NEUTRAL) {
        Corrected::Repelling
    } else {
        Corrected::Orbit(record)
    }
}

/// Is what was measured over several rounds the same orbit as what was over one: are its multipliers powers of those?
pub(crate) fn is_repeated(one: &Record, several: &Record, rounds: usize) -> bool {
    /// Powers of ten that agree; of multipliers below this one rounding is left.
    const ALIKE: f64 = 1e-4;
    const ROUNDING: f64 = -10.0;
    let of = |record: &Record, power: usize| -> Vec<f64> {
        let each = record.of_return_map().iter();
        each.map(|m| (power as f64 * m.log10).max(ROUNDING)).collect()
    };
    let (one, several) = (of(one, rounds), of(several, 1));
    let alike = |(a, b): (&f64, &f64)| (a - b).abs() <= ALIKE * (1.0 + a.abs());
    one.len() == several.len() && one.iter().zip(&several).all(alike)
}

/// The cycle of a map at its last points, so many of them.
pub(crate) fn cycle(
    system: &System,
    sweep: &AttractorsPlan,
    p: &[f64],
    (points, length): (&[SectionPoint], usize),
    scales: &[f64],
) -> Corrected {
    let last = &points[points.len() - length..];
    let own = &system.modes[last[0].mode].states;
    let guess: Vec<Vec<f64>> = last
        .iter()
        .map(|point| own.iter().map(|&s| point.states[s]).collect())
        .collect();
    let mut problem = FixedPoint::cycle(system, last[0].mode, length, p.to_vec(), vec![sweep.sweep]);
    let guess = problem.guess_points(&guess);
    let Ok(z) = problem.corrected(guess) else {
        return Corrected::Nothing;
    };
    let found = problem.points(&z);
    let near = found.iter().zip(last).all(|(x, point)| {
        let full = system.full_state(point.mode, x, p);
        apart(system, &full, &point.states, scales) <= NEAR
    });
    match measured(&mut problem, z) {
        Some(record) if near => judged(record),
        _ => Corrected::Nothing,
    }
}

/// One round of a motion.
pub(crate) struct Round {
    pub(crate) attracting: AttractingOrbit,
    /// How far each state goes that is no angle.
    extents: Vec<f64>,
    /// The mean of the states of the mode in which it begins, where it has no events.
    pub(crate) middle: Option<Vec<f64>>,
}

impl Round {
    /// The round of this duration that begins in a state of a mode, or just behind it.
    pub(crate) fn of(
        system: &System,
        sweep: &AttractorsPlan,
        (mode, x): (usize, &[f64]),
        p: &[f64],
        period: f64,
    ) -> Option<Self> {
        /// Rows in a round.
        const ROWS: f64 = 200.0;
        let options = SimulationOptions {
            t_end: 2.5 * period,
            policy: sweep.policy,
            flow: sweep.flow,
            zeno_time: 1e-9,
            ..SimulationOptions::default()
        };
        let run = simulate(system, mode, x, p, &options).ok()?;
        let rows = run.table(system, p, period / ROWS, sweep.flow).ok()?;
        let rows: Vec<_> = rows.into_iter().take_while(|row| row.t <= period).collect();
        let straight = (0..system.states.len()).filter(|&i| system.states[i].period.is_none());
        let extent = |i: usize| {
            let own = rows.iter().map(|row| row.states[i]).filter(|v| v.is_finite());
            let (lo, hi) = own.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(v), hi.max(v)));
            (hi - lo).max(0.0)
        };
        let extents = straight.map(extent).collect();
        let segments: Vec<&Segment> = run
            .segments
            .iter()
            .filter(|s| s.duration > 0.0 || s.event.is_some())
            .collect();
        let [first, ..] = segments[..] else { return None };
        let closed = |pieces: &[&Segment]| AttractingOrbit {
            word: pieces.iter().map(|s| (s.mode, s.event)).collect(),
            starts: within_turns(system, pieces),
            durations: pieces.iter().map(|s| s.duration).collect(),
            symmetric: false,
            period,
            closure: 0.0,
        };
        if first.duration > 2.0 * period {
            let middle = system.modes[mode].states.iter().map(|&s| {
                let own = rows.iter().map(|row| row.states[s]);
                own.sum::<f64>() / rows.len() as f64
            });
            let whole = Segment {
                duration: period,
                event: None,
                ..first.clone()
            };
            return Some(Self {
                attracting: closed(&[&whole]),
                extents,
                middle: Some(middle.collect()),
            });
        }
        // From the first event on to its next time.
        let ends = |s: &Segment| s.t0 + s.duration;
        let wanted = ends(first) + period;
        let alike = |s: &&&Segment| (s.mode, s.event) == (first.mode, first.event);
        let off = |s: &Segment| (ends(s) - wanted).abs();
        let last = segments[1..]
            .iter()
            .filter(alike)
            .min_by(|a, b| off(a).total_cmp(&off(b)))?;
        if off(last) > 1e-3 * period {
            return None;
        }
        let upto = segments.iter().position(|s| std::ptr::eq(*s, *last))?;
        Some(Self {
            attracting: closed(&segments[1..=upto]),
            extents,
            middle: None,
        })
    }

    /// The orbit that Newton's method finds there.
    pub(crate) fn corrected(&self, system: &System, sweep: &AttractorsPlan, p: &[f64], scales: &[f64]) -> Corrected {
        /// Periods that agree.
        const ALIKE: f64 = 1e-2;
        let letters = self.attracting.word.iter().map(|&(mode, event)| Letter { mode, event });
        let word = Word {
            letters: letters.collect(),
            symmetric: false,
        };
        let mut orbit = problem(system, word, sweep, p);
        let Some(z) = solved(&mut orbit, &self.attracting, p[sweep.sweep]) else {
            return Corrected::Nothing;
        };
        let ends = orbit.ends(&z);
        let Some(record) = measured(&mut orbit, z) else {
            return Corrected::Nothing;
        };
        if self.turns_about(system, &record, scales) {
            return Corrected::Point;
        }
        let starts = self
            .attracting
            .word
            .iter()
            .zip(ends.iter().zip(&self.attracting.starts));
        let reach = |i: usize| scales[i].max(self.reach(system, i));
        let reaches: Vec<f64> = (0..system.states.len()).map(reach).collect();
        let near = starts.fold(0.0f64, |m, (&(mode, _), (a, b))| {
            let n = system.modes[mode].states.len();
            let [a, b] = [&a[..n], b].map(|x| system.full_state(mode, x, p));
            m.max(apart(system, &a, &b, &reaches))
        });
        let period = self.attracting.period;
        if near > NEAR || (record.period - period).abs() > ALIKE * period || !record.admissible() {
            return Corrected::Nothing;
        }
        judged(record)
    }

    /// Is what was found a point that the motion turns about, or much smaller than the motion? States that move by
    /// rounding beside angles that turn do not tell.
    fn turns_about(&self, system: &System, record: &Record, scales: &[f64]) -> bool {
        /// An orbit that goes less far than this part of the motion.
        const FAR: f64 = 0.5;
        let straight: Vec<usize> = (0..system.states.len())
            .filter(|&i| system.states[i].period.is_none())
            .collect();
        let moves = |i: &usize| self.extents[*i] > SAME * scales[straight[*i]];
        let mut moving = (0..straight.len()).filter(moves).peekable();
        if moving.peek().is_none() {
            return straight.len() == system.states.len();
        }
        let spans: Vec<f64> = record.monitors.chunks_exact(3).map(|e| e[1] - e[2]).collect();
        moving.all(|i| spans.get(i).is_some_and(|span| *span < FAR * self.extents[i]))
    }

    /// How far a state of the system goes; zero of angles.
    fn reach(&self, system: &System, state: usize) -> f64 {
        if system.states[state].period.is_some() {
            return 0.0;
        }
        let before = system.states[..state].iter().filter(|s| s.period.is_none()).count();
        self.extents[before]
    }
}

/// Starts of segments, with the angles of the first within one turn and those of the others as far behind it.
fn within_turns(system: &System, pieces: &[&Segment]) -> Vec<Vec<f64>> {
    let mut off = vec![0.0; system.states.len()];
    if let Some(first) = pieces.first() {
        for (x, &s) in first.start.iter().zip(&system.modes[first.mode].states) {
            off[s] = system.states[s]
                .period
                .map_or(0.0, |period| (x / period).floor() * period);
        }
    }
    let start = |s: &&Segment| {
        let own = s.start.iter().zip(&system.modes[s.mode].states);
        own.map(|(x, &state)| x - off[state]).collect()
    };
    pieces.iter().map(start).collect()
}
