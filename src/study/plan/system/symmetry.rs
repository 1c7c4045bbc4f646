//! Symmetries: read from their images of states and modes, and checked against the system.
//!
//! The check evaluates fields, guards, conditions and resets at random points (always the same ones) and compares them
//! with their mirror images. It cannot prove a symmetry, but no wrong one is likely to pass.

use crate::plan::system::error::{SystemError, SystemFault};
use crate::plan::system::frame::{Frame, quoted};
use crate::plan::system::modes::{ModeFrame, duplicate, unknown_mode};
use crate::spec::system::declared::SymmetrySpec;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use slipstick_system::text::{Expression, Tape};
use slipstick_system::{Event, ModeKind, SharedFunction, State, Symmetry, System, jacobian};

/// How many points the check looks at.
const POINTS: usize = 32;

/// The relative difference it calls equal.
const TOLERANCE: f64 = 1e-9;

/// Read and check the symmetry of a description, if it has one. `system` is the system without it.
pub(crate) fn read(frame: &Frame, modes: &[ModeFrame], system: &System) -> Result<Option<Symmetry>, SystemError> {
    let Some(spec) = &frame.spec.symmetry else {
        return Ok(None);
    };
    let symmetry = Symmetry {
        modes: images_of_modes(spec, frame, modes)?,
        ..images_of_states(spec, frame)?
    };
    check_involution(&symmetry, frame)?;
    check_system(&symmetry, frame, system)?;
    Ok(Some(symmetry))
}

/// The images of the states, without those of the modes.
pub(crate) fn images_of_states(spec: &SymmetrySpec, frame: &Frame) -> Result<Symmetry, SystemError> {
    let count = frame.states.len();
    let mut symmetry = Symmetry {
        source: (0..count).collect(),
        sign: vec![1.0; count],
        shift: vec![0.0; count],
        modes: vec![],
    };
    let scope = frame.full_scope()?;
    let mut seen = vec![];
    for (k, (name, text)) in spec.states.iter().enumerate() {
        let path = format!("{}.{}", frame.paths.symmetry_states(), quoted(name));
        let Some(state) = frame.state(name) else {
            return Err(frame.unknown_state(format!("{path}#"), name));
        };
        if seen.contains(&state) {
            return Err(duplicate(
                format!("{}[{k}]#", frame.paths.symmetry_states()),
                "state",
                name,
            ));
        }
        seen.push(state);
        let image = Expression::parse(text).map_err(|error| SystemError::text(&path, error))?;
        let tape = scope
            .compile(&[&image])
            .map_err(|fault| frame.place(fault, None, |_| path.clone()))?;
        let Some((source, sign, shift)) = signed_state(&tape, count) else {
            let state = frame.states[state].name.clone();
            return Err(SystemError::new(path, SystemFault::NotSigned { state }));
        };
        symmetry.source[state] = source;
        symmetry.sign[state] = sign;
        symmetry.shift[state] = shift;
    }
    Ok(symmetry)
}

/// The state, sign and shift that a formula consists of.
fn signed_state(tape: &Tape, count: usize) -> Option<(usize, f64, f64)> {
    let ([source], []) = (tape.states(), tape.parameters()) else {
        return None;
    };
    let at = |value: f64| {
        let (mut image, mut slopes) = ([0.0], vec![0.0; count]);
        jacobian(tape, &vec![value; count], &[], &[], &mut image, &mut slopes, &mut []);
        (image[0], slopes[*source])
    };
    let ((shift, sign), (image, slope)) = (at(0.0), at(1.7));
    let signed = sign.abs() == 1.0 && slope == sign && (image - shift - sign * 1.7).abs() < 1e-12 && shift.is_finite();
    signed.then_some((*source, sign, shift))
}

