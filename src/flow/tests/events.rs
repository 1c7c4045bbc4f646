//! Guards along paths: no crossing missed, none invented, each at rounding.

use super::systems::{Circle, Forced, Plane, VanDerPol, opaque_stiction, smooth};
use crate::{FlowKind, FlowOptions, Method, ModeFlow};
use proptest::prelude::*;
use slipstick_numerics::scalar::Scalar;
use slipstick_system::catalogue::stiction;
use slipstick_system::{Direction, Formula, Function, System};

const SLIP_MINUS: usize = 1;

/// The stiction oscillator flowed in closed form, by the exponential, and by integration.
fn three_ways() -> [(System, FlowKind); 3] {
    let mut linear = stiction();
    for mode in &mut linear.modes {
        mode.exact = None;
    }
    [
        (stiction(), FlowKind::ClosedForm),
        (linear, FlowKind::Linear),
        (opaque_stiction(), FlowKind::Integrated),
    ]
}

/// Sign changes of `h` along a fine sampling.
fn sampled(h: &dyn Fn(f64) -> f64, sign: f64, from: f64, to: f64, count: usize) -> Vec<f64> {
    let t = |k: usize| from + (to - from) * k as f64 / count as f64;
    (1..=count)
        .filter(|&k| sign * h(t(k - 1)) < 0.0 && sign * h(t(k)) >= 0.0)
        .map(t)
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_crossing_is_missed_and_none_invented(
        omega in 0.05..6.0f64, mu in 0.05..1.0f64, x in -3.0..3.0f64, y in -2.0..2.0f64, theta in -3.2..3.2f64,
        a in -1.0..1.0f64, b in -1.0..1.0f64, level in -0.5..0.5f64, t in 0.5..12.0f64, up in any::<bool>(),
    ) {
        let p = [omega, 1.1, mu];
        let x0 = [x, y, theta];
        let guard = Plane(vec![a, b, 0.0], level);
        let direction = if up { Direction::Up } else { Direction::Down };
        let reference = stiction();
        let exact = ModeFlow::new(&reference, SLIP_MINUS, FlowOptions::default());
        let g = |t: f64| {
            let mut z = [0.0; 3];
            exact.advance(&x0, t, &p, &mut z).unwrap();
            a * z[0] + b * z[1] + level
        };
        let expected = sampled(&g, direction.sign(), 0.0, t, 20_000);
        for (system, kind) in three_ways() {
            let flow = ModeFlow::new(&system, SLIP_MINUS, FlowOptions::default());
            prop_assert_eq!(flow.kind(&p), kind);
            let path = flow.path(&x0, t, &p).unwrap();
            let found = path.crossings(&guard, direction, &p, 0.0, t).unwrap();
            let exact_kind = kind != FlowKind::Integrated;
            let tolerance = if exact_kind { 1e-14 } else { 1e-10 } * (1.0 + 3.0 * omega * omega);
            for c in &found {
                prop_assert!(g(c.t).abs() < tolerance, "{kind:?} {} {:e}", c.t, g(c.t));
                let d = (g(c.t + 1e-5) - g(c.t - 1e-5)) / 2e-5;
                prop_assert!((c.rate - d).abs() < 1e-6 * (1.0 + omega.powi(3)), "{kind:?} {} {d}", c.rate);
                prop_assert!(c.touching || direction.sign() * c.rate > -1e-9);
            }
            // Every sampled crossing is found; a found one that sampling missed must sit in a double crossing.
            for e in &expected {
                prop_assert!(found.iter().any(|c| (c.t - e).abs() < t / 10_000.0), "{kind:?}: missed {e} of {expected:?}, {found:?}");
            }
            prop_assert!(found.len() >= expected.len());
            let first = path.first_crossing(&guard, direction, &p, 0.0, t).unwrap();
            prop_assert_eq!(first, found.first().copied());
            // Backwards from the end the other direction is met.
            if exact_kind {
                let back = path.crossings(&guard, direction, &p, t, 0.0).unwrap();
                let turned = if up { Direction::Down } else { Direction::Up };
                let forward = path.crossings(&guard, turned, &p, 0.0, t).unwrap();
                prop_assert_eq!(back.len(), forward.len());
                for (u, v) in back.iter().rev().zip(&forward) {
                    prop_assert!((u.t - v.t).abs() < 1e-9 * (1.0 + 1.0 / v.rate.abs()));
                }
            }
        }
    }

    #[test]
    fn extremes_are_those_of_a_fine_sampling(
        omega in 0.05..6.0f64, x in -3.0..3.0f64, y in -2.0..2.0f64, theta in -3.2..3.2f64, t in 0.1..12.0f64,
    ) {
        let p = [omega, 1.1, 0.4];
        let x0 = [x, y, theta];
        let h = Plane(vec![1.0, 0.3, 0.0], 0.0);
        for (system, kind) in three_ways() {
            let flow = ModeFlow::new(&system, SLIP_MINUS, FlowOptions::default());
            let path = flow.path(&x0, t, &p).unwrap();
            let g = |t: f64| {
                let mut z = [0.0; 3];
                path.eval(t, &mut z);
                z[0] + 0.3 * z[1]
            };
            let (low, high) = path.extrema(&h, &p).unwrap();
            let n = 4000;
            let values: Vec<f64> = (0..=n).map(|k| g(t * f64::from(k) / f64::from(n))).collect();
            let (a, b) = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), &v| (a.min(v), b.max(v)));
            let slack = (omega * omega * 4.0 + 4.0) * omega.max(1.0) * (t / f64::from(n)).powi(2);
            let rounding = 1e-11 * (1.0 + omega);
            prop_assert!(low <= a + rounding && low >= a - slack, "{kind:?} {low} {a}");
            prop_assert!(high >= b - rounding && high <= b + slack, "{kind:?} {high} {b}");
            // Interior minima, from the sampling.
            let inside = (1..n as usize)
                .filter(|&k| values[k] < values[k - 1] && values[k] <= values[k + 1])
                .map(|k| values[k])
                .fold(f64::INFINITY, f64::min);
            let found = path.interior_minimum(&h, 1.0, &p, 0.0, t, false).unwrap();
            if let Some(m) = found {
                prop_assert!(m.value <= inside + rounding, "{kind:?}");
                prop_assert!((g(m.t) - m.value).abs() < rounding);
                let d = (t * 1e-3).min(m.t).min(t - m.t);
                prop_assert!(g(m.t + d) >= m.value - rounding && g(m.t - d) >= m.value - rounding);
            } else {
                prop_assert!(inside == f64::INFINITY, "{kind:?} missed the minimum {inside}");
            }
        }
    }
}

