//! What happens to the state between two segments: reset, change of the set of states, symmetry at the end of a
//! symmetric word.

use super::clock::before_jump;
use slipstick_numerics::scalar::{Scalar, Third};
use slipstick_system::{Mode, SharedFunction, System, jacobian};
use std::borrow::Cow;

/// How one state of the next segment comes about.
#[derive(Clone, Copy, Debug)]
enum Source {
    /// The value of component `i` of the end state.
    Same(usize),
    /// Component `i` of the mode's map of absent states.
    Absent(usize),
    /// Component `i` of the event's reset.
    Reset(usize),
}

/// The map from the end state of one segment to the start state of the next.
#[doc(hidden)]
#[derive(Clone)]
pub struct Junction {
    map: Option<SharedFunction>,
    /// For each state of the next segment: where it comes from, with sign and shift of the symmetry.
    rules: Vec<(Source, f64, f64)>,
    /// The mode that is left, where the event is one that a jump with time sets off.
    jumping: Option<Mode>,
    inputs: usize,
    values: Vec<f64>,
    dx: Vec<f64>,
    dp: Vec<f64>,
}

impl Junction {
    /// The junction after `event` of `mode`; `mirror` applies the symmetry as well.
    pub fn new(system: &System, mode: usize, event: Option<usize>, mirror: bool) -> Self {
        let from = &system.modes[mode];
        let event = event.map(|e| &from.events[e]);
        let target = event.map_or(mode, |e| e.target);
        let to = &system.modes[target];
        let absent: Vec<usize> = (0..system.states.len()).filter(|s| !from.states.contains(s)).collect();
        let reset = event.and_then(|e| e.reset.clone());
        // Where each state of the target mode comes from, before the symmetry.
        let source = |state: usize| -> Option<Source> {
            let position = to.states.iter().position(|&s| s == state);
            if reset.is_some() {
                position.map(Source::Reset)
            } else if let Some(i) = from.states.iter().position(|&s| s == state) {
                Some(Source::Same(i))
            } else {
                from.absent.as_ref()?;
                absent.iter().position(|&s| s == state).map(Source::Absent)
            }
        };
        let mut rules = vec![];
        match (&system.symmetry, mirror) {
            (Some(s), true) => {
                for &state in &system.modes[s.modes[target]].states {
                    rules.push((source(s.source[state]), s.sign[state], s.shift[state]));
                }
            }
            _ => rules.extend(to.states.iter().map(|&state| (source(state), 1.0, 0.0))),
        }
        let uses_absent = rules.iter().any(|r| matches!(r.0, Some(Source::Absent(_))));
        let map = reset.or_else(|| from.absent.clone().filter(|_| uses_absent));
        let outputs = map.as_ref().map_or(0, |m| m.outputs());
        // A state that no rule determines is zero in the old mode, as documented for absent states.
        let rules = rules
            .into_iter()
            .map(|(s, sign, shift)| match s {
                Some(s) => (s, sign, shift),
                None => (Source::Same(0), 0.0, shift),
            })
            .collect();
        Self {
            map,
            rules,
            jumping: None,
            inputs: from.states.len(),
            values: vec![0.0; outputs],
            dx: vec![0.0; outputs * from.states.len()],
            dp: vec![],
        }
    }

    /// A jump with time sets the event off, at a state on it: states do not jump with it, and are what they are before.
    pub fn set_off_by_jump(&mut self, mode: &Mode, is_set_off: bool) {
        self.jumping = (is_set_off && self.map.is_some()).then(|| mode.clone());
    }

    /// Use another function in place of the reset: as the same with the sides of its corners held.
    pub fn replace_reset(&mut self, reset: SharedFunction) {
        self.map = Some(reset);
    }

