//! Cycles that linger where a saddle-node of equilibria is about to appear on them, of systems with fast states: their
//! meshes have intervals that are as long as hundreds of steps that resolve the fast rates.
//!
//! On the circle r = 1 the angle moves at the rate 1 - a cos φ, so that the period is 2π/√(1 - a²). The distance from
//! the circle decays at the rate k, and of the other states each at a rate l (1 + b cos φ) towards what the ones after
//! it and the angle ask for: all multipliers are known in closed form.

use super::known::{curve, none_wrong, run};
use super::random::{Random, members};
use std::f64::consts::{LN_10, TAU};

/// The logarithms of the multipliers at `a`, the largest first.
fn known(a: f64, k: f64, rates: &[f64], b: f64) -> Vec<f64> {
    let period = TAU / (1.0 - a * a).sqrt();
    // The integral of cos φ over the period.
    let cosine = (period - TAU) / a;
    let others = rates.iter().map(|l| -l * (period + b * cosine) / LN_10);
    let mut all: Vec<f64> = others.chain([-k * period / LN_10]).collect();
    all.sort_by(|x, y| y.total_cmp(x));
    all
}

#[test]
fn cycles_that_linger_have_the_multipliers_of_closed_forms() {
    let class = "lingering cycles";
    let count = members(6);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let k = random.between(0.2, 1.0);
        let b = random.between(-0.5, 0.5);
        let fast = 2 + random.below(3);
        // Rates that are apart, so that none of the multipliers is near another.
        let mut rates = vec![];
        for i in 0..fast {
            rates.push(random.between(2.0, 4.0) * 4.0f64.powi(i as i32));
        }
        let units: Vec<f64> = (0..fast).map(|_| random.log_between(0.1, 10.0)).collect();
        let names: Vec<String> = (0..fast).map(|i| format!("z{i}")).collect();
        let mut equations = vec![
            format!("\"x' = {k:?}*x*(1 - x^2 - y^2)/2 - y*(1 - a*x)\""),
            format!("\"y' = {k:?}*y*(1 - x^2 - y^2)/2 + x*(1 - a*x)\""),
        ];
        for i in 0..fast {
            let (u, next) = (units[i], (i + 1) % fast);
            let pull = match next {
                0 => String::new(),
                _ => format!(" + {:?}*z{next}/{:?}", random.between(-1.0, 1.0), units[next]),
            };
            equations.push(format!(
                "\"z{i}' = {:?}*(1 + {b:?}*x)*({:?}*({:?}*y{pull}) - z{i})\"",
                rates[i],
                u,
                random.between(-1.0, 1.0)
            ));
        }
        let states: Vec<String> = names.iter().map(|z| format!("\"{z}\"")).collect();
        let text = format!(
            "Study(title: \"t\", system: Smooth(states: [\"x\", \"y\", {}], parameters: {{\"a\": 0.9}}, equations: [{}], \
             start: {{\"x\": -1, \"y\": 0.1}}), curves: [Curve(name: \"c\", orbit: PeriodicOrbit, \
             start: Settle(at: {{\"a\": 0.9}}), free: \"a\", range: (0.8, 0.9999))])",
            states.join(", "),
            equations.join(", ")
        );
        let result = run(&text);
        if let Some(missing) = result.missing.first() {
            wrong.push((member, format!("{}\n{text}", missing.reason)));
            continue;
        }
        let c = curve(&result, "c");
        let mut off = 0.0f64;
        let mut longest = 0.0f64;
        let mut points = 0;
        for (_, _, p) in c.points() {
            points += 1;
            longest = longest.max(p.record.period);
            let known = known(p.record.parameters[0], k, &rates, b);
            if p.record.multipliers.len() != known.len() {
                off = f64::INFINITY;
            }
            for (found, known) in p.record.multipliers.iter().zip(&known) {
                off = off.max((found.log10 - known).abs() / (1.0 + known.abs()));
            }
        }
        if !(off <= 1e-9 && longest > 400.0) {
            let what = format!("multipliers off by {off:e}, periods up to {longest}, {points} points\n{text}");
            wrong.push((member, what));
        }
    }
    none_wrong(class, count, &wrong);
}
