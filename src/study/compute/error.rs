//! Why a computation of a study produced no result.

use crate::analysis::error::AnalysisError;
use crate::checkpoint::log::Kept;
use crate::plan::orbit_files::OrbitFileError;
use slipstick_bifurcation::{End, Label};
use slipstick_continuation::Failure;
use slipstick_flow::exponents::SpectrumError;
use slipstick_flow::{FlowError, TransientError};
use slipstick_numerics::number::{exact, rounded};
use slipstick_orbit::{LocusError, WordError};
use slipstick_report::ReportError;
use slipstick_slow_fast::SlowFastError;
use std::path::PathBuf;

/// Why a computation of a study produced no result. Times and periods are in the units of the study.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ComputeError {
    // The run was stopped.
    #[error("the run was stopped before it began")]
    StoppedBefore,
    #[error("the run was stopped before a start was found")]
    StoppedBeforeStart,
    #[error("the run was stopped before it was done")]
    CutShort,

    // Its parts are computed by several processes.
    #[error("its parts are computed in shards: `slipstick merge` puts them together")]
    InShares,
    #[error("{} of its {of} parts are missing or damaged: {}", missing.len(), first_of(missing))]
    MissingParts { missing: Vec<usize>, of: usize },
    #[error("the log of its parts cannot be read: {0}")]
    Log(#[source] std::io::Error),

    // Something failed that says itself why.
    #[error(transparent)]
    Failure(#[from] Failure),
    #[error(transparent)]
    Flow(#[from] FlowError),
    #[error(transparent)]
    Spectrum(#[from] SpectrumError),
    #[error(transparent)]
    Word(#[from] WordError),
    #[error(transparent)]
    Locus(#[from] LocusError),
    #[error(transparent)]
    SlowFast(#[from] SlowFastError),
    #[error(transparent)]
    Analysis(#[from] AnalysisError),
    #[error(transparent)]
    OrbitFile(#[from] OrbitFileError),
    #[error(transparent)]
    Report(#[from] ReportError),
    #[error(transparent)]
    Kept(#[from] Kept),

    // Points to start from are not there.
    #[error("curve `{curve}` produced no points to start from")]
    NoPoints { curve: String },
    #[error("there is no {what}{}{}", of_others(there), named_otherwise(siblings))]
    NoSuchPoint {
        what: String,
        /// The labelled points that there are, in words; empty where that is not known.
        there: String,
        siblings: Vec<String>,
    },
    #[error("{0}; give the output folder of a finished run")]
    NotARun(#[source] ReportError),
    #[error("the run in {} has no curve `{curve}`; it has: {}", folder.display(), known.join(", "))]
    NoCurve {
        folder: PathBuf,
        curve: String,
        known: Vec<String>,
    },

    // Rows of tables that are no orbit of the word.
    #[error("{rows} rows are too few for a periodic orbit")]
    FewRows { rows: usize },
    #[error("the modes of the orbit are {}, which does not match the word `{word}`", modes.join(" "))]
    OtherModes { modes: Vec<String>, word: String },
    #[error(
        "the point to start from is a periodic orbit ({rows} rows), not an equilibrium; write `orbit: PeriodicOrbit`"
    )]
    NoEquilibrium { rows: usize },
    #[error("the point to start from is a cycle of {found} points, not of {wanted}")]
    OtherCycle { found: usize, wanted: usize },

    // Searches found nothing.
    #[error(
        "no admissible {what} was found at the parameters of the start, nor for other {parameter} between {} and {}{}{}; give `within` to say where to look",
        range.0,
        range.1,
        sought.as_ref().map_or_else(String::new, |sought| format!("; {sought}")),
        lost.as_ref().map_or_else(String::new, |why| format!("; at some values motions could not be followed: {why}"))
    )]
    NoOrbitFound {
        what: String,
        parameter: String,
        range: (f64, f64),
        /// What was looked for.
        sought: Option<String>,
        /// Why motions could not be followed at some values.
        lost: Option<String>,
    },
    #[error(
        "no {what} was found, neither at the start's parameters nor elsewhere for {parameter} between {} and {}{}; {}",
        range.0,
        range.1,
        only_shorter(*shorter),
        in_another_mode(elsewhere.as_deref())
    )]
    NoPointFound {
        what: String,
        parameter: String,
        range: (f64, f64),
        /// The number of points of cycles that are there instead.
        shorter: Option<usize>,
        /// Another mode in which there is an equilibrium.
        elsewhere: Option<String>,
    },
    #[error(
        "no {what} exists at {parameter} = {value}: what solves the equations there lies beyond the border at which {border}; {}",
        in_another_mode_or(elsewhere.as_deref(), "start where one exists (`at`)")
    )]
    OnlyBeyond {
        what: String,
        parameter: String,
        value: f64,
        /// What happens at the border beyond which it would lie, in words.
        border: String,
        /// Another mode in which there is an equilibrium.
        elsewhere: Option<String>,
    },

    #[error(
        "the pseudo-equilibria at {parameter} = {} lie in an escaping region, where the fields on both sides point away from the surface and the motion is not unique forward in time (NU): \
         no curve begins there. Curves of equilibria of these fields go on along them beyond a boundary equilibrium (BE): write {}, and start where one exists (`at`)",
        exact(*value),
        modes.iter().map(|mode| format!("`orbit: EquilibriumIn(\"{mode}\")`")).collect::<Vec<_>>().join(" or ")
    )]
    Escaping {
        parameter: String,
        value: f64,
        /// The modes of the fields on both sides.
        modes: Vec<String>,
    },

    // Trajectories settle to something else, or to nothing.
    #[error("{}", transient_failure(error, *time))]
    Transient {
        #[source]
        error: TransientError,
        /// The unit of time.
        time: f64,
    },
    /// A motion came to rest in another mode.
    #[error("the motion comes to rest in mode `{mode}`, not in `{wanted}`: write `orbit: EquilibriumIn(\"{mode}\")`")]
    RestsElsewhere {
        /// Where it rests.
        mode: String,
        /// The mode of the curve.
        wanted: String,
    },
    #[error(
        "the trajectory converges to an orbit of period {period} that is not symmetric: use `PeriodicOrbit`, or `Periodic(...)` with the word of the full period, or start elsewhere with `from`"
    )]
    NotSymmetric { period: f64 },
    #[error("the trajectory ends at rest in mode `{mode}` at {}; {}start it elsewhere with `from`", states.join(", "), of_stuck(instead.as_deref()))]
    AtRest {
        mode: String,
        states: Vec<String>,
        /// Where a force goes on that moves nothing: the orbit and its start, as a study says them.
        instead: Option<String>,
    },
    #[error(
        "state `{state}` becomes smaller than 1e-250 on the way, which counts as zero, although it would grow again: write the equation of its logarithm, u = ln({state}), with exp(u) for `{state}`"
    )]
    DiedOut { state: String },
    #[error(
        "the motion is still under way after t = {}, in mode `{mode}` at {}, which is no equilibrium: it has no bounds, or it needs longer; give it `patience: {}`, or start it elsewhere with `from`",
        rounded(*waited, 4), states.join(", "), rounded(*patience, 4)
    )]
    UnderWay {
        mode: String,
        states: Vec<String>,
        waited: f64,
        patience: f64,
    },
    #[error(
        "the trajectory converges to a periodic orbit with period {period}, not to an equilibrium; start elsewhere with `from`"
    )]
    NotAtRest { period: f64 },
    #[error("{0} with `from`")]
    Iterates(#[source] FlowError),
    #[error(
        "after {iterates} iterates there is no cycle of {length} points (deviation {deviation:.1e}); the motion may be chaotic or on another cycle: use `Cycle` with another number of points, or start elsewhere with `from`"
    )]
    NoCycle {
        iterates: usize,
        length: usize,
        deviation: f64,
    },

    // Starts that are not corrected to solutions, or cannot be followed.
    #[error(
        "Newton's method does not converge from the start: {0}; start closer to an orbit: from a simulation (`Settle`), from a point of another curve (`Point`), or with a better period"
    )]
    OrbitNotCorrected(#[source] Failure),
    #[error(
        "the start does not converge: {0}; start nearer to a solution, or let `start: All(at: {{…}})` look for one"
    )]
    PointNotCorrected(#[source] Failure),
    #[error(
        "no start: what Newton's method finds from there has {parameter} = {}, outside the range ({}, {}); start nearer to a solution",
        exact(*value), exact(range.0), exact(range.1)
    )]
    OutOfRange {
        parameter: String,
        value: f64,
        range: (f64, f64),
    },
    #[error(
        "its {parameter} is outside the range ({}, {}); widen the `range`, or trace the curve that it begins on at a value inside",
        exact(range.0), exact(range.1)
    )]
    BeginsOutside { parameter: String, range: (f64, f64) },
    #[error("no start: at {parameter} = {} the requirement {requirement} is violated", exact(*value))]
    Unmet {
        parameter: String,
        value: f64,
        requirement: String,
    },
    #[error(
        "no start: what Newton's method finds from there lasts for {period:.3e}, where an orbit of period {given:.3e} was begun with; start nearer to an orbit"
    )]
    OtherPeriod { period: f64, given: f64 },
    #[error("no periodic orbit could be started from the equilibrium: {0}")]
    Hopf(#[source] Failure),
    #[error(
        "the orbits that branch off at a Hopf point stay in mode `{mode}` and meet no event, and the word has events: write `{mode} free`"
    )]
    HopfInWordWithEvents { mode: String },
    #[error(
        "no motion beside the boundary equilibrium tends to a periodic orbit whose size is in proportion to the distance of {parameter} from {}",
        exact(*value)
    )]
    NoCycleAtBoundary { parameter: String, value: f64 },
    #[error(
        "the start lies on the {corner}, where the derivatives are discontinuous; start at another value of the parameter"
    )]
    OnCorner { corner: String },
    #[error(
        "the start lies on a continuum: {kind} fill {} at each value of the parameter, and there is no single one to follow. That is so where a quantity is \
         conserved, as the total of a closed system: make the quantity a parameter, write one of its states by it and the others, and omit the equation of \
         that state. And of a continuous symmetry: add an equation that breaks it, or write the system in its invariants (the radius, without the angle)",
        filled(*dimension)
    )]
    OnContinuum { kind: &'static str, dimension: usize },
    #[error("no step from the start succeeded: {}", end.describe())]
    NoStep { end: End },
    #[error(
        "no step from the start succeeded, because an inequality is zero there ({}); if the preceding event implies this inequality, omit it",
        inequalities.join("; ")
    )]
    ZeroAtStart { inequalities: Vec<String> },
    #[error("{}", all(.0))]
    NotEntered(Vec<Hindrance>),

    // Two-parameter curves.
    #[error("the curve `{curve}` that it starts from produced no points")]
    NoFamily { curve: String },
    #[error("no such branch was traced; there are: {}", known.join(", "))]
    NoBranch { known: Vec<String> },
    #[error("no {what} to start from; there are {}", known.join("; "))]
    NoStartOfLocus { what: String, known: Vec<String> },
    #[error("{label} of periodic orbits cannot be continued in two parameters")]
    OrbitLabel { label: Label },
    #[error("{label} ({}) of {kind} cannot be continued in two parameters", label.meaning())]
    PointLabel { label: Label, kind: &'static str },
    #[error("the point could not be corrected to a {label} point of the two-parameter problem: {failure}")]
    LocusOfPoints {
        label: Label,
        #[source]
        failure: Failure,
    },
    #[error(
        "{why}; {count} {what} pass together there, as where a symmetry makes them equal: curves of such {label} are not followed. Break the symmetry slightly, or write the study for the states that it leaves equal, with one state for each set of them"
    )]
    SeveralPass {
        label: Label,
        count: usize,
        what: &'static str,
        why: Box<ComputeError>,
    },
}

