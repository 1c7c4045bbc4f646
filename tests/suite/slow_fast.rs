//! Slow–fast portraits, the cycle on the slow manifold and canards, through studies: against closed forms and limits.

use super::command::slipstick;
use super::support::{curve, labelled, points, run, value};
use slipstick_bifurcation::Label;
use slipstick_report::{RunData, Table};
use slipstick_slow_fast::{CanardDirection, CanardKind, FoldedClass, FoldedTransition};
use slipstick_study::{PortraitResult, RunResult};
use slipstick_system::catalogue::FrictionLaw;
use std::f64::consts::{FRAC_PI_2, PI, TAU};
use std::fs;

fn close(found: f64, wanted: f64, tolerance: f64) {
    assert!(
        (found - wanted).abs() <= tolerance,
        "{found} {wanted}: off by {:e}",
        (found - wanted).abs()
    );
}

/// A study of the regularised oscillator with these portraits.
fn oscillator(portraits: &str) -> String {
    format!(r#"Study(title: "portraits", system: RegularisedStiction(), slow_fast: [{portraits}])"#)
}

fn portrait<'r>(result: &'r RunResult, name: &str) -> &'r PortraitResult {
    assert!(result.missing.is_empty(), "{:?}", result.missing);
    result.portraits.iter().find(|p| p.name == name).unwrap()
}

#[test]
fn folded_singularities_and_singular_canards_are_level_sets_for_every_material() {
    let text = oscillator(r#"Portrait(name: "layer", orbits: 3, manifolds: 0, mesh: (13, 21))"#);
    for [mu_s, mu_d, delta, omega] in [[1.1, 0.4, 0.6, 2.0], [1.3, 0.5, 0.65, 0.7], [1.05, 0.2, 0.55, 6.0]] {
        let set = [
            ("mu_s", mu_s),
            ("mu_d", mu_d),
            ("delta", delta),
            ("Omega", omega),
            ("epsilon", 1e-3),
        ];
        let result = run(&text, &set);
        let layer = portrait(&result, "layer");
        let law = FrictionLaw::new(mu_s, mu_d, delta);
        let lambda = law.curvature(delta).abs().sqrt();
        assert_eq!(layer.singularities.len(), 4);
        for at in &layer.singularities {
            let up = at.state[1] > 0.0;
            close(at.state[1], if up { delta } else { -delta }, 1e-12);
            let (class, theta) = match at.class {
                FoldedClass::Saddle => ("saddle", if up { 1.5 * PI } else { FRAC_PI_2 }),
                FoldedClass::Centre => ("centre", if up { FRAC_PI_2 } else { 1.5 * PI }),
                other => panic!("{other:?}"),
            };
            close(at.state[2], theta, 1e-11);
            for (l, sign) in at.eigenvalues.iter().zip([-1.0, 1.0]) {
                let (part, none) = if class == "saddle" { (l.re, l.im) } else { (l.im, l.re) };
                close(part, sign * lambda, 1e-10 * lambda);
                close(none, 0.0, 1e-12);
            }
        }
        // Four canards, each on its level set of sin θ + φ(ŷ), with x at rest.
        assert_eq!(layer.canards.len(), 4);
        for (number, canard) in &layer.canards {
            let at = &layer.singularities[*number].state;
            let level = |x: &[f64]| x[2].sin() + law.value(x[1]);
            for p in &canard.points {
                close(level(&p.state), level(at), 1e-9);
                close(p.state[0], at[0], 1e-10);
            }
            let middle = canard.points.iter().position(|p| p.time == 0.0).unwrap();
            let (before, after) = (&canard.points[middle - 1], &canard.points[middle + 1]);
            assert!(before.slope * after.slope < 0.0);
            assert_eq!(canard.kind == CanardKind::Vrai, before.slope < 0.0);
        }
        // Orbits of the reduced flow keep to their level as well.
        assert!(layer.reduced_orbits.len() >= 9);
        for orbit in &layer.reduced_orbits {
            let level = |k: usize| orbit[k].state[2].sin() + law.value(orbit[k].state[1]);
            close(level(0), level(orbit.len() - 1), 1e-8);
        }
    }
}

#[test]
fn a_stiff_spring_moves_the_saddles_until_they_merge() {
    let text = oscillator(
        r#"Portrait(name: "layer", set: {"Omega": 3}, reduction: Finite, orbits: 0, manifolds: 0, mesh: (5, 9),
            over: Over(parameter: "Omega", range: (1, 30)))"#,
    );
    for [mu_s, mu_d, delta, epsilon] in [[1.1, 0.4, 0.6, 1e-2], [1.3, 0.5, 0.65, 5e-3]] {
        let set = [("mu_s", mu_s), ("mu_d", mu_d), ("delta", delta), ("epsilon", epsilon)];
        let result = run(&text, &set);
        let layer = portrait(&result, "layer");
        let kappa = 9.0 * epsilon;
        let q = FrictionLaw::new(mu_s, mu_d, delta).curvature(delta);
        for at in layer.singularities.iter().filter(|at| at.state[1] > 0.0) {
            let saddle = at.class == FoldedClass::Saddle;
            assert!(saddle || at.class == FoldedClass::Focus, "{:?}", at.class);
            let arc = (-kappa * delta).acos();
            close(at.state[2], if saddle { TAU - arc } else { arc }, 1e-11);
            // λ² + κ λ - sin θ φ''(δ) = 0.
            for l in at.eigenvalues {
                let rest = l * l + l * kappa - at.state[2].sin() * q;
                assert!(rest.norm() < 1e-10, "{rest}");
            }
        }
        // The merger at Ω²εδ = 1, and before it the focus turned node: κ² = 4|φ''| sqrt(1 - κ²δ²).
        let merge = (epsilon * delta).powf(-0.5);
        let meet = 8.0 * q * q * (-delta * delta + (delta.powi(4) + 0.25 / (q * q)).sqrt());
        let meet = (meet.sqrt() / epsilon).sqrt();
        assert_eq!(layer.branches.len(), 4);
        for (_, branch) in &layer.branches {
            let found = |kind| branch.transitions.iter().find(|t| t.0 == kind).unwrap().1;
            close(found(FoldedTransition::SaddleNode) / merge, 1.0, 1e-10);
            close(found(FoldedTransition::NodeFocus) / meet, 1.0, 1e-9);
        }
    }
}

