//! A study expressed in units in which its motions are about one, and its results expressed in its own again.

use crate::compute::attractors::units::attractor_in_own;
use crate::compute::units::{all_in_own, simulation_in, states_in, trajectory_in_own};
use crate::plan::attractors::AttractorsPlan;
use crate::plan::entries::{CurvePlan, NamedSystem, StartPlan};
use crate::plan::locus::{LocusPlan, Wanted};
use crate::plan::object::Object;
use crate::plan::study::Plan;
use crate::results::attractors::AttractorsResult;
use crate::results::curve::CurveResult;
use crate::results::run::RunResult;
use slipstick_bifurcation::{Column, End, Level, TraceOptions};
use slipstick_flow::measure::{Known, measured};
use slipstick_orbit::OrbitSample;
use slipstick_system::System;

/// The same study with its systems expressed in measured units; none where all of them are about one in their own.
pub fn in_measured_units(plan: &Plan) -> Option<Plan> {
    let measured: Vec<Option<System>> = (0..plan.systems.len())
        .map(|k| measured(&plan.systems[k].system, &known_of(plan, k)))
        .collect();
    if measured.iter().all(Option::is_none) {
        return None;
    }
    let systems: Vec<NamedSystem> = plan
        .systems
        .iter()
        .zip(measured)
        .map(|(named, in_measured)| NamedSystem {
            name: named.name.clone(),
            system: in_measured.unwrap_or_else(|| named.system.clone()),
        })
        .collect();
    let of = |system: usize| &systems[system].system;
    Some(Plan {
        curves: plan.curves.iter().map(|c| curve(c, of(c.system))).collect(),
        loci: plan
            .loci
            .iter()
            .map(|l| locus(l, of(plan.curves[l.from].system)))
            .collect(),
        simulations: plan
            .simulations
            .iter()
            .map(|s| simulation_in(s, of(s.system)))
            .collect(),
        attractors: plan.attractors.iter().map(|a| sweep(a, of(a.system))).collect(),
        // These have scales of their own.
        portraits: vec![],
        analyses: vec![],
        tasks: vec![],
        seed: plan.seed,
        folder: plan.folder.clone(),
        warnings: vec![],
        systems,
    })
}

/// What a study says of the motions of system number `k`.
fn known_of(plan: &Plan, k: usize) -> Vec<Known> {
    let of_curves = plan.curves.iter().filter(|c| c.system == k).map(known_of_curve);
    let of_simulations = plan.simulations.iter().filter(|s| s.system == k).map(|s| Known {
        parameters: s.parameters.clone(),
        starts: vec![(s.mode, s.from.clone())],
        period: None,
    });
    let of_sweeps = plan.attractors.iter().filter(|a| a.system == k).map(|a| Known {
        parameters: a.parameters.clone(),
        starts: vec![],
        period: None,
    });
    of_curves.chain(of_simulations).chain(of_sweeps).collect()
}

fn known_of_curve(curve: &CurvePlan) -> Known {
    let (starts, period) = match (&curve.start, &curve.object) {
        (StartPlan::Guess { states, durations }, Object::Orbit(word)) => {
            let modes = word.letters.iter().map(|letter| letter.mode);
            let laps = if word.symmetric { 2.0 } else { 1.0 };
            let period = laps * durations.iter().sum::<f64>();
            (modes.zip(states.iter().cloned()).collect(), Some(period))
        }
        (StartPlan::Settle { mode, from, .. }, _) => (vec![(*mode, from.clone())], None),
        _ => (vec![], None),
    };
    Known {
        parameters: curve.parameters.clone(),
        starts,
        period,
    }
}

fn region(region: &[Option<(f64, f64)>], system: &System) -> Vec<Option<(f64, f64)>> {
    let of = |(s, interval): (usize, &Option<(f64, f64)>)| {
        interval.map(|(lo, hi)| (lo / system.units.state(s), hi / system.units.state(s)))
    };
    region.iter().enumerate().map(of).collect()
}

fn level(level: &Level, system: &System) -> Level {
    let unit = match level.column {
        Column::Parameter(_) => 1.0,
        Column::Monitor(_) | Column::Period => system.unit_of_column(&level.name),
    };
    Level {
        value: level.value / unit,
        unit,
        ..level.clone()
    }
}

