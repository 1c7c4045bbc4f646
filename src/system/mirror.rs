//! Which event of the image mode a symmetry carries an event to.

use super::hybrid::{Event, System};
use super::{Function, jacobian};

/// Points at which two events are compared, and the decades that their states are spread over.
const POINTS: usize = 24;
const DECADES: i32 = 7;
/// Mirrored values agree to this, relative to the terms that they are made of.
const TOLERANCE: f64 = 1e-9;

impl System {
    /// The event of the image mode that is the mirror image of `event` of `mode`. Where several lead to the image of
    /// its target, as from one wall or the other back to the same flight, their guards, conditions and resets decide.
    pub fn mirrored_event(&self, mode: usize, event: usize) -> Option<usize> {
        let symmetry = self.symmetry.as_ref()?;
        let own = &self.modes[mode].events[event];
        let image = &self.modes[symmetry.modes[mode]];
        let target = symmetry.modes[own.target];
        let candidates: Vec<usize> = (0..image.events.len())
            .filter(|&e| image.events[e].target == target)
            .collect();
        if let [only] = candidates[..] {
            return Some(only);
        }
        let p = self.default_parameters();
        let points: Vec<Vec<f64>> = (0..POINTS).filter_map(|k| self.on_guard(mode, own, k, &p)).collect();
        let agreements = |e: usize| {
            let agrees = |x: &&Vec<f64>| self.mirror_agrees(mode, own, &image.events[e], x, &p);
            points.iter().filter(agrees).count()
        };
        // Of two that agree equally well, the first.
        let best = candidates
            .into_iter()
            .min_by_key(|&e| std::cmp::Reverse(agreements(e)))?;
        Some(best)
    }

    /// A point of `mode` on the guard of one of its events: the `k`-th of a fixed sequence, moved there along the
    /// guard's gradient.
    pub(super) fn on_guard(&self, mode: usize, event: &Event, k: usize, p: &[f64]) -> Option<Vec<f64>> {
        const STEPS: usize = 60;
        let n = self.modes[mode].states.len();
        let mut x: Vec<f64> = (0..n)
            .map(|i| {
                let fraction = |step: f64| ((i as f64 + 1.0) * step + (k as f64 + 1.0) * 0.618_033_988_75).fract();
                let size = 10f64.powi((k as i32 * 5) % (2 * DECADES + 1) - DECADES);
                (2.0 * fraction(0.754_877_666) - 1.0) * if k.is_multiple_of(2) { 1.0 } else { size }
            })
            .collect();
        let mut gradient = vec![0.0; n];
        let mut g = [0.0];
        for _ in 0..STEPS {
            jacobian(&*event.guard, &x, p, &[], &mut g, &mut gradient, &mut []);
            let square: f64 = gradient.iter().map(|d| d * d).sum();
            if g[0] == 0.0 {
                break;
            }
            x.iter_mut().zip(&gradient).for_each(|(x, d)| *x -= g[0] * d / square);
            if x.iter().any(|v| !v.is_finite()) {
                return None;
            }
        }
        near_zero(&*event.guard, &x, p).then_some(x)
    }

    /// Does `other`, an event of the image mode, do at the mirror image of `x` what `event` of `mode` does at `x`, a
    /// point on its guard?
    fn mirror_agrees(&self, mode: usize, event: &Event, other: &Event, x: &[f64], p: &[f64]) -> bool {
        let Some(symmetry) = &self.symmetry else { return false };
        let full = self.full_state(mode, x, p);
        let propagated = |s: usize| symmetry.sign[s] * full[symmetry.source[s]] + symmetry.shift[s];
        let states = &self.modes[symmetry.modes[mode]].states;
        let image: Vec<f64> = states.iter().map(|&s| propagated(s)).collect();
        if !near_zero(&*other.guard, &image, p) {
            return false;
        }
        // The direction in which the guard is crossed, along its own gradient.
        let (n, m) = (x.len(), image.len());
        let (mut own, mut mirrored) = (vec![0.0; n], vec![0.0; m]);
        jacobian(&*event.guard, x, p, &[], &mut [0.0], &mut own, &mut []);
        jacobian(&*other.guard, &image, p, &[], &mut [0.0], &mut mirrored, &mut []);
        let turned: f64 = states
            .iter()
            .zip(&mirrored)
            .filter_map(|(&s, d)| {
                let from = self.modes[mode].states.iter().position(|&k| k == symmetry.source[s])?;
                Some(symmetry.sign[s] * own[from] * d)
            })
            .sum();
        if turned * event.direction.sign() * other.direction.sign() <= 0.0 {
            return false;
        }
        let allowed = |event: &Event, x: &[f64]| event.when.iter().all(|i| scalar(&*i.function, x, p) > 0.0);
        if allowed(event, x) != allowed(other, &image) {
            return false;
        }
        let (Some(reset), Some(other_reset)) = (&event.reset, &other.reset) else {
            return event.reset.is_none() == other.reset.is_none();
        };
        let target = &self.modes[event.target];
        let mut after = vec![0.0; target.states.len()];
        reset.value(x, p, &mut after);
        let after = self.full_state(event.target, &after, p);
        let mut found = vec![0.0; self.modes[other.target].states.len()];
        other_reset.value(&image, p, &mut found);
        self.modes[other.target].states.iter().zip(&found).all(|(&s, v)| {
            let wanted = symmetry.sign[s] * after[symmetry.source[s]] + symmetry.shift[s];
            let difference = match self.states[s].period {
                Some(period) => wanted - v - period * ((wanted - v) / period).round(),
                None => wanted - v,
            };
            let size = x.iter().fold(wanted.abs(), |m, v| m.max(v.abs()));
            difference.abs() <= TOLERANCE * size
        })
    }
}

fn scalar(f: &dyn Function, x: &[f64], p: &[f64]) -> f64 {
    let mut v = [0.0];
    f.value(x, p, &mut v);
    v[0]
}

/// Is a scalar zero within the rounding of the states' part in it?
pub(super) fn near_zero(f: &dyn Function, x: &[f64], p: &[f64]) -> bool {
    let mut gradient = vec![0.0; x.len()];
    let mut v = [0.0];
    jacobian(f, x, p, &[], &mut v, &mut gradient, &mut []);
    let terms: f64 = gradient.iter().zip(x).map(|(d, x)| (d * x).abs()).sum();
    v[0].abs() <= TOLERANCE * terms
}
