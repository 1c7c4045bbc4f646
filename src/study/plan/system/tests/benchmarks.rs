//! The systems that other toolkits ship, written as text.

use super::*;
use slipstick_system::{Direction, Measure, ModeKind, OrbitMonitor, Place, Quantity, jacobian};
use std::f64::consts::{PI, TAU};

#[test]
fn lorenz() {
    let s = system(
        r#"Smooth(
            name: "lorenz", about: "Lorenz 1963",
            states: ["x", "y", "z"], parameters: {"sigma": 10, "rho": 28, "beta": "8/3"},
            equations: ["x' = sigma*(y - x)", "y' = rho*x - y - x*z", "z' = x*y - beta*z"],
            symmetry: {"x": "-x", "y": "-y"}, observables: {"energy": "(x^2 + y^2 + z^2)/2"}, start: {"x": 1.0, "z": "2^2"},
            require: ["sigma > 0 and beta > 0"],
        )"#,
    );
    assert_eq!(s.name, "lorenz");
    assert_eq!(
        s.parameters.iter().map(|p| p.name.as_str()).collect::<Vec<_>>(),
        ["sigma", "rho", "beta"]
    );
    let p = s.default_parameters();
    assert_eq!(p, [10.0, 28.0, 8.0 / 3.0]);
    assert_eq!(s.start_at(&p), (0, vec![1.0, 0.0, 4.0]));
    let field = &s.modes[0].field;
    assert_close(&value(field, &[1.0, 2.0, 3.0], &p), &[10.0, 23.0, 2.0 - 8.0]);
    let (mut f, mut dx, mut dp) = ([0.0; 3], [0.0; 9], [0.0; 3]);
    jacobian(&**field, &[1.0, 2.0, 3.0], &p, &[1], &mut f, &mut dx, &mut dp);
    assert_close(&dx, &[-10.0, 10.0, 0.0, 25.0, -1.0, -1.0, 2.0, 1.0, -8.0 / 3.0]);
    assert_close(&dp, &[0.0, 1.0, 0.0]);
    let symmetry = s.symmetry.unwrap();
    assert_eq!((symmetry.source, symmetry.sign), (vec![0, 1, 2], vec![-1.0, -1.0, 1.0]));
    assert_eq!(value(&s.observables[0].by_mode[0], &[1.0, 2.0, 3.0], &p), [7.0]);
    assert_eq!(
        s.requirements.iter().map(|r| r.name.as_str()).collect::<Vec<_>>(),
        ["sigma > 0", "beta > 0"]
    );
    assert!(!s.requirements.is_empty() && s.modes[0].events.is_empty());
}

#[test]
fn van_der_pol_in_slow_time() {
    let s = system(
        r#"Smooth(
            states: ["x", "y"], parameters: {"a": 0.5, "ε": 0.01}, define: {"f(u)": "u^3/3 - u"},
            equations: ["x' = (y - f(x))/ε", "y' = a - x"], slow_fast: SlowFast(fast: "x", epsilon: "ε"),
        )"#,
    );
    let p = s.default_parameters();
    assert_close(
        &value(&s.modes[0].field, &[2.0, 1.0], &p),
        &[(1.0 - (8.0 / 3.0 - 2.0)) / 0.01, -1.5],
    );
    let split = s.slow_fast.unwrap();
    assert_eq!((split.mode, split.fast, split.epsilon), (0, 0, 1));
}

