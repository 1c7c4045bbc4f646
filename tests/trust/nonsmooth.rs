//! Equations with corners, jumps and poles at places that are known by construction.

use super::known::{Verdict, curve, none_wrong, run};
use super::random::{Coordinates, Random, members};
use slipstick_bifurcation::Label;
use slipstick_study::CurveResult;

/// `Study(…)` of one curve of equilibria of x' = `field`, from x at mu.
fn study(field: &str, (mu, x): (f64, f64), range: (f64, f64)) -> String {
    format!(
        "Study(title: \"corner\", system: Smooth(states: [\"x\"], parameters: {{\"mu\": {mu:?}}}, equations: [\"x' = {field}\"]), curves: [Curve(name: \"c\", orbit: Equilibrium, start: Guess(at: {{\"mu\": {mu:?}}}, states: [{{\"x\": {x:?}}}]), free: \"mu\", range: ({:?}, {:?}))])",
        range.0, range.1
    )
}

/// Labels other than ends of the range, each with the parameter and the message.
fn told(found: &CurveResult) -> Vec<(Label, f64, String)> {
    let points = found.points().filter_map(|(_, _, p)| {
        let ordinary = p.message.starts_with("end of the range");
        (!ordinary).then_some((p.label?, p.point.parameter(), p.message.clone()))
    });
    points.collect()
}

/// s (mu - m) = a |x - c| + b (x - c): at mu = m two branches of different slopes meet in a corner, as a fold if |b| <
/// |a|.
#[test]
fn corners_are_named_and_passed() {
    let count = members(20);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("corners", member);
        let (m, c) = (random.between(-0.5, 0.5), random.between(-0.5, 0.5));
        let a = random.sign() * random.between(0.5, 2.0);
        let b = random.sign()
            * a.abs()
            * if member % 2 == 0 {
                random.between(0.1, 0.8)
            } else {
                random.between(1.3, 3.0)
            };
        let corner = match random.below(3) {
            0 => format!("abs(x - ({c:?}))"),
            1 => format!("(max(x, ({c:?})) - min(x, ({c:?})))"),
            _ => format!("if(x < ({c:?}), ({c:?}) - x, x - ({c:?}))"),
        };
        let field = format!("mu - ({m:?}) - ({a:?})*{corner} - ({b:?})*(x - ({c:?}))");
        // On the right of the corner.
        let x = c + 0.3;
        let mu = m + (a + b) * 0.3;
        let text = study(&field, (mu, x), (m - 3.0, m + 3.0));
        let result = run(&text);
        let found = curve(&result, "c");
        let labels = told(found);
        let name = if b.abs() < a.abs() {
            "a nonsmooth fold"
        } else {
            "persistence"
        };
        let name = format!(": boundary equilibrium bifurcation, {name}");
        let right = matches!(&labels[..], [(Label::BE, at, said)]
            if (at - m).abs() < 1e-10 && said.contains("corner") && said.contains(&name));
        // Both pieces are there to the ends of the range, each exactly where it belongs.
        let off = found.points().map(|(_, _, p)| {
            let (x, mu) = (p.point.z[0], p.point.z[1]);
            (mu - m - a * (x - c).abs() - b * (x - c)).abs()
        });
        let off = off.fold(0.0, f64::max);
        let sides = [-1.0, 1.0].map(|s| found.points().filter(|(_, _, p)| s * (p.point.z[0] - c) > 1e-3).count());
        if !right || off > 1e-9 || sides.contains(&0) {
            wrong.push((member, format!("{labels:?}, off by {off:.1e}, {sides:?}\n{text}")));
        }
    }
    none_wrong("corners", count, &wrong);
}

