//! The `slipstick` command.

fn main() {}
