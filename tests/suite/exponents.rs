//! Lyapunov exponents: closed forms, sums that hold for every motion, and multipliers.

use super::support::{planned, run};
use proptest::prelude::*;
use slipstick_flow::exponents::{ExponentOptions, Spectrum, SpectrumError, covariant_vectors, spectrum};
use slipstick_flow::{FlowError, SimulationOptions, simulate};
use slipstick_report::Table;
use slipstick_study::{Plan, RunResult};
use slipstick_system::catalogue::stiction;

/// The spectrum of the motion from the start of a system as a study writes it.
fn of(system: &str, options: &ExponentOptions) -> Spectrum {
    try_of(system, options).unwrap()
}

fn try_of(system: &str, options: &ExponentOptions) -> Result<Spectrum, SpectrumError> {
    let plan = plan(system);
    let system = &plan.systems[0].system;
    let (mode, x) = &system.start_at(&system.default_parameters());
    spectrum(system, *mode, x, &system.default_parameters(), options)
}

fn plan(system: &str) -> Plan {
    let text = format!(r#"Study(title: "t", system: {system}, simulations: [Simulation(name: "s", time: 1)])"#);
    planned(&text, &[]).0
}

fn over(transient: f64, time: f64) -> ExponentOptions {
    ExponentOptions {
        transient,
        time,
        ..ExponentOptions::default()
    }
}

fn values(found: &Spectrum) -> Vec<f64> {
    found.exponents.iter().map(|e| e.value).collect()
}

/// The table of a task.
fn table<'r>(result: &'r RunResult, name: &str) -> &'r Table {
    let tables = result.analyses.iter().flat_map(|a| &a.tables);
    tables.into_iter().find(|(n, _)| n == name).map(|(_, t)| t).unwrap()
}

const LORENZ: &str = r#"Smooth(states: ["x", "y", "z"], parameters: {"s": 10, "r": 28, "b": 2.6666666666666665},
    equations: ["x' = s*(y - x)", "y' = x*(r - z) - y", "z' = x*y - b*z"], start: {"x": 1, "y": 2, "z": 20})"#;

#[test]
fn lorenz_has_the_published_exponents_and_their_exact_sum() {
    let found = of(LORENZ, &over(50.0, 500.0));
    let [largest, zero, least] = found.exponents[..] else {
        panic!("three")
    };
    // J. Sprott, Chaos and Time-Series Analysis (2003): 0.9056, 0, -14.5723; dimension 2.062.
    assert!(
        (largest.value - 0.9056).abs() < 4.0 * largest.error && largest.error < 0.02,
        "{found:?}"
    );
    assert!(zero.value.abs() < 4.0 * zero.error.max(1e-3), "{found:?}");
    assert!((least.value + 14.5723).abs() < 4.0 * least.error, "{found:?}");
    assert!((found.sum.value + 41.0 / 3.0).abs() < 1e-7, "{:?}", found.sum);
    assert!((found.kaplan_yorke() - 2.062).abs() < 5e-3, "{}", found.kaplan_yorke());
}

#[test]
fn a_hamiltonian_flow_has_pairs_of_opposite_exponents() {
    // Hénon and Heiles at the energy 1/8, in the chaotic sea.
    let text = r#"Smooth(states: ["x", "y", "u", "v"], parameters: {"l": 1},
        equations: ["x' = u", "y' = v", "u' = -x - 2*l*x*y", "v' = -y - l*(x^2 - y^2)"],
        start: {"x": 0, "y": -0.25, "u": 0.42081864, "v": 0})"#;
    let found = of(text, &over(100.0, 2000.0));
    let e = &found.exponents;
    for k in 0..2 {
        let (a, b) = (e[k], e[3 - k]);
        assert!(
            (a.value + b.value).abs() < 1e-3 + 3.0 * (a.error + b.error),
            "{found:?}"
        );
    }
    assert!(e[0].value > 0.02 && found.sum.value.abs() < 1e-9, "{found:?}");
}

