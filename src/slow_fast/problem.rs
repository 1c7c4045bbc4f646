//! The slow–fast structure of a mode: `z' = g(z, y; ε)`, `ε y' = f(z, y; ε)` with one fast state y.
//!
//! With `F` the mode's field, `f = ε F_y` and `g` the other components. In the singular reduction ε → 0 throughout.
//! The small parameter is then set to a power of two near the smallest double: `ε · (f/ε)` is exact, and every term
//! that carries an ε has vanished beside the others. The finite reduction keeps ε where the slow equations carry it
//! and neglects only `ε y'` against `f`: this is the leading order when a product such as Ω²ε is of order one.
//!
//! On the critical manifold `f = 0` the reduced flow obeys `f_y y' = -f_z g`. Time rescaled by `-f_y` gives the
//! **desingularised** field, smooth across folds:
//! ```text
//! dz/dσ = -f_y g,    dy/dσ = f_z g,    dt/dσ = -f_y
//! ```
//! It conserves f, runs forwards in time on attracting sheets (f_y < 0) and backwards on repelling ones.
//!
//! Reference: P. Szmolyan and M. Wechselberger, *Canards in ℝ³*, J. Differential Equations 177 (2001) 419–453.

use super::error::SlowFastError;
use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};
use slipstick_numerics::scalar::{Affine, Dual, Hessian, Scalar};
use slipstick_system::{Jacobian, Mode, SharedFunction, SlowFast, System, jacobian};

/// What is neglected in the reduced flow.
///
/// ```
/// use slipstick_slow_fast::{Reduction, SlowFastProblem};
/// use slipstick_system::catalogue::regularised_stiction;
/// let system = regularised_stiction();
/// let layer = SlowFastProblem::new(&system, &system.default_parameters(), Reduction::Finite)?;
/// assert_eq!(layer.reduction(), Reduction::Finite);
/// # Ok::<(), slipstick_slow_fast::SlowFastError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// ε → 0 everywhere.
    Singular,
    /// `ε y'` against f; the slow equations keep their ε.
    Finite,
}

/// How the critical manifold attracts along its fast fibres.
///
/// ```
/// use slipstick_slow_fast::Stability;
/// // By the slope of the fast field along the fast state.
/// assert_eq!([-1.0, 1.0].map(Stability::of), [Stability::Attracting, Stability::Repelling]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stability {
    /// `f_y < 0`.
    Attracting,
    /// `f_y > 0`.
    Repelling,
    /// `f_y = 0`.
    Fold,
}

impl Stability {
    /// From the sign of `f_y`.
    pub fn of(slope: f64) -> Self {
        if slope < 0.0 {
            Self::Attracting
        } else if slope > 0.0 {
            Self::Repelling
        } else {
            Self::Fold
        }
    }
}

/// Stands for ε → 0: 2⁻³⁰⁰, so that its inverse and its square are doubles too.
const VANISHING: f64 = f64::from_bits(723 << 52);

/// The mode of a system that is declared slow–fast, at fixed parameters.
///
/// ```
/// use slipstick_slow_fast::{Reduction, SlowFastProblem};
/// use slipstick_system::catalogue::regularised_stiction;
/// let system = regularised_stiction();
/// let p = [2.0, 1.1, 0.4, 0.6, 1e-3]; // Ω, μ_s, μ_d, δ, ε
/// let layer = SlowFastProblem::new(&system, &p, Reduction::Singular)?;
/// assert_eq!((layer.mode().name.as_str(), layer.dimension(), layer.epsilon()), ("layer", 3, 1e-3));
/// // ŷ is fast; x and θ are slow.
/// assert!(layer.fast() == 1 && layer.slow().eq([0, 2]));
/// // On the critical manifold the friction balances spring and forcing, Ω² x + sin θ = 0 at ŷ = 0.
/// assert!(layer.force(&[-f64::sin(0.3) / 4.0, 0.0, 0.3]).abs() < 1e-15);
/// # Ok::<(), slipstick_slow_fast::SlowFastError>(())
/// ```
#[derive(Clone)]
pub struct SlowFastProblem<'a> {
    system: &'a System,
    declared: SlowFast,
    split: Split,
    reduction: Reduction,
    /// Parameters as given.
    parameters: Vec<f64>,
    /// Parameters with ε as the reduction wants it, and in the limit.
    reduced: Vec<f64>,
    limit: Vec<f64>,
}

/// A field and which of its components is fast: all that the desingularised field is made of.
#[derive(Clone)]
pub(super) struct Split {
    field: SharedFunction,
    /// The fast component.
    fast: usize,
    /// The index of ε.
    epsilon: usize,
}