    /// Where the function of the end state is taken.
    fn place<'x>(&self, x: &'x [f64], p: &[f64]) -> Cow<'x, [f64]> {
        match &self.jumping {
            Some(mode) => before_jump(mode, x, p).into(),
            None => x.into(),
        }
    }

    /// How many states the next segment has.
    pub fn outputs(&self) -> usize {
        self.rules.len()
    }

    /// The start state `out` of the next segment.
    pub fn apply(&mut self, x: &[f64], p: &[f64], out: &mut [f64]) {
        if let Some(map) = &self.map {
            map.value(&self.place(x, p), p, &mut self.values);
        }
        for (o, &(source, sign, shift)) in out.iter_mut().zip(&self.rules) {
            let v = match source {
                Source::Same(i) => x[i],
                Source::Absent(i) | Source::Reset(i) => self.values[i],
            };
            *o = if sign == 0.0 { shift } else { sign * v + shift };
        }
    }

    /// As [`Junction::apply`], with derivatives along three directions.
    pub fn propagate(&self, x: &[Third], p: &[Third]) -> Vec<Third> {
        let mut values = vec![Third::zero(); self.values.len()];
        if let Some(map) = &self.map {
            map.third(x, p, &mut values);
        }
        let image = |&(source, sign, shift): &(Source, f64, f64)| match source {
            _ if sign == 0.0 => Third::from_f64(shift),
            Source::Same(i) => x[i] * sign + shift,
            Source::Absent(i) | Source::Reset(i) => values[i] * sign + shift,
        };
        self.rules.iter().map(image).collect()
    }

    /// What makes Newton's method regular where the vectors of a lifted system (see [`System::extended`]) pass a reset
    /// at a rate κ of the guard near zero. The vector after it is `v⁺ = R_x v - c (g_x v)/κ` with `c = R_x f`. As it
    /// stands, that is no good beyond changes of κ by its own size. The same equations with the one that has the
    /// largest part of c multiplied by κ, and with that one taken from the others such that κ leaves them, are smooth
    /// in κ through zero. Newton's method for `P F`, in which P depends on the unknowns, is that for F with
    /// `P⁻¹ (P' F)` added to its derivatives; they are added here to `dx` and `dp`, after [`Junction::linearise`].
    /// `lacking` is what the equations lack, and `sizes` how large the next states are.
    pub fn regularise(&self, vectors: usize, lacking: &[f64], sizes: &[f64], dx: &mut [f64], dp: &mut [f64]) {
        let count = self.rules.len() / (1 + vectors);
        let Some(speed) = self.values.len().checked_sub(1 + count) else {
            return;
        };
        if speed < self.rules.len() {
            return;
        }
        let (n, k) = (self.inputs, dp.len() / self.rules.len());
        let kappa = self.values[speed];
        for vector in 1..=vectors {
            let own = vector * count..(vector + 1) * count;
            // The part of c behind each state of the vector, by its place among the values.
            let part = |r: usize| match self.rules[r] {
                (Source::Reset(i), sign, _) => (speed + 1 + i - vector * count, sign),
                _ => (speed, 0.0),
            };
            let c = |r: usize| part(r).1 * self.values[part(r).0];
            let larger = |a: &usize, b: &usize| (c(*a) / sizes[*a]).abs().total_cmp(&(c(*b) / sizes[*b]).abs());
            let Some(pivot) = own.clone().max_by(larger).filter(|r| c(*r) != 0.0) else {
                continue;
            };
            for r in own {
                let ratio = c(r) / c(pivot);
                let change = |of: &[f64], width: usize, j: usize| {
                    let at = |r: usize| part(r).1 * of[part(r).0 * width + j];
                    lacking[pivot] * (ratio * of[speed * width + j] / kappa - (at(r) - ratio * at(pivot)) / c(pivot))
                };
                for j in 0..n {
                    dx[r * n + j] += change(&self.dx, n, j);
                }
                for j in 0..k {
                    dp[r * k + j] += change(&self.dp, k, j);
                }
            }
        }
    }

    /// As [`Junction::apply`], with the Jacobians `dx` (outputs × inputs) and `dp` (outputs × free), row by row.
    pub fn linearise(&mut self, x: &[f64], p: &[f64], free: &[usize], out: &mut [f64], dx: &mut [f64], dp: &mut [f64]) {
        let (n, k) = (self.inputs, free.len());
        if let Some(map) = &self.map {
            self.dp.resize(self.values.len() * k, 0.0);
            let place = self.place(x, p);
            jacobian(
                map.as_ref(),
                &place,
                p,
                free,
                &mut self.values,
                &mut self.dx,
                &mut self.dp,
            );
        }
        dx.fill(0.0);
        dp.fill(0.0);
        for (r, &(source, sign, shift)) in self.rules.iter().enumerate() {
            match source {
                Source::Same(i) => {
                    out[r] = if sign == 0.0 { shift } else { sign * x[i] + shift };
                    dx[r * n + i] = sign;
                }
                Source::Absent(i) | Source::Reset(i) => {
                    out[r] = sign * self.values[i] + shift;
                    for j in 0..n {
                        dx[r * n + j] = sign * self.dx[i * n + j];
                    }
                    for j in 0..k {
                        dp[r * k + j] = sign * self.dp[i * k + j];
                    }
                }
            }
        }
    }
}
