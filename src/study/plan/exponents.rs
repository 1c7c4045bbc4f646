//! How many Lyapunov exponents a system has.

use crate::text::complaint::Complaint;
use slipstick_system::System;

/// Complain about more exponents than there are.
pub(crate) fn check_exponents(
    count: usize,
    system: &System,
    (path, key): (&str, &str),
    complaints: &mut Vec<Complaint>,
) {
    let most = system.modes.iter().map(|m| m.states.len()).max().unwrap_or(0);
    if count > most {
        let message = format!("{count} exponents of {most} states are not possible");
        complaints.push(Complaint::new(format!("{path}.{key}"), message).help(format!("give {most} or fewer")));
    }
}
