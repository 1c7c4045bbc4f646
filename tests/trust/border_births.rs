//! Cycles of piecewise-linear maps that come together where a shorter one meets the border: they end there, and are
//! nowhere the shorter one gone through several times.

use super::known::{labels, none_wrong, run};
use super::random::{Coordinates, Random, members};
use slipstick_bifurcation::{End, Label};

/// Scales of the states and the parameter, in powers of ten.
const SCALES: [f64; 3] = [2.0, 3.0, 0.0];

/// x+ = y + a x + q, y+ = -d x, with a and d of the side of x = 0: everything shrinks to the border at q = 0.
struct Border {
    left: [f64; 2],
    right: [f64; 2],
}

impl Border {
    fn random(random: &mut Random) -> Self {
        Self {
            left: [random.between(-1.0, 1.2), random.between(-0.4, 0.6)],
            right: [random.between(-2.4, -0.8), random.between(-0.4, 0.6)],
        }
    }

    fn step(&self, [x, y]: [f64; 2], q: f64) -> [f64; 2] {
        let [a, d] = if x < 0.0 { self.left } else { self.right };
        [y + a * x + q, -d * x]
    }

    fn fields(&self) -> Vec<String> {
        let side = |i: usize| format!("if(u1 < 0, {:?}, {:?})*u1", self.left[i], self.right[i]);
        vec![format!("u2 + {} + q", side(0)), format!("-({})", side(1))]
    }
}

/// How far the points of a cycle are from those so many steps later, beside their size.
fn repeats(points: &[Vec<f64>], by: usize) -> bool {
    let n = points.len();
    let size = points.iter().flatten().fold(f64::MIN_POSITIVE, |m, v| m.max(v.abs()));
    (0..n).all(|i| {
        let later = points[(i + by) % n].iter();
        points[i].iter().zip(later).all(|(a, b)| (a - b).abs() <= 1e-6 * size)
    })
}

#[test]
fn cycles_end_where_they_are_born_at_a_border_and_are_no_shorter_ones() {
    let class = "births at borders";
    let count = members(12);
    let (mut wrong, mut born) = (vec![], 0);
    for member in 0..count {
        let mut random = Random::of(class, member);
        let map = Border::random(&mut random);
        let coordinates = Coordinates::random(&mut random, 2, SCALES);
        let lengths = [2, 3, 4, 6];
        let length = lengths[random.below(lengths.len())];
        let text = format!(
            "Study(title: \"births\", system: {}, curves: [Curve(name: \"c\", orbit: Cycle({length}), start: All(at: {{\"p\": {:?}}}, within: {{\"x1\": ({:?}, {:?}), \"x2\": ({:?}, {:?})}}), \
             free: \"p\", range: ({:?}, {:?}))])",
            coordinates.map(&map.fields(), 0.7),
            coordinates.p(0.7),
            -9.0 * coordinates.state,
            9.0 * coordinates.state,
            -9.0 * coordinates.state,
            9.0 * coordinates.state,
            coordinates.p(-1.0),
            coordinates.p(1.0)
        );
        let result = run(&text);
        for found in &result.curves {
            let mut said = vec![];
            for (_, _, p) in found.points() {
                let q = coordinates.q(p.point.parameter());
                if q.abs() < 1e-6 {
                    continue;
                }
                let back = |x: &[f64]| {
                    let row = |row: &Vec<f64>| row.iter().zip(x).map(|(a, x)| a * x).sum::<f64>() / coordinates.state;
                    coordinates.inverse.iter().map(row).collect::<Vec<f64>>()
                };
                let points: Vec<Vec<f64>> = p.point.z[..2 * length].chunks(2).map(back).collect();
                if let Some(by) = (1..length).filter(|d| length % d == 0).find(|&d| repeats(&points, d)) {
                    said.push(format!("a cycle of {by} points at {q}"));
                }
                let off = points.iter().enumerate().map(|(i, x)| {
                    let next = map.step([x[0], x[1]], q);
                    let then = &points[(i + 1) % length];
                    (next[0] - then[0]).abs().max((next[1] - then[1]).abs())
                });
                let off = off.fold(0.0, f64::max);
                if off > 1e-7 {
                    said.push(format!("no cycle at {q}: {off:e}"));
                }
            }
            let at_border: Vec<String> = labels(found)
                .iter()
                .filter(|l| coordinates.q(l.1).abs() < 1e-9)
                .map(|l| format!("{} {}", l.0, l.2.message))
                .collect();
            let ends: Vec<&End> = found.pieces.iter().flat_map(|p| &p.branch.ends).collect();
            let right = |said: &String| said.starts_with(Label::GR.code()) && said.contains("border collision");
            if at_border.is_empty() || !at_border.iter().all(right) {
                said.push(format!("at the border: {at_border:?}"));
            }
            if ends.contains(&&End::Closed) && ends.contains(&&End::Range) {
                said.push(format!("ends {ends:?}"));
            }
            born += usize::from(at_border.iter().any(|said| said.contains("is born")));
            said.dedup();
            said.truncate(4);
            if !said.is_empty() {
                wrong.push((member, format!("`{}` {said:?}\n{text}", found.name)));
            }
        }
    }
    none_wrong(class, count, &wrong);
    assert!(born > 0, "none of {count} was born");
}
