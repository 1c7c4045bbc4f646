//! Settling on attractors, and the derivative of Poincaré maps.

use super::systems::{Forced, VanDerPol, ball, opaque_stiction, shaw, smooth};
use crate::{
    AfterTransient, AttractingOrbit, FlowError, FlowOptions, TransientError, TransientOptions, poincare, run_transient,
};
use slipstick_system::System;
use slipstick_system::catalogue::stiction;
use std::f64::consts::{PI, TAU};

fn orbit(system: &System, mode: usize, x: &[f64], p: &[f64]) -> AttractingOrbit {
    match run_transient(system, mode, x, p, &TransientOptions::default()).unwrap() {
        AfterTransient::Orbit(orbit) => orbit,
        AfterTransient::Rest { mode, state } => panic!("at rest in {mode} at {state:?}"),
    }
}

#[test]
fn stiction_settles_on_its_symmetric_orbit() {
    // (Ω, phase of slip onset into y < 0, slip time, position there): reference values.
    for (omega, theta0, slip, x0) in [
        (
            2.0,
            -0.602_471_800_393_803_26,
            2.040_458_779_719_814_1,
            0.416_670_202_822_743_24,
        ),
        (
            3.0,
            -0.228_574_888_707_513_99,
            1.293_243_544_958_984_7,
            0.147_398_856_613_965_39,
        ),
        (
            5.0,
            0.051_563_790_668_184_138,
            0.726_731_944_760_249_5,
            0.041_938_362_245_575_255,
        ),
        (
            10.0,
            0.242_521_383_221_078_08,
            0.339_950_855_495_781_69,
            0.008_598_490_164_778_373_9,
        ),
        (
            0.5,
            1.084_881_116_086_470_3,
            2.907_840_047_542_700_7,
            0.863_008_400_885_526_06,
        ),
    ] {
        let system = stiction();
        let p = [omega, 1.1, 0.4];
        // Below resonance permanent stick attracts much; start near the orbit.
        let start = if omega < 1.0 { 0.87 } else { 1.05 / (omega * omega) };
        let orbit = orbit(&system, 2, &[start, 0.0], &p);
        assert!(
            orbit.symmetric && (orbit.period - TAU).abs() < 1e-8,
            "{omega} {orbit:?}"
        );
        // The first letters in order: slip+ (mode 0), landing into stick (mode 2) which releases downwards.
        assert_eq!(orbit.word, [(0, Some(0)), (2, Some(0))], "{omega}");
        assert!((orbit.durations[0] - slip).abs() < 1e-8 && (orbit.durations[1] - (PI - slip)).abs() < 1e-8);
        assert!((orbit.starts[0][0] + x0).abs() < 1e-8, "{omega} {:?}", orbit.starts);
        assert!(orbit.starts[0][1] == 0.0);
        let phase = (orbit.starts[0][2] - theta0 - PI).rem_euclid(TAU);
        assert!(phase.min(TAU - phase) < 1e-8, "{omega} {:?}", orbit.starts);
        // The angle counts on into the stick.
        assert!((orbit.starts[1][1] - orbit.starts[0][2] - slip).abs() < 1e-8);
    }
}

#[test]
fn asymmetric_and_pure_slip_orbits_are_named_by_their_words() {
    let system = stiction();
    // Ω = 1.6: two stops, asymmetric; x_max and x_min of the reference are the positions of the two sticks.
    let two_stops = orbit(&system, 2, &[0.7, 0.0], &[1.6, 1.1, 0.4]);
    assert!(!two_stops.symmetric && two_stops.word.len() == 4, "{two_stops:?}");
    let mut stops: Vec<f64> = (0..4)
        .filter(|&k| two_stops.word[k].0 == 2)
        .map(|k| two_stops.starts[k][0].abs())
        .collect();
    stops.sort_by(f64::total_cmp);
    assert!(
        (stops[0] - 0.660_417_570_321_85).abs() < 1e-8 && (stops[1] - 0.783_367_920_476_62).abs() < 1e-8,
        "{stops:?}"
    );
    // Ω = 1.5: one stop and one reversal.
    let one_stop = orbit(&system, 2, &[0.7, 0.0], &[1.5, 1.1, 0.4]);
    assert_eq!(one_stop.word.len(), 3);
    assert!(!one_stop.symmetric);
    // Ω = 0.8: pure slip of amplitude 2.31257765144571.
    let slip = orbit(&system, 1, &[2.0, 0.0, 0.5], &[0.8, 1.1, 0.4]);
    assert_eq!(slip.word, [(0, Some(1))]);
    assert!(slip.symmetric && (slip.durations[0] - PI).abs() < 1e-8);
}

#[test]
fn shaws_limit_orbit_is_found() {
    let system = shaw();
    let orbit = orbit(&system, 2, &[5.0, 0.0], &[1.0, 1.2, 6.0, 0.5]);
    // One stick per period 4π: go-, reverse, stick; x_stick, durations.
    assert_eq!(orbit.word.len(), 3);
    assert!((orbit.period - 4.0 * PI).abs() < 1e-8);
    let stick = orbit.word.iter().position(|w| w.0 == 2).unwrap();
    assert!((orbit.starts[stick][0] - 6.804_837_100_492_043_752_7).abs() < 1e-8);
    assert!((orbit.durations[stick] - 0.743_972_855_172_620_465_88).abs() < 1e-8);
}

