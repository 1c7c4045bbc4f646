//! Forced passages that are delayed: `x' = a(t) x - b x^(k+1)`, where a(t) = (m + A cos(wt + φ))/ε is negative through
//! part of each period. Meanwhile x falls to between 1e-13 and 1e-200 of what it is at most, and recovers from what is
//! left of it long after a(t) has changed its sign. `y = x^(-k)` obeys `y' = k (b - a(t) y)`, whose periodic solution is
//! an integral.

use super::known::{curve, labels, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::Label;
use std::f64::consts::{LN_10, TAU};

struct Passage {
    /// Amplitude, frequency, phase and ε of the forcing.
    amplitude: f64,
    frequency: f64,
    phase: f64,
    epsilon: f64,
    /// The coefficient of the power k + 1, for x in its unit.
    b: f64,
    k: i32,
}

impl Passage {
    fn random(random: &mut Random, epsilon: f64) -> Self {
        let (frequency, k) = (random.log_between(0.3, 3.0), 1 + random.below(3) as i32);
        Self {
            amplitude: random.between(0.8, 1.2),
            frequency,
            phase: random.between(0.0, TAU),
            epsilon: epsilon / frequency,
            b: random.log_between(1e-2, 1e2) * random.log_between(1e-3, 1e3).powi(k),
            k,
        }
    }

    fn period(&self) -> f64 {
        TAU / self.frequency
    }

    /// a(t) in a study.
    fn rate(&self) -> String {
        let Self {
            amplitude,
            frequency,
            phase,
            epsilon,
            ..
        } = self;
        format!("(m + {amplitude:?}*cos({frequency:?}*t + {phase:?}))/{epsilon:?}")
    }

    /// What x is at most, nearly.
    fn largest(&self, m: f64) -> f64 {
        ((m + self.amplitude) / self.epsilon / self.b).powf(1.0 / f64::from(self.k))
    }

    /// A study of a state with this equation and start, with such entries.
    fn study(&self, m: f64, equation: &str, start: f64, entries: &str) -> String {
        let state = &equation[..1];
        format!(
            "Study(title: \"delayed\", system: Smooth(states: [\"{state}\"], parameters: {{\"m\": {m:?}}}, forcing: Forcing(period: \"{:?}\"), \
             equations: [\"{equation}\"], start: {{\"{state}\": {start:?}}}), {entries})",
            self.period()
        )
    }

    /// The equation of x.
    fn equation(&self) -> String {
        format!("x' = {}*x - {:?}*x^{}", self.rate(), self.b, self.k + 1)
    }

    /// The integral of a(t) up to a time.
    fn integral(&self, m: f64, t: f64) -> f64 {
        let turned = self.amplitude / self.frequency * (self.frequency * t + self.phase).sin();
        (m * t + turned) / self.epsilon
    }

    /// The positive periodic solution at a time, by Simpson's rule over the period before it.
    fn solution(&self, m: f64, t: f64) -> f64 {
        const PANELS: i32 = 100_000;
        let (period, k) = (self.period(), f64::from(self.k));
        let here = self.integral(m, t);
        let ago = |s: f64| k * (self.integral(m, t - s) - here);
        let h = period / f64::from(2 * PANELS);
        // In units of the largest value of the integrand.
        let largest = (0..=2 * PANELS)
            .map(|i| ago(h * f64::from(i)))
            .fold(f64::NEG_INFINITY, f64::max);
        let weight = |i: i32| match i {
            0 => 1.0,
            i if i == 2 * PANELS => 1.0,
            i if i % 2 == 1 => 4.0,
            _ => 2.0,
        };
        let sum: f64 = (0..=2 * PANELS)
            .map(|i| weight(i) * (ago(h * f64::from(i)) - largest).exp())
            .sum();
        let over_period = k * self.b * h / 3.0 * sum;
        let log_y = largest + over_period.ln() - (-(k * m * period / self.epsilon)).exp_m1().abs().ln();
        (-log_y / k).exp()
    }

    /// The logarithm of base 10 of the multiplier: over a period ln x comes back, so that b xᵏ is a(t) in the mean.
    fn multiplier(&self, m: f64) -> f64 {
        -f64::from(self.k) * m * self.period() / self.epsilon / LN_10
    }
}

#[test]
fn delayed_passages_of_forced_systems_are_followed_through_whatever_is_left() {
    /// A simulation, which the attracting motion is reached in, through several passages.
    const ROUNDS: f64 = 6.4;
    let class = "delayed passages";
    let count = members(9);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let epsilon = random.log_between(0.004, 0.04);
        let passage = Passage::random(&mut random, epsilon);
        let m = random.between(0.25, 0.4);
        let (range, levels) = ((0.975 * m, 1.025 * m), [0.98, 1.0, 1.02].map(|part| part * m));
        let start = random.log_between(1e-3, 1.0) * passage.largest(m);
        let entries = format!(
            "curves: [Curve(name: \"c\", orbit: PeriodicOrbit, start: Settle(at: {{\"m\": {m:?}}}), free: \"m\", range: {range:?}, \
             levels: {{\"m\": {levels:?}}})], simulations: [Simulation(name: \"s\", time: {:?})]",
            ROUNDS * passage.period(),
        );
        let text = passage.study(m, &passage.equation(), start, &entries);
        let result = run(&text);
        let [own, motion] = [result.curves.len(), result.trajectories.len()];
        if [own, motion] != [1, 1] {
            wrong.push((member, format!("{:?}\n{text}", result.missing)));
            continue;
        }
        let last = result.trajectories[0].rows.last().unwrap();
        let x = passage.solution(m, last.t % passage.period());
        if !((last.states[0] / x - 1.0).abs() <= 1e-6) {
            wrong.push((member, format!("x({}) = {} for {x}\n{text}", last.t, last.states[0])));
        }
        let own = curve(&result, "c");
        let at_levels: Vec<_> = own
            .points()
            .map(|(_, _, p)| p)
            .filter(|p| p.label == Some(Label::UZ))
            .collect();
        let invented = labels(own).len();
        let ends: Vec<f64> = own
            .points()
            .filter(|(_, _, p)| p.label == Some(Label::EP))
            .map(|(_, _, p)| p.point.parameter())
            .collect();
        if at_levels.len() != levels.len() || invented > 0 || ends != [range.0, range.1] {
            wrong.push((
                member,
                format!(
                    "{} levels, {invented} labels, from {ends:?}: {}\n{text}",
                    at_levels.len(),
                    own.special()
                ),
            ));
            continue;
        }
        for p in at_levels {
            let (m, z) = (p.point.parameter(), &p.point.z);
            let (x, multiplier) = (passage.solution(m, z[1]), passage.multiplier(m));
            let record = &p.record;
            let period = (record.period / passage.period() - 1.0).abs();
            let off = (record.multipliers[0].log10 / multiplier - 1.0).abs();
            if !((z[0] / x - 1.0).abs() <= 1e-6 && period <= 1e-10 && off <= 1e-8 && record.unstable == 0) {
                wrong.push((
                    member,
                    format!(
                        "m = {m}: x({}) = {} for {x}, period off by {period}, multiplier 1e{} for 1e{multiplier}\n{text}",
                        z[1], z[0], record.multipliers[0].log10
                    ),
                ));
            }
        }
    }
    none_wrong(class, count, &wrong);
}