/// A linear impact oscillator x'' + c x' + x = F cos τ, τ' = w, with a wall at x = d and restitution r.
fn impact_oscillator(c: f64, f: f64, w: f64, d: f64, r: f64) -> String {
    format!(
        r#"Hybrid(states: ["x", "v", "theta"], angles: {{"theta": "2*pi"}}, parameters: {{"c": {c}, "F": {f}, "w": {w}, "d": {d}, "r": {r}}},
            modes: {{"flight": Mode(equations: ["x' = v", "v' = F*cos(theta) - x - c*v", "theta' = w"],
                events: {{"impact": Event(guard: "x - d", direction: Up, to: "flight", reset: {{"v": "-r*v"}})}})}},
            start: Start(mode: "flight", at: {{"x": -0.5, "v": 0.1}}))"#
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// Chaotic or not, the volume shrinks by -c while in flight and by r² at each impact: by r for the velocity itself
    /// and by r because neighbours arrive at other times.
    #[test]
    fn the_sum_of_an_impact_oscillator_follows_from_its_rate_of_impacts(
        c in 0.02..0.3_f64, f in 0.5..2.0_f64, w in 0.6..3.2_f64, d in 0.0..0.5_f64, r in 0.5..0.95_f64,
    ) {
        let text = impact_oscillator(c, f, w, d, r);
        let plan = plan(&text);
        let system = &plan.systems[0].system;
        let (mode, x) = &system.start_at(&system.default_parameters());
        let p = system.default_parameters();
        let options = over(60.0, 400.0);
        let found = match spectrum(system, *mode, x, &p, &options) {
            // Some chatter, and there is no mode for contact.
            Err(SpectrumError::Flow(FlowError::Accumulates { .. })) => return Ok(()),
            found => found.unwrap(),
        };
        let off = found.sum.value - (-c + 2.0 * r.ln() * found.events);
        prop_assert!(off.abs() < 1e-9, "{off:e} {found:?}");
        // Where the motion is regular, another simulation meets the wall as often.
        if found.exponents[0].value < 1e-2 {
            let whole = SimulationOptions { t_end: 460.0, flow: options.flow, ..SimulationOptions::default() };
            let motion = simulate(system, *mode, x, &p, &whole).unwrap();
            let impacts = motion.segments.iter().filter(|s| s.event.is_some() && s.t0 + s.duration > 60.0).count();
            prop_assert!((impacts as f64 - found.events * 400.0).abs() < 1.5, "{impacts} {found:?}");
        }
        prop_assert!(found.exponents.iter().any(|e| e.value.abs() < 0.02 + 3.0 * e.error), "time itself: {found:?}");
    }

    /// The real parts of eigenvalues, for states whose units differ by many orders of magnitude.
    #[test]
    fn a_linear_flow_has_the_real_parts_of_its_eigenvalues(
        a in -1.0..-0.05_f64, b in -3.0..-1.2_f64, s in -7.0..7.0_f64, k in 0.1..2.0_f64,
    ) {
        let unit = 10f64.powf(s);
        let coupling = k * unit;
        let text = format!(
            r#"Smooth(states: ["x", "y"], parameters: {{"a": {a}, "b": {b}}},
                equations: ["x' = a*x", "y' = {coupling}*x + b*y"], start: {{"x": 1, "y": {unit}}})"#
        );
        let found = of(&text, &over(60.0 / (a - b), 40.0));
        prop_assert!((found.exponents[0].value - a).abs() < 1e-6 * (1.0 + a.abs()), "{found:?}");
        prop_assert!((found.exponents[1].value - b).abs() < 1e-6 * (1.0 + b.abs()), "{found:?}");
        prop_assert!((found.sum.value - a - b).abs() < 1e-8, "{found:?}");
    }

    /// Hénon's map contracts areas by |b| at every iterate, however small b is.
    #[test]
    fn the_sum_of_henon_s_map_is_the_logarithm_of_b(a in 1.0..1.35_f64, exponent in -25.0..-0.6_f64) {
        let b = 10f64.powf(exponent);
        let text = format!(
            r#"Map(states: ["x", "y"], parameters: {{"a": {a}, "b": {b:e}}}, equations: ["x+ = 1 - a*x^2 + y", "y+ = b*x"],
                start: {{"x": 0.1, "y": 0}})"#
        );
        let found = of(&text, &over(100.0, 2000.0));
        prop_assert!((found.sum.value - b.ln()).abs() < 1e-12 * b.ln().abs(), "{found:?}");
        let all: f64 = values(&found).iter().sum();
        prop_assert!((all - b.ln()).abs() < 1e-11 * b.ln().abs(), "{found:?}");
    }

    /// The logarithms of what multiplies areas along each axis, in random linear coordinates and units.
    #[test]
    fn a_coupled_map_has_the_exponents_of_its_parts(
        r in 3.9..4.0_f64, q in 2.9..3.4_f64, shear in -2.0..2.0_f64, s in -7.0..7.0_f64,
    ) {
        let unit = 10f64.powf(s);
        // u = x, v = unit (y + shear x) for two logistic maps x and y.
        let text = format!(
            r#"Map(states: ["u", "v"], parameters: {{"r": {r}, "q": {q}}},
                equations: ["u+ = r*u*(1 - u)",
                            "v+ = {unit}*(q*(v/{unit} - {shear}*u)*(1 - v/{unit} + {shear}*u) + {shear}*r*u*(1 - u))"],
                start: {{"u": 0.3, "v": {}}})"#,
            unit * (0.4 + shear * 0.3)
        );
        let both = of(&text, &over(400.0, 4000.0));
        let alone = |k: f64, x: f64| {
            let text = format!(r#"Map(states: ["x"], parameters: {{"k": {k}}}, equations: ["x+ = k*x*(1 - x)"], start: {{"x": {x}}})"#);
            of(&text, &over(400.0, 4000.0)).largest()
        };
        let (fast, slow) = (alone(r, 0.3), alone(q, 0.4));
        let apart = |found: f64, known: f64, error: f64| (found - known).abs() < 1e-2 + 5.0 * error;
        // The chaotic motions are not the same ones, the stable cycle is. In windows of the first map both are stable.
        let [first, second] = both.exponents[..] else { panic!("two") };
        if slow.value < -0.05 && fast.value > 0.05 {
            prop_assert!(apart(first.value, fast.value, fast.error + first.error), "{both:?} {fast:?}");
            prop_assert!(apart(second.value, slow.value, slow.error + second.error), "{both:?} {slow:?}");
        }
    }
}