impl Split {
    /// How many states the mode has.
    pub(super) fn dimension(&self) -> usize {
        self.field.outputs()
    }
    fn local(&self, x: &[f64], p: &[f64]) -> Local {
        let n = x.len();
        let mut values = vec![0.0; n];
        let mut dx = vec![0.0; n * n];
        jacobian(&*self.field, x, p, &[], &mut values, &mut dx, &mut []);
        let scale = p[self.epsilon];
        let force = scale * values[self.fast];
        let gradient = (0..n).map(|j| scale * dx[self.fast * n + j]).collect();
        values[self.fast] = 0.0;
        Local {
            force,
            gradient,
            slow: values,
            derivative: dx,
        }
    }
    /// The desingularised field at `x` into `out`; returns `dt/dσ`.
    pub(super) fn desingularised(&self, x: &[f64], p: &[f64], out: &mut [f64]) -> f64 {
        let local = self.local(x, p);
        let rate = -local.gradient[self.fast];
        for (o, g) in out.iter_mut().zip(&local.slow) {
            *o = rate * g;
        }
        out[self.fast] = local.push();
        rate
    }
}

/// Value and first derivatives at a point.
///
/// ```
/// use slipstick_slow_fast::{Reduction, SlowFastProblem};
/// use slipstick_system::catalogue::regularised_stiction;
/// let system = regularised_stiction();
/// let p = [2.0, 1.1, 0.4, 0.6, 1e-3]; // Ω, μ_s, μ_d, δ, ε
/// let layer = SlowFastProblem::new(&system, &p, Reduction::Singular)?;
/// // f = -(Ω² x + sin θ) - φ(ŷ): its derivatives, and how fast the slow flow x' = 0, θ' = 1 moves it.
/// let here = layer.local(&[0.1, 0.2, 0.3]);
/// assert!((here.gradient[0] + 4.0).abs() < 1e-14 && (here.gradient[2] + f64::cos(0.3)).abs() < 1e-14);
/// assert!((here.push() + f64::cos(0.3)).abs() < 1e-14);
/// # Ok::<(), slipstick_slow_fast::SlowFastError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Local {
    /// f.
    pub force: f64,
    /// ∂f with respect to all states of the mode; the entry of the fast state is `f_y`.
    pub gradient: Vec<f64>,
    /// The slow field g in the places of the slow states, 0 in that of the fast one.
    pub slow: Vec<f64>,
    /// The Jacobian of the mode's field, row by row.
    derivative: Vec<f64>,
}

impl Local {
    /// `f_z g`: the rate at which the slow flow moves f.
    pub fn push(&self) -> f64 {
        dot(&self.gradient, &self.slow)
    }
}

