//! What is seen: orbit diagrams, basins, charts.

use super::support::run;
use proptest::prelude::*;
use slipstick_report::Table;
use slipstick_study::{self as study, RunResult, Silent};

fn table<'r>(result: &'r RunResult, name: &str) -> &'r Table {
    let tables = result.analyses.iter().flat_map(|a| &a.tables);
    tables.into_iter().find(|(n, _)| n == name).map(|(_, t)| t).unwrap()
}

fn numbers(result: &RunResult, of: &str, column: &str) -> Vec<f64> {
    table(result, of).numbers(column).unwrap().to_vec()
}

fn texts(result: &RunResult, of: &str, column: &str) -> Vec<String> {
    table(result, of).texts(column).unwrap().to_vec()
}

#[test]
fn an_orbit_diagram_of_the_logistic_map_has_its_cycles() {
    let text = r#"Study(title: "t",
        system: Map(states: ["x"], parameters: {"r": 3}, equations: ["x+ = r*x*(1 - x)"], start: {"x": 0.3}),
        tasks: [OrbitDiagram(name: "d", over: {"r": Values([2.8, 3.2, 3.5, 3.83, 4])}, transient: 2000, exponents: 1)])"#;
    let result = run(text, &[]);
    let (r, x, period) = (
        numbers(&result, "d", "r"),
        numbers(&result, "d", "x"),
        numbers(&result, "d", "period"),
    );
    let kind = texts(&result, "d", "kind");
    assert_eq!(r.len(), 5 * 60);
    for (k, wanted) in [1.0, 2.0, 4.0, 3.0].into_iter().enumerate() {
        assert!(
            period[60 * k..60 * (k + 1)].iter().all(|p| *p == wanted),
            "{}",
            r[60 * k]
        );
        let cycle = wanted as usize;
        for i in 60 * k..60 * (k + 1) - cycle {
            assert!((x[i] - x[i + cycle]).abs() < 1e-9);
            if cycle > 1 {
                assert!((x[i + 1] - r[i] * x[i] * (1.0 - x[i])).abs() < 1e-14);
            }
        }
    }
    assert!(kind[240..].iter().all(|k| k == "chaos"));
    let exponent = numbers(&result, "d", "exponent1");
    assert!((exponent[0] - 0.8f64.ln()).abs() < 1e-3, "{}", exponent[0]);
    assert!((exponent[299] - 2f64.ln()).abs() < 0.05, "{}", exponent[299]);
}

#[test]
fn sweeps_upwards_and_downwards_show_hysteresis() {
    // x' = a + x - x³ jumps at a = ±2/(3√3); with a slow rotation beside it there is a section to take.
    let text = r#"Study(title: "t",
        system: Smooth(states: ["x", "phi"], angles: {"phi": "2*pi"}, parameters: {"a": 0},
            equations: ["x' = a + x - x^3", "phi' = 1"], start: {"x": -1, "phi": 0}),
        tasks: [OrbitDiagram(name: "d", over: {"a": Linear(-0.6, 0.6, 61)}, sweeps: [Up, Down], transient: 20, points: 4)])"#;
    let result = run(text, &[]);
    let (a, x, sweep) = (
        numbers(&result, "d", "a"),
        numbers(&result, "d", "x"),
        texts(&result, "d", "sweep"),
    );
    let jump = 2.0 / (3.0 * 3f64.sqrt());
    for ((a, x), sweep) in a.iter().zip(&x).zip(&sweep) {
        let upper = if sweep == "up" { *a > jump } else { *a > -jump };
        assert_eq!(*x > 0.0, upper, "{sweep} a = {a}: x = {x}");
        assert!((a + x - x.powi(3)).abs() < 1e-8, "{a} {x}");
    }
    let phi = numbers(&result, "d", "phi");
    assert!(
        phi.iter().all(|p| p.min(std::f64::consts::TAU - p) < 1e-9),
        "taken at phase zero"
    );
}

