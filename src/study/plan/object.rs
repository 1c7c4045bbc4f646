//! What kind of object a curve follows, from how the study writes it.

use crate::spec::curve::{CurveSpec, MethodSpec, OrbitSpec};
use crate::text::complaint::Complaint;
use crate::text::limits;
use slipstick_orbit::{Letter, Word};
use slipstick_system::{ModeKind, System};

/// The kind of object that a curve follows.
///
/// ```
/// use slipstick_study::{self as study, Object};
/// let text = r#"Study(
///     title: "Objects",
///     system: Map(states: ["x"], parameters: {"r": 3.2}, equations: ["x+ = r*x*(1 - x)"]),
///     curves: [Curve(name: "pairs", orbit: Cycle(2), start: All(at: {"r": 3.2}), free: "r", range: (3, 3.5))],
/// )"#;
/// let plan = study::parse("study.ron".as_ref(), text.into())?.plan(&[])?;
/// assert!(matches!(plan.curves[0].object, Object::Cycle { length: 2, .. }) && plan.curves[0].object.word().is_none());
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Object {
    /// Periodic orbits with this word.
    Orbit(Word),
    /// Equilibria in a mode.
    Equilibrium {
        /// The index of the mode.
        mode: usize,
    },
    /// Cycles of a map.
    Cycle {
        /// The index of the mode that holds the map.
        mode: usize,
        /// The number of points.
        length: usize,
    },
}

/// The most unknowns of a cycle: all its points are solved for at once, by elimination without gaps.
const MOST_UNKNOWNS: usize = 2000;

impl Object {
    /// The word, of periodic orbits.
    pub fn word(&self) -> Option<&Word> {
        match self {
            Self::Orbit(word) => Some(word),
            _ => None,
        }
    }

    /// In words, for messages.
    pub(crate) fn describe(&self, system: &System) -> String {
        match self {
            Self::Orbit(word) if system.is_hybrid() => format!("orbit with word `{}`", word.describe(system)),
            Self::Orbit(_) => "periodic orbit".into(),
            Self::Equilibrium { .. } => "equilibrium".into(),
            Self::Cycle { length: 1, .. } => "fixed point".into(),
            Self::Cycle { length, .. } => format!("cycle of {length} points"),
        }
    }
}

