//! Shaw's oscillator against event-driven solutions in high precision, and against published and recomputed numbers.
#![allow(clippy::excessive_precision)]

use slipstick_models::friction::shaw::quasi_static::{QuasiStatic, first_slips, frozen_slip, ramp_slip, slow_forcing};
use slipstick_models::friction::shaw::{
    Cascade, CascadeError, Ensemble, EnsembleStatistics, EulerScheme, Forcing, Interpolation, Motion, Oscillator,
    PathSolver, Statistic, Tone, convergence,
};
use std::f64::consts::PI;

const EQUAL: Oscillator = Oscillator {
    mass: 1.0,
    stiffness: 1.0,
    beta: 6.0,
    alpha: 0.0,
    f_s: 1.0,
    f_d: 1.0,
};

fn run(oscillator: Oscillator, x0: f64, to: f64) -> Cascade {
    Cascade::new(oscillator, &Forcing::harmonic(0.5), (0.0, x0, 0.0), to).unwrap()
}

#[track_caller]
fn near(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance, "{a:.17} is not {b:.17}: off by {:e}", a - b);
}

/// Names, times, places of the instants after the start; NaN stands for a number not recorded.
#[track_caller]
fn instants(cascade: &Cascade, expected: &[(&str, &str, f64, f64)], tolerance: f64) {
    for (row, &(name, begins, t, x)) in cascade.instants()[1..].iter().zip(expected) {
        assert_eq!(
            (row.tau.to_string().as_str(), row.begins.to_string().as_str()),
            (name, begins)
        );
        for (got, known) in [(row.t, t), (row.x, x)] {
            if !known.is_nan() {
                near(got, known, tolerance);
            }
        }
    }
    assert!(cascade.instants().len() > expected.len());
}

#[test]
fn the_cascade_of_the_published_parameters() {
    let c = run(Oscillator::default(), 5.0, 40.0);
    instants(
        &c,
        &[
            ("tau_1/2", "slip-", 1.769_886_724_352_371_7, 5.0),
            ("tau_0^1", "slip+", 6.612_500_893_255_580_8, -10.099_616_368_056_499),
            ("tau_1", "stick", 11.865_613_744_489_809, 6.454_329_708_431_707_9),
            ("tau_3/2", "slip-", 13.574_106_471_551_276, 6.454_329_708_431_707_9),
            ("tau_1^1", "slip+", 18.912_462_544_111_356, -9.470_096_179_474_133_3),
            ("tau_2", "stick", 25.032_034_472_764_648, 6.542_627_731_704_388),
            ("tau_5/2", "slip-", 26.077_720_715_962_224, 6.542_627_731_704_388),
            ("tau_2^1", "slip+", 31.464_717_201_029_785, -9.406_680_066_098_148),
            ("tau_3", "stick", 37.625_751_609_083_736, 6.600_495_221_263_206),
        ],
        4e-14,
    );
    near(c.instants()[2].force, 4.180_77, 5e-6);
    // The first four instants lie where the time axis of the source's Fig. 1 has them.
    for (row, tau) in [1, 3, 4, 6].into_iter().zip([1.7699, 11.8656, 13.5741, 25.0320]) {
        near(c.instants()[row].t, tau, 5e-5);
    }
}

#[test]
fn a_start_at_zero_slips_at_once() {
    let c = run(Oscillator::default(), 0.0, 15.0);
    assert_eq!(
        (c.instants()[0].tau.to_string().as_str(), c.instants()[0].begins),
        ("tau_1/2", Motion::SlipUp)
    );
    instants(
        &c,
        &[
            ("tau_0^1", "slip-", 2.562_089_250_717_698_3, 50.0 / 7.0),
            ("tau_0^2", "slip+", 6.431_463_087_750_689, -12.407_908_149_168_531),
            ("tau_0^3", "slip-", 10.785_972_634_146_744, 5.513_021_126_172_159),
            ("tau_1", "stick", 11.463_302_153_826_642, 5.459_432_588_976_291),
            ("tau_3/2", "slip-", 14.129_235_414_658_267, 5.459_432_588_976_291),
        ],
        // The last slip is short, with a small acceleration: its end amplifies rounding a hundredfold.
        5e-14,
    );
}

