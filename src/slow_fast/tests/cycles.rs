//! Singular canard cycles and the attracting cycle on the slow manifold.

use super::super::{Along, CanardKind, FibreEnd, FoldedClass, Reduction, SingularCanard, SlowFastProblem};
use super::{close, oscillator, problem, whole_layer};
use slipstick_flow::{FlowOptions, ModeFlow, Transition};
use slipstick_system::catalogue::{FrictionLaw, stiction};
use std::f64::consts::{PI, TAU};

fn vrai(layer: &SlowFastProblem, omega: f64) -> SingularCanard {
    let saddle = (layer.folded_singularities(&whole_layer(omega)).unwrap().into_iter())
        .find(|f| f.class == FoldedClass::Saddle && f.state[1] < 0.0)
        .unwrap();
    let canard = layer.singular_canards(&saddle, TAU).unwrap().remove(0);
    assert_eq!(canard.kind, CanardKind::Vrai);
    canard
}

#[test]
fn the_singular_canard_cycles_close_at_every_stiffness() {
    for omega in [0.6, 0.8, 1.5, 3.0, 10.0] {
        let (s, p) = oscillator(omega, 1e-9);
        let layer = problem(&s, &p, Reduction::Singular);
        let canard = vrai(&layer, omega);
        let cycles = layer.singular_cycles(&canard, true, 40, (-1.0, 1.0), 10.0).unwrap();
        let [cycle] = &cycles[..] else { panic!("{cycles:?}") };
        // Half a period is half a turn of the forcing.
        close(cycle.duration, PI, 1e-12);
        assert!(cycle.transversality.abs() > 0.02);
        // It is a Carathéodory orbit of the discontinuous model: from stick at x_c, inside the strip, into slip,
        // and onto stick at -x_c.
        let rough = stiction();
        let slip = ModeFlow::new(&rough, 1, FlowOptions::default());
        let x_c = (1.1 - 1.0) / (omega * omega);
        let [(mode, duration)] = cycle.jump.segments[..] else {
            panic!()
        };
        assert_eq!(mode, 1);
        let mut land = [0.0; 3];
        let theta = cycle.jump.launch.state[2];
        slip.advance(&[x_c, 0.0, theta], duration, &[omega, 1.1, 0.4], &mut land)
            .unwrap();
        close(land[0], -x_c, 1e-7);
        close(land[1], 0.0, 1e-7);
        assert!(omega * omega * x_c + theta.sin() < 1.1);
        close(cycle.jump.landing.state[0], -x_c, 1e-12);
    }
}

#[test]
fn periodic_orbits_with_canards_tend_to_the_singular_cycle() {
    // (Ω, phase of landing, x of landing, stick time) for ε = 10⁻² and 10⁻³, computed independently.
    let reference = [
        (
            2.0,
            [3.0751037529313052, 3.112052329557806],
            [-0.031126708995955547, -0.02561356564606484],
            [2.38338603813002, 2.3517515281975605],
        ),
        (
            3.0,
            [2.9340729901666975, 3.0097814994719676],
            [-0.01692490787398255, -0.01168789465131264],
            [2.6060909249132083, 2.5595083191562815],
        ),
    ];
    for (omega, theta, x, stick) in reference {
        let (s, p) = oscillator(omega, 1e-9);
        let layer = problem(&s, &p, Reduction::Singular);
        let cycles = layer
            .singular_cycles(&vrai(&layer, omega), true, 40, (-1.0, 1.0), 10.0)
            .unwrap();
        let cycle = &cycles[0];
        let limit = &cycle.jump.landing.state;
        for (values, limit) in [(theta, limit[2]), (x, limit[0]), (stick, cycle.slow_time)] {
            let [far, near] = values.map(|v| v - limit);
            assert!(
                near.abs() < 0.02 && (near / far - 0.1).abs() < 0.03,
                "Ω = {omega}: {far} {near}"
            );
        }
    }
}

#[test]
fn the_tangent_of_the_return_map_is_its_derivative() {
    let (s, p) = oscillator(3.0, 1e-3);
    let layer = problem(&s, &p, Reduction::Finite);
    let canard = vrai(&layer, 3.0);
    let returned = |time: f64| {
        let launch = layer.canard_at(&canard, Along::Time, time).unwrap().remove(0);
        layer.fibre_return(&launch, -1.0, (-1.0, 1.0), 10.0).unwrap()
    };
    let h = 1e-4;
    let [middle, before, after] = [0.8, 0.8 - h, 0.8 + h].map(returned);
    for i in [0, 2] {
        let slope = (after.landing.state[i] - before.landing.state[i]) / (2.0 * h);
        close(slope, middle.tangent[i], 1e-7);
    }
    assert_eq!(layer.fibre_returns(&canard, 7, (-1.0, 1.0), 10.0).unwrap().len(), 7);
    // Nothing comes back at once.
    assert!(layer.fibre_returns(&canard, 7, (-1.0, 1.0), 0.01).unwrap().is_empty());
}