/// x = x0 + k (mu - m) + h step(mu - m): the curve ends where the equations jump.
#[test]
fn jumps_end_the_curve() {
    let count = members(20);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("jumps", member);
        let m = random.between(-0.5, 0.5);
        let (k, h) = (random.between(-2.0, 2.0), random.sign() * random.between(0.1, 2.0));
        let jump = match random.below(4) {
            0 => format!("heaviside(mu - ({m:?}))"),
            1 => format!("(sign(mu - ({m:?})) + 1)/2"),
            2 => format!("if(mu > ({m:?}), 1, 0)"),
            _ => format!("(floor(0.3*(mu - ({m:?}))) + 1)"),
        };
        let text = study(
            &format!("({k:?})*(mu - ({m:?})) + ({h:?})*{jump} - x"),
            (m - 0.6, -0.6 * k),
            (m - 1.0, m + 1.0),
        );
        let result = run(&text);
        let found = curve(&result, "c");
        let labels = told(found);
        let right = matches!(&labels[..], [(Label::EP, at, said)] if (at - m).abs() < 1e-10 && said.contains("jump"));
        if !right || found.points().any(|(_, _, p)| p.point.parameter() > m + 1e-10) {
            wrong.push((member, format!("{labels:?}\n{text}")));
        }
    }
    none_wrong("jumps", count, &wrong);
}

/// x = c + k / (mu - m) goes off to infinity at the pole, and sin(1/(mu - m)) crosses it nowhere.
#[test]
fn poles_are_not_stepped_over() {
    let count = members(6);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("poles", member);
        let m = random.between(-0.5, 0.5);
        let k = random.sign() * random.between(0.1, 1.0);
        let field = format!("({k:?})/(mu - ({m:?})) - x");
        let text = study(&field, (m - 0.6, -k / 0.6), (m - 1.0, m + 1.0));
        let result = run(&text);
        let found = curve(&result, "c");
        let labels = told(found);
        let ended = labels.len() == 1 && matches!(labels[0].0, Label::EP | Label::MX) && (labels[0].1 - m).abs() < 1e-3;
        if !ended || found.points().any(|(_, _, p)| p.point.parameter() > m) {
            wrong.push((member, format!("{labels:?}\n{text}")));
        }
    }
    none_wrong("poles", count, &wrong);
}

/// A tent map with its corner at c: x+ = mu (1 - |x - c|): the fixed point meets the corner where x = c.
#[test]
fn points_of_maps_meet_corners() {
    let count = members(10);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("tents", member);
        let (a, b) = (random.between(-0.9, 0.9), random.between(-0.9, 0.9));
        // x+ = mu + a x (x < 0), mu + b x (x > 0): the fixed points mu/(1 - a), mu/(1 - b) join at mu = 0.
        let field = format!("mu + if(x < 0, ({a:?})*x, ({b:?})*x)");
        let text = format!(
            "Study(title: \"border\", system: Map(states: [\"x\"], parameters: {{\"mu\": -0.5}}, equations: [\"x+ = {field}\"]), curves: [Curve(name: \"c\", orbit: Cycle(1), start: Guess(at: {{\"mu\": -0.5}}, states: [{{\"x\": {:?}}}]), free: \"mu\", range: (-1, 1))])",
            -0.5 / (1.0 - a)
        );
        let result = run(&text);
        let found = curve(&result, "c");
        let labels = told(found);
        let right = matches!(&labels[..], [(Label::GR, at, said)] if at.abs() < 1e-10 && said.contains("corner of a condition"));
        let (low, high) = found.covered();
        if !right || low > -1.0 || high < 1.0 {
            wrong.push((member, format!("{labels:?} {low} {high}\n{text}")));
        }
    }
    none_wrong("border collisions", count, &wrong);
}

/// x = mu + a sin(mu - m)/(mu - m): the denominator vanishes where the equations are smooth, and the curve goes on to
/// the ends of the range.
#[test]
fn denominators_that_cancel_are_no_poles() {
    let count = members(10);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("cancelled", member);
        let m = random.between(-0.5, 0.5);
        let a = random.between(-0.5, 0.5);
        let quotient = match member % 3 {
            0 => format!("sin(mu - ({m:?}))/(mu - ({m:?}))"),
            1 => format!("(exp(mu - ({m:?})) - 1)/(mu - ({m:?}))"),
            _ => format!("1/(1 + 1/(mu - ({m:?})))^2"),
        };
        // The last one has a pole of its own at mu = m - 1.
        let (low, from) = (m - 0.9, m - 0.6);
        let text = study(
            &format!("mu + ({a:?})*{quotient} - x"),
            (from, from + a),
            (low, m + 0.9),
        );
        let result = run(&text);
        let found = curve(&result, "c");
        let labels = told(found);
        let (low, high) = found.covered();
        if !labels.is_empty() || (low - (m - 0.9)).abs() > 1e-9 || (high - (m + 0.9)).abs() > 1e-9 {
            wrong.push((member, format!("{labels:?} {low} {high}\n{text}")));
        }
    }
    none_wrong("cancelled denominators", count, &wrong);
}

