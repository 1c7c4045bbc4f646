//! An orbit diagram, ready to compute.

use crate::plan::attractors::AttractorsPlan;
use crate::plan::axis::Axis;
use crate::plan::exponents::check_exponents;
use crate::plan::parameters::Subject;
use crate::plan::referable::Referable;
use crate::plan::start::{initial_state, plan_region};
use crate::spec::orbit_diagram::{OrbitDiagramSpec, SectionSpec, SweepSpec};
use crate::text::complaint::{Complaint, written};
use crate::text::limits;
use slipstick_flow::{FlowOptions, Section};
use slipstick_system::{Direction, System};

/// An orbit diagram, ready to compute.
///
/// ```
/// use slipstick_study::{self as study, TaskPlan};
/// let text = r#"Study(
///     title: "Doublings",
///     system: Map(states: ["x"], parameters: {"r": 3}, equations: ["x+ = r*x*(1 - x)"], start: {"x": 0.3}),
///     tasks: [OrbitDiagram(name: "doublings", over: {"r": Linear(2.8, 4, 100)}, sweeps: [Up, Down])],
/// )"#;
/// let plan = study::parse("study.ron".as_ref(), text.into())?.plan(&[])?;
/// let TaskPlan::OrbitDiagram(diagram) = &plan.tasks[0] else { panic!("it is one") };
/// assert!(diagram.over.values.len() == 100 && diagram.section.is_none());
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone)]
pub struct OrbitDiagramPlan {
    /// The parameter and its values.
    pub over: Axis,
    /// Where points are taken; none of a map, where every iterate is one.
    pub section: Option<Section>,
    /// Is the section that of the system, as the study gives none? A motion that does not come to it may be cut at an
    /// angle that it turns by.
    pub natural: bool,
    /// How the values follow each other.
    pub sweeps: Vec<SweepSpec>,
    /// The mode and the states that sweeps begin with, at each value.
    pub from: Vec<(usize, Vec<f64>)>,
    /// Points that are let pass, and points that are taken.
    pub points: (usize, usize),
    /// The longest time between two points.
    pub longest: f64,
    /// The system, the parameters, random starts and exponents.
    pub sweep: AttractorsPlan,
}

impl OrbitDiagramPlan {
    /// The number columns of its table; `states` are all states of its system.
    pub(crate) fn columns(&self, states: &[String]) -> Vec<String> {
        let mut columns = vec![self.over.name.clone(), "index".into()];
        columns.extend(states.iter().cloned());
        columns.push("period".into());
        columns.extend((1..=self.sweep.exponents).map(|k| format!("exponent{k}")));
        columns
    }
}

/// Resolve and check.
pub(crate) fn plan_orbit_diagram(
    spec: &OrbitDiagramSpec,
    path: &str,
    study: &Referable<'_>,
    complaints: &mut Vec<Complaint>,
) -> Option<OrbitDiagramPlan> {
    let before = complaints.len();
    let subject = study.subject(spec.system.as_ref(), &spec.set, path, complaints)?;
    let system = &study.systems[subject.index].system;
    let grid = study.parameter_grid(&spec.over, &subject, &spec.set, path, complaints)?;
    let Subject {
        index,
        parameters,
        fine,
    } = subject;
    let [over] = &grid.axes[..] else {
        let message = format!("{} parameters: an orbit diagram goes over one", grid.axes.len());
        complaints.push(Complaint::new(format!("{path}.over"), message).help("use a `Chart` for several"));
        return None;
    };
    if spec.sweeps.is_empty() && spec.starts == 0 {
        complaints.push(
            Complaint::new(format!("{path}.sweeps"), "there are no motions")
                .help("give `sweeps: [Up]`, or `starts: 10`"),
        );
    }
    if spec.points == 1 {
        let message = "one point cannot show whether a motion repeats itself";
        complaints.push(Complaint::new(format!("{path}.points"), message).help("give 60 or so"));
    }
    if spec.points == 0 {
        complaints.push(Complaint::new(format!("{path}.points"), "there are no points").help("give 60 or so"));
    }
    if !(spec.longest.is_finite() && spec.longest > 0.0) {
        let message = format!("a time of {} is not possible", written(spec.longest));
        complaints.push(Complaint::new(format!("{path}.longest"), message).help("give a positive number"));
    }
    let motions = (spec.sweeps.len() + spec.starts) as f64;
    let rows = motions * over.values.len() as f64 * spec.points as f64;
    limits::ROWS.check(format!("{path}.points"), rows, complaints);
    limits::EVENTS.check(format!("{path}.transient"), spec.transient as f64, complaints);
    check_exponents(spec.exponents, system, (path, "exponents"), complaints);
    let section = match (&spec.section, system.is_map()) {
        (Some(_), true) => {
            let message = "every iterate of a map is a point";
            complaints.push(Complaint::new(format!("{path}.section"), message).help("leave `section` out"));
            None
        }
        (None, true) => None,
        (Some(section), false) => plan_section(section, system, &format!("{path}.section"), complaints),
        (None, false) => Some(Section::natural(system, &parameters)),
    };
    let region = plan_region(&spec.within, path, system, complaints);
    let mut at = parameters.clone();
    let mut from = vec![];
    for &value in &over.values {
        at[over.index] = value;
        // What is wrong at one value is said once.
        let mut own = vec![];
        let begin = initial_state((system, &at), spec.mode.as_ref(), &spec.from, path, &mut own);
        if from.is_empty() {
            complaints.append(&mut own);
        }
        from.push(begin?);
    }
    (complaints.len() == before && fine).then(|| OrbitDiagramPlan {
        over: over.clone(),
        natural: spec.section.is_none(),
        section,
        sweeps: spec.sweeps.clone(),
        from,
        points: (spec.transient, spec.points),
        longest: spec.longest,
        sweep: AttractorsPlan {
            name: spec.name.clone(),
            system: index,
            parameters,
            sweep: over.index,
            values: vec![],
            region,
            starts: spec.starts,
            policy: spec.policy.alone(),
            seed: spec.seed,
            events: 0,
            exponents: spec.exponents,
            compare: vec![],
            trace: false,
            flow: FlowOptions::default(),
        },
    })
}

