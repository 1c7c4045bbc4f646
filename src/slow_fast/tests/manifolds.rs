//! Slow manifolds and maximal canards at ε > 0.

use super::super::{
    FoldedClass, FoldedSingularity, Outcome, Reduction, SlowFastError, SlowFastProblem, Stability, separatrices,
};
use super::{close, oscillator, problem, whole_layer};
use std::f64::consts::{PI, TAU};

const LAMBDA: f64 = 3.607_948_401_330_965;

fn saddle(layer: &SlowFastProblem, omega: f64) -> FoldedSingularity {
    (layer.folded_singularities(&whole_layer(omega)).unwrap().into_iter())
        .find(|f| f.class == FoldedClass::Saddle && f.state[1] > 0.0)
        .unwrap()
}

#[test]
fn the_slow_manifold_is_the_invariant_graph_to_second_order() {
    // ŷ = h(x, θ; ε) on the attracting sheet: an orbit started on the approximation stays close to it to O(ε²).
    let mut last = f64::INFINITY;
    for epsilon in [1e-2, 1e-3, 1e-4] {
        let (s, p) = oscillator(2.0, epsilon);
        let layer = problem(&s, &p, Reduction::Singular);
        let orbit = layer.slow_manifold_orbit(&[0.02, 0.0, 0.3], 0.5).unwrap();
        assert_eq!((orbit.sheet, orbit.leaves), (Stability::Attracting, false));
        let end = orbit.points.last().unwrap();
        close(end.time, 0.5, 1e-14);
        let defect = (layer.on_slow_manifold(&end.state).unwrap()[1] - end.state[1]).abs();
        assert!(defect < 30.0 * epsilon * epsilon, "{epsilon} {defect:e}");
        assert!(defect < 0.05 * last);
        last = defect;
    }
}

#[test]
fn an_orbit_on_the_repelling_manifold_runs_backwards_to_the_fold() {
    let (s, p) = oscillator(2.0, 1e-3);
    let layer = problem(&s, &p, Reduction::Singular);
    // Beyond the canard on the repelling sheet: back in time the orbit falls off the fold.
    let theta: f64 = 5.6;
    let start = layer.sheets(&[-0.03, 0.0, theta], (0.6, 1.0)).unwrap().remove(0);
    let orbit = layer.slow_manifold_orbit(&start.state, 2.0).unwrap();
    assert_eq!(orbit.sheet, Stability::Repelling);
    assert!(orbit.points.windows(2).all(|w| w[0].time < w[1].time));
    let last = orbit.points.last().unwrap();
    assert_eq!(last.time, 0.0);
    close(last.state[1], start.state[1], 1e-2);
    // Forwards from any of its points the manifold repels: the orbit comes back the way it was, for a short time.
    let before = &orbit.points[orbit.points.len() - 2];
    let mut forwards = vec![0.0; 3];
    layer
        .full_flow()
        .advance(&before.state, -before.time, &p, &mut forwards)
        .unwrap();
    assert!((forwards[1] - last.state[1]).abs() < 1e-2);
}

#[test]
fn the_maximal_canard_lies_where_the_normal_form_says() {
    // At the folded saddle ε u' = -(Ω²X + τ²/2 - λ²u²/2), whose canard u = τ/λ has X = -ε/(λΩ²); the manifolds cut
    // the section τ = 0 with slopes ±(Ω²/2)√(2π/(λε)).
    let omega = 2.0;
    let mut error = [f64::INFINITY; 2];
    for epsilon in [1e-2, 1e-3, 1e-4] {
        let (s, p) = oscillator(omega, epsilon);
        let layer = problem(&s, &p, Reduction::Singular);
        let canard = layer.maximal_canard(&saddle(&layer, omega), TAU).unwrap();
        assert!(canard.mismatch < 1e-9);
        let full = problem(&s, &p, Reduction::Finite);
        let through = full.folded_singularity(&saddle(&layer, omega).state).unwrap();
        let shift = (canard.crossing[0] - through.state[0]) / epsilon;
        let slope = 0.5 * omega * omega * (TAU / LAMBDA).sqrt();
        let now = [
            (shift + 1.0 / (LAMBDA * omega * omega)).abs(),
            (0.5 * (canard.slopes[1] - canard.slopes[0]).abs() * epsilon.sqrt() / slope - 1.0).abs(),
        ];
        for (n, e) in now.iter().zip(&mut error) {
            assert!(*n < 0.2 * *e, "{epsilon}: {n} after {e}");
            *e = *n;
        }
        // It is one orbit: attracting before, repelling after, crossing the section at time 0.
        for w in canard.points.windows(2) {
            assert!(w[1].time > w[0].time);
            if w[0].time < -0.3 {
                assert_eq!(layer.stability(&w[0].state), Stability::Attracting);
            }
            if w[0].time > 0.3 {
                assert_eq!(layer.stability(&w[0].state), Stability::Repelling);
            }
        }
    }
    assert!(error[0] < 1e-4 && error[1] < 1e-4, "{error:?}");
}

