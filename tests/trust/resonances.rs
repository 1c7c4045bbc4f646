//! Where the pair of multipliers of cycles of maps comes to a strong resonance.

use super::known::{none_wrong, pieces, run};
use super::random::{Coordinates, Random, members};
use slipstick_bifurcation::Label;

/// The parameter of s+ = 1 - a s^2 at which zero comes back after so many iterates.
const SUPERSTABLE: [(usize, f64); 4] = [
    (1, 0.0),
    (2, 1.0),
    (3, 1.754_877_666_246_692_8),
    (4, 1.310_702_641_336_833),
];

/// s+ = 1 - a s^2 has a cycle, along which (x, y)+ = M(s) (x, y) + terms of higher order, so that the product of the M
/// along the cycle has trace T and determinant D: the curve of NS is D = 1, with R3 at T = -1, R4 at T = 0, and it ends
/// where the pair becomes real, at R1, T = 2, and R2, T = -2.
fn study(random: &mut Random, length: usize, a: f64) -> String {
    let mut points = vec![0.0];
    for _ in 1..length {
        let s: f64 = points[points.len() - 1];
        points.push(1.0 - a * s * s);
    }
    let times =
        |a: [[f64; 2]; 2], b: [[f64; 2]; 2]| [0, 1].map(|i| [0, 1].map(|j| a[i][0] * b[0][j] + a[i][1] * b[1][j]));
    let inverse = |m: [[f64; 2]; 2]| {
        let det = m[0][0] * m[1][1] - m[0][1] * m[1][0];
        [[m[1][1] / det, -m[0][1] / det], [-m[1][0] / det, m[0][0] / det]]
    };
    let mut any = || {
        let angle = random.between(0.0, 6.3);
        let (stretch, shear) = (random.log_between(0.5, 2.0), random.between(-0.5, 0.5));
        let turn = [[angle.cos(), -angle.sin()], [angle.sin(), angle.cos()]];
        times(turn, [[stretch, shear], [0.0, 1.0 / stretch]])
    };
    let others: Vec<[[f64; 2]; 2]> = (1..length).map(|_| any()).collect();
    let before = others
        .iter()
        .fold([[1.0, 0.0], [0.0, 1.0]], |product, m| times(*m, product));
    let frame = any();
    // The companion matrix of T and D, in a frame: constant terms, those with T and those with D.
    let part = |m: [[f64; 2]; 2]| times(inverse(before), times(times(frame, m), inverse(frame)));
    let (constant, by_t, by_d) = (
        part([[0.0, 0.0], [1.0, 0.0]]),
        part([[1.0, 0.0], [0.0, 0.0]]),
        part([[0.0, -1.0], [0.0, 0.0]]),
    );
    let weight = |k: usize| -> String {
        let factors = (0..length)
            .filter(|&j| j != k)
            .map(|j| format!("((s - ({:?}))/({:?}))", points[j], points[k] - points[j]));
        let all: Vec<String> = factors.collect();
        if all.is_empty() { "1".into() } else { all.join("*") }
    };
    let entry = |i: usize, j: usize| -> String {
        let first = format!(
            "{}*(({:?}) + ({:?})*T + ({:?})*D)",
            weight(0),
            constant[i][j],
            by_t[i][j],
            by_d[i][j]
        );
        let rest = (1..length).map(|k| format!("{}*({:?})", weight(k), others[k - 1][i][j]));
        std::iter::once(first).chain(rest).collect::<Vec<_>>().join(" + ")
    };
    let row = |i: usize, bend: [f64; 3]| {
        format!(
            "({})*x + ({})*y + ({:?})*x^2 + ({:?})*x*y + ({:?})*y^3",
            entry(i, 0),
            entry(i, 1),
            bend[0],
            bend[1],
            bend[2]
        )
    };
    let bends = [0, 1].map(|_| [0, 1, 2].map(|_| random.between(-0.5, 0.5)));
    let at = random.between(-1.8, 1.8);
    format!(
        "Study(title: \"resonances\", system: Map(states: [\"s\", \"x\", \"y\"], parameters: {{\"T\": {at:?}, \"D\": 0.8}}, \
         equations: [\"s+ = 1 - ({a:?})*s^2\", \"x+ = {}\", \"y+ = {}\"]), \
         curves: [Curve(name: \"c\", orbit: Cycle({length}), start: Guess(at: {{\"D\": 0.8}}, states: [{{\"s\": {:?}, \"x\": 0, \"y\": 0}}]), free: \"D\", range: (0.7, 1.3))], \
         loci: [Locus(name: \"l\", from: \"c: NS\", free: (\"T\", \"D\"), range: ((-3, 3), (0.5, 1.5)), points: 1000)])",
        row(0, bends[0]),
        row(1, bends[1]),
        if length == 1 { 1.0 } else { 0.0 },
    )
}

