//! Two-parameter curves of branch points of equilibria and of points of maps.
//!
//! Where families cross, the derivatives by the states and along any direction in the plane of both parameters have a
//! null space of two dimensions, as long as this direction is not that of the curve itself
//! (see [`Closure::NullSpace`]). The direction is the one across the curve at its start. The derivatives by the states
//! alone may have a second null vector on the way, where one of the families turns back in the parameters.

use super::locus::PointLocus;
use crate::null_space::{Component, NullSpace};
use nalgebra::DMatrix;
use slipstick_bifurcation::{BranchPoint, Record};
use slipstick_continuation::{Failure, Point, Problem};
use slipstick_system::Closure;

/// A point that moves by more than this when the direction is changed, in sizes, is another one.
const SAME: f64 = 1e-6;

/// A singular value below this part of the largest vanishes, where several eigenvalues do.
const VANISHES: f64 = 1e-8;

/// Are several eigenvalues zero, or several multipliers +1?
fn several_pass(record: &Record) -> bool {
    /// Relative to the scale of each.
    const ZERO: f64 = 1e-6;
    let zero = record
        .scaled_eigenvalues()
        .filter(|(v, scale)| v.norm() <= ZERO * scale);
    zero.count() > 1 || record.multipliers.iter().filter(|m| m.is_nearly_one()).count() > 1
}

