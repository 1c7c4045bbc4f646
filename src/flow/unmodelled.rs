//! What a system lacks whose events accumulate.

/// What to do where events accumulate, by the name of the last one: those of declared elements say what is missing.
pub(super) fn instead(event: &str) -> &'static str {
    match event.split_once(':') {
        Some((_, what)) if what.starts_with("hit") => {
            "of the `Gap` write `rest: 1e-6`, the speed below which hits end in permanent contact"
        }
        Some((_, what)) if what.starts_with("switch") => {
            "forces hold the motion where the `Relay` switches, of which there is no mode: give it a `hysteresis`, or \
             start elsewhere"
        }
        _ => "add a mode in which the motion goes on there, as in permanent contact",
    }
}
