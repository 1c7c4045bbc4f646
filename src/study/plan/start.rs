//! Where a curve starts, with states and modes resolved.

use crate::plan::entries::{NamedSystem, StartPlan};
use crate::plan::object::Object;
use crate::plan::orbit_files;
use crate::plan::parameters::{Sources, Unmet};
use crate::plan::source;
use crate::spec::start::StartSpec;
use crate::spec::study::Study;
use crate::text::complaint::{Complaint, written};
use crate::text::limits;
use slipstick_orbit::forcing_phase;
use slipstick_system::{System, mode_around, takes};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// The longest segment that a search looks for in a system without a forcing.
pub(crate) const LONGEST: f64 = 100.0;

impl<'a> Sources<'a> {
    pub(crate) fn new(
        system: &NamedSystem,
        overrides: &'a [(String, f64)],
        given: impl IntoIterator<Item = (String, &'a BTreeMap<String, f64>)>,
    ) -> Self {
        Self {
            system: if system.name.is_empty() {
                "system".into()
            } else {
                format!("systems.\"{}\"", system.name)
            },
            overrides,
            given: given.into_iter().collect(),
        }
    }

    /// Complain about each unmet requirement where one of its parameters was given; once, if several curves share the
    /// place.
    pub(crate) fn complain(&self, unmet: Vec<Unmet>, complaints: &mut Vec<Complaint>) {
        for u in unmet {
            let given = self.given.iter().rev().find_map(|(path, values)| {
                let name = u.about.iter().find(|n| values.contains_key(*n))?;
                Some(format!("{path}.\"{name}\""))
            });
            let outside = self.overrides.iter().rev().find(|(n, _)| u.about.contains(n));
            let complaint = match (given, outside) {
                (Some(path), _) => Complaint::new(path, u.message),
                (None, Some((name, value))) => {
                    Complaint::new("", format!("--set {name}={}: {}", written(*value), u.message))
                }
                (None, None) => Complaint::new(&self.system, u.message),
            };
            let complaint = complaint.help(u.help);
            if !complaints.contains(&complaint) {
                complaints.push(complaint);
            }
        }
    }
}

/// For each state the interval of it that a study confines it to.
pub(crate) fn plan_region(
    within: &BTreeMap<String, (f64, f64)>,
    path: &str,
    system: &System,
    complaints: &mut Vec<Complaint>,
) -> Vec<Option<(f64, f64)>> {
    let mut region = vec![None; system.states.len()];
    for (name, &(lo, hi)) in within {
        match system.state(name) {
            Some(_) if !(lo.is_finite() && hi.is_finite() && lo < hi) => complaints.push(Complaint::new(
                format!("{path}.within.\"{name}\""),
                format!("({}, {}) is not an interval", written(lo), written(hi)),
            )),
            Some(i) => region[i] = Some((lo, hi)),
            None => complaints.push(Complaint::unknown(
                format!("{path}.within.\"{name}\"#"),
                "state",
                name,
                system.states.iter().map(|s| &*s.name),
            )),
        }
    }
    region
}

pub(crate) fn plan_start(
    study: &Study,
    number: usize,
    home: &Path,
    (system, parameters, systems): (&System, &[f64], &[NamedSystem]),
    object: &Object,
    complaints: &mut Vec<Complaint>,
) -> Option<StartPlan> {
    let spec = &study.curves[number];
    let path = format!("curves[{number}].start");
    match &spec.start {
        StartSpec::All { seeds, within, .. } | StartSpec::Everywhere { seeds, within, .. } => {
            let region = plan_region(within, &path, system, complaints);
            limits::SEEDS.check(format!("{path}.seeds"), seeds.unwrap_or(0) as f64, complaints);
            if *seeds == Some(0) {
                complaints.push(Complaint::new(format!("{path}.seeds"), "the search has no seeds"));
            }
            let grid = |samples: usize| -> Vec<f64> {
                let (lo, hi) = spec.range;
                (0..samples)
                    .map(|i| lo + (hi - lo) * (i as f64 + 0.5) / samples as f64)
                    .collect()
            };
            let (values, otherwise) = match &spec.start {
                StartSpec::Everywhere { samples: 0, .. } => {
                    complaints.push(Complaint::new(
                        format!("{path}.samples"),
                        "the search has no values of the parameter",
                    ));
                    return None;
                }
                StartSpec::Everywhere { samples, .. } if limits::VALUES.excess(*samples as f64).is_some() => {
                    limits::VALUES.check(format!("{path}.samples"), *samples as f64, complaints);
                    return None;
                }
                StartSpec::Everywhere { samples, .. } => (grid(*samples), vec![]),
                _ => (vec![], grid(24)),
            };
            Some(StartPlan::Search {
                values,
                otherwise,
                seeds: *seeds,
                region,
                longest: LONGEST,
            })
        }
        StartSpec::Settle {
            from, mode, patience, ..
        } => {
            if let Some(time) = patience.filter(|t| !(t.is_finite() && *t > 0.0)) {
                complaints.push(Complaint::new(
                    format!("{path}.patience"),
                    format!("`patience` is {}: it must be a positive time", written(time)),
                ));
            }
            let own = (system, parameters);
            let (mode, from) = initial_state(own, mode.as_ref(), from, &path, complaints)?;
            Some(StartPlan::Settle {
                mode,
                from,
                patience: *patience,
            })
        }
        StartSpec::Guess { states, durations, .. } => {
            let modes = guessed_modes(object, states.len(), durations.len(), &path, complaints)?;
            let mut starts = vec![];
            // Orbits without events begin where the phase of the forcing is zero, and need not say so.
            let phase = match (object, durations.len()) {
                (Object::Orbit(word), 1) if word.letters[0].event.is_none() => forcing_phase(system, modes[0]),
                _ => None,
            };
            for (k, (given, mode)) in states.iter().zip(modes).enumerate() {
                let mode = &system.modes[mode];
                let mut u = vec![];
                for (place, &s) in mode.states.iter().enumerate() {
                    let name = &system.states[s].name;
                    match given.get(name) {
                        None if phase == Some(place) => u.push(0.0),
                        Some(&v) if !v.is_finite() => complaints.push(
                            Complaint::new(
                                format!("{path}.states[{k}].\"{name}\""),
                                format!("{name} = {v} is not a finite number"),
                            )
                            .help("write a finite number"),
                        ),
                        Some(&v) => u.push(v),
                        None => complaints.push(Complaint::new(
                            format!("{path}.states[{k}]"),
                            match object {
                                Object::Orbit(_) => format!(
                                    "the start of segment {} (`{}`) needs a value of `{name}`",
                                    k + 1,
                                    mode.name
                                ),
                                _ => format!("the guess needs a value of `{name}`"),
                            },
                        )),
                    }
                }
                starts.push(u);
            }
            for (k, d) in durations
                .iter()
                .enumerate()
                .filter(|(_, d)| !(d.is_finite() && **d > 0.0))
            {
                complaints.push(
                    Complaint::new(format!("{path}.durations[{k}]"), format!("{d} is no duration"))
                        .help("write a finite positive number"),
                );
            }
            Some(StartPlan::Guess {
                states: starts,
                durations: durations.clone(),
            })
        }
        StartSpec::Point { from, at } => {
            let (source, after) = source::resolve(
                from,
                (&path, "from"),
                home,
                (&study.curves, systems),
                number,
                complaints,
            )?;
            if source.folder.is_some()
                && let Err(why) = source.find(system, &[], &[])
            {
                complaints.push(Complaint::new(format!("{path}.from"), why.to_string()));
            }
            let given = spec.set.iter().chain(at);
            Some(StartPlan::Point {
                source,
                after,
                given: given
                    .filter_map(|(name, &v)| Some((system.parameter(name)?, v)))
                    .collect(),
            })
        }
        StartSpec::Auto {
            path: file,
            label,
            numbers,
            at,
        } => {
            let mut own: Vec<usize> = (0..system.parameters.len())
                .map(slipstick_report::auto_number)
                .collect();
            for (name, &number) in numbers {
                match system.parameter(name) {
                    Some(i) if number > 0 => own[i] = number,
                    Some(_) => complaints.push(
                        Complaint::new(format!("{path}.numbers.\"{name}\""), "AUTO counts parameters from 1")
                            .help("write 1 for PAR(1)"),
                    ),
                    None => complaints.push(Complaint::unknown(
                        format!("{path}.numbers.\"{name}\"#"),
                        "parameter",
                        name,
                        system.parameters.iter().map(|p| &*p.name),
                    )),
                }
            }
            let given = spec.set.iter().chain(at);
            let here = home.join(file);
            if let Err(why) = orbit_files::read_auto(&here, *label, &own, system) {
                complaints.push(Complaint::new(format!("{path}.path"), why.to_string()));
            }
            Some(StartPlan::Auto {
                path: here,
                label: *label,
                numbers: own,
                given: given
                    .filter_map(|(name, &v)| Some((system.parameter(name)?, v)))
                    .collect(),
            })
        }
        StartSpec::File { path: file, .. } => {
            let here = home.join(file);
            if let Err(why) = orbit_files::read_orbit(&here, system) {
                complaints.push(Complaint::new(format!("{path}.path"), why.to_string()));
            }
            Some(StartPlan::File(here))
        }
    }
}

/// The mode of each state that a guess must give.
pub(crate) fn guessed_modes(
    object: &Object,
    states: usize,
    durations: usize,
    path: &str,
    complaints: &mut Vec<Complaint>,
) -> Option<Vec<usize>> {
    let (fits, modes, message) = match object {
        Object::Orbit(word) if word.letters.iter().all(|l| l.event.is_none()) => (
            states == 1 && durations == 1,
            vec![word.letters[0].mode],
            format!(
                "a guess of a smooth periodic orbit is one state and the period; here are {states} states and {durations} durations"
            ),
        ),
        Object::Orbit(word) => (
            states == word.letters.len() && durations == word.letters.len(),
            word.letters.iter().map(|l| l.mode).collect(),
            format!(
                "the word has {} segments, the guess {states} states and {durations} durations",
                word.letters.len()
            ),
        ),
        Object::Equilibrium { mode } => (
            states == 1 && durations == 0,
            vec![*mode],
            format!("a guess of an equilibrium is one state; here are {states} states and {durations} durations"),
        ),
        Object::Cycle { mode, length } => (
            (states == 1 || states == *length) && durations == 0,
            vec![*mode; states],
            format!(
                "a guess of a cycle is its first point, or all {length}; here are {states} states and {durations} durations"
            ),
        ),
    };
    if !fits {
        complaints.push(Complaint::new(path, message));
        return None;
    }
    Some(modes)
}

/// The mode and states that a trajectory starts from with these parameters: the system's own, with the values given by
/// name. Where no mode is given, it is the one in which such states lie.
pub(crate) fn initial_state(
    (system, parameters): (&System, &[f64]),
    mode: Option<&String>,
    from: &BTreeMap<String, f64>,
    path: &str,
    complaints: &mut Vec<Complaint>,
) -> Option<(usize, Vec<f64>)> {
    let (own, start) = system.start_at(parameters);
    let mut full = system.full_state(own, &start, parameters);
    let known: HashMap<&str, usize> = system
        .states
        .iter()
        .zip(0..)
        .map(|(s, k)| (s.name.as_str(), k))
        .collect();
    let mut given = vec![];
    for (name, &value) in from {
        let here = format!("{path}.from.\"{name}\"");
        match known.get(name.as_str()).copied() {
            None => complaints.push(Complaint::unknown(
                format!("{here}#"),
                "state",
                name,
                system.states.iter().map(|s| &*s.name),
            )),
            Some(_) if !value.is_finite() => {
                complaints.push(Complaint::new(here, format!("{value} is not a finite number")))
            }
            Some(s) => {
                full[s] = value;
                given.push((s, here));
            }
        }
    }
    let chosen = match mode {
        None => {
            let given: Vec<usize> = given.iter().map(|(s, _)| *s).collect();
            mode_around(system, parameters, &full, &given)
        }
        Some(name) => match system.mode(name) {
            Some(m) => m,
            None => {
                let known = system.modes.iter().map(|m| &*m.name);
                complaints.push(Complaint::unknown(format!("{path}.mode"), "mode", name, known));
                return None;
            }
        },
    };
    for (s, here) in given
        .into_iter()
        .filter(|(s, _)| !takes(system, parameters, (chosen, &full), &[*s]))
    {
        let name = &system.states[s].name;
        complaints.push(
            Complaint::new(
                here,
                format!("`{name}` is not a state of mode `{}`", system.modes[chosen].name),
            )
            .help("leave it out, or name another mode to start in with `mode`"),
        );
    }
    Some((chosen, system.own_states(chosen, &full)))
}
