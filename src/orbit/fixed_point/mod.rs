//! Equilibria of smooth systems and cycles of maps: orbits that are finitely many points.
//!
//! An equilibrium is a zero of the field, `f(x, p) = 0`. A cycle of k points of a map (a fixed point, if k = 1) is a
//! zero of `f(xᵢ, p) - xᵢ₊₁`, i = 1 … k, where the last point leads back to the first, up to whole turns of the angles.

mod born;
mod boundary;
mod boundary_cycles;
mod boundary_modes;
mod branch_point;
mod coefficients;
mod corner_distance;
mod corner_slopes;
mod corners;
mod crossings;
mod degenerate;
mod filled_surface;
mod guards;
mod half_branches;
mod hopf_test;
mod inspect;
mod large;
mod lengths;
mod locus;
mod locus_coefficient;
mod locus_crossing;
mod locus_ends;
mod locus_explain;
mod locus_inspect;
mod locus_problem;
mod measure;
mod monitors;
mod phases;
mod problem;
mod search;
mod side_sequences;
mod tangent_points;
mod two_fold;
mod volume;
mod walls;

pub use boundary::{BeyondBound, EndsAtBound, beyond_bound, bound_reached};
pub use corners::{Beyond as BeyondCorner, EndsAtCorner, beyond_corner, on_corner};
pub use degenerate::is_degenerate;
pub use filled_surface::{filled_surface, is_in_reach, surface_near};
pub use half_branches::{half_branches, surface_at};
pub use lengths::lengths_of_field;
pub use locus::{PointCondition, PointLocus};
pub use measure::extremes;
pub use phases::{least_cycle, parent_cycle};
pub use search::{PointSearch, border_passed, escapes_to, find_points, is_admissible};
pub use two_fold::{BeyondTwoFold, beyond_two_fold};

pub(crate) use large::spectrum;

use crate::OrbitSample;
use large::Large;
use slipstick_continuation::{Failure, Newton, NewtonOptions, ParameterScale, Problem};
use slipstick_floquet::Neutral;
use slipstick_numerics::linalg::DenseSystem;
use slipstick_numerics::linalg::rotated::{Closing, fixed_vector, solve_rotated};
use slipstick_system::text::OneSided;
use slipstick_system::{ModeKind, System};
use std::sync::{Arc, OnceLock};

/// Sizes of the states and turns of the angles; see [`FixedPoint::save_anchor`].
#[doc(hidden)]
pub struct SavedAnchor {
    origin: Vec<f64>,
    scale: Vec<f64>,
    winding: Vec<f64>,
    one_sided: Sides,
}

/// The sides held at each point.
type Sides = Vec<Arc<OneSided>>;

/// An equilibrium, or a cycle of a map, as equations for its points and the free parameters.
///
/// ```
/// use slipstick_bifurcation::{TraceOptions, Tracer};
/// use slipstick_orbit::FixedPoint;
/// use slipstick_study as study;
/// // The fixed points x = 1 - 1/r of the logistic map lose their stability at r = 3.
/// let text = r#"Study(title: "logistic", system: Map(states: ["x"], parameters: {"r": 2}, equations: ["x+ = r*x*(1 - x)"]))"#;
/// let plan = study::parse("map.ron".as_ref(), text.into())?.plan(&[])?;
/// let mut point = FixedPoint::cycle(&plan.systems[0].system, 0, 1, vec![2.0], vec![0]);
/// let branch = Tracer::new(&mut point, &TraceOptions::over((1.5, 3.5))).from_guess(vec![0.5, 2.0])?;
/// let (_, doubling) = branch.special().find(|(_, at)| at.message.contains("period doubling")).unwrap();
/// assert!((doubling.point.parameter() - 3.0).abs() < 1e-10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct FixedPoint<'s> {
    system: &'s System,
    mode: usize,
    /// Does the mode's field give rates (equilibria) or next states (cycles of a map)?
    rest: bool,
    /// Do the equilibria slide where both fields point away from the surface?
    escaping: bool,
    /// Number of points.
    length: usize,
    /// Number of states.
    n: usize,
    parameters: Vec<f64>,
    free: Vec<usize>,
    /// For each point and state the turns of an angle that the map adds, so that the cycle closes.
    winding: Vec<f64>,
    /// For each state the sign with which a cycle closes: -1 where eigenvectors turn about.
    closing: Vec<f64>,
    /// Where each state counts from: zero, unless it is far away.
    origin: Vec<f64>,
    /// The largest size of each state met so far.
    scale: Vec<f64>,
    /// For each state the length over which the equations change, where that has been measured.
    lengths: Option<Vec<f64>>,
    /// For each state the width of the region that was searched, if there was a search.
    searched: Vec<f64>,
    /// Does the curve come from beyond a corner?
    goes_on: bool,
    /// Are the rows of the derivatives, where it set off, those that it came with?
    keeps_rows: bool,
    /// Of each free parameter.
    parameter_scales: Vec<ParameterScale>,
    /// The length of each row of the derivatives where the curve set off, in scaled unknowns.
    usual_rows: Vec<f64>,
    /// The volume that they span, without the shortest side, where the curve set off.
    usual_volume: f64,
    matrix: DenseSystem,
    /// The sizes of the unknowns at the last linearisation, rounded to powers of two.
    columns: Vec<f64>,
    /// The derivatives of the equations, by rows.
    jacobian: Vec<f64>,
    /// The sides of corners that are held, at each point; empty where there are no corners, or the equations are as
    /// written.
    one_sided: Sides,
    /// Are the equations evaluated with twice the digits, where they can be?
    sharp: bool,
    /// What stays neutral along the curve.
    neutral: Neutral,
    /// The linear algebra of many states, in place of `matrix` and `jacobian`.
    large: Option<Box<Large>>,
    /// The periods of states that are angles, declared or not, once a curve asks whether it is closed.
    turning: OnceLock<Vec<Option<f64>>>,
}

