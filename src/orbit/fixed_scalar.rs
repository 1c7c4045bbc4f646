//! Scalars of a periodic orbit with their exact gradients, so that they can be held fixed along a curve.

use super::PeriodicOrbit;
use super::admissibility::{Subject, subjects};
use super::clearance::Clearance;
use super::dense_output::DenseOutput;
use super::gradient::{Gradient, Place};
use super::monitors::{Extreme, OrbitScalar};
use super::passed::{begins_on, nearest_on_the_way};
use crate::fixed_monitors;
use crate::monitors;
use slipstick_bifurcation::Column;
use slipstick_continuation::{Condition, Failure};
use slipstick_system::{Event, HasCorners, rate_gradient};
use std::sync::Arc;

/// A scalar of a periodic orbit.
///
/// ```
/// use slipstick_bifurcation::{Column, Inspect as _};
/// use slipstick_flow::FlowOptions;
/// use slipstick_orbit::{PeriodicOrbit, Scalar, Word, can_fix};
/// use slipstick_system::catalogue::stiction;
/// let system = stiction();
/// let word = Word::parse("slip- stick", true, &system)?;
/// let orbit = PeriodicOrbit::new(&system, word, system.default_parameters(), vec![0, 1], FlowOptions::default());
/// // The duration of the first segment can be held along a curve in two parameters, and so can the largest displacement.
/// assert!(can_fix(&orbit, Scalar::Inequality(0)).is_ok());
/// let amplitude = orbit.monitor_names().iter().position(|name| name == "max_abs_x").ok_or("no such monitor")?;
/// assert!(can_fix(&orbit, Scalar::Column(Column::Monitor(amplitude))).is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// An inequality of admissibility, by its index.
    Inequality(usize),
    /// A parameter, a monitor or the period.
    Column(Column),
}

/// A scalar held at a level.
///
/// ```
/// use slipstick_bifurcation::Label;
/// use slipstick_orbit::{FixedScalar, LocusCondition, Scalar};
/// // The orbits on the border where the first segment vanishes.
/// let border = FixedScalar { scalar: Scalar::Inequality(0), level: 0.0 };
/// assert_eq!(LocusCondition::Scalar(Label::VS, border).label(), Label::VS);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FixedScalar {
    /// The scalar.
    pub scalar: Scalar,
    /// Its value.
    pub level: f64,
}

/// Why a scalar cannot be held along a curve of orbits.
///
/// ```
/// use slipstick_bifurcation::Column;
/// use slipstick_flow::FlowOptions;
/// use slipstick_orbit::{NotFixable, PeriodicOrbit, Scalar, Word, can_fix};
/// use slipstick_system::catalogue::stiction;
/// let system = stiction();
/// let word = Word::parse("slip- stick", true, &system)?;
/// let orbit = PeriodicOrbit::new(&system, word, system.default_parameters(), vec![0, 1], FlowOptions::default());
/// // μ_d has one value all along, as it is.
/// assert_eq!(can_fix(&orbit, Scalar::Column(Column::Parameter(2))), Err(NotFixable::NotFree));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotFixable {
    /// A monitor of the computation.
    #[error("it describes the computation, not the orbit")]
    OfComputation,
    /// A parameter with one value.
    #[error("the parameter is not one of the two free ones")]
    NotFree,
    /// An extreme.
    #[error(transparent)]
    Corners(#[from] HasCorners),
}

impl<'s> Condition<PeriodicOrbit<'s>> for FixedScalar {
    fn evaluate(&mut self, orbit: &PeriodicOrbit<'s>, z: &[f64], gradient: &mut [f64]) -> Result<f64, Failure> {
        self.on_the_way(orbit, z, gradient, false)
    }
}

impl FixedScalar {
    /// The same on the way to a solution, where it is known whether the segment that the scalar is about begins on its
    /// surface.
    pub(crate) fn on_the_way(
        &self,
        orbit: &PeriodicOrbit<'_>,
        z: &[f64],
        gradient: &mut [f64],
        begins_on: bool,
    ) -> Result<f64, Failure> {
        let mut g = Gradient { orbit, z, by: gradient };
        let value = match self.scalar {
            Scalar::Inequality(i) => inequality(&mut g, i, begins_on)?,
            Scalar::Column(of) => column(&mut g, of)?,
        };
        Ok(value - self.level)
    }