/// x'' = -x from (1, 0): x = cos t.
fn cosine() -> System {
    smooth(&["x", "v", "theta"], &[1.0, 0.0, 0.0, 1.0], Forced)
}

#[test]
fn grazing_and_nearly_grazing_are_told_apart() {
    let system = cosine();
    let p = system.default_parameters();
    let flow = ModeFlow::new(&system, 0, FlowOptions::default());
    let path = flow.path(&[1.0, 0.0, 0.0], 9.0, &p).unwrap();
    let tau = std::f64::consts::TAU;
    // 1 - gap is passed upwards at 2π - arccos(1 - gap).
    for gap in [1e-3_f64, 1e-6, 1e-9, 1e-12] {
        let found = path
            .crossings(&Plane(vec![1.0], gap - 1.0), Direction::Up, &p, 0.0, 9.0)
            .unwrap();
        assert_eq!(found.len(), 1, "{gap:e}: {found:?}");
        let exact = tau - 2.0 * (0.5 * gap).sqrt().asin();
        // The time of a nearly tangential crossing is known to (rounding of x)/speed.
        assert!(
            (found[0].t - exact).abs() < 2e-15 / (2.0 * gap).sqrt(),
            "{gap:e}: {:e}",
            found[0].t - exact
        );
        let down = path
            .crossings(&Plane(vec![1.0], gap - 1.0), Direction::Down, &p, 0.0, 9.0)
            .unwrap();
        assert_eq!(down.len(), 2);
        assert!(
            path.crossings(&Plane(vec![1.0], -gap - 1.0), Direction::Up, &p, 0.0, 9.0)
                .unwrap()
                .is_empty()
        );
    }
    let found = path
        .crossings(&Plane(vec![1.0], -1.0), Direction::Up, &p, 0.0, 9.0)
        .unwrap();
    assert_eq!(found.len(), 1);
    assert!(
        found[0].touching && (found[0].t - tau).abs() < 1e-7 && found[0].rate.abs() < 1e-7,
        "{found:?}"
    );
    assert_eq!(
        path.first_crossing(&Plane(vec![1.0], -1.0), Direction::Up, &p, 0.0, 9.0)
            .unwrap(),
        Some(found[0])
    );
}

