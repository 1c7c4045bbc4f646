//! How far a run has got: what is done of each of its tasks, and what is left.

use slipstick_report::explore::rounded;
use std::time::Duration;

/// What is shown of the tasks under way, at most.
const MOST: usize = 5;

/// The largest part of a run that is shown as done: the rest is done when the bar is gone.
const LARGEST: f64 = 0.99;

/// Sooner than after this time, or with less than this part of a task done, no time left can be estimated.
const SOONEST: Duration = Duration::from_secs(2);
const LEAST: f64 = 0.05;

/// One task of a run.
#[derive(Clone, Debug)]
struct Unit {
    name: String,
    stage: Stage,
    /// The range of a curve.
    range: Option<(f64, f64)>,
    /// What of it was reached.
    reached: (f64, f64),
    points: usize,
    /// Parts that are done, of how many.
    parts: Option<(usize, usize)>,
    /// Where it is, in words.
    at: String,
    /// When its first point or part came, after the beginning of the run.
    since: Option<Duration>,
}

/// What becomes of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Waiting,
    Searching,
    UnderWay,
    Done,
}

impl Unit {
    /// How much of it is done, where that can be measured; of ranges over decades, the part of the decades.
    fn part(&self) -> Option<f64> {
        match (self.stage, self.parts, self.range) {
            (Stage::Done, ..) => Some(1.0),
            (Stage::Waiting | Stage::Searching, ..) => None,
            (_, Some((parts, of)), _) => Some(parts as f64 / of.max(1) as f64),
            (_, None, Some((a, b))) if self.points > 0 => {
                let (lo, hi) = self.reached;
                let part = if a > 0.0 && b > 10.0 * a && lo > 0.0 {
                    (hi / lo).ln() / (b / a).ln()
                } else {
                    (hi - lo) / (b - a)
                };
                // A curve may turn and come back: it is over when it says so.
                Some(part.clamp(0.0, LARGEST))
            }
            _ => None,
        }
    }

    /// Where it is, and what is left of it.
    fn in_words(&self) -> String {
        let mut words = self.name.clone();
        match self.part() {
            Some(part) => words.push_str(&format!(": {} %", percent(part))),
            None => words.push(':'),
        }
        if let (true, Some((from, to))) = (self.points > 0, self.range) {
            let (from, to) = (rounded(from, 5), rounded(to, 5));
            words.push_str(&format!(", {} points, at {} of {from} to {to}", self.points, self.at));
        } else if !self.at.is_empty() {
            let comma = if words.ends_with(':') { "" } else { "," };
            words.push_str(&format!("{comma} {}", self.at));
        } else if words.ends_with(':') {
            words.push_str(" under way");
        }
        words
    }
}

/// The tasks of a run.
#[derive(Clone, Debug)]
pub(super) struct Covered {
    units: Vec<Unit>,
    writing: bool,
}

/// The whole percents of a part.
fn percent(part: f64) -> u64 {
    (100.0 * part.min(LARGEST)).floor().max(0.0) as u64
}

