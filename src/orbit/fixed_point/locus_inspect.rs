//! What is measured along a two-parameter curve of equilibria or of cycles of maps, and the points of codimension two
//! on it.

use super::boundary_modes;
use super::coefficients;
use super::corners;
use super::guards;
use super::hopf_test::{NEUTRAL, hopf_frequency, neutral_pairs, psi_hopf};
use super::locus::{PointCondition, PointLocus};
use super::measure;
use super::tangent_points;
use crate::limits::limit_ahead;
use crate::second_vector::{one_vector, own_vector, own_vector_meaning};
use nalgebra::Complex;
use slipstick_bifurcation::{
    APART, AT_A_POLE, CROSSING_LOST, Coincidence, Domain, InequalitySpec, Inspect, Label, Monitor, REAL_ENDS, Rank,
    Record, Recurrence, Side, TestSpec, TwoParameters, coincidences, distances_from_real, other_multipliers,
    passes_real, stays_complex, subject, take_nearest, take_pair,
};
use slipstick_continuation::{Failure, Point, Problem};
use slipstick_floquet::{Multiplier, Neutral, least_factor};
use slipstick_numerics::linalg::singular::Singular;
use slipstick_system::Closure;
use std::f64::consts::{PI, TAU};

impl PointLocus<'_> {
    /// The frequency of a kept pair, or the angle by which it turns along a cycle.
    pub(super) fn angle(&self, z: &[f64]) -> f64 {
        if self.closure != Some(Closure::Rotated) {
            return 0.0;
        }
        let steps = if self.plain.rest { 1.0 } else { self.plain.length as f64 };
        let angle = z[z.len() - 3] * steps;
        self.conjugate.map_or(angle, |turns| turns - angle)
    }

    /// The start may be that of the conjugate pair, with an angle beyond π or below zero: its own is taken then, so
    /// that the pair lies between zero and π and becomes real at these.
    pub(super) fn note_conjugate(&mut self, start: &Point) {
        let angle = self.angle(&start.z);
        if !self.plain.rest && angle.rem_euclid(TAU) > PI {
            self.conjugate = Some((angle / TAU).ceil() * TAU);
        }
    }

    /// Is an eigenvalue zero all along the curve?
    fn keeps_zero(&self) -> bool {
        matches!(
            self.condition,
            PointCondition::Bifurcation(Label::LP) | PointCondition::Crossing { .. }
        )
    }

    /// Note whether the start of the curve has a multiplier +1 besides.
    pub(super) fn note_multiplier_one(&mut self, start: &Point) -> Result<(), Failure> {
        if self.plain.rest || !matches!(self.condition.label(), Label::PD | Label::NS) {
            return Ok(());
        }
        let (plain, mut record) = (self.point_at(start), Record::default());
        self.plain.linearise(&plain.z, &mut vec![0.0; plain.z.len() - 2])?;
        measure::measure(&mut self.plain, &plain.z, &mut record)?;
        self.beside_one = self.other_multipliers(&record).iter().any(Multiplier::is_nearly_one);
        Ok(())
    }

    /// Note how large the derivatives are.
    pub(super) fn note_size(&mut self, start: &Point) {
        let tells = matches!(self.condition.label(), Label::LP | Label::BP | Label::PD);
        if !tells || self.plain.has_no_motion() || self.plain.large.is_some() {
            return;
        }
        let plain = self.point_at(start);
        self.plain.take_parameters(&plain.z);
        let largest = self.singular_values(&plain.z).and_then(|values| values.last().copied());
        // Of maps the eigenvalue that is kept, which is of order one, is among the terms.
        let least = if self.plain.rest { 0.0 } else { 1.0 };
        self.usual_size = largest.unwrap_or_default().max(least);
    }

    /// The multipliers besides those that stay on the circle all along: one that is +1 at the start does so as long as
    /// it is +1.
    fn other_multipliers(&self, record: &Record) -> Vec<Multiplier> {
        let mut others = other_multipliers(self.condition.label(), &record.multipliers);
        if self.beside_one
            && let Some(one) = others.iter().position(Multiplier::is_nearly_one)
        {
            others.swap_remove(one);
        }
        others
    }

    fn eigenvalues(&self, record: &Record) -> Parted {
        let mut others: Vec<(Complex<f64>, f64)> = record.scaled_eigenvalues().collect();
        let mut kept = vec![];
        match self.condition {
            _ if self.keeps_zero() => kept.extend(take_nearest(&mut others, |(v, _)| v.norm())),
            PointCondition::Bifurcation(Label::HB) => {
                let side = |v: &Complex<f64>| match (v.im == 0.0, v.im > 0.0) {
                    (true, _) => Side::Real(false),
                    (false, true) => Side::Above,
                    (false, false) => Side::Below,
                };
                kept = take_pair(&mut others, |(v, scale)| {
                    (side(v), v.re.abs() / scale.max(f64::MIN_POSITIVE))
                });
            }
            _ => {}
        }
        Parted { kept, others }
    }
}

