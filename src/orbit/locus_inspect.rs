//! What is measured along a two-parameter curve: all that is measured on its orbits, and test functions for points of
//! codimension two.

use super::Locus;
use super::locus::LocusCondition;
use crate::crossing_vectors::unfolding;
use crate::limits::limit_ahead;
use crate::multiplier_tests::{NEUTRAL, of_return_map};
use crate::resonant_grazing::{self, Impacting, vanishing_speed};
use crate::return_map;
use crate::second_vector::{one_vector, own_vector, own_vector_meaning};
use slipstick_bifurcation::{
    APART, CROSSING_LOST, Coincidence, Domain, InequalitySpec, Inspect, Label, Monitor, REAL_ENDS, Rank, Record,
    Recurrence, TestSpec, TwoParameters, coincidences, distances_from_real, other_multipliers, subject,
};
use slipstick_continuation::{Failure, Point, Problem};
use slipstick_floquet::{Multiplier, Neutral, product};
use slipstick_numerics::linalg::eigen::Balanced;
use slipstick_numerics::linalg::singular::Singular;
use slipstick_system::Closure;
use std::f64::consts::PI;

/// The label of a resonant grazing on a curve of grazing.
fn resonant() -> Label {
    Label::codimension_two(Label::GR, Label::LP)
}

/// The rates of both parameters.
fn rates(orbit: &Point) -> [f64; 2] {
    let n = orbit.tangent.len();
    [orbit.tangent[n - 2], orbit.tangent[n - 1]]
}

impl Locus<'_> {
    /// The multipliers (of the half map, for symmetric orbits) apart from those that are kept on the unit circle.
    fn others(&self, record: &Record) -> Vec<Multiplier> {
        let all = of_return_map(self.plain.word().symmetric, record);
        other_multipliers(self.condition.label(), all)
    }

    /// Those whose distances from the unit circle are more than rounding: where a surface is only touched, the one that
    /// is infinite has any sign.
    fn finite(&self, mut others: Vec<Multiplier>) -> Vec<Multiplier> {
        /// The logarithm of what a rate that is zero to rounding makes infinite.
        const INFINITE: f64 = 8.0;
        if self.grazes {
            others.retain(|m| m.log10 < INFINITE);
        }
        others
    }

    /// Is the multiplier on the unit circle that is there all along the curve? Along canards rounding may hide it.
    ///
    /// # Errors
    /// [`Failure`] where it is off by more than errors of meshes explain.
    fn check_multiplier(&self, record: &Record) -> Result<(), Failure> {
        /// In its argument and in the logarithm of its size.
        const OFF: f64 = 2e-3;
        let turn = match self.condition {
            // Those of orbits with events have poles at grazing, which a step may lead across.
            _ if self.plain.system().is_hybrid() => return Ok(()),
            LocusCondition::Multiplier(Label::LP) => 0.0,
            LocusCondition::Multiplier(Label::SB | Label::PD) => PI,
            _ => return Ok(()),
        };
        let off = |m: &Multiplier| m.log10.abs().max((m.arg.abs() - turn).abs());
        let all = of_return_map(self.plain.word().symmetric, record);
        let least = all.iter().map(off).fold(f64::INFINITY, f64::min);
        if all.is_empty() || least <= OFF {
            return Ok(());
        }
        Err(Failure::Evaluation(format!(
            "rounding hides where a multiplier is {}1: here it comes out off that by {least:.1e}",
            if turn == 0.0 { "+" } else { "-" }
        )))
    }

    /// Along curves of folds, period doublings and symmetry breakings, the test whose zero is a resonance where the
    /// further multiplier has no eigenvector of its own; where it has one, the test behind those is zero.
    fn resonance(&self) -> Option<Coincidence> {
        match self.condition.label() {
            _ if self.plain.segments.iter().all(|s| s.n < 3) => None,
            Label::LP => Some(Coincidence::Plus),
            Label::PD | Label::SB => Some(Coincidence::Minus),
            _ => None,
        }
    }

    /// Of the orbit measured last, the second smallest singular value of the derivative of the return map less the
    /// multiplier that is kept, and what of it may be errors; none where the derivative does not have that multiplier.
    fn second_singular_value(&self) -> Option<(f64, f64)> {
        /// How well it must have it, relative to the largest singular value.
        const FITS: f64 = 1e-5;
        /// What errors leave: of the largest one, and of the smallest, which is nothing else.
        const ERRORS: (f64, f64) = (1e-8, 1e3);
        let kept = if self.condition.label() == Label::LP { 1.0 } else { -1.0 };
        let mut matrix = product(&self.plain.factors)?;
        let units = Balanced::new(&matrix).scale().to_vec();
        for (i, row) in units.iter().enumerate() {
            for (j, column) in units.iter().enumerate() {
                matrix[(i, j)] *= column / row;
            }
            matrix[(i, i)] -= kept;
        }
        let values = Singular::of(&matrix)?.values;
        let [least, second, ..] = values[..] else { return None };
        let largest = values.last().copied()?.max(1.0);
        (least <= FITS * largest).then_some((second, (ERRORS.0 * largest).max(ERRORS.1 * least)))
    }

    /// The angle by which the eigenvectors of a kept pair turn in a period (in half of it, for symmetric orbits).
    fn angle(&self, z: &[f64]) -> f64 {
        if self.closure != Some(Closure::Rotated) {
            return 0.0;
        }
        z[z.len() - 3] * self.constrained.problem().lap(z)
    }

    /// Measure the orbit of a point.
    pub(super) fn measure_plain(&mut self, point: &Point, record: &mut Record) -> Result<(), Failure> {
        let orbit = self.orbit_at(point);
        let mut residual = vec![0.0; orbit.z.len() - 2];
        self.plain.linearise(&orbit.z, &mut residual)?;
        self.plain.inspect(&orbit, record)
    }
}

