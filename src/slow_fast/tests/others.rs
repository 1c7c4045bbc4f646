//! Systems other than the stiction oscillator: the normal form of folded singularities, whose canards are known for
//! every ε, and van der Pol.

use super::super::{
    Along, CanardDirection, CanardKind, FibreEnd, FoldedClass, ReducedEnd, Reduction, SlowFastError, SlowFastProblem,
    Stability,
};
use super::close;
use slipstick_numerics::scalar::Scalar;
use slipstick_system::{Formula, Mode, ModeKind, Parameter, SlowFast, State, System};
use std::sync::Arc;

pub(super) fn smooth(names: &[&str], parameters: &[(&str, f64)], fast: usize, field: impl Formula + 'static) -> System {
    let n = names.len();
    System {
        name: "test".into(),
        about: String::new(),
        states: (names.iter())
            .map(|name| State {
                name: (*name).into(),
                period: None,
            })
            .collect(),
        parameters: (parameters.iter())
            .map(|(name, value)| Parameter {
                name: (*name).into(),
                value: *value,
                about: String::new(),
            })
            .collect(),
        modes: vec![Mode {
            name: "all".into(),
            kind: ModeKind::Free,
            states: (0..n).collect(),
            absent: None,
            field: Arc::new(field),
            events: vec![],
            inequalities: vec![],
            surfaces: vec![],
            exact: None,
        }],
        symmetry: None,
        observables: vec![],
        monitors: vec![],
        start: (0, vec![0.0; n]).into(),
        slow_fast: Some(SlowFast {
            mode: 0,
            fast,
            epsilon: 0,
        }),
        requirements: vec![],
        units: slipstick_system::Units::default(),
    }
}

/// ε x' = y - x², y' = -(μ+1) x - z, z' = μ/2: eigenvalues -1 and -μ of the folded singularity at 0. For k = -1/2
/// (strong) and k = -μ/2 the curve x = k t, y = k² t² + ε k, z = μ t/2 solves it exactly (M. Wechselberger, SIAM J.
/// Appl. Dyn. Syst. 4 (2005) 101–139).
struct Folded;
impl Formula for Folded {
    fn outputs(&self) -> usize {
        3
    }
    fn eval<T: Scalar>(&self, x: &[T], p: &[T], out: &mut [T]) {
        out[0] = (x[1] - x[0] * x[0]) / p[0];
        out[1] = -((p[1] + 1.0) * x[0]) - x[2];
        out[2] = p[1] * 0.5;
    }
}

/// ε x' = y - x³/3 + x, y' = -x.
struct VanDerPol;
impl Formula for VanDerPol {
    fn outputs(&self) -> usize {
        2
    }
    fn eval<T: Scalar>(&self, x: &[T], p: &[T], out: &mut [T]) {
        out[0] = (x[1] - x[0] * x[0] * x[0] / 3.0 + x[0]) / p[0];
        out[1] = -x[0];
    }
}

const REGION: [(f64, f64); 3] = [(-1.0, 1.1), (-1.0, 1.2), (-1.0, 1.3)];

#[test]
fn the_normal_form_has_its_class_and_its_exact_canards() {
    for (mu, class) in [(-0.5, FoldedClass::Saddle), (0.3, FoldedClass::Node)] {
        for epsilon in [1e-2, 1e-4] {
            let system = smooth(&["x", "y", "z"], &[("epsilon", epsilon), ("mu", mu)], 0, Folded);
            let problem = SlowFastProblem::new(&system, &[epsilon, mu], Reduction::Singular).unwrap();
            let lines = problem.fold_lines(&REGION).unwrap();
            assert_eq!((lines.len(), lines[0].closed), (1, false));
            let found = problem.folded_singularities(&REGION).unwrap();
            let [at] = &found[..] else { panic!("{found:?}") };
            assert_eq!(at.class, class);
            for x in &at.state {
                close(*x, 0.0, 1e-15);
            }
            let mut expected = [-1.0, -mu];
            expected.sort_by(f64::total_cmp);
            close(at.eigenvalues[0].re, expected[0], 1e-14);
            close(at.eigenvalues[1].re, expected[1], 1e-14);
            // The singular strong canard is y = x², z = -μ x; vrai, since its eigenvalue is negative.
            let canards = problem.singular_canards(at, 2.0).unwrap();
            assert_eq!(canards.len(), 2);
            assert_eq!(canards[0].kind, CanardKind::Vrai);
            for point in &canards[0].points {
                let x = -0.5 * point.time;
                for (a, b) in point.state.iter().zip([x, x * x, -mu * x]) {
                    close(*a, b, 1e-11);
                }
            }
            // The maximal canard is the exact solution.
            let canard = problem.maximal_canard(at, 2.0).unwrap();
            for (a, b) in canard.crossing.iter().zip([0.0, -0.5 * epsilon, 0.0]) {
                close(*a, b, 1e-10);
            }
            for point in &canard.points {
                let t = point.time;
                let exact = [-0.5 * t, 0.25 * t * t - 0.5 * epsilon, 0.5 * mu * t];
                for (a, b) in point.state.iter().zip(exact) {
                    // At its ends it starts on the second-order approximation of the manifolds.
                    close(*a, b, 1e-8 + epsilon * epsilon);
                }
            }
        }
    }
}