#[test]
fn curves_of_tori_of_cycles_end_at_strong_resonances() {
    let class = "resonances";
    let count = members(12);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (length, a) = SUPERSTABLE[member % SUPERSTABLE.len()];
        let text = study(&mut random, length, a);
        let result = run(&text);
        let found: Vec<(Label, f64)> = pieces(&result, "l")
            .concat()
            .iter()
            .filter_map(|p| Some((p.label?, p.record.parameters[0])))
            .filter(|(label, _)| !matches!(label, Label::CH))
            .collect();
        let known = [(Label::R2, -2.0), (Label::R3, -1.0), (Label::R4, 0.0), (Label::R1, 2.0)];
        let near = |(label, at): &(Label, f64)| known.iter().any(|k| k.0 == *label && (k.1 - at).abs() < 1e-6);
        if !(found.len() == known.len() && found.iter().all(near)) {
            wrong.push((member, format!("{length}: {found:?} {:?}\n{text}", result.missing)));
        }
    }
    none_wrong(class, count, &wrong);
}

/// (u, v)+ = (v, -(1 + a) u + b v + terms of third order), and states that decay, in random coordinates: zero is a fixed
/// point at all parameters, also at R1, where others fold, and its curve of NS is a = 0.
#[test]
fn curves_of_tori_of_fixed_points_that_persist_end_at_strong_resonances() {
    let class = "persistent resonances";
    let count = members(40);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let n = 2 + member % 3;
        let coordinates = Coordinates::random(&mut random, n, [1.0, 0.0, 0.0]);
        let mut some = |size: f64| random.between(-size, size);
        let bends: [f64; 3] = std::array::from_fn(|_| some(1.0));
        let mut next = vec![
            "u1".to_owned(),
            format!(
                "-(1 + a)*u0 + b*u1 + ({:?})*u1^2*u0 + ({:?})*u0^3 + ({:?})*u1^2",
                bends[0], bends[1], bends[2]
            ),
        ];
        next.extend((2..n).map(|i| format!("({:?})*u{i} + ({:?})*u0^2", some(0.7), some(1.0))));
        let sum = |row: &[f64], factor: f64, name: &str| {
            let terms = row
                .iter()
                .enumerate()
                .map(|(j, c)| format!("({:?})*{name}{j}", factor * c));
            terms.collect::<Vec<_>>().join(" + ")
        };
        let define = (0..n).flat_map(|i| {
            [
                format!(
                    "\"u{i}\": \"{}\"",
                    sum(&coordinates.inverse[i], 1.0 / coordinates.state, "x")
                ),
                format!("\"f{i}\": \"{}\"", next[i]),
            ]
        });
        let define: Vec<String> = define.collect();
        let equations: Vec<String> = (0..n)
            .map(|i| format!("x{i}+ = {}", sum(&coordinates.matrix[i], coordinates.state, "f")))
            .collect();
        let states: Vec<String> = (0..n).map(|i| format!("x{i}")).collect();
        let zero: Vec<String> = states.iter().map(|name| format!("\"{name}\": 0")).collect();
        let b = some(1.8);
        let text = format!(
            "Study(title: \"resonances\", system: Map(states: {states:?}, parameters: {{\"a\": -0.2, \"b\": {b:?}}}, define: {{{}}}, \
             equations: {equations:?}), \
             curves: [Curve(name: \"c\", orbit: FixedPoint, start: Guess(at: {{\"a\": -0.2}}, states: [{{{}}}]), free: \"a\", range: (-0.5, 0.5))], \
             loci: [Locus(name: \"l\", from: \"c: NS\", free: (\"a\", \"b\"), range: ((-0.5, 0.5), (-3, 3)), points: 1000), \
             Locus(name: \"m\", from: \"c: NS\", free: (\"b\", \"a\"), range: ((-3, 3), (-0.5, 0.5)), points: 1000)])",
            define.join(", "),
            zero.join(", "),
        );
        let result = run(&text);
        for name in ["l", "m"] {
            let mut found: Vec<(Label, f64)> = pieces(&result, name)
                .concat()
                .iter()
                .filter_map(|p| Some((p.label?, p.record.parameters[1])))
                .filter(|(label, _)| !matches!(label, Label::CH))
                .collect();
            found.sort_by(|x, y| x.1.total_cmp(&y.1));
            let known = [(Label::R2, -2.0), (Label::R3, -1.0), (Label::R4, 0.0), (Label::R1, 2.0)];
            let same = |(f, k): (&(Label, f64), &(Label, f64))| f.0 == k.0 && (f.1 - k.1).abs() < 1e-6;
            if !(found.len() == known.len() && found.iter().zip(&known).all(same)) {
                wrong.push((member, format!("{name}: {found:?} {:?}\n{text}", result.missing)));
            }
        }
    }
    none_wrong(class, count, &wrong);
}

