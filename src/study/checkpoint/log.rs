//! The log of one part of a run: what it holds from before, and what is added.

use crate::checkpoint::Checkpoint;
use crate::checkpoint::frames::Frames;
use crate::checkpoint::record::{Frame, SavedPoint, SavedSteps};
use serde::Serialize;
use serde::de::DeserializeOwned;
use slipstick_bifurcation::{BranchPoint, End, Logbook, Pace, Past};
use slipstick_continuation::Meshes;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a log kept of an error: its words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Kept(String);

/// What is known of one direction of a trace.
#[derive(Debug, Default)]
struct Known {
    past: Past,
    /// How many of its points the pace or the end vouches for.
    whole: usize,
}

/// The log of one part of a run. Its tasks (traces and searches) are numbered in the order in which they are begun,
/// which is the same in every run.
#[derive(Debug, Default)]
pub(crate) struct EntryLog<'c> {
    checkpoint: Option<&'c Checkpoint<'c>>,
    frames: RefCell<Option<Frames>>,
    values: RefCell<BTreeMap<usize, Vec<u8>>>,
    pasts: RefCell<BTreeMap<(usize, usize), Known>>,
    next: Cell<usize>,
}

impl<'c> EntryLog<'c> {
    /// A log that keeps nothing.
    pub(crate) fn none() -> Self {
        Self::default()
    }

    pub(crate) fn of(checkpoint: &'c Checkpoint<'c>, name: &str) -> Self {
        let mut log = Self::default();
        log.checkpoint = Some(checkpoint);
        let path = checkpoint.log_path(name);
        match checkpoint.check().and_then(|()| Frames::open(&path)) {
            Ok((frames, found)) => {
                checkpoint.include(frames.behind());
                log.frames = RefCell::new(Some(frames));
                log.read(found);
            }
            Err(e) => log.give_up(&e),
        }
        log
    }

    /// Without a log the run goes on, and says at its end that it could not have been resumed.
    fn give_up(&self, error: &std::io::Error) {
        if let Some(checkpoint) = self.checkpoint {
            checkpoint.note(error);
        }
        self.frames.replace(None);
    }

    fn read(&mut self, frames: Vec<Vec<u8>>) {
        let (values, pasts) = (self.values.get_mut(), self.pasts.get_mut());
        for bytes in frames {
            // A whole frame of this version of the format can be read; if not, it is as if it had never been written.
            let Ok(frame) = postcard::from_bytes(&bytes) else {
                return;
            };
            match frame {
                Frame::Value { task, value } => {
                    values.insert(task, value);
                }
                Frame::Point {
                    task,
                    direction,
                    point,
                    pace,
                } => {
                    let Known { past, whole } = pasts.entry((task, direction)).or_default();
                    let before = past.points.last().and_then(|p| p.point.meshes.clone());
                    past.points.push(point.restore(before.as_ref()));
                    if let Some(pace) = pace {
                        past.pace = Some(pace.restore());
                        *whole = past.points.len();
                    }
                }
                Frame::End {
                    task,
                    direction,
                    end,
                    last,
                } => {
                    let Known { past, whole } = pasts.entry((task, direction)).or_default();
                    if let (Some((label, message)), Some(point)) = (last, past.points.last_mut()) {
                        (point.label, point.message) = (label, message);
                    }
                    *whole = past.points.len();
                    past.end = Some(end);
                }
                Frame::Rewind {
                    task,
                    direction,
                    points,
                } => {
                    let Known { past, whole } = pasts.entry((task, direction)).or_default();
                    past.points.truncate(points);
                    if points < *whole {
                        // Until the next one there is no pace to go on with.
                        (past.pace, *whole) = (None, 0);
                    }
                }
            }
        }
    }

    fn append(&self, frame: &Frame) {
        let mut frames = self.frames.borrow_mut();
        let Some(file) = frames.as_mut() else { return };
        let saved = postcard::to_stdvec(frame)
            .map_err(std::io::Error::other)
            .and_then(|bytes| file.append(&bytes));
        drop(frames);
        if let Err(e) = saved {
            self.give_up(&e);
        }
    }

    /// Would a frame be written at once?
    fn is_due(&self) -> bool {
        self.frames.borrow().as_ref().is_some_and(Frames::is_due)
    }

    /// What was kept of this task before.
    pub(crate) fn known<T: DeserializeOwned>(&self, task: usize) -> Option<T> {
        let bytes = self.values.borrow_mut().remove(&task)?;
        postcard::from_bytes(&bytes).ok()
    }

    fn save<T: Serialize>(&self, task: usize, value: &T) {
        if self.frames.borrow().is_some()
            && let Ok(bytes) = postcard::to_stdvec(value)
        {
            self.append(&Frame::Value { task, value: bytes });
        }
    }