/// A start exactly on a corner is refused in words.
#[test]
fn starts_on_corners_are_refused() {
    let count = members(6);
    for member in 0..count {
        let mut random = Random::of("on corners", member);
        let c = random.between(-0.5, 0.5);
        let field = format!("mu - abs(x - ({c:?}))");
        let result = run(&study(&field, (0.0, c), (-1.0, 1.0)));
        let why: Vec<&str> = result.missing.iter().map(|m| m.reason.as_str()).collect();
        assert!(
            why.len() == 1 && why[0].contains("lies on the corner of abs"),
            "{why:?}"
        );
    }
}

/// `Study(…)` of the curves of equilibria of x' = `field` through all solutions at mu.
fn study_of_all(field: &str, mu: f64, range: (f64, f64), more: &str) -> String {
    format!(
        "Study(title: \"corner\", system: Smooth(states: [\"x\"], parameters: {{\"mu\": {mu:?}}}, equations: [\"x' = {field}\"]), curves: [Curve(name: \"c\", orbit: Equilibrium, start: All(at: {{\"mu\": {mu:?}}}), free: \"mu\", range: ({:?}, {:?}){more})])",
        range.0, range.1
    )
}

/// mu - m = k y |y|, k y³ |y| and the like, which turn nowhere, and k y² |y|, k |y|, which do: y = x - c. Derivatives
/// of second or higher order change at c, and the parameter stands still there on both sides, but for |y|.
#[test]
fn curves_turn_at_corners_where_their_parameter_does() {
    let count = members(24);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("flat corners", member);
        let (m, c) = (random.between(-0.5, 0.5), random.between(-0.9, 0.9));
        let k = random.sign() * random.between(0.3, 3.0);
        let y = format!("(x - ({c:?}))");
        let (form, order, turns) = match member % 6 {
            0 => (format!("{y}*abs{y}"), 2, false),
            1 => (format!("(max({y}, 0)^2 - min({y}, 0)^2)"), 2, false),
            2 => (format!("if(x > ({c:?}), {y}^2, -{y}^2)"), 2, false),
            3 => (format!("{y}^3*abs{y}"), 4, false),
            4 => (format!("{y}^2*abs{y}"), 3, true),
            _ => (format!("(2*max({y}, 0)^2 + 0.5*min({y}, 0)^2)"), 2, true),
        };
        let factor = |y: f64| {
            if member % 6 == 5 {
                if y > 0.0 { 2.0 } else { 0.5 }
            } else {
                1.0
            }
        };
        let mu = m + k * 0.5;
        let text = study_of_all(&format!("mu - ({m:?}) - ({k:?})*{form}"), mu, (m - 2.0, m + 2.0), "");
        let result = run(&text);
        let found = curve(&result, "c");
        let labels = told(found);
        let right = match &labels[..] {
            [] => !turns,
            [(Label::LP, at, _)] => turns && (at - m).abs() < 1e-9,
            _ => false,
        };
        let off = found.points().map(|(_, _, p)| {
            let (y, mu) = (p.point.z[0] - c, p.point.z[1]);
            let sign = if turns { 1.0 } else { y.signum() };
            (mu - m - k * factor(y) * sign * y.abs().powi(order)).abs()
        });
        let off = off.fold(0.0, f64::max);
        let sides = [-1.0, 1.0].map(|s| found.points().filter(|(_, _, p)| s * (p.point.z[0] - c) > 0.2).count());
        if !right || off > 1e-9 || sides.contains(&0) || result.curves.len() != 1 {
            wrong.push((
                member,
                format!(
                    "{labels:?}, off by {off:.1e}, {sides:?}, {} curves\n{text}",
                    result.curves.len()
                ),
            ));
        }
    }
    none_wrong("flat corners", count, &wrong);
}

