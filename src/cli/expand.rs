//! `slipstick expand`: a study with its declared systems written out.

use super::study_file::loaded;
use super::{ExpandArgs, WRONG, complain, print};
use std::process::ExitCode;

pub(super) fn expand(args: &ExpandArgs) -> Result<ExitCode, ExitCode> {
    let study = loaded(&args.study)?;
    let text = study.expanded().map_err(|e| {
        complain(&e.to_string());
        ExitCode::from(WRONG)
    })?;
    if text == study.text {
        complain(
            "nothing in the study stands for a longer declaration (a `Mechanical`, `Filippov`, `Regularised` or `Tangencies` system): it is printed as it is",
        );
    }
    print(text.as_bytes());
    Ok(ExitCode::SUCCESS)
}