#[test]
fn phases_jump_or_turn_on_either_side_of_the_canards() {
    let text = oscillator(
        r#"Portrait(name: "layer", orbits: 0, manifolds: 3, mesh: (9, 17), fates: Fates(over: "theta", from: {"yhat": 0}, samples: 25),
            returns: Returns(count: 20, symmetric: true))"#,
    );
    let mut off = [0.0; 2];
    for (k, epsilon) in [1e-2, 1e-3].into_iter().enumerate() {
        let result = run(&text, &[("epsilon", epsilon)]);
        let layer = portrait(&result, "layer");
        let changes = |full: bool| -> Vec<f64> {
            let of = layer.separatrices.iter().filter(|s| s.0 == full);
            of.map(|s| s.1.value).collect()
        };
        // In the reduced flow the vrai canards (theory: at ŷ = 0) divide, and the mirror image divides half a turn
        // later.
        let reduced = changes(false);
        let canard = 3.041_425_232_428_233;
        assert!(reduced.iter().any(|v| (v - canard).abs() < 1e-9), "{reduced:?}");
        assert!(reduced.iter().any(|v| (v - canard - PI).abs() < 1e-9), "{reduced:?}");
        // In the full system the maximal canard does, where it crosses ŷ = 0.
        let full = changes(true);
        let near = full.iter().map(|v| (v - canard).abs()).fold(f64::INFINITY, f64::min);
        off[k] = near;
        assert_eq!(layer.maximal.len(), 2);
        for (_, maximal) in &layer.maximal {
            assert!(maximal.mismatch < 1e-9);
            assert!(maximal.slopes[0] * maximal.slopes[1] < 0.0);
        }
        assert_eq!(layer.manifolds.len(), 12);
        // One singular cycle for each saddle, half a turn long, crossed transversally.
        assert_eq!(layer.cycles.len(), 2);
        for (_, cycle) in &layer.cycles {
            close(cycle.duration, PI, 1e-10);
            assert!(cycle.transversality.abs() > 0.5);
        }
    }
    // The separatrix of the full system is O(ε) from the canard.
    assert!((off[1] / off[0] - 0.1).abs() < 0.03, "{off:?}");
}

