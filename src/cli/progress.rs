//! Progress on a terminal.

use super::complain;
use indicatif::{ProgressBar, ProgressStyle};
use slipstick_bifurcation::BranchPoint;
use slipstick_orbit::Searched;
use slipstick_report::explore::rounded;
use slipstick_study::{CurveResult, Observer, Plan};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Parts of the bar that each curve takes.
const PARTS: f64 = 1000.0;

/// A run that has not moved for this long says where it is; then again each time the silence has doubled.
const SILENCE: Duration = Duration::from_secs(20);

/// Where each part of the run that is under way has got to, and when something last moved.
struct Places {
    known: BTreeMap<String, String>,
    moved: Instant,
    /// After how much silence the next word is due.
    due: Duration,
    over: bool,
}

impl Places {
    fn note(&mut self, name: &str, place: Option<String>) {
        self.moved = Instant::now();
        self.due = SILENCE;
        match place {
            Some(place) => self.known.insert(name.to_owned(), place),
            None => self.known.remove(name),
        };
    }

    /// What is to be said of a long silence.
    fn reported(&mut self) -> Option<String> {
        /// The parts under way that are named.
        const MOST: usize = 6;
        let silence = self.moved.elapsed();
        if silence < self.due || self.known.is_empty() {
            return None;
        }
        self.due = 2 * self.due;
        let parts = self.known.iter().take(MOST);
        let parts: Vec<String> = parts.map(|(name, place)| format!("`{name}` {place}")).collect();
        Some(format!("no progress for {} s: {}", silence.as_secs(), parts.join("; ")))
    }
}

/// A line on stderr: how much of the ranges is covered, the rate, the time left, the curve and the parameter reached;
/// silent when stderr is no terminal, but for long silences.
pub(super) struct Progress {
    bar: ProgressBar,
    began: Instant,
    points: AtomicUsize,
    curves: Mutex<Vec<Covered>>,
    places: Arc<Mutex<Places>>,
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
        let places = Arc::new(Mutex::new(Places {
            known: BTreeMap::new(),
            moved: Instant::now(),
            due: SILENCE,
            over: false,
        }));
        if !quiet {
            let (places, bar) = (Arc::clone(&places), bar.clone());
            std::thread::spawn(move || {
                loop {
                    std::thread::sleep(Duration::from_millis(500));
                    let Ok(mut places) = places.lock() else { return };
                    if places.over {
                        return;
                    }
                    if let Some(reported) = places.reported() {
                        bar.suspend(|| complain(&reported));
                    }
                }
            });
        }
        Self {
            bar,
            began: Instant::now(),
            points: AtomicUsize::new(0),
            curves: Mutex::new(curves.collect()),
            places,
        }
    }

    fn note(&self, name: &str, place: Option<String>) {
        if let Ok(mut places) = self.places.lock() {
            places.note(name, place);
        }
    }

    /// Everything is computed, and being written.
    pub(super) fn writing(&self) {
        self.bar.set_message("writing tables and figures");
        if let Ok(mut places) = self.places.lock() {
            places.known.clear();
            places.note("results", Some("are being written".into()));
        }
    }

    pub(super) fn finish(&self) {
        if let Ok(mut places) = self.places.lock() {
            places.over = true;
        }
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
    fn curve_begins(&self, name: &str) {
        self.note(name, Some("begins".into()));
    }
    fn work_begins(&self, name: &str) {
        self.note(name, Some("is under way".into()));
        self.bar.set_message(name.to_owned());
    }
    fn work_done(&self, name: &str, parts: usize, of: usize) {
        self.note(name, Some(format!("completed {parts} of {of} values")));
        self.bar.set_message(format!("{name}: {parts} of {of} values"));
    }
    fn work_ends(&self, name: &str) {
        self.note(name, None);
    }
    fn searching(&self, name: &str, value: f64, so_far: Searched) {
        let Searched { tried, seeds, found } = so_far;
        self.note(
            name,
            Some(format!(
                "searches for starts at {}, seed {tried} of {seeds}",
                rounded(value, 7)
            )),
        );
        if self.bar.is_hidden() {
            return;
        }
        self.bar.set_message(format!(
            "{name}: looking for starts at {}: {tried} of {seeds} seeds tried, {found} found",
            rounded(value, 7)
        ));
    }
    fn point(&self, name: &str, point: &BranchPoint) {
        let count = self.points.fetch_add(1, Ordering::Relaxed) + 1;
        let at = point.point.parameter();
        self.note(name, Some(format!("after its point at {}", rounded(at, 7))));
        if self.bar.is_hidden() {
            return;
        }
        self.update(name, |c| c.reached = (c.reached.0.min(at), c.reached.1.max(at)));
        let rate = count as f64 / self.began.elapsed().as_secs_f64().max(1e-3);
        let label = point.label.map_or_else(String::new, |l| format!(" {l}"));
        self.bar.set_message(format!(
            "{count} points, {rate:.0}/s; {name} at {}{label}",
            rounded(at, 7)
        ));
    }
    fn curve_ends(&self, result: &CurveResult) {
        self.note(&result.name, None);
        self.update(&result.name, |c| c.ended = true);
    }
}