/// Why the orbits of a neighbouring word were not entered, in one direction.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Hindrance {
    #[error(transparent)]
    Failure(#[from] Failure),
    #[error("the new segment becomes shorter there")]
    Shortens,
    #[error("the nearest orbit with this word is a different one")]
    OtherOrbit,
    #[error("{}", .0.describe())]
    Ends(End),
}

fn all(hindrances: &[Hindrance]) -> String {
    let words: Vec<String> = hindrances.iter().map(ToString::to_string).collect();
    words.join(", ")
}

fn of_others(there: &str) -> String {
    match there {
        "" => String::new(),
        there => format!("; its special points: {there}"),
    }
}

fn named_otherwise(siblings: &[String]) -> String {
    if siblings.is_empty() {
        return String::new();
    }
    format!(
        "; from the same start there are some on {}: write that name",
        siblings.join(", ")
    )
}

fn only_shorter(shorter: Option<usize>) -> String {
    match shorter {
        None => String::new(),
        Some(1) => ", only fixed points: ask for `FixedPoint`".to_owned(),
        Some(k) => format!(", only cycles of {k} points: ask for `Cycle({k})`"),
    }
}

fn in_another_mode(mode: Option<&str>) -> String {
    in_another_mode_or(mode, "give `within` to say where to look")
}