#[test]
fn a_section_at_an_event_or_an_extreme_is_where_it_is_said_to_be() {
    let study = |section: &str| {
        format!(
            r#"Study(title: "t", system: Stiction(mu_s: 1.1, mu_d: 0.4),
            tasks: [OrbitDiagram(name: "d", over: {{"Omega": Values([1.8, 2])}}, section: {section}, from: {{"x": 0.5, "y": -0.1, "theta": -0.5}}, mode: "slip-", points: 6)])"#
        )
    };
    for (section, holds) in [
        (
            r#"Maximum("x")"#,
            (|x, y, _| x > 0.0 && f64::abs(y) < 1e-9) as fn(f64, f64, f64) -> bool,
        ),
        (r#"Rising("x", 0.1)"#, |x, y, _| (x - 0.1).abs() < 1e-9 && y > 0.0),
        (r#"Phase("theta", 1)"#, |_, _, theta| (theta - 1.0).abs() < 1e-9),
        (r#"Event("slip- land")"#, |x, y, _| x < 0.0 && f64::abs(y) < 1e-9),
        // In whatever mode: twice in each period of the forcing.
        (r#"Event("land")"#, |_, y, _| f64::abs(y) < 1e-9),
    ] {
        let result = run(&study(section), &[]);
        let [x, y, theta] = ["x", "y", "theta"].map(|name| numbers(&result, "d", name));
        assert_eq!(x.len(), 12, "{section}: {:?}", result.analyses[0].notes);
        for ((x, y), theta) in x.iter().zip(&y).zip(&theta) {
            assert!(
                holds(*x, if y.is_nan() { 0.0 } else { *y }, *theta),
                "{section}: {x} {y} {theta}"
            );
        }
        let returns = if section == r#"Event("land")"# { 2.0 } else { 1.0 };
        assert!(
            numbers(&result, "d", "period").iter().all(|p| *p == returns),
            "{section}"
        );
    }
}

/// Lorenz's equations with all rates times r: a motion is chaos or an orbit whatever the unit of time, and as much is
/// computed to say so.
#[test]
fn what_a_motion_is_does_not_depend_on_the_unit_of_time() {
    for rate in [1e-6, 1.0, 1e6] {
        let text = format!(
            r#"Study(title: "t", system: Smooth(states: ["x", "y", "z"], parameters: {{"rho": 28, "r": {rate:e}}},
                equations: ["x' = r*10*(y - x)", "y' = r*(rho*x - y - x*z)", "z' = r*(x*y - 8*z/3)"], start: {{"x": 1, "y": 2, "z": 20}}),
                tasks: [OrbitDiagram(name: "d", over: {{"rho": Values([28, 40, 160])}}, section: Maximum("z"), longest: {:e})])"#,
            100.0 / rate
        );
        let result = run(&text, &[]);
        let said = &result.analyses[0].notes;
        assert!(
            said.iter().any(|s| s.contains("1 orbit, 2 chaos")),
            "{rate:e}: {said:?}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    /// The basins of x' = r x (x - a)(1 - x), whatever the units: below a to 0, above it to 1. Beside it v' = -v.
    #[test]
    fn basins_of_a_bistable_flow_end_at_its_threshold(a in 0.1..0.9_f64, s in -7.0..7.0_f64, t in -5.0..5.0_f64) {
        let (unit, rate) = (10f64.powf(s), 10f64.powf(t));
        let text = format!(
            r#"Study(title: "t", system: Smooth(states: ["x", "v"], parameters: {{"a": {a}, "r": {rate}}},
                equations: ["x' = r*x*(x/{unit} - a)*(1 - x/{unit})", "v' = -r*v"]),
                tasks: [Basins(name: "b", over: {{"x": Linear({}, {}, 23), "v": Linear({}, {}, 5)}})])"#,
            -0.301 * unit, 1.307 * unit, -unit, unit
        );
        let result = run(&text, &[]);
        let (x, attractor) = (numbers(&result, "b", "x"), numbers(&result, "b", "attractor"));
        prop_assert_eq!(table(&result, "b-attractors").rows(), 2, "{:?}", result.analyses[0].notes);
        // The first cell lies below the threshold.
        for (x, own) in x.iter().zip(&attractor) {
            prop_assert_eq!(*own == attractor[0], x / unit < a, "{} {}", x / unit, own);
        }
        let fractions: f64 = numbers(&result, "b-attractors", "fraction").iter().sum();
        prop_assert!((fractions - 1.0).abs() < 1e-12);
    }
}

#[test]
fn random_samples_estimate_the_size_of_basins_with_their_error() {
    // x+ = x³ over (-1.5, 1.5): the basin of 0 is (-1, 1), the rest escapes.
    let text = r#"Study(title: "t", system: Map(states: ["x"], parameters: {"k": 1}, equations: ["x+ = k*x^3"], start: {"x": 0.1}),
        tasks: [Basins(name: "b", sample: 3000, within: {"x": (-1.5, 1.5)})])"#;
    let result = run(text, &[]);
    let kinds = texts(&result, "b-attractors", "kind");
    let (fraction, error) = (
        numbers(&result, "b-attractors", "fraction"),
        numbers(&result, "b-attractors", "fraction_error"),
    );
    let orbit = kinds.iter().position(|k| k == "orbit").unwrap();
    assert!(
        (fraction[orbit] - 2.0 / 3.0).abs() < 4.0 * error[orbit] && error[orbit] < 0.01,
        "{fraction:?}"
    );
}