#[test]
fn predator_and_prey_with_a_quota() {
    let s = system(
        r#"Smooth(
            states: ["fish", "sharks"], parameters: {"quota": 0, "p2": 3, "p3": 5, "p4": 3},
            equations: [
                "fish' = p2*fish*(1 - fish) - fish*sharks - quota*(1 - e^(-p3*fish))",
                "sharks' = -sharks + p4*fish*sharks",
            ],
        )"#,
    );
    // The Hopf point: an equilibrium whose trace vanishes.
    let p = [0.671_593_847_478_831_8, 3.0, 5.0, 3.0];
    let x = [1.0 / 3.0, 0.365_761_535_977_190_47];
    let (mut f, mut dx) = ([0.0; 2], [0.0; 4]);
    jacobian(&*s.modes[0].field, &x, &p, &[], &mut f, &mut dx, &mut []);
    assert!(f[0].abs() < 1e-15 && f[1].abs() < 1e-15, "{f:?}");
    assert!(
        (dx[0] + dx[3]).abs() < 1e-13 && dx[0] * dx[3] - dx[1] * dx[2] > 0.0,
        "{dx:?}"
    );
}

#[test]
fn a_forced_fitzhugh_nagumo_oscillator() {
    let s = system(
        r#"Smooth(
            states: ["v", "w", "x", "y"], parameters: {"a": 0.5, "b": 0.5, "r": 0, "eps": 0.005, "beta": 100, "d": 1},
            define: {"rr": "x^2 + y^2"},
            equations: [
                "v' = (v*(v - a)*(1 - v) - w)/eps", "w' = v - d*w - (b + r*x)",
                "x' = x + beta*y - x*rr", "y' = -beta*x + y - y*rr",
            ],
            symmetry: {},
        )"#,
    );
    let p = [0.5, 0.5, 0.2, 0.005, 100.0, 1.0];
    let (v, w, x, y) = (0.25, 0.1, 0.6, -0.8);
    let expected = [
        (v * (v - 0.5) * (1.0 - v) - w) / 0.005,
        v - w - (0.5 + 0.2 * x),
        x + 100.0 * y - x,
        -100.0 * x + y - y,
    ];
    assert_close(&value(&s.modes[0].field, &[v, w, x, y], &p), &expected);
}

#[test]
fn a_forcing_in_time_becomes_a_phase() {
    let s = system(
        r#"Smooth(
            states: ["x", "v"], parameters: {"zeta": 0.1, "A": 1.5, "omega": 0.7},
            forcing: Forcing(period: "2*pi/omega", phase: "theta"),
            equations: ["x' = v", "v' = -x - 2*zeta*v + A*cos(omega*t)"],
            symmetry: {"x": "-x", "v": "-v", "theta": "theta + pi"},
        )"#,
    );
    assert_eq!((s.states[2].name.as_str(), s.states[2].period), ("theta", Some(TAU)));
    let p = s.default_parameters();
    let field = &s.modes[0].field;
    assert_close(
        &value(field, &[1.0, 2.0, 0.3], &p),
        &[2.0, -1.0 - 0.4 + 1.5 * 0.3f64.cos(), 0.7],
    );
    // Seen by who looks for linear modes, too.
    let x = [Affine::basis(0, 0), Affine::basis(1, 0), Affine::angle(2, 0)];
    let mut row = [Affine::<f64>::constant(0.0); 3];
    field.affine(&x, &[0.1, 1.5, 0.7].map(Affine::constant), &mut row);
    assert!(row.iter().all(|r| r.exact) && row[1].terms[3] == 1.5 && row[2].is_constant());
}
use slipstick_numerics::scalar::Affine;

#[test]
fn the_logistic_and_the_henon_map() {
    let s =
        system(r#"Map(states: ["x"], parameters: {"r": 3.2}, equations: ["x+ = r*x*(1 - x)"], start: {"x": "1/2"})"#);
    assert!(s.is_map() && s.modes[0].kind == ModeKind::Map && !s.is_hybrid());
    assert_close(&value(&s.modes[0].field, &[0.5], &[3.2]), &[0.8]);
    let s = system(
        r#"Map(states: ["x", "y"], parameters: {"a": 1.4, "b": 0.3}, equations: ["y+ = b*x", "x+ = 1 - a*x^2 + y"])"#,
    );
    assert_close(
        &value(&s.modes[0].field, &[0.5, 0.2], &[1.4, 0.3]),
        &[1.0 - 0.35 + 0.2, 0.15],
    );
    // The standard map has a symmetry, one that shifts an angle by its period.
    let s = system(
        r#"Map(states: ["q", "p"], angles: {"q": "2*pi"}, parameters: {"K": 0.9},
            equations: ["q+ = q + p + K*sin(q)", "p+ = p + K*sin(q)"], symmetry: {"q": "2*pi - q", "p": "-p"})"#,
    );
    assert_eq!(s.symmetry.unwrap().sign, [-1.0, -1.0]);
}