/// Resolve what a curve of `system`, from these parameters, follows.
pub(crate) fn resolve(
    spec: &CurveSpec,
    path: &str,
    (system, parameters): (&System, &[f64]),
    complaints: &mut Vec<Complaint>,
) -> Option<Object> {
    let path = format!("{path}.orbit");
    let complain = |message: String, help: &str| Complaint::new(path.clone(), message).help(help);
    let (mode, map, hybrid) = (system.start_at(parameters).0, system.is_map(), system.is_hybrid());
    let wants_map = matches!(spec.orbit, OrbitSpec::FixedPoint | OrbitSpec::Cycle(_));
    if map && !wants_map {
        complaints.push(complain(
            "the system is a map: its orbits are fixed points and cycles of points".into(),
            "write `orbit: FixedPoint` or, for cycles of two points, `orbit: Cycle(2)`",
        ));
        return None;
    }
    if !map && wants_map {
        complaints.push(complain(
            "the system is a flow, not a map: it has no cycles of points".into(),
            "write `orbit: PeriodicOrbit` or `orbit: Equilibrium`",
        ));
        return None;
    }
    let points = matches!(spec.orbit, OrbitSpec::Equilibrium | OrbitSpec::EquilibriumIn(_));
    if system.modes[mode].kind == ModeKind::Equations && !points {
        complaints.push(complain(
            "the system is a set of equations without motion: it has no orbits".into(),
            "write `orbit: Equilibrium`: its curves are those of the solutions",
        ));
        return None;
    }
    match &spec.orbit {
        OrbitSpec::FixedPoint => Some(Object::Cycle { mode, length: 1 }),
        OrbitSpec::Cycle(0) => {
            complaints.push(complain(
                "a cycle of no points".into(),
                "give the number of points: `Cycle(2)`",
            ));
            None
        }
        OrbitSpec::Cycle(length) => {
            let unknowns = length.saturating_mul(system.modes[mode].states.len());
            if unknowns > MOST_UNKNOWNS {
                complaints.push(complain(
                    format!("a cycle of {length} points has {unknowns} unknowns, more than the {MOST_UNKNOWNS} that are possible"),
                    "trace a shorter cycle, or compute a long one with `simulations` or `attractors`",
                ));
                return None;
            }
            Some(Object::Cycle { mode, length: *length })
        }
        OrbitSpec::Equilibrium | OrbitSpec::EquilibriumIn(_) => {
            let mode = match &spec.orbit {
                OrbitSpec::EquilibriumIn(name) => match system.mode(name) {
                    Some(mode) => mode,
                    None => {
                        let known: Vec<String> = system.modes.iter().map(|m| format!("`{}`", m.name)).collect();
                        complaints.push(complain(
                            format!("unknown mode `{name}`; known: {}", known.join(", ")),
                            "write the name of a mode, or `Equilibrium` for that where trajectories start",
                        ));
                        return None;
                    }
                },
                _ => mode,
            };
            if slipstick_orbit::forcing_phase(system, mode).is_some() {
                complaints.push(complain(
                    "a system that is forced in time has no equilibria".into(),
                    "write `orbit: PeriodicOrbit`",
                ));
                return None;
            }
            Some(Object::Equilibrium { mode })
        }
        OrbitSpec::PeriodicOrbit if hybrid => {
            complaints.push(complain(
                "the system has events: a periodic orbit is given by its word, the sequence of its modes".into(),
                "write the word of the orbit, as in `Periodic(\"slip- stick slip+ stick\")`",
            ));
            None
        }
        OrbitSpec::PeriodicOrbit => Some(Object::Orbit(shooting_intervals(
            spec, system, mode, false, &path, complaints,
        )?)),
        OrbitSpec::Symmetric(text) | OrbitSpec::Periodic(text) => {
            let symmetric = matches!(spec.orbit, OrbitSpec::Symmetric(_));
            let half = text.trim_end().strip_suffix("| mirrored");
            if let Some(half) = half.filter(|_| !symmetric) {
                complaints.push(complain(
                    "a word with `| mirrored` behind it is half of a symmetric orbit".into(),
                    &format!("write `Symmetric(\"{}\")`", half.trim_end()),
                ));
                return None;
            }
            match Word::parse(text, symmetric, system) {
                Ok(word) if word.letters.iter().all(|l| l.event.is_none()) => Some(Object::Orbit(shooting_intervals(
                    spec,
                    system,
                    word.letters[0].mode,
                    symmetric,
                    &path,
                    complaints,
                )?)),
                Ok(word) => Some(Object::Orbit(word)),
                Err(e) => {
                    complaints.push(Complaint::new(path, e.to_string()));
                    None
                }
            }
        }
    }
}

/// The word of a smooth periodic orbit: one segment, or one for each shot.
fn shooting_intervals(
    spec: &CurveSpec,
    system: &System,
    mode: usize,
    symmetric: bool,
    path: &str,
    complaints: &mut Vec<Complaint>,
) -> Option<Word> {
    if let [state] = system.modes[mode].states[..]
        && system.states[state].period.is_none()
    {
        let name = &system.states[state].name;
        complaints.push(
            Complaint::new(
                path,
                format!("no periodic orbits: an autonomous system with the single state `{name}` is monotone between its equilibria"),
            )
            .help("write `orbit: Equilibrium`; a field that depends on the time `t` needs `forcing`, an angle `angles`"),
        );
        return None;
    }
    let count = match spec.method {
        MethodSpec::Shooting { shots, .. } => shots.unwrap_or(8),
        _ => 1,
    };
    if count == 0 || count as f64 > limits::INTERVALS.most {
        complaints.push(
            Complaint::new(
                path.replace(".orbit", ".method.shots"),
                format!("{count} shooting intervals in a period"),
            )
            .help("1 is single shooting; at most 1000 are possible"),
        );
        return None;
    }
    Some(Word {
        letters: vec![Letter { mode, event: None }; count],
        symmetric,
    })
}
