//! What the iterates of a map settle to: cycles, each distinguished from the others and looked for on the curves, or
//! motions that do not repeat.

use crate::compute::attractors::at_rest::GROWS;
use crate::compute::attractors::census::{Census, Entry};
use crate::compute::attractors::explorer::Explorer;
use crate::compute::attractors::exponents::{ITERATES, Wandering, of_record, wandering};
use crate::compute::attractors::growth::grows_on;
use crate::compute::attractors::problem::measured;
use crate::compute::passing::passes_through;
use crate::plan::attractors::AttractorsPlan;
use crate::results::attractors::{Attractor, AttractorKind};
use crate::results::curve::CurveResult;
use slipstick_bifurcation::Record;
use slipstick_floquet::Multiplier;
use slipstick_flow::Iterates;
use slipstick_flow::exponents::{Exponent, ExponentOptions, SpectrumError, spectrum};
use slipstick_orbit::{FixedPoint, SAME_ORBIT, extremes};
use slipstick_system::System;

/// The longest cycle that is recognised.
const LONGEST: usize = 64;

/// Iterates before the first look whether the motion repeats; before each of the following ones there are as many as
/// before it altogether.
const FIRST_LOOK: usize = 125;

/// A cycle that repeats this well has settled; after the last look one that is still approached repeats so well only.
const REPEATS: f64 = 1e-10;
const APPROACHED: f64 = 1e-3;

/// A motion that is this near to a cycle that repels is exactly on it, up to rounding.
const EXACT: f64 = 1e-13;

/// A cycle on a corner attracts if motions that begin so far beside it, relative to the region that motions begin in,
/// are nearer to it by this factor after so many rounds.
const BESIDE: f64 = 1e-8;
const NEARER: f64 = 0.1;
const ROUNDS: usize = 1000;

/// |log₁₀| of a multiplier of modulus one, up to rounding.
const NEUTRAL: f64 = 1e-7;

/// Where rounds of a shorter cycle are this close to each other, that cycle is looked for; and a cycle that was found
/// is a shorter one if its rounds are closer to each other than those of the motion by this factor.
const SHORTER: f64 = 0.05;
const COLLAPSED: f64 = 0.1;

/// Iterates of which the exponent is taken, and those of them that are shown. Where only the kind of motion is asked
/// for, fewer say that it is chaotic if the exponent is this large.
const FOLLOWED: f64 = 20_000.0;
const GLANCED: f64 = 2000.0;
const PLAIN: f64 = 0.05;
const SHOWN: usize = 200;

/// An exponent this large shows itself within the iterates followed.
const POSITIVE: f64 = 2e-3;

/// A cycle that attracts, or one that repels and that a motion is exactly on.
struct Cycle {
    points: Vec<Vec<f64>>,
    record: Record,
}

/// What a motion settles to.
enum Outcome {
    Cycle(Cycle),
    Wanders {
        points: Vec<Vec<f64>>,
        exponents: Vec<Exponent>,
    },
}

/// The iterates of a map at one value of the parameter swept over.
pub(crate) struct Iterations<'a> {
    system: &'a System,
    /// The same in the units of the curves.
    own: &'a System,
    sweep: &'a AttractorsPlan,
    p: Vec<f64>,
    value: f64,
    curves: &'a [&'a CurveResult],
}

impl<'a> Iterations<'a> {
    pub(crate) fn new(
        (system, own): (&'a System, &'a System),
        sweep: &'a AttractorsPlan,
        value: f64,
        curves: &'a [&'a CurveResult],
    ) -> Self {
        let mut p = sweep.parameters.clone();
        p[sweep.sweep] = value;
        Self {
            system,
            own,
            sweep,
            p,
            value,
            curves,
        }
    }

    fn problem(&self, system: &'a System, points: &[Vec<f64>]) -> FixedPoint<'a> {
        let free = vec![self.sweep.sweep];
        FixedPoint::cycle(system, system.start.mode(), points.len(), self.p.clone(), free)
    }

    /// The cycle that a motion settled to, entered into the census.
    fn enter(&self, cycle: Cycle, census: &mut Census<Vec<Vec<f64>>>) -> Entry {
        let points = cycle.points;
        if let Some(entry) = census.meet_orbit(|other, _| self.same(other, &points)) {
            return entry;
        }
        let kind = AttractorKind::Orbit {
            word: match points.len() {
                1 => "fixed point".into(),
                length => format!("cycle of {length} points"),
            },
            period: points.len() as f64,
        };
        let common = &cycle.record.monitors[points[0].len()..];
        let says = match cycle.record.unstable {
            0 => "",
            _ => "it repels: only motions that come to it exactly stay there",
        };
        let mut attractor = census.attractor(kind, with_common(&points, common), says.to_owned());
        let in_own = |x: &Vec<f64>| -> Vec<f64> {
            let states = x.iter().zip(self.system.units_of_mode(self.system.start.mode()));
            states.map(|(x, unit)| x * unit).collect()
        };
        let own: Vec<Vec<f64>> = points.iter().map(in_own).collect();
        attractor.curve = curve_through(&mut self.problem(self.own, &own), &own, self.value, self.curves);
        attractor.exponents = of_record(self.system, &cycle.record, self.sweep.exponents);
        census.enter_orbit(points, attractor)
    }
}

