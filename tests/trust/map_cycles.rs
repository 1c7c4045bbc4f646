//! Cycles of maps: each is told once, whatever point of it is counted first, and a family ends where its cycles are
//! born.

use super::known::{Verdict, curve, labels, none_wrong, run};
use super::random::{Coordinates, Random, members};
use slipstick_bifurcation::{BranchPoint, End, Label};
use slipstick_study::CurveResult;

/// Scales of the states and the parameter, in powers of ten.
const SCALES: [f64; 3] = [7.0, 9.0, 0.0];
/// The 3-cycles of x+ = m x (1 - x) double here.
const THREE_DOUBLES: f64 = 3.841_499_007_543_507_4;

/// Cycles of a map known in closed form, in coordinates u and with a parameter q that is followed over (-1, 1).
struct Known {
    fields: Vec<String>,
    length: usize,
    /// The value of q where the curve starts, and the first point there.
    start: (f64, Vec<f64>),
    labels: Vec<(Label, f64)>,
}

/// Stable directions beside the states of the family.
fn beside(random: &mut Random, mut fields: Vec<String>) -> Vec<String> {
    let n = fields.len() + random.below(3);
    for i in fields.len() + 1..=n {
        let (rate, drive) = (random.between(0.1, 0.9), random.between(-0.5, 0.5));
        fields.push(format!("u{i} - ({rate:?})*(u{i} - ({drive:?})*u1^2)"));
    }
    fields
}

/// `Study(…)` of a curve of cycles over q in (-1, 1).
fn study(known: &Known, coordinates: &Coordinates) -> String {
    let (q, mut u) = known.start.clone();
    u.resize(known.fields.len(), 0.0);
    format!(
        "Study(title: \"cycles\", system: {}, curves: [Curve(name: \"c\", orbit: Cycle({}), start: Guess(at: {{\"p\": {:?}}}, states: [{}]), free: \"p\", \
         range: ({:?}, {:?}), points: 3000)])",
        coordinates.map(&known.fields, q),
        known.length,
        coordinates.p(q),
        coordinates.states_text(&u),
        coordinates.p(-1.0),
        coordinates.p(1.0)
    )
}

