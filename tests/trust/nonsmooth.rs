//! Equations with corners, jumps and poles at places that are known by construction.

use super::known::{curve, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::Label;
use slipstick_study::CurveResult;

/// `Study(…)` of one curve of equilibria of x' = `field`, from x at mu.
fn study(field: &str, (mu, x): (f64, f64), range: (f64, f64)) -> String {
    format!(
        "Study(title: \"corner\", system: Smooth(states: [\"x\"], parameters: {{\"mu\": {mu:?}}}, equations: [\"x' = {field}\"]), curves: [Curve(name: \"c\", orbit: Equilibrium, start: Guess(at: {{\"mu\": {mu:?}}}, states: [{{\"x\": {x:?}}}]), free: \"mu\", range: ({:?}, {:?}))])",
        range.0, range.1
    )
}

/// Labels other than ends of the range, each with the parameter and the message.
fn told(found: &CurveResult) -> Vec<(Label, f64, String)> {
    let points = found.points().filter_map(|(_, _, p)| {
        let ordinary = p.message.starts_with("end of the range");
        (!ordinary).then_some((p.label?, p.point.parameter(), p.message.clone()))
    });
    points.collect()
}

/// s (mu - m) = a |x - c| + b (x - c): at mu = m two branches of different slopes meet in a corner, as a fold if |b| < |a|.
#[test]
fn corners_are_named_and_passed() {
    let count = members(20);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("corners", member);
        let (m, c) = (random.between(-0.5, 0.5), random.between(-0.5, 0.5));
        let a = random.sign() * random.between(0.5, 2.0);
        let b = random.sign()
            * a.abs()
            * if member % 2 == 0 {
                random.between(0.1, 0.8)
            } else {
                random.between(1.3, 3.0)
            };
        let corner = match random.below(3) {
            0 => format!("abs(x - ({c:?}))"),
            1 => format!("(max(x, ({c:?})) - min(x, ({c:?})))"),
            _ => format!("if(x < ({c:?}), ({c:?}) - x, x - ({c:?}))"),
        };
        let field = format!("mu - ({m:?}) - ({a:?})*{corner} - ({b:?})*(x - ({c:?}))");
        // On the right of the corner.
        let x = c + 0.3;
        let mu = m + (a + b) * 0.3;
        let text = study(&field, (mu, x), (m - 3.0, m + 3.0));
        let result = run(&text);
        let found = curve(&result, "c");
        let labels = told(found);
        let right = matches!(&labels[..], [(Label::GR, at, said)]
            if (at - m).abs() < 1e-10 && said.contains("corner") && said.contains("nonsmooth fold") == (b.abs() < a.abs()));
        // Both pieces are there to the ends of the range, each exactly where it belongs.
        let off = found.points().map(|(_, _, p)| {
            let (x, mu) = (p.point.z[0], p.point.z[1]);
            (mu - m - a * (x - c).abs() - b * (x - c)).abs()
        });
        let off = off.fold(0.0, f64::max);
        let sides = [-1.0, 1.0].map(|s| found.points().filter(|(_, _, p)| s * (p.point.z[0] - c) > 1e-3).count());
        if !right || off > 1e-9 || sides.contains(&0) {
            wrong.push((member, format!("{labels:?}, off by {off:.1e}, {sides:?}\n{text}")));
        }
    }
    none_wrong("corners", count, &wrong);
}

/// x = x0 + k (mu - m) + h step(mu - m): the curve ends where the equations jump.
#[test]
fn jumps_end_the_curve() {
    let count = members(20);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("jumps", member);
        let m = random.between(-0.5, 0.5);
        let (k, h) = (random.between(-2.0, 2.0), random.sign() * random.between(0.1, 2.0));
        let jump = match random.below(4) {
            0 => format!("heaviside(mu - ({m:?}))"),
            1 => format!("(sign(mu - ({m:?})) + 1)/2"),
            2 => format!("if(mu > ({m:?}), 1, 0)"),
            _ => format!("(floor(0.3*(mu - ({m:?}))) + 1)"),
        };
        let text = study(
            &format!("({k:?})*(mu - ({m:?})) + ({h:?})*{jump} - x"),
            (m - 0.6, -0.6 * k),
            (m - 1.0, m + 1.0),
        );
        let result = run(&text);
        let found = curve(&result, "c");
        let labels = told(found);
        let right = matches!(&labels[..], [(Label::EP, at, said)] if (at - m).abs() < 1e-10 && said.contains("jump"));
        if !right || found.points().any(|(_, _, p)| p.point.parameter() > m + 1e-10) {
            wrong.push((member, format!("{labels:?}\n{text}")));
        }
    }
    none_wrong("jumps", count, &wrong);
}

