//! Cycles in an invariant plane of their system, on which a state is zero that grows and decays along them by any
//! factor: the same as without that state, in any order of the states, with a branch point where its multiplier is +1.

use super::known::{Verdict, curve, labels, none_wrong, run};
use super::random::{Coordinates, Random, members};
use slipstick_bifurcation::{BranchPoint, Label};
use slipstick_study::CurveResult;

/// `"a", "b", …`
fn quoted(items: &[String]) -> String {
    let items: Vec<String> = items.iter().map(|item| format!("\"{item}\"")).collect();
    items.join(", ")
}

fn last(curve: &CurveResult) -> &BranchPoint {
    curve.points().last().unwrap().2
}

#[test]
fn circles_in_a_plane_are_followed_past_their_branch_points() {
    let class = "circles in a plane";
    let count = members(8);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        // On the circle of radius √q the third state grows by e^growth in one half of each turn, beside which multipliers
        // are still known, and decays by as much in the other; over a turn it grows where q exceeds `at`.
        let (growth, at) = (random.between(0.0, 18.0), random.between(0.4, 0.8));
        let (omega, slope) = (random.between(0.5, 2.0), random.sign() * random.between(0.2, 2.0));
        let (attraction, drive) = (random.between(0.3, 2.0), random.between(-1.0, 1.0));
        let c = Coordinates::random(&mut random, 2, [2.0, 2.0, 2.0]);
        let unit = c.state * random.log_between(1e-3, 1e3);
        let u = |i: usize| {
            let row = &c.inverse[i];
            format!("(({:?})*x1 + ({:?})*x2)", row[0] / c.state, row[1] / c.state)
        };
        let fields = [
            "d*(q - s)*u1 - w*u2 + b*n*u1".to_owned(),
            "d*(q - s)*u2 + w*u1 + b*n".to_owned(),
        ];
        let rate = |i: usize| {
            let (a, scale) = (&c.matrix[i], c.state / c.time);
            format!("x{}' = ({:?})*f1 + ({:?})*f2", i + 1, scale * a[0], scale * a[1])
        };
        let define = [
            format!("\"q\": \"p/({:?})\"", c.parameter),
            format!("\"u1\": \"{}\", \"u2\": \"{}\"", u(0), u(1)),
            format!("\"n\": \"J/({unit:?})\", \"s\": \"u1^2 + u2^2\""),
            format!("\"d\": \"{attraction:?}\", \"w\": \"{omega:?}\", \"b\": \"{drive:?}\""),
            format!("\"f1\": \"{}\", \"f2\": \"{}\"", fields[0], fields[1]),
        ];
        // The size of u1 on a circle is √q, which the growth is divided by.
        let own = format!(
            "J' = J*(({slope:?})*(q - ({at:?})) + ({:?})*u1/sqrt(q) - n)/({:?})",
            0.5 * growth * omega,
            c.time
        );
        let mut rows = [rate(0), rate(1), own];
        let place = random.below(3);
        rows.swap(place, 2);
        let states: Vec<String> = rows
            .iter()
            .map(|row| row.split('\'').next().unwrap().to_owned())
            .collect();
        let start = c.states(&[0.2f64.sqrt(), 0.0]);
        let text = format!(
            "Study(title: \"plane\", system: Smooth(states: [{}], parameters: {{\"p\": {:?}}}, define: {{{}}}, equations: [{}]), \
             curves: [Curve(name: \"c\", orbit: PeriodicOrbit, start: Guess(at: {{\"p\": {:?}}}, states: [{{\"x1\": {:?}, \"x2\": {:?}, \"J\": 0}}], \
             durations: [{:?}]), free: \"p\", range: ({:?}, {:?}))])",
            quoted(&states),
            c.p(0.2),
            define.join(", "),
            quoted(&rows),
            c.p(0.2),
            start[0],
            start[1],
            c.time * std::f64::consts::TAU / omega,
            c.p(0.2),
            c.p(1.0)
        );
        let result = run(&text);
        if !result.missing.is_empty() {
            wrong.push((member, format!("{:?}\n{text}", result.missing)));
            continue;
        }
        let found = curve(&result, "c");
        let labelled: Vec<(Label, f64)> = labels(found).iter().map(|l| (l.0, c.q(l.1))).collect();
        let verdict = Verdict::of(&labelled, &[(Label::BP, at)], 1e-7);
        let (end, many) = (last(found), found.points().count());
        if !verdict.is_right() || (c.q(end.point.parameter()) - 1.0).abs() > 1e-12 || many > 100 {
            wrong.push((
                member,
                format!("growth {growth}, {many} points, {verdict:?}: {}\n{text}", end.message),
            ));
        }
    }
    none_wrong(class, count, &wrong);
}

