//! The equations of a periodic orbit: what the tracer asks for.

use crate::continuum_constraint::ContinuumConstraint;
use crate::enlarged::enlarged;
use crate::invariant_planes;
use crate::periodic::PeriodicOrbit;
use crate::phase;
use crate::phase_condition::Phase;
use crate::refit;
use crate::resting_at_zero::come_to_rest;
use crate::segment::Segment;
use crate::segment::returning::{MeanRate, is_short};
use crate::segment::scheme::At;
use crate::shooting_intervals;
use crate::sides::Sides;
use crate::sizes;
use crate::subdivision;
use crate::time_jumps;
use slipstick_continuation::{Failure, Meshes, ParameterScale, Problem};
use slipstick_flow::FlowKind;
use slipstick_numerics::linalg::dot;
use slipstick_system::jacobian;

impl PeriodicOrbit<'_> {
    /// Evaluate segments, guards and junctions with their derivatives; the residuals of the meshes are filled in.
    fn evaluate_segments(&mut self, z: &[f64], residual: &mut [f64]) -> Result<(), Failure> {
        let wanted = self.segments.iter().any(|s| s.scheme.wants_sizes());
        let sizes = if wanted { self.sizes_at(z) } else { vec![] };
        let Self {
            system,
            segments,
            parameters,
            free,
            ..
        } = self;
        let mut row = 0;
        let beyond_jumps = time_jumps::beyond_jumps(segments, z);
        let whole: f64 = segments.iter().map(|s| z[s.offset + s.n].abs()).sum();
        for (s, beyond_jump) in segments.iter_mut().zip(beyond_jumps) {
            let u = &z[s.offset..s.offset + s.n];
            let t = z[s.offset + s.n];
            let (n, block) = (s.n, s.block());
            let at = At {
                flow: &s.flow,
                field: system.modes[s.mode].field.as_ref(),
                start: u,
                duration: t,
                block: &z[block.clone()],
                p: parameters,
                free,
                sizes: sizes.get(s.offset..s.offset + n).unwrap_or(&[]),
            };
            let own = &mut residual[row..row + block.len()];
            s.scheme.evaluate(&at, own, &mut s.transition)?;
            if let Some(profile) = s.scheme.profile() {
                let end = profile.node(u, at.block, profile.intervals());
                s.transition.x.clear();
                s.transition.x.extend_from_slice(end);
                s.transition.f.resize(n, 0.0);
                at.field.value(end, parameters, &mut s.transition.f);
            }
            row += block.len() + 1 + s.next.len();
            if let Some(guard) = &s.guard {
                let mut value = [0.0];
                jacobian(
                    guard.as_ref(),
                    &beyond_jump.map_or_else(|| s.transition.x.clone(), |at| at.place(&s.transition.x, parameters)),
                    parameters,
                    free,
                    &mut value,
                    &mut s.guard_dx,
                    &mut s.guard_dp,
                );
                s.guard_value = value[0];
                if s.ends_on_jump.is_some() {
                    // The scalar of a clock may pass zero either way.
                    s.direction = dot(&s.guard_dx, &s.transition.f).signum();
                }
                s.mean_rate = (s.returns && is_short(t, whole)).then(|| {
                    let functions = (guard.as_ref(), at.field);
                    MeanRate::between(functions, (u, &s.transition.x), (t, whole), (parameters, free))
                });
            }
            s.junction.linearise(
                &s.transition.x,
                parameters,
                free,
                &mut s.next,
                &mut s.junction_dx,
                &mut s.junction_dp,
            );
        }
        Ok(())
    }

    /// Newton's method for eigenvectors is regular through impacts without speed, too.
    fn regularise_landings(&mut self, z: &[f64], residual: &[f64]) {
        if self.vectors == 0 || self.segments.iter().all(|s| s.guard.is_none()) {
            return;
        }
        let (count, vectors, sizes) = (self.segments.len(), self.vectors, self.sizes_at(z));
        let mut row = 0;
        for i in 0..count {
            let next = self.segments[(i + 1) % count].offset;
            let s = &mut self.segments[i];
            row += s.block().len() + 1;
            let landed = s.next.len();
            s.junction.regularise(
                vectors,
                &residual[row..row + landed],
                &sizes[next..next + landed],
                &mut s.junction_dx,
                &mut s.junction_dp,
            );
            row += landed;
        }
    }

    /// The residuals of guards, phase conditions and junctions.
    fn fill_coarse_residual(&self, z: &[f64], residual: &mut [f64]) {
        let count = self.segments.len();
        let mut row = 0;
        for (i, s) in self.segments.iter().enumerate() {
            row += s.block().len();
            residual[row] = match &s.phase {
                Phase::Event => s.mean_rate.as_ref().map_or(s.guard_value, |mean| mean.value),
                Phase::Pin { index, value } => z[s.offset + index] - value,
                Phase::Section { reference, normal } => {
                    (0..s.n).map(|a| normal[a] * (z[s.offset + a] - reference[a])).sum()
                }
                Phase::Integral { reference, row } => {
                    z.iter().zip(reference).zip(row).map(|((z, r), w)| w * (z - r)).sum()
                }
            };
            row += 1;
            let next = &self.segments[(i + 1) % count];
            for r in 0..next.n {
                let turns = if i + 1 == count { self.winding[r] } else { 0.0 };
                residual[row] = if self.is_fixed(i, r) {
                    0.0
                } else {
                    s.next[r] - z[next.offset + r] - turns
                };
                row += 1;
            }
        }
    }
}