/// Hold the labels of random members of a class against those that are known; `ends` says how a curve must end.
fn check(class: &str, draw: impl Fn(&mut Random) -> Known, ends: impl Fn(&[&End]) -> bool) {
    let count = members(8);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let known = draw(&mut random);
        let coordinates = Coordinates::random(&mut random, known.fields.len(), SCALES);
        let text = study(&known, &coordinates);
        let result = run(&text);
        let Some(found) = result.curves.first() else {
            wrong.push((member, format!("{:?}\n{text}", result.missing)));
            continue;
        };
        let said: Vec<(Label, f64)> = labels(found).iter().map(|l| (l.0, coordinates.q(l.1))).collect();
        let verdict = Verdict::of(&said, &known.labels, 1e-9);
        let how: Vec<&End> = found.pieces.iter().flat_map(|p| &p.branch.ends).collect();
        // The cycle at its doubling, gone through twice, has a multiplier +1; gone through once it has none.
        let of_two = |p: &BranchPoint| p.message.contains("a multiplier is +1 here as well");
        let doubled = labels(found).iter().any(|l| of_two(l.2));
        if !verdict.is_right() || !ends(&how) || doubled {
            wrong.push((member, format!("{verdict:?} {how:?} {doubled}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// x+ = m x (1 - x) with m over an interval.
fn logistic((low, high): (f64, f64)) -> (String, impl Fn(f64) -> f64) {
    let (middle, half) = (0.5 * (low + high), 0.5 * (high - low));
    (format!("(({middle:?}) + ({half:?})*q)*u1*(1 - u1)"), move |m| {
        (m - middle) / half
    })
}

/// Does the curve end at a doubling at one end and at the end of its range at the other?
fn born_by_doubling(ends: &[&End]) -> bool {
    let born = |end: &End| matches!(end, End::Shrunk { meaning } if meaning.starts_with("period doubling: this branch ends at"));
    ends.iter().filter(|end| born(end)).count() == 1 && ends.iter().filter(|end| ***end == End::Range).count() == 1
}

#[test]
fn pairs_of_the_logistic_map_begin_at_the_doubling_of_its_fixed_point() {
    let draw = |random: &mut Random| {
        let (field, q) = logistic((random.between(2.0, 2.95), random.between(3.5, 4.0)));
        let m = random.between(3.05, 3.4);
        let x = (m + 1.0 + random.sign() * ((m + 1.0) * (m - 3.0)).sqrt()) / (2.0 * m);
        Known {
            fields: beside(random, vec![field]),
            length: 2,
            start: (q(m), vec![x]),
            labels: vec![(Label::PD, q(3.0)), (Label::PD, q(1.0 + 6f64.sqrt()))],
        }
    };
    check("pairs of the logistic map", draw, born_by_doubling);
}

/// x+ = 1 - a x² + y, y+ = b x: pairs are born at a = 3 (1 - b)²/4 and double at a = (1 - b)² + (1 + b)²/4.
#[test]
fn pairs_of_henon_maps_begin_at_the_doubling_of_their_fixed_points() {
    let draw = |random: &mut Random| {
        let b = random.between(-0.8, 0.8);
        let (first, second) = (
            0.75 * (1.0f64 - b).powi(2),
            (1.0 - b).powi(2) + 0.25 * (1.0 + b).powi(2),
        );
        let (low, high) = (first - random.between(0.1, 0.5), second + random.between(0.1, 0.5));
        let q = |a: f64| 2.0 * (a - low) / (high - low) - 1.0;
        let a = first + random.between(0.2, 0.8) * (second - first);
        let (middle, half) = (0.5 * (low + high), 0.5 * (high - low));
        // x² - (1 - b)/a x + (1 - b)²/a² - 1/a = 0 has both points as its roots.
        let s = (1.0 - b) / a;
        let x = 0.5 * (s + random.sign() * (4.0 / a - 3.0 * s * s).sqrt());
        let y = b * (s - x);
        Known {
            fields: beside(
                random,
                vec![
                    format!("1 - (({middle:?}) + ({half:?})*q)*u1^2 + u2"),
                    format!("({b:?})*u1"),
                ],
            ),
            length: 2,
            start: (q(a), vec![x, y]),
            labels: vec![(Label::PD, q(first)), (Label::PD, q(second))],
        }
    };
    check("pairs of Hénon maps", draw, born_by_doubling);
}

/// u+ = -u + (q - q1)(q - q2) u + s u³ has pairs between q1 and q2 only, or only outside.
#[test]
fn a_family_between_two_doublings_ends_at_both() {
    let draw = |random: &mut Random| {
        let (q1, q2) = (random.between(-0.8, -0.2), random.between(0.2, 0.8));
        let tail = random.between(0.2, 2.0);
        let place = (random.between(-1.0, 1.0), random.between(-0.5, 0.5));
        let v = format!("(u1 - ({:?}) - ({:?})*q)", place.0, place.1);
        let field = format!(
            "({:?}) + ({:?})*q - {v} + (q - ({q1:?}))*(q - ({q2:?}))*{v} + ({tail:?})*{v}^3",
            place.0, place.1
        );
        let q = random.between(0.5 * q1, 0.5 * q2);
        let u = (-(q - q1) * (q - q2) / tail).sqrt();
        Known {
            fields: beside(random, vec![field]),
            length: 2,
            start: (q, vec![place.0 + place.1 * q + random.sign() * u]),
            labels: vec![(Label::PD, q1), (Label::PD, q2)],
        }
    };
    check("between doublings", draw, |ends| {
        ends.len() == 2 && ends.iter().all(|end| matches!(end, End::Shrunk { .. }))
    });
}

#[test]
fn triples_of_the_logistic_map_have_each_label_once() {
    let draw = |random: &mut Random| {
        let (field, q) = logistic((random.between(3.7, 3.82), random.between(3.843, 3.9)));
        let m = 3.835;
        let mut x = 0.5;
        for _ in 0..3000 {
            x = m * x * (1.0 - x);
        }
        for _ in 0..random.below(3) {
            x = m * x * (1.0 - x);
        }
        Known {
            fields: beside(random, vec![field]),
            length: 3,
            start: (q(m), vec![x]),
            labels: vec![(Label::LP, q(1.0 + 8f64.sqrt())), (Label::PD, q(THREE_DOUBLES))],
        }
    };
    check("triples of the logistic map", draw, |ends| {
        ends.iter().all(|end| **end == End::Range)
    });
}

/// θ+ = θ + 1/k + w - a - c sin 2πkθ: the k-cycles are a closed curve on which the cycle comes again from each of its
/// points, with folds at w = a ± c.
#[test]
fn cycles_on_a_circle_come_back_to_themselves() {
    let count = members(8);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("tongues", member);
        let k = 2 + random.below(4);
        let (a, period) = (random.between(-0.2, 0.2), random.log_between(0.1, 10.0));
        let c = random.between(0.02, 0.12) / k as f64;
        // Without the other terms the cycles would also be mirrored or shifted ones.
        let rotation = 1.0 / k as f64;
        let field = format!(
            "th + ({period:?})*(({rotation:?}) + w - ({a:?}) - ({c:?})*sin({}*pi*th/({period:?})))",
            2 * k
        );
        let text = format!(
            "Study(title: \"tongue\", system: Map(states: [\"th\"], angles: {{\"th\": \"{period:?}\"}}, parameters: {{\"w\": {a:?}}}, equations: [\"th+ = {field}\"]), \
             curves: [Curve(name: \"c\", orbit: Cycle({k}), start: Guess(at: {{\"w\": {a:?}}}, states: [{{\"th\": 0.0}}]), free: \"w\", range: (-1, 1), points: 3000)])"
        );
        let result = run(&text);
        let found = curve(&result, "c");
        let said: Vec<(Label, f64)> = labels(found).iter().map(|l| (l.0, l.1)).collect();
        let verdict = Verdict::of(&said, &[(Label::LP, a - c), (Label::LP, a + c)], 1e-9);
        let closed = found.pieces.iter().all(|p| p.branch.ends == [End::Closed]);
        if !verdict.is_right() || !closed {
            wrong.push((member, format!("{verdict:?} closed {closed}\n{text}")));
        }
    }
    none_wrong("tongues", count, &wrong);
}

/// A study of the logistic map with this curve.
fn of_logistic(curve: &str) -> String {
    format!(
        "Study(title: \"logistic\", system: Map(states: [\"x\"], parameters: {{\"r\": 3.2}}, equations: [\"x+ = r*x*(1 - x)\"], start: {{\"x\": 0.3}}), curves: [{curve}])"
    )
}

fn names(curves: &[CurveResult]) -> Vec<&str> {
    curves.iter().map(|c| c.name.as_str()).collect()
}

#[test]
fn branches_at_doublings_lead_on_and_back_and_never_along_the_same_cycles() {
    let on = run(&of_logistic(
        "Curve(name: \"c\", orbit: FixedPoint, start: Guess(at: {\"r\": 2.5}, states: [{\"x\": 0.6}]), free: \"r\", range: (2, 3.55), branches: [PD], generations: 4)",
    ));
    assert_eq!(names(&on.curves), ["c", "c-PD1a", "c-PD1a-PD1a", "c-PD1a-PD1a-PD1a"]);
    let back = run(&of_logistic(
        "Curve(name: \"c\", orbit: Cycle(2), start: All(at: {\"r\": 3.2}), free: \"r\", range: (2, 3.5), branches: [PD], generations: 3)",
    ));
    let mut found = names(&back.curves);
    found.sort_unstable();
    assert_eq!(found, ["c", "c-PD1a", "c-PD1b", "c-PD2a"]);
    for c in &back.curves {
        let points = match c.name.as_str() {
            "c" => 2.0,
            "c-PD2a" => 4.0,
            _ => 1.0,
        };
        assert!(c.points().all(|(_, _, p)| p.record.period == points), "{}", c.name);
    }
}

#[test]
fn a_start_that_goes_round_its_cycle_several_times_is_told_once() {
    for (start, r, points) in [
        ("Settle(at: {\"r\": 3.2})", 3.2, 2.0),
        ("Settle(at: {\"r\": 2.8})", 2.8, 1.0),
        ("Guess(at: {\"r\": 3.2}, states: [{\"x\": 0.5}])", 3.2, 2.0),
    ] {
        let result = run(&of_logistic(&format!(
            "Curve(name: \"c\", orbit: Cycle(4), start: {start}, free: \"r\", range: (2, 3.44))"
        )));
        let c = curve(&result, "c");
        assert!(c.note.contains("times; the curve is that of"), "{r}: {}", c.note);
        assert!(c.points().all(|(_, _, p)| p.record.period == points), "{start}");
    }
}

#[test]
fn a_search_that_finds_only_shorter_cycles_says_so() {
    for (length, r, said) in [
        (4, 3.2, "only cycles of 2 points: ask for `Cycle(2)`"),
        (2, 2.5, "only fixed points"),
    ] {
        let result = run(&of_logistic(&format!(
            "Curve(name: \"c\", orbit: Cycle({length}), start: All(at: {{\"r\": {r}}}), free: \"r\", range: ({:?}, {:?}))",
            r - 0.1,
            r + 0.1
        )));
        let why = &result.missing[0].reason;
        assert!(why.contains(said), "{why}");
    }
}

#[test]
fn a_curve_starts_from_the_cycle_that_another_was_born_from() {
    let text = "Curve(name: \"pairs\", orbit: Cycle(2), start: All(at: {\"r\": 3.2}), free: \"r\", range: (2, 3.4)), \
                Curve(name: \"fixed\", orbit: FixedPoint, start: Point(from: \"pairs, PD\"), free: \"r\", range: (2, 3.4))";
    let result = run(&of_logistic(text));
    let fixed = curve(&result, "fixed");
    let off = fixed
        .points()
        .map(|(_, _, p)| (p.point.z[0] - 1.0 + p.point.parameter().recip()).abs());
    assert!(off.fold(0.0, f64::max) < 1e-9 && fixed.covered() == (2.0, 3.4));
}

/// Maps that turn by an angle and shrink: what is left of a transient turns about the fixed point as a cycle would. It is
/// one point, and a cycle that attracts beside it keeps its length.
#[test]
fn the_remains_of_a_transient_are_a_fixed_point() {
    let class = "remains";
    let count = members(10);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (angle, multiplier) = (random.between(0.3, 3.0), random.between(0.7, 0.97));
        let text = format!(
            "Study(title: \"remains\", system: Map(states: [\"x\", \"y\"], parameters: {{\"b\": -0.1, \"th\": {angle:?}}}, \
             define: {{\"g\": \"{multiplier:?} + b + 0.3*(x^2 + y^2) - (x^2 + y^2)^2\"}}, \
             equations: [\"x+ = g*(cos(th)*x - sin(th)*y)\", \"y+ = g*(sin(th)*x + cos(th)*y)\"]), \
             tasks: [OrbitDiagram(name: \"d\", over: {{\"b\": Linear(-0.03, 0, 4)}}, from: {{\"x\": 0.8, \"y\": 0.1}}, sweeps: [Down, Up], exponents: 1)])"
        );
        let result = run(&text);
        let (_, table) = &result.analyses[0].tables[0];
        let (x, periods) = (table.numbers("x").unwrap(), table.numbers("period").unwrap());
        let small = |k: &usize| x[*k].abs() < 1e-6;
        let bad: Vec<f64> = (0..x.len())
            .filter(small)
            .map(|k| periods[k])
            .filter(|p| *p != 1.0)
            .collect();
        if !bad.is_empty() || (0..x.len()).filter(small).count() == 0 {
            wrong.push((member, format!("periods {:?}\n{text}", &bad[..bad.len().min(5)])));
        }
    }
    none_wrong(class, count, &wrong);
}
