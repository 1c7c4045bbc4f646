//! Curves of grazing in two parameters, in closed form, up to the ends of their ranges.

use super::known::{none_wrong, pieces, run};
use super::random::{Random, members};
use slipstick_bifurcation::Label;

/// The unit circle, which attracts at a random rate and is gone round at a random one, touches the guard
/// y + 2 b x y - c, written in random coordinates: c = s (1 + 2 b u) with u = (-1 - √(1 + 32 b²))/(8 b), s = -√(1 - u²)
/// up to the sign of y; or the guard y + b (x² - y²) - c, which the circle touches along c = 1 - b from the other side.
/// The curve reaches the ends of its range in either parameter.
#[test]
fn curves_of_grazing_reach_the_ends_of_their_ranges() {
    let class = "curves of grazing to their ends";
    let count = members(8);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (rate, speed) = (random.between(0.4, 2.0), random.between(0.5, 2.0));
        let (angle, high) = (random.between(-0.5, 0.5), random.log_between(0.9, 6.0));
        let first = member % 3 != 2;
        let (c, guard) = match first {
            true => (0.8, "Y + 2*b*X*Y - c"),
            false => (-0.2, "Y + b*(X^2 - Y^2) - c"),
        };
        let known = |b: f64| {
            let u = (-1.0 - (1.0 + 32.0 * b * b).sqrt()) / (8.0 * b);
            if first {
                -(1.0 - u * u).sqrt() * (1.0 + 2.0 * b * u)
            } else {
                1.0 - b
            }
        };
        let low = random.between(0.55, 0.75);
        // The range ends at a value of c, too, in every other member.
        let last = if member % 2 == 0 { high } else { 100.0 };
        let end = random.between(0.85, 1.0) * known(high.max(0.9));
        let range_c = match (member % 2 == 0, first) {
            (true, _) => (-100.0, 100.0),
            (_, true) => (-100.0, end.max(0.3)),
            (_, false) => (end.min(0.15), 100.0),
        };
        let (cos, sin) = (angle.cos(), angle.sin());
        let field = format!("[\"x' = {rate:?}*x*(1 - r2) - {speed:?}*y\", \"y' = {rate:?}*y*(1 - r2) + {speed:?}*x\"]");
        let text = format!(
            "Study(title: \"graze\", system: Hybrid(states: [\"x\", \"y\"], parameters: {{\"b\": 0.8, \"c\": {c:?}}}, \
             define: {{\"X\": \"x*({cos:?}) + y*({sin:?})\", \"Y\": \"y*({cos:?}) - x*({sin:?})\", \"h\": \"{guard}\", \"r2\": \"x^2 + y^2\"}}, \
             modes: {{\"in\": Mode(equations: {field}, events: {{\"up\": Event(guard: \"h\", direction: Up, to: \"out\")}}), \
             \"out\": Mode(equations: {field}, events: {{\"dn\": Event(guard: \"h\", direction: Down, to: \"in\")}})}}, \
             start: Start(mode: \"in\", at: {{\"x\": {:?}, \"y\": {:?}}})), \
             curves: [Curve(name: \"cyc\", orbit: Periodic(\"in out\"), start: Settle(at: {{}}), free: \"c\", range: (-1.5, 3))], \
             loci: [Locus(name: \"gr\", from: \"cyc: GR\", free: (\"c\", \"b\"), range: ({range_c:?}, ({low:?}, {last:?})))])",
            -cos + 0.1 * sin,
            -sin - 0.1 * cos,
        );
        let result = run(&text);
        let all = pieces(&result, "gr");
        let mut said = vec![];
        if all.is_empty() {
            said.push(format!("{:?}", result.missing));
        }
        for piece in &all {
            for point in piece.first().iter().chain(piece.last().iter()) {
                let p = &point.record.parameters;
                let near = |value: f64, end: f64| (value - end).abs() <= 1e-9 * (1.0 + end.abs());
                let at_end = near(p[0], low) || near(p[0], last) || near(p[1], range_c.0) || near(p[1], range_c.1);
                if point.label != Some(Label::EP) || !at_end {
                    said.push(format!("ends at {p:?} as {:?}: {}", point.label, point.message));
                }
            }
            for point in piece {
                let p = &point.record.parameters;
                if (p[1] - known(p[0])).abs() > 1e-9 {
                    said.push(format!("{p:?}, but c is {}", known(p[0])));
                }
            }
        }
        if !said.is_empty() {
            said.truncate(6);
            wrong.push((member, format!("{said:#?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// x'' + c x' + x + b x³ = A cos wt with impacts at x = 1: along the curve on which the impact begins one multiplier is
/// infinite, of either sign. No test function makes something of that: each changes its sign at a label only.
#[test]
fn along_curves_of_grazing_test_functions_change_their_sign_at_labels_only() {
    let class = "signs along curves of grazing";
    let count = members(2);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (c, b, e) = (
            random.between(0.05, 0.3),
            random.between(0.0, 0.3),
            random.between(0.5, 0.9),
        );
        let text = format!(
            "Study(title: \"impacts\", system: Hybrid(states: [\"x\", \"v\"], parameters: {{\"w\": 1.1, \"A\": 0.5}}, forcing: Forcing(period: \"2*pi/w\"), \
             modes: {{\"f\": Mode(equations: [\"x' = v\", \"v' = A*cos(w*t) - {c:?}*v - x - {b:?}*x^3\"], \
             events: {{\"hit\": Event(guard: \"x - 1\", direction: Up, to: \"f\", reset: {{\"v\": \"-{e:?}*v\"}})}})}}), \
             curves: [Curve(name: \"cyc\", orbit: Periodic(\"f hit\"), start: All(at: {{\"w\": 1.1}}), free: \"w\", range: (0.5, 2))], \
             loci: [Locus(name: \"gr\", from: \"cyc: GR 1\", free: (\"w\", \"A\"), range: ((0.5, 2), (0.1, 2)))])"
        );
        let result = run(&text);
        let all = pieces(&result, "gr");
        let mut said = vec![];
        if all.is_empty() {
            said.push(format!("{:?}", result.missing));
        }
        for pair in all.iter().flat_map(|piece| piece.windows(2)) {
            let mut tests = pair[0].record.tests.iter().zip(&pair[1].record.tests);
            // The last one tells to which side of the direction of the curve the parameters leave it.
            tests.next_back();
            if tests.any(|(a, b)| a * b < 0.0) && pair.iter().all(|p| p.label.is_none()) {
                said.push(format!("{:?}: {:?}", pair[0].record.parameters, pair[1].record.tests));
            }
        }
        if !said.is_empty() {
            said.truncate(6);
            wrong.push((member, format!("{said:#?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}