/// The stiction oscillator as text is the one of the catalogue, in everything but its flow in closed form.
#[test]
fn the_stiction_oscillator_of_the_catalogue() {
    let slip = |mode: &str, sign: &str, direction: &str, land: &str, reverse: &str, other: &str| {
        format!(
            r#""{mode}": Mode(
                equations: ["x' = y", "y' = -ξ {sign} μ_d", "θ' = 1"],
                events: {{
                    "land": Event(guard: "y", direction: {direction}, when: ["{land}"], to: "stick"),
                    "reverse": Event(guard: "y", direction: {direction}, when: ["{reverse}"], to: "{other}"),
                }},
            )"#
        )
    };
    let text = format!(
        r#"Hybrid(
            name: "Stiction",
            states: ["x", "y", "θ"], angles: {{"theta": "2*pi"}},
            parameters: {{"Omega": 2.0, "mu_s": 1.1, "mu_d": 0.4}},
            define: {{"xi": "Ω^2*x + sin(theta)"}},
            modes: {{
                {}, {},
                "stick": Mode(
                    kind: Stick, states: ["x", "theta"], absent: {{"y": "0"}}, equations: ["x' = 0", "theta' = 1"],
                    events: {{
                        "release+": Event(guard: "xi - mu_s", direction: Up, to: "slip-"),
                        "release-": Event(guard: "xi + mu_s", direction: Down, to: "slip+"),
                    }},
                ),
            }},
            symmetry: Symmetry(states: {{"x": "-x", "y": "-y", "theta": "theta + pi"}}, modes: {{"slip+": "slip-"}}),
            observables: {{"xi": "xi"}},
            monitors: {{
                "theta0": AtEntry(modes: ["slip+", "slip-"], of: "theta"),
                "stick": Duration(modes: ["stick"]),
            }},
            start: Start(mode: "stick"),
            require: ["Omega > 0", "0 < mu_d < mu_s"],
        )"#,
        slip("slip+", "-", "Down", "xi < mu_s", "xi > mu_s", "slip-"),
        slip("slip-", "+", "Up", "xi > -mu_s", "xi < -mu_s", "slip+"),
    );
    let (text, built) = (
        system(&text),
        catalogue::all().into_iter().find(|s| s.name == "Stiction").unwrap(),
    );
    assert_eq!(
        (&text.name, &text.states, &text.symmetry),
        (&built.name, &built.states, &built.symmetry)
    );
    let p = text.default_parameters();
    assert_eq!(p, built.default_parameters());
    assert_eq!(text.start_at(&p), built.start_at(&p));
    assert_eq!(text.modes.len(), built.modes.len());
    assert_eq!(text.requirements.len(), built.requirements.len());
    let p = [0.7, 1.05, 0.3];
    let points = [[0.4, 0.9, 1.0], [-0.8, -0.1, 4.0], [2.0, 0.3, -1.0], [-1.5, 1.0, 5.9]];
    for (m, (a, b)) in text.modes.iter().zip(&built.modes).enumerate() {
        assert_eq!((&a.name, a.kind, &a.states), (&b.name, b.kind, &b.states));
        assert_eq!(a.events.len(), b.events.len());
        for point in points {
            let x: Vec<f64> = a.states.iter().map(|i| point[*i]).collect();
            assert_close(&value(&a.field, &x, &p), &value(&b.field, &x, &p));
            assert_close(&text.full_state(m, &x, &p), &built.full_state(m, &x, &p));
            assert_close(
                &value(&text.observables[0].by_mode[m], &x, &p),
                &value(&built.observables[0].by_mode[m], &x, &p),
            );
            for (e, f) in a.events.iter().zip(&b.events) {
                assert_eq!(
                    (&e.name, e.direction, e.target, e.when.len()),
                    (&f.name, f.direction, f.target, f.when.len())
                );
                assert!(e.reset.is_none());
                assert_close(&value(&e.guard, &x, &p), &value(&f.guard, &x, &p));
                for (v, w) in e.when.iter().zip(&f.when) {
                    assert_close(&value(&v.function, &x, &p), &value(&w.function, &x, &p));
                }
            }
        }
    }
    // Events on one guard share one function, so that it is watched once.
    assert!(std::sync::Arc::ptr_eq(
        &text.modes[0].events[0].guard,
        &text.modes[0].events[1].guard
    ));
    assert!(
        matches!(&text.monitors[0], OrbitMonitor { name, measure: Measure::At(Place::Entry(modes), Quantity::State(2)) }
        if name == "theta0" && modes == &[0, 1])
    );
    assert!(
        matches!(&text.monitors[1], OrbitMonitor { name, measure: Measure::Duration(modes) } if name == "stick" && modes == &[2])
    );
}

