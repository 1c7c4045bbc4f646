//! Branches and families that begin next to the border of their range lead up to it, and end there.

use super::known::{none_wrong, run};
use super::random::{Coordinates, Random, members};
use slipstick_bifurcation::{End, Label};
use slipstick_study::{CurveResult, RunResult};

/// What is wrong with a curve that begins near `from` and has to end at the `border` of the range, which it never
/// leaves.
fn wrong_with(result: &RunResult, name: &str, (from, border): (f64, f64)) -> Option<String> {
    let Some(found) = result.curves.iter().find(|c| c.name == name) else {
        let names: Vec<&str> = result.curves.iter().map(|c| c.name.as_str()).collect();
        let said: Vec<&String> = result.curves.iter().flat_map(messages).collect();
        return Some(format!("no curve among {names:?}: {:?} {said:?}", result.missing));
    };
    let room = border - from;
    let outside = found
        .points()
        .any(|(_, _, p)| (p.point.parameter() - border) * room > 0.0);
    let last = found.points().last().map(|(_, _, p)| (p.label, p.point.parameter()));
    let begins = found
        .points()
        .next()
        .map(|(_, _, p)| (p.point.parameter() - from) / room);
    let fine = last == Some((Some(Label::EP), border)) && begins.is_some_and(|part| part < 1.0);
    (outside || !fine).then(|| format!("{last:?}, outside: {outside}, begins at {begins:?} of the way"))
}

fn messages(curve: &CurveResult) -> impl Iterator<Item = &String> {
    curve.points().map(|(_, _, p)| &p.message).filter(|m| !m.is_empty())
}

/// Doublings of x+ = r x (1 - x) + …, crossings and pitchforks of equilibria with a border next to them on the side on
/// which they branch off.
#[test]
fn branches_that_begin_next_to_the_border_end_at_it() {
    let count = members(24);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("next to borders", member);
        let scale = 10f64.powf(random.between(-4.0, 4.0));
        // Crossing curves are not told apart where they are as near to each other as a millionth of the range.
        let room = scale * random.log_between(if member % 3 == 2 { 1e-4 } else { 1e-7 }, 0.1);
        let (m, c) = (scale * random.between(-0.5, 0.5), random.between(-1.0, 1.0));
        let side = random.sign();
        let q = format!("((p - ({m:?}))/({scale:?}))");
        let tail = random.between(0.3, 3.0);
        let v = format!("(x - ({c:?}))");
        let (system, orbit, label) = match member % 3 {
            0 => (
                format!("Map(equations: [\"x+ = ({c:?}) - (1 + {side:?}*{q})*{v} + ({tail:?})*{v}^3\"]"),
                "FixedPoint",
                Label::PD,
            ),
            1 => (
                format!("Smooth(equations: [\"x' = {side:?}*{q}*{v} - ({tail:?})*{v}^3\"]"),
                "Equilibrium",
                Label::BP,
            ),
            _ => (
                format!("Smooth(equations: [\"x' = {q}*{v} - ({tail:?})*{v}^2 - 0.1*{v}^3\"]"),
                "Equilibrium",
                Label::BP,
            ),
        };
        let border = m + side * room;
        let (start, range) = (
            m - side * 0.7 * scale,
            (border.min(m - side * scale), border.max(m - side * scale)),
        );
        let text = format!(
            "Study(title: \"border\", system: {system}, states: [\"x\"], parameters: {{\"p\": {start:?}}}), curves: [Curve(name: \"c\", orbit: {orbit}, \
             start: Guess(at: {{\"p\": {start:?}}}, states: [{{\"x\": {c:?}}}]), free: \"p\", range: ({:?}, {:?}), branches: [{label}])])",
            range.0, range.1
        );
        let result = run(&text);
        // Of two curves that cross one half leads to the border.
        let found = ["c-PD1a", "c-BP1a", "c-BP1b"].map(|name| wrong_with(&result, name, (m, border)));
        if found.iter().all(Option::is_some) {
            wrong.push((member, format!("room {:e}: {found:?}\n{text}", room / scale)));
        }
    }
    none_wrong("next to borders", count, &wrong);
}