fn trace(trace: &TraceOptions, system: &System) -> TraceOptions {
    TraceOptions {
        levels: trace.levels.iter().map(|l| level(l, system)).collect(),
        within: trace
            .within
            .iter()
            .map(|(a, b)| (level(a, system), level(b, system)))
            .collect(),
        ..trace.clone()
    }
}

fn curve(curve: &CurvePlan, system: &System) -> CurvePlan {
    let time = system.units.time;
    let start = match &curve.start {
        StartPlan::Search {
            values,
            otherwise,
            seeds,
            region: given,
            longest,
        } => StartPlan::Search {
            values: values.clone(),
            otherwise: otherwise.clone(),
            seeds: *seeds,
            region: region(given, system),
            longest: *longest,
        },
        StartPlan::Settle { mode, from, patience } => StartPlan::Settle {
            mode: *mode,
            from: states_in(from, *mode, system),
            patience: patience.map(|t| t / time),
        },
        StartPlan::Guess {
            states: given,
            durations,
        } => {
            let mode = |k: usize| match &curve.object {
                Object::Orbit(word) => word.letters[k].mode,
                Object::Equilibrium { mode } | Object::Cycle { mode, .. } => *mode,
            };
            StartPlan::Guess {
                states: given
                    .iter()
                    .enumerate()
                    .map(|(k, x)| states_in(x, mode(k), system))
                    .collect(),
                durations: durations.iter().map(|t| t / time).collect(),
            }
        }
        other => other.clone(),
    };
    CurvePlan {
        start,
        trace: trace(&curve.trace, system),
        ..curve.clone()
    }
}

fn locus(locus: &LocusPlan, system: &System) -> LocusPlan {
    LocusPlan {
        wanted: match &locus.wanted {
            Wanted::Level(wanted) => Wanted::Level(level(wanted, system)),
            label => label.clone(),
        },
        among: locus
            .among
            .iter()
            .map(|(a, b)| (level(a, system), level(b, system)))
            .collect(),
        trace: trace(&locus.trace, system),
        ..locus.clone()
    }
}

fn sweep(sweep: &AttractorsPlan, system: &System) -> AttractorsPlan {
    AttractorsPlan {
        region: region(&sweep.region, system),
        ..sweep.clone()
    }
}

/// Express results in the units of the study; those of the plan `in_measured` are measured ones.
pub(crate) fn in_own_units(result: &mut RunResult, in_measured: &Plan) {
    let of = |system: usize| &in_measured.systems[system].system;
    for curve in &mut result.curves {
        if let Some(system) = curve.system.map(of) {
            curve_in_own(curve, system);
        }
    }
    for trajectory in &mut result.trajectories {
        trajectory_in_own(trajectory, of(trajectory.system));
    }
    for found in &mut result.attractors {
        attractors_in_own(found, of(found.system));
    }
}

fn curve_in_own(curve: &mut CurveResult, system: &System) {
    let units: Vec<f64> = system.units_of_columns(&curve.monitors);
    let time = system.units.time;
    let sampled = |(_, sample): &mut (usize, OrbitSample)| {
        sample.t.iter_mut().for_each(|t| *t *= time);
        sample.states.iter_mut().for_each(|x| all_in_own(x, system));
    };
    for piece in &mut curve.pieces {
        piece.orbits.iter_mut().chain(&mut piece.between).for_each(sampled);
        for end in &mut piece.branch.ends {
            if let End::Homoclinic { period, .. } = end {
                *period *= time;
            }
        }
        for record in piece.branch.points.iter_mut().map(|p| &mut p.record) {
            record.period *= time;
            record.monitors.iter_mut().zip(&units).for_each(|(v, unit)| *v *= unit);
            record.eigenvalues.iter_mut().for_each(|v| *v /= time);
        }
    }
}

fn attractors_in_own(result: &mut AttractorsResult, system: &System) {
    let units: Vec<f64> = system.units_of_columns(&result.monitors);
    for found in &mut result.found {
        attractor_in_own(found, &units, system);
    }
    result.name_missing();
}