#[test]
fn a_damped_oscillator_with_stiction() {
    let s = system(
        r#"Hybrid(
            states: ["x", "v", "theta"], angles: {"theta": "2*pi"},
            parameters: {"zeta": 0.05, "f0": 1.5, "eta": 1.1, "omega": 0.9},
            define: {"pull": "f0*cos(theta) - 2*zeta*v - x", "F": "f0*cos(theta) - x"},
            modes: {
                "slip+": Mode(
                    equations: ["x' = v", "v' = pull - 1", "theta' = omega"],
                    events: {
                        "stop": Event(guard: "v", direction: Down, when: ["F > -eta"], to: "stick"),
                        "turn": Event(guard: "v", direction: Down, when: ["F < -eta"], to: "slip-"),
                    },
                ),
                "slip-": Mode(
                    equations: ["x' = v", "v' = pull + 1", "theta' = omega"],
                    events: {
                        "stop": Event(guard: "v", direction: Up, when: ["F < eta"], to: "stick"),
                        "turn": Event(guard: "v", direction: Up, when: ["F > eta"], to: "slip+"),
                    },
                ),
                "stick": Mode(
                    kind: Stick, states: ["x", "theta"], absent: {"v": "0"}, equations: ["x' = 0", "theta' = omega"],
                    events: {
                        "up": Event(guard: "F - eta", direction: Up, to: "slip+"),
                        "down": Event(guard: "F + eta", direction: Down, to: "slip-"),
                    },
                    admissible: ["-eta < F < eta"],
                ),
            },
            symmetry: Symmetry(states: {"x": "-x", "v": "-v", "theta": "theta + pi"}, modes: {"slip-": "slip+"}),
        )"#,
    );
    let p = s.default_parameters();
    let cos = 1.5 * 0.3f64.cos();
    assert_close(
        &value(&s.modes[0].field, &[0.5, 0.2, 0.3], &p),
        &[0.2, cos - 0.02 - 0.5 - 1.0, 0.9],
    );
    assert_close(&value(&s.modes[2].field, &[0.5, 0.3], &p), &[0.0, 0.9]);
    let stick = &s.modes[2];
    assert_close(&value(&stick.events[0].guard, &[0.5, 0.3], &p), &[cos - 0.5 - 1.1]);
    assert_eq!((stick.events[0].direction, stick.events[0].target), (Direction::Up, 0));
    assert_eq!(stick.inequalities.len(), 2);
    assert_eq!(stick.inequalities[1].name, "F < eta");
    assert_close(
        &value(&stick.inequalities[1].function, &[0.5, 0.3], &p),
        &[1.1 - (cos - 0.5)],
    );
}

