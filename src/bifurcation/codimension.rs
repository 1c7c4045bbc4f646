//! Test functions of two-parameter curves: what happens besides what is kept.

use super::{Label, TestSpec};
use slipstick_floquet::{
    Multiplier, Neutral, UnitPair, nearest_unit_pair_beside, psi_minus_beside, psi_ns_beside, psi_plus,
};
use std::f64::consts::PI;

/// A test function along a two-parameter curve of orbits or of points of maps.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coincidence {
    /// A fold curve turns back in both parameters.
    Cusp,
    /// A further multiplier is +1.
    Plus,
    /// A further multiplier is -1.
    Minus,
    /// A further pair is on the unit circle.
    Torus,
    /// The argument of the kept pair is 2π/3.
    Third,
    /// The argument of the kept pair is π/2.
    Fourth,
    /// The cubic coefficient of the kept bifurcation changes sign.
    Degenerate,
    /// The kept pair meets at -1 and stays complex.
    Half,
}

/// The test functions for a curve that keeps `kept` (UZ and the boundaries of admissibility keep no multiplier).
pub fn coincidences(condition: Label) -> Vec<Coincidence> {
    let mut tests = vec![Coincidence::Plus, Coincidence::Minus, Coincidence::Torus];
    match condition {
        Label::LP => tests.push(Coincidence::Cusp),
        Label::NS => tests.extend([
            Coincidence::Third,
            Coincidence::Fourth,
            Coincidence::Degenerate,
            Coincidence::Half,
        ]),
        Label::PD | Label::SB | Label::BP => tests.push(Coincidence::Degenerate),
        _ => {}
    }
    tests
}

/// Within this distance of the kept multiplier another one comes from the sum of the two, which is exact to rounding
/// where each by itself, as one of a nearly double pair, is only to its square root.
const NEARLY_DOUBLE: f64 = 1e-2;

/// The multipliers apart from those that `kept` holds on the unit circle.
pub fn other_multipliers(condition: Label, multipliers: &[Multiplier]) -> Vec<Multiplier> {
    let mut left = multipliers.to_vec();
    let target = match condition {
        Label::LP | Label::BP => 0.0,
        Label::SB | Label::PD => PI,
        Label::NS => {
            for conjugate in [1.0, -1.0] {
                take_nearest(&mut left, |m| {
                    if m.is_real() || m.arg * conjugate < 0.0 {
                        f64::INFINITY
                    } else {
                        m.log10.abs()
                    }
                });
            }
            return left;
        }
        _ => return left,
    };
    let distance = |m: &Multiplier| m.log10.abs() + (m.arg.abs() - target).abs();
    let condition = take_nearest(&mut left, distance);
    let second = take_nearest(&mut left, distance);
    left.extend(match (condition, second) {
        (Some(condition), Some(second))
            if distance(&second) < NEARLY_DOUBLE && condition.is_real() == second.is_real() =>
        {
            let real_part = |m: Multiplier| m.modulus() * m.arg.cos();
            Some(Multiplier::real(
                real_part(condition) + real_part(second) - target.cos(),
            ))
        }
        (_, second) => second,
    });
    left
}

/// Take out the one at the least `distance`.
pub fn take_nearest<T>(left: &mut Vec<T>, distance: impl Fn(&T) -> f64) -> Option<T> {
    let nearest = left
        .iter()
        .enumerate()
        .min_by(|a, b| distance(a.1).total_cmp(&distance(b.1)))
        .map(|(i, _)| i);
    nearest.map(|i| left.remove(i))
}

/// What is kept, in words.
pub fn subject(condition: Label) -> String {
    format!("the curve of {condition} ({})", condition.meaning())
}

