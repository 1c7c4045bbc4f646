//! Driven oscillators whose second mode rests along the orbits of the first, which shake its stiffness: the mode sets in
//! where a multiplier of its own is -1 (period doubling) or +1 (a pitchfork), and its branches lead back to that orbit.

use super::known::{labels, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::{End, Label};
use slipstick_study::RunResult;
use std::f64::consts::TAU;

/// `x'' + 2 d x' + x + e y² = F cos wt` and `y'' + c y' + (a s(p) + b s(p) x) y + g y³ = 0` with `s(p) = 1 - (p/P)²`.
struct Shaken {
    frequency: f64,
    damping: f64,
    force: f64,
    back: f64,
    /// The damping of the mode, its stiffness, the part of that with s(p), and how far it is shaken by x.
    own: f64,
    stiffness: f64,
    bump: f64,
    shaken: f64,
    is_shaken_by_bump: bool,
    cubic: f64,
    /// Units of the states and of the parameter.
    units: [f64; 2],
    parameter: f64,
    /// The multiplier at which it sets in.
    critical: f64,
}

impl Shaken {
    fn random(random: &mut Random, critical: f64) -> Self {
        let (w, d) = (random.between(0.7, 2.5), random.between(0.05, 0.2));
        let amplitude = random.between(0.4, 0.8);
        let doubles = critical < 0.0;
        let own = if doubles {
            random.between(0.03, 0.15)
        } else {
            random.between(0.1, 0.5)
        };
        let half = 0.5 * w * random.between(0.95, 1.05);
        // Parametric instability begins about where the stiffness is shaken by c w.
        let (stiffness, bump, shaken) = if doubles {
            (half * half, 0.0, random.between(2.0, 4.0) * own * w / amplitude)
        } else {
            (0.0, -random.between(0.02, 0.08) * w * w, random.between(0.1, 0.5))
        };
        Self {
            frequency: w,
            damping: d,
            force: amplitude * (1.0 - w * w).hypot(2.0 * d * w),
            back: [0.0, random.between(-0.3, 0.3)][random.below(2)],
            own,
            stiffness,
            bump,
            shaken,
            is_shaken_by_bump: doubles,
            cubic: random.log_between(0.3, 3.0),
            units: [random.log_between(1e-2, 1e2), random.log_between(1e-2, 1e2)],
            parameter: random.log_between(1e-2, 1e2),
            critical,
        }
    }

    fn study(&self, method: &str) -> String {
        let ([sx, sy], p) = (self.units, self.parameter);
        let s = format!("(1 - (p/{p:?})^2)");
        let [x, v, y, z] =
            [("x", sx), ("v", sx), ("y", sy), ("z", sy)].map(|(name, unit)| format!("({name}/{unit:?})"));
        let by = if self.is_shaken_by_bump { &s } else { "1" };
        let stiffness = format!(
            "({:?} + ({:?})*{s} + {:?}*{by}*{x})",
            self.stiffness, self.bump, self.shaken
        );
        format!(
            "Study(title: \"shaken\", system: Smooth(states: [\"x\", \"v\", \"y\", \"z\"], parameters: {{\"p\": {:?}, \"w\": {:?}}}, \
             forcing: Forcing(period: \"2*pi/w\"), equations: [\"x' = v\", \"v' = {sx:?}*(-{:?}*{v} - {x} - ({:?})*{y}^2 + {:?}*cos(w*t))\", \
             \"y' = z\", \"z' = {sy:?}*(-{:?}*{z} - {stiffness}*{y} - {:?}*{y}^3)\"]), curves: [Curve(name: \"c\", orbit: PeriodicOrbit, \
             start: Settle(at: {{\"p\": {:?}}}), free: \"p\", range: ({:?}, {:?}), branches: [{}]{method})])",
            2.0 * p,
            self.frequency,
            2.0 * self.damping,
            self.back,
            self.force,
            self.own,
            self.cubic,
            2.0 * p,
            -2.1 * p,
            2.1 * p,
            self.label(),
        )
    }

    fn label(&self) -> Label {
        if self.critical < 0.0 { Label::PD } else { Label::BP }
    }

    /// The characteristic polynomial of the multipliers of the mode at the critical one, by fourth-order Runge–Kutta
    /// steps.
    fn test(&self, q: f64) -> f64 {
        const STEPS: usize = 2000;
        let (w, d) = (self.frequency, self.damping);
        let period = TAU / w;
        let phase = (2.0 * d * w).atan2(1.0 - w * w);
        let amplitude = self.force / (1.0 - w * w).hypot(2.0 * d * w);
        let s = 1.0 - q * q;
        let by = if self.is_shaken_by_bump { s } else { 1.0 };
        let rate = |t: f64, [y, z]: [f64; 2]| {
            let x = amplitude * (w * t - phase).cos();
            [
                z,
                -self.own * z - (self.stiffness + self.bump * s + self.shaken * by * x) * y,
            ]
        };
        let h = period / STEPS as f64;
        let flow = |mut u: [f64; 2]| {
            for k in 0..STEPS {
                let t = h * k as f64;
                let to = |part: f64, k: [f64; 2]| [u[0] + part * h * k[0], u[1] + part * h * k[1]];
                let a = rate(t, u);
                let b = rate(t + 0.5 * h, to(0.5, a));
                let c = rate(t + 0.5 * h, to(0.5, b));
                let d = rate(t + h, to(1.0, c));
                u = [0, 1].map(|i| u[i] + h / 6.0 * (a[i] + 2.0 * (b[i] + c[i]) + d[i]));
            }
            u
        };
        let (first, second) = (flow([1.0, 0.0]), flow([0.0, 1.0]));
        1.0 + (-self.own * period).exp() - self.critical * (first[0] + second[1])
    }

    /// Where the mode sets in, for p > 0, in units of P.
    fn places(&self) -> Vec<f64> {
        const CELLS: usize = 100;
        let at = |k: usize| 2.1 * k as f64 / CELLS as f64;
        let values: Vec<f64> = (0..=CELLS).map(|k| self.test(at(k))).collect();
        let changes = (0..CELLS).filter(|&k| values[k] * values[k + 1] < 0.0);
        changes
            .map(|k| {
                let (mut a, mut b) = (at(k), at(k + 1));
                for _ in 0..40 {
                    let middle = 0.5 * (a + b);
                    if self.test(middle) * values[k] > 0.0 {
                        a = middle;
                    } else {
                        b = middle;
                    }
                }
                0.5 * (a + b)
            })
            .collect()
    }

    fn said_of(&self, result: &RunResult) -> Vec<String> {
        const NEAR: f64 = 1e-6;
        let mut said = vec![];
        let label = self.label();
        let mut known: Vec<f64> = self.places();
        known.extend(self.places().iter().map(|q| -q));
        known.sort_by(f64::total_cmp);
        for curve in &result.curves {
            let all = labels(curve).into_iter();
            let all: Vec<(Label, f64)> = all.map(|(label, p, _)| (label, p / self.parameter)).collect();
            let is_parent = curve.name == "c";
            let own: Vec<f64> = all.iter().filter(|(l, _)| *l == label).map(|(_, q)| *q).collect();
            let places_are_right =
                own.len() == known.len() && own.iter().zip(&known).all(|(a, b)| (a - b).abs() < NEAR);
            if is_parent && !places_are_right {
                said.push(format!("{known:?}: {all:?}"));
            }
            // Where a branch comes to the orbits along which the mode rests it has the label of that place. It may
            // fold at the same parameter elsewhere.
            let meets = |q: &f64| known.iter().any(|at| (at - q).abs() < NEAR);
            let other = |(l, q): &(Label, f64)| *l == Label::MX || (meets(q) && !matches!(l, Label::LP) && *l != label);
            if all.iter().any(other) {
                said.push(format!("{}: {all:?}", curve.name));
            }
            let shrinks = curve.ends().into_iter().any(|end| matches!(end, End::Shrunk { .. }));
            if shrinks && !all.last().is_some_and(|(l, q)| *l == label && meets(q)) {
                said.push(format!("{} ends at {:?}: {}", curve.name, all.last(), curve.ended()));
            }
        }
        if !result.missing.is_empty() || result.curves.len() < 2 && !known.is_empty() {
            said.push(format!("{:?}", result.missing));
        }
        said
    }
}

#[test]
fn a_mode_that_rests_sets_in_by_its_own_multiplier() {
    let class = "a mode at rest that is shaken";
    let count = members(18);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let shaken = Shaken::random(&mut random, [-1.0, 1.0][member % 2]);
        // Pitchforks by shots are a limit.
        let methods = match member % 2 {
            0 => ["", ", method: Shooting()", ", method: Harmonic()"],
            _ => ["", "", ", method: Harmonic()"],
        };
        let method = methods[member / 2 % 3];
        let text = shaken.study(method);
        let said = shaken.said_of(&run(&text));
        if !said.is_empty() {
            wrong.push((member, format!("{}\n{text}", said.join("; "))));
        }
    }
    none_wrong(class, count, &wrong);
}
