//! Random polynomial fields and maps of which nothing is known, written down twice: in other coordinates, with time in
//! another unit or reversed, and with the two free parameters in the other order. Both have the same points of
//! codimension two, and each is what its label says.

use super::known::{none_wrong, pieces, run};
use super::random::{Coordinates, Random, members};
use nalgebra::Complex;
use slipstick_bifurcation::{BranchPoint, Label};
use slipstick_study::RunResult;

pub(super) const BASE: [&str; 3] = ["x", "y", "z"];

/// The right-hand sides, polynomials of degree three in the base states and of degree one in p and q.
pub(super) fn polynomials(random: &mut Random, n: usize, is_map: bool) -> Vec<String> {
    let mut sides = vec![];
    for (i, own) in BASE[..n].iter().enumerate() {
        let mut terms = vec![];
        for a in 0..n {
            terms.push(format!("({:?})*{}", random.between(-1.2, 1.2), BASE[a]));
            for b in a..n {
                if random.unit() < 0.6 {
                    let c = random.between(-0.8, 0.8);
                    terms.push(format!("({c:?})*{}*{}", BASE[a], BASE[b]));
                }
                if random.unit() < 0.3 {
                    let c = random.between(-0.3, 0.3);
                    terms.push(format!("({c:?})*{}*{}*{}", BASE[a], BASE[b], BASE[random.below(n)]));
                }
            }
        }
        terms.push(["p", "q*x + 0.2*p", "0.1*q"][i].to_owned());
        if !is_map {
            terms.push(format!("(-0.3)*{own}^3"));
        }
        sides.push(terms.join(" + "));
    }
    sides
}

/// The study of one way to write them: states u with base states B u, time t of the base being `time` times its own.
/// Its monitors are called like what is tested along curves of tangencies.
fn study(sides: &[String], coordinates: Option<&Coordinates>, time: f64, is_map: bool, free: [&str; 2]) -> String {
    let labels: &[&str] = if is_map { &["LP", "PD", "NS"] } else { &["LP", "HB"] };
    study_of(labels, sides, coordinates, time, is_map, free)
}

/// The same with the curves in two parameters of points with these labels.
pub(super) fn study_of(
    labels: &[&str],
    sides: &[String],
    coordinates: Option<&Coordinates>,
    time: f64,
    is_map: bool,
    free: [&str; 2],
) -> String {
    let n = sides.len();
    let row = |m: &[Vec<f64>], i: usize, names: &dyn Fn(usize) -> String| {
        let terms: Vec<String> = (0..n).map(|j| format!("({:?})*{}", m[i][j], names(j))).collect();
        terms.join(" + ")
    };
    let states: Vec<String> = (0..n).map(|i| format!("u{i}")).collect();
    let sign = if is_map { "+" } else { "'" };
    let (mut define, mut equations) = (vec![], vec![]);
    for i in 0..n {
        let base = coordinates.map_or(states[i].clone(), |c| row(&c.inverse, i, &|j| states[j].clone()));
        define.push(format!("\"{}\": \"{base}\"", BASE[i]));
    }
    for (i, side) in sides.iter().enumerate() {
        define.push(format!("\"F{i}\": \"{side}\""));
    }
    for (i, state) in states.iter().enumerate() {
        let side = coordinates.map_or(format!("F{i}"), |c| row(&c.matrix, i, &|j| format!("F{j}")));
        equations.push(format!("\"{state}{sign} = ({time:?})*({side})\""));
    }
    let (kind, orbit) = if is_map {
        ("Map", "FixedPoint")
    } else {
        ("Smooth", "Equilibrium")
    };
    let within: Vec<String> = states.iter().map(|s| format!("\"{s}\": (-9, 9)")).collect();
    let loci: Vec<String> = labels
        .iter()
        .map(|label| {
            format!(
                "Locus(name: \"{label}\", from: \"rest: {label}\", free: (\"{}\", \"{}\"), range: ((-2, 2), (-2, 2)), points: {POINTS})",
                free[0], free[1]
            )
        })
        .collect();
    let quoted: Vec<String> = states.iter().map(|s| format!("\"{s}\"")).collect();
    format!(
        "Study(title: \"twice\", system: {kind}(states: [{}], parameters: {{\"p\": 0.1, \"q\": 0.3}}, define: {{{}}}, equations: [{}], monitors: {{\"speed\": Value(\"u0\"), \"visibility\": Value(\"u1\")}}), \
         curves: [Curve(name: \"rest\", orbit: {orbit}, start: All(at: {{\"p\": 0.1}}, within: {{{}}}), free: \"p\", range: (-2, 2), points: {POINTS})], loci: [{}])",
        quoted.join(", "),
        define.join(", "),
        equations.join(", "),
        within.join(", "),
        loci.join(", ")
    )
}