#[test]
fn rest_is_recognised_in_hybrid_and_smooth_systems() {
    let system = stiction();
    let rest = run_transient(&system, 2, &[0.02, 0.3], &[2.0, 1.1, 0.4], &TransientOptions::default()).unwrap();
    assert!(
        matches!(rest, AfterTransient::Rest { mode: 2, ref state } if state[0] == 0.02),
        "{rest:?}"
    );
    // An unforced damped oscillator, with and without an idle angle.
    for states in [&["x", "v", "theta"][..], &["x", "v", "phase"]] {
        let damped = smooth(states, &[4.0, 1.0, 0.0, 1.0], Forced);
        let rest = run_transient(
            &damped,
            0,
            &[1.0, 0.0, 0.0],
            &damped.default_parameters(),
            &TransientOptions::default(),
        )
        .unwrap();
        match rest {
            AfterTransient::Rest { state, .. } => assert!(state[0].abs() < 1e-6 && state[1].abs() < 1e-6),
            // A phase that is not declared an angle runs away; nothing then repeats.
            AfterTransient::Orbit(orbit) => panic!("{orbit:?}"),
        }
    }
}

#[test]
fn smooth_limit_cycles_are_cut_by_a_section() {
    // Van der Pol with Liénard's ε = 1 (μ = 1): period 6.6632868593231301896996820305.
    let system = smooth(&["x", "y"], &[1.0], VanDerPol);
    let cycle = orbit(&system, 0, &[0.1, 0.2], &[1.0]);
    assert_eq!(cycle.word, [(0, None)]);
    assert!(
        (cycle.period - 6.663_286_859_323_130_2).abs() < 1e-8,
        "{}",
        cycle.period
    );
    // The periodic response x = A cos(wt) + B sin(wt) of the damped oscillator.
    let p = [4.0, 0.5, 1.0, 1.3];
    let system = smooth(&["x", "v", "theta"], &p, Forced);
    let response = orbit(&system, 0, &[1.0, 0.0, 2.0], &p);
    assert!((response.period - TAU / 1.3).abs() < 1e-9);
    let (a, b) = (4.0 - 1.3 * 1.3, 0.5 * 1.3);
    let start = &response.starts[0];
    let x = (a * start[2].cos() + b * start[2].sin()) / (a * a + b * b);
    assert!((start[0] - x).abs() < 1e-8, "{start:?}");
}

#[test]
fn restless_and_accumulating_motions_are_reported() {
    let options = TransientOptions {
        max_events: 300,
        ..TransientOptions::default()
    };
    // Ω = 1.4: chaos.
    let error = run_transient(&stiction(), 2, &[0.7, 0.0], &[1.4, 1.1, 0.4], &options).unwrap_err();
    assert!(matches!(error, TransientError::Restless { events: 300, .. }), "{error}");
    let error = run_transient(&ball(), 0, &[0.5, 0.0], &[1.0, 0.5], &options).unwrap_err();
    assert!(
        matches!(error, TransientError::Accumulation { t, .. } if (t - 3.0).abs() < 1e-6),
        "{error}"
    );
}

#[test]
fn the_poincare_map_of_landing_has_the_multiplier_of_the_orbit() {
    let p = [2.0, 1.1, 0.4];
    let (x0, theta0, slip) = (
        0.416_670_202_822_743_24,
        -0.602_471_800_393_803_26,
        2.040_458_779_719_814_1,
    );
    for (system, tolerance) in [(stiction(), 1e-10), (opaque_stiction(), 1e-8)] {
        // Landing at the end of slip-: x = -x0, y = 0.
        let landed = [-x0, 0.0, theta0 + slip];
        let map = |x: &[f64]| poincare(&system, 1, 0, x, &p, 20.0, FlowOptions::default()).unwrap();
        let back = map(&landed);
        assert!((back.t - TAU).abs() < tolerance && (back.x[0] + x0).abs() < tolerance);
        assert_eq!(back.word, [(2, 1), (0, 0), (2, 0), (1, 0)]);
        let matrix = nalgebra::DMatrix::from_row_slice(3, 3, &back.dx);
        let largest = matrix
            .complex_eigenvalues()
            .iter()
            .map(|v| v.re)
            .fold(f64::NEG_INFINITY, f64::max);
        assert!((largest - 0.610_209_441_747_798).abs() < 10.0 * tolerance, "{largest}");
        // Sticking loses memory: the map has rank one.
        assert!(matrix.determinant().abs() < tolerance);
        for j in [0, 2] {
            let h = 1e-5;
            let at = |s: f64| {
                let mut x = landed;
                x[j] += s * h;
                map(&x)
            };
            let (a, b) = (at(1.0), at(-1.0));
            for i in 0..3 {
                let d = (a.x[i] - b.x[i]) / (2.0 * h);
                assert!(
                    (d - back.dx[i * 3 + j]).abs() < 1e-5,
                    "{i}{j} {d} {}",
                    back.dx[i * 3 + j]
                );
            }
            assert!(((a.t - b.t) / (2.0 * h) - back.dt[j]).abs() < 1e-5);
        }
    }
}

#[test]
fn events_that_do_not_return_are_reported() {
    let system = stiction();
    let p = [2.0, 1.1, 0.4];
    let lost = poincare(&system, 1, 0, &[0.01, 0.0, 0.0], &p, 50.0, FlowOptions::default());
    assert!(matches!(lost, Err(FlowError::NoReturn { .. })), "{lost:?}");
    assert!(poincare(&system, 1, 5, &[0.01, 0.0, 0.0], &p, 50.0, FlowOptions::default()).is_err());
}
