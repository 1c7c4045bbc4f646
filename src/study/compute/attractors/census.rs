//! The attractors met at one value of the parameter, each counted once with the number of starts that came to it.

use crate::results::attractors::{Attractor, AttractorKind};

/// What was met so far: orbits, each with what tells it from others (`K`), and everything else.
pub(crate) struct Census<K> {
    value: f64,
    /// How many of the first columns of a row tell motions without a period apart.
    decisive: usize,
    orbits: Vec<(K, Attractor)>,
    others: Vec<Attractor>,
}

impl<K> Census<K> {
    pub(crate) fn new(value: f64, decisive: usize) -> Self {
        Self {
            value,
            decisive,
            orbits: vec![],
            others: vec![],
        }
    }

    /// An attractor that one start came to.
    pub(crate) fn attractor(&self, kind: AttractorKind, rows: Vec<Vec<f64>>, message: String) -> Attractor {
        Attractor {
            value: self.value,
            kind,
            starts: 1,
            rows,
            curve: None,
            message,
            exponents: vec![],
            attracting: None,
        }
    }

    /// Count one more start that came to the orbit that is the `same`; false if it was not met before.
    pub(crate) fn meet_again(&mut self, same: impl Fn(&K) -> bool) -> bool {
        let known = self.orbits.iter_mut().find(|(k, _)| same(k));
        known.map(|(_, attractor)| attractor.starts += 1).is_some()
    }

    pub(crate) fn enter_orbit(&mut self, key: K, attractor: Attractor) {
        self.orbits.push((key, attractor));
    }

    /// Enter what is no orbit, or count it to what it belongs to: states of rest of one mode are one continuum when
    /// they have the same ends; motions without a period are counted together where they fill the same intervals.
    pub(crate) fn enter_other(&mut self, other: Attractor) {
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
            | (AttractorKind::Undecided, AttractorKind::Undecided) => overlap(&decisive(a), &decisive(&other)),
            (AttractorKind::Lost, AttractorKind::Lost) => true,
            _ => false,
        };
        match self.others.iter().position(same) {
            Some(i) => self.others[i].starts += 1,
            None => self.others.push(other),
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
