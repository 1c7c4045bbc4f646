//! The attractors met at one value of the parameter, each counted once with the number of starts that came to it.

use crate::compute::attractors::recognition::Place;
use crate::results::attractors::{Attractor, AttractorKind};

/// The place of an attractor in a census.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    Orbit(usize),
    Other(usize),
}

/// What was met so far: orbits, each with what tells it from others (`K`), and everything else.
pub(crate) struct Census<K> {
    value: f64,
    /// How many of the first columns of a row tell motions without a period apart.
    decisive: usize,
    orbits: Vec<(K, Attractor)>,
    others: Vec<Attractor>,
    /// Where chaotic ones among the others are.
    places: Vec<(usize, Place)>,
}

impl<K> Census<K> {
    pub(crate) fn new(value: f64, decisive: usize) -> Self {
        Self {
            value,
            decisive,
            orbits: vec![],
            others: vec![],
            places: vec![],
        }
    }

    /// An attractor that one start came to, at this value of the parameter.
    pub(crate) fn one(value: f64, kind: AttractorKind, rows: Vec<Vec<f64>>, message: String) -> Attractor {
        Attractor {
            value,
            kind,
            starts: 1,
            rows,
            curve: None,
            message,
            exponents: vec![],
            attracting: None,
        }
    }

    /// An attractor that one start came to.
    pub(crate) fn attractor(&self, kind: AttractorKind, rows: Vec<Vec<f64>>, message: String) -> Attractor {
        Self::one(self.value, kind, rows, message)
    }

    /// Count one more start that came to the orbit that is the `same`, if it was met before.
    pub(crate) fn meet_orbit(&mut self, same: impl Fn(&K, &Attractor) -> bool) -> Option<Entry> {
        let at = self.orbits.iter().position(|(key, known)| same(key, known))?;
        self.orbits[at].1.starts += 1;
        Some(Entry::Orbit(at))
    }

    pub(crate) fn enter_orbit(&mut self, key: K, attractor: Attractor) -> Entry {
        self.orbits.push((key, attractor));
        Entry::Orbit(self.orbits.len() - 1)
    }

    /// Count one more start that came to a known attractor.
    pub(crate) fn count(&mut self, entry: Entry) {
        match entry {
            Entry::Orbit(at) => self.orbits[at].1.starts += 1,
            Entry::Other(at) => self.others[at].starts += 1,
        }
    }

    /// The orbits, with what tells them from others.
    pub(crate) fn orbits(&self) -> impl Iterator<Item = (&K, Entry)> {
        self.orbits
            .iter()
            .enumerate()
            .map(|(at, (key, _))| (key, Entry::Orbit(at)))
    }

    /// A chaotic attractor is in this place, if no other is known of it.
    pub(crate) fn locate(&mut self, entry: Entry, place: Place) {
        if let Entry::Other(at) = entry
            && matches!(self.others[at].kind, AttractorKind::Chaos { .. })
            && self.places.iter().all(|(known, _)| *known != at)
        {
            self.places.push((at, place));
        }
    }

    /// The places of chaotic attractors.
    pub(crate) fn places(&self) -> impl Iterator<Item = (&Place, Entry)> {
        self.places.iter().map(|(at, place)| (place, Entry::Other(*at)))
    }

    /// The number of an attractor among all of them, as [`Census::finish`] orders them.
    pub(crate) fn number(&self, entry: Entry) -> usize {
        match entry {
            Entry::Orbit(at) => at,
            Entry::Other(at) => self.orbits.len() + at,
        }
    }

    /// Is it a motion without a period that fills the same intervals as one of its kind that was met before?
    pub(crate) fn knows(&self, other: &Attractor) -> bool {
        !other.rows.is_empty() && self.known(other).is_some()
    }

    /// Which of those that are no orbits it is, if it was met before.
    fn known(&self, other: &Attractor) -> Option<usize> {
        let decisive = |a: &Attractor| -> Vec<Vec<f64>> {
            let width = |row: &Vec<f64>| row.len().min(self.decisive);
            a.rows.iter().map(|row| row[..width(row)].to_vec()).collect()
        };
        let same = |a: &Attractor| match (&a.kind, &other.kind) {
            (AttractorKind::Rest { .. }, AttractorKind::Rest { .. }) => {
                a.kind == other.kind && close(&a.rows, &other.rows)
            }
            (AttractorKind::Chaos { .. }, AttractorKind::Chaos { .. })
            | (AttractorKind::Torus, AttractorKind::Torus)
            | (AttractorKind::Undecided, AttractorKind::Undecided) => overlap(&decisive(a), &decisive(other)),
            (AttractorKind::Lost, AttractorKind::Lost) => true,
            _ => false,
        };
        self.others.iter().position(same)
    }

    /// Enter what is no orbit, or count it to what it belongs to: states of rest of one mode are one continuum when
    /// they have the same ends; motions without a period are counted together where they fill the same intervals.
    pub(crate) fn enter_other(&mut self, other: Attractor) -> Entry {
        match self.known(&other) {
            Some(at) => {
                self.others[at].starts += other.starts;
                Entry::Other(at)
            }
            None => {
                self.others.push(other);
                Entry::Other(self.others.len() - 1)
            }
        }
    }

    /// All of them, orbits first, in the order in which they were met.
    pub(crate) fn finish(self) -> Vec<Attractor> {
        self.orbits.into_iter().map(|(_, a)| a).chain(self.others).collect()
    }
}

/// Do rows agree as well as settled motions do?
fn close(a: &[Vec<f64>], b: &[Vec<f64>]) -> bool {
    let near = |x: &f64, y: &f64| (x - y).abs() <= 1e-6 * (1.0 + x.abs()) || x == y || (x.is_nan() && y.is_nan());
    a.len() == b.len() && a.iter().flatten().zip(b.iter().flatten()).all(|(x, y)| near(x, y))
}

/// Do two motions without a period, each described by rows of extremes, fill much the same intervals? Mirror images,
/// and others apart from each other, do not.
fn overlap(a: &[Vec<f64>], b: &[Vec<f64>]) -> bool {
    let range = |rows: &[Vec<f64>], i: usize| {
        let values = rows.iter().map(|r| r[i]);
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(v), hi.max(v)))
    };
    let (Some(first), Some(_)) = (a.first(), b.first()) else {
        return a.len() == b.len();
    };
    (0..first.len()).filter(|&i| !first[i].is_nan()).all(|i| {
        let ((a0, a1), (b0, b1)) = (range(a, i), range(b, i));
        let common = a1.min(b1) - a0.max(b0);
        common >= 0.5 * (a1 - a0).min(b1 - b0)
    })
}
