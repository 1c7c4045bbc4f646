//! The equations of a cycle of many states: what the tracer asks for.

use super::{Gauge, LargeCycle};
use slipstick_continuation::{Failure, Meshes, ParameterScale, Problem};

/// In the metric of a curve the states count together as one. A single one that changes by itself is not to change by
/// more than this part of its size in one step, where it is not far smaller than the others.
const CHANGE: f64 = 0.2;
const SMALL: f64 = 1e-2;

impl LargeCycle<'_> {
    /// Shift orbits in time as little as possible against `z` from now on.
    pub(super) fn set_gauge(&mut self, z: &[f64]) {
        let (points, sizes) = (z.len() - 2, self.state_sizes(z));
        let p = self.parameters_at(z);
        let field = self.system.modes[self.system.start.mode()].field.as_ref();
        let mut row = vec![0.0; z.len()];
        let mut square = 0.0;
        let mut f = vec![0.0; self.n];
        let shares = self.shares();
        for ((x, row), share) in z[..points]
            .chunks_exact(self.n)
            .zip(row.chunks_exact_mut(self.n))
            .zip(shares)
        {
            field.value(x, &p, &mut f);
            for ((row, f), size) in row.iter_mut().zip(&f).zip(&sizes) {
                *row = share * f / (size * size);
                square += *row * f;
            }
        }
        // A shift by a whole period is one.
        let unit = square * self.period(z);
        if unit > 0.0 && unit.is_finite() {
            row.iter_mut().for_each(|v| *v /= unit);
        }
        self.gauge = Some(Gauge {
            reference: z.to_vec(),
            row,
        });
        self.linear.forget();
    }

    /// Do the factors serve for updates of Newton's method at the last linearisation? Each shrinks by about as much as
    /// the way to where they were made.
    fn is_near_factors(&self) -> bool {
        /// In sizes of the unknowns.
        const NEAR: f64 = 1e-2;
        if self.factorised_at.len() != self.at.len() {
            return false;
        }
        let mut sizes = vec![0.0; self.at.len()];
        self.sizes(&self.at, &mut sizes);
        let pairs = self.at.iter().zip(&self.factorised_at).zip(&sizes);
        pairs.into_iter().all(|((a, b), size)| (a - b).abs() <= NEAR * size)
    }

    /// Take out of a tangent at `z` what only shifts the orbit in time.
    pub(super) fn turn_tangent(&self, z: &[f64], tangent: &mut [f64]) {
        let Some(gauge) = &self.gauge else { return };
        let shift: f64 = gauge.row.iter().zip(&*tangent).map(|(r, t)| r * t).sum();
        self.add_flow(z, -shift, tangent);
    }

    /// Shift the orbit at `z` in time until it satisfies the phase condition.
    fn shift_to_gauge(&self, z: &mut [f64]) {
        let Some(gauge) = &self.gauge else { return };
        let offsets = z.iter().zip(&gauge.reference);
        let shift: f64 = offsets.zip(&gauge.row).map(|((z, r), w)| (z - r) * w).sum();
        let at = z.to_vec();
        self.add_flow(&at, -shift, z);
    }

    /// Add to a change of the unknowns at `z` the flow along the orbit, over this part of the period.
    fn add_flow(&self, z: &[f64], part: f64, change: &mut [f64]) {
        let points = z.len() - 2;
        let p = self.parameters_at(z);
        let field = self.system.modes[self.system.start.mode()].field.as_ref();
        let mut f = vec![0.0; self.n];
        let time = part * self.period(z);
        for (x, c) in z[..points].chunks_exact(self.n).zip(change.chunks_exact_mut(self.n)) {
            field.value(x, &p, &mut f);
            c.iter_mut().zip(&f).for_each(|(c, f)| *c += time * f);
        }
    }

    /// What the functions in the equations that are not defined everywhere depend on, along the orbit.
    pub(super) fn arguments(&self, z: &[f64]) -> Vec<f64> {
        let field = self.system.modes[self.system.start.mode()].field.as_ref();
        let Some(corners) = field.corners() else { return vec![] };
        let (p, sizes) = (self.parameters_at(z), vec![0.0; self.n]);
        let points = z[..z.len() - 2].chunks_exact(self.n);
        let all = points.flat_map(|x| corners.arguments(x, &p, &sizes));
        all.map(|(value, _)| value).collect()
    }

    /// What ends the equations between where the curve set off and `z`, in words.
    fn end_passed(&self, z: &[f64]) -> Option<String> {
        if self.ends.is_empty() {
            return None;
        }
        let corners = self.system.modes[self.system.start.mode()].field.corners()?;
        let count = self.ends.len();
        let now = self.arguments(z);
        let passed = now
            .iter()
            .enumerate()
            .find(|(k, v)| self.ends[k % count] * **v < 0.0)?
            .0
            % count;
        Some(format!(
            "the equations are not defined at the {}: the curve ends there",
            corners.describe(passed)
        ))
    }
}

