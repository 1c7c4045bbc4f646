//! Basins, ready to compute.

use crate::plan::attractors::AttractorsPlan;
use crate::plan::axis::{Grid, plan_grid};
use crate::plan::chart::columns_of_orbits;
use crate::plan::exponents::check_exponents;
use crate::plan::parameters::Subject;
use crate::plan::referable::Referable;
use crate::plan::start::{initial_state, plan_region};
use crate::spec::basins::BasinsSpec;
use crate::text::complaint::Complaint;
use crate::text::limits;
use slipstick_flow::FlowOptions;

/// Which initial states.
///
/// ```
/// use slipstick_study::Starts;
/// assert_ne!(Starts::Random(100), Starts::Random(200));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Starts {
    /// Those of a grid over states.
    Grid(Grid),
    /// So many random ones in the region.
    Random(usize),
}

/// Basins, ready to compute.
///
/// ```
/// use slipstick_study::{self as study, Starts, TaskPlan};
/// let text = r#"Study(
///     title: "Two wells",
///     system: Smooth(states: ["x", "v"], parameters: {"c": 0.1}, equations: ["x' = v", "v' = x - x^3 - c*v"]),
///     tasks: [Basins(name: "wells", sample: 500, within: {"x": (-2, 2), "v": (-2, 2)})],
/// )"#;
/// let plan = study::parse("study.ron".as_ref(), text.into())?.plan(&[])?;
/// let TaskPlan::Basins(wells) = &plan.tasks[0] else { panic!("it is one") };
/// assert_eq!(wells.starts, Starts::Random(500));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone)]
pub struct BasinsPlan {
    /// Which initial states.
    pub starts: Starts,
    /// All states of the system where they are not gone over.
    pub from: Vec<f64>,
    /// The mode to start in, where the study says so.
    pub mode: Option<usize>,
    /// How motions are followed and distinguished.
    pub sweep: AttractorsPlan,
}

