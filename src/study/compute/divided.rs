//! Tasks that are divided into parts, whose results depend on the study and the part only, never on threads, order or
//! restarts. Each is in the log of the run as soon as it is computed, here or by another process.

use crate::checkpoint::parts::Parts;
use crate::compute::error::ComputeError;
use crate::compute::task::Around;
use rayon::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use slipstick_numerics::stop::{Scope, unless_stopped};
use std::io;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// The results of all parts of a task, read one after the other.
pub(crate) struct Gathered<T> {
    parts: Arc<Parts>,
    count: usize,
    of: PhantomData<T>,
}

impl<T: DeserializeOwned> Gathered<T> {
    /// The results of all parts, in order.
    ///
    /// # Errors
    /// That the run was stopped before all were computed; that the log cannot be read any more.
    pub(crate) fn all(&self) -> Result<impl Iterator<Item = Result<T, ComputeError>>, ComputeError> {
        if (0..self.count).all(|part| self.parts.has(part)) {
            Ok(self.known())
        } else {
            Err(ComputeError::CutShort)
        }
    }

    /// The results of the parts that were computed before the run was stopped, in order. Errors as in [`Self::all`].
    pub(crate) fn known(&self) -> impl Iterator<Item = Result<T, ComputeError>> {
        (0..self.count).filter(|part| self.parts.has(*part)).map(|part| {
            let bytes = self.parts.get(part).map_err(ComputeError::Log)?;
            postcard::from_bytes(&bytes).map_err(|e| ComputeError::Log(io::Error::other(e)))
        })
    }
}

/// Compute those of the parts that are not known and belong to this process; `cells` says what each consists of, for
/// the observer. What a stop cuts short is left out.
pub(crate) fn in_parts<T: Serialize + DeserializeOwned>(
    around: &Around<'_>,
    name: &str,
    cells: &[Range<usize>],
    compute: impl Fn(usize) -> T + Sync,
) -> Result<Gathered<T>, ComputeError> {
    let (share, key) = (around.share, around.key);
    let parts = around.results(cells.len());
    let all = cells.last().map_or(0, |t| t.end);
    let open: Vec<usize> = (0..cells.len()).filter(|part| !parts.has(*part)).collect();
    let known: usize = all - open.iter().map(|part| cells[*part].len()).sum::<usize>();
    let done = AtomicUsize::new(known);
    let keep = |part: usize, result: &[u8]| {
        parts.put(part, result);
        let own = cells.get(part).map_or(0, Range::len);
        around
            .observer
            .work_done(name, done.fetch_add(own, Ordering::Relaxed) + own, all);
    };
    share.begin(key, &open);
    let work = || {
        let scope = Scope::here();
        let one = || {
            while !around.stop.is_requested()
                && let Some(part) = share.next(key)
            {
                let clock = Instant::now();
                let found = scope.enter(|| unless_stopped(|| compute(part)));
                let whole = found.filter(|_| !around.stop.is_requested());
                let Some(result) = whole.and_then(|found| postcard::to_stdvec(&found).ok()) else {
                    break;
                };
                keep(part, &result);
                share.done(key, part, &result, clock.elapsed().as_secs_f64());
            }
        };
        (0..rayon::current_num_threads()).into_par_iter().for_each(|_| one());
    };
    around.observed(name, work)?;
    if !share.assembles() {
        return Err(ComputeError::InShares);
    }
    let missing: Vec<usize> = (0..cells.len()).filter(|part| !parts.has(*part)).collect();
    if !missing.is_empty() && !around.stop.is_requested() {
        return Err(ComputeError::MissingParts {
            missing,
            of: cells.len(),
        });
    }
    Ok(Gathered {
        parts,
        count: cells.len(),
        of: PhantomData,
    })
}
