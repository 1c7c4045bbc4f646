//! Surfaces: whether two events happen on the same one, and whether a state lies on those of a sliding mode.

use super::hybrid::{Event, ModeKind, System};
use super::mirror::near_zero;

/// Points of one surface that are looked at on the other.
const POINTS: usize = 4;
/// By so much parameters are changed, as a part of them and beside: surfaces may touch for some values only.
const CHANGE: (f64, f64) = (0.1, 0.013);

impl System {
    /// Does an event of one mode happen wherever one of another mode does, which has the same states?
    pub fn is_same_surface(&self, (mode, event): (usize, &Event), (other_mode, other): (usize, &Event)) -> bool {
        if self.modes[mode].states != self.modes[other_mode].states {
            return false;
        }
        let p = self.default_parameters();
        let changed: Vec<f64> = p.iter().map(|v| v + CHANGE.0 * v.abs() + CHANGE.1).collect();
        let on_both = |p: &[f64]| {
            let mut points = (0..POINTS).filter_map(|k| self.on_guard(mode, event, k, p)).peekable();
            points.peek().is_some() && points.all(|x| near_zero(&*other.guard, &x, p))
        };
        on_both(&p) && on_both(&changed)
    }

    /// Does a state `x` of a mode lie on the surfaces that the motion keeps to there? In a sliding mode that leaves out
    /// a state every `x` does. Where all states stay, the surfaces are those on which events lead into it.
    pub(crate) fn is_on_its_surfaces(&self, mode: usize, x: &[f64], p: &[f64]) -> bool {
        self.lies_on(mode, x, p, &mut vec![])
    }

    fn lies_on(&self, mode: usize, x: &[f64], p: &[f64], passed: &mut Vec<usize>) -> bool {
        let own = &self.modes[mode];
        if own.kind != ModeKind::Stick || own.states.len() < self.states.len() {
            return true;
        }
        passed.push(mode);
        let mut ways = 0;
        for (from, other) in self.modes.iter().enumerate() {
            for event in &other.events {
                let leads_here = event.target == mode && event.reset.is_none() && other.states == own.states;
                if !leads_here || passed.contains(&from) {
                    continue;
                }
                ways += 1;
                if near_zero(&*event.guard, x, p) && self.lies_on(from, x, p, passed) {
                    return true;
                }
            }
        }
        // Of a mode into which no event leads no surface is known.
        ways == 0 && passed.len() == 1
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::catalogue::stiction;

    #[test]
    fn slip_begins_and_ends_at_zero_relative_velocity_and_stick_ends_elsewhere() {
        let system = stiction();
        let mode = |name: &str| system.mode(name).unwrap();
        let to = |from: &str, target: &str| {
            let events = &system.modes[mode(from)].events;
            (mode(from), events.iter().find(|e| e.target == mode(target)).unwrap())
        };
        assert!(system.is_same_surface(to("slip-", "slip+"), to("slip+", "stick")));
        assert!(!system.is_same_surface(to("slip-", "stick"), to("stick", "slip+")));
    }
}