/// r' = r (q - s r²), θ' = ω: cycles of radius √(q/s), from the Hopf point to a border next to it.
#[test]
fn families_that_begin_next_to_the_border_end_at_it() {
    let count = members(6);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("Hopf next to borders", member);
        let room = random.log_between(1e-8, 0.1);
        let (m, side) = (random.between(-0.5, 0.5), random.sign());
        let (omega, tail) = (random.log_between(0.3, 3.0), side * random.log_between(0.3, 3.0));
        let growth = format!("((p - ({m:?})) - ({tail:?})*(x^2 + y^2))");
        let border = m + side * room;
        let text = format!(
            "Study(title: \"border\", system: Smooth(states: [\"x\", \"y\"], parameters: {{\"p\": {m:?}}}, equations: [\"x' = {growth}*x - ({omega:?})*y\", \
             \"y' = {growth}*y + ({omega:?})*x\"]), curves: [\
             Curve(name: \"c\", orbit: Equilibrium, start: Guess(at: {{\"p\": {:?}}}, states: [{{\"x\": 0, \"y\": 0}}]), free: \"p\", range: ({:?}, {:?})), \
             Curve(name: \"cycles\", orbit: PeriodicOrbit, start: Point(from: \"c, HB\"), free: \"p\", range: ({:?}, {:?}))])",
            m - 0.9 * side * room,
            m - room,
            m + room,
            m - room,
            m + room
        );
        let result = run(&text);
        if let Some(why) = wrong_with(&result, "cycles", (m, border)) {
            wrong.push((member, format!("room {room:e}: {why}\n{text}")));
        }
    }
    none_wrong("Hopf next to borders", count, &wrong);
}

/// Crossings of equilibria that lie just on the border of the range, or on a level: all curves reach it.
#[test]
fn curves_that_cross_on_the_border_reach_it() {
    let class = "crossing on the border";
    let count = members(24);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let n = 1 + random.below(3);
        let (a, b, side) = (random.between(0.5, 2.0), random.between(0.0, 1.0), random.sign());
        let mut fields = vec![format!("u1*({side:?}*q - {a:?}*u1 - {b:?}*u1*u1)")];
        fields.extend((2..=n).map(|k| format!("{:?}*u1 - u{k}", random.between(-1.0, 1.0))));
        let mut coordinates = Coordinates::random(&mut random, n, [2.0, 2.0, 2.0]);
        if member % 2 == 0 {
            // As one writes down a model of populations: zeros are exact.
            let identity = |i: usize| (0..n).map(|j| if i == j { 1.0 } else { 0.0 }).collect::<Vec<f64>>();
            coordinates.matrix = (0..n).map(identity).collect();
            coordinates.inverse = coordinates.matrix.clone();
            coordinates.state = 1.0;
        }
        let at = coordinates.p(side);
        let level = member % 4 >= 2;
        let far = coordinates.p(if level { -side } else { 0.0 });
        let levels = if level { ", levels: {\"p\": [0]}" } else { "" };
        let text = format!(
            "Study(title: \"border\", system: {}, curves: [Curve(name: \"c\", orbit: Equilibrium, \
             start: All(at: {{\"p\": {at:?}}}, within: {{{}}}), free: \"p\", range: ({:?}, {:?}){levels})])",
            coordinates.smooth(&fields, side),
            (1..=n)
                .map(|k| format!(
                    "\"x{k}\": ({:?}, {:?})",
                    -9.0 * coordinates.state,
                    9.0 * coordinates.state
                ))
                .collect::<Vec<_>>()
                .join(", "),
            at.min(far),
            at.max(far),
        );
        let result = run(&text);
        let crossings = result.curves.iter().filter(|c| {
            let mut points = c.points();
            points.any(|(_, _, p)| {
                p.point.parameter() == coordinates.p(0.0) && p.record.stable() || p.label == Some(Label::BP)
            })
        });
        let ends = result
            .curves
            .iter()
            .flat_map(|c| c.pieces.iter().flat_map(|piece| &piece.branch.ends));
        let ends: Vec<String> = ends.map(End::describe).collect();
        if crossings.count() < 2 || ends.iter().any(|end| end.starts_with("MX")) {
            wrong.push((member, format!("{ends:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}
