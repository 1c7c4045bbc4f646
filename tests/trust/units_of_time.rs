//! Smooth oscillators in any unit of time and of the states: forced ones over their frequency have the same curves in
//! about as many points, and the cycles of others are waited for as long.

use super::known::{curve, none_wrong, pieces, run};
use super::random::{Random, members};
use slipstick_bifurcation::{BranchPoint, Label};

/// x'' + d x' + k x + x³ = F cos wt.
struct Duffing {
    d: f64,
    k: f64,
    force: f64,
    /// Where the motion is followed to an orbit, and the range.
    at: f64,
    range: (f64, f64),
    start: f64,
    /// The label that is followed in two parameters.
    label: Label,
    method: &'static str,
}

impl Duffing {
    fn random(random: &mut Random) -> Self {
        let method = ["Auto", "Collocation()", "Harmonic()"][random.below(3)];
        if random.below(2) == 0 {
            Self {
                d: random.between(0.1, 0.25),
                k: 1.0,
                force: random.between(0.2, 0.5),
                at: 0.7,
                range: (0.5, random.between(2.2, 3.0)),
                start: 0.1,
                label: Label::LP,
                method,
            }
        } else {
            Self {
                d: random.between(0.2, 0.3),
                k: -1.0,
                force: random.between(0.28, 0.33),
                at: random.between(1.5, 1.8),
                range: (0.9, 2.0),
                start: 1.0,
                label: Label::PD,
                method,
            }
        }
    }

    /// With states in units of `x`, time in those of `t`.
    fn study(&self, x: f64, t: f64) -> String {
        let rate = 1.0 / (t * t);
        let force = self.force * x * rate;
        let range = format!("({:?}, {:?})", self.range.0 / t, self.range.1 / t);
        let at = self.at / t;
        format!(
            "Study(title: \"units\", system: Smooth(states: [\"x\", \"v\"], parameters: {{\"w\": {at:?}, \"F\": {force:?}, \
             \"d\": {:?}, \"k\": {:?}, \"k3\": {:?}}}, forcing: Forcing(period: \"2*pi/w\"), \
             equations: [\"x' = v\", \"v' = F*cos(w*t) - d*v - k*x - k3*x^3\"], start: {{\"x\": {:?}}}), \
             curves: [Curve(name: \"c\", orbit: PeriodicOrbit, start: Settle(at: {{\"w\": {at:?}}}), free: \"w\", range: {range}, method: {})], \
             loci: [Locus(name: \"l\", from: \"c, {:?}\", free: (\"w\", \"F\"), range: ({range}, ({:?}, {:?})))])",
            self.d / t,
            self.k * rate,
            rate / (x * x),
            self.start * x,
            self.method,
            self.label,
            0.3 * force,
            3.0 * force,
        )
    }
}

/// For each piece of either curve its number of points, and its labels with where they are, as parts of the units of
/// the frequency and of the force.
fn seen(text: &str, x: f64, t: f64) -> Vec<(usize, Vec<(Label, [f64; 2])>)> {
    let result = run(text);
    let all = ["c", "l"].into_iter().flat_map(|name| pieces(&result, name));
    let of = |points: Vec<&BranchPoint>| {
        let parameters = |p: &BranchPoint| [p.record.parameters[0] * t, p.record.parameters[1] * t * t / x];
        let labels = points.iter().filter_map(|p| Some((p.label?, parameters(p))));
        (points.len(), labels.collect())
    };
    all.map(of).collect()
}

#[test]
fn responses_over_the_frequency_take_as_many_points_in_any_unit_of_time() {
    let count = members(2);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("units of time", member);
        let oscillator = Duffing::random(&mut random);
        let (x, t) = (random.log_between(1e-6, 1e6), random.log_between(1e-4, 1e4));
        let text = oscillator.study(x, t);
        let plain = seen(&oscillator.study(1.0, 1.0), 1.0, 1.0);
        let scaled = seen(&text, x, t);
        let close = |a: &[f64; 2], b: &[f64; 2]| (0..2).all(|i| (a[i] / b[i] - 1.0).abs() <= 1e-8);
        let same = |a: &(usize, Vec<(Label, [f64; 2])>), b: &(usize, Vec<(Label, [f64; 2])>)| {
            let labels = a.1.len() == b.1.len() && a.1.iter().zip(&b.1).all(|(a, b)| a.0 == b.0 && close(&a.1, &b.1));
            labels && a.0 <= 3 * b.0 && b.0 <= 3 * a.0
        };
        let right =
            plain.len() >= 2 && plain.len() == scaled.len() && plain.iter().zip(&scaled).all(|(a, b)| same(a, b));
        if !right {
            wrong.push((member, format!("{plain:?}\n{scaled:?}\n{text}")));
        }
    }
    none_wrong("units of time", count, &wrong);
}

/// No `patience` is given: the motion needs some rounds to come to its cycle, whatever the unit of time.
#[test]
fn cycles_without_a_forcing_are_waited_for_in_their_own_time() {
    let class = "cycles in units of time";
    let count = members(8);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (x, t) = (random.log_between(1e-6, 1e6), random.log_between(1e-3, 1e5));
        let from = random.log_between(0.01, 3.0);
        let periods = |x: f64, t: f64| {
            let text = format!(
                "Study(title: \"cycles\", system: Smooth(states: [\"x\", \"v\"], parameters: {{\"m\": 0.5}}, equations: [\"x' = v\", \
                 \"v' = m*(1 - (x/{x:?})^2)*v/{t:?} - x/{t:?}^2\"], start: {{\"x\": {:?}}}), curves: [Curve(name: \"c\", \
                 orbit: PeriodicOrbit, start: Settle(at: {{\"m\": 0.5}}), free: \"m\", range: (0.4, 1.2))])",
                from * x
            );
            let result = run(&text);
            if !result.missing.is_empty() {
                return Err(format!("{:?}\n{text}", result.missing));
            }
            let points: Vec<_> = curve(&result, "c").points().collect();
            let ends = [points.first(), points.last()].map(|p| p.map_or(f64::NAN, |p| p.2.record.period / t));
            Ok(ends)
        };
        match (periods(1.0, 1.0), periods(x, t)) {
            (Ok(plain), Ok(scaled)) if (0..2).all(|i| (plain[i] / scaled[i] - 1.0).abs() <= 1e-8) => {}
            other => wrong.push((member, format!("{x} {t}: {other:?}"))),
        }
    }
    none_wrong(class, count, &wrong);
}
