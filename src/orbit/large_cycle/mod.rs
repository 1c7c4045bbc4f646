//! Periodic orbits of smooth systems of many states, each equation of which sees few of them.
//!
//! On each interval of a mesh the orbit is a polynomial that satisfies the equations at the points of Radau, the last
//! of which is the end of the interval. (At those of Gauss what decays fast within an interval would not decay at all:
//! of the diffusion on a fine grid a perturbation would come back with a multiplier near ±1 for each of its modes.) The
//! equations of an interval are linearised with sparse factors ([`stages`]), perturbations are transported through one
//! interval after the other ([`linear`]), and the condition that they close is solved by a Krylov method, which needs
//! as many steps as multipliers are not small: the Newton–Picard idea with the subspace found by the method itself. So
//! time and memory grow like the number of states.
//!
//! References: K. Lust, D. Roose, A. Spence and A. R. Champneys, *An adaptive Newton–Picard algorithm with subspace
//! iteration for computing periodic solutions*, SIAM J. Sci. Comput. 19 (1998) 1188–1209; E. Hairer and G. Wanner,
//! *Solving Ordinary Differential Equations II*, 2nd ed., Springer (1996), ch. IV.5.

mod hopf;
mod inspect;
mod linear;
mod measure;
mod mesh;
mod problem;
mod profile;
mod rest;
mod sample;
mod spectrum;
mod stages;
mod transport;
mod vanishing;

pub use hopf::large_from_hopf;

use crate::fixed_point::FixedPoint;
use crate::segment::MeshOptions;
use crate::word::Word;
use slipstick_continuation::{Failure, Meshes, ParameterScale, Point, Problem};
use slipstick_numerics::tableau::Tableau;
use slipstick_system::System;
use stages::Stages;
use std::sync::Arc;
use transport::Linear;

/// A periodic orbit of a smooth system of many states as equations for its states at the points of a mesh, its period
/// and the free parameter.
///
/// Unknowns: for each interval the states at its points, which are the points of Radau, then the period and the
/// parameter. Where the orbit begins is where the last interval ends.
///
/// ```
/// use slipstick_continuation::{Newton, NewtonOptions, Problem};
/// use slipstick_orbit::{LargeCycle, MeshOptions};
/// use slipstick_study as study;
/// // A ring of fifty oscillators, each of which pulls at its neighbours; together they turn on the circle of radius √a.
/// let n = 50;
/// let (mut states, mut equations) = (vec![], vec![]);
/// for i in 0..n {
///     let (l, r) = ((i + n - 1) % n, (i + 1) % n);
///     states.push(format!("\"x{i}\", \"y{i}\""));
///     equations.push(format!("\"x{i}' = a*x{i} - y{i} - x{i}*(x{i}^2 + y{i}^2) + x{l} - 2*x{i} + x{r}\""));
///     equations.push(format!("\"y{i}' = x{i} + a*y{i} - y{i}*(x{i}^2 + y{i}^2) + y{l} - 2*y{i} + y{r}\""));
/// }
/// let (states, equations) = (states.join(", "), equations.join(", "));
/// let text = format!("Study(title: \"ring\", system: Smooth(states: [{states}], parameters: {{\"a\": 0.5}}, equations: [{equations}]))");
/// let plan = study::parse("ring.ron".as_ref(), text)?.plan(&[])?;
/// let mut cycle = LargeCycle::new(&plan.systems[0].system, vec![0.5], 0, MeshOptions { stages: 4, tolerance: 1e-6, ..MeshOptions::default() })?;
/// let mut z = cycle.guess(6.0, &mut |t, x| {
///     let (sin, cos) = (std::f64::consts::TAU * t / 6.0).sin_cos();
///     x.chunks_exact_mut(2).for_each(|own| own.copy_from_slice(&[0.8 * cos, 0.8 * sin]));
/// });
/// let mut fixed = vec![0.0; z.len()];
/// fixed[z.len() - 1] = 1.0;
/// let anchor = z.clone();
/// Newton::default().solve(&mut cycle, &mut z, &fixed, &anchor, &[0.0], &NewtonOptions::default())?;
/// assert!((cycle.period(&z) - std::f64::consts::TAU).abs() < 1e-7);
/// assert!((cycle.start(&z)[0].hypot(cycle.start(&z)[1]) - 0.5f64.sqrt()).abs() < 1e-7);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct LargeCycle<'s> {
    system: &'s System,
    parameters: Vec<f64>,
    free: [usize; 1],
    /// How many states there are.
    n: usize,
    options: MeshOptions,
    tableau: Tableau,
    /// From 0 to 1, in parts of the period.
    mesh: Vec<f64>,
    meshes: Meshes,
    scale: ParameterScale,
    stages: Stages,
    linear: Linear,
    /// Where the equations were last linearised.
    at: Vec<f64>,
    /// Where they were when the factors were made.
    factorised_at: Vec<f64>,
    gauge: Option<Gauge>,
    /// Has the last point been transferred to another mesh without being corrected there?
    transferred: bool,
    /// On which sides of the places where the equations end the curve set off.
    ends: Vec<f64>,
}