fn in_another_mode_or(mode: Option<&str>, otherwise: &str) -> String {
    mode.map_or_else(
        || otherwise.to_owned(),
        |mode| format!("there is one in mode `{mode}`: write `orbit: EquilibriumIn(\"{mode}\")`"),
    )
}

fn filled(dimension: usize) -> String {
    match dimension {
        2 => "a curve".to_owned(),
        d => format!("a surface of dimension {}", d - 1),
    }
}

/// What to write where a force goes on that moves nothing.
fn of_stuck(instead: Option<&str>) -> String {
    instead.map_or_else(String::new, |instead| {
        format!("the force goes on and moves nothing there: for that orbit write `orbit: {instead}`, or ")
    })
}

/// Why a trajectory did not settle, and what to write instead.
fn transient_failure(error: &TransientError, unit: f64) -> String {
    let elsewhere = "start it elsewhere (`from`) or at other parameter values (`at`), or look for the orbit with `start: All(...)` or `Guess(...)`";
    let time = |t: &f64| t * unit;
    match error {
        TransientError::Restless { events, closest, .. } => format!(
            "the trajectory does not become periodic within {events} events (smallest deviation of a return {closest:e}); the motion may be chaotic or quasi-periodic, or its transient is longer: {elsewhere}"
        ),
        TransientError::Laborious {
            steps,
            t,
            events,
            closest,
        } => format!(
            "the trajectory does not become periodic within {steps} steps, which reach t = {} and {events} events (smallest deviation of a return {closest:e}); the motion may be chaotic or quasi-periodic, its transient may be longer, or the errors of the steps, amplified where it passes near zero or near an equilibrium, let no return be closer: {elsewhere}",
            time(t)
        ),
        TransientError::Flow(FlowError::TooManySteps { mode, steps, t, end }) => format!(
            "the trajectory takes more than {steps} steps in mode `{mode}`, and these reach only {} of the {} time units that it is given \
             (`patience`): give it a smaller `patience`, or {elsewhere}",
            time(t),
            time(end)
        ),
        TransientError::Flow(FlowError::StepTooSmall { mode, t, .. }) => format!(
            "the trajectory cannot be integrated beyond t = {} in mode `{mode}`, because the step size reaches rounding: the field is discontinuous or singular there. Define an event on that surface; if there is one, write what goes on smoothly a little beyond it, as `max(x, 0)^1.5` does and `x^1.5` does not (a power below one of what vanishes there has no derivative, and is not followed); or {elsewhere}",
            time(t)
        ),
        TransientError::Flow(FlowError::NotFinite { mode, t }) => {
            let (mode, t) = (mode.clone(), time(t));
            FlowError::NotFinite { mode, t }.to_string()
        }
        other => other.to_string(),
    }
}