#[test]
fn equal_friction_coefficients() {
    let c = run(EQUAL, 5.0, 1300.0);
    instants(
        &c,
        &[
            ("tau_1/2", "slip-", 1.682_137_341_135_860_5, 5.0),
            ("tau_0^1", "slip+", 6.612_768_406_676_478, f64::NAN),
            ("tau_1", "stick", 11.869_424_101_148_869, 6.459_501_298_451_293_3),
            ("tau_3/2", "slip-", 13.421_795_998_056_31, 6.459_501_298_451_293_3),
            ("tau_1^1", "slip+", f64::NAN, f64::NAN),
            ("tau_2", "stick", 25.031_731_588_417_037, 6.557_808_919_995_025),
        ],
        4e-14,
    );
    // The place of rest creeps to 7 algebraically.
    let rests: Vec<f64> = c
        .instants()
        .iter()
        .filter(|i| i.begins == Motion::Stick)
        .map(|i| i.x)
        .skip(1)
        .collect();
    let cycles = [0, 1, 2, 5, 10, 20, 50, 100];
    let expected = [
        6.459_501, 6.557_809, 6.623_177, 6.735_188, 6.820_442, 6.889_530, 6.948_118, 6.972_315,
    ];
    for (n, x) in cycles.into_iter().zip(expected) {
        near(rests[n], x, 5.1e-7);
    }
}

/// The place where the mass rests one period after resting at `x` at t = 0, when the forcing is at its crest.
fn stick_map(x: f64) -> (f64, Cascade) {
    let c = run(Oscillator::default(), x, 4.0 * PI);
    (c.at(4.0 * PI).x, c)
}

#[test]
fn the_limit_orbit_and_its_multiplier() {
    let slope = |x: f64, h: f64| (stick_map(x + h).0 - stick_map(x - h).0) / (2.0 * h);
    let mut x = 6.8;
    for _ in 0..6 {
        x -= (stick_map(x).0 - x) / (slope(x, 1e-5) - 1.0);
    }
    near(x, 6.804_837_100_492_044, 2e-13);
    let (_, c) = stick_map(x);
    let rows = c.instants();
    near(0.5 * rows[1].t, 0.364_955_857_892_614_3, 1e-13);
    near(rows[1].t, 0.729_911_715_785_228_6, 1e-13);
    near(rows[2].t, 6.294_744_515_776_257, 1e-13);
    near(rows[2].x, -9.195_488_003_271_742, 2e-13);
    near(rows[3].t, 12.552_309_474_971_781, 2e-13);
    near(rows[3].force, -0.804_985_386_611_894_2, 2e-13);
    assert_eq!(rows.len(), 4);
    let slip = rows[3].t - rows[1].t;
    near(slip, 11.822_397_759_186_553, 2e-13);
    near(4.0 * PI - slip, 0.743_972_855_172_620_5, 2e-13);
    near(
        c.time_at_rest(0.0, 4.0 * PI) / (4.0 * PI),
        0.059_203_478_713_456_65,
        2e-14,
    );
    // Richardson on central differences.
    let multiplier = (4.0 * slope(x, 1e-4) - slope(x, 2e-4)) / 3.0;
    near(multiplier, 0.868_600_475_773_888_5, 1e-10);
    // The mirror image, half a period later.
    let mirrored = Cascade::new(
        Oscillator::default(),
        &Forcing::harmonic(0.5),
        (2.0 * PI, -x, 0.0),
        6.0 * PI,
    )
    .unwrap();
    near(mirrored.at(6.0 * PI).x, -x, 1e-12);
}

#[test]
fn resonance_leaves_a_continuum_of_orbits_that_never_stick() {
    for x0 in [7.5, 8.0, 8.7] {
        let c = run(Oscillator::default(), x0, 40.0 * PI);
        assert!(c.instants().iter().all(|i| i.begins != Motion::Stick));
        for n in 0..10 {
            let t = 4.0 * PI * f64::from(n);
            near(c.at(t).x, x0, 1e-12);
            near(c.at(t + 2.0 * PI).x, x0 - 16.0, 1e-12);
        }
    }
}

#[test]
fn viscous_damping_mass_and_stiffness_enter_as_they_should() {
    // Units: with m, K and α free, time scales with 1/w, forces with K. The same motion in other units.
    let plain = Oscillator {
        alpha: 0.15,
        ..Oscillator::default()
    };
    let (m, k) = (2.5, 40.0);
    let w = f64::sqrt(k / m);
    let scaled = Oscillator {
        mass: m,
        stiffness: k,
        beta: 6.0,
        alpha: 0.15 * k / w,
        f_s: 1.2 * k,
        f_d: k,
    };
    let a = run(plain, 5.0, 40.0);
    let b = Cascade::new(scaled, &Forcing::harmonic(0.5 * w), (0.0, 5.0, 0.0), 40.0 / w).unwrap();
    assert!(a.instants().len() > 5);
    for (p, q) in a.instants().iter().zip(b.instants()) {
        assert_eq!(p.tau, q.tau);
        near(p.t, q.t * w, 1e-12);
        near(p.x, q.x, 1e-12);
    }
    // And the equation of motion holds, by differences of the velocity.
    let h = 1e-4;
    for t in [3.0, 9.0, 17.0] {
        let s = a.at(t);
        let acceleration = (a.at(t + h).v - a.at(t - h).v) / (2.0 * h);
        near(acceleration, s.force - s.friction, 1e-7);
    }
}