impl BasinsPlan {
    /// How many initial states there are.
    pub fn len(&self) -> usize {
        match &self.starts {
            Starts::Grid(grid) => grid.len(),
            Starts::Random(count) => *count,
        }
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The name of the table of attractors.
    pub(crate) fn attractors_name(&self) -> String {
        format!("{}-attractors", self.sweep.name)
    }

    /// The name of the table of where attractors are.
    pub(crate) fn points_name(&self) -> String {
        format!("{}-points", self.sweep.name)
    }

    /// The name of the table of orbits.
    pub(crate) fn orbits_name(&self) -> String {
        format!("{}-orbits", self.sweep.name)
    }

    /// The name of the table about the boundary.
    pub(crate) fn boundary_name(&self) -> String {
        format!("{}-boundary", self.sweep.name)
    }

    /// Its tables with their number columns; `states` are all states of its system.
    pub(crate) fn outputs(&self, states: &[String]) -> Vec<(String, Vec<String>)> {
        let mut cells = match &self.starts {
            Starts::Grid(grid) => grid.axes.iter().map(|a| a.name.clone()).collect(),
            Starts::Random(_) => states.to_vec(),
        };
        cells.push("attractor".to_owned());
        let mut of = ["attractor", "cells", "fraction", "fraction_error", "period", "turns"]
            .map(str::to_owned)
            .to_vec();
        of.extend((1..=self.sweep.exponents).map(|k| format!("exponent{k}")));
        let mut outputs = vec![(self.sweep.name.clone(), cells), (self.attractors_name(), of)];
        if matches!(self.starts, Starts::Grid(_)) {
            outputs.push((
                self.boundary_name(),
                ["distance", "uncertain"].map(str::to_owned).to_vec(),
            ));
            let own = std::iter::once("attractor".to_owned()).chain(states.iter().cloned());
            outputs.push((self.points_name(), own.collect()));
        }
        outputs.push((self.orbits_name(), columns_of_orbits("attractor", states)));
        outputs
    }
}

/// Resolve and check.
pub(crate) fn plan_basins(
    spec: &BasinsSpec,
    path: &str,
    study: &Referable<'_>,
    complaints: &mut Vec<Complaint>,
) -> Option<BasinsPlan> {
    let before = complaints.len();
    let Subject {
        index,
        parameters,
        fine,
    } = study.subject(spec.system.as_ref(), &spec.set, path, complaints)?;
    let system = &study.systems[index].system;
    let starts = match (spec.over.is_empty(), spec.sample) {
        (false, 0) => {
            let known: Vec<&str> = system.states.iter().map(|s| &*s.name).collect();
            let state = |name: &str| system.states.iter().position(|s| s.name == name);
            Starts::Grid(plan_grid(&spec.over, path, ("state", &state, &known), complaints)?)
        }
        (true, count @ 1..) => {
            limits::CELLS.check(format!("{path}.sample"), count as f64, complaints);
            Starts::Random(count)
        }
        (true, 0) => {
            complaints.push(
                Complaint::new(path, "there are no initial states")
                    .help("give a grid, `over: {\"x\": Linear(-1, 1, 100), ...}`, or random ones, `sample: 10000`"),
            );
            return None;
        }
        (false, _) => {
            let message = "a grid and random initial states exclude each other";
            complaints.push(Complaint::new(format!("{path}.sample"), message).help("leave `over` or `sample` out"));
            return None;
        }
    };
    if spec.events == 0 {
        complaints.push(Complaint::new(format!("{path}.events"), "no events are allowed"));
    }
    limits::EVENTS.check(format!("{path}.events"), spec.events as f64, complaints);
    check_exponents(spec.exponents, system, (path, "exponents"), complaints);
    let region = plan_region(&spec.within, path, system, complaints);
    let gone_over = |name: &String| spec.over.contains_key(name);
    if let Some(name) = spec.from.keys().find(|name| gone_over(name)) {
        let message = format!("`{name}` is gone over");
        complaints
            .push(Complaint::new(format!("{path}.from.\"{name}\""), message).help("leave it out here or in `over`"));
    }
    for (key, given, what) in [
        (
            "within",
            matches!(starts, Starts::Grid(_)) && !spec.within.is_empty(),
            "a grid has its own intervals",
        ),
        (
            "from",
            matches!(starts, Starts::Random(_)) && !spec.from.is_empty(),
            "all states are drawn at random",
        ),
    ] {
        if given {
            complaints.push(Complaint::new(format!("{path}.{key}"), what).help("leave it out"));
        }
    }
    let (mode, x) = initial_state((system, &parameters), spec.mode.as_ref(), &spec.from, path, complaints)?;
    if let (Some(_), Starts::Grid(grid)) = (&spec.mode, &starts) {
        for axis in grid
            .axes
            .iter()
            .filter(|a| !system.modes[mode].states.contains(&a.index))
        {
            let message = format!("`{}` is not a state of mode `{}`", axis.name, system.modes[mode].name);
            complaints.push(
                Complaint::new(format!("{path}.over.\"{}\"", axis.name), message)
                    .help("leave it out, or name another mode"),
            );
        }
    }
    if system.parameters.is_empty() {
        complaints
            .push(Complaint::new(path, "the system has no parameters").help("give it one, if only an unused one"));
    }
    // Attractors are named after the curves that pass through them.
    let mut own = study.curves.iter().filter(|c| c.system == spec.system);
    let swept = own.find_map(|c| system.parameter(&c.free)).unwrap_or(0);
    (complaints.len() == before && fine).then(|| BasinsPlan {
        starts,
        from: system.full_state(mode, &x, &parameters),
        mode: spec.mode.as_ref().map(|_| mode),
        sweep: AttractorsPlan {
            name: spec.name.clone(),
            system: index,
            parameters,
            sweep: swept,
            values: vec![],
            region,
            starts: 0,
            policy: spec.policy.alone(),
            seed: spec.seed,
            events: spec.events,
            exponents: spec.exponents,
            compare: vec![],
            trace: false,
            flow: FlowOptions::default(),
        },
    })
}
