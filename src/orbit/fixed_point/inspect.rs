//! What a tracer asks of equilibria and cycles of maps: tests, and what located points are.

use super::FixedPoint;
use super::branch_point;
use super::coefficients::{self, ZERO, unknown};
use super::corners;
use super::crossings;
use super::crossings::Passing;
use super::guards;
use super::hopf_test::{NEUTRAL, crosses_the_axis, hopf_frequency, neutral_pairs};
use super::measure;
use super::monitors;
use super::phases;
use super::tangent_points;
use crate::centre_space::CentreSpace;
use crate::normal_form::{CONVENTION, Coefficient, twelve_digits};
use nalgebra::Complex;
use slipstick_bifurcation::{
    BranchPoint, Domain, InequalitySpec, Inspect, Label, Monitor, Rank, Record, Recurrence, TestSpec, rotation,
};
use slipstick_continuation::{Failure, Point, Problem};
use slipstick_floquet::{Multiplier, Neutral, UnitPair, nearest_unit_pair_beside, psi_minus_beside};

/// The position of each test among the tests.
const PAIR: usize = 0;
const CROSSING: usize = 1;

/// What the family consists of.
fn kind(problem: &FixedPoint<'_>) -> String {
    match (problem.rest, problem.length) {
        _ if problem.has_no_motion() => "solutions".into(),
        (true, _) => "equilibria".into(),
        (false, 1) => "fixed points".into(),
        (false, k) => format!("cycles of {k} points"),
    }
}

/// The test functions.
fn test_functions(problem: &FixedPoint<'_>) -> Vec<TestSpec> {
    let spec = |label, meaning: String| TestSpec::new(label, meaning);
    let kind = kind(problem);
    let crossing = spec(
        Label::BP,
        format!("branch point: another branch of {kind} intersects this one"),
    );
    if problem.has_no_motion() {
        let mut tests: Vec<TestSpec> = tangent_points::tests(problem)
            .into_iter()
            .map(|(_, test)| test)
            .collect();
        tests.insert(0, crossing);
        return tests;
    }
    if problem.rest {
        return vec![
            spec(
                Label::HB,
                "Hopf bifurcation: a pair of complex eigenvalues crosses the imaginary axis, and periodic orbits branch off".into(),
            ),
            crossing,
        ];
    }
    vec![
        spec(
            Label::NS,
            "Neimark–Sacker bifurcation: a complex pair of multipliers crosses the unit circle, and a closed invariant curve branches off"
                .into(),
        ),
        crossing,
        spec(
            Label::PD,
            format!(
                "period doubling: a multiplier passes -1, and cycles of {} points branch off",
                2 * problem.length
            ),
        ),
    ]
}

/// The inequalities of admissibility.
fn boundaries(problem: &FixedPoint<'_>) -> Vec<InequalitySpec> {
    problem.system.modes[problem.mode]
        .inequalities
        .iter()
        .map(|i| InequalitySpec {
            label: Label::GR,
            rank: Rank::Stated,
            segment: 0,
            meaning: format!("a point reaches the boundary of `{}`", i.name),
        })
        .chain(corners::corner_inequalities(problem))
        .chain(guards::inequalities(problem))
        .collect()
}

