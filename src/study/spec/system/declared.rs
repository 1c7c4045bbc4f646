//! The keys that describe a system in a study.

use crate::spec::system::named::{Named, Number, present};
use serde::{Deserialize, Serialize};
use slipstick_system::{Direction, ModeKind, Statistic};

/// `Smooth(...)`: a system of ordinary differential equations.
///
/// ```ron
/// Smooth(
///     states: ["x", "y", "z"],
///     parameters: {"sigma": 10, "rho": 0, "beta": "8/3"},
///     equations: ["x' = sigma*(y - x)", "y' = rho*x - y - x*z", "z' = x*y - beta*z"],
///     symmetry: {"x": "-x", "y": "-y"},
/// )
/// ```
///
/// ```
/// use slipstick_study::{self as study, system::SystemSpec};
/// let text = r#"Study(title: "Lorenz", system: Smooth(
///     states: ["x", "y", "z"], parameters: {"sigma": 10, "rho": 28, "beta": "8/3"},
///     equations: ["x' = sigma*(y - x)", "y' = x*(rho - z) - y", "z' = x*y - beta*z"],
///     symmetry: {"x": "-x", "y": "-y"},
/// ))"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let Some(SystemSpec::Smooth(system)) = study.system else { panic!("it is one") };
/// assert_eq!((system.states.len(), system.equations.len()), (3, 3));
/// assert_eq!(system.symmetry.get("x").map(String::as_str), Some("-x"));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename = "Smooth")]
pub struct SmoothSpec {
    /// A name for reports.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// A sentence or two: what it is, and the source.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// The names of the states, in the order of tables.
    pub states: Vec<String>,
    /// Those states that are angles, with the period each is taken modulo: `{"theta": "2*pi"}`.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub angles: Named<Number>,
    /// The parameters with their values: numbers, or formulas of numbers like `"8/3"`.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub parameters: Named<Number>,
    /// Abbreviations: `{"r2": "x^2 + y^2", "phi(u)": "u - u^3"}`, in any order.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub define: Named<String>,
    /// For a field that depends on the time `t`: its period.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub forcing: Option<ForcingSpec>,
    /// One equation for each state, in any order: `"x' = sigma*(y - x)"`.
    pub equations: Vec<String>,
    /// The image of each state under a symmetry of the system: the same or another state, with a sign and a shift.
    /// States left out stay as they are. `{"x": "-x", "phase": "phase + pi"}`.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub symmetry: Named<String>,
    /// Further columns of the tables: `{"energy": "y^2/2 - cos(x)"}`.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub observables: Named<String>,
    /// Named scalars of orbits, cycles and equilibria, as columns of the tables: `{"power": Mean("c*v^2")}`.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub monitors: Named<MonitorSpec>,
    /// The default initial state of trajectories; zero where left out. Parameters may enter: `"F/k"`.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub start: Named<Number>,
    /// The split of time scales, if there is one.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub slow_fast: Option<SlowFastSpec>,
    /// Conditions on the parameters: `["eps > 0"]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub require: Vec<String>,
}

/// `Map(...)`: a map, iterated.
///
/// ```ron
/// Map(states: ["x"], parameters: {"r": 3.2}, equations: ["x+ = r*x*(1 - x)"])
/// ```
///
/// ```
/// use slipstick_study::{self as study, system::SystemSpec};
/// let text = r#"Study(title: "Hénon", system: Map(
///     states: ["x", "y"], parameters: {"a": 1.4, "b": 0.3}, equations: ["x+ = 1 - a*x^2 + y", "y+ = b*x"],
/// ))"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let Some(SystemSpec::Map(system)) = study.system else { panic!("it is one") };
/// assert_eq!((system.states, system.equations.len()), (vec!["x".to_owned(), "y".to_owned()], 2));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename = "Map")]
pub struct MapSpec {
    /// A name for reports.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// A sentence or two: what it is, and the source.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// The names of the states, in the order of tables.
    pub states: Vec<String>,
    /// Those states that are angles, with the period each is taken modulo.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub angles: Named<Number>,
    /// The parameters with their values: numbers, or formulas of numbers like `"8/3"`.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub parameters: Named<Number>,
    /// Abbreviations: `{"r2": "x^2 + y^2", "phi(u)": "u - u^3"}`, in any order.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub define: Named<String>,
    /// The next value of each state, in any order: `"x+ = r*x*(1 - x)"`.
    pub equations: Vec<String>,
    /// The image of each state under a symmetry of the map.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub symmetry: Named<String>,
    /// Further columns of the tables.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub observables: Named<String>,
    /// Named scalars of orbits, cycles and equilibria, as columns of the tables: `{"power": Mean("c*v^2")}`.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub monitors: Named<MonitorSpec>,
    /// Where an iteration starts when nothing else is said; zero where left out. Parameters may enter.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub start: Named<Number>,
    /// Conditions on the parameters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub require: Vec<String>,
}