fn images_of_modes(spec: &SymmetrySpec, frame: &Frame, modes: &[ModeFrame]) -> Result<Vec<usize>, SystemError> {
    let mut images: Vec<Option<usize>> = vec![None; modes.len()];
    for (name, image) in spec.modes.iter() {
        let path = format!("{}.symmetry.modes.{}", frame.paths.root, quoted(name));
        let find = |name: &str, path: String| {
            let index = modes.iter().position(|mode| mode.name == name);
            index.ok_or_else(|| unknown_mode(path, name, modes))
        };
        let (from, to) = (find(name, format!("{path}#"))?, find(image, path.clone())?);
        for (a, b) in [(from, to), (to, from)] {
            if images[a].is_some_and(|other| other != b) {
                let name = modes[a].name.to_owned();
                return Err(SystemError::new(path, SystemFault::NotInvolution { name }));
            }
            images[a] = Some(b);
        }
    }
    Ok(images
        .into_iter()
        .enumerate()
        .map(|(k, image)| image.unwrap_or(k))
        .collect())
}

fn check_involution(s: &Symmetry, frame: &Frame) -> Result<(), SystemError> {
    for (i, state) in frame.states.iter().enumerate() {
        let j = s.source[i];
        // x_i → sign_i x_j + shift_i → sign_i (sign_j x_{source j} + shift_j) + shift_i
        let back = s.source[j] == i && s.sign[i] * s.sign[j] == 1.0;
        let drift = s.sign[i] * s.shift[j] + s.shift[i];
        if !back || !equal(drift, 0.0, state.period) {
            let path = format!("{}.{}", frame.paths.symmetry_states(), quoted(&state.name));
            let name = state.name.clone();
            return Err(SystemError::new(path, SystemFault::NotInvolution { name }));
        }
    }
    Ok(())
}

/// Equal up to rounding, and up to the period of an angle.
fn equal(a: f64, b: f64, period: Option<f64>) -> bool {
    let difference = match period {
        Some(period) => a - b - period * ((a - b) / period).round(),
        None => a - b,
    };
    difference.abs() <= TOLERANCE * (1.0 + a.abs().max(b.abs()))
}

/// A symmetry acting between two modes: where each state of the image mode comes from.
struct Mirror<'a> {
    symmetry: &'a Symmetry,
    states: &'a [State],
    /// For each state of the image mode: its index in the system, and the place of its source among the states of the
    /// mode.
    places: Vec<(usize, usize)>,
}

impl Mirror<'_> {
    fn point(&self, x: &[f64]) -> Vec<f64> {
        let image = |(i, k): &(usize, usize)| self.symmetry.sign[*i] * x[*k] + self.symmetry.shift[*i];
        self.places.iter().map(image).collect()
    }
    fn direction(&self, v: &[f64]) -> Vec<f64> {
        self.places
            .iter()
            .map(|(i, k)| self.symmetry.sign[*i] * v[*k])
            .collect()
    }
    /// The first place where two points of the image mode differ, angles compared up to their period if `as_points`.
    fn difference(&self, a: &[f64], b: &[f64], as_points: bool) -> Option<usize> {
        let finite = |k: &usize| a[*k].is_finite() && b[*k].is_finite();
        (0..a.len()).filter(finite).find(|k| {
            let period = self.states[self.places[*k].0].period.filter(|_| as_points);
            !equal(a[*k], b[*k], period)
        })
    }
}

