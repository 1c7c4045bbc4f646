//! `slipstick completions` and `slipstick man`: what a shell and a manual want to know of the command.

use super::{Cli, CompletionsArgs, INCOMPLETE, complain, print};
use clap::CommandFactory;
use std::process::ExitCode;

pub(super) fn completions(args: &CompletionsArgs) -> ExitCode {
    let mut script = vec![];
    clap_complete::generate(args.shell, &mut Cli::command(), "slipstick", &mut script);
    print(&script);
    ExitCode::SUCCESS
}

/// The manual page: the command's own, then one section for each of its subcommands.
pub(super) fn man() -> ExitCode {
    let mut page = vec![];
    match write_man(&mut page) {
        Ok(()) => {
            print(&page);
            ExitCode::SUCCESS
        }
        Err(e) => {
            complain(&format!("error: the manual page could not be written: {e}"));
            ExitCode::from(INCOMPLETE)
        }
    }
}

fn write_man(page: &mut Vec<u8>) -> std::io::Result<()> {
    let command = Cli::command();
    let manual = clap_mangen::Man::new(command.clone());
    manual.render_title(page)?;
    manual.render_name_section(page)?;
    manual.render_synopsis_section(page)?;
    manual.render_description_section(page)?;
    manual.render_options_section(page)?;
    for sub in command.get_subcommands().filter(|c| c.get_name() != "help") {
        let title = format!("slipstick {}", sub.get_name());
        page.extend_from_slice(format!(".SH \"{}\"\n", title.to_uppercase()).as_bytes());
        let part = clap_mangen::Man::new(sub.clone().bin_name(title));
        part.render_description_section(page)?;
        part.render_synopsis_section(page)?;
        part.render_options_section(page)?;
    }
    Ok(())
}
