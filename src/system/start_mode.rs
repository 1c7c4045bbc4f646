//! The mode in which a start lies of which only states are known.

use super::function::{SharedFunction, jacobian};
use super::hybrid::{Event, ModeKind, System};
use slipstick_numerics::linalg::dot;

/// A function is zero where it is no larger, relative to 1 + |states|.
const ON: f64 = 1e-12;

/// How strictly a start lies in a mode.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Strictness {
    /// Off all its borders, by more than rounding.
    Clear,
    /// Off all its borders.
    Off,
    /// Or on one, as long as the motion goes inwards from there.
    Inwards,
    /// Or on one.
    On,
}

impl System {
    /// Where trajectories start when nobody says, with these parameters: a mode and its states.
    ///
    /// ```
    /// let system = slipstick_system::catalogue::stiction();
    /// let (mode, states) = system.start_at(&system.default_parameters());
    /// assert_eq!((system.modes[mode].name.as_str(), states), ("stick", vec![0.0, 0.0]));
    /// ```
    pub fn start_at(&self, p: &[f64]) -> (usize, Vec<f64>) {
        let own = self.start.mode();
        if !self.start.is_of_system() {
            return (own, self.start.states_at(p, self.modes[own].states.len()));
        }
        let full = self.start.states_at(p, self.states.len());
        let mode = mode_of(self, own, &full, p);
        (mode, self.own_states(mode, &full))
    }
}

/// The mode in which a start lies of which all states follow from the parameters: `own` if it does, else the one that
/// events which change nothing but the mode lead to from there, else any; one off whose borders it lies rather than
/// one into which the motion goes from a border.
pub(crate) fn mode_of(system: &System, own: usize, full: &[f64], parameters: &[f64]) -> usize {
    let start = Lying::new(system, parameters, full, &[]);
    let mut order = start.reached(own);
    order.extend(
        (0..system.modes.len())
            .filter(|mode| !order.contains(mode))
            .collect::<Vec<_>>(),
    );
    let found = [Strictness::Clear, Strictness::Inwards, Strictness::On].into_iter();
    let mut found = found.filter_map(|strictness| {
        let mut modes = order.iter().copied();
        modes.find(|mode| start.fits(*mode) && start.lies_in(*mode, strictness))
    });
    found.next().unwrap_or(own)
}

/// The mode in which a start lies, and the states that are given are free to be so: the system's own if it does; else
/// one that events which change nothing but the mode lead to from beyond its borders; or on them, which leaves open
/// what becomes of a motion that begins there.
#[doc(hidden)]
pub fn mode_around(system: &System, parameters: &[f64], full: &[f64], given: &[usize]) -> usize {
    let start = Lying::new(system, parameters, full, given);
    let own = system.start_at(parameters).0;
    let lies_in = |mode: &usize| start.has_given(*mode) && start.lies_in(*mode, Strictness::Off);
    if given.is_empty() || lies_in(&own) && start.lies_in(own, Strictness::Clear) {
        return own;
    }
    let all = 0..system.modes.len();
    if let Some(mode) = start.sliding_on_two() {
        return mode;
    }
    if lies_in(&own) {
        return own;
    }
    let next = if start.has_given(own) {
        start.beyond(own, 0.0).find(lies_in)
    } else {
        let best = all.clone().find(|mode| lies_in(mode) && start.fits(*mode));
        best.or_else(|| all.clone().find(lies_in))
    };
    if let Some(mode) = next {
        return mode;
    }
    let mut near = start.reached(own);
    let found = near.iter().copied().find(|mode| lies_in(mode) && start.fits(*mode));
    if found.is_none() && !start.has_given(own) {
        near = all.collect();
    }
    let on = |strictness: Strictness| {
        let mut modes = near.iter().copied();
        modes.find(|mode| start.has_given(*mode) && start.fits(*mode) && start.lies_in(*mode, strictness))
    };
    let closed = || {
        let stays = start.has_given(own) && start.lies_in(own, Strictness::On);
        if stays { Some(own) } else { on(Strictness::Inwards) }
    };
    found.or_else(closed).or_else(|| on(Strictness::On)).unwrap_or(own)
}

/// The mode in which these states of a system lie, all of them known: one off whose borders they are, else one into
/// which the motion goes from a border, else one on whose border they are. One in which motion ends comes last.
#[doc(hidden)]
pub fn mode_at(system: &System, parameters: &[f64], full: &[f64]) -> Option<usize> {
    let start = Lying::new(system, parameters, full, &[]);
    let all = 0..system.modes.len();
    let (ends, goes_on): (Vec<usize>, Vec<usize>) = all.partition(|mode| system.modes[*mode].kind == ModeKind::Outside);
    let order: Vec<usize> = goes_on
        .into_iter()
        .chain(ends)
        .filter(|mode| start.fits(*mode))
        .collect();
    let found = [Strictness::Off, Strictness::Inwards, Strictness::On].into_iter();
    let mut found = found.filter_map(|strictness| order.iter().find(|mode| start.lies_in(**mode, strictness)));
    found.next().copied()
}

