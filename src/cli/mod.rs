//! The command line: thin, no mathematics.
//!
//! Exit codes: 0, everything asked for is there; 1, something useful is missing (said on stderr); 2, the study or the
//! call is wrong.

mod argument;
mod check;
mod covered;
mod diff;
mod execution;
mod expand;
mod folder;
mod merge;
mod new;
#[cfg(feature = "parquet")]
mod parquet_tables;
mod plan;
mod plot;
mod pool;
mod progress;
#[cfg(feature = "mpi")]
mod ranks;
mod run;
mod shard;
mod shell;
mod show;
mod study_file;
mod systems;
mod terminal;

use argument::{Division, division, seconds, setting, tolerance};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use terminal::{Role, Terminal};

/// Continuation and bifurcation of periodic orbits in systems that slip, stick, switch and split their time scales.
///
/// ```
/// use clap::{CommandFactory, Parser};
/// use slipstick::cli::Cli;
/// assert!(Cli::try_parse_from(["slipstick", "run", "studies/stiction.ron", "--set", "mu_s=1.05"]).is_ok());
/// assert!(Cli::try_parse_from(["slipstick", "rum", "studies/stiction.ron"]).is_err());
/// assert!(Cli::command().get_subcommands().any(|command| command.get_name() == "plot"));
/// ```
#[derive(Debug, Parser)]
#[command(
    name = "slipstick",
    version,
    about = "Continuation and bifurcation of periodic orbits in systems that slip, stick, switch and split their time scales",
    long_about = None,
    max_term_width = 100
)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a study: tables, orbit files, figures and a report.
    Run(RunArgs),
    /// Put the shards of a run together that were computed with `run --shard`.
    Merge(MergeArgs),
    /// Measure how long the divided tasks of a study take, and tell how long they would on many cores.
    Plan(PlanArgs),
    /// Validate a study without running it.
    Check(CheckArgs),
    /// Print a study with the systems that it declares, as `Filippov(...)`, written out as `Hybrid(...)`.
    Expand(ExpandArgs),
    /// Write a commented study to start from.
    New(NewArgs),
    /// List the built-in systems with their states, parameters and monitors.
    Systems,
    /// Show the results of a run: all curves, one curve, or one point.
    Show(ShowArgs),
    /// Report the differences between two runs; exit code 1 if there are any.
    Diff(DiffArgs),
    /// Draw figures of a finished run, or of several, without computing anything again.
    Plot(PlotArgs),
    /// Print a completion script for a shell.
    Completions(CompletionsArgs),
    /// Print the manual page.
    Man,
}

#[derive(Debug, Args)]
struct RunArgs {
    /// The study file.
    study: PathBuf,
    /// The folder for the results [default: output/, then the name of the study file without `.ron`].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Override a parameter of the study's systems; may be given several times.
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    set: Vec<(String, f64)>,
    /// Threads to use [default: all cores].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    jobs: Option<u16>,
    /// Continue an interrupted run in the same folder; the results are those of an uninterrupted run.
    #[arg(long)]
    resume: bool,
    /// Compute one shard of the study only, as 3/64 for the third of 64, for `merge`; `auto` reads it from Slurm or
    /// Open MPI.
    #[arg(long, value_name = "K/N", value_parser = division)]
    shard: Option<Division>,
    /// Print nothing but errors.
    #[arg(long)]
    quiet: bool,
}

#[derive(Debug, Args)]
struct MergeArgs {
    /// The folder for the results, which the shards were computed for.
    run: PathBuf,
    /// Threads to use [default: all cores].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    jobs: Option<u16>,
    /// Print nothing but errors.
    #[arg(long)]
    quiet: bool,
}

#[derive(Debug, Args)]
struct PlanArgs {
    /// The study file.
    study: PathBuf,
    /// Override a parameter, as in `run`.
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    set: Vec<(String, f64)>,
    /// How long parts of each divided task are measured, in seconds; at least one part is.
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    time: std::time::Duration,
    /// Write the batch script into a file, which must not exist yet, instead of printing it.
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct CheckArgs {
    /// The study file.
    study: PathBuf,
    /// Override a parameter, as in `run`.
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    set: Vec<(String, f64)>,
}

#[derive(Debug, Args)]
struct ExpandArgs {
    /// The study file.
    study: PathBuf,
}

#[derive(Debug, Args)]
struct NewArgs {
    /// The file to write; must not exist yet. Without it the study goes to standard output.
    file: Option<PathBuf>,
    /// What kind of system the study has, to be replaced by one's own.
    #[arg(long, value_enum, default_value_t)]
    template: Template,
}

/// The studies to start from.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Template {
    /// The built-in stiction oscillator.
    #[default]
    Stiction,
    /// Equations: equilibria, Hopf points, periodic orbits.
    Smooth,
    /// An oscillator under a periodic force: its response and the folds of it.
    Forced,
    /// Modes, events and resets: an impact oscillator.
    Hybrid,
    /// Masses, springs and contacts with friction: a block on a belt.
    Friction,
    /// A map: fixed points, period doublings, attractors.
    Map,
    /// One fast state: canard explosion and critical manifold.
    SlowFast,
}

