//! Event-driven simulation against exact trajectories.

use super::systems::{ball, opaque_stiction, shaw};
use crate::{Ending, FlowError, FlowOptions, NonUniqueness, SimulationOptions, Trajectory, simulate};
use proptest::prelude::*;
use slipstick_system::catalogue::stiction;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

fn until(t_end: f64) -> SimulationOptions {
    SimulationOptions {
        t_end,
        ..SimulationOptions::default()
    }
}

/// (event, time, position) against 20-digit values.
fn assert_events(system: &slipstick_system::System, run: &Trajectory, expected: &[(&str, f64, f64)]) {
    let events: Vec<_> = run.segments.iter().filter(|s| s.event.is_some()).collect();
    assert!(events.len() >= expected.len(), "{}", run.describe(system));
    for (s, &(name, t, x)) in events.iter().zip(expected) {
        let event = &system.modes[s.mode].events[s.event.unwrap()];
        assert_eq!(event.name, name, "at {}", s.t0 + s.duration);
        assert!(
            (s.t0 + s.duration - t).abs() < 1e-12,
            "{name}: {} instead of {t}",
            s.t0 + s.duration
        );
        assert!((s.end[0] - x).abs() < 1e-12, "{name}: {} instead of {x}", s.end[0]);
    }
}

#[test]
fn shaws_oscillator_follows_its_exact_solution() {
    let system = shaw();
    let p = [1.0, 1.2, 6.0, 0.5];
    let run = simulate(&system, 2, &[5.0, 0.0], &p, &until(38.0)).unwrap();
    assert_events(
        &system,
        &run,
        &[
            ("go-", 1.769_886_724_352_371_726_5, 5.0),
            ("reverse", 6.612_500_893_255_580_764_9, -10.099_616_368_056_498_708),
            ("stick", 11.865_613_744_489_809_257, 6.454_329_708_431_707_871_9),
            ("go-", 13.574_106_471_551_275_989, 6.454_329_708_431_707_871_9),
            ("reverse", 18.912_462_544_111_355_985, -9.470_096_179_474_133_259),
            ("stick", 25.032_034_472_764_647_874, 6.542_627_731_704_388_000_6),
            ("go-", 26.077_720_715_962_223_654, 6.542_627_731_704_388_000_6),
            ("reverse", 31.464_717_201_029_784_938, -9.406_680_066_098_147_575_1),
            ("stick", 37.625_751_609_083_736_263, 6.600_495_221_263_206_236),
        ],
    );
    assert_eq!(run.ending, Ending::Time);
    assert!((run.end_time() - 38.0).abs() < 1e-14);
    assert!(run.nonunique.is_empty());
    let p = [1.0, 1.0, 6.0, 0.5];
    let run = simulate(&system, 2, &[5.0, 0.0], &p, &until(26.0)).unwrap();
    assert_events(
        &system,
        &run,
        &[
            ("go-", 1.682_137_341_135_860_511_6, 5.0),
            ("reverse", 6.612_768_406_676_477_691_3, run.segments[1].end[0]),
            ("stick", 11.869_424_101_148_868_877, 6.459_501_298_451_293_305_7),
            ("go-", 13.421_795_998_056_309_642, 6.459_501_298_451_293_305_7),
            (
                "reverse",
                run.segments[4].t0 + run.segments[4].duration,
                run.segments[4].end[0],
            ),
            ("stick", 25.031_731_588_417_037_375, 6.557_808_919_995_022_464_5),
        ],
    );
}

#[test]
fn a_start_that_cannot_stick_slips_at_once() {
    let system = shaw();
    let p = [1.0, 1.2, 6.0, 0.5];
    let run = simulate(&system, 2, &[0.0, 0.0], &p, &until(14.5)).unwrap();
    assert_events(
        &system,
        &run,
        &[
            ("go+", 0.0, 0.0),
            ("reverse", 2.562_089_250_717_698_296_6, 50.0 / 7.0),
            ("reverse", 6.431_463_087_750_689_159_1, -12.407_908_149_168_530_635),
            ("reverse", 10.785_972_634_146_743_885, 5.513_021_126_172_158_853_4),
            ("stick", 11.463_302_153_826_642_107, 5.459_432_588_976_291_302_1),
            ("go-", 14.129_235_414_658_267_215, 5.459_432_588_976_291_302_1),
        ],
    );
}