#[test]
fn a_pair_of_crossings_between_samples_is_seen_on_an_integrated_path() {
    // The fast jump of a relaxation oscillation crosses x = 0 and soon after y's extremum; a circle is cut twice within
    // one step.
    let p = [1e-2];
    let system = smooth(&["x", "y"], &p, VanDerPol);
    for method in [Method::Explicit, Method::Stiff] {
        let options = FlowOptions {
            method,
            ..FlowOptions::default()
        };
        let flow = ModeFlow::new(&system, 0, options);
        let path = flow.path(&[2.0, 0.6], 3.0, &p).unwrap();
        let h = |t: f64, g: &dyn Function| {
            let (mut x, mut v) = ([0.0; 2], [0.0]);
            path.eval(t, &mut x);
            g.value(&x, &p, &mut v);
            v[0]
        };
        for b in [0.3, 0.5, 1.0, 2.0, 4.0, 4.5] {
            for direction in [Direction::Up, Direction::Down] {
                let guard = Circle(b);
                let expected = sampled(&|t| h(t, &guard), direction.sign(), 0.0, 3.0, 100_000);
                let found = path.crossings(&guard, direction, &p, 0.0, 3.0).unwrap();
                assert_eq!(found.len(), expected.len(), "{method:?} {b} {found:?} {expected:?}");
                for (c, e) in found.iter().zip(&expected) {
                    assert!((c.t - e).abs() < 4e-5);
                    let mut x = [0.0; 2];
                    path.state(c.t, &mut x).unwrap();
                    let mut v = [0.0];
                    guard.value(&x, &p, &mut v);
                    assert!(v[0].abs() < 1e-14 * (1.0 + c.rate.abs()), "{:e} {}", v[0], c.rate);
                }
            }
        }
    }
}

#[test]
fn the_start_on_the_surface_is_not_an_event_and_the_end_on_it_is() {
    let system = stiction();
    let p = [2.0, 1.1, 0.4];
    // The symmetric orbit at Ω = 2 (reference values): slip from (x0, θ0) lands after T.
    let (x0, theta0, landing) = (
        0.416_670_202_822_743_24,
        -0.602_471_800_393_803_26,
        2.040_458_779_719_814_1,
    );
    let flow = ModeFlow::new(&system, SLIP_MINUS, FlowOptions::default());
    let locator = flow.locator(&p);
    let velocity = Plane(vec![0.0, 1.0, 0.0], 0.0);
    let guard = locator.prepare(&velocity, &p);
    let start = [x0, 0.0, theta0];
    let c = locator
        .first_crossing(&guard, &start, Direction::Up, 0.0, 3.0)
        .unwrap()
        .unwrap();
    assert!((c.t - landing).abs() < 2e-15 && !c.touching && c.rate > 0.0, "{c:?}");
    let c = locator
        .first_crossing(&guard, &start, Direction::Up, 0.0, c.t)
        .unwrap()
        .unwrap();
    assert!((c.t - landing).abs() < 2e-15);
    assert_eq!(
        locator
            .first_crossing(&guard, &start, Direction::Up, 0.0, landing - 1e-9)
            .unwrap(),
        None
    );
    assert_eq!(
        locator
            .first_crossing(&guard, &start, Direction::Down, 0.0, landing)
            .unwrap(),
        None
    );
    // Inside, the velocity stays negative: its largest value speaks for neither end.
    let least = locator.least_inside(&guard, &start, -1.0, true, landing).unwrap();
    assert_eq!(least, f64::INFINITY);
    let (low, high) = locator.extrema(&guard, &start, landing).unwrap();
    assert!(high.abs() < 1e-15 && low < -0.5);
}

/// The modes x'' = b - k⁴ (x + η x'), k = 1, 2, …, of a beam with damping within its material.
struct Modes(usize);

impl Formula for Modes {
    fn outputs(&self) -> usize {
        2 * self.0
    }
    fn eval<T: Scalar>(&self, x: &[T], p: &[T], out: &mut [T]) {
        for k in 0..self.0 {
            out[2 * k] = x[2 * k + 1];
            out[2 * k + 1] = p[1] - (x[2 * k] + p[0] * x[2 * k + 1]) * ((k + 1) as f64).powi(4);
        }
    }
}

