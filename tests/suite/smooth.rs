//! Smooth systems and maps written in a study: what they settle to, where they bifurcate, and how starts are handed on.

use crate::support::{assert_close, curve, labelled, only, run, value};
use slipstick_bifurcation::{BranchPoint, Label};
use slipstick_study::{self as study, Claim, CurveResult, RunResult, Settings, Silent};
use std::path::Path;

fn first(c: &CurveResult, label: Label) -> &BranchPoint {
    labelled(c, label)
        .first()
        .copied()
        .unwrap_or_else(|| panic!("no {label} on `{}`: {}", c.name, c.ended()))
}

/// A study made of a system and curves.
fn with(system: &str, curves: &str) -> String {
    format!("Study(title: \"t\", system: {system}, curves: [{curves}])")
}

/// Why the only curve of a study gave nothing.
fn failure(text: &str) -> String {
    let result = run(text, &[]);
    assert!(result.curves.is_empty(), "{}", result.curves[0].ended());
    result.missing[0].reason.clone()
}

const LOGISTIC: &str = r#"Map(states: ["x"], parameters: {"r": 2.5}, equations: ["x+ = r*x*(1 - x)"])"#;

/// The logistic map: fixed point loses stability at r = 3, its two-cycle at 1 + √6; a window of period three opens at 1
/// + √8.
#[test]
fn the_logistic_map_doubles_its_period() {
    let result = run(
        &with(
            LOGISTIC,
            r#"Curve(name: "fixed", orbit: FixedPoint, start: All(at: {"r": 2.5}), free: "r", range: (0.5, 4), branches: [PD, BP],
                generations: 2),
            Curve(name: "three", orbit: Cycle(3), start: Settle(at: {"r": 3.83}, from: {"x": 0.5}), free: "r", range: (3.5, 4))"#,
        ),
        &[],
    );
    let trivial = result
        .curves
        .iter()
        .find(|c| labelled(c, Label::BP).len() == 1 && c.name.starts_with("fixed"))
        .unwrap();
    let bp = only(trivial, Label::BP);
    assert_close("r", bp.point.parameter(), 1.0, 1e-12);
    let grown = result
        .curves
        .iter()
        .find(|c| {
            c.name.starts_with("fixed")
                && labelled(c, Label::PD)
                    .iter()
                    .any(|p| (p.point.parameter() - 3.0).abs() < 1e-3)
        })
        .unwrap();
    let pd = labelled(grown, Label::PD)[0];
    assert_close("r", value(grown, pd, "r"), 3.0, 1e-12);
    assert_close("x", value(grown, pd, "x"), 2.0 / 3.0, 1e-12);
    assert!(
        pd.message.contains("supercritical") && pd.message.contains("c = 9.0"),
        "{}",
        pd.message
    );
    let doubled = curve(&result, &format!("{}-PD1a", grown.name));
    let next = labelled(doubled, Label::PD)
        .into_iter()
        .map(|p| p.point.parameter())
        .fold(f64::INFINITY, f64::min);
    assert_close("second doubling", next, 1.0 + 6f64.sqrt(), 1e-11);
    assert!(doubled.points().all(|(_, _, p)| p.record.period == 2.0));
    let three = curve(&result, "three");
    let fold = only(three, Label::LP);
    assert_close("fold", fold.point.parameter(), 1.0 + 8f64.sqrt(), 1e-11);
    // Each multiplier agrees with the product of the derivatives along the cycle.
    for (_, _, p) in three.points() {
        let r = p.point.parameter();
        let product: f64 = p.point.z[..3].iter().map(|x| r * (1.0 - 2.0 * x)).product();
        let m = p.record.multipliers[0];
        assert_close("multiplier", m.log10, product.abs().log10(), 1e-9);
    }
}

/// The delayed logistic map x ↦ a x (1 - y), y ↦ x: its fixed point loses stability at a = 2 with multipliers
/// e^{±iπ/3}.
#[test]
fn the_delayed_logistic_map_has_a_neimark_sacker_point() {
    let system = r#"Map(states: ["x", "y"], parameters: {"a": 1.5}, equations: ["x+ = a*x*(1 - y)", "y+ = x"])"#;
    let result = run(
        &with(
            system,
            r#"Curve(name: "fixed", orbit: FixedPoint, start: Guess(at: {"a": 1.5}, states: [{"x": 0.3, "y": 0.3}]), free: "a",
                range: (1.2, 2.5))"#,
        ),
        &[],
    );
    let ns = only(curve(&result, "fixed"), Label::NS);
    assert_close("a", ns.point.parameter(), 2.0, 1e-12);
    assert_close(
        "angle",
        ns.record.multipliers[0].arg,
        std::f64::consts::FRAC_PI_3,
        1e-10,
    );
    assert!(ns.message.contains("supercritical"), "{}", ns.message);
}

