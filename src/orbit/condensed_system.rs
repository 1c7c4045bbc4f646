//! The condensed linear system of the equations of a periodic orbit.
//!
//! Meshed segments are condensed to relations between their ends, so the matrix that is factorised has as many rows as
//! the orbit has segment starts, ends on meshes, durations and free parameters, however fine the meshes are.

use crate::invariant_planes;
use crate::periodic::PeriodicOrbit;
use crate::phase_condition::Phase;
use crate::segment::Segment;
use crate::segment::scheme::Rows;
use crate::stability;
use crate::units::{multiply, unit_of};
use nalgebra::DMatrix;
use slipstick_continuation::Failure;
use slipstick_numerics::linalg::DenseSystem;
use slipstick_numerics::linalg::rotated::{Closing, fixed_vector, solve_rotated};

/// A condensed system serves as well for points nearer than this, relative to the size of each unknown.
const NEAR: f64 = 1e-6;

impl PeriodicOrbit<'_> {
    /// Condense the meshes where that was last done too far from here, for changes in which `absent` states
    /// stay zero.
    fn condense(&mut self, absent: &[usize]) -> Result<(), Failure> {
        let sizes = self.sizes_at(&self.at);
        let near = self.condensed_at.len() == self.at.len() && self.condensed_without == absent && {
            // What tells a small cycle from the equilibrium inside it is as small as the cycle.
            let near = NEAR * self.relative_extent(&sizes);
            let gaps = self.at.iter().zip(&self.condensed_at).zip(&sizes);
            gaps.into_iter().all(|((a, b), size)| (a - b).abs() <= near * size)
                && self.segments.iter().all(|s| s.scheme.is_condensed_near())
        };
        if near {
            return Ok(());
        }
        self.condensed_at.clear();
        for s in &mut self.segments {
            let units: Vec<f64> = sizes[s.offset..s.offset + s.n]
                .iter()
                .map(|size| unit_of(*size))
                .collect();
            s.scheme.condense(&units, absent)?;
        }
        self.lay_out_coarse();
        self.units.clear();
        for s in &self.segments {
            let (states, duration) = (&sizes[s.offset..s.offset + s.n], sizes[s.offset + s.n]);
            let left = s.scheme.units_left().unwrap_or_else(|| {
                let of_each = states.iter().cycle().take(s.coarse_unknowns() - 1);
                of_each.map(|size| unit_of(*size)).collect()
            });
            self.units.extend_from_slice(&left[..s.n]);
            self.units.push(unit_of(duration));
            self.units.extend_from_slice(&left[s.n..]);
        }
        let parameters = &sizes[sizes.len() - self.free.len()..];
        self.units.extend(parameters.iter().map(|size| unit_of(*size)));
        self.condensed_at.extend_from_slice(&self.at);
        self.condensed_without = absent.to_vec();
        Ok(())
    }

    /// How far the orbit extends, at most one: that of the state that varies most, as a part of its size.
    fn relative_extent(&self, sizes: &[f64]) -> f64 {
        let extent = |s: &Segment, i: usize| {
            let (low, high) = s.nodes().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| {
                let x = self.at[at + i];
                (x.min(low), x.max(high))
            });
            (high - low) / sizes[s.offset + i]
        };
        let of = |s: &Segment| (0..s.n).map(|i| extent(s, i)).fold(0.0f64, f64::max);
        self.segments.iter().map(of).fold(0.0f64, f64::max).min(1.0)
    }

    /// A row over all unknowns as one over the condensed ones, after the meshes were reduced; the constant that it
    /// loses to its right-hand side.
    fn condense_row(&self, full: &[f64], condensed: &mut [f64]) -> f64 {
        let k = self.free.len();
        let parameters = condensed.len() - k;
        condensed.fill(0.0);
        condensed[parameters..].copy_from_slice(&full[self.unknowns - k..]);
        let mut constant = 0.0;
        for s in &self.segments {
            let at = s.coarse;
            for c in 0..=s.n {
                condensed[at + c] += full[s.offset + c];
            }
            if !s.on_mesh() {
                continue;
            }
            let mut nodes = vec![0.0; s.coarse_unknowns() - 1];
            let mut shared = vec![0.0; 1 + k];
            constant += s.scheme.condense_row(&full[s.block()], &mut nodes, &mut shared);
            for (c, v) in nodes.iter().enumerate() {
                condensed[at + c + usize::from(c >= s.n)] += v;
            }
            condensed[at + s.n] += shared[0];
            for c in 0..k {
                condensed[parameters + c] += self.of_parameters(shared[1 + c]);
            }
        }
        constant
    }

    /// What meshes respond with to a change of a parameter: nothing where another unknown stands in its place.
    fn of_parameters(&self, change: f64) -> f64 {
        if self.constraint.is_some() { 0.0 } else { change }
    }

    /// The rows of the condensed system, without borders.
    fn assemble(&mut self) {
        let k = self.free.len();
        self.jacobian.fill(0.0);
        let width = self.matrix.len();
        let parameters = width - k;
        let count = self.segments.len();
        let mut line = 0;
        for (i, s) in self.segments.iter().enumerate() {
            let (n, at, duration) = (s.n, s.coarse, s.coarse + s.n);
            s.scheme.relations(&mut Rows {
                jacobian: &mut self.jacobian[line * width..],
                width,
                start: at,
                duration,
                parameters,
            });
            line += (s.scheme.states_left() - 1) * n;
            let at_end = s.coarse_end();
            // A row of derivatives with respect to the segment's end, as one over the condensed unknowns.
            let chain = |j: &mut [f64], end: &[f64], dp: &[f64]| {
                if s.on_mesh() {
                    for (a, v) in end.iter().enumerate() {
                        j[at_end + a] += v;
                    }
                    for (c, v) in dp.iter().enumerate() {
                        j[parameters + c] += v;
                    }
                    return;
                }
                for c in 0..n {
                    j[at + c] += (0..n).map(|a| end[a] * s.transition.dx[a * n + c]).sum::<f64>();
                }
                j[duration] += (0..n).map(|a| end[a] * s.transition.f[a]).sum::<f64>();
                for c in 0..k {
                    j[parameters + c] += dp[c] + (0..n).map(|a| end[a] * s.transition.dp[a * k + c]).sum::<f64>();
                }
            };
            let j = &mut self.jacobian[line * width..(line + 1) * width];
            match &s.phase {
                Phase::Event => match &s.mean_rate {
                    Some(mean) => {
                        chain(j, &mean.by_end, &mean.by_parameters);
                        j[at..at + n].iter_mut().zip(&mean.by_start).for_each(|(j, v)| *j += v);
                        j[duration] += mean.by_duration;
                    }
                    None => chain(j, &s.guard_dx, &s.guard_dp),
                },
                Phase::Pin { index, .. } => j[at + index] = 1.0,
                Phase::Section { normal, .. } => j[at..at + n].copy_from_slice(normal),
                // Condensed with each right-hand side.
                Phase::Integral { .. } => {}
            }
            line += 1;
            let next = &self.segments[(i + 1) % count];
            for r in 0..next.n {
                let fixed = self.is_fixed(i, r);
                let j = &mut self.jacobian[line * width..(line + 1) * width];
                if !fixed {
                    chain(
                        j,
                        &s.junction_dx[r * n..(r + 1) * n],
                        &s.junction_dp[r * k..(r + 1) * k],
                    );
                }
                j[next.coarse + r] -= 1.0;
                line += 1;
            }
        }
        if let Some(constraint) = &self.constraint {
            // What is within meshes does not change with the unknown in the parameter's place.
            self.jacobian
                .chunks_exact_mut(width)
                .for_each(|row| row[width - 1] = 0.0);
            for (line, w) in constraint.rows(&self.segments, |s| (s.scheme.states_left() - 1) * s.n) {
                self.jacobian[(line + 1) * width - 1] = w;
            }
        }
        self.assembled = true;
    }

    /// [`slipstick_continuation::Problem::solve`], or the same with more unknowns, the last ones, and as many more
    /// border rows: `columns` holds the factors of those unknowns in the condensed equations, one column after the
    /// other.
    pub(crate) fn solve_beside(&mut self, border: &[f64], columns: &[f64], rhs: &mut [f64]) -> Result<(), Failure> {
        self.solve_without(&[], border, columns, rhs)
    }

    /// The same for a solution in which the states that are `absent` stay zero.
    pub(crate) fn solve_without(
        &mut self,
        absent: &[usize],
        border: &[f64],
        columns: &[f64],
        rhs: &mut [f64],
    ) -> Result<(), Failure> {
        self.condense(absent)?;
        if !self.assembled {
            self.assemble();
        }
        let width = self.matrix.len();
        let k = self.free.len();
        let parameters = width - k;
        let total = width + columns.len() / parameters;
        let mut larger = (total > width).then(|| DenseSystem::new(total));
        let mut set_row = |own: &mut DenseSystem, units: &[f64], i: usize, row: &mut [f64]| {
            multiply(&mut row[..width], units);
            larger.as_mut().unwrap_or(own).set_row(i, row);
        };
        let mut condensed = vec![0.0; total];
        for (i, row) in self.jacobian.chunks_exact(width).enumerate() {
            condensed[..width].copy_from_slice(row);
            let factors = columns.chunks_exact(parameters).map(|column| column[i]);
            condensed[width..]
                .iter_mut()
                .zip(factors)
                .for_each(|(v, factor)| *v = factor);
            set_row(&mut self.matrix, &self.units, i, &mut condensed);
        }
        condensed[width..].fill(0.0);
        let mut coarse = vec![0.0; total];
        let (mut row, mut line) = (0, 0);
        for s in &mut self.segments {
            let block = s.block().len();
            if s.on_mesh() {
                let rho = s.scheme.reduce(&rhs[row..row + block]);
                coarse[line..line + rho.len()].copy_from_slice(&rho);
                row += block;
                line += rho.len();
            }
            for _ in 0..=s.next.len() {
                coarse[line] = rhs[row];
                row += 1;
                line += 1;
            }
        }
        // The integral phase condition stands after the relation between the ends of the first segment.
        if let Some(first) = self.segments.first()
            && let Phase::Integral { row, .. } = &first.phase
        {
            let line = first.coarse_unknowns() - 1 - first.n;
            coarse[line] -= self.condense_row(row, &mut condensed[..width]);
            set_row(&mut self.matrix, &self.units, line, &mut condensed);
        }
        for (b, full) in border.chunks_exact(self.unknowns).enumerate() {
            let constant = self.condense_row(full, &mut condensed[..width]);
            set_row(&mut self.matrix, &self.units, parameters + b, &mut condensed);
            coarse[parameters + b] = rhs[self.unknowns - k + b] - constant;
        }
        let matrix = larger.as_mut().unwrap_or(&mut self.matrix);
        matrix.factorise()?;
        matrix.solve(&mut coarse)?;
        multiply(&mut coarse[..width], &self.units);
        for s in &self.segments {
            let at = s.coarse;
            rhs[s.offset..=s.offset + s.n].copy_from_slice(&coarse[at..=at + s.n]);
            if !s.on_mesh() {
                continue;
            }
            let mut shared = vec![coarse[at + s.n]];
            shared.extend(
                coarse[parameters..width]
                    .iter()
                    .map(|change| self.of_parameters(*change)),
            );
            let mut nodes = coarse[at..at + s.coarse_unknowns()].to_vec();
            nodes.remove(s.n);
            s.scheme.expand(&nodes, &shared, &mut rhs[s.block()]);
        }
        let n = self.unknowns;
        rhs[n - k..n + total - width].copy_from_slice(&coarse[parameters..]);
        absent.iter().for_each(|&c| invariant_planes::clear(self, rhs, c));
        Ok(())
    }

    /// The condensed equations at the last linearisation, by rows, each unknown in its unit.
    pub(crate) fn condensed_equations(&mut self) -> Result<DMatrix<f64>, Failure> {
        self.condense(&[])?;
        if !self.assembled {
            self.assemble();
        }
        let width = self.matrix.len();
        let mut rows = self.jacobian.clone();
        for s in self.segments.iter_mut().filter(|s| s.on_mesh()) {
            let block = s.block().len();
            s.scheme.reduce(&vec![0.0; block]);
        }
        if let Some(first) = self.segments.first()
            && let Phase::Integral { row, .. } = &first.phase
        {
            let line = first.coarse_unknowns() - 1 - first.n;
            self.condense_row(row, &mut rows[line * width..(line + 1) * width]);
        }
        rows.chunks_exact_mut(width).for_each(|row| multiply(row, &self.units));
        Ok(DMatrix::from_row_slice(rows.len() / width, width, &rows))
    }

    /// Solve for a perturbation at fixed parameters that comes back rotated by an angle; of the answer, parts inside of
    /// meshes stay zero.
    pub(crate) fn rotated(&mut self, angle: f64, frequency: f64) -> Result<Vec<f64>, Failure> {
        self.condense(&[])?;
        // An integral does not see the shift in phase that comes back rotated: here the start is held on a plane across
        // the flow instead.
        let plane = self.segments.first().map_or_else(Vec::new, |first| {
            let start = &self.at[first.offset..first.offset + first.n];
            let mut flow = vec![0.0; first.n];
            let field = &self.system.modes[first.mode].field;
            field.value(start, &self.parameters, &mut flow);
            let length = flow.iter().map(|f| f * f).sum::<f64>().sqrt();
            flow.iter().map(|f| f / length).collect()
        });
        let integral = self.segments.first_mut().and_then(|first| {
            let section = Phase::Section {
                reference: vec![],
                normal: plane,
            };
            matches!(first.phase, Phase::Integral { .. }).then(|| std::mem::replace(&mut first.phase, section))
        });
        self.assemble();
        self.assembled = false;
        if let (Some(integral), Some(first)) = (integral, self.segments.first_mut()) {
            first.phase = integral;
        }
        let (k, width) = (self.free.len(), self.matrix.len());
        let mut rows = self.jacobian.clone();
        let mut line = 0;
        for s in &self.segments {
            let own = (s.scheme.states_left() - 1) * s.n;
            rows[line * width..(line + own) * width].fill(0.0);
            let mut relations = Rows {
                jacobian: &mut rows[line * width..],
                width,
                start: s.coarse,
                duration: s.coarse + s.n,
                parameters: width - k,
            };
            s.scheme
                .transport(&stability::along(self, s, &self.at, None), &mut relations)?;
            line += own + 1 + s.next.len();
        }
        for i in 0..k {
            rows.extend((0..width).map(|j| if j == width - k + i { 1.0 } else { 0.0 }));
        }
        // The last rows say that the image of the orbit's end is its start.
        let states = self.segments.first().map_or(0, |first| first.n);
        let closing: Vec<Closing> = (0..states).map(|c| (width - k - states + c, c, 1.0)).collect();
        // Only these are disturbed, in units of the states: an orbit that meets an event off by as much as a state is
        // large would need stretching where modes measure a state in other units, whatever the angle.
        let sizes = self.sizes_at(&self.at);
        let mut coarse = fixed_vector(width, k, frequency);
        for part in coarse.chunks_exact_mut(width) {
            let (others, own) = part.split_at_mut(width - k - states);
            others.fill(0.0);
            own.iter_mut().zip(&sizes[..states]).for_each(|(v, size)| *v *= size);
        }
        solve_rotated(&rows, &closing, angle, &mut coarse)?;
        let mut answer = vec![0.0; 2 * self.unknowns];
        for (part, own) in coarse.chunks_exact(width).enumerate() {
            for s in &self.segments {
                let to = part * self.unknowns + s.offset;
                answer[to..=to + s.n].copy_from_slice(&own[s.coarse..=s.coarse + s.n]);
            }
        }
        Ok(answer)
    }
}