#[test]
fn an_interpolated_forcing_gives_the_motion_of_the_function() {
    let exact = run(Oscillator::default(), 5.0, 28.0);
    let cubic = Forcing::function(|t| (0.5 * t).cos(), 0.0, 28.0, 1e-11).unwrap();
    let c = Cascade::new(Oscillator::default(), &cubic, (0.0, 5.0, 0.0), 28.0).unwrap();
    assert_eq!(c.instants().len(), exact.instants().len());
    for (p, q) in c.instants().iter().zip(exact.instants()) {
        near(p.t, q.t, 1e-9);
    }
    // Straight lines: the error falls by four when the record is twice as dense.
    let error = |n: usize| {
        let times: Vec<f64> = (0..=n).map(|i| 28.0 * i as f64 / n as f64).collect();
        let values: Vec<f64> = times.iter().map(|t| (0.5 * t).cos()).collect();
        let forcing = Forcing::record(&times, &values, Interpolation::Linear).unwrap();
        let c = Cascade::new(Oscillator::default(), &forcing, (0.0, 5.0, 0.0), 28.0).unwrap();
        (0..=280)
            .map(|i| 0.1 * f64::from(i))
            .map(|t| (c.at(t).x - exact.at(t).x).abs())
            .fold(0.0, f64::max)
    };
    let ratio = error(560) / error(1120);
    assert!((3.5..4.5).contains(&ratio), "{ratio}");
}

#[test]
fn a_forcing_that_ends_too_early_or_parameters_without_sense_are_refused() {
    let forcing = Forcing::record(&[0.0, 1.0], &[0.0, 1.0], Interpolation::Linear).unwrap();
    let e = Cascade::new(Oscillator::default(), &forcing, (0.0, 0.0, 0.0), 2.0).unwrap_err();
    assert!(e.to_string().contains("given on [0, 1]"), "{e}");
    let bad = Oscillator {
        f_s: 0.5,
        ..Oscillator::default()
    };
    let e = Cascade::new(bad, &Forcing::harmonic(0.5), (0.0, 0.0, 0.0), 2.0).unwrap_err();
    assert!(matches!(e, CascadeError::Parameter(p) if p.name == "f_s"));
    assert!(EulerScheme::new(Oscillator::default(), 0.0).is_err());
}

#[test]
fn the_euler_scheme_is_of_first_order_with_the_known_constants() {
    let steps = [1e-2, 5e-3, 1e-3, 1e-4];
    let cases = [
        (
            Oscillator::default(),
            5.0,
            [0.124_13, 0.062_188, 0.012_347, 0.001_237_32],
        ),
        (Oscillator::default(), 0.0, [0.269_48, 0.129_73, 0.026_056, 0.002_572_2]),
        (EQUAL, 5.0, [0.125_17, 0.062_581, 0.012_539, 0.001_245_7]),
    ];
    for (oscillator, x0, expected) in cases {
        let rows = convergence(oscillator, &Forcing::harmonic(0.5), (0.0, x0, 0.0), 28.0, 0.1, &steps).unwrap();
        for (row, e) in rows.iter().zip(expected) {
            near(row.displacement / e, 1.0, 6e-5);
            assert!((0.7..1.4).contains(&(row.velocity / e)), "{row:?}");
        }
        near(rows[3].order, 1.0, 0.02);
    }
}

#[track_caller]
fn band(what: &str, s: Statistic, mean: f64, their_error: f64) {
    let width = 4.0 * s.standard_error.hypot(their_error);
    assert!(
        (s.mean - mean).abs() <= width,
        "{what}: {:?} is not {mean} ± {width}",
        s
    );
}

