//! `slipstick new`: a commented study to start from.

use super::{INCOMPLETE, NewArgs, Template, WRONG, complain, print, say};
use std::io::Write;
use std::process::ExitCode;

impl Template {
    /// The study, which runs as it is.
    fn text(self) -> &'static str {
        match self {
            Self::Stiction => include_str!("templates/stiction.ron"),
            Self::Smooth => include_str!("templates/smooth.ron"),
            Self::Forced => include_str!("templates/forced.ron"),
            Self::Hybrid => include_str!("templates/hybrid.ron"),
            Self::Friction => include_str!("templates/friction.ron"),
            Self::Map => include_str!("templates/map.ron"),
            Self::SlowFast => include_str!("templates/slow-fast.ron"),
        }
    }
}

pub(super) fn new(args: &NewArgs) -> ExitCode {
    let text = args.template.text();
    let Some(file) = &args.file else {
        print(format!("{}\n", text.trim_end()).as_bytes());
        return ExitCode::SUCCESS;
    };
    let mut open = std::fs::OpenOptions::new();
    match open.write(true).create_new(true).open(file) {
        Ok(mut f) => match f.write_all(text.as_bytes()) {
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
