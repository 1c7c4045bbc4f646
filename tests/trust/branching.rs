//! Points at which more than two curves meet: how many half-branches leave is known by construction.

use super::known::{curve, none_wrong, run};
use super::random::{Coordinates, Random, members};
use slipstick_bifurcation::Label;
use slipstick_study::RunResult;

/// A study of the curve u = 0 of equilibria of u' = f(u, q), from q = `from` to the end of (-1, 1), with its branches.
fn study(coordinates: &Coordinates, fields: &[String], from: f64) -> String {
    let n = fields.len();
    format!(
        "Study(title: \"branches\", system: {}, curves: [Curve(name: \"c\", orbit: Equilibrium, start: Guess(at: {{\"p\": {:?}}}, states: [{}]), free: \"p\", range: ({:?}, {:?}), branches: [BP], generations: 1)])",
        coordinates.smooth(fields, from),
        coordinates.parameter * from,
        coordinates.states_text(&vec![0.0; n]),
        -coordinates.parameter,
        coordinates.parameter,
    )
}

/// How many curves leave the first branch point of `c`, which must be the only one and lie at q = `place`; else what is
/// wrong.
fn branches(result: &RunResult, coordinates: &Coordinates, place: f64, close: f64) -> Result<usize, String> {
    let places: Vec<f64> = curve(result, "c")
        .points()
        .filter(|(_, _, p)| p.label == Some(Label::BP))
        .map(|(_, _, p)| p.point.parameter() / coordinates.parameter)
        .collect();
    match places[..] {
        [at] if (at - place).abs() < close => Ok(result.curves.iter().filter(|c| c.name.starts_with("c-BP1")).count()),
        _ => Err(format!("BP at {places:?}")),
    }
}

/// Is it told that several curves meet near this place, or that they may, where the curve ends next to it?
fn tells_of_several(result: &RunResult, coordinates: &Coordinates, place: f64) -> bool {
    curve(result, "c").points().any(|(_, _, p)| {
        let (words, close) = match p.label {
            Some(Label::BP) => ("multiple: ", 0.02),
            Some(Label::MX) => ("several curves meet", 0.05),
            _ => return false,
        };
        p.message.contains(words) && (p.point.parameter() / coordinates.parameter - place).abs() < close
    })
}

/// With more lines it may only be told that several other curves intersect.
const MOST_COUNTED: usize = 3;

/// u (u - c₁ q) … (u - cₖ q) = 0 with k from `from`, `count` of them: k + 1 lines through one point, so 2 k
/// half-branches besides the curve u = 0. Slopes are at least `apart` from each other, and places right to `close`.
fn check_lines(class: &str, few: usize, (from, numbers): (usize, usize), apart: f64, close: f64) {
    let count = members(few);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let k = from + random.below(numbers);
        let n = 1 + random.below(2);
        let mut slopes: Vec<f64> = vec![];
        while slopes.len() < k {
            let slope = random.sign() * random.between(0.3, 2.0);
            if slopes.iter().all(|s: &f64| (s - slope).abs() > apart) {
                slopes.push(slope);
            }
        }
        let place = random.between(-0.3, 0.3);
        let product: String = slopes
            .iter()
            .map(|s| format!("*(u1 - ({s:?})*(q - ({place:?})))"))
            .collect();
        let mut fields = vec![format!("u1{product}")];
        fields.extend((1..n).map(|i| format!("-({:?})*u{} + 0.3*u1^2", random.between(0.5, 2.0), i + 1)));
        let coordinates = Coordinates::random(&mut random, n, [0.0, 0.0, 0.0]);
        let text = study(&coordinates, &fields, -0.9);
        let result = run(&text);
        let multiple = |message: &str| k > MOST_COUNTED && message.contains("multiple: ");
        match branches(&result, &coordinates, place, close) {
            Ok(found) if found == 2 * k => {}
            Ok(_) if curve(&result, "c").points().any(|(_, _, p)| multiple(&p.message)) => {}
            Err(_) if k > 5 && tells_of_several(&result, &coordinates, place) => {}
            other => wrong.push((member, format!("{} lines: {other:?}\n{text}", k + 1))),
        }
    }
    none_wrong(class, count, &wrong);
}

#[test]
fn crossing_lines() {
    check_lines("lines", 8, (1, 3), 0.3, 1e-7);
}

#[test]
fn many_crossing_lines() {
    check_lines("many lines", 6, (4, 2), 0.2, 1e-7);
}

/// With seven to ten lines the test for branch points is rounding within a hundredth of the range or more: a branch
/// point of several curves is told there, or the curve ends next to it and says why.
#[test]
fn very_many_crossing_lines() {
    check_lines("very many lines", 6, (6, 4), 0.12, 0.02);
}

/// uᵢ (q - q0) = aᵢ uᵢ³ + b uᵢ Σ uⱼ² (j ≠ i): with 2 states of the symmetry of the square 8 half-branches leave besides
/// u = 0, with 3 those of the cube, 6 + 12 + 8.
#[test]
fn symmetric_kernels() {
    let count = members(6);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("cubes", member);
        let n = 2 + random.below(2);
        let (a, b) = (random.between(0.5, 1.5), random.sign() * random.between(0.1, 0.4));
        let place = random.between(-0.3, 0.3);
        let fields: Vec<String> = (1..=n)
            .map(|i| {
                let others: Vec<String> = (1..=n).filter(|j| *j != i).map(|j| format!("u{j}^2")).collect();
                format!(
                    "u{i}*((q - ({place:?})) - ({a:?})*u{i}^2 - ({b:?})*({}))",
                    others.join(" + ")
                )
            })
            .collect();
        let coordinates = Coordinates::random(&mut random, n, [0.0, 0.0, 0.0]);
        let text = study(&coordinates, &fields, -0.9);
        let right = if n == 2 { 8 } else { 26 };
        match branches(&run(&text), &coordinates, place, 1e-7) {
            Ok(found) if found == right => {}
            other => wrong.push((member, format!("{n} states: {other:?} of {right}\n{text}"))),
        }
    }
    none_wrong("symmetric kernels", count, &wrong);
}