/// A dead zone between two corners: mu - m = k (x - c), with slopes of its own outside. One solution at each mu, and
/// one curve.
#[test]
fn one_solution_gives_one_curve() {
    let count = members(20);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("dead zones", member);
        let (m, c) = (random.between(-0.5, 0.5), random.between(-0.9, 0.9));
        let width = random.between(0.2, 1.5);
        let slope = random.log_between(0.01, 0.5);
        let (left, right) = (random.between(0.5, 3.0), random.between(0.5, 3.0));
        let y = format!("(x - ({c:?}))");
        let field = format!(
            "mu - ({m:?}) - {left:?}*min({y} + {width:?}, 0) - {right:?}*max({y} - {width:?}, 0) - {slope:?}*{y}"
        );
        let mu = m + random.sign() * random.between(0.0, 1.5);
        let text = study_of_all(&field, mu, (m - 2.0, m + 2.0), "");
        let result = run(&text);
        let labels = told(curve(&result, "c"));
        if result.curves.len() != 1 || labels.len() != 2 || labels.iter().any(|l| l.0 != Label::BE) {
            wrong.push((member, format!("{} curves, {labels:?}\n{text}", result.curves.len())));
        }
    }
    none_wrong("dead zones", count, &wrong);
}

/// Where x' = (r (mu - m) - a x - b |x|) x changes at x = 0: both prongs on one side of m if |a| < |b|, supercritical
/// if r and b are of such signs, and one on each side else. The same of x+ = x + …
#[test]
fn crossings_on_corners_are_told_by_both_sides() {
    let count = members(16);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("crossings on corners", member);
        let m = random.between(-0.5, 0.5);
        let r = random.sign() * random.between(0.5, 1.5);
        let b = random.sign() * random.between(0.5, 1.5);
        let half_branches = member % 2 == 0;
        let ratio = if half_branches {
            random.between(0.0, 0.7)
        } else {
            random.between(1.5, 3.0)
        };
        let a = random.sign() * b.abs() * ratio;
        let field = format!("x*(({r:?})*(mu - ({m:?})) - ({a:?})*x - ({b:?})*abs(x))");
        let (system, orbit) = if member % 4 < 2 {
            (
                format!("Smooth(states: [\"x\"], parameters: {{\"mu\": {m:?}}}, equations: [\"x' = {field}\"])"),
                "Equilibrium",
            )
        } else {
            (
                format!("Map(states: [\"x\"], parameters: {{\"mu\": {m:?}}}, equations: [\"x+ = x + {field}\"])"),
                "FixedPoint",
            )
        };
        let start = m - 0.6;
        let text = format!(
            "Study(title: \"corner\", system: {system}, curves: [Curve(name: \"c\", orbit: {orbit}, start: Guess(at: {{\"mu\": {start:?}}}, states: [{{\"x\": 0}}]), free: \"mu\", range: ({:?}, {:?}), branches: [BP])])",
            m - 1.0,
            m + 1.0
        );
        let result = run(&text);
        let points: Vec<_> = told(curve(&result, "c"))
            .into_iter()
            .filter(|l| l.0 == Label::BP)
            .collect();
        let kind = match half_branches {
            false => "transcritical",
            true if b > 0.0 => "supercritical",
            true => "subcritical",
        };
        let right = matches!(&points[..], [(_, at, said)] if (at - m).abs() < 1e-9 && said.contains(kind) && said.contains("pitchfork") == half_branches);
        let branches = &result.curves[1..];
        let off = branches.iter().flat_map(|c| c.points()).map(|(_, _, p)| {
            let (x, mu) = (p.point.z[0], p.point.z[1]);
            (r * (mu - m) - a * x - b * x.abs()).abs()
        });
        let off = off.fold(0.0, f64::max);
        let turns = branches.iter().any(|c| told(c).iter().any(|l| l.0 == Label::LP));
        if !right || branches.len() != 2 || off > 1e-9 || turns {
            wrong.push((
                member,
                format!(
                    "{points:?}, {} branches, off by {off:.1e}, turns: {turns}\n{text}",
                    branches.len()
                ),
            ));
        }
    }
    none_wrong("crossings on corners", count, &wrong);
}

