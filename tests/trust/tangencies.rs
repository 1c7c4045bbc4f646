//! Tangencies and two-folds of fields that jump at a surface, known in closed form.

use super::known::{Verdict, curve, labels, none_wrong, pieces, run};
use super::random::{Coordinates, Random, members};
use slipstick_bifurcation::Label;
use slipstick_study::{CurveResult, RunResult};

/// The value of a monitor at a point of a curve.
fn monitor(found: &CurveResult, values: &[f64], name: &str) -> f64 {
    values[found.monitors.iter().position(|m| m == name).unwrap()]
}

/// In linear coordinates of u, v with the surface v = 0: u' = s (u - w), v' = p - u² above it and u' = r, v' = k (u -
/// q) below. Tangencies at u = ±√p, cubic at p = 0, without speed at u = w, two-folds at u = q.
#[test]
fn tangencies_of_the_plane_are_followed_over_a_parameter() {
    let count = members(20);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("planar tangencies", member);
        let coordinates = Coordinates::random(&mut random, 2, [0.0, 0.0, 0.0]);
        let (w, q) = (random.between(-1.1, -0.2), random.between(0.2, 1.1));
        let (s, r, k) = (
            random.sign() * random.between(0.3, 2.0),
            random.sign() * random.between(0.3, 2.0),
            random.sign() * random.between(0.3, 2.0),
        );
        let row = |m: &[f64]| format!("({:?})*x + ({:?})*y", m[0], m[1]);
        let back = |i: usize, f: [String; 2]| {
            let m = &coordinates.matrix[i];
            format!("({:?})*({}) + ({:?})*({})", m[0], f[0], m[1], f[1])
        };
        let above = || [format!("{s:?}*(u - ({w:?}))"), "p - u^2".to_owned()];
        let below = || [format!("{r:?}"), format!("{k:?}*(u - ({q:?}))")];
        let start = [0, 1].map(|i| coordinates.matrix[i][0]);
        let text = format!(
            "Study(title: \"tangencies\", system: Tangencies(of: Filippov(states: [\"x\", \"y\"], parameters: {{\"p\": 1}}, define: {{\"u\": \"{}\", \"v\": \"{}\"}}, surfaces: {{\"h\": \"v\"}}, fields: {{\"+\": [\"x' = {}\", \"y' = {}\"], \"-\": [\"x' = {}\", \"y' = {}\"]}}), surface: \"h\", sides: \"+\"), curves: [Curve(name: \"c\", orbit: Equilibrium, start: Guess(at: {{\"p\": 1}}, states: [{{\"x\": {:?}, \"y\": {:?}}}]), free: \"p\", range: (-0.5, 1.5))])",
            row(&coordinates.inverse[0]),
            row(&coordinates.inverse[1]),
            back(0, above()),
            back(1, above()),
            back(0, below()),
            back(1, below()),
            start[0],
            start[1],
        );
        let result = run(&text);
        let found = curve(&result, "c");
        let told = labels(found);
        let known = [(Label::LP, 0.0), (Label::BE, w * w), (Label::TF, q * q)];
        let places: Vec<(Label, f64)> = told.iter().map(|l| (l.0, l.1)).collect();
        let verdict = Verdict::of(&places, &known, 1e-9);
        let own = -2.0 * q * s * (q - w) > 0.0;
        // Below, where the switching function is negative, a tangency is visible where it falls.
        let other = k * r < 0.0;
        let kind = match (own, other) {
            (true, true) => "visible–visible",
            (false, false) => "invisible–invisible",
            _ => "visible–invisible",
        };
        let named = told
            .iter()
            .all(|(label, _, p)| *label != Label::TF || p.message.ends_with(&format!(", {kind}")));
        let off = found.points().map(|(_, _, p)| {
            let x = &p.point.z;
            let [u, v] = [0, 1].map(|i| coordinates.inverse[i][0] * x[0] + coordinates.inverse[i][1] * x[1]);
            let visibility = -2.0 * u * s * (u - w);
            let monitored = monitor(found, &p.record.monitors, "visibility");
            (x[2] - u * u).abs().max(v.abs()).max((visibility - monitored).abs())
        });
        let off = off.fold(0.0, f64::max);
        if !verdict.is_right() || !named || off > 1e-9 {
            wrong.push((member, format!("{verdict:?} {named} off by {off:.1e}\n{text}")));
        }
    }
    none_wrong("planar tangencies", count, &wrong);
}

