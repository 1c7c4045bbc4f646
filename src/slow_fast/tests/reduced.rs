//! Critical manifold, folds and folded singularities.

use super::super::{
    Axis, FoldKind, FoldedClass, FoldedTransition, Reduction, SlowFastError, SlowFastProblem, Stability,
};
use super::{close, oscillator, problem, whole_layer};
use slipstick_system::catalogue::stiction;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

const CURVATURE: f64 = 13.017_291_666_666_667;
const LAMBDA: f64 = 3.607_948_401_330_965;

#[test]
fn three_sheets_lie_over_small_forces_and_one_beyond_the_dynamic_friction() {
    let (s, p) = oscillator(2.0, 1e-3);
    let layer = problem(&s, &p, Reduction::Singular);
    // ξ = 4x + sin 0 = -0.8: φ = 0.8 has one solution on the rising and one on the falling branch.
    let sheets = layer.sheets(&[-0.2, 0.0, 0.0], (-1.0, 1.0)).unwrap();
    let kinds: Vec<Stability> = sheets.iter().map(|s| s.stability()).collect();
    assert_eq!(kinds, [Stability::Attracting, Stability::Repelling]);
    for sheet in &sheets {
        close(layer.force(&sheet.state), 0.0, 1e-15);
    }
    assert_eq!(layer.sheets(&[0.0; 3], (-1.0, 1.0)).unwrap().len(), 1);
    assert_eq!(layer.sheets(&[-0.3, 0.0, 0.0], (-1.0, 1.0)).unwrap().len(), 0);
    // At the fold itself the two sheets are one point.
    let fold = layer
        .sheets(&[-1.1 / 4.0 * (1.0 - 1e-10), 0.0, 0.0], (-1.0, 1.0))
        .unwrap();
    assert_eq!(fold.len(), 2);
    assert!(fold[1].state[1] - fold[0].state[1] < 1e-4);
    let back = layer.project(&[-0.2, sheets[1].state[1] + 0.02, 0.0]).unwrap();
    close(back.state[1], sheets[1].state[1], 1e-14);
}

#[test]
fn the_mesh_over_velocity_and_phase_is_a_graph() {
    let (s, p) = oscillator(3.0, 1e-3);
    let layer = problem(&s, &p, Reduction::Singular);
    let axis = |state, from, to, nodes| Axis { state, from, to, nodes };
    let mesh = (layer.manifold_mesh(
        [axis(1, -1.0, 1.0, 11), axis(2, 0.0, TAU, 9)],
        0,
        &[0.0; 3],
        (-1.0, 1.0),
    ))
    .unwrap();
    for i in 0..11 {
        for j in 0..9 {
            let [point] = mesh.at(i, j) else { panic!("not a graph") };
            close(layer.force(&point.state), 0.0, 4e-15);
            let y = point.state[1];
            let expected = if y.abs() < 0.6 - 1e-9 {
                Stability::Attracting
            } else {
                Stability::Repelling
            };
            if y.abs() < 0.99 && (y.abs() - 0.6).abs() > 1e-9 {
                assert_eq!(point.stability(), expected, "{y}");
            }
        }
    }
    assert!(
        layer
            .manifold_mesh([axis(1, -1.0, 1.0, 1), axis(2, 0.0, 1.0, 9)], 0, &[0.0; 3], (-1.0, 1.0))
            .is_err()
    );
}

#[test]
fn there_are_two_closed_fold_lines_where_the_force_is_the_static_friction() {
    let (s, p) = oscillator(2.0, 1e-3);
    let layer = problem(&s, &p, Reduction::Singular);
    let lines = layer.fold_lines(&whole_layer(2.0)).unwrap();
    assert_eq!(lines.len(), 2);
    for line in &lines {
        assert!(line.closed);
        let side = line.points[0][1].signum();
        for x in &line.points {
            close(x[1], 0.6 * side, 1e-13);
            close(4.0 * x[0] + x[2].sin(), -1.1 * side, 1e-13);
            // Stick at ξ = -μ_s, where ŷ = δ, is left while ξ falls: cos θ < 0.
            let kind = if side * x[2].cos() < 0.0 {
                FoldKind::Jump
            } else {
                FoldKind::NonUnique
            };
            assert!(x[2].cos().abs() < 1e-3 || layer.fold_kind(x) == kind);
        }
        let turn = line.points[line.points.len() - 1][2] - line.points[0][2];
        close(turn.abs(), TAU, 1e-12);
    }
    assert!(lines[0].points[0][1] * lines[1].points[0][1] < 0.0);
}

#[test]
fn a_region_that_cuts_the_fold_lines_gets_open_pieces() {
    let (s, p) = oscillator(2.0, 1e-3);
    let layer = problem(&s, &p, Reduction::Singular);
    let lines = layer.fold_lines(&[(-1.0, 1.0), (0.0, 1.0), (1.0, 2.0)]).unwrap();
    assert_eq!(lines.len(), 1);
    assert!(!lines[0].closed);
    let reach = lines[0].points.iter().map(|x| x[2]);
    assert!(reach.clone().fold(9.0, f64::min) < 1.03 && reach.fold(0.0, f64::max) > 1.97);
}

