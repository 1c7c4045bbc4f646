//! Rotors that whirl inside an elastic stator, a surface of contact that is a circle. A shaft that is softer one way
//! has orbits that are carried to themselves by half a turn, which the system does not declare: segments appear and
//! vanish two at a time. A round shaft whirls in circles that touch the stator along their whole length.

use super::known::{curve, labels, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::Label;
use slipstick_study::CurveResult;
use std::f64::consts::TAU;

/// A rotor of unit mass with an imbalance.
struct Rotor {
    damping: f64,
    imbalance: f64,
    gap: f64,
    stator: f64,
    friction: f64,
    /// The stiffness of the shaft in y, that in x being one.
    stiffness: f64,
}

const RANGE: (f64, f64) = (0.2, 4.0);

impl Rotor {
    fn random(random: &mut Random) -> Self {
        Self {
            damping: random.between(0.04, 0.12),
            imbalance: random.between(0.2, 0.3),
            gap: random.between(0.4, 0.65),
            stator: random.between(1.5, 5.0),
            friction: random.between(0.0, 0.06),
            stiffness: random.between(1.1, 1.35),
        }
    }

    /// The curve of a word from this speed of rotation.
    fn study(&self, word: &str, omega: f64) -> String {
        let Self {
            damping,
            imbalance,
            gap,
            stator,
            friction,
            stiffness,
        } = self;
        format!(
            "Study(title: \"rotor\", system: Filippov(states: [\"x\", \"u\", \"y\", \"w\"], parameters: {{\"om\": {omega:?}}}, \
             forcing: Forcing(period: \"2*pi/om\"), surfaces: {{\"c\": \"sqrt(x^2 + y^2) - {gap:?}\"}}, \
             define: {{\"r\": \"sqrt(x^2 + y^2)\", \"N\": \"{stator:?}*(r - {gap:?})*heaviside(c)\"}}, \
             equations: [\"x' = u\", \"u' = -2*{damping:?}*u - x + {imbalance:?}*om^2*cos(om*t) - N*(x - {friction:?}*y)/r\", \
             \"y' = w\", \"w' = -2*{damping:?}*w - {stiffness:?}*y + {imbalance:?}*om^2*sin(om*t) - N*(y + {friction:?}*x)/r\"]), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"{word}\"), start: Settle(at: {{\"om\": {omega:?}}}), free: \"om\", \
             range: {RANGE:?}, switch: Auto, points: 1500)])"
        )
    }

    fn rates(&self, t: f64, omega: f64, [x, u, y, w]: [f64; 4]) -> [f64; 4] {
        let r = x.hypot(y);
        let pressure = self.stator * (r - self.gap).max(0.0) / r;
        let (sine, cosine) = (omega * t).sin_cos();
        let push = self.imbalance * omega * omega;
        [
            u,
            -2.0 * self.damping * u - x + push * cosine - pressure * (x - self.friction * y),
            w,
            -2.0 * self.damping * w - self.stiffness * y + push * sine - pressure * (y + self.friction * x),
        ]
    }

    /// Where a motion is a round after it was at `start`, at this phase of the rotation.
    fn round(&self, omega: f64, phase: f64, start: [f64; 4]) -> [f64; 4] {
        const STEPS: usize = 60_000;
        let h = TAU / omega / STEPS as f64;
        let shifted = |x: [f64; 4], k: [f64; 4], by: f64| std::array::from_fn(|i| x[i] + by * k[i]);
        let mut x = start;
        for step in 0..STEPS {
            let t = phase / omega + step as f64 * h;
            let a = self.rates(t, omega, x);
            let b = self.rates(t + 0.5 * h, omega, shifted(x, a, 0.5 * h));
            let c = self.rates(t + 0.5 * h, omega, shifted(x, b, 0.5 * h));
            let d = self.rates(t + h, omega, shifted(x, c, h));
            x = std::array::from_fn(|i| x[i] + h / 6.0 * (a[i] + 2.0 * (b[i] + c[i]) + d[i]));
        }
        x
    }

    /// How far an orbit at a labelled point is from closing, in units of its size, by an integration of its own.
    fn gap_of(&self, curve: &CurveResult) -> f64 {
        let mut worst = 0.0f64;
        for piece in &curve.pieces {
            for (i, orbit) in &piece.orbits {
                let omega = piece.branch.points[*i].point.parameter();
                let first = &orbit.states[0];
                let start = [first[0], first[1], first[2], first[3]];
                let end = self.round(omega, first[4], start);
                for state in 0..4 {
                    let size = orbit.states.iter().fold(0.0f64, |m, x| m.max(x[state].abs()));
                    worst = worst.max((end[state] - start[state]).abs() / size);
                }
            }
        }
        worst
    }
}

#[test]
fn segments_of_one_mode_vanish_and_appear_together_both_ways_along_the_curve() {
    let class = "rotors on a shaft that is softer one way";
    let count = members(3);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let rotor = Rotor::random(&mut random);
        let both = [RANGE.0, RANGE.1].map(|omega| run(&rotor.study("c- free", omega)));
        let [up, down] = both.each_ref().map(|result| curve(result, "c"));
        let places = |curve: &CurveResult| -> Vec<(Label, f64)> {
            let all = labels(curve).into_iter().map(|(label, at, _)| (label, at));
            all.filter(|(label, _)| !matches!(label, Label::GR | Label::VS))
                .collect()
        };
        // Where the word changes GR one way is VS the other way.
        let changes = |curve: &CurveResult| -> Vec<f64> {
            let all = labels(curve).into_iter();
            all.filter(|(label, ..)| matches!(label, Label::GR | Label::VS))
                .map(|(_, at, _)| at)
                .collect()
        };
        let same = |a: f64, b: f64| (a - b).abs() <= 1e-7 * (1.0 + b);
        let (a, b) = (places(up), places(down));
        let mut right = a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| a.0 == b.0 && same(a.1, b.1));
        let (a, b) = (changes(up), changes(down));
        right &= a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| same(*a, *b));
        for curve in [up, down] {
            let ends = [curve.points().next(), curve.points().last()];
            right &= ends.into_iter().flatten().all(|(_, _, p)| p.label == Some(Label::EP));
            right &= rotor.gap_of(curve) <= 1e-6;
        }
        if !right {
            let said = [up, down].map(|curve| {
                let all = labels(curve).into_iter();
                let said = all.map(|(label, at, p)| format!("{label} {at:?} {}", p.message));
                (rotor.gap_of(curve), said.collect::<Vec<_>>())
            });
            wrong.push((member, format!("{said:#?}\n{}", rotor.study("c- free", RANGE.0))));
        }
    }
    none_wrong(class, count, &wrong);
}

