//! A run on several ranks of MPI: rank 0 holds the folder of the run and the queue of parts; every rank, the first
//! included, takes parts from the queue, and what it computed is on the disk as soon as rank 0 has received it.
//!
//! Tasks that are not divided are dealt out in turn. Their logs are sent to rank 0, which puts everything together as
//! it would go on with an interrupted run: a job that is killed goes on with `--resume`, with any number of ranks.

use super::complain;
use super::pool::{stop_on_request, threads};
use mpi::Threading;
use mpi::environment::Universe;
use mpi::traits::{Communicator, Destination, Root, Source};
use serde::{Deserialize, Serialize};
use slipstick_study::{self as study, Alone, Checkpoint, Plan, Share, Silent};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Tags of messages to rank 0, and of its answers.
const TO_ROOT: i32 = 1;
const ANSWER: i32 = 2;

/// Rank 0 looks for messages so often.
const PAUSE: Duration = Duration::from_micros(200);

/// What a rank sends to rank 0.
#[derive(Serialize, Deserialize)]
enum Message {
    /// It asks for a part of this task.
    Next(String),
    /// It computed a part of a task.
    Done(String, usize, Vec<u8>),
    /// It has nothing left to do; the logs of the tasks that are not divided.
    Finished(Logs),
}

/// Logs with their names.
type Logs = Vec<(String, Vec<u8>)>;

/// All ranks of a run.
pub(super) struct Ranks {
    universe: Universe,
    /// Have the others been sent what they begin with?
    begun: AtomicBool,
}

impl Ranks {
    /// The ranks that this process was started among; none where it was started alone.
    pub(super) fn here() -> Option<Self> {
        let variables = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"];
        variables.into_iter().find_map(std::env::var_os)?;
        let (universe, _) = mpi::initialize_with_threading(Threading::Serialized)?;
        let several = universe.world().size() > 1;
        several.then_some(Self {
            universe,
            begun: AtomicBool::new(false),
        })
    }

    pub(super) fn is_first(&self) -> bool {
        self.universe.world().rank() == 0
    }

    /// Send what rank 0 has, or receive it: the logs of the tasks that are not divided; none where it does not begin.
    fn share_logs(&self, own: Option<&Logs>) -> Option<Logs> {
        let root = self.universe.world();
        let root = root.process_at_rank(0);
        let mut bytes = own.map_or_else(Vec::new, |logs| postcard::to_stdvec(logs).unwrap_or_default());
        let mut length = bytes.len() as u64;
        root.broadcast_into(&mut length);
        bytes.resize(length as usize, 0);
        // An MPI count has 31 bits.
        for chunk in bytes.chunks_mut(1 << 30) {
            root.broadcast_into(chunk);
        }
        postcard::from_bytes(&bytes).ok()
    }

    /// The work of every rank but the first: what rank 0 hands out, until there is nothing left.
    pub(super) fn work(&self, text: &str, set: &[(String, f64)], plan: &Plan, jobs: Option<u16>) -> ExitCode {
        let Some(logs) = self.share_logs(None) else {
            // Rank 0 has said why there is nothing to do.
            return ExitCode::SUCCESS;
        };
        match self.work_with(&logs, text, set, plan, jobs) {
            Ok(()) => ExitCode::SUCCESS,
            Err(why) => {
                complain(&format!("error on rank {}: {why}", self.universe.world().rank()));
                // Rank 0 computes what is missing.
                self.send(&Message::Finished(vec![]));
                ExitCode::from(super::INCOMPLETE)
            }
        }
    }