/// Eigenvalues, each with the size of the numbers that it is made of.
struct Parted {
    /// Those that are on the imaginary axis all along the curve.
    kept: Vec<(Complex<f64>, f64)>,
    others: Vec<(Complex<f64>, f64)>,
}

impl Parted {
    /// The others by themselves.
    fn other_values(&self) -> Vec<Complex<f64>> {
        self.others.iter().map(|(v, _)| *v).collect()
    }
    /// What changes its sign where one of the others passes zero, as small as the nearest to it alone: coefficients
    /// have poles there.
    fn nearest_to_zero(&self) -> f64 {
        let real = self.others.iter().filter(|(v, _)| v.im == 0.0);
        least_factor(real.map(|(v, scale)| v.re / scale))
    }
    /// What the kept ones are made of.
    fn scale(&self) -> f64 {
        self.kept.iter().fold(0.0f64, |m, (_, scale)| m.max(*scale))
    }
    /// How many of the others lie to the right of the axis, by more than what rounding leaves of them?
    fn unstable(&self) -> usize {
        const ON_THE_AXIS: f64 = 1e-10;
        self.others
            .iter()
            .filter(|(v, scale)| v.re > ON_THE_AXIS * scale)
            .count()
    }
}

/// A test function along a curve of equilibria.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rest {
    /// A further eigenvalue is zero; of branch points and folds, with an eigenvector of its own.
    Zero,
    /// A further eigenvalue of a branch point or fold is zero, and both have one eigenvector.
    OneVector,
    /// A further pair is on the imaginary axis.
    Pair,
    /// A fold curve turns back in both parameters.
    Cusp,
    /// The first Lyapunov coefficient changes sign.
    Lyapunov,
    /// The kept pair meets at zero and stays complex.
    Double,
    /// The cubic coefficient of a pitchfork, or the quadratic one of a transcritical crossing, changes sign.
    Degenerate,
    /// Tangencies or two-folds also meet others: the derivatives by the states have no inverse.
    Fold,
}

/// Where solutions of equations without motion meet others, along a curve of those with this label.
fn equations_turn(condition: Label) -> Rest {
    match condition {
        Label::LP => Rest::Cusp,
        Label::BP => Rest::Degenerate,
        _ => Rest::Fold,
    }
}

/// A frequency below this part of the numbers that it is made of leaves no digit of coefficients that have its square,
/// or a higher power, in their denominators.
const NO_FREQUENCY: f64 = 1e-9;