impl<'s> FixedPoint<'s> {
    /// Equilibria of a mode of the system.
    pub fn equilibrium(system: &'s System, mode: usize, parameters: Vec<f64>, free: Vec<usize>) -> Self {
        Self::new(system, mode, true, 1, parameters, free)
    }

    /// The same with the leading eigenvalues only, where [`FixedPoint::is_sparse`]: of more than 2000 states no others
    /// are computed in any case.
    #[must_use]
    pub fn with_leading_eigenvalues(mut self) -> Self {
        if let Some(large) = &mut self.large {
            large.all = false;
        }
        self
    }

    /// Cycles of `length` points of a map.
    pub fn cycle(system: &'s System, mode: usize, length: usize, parameters: Vec<f64>, free: Vec<usize>) -> Self {
        Self::new(system, mode, false, length.max(1), parameters, free)
    }

    fn new(system: &'s System, mode: usize, rest: bool, length: usize, parameters: Vec<f64>, free: Vec<usize>) -> Self {
        let n = system.modes[mode].states.len();
        let sparse = rest && length == 1 && free.len() == 1;
        let large = if sparse { Large::of(system, mode) } else { None };
        let width = n * length + free.len();
        let dense = if large.is_some() { 0 } else { width };
        Self {
            system,
            mode,
            rest,
            escaping: false,
            length,
            n,
            parameters,
            winding: vec![0.0; n * length],
            closing: vec![1.0; n],
            origin: vec![0.0; n],
            scale: vec![0.0; n],
            lengths: None,
            searched: vec![],
            goes_on: false,
            keeps_rows: false,
            parameter_scales: vec![ParameterScale::default(); free.len()],
            usual_rows: vec![0.0; n * length],
            usual_volume: 1.0,
            matrix: DenseSystem::new(dense),
            columns: vec![1.0; width],
            jacobian: vec![0.0; n * length * dense],
            one_sided: vec![],
            sharp: false,
            neutral: Neutral::default(),
            large: large.map(Box::new),
            turning: OnceLock::new(),
            free,
        }
    }

    /// The free parameter is followed over a range from its present value: that tells its size.
    pub fn set_range(&mut self, range: (f64, f64)) {
        let start = self.free.last().map_or(0.0, |&i| self.parameters[i]);
        if let Some(scale) = self.parameter_scales.last_mut() {
            *scale = ParameterScale::over(range, start);
        }
    }

    /// The problem of the same points at other parameters.
    #[must_use]
    pub fn like(&self, parameters: &[f64]) -> Self {
        let mut other = Self {
            parameter_scales: self.parameter_scales.clone(),
            searched: self.searched.clone(),
            escaping: self.escaping,
            ..Self::new(
                self.system,
                self.mode,
                self.rest,
                self.length,
                parameters.to_vec(),
                self.free.clone(),
            )
        };
        if let (Some(own), Some(of_other)) = (&self.large, &mut other.large) {
            of_other.all = own.all;
        }
        other
    }

    /// The problem of the same kind of points in another mode.
    #[must_use]
    pub fn in_mode(&self, mode: usize) -> Self {
        if mode == self.mode {
            return self.like(&self.parameters);
        }
        let (parameters, free) = (self.parameters.clone(), self.free.clone());
        Self {
            parameter_scales: self.parameter_scales.clone(),
            ..Self::new(self.system, mode, self.rest, self.length, parameters, free)
        }
    }