/// A folded node has two singular canards, in closed form: y = x², with x = -t/2 (strong) and x = -μ t/2 (weak), z = μ
/// t/2.
#[test]
fn a_folded_node_has_a_strong_and_a_weak_canard() {
    // The last two are resonant: the ratio of the eigenvalues is a whole number. The term that could go wrong is zero
    // here.
    for mu in [0.7, 0.3, 0.11, 0.5, 0.25] {
        let system = smooth(&["x", "y", "z"], &[("epsilon", 1e-2), ("mu", mu)], 0, Folded);
        let problem = SlowFastProblem::new(&system, &[1e-2, mu], Reduction::Singular).unwrap();
        let found = problem.folded_singularities(&REGION).unwrap();
        let canards = problem.singular_canards(&found[0], 2.0).unwrap();
        let reported: Vec<_> = canards.iter().map(|c| (c.kind, c.direction)).collect();
        let vrai = |direction| (CanardKind::Vrai, Some(direction));
        assert_eq!(
            reported,
            [vrai(CanardDirection::Strong), vrai(CanardDirection::Weak)],
            "μ = {mu}"
        );
        for (canard, k) in canards.iter().zip([-0.5, -0.5 * mu]) {
            assert_eq!(canard.ends, [ReducedEnd::Time; 2], "μ = {mu}");
            for point in &canard.points {
                let x = k * point.time;
                for (a, b) in point.state.iter().zip([x, x * x, 0.5 * mu * point.time]) {
                    close(*a, b, 1e-9);
                }
            }
            let middle = problem.canard_at(canard, Along::Time, 0.1).unwrap();
            close(middle[0].state[0], 0.1 * k, 1e-9);
        }
    }
}

#[test]
fn van_der_pol_has_three_sheets_and_no_folded_singularities() {
    let system = smooth(&["x", "y"], &[("epsilon", 1e-2)], 0, VanDerPol);
    let problem = SlowFastProblem::new(&system, &[1e-2], Reduction::Singular).unwrap();
    let sheets = problem.sheets(&[0.0, 0.1], (-3.0, 3.0)).unwrap();
    let kinds: Vec<Stability> = sheets.iter().map(|s| s.stability()).collect();
    assert_eq!(
        kinds,
        [Stability::Attracting, Stability::Repelling, Stability::Attracting]
    );
    // From just beyond the fold (1, -2/3) the fibre leads to the left branch, x = -2.
    match problem
        .follow_fibre(&[1.0, -2.0 / 3.0 - 1e-9], -1.0, (-3.0, 3.0))
        .unwrap()
    {
        FibreEnd::Sheet(found) => close(found.state[0], -2.0, 1e-8),
        other @ FibreEnd::Leaves { .. } => panic!("{other:?}"),
    }
    let refused = problem.fold_lines(&[(-3.0, 3.0), (-1.0, 1.0)]).err().unwrap();
    assert!(matches!(
        refused,
        SlowFastError::SlowStates {
            expected: 2,
            found: 1,
            ..
        }
    ));
    assert!(matches!(
        problem.slow_cycle(&[1.5, 0.0]),
        Err(SlowFastError::SlowStates { .. })
    ));
}
