//! Exact flows: the stiction slip in closed form, and linear modes by the matrix exponential.

use super::systems::{Forced, smooth};
use crate::{FlowKind, FlowOptions, ModeFlow, Transition};
use proptest::prelude::*;
use slipstick_numerics::scalar::Scalar;
use slipstick_system::catalogue::stiction;
use slipstick_system::{Formula, System};

const SLIP_MINUS: usize = 1;

/// The stiction oscillator without its closed forms.
fn stiction_by_exponential() -> System {
    let mut system = stiction();
    for mode in &mut system.modes {
        mode.exact = None;
    }
    system
}

/// (Ω, x, y, ∂x/∂Ω, ∂y/∂Ω) of the slip with y < 0 at t = 2.7 from (0.83, -0.21, 1.3), μ_d = 0.4, by variation of
/// constants in 40-digit arithmetic (mpmath).
const SLIP: [(f64, f64, f64, Option<(f64, f64)>); 8] = [
    (
        1.0,
        -1.01808149275244936473168288086,
        0.821862479047776337787311878976,
        Some((0.8156192522197650609075, 2.725670308523403687825)),
    ),
    (
        1.000000001,
        -1.01808149193683004274325802147,
        0.821862481773446873514368070476,
        Some((0.8156192567878052348709, 2.725670311884763317975)),
    ),
    (
        0.999999999,
        -1.01808149356806859160014038213,
        0.821862476322106108031808635198,
        Some((0.8156192476517253957795, 2.725670305162044417551)),
    ),
    (
        1e-8,
        -0.721607518011507214984004614557,
        -0.0511424494881989852499956691868,
        None,
    ),
    (
        0.0,
        -0.721607518011507087475202128269,
        -0.0511424494881989720247838166711,
        None,
    ),
    (
        0.5,
        -0.964889481852960378181637849001,
        0.00680270306887332807849978467859,
        Some((-0.6923557170842202892025, 0.5524243397374764702072)),
    ),
    (
        2.0,
        1.0661358084769952288574750497,
        1.76582742004486287870893912703,
        Some((1.467626355477514954943, -3.915852414547770676385)),
    ),
    (
        17.0,
        -0.290412641379164774761847316337,
        -13.2274616625449456812137541884,
        Some((-2.100912474726449713156, 12.73516495177793451029)),
    ),
];

#[test]
fn the_closed_form_slip_loses_no_digits_at_resonance_or_without_a_spring() {
    for (system, kind) in [
        (stiction(), FlowKind::ClosedForm),
        (stiction_by_exponential(), FlowKind::Linear),
    ] {
        let flow = ModeFlow::new(&system, SLIP_MINUS, FlowOptions::default());
        for (omega, x, y, derivatives) in SLIP {
            let p = [omega, 1.1, 0.4];
            assert_eq!(flow.kind(&p), kind);
            let mut tr = Transition::default();
            flow.linearise(&[0.83, -0.21, 1.3], 2.7, &p, &[0], &mut tr).unwrap();
            // Rounding of the phase Ωt alone costs Ω t ulps of an amplitude Ω.
            let tol = 2e-15 * (1.0 + omega * omega);
            assert!((tr.x[0] - x).abs() < tol, "{kind:?} Omega={omega}: x = {}", tr.x[0]);
            assert!((tr.x[1] - y).abs() < tol, "{kind:?} Omega={omega}: y = {}", tr.x[1]);
            assert_eq!(tr.x[2], 1.3 + 2.7);
            if let Some((dx, dy)) = derivatives {
                assert!(
                    (tr.dp[0] - dx).abs() < 10.0 * tol,
                    "{kind:?} Omega={omega}: {}",
                    tr.dp[0]
                );
                assert!(
                    (tr.dp[1] - dy).abs() < 10.0 * tol,
                    "{kind:?} Omega={omega}: {}",
                    tr.dp[1]
                );
            }
        }
    }
}

#[test]
fn stick_is_recognised_as_linear_with_its_angle_kept() {
    let system = stiction_by_exponential();
    let flow = ModeFlow::new(&system, 2, FlowOptions::default());
    let p = system.default_parameters();
    assert_eq!(flow.kind(&p), FlowKind::Linear);
    let mut x = [0.0; 2];
    flow.advance(&[0.3, 6.0], 2.5, &p, &mut x).unwrap();
    assert_eq!(x, [0.3, 8.5]);
}