#[test]
fn the_four_folded_singularities_have_their_exact_eigenvalues() {
    let (s, p) = oscillator(2.0, 1e-3);
    let layer = problem(&s, &p, Reduction::Singular);
    let found = layer.folded_singularities(&whole_layer(2.0)).unwrap();
    let expected = [
        (0.6, 1.5 * PI, FoldedClass::Saddle),
        (-0.6, FRAC_PI_2, FoldedClass::Saddle),
        (0.6, FRAC_PI_2, FoldedClass::Centre),
        (-0.6, 1.5 * PI, FoldedClass::Centre),
    ];
    assert_eq!(found.len(), 4);
    for (y, theta, class) in expected {
        let f = (found.iter())
            .find(|f| (f.state[1] - y).abs() < 1e-6 && (f.state[2] - theta).abs() < 1e-6)
            .unwrap();
        assert_eq!(f.class, class);
        close(f.state[1], y, 1e-14);
        close(f.state[2], theta, 1e-14);
        close(4.0 * f.state[0] + theta.sin(), -1.1 * y.signum(), 1e-14);
        for (k, sign) in [(0, -1.0), (1, 1.0)] {
            let [l, v] = [f.eigenvalues[k], f.eigenvectors[k][1] / f.eigenvectors[k][2]];
            if class == FoldedClass::Saddle {
                close(l.re, sign * LAMBDA, 1e-13);
                assert_eq!(l.im, 0.0);
                // ŷ' = -cos θ, θ' = φ'(ŷ): φ''(±δ) = ∓13.0…; an eigenvector has dŷ/dθ = λ/φ''(ŷ).
                close(v.re, sign * LAMBDA / (-CURVATURE * y.signum()), 1e-13);
            } else {
                close(l.im, sign * LAMBDA, 1e-13);
                close(l.re, 0.0, 1e-13);
            }
        }
    }
}

#[test]
fn at_finite_stiffness_the_folded_singularities_move_as_computed() {
    // cos θ = ∓κ δ at ŷ = ±δ, λ = [-κ ± √(κ² + 4 sin θ φ'')]/2, κ = Ω²ε.
    for kappa in [0.1_f64, 0.25, 1.0, 1.5] {
        let epsilon = 1e-3;
        let omega = (kappa / epsilon).sqrt();
        let (s, p) = oscillator(omega, epsilon);
        let layer = problem(&s, &p, Reduction::Finite);
        let found = layer.folded_singularities(&whole_layer(omega)).unwrap();
        assert_eq!(found.len(), 4);
        let angle = (-kappa * 0.6).acos();
        for (y, theta) in [(0.6, TAU - angle), (0.6, angle), (-0.6, PI - angle), (-0.6, PI + angle)] {
            let f = (found.iter())
                .find(|f| (f.state[1] - y).abs() < 1e-9 && (f.state[2] - theta).abs() < 1e-9)
                .unwrap_or_else(|| panic!("{y} {theta} {found:?}"));
            close(f.state[2], theta, 1e-12);
            let s = 4.0 * theta.sin() * -CURVATURE * f64::signum(y);
            let disc = kappa * kappa + s;
            if disc >= 0.0 {
                close(f.eigenvalues[0].re, 0.5 * (-kappa - disc.sqrt()), 1e-12);
                close(f.eigenvalues[1].re, 0.5 * (-kappa + disc.sqrt()), 1e-12);
                assert_eq!(
                    f.class,
                    if s > 0.0 {
                        FoldedClass::Saddle
                    } else {
                        FoldedClass::Node
                    }
                );
            } else {
                assert_eq!(f.class, FoldedClass::Focus);
                close(f.eigenvalues[0].re, -0.5 * kappa, 1e-12);
                close(f.eigenvalues[1].im, 0.5 * (-disc).sqrt(), 1e-12);
            }
        }
    }
}

#[test]
fn saddle_and_node_merge_at_the_bound_of_the_family() {
    for (epsilon, node, merge) in [
        (1e-2, 12.900_801_291_693_158, 12.909_944_487_358_056),
        (1e-3, 40.795_915_722_992_646, 40.824_829_046_386_3),
        (1e-4, 129.008_012_916_931_6, 129.099_444_873_580_6),
    ] {
        let omega = 0.5 * merge;
        let (s, p) = oscillator(omega, epsilon);
        let layer = problem(&s, &p, Reduction::Finite);
        let saddle = (layer.folded_singularities(&whole_layer(omega)).unwrap().into_iter())
            .find(|f| f.class == FoldedClass::Saddle && f.state[1] > 0.0)
            .unwrap();
        let branch = layer.folded_branch(&saddle, 0, (0.3 * merge, 1.2 * merge)).unwrap();
        let [fold, change] = &branch.transitions[..] else {
            panic!("{:?}", branch.transitions)
        };
        let (fold, change) = if fold.0 == FoldedTransition::SaddleNode {
            (fold, change)
        } else {
            (change, fold)
        };
        assert_eq!(
            (fold.0, change.0),
            (FoldedTransition::SaddleNode, FoldedTransition::NodeFocus)
        );
        close(fold.1 / merge, 1.0, 1e-13);
        close(change.1 / node, 1.0, 1e-13);
        close(fold.2.state[2], PI, 1e-6);
        close((epsilon * 0.6_f64).powf(-0.5) / fold.1, 1.0, 1e-13);
    }
}

#[test]
fn bad_declarations_are_refused_in_words() {
    let plain = stiction();
    let refused = SlowFastProblem::new(&plain, &plain.default_parameters(), Reduction::Singular)
        .err()
        .unwrap();
    assert!(matches!(refused, SlowFastError::NotDeclared { .. }));
    let (s, mut p) = oscillator(2.0, 0.0);
    let refused = SlowFastProblem::new(&s, &p, Reduction::Singular).err().unwrap();
    assert_eq!(
        refused.to_string(),
        "epsilon = 0: the small parameter of a slow–fast system must be positive and finite"
    );
    p[4] = 1e-3;
    let layer = problem(&s, &p, Reduction::Singular);
    assert!(
        layer
            .fold_lines(&[(0.0, 1.0)])
            .err()
            .unwrap()
            .to_string()
            .contains("one interval")
    );
    p.pop();
    assert!(SlowFastProblem::new(&s, &p, Reduction::Singular).is_err());
}
