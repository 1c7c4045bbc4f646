//! Curves of equilibria and of cycles in two parameters: where they lead, and the points of codimension two on them.

use super::known::{none_wrong, pieces, run};
use super::random::{Coordinates, Random, members};
use slipstick_bifurcation::{BranchPoint, End, Label};

/// Scales of the states, the first parameter and time, in powers of ten; the second parameter has those of the first.
const SCALES: [f64; 3] = [4.0, 3.0, 3.0];

/// u' = f(u, q, s) in random coordinates, with two parameters in units of their own.
struct Member {
    coordinates: Coordinates,
    /// The unit of the second parameter.
    second: f64,
    fields: Vec<String>,
    /// q and s of the start.
    at: [f64; 2],
    start: Vec<f64>,
    /// What else is defined, in `q` and `s`.
    define: String,
}

impl Member {
    fn new(random: &mut Random, mut fields: Vec<String>, at: [f64; 2], mut start: Vec<f64>, more: usize) -> Self {
        for _ in 0..more {
            fields.push(format!("-{:?}*u{}", random.between(0.5, 3.0), fields.len() + 1));
            start.push(0.0);
        }
        Self {
            coordinates: Coordinates::random(random, fields.len(), SCALES),
            second: 10f64.powf(random.between(-SCALES[1], SCALES[1])),
            fields,
            at,
            start,
            define: String::new(),
        }
    }

    /// The two free parameters in the units of the fields.
    fn parameters(&self, point: &BranchPoint) -> [f64; 2] {
        let p = &point.record.parameters;
        [p[0] / self.coordinates.parameter, p[1] / self.second]
    }

    /// A curve over q, and from its points with each of the labels those in two parameters.
    fn text(&self, free: (f64, f64), labels: &[Label], range: [(f64, f64); 2]) -> String {
        let (unit, second) = (self.coordinates.parameter, self.second);
        let system = self.coordinates.smooth(&self.fields, self.at[0]);
        let own = format!("\"p\": {:?}", self.coordinates.p(self.at[0]));
        let system = system
            .replacen(&own, &format!("{own}, \"r\": {:?}", second * self.at[1]), 1)
            .replacen("define: {", &format!("define: {{\"s\": \"r/({second:?})\", "), 1)
            .replacen("\"u1\":", &format!("{}\"u1\":", self.define), 1);
        let interval = |(low, high): (f64, f64), unit: f64| format!("({:?}, {:?})", low * unit, high * unit);
        let loci: Vec<String> = labels
            .iter()
            .map(|label| {
                format!(
                    "Locus(name: \"{label}\", from: \"c: {label}\", free: (\"p\", \"r\"), range: ({}, {}))",
                    interval(range[0], unit),
                    interval(range[1], second)
                )
            })
            .collect();
        format!(
            "Study(title: \"two\", system: {system}, curves: [Curve(name: \"c\", orbit: Equilibrium, start: Guess(at: {{\"p\": {:?}}}, states: [{}]), free: \"p\", range: {})], loci: [{}])",
            unit * self.at[0],
            self.coordinates.states_text(&self.start),
            interval(free, unit),
            loci.join(", ")
        )
    }
}

fn special(points: &[&BranchPoint]) -> Vec<Label> {
    let labels = points.iter().filter_map(|p| p.label);
    labels.filter(|label| *label != Label::EP).collect()
}

