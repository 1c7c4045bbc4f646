//! Searches for starts: each orbit once, wherever it is told from; and the numbers that tell orbits apart.

use super::support::{assert_close, curve, run, value};
use slipstick_orbit::Searched;
use slipstick_study::{self as study, Observer, Stop};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A linear oscillator under a harmonic force, x'' + c x' + x = a cos 2t.
fn forced(seeds: &str) -> String {
    format!(
        r#"Study(title: "forced", system: Smooth(states: ["x", "v"], parameters: {{"a": 1, "c": 0.1}}, equations: ["x' = v", "v' = -c*v - x + a*cos(2*t)"],
            forcing: Forcing(period: "pi")),
            curves: [Curve(name: "r", orbit: PeriodicOrbit, start: All(at: {{"a": 1}}{seeds}), free: "a", range: (0.5, 5), levels: {{"a": [1, 3]}})])"#
    )
}

#[test]
fn a_forced_orbit_is_found_once() {
    let result = run(&forced(", seeds: 40"), &[]);
    assert_eq!(result.curves.len(), 1);
    let r = curve(&result, "r");
    // The response is a / sqrt((1 - 4)² + (2 c)²) at frequency 2; the norm leaves the phase out.
    let gain = 9.04f64.sqrt().recip();
    let mut levels = 0;
    for p in r.points().map(|p| p.2) {
        let a = value(r, p, "a");
        assert_close("x_max", value(r, p, "x_max"), gain * a, 1e-8);
        assert_close("v_min", value(r, p, "v_min"), -2.0 * gain * a, 1e-8);
        assert_close("l2_norm", value(r, p, "l2_norm"), gain * a * 2.5f64.sqrt(), 1e-8);
        levels += usize::from(a == 1.0 || a == 3.0);
    }
    assert!(levels >= 2);
}

#[test]
fn orbits_of_a_bistable_forced_oscillator_are_told_apart() {
    let text = r#"Study(title: "Duffing", system: Smooth(states: ["x", "v"], parameters: {"w": 1.6, "F": 0.5, "d": 0.05},
        equations: ["x' = v", "v' = -2*d*v - x - x^3 + F*cos(w*t)"], forcing: Forcing(period: "2*pi/w")),
        curves: [Curve(name: "r", orbit: PeriodicOrbit, start: All(at: {"w": 1.6}, within: {"x": (-2, 2), "v": (-3, 3)}, seeds: 60), free: "w", range: (0.9, 2.6))],
        attractors: [Attractors(name: "seen", sweep: "w", range: (1.4, 2.2), count: 5, starts: 4, within: {"x": (-2, 2), "v": (-2, 2)})])"#;
    let result = run(text, &[]);
    assert_eq!(
        result.curves.len(),
        1,
        "{:?}",
        result.curves.iter().map(|c| &c.name).collect::<Vec<_>>()
    );
    // Two attracting responses and one saddle between them lie on one curve with two folds.
    let folds: Vec<_> = result.curves[0]
        .points()
        .filter(|p| p.2.label.is_some_and(|l| l.code() == "LP"))
        .collect();
    assert_eq!(folds.len(), 2);
    let seen = &result.attractors[0];
    assert!(seen.missing.is_empty(), "{:?}", seen.missing);
}

#[test]
fn limit_cycles_are_found_once_and_recognised_on_their_curve() {
    let text = r#"Study(title: "van der Pol", system: Smooth(states: ["x", "y"], parameters: {"e": 0.5}, equations: ["x' = y", "y' = e*(1 - x^2)*y - x"], start: {"x": 1, "y": 0}),
        curves: [Curve(name: "c", orbit: PeriodicOrbit, start: Settle(at: {"e": 0.5}), free: "e", range: (0.2, 1.5))],
        attractors: [Attractors(name: "seen", sweep: "e", range: (0.3, 1), count: 3, starts: 4, within: {"x": (-2, 2), "y": (-2, 2)})])"#;
    let result = run(text, &[]);
    let seen = &result.attractors[0];
    assert!(seen.missing.is_empty(), "{:?}", seen.missing);
    assert_eq!(seen.found.len(), 3, "{:?}", seen.found);
}

#[test]
fn a_start_at_another_value_is_said() {
    let text = r#"Study(title: "fold", system: Smooth(states: ["x"], parameters: {"r": 1}, equations: ["x' = r + x^2"]),
        curves: [
            Curve(name: "away", orbit: Equilibrium, start: All(at: {"r": 1}, within: {"x": (-2, 2)}), free: "r", range: (-1, 2)),
            Curve(name: "there", orbit: Equilibrium, start: All(at: {"r": -0.5}, within: {"x": (-2, 2)}), free: "r", range: (-1, 2)),
        ])"#;
    let result = run(text, &[]);
    let note = &curve(&result, "away").note;
    assert!(
        note.contains("no equilibrium was found at r = 1 as requested") && note.contains("at r = -"),
        "{note}"
    );
    assert!(curve(&result, "there").note.is_empty());
}

