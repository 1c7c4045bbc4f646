//! Trigonometric collocation: the same orbits as by orthogonal collocation, and series that are known.

use crate::support::{assert_close, curve, labelled, run, value};
use slipstick_bifurcation::{BranchPoint, Label};
use slipstick_study::{CurveResult, RunResult};

/// A study in which the same curve is followed by both kinds of collocation, and by others.
fn study(system: &str, rest: &str, methods: &[(&str, &str, &str)]) -> RunResult {
    let curves: Vec<String> = methods
        .iter()
        .map(|(name, orbit, method)| format!("Curve(name: \"{name}\", orbit: {orbit}, method: {method}, {rest})"))
        .collect();
    run(
        &format!("Study(title: \"t\", system: {system}, curves: [{}])", curves.join(",")),
        &[],
    )
}

const MESH: (&str, &str, &str) = ("mesh", "PeriodicOrbit", "Collocation(tolerance: 1e-12)");
const SERIES: (&str, &str, &str) = ("series", "PeriodicOrbit", "Harmonic()");
const HALF: (&str, &str, &str) = ("half", "Symmetric(\"smooth\")", "Harmonic()");

/// Labels, and at each the parameter, the period, largest and smallest states and the multipliers (but where they have
/// decayed to rounding) are those of the first curve.
fn agree(result: &RunResult, name: &str, tolerance: f64) {
    let (a, b) = (curve(result, "mesh"), curve(result, name));
    let special = |c: &CurveResult| -> Vec<BranchPoint> {
        let points = c.points().map(|(_, _, p)| p.clone());
        points.filter(|p| p.label.is_some_and(|l| l != Label::EP)).collect()
    };
    let (a, b) = ((a, special(a)), (b, special(b)));
    let labels = |points: &[BranchPoint]| points.iter().map(|p| p.label).collect::<Vec<_>>();
    assert_eq!(labels(&a.1), labels(&b.1), "{name}");
    assert!(!a.1.is_empty());
    for (p, q) in a.1.iter().zip(&b.1) {
        let what = |what: &str| format!("{name}: {what} at {:?} {}", p.label, p.point.parameter());
        assert_close(&what("parameter"), q.point.parameter(), p.point.parameter(), tolerance);
        assert_close(&what("period"), q.record.period, p.record.period, tolerance);
        for column in
            a.0.monitors
                .iter()
                .filter(|m| m.ends_with("_max") || m.ends_with("_min"))
        {
            assert_close(&what(column), value(b.0, q, column), value(a.0, p, column), tolerance);
        }
        for (m, n) in p.record.multipliers.iter().zip(&q.record.multipliers) {
            assert!(
                (m.log10 - n.log10).abs() < 10.0 * tolerance * (1.0 + m.log10.abs()),
                "{}: {m:?} {n:?}",
                what("multiplier")
            );
            assert!(
                (m.arg.abs() - n.arg.abs()).abs() < 10.0 * tolerance.sqrt(),
                "{}: {m:?} {n:?}",
                what("multiplier")
            );
        }
    }
}

fn van_der_pol() -> &'static str {
    r#"Smooth(states: ["x", "y"], parameters: {"mu": 0.5}, equations: ["x' = y", "y' = mu*(1 - x^2)*y - x"], start: {"x": 1}, symmetry: {"x": "-x", "y": "-y"})"#
}

#[test]
fn van_der_pol_orbits_agree() {
    let rest = r#"start: Settle(at: {"mu": 0.5}), free: "mu", range: (0.5, 1.5), levels: {"mu": [0.7, 1, 1.4]}, directions: Up"#;
    let result = study(van_der_pol(), rest, &[MESH, SERIES, HALF]);
    agree(&result, "series", 5e-12);
    agree(&result, "half", 5e-12);
    for name in ["series", "half"] {
        let at = labelled(curve(&result, name), Label::UZ)[1];
        assert_close("period at 1", at.record.period, 6.663_286_859_323_13, 1e-13);
    }
}

