//! Singular canards against their exact course.

use super::super::{Along, CanardKind, FoldedClass, ReducedEnd, Reduction, SingularCanard, SlowFastProblem};
use super::{close, oscillator, problem, whole_layer};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// (vrai, faux) through the folded saddle at ŷ = δ.
fn canards(problem: &SlowFastProblem, omega: f64) -> (SingularCanard, SingularCanard) {
    let saddle = (problem.folded_singularities(&whole_layer(omega)).unwrap().into_iter())
        .find(|f| f.class == FoldedClass::Saddle && f.state[1] > 0.0)
        .unwrap();
    let mut both = problem.singular_canards(&saddle, TAU).unwrap().into_iter();
    (both.next().unwrap(), both.next().unwrap())
}

fn phase_at(problem: &SlowFastProblem, canard: &SingularCanard, yhat: f64) -> Option<f64> {
    let found = problem.canard_at(canard, Along::State(1), yhat).unwrap();
    // The passage next to the saddle.
    found
        .iter()
        .map(|p| (p.time.abs(), p.state[2]))
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .map(|p| p.1)
}

#[test]
fn without_elasticity_the_canards_are_level_sets() {
    let (s, p) = oscillator(2.0, 1e-3);
    let layer = problem(&s, &p, Reduction::Singular);
    let (vrai, faux) = canards(&layer, 2.0);
    assert_eq!((vrai.kind, faux.kind), (CanardKind::Vrai, CanardKind::Faux));
    let expected = [
        (&vrai, 1.0, 5.978_492_653_164_189),
        (&vrai, 0.0, 3.041_425_232_428_233),
        (&faux, 1.0, 3.446_285_307_605_191),
        (&faux, 0.0, 6.383_352_728_341_146),
    ];
    for (canard, yhat, theta) in expected {
        close(phase_at(&layer, canard, yhat).unwrap(), theta, 1e-11);
    }
    // It reaches the end of the repelling sheet after this time.
    let last = vrai.points.last().unwrap();
    assert_eq!(vrai.ends[1], ReducedEnd::Boundary);
    close(last.time, 1.266_103_672_779_499, 1e-11);
    close(last.state[1], 1.0, 1e-12);
    for canard in [&vrai, &faux] {
        for w in canard.points.windows(2) {
            assert!(w[1].time > w[0].time);
        }
        for point in &canard.points {
            close(layer.force(&point.state), 0.0, 1e-11);
            // θ' = 1 and x stands still.
            close(point.state[2] - 1.5 * PI, point.time, 1e-11);
            close(point.state[0], (1.0 - 1.1) / 4.0, 1e-11);
        }
    }
    // Vrai: attracting before, repelling after; the slope dθ/dŷ at the saddle is +λ.
    let middle = vrai.points.iter().position(|p| p.slope == 0.0).unwrap();
    // Both ends are folds, where the slope is zero to rounding.
    assert!(vrai.points[0].slope.abs() < 1e-12, "{}", vrai.points[0].slope);
    assert!(vrai.points[1..middle].iter().all(|p| p.slope < 0.0));
    assert!(
        vrai.points[middle + 1..vrai.points.len() - 1]
            .iter()
            .all(|p| p.slope > 0.0)
    );
    let (a, b) = (&vrai.points[middle - 1].state, &vrai.points[middle + 1].state);
    close((b[2] - a[2]) / (b[1] - a[1]), 3.607_948_401_330_965, 1e-6);
}

#[test]
fn with_elasticity_the_canards_are_where_they_were_computed() {
    // κ, saddle, vrai at ŷ = 0 and 1, faux at ŷ = 0 and 1.
    let table = [
        (
            0.1,
            4.65235292194,
            Some(2.98486298372),
            Some(5.87946917891),
            Some(6.33007572171),
            Some(3.33941008574),
        ),
        (
            0.25,
            4.56182070761,
            Some(2.89253533919),
            Some(5.74145476934),
            Some(6.25535303500),
            Some(3.15712608805),
        ),
        (
            0.5,
            4.40769632637,
            Some(2.71071207102),
            Some(5.52954785041),
            Some(6.14200034081),
            Some(2.71219530684),
        ),
        (
            1.0,
            4.06888787159,
            Some(2.02996971945),
            Some(5.13329205630),
            Some(5.94582196105),
            None,
        ),
        (1.5, 3.59261946539, None, Some(4.70411967196), Some(5.77795268820), None),
    ];
    let epsilon = 1e-3;
    for (kappa, saddle, vrai_0, vrai_1, faux_0, faux_1) in table {
        let omega = f64::sqrt(kappa / epsilon);
        let (s, p) = oscillator(omega, epsilon);
        let layer = problem(&s, &p, Reduction::Finite);
        let (vrai, faux) = canards(&layer, omega);
        close(vrai.through.state[2], saddle, 1e-11);
        for (canard, yhat, theta) in [
            (&vrai, 0.0, vrai_0),
            (&vrai, 1.0, vrai_1),
            (&faux, 0.0, faux_0),
            (&faux, 1.0, faux_1),
        ] {
            let found = phase_at(&layer, canard, yhat);
            assert_eq!(found.is_some(), theta.is_some(), "κ = {kappa}, ŷ = {yhat}: {found:?}");
            if let (Some(a), Some(b)) = (found, theta) {
                close(a, b, 2e-11);
            }
        }
    }
}

#[test]
fn the_reduced_flow_turns_or_reaches_a_fold_on_either_side_of_the_canard() {
    let (s, p) = oscillator(2.0, 1e-3);
    let layer = problem(&s, &p, Reduction::Singular);
    // On the attracting sheet at ŷ = 0 the canard passes at θ_c: H = sin θ + φ decides.
    let canard = 3.041_425_232_428_233;
    let start = |theta: f64| [-theta.sin() / 4.0, 0.0, theta];
    let jumps = layer.reduced_orbit(&start(canard - 0.02), 3.0).unwrap();
    let turns = layer.reduced_orbit(&start(canard + 0.02), 3.0).unwrap();
    assert_eq!((jumps.end, turns.end), (ReducedEnd::Fold, ReducedEnd::Time));
    let fold = jumps.points.last().unwrap();
    // On the fold sin θ = H - μ_s.
    let h = (canard - 0.02).sin() - 1.1;
    close(fold.state[1], 0.6, 1e-10);
    close(fold.state[2], PI - h.asin(), 1e-9);
    close(turns.points.last().unwrap().time, 3.0, 1e-12);
    let back = layer.reduced_orbit(&turns.points.last().unwrap().state, -3.0).unwrap();
    close(back.points.last().unwrap().state[1], 0.0, 1e-10);
    let centre = (layer.folded_singularities(&whole_layer(2.0)).unwrap().into_iter())
        .find(|f| f.class == FoldedClass::Centre && (f.state[2] - FRAC_PI_2).abs() < 1e-9)
        .unwrap();
    assert!(
        layer
            .singular_canards(&centre, 1.0)
            .err()
            .unwrap()
            .to_string()
            .contains("Centre")
    );
}