/// In three dimensions, z' = x - a y² above z = 0 and z' = x - e y below: along y tangencies lie at x = a y², are cubic
/// where c = 2 a d y, and meet those below at y = e/a and at y = 0.
#[test]
fn tangencies_in_three_dimensions_are_followed_along_a_state() {
    let count = members(12);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("curves of tangencies", member);
        let (a, e) = (random.between(0.5, 1.5), random.sign() * random.between(0.2, 0.4));
        let (d, at) = (random.sign() * random.between(0.3, 1.0), random.between(0.85, 1.2));
        let c = 2.0 * a * d * at;
        let text = format!(
            "Study(title: \"tangencies\", system: Tangencies(of: Filippov(states: [\"x\", \"y\", \"z\"], surfaces: {{\"h\": \"z + 0.3*x*z\"}}, fields: {{\"+\": [\"x' = {c:?}\", \"y' = {d:?}\", \"z' = x - {a:?}*y^2\"], \"-\": [\"x' = 1\", \"y' = y\", \"z' = x - ({e:?})*y\"]}}), surface: \"h\", sides: \"+\", along: {{\"y\": -0.4}}), curves: [Curve(name: \"c\", orbit: Equilibrium, start: Guess(at: {{\"y\": -0.5}}, states: [{{\"x\": {:?}, \"z\": 0}}]), free: \"y\", range: (-1, 1.5))])",
            0.25 * a
        );
        let result = run(&text);
        let found = curve(&result, "c");
        let places: Vec<(Label, f64)> = labels(found).iter().map(|l| (l.0, l.1)).collect();
        let known = [(Label::CT, at), (Label::TF, 0.0), (Label::TF, e / a)];
        let verdict = Verdict::of(&places, &known, 1e-9);
        let off = found.points().map(|(_, _, p)| {
            let [x, z, y] = p.point.z[..] else { return f64::INFINITY };
            (x - a * y * y).abs().max(z.abs())
        });
        let off = off.fold(0.0, f64::max);
        if !verdict.is_right() || off > 1e-10 {
            wrong.push((member, format!("{verdict:?} off by {off:.1e}\n{text}")));
        }
    }
    none_wrong("curves of tangencies", count, &wrong);
}

/// In three dimensions, z' = x - k p above z = 0 and z' = y - p² below: two-folds at (k p, p², 0), whose kind changes
/// where the speed x' = c - p above vanishes.
#[test]
fn two_folds_are_followed_over_a_parameter() {
    let count = members(12);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("two-folds", member);
        let (k, c) = (random.sign() * random.between(0.3, 1.5), random.between(-0.8, 0.8));
        let b = random.sign() * random.between(0.3, 1.0);
        let text = format!(
            "Study(title: \"two-folds\", system: Tangencies(of: Filippov(states: [\"x\", \"y\", \"z\"], parameters: {{\"p\": 1}}, surfaces: {{\"h\": \"z\"}}, equations: [\"x' = heaviside(h)*(({c:?}) - p) + heaviside(-h)\", \"y' = ({b:?})*(1 - sgn(h))/2 + x*(1 + sgn(h))\", \"z' = (1 + sgn(h))/2*(x - ({k:?})*p) + (1 - sgn(h))/2*(y - p^2)\"]), surface: \"h\", sides: \"+-\"), curves: [Curve(name: \"c\", orbit: Equilibrium, start: All(at: {{\"p\": 1}}), free: \"p\", range: (-1, 1.5))])",
        )
        .replace("heaviside(h)", "(1 + sgn(h))/2")
        .replace("heaviside(-h)", "(1 - sgn(h))/2");
        let result = run(&text);
        let found = curve(&result, "c");
        let places: Vec<(Label, f64)> = labels(found).iter().map(|l| (l.0, l.1)).collect();
        let verdict = Verdict::of(&places, &[(Label::CT, c)], 1e-9);
        let off = found.points().map(|(_, _, p)| {
            let [x, y, z, mu] = p.point.z[..] else {
                return f64::INFINITY;
            };
            let seen = |name: &str| monitor(found, &p.record.monitors, name);
            let visible = (seen("visibility_plus") - (c - mu)).abs() + (seen("visibility_minus") + b).abs();
            (x - k * mu).abs().max((y - mu * mu).abs()).max(z.abs()).max(visible)
        });
        let off = off.fold(0.0, f64::max);
        if !verdict.is_right() || off > 1e-10 || result.curves.len() != 1 {
            wrong.push((member, format!("{verdict:?} off by {off:.1e}\n{text}")));
        }
    }
    none_wrong("two-folds", count, &wrong);
}

