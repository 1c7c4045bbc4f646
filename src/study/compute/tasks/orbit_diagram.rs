//! An orbit diagram: points of motions on a section, over a parameter, upwards, downwards and from random starts.

use crate::compute::attractors::exponents::{ITERATES, Wandering, wandering};
use crate::compute::attractors::initial::{initial, placed};
use crate::compute::attractors::motion::{ROUND, exponents, extents, extremes, turning_time};
use crate::compute::attractors::trend::trend;
use crate::compute::divided::in_parts;
use crate::compute::error::ComputeError;
use crate::compute::region::search_region;
use crate::compute::task::{Around, Task};
use crate::plan::axis::tiles;
use crate::plan::orbit_diagram::OrbitDiagramPlan;
use crate::results::analysis::AnalysisResult;
use crate::results::run::RunResult;
use crate::spec::orbit_diagram::SweepSpec;
use serde::{Deserialize, Serialize};
use slipstick_flow::exponents::{Exponent, ExponentOptions, spectrum};
use slipstick_flow::{FlowError, Iterates, SectionOptions, SectionPoint, SectionRun, section_points};
use slipstick_report::{Cell, Kind, ReportError, Table};
use slipstick_system::System;
use std::ops::Range;

/// Points that agree to this, relative to how far states move, are one point.
const SAME: f64 = 1e-6;

/// A largest exponent beyond this, and beyond three times its error, is not zero.
const POSITIVE: f64 = 5e-3;

/// What a motion is.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum MotionKind {
    Orbit,
    Rest,
    Torus,
    Chaos,
    Unsettled,
    Lost,
}

impl MotionKind {
    const ALL: [Self; 6] = [
        Self::Orbit,
        Self::Rest,
        Self::Torus,
        Self::Chaos,
        Self::Unsettled,
        Self::Lost,
    ];

    /// The word for it in tables.
    fn name(self) -> &'static str {
        match self {
            Self::Orbit => "orbit",
            Self::Rest => "rest",
            Self::Torus => "torus",
            Self::Chaos => "chaos",
            Self::Unsettled => "unsettled",
            Self::Lost => "lost",
        }
    }
}

/// What a motion at one value of the parameter shows.
#[derive(Serialize, Deserialize)]
struct Seen {
    points: Vec<SectionPoint>,
    kind: MotionKind,
    /// After how many points the motion repeats itself.
    period: Option<usize>,
    exponents: Vec<Exponent>,
    message: String,
}

impl Task for OrbitDiagramPlan {
    fn name(&self) -> &str {
        &self.sweep.name
    }

    /// The motions that are computed together: those of a sweep, which follow each other, and tiles of the random
    /// starts.
    fn parts(&self) -> Vec<Range<usize>> {
        let values = self.over.values.len();
        let sweeps = self.sweeps.len() * values;
        let swept = (0..self.sweeps.len()).map(|s| s * values..(s + 1) * values);
        let random = tiles(self.sweep.starts * values).into_iter();
        swept.chain(random.map(|t| t.start + sweeps..t.end + sweeps)).collect()
    }

    fn run(&self, around: &Around<'_>) -> Result<RunResult, ComputeError> {
        let system = &around.plan.systems[self.sweep.system].system;
        let values = self.over.values.len();
        let sweeps = self.sweeps.len() * values;
        let parts = self.parts();
        let region = search_region(system, &self.sweep.parameters, &self.sweep.region, self.sweep.flow);
        let of_part = |part: usize| -> Vec<Seen> {
            let tile = parts[part].clone();
            if tile.start < sweeps {
                self.swept(system, self.sweeps[tile.start / values], &region)
            } else {
                tile.map(|k| self.randomly_begun(system, &region, k - sweeps)).collect()
            }
        };
        let gathered = in_parts(around, &self.sweep.name, &parts, of_part)?;
        let found: Vec<Vec<Seen>> = gathered.all()?.collect::<Result<_, _>>()?;
        let found: Vec<Seen> = found.into_iter().flatten().collect();
        Ok(RunResult {
            analyses: vec![AnalysisResult {
                name: self.sweep.name.clone(),
                notes: vec![self.in_words(&found)],
                tables: vec![(self.sweep.name.clone(), self.table(system, &found)?)],
                ..AnalysisResult::default()
            }],
            ..RunResult::default()
        })
    }
}

impl OrbitDiagramPlan {
    fn parameters_at(&self, value: f64) -> Vec<f64> {
        let mut p = self.sweep.parameters.clone();
        p[self.over.index] = value;
        p
    }

