//! Curves in two parameters of orbits with a symmetry, or beside them: points of codimension two have the label that their
//! own multipliers say, and the same place on both curves that they lie on.

use super::known::{none_wrong, pieces, run};
use super::random::{Random, members};
use slipstick_bifurcation::{BranchPoint, Label};
use std::f64::consts::PI;

/// The labelled points of all pieces of a curve.
fn labelled(result: &slipstick::study::RunResult, name: &str, label: Label) -> Vec<BranchPoint> {
    let all = pieces(result, name).concat();
    all.into_iter().filter(|p| p.label == Some(label)).cloned().collect()
}

#[test]
fn ends_of_curves_of_tori_are_the_resonances_of_their_multipliers() {
    let class = "resonances of symmetric orbits";
    let count = members(2);
    let mut wrong = vec![];
    let mut passed = 0;
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (mu, k) = (random.between(0.3, 0.5), random.between(0.0, 0.05));
        // The orbits are odd: their pair passes -1 as it is, and ends where it is +1 again.
        let text = format!(
            "Study(title: \"tori\", system: Smooth(states: [\"x\", \"y\"], parameters: {{\"a\": 0.5, \"om\": 1.05}}, \
             forcing: Forcing(period: \"2*pi/om\", phase: \"theta\"), \
             equations: [\"x' = y\", \"y' = {mu:?}*(1 - x^2)*y - x - {k:?}*x^3 + a*cos(om*t)\"]), \
             curves: [Curve(name: \"c\", orbit: PeriodicOrbit, start: All(at: {{\"om\": 1.05}}), free: \"om\", range: (0.3, 2.5))], \
             loci: [Locus(name: \"ns\", from: \"c: NS\", free: (\"om\", \"a\"), range: ((0.3, 2.5), (0.02, 3)))])"
        );
        let result = run(&text);
        let mut told = vec![];
        for (label, angle) in [(Label::R1, 0.0), (Label::R2, PI)] {
            for point in labelled(&result, "ns", label) {
                let arg = point.record.multipliers.first().map_or(f64::NAN, |m| m.arg.abs());
                passed += usize::from(label == Label::R2);
                told.push((label, arg, (arg - angle).abs() < 1e-3));
            }
        }
        if told.is_empty() || told.iter().any(|(_, _, right)| !right) {
            wrong.push((member, format!("{told:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
    assert!(passed >= count / 2, "the class has lost its members: {passed}");
}

#[test]
fn folds_of_branches_of_broken_symmetry_end_at_degenerate_pitchforks() {
    let class = "degenerate pitchforks of orbits";
    let count = members(4);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (g, a) = (random.between(1.4, 2.0), random.between(0.1, 0.2));
        let unit = random.log_between(1e-2, 1e2);
        let text = format!(
            "Study(title: \"pitchfork\", system: Smooth(states: [\"x\"], parameters: {{\"l\": -1, \"b\": 1.5}}, \
             forcing: Forcing(period: \"2*pi\", phase: \"theta\"), symmetry: {{\"x\": \"-x\", \"theta\": \"theta + pi\"}}, \
             define: {{\"u\": \"x/{unit:?}\"}}, equations: [\"x' = {unit:?}*(l*u + b*u^3 - {g:?}*u^5 + {a:?}*cos(t))\"]), \
             curves: [Curve(name: \"s\", orbit: Symmetric(\"smooth\"), start: Guess(at: {{\"l\": -1}}, states: [{{\"x\": 0}}], \
             durations: [{:?}]), free: \"l\", range: (-2, 1), branches: [SB])], \
             loci: [Locus(name: \"sb\", from: \"s: SB\", free: (\"l\", \"b\"), range: ((-3, 1), (-1, 3))), \
             Locus(name: \"lp\", from: \"s-SB: LP\", free: (\"l\", \"b\"), range: ((-3, 1), (-1, 3)))])",
            2.0 * PI
        );
        let result = run(&text);
        let place = |p: &BranchPoint| (p.record.parameters[0], p.record.parameters[1]);
        let known: Vec<_> = labelled(&result, "sb", Label::DP).iter().map(place).collect();
        let found: Vec<_> = labelled(&result, "lp", Label::DP).iter().map(place).collect();
        let cusps = labelled(&result, "lp", Label::CP).len();
        let near = |x: &(f64, f64)| {
            known
                .iter()
                .any(|y| (x.0 - y.0).abs() < 1e-7 && (x.1 - y.1).abs() < 1e-6)
        };
        if known.is_empty() || found.is_empty() || !found.iter().all(near) || cusps > 0 {
            wrong.push((member, format!("{known:?} {found:?} {cusps} cusps\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}