impl Coincidence {
    /// Label and meaning; `symmetric` for symmetric orbits, whose multipliers are those of the half map.
    pub fn spec(self, condition: Label, symmetric: bool) -> TestSpec {
        let subject = subject(condition);
        let (label, meaning) = match (self, condition) {
            (Self::Cusp, _) => (
                Label::CP,
                "cusp: two fold curves meet and end here; beyond the cusp there is one solution instead of three".into(),
            ),
            (Self::Plus, Label::LP) => (Label::R1, "resonance 1:1: a second multiplier is +1".into()),
            (Self::Plus, _) => (
                Label::codimension_two(condition, Label::LP),
                format!("codimension-two point on {subject}: also a fold, a multiplier is +1"),
            ),
            (Self::Minus, Label::PD | Label::SB) => (Label::R2, "resonance 1:2: a second multiplier is -1".into()),
            (Self::Minus, _) if symmetric => (
                Label::codimension_two(condition, Label::SB),
                format!("codimension-two point on {subject}: also a symmetry breaking, ν = -1"),
            ),
            (Self::Minus, _) => (
                Label::codimension_two(condition, Label::PD),
                format!("codimension-two point on {subject}: also a period doubling, a multiplier is -1"),
            ),
            (Self::Torus, _) => (
                Label::codimension_two(condition, Label::NS),
                format!("codimension-two point on {subject}: also a Neimark–Sacker bifurcation, another pair of multipliers is on the unit circle"),
            ),
            (Self::Third, _) => (
                Label::R3,
                "resonance 1:3: the pair of multipliers is e^{±2πi/3}".into(),
            ),
            (Self::Degenerate, Label::NS) => (
                Label::CH,
                "Chenciner (generalised Neimark–Sacker): the cubic coefficient is zero; the bifurcation turns from supercritical to subcritical, and a curve of folds of invariant tori begins here".into(),
            ),
            (Self::Degenerate, Label::PD) => (
                Label::GPD,
                "generalised period doubling: the cubic coefficient is zero; the bifurcation turns from supercritical to subcritical, and a curve of folds of the doubled solutions begins here".into(),
            ),
            (Self::Degenerate, _) => (
                Label::DP,
                "degenerate pitchfork: the cubic coefficient is zero; the bifurcation turns from supercritical to subcritical, and a curve of folds of the branching solutions begins here".into(),
            ),
            (Self::Fourth, _) => (Label::R4, "resonance 1:4: the pair of multipliers is ±i".into()),
            (Self::Half, _) => (
                Label::R2,
                "resonance 1:2 without a Jordan block, as in systems with the symmetry of a circle: both multipliers of the pair are -1; beyond it the pair is complex again".into(),
            ),
        };
        TestSpec::new(label, meaning)
    }

    /// The same on a curve of branch points that are pitchforks or not: of those that are none, the quadratic
    /// coefficient is the one that vanishes.
    pub fn spec_beside(self, condition: Label, symmetric: bool, pitchfork: bool) -> TestSpec {
        if self != Self::Degenerate || condition != Label::BP || pitchfork {
            return self.spec(condition, symmetric);
        }
        let meaning = "degenerate transcritical point: the quadratic coefficient is zero; the branch that crosses changes the side to which it leaves, and a curve of its folds begins here";
        TestSpec::new(Label::DP, meaning)
    }

    /// Its value, from the other multipliers and what is neutral among them, the argument of the kept pair, the speed
    /// of the parameters along the course of the curve, and the cubic coefficient; no number where that is not known.
    pub fn value(
        self,
        (others, neutral): (&[Multiplier], Neutral),
        angle: f64,
        speed: f64,
        cubic: impl FnOnce() -> Option<f64>,
    ) -> f64 {
        match self {
            Self::Cusp => speed,
            Self::Plus => psi_plus(others),
            Self::Minus => psi_minus_beside(others, neutral),
            Self::Torus => psi_ns_beside(others, neutral.pairs),
            Self::Third => angle.cos() + 0.5,
            Self::Fourth => angle.cos(),
            Self::Half => passes_real(PI - angle, speed),
            Self::Degenerate => cubic().unwrap_or(f64::NAN),
        }
    }

