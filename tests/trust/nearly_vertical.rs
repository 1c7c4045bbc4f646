//! Families of cycles along which the parameter changes by parts of 1e-9 to 1e-5 of its size, as of systems that are
//! nearly conservative: they have the folds and branch points that they have, and no others.

use super::known::{Verdict, curve, labels, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::Label;

/// A block on a spring with friction by the law of slip, which conserves a quantity at the critical stiffness but for
/// the damping by radiation: multipliers by quadrature stay below one, and the stiffness falls, from the Hopf point on.
#[test]
fn sliders_by_the_law_of_slip_have_no_label() {
    let class = "sliders by the law of slip";
    let count = members(12);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let a = random.between(0.005, 0.012);
        let b = a + random.between(0.003, 0.01);
        let damping = random.log_between(1e-7, 5e-4) * a;
        let time = random.log_between(1e-2, 1e2);
        let critical = b - a - damping;
        let (at, range) = (1.5 * critical, (0.3 * critical, 2.0 * critical));
        let text = format!(
            "Study(title: \"slider\", system: Smooth(states: [\"p\", \"q\"], parameters: {{\"k\": {at:?}}}, \
             equations: [\"p' = (k*(1 - exp(p)) + ({b:?})*exp(p)*(p + q))/(({a:?}) + ({damping:?})*exp(p))/({time:?})\", \
             \"q' = -exp(p)*(p + q)/({time:?})\"], start: {{\"p\": 0, \"q\": 0}}), \
             curves: [Curve(name: \"rest\", orbit: Equilibrium, start: Guess(at: {{\"k\": {at:?}}}, states: [{{\"p\": 0, \"q\": 0}}]), \
             free: \"k\", range: {range:?}), \
             Curve(name: \"c\", orbit: PeriodicOrbit, start: Point(from: \"rest, HB\"), free: \"k\", range: {range:?}, points: 400)])"
        );
        let result = run(&text);
        if !result.missing.is_empty() {
            wrong.push((member, format!("{:?}\n{text}", result.missing)));
            continue;
        }
        let found = curve(&result, "c");
        let (end, many) = (found.points().last().unwrap().2, found.points().count());
        let named: Vec<(Label, f64)> = labels(found).iter().map(|l| (l.0, l.1 / critical - 1.0)).collect();
        if !named.is_empty() || end.point.parameter() != range.0 || many > 150 {
            wrong.push((member, format!("{many} points, {named:?}: {}\n{text}", end.message)));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Cycles of the radius √s at q = δ s (2 m - s), with a fold at s = m, in smooth coordinates; a third state leaves zero
/// at another radius.
#[test]
fn folds_and_branch_points_of_nearly_vertical_families_stay() {
    let class = "nearly vertical";
    let count = members(12);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (delta, omega) = (random.log_between(1e-8, 1e-5), random.between(0.5, 2.0));
        let unit = random.log_between(1e-3, 1e3);
        let fold = random.between(0.2, 0.6);
        let crossing = fold * if random.below(2) == 0 { 0.35 } else { 1.5 };
        let (bend, other, speed) = (
            random.between(-0.3, 0.3),
            random.between(-0.3, 0.3),
            random.between(0.3, 2.0),
        );
        let third = member % 2 == 1;
        let (state, rate, zero) = if third {
            (
                ", \"z\"",
                format!(", \"z' = z*(({speed:?})*(s - ({crossing:?}))/(1 + s) - z^2)\""),
                ", \"z\": 0",
            )
        } else {
            ("", String::new(), "")
        };
        let (begin, range) = (0.999 * unit, (0.9 * unit, 1.1 * unit));
        let text = format!(
            "Study(title: \"nearly vertical\", system: Smooth(states: [\"x\", \"y\"{state}], parameters: {{\"k\": {unit:?}}}, \
             define: {{\"v\": \"y - ({other:?})*x^2\", \"u\": \"x - ({bend:?})*v^2\", \"s\": \"u^2 + v^2\", \
             \"r\": \"k/({unit:?}) - 1 - ({delta:?})*s*({:?} - s)\", \"f\": \"r*u - ({omega:?})*v\", \"g\": \"r*v + ({omega:?})*u\", \
             \"d\": \"f + ({:?})*v*g\"}}, equations: [\"x' = d\", \"y' = g + ({:?})*x*d\"{rate}]), \
             curves: [Curve(name: \"rest\", orbit: Equilibrium, start: Guess(at: {{\"k\": {begin:?}}}, states: [{{\"x\": 0, \"y\": 0{zero}}}]), \
             free: \"k\", range: {range:?}), \
             Curve(name: \"c\", orbit: PeriodicOrbit, start: Point(from: \"rest, HB\"), free: \"k\", range: {range:?}, points: 120)])",
            2.0 * fold,
            2.0 * bend,
            2.0 * other,
        );
        let result = run(&text);
        if !result.missing.is_empty() {
            wrong.push((member, format!("{:?}\n{text}", result.missing)));
            continue;
        }
        let found = curve(&result, "c");
        let named: Vec<(Label, f64)> = labels(found)
            .iter()
            .map(|l| (l.0, (l.1 / unit - 1.0) / delta))
            .collect();
        let mut known = vec![(Label::LP, fold * fold)];
        if third {
            known.push((Label::BP, crossing * (2.0 * fold - crossing)));
        }
        // The parameter itself is known to a few units of its last digit.
        let verdict = Verdict::of(&named, &known, 1e-6 + 1e-12 / delta);
        if !verdict.is_right() {
            wrong.push((member, format!("{verdict:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}