/// Two-cycles of the Hénon map branch off at a = 3(1 - b)²/4 and double at a = (1 - b)² + (1 + b)²/4; both have closed
/// forms.
#[test]
fn the_henon_map() {
    let b: f64 = 0.3;
    let system =
        r#"Map(states: ["x", "y"], parameters: {"a": 0.2, "b": 0.3}, equations: ["x+ = 1 - a*x^2 + y", "y+ = b*x"])"#;
    let result = run(
        &with(
            system,
            r#"Curve(name: "fixed", orbit: FixedPoint, start: Settle(at: {"a": 0.2}), free: "a", range: (-0.5, 1.4), branches: [PD])"#,
        ),
        &[],
    );
    let fixed = curve(&result, "fixed");
    assert_close(
        "LP",
        only(fixed, Label::LP).point.parameter(),
        -0.25 * (1.0 - b).powi(2),
        1e-12,
    );
    assert_close(
        "PD",
        first(fixed, Label::PD).point.parameter(),
        0.75 * (1.0 - b).powi(2),
        1e-12,
    );
    let two = curve(&result, "fixed-PD1a");
    let wanted = (1.0 - b).powi(2) + 0.25 * (1.0 + b).powi(2);
    assert_close("PD of two", first(two, Label::PD).point.parameter(), wanted, 1e-11);
}

const VAN_DER_POL: &str = r#"Smooth(states: ["x", "y"], parameters: {"mu": 0.5}, equations: ["x' = y", "y' = mu*(1 - x^2)*y - x"], start: {"x": 1})"#;

/// Collocation, single and multiple shooting give the same orbits, periods and multipliers.
#[test]
fn shooting_and_collocation_agree() {
    let curves: Vec<String> = [
        ("mesh", "Auto"),
        ("five", "Collocation(stages: 5, tolerance: 1e-9)"),
        ("single", "Shooting(shots: 1)"),
        ("multiple", "Shooting(shots: 6)"),
    ]
    .map(|(name, method)| {
        format!(
            r#"Curve(name: "{name}", orbit: PeriodicOrbit, method: {method}, start: Settle(at: {{"mu": 0.5}}), free: "mu", range: (0.5, 3),
                levels: {{"mu": [1, 2, 3]}}, directions: Up)"#
        )
    })
    .into();
    let result = run(&with(VAN_DER_POL, &curves.join(",")), &[]);
    // Periods of the van der Pol oscillator at μ = 1, 2, 3, to the digits of published tables.
    let periods = [6.66328685932, 7.62987448, 8.85909550];
    for name in ["mesh", "five", "single", "multiple"] {
        let c = curve(&result, name);
        for (k, (mu, period)) in [1.0, 2.0].iter().zip(periods).enumerate() {
            let at = labelled(c, Label::UZ)[k];
            assert_close(&format!("{name} mu"), value(c, at, "mu"), *mu, 1e-12);
            assert_close(&format!("{name} period"), at.record.period, period, 2e-9);
            let reference = labelled(curve(&result, "mesh"), Label::UZ)[k];
            // The flow over a whole period hides what has decayed below its own accuracy.
            let tolerance = if name == "single" { 1e-5 } else { 1e-8 };
            assert_close(
                name,
                at.record.multipliers[0].log10,
                reference.record.multipliers[0].log10,
                tolerance,
            );
            assert_close(
                "maximum",
                value(c, at, "x_max"),
                value(curve(&result, "mesh"), reference, "x_max"),
                1e-8,
            );
        }
    }
}