    fn work_with(
        &self,
        logs: &Logs,
        text: &str,
        set: &[(String, f64)],
        plan: &Plan,
        jobs: Option<u16>,
    ) -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let claim = study::Claim::take(folder.path())?;
        let checkpoint = Checkpoint::begin(&claim, text, set, &plan.inputs(), false)?;
        checkpoint.add_logs(logs)?;
        let pool = threads(Some(jobs.unwrap_or(1))).map_err(|_| "no threads")?;
        let stop = stop_on_request();
        let worker = Worker {
            ranks: self,
            turn: Mutex::new(()),
        };
        pool.install(|| study::run_share(plan, &Silent, &stop, Some(&checkpoint), &worker));
        drop(checkpoint);
        let whole = Checkpoint::logs_in(folder.path(), |key| !is_divided(plan, key))?;
        self.send(&Message::Finished(whole));
        Ok(())
    }

    /// The work of rank 0: hand out parts, keep what comes back, and compute as well. Afterwards the checkpoint has
    /// everything, unless `stop` ended it early.
    pub(super) fn compute(
        &self,
        plan: &Plan,
        checkpoint: &Checkpoint<'_>,
        run: &Path,
        (observer, stop): (&dyn study::Observer, &study::Stop),
    ) -> std::io::Result<()> {
        let known = Checkpoint::logs_in(run, |key| !is_divided(plan, key))?;
        self.begun.store(true, Ordering::Relaxed);
        self.share_logs(Some(&known));
        let queue = queue(plan, checkpoint);
        let own = First {
            queue: &queue,
            ranks: self.universe.world().size() as usize,
        };
        let logs = std::thread::scope(|scope| {
            let server = scope.spawn(|| self.serve(&queue, checkpoint, stop));
            study::run_share(plan, observer, stop, Some(checkpoint), &own);
            server.join().unwrap_or_default()
        });
        if stop.is_requested() {
            return Ok(());
        }
        checkpoint.add_logs(&logs)
    }

    /// Answer the other ranks until all have finished; returns the logs that they sent.
    fn serve(&self, queue: &Alone, checkpoint: &Checkpoint<'_>, stop: &study::Stop) -> Logs {
        let world = self.universe.world();
        let mut working = world.size() - 1;
        let mut logs: Logs = vec![];
        while working > 0 {
            let Some(status) = world.any_process().immediate_probe_with_tag(TO_ROOT) else {
                std::thread::sleep(PAUSE);
                continue;
            };
            let from = world.process_at_rank(status.source_rank());
            let (bytes, _) = from.receive_vec_with_tag::<u8>(TO_ROOT);
            match postcard::from_bytes(&bytes) {
                Ok(Message::Next(key)) => {
                    let part = if stop.is_requested() { None } else { queue.next(&key) };
                    let part: i64 = part.and_then(|k| k.try_into().ok()).unwrap_or(-1);
                    from.send_with_tag(&part, ANSWER);
                }
                Ok(Message::Done(key, part, result)) => checkpoint.keep(&key, part, &result),
                Ok(Message::Finished(own)) => {
                    logs.extend(own);
                    working -= 1;
                }
                // A rank that says nothing intelligible does not work any more.
                Err(_) => working -= 1,
            }
        }
        logs
    }

    fn send(&self, message: &Message) {
        let bytes = postcard::to_stdvec(message).unwrap_or_default();
        let world = self.universe.world();
        world.process_at_rank(0).send_with_tag(&bytes[..], TO_ROOT);
    }
}

impl Drop for Ranks {
    fn drop(&mut self) {
        // The others wait for it.
        if self.is_first() && !self.begun.load(Ordering::Relaxed) {
            self.share_logs(None);
        }
    }
}

/// Is this the key of a divided task?
fn is_divided(plan: &Plan, key: &str) -> bool {
    study::divided(plan).iter().any(|task| task.key == key)
}

/// The parts that wait, of all tasks.
fn queue(plan: &Plan, checkpoint: &Checkpoint<'_>) -> Alone {
    let queue = Alone::default();
    for task in study::divided(plan) {
        let open: Vec<usize> = (0..task.parts).filter(|k| !checkpoint.has(&task.key, *k)).collect();
        queue.begin(&task.key, &open);
    }
    queue
}

/// What rank 0 computes itself.
struct First<'a> {
    queue: &'a Alone,
    ranks: usize,
}

impl Share for First<'_> {
    fn takes(&self, _: &str, number: usize) -> bool {
        number.is_multiple_of(self.ranks)
    }

    fn next(&self, key: &str) -> Option<usize> {
        self.queue.next(key)
    }

    fn assembles(&self) -> bool {
        false
    }
}

/// What another rank computes.
struct Worker<'a> {
    ranks: &'a Ranks,
    /// One thread at a time speaks with rank 0.
    turn: Mutex<()>,
}

impl Share for Worker<'_> {
    fn takes(&self, _: &str, number: usize) -> bool {
        let world = self.ranks.universe.world();
        number % world.size() as usize == world.rank() as usize
    }

    fn next(&self, key: &str) -> Option<usize> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        self.ranks.send(&Message::Next(key.to_owned()));
        let world = self.ranks.universe.world();
        let (part, _) = world.process_at_rank(0).receive_with_tag::<i64>(ANSWER);
        part.try_into().ok()
    }

    fn done(&self, key: &str, part: usize, result: &[u8], _: f64) {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        self.ranks.send(&Message::Done(key.to_owned(), part, result.to_vec()));
    }

    fn assembles(&self) -> bool {
        false
    }
}