    /// Is each equation of this mode known to see few states, so that there may be very many?
    pub fn is_sparse(system: &System, mode: usize) -> bool {
        Large::is_for(system, mode)
    }

    /// The system.
    pub fn system(&self) -> &'s System {
        self.system
    }
    /// The number of points: 1 for equilibria and fixed points.
    pub fn length(&self) -> usize {
        self.length
    }
    /// Are these equilibria of a flow?
    pub fn is_rest(&self) -> bool {
        self.rest
    }
    /// Are these solutions of equations, without a motion that they could be stable in?
    pub(crate) fn has_no_motion(&self) -> bool {
        self.system.modes[self.mode].kind == ModeKind::Equations
    }
    /// All parameters, the free ones as in the last linearisation.
    pub fn parameters(&self) -> &[f64] {
        &self.parameters
    }
    /// Set a parameter for guesses to come.
    pub fn set_parameter(&mut self, index: usize, value: f64) {
        self.parameters[index] = value;
    }

    /// Unknowns from a first point, iterated if it is a cycle that is looked for.
    pub fn guess(&mut self, x: &[f64]) -> Vec<f64> {
        let mut points = vec![x.to_vec()];
        for i in 1..self.length {
            let mut next = vec![0.0; self.n];
            self.system.modes[self.mode]
                .field
                .value(&points[i - 1], &self.parameters, &mut next);
            points.push(next);
        }
        self.guess_points(&points)
    }

    /// Unknowns from all points of a cycle.
    pub fn guess_points(&mut self, points: &[Vec<f64>]) -> Vec<f64> {
        let mut z = points.concat();
        z.extend(self.free.iter().map(|&i| self.parameters[i]));
        self.anchor(&z);
        z
    }

    /// Fix the sizes of the states, the turns of the angles and the sides of corners as at `z`.
    pub fn anchor(&mut self, z: &[f64]) {
        self.release_sides();
        self.scale.fill(0.0);
        self.remember(z);
        self.take_parameters(z);
        let states = &self.system.modes[self.mode].states;
        let mut y = vec![0.0; self.n];
        for i in 0..self.length {
            let next = (i + 1) % self.length;
            if !self.rest {
                self.system.modes[self.mode]
                    .field
                    .value(self.point(z, i), &self.parameters, &mut y);
            }
            for (c, &s) in states.iter().enumerate() {
                self.winding[i * self.n + c] = match self.system.states[s].period {
                    Some(period) if !self.rest => {
                        let turns = ((y[c] - self.point(z, next)[c]) / period).round();
                        if turns.is_finite() { turns * period } else { 0.0 }
                    }
                    _ => 0.0,
                };
            }
        }
        self.fix_sides(z);
        // With the sides held, beyond which the equations are others.
        if self.lengths.is_none() {
            self.measure_lengths(z);
        }
    }

    /// The sizes of the states and the turns of the angles, to come back to.
    pub fn save_anchor(&self) -> SavedAnchor {
        SavedAnchor {
            origin: self.origin.clone(),
            scale: self.scale.clone(),
            winding: self.winding.clone(),
            one_sided: self.one_sided.clone(),
        }
    }
    /// Come back to sizes and turns.
    pub fn return_to_anchor(&mut self, saved: SavedAnchor) {
        self.origin = saved.origin;
        self.scale = saved.scale;
        self.winding = saved.winding;
        self.one_sided = saved.one_sided;
    }

    fn remember(&mut self, z: &[f64]) {
        for x in z[..self.n * self.length].chunks_exact(self.n) {
            for ((scale, v), origin) in self.scale.iter_mut().zip(x).zip(&self.origin) {
                *scale = scale.max((v - origin).abs());
            }
        }
    }

    /// Point `i` of the cycle.
    pub fn point<'z>(&self, z: &'z [f64], i: usize) -> &'z [f64] {
        &z[i * self.n..(i + 1) * self.n]
    }

    /// The points, for telling orbits apart.
    pub fn points(&self, z: &[f64]) -> Vec<Vec<f64>> {
        (0..self.length).map(|i| self.point(z, i).to_vec()).collect()
    }

    /// Are these the same points, up to the one that is counted first and turns of the angles?
    pub fn match_points(&self, a: &[Vec<f64>], b: &[Vec<f64>], tolerance: f64) -> bool {
        let states = &self.system.modes[self.mode].states;
        let count = a.len();
        count == b.len()
            && (0..count).any(|shift| {
                (0..count).all(|i| {
                    a[i].iter().zip(&b[(i + shift) % count]).enumerate().all(|(c, (x, y))| {
                        let mut difference = x - y;
                        if let Some(period) = self.system.states[states[c]].period {
                            difference -= (difference / period).round() * period;
                        }
                        difference.abs()
                            <= tolerance * self.size_of(c, self.off_origin(c, *x).max(self.off_origin(c, *y)))
                    })
                })
            })
    }

    /// The problem of a cycle gone through twice, with a point and its tangent as unknowns of it.
    pub fn doubled(&self, z: &[f64], tangent: &[f64]) -> (Self, Vec<f64>, Vec<f64>) {
        let mut long = Self::new(
            self.system,
            self.mode,
            self.rest,
            2 * self.length,
            self.parameters.clone(),
            self.free.clone(),
        );
        long.parameter_scales.clone_from(&self.parameter_scales);
        long.searched.clone_from(&self.searched);
        let size = self.n * self.length;
        let twice = |v: &[f64]| [&v[..size], &v[..size], &v[size..]].concat();
        let doubled = twice(z);
        long.anchor(&doubled);
        (long, doubled, twice(tangent))
    }

    /// The points as rows of a table; the time counts iterates.
    pub fn sample(&self, z: &[f64]) -> OrbitSample {
        let mut p = self.parameters.clone();
        for (&i, &v) in self.free.iter().zip(&z[self.n * self.length..]) {
            p[i] = v;
        }
        let mut sample = OrbitSample::default();
        for i in 0..self.length {
            let x = self.point(z, i);
            sample.t.push(i as f64);
            sample.states.push(self.system.full_state(self.mode, x, &p));
            sample.modes.push(self.mode);
            let values = self.system.observables.iter().map(|o| {
                let mut v = [0.0];
                o.by_mode[self.mode].value(x, &p, &mut v);
                v[0]
            });
            sample.observables.push(values.collect());
        }
        sample
    }

    /// Correct a guess that may be far away, at the present parameters.
    ///
    /// # Errors
    /// [`Failure`] with the history of the iteration.
    pub fn corrected(&mut self, mut z: Vec<f64>) -> Result<Vec<f64>, Failure> {
        let options = NewtonOptions {
            tolerance: 1e-10,
            iterations: 60,
            damped: true,
            ..NewtonOptions::default()
        };
        // A start far away may lie on the other side of corners.
        self.release_sides();
        let (n, k) = (z.len(), self.free.len());
        let mut rows = vec![0.0; n * k];
        for i in 0..k {
            rows[i * n + n - k + i] = 1.0;
        }
        let anchor = z.clone();
        if let Err(failure) = Newton::default().solve(self, &mut z, &rows, &anchor, &vec![0.0; k], &options) {
            // At a fold, or where curves meet, what is a solution cannot be corrected.
            if !self.solves(&anchor) {
                return Err(failure);
            }
            z = anchor;
        }
        self.anchor(&z);
        Ok(z)
    }

    /// Are the equations satisfied at `z`, to rounding of what they are made of?
    fn solves(&mut self, z: &[f64]) -> bool {
        const ROUNDING: f64 = 1e-12;
        let width = z.len();
        let mut residual = vec![0.0; self.n * self.length];
        if self.large.is_some() || self.linearise(z, &mut residual).is_err() {
            return false;
        }
        let mut sizes = vec![0.0; width];
        self.sizes(z, &mut sizes);
        // States far away are known to rounding of what they are.
        let made_of: Vec<f64> = sizes.iter().zip(z).map(|(size, v)| size.max(1e-3 * v.abs())).collect();
        residual.iter().zip(self.jacobian.chunks_exact(width)).all(|(r, row)| {
            let size: f64 = row.iter().zip(&made_of).map(|(slope, size)| (slope * size).abs()).sum();
            r.abs() <= ROUNDING * size
        })
    }

    fn take_parameters(&mut self, z: &[f64]) {
        for (&i, &v) in self.free.iter().zip(&z[self.n * self.length..]) {
            self.parameters[i] = v;
        }
    }

    /// Solve for a perturbation at fixed parameters that comes back rotated by an angle.
    fn rotated(&mut self, angle: f64, frequency: f64) -> Result<Vec<f64>, Failure> {
        let (size, k) = (self.n * self.length, self.free.len());
        let width = size + k;
        let mut rows = self.jacobian.clone();
        for i in 0..k {
            rows.extend((0..width).map(|j| if j == size + i { 1.0 } else { 0.0 }));
        }
        let last = size - self.n;
        let closing: Vec<Closing> = (0..self.n).map(|c| (last + c, c, self.closing[c])).collect();
        let mut answer = fixed_vector(width, k, frequency);
        solve_rotated(&rows, &closing, angle, &mut answer)?;
        Ok(answer)
    }
}
