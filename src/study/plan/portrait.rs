//! A validated portrait: names resolved, the region looked at complete.

use crate::plan::entries::NamedSystem;
use crate::plan::parameters::{Subject, resolve_subject};
use crate::spec::portrait::{FatesSpec, PortraitSpec, ReductionSpec, ReturnsSpec};
use crate::text::complaint::Complaint;
use crate::text::limits;
use slipstick_numerics::roots::boundary;
use slipstick_slow_fast::Reduction;
use slipstick_slow_fast::SlowFastProblem;
use slipstick_system::System;
use std::collections::BTreeMap;
use std::convert::Infallible;

/// The names of the tables' number columns that figures may draw: states and observables.
pub(crate) fn columns(system: &System) -> Vec<String> {
    let states = system.states.iter().map(|s| s.name.clone());
    states
        .chain(system.observables.iter().map(|o| o.name.clone()))
        .collect()
}

/// A portrait, ready to compute. States are those of the slow–fast mode, by their place in it.
///
/// ```
/// use slipstick_study as study;
/// let text = r#"Study(
///     title: "Portrait",
///     system: RegularisedStiction(epsilon: 1e-2),
///     slow_fast: [Portrait(name: "layer", mesh: (6, 12), orbits: 2, manifolds: 0)],
/// )"#;
/// let plan = study::parse("study.ron".as_ref(), text.into())?.plan(&[])?;
/// let portrait = &plan.portraits[0];
/// assert_eq!((portrait.mesh, portrait.orbits, portrait.region.len()), ((6, 12), 2, 3));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone)]
pub struct PortraitPlan {
    /// Its name.
    pub name: String,
    /// Index of its system.
    pub system: usize,
    /// All parameters.
    pub parameters: Vec<f64>,
    /// The reduction: singular or at finite ε.
    pub reduction: Reduction,
    /// An interval for each state.
    pub region: Vec<(f64, f64)>,
    /// The slow state for which `f = 0` is solved over the mesh of the others.
    pub solve_for: usize,
    /// Nodes of the mesh along the other slow state and along the fast one.
    pub mesh: (usize, usize),
    /// Slow time for which orbits are followed to each side.
    pub time: f64,
    /// Orbits of the reduced flow on each sheet.
    pub orbits: usize,
    /// Orbits on each slow manifold.
    pub manifolds: usize,
    /// How far they are spread, as a part of the region.
    pub spread: f64,
    /// The family of starts to be distinguished.
    pub outcomes: Option<OutcomesPlan>,
    /// How fast fibres return.
    pub returns: Option<ReturnsSpec>,
    /// Near which point the cycle on the slow manifold is sought.
    pub cycle: Option<Vec<f64>>,
    /// The parameter over which folded singularities are followed, and its range.
    pub over: Option<(usize, (f64, f64))>,
}

/// A family of starts.
///
/// ```
/// use slipstick_study as study;
/// let text = r#"Study(
///     title: "Portrait",
///     system: RegularisedStiction(epsilon: 1e-2),
///     slow_fast: [Portrait(name: "layer", mesh: (6, 12), orbits: 2, manifolds: 0, fates: Fates(over: "theta", from: {"yhat": 0}, samples: 5, horizon: 3.1))],
/// )"#;
/// let plan = study::parse("study.ron".as_ref(), text.into())?.plan(&[])?;
/// let outcomes = plan.portraits[0].outcomes.as_ref().unwrap();
/// // Phases vary; states are those of the mode: x, ŷ, θ.
/// assert_eq!((outcomes.over, outcomes.samples, outcomes.horizon), (2, 5, 3.1));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone)]
pub struct OutcomesPlan {
    /// The state that varies over its interval.
    pub over: usize,
    /// The other states.
    pub at: Vec<f64>,
    /// A slow state that is set to that of the critical manifold.
    pub solve_for: Option<usize>,
    /// How many starts.
    pub samples: usize,
    /// How long a start must stay.
    pub horizon: f64,
}

/// The widest interval tried for a state whose interval is left out.
const WIDEST: f64 = 1e9;

