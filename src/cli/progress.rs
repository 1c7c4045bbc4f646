//! Progress on a terminal.

use super::complain;
use super::covered::{Covered, roughly};
use super::terminal::Terminal;
use indicatif::{ProgressBar, ProgressStyle};
use slipstick_bifurcation::BranchPoint;
use slipstick_orbit::Searched;
use slipstick_report::explore::rounded;
use slipstick_study::{CurveResult, Observer, Plan, names_of_tasks};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Steps of the bar.
const STEPS: f64 = 1000.0;

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

/// Lines on stderr: the phase of the run, how much of it is done, and where each task under way is; silent when stderr
/// is no terminal, but for long silences.
pub(super) struct Progress {
    bar: ProgressBar,
    began: Instant,
    covered: Mutex<Covered>,
    places: Arc<Mutex<Places>>,
    /// Columns of the terminal.
    width: usize,
}

impl Progress {
    pub(super) fn new(plan: &Plan, quiet: bool) -> Self {
        let bar = if quiet {
            ProgressBar::hidden()
        } else {
            ProgressBar::new(STEPS as u64)
        };
        if let Ok(style) = ProgressStyle::with_template("{prefix}  {bar:24} {percent} %  {elapsed}{msg}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        let range = |name: &str| plan.curves.iter().find(|c| c.name == name).map(|c| c.trace.range);
        let of_locus = |name: &str| plan.loci.iter().find(|l| l.name == name).map(|l| l.trace.range);
        let tasks = names_of_tasks(plan).into_iter();
        let covered = Covered::new(tasks.map(|name| (name, range(name).or_else(|| of_locus(name)))));
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
            covered: Mutex::new(covered),
            places,
            width: Terminal::stderr().width.unwrap_or(100),
        }
    }

    fn note(&self, name: &str, place: Option<String>) {
        if let Ok(mut places) = self.places.lock() {
            places.note(name, place);
        }
    }

    /// Everything is computed, and being written.
    pub(super) fn writing(&self) {
        self.update(|run, _| run.writes());
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

    fn update(&self, change: impl FnOnce(&mut Covered, Duration)) {
        if self.bar.is_hidden() {
            return;
        }
        let Ok(mut covered) = self.covered.lock() else { return };
        let now = self.began.elapsed();
        change(&mut covered, now);
        let left = covered.left(now);
        let mut message = left.map_or_else(String::new, |left| format!(", about {} left", roughly(left)));
        for line in covered.lines() {
            // What is too long is cut: lines that go on would leave themselves behind when they are drawn again.
            let room = self.width.saturating_sub(3);
            let line: String = line.chars().take(room).collect();
            message.push_str(&format!("\n  {line}"));
        }
        self.bar.set_prefix(covered.phase());
        self.bar.set_position((STEPS * covered.part(now)) as u64);
        self.bar.set_message(message);
    }
}

impl Observer for Progress {
    fn curve_begins(&self, name: &str) {
        self.note(name, Some("begins".into()));
        self.update(|run, _| run.begins(name));
    }
    fn work_begins(&self, name: &str) {
        self.note(name, Some("is under way".into()));
        self.update(|run, _| run.begins(name));
    }
    fn work_done(&self, name: &str, parts: usize, of: usize) {
        self.note(name, Some(format!("completed {parts} of {of} values")));
        self.update(|run, now| run.parts(name, (parts, of), now));
    }
    fn work_ends(&self, name: &str) {
        self.note(name, None);
        self.update(|run, _| run.ends(name));
    }
    fn searching(&self, name: &str, value: f64, so_far: Searched) {
        let Searched { tried, seeds, found } = so_far;
        let value = rounded(value, 7);
        self.note(
            name,
            Some(format!("searches for starts at {value}, seed {tried} of {seeds}")),
        );
        self.update(|run, _| {
            run.searching(
                name,
                format!("looking for starts at {value}: {tried} of {seeds} seeds tried, {found} found"),
            );
        });
    }
    fn point(&self, name: &str, point: &BranchPoint) {
        let at = point.point.parameter();
        self.note(name, Some(format!("after its point at {}", rounded(at, 7))));
        let label = point.label.map(|label| label.code());
        self.update(|run, now| run.point(name, (at, label), now));
    }
    fn curve_ends(&self, result: &CurveResult) {
        self.note(&result.name, None);
        self.update(|run, _| run.ends(&result.name));
    }
}