impl PointLocus<'_> {
    fn at_rest(&self) -> Vec<Rest> {
        match self.condition.label() {
            label if self.plain.has_no_motion() => vec![equations_turn(label)],
            Label::LP if self.plain.large.is_some() => vec![Rest::OneVector, Rest::Pair, Rest::Cusp],
            Label::LP => vec![Rest::OneVector, Rest::Pair, Rest::Cusp, Rest::Zero],
            Label::HB => vec![Rest::Zero, Rest::Pair, Rest::Lyapunov, Rest::Double],
            Label::BP => vec![Rest::Zero, Rest::Pair, Rest::Degenerate, Rest::OneVector],
            _ => vec![Rest::Zero, Rest::Pair],
        }
    }

    /// What else may happen along a curve of tangencies, each with its monitor; nothing along curves of other points.
    fn tangencies(&self) -> Vec<(usize, TestSpec)> {
        let stays = match self.condition {
            PointCondition::Tangency { monitor, .. } => Some(monitor),
            _ => None,
        };
        tangent_points::tests_beside(&self.plain, self.condition.label(), stays)
    }

    fn on_map(&self) -> Vec<Coincidence> {
        coincidences(self.condition.label())
    }

    /// The coefficient whose sign tells how the branches leave a branch point.
    fn degeneracy(&self, plain: &[f64]) -> Option<f64> {
        let (a, b) = coefficients::crossing_coefficients(&self.plain, plain)?;
        Some(if self.pitchfork { b } else { a }.decided())
    }

    /// What vanishes where a second eigenvalue does, and has one sign with `zero`, with an eigenvector of its own: the
    /// second smallest singular value of the derivatives less the eigenvalue that is kept, scaled. `zero` of one state.
    fn own_vector(&self, zero: f64, plain: &[f64]) -> f64 {
        let second = self.singular_values(plain).and_then(|values| values.get(1).copied());
        let second = second.filter(|second| second.is_finite());
        second.map_or(zero, |second| own_vector(zero, second))
    }

    /// The singular values of the derivatives less the eigenvalue that is kept, scaled, the smallest first.
    fn singular_values(&self, plain: &[f64]) -> Option<Vec<f64>> {
        let mut matrix = coefficients::scaled_monodromy(&self.plain, plain);
        let kept = match self.condition.label() {
            _ if self.plain.rest => 0.0,
            Label::PD => -1.0,
            _ => 1.0,
        };
        (0..self.plain.n).for_each(|i| matrix[(i, i)] -= kept);
        Some(Singular::of(&matrix)?.values)
    }

    /// What is zero where `zero` is as a further eigenvalue comes to the one that is kept, unless it has an eigenvector
    /// of its own: there it changes its sign by a jump, also at the very place, where both are rounding.
    fn one_vector(&self, zero: f64, plain: &[f64]) -> f64 {
        /// A singular value below this part of the largest, here or at the start, is rounding.
        const ROUNDING: f64 = 1e-13;
        let values = self.singular_values(plain).unwrap_or_default();
        match (values.get(1), values.last()) {
            (Some(second), Some(largest)) if second.is_finite() => {
                one_vector(zero, *second, ROUNDING * largest.max(self.usual_size))
            }
            _ => f64::NAN,
        }
    }

    /// Along curves of folds and period doublings of maps, the test whose zero is a resonance where the further
    /// multiplier has no eigenvector of its own; where it has one, a test behind all others is zero.
    fn resonance(&self) -> Option<Coincidence> {
        match self.condition.label() {
            _ if self.plain.rest || self.plain.large.is_some() || self.plain.n < 2 => None,
            Label::LP => Some(Coincidence::Plus),
            Label::PD => Some(Coincidence::Minus),
            _ => None,
        }
    }

    fn value(&self, test: Rest, record: &Record, plain: &[f64], angle: f64, speed: f64) -> f64 {
        let parted = self.eigenvalues(record);
        let others = parted.other_values();
        match test {
            Rest::Zero if self.keeps_zero() => self.own_vector(sum_of_least(&record.eigenvalues), plain),
            // Of very many states that is dear.
            Rest::OneVector if self.condition.label() == Label::LP && self.plain.large.is_some() => {
                second_zero(&record.eigenvalues)
            }
            Rest::OneVector => self.one_vector(sum_of_least(&record.eigenvalues), plain),
            Rest::Zero => others
                .iter()
                .filter(|v| v.im == 0.0)
                .map(|v| v.re / (1.0 + v.re.abs()))
                .product(),
            Rest::Pair => psi_hopf(&others, self.plain.neutral.pairs),
            Rest::Cusp => speed,
            Rest::Double => passes_real(angle, speed),
            Rest::Degenerate => self
                .degeneracy(plain)
                .map_or(f64::NAN, |c| c * parted.nearest_to_zero()),
            Rest::Fold => coefficients::scaled_monodromy(&self.plain, plain).determinant(),
            // It has a pole where the frequency passes zero, next to which its terms are rounding.
            Rest::Lyapunov => {
                let turns = angle.abs() > NO_FREQUENCY * parted.scale();
                let known = turns.then(|| self.decided_coefficient(plain, angle)).flatten();
                known.map_or(f64::NAN, |l1| l1 * angle * parted.nearest_to_zero())
            }
        }
    }
}