#[test]
fn a_stick_phase_has_the_exponent_minus_infinity_exactly() {
    for omega in [1.36, 1.4, 1.46, 2.0] {
        let system = stiction();
        let slip = system.mode("slip-").unwrap();
        let found = spectrum(
            &system,
            slip,
            &[0.5, -0.1, -0.5],
            &[omega, 1.1, 0.4],
            &over(400.0, 2000.0),
        )
        .unwrap();
        assert_eq!(found.exponents.len(), 3);
        assert_eq!(found.exponents[2].value, f64::NEG_INFINITY, "{found:?}");
        assert!(
            found.exponents[..2].iter().any(|e| e.value.abs() < 1e-2),
            "time itself: {found:?}"
        );
        assert_eq!(found.sum.value, f64::NEG_INFINITY);
    }
}

#[test]
fn a_derivative_that_vanishes_gives_minus_infinity() {
    let superstable = of(
        r#"Map(states: ["x"], parameters: {"r": 2}, equations: ["x+ = r*x*(1 - x)"], start: {"x": 0.5})"#,
        &over(0.0, 100.0),
    );
    assert_eq!(values(&superstable), [f64::NEG_INFINITY]);
    // A projection loses one direction of two.
    let projected = of(
        r#"Map(states: ["x", "y"], parameters: {"a": 0.5}, equations: ["x+ = a*(x + y)", "y+ = a*(x + y)"], start: {"x": 0.5, "y": 0.2})"#,
        &over(10.0, 100.0),
    );
    assert!((projected.exponents[0].value - 0.0).abs() < 1e-12 && projected.exponents[1].value == f64::NEG_INFINITY);
}

#[test]
fn exponents_of_stable_orbits_are_those_of_their_multipliers() {
    // A forced Duffing oscillator, a hybrid orbit and a cycle of a map: motions that settle to an orbit of a curve.
    let duffing = r#"Study(title: "t",
        system: Smooth(states: ["x", "v", "theta"], angles: {"theta": "2*pi"}, parameters: {"F": 0.3, "w": 1.5},
            equations: ["x' = v", "v' = F*cos(theta) - x - x^3/10 - v/5", "theta' = w"], start: {"x": 0.1, "v": 0, "theta": 0}),
        curves: [Curve(name: "c", orbit: PeriodicOrbit, start: Settle(at: {"F": 0.3}), free: "F", range: (0.29, 0.31), levels: {"F": [0.3]})],
        tasks: [Lyapunov(name: "orbit", of: "c, F=0.3"), Lyapunov(name: "motion", time: 600, transient: 200)])"#;
    let impact = format!(
        r#"Study(title: "t", system: {},
        curves: [Curve(name: "c", orbit: Periodic("flight impact"), start: Settle(at: {{"F": 1.0}}), free: "F", range: (0.99, 1.01), levels: {{"F": [1.0]}})],
        tasks: [Lyapunov(name: "orbit", of: "c, F=1"), Lyapunov(name: "motion", time: 3000, transient: 300)])"#,
        impact_oscillator(0.2, 1.0, 2.0, 0.0, 0.7)
    );
    let henon = r#"Study(title: "t",
        system: Map(states: ["x", "y"], parameters: {"a": 0.9, "b": 0.3}, equations: ["x+ = 1 - a*x^2 + y", "y+ = b*x"], start: {"x": 0.1, "y": 0}),
        curves: [Curve(name: "c", orbit: Cycle(2), start: Settle(at: {"a": 0.9}), free: "a", range: (0.89, 0.91), levels: {"a": [0.9]})],
        tasks: [Lyapunov(name: "orbit", of: "c, a=0.9"), Lyapunov(name: "motion", time: 4000, transient: 200)])"#;
    for text in [duffing, &impact, henon] {
        let result = run(text, &[]);
        assert!(result.missing.is_empty(), "{:?}", result.missing);
        let [orbit, motion] =
            ["orbit", "motion"].map(|name| table(&result, name).numbers("exponent").unwrap().to_vec());
        let error = table(&result, "motion").numbers("error").unwrap();
        assert_eq!(orbit.len(), motion.len());
        for ((a, b), e) in orbit.iter().zip(&motion).zip(error) {
            assert!((a - b).abs() < 5e-3 * (1.0 + a.abs()) + 4.0 * e, "{orbit:?} {motion:?}");
        }
    }
}