impl Problem for LargeCycle<'_> {
    fn unknowns(&self) -> usize {
        self.intervals() * self.stride() + 2
    }

    fn free(&self) -> usize {
        1
    }

    fn weights(&self, z: &[f64], weights: &mut [f64]) {
        let (points, sizes) = (z.len() - 2, self.state_sizes(z));
        for (own, share) in weights[..points].chunks_exact_mut(self.n).zip(self.shares()) {
            own.iter_mut()
                .zip(&sizes)
                .for_each(|(w, size)| *w = share / (size * size * self.n as f64));
        }
        weights[points] = self.period(z).powi(-2);
        weights[points + 1] = self.scale.size(z[points + 1]).powi(-2);
    }

    fn sizes(&self, z: &[f64], sizes: &mut [f64]) {
        let points = z.len() - 2;
        let own = self.state_sizes(z);
        sizes[..points]
            .chunks_exact_mut(self.n)
            .for_each(|s| s.copy_from_slice(&own));
        sizes[points] = self.period(z).abs();
        sizes[points + 1] = self.scale.size(z[points + 1]);
    }

    fn longest_step(&self, tangent: &[f64], weights: &[f64]) -> f64 {
        let points = tangent.len() - 2;
        let mut squares = vec![0.0f64; self.n];
        for (t, w) in tangent[..points].chunks_exact(self.n).zip(weights.chunks_exact(self.n)) {
            for (square, (t, w)) in squares.iter_mut().zip(t.iter().zip(w)) {
                *square += t * t * w;
            }
        }
        // Weights are those of the sizes: small states have large ones.
        let least = weights[..self.n].iter().copied().fold(f64::INFINITY, f64::min);
        let counted = squares
            .iter()
            .zip(weights)
            .map(|(square, w)| square * (least / w / SMALL / SMALL).min(1.0));
        CHANGE / (counted.fold(0.0, f64::max) * self.n as f64).sqrt()
    }

    fn set_scales(&mut self, z: &[f64], parameters: &[ParameterScale]) {
        self.scale = parameters.last().copied().unwrap_or_default();
        let corners = self.system.modes[self.system.start.mode()].field.corners();
        self.ends = corners.map_or_else(Vec::new, |_| {
            let count = self.intervals() * self.tableau.stages;
            let all = self.arguments(z);
            all[..all.len() / count.max(1)].to_vec()
        });
    }

    fn linearise(&mut self, z: &[f64], residual: &mut [f64]) -> Result<(), Failure> {
        if !z.iter().all(|v| v.is_finite()) {
            return Err(Failure::Evaluation("an unknown is not finite".into()));
        }
        let points = z.len() - 2;
        let period = self.period(z);
        if !(period > 0.0) {
            return Err(Failure::Evaluation("the period is not positive".into()));
        }
        self.parameters = self.parameters_at(z);
        self.system
            .check_requirements(&self.parameters)
            .map_err(|unmet| Failure::Evaluation(unmet.to_string()))?;
        if self.gauge.is_none() {
            self.set_gauge(z);
        }
        let (n, stride) = (self.n, self.stride());
        let node = |i: usize| match i {
            0 => &z[points - n..points],
            i => &z[i * stride - n..i * stride],
        };
        let field = self.system.modes[self.system.start.mode()].field.as_ref();
        let by = (field, &self.parameters[..], &self.free[..]);
        self.stages
            .evaluate(by, (&self.mesh, period), (&z[..points], &node), &mut residual[..points]);
        self.linear.forget();
        self.at.clear();
        self.at.extend_from_slice(z);
        if !self.is_near_factors() {
            self.stages.forget();
        }
        if let Some(gauge) = &self.gauge {
            let offsets = z[..points].iter().zip(&gauge.reference);
            residual[points] = offsets.zip(&gauge.row).map(|((z, r), w)| (z - r) * w).sum();
        }
        self.linear.left.clear();
        self.linear.left.extend_from_slice(residual);
        if let Some(why) = self.end_passed(z) {
            return Err(Failure::Evaluation(why));
        }
        if residual.iter().all(|r| r.is_finite()) {
            Ok(())
        } else {
            Err(Failure::Evaluation("the equations are not finite here".into()))
        }
    }

    fn reuse_linearisation(&mut self, z: &[f64], _: &mut [f64]) -> Result<(), Failure> {
        self.parameters = self.parameters_at(z);
        Ok(())
    }

    fn renew(&mut self) -> bool {
        let reused = self.stages.are_factorised() && !self.factorised_at.is_empty() && self.factorised_at != self.at;
        self.factorised_at.clear();
        self.stages.forget();
        self.linear.begin_again();
        reused
    }

    fn solve(&mut self, border: &[f64], rhs: &mut [f64]) -> Result<(), Failure> {
        self.solve_bordered(border, rhs)
    }

    fn meshes(&self) -> Option<Meshes> {
        Some(self.meshes.clone())
    }

    fn restore(&mut self, meshes: &Option<Meshes>) {
        // A phase condition left over from another point would shift the orbit.
        self.gauge = None;
        let Some(nodes) = meshes.as_ref().and_then(|meshes| meshes.first()) else {
            return;
        };
        if *nodes != self.mesh {
            self.set_mesh(nodes);
        }
    }

    fn fits(&self, z: &[f64]) -> bool {
        self.mesh_fits(z)
    }

    fn transfer_mesh(&mut self, z: &mut Vec<f64>, companions: &mut [&mut Vec<f64>]) -> bool {
        self.transferred = false;
        let Some(fresh) = self.mesh_wanted(z).filter(|_| self.mesh_fits(z)) else {
            return false;
        };
        for companion in companions.iter_mut() {
            **companion = self.transferred(&fresh, companion);
        }
        self.change_mesh(&fresh, &mut [z]);
        self.transferred = true;
        true
    }

    fn discretisation_error(&self) -> f64 {
        if self.transferred { self.options.tolerance } else { 0.0 }
    }

    fn set_off(&mut self, z: &[f64]) {
        self.set_gauge(z);
    }

    fn normalise(&mut self, companions: &mut [(&mut Vec<f64>, &mut Vec<f64>)]) -> bool {
        for (z, tangent) in companions {
            self.shift_to_gauge(z);
            self.turn_tangent(z, tangent);
        }
        self.gauge.is_some()
    }

    fn accept(&mut self, z: &mut Vec<f64>, tangent: &mut Vec<f64>) -> bool {
        let fresh = self.mesh_wanted(z);
        if let Some(fresh) = &fresh {
            self.change_mesh(fresh, &mut [z, tangent]);
        }
        // Without a change of mesh the point stays a zero: it satisfies the new phase condition itself.
        self.set_gauge(z);
        self.turn_tangent(z, tangent);
        fresh.is_some()
    }
}