/// x+ = c + mu - m + a (x - c) - b √(x - c) where x > c, without the root elsewhere: the fixed point passes the border,
/// where the slope of the map is infinite on one side, from either side, and a doubling beyond it.
#[test]
fn fixed_points_pass_square_root_borders() {
    let count = members(16);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("square roots", member);
        let m = random.between(-0.5, 0.5);
        let c = [
            0.0,
            random.between(-1.0, 1.0),
            random.sign() * random.log_between(1e-4, 1e2),
        ][member % 3];
        let (a, b) = (random.between(-0.5, 0.8), random.between(0.3, 2.0));
        let start = if random.below(2) == 0 { -0.5 } else { 0.5 };
        let root = if member % 2 == 0 || start < 0.0 {
            format!("if(x > ({c:?}), sqrt(x - ({c:?})), 0)")
        } else {
            format!("sqrt(max(x - ({c:?}), 0))")
        };
        let x = if start < 0.0 {
            c + start / (1.0 - a)
        } else {
            c + ((-b + (b * b + 4.0 * (1.0 - a) * start).sqrt()) / (2.0 * (1.0 - a))).powi(2)
        };
        let text = format!(
            "Study(title: \"border\", system: Map(states: [\"x\"], parameters: {{\"mu\": {:?}}}, equations: [\"x+ = ({c:?}) + mu - ({m:?}) + ({a:?})*(x - ({c:?})) - {b:?}*{root}\"]), curves: [Curve(name: \"c\", orbit: FixedPoint, start: Guess(at: {{\"mu\": {:?}}}, states: [{{\"x\": {x:?}}}]), free: \"mu\", range: ({:?}, {:?}))])",
            m + start,
            m + start,
            m - 1.0,
            m + 1.0
        );
        let result = run(&text);
        let found = curve(&result, "c");
        let labels: Vec<(Label, f64)> = told(found).iter().map(|l| (l.0, l.1)).collect();
        let root = b / (2.0 * (1.0 + a));
        let doubling = (1.0 - a) * root * root + b * root;
        let mut known = vec![(Label::GR, m)];
        if doubling < 1.0 {
            known.push((Label::PD, m + doubling));
        }
        let verdict = Verdict::of(&labels, &known, 1e-9);
        let (low, high) = found.covered();
        if !verdict.is_right() || low > m - 1.0 + 1e-9 || high < m + 1.0 - 1e-9 {
            wrong.push((member, format!("{verdict:?} {low} {high}\n{text}")));
        }
    }
    none_wrong("square roots", count, &wrong);
}

/// The same beside a second state, in random linear coordinates: u1+ = q + a u1 - b √u1 + k u2, u2+ = l u2 + d q.
#[test]
fn fixed_points_pass_square_root_borders_in_linear_coordinates() {
    let count = members(8);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("square roots in coordinates", member);
        let coordinates = Coordinates::random(&mut random, 2, [5.0, 5.0, 0.0]);
        let (a, b) = (random.between(-0.5, 0.8), random.between(0.3, 2.0));
        let (k, l, d) = (
            random.between(-0.5, 0.5),
            random.between(-0.8, 0.8),
            random.between(-0.3, 0.3),
        );
        let push = 1.0 + k * d / (1.0 - l);
        let from = 0.5 * random.sign();
        let start = from * push;
        let u1 = match start < 0.0 {
            true => start / (1.0 - a),
            false => ((-b + (b * b + 4.0 * (1.0 - a) * start).sqrt()) / (2.0 * (1.0 - a))).powi(2),
        };
        let fields = [
            format!("q + ({a:?})*u1 - {b:?}*if(u1 > 0, sqrt(u1), 0) + ({k:?})*u2"),
            format!("({l:?})*u2 + ({d:?})*q"),
        ];
        let text = format!(
            "Study(title: \"border\", system: {}, curves: [Curve(name: \"c\", orbit: FixedPoint, start: Guess(at: {{}}, states: [{}]), free: \"p\", range: ({:?}, {:?}))])",
            coordinates.map(&fields, from),
            coordinates.states_text(&[u1, d * from / (1.0 - l)]),
            coordinates.p(-1.0),
            coordinates.p(1.0),
        );
        let result = run(&text);
        let found = curve(&result, "c");
        let labels: Vec<(Label, f64)> = told(found).iter().map(|l| (l.0, coordinates.q(l.1))).collect();
        let root = b / (2.0 * (1.0 + a));
        let doubling = ((1.0 - a) * root * root + b * root) / push;
        let mut known = vec![(Label::GR, 0.0)];
        if doubling < 1.0 {
            known.push((Label::PD, doubling));
        }
        let verdict = Verdict::of(&labels, &known, 1e-9);
        let (low, high) = found.covered();
        let whole = coordinates.q(low) <= -1.0 + 1e-9 && coordinates.q(high) >= 1.0 - 1e-9;
        if !verdict.is_right() || !whole {
            wrong.push((member, format!("{verdict:?} {low} {high}\n{text}")));
        }
    }
    none_wrong("square roots in coordinates", count, &wrong);
}

