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