impl<'a> SlowFastProblem<'a> {
    /// The slow–fast mode of `system` at `parameters`.
    ///
    /// # Errors
    /// When the system is not declared slow–fast, the declaration does not fit it, or ε is not positive.
    pub fn new(system: &'a System, parameters: &[f64], reduction: Reduction) -> Result<Self, SlowFastError> {
        let bad = |what: String| SlowFastError::BadDeclaration {
            system: system.name.clone(),
            what,
        };
        let declared = system.slow_fast.clone().ok_or_else(|| SlowFastError::NotDeclared {
            system: system.name.clone(),
        })?;
        let mode =
            (system.modes.get(declared.mode)).ok_or_else(|| bad(format!("there is no mode {}", declared.mode)))?;
        let fast = (mode.states.iter().position(|&s| s == declared.fast))
            .ok_or_else(|| bad(format!("its fast state does not live in mode `{}`", mode.name)))?;
        if parameters.len() != system.parameters.len() {
            let (found, expected) = (parameters.len(), system.parameters.len());
            return Err(bad(format!(
                "{found} parameter values were given, {expected} are needed"
            )));
        }
        let parameter = (system.parameters.get(declared.epsilon))
            .ok_or_else(|| bad(format!("there is no parameter {}", declared.epsilon)))?;
        let epsilon = parameters[declared.epsilon];
        if epsilon <= 0.0 || !epsilon.is_finite() {
            return Err(SlowFastError::BadEpsilon {
                parameter: parameter.name.clone(),
                value: epsilon,
            });
        }
        let mut limit = parameters.to_vec();
        limit[declared.epsilon] = VANISHING;
        let reduced = match reduction {
            Reduction::Singular => limit.clone(),
            Reduction::Finite => parameters.to_vec(),
        };
        Ok(Self {
            system,
            split: Split {
                field: mode.field.clone(),
                fast,
                epsilon: declared.epsilon,
            },
            declared,
            reduction,
            parameters: parameters.to_vec(),
            reduced,
            limit,
        })
    }
    /// The system.
    pub fn system(&self) -> &'a System {
        self.system
    }
    /// The index of the slow–fast mode.
    pub fn mode_index(&self) -> usize {
        self.declared.mode
    }
    /// The slow–fast mode.
    pub fn mode(&self) -> &'a Mode {
        &self.system.modes[self.declared.mode]
    }
    /// The parameters.
    pub fn parameters(&self) -> &[f64] {
        &self.parameters
    }
    /// The small parameter.
    pub fn epsilon(&self) -> f64 {
        self.parameters[self.split.epsilon]
    }
    /// The index of the small parameter.
    pub fn epsilon_index(&self) -> usize {
        self.split.epsilon
    }
    /// Which reduction is taken.
    pub fn reduction(&self) -> Reduction {
        self.reduction
    }
    /// The same problem with parameter `index` set to `value`.
    ///
    /// # Errors
    /// As [`SlowFastProblem::new`].
    pub fn with_parameter(&self, index: usize, value: f64) -> Result<Self, SlowFastError> {
        let mut p = self.parameters.clone();
        let slot =
            (p.get_mut(index)).ok_or_else(|| SlowFastError::Argument(format!("there is no parameter {index}")))?;
        *slot = value;
        Self::new(self.system, &p, self.reduction)
    }
    /// How many states the mode has.
    pub fn dimension(&self) -> usize {
        self.mode().states.len()
    }
    /// Where the fast state stands among the mode's states.
    pub fn fast(&self) -> usize {
        self.split.fast
    }
    /// The places of the slow states.
    pub fn slow(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.dimension()).filter(|&i| i != self.fast())
    }
    /// For an angle: the period of the mode's state `i`.
    pub fn period(&self, i: usize) -> Option<f64> {
        self.system.states[self.mode().states[i]].period
    }
    /// The slow displacement from `from` to `to`, angles taken the short way round.
    pub fn difference(&self, to: &[f64], from: &[f64]) -> Vec<f64> {
        (to.iter().zip(from).enumerate())
            .map(|(i, (a, b))| match self.period(i) {
                Some(period) => {
                    let d = (a - b).rem_euclid(period);
                    if d > 0.5 * period { d - period } else { d }
                }
                None => a - b,
            })
            .collect()
    }
    /// `x` with angles in `[0, period)`.
    pub fn canonical(&self, x: &[f64]) -> Vec<f64> {
        (x.iter().enumerate())
            .map(|(i, &v)| self.period(i).map_or(v, |period| v.rem_euclid(period)))
            .collect()
    }
    /// The smallest of the mode's guards, positive inside: how much room is left before an event ends the mode.
    /// Events that depend on more than their guard do not count.
    pub fn room(&self, x: &[f64]) -> f64 {
        let events = self.mode().events.iter().filter(|e| e.when.is_empty());
        events.fold(f64::INFINITY, |least, event| {
            let mut guard = [0.0];
            event.guard.value(x, &self.parameters, &mut guard);
            least.min(-event.direction.sign() * guard[0])
        })
    }
    pub(super) fn field(&self) -> &SharedFunction {
        &self.split.field
    }
    pub(super) fn split(&self) -> &Split {
        &self.split
    }
    pub(super) fn reduced_parameters(&self) -> &[f64] {
        &self.reduced
    }
    pub(super) fn limit_parameters(&self) -> &[f64] {
        &self.limit
    }
    /// ε as the reduction takes it.
    fn scale(&self) -> f64 {
        self.reduced[self.split.epsilon]
    }
    /// f at the mode's states `x`.
    pub fn force(&self, x: &[f64]) -> f64 {
        let mut out = vec![0.0; self.dimension()];
        self.field().value(x, &self.reduced, &mut out);
        self.scale() * out[self.fast()]
    }
    /// f along state `i` through `x`, as a constant and a slope, where its formula is affine in that state.
    pub(super) fn affine_force(&self, x: &[f64], i: usize) -> Option<(f64, f64)> {
        let state = |(k, &v): (usize, &f64)| {
            if k == i {
                Affine::basis(0, 0)
            } else {
                Affine::constant(v)
            }
        };
        let point: Vec<Affine<f64>> = x.iter().enumerate().map(state).collect();
        let p: Vec<Affine<f64>> = self.reduced.iter().map(|&v| Affine::constant(v)).collect();
        let mut out = vec![Affine::constant(0.0); x.len()];
        self.field().affine(&point, &p, &mut out);
        let force = out[self.fast()];
        let affine = force.exact && force.angle.is_none() && self.period(i).is_none();
        affine.then(|| (self.scale() * force.constant, self.scale() * force.terms[0]))
    }
    /// f and its derivative by state `i`, for many points one after the other.
    pub(super) fn force_along(&self, i: usize) -> impl FnMut(&[f64]) -> (f64, f64) {
        let (n, fast, scale) = (self.dimension(), self.fast(), self.scale());
        let mut field = Jacobian::new(self.field().as_ref(), n, &self.reduced, &[]);
        let (mut values, mut dx) = (vec![0.0; n], vec![0.0; n * n]);
        move |x| {
            field.at(x, &mut values, &mut dx, &mut []);
            (scale * values[fast], scale * dx[fast * n + i])
        }
    }
    /// f, its gradient and the slow field at `x`.
    pub fn local(&self, x: &[f64]) -> Local {
        self.split.local(x, &self.reduced)
    }
    /// How the critical manifold attracts at `x`.
    pub fn stability(&self, x: &[f64]) -> Stability {
        Stability::of(self.local(x).gradient[self.fast()])
    }
    /// The desingularised field at `x`, and `dt/dσ`.
    pub fn desingularised(&self, x: &[f64]) -> (Vec<f64>, f64) {
        let mut out = vec![0.0; self.dimension()];
        let rate = self.split.desingularised(x, &self.reduced, &mut out);
        (out, rate)
    }
    /// The Jacobian of the desingularised field at `x`.
    pub fn desingularised_jacobian(&self, x: &[f64]) -> DMatrix<f64> {
        let n = self.dimension();
        let local = self.local(x);
        let mut unit = vec![0.0; n];
        unit[self.fast()] = 1.0;
        let slope = self.gradient_along(x, &unit);
        let push = self.gradient_along(x, &local.slow);
        let dg = &local.derivative;
        DMatrix::from_fn(n, n, |i, j| {
            if i == self.fast() {
                // ∂(f_z g)/∂x_j: g held in the second derivative of f, then f_z ∂g/∂x_j.
                push[j] + self.slow().map(|k| local.gradient[k] * dg[k * n + j]).sum::<f64>()
            } else {
                -slope[j] * local.slow[i] - local.gradient[self.fast()] * dg[i * n + j]
            }
        })
    }
    /// The gradient of the derivative of f along the fixed direction `u`.
    pub(super) fn gradient_along(&self, x: &[f64], u: &[f64]) -> Vec<f64> {
        let n = self.dimension();
        let p: Vec<Hessian> = self.reduced.iter().map(|&v| Hessian::from_f64(v)).collect();
        let mut out = vec![Hessian::zero(); n];
        let mut gradient = vec![0.0; n];
        for first in (0..n).step_by(8) {
            let point: Vec<Hessian> = (x.iter().zip(u).enumerate())
                .map(|(i, (&re, &along))| {
                    let inner = Dual { re, eps: [along] };
                    Hessian::variable(inner, i.wrapping_sub(first))
                })
                .collect();
            self.field().hessian(&point, &p, &mut out);
            for (g, lane) in gradient[first..].iter_mut().zip(out[self.fast()].eps) {
                *g = self.scale() * lane.eps[0];
            }
        }
        gradient
    }
    /// ∂/∂p of `(f, f_y, f_z g)` for the parameter `index`.
    pub(super) fn fold_system_by_parameter(&self, x: &[f64], index: usize) -> [f64; 3] {
        let n = self.dimension();
        let local = self.local(x);
        let mut p: Vec<Hessian> = self.reduced.iter().map(|&v| Hessian::from_f64(v)).collect();
        p[index] = Hessian::variable(Dual::constant(self.reduced[index]), 0);
        // The field with its derivative along `u`; lane 0 of the outer dual is ∂/∂p. f itself is ε times its fast
        // component.
        let along = |u: &[f64]| {
            let point: Vec<Hessian> = (x.iter().zip(u))
                .map(|(&re, &along)| Hessian::constant(Dual { re, eps: [along] }))
                .collect();
            let mut out = vec![Hessian::zero(); n];
            self.field().hessian(&point, &p, &mut out);
            out[self.fast()] *= p[self.split.epsilon];
            out
        };
        let mut unit = vec![0.0; n];
        unit[self.fast()] = 1.0;
        let fast = along(&unit)[self.fast()];
        let slow = along(&local.slow);
        let by_slow_field: f64 = self.slow().map(|k| local.gradient[k] * slow[k].eps[0].re).sum();
        [
            fast.eps[0].re,
            fast.eps[0].eps[0],
            slow[self.fast()].eps[0].eps[0] + by_slow_field,
        ]
    }
    /// `∂g_i/∂ε` of a slow component at `x`, and its derivative along `u`.
    pub(super) fn drift_along(&self, x: &[f64], u: &[f64], i: usize) -> (f64, f64) {
        let point: Vec<Hessian> = (x.iter().zip(u))
            .map(|(&re, &along)| Hessian::constant(Dual { re, eps: [along] }))
            .collect();
        let mut p: Vec<Hessian> = self.reduced.iter().map(|&v| Hessian::from_f64(v)).collect();
        p[self.split.epsilon] = Hessian::variable(Dual::constant(self.scale()), 0);
        let mut out = vec![Hessian::zero(); self.dimension()];
        self.field().hessian(&point, &p, &mut out);
        (out[i].eps[0].re, out[i].eps[0].eps[0])
    }
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
