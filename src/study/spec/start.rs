//! Where a curve starts.

use serde::Deserialize;
use std::collections::BTreeMap;

/// Where a curve starts.
///
/// ```
/// use slipstick_study as study;
/// let text = r#"Study(
///     title: "One curve",
///     system: Stiction(mu_s: 1.1, mu_d: 0.4),
///     curves: [
///         Curve(
///             name: "stiff", orbit: Symmetric("slip- stick"), start: All(at: {"Omega": 2}), free: "Omega", range: (1, 15),
///         ),
///     ],
/// )"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// assert_eq!(study.curves[0].start.at()["Omega"], 2.0);
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum StartSpec {
    /// Every orbit of the word at these parameter values starts a curve; found by a systematic search for segments of
    /// up to eight periods of the forcing, or of up to 100 units of time in a system without one. No search of a region
    /// is a proof that there is nothing else: `seeds` and `within` widen it. For cycles of maps, and equilibria, each
    /// sequence of sides of the corners (`min`, `max`, `abs`, `if`) is tried as well, up to 4096 of them: in
    /// piecewise-linear maps all short cycles are found. Where no orbit is found, other values of the free parameter in
    /// the range are tried, and the run's summary says so.
    All {
        /// Parameter values, among them the free one.
        at: BTreeMap<String, f64>,
        /// How many seeds the search spreads; chosen by the dimension when left out.
        #[serde(default)]
        seeds: Option<usize>,
        /// The interval of each state to search; by default the range of a simulated trajectory, widened.
        #[serde(default)]
        within: BTreeMap<String, (f64, f64)>,
    },
    /// As `All`, at many values of the free parameter spread over the range, so that every branch that reaches into it
    /// is found.
    Everywhere {
        /// Values of other parameters.
        #[serde(default)]
        at: BTreeMap<String, f64>,
        /// How many values of the free parameter to search at.
        #[serde(default = "default_samples")]
        samples: usize,
        /// How many seeds each search spreads; chosen by the dimension when left out.
        #[serde(default)]
        seeds: Option<usize>,
        /// The interval of each state to search; by default the range of a simulated trajectory, widened.
        #[serde(default)]
        within: BTreeMap<String, (f64, f64)>,
    },
    /// Simulate through the transient, and start from the orbit or equilibrium reached.
    Settle {
        /// Parameter values, among them the free one.
        at: BTreeMap<String, f64>,
        /// Initial state; the system's own where left out.
        #[serde(default)]
        from: BTreeMap<String, f64>,
        /// The mode the trajectory starts in; if left out, the system's own or that in which `from` lies.
        #[serde(default)]
        mode: Option<String>,
        /// How long a motion is followed without an event, or without a return, before it counts as one that moves
        /// freely; three periods of a forcing at least. Default 5000, or 5000 radians of the forcing if that is longer;
        /// where states, times or guards of a system with events are far from 1, 5000 measured units of time; of a
        /// smooth system without a forcing at least 500 times the inverse of its fastest rate at the start. Without it,
        /// what is still under way then is followed for up to a thousand times as long. A motion that has not become
        /// periodic after 20000 events, or after a million steps of the integrator, is given up with a message.
        #[serde(default)]
        patience: Option<f64>,
    },
    /// Start from a guess that Newton corrects.
    Guess {
        /// Parameter values, among them the free one.
        at: BTreeMap<String, f64>,
        /// For each segment of the word: its start state. An equilibrium has one, a cycle of a map as many as it has
        /// points or only the first. An orbit without events begins where the phase of a forcing is zero, which need
        /// not be said.
        states: Vec<BTreeMap<String, f64>>,
        /// For each segment: its duration; of a smooth periodic orbit the period. Not for equilibria and maps.
        #[serde(default)]
        durations: Vec<f64>,
    },
    /// Start from a point of another curve: one above in this study, or one of a finished run. From a Hopf point (HB)
    /// of equilibria a curve of periodic orbits sets off.
    Point {
        /// `"curve, label"` in this study, `"folder, curve, label"` in the output folder of another run (relative to
        /// the study file). The label is a code (`HB`: every such point), a code with a number (`HB 2`: the second
        /// along the curve), a level (`Omega=2`) or the index of a point that has an orbit file.
        from: String,
        /// Parameter values that differ from those of the point.
        #[serde(default)]
        at: BTreeMap<String, f64>,
    },
    /// Start from an orbit in a CSV file: a column `t`, one for each state by its name, and `mode` for hybrid systems;
    /// rows from the beginning of the period to its end. One row for an equilibrium, one for each point of a cycle of a
    /// map.
    File {
        /// The file, relative to the study.
        path: String,
        /// Parameter values, among them the free one.
        at: BTreeMap<String, f64>,
    },
    /// Start from a solution in a file of AUTO's (`s.NAME` or `fort.8`).
    Auto {
        /// The file, relative to the study.
        path: String,
        /// The label of the solution, a number.
        label: usize,
        /// The number under which AUTO knows each parameter: `{"rho": 1}` for PAR(1). By default they are numbered in
        /// the order of the system, without 11, the period.
        #[serde(default)]
        numbers: BTreeMap<String, usize>,
        /// Parameter values that differ from those of the solution.
        #[serde(default)]
        at: BTreeMap<String, f64>,
    },
}

impl StartSpec {
    /// Does the start bring parameter values of its own, so that the free one need not be given?
    pub(crate) fn brings_parameters(&self) -> bool {
        matches!(self, Self::Point { .. } | Self::Auto { .. })
    }

    /// Is the orbit to start from known, or the Hopf point, so that nothing is searched or simulated?
    pub(crate) fn is_known(&self) -> bool {
        matches!(self, Self::Point { .. } | Self::File { .. })
    }

    /// Does it look all over the range of the free parameter, whatever its value is by default?
    pub(crate) fn covers_range_of(&self, free: &str) -> bool {
        matches!(self, Self::Everywhere { at, .. } if !at.contains_key(free))
    }
}

fn default_samples() -> usize {
    24
}

impl StartSpec {
    /// The parameter values of the start.
    pub fn at(&self) -> &BTreeMap<String, f64> {
        match self {
            Self::All { at, .. }
            | Self::Everywhere { at, .. }
            | Self::Settle { at, .. }
            | Self::Guess { at, .. }
            | Self::Point { at, .. }
            | Self::File { at, .. }
            | Self::Auto { at, .. } => at,
        }
    }
}
