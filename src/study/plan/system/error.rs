//! What can be wrong with the description of a system, and where in the study.

use crate::plan::system::mechanical_fault::MechanicalFault;
use crate::text::complaint::Complaint;
use slipstick_system::text::TextError;
use slipstick_system::text::nearest;
use std::ops::Range;

impl From<&SystemError> for Complaint {
    fn from(e: &SystemError) -> Self {
        Self {
            within: e.within.clone(),
            help: e.help(),
            ..Self::new(e.path.clone(), e.fault.to_string())
        }
    }
}

/// A fault in the description of a system.
///
/// ```
/// use slipstick_study as study;
/// let text = r#"Study(title: "Decay", system: Smooth(states: ["x"], parameters: {"a": 1}, equations: ["x' = -aa*x"]))"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let errors = study.system.unwrap().build("system").err().unwrap();
/// // The place, as a path of keys and bytes of the text there, and a way out.
/// assert_eq!((errors[0].path.as_str(), errors[0].within.clone()), ("system.equations[0]", Some(6..8)));
/// assert!(errors[0].help().is_some_and(|help| help.contains("`a`")));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{fault}")]
pub struct SystemError {
    /// Where in the study, as [`locate`](crate::text::locate::locate) understands it:
    /// `system.modes."slip+".equations[1]`.
    pub path: String,
    /// Within a text there: the bytes concerned.
    pub within: Option<Range<usize>>,
    /// What is wrong.
    #[source]
    pub fault: Box<SystemFault>,
}

