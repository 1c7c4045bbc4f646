//! Carry out a validated study: find starts, trace curves, keep everything that was computed.

use super::plan::{CurvePlan, Plan, SimulationPlan, StartPlan};
use crate::bifurcation::{Branch, BranchPoint, End, Inspect, Label, trace};
use crate::continuation::{Newton, NewtonOptions, Problem};
use crate::flow::{
    Ending, FlowError, FlowOptions, Sample, SettleOptions, Settled, SimulationOptions, Trajectory, settle, simulate,
};
use crate::orbit::{OrbitSample, PeriodicOrbit, SearchOptions, find_all};
use crate::system::System;
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Who wants to know how a run is going, and may stop it.
pub trait Observer: Sync {
    /// A curve begins.
    fn curve_begins(&self, name: &str) {
        let _ = name;
    }
    /// A point was computed.
    fn point(&self, name: &str, point: &BranchPoint) {
        let _ = (name, point);
    }
    /// A curve has ended.
    fn curve_ends(&self, result: &CurveResult) {
        let _ = result;
    }
}

/// An observer who does not look.
pub struct Silent;
impl Observer for Silent {}

/// One traced curve.
pub struct CurveResult {
    /// Its name in tables.
    pub name: String,
    /// Index of its system in the plan.
    pub system: usize,
    /// Names of all parameters.
    pub parameters: Vec<String>,
    /// The name of the free parameter.
    pub free: String,
    /// Names of the monitors.
    pub monitors: Vec<String>,
    /// The word of its orbits.
    pub word: String,
    /// The points.
    pub branch: Branch,
    /// Sampled orbits at the labelled points, by index.
    pub orbits: Vec<(usize, OrbitSample)>,
    /// Computing time.
    pub seconds: f64,
}

impl CurveResult {
    /// The range of the free parameter that the curve covers.
    pub fn covered(&self) -> (f64, f64) {
        self.branch
            .points
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), p| {
                let v = p.point.parameter();
                (lo.min(v), hi.max(v))
            })
    }
    /// The special points in words: `LP, SB, 5 UZ`.
    pub fn special(&self) -> String {
        let mut counts: Vec<(Label, usize)> = vec![];
        for (_, p) in self.branch.special() {
            let Some(label) = p.label else { continue };
            match counts.iter_mut().find(|c| c.0 == label) {
                Some(c) => c.1 += 1,
                None => counts.push((label, 1)),
            }
        }
        let words: Vec<String> = counts
            .iter()
            .map(|(l, n)| {
                if *n == 1 {
                    l.code().to_string()
                } else {
                    format!("{n} {l}")
                }
            })
            .collect();
        if words.is_empty() {
            "none".into()
        } else {
            words.join(", ")
        }
    }
    /// Why it ended, at both ends.
    pub fn ended(&self) -> String {
        let words: Vec<String> = self.branch.ends.iter().map(End::describe).collect();
        words.join(" | ")
    }
}

/// One simulated trajectory (or one of its futures, where the solution forks).
pub struct TrajectoryResult {
    /// Its name in tables.
    pub name: String,
    /// Index of its system in the plan.
    pub system: usize,
    /// All parameters.
    pub parameters: Vec<f64>,
    /// Rows of its table.
    pub rows: Vec<Sample>,
    /// Where the future was not unique: time and what was legal, in words.
    pub nonunique: Vec<(f64, String)>,
    /// Modes and events in order.
    pub word: String,
    /// Why it ended, in words.
    pub ended: String,
}

/// A curve or trajectory of the study that gave nothing, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// The curve's name.
    pub curve: String,
    /// The reason, in words.
    pub reason: String,
}

/// All results of a run.
#[derive(Default)]
pub struct RunResult {
    /// The traced curves, in the order of the study.
    pub curves: Vec<CurveResult>,
    /// The simulated trajectories, in the order of the study.
    pub trajectories: Vec<TrajectoryResult>,
    /// What gave nothing.
    pub missing: Vec<Missing>,
    /// Was the run stopped before its end?
    pub stopped: bool,
}

/// How many rows an orbit is sampled to.
const ORBIT_ROWS: usize = 400;

/// Run all curves of a plan, in parallel over the threads of the current rayon pool. `stop` ends the run early, keeping what is there.
pub fn run(plan: &Plan, observer: &dyn Observer, stop: &AtomicBool) -> RunResult {
    let outcomes: Vec<Result<Vec<CurveResult>, Missing>> = plan
        .curves
        .par_iter()
        .map(|curve| {
            observer.curve_begins(&curve.name);
            run_curve(plan, curve, observer, stop).map_err(|reason| Missing {
                curve: curve.name.clone(),
                reason,
            })
        })
        .collect();
    let mut result = RunResult {
        stopped: stop.load(Ordering::Relaxed),
        ..RunResult::default()
    };
    for outcome in outcomes {
        match outcome {
            Ok(curves) => result.curves.extend(curves),
            Err(missing) => result.missing.push(missing),
        }
    }
    let simulated: Vec<_> = plan.simulations.par_iter().map(|s| run_simulation(plan, s)).collect();
    for (outcome, simulation) in simulated.into_iter().zip(&plan.simulations) {
        match outcome {
            Ok(trajectories) => result.trajectories.extend(trajectories),
            Err(e) => result.missing.push(Missing {
                curve: simulation.name.clone(),
                reason: e.to_string(),
            }),
        }
    }
    result
}