    /// Is a zero what its label says? A pair on the unit circle, not a neutral saddle.
    pub fn confirm(self, others: &[Multiplier], neutral: Neutral) -> bool {
        let nearest = || nearest_unit_pair_beside(others, neutral.pairs);
        self != Self::Torus || matches!(nearest(), Some(UnitPair::Conjugate { .. }))
    }
}

/// How far a crossing of families may come apart on a curve of branch points, as the size of the term that unfolds it.
pub const APART: f64 = 1e-7;
/// The end of a curve of branch points where the two families no longer cross.
pub const CROSSING_LOST: (Label, &str) = (
    Label::EP,
    "the branch point does not persist beyond this point: the two branches no longer intersect, because the symmetry (or the solution that exists for all parameters) is lost as the parameters change",
);

/// The ends of a Neimark–Sacker curve, where its pair becomes real: label, meaning.
pub const REAL_ENDS: [(Label, &str); 2] = [
    (
        Label::R1,
        "resonance 1:1: both multipliers of the pair are +1; beyond it they are real and the curve consists of neutral saddles",
    ),
    (
        Label::R2,
        "resonance 1:2: both multipliers of the pair are -1; beyond it they are real and the curve consists of neutral saddles",
    ),
];

/// How far the angle of a pair is from where the pair becomes real, as an inequality of the curve on which the pair is
/// neutral. Beyond that the equations hold as well, for the conjugate pair: the parameters turn back there, and the
/// value is negative. Where they go on, at this `speed` along the course of the curve, the two are a double one without
/// a Jordan block, as in systems with the symmetry of a circle or of a triangle, and pass each other as they are.
#[doc(hidden)]
#[must_use]
pub fn stays_complex(distance: f64, speed: f64) -> f64 {
    if speed > 0.0 { distance.abs() } else { distance }
}

/// The same distance as a test function, which changes its sign just where the pair passes as it is.
#[doc(hidden)]
#[must_use]
pub fn passes_real(distance: f64, speed: f64) -> f64 {
    if speed > 0.0 { distance } else { distance.abs() }
}

/// The course of a fold curve in the plane of parameters: at a cusp the tangent turns about in it and the curve does
/// not.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default)]
pub struct History(Option<[f64; 2]>);

impl History {
    /// The rates of both parameters (the last two unknowns) along a unit tangent, in units of their sizes.
    fn rates(z: &[f64], tangent: &[f64]) -> [f64; 2] {
        let n = z.len();
        [n - 2, n - 1].map(|i| tangent[i] / z[i].abs().max(0.1))
    }
    /// The course as numbers, none before the first point.
    pub fn memory(&self) -> Vec<f64> {
        self.0.map_or(vec![], |c| c.to_vec())
    }
    /// The course that [`History::memory`] gave.
    pub fn of_memory(memory: &[f64]) -> Self {
        Self(memory.try_into().ok())
    }
    /// Keep the direction in which the curve runs, whichever way the tangent goes.
    pub fn follow(&mut self, z: &[f64], tangent: &[f64]) {
        let rates = Self::rates(z, tangent);
        let length = rates[0].hypot(rates[1]);
        if length < 1e-9 {
            return;
        }
        let along = self.0.map_or(1.0, |c| c[0] * rates[0] + c[1] * rates[1]);
        let sign = if along < 0.0 { -1.0 } else { 1.0 };
        self.0 = Some(rates.map(|r| sign * r / length));
    }
    /// The speed of the parameters along the course, which changes sign at a cusp. The first point asked for sets the
    /// course.
    pub fn speed(&mut self, z: &[f64], tangent: &[f64]) -> f64 {
        if self.0.is_none() {
            self.follow(z, tangent);
        }
        let rates = Self::rates(z, tangent);
        self.0.map_or(1.0, |c| c[0] * rates[0] + c[1] * rates[1])
    }
}
