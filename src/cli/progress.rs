//! Progress on a terminal.

use crate::bifurcation::BranchPoint;
use crate::study::{CurveResult, Observer};
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// A line on stderr with the curve, the number of points and the parameter reached; silent when stderr is no terminal.
pub(super) struct Progress {
    bar: ProgressBar,
    points: AtomicUsize,
}

impl Progress {
    pub(super) fn new(curves: usize, quiet: bool) -> Self {
        let bar = if quiet {
            ProgressBar::hidden()
        } else {
            ProgressBar::new(curves as u64)
        };
        if let Ok(style) =
            ProgressStyle::with_template("{bar:24} {pos}/{len} curves  {elapsed} elapsed, {eta} left  {wide_msg}")
        {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Self {
            bar,
            points: AtomicUsize::new(0),
        }
    }

    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Observer for Progress {
    fn point(&self, name: &str, point: &BranchPoint) {
        let count = self.points.fetch_add(1, Ordering::Relaxed) + 1;
        // A terminal shows no more than a few changes a second.
        if count.is_multiple_of(500) || point.label.is_some() {
            let label = point.label.map_or_else(String::new, |l| format!(" {l}"));
            self.bar.set_message(format!(
                "{name}: {count} points, at {:.6}{label}",
                point.point.parameter()
            ));
        }
    }
    fn curve_ends(&self, _: &CurveResult) {
        self.bar.inc(1);
    }
}