fn run_simulation(plan: &Plan, simulation: &SimulationPlan) -> Result<Vec<TrajectoryResult>, FlowError> {
    let system = &plan.systems[simulation.system].system;
    let p = &simulation.parameters;
    let trajectory = simulate(system, simulation.mode, &simulation.from, p, &simulation.options)?;
    let mut results = vec![];
    collect_futures(plan, simulation, &trajectory, simulation.name.clone(), &mut results)?;
    Ok(results)
}

/// The trajectory as a result, followed by its futures where it forks.
fn collect_futures(
    plan: &Plan,
    simulation: &SimulationPlan,
    trajectory: &Trajectory,
    name: String,
    results: &mut Vec<TrajectoryResult>,
) -> Result<(), FlowError> {
    let system = &plan.systems[simulation.system].system;
    let p = &simulation.parameters;
    results.push(TrajectoryResult {
        name: name.clone(),
        system: simulation.system,
        parameters: p.clone(),
        rows: trajectory.table(system, p, simulation.every, simulation.options.flow)?,
        nonunique: trajectory.nonunique.iter().map(|n| (n.t, n.choice.clone())).collect(),
        word: trajectory.describe(system),
        ended: match &trajectory.ending {
            Ending::Time => "reached the end time".into(),
            Ending::Events => "reached the allowed number of events".into(),
            Ending::Rest { mode } => format!("comes to rest in mode `{}`", system.modes[*mode].name),
            Ending::Accumulation { message, .. } => message.clone(),
            Ending::Fork => "forks: both futures are legal and both are followed".into(),
        },
    });
    for (future, kind) in trajectory.futures.iter().zip(["stick", "slip"]) {
        collect_futures(plan, simulation, future, format!("{name}-{kind}"), results)?;
    }
    Ok(())
}

fn run_curve(
    plan: &Plan,
    curve: &CurvePlan,
    observer: &dyn Observer,
    stop: &AtomicBool,
) -> Result<Vec<CurveResult>, String> {
    let system = &plan.systems[curve.system].system;
    let mut problem = PeriodicOrbit::discretised(
        system,
        curve.word.clone(),
        curve.parameters.clone(),
        vec![curve.free],
        curve.flow,
        &curve.discretisations,
    );
    let mut tracer = Tracer {
        curve,
        observer,
        stop,
        results: vec![],
        failure: None,
    };
    match &curve.start {
        StartPlan::Search {
            values,
            otherwise,
            seeds,
            region,
            longest,
        } => {
            let options = SearchOptions {
                seeds: *seeds,
                longest: *longest,
                region: search_region(system, &curve.parameters, region, curve.flow),
            };
            let own = [curve.parameters[curve.free]];
            let first: &[f64] = if values.is_empty() { &own } else { values };
            for &value in first.iter().chain(otherwise) {
                if stop.load(Ordering::Relaxed) || (!tracer.results.is_empty() && otherwise.contains(&value)) {
                    break;
                }
                problem.set_parameter(curve.free, value);
                match find_all(&mut problem, &options) {
                    Ok(found) => found.into_iter().for_each(|z| tracer.follow(&mut problem, z)),
                    Err(e) => {
                        tracer.failure.get_or_insert(e.to_string());
                    }
                }
            }
            if tracer.results.is_empty() && tracer.failure.is_none() && !stop.load(Ordering::Relaxed) {
                let (lo, hi) = curve.trace.range;
                return Err(format!(
                    "no admissible orbit with word `{}` was found, neither at the start's parameters nor elsewhere for {} between {lo} and {hi}",
                    problem.word().describe(system),
                    system.parameters[curve.free].name,
                ));
            }
        }
        StartPlan::Settle { mode, from, patience } => {
            let z = settled(&mut problem, curve, *mode, from, *patience)?;
            tracer.follow(&mut problem, z);
        }
        StartPlan::Guess { states, durations } => {
            let z = problem.guess(states, durations).map_err(|e| e.to_string())?;
            tracer.follow(&mut problem, z);
        }
    }
    match tracer.failure {
        Some(why) if tracer.results.is_empty() => Err(why),
        _ => Ok(tracer.results),
    }
}

/// Traces the curves of one entry of the study, one for each start that does not lie on a curve already traced.
struct Tracer<'a> {
    curve: &'a CurvePlan,
    observer: &'a dyn Observer,
    stop: &'a AtomicBool,
    results: Vec<CurveResult>,
    failure: Option<String>,
}

