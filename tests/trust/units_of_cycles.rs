//! Curves of folds of cycles in two parameters of systems that are written down with each state in a unit of its own,
//! of either sign: they do not depend on it.

use super::known::{none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::{BranchPoint, Label};
use slipstick_study::{CurveResult, RunResult};

/// The curve of folds, in all its pieces.
fn folds(result: &RunResult) -> Vec<&CurveResult> {
    let own = |curve: &&CurveResult| curve.name == "f" || curve.name.starts_with("f-");
    result.curves.iter().filter(own).collect()
}

fn points<'r>(found: &[&'r CurveResult]) -> Vec<&'r BranchPoint> {
    found.iter().flat_map(|c| c.points()).map(|(_, _, p)| p).collect()
}

/// Labels with the values of the two parameters, which stand at these places, in the order of the second one.
fn special(found: &[&CurveResult], places: [usize; 2]) -> Vec<(Label, [f64; 2])> {
    let labelled = points(found).into_iter().filter_map(|p| Some((p.label?, p)));
    let mut all: Vec<_> = labelled
        .map(|(label, p)| (label, places.map(|i| p.record.parameters[i])))
        .collect();
    all.sort_by(|a, b| b.1[1].total_cmp(&a.1[1]));
    all
}

/// Are these the labels, at these parameters to this relative accuracy?
fn are(found: &[(Label, [f64; 2])], known: &[(Label, [f64; 2])], accuracy: f64) -> bool {
    found.len() == known.len()
        && found.iter().zip(known).all(|((a, x), (b, y))| {
            a == b
                && x.iter()
                    .zip(y)
                    .all(|(x, y)| (x - y).abs() <= accuracy * (1.0 + y.abs()))
        })
}

/// A factor of either sign.
fn unit(random: &mut Random) -> f64 {
    random.sign() * random.log_between(1e-2, 1e2)
}

/// r' = r (m + b r² - r⁴), θ' = w + v r² has folds of cycles along m = -b²/4, b > 0, from the generalised Hopf point
/// where both are zero. A fast state follows them, the coordinates are bent, and each state is in its own unit.
#[test]
fn fold_curves_of_cycles_in_closed_form_do_not_depend_on_the_units_of_states() {
    let class = "units of states of cycles";
    let count = members(8);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (w, v) = (random.between(0.6, 1.6), random.between(-0.2, 0.2));
        let (fast, bent) = (random.log_between(5.0, 200.0), random.between(-0.25, 0.25));
        let drive = [random.between(-1.0, 1.0), random.between(-0.5, 0.5)];
        let units = [(); 3].map(|()| unit(&mut random));
        let [x, y, z] = units;
        let text = format!(
            "Study(title: \"folds\", system: Smooth(states: [\"X\", \"Y\", \"Z\"], parameters: {{\"m\": 0.1, \"b\": 1.5}}, \
             define: {{\"y\": \"Y/({y:?})\", \"x\": \"X/({x:?}) - {bent:?}*y^2\", \"q\": \"x^2 + y^2\", \"g\": \"m + b*q - q^2\", \
             \"t\": \"{w:?} + {v:?}*q\", \"dy\": \"g*y + t*x\"}}, \
             equations: [\"X' = ({x:?})*(g*x - t*y + 2*{bent:?}*y*dy)\", \"Y' = ({y:?})*dy\", \
             \"Z' = -{fast:?}*(Z - ({z:?})*(1 + {:?}*x + {:?}*x*y))\"]), \
             curves: [Curve(name: \"c\", orbit: PeriodicOrbit, start: Settle(at: {{\"m\": 0.1}}, from: {{\"X\": {:?}, \"Y\": 0, \"Z\": {z:?}}}), \
             free: \"m\", range: (-1, 0.3))], \
             loci: [Locus(name: \"f\", from: \"c: LP\", free: (\"m\", \"b\"), range: ((-3, 0.5), (-0.5, 2.5)))])",
            drive[0],
            drive[1],
            1.2 * x
        );
        let result = run(&text);
        let found = folds(&result);
        let off = points(&found).iter().fold(0.0f64, |most, p| {
            let (m, b) = (p.record.parameters[0], p.record.parameters[1]);
            let period = std::f64::consts::TAU / (w + 0.5 * v * b);
            most.max((m + b * b / 4.0).abs())
                .max((p.record.period - period).abs() / period)
        });
        let special = special(&found, [0, 1]);
        let known = [(Label::EP, [-1.5625, 2.5]), (Label::GH, [0.0, 0.0])];
        if found.len() != 1 || off > 1e-7 || !are(&special, &known, 1e-5) {
            wrong.push((
                member,
                format!("{special:?}, off {off:.1e}, {:?}\n{text}", result.missing),
            ));
        }
    }
    none_wrong(class, count, &wrong);
}

/// The peroxidase-oxidase reaction (L. F. Olsen's model), each concentration in a unit of its own: the labels of the
/// curve of folds of its oscillations are those known in plain units.
#[test]
fn the_fold_curve_of_the_peroxidase_oscillator_does_not_depend_on_units() {
    let class = "units of peroxidase";
    let count = members(2);
    let known = [
        (Label::EP, [0.427265, 6.0]),
        (Label::R1, [0.930422, 1.857676]),
        (Label::R1, [0.723957, 1.179554]),
        (Label::GH, [0.645896, 0.99948]),
    ];
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let [a, b, x, y] = [(); 4].map(|()| unit(&mut random));
        let text = format!(
            "Study(title: \"peroxidase\", system: Smooth(states: [\"A\", \"B\", \"X\", \"Y\"], parameters: {{\"k8\": 0.5, \"k7\": 4.235322}}, \
             define: {{\"a\": \"A/({a:?})\", \"b\": \"B/({b:?})\", \"x\": \"X/({x:?})\", \"y\": \"Y/({y:?})\", \
             \"r\": \"0.1631021*a*b*x\", \"s\": \"0.046875*a*b*y\"}}, \
             equations: [\"A' = ({a:?})*(k7 - 0.1175*a - r - s)\", \"B' = ({b:?})*(k8 - r - s)\", \
             \"X' = ({x:?})*(r - 2500*x^2 + 2*s - 20*x + 0.001)\", \"Y' = ({y:?})*(2500*x^2 - s - 1.104*y)\"]), \
             curves: [Curve(name: \"e\", orbit: Equilibrium, start: Guess(at: {{}}, states: [{{\"A\": {:?}, \"B\": {:?}, \"X\": {:?}, \"Y\": {:?}}}]), \
             free: \"k8\", range: (0.2, 1.2)), \
             Curve(name: \"c\", orbit: PeriodicOrbit, start: Point(from: \"e, HB\"), free: \"k8\", range: (0.2, 1.2))], \
             loci: [Locus(name: \"f\", from: \"c: LP\", free: (\"k8\", \"k7\"), range: ((0.2, 1.2), (0.5, 6)))])",
            31.78997 * a,
            1.45468 * b,
            0.01524586 * x,
            0.1776113 * y
        );
        let result = run(&text);
        let special = special(&folds(&result), [0, 1]);
        if !are(&special, &known, 1e-5) {
            wrong.push((member, format!("{special:?}, {:?}\n{text}", result.missing)));
        }
    }
    none_wrong(class, count, &wrong);
}