    /// The motions of a sweep, in the order of the values.
    fn swept(&self, system: &System, sweep: SweepSpec, region: &[(f64, f64)]) -> Vec<Seen> {
        let mut order: Vec<f64> = self.over.values.clone();
        if sweep == SweepSpec::Down {
            order.reverse();
        }
        let mut at = self.from.clone();
        let mut found = vec![];
        for value in order {
            let p = self.parameters_at(value);
            let mut full = system.full_state(at.0, &at.1, &p);
            pushed(system, &mut full, region);
            let start = placed(system, &full, &p, at.0).unwrap_or(at);
            let (seen, end) = self.look(system, start, &p, region);
            found.push(seen);
            // A motion that was lost is taken up again where sweeps begin.
            at = end.unwrap_or_else(|| self.from.clone());
        }
        if sweep == SweepSpec::Down {
            found.reverse();
        }
        found
    }

    /// The motion from a random start: number `k` of all, value by value.
    fn randomly_begun(&self, system: &System, region: &[(f64, f64)], k: usize) -> Seen {
        let (value, start) = (k / self.sweep.starts, k % self.sweep.starts);
        let p = self.parameters_at(self.over.values[value]);
        match initial(system, &self.sweep, region, &p, (value, start)) {
            Some(start) => self.look(system, start, &p, region).0,
            None => Seen::lost("no mode was found for a random state; give `within`".into()),
        }
    }

    /// The points of one motion and what they show, with its end.
    fn look(
        &self,
        system: &System,
        start: (usize, Vec<f64>),
        p: &[f64],
        region: &[(f64, f64)],
    ) -> (Seen, Option<(usize, Vec<f64>)>) {
        let looked = match &self.section {
            None => self.iterates(system, &start, p),
            Some(section) => {
                let options = SectionOptions {
                    skip: self.points.0,
                    count: self.points.1,
                    longest: self.longest,
                    policy: self.sweep.policy,
                    flow: self.sweep.flow,
                };
                section_points(system, section, (start.0, &start.1), p, &options)
            }
        };
        let SectionRun {
            points,
            rests,
            events,
            end,
        } = match looked {
            Ok(run) => run,
            Err(why) => return (Seen::lost(why.to_string()), None),
        };
        let scales = scales(system, region, &points);
        let rests = rests || (events == 0 && stands(system, &points, &end, p, &scales));
        let period = if rests { None } else { period(system, &points, &scales) };
        let (round, positive) = rounds(system, (end.0, &end.1), p, &points);
        let mut exponents = self.exponents(system, (end.0, &end.1), p, round, rests || period.is_some());
        let mut message = String::new();
        let mut kind = match (rests, period) {
            (true, _) => MotionKind::Rest,
            (false, Some(_)) => MotionKind::Orbit,
            (false, None) => match wandering(system, (end.0, &end.1), p, round, &mut exponents, positive) {
                Wandering::Chaos(_) => MotionKind::Chaos,
                Wandering::Torus => MotionKind::Torus,
                Wandering::Undecided => MotionKind::Unsettled,
            },
        };
        if matches!(kind, MotionKind::Chaos | MotionKind::Torus)
            && let Some(says) = self.trend(system, &points, &end, (p, round), kind == MotionKind::Chaos)
        {
            (kind, message) = (MotionKind::Unsettled, says);
        }
        let seen = Seen {
            points,
            kind,
            period,
            exponents: exponents.into_iter().take(self.sweep.exponents).collect(),
            message,
        };
        (seen, Some(end))
    }

    /// Whether a motion that does not repeat, with neighbours that separate or do not, still grows or declines all
    /// along, in words: from its points, or where these are few from rounds that follow.
    fn trend(
        &self,
        system: &System,
        points: &[SectionPoint],
        (mode, x): &(usize, Vec<f64>),
        (p, round): (&[f64], f64),
        separates: bool,
    ) -> Option<String> {
        /// With at least so many points they tell.
        const MANY: usize = 60;
        let straight: Vec<usize> = (0..system.states.len())
            .filter(|&i| system.states[i].period.is_none())
            .collect();
        if points.len() >= MANY || system.is_map() {
            let of = |point: &SectionPoint| straight.iter().map(|&i| point.states[i].abs()).collect();
            return trend(&points.iter().map(of).collect::<Vec<_>>(), separates);
        }
        let rounds = extremes(system, (*mode, x), p, (round, self.sweep.flow)).ok()?;
        trend(&extents(system, &rounds), separates)
    }

