//! Work in tiles: cells that are computed together, in the log of the run as soon as they are done.
//!
//! What a tile gives depends on the study and the tile only, never on threads, order or restarts.

use crate::compute::error::ComputeError;
use crate::compute::task::Around;
use rayon::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use slipstick_numerics::stop::{Scope, unless_stopped};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What `compute` gives for each tile, in order. A tile that a stop cut short is left out, and with it the result.
pub(crate) fn in_tiles<T: Serialize + DeserializeOwned + Send>(
    around: &Around<'_>,
    name: &str,
    tiles: &[Range<usize>],
    compute: impl Fn(Range<usize>) -> T + Sync,
) -> Result<Vec<T>, ComputeError> {
    let log = around.parts(tiles.len());
    let cells = tiles.last().map_or(0, |t| t.end);
    let done = AtomicUsize::new(0);
    let one = |scope: &Scope, (k, tile): (usize, &Range<usize>)| {
        if around.stop.is_requested() {
            return None;
        }
        let found = || log.remember(k, around.stop, || compute(tile.clone()));
        let found = scope.enter(|| unless_stopped(found));
        let so_far = done.fetch_add(tile.len(), Ordering::Relaxed) + tile.len();
        around.observer.work_done(name, so_far, cells);
        found
    };
    let all = || {
        let scope = Scope::here();
        tiles.par_iter().enumerate().map(|tile| one(&scope, tile)).collect()
    };
    let found: Option<Vec<T>> = around.observed(name, all)?;
    found.ok_or(ComputeError::CutShort)
}
