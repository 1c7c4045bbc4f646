//! Corners where formulas must be smooth, pointed at.

use super::*;

/// A corner in what an event does to the states is pointed at; parameters may have one.
#[test]
fn corners_of_resets_are_pointed_at() {
    let said = |reset: &str| {
        let text = format!(
            "Hybrid(states: [\"x\", \"v\"], parameters: {{\"e\": 0.5}}, modes: {{\"up\": Mode(equations: [\"x' = v\", \"v' = -1\"], \
             events: {{\"hit\": Event(guard: \"x\", direction: Down, to: \"up\", reset: {{\"v\": \"{reset}\"}})}})}}, \
             start: Start(mode: \"up\", at: {{\"x\": 1, \"v\": 0}}))"
        );
        let warnings = read(&text).build("system").unwrap().warnings;
        let messages = warnings.iter().map(ToString::to_string);
        messages.filter(|said| said.contains("this reset nonsmooth")).count()
    };
    for corner in ["min(-e*v, 1)", "abs(v)", "if(v < -1, -e*v, 0.5 - v)"] {
        assert_eq!(said(corner), 1, "{corner}");
    }
    for smooth in ["-e*v", "-abs(e)*v", "-max(e, 0)*v"] {
        assert_eq!(said(smooth), 0, "{smooth}");
    }
}