#[test]
fn the_boundary_of_basins_has_its_dimension() {
    // The basins of z+ = z² + c are bounded by a circle for c = 0: dimension 1.
    let text = r#"Study(title: "t", system: Map(states: ["x", "y"], parameters: {"c": 0}, equations: ["x+ = x^2 - y^2 + c", "y+ = 2*x*y"], start: {"x": 0.1, "y": 0}),
        tasks: [Basins(name: "b", over: {"x": Linear(-1.5, 1.5, 128), "y": Linear(-1.5, 1.5, 128)})])"#;
    let result = run(text, &[]);
    let note = result.analyses[0]
        .notes
        .iter()
        .find(|n| n.contains("dimension"))
        .unwrap();
    let dimension: f64 = note
        .split("boundary ")
        .nth(1)
        .unwrap()
        .split(' ')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    assert!((dimension - 1.0).abs() < 0.03, "{note}");
}

#[test]
fn basins_name_the_curves_that_pass_through_their_attractors() {
    let text = r#"Study(title: "t", system: Stiction(Omega: 0.5, mu_s: 1.1, mu_d: 0.4),
        curves: [Curve(name: "compliant", orbit: Symmetric("slip- stick"), start: All(at: {"Omega": 0.5}), free: "Omega", range: (0.3, 1.0))],
        tasks: [Basins(name: "b", over: {"x": Linear(-2, 2, 8), "y": Linear(-2, 2, 8)}, exponents: 3)])"#;
    let result = run(text, &[]);
    let (kinds, curves) = (
        texts(&result, "b-attractors", "kind"),
        texts(&result, "b-attractors", "curve"),
    );
    let orbits: Vec<&String> = kinds
        .iter()
        .zip(&curves)
        .filter(|(k, _)| *k == "orbit")
        .map(|(_, c)| c)
        .collect();
    assert!(
        !orbits.is_empty() && orbits.iter().any(|c| c.as_str() == "compliant"),
        "{kinds:?} {curves:?}"
    );
    let cells: f64 = numbers(&result, "b-attractors", "cells").iter().sum();
    assert_eq!(cells, 64.0);
}

#[test]
fn a_chart_of_the_circle_map_has_its_tongues() {
    // x+ = x + w - k/(2π) sin 2πx: fixed points exist for w ≤ k/(2π).
    let text = r#"Study(title: "t",
        system: Map(states: ["x"], angles: {"x": 1}, parameters: {"w": 0.1, "k": 0.5}, equations: ["x+ = x + w - k/(2*pi)*sin(2*pi*x)"], start: {"x": 0.2}),
        tasks: [Chart(name: "c", over: {"k": Values([0.3, 0.6, 0.9]), "w": Linear(0.002, 0.16, 80)}, starts: 1, exponents: 1)])"#;
    let result = run(text, &[]);
    let [w, k, period] = ["w", "k", "period"].map(|name| numbers(&result, "c", name));
    assert_eq!(w.len(), 240);
    let kinds = texts(&result, "c", "kind");
    for i in 0..240 {
        let locked = w[i] < k[i] / std::f64::consts::TAU;
        // Beside the border itself, a point is waited for longer than others.
        if (w[i] - k[i] / std::f64::consts::TAU).abs() > 1e-4 {
            assert_eq!(
                kinds[i] == "orbit" && period[i] == 1.0,
                locked,
                "w = {} k = {}: {} {}",
                w[i],
                k[i],
                kinds[i],
                period[i]
            );
        }
    }
    assert!(kinds.iter().any(|k| k == "torus"));
}