/// The first of many numbers.
fn first_of(numbers: &[usize]) -> String {
    /// As many are named.
    const NAMED: usize = 10;
    let mut named: Vec<String> = numbers.iter().take(NAMED).map(usize::to_string).collect();
    if numbers.len() > NAMED {
        named.push("…".into());
    }
    named.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trajectory_that_does_not_settle_is_reported_in_the_words_of_studies() {
        let restless = TransientError::Restless {
            events: 20_000,
            closest: 0.1,
            tolerance: 1e-10,
        };
        let slow = TransientError::Flow(FlowError::TooManySteps {
            mode: "layer".into(),
            steps: 100_000,
            t: 0.3,
            end: 5000.0,
        });
        let laborious = TransientError::Laborious {
            steps: 1_000_000,
            t: 2e4,
            events: 50,
            closest: 1e-7,
        };
        for (error, keys) in [
            (laborious, &["`from`", "1000000 steps"][..]),
            (restless, &["`from`", "`at`"][..]),
            (slow, &["`patience`", "`from`"]),
        ] {
            let reported = ComputeError::Transient { error, time: 1.0 }.to_string();
            assert!(keys.iter().all(|key| reported.contains(key)), "{reported}");
            assert!(
                ["max_", "rtol", "method"].iter().all(|none| !reported.contains(none)),
                "{reported}"
            );
        }
    }
}