impl Locus<'_> {
    /// The test functions.
    fn test_functions(&self) -> Vec<TestSpec> {
        let condition = self.condition.label();
        let symmetric = self.plain.word().symmetric;
        let tests = coincidences(condition).into_iter();
        let spec = |test: Coincidence| test.spec_beside(condition, symmetric, self.pitchfork);
        let mut specs: Vec<TestSpec> = tests.map(spec).collect();
        specs.extend(self.resonance().map(|_| {
            let second = if condition == Label::LP {
                "multiplier is +1"
            } else {
                "multiplier is -1"
            };
            let (label, meaning) = own_vector_meaning(condition, second);
            TestSpec::new(label, meaning)
        }));
        specs.extend(
            self.impact
                .map(|_| TestSpec::new(resonant(), resonant_grazing::MEANING)),
        );
        specs
    }

    /// The inequalities of admissibility.
    fn boundaries(&self) -> Vec<InequalitySpec> {
        let condition = self.condition.label();
        let subject = subject(condition);
        let mut specs: Vec<InequalitySpec> = self
            .plain
            .inequalities()
            .into_iter()
            .zip(&self.tested)
            .filter(|(_, tested)| **tested)
            .map(|(spec, _)| InequalitySpec {
                label: Label::codimension_two(condition, spec.label),
                rank: spec.rank,
                segment: spec.segment,
                meaning: format!("{subject} ends: {}", spec.meaning),
            })
            .collect();
        if self.closure == Some(Closure::Rotated) {
            specs.extend(REAL_ENDS.map(|(label, meaning)| InequalitySpec {
                label,
                rank: Rank::Other,
                segment: 0,
                meaning: meaning.into(),
            }));
        }
        if matches!(self.closure, Some(Closure::Crossing { .. })) {
            specs.push(InequalitySpec {
                label: CROSSING_LOST.0,
                rank: Rank::Other,
                segment: 0,
                meaning: CROSSING_LOST.1.into(),
            });
        }
        specs
    }
}

impl Domain for Locus<'_> {
    fn requirement_ahead(&self, point: &Point, reach: f64) -> Option<(Vec<f64>, String)> {
        let p = self.plain.parameters_at(&point.z);
        limit_ahead(self.plain.system, (&p, &self.plain.free), &point.tangent, reach)
    }
}

impl Recurrence for Locus<'_> {
    fn may_start_anywhere(&self) -> bool {
        self.plain.may_start_anywhere()
    }
    fn is_same(&mut self, a: &Point, b: &Point) -> bool {
        let (a, b) = (self.orbit_at(a), self.orbit_at(b));
        self.plain.is_same(&a, &b)
    }
    fn turned(&self, point: &Point, near: &[f64]) -> Option<Point> {
        self.with_vectors_near(point, near)
    }
}