fn check_system(symmetry: &Symmetry, frame: &Frame, system: &System) -> Result<(), SystemError> {
    let mut random = StdRng::seed_from_u64(1);
    for (m, mode) in system.modes.iter().enumerate() {
        let image = &system.modes[symmetry.modes[m]];
        let place = |i: &usize| {
            mode.states
                .iter()
                .position(|j| *j == symmetry.source[*i])
                .map(|k| (*i, k))
        };
        let places: Option<Vec<(usize, usize)>> = image.states.iter().map(place).collect();
        let Some(places) = places.filter(|places| places.len() == mode.states.len()) else {
            let fault = SystemFault::ModesDiffer {
                mode: mode.name.clone(),
                image: image.name.clone(),
            };
            return Err(SystemError::new(format!("{}.symmetry", frame.paths.root), fault));
        };
        let mirror = Mirror {
            symmetry,
            states: &system.states,
            places,
        };
        let samples: Vec<(Vec<f64>, Vec<f64>)> = (0..POINTS).map(|_| sample(system, m, &mut random)).collect();
        for (x, p) in &samples {
            let (found, mine) = (value(&image.field, &mirror.point(x), p), value(&mode.field, x, p));
            let is_map = mode.kind == ModeKind::Map;
            let mirrored = if is_map {
                mirror.point(&mine)
            } else {
                mirror.direction(&mine)
            };
            if let Some(k) = mirror.difference(&found, &mirrored, is_map) {
                let names = image.states.iter().map(|i| &system.states[*i].name);
                let at: Vec<String> = names
                    .clone()
                    .zip(mirror.point(x))
                    .map(|(name, v)| format!("{name} = {v:.3}"))
                    .collect();
                let fault = SystemFault::FieldNotSymmetric {
                    mode: image.name.clone(),
                    state: system.states[image.states[k]].name.clone(),
                    at: at.join(", "),
                    found: found[k],
                    mirrored: mirrored[k],
                };
                return Err(SystemError::new(format!("{}.symmetry", frame.paths.root), fault));
            }
        }
        for event in &mode.events {
            let has_image = image.events.iter().any(|other| {
                other.target == symmetry.modes[event.target]
                    && samples
                        .iter()
                        .all(|(x, p)| events_agree(event, other, &mirror, symmetry, system, x, p))
            });
            if !has_image {
                let fault = SystemFault::EventNotSymmetric {
                    mode: mode.name.clone(),
                    event: event.name.clone(),
                    image: image.name.clone(),
                };
                let path = format!("{}.events.{}", frame.paths.mode(&mode.name), quoted(&event.name));
                return Err(SystemError::new(path, fault));
            }
        }
    }
    Ok(())
}

/// A random point of a mode, with parameters near their values.
fn sample(system: &System, mode: usize, random: &mut StdRng) -> (Vec<f64>, Vec<f64>) {
    let x = system.modes[mode]
        .states
        .iter()
        .map(|_| random.random_range(-2.0..2.0))
        .collect();
    let p = system
        .parameters
        .iter()
        .map(|p| p.value + 0.05 * random.random_range(-1.0..1.0) * p.value.abs())
        .collect();
    (x, p)
}

/// The values of a function at states and parameters.
pub(super) fn value(function: &SharedFunction, x: &[f64], p: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; function.outputs()];
    function.value(x, p, &mut out);
    out
}

/// Do an event and its supposed mirror image agree at a point and its mirror image: the side of the guard, the
/// conditions, the reset?
fn events_agree(
    event: &Event,
    other: &Event,
    mirror: &Mirror,
    symmetry: &Symmetry,
    system: &System,
    x: &[f64],
    p: &[f64],
) -> bool {
    let image = mirror.point(x);
    let side = |event: &Event, x: &[f64]| (value(&event.guard, x, p)[0] * event.direction.sign()).partial_cmp(&0.0);
    let allowed = |event: &Event, x: &[f64]| event.when.iter().all(|i| value(&i.function, x, p)[0] > 0.0);
    if side(event, x) != side(other, &image) || allowed(event, x) != allowed(other, &image) {
        return false;
    }
    let (Some(reset), Some(other_reset)) = (&event.reset, &other.reset) else {
        return event.reset.is_none() && other.reset.is_none();
    };
    let target = &system.modes[event.target];
    let place = |i: &usize| {
        target
            .states
            .iter()
            .position(|j| *j == symmetry.source[*i])
            .map(|k| (*i, k))
    };
    let places = system.modes[other.target].states.iter().filter_map(place).collect();
    let after = Mirror {
        symmetry,
        states: &system.states,
        places,
    };
    let (found, mirrored) = (value(other_reset, &image, p), after.point(&value(reset, x, p)));
    found.len() == mirrored.len() && after.difference(&found, &mirrored, true).is_none()
}
