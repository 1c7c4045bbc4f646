//! What a sweep for attractors found.

use slipstick_flow::AttractingOrbit;
use slipstick_flow::exponents::Exponent;
use slipstick_numerics::number::exact;

/// What one sweep found.
///
/// ```
/// use slipstick_study as study;
/// let text = r#"Study(
///     title: "Where the logistic map settles",
///     system: Map(states: ["x"], parameters: {"r": 3.2}, equations: ["x+ = r*x*(1 - x)"]),
///     attractors: [Attractors(name: "sweep", sweep: "r", range: (3.2, 3.9), count: 2, within: {"x": (0.1, 0.9)}, starts: 4)],
/// )"#;
/// let plan = study::parse("study.ron".as_ref(), text.into())?.plan(&[])?;
/// let result = study::run(&plan, &study::Silent, &false.into());
/// let sweep = &result.attractors[0];
/// assert!(sweep.parameter == "r" && sweep.found.iter().any(|one| one.value == 3.9));
/// assert!(!sweep.verdict().is_empty());
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
pub struct AttractorsResult {
    /// Its name.
    pub name: String,
    /// Index of its system in the plan.
    pub system: usize,
    /// The name of the parameter swept over.
    pub parameter: String,
    /// Names of the monitors.
    pub monitors: Vec<String>,
    /// How many initial states were followed at each value.
    pub starts: usize,
    /// How many Lyapunov exponents of each attractor are asked for.
    pub exponents: usize,
    /// What was found, by value of the parameter.
    pub found: Vec<Attractor>,
    /// Orbits that attract and lie on none of the traced curves, in words.
    pub missing: Vec<String>,
}

/// One attractor at one value of the parameter.
///
/// ```
/// use slipstick_study as study;
/// let text = r#"Study(
///     title: "Where the logistic map settles",
///     system: Map(states: ["x"], parameters: {"r": 3.2}, equations: ["x+ = r*x*(1 - x)"]),
///     attractors: [Attractors(name: "sweep", sweep: "r", range: (3.2, 3.9), count: 2, within: {"x": (0.1, 0.9)}, starts: 4)],
/// )"#;
/// let plan = study::parse("study.ron".as_ref(), text.into())?.plan(&[])?;
/// let result = study::run(&plan, &study::Silent, &false.into());
/// let cycle = result.attractors[0].found.iter().find(|one| one.value == 3.2).ok_or("nothing is found")?;
/// // All four settle to the cycle of two points, which lies on no curve of the study.
/// assert!(cycle.starts == 4 && cycle.rows.len() == 2 && cycle.curve.is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Attractor {
    /// The value of the parameter.
    pub value: f64,
    /// What it is.
    pub kind: AttractorKind,
    /// How many of the initial states settle to it.
    pub starts: usize,
    /// The monitors: one row for an orbit; for states of rest one for each end of their continuum; for other motions
    /// one for each of many rounds; for maps one for each point.
    pub rows: Vec<Vec<f64>>,
    /// The curve that it lies on.
    pub curve: Option<String>,
    /// More about it, in words.
    pub message: String,
    /// As many Lyapunov exponents as are asked for.
    pub exponents: Vec<Exponent>,
    /// The orbit as it was settled to.
    pub attracting: Option<AttractingOrbit>,
}

