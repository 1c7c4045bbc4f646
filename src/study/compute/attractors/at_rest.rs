//! Motions that stopped, or seem to have: the equilibrium that they are at, the states of rest around it, or how far
//! they would still go.

use crate::compute::attractors::exponents::{of_motion, of_record};
use crate::compute::attractors::motion::row;
use crate::compute::attractors::problem::measured;
use crate::compute::attractors::rest::extents;
use crate::plan::attractors::AttractorsPlan;
use crate::results::attractors::{Attractor, AttractorKind};
use slipstick_bifurcation::Record;
use slipstick_flow::{SimulationOptions, simulate};
use slipstick_numerics::number::rounded;
use slipstick_orbit::FixedPoint;
use slipstick_system::{Event, System, jacobian};

/// What is said of a motion that has no bounds.
pub(crate) const GROWS: &str = "the motion grows without bound, as far as it was followed";

/// What is said of one that drifts on for ever.
const DRIFTS: &str = "the motion goes on at a speed that never changes, and no event is on its way: it has no bounds";

/// A motion that was taken for one at rest.
pub(crate) struct Stopped<'a> {
    pub(crate) system: &'a System,
    pub(crate) mode: usize,
    pub(crate) state: &'a [f64],
    pub(crate) p: &'a [f64],
    pub(crate) sweep: &'a AttractorsPlan,
    /// The mode and its states where it began, and the largest of these.
    pub(crate) begin: (usize, &'a [f64]),
    pub(crate) size: f64,
    /// For how long it was followed without an event.
    pub(crate) waited: f64,
}

/// An equilibrium that repels.
struct Unstable {
    state: Vec<f64>,
    /// The largest real part of its eigenvalues.
    growth: f64,
    record: Record,
}

/// The largest real part of the eigenvalues of an equilibrium, and their size.
fn growth_and_size(record: &Record) -> (f64, f64) {
    let values = record.eigenvalues.iter();
    values.fold((f64::NEG_INFINITY, 0.0), |(growth, size): (f64, f64), v| {
        (growth.max(v.re), size.max(v.norm()))
    })
}