/// Forced, with folds; with random damping and force, and with a force that breaks the symmetry.
#[test]
fn duffing_orbits_agree_with_random_parameters() {
    let mut state = 20_260_101u64;
    let mut random = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    for offset in [0.0, 0.1, 0.0] {
        let (damping, force) = (0.08 + 0.1 * random(), 0.2 + 0.2 * random());
        let symmetry = if offset == 0.0 {
            r#", symmetry: {"x": "-x", "v": "-v", "phase": "phase + pi"}"#
        } else {
            ""
        };
        let system = format!(
            r#"Smooth(states: ["x", "v"], parameters: {{"omega": 0.6, "delta": {damping}, "F": {force}, "g": {offset}}}, forcing: Forcing(period: "2*pi/omega"),
            equations: ["x' = v", "v' = g - delta*v - x - x^3 + F*cos(omega*t)"]{symmetry})"#
        );
        let rest =
            r#"start: Settle(at: {"omega": 0.6}), free: "omega", range: (0.6, 2.5), levels: {"omega": [0.9, 2]}"#;
        let methods = if offset == 0.0 {
            vec![MESH, SERIES, HALF]
        } else {
            vec![MESH, SERIES]
        };
        let result = study(&system, rest, &methods);
        for (name, _, _) in &methods[1..] {
            let (a, b) = (curve(&result, "mesh"), curve(&result, name));
            let folds = [a, b].map(|c| {
                labelled(c, Label::LP)
                    .iter()
                    .map(|p| p.point.parameter())
                    .collect::<Vec<_>>()
            });
            assert_eq!(folds[0].len(), folds[1].len());
            for (x, y) in folds[0].iter().zip(&folds[1]) {
                assert_close("fold", *y, *x, 1e-12);
            }
            for (p, q) in labelled(a, Label::UZ).iter().zip(labelled(b, Label::UZ)) {
                assert_close("x_max", value(b, q, "x_max"), value(a, p, "x_max"), 1e-12);
                assert_close("v_min", value(b, q, "v_min"), value(a, p, "v_min"), 1e-12);
                for (m, n) in p.record.multipliers.iter().zip(&q.record.multipliers) {
                    assert!(
                        (m.log10 - n.log10).abs() < 1e-11 && (m.arg - n.arg).abs() < 1e-11,
                        "{m:?} {n:?}"
                    );
                }
            }
        }
    }
}

/// Two oscillators that change places under the symmetry: orbits in phase, and orbits of the symmetry by which each is
/// half a period behind the other.
#[test]
fn coupled_oscillators_agree() {
    let system = r#"Smooth(states: ["x", "y", "u", "v"], parameters: {"mu": 0.4, "k": 0.1},
        equations: ["x' = y", "y' = mu*(1 - x^2)*y - x + k*(u - x)", "u' = v", "v' = mu*(1 - u^2)*v - u + k*(x - u)"],
        symmetry: {"x": "u", "y": "v", "u": "x", "v": "y"}, start: {"x": 1, "u": -1})"#;
    let rest = r#"start: Settle(at: {"mu": 0.4}, from: {"x": 1, "u": -0.9}), free: "mu", range: (0.3, 0.6), levels: {"mu": [0.35, 0.5]}"#;
    let result = study(system, rest, &[MESH, SERIES, HALF]);
    agree(&result, "series", 5e-12);
    agree(&result, "half", 5e-12);
}

/// A doubling, the doubled orbits, and the doublings in two parameters.
#[test]
fn doublings_agree() {
    let text = r#"Study(title: "t", system: Smooth(states: ["x", "y", "z"], parameters: {"a": 0.2, "b": 0.2, "c": 2},
            equations: ["x' = -y - z", "y' = x + a*y", "z' = b + z*(x - c)"]),
        curves: [
            Curve(name: "mesh", orbit: PeriodicOrbit, method: Collocation(tolerance: 1e-12), start: Settle(at: {"c": 2.5}, from: {"x": 1}), free: "c",
                range: (2.5, 3.4), levels: {"c": [3.2]}, branches: [PD]),
            Curve(name: "series", orbit: PeriodicOrbit, method: Harmonic(), start: Settle(at: {"c": 2.5}, from: {"x": 1}), free: "c", range: (2.5, 3.4),
                levels: {"c": [3.2]}, branches: [PD]),
        ],
        loci: [
            Locus(name: "pa", from: "mesh: PD", free: ("c", "a"), range: ((2.6, 3.2), (0.15, 0.25)), levels: {"c": [3]}),
            Locus(name: "pb", from: "series: PD", free: ("c", "a"), range: ((2.6, 3.2), (0.15, 0.25)), levels: {"c": [3]}),
        ])"#;
    let result = run(text, &[]);
    agree(&result, "series", 2e-11);
    let [a, b] = ["mesh-PD1a", "series-PD1a"].map(|name| curve(&result, name));
    let at = |c: &CurveResult| labelled(c, Label::UZ)[0].record.period;
    assert_close("doubled period", at(b), at(a), 1e-11);
    let at = |name: &str| -> Vec<f64> {
        let own = result
            .curves
            .iter()
            .filter(|c| c.name == name || c.name.starts_with(&format!("{name}-")));
        own.flat_map(|c| {
            labelled(c, Label::UZ)
                .into_iter()
                .map(|p| value(c, p, "a"))
                .collect::<Vec<f64>>()
        })
        .collect()
    };
    let (a, b) = (at("pa"), at("pb"));
    assert!(!a.is_empty() && a.len() == b.len(), "{a:?} {b:?}");
    assert_close("doubling at c = 3", b[0], a[0], 1e-11);
}