/// `Hybrid(...)`: modes with a field each, joined by events.
///
/// ```ron
/// Hybrid(
///     states: ["x", "v"],
///     parameters: {"g": 9.81, "e": 0.8},
///     modes: {
///         "flight": Mode(
///             equations: ["x' = v", "v' = -g"],
///             events: {"bounce": Event(guard: "x", direction: Down, to: "flight", reset: {"v": "-e*v"})},
///         ),
///     },
///     start: Start(mode: "flight", at: {"x": 1}),
/// )
/// ```
///
/// ```
/// use slipstick_study::{self as study, system::SystemSpec};
/// let text = r#"Study(title: "Bouncing ball", system: Hybrid(
///     states: ["x", "v"], parameters: {"g": 9.81, "e": 0.8},
///     modes: {"flight": Mode(
///         equations: ["x' = v", "v' = -g"],
///         events: {"bounce": Event(guard: "x", direction: Down, to: "flight", reset: {"v": "-e*v"})},
///     )},
///     start: Start(mode: "flight", at: {"x": 1}),
/// ))"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let Some(SystemSpec::Hybrid(system)) = study.system else { panic!("it is one") };
/// let (name, flight) = system.modes.iter().next().unwrap();
/// assert_eq!((name, flight.equations.len(), flight.events.iter().count()), ("flight", 2, 1));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename = "Hybrid")]
pub struct HybridSpec {
    /// A name for reports.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// A sentence or two: what it is, and the source.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// The names of the states of all modes together, in the order of tables.
    pub states: Vec<String>,
    /// Those states that are angles, with the period each is taken modulo: `{"theta": "2*pi"}`.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub angles: Named<Number>,
    /// The parameters with their values: numbers, or formulas of numbers like `"8/3"`.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub parameters: Named<Number>,
    /// Abbreviations, usable everywhere: `{"xi": "Omega^2*x + sin(theta)"}`, in any order.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub define: Named<String>,
    /// For fields that depend on the time `t`: their period.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub forcing: Option<ForcingSpec>,
    /// The modes by name.
    pub modes: Named<ModeSpec>,
    /// A symmetry of the system, if there is one.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub symmetry: Option<SymmetrySpec>,
    /// Further columns of the tables, defined in every mode.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub observables: Named<String>,
    /// Named scalars of orbits, as columns of the tables: the phase at which it starts to slip, how long it sticks, the
    /// power it takes.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub monitors: Named<MonitorSpec>,
    /// The default initial state of trajectories: by default the first mode, at zero.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub start: Option<StartSpec>,
    /// The split of time scales, if there is one.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub slow_fast: Option<SlowFastSpec>,
    /// Conditions on the parameters: `["mu_d < mu_s"]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub require: Vec<String>,
}

