//! Where formulas are not smooth that should be.

use crate::plan::system::error::{SystemError, SystemFault};
use crate::plan::system::frame::Frame;
use crate::plan::system::modes::ModeFrame;
use slipstick_system::text::{Corners, EquationForm, Source};
use slipstick_system::{Formula, System};

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

/// Jumps where states enter, in the equations and guards of a system with events, each operation once: between its
/// events a motion is taken for smooth, so that what a jump causes is found late or not at all.
pub(crate) fn jumps_between_events(frame: &mut Frame, modes: &[ModeFrame], system: &System) -> Vec<SystemError> {
    let may_jump = |text: &str| {
        ["sign", "heaviside", "floor", "mod", "if", "<", ">"]
            .iter()
            .any(|word| text.contains(word))
    };
    let hidden = frame.spec.define.iter().any(|(_, text)| may_jump(text));
    let mut all: Vec<SystemError> = vec![];
    let mut note = |frame: &Frame, corners: &Corners, path: &dyn Fn(usize) -> String| {
        for (name, place, span) in corners.jumps_of_states() {
            let name = if name.contains(' ') { name } else { format!("`{name}`") };
            let known =
                |error: &SystemError| matches!(&*error.fault, SystemFault::Jumps { name: other } if *other == name);
            if all.iter().any(known) {
                continue;
            }
            let path = match place {
                Source::Expression(k) => path(k),
                Source::Definition(definition) => frame.definition(&definition).unwrap_or_else(|| path(0)),
            };
            all.push(SystemError {
                path,
                within: Some(span),
                fault: Box::new(SystemFault::Jumps { name }),
            });
        }
    };
    for (mode, built) in modes.iter().zip(&system.modes) {
        if let Some(corners) = built.field.corners() {
            let texts = mode.field(frame, &mut vec![]);
            note(frame, corners, &|k| {
                texts.get(k).map_or_else(|| mode.path.clone(), |t| t.1.clone())
            });
        }
        for (guard, path) in mode.guards() {
            if !(hidden || may_jump(guard)) {
                continue;
            }
            let tape = mode.piecewise(frame, guard, path.clone());
            if let Some(corners) = tape.as_ref().and_then(|tape| tape.corners()) {
                note(frame, corners, &|_| path.clone());
            }
        }
    }
    all
}