/// Is each of these states of a mode, or has the value there that it is given?
#[doc(hidden)]
pub fn takes(system: &System, parameters: &[f64], (mode, full): (usize, &[f64]), given: &[usize]) -> bool {
    let start = Lying::new(system, parameters, full, given);
    let (absent, zero) = (start.there(mode), zero(full));
    given.iter().all(|&s| (absent[s] - full[s]).abs() <= zero)
}

/// What counts as zero beside these states.
fn zero(states: &[f64]) -> f64 {
    ON * states.iter().fold(1.0, |most: f64, x| most.max(x.abs()))
}

/// A start of which all states are known, and some are given.
struct Lying<'a> {
    system: &'a System,
    parameters: &'a [f64],
    full: &'a [f64],
    given: &'a [usize],
}

impl<'a> Lying<'a> {
    fn new(system: &'a System, parameters: &'a [f64], full: &'a [f64], given: &'a [usize]) -> Self {
        Self {
            system,
            parameters,
            full,
            given,
        }
    }

    fn states(&self, mode: usize) -> Vec<f64> {
        self.system.own_states(mode, self.full)
    }

    /// All states, where those that do not move in a mode have their values there.
    fn there(&self, mode: usize) -> Vec<f64> {
        self.system.full_state(mode, &self.states(mode), self.parameters)
    }

    /// Are all states that are given free in a mode?
    fn has_given(&self, mode: usize) -> bool {
        let states = &self.system.modes[mode].states;
        self.given.iter().all(|s| states.contains(s))
    }

    /// Have the states that do not move in a mode the values that they have at the start?
    fn fits(&self, mode: usize) -> bool {
        let (there, zero) = (self.there(mode), zero(self.full));
        there.iter().zip(self.full).all(|(own, x)| (own - x).abs() <= zero)
    }

    /// The mode that holds a motion where two surfaces meet, which keeps to two more of them than others do. Beside
    /// them rounding alone says on which side of either the start lies.
    fn sliding_on_two(&self) -> Option<usize> {
        let system = self.system;
        let modes = || (0..system.modes.len()).filter(|mode| system.outside(*mode).is_none());
        let least = modes().map(|mode| system.kept(mode)).min()?;
        let holds =
            |mode: &usize| system.kept(*mode) > least + 1 && self.fits(*mode) && self.lies_in(*mode, Strictness::Off);
        let mode = modes().find(holds)?;
        let clear = |mode: usize| self.has_given(mode) && self.fits(mode) && self.lies_in(mode, Strictness::Clear);
        (!modes().any(clear)).then_some(mode)
    }

    fn value(&self, function: &SharedFunction, x: &[f64]) -> f64 {
        let mut value = [0.0];
        function.value(x, self.parameters, &mut value);
        value[0]
    }

    fn lies_in(&self, mode: usize, strictness: Strictness) -> bool {
        if self.system.outside(mode).is_some() {
            return false;
        }
        let x = self.states(mode);
        if strictness == Strictness::Off {
            return self.system.is_inside(mode, &x, self.parameters);
        }
        let (own, zero) = (&self.system.modes[mode], zero(&x));
        let is_inside = |event: &Event| {
            let (sign, height) = (event.direction.sign(), self.value(&event.guard, &x));
            match strictness {
                _ if sign * height < -zero => true,
                Strictness::Clear => false,
                Strictness::Inwards => sign * height <= zero && sign * self.rate(mode, &event.guard, &x) < 0.0,
                _ => sign * height <= zero,
            }
        };
        own.events.iter().all(is_inside)
            && own.inequalities.iter().all(|i| self.value(&i.function, &x) > 0.0)
            && own.is_on_its_surfaces(&x, self.parameters)
    }

    /// How fast a function rises along the motion of a mode.
    fn rate(&self, mode: usize, function: &SharedFunction, x: &[f64]) -> f64 {
        let (mut value, mut slopes, mut speed) = ([0.0], vec![0.0; x.len()], vec![0.0; x.len()]);
        let p = self.parameters;
        jacobian(function.as_ref(), x, p, &[], &mut value, &mut slopes, &mut []);
        self.system.modes[mode].field.value(x, p, &mut speed);
        dot(&slopes, &speed)
    }

    /// The modes that events lead to which change nothing but the mode, from further beyond its borders than this.
    fn beyond(&self, mode: usize, least: f64) -> impl Iterator<Item = usize> {
        let x = self.states(mode);
        let events = self.system.modes[mode].events.iter();
        let is_beyond = move |event: &&Event| {
            event.reset.is_none() && event.direction.sign() * self.value(&event.guard, &x) > least
        };
        events.filter(is_beyond).map(|event| event.target)
    }

    /// The modes that such events lead to one after another, also from on the borders.
    fn reached(&self, from: usize) -> Vec<usize> {
        let mut reached = vec![from];
        let mut next = 0;
        while let Some(&mode) = reached.get(next) {
            next += 1;
            for target in self.beyond(mode, -zero(&self.states(mode))) {
                if !reached.contains(&target) {
                    reached.push(target);
                }
            }
        }
        reached
    }
}
