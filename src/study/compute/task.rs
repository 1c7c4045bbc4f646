//! What every computation of a study is: a task, which knows what it needs, carries itself out, and gives results to be
//! put together in the order of the study.

use crate::checkpoint::Checkpoint;
use crate::checkpoint::log::{EntryLog, NumberedLog};
use crate::checkpoint::parts::Parts;
use crate::compute::error::ComputeError;
use crate::plan::study::Plan;
use crate::results::curve::CurveResult;
use crate::results::observer::Observer;
use crate::results::run::RunResult;
use crate::share::Share;
use slipstick_numerics::stop::Stop;
use std::ops::Range;
use std::sync::Arc;

/// One computation of a study.
pub(crate) trait Task: Sync {
    /// Its name in the study.
    fn name(&self) -> &str;

    /// What must have been computed before.
    fn needs(&self) -> Needs {
        Needs::Nothing
    }

    /// What its parts need, which may be less.
    fn parts_need(&self) -> Needs {
        self.needs()
    }

    /// The parts that it is divided into, each of which may be computed elsewhere, with the numbers of their cells;
    /// none where it is not divided.
    fn parts(&self) -> Vec<Range<usize>> {
        vec![]
    }

    /// Carry it out. What was asked for and could not be had goes into [`RunResult::missing`] with its reason.
    ///
    /// # Errors
    /// Why nothing came out at all.
    fn run(&self, around: &Around<'_>) -> Result<RunResult, ComputeError>;
}

/// What a task needs of the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Needs {
    /// Nothing.
    Nothing,
    /// The curve with this number in the study.
    Curve(usize),
    /// All curves in one parameter.
    Curves,
    /// All curves, in one parameter and in two.
    CurvesAndLoci,
    /// Everything that stands before it.
    AllBefore,
}

/// What a task finds around it.
pub(crate) struct Around<'a> {
    /// The plan of the study.
    pub(crate) plan: &'a Plan,
    /// The curves of the tasks that it needs, in the order of the study.
    pub(crate) curves: Vec<&'a CurveResult>,
    /// Who wants to know how it goes.
    pub(crate) observer: &'a dyn Observer,
    /// Ends it early.
    pub(crate) stop: &'a Stop,
    /// Where what it finds is kept for a run that is resumed.
    pub(crate) checkpoint: Option<&'a Checkpoint<'a>>,
    /// The name of its log there.
    pub(crate) key: &'a str,
    /// What this process computes of divided tasks.
    pub(crate) share: &'a dyn Share,
    /// Carries out a plan of its own, without a checkpoint.
    pub(crate) run_alone: fn(&Plan, &Stop, &dyn Share) -> RunResult,
}

impl<'a> Around<'a> {
    /// The log of points and searches, in the order in which they are found.
    pub(crate) fn log(&self, suffix: &str) -> EntryLog<'a> {
        self.checkpoint
            .map_or_else(EntryLog::none, |c| EntryLog::of(c, &format!("{}{suffix}", self.key)))
    }

    /// The log of results that several threads compute.
    pub(crate) fn numbered(&self) -> NumberedLog<'a> {
        self.checkpoint
            .map_or_else(NumberedLog::none, |c| NumberedLog::of(c, self.key))
    }

    /// What the parts of the task gave, `count` of them.
    pub(crate) fn results(&self, count: usize) -> Arc<Parts> {
        let kept = self.checkpoint.filter(|_| count > 0);
        kept.map_or_else(|| Arc::new(Parts::in_memory()), |c| c.results(self.key))
    }

    /// Do work that is no curve, with the observer informed when it begins and ends; an error where it is stopped
    /// meanwhile.
    pub(crate) fn observed<R>(&self, name: &str, work: impl FnOnce() -> R) -> Result<R, ComputeError> {
        self.observer.work_begins(name);
        let done = self.stop.until(work);
        self.observer.work_ends(name);
        done.ok_or(ComputeError::CutShort)
    }
}