#[test]
fn the_stick_cycle_has_the_multipliers_of_averaging() {
    let text = r#"Study(
        title: "pure stick",
        system: RegularisedStiction(epsilon: 1e-2),
        curves: [Curve(
            name: "stick", orbit: Symmetric("layer"), free: "epsilon", range: (5e-4, 2e-2), levels: {"epsilon": [1e-2, 1e-3]},
            start: Guess(at: {"epsilon": 1e-2}, states: [{"x": 0, "yhat": 0, "theta": 0}], durations: [6.283185307179586]),
        )],
        slow_fast: [Portrait(name: "layer", orbits: 0, manifolds: 0, mesh: (5, 9), cycle: {"x": 0.01})],
    )"#;
    for set in [
        &[("Omega", 2.0)][..],
        &[("Omega", 3.0), ("mu_s", 1.3), ("mu_d", 0.5), ("delta", 0.65)],
    ] {
        let result = run(text, set);
        let cycle = portrait(&result, "layer").slow_cycle.clone().unwrap();
        close(cycle.centre, 0.0, 1e-12);
        let theory = [cycle.multiplier.log10() / 1e-2, cycle.fast_log10 * 1e-2];
        let stick = curve(&result, "stick");
        let levels = labelled(stick, Label::UZ);
        assert_eq!(levels.len(), 2);
        // (ε, deviations from the theory, amplitude over ε)
        let mut seen: Vec<(f64, [f64; 2], f64)> = levels
            .iter()
            .map(|p| {
                let epsilon = value(stick, p, "epsilon");
                let [weak, strong] = [&p.record.multipliers[0], &p.record.multipliers[1]].map(|m| m.log10);
                assert!(p.record.stable() && weak < 0.0);
                let off = [weak / epsilon - theory[0], strong * epsilon - theory[1]].map(f64::abs);
                (epsilon, off, value(stick, p, "max_abs_x") / epsilon)
            })
            .collect();
        seen.sort_by(|a, b| b.0.total_cmp(&a.0));
        // The corrections are of second order: both multipliers are even in ε beside their leading factor.
        for k in 0..2 {
            let ratio = seen[1].1[k] / seen[0].1[k];
            assert!((0.005..0.02).contains(&ratio), "{ratio}: {seen:?}");
            assert!(seen[0].1[k] < 1e-3 * theory[k].abs());
        }
        close(seen[1].2 / seen[0].2, 1.0, 1e-2);
    }
}

#[test]
fn the_delay_of_slip_tends_to_the_singular_cycle_on_canards_and_shrinks_at_jumps() {
    let text = include_str!("../../studies/regularised.ron").replace(
        "orbits: 0, manifolds: 0",
        "orbits: 0, manifolds: 0, mesh: (5, 9), returns: Returns(count: 20, symmetric: true)",
    );
    let mut seen = vec![];
    for epsilon in [1e-2, 1e-3] {
        let result = run(&text, &[("epsilon", epsilon)]);
        let launch = portrait(&result, "layer").cycles[0].1.jump.launch.time;
        let family = curve(&result, "family");
        let at_three = |stable: bool| -> [f64; 2] {
            let found = labelled(family, Label::UZ);
            let p = found
                .iter()
                .find(|p| p.point.parameter() == 3.0 && p.record.stable() == stable)
                .unwrap();
            ["delay", "canard_time"].map(|name| value(family, p, name))
        };
        let ([canard, follows], [jump, nothing]) = (at_three(false), at_three(true));
        assert_eq!(nothing, 0.0);
        assert!(follows > 0.5 && follows <= canard + 1e-12);
        seen.push((canard - launch, jump));
    }
    // O(ε) for the canard, O(ε^(2/3)) for the jump.
    let (canard, jump) = (seen[1].0 / seen[0].0, seen[1].1 / seen[0].1);
    assert!((canard - 0.1).abs() < 0.05, "{seen:?}");
    assert!((jump.log10() + 2.0 / 3.0).abs() < 0.06, "{seen:?}");
}