/// The product of all eigenvalues but one that is zero, scaled: the sum over all i of the products of the others. Where
/// a second one is zero rounding parts the two by the root of its size, in opposite directions; the sum does not
/// notice.
fn second_zero(eigenvalues: &[Complex<f64>]) -> f64 {
    let scaled: Vec<Complex<f64>> = eigenvalues.iter().map(|v| v / (1.0 + v.norm())).collect();
    let others = |i: usize| scaled.iter().enumerate().filter(move |(j, _)| *j != i).map(|(_, v)| v);
    (0..scaled.len()).map(|i| others(i).product::<Complex<f64>>().re).sum()
}

/// The sum of the two eigenvalues next to zero, one of which is zero, times the signs of the real ones among the
/// others: it changes its sign as the product of all but that one does, and is a rate in any unit of time. One where
/// there is no other.
fn sum_of_least(eigenvalues: &[Complex<f64>]) -> f64 {
    let mut sorted = eigenvalues.to_vec();
    sorted.sort_by(|a, b| a.norm().total_cmp(&b.norm()));
    let [a, b, others @ ..] = &sorted[..] else { return 1.0 };
    let real = others.iter().filter(|v| v.im == 0.0);
    let signs: f64 = real.map(|v| v.re.signum()).product();
    // A pair next to zero turns about it on the way from one side to the other.
    let sum = if a.im == 0.0 && b.im != 0.0 {
        b.norm()
    } else {
        a.re + b.re
    };
    sum * signs
}

impl Rest {
    fn spec(self, condition: Label) -> TestSpec {
        let subject = subject(condition);
        let (label, meaning) = match (self, condition) {
            (Self::Zero, Label::LP) => own_vector_meaning(condition, "eigenvalue is zero"),
            (Self::OneVector, Label::LP) => (
                Label::BT,
                "Bogdanov–Takens: a second eigenvalue is zero".into(),
            ),
            (Self::Zero, Label::HB) | (Self::Pair, Label::LP) => (
                Label::ZH,
                "zero-Hopf (fold–Hopf): an eigenvalue is zero and a pair is on the imaginary axis".into(),
            ),
            (Self::Pair, Label::HB) => (
                Label::HH,
                "double Hopf: two pairs of eigenvalues are on the imaginary axis".into(),
            ),
            (Self::OneVector, _) => (
                Label::BT,
                format!("Bogdanov–Takens on {subject}: a second eigenvalue is zero, and both have one eigenvector; a Hopf curve begins here"),
            ),
            (Self::Zero, _) => (
                Label::codimension_two(condition, Label::LP),
                format!("codimension-two point on {subject}: also a fold, an eigenvalue is zero"),
            ),
            (Self::Pair, _) => (
                Label::codimension_two(condition, Label::HB),
                format!("codimension-two point on {subject}: also a Hopf bifurcation, a pair of eigenvalues is on the imaginary axis"),
            ),
            (Self::Double, _) => (
                Label::BT,
                "double zero without a Jordan block, as in systems with the symmetry of a triangle: both eigenvalues of the pair are zero; beyond it the pair is complex again".into(),
            ),
            (Self::Fold, _) => (
                Label::codimension_two(condition, Label::LP),
                format!("codimension-two point on {subject}: also a fold, two solutions meet"),
            ),
            (Self::Cusp, _) => return Coincidence::Cusp.spec(condition, false),
            (Self::Degenerate, _) => return Coincidence::Degenerate.spec(condition, false),
            (Self::Lyapunov, _) => (
                Label::GH,
                "generalised Hopf (Bautin): the first Lyapunov coefficient is zero; the bifurcation turns from supercritical to subcritical, and a curve of folds of cycles begins here".into(),
            ),
        };
        TestSpec::new(label, meaning)
    }
}