#[derive(Debug, Args)]
struct ShowArgs {
    /// The folder of a run, as in output/stiction.
    run: PathBuf,
    /// A curve, a point of it (stiff-23, "stiff, SB", "stiff, UZ 2", "stiff, Omega=5"), or a trajectory. Without it:
    /// all curves with their special points.
    #[arg(value_name = "CURVE[-INDEX]")]
    what: Option<String>,
    /// Show every point of a curve, not only the special ones.
    #[arg(long)]
    all: bool,
}

#[derive(Debug, Args)]
struct DiffArgs {
    /// The folder of a run.
    first: PathBuf,
    /// The folder of another.
    second: PathBuf,
    /// Numbers are equal if they differ by at most this, relative to the largest in their column.
    #[arg(long, value_name = "RELATIVE", default_value_t = 1e-9, value_parser = tolerance)]
    tolerance: f64,
    /// Report also what agrees.
    #[arg(long, short)]
    verbose: bool,
}

#[derive(Debug, Args)]
#[command(override_usage = "slipstick plot [OPTIONS] <RUN>... [FIGURE.ron]")]
struct PlotArgs {
    /// The folder of a run, as in output/stiction, or of several; then a file with a figure, a list of figures, or a
    /// study with figures. Without it: the figures of the run's own study.
    #[arg(value_name = "RUN", required = true)]
    paths: Vec<PathBuf>,
    /// The folder for the figures [default: figures in the run's folder; for figures of several runs or with data of
    /// one's own, the folder of FIGURE.ron].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct CompletionsArgs {
    /// The shell.
    shell: clap_complete::Shell,
}

/// Exit code of a call or study that is wrong.
const WRONG: u8 = 2;
/// Exit code of a run that lacks something useful.
const INCOMPLETE: u8 = 1;

/// Run the command line of this process.
pub fn main() -> ExitCode {
    perform(Cli::parse())
}

/// Run a command line that stands in for that of this process, its first word the name of the command; the exit code.
pub fn main_of(words: impl IntoIterator<Item = std::ffi::OsString>) -> u8 {
    let code = match Cli::try_parse_from(words) {
        Ok(cli) => perform(cli),
        Err(e) => {
            // What is asked for, as `--help`, goes to standard output, what is wrong to standard error.
            let _ = e.print();
            return u8::try_from(e.exit_code()).unwrap_or(WRONG);
        }
    };
    (0..=u8::MAX)
        .find(|&number| ExitCode::from(number) == code)
        .unwrap_or(INCOMPLETE)
}

fn perform(cli: Cli) -> ExitCode {
    let code = match cli.command {
        Command::Run(args) => either(run::run(&args)),
        Command::Merge(args) => either(merge::merge(&args)),
        Command::Plan(args) => either(plan::plan(&args)),
        Command::Check(args) => either(check::check(&args)),
        Command::Expand(args) => either(expand::expand(&args)),
        Command::New(args) => new::new(&args),
        Command::Systems => systems::systems(),
        Command::Show(args) => show::show(&args),
        Command::Diff(args) => diff::diff(&args),
        Command::Plot(args) => plot::plot(&args),
        Command::Completions(args) => shell::completions(&args),
        Command::Man => shell::man(),
    };
    if UNSAID.load(Ordering::Relaxed) && code == ExitCode::SUCCESS {
        return ExitCode::from(INCOMPLETE);
    }
    code
}

/// The exit code of a command, be it one that ended early.
fn either(code: Result<ExitCode, ExitCode>) -> ExitCode {
    code.unwrap_or_else(|early| early)
}

/// Has something not reached standard output?
static UNSAID: AtomicBool = AtomicBool::new(false);

/// Write bytes to standard output as they are. A reader that has gone away (`| head`) is no error; a full disk is, said
/// once.
fn print(bytes: &[u8]) {
    match terminal::write_out(bytes) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe && !UNSAID.swap(true, Ordering::Relaxed) => {
            complain(&format!("error: cannot write to standard output: {e}"));
        }
        _ => {}
    }
}

/// Write a line, or several, to standard output, set for a terminal if it is one.
fn say(text: &str) {
    print(format!("{}\n", Terminal::stdout().set(text, Role::Summary)).as_bytes());
}

/// Write to standard error, likewise.
fn complain(text: &str) {
    terminal::write_err(&Terminal::stderr().set(text, Role::Message));
}
