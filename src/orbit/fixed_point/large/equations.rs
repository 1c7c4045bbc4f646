//! The equations of [`FixedPoint`] of many states, and where they end.

use super::super::FixedPoint;
use super::crossing;

impl FixedPoint<'_> {
    /// The equations at `z` with their derivatives, of many states.
    pub(in super::super) fn evaluate_large(&mut self, z: &[f64], residual: &mut [f64]) {
        self.take_parameters(z);
        let field = self.system.modes[self.mode].field.as_ref();
        let Some(large) = &mut self.large else { return };
        large.evaluate(field, &self.parameters, &self.free, z, residual);
    }

    /// The rows of the derivatives where the curve sets off from `z`, and what the test for branch points is measured
    /// by.
    pub(in super::super) fn measure_large(&mut self, sizes: &[f64]) {
        let columns = self.columns.clone();
        let Some(large) = &mut self.large else { return };
        self.usual_rows = large.row_lengths(sizes);
        let mut border = vec![0.0; large.n + 1];
        border[large.n] = 1.0;
        large.usual = 1.0;
        let size = crossing::enlargement(large, &border, (&columns, sizes), &self.usual_rows);
        large.usual = size.filter(|v| v.is_normal()).unwrap_or(1.0);
    }

    /// Note on which side of the places where the equations end `z` lies.
    pub(in super::super) fn note_large_ends(&mut self, z: &[f64]) {
        let ends = self.large_ends(z);
        if let Some(large) = &mut self.large {
            large.ends = ends;
        }
    }

    fn large_ends(&self, z: &[f64]) -> Vec<f64> {
        let corners = self.system.modes[self.mode].field.corners();
        let sizes = vec![0.0; self.n];
        let arguments = corners.map(|c| c.arguments(&z[..self.n], &self.parameters, &sizes));
        arguments.into_iter().flatten().map(|(v, _)| v).collect()
    }

    /// What ends the equations between where the curve set off and `z`, in words.
    pub(in super::super) fn large_end_passed(&self, z: &[f64]) -> Option<String> {
        let large = self.large.as_ref().filter(|large| !large.ends.is_empty())?;
        let now = self.large_ends(z);
        let passed = large
            .ends
            .iter()
            .zip(&now)
            .position(|(before, now)| before * now < 0.0)?;
        let corners = self.system.modes[self.mode].field.corners()?;
        Some(format!(
            "the equations are not defined at the {}: the curve ends there",
            corners.describe(passed)
        ))
    }

    /// Newton's step at fixed parameters, of many states.
    pub(in super::super) fn large_step(&mut self, residual: &[f64]) -> Option<Vec<f64>> {
        let columns = self.columns.clone();
        let large = self.large.as_mut()?;
        let mut step: Vec<f64> = residual.iter().map(|r| -r).chain([0.0]).collect();
        let mut border = vec![0.0; step.len()];
        border[large.n] = 1.0;
        large.solve(&border, &columns, &mut step).ok()?;
        step.pop();
        Some(step)
    }
}
