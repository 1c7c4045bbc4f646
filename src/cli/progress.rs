//! Progress on a terminal.

use crate::bifurcation::BranchPoint;
use crate::orbit::Searched;
use crate::study::{CurveResult, Observer, Plan};
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Parts of the bar that each curve takes.
const PARTS: f64 = 1000.0;

/// A line on stderr: how much of the ranges is covered, the rate, the time left, the curve and the parameter reached; silent when stderr is no
/// terminal.
pub(super) struct Progress {
    bar: ProgressBar,
    began: Instant,
    points: AtomicUsize,
    curves: Mutex<Vec<Covered>>,
}

/// How much of its range a curve of the study has covered.
struct Covered {
    name: String,
    range: (f64, f64),
    reached: (f64, f64),
    ended: bool,
}

impl Covered {
    /// As a part of its range; of ranges over decades, the part of the decades.
    fn part(&self) -> f64 {
        if self.ended {
            return 1.0;
        }
        let ((a, b), (lo, hi)) = (self.range, self.reached);
        let part = if a > 0.0 && b > 10.0 * a && lo > 0.0 {
            (hi / lo).ln() / (b / a).ln()
        } else {
            (hi - lo) / (b - a)
        };
        // A curve may turn and come back: it is over when it says so.
        part.clamp(0.0, 0.99)
    }
}

impl Progress {
    pub(super) fn new(plan: &Plan, quiet: bool) -> Self {
        let bar = if quiet {
            ProgressBar::hidden()
        } else {
            ProgressBar::new((PARTS * plan.curves.len() as f64) as u64)
        };
        if let Ok(style) =
            ProgressStyle::with_template("{bar:24} {percent}%  {elapsed} elapsed, about {eta} left  {wide_msg}")
        {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        let curves = plan.curves.iter().map(|c| Covered {
            name: c.name.clone(),
            range: c.trace.range,
            reached: (f64::INFINITY, f64::NEG_INFINITY),
            ended: false,
        });
        Self {
            bar,
            began: Instant::now(),
            points: AtomicUsize::new(0),
            curves: Mutex::new(curves.collect()),
        }
    }

    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn update(&self, name: &str, change: impl FnOnce(&mut Covered)) {
        let Ok(mut curves) = self.curves.lock() else { return };
        if let Some(curve) = curves.iter_mut().find(|c| c.name == name) {
            change(curve);
        }
        let parts: f64 = curves.iter().map(Covered::part).sum();
        self.bar.set_position((PARTS * parts) as u64);
    }
}

impl Observer for Progress {
    fn searching(&self, name: &str, value: f64, so_far: Searched) {
        if self.bar.is_hidden() {
            return;
        }
        let Searched { tried, seeds, found } = so_far;
        self.bar.set_message(format!(
            "{name}: looking for starts at {value:.6}: {tried} of {seeds} seeds tried, {found} found"
        ));
    }
    fn point(&self, name: &str, point: &BranchPoint) {
        let count = self.points.fetch_add(1, Ordering::Relaxed) + 1;
        if self.bar.is_hidden() {
            return;
        }
        let at = point.point.parameter();
        self.update(name, |c| c.reached = (c.reached.0.min(at), c.reached.1.max(at)));
        let rate = count as f64 / self.began.elapsed().as_secs_f64().max(1e-3);
        let label = point.label.map_or_else(String::new, |l| format!(" {l}"));
        self.bar
            .set_message(format!("{count} points, {rate:.0}/s; {name} at {at:.6}{label}"));
    }
    fn curve_ends(&self, result: &CurveResult) {
        self.update(&result.name, |c| c.ended = true);
    }
}