/// A bilinear oscillator written with `max`, `abs` or `if` in one smooth system, against the same with a mode for each
/// side: the same period doublings and folds, in not many more points.
#[test]
fn corners_of_smooth_systems_are_passed_as_events_are() {
    let class = "corners of smooth systems";
    let count = members(5);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (k, d) = (random.between(2.0, 5.0), random.between(0.05, 0.15));
        let natural = 2.0 / (1.0 + 1.0 / (1.0 + k).sqrt());
        let (low, high) = (1.85 * natural, 2.8 * natural);
        let corner = [
            format!("{k:?}*max(x, 0)"),
            format!("{:?}*(x + abs(x))", 0.5 * k),
            format!("if(x > 0, {k:?}*x, 0)"),
        ];
        let force = format!("v' = -({d:?})*v - x + cos(w*t)");
        let traced = |system: &str, orbit: &str| {
            let text = format!(
                "Study(title: \"corner\", system: {system}, \
                 curves: [Curve(name: \"c\", orbit: {orbit}, start: Settle(at: {{\"w\": {high:?}}}), free: \"w\", range: ({low:?}, {high:?}), directions: Down)])"
            );
            (run(&text), text)
        };
        let common =
            format!("states: [\"x\", \"v\"], parameters: {{\"w\": {high:?}}}, forcing: Forcing(period: \"2*pi/w\")");
        let smooth = format!(
            "Smooth({common}, equations: [\"x' = v\", \"{force} - {}\"])",
            corner[member % 3]
        );
        let modes = format!(
            "Hybrid({common}, modes: {{\"p\": Mode(equations: [\"x' = v\", \"{force} - {k:?}*x\"], events: {{\"a\": Event(guard: \"x\", direction: Down, to: \"m\")}}), \
             \"m\": Mode(equations: [\"x' = v\", \"{force}\"], events: {{\"b\": Event(guard: \"x\", direction: Up, to: \"p\")}})}}, \
             start: Start(mode: \"p\", at: {{\"x\": 0.1, \"v\": 0.1}}))"
        );
        let (of_smooth, text) = traced(&smooth, "PeriodicOrbit");
        let (of_modes, _) = traced(&modes, "Periodic(\"p m\")");
        let summary = |result: &slipstick_study::RunResult| {
            let own = result.curves.first()?;
            let labels: Vec<(Label, f64)> = super::known::labels(own)
                .into_iter()
                .map(|(l, at, _)| (l, at))
                .collect();
            Some((labels, own.points().count()))
        };
        let (Some((found, points)), Some((known, others))) = (summary(&of_smooth), summary(&of_modes)) else {
            wrong.push((
                member,
                format!("{:?} {:?}\n{text}", of_smooth.missing, of_modes.missing),
            ));
            continue;
        };
        let near = |(a, b): (&(Label, f64), &(Label, f64))| a.0 == b.0 && (a.1 - b.1).abs() < 1e-7;
        let same = found.len() == known.len() && found.iter().zip(&known).all(near);
        if !same || points > 3 * others {
            wrong.push((
                member,
                format!("{found:?} for {known:?}, {points} points for {others}\n{text}"),
            ));
        }
    }
    none_wrong(class, count, &wrong);
}