/// A labelled point of codimension two: the curve, the label, both parameters.
pub(super) type Found = (&'static str, Label, [f64; 2]);

pub(super) fn found(result: &RunResult, kinds: &[&'static str]) -> Vec<Found> {
    let mut all = vec![];
    for &kind in kinds {
        for point in pieces(result, kind).into_iter().flatten() {
            if let Some(label) = point.label.filter(|l| !matches!(l, Label::EP | Label::MX)) {
                all.push((kind, label, [point.record.parameters[0], point.record.parameters[1]]));
            }
        }
    }
    all
}

/// The most points of a curve in one direction.
const POINTS: usize = 6000;

/// Has a curve ended with MX, or at the number of points allowed?
pub(super) fn is_cut(result: &RunResult) -> bool {
    let long = result.curves.iter().any(|c| c.points().count() >= POINTS);
    let points = || result.curves.iter().flat_map(|c| c.points());
    long || points().any(|(_, _, p)| p.label == Some(Label::MX))
}

/// The points of `one` that `other` lacks.
pub(super) fn lacking(one: &[Found], other: &[Found]) -> Vec<String> {
    let near = |a: &Found, b: &Found| {
        a.0 == b.0 && a.1 == b.1 && (0..2).all(|i| (a.2[i] - b.2[i]).abs() < 1e-6 * (1.0 + a.2[i].abs()))
    };
    let lacking = one.iter().filter(|a| !other.iter().any(|b| near(a, b)));
    lacking
        .map(|(kind, label, at)| format!("{kind}: {label} at {at:?}"))
        .collect()
}

/// Are the eigenvalues of a point on a curve of folds or Hopf points what its label says?
fn is_what_it_says(label: Label, point: &BranchPoint) -> bool {
    let values = &point.record.eigenvalues;
    let zero = |v: &Complex<f64>| v.norm() < 1e-5;
    let on_axis = |v: &Complex<f64>| v.im != 0.0 && v.re.abs() < 1e-6 && v.norm() > 1e-4;
    let count = |of: &dyn Fn(&Complex<f64>) -> bool| values.iter().filter(|v| of(v)).count();
    match label {
        Label::BT => count(&zero) == 2,
        Label::ZH => count(&zero) == 1 && count(&on_axis) == 2,
        Label::CP => count(&zero) >= 1,
        Label::GH => count(&on_axis) == 2 && count(&zero) == 0,
        _ => true,
    }
}

fn told_alike(class: &str, count: usize, is_map: bool) {
    let kinds: &[&'static str] = if is_map { &["LP", "PD", "NS"] } else { &["LP", "HB"] };
    let mut wrong = vec![];
    let mut compared = 0;
    for member in 0..count {
        let mut random = Random::of(class, member);
        let n = 2 + random.below(2);
        let sides = polynomials(&mut random, n, is_map);
        let coordinates = Coordinates::random(&mut random, n, [0.0, 0.0, 0.0]);
        let time = if is_map {
            1.0
        } else {
            random.sign() * random.log_between(0.1, 10.0)
        };
        let texts = [
            study(&sides, None, 1.0, is_map, ["p", "q"]),
            study(&sides, Some(&coordinates), time, is_map, ["q", "p"]),
        ];
        let results = texts.each_ref().map(|text| run(text));
        for (result, text) in results.iter().zip(&texts) {
            let points = kinds.iter().flat_map(|kind| pieces(result, kind)).flatten();
            let false_ones = points.filter(|p| p.label.is_some_and(|label| !is_map && !is_what_it_says(label, p)));
            let said: Vec<String> = false_ones
                .map(|p| format!("{:?} at {:?}: {:?}", p.label, p.record.parameters, p.record.eigenvalues))
                .collect();
            if !said.is_empty() {
                wrong.push((member, format!("{said:?}\n{text}")));
            }
        }
        // What is cut off, or begins from other points, has other labels.
        let [one, other] = results.each_ref().map(|r| found(r, kinds));
        let counts = results.each_ref().map(|r| {
            r.curves
                .iter()
                .filter(|c| c.name.starts_with("rest"))
                .flat_map(|c| c.points())
                .filter(|(_, _, p)| p.label.is_some())
                .count()
        });
        if results.iter().any(is_cut) || counts[0] != counts[1] {
            continue;
        }
        compared += 1;
        let (missing, more) = (lacking(&one, &other), lacking(&other, &one));
        if !missing.is_empty() || !more.is_empty() {
            wrong.push((
                member,
                format!(
                    "only the first: {missing:?}; only the second: {more:?}\n{}\n{}",
                    texts[0], texts[1]
                ),
            ));
        }
    }
    assert!(2 * compared > count, "{compared} of {count} compared");
    none_wrong(class, count, &wrong);
}

#[test]
fn points_of_codimension_two_of_fields_are_told_alike() {
    told_alike("fields written twice", members(24), false);
}

#[test]
fn points_of_codimension_two_of_maps_are_told_alike() {
    told_alike("maps written twice", members(24), true);
}
