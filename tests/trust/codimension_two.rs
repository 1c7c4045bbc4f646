//! Points of codimension two, whatever the units of each state and wherever the curve is begun: Bogdanov–Takens points,
//! those of systems with a reflection, zero-Hopf points of food chains; and multipliers +1 and −1 together.

use super::known::{none_wrong, pieces, run};
use super::random::{Coordinates, Random, members};
use slipstick_bifurcation::{BranchPoint, Label};

fn special<'p>(points: &[&'p BranchPoint]) -> Vec<(Label, &'p BranchPoint)> {
    let labels = points.iter().filter_map(|p| Some((p.label?, *p)));
    labels.filter(|(label, _)| *label != Label::EP).collect()
}

fn said(found: &[Vec<&BranchPoint>]) -> String {
    let label = |(label, p): (Label, &BranchPoint)| format!("{label} at {:?}", p.record.parameters);
    let of_piece = |points: &Vec<&BranchPoint>| special(points).into_iter().map(label).collect::<Vec<_>>();
    format!("{:?}", found.iter().map(of_piece).collect::<Vec<_>>())
}

/// States x of which each has a unit of its own, with u = M x a triangular mixture of them: definitions of u and
/// equations of x, from u' = f(u).
struct Units {
    units: Vec<f64>,
    /// u2 = x2 + m x1 and so on, in these units.
    mixed: f64,
}

impl Units {
    fn random(random: &mut Random, n: usize) -> Self {
        Self {
            units: (0..n).map(|_| random.log_between(1e-4, 1e4)).collect(),
            mixed: random.between(-1.0, 1.0),
        }
    }

    /// The states at u.
    fn states(&self, u: &[f64]) -> String {
        let x = u.iter().zip(&self.units).enumerate();
        let x = x.map(|(i, (v, unit))| {
            let before = if i > 0 { u[i - 1] } else { 0.0 };
            format!("\"x{}\": {:?}", i + 1, (v + self.mixed * before) * unit)
        });
        x.collect::<Vec<_>>().join(", ")
    }

    fn system(&self, fields: &[String], parameters: &str, define: &str) -> String {
        let n = fields.len();
        let list = |item: &dyn Fn(usize) -> String| (0..n).map(item).collect::<Vec<_>>().join(", ");
        let value = |i: usize| format!("x{}/({:?})", i + 1, self.units[i]);
        let own = |i: usize| match i {
            0 => format!("\"u1\": \"{}\"", value(0)),
            _ => format!("\"u{}\": \"{} - ({:?})*u{i}\"", i + 1, value(i), self.mixed),
        };
        let rate = |i: usize| match i {
            0 => format!("\"x1' = ({:?})*f1\"", self.units[0]),
            _ => format!(
                "\"x{}' = ({:?})*(f{} + ({:?})*f{i})\"",
                i + 1,
                self.units[i],
                i + 1,
                self.mixed
            ),
        };
        format!(
            "Smooth(states: [{}], parameters: {{{parameters}}}, define: {{{define}{}, {}}}, equations: [{}])",
            list(&|i| format!("\"x{}\"", i + 1)),
            list(&own),
            list(&|i| format!("\"f{}\": \"{}\"", i + 1, fields[i])),
            list(&rate),
        )
    }
}