impl Stopped<'_> {
    /// Would it go on to somewhere else, within a time that is so much longer than was waited as rates of stiff systems
    /// differ? Then it is near no equilibrium.
    pub(crate) fn goes_on(&self) -> bool {
        /// A thousandth of a state in 10⁸ times as long. Rounding of a rate is far less.
        const DRIFT: f64 = 1e-11;
        !self.has_fled()
            && !self.runs_away()
            && !self.drifts_for_ever()
            && self.moves_by(DRIFT)
            && self.equilibrium().is_none()
    }

    /// Does it move at a speed that never changes, as a mass that sticks to its belt for good, and come to no event on
    /// its way?
    fn drifts_for_ever(&self) -> bool {
        /// So many times as long as was waited is looked ahead, in steps of this factor.
        const AHEAD: f64 = 1e9;
        const STEP: f64 = 1.5;
        const PHASES: u8 = 8;
        /// Speeds are the same, and terms cancel, to this part.
        const SAME: f64 = 1e-9;
        let mode = &self.system.modes[self.mode];
        let n = self.state.len();
        let (mut rates, mut slopes) = (vec![0.0; n], vec![0.0; n * n]);
        let field = mode.field.as_ref();
        jacobian(field, self.state, self.p, &[], &mut rates, &mut slopes, &mut []);
        let terms = |i: usize, v: &[f64]| -> f64 {
            let row = slopes[i * n..(i + 1) * n].iter().zip(v);
            row.map(|(slope, v)| (slope * v).abs()).sum()
        };
        // What is left of large terms is rounding.
        for (i, rate) in rates.iter_mut().enumerate() {
            if rate.abs() <= SAME * terms(i, self.state) {
                *rate = 0.0;
            }
        }
        let accelerates = |i: usize| {
            let row = slopes[i * n..(i + 1) * n].iter().zip(&rates);
            row.map(|(slope, rate)| slope * rate).sum::<f64>().abs() > SAME * terms(i, &rates)
        };
        let straight = |i: usize| self.system.states[mode.states[i]].period.is_none();
        if !(0..n).any(|i| straight(i) && rates[i] != 0.0) || (0..n).any(accelerates) {
            return false;
        }
        // At several phases of what turns meanwhile.
        let place = |time: f64, turn: f64| -> Vec<f64> {
            let at = |i: usize| {
                let period = self.system.states[mode.states[i]].period;
                self.state[i] + rates[i] * time + turn * period.unwrap_or(0.0)
            };
            (0..n).map(at).collect()
        };
        let fires = |there: &[f64]| -> Vec<bool> {
            let value = |event: &Event| {
                let mut value = [0.0];
                event.guard.value(there, self.p, &mut value);
                event.direction.sign() * value[0] >= 0.0
            };
            mode.events.iter().map(value).collect()
        };
        let at_once = fires(self.state);
        let mut further = vec![0.0; n];
        let mut time = self.waited;
        while time < AHEAD * self.waited {
            for turn in 0..PHASES {
                let there = place(time, f64::from(turn) / f64::from(PHASES));
                field.value(&there, self.p, &mut further);
                let known = |i: usize| SAME * (rates[i].abs() + terms(i, &there));
                let same = (0..n).all(|i| (further[i] - rates[i]).abs() <= known(i));
                if !same || fires(&there) != at_once {
                    return false;
                }
            }
            time *= STEP;
        }
        true
    }

    /// Is it far from where it began, and as fast as that it came there? What comes to rest slows down.
    fn runs_away(&self) -> bool {
        const FURTHER: f64 = 10.0;
        const AS_FAST: f64 = 0.5;
        self.largest() > FURTHER * self.size && self.moves_by(AS_FAST)
    }

    /// Has it grown beyond any bounds, without a place of rest there? So far off, a speed changes no digit of a state,
    /// and may be one of rounding itself.
    fn has_fled(&self) -> bool {
        /// By this factor, beside where it began or one; and by this one whatever its speed seems to be.
        const FAR: f64 = 1e8;
        const BEYOND: f64 = 1e12;
        /// At rest the terms of a rate cancel to this part.
        const STILL: f64 = 1e-6;
        let mode = &self.system.modes[self.mode];
        let n = self.state.len();
        let straight: Vec<usize> = (0..n)
            .filter(|&i| self.system.states[mode.states[i]].period.is_none())
            .collect();
        if straight.iter().any(|&i| !self.state[i].is_finite()) {
            return true;
        }
        let largest = straight.iter().fold(0.0f64, |m, &i| m.max(self.state[i].abs()));
        let grown = largest / self.size.max(1.0);
        if grown <= FAR || grown > BEYOND {
            return grown > BEYOND;
        }
        let (mut rates, mut slopes) = (vec![0.0; n], vec![0.0; n * n]);
        jacobian(
            mode.field.as_ref(),
            self.state,
            self.p,
            &[],
            &mut rates,
            &mut slopes,
            &mut [],
        );
        let terms = |i: usize| -> f64 {
            let row = slopes[i * n..(i + 1) * n].iter().zip(self.state);
            row.map(|(slope, x)| (slope * x).abs()).sum()
        };
        straight.iter().any(|&i| !(rates[i].abs() <= STILL * terms(i)))
    }

    /// The attractor made of states of rest, with the interval that they fill, in rows of `width` monitors.
    /// `plain` makes an attractor of its kind, rows and message.
    pub(crate) fn attractor(
        &self,
        width: usize,
        plain: impl Fn(AttractorKind, Vec<Vec<f64>>, String) -> Attractor,
    ) -> Attractor {
        let Self { system, mode, p, .. } = *self;
        let kind = AttractorKind::Rest {
            mode: system.modes[mode].name.clone(),
        };
        let row = |x: &[f64]| {
            let fixed: Vec<(f64, f64)> = system.full_state(mode, x, p).iter().map(|&v| (v, v)).collect();
            row(system, &fixed, width)
        };
        if self.has_fled() {
            return plain(AttractorKind::Lost, vec![], GROWS.into());
        }
        if self.drifts_for_ever() {
            return plain(AttractorKind::Undecided, vec![], DRIFTS.into());
        }
        if let Some(unstable) = self.unstable_equilibrium() {
            let words = self.in_words(&unstable);
            if self.leaves(&unstable) {
                return plain(
                    AttractorKind::Undecided,
                    vec![],
                    format!("the motion passes near {words}"),
                );
            }
            let mut rests = plain(
                kind,
                vec![row(&unstable.state)],
                format!("the motion is exactly on {words}"),
            );
            rests.exponents = of_record(system, &unstable.record, self.sweep.exponents);
            return rests;
        }
        let continua = extents(system, mode, self.state, p, self.sweep.flow).unwrap_or_default();
        let mut attractor = if continua.is_empty() {
            match self.equilibrium() {
                Some((state, record)) => {
                    let mut attractor = plain(kind, vec![row(&state)], String::new());
                    attractor.exponents = of_record(system, &record, self.sweep.exponents);
                    return attractor;
                }
                None if self.moves() => {
                    let says = "the motion goes on without an event, neither coming to rest nor repeating itself: it may be unbounded, or its transient longer";
                    plain(AttractorKind::Undecided, vec![], says.into())
                }
                None => plain(kind, vec![row(self.state)], String::new()),
            }
        } else {
            let mut rows = vec![];
            let mut said = vec![];
            for (index, low, high) in continua {
                let [from, to] = [low, high].map(|v| v * system.units.state(index));
                said.push(format!("{from} < {} < {to}", system.states[index].name));
                for end in [low, high] {
                    let mut x = self.state.to_vec();
                    if let Some(i) = system.modes[mode].states.iter().position(|&s| s == index) {
                        x[i] = end;
                    }
                    rows.push(row(&x));
                }
            }
            plain(kind, rows, format!("at rest for {}", said.join(" and ")))
        };
        attractor.exponents = of_motion(system, self.sweep.exponents, (mode, self.state), p);
        attractor
    }

    /// The equilibrium that it is at, by Newton's method: motions that come to it from different sides stop at
    /// different distances from it. None where the field vanishes nowhere near, as where an angle goes on turning, or
    /// where it repels, as in the middle of a small cycle.
    fn equilibrium(&self) -> Option<(Vec<f64>, Record)> {
        /// Beyond what rounding leaves of eigenvalues, as a part of the largest.
        const ROUNDING: f64 = 1e-9;
        let (state, record) = self.nearest()?;
        let (growth, size) = growth_and_size(&record);
        (growth <= ROUNDING * size).then_some((state, record))
    }

    /// The equilibrium that it is at, where that clearly repels.
    fn unstable_equilibrium(&self) -> Option<Unstable> {
        /// As a part of the largest eigenvalue.
        const CLEAR: f64 = 1e-6;
        let (state, record) = self.nearest()?;
        let (growth, size) = growth_and_size(&record);
        (growth > CLEAR * size).then_some(Unstable { state, growth, record })
    }

    /// The equilibrium nearby, and what is measured there.
    fn nearest(&self) -> Option<(Vec<f64>, Record)> {
        let mut problem = FixedPoint::equilibrium(self.system, self.mode, self.p.to_vec(), vec![self.sweep.sweep]);
        let guess = problem.guess_points(&[self.state.to_vec()]);
        let z = problem.corrected(guess).ok()?;
        let found = problem.points(&z).into_iter().next()?;
        if !self.is_near(self.state, &found) {
            return None;
        }
        Some((found, measured(&mut problem, z)?))
    }

    /// Is a state as near to an equilibrium as motions at rest are?
    fn is_near(&self, state: &[f64], equilibrium: &[f64]) -> bool {
        /// Relative to the states where they began.
        const NEAR: f64 = 1e-3;
        let size = self.largest();
        let mut pairs = state.iter().zip(equilibrium);
        pairs.all(|(a, b)| (a - b).abs() <= NEAR * (size + b.abs()))
    }

    /// Does the motion leave an equilibrium that repels, in the time in which the smallest number there is would grow
    /// to one? What does not is exactly on it, or on what leads into it.
    fn leaves(&self, unstable: &Unstable) -> bool {
        /// In units of the growth; it is looked so often.
        const TIME: f64 = 1500.0;
        const LOOKS: usize = 30;
        /// A state that is zero now, and was not where the motion began, has run out of digits: this much may be left.
        const LEFT: f64 = 1e-240;
        let (mut mode, mut state) = (self.mode, self.state.to_vec());
        if self.begin.0 == mode {
            let vanished = |(now, begin): &(&mut f64, &f64)| **now == 0.0 && **begin != 0.0;
            let pairs = state.iter_mut().zip(self.begin.1).filter(vanished);
            pairs.for_each(|(now, begin)| *now = LEFT.copysign(*begin));
        }
        for _ in 0..LOOKS {
            let options = SimulationOptions {
                t_end: TIME / LOOKS as f64 / unstable.growth,
                flow: self.sweep.flow,
                policy: self.sweep.policy,
                ..SimulationOptions::default()
            };
            let Ok(run) = simulate(self.system, mode, &state, self.p, &options) else {
                return true;
            };
            let Some(last) = run.segments.last() else { return false };
            (mode, state) = (last.mode, last.end.clone());
            if mode != self.mode || !self.is_near(&state, &unstable.state) {
                return true;
            }
        }
        false
    }

    /// An equilibrium that repels, in the units of the study.
    fn in_words(&self, unstable: &Unstable) -> String {
        let Self { system, mode, p, .. } = *self;
        /// What is less of the largest state is zero.
        const NOTHING: f64 = 1e-12;
        let largest = self.largest();
        let nonzero = |v: f64| if v.abs() <= NOTHING * largest { 0.0 } else { v };
        let full = system.full_state(mode, &unstable.state, p).into_iter().map(nonzero);
        let states = system.states.iter().zip(full).enumerate();
        let each = states.map(|(i, (s, v))| format!("{} = {}", s.name, rounded(v * system.units.state(i), 4)));
        let rate = rounded(unstable.growth / system.units.time, 3);
        format!(
            "the unstable equilibrium {}, from which perturbations grow at the rate {rate}",
            each.collect::<Vec<_>>().join(", ")
        )
    }

    /// Would it be somewhere else after the time that was waited, at the rates that it has?
    fn moves(&self) -> bool {
        const ELSEWHERE: f64 = 1e-3;
        self.moves_by(ELSEWHERE)
    }

    /// Would it move by more than `part` in the time that was waited, relative to the state, and to the largest where
    /// the motion began?
    fn moves_by(&self, part: f64) -> bool {
        let own = &self.system.modes[self.mode];
        let mut rates = vec![0.0; self.state.len()];
        own.field.value(self.state, self.p, &mut rates);
        let straight = |s: &usize| self.system.states[*s].period.is_none();
        let mut states = own.states.iter().zip(self.state).zip(rates);
        // Each beside itself: what flies away falls no slower for being far away.
        states.any(|((s, x), rate)| straight(s) && !(rate.abs() * self.waited <= part * x.abs().max(self.size)))
    }

    fn largest(&self) -> f64 {
        self.state.iter().fold(self.size, |size, v| size.max(v.abs()))
    }
}