#[test]
fn a_folded_node_written_as_text_has_its_exact_canard() {
    let text = r#"Study(
        title: "folded node",
        system: Smooth(
            states: ["x", "y", "z"], parameters: {"epsilon": 1e-3, "mu": 0.3},
            equations: ["x' = (y - x^2)/epsilon", "y' = -(mu + 1)*x - z", "z' = mu/2"],
            slow_fast: SlowFast(fast: "x", epsilon: "epsilon"),
        ),
        slow_fast: [Portrait(name: "node", within: {"x": (-1, 1.1), "y": (-1, 1.2), "z": (-1, 1.3)}, time: 2, orbits: 4, manifolds: 3)],
    )"#;
    let epsilon = 1e-3;
    for (mu, class) in [(0.3, FoldedClass::Node), (-0.5, FoldedClass::Saddle)] {
        let result = run(text, &[("mu", mu)]);
        let found = portrait(&result, "node");
        let [at] = &found.singularities[..] else {
            panic!("{:?}", found.singularities)
        };
        assert_eq!(at.class, class);
        let mut wanted = [-1.0, -mu];
        wanted.sort_by(f64::total_cmp);
        for (l, wanted) in at.eigenvalues.iter().zip(wanted) {
            close(l.re, wanted, 1e-12);
        }
        // A node has a strong and a weak canard, a saddle a vrai and a faux one.
        let told: Vec<_> = found.canards.iter().map(|(_, c)| (c.kind, c.direction)).collect();
        let wanted = match class {
            FoldedClass::Node => [CanardDirection::Strong, CanardDirection::Weak].map(|d| (CanardKind::Vrai, Some(d))),
            _ => [CanardKind::Vrai, CanardKind::Faux].map(|kind| (kind, None)),
        };
        assert_eq!(told, wanted);
        let [(0, maximal)] = &found.maximal[..] else { panic!() };
        for (x, wanted) in maximal.crossing.iter().zip([0.0, -0.5 * epsilon, 0.0]) {
            close(*x, wanted, 1e-9);
        }
    }
}

/// The regularised oscillator with the coefficients of φ for μ_s = 1.1, μ_d = 0.4, δ = 0.6, written out as equations.
const WRITTEN: &str = r#"Hybrid(
    states: ["x", "y", "yhat", "theta"], angles: {"theta": "2*pi"},
    parameters: {"Omega": 2, "epsilon": 1e-3, "mu_d": 0.4,
        "a": 4.23064055266203704, "b": -6.79746274594907407, "c": 0.703003833912037037, "d": 2.263818359375},
    define: {"xi": "Omega^2*x + sin(theta)", "phi": "yhat*(((a*yhat^2 + b)*yhat^2 + c)*yhat^2 + d)"},
    modes: {
        "slip+": Mode(
            states: ["x", "y", "theta"], absent: {"yhat": "y/epsilon"}, equations: ["x' = y", "y' = -xi - mu_d", "theta' = 1"],
            events: {"enter": Event(guard: "y - epsilon", direction: Down, to: "layer")},
        ),
        "slip-": Mode(
            states: ["x", "y", "theta"], absent: {"yhat": "y/epsilon"}, equations: ["x' = y", "y' = -xi + mu_d", "theta' = 1"],
            events: {"enter": Event(guard: "y + epsilon", direction: Up, to: "layer")},
        ),
        "layer": Mode(
            kind: Stick, states: ["x", "yhat", "theta"], absent: {"y": "epsilon*yhat"},
            equations: ["x' = epsilon*yhat", "yhat' = -(xi + phi)/epsilon", "theta' = 1"],
            events: {
                "leave+": Event(guard: "yhat - 1", direction: Up, to: "slip+"),
                "leave-": Event(guard: "yhat + 1", direction: Down, to: "slip-"),
            },
        ),
    },
    symmetry: Symmetry(states: {"x": "-x", "y": "-y", "yhat": "-yhat", "theta": "theta + pi"}, modes: {"slip+": "slip-"}),
    start: Start(mode: "layer"),
    slow_fast: SlowFast(mode: "layer", fast: "yhat", epsilon: "epsilon"),
)"#;

