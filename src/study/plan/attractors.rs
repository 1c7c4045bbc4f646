//! A sweep, its names resolved and its numbers checked.

use crate::plan::axis::evenly_spaced;
use crate::plan::entries::{CurvePlan, NamedSystem};
use crate::plan::exponents::check_exponents;
use crate::plan::parameters::{Subject, check_ends, resolve_subject};
use crate::plan::start::plan_region;
use crate::spec::attractors::AttractorsSpec;
use crate::text::complaint::{Complaint, written};
use crate::text::limits;
use slipstick_flow::{FlowOptions, NonUniqueness};

/// A sweep, ready to run.
///
/// ```
/// use slipstick_study as study;
/// let text = r#"Study(
///     title: "Where the logistic map settles",
///     system: Map(states: ["x"], parameters: {"r": 3.2}, equations: ["x+ = r*x*(1 - x)"]),
///     attractors: [Attractors(name: "sweep", sweep: "r", range: (3.2, 3.9), count: 2, within: {"x": (0.1, 0.9)}, starts: 4)],
/// )"#;
/// let plan = study::parse("study.ron".as_ref(), text.into())?.plan(&[])?;
/// let sweep = &plan.attractors[0];
/// assert_eq!((sweep.sweep, sweep.values.as_slice(), sweep.starts), (0, &[3.2, 3.9][..], 4));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone)]
pub struct AttractorsPlan {
    /// Its name.
    pub name: String,
    /// Index of its system.
    pub system: usize,
    /// All parameters.
    pub parameters: Vec<f64>,
    /// The index of the parameter swept over.
    pub sweep: usize,
    /// Its values.
    pub values: Vec<f64>,
    /// The interval of each state to start in, where the study gives one.
    pub region: Vec<Option<(f64, f64)>>,
    /// How many initial states at each value.
    pub starts: usize,
    /// What is done where the future is not unique.
    pub policy: NonUniqueness,
    /// The seed of the random numbers.
    pub seed: u64,
    /// How many events to wait for.
    pub events: usize,
    /// How many Lyapunov exponents of each attractor.
    pub exponents: usize,
    /// The curves to compare with; none means all of the same system.
    pub compare: Vec<String>,
    /// Are orbits that lie on no curve traced?
    pub trace: bool,
    /// How flows are computed.
    pub flow: FlowOptions,
}

impl AttractorsPlan {
    /// Does nobody ask for exponents? (The tables of sweeps over one parameter have those of chaotic motions.)
    pub(crate) fn wants_kinds_only(&self) -> bool {
        self.exponents == 0 && self.values.is_empty()
    }

    /// The first of these curves that the sweep is compared with; orbits on no curve are traced like it.
    pub(crate) fn like<'c>(&self, curves: &'c [CurvePlan], systems: &[NamedSystem]) -> Option<&'c CurvePlan> {
        let map = systems[self.system].system.is_map();
        curves.iter().find(|c| {
            let named = self.compare.is_empty() || self.compare.iter().any(|name| belongs(&c.name, name));
            c.system == self.system && c.free == self.sweep && (map || c.object.word().is_some()) && named
        })
    }

    /// A sweep that is to trace orbits has a curve to trace them like.
    pub(crate) fn check_trace(
        &self,
        path: &str,
        curves: &[CurvePlan],
        systems: &[NamedSystem],
        complaints: &mut Vec<Complaint>,
    ) {
        if self.trace && self.like(curves, systems).is_none() {
            let sweep = &systems[self.system].system.parameters[self.sweep].name;
            complaints.push(
                Complaint::new(
                    format!("{path}.trace"),
                    format!("orbits are traced like the first curve of orbits that the sweep is compared with, and there is none over `{sweep}`"),
                )
                .help(format!(
                    "add a curve of orbits of the same system with `free: \"{sweep}\"` to `curves`, or leave out `trace`"
                )),
            );
        }
    }
}

/// Is it the curve `name`, one of the others that its entry gave, or a branch of it?
pub(crate) fn belongs(curve: &str, name: &str) -> bool {
    curve
        .strip_prefix(name)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

/// Resolve and check one entry of `attractors`; `curves` are the names of the study's curves.
pub(crate) fn plan_attractors(
    spec: &AttractorsSpec,
    path: &str,
    systems: &[NamedSystem],
    overrides: &[(String, f64)],
    curves: &[&str],
    complaints: &mut Vec<Complaint>,
) -> Option<AttractorsPlan> {
    let before = complaints.len();
    let Subject {
        index,
        parameters,
        fine,
    } = resolve_subject(spec.system.as_ref(), &spec.set, path, systems, overrides, complaints)?;
    let system = &systems[index].system;
    let sweep = system.parameter(&spec.sweep);
    if sweep.is_none() {
        let known = system.parameters.iter().map(|p| &*p.name);
        complaints.push(Complaint::unknown(
            format!("{path}.sweep"),
            "parameter",
            &spec.sweep,
            known,
        ));
    }
    let (lo, hi) = spec.range;
    if !(lo.is_finite() && hi.is_finite() && lo < hi) {
        complaints.push(
            Complaint::new(
                format!("{path}.range"),
                format!("({}, {}) is not an interval", written(lo), written(hi)),
            )
            .help("give two finite numbers, the smaller one first: `range: (low, high)`"),
        );
    } else if let Some(sweep) = sweep.filter(|_| fine) {
        check_ends(
            system,
            &parameters,
            sweep,
            spec.range,
            &format!("{path}.range"),
            complaints,
        );
    }
    for (key, number, why) in [
        ("count", spec.count, "the sweep has no values"),
        ("starts", spec.starts, "the sweep has no initial states"),
        ("events", spec.events, "the sweep allows no events"),
    ] {
        if number == 0 {
            complaints.push(Complaint::new(format!("{path}.{key}"), why));
        }
    }
    let all = spec.count as f64 * spec.starts as f64;
    for (key, limit, number) in [
        ("count", &limits::VALUES, spec.count as f64),
        ("starts", &limits::STARTS, all),
        ("events", &limits::EVENTS, spec.events as f64),
    ] {
        limit.check(format!("{path}.{key}"), number, complaints);
    }
    check_exponents(spec.exponents, system, (path, "exponents"), complaints);
    let region = plan_region(&spec.within, path, system, complaints);
    for (k, name) in spec.compare.iter().enumerate() {
        if !curves.contains(&name.as_str()) {
            complaints.push(Complaint::unknown(
                format!("{path}.compare[{k}]"),
                "curve",
                name,
                curves.iter().copied(),
            ));
        }
    }
    if complaints.len() > before || !fine {
        return None;
    }
    Some(AttractorsPlan {
        name: spec.name.clone(),
        system: index,
        parameters,
        sweep: sweep?,
        values: (0..spec.count)
            .map(|i| evenly_spaced((lo, hi), i, spec.count))
            .collect(),
        region,
        starts: spec.starts,
        policy: NonUniqueness::Stick,
        seed: spec.seed,
        events: spec.events,
        exponents: spec.exponents,
        compare: spec.compare.clone(),
        trace: spec.trace,
        flow: FlowOptions::default(),
    })
}