#[test]
fn a_linear_impact_oscillator() {
    let s = system(
        r#"Hybrid(
            states: ["x", "v"], parameters: {"c": 0.1, "k": 1, "A": 0.2, "omega": 1, "d": 1, "e": 0.8},
            forcing: Forcing(period: "2*pi/omega"),
            modes: {"flight": Mode(
                equations: ["x' = v", "v' = A*cos(omega*t) - c*v - k*x"],
                events: {"impact": Event(guard: "x - d", direction: Up, to: "flight", reset: {"v": "-e*v"})},
            )},
        )"#,
    );
    let p = s.default_parameters();
    let flight = &s.modes[0];
    assert_eq!(flight.states, [0, 1, 2]);
    assert_close(
        &value(&flight.field, &[0.5, 0.3, 2.0], &p),
        &[0.3, 0.2 * 2f64.cos() - 0.03 - 0.5, 1.0],
    );
    assert_close(
        &value(flight.events[0].reset.as_ref().unwrap(), &[1.0, 0.5, 2.0], &p),
        &[1.0, -0.4, 2.0],
    );
    assert_close(&value(&flight.events[0].guard, &[0.25, 0.5, 2.0], &p), &[-0.75]);
    assert!(s.is_hybrid());
}

#[test]
fn two_masses_with_impacts_on_two_sides() {
    let s = system(
        r#"Hybrid(
            states: ["x1", "v1", "x2", "v2"],
            parameters: {"omega": 1.5, "mu": 0.05, "r": 0.9, "zeta": 0.02, "xi": 0.127, "phi": 0.952, "eps1": 0.1, "eps2": 0.1},
            forcing: Forcing(period: "2*pi/omega", phase: "theta"),
            define: {
                "d": "x1 - x2", "w": "v1 - v2", "Q": "phi^2*d + 2*xi*w + eps2*d^3", "vs": "(v1 + mu*v2)/(1 + mu)",
                "after(v)": "(1 + r)*vs - r*v",
            },
            modes: {"flight": Mode(
                equations: [
                    "x1' = v1", "v1' = -x1 - 2*zeta*v1 - eps1*x1^3 - mu*Q + cos(omega*t)", "x2' = v2", "v2' = Q",
                ],
                events: {
                    "right": Event(guard: "x2 - x1 - 1", direction: Up, to: "flight",
                        reset: {"v1": "after(v1)", "v2": "after(v2)"}),
                    "left": Event(guard: "x2 - x1 + 1", direction: Down, to: "flight",
                        reset: {"v1": "after(v1)", "v2": "after(v2)"}),
                },
            )},
            symmetry: Symmetry(states: {
                "x1": "-x1", "v1": "-v1", "x2": "-x2", "v2": "-v2", "theta": "theta + pi",
            }),
        )"#,
    );
    let p = s.default_parameters();
    let (x1, v1, x2, v2, theta) = (0.4, -0.3, 1.4, 0.6, 0.8f64);
    let (d, w): (f64, f64) = (x1 - x2, v1 - v2);
    let q = 0.952f64.powi(2) * d + 2.0 * 0.127 * w + 0.1 * d.powi(3);
    let acceleration = -x1 - 0.04 * v1 - 0.1 * f64::powi(x1, 3) - 0.05 * q + theta.cos();
    assert_close(
        &value(&s.modes[0].field, &[x1, v1, x2, v2, theta], &p),
        &[v1, acceleration, v2, q, 1.5],
    );
    let after = value(
        s.modes[0].events[0].reset.as_ref().unwrap(),
        &[x1, v1, x2, v2, theta],
        &p,
    );
    // Momentum is kept, and the relative velocity is turned round and reduced.
    assert!((after[1] + 0.05 * after[3] - (v1 + 0.05 * v2)).abs() < 1e-15);
    assert!((after[1] - after[3] + 0.9 * (v1 - v2)).abs() < 1e-15);
    assert_eq!(s.symmetry.unwrap().shift[4], PI);
}