    /// Is it the distance of a segment from a surface on which this segment of the solved orbit at `z` begins?
    pub(crate) fn begins_on_its_surface(&self, orbit: &PeriodicOrbit<'_>, z: &[f64]) -> bool {
        let Scalar::Inequality(i) = self.scalar else {
            return false;
        };
        match subjects(orbit).get(i) {
            Some(&Subject::Clearance(k, w)) => begins_on(orbit, z, k, &orbit.plan.clearances[k][w]),
            _ => false,
        }
    }
}

/// Can this scalar be held along a curve of these orbits?
///
/// # Errors
/// [`NotFixable`].
pub fn can_fix(orbit: &PeriodicOrbit<'_>, scalar: Scalar) -> Result<(), NotFixable> {
    match scalar {
        Scalar::Column(Column::Monitor(i)) => match monitors::list(orbit).get(i) {
            None | Some(OrbitScalar::Liouville | OrbitScalar::Error) => Err(NotFixable::OfComputation),
            Some(OrbitScalar::Own(own)) => Ok(orbit.system.monitors[*own].can_be_fixed()?),
            Some(OrbitScalar::Extreme(..) | OrbitScalar::Norm) => Ok(()),
        },
        Scalar::Column(Column::Parameter(i)) if !orbit.free.contains(&i) => Err(NotFixable::NotFree),
        _ => Ok(()),
    }
}

fn inequality(g: &mut Gradient<'_, '_>, index: usize, begins_on: bool) -> Result<f64, Failure> {
    let (orbit, z) = (g.orbit, g.z);
    let subjects = subjects(orbit);
    let Some(&subject) = subjects.get(index) else {
        return Err(Failure::Evaluation("there is no such inequality".into()));
    };
    if let Subject::Rate(k) | Subject::Condition(k) | Subject::Corner(k, _) | Subject::Clearance(k, _) = subject
        && orbit.segments[k].ends_on_jump.is_some()
    {
        return Err(Failure::Evaluation(
            "limits at the end of a segment that a jump with time ends are not followed in two parameters".into(),
        ));
    }
    match subject {
        Subject::Duration(k) => {
            let s = &orbit.segments[k];
            g.by[s.offset + s.n] = 1.0;
            Ok(z[s.offset + s.n])
        }
        Subject::Rate(k) => {
            let s = &orbit.segments[k];
            let Some(guard) = &s.guard else { return Ok(0.0) };
            let field = orbit.system.modes[s.mode].field.as_ref();
            let end = &s.transition.x;
            let (rate, mut dx, mut dp) = rate_gradient(guard.as_ref(), field, end, &orbit.parameters, &orbit.free);
            dx.iter_mut().chain(&mut dp).for_each(|v| *v *= s.direction);
            g.add_through(k, Place::End, &dx, &dp)?;
            Ok(s.direction * rate)
        }
        Subject::Condition(k) => {
            let first = subjects
                .iter()
                .position(|s| *s == Subject::Condition(k))
                .unwrap_or(index);
            let function = orbit.plan.conditions[k][index - first].as_ref();
            g.add_function(k, Place::End, function, 1.0)
        }
        Subject::Corner(k, c) => g.add_function(k, Place::End, orbit.plan.corners[k][c].1.as_ref(), 1.0),
        Subject::Clearance(k, w) => {
            let dense = DenseOutput::new(orbit.system, &orbit.segments[k], z, &orbit.parameters)?;
            let own = std::iter::once(w).chain(mirrored_surface(orbit, k, w));
            let mut nearest: Option<(usize, f64, f64)> = None;
            for w in own {
                let found = nearest_on_the_way(orbit, (z, k), &dense, (&orbit.plan.clearances[k][w], begins_on))?;
                if let Some((t, distance)) = found.filter(|found| nearest.is_none_or(|known| found.1 < known.2)) {
                    nearest = Some((w, t, distance));
                }
            }
            let Some((w, t, _)) = nearest else {
                return Err(Failure::Evaluation("this segment has no touch with the surface any more: touches cease where the second derivative of the guard along the motion passes zero".into()));
            };
            let surface = &orbit.plan.clearances[k][w];
            g.add_function(k, g.place_at(k, t), surface.function.as_ref(), surface.sign)
        }
    }
}

/// The inequality that vanishes with this one, as that of the same touch in the other half of a symmetric orbit.
pub(crate) fn same_touch(orbit: &PeriodicOrbit<'_>, inequality: usize) -> Option<usize> {
    let subjects = subjects(orbit);
    let Subject::Clearance(k, w) = *subjects.get(inequality)? else {
        return None;
    };
    let image = Subject::Clearance(k, mirrored_surface(orbit, k, w)?);
    subjects.iter().position(|subject| *subject == image)
}