/// Resolve and check a portrait.
pub(crate) fn plan(
    spec: &PortraitSpec,
    path: &str,
    systems: &[NamedSystem],
    overrides: &[(String, f64)],
    complaints: &mut Vec<Complaint>,
) -> Option<PortraitPlan> {
    let before = complaints.len();
    let Subject {
        index,
        parameters,
        fine,
    } = resolve_subject(spec.system.as_ref(), &spec.set, path, systems, overrides, complaints)?;
    let system = &systems[index].system;
    let Some(declared) = &system.slow_fast else {
        complaints.push(
            Complaint::new(
                if spec.system.is_some() { format!("{path}.system") } else { path.to_string() },
                format!("{} is not declared slow–fast, so it has no critical manifold", system.name),
            )
            .help("declare its fast state and small parameter with `slow_fast: SlowFast(fast: \"…\", epsilon: \"…\")` in the system"),
        );
        return None;
    };
    let n = system.modes[declared.mode].states.len();
    if !(2..=3).contains(&n) {
        let message = format!(
            "mode `{}` of {} has {} slow states; portraits are drawn of one or two",
            system.modes[declared.mode].name,
            system.name,
            n - 1
        );
        complaints.push(Complaint::new(path, message).help("fix the others as parameters"));
        return None;
    }
    if complaints.len() > before || !fine {
        return None;
    }
    let reduction = match spec.reduction {
        ReductionSpec::Singular => Reduction::Singular,
        ReductionSpec::Finite => Reduction::Finite,
    };
    let problem = match SlowFastProblem::new(system, &parameters, reduction) {
        Ok(problem) => problem,
        Err(e) => {
            complaints.push(Complaint::new(path, e.to_string()));
            return None;
        }
    };
    numbers(spec, path, complaints);
    let within = by_state(&problem, &spec.within, &format!("{path}.within"), complaints);
    for (i, interval) in within.iter().enumerate() {
        if let Some((low, high)) = interval
            && !(low.is_finite() && high.is_finite() && low < high)
        {
            complaints.push(
                Complaint::new(
                    format!("{path}.within.\"{}\"", state_name(&problem, i)),
                    format!("({low}, {high}) is not an interval"),
                )
                .help("write two finite numbers, the smaller one first"),
            );
        }
    }
    if complaints.len() > before {
        return None;
    }
    let (region, solve_for) = region(&problem, within, path, complaints)?;
    let time = spec.time.or_else(|| half_turn(&problem, &region)).or_else(|| {
        complaints.push(
            Complaint::new(
                path,
                "no state is an angle, so there is no default for the time of the orbits",
            )
            .help("give the slow time: `time: 10`"),
        );
        None
    })?;
    let outcomes =
        (spec.fates.as_ref()).and_then(|f| outcomes(&problem, f, time, &format!("{path}.fates"), complaints));
    let cycle = spec.cycle.as_ref().map(|near| {
        let mut at: Vec<f64> = region.iter().map(|(a, b)| 0.5 * (a + b)).collect();
        for (i, value) in by_state(&problem, near, &format!("{path}.cycle"), complaints)
            .into_iter()
            .enumerate()
        {
            at[i] = value.unwrap_or(at[i]);
        }
        at
    });
    let over = spec.over.as_ref().and_then(|over| {
        let here = format!("{path}.over");
        let Some(i) = system.parameter(&over.parameter) else {
            complaints.push(Complaint::unknown(
                format!("{here}.parameter"),
                "parameter",
                &over.parameter,
                system.parameters.iter().map(|p| &*p.name),
            ));
            return None;
        };
        let (low, high) = over.range;
        if !(low < high && (low..=high).contains(&parameters[i])) {
            complaints.push(
                Complaint::new(
                    format!("{here}.range"),
                    format!(
                        "the present value {} = {} does not lie in ({low}, {high})",
                        over.parameter, parameters[i]
                    ),
                )
                .help("write the smaller number first, and an interval that holds the present value"),
            );
            return None;
        }
        Some((i, over.range))
    });
    (complaints.len() == before).then(|| PortraitPlan {
        name: spec.name.clone(),
        system: index,
        reduction,
        region,
        solve_for,
        mesh: spec.mesh,
        time,
        orbits: spec.orbits,
        manifolds: spec.manifolds,
        spread: spec.spread,
        outcomes,
        returns: spec.returns,
        cycle,
        over,
        parameters: parameters.clone(),
    })
}

