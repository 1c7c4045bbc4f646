//! How much a study may ask for: one table of limits, checked before any work starts.
//!
//! A limit keeps a slip of the pen, `rows: 1000000000`, from taking all memory of the machine. Each is far above what
//! anybody needs, and as many as are possible fit into the memory of an ordinary machine.

use crate::text::complaint::Complaint;
use slipstick_report::explore::rounded;

/// The most of one thing.
pub(crate) struct Limit {
    /// What is counted.
    pub(crate) what: &'static str,
    /// How many are possible.
    pub(crate) most: f64,
    /// The bytes that `n` of them take: this many times nᵏ, with k = `order`.
    bytes: f64,
    order: i32,
}

const fn each(what: &'static str, most: f64, bytes: f64) -> Limit {
    Limit {
        what,
        most,
        bytes,
        order: 1,
    }
}

/// Rows of a table: some ten columns, as numbers and as text.
pub(crate) const ROWS: Limit = each("rows", 2e6, 400.0);

/// Points of a curve in each direction: unknowns, tangent, monitors.
pub(crate) const POINTS: Limit = each("points", 1e6, 5e3);

/// Seeds of a search.
pub(crate) const SEEDS: Limit = each("seeds", 1e6, 100.0);

/// Values of a parameter at which something is sought.
pub(crate) const VALUES: Limit = each("values", 1e5, 5e4);

/// Initial states of a sweep, over all of its values; what each settles to is kept.
pub(crate) const STARTS: Limit = each("initial states", 1e7, 300.0);

/// Cells of a grid; a row of a table for each.
pub(crate) const CELLS: Limit = each("cells", 2e7, 200.0);

/// Events waited for.
pub(crate) const EVENTS: Limit = each("events", 1e7, 200.0);

/// Shots of a periodic orbit.
pub(crate) const INTERVALS: Limit = each("shots", 1e3, 1e5);

/// Harmonics of a periodic orbit: the matrix of its equations is square.
pub(crate) const HARMONICS: Limit = Limit {
    what: "harmonics",
    most: 2000.0,
    bytes: 1e3,
    order: 2,
};

/// Generations of branches, each of which may have several branches at every point of the one before.
pub(crate) const GENERATIONS: Limit = each("generations", 20.0, 1e8);

/// Nodes of a portrait's mesh.
pub(crate) const NODES: Limit = each("nodes of the mesh", 1e6, 2e3);

/// Orbits and fibres of a portrait, which keep their points.
pub(crate) const ORBITS: Limit = each("orbits", 1e4, 2e5);

/// Paths of an ensemble.
pub(crate) const PATHS: Limit = each("paths", 1e7, 150.0);

/// Runs of an optimiser.
pub(crate) const RUNS: Limit = each("runs", 1e5, 200.0);

/// Particles of a swarm.
pub(crate) const PARTICLES: Limit = each("particles", 1e6, 400.0);

/// Modes of an elastic structure: its matrices are square.
pub(crate) const MODES: Limit = Limit {
    what: "modes",
    most: 4000.0,
    bytes: 100.0,
    order: 2,
};

/// Multipliers of an elastic structure's orbit.
pub(crate) const MULTIPLIERS: Limit = each("multipliers", 4000.0, 1e5);

/// Sticks in one period.
pub(crate) const STICKS: Limit = each("sticks", 1e5, 1e4);

/// Steps of a scheme with a fixed step that keeps them all.
pub(crate) const STEPS: Limit = each("steps", 5e7, 60.0);

/// States of a system, as text and in tables.
pub(crate) const STATES: Limit = each("states", 2e5, 2e4);

/// States of a system of which more is asked than equilibria of equations that see few of them: its Jacobians are
/// square.
pub(crate) const FULL_STATES: Limit = Limit {
    what: "states of other objects than equilibria",
    most: 2000.0,
    bytes: 500.0,
    order: 2,
};

/// Parameters of a system.
pub(crate) const PARAMETERS: Limit = each("parameters", 2000.0, 1e5);

/// Definitions of a system, each of which may use all others.
pub(crate) const DEFINITIONS: Limit = each("definitions", 2000.0, 1e5);

/// All of them, as `docs/study.md` lists them.
#[cfg(test)]
const ALL: [&Limit; 23] = [
    &ROWS,
    &POINTS,
    &SEEDS,
    &VALUES,
    &STARTS,
    &CELLS,
    &EVENTS,
    &INTERVALS,
    &HARMONICS,
    &GENERATIONS,
    &NODES,
    &ORBITS,
    &PATHS,
    &RUNS,
    &PARTICLES,
    &MODES,
    &MULTIPLIERS,
    &STICKS,
    &STEPS,
    &STATES,
    &FULL_STATES,
    &PARAMETERS,
    &DEFINITIONS,
];

impl Limit {
    /// Why this many are too many, if they are.
    pub(crate) fn excess(&self, count: f64) -> Option<String> {
        (count > self.most).then(|| {
            format!(
                "{} {} would take {} of memory; up to {} are possible",
                rounded(count, 10),
                self.what,
                memory(self.bytes * count.powi(self.order)),
                rounded(self.most, 10)
            )
        })
    }

    /// Complain about the value at `path` if it asks for too many.
    pub(crate) fn check(&self, path: impl Into<String>, count: f64, complaints: &mut Vec<Complaint>) {
        if let Some(why) = self.excess(count) {
            complaints.push(Complaint::new(path, why).help("write a smaller number"));
        }
    }
}

/// An amount of memory, to one or two digits.
fn memory(bytes: f64) -> String {
    let units = [(1e18, "EB"), (1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB")];
    let (size, unit) = units
        .into_iter()
        .find(|(size, _)| bytes >= *size)
        .unwrap_or((1e3, "kB"));
    let count = bytes / size;
    let decimals = usize::from(count < 10.0);
    format!("about {count:.decimals$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_lists_every_limit() {
        let page = include_str!("../../../docs/study.md");
        for limit in ALL {
            let row = format!("| {} | {} |", limit.what, rounded(limit.most, 10));
            assert!(page.contains(&row), "docs/study.md lacks {row}");
        }
    }

    #[test]
    fn what_is_possible_fits_into_an_ordinary_machine() {
        for limit in ALL {
            let bytes = limit.bytes * limit.most.powi(limit.order);
            assert!(bytes <= 6e9, "{}: {bytes:e}", limit.what);
            assert!(limit.excess(limit.most).is_none() && limit.excess(1e9).is_some_and(|why| why.contains("memory")));
        }
    }
}
