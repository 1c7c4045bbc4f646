//! What must hold at every point and for every material.

use super::super::{CanardKind, FoldedClass, Reduction, SlowFastProblem};
use super::whole_layer;
use proptest::prelude::*;
use slipstick_system::System;
use slipstick_system::catalogue::{FrictionLaw, regularised_stiction};
use std::f64::consts::TAU;

/// Ω, μ_s, μ_d, δ, ε of stiction type.
fn materials() -> impl Strategy<Value = [f64; 5]> {
    (0.5..8.0, 0.1..0.9_f64, 0.4..0.75, -5.0..-2.0_f64)
        .prop_map(|(omega, mu_d, delta, e)| [omega, mu_d + 0.6, mu_d, delta, 10_f64.powf(e)])
        .prop_filter("φ of stiction type", |p| {
            FrictionLaw::new(p[1], p[2], p[3]).stiction_type() > 0.0
        })
}

fn problem<'a>(system: &'a System, p: &[f64], finite: bool) -> SlowFastProblem<'a> {
    let reduction = if finite { Reduction::Finite } else { Reduction::Singular };
    SlowFastProblem::new(system, p, reduction).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_desingularised_flow_conserves_the_critical_manifold(
        p in materials(), x in -1.0..1.0_f64, y in -0.99..0.99_f64, theta in 0.0..TAU, finite in any::<bool>()
    ) {
        let system = regularised_stiction();
        let layer = problem(&system, &p, finite);
        let at = [x / (p[0] * p[0]), y, theta];
        let local = layer.local(&at);
        let (field, rate) = layer.desingularised(&at);
        let change: f64 = field.iter().zip(&local.gradient).map(|(v, g)| v * g).sum();
        let size: f64 = field.iter().zip(&local.gradient).map(|(v, g)| (v * g).abs()).sum();
        prop_assert!(change.abs() <= 4.0 * f64::EPSILON * size);
        prop_assert_eq!(rate, -local.gradient[1]);
        // θ' = 1 in slow time.
        prop_assert!((field[2] - rate).abs() <= 1e-14 * rate.abs());
    }

    #[test]
    fn the_jacobian_of_the_desingularised_field_is_its_derivative(
        p in materials(), x in -1.0..1.0_f64, y in -0.95..0.95_f64, theta in 0.0..TAU
    ) {
        let system = regularised_stiction();
        let layer = problem(&system, &p, true);
        let at = [x / (p[0] * p[0]), y, theta];
        let jacobian = layer.desingularised_jacobian(&at);
        for j in 0..3 {
            let h = 1e-5;
            let moved = |s: f64| {
                let mut z = at;
                z[j] += s * h;
                layer.desingularised(&z).0
            };
            let [a, b, c, d] = [-2.0, -1.0, 1.0, 2.0].map(moved);
            for i in 0..3 {
                let slope = (a[i] - 8.0 * b[i] + 8.0 * c[i] - d[i]) / (12.0 * h);
                prop_assert!((slope - jacobian[(i, j)]).abs() <= 1e-7 * (1.0 + jacobian.norm()));
            }
        }
    }

    #[test]
    fn every_material_has_its_four_folded_singularities_and_vrai_canards(p in materials()) {
        let system = regularised_stiction();
        let layer = problem(&system, &p, false);
        let x = (p[1] + 1.5) / (p[0] * p[0]);
        let mut region = whole_layer(1.0);
        region[0] = (-x, x);
        let found = layer.folded_singularities(&region).unwrap();
        let curvature = FrictionLaw::new(p[1], p[2], p[3]).curvature(p[3]);
        prop_assert_eq!(found.len(), 4);
        prop_assert_eq!(found.iter().filter(|f| f.class == FoldedClass::Centre).count(), 2);
        for saddle in found.iter().filter(|f| f.class == FoldedClass::Saddle) {
            prop_assert!((saddle.eigenvalues[1].re - (-curvature).sqrt()).abs() < 1e-11 * (1.0 - curvature));
            for canard in layer.singular_canards(saddle, 1.0).unwrap() {
                // sin θ + φ(ŷ) is constant along it, and attracting comes before repelling in a vrai canard.
                let vrai = canard.kind == CanardKind::Vrai;
                for point in &canard.points {
                    prop_assert!(layer.force(&point.state).abs() < 1e-10);
                    prop_assert!((point.state[0] - saddle.state[0]).abs() < 1e-10);
                    prop_assert!(point.slope.abs() < 1e-9 || (point.slope * point.time > 0.0) == vrai);
                }
            }
        }
    }
}
