//! The threads that a command computes with, and how it is asked to stop.

use super::{INCOMPLETE, complain};
use slipstick_study as study;
use std::process::ExitCode;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// A stop that Ctrl-C requests.
pub(super) fn stop_on_request() -> study::Stop {
    /// Signals that come within this time are one: programs that end others after a while send theirs to the process
    /// and to its group.
    const ONE: Duration = Duration::from_millis(500);
    let first = OnceLock::new();
    let stop = study::Stop::default();
    let asked = stop.clone();
    // Without a handler the run simply cannot be interrupted cleanly; it is no reason not to run.
    let _ = ctrlc::set_handler(move || {
        // The second time somebody is in a hurry; files appear whole or not at all, so nothing is lost but the rest.
        let since = first.get_or_init(Instant::now).elapsed();
        if asked.request() && since > ONE {
            std::process::exit(130);
        }
    });
    stop
}

/// So many threads, or as many as there are cores.
pub(super) fn threads(jobs: Option<u16>) -> Result<rayon::ThreadPool, ExitCode> {
    let count = jobs.map_or(0, usize::from);
    rayon::ThreadPoolBuilder::new().num_threads(count).build().map_err(|e| {
        complain(&format!("error: cannot start {count} threads: {e}"));
        ExitCode::from(INCOMPLETE)
    })
}
