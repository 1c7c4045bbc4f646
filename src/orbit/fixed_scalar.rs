//! Scalars of a periodic orbit with their exact gradients, so that they can be held fixed along a curve.

use super::PeriodicOrbit;
use super::dense_output::DenseOutput;
use super::inspect::Subject;
use super::monitors::{Extreme, OrbitScalar};
use slipstick_bifurcation::Column;
use slipstick_continuation::{Condition, Failure};
use slipstick_flow::Transition;
use slipstick_system::{Function, HasCorners, jacobian, rate_gradient};

/// A scalar of a periodic orbit.
///
/// ```
/// use slipstick_bifurcation::{Column, Inspect as _};
/// use slipstick_flow::FlowOptions;
/// use slipstick_orbit::{PeriodicOrbit, Scalar, Word};
/// use slipstick_system::catalogue::stiction;
/// let system = stiction();
/// let word = Word::parse("slip- stick", true, &system)?;
/// let orbit = PeriodicOrbit::new(&system, word, system.default_parameters(), vec![0, 1], FlowOptions::default());
/// // The duration of the first segment can be held along a curve in two parameters, and so can the largest displacement.
/// assert!(orbit.can_fix(Scalar::Inequality(0)).is_ok());
/// let amplitude = orbit.monitor_names().iter().position(|name| name == "max_abs_x").ok_or("no such monitor")?;
/// assert!(orbit.can_fix(Scalar::Column(Column::Monitor(amplitude))).is_ok());
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
/// use slipstick_orbit::{NotFixable, PeriodicOrbit, Scalar, Word};
/// use slipstick_system::catalogue::stiction;
/// let system = stiction();
/// let word = Word::parse("slip- stick", true, &system)?;
/// let orbit = PeriodicOrbit::new(&system, word, system.default_parameters(), vec![0, 1], FlowOptions::default());
/// // μ_d has one value all along, as it is.
/// assert_eq!(orbit.can_fix(Scalar::Column(Column::Parameter(2))), Err(NotFixable::NotFree));
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
        let value = match self.scalar {
            Scalar::Inequality(i) => orbit.inequality(i, z, gradient)?,
            Scalar::Column(column) => orbit.column(column, z, gradient)?,
        };
        Ok(value - self.level)
    }
}

/// What of a segment a scalar depends on.
#[derive(Clone, Copy)]
pub(super) enum Place {
    Start,
    End,
    /// A time inside at which its rate vanishes, so that a shift of the time does not change it.
    Inside(f64),
}