/// `Mode(...)`: one kind of motion of a hybrid system.
///
/// ```
/// use slipstick_study::{self as study, system::SystemSpec};
/// let text = r#"Study(title: "Belt", system: Hybrid(
///     states: ["x", "v"], parameters: {"k": 1, "mu": 0.3, "v0": 1},
///     modes: {
///         "slip": Mode(equations: ["x' = v", "v' = -k*x + mu"],
///             events: {"land": Event(guard: "v - v0", direction: Up, when: ["abs(k*x) < 1"], to: "stick")}),
///         "stick": Mode(kind: Stick, states: ["x"], absent: {"v": "v0"}, equations: ["x' = v0"],
///             events: {"release": Event(guard: "k*x - 1", direction: Up, to: "slip")}),
///     },
/// ))"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let Some(SystemSpec::Hybrid(system)) = study.system else { panic!("it is one") };
/// // In stick the mass is carried along: its velocity is no state of that mode.
/// let stick = system.modes.get("stick").unwrap();
/// assert_eq!((stick.states.len(), stick.absent.get("v").map(String::as_str)), (1, Some("v0")));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename = "Mode")]
pub struct ModeSpec {
    /// The states of this mode; by default all that have no value in `absent`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub states: Vec<String>,
    /// The values of the other states, as formulas in the states of the mode: `{"y": "0"}`. An event that leads to a
    /// mode where such a state moves starts from this value, unless it resets it.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub absent: Named<String>,
    /// Abbreviations of this mode, which may stand for something else in other modes: an observable that uses one is
    /// defined mode by mode.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub define: Named<String>,
    /// `Free` (the default) for free or slipping motion, `Stick` for motion under a constraint.
    #[serde(default, skip_serializing_if = "KindSpec::is_free")]
    pub kind: KindSpec,
    /// One equation for each state that moves, in any order.
    pub equations: Vec<String>,
    /// The surfaces that the motion keeps to: formulas that are zero here. States beside them do not lie in the mode.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub surfaces: Vec<String>,
    /// Inequalities that must hold throughout the segment: `["-mu_s < xi < mu_s"]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub admissible: Vec<String>,
    /// The events that end the mode, by name.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub events: Named<EventSpec>,
}

/// Free motion or motion under a constraint.
///
/// ```
/// use slipstick_study::{self as study, system::{KindSpec, SystemSpec}};
/// let text = r#"Study(title: "Belt", system: Hybrid(
///     states: ["x", "v"], parameters: {"k": 1, "mu": 0.3, "v0": 1},
///     modes: {
///         "slip": Mode(equations: ["x' = v", "v' = -k*x + mu"],
///             events: {"land": Event(guard: "v - v0", direction: Up, when: ["abs(k*x) < 1"], to: "stick")}),
///         "stick": Mode(kind: Stick, states: ["x"], absent: {"v": "v0"}, equations: ["x' = v0"],
///             events: {"release": Event(guard: "k*x - 1", direction: Up, to: "slip")}),
///     },
/// ))"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let Some(SystemSpec::Hybrid(system)) = study.system else { panic!("it is one") };
/// let kinds: Vec<KindSpec> = system.modes.iter().map(|(_, mode)| mode.kind).collect();
/// assert!(kinds == [KindSpec::Free, KindSpec::Stick]);
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename = "Kind")]
pub enum KindSpec {
    /// Free or slipping motion.
    #[default]
    Free,
    /// Sticking, sliding, or any motion under a constraint force.
    Stick,
    /// No motion: points are looked for at which the right-hand sides vanish, with `orbit: Equilibrium`.
    Equations,
    /// What is not modelled: a motion that comes here ends, and says so.
    Outside,
}

impl KindSpec {
    fn is_free(&self) -> bool {
        *self == Self::Free
    }
}

impl From<KindSpec> for ModeKind {
    fn from(kind: KindSpec) -> Self {
        match kind {
            KindSpec::Free => Self::Free,
            KindSpec::Stick => Self::Stick,
            KindSpec::Equations => Self::Equations,
            KindSpec::Outside => Self::Outside,
        }
    }
}