/// A linear oscillator driven in time: its response is known, and nothing bifurcates.
#[test]
fn a_forced_linear_oscillator() {
    let system = r#"Smooth(states: ["x", "v"], parameters: {"zeta": 0.1, "omega": 0.7}, forcing: Forcing(period: "2*pi/omega"),
        equations: ["x' = v", "v' = -x - 2*zeta*v + cos(omega*t)"])"#;
    let result = run(
        &with(
            system,
            r#"Curve(name: "response", orbit: PeriodicOrbit, start: Settle(at: {"omega": 0.7}), free: "omega", range: (0.5, 2))"#,
        ),
        &[],
    );
    let c = curve(&result, "response");
    assert!(
        c.ended().starts_with("reached the end of the range | reached"),
        "{}",
        c.ended()
    );
    for (_, _, p) in c.points() {
        let w = p.point.parameter();
        assert_close("period", p.record.period, std::f64::consts::TAU / w, 1e-10);
        let amplitude = ((1.0 - w * w).powi(2) + (0.2 * w).powi(2)).sqrt().recip();
        assert_close("amplitude", value(c, p, "x_max"), amplitude, 1e-8);
        let log10 = -0.1 * p.record.period * std::f64::consts::LOG10_E;
        assert_close("multiplier", p.record.multipliers[0].log10, log10, 1e-9);
        assert!(p.label.is_none_or(|l| l == Label::EP), "{:?}", p.label);
    }
}

/// The Hopf normal form: cycles of amplitude √μ and period 2π, from the Hopf point on.
#[test]
fn cycles_set_off_from_a_hopf_point() {
    let system = r#"Smooth(states: ["x", "y"], parameters: {"mu": -1}, define: {"s": "x^2 + y^2"},
        equations: ["x' = mu*x - y - x*s", "y' = x + mu*y - y*s"])"#;
    let result = run(
        &with(
            system,
            r#"Curve(name: "rest", orbit: Equilibrium, start: Guess(at: {"mu": -1}, states: [{"x": 0.1, "y": 0}]), free: "mu", range: (-1, 1)),
            Curve(name: "cycle", orbit: PeriodicOrbit, start: Point(from: "rest, HB"), free: "mu", range: (-1, 1))"#,
        ),
        &[],
    );
    let hopf = only(curve(&result, "rest"), Label::HB);
    assert!(hopf.point.parameter().abs() < 1e-13);
    // With |q| = 1 the radius r obeys r' = -r³ and l1 = -2.
    let l1: f64 = hopf
        .message
        .split("l1 = ")
        .nth(1)
        .unwrap()
        .split(',')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    assert_close("l1", l1, -2.0, 1e-6);
    let c = curve(&result, "cycle");
    let mut largest: f64 = 0.0;
    for (_, _, p) in c.points() {
        let mu = p.point.parameter();
        assert_close("amplitude", value(c, p, "x_max"), mu.sqrt(), 1e-9);
        assert_close("period", p.record.period, std::f64::consts::TAU, 1e-10);
        let log10 = -2.0 * mu * std::f64::consts::TAU * std::f64::consts::LOG10_E;
        assert_close("multiplier", p.record.multipliers[0].log10, log10, 1e-9);
        assert!(value(c, p, "liouville") < 1e-11);
        largest = largest.max(mu);
    }
    assert_eq!(largest, 1.0);
}