#[test]
fn the_oscillator_written_as_text_has_the_portrait_of_the_built_in_one() {
    let study = |system: &str| {
        format!(
            r#"Study(title: "twice", system: {system}, slow_fast: [Portrait(name: "layer", set: {{"Omega": 3}}, orbits: 2, manifolds: 3,
                mesh: (7, 11), returns: Returns(count: 20, symmetric: true), cycle: {{"x": 0}})])"#
        )
    };
    let (built_in, written) = (run(&study("RegularisedStiction()"), &[]), run(&study(WRITTEN), &[]));
    let (a, b) = (portrait(&built_in, "layer"), portrait(&written, "layer"));
    let same = |x: &[f64], y: &[f64], tolerance: f64| {
        assert_eq!(x.len(), y.len());
        x.iter().zip(y).for_each(|(x, y)| close(*x, *y, tolerance));
    };
    assert_eq!(a.singularities.len(), b.singularities.len());
    for (p, q) in a.singularities.iter().zip(&b.singularities) {
        assert_eq!(p.class, q.class);
        same(&p.state, &q.state, 1e-10);
    }
    for ((_, p), (_, q)) in a.maximal.iter().zip(&b.maximal) {
        same(&p.crossing, &q.crossing, 1e-9);
    }
    for ((_, p), (_, q)) in a.cycles.iter().zip(&b.cycles) {
        same(&p.jump.landing.state, &q.jump.landing.state, 1e-8);
    }
    assert_eq!((a.cycles.len(), b.cycles.len(), b.maximal.len()), (2, 2, 2));
    let [p, q] = [a, b].map(|p| p.slow_cycle.clone().unwrap());
    close(p.multiplier, q.multiplier, 1e-12);
}

#[test]
fn a_planar_oscillator_written_as_text_has_two_folds() {
    let text = r#"Study(
        title: "van der Pol",
        system: Smooth(
            states: ["x", "y"], parameters: {"epsilon": 1e-2}, equations: ["x' = (y - x^3/3 + x)/epsilon", "y' = -x"],
            slow_fast: SlowFast(fast: "x", epsilon: "epsilon"),
        ),
        slow_fast: [Portrait(name: "cubic", within: {"x": (-2.5, 2.5)}, time: 5)],
    )"#;
    let result = run(text, &[]);
    let cubic = portrait(&result, "cubic");
    assert_eq!(cubic.folds.len(), 2);
    for (fold, x) in cubic.folds.iter().zip([-1.0, 1.0]) {
        close(fold.points[0][0], x, 1e-9);
        close(fold.points[0][1], -2.0 / 3.0 * x, 1e-12);
    }
    for p in &cubic.curve {
        let [x, y] = p.state[..] else { panic!() };
        close(y, x * x * x / 3.0 - x, 1e-12);
        close(p.slope, 1.0 - x * x, 1e-12);
    }
}

#[test]
fn twins_approach_each_other_at_the_rate_of_the_theory() {
    let twins = r#"Study(
        title: "twins",
        systems: {
            "discontinuous": Stiction(),
            "eps3": RegularisedStiction(epsilon: 1e-3),
            "eps4": RegularisedStiction(epsilon: 1e-4),
        },
        curves: [
            Curve(name: "limit", system: "discontinuous", orbit: Symmetric("slip- stick"), start: All(at: {"Omega": 2}), free: "Omega",
                range: (1.9, 3.1), levels: {"Omega": [2, 3]}),
            Curve(name: "1e-3", system: "eps3", orbit: Symmetric("slip- layer"), start: Settle(at: {"Omega": 2}, from: {"x": 1}),
                free: "Omega", range: (1.9, 3.1), levels: {"Omega": [2, 3]}),
            Curve(name: "1e-4", system: "eps4", orbit: Symmetric("slip- layer"), start: Settle(at: {"Omega": 2}, from: {"x": 1}),
                free: "Omega", range: (1.9, 3.1), levels: {"Omega": [2, 3]}),
        ],
        distances: [Distances(name: "twins", reference: ["limit"], of: ["1e-3", "1e-4"], column: "max_abs_x", over: "epsilon")],
        figures: [Diagram(name: "twins", x: "Omega", y: "max_abs_x", lines: [Vertical(at: "3.0 + 10*epsilon", label: "bound")])],
    )"#;
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("twins.ron"), twins).unwrap();
    let outcome = slipstick(folder.path(), &["run", "twins.ron"]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let table = Table::read(folder.path().join("output/twins/distances/twins.csv")).unwrap();
    let orders: Vec<f64> = table
        .numbers("order")
        .unwrap()
        .iter()
        .copied()
        .filter(|v| v.is_finite())
        .collect();
    assert_eq!((table.rows(), orders.len()), (4, 2));
    for order in orders {
        close(order, 2.0 / 3.0, 0.03);
    }
    // The line is drawn for each curve that has the parameter.
    let tex = fs::read_to_string(folder.path().join("output/twins/figures/twins.tex")).unwrap();
    assert!(tex.contains("3.01") && tex.contains("3.001"), "{tex}");
}

