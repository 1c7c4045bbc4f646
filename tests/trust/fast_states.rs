//! Families of cycles from Hopf points beside states that are faster by up to 1e7 and count in units up to 1e8 apart:
//! fold, periods and multipliers in closed form.

use super::known::{Verdict, curve, labels, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::Label;
use std::f64::consts::{LN_10, PI};

/// Cycles of the radius √s at m = s² - b s, with the frequency ω + 0.2 s; a fast state is a function of theirs.
#[test]
fn cycles_beside_fast_states_have_their_fold_periods_and_multipliers() {
    let class = "fast states";
    let count = members(16);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (b, omega) = (random.between(0.6, 1.2), random.between(0.7, 2.0));
        let (square, slope) = (random.between(-1.0, 1.0), random.between(-1.0, 1.0));
        let (mixed, turned) = (random.between(-0.3, 0.3), random.between(-0.3, 0.3));
        let rate = random.log_between(1e2, 1e7);
        let unit = random.log_between(1e-3, 1e3);
        let fast = unit
            * if member % 2 == 0 {
                1.0
            } else {
                random.log_between(1e-8, 1e8)
            };
        let text = format!(
            "Study(title: \"fast\", system: Smooth(states: [\"u\", \"v\", \"w\"], parameters: {{\"m\": -0.2}}, \
             define: {{\"z\": \"w/({fast:?})\", \"x\": \"u/({unit:?}) - ({mixed:?})*z\", \"y\": \"v/({unit:?}) - ({turned:?})*x\", \
             \"s\": \"x^2 + y^2\", \"g\": \"m + ({b:?})*s - s^2\", \"o\": \"({omega:?}) + 0.2*s\", \
             \"f\": \"x*g - y*o\", \"h\": \"y*g + x*o\", \
             \"q\": \"-({rate:?})*(z - ({square:?})*x*y - ({slope:?})*x) + ({square:?})*(f*y + x*h) + ({slope:?})*f\"}}, \
             equations: [\"u' = ({unit:?})*(f + ({mixed:?})*q)\", \"v' = ({unit:?})*(h + ({turned:?})*f)\", \"w' = ({fast:?})*q\"]), \
             curves: [Curve(name: \"rest\", orbit: Equilibrium, start: Guess(at: {{\"m\": -0.2}}, states: [{{\"u\": 0, \"v\": 0, \"w\": 0}}]), \
             free: \"m\", range: (-0.5, 0.5)), \
             Curve(name: \"c\", orbit: PeriodicOrbit, start: Point(from: \"rest, HB\"), free: \"m\", range: (-0.5, 0.5), points: 120)])"
        );
        let result = run(&text);
        if !result.missing.is_empty() {
            wrong.push((member, format!("{:?}\n{text}", result.missing)));
            continue;
        }
        let found = curve(&result, "c");
        let named: Vec<(Label, f64)> = labels(found).iter().map(|l| (l.0, l.1)).collect();
        let verdict = Verdict::of(&named, &[(Label::LP, -0.25 * b * b)], 1e-9);
        let (mut off, mut grown, mut decayed) = (0.0f64, 0.0f64, 0.0f64);
        for (_, _, p) in found.points() {
            let m = p.point.parameter();
            let period = p.record.period;
            // The radius by the period, which is checked by the parameter.
            let s = (2.0 * PI / period - omega) / 0.2;
            off = off.max((s * s - b * s - m).abs());
            let multipliers: Vec<f64> = p.record.multipliers.iter().map(|m| m.log10 * LN_10).collect();
            grown = grown.max((multipliers[0] - 2.0 * s * (b - 2.0 * s) * period).abs());
            decayed = decayed.max((multipliers[1] / (-rate * period) - 1.0).abs());
        }
        let end = found.points().last().unwrap().2;
        if !verdict.is_right() || end.point.parameter() != 0.5 || off > 1e-7 || grown > 1e-6 || decayed > 1e-6 {
            let ends = (end.point.parameter(), &end.message);
            wrong.push((
                member,
                format!("{verdict:?} {off:e} {grown:e} {decayed:e} {ends:?} rate {rate:e}\n{text}"),
            ));
        }
    }
    none_wrong(class, count, &wrong);
}