/// Of the fields only the rate of the switching function is an equation of tangencies. What enters the rest of them is
/// used, and what enters nothing is not.
#[test]
fn parameters_of_the_other_equations_are_used() {
    for member in 0..members(6) {
        let mut random = Random::of("used parameters", member);
        let unused = member % 2 == 0;
        let mut names = vec!["al", "be", "ga", "c"];
        if unused {
            names.push("nothing");
        }
        let parameters: Vec<String> = names
            .iter()
            .map(|n| format!("\"{n}\": {:?}", random.between(0.3, 1.0)))
            .collect();
        let text = format!(
            "Study(title: \"used\", system: Tangencies(of: Filippov(states: [\"x\", \"y\", \"z\"], parameters: {{{}}}, define: {{\"g\": \"ga*x\"}}, \
             surfaces: {{\"h\": \"z\"}}, fields: {{\"+\": [\"x' = al\", \"y' = 1 + 0.2*x\", \"z' = y - c\"], \"-\": [\"x' = g\", \"y' = be\", \"z' = x + 0.1*y^2\"]}}), \
             surface: \"h\", sides: \"+-\"))",
            parameters.join(", ")
        );
        let plan = slipstick_study::parse("study.ron".as_ref(), text.clone())
            .unwrap()
            .plan(&[])
            .unwrap();
        let said: Vec<String> = plan.warnings.iter().map(|w| format!("{w:?}")).collect();
        assert_eq!(said.len(), usize::from(unused), "{said:?}\n{text}");
        assert!(
            said.iter().all(|w| w.contains("`nothing` is not used")),
            "{said:?}\n{text}"
        );
    }
}

/// The labels of all curves of a locus, with the values of both parameters.
fn places(result: &RunResult, name: &str) -> Vec<(Label, [f64; 2])> {
    let points = pieces(result, name).into_iter().flatten();
    let labelled = points.filter_map(|p| Some((p.label?, [p.record.parameters[0], p.record.parameters[1]])));
    labelled.filter(|(label, _)| *label != Label::EP).collect()
}

/// What is wrong with labels in two parameters: the first parameters against those known, and the second ones.
fn misplaced(found: &[(Label, [f64; 2])], known: &[(Label, [f64; 2])]) -> Option<String> {
    let verdicts = [0, 1].map(|i| {
        let of = |labels: &[(Label, [f64; 2])]| labels.iter().map(|(l, at)| (*l, at[i])).collect::<Vec<_>>();
        Verdict::of(&of(found), &of(known), 1e-8)
    });
    verdicts.iter().any(|v| !v.is_right()).then(|| format!("{verdicts:?}"))
}

/// In linear coordinates of u, v with the surface v = 0: u' = s (u - w), v' = p + r u - u³ above it, u' = 1, v' = k (u -
/// q) below. In the plane of p and r cubic tangencies lie at 4 r³ = 27 p², two-folds at u = q, boundary equilibria at u =
/// w, and the lines of these touch the curve of the cubic ones.
#[test]
fn tangencies_of_the_plane_are_followed_in_two_parameters() {
    let count = members(12);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("planar tangencies in two parameters", member);
        let coordinates = Coordinates::random(&mut random, 2, [0.0, 0.0, 0.0]);
        let (w, q) = (random.between(-0.9, -0.3), random.between(0.3, 0.9));
        let (s, k) = (
            random.sign() * random.between(0.3, 2.0),
            random.sign() * random.between(0.3, 2.0),
        );
        let row = |m: &[f64]| format!("({:?})*x + ({:?})*y", m[0], m[1]);
        let back = |i: usize, f: [String; 2]| {
            let m = &coordinates.matrix[i];
            format!("({:?})*({}) + ({:?})*({})", m[0], f[0], m[1], f[1])
        };
        let above = || [format!("{s:?}*(u - ({w:?}))"), "p + r*u - u^3".to_owned()];
        let below = || ["1".to_owned(), format!("{k:?}*(u - ({q:?}))")];
        // The curve begins at u = -1.6, where p = u³ - u with r = 1.
        let (u, p) = (-1.6, -2.496);
        let start = [0, 1].map(|i| u * coordinates.matrix[i][0]);
        let loci = [("LP", "LP"), ("TF", "TF"), ("BE", "BE")].map(|(name, label)| {
            format!("Locus(name: \"{name}\", from: \"c: {label}\", free: (\"p\", \"r\"), range: ((-4, 4), (-0.7, 4)))")
        });
        let text = format!(
            "Study(title: \"tangencies\", system: Tangencies(of: Filippov(states: [\"x\", \"y\"], parameters: {{\"p\": 1, \"r\": 1}}, define: {{\"u\": \"{}\", \"v\": \"{}\"}}, surfaces: {{\"h\": \"v\"}}, fields: {{\"+\": [\"x' = {}\", \"y' = {}\"], \"-\": [\"x' = {}\", \"y' = {}\"]}}), surface: \"h\", sides: \"+\"), curves: [Curve(name: \"c\", orbit: Equilibrium, start: Guess(at: {{\"p\": {p:?}}}, states: [{{\"x\": {:?}, \"y\": {:?}}}]), free: \"p\", range: (-3, 3))], loci: [{}])",
            row(&coordinates.inverse[0]),
            row(&coordinates.inverse[1]),
            back(0, above()),
            back(1, above()),
            back(0, below()),
            back(1, below()),
            start[0],
            start[1],
            loci.join(", ")
        );
        let result = run(&text);
        let beside = |first: Label, second: Label, at: f64| {
            (
                Label::codimension_two(first, second),
                [-2.0 * at.powi(3), 3.0 * at * at],
            )
        };
        let both = |second: Label, at: f64| beside(Label::LP, second, at);
        let known = [
            (
                "LP",
                vec![(Label::CP, [0.0, 0.0]), both(Label::TF, q), both(Label::BE, w)],
            ),
            ("TF", vec![beside(Label::TF, Label::LP, q)]),
            ("BE", vec![beside(Label::BE, Label::LP, w)]),
        ];
        for (name, known) in known {
            if let Some(misplaced) = misplaced(&places(&result, name), &known) {
                wrong.push((member, format!("{name}: {misplaced} {:?}\n{text}", result.missing)));
            }
        }
    }
    none_wrong("planar tangencies in two parameters", count, &wrong);
}

