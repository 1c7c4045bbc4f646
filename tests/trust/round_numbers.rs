//! Points of codimension two where round numbers put a point of the curve just there, and along curves whose second
//! parameter is in any unit.

use super::known::{none_wrong, pieces, run};
use super::random::{Random, members};
use slipstick_bifurcation::Label;

/// Two oscillators that do not act on each other: their Hopf curves cross at b = ±0.3, b = K q.
#[test]
fn double_hopf_points_beside_a_parameter_in_any_unit() {
    let class = "second parameters in units";
    let count = members(16);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let unit = random.log_between(1e-8, 1e8);
        let (start, turns) = (random.between(-1.8, 1.8) * unit, random.between(1.7, 2.6));
        let ends = (-2.0 * unit, 2.0 * unit);
        let (free, range) = if random.sign() > 0.0 {
            ("(\"a\", \"q\")", format!("((-1, 1), {ends:?})"))
        } else {
            ("(\"q\", \"a\")", format!("({ends:?}, (-1, 1))"))
        };
        let text = format!(
            "Study(title: \"u\", system: Smooth(states: [\"x\", \"y\", \"u\", \"v\"], \
             parameters: {{\"a\": -0.3, \"q\": {start:?}}}, define: {{\"b\": \"q/({unit:?})\"}}, \
             equations: [\"x' = a*x - y\", \"y' = x + a*y\", \"u' = (b^2 - 0.09)*u - ({turns:?})*v\", \
             \"v' = ({turns:?})*u + (b^2 - 0.09)*v\"]), \
             curves: [Curve(name: \"c\", orbit: Equilibrium, start: Guess(at: {{\"a\": -0.3}}, states: [{{\"x\": 0, \"y\": 0, \"u\": 0, \"v\": 0}}]), \
             free: \"a\", range: (-1, 1))], \
             loci: [Locus(name: \"l\", from: \"c: HB\", free: {free}, range: {range})])"
        );
        let result = run(&text);
        let found = pieces(&result, "l").into_iter().flatten();
        let mut places: Vec<f64> = found
            .filter(|p| p.label == Some(Label::HH))
            .map(|p| p.record.parameters[1] / unit)
            .collect();
        places.sort_by(f64::total_cmp);
        places.dedup_by(|a, b| (*a - *b).abs() < 1e-9);
        let right = places.len() == 2 && (places[0] + 0.3).abs() < 1e-9 && (places[1] - 0.3).abs() < 1e-9;
        if !right {
            wrong.push((member, format!("{places:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Curves over (a, q) that are straight along q, with a further eigenvalue or multiplier that passes at q = 0, from
/// starts at round numbers of steps away from there.
#[test]
fn points_at_round_numbers() {
    let class = "round numbers";
    let count = members(20);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let steps = [0.25, 0.5, 0.75, 1.0, 1.5, 2.0][random.below(6)];
        let (rate, unit) = ([200.0, 500.0, 1000.0][random.below(3)], 1e-3);
        let start = random.sign() * steps * unit;
        let own = format!("{rate:?}*q");
        let (system, orbit, label, wanted) = match member % 4 {
            0 => (
                format!(
                    "Smooth(states: [\"x\", \"y\", \"u\"], PAR, equations: [\"x' = a*x - y\", \"y' = x + a*y\", \"u' = {own}*u - u^3\"])"
                ),
                "Equilibrium",
                "HB",
                Label::ZH,
            ),
            1 => (
                format!(
                    "Smooth(states: [\"x\", \"y\", \"u\", \"v\"], PAR, equations: [\"x' = a*x - y\", \"y' = x + a*y\", \
                         \"u' = {own}*u - 2*v\", \"v' = 2*u + {own}*v\"])"
                ),
                "Equilibrium",
                "HB",
                Label::HH,
            ),
            2 => (
                format!(
                    "Map(states: [\"x\", \"y\"], PAR, equations: [\"x+ = -(1 + a)*x + x^3\", \"y+ = (1 + {own})*y - y^3\"])"
                ),
                "FixedPoint",
                "PD",
                Label::codimension_two(Label::PD, Label::LP),
            ),
            _ => (
                format!(
                    "Smooth(states: [\"x\", \"y\"], PAR, equations: [\"x' = a*x - y + {own}*x*(x^2 + y^2) - x*(x^2 + y^2)^2\", \
                         \"y' = x + a*y + {own}*y*(x^2 + y^2) - y*(x^2 + y^2)^2\"])"
                ),
                "Equilibrium",
                "HB",
                Label::GH,
            ),
        };
        let at = match member % 4 {
            0 => "\"x\": 0, \"y\": 0, \"u\": 0",
            1 => "\"x\": 0, \"y\": 0, \"u\": 0, \"v\": 0",
            _ => "\"x\": 0, \"y\": 0",
        };
        let system = system.replace("PAR", &format!("parameters: {{\"a\": -0.3, \"q\": {start:?}}}"));
        let text = format!(
            "Study(title: \"r\", system: {system}, \
             curves: [Curve(name: \"c\", orbit: {orbit}, start: Guess(at: {{\"a\": -0.3}}, states: [{{{at}}}]), \
             free: \"a\", range: (-1, 1))], \
             loci: [Locus(name: \"l\", from: \"c: {label}\", free: (\"a\", \"q\"), range: ((-1, 1), (-0.002, 0.002)))])"
        );
        let result = run(&text);
        let found = pieces(&result, "l").into_iter().flatten();
        let points: Vec<f64> = found
            .filter(|p| p.label == Some(wanted))
            .map(|p| p.record.parameters[1])
            .collect();
        if points.len() != 1 || points[0].abs() > 1e-10 {
            wrong.push((member, format!("{wanted}: {points:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Folds of FitzHugh and Nagumo's equations at c = 5, with a range of either parameter that leaves them out.
#[test]
fn starts_outside_of_a_range_are_named() {
    for (range, named) in [
        ("((-2, 2), (0.5, 3))", "its c is outside"),
        ("((3, 4), (0.5, 8))", "its I is outside"),
    ] {
        let result = run(&format!(
            "Study(title: \"o\", system: Smooth(states: [\"v\", \"w\"], parameters: {{\"I\": 0.1, \"e\": 0.3, \"c\": 5}}, \
             equations: [\"v' = v - v^3/3 - w + I\", \"w' = e*(v + 0.5 - c*w)\"]), \
             curves: [Curve(name: \"c\", orbit: Equilibrium, start: All(at: {{\"I\": 0.1}}), free: \"I\", range: (-2, 2))], \
             loci: [Locus(name: \"l\", from: \"c: LP\", free: (\"I\", \"c\"), range: {range})])"
        ));
        assert!(pieces(&result, "l").is_empty());
        let said = format!("{:?}", result.missing);
        assert!(said.contains(named), "{said}");
    }
}

/// Curves of tori of forced orbits, with a further state whose multiplier passes +1 at b = ±0.3, b = q/unit.
#[test]
fn tori_of_orbits_beside_a_parameter_in_any_unit() {
    let class = "second parameters of orbits in units";
    let count = members(12);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let unit = random.log_between(1e-8, 1e8);
        let (start, turns) = (random.between(-0.9, 0.9) * unit, random.between(0.2, 0.4));
        let ends = (-unit, unit);
        let (free, range) = if random.sign() > 0.0 {
            ("(\"a\", \"q\")", format!("((-1, 1), {ends:?})"))
        } else {
            ("(\"q\", \"a\")", format!("({ends:?}, (-1, 1))"))
        };
        let text = format!(
            "Study(title: \"u\", system: Smooth(states: [\"x\", \"y\", \"u\"], forcing: Forcing(period: \"2*pi\"), \
             parameters: {{\"a\": -0.3, \"q\": {start:?}}}, define: {{\"b\": \"q/({unit:?})\"}}, \
             equations: [\"x' = a*x - ({turns:?})*y - x*(x^2 + y^2)\", \"y' = ({turns:?})*x + a*y - y*(x^2 + y^2)\", \
             \"u' = (b^2 - 0.09)*u - u^3\"]), \
             curves: [Curve(name: \"c\", orbit: PeriodicOrbit, start: Guess(at: {{\"a\": -0.3}}, \
             states: [{{\"x\": 0, \"y\": 0, \"u\": 0}}], durations: [6.283185307179586]), free: \"a\", range: (-1, 1))], \
             loci: [Locus(name: \"l\", from: \"c: NS\", free: {free}, range: {range})])"
        );
        let result = run(&text);
        let found = pieces(&result, "l").into_iter().flatten();
        let label = Label::codimension_two(Label::NS, Label::LP);
        let mut places: Vec<f64> = found
            .filter(|p| p.label == Some(label))
            .map(|p| p.record.parameters[1] / unit)
            .collect();
        places.sort_by(f64::total_cmp);
        let right = places.len() == 2 && (places[0] + 0.3).abs() < 1e-9 && (places[1] - 0.3).abs() < 1e-9;
        if !right {
            wrong.push((member, format!("{places:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}
