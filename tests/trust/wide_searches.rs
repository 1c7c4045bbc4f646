//! Searches for orbits where the motion from the system's own start tells nothing of their size.

use super::known::{none_wrong, run};
use super::random::{Random, members};
use slipstick_study::Missing;

/// Foci on both sides of a line, in states of any size: at the start's parameters the motion comes to rest, at others
/// it goes round a cycle that attracts, as a sweep shows. `Everywhere` finds it, and the cycles found are those of the
/// two linear flows.
#[test]
fn orbits_are_found_though_the_first_motion_comes_to_rest() {
    let class = "wide searches";
    let count = members(1);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let size = random.log_between(0.2, 5.0);
        let (al, be, m) = (
            random.between(-0.22, -0.18),
            random.between(0.1, 0.12),
            random.between(0.12, 0.18),
        );
        let text = format!(
            "Study(title: \"foci\", system: Filippov(states: [\"x\", \"y\"], parameters: {{\"b\": 0.3}}, surfaces: {{\"s\": \"x\"}}, \
             fields: {{\"+\": [\"x' = ({al:?})*(x - {size:?}) - y\", \"y' = (x - {size:?}) + ({al:?})*y\"], \
             \"-\": [\"x' = {be:?}*x - y + b*{size:?}\", \"y' = x + {be:?}*y + {:?}\"]}}, start: {{\"x\": {:?}}}), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"s+ s-\"), start: Everywhere(), free: \"b\", range: (-3, 3))])",
            m * size,
            1.5 * size
        );
        let result = run(&text);
        let Some(found) = result.curves.first() else {
            let reasons: Vec<&str> = result.missing.iter().map(|m: &Missing| m.reason.as_str()).collect();
            wrong.push((member, format!("{reasons:?}\n{text}")));
            continue;
        };
        let mut said = vec![];
        for (_, _, p) in found.points() {
            let (b, z) = (p.point.parameter(), &p.point.z);
            // x' = r (x - X) - (y - Y), y' = (x - X) + r (y - Y): turned by t, and grown by exp(r t).
            let flow = |r: f64, [x0, y0]: [f64; 2], [x, y]: [f64; 2], t: f64| {
                let (s, c, grown) = (t.sin(), t.cos(), (r * t).exp());
                let (u, v) = (x - x0, y - y0);
                [x0 + grown * (c * u - s * v), y0 + grown * (s * u + c * v)]
            };
            // The focus of the other side: r X - Y = -b, X + r Y = -m.
            let det = 1.0 + be * be;
            let left = [(-m * size - be * b * size) / det, (b * size - be * m * size) / det];
            let (plus, minus) = ([z[0], z[1]], [z[3], z[4]]);
            let right = [size, 0.0];
            let after = [flow(al, right, plus, z[2]), flow(be, left, minus, z[5])];
            let off = [after[0], after[1]]
                .iter()
                .zip([minus, plus])
                .flat_map(|(a, b)| [a[0] - b[0], a[1] - b[1]])
                .fold(0.0f64, |worst, v| worst.max(v.abs()));
            if off > 1e-7 * size {
                said.push(format!("no orbit at b = {b}: {off:e}"));
            }
        }
        said.truncate(3);
        if !said.is_empty() {
            wrong.push((member, format!("{said:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Where no motion can be followed at some values of the parameter, the search goes on at the others, and its message
/// says what was looked for and how to look elsewhere.
#[test]
fn what_cannot_be_followed_at_some_values_does_not_end_a_search() {
    let class = "searches that go on";
    let count = members(1);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let text = format!(
            "Study(title: \"foci\", system: Filippov(states: [\"x\", \"y\"], parameters: {{\"b\": 0.3}}, surfaces: {{\"s\": \"x\"}}, \
             fields: {{\"+\": [\"x' = -0.2*(x - 1) - y\", \"y' = (x - 1) - 0.2*y\"], \"-\": [\"x' = 0.11*x - y + b\", \"y' = x + 0.11*y + {:?}\"]}}, \
             start: {{\"x\": 1.5}}), curves: [Curve(name: \"c\", orbit: Periodic(\"s- s0\"), start: Everywhere(), free: \"b\", range: (-3, 3))])",
            random.between(0.14, 0.16)
        );
        let result = run(&text);
        let said = result
            .missing
            .iter()
            .map(|m| m.reason.as_str())
            .collect::<Vec<_>>()
            .join("; ");
        if !(result.curves.is_empty() && said.starts_with("no admissible orbit") && said.contains("`within`")) {
            wrong.push((member, format!("{said}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}
