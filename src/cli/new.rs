//! `slipstick new`: a commented study to start from.

use super::{INCOMPLETE, NewArgs, WRONG, complain, say};
use std::io::Write;
use std::process::ExitCode;

/// The template: a study that runs as it is.
const TEMPLATE: &str = include_str!("template.ron");

pub(super) fn new(args: &NewArgs) -> ExitCode {
    let Some(file) = &args.file else {
        say(TEMPLATE.trim_end());
        return ExitCode::SUCCESS;
    };
    let mut open = std::fs::OpenOptions::new();
    match open.write(true).create_new(true).open(file) {
        Ok(mut f) => match f.write_all(TEMPLATE.as_bytes()) {
            Ok(()) => {
                say(&format!("wrote {0}; run it with: slipstick run {0}", file.display()));
                ExitCode::SUCCESS
            }
            Err(e) => {
                complain(&format!("error: cannot write {}: {e}", file.display()));
                ExitCode::from(INCOMPLETE)
            }
        },
        Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {
            complain(&format!(
                "error: {} exists already; choose another name",
                file.display()
            ));
            ExitCode::from(WRONG)
        }
        Err(e) => {
            complain(&format!("error: cannot write {}: {e}", file.display()));
            ExitCode::from(INCOMPLETE)
        }
    }
}