impl Inspect for FixedPoint<'_> {
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
        Monitor::list(scalars, test_functions(self), boundaries(self))
    }

    fn word(&self) -> String {
        if self.system.is_hybrid() {
            self.system.modes[self.mode].name.clone()
        } else {
            String::new()
        }
    }

    fn inspect(&mut self, point: &Point, record: &mut Record) -> Result<(), Failure> {
        measure::measure(self, &point.z, record)?;
        record.tests.push(measure::crossing(self, point));
        if self.has_no_motion() {
            let own = tangent_points::tests(self).into_iter();
            record.tests.extend(own.map(|(value, _)| record.monitors[value]));
            return Ok(());
        }
        if !self.rest {
            record.tests.push(psi_minus_beside(&record.multipliers, self.neutral));
        }
        Ok(())
    }

    fn confirm(&self, test: usize, record: &Record) -> bool {
        // The test of pairs also vanishes at neutral saddles, where nothing bifurcates.
        match (test, self.rest) {
            _ if self.has_no_motion() => true,
            (PAIR, true) => {
                let eigenvalues: Vec<_> = record.scaled_eigenvalues().collect();
                crosses_the_axis(&eigenvalues, self.neutral.pairs)
            }
            (PAIR, false) => matches!(
                nearest_unit_pair_beside(&record.multipliers, self.neutral.pairs),
                Some(UnitPair::Conjugate { .. })
            ),
            _ => true,
        }
    }

    fn refine(&mut self, test: usize, point: &Point) -> Option<Vec<f64>> {
        let crossing = if self.has_no_motion() { PAIR } else { CROSSING };
        if test == crossing {
            let sizes = branch_point::sizes_beside(self, &point.z, &point.weights);
            branch_point::branch_point_near(self, &point.z, &sizes)
        } else {
            None
        }
    }

    fn neutral(&self, record: &Record) -> Neutral {
        if self.has_no_motion() {
            Neutral::default()
        } else if self.rest {
            Neutral {
                pairs: neutral_pairs(&record.scaled_eigenvalues().collect::<Vec<_>>(), NEUTRAL),
                at_minus_one: 0,
            }
        } else {
            Neutral::among(&record.multipliers, NEUTRAL)
        }
    }

    fn leave_out_neutral(&mut self, neutral: Neutral) {
        self.neutral = neutral;
    }

    fn fold_meaning(&self, parameter: &str) -> String {
        if self.has_no_motion() {
            return tangent_points::fold_meaning(self, parameter);
        }
        format!(
            "fold (saddle-node): two branches of {} meet, and the curve turns back in {parameter}",
            kind(self,)
        )
    }

    fn explain_touch(&mut self, point: &Point, several: bool) -> Option<String> {
        self.take_parameters(&point.z);
        let passing = if several { Passing::Several } else { Passing::Nothing };
        crossings::explain_crossing(self, point, passing)
    }

    fn explain_several_pairs(&mut self, point: &Point) -> Option<String> {
        self.take_parameters(&point.z);
        let field = self.system.modes[self.mode].field.as_ref();
        let space = CentreSpace::at(field, &point.z[..self.n], &self.parameters, *self.free.last()?)?;
        Some(format!("; {}", space.zeros()?.describe(space.pairs())))
    }

    fn explain(&mut self, label: Label, point: &Point, record: &Record) -> Option<String> {
        self.take_parameters(&point.z);
        if self.large.is_some() {
            self.linearise(&point.z, &mut vec![0.0; self.n]).ok()?;
        }
        if self.has_no_motion() && label != Label::BP {
            return tangent_points::explain(self, label, record);
        }
        let z = &point.z;
        let coefficient = |found: Option<Coefficient>| found.filter(Coefficient::is_finite);
        match label {
            Label::LP => {
                let neutral = coefficients::neutral(self);
                let Some(a) = coefficient(self.beside_its_changes(z, |expansion| expansion.fold(neutral))) else {
                    return Some(unknown("the quadratic coefficient"));
                };
                let degenerate = match a.is_positive() {
                    Some(_) => "",
                    None => ": zero to rounding, the fold is degenerate",
                };
                Some(format!(
                    "; quadratic coefficient a = {}, {CONVENTION}{degenerate}",
                    twelve_digits(a.value)
                ))
            }
            Label::BP => crossings::explain_crossing(self, point, Passing::One),
            Label::HB => {
                let omega = hopf_frequency(&record.eigenvalues, self.neutral.pairs)?;
                let reported = omega / self.system.units.time;
                let period = std::f64::consts::TAU / reported;
                if record
                    .scaled_eigenvalues()
                    .any(|(v, scale)| v.norm() < ZERO * scale.max(omega))
                {
                    return Some(format!(
                        "; an eigenvalue is zero here as well (zero-Hopf), which leaves the first Lyapunov coefficient undefined (frequency \
                         {reported:.10}, period {period:.10})"
                    ));
                }
                let pair = Complex::new(0.0, omega);
                if let Some(a) = coefficient(coefficients::expansion(self, z).growth_of_radius(pair, false)) {
                    let jump = beside_a_jump(a, a.is_positive().map(|grows| !grows), &ORBITS, "r' = … + a r²");
                    return Some(format!("{jump}; frequency {reported:.10}, period {period:.10})"));
                }
                let Some(l1) = coefficient(self.beside_its_changes(z, |expansion| expansion.lyapunov(omega))) else {
                    let unknown = unknown("the first Lyapunov coefficient");
                    return Some(format!("{unknown} (frequency {reported:.10}, period {period:.10})"));
                };
                let says = match l1.is_positive() {
                    Some(false) => {
                        "supercritical: the bifurcating periodic orbits are stable within the centre manifold"
                    }
                    Some(true) => "subcritical: the bifurcating periodic orbits are unstable",
                    None => {
                        "degenerate: the first Lyapunov coefficient is zero to rounding and does not determine the stability of the periodic orbits"
                    }
                };
                Some(format!(
                    "; {says} (first Lyapunov coefficient l1 = {}, in Kuznetsov's normalisation {CONVENTION}, divided by the frequency; \
                     frequency {reported:.10}, period {period:.10})",
                    twelve_digits(l1.value)
                ))
            }
            Label::PD => {
                if record.multipliers.iter().any(Multiplier::is_nearly_one) {
                    return Some(
                        "; a multiplier is +1 here as well, which leaves the cubic coefficient undefined: cycles and fixed points may branch off together"
                            .into(),
                    );
                }
                if let Some(a) = coefficient(coefficients::expansion(self, z).growth_of_doubled()) {
                    let jump = beside_a_jump(a, a.is_positive(), &DOUBLED, "ξ → ξ - a ξ² in two steps");
                    return Some(format!("{jump})"));
                }
                let Some(c) = coefficient(self.beside_its_changes(z, |expansion| expansion.flip())) else {
                    return Some(unknown("the cubic coefficient"));
                };
                let says = match c.is_positive() {
                    Some(true) => "supercritical: the doubled cycle is stable within the centre manifold",
                    Some(false) => "subcritical: the doubled cycle is unstable",
                    None => {
                        "degenerate: the cubic coefficient is zero to rounding and does not determine the stability of the doubled cycle"
                    }
                };
                Some(format!(
                    "; {says} (cubic coefficient c = {}, {CONVENTION})",
                    twelve_digits(c.value)
                ))
            }
            Label::NS => {
                let nearest = nearest_unit_pair_beside(&record.multipliers, self.neutral.pairs);
                let Some(UnitPair::Conjugate { arg }) = nearest else {
                    return None;
                };
                let pair = Complex::from_polar(1.0, arg);
                if let Some(a) = coefficient(coefficients::expansion(self, z).growth_of_radius(pair, true)) {
                    let jump = beside_a_jump(a, a.is_positive().map(|grows| !grows), &INVARIANT, "r → r + … + a r²");
                    return Some(format!("{jump}; rotation angle {arg:.10})"));
                }
                let Some(d) = coefficient(self.beside_its_changes(z, |expansion| expansion.neimark_sacker(arg))) else {
                    return Some(unknown("the cubic coefficient"));
                };
                let says = match d.is_positive() {
                    Some(false) => "supercritical: the invariant curve is stable within the centre manifold",
                    Some(true) => "subcritical: the invariant curve is unstable",
                    None => {
                        "degenerate: the cubic coefficient is zero to rounding and does not determine the stability of the invariant curve"
                    }
                };
                Some(format!(
                    "; {says} (coefficient d = {}, {CONVENTION}, rotation angle {arg:.10})",
                    twelve_digits(d.value)
                ))
            }
            _ => None,
        }
    }
}

