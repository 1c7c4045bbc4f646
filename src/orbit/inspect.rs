//! What is measured on a periodic orbit: extremes, monitors, admissibility, multipliers.
use crate::angles::straight_states;
use crate::blocked::clearance;
use crate::branch_point;
use crate::dense_output::DenseOutput;
use crate::growth;
use crate::limits;
use crate::monitors::{Extreme, OrbitScalar};
use crate::periodic::PeriodicOrbit;
use crate::plan::Plan;
use crate::refit;
use crate::rest;
use crate::return_map;
use crate::segment::Segment;
use crate::stability;
use crate::subdivision;
use crate::vanishing;
use slipstick_bifurcation::{
    BranchPoint, Domain, InequalitySpec, Inspect, Label, Monitor, Rank, Record, Recurrence, Rest, TestSpec, rotation,
};
use slipstick_continuation::{Failure, Point};
use slipstick_floquet::{
    Multiplier, UnitPair, nearest_unit_pair_beside, neutral_pairs, psi_minus, psi_ns_beside, psi_plus,
};
use slipstick_numerics::stop::{end, unless_stopped};
use slipstick_system::{Function, ModeKind, SharedFunction};
use std::sync::Arc;

/// Inequality values are capped here, so that "never comes near" is a number that root finding can work with.
const FAR: f64 = 1e3;

/// What an inequality is about, in the order in which they are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    /// The duration of a segment.
    Duration(usize),
    /// The rate at which the guard that ends a segment is crossed.
    Rate(usize),
    /// A side condition of the event that ends a segment.
    Condition(usize),
    /// A surface that a segment must stay clear of.
    Clearance(usize, usize),
}

impl Subject {
    /// The segment that it is about.
    fn segment(self) -> usize {
        match self {
            Self::Duration(k) | Self::Rate(k) | Self::Condition(k) | Self::Clearance(k, _) => k,
        }
    }
    /// Is it about the inside of a segment that has no inside, since its duration is held at zero?
    pub(crate) fn lies_in_vanished(self, constraint: Self) -> bool {
        matches!(self, Self::Clearance(..)) && constraint == Self::Duration(self.segment())
    }
}

impl PeriodicOrbit<'_> {
    /// The test functions.
    fn test_functions(&self) -> Vec<TestSpec> {
        let spec = |label, meaning: &str| TestSpec::new(label, meaning);
        // It has the rate of the parameter as a factor.
        let branch_point = TestSpec {
            at_folds: true,
            ..spec(
                Label::BP,
                "branch point: a multiplier is +1 but the curve does not turn back; another branch of orbits of the same kind intersects it",
            )
        };
        if self.word.symmetric {
            vec![
                spec(
                    Label::SB,
                    "symmetry breaking: ν = -1 (so μ = +1); a pair of asymmetric orbits, mirror images of each other, branches off",
                ),
                spec(
                    Label::NS,
                    "Neimark–Sacker: a complex pair ν crosses the unit circle; an invariant torus branches off",
                ),
                branch_point,
            ]
        } else {
            vec![
                spec(
                    Label::PD,
                    "period doubling: a multiplier is -1; an orbit of twice the period branches off",
                ),
                spec(
                    Label::NS,
                    "Neimark–Sacker: a complex pair of multipliers crosses the unit circle; an invariant torus branches off",
                ),
                branch_point,
            ]
        }
    }

    /// The inequalities of admissibility.
    fn boundaries(&self) -> Vec<InequalitySpec> {
        let mut specs = vec![];
        let count = if subdivision::may_be_subdivided(self) {
            1
        } else {
            self.word.letters.len()
        };
        for (k, letter) in self.word.letters.iter().take(count).enumerate() {
            let mode = &self.system.modes[letter.mode];
            let sticks = mode.kind == ModeKind::Stick;
            let at = format!("segment {} (`{}`)", k + 1, mode.name);
            specs.push(InequalitySpec {
                label: Label::VS,
                rank: Rank::Duration,
                meaning: format!("{at} vanishes: its duration shrinks to zero"),
            });
            let mut push = |label, rank, meaning: String| {
                specs.push(InequalitySpec { label, rank, meaning });
            };
            if let Some(e) = letter.event {
                let event = &mode.events[e];
                if sticks {
                    push(
                        Label::VT,
                        Rank::Rate,
                        format!(
                            "{at} reaches `{}` at a visible tangency: beyond it, stick would end earlier",
                            event.name
                        ),
                    );
                } else {
                    push(
                        Label::GR,
                        Rank::Rate,
                        format!(
                            "{at} grazes the surface of `{}` at its end: the rate of the guard is zero",
                            event.name
                        ),
                    );
                }
                for when in &event.when {
                    push(
                        Label::VS,
                        Rank::Other,
                        format!(
                            "at the end of {at} the side condition `{}` of event `{}` reaches its limit: beyond it another segment appears there",
                            when.name, event.name
                        ),
                    );
                }
            }
            for (w, clear_of) in self.plan.clearances[k].iter().enumerate() {
                let name = mode
                    .events
                    .iter()
                    .find(|e| Arc::ptr_eq(&e.guard, &clear_of.function) && -e.direction.sign() == clear_of.sign)
                    .map(|e| format!("`{}`", e.name))
                    .or_else(|| {
                        mode.inequalities
                            .iter()
                            .find(|i| Arc::ptr_eq(&i.function, &clear_of.function))
                            .map(|i| format!("`{}`", i.name))
                    })
                    .unwrap_or_else(|| format!("condition {}", w + 1));
                if sticks {
                    push(
                        Label::OV,
                        Rank::Other,
                        format!("{at}: the force in stick reaches the limit {name} before the end of the segment"),
                    );
                } else {
                    push(
                        Label::GR,
                        Rank::Other,
                        format!("{at} is tangent to {name} before its end"),
                    );
                }
            }
        }
        specs
    }
}