/// Systems of one state and of many are followed alike: a chain of n coupled bistable cells has folds where one cell
/// has, at ±2/√27.
#[test]
fn systems_of_one_to_fifty_states() {
    for n in [1, 3, 12, 50] {
        let names: Vec<String> = (0..n).map(|i| format!("x{i}")).collect();
        let states: Vec<String> = names.iter().map(|s| format!("\"{s}\"")).collect();
        let equations: Vec<String> = (0..n)
            .map(|i| {
                let x = &names[i];
                let (l, r) = (&names[i.saturating_sub(1)], &names[(i + 1).min(n - 1)]);
                format!("\"{x}' = mu + {x} - {x}^3 + 2*({l} - 2*{x} + {r})\"")
            })
            .collect();
        let guess: Vec<String> = names.iter().map(|s| format!("\"{s}\": -1.5")).collect();
        let system = format!(
            "Smooth(states: [{}], parameters: {{\"mu\": -1}}, equations: [{}])",
            states.join(","),
            equations.join(",")
        );
        let curves = format!(
            r#"Curve(name: "rest", orbit: Equilibrium, start: Guess(at: {{"mu": -1}}, states: [{{{}}}]), free: "mu", range: (-1, 1))"#,
            guess.join(",")
        );
        let result = run(&with(&system, &curves), &[]);
        let c = curve(&result, "rest");
        let folds = labelled(c, Label::LP);
        assert!(!folds.is_empty(), "n = {n}: {}", c.ended());
        assert_close("fold", folds[0].point.parameter().abs(), 2.0 / 27f64.sqrt(), 1e-11);
        assert_eq!(folds[0].record.eigenvalues.len(), n);
        // All cells alike, until a wave over the chain becomes neutral: 1 - 3x² = 8 sin²(kπ/2n).
        let mut waves: Vec<f64> = (1..n)
            .map(|k| 1.0 - 8.0 * (k as f64 * std::f64::consts::FRAC_PI_2 / n as f64).sin().powi(2))
            .filter(|rest| *rest > 0.0)
            .map(|rest| (rest / 3.0).sqrt())
            .flat_map(|x| [x.powi(3) - x, x - x.powi(3)])
            .collect();
        let mut found: Vec<f64> = labelled(c, Label::BP).iter().map(|p| p.point.parameter()).collect();
        waves.sort_by(f64::total_cmp);
        found.sort_by(f64::total_cmp);
        assert_eq!(found.len(), waves.len(), "n = {n}: {found:?} {waves:?}");
        for (a, b) in found.iter().zip(&waves) {
            assert_close("branch point", *a, *b, 1e-10);
        }
    }
}

/// All nine equilibria of two uncoupled bistable cells are found, and the curves through them are told apart.
#[test]
fn several_equilibria_are_found_by_deflation() {
    let system =
        r#"Smooth(states: ["x", "y"], parameters: {"mu": 0}, equations: ["x' = mu + x - x^3", "y' = y - y^3"])"#;
    let result = run(
        &with(
            system,
            r#"Curve(name: "rest", orbit: Equilibrium, start: All(at: {"mu": 0}, within: {"x": (-2, 2), "y": (-2, 2)}), free: "mu",
                range: (-1, 1))"#,
        ),
        &[],
    );
    // One S-shaped curve for each y of -1, 0 and 1.
    assert_eq!(result.curves.len(), 3);
    let mut levels: Vec<i64> = result
        .curves
        .iter()
        .map(|c| value(c, c.points().next().unwrap().2, "y").round() as i64)
        .collect();
    levels.sort_unstable();
    assert_eq!(levels, [-1, 0, 1]);
    for c in &result.curves {
        assert_eq!(labelled(c, Label::LP).len(), 2);
    }
}

/// Write the files of a study that is run in `folder`.
pub(crate) fn run_in(folder: &Path, text: &str) -> RunResult {
    let study = study::parse(&folder.join("study.ron"), text.to_owned()).unwrap();
    let plan = study.plan(&[]).unwrap_or_else(|e| panic!("{e}"));
    let result = study::run(&plan, &Silent, &false.into());
    let claim = Claim::take(&folder.join("out")).unwrap();
    study::write_run(&claim, &study, &plan, &Settings::default(), &result, 0.0).unwrap();
    result
}