#[test]
fn noise_statistics_of_the_euler_scheme() {
    let coarse = Ensemble {
        paths: 1500,
        seed: 11,
        ..Ensemble::default()
    }
    .run()
    .unwrap();
    band("departures", coarse.departures, 6.474, 0.014);
    // Reversals through a step of zero velocity are told from rests here, which moves this count by a per cent at h =
    // 1e-2.
    near(
        coarse.sub_phases.mean,
        8.208,
        4.0 * coarse.sub_phases.standard_error.hypot(0.013) + 0.1,
    );
    band("stick", coarse.stick_fraction, 0.058_98, 0.000_25);
    band("square", coarse.mean_square, 34.832, 0.032);
    near(coarse.max_abs.mean, 11.183, 4.0 * coarse.max_abs.standard_error + 1e-3);
    let fine = Ensemble {
        paths: 400,
        step: 5e-4,
        seed: 12,
        ..Ensemble::default()
    }
    .run()
    .unwrap();
    band("departures", fine.departures, 6.932, 0.016);
    band("sub-phases", fine.sub_phases, 8.620, 0.015);
    band("stick", fine.stick_fraction, 0.055_23, 0.000_24);
    band("square", fine.mean_square, 34.578, 0.031);
    band("final", fine.final_x, -4.882, 0.014);
    near(fine.max_abs.mean, 11.094, 4.0 * fine.max_abs.standard_error + 1e-3);
    near(fine.departures.deviation, 2.25, 4.0 * 2.25 / f64::sqrt(800.0));
    near(fine.final_x.deviation, 2.01, 4.0 * 2.01 / f64::sqrt(800.0));
}

#[test]
fn noise_statistics_in_the_stationary_window() {
    for (rho, departures, stick, square) in [
        (0.25, (34.41, 0.12), (0.033_04, 0.000_28), Some((36.45, 0.04))),
        (0.1, (26.21, 0.08), (0.041_05, 0.000_6), None),
    ] {
        let e = Ensemble {
            rho,
            paths: 40,
            step: 1e-3,
            from: 200.0,
            to: 400.0,
            seed: 3,
            ..Ensemble::default()
        };
        let s = e.run().unwrap();
        band("departures", s.departures, departures.0, departures.1);
        band("stick", s.stick_fraction, stick.0, stick.1);
        if let Some((mean, error)) = square {
            band("square", s.mean_square, mean, error);
        }
    }
}

#[test]
fn path_by_path_the_scheme_approaches_the_exact_motion_under_the_same_noise() {
    let excess = |step: f64| {
        let euler = Ensemble {
            paths: 80,
            seed: 8,
            step,
            ..Ensemble::default()
        };
        let exact = Ensemble {
            solver: PathSolver::Exact,
            ..euler
        };
        let (a, b) = (euler.run().unwrap(), exact.run().unwrap());
        // The scheme's phases, counted by the definition (|b| ≤ f_s at rest), are those of the exact motion; not so its
        // departures.
        near(a.dynamic_phases.mean, b.dynamic_phases.mean, 0.1 + 40.0 * step);
        near(a.sub_phases.mean, b.sub_phases.mean, 0.1 + 40.0 * step);
        assert!(a.departures.mean > a.dynamic_phases.mean + 1.5);
        assert_eq!(b.departures, b.sub_phases);
        a.mean_square.mean - b.mean_square.mean
    };
    // First order in h: <x²> exceeds the exact one by about 27 h.
    for step in [1e-2, 4e-3] {
        near(excess(step) / step, 27.0, 3.0);
    }
}

#[test]
fn an_ensemble_does_not_depend_on_the_number_of_threads_or_paths() {
    let e = Ensemble {
        paths: 24,
        step: 2e-2,
        ..Ensemble::default()
    };
    let on = |threads: usize, paths: usize| -> EnsembleStatistics {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| Ensemble { paths, ..e }.run()).unwrap()
    };
    let one = on(1, 24);
    assert_eq!(one, on(4, 24));
    assert_eq!(one.paths[..10], on(2, 10).paths[..]);
    assert_ne!(one.paths, Ensemble { seed: 2, ..e }.run().unwrap().paths);
    assert!(Ensemble { paths: 1, ..e }.run().is_err());
}

#[test]
fn the_exact_path_follows_its_noise() {
    let e = Ensemble::default();
    let cascade = e.exact_path(3).unwrap();
    let noise: Vec<f64> = e.noise_of(3).take(1001).collect();
    let s = cascade.at(10.0);
    near(s.force, 6.0 * (5.0_f64.cos() + 0.25 * noise[1000]) - s.x, 1e-10);
}

