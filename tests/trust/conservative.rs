//! Equilibria of systems that conserve something, where pairs of imaginary eigenvalues meet and leave the axis.

use super::known::{curve, labels, none_wrong, run};
use super::random::{Coordinates, Random, members};
use slipstick_bifurcation::Label;

/// Scales of the states, the parameter and time, in powers of ten.
const SCALES: [f64; 3] = [5.0, 5.0, 4.0];

/// u'' = -a u + b v, v'' = c (q - q0) (1 + d (q - q0)) u - a v: λ² = -a ± √(b c (q - q0) …), two imaginary pairs on one
/// side of q0 and a quadruple on the other; beside it, another oscillator that nothing happens to.
#[test]
fn pairs_that_leave_the_axis_are_told() {
    let class = "Hamiltonian Hopf";
    let count = members(8);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (a, b) = (random.between(1.5, 3.0), random.between(0.4, 1.0));
        let (c, d) = (random.sign() * random.between(0.4, 1.0), random.between(-0.3, 0.3));
        let q0 = random.between(-0.5, 0.5);
        let mut fields: Vec<String> = vec![
            "u3".into(),
            "u4".into(),
            format!("-({a:?})*u1 + ({b:?})*u2"),
            format!("({c:?})*(q - ({q0:?}))*(1 + ({d:?})*(q - ({q0:?})))*u1 - ({a:?})*u2"),
        ];
        if member % 2 == 1 {
            let square = random.between(4.5, 9.0);
            fields.push("u6".into());
            fields.push(format!("-({square:?})*u5"));
        }
        let coordinates = Coordinates::random(&mut random, fields.len(), SCALES);
        let start = random.sign() * 0.9;
        let text = format!(
            "Study(title: \"conservative\", system: {}, curves: [Curve(name: \"c\", orbit: Equilibrium, start: Guess(at: {{\"p\": {:?}}}, states: [{}]), free: \"p\", range: ({:?}, {:?}))])",
            coordinates.smooth(&fields, start),
            coordinates.parameter * start,
            coordinates.states_text(&vec![0.0; fields.len()]),
            -coordinates.parameter,
            coordinates.parameter,
        );
        let result = run(&text);
        let found = curve(&result, "c");
        let places: Vec<f64> = found
            .note
            .split("near p = ")
            .skip(1)
            .filter_map(|said| said.split(' ').next()?.parse().ok())
            .collect();
        let labels = found
            .points()
            .filter(|(_, _, p)| p.label.is_some_and(|l| l != Label::EP));
        let near = matches!(places[..], [at] if (at / coordinates.parameter - q0).abs() <= 1e-3);
        if !near || labels.count() > 0 {
            wrong.push((
                member,
                format!("{places:?} of {}: {}\n{text}", coordinates.parameter * q0, found.note),
            ));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Rings of equal pendulums, q'' = -p q + c (q₊ - 2 q + q₋) - q³: pairs of eigenvalues reach zero together at p = -2 c (1 -
/// cos 2πk/n). A place that is missed is told by the note of the curve.
#[test]
fn what_is_missed_where_pairs_reach_zero_together_is_said() {
    let class = "rings of pendulums";
    let count = members(6);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (n, c) = (5 + member % 6, random.between(0.5, 1.5));
        let quoted = |list: Vec<String>| list.iter().map(|s| format!("{s:?}")).collect::<Vec<_>>().join(", ");
        let states = quoted((0..n).flat_map(|i| [format!("q{i}"), format!("v{i}")]).collect());
        let equations = (0..n).flat_map(|i| {
            let (left, right) = ((i + n - 1) % n, (i + 1) % n);
            let force = format!("-p*q{i} + ({c:?})*(q{right} - 2*q{i} + q{left}) - q{i}^3");
            [format!("q{i}' = v{i}"), format!("v{i}' = {force}")]
        });
        let zero: Vec<String> = (0..n).map(|i| format!("\"q{i}\": 0, \"v{i}\": 0")).collect();
        let low = -4.5 * c;
        let text = format!(
            "Study(title: \"ring\", system: Smooth(states: [{states}], parameters: {{\"p\": 1}}, equations: [{}]), curves: [Curve(name: \"c\", orbit: Equilibrium, \
             start: Guess(at: {{\"p\": 1}}, states: [{{{}}}]), free: \"p\", range: ({low:?}, 1.1))])",
            quoted(equations.collect()),
            zero.join(", ")
        );
        let result = run(&text);
        let found = curve(&result, "c");
        let is_found = |at: f64| {
            let mut points = found.points().filter(|(_, _, p)| p.label == Some(Label::BP));
            points.any(|(_, _, p)| (p.point.parameter() - at).abs() <= 1e-6)
        };
        let places = (0..=n / 2).map(|k| -2.0 * c * (1.0 - (std::f64::consts::TAU * k as f64 / n as f64).cos()));
        let missed: Vec<f64> = places.filter(|at| !is_found(*at)).collect();
        if !missed.is_empty() && !found.note.contains("no special point was located there") {
            wrong.push((member, format!("missed in silence: {missed:?}; {}\n{text}", found.note)));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Where damping is switched off the first Lyapunov coefficient is zero all along the Hopf points: nothing begins
/// anywhere there.
#[test]
fn hopf_curves_of_conservative_systems_have_no_generalised_hopf_points() {
    let class = "conservative Hopf curve";
    let count = members(8);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (k, b, c) = (
            random.between(0.5, 1.5),
            random.between(-0.8, 0.8),
            random.between(-0.8, 0.8),
        );
        // A prey with its enemy, a pendulum, or an oscillator in a potential.
        let (states, equations, start) = match member % 3 {
            0 => (
                "\"x\", \"y\"",
                format!("\"x' = x*(k - y - d*x)\", \"y' = y*({:?}*x - {:?})\"", 1.0 + b, 1.0 + b),
                format!("\"x\": 1, \"y\": {:?}", k - 0.2),
            ),
            1 => (
                "\"x\", \"y\"",
                "\"x' = y\", \"y' = -d*y - k*sin(x)\"".to_owned(),
                "\"x\": 0, \"y\": 0".to_owned(),
            ),
            _ => (
                "\"x\", \"y\"",
                format!("\"x' = y\", \"y' = -d*y - k*x - ({b:?})*x^2 - ({c:?})*x^3\""),
                "\"x\": 0, \"y\": 0".to_owned(),
            ),
        };
        let text = format!(
            "Study(title: \"conservative\", system: Smooth(states: [{states}], parameters: {{\"d\": 0.2, \"k\": {k:?}}}, equations: [{equations}]), \
             curves: [Curve(name: \"c\", orbit: Equilibrium, start: Guess(at: {{\"d\": 0.2}}, states: [{{{start}}}]), free: \"d\", range: (-0.3, 0.3))], \
             loci: [Locus(name: \"l\", from: \"c: HB\", free: (\"d\", \"k\"), range: ((-0.3, 0.3), (0.3, 2)))])"
        );
        let result = run(&text);
        let Some(locus) = result.curves.iter().find(|c| c.name == "l") else {
            wrong.push((member, format!("no locus: {:?}\n{text}", result.missing)));
            continue;
        };
        let found = labels(locus);
        if !found.is_empty() {
            let said: Vec<String> = found.iter().map(|f| format!("{} at {}", f.0, f.1)).collect();
            wrong.push((member, format!("{said:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}
