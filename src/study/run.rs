//! Carry out a validated study: find starts, trace curves, keep everything that was computed.

use super::plan::{CurvePlan, Plan, StartPlan};
use crate::bifurcation::{Branch, BranchPoint, End, Label, trace};
use crate::continuation::{Failure, Problem};
use crate::orbit::{OrbitSample, PeriodicOrbit, SearchOptions, find_all};
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
        self.branch.points.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), p| {
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
            .map(|(l, n)| if *n == 1 { l.code().to_string() } else { format!("{n} {l}") })
            .collect();
        if words.is_empty() { "none".into() } else { words.join(", ") }
    }
    /// Why it ended, at both ends.
    pub fn ended(&self) -> String {
        let words: Vec<String> = self.branch.ends.iter().map(End::describe).collect();
        words.join(" | ")
    }
}

/// A curve of the study that gave nothing, and why.
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
    result
}

fn run_curve(
    plan: &Plan,
    curve: &CurvePlan,
    observer: &dyn Observer,
    stop: &AtomicBool,
) -> Result<Vec<CurveResult>, String> {
    let system = &plan.systems[curve.system].system;
    let mut problem = PeriodicOrbit::new(
        system,
        curve.word.clone(),
        curve.parameters.clone(),
        vec![curve.free],
        curve.flow,
    );
    let starts = starts(&mut problem, curve)?;
    let mut results: Vec<CurveResult> = vec![];
    for start in starts {
        if results.iter().any(|r| passes_through(&problem, &r.branch, &start)) {
            continue;
        }
        let clock = Instant::now();
        let name = if results.is_empty() {
            curve.name.clone()
        } else {
            format!("{}-{}", curve.name, results.len() + 1)
        };
        let branch = trace(&mut problem, start, &curve.trace, &mut |p| {
            observer.point(&name, p);
            !stop.load(Ordering::Relaxed)
        });
        let branch = match branch {
            Ok(b) => b,
            Err(e) if results.is_empty() => return Err(e.to_string()),
            Err(_) => continue,
        };
        let orbits = branch
            .special()
            .filter_map(|(i, p)| Some((i, problem.sample(&p.point, ORBIT_ROWS).ok()?)))
            .collect();
        let result = CurveResult {
            name,
            system: curve.system,
            parameters: crate::bifurcation::Inspect::parameter_names(&problem),
            free: system.parameters[curve.free].name.clone(),
            monitors: crate::bifurcation::Inspect::monitors(&problem),
            word: crate::bifurcation::Inspect::word(&problem),
            branch,
            orbits,
            seconds: clock.elapsed().as_secs_f64(),
        };
        observer.curve_ends(&result);
        results.push(result);
    }
    Ok(results)
}

/// Unknowns of the orbits that start the curve.
fn starts(problem: &mut PeriodicOrbit<'_>, curve: &CurvePlan) -> Result<Vec<Vec<f64>>, String> {
    match &curve.start {
        StartPlan::All { seeds, region, longest } => {
            let options = SearchOptions {
                seeds: *seeds,
                longest: *longest,
                region: region.clone(),
            };
            let found = find_all(problem, &options).map_err(|e| e.to_string())?;
            if found.is_empty() {
                return Err(format!(
                    "no admissible orbit with word `{}` exists at the start's parameters (a systematic search found none)",
                    crate::bifurcation::Inspect::word(problem)
                ));
            }
            Ok(found)
        }
        StartPlan::Guess { states, durations } => {
            let z = problem.guess(states, durations).map_err(|e: Failure| e.to_string())?;
            Ok(vec![z])
        }
    }
}

/// Does a traced branch pass through the orbit `z`? Compared between neighbouring points at the parameter of `z`.
fn passes_through(problem: &PeriodicOrbit<'_>, branch: &Branch, z: &[f64]) -> bool {
    let n = problem.unknowns();
    let level = z[n - 1];
    branch.points.windows(2).any(|w| {
        let (a, b) = (&w[0].point, &w[1].point);
        let (pa, pb) = (a.parameter() - level, b.parameter() - level);
        if pa * pb > 0.0 || a.z.len() != n || b.z.len() != n || pa == pb {
            return false;
        }
        let fraction = pa / (pa - pb);
        let mid: Vec<f64> = a.z.iter().zip(&b.z).map(|(x, y)| x + fraction * (y - x)).collect();
        problem.near(&mid, z, a.distance(b).max(1e-6))
    })
}
