//! The `slipstick` command.

fn main() -> std::process::ExitCode {
    slipstick::cli::main()
}
