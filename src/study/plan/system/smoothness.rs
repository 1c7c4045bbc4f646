//! Where formulas are not smooth that should be.

use crate::plan::system::error::{SystemError, SystemFault};
use crate::plan::system::frame::Frame;
use crate::plan::system::modes::ModeFrame;
use slipstick_flow::constant_rates;
use slipstick_system::System;
use slipstick_system::text::{Corners, EquationForm, Source};

/// Corners and jumps where states enter, in a system that is declared smooth.
pub(crate) fn not_smooth(frame: &mut Frame, modes: &[ModeFrame], system: &System) -> Vec<SystemError> {
    let mut all: Vec<SystemError> = vec![];
    for (mode, built) in modes.iter().zip(&system.modes) {
        let Some(corners) = built.field.corners() else { continue };
        let texts = mode.field(frame, &mut vec![]);
        let flow = frame.paths.form == EquationForm::Rate;
        for (name, place, span) in corners.of_states() {
            let path = match place {
                Source::Expression(k) => texts.get(k).map(|t| t.1.clone()),
                Source::Definition(name) => frame.definition(&name),
            };
            let error = SystemError {
                path: path.unwrap_or_else(|| mode.path.clone()),
                within: Some(span),
                fault: Box::new(SystemFault::NotSmooth {
                    name,
                    form: if flow { "equation" } else { "map" },
                    flow,
                }),
            };
            if !all.contains(&error) {
                all.push(error);
            }
        }
    }
    all
}

/// Jumps where states enter, in the equations and guards of a system with events, each operation once. Between its
/// events a motion is taken for smooth: what a jump causes is found late or not at all, unless the time alone decides
/// it. Then motions are followed from jump to jump.
pub(crate) fn jumps_between_events(frame: &mut Frame, modes: &[ModeFrame], system: &System) -> Vec<SystemError> {
    let mut all: Vec<SystemError> = vec![];
    let p = system.default_parameters();
    for (mode, built) in modes.iter().zip(&system.modes) {
        let fields = built.field.corners().map(|corners| (corners, None));
        let guards = built.events.iter().zip(mode.event_paths());
        let guards = guards.filter_map(|(event, path)| Some((event.guard.corners()?, Some(path))));
        let both: Vec<(&Corners, Option<String>)> = fields.into_iter().chain(guards).collect();
        if both.is_empty() {
            continue;
        }
        let texts = mode.field(frame, &mut vec![]);
        let rates = constant_rates(built, &p);
        for (corners, guard) in both {
            for (name, place, span, with_time) in corners.jumps_of_states(|i| rates[i] != 0.0) {
                if with_time {
                    continue;
                }
                let name = if name.contains(' ') { name } else { format!("`{name}`") };
                let fault = SystemFault::Jumps { name };
                if all.iter().any(|error| *error.fault == fault) {
                    continue;
                }
                let own = match (&guard, place) {
                    (_, Source::Definition(definition)) => frame.definition(&definition),
                    (Some(path), _) => Some(path.clone()),
                    (None, Source::Expression(k)) => texts.get(k).map(|t| t.1.clone()),
                };
                all.push(SystemError {
                    path: own.or(guard.clone()).unwrap_or_else(|| mode.path.clone()),
                    within: Some(span),
                    fault: Box::new(fault),
                });
            }
        }
    }
    all
}