/// What is wrong with the description of a system.
///
/// ```
/// use slipstick_study::{self as study, system::SystemFault};
/// let text = r#"Study(title: "Oscillator", system: Smooth(states: ["x", "v"], parameters: {}, equations: ["x' = v"]))"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let errors = study.system.unwrap().build("system").err().unwrap();
/// assert!(matches!(&*errors[0].fault, SystemFault::MissingEquation { states, .. } if states == &["v"]));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SystemFault {
    /// A text that is wrong in itself.
    #[error(transparent)]
    Text(#[from] TextError),
    /// A name that nothing has.
    #[error("unknown {what} `{name}`; known: {}", list(known))]
    Unknown {
        /// State, parameter, mode, …
        what: &'static str,
        /// The name.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// A name used twice.
    #[error("there is already {} {what} called `{name}`", article(what))]
    Duplicate {
        /// State, parameter, mode, …
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A name that words of orbits cannot be written with.
    #[error("`{}` cannot name a mode or an event: words such as `slip- land stick free | mirrored` are written with them", name.escape_debug())]
    NotAWord {
        /// The name.
        name: String,
    },
    /// More than a system can have.
    #[error("{why}")]
    TooMany {
        /// How many there are and may be, in words.
        why: String,
    },
    /// A list that must not be empty.
    #[error("a system needs at least one {what}")]
    None {
        /// State or mode.
        what: &'static str,
    },
    /// A state without an equation.
    #[error("no equation for {}", list(states))]
    MissingEquation {
        /// The states.
        states: Vec<String>,
        /// How such an equation begins.
        form: String,
    },
    /// A state with two equations.
    #[error("a second equation for `{state}`")]
    SecondEquation {
        /// The state.
        state: String,
    },
    /// An equation or start value for a state that has another role.
    #[error("`{state}` does not move in mode `{mode}`")]
    NotMoving {
        /// The state.
        state: String,
        /// The mode.
        mode: String,
    },
    /// A value given for a state that has its own equation.
    #[error("`{state}` moves in mode `{mode}`, so it cannot be given a value there")]
    Moving {
        /// The state.
        state: String,
        /// The mode.
        mode: String,
    },
    /// The time angle given an equation or a value by hand.
    #[error("`{phase}` is the phase of the forcing and has its equation already")]
    PhaseIsSet {
        /// The name of the angle.
        phase: String,
    },
    /// An event leads to a mode in which a state would have no value.
    #[error("`{state}` moves in mode `{target}` but has no value after this event")]
    Undetermined {
        /// The state.
        state: String,
        /// The mode the event leads from.
        mode: String,
        /// The mode the event leads to.
        target: String,
    },
    /// A period that is not a positive number.
    #[error("a period must be positive, and this is {value}")]
    Period {
        /// What it is.
        value: f64,
    },
    /// A forcing that takes no time.
    #[error("the period of the forcing is {value} at the default parameters: it must be positive")]
    NoPeriod {
        /// What it is.
        value: f64,
    },
    /// A parameter or start value that no double can hold.
    #[error("`{name}` = {value} is not a finite number")]
    NotFinite {
        /// The name.
        name: String,
        /// The value.
        value: f64,
    },
    /// An image that is not a state with a sign and a shift.
    #[error("the image of `{state}` under a symmetry is a state, with a sign and a shift by a number")]
    NotSigned {
        /// The state.
        state: String,
    },
    /// A symmetry that does not undo itself.
    #[error("this symmetry is not an involution: applied twice it changes `{name}`")]
    NotInvolution {
        /// The state or mode.
        name: String,
    },
    /// A symmetry that maps a mode to one with other states.
    #[error("the symmetry maps mode `{mode}` to `{image}`, which has other states")]
    ModesDiffer {
        /// The mode.
        mode: String,
        /// Its image.
        image: String,
    },
    /// A symmetry that the field does not have.
    #[error(
        "the field does not have this symmetry: at {at}, the equation of `{state}` in mode `{mode}` gives {found}, its mirror image {mirrored}"
    )]
    FieldNotSymmetric {
        /// The mode.
        mode: String,
        /// The state.
        state: String,
        /// A point where they differ.
        at: String,
        /// The value of the image mode's field.
        found: f64,
        /// The image of the mode's field.
        mirrored: f64,
    },
    /// A symmetry that the events do not have.
    #[error("the events do not have this symmetry: `{event}` of mode `{mode}` has no mirror image in mode `{image}`")]
    EventNotSymmetric {
        /// The mode.
        mode: String,
        /// The event.
        event: String,
        /// The image of the mode.
        image: String,
    },
    /// What depends on an angle does not repeat after a turn.
    #[error(
        "`{name}` is an angle, but {what} does not repeat after a turn of it: {here} at {name} = {at:.6}, {further} a period later; write what depends on `{name}` as a function with its period (a surface at 1 is `sin({name} - 1)`, crossed upwards, where that is 2 pi), or leave `{name}` out of `angles` and reset it by an event"
    )]
    AngleNotPeriodic {
        /// The angle.
        name: String,
        /// What depends on it.
        what: String,
        /// A value of the angle.
        at: f64,
        /// The value there.
        here: f64,
        /// The value a turn further.
        further: f64,
    },
    /// What depends on the time of a forcing does not repeat after its period.
    #[error(
        "{what} does not repeat with this period of the forcing: {here} at one time, {further} a period later; write the period with which everything repeats, and what depends on the phase with that of an angle: the surface at the phase 1 is `sin(phase - 1)`, crossed upwards"
    )]
    ForcingNotPeriodic {
        /// What depends on the time.
        what: String,
        /// The value at a time.
        here: f64,
        /// The value a period later.
        further: f64,
    },
    /// A field that has no value at the start.
    #[error("the field is not finite at the start ({at}): it fails here")]
    NotFiniteAtStart {
        /// The start.
        at: String,
    },
    /// A parameter that no formula uses.
    #[error("the parameter `{name}` is not used")]
    UnusedParameter {
        /// Its name.
        name: String,
    },
    /// A definition that no formula uses.
    #[error("the definition `{name}` is not used")]
    UnusedDefinition {
        /// Its name.
        name: String,
    },
    /// A state after a turn of which everything repeats, though it is no angle.
    #[error(
        "everything repeats where `{state}` grows by {period}, and it is not declared as an angle: a motion that turns on is not periodic then, and one \
         that stands still is found again with each turn"
    )]
    UndeclaredAngle {
        /// Its name.
        state: String,
        /// What it grows by.
        period: &'static str,
    },
    /// A corner or a jump in a system that is declared smooth.
    #[error(
        "`{name}` makes this {form} nonsmooth where its argument passes the corner: curves end or have kinks there"
    )]
    NotSmooth {
        /// The operation.
        name: String,
        /// `equation` or `map`.
        form: &'static str,
        /// May the system be written as `Hybrid`?
        flow: bool,
    },
    /// A jump between events.
    #[error(
        "{name} may jump: between its events a motion is taken for smooth, so an event that a jump causes may be found late, or missed"
    )]
    Jumps {
        /// The operation, in words.
        name: String,
    },
    /// An elastic structure or its friction that is wrong, or suspicious.
    #[error("{what}")]
    Elastic {
        /// What it is, in words.
        what: String,
    },
    /// Masses, springs or contacts that are wrong.
    #[error(transparent)]
    Mechanical(#[from] MechanicalFault),
    /// A table of modes where none is read.
    #[error("a system takes the modes of a `String(...)` or a `Cantilever(...)`; tables of modes are for analyses")]
    ModesFromTable,
    /// A monitor that is read nowhere.
    #[error("the monitor names no {what}")]
    Nowhere {
        /// Mode or event.
        what: &'static str,
    },
    /// A monitor that is read at modes or events, of a system that has none.
    #[error("`{word}` is for systems with modes and events, and this one has none")]
    NoModes {
        /// The kind of monitor.
        word: &'static str,
    },
    /// A declaration of which no system can be made.
    #[error("{what}")]
    Declaration {
        /// What is wrong with it, in words.
        what: String,
        /// What to write instead.
        instead: String,
    },
    /// What is made of a declaration is wrong, in a mode.
    #[error("{fault} (in the mode `{mode}` that is made of this)")]
    InMode {
        /// The mode.
        mode: String,
        /// What is wrong there.
        fault: Box<Self>,
    },
    /// Time scales that are not those declared.
    #[error("{what}")]
    TimeScales {
        /// What is otherwise, in words.
        what: String,
        /// What to write instead.
        instead: String,
    },
    /// Time scales declared without saying in which mode.
    #[error("the system has several modes: name the slow–fast one with `mode`")]
    WhichMode,
}