impl Inspect for PeriodicOrbit<'_> {
    fn parameter_names(&self) -> Vec<String> {
        self.system.parameters.iter().map(|p| p.name.clone()).collect()
    }

    fn free_parameters(&self) -> &[usize] {
        &self.free
    }

    fn recurrence(&mut self) -> Option<&mut dyn Recurrence> {
        Some(self)
    }

    fn domain(&self) -> Option<&dyn Domain> {
        Some(self)
    }

    fn monitors(&self) -> Vec<Monitor> {
        let scalars = self.monitor_list().into_iter().map(|m| self.described(m));
        Monitor::list(scalars, self.test_functions(), self.boundaries())
    }

    fn word(&self) -> String {
        if self.system.is_hybrid() {
            self.word.describe(self.system)
        } else {
            String::new()
        }
    }

    fn confirm(&self, test: usize, record: &Record) -> bool {
        /// log₁₀ of a multiplier, and its angle off the axis, that pass for ±1 at a located zero.
        const UNIT: f64 = 1e-4;
        let multipliers = if self.word.symmetric {
            &record.nu
        } else {
            &record.multipliers
        };
        let is = |wanted: f64| {
            multipliers
                .iter()
                .any(|m| m.log10.abs() <= UNIT && (m.arg.abs() - wanted).abs() <= UNIT)
        };
        match test {
            0 => is(std::f64::consts::PI),
            // The test for NS also vanishes at neutral saddles, where nothing bifurcates.
            1 => matches!(
                nearest_unit_pair_beside(multipliers, self.neutral_pairs),
                Some(UnitPair::Conjugate { .. })
            ),
            _ => is(0.0),
        }
    }

    fn refine(&mut self, test: usize, point: &Point) -> Option<Vec<f64>> {
        let of_branch_points = self.test_functions().get(test)?.label == Label::BP;
        of_branch_points
            .then(|| branch_point::branch_point_near(self, point))
            .flatten()
    }

    fn neutral_pairs(&self, record: &Record) -> usize {
        /// What the integration of the variational equation leaves of the product of two multipliers.
        const ROUNDING: f64 = 1e-8;
        let symmetric = self.word.symmetric;
        neutral_pairs(if symmetric { &record.nu } else { &record.multipliers }, ROUNDING)
    }

    fn leave_out_neutral(&mut self, pairs: usize) {
        self.neutral_pairs = pairs;
    }

    fn time_unit(&self) -> f64 {
        self.system.units.time
    }

    fn explain(&mut self, label: Label, point: &Point, record: &Record) -> Option<String> {
        let multipliers = if self.word.symmetric {
            &record.nu
        } else {
            &record.multipliers
        };
        let pair = match nearest_unit_pair_beside(multipliers, self.neutral_pairs) {
            Some(UnitPair::Conjugate { arg }) if label == Label::NS => Some(arg),
            _ => None,
        };
        let torus = pair.map(|arg| {
            format!(
                "; rotation number {:.10} per {}",
                arg / std::f64::consts::TAU,
                if self.word.symmetric { "half period" } else { "period" }
            )
        });
        let criticality = return_map::criticality(self, label, &point.z, pair);
        let said: String = criticality.into_iter().chain(torus).collect();
        (!said.is_empty()).then_some(said)
    }

    fn fold_meaning(&self, parameter: &str) -> String {
        if self.word.symmetric {
            format!("fold of symmetric orbits: the branch turns back in {parameter}; ν = +1")
        } else {
            format!("fold of periodic orbits: the branch turns back in {parameter}; a multiplier is +1")
        }
    }

    fn inspect(&mut self, point: &Point, record: &mut Record) -> Result<(), Failure> {
        let mut plan = std::mem::take(&mut self.plan);
        let outcome = unless_stopped(|| self.measure(&mut plan, point, record));
        self.plan = plan;
        outcome.unwrap_or_else(|| end())
    }
}