/// An oscillator about a motion that is prescribed: its frequency is a root of c, whatever the forcing, so that along the
/// curve of NS the pair of multipliers passes -1 and +1 as it is, again and again.
#[test]
fn pairs_that_pass_one_without_a_jordan_block_are_labelled() {
    let class = "passing one";
    let count = members(2);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let turns = random.between(0.3, 3.0);
        let amplitude = random.between(0.0, 2.0);
        let (cubic, damping) = (random.between(-0.5, 0.5), random.sign() * random.between(0.2, 1.0));
        let square = |ratio: f64| (ratio * turns).powi(2);
        let (begin, low, high) = (square(0.39), square(0.1), square(1.6));
        let text = format!(
            "Study(title: \"passing one\", system: Smooth(states: [\"x\", \"v\"], parameters: {{\"a\": 0, \"c\": {begin:?}}}, \
             forcing: Forcing(period: \"2*pi/{turns:?}\"), define: {{\"y\": \"x - {amplitude:?}*cos({turns:?}*t)\"}}, \
             equations: [\"x' = v - {:?}*sin({turns:?}*t)\", \"v' = -c*y + 2*a*v + ({cubic:?})*y^3 + ({damping:?})*y^2*v\"]), \
             curves: [Curve(name: \"c\", orbit: PeriodicOrbit, start: Guess(at: {{\"a\": -0.1}}, \
             states: [{{\"x\": {amplitude:?}, \"v\": 0}}], durations: [{:?}]), free: \"a\", range: (-0.2, 0.2))], \
             loci: [Locus(name: \"l\", from: \"c: NS\", free: (\"a\", \"c\"), range: ((-0.2, 0.2), ({low:?}, {high:?})), points: 2000)])",
            amplitude * turns,
            std::f64::consts::TAU / turns,
        );
        let result = run(&text);
        let mut found: Vec<(Label, f64)> = pieces(&result, "l")
            .concat()
            .iter()
            .filter_map(|p| Some((p.label?, p.record.parameters[1].sqrt() / turns)))
            .filter(|(label, _)| !matches!(label, Label::CH | Label::EP))
            .collect();
        found.sort_by(|x, y| x.1.total_cmp(&y.1));
        let known = [
            (Label::R4, 0.25),
            (Label::R3, 1.0 / 3.0),
            (Label::R2, 0.5),
            (Label::R3, 2.0 / 3.0),
            (Label::R4, 0.75),
            (Label::R1, 1.0),
            (Label::R4, 1.25),
            (Label::R3, 4.0 / 3.0),
            (Label::R2, 1.5),
        ];
        let same = |(f, k): (&(Label, f64), &(Label, f64))| f.0 == k.0 && (f.1 - k.1).abs() < 1e-6;
        if !(found.len() == known.len() && found.iter().zip(&known).all(same)) {
            wrong.push((member, format!("{found:?} {:?}\n{text}", result.missing)));
        }
    }
    none_wrong(class, count, &wrong);
}
