//! How large states, times and guards of a system are, from what is known of its motions before any of them is
//! computed, and the system expressed in units in which they are about one.
//!
//! Whatever the units of a system, the same numbers come out in them: sizes follow from the starts, from what the
//! fields make of them in the time of a radian, from what resets do and from how far guards are away, none of which
//! knows of a number that is not the system's own.

use super::junction::Junction;
use super::options::FlowOptions;
use super::prepared_mode::constant_turn;
use super::simulate::{SimulationOptions, simulate};
use nalgebra::DMatrix;
use slipstick_numerics::linalg::eigen::eigenvalues;
use slipstick_system::{Function, ModeKind, SharedFunction, System, Units, jacobian};
use std::collections::VecDeque;
use std::f64::consts::TAU;
use std::sync::Arc;

/// A system all of whose sizes are within this factor of one is left as it is.
const ORDINARY: f64 = 32.0;

/// What a study says of a motion.
#[doc(hidden)]
pub struct Known {
    /// All parameters.
    pub parameters: Vec<f64>,
    /// Modes and the states in them; none where motions begin as the system says.
    pub starts: Vec<(usize, Vec<f64>)>,
    /// How long the motion goes on until it repeats itself, if that is known.
    pub period: Option<f64>,
}

/// The power of two next to a size, so that dividing by it rounds nothing.
fn unit_of(size: f64) -> f64 {
    if size > 0.0 && size.is_finite() {
        size.log2().round().clamp(-1000.0, 1000.0).exp2()
    } else {
        1.0
    }
}

/// The system expressed in units in which its motions are about one, if they are not in its own. Smooth systems and
/// maps need none where problems have scales of their own.
pub fn measured(system: &System, known: &[Known]) -> Option<System> {
    if !system.is_hybrid() || system.is_map() {
        return None;
    }
    let (mut sizes, places) = Sizes::estimated(system, known);
    if sizes.are_ordinary(&sizes.of_guards(known, &places)) {
        return None;
    }
    // What was estimated is looked up on the motions themselves.
    sizes.look_up(known, &places);
    let found = sizes.of_guards(known, &places);
    (!sizes.are_ordinary(&found)).then(|| sizes.reported(&found))
}

/// As [`measured`], for motions that are only followed: a smooth system, too, if some of its states are small, since
/// errors of an integrator count beside one.
pub fn measured_motion(system: &System, known: &[Known]) -> Option<System> {
    if system.is_hybrid() || system.is_map() || system.modes.iter().any(|mode| mode.kind == ModeKind::Equations) {
        return measured(system, known);
    }
    let (mut sizes, places) = Sizes::estimated(system, known);
    let some_are_small = |sizes: &Sizes<'_>| sizes.overall().iter().any(|&size| unit_of(size) < ORDINARY.recip());
    if !some_are_small(&sizes) {
        return None;
    }
    sizes.look_up(known, &places);
    some_are_small(&sizes).then(|| {
        let units = Units {
            time: 1.0,
            ..sizes.units()
        };
        system.in_units(units, &|_, _| 1.0)
    })
}

/// The unit of time of a system with events: the time in which something turns by a radian; one where that is about
/// one, and of smooth systems and maps. It is the same all along a curve.
pub fn unit_of_time(system: &System) -> f64 {
    /// Within this factor of one is about one: where there is no forcing, the fields have many rates, and their mean is
    /// no sharp measure.
    const ABOUT: f64 = 2.25;
    const ABOUT_BY_FIELDS: f64 = 30.0;
    if !system.is_hybrid() || system.is_map() {
        return 1.0;
    }
    let known = Known {
        parameters: system.default_parameters(),
        starts: vec![],
        period: None,
    };
    let p = &known.parameters;
    let is_forced = (0..system.modes.len()).any(|m| constant_turn(system, m, p).is_some());
    let about = if is_forced { ABOUT } else { ABOUT_BY_FIELDS };
    match time(system, &known) {
        Some(unit) if !(about.recip()..=about).contains(&unit) => unit,
        _ => 1.0,
    }
}