impl Explorer for Iterations<'_> {
    type Key = Vec<Vec<f64>>;

    fn follow(&self, mode: usize, x: &[f64], census: &mut Census<Self::Key>) -> Entry {
        let Self {
            system, sweep, ref p, ..
        } = *self;
        let follower = Follower { system, sweep, mode, p };
        let (mut exponents, points) = match follower.outcome(x) {
            Ok(Outcome::Cycle(cycle)) => return self.enter(cycle, census),
            Ok(Outcome::Wanders { points, exponents }) => (exponents, points),
            Err(e) => {
                let lost = census.attractor(AttractorKind::Lost, vec![], e.to_string());
                return census.enter_other(lost);
            }
        };
        let last = points.last().map_or(x, |point| point);
        if follower.grows(x, &points) {
            let lost = census.attractor(AttractorKind::Lost, vec![], GROWS.to_owned());
            return census.enter_other(lost);
        }
        let (kind, says) = match wandering(system, (mode, last), p, ITERATES, &mut exponents, POSITIVE) {
            Wandering::Chaos(exponent) => (AttractorKind::Chaos { exponent }, String::new()),
            Wandering::Torus => {
                let says = "the largest Lyapunov exponent is zero, as on invariant curves".to_owned();
                (AttractorKind::Torus, says)
            }
            Wandering::Undecided => {
                let says = format!(
                    "neighbouring motions approach each other: a cycle of more than {LONGEST} points, or a long transient"
                );
                (AttractorKind::Undecided, says)
            }
        };
        let exponent = exponents.first().map_or(f64::NAN, |e| e.value);
        let message = match &*says {
            "" => says,
            _ => format!("{says} (largest Lyapunov exponent {exponent:.1e})"),
        };
        let rows = with_common(&points, &extremes(system, mode, &points));
        let mut attractor = census.attractor(kind, rows, message);
        attractor.exponents = exponents.into_iter().take(sweep.exponents).collect();
        census.enter_other(attractor)
    }

    fn key(&self, attractor: &Attractor) -> Option<Self::Key> {
        let n = self.system.states.len();
        let is_cycle = matches!(attractor.kind, AttractorKind::Orbit { .. });
        is_cycle.then(|| attractor.rows.iter().map(|row| row[..n].to_vec()).collect())
    }

    fn same(&self, a: &Self::Key, b: &Self::Key) -> bool {
        a.len() == b.len() && self.problem(self.system, a).match_points(a, b, SAME_ORBIT)
    }

    /// What the points of a motion have in common is not an interval: only their states tell motions apart.
    fn census(&self) -> Census<Self::Key> {
        Census::new(self.value, self.system.states.len())
    }
}

/// What is looked for of one motion: its map and its parameters.
struct Follower<'a> {
    system: &'a System,
    sweep: &'a AttractorsPlan,
    mode: usize,
    p: &'a [f64],
}