/// The section that a study names.
fn plan_section(spec: &SectionSpec, system: &System, path: &str, complaints: &mut Vec<Complaint>) -> Option<Section> {
    let mut state = |name: &str| {
        let found = system.states.iter().position(|s| s.name == name);
        if found.is_none() {
            complaints.push(Complaint::unknown(
                format!("{path}#"),
                "state",
                name,
                system.states.iter().map(|s| &*s.name),
            ));
        }
        found
    };
    if let SectionSpec::Phase(_, value) | SectionSpec::Rising(_, value) | SectionSpec::Falling(_, value) = spec
        && !value.is_finite()
    {
        complaints.push(Complaint::new(
            path,
            format!("{} is not a finite number", written(*value)),
        ));
        return None;
    }
    if let SectionSpec::Maximum(name) | SectionSpec::Minimum(name) = spec
        && system.states.iter().any(|s| s.name == *name && s.period.is_some())
    {
        let message = format!("`{name}` is an angle, which has no extremes");
        complaints.push(Complaint::new(path, message).help("use `Phase`"));
        return None;
    }
    match spec {
        SectionSpec::Phase(name, phase) => {
            let angle = state(name)?;
            if system.states[angle].period.is_none() {
                let message = format!("`{name}` is not an angle");
                complaints
                    .push(Complaint::new(path, message).help("use `Rising` or `Falling`, or declare it in `angles`"));
                return None;
            }
            Some(Section::Phase { angle, phase: *phase })
        }
        SectionSpec::Maximum(name) => state(name).map(Section::Maximum),
        SectionSpec::Minimum(name) => state(name).map(Section::Minimum),
        SectionSpec::Rising(name, value) | SectionSpec::Falling(name, value) => {
            let direction = match spec {
                SectionSpec::Rising(..) => Direction::Up,
                _ => Direction::Down,
            };
            Some(Section::Crossing {
                state: state(name)?,
                value: *value,
                direction,
            })
        }
        SectionSpec::Event(text) => {
            // Without a mode it is the event of this name in all modes that have it.
            let (mode, event) = text
                .trim()
                .rsplit_once(' ')
                .map_or((None, text.trim()), |(m, e)| (Some(m.trim()), e));
            let modes = (0..system.modes.len()).filter(|&m| mode.is_none_or(|mode| system.mode(mode) == Some(m)));
            let found: Vec<_> = modes.filter_map(|m| Some((m, system.event(m, event)?))).collect();
            if found.is_empty() {
                let all = system
                    .modes
                    .iter()
                    .flat_map(|m| m.events.iter().map(move |e| format!("`{} {}`", m.name, e.name)));
                let known: Vec<String> = all.collect();
                let message = format!(
                    "unknown event `{text}`; the events with their modes are: {}",
                    known.join(", ")
                );
                complaints.push(Complaint::new(path, message));
                return None;
            }
            Some(Section::Events(found))
        }
    }
}