    /// The largest exponents: as many as are asked for, and those that distinguish tori from chaos where a motion does
    /// not repeat.
    fn exponents(
        &self,
        system: &System,
        (mode, x): (usize, &[f64]),
        p: &[f64],
        round: f64,
        repeats: bool,
    ) -> Vec<Exponent> {
        let wanted = self.sweep.exponents;
        let count = if repeats {
            wanted
        } else {
            wanted.max(2).min(system.dimension())
        };
        if count == 0 {
            return vec![];
        }
        if !system.is_map() {
            return exponents(system, (mode, x), p, round, count).unwrap_or_default();
        }
        let options = ExponentOptions {
            transient: 0.0,
            time: (20 * self.points.1).max(4000) as f64,
            count: Some(count),
            ..ExponentOptions::default()
        };
        spectrum(system, mode, x, p, &options).map_or_else(|_| vec![], |found| found.exponents)
    }

    /// The iterates of a map.
    fn iterates(&self, system: &System, (mode, x): &(usize, Vec<f64>), p: &[f64]) -> Result<SectionRun, FlowError> {
        let mut orbit = Iterates::new(system, *mode, x, p)?;
        orbit.advance_by(self.points.0)?;
        let first = orbit.count();
        let point = |(k, states): (usize, Vec<f64>)| SectionPoint {
            t: (first + k) as f64,
            mode: *mode,
            states: system.full_state(*mode, &states, p),
        };
        Ok(SectionRun {
            points: orbit.take(self.points.1)?.into_iter().enumerate().map(point).collect(),
            rests: false,
            events: 0,
            end: (*mode, orbit.point().to_vec()),
        })
    }

    /// Which motion each of them is: the sweeps value by value, then the random starts.
    fn motions(&self) -> impl Iterator<Item = (f64, String)> {
        let values = self.over.values.iter();
        let swept = self.sweeps.iter().flat_map(move |sweep| {
            let name = match sweep {
                SweepSpec::Up => "up",
                SweepSpec::Down => "down",
            };
            values.clone().map(move |&v| (v, name.to_owned()))
        });
        let starts = self.sweep.starts;
        let random = self.over.values.iter();
        swept.chain(random.flat_map(move |&v| (1..=starts).map(move |k| (v, format!("start {k}")))))
    }

    /// One row for each point.
    fn table(&self, system: &System, found: &[Seen]) -> Result<Table, ReportError> {
        let number = |name: &str| (name.to_owned(), Kind::Number);
        let text = |name: &str| (name.to_owned(), Kind::Text);
        let mut columns = vec![number(&self.over.name), text("sweep"), number("index")];
        columns.extend(system.states.iter().map(|s| number(&s.name)));
        if system.is_hybrid() {
            columns.push(text("mode"));
        }
        columns.extend([text("kind"), number("period")]);
        columns.extend((1..=self.sweep.exponents).map(|k| number(&format!("exponent{k}"))));
        columns.push(text("message"));
        let mut table = Table::new(columns);
        for (seen, (value, sweep)) in found.iter().zip(self.motions()) {
            let nowhere = SectionPoint {
                t: f64::NAN,
                mode: self.from.0,
                states: vec![f64::NAN; system.states.len()],
            };
            let lost = [nowhere];
            let points = if seen.points.is_empty() {
                &lost[..]
            } else {
                &seen.points
            };
            for (k, point) in points.iter().enumerate() {
                let mut row = vec![
                    Cell::Number(value),
                    Cell::Text(sweep.clone()),
                    Cell::Number((k + 1) as f64),
                ];
                row.extend(point.states.iter().map(|&v| Cell::Number(v)));
                if system.is_hybrid() {
                    row.push(Cell::Text(system.modes[point.mode].name.clone()));
                }
                let period = seen.period.map_or(f64::NAN, |k| k as f64);
                row.extend([Cell::Text(seen.kind.name().to_owned()), Cell::Number(period)]);
                let exponent = |k: usize| seen.exponents.get(k).map_or(f64::NAN, |e| e.value);
                row.extend((0..self.sweep.exponents).map(|k| Cell::Number(exponent(k))));
                row.push(Cell::Text(seen.message.clone()));
                table.push_row(row)?;
            }
        }
        Ok(table)
    }

    fn in_words(&self, found: &[Seen]) -> String {
        let count = |kind: MotionKind| found.iter().filter(|s| s.kind == kind).count();
        let counts = MotionKind::ALL.map(|kind| (count(kind), kind.name()));
        let present = counts.iter().filter(|(n, _)| *n > 0);
        let named: Vec<String> = present.map(|(n, kind)| format!("{n} {kind}")).collect();
        format!("{} motions over {}: {}", found.len(), self.over.name, named.join(", "))
    }
}

/// The unit of time of a motion, and the exponent that shows itself within so many of them: the period of the forcing,
/// or two returns to the section, whatever the unit of time.
fn rounds(system: &System, (mode, x): (usize, &[f64]), p: &[f64], points: &[SectionPoint]) -> (f64, f64) {
    if system.is_map() {
        return (ITERATES, POSITIVE);
    }
    if let Some(period) = turning_time(system, mode, x, p) {
        return (period, POSITIVE);
    }
    let [first, .., last] = points else {
        return (ROUND, POSITIVE);
    };
    let round = 2.0 * (last.t - first.t) / (points.len() - 1) as f64;
    (round, POSITIVE * ROUND / round)
}