/// u1' = u2, u2' = b1 + b2 u2 + u1² ± u1 u2, with a decaying third state that may act back, each state in units of its
/// own, from a Hopf point at any distance.
#[test]
fn bogdanov_takens_points_end_hopf_curves_in_any_units_of_the_states() {
    let class = "Bogdanov-Takens in units";
    let count = members(24);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let sign = random.sign();
        let a = random.log_between(0.003, 0.6);
        let (decay, back) = (random.log_between(0.05, 5.0), random.between(-0.5, 0.5));
        let mut fields = vec!["u2".to_owned(), format!("b1 + b2*u2 + u1^2 + ({sign:?})*u1*u2")];
        let mut u = vec![-a, 0.0];
        if member % 2 == 0 {
            fields[1] += &format!(" + ({back:?})*u3*u2");
            fields.push(format!("-({decay:?})*u3 + u1*u2"));
            u.push(0.0);
        }
        let units = Units::random(&mut random, u.len());
        let parameters = format!("\"b1\": {:?}, \"b2\": {:?}", -a * a, sign * a * 0.9);
        let text = format!(
            "Study(title: \"bt\", system: {}, \
             curves: [Curve(name: \"c\", orbit: Equilibrium, start: Guess(at: {{\"b2\": {:?}}}, states: [{{{}}}]), free: \"b2\", range: (-2, 2))], \
             loci: [Locus(name: \"l\", from: \"c: HB\", free: (\"b1\", \"b2\"), range: ((-1, 1), (-2, 2)))])",
            units.system(&fields, &parameters, ""),
            sign * a * 0.9,
            units.states(&u),
        );
        let result = run(&text);
        let found = pieces(&result, "l");
        let is_right = |points: &Vec<&BranchPoint>| {
            let at_origin = |p: &BranchPoint| p.record.parameters[..2].iter().all(|v| v.abs() <= 1e-7);
            matches!(special(points)[..], [(Label::BT, p)] if at_origin(p) && p.message.contains("goes to zero"))
        };
        if found.len() != 1 || !found.iter().all(is_right) {
            wrong.push((member, format!("{} {:?}\n{text}", said(&found), result.missing)));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Curves of pitchforks on which a second eigenvalue vanishes: that of the state in which the symmetry breaks (a
/// Bogdanov–Takens point with a reflection), or that of a symmetric state (a fold).
#[test]
fn double_zeros_of_branch_points_are_told_from_folds() {
    let class = "double zeros of branch points";
    let count = members(16);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let [a, b, c] = [0; 3].map(|_| random.between(0.3, 1.5));
        let turn = random.between(-0.5, 0.5);
        let fold = member % 2 == 0;
        let (fields, start, expected) = if fold {
            // q = -c u2 and s = -u2² along the pitchforks, through the fold at u2 = 0.
            let v = random.between(0.2, 0.5);
            (
                vec![format!("(q + ({c:?})*u2)*u1 - ({a:?})*u1^3"), "s + u2^2".to_owned()],
                ([-v * c, -v * v], vec![0.0, v]),
                Label::codimension_two(Label::BP, Label::LP),
            )
        } else {
            let s = random.sign() * random.between(0.2, 0.5);
            (
                vec![
                    "u2".to_owned(),
                    format!("q*u1 + s*u2 - ({a:?})*u1^3 - ({b:?})*u1^2*u2 + u3*u1"),
                    format!("-({c:?})*u3 + u1^2"),
                ],
                ([0.0, s], vec![0.0, 0.0, 0.0]),
                Label::BT,
            )
        };
        let mut units = Units::random(&mut random, fields.len());
        units.mixed = 0.0;
        let ([q, s], u) = start;
        let p = q - 0.1 - turn * s;
        let parameters = format!("\"p\": {p:?}, \"s\": {s:?}");
        let text = format!(
            "Study(title: \"double zero\", system: {}, \
             curves: [Curve(name: \"c\", orbit: Equilibrium, start: Guess(at: {{\"p\": {p:?}}}, states: [{{{}}}]), free: \"p\", range: (-2, 2))], \
             loci: [Locus(name: \"l\", from: \"c: BP\", free: (\"p\", \"s\"), range: ((-2, 2), (-0.6, 0.6)))])",
            units.system(&fields, &parameters, &format!("\"q\": \"p + ({turn:?})*s\", ")),
            units.states(&u),
        );
        let result = run(&text);
        let found = pieces(&result, "l");
        let is_right = |points: &Vec<&BranchPoint>| {
            let at = |p: &BranchPoint| p.record.parameters[1].abs() <= 1e-8;
            let others = |label: Label| label == Label::codimension_two(Label::BP, Label::HB);
            let special: Vec<_> = special(points).into_iter().filter(|(l, _)| !others(*l)).collect();
            matches!(special[..], [(label, p)] if label == expected && at(p))
        };
        if found.len() != 1 || !found.iter().all(is_right) {
            wrong.push((member, format!("{} {:?}\n{text}", said(&found), result.missing)));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Chains of prey, predator and top predator: a curve of Hopf points of all three passes the place where the last one
/// vanishes, at which an eigenvalue touches zero and the first Lyapunov coefficient has a pole.
#[test]
fn hopf_curves_of_food_chains_pass_one_zero_hopf_point() {
    let class = "food chains";
    let count = members(12);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (d1, b2) = (random.between(0.12, 0.4), random.between(0.1, 0.8));
        let (zeta, epsilon) = (random.log_between(0.05, 1.0), random.log_between(0.05, 1.0));
        let units = [0; 3].map(|_| random.log_between(1e-3, 1e3));
        // Without the last one the others are at a Hopf point at this b1, and it can live on them at this d2.
        let place = (1.0 - d1) / (1.0 + d1);
        let x = 0.5 * (1.0 - place);
        let y = (1.0 - x) * (place + x);
        let limit = y / (b2 + y);
        let d2 = limit * (1.0 - random.log_between(0.003, 0.05));
        let y = b2 * d2 / (1.0 - d2);
        let b1 = place * random.between(0.85, 0.95);
        let x = 0.5 * ((1.0 - b1) + ((1.0 - b1).powi(2) - 4.0 * (y - b1)).max(0.0).sqrt());
        let z = (b2 + y) * (x / (b1 + x) - d1);
        let [ux, uy, uz] = units;
        let text = format!(
            "Study(title: \"chain\", system: Smooth(states: [\"x\", \"y\", \"z\"], parameters: {{\"b1\": {b1:?}, \"d2\": {d2:?}}}, \
             define: {{\"u\": \"x/({ux:?})\", \"v\": \"y/({uy:?})\", \"w\": \"z/({uz:?})\"}}, \
             equations: [\"x' = x*(1 - u - v/(b1 + u))/({zeta:?})\", \"y' = y*(u/(b1 + u) - ({d1:?}) - w/(({b2:?}) + v))\", \"z' = ({epsilon:?})*z*(v/(({b2:?}) + v) - d2)\"]), \
             curves: [Curve(name: \"c\", orbit: Equilibrium, start: Guess(at: {{\"b1\": {b1:?}}}, states: [{{\"x\": {:?}, \"y\": {:?}, \"z\": {:?}}}]), free: \"b1\", range: ({:?}, {:?}))], \
             loci: [Locus(name: \"l\", from: \"c: HB\", free: (\"b1\", \"d2\"), range: (({:?}, {:?}), ({:?}, {:?})))])",
            ux * x,
            uy * y,
            uz * z,
            0.7 * place,
            1.3 * place,
            0.8 * place,
            1.2 * place,
            0.8 * limit,
            (1.2 * limit).min(0.99),
        );
        let result = run(&text);
        let found = pieces(&result, "l");
        let apart = |p: &BranchPoint| {
            let [b1, d2] = [
                p.record.parameters[0] / place - 1.0,
                p.record.parameters[1] / limit - 1.0,
            ];
            b1.abs().max(d2.abs())
        };
        let is_right = |points: &Vec<&BranchPoint>| {
            let passes = points.windows(2).any(|pair| {
                let [a, b] = [pair[0], pair[1]].map(|p| p.point.z[2] / uz);
                a * b < 0.0 && apart(pair[0]).min(apart(pair[1])) < 0.05
            });
            let near: Vec<_> = special(points).into_iter().filter(|(_, p)| apart(p) < 2e-3).collect();
            match near[..] {
                [] => !passes,
                [(Label::ZH, p)] => apart(p) <= 1e-7,
                _ => false,
            }
        };
        if !found.iter().all(is_right) {
            wrong.push((member, format!("{} {:?}\n{text}", said(&found), result.missing)));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Young and old of which the young alone bear and the old alone survive, with random laws of crowding: both multipliers
/// of zero reach the unit circle at b s = 1, as +1 and −1. There begin the fixed points and the cycle of two years on
/// the axes, (x, 0) and (0, y); all along a curve in two parameters both are there, and nothing is labelled.
#[test]
fn multipliers_plus_and_minus_one_together_are_said_and_both_branches_traced() {
    let class = "cohorts of two years";
    let count = members(12);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let s = random.between(0.3, 0.8);
        let [c, k, d] = [0; 3].map(|_| random.between(0.2, 1.5));
        let [ux, uy] = [0; 2].map(|_| random.log_between(1e-3, 1e3));
        let place = 1.0 / s;
        let text = format!(
            "Study(title: \"cohorts\", system: Map(states: [\"x\", \"y\"], parameters: {{\"b\": {:?}, \"c\": {c:?}}}, \
             define: {{\"u\": \"x/({ux:?})\", \"v\": \"y/({uy:?})\"}}, \
             equations: [\"x+ = ({ux:?})*b*v*exp(-c*u - ({d:?})*v)\", \"y+ = ({uy:?})*({s:?})*u*exp(-({k:?})*v)\"]), \
             curves: [Curve(name: \"c\", orbit: FixedPoint, start: Guess(at: {{\"b\": {:?}}}, states: [{{\"x\": 0, \"y\": 0}}]), free: \"b\", range: ({:?}, {:?}), branches: [PD])], \
             loci: [Locus(name: \"l\", from: \"c: PD\", free: (\"b\", \"c\"), range: (({:?}, {:?}), (0.05, 2)))])",
            0.7 * place,
            0.7 * place,
            0.5 * place,
            1.5 * place,
            0.5 * place,
            1.5 * place,
        );
        let result = run(&text);
        let doubling = result.curves.iter().find(|curve| curve.name == "c").and_then(|curve| {
            let mut found = curve.points().filter(|(_, _, p)| p.label == Some(Label::PD));
            found.next().map(|(_, _, p)| p.message.clone())
        });
        let is_said = doubling.is_some_and(|said| said.contains("a multiplier is +1") && !said.contains("c = "));
        // On the branch beyond, one of the states is zero at both points, in turn.
        let turns = |p: &BranchPoint| {
            let z = &p.point.z;
            let zero = |v: f64, unit: f64| v.abs() <= 1e-9 * unit;
            z.len() == 5
                && (zero(z[0], ux) && zero(z[3], uy) && !zero(z[1], uy) && !zero(z[2], ux)
                    || zero(z[1], uy) && zero(z[2], ux) && !zero(z[0], ux) && !zero(z[3], uy))
        };
        let branches = result.curves.iter().filter(|curve| curve.name.starts_with("c-PD1"));
        let beyond = branches.filter(|curve| {
            let mut points = curve.points().filter(|(_, _, p)| p.point.parameter() > 1.1 * place);
            points.next().is_some_and(|(_, _, p)| turns(p))
        });
        let traced = beyond.count() == 1;
        let locus = pieces(&result, "l");
        // Where the equations of the curve are singular, as a multiplier is +1, that is said instead.
        let is_named = result.missing.iter().any(|missing| missing.curve == "l");
        let silent = (is_named || locus.len() == 1) && locus.iter().all(|points| special(points).is_empty());
        if !(is_said && traced && silent) {
            let names: Vec<&str> = result.curves.iter().map(|curve| curve.name.as_str()).collect();
            wrong.push((
                member,
                format!(
                    "said {is_said}, traced {traced} of {names:?}, {} {:?}\n{text}",
                    said(&locus),
                    result.missing
                ),
            ));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Two oscillators that weaken each other, in linear coordinates of any units: the tori that one begins along the cycles
/// of the other, at s = c q, do so with one coefficient along the whole curve, which begins at the double Hopf point.
#[test]
fn curves_of_tori_that_begin_at_a_double_hopf_point_have_no_other_label() {
    let class = "tori from double Hopf points";
    let count = members(3);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let units = Coordinates::random(&mut random, 4, [2.0, 0.0, 1.0]);
        let (b, c) = (random.between(0.3, 1.8), random.between(0.4, 1.2));
        if (b * c - 1.0).abs() < 0.05 {
            continue;
        }
        let (v, w) = (random.between(0.7, 1.3), random.between(1.5, 1.9));
        let radial = [format!("(q - R1 - ({b:?})*R2)"), format!("(s - ({c:?})*R1 - R2)")];
        let fields = [
            format!("{}*u1 - ({v:?})*u2", radial[0]),
            format!("{}*u2 + ({v:?})*u1", radial[0]),
            format!("{}*u3 - ({w:?})*u4", radial[1]),
            format!("{}*u4 + ({w:?})*u3", radial[1]),
        ];
        let system = units
            .smooth(&fields, -1.0)
            .replacen("\"p\": -1.0}", "\"p\": -1.0, \"s\": 0.5}", 1)
            .replacen(
                "\"f1\":",
                "\"R1\": \"u1^2 + u2^2\", \"R2\": \"u3^2 + u4^2\", \"f1\":",
                1,
            );
        let text = format!(
            "Study(title: \"double Hopf\", system: {system}, \
             curves: [Curve(name: \"e\", orbit: Equilibrium, start: Guess(at: {{\"p\": -1}}, states: [{}]), free: \"p\", range: (-1, 2)), \
             Curve(name: \"c\", orbit: PeriodicOrbit, start: Point(from: \"e: HB\"), free: \"p\", range: (-1, 2))], \
             loci: [Locus(name: \"l\", from: \"c: NS\", free: (\"p\", \"s\"), range: ((-1, 2), (-1, 1.5)))])",
            units.states_text(&[0.0; 4])
        );
        let result = run(&text);
        let found = pieces(&result, "l");
        let is_right = |points: &Vec<&BranchPoint>| {
            let at_origin = |p: &BranchPoint| p.record.parameters[..2].iter().all(|v| v.abs() <= 1e-5);
            matches!(special(points)[..], [(Label::HH, p)] if at_origin(p))
        };
        if found.len() != 1 || !found.iter().all(is_right) {
            wrong.push((member, format!("{} {:?}\n{text}", said(&found), result.missing)));
        }
    }
    none_wrong(class, count, &wrong);
}