/// u ((q - q0) - s u^m): transcritical, a pitchfork, and degenerate ones: 2 half-branches besides u = 0.
#[test]
fn simple_and_degenerate_crossings() {
    let count = members(8);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("powers", member);
        let m = 1 + member % 4;
        let place = random.between(-0.3, 0.3);
        let s = random.sign() * random.between(0.5, 2.0);
        let fields = vec![format!("u1*((q - ({place:?})) - ({s:?})*u1^{m})")];
        let coordinates = Coordinates::random(&mut random, 1, [0.0, 0.0, 0.0]);
        let text = study(&coordinates, &fields, -0.9);
        match branches(&run(&text), &coordinates, place, 1e-7) {
            Ok(2) => {}
            other => wrong.push((member, format!("power {m}: {other:?}\n{text}"))),
        }
    }
    none_wrong("powers", count, &wrong);
}

/// The pitchfork of a bead on a hoop, with others a turn away, where the angle is counted from far away and in other
/// units: its branches are those that leave the point, at rest, with damping, of a map, and where it is hardly left.
#[test]
fn branches_of_points_far_from_zero_leave_there() {
    let class = "far from zero";
    let count = members(12);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (q0, k) = (
            random.sign() * random.log_between(1.0, 3000.0),
            random.log_between(0.5, 20.0),
        );
        let force = "sin(u)*(w*cos(u) - 1)";
        let (kind, orbit, equations, states) = match member % 3 {
            0 => ("Smooth", "Equilibrium", format!("\"q' = {force}\""), "\"q\""),
            1 => (
                "Smooth",
                "Equilibrium",
                format!("\"q' = p\", \"p' = {force} - 0.3*p\""),
                "\"q\", \"p\"",
            ),
            _ => ("Map", "FixedPoint", format!("\"q+ = q + 0.2*{force}\""), "\"q\""),
        };
        let text = format!(
            "Study(title: \"bead\", system: {kind}(states: [{states}], parameters: {{\"w\": 0.5}}, define: {{\"u\": \"{k:?}*(q - ({q0:?}))\"}}, equations: [{equations}]), \
             curves: [Curve(name: \"c\", orbit: {orbit}, start: Guess(at: {{\"w\": 0.5}}, states: [{{{}}}]), free: \"w\", range: (0, 3), branches: [BP])])",
            states
                .split(", ")
                .map(|s| format!("{s}: {}", if s == "\"q\"" { format!("{q0:?}") } else { "0".into() }))
                .collect::<Vec<_>>()
                .join(", "),
        );
        let result = run(&text);
        let mut ends: Vec<f64> = result
            .curves
            .iter()
            .filter(|c| c.name.starts_with("c-BP1"))
            .flat_map(|c| c.points())
            .filter(|(_, _, p)| p.point.parameter() == 3.0)
            .map(|(_, _, p)| k * (p.point.z[0] - q0))
            .collect();
        ends.sort_by(f64::total_cmp);
        let angle = (1.0f64 / 3.0).acos();
        let close = 1e-12 * k * q0.abs() + 1e-10;
        if !matches!(ends[..], [low, high] if (low + angle).abs() <= close && (high - angle).abs() <= close) {
            wrong.push((member, format!("{ends:?}, not ±{angle}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// A fold at which a curve begins, at the end of its range or inside: it is found, with both of its halves.
#[test]
fn curves_that_begin_at_a_fold_have_both_halves() {
    let class = "begun at a fold";
    let count = members(16);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (a, n, side) = (random.between(0.5, 2.0), 1 + random.below(2), random.sign());
        let mut fields = vec![format!("({side:?})*q - {a:?}*u1^2 - q*u1/5")];
        if n == 2 {
            fields.push(format!("{:?}*u1 - u2", random.between(-1.0, 1.0)));
        }
        let coordinates = Coordinates::random(&mut random, n, [2.0, 2.0, 2.0]);
        let start = format!(
            "Guess(at: {{\"p\": 0}}, states: [{}])",
            coordinates.states_text(&vec![0.0; n])
        );
        let end = 0.1 * coordinates.parameter;
        let inside = member % 2 == 0;
        let (low, high) = match (inside, side > 0.0) {
            (true, _) => (-end, end),
            (false, true) => (0.0, end),
            (false, false) => (-end, 0.0),
        };
        let text = format!(
            "Study(title: \"fold\", system: {}, curves: [Curve(name: \"c\", orbit: Equilibrium, start: {start}, free: \"p\", range: ({low:?}, {high:?}))])",
            coordinates.smooth(&fields, 0.0),
        );
        let result = run(&text);
        let ends: Vec<f64> = result
            .curves
            .iter()
            .flat_map(|c| c.points())
            .filter(|(_, _, p)| p.point.parameter() == side * end)
            .map(|(_, _, p)| p.point.z[0])
            .collect();
        let folds = result.curves.iter().flat_map(|c| c.points());
        let folds = folds.filter(|(_, _, p)| p.label == Some(Label::LP)).count();
        if folds != 1 || !matches!(ends[..], [one, other] if one != other) {
            wrong.push((
                member,
                format!("{folds} LP, {ends:?}, missing {:?}\n{text}", result.missing),
            ));
        }
    }
    none_wrong(class, count, &wrong);
}