#[test]
fn the_manifolds_cross_in_the_section_at_the_maximal_canard() {
    let (s, p) = oscillator(2.0, 1e-2);
    let layer = problem(&s, &p, Reduction::Singular);
    let at = saddle(&layer, 2.0);
    let canard = layer.maximal_canard(&at, TAU).unwrap();
    let around = |shift: f64| [shift - 2e-5, shift - 1e-5, shift, shift + 1e-5, shift + 2e-5];
    for (which, shift) in canard.shifts.into_iter().enumerate() {
        let curve = layer.manifold_sections(&at, TAU, [&around(shift); 2]).unwrap()[which].clone();
        assert_eq!(curve.len(), 5);
        // The middle point is the crossing; the chord around it has the slope there.
        close(curve[2][1], canard.crossing[1] - 0.6, 1e-9);
        let slope = (curve[3][1] - curve[1][1]) / (curve[3][0] - curve[1][0]);
        close(slope / canard.slopes[which], 1.0, 1e-4);
    }
}

#[test]
fn there_is_no_maximal_canard_through_a_centre() {
    let (s, p) = oscillator(2.0, 1e-3);
    let layer = problem(&s, &p, Reduction::Singular);
    let centre = (layer.folded_singularities(&whole_layer(2.0)).unwrap().into_iter())
        .find(|f| f.class == FoldedClass::Centre)
        .unwrap();
    assert!(matches!(
        layer.maximal_canard(&centre, TAU),
        Err(SlowFastError::Absent(_))
    ));
}

#[test]
fn the_canard_divides_phases_that_jump_from_phases_that_turn() {
    let omega = 2.0;
    let (s, p) = oscillator(omega, 1e-2);
    let layer = problem(&s, &p, Reduction::Singular);
    // Reduced flow, starts on the attracting sheet with ŷ = 0: the separatrix is the vrai canard.
    let reduced = separatrices(
        |theta| layer.reduced_outcome(&[-theta.sin() / 4.0, 0.0, theta], PI),
        (2.5, 3.5),
        5,
    )
    .unwrap();
    assert_eq!(reduced.len(), 1);
    close(reduced[0].value, 3.041_425_232_428_233, 1e-10);
    assert!(!reduced[0].jumps_above);
    // Full system, across the maximal canard where it starts: the repelling manifold divides.
    let canard = layer.maximal_canard(&saddle(&layer, omega), TAU).unwrap();
    let start = canard.points[0].state.clone();
    let moved = |shift: f64| {
        let x = [start[0] + shift, start[1], start[2]];
        layer.outcome(&layer.on_slow_manifold(&x)?, 4.5)
    };
    let full = separatrices(moved, (-1e-4, 1e-4), 2).unwrap();
    assert_eq!(full.len(), 1);
    assert!(full[0].value.abs() < 1e-11, "{full:?}");
    // Landing from slip at ŷ = -1 and leaving at once, or after a stick.
    let through = layer.outcome(&[-0.6, -1.0, 0.0], 3.0).unwrap();
    assert!(
        matches!(through, Outcome::Jumps(t) if t > 1e-3 && t < 3e-2),
        "{through:?}"
    );
    assert_eq!(layer.outcome(&[0.0, -1.0, 4.5], 3.0).unwrap(), Outcome::Turns);
    assert!(matches!(moved(-1e-4).unwrap(), Outcome::Jumps(t) if t < 3.0));
    assert_eq!(moved(1e-4).unwrap(), Outcome::Turns);
}

#[test]
fn the_maximal_canard_is_found_up_to_the_end_of_the_family() {
    // ε = 10⁻³: the family of periodic orbits folds at Ω = 33.97, saddle and node merge at 40.8.
    for omega in [0.5, 1.0, 10.0, 33.9] {
        let (s, p) = oscillator(omega, 1e-3);
        let layer = problem(&s, &p, Reduction::Finite);
        let canard = layer.maximal_canard(&saddle(&layer, omega), TAU).unwrap();
        assert!(canard.mismatch < 1e-9);
        // With dŷ/dθ = k along the singular canard, ε ŷ' = f gives Ω²(x - x_s) = -ε k in the section.
        let through = layer.folded_singularity(&saddle(&layer, omega).state).unwrap();
        let direction = &through.eigenvectors[0];
        let k = direction[1].re / direction[2].re;
        let shift = omega * omega * (canard.crossing[0] - through.state[0]) / 1e-3;
        assert!((shift + k).abs() < 0.01 * k.abs(), "Ω = {omega}: {shift} {k}");
    }
}