impl Recurrence for PeriodicOrbit<'_> {
    fn rotation(&self, label: Label, record: &Record) -> Option<f64> {
        let of_map = if self.word.symmetric {
            &record.nu
        } else {
            &record.multipliers
        };
        rotation(label, of_map, self.neutral_pairs)
    }

    fn solve_rotated(&mut self, angle: f64, frequency: f64) -> Result<Vec<f64>, Failure> {
        self.rotated(angle, frequency)
    }

    fn may_start_anywhere(&self) -> bool {
        self.segments.len() > 1 && subdivision::may_be_subdivided(self)
    }

    fn shrinkage(&self, before: &Record, last: &Record) -> Option<f64> {
        vanishing::shrinkage_of(self, before, last)
    }

    fn turned_over(&self, a: (&Point, &Record), b: (&Point, &Record)) -> bool {
        vanishing::is_turned_over(self, a, b)
    }

    fn vanishing_point(&mut self, before: &Record, last: (&Point, &Record)) -> Option<BranchPoint> {
        vanishing::vanishing(self, before, last)
    }

    fn may_last(&self) -> bool {
        self.lasts()
    }

    fn rest(&mut self, point: &Point) -> Option<Rest> {
        self.lasts().then(|| rest::equilibria_nearby(self, point)).flatten()
    }
}

impl Domain for PeriodicOrbit<'_> {
    fn requirement_limit(&self, point: &Point, end: f64) -> Option<(f64, String)> {
        limits::limit_towards(self, point, end)
    }

    fn digits_lost(&self, point: &Point) -> Option<String> {
        growth::growth_within(self, &point.z)
    }

    fn edge_near(&self, point: &Point) -> Option<String> {
        limits::edge_touched(self, point)
    }
}

