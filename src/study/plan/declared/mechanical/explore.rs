//! Which combinations of states become modes.

use crate::plan::declared::mechanical::contact::Law;
use crate::plan::declared::mechanical::mechanism::Mechanism;
use crate::plan::declared::mechanical::mirror::Mirror;
use crate::plan::declared::mechanical::modes::hybrid_of;
use crate::plan::declared::mechanical::pattern::{Pattern, Status, combinations};
use crate::plan::declared::mechanical::smoothed::Smoothed;
use crate::plan::declared::mechanical::transition::Transition;
use crate::plan::system::build::hybrid;
use crate::plan::system::mechanical_fault::MechanicalFault;
use crate::spec::system::declared::HybridSpec;
use crate::spec::system::mechanical::MechanicalSpec;
use slipstick_flow::{SimulationOptions, simulate};
use slipstick_system::text::Symbolic;
use slipstick_system::{System, jacobian};

/// Up to so many combinations all become modes.
const ALL: usize = 27;

/// So many events are followed to find out which modes are visited,
const EVENTS: usize = 1000;

/// in at most so many of the system's own times,
const TIMES: f64 = 200.0;

/// as long as the fastest rates of the modes go by at most so often,
const RADIANS: f64 = 1e5;

/// and at most so many modes are made of what they visit.
const MOST: usize = 200;