#[test]
fn covariant_vectors_of_a_fixed_point_are_its_eigenvectors() {
    // Hénon's map at its saddle would be left; a linear map stays.
    let text = r#"Map(states: ["x", "y"], parameters: {"a": 1}, equations: ["x+ = 0.9*x + 0.5*y", "y+ = 0.2*y*a"], start: {"x": 1, "y": 1})"#;
    let plan = plan(text);
    let system = &plan.systems[0].system;
    let found = covariant_vectors(system, 0, &[1.0, 1.0], &[1.0], &over(40.0, 200.0), 20).unwrap();
    assert_eq!(found.len(), 20);
    for point in &found {
        let [a, b] = &point.vectors[..] else { panic!("two") };
        assert!((a[0].abs() - 1.0).abs() < 1e-12 && a[1].abs() < 1e-12, "{a:?}");
        // (0.9 - 0.2) x + 0.5 y = 0.
        assert!((0.7 * b[0] + 0.5 * b[1]).abs() < 1e-12, "{b:?}");
    }
}

#[test]
fn a_covariant_vector_of_lorenz_is_its_field() {
    let plan = plan(LORENZ);
    let system = &plan.systems[0].system;
    let p = system.default_parameters();
    let found = covariant_vectors(system, 0, &[1.0, 2.0, 20.0], &p, &over(50.0, 60.0), 60).unwrap();
    for point in &found {
        let mut f = [0.0; 3];
        system.modes[0].field.value(&point.state, &p, &mut f);
        let size = f.iter().map(|v| v * v).sum::<f64>().sqrt();
        let v = &point.vectors[1];
        let along: f64 = f.iter().zip(v).map(|(f, v)| f * v / size).sum();
        assert!((along.abs() - 1.0).abs() < 1e-6, "{along} at {}", point.t);
    }
}

#[test]
fn what_cannot_be_followed_is_said() {
    // The ball comes to rest after infinitely many impacts.
    let ball = r#"Hybrid(states: ["x", "v"], parameters: {"e": 0.5},
        modes: {"flight": Mode(equations: ["x' = v", "v' = -1"], events: {"bounce": Event(guard: "x", direction: Down, to: "flight", reset: {"v": "-e*v"})})},
        start: Start(mode: "flight", at: {"x": 1}))"#;
    let error = try_of(ball, &over(0.0, 100.0)).unwrap_err();
    assert!(
        matches!(&error, SpectrumError::Flow(FlowError::Accumulates { event, .. }) if event == "bounce"),
        "{error}"
    );
    // A direction that decays a billion times faster than time goes by, and the others without it.
    let stiff = r#"Smooth(states: ["x", "y"], parameters: {"k": 1e9}, equations: ["x' = -x", "y' = -k*(y - x)"], start: {"x": 1, "y": 1})"#;
    let error = try_of(stiff, &over(10.0, 100.0)).unwrap_err();
    assert!(
        matches!(error, SpectrumError::Separation { .. }) && error.to_string().contains("count"),
        "{error}"
    );
    let first = of(
        stiff,
        &ExponentOptions {
            count: Some(1),
            ..over(10.0, 100.0)
        },
    );
    assert!((first.largest().value + 1.0).abs() < 1e-6, "{first:?}");
    let escapes = r#"Map(states: ["x"], parameters: {"r": 5}, equations: ["x+ = r*x*(1 - x)"], start: {"x": 0.3})"#;
    assert!(matches!(
        try_of(escapes, &over(0.0, 1000.0)),
        Err(SpectrumError::Flow(_))
    ));
}