impl PeriodicOrbit<'_> {
    /// What each inequality is about.
    pub(crate) fn subjects(&self) -> Vec<Subject> {
        let mut subjects = vec![];
        let count = if subdivision::may_be_subdivided(self) {
            1
        } else {
            self.segments.len()
        };
        for (k, s) in self.segments.iter().take(count).enumerate() {
            subjects.push(Subject::Duration(k));
            if s.guard.is_some() {
                subjects.push(Subject::Rate(k));
                subjects.extend(self.plan.conditions[k].iter().map(|_| Subject::Condition(k)));
            }
            subjects.extend((0..self.plan.clearances[k].len()).map(|w| Subject::Clearance(k, w)));
        }
        subjects
    }

    /// The surface of a clearance, and the sign that its function must keep.
    pub(crate) fn cleared_function(&self, segment: usize, clear_of: usize) -> (&SharedFunction, f64) {
        let clear_of = &self.plan.clearances[segment][clear_of];
        (&clear_of.function, clear_of.sign)
    }

    /// Side condition number `i` of the event that ends segment `k`.
    pub(crate) fn condition(&self, k: usize, i: usize) -> &dyn Function {
        self.plan.conditions[k][i].as_ref()
    }

    /// Surface number `w` that segment `k` must stay clear of: its function, the sign it must keep, and whether the
    /// segment may end on it.
    pub(crate) fn clear_of(&self, k: usize, w: usize) -> (&dyn Function, f64, bool) {
        let clear_of = &self.plan.clearances[k][w];
        (clear_of.function.as_ref(), clear_of.sign, clear_of.ends_here)
    }

    fn measure(&self, plan: &mut Plan, point: &Point, record: &mut Record) -> Result<(), Failure> {
        let z = &point.z;
        record.parameters.clear();
        record.parameters.extend_from_slice(&self.parameters);
        record.period = self.period(z);
        self.measure_segments(plan, z, record)?;
        self.measure_stability(plan, z, point.parameter_rate(), record)?;
        Ok(())
    }

    /// Measure the equilibrium at `point`, a cycle of no extent, all but its stability.
    pub(crate) fn measure_at_rest(&mut self, point: &Point, record: &mut Record) -> Result<(), Failure> {
        self.take_parameters(&point.z);
        record.parameters.clone_from(&self.parameters);
        record.period = self.period(&point.z);
        let mut plan = std::mem::take(&mut self.plan);
        let outcome = self.measure_segments(&mut plan, &point.z, record);
        self.plan = plan;
        self.put(OrbitScalar::Liouville, 0.0, record);
        self.put(OrbitScalar::Error, 0.0, record);
        outcome
    }

    /// Extremes, monitors and inequalities, in one pass over the segments.
    fn measure_segments(&self, plan: &mut Plan, z: &[f64], record: &mut Record) -> Result<(), Failure> {
        let p = &self.parameters;
        record.monitors.clear();
        record.inequalities.clear();
        plan.scratch.clear();
        plan.scratch.resize(2 * plan.extremes.len(), f64::NAN);
        let (mut square, mut length) = (0.0, 0.0);
        let mut dense_outputs = Vec::with_capacity(self.segments.len());
        for (k, s) in self.segments.iter().enumerate() {
            let duration = self.duration(z, k);
            let dense = DenseOutput::new(s, &self.system.modes[s.mode].field, z, p)?;
            for (i, (_, by_mode)) in plan.extremes.iter().enumerate() {
                let (lo, hi) = match &by_mode[s.mode] {
                    Some(f) => dense.extrema(f.as_ref(), p)?,
                    None => (0.0, 0.0),
                };
                plan.scratch[2 * i] = plan.scratch[2 * i].min(lo);
                plan.scratch[2 * i + 1] = plan.scratch[2 * i + 1].max(hi);
            }
            if !self.system.is_hybrid() {
                // Angles have no size: where an orbit starts would show in it.
                let straight = straight_states(self.system, s.mode);
                dense.integrate(s.n, duration, &mut |weight, x| {
                    square += weight * straight.iter().map(|&i| x[i] * x[i]).sum::<f64>();
                });
                length += duration;
            }
            record.inequalities.push(duration);
            if s.guard.is_some() {
                record.inequalities.push(s.rate());
                for when in &plan.conditions[k] {
                    let mut v = [0.0];
                    when.value(&s.transition.x, p, &mut v);
                    record.inequalities.push(v[0]);
                }
            }
            for w in &plan.clearances[k] {
                let surface = (&w.function, w.sign, w.ends_here);
                let least = clearance(&dense, s.n, surface, &w.openings, p, duration)?;
                record.inequalities.push(least.min(FAR));
            }
            dense_outputs.push(dense);
        }
        if subdivision::may_be_subdivided(self) {
            // The parts of a smooth orbit are one segment: it lasts as long as all of them, and must keep clear of what
            // each must.
            let each = record.inequalities.len() / self.segments.len();
            let (whole, parts) = record.inequalities.split_at_mut(each);
            for part in parts.chunks_exact(each) {
                whole[0] += part[0];
                whole[1..].iter_mut().zip(&part[1..]).for_each(|(w, p)| *w = w.min(*p));
            }
            record.inequalities.truncate(each);
        }
        for monitor in self.monitor_list() {
            let value = match monitor {
                OrbitScalar::Extreme(state, kind) => {
                    let (lo, hi) = self.extremes_of(plan, state);
                    match kind {
                        Extreme::Modulus => lo.abs().max(hi.abs()),
                        Extreme::Largest => hi,
                        Extreme::Least => lo,
                    }
                }
                OrbitScalar::Own(i) => self.own_monitor(&plan.own, i, &dense_outputs, z)?,
                OrbitScalar::Norm => (square / length).sqrt(),
                // They are known with the stability.
                OrbitScalar::Liouville | OrbitScalar::Error => f64::NAN,
            };
            record.monitors.push(value);
        }
        Ok(())
    }

    /// The least and the largest value of a state over the period, from those on the segments.
    fn extremes_of(&self, plan: &Plan, state: usize) -> (f64, f64) {
        let found = |state: usize| {
            let i = plan.extremes.iter().position(|(s, _)| *s == state)?;
            Some((plan.scratch[2 * i], plan.scratch[2 * i + 1]))
        };
        let (mut lo, mut hi) = found(state).unwrap_or((f64::NAN, f64::NAN));
        if let Some(symmetry) = self.system.symmetry.as_ref().filter(|_| self.word.symmetric) {
            // The mirrored half takes the mirrored values of the state that it is the image of.
            let source = found(symmetry.source[state]).unwrap_or((lo, hi));
            let image = |v: f64| symmetry.sign[state] * v + symmetry.shift[state];
            let (a, b) = (image(source.0), image(source.1));
            lo = lo.min(a).min(b);
            hi = hi.max(a).max(b);
        }
        (lo, hi)
    }

    /// Multipliers of the orbit and the test functions made of them.
    fn measure_stability(&self, plan: &mut Plan, z: &[f64], rate: f64, record: &mut Record) -> Result<(), Failure> {
        let defect = stability::transition_factors(self, &mut plan.stability, z)?;
        if self.meshed() {
            let defect = defect.abs() * if self.word.symmetric { 2.0 } else { 1.0 };
            self.put(OrbitScalar::Liouville, defect, record);
            let error = refit::mesh_error(self, z);
            self.put(OrbitScalar::Error, error, record);
            let refusals = self.segments.iter().filter_map(Segment::profile);
            if let Some(why) = refusals.filter_map(|p| p.refusal(error)).next() {
                return Err(Failure::Evaluation(why));
            }
        }
        let target = if self.word.symmetric {
            &mut record.nu
        } else {
            &mut record.multipliers
        };
        let family = self.constraint.is_some();
        plan.stability
            .solver
            .multipliers(&plan.stability.chain, target)
            .map_err(|e| Failure::Evaluation(e.to_string()))?;
        if family {
            prune_neutral(target);
        }
        record.tests.clear();
        // A fold changes the sign of both factors of the last test, a branch point only that of the first.
        record.tests.extend([
            psi_minus(target),
            psi_ns_beside(target, self.neutral_pairs),
            psi_plus(target) * rate,
        ]);
        if self.word.symmetric {
            record.multipliers.clear();
            record.multipliers.extend(record.nu.iter().map(|m| m.squared()));
        }
        record.unstable = Multiplier::count_unstable(&record.multipliers);
        Ok(())
    }
}

/// Along a family at one value of the parameter a multiplier is +1 exactly; what it is off is rounding.
fn prune_neutral(multipliers: &mut [Multiplier]) {
    let distance = |m: &Multiplier| m.log10.hypot(m.arg);
    if let Some(m) = multipliers
        .iter_mut()
        .min_by(|a, b| distance(a).total_cmp(&distance(b)))
    {
        (m.log10, m.arg) = (0.0, 0.0);
    }
}