#[test]
fn tables_do_not_depend_on_the_number_of_threads() {
    let text = r#"Study(title: "t", system: Stiction(mu_d: 0.4),
        tasks: [
            Chart(name: "c", over: {"Omega": Linear(0.6, 2, 20), "mu_s": Linear(1.05, 1.3, 7)}, within: {"x": (-2, 2), "y": (-2, 2)}, starts: 2, exponents: 2),
            Basins(name: "b", sample: 150, set: {"mu_s": 1.1}, within: {"x": (-2, 2), "y": (-2, 2)}),
            OrbitDiagram(name: "d", set: {"mu_s": 1.1}, over: {"Omega": Linear(1.3, 1.5, 10)}, sweeps: [Up, Down], starts: 2, within: {"x": (-2, 2), "y": (-2, 2)}, points: 8),
        ])"#;
    let csv = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let plan = study::parse("study.ron".as_ref(), text.into())
            .unwrap()
            .plan(&[])
            .unwrap();
        let result = pool.install(|| study::run(&plan, &Silent, &false.into()));
        let tables = result.analyses.iter().flat_map(|a| &a.tables);
        tables
            .map(|(name, t)| format!("{name}\n{}", t.to_csv()))
            .collect::<String>()
    };
    assert!(csv(1) == csv(3));
}

