//! States that are angles though they are not declared as such: the equations repeat where one has grown by a period.

use super::function::Function;
use super::hybrid::{Mode, System, UNMADE};
use std::f64::consts::TAU;

/// Systems of more states are not looked at: each state costs several evaluations of everything.
const MOST_STATES: usize = 200;

/// What is tried as a period: a turn in radians, and as a part of the whole.
const PERIODS: [f64; 2] = [TAU, 1.0];

/// Where the equations are compared with themselves, in periods from the start: a step anywhere from one period before
/// it to one after it lies between some of these and what comes a period later.
const PLACES: [f64; 6] = [-0.93, -0.71, -0.48, -0.27, -0.06, 0.19];

/// This part of a period further on, the equations must be others, or they do not depend on the state at all.
const ELSEWHERE: f64 = 0.37;

/// Values are the same to this part of their size.
const SAME: f64 = 1e-11;

/// Another value of a parameter: times the first, plus the second.
const OTHER: (f64, f64) = (1.137, 0.0173);

/// How the values of a function may differ a period later.
#[derive(Clone, Copy)]
enum Grows<'a> {
    /// Not at all.
    Never,
    /// Those that become states of these indices by whole periods.
    States(&'a [usize]),
}

impl System {
    /// The states without a period for which everything repeats where they grow by 2π, or by one, at these parameters
    /// and also where the `varied` ones, by their indices, have other values: the indices of the states, and the
    /// period. A pendulum's angle is one, `f(x + T eᵢ, p) = f(x, p)`. Compared at sample points, to rounding.
    ///
    /// ```
    /// use slipstick_system::catalogue::stiction;
    /// let mut system = stiction();
    /// let p = system.default_parameters();
    /// // The phase of the forcing is declared, the place of the mass is no angle.
    /// assert!(system.undeclared_angles(&p, &[0]).is_empty());
    /// system.states[2].period = None;
    /// assert_eq!(system.undeclared_angles(&p, &[0]), [(2, std::f64::consts::TAU)]);
    /// ```
    pub fn undeclared_angles(&self, p: &[f64], varied: &[usize]) -> Vec<(usize, f64)> {
        if self.states.len() > MOST_STATES {
            return vec![];
        }
        let mut other = p.to_vec();
        varied.iter().for_each(|&i| other[i] = OTHER.0 * other[i] + OTHER.1);
        let undeclared = (0..self.states.len()).filter(|&i| self.states[i].period.is_none());
        undeclared
            .filter_map(|i| {
                let repeats = |period: f64| [p, &other].iter().all(|p| self.repeats(i, period, p));
                Some((i, PERIODS.into_iter().find(|&period| repeats(period))?))
            })
            .collect()
    }

    /// Does everything repeat where state `i` grows by this period, and depend on it in between?
    fn repeats(&self, i: usize, period: f64, p: &[f64]) -> bool {
        let start = self.start_at(p);
        let full = self.full_state(start.0, &start.1, p);
        let mut depends = false;
        let made = |mode: &&Mode| !mode.name.starts_with(UNMADE);
        for mode in self.modes.iter().filter(made) {
            for (function, grows) in self.functions_of(mode) {
                let Some(changes) = self.compare(function, grows, mode, &full, (i, period), p) else {
                    return false;
                };
                depends |= changes;
            }
        }
        depends
    }

    /// All functions of a mode.
    fn functions_of<'a>(&'a self, mode: &'a Mode) -> Vec<(&'a dyn Function, Grows<'a>)> {
        let next = if self.is_map() {
            Grows::States(&mode.states)
        } else {
            Grows::Never
        };
        let mut all: Vec<(&dyn Function, Grows<'_>)> = vec![(mode.field.as_ref(), next)];
        let inequalities = mode.inequalities.iter();
        all.extend(inequalities.map(|q| (q.function.as_ref(), Grows::Never)));
        all.extend(mode.surfaces.iter().map(|s| (s.as_ref(), Grows::Never)));
        for event in &mode.events {
            all.push((event.guard.as_ref(), Grows::Never));
            all.extend(event.when.iter().map(|q| (q.function.as_ref(), Grows::Never)));
            let landing = event.reset.as_ref();
            all.extend(landing.map(|r| (r.as_ref(), Grows::States(&self.modes[event.target].states))));
        }
        all
    }

    /// Is the function the same wherever state `i` has grown by a period (`None` if not), and does it change in
    /// between? Where it has corners, so must they be.
    fn compare(
        &self,
        function: &dyn Function,
        grows: Grows<'_>,
        mode: &Mode,
        start: &[f64],
        (i, period): (usize, f64),
        p: &[f64],
    ) -> Option<bool> {
        let Some(place) = mode.states.iter().position(|&s| s == i) else {
            return Some(false);
        };
        let outputs = function.outputs();
        let (mut here, mut later, mut between) = (vec![0.0; outputs], vec![0.0; outputs], vec![0.0; outputs]);
        let (mut depends, mut finite) = (false, false);
        for (k, part) in PLACES.into_iter().enumerate() {
            // The other states lie off their start, each elsewhere.
            let off = |c: usize| 0.3 * ((1.7 * c as f64 + 2.3 * k as f64 + 0.4).sin());
            let mut x: Vec<f64> = mode
                .states
                .iter()
                .map(|&s| start[s] + off(s) * (1.0 + start[s].abs()))
                .collect();
            let from = start[i] + part * period;
            x[place] = from;
            function.value(&x, p, &mut here);
            x[place] = from + period;
            function.value(&x, p, &mut later);
            x[place] = from + ELSEWHERE * period;
            function.value(&x, p, &mut between);
            if !here.iter().chain(&later).chain(&between).all(|v| v.is_finite()) {
                continue;
            }
            finite = true;
            for c in 0..outputs {
                let growth = match grows {
                    Grows::States(states) if states.get(c) == Some(&i) => {
                        ((later[c] - here[c]) / period).round() * period
                    }
                    _ => 0.0,
                };
                let size = 1.0 + here[c].abs().max(between[c].abs());
                if (later[c] - here[c] - growth).abs() > SAME * size {
                    return None;
                }
                depends |= (between[c] - here[c]).abs() > SAME.sqrt() * size;
            }
        }
        let breaks = function.breaks();
        let repeat = |b: &super::SharedFunction| self.compare(b.as_ref(), Grows::Never, mode, start, (i, period), p);
        (finite && breaks.iter().all(|b| repeat(b).is_some())).then_some(depends)
    }
}