/// In three dimensions, x' = c, y' = d, z' = x - a y² above z = 0 and x' = 1, y' = f, z' = x - e y below: along y, with c
/// free, tangencies are cubic at c = 2 a d y and two-folds lie at y = 0 and y = e/a.
#[test]
fn cubic_tangencies_and_two_folds_are_followed_in_two_parameters() {
    let count = members(12);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("curves of tangencies in two parameters", member);
        let (a, e) = (random.between(0.5, 1.5), random.sign() * random.between(0.2, 0.4));
        let (d, at) = (random.sign() * random.between(0.3, 1.0), random.between(0.85, 1.2));
        let (c, f) = (2.0 * a * d * at, random.between(-1.0, 1.0));
        let text = format!(
            "Study(title: \"tangencies\", system: Tangencies(of: Filippov(states: [\"x\", \"y\", \"z\"], parameters: {{\"c\": {c:?}, \"d\": {d:?}}}, surfaces: {{\"h\": \"z + 0.3*x*z\"}}, fields: {{\"+\": [\"x' = c\", \"y' = d\", \"z' = x - {a:?}*y^2\"], \"-\": [\"x' = 1\", \"y' = ({f:?})\", \"z' = x - ({e:?})*y\"]}}), surface: \"h\", sides: \"+\", along: {{\"y\": -0.4}}), curves: [Curve(name: \"c\", orbit: Equilibrium, start: Guess(at: {{\"y\": -0.5}}, states: [{{\"x\": {:?}, \"z\": 0}}]), free: \"y\", range: (-1, 1.5))], loci: [Locus(name: \"CT\", from: \"c: CT\", free: (\"c\", \"y\"), range: ((-8, 8), (-1.5, 1.5))), Locus(name: \"TF\", from: \"c: TF\", free: (\"c\", \"y\"), range: ((-8, 8), (-1.5, 1.5)))])",
            0.25 * a
        );
        let result = run(&text);
        // The labels' parameters: c, and y in place of the second one of the study.
        let of = |name: &str| -> Vec<(Label, [f64; 2])> {
            let points = pieces(&result, name).into_iter().flatten();
            let labelled = points.filter_map(|p| Some((p.label?, [p.record.parameters[0], p.point.z[2]])));
            labelled.filter(|(label, _)| *label != Label::EP).collect()
        };
        let corners = [[0.0, 0.0], [2.0 * d * e, e / a]];
        let known = |first: Label, second: Label| {
            corners
                .map(|corner| (Label::codimension_two(first, second), corner))
                .to_vec()
        };
        let known = [("CT", known(Label::CT, Label::TF)), ("TF", known(Label::TF, Label::CT))];
        for (name, known) in known {
            if let Some(misplaced) = misplaced(&of(name), &known) {
                wrong.push((member, format!("{name}: {misplaced} {:?}\n{text}", result.missing)));
            }
        }
        let off = pieces(&result, "CT").into_iter().flatten().map(|p| {
            let [x, z, y, _] = p.point.z[..] else {
                return f64::INFINITY;
            };
            let c = p.record.parameters[0];
            (c - 2.0 * a * d * y).abs().max((x - a * y * y).abs()).max(z.abs())
        });
        let off = off.fold(0.0, f64::max);
        if off > 1e-10 {
            wrong.push((member, format!("off by {off:.1e}\n{text}")));
        }
    }
    none_wrong("curves of tangencies in two parameters", count, &wrong);
}