#[test]
fn tasks_that_make_no_sense_are_refused_with_their_place() {
    let smooth =
        r#"system: Smooth(states: ["x", "v"], parameters: {"c": 0.1}, equations: ["x' = v", "v' = x - x^3 - c*v"])"#;
    for (task, place, help) in [
        (r#"Lyapunov(name: "a", time: -1)"#, "time", "positive"),
        (r#"Lyapunov(name: "a", count: 3)"#, "count", "2 or fewer"),
        (r#"Lyapunov(name: "a", of: "nothing, LP")"#, "of", "no curve"),
        (r#"Basins(name: "a")"#, "tasks[0]", "sample: 10000"),
        (
            r#"Basins(name: "a", sample: 3, from: {"x": 1})"#,
            "from",
            "drawn at random",
        ),
        (
            r#"Basins(name: "a", over: {"x": Linear(0, 1, 3)}, within: {"v": (0, 1)})"#,
            "within",
            "its own intervals",
        ),
        (r#"Basins(name: "a", over: {"y": Linear(0, 1, 3)})"#, "y", "x, v"),
        (
            r#"Basins(name: "a", over: {"x": Linear(0, 1, 3)}, sample: 3)"#,
            "sample",
            "exclude",
        ),
        (
            r#"Chart(name: "a", over: {"c": Linear(0, 1, 1000000), "c2": Linear(0, 1, 10)})"#,
            "c2",
            "unknown parameter",
        ),
        (
            r#"Chart(name: "a", over: {"c": Linear(0, 1, 1000000000000)})"#,
            "c",
            "cells",
        ),
        (r#"Chart(name: "a", over: {"c": Log(-1, 1, 10)})"#, "c", "no logarithms"),
        (
            r#"Chart(name: "a", over: {"c": Linear(1, 0, 10)})"#,
            "c",
            "not an interval",
        ),
        (r#"Chart(name: "a", over: {})"#, "over", "nothing to go over"),
        (
            r#"Chart(name: "a", set: {"c": 0.3}, over: {"c": Linear(0, 1, 3)})"#,
            "set",
            "has no effect",
        ),
        (
            r#"OrbitDiagram(name: "a", over: {"c": Linear(0, 1, 10)}, section: Phase("x", 0))"#,
            "section",
            "not an angle",
        ),
        (
            r#"OrbitDiagram(name: "a", over: {"c": Linear(0, 1, 10)}, section: Event("smooth hit"))"#,
            "section",
            "unknown event",
        ),
        (
            r#"OrbitDiagram(name: "a", over: {"c": Linear(0, 1, 10)}, sweeps: [])"#,
            "sweeps",
            "starts: 10",
        ),
        (
            r#"Chart(name: "a", over: {"c": Linear(0, 1, 2)}), Basins(name: "a", sample: 3)"#,
            "tasks",
            "two tasks",
        ),
    ] {
        let text = format!(r#"Study(title: "t", {smooth}, tasks: [{task}])"#);
        let refused = study::parse("study.ron".as_ref(), text)
            .and_then(|s| s.plan(&[]).map(|_| ()))
            .err()
            .unwrap_or_else(|| panic!("{task} is accepted"))
            .to_string();
        assert!(refused.contains(help), "{task} ({place}): {refused}");
    }
}

#[test]
fn diagrams_show_orbit_diagrams_with_curves_or_without() {
    let text = r#"Study(title: "t",
        system: Map(states: ["x"], parameters: {"r": 3}, equations: ["x+ = r*x*(1 - x)"], start: {"x": 0.3}),
        tasks: [OrbitDiagram(name: "seen", over: {"r": Linear(2.8, 4, 60)}, points: 100, exponents: 1)],
        figures: [Diagram(name: "points", x: "r", y: "x", attractors: ["seen"]), Diagram(name: "exponent", x: "r", y: "exponent1", attractors: ["seen"])])"#;
    let folder = tempfile::tempdir().unwrap();
    let study = study::parse("study.ron".as_ref(), text.into()).unwrap();
    let plan = study.plan(&[]).unwrap();
    let result = study::run(&plan, &Silent, &false.into());
    let claim = study::Claim::take(folder.path()).unwrap();
    let written = study::write_run(&claim, &study, &plan, &study::Settings::default(), &result, 0.0).unwrap();
    assert!(written.missing.is_empty(), "{:?}", written.missing);
    let svg = std::fs::read_to_string(folder.path().join("figures/points.svg")).unwrap();
    // Not all of 6000 points can be told apart on paper.
    let dots = svg.matches("<circle").count() + svg.matches("<ellipse").count();
    assert!((500..6000).contains(&dots), "{dots}");
    let wrong = text.replace(r#"y: "x""#, r#"y: "z""#);
    let refused = study::parse("study.ron".as_ref(), wrong)
        .unwrap()
        .plan(&[])
        .err()
        .unwrap()
        .to_string();
    assert!(refused.contains("unknown column `z`"), "{refused}");
}

#[test]
fn what_attracts_is_seen_and_nothing_else() {
    // Beyond r = 1 the fixed point 0 repels: a sweep leaves it. Below, and between sections of a flow at rest, nothing
    // moves.
    let text = r#"Study(title: "t",
        systems: {
            "logistic": Map(states: ["x"], parameters: {"r": 3}, equations: ["x+ = r*x*(1 - x)"], start: {"x": 0.3}),
            "small": Map(states: ["x"], parameters: {"r": 3}, equations: ["x+ = r*x*(1 - x*1e6)"], start: {"x": 3e-7}),
            "decay": Smooth(states: ["x"], parameters: {"a": 1}, equations: ["x' = a*x - x^3"], start: {"x": 0.1}),
            "neuron": Hybrid(states: ["v"], parameters: {"I": 2},
                modes: {"rest": Mode(equations: ["v' = I - v"], events: {"spike": Event(guard: "v - 1", direction: Up, to: "rest", reset: {"v": "0"})})},
                start: Start(mode: "rest", at: {"v": 0.2})),
            "lorenz": Smooth(states: ["x", "y", "z"], parameters: {"r": 28}, equations: ["x' = 10*(y - x)", "y' = x*(r - z) - y", "z' = x*y - 8/3*z"],
                start: {"x": 1, "y": 2, "z": 20}),
        },
        tasks: [
            OrbitDiagram(name: "zero", system: "logistic", over: {"r": Linear(0.4, 2.4, 6)}, transient: 400),
            OrbitDiagram(name: "tiny", system: "small", over: {"r": Values([3.2, 3.5, 3.7])}, transient: 400, exponents: 1),
            OrbitDiagram(name: "still", system: "decay", over: {"a": Values([-0.6, 0.6])}),
            OrbitDiagram(name: "spikes", system: "neuron", over: {"I": Values([2])}, exponents: 1),
            Chart(name: "spiking", system: "neuron", over: {"I": Values([2])}, starts: 1, exponents: 1),
            Basins(name: "butterfly", system: "lorenz", over: {"x": Values([1.5])}, exponents: 1),
            Lyapunov(name: "directions", system: "lorenz", vectors: 5),
        ])"#;
    let result = run(text, &[]);
    assert!(result.missing.is_empty(), "{:?}", result.missing);
    for (r, x) in numbers(&result, "zero", "r").iter().zip(&numbers(&result, "zero", "x")) {
        let wanted = if *r > 1.0 { 1.0 - 1.0 / r } else { 0.0 };
        assert!((x - wanted).abs() < 1e-6, "r = {r}: {x}");
    }
    let (period, kind) = (numbers(&result, "tiny", "period"), texts(&result, "tiny", "kind"));
    assert_eq!((period[0], period[60], &*kind[120]), (2.0, 4.0, "chaos"));
    assert!(texts(&result, "still", "kind").iter().all(|k| k == "rest"));
    assert!((numbers(&result, "still", "x")[1] - 0.6f64.sqrt()).abs() < 1e-6);
    // The voltage is largest where it is set back.
    assert!(texts(&result, "spikes", "kind").iter().all(|k| k == "orbit"));
    assert!(numbers(&result, "spikes", "v").iter().all(|v| (v - 1.0).abs() < 1e-9));
    assert_eq!(numbers(&result, "spiking", "exponent1"), [0.0]);
    assert_eq!(texts(&result, "butterfly-attractors", "kind"), ["chaos"]);
    // Over a long time between two points directions grow by more than numbers can hold.
    let v = numbers(&result, "directions-vectors", "v3_x");
    assert!(v.len() == 5 && v.iter().all(|v| v.is_finite()), "{v:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, failure_persistence: None, ..ProptestConfig::default() })]

    /// A damped oscillator that is forced at two frequencies without a common period, and a rotation of the plane:
    /// tori, however slowly they turn.
    #[test]
    fn tori_are_seen_as_tori(w in 0.3..3.0_f64, c in 0.1..0.5_f64, k in 1..6_u32) {
        let other = w * (f64::from(k) + f64::sqrt(f64::from(k * k + 4))) / 2.0;
        let forced = format!(
            r#"Smooth(states: ["x", "v", "a", "b"], angles: {{"a": "2*pi", "b": "2*pi"}}, parameters: {{"c": {c}}},
                equations: ["x' = v", "v' = cos(a) + cos(b) - x - c*v", "a' = {w}", "b' = {other}"], start: {{"x": 0.1}})"#
        );
        let turning = format!(
            r#"Map(states: ["x", "y"], parameters: {{"c": 0.1}},
                equations: ["x+ = x*cos({w}) - y*sin({w})", "y+ = x*sin({w}) + y*cos({w})"], start: {{"x": 1, "y": 0}})"#
        );
        let text = format!(
            r#"Study(title: "t", systems: {{"forced": {forced}, "turning": {turning}}},
                tasks: [OrbitDiagram(name: "f", system: "forced", over: {{"c": Values([{c}])}}, section: Phase("a", 0), points: 20),
                        OrbitDiagram(name: "t", system: "turning", over: {{"c": Values([0.1])}}, points: 20)],
                attractors: [Attractors(name: "s", system: "turning", sweep: "c", range: (0.1, 0.2), count: 1, starts: 1, exponents: 2,
                    within: {{"x": (0.5, 1), "y": (0.5, 1)}})])"#
        );
        let result = run(&text, &[]);
        prop_assert!(result.missing.is_empty(), "{:?}", result.missing);
        for task in ["f", "t"] {
            prop_assert!(texts(&result, task, "kind").iter().all(|k| k == "torus"), "{task}: {:?}", texts(&result, task, "kind")[0]);
        }
        let seen = &result.attractors[0].found[0];
        prop_assert!(seen.kind.name() == "torus" && seen.exponents.len() == 2, "{seen:?}");
        prop_assert!(seen.exponents.iter().all(|e| e.value.abs() < 1e-9), "{:?}", seen.exponents);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Motions that drift away are not at rest; those that approach an equilibrium are, up to 300 times as slowly as others.
    #[test]
    fn unbounded_motions_are_not_at_rest(speed in -1.5..1.5f64, decay in -1.0..0.5f64, away in any::<bool>()) {
        let (speed, decay) = (10f64.powf(speed), 10f64.powf(decay));
        let drift = if away { format!("{speed:e} + 0*z") } else { format!("-{speed:e}*z") };
        let text = format!(
            r#"Study(title: "t",
                system: Smooth(states: ["x", "z"], parameters: {{"a": 1}}, equations: ["x' = -{decay:e}*x", "z' = {drift}"], start: {{"x": 1, "z": 0}}),
                tasks: [Basins(name: "b", over: {{"x": Linear(-1, 1, 4), "z": Linear(-1, 1, 3)}})])"#
        );
        let result = run(&text, &[]);
        let kinds = texts(&result, "b-attractors", "kind");
        let want = if away { "unsettled" } else { "rest" };
        prop_assert_eq!(kinds, vec![want.to_owned()], "speed {}, decay {}", speed, decay);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4))]

    /// A ball that gains speed at each hit flies ever further, longer and longer without an event.
    #[test]
    fn motions_that_fly_ever_further_are_not_at_rest(gain in 0.02..0.6f64, weight in -1.0..1.5f64) {
        let weight = 10f64.powf(weight);
        let text = format!(
            r#"Study(title: "t", system: Hybrid(states: ["y", "v"], parameters: {{"e": 1}},
                modes: {{"fly": Mode(equations: ["y' = v", "v' = -{weight:?}"],
                    events: {{"hit": Event(guard: "y", direction: Down, to: "fly", reset: {{"v": "-e*v"}})}})}},
                start: Start(mode: "fly", at: {{"y": 1}})),
                attractors: [Attractors(name: "s", sweep: "e", range: ({0:?}, {1:?}), count: 2, starts: 2)])"#,
            1.0 + gain,
            1.1 + gain
        );
        let result = run(&text, &[]);
        let kinds: Vec<&str> = result.attractors[0].found.iter().map(|a| a.kind.name()).collect();
        prop_assert!(!kinds.is_empty() && kinds.iter().all(|k| *k == "unsettled"), "{kinds:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2, failure_persistence: None, ..ProptestConfig::default() })]

    /// Two angles, of which one drives the other, and a neuron that sums up what a wave brings and fires: both go round
    /// a torus where the mean rates have no common multiple.
    #[test]
    fn tori_of_two_states_are_seen(depth in 0.1..0.8_f64, k in 1..5_u32) {
        let rate = (f64::from(k) + f64::sqrt(f64::from(k * k + 4))) / 2.0;
        let within = r#"range: (1, 2), count: 1, starts: 1, events: 500"#;
        let text = format!(
            r#"Study(title: "t", systems: {{
                "driven": Smooth(states: ["a", "b"], angles: {{"a": "2*pi", "b": "2*pi"}}, parameters: {{"c": 1}},
                    equations: ["a' = {rate:?} + {depth:?}*sin(b)", "b' = 1"]),
                "fires": Hybrid(states: ["v"], parameters: {{"c": 1}}, forcing: Forcing(period: "1"),
                    modes: {{"on": Mode(equations: ["v' = {rate:?}*(1 + {depth:?}*cos(2*pi*t))"],
                        events: {{"fire": Event(guard: "v - 1", direction: Up, to: "on", reset: {{"v": "0"}})}})}})}},
                attractors: [Attractors(name: "d", system: "driven", sweep: "c", {within}), Attractors(name: "f", system: "fires", sweep: "c", {within})])"#
        );
        let result = run(&text, &[]);
        for sweep in &result.attractors {
            let kinds: Vec<&str> = sweep.found.iter().map(|a| a.kind.name()).collect();
            prop_assert_eq!(kinds, ["torus"], "{}", &sweep.name);
        }
    }
}