impl Follower<'_> {
    /// Iterate until the motion repeats itself, or follow it if it does not.
    fn outcome(&self, x: &[f64]) -> Result<Outcome, SpectrumError> {
        let Self { system, sweep, mode, p } = *self;
        let mut orbit = Iterates::new(system, mode, x, p)?;
        let mut points = vec![];
        let mut advanced = 0;
        while advanced < sweep.events {
            let ahead = advanced.max(FIRST_LOOK).min(sweep.events - advanced);
            orbit.advance_by(ahead)?;
            advanced += ahead;
            points = orbit.take(LONGEST + 1)?;
            self.end_decay(&mut points);
            let tolerance = if advanced < sweep.events { REPEATS } else { APPROACHED };
            let repeats = |length: usize| orbit.apart(&points[0], &points[length]) <= tolerance;
            let cycle = (1..=LONGEST).filter(|&length| repeats(length)).find_map(|length| {
                let found = self.shortest(&points[..=length], tolerance, &orbit);
                found.or_else(|| self.on_corner(&points, length))
            });
            if let Some(cycle) = cycle {
                return Ok(Outcome::Cycle(cycle));
            }
        }
        // What repels is left by every motion that is not exactly on it.
        let on_cycle = (1..=LONGEST)
            .filter(|&length| orbit.apart(&points[0], &points[length]) <= EXACT)
            .find_map(|length| self.found(&points[..length], EXACT));
        if let Some(cycle) = on_cycle {
            return Ok(Outcome::Cycle(cycle));
        }
        points.extend(orbit.take(SHOWN - points.len())?);
        let exponents = |time: f64| {
            let options = ExponentOptions {
                transient: 0.0,
                time,
                count: Some(sweep.exponents.max(1)),
                ..ExponentOptions::default()
            };
            spectrum(system, mode, orbit.point(), p, &options).map(|found| found.exponents)
        };
        if sweep.wants_kinds_only() {
            let exponents = exponents(GLANCED)?;
            let plain = |e: &Exponent| e.value > PLAIN && e.value > 10.0 * e.error;
            if exponents.first().is_some_and(plain) {
                return Ok(Outcome::Wanders { points, exponents });
            }
        }
        let exponents = exponents(FOLLOWED)?;
        Ok(Outcome::Wanders { points, exponents })
    }

    /// States that decay to zero come ever nearer to it, down to the smallest numbers, and whatever repeats among such
    /// remains is none of the motion: they are zero, if the map keeps them there. Sweeps measure each state by the
    /// region that motions begin in.
    fn end_decay(&self, points: &mut Vec<Vec<f64>>) {
        let Self { system, mode, p, .. } = *self;
        let straight = |c: &usize| system.states[system.modes[mode].states[*c]].period.is_none();
        let decayed = |c: &usize| points.iter().all(|x| x[*c].abs() <= EXACT);
        let small: Vec<usize> = (0..points[0].len()).filter(straight).filter(decayed).collect();
        let mut ended = points.clone();
        for x in &mut ended {
            small.iter().for_each(|&c| x[c] = 0.0);
        }
        let mut next = ended[0].clone();
        let stays = ended.iter().all(|x| {
            system.modes[mode].field.value(x, p, &mut next);
            small.iter().all(|&c| next[c] == 0.0)
        });
        if stays {
            *points = ended;
        }
    }

    /// The attracting cycle of `length` points on a corner of the map that the points repeat to all digits: there it
    /// has no multipliers, and is known to attract by what comes back to it.
    fn on_corner(&self, points: &[Vec<f64>], length: usize) -> Option<Cycle> {
        let Self { system, mode, .. } = *self;
        let states = &system.modes[mode].states;
        let same = |a: &[f64], b: &[f64]| {
            a.iter().zip(b).zip(states).all(|((a, b), &s)| {
                let (mut off, mut size) = (a - b, a.abs().max(b.abs()));
                if let Some(period) = system.states[s].period {
                    off -= (off / period).round() * period;
                    size = 1.0;
                }
                off.abs() <= EXACT * size
            })
        };
        let attracts = || {
            (0..points[0].len()).all(|c| {
                [-BESIDE, BESIDE]
                    .iter()
                    .all(|off| self.comes_back(&points[0], c, *off, length))
            })
        };
        if !((length..points.len()).all(|k| same(&points[k - length], &points[k])) && attracts()) {
            return None;
        }
        let mut cycle = Cycle {
            points: points[..length].to_vec(),
            record: self.record(&points[..length])?,
        };
        cycle.record.unstable = 0;
        Some(cycle)
    }

    /// Does a motion that begins beside a point of a cycle come nearer to it?
    fn comes_back(&self, point: &[f64], c: usize, off: f64, length: usize) -> bool {
        let mut x = point.to_vec();
        x[c] += off * (1.0 + x[c].abs());
        let Ok(mut orbit) = Iterates::new(self.system, self.mode, &x, self.p) else {
            return false;
        };
        orbit.advance_by(ROUNDS * length).is_ok() && orbit.apart(point, orbit.point()) <= NEARER * off.abs()
    }

    fn record(&self, points: &[Vec<f64>]) -> Option<Record> {
        let mut problem = self.problem(points.len());
        let z = problem.guess_points(points);
        measured(&mut problem, z)
    }

    fn problem(&self, length: usize) -> FixedPoint<'_> {
        let free = vec![self.sweep.sweep];
        FixedPoint::cycle(self.system, self.mode, length, self.p.to_vec(), free)
    }

    /// Does a motion that began at `x` and has come to these points grow without bound?
    fn grows(&self, x: &[f64], points: &[Vec<f64>]) -> bool {
        let Self { system, mode, p, .. } = *self;
        let round = ITERATES as usize;
        let straight = |i: &usize| system.states[system.modes[mode].states[*i]].period.is_none();
        let extents = |points: &[Vec<f64>]| -> Vec<f64> {
            let of = |i: usize| points.iter().fold(0.0f64, |most, point| most.max(point[i].abs()));
            (0..x.len()).filter(straight).map(of).collect()
        };
        let rounds: Vec<Vec<f64>> = points.chunks_exact(round).map(extents).collect();
        let begin = x.iter().fold(0.0f64, |most, v| most.max(v.abs()));
        let Some(Ok(mut orbit)) = points.last().map(|last| Iterates::new(system, mode, last, p)) else {
            return false;
        };
        let mut onward = |rounds: usize| {
            orbit.advance_by((rounds - 1) * round).ok()?;
            orbit.take(round).ok().map(|points| extents(&points))
        };
        grows_on(&rounds, begin, &mut onward)
    }

    /// The attracting cycle that points come back to after `points.len() - 1` iterates, the shortest: a shorter one may
    /// be approached so slowly that only several of its rounds together agree.
    fn shortest(&self, points: &[Vec<f64>], tolerance: f64, orbit: &Iterates<'_>) -> Option<Cycle> {
        let length = points.len() - 1;
        let apart = |d: usize| orbit.apart(&points[0], &points[d]);
        let divisors: Vec<usize> = (1..length).filter(|d| length.is_multiple_of(*d)).collect();
        let whole = self.corrected(&points[..length], tolerance);
        let spread = |cycle: &Cycle, d: usize| {
            let rounds = (0..length).map(|k| orbit.apart(&cycle.points[k], &cycle.points[(k + d) % length]));
            rounds.fold(0.0, f64::max)
        };
        let collapsed = |cycle: &Cycle| {
            divisors
                .iter()
                .any(|&d| spread(cycle, d) <= REPEATS + COLLAPSED * apart(d))
        };
        if let Some(cycle) = whole {
            if !collapsed(&cycle) {
                return Some(cycle);
            }
            let shorter = divisors
                .iter()
                .find_map(|&d| self.corrected(&points[..d], apart(d) + tolerance));
            return shorter.or(Some(cycle));
        }
        let mut near = divisors.iter().filter(|d| apart(**d) <= SHORTER);
        near.find_map(|&d| self.corrected(&points[..d], apart(d) + tolerance))
    }

    /// The attracting cycle at these points, its least one first, if Newton's method finds one as near as `tolerance`
    /// makes expect.
    fn corrected(&self, points: &[Vec<f64>], tolerance: f64) -> Option<Cycle> {
        let cycle = self.found(points, tolerance)?;
        // Round a centre motions go on and on: they come to it as little as those of an island of an area-preserving
        // map.
        let multipliers = cycle.record.of_return_map();
        let is_neutral = |m: &Multiplier| m.log10.abs() <= NEUTRAL;
        let turns = |m: &Multiplier| m.arg != 0.0 && m.arg.abs() != std::f64::consts::PI;
        let centre = multipliers.iter().any(|m| is_neutral(m) && turns(m))
            || (multipliers.len() > 1 && multipliers.iter().all(is_neutral));
        (cycle.record.unstable == 0 && !(centre && tolerance > REPEATS)).then_some(cycle)
    }

    /// The cycle at these points, its least one first, if Newton's method finds one as near as `tolerance` makes
    /// expect.
    fn found(&self, points: &[Vec<f64>], tolerance: f64) -> Option<Cycle> {
        let least = (0..points.len()).min_by(|&a, &b| {
            let order = points[a]
                .iter()
                .zip(&points[b])
                .map(|(x, y)| x.total_cmp(y))
                .find(|o| o.is_ne());
            order.unwrap_or(std::cmp::Ordering::Equal)
        })?;
        let mut ordered = points.to_vec();
        ordered.rotate_left(least);
        let mut problem = self.problem(points.len());
        let guess = problem.guess_points(&ordered);
        let z = problem.corrected(guess).ok()?;
        let found = problem.points(&z);
        if !problem.match_points(&found, &ordered, (100.0 * tolerance).min(0.03)) {
            return None;
        }
        let record = measured(&mut problem, z)?;
        Some(Cycle { points: found, record })
    }
}

/// One row for each point: its states, then what all points have in common.
fn with_common(points: &[Vec<f64>], common: &[f64]) -> Vec<Vec<f64>> {
    points.iter().map(|x| [x.as_slice(), common].concat()).collect()
}

/// The curve that passes through a cycle at this value of the parameter.
pub(crate) fn curve_through(
    problem: &mut FixedPoint<'_>,
    points: &[Vec<f64>],
    value: f64,
    curves: &[&CurveResult],
) -> Option<String> {
    for curve in curves {
        for piece in &curve.pieces {
            if passes_through(problem, &piece.branch, points, value) {
                return Some(curve.name.clone());
            }
        }
    }
    None
}