#[test]
fn a_constant_rate_makes_any_state_an_angle_when_the_field_needs_it() {
    // The same oscillator with the phase not declared periodic.
    let system = smooth(&["x", "v", "phase"], &[4.0, 0.1, 1.0, 1.3], Forced);
    let flow = ModeFlow::new(&system, 0, FlowOptions::default());
    assert_eq!(flow.kind(&system.default_parameters()), FlowKind::Linear);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The two exact flows agree, with all derivatives, and both satisfy the group property.
    #[test]
    fn closed_form_and_exponential_agree(
        omega in 0.05..4.0f64, x in -2.0..2.0f64, y in -2.0..2.0f64, theta in -4.0..4.0f64, t in -4.0..4.0f64,
    ) {
        let (closed, linear) = (stiction(), stiction_by_exponential());
        let a = ModeFlow::new(&closed, SLIP_MINUS, FlowOptions::default());
        let b = ModeFlow::new(&linear, SLIP_MINUS, FlowOptions::default());
        let p = [omega, 1.1, 0.4];
        let (mut u, mut v) = (Transition::default(), Transition::default());
        a.linearise(&[x, y, theta], t, &p, &[0, 2], &mut u).unwrap();
        b.linearise(&[x, y, theta], t, &p, &[0, 2], &mut v).unwrap();
        for (p, q) in [(&u.x, &v.x), (&u.dx, &v.dx), (&u.f, &v.f), (&u.dp, &v.dp)] {
            let size = p.iter().fold(1.0, |m: f64, v| m.max(v.abs()));
            for (p, q) in p.iter().zip(q) {
                prop_assert!((p - q).abs() < 1e-13 * size, "{p} {q}");
            }
        }
        let mut back = [0.0; 3];
        a.advance(&u.x, -t, &p, &mut back).unwrap();
        prop_assert!((back[0] - x).abs() < 1e-12 && (back[1] - y).abs() < 1e-12);
        b.advance(&v.x, -t, &p, &mut back).unwrap();
        prop_assert!((back[0] - x).abs() < 1e-12 && (back[1] - y).abs() < 1e-12);
    }

    /// Derivatives of a damped forced oscillator against differences of the flow itself; Liouville for the determinant.
    #[test]
    fn derivatives_of_a_linear_flow(
        k in 0.1..9.0f64, c in 0.0..3.0f64, w in 0.2..3.0f64, t in 0.1..5.0f64, x in -1.0..1.0f64, theta in -3.0..3.0f64,
    ) {
        let p = [k, c, 0.7, w];
        let system = smooth(&["x", "v", "theta"], &p, Forced);
        let flow = ModeFlow::new(&system, 0, FlowOptions::default());
        let x0 = [x, 0.4, theta];
        let mut tr = Transition::default();
        flow.linearise(&x0, t, &p, &[0, 1, 2, 3], &mut tr).unwrap();
        let difference = |move_by: &dyn Fn(f64) -> Vec<f64>| -> Vec<f64> {
            let h = 1e-3;
            let at = |s: f64| move_by(s * h);
            let (a, b, c, d) = (at(1.0), at(-1.0), at(2.0), at(-2.0));
            (0..3).map(|i| (8.0 * (a[i] - b[i]) - (c[i] - d[i])) / (12.0 * h)).collect()
        };
        let run = |x0: &[f64], t: f64, p: &[f64]| {
            let mut out = vec![0.0; 3];
            flow.advance(x0, t, p, &mut out).unwrap();
            out
        };
        for j in 0..3 {
            let d = difference(&|h| { let mut y = x0; y[j] += h; run(&y, t, &p) });
            for i in 0..3 { prop_assert!((d[i] - tr.dx[i * 3 + j]).abs() < 1e-9); }
        }
        for j in 0..4 {
            let d = difference(&|h| { let mut q = p; q[j] += h; run(&x0, t, &q) });
            for i in 0..3 { prop_assert!((d[i] - tr.dp[i * 4 + j]).abs() < 1e-9, "{i}{j} {} {}", d[i], tr.dp[i * 4 + j]); }
        }
        let d = difference(&|h| run(&x0, t + h, &p));
        for i in 0..3 { prop_assert!((d[i] - tr.f[i]).abs() < 1e-9); }
        let determinant = tr.dx[0] * tr.dx[4] - tr.dx[1] * tr.dx[3];
        prop_assert!((determinant - (-c * t).exp()).abs() < 1e-13);
    }
}

/// Many oscillators x'' = b - a k x, k = 1, 2, …, each on its own.
struct Oscillators(usize);

impl Formula for Oscillators {
    fn outputs(&self) -> usize {
        2 * self.0
    }
    fn eval<T: Scalar>(&self, x: &[T], p: &[T], out: &mut [T]) {
        for k in 0..self.0 {
            out[2 * k] = x[2 * k + 1];
            out[2 * k + 1] = p[1] - p[0] * x[2 * k] * (k + 1) as f64;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Linear modes of many states, short of and beyond the times over which the series is summed.
    #[test]
    fn many_oscillators_swing_as_each_alone(count in 9usize..40, a in 0.02..0.5f64, b in -1.0..1.0f64, t in 0.1..80.0f64, v in -1.0..1.0f64) {
        let names: Vec<String> = (0..2 * count).map(|i| format!("x{i}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let system = smooth(&names, &[a, b], Oscillators(count));
        let flow = ModeFlow::new(&system, 0, FlowOptions::default());
        prop_assert_eq!(flow.kind(&[a, b]), FlowKind::Linear);
        let start: Vec<f64> = (0..count).flat_map(|k| [0.3, v / (k + 1) as f64]).collect();
        let mut end = Transition::default();
        flow.linearise(&start, t, &[a, b], &[0, 1], &mut end).unwrap();
        let mut by_locator = vec![0.0; 2 * count];
        flow.path(&start, t, &[a, b]).unwrap().eval(t, &mut by_locator);
        let n = 2 * count;
        for k in 0..count {
            let square = a * (k + 1) as f64;
            let (w, rest) = (square.sqrt(), b / square);
            let (x0, v0) = (start[2 * k] - rest, start[2 * k + 1]);
            let (s, c) = (w * t).sin_cos();
            let x = rest + x0 * c + v0 / w * s;
            // By the rest position and the frequency.
            let by_frequency = -x0 * t * s + v0 * (t * c / w - s / (w * w));
            let by_a = -rest / a * (1.0 - c) + by_frequency * w / (2.0 * a);
            let by_b = (1.0 - c) / square;
            let size = 1.0 + t + (b / square).abs();
            for (found, wanted) in [
                (end.x[2 * k], x), (by_locator[2 * k], x), (end.dx[2 * k * n + 2 * k], c), (end.dx[2 * k * n + 2 * k + 1], s / w),
                (end.dp[4 * k] * a, by_a * a), (end.dp[4 * k + 1], by_b),
            ] {
                prop_assert!((found - wanted).abs() < 2e-13 * size * (1.0 + t), "{} {}: {} {}", k, t, found, wanted);
            }
        }
    }
}
