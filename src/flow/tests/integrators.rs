//! DOP853 and Radau IIA: orders, tolerances, derivatives, invariants.

use super::systems::{Logistic, Lorenz, Twist, VanDerPol, smooth};
use crate::dop853::Explicit;
use crate::equations::Equations;
use crate::radau::Implicit;
use crate::step::Tolerance;
use crate::{FlowError, FlowKind, FlowOptions, Method, ModeFlow, Transition};
use slipstick_system::Function;

fn with(method: Method) -> FlowOptions {
    FlowOptions {
        method,
        ..FlowOptions::default()
    }
}

fn plain<'a>(field: &'a dyn Function, p: &'a [f64], n: usize) -> Equations<'a> {
    Equations {
        mode: "test",
        field,
        p,
        free: &[],
        n,
        columns: 0,
        signed: 0,
    }
}

const LOOSE: Tolerance = Tolerance {
    rtol: 1e-13,
    atol: 1e-13,
};

/// Errors at t = 1 of `steps` equal steps and the worst error of the dense output in the middle of each.
fn fixed_steps(stiff: bool, steps: usize) -> (f64, f64) {
    // The twist turns (1, 0) by the angle p t.
    let p = [1.5];
    let equations = plain(&Twist, &p, 2);
    let h = 1.0 / steps as f64;
    let mut y = vec![1.0, 0.0];
    let mut explicit = Explicit::new(&equations, &y);
    let mut implicit = Implicit::new(&equations);
    let mut worst: f64 = 0.0;
    for k in 0..steps {
        let t = k as f64 * h;
        let dense = if stiff {
            implicit.attempt(&equations, &y, h, LOOSE).unwrap();
            implicit.dense(2, &y, t, h)
        } else {
            explicit.attempt(&equations, &y, h, LOOSE);
            explicit.dense(&equations, &y, t, h)
        };
        // The local error of the interpolant alone: against the exact solution through the step's own start.
        let mut middle = [0.0; 2];
        dense.eval(0.5, &mut middle);
        let turn = 1.5 * h * 0.5 * (y[0] * y[0] + y[1] * y[1]);
        let exact = [
            y[0] * turn.cos() - y[1] * turn.sin(),
            y[0] * turn.sin() + y[1] * turn.cos(),
        ];
        worst = worst.max((middle[0] - exact[0]).hypot(middle[1] - exact[1]));
        if stiff {
            let y1 = implicit.y1.clone();
            implicit.accept(2, &y, h);
            y = y1;
        } else {
            y = explicit.y1.clone();
            explicit.accept();
        }
    }
    ((y[0] - 1.5f64.cos()).hypot(y[1] - 1.5f64.sin()), worst)
}

#[test]
fn dop853_converges_with_order_eight_and_its_dense_output_with_seven() {
    let (e1, d1) = fixed_steps(false, 2);
    let (e2, d2) = fixed_steps(false, 4);
    let (e3, d3) = fixed_steps(false, 8);
    assert!((e1 / e2).log2() > 7.7 && (e2 / e3).log2() > 7.7, "{e1:e} {e2:e} {e3:e}");
    // A local error of order h⁸ is a dense output of order seven.
    assert!((d1 / d2).log2() > 7.6 && (d2 / d3).log2() > 7.6, "{d1:e} {d2:e} {d3:e}");
}

#[test]
fn radau_converges_with_order_five_and_its_dense_output_with_three() {
    let (e1, d1) = fixed_steps(true, 8);
    let (e2, d2) = fixed_steps(true, 16);
    let (e3, d3) = fixed_steps(true, 32);
    assert!((e1 / e2).log2() > 4.8 && (e2 / e3).log2() > 4.8, "{e1:e} {e2:e} {e3:e}");
    assert!((d1 / d2).log2() > 3.8 && (d2 / d3).log2() > 3.8, "{d1:e} {d2:e} {d3:e}");
}

#[test]
fn a_closed_solution_is_met_to_the_tolerance_forwards_and_backwards() {
    let system = smooth(&["x"], &[2.0], Logistic);
    for (method, tol) in [(Method::Auto, 2e-13), (Method::Explicit, 2e-13), (Method::Stiff, 2e-11)] {
        let flow = ModeFlow::new(&system, 0, with(method));
        assert_eq!(flow.kind(&[2.0]), FlowKind::Integrated);
        for t in [1.3, -1.3, 0.0] {
            let (x0, r) = (0.3, 2.0);
            let e = f64::exp(-r * t);
            let d = x0 + (1.0 - x0) * e;
            let mut tr = Transition::default();
            flow.linearise(&[x0], t, &[r], &[0], &mut tr).unwrap();
            assert!((tr.x[0] - x0 / d).abs() < tol, "{method:?} {t}: {:e}", tr.x[0] - x0 / d);
            assert!(
                (tr.dx[0] - e / (d * d)).abs() < 5.0 * tol * (e / (d * d)),
                "{method:?} {t}"
            );
            assert!(
                (tr.dp[0] - x0 * (1.0 - x0) * t * e / (d * d)).abs() < 5.0 * tol,
                "{method:?} {t}"
            );
            assert!((tr.f[0] - r * tr.x[0] * (1.0 - tr.x[0])).abs() < 1e-15);
        }
    }
}

