//! Orbit diagrams: the points of motions on a section, over a parameter.

use crate::spec::axis::AxisSpec;
use crate::spec::chart::task_seed;
use crate::spec::simulation::PolicySpec;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The bifurcation diagram by simulation: after a transient, the points of the motion on a section, for each value of a
/// parameter.
///
/// ```
/// use slipstick_study as study;
/// use slipstick_study::spec::{SweepSpec, TaskSpec};
/// let text = r#"Study(
///     title: "Doublings",
///     system: Map(states: ["x"], parameters: {"r": 3}, equations: ["x+ = r*x*(1 - x)"], start: {"x": 0.3}),
///     tasks: [OrbitDiagram(name: "doublings", over: {"r": Linear(2.8, 4, 100)}, sweeps: [Up, Down])],
/// )"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let TaskSpec::OrbitDiagram(diagram) = &study.tasks[0] else { panic!("it is one") };
/// assert_eq!((diagram.sweeps.as_slice(), diagram.points), (&[SweepSpec::Up, SweepSpec::Down][..], 60));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename = "OrbitDiagram")]
pub struct OrbitDiagramSpec {
    /// The name of its table.
    pub name: String,
    /// The name of one of the study's `systems`; by default its `system`.
    #[serde(default)]
    pub system: Option<String>,
    /// Parameter values that differ from the system's.
    #[serde(default)]
    pub set: BTreeMap<String, f64>,
    /// The parameter and its values: `{"Omega": Linear(1.3, 1.5, 200)}`.
    pub over: BTreeMap<String, AxisSpec>,
    /// Where points are taken. By default at phase zero of the forcing if there is one, else at the maxima of the first
    /// state that is no angle, and of angles alone at phase zero of the first; of a map every iterate.
    #[serde(default)]
    pub section: Option<SectionSpec>,
    /// How the values follow each other: each motion begins where the one at the value before has ended, or where the
    /// sweep began if that one was lost.
    #[serde(default = "orbit_diagram_sweeps")]
    pub sweeps: Vec<SweepSpec>,
    /// How many motions besides from random initial states at each value.
    #[serde(default)]
    pub starts: usize,
    /// For each state the interval that random initial states are drawn from; by default what a trajectory visits,
    /// widened. Angles take their whole period.
    #[serde(default)]
    pub within: BTreeMap<String, (f64, f64)>,
    /// The seed of random initial states.
    #[serde(default = "task_seed")]
    pub seed: u64,
    /// Initial state at the first value of a sweep; the system's own where left out.
    #[serde(default)]
    pub from: BTreeMap<String, f64>,
    /// The mode it starts in; if left out, the system's own or that in which `from` lies.
    #[serde(default)]
    pub mode: Option<String>,
    /// What to do at forward non-uniqueness; `Both` sticks.
    #[serde(default)]
    pub policy: PolicySpec,
    /// How many points are let pass at each value.
    #[serde(default = "orbit_diagram_transient")]
    pub transient: usize,
    /// How many points are taken.
    #[serde(default = "orbit_diagram_points")]
    pub points: usize,
    /// The longest time between two points: a motion that takes longer rests, or is `unsettled`; so is one with more
    /// than 200000 events in between.
    #[serde(default = "orbit_diagram_longest")]
    pub longest: f64,
    /// How many Lyapunov exponents at each value, the largest first.
    #[serde(default)]
    pub exponents: usize,
}

/// Where points of a motion are taken.
///
/// ```
/// use slipstick_study as study;
/// use slipstick_study::spec::{SectionSpec, TaskSpec};
/// let text = r#"Study(
///     title: "Stick-slip",
///     system: Stiction(mu_s: 1.1, mu_d: 0.4),
///     tasks: [OrbitDiagram(name: "releases", over: {"Omega": Linear(1.3, 1.5, 50)}, section: Event("stick release+"))],
/// )"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let TaskSpec::OrbitDiagram(diagram) = &study.tasks[0] else { panic!("it is one") };
/// assert_eq!(diagram.section, Some(SectionSpec::Event("stick release+".into())));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum SectionSpec {
    /// Where an angle passes a phase, whichever way it turns: `Phase("theta", 0)`.
    Phase(String, f64),
    /// Where a state has a maximum.
    Maximum(String),
    /// Where a state has a minimum.
    Minimum(String),
    /// Where a state rises through a value: `Rising("x", 0)`; an angle in each turn. What a reset takes across the
    /// value has not passed it.
    Rising(String, f64),
    /// Where a state falls through a value.
    Falling(String, f64),
    /// At an event, named with its mode as in words, just before it: `Event("flight impact")`; or by its name alone, in
    /// whatever mode: `Event("impact")`.
    Event(String),
}

/// How the values of a parameter follow each other.
///
/// ```
/// use slipstick_study as study;
/// use slipstick_study::spec::{SweepSpec, TaskSpec};
/// let text = r#"Study(
///     title: "Hysteresis",
///     system: Smooth(states: ["x"], parameters: {"a": 0}, equations: ["x' = a + x - x^3"]),
///     tasks: [OrbitDiagram(name: "jumps", over: {"a": Linear(-1, 1, 100)}, sweeps: [Up, Down], longest: 100)],
/// )"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let TaskSpec::OrbitDiagram(diagram) = &study.tasks[0] else { panic!("it is one") };
/// assert_eq!(diagram.sweeps[1], SweepSpec::Down);
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum SweepSpec {
    /// From the first value to the last.
    Up,
    /// From the last to the first.
    Down,
}

fn orbit_diagram_sweeps() -> Vec<SweepSpec> {
    vec![SweepSpec::Up]
}

fn orbit_diagram_transient() -> usize {
    200
}

fn orbit_diagram_points() -> usize {
    60
}

fn orbit_diagram_longest() -> f64 {
    1000.0
}