fn article(what: &str) -> &'static str {
    if what.starts_with(['a', 'e', 'i', 'o', 'u']) {
        "an"
    } else {
        "a"
    }
}

fn list(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    if quoted.is_empty() {
        "none".to_owned()
    } else {
        quoted.join(", ")
    }
}

impl SystemError {
    pub(crate) fn new(path: impl Into<String>, fault: impl Into<SystemFault>) -> Self {
        Self {
            path: path.into(),
            within: None,
            fault: Box::new(fault.into()),
        }
    }

    /// A fault in the text at `path`.
    pub(crate) fn text(path: impl Into<String>, error: TextError) -> Self {
        Self {
            path: path.into(),
            within: Some(error.span.clone()),
            fault: Box::new(error.into()),
        }
    }

    /// A way out, in words, if there is something to say beyond the message.
    pub fn help(&self) -> Option<String> {
        Some(match &*self.fault {
            SystemFault::Text(error) => return error.help(),
            SystemFault::InMode { fault, .. } => {
                return Self {
                    path: self.path.clone(),
                    within: None,
                    fault: fault.clone(),
                }
                .help();
            }
            SystemFault::Mechanical(fault) => return fault.help(),
            SystemFault::Unknown { what, name, known } => match nearest(name, known.iter().map(String::as_str)) {
                Some(near) => format!("did you mean `{near}`?"),
                None if *what == "state" && self.path.contains(".equations[") => format!("add `{name}` to `states`"),
                None => return None,
            },
            SystemFault::MissingEquation { states, form } => {
                format!("add `{}{form} = ...`", states.first().map_or("x", String::as_str))
            }
            SystemFault::NotMoving { mode, .. } => {
                format!("add it to the `states` of mode `{mode}`, or leave this out")
            }
            SystemFault::Undetermined { state, mode, .. } => {
                format!("add `{state}` to the event's `reset`, or to `absent` of mode `{mode}`")
            }
            SystemFault::NotSigned { state } => format!("for instance `-{state}`, or `{state} + pi`"),
            SystemFault::EventNotSymmetric { .. } => {
                "its mirror image has the mirrored guard and conditions and leads to the mirrored mode".to_owned()
            }
            SystemFault::NotFiniteAtStart { .. } => "give another `start`".to_owned(),
            SystemFault::UnusedParameter { .. } | SystemFault::UnusedDefinition { .. } => {
                "use it or leave it out".to_owned()
            }
            SystemFault::UndeclaredAngle { state, period } => format!("if it is one, add `angles: {{\"{state}\": \"{period}\"}}`"),
            SystemFault::NotSmooth { flow: true, .. } => {
                "write a `Hybrid(...)` system instead, with one mode for each side and an event where the argument vanishes: orbits are then computed to \
                 full accuracy and their bifurcations at the corner found"
                    .to_owned()
            }
            SystemFault::Jumps { .. } => {
                "make each side a mode, with an event where it jumps: count the time in a state for that, as studies/benchmarks/converter.ron does"
                    .to_owned()
            }
            SystemFault::NotSmooth { .. } => {
                "points of the map on the corner get the label `GR`, and jumps end the curve".to_owned()
            }
            SystemFault::NotFinite { .. } => "write a finite number".to_owned(),
            SystemFault::NotAWord { .. } => {
                "use one word without blanks, other than `free` and `mirrored`, which have a meaning there".to_owned()
            }
            SystemFault::NoModes { .. } => {
                "write `Value(\"...\")` for the value at the start, or `Max`, `Min`, `Mean`, `Integral` or `Rms`".to_owned()
            }
            SystemFault::Declaration { instead, .. } | SystemFault::TimeScales { instead, .. } => instead.clone(),
            SystemFault::NoPeriod { .. } => "write one that is positive, as `\"2*pi/omega\"` with `omega` above zero".to_owned(),
            SystemFault::WhichMode => "add `mode: \"...\"`".to_owned(),
            _ => return None,
        })
    }
}