impl Covered {
    /// Nothing done yet of these tasks; curves have ranges.
    pub(super) fn new<'a>(tasks: impl IntoIterator<Item = (&'a str, Option<(f64, f64)>)>) -> Self {
        let unit = |(name, range): (&str, Option<(f64, f64)>)| Unit {
            name: name.to_owned(),
            stage: Stage::Waiting,
            range,
            reached: (f64::INFINITY, f64::NEG_INFINITY),
            points: 0,
            parts: None,
            at: String::new(),
            since: None,
        };
        Self {
            units: tasks.into_iter().map(unit).collect(),
            writing: false,
        }
    }

    /// The task of this name, or the one that a curve which it gave besides is called after.
    fn unit(&mut self, name: &str) -> Option<&mut Unit> {
        let fits = |unit: &Unit| {
            let rest = name.strip_prefix(unit.name.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        };
        let found = self.units.iter_mut().filter(|unit| fits(unit));
        found.max_by_key(|unit| unit.name.len())
    }

    fn change(&mut self, name: &str, change: impl FnOnce(&mut Unit)) {
        if let Some(unit) = self.unit(name) {
            change(unit);
        }
    }

    pub(super) fn begins(&mut self, name: &str) {
        self.change(name, |unit| unit.stage = Stage::UnderWay);
    }

    pub(super) fn searching(&mut self, name: &str, words: String) {
        self.change(name, |unit| {
            if unit.points == 0 {
                unit.stage = Stage::Searching;
                unit.at = words;
            }
        });
    }

    /// A point was computed, `now` after the beginning.
    pub(super) fn point(&mut self, name: &str, (at, label): (f64, Option<&str>), now: Duration) {
        self.change(name, |unit| {
            unit.stage = Stage::UnderWay;
            unit.since.get_or_insert(now);
            unit.points += 1;
            unit.reached = (unit.reached.0.min(at), unit.reached.1.max(at));
            unit.at = rounded(at, 7);
            if let Some(label) = label {
                unit.at.push_str(&format!(" ({label})"));
            }
        });
    }

    /// So many parts are done, `now` after the beginning.
    pub(super) fn parts(&mut self, name: &str, (parts, of): (usize, usize), now: Duration) {
        self.change(name, |unit| {
            unit.stage = Stage::UnderWay;
            unit.since.get_or_insert(now);
            unit.parts = Some((parts, of));
            unit.at = format!("{parts} of {of} parts");
        });
    }

    pub(super) fn ends(&mut self, name: &str) {
        self.change(name, |unit| unit.stage = Stage::Done);
    }

    /// Everything is computed, and being written.
    pub(super) fn writes(&mut self) {
        self.writing = true;
    }

    /// How much of the run is done, less than all of it: of its time where that is known, of its tasks where it is not.
    pub(super) fn part(&self, now: Duration) -> f64 {
        let parts: f64 = self.units.iter().map(|unit| unit.part().unwrap_or(0.0)).sum();
        let part = match self.left(now) {
            _ if self.writing => 1.0,
            Some(left) => now.as_secs_f64() / (now + left).as_secs_f64(),
            None => parts / self.units.len().max(1) as f64,
        };
        part.min(LARGEST)
    }

    /// What the run is doing.
    pub(super) fn phase(&self) -> &'static str {
        let any = |stage: Stage| self.units.iter().any(|unit| unit.stage == stage);
        let under_way = || self.units.iter().filter(|unit| unit.stage == Stage::UnderWay);
        if self.writing {
            "writing tables and figures"
        } else if any(Stage::Searching) && !any(Stage::UnderWay) {
            "looking for starts"
        } else if any(Stage::UnderWay) && under_way().all(|unit| unit.range.is_some()) {
            "tracing curves"
        } else {
            "computing"
        }
    }

    /// The time left, where it can be estimated: nothing waits, what is under way can be measured, and no curve goes on
    /// beyond its range. Tasks are computed beside each other: it is that of the slowest.
    pub(super) fn left(&self, now: Duration) -> Option<Duration> {
        let mut left = None;
        for unit in self.units.iter().filter(|unit| unit.stage != Stage::Done) {
            let part = unit.part().filter(|part| (LEAST..LARGEST).contains(part))?;
            let time = now.checked_sub(unit.since?).filter(|time| *time >= SOONEST)?;
            left = left.max(Some(time.mul_f64((1.0 - part) / part)));
        }
        left.filter(|_| !self.writing)
    }

    /// A line for each task under way, and one for those that are done and those that wait.
    pub(super) fn lines(&self) -> Vec<String> {
        if self.writing {
            return vec![];
        }
        let open = |unit: &&Unit| matches!(unit.stage, Stage::Searching | Stage::UnderWay);
        let mut lines: Vec<String> = self.units.iter().filter(open).take(MOST).map(Unit::in_words).collect();
        let more = self.units.iter().filter(open).count().saturating_sub(MOST);
        let names = |stage: Stage| -> Vec<&str> {
            let all = self.units.iter().filter(|unit| unit.stage == stage);
            all.map(|unit| unit.name.as_str()).collect()
        };
        let (done, waiting) = (names(Stage::Done), names(Stage::Waiting));
        let mut rest = vec![];
        if more > 0 {
            rest.push(format!("{more} more under way"));
        }
        for (words, of) in [("done", done), ("to come", waiting)] {
            if !of.is_empty() {
                rest.push(format!("{words}: {}", of.join(", ")));
            }
        }
        if !rest.is_empty() {
            lines.push(rest.join("; "));
        }
        lines
    }
}