impl PointLocus<'_> {
    /// The test functions.
    fn test_functions(&self) -> Vec<TestSpec> {
        let condition = self.condition.label();
        let spec = |test: Coincidence| test.spec_beside(condition, false, self.pitchfork);
        let at_rest = |rest: Rest| match rest {
            Rest::Degenerate => spec(Coincidence::Degenerate),
            other => other.spec(condition),
        };
        if self.plain.rest {
            let tangencies = self.tangencies().into_iter().map(|(_, test)| test);
            let beyond = self
                .other_mode
                .map(|(_, mode)| boundary_modes::tests(&self.plain, mode));
            let own = self.at_rest().into_iter().map(at_rest).chain(tangencies);
            own.chain(beyond.into_iter().flatten()).collect()
        } else {
            let own = self.resonance().map(|_| {
                let second = if condition == Label::PD {
                    "multiplier is -1"
                } else {
                    "multiplier is +1"
                };
                let (label, meaning) = own_vector_meaning(condition, second);
                TestSpec::new(label, meaning)
            });
            self.on_map().into_iter().map(spec).chain(own).collect()
        }
    }

    /// The inequalities of admissibility.
    fn boundaries(&self) -> Vec<InequalitySpec> {
        let condition = self.condition.label();
        let mut specs: Vec<InequalitySpec> = self
            .plain
            .inequalities()
            .into_iter()
            .map(|spec| InequalitySpec {
                label: Label::codimension_two(condition, spec.label),
                meaning: format!("{} ends: {}", subject(condition), spec.meaning),
                ..spec
            })
            .collect();
        let mut push = |label, meaning: &str| {
            specs.push(InequalitySpec {
                label,
                rank: Rank::Other,
                segment: 0,
                meaning: meaning.into(),
            });
        };
        match (self.closure, self.plain.rest) {
            (Some(Closure::Rotated), true) => push(
                Label::BT,
                "Bogdanov–Takens: the frequency of the Hopf points goes to zero; beyond it the pair is real and there are neutral saddles",
            ),
            (Some(Closure::Rotated), false) => REAL_ENDS.iter().for_each(|(label, meaning)| push(*label, meaning)),
            (Some(Closure::NullSpace { .. }), _) => push(CROSSING_LOST.0, CROSSING_LOST.1),
            _ => {}
        }
        specs
    }
}

impl Recurrence for PointLocus<'_> {
    fn turned(&self, point: &Point, near: &[f64]) -> Option<Point> {
        self.turned_near(point, near)
    }
}

