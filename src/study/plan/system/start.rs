//! Where trajectories start: states that are numbers, or formulas of the parameters.

use crate::plan::system::error::{SystemError, SystemFault};
use crate::plan::system::frame::{Frame, quoted};
use crate::plan::system::modes::{ModeFrame, unknown_mode};
use crate::spec::system::named::{Named, Number};
use slipstick_system::text::Expression;
use slipstick_system::{SharedFunction, Start};

/// Where the trajectories of a system start. Of one that is made of a declaration `lying` are all states there: the
/// mode is the one that they lie in.
pub(crate) fn start(
    frame: &mut Frame,
    modes: &[ModeFrame],
    lying: Option<&Named<Number>>,
    errors: &mut Vec<SystemError>,
) -> Start {
    let nowhere = Start::new(0, vec![]);
    let Some(spec) = &frame.spec.start else {
        return nowhere;
    };
    let Some(index) = modes.iter().position(|mode| mode.name == spec.mode) else {
        errors.push(unknown_mode(
            format!("{}.start.mode", frame.paths.root),
            &spec.mode,
            modes,
        ));
        return nowhere;
    };
    let own = states(frame, &spec.at, Some(&modes[index]), errors).map(|own| Start::of_parameters(index, own));
    let all = lying.and_then(|at| states(frame, at, None, errors));
    let all = all.map(|all| Start::of_parameters(index, all).where_they_lie());
    all.or(own).unwrap_or(nowhere)
}

/// The values of the states of a mode, or of all, as a function of the parameters.
fn states(
    frame: &mut Frame,
    at: &Named<Number>,
    mode: Option<&ModeFrame>,
    errors: &mut Vec<SystemError>,
) -> Option<SharedFunction> {
    let count = mode.map_or(frame.states.len(), |mode| mode.states.len());
    let mut texts: Vec<(String, String)> = vec![("0".to_owned(), frame.paths.start_states()); count];
    let before = errors.len();
    for (name, number) in at.iter() {
        let path = format!("{}.{}", frame.paths.start_states(), quoted(name));
        let Some(state) = frame.state(name) else {
            errors.push(frame.unknown_state(format!("{path}#"), name));
            continue;
        };
        let place = mode.map_or(Some(state), |mode| {
            mode.states.iter().position(|moving| *moving == state)
        });
        match (place, number, mode) {
            (Some(_), Number::Value(value), _) if !value.is_finite() => {
                let (name, value) = (name.to_owned(), *value);
                errors.push(SystemError::new(path, SystemFault::NotFinite { name, value }));
            }
            (Some(place), number, _) => texts[place] = (number.to_string(), path),
            (None, _, mode) => {
                let (state, mode) = (
                    name.to_owned(),
                    mode.map_or_else(String::new, |mode| mode.name.to_owned()),
                );
                errors.push(SystemError::new(
                    format!("{path}#"),
                    SystemFault::NotMoving { state, mode },
                ));
            }
        }
    }
    let compiled = compiled(frame, &texts);
    errors.extend(compiled.as_ref().err().cloned());
    let function = compiled.ok().filter(|_| errors.len() == before)?;
    let mut values = vec![0.0; count];
    let p: Vec<f64> = frame.parameters.iter().map(|p| p.value).collect();
    function.value(&[], &p, &mut values);
    let wrong = values.iter().zip(&texts).find(|(value, _)| !value.is_finite());
    if let Some((&value, (name, path))) = wrong {
        let name = name.clone();
        errors.push(SystemError::new(path, SystemFault::NotFinite { name, value }));
        return None;
    }
    Some(function)
}

/// Formulas of the parameters, each with its place.
fn compiled(frame: &mut Frame, texts: &[(String, String)]) -> Result<SharedFunction, SystemError> {
    let read = |(text, path): &(String, String)| frame.parse(text, path);
    let formulas: Vec<Expression> = texts.iter().map(read).collect::<Result<_, _>>()?;
    let tape = frame
        .parameter_scope()?
        .compile(&formulas.iter().collect::<Vec<_>>())
        .map_err(|fault| frame.place(fault, None, |k| texts[k].1.clone()))?;
    frame.used_parameters.extend(tape.parameters());
    Ok(tape.shared())
}
