//! Ending a computation from outside, wherever it is.
//!
//! A run has one [`Stop`]. Work done within its [`Stop::until`] heeds it: every long loop of the house, in integrators,
//! in Newton's method, in searches and in ensembles, calls [`look`], which costs a nanosecond and unwinds to the
//! nearest [`Stop::until`] or [`unless_stopped`] once somebody has asked for an end. Unwinding rather than an error of
//! its own, because half a result must not be taken for one: a flow that was broken off is no reason to halve a step,
//! to doubt a label or to give up a branch. Nothing that was computed before is lost, since the tracer and the study
//! catch what comes by. It is no panic: nothing is reported and no hook is called. Work outside of any [`Stop::until`]
//! is never ended.
//!
//! Threads: tasks that a computation hands to others heed the same stop if they are wrapped by [`Scope::enter`] of the
//! scope they were made in.

use std::cell::RefCell;
use std::ops::Deref;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a run looks at to see whether it should end; clones are the same.
///
/// ```
/// use slipstick_study::{self as study, Silent, Stop};
/// let text = r#"Study(
///     title: "A ride of a lifetime",
///     system: Smooth(states: ["x", "y"], equations: ["x' = y", "y' = -sin(x)"], start: {"x": 1}),
///     simulations: [Simulation(name: "ride", time: 1e9)],
/// )"#;
/// let plan = study::parse("ride.ron".as_ref(), text.into())?.plan(&[])?;
/// let stop = Stop::default();
/// let later = stop.clone();
/// std::thread::spawn(move || later.request());
/// let result = study::run(&plan, &Silent, &stop);
/// assert!(result.stopped && result.trajectories.is_empty());
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

/// What unwinds.
struct Ended;

thread_local! {
    /// The stop that the work of this thread heeds.
    static HEEDED: RefCell<Option<Stop>> = const { RefCell::new(None) };
}

impl Stop {
    /// Ask for the end; was it asked for already?
    pub fn request(&self) -> bool {
        self.0.swap(true, Ordering::Relaxed)
    }

    /// Was the end asked for?
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Do work that heeds this; `None` where it was ended.
    pub fn until<R>(&self, work: impl FnOnce() -> R) -> Option<R> {
        Scope(Some(self.clone())).enter(|| unless_stopped(work))
    }
}

impl From<bool> for Stop {
    fn from(requested: bool) -> Self {
        Self(Arc::new(requested.into()))
    }
}

impl Deref for Stop {
    type Target = AtomicBool;
    fn deref(&self) -> &AtomicBool {
        &self.0
    }
}

/// End the work here if that is asked for.
#[inline]
pub fn look() {
    if HEEDED.with(|heeded| heeded.borrow().as_ref().is_some_and(Stop::is_requested)) {
        end();
    }
}

/// End the work here: for who has caught an end to put things back in place.
pub fn end() -> ! {
    resume_unwind(Box::new(Ended))
}

/// Do a part of the work; `None` where it was ended, so that what came before it can be kept.
pub fn unless_stopped<R>(work: impl FnOnce() -> R) -> Option<R> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(done) => Some(done),
        Err(payload) if payload.is::<Ended>() => None,
        Err(payload) => resume_unwind(payload),
    }
}

/// Do short work to its end even where an end was asked for.
pub fn to_the_end<R>(work: impl FnOnce() -> R) -> R {
    Scope(None).enter(work)
}

/// The stop that a thread heeds, to hand to its helpers.
#[doc(hidden)]
pub struct Scope(Option<Stop>);

impl Scope {
    /// That of the present work.
    pub fn here() -> Self {
        Self(HEEDED.with(|heeded| heeded.borrow().clone()))
    }

    /// Do work on this thread that heeds the same stop.
    pub fn enter<R>(&self, work: impl FnOnce() -> R) -> R {
        /// Puts back what was heeded before, also on the way out of an ended work.
        struct Before(Option<Stop>);
        impl Drop for Before {
            fn drop(&mut self) {
                HEEDED.with(|heeded| heeded.swap(&RefCell::new(self.0.take())));
            }
        }
        let _before = Before(HEEDED.with(|heeded| heeded.replace(self.0.clone())));
        work()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rayon::prelude::*;

    #[test]
    fn work_ends_where_it_looks_and_only_within_its_scope() {
        let stop = Stop::default();
        assert_eq!(stop.until(|| 1), Some(1));
        stop.request();
        look();
        let steps = std::cell::Cell::new(0);
        let ended = stop.until(|| {
            loop {
                steps.set(steps.get() + 1);
                to_the_end(look);
                look();
            }
        });
        assert!(ended.is_none_or(|()| false) && steps.get() == 1);
        assert!(Stop::default().until(look).is_some());
        look();
    }

    #[test]
    fn helpers_heed_the_same() {
        let stop = Stop::default();
        let later = stop.clone();
        // As many tasks as are not done at once must all end: whoever asks must not wait for one of them.
        let asked = std::thread::spawn(move || later.request());
        let ended = stop.until(|| {
            let scope = Scope::here();
            (0..64)
                .into_par_iter()
                .map(|_| {
                    scope.enter(|| {
                        loop {
                            look();
                        }
                    })
                })
                .collect::<Vec<()>>()
        });
        assert!(!asked.join().unwrap());
        assert!(ended.is_none());
    }

    #[test]
    #[should_panic(expected = "of its own")]
    fn panics_pass() {
        Stop::default().until(|| panic!("of its own"));
    }
}