#[test]
fn the_stiction_orbit_at_omega_2_repeats_itself_in_all_kinds_of_flow() {
    let p = [2.0, 1.1, 0.4];
    let (x0, theta0, slip) = (
        0.416_670_202_822_743_24,
        -0.602_471_800_393_803_26,
        2.040_458_779_719_814_1,
    );
    for (system, tolerance) in [(stiction(), 1e-13), (opaque_stiction(), 1e-10)] {
        let options = SimulationOptions {
            max_events: 8,
            ..until(100.0)
        };
        let run = simulate(&system, 1, &[x0, 0.0, theta0], &p, &options).unwrap();
        assert_eq!(run.ending, Ending::Events);
        assert_eq!(
            run.describe(&system),
            "slip- land stick release- slip+ land stick release+ slip- land stick release- slip+ land stick release+"
        );
        for (k, s) in run.segments.iter().enumerate() {
            let expected = if k % 2 == 0 { slip } else { PI - slip };
            assert!((s.duration - expected).abs() < tolerance * 10.0, "{k}: {}", s.duration);
        }
        let last = run.segments.last().unwrap();
        assert!((last.end[0] - x0).abs() < tolerance * 10.0);
        assert!((last.end[1] - theta0 - 2.0 * TAU).abs() < tolerance * 10.0);
    }
}

#[test]
fn permanent_stick_is_recognised() {
    let system = stiction();
    // Ω²|x| + 1 < μ_s: the force never reaches its bound.
    let run = simulate(&system, 2, &[0.02, 0.3], &[2.0, 1.1, 0.4], &until(1e6)).unwrap();
    assert_eq!(run.ending, Ending::Rest { mode: 2 });
    assert_eq!(run.segments.len(), 1);
    assert!((run.segments[0].end[1] - 1e6 - 0.3).abs() < 1e-9);
}

#[test]
fn the_future_is_not_unique_where_stick_is_met_on_its_boundary_from_outside() {
    let system = stiction();
    let p = [2.0, 1.1, 0.4];
    // At ξ = -μ_s with θ in (-π/2, π/2) the stick field points inside, while slip to y > 0 is legal too. Flow backwards
    // from there.
    for theta in [0.4, -1.0, 1.2] {
        let x = (-1.1 - f64::sin(theta)) / 4.0;
        let back = crate::ModeFlow::new(&system, 1, FlowOptions::default());
        let mut start = [0.0; 3];
        back.advance(&[x, 0.0, theta], -0.1, &p, &mut start).unwrap();
        assert!(start[1] < 0.0);
        let run = |policy| {
            let options = SimulationOptions { policy, ..until(0.3) };
            simulate(&system, 1, &start, &p, &options).unwrap()
        };
        let stick = run(NonUniqueness::Stick);
        assert_eq!(stick.nonunique.len(), 1, "{}", stick.describe(&system));
        let nu = &stick.nonunique[0];
        assert!((nu.t - 0.1).abs() < 1e-13 && (nu.state[0] - x).abs() < 1e-13 && nu.state[1].abs() < 1e-13);
        assert!(
            nu.choice.contains("`stick`") && nu.choice.contains("`slip+`"),
            "{}",
            nu.choice
        );
        assert!(stick.describe(&system).starts_with("slip- land stick"));
        let slip = run(NonUniqueness::Slip);
        assert!(
            slip.describe(&system).starts_with("slip- reverse slip+"),
            "{}",
            slip.describe(&system)
        );
        assert_eq!(slip.nonunique[0].taken, NonUniqueness::Slip);
        let both = run(NonUniqueness::Both);
        assert_eq!(both.ending, Ending::Fork);
        assert_eq!(both.futures.len(), 2);
        for (future, alone) in both.futures.iter().zip([stick, slip]) {
            assert_eq!(future.segments[1..], alone.segments[1..]);
        }
    }
    // On the other side, θ in (π/2, 3π/2), stick would be left at once: the reversal is the only future.
    let theta = 2.5;
    let x = (-1.1 - f64::sin(theta)) / 4.0;
    let mut start = [0.0; 3];
    crate::ModeFlow::new(&system, 1, FlowOptions::default())
        .advance(&[x, 0.0, theta], -0.1, &p, &mut start)
        .unwrap();
    let run = simulate(&system, 1, &start, &p, &until(0.3)).unwrap();
    assert!(run.nonunique.is_empty());
    assert_eq!(run.describe(&system), "slip- reverse slip+");
}

