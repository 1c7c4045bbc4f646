//! The equations of fixed points as the tracer asks for them.

use super::{FixedPoint, branch_point};
use slipstick_continuation::{Failure, Meshes, ParameterScale, Problem};
use slipstick_numerics::scalar::{Scalar, TwoFold};
use slipstick_system::Jacobian;

/// A state that is so small a part of the length over which the equations change is zero: Newton's method leaves errors
/// of that size.
const ROUNDING: f64 = 1e-8;
/// More states than this count together as this many.
const MANY: f64 = 24.0;

impl Problem for FixedPoint<'_> {
    fn unknowns(&self) -> usize {
        self.n * self.length + self.free.len()
    }

    fn free(&self) -> usize {
        self.free.len()
    }

    fn weights(&self, z: &[f64], weights: &mut [f64]) {
        self.sizes(z, weights);
        // The points of a cycle count together as one, and so do very many states: steps are not the shorter the more
        // there are. With those of its eigenvectors a curve in two parameters has three times as many.
        let points = self.n * self.length;
        let counted = match self.large {
            Some(_) => points as f64,
            None => self.length as f64 * (self.n as f64 / MANY).max(1.0),
        };
        let share = counted.recip();
        for (i, w) in weights.iter_mut().enumerate() {
            *w = if i < points { share } else { 1.0 } / (*w * *w);
        }
    }

    fn sizes(&self, z: &[f64], sizes: &mut [f64]) {
        let points = self.n * self.length;
        for c in 0..self.n {
            let here = (0..self.length).fold(0.0f64, |m, i| m.max(self.off_origin(c, z[i * self.n + c])));
            let size = self.size_of(c, here);
            for i in 0..self.length {
                sizes[i * self.n + c] = size;
            }
        }
        for ((size, v), scale) in sizes[points..].iter_mut().zip(&z[points..]).zip(&self.parameter_scales) {
            *size = scale.size(*v);
        }
    }

    fn longest_step(&self, tangent: &[f64], weights: &[f64]) -> f64 {
        let large = self.large.as_ref();
        large.map_or(f64::INFINITY, |large| large.longest_step(tangent, weights))
    }

    fn set_scales(&mut self, z: &[f64], parameters: &[ParameterScale]) {
        let own = self.parameter_scales.iter_mut().rev();
        own.zip(parameters.iter().rev()).for_each(|(own, scale)| *own = *scale);
        self.take_parameters(z);
        self.measure_lengths(z);
        self.measure_rows(z);
    }

    fn linearise(&mut self, z: &[f64], residual: &mut [f64]) -> Result<(), Failure> {
        if !z.iter().all(|v| v.is_finite()) {
            return Err(Failure::Evaluation("an unknown is not finite".into()));
        }
        if self.large.is_some() {
            self.evaluate_large(z, residual);
        } else {
            self.equations(z, residual);
        }
        if self.sharp {
            let precise: Vec<TwoFold> = z.iter().map(|v| TwoFold::from_f64(*v)).collect();
            if let Some(values) = branch_point::precise_values(self, &precise) {
                residual.iter_mut().zip(&values).for_each(|(r, v)| *r = v.value());
            }
        }
        self.scale_columns(z);
        self.system
            .check_requirements(&self.parameters)
            .map_err(|unmet| Failure::Evaluation(unmet.to_string()))?;
        if let Some(r) = residual.iter().position(|r| !r.is_finite()) {
            return Err(Failure::Evaluation(self.not_finite(z, r)));
        }
        if let Some(why) = self.pole_passed(z).or_else(|| self.large_end_passed(z)) {
            return Err(Failure::Evaluation(why));
        }
        Ok(())
    }

    fn solve(&mut self, border: &[f64], rhs: &mut [f64]) -> Result<(), Failure> {
        if let Some(large) = &mut self.large {
            return Ok(large.solve(border, &self.columns, rhs)?);
        }
        let width = self.unknowns();
        let rows = self.jacobian.chunks_exact(width).chain(border.chunks_exact(width));
        let mut scaled = vec![0.0; width];
        for (i, row) in rows.enumerate() {
            for ((s, v), size) in scaled.iter_mut().zip(row).zip(&self.columns) {
                *s = v * size;
            }
            self.matrix.set_row(i, &scaled);
        }
        self.matrix.factorise()?;
        self.matrix.solve(rhs)?;
        rhs.iter_mut().zip(&self.columns).for_each(|(v, size)| *v *= size);
        Ok(())
    }

    fn amplification(&mut self, border: &[f64]) -> Option<f64> {
        let width = self.unknowns();
        let mut errors = vec![0.0; width];
        let lengths = self.large.as_ref().map(|large| large.row_lengths(&self.columns));
        for (r, length) in lengths.into_iter().flatten().enumerate() {
            errors[r] = length.max(self.usual_rows[r]) * (1.0 + 0.5 * (1.7 * r as f64).sin());
        }
        for (r, row) in self.jacobian.chunks_exact(width).enumerate() {
            let length = row
                .iter()
                .zip(&self.columns)
                .map(|(v, s)| v * v * s * s)
                .sum::<f64>()
                .sqrt();
            // Fixed vectors keep results reproducible. A row may vanish: it counts as what it was where the curve set
            // off.
            errors[r] = length.max(self.usual_rows[r]) * (1.0 + 0.5 * (1.7 * r as f64).sin());
        }
        if self.solve(border, &mut errors).is_err() {
            return Some(f64::INFINITY);
        }
        let sizes = errors.iter().zip(&self.columns).map(|(v, s)| (v / s).abs());
        Some(sizes.fold(0.0, f64::max))
    }

    fn sharpen(&mut self, on: bool) -> bool {
        // Along two parameters there are conditions besides.
        self.sharp = on && self.free.len() == 1 && branch_point::has_precise_values(self);
        self.sharp
    }

    fn recall(&mut self, z: &[f64], _: &Option<Meshes>) {
        self.remember(z);
    }

    fn accept(&mut self, z: &mut Vec<f64>, _: &mut Vec<f64>) -> bool {
        self.remember(z);
        if let Some(large) = &mut self.large {
            large.accept();
        }
        false
    }
}