/// x = c + k / (mu - m) goes off to infinity at the pole, and sin(1/(mu - m)) crosses it nowhere.
#[test]
fn poles_are_not_stepped_over() {
    let count = members(6);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("poles", member);
        let m = random.between(-0.5, 0.5);
        let k = random.sign() * random.between(0.1, 1.0);
        let field = format!("({k:?})/(mu - ({m:?})) - x");
        let text = study(&field, (m - 0.6, -k / 0.6), (m - 1.0, m + 1.0));
        let result = run(&text);
        let found = curve(&result, "c");
        let labels = told(found);
        let ended = labels.len() == 1 && matches!(labels[0].0, Label::EP | Label::MX) && (labels[0].1 - m).abs() < 1e-3;
        if !ended || found.points().any(|(_, _, p)| p.point.parameter() > m) {
            wrong.push((member, format!("{labels:?}\n{text}")));
        }
    }
    none_wrong("poles", count, &wrong);
}

/// A tent map with its corner at c: x+ = mu (1 - |x - c|): the fixed point meets the corner where x = c.
#[test]
fn points_of_maps_meet_corners() {
    let count = members(10);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("tents", member);
        let (a, b) = (random.between(-0.9, 0.9), random.between(-0.9, 0.9));
        // x+ = mu + a x (x < 0), mu + b x (x > 0): the fixed points mu/(1 - a), mu/(1 - b) join at mu = 0.
        let field = format!("mu + if(x < 0, ({a:?})*x, ({b:?})*x)");
        let text = format!(
            "Study(title: \"border\", system: Map(states: [\"x\"], parameters: {{\"mu\": -0.5}}, equations: [\"x+ = {field}\"]), curves: [Curve(name: \"c\", orbit: Cycle(1), start: Guess(at: {{\"mu\": -0.5}}, states: [{{\"x\": {:?}}}]), free: \"mu\", range: (-1, 1))])",
            -0.5 / (1.0 - a)
        );
        let result = run(&text);
        let found = curve(&result, "c");
        let labels = told(found);
        let right = matches!(&labels[..], [(Label::GR, at, said)] if at.abs() < 1e-10 && said.contains("corner of a condition"));
        let (low, high) = found.covered();
        if !right || low > -1.0 || high < 1.0 {
            wrong.push((member, format!("{labels:?} {low} {high}\n{text}")));
        }
    }
    none_wrong("border collisions", count, &wrong);
}

/// x = mu + a sin(mu - m)/(mu - m): the denominator vanishes where the equations are smooth, and the curve goes on to the ends of the range.
#[test]
fn denominators_that_cancel_are_no_poles() {
    let count = members(10);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("cancelled", member);
        let m = random.between(-0.5, 0.5);
        let a = random.between(-0.5, 0.5);
        let quotient = match member % 3 {
            0 => format!("sin(mu - ({m:?}))/(mu - ({m:?}))"),
            1 => format!("(exp(mu - ({m:?})) - 1)/(mu - ({m:?}))"),
            _ => format!("1/(1 + 1/(mu - ({m:?})))^2"),
        };
        // The last one has a pole of its own at mu = m - 1.
        let (low, from) = (m - 0.9, m - 0.6);
        let text = study(
            &format!("mu + ({a:?})*{quotient} - x"),
            (from, from + a),
            (low, m + 0.9),
        );
        let result = run(&text);
        let found = curve(&result, "c");
        let labels = told(found);
        let (low, high) = found.covered();
        if !labels.is_empty() || (low - (m - 0.9)).abs() > 1e-9 || (high - (m + 0.9)).abs() > 1e-9 {
            wrong.push((member, format!("{labels:?} {low} {high}\n{text}")));
        }
    }
    none_wrong("cancelled denominators", count, &wrong);
}

/// A start exactly on a corner is refused in words.
#[test]
fn starts_on_corners_are_refused() {
    let count = members(6);
    for member in 0..count {
        let mut random = Random::of("on corners", member);
        let c = random.between(-0.5, 0.5);
        let field = format!("mu - abs(x - ({c:?}))");
        let result = run(&study(&field, (0.0, c), (-1.0, 1.0)));
        let why: Vec<&str> = result.missing.iter().map(|m| m.reason.as_str()).collect();
        assert!(
            why.len() == 1 && why[0].contains("lies on the corner of abs"),
            "{why:?}"
        );
    }
}