impl PeriodicOrbit<'_> {
    /// Can this scalar be held along a curve of these orbits?
    ///
    /// # Errors
    /// [`NotFixable`].
    pub fn can_fix(&self, scalar: Scalar) -> Result<(), NotFixable> {
        match scalar {
            Scalar::Column(Column::Monitor(i)) => match self.monitor_list().get(i) {
                None | Some(OrbitScalar::Liouville | OrbitScalar::Error) => Err(NotFixable::OfComputation),
                Some(OrbitScalar::Own(own)) => Ok(self.system.monitors[*own].can_be_fixed()?),
                Some(OrbitScalar::Extreme(..) | OrbitScalar::Norm) => Ok(()),
            },
            Scalar::Column(Column::Parameter(i)) if !self.free.contains(&i) => Err(NotFixable::NotFree),
            _ => Ok(()),
        }
    }

    fn inequality(&self, index: usize, z: &[f64], gradient: &mut [f64]) -> Result<f64, Failure> {
        let subjects = self.subjects();
        let Some(&subject) = subjects.get(index) else {
            return Err(Failure::Evaluation("there is no such inequality".into()));
        };
        match subject {
            Subject::Duration(k) => {
                let s = &self.segments[k];
                gradient[s.offset + s.n] = 1.0;
                Ok(z[s.offset + s.n])
            }
            Subject::Rate(k) => {
                let s = &self.segments[k];
                let Some(guard) = &s.guard else { return Ok(0.0) };
                let field = self.system.modes[s.mode].field.as_ref();
                let end = &s.transition.x;
                let (rate, mut dx, mut dp) = rate_gradient(guard.as_ref(), field, end, &self.parameters, &self.free);
                dx.iter_mut().chain(&mut dp).for_each(|v| *v *= s.direction);
                self.add_through(k, Place::End, &dx, &dp, z, gradient)?;
                Ok(s.direction * rate)
            }
            Subject::Condition(k) => {
                let first = subjects
                    .iter()
                    .position(|s| *s == Subject::Condition(k))
                    .unwrap_or(index);
                let function = self.condition(k, index - first);
                self.add_function(k, Place::End, function, 1.0, z, gradient)
            }
            Subject::Clearance(k, w) => {
                let s = &self.segments[k];
                let (function, sign, ends_here) = self.clear_of(k, w);
                let dense = DenseOutput::new(s, &self.system.modes[s.mode].field, z, &self.parameters)?;
                let Some((t, _)) = dense.least_inside_at(function, sign, ends_here, &self.parameters)? else {
                    return Err(Failure::Evaluation("the segment is no longer near this surface".into()));
                };
                self.add_function(k, self.place(k, t, z), function, sign, z, gradient)
            }
        }
    }

    fn column(&self, column: Column, z: &[f64], gradient: &mut [f64]) -> Result<f64, Failure> {
        let n = z.len();
        match column {
            Column::Parameter(i) => match self.free.iter().position(|&f| f == i) {
                Some(k) => {
                    gradient[n - self.free.len() + k] = 1.0;
                    Ok(z[n - self.free.len() + k])
                }
                None => Err(Failure::Evaluation("this parameter is not free".into())),
            },
            Column::Period => {
                let factor = if self.word.symmetric { 2.0 } else { 1.0 };
                for s in &self.segments {
                    gradient[s.offset + s.n] = factor;
                }
                Ok(self.period(z))
            }
            Column::Monitor(i) => match self.monitor_list().get(i) {
                Some(OrbitScalar::Extreme(state, kind)) => self.extreme(*state, *kind, z, gradient),
                Some(OrbitScalar::Own(own)) => self.own_gradient(*own, z, gradient),
                Some(OrbitScalar::Norm) => self.norm_gradient(z, gradient),
                _ => Err(Failure::Evaluation("this monitor cannot be a constraint".into())),
            },
        }
    }

    /// An extreme of a state over the period.
    fn extreme(&self, state: usize, kind: Extreme, z: &[f64], gradient: &mut [f64]) -> Result<f64, Failure> {
        let p = &self.parameters;
        // The value is the largest of `factor · x + shift` over states and times.
        let sides: &[f64] = match kind {
            Extreme::Modulus => &[1.0, -1.0],
            Extreme::Largest => &[1.0],
            Extreme::Least => &[-1.0],
        };
        let mut sources = vec![(state, 1.0, 0.0)];
        if let Some(symmetry) = self.system.symmetry.as_ref().filter(|_| self.word.symmetric) {
            sources.push((symmetry.source[state], symmetry.sign[state], symmetry.shift[state]));
        }
        let mut best: Option<(f64, usize, usize, Place, f64)> = None;
        for (k, s) in self.segments.iter().enumerate() {
            let mode = &self.system.modes[s.mode];
            let dense = DenseOutput::new(s, &mode.field, z, p)?;
            for &(source, sign, shift) in &sources {
                for side in sides {
                    let factor = side * sign;
                    let candidates = match mode.states.iter().position(|&i| i == source) {
                        Some(i) => {
                            let (t, least) = dense.least(&super::plan::component(i), -factor.signum(), p)?;
                            vec![(factor.abs() * -least, self.place(k, t, z))]
                        }
                        None => [(self.start(z, k), Place::Start), (&s.transition.x[..], Place::End)]
                            .map(|(x, place)| (factor * self.system.full_state(s.mode, x, p)[source], place))
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
        self.add_state(k, place, source, orientation * factor, z, gradient)?;
        Ok(orientation * value)
    }

    fn place(&self, k: usize, t: f64, z: &[f64]) -> Place {
        if t <= 0.0 {
            Place::Start
        } else if t >= self.duration(z, k) {
            Place::End
        } else {
            Place::Inside(t)
        }
    }

    /// Add the gradient of `factor ·` state `state` of the system at a place of segment `k`.
    fn add_state(
        &self,
        k: usize,
        place: Place,
        state: usize,
        factor: f64,
        z: &[f64],
        gradient: &mut [f64],
    ) -> Result<(), Failure> {
        let s = &self.segments[k];
        let mode = &self.system.modes[s.mode];
        let mut dx = vec![0.0; s.n];
        let mut dp = vec![0.0; self.free.len()];
        if let Some(i) = mode.states.iter().position(|&m| m == state) {
            dx[i] = factor;
        } else if let Some(absent) = &mode.absent {
            let x = self.state_at(k, place, z)?;
            let row = (0..state).filter(|i| !mode.states.contains(i)).count();
            let m = absent.outputs();
            let (mut value, mut ax, mut ap) = (vec![0.0; m], vec![0.0; m * s.n], vec![0.0; m * dp.len()]);
            jacobian(
                absent.as_ref(),
                &x,
                &self.parameters,
                &self.free,
                &mut value,
                &mut ax,
                &mut ap,
            );
            dx.iter_mut().zip(&ax[row * s.n..]).for_each(|(d, a)| *d = factor * a);
            let width = dp.len();
            dp.iter_mut().zip(&ap[row * width..]).for_each(|(d, a)| *d = factor * a);
        }
        self.add_through(k, place, &dx, &dp, z, gradient)
    }

    /// The value of `factor · h` at a place of segment `k`; its gradient is added.
    pub(super) fn add_function(
        &self,
        k: usize,
        place: Place,
        h: &dyn Function,
        factor: f64,
        z: &[f64],
        gradient: &mut [f64],
    ) -> Result<f64, Failure> {
        let x = self.state_at(k, place, z)?;
        let (mut value, mut dx, mut dp) = ([0.0], vec![0.0; x.len()], vec![0.0; self.free.len()]);
        jacobian(h, &x, &self.parameters, &self.free, &mut value, &mut dx, &mut dp);
        dx.iter_mut().chain(&mut dp).for_each(|v| *v *= factor);
        self.add_through(k, place, &dx, &dp, z, gradient)?;
        Ok(factor * value[0])
    }

    fn state_at(&self, k: usize, place: Place, z: &[f64]) -> Result<Vec<f64>, Failure> {
        let s = &self.segments[k];
        Ok(match place {
            Place::Start => self.start(z, k).to_vec(),
            Place::End => s.transition.x.clone(),
            Place::Inside(t) => {
                let dense = DenseOutput::new(s, &self.system.modes[s.mode].field, z, &self.parameters)?;
                let mut x = vec![0.0; s.n];
                dense.eval(t, &mut x);
                x
            }
        })
    }

    /// Carry derivatives with respect to the state at a place of segment `k` (and directly to the free parameters) to
    /// the unknowns.
    pub(super) fn add_through(
        &self,
        k: usize,
        place: Place,
        dx: &[f64],
        dp: &[f64],
        z: &[f64],
        gradient: &mut [f64],
    ) -> Result<(), Failure> {
        let s = &self.segments[k];
        let (n, free) = (s.n, self.free.len());
        let parameters = gradient.len() - free;
        for (g, d) in gradient[parameters..].iter_mut().zip(dp) {
            *g += d;
        }
        let mut inside = Transition::default();
        let (transition, moves) = match (place, s.profile()) {
            (Place::Start, _) => {
                for (g, d) in gradient[s.offset..].iter_mut().zip(dx) {
                    *g += d;
                }
                return Ok(());
            }
            (Place::End, Some(_)) => {
                let end = s.block().end - n;
                for (g, d) in gradient[end..].iter_mut().zip(dx) {
                    *g += d;
                }
                return Ok(());
            }
            (Place::Inside(t), Some(profile)) => {
                let (head, block) = gradient.split_at_mut(s.block().start);
                let own = &mut block[..s.block().len()];
                profile.pull(t / z[s.offset + n], dx, &mut head[s.offset..s.offset + n], own);
                return Ok(());
            }
            (Place::End, None) => (&s.transition, true),
            (Place::Inside(t), None) => {
                s.flow
                    .linearise(self.start(z, k), t, &self.parameters, &self.free, &mut inside)
                    .map_err(|e| Failure::Evaluation(e.to_string()))?;
                (&inside, false)
            }
        };
        for (r, d) in dx.iter().enumerate() {
            for c in 0..n {
                gradient[s.offset + c] += d * transition.dx[r * n + c];
            }
            if moves {
                gradient[s.offset + n] += d * transition.f[r];
            }
            for c in 0..free {
                gradient[parameters + c] += d * transition.dp[r * free + c];
            }
        }
        Ok(())
    }
}
