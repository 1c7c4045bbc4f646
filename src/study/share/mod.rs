//! Who computes which part of a run: one process all of it, or several processes their shares.
//!
//! Tasks that are divided (charts, basins, orbit diagrams, sweeps) consist of parts, whose results depend on the study
//! and the part only. Tasks that are not are computed as a whole. A [`Share`] says what this process computes;
//! [`Alone`] is everything, a [`Shard`] one share of several that know nothing of each other, [`Assembly`] what
//! several shards computed, put together.

pub(crate) mod sample;
pub(crate) mod shard;

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Which parts of a run a process computes. Tasks are known by a key, as `task-0`, their parts by numbers.
///
/// ```
/// use slipstick_study::{Alone, Share};
/// let share = Alone::default();
/// share.begin("task-0", &[0, 1, 2]);
/// assert_eq!((share.next("task-0"), share.next("task-0")), (Some(0), Some(1)));
/// assert!(share.assembles());
/// ```
pub trait Share: Sync {
    /// Is the task computed here that is number `number` of those that are not divided?
    fn takes(&self, key: &str, number: usize) -> bool {
        let _ = (key, number);
        true
    }

    /// These parts of a divided task are not known yet.
    fn begin(&self, key: &str, open: &[usize]) {
        let _ = (key, open);
    }

    /// The next part to compute here; none when there are no more.
    fn next(&self, key: &str) -> Option<usize>;

    /// The result of a part was computed here, in so many seconds.
    fn done(&self, key: &str, part: usize, result: &[u8], seconds: f64) {
        let _ = (key, part, result, seconds);
    }

    /// Are the results of divided tasks put together here?
    fn assembles(&self) -> bool {
        true
    }
}

/// One process computes everything.
///
/// ```
/// use slipstick_study::{Alone, Share};
/// let share = Alone::default();
/// share.begin("task-0", &[7]);
/// assert_eq!((share.next("task-0"), share.next("task-0")), (Some(7), None));
/// ```
#[derive(Debug, Default)]
pub struct Alone(Queues);

impl Share for Alone {
    fn begin(&self, key: &str, open: &[usize]) {
        self.0.begin(key, open.iter().copied());
    }

    fn next(&self, key: &str) -> Option<usize> {
        self.0.next(key)
    }
}

/// What several processes computed, put together: nothing is computed that is divided.
///
/// ```
/// use slipstick_study::{Assembly, Share};
/// Assembly.begin("task-0", &[7]);
/// assert!(Assembly.next("task-0").is_none() && Assembly.assembles());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Assembly;

impl Share for Assembly {
    fn next(&self, _: &str) -> Option<usize> {
        None
    }
}

/// Parts that wait, by task.
#[derive(Debug, Default)]
pub(crate) struct Queues(Mutex<BTreeMap<String, std::vec::IntoIter<usize>>>);

impl Queues {
    pub(crate) fn begin(&self, key: &str, parts: impl Iterator<Item = usize>) {
        let parts: Vec<usize> = parts.collect();
        let mut queues = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        queues.insert(key.to_owned(), parts.into_iter());
    }

    pub(crate) fn next(&self, key: &str) -> Option<usize> {
        let mut queues = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        queues.get_mut(key)?.next()
    }
}