/// `Event(...)`: a transition out of a mode.
///
/// ```
/// use slipstick_study::{self as study, system::SystemSpec};
/// let text = r#"Study(title: "Bouncing ball", system: Hybrid(
///     states: ["x", "v"], parameters: {"g": 9.81, "e": 0.8},
///     modes: {"flight": Mode(
///         equations: ["x' = v", "v' = -g"],
///         events: {"bounce": Event(guard: "x", direction: Down, to: "flight", reset: {"v": "-e*v"})},
///     )},
///     start: Start(mode: "flight", at: {"x": 1}),
/// ))"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let Some(SystemSpec::Hybrid(system)) = study.system else { panic!("it is one") };
/// let bounce = system.modes.get("flight").and_then(|mode| mode.events.get("bounce")).unwrap();
/// assert_eq!((bounce.to.as_str(), bounce.reset.get("v").map(String::as_str)), ("flight", Some("-e*v")));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename = "Event")]
pub struct EventSpec {
    /// The formula that crosses zero.
    pub guard: String,
    /// `Up`: from negative to positive; `Down`: from positive to negative.
    pub direction: DirectionSpec,
    /// What else must hold at the crossing: `["xi > mu_s"]`. Distinguishes events with the same guard.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub when: Vec<String>,
    /// The next mode. Where it is the same one and the reset does not turn the motion back, the guard is passed: the
    /// event happens once at each crossing.
    pub to: String,
    /// The states that jump, with their values after the event as formulas in the values before: `{"v": "-e*v"}`. The
    /// others keep their values.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub reset: Named<String>,
}

/// Which way a guard crosses zero.
///
/// ```
/// use slipstick_study::{self as study, system::{DirectionSpec, SystemSpec}};
/// let text = r#"Study(title: "Bouncing ball", system: Hybrid(
///     states: ["x", "v"], parameters: {"g": 9.81, "e": 0.8},
///     modes: {"flight": Mode(
///         equations: ["x' = v", "v' = -g"],
///         events: {"bounce": Event(guard: "x", direction: Down, to: "flight", reset: {"v": "-e*v"})},
///     )},
///     start: Start(mode: "flight", at: {"x": 1}),
/// ))"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let Some(SystemSpec::Hybrid(system)) = study.system else { panic!("it is one") };
/// // The ball falls onto the floor: its height passes zero from above.
/// let bounce = system.modes.get("flight").and_then(|mode| mode.events.get("bounce")).unwrap();
/// assert!(bounce.direction == DirectionSpec::Down);
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename = "Direction")]
pub enum DirectionSpec {
    /// From negative to positive.
    Up,
    /// From positive to negative.
    Down,
}

impl From<DirectionSpec> for Direction {
    fn from(direction: DirectionSpec) -> Self {
        match direction {
            DirectionSpec::Up => Self::Up,
            DirectionSpec::Down => Self::Down,
        }
    }
}

/// `Forcing(...)`: makes the time `t` available in a periodically forced system.
///
/// The system gets one more state, an angle of period 2π that turns once per period of the forcing; `t` stands for that
/// angle times period over 2π. Forcings like `cos(omega*t)` with `period: "2*pi/omega"` become harmonics of the angle
/// exactly.
///
/// ```
/// use slipstick_study::{self as study, system::SystemSpec};
/// let text = r#"Study(title: "Duffing", system: Smooth(
///     states: ["x", "v"], parameters: {"omega": 1.2, "F": 0.3},
///     forcing: Forcing(period: "2*pi/omega"),
///     equations: ["x' = v", "v' = -0.1*v - x - x^3 + F*cos(omega*t)"],
/// ))"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let Some(SystemSpec::Smooth(system)) = study.system else { panic!("it is one") };
/// let forcing = system.forcing.unwrap();
/// assert_eq!(forcing.period, "2*pi/omega");
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename = "Forcing")]
pub struct ForcingSpec {
    /// The period, a formula in the parameters: `"2*pi/omega"`.
    pub period: String,
    /// The name of the angle in tables.
    #[serde(default = "default_phase")]
    pub phase: String,
}

fn default_phase() -> String {
    "phase".to_owned()
}