/// The deflection of one of them from rest at `x0` with the speed `v0`.
fn deflection(k: usize, (eta, b): (f64, f64), (x0, v0): (f64, f64), t: f64) -> f64 {
    let square = ((k + 1) as f64).powi(4);
    let (rest, decay) = (b / square, 0.5 * eta * square);
    let (y0, w2) = (x0 - rest, square - decay * decay);
    if w2 > 0.0 {
        let w = w2.sqrt();
        let (s, c) = (w * t).sin_cos();
        return rest + (-decay * t).exp() * (y0 * c + (v0 + decay * y0) / w * s);
    }
    let fast = decay + (-w2).sqrt();
    let slow = square / fast;
    let of_fast = -(v0 + slow * y0) / (fast - slow);
    rest + (y0 - of_fast) * (-slow * t).exp() + of_fast * (-fast * t).exp()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Over many time scales of the fastest mode, whether it has decayed or not.
    #[test]
    fn modes_of_a_structure_cross_and_turn_as_their_sum_does(
        count in 9usize..16, eta in prop_oneof![Just(0.0), 1e-4..0.05f64], b in -0.3..0.3f64, t in 0.5..12.0f64,
        weights in proptest::collection::vec(-1.0..1.0f64, 16), starts in proptest::collection::vec(-1.0..1.0f64, 32),
        level in -0.3..0.3f64,
    ) {
        let names: Vec<String> = (0..2 * count).map(|i| format!("x{i}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let p = [eta, b];
        let system = smooth(&names, &p, Modes(count));
        let flow = ModeFlow::new(&system, 0, FlowOptions::default());
        prop_assert_eq!(flow.kind(&p), FlowKind::Linear);
        let start: Vec<f64> = (0..2 * count)
            .map(|i| starts[i] / if i % 2 == 0 { ((i / 2 + 1) as f64).powi(3) } else { (i / 2 + 1) as f64 })
            .collect();
        let plane: Vec<f64> = (0..2 * count).map(|i| if i % 2 == 0 { weights[i / 2] } else { 0.0 }).collect();
        let h = Plane(plane, level);
        let g = |t: f64| -> f64 {
            let each = (0..count).map(|k| weights[k] * deflection(k, (eta, b), (start[2 * k], start[2 * k + 1]), t));
            level + each.sum::<f64>()
        };
        let path = flow.path(&start, t, &p).unwrap();
        let samples = 200_000;
        let values: Vec<f64> = (0..=samples).map(|k| g(t * f64::from(k) / f64::from(samples))).collect();
        let rounding = 1e-12 * (1.0 + t);
        let (low, high) = path.extrema(&h, &p).unwrap();
        let (a, z) = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), &v| (a.min(v), b.max(v)));
        let slack = 1e2 * (t / f64::from(samples)).powi(2) * ((count as f64).powi(3) + 1.0);
        prop_assert!(low <= a + rounding && low >= a - slack, "{} {}", low, a);
        prop_assert!(high >= z - rounding && high <= z + slack, "{} {}", high, z);
        for (direction, back) in [(Direction::Up, Direction::Down), (Direction::Down, Direction::Up)] {
            let found = path.crossings(&h, direction, &p, 0.0, t).unwrap();
            for c in &found {
                prop_assert!(g(c.t).abs() < rounding * (1.0 + c.rate.abs()), "{} {:e}", c.t, g(c.t));
            }
            for e in sampled(&g, direction.sign(), 0.0, t, samples as usize) {
                prop_assert!(found.iter().any(|c| (c.t - e).abs() <= t / f64::from(samples)), "missed {}", e);
            }
            let first = path.first_crossing(&h, direction, &p, 0.0, t).unwrap();
            prop_assert_eq!(first.map(|c| c.t), found.first().map(|c| c.t));
            let returned = path.crossings(&h, back, &p, t, 0.0).unwrap();
            prop_assert_eq!(returned.len(), found.len());
        }
    }
}

#[test]
fn free_fall_needs_no_scale() {
    // x'' = -g without any natural time: M is nilpotent.
    let system = smooth(&["x", "v", "theta"], &[0.0, 0.0, 0.0, 1.0], Forced);
    let p = system.default_parameters();
    let flow = ModeFlow::new(&system, 0, FlowOptions::default());
    assert_eq!(flow.kind(&p), FlowKind::Linear);
    let path = flow.path(&[-5.0, 1e-3, 0.0], 1e4, &p).unwrap();
    let c = path
        .first_crossing(&Plane(vec![1.0], 0.0), Direction::Up, &p, 0.0, 1e4)
        .unwrap()
        .unwrap();
    assert!((c.t - 5000.0).abs() < 1e-8);
}