/// A time in the words of a clock on the wall.
pub(super) fn roughly(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 90.0 {
        format!("{} s", seconds.ceil().max(1.0))
    } else if seconds < 90.0 * 60.0 {
        format!("{:.0} min", seconds / 60.0)
    } else {
        format!("{:.1} h", seconds / 3600.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LONG: Duration = Duration::from_secs(60);
    const BEGIN: Duration = Duration::ZERO;

    #[test]
    fn a_run_says_its_phase_what_is_done_and_what_is_left() {
        let mut run = Covered::new([
            ("stiff", Some((1.0, 15.0))),
            ("soft", Some((0.0, 1.0))),
            ("motion", None),
        ]);
        run.begins("stiff");
        run.searching("stiff", "3 of 9 seeds".into());
        assert_eq!((run.phase(), run.left(LONG)), ("looking for starts", None));
        assert_eq!(run.lines(), ["stiff: 3 of 9 seeds", "to come: soft, motion"]);
        run.point("stiff", (2.0, None), BEGIN);
        run.point("stiff", (9.0, Some("LP")), BEGIN);
        assert_eq!((run.phase(), run.left(LONG)), ("tracing curves", None));
        assert_eq!(run.lines()[0], "stiff: 55 %, 2 points, at 9 (LP) of 1 to 15");
        run.ends("stiff");
        run.begins("soft");
        run.point("soft", (0.25, None), BEGIN);
        run.point("soft-BP1a", (0.75, None), BEGIN);
        assert_eq!(run.left(LONG), None, "the motion has not begun");
        run.parts("motion", (1, 5), LONG / 2);
        assert_eq!(run.phase(), "computing");
        // A fifth in half a minute: two minutes more, of three.
        assert_eq!(run.left(LONG).map(roughly), Some("2 min".into()));
        assert_eq!(percent(run.part(LONG)), 33);
        assert_eq!(run.left(LONG / 2), None, "it is too soon");
        run.point("soft", (1.0, None), LONG);
        run.point("soft", (0.0, None), LONG);
        assert_eq!(
            run.left(LONG),
            None,
            "a curve that has covered its range ends nobody knows when"
        );
        run.ends("soft");
        run.ends("motion");
        assert_eq!((percent(run.part(LONG)), run.left(LONG)), (99, None));
        run.writes();
        assert_eq!(
            (run.phase(), percent(run.part(LONG)), run.lines().len()),
            ("writing tables and figures", 99, 0)
        );
    }

    proptest! {
        /// Whatever happens in whatever order, not everything is shown as done, and there is always something to say.
        #[test]
        fn no_run_is_shown_as_done(events in prop::collection::vec((0usize..6, 0usize..3, -5.0f64..20.0), 0..60)) {
            let names = ["a", "a-b", "c"];
            let mut run = Covered::new([("a", Some((0.1, 15.0))), ("a-b", Some((-1.0, 1.0))), ("c", None)]);
            for (k, (event, task, value)) in events.into_iter().enumerate() {
                let (name, now) = (names[task], Duration::from_secs(k as u64));
                match event {
                    0 => run.begins(name),
                    1 => run.searching(name, "seeds".into()),
                    2 | 3 => run.point(name, (value, None), now),
                    4 => run.parts(name, (value.abs() as usize, 20), now),
                    _ => run.ends(name),
                }
                prop_assert!(percent(run.part(now)) < 100 && (0.0..1.0).contains(&run.part(now)));
                prop_assert!(!run.lines().is_empty() && run.lines().len() <= 4);
                if let Some(left) = run.left(now) {
                    prop_assert!(left <= now.mul_f64((1.0 - LEAST) / LEAST + 1e-6));
                }
            }
        }
    }
}