/// Stops the run at the first word of a search.
struct Impatient {
    stop: Stop,
    told: AtomicUsize,
}

impl Observer for Impatient {
    fn searching(&self, name: &str, value: f64, so_far: Searched) {
        assert!(name == "r" && value == 1.0 && so_far.seeds > 10);
        self.told.fetch_add(1, Ordering::Relaxed);
        if so_far.tried == 3 {
            self.stop.request();
        }
    }
}

#[test]
fn a_search_stops_when_it_is_told_to() {
    let loaded = study::parse("study.ron".as_ref(), forced("")).unwrap();
    let plan = loaded.plan(&[]).unwrap();
    let observer = Impatient {
        stop: Stop::default(),
        told: AtomicUsize::new(0),
    };
    let result = study::run(&plan, &observer, &observer.stop);
    assert!(result.stopped);
    assert_eq!(observer.told.load(Ordering::Relaxed), 4);
}

#[test]
fn a_fold_locus_through_a_cusp_is_one_curve() {
    let text = r#"Study(title: "Duffing", system: Smooth(states: ["x", "v"], parameters: {"omega": 0.5, "F": 0.5, "d": 0.1},
        forcing: Forcing(period: "2*pi/omega"), equations: ["x' = v", "v' = -2*d*v - x - x^3 + F*cos(omega*t)"]),
        curves: [Curve(name: "response", orbit: PeriodicOrbit, start: Settle(at: {"omega": 1}), free: "omega", range: (0.9, 3))],
        loci: [Locus(name: "folds", from: "response: LP", free: ("omega", "F"), range: ((0.9, 3), (0.05, 1)))])"#;
    let result = run(text, &[]);
    let folds = result.curves[0]
        .points()
        .filter(|p| p.2.label.is_some_and(|l| l.code() == "LP"));
    assert_eq!(folds.count(), 2);
    let names: Vec<_> = result.curves[1..].iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["folds"]);
    let cusps = curve(&result, "folds")
        .points()
        .filter(|p| p.2.label.is_some_and(|l| l.code() == "CP"));
    assert_eq!(cusps.count(), 1);
}

#[test]
fn an_inequality_that_is_zero_at_the_start_is_named() {
    // The block comes to the belt with its speed: `v < V` is zero where slipping ends, and so nearly is a condition that
    // does not follow from that.
    let text = r#"Study(title: "belt", system: Hybrid(states: ["x", "v"], parameters: {"V": 0.3, "d": 0.02},
        define: {"friction(w)": "1 - 0.6*w/(1 + w) + 0.3*w^3"},
        modes: {
            "slip": Mode(equations: ["x' = v", "v' = -x - 2*d*v + friction(V - v)"], admissible: ["V - v > 1e-12*x"], events: {"land": Event(guard: "v - V", direction: Up, to: "stick")}),
            "stick": Mode(kind: Stick, states: ["x"], absent: {"v": "V"}, equations: ["x' = V"], events: {"release": Event(guard: "x + 2*d*V - 1", direction: Up, to: "slip")}),
        },
        start: Start(mode: "slip", at: {"x": 0, "v": 0})),
        curves: [Curve(name: "stickslip", orbit: Periodic("slip stick"), start: Settle(at: {"V": 0.3}), free: "V", range: (0.01, 3))])"#;
    let result = run(text, &[]);
    assert!(result.curves.is_empty(), "{}", result.curves[0].ended());
    let reason = &result.missing[0].reason;
    assert!(
        reason.contains("V - v > 1e-12*x") && reason.contains("an inequality is zero there"),
        "{reason}"
    );
    let implied = run(&text.replace("V - v > 1e-12*x", "v < V"), &[]);
    let plain = run(&text.replace("admissible: [\"V - v > 1e-12*x\"],", ""), &[]);
    let [implied, plain] = [&implied, &plain].map(|result| curve(result, "stickslip"));
    assert_eq!((implied.len(), implied.ended()), (plain.len(), plain.ended()));
}

#[test]
fn everywhere_is_in_the_range_wherever_the_default_is() {
    // Orbits of period 3 of the circle map lie around W = 2π/3.
    let text = r#"Study(title: "circle", system: Map(states: ["th"], angles: {"th": "2*pi"}, parameters: {"W": 1, "K": 0.9},
        equations: ["th+ = th + W - K*sin(th)"]),
        curves: [Curve(name: "c", orbit: Cycle(3), start: Everywhere(), free: "W", range: (1.9, 2.3))])"#;
    let result = run(text, &[]);
    let points = curve(&result, "c").points();
    assert!(
        points
            .into_iter()
            .all(|(_, _, p)| (p.point.parameter() - 2.0 * std::f64::consts::FRAC_PI_3).abs() < 0.2)
    );
    let given = text.replace("Everywhere()", r#"Everywhere(at: {"W": 1})"#);
    let refused = study::parse("study.ron".as_ref(), given).and_then(|loaded| loaded.plan(&[]));
    assert!(refused.is_err_and(|e| e.to_string().contains("outside the range")));
}