#[test]
fn slow_slips_follow_the_ramp_formula_not_the_map() {
    let rows = first_slips(Oscillator::default(), 5.0, &[0.002, 0.005, 0.01, 0.05]).unwrap();
    let rows: Vec<_> = rows.into_iter().map(Option::unwrap).collect();
    near(rows[0].rate, 0.009_286_5, 5e-8);
    near(rows[0].exact.jump, 0.430_085_4, 5.1e-8);
    near(rows[0].ramp.jump, 0.430_036_3, 5.1e-8);
    near(rows[0].frozen.jump, 0.4, 1e-15);
    near(rows[2].exact.jump, 0.568_784, 5.1e-7);
    near(rows[2].ramp.jump, 0.567_057, 5.1e-7);
    near(rows[3].exact.jump, 1.631_63, 5.1e-6);
    near(rows[3].ramp.jump, 1.528_54, 5.1e-6);
    let rest = |i: usize| rows[i].exact.jump - rows[i].ramp.jump;
    near(rest(2) / rest(1), 4.9, 0.05);
    // 2D + π r + 2 r²/D + O(r³), D = 0.2.
    let o = Oscillator::default();
    for r in [1e-2, 1e-3, 1e-4] {
        near(
            ramp_slip(&o, r).jump,
            frozen_slip(&o).jump + PI * r + 10.0 * r * r,
            40.0 * r.powi(3) + 1e-16,
        );
    }
    near(ramp_slip(&o, 0.0).duration, PI, 1e-15);
}

#[test]
fn a_ramp_slip_is_exact() {
    // b rises as f_s + r s: the cascade under a straight record against the formula, with m and K not 1.
    let o = Oscillator {
        mass: 3.0,
        stiffness: 12.0,
        beta: 1.0,
        alpha: 0.0,
        f_s: 1.5,
        f_d: 0.9,
    };
    let r = 0.7;
    let end = 40.0;
    let forcing = Forcing::record(&[0.0, end], &[0.0, r * end / 12.0], Interpolation::Linear).unwrap();
    let c = Cascade::new(o, &forcing, (0.0, 0.0, 0.0), end).unwrap();
    let rows = c.instants();
    near(rows[1].t, 1.5 / r, 1e-14);
    let slip = ramp_slip(&o, r);
    near(rows[2].t - rows[1].t, slip.duration, 1e-13);
    near(rows[2].x, slip.jump, 1e-14);
    // Equal coefficients: x = q (wt - sin wt) without end, whose mean speed is that of the ramp.
    let equal = Oscillator { f_d: 1.5, ..o };
    let c = Cascade::new(equal, &forcing, (0.0, 0.0, 0.0), end).unwrap();
    let onset = c.instants()[1].t;
    for s in [0.5, 2.0, 3.1] {
        near(c.at(onset + s).x, r / 24.0 * (2.0 * s - (2.0 * s).sin()), 1e-13);
    }
}

#[test]
fn the_quasi_static_limit_is_a_map_or_the_play_operator() {
    let omegas = [1e-4, 1e-5];
    let order = |a: f64, b: f64| (a / b).log10();
    // Jumps: places of rest converge like ω, the motions at the same time only like √ω in the mean.
    let rows = slow_forcing(Oscillator::default(), 5.0, &omegas, 1.25).unwrap();
    near(order(rows[0].distance, rows[1].distance), 1.0, 0.01);
    near(order(rows[0].rms, rows[1].rms), 0.5, 0.1);
    assert!(rows[1].distance < 5e-3);
    // f_s = f_d: the play operator, like ω; the map would stay at 5, off by 10.
    let rows = slow_forcing(EQUAL, 5.0, &omegas, 1.25).unwrap();
    near(order(rows[0].distance, rows[1].distance), 1.0, 0.1);
    near(order(rows[0].rms, rows[1].rms), 1.0, 0.1);
    assert!(rows[1].distance < 1e-4);
    let play = QuasiStatic { reach: 0.3, jump: 0.0 };
    let targets = [0.1, 1.0, 0.8, 0.3, -0.5, 0.0, 0.2];
    let expected = [0.0, 0.7, 0.7, 0.6, -0.2, -0.2, -0.1];
    let mut x = 0.0;
    for (u, e) in targets.into_iter().zip(expected) {
        x = play.follow(x, u);
        near(x, e, 1e-15);
    }
}

#[test]
fn tones_add_to_a_record() {
    let record = Forcing::record(&[0.0, 10.0], &[1.0, 2.0], Interpolation::Linear).unwrap();
    let both = record.with_tones(&[Tone {
        amplitude: 0.5,
        omega: 2.0,
        phase: 1.0,
    }]);
    near(both.at(3.0), 1.3 + 0.5 * 7.0_f64.cos(), 1e-15);
}
