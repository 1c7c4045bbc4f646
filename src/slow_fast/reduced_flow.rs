//! The reduced flow on the critical manifold, computed through the desingularised field.
//!
//! Away from folds both have the same orbits; σ is the desingularised time, t the slow time, `dt/dσ = -f_y`. An
//! orbit is followed until it meets a fold or the end of the mode, or a given time has passed.

use super::error::SlowFastError;
use super::march::{Marcher, locate};
use super::problem::{SlowFastProblem, Split, Stability};
use serde::{Deserialize, Serialize};
use slipstick_flow::{FlowOptions, Method, ModeFlow};
use slipstick_numerics::scalar::{Affine, Gradient, Hessian, Scalar, Second, Third};
use slipstick_system::{Function, Mode, ModeKind, Start, State, System};
use std::sync::Arc;

/// A point of an orbit of the reduced flow.
///
/// ```
/// use slipstick_slow_fast::{Reduction, SlowFastProblem, Stability};
/// use slipstick_system::catalogue::regularised_stiction;
/// let system = regularised_stiction();
/// let p = [2.0, 1.1, 0.4, 0.6, 1e-3]; // Ω, μ_s, μ_d, δ, ε
/// let layer = SlowFastProblem::new(&system, &p, Reduction::Singular)?;
/// let start = layer.sheets(&[0.0; 3], (-1.0, 1.0))?.remove(0);
/// let orbit = layer.reduced_orbit(&start.state, 0.5)?;
/// // All of it is on the attracting sheet, and on the critical manifold.
/// assert!(orbit.points.iter().all(|point| point.stability() == Stability::Attracting));
/// assert!(orbit.points.iter().all(|point| layer.force(&point.state).abs() < 1e-10));
/// # Ok::<(), slipstick_slow_fast::SlowFastError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReducedPoint {
    /// Slow time.
    pub time: f64,
    /// The mode's states; angles run on.
    pub state: Vec<f64>,
    /// `f_y` there.
    pub slope: f64,
    /// Desingularised time since the start of the orbit; infinite at a folded singularity.
    pub(super) sigma: f64,
}

impl ReducedPoint {
    /// The stability of the sheet it lies on.
    pub fn stability(&self) -> Stability {
        Stability::of(self.slope)
    }
}

/// Why an orbit of the reduced flow ends.
///
/// ```
/// use slipstick_slow_fast::{ReducedEnd, Reduction, SlowFastProblem};
/// use slipstick_system::catalogue::regularised_stiction;
/// let system = regularised_stiction();
/// let p = [2.0, 1.1, 0.4, 0.6, 1e-3]; // Ω, μ_s, μ_d, δ, ε
/// let layer = SlowFastProblem::new(&system, &p, Reduction::Singular)?;
/// let end = |x: f64, time: f64| {
///     let start = layer.sheets(&[x, 0.0, 0.0], (-0.6, 0.6))?.remove(0);
///     layer.reduced_orbit(&start.state, time).map(|orbit| orbit.end)
/// };
/// assert_eq!(end(0.1, 0.01)?, ReducedEnd::Time);
/// // With more force in the spring the forcing breaks the mass loose before long.
/// assert_eq!(end(0.2, 3.0)?, ReducedEnd::Fold);
/// # Ok::<(), slipstick_slow_fast::SlowFastError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ReducedEnd {
    /// It reached a fold, where the reduced flow stops and the fast one takes over.
    Fold,
    /// It reached the end of the mode.
    Boundary,
    /// The slow time asked for has passed.
    Time,
    /// It approaches an equilibrium of the desingularised flow.
    Equilibrium,
    /// It runs off to infinity before the slow time asked for has passed.
    Infinity,
    /// Beyond it rounding does not tell it from its neighbours, which part from it.
    Indistinct,
}