#[test]
fn variational_solutions_match_differences_and_liouville() {
    let p = [10.0, 28.0, 8.0 / 3.0];
    let system = smooth(&["x", "y", "z"], &p, Lorenz);
    let x0 = [1.0, 2.0, 20.0];
    let t = 0.8;
    for method in [Method::Explicit, Method::Stiff] {
        let flow = ModeFlow::new(&system, 0, with(method));
        let mut tr = Transition::default();
        flow.linearise(&x0, t, &p, &[0, 1, 2], &mut tr).unwrap();
        let run = |x0: &[f64], p: &[f64]| {
            let mut out = vec![0.0; 3];
            ModeFlow::new(&system, 0, with(Method::Explicit))
                .advance(x0, t, p, &mut out)
                .unwrap();
            out
        };
        let check = |d: Vec<Vec<f64>>, column: &dyn Fn(usize) -> f64| {
            for i in 0..3 {
                // Sixth-order difference.
                let v = (45.0 * (d[0][i] - d[1][i]) - 9.0 * (d[2][i] - d[3][i]) + (d[4][i] - d[5][i])) / (60.0 * 1e-3);
                assert!(
                    (v - column(i)).abs() < 1e-9 * (1.0 + column(i).abs()) * 3.0,
                    "{method:?} {v} {}",
                    column(i)
                );
            }
        };
        let shifts = [1.0, -1.0, 2.0, -2.0, 3.0, -3.0].map(|s| s * 1e-3);
        for j in 0..3 {
            let d = shifts.map(|h| {
                let mut y = x0;
                y[j] += h;
                run(&y, &p)
            });
            check(d.into(), &|i| tr.dx[i * 3 + j]);
            let d = shifts.map(|h| {
                let mut q = p;
                q[j] += h;
                run(&x0, &q)
            });
            check(d.into(), &|i| tr.dp[i * 3 + j]);
        }
        let m = nalgebra::DMatrix::from_row_slice(3, 3, &tr.dx);
        let log_det = m.determinant().ln();
        assert!(
            (log_det + t * (10.0 + 1.0 + 8.0 / 3.0)).abs() < 1e-9,
            "{method:?} {log_det}"
        );
    }
}

#[test]
fn a_stiff_mode_is_handed_to_the_implicit_method_and_both_agree() {
    let p = [1e-4];
    let system = smooth(&["x", "y"], &p, VanDerPol);
    let options = FlowOptions {
        rtol: 1e-9,
        atol: 1e-10,
        ..FlowOptions::default()
    };
    let run = |method| {
        let flow = ModeFlow::new(&system, 0, FlowOptions { method, ..options });
        let mut x = [0.0; 2];
        flow.advance(&[2.0, 0.6], 0.5, &p, &mut x).unwrap();
        x
    };
    let (explicit, stiff, auto) = (run(Method::Explicit), run(Method::Stiff), run(Method::Auto));
    for i in 0..2 {
        assert!((explicit[i] - stiff[i]).abs() < 1e-8, "{explicit:?} {stiff:?}");
        assert!((explicit[i] - auto[i]).abs() < 1e-8, "{explicit:?} {auto:?}");
    }
    let flow = ModeFlow::new(&system, 0, options);
    let mut y = vec![2.0, 0.6];
    let cost = crate::integrate::integrate(
        &flow.equations(&[2.0, 0.6], &p, &[], false),
        &mut y,
        0.5,
        &options,
        None,
    )
    .unwrap();
    assert!(cost.implicit);
    assert!(cost.accepted < 700, "{cost:?}");
}

#[test]
fn dense_paths_follow_the_solution_between_the_steps() {
    let system = smooth(&["x"], &[2.0], Logistic);
    let flow = ModeFlow::new(&system, 0, FlowOptions::default());
    for duration in [3.0, -1.0] {
        let path = flow.path(&[0.2], duration, &[2.0]).unwrap();
        for k in 0..=50 {
            let t = duration * f64::from(k) / 50.0;
            let mut x = [0.0];
            path.eval(t, &mut x);
            let exact = 0.2 / (0.2 + 0.8 * f64::exp(-2.0 * t));
            assert!((x[0] - exact).abs() < 2e-12, "{t}: {:e}", x[0] - exact);
        }
    }
}

#[test]
fn failures_are_told_in_words_with_numbers() {
    let system = smooth(&["x"], &[2.0], Logistic);
    let flow = ModeFlow::new(&system, 0, FlowOptions::default());
    // From below zero the logistic equation blows up at t = ln(1 - 1/x₀)/r = ln(11)/2.
    let mut x = [0.0];
    let error = flow.advance(&[-0.1], 5.0, &[2.0], &mut x).unwrap_err();
    match error {
        FlowError::StepTooSmall { t, .. } | FlowError::NotFinite { t, .. } => {
            assert!((t - 11f64.ln() / 2.0).abs() < 1e-3, "{t}");
        }
        other => panic!("{other}"),
    }
    assert!(flow.advance(&[f64::NAN], 1.0, &[2.0], &mut x).is_err());
    assert!(flow.advance(&[0.1, 0.2], 1.0, &[2.0], &mut x).is_err());
    assert!(flow.path(&[0.1], f64::INFINITY, &[2.0]).is_err());
    let few = FlowOptions {
        max_steps: 3,
        ..FlowOptions::default()
    };
    let error = ModeFlow::new(&system, 0, few)
        .advance(&[0.1], 5.0, &[2.0], &mut x)
        .unwrap_err();
    assert!(matches!(error, FlowError::TooManySteps { steps: 3, .. }), "{error}");
}