impl Problem for PeriodicOrbit<'_> {
    fn unknowns(&self) -> usize {
        self.unknowns
    }

    fn free(&self) -> usize {
        self.free.len()
    }

    fn weights(&self, z: &[f64], weights: &mut [f64]) {
        sizes::fill_weights(self, z, weights);
    }

    fn sizes(&self, z: &[f64], sizes: &mut [f64]) {
        sizes::fill_sizes(self, z, sizes);
    }

    /// One parameter alone is measured by the range that it was given before orbits were sought.
    fn set_scales(&mut self, _: &[f64], parameters: &[ParameterScale]) {
        if parameters.len() > 1 {
            let own = self.least_parameters.iter_mut().rev();
            own.zip(parameters.iter().rev())
                .for_each(|(own, scale)| *own = scale.size(0.0));
        }
    }

    fn linearise(&mut self, z: &[f64], residual: &mut [f64]) -> Result<(), Failure> {
        self.take_parameters(z);
        if !z.iter().all(|v| v.is_finite()) {
            return Err(Failure::Evaluation("an unknown is not finite".into()));
        }
        self.system
            .check_requirements(&self.parameters)
            .map_err(|unmet| Failure::Evaluation(unmet.to_string()))?;
        if self.phase_is_stale {
            self.set_phase(z);
        }
        self.evaluate_segments(z, residual)?;
        self.fill_coarse_residual(z, residual);
        self.regularise_landings(z, residual);
        if let Some(constraint) = &self.constraint {
            let off = z[z.len() - 1] - constraint.value;
            for (row, w) in constraint.rows(&self.segments, |s| s.block().len()) {
                residual[row] += off * w;
            }
        }
        self.at.clear();
        self.at.extend_from_slice(z);
        self.assembled = false;
        if residual.iter().all(|r| r.is_finite()) {
            Ok(())
        } else {
            Err(Failure::Evaluation("the equations are not finite here".into()))
        }
    }

    fn amplification(&mut self, border: &[f64]) -> Option<f64> {
        enlarged(self, border)
    }

    fn reuse_linearisation(&mut self, z: &[f64], residual: &mut [f64]) -> Result<(), Failure> {
        if !self.meshed() {
            return self.linearise(z, residual);
        }
        self.take_parameters(z);
        Ok(())
    }

    fn solve(&mut self, border: &[f64], rhs: &mut [f64]) -> Result<(), Failure> {
        let zero = invariant_planes::states_that_stay_zero(self, border, rhs);
        self.solve_without(&zero, border, &[], rhs)
    }

    fn fix_parameter(&mut self, z: &[f64]) -> bool {
        self.release_parameter();
        // Along canards orbits on meshes hardly differ in the parameter either: there continua are looked for only
        // where a motion stays in one of several modes.
        let stays = self.system.modes.len() > 1 && self.segments.len() == 1 && self.system.slow_fast.is_none();
        if self.free.len() != 1 || self.meshed() && !stays {
            return false;
        }
        self.take_parameters(z);
        let sizes = self.sizes_at(z);
        let count = self.segments.len();
        let units = (0..count).flat_map(|k| {
            let next = &self.segments[(k + 1) % count];
            std::iter::once(1.0).chain(sizes[next.offset..next.offset + next.n].iter().copied())
        });
        let (value, size) = (z[z.len() - 1], sizes[sizes.len() - 1]);
        self.constraint = Some(ContinuumConstraint::new(value, size, units));
        true
    }

    fn release_parameter(&mut self) {
        self.constraint = None;
        self.assembled = false;
    }

    fn fixes_parameter(&self) -> bool {
        self.constraint.is_some()
    }

    fn meshes(&self) -> Option<Meshes> {
        self.meshes.clone()
    }

    fn enlarges_errors(&self) -> bool {
        let may_grow = |s: &Segment<'_>| !s.on_mesh() && s.flow.kind(&self.parameters) != FlowKind::ClosedForm;
        self.segments.iter().any(may_grow)
    }

    fn renew(&mut self) -> bool {
        let reused = !self.condensed_at.is_empty() && self.condensed_at != self.at;
        self.condensed_at.clear();
        reused
    }

    fn restore(&mut self, meshes: &Option<Meshes>) {
        // A phase condition left over from another point would shift the orbit.
        self.phase_is_stale = true;
        let Some(nodes) = meshes else { return };
        subdivision::subdivide(self, nodes.len());
        let profiles = self.segments.iter_mut().filter_map(|s| s.scheme.profile_mut());
        for (profile, nodes) in profiles.zip(nodes.iter()) {
            profile.set_mesh(nodes);
        }
        self.lay_out();
    }

    fn fits(&self, z: &[f64]) -> bool {
        refit::meshes_fit(self, z)
    }

    fn transfer_mesh(&mut self, z: &mut Vec<f64>, companions: &mut [&mut Vec<f64>]) -> bool {
        // Other cuts are made where the point is accepted.
        subdivision::cuts_wanted(self, z, None).is_none()
            && refit::meshes_fit(self, z)
            && refit::adapt_meshes(self, z, companions)
    }

    fn discretisation_error(&self) -> f64 {
        refit::mesh_tolerance(self).unwrap_or(0.0)
    }

    fn set_off(&mut self, z: &[f64]) {
        if self.sides != Sides::Given {
            self.release_sides();
        }
        self.set_phase(z);
    }

    fn normalise(&mut self, companions: &mut [(&mut Vec<f64>, &mut Vec<f64>)]) -> bool {
        let entered = invariant_planes::enter(self, companions);
        let at_rest = come_to_rest(self, companions);
        phase::take_over(self, companions) || entered || at_rest
    }

    fn recall(&mut self, z: &[f64], meshes: &Option<Meshes>) {
        sizes::recall_sizes(self, z, meshes);
    }

    fn accept(&mut self, z: &mut Vec<f64>, tangent: &mut Vec<f64>) -> bool {
        // Without a change of mesh the point stays a zero: its own start satisfies the new phase condition.
        let cut = subdivision::cut_in_layers(self, z, tangent) || shooting_intervals::even_intervals(self, z, tangent);
        let adapted = refit::adapt_meshes(self, z, &mut [tangent]);
        sizes::note_sizes(self, z);
        self.set_phase(z);
        phase::turn_tangent(self, z, tangent);
        cut || adapted
    }
}