/// The time in which something turns by a radian: that of the known motion, of the forcing, or of the fields where
/// motions start.
fn time(system: &System, known: &Known) -> Option<f64> {
    let finite = |t: &f64| *t > 0.0 && t.is_finite();
    let p = &known.parameters;
    let turns = (0..system.modes.len()).filter_map(|m| constant_turn(system, m, p));
    let forced = turns.map(|(_, turn)| turn).filter(finite).fold(0.0, f64::max);
    if let Some(turn) = known.period.filter(finite).or(Some(forced).filter(finite)) {
        return Some(turn / TAU);
    }
    // The geometric mean of all rates.
    let (mut sum, mut count) = (0.0, 0);
    for (mode, places) in places(system, known).into_iter().enumerate() {
        for x in places {
            let n = x.len();
            let (mut f, mut dx) = (vec![0.0; n], vec![0.0; n * n]);
            jacobian(&*system.modes[mode].field, &x, p, &[], &mut f, &mut dx, &mut []);
            let rates = eigenvalues(&DMatrix::from_row_slice(n, n, &dx)).unwrap_or_default();
            let largest = rates.iter().map(|v| v.norm()).fold(0.0, f64::max);
            // What rounding leaves of a rate of zero.
            for rate in rates.iter().map(|v| v.norm()).filter(|v| *v > 1e-9 * largest) {
                sum += rate.ln();
                count += 1;
            }
        }
    }
    (count > 0).then(|| (-sum / f64::from(count)).exp()).filter(finite)
}

/// For each mode, where its field is looked at.
type Places = Vec<Vec<Vec<f64>>>;

/// Where the fields of the modes are looked at: at the starts, angles all round.
fn places(system: &System, known: &Known) -> Places {
    const ROUND: usize = 5;
    let p = &known.parameters;
    let own = [system.start_at(p)];
    let starts = if known.starts.is_empty() {
        &own[..]
    } else {
        &known.starts[..]
    };
    let mut places = vec![vec![]; system.modes.len()];
    for (from, x) in starts {
        let led = led_everywhere(system, *from, x, p);
        for (mode, (full, places)) in led.into_iter().zip(&mut places).enumerate() {
            let states = &system.modes[mode].states;
            let turns = states.iter().any(|&s| system.states[s].period.is_some());
            for k in 0..if turns { ROUND } else { 1 } {
                let at = |&s: &usize| match system.states[s].period {
                    Some(period) => (k as f64 + 0.3) / ROUND as f64 * period,
                    None => full[s],
                };
                places.push(states.iter().map(at).collect());
            }
        }
    }
    places
}

/// All states as each mode has them, for the state `x` of the mode `from`: resets on the shortest way there are
/// applied, since what a state means may differ from mode to mode.
fn led_everywhere(system: &System, from: usize, x: &[f64], p: &[f64]) -> Vec<Vec<f64>> {
    let plain = system.full_state(from, x, p);
    let mut led: Vec<Option<Vec<f64>>> = vec![None; system.modes.len()];
    led[from] = Some(plain.clone());
    let mut ways = VecDeque::from([(from, plain.clone())]);
    while let Some((at, full)) = ways.pop_front() {
        for (e, event) in system.modes[at].events.iter().enumerate() {
            if led[event.target].is_some() {
                continue;
            }
            let mut next = full.clone();
            if event.reset.is_some() {
                let own = system.own_states(at, &full);
                let mut junction = Junction::new(system, at, Some(e), false);
                let mut start = vec![0.0; junction.outputs()];
                junction.apply(&own, p, &mut start);
                if start.iter().all(|v| v.is_finite()) {
                    next = system.full_state(event.target, &start, p);
                }
            }
            led[event.target] = Some(next.clone());
            ways.push_back((event.target, next));
        }
    }
    led.into_iter()
        .map(|way| way.unwrap_or_else(|| plain.clone()))
        .collect()
}

/// The sizes known so far.
struct Sizes<'s> {
    system: &'s System,
    time: f64,
    /// The group of each mode: in modes between which events lead without a reset, states mean the same.
    groups: Vec<usize>,
    /// The sizes of the states in the modes of each group.
    states: Vec<Vec<f64>>,
}

/// The size of a guard or a condition of a mode.
type OfGuard = (usize, SharedFunction, f64);

impl<'s> Sizes<'s> {
    /// What is known before any motion is computed, and where it was looked for.
    fn estimated(system: &'s System, known: &[Known]) -> (Self, Vec<Places>) {
        let times = known.iter().filter_map(|one| time(system, one));
        let time = times.fold(f64::INFINITY, f64::min);
        let mut sizes = Self::new(system, if time.is_finite() { time } else { 1.0 });
        let places: Vec<Places> = known.iter().map(|one| places(system, one)).collect();
        for (one, places) in known.iter().zip(&places) {
            sizes.enlarge(one, places);
        }
        sizes.level();
        (sizes, places)
    }

