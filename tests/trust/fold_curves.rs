//! Curves of folds in two parameters: closed ones, those that end on solutions of higher symmetry, those that do not
//! depend on the phase of a forcing, those of canards.

use super::known::{none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::{BranchPoint, End, Label};
use slipstick_study::{CurveResult, RunResult};

/// The pieces of a locus.
fn pieces<'r>(result: &'r RunResult, name: &str) -> Vec<&'r CurveResult> {
    let own = |known: &str| known == name || known.strip_prefix(name).is_some_and(|rest| rest.starts_with('-'));
    result.curves.iter().filter(|curve| own(&curve.name)).collect()
}

fn labelled(curve: &CurveResult) -> Vec<(Label, &BranchPoint)> {
    let points = curve.points().filter_map(|(_, _, p)| Some((p.label?, p)));
    points.collect()
}

/// The two free parameters at a point, those of these places among the parameters.
fn at(point: &BranchPoint, places: [usize; 2]) -> [f64; 2] {
    places.map(|i| point.record.parameters[i])
}

/// Lips: u' = m + (A - l²) u - u³ has two folds for l² < A, along m = ±2 ((A - l²)/3)^{3/2}: a closed curve with two
/// cusps. As an equilibrium of two states, the fixed point of a map of two, or a cycle of radius 1 + u.
#[test]
fn closed_fold_curves_end_where_they_began() {
    let class = "lips";
    let count = members(9);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (a, l0) = (random.between(0.1, 0.4), random.between(-0.6, 0.6));
        let l0 = l0 * f64::sqrt(a);
        let (p, q, r) = (
            random.between(-0.3, 0.3),
            random.between(0.5, 0.9),
            random.between(-0.5, 0.5),
        );
        // x and y move together: with y = r x / q the coefficient of x is A - l².
        let own = a - p * r / q;
        let law = |x: &str| format!("m + ({own:?} - l^2)*{x} - {x}^3");
        let m = 1.5 * 2.0 * (a / 3.0).powf(1.5);
        let (system, orbit, start) = match member % 3 {
            0 => (
                format!(
                    "Smooth(states: [\"x\", \"y\"], equations: [\"x' = {} + {p:?}*y\", \"y' = {r:?}*x - {q:?}*y\"]",
                    law("x")
                ),
                "Equilibrium",
                format!("Settle(at: {{\"m\": {:?}}})", -m),
            ),
            1 => (
                format!(
                    "Map(states: [\"x\", \"y\"], equations: [\"x+ = x + 0.5*({} + {p:?}*y)\", \"y+ = y + 0.5*({r:?}*x - {q:?}*y)\"]",
                    law("x")
                ),
                "FixedPoint",
                format!("Settle(at: {{\"m\": {:?}}})", -m),
            ),
            _ => (
                format!(
                    "Smooth(states: [\"x\", \"y\"], define: {{\"R\": \"sqrt(x^2 + y^2)\", \"u\": \"R - 2\", \
                     \"g\": \"(m + ({a:?} - l^2)*u - u^3)/R\"}}, equations: [\"x' = g*x - {q:?}*y\", \"y' = g*y + {q:?}*x\"]"
                ),
                "PeriodicOrbit",
                format!("Settle(at: {{\"m\": {:?}}}, from: {{\"x\": 1.3, \"y\": 0}})", -m),
            ),
        };
        let text = format!(
            "Study(title: \"lips\", system: {system}, parameters: {{\"m\": 0, \"l\": {l0:?}}}), \
             curves: [Curve(name: \"c\", orbit: {orbit}, start: {start}, free: \"m\", range: ({:?}, {m:?}))], \
             loci: [Locus(name: \"f\", from: \"c: LP 1\", free: (\"m\", \"l\"), range: ((-3, 3), (-2, 2)))])",
            -m
        );
        let result = run(&text);
        let found = pieces(&result, "f");
        let off = found.iter().flat_map(|c| c.points()).fold(0.0f64, |most, (_, _, p)| {
            let [m, l] = at(p, [0, 1]);
            most.max((m.abs() - 2.0 * ((a - l * l).max(0.0) / 3.0).powf(1.5)).abs())
        });
        let mut ends = found.iter().flat_map(|c| &c.pieces).flat_map(|p| &p.branch.ends);
        let closed = ends.any(|end| matches!(end, End::Closed));
        let mut cusps: Vec<f64> = vec![];
        let mut others = 0;
        for (label, p) in found.iter().flat_map(|c| labelled(c)) {
            match label {
                Label::CP => cusps.push(at(p, [0, 1])[1]),
                _ => others += 1,
            }
        }
        cusps.sort_by(f64::total_cmp);
        let known = [-a.sqrt(), a.sqrt()];
        let right = cusps.len() == 2 && cusps.iter().zip(known).all(|(l, k)| (l - k).abs() < 1e-6);
        if found.len() != 1 || !closed || !right || others > 0 || off > 1e-8 {
            let said = format!(
                "{} pieces, closed {closed}, cusps {cusps:?} of {known:?}, {others} others, off {off:.1e}, {:?}",
                found.len(),
                result.missing
            );
            wrong.push((member, format!("{said}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// The equations of a forced oscillator with F stay the same if F changes its sign and the phase moves by half a turn:
/// curves of folds at negative F are mirror images of those at positive F.
#[test]
fn fold_curves_do_not_depend_on_the_phase_of_the_forcing() {
    let class = "phases of forcings";
    let count = members(3);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (w, c) = (random.between(1.0, 1.1), random.between(0.15, 0.25));
        let (k, cubic) = (random.between(0.9, 1.2), random.between(0.8, 1.2));
        let turn = if member % 2 == 0 { 0.0 } else { random.between(0.0, 6.0) };
        let text = format!(
            "Study(title: \"wells\", system: Smooth(states: [\"x\", \"v\"], parameters: {{\"w\": {w:?}, \"F\": 0.05}}, \
             forcing: Forcing(period: \"2*pi/w\"), start: {{\"x\": 1}}, \
             equations: [\"x' = v\", \"v' = {k:?}*x - {c:?}*v - {cubic:?}*x^3 + F*cos(w*t + {turn:?})\"]), \
             curves: [Curve(name: \"c\", orbit: PeriodicOrbit, start: Settle(at: {{\"F\": 0.05}}), free: \"F\", range: (-0.45, 0.45))], \
             loci: [Locus(name: \"f\", from: \"c: LP\", free: (\"w\", \"F\"), range: ((0.5, 1.6), (-0.5, 0.5)))])"
        );
        let result = run(&text);
        let found = pieces(&result, "f");
        let special = |side: f64| {
            let points = found.iter().flat_map(|c| labelled(c));
            let own = points.filter(|(_, p)| side * at(p, [0, 1])[1] > 0.0);
            let mut own: Vec<(String, [f64; 2])> = own
                .map(|(label, p)| {
                    let [w, force] = at(p, [0, 1]);
                    (label.to_string(), [w, force.abs()])
                })
                .collect();
            own.sort_by(|a, b| (&a.0, a.1).partial_cmp(&(&b.0, b.1)).unwrap());
            own
        };
        let (below, above) = (special(-1.0), special(1.0));
        let alike = below.len() == above.len()
            && below.iter().zip(&above).all(|((a, x), (b, y))| {
                let near = x.iter().zip(y).all(|(x, y)| (x - y).abs() < 1e-7);
                a == b && near
            });
        let ends = found
            .iter()
            .flat_map(|c| labelled(c))
            .filter(|(label, _)| *label == Label::EP);
        let at_bounds = ends.map(|(_, p)| at(p, [0, 1])).all(|[w, force]| {
            let near = |x: f64, end: f64| (x - end).abs() < 1e-12;
            near(w, 0.5) || near(w, 1.6) || near(force.abs(), 0.5)
        });
        if !alike || !at_bounds || above.is_empty() || above.iter().any(|(label, _)| label == "MX") {
            wrong.push((
                member,
                format!("{below:?}\n{above:?}\nends at bounds {at_bounds}\n{text}"),
            ));
        }
    }
    none_wrong(class, count, &wrong);
}

/// x → -(1 + μ) x + β x³ + c x⁵ has 2-cycles x → -x with μ = β x² + c x⁴; their folds lie on μ = -β²/(4 c) and end at
/// μ = β = 0. The same for x' = μ x + β x³ + c x⁵ and its mirrored equilibria, μ = β²/(4 c).
#[test]
fn fold_curves_end_at_generalised_doublings_and_degenerate_pitchforks() {
    let class = "folds at degenerate doublings";
    let count = members(12);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let map = member % 2 == 0;
        let (c, b) = (random.log_between(0.3, 3.0), random.between(0.4, 1.0));
        let (q, r) = (random.between(0.3, 0.8), random.between(-0.6, 0.6));
        let second = random.between(-0.4, 0.4);
        // β is counted in a unit of its own.
        let unit = random.log_between(1.0, 1e8);
        // With β = -b the branch starts below and turns at x² = b/(2 c).
        let (system, orbit, start, from, fold) = if map {
            (
                format!(
                    "Map(states: [\"x\", \"y\"], equations: [\"x+ = -(1 + mu)*x + be*x^3 + {c:?}*x^5 + {second:?}*y*x^2\", \"y+ = {q:?}*y\"]"
                ),
                "Cycle(2)",
                format!(
                    "Guess(at: {{\"mu\": 0}}, states: [{{\"x\": {x:?}, \"y\": 0}}, {{\"x\": {:?}, \"y\": 0}}])",
                    -f64::sqrt(b / c),
                    x = f64::sqrt(b / c)
                ),
                "2",
                -b * b / (4.0 * c),
            )
        } else {
            (
                format!(
                    "Smooth(states: [\"x\", \"y\"], equations: [\"x' = mu*x + be*x^3 - {c:?}*x^5 + {second:?}*y*x^2\", \"y' = {r:?}*y*x^2 - {q:?}*y\"]"
                ),
                "Equilibrium",
                format!(
                    "Guess(at: {{\"mu\": 0}}, states: [{{\"x\": {:?}, \"y\": 0}}])",
                    f64::sqrt(b / c)
                ),
                "0",
                -b * b / (4.0 * c),
            )
        };
        let beta = if map { -b } else { b };
        let text = format!(
            "Study(title: \"ends {from}\", system: {system}, parameters: {{\"mu\": 0, \"q\": {:?}}}, define: {{\"be\": \"{unit:?}*q\"}}), \
             curves: [Curve(name: \"c\", orbit: {orbit}, start: {start}, free: \"mu\", range: ({:?}, 0.2))], \
             loci: [Locus(name: \"f\", from: \"c: LP\", free: (\"mu\", \"q\"), range: ((-5, 5), ({:?}, {:?})))])",
            beta / unit,
            1.5 * fold,
            -1.5 / unit,
            1.5 / unit
        );
        let result = run(&text);
        let found = pieces(&result, "f");
        let wanted = if map { Label::GPD } else { Label::DP };
        let off = found.iter().flat_map(|p| p.points()).fold(0.0f64, |most, (_, _, p)| {
            let [mu, q] = at(p, [0, 1]);
            let be = unit * q;
            most.max((mu + be * be / (4.0 * c)).abs())
        });
        let special: Vec<(Label, [f64; 2])> = found
            .iter()
            .flat_map(|p| labelled(p))
            .map(|(label, p)| (label, at(p, [0, 1])))
            .collect();
        let ends: Vec<_> = special.iter().filter(|(label, _)| *label == wanted).collect();
        let right = match ends[..] {
            [(_, [mu, q])] => mu.abs() < 1e-8 && (unit * q).abs() < 1e-6,
            _ => false,
        };
        let known = special.iter().all(|(label, _)| [wanted, Label::EP].contains(label));
        if found.len() != 1 || !right || !known || special.len() != 2 || off > 1e-9 {
            wrong.push((
                member,
                format!("{special:?}, off {off:.1e}, {:?}\n{text}", result.missing),
            ));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Folds of cycles among canards, where perturbations grow by more than ten powers of ten and decay again: the curve of
/// folds passes through the fold of another curve of cycles.
#[test]
fn fold_curves_pass_along_canards() {
    let class = "folds among canards";
    let count = members(4);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (a, eps) = (random.between(0.6, 0.75), random.between(0.08, 0.12));
        let b = [random.between(0.7, 0.75), random.between(0.76, 0.8)];
        let study = |b: f64, loci: &str| {
            format!(
                "Study(title: \"nerve\", system: Smooth(states: [\"v\", \"w\"], parameters: {{\"I\": 0.2, \"b\": {b:?}}}, \
                 equations: [\"v' = v - v^3/3 - w + I\", \"w' = {eps:?}*(v + {a:?} - b*w)\"]), \
                 curves: [Curve(name: \"rest\", orbit: Equilibrium, start: Guess(at: {{\"I\": 0}}, states: [{{\"v\": -1.2, \"w\": -0.6}}]), free: \"I\", range: (0, 0.7)), \
                 Curve(name: \"c\", orbit: PeriodicOrbit, start: Point(from: \"rest, HB 1\"), free: \"I\", range: (0, 0.7))], loci: [{loci}])"
            )
        };
        let text = study(
            b[0],
            &format!(
                "Locus(name: \"f\", from: \"c: LP\", free: (\"I\", \"b\"), range: ((0, 1), (0.2, {:?})), levels: {{\"b\": [{:?}]}})",
                b[1] + 0.005,
                b[1]
            ),
        );
        let (result, other) = (run(&text), run(&study(b[1], "")));
        let fold = other
            .curves
            .iter()
            .filter(|c| c.name == "c")
            .flat_map(|c| labelled(c))
            .find(|(label, _)| *label == Label::LP)
            .map(|(_, p)| p.record.parameters[0]);
        let found = pieces(&result, "f");
        let special: Vec<(Label, [f64; 2])> = found
            .iter()
            .flat_map(|p| labelled(p))
            .map(|(label, p)| (label, at(p, [0, 1])))
            .collect();
        let passed = special
            .iter()
            .filter(|(label, _)| *label == Label::UZ)
            .any(|(_, [i, _])| fold.is_some_and(|fold| (i - fold).abs() < 1e-8));
        if !passed || special.iter().any(|(label, _)| matches!(label, Label::MX | Label::CP)) {
            wrong.push((
                member,
                format!("fold {fold:?}, {special:?}, {:?}\n{text}", result.missing),
            ));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Curves of folds of cycles of Hodgkin and Huxley's neuron, on meshes that change from point to point, ended after any
/// number of points: what is asked of a point on other meshes leaves the curve as it was.
#[test]
fn fold_curves_on_meshes_that_change_are_followed_to_any_number_of_points() {
    let class = "folds on changing meshes";
    let count = members(3);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let points = 12 + random.below(14);
        let low = random.between(-40.0, -10.0);
        let text = format!(
            "Study(title: \"neuron\", system: Smooth(states: [\"v\", \"m\", \"h\", \"n\"], parameters: {{\"I\": 0, \"VK\": -12}}, \
             define: {{\"am\": \"0.1*(25 - v)/(exp((25 - v)/10) - 1)\", \"bm\": \"4*exp(-v/18)\", \"ah\": \"0.07*exp(-v/20)\", \"bh\": \"1/(exp((30 - v)/10) + 1)\", \
             \"an\": \"0.01*(10 - v)/(exp((10 - v)/10) - 1)\", \"bn\": \"0.125*exp(-v/80)\"}}, \
             equations: [\"v' = I - 120*m^3*h*(v - 115) - 36*n^4*(v - VK) - 0.3*(v - 10.599)\", \"m' = am*(1 - m) - bm*m\", \"h' = ah*(1 - h) - bh*h\", \"n' = an*(1 - n) - bn*n\"], \
             start: {{\"v\": 0, \"m\": 0.05, \"h\": 0.6, \"n\": 0.32}}), \
             curves: [Curve(name: \"eq\", orbit: Equilibrium, start: Settle(at: {{\"I\": 0}}), free: \"I\", range: ({low:?}, 200)), \
             Curve(name: \"c\", orbit: PeriodicOrbit, start: Point(from: \"eq, HB 1\"), free: \"I\", range: ({low:?}, 200))], \
             loci: [Locus(name: \"l\", from: \"c: LP 1\", free: (\"I\", \"VK\"), range: ((-100, 300), (-30, 20)), points: {points})])"
        );
        let result = run(&text);
        let found: Vec<usize> = pieces(&result, "l")
            .iter()
            .map(|curve| curve.points().count())
            .collect();
        if !result.missing.is_empty() || found.len() != 1 || found[0] < points {
            wrong.push((member, format!("{found:?} {:?}\n{text}", result.missing)));
        }
    }
    none_wrong(class, count, &wrong);
}

/// r' = r (m + a r² - r⁴) with m and a turned and bent in the plane of the parameters: folds of cycles at m = -a²/4 end
/// at the generalised Hopf point, and the message says where, to all the digits that it names.
#[test]
fn fold_curves_say_the_generalised_hopf_point_at_which_they_end() {
    let class = "limits of folds of cycles";
    let count = members(8);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (turn, bend) = (random.between(0.2, 1.0), random.between(-0.3, 0.3));
        let [p0, s0] = [0; 2].map(|_| random.between(-2.0, 2.0));
        let (quintic, skew) = (random.between(0.5, 2.0), random.between(-0.3, 0.3));
        let a = random.between(0.4, 1.0);
        let (sin, cos) = turn.sin_cos();
        // m = cos q + sin t, a = -sin q + cos t + bend q², of q = p - p0 and t = s - s0.
        let m = -a * a / (4.0 * quintic);
        let (mut q, mut t) = (0.0f64, 0.0f64);
        for _ in 0..60 {
            let (dm, da) = (m - cos * q - sin * t, a + sin * q - cos * t - bend * q * q);
            (q, t) = (q + cos * dm - sin * da, t + sin * dm + cos * da);
        }
        let radius = (a / (2.0 * quintic)).sqrt() * 1.2;
        let text = format!(
            "Study(title: \"folds of cycles\", system: Smooth(states: [\"x\", \"y\"], parameters: {{\"p\": {:?}, \"s\": {:?}}}, \
             define: {{\"q\": \"p - ({p0:?})\", \"t\": \"s - ({s0:?})\", \"m\": \"{cos:?}*q + {sin:?}*t\", \"a\": \"-{sin:?}*q + {cos:?}*t + ({bend:?})*q^2\", \
             \"g\": \"m + a*(x^2 + y^2) - ({quintic:?})*(x^2 + y^2)^2\", \"w\": \"1 + ({skew:?})*x\"}}, \
             equations: [\"x' = g*x - w*y\", \"y' = g*y + w*x\"], start: {{\"x\": {radius:?}, \"y\": 0}}), \
             curves: [Curve(name: \"c\", orbit: PeriodicOrbit, start: Settle(at: {{\"p\": {:?}}}), free: \"p\", range: ({:?}, {:?}))], \
             loci: [Locus(name: \"l\", from: \"c: LP\", free: (\"p\", \"s\"), range: (({:?}, {:?}), ({:?}, {:?})))])",
            p0 + q + 0.05,
            s0 + t,
            p0 + q + 0.05,
            p0 + q - 0.5,
            p0 + q + 0.5,
            p0 - 3.0,
            p0 + 3.0,
            s0 - 3.0,
            s0 + 3.0,
        );
        let result = run(&text);
        let said: Vec<String> = pieces(&result, "l")
            .iter()
            .flat_map(|curve| labelled(curve))
            .filter(|(label, _)| *label == Label::GH)
            .map(|(_, p)| p.message.clone())
            .collect();
        let number = |text: &str, name: &str| -> Option<(f64, f64)> {
            let digits = text.split(&format!("{name} = ")).nth(1)?.split([',', ' ']).next()?;
            let places = digits.split('.').nth(1).map_or(0, str::len);
            Some((digits.parse().ok()?, 10f64.powi(-(places as i32))))
        };
        let is_right = |said: &String| {
            let limit = said.split("in the limit ").nth(1).unwrap_or_default();
            [("p", p0), ("s", s0)]
                .iter()
                .all(|(name, at)| number(limit, name).is_some_and(|(v, unit)| (v - at).abs() <= 2.0 * unit))
        };
        if said.is_empty() || !said.iter().all(is_right) {
            wrong.push((member, format!("{p0} {s0} {said:?} {:?}\n{text}", result.missing)));
        }
    }
    none_wrong(class, count, &wrong);
}

/// An epidemic with treatment that saturates, `I' = R S I - d I - m I/(1 + α I)`: the curve of folds ends where S grows
/// beyond all bounds. The equation of its equilibria is a quadratic one, so that there is no cusp on the way.
#[test]
fn folds_that_run_to_infinity_have_no_cusps() {
    let class = "folds to infinity";
    let count = members(8);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (m, d) = (random.between(0.4, 1.2), random.between(0.08, 0.25));
        let (alpha, rate) = (random.between(10.0, 25.0), 2.0 * (m + d));
        let unit = random.log_between(1e-2, 1e2);
        let text = format!(
            "Study(title: \"epidemic\", system: Smooth(states: [\"S\", \"I\"], parameters: {{\"R\": {rate:?}, \"al\": {alpha:?}}}, \
             equations: [\"S' = {d:?}*({unit:?} - S) - R*S*I/{unit:?}\", \"I' = R*S*I/{unit:?} - {d:?}*I - {m:?}*I/(1 + al*I/{unit:?})\"]), \
             curves: [Curve(name: \"r\", orbit: Equilibrium, start: All(at: {{\"R\": {rate:?}}}, within: {{\"S\": (0, {unit:?}), \"I\": (0, {unit:?})}}), free: \"R\", range: (0.02, 4))], \
             loci: [Locus(name: \"fold\", from: \"r: LP\", free: (\"R\", \"al\"), range: ((0.02, 6), (0.1, 60)))])"
        );
        let result = run(&text);
        let folds = pieces(&result, "fold");
        let special = folds.iter().flat_map(|curve| labelled(curve));
        let cusps: Vec<Vec<f64>> = special
            .filter(|(label, _)| *label == Label::CP)
            .map(|(_, p)| p.point.z.clone())
            .collect();
        if folds.is_empty() || !cusps.is_empty() {
            wrong.push((member, format!("{cusps:?} {:?}\n{text}", result.missing)));
        }
    }
    none_wrong(class, count, &wrong);
}
