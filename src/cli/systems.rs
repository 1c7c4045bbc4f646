//! `slipstick systems`: the catalogue.

use super::say;
use slipstick_system::catalogue;
use std::fmt::Write;
use std::process::ExitCode;

pub(super) fn systems() -> ExitCode {
    let mut text = String::new();
    for system in catalogue::all() {
        let _ = writeln!(text, "{}\n  {}", system.name, system.about);
        let states: Vec<&str> = system.states.iter().map(|s| &*s.name).collect();
        let _ = writeln!(text, "  states      {}", states.join(", "));
        for p in &system.parameters {
            let _ = writeln!(text, "  parameter   {} = {}  ({})", p.name, p.value, p.about);
        }
        let modes: Vec<String> = system
            .modes
            .iter()
            .map(|m| {
                let events: Vec<&str> = m.events.iter().map(|e| &*e.name).collect();
                if events.is_empty() {
                    m.name.clone()
                } else {
                    format!("{} ({})", m.name, events.join(", "))
                }
            })
            .collect();
        let _ = writeln!(text, "  modes       {}", modes.join(", "));
        let mut monitors = vec!["period".to_string()];
        for s in system.states.iter().filter(|s| s.period.is_none()) {
            monitors.extend([
                format!("max_abs_{}", s.name),
                format!("{}_max", s.name),
                format!("{}_min", s.name),
            ]);
        }
        monitors.extend(system.monitors.iter().map(|m| m.name.clone()));
        let _ = writeln!(text, "  monitors    {}", monitors.join(", "));
        if system.symmetry.is_some() {
            let _ = writeln!(text, "  symmetric   yes");
        }
        text.push('\n');
    }
    say(text.trim_end());
    ExitCode::SUCCESS
}