/// A point of a finished run starts a curve in another parameter by another method; so do an orbit file and AUTO's
/// files.
#[test]
fn starts_from_a_finished_run_from_a_file_and_from_auto() {
    let folder = tempfile::tempdir().unwrap();
    let system = r#"Smooth(states: ["x", "y"], parameters: {"mu": 0.5, "k": 1}, equations: ["x' = y", "y' = (mu - x^2)*y - k*x"], start: {"x": 1})"#;
    let one = format!(
        "Study(title: \"t\", auto: true, system: {system}, curves: [{}])",
        r#"Curve(name: "rest", orbit: Equilibrium, start: Guess(at: {"mu": -1}, states: [{"x": 0.1, "y": 0}]), free: "mu", range: (-1, 1)),
        Curve(name: "cycle", orbit: PeriodicOrbit, start: Settle(at: {"mu": 0.5}), free: "mu", range: (0.5, 2), levels: {"mu": [1]},
            directions: Up)"#
    );
    let result = run_in(folder.path(), &one);
    let level = only(curve(&result, "cycle"), Label::UZ);
    let (index, _, _) = curve(&result, "cycle")
        .points()
        .find(|p| p.2.label == Some(Label::UZ))
        .unwrap();
    let auto = std::fs::read_to_string(folder.path().join("out/auto/s.cycle")).unwrap();
    let solutions = slipstick_report::read_solutions(&auto, "s.cycle").unwrap();
    let place = solutions.iter().position(|s| s.kind == -4).unwrap();
    assert_eq!(solutions[place].parameters[..2], [level.point.parameter(), 1.0]);
    assert_eq!(solutions[place].period(), level.record.period);
    let label = solutions[place].label;
    let curve_from = |name: &str, start: &str, method: &str| {
        format!(
            r#"Curve(name: "{name}", orbit: PeriodicOrbit, method: {method}, start: {start}, free: "k", range: (0.9, 4), levels: {{"k": [1]}})"#
        )
    };
    let two = format!(
        "Study(title: \"t\", system: {system}, curves: [{}, {}, {}, {}, {}])",
        curve_from("label", "Point(from: \"out, cycle, mu=1\")", "Auto"),
        curve_from(
            "index",
            &format!("Point(from: \"out, cycle, {index}\")"),
            "Shooting(shots: 3)"
        ),
        curve_from(
            "file",
            &format!("File(path: \"out/orbits/cycle-{index}.csv\", at: {{\"mu\": 1}})"),
            "Collocation(stages: 5)"
        ),
        curve_from(
            "auto",
            &format!("Auto(path: \"out/auto/s.cycle\", label: {label})"),
            "Auto"
        ),
        r#"Curve(name: "hopf", orbit: PeriodicOrbit, start: Point(from: "out, rest, HB 1"), free: "mu", range: (-1, 1), levels: {"mu": [1]})"#,
    );
    let study = study::parse(&folder.path().join("two.ron"), two).unwrap();
    let plan = study.plan(&[]).unwrap_or_else(|e| panic!("{e}"));
    let again = study::run(&plan, &Silent, &false.into());
    for name in ["label", "index", "file", "auto", "hopf"] {
        let c = curve(&again, name);
        let at = first(c, Label::UZ);
        assert_close(name, value(c, at, "mu"), 1.0, 1e-9);
        assert_close(name, at.record.period, level.record.period, 1e-8);
    }
    let missing = with(
        system,
        r#"Curve(name: "none", orbit: PeriodicOrbit, start: Point(from: "nowhere, cycle, HB"), free: "mu", range: (0, 1))"#,
    );
    let refused = study::parse("study.ron".as_ref(), missing).unwrap().plan(&[]);
    let refused = refused.err().unwrap().to_string();
    assert!(
        refused.contains("give the output folder of a finished run"),
        "{refused}"
    );
}

/// What is wrong with a start is said in words, with what to do.
#[test]
fn bad_starts_are_explained() {
    let system = r#"Smooth(states: ["x"], parameters: {"mu": 0}, equations: ["x' = mu + 1/x"])"#;
    let start = |x: f64| {
        with(
            system,
            &format!(
                r#"Curve(name: "rest", orbit: Equilibrium, start: Guess(at: {{"mu": 0}}, states: [{{"x": {x}}}]), free: "mu", range: (-1, 1))"#
            ),
        )
    };
    let zero = failure(&start(0.0));
    assert!(
        zero.contains("x' has no finite value at x = 0") && zero.contains("division by zero"),
        "{zero}"
    );
    let far = failure(&start(1.0));
    assert!(
        far.contains("does not converge") && far.contains("updates") && far.contains("look for one"),
        "{far}"
    );
}

const ROESSLER: [&str; 3] = ["x' = -y - z", "y' = x + 0.2*y", "z' = 0.2 + z*(x - c)"];

