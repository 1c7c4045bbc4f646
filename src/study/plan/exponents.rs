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
    let most = system.dimension();
    if count > most {
        let message = format!("{count} exponents of {most} states are not possible");
        complaints.push(Complaint::new(format!("{path}.{key}"), message).help(format!("give {most} or fewer")));
    }
}