/// The response `x = (1 - r²)/(1 - 2 r cos t + r²) = 1 + 2 Σ rᵏ cos kt`, whose coefficients are known: the errors found
/// are those told, they follow the tolerance, and where r comes near to one the harmonics allowed are too few.
#[test]
fn a_series_that_is_known_converges_geometrically_and_is_refused_where_it_is_too_long() {
    let system = r#"Smooth(states: ["x"], parameters: {"r": 0.3}, forcing: Forcing(period: "2*pi"), define: {"d": "1 - 2*r*cos(t) + r^2"},
        equations: ["x' = -x + (1 - r^2)/d - 2*r*(1 - r^2)*sin(t)/d^2"], start: {"x": 1})"#;
    let rest = r#"start: Settle(at: {"r": 0.3}), free: "r", range: (0.3, 0.75), levels: {"r": [0.5, 0.6, 0.7]}, directions: Up"#;
    let methods: Vec<(String, String)> = (4..=11)
        .map(|digits| (format!("e{digits}"), format!("Harmonic(tolerance: 1e-{digits})")))
        .collect();
    let mut methods: Vec<(&str, &str, &str)> = methods.iter().map(|(n, m)| (&**n, "PeriodicOrbit", &**m)).collect();
    methods.push(("few", "PeriodicOrbit", "Harmonic(harmonics: 40)"));
    let result = study(system, rest, &methods);
    for (k, (name, _, _)) in methods[..8].iter().enumerate() {
        let c = curve(&result, name);
        let tolerance = 10f64.powi(-4 - k as i32);
        assert!(c.ended().contains("reached the end of the range"), "{}", c.ended());
        for p in labelled(c, Label::UZ) {
            let r = p.point.parameter();
            let (largest, least) = ((1.0 + r) / (1.0 - r), (1.0 - r) / (1.0 + r));
            let off = (value(c, p, "x_max") - largest)
                .abs()
                .max((value(c, p, "x_min") - least).abs());
            let told = value(c, p, "error");
            assert!(
                told <= 30.0 * tolerance && off <= 3.0 * largest * told + 1e-13,
                "{name} at {r}: {off:e} {told:e}"
            );
            assert!((p.record.multipliers[0].log10 + std::f64::consts::TAU * std::f64::consts::LOG10_E).abs() < 1e-12);
        }
    }
    // 2 r⁴⁰ is the tolerance at r = 0.49.
    let few = curve(&result, "few");
    assert!(few.ended().contains("40 harmonics are too few"), "{}", few.ended());
    let last = few.points().map(|(_, _, p)| p.point.parameter()).fold(0.0, f64::max);
    assert!((0.45..0.6).contains(&last), "{last}");
}

/// From the Hopf point on, circles of radius √μ, with the multiplier e^{-4πμ}.
#[test]
fn circles_are_series_of_one_term() {
    let system = r#"Smooth(states: ["x", "y"], parameters: {"mu": -1}, define: {"s": "x^2 + y^2"},
        equations: ["x' = mu*x - y - x*s", "y' = x + mu*y - y*s"])"#;
    let text = format!(
        r#"Study(title: "t", system: {system}, curves: [
            Curve(name: "rest", orbit: Equilibrium, start: Guess(at: {{"mu": -1}}, states: [{{"x": 0.1, "y": 0}}]), free: "mu", range: (-1, 1)),
            Curve(name: "cycle", orbit: PeriodicOrbit, method: Harmonic(), start: Point(from: "rest, HB"), free: "mu", range: (-1, 1))])"#
    );
    let result = run(&text, &[]);
    let c = curve(&result, "cycle");
    let mut largest: f64 = 0.0;
    for (_, _, p) in c.points() {
        let mu = p.point.parameter();
        assert_close("amplitude", value(c, p, "x_max"), mu.sqrt(), 1e-12);
        assert_close("period", p.record.period, std::f64::consts::TAU, 1e-12);
        let log10 = -2.0 * mu * std::f64::consts::TAU * std::f64::consts::LOG10_E;
        assert_close("multiplier", p.record.multipliers[0].log10, log10, 1e-11);
        largest = largest.max(mu);
    }
    assert_eq!(largest, 1.0);
}

/// What is no smooth periodic orbit has no series, and `check` says so.
#[test]
fn what_has_no_series_is_refused() {
    let refused = |system: &str, orbit: &str, start: &str| {
        let text = format!(
            "Study(title: \"t\", system: {system}, curves: [Curve(name: \"a\", orbit: {orbit}, method: Harmonic(), start: {start}, free: \"mu\", range: (0.1, 4))])"
        );
        let study = slipstick_study::parse("study.ron".as_ref(), text).unwrap();
        let said = study.plan(&[]).err().map(|e| e.to_string()).unwrap_or_default();
        assert!(
            said.contains("harmonic balance applies to smooth periodic orbits"),
            "{said}"
        );
    };
    refused(van_der_pol(), "Equilibrium", "All(at: {\"mu\": 0.5})");
    let map = r#"Map(states: ["x"], parameters: {"mu": 2.5}, equations: ["x+ = mu*x*(1 - x)"])"#;
    refused(map, "FixedPoint", "All(at: {\"mu\": 2.5})");
}