#[test]
fn starting_to_stick_on_the_boundary_is_a_choice_only_where_the_force_retreats() {
    let system = stiction();
    let p = [2.0, 1.1, 0.4];
    let start = |theta: f64| [(1.1 - theta.sin()) / 4.0, theta];
    // ξ = +μ_s: the force falls for θ in (π/2, 3π/2), rises otherwise; at θ = π/2 it touches from inside.
    for (theta, choices, word) in [
        (2.0, 1, "stick"),
        (3.0, 1, "stick"),
        (0.5, 0, "stick release+ slip-"),
        (FRAC_PI_2, 1, "stick"),
    ] {
        let run = simulate(&system, 2, &start(theta), &p, &until(0.05)).unwrap();
        assert_eq!(run.nonunique.len(), choices, "{theta}");
        assert_eq!(run.describe(&system), word, "{theta}");
    }
    // Touched from inside on the way: Ω² x + 1 = μ_s.
    let touch = |policy| {
        let options = SimulationOptions { policy, ..until(2.0) };
        simulate(&system, 2, &[0.025, 0.0], &p, &options).unwrap()
    };
    let run = touch(NonUniqueness::Stick);
    assert_eq!(run.nonunique.len(), 1);
    assert!((run.nonunique[0].t - FRAC_PI_2).abs() < 1e-7);
    assert_eq!(run.describe(&system), "stick");
    assert_eq!(run.segments.len(), 1);
    assert!(
        touch(NonUniqueness::Slip)
            .describe(&system)
            .starts_with("stick release+ slip-")
    );
}

#[test]
fn bounces_accumulate_and_the_simulation_says_so() {
    let system = ball();
    let p = [1.0, 0.5];
    // Dropped from 1/2: first impact at 1, then flights 2·0.5ᵏ: the sum is 1 + 2·(0.5 + 0.25 + …) = 3.
    let run = simulate(&system, 0, &[0.5, 0.0], &p, &until(10.0)).unwrap();
    let Ending::Accumulation { t, message } = &run.ending else {
        panic!("{:?}", run.ending)
    };
    assert!((t - 3.0).abs() < 1e-12, "{t}");
    assert!(
        message.contains("`bounce`") && message.contains("(Zeno) to t = 3, x = 0, v = 0;"),
        "{message}"
    );
    for (k, s) in run.segments.iter().enumerate().skip(1).take(15) {
        assert!((s.duration - 2.0 * 0.5f64.powi(k as i32)).abs() < 1e-13);
    }
    // The sum is geometric for any height, restitution and speed at the start.
    for (height, speed, e) in [(0.2, 1.3, 0.9), (3.0, -2.0, 0.31), (40.0, 0.0, 0.77), (1e-3, 0.02, 0.6)] {
        let run = simulate(&system, 0, &[height, speed], &[1.0, e], &until(1e4)).unwrap();
        let landing = (speed * speed + 2.0 * height).sqrt();
        let limit = speed + landing + 2.0 * landing * e / (1.0 - e);
        let Ending::Accumulation { t, .. } = run.ending else {
            panic!("{:?}", run.ending)
        };
        assert!((t / limit - 1.0).abs() < 1e-9, "{t} {limit}");
    }
    // A ball at rest on the floor.
    let run = simulate(&system, 0, &[0.0, 0.0], &p, &until(10.0)).unwrap();
    assert!(
        matches!(run.ending, Ending::Accumulation { t, .. } if t.abs() < 1e-6),
        "{:?}",
        run.ending
    );
}