/// What is born at a bifurcation, where it is stable and where it is not.
type Born = [&'static str; 2];
const ORBITS: Born = [
    "the bifurcating periodic orbits are stable within the centre manifold",
    "the bifurcating periodic orbits are unstable",
];
const DOUBLED: Born = [
    "the doubled cycle is stable within the centre manifold",
    "the doubled cycle is unstable",
];
const INVARIANT: Born = [
    "the invariant curve is stable within the centre manifold",
    "the invariant curve is unstable",
];

/// What a quadratic coefficient says that is there since second derivatives jump at the point, up to the last bracket.
fn beside_a_jump(a: Coefficient, stable: Option<bool>, born: &Born, law: &str) -> String {
    let says = match stable {
        Some(true) => format!("supercritical: {}", born[0]),
        Some(false) => format!("subcritical: {}", born[1]),
        None => "degenerate: neither the stability nor the side of what is born is determined".to_owned(),
    };
    let a = twelve_digits(a.value);
    format!("; {says} (second derivatives of the equations jump at this point: {law} with a = {a}, {CONVENTION}")
}

impl Recurrence for FixedPoint<'_> {
    fn rotation(&self, label: Label, record: &Record) -> Option<f64> {
        rotation(label, &record.multipliers, self.neutral.pairs).filter(|_| !self.rest)
    }

    fn solve_rotated(&mut self, angle: f64, frequency: f64) -> Result<Vec<f64>, Failure> {
        self.rotated(angle, frequency)
    }

    fn turned(&self, point: &Point, near: &[f64]) -> Option<Point> {
        phases::classified_near(self, point, near)
    }

    fn turned_over(&self, a: (&Point, &Record), b: (&Point, &Record)) -> bool {
        phases::passes_half(self, a.0, b.0)
    }

    fn vanishing_point(&mut self, _: &Record, last: (&Point, &Record)) -> Option<BranchPoint> {
        phases::birth(self, last.0)
    }
}

impl Domain for FixedPoint<'_> {
    fn requirement_limit(&self, point: &Point, end: f64) -> Option<(f64, String)> {
        corners::limit_towards(self, point, end)
    }

    fn edge_near(&self, point: &Point) -> Option<String> {
        corners::edge_touched(self, point)
    }

    fn corner_reached(&self, point: &Point) -> Option<usize> {
        corners::corner_reached(self, &point.z)
    }

    fn extent(&self, point: &Point) -> Option<f64> {
        let one = [1.0];
        let lengths = self.lengths.as_deref().unwrap_or(&one).iter().cycle();
        let from = self.origin.iter().cycle();
        let states = point.z[..self.n * self.length].iter().zip(from).zip(lengths);
        Some(states.fold(0.0, |m: f64, ((v, from), length)| m.max(((v - from) / length).abs())))
    }
}