/// The orbit is shifted in time as little as possible against a reference: `∫ ⟨x - reference, reference'⟩ = 0`, in
/// units of the period.
#[derive(Clone)]
struct Gauge {
    reference: Vec<f64>,
    row: Vec<f64>,
}

/// What [`LargeCycle::return_to`] needs: see [`LargeCycle::saved`].
#[derive(Clone)]
#[doc(hidden)]
pub struct SavedGauge {
    meshes: Meshes,
    gauge: Option<Gauge>,
}

/// Intervals of a first mesh.
const FIRST: usize = 20;

impl<'s> LargeCycle<'s> {
    /// Is this the way to compute the cycles of a word: has the system many states, of which each equation sees few,
    /// and is it smooth?
    pub fn is_for(system: &System, word: &Word) -> bool {
        let smooth = word.letters.len() == 1 && word.letters[0].event.is_none() && !word.symmetric;
        let straight = system.states.iter().all(|s| s.period.is_none());
        smooth && straight && FixedPoint::is_sparse(system, word.letters[0].mode)
    }

    /// The problem at these `parameters`, of which the one numbered `free` is an unknown.
    ///
    /// # Errors
    /// [`Failure`] where it is not known which states the equations see, or where they are not smooth.
    pub fn new(system: &'s System, parameters: Vec<f64>, free: usize, options: MeshOptions) -> Result<Self, Failure> {
        let tableau = Tableau::radau(options.stages);
        let mode = &system.modes[system.start.mode()];
        let sparse = FixedPoint::is_sparse(system, system.start.mode());
        let structure = mode.field.structure().filter(|_| sparse).ok_or_else(|| {
            Failure::Evaluation("the cycle has no sparse equations: its system has few states, or corners".into())
        })?;
        let mesh: Vec<f64> = (0..=FIRST).map(|i| i as f64 / FIRST as f64).collect();
        let stages = Stages::new(structure, &tableau);
        Ok(Self {
            n: mode.states.len(),
            meshes: Arc::new(vec![mesh.clone()]),
            system,
            parameters,
            free: [free],
            options,
            tableau,
            mesh,
            scale: ParameterScale::default(),
            stages,
            linear: Linear::default(),
            at: vec![],
            factorised_at: vec![],
            gauge: None,
            transferred: false,
            ends: vec![],
        })
    }

