//! What a tracer asks of the family that it follows, from the modules that know.

use crate::admissibility;
use crate::beyond_reset_corner::reset_corner_reached;
use crate::branch_point;
use crate::closed_in_one_mode::closed_in_one_mode;
use crate::discontinuity;
use crate::fingerprint::{invariants, match_invariants};
use crate::growth::growth_within;
use crate::half_branches::cycle_half_branches;
use crate::halved;
use crate::limits;
use crate::measure::measure;
use crate::monitors;
use crate::multiplier_tests::{self, NEUTRAL, of_return_map};
use crate::periodic::PeriodicOrbit;
use crate::rest;
use crate::return_map;
use crate::subdivision;
use crate::vanishing;
use crate::vanishing_at_guard::{self, vanishing_at_guard};
use crate::vanishing_starts;
use slipstick_bifurcation::{BranchPoint, Domain, Inspect, Label, Monitor, Record, Recurrence, Rest, rotation};
use slipstick_continuation::{Failure, Point, Problem};
use slipstick_floquet::Neutral;
use slipstick_numerics::stop::{end, unless_stopped};

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
        let scalars = monitors::list(self).into_iter().map(|m| monitors::described(self, m));
        let tests = multiplier_tests::specs(self.word.symmetric);
        Monitor::list(scalars, tests, admissibility::boundaries(self))
    }

    fn word(&self) -> String {
        if self.system.is_hybrid() {
            self.word.describe(self.system)
        } else {
            String::new()
        }
    }

    fn confirm(&self, test: usize, record: &Record) -> bool {
        let multipliers = of_return_map(self.word.symmetric, record);
        multiplier_tests::confirm(test, multipliers, self.neutral)
    }

    fn refine(&mut self, test: usize, point: &Point) -> Option<Vec<f64>> {
        let found = || branch_point::branch_point_near(self, point);
        (test == multiplier_tests::CROSSING).then(found).flatten()
    }

    fn neutral(&self, record: &Record) -> Neutral {
        Neutral::among(of_return_map(self.word.symmetric, record), NEUTRAL)
    }

    fn leave_out_neutral(&mut self, neutral: Neutral) {
        self.neutral = neutral;
    }

    fn time_unit(&self) -> f64 {
        self.system.units.time
    }

    fn explain_touch(&mut self, point: &Point, several: bool) -> Option<String> {
        // A range for which the parameter's own size stands.
        let range = point.weights.last()?.sqrt().recip();
        let found = several.then(|| cycle_half_branches(self, point, range))??;
        Some(found.describe())
    }

    fn explain(&mut self, label: Label, point: &Point, record: &Record) -> Option<String> {
        if label == Label::BP
            && let Some(said) = self.explain_touch(point, true)
        {
            return Some(said);
        }
        let multipliers = of_return_map(self.word.symmetric, record);
        let angle = multiplier_tests::unit_angle(multipliers, self.neutral);
        return_map::explain(self, label, &point.z, angle.filter(|_| label == Label::NS))
    }

    fn boundary_at(&mut self, inequality: usize, point: &Point) -> Option<(Label, String)> {
        discontinuity::met_at_end(self, &point.z, inequality)
    }

    fn explain_boundary(&mut self, inequality: usize, point: &Point) -> Option<String> {
        discontinuity::explain(self, &point.z, inequality)
    }

    fn fold_meaning(&self, parameter: &str) -> String {
        multiplier_tests::fold_meaning(self.word.symmetric, parameter)
    }

    fn inspect(&mut self, point: &Point, record: &mut Record) -> Result<(), Failure> {
        // A point that lies on other meshes than the one before.
        if point.meshes.is_some() && self.meshes != point.meshes {
            self.restore(&point.meshes);
        }
        self.hold_sides(&point.z);
        self.factors = unless_stopped(|| measure(self, point, record)).unwrap_or_else(|| end())?;
        Ok(())
    }
}

impl Recurrence for PeriodicOrbit<'_> {
    fn rotation(&self, label: Label, record: &Record) -> Option<f64> {
        let (others, beside) = self
            .neutral
            .beside_minus_one(of_return_map(self.word.symmetric, record));
        // Where a multiplier stays at -1 these equations are singular all along, and say nothing.
        let says_nothing = matches!(label, Label::SB | Label::PD) && self.neutral.at_minus_one > 0;
        rotation(label, &others, beside.pairs).filter(|_| !says_nothing)
    }

    fn solve_rotated(&mut self, angle: f64, frequency: f64) -> Result<Vec<f64>, Failure> {
        self.rotated(angle, frequency)
    }

    fn may_start_anywhere(&self) -> bool {
        self.segments.len() > 1 && subdivision::may_be_subdivided(self)
    }

    fn is_doubled(&mut self, point: &Point) -> bool {
        halved::is_doubled(self, point)
    }

    fn is_same(&mut self, a: &Point, b: &Point) -> bool {
        /// As closely as errors of meshes allow.
        const SAME: f64 = 1e-4;
        let saved = self.save_phase();
        let [x, y] = [a, b].map(|point| {
            self.restore(&point.meshes);
            invariants(self, &point.z)
        });
        self.return_to_phase(saved);
        match_invariants(self, &x, &y, SAME)
    }

    fn shrinkage(&self, before: &Record, last: &Record) -> Option<f64> {
        vanishing::shrinkage_of(self, before, last)
    }

    fn turned(&self, point: &Point, near: &[f64]) -> Option<Point> {
        // On a mesh the unknowns of one orbit differ by more than turns.
        if self.meshed() {
            return None;
        }
        let mut z = point.z.clone();
        for segment in &self.segments {
            for (i, &state) in self.system.modes[segment.mode].states.iter().enumerate() {
                if let Some(period) = self.system.states[state].period {
                    let k = segment.offset + i;
                    z[k] += ((near[k] - z[k]) / period).round() * period;
                }
            }
        }
        (z != point.z).then(|| Point { z, ..point.clone() })
    }

    fn turned_over(&self, a: (&Point, &Record), b: (&Point, &Record)) -> bool {
        vanishing::is_turned_over(self, a, b) || vanishing_at_guard::is_turned_over(self, a, b)
    }

    fn vanishing_point(&mut self, before: &Record, last: (&Point, &Record)) -> Option<BranchPoint> {
        vanishing::vanishing(self, before, last).or_else(|| vanishing_at_guard(self, before, last))
    }

    fn closed_in_one_mode(&mut self, last: (&Point, &Record)) -> Option<BranchPoint> {
        closed_in_one_mode(self, last)
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
        let growth = growth_within(self, &point.z)?;
        Some(growth + ": `method: Collocation()` follows it on a mesh")
    }

    fn outgrown(&self, point: &Point) -> Option<String> {
        self.has_outgrown(&point.z)
    }

    fn lost_in_rounding(&self, point: &Point) -> Option<String> {
        vanishing_starts::lost_in_rounding(self, &point.z)
    }

    fn edge_near(&self, point: &Point) -> Option<String> {
        limits::edge_touched(self, point)
    }

    fn pole_near(&self, point: &Point) -> Option<String> {
        limits::pole_touched(self, point)
    }

    fn corner_reached(&self, point: &Point) -> Option<usize> {
        reset_corner_reached(self, point)
    }
}