/// Numbers that make sense whatever the system is.
fn numbers(spec: &PortraitSpec, path: &str, complaints: &mut Vec<Complaint>) {
    let mut positive = |key: &str, value: Option<f64>, what: &str| {
        if let Some(v) = value
            && !(v.is_finite() && v > 0.0)
        {
            let complaint = Complaint::new(format!("{path}.{key}"), format!("{what} of {v} is not possible"));
            complaints.push(complaint.help("give a positive number"));
        }
    };
    positive("time", spec.time, "a time");
    positive("spread", Some(spec.spread), "a spread");
    positive("fates.horizon", spec.fates.as_ref().and_then(|f| f.horizon), "a time");
    positive("returns.horizon", spec.returns.map(|r| r.horizon), "a time");
    let mut enough = |key: &str, count: Option<usize>, least: usize| {
        if let Some(count) = count.filter(|&count| count < least) {
            let message = format!("{count} is not a number from {least} on");
            complaints.push(Complaint::new(format!("{path}.{key}"), message));
        }
    };
    enough("mesh", Some(spec.mesh.0.min(spec.mesh.1)), 2);
    enough("mesh", Some(spec.mesh.0.max(spec.mesh.1)), 2);
    enough("orbits", Some(spec.orbits), 0);
    enough("manifolds", Some(spec.manifolds), 0);
    enough("fates.samples", spec.fates.as_ref().map(|f| f.samples), 2);
    enough("returns.count", spec.returns.map(|r| r.count), 2);
    let nodes = spec.mesh.0 as f64 * spec.mesh.1 as f64;
    for (key, limit, count) in [
        ("mesh", &limits::NODES, nodes),
        ("orbits", &limits::ORBITS, spec.orbits as f64),
        ("manifolds", &limits::ORBITS, spec.manifolds as f64),
        (
            "fates.samples",
            &limits::VALUES,
            spec.fates.as_ref().map_or(0.0, |f| f.samples as f64),
        ),
        (
            "returns.count",
            &limits::ORBITS,
            spec.returns.map_or(0.0, |r| r.count as f64),
        ),
    ] {
        limit.check(format!("{path}.{key}"), count, complaints);
    }
}

fn state_name<'a>(problem: &SlowFastProblem<'a>, i: usize) -> &'a str {
    let system: &'a System = problem.system();
    &system.states[problem.mode().states[i]].name
}

/// Values given by name, in the order of the mode's states.
fn by_state<T: Copy>(
    problem: &SlowFastProblem,
    given: &BTreeMap<String, T>,
    path: &str,
    complaints: &mut Vec<Complaint>,
) -> Vec<Option<T>> {
    let names: Vec<&str> = (0..problem.dimension()).map(|i| state_name(problem, i)).collect();
    for name in given.keys().filter(|name| !names.contains(&name.as_str())) {
        complaints.push(Complaint::unknown(
            format!("{path}.\"{name}\"#"),
            "state of the slow–fast mode",
            name,
            names.iter().copied(),
        ));
    }
    names.iter().map(|name| given.get(*name).copied()).collect()
}

/// The interval of every state, and the slow state solved for.
fn region(
    problem: &SlowFastProblem,
    mut within: Vec<Option<(f64, f64)>>,
    path: &str,
    complaints: &mut Vec<Complaint>,
) -> Option<(Vec<(f64, f64)>, usize)> {
    let fast = problem.fast();
    for (i, interval) in within.iter_mut().enumerate() {
        if interval.is_none() {
            *interval = problem.period(i).map(|period| (0.0, period));
        }
    }
    if within[fast].is_none() {
        within[fast] = between_events(problem);
    }
    let open: Vec<usize> = (0..within.len()).filter(|&i| within[i].is_none()).collect();
    let mut missing = |i: usize, why: &str| {
        let name = state_name(problem, i);
        let complaint = Complaint::new(path, format!("the portrait needs an interval of `{name}`: {why}"));
        complaints.push(complaint.help(format!("add `within: {{\"{name}\": (low, high)}}`")));
    };
    match open[..] {
        [] => {
            let region: Vec<(f64, f64)> = within.into_iter().flatten().collect();
            let solve_for = most_informative(problem, &region);
            Some((region, solve_for))
        }
        [i] if i != fast => match reach(problem, i, &within) {
            Some(interval) => {
                within[i] = Some(interval);
                Some((within.into_iter().flatten().collect(), i))
            }
            None => {
                missing(
                    i,
                    "the critical manifold is not a bounded graph of it over the other states",
                );
                None
            }
        },
        _ => {
            for i in open {
                missing(i, "nothing bounds it");
            }
            None
        }
    }
}

/// The interval of the fast state between the events that end the mode, around where the system starts.
fn between_events(problem: &SlowFastProblem) -> Option<(f64, f64)> {
    let fast = problem.fast();
    let (mode, start) = problem.system().start_at(problem.parameters());
    // What is stretched by a small parameter that is zero has no value.
    let mut x = if mode == problem.mode_index() && start.iter().all(|v| v.is_finite()) {
        start
    } else {
        vec![0.0; problem.dimension()]
    };
    let centre = x[fast];
    let mut inside = |y: f64| {
        x[fast] = y;
        problem.room(&x) > 0.0
    };
    if !inside(centre) {
        return None;
    }
    let mut end = |sign: f64| {
        let mut step = 1e-3;
        while inside(centre + sign * step) {
            step *= 2.0;
            if step > WIDEST {
                return None;
            }
        }
        let (_, outside) = boundary(0.0, step, |s| Ok::<_, Infallible>(inside(centre + sign * s))).ok()?;
        Some(centre + sign * outside)
    };
    Some((end(-1.0)?, end(1.0)?))
}