    fn new(system: &'s System, time: f64) -> Self {
        let mut groups: Vec<usize> = (0..system.modes.len()).collect();
        for (from, mode) in system.modes.iter().enumerate() {
            for event in mode.events.iter().filter(|e| e.reset.is_none()) {
                let (own, other) = (groups[from], groups[event.target]);
                let joined = own.min(other);
                groups
                    .iter_mut()
                    .filter(|g| **g == own || **g == other)
                    .for_each(|g| *g = joined);
            }
        }
        Self {
            system,
            time,
            states: vec![vec![0.0; system.states.len()]; groups.len()],
            groups,
        }
    }

    /// The size of each state over all modes.
    fn overall(&self) -> Vec<f64> {
        let largest = |state: usize| self.states.iter().fold(0.0f64, |m, sizes| m.max(sizes[state]));
        (0..self.system.states.len()).map(largest).collect()
    }

    fn units(&self) -> Units {
        Units {
            states: self.overall().into_iter().map(unit_of).collect(),
            time: unit_of(self.time),
        }
    }

    /// The sizes of all guards and conditions at the starts.
    fn of_guards(&self, known: &[Known], places: &[Places]) -> Vec<OfGuard> {
        let own = self.system.modes.iter().enumerate().flat_map(|(number, mode)| {
            let conditions = mode.events.iter().flat_map(|e| &e.when).chain(&mode.inequalities);
            let all = mode
                .events
                .iter()
                .map(|e| &e.guard)
                .chain(conditions.map(|c| &c.function));
            all.map(move |function| (number, function))
        });
        let size = |(mode, function): (usize, &SharedFunction)| {
            let looks = known
                .iter()
                .zip(places)
                .flat_map(|(one, places)| places[mode].iter().map(move |x| (x, &one.parameters)));
            let size = |(x, p): (&Vec<f64>, &Vec<f64>)| {
                let (value, parts) = self.parts(mode, &**function, x, p);
                value.abs().max(parts.iter().sum())
            };
            let size = looks.map(size).filter(|size| size.is_finite()).fold(0.0, f64::max);
            (mode, function.clone(), size)
        };
        own.map(size).collect()
    }

    fn are_ordinary(&self, guards: &[OfGuard]) -> bool {
        let guards = guards.iter().map(|(_, _, size)| size);
        let states = self.overall();
        let mut all = states.iter().chain([&self.time]).chain(guards);
        all.all(|&size| (ORDINARY.recip()..=ORDINARY).contains(&unit_of(size)))
    }

    fn reported(&self, guards: &[OfGuard]) -> System {
        self.system.in_units(self.units(), &|mode, function| {
            let found = guards.iter().find(|(m, f, _)| *m == mode && Arc::ptr_eq(f, function));
            found.map_or(1.0, |(_, _, size)| unit_of(*size))
        })
    }

    /// Replace the sizes of states by their largest values along the motions that are known of, as far as these can be
    /// followed.
    fn look_up(&mut self, known: &[Known], places: &[Places]) {
        /// How long they are followed, in units of time, and how often they are looked at.
        const TIME: f64 = 40.0;
        const LOOKS: f64 = 400.0;
        /// So much larger or smaller than what was estimated a size may be: a motion may escape, or not move, and
        /// rounding of others may be all that there is of a state of a smooth system.
        const LARGER: f64 = 100.0;
        const SMALLER: f64 = 1e-6;
        const ROUNDED: f64 = 1e-3;
        let smaller = if self.system.is_hybrid() { SMALLER } else { ROUNDED };
        let reported = self.reported(&self.of_guards(known, places));
        let options = SimulationOptions {
            t_end: TIME,
            max_events: 400,
            flow: FlowOptions {
                rtol: 1e-6,
                atol: 1e-6,
                max_steps: 5000,
                ..FlowOptions::default()
            },
            ..SimulationOptions::default()
        };
        let mut largest = vec![vec![0.0f64; self.system.states.len()]; self.states.len()];
        for one in known {
            let own = [reported.start_at(&one.parameters)];
            let given = one.starts.iter().map(|(mode, x)| {
                let units = reported.units_of_mode(*mode);
                (*mode, x.iter().zip(units).map(|(x, unit)| x / unit).collect())
            });
            let given: Vec<(usize, Vec<f64>)> = given.collect();
            let p = &one.parameters;
            for (mode, x) in if given.is_empty() { &own[..] } else { &given[..] } {
                let rows = simulate(&reported, *mode, x, p, &options)
                    .and_then(|run| run.table(&reported, p, TIME / LOOKS, options.flow));
                // What cannot be followed leaves what was estimated.
                for row in rows.unwrap_or_default() {
                    let largest = largest[self.groups[row.mode]].iter_mut();
                    for (i, (size, x)) in largest.zip(&row.states).enumerate() {
                        *size = size.max((x * reported.units.state(i)).abs());
                    }
                }
            }
        }
        for (sizes, largest) in self.states.iter_mut().zip(largest) {
            for (i, (size, found)) in sizes.iter_mut().zip(largest).enumerate() {
                if self.system.states[i].period.is_none() && found.is_finite() && found > 0.0 {
                    *size = found.clamp(smaller * *size, LARGER * *size);
                }
            }
        }
        self.level();
    }

