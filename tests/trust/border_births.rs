//! Cycles of piecewise-linear maps that come together where a shorter one meets the border: they end there, and are
//! nowhere the shorter one gone through several times.

use super::known::{labels, none_wrong, run};
use super::random::{Coordinates, Random, members, members_at_least};
use slipstick_bifurcation::{End, Label};
use slipstick_study::AttractorKind;

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
    let count = members_at_least(12);
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

/// x+ = q + y + a x - g √x (without the root for x < 0), y+ = -b x, of one state where b = 0: cycles of two points are
/// born at q = 0, where its fixed point meets the border, whether or not the root makes that a place of infinite slope.
#[test]
fn cycles_of_square_root_maps_end_where_they_are_born() {
    let class = "births at roots";
    let count = members(24);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (a, g) = (random.between(0.1, 0.7), random.between(0.4, 1.6));
        let (b, d) = (random.between(0.02, 0.1), random.sign() * random.between(0.1, 1.0));
        let planar = member % 3 == 2;
        let d = if member % 2 == 0 { 0.0 } else { d };
        let x = format!("(x - ({d:?}))");
        let root = match random.below(3) {
            0 => format!("sqrt(max({x}, 0))"),
            1 => format!("sqrt(({x} + abs({x}))/2)"),
            _ => format!("if({x} < 0, 0, sqrt({x}))"),
        };
        let first = format!(
            "\"x+ = {d:?} + q + {a:?}*{x} - {g:?}*{root}{}\"",
            if planar { " + y" } else { "" }
        );
        let (states, fields) = match planar {
            true => ("\"x\", \"y\"", format!("{first}, \"y+ = -{b:?}*{x}\"")),
            false => ("\"x\"", first),
        };
        let text = format!(
            "Study(title: \"roots\", system: Map(states: [{states}], parameters: {{\"q\": 0.1}}, equations: [{fields}]),
             curves: [Curve(name: \"c\", orbit: FixedPoint, start: All(at: {{\"q\": -0.1}}), free: \"q\", range: (-0.5, 3), switch: Auto, branches: [PD])])"
        );
        let result = run(&text);
        let mut said = vec![];
        for found in result.curves.iter().filter(|c| c.name == "c-PD1a") {
            let own = labels(found);
            let here: Vec<_> = own.iter().filter(|l| l.1.abs() < 1e-3).collect();
            match here[..] {
                [(Label::GR, q, p)] if q.abs() <= 1e-12 && p.message.contains("is born") => (),
                _ => said.push(format!(
                    "{:?}",
                    own.iter().map(|l| (l.0, l.1, &l.2.message)).collect::<Vec<_>>()
                )),
            }
            let n = if planar { 2 } else { 1 };
            for (_, _, p) in found.points() {
                let q = p.point.parameter();
                if q < -1e-12 || q > 1e-9 && p.label.is_none() && (p.point.z[0] - p.point.z[n]).abs() < 1e-9 {
                    said.push(format!("a point at {q}: {:?}", p.point.z));
                }
            }
        }
        if !result.curves.iter().any(|c| c.name == "c-PD1a") {
            said.push("no doubled cycles".to_owned());
        }
        if !said.is_empty() {
            said.truncate(3);
            wrong.push((member, format!("{said:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// At the border collision of a fixed point that attracts from both sides, motions that decay to it are at rest there,
/// however small they become: of one state that is multiplied by a number of its side, and with a root.
#[test]
fn motions_that_decay_at_a_border_are_at_rest() {
    let class = "rest at borders";
    let count = members(36);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let d = if member % 2 == 0 {
            0.0
        } else {
            random.between(-1.0, 1.0)
        };
        let x = format!("(x - ({d:?}))");
        let (left, right) = match random.below(2) {
            0 => (random.between(0.1, 0.9), random.between(-3.0, 0.9)),
            _ => {
                let left: f64 = random.between(-2.0, -0.1);
                (left, random.between(0.1, 0.9) / left)
            }
        };
        let field = match member % 3 {
            2 => format!(
                "{:?}*{x} - {:?}*sqrt(max({x}, 0))",
                left.abs().min(0.9),
                random.between(0.4, 1.6)
            ),
            _ => format!("if({x} < 0, {left:?}, {right:?})*{x}"),
        };
        let text = format!(
            "Study(title: \"rest\", system: Map(states: [\"x\"], parameters: {{\"q\": 0}}, equations: [\"x+ = {d:?} + q + {field}\"]),
             attractors: [Attractors(name: \"s\", sweep: \"q\", range: (-0.5, 0.5), count: 3, within: {{\"x\": ({:?}, {:?})}})])",
            d - 1.0,
            d + 1.0
        );
        let result = run(&text);
        let here = result.attractors[0].found.iter().filter(|one| one.value == 0.0);
        let here: Vec<_> = here
            .map(|one| (&one.kind, one.starts, &one.rows, &one.message))
            .collect();
        let right = match here[..] {
            [(AttractorKind::Orbit { period, .. }, 16, rows, message)] => {
                *period == 1.0 && message.is_empty() && (rows[0][0] - d).abs() <= 1e-13
            }
            _ => false,
        };
        if !right {
            wrong.push((member, format!("{here:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}