/// An orbit of the reduced flow.
///
/// ```
/// use slipstick_slow_fast::{ReducedEnd, Reduction, SlowFastProblem};
/// use slipstick_system::catalogue::regularised_stiction;
/// let system = regularised_stiction();
/// let p = [2.0, 1.1, 0.4, 0.6, 1e-3]; // Ω, μ_s, μ_d, δ, ε
/// let layer = SlowFastProblem::new(&system, &p, Reduction::Singular)?;
/// let start = layer.sheets(&[0.2, 0.0, 0.0], (-0.6, 0.6))?.remove(0);
/// let orbit = layer.reduced_orbit(&start.state, 3.0)?;
/// // In the limit ε → 0 nothing moves in stick but the force: the fold is reached when Ω² x + sin θ = μ_s.
/// let last = orbit.points.last().unwrap();
/// assert!(orbit.end == ReducedEnd::Fold && (last.time - f64::asin(1.1 - 4.0 * 0.2)).abs() < 1e-9);
/// # Ok::<(), slipstick_slow_fast::SlowFastError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ReducedOrbit {
    /// Its points, in the order computed; the last one is on the fold, boundary or time that ended it.
    pub points: Vec<ReducedPoint>,
    /// Why it ends.
    pub end: ReducedEnd,
}

/// The desingularised field with `t' = -f_y` as one more component. It is integrated explicitly, so only values are
/// asked of it; its derivatives would need one order more than functions carry, and are not numbers.
struct Desingularised(Split);

impl Function for Desingularised {
    fn outputs(&self) -> usize {
        self.0.dimension() + 1
    }
    fn value(&self, x: &[f64], p: &[f64], out: &mut [f64]) {
        let n = x.len() - 1;
        out[n] = self.0.desingularised(&x[..n], p, &mut out[..n]);
    }
    fn gradient(&self, _: &[Gradient], _: &[Gradient], out: &mut [Gradient]) {
        out.fill(Gradient::from_f64(f64::NAN));
    }
    fn hessian(&self, _: &[Hessian], _: &[Hessian], out: &mut [Hessian]) {
        out.fill(Hessian::from_f64(f64::NAN));
    }
    fn second(&self, _: &[Second], _: &[Second], out: &mut [Second]) {
        out.fill(Second::from_f64(f64::NAN));
    }
    fn third(&self, _: &[Third], _: &[Third], out: &mut [Third]) {
        out.fill(Third::from_f64(f64::NAN));
    }
    fn affine(&self, _: &[Affine<f64>], _: &[Affine<f64>], out: &mut [Affine<f64>]) {
        for o in out {
            o.exact = false;
        }
    }
    fn affine_gradient(&self, _: &[Affine<Gradient>], _: &[Affine<Gradient>], out: &mut [Affine<Gradient>]) {
        for o in out {
            o.exact = false;
        }
    }
}

/// The desingularised flow as a system of one mode, ready to be advanced.
pub(super) struct ReducedFlow<'a> {
    problem: &'a SlowFastProblem<'a>,
    carrier: System,
}

/// An orbit that has not ended after this many stretches is approaching an equilibrium.
const BUDGET: usize = 400;