    /// States that a symmetry exchanges are of one size.
    fn level(&mut self) {
        let Some(symmetry) = &self.system.symmetry else { return };
        for _ in 0..self.system.states.len() {
            for (mode, &image) in symmetry.modes.iter().enumerate() {
                let (own, other) = (self.groups[mode], self.groups[image]);
                for (i, &source) in symmetry.source.iter().enumerate() {
                    self.states[other][i] = self.states[other][i].max(self.states[own][source]);
                }
            }
        }
    }

    fn is_straight(&self, mode: usize, i: usize) -> bool {
        self.system.states[self.system.modes[mode].states[i]].period.is_none()
    }

    /// How large a state of a mode is: angles are of size one.
    fn of(&self, mode: usize, i: usize) -> f64 {
        if self.is_straight(mode, i) {
            self.states[self.groups[mode]][self.system.modes[mode].states[i]]
        } else {
            1.0
        }
    }

    fn take(&mut self, mode: usize, state: usize, size: f64) {
        if size.is_finite() && self.system.states[state].period.is_none() {
            let known = &mut self.states[self.groups[mode]][state];
            *known = known.max(size.abs());
        }
    }

    /// A size that other states may give to this one. It tells what is not known otherwise only: in oblique coordinates
    /// such sizes grow with each step, the motion does not.
    fn propagate(&mut self, mode: usize, state: usize, size: f64) {
        const MORE: f64 = 100.0;
        if size.abs() > MORE * self.states[self.groups[mode]][state] {
            self.take(mode, state, size);
        }
    }

    /// A function and what each state makes of it.
    fn parts(&self, mode: usize, function: &dyn Function, x: &[f64], p: &[f64]) -> (f64, Vec<f64>) {
        let (mut value, mut gradient) = ([0.0], vec![0.0; x.len()]);
        jacobian(function, x, p, &[], &mut value, &mut gradient, &mut []);
        for (i, part) in gradient.iter_mut().enumerate() {
            *part = (*part * self.of(mode, i)).abs();
        }
        (value[0], gradient)
    }

    /// What follows from one motion.
    fn enlarge(&mut self, known: &Known, places: &Places) {
        /// Sizes pass from mode to mode.
        const ROUNDS: usize = 3;
        let (system, p) = (self.system, &known.parameters);
        let own = [system.start_at(p)];
        for (mode, x) in if known.starts.is_empty() {
            &own[..]
        } else {
            &known.starts[..]
        } {
            for (state, size) in system.full_state(*mode, x, p).into_iter().enumerate() {
                self.take(*mode, state, size);
            }
        }
        for _ in 0..ROUNDS {
            self.look_around(places, p, false);
        }
        // Beside the places where a mode can be its field says little: one of sliding has poles there. It gives the
        // sizes of those states that are still unknown.
        let found = self.states.clone();
        for _ in 0..ROUNDS {
            self.look_around(places, p, true);
            for (size, found) in self.states.iter_mut().flatten().zip(found.iter().flatten()) {
                *size = if *found > 0.0 { *found } else { *size };
            }
        }
    }

    /// What the modes make of their places, `everywhere` or where they can be.
    fn look_around(&mut self, places: &Places, p: &[f64], everywhere: bool) {
        for (mode, places) in places.iter().enumerate() {
            for x in places {
                if everywhere || self.may_lie_in(mode, x, p) {
                    self.move_on(mode, x, p);
                    self.reset(mode, x, p);
                    self.reach(mode, x, p);
                }
            }
        }
    }

