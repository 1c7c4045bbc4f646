//! A thread that puts logs onto the disk while the run goes on.

use crate::checkpoint::frames::Behind;
use crate::run_folder::own;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// So long a frame waits for the disk, which then has the rest of a second.
const PERIOD: Duration = Duration::from_millis(300);

/// The thread, and the way to give it logs.
#[derive(Debug)]
pub(crate) struct Syncing {
    logs: Option<Sender<Behind>>,
    thread: Option<JoinHandle<()>>,
}

impl Syncing {
    /// Start for the logs in a folder; what goes wrong is noted in `trouble`.
    pub(crate) fn start(folder: PathBuf, trouble: Arc<Mutex<Option<String>>>) -> Self {
        let (logs, given) = channel();
        let noted = Arc::clone(&trouble);
        let work = move || follow(&folder, &given, &noted);
        let thread = std::thread::Builder::new().name("checkpoint".into()).spawn(work);
        let thread = thread.map_err(|e| note(&trouble, &e)).ok();
        Self {
            logs: Some(logs),
            thread,
        }
    }

    pub(crate) fn include(&self, log: Behind) {
        if let Some(logs) = &self.logs {
            // Without the thread its trouble is noted already.
            let _ = logs.send(log);
        }
    }
}

impl Drop for Syncing {
    fn drop(&mut self) {
        drop(self.logs.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Keep the first thing that went wrong, in words.
pub(crate) fn note(trouble: &Mutex<Option<String>>, error: &io::Error) {
    if let Ok(mut trouble) = trouble.lock() {
        trouble.get_or_insert_with(|| error.to_string());
    }
}

fn follow(folder: &Path, given: &Receiver<Behind>, trouble: &Mutex<Option<String>>) {
    let mut logs: Vec<Behind> = vec![];
    let mut more = true;
    while more {
        let before = logs.len();
        let until = Instant::now() + PERIOD;
        loop {
            match given.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(log) => logs.push(log),
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => {
                    more = false;
                    break;
                }
            }
        }
        let mut outcome = if logs.len() > before { own::sync(folder) } else { Ok(()) };
        logs.retain(|log| {
            let closed = log.is_closed();
            let synced = log.catch_up();
            if outcome.is_ok() {
                outcome = synced;
            }
            !closed
        });
        if let Err(e) = outcome {
            note(trouble, &e);
        }
    }
}