    fn begin_task(&self) -> usize {
        let task = self.next.get();
        self.next.set(task + 1);
        task
    }

    /// The value that `compute` gives: from the log if it was computed before. A part that `stop` cuts short is not
    /// kept.
    pub(crate) fn remember<T: Serialize + DeserializeOwned>(
        &self,
        stop: &AtomicBool,
        compute: impl FnOnce() -> T,
    ) -> T {
        let task = self.begin_task();
        if let Some(value) = self.known(task) {
            return value;
        }
        let value = compute();
        if !stop.load(Ordering::Relaxed) {
            self.save(task, &value);
        }
        value
    }

    /// The same for what may fail: of an error the words are kept.
    pub(crate) fn remember_outcome<T, E>(
        &self,
        stop: &AtomicBool,
        compute: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E>
    where
        T: Serialize + DeserializeOwned,
        E: ToString + From<Kept>,
    {
        let task = self.begin_task();
        if let Some(known) = self.known(task) {
            return Result::map_err(known, |words| Kept(words).into());
        }
        let outcome = compute();
        if !stop.load(Ordering::Relaxed) {
            self.save(task, &outcome.as_ref().map_err(ToString::to_string));
        }
        outcome
    }

    /// The logbook of the trace that begins now. `watch` receives each point, those from before included, and may
    /// stop the trace.
    pub(crate) fn trace<'l>(&'l self, include: &'l mut dyn FnMut(&BranchPoint) -> bool) -> TraceLog<'l, 'c> {
        TraceLog {
            log: self,
            task: self.begin_task(),
            include,
            meshes: [None, None],
        }
    }
}

impl Drop for EntryLog<'_> {
    fn drop(&mut self) {
        let outcome = self.frames.get_mut().as_mut().map(Frames::flush);
        if let Some(Err(e)) = outcome {
            self.give_up(&e);
        }
    }
}

/// The log of results that several threads compute, in any order: each goes by its number.
#[derive(Debug, Default)]
pub(crate) struct NumberedLog<'c>(Mutex<EntryLog<'c>>);

impl<'c> NumberedLog<'c> {
    /// A log that keeps nothing.
    pub(crate) fn none() -> Self {
        Self::default()
    }

    /// The log of results that several threads compute, of the part of a run that is called `name`.
    pub(crate) fn of(checkpoint: &'c Checkpoint<'c>, name: &str) -> Self {
        Self(Mutex::new(EntryLog::of(checkpoint, name)))
    }

    /// The value that `compute` gives for this part: from the log if it was computed before. What is computed while the
    /// run is being stopped may be cut short, and is not kept.
    pub(crate) fn remember<T: Serialize + DeserializeOwned>(
        &self,
        part: usize,
        stop: &AtomicBool,
        compute: impl FnOnce() -> T,
    ) -> T {
        if let Some(value) = self.0.lock().ok().and_then(|log| log.known(part)) {
            return value;
        }
        let value = compute();
        if !stop.load(Ordering::Relaxed)
            && let Ok(log) = self.0.lock()
        {
            log.save(part, &value);
        }
        value
    }

    /// The same for what may fail: of an error the words are kept.
    pub(crate) fn remember_outcome<T, E>(
        &self,
        part: usize,
        stop: &AtomicBool,
        compute: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E>
    where
        T: Serialize + DeserializeOwned,
        E: ToString + From<Kept>,
    {
        if let Some(known) = self.0.lock().ok().and_then(|log| log.known(part)) {
            return Result::map_err(known, |words| Kept(words).into());
        }
        let outcome = compute();
        if !stop.load(Ordering::Relaxed)
            && let Ok(log) = self.0.lock()
        {
            log.save(part, &outcome.as_ref().map_err(ToString::to_string));
        }
        outcome
    }
}

/// The logbook of one trace.
pub(crate) struct TraceLog<'l, 'c> {
    log: &'l EntryLog<'c>,
    task: usize,
    include: &'l mut dyn FnMut(&BranchPoint) -> bool,
    /// The meshes last written, in each direction.
    meshes: [Option<Meshes>; 2],
}

impl Logbook for TraceLog<'_, '_> {
    fn past(&mut self, direction: usize) -> Past {
        let known = self.log.pasts.borrow_mut().remove(&(self.task, direction));
        let Some(Known { mut past, whole }) = known else {
            return Past::default();
        };
        if past.points.len() > whole {
            past.points.truncate(whole);
            self.log.append(&Frame::Rewind {
                task: self.task,
                direction,
                points: whole,
            });
        }
        for point in &past.points {
            (self.include)(point);
        }
        if let (Some(last), Some(meshes)) = (past.points.last(), self.meshes.get_mut(direction)) {
            meshes.clone_from(&last.point.meshes);
        }
        past
    }

    fn wants_pace(&self) -> bool {
        self.log.is_due()
    }