#[test]
fn tables_wrap_angles_and_cover_both_sides_of_events() {
    let system = stiction();
    let p = [2.0, 1.1, 0.4];
    let run = simulate(&system, 2, &[0.3, 6.0], &p, &until(20.0)).unwrap();
    let table = run.table(&system, &p, 0.1, FlowOptions::default()).unwrap();
    assert!(table.len() >= 200);
    assert!(
        table
            .windows(2)
            .all(|w| w[1].t >= w[0].t && w[1].t - w[0].t < 0.1 + 1e-12)
    );
    assert!(table.iter().all(|r| r.states[2] >= -PI && r.states[2] < PI));
    assert!(table.iter().filter(|r| r.mode == 2).all(|r| r.states[1] == 0.0));
    for w in table.windows(2).filter(|w| w[0].mode != w[1].mode) {
        assert_eq!(w[0].t, w[1].t);
        assert!((w[0].states[0] - w[1].states[0]).abs() < 1e-15);
        assert!((w[0].states[1] - w[1].states[1]).abs() < 1e-15);
    }
}

#[test]
fn starts_that_do_not_fit_are_refused_in_words() {
    let system = stiction();
    let p = [2.0, 1.1, 0.4];
    let refused = |mode, x: &[f64], p: &[f64]| match simulate(&system, mode, x, p, &until(1.0)) {
        Err(FlowError::Argument { what, .. }) => what,
        other => panic!("{other:?}"),
    };
    assert!(refused(1, &[0.0, 0.5, 0.0], &p).contains("beyond the surface of event `land`"));
    assert!(refused(2, &[0.0, 0.5, 0.0], &p).contains("3 states where the mode has 2"));
    assert!(refused(7, &[0.0, 0.5, 0.0], &p).contains("3 modes only"));
    assert!(refused(2, &[0.0, f64::NAN], &p).contains("finite"));
    assert!(refused(2, &[0.0, 0.0], &p[..2]).contains("2 parameters"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Closed form, exponential and integration tell the same story, event by event, until a near-tangency may tell
    /// them apart.
    #[test]
    fn all_kinds_of_flow_tell_the_same_story(
        omega in 0.3..4.0f64, mu_d in 0.1..1.0f64, x in -1.0..1.0f64, theta in 0.0..6.25f64,
    ) {
        let p = [omega, 1.1, mu_d];
        let mut linear = stiction();
        for mode in &mut linear.modes {
            mode.exact = None;
        }
        let xi = omega * omega * x + theta.sin();
        prop_assume!((xi.abs() - 1.1).abs() > 1e-3);
        let options = until(40.0);
        let reference = simulate(&stiction(), 2, &[x, theta], &p, &options).unwrap();
        for (system, tolerance) in [(linear, 1e-9), (opaque_stiction(), 1e-6)] {
            let run = simulate(&system, 2, &[x, theta], &p, &options).unwrap();
            for (a, b) in reference.segments.iter().zip(&run.segments) {
                prop_assert!((a.duration - b.duration).abs() < tolerance, "{a:?} {b:?}");
                prop_assert_eq!((a.mode, a.event), (b.mode, b.event), "{:?} {:?}", a, b);
            }
            prop_assert_eq!(reference.segments.len(), run.segments.len());
        }
        // Velocity keeps its sign in each slip, force stays bounded in each stick.
        let table = reference.table(&stiction(), &p, 0.01, FlowOptions::default()).unwrap();
        for row in &table {
            let xi = omega * omega * row.states[0] + row.states[2].sin();
            let holds = match row.mode {
                0 => row.states[1] > -1e-12,
                1 => row.states[1] < 1e-12,
                _ => row.t == 0.0 || xi.abs() < 1.1 + 1e-12,
            };
            prop_assert!(holds, "{row:?}");
        }
    }
}