/// Where it falls below the least numbers the passage is refused, with what to write; the motion at zero that is left,
/// which repels, is none that a trajectory settles to. Its logarithm is followed.
#[test]
fn passages_through_less_than_numbers_can_be_are_refused() {
    let class = "vanishing passages";
    let count = members(6);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let epsilon = random.log_between(5e-4, 1.5e-3);
        let passage = Passage::random(&mut random, epsilon);
        let m = random.between(0.25, 0.4);
        let entries = format!(
            "curves: [Curve(name: \"c\", orbit: PeriodicOrbit, start: Settle(at: {{\"m\": {m:?}}}), free: \"m\", range: ({m:?}, {:?}))]",
            1.001 * m
        );
        let start = 0.1 * passage.largest(m);
        let plain = passage.study(m, &passage.equation(), start, &entries);
        let result = run(&plain);
        let refused = result.missing.iter().any(|missing| missing.reason.contains("ln(x)"));
        if !refused || !result.curves.is_empty() {
            wrong.push((member, format!("{:?}\n{plain}", result.missing)));
        }
        let of_logarithm = format!("u' = {} - {:?}*exp({}*u)", passage.rate(), passage.b, passage.k);
        let logarithmic = passage.study(m, &of_logarithm, start.ln(), &entries);
        let result = run(&logarithmic);
        let found = result
            .curves
            .first()
            .and_then(|own| own.points().next().map(|(_, _, p)| p.record.multipliers[0].log10));
        if !found.is_some_and(|log10| (log10 / passage.multiplier(m) - 1.0).abs() <= 1e-6) {
            wrong.push((member, format!("{found:?} {:?}\n{logarithmic}", result.missing)));
        }
    }
    none_wrong(class, count, &wrong);
}

/// By shots the same orbits are right, or refused where they begin with too little of the state, with what to write.
#[test]
fn shots_through_passages_are_right_or_refused() {
    let class = "shots through passages";
    let count = members(12);
    let (mut wrong, mut refused) = (vec![], 0);
    for member in 0..count {
        let mut random = Random::of(class, member);
        let epsilon = random.log_between(0.02, 0.3);
        let passage = Passage::random(&mut random, epsilon);
        let m = random.between(0.25, 0.4);
        let entries = format!(
            "curves: [Curve(name: \"c\", orbit: PeriodicOrbit, method: Shooting(), start: Settle(at: {{\"m\": {m:?}}}), free: \"m\", \
             range: ({:?}, {:?}))]",
            0.975 * m,
            1.025 * m
        );
        let text = passage.study(m, &passage.equation(), 0.1 * passage.largest(m), &entries);
        let result = run(&text);
        if result
            .missing
            .iter()
            .any(|missing| missing.reason.contains("logarithm"))
        {
            refused += 1;
            continue;
        }
        let points = result.curves.iter().flat_map(|own| own.points());
        let off: Vec<f64> = points
            .map(|(_, _, p)| {
                let (m, z) = (p.point.parameter(), &p.point.z);
                let multiplier = p.record.multipliers[0].log10 / passage.multiplier(m) - 1.0;
                (z[0] / passage.solution(m, z[1]) - 1.0).abs().max(multiplier.abs())
            })
            .collect();
        if off.is_empty() || off.iter().any(|off| !(*off <= 1e-6)) {
            wrong.push((member, format!("{off:?} {:?}\n{text}", result.missing)));
        }
    }
    none_wrong(class, count, &wrong);
    assert!(refused < count, "all are refused");
}