/// What a motion settles to.
///
/// ```
/// use slipstick_study::{self as study, AttractorKind};
/// let text = r#"Study(
///     title: "Where the logistic map settles",
///     system: Map(states: ["x"], parameters: {"r": 3.2}, equations: ["x+ = r*x*(1 - x)"]),
///     attractors: [Attractors(name: "sweep", sweep: "r", range: (3.2, 3.9), count: 2, within: {"x": (0.1, 0.9)}, starts: 4)],
/// )"#;
/// let plan = study::parse("study.ron".as_ref(), text.into())?.plan(&[])?;
/// let result = study::run(&plan, &study::Silent, &false.into());
/// let kind = |value| result.attractors[0].found.iter().find(|one| one.value == value).map(|one| &one.kind);
/// assert!(matches!(kind(3.2), Some(AttractorKind::Orbit { period, .. }) if *period == 2.0));
/// // Lyapunov's exponent of the map at r = 3.9 is about 0.5.
/// assert!(matches!(kind(3.9), Some(AttractorKind::Chaos { exponent }) if (0.4..0.6).contains(exponent)));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum AttractorKind {
    /// A periodic orbit.
    Orbit {
        /// Its word.
        word: String,
        /// Its period.
        period: f64,
    },
    /// Rest: an equilibrium, or the continuum of states of permanent stick.
    Rest {
        /// The mode.
        mode: String,
    },
    /// No repetition, and neighbouring motions separate exponentially.
    Chaos {
        /// The largest Lyapunov exponent.
        exponent: f64,
    },
    /// No repetition, and neighbouring motions neither separate nor approach each other: it turns about a torus.
    Torus,
    /// No repetition within the events allowed.
    Undecided,
    /// The motion could not be followed.
    Lost,
}

impl AttractorKind {
    /// The word of an orbit with its period, the mode of rest without one, nothing of other motions.
    pub fn word_and_period(&self) -> (&str, f64) {
        match self {
            Self::Orbit { word, period } => (word, *period),
            Self::Rest { mode } => (mode, f64::NAN),
            Self::Chaos { .. } | Self::Torus | Self::Undecided | Self::Lost => ("", f64::NAN),
        }
    }

    /// The word for it in tables.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Orbit { .. } => "orbit",
            Self::Rest { .. } => "rest",
            Self::Chaos { .. } => "chaos",
            Self::Torus => "torus",
            Self::Undecided => "unsettled",
            Self::Lost => "lost",
        }
    }
}

impl AttractorsResult {
    /// Name the orbits that attract and lie on no curve.
    pub(crate) fn name_missing(&mut self) {
        self.missing = self
            .found
            .iter()
            .filter(|a| a.curve.is_none())
            .filter_map(|a| match &a.kind {
                AttractorKind::Orbit { word, period } => Some(format!(
                    "at {} = {} an orbit `{word}` of period {} attracts {} of {} initial states",
                    self.parameter,
                    exact(a.value),
                    exact(*period),
                    a.starts,
                    self.starts
                )),
                _ => None,
            })
            .collect();
    }

    /// What the sweep says of the picture as a whole.
    pub fn verdict(&self) -> String {
        let count = |kind: fn(&AttractorKind) -> bool| self.found.iter().filter(|a| kind(&a.kind)).count();
        let orbits = count(|k| matches!(k, AttractorKind::Orbit { .. }));
        let mut values: Vec<f64> = self.found.iter().map(|a| a.value).collect();
        values.dedup();
        let mut text = format!(
            "{} values of {} with {} initial states each: {orbits} attracting orbits",
            values.len(),
            self.parameter,
            self.starts
        );
        for (name, kind) in [
            (
                "continua or states of rest",
                (|k| matches!(k, AttractorKind::Rest { .. })) as fn(&AttractorKind) -> bool,
            ),
            ("chaotic attractors", |k| matches!(k, AttractorKind::Chaos { .. })),
            ("motions about a torus", |k| matches!(k, AttractorKind::Torus)),
            ("motions whose transient did not end", |k| {
                matches!(k, AttractorKind::Undecided)
            }),
            ("motions that could not be followed", |k| {
                matches!(k, AttractorKind::Lost)
            }),
        ] {
            let own: Vec<f64> = self.found.iter().filter(|a| kind(&a.kind)).map(|a| a.value).collect();
            if let (Some(from), Some(to)) = (own.first(), own.last()) {
                text.push_str(&format!(", {} {name} ({} = {from} to {to})", own.len(), self.parameter));
            }
        }
        if self.missing.is_empty() {
            // Of no orbits nothing is to be said.
            text.push_str(if orbits > 0 {
                "; every attracting orbit lies on a traced curve"
            } else {
                ""
            });
        } else {
            text.push_str(&format!("; {} are on no traced curve", self.missing.len()));
        }
        text
    }
}
