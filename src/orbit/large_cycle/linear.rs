//! Linear systems of a cycle: perturbations transported through the intervals, and closed by a Krylov method.
//!
//! A perturbation v of the start comes back as `M v`. With changes τ of the period and π of the parameter, and the
//! errors r of the equations, the unknown v solves `v - M v - τ a - π b = e`, where a, b and e are what period,
//! parameter and errors make of a start without perturbation. Two rows more, the phase condition and the border of the
//! tracer, are brought to the start by the transposed equations.

use super::LargeCycle;
use super::transport::{Responses, Row, Source, transport, transport_back};
use slipstick_continuation::Failure;
use slipstick_numerics::linalg::{Gmres, GmresOptions, dot, norm};

impl LargeCycle<'_> {
    /// What the period, the parameter, or what is left of the equations, makes of the orbit with a start that stays.
    fn response(&self, source: Source<'_>) -> Vec<f64> {
        let mut v = vec![0.0; self.n];
        let mut whole = Vec::with_capacity(self.intervals() * self.stride());
        transport(&self.stages, &mut v, source, &mut |_, own| whole.extend_from_slice(own));
        whole
    }

    /// A row on all unknowns, brought to the start.
    fn row(&self, row: &[f64], by_period: &[f64], by_parameter: &[f64]) -> Row {
        let points = &row[..row.len() - 2];
        Row {
            start: transport_back(&self.stages, self.n, points),
            period: dot(points, by_period) + row[row.len() - 2],
            parameter: dot(points, by_parameter) + row[row.len() - 1],
        }
    }

    /// Factors that belong to the last linearisation, and not to a point nearby.
    pub(super) fn factorise_here(&mut self) -> Result<(), Failure> {
        if self.factorised_at != self.at {
            self.stages.forget();
            self.linear.forget();
        }
        self.factorise()
    }

    fn factorise(&mut self) -> Result<(), Failure> {
        if !self.stages.are_factorised() {
            self.stages.factorise()?;
            self.factorised_at.clone_from(&self.at);
        }
        Ok(())
    }

    /// Factors and responses, if they are not there yet.
    pub(super) fn prepare(&mut self) -> Result<(), Failure> {
        self.factorise()?;
        if self.linear.responses.is_none() {
            let by_period = self.response(Source::Period);
            let by_parameter = self.response(Source::Parameter);
            let row = self.gauge.as_ref().map_or(&[][..], |gauge| &gauge.row);
            let phase = self.row(row, &by_period, &by_parameter);
            self.linear.responses = Some(Responses {
                by_period,
                by_parameter,
                phase,
            });
        }
        Ok(())
    }

    /// The image of a perturbation of the start over a period.
    pub(super) fn image(&self, v: &mut [f64]) {
        transport(&self.stages, v, Source::Nothing, &mut |_, _| {});
    }

    /// See [`Problem::solve`](slipstick_continuation::Problem::solve).
    pub(super) fn solve_bordered(&mut self, border: &[f64], rhs: &mut [f64]) -> Result<(), Failure> {
        // Newton's updates may be those of a point nearby, as the equations tell what is left. Nothing else may:
        // neither a direction nor how much a right-hand side is enlarged.
        let equations = &rhs[..rhs.len() - 1];
        let is_update =
            equations.iter().any(|r| *r != 0.0) && equations.iter().zip(&self.linear.left).all(|(r, left)| *r == -left);
        if !is_update {
            self.factorise_here()?;
        }
        self.prepare()?;
        let mut gmres = std::mem::take(&mut self.linear.gmres);
        let solved = self.solve_with(&mut gmres, border, rhs);
        self.linear.gmres = gmres;
        solved
    }

    fn solve_with(&self, gmres: &mut Gmres, border: &[f64], rhs: &mut [f64]) -> Result<(), Failure> {
        let Some(responses) = self.linear.responses.as_ref().filter(|_| self.at.len() == rhs.len()) else {
            return Err(Failure::Evaluation("the cycle has not been linearised".into()));
        };
        let (n, points) = (self.n, rhs.len() - 2);
        let errors = self.response(Source::Errors(&rhs[..points]));
        let (left_phase, left_border) = (rhs[points], rhs[points + 1]);
        let border_row = self.row(border, &responses.by_period, &responses.by_parameter);
        let phase_row = self.gauge.as_ref().map_or(&[][..], |gauge| &gauge.row);
        let sizes = {
            let mut sizes = self.state_sizes(&self.at);
            sizes.extend([self.period(&self.at).abs(), self.scale.size(self.at[self.at.len() - 1])]);
            sizes
        };
        let end = |whole: &[f64]| whole[points - n..].to_vec();
        let (by_period, by_parameter) = (end(&responses.by_period), end(&responses.by_parameter));
        // In units of the unknowns; each of the two last rows in units of its length.
        let scaled = |row: &Row| -> Vec<f64> {
            let entries = row.start.iter().chain([&row.period, &row.parameter]);
            entries.zip(&sizes).map(|(v, size)| v * size).collect()
        };
        let rows = [scaled(&responses.phase), scaled(&border_row)];
        let lengths = [norm(&rows[0]), norm(&rows[1])];
        let mut apply = |v: &mut [f64]| {
            let last: Vec<f64> = rows.iter().zip(&lengths).map(|(row, l)| dot(row, v) / l).collect();
            v.iter_mut().zip(&sizes).for_each(|(v, size)| *v *= size);
            let mut image = v[..n].to_vec();
            self.image(&mut image);
            let (period, parameter) = (v[n], v[n + 1]);
            for c in 0..n {
                v[c] = (v[c] - image[c] - period * by_period[c] - parameter * by_parameter[c]) / sizes[c];
            }
            v[n..].copy_from_slice(&last);
        };
        let mut x: Vec<f64> = end(&errors).iter().zip(&sizes).map(|(e, size)| e / size).collect();
        x.push((left_phase - dot(&phase_row[..points], &errors)) / lengths[0]);
        x.push((left_border - dot(&border[..points], &errors)) / lengths[1]);
        let solved = gmres.solve(&mut apply, &mut x, &GmresOptions::default());
        solved.map_err(|failure| {
            Failure::Evaluation(format!(
                "the changes of the cycle over a period could not be solved for: {failure}; too many of its perturbations hardly decay"
            ))
        })?;
        x.iter_mut().zip(&sizes).for_each(|(x, size)| *x *= size);
        let (period, parameter) = (x[n], x[n + 1]);
        rhs[points] = period;
        rhs[points + 1] = parameter;
        for (k, v) in rhs[..points].iter_mut().enumerate() {
            *v = errors[k] + period * responses.by_period[k] + parameter * responses.by_parameter[k];
        }
        let stride = self.stride();
        transport(&self.stages, &mut x[..n], Source::Nothing, &mut |i, own| {
            rhs[i * stride..].iter_mut().zip(own).for_each(|(v, own)| *v += own);
        });
        Ok(())
    }
}