impl Seen {
    fn lost(message: String) -> Self {
        Self {
            points: vec![],
            kind: MotionKind::Lost,
            period: None,
            exponents: vec![],
            message,
        }
    }
}

/// Push a motion that goes on at another value of the parameter a little: one that stays where it is only because
/// nothing disturbs it would not be seen.
fn pushed(system: &System, full: &mut [f64], region: &[(f64, f64)]) {
    const LITTLE: f64 = 1e-8;
    for ((x, state), (lo, hi)) in full.iter_mut().zip(&system.states).zip(region) {
        if state.period.is_none() {
            // Towards the middle of where motions are.
            let way = if *x > 0.5 * (lo + hi) { -1.0 } else { 1.0 };
            *x += way * LITTLE * (hi - lo);
        }
    }
}

/// What counts as the same in each state: relative to how far it moves, to where it is, and to where motions are.
fn scales(system: &System, region: &[(f64, f64)], points: &[SectionPoint]) -> Vec<f64> {
    /// Parts of where a state is, and of where motions are, that count beside how far it moves.
    const PLACE: f64 = 1e-3;
    let of = |i: usize| {
        let own = points.iter().map(|p| p.states[i]).filter(|v| v.is_finite());
        let (lo, hi) = own.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(v), hi.max(v)));
        let (spread, place) = if lo <= hi {
            (hi - lo, lo.abs().max(hi.abs()))
        } else {
            (0.0, 0.0)
        };
        match system.states[i].period {
            Some(period) => period,
            None => spread.max(PLACE * place).max(PLACE * (region[i].1 - region[i].0)),
        }
    };
    (0..system.states.len()).map(of).collect()
}

/// Does a motion without events stand still between its points?
fn stands(system: &System, points: &[SectionPoint], end: &(usize, Vec<f64>), p: &[f64], scales: &[f64]) -> bool {
    let ([.., before, last], false) = (points, system.is_map()) else {
        return false;
    };
    let mode = &system.modes[end.0];
    let mut rates = vec![0.0; end.1.len()];
    mode.field.value(&end.1, p, &mut rates);
    let time = last.t - before.t;
    let still = |(rate, &s): (&f64, &usize)| system.states[s].period.is_some() || rate.abs() * time <= SAME * scales[s];
    rates.iter().zip(&mode.states).all(still)
}

/// After how many points a motion repeats itself, if it does so at least once within them. One that is still on its way
/// there, by ever smaller steps, counts: the remains of its transient turn about a fixed point as an orbit would.
fn period(system: &System, points: &[SectionPoint], scales: &[f64]) -> Option<usize> {
    let apart = |a: &SectionPoint, b: &SectionPoint| {
        let states = a.states.iter().zip(&b.states).zip(&system.states).zip(scales);
        let off = states.map(|(((a, b), state), scale)| {
            let mut d = a - b;
            if let Some(period) = state.period {
                d -= (d / period).round() * period;
            }
            // A state that a mode does not have is no number there.
            if d.is_nan() { 0.0 } else { d.abs() / scale }
        });
        off.fold(if a.mode == b.mode { 0.0 } else { f64::INFINITY }, f64::max)
    };
    /// What is left of a transient is smaller than this at last, over one round and over parts of it, and falls so far
    /// from one quarter of the points to the next.
    const REMAINS: f64 = 1e2 * SAME;
    const OF_PARTS: f64 = 1e2 * REMAINS;
    const FALL: f64 = 0.95;
    /// Fewer points show no decay.
    const FEW: usize = 8;
    let off = |k: usize| -> Vec<f64> { points.iter().zip(&points[k..]).map(|(a, b)| apart(a, b)).collect() };
    let largest = |of: &[f64]| of.iter().copied().fold(0.0, f64::max);
    let falls_below = |off: &[f64], bound: f64| {
        let quarter = off.len() / 4;
        let (before, last) = (off.len() - 2 * quarter, off.len() - quarter);
        off.len() >= FEW && largest(&off[last..]) <= bound.min(FALL * largest(&off[before..last]))
    };
    let repeats = |k: &usize| {
        let off = off(*k);
        largest(&off) <= SAME || falls_below(&off, REMAINS)
    };
    let round = (1..=points.len() / 2).find(repeats)?;
    // Remains that turn come nearer to themselves by chance after some points.
    Some((1..round).find(|&k| falls_below(&off(k), OF_PARTS)).unwrap_or(round))
}
