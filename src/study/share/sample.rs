//! A few parts of each divided task, to measure how long they take.

use crate::share::Share;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Computes evenly spread parts of each divided task for about so long, at least one, and keeps how long each took.
///
/// ```
/// use slipstick_study::{Sample, Share};
/// let sample = Sample::new(std::time::Duration::ZERO);
/// sample.begin("task-0", &[0, 1, 2, 3]);
/// assert!(sample.next("task-0").is_some() && sample.next("task-0").is_none());
/// sample.done("task-0", 0, &[], 0.25);
/// assert_eq!(sample.seconds("task-0"), [0.25]);
/// ```
#[derive(Debug)]
pub struct Sample {
    longest: Duration,
    tasks: Mutex<BTreeMap<String, Sampled>>,
}

#[derive(Debug)]
struct Sampled {
    parts: std::vec::IntoIter<usize>,
    began: Option<Instant>,
    seconds: Vec<f64>,
}

impl Sample {
    /// Of each task for about so long.
    #[must_use]
    pub fn new(longest: Duration) -> Self {
        Self {
            longest,
            tasks: Mutex::default(),
        }
    }

    /// How long each of the parts of a task that were computed took, in order of time.
    pub fn seconds(&self, key: &str) -> Vec<f64> {
        let tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        let mut seconds = tasks.get(key).map_or_else(Vec::new, |t| t.seconds.clone());
        seconds.sort_by(f64::total_cmp);
        seconds
    }
}

impl Share for Sample {
    fn takes(&self, _: &str, _: usize) -> bool {
        false
    }

    fn begin(&self, key: &str, open: &[usize]) {
        let sampled = Sampled {
            parts: spread(open).into_iter(),
            began: None,
            seconds: vec![],
        };
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        tasks.insert(key.to_owned(), sampled);
    }

    fn next(&self, key: &str) -> Option<usize> {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        let task = tasks.get_mut(key)?;
        match task.began {
            None => task.began = Some(Instant::now()),
            Some(began) if began.elapsed() >= self.longest => return None,
            Some(_) => {}
        }
        task.parts.next()
    }

    fn done(&self, key: &str, _: usize, _: &[u8], seconds: f64) {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(task) = tasks.get_mut(key) {
            task.seconds.push(seconds);
        }
    }

    fn assembles(&self) -> bool {
        false
    }
}

/// The same numbers in an order of which every beginning is evenly spread: multiples of the golden section.
fn spread(numbers: &[usize]) -> Vec<usize> {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let mut places: Vec<(f64, usize)> = vec![];
    for (k, &number) in numbers.iter().enumerate() {
        // Of what lies evenly between 0 and 1, the rank in the sequence of multiples.
        places.push(((k as f64 * GOLDEN).fract(), number));
    }
    places.sort_by(|a, b| a.0.total_cmp(&b.0));
    places.into_iter().map(|(_, number)| number).collect()
}

#[cfg(test)]
mod tests {
    use super::spread;

    #[test]
    fn beginnings_are_evenly_spread() {
        let all: Vec<usize> = (0..1000).collect();
        let order = spread(&all);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, all);
        for count in [5, 13, 50, 200] {
            let mut first: Vec<usize> = order[..count].to_vec();
            first.sort_unstable();
            let gaps = first.windows(2).map(|w| w[1] - w[0]);
            assert!(gaps.max().is_some_and(|gap| gap < 4000 / count), "{count}");
        }
    }
}