/// Nodes of the coarse grid on which a region is explored.
const COARSE: usize = 9;

/// Points of a coarse grid over the states that have an interval; the others are zero.
fn grid(within: &[Option<(f64, f64)>]) -> Vec<Vec<f64>> {
    let mut points = vec![vec![]];
    for interval in within {
        let values: Vec<f64> = match interval {
            Some((a, b)) => (0..COARSE)
                .map(|k| a + (b - a) * k as f64 / (COARSE - 1) as f64)
                .collect(),
            None => vec![0.0],
        };
        points = (points.iter())
            .flat_map(|x: &Vec<f64>| values.iter().map(|v| x.iter().copied().chain([*v]).collect()))
            .collect();
    }
    points
}

/// How far the critical manifold reaches along slow state `i` over the intervals of the others.
fn reach(problem: &SlowFastProblem, i: usize, within: &[Option<(f64, f64)>]) -> Option<(f64, f64)> {
    let nodes = grid(within);
    let mut half = 1.0;
    while half < WIDEST {
        let found: Vec<Vec<f64>> = (nodes.iter())
            .filter_map(|x| problem.manifold_along(i, x, (-half, half)).ok())
            .map(|points| points.iter().map(|p| p.state[i]).collect())
            .collect();
        if found.iter().all(|points| points.len() == 1) {
            let values = || found.iter().flatten().copied();
            let (low, high) = (
                values().fold(f64::INFINITY, f64::min),
                values().fold(f64::NEG_INFINITY, f64::max),
            );
            let size = low.abs().max(high.abs());
            let least = if size > 0.0 { 1e-6 * size } else { 1e-6 };
            let margin = 0.05 * (high - low).max(least);
            return Some((low - margin, high + margin));
        }
        half *= 4.0;
    }
    None
}

/// The slow state on which f depends most over the region.
fn most_informative(problem: &SlowFastProblem, region: &[(f64, f64)]) -> usize {
    let intervals: Vec<Option<(f64, f64)>> = region.iter().copied().map(Some).collect();
    let nodes = grid(&intervals);
    let weakest = |i: usize| {
        let width = region[i].1 - region[i].0;
        (nodes.iter())
            .map(|x| problem.local(x).gradient[i].abs() * width)
            .fold(f64::INFINITY, f64::min)
    };
    (problem.slow())
        .max_by(|&a, &b| weakest(a).total_cmp(&weakest(b)).then(b.cmp(&a)))
        .unwrap_or(0)
}

/// The slow time of half a turn of an angle.
fn half_turn(problem: &SlowFastProblem, region: &[(f64, f64)]) -> Option<f64> {
    let middle: Vec<f64> = region.iter().map(|(a, b)| 0.5 * (a + b)).collect();
    let slow = problem.local(&middle).slow;
    let angle = problem.slow().find(|&i| problem.period(i).is_some())?;
    Some(0.5 * problem.period(angle)? / slow[angle].abs()).filter(|t| t.is_finite())
}

fn outcomes(
    problem: &SlowFastProblem,
    spec: &FatesSpec,
    time: f64,
    path: &str,
    complaints: &mut Vec<Complaint>,
) -> Option<OutcomesPlan> {
    let over = (0..problem.dimension()).find(|&i| state_name(problem, i) == spec.over && i != problem.fast());
    let Some(over) = over else {
        let slow: Vec<&str> = problem.slow().map(|i| state_name(problem, i)).collect();
        complaints.push(Complaint::unknown(
            format!("{path}.over"),
            "slow state",
            &spec.over,
            slow,
        ));
        return None;
    };
    let given = by_state(problem, &spec.from, &format!("{path}.from"), complaints);
    if given[problem.fast()].is_none() {
        let name = state_name(problem, problem.fast());
        let complaint = Complaint::new(path, format!("the starts need a value of the fast state `{name}`"));
        complaints.push(complaint.help(format!("add `from: {{\"{name}\": …}}`")));
        return None;
    }
    Some(OutcomesPlan {
        over,
        solve_for: problem.slow().find(|&i| i != over && given[i].is_none()),
        at: given.into_iter().map(|v| v.unwrap_or(0.0)).collect(),
        samples: spec.samples,
        horizon: spec.horizon.unwrap_or(time),
    })
}