#[test]
fn a_portrait_leaves_tables_and_figures_that_can_be_drawn_again() {
    let study = oscillator(
        r#"Portrait(name: "layer", orbits: 4, manifolds: 2, mesh: (9, 17), fates: Fates(over: "theta", from: {"yhat": 0}, samples: 9),
            returns: Returns(count: 10, symmetric: true), cycle: {"x": 0}, over: Over(parameter: "Omega", range: (1, 4)))"#,
    );
    let figures = r#"figures: [
        Manifold(name: "plane", of: "layer", x: "theta", y: "yhat",
            show: [Sheets, Flow, Folds, Canards, SlowManifolds, MaximalCanards, Fates, Returns, Cycles, Singularities]),
        Manifold(name: "branches", of: "layer", x: "Omega", y: "theta", show: [Branches]),
        Manifold(name: "law", of: "layer", x: "yhat", y: "phi", show: [Slices]),
        Manifold(name: "section", of: "layer", x: "across", y: "fast", show: [Sections], through: [2]),
    ])"#;
    let study = format!("{}, {figures}", study.strip_suffix(')').unwrap());
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("study.ron"), study).unwrap();
    let outcome = slipstick(folder.path(), &["run", "study.ron", "--jobs", "1"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
    let out = folder.path().join("output/study");
    let data = RunData::read(&out).unwrap();
    let names: Vec<&str> = data.portraits["layer"].keys().map(String::as_str).collect();
    let wanted = [
        "canards",
        "critical_manifold",
        "fates",
        "fold_lines",
        "folded_branches",
        "folded_singularities",
        "maximal_canards",
        "maximal_crossings",
        "reduced_orbits",
        "returns",
        "sections",
        "separatrices",
        "singular_cycles",
        "slow_cycle",
        "slow_manifolds",
    ];
    assert_eq!(names, wanted);
    let manifold = &data.portraits["layer"]["critical_manifold"];
    assert_eq!(manifold.rows(), 9 * 17);
    let (yhat, sheets) = (manifold.numbers("yhat").unwrap(), manifold.texts("sheet").unwrap());
    for (y, sheet) in yhat.iter().zip(sheets).filter(|(y, _)| y.abs() < 0.99) {
        assert_eq!(sheet, if y.abs() < 0.6 { "attracting" } else { "repelling" }, "{y}");
    }
    for name in ["plane", "branches", "law", "section"] {
        let svg = fs::read_to_string(out.join(format!("figures/{name}.svg"))).unwrap();
        assert!(svg.contains("<polyline") || svg.contains("<path"), "{name}");
    }
    // The shades of the two sheets, which have their names in place.
    let svg = fs::read_to_string(out.join("figures/plane.svg")).unwrap();
    for shade in ["#DCEAF6", "#FCE9DA"] {
        assert_eq!(svg.matches(shade).count(), 1, "{shade}");
    }
}

#[test]
fn what_is_wrong_with_a_portrait_is_said_where_it_stands() {
    let said = |system: &str, portrait: &str| -> String {
        let folder = tempfile::tempdir().unwrap();
        let text = format!(
            "Study(\n    title: \"t\",\n    system: {system},\n    slow_fast: [\n        {portrait},\n    ],\n)\n"
        );
        fs::write(folder.path().join("study.ron"), text).unwrap();
        let outcome = slipstick(folder.path(), &["check", "study.ron"]);
        assert_eq!(outcome.code, 2, "{}", outcome.stderr);
        outcome.stderr
    };
    let layer = "RegularisedStiction()";
    for (system, portrait, message, place) in [
        (
            "Stiction()",
            r#"Portrait(name: "a")"#,
            "Stiction is not declared slow–fast",
            "study.ron:5:9",
        ),
        (
            layer,
            r#"Portrait(name: "a/b")"#,
            "`a/b` cannot name a file",
            "study.ron:5:24",
        ),
        (
            layer,
            r#"Portrait(name: "a", within: {"yhat": (1, -1)})"#,
            "(1, -1) is not an interval",
            "study.ron:5:",
        ),
        (
            layer,
            r#"Portrait(name: "a", within: {"y": (0, 1)})"#,
            "unknown state of the slow–fast mode `y`",
            "study.ron:5:",
        ),
        (
            layer,
            r#"Portrait(name: "a", fates: Fates(over: "theta"))"#,
            "the starts need a value of the fast state `yhat`",
            "study.ron:5:",
        ),
        (
            layer,
            r#"Portrait(name: "a", fates: Fates(over: "yhat", from: {"yhat": 0}))"#,
            "unknown slow state `yhat`",
            "study.ron:5:",
        ),
        (
            layer,
            r#"Portrait(name: "a", over: Over(parameter: "omega", range: (1, 2)))"#,
            "unknown parameter `omega`",
            "study.ron:5:",
        ),
        (
            layer,
            r#"Portrait(name: "a", over: Over(parameter: "Omega", range: (3, 4)))"#,
            "Omega = 2 does not lie in (3, 4)",
            "study.ron:5:",
        ),
        (
            layer,
            r#"Portrait(name: "a", set: {"epsilon": 0})"#,
            "epsilon > 0",
            "study.ron:5:",
        ),
        (
            layer,
            r#"Portrait(name: "a", mesh: (1, 5))"#,
            "1 is not a number from 2 on",
            "study.ron:5:",
        ),
        (
            layer,
            r#"Portrait(name: "a", time: -1)"#,
            "a time of -1 is not possible",
            "study.ron:5:",
        ),
        (
            r#"Smooth(states: ["x", "y", "z"], parameters: {"e": 0.1}, equations: ["x' = (y - x^2)/e", "y' = z", "z' = 1"], slow_fast: SlowFast(fast: "x", epsilon: "e"))"#,
            r#"Portrait(name: "a", within: {"z": (0, 1)})"#,
            "needs an interval of `x`",
            "study.ron:5:",
        ),
    ] {
        let stderr = said(system, portrait);
        assert!(
            stderr.contains(message) && stderr.contains(place),
            "{portrait}\n{stderr}"
        );
    }
}

/// Van der Pol's oscillator, with its curve of relaxation oscillations and canards.
fn van_der_pol(epsilon: &str, range: &str) -> String {
    format!(
        r#"Study(
            title: "van der Pol",
            system: Smooth(
                states: ["x", "y"], parameters: {{"a": 0.5, "epsilon": {epsilon}}},
                equations: ["x' = (y - x^3/3 + x)/epsilon", "y' = a - x"],
                slow_fast: SlowFast(fast: "x", epsilon: "epsilon"),
            ),
            curves: [Curve(name: "cycles", orbit: PeriodicOrbit, start: Settle(at: {{"a": 0.5}}, from: {{"x": 2}}), free: "a", range: {range})],
        )"#
    )
}