#[test]
fn a_mass_that_sets_another_one_moving() {
    let s = system(
        r#"Hybrid(
            states: ["q", "v", "y", "theta"], angles: {"theta": "pi"},
            parameters: {"V": 0.6, "c": 0.04, "n": 3.17, "omega": 0.92, "e": 0.8},
            define: {"F": "V^2*sin(theta)^2/(1 - q)^2 - c*v - q"},
            modes: {
                "flight": Mode(
                    states: ["q", "v", "theta"], equations: ["q' = v", "v' = F", "theta' = omega"],
                    events: {"impact": Event(guard: "q - 1/2", direction: Up, to: "slip",
                        reset: {"v": "-e*v", "y": "(1 + e)*v/6"})},
                ),
                "slip": Mode(
                    equations: ["q' = v", "v' = n + 6*F/5", "y' = -n - F/5", "theta' = omega"],
                    events: {"stop": Event(guard: "y", direction: Down, to: "flight")},
                ),
            },
        )"#,
    );
    let p = s.default_parameters();
    let f = |q: f64, v: f64, theta: f64| 0.36 * theta.sin().powi(2) / (1.0 - q).powi(2) - 0.04 * v - q;
    assert_eq!(s.modes[0].states, [0, 1, 3]);
    assert_close(
        &value(&s.modes[0].field, &[0.2, 0.7, 1.1], &p),
        &[0.7, f(0.2, 0.7, 1.1), 0.92],
    );
    let jump = value(s.modes[0].events[0].reset.as_ref().unwrap(), &[0.5, 0.7, 1.1], &p);
    assert_close(&jump, &[0.5, -0.56, 1.8 * 0.7 / 6.0, 1.1]);
    let slip = f(0.2, 0.7, 1.1);
    assert_close(
        &value(&s.modes[1].field, &[0.2, 0.7, 0.3, 1.1], &p),
        &[0.7, 3.17 + 1.2 * slip, -3.17 - slip / 5.0, 0.92],
    );
    assert!(s.modes[1].events[0].reset.is_none() && s.modes[0].absent.is_none());
}

#[test]
fn a_duffing_oscillator_under_a_switched_force() {
    let mode = |name: &str, sign: &str, direction: &str, other: &str| {
        format!(
            r#""{name}": Mode(
                equations: ["x' = v", "v' = {sign}A - lambda*v - x - x^3", "theta' = omega"],
                events: {{"switch": Event(guard: "sin(theta)", direction: {direction}, to: "{other}")}},
            )"#
        )
    };
    let s = system(&format!(
        r#"Hybrid(
            states: ["x", "v", "theta"], angles: {{"theta": "2*pi"}}, parameters: {{"A": 26, "lambda": 0.2, "omega": 1}},
            modes: {{{}, {}}},
            symmetry: Symmetry(states: {{"x": "-x", "v": "-v", "theta": "theta - pi"}}, modes: {{"push": "pull"}}),
        )"#,
        mode("push", "", "Down", "pull"),
        mode("pull", "-", "Up", "push"),
    ));
    let p = s.default_parameters();
    assert_close(
        &value(&s.modes[1].field, &[2.0, 1.0, 4.0], &p),
        &[1.0, -26.0 - 0.2 - 2.0 - 8.0, 1.0],
    );
    let symmetry = s.symmetry.unwrap();
    assert_eq!((symmetry.modes, symmetry.shift[2]), (vec![1, 0], -PI));
}

#[test]
fn a_built_in_system_with_other_parameters() {
    let s = system(r#"Stiction(mu_s: 1.05, Omega: "2*pi")"#);
    assert_eq!(s.default_parameters(), [TAU, 1.05, 0.4]);
}
