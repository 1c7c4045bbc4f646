//! Two-parameter curves: agreement with one-parameter labels, the theory's table, points of codimension two.

use super::support::{STICTION, assert_close, curve, only, run, value};
use slipstick::bifurcation::{Branch, BranchPoint, Column, Label, Level, TraceOptions, trace_through};
use slipstick::flow::FlowOptions;
use slipstick::orbit::{Hold, Kept, Locus, Scalar, Word};
use slipstick::system::catalogue;

const OMEGA: usize = 0;
const MU_S: usize = 1;

/// The two-parameter curve through `at` in (Ω, μ_s), with points at the wanted values of μ_s.
fn locus(word: &str, symmetric: bool, kept: Kept, at: &BranchPoint, mu_s: (f64, f64), levels: &[f64]) -> Branch {
    let system = catalogue::stiction();
    let word = Word::parse(word, symmetric, &system).unwrap();
    let lift = kept.lift(&system, &word);
    let (mut locus, start) =
        Locus::through(&system, &lift, &word, kept, (OMEGA, MU_S), at, FlowOptions::default(), &[]).unwrap();
    let level = |value| Level {
        column: Column::Parameter(MU_S),
        name: "mu_s".into(),
        value,
    };
    let options = TraceOptions {
        levels: levels.iter().map(|&v| level(v)).collect(),
        within: vec![(level(mu_s.0), level(mu_s.1))],
        ..TraceOptions::over((0.1, 3.0))
    };
    let branch = trace_through(&mut locus, &start, &options, &mut |_| true).unwrap();
    for p in branch.points.iter().filter(|p| p.label.is_some()) {
        println!("{:?} {:?} {}", p.label, p.record.parameters, p.message);
    }
    println!("{} points, ends {:?}", branch.points.len(), branch.ends);
    branch
}

#[test]
fn folds() {
    let result = run(STICTION, &[]);
    let at = only(curve(&result, "compliant"), Label::LP);
    locus("slip- stick", true, Kept::Multiplier(Label::LP), at, (1.0, 1.4), &[1.05]);
    let at = only(curve(&result, "stiff"), Label::SB);
    locus("slip- stick", true, Kept::Multiplier(Label::SB), at, (1.0, 1.4), &[1.05]);
    for (name, label) in [("compliant", Label::VS), ("compliant", Label::VT), ("stiff", Label::VS)] {
        let at = only(curve(&result, name), label);
        let i = at.record.inequalities.iter().position(|v| v.abs() < 1e-9).unwrap();
        println!("{name} {label} {:?}", at.record.inequalities);
        let hold = Hold { scalar: Scalar::Inequality(i), level: 0.0 };
        locus("slip- stick", true, Kept::Scalar(label, hold), at, (1.0, 1.4), &[1.05]);
    }
    let _ = (assert_close as fn(&str, f64, f64, f64), value as fn(_, _, _) -> _);
    panic!()
}