/// `Symmetry(...)`: a symmetry of a hybrid system.
///
/// ```
/// use slipstick_study::{self as study, system::SystemSpec};
/// let text = r#"Study(title: "Relay", system: Hybrid(
///     states: ["x", "v"], parameters: {"d": 0.1},
///     modes: {
///         "right": Mode(equations: ["x' = v", "v' = -d*v - 1"], events: {"cross": Event(guard: "x", direction: Down, to: "left")}),
///         "left": Mode(equations: ["x' = v", "v' = -d*v + 1"], events: {"cross": Event(guard: "x", direction: Up, to: "right")}),
///     },
///     symmetry: Symmetry(states: {"x": "-x", "v": "-v"}, modes: {"right": "left"}),
/// ))"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let Some(SystemSpec::Hybrid(system)) = study.system else { panic!("it is one") };
/// let symmetry = system.symmetry.unwrap();
/// assert!(symmetry.modes.get("right").map(String::as_str) == Some("left") && symmetry.states.get("x").is_some());
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename = "Symmetry")]
pub struct SymmetrySpec {
    /// The image of each state: the same or another state, with a sign and a shift. States left out stay as they are.
    /// `{"x": "-x", "y": "-y", "theta": "theta + pi"}`.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub states: Named<String>,
    /// The modes that change places; one direction is enough, modes left out stay. `{"slip+": "slip-"}`.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub modes: Named<String>,
}

/// A named scalar of a periodic orbit, a cycle of a map or an equilibrium. Formulas may use states, parameters,
/// definitions, observables and the time.
///
/// ```
/// use slipstick_study::{self as study, system::{MonitorSpec, SystemSpec}};
/// let text = r#"Study(title: "Belt", system: Hybrid(
///     states: ["x", "v"], parameters: {"k": 1, "mu": 0.3, "v0": 1},
///     modes: {
///         "slip": Mode(equations: ["x' = v", "v' = -k*x + mu"],
///             events: {"land": Event(guard: "v - v0", direction: Up, when: ["abs(k*x) < 1"], to: "stick")}),
///         "stick": Mode(kind: Stick, states: ["x"], absent: {"v": "v0"}, equations: ["x' = v0"],
///             events: {"release": Event(guard: "k*x - 1", direction: Up, to: "slip")}),
///     },
///     monitors: {"stick": Duration(modes: ["stick"]), "x0": AtEntry(modes: ["slip"], of: "x")},
/// ))"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let Some(SystemSpec::Hybrid(system)) = study.system else { panic!("it is one") };
/// assert!(matches!(system.monitors.get("stick"), Some(MonitorSpec::Duration { modes }) if modes == &["stick"]));
/// assert!(matches!(system.monitors.get("x0"), Some(MonitorSpec::AtEntry { of, .. }) if of == "x"));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename = "Monitor")]
pub enum MonitorSpec {
    /// The value at the initial point: phase zero of a forcing, the first point of a cycle of a map, the equilibrium.
    Value(String),
    /// The value where the orbit first enters one of the modes.
    AtEntry {
        /// The modes.
        modes: Vec<String>,
        /// What is read: a formula.
        of: String,
    },
    /// The value where one of the events first happens, before what it resets.
    AtEvent {
        /// The events, by name.
        events: Vec<String>,
        /// What is read: a formula.
        of: String,
    },
    /// The sum over all events of the period of what each is worth, before what it resets: `Sum(of: {"hit":
    /// "(1 - e^2)*v^2/2"})`. Events not listed are worth nothing.
    Sum {
        /// For each event, by name, a formula.
        of: Named<String>,
    },
    /// The duration of the first segment in one of the modes; zero if there is none.
    Duration {
        /// The modes.
        modes: Vec<String>,
    },
    /// The largest value over the period.
    Max(String),
    /// The least value over the period.
    Min(String),
    /// The mean over the period.
    Mean(String),
    /// The integral over the period; of a map the sum over the points of the cycle.
    Integral(String),
    /// The root of the mean square over the period.
    Rms(String),
}