impl Inspect for PointLocus<'_> {
    fn recurrence(&mut self) -> Option<&mut dyn Recurrence> {
        Some(self)
    }
    fn parameter_names(&self) -> Vec<String> {
        self.plain.parameter_names()
    }
    fn free_parameters(&self) -> &[usize] {
        self.plain.free_parameters()
    }
    fn domain(&self) -> Option<&dyn Domain> {
        Some(self)
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
        if self.plain.rest {
            let parted = self.eigenvalues(record);
            return match self.at_rest().get(test) {
                Some(Rest::Pair) => hopf_frequency(&parted.other_values(), self.plain.neutral.pairs).is_some(),
                // The coefficient itself is zero, not the factor that takes its poles away.
                Some(Rest::Lyapunov | Rest::Degenerate) => parted.nearest_to_zero().abs() > AT_A_POLE,
                _ => true,
            };
        }
        let others = self.other_multipliers(record);
        self.on_map()
            .get(test)
            .is_none_or(|t| t.confirm(self.condition.label(), (&others, self.plain.neutral)))
    }
    fn explain(&mut self, label: Label, point: &Point, record: &Record) -> Option<String> {
        let plain = self.point_at(point).z;
        self.plain.take_parameters(&plain);
        let others = self.eigenvalues(record).other_values();
        self.says_of_two(label, point, record, &others)
    }
    fn explain_boundary(&mut self, inequality: usize, point: &Point) -> Option<String> {
        let ends = self.inequalities().into_iter().nth(inequality)?;
        let plain = self.point_at(point).z;
        self.plain.take_parameters(&plain);
        (self.plain.rest && ends.label == Label::BT).then(|| self.says_of_double_zero(&plain))
    }
    fn neutral(&self, record: &Record) -> Neutral {
        if self.plain.has_no_motion() {
            Neutral::default()
        } else if self.plain.rest {
            Neutral {
                pairs: neutral_pairs(&self.eigenvalues(record).others, NEUTRAL),
                at_minus_one: 0,
            }
        } else {
            Neutral::among(&self.other_multipliers(record), NEUTRAL)
        }
    }
    fn leave_out_neutral(&mut self, neutral: Neutral) {
        self.plain.neutral = neutral;
    }
    fn inspect(&mut self, point: &Point, record: &mut Record) -> Result<(), Failure> {
        let plain = self.point_at(point);
        let mut residual = vec![0.0; plain.z.len() - 2];
        self.plain.linearise(&plain.z, &mut residual)?;
        measure::measure(&mut self.plain, &plain.z, record)?;
        if let PointCondition::Boundary { event } = self.condition
            && let Some(own) = guards::bounds(&self.plain)
                .iter()
                .rev()
                .position(|&bound| bound == event)
            && let Some(height) = record.inequalities.iter_mut().rev().nth(own)
        {
            // It is zero all along.
            *height = 1.0;
        }
        let angle = self.angle(&point.z);
        let mut speed = self.history.speed(&point.z, &point.tangent);
        if let Some(turn) = self.turn_of_pair(&point.z) {
            speed = turn;
        }
        record.tests.clear();
        if self.plain.rest {
            record.unstable = self.eigenvalues(record).unstable();
            if self.closure == Some(Closure::Rotated) {
                record.inequalities.push(stays_complex(angle, speed));
            }
            let tests = self.at_rest().into_iter();
            let mut values: Vec<f64> = tests.map(|t| self.value(t, record, &plain.z, angle, speed)).collect();
            let tangencies = self.tangencies().into_iter();
            values.extend(tangencies.map(|(monitor, _)| record.monitors[monitor]));
            if let Some(other) = self.other_mode {
                values.extend(boundary_modes::values(&self.plain, other, &plain.z));
            }
            record.tests.extend(values);
        } else {
            let others = self.other_multipliers(record);
            record.unstable = Multiplier::count_unstable(&others);
            if self.closure == Some(Closure::Rotated) {
                record.inequalities.extend(distances_from_real(angle, speed));
            }
            let condition = self.condition.label();
            // A multiplier that is +1 all along leaves the coefficient undefined.
            let undefined = self.beside_one && record.multipliers.iter().any(Multiplier::is_nearly_one);
            let cubic = || match condition {
                _ if undefined => None,
                Label::BP => self.degeneracy(&plain.z),
                _ => self.decided_coefficient(&plain.z, angle),
            };
            let tests = self.on_map();
            let value = |t: &Coincidence| t.value(condition, (&others, self.plain.neutral), angle, speed, cubic);
            let mut values: Vec<f64> = tests.iter().map(value).collect();
            if let Some(place) = self.resonance().and_then(|r| tests.iter().position(|t| *t == r)) {
                let zero = values[place];
                values[place] = self.one_vector(zero, &plain.z);
                values.push(self.own_vector(zero, &plain.z));
            }
            record.tests.extend(values);
        }
        if matches!(self.closure, Some(Closure::NullSpace { .. })) {
            record.inequalities.push(APART - self.unfolding(&point.z).abs());
        }
        Ok(())
    }
}

impl Domain for PointLocus<'_> {
    fn extent(&self, point: &Point) -> Option<f64> {
        self.plain.extent(&self.point_at(point))
    }

    fn requirement_ahead(&self, point: &Point, reach: f64) -> Option<(Vec<f64>, String)> {
        let p = corners::parameters_of(&self.plain, &self.point_at(point).z);
        limit_ahead(self.plain.system, (&p, &self.plain.free), &point.tangent, reach)
    }
}

impl TwoParameters for PointLocus<'_> {
    fn recurs_between(&mut self, base: &Point, next: &Point) -> Option<(Label, String, Point)> {
        self.coincides(base, next)
    }
    fn recurs_at(&mut self, point: &Point) -> Option<(Label, String, Point)> {
        self.nearly_coincides(point)
    }
}