impl<'a> ReducedFlow<'a> {
    pub(super) fn new(problem: &'a SlowFastProblem<'a>) -> Self {
        let states = (problem.mode().states.iter()).map(|&s| problem.system().states[s].clone());
        let time = State {
            name: "t".into(),
            period: None,
        };
        let n = problem.dimension() + 1;
        let carrier = System {
            name: format!("{} (desingularised)", problem.system().name),
            about: String::new(),
            states: states.chain([time]).collect(),
            parameters: problem.system().parameters.clone(),
            modes: vec![Mode {
                name: format!("{} (desingularised)", problem.mode().name),
                kind: ModeKind::Free,
                states: (0..n).collect(),
                absent: None,
                field: Arc::new(Desingularised(problem.split().clone())),
                events: vec![],
                inequalities: vec![],
                surfaces: vec![],
                exact: None,
            }],
            symmetry: None,
            observables: vec![],
            monitors: vec![],
            start: Start::new(0, vec![0.0; n]),
            slow_fast: None,
            requirements: vec![],
            units: slipstick_system::Units::default(),
        };
        Self { problem, carrier }
    }
    /// The flow in stretches of the given σ-length.
    fn marcher(&self, stretch: f64) -> Marcher<'_> {
        let options = FlowOptions {
            method: Method::Explicit,
            ..FlowOptions::default()
        };
        Marcher {
            flow: ModeFlow::new(&self.carrier, 0, options),
            parameters: self.problem.reduced_parameters(),
            stretch,
            budget: BUDGET,
        }
    }
    fn point(&self, sigma: f64, z: &[f64]) -> ReducedPoint {
        let n = self.problem.dimension();
        ReducedPoint {
            time: z[n],
            state: z[..n].to_vec(),
            slope: self.problem.local(&z[..n]).gradient[self.problem.fast()],
            sigma,
        }
    }
    fn with_time(point: &ReducedPoint) -> Vec<f64> {
        let mut z = point.state.clone();
        z.push(point.time);
        z
    }
    /// The orbit from `start` in the direction of σ given by `sign`, until it meets a fold or the end of the mode,
    /// or `|t|` exceeds `time`; `scale` is the σ-length of one stretch.
    pub(super) fn march(
        &self,
        start: &ReducedPoint,
        sign: f64,
        scale: f64,
        time: f64,
    ) -> Result<ReducedOrbit, SlowFastError> {
        let problem = self.problem;
        let n = problem.dimension();
        let side = start.slope.signum();
        let ends = [ReducedEnd::Boundary, ReducedEnd::Fold, ReducedEnd::Time];
        // Where the mode ends on a fold, the end is what counts: it comes first.
        let march = self.marcher(sign * scale).march(
            &Self::with_time(start),
            &[
                &|_, z| problem.room(&z[..n]),
                &|_, z| problem.local(&z[..n]).gradient[problem.fast()] * side,
                &|_, z| time - z[n].abs(),
            ],
        )?;
        Ok(ReducedOrbit {
            points: (march.points.iter())
                .map(|at| self.point(start.sigma + at.time, &at.state))
                .collect(),
            end: match march.stopped {
                Some(k) => ends[k],
                None if march.runs_off => ReducedEnd::Infinity,
                None => ReducedEnd::Equilibrium,
            },
        })
    }
    /// The points between neighbouring `points` of an orbit (all on one side of a fold) at which `section` (states,
    /// then slow time) vanishes.
    pub(super) fn crossings(
        &self,
        points: &[ReducedPoint],
        section: &dyn Fn(&[f64]) -> f64,
    ) -> Result<Vec<ReducedPoint>, SlowFastError> {
        /// An end point this close to the section lies on it.
        const ON: f64 = 1e-12;
        let mut found = Vec::new();
        if let Some(first) = points.first().filter(|p| section(&Self::with_time(p)).abs() <= ON) {
            found.push(first.clone());
        }
        for w in points.windows(2) {
            let (a, b) = (Self::with_time(&w[0]), Self::with_time(&w[1]));
            let (va, vb) = (section(&a), section(&b));
            if vb.abs() <= ON {
                found.push(w[1].clone());
            } else if va * vb < 0.0 && va.abs() > ON {
                found.push(self.between(&w[0], &w[1], section)?);
            }
        }
        Ok(found)
    }
    /// The zero of `section` between two neighbouring points of an orbit.
    fn between(
        &self,
        a: &ReducedPoint,
        b: &ReducedPoint,
        section: &dyn Fn(&[f64]) -> f64,
    ) -> Result<ReducedPoint, SlowFastError> {
        let (z, end) = (Self::with_time(a), Self::with_time(b));
        let h = b.sigma - a.sigma;
        if !h.is_finite() {
            // Beside a folded singularity, where the orbit is its own chord to rounding.
            let (va, vb) = (section(&z), section(&end));
            let at: Vec<f64> = z.iter().zip(&end).map(|(a, b)| a + (b - a) * va / (va - vb)).collect();
            return Ok(self.point(f64::INFINITY, &at));
        }
        let path = self.marcher(h).flow.path(&z, h, self.problem.reduced_parameters())?;
        let (s, found) = locate(&path, z.len(), (0.0, h), &|_, z| section(z))?;
        Ok(self.point(a.sigma + s, &found))
    }
}

impl SlowFastProblem<'_> {
    /// The orbit of the reduced flow from a point of the critical manifold, forwards in slow time (`time` > 0) or
    /// backwards, for at most `|time|`.
    ///
    /// The start is first projected onto the manifold along its fast fibre.
    ///
    /// # Errors
    /// When the start is not near a sheet, or the flow fails.
    pub fn reduced_orbit(&self, start: &[f64], time: f64) -> Result<ReducedOrbit, SlowFastError> {
        let on = self.project(start)?;
        let sign = if on.stability() == Stability::Attracting {
            time.signum()
        } else {
            -time.signum()
        };
        let point = ReducedPoint {
            time: 0.0,
            state: on.state,
            slope: on.slope,
            sigma: 0.0,
        };
        let scale = 0.25 * (1.0 / on.slope.abs()).min(time.abs());
        ReducedFlow::new(self).march(&point, sign, scale, time.abs())
    }
}