impl MonitorSpec {
    /// The formulas that it reads, to be changed.
    pub(crate) fn formulas_mut(&mut self) -> Vec<&mut String> {
        match self {
            Self::Value(of) | Self::AtEntry { of, .. } | Self::AtEvent { of, .. } => vec![of],
            Self::Max(of) | Self::Min(of) | Self::Mean(of) | Self::Integral(of) | Self::Rms(of) => vec![of],
            Self::Sum { of } => of.0.iter_mut().map(|(_, of)| of).collect(),
            Self::Duration { .. } => vec![],
        }
    }

    /// The formulas that it reads.
    pub fn formulas(&self) -> Vec<&str> {
        match self {
            Self::Value(of) | Self::AtEntry { of, .. } | Self::AtEvent { of, .. } => vec![of],
            Self::Max(of) | Self::Min(of) | Self::Mean(of) | Self::Integral(of) | Self::Rms(of) => vec![of],
            Self::Sum { of } => of.iter().map(|(_, of)| of.as_str()).collect(),
            Self::Duration { .. } => vec![],
        }
    }

    /// The statistic over the period and the formula that it is taken of, if it is one.
    pub fn over(&self) -> Option<(Statistic, &str)> {
        match self {
            Self::Max(of) => Some((Statistic::Max, of)),
            Self::Min(of) => Some((Statistic::Min, of)),
            Self::Mean(of) => Some((Statistic::Mean, of)),
            Self::Integral(of) => Some((Statistic::Integral, of)),
            Self::Rms(of) => Some((Statistic::Rms, of)),
            Self::Value(_) | Self::AtEntry { .. } | Self::AtEvent { .. } => None,
            Self::Sum { .. } | Self::Duration { .. } => None,
        }
    }
}

/// `Start(...)`: a point of a hybrid system.
///
/// ```
/// use slipstick_study::{self as study, system::SystemSpec};
/// let text = r#"Study(title: "Bouncing ball", system: Hybrid(
///     states: ["x", "v"], parameters: {"g": 9.81, "e": 0.8},
///     modes: {"flight": Mode(
///         equations: ["x' = v", "v' = -g"],
///         events: {"bounce": Event(guard: "x", direction: Down, to: "flight", reset: {"v": "-e*v"})},
///     )},
///     start: Start(mode: "flight", at: {"x": 1}),
/// ))"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let Some(SystemSpec::Hybrid(system)) = study.system else { panic!("it is one") };
/// let start = system.start.unwrap();
/// // The speed is zero, being left out.
/// assert!(start.mode == "flight" && start.at.get("x").is_some() && start.at.get("v").is_none());
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename = "Start")]
pub struct StartSpec {
    /// The mode.
    pub mode: String,
    /// The states that move in it; zero where left out. Parameters may enter: `"F/k"`.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub at: Named<Number>,
}

/// `SlowFast(...)`: a declaration that one state is fast: `epsilon * fast' = ...`. Equations are those of slow time: as
/// epsilon decreases, the rate of the fast state grows like 1/epsilon, and those of the others stay as they are.
///
/// ```
/// use slipstick_study::{self as study, system::SystemSpec};
/// let text = r#"Study(title: "van der Pol", system: Smooth(
///     states: ["x", "y"], parameters: {"epsilon": 0.01, "a": 0.99},
///     equations: ["x' = (y - x^3/3 + x)/epsilon", "y' = a - x"],
///     slow_fast: SlowFast(fast: "x", epsilon: "epsilon"),
/// ))"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let Some(SystemSpec::Smooth(system)) = study.system else { panic!("it is one") };
/// let declared = system.slow_fast.unwrap();
/// assert_eq!((declared.fast.as_str(), declared.epsilon.as_str()), ("x", "epsilon"));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename = "SlowFast")]
pub struct SlowFastSpec {
    /// The mode in which the time scales split; needed when there are several.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// The fast state: its equation is divided by the small parameter, `x' = (...)/eps`.
    pub fast: String,
    /// The small parameter, which the equations of slow states are not multiplied by: time is the slow one.
    pub epsilon: String,
}
