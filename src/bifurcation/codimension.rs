//! Test functions of two-parameter curves: what happens besides what is kept.

use super::{Label, TestSpec};
use slipstick_floquet::{
    Multiplier, Neutral, UnitPair, nearest_to_minus_one, nearest_to_one, nearest_unit_pair_beside, psi_minus_beside,
    psi_ns_beside, psi_plus,
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
    /// The kept pair meets at +1 and stays complex.
    Whole,
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
            Coincidence::Whole,
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
            let side = |m: &Multiplier| match (m.is_real(), m.arg > 0.0) {
                (true, negative) => Side::Real(negative),
                (false, true) => Side::Above,
                (false, false) => Side::Below,
            };
            take_pair(&mut left, |m| (side(m), m.log10.abs()));
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

/// Where an eigenvalue or multiplier lies relative to the real line.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Of a conjugate pair the one with the positive imaginary part.
    Above,
    /// The other one.
    Below,
    /// Real, in one of two groups: multipliers by their sign.
    Real(bool),
}

/// Take out the two that are nearest to the imaginary axis or the unit circle together: a conjugate pair, or, where a
/// pair comes together and rounding makes it real, two real ones of one group.
pub fn take_pair<T>(left: &mut Vec<T>, of: impl Fn(&T) -> (Side, f64)) -> Vec<T> {
    /// A conjugate pair as near as this is the one, however near real ones are.
    const NEAR: f64 = 1e-9;
    let places: Vec<(Side, f64)> = left.iter().map(of).collect();
    let nearest = |side: Side, but: Option<usize>| {
        let own = (0..places.len()).filter(|&i| places[i].0 == side && Some(i) != but);
        own.min_by(|&a, &b| places[a].1.total_cmp(&places[b].1))
    };
    let two = |first: Side, second: Side| {
        let a = nearest(first, None)?;
        let b = nearest(second, Some(a))?;
        Some(([a.min(b), a.max(b)], places[a].1.max(places[b].1)))
    };
    let complex = two(Side::Above, Side::Below);
    let real = [false, true]
        .into_iter()
        .filter_map(|group| two(Side::Real(group), Side::Real(group)));
    let real = real.min_by(|a, b| a.1.total_cmp(&b.1));
    let chosen = match (complex, real) {
        (Some(complex), Some(real)) if complex.1 > NEAR && real.1 < complex.1 => real,
        (Some(pair), _) | (None, Some(pair)) => pair,
        (None, None) => return vec![],
    };
    let [a, b] = chosen.0;
    let second = left.remove(b);
    vec![left.remove(a), second]
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
                "resonance 1:2 without a Jordan block, as where the orbit is its own image under the symmetry of a circle or, half a period later, under another one: both multipliers of the pair are -1; beyond it the pair is complex again".into(),
            ),
            (Self::Whole, _) => (
                Label::R1,
                "resonance 1:1 without a Jordan block, as where a frequency of a forced orbit is that of the forcing: both multipliers of the pair are +1; beyond it the pair is complex again".into(),
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

    /// Its value along a curve that keeps `condition`, from the other multipliers and what is neutral among them, the
    /// argument of the kept pair, the speed of the parameters along the course of the curve, and the cubic coefficient;
    /// no number where that is not known.
    pub fn value(
        self,
        condition: Label,
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
            Self::Half => passes_real(2.0 * (0.5 * angle).cos(), speed),
            Self::Whole => passes_real(2.0 * (0.5 * angle).sin(), speed),
            Self::Degenerate => cubic().map_or(f64::NAN, |c| c * without_pole(condition, (others, neutral))),
        }
    }

    /// Is a zero what its label says? A pair on the unit circle, not a neutral saddle; a coefficient itself, not the
    /// factor that takes its poles away.
    pub fn confirm(self, condition: Label, (others, neutral): (&[Multiplier], Neutral)) -> bool {
        match self {
            Self::Torus => {
                let nearest = nearest_unit_pair_beside(others, neutral.pairs);
                matches!(nearest, Some(UnitPair::Conjugate { .. }))
            }
            Self::Degenerate => without_pole(condition, (others, neutral)).abs() > AT_A_POLE,
            _ => true,
        }
    }
}

/// A factor of poles below this is zero.
pub const AT_A_POLE: f64 = 1e-9;

/// The factor that a coefficient is multiplied by, which vanishes at its poles: where another multiplier is +1, and of
/// period doublings where another one is -1. A pole and a zero within one step cancel each other's change of sign.
fn without_pole(condition: Label, (others, neutral): (&[Multiplier], Neutral)) -> f64 {
    let plus = nearest_to_one(others);
    match condition {
        Label::PD | Label::SB => plus * nearest_to_minus_one(others, neutral),
        _ => plus,
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

/// How far the angle of a pair is from where the pair is a double +1 and a double -1, as [`stays_complex`] says it at
/// this `speed`. A pair that has passed a double one goes on to the other side of the circle: its angle grows beyond π,
/// and is that of a double +1 again at 2π.
#[doc(hidden)]
#[must_use]
pub fn distances_from_real(angle: f64, speed: f64) -> [f64; 2] {
    let turns = (angle / PI).round();
    let off = angle - turns * PI;
    // Inside is where the pair comes from: above zero, and of what comes after it below.
    let near = stays_complex(if turns <= 0.0 { off } else { -off }, speed);
    let far = PI - off.abs();
    if turns.rem_euclid(2.0) == 0.0 {
        [near, far]
    } else {
        [far, near]
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_that_goes_round_the_circle_is_real_at_every_half_turn() {
        for turns in 0..5 {
            let next = f64::from(turns + 1) * PI;
            let own = usize::from(turns % 2 == 0);
            for off in [1e-9, 0.1, 1.5] {
                // On the way the distance to where the pair is real next falls to zero; beyond the end it is negative.
                let before = distances_from_real(next - off, 1.0);
                let beyond = distances_from_real(next + off, -1.0);
                assert!(
                    (before[own] - off).abs() < 1e-14 && (beyond[own] + off).abs() < 1e-14,
                    "{turns} {off}"
                );
                assert!(before[1 - own] > 1.5 && beyond[1 - own] > 1.5, "{turns} {off}");
                // A pair that passes as it is stays inside.
                assert!(
                    distances_from_real(next + off, 1.0).iter().all(|d| *d > 0.0),
                    "{turns} {off}"
                );
            }
        }
        assert!(distances_from_real(-0.1, -1.0)[0] < 0.0);
    }
}