/// u1' = u2, u2' = b1 + b2 u2 + u1² ± u1 u2 with b1 and b2 turned and bent in the plane of the parameters: the Hopf
/// curve ends at the Bogdanov–Takens point, and its first Lyapunov coefficient has one sign.
#[test]
fn hopf_curves_end_at_bogdanov_takens_points_and_at_nothing_else() {
    let class = "Bogdanov-Takens";
    let count = members(12);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let sign = random.sign();
        let (turn, bend) = (random.between(0.4, 1.2), random.between(-0.2, 0.2));
        let place = [random.between(-0.3, 0.3), random.between(-0.3, 0.3)];
        // The Hopf point at u1 = -a has b1 = -a², b2 = ± a.
        let a = random.between(0.2, 0.5);
        let (sin, cos) = turn.sin_cos();
        let unfold = |[q, s]: [f64; 2]| {
            let (q, s) = (q - place[0], s - place[1]);
            [cos * q + sin * s, -sin * q + cos * s + bend * q * q]
        };
        let mut hopf = place;
        for _ in 0..60 {
            let [b1, b2] = unfold(hopf);
            let (d1, d2) = (-a * a - b1, sign * a - b2);
            hopf = [hopf[0] + cos * d1 - sin * d2, hopf[1] + sin * d1 + cos * d2];
        }
        let start = [hopf[0] - 0.02, hopf[1]];
        let fields = vec!["u2".into(), format!("b1 + b2*u2 + u1^2 + ({sign:?})*u1*u2")];
        let u1 = -(-unfold(start)[0]).sqrt();
        let mut own = Member::new(&mut random, fields, start, vec![u1, 0.0], member % 3);
        let (q, s) = (format!("(q - ({:?}))", place[0]), format!("(s - ({:?}))", place[1]));
        own.define = format!(
            "\"b1\": \"{cos:?}*{q} + {sin:?}*{s}\", \"b2\": \"-{sin:?}*{q} + {cos:?}*{s} + ({bend:?})*{q}^2\", "
        );
        let text = own.text((-2.0, 2.0), &[Label::HB], [(-2.0, 2.0), (-2.0, 2.0)]);
        let result = run(&text);
        let found = pieces(&result, "HB");
        let is_right = |points: &Vec<&BranchPoint>| {
            let at = points.iter().find(|p| p.label == Some(Label::BT));
            let near = |p: &&BranchPoint| {
                let [q, s] = own.parameters(p);
                (q - place[0]).abs().max((s - place[1]).abs()) <= 1e-7
            };
            special(points) == [Label::BT] && at.is_some_and(near)
        };
        if found.is_empty() || !found.iter().all(is_right) {
            let labels: Vec<_> = found.iter().map(|points| special(points)).collect();
            wrong.push((member, format!("{labels:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// u' = q + s u + g(u), which has its fold just where the state, s and the slopes of the equation are zero.
#[test]
fn fold_curves_of_one_state_pass_through_zero() {
    let class = "folds at zero";
    let count = members(12);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let a = random.sign() * random.between(0.3, 2.0);
        // g, g' and how far s goes.
        type Real = fn(f64) -> f64;
        let (text, g, slope): (&str, Real, Real) = [
            ("u1^2", (|u| u * u) as Real, (|u| 2.0 * u) as Real),
            ("(1 - cos(u1))", |u| 1.0 - u.cos(), f64::sin),
            ("(exp(u1) - 1 - u1)", |u| u.exp() - 1.0 - u, |u| u.exp() - 1.0),
        ][member % 3];
        let fields = vec![format!("q + s*u1 + ({a:?})*{text}")];
        let u = random.between(0.1, 0.5);
        let own = Member::new(&mut random, fields, [-a * g(u), 0.0], vec![u], 0);
        let reach = 0.4 * a.abs();
        let free = (-0.5 * a.abs(), 0.5 * a.abs());
        let text = own.text(free, &[Label::LP], [(-5.0, 5.0), (-reach, reach)]);
        let result = run(&text);
        let found = pieces(&result, "LP");
        let state = own.coordinates.inverse[0][0] / own.coordinates.state;
        let on_curve = |point: &&BranchPoint| {
            let ([q, s], u) = (own.parameters(point), state * point.point.z[0]);
            let (fold, value) = (s + a * slope(u), q + s * u + a * g(u));
            fold.abs().max(value.abs()) <= 1e-9
        };
        let ends = |points: &Vec<&BranchPoint>| {
            let [Some(first), Some(last)] = [points.first(), points.last()] else {
                return false;
            };
            let [a, b] = [own.parameters(first)[1], own.parameters(last)[1]];
            (a * b + reach * reach).abs() <= 1e-9 * reach && (a + b).abs() <= 1e-9
        };
        let right = |points: &Vec<&BranchPoint>| ends(points) && points.iter().all(on_curve);
        if found.len() != 1 || !found.iter().all(right) {
            let lengths: Vec<usize> = found.iter().map(Vec::len).collect();
            wrong.push((member, format!("{lengths:?} points\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// u' = q + s u - u³ from folds at s = 1, where the range of s begins or ends: the curve keeps to its side.
#[test]
fn curves_that_start_on_a_border_keep_within_it() {
    let class = "starts on a border";
    let count = members(12);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let above = member % 2 == 0;
        let own = Member::new(
            &mut random,
            vec!["q + s*u1 - u1^3".into()],
            [0.0, 1.0],
            vec![1.0],
            member % 3,
        );
        let range = if above { (1.0, 2.0) } else { (-1.0, 1.0) };
        let text = own.text((-2.0, 2.0), &[Label::LP], [(-5.0, 5.0), range]);
        let result = run(&text);
        let mut found = pieces(&result, "LP");
        found.retain(|points| points.len() > 2);
        let within = |point: &&BranchPoint| {
            let s = own.parameters(point)[1];
            s >= range.0 - 1e-9 && s <= range.1 + 1e-9
        };
        let cusps = if above { vec![] } else { vec![Label::CP] };
        let arms = if above { 2 } else { 1 };
        let right = |points: &Vec<&BranchPoint>| points.iter().all(within) && special(points) == cusps;
        if found.len() != arms || !found.iter().all(right) {
            let labels: Vec<_> = found.iter().map(|points| special(points)).collect();
            wrong.push((member, format!("{labels:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// u' = 1 - (q + b s²)² - s² - u², whose folds lie on a closed curve without a cusp, in parameters of very different
/// units.
#[test]
fn closed_fold_curves_have_no_cusps() {
    let class = "closed folds";
    let count = members(16);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (bend, s) = (random.between(-0.5, 0.5), random.between(-0.8, 0.8));
        let (shift, tilt) = (random.between(-3.0, 3.0), random.between(-1.0, 1.0));
        let fields = vec![format!(
            "1 - (q + ({bend:?})*s^2)^2 - s^2 - (u1 - ({shift:?}) - ({tilt:?})*q)^2"
        )];
        let q = -bend * s * s;
        let start = shift + tilt * q + (1.0 - s * s).sqrt();
        let own = Member::new(&mut random, fields, [q, s], vec![start], member % 2);
        let text = own.text((-2.0, 2.0), &[Label::LP], [(-3.0, 3.0), (-3.0, 3.0)]);
        let result = run(&text);
        let found = pieces(&result, "LP");
        let curve = result.curves.iter().find(|curve| curve.name == "LP");
        let closed = curve.is_some_and(|curve| curve.pieces[0].branch.ends == [End::Closed]);
        if found.len() != 1 || !closed || !special(&found[0]).is_empty() {
            let labels: Vec<_> = found.iter().map(|points| special(points)).collect();
            wrong.push((member, format!("{labels:?}, closed: {closed}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// r' = r (q + s r² - r⁴), φ' = ω in sheared coordinates: folds of cycles lie on q = -s²/4 and end at the generalised
/// Hopf point. Next to it the parameters change by less and less.
#[test]
fn fold_curves_of_cycles_end_at_generalised_hopf_points_without_cusps() {
    let class = "folds of cycles";
    let count = members(3);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let shears = [0; 2].map(|_| random.between(-0.3, 0.3));
        let (omega, decay) = (random.between(0.8, 2.0), random.between(0.5, 2.0));
        let (unit, second) = (random.log_between(0.01, 100.0), random.log_between(0.01, 100.0));
        let (q, s) = (-0.05, random.between(0.6, 1.2));
        let radius = (0.5 * (s + f64::sqrt(s * s + 4.0 * q))).sqrt();
        let define = format!(
            "\"q\": \"p/({unit:?})\", \"s\": \"r/({second:?})\", \"u\": \"x - ({:?})*y^2\", \"w\": \"z - ({:?})*x*y\", \"g\": \"q + s*(u^2 + y^2) - (u^2 + y^2)^2\", \
             \"f\": \"g*u - {omega:?}*y\", \"h\": \"g*y + {omega:?}*u\", \"k\": \"f + 2*({:?})*y*h\"",
            shears[0], shears[1], shears[0]
        );
        let equations = format!(
            "\"x' = k\", \"y' = h\", \"z' = -{decay:?}*w + ({:?})*(k*y + x*h)\"",
            shears[1]
        );
        let text = format!(
            "Study(title: \"cycles\", system: Smooth(states: [\"x\", \"y\", \"z\"], parameters: {{\"p\": {:?}, \"r\": {:?}}}, define: {{{define}}}, equations: [{equations}]), \
             curves: [Curve(name: \"c\", orbit: PeriodicOrbit, start: Guess(at: {{\"p\": {:?}}}, states: [{{\"x\": {radius:?}, \"y\": 0, \"z\": 0}}], durations: [{:?}]), free: \"p\", range: ({:?}, {:?}))], \
             loci: [Locus(name: \"LP\", from: \"c: LP\", free: (\"p\", \"r\"), range: (({:?}, {:?}), ({:?}, {:?})))])",
            q * unit,
            s * second,
            q * unit,
            std::f64::consts::TAU / omega,
            -unit,
            unit,
            -unit,
            unit,
            -second,
            1.3 * second
        );
        let result = run(&text);
        let found = pieces(&result, "LP");
        let on_curve = |point: &&BranchPoint| {
            let p = &point.record.parameters;
            let (q, s) = (p[0] / unit, p[1] / second);
            (q + 0.25 * s * s).abs() <= 1e-8
        };
        let right = |points: &Vec<&BranchPoint>| points.iter().all(on_curve) && special(points) == [Label::GH];
        if found.len() != 1 || !found.iter().all(right) {
            let labels: Vec<_> = found.iter().map(|points| special(points)).collect();
            wrong.push((member, format!("{labels:?}; missing: {:?}\n{text}", result.missing)));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Branches that set off where a symmetry breaks have the double length of those before: the curves of their points are
/// those of the same points on the branches of the orbits that are not declared symmetric, cusps of cycles included.
#[test]
fn curves_of_points_on_branches_of_broken_symmetry() {
    let class = "curves from broken symmetry";
    let count = members(1);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (unit, damping) = (random.log_between(1e-2, 1e2), random.between(0.08, 0.12));
        // Curves of folds by shooting take their time.
        let (method, folds) = [("", true), (", method: Shooting(shots: 6)", false)][member % 2];
        let curve = |name: &str, orbit: &str, branch: &str| {
            format!(
                "Curve(name: \"{name}\", orbit: {orbit}, start: Settle(at: {{\"w\": 3}}), free: \"w\", range: (0.8, 4), branches: [{branch}]{method})"
            )
        };
        let locus = |name: &str, from: &str| {
            format!("Locus(name: \"{name}\", from: \"{from}\", free: (\"w\", \"F\"), range: ((0.8, 4), (1, 22)))")
        };
        let text = format!(
            "Study(title: \"broken\", system: Smooth(states: [\"x\", \"v\"], parameters: {{\"w\": 1, \"F\": 20}}, \
             equations: [\"x' = v\", \"v' = -{damping:?}*v - x - x^3/{:?} + {unit:?}*F*cos(w*t)\"], forcing: Forcing(period: \"2*pi/w\"), \
             symmetry: {{\"x\": \"-x\", \"v\": \"-v\", \"phase\": \"phase + pi\"}}), curves: [{}, {}], loci: [{}, {}{}])",
            unit * unit,
            curve("s", "Symmetric(\"smooth\")", "SB"),
            curve("p", "PeriodicOrbit", "BP"),
            locus("spd", "s-SB1a: PD 1"),
            locus("ppd", "p-BP1a: PD 1"),
            match folds {
                true => format!(", {}, {}", locus("slp", "s-SB2a: LP 1"), locus("plp", "p-BP2a: LP 1")),
                false => String::new(),
            },
        );
        let result = run(&text);
        let all = |name: &str| {
            let of_points = |points: &Vec<&BranchPoint>| {
                let labelled = points.iter().filter(|p| p.label.is_some());
                let mut found: Vec<(Label, f64, f64)> = labelled
                    .map(|p| {
                        (
                            p.label.unwrap_or(Label::EP),
                            p.record.parameters[0],
                            p.record.parameters[1],
                        )
                    })
                    .collect();
                found.sort_by(|a, b| a.1.total_cmp(&b.1));
                found
            };
            let mut found: Vec<_> = pieces(&result, name).iter().map(of_points).collect();
            found.sort_by(|a, b| a[0].1.total_cmp(&b[0].1));
            found
        };
        let pairs = [("spd", "ppd"), ("slp", "plp")];
        for (broken, plain) in pairs.into_iter().take(1 + usize::from(folds)) {
            let (a, b) = (all(broken), all(plain));
            let same = |(a, b): (&(Label, f64, f64), &(Label, f64, f64))| {
                a.0 == b.0 && (a.1 - b.1).abs() <= 1e-6 * b.1 && (a.2 - b.2).abs() <= 1e-6 * b.2
            };
            let alike = |(a, b): (&Vec<_>, &Vec<_>)| a.len() == b.len() && a.iter().zip(b).all(same);
            let cusps = a.iter().flatten().filter(|p| p.0 == Label::CP).count();
            if a.is_empty() || a.len() != b.len() || !a.iter().zip(&b).all(alike) || (broken == "slp" && cusps == 0) {
                wrong.push((
                    member,
                    format!("{broken}: {a:?}\n{plain}: {b:?}\n{:?}\n{text}", result.missing),
                ));
            }
        }
    }
    none_wrong(class, count, &wrong);
}

/// Pairs that meet without a Jordan block and pass each other: three competitors in a ring (Hopf points at a + b = 2,
/// through a = b = 1), and a map with the symmetry of a circle that turns by ever larger angles (through half a turn).
/// The curves go on, and the place is labelled once.
#[test]
fn pairs_of_symmetric_systems_pass_each_other() {
    let class = "semisimple pairs";
    let count = members(6);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let unit = random.log_between(1e-3, 1e3);
        let (text, place): (String, Box<dyn Fn(&BranchPoint) -> f64>) = if member % 2 == 0 {
            let a = random.between(0.4, 0.8);
            let equation = |i: usize| {
                let [x, y, z] = [0, 1, 2].map(|k| format!("x{}", (i + k) % 3));
                format!("\"{x}' = {x}*(1 - ({x} + a*{y} + b*{z})/{unit:?})\"")
            };
            let text = format!(
                "Study(title: \"ring\", system: Smooth(states: [\"x0\", \"x1\", \"x2\"], parameters: {{\"a\": {a:?}, \"b\": 1}}, equations: [{}, {}, {}]), \
                 curves: [Curve(name: \"c\", orbit: Equilibrium, start: Guess(at: {{\"b\": 1}}, states: [{{\"x0\": {u:?}, \"x1\": {u:?}, \"x2\": {u:?}}}]), free: \"b\", range: (0.1, 3))], \
                 loci: [Locus(name: \"l\", from: \"c: HB\", free: (\"b\", \"a\"), range: ((0.1, 3), (-2, 3)))])",
                equation(0),
                equation(1),
                equation(2),
                u = unit / (2.0 + a),
            );
            (
                text,
                Box::new(|p| p.record.parameters[0] + p.record.parameters[1] - 2.0),
            )
        } else {
            let (m, bend) = (random.between(-0.3, 0.3), random.between(-0.1, 0.1));
            let text = format!(
                "Study(title: \"circle\", system: Map(states: [\"u\", \"v\"], parameters: {{\"p\": {:?}, \"s\": 2}}, \
                 define: {{\"r\": \"1 + p - ({m:?}) - ({bend:?})*s - (u^2 + v^2)/({unit:?})^2\"}}, \
                 equations: [\"u+ = r*(cos(s)*u - sin(s)*v)\", \"v+ = r*(sin(s)*u + cos(s)*v)\"]), \
                 curves: [Curve(name: \"c\", orbit: FixedPoint, start: Guess(at: {{\"p\": {:?}}}, states: [{{\"u\": 0, \"v\": 0}}]), free: \"p\", range: (-0.9, 3))], \
                 loci: [Locus(name: \"l\", from: \"c: NS\", free: (\"p\", \"s\"), range: ((-0.9, 3), (1.2, 5)))])",
                m - 0.2,
                m + 2.0 * bend - 0.1,
            );
            (
                text,
                Box::new(move |p| p.record.parameters[0] - m - bend * p.record.parameters[1]),
            )
        };
        let result = run(&text);
        let found = pieces(&result, "l");
        let off = found.iter().flatten().map(|p| place(p).abs()).fold(0.0, f64::max);
        let labels: Vec<Label> = found.iter().flat_map(|points| special(points)).collect();
        let reach = |k: usize| {
            let own = found.iter().flatten().map(|p| p.record.parameters[k]);
            own.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)))
        };
        let (low, high) = reach(1);
        let borders = if member % 2 == 0 { (0.1, 3.0) } else { (1.2, 5.0) };
        let through = (low - borders.0).abs() < 1e-9 && (high - borders.1).abs() < 1e-9;
        // Said once, and no end.
        let double = labels
            .iter()
            .filter(|label| matches!(label, Label::BT | Label::R2))
            .count();
        if found.len() != 1 || !through || double != 1 || off > 1e-9 {
            wrong.push((
                member,
                format!(
                    "{labels:?}, off by {off:e}, {:?} {:?}\n{:?}\n{text}",
                    reach(0),
                    reach(1),
                    result.missing
                ),
            ));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Where the contact of a forced oscillator with compliant walls ceases: F = d |k - m w² + i c w|, whatever the walls
/// are made of.
#[test]
fn curves_where_the_contact_with_compliant_walls_ceases() {
    let class = "contacts that cease";
    let count = members(12);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (m, k, c) = (
            random.log_between(0.3, 3.0),
            random.log_between(0.3, 3.0),
            random.between(0.4, 1.0),
        );
        let c = c * (m * k).sqrt();
        let (d, wall, damping) = (
            random.log_between(0.1, 10.0),
            k * random.log_between(0.5, 5.0),
            random.between(0.0, 0.5),
        );
        let damping = if member % 3 == 0 { 0.0 } else { damping * c };
        let amplitude = |w: f64| d * (k - m * w * w).hypot(c * w);
        let w = (k / m).sqrt() * random.between(0.6, 1.5);
        let force = amplitude(w);
        let (side, symmetry) = match member % 2 {
            0 => ("Above", ""),
            _ => ("Both", "symmetry: {\"x\": \"-x\", \"theta\": \"theta + pi\"},"),
        };
        // From the side with the contact, or from that without it.
        let without = member % 4 > 1;
        let word = match (member % 2, without) {
            (0, false) => "Periodic(\"wall:open wall:close wall:closed wall:open\")",
            (0, true) => "Periodic(\"wall:open\")",
            (_, false) => "Symmetric(\"wall:open wall:close+ wall:closed+ wall:open\")",
            (_, true) => "Symmetric(\"wall:open\")",
        };
        let text = format!(
            "Study(title: \"walls\", system: Mechanical(coordinates: [\"x\"], parameters: {{\"F\": {force:?}, \"w\": {w:?}}}, \
             forcing: Forcing(period: \"2*pi/w\", phase: \"theta\"), masses: {{\"x\": {m:?}}}, \
             springs: [Spring(on: \"x\", stiffness: {k:?}, damping: {c:?})], forces: {{\"x\": \"F*cos(w*t)\"}}, \
             {symmetry} contacts: {{\"wall\": Gap(on: \"x\", distance: {d:?}, side: {side}, stiffness: {wall:?}, damping: {damping:?})}}), \
             curves: [Curve(name: \"c\", orbit: {word}, start: Settle(at: {{\"F\": {:?}}}), free: \"F\", range: ({:?}, {:?}))], \
             loci: [Locus(name: \"v\", from: \"c: {}\", free: (\"F\", \"w\"), range: (({:?}, {:?}), ({:?}, {:?})))])",
            if without { 0.7 } else { 1.3 } * force,
            0.5 * force,
            1.5 * force,
            if without { "GR" } else { "VS" },
            0.01 * force,
            8.0 * force,
            0.2 * w,
            3.0 * w,
        );
        let result = run(&text);
        let found = pieces(&result, "v");
        let points: Vec<&BranchPoint> = found.iter().flatten().copied().collect();
        let off = points.iter().fold(0.0f64, |most, p| {
            let [force, w] = [p.record.parameters[0], p.record.parameters[1]];
            most.max((force / amplitude(w) - 1.0).abs())
        });
        let (low, high) = points
            .iter()
            .map(|p| p.record.parameters[1])
            .fold((f64::INFINITY, 0.0f64), |(low, high), w| (low.min(w), high.max(w)));
        // To the end of the range of w or of F, on both sides.
        let ends = [low, high].map(|at| {
            let reached = (at / (0.2 * w) - 1.0).abs() < 1e-9 || (at / (3.0 * w) - 1.0).abs() < 1e-9;
            reached || (amplitude(at) / (8.0 * force) - 1.0).abs() < 1e-6
        });
        if points.is_empty() || off > 1e-8 || ends != [true; 2] || !special(&points).is_empty() {
            let said = format!(
                "off by {off:.1e}, w from {low} to {high}, {:?}, {:?}",
                special(&points),
                result.missing
            );
            wrong.push((member, format!("{said}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Hopf points of the Brusselator on a line of cells, in closed form: B = 1 + A² + (Du + Dv) λ of the first wave. Their
/// curve has as many points for many cells as for few.
#[test]
fn hopf_curves_of_many_states_have_no_more_points() {
    let class = "Hopf curves of a line";
    let count = members(1);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (a, v) = (random.between(1.5, 2.5), random.between(0.002, 0.006));
        let u = v * random.between(1.5, 2.5);
        let wave = |cells: usize| {
            let parts = (cells + 1) as f64;
            4.0 * parts * parts * (std::f64::consts::FRAC_PI_2 / parts).sin().powi(2)
        };
        let mut counts = vec![];
        for cells in [8, 14] {
            // The first of them at L = 0.4.
            let b = |l: f64| 1.0 + a * a + (u + v) * wave(cells) / (l * l);
            let state = |name: &str, i: usize, rest: &str| match i {
                0 => rest.to_owned(),
                i if i == cells + 1 => rest.to_owned(),
                i => format!("{name}{i}"),
            };
            let spread = |name: &str, i: usize, rest: &str| {
                let [left, here, right] = [i - 1, i, i + 1].map(|i| state(name, i, rest));
                format!(
                    "({:?})/L^2*({left} - 2*{here} + {right})",
                    ((cells + 1) * (cells + 1)) as f64
                )
            };
            let (mut states, mut equations, mut start) = (vec![], vec![], vec![]);
            for i in 1..=cells {
                states.extend([format!("\"x{i}\""), format!("\"y{i}\"")]);
                let (x, y) = (
                    spread("x", i, &format!("({a:?})")),
                    spread("y", i, &format!("B/({a:?})")),
                );
                equations.push(format!("\"x{i}' = {a:?} - (B + 1)*x{i} + x{i}^2*y{i} + ({u:?})*{x}\""));
                equations.push(format!("\"y{i}' = B*x{i} - x{i}^2*y{i} + ({v:?})*{y}\""));
                start.push(format!("\"x{i}\": {a:?}, \"y{i}\": {:?}", b(0.4) / a));
            }
            let text = format!(
                "Study(title: \"line\", system: Smooth(states: [{}], parameters: {{\"L\": 0.3, \"B\": {:?}}}, equations: [{}]), \
                 curves: [Curve(name: \"c\", orbit: Equilibrium, start: Guess(at: {{\"L\": 0.3}}, states: [{{{}}}]), free: \"L\", range: (0.3, 0.5))], \
                 loci: [Locus(name: \"l\", from: \"c: HB\", free: (\"L\", \"B\"), range: ((0.2, 0.8), ({:?}, {:?})))])",
                states.join(", "),
                b(0.4),
                equations.join(", "),
                start.join(", "),
                b(0.7),
                b(0.3)
            );
            let result = run(&text);
            let found = pieces(&result, "l");
            let [points] = &found[..] else {
                wrong.push((member, format!("{} curves {:?}\n{text}", found.len(), result.missing)));
                continue;
            };
            let off = |p: &&BranchPoint| {
                let [l, at] = [0, 1].map(|i| p.record.parameters[i]);
                (at / b(l) - 1.0).abs()
            };
            let worst = points.iter().map(off).fold(0.0, f64::max);
            if worst > 1e-9 {
                wrong.push((member, format!("off by {worst:e}\n{text}")));
            }
            counts.push(points.len());
        }
        if counts.len() == 2 && counts[1] as f64 > 1.1 * counts[0] as f64 {
            wrong.push((member, format!("points: {counts:?}")));
        }
    }
    none_wrong(class, count, &wrong);
}