    /// The system.
    pub fn system(&self) -> &'s System {
        self.system
    }
    /// All parameters, the free one as in the last linearisation.
    pub fn parameters(&self) -> &[f64] {
        &self.parameters
    }
    /// Set a parameter for guesses to come.
    pub fn set_parameter(&mut self, index: usize, value: f64) {
        self.parameters[index] = value;
    }
    /// What is asked of the mesh.
    pub fn mesh_options(&self) -> MeshOptions {
        self.options
    }
    /// The same problem at other parameters, on the same mesh.
    pub fn like(&self, parameters: &[f64]) -> Result<Self, Failure> {
        let mut own = Self::new(self.system, parameters.to_vec(), self.free[0], self.options)?;
        own.scale = self.scale;
        own.set_mesh(&self.mesh);
        Ok(own)
    }

    /// The cycle at `point`, passed twice in its period: where it doubles, the branch of twice the period sets off from
    /// there.
    ///
    /// # Errors
    /// As [`LargeCycle::new`].
    pub fn doubled(&self, point: &Point) -> Result<(Self, Point), Failure> {
        let mut long = self.like(&self.parameters_at(&point.z))?;
        let nodes = point
            .meshes
            .as_ref()
            .and_then(|meshes| meshes.first())
            .unwrap_or(&self.mesh);
        let first = nodes.iter().map(|node| 0.5 * node);
        let second = nodes.iter().skip(1).map(|node| 0.5 + 0.5 * node);
        long.set_mesh(&first.chain(second).collect::<Vec<f64>>());
        let twice = |v: &[f64]| {
            let (points, rest) = v.split_at(v.len() - 2);
            [points, points, &[2.0 * rest[0], rest[1]]].concat()
        };
        let (z, mut tangent) = (twice(&point.z), twice(&point.tangent));
        let mut weights = vec![0.0; z.len()];
        long.weights(&z, &mut weights);
        let square: f64 = tangent.iter().zip(&weights).map(|(t, w)| t * t * w).sum();
        tangent.iter_mut().for_each(|t| *t /= square.sqrt());
        let meshes = Some(long.meshes.clone());
        let point = Point {
            z,
            tangent,
            weights,
            meshes,
        };
        Ok((long, point))
    }

    /// The period.
    pub fn period(&self, z: &[f64]) -> f64 {
        z[z.len() - 2]
    }
    /// The states where the orbit begins and ends.
    pub fn start<'z>(&self, z: &'z [f64]) -> &'z [f64] {
        &z[z.len() - 2 - self.n..z.len() - 2]
    }

    /// Unknowns for a trajectory `dense(t, x)` over a period, on a mesh that fits it.
    pub fn guess(&mut self, period: f64, dense: &mut dyn FnMut(f64, &mut [f64])) -> Vec<f64> {
        /// How often the mesh is fitted.
        const ROUNDS: usize = 3;
        let mut z = self.sampled(period, dense);
        for _ in 0..ROUNDS {
            let Some(fresh) = self.mesh_wanted(&z) else { break };
            self.set_mesh(&fresh);
            z = self.sampled(period, dense);
        }
        self.gauge = None;
        z
    }

    fn sampled(&self, period: f64, dense: &mut dyn FnMut(f64, &mut [f64])) -> Vec<f64> {
        let mut z = vec![0.0; self.mesh.len().saturating_sub(1) * self.stride()];
        let m = self.tableau.stages;
        for (k, own) in z.chunks_exact_mut(self.n).enumerate() {
            let (i, j) = (k / m, k % m);
            let width = self.mesh[i + 1] - self.mesh[i];
            dense(period * (self.mesh[i] + width * self.tableau.c[j]), own);
        }
        z.extend([period, self.parameters[self.free[0]]]);
        z
    }

    /// The mesh and the phase at present.
    pub fn saved(&self) -> SavedGauge {
        SavedGauge {
            meshes: self.meshes.clone(),
            gauge: self.gauge.clone(),
        }
    }
    /// Go back to them.
    pub fn return_to(&mut self, saved: SavedGauge) {
        if let Some(nodes) = saved.meshes.first() {
            self.set_mesh(nodes);
        }
        self.gauge = saved.gauge;
    }

    /// Unknowns of an interval.
    fn stride(&self) -> usize {
        self.tableau.stages * self.n
    }
    fn intervals(&self) -> usize {
        self.mesh.len() - 1
    }
    /// The state with which interval `i` begins.
    fn node<'z>(&self, z: &'z [f64], i: usize) -> &'z [f64] {
        match i {
            0 => self.start(z),
            i => &z[i * self.stride() - self.n..i * self.stride()],
        }
    }
    fn set_mesh(&mut self, nodes: &[f64]) {
        self.mesh = nodes.to_vec();
        self.meshes = Arc::new(vec![nodes.to_vec()]);
        self.gauge = None;
        self.at.clear();
        self.factorised_at.clear();
        self.stages.forget();
        self.linear.begin_again();
    }
    /// The part of the period that each point of the mesh stands for.
    fn shares(&self) -> impl Iterator<Item = f64> {
        let widths = self.mesh.windows(2).map(|w| w[1] - w[0]);
        widths.flat_map(|h| self.tableau.b.iter().map(move |b| h * b))
    }
    /// The largest modulus of each state over the orbit, none far smaller than the largest.
    fn state_sizes(&self, z: &[f64]) -> Vec<f64> {
        /// Of the largest.
        const LEAST: f64 = 1e-6;
        let mut sizes = vec![0.0f64; self.n];
        for x in z[..z.len() - 2].chunks_exact(self.n) {
            sizes.iter_mut().zip(x).for_each(|(s, x)| *s = s.max(x.abs()));
        }
        let largest = sizes.iter().copied().fold(0.0, f64::max);
        let least = if largest > 0.0 { LEAST * largest } else { 1.0 };
        sizes.iter_mut().for_each(|s| *s = s.max(least));
        sizes
    }
    /// All parameters with the free one taken from `z`.
    fn parameters_at(&self, z: &[f64]) -> Vec<f64> {
        let mut p = self.parameters.clone();
        p[self.free[0]] = z[z.len() - 1];
        p
    }
}
