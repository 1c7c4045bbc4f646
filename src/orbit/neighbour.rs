//! Words next to a word: what an orbit may turn into where one of its inequalities stops holding.

use super::PeriodicOrbit;
use super::inspect::Subject;
use super::word::{Word, WordError};
use crate::continuation::{Point, Problem};
use crate::flow::Junction;
use std::sync::Arc;

/// A word valid beyond a boundary, with the boundary orbit told in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Neighbour {
    /// The word.
    pub word: Word,
    /// Start of each segment.
    pub starts: Vec<Vec<f64>>,
    /// Duration of each segment; zero for one that is about to appear.
    pub durations: Vec<f64>,
    /// What happens, in words.
    pub change: String,
}

impl PeriodicOrbit<'_> {
    /// The words that may be valid beyond the boundary at `point`, where the inequality of index `broken` vanishes.
    pub fn neighbours(&mut self, point: &Point, broken: usize) -> Vec<Neighbour> {
        self.restore(&point.meshes);
        self.take_parameters(&point.z);
        let subjects = self.subjects();
        let Some(&subject) = subjects.get(broken) else {
            return vec![];
        };
        let found = match subject {
            Subject::Duration(k) => self.without(&point.z, k).into_iter().collect(),
            Subject::Condition(k) => self.with_another_ending(&point.z, k),
            Subject::Rate(k) => self.without_event(&point.z, k).into_iter().collect(),
            Subject::Watch(..) => vec![],
        };
        found.into_iter().filter(|n| n.word != self.word).collect()
    }

    fn visits(&self) -> Vec<(usize, Option<usize>)> {
        self.word.letters.iter().map(|l| (l.mode, l.event)).collect()
    }

    fn ends_of(&self, z: &[f64]) -> (Vec<Vec<f64>>, Vec<f64>) {
        let count = self.segments.len();
        (
            (0..count).map(|k| self.start(z, k).to_vec()).collect(),
            (0..count).map(|k| self.duration(z, k)).collect(),
        )
    }

    /// Segment `k` has vanished: the one before it leads straight to the one after it.
    fn without(&self, z: &[f64], k: usize) -> Option<Neighbour> {
        let mut visits = self.visits();
        if visits.len() < 2 {
            return None;
        }
        let before = (k + visits.len() - 1) % visits.len();
        visits[before].1 = None;
        let gone = self.system.modes[visits[k].0].name.clone();
        visits.remove(k);
        let word = self.connected(&visits).ok()?;
        let (mut starts, mut durations) = self.ends_of(z);
        starts.remove(k);
        durations.remove(k);
        Some(Neighbour {
            change: format!(
                "segment `{gone}` is left out: the word becomes `{}`",
                word.describe(self.system)
            ),
            word,
            starts,
            durations,
        })
    }

    /// A side condition of the event that ends segment `k` fails: events on the same surface take over, each through a segment that appears.
    fn with_another_ending(&self, z: &[f64], k: usize) -> Vec<Neighbour> {
        let letter = self.word.letters[k];
        let mode = &self.system.modes[letter.mode];
        let Some(old) = letter.event.map(|e| &mode.events[e]) else {
            return vec![];
        };
        let mut end = vec![0.0; self.segments[k].n];
        if self.end_state(z, k, &mut end).is_err() {
            return vec![];
        }
        let others = mode.events.iter().enumerate().filter(|(e, event)| {
            Some(*e) != letter.event && Arc::ptr_eq(&event.guard, &old.guard) && event.direction == old.direction
        });
        others
            .filter_map(|(e, event)| {
                let mut visits = self.visits();
                visits[k].1 = Some(e);
                visits.insert(k + 1, (event.target, None));
                let word = self.connected(&visits).ok()?;
                let mut junction = Junction::new(self.system, letter.mode, Some(e), false);
                let mut start = vec![0.0; junction.outputs()];
                junction.apply(&end, &self.parameters, &mut start);
                let (mut starts, mut durations) = self.ends_of(z);
                starts.insert(k + 1, start);
                durations.insert(k + 1, 0.0);
                Some(Neighbour {
                    change: format!(
                        "a segment `{}` appears: the word becomes `{}`",
                        self.system.modes[event.target].name,
                        word.describe(self.system)
                    ),
                    word,
                    starts,
                    durations,
                })
            })
            .collect()
    }

    /// The event that ends segment `k` is met with zero speed and leads back to the same mode: beyond, it does not happen.
    fn without_event(&self, z: &[f64], k: usize) -> Option<Neighbour> {
        let visits = self.visits();
        let count = visits.len();
        let next = (k + 1) % count;
        if self.word.symmetric || visits[next].0 != visits[k].0 {
            return None;
        }
        let (mut starts, mut durations) = self.ends_of(z);
        let mut left = visits;
        if count == 1 {
            left[0].1 = None;
        } else {
            if next == 0 {
                return None;
            }
            left[k].1 = left[next].1;
            left.remove(next);
            durations[k] += durations[next];
            durations.remove(next);
            starts.remove(next);
        }
        let word = Word {
            letters: left
                .iter()
                .map(|&(mode, event)| super::Letter { mode, event })
                .collect(),
            symmetric: false,
        };
        Some(Neighbour {
            change: format!(
                "an event is no longer reached: the word becomes `{}`",
                word.describe(self.system)
            ),
            word,
            starts,
            durations,
        })
    }

    fn connected(&self, visits: &[(usize, Option<usize>)]) -> Result<Word, WordError> {
        Word::connected(self.system, visits, self.word.symmetric)
    }
}