impl Mechanism<'_> {
    /// The modes to make: all, or those that the motion from the start visits, those that are asked for, and the images
    /// of them.
    pub(crate) fn patterns(
        &mut self,
        spec: &MechanicalSpec,
        shell: &HybridSpec,
        start: &(Pattern, Vec<f64>),
        mirror: Option<&Mirror>,
        path: &str,
    ) -> Vec<Pattern> {
        let states: Vec<Vec<Status>> = self.contacts.iter().map(|contact| contact.states()).collect();
        let asked = self.asked(spec);
        if let Some(mut all) = combinations(&states, ALL) {
            all.retain(|pattern| self.is_possible(pattern));
            return all;
        }
        let mut found = self.reached(shell, start, path);
        let missing = asked.into_iter().filter(|pattern| !found.contains(pattern));
        let missing: Vec<Pattern> = missing.filter(|pattern| self.is_possible(pattern)).collect();
        found.extend(missing);
        if let Some(mirror) = mirror {
            for pattern in found.clone() {
                let image = mirror.image(&pattern);
                if !found.contains(&image) {
                    found.push(image);
                }
            }
        }
        found
    }

    /// The modes that the study asks for.
    fn asked(&mut self, spec: &MechanicalSpec) -> Vec<Pattern> {
        let mut all = vec![];
        for (k, name) in spec.modes.iter().enumerate() {
            let key = format!("modes[{k}]");
            let parts: Vec<&str> = name.split([',', ' ']).filter(|part| !part.is_empty()).collect();
            let expected = self.contacts.len();
            if parts.len() != expected {
                let found = parts.len();
                self.reader.fault(&key, MechanicalFault::Parts { found, expected });
                continue;
            }
            let mut pattern = vec![];
            for (c, part) in parts.into_iter().enumerate() {
                let contact = &self.contacts[c];
                let states = contact.states();
                if let Some(status) = states.iter().find(|status| contact.state_name(**status) == part) {
                    pattern.push(*status);
                    continue;
                }
                let own = format!("{}:", contact.name);
                let known = |status: &Status| contact.state_name(*status)[own.len()..].to_owned();
                let fault = MechanicalFault::UnknownState {
                    part: part.to_owned(),
                    contact: contact.name.clone(),
                    known: states.iter().map(known).collect(),
                };
                self.reader.fault(&key, fault);
            }
            if pattern.len() == expected {
                all.push(pattern);
            }
        }
        all
    }

    /// The modes that the motion from the start visits, in their order. Each is built once, alone: where its events
    /// lead is decided here.
    fn reached(&mut self, shell: &HybridSpec, start: &(Pattern, Vec<f64>), path: &str) -> Vec<Pattern> {
        let (mut pattern, mut x) = start.clone();
        let n = self.structure.coordinates.len();
        let mut found: Vec<Pattern> = vec![];
        let mut built: Vec<(System, Vec<Transition>)> = vec![];
        let mut left = TIMES * self.own_time(shell);
        let mut radians = RADIANS;
        for _ in 0..EVENTS {
            let k = match found.iter().position(|known| *known == pattern) {
                Some(k) => k,
                None if found.len() == MOST => break,
                None => {
                    let mut spec = hybrid_of(self, shell, std::slice::from_ref(&pattern));
                    end_in_one_mode(&mut spec);
                    let Ok(alone) = hybrid(&spec, path) else { break };
                    built.push((alone.system, self.mode(&pattern).1));
                    found.push(pattern.clone());
                    found.len() - 1
                }
            };
            let (system, transitions) = &built[k];
            let p = system.default_parameters();
            let own: Vec<f64> = system.modes[0].states.iter().map(|&s| x[s]).collect();
            let rate = fastest_rate(system, &own, &p);
            let options = SimulationOptions {
                t_end: left.min(radians / rate),
                max_events: 1,
                ..SimulationOptions::default()
            };
            let Ok(run) = simulate(system, 0, &own, &p, &options) else {
                break;
            };
            let Some((segment, event)) = run.segments.first().and_then(|s| Some((s, s.event?))) else {
                break;
            };
            left -= segment.duration;
            radians -= rate * segment.duration;
            x = system.full_state(0, &segment.end, &p);
            let transition = &transitions[event];
            let jumps: Vec<(usize, f64)> = transition
                .jumps
                .iter()
                .filter_map(|(i, by)| Some((*i, self.value(by, &x)?)))
                .collect();
            jumps.into_iter().for_each(|(i, by)| x[n + i] += by);
            self.set_fast(&mut x);
            pattern = transition.to.clone();
        }
        if found.is_empty() {
            found.push(pattern);
        }
        found
    }

    /// A time in which the system moves: the longest of the period of the forcing, those of the coordinates on their
    /// springs, and those in which belts strain these up to the level of friction. What would take too many times as
    /// long as the shortest of them, as a contact that never gives way, is not waited for.
    fn own_time(&self, shell: &HybridSpec) -> f64 {
        const LONGER: f64 = 1e7;
        let value = |formula: &Symbolic| self.value(formula, &[]).map(f64::abs);
        let n = self.structure.coordinates.len();
        let stiffness: Vec<f64> = (0..n)
            .map(|i| {
                let mut moved = vec![0.0; n];
                let load = |x: &[f64]| self.value(&self.structure.loads[i], x).unwrap_or(0.0);
                let at_rest = load(&moved);
                moved[i] = 1e-3;
                ((at_rest - load(&moved)) * 1e3).max(0.0)
            })
            .collect();
        let mut times = vec![];
        let mut note = |time: f64| {
            if time.is_finite() && time > 0.0 {
                times.push(time);
            }
        };
        if let Some(period) = shell.forcing.as_ref().and_then(|f| Symbolic::parse(&f.period).ok()) {
            note(value(&period).unwrap_or(1.0));
        }
        for i in 0..n {
            let mass = value(&self.structure.mass[i][i]).unwrap_or(1.0);
            note(std::f64::consts::TAU * (mass / stiffness[i]).sqrt());
        }
        // Springs at a point give way one behind the other.
        let stiffness_at = |place: usize| {
            let shape = self.structure.points.shape(place);
            let gives = shape.iter().zip(&stiffness).filter(|((_, part), _)| *part != 0.0);
            1.0 / gives.map(|((_, part), stiffness)| part * part / stiffness).sum::<f64>()
        };
        for contact in &self.contacts {
            let level = match &contact.law {
                Law::Friction { level, .. } => &level.whole,
                Law::Smoothed(Smoothed { size, .. }) => size,
                _ => continue,
            };
            if let Some(speed) = value(&contact.belt.0) {
                note(2.0 * value(level).unwrap_or(1.0) / (stiffness_at(contact.on) * speed));
            }
        }
        let shortest = times.iter().copied().fold(f64::INFINITY, f64::min);
        let waited_for = times.into_iter().filter(|time| *time <= LONGER * shortest);
        waited_for.fold(1.0, f64::max)
    }
}

/// Let all events that lead out of the first mode lead to the second one, and leave out those behind it.
fn end_in_one_mode(spec: &mut HybridSpec) {
    let modes = &mut spec.modes.0;
    modes.truncate(2);
    let [(own, mode), (other, _)] = modes.as_mut_slice() else {
        return;
    };
    for (_, event) in mode.events.0.iter_mut().filter(|(_, event)| event.to != *own) {
        event.to.clone_from(other);
    }
}

/// The fastest of the rates at which the states of a system's first mode drive themselves and each other, or an angle
/// turns.
fn fastest_rate(system: &System, x: &[f64], p: &[f64]) -> f64 {
    let n = x.len();
    let (mut f, mut dx) = (vec![0.0; n], vec![0.0; n * n]);
    let mode = &system.modes[0];
    jacobian(&*mode.field, x, p, &[], &mut f, &mut dx, &mut []);
    let mutual = |i: usize, j: usize| (dx[i * n + j] * dx[j * n + i]).abs().sqrt();
    let of = |i: usize| {
        let turns = system.states[mode.states[i]].period.is_some();
        (0..n).map(|j| mutual(i, j)).sum::<f64>() + if turns { f[i].abs() } else { 0.0 }
    };
    (0..n).map(of).fold(f64::MIN_POSITIVE, f64::max)
}