#[test]
fn circles_touch_the_stator_along_their_whole_length_and_go_on_in_contact() {
    let class = "rotors on a round shaft";
    let count = members(4);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let rotor = Rotor {
            stiffness: 1.0,
            ..Rotor::random(&mut random)
        };
        let result = run(&rotor.study("c- free", RANGE.0));
        let found = curve(&result, "c");
        // r = e ω² / |1 - ω² + 2 i d ω| is the gap where s = ω² solves a quadratic equation.
        let (e, d, gap) = (rotor.imbalance, rotor.damping, rotor.gap);
        let (a, half) = (1.0 - (e / gap).powi(2), 1.0 - 2.0 * d * d);
        let onset = ((half - (half * half - a).sqrt()) / a).sqrt();
        let touch = labels(found).into_iter().find(|(label, ..)| *label == Label::GR);
        let right = touch.is_some_and(|(_, at, p)| {
            (at - onset).abs() <= 1e-8
                && p.message.contains("touches the surface along its whole length")
                && p.message.contains("the word becomes `c+`")
                && !p.message.contains("singularity")
        });
        let last = found.points().last().map(|(_, _, p)| p.point.parameter());
        let on = found.pieces.len() > 1 && found.pieces[1].word.starts_with("c+") && last != touch.map(|t| t.1);
        if !(right && on && rotor.gap_of(found) <= 1e-6) {
            let said = labels(found).into_iter();
            let said: Vec<String> = said
                .map(|(label, at, p)| format!("{label} {at:?} {}", p.message))
                .collect();
            let gap = rotor.gap_of(found);
            wrong.push((
                member,
                format!("{gap:e} {onset:?} {said:#?}\n{}", rotor.study("c- free", RANGE.0)),
            ));
        }
    }
    none_wrong(class, count, &wrong);
}