#[test]
fn fibres_of_the_repelling_sheet_lead_out_of_the_layer_or_onto_the_attracting_sheet() {
    let (s, p) = oscillator(2.0, 1e-3);
    let layer = problem(&s, &p, Reduction::Singular);
    let sheets = layer.sheets(&[-0.2, 0.0, 0.0], (-1.0, 1.0)).unwrap();
    let [low, high] = &sheets[..] else { panic!() };
    match layer.follow_fibre(&high.state, -1.0, (-1.0, 1.0)).unwrap() {
        FibreEnd::Sheet(found) => close(found.state[1], low.state[1], 1e-14),
        other => panic!("{other:?}"),
    }
    match layer.follow_fibre(&high.state, 1.0, (-1.0, 1.0)).unwrap() {
        FibreEnd::Leaves { event, state } => {
            assert_eq!(s.modes[2].events[event].name, "leave+");
            close(state[1], 1.0, 1e-15);
        }
        other @ FibreEnd::Sheet(_) => panic!("{other:?}"),
    }
    assert!(layer.follow_fibre(&low.state, 1.0, (-1.0, 0.5)).is_err());
}

#[test]
fn the_pure_stick_cycle_has_the_multiplier_of_averaging() {
    // M'(0) = -Ω² ∮ dθ/φ'(h), φ(h) = -sin θ; across the manifold -(1/ε) ∮ φ'(h) dθ.
    let omega = 2.0;
    let law = FrictionLaw::new(1.1, 0.4, 0.6);
    let (mut inverse, mut direct) = (0.0, 0.0);
    let n = 20_000;
    for k in 0..n {
        let target = -(TAU * f64::from(k) / f64::from(n)).sin();
        let mut h = 0.0;
        for _ in 0..60 {
            h -= (law.value(h) - target) / law.slope(h);
        }
        inverse += TAU / f64::from(n) / law.slope(h);
        direct += TAU / f64::from(n) * law.slope(h);
    }
    let mut error = f64::INFINITY;
    for epsilon in [1e-2, 1e-3] {
        let (s, p) = oscillator(omega, epsilon);
        let layer = problem(&s, &p, Reduction::Finite);
        let cycle = layer.slow_cycle(&[0.01, 0.0, 0.0]).unwrap();
        close(cycle.centre, 0.0, 1e-14);
        close(cycle.period, TAU, 0.0);
        close(cycle.multiplier.ln() / epsilon, -omega * omega * inverse, 1e-10);
        close(cycle.fast_log10 * epsilon * std::f64::consts::LN_10, -direct, 1e-10);
        // The cycle of the full system, by Newton's method on the map of one period.
        let flow = layer.full_flow();
        let mut at = cycle.start.clone();
        let mut end = Transition::default();
        for _ in 0..8 {
            flow.linearise(&at, TAU, &p, &[], &mut end).unwrap();
            let d = |i: usize, j: usize| end.dx[3 * i + j] - f64::from(u8::from(i == j));
            let r = [end.x[0] - at[0], end.x[1] - at[1]];
            let det = d(0, 0) * d(1, 1) - d(0, 1) * d(1, 0);
            at[0] -= (r[0] * d(1, 1) - r[1] * d(0, 1)) / det;
            at[1] -= (r[1] * d(0, 0) - r[0] * d(1, 0)) / det;
        }
        assert!(at[0].abs() < 3.0 * epsilon && at[0].abs() > 0.1 * epsilon, "{}", at[0]);
        // One multiplier is below every rounding error, so the other is the trace.
        let multiplier = end.dx[0] + end.dx[4];
        let now = (multiplier.ln() - cycle.multiplier.ln()).abs();
        assert!(
            now < 0.02 * error && now < 100.0 * epsilon * epsilon,
            "{epsilon} {now:e}"
        );
        error = now;
    }
}

#[test]
fn there_is_no_pure_stick_cycle_when_the_forcing_exceeds_static_friction() {
    let (s, mut p) = oscillator(2.0, 1e-3);
    p[1] = 0.95;
    let layer = problem(&s, &p, Reduction::Finite);
    assert!(layer.slow_cycle(&[0.0; 3]).is_err());
}