impl PointLocus<'_> {
    /// The components of the vectors of a crossing in the unknowns `z`, those of their rates last; none along other
    /// curves.
    pub(super) fn crossing_components(&self, z: &[f64]) -> Option<Vec<Component>> {
        let Some(Closure::NullSpace { .. }) = self.closure else {
            return None;
        };
        let n = self.plain.n;
        let sizes = self.plain_sizes(z);
        let states = self.vector_places().into_iter().enumerate();
        let states = states.map(|(i, (first, further))| Component {
            first,
            second: first + further,
            size: sizes[i / n * n + i % n],
        });
        let rates = Component {
            first: z.len() - 4,
            second: z.len() - 3,
            size: 1.0,
        };
        Some(states.chain([rates]).collect())
    }

    /// The conditions on these vectors for the points that follow the one with the unknowns `z`.
    pub(super) fn null_space(&self, z: &[f64]) -> Option<NullSpace> {
        let components = self.crossing_components(z)?;
        Some(NullSpace::at(z, components, vec![]))
    }

    /// What unfolds the crossing.
    pub(super) fn unfolding(&self, z: &[f64]) -> f64 {
        z[z.len() - 5]
    }

    fn plain_sizes(&self, z: &[f64]) -> Vec<f64> {
        let plain = self.plain_unknowns(z);
        let mut sizes = vec![0.0; plain.len()];
        self.plain.sizes(&plain, &mut sizes);
        sizes
    }

    /// The first point, corrected from the points and parameters in `plain`: of the direction of one of the
    /// `parameters` first, then of that across the curve.
    pub(super) fn begin_crossing(
        &mut self,
        plain: &[f64],
        at: &BranchPoint,
        parameters: [usize; 2],
    ) -> Result<Point, Failure> {
        self.set_direction(plain, [1.0, 0.0], parameters);
        let mut own = [1.0, 0.0];
        let found = self.begin_at(plain, at).or_else(|first| {
            own = [0.0, 1.0];
            self.set_direction(plain, own, parameters);
            self.begin_at(plain, at).map_err(|_| first)
        })?;
        let start = self.plain_unknowns(&found.z);
        let sizes = self.plain_sizes(&found.z);
        let tangent = self.plain_unknowns(&found.tangent);
        let along = self.columns(parameters).map(|k| tangent[k] / sizes[k]);
        let length = along[0].hypot(along[1]);
        if length > 0.0 {
            self.set_direction(&start, [-along[1] / length, along[0] / length], parameters);
            if let Ok(turned) = self.begin_at(&start, at) {
                let there = self.plain_unknowns(&turned.z);
                let moved = there.iter().zip(&start).zip(&sizes);
                if moved.into_iter().all(|((a, b), size)| (a - b).abs() <= SAME * size) {
                    return Ok(turned);
                }
            }
            // Where the crossing does not persist it is one along that parameter alone.
            self.set_direction(&start, own, parameters);
        }
        self.begin_at(&start, at)
    }

    /// The second vector of a crossing, with its rate: of an orthonormal basis of the null space in the sizes of the
    /// unknowns the one that is normal to the first. Of very many states the rate of the family that the start is on.
    ///
    /// # Errors
    /// [`Failure::Evaluation`] where the null space has more dimensions than two.
    pub(super) fn embed_second(&mut self, z: &mut [f64], plain: &[f64], at: &BranchPoint) -> Result<(), Failure> {
        let Some(components) = self.crossing_components(z) else {
            return Ok(());
        };
        let states = self.plain.n * self.plain.length;
        let rate = at.point.parameter_rate();
        let mut second: Vec<f64> = at.point.tangent[..states].to_vec();
        second.push(rate);
        if self.plain.large.is_none()
            && self.plain.linearise(plain, &mut vec![0.0; states]).is_ok()
            && let Some((found, third)) = self.null_vector(z, &components)
        {
            if third <= VANISHES && several_pass(&at.record) {
                let why = "the derivatives have more null vectors than one for each of the two families";
                return Err(Failure::Evaluation(why.into()));
            }
            second = found;
        }
        for (component, value) in components.iter().zip(second) {
            z[component.second] = value;
        }
        Ok(())
    }

    /// The vector of the null space at the last linearisation that is normal to the first one, and the third smallest
    /// singular value as a part of the largest.
    fn null_vector(&self, z: &[f64], components: &[Component]) -> Option<(Vec<f64>, f64)> {
        let states = components.len() - 1;
        let parameters = &self.constrained.problem().parameters;
        let delta = &parameters[parameters.len() - 2..];
        let Some(Closure::NullSpace { parameters }) = self.closure else {
            return None;
        };
        let columns = self.columns(parameters);
        let width = states + 2;
        let mut matrix = DMatrix::zeros(states + 1, states + 1);
        for (i, row) in self.plain.jacobian.chunks_exact(width).enumerate() {
            let size = components[i].size;
            for (j, component) in components[..states].iter().enumerate() {
                matrix[(i, j)] = row[j] * component.size / size;
            }
            matrix[(i, states)] = (delta[0] * row[columns[0]] + delta[1] * row[columns[1]]) / size;
        }
        if !matrix.iter().all(|v| v.is_finite()) {
            return None;
        }
        let svd = matrix.svd(false, true);
        let largest = svd.singular_values.max();
        let third = states.checked_sub(2).map_or(1.0, |i| svd.singular_values[i] / largest);
        let right = svd.v_t?;
        let basis = [states - 1, states].map(|i| right.row(i));
        let along = basis.map(|b| {
            let scaled = components.iter().enumerate().map(|(i, c)| b[i] * z[c.first] / c.size);
            scaled.sum::<f64>()
        });
        let second = components
            .iter()
            .enumerate()
            .map(|(i, c)| (along[1] * basis[0][i] - along[0] * basis[1][i]) * c.size);
        Some((second.collect(), third))
    }

    /// Where both parameters are among the unknowns of the points.
    fn columns(&self, parameters: [usize; 2]) -> [usize; 2] {
        let states = self.plain.n * self.plain.length;
        parameters.map(|p| states + usize::from(self.plain.free.first() != Some(&p)))
    }

    /// Take the derivatives along this direction, whose components are in the sizes of both parameters. It is made as
    /// long that they are as large as those by the states.
    fn set_direction(&mut self, plain: &[f64], direction: [f64; 2], parameters: [usize; 2]) {
        /// Where they are less than this part of them they are rounding.
        const NONE: f64 = 1e-10;
        let mut sizes = vec![0.0; plain.len()];
        self.plain.sizes(plain, &mut sizes);
        let states = self.plain.n * self.plain.length;
        let columns = self.columns(parameters);
        let mut direction = [0, 1].map(|k| direction[k] * sizes[columns[k]]);
        let width = plain.len();
        let known = self.plain.large.is_none() && self.plain.linearise(plain, &mut vec![0.0; states]).is_ok();
        if known {
            let (mut by_states, mut along) = (0.0f64, 0.0f64);
            for (row, size) in self.plain.jacobian.chunks_exact(width).zip(&sizes) {
                let own = row[..states].iter().zip(&sizes).map(|(v, s)| (v * s / size).abs());
                by_states = own.fold(by_states, f64::max);
                let rate = direction[0] * row[columns[0]] + direction[1] * row[columns[1]];
                along = along.max((rate / size).abs());
            }
            if along > NONE * by_states && by_states > NONE * along {
                direction = direction.map(|v| v * by_states / along);
            }
        }
        let problem = self.constrained.problem_mut();
        let first = problem.parameters.len() - direction.len();
        problem.parameters[first..].copy_from_slice(&direction);
    }
}
