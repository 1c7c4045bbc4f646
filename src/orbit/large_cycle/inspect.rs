//! What a tracer asks of a family of cycles of many states.

use super::LargeCycle;
use super::measure::{described, measure};
use super::vanishing;
use crate::multiplier_tests;
use slipstick_bifurcation::{BranchPoint, Domain, Inspect, Label, Monitor, Record, Recurrence};
use slipstick_continuation::{Failure, Point};
use slipstick_floquet::Neutral;
use slipstick_numerics::stop::{end, unless_stopped};

impl Inspect for LargeCycle<'_> {
    fn parameter_names(&self) -> Vec<String> {
        self.system.parameters.iter().map(|p| p.name.clone()).collect()
    }

    fn free_parameters(&self) -> &[usize] {
        &self.free
    }

    fn monitors(&self) -> Vec<Monitor> {
        Monitor::list(described(self), multiplier_tests::specs(false), vec![])
    }

    fn word(&self) -> String {
        String::new()
    }

    fn inspect(&mut self, point: &Point, record: &mut Record) -> Result<(), Failure> {
        unless_stopped(|| measure(self, point, record)).unwrap_or_else(|| end())
    }

    fn confirm(&self, test: usize, record: &Record) -> bool {
        multiplier_tests::confirm(test, &record.multipliers, Neutral::default())
    }

    fn fold_meaning(&self, parameter: &str) -> String {
        multiplier_tests::fold_meaning(false, parameter)
    }

    fn time_unit(&self) -> f64 {
        self.system.units.time
    }

    fn recurrence(&mut self) -> Option<&mut dyn Recurrence> {
        Some(self)
    }

    fn domain(&self) -> Option<&dyn Domain> {
        Some(self)
    }
}

impl Recurrence for LargeCycle<'_> {
    /// None: a multiplier that has passed the unit circle is confirmed by its residual.
    fn rotation(&self, _: Label, _: &Record) -> Option<f64> {
        None
    }

    fn solve_rotated(&mut self, _: f64, _: f64) -> Result<Vec<f64>, Failure> {
        Err(Failure::Evaluation(
            "perturbations of cycles of many states that come back rotated are not solved for".into(),
        ))
    }

    fn is_same(&mut self, a: &Point, b: &Point) -> bool {
        /// As closely as errors of meshes allow.
        const SAME: f64 = 1e-4;
        let saved = self.saved();
        let [x, y] = [a, b].map(|point| self.fingerprint_on(point));
        self.return_to(saved);
        self.match_fingerprints(&x, &y, SAME)
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
}

impl Domain for LargeCycle<'_> {
    fn requirement_limit(&self, point: &Point, end: f64) -> Option<(f64, String)> {
        let p = self.parameters_at(&point.z);
        let (name, value) = self.system.requirement_limit(&p, self.free[0], end)?;
        Some((value, name.to_owned()))
    }
}