    fn point(&mut self, direction: usize, point: &BranchPoint, pace: Option<&Pace>) -> bool {
        if self.log.frames.borrow().is_some() {
            let saved = SavedPoint::of(point, self.meshes.get(direction).and_then(Option::as_ref));
            self.log.append(&Frame::Point {
                task: self.task,
                direction,
                point: Box::new(saved),
                pace: pace.map(SavedSteps::of),
            });
            if let Some(meshes) = self.meshes.get_mut(direction) {
                meshes.clone_from(&point.point.meshes);
            }
        }
        (self.include)(point)
    }

    fn rewind(&mut self, direction: usize, points: usize) {
        if let Some(meshes) = self.meshes.get_mut(direction) {
            *meshes = None;
        }
        self.log.append(&Frame::Rewind {
            task: self.task,
            direction,
            points,
        });
    }

    fn end(&mut self, direction: usize, points: &[BranchPoint], end: &End) {
        self.log.append(&Frame::End {
            task: self.task,
            direction,
            end: end.clone(),
            last: points.last().map(|p| (p.label, p.message.clone())),
        });
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::checkpoint::Checkpoint;
    use crate::run_folder::claim::Claim;
    use slipstick_bifurcation::Record;
    use slipstick_continuation::{Point, Stride};

    fn point(parameter: f64) -> BranchPoint {
        BranchPoint {
            point: Point {
                z: vec![parameter],
                tangent: vec![1.0],
                weights: vec![1.0],
                meshes: None,
            },
            record: Record::default(),
            label: None,
            message: String::new(),
        }
    }

    /// What is known after three points, a rewind to the first and, perhaps, a point found since.
    fn past_after_rewind(since: Option<&Pace>) -> Past {
        let pace = |steps| Pace {
            stride: Stride::first(0.5),
            travelled: steps as f64,
            steps,
            short_steps: 0,
            retries: 0,
            memory: vec![],
        };
        let folder = tempfile::tempdir().unwrap();
        let claim = Claim::take(folder.path()).unwrap();
        let first = Checkpoint::begin(&claim, "study", &[], &[].into(), false).unwrap();
        let (log, mut look) = (EntryLog::of(&first, "curve"), |_: &BranchPoint| true);
        let mut trace = log.trace(&mut look);
        for steps in 0..3 {
            trace.point(0, &point(steps as f64), Some(&pace(steps)));
        }
        trace.rewind(0, 1);
        if since.is_some() {
            trace.point(0, &point(0.5), since);
        }
        drop(log);
        let second = Checkpoint::begin(&claim, "study", &[], &[].into(), true).unwrap();
        let (log, mut look) = (EntryLog::of(&second, "curve"), |_: &BranchPoint| true);
        log.trace(&mut look).past(0)
    }

    #[test]
    fn points_taken_back_take_their_pace_with_them() {
        // Killed before the next point: the walk begins anew rather than with the pace of a point that is no more.
        assert_eq!(past_after_rewind(None), Past::default());
        let retried = Pace {
            stride: Stride::first(0.01),
            travelled: 2.0,
            steps: 3,
            short_steps: 3,
            retries: 2,
            memory: vec![],
        };
        let past = past_after_rewind(Some(&retried));
        assert_eq!(past.pace, Some(retried));
        let parameters: Vec<f64> = past.points.iter().map(|p| p.point.parameter()).collect();
        assert_eq!(parameters, [0.0, 0.5]);
    }

    #[test]
    fn a_part_is_computed_once_unless_it_was_being_stopped() {
        let folder = tempfile::tempdir().unwrap();
        let (going, stopping) = (AtomicBool::new(false), AtomicBool::new(true));
        let odd = vec![f64::NAN, -0.0, f64::NEG_INFINITY, 0.1];
        let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        let claim = Claim::take(folder.path()).unwrap();
        let first = Checkpoint::begin(&claim, "study", &[], &[].into(), false).unwrap();
        let log = NumberedLog::of(&first, "sweep");
        assert_eq!(bits(&log.remember(7, &going, || odd.clone())), bits(&odd));
        assert_eq!(log.remember(3, &stopping, || 1), 1);
        let why = || Kept("why".to_owned());
        assert_eq!(log.remember_outcome(1, &going, || Err::<(), _>(why())), Err(why()));
        drop(log);
        let second = Checkpoint::begin(&claim, "study", &[], &[].into(), true).unwrap();
        let log = NumberedLog::of(&second, "sweep");
        let known: Vec<f64> = log.remember(7, &going, || panic!("it is known"));
        assert_eq!(bits(&known), bits(&odd));
        assert_eq!(log.remember(3, &going, || 2), 2, "cut short before, computed again");
        assert_eq!(log.remember_outcome(1, &going, || Ok(())), Err(why()));
        assert_eq!((first.trouble(), second.trouble()), (None, None));
    }
}