    /// Does a place fulfil the conditions of a mode, but for rounding?
    fn may_lie_in(&self, mode: usize, x: &[f64], p: &[f64]) -> bool {
        const ROUNDING: f64 = 1e-9;
        self.system.modes[mode].inequalities.iter().all(|condition| {
            let (value, parts) = self.parts(mode, &*condition.function, x, p);
            value >= -ROUNDING * parts.iter().sum::<f64>()
        })
    }

    /// The motion from a place, averaged over times of half a radian or so: what is fast has decayed, what is slow has
    /// hardly begun. Where the field repels faster than that, over half of the time in which it does: linearised, the
    /// motion would go anywhere.
    fn move_on(&mut self, mode: usize, x: &[f64], p: &[f64]) {
        let own = &self.system.modes[mode];
        let n = x.len();
        let (mut f, mut dx) = (vec![0.0; n], vec![0.0; n * n]);
        jacobian(&*own.field, x, p, &[], &mut f, &mut dx, &mut []);
        let growths = eigenvalues(&DMatrix::from_row_slice(n, n, &dx)).unwrap_or_default();
        let rate = growths.iter().fold(2.0 / self.time, |m, v| m.max(2.0 * v.re));
        let matrix = DMatrix::from_fn(n, n, |i, j| if i == j { rate } else { 0.0 } - dx[i * n + j]);
        let Some(inverse) = matrix.try_inverse() else { return };
        for i in 0..n {
            let pushed: f64 = (0..n).map(|j| inverse[(i, j)] * f[j]).sum();
            let from = |j: usize| (rate * inverse[(i, j)] * self.of(mode, j)).abs();
            let propagated = (0..n)
                .filter(|&j| self.is_straight(mode, j))
                .map(from)
                .fold(0.0, f64::max);
            self.take(mode, own.states[i], pushed);
            self.propagate(mode, own.states[i], propagated);
        }
    }

    fn reset(&mut self, mode: usize, x: &[f64], p: &[f64]) {
        for event in &self.system.modes[mode].events {
            let Some(reset) = &event.reset else { continue };
            let targets = &self.system.modes[event.target].states;
            let (n, m) = (x.len(), reset.outputs().min(targets.len()));
            let (mut y, mut dx) = (vec![0.0; reset.outputs()], vec![0.0; reset.outputs() * n]);
            jacobian(&**reset, x, p, &[], &mut y, &mut dx, &mut []);
            for i in 0..m {
                let propagated: f64 = (0..n).map(|j| (dx[i * n + j] * self.of(mode, j)).abs()).sum();
                self.take(event.target, targets[i], y[i]);
                self.propagate(event.target, targets[i], propagated);
            }
        }
    }

    /// A surface that no state reaches yet: that which counts most in it must be larger. Where the surface is curved,
    /// only as far as it comes nearer; and not where it lies so many times as far as states are large, as one of which
    /// the gradient is rounding.
    fn reach(&mut self, mode: usize, x: &[f64], p: &[f64]) {
        const HALVINGS: usize = 40;
        const FAR: f64 = 1e6;
        for event in &self.system.modes[mode].events {
            let (value, parts) = self.parts(mode, &*event.guard, x, p);
            let mut gradient = vec![0.0; x.len()];
            jacobian(&*event.guard, x, p, &[], &mut [0.0], &mut gradient, &mut []);
            if parts.iter().sum::<f64>() >= value.abs() {
                continue;
            }
            let straight = (0..x.len()).filter(|&i| self.is_straight(mode, i) && gradient[i] != 0.0);
            let states: Vec<usize> = straight.collect();
            let largest = states.iter().copied().max_by(|&a, &b| parts[a].total_cmp(&parts[b]));
            if let Some(i) = largest.filter(|&i| parts[i] > 0.0 || states.len() == 1) {
                let mut way = -value / gradient[i];
                for _ in 0..HALVINGS {
                    let (mut there, mut nearer) = (x.to_vec(), [f64::NAN]);
                    there[i] += way;
                    event.guard.value(&there, p, &mut nearer);
                    if nearer[0].abs() <= value.abs() {
                        break;
                    }
                    way /= 2.0;
                }
                let known = self.of(mode, i);
                if known == 0.0 || way.abs() <= FAR * known {
                    self.take(mode, self.system.modes[mode].states[i], way);
                }
            }
        }
    }
}