impl Inspect for Locus<'_> {
    fn recurrence(&mut self) -> Option<&mut dyn Recurrence> {
        Some(self)
    }
    fn domain(&self) -> Option<&dyn Domain> {
        Some(self)
    }

    fn parameter_names(&self) -> Vec<String> {
        self.plain.parameter_names()
    }
    fn free_parameters(&self) -> &[usize] {
        self.plain.free_parameters()
    }
    fn two_parameters(&mut self) -> Option<&mut dyn TwoParameters> {
        Some(self)
    }
    fn monitors(&self) -> Vec<Monitor> {
        let scalars = self.plain.monitors().into_iter().filter(Monitor::is_tabulated);
        Monitor::list(scalars, self.test_functions(), self.boundaries())
    }
    fn word(&self) -> String {
        Inspect::word(&self.plain)
    }
    fn confirm(&self, test: usize, record: &Record) -> bool {
        let others = self.others(record);
        let condition = self.condition.label();
        coincidences(condition)
            .get(test)
            .is_none_or(|test| test.confirm(condition, (&others, self.plain.neutral)))
    }
    fn neutral(&self, record: &Record) -> Neutral {
        Neutral::among(&self.others(record), NEUTRAL)
    }
    fn leave_out_neutral(&mut self, neutral: Neutral) {
        self.plain.neutral = neutral;
    }
    fn explain(&mut self, label: Label, point: &Point, _: &Record) -> Option<String> {
        let impact = self.impact.filter(|_| label == resonant())?;
        let orbit = self.orbit_at(point);
        let resonant = Impacting::at(&mut self.plain, &orbit, impact)?.is_resonant(rates(&orbit));
        resonant.then(|| resonant_grazing::explain(&mut self.plain, &orbit, impact))?
    }
    fn explain_boundary(&mut self, inequality: usize, point: &Point) -> Option<String> {
        let tested = self.tested.iter().enumerate().filter(|(_, tested)| **tested);
        let (own, _) = tested.clone().nth(inequality)?;
        if self.condition.label() != Label::LP || !vanishing_speed(&self.plain, own) {
            return None;
        }
        let orbit = self.orbit_at(point);
        let said = resonant_grazing::explain(&mut self.plain, &orbit, own);
        Some(format!(
            "; resonant grazing, at which this curve is tangent to that of GR{}",
            said.unwrap_or_default()
        ))
    }
    fn inspect(&mut self, point: &Point, record: &mut Record) -> Result<(), Failure> {
        self.measure_plain(point, record)?;
        let mut tested = self.tested.iter();
        record.inequalities.retain(|_| tested.next().copied().unwrap_or(true));
        if !self.stability_known && !self.take_limit(point, record) {
            let unknown = Multiplier {
                log10: f64::NAN,
                arg: f64::NAN,
            };
            record.multipliers.fill(unknown);
            record.nu.fill(unknown);
        }
        self.check_multiplier(record)?;
        let angle = self.angle(&point.z);
        let speed = self.history.speed(&point.z, &point.tangent);
        if self.closure == Some(Closure::Rotated) {
            record.inequalities.extend(distances_from_real(angle, speed));
        }
        if matches!(self.closure, Some(Closure::Crossing { .. })) {
            record.inequalities.push(APART - unfolding(&point.z).abs());
        }
        let others = self.others(record);
        // A multiplier that is kept on the circle is neither in nor out.
        record.unstable = Multiplier::count_unstable(&others);
        let others = self.finite(others);
        record.tests.clear();
        let tests = coincidences(self.condition.label());
        let place = self.resonance().and_then(|r| tests.iter().position(|t| *t == r));
        let (condition, orbit) = (self.condition.label(), self.orbit_at(point));
        let (plain, pitchfork) = (&self.plain, self.pitchfork);
        let cubic = || match condition {
            Label::BP => {
                return_map::crossing_coefficients(plain, &orbit.z).map(|[a, b]| if pitchfork { b } else { a }.decided())
            }
            _ => return_map::coefficient(plain, condition, &orbit.z, angle).map(|c| c.decided()),
        };
        record.tests.extend(
            tests
                .iter()
                .map(|test| test.value(condition, (&others, plain.neutral), angle, speed, cubic)),
        );
        if let Some(place) = place {
            let zero = record.tests[place];
            let known = self.second_singular_value();
            record.tests[place] = known.map_or(zero, |(second, errors)| one_vector(zero, second, errors));
            let own = known.map_or(1f64.copysign(zero), |(second, _)| own_vector(zero, second));
            record.tests.push(own);
        }
        if let Some(impact) = self.impact {
            let impacting = Impacting::at(&mut self.plain, &orbit, impact);
            let departure = impacting.and_then(|mut impacting| impacting.departure(rates(&orbit)));
            record.tests.push(departure.unwrap_or(f64::NAN));
        }
        Ok(())
    }
}

impl TwoParameters for Locus<'_> {
    fn may_shrink(&self) -> bool {
        self.plain.is_free() && !self.plain.system().is_hybrid()
    }
    fn shrunk(&mut self, point: &Point) -> Option<(Label, String)> {
        self.shrunk_to(point)
    }
    fn recurs_between(&mut self, base: &Point, next: &Point) -> Option<(Label, String, Point)> {
        self.mirrored_between(base, next)
    }
    fn recurs_at(&mut self, point: &Point) -> Option<(Label, String, Point)> {
        self.doubles(point)
    }
    fn touch_near_end(&mut self, point: &Point) -> Option<(f64, Label, String)> {
        self.touch_from_end(point)
    }
}