/// The Rössler system doubles the period of its cycle; as a smooth orbit on a mesh and as a fixed point of its Poincaré
/// map on the section y = 0 that happens at the same parameter, and the doubled cycle is a cycle of two points of that
/// map.
#[test]
fn period_doubling_of_a_flow_and_of_its_poincare_map() {
    let list: Vec<String> = ROESSLER.iter().map(|e| format!("\"{e}\"")).collect();
    let list = list.join(",");
    let text = format!(
        r#"Study(title: "t",
            systems: {{
                "flow": Smooth(states: ["x", "y", "z"], parameters: {{"c": 2.6}}, equations: [{list}], start: {{"x": 3}}),
                "map": Hybrid(states: ["x", "y", "z"], parameters: {{"c": 2.6}}, start: Start(mode: "below", at: {{"x": 3, "y": -1}}),
                    modes: {{
                        "below": Mode(equations: [{list}], events: {{"up": Event(guard: "y", direction: Up, to: "above")}}),
                        "above": Mode(equations: [{list}], events: {{"down": Event(guard: "y", direction: Down, to: "below")}}),
                    }}),
            }},
            curves: [
                Curve(name: "cycle", system: "flow", orbit: PeriodicOrbit, start: Settle(at: {{"c": 2.6}}), free: "c", range: (2.5, 4),
                    directions: Up, branches: [PD]),
                Curve(name: "return", system: "map", orbit: Periodic("below above"), start: Settle(at: {{"c": 2.6}}), free: "c",
                    range: (2.5, 4), directions: Up, branches: [PD]),
            ],
        )"#
    );
    let result = run(&text, &[]);
    let mut found = vec![];
    for name in ["cycle", "return"] {
        let c = curve(&result, name);
        let pd = first(c, Label::PD);
        assert_close("multiplier", pd.record.multipliers[0].log10, 0.0, 1e-8);
        let doubled = curve(&result, &format!("{name}-PD1a"));
        let next = first(doubled, Label::PD);
        assert_close("double", next.record.period / pd.record.period, 2.0, 0.1);
        found.push((
            pd.point.parameter(),
            pd.record.period,
            next.point.parameter(),
            next.record.period,
        ));
    }
    assert_close("c", found[0].0, found[1].0, 1e-8);
    assert_close("period", found[0].1, found[1].1, 1e-8);
    assert_close("c of the second", found[0].2, found[1].2, 1e-7);
    assert_close("its period", found[0].3, found[1].3, 1e-7);
    // Both sides of the period doubling are the same orbit.
    assert!(result.curves.iter().all(|c| c.name != "cycle-PD1b"));
}

/// What is wrong with the source of a start is said before anything is computed.
#[test]
fn sources_that_do_not_exist_are_refused() {
    let rejected = |from: &str| {
        let text = with(
            VAN_DER_POL,
            &format!(
                r#"Curve(name: "rest", orbit: Equilibrium, start: Guess(at: {{"mu": 0.5}}, states: [{{"x": 0, "y": 0}}]), free: "mu", range: (0, 1)),
                Curve(name: "cycle", orbit: PeriodicOrbit, start: Point(from: "{from}"), free: "mu", range: (0, 1))"#
            ),
        );
        let study = study::parse("study.ron".as_ref(), text).unwrap();
        study.plan(&[]).err().map(|e| e.to_string()).unwrap_or_default()
    };
    assert!(rejected("nothing, HB").contains("unknown curve `nothing`; the curves before this one are: rest"));
    assert!(rejected("cycle, HB").contains("curve `cycle` does not come before this one"));
    assert!(rejected("rest, Hopf").contains("`Hopf` is no label; labels are LP, SB, BP"));
    assert!(rejected("rest").contains("does not name a point"));
    assert!(rejected("rest, HB 0").contains("does not count points from 1"));
    assert_eq!(rejected("rest, HB 1"), "");
}

