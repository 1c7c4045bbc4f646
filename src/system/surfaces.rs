//! Surfaces: whether two events happen on the same one, and whether a state lies on those that a mode keeps to.

use super::function::jacobian;
use super::hybrid::{Event, Mode, System};
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
}

impl Mode {
    /// Does a state `x` of the mode lie on the surfaces that the motion keeps to, to a billionth of what the states
    /// make of them?
    pub(crate) fn is_on_its_surfaces(&self, x: &[f64], p: &[f64]) -> bool {
        /// As a part of the states, and of one.
        const ON: (f64, f64) = (1e-9, 1e-12);
        self.surfaces.iter().all(|surface| {
            let (mut height, mut slopes) = ([0.0], vec![0.0; x.len()]);
            jacobian(&**surface, x, p, &[], &mut height, &mut slopes, &mut []);
            let parts = slopes
                .iter()
                .zip(x)
                .map(|(slope, x)| slope.abs() * (ON.0 * x.abs() + ON.1));
            height[0].abs() <= parts.sum::<f64>()
        })
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