impl FixedPoint<'_> {
    /// The equations at `z` with their derivatives by all unknowns, by rows.
    fn equations(&mut self, z: &[f64], residual: &mut [f64]) {
        self.take_parameters(z);
        let (n, k) = (self.n, self.free.len());
        let width = n * self.length + k;
        let one_sided = std::mem::take(&mut self.one_sided);
        let field = self.system.modes[self.mode].field.as_ref();
        let mut derivatives = Jacobian::new(
            one_sided.first().map_or(field, |h| &h.outputs),
            n,
            &self.parameters,
            &self.free,
        );
        let (mut y, mut dx, mut dp) = (vec![0.0; n], vec![0.0; n * n], vec![0.0; n * k]);
        self.jacobian.fill(0.0);
        for i in 0..self.length {
            if let Some(one_sided) = one_sided.get(i).filter(|_| i > 0) {
                derivatives = Jacobian::new(&one_sided.outputs, n, &self.parameters, &self.free);
            }
            derivatives.at(&z[i * n..(i + 1) * n], &mut y, &mut dx, &mut dp);
            let next = (i + 1) % self.length;
            for r in 0..n {
                let row = &mut self.jacobian[(i * n + r) * width..(i * n + r + 1) * width];
                row[i * n..(i + 1) * n].copy_from_slice(&dx[r * n..(r + 1) * n]);
                row[n * self.length..].copy_from_slice(&dp[r * k..(r + 1) * k]);
                residual[i * n + r] = y[r];
                if !self.rest {
                    let sign = if next == 0 { self.closing[r] } else { 1.0 };
                    row[next * n + r] -= sign;
                    residual[i * n + r] -= sign * z[next * n + r] + self.winding[i * n + r];
                }
            }
        }
        drop(derivatives);
        self.one_sided = one_sided;
    }

    /// Count the unknowns in their sizes at `z` for the solution of linear systems. Where parameters and states differ
    /// by many decades, elimination in their own units leaves errors of tangents that are as large as they are.
    ///
    /// Not along two parameters, whose equations are bordered by conditions that have sizes of their own.
    fn scale_columns(&mut self, z: &[f64]) {
        if self.free.len() != 1 {
            return;
        }
        let mut sizes = std::mem::take(&mut self.columns);
        self.sizes(z, &mut sizes);
        for size in &mut sizes {
            let rounded = size.log2().round().exp2();
            *size = if rounded.is_normal() { rounded } else { 1.0 };
        }
        self.columns = sizes;
    }

    /// Which equation cannot be evaluated, and where.
    fn not_finite(&self, z: &[f64], row: usize) -> String {
        let states = &self.system.modes[self.mode].states;
        let name = |c: usize| &self.system.states[states[c]].name;
        let x = self.point(z, row / self.n);
        let at: Vec<String> = (0..self.n)
            .map(|c| format!("{} = {}", name(c), x[c] * self.system.units.state(states[c])))
            .collect();
        let (mark, what) = if self.rest { ("'", "rate") } else { ("+", "next value") };
        format!(
            "the equation of {}{mark} has no finite value at {}: a division by zero, or a root or logarithm outside its domain ({what} {})",
            name(row % self.n),
            at.join(", "),
            self.value_of(x, row % self.n)
        )
    }

    /// The size of a state that is `here` at most: one that passes zero keeps a tenth of the size it had; one that is
    /// zero has the length over which the equations change, and one that is far away that length at least. An angle
    /// counts in radians.
    pub(super) fn size_of(&self, c: usize, here: f64) -> f64 {
        /// Of a state that is far away, less than this part of it is rounding.
        const LEAST: f64 = 1e-4;
        let size = here.max(0.1 * self.scale[c]);
        let length = self.lengths.as_ref().map_or(1.0, |lengths| lengths[c]);
        let state = self.system.modes[self.mode].states[c];
        if self.system.states[state].period.is_some() {
            1.0
        } else if self.origin[c] != 0.0 {
            size.max(length).max(LEAST * self.origin[c].abs())
        } else if size <= ROUNDING * length {
            length
        } else {
            size
        }
    }

    /// How far a state is from where it counts from.
    pub(super) fn off_origin(&self, c: usize, value: f64) -> f64 {
        (value - self.origin[c]).abs()
    }

    fn value_of(&self, x: &[f64], component: usize) -> f64 {
        let mut y = vec![0.0; self.n];
        self.field_at(0).value(x, &self.parameters, &mut y);
        y[component]
    }
}