/// A solution file as AUTO-07p writes it: sixteen numbers to begin with, seven to a line, indices of free parameters in
/// lines of their own.
#[test]
fn a_solution_file_of_auto_is_read() {
    use std::f64::consts::TAU;
    use std::fmt::Write as _;
    // A circle and six states that decay, of which the last is forced by the circle: nine columns, so two lines to a
    // row.
    let (intervals, collocation, states) = (10, 4, 8);
    let rows = intervals * collocation + 1;
    let row = |t: f64| {
        let (u, v) = ((TAU * t).cos(), (TAU * t).sin());
        // w' = -w + u.
        vec![u, v, 0.0, 0.0, 0.0, 0.0, 0.0, 0.5 * (u + v)]
    };
    let mut lines: Vec<String> = vec![];
    let mut push = |numbers: &[f64], indent: &str| {
        for chunk in numbers.chunks(7) {
            let mut line = String::from(indent);
            for v in chunk {
                let text = format!("{v:.10E}");
                let (mantissa, exponent) = text.split_once('E').unwrap();
                let exponent: i32 = exponent.parse().unwrap();
                let sign = if exponent < 0 { '-' } else { '+' };
                write!(line, " {:>18}", format!("{mantissa}E{sign}{:02}", exponent.abs())).unwrap();
            }
            lines.push(line);
        }
    };
    for i in 0..rows {
        let t = i as f64 / (rows - 1) as f64;
        let mut numbers = vec![t];
        numbers.extend(row(t));
        push(&numbers, "    ");
    }
    push(&[], "");
    let mut body = std::mem::take(&mut lines);
    body.push("    2   11".into());
    let mut push = |numbers: &[f64]| {
        for chunk in numbers.chunks(7) {
            let line: Vec<String> = chunk
                .iter()
                .map(|v| format!("{v:19.10E}").replace("E0", "E+00"))
                .collect();
            body.push(format!("    {}", line.concat()));
        }
    };
    push(&[1.0, 0.0]);
    for _ in 0..rows {
        push(&vec![0.0; states]);
    }
    let mut parameters = vec![0.0; 36];
    (parameters[0], parameters[1], parameters[10]) = (3.0, 1.0, TAU);
    push(&parameters);
    let head = format!(
        "{:6}{:6}{:6}{:6}{:6}{:6}{:8}{:6}{:8}{:5}{:5}{:5}{:5}{:5}{:5}{:5}",
        2,
        -17,
        9,
        7,
        2,
        1,
        rows,
        states + 1,
        body.len(),
        intervals,
        collocation,
        36,
        2,
        states,
        2,
        0
    );
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("s.ring"), format!("{head}\n{}\n", body.join("\n"))).unwrap();
    let names = ["u", "v", "a", "b", "c", "d", "e", "w"];
    let mut equations = vec![
        "\"u' = u*(r - u^2 - v^2) - v\"".to_owned(),
        "\"v' = v*(r - u^2 - v^2) + u\"".to_owned(),
        "\"w' = -w + u\"".to_owned(),
    ];
    equations.extend(["a", "b", "c", "d", "e"].map(|s| format!("\"{s}' = -k*{s}\"")));
    // By name, since the system counts its parameters in another order than the file.
    let text = format!(
        "Study(title: \"t\", system: Smooth(states: {names:?}, parameters: {{\"r\": 2, \"k\": 5}}, equations: [{}]), curves: [Curve(name: \"c\",
            orbit: PeriodicOrbit, start: Auto(path: \"s.ring\", label: 7, numbers: {{\"k\": 1, \"r\": 2}}), free: \"r\", range: (0.5, 2), levels: {{\"r\": [1]}})])",
        equations.join(", ")
    );
    let result = run_in(folder.path(), &text);
    let c = curve(&result, "c");
    assert!(c.len() > 3, "{:?}", result.missing);
    let at = first(c, Label::UZ);
    assert_close("k", value(c, at, "k"), 3.0, 1e-15);
    assert_close("period", at.record.period, TAU, 1e-12);
    assert_close("w", value(c, at, "w_max"), 0.5f64.sqrt(), 1e-9);
    assert_close(
        "multipliers",
        at.record.multipliers[0].log10,
        -TAU / std::f64::consts::LN_10,
        1e-9,
    );
}

/// An orbit of a forced system begins where the phase of the forcing is zero: a guess may leave it out.
#[test]
fn a_guess_of_a_forced_orbit_need_not_say_the_phase() {
    let system = r#"Smooth(states: ["x", "v"], parameters: {"F": 0.3}, forcing: Forcing(period: "2*pi"), equations: ["x' = v", "v' = -2*x - 0.2*v + F*cos(t)"])"#;
    let traced = |phase: &str| {
        let curves = format!(
            r#"Curve(name: "c", orbit: PeriodicOrbit, start: Guess(at: {{"F": 0.3}}, states: [{{"x": 0.2, "v": 0{phase}}}], durations: [6.28]), free: "F", range: (0.1, 1))"#
        );
        let result = run(&with(system, &curves), &[]);
        let curve = result.curves.first().unwrap_or_else(|| panic!("{:?}", result.missing));
        curve.points().map(|(_, _, p)| p.point.z.clone()).collect::<Vec<_>>()
    };
    let (with_phase, without) = (traced(r#", "phase": 0"#), traced(""));
    assert_eq!(with_phase, without);
    // x = F (cos t + 0.2 sin t)/(1 + 0.2²), of which the first point is F/(1 + 0.2²).
    for z in without {
        assert_close("x", z[0], z[z.len() - 1] / 1.04, 1e-9);
    }
}