/// The mirror image of the surface of a clearance, where half of a symmetric orbit is one segment without an end: what
/// touches the one in this half touches the other in the next, and the touch may wander from half to half.
fn mirrored_surface(orbit: &PeriodicOrbit<'_>, k: usize, w: usize) -> Option<usize> {
    let [letter] = orbit.word.letters[..] else {
        return None;
    };
    let symmetry = orbit.system.symmetry.as_ref().filter(|_| orbit.word.symmetric)?;
    if letter.event.is_some() || symmetry.modes[letter.mode] != letter.mode {
        return None;
    }
    let events = &orbit.system.modes[letter.mode].events;
    let surfaces = &orbit.plan.clearances[k];
    let bounds = |event: &Event, surface: &Clearance| {
        Arc::ptr_eq(&event.guard, &surface.function) && -event.direction.sign() == surface.sign
    };
    let met = events.iter().position(|event| bounds(event, &surfaces[w]))?;
    let image = &events[orbit.system.mirrored_event(letter.mode, met)?];
    (0..surfaces.len()).find(|&other| other != w && bounds(image, &surfaces[other]))
}

fn column(g: &mut Gradient<'_, '_>, column: Column) -> Result<f64, Failure> {
    let (orbit, z) = (g.orbit, g.z);
    let n = z.len();
    match column {
        Column::Parameter(i) => match orbit.free.iter().position(|&f| f == i) {
            Some(k) => {
                g.by[n - orbit.free.len() + k] = 1.0;
                Ok(z[n - orbit.free.len() + k])
            }
            None => Err(Failure::Evaluation("this parameter is not free".into())),
        },
        Column::Period => {
            let factor = if orbit.word.symmetric { 2.0 } else { 1.0 };
            for s in &orbit.segments {
                g.by[s.offset + s.n] = factor;
            }
            Ok(orbit.period(z))
        }
        Column::Monitor(i) => match monitors::list(orbit).get(i) {
            Some(OrbitScalar::Extreme(state, kind)) => extreme(g, *state, *kind),
            Some(OrbitScalar::Own(own)) => fixed_monitors::own_gradient(g, *own),
            Some(OrbitScalar::Norm) => fixed_monitors::norm_gradient(g),
            _ => Err(Failure::Evaluation("this monitor cannot be a constraint".into())),
        },
    }
}

/// An extreme of a state over the period.
fn extreme(g: &mut Gradient<'_, '_>, state: usize, kind: Extreme) -> Result<f64, Failure> {
    let (orbit, z) = (g.orbit, g.z);
    let p = &orbit.parameters;
    // The value is the largest of `factor · x + shift` over states and times.
    let sides: &[f64] = match kind {
        Extreme::Modulus => &[1.0, -1.0],
        Extreme::Largest => &[1.0],
        Extreme::Least => &[-1.0],
    };
    let mut sources = vec![(state, 1.0, 0.0)];
    if let Some(symmetry) = orbit.system.symmetry.as_ref().filter(|_| orbit.word.symmetric) {
        sources.push((symmetry.source[state], symmetry.sign[state], symmetry.shift[state]));
    }
    let mut best: Option<(f64, usize, usize, Place, f64)> = None;
    for (k, s) in orbit.segments.iter().enumerate() {
        let mode = &orbit.system.modes[s.mode];
        let dense = DenseOutput::new(orbit.system, s, z, p)?;
        for &(source, sign, shift) in &sources {
            for side in sides {
                let factor = side * sign;
                let candidates = match mode.states.iter().position(|&i| i == source) {
                    Some(i) => {
                        let (t, least) = dense.least(&super::plan::component(i), -factor.signum(), p)?;
                        vec![(factor.abs() * -least, g.place_at(k, t))]
                    }
                    None => [(orbit.start(z, k), Place::Start), (&s.transition.x[..], Place::End)]
                        .map(|(x, place)| (factor * orbit.system.full_state(s.mode, x, p)[source], place))
                        .to_vec(),
                };
                for (value, place) in candidates {
                    let value = value + side * shift;
                    if best.as_ref().is_none_or(|b| value > b.0) {
                        best = Some((value, k, source, place, factor));
                    }
                }
            }
        }
    }
    let Some((value, k, source, place, factor)) = best else {
        return Err(Failure::Evaluation("the orbit has no segments".into()));
    };
    let orientation = if kind == Extreme::Least { -1.0 } else { 1.0 };
    g.add_state(k, place, source, orientation * factor)?;
    Ok(orientation * value)
}