#[test]
fn surge_without_stall_is_as_without_the_state_of_stall() {
    let class = "surge without stall";
    let count = members(6);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (b, length) = (random.between(0.3, 2.2), random.between(3.0, 8.0));
        // Moore and Greitzer: flow and pressure of a compressor, and the square of the amplitude of its stall.
        let flow = |stall: &str| {
            format!("f' = (0.3 + 0.18*(1 + 1.5*(f/0.25 - 1){stall} - 0.5*(f/0.25 - 1)^3) - p)/({length:?})")
        };
        let pressure = format!("p' = (f - g*sqrt(p))/({:?})", 4.0 * b * b * length);
        let stall = format!("J' = J*(1 - (f/0.25 - 1)^2 - J/4)/({:?})", 0.4 * length);
        let mut rows = [flow("*(1 - J/2)"), pressure.clone(), stall];
        let by = random.below(3);
        rows.rotate_left(by);
        let system = |name: &str, rows: &[String]| {
            let states: Vec<String> = rows
                .iter()
                .map(|row| row.split('\'').next().unwrap().to_owned())
                .collect();
            let stalls = if rows.len() > 2 { ", \"J\": 0" } else { "" };
            let start = format!("{{\"f\": 0.55, \"p\": 0.4{stalls}}}");
            (
                format!(
                    "\"{name}\": Smooth(states: [{}], parameters: {{\"g\": 0.7}}, equations: [{}], start: {start})",
                    quoted(&states),
                    quoted(rows)
                ),
                format!(
                    "Curve(name: \"rest {name}\", system: \"{name}\", orbit: Equilibrium, start: Guess(at: {{\"g\": 0.9}}, states: [{start}]), \
                     free: \"g\", range: (0.2, 1)), \
                     Curve(name: \"{name}\", system: \"{name}\", orbit: PeriodicOrbit, start: Point(from: \"rest {name}, HB\"), \
                     free: \"g\", range: (0.2, 1), points: 600, levels: {{\"g\": [0.25, 0.35, 0.45]}})"
                ),
            )
        };
        let (whole, plane) = (system("whole", &rows), system("plane", &[flow(""), pressure]));
        let text = format!(
            "Study(title: \"surge\", systems: {{{}, {}}}, curves: [{}, {}])",
            whole.0, plane.0, whole.1, plane.1
        );
        let result = run(&text);
        if !result.missing.is_empty() {
            wrong.push((member, format!("{:?}\n{text}", result.missing)));
            continue;
        }
        let (whole, plane) = (curve(&result, "whole"), curve(&result, "plane"));
        let periods = |curve: &CurveResult| -> Vec<f64> {
            let levels = curve.points().filter(|(_, _, p)| p.label == Some(Label::UZ));
            levels.map(|(_, _, p)| p.record.period).collect()
        };
        let (found, known) = (periods(whole), periods(plane));
        let same = found.len() == known.len() && found.iter().zip(&known).all(|(a, b)| (a / b - 1.0).abs() <= 1e-8);
        // Stall can set in where its multiplier is +1.
        let others = labels(whole).iter().filter(|l| l.0 != Label::BP).count();
        let (end, many) = (last(whole), whole.points().count());
        if !same || others > 0 || labels(whole).len() > 1 || end.point.parameter() != 0.2 {
            wrong.push((
                member,
                format!("{many} points, {found:?} for {known:?}: {}\n{text}", end.message),
            ));
        }
    }
    none_wrong(class, count, &wrong);
}