impl Tracer<'_> {
    fn follow(&mut self, problem: &mut PeriodicOrbit<'_>, start: Vec<f64>) {
        if self.results.iter().any(|r| passes_through(problem, &r.branch, &start)) {
            return;
        }
        let clock = Instant::now();
        let name = if self.results.is_empty() {
            self.curve.name.clone()
        } else {
            format!("{}-{}", self.curve.name, self.results.len() + 1)
        };
        let traced = trace(problem, start, &self.curve.trace, &mut |p| {
            self.observer.point(&name, p);
            !self.stop.load(Ordering::Relaxed)
        });
        let branch = match traced {
            Ok(b) => b,
            Err(e) => {
                self.failure.get_or_insert(e.to_string());
                return;
            }
        };
        let orbits = branch
            .special()
            .filter_map(|(i, p)| Some((i, problem.sample(&p.point, ORBIT_ROWS).ok()?)))
            .collect();
        let system = problem.system();
        let result = CurveResult {
            name,
            system: self.curve.system,
            parameters: problem.parameter_names(),
            free: system.parameters[self.curve.free].name.clone(),
            monitors: problem.monitors(),
            word: Inspect::word(problem),
            branch,
            orbits,
            seconds: clock.elapsed().as_secs_f64(),
        };
        self.observer.curve_ends(&result);
        self.results.push(result);
    }
}

/// Where to spread seeds: what the study says, else a box around what a trajectory from the system's own start visits.
fn search_region(
    system: &System,
    parameters: &[f64],
    given: &[Option<(f64, f64)>],
    flow: FlowOptions,
) -> Vec<(f64, f64)> {
    let mut region = vec![(0.0f64, 0.0f64); system.states.len()];
    let (mode, start) = &system.start;
    let options = SimulationOptions {
        t_end: 300.0,
        max_events: 2000,
        flow,
        ..SimulationOptions::default()
    };
    // A trajectory that cannot be followed leaves the box small; the study can widen it.
    if let Ok(run) = simulate(system, *mode, start, parameters, &options) {
        for segment in &run.segments {
            for x in [&segment.start, &segment.end] {
                for (r, v) in region.iter_mut().zip(system.full_state(segment.mode, x, parameters)) {
                    *r = (r.0.min(v), r.1.max(v));
                }
            }
        }
    }
    for (r, g) in region.iter_mut().zip(given) {
        let margin = (0.5 * (r.1 - r.0)).max(0.5);
        *r = g.unwrap_or((r.0 - margin, r.1 + margin));
    }
    region
}

/// The orbit of the curve's word that a trajectory settles to.
fn settled(
    problem: &mut PeriodicOrbit<'_>,
    curve: &CurvePlan,
    mode: usize,
    from: &[f64],
    patience: f64,
) -> Result<Vec<f64>, String> {
    let options = SettleOptions {
        longest_segment: patience,
        flow: curve.flow,
        ..SettleOptions::default()
    };
    let system = problem.system();
    match settle(system, mode, from, &curve.parameters, &options).map_err(|e| e.to_string())? {
        Settled::Orbit(orbit) => problem.adopt(&orbit).map_err(|e| e.to_string()),
        Settled::Rest { mode, state, .. } => {
            let at: Vec<String> = system
                .states
                .iter()
                .zip(system.full_state(mode, &state, &curve.parameters))
                .map(|(s, v)| format!("{} = {v}", s.name))
                .collect();
            Err(format!(
                "the trajectory comes to rest in mode `{}` at {}; start it elsewhere with `from`",
                system.modes[mode].name,
                at.join(", ")
            ))
        }
    }
}

/// Does a traced branch pass through the orbit `z`? Decided by correcting the branch at the parameter of `z` and comparing.
fn passes_through(problem: &mut PeriodicOrbit<'_>, branch: &Branch, z: &[f64]) -> bool {
    let meshes = problem.meshes();
    let level = z[z.len() - 1];
    let wanted = problem.ends(z);
    let mut newton = Newton::default();
    let found = branch.points.windows(2).any(|w| {
        let (a, b) = (&w[0].point, &w[1].point);
        let (pa, pb) = (a.parameter() - level, b.parameter() - level);
        if pa * pb > 0.0 || a.z.len() != b.z.len() || pa == pb {
            return false;
        }
        problem.restore(&a.meshes);
        let fraction = pa / (pa - pb);
        let mut mid: Vec<f64> = a.z.iter().zip(&b.z).map(|(x, y)| x + fraction * (y - x)).collect();
        let n = mid.len();
        let mut row = vec![0.0; n];
        row[n - 1] = 1.0;
        let anchor = vec![0.0; n];
        let options = NewtonOptions::default();
        newton
            .solve(problem, &mut mid, &row, &anchor, &[level], &options)
            .is_ok()
            && problem.match_ends(&problem.ends(&mid), &wanted, 1e-6)
    });
    problem.restore(&meshes);
    found
}
