//! An orbit diagram: points of motions on a section, over a parameter, upwards, downwards and from random starts.

use crate::compute::attractors::initial::{initial, located};
use crate::compute::attractors::units::region_in;
use crate::compute::diagram::kind::{MotionKind, Seen};
use crate::compute::diagram::motion::Motion;
use crate::compute::divided::in_parts;
use crate::compute::error::ComputeError;
use crate::compute::region::search_region;
use crate::compute::task::{Around, Task};
use crate::compute::units::{all_in_own, states_in};
use crate::plan::axis::tiles;
use crate::plan::orbit_diagram::OrbitDiagramPlan;
use crate::results::analysis::AnalysisResult;
use crate::results::run::RunResult;
use crate::spec::orbit_diagram::SweepSpec;
use slipstick_flow::measure::{Known, measured_motion};
use slipstick_flow::{Section, SectionPoint};
use slipstick_report::{Cell, Kind, ReportError, Table};
use slipstick_system::System;
use std::ops::Range;

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
        let measured = measured_motion(system, &self.known());
        let expressed = measured
            .as_ref()
            .map(|of| (of, self.in_units(of), region_in(&region, of)));
        let (of, diagram, region) = expressed.unwrap_or_else(|| (system, self.clone(), region));
        let of_part = |part: usize| -> Vec<Seen> {
            let tile = parts[part].clone();
            let mut found = if tile.start < sweeps {
                diagram.swept(of, self.sweeps[tile.start / values], &region)
            } else {
                tile.map(|k| diagram.randomly_begun(of, &region, k - sweeps)).collect()
            };
            found.iter_mut().for_each(|seen| seen_in_own(seen, of));
            found
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

    /// The motions that the sweeps begin with, from either end.
    fn known(&self) -> Vec<Known> {
        let mut all = self.over.values.iter().zip(&self.from);
        let known = |(value, from): (&f64, &(usize, Vec<f64>))| Known {
            parameters: self.parameters_at(*value),
            starts: vec![from.clone()],
            period: None,
        };
        [all.clone().next(), all.next_back()]
            .into_iter()
            .flatten()
            .map(known)
            .collect()
    }

    /// The same diagram for the system in its units.
    fn in_units(&self, system: &System) -> Self {
        let mut expressed = self.clone();
        for (mode, x) in &mut expressed.from {
            *x = states_in(x, *mode, system);
        }
        if let Some(Section::Crossing { state, value, .. }) = &mut expressed.section {
            *value /= system.units.state(*state);
        }
        expressed.longest /= system.units.time;
        expressed
    }

    /// The motions of a sweep, in the order of the values.
    fn swept(&self, system: &System, sweep: SweepSpec, region: &[(f64, f64)]) -> Vec<Seen> {
        let mut order: Vec<(f64, &(usize, Vec<f64>))> = self.over.values.iter().copied().zip(&self.from).collect();
        if sweep == SweepSpec::Down {
            order.reverse();
        }
        let mut end: Option<(usize, Vec<f64>)> = None;
        let mut found = vec![];
        for (value, from) in order {
            // A motion that was lost is taken up again where sweeps begin.
            let at = end.unwrap_or_else(|| from.clone());
            let p = self.parameters_at(value);
            let mut full = system.full_state(at.0, &at.1, &p);
            pushed(system, &mut full, region);
            let own = system.own_states(at.0, &full);
            let start = if system.is_inside(at.0, &own, &p) {
                (at.0, own)
            } else {
                located(system, &full, &p).unwrap_or(at)
            };
            let (seen, last) = self.look(system, start, &p, region);
            found.push(seen);
            end = last;
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
        let mut motion = Motion {
            diagram: self,
            system,
            section: self.section.clone(),
            p,
            region,
        };
        match motion.followed(&start) {
            Ok(run) => (motion.seen(&run), Some(run.end)),
            Err(why) => (Seen::lost(why.to_string()), None),
        }
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
                mode: self.from.first().map_or(system.start.mode(), |from| from.0),
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

/// What was seen in the units of a system, in those of the study.
fn seen_in_own(seen: &mut Seen, system: &System) {
    for point in &mut seen.points {
        point.t *= system.units.time;
        all_in_own(&mut point.states, system);
    }
    for exponent in &mut seen.exponents {
        exponent.value /= system.units.time;
        exponent.error /= system.units.time;
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