#[test]
fn canards_have_a_head_where_they_reach_the_other_attracting_sheet_and_an_explosion_no_fold() {
    for epsilon in ["0.05", "0.01"] {
        let result = run(&van_der_pol(epsilon, "(0.5, 1.2)"), &[]);
        let cycles = curve(&result, "cycles");
        assert!(
            labelled(cycles, Label::LP).is_empty(),
            "the cycles of van der Pol's oscillator do not fold"
        );
        let (mut with, mut without) = (0, 0);
        for p in points(cycles) {
            let [time, distance, head, least] =
                ["canard_time", "canard_distance", "canard_head", "x_min"].map(|name| value(cycles, p, name));
            assert_eq!((time > 0.0, time > 0.0), (distance.is_finite(), head.is_finite()));
            // x = -1 is the fold of the other attracting sheet; short segments say little, and next to that fold
            // neither does a head.
            if time < 0.5 || (least + 1.0).abs() < 0.15 {
                continue;
            }
            assert_eq!(head, if least < -1.0 { 1.0 } else { 0.0 }, "x_min = {least}, {time}");
            *(if least < -1.0 { &mut with } else { &mut without }) += 1;
        }
        assert!(with > 3 && without > 3, "{with} {without}");
    }
}

#[test]
fn relaxation_oscillations_are_followed_in_steps_that_do_not_shorten_with_epsilon() {
    let mut counts = vec![];
    for epsilon in [1e-3, 1e-4] {
        let result = run(&van_der_pol("1e-3", "(-0.2, 0.7)"), &[("epsilon", epsilon)]);
        let cycles = curve(&result, "cycles");
        counts.push(points(cycles).len());
        assert_eq!(labelled(cycles, Label::EP).len(), 2);
    }
    assert!(counts.iter().all(|&count| count < 300), "{counts:?}");
    // Dorodnicyn's expansion at a = 0.
    let text = van_der_pol("1e-4", "(-0.1, 0.5)").replace("(-0.1, 0.5)", r#"(-0.1, 0.5), levels: {"a": [0]}"#);
    let result = run(&text, &[]);
    let cycles = curve(&result, "cycles");
    let at = labelled(cycles, Label::UZ)[0];
    let e: f64 = 1e-4;
    let period = 3.0 - 2.0 * 2f64.ln() + 7.014_32 * e.powf(2.0 / 3.0) + e * e.ln() / 3.0 - 1.3233 * e;
    close(at.record.period, period, 2e-5);
}

#[test]
fn a_family_whose_slip_vanishes_goes_on_within_the_layer() {
    let text = include_str!("../../studies/regularised.ron")
        .replace("range: (0.3, 2000.0)", "range: (0.3, 2000.0), switch: Auto");
    let result = run(&text, &[("mu_s", 1.05), ("mu_d", 0.3)]);
    let family = curve(&result, "family");
    let words: Vec<&str> = family.pieces.iter().map(|piece| piece.word.as_str()).collect();
    assert_eq!(
        words,
        [
            "slip- enter layer leave+ | mirrored",
            "layer | mirrored",
            "slip+ enter layer leave- | mirrored"
        ]
    );
    let vanishes = labelled(family, Label::VS)[0];
    let beyond = &family.pieces[1].branch.points;
    // The same orbit, told without the slip that lasts no time; then further and further within.
    close(beyond[0].point.parameter(), vanishes.point.parameter(), 1e-10);
    for name in ["period", "max_abs_x"] {
        close(value(family, &beyond[0], name), value(family, vanishes, name), 1e-9);
    }
    let touch = labelled(family, Label::GR)[0].point.parameter();
    assert!(beyond.len() > 10 && touch < 0.9 * vanishes.point.parameter());
    for p in &beyond[1..] {
        assert!(value(family, p, "max_abs_yhat") <= 1.0 + 1e-9 && value(family, p, "liouville") < 1e-8);
        // A canard in each half: the layer is left nowhere.
        assert!(value(family, p, "canard_time") > 0.5 && p.record.unstable == 1);
    }
    // Where its edge is touched, slip reappears; it lasts ever longer on the way to the resonance.
    let slips = &family.pieces[2].branch.points;
    let near = slips.first().map(|p| p.point.parameter() / touch - 1.0);
    assert!(near.is_some_and(|off| off.abs() < 1e-4), "{near:?}");
    assert_eq!(labelled(family, Label::EP).len(), 2);
}

#[test]
fn a_closed_curve_of_forced_relaxation_oscillations_is_gone_round_once() {
    let text = r#"Study(
        title: "forced van der Pol",
        system: Smooth(
            states: ["x", "y", "theta"], angles: {"theta": "2*pi"}, parameters: {"omega": 3.9, "epsilon": 1e-2},
            equations: ["x' = (y - x^3/3 + x)/epsilon", "y' = cos(theta) - x", "theta' = omega"],
            slow_fast: SlowFast(fast: "x", epsilon: "epsilon"),
        ),
        curves: [Curve(name: "locked", orbit: PeriodicOrbit, start: Settle(at: {"omega": 3.9}, from: {"x": 2}), free: "omega", range: (1, 8))],
    )"#;
    let result = run(text, &[]);
    let locked = curve(&result, "locked");
    assert!(locked.ended().contains("closed"), "{}", locked.ended());
    // Between two folds the phase of the jumps goes round against the forcing.
    let folds = labelled(locked, Label::LP);
    assert_eq!(folds.len(), 2);
    assert!(points(locked).len() < 300, "{}", points(locked).len());
    let omegas: Vec<f64> = folds.iter().map(|p| p.point.parameter()).collect();
    let (low, high) = (omegas[0].min(omegas[1]), omegas[0].max(omegas[1]));
    close(low, 1.979_061_217_9, 1e-8);
    close(high, 4.543_378_402_3, 1e-8);
}
