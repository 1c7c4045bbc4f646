//! `Regularised(of: Mechanical(...), by: ..)`: friction with a smooth law against equations by hand, and its limit.

use super::support::{assert_close, curve, run, specials, value};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use slipstick_bifurcation::BranchPoint;
use slipstick_flow::{Ending, SimulationOptions, Trajectory, simulate};
use slipstick_study as study;
use slipstick_system::System;
use std::fmt::Write;

/// The system of a study that declares it, without warnings.
fn built(system: &str) -> System {
    let text = format!("Study(title: \"twin\", system: {system})");
    let study = study::parse("study.ron".as_ref(), text).unwrap_or_else(|e| panic!("{e}\n{system}"));
    let built = study.spec.system.unwrap().build("system");
    let built = built.unwrap_or_else(|e| panic!("{e:?}\n{system}"));
    assert!(built.warnings.is_empty(), "{:?}\n{system}", built.warnings);
    built.system
}

/// What is wrong with a study, as a user reads it.
fn refused(declaration: &str) -> String {
    let text = format!("Study(title: \"t\", system: {declaration}, simulations: [Simulation(name: \"m\", time: 1)])");
    let planned = study::parse("study.ron".as_ref(), text).and_then(|loaded| loaded.plan(&[]));
    planned.err().map_or_else(String::new, |e| e.to_string())
}

/// The solution of a positive definite system.
fn solved(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for k in 0..n {
        for i in k + 1..n {
            let factor = a[i][k] / a[k][k];
            for j in k..n {
                a[i][j] -= factor * a[k][j];
            }
            b[i] -= factor * b[k];
        }
    }
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| a[k][j] * b[j]).sum();
        b[k] = (b[k] - known) / a[k][k];
    }
    b
}

/// Laws with their formulas by hand; those of the first kind are constant beyond the layer.
const LAWS: [(&str, bool, fn(f64) -> f64); 6] = [
    ("Smoothstep(1)", true, |s| 1.5 * s - 0.5 * s * s * s),
    ("Smoothstep(2)", true, |s| {
        (15.0 * s - 10.0 * s.powi(3) + 3.0 * s.powi(5)) / 8.0
    }),
    ("Smoothstep(3)", true, |s| {
        (35.0 * s - 35.0 * s.powi(3) + 21.0 * s.powi(5) - 5.0 * s.powi(7)) / 16.0
    }),
    ("Tanh", false, f64::tanh),
    ("Algebraic", false, |s| s / (1.0 + s * s).sqrt()),
    ("Law(\"atan(3*s)*2/pi\")", false, |s| {
        (3.0 * s).atan() / std::f64::consts::FRAC_PI_2
    }),
];

#[derive(Clone, Copy, Debug)]
enum Kind {
    Coulomb(f64),
    /// `a + b exp(-v/c)` of the relative speed.
    Stribeck(f64, f64, f64),
    Relay(f64),
    Compliant {
        distance: f64,
        stiffness: f64,
        damping: f64,
    },
    Rigid {
        distance: f64,
        restitution: f64,
    },
}

#[derive(Clone, Copy, Debug)]
struct Contact {
    kind: Kind,
    on: usize,
    against: Option<usize>,
    belt: f64,
}

/// A random system in numbers.
struct Random {
    mass: Vec<Vec<f64>>,
    stiffness: Vec<Vec<f64>>,
    contacts: Vec<Contact>,
    start: Vec<f64>,
}

impl Random {
    fn new(rng: &mut StdRng, most: usize, kinds: &[usize]) -> Self {
        let n = rng.random_range(1..=most);
        let symmetric = |rng: &mut StdRng, diagonal: f64| -> Vec<Vec<f64>> {
            let a: Vec<Vec<f64>> = (0..n)
                .map(|_| (0..n).map(|_| rng.random_range(-0.5..0.5)).collect())
                .collect();
            let entry = |i: usize, j: usize| -> f64 {
                let sum: f64 = (0..n).map(|k| a[i][k] * a[j][k]).sum();
                if i == j { sum + diagonal } else { sum }
            };
            (0..n)
                .map(|i| (0..n).map(|j| entry(i.max(j), i.min(j))).collect())
                .collect()
        };
        let (mass, stiffness) = (symmetric(rng, 1.0), symmetric(rng, 0.8));
        // Contacts may share coordinates, and close loops.
        let contacts = (0..rng.random_range(1..=2)).map(|k| {
            let kind = match kinds[if k == 0 { 0 } else { rng.random_range(0..kinds.len()) }] {
                0 => Kind::Coulomb(rng.random_range(0.2..0.6)),
                1 => Kind::Stribeck(
                    rng.random_range(0.1..0.3),
                    rng.random_range(0.1..0.3),
                    rng.random_range(0.3..1.0),
                ),
                2 => Kind::Relay(rng.random_range(0.05..0.3)),
                3 => Kind::Compliant {
                    distance: rng.random_range(0.2..0.6),
                    stiffness: rng.random_range(3.0..20.0),
                    damping: rng.random_range(0.0..0.5),
                },
                _ => Kind::Rigid {
                    distance: rng.random_range(0.3..0.8),
                    restitution: rng.random_range(0.3..0.9),
                },
            };
            let on = rng.random_range(0..n);
            let against = Some(rng.random_range(0..n)).filter(|other| *other != on && rng.random_bool(0.6));
            let dry = matches!(kind, Kind::Coulomb(_) | Kind::Stribeck(..));
            let belt = if dry && against.is_none() {
                rng.random_range(0.1..0.6)
            } else {
                0.0
            };
            Contact {
                kind,
                on,
                against,
                belt,
            }
        });
        let contacts = contacts.collect();
        let start = (0..2 * n).map(|_| rng.random_range(-0.2..0.2)).collect();
        Self {
            mass,
            stiffness,
            contacts,
            start,
        }
    }

    fn text(&self) -> String {
        let n = self.mass.len();
        let names = |prefix: &str| {
            (0..n)
                .map(|i| format!("\"{prefix}{i}\""))
                .collect::<Vec<_>>()
                .join(", ")
        };
        let mut text = format!(
            "Mechanical(coordinates: [{}], velocities: [{}],",
            names("x"),
            names("u")
        );
        let _ = write!(
            text,
            "M: {:?}, K: {:?}, forces: {{\"x0\": \"0.1 - 0.3*x0^3\"}},",
            self.mass, self.stiffness
        );
        text += "contacts: {";
        for (k, c) in self.contacts.iter().enumerate() {
            let against = match c.against {
                Some(other) => format!("Coordinate(\"x{other}\")"),
                None if c.belt != 0.0 => format!("Belt({:?})", c.belt),
                None => "Ground".into(),
            };
            let law = match c.kind {
                Kind::Coulomb(mu) => format!("Coulomb(mu: {mu:?}"),
                Kind::Stribeck(a, b, v) => format!("Stribeck(law: \"{a:?} + {b:?}*exp(-v/{v:?})\""),
                Kind::Relay(level) => format!("Relay(level: {level:?}"),
                Kind::Compliant {
                    distance,
                    stiffness,
                    damping,
                } => {
                    format!("Gap(side: Both, distance: {distance:?}, stiffness: {stiffness:?}, damping: {damping:?}")
                }
                Kind::Rigid { distance, restitution } => {
                    format!("Gap(side: Both, distance: {distance:?}, restitution: {restitution:?}")
                }
            };
            let _ = write!(text, "\"c{k}\": {law}, on: \"x{}\", against: {against}),", c.on);
        }
        text += "}, observables: {";
        for i in 0..n {
            let _ = write!(text, "\"w{i}\": \"u{i}\", ");
        }
        text += "}, start: {";
        for (i, x) in self.start.iter().enumerate() {
            let name = if i < n { format!("x{i}") } else { format!("u{}", i - n) };
            let _ = write!(text, "\"{name}\": {x:?}, ");
        }
        text + "})"
    }

    fn twin(&self, law: &str, epsilon: f64) -> String {
        format!("Regularised(of: {}, by: {law}, epsilon: {epsilon:?})", self.text())
    }

    fn across(c: &Contact, of: &[f64]) -> f64 {
        of[c.on] - c.against.map_or(0.0, |k| of[k])
    }

    /// The accelerations by hand.
    fn by_hand(&self, mode: &str, q: &[f64], v: &[f64], law: fn(f64) -> f64, epsilon: f64) -> Vec<f64> {
        let n = q.len();
        let mut load: Vec<f64> = (0..n)
            .map(|i| -(0..n).map(|j| self.stiffness[i][j] * q[j]).sum::<f64>())
            .collect();
        load[0] += 0.1 - 0.3 * q[0].powi(3);
        for (c, part) in self.contacts.iter().zip(mode.split(',')) {
            let (displacement, velocity) = (Self::across(c, q), Self::across(c, v) - c.belt);
            let side = if part.ends_with('+') { 1.0 } else { -1.0 };
            let sign = |height: f64| match part.split(':').next_back().unwrap() {
                "layer" | "smooth" => law(height / epsilon),
                _ => side,
            };
            let force = match c.kind {
                Kind::Coulomb(mu) => -mu * sign(velocity),
                Kind::Stribeck(a, b, scale) => {
                    let sign = sign(velocity);
                    -(a + b * (-velocity * sign / scale).exp()) * sign
                }
                Kind::Relay(level) => -level * sign(displacement),
                Kind::Compliant { .. } if part.ends_with("open") => 0.0,
                Kind::Compliant {
                    distance,
                    stiffness,
                    damping,
                } => -stiffness * (displacement - side * distance) - damping * velocity,
                Kind::Rigid { .. } => 0.0,
            };
            load[c.on] += force;
            if let Some(other) = c.against {
                load[other] -= force;
            }
        }
        solved(self.mass.clone(), load)
    }
}

/// Coordinates and velocities, of which some are no states.
fn motion(system: &System, n: usize, mode: usize, x: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let p = system.default_parameters();
    let velocity = |i: usize| {
        let observable = system.observables.iter().find(|o| o.name == format!("w{i}")).unwrap();
        let mut out = [0.0];
        observable.by_mode[mode].value(x, &p, &mut out);
        out[0]
    };
    (x[..n].to_vec(), (0..n).map(velocity).collect())
}

/// In every mode of a twin the field is the one written by hand, to rounding; and the fast variables are the relative
/// velocities over ε.
#[test]
fn twins_of_random_systems_are_those_by_hand() {
    let rng = &mut StdRng::seed_from_u64(17);
    let (mut fast, mut shared) = (0, 0);
    for round in 0..120 {
        let random = Random::new(rng, 4, &[round % 2, 0, 1, 2, 3]);
        let (name, layered, law) = LAWS[round % LAWS.len()];
        let epsilon = 10f64.powf(rng.random_range(-3.0..-1.0));
        let text = random.twin(name, epsilon);
        let system = built(&text);
        let (n, p) = (random.mass.len(), system.default_parameters());
        if let [a, b] = random.contacts[..] {
            let ends = |c: Contact| [Some(c.on), c.against];
            let meets = ends(a).into_iter().flatten().any(|end| ends(b).contains(&Some(end)));
            shared += usize::from(meets && matches!(b.kind, Kind::Coulomb(_) | Kind::Stribeck(..)));
        }
        for (m, mode) in system.modes.iter().enumerate() {
            let names: Vec<&str> = mode.states.iter().map(|&s| system.states[s].name.as_str()).collect();
            for _ in 0..4 {
                let draw = |name: &&str| {
                    let range = if name.ends_with("_hat") { 1.0 } else { 0.7 };
                    rng.random_range(-range..range)
                };
                let x: Vec<f64> = names.iter().map(draw).collect();
                let (q, v) = motion(&system, n, m, &x);
                // A contact that shares its velocity with another one may be outside its layer here.
                let outside = |(c, part): (&Contact, &str)| {
                    let of = if matches!(c.kind, Kind::Relay(_)) { &q } else { &v };
                    part.ends_with("layer") && (Random::across(c, of) - c.belt).abs() > epsilon
                };
                if layered && random.contacts.iter().zip(mode.name.split(',')).any(outside) {
                    continue;
                }
                let accelerations = random.by_hand(&mode.name, &q, &v, law, epsilon);
                let mut field = vec![0.0; x.len()];
                mode.field.value(&x, &p, &mut field);
                let scale = 1.0 + accelerations.iter().fold(0.0, |most: f64, a| most.max(a.abs()));
                for (k, name) in names.iter().enumerate() {
                    let (wanted, size) = if let Some(i) = name.strip_prefix('x') {
                        (v[i.parse::<usize>().unwrap()], 1.0)
                    } else if let Some(i) = name.strip_prefix('u') {
                        (accelerations[i.parse::<usize>().unwrap()], scale)
                    } else {
                        let contact = name.strip_prefix('c').and_then(|rest| rest.strip_suffix("_hat"));
                        let c = &random.contacts[contact.unwrap().parse::<usize>().unwrap()];
                        let height = Random::across(c, &v) - c.belt;
                        assert!(
                            (height - epsilon * x[k]).abs() < 1e-14,
                            "{name}: {height} {}\n{text}",
                            x[k]
                        );
                        fast += 1;
                        (Random::across(c, &accelerations) / epsilon, scale / epsilon)
                    };
                    let found = field[k];
                    assert!(
                        (found - wanted).abs() < 1e-12 * size,
                        "{name} of {}: {found} {wanted}\n{text}",
                        mode.name
                    );
                }
            }
        }
    }
    assert!(fast > 500 && shared > 10, "{fast} {shared}");
}

fn follow(system: &System, time: f64) -> Trajectory {
    let p = system.default_parameters();
    let options = SimulationOptions {
        t_end: time,
        ..SimulationOptions::default()
    };
    let (mode, start) = system.start_at(&p);
    simulate(system, mode, &start, &p, &options).unwrap()
}

/// Motions of random twins converge to those of their limits with the order one, as long as nothing slips off: there a
/// trajectory passes the end of the part of the critical manifold that attracts, and comes later by a lower order.
#[test]
fn twins_converge_to_their_limits_with_order_one() {
    let rng = &mut StdRng::seed_from_u64(4);
    let mut orders = vec![];
    for round in 0..24 {
        let mut random = Random::new(rng, 3, &[round % 2, 0, 3]);
        // Sticking contacts must not close a loop.
        let first = random.contacts[0];
        random.contacts.retain(|c| {
            (c.on, c.against) == (first.on, first.against) && c.belt == first.belt
                || matches!(c.kind, Kind::Compliant { .. })
        });
        random.contacts.truncate(
            if random.contacts.len() > 1 && !matches!(random.contacts[1].kind, Kind::Compliant { .. }) {
                1
            } else {
                2
            },
        );
        let limit = built(&random.text());
        let run = follow(&limit, 3.0);
        let first = run.segments.iter().find(|s| {
            let event = s.event.map(|e| &limit.modes[s.mode].events[e].name);
            event.is_some_and(|name| name.contains("release"))
        });
        let end = first.map_or(3.0, |stick| stick.t0 + 0.5 * stick.duration);
        let at = |system: &System| {
            let run = follow(system, end);
            let last = run.segments.last().unwrap();
            matches!(run.ending, Ending::Time).then(|| last.end[..random.mass.len()].to_vec())
        };
        let Some(exact) = at(&limit) else { continue };
        let (law, ..) = LAWS[round % LAWS.len()];
        let error = |epsilon: f64| {
            let q = at(&built(&random.twin(law, epsilon))).unwrap();
            q.iter().zip(&exact).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        };
        let [far, near] = [1e-2, 1e-4].map(error);
        assert!(near < 1e-2 * (far + 1e-2), "{law}: {far:e} {near:e}\n{}", random.text());
        // Of motions in stick nothing but rounding is left.
        if near > 1e-9 {
            orders.push((far / near).log10() / 2.0);
        }
    }
    orders.sort_by(f64::total_cmp);
    let close = orders.iter().filter(|order| (0.8..1.2).contains(*order)).count();
    assert!(orders.len() >= 15 && 10 * close >= 8 * orders.len(), "{orders:?}");
}

/// Impacts go on as events of the twin: they carry the relative velocity of a layer over it, into it or out of it.
#[test]
fn impacts_carry_twins_over_their_layers() {
    let rng = &mut StdRng::seed_from_u64(8);
    let (mut hits, mut changed) = (0, 0);
    for round in 0..240 {
        let mut random = Random::new(rng, 3, &[0, 4]);
        let n = random.mass.len();
        random.start[n..].iter_mut().for_each(|x| *x *= 8.0);
        let has_wall = matches!(random.contacts.last().unwrap().kind, Kind::Rigid { .. });
        if !has_wall {
            continue;
        }
        let (law, layered, _) = LAWS[round % LAWS.len()];
        let epsilon = 0.05;
        let text = random.twin(law, epsilon);
        let system = built(&text);
        let run = follow(&system, 15.0);
        let mut before: Option<(Vec<f64>, Vec<f64>, usize, String)> = None;
        for segment in &run.segments {
            let name = system.modes[segment.mode].name.clone();
            let (q, v) = motion(&system, n, segment.mode, &segment.start);
            let c = &random.contacts[0];
            let scaled = (Random::across(c, &v) - c.belt) / epsilon;
            let within = match name.split(',').next().unwrap() {
                "c0:layer" => scaled.abs() < 1.0 + 1e-9,
                "c0:slip+" => scaled > 1.0 - 1e-9,
                "c0:slip-" => scaled < -1.0 + 1e-9,
                _ => !layered,
            };
            assert!(within, "{name}: {scaled}\n{text}");
            if let Some((q_before, v_before, mode, event)) = before {
                let mut wanted = v_before.clone();
                if event.contains(":hit") {
                    hits += 1;
                    changed += usize::from(name != system.modes[mode].name);
                    let wall = &random.contacts[1];
                    let Kind::Rigid { restitution, .. } = wall.kind else {
                        unreachable!()
                    };
                    let mut unit = vec![0.0; n];
                    unit[wall.on] = 1.0;
                    if let Some(other) = wall.against {
                        unit[other] = -1.0;
                    }
                    let response = solved(random.mass.clone(), unit);
                    let impulse =
                        (1.0 + restitution) * Random::across(wall, &v_before) / Random::across(wall, &response);
                    wanted = v_before.iter().zip(&response).map(|(v, r)| v - impulse * r).collect();
                }
                for (found, wanted) in q.iter().chain(&v).zip(q_before.iter().chain(&wanted)) {
                    assert!((found - wanted).abs() < 1e-9, "{event}: {found} {wanted}\n{text}");
                }
            }
            let Some(event) = segment.event else { break };
            let event = system.modes[segment.mode].events[event].name.clone();
            let (q, v) = motion(&system, n, segment.mode, &segment.end);
            before = Some((q, v, segment.mode, event));
        }
    }
    assert!(hits > 50 && changed > 10, "{hits} {changed}");
}

/// The shipped study of the regularised oscillator.
const REGULARISED: &str = include_str!("../../studies/regularised.ron");

#[test]
fn the_oscillator_of_mass_and_spring_is_the_built_in_one_regularised() {
    let declared = r#"Regularised(of: Mechanical(
        coordinates: ["x"], velocities: ["y"], parameters: {"Omega": 2, "mu_s": 1.1, "mu_d": 0.4},
        forcing: Forcing(period: "2*pi", phase: "theta"), masses: {"x": 1},
        springs: [Spring(on: "x", stiffness: "Omega^2")], forces: {"x": "-sin(t)"},
        contacts: {"dry": Stiction(on: "x", mu_s: "mu_s", mu_d: "mu_d")},
        symmetry: {"x": "-x", "theta": "theta + pi"},
    ), by: Stiction(delta: 0.6), epsilon: 1e-3)"#;
    let curves = REGULARISED.split("    // The layer at").next().unwrap();
    // Below the canards, where orbits grow and shrink by thousands of digits.
    let built_in = format!("{curves})").replace("range: (0.3, 2000.0)", "range: (0.3, 25)");
    let text = built_in
        .replace(
            "RegularisedStiction(mu_s: 1.1, mu_d: 0.4, delta: 0.6, epsilon: 1e-3)",
            declared,
        )
        .replace("slip- layer", "dry:slip- dry:layer");
    let (own, wanted) = (run(&text, &[]), run(&built_in, &[]));
    let (own, wanted) = (curve(&own, "family"), curve(&wanted, "family"));
    let (found, known) = (specials(own), specials(wanted));
    let labels = |of: &[&BranchPoint]| of.iter().map(|p| p.label).collect::<Vec<_>>();
    assert_eq!(labels(&found), labels(&known));
    for (a, b) in found.iter().zip(&known) {
        // Both are known to their own errors.
        let errors = value(own, a, "error").max(value(wanted, b, "error"));
        for column in ["Omega", "max_abs_x", "delay"] {
            let (own, wanted) = (value(own, a, column), value(wanted, b, column));
            assert_close(column, own, wanted, 10.0 * errors + 1e-11);
        }
    }
}

/// The slow–fast structure of the declared oscillator has the digits of the built-in one.
#[test]
fn portraits_of_the_declared_oscillator_are_those_of_the_built_in_one() {
    let study = |system: &str, fast: &str| {
        let portrait = format!(
            r#"Portrait(name: "layer", mesh: (8, 24), time: 2.6, orbits: 2, cycle: {{"x": 0}},
                fates: Fates(over: "theta", from: {{"{fast}": 0}}, samples: 5, horizon: 3.1))"#
        );
        format!("Study(title: \"t\", system: {system}, slow_fast: [{portrait}])")
    };
    let declared = r#"Regularised(of: Mechanical(
        coordinates: ["x"], velocities: ["y"], parameters: {"Omega": 3, "mu_s": 1.1, "mu_d": 0.4},
        forcing: Forcing(period: "2*pi", phase: "theta"), masses: {"x": 1},
        springs: [Spring(on: "x", stiffness: "Omega^2")], forces: {"x": "-sin(t)"},
        contacts: {"dry": Stiction(on: "x", mu_s: "mu_s", mu_d: "mu_d")},
        symmetry: {"x": "-x", "theta": "theta + pi"},
    ), by: Stiction(delta: 0.6), epsilon: 1e-2)"#;
    let built_in = "RegularisedStiction(Omega: 3, mu_s: 1.1, mu_d: 0.4, delta: 0.6, epsilon: 1e-2)";
    let (own, known) = (
        run(&study(declared, "dry_hat"), &[]),
        run(&study(built_in, "yhat"), &[]),
    );
    let (own, known) = (&own.portraits[0], &known.portraits[0]);
    assert_eq!((own.singularities.len(), own.folds.len()), (4, 2));
    assert_eq!(known.singularities.len(), 4);
    for (a, b) in own.singularities.iter().zip(&known.singularities) {
        assert_eq!(a.class, b.class);
        assert_close("determinant", a.invariants.1, b.invariants.1, 1e-11);
    }
    assert_eq!(
        (own.maximal.len(), own.canards.len()),
        (known.maximal.len(), known.canards.len())
    );
    assert!(!own.maximal.is_empty() && own.outcomes.len() == known.outcomes.len());
    for (a, b) in own.outcomes.iter().zip(&known.outcomes) {
        let outcome = |o: &Option<slipstick_slow_fast::Outcome>| o.as_ref().map(std::mem::discriminant);
        assert!(outcome(&a.reduced) == outcome(&b.reduced) && outcome(&a.full) == outcome(&b.full));
    }
}

/// The shipped study of a block on a belt.
const BELT: &str = include_str!("../../studies/belt_twins.ron");

/// Distances of the block on a belt from its limit: of order one; the corner at which sticking vanishes becomes a fold.
#[test]
fn twins_of_the_block_on_a_belt_approach_it_with_order_one() {
    let result = run(BELT, &[]);
    // Words with a layer and without one have the same columns.
    for curve in &result.curves {
        assert!(
            curve
                .points()
                .all(|(_, _, p)| p.record.monitors.len() == curve.monitors.len())
        );
        assert!(curve.pieces.len() == 2, "{}", curve.name);
    }
    let analysis = &result.analyses[0];
    let table = |name: &str| {
        analysis
            .tables
            .iter()
            .find(|(own, _)| own == name)
            .map(|(_, t)| t)
            .unwrap()
    };
    let distances = table("twins");
    let (objects, columns) = (distances.texts("object").unwrap(), distances.texts("column").unwrap());
    let numbers = |name: &str| distances.numbers(name).unwrap();
    let mut seen = 0;
    for row in 0..distances.rows() {
        if !["curve", "VS 1"].contains(&&*objects[row]) || numbers("epsilon")[row] > 5e-2 {
            continue;
        }
        seen += 1;
        let order = numbers("order")[row];
        assert!(
            order.is_nan() || (0.9..1.1).contains(&order),
            "{} {}: {order}",
            objects[row],
            columns[row]
        );
        assert!(numbers("distance")[row] < 4.0 * numbers("epsilon")[row]);
    }
    // Two columns of the curve, three of the special point, for three values.
    assert_eq!(seen, 15);
    // The curve of the limit turns back in its corner: it counts as a fold, too, which the fold of the twin approaches.
    let folds = (0..distances.rows()).filter(|&row| objects[row] == "LP 1" && columns[row] == "v0");
    let sizes: Vec<f64> = folds.map(|row| numbers("distance")[row]).collect();
    assert!(
        sizes.len() >= 3 && sizes.iter().all(|size| size.is_finite()),
        "{sizes:?}"
    );
    // The fold of a twin is the corner of the limit, and none more.
    assert!(
        !analysis.notes.iter().any(|note| note.contains("LP (1 instead")),
        "{:?}",
        analysis.notes
    );
    // Orbits in pure slip are the same, and end at the Hopf point, where c = -μ'(v0).
    let special = table("twins-curves-special");
    let ends = (0..special.rows()).filter(|&row| special.texts("label").unwrap()[row] == "EP");
    let hopf = ends.map(|row| (special.numbers("v0").unwrap()[row] - 2f64.ln()).abs());
    assert!(hopf.fold(f64::INFINITY, f64::min) < 5e-3);
}

#[test]
fn a_mechanical_twin_that_is_none_is_refused_at_its_place() {
    let twin = |contacts: &str, by: &str| {
        format!(
            "Regularised(of: Mechanical(coordinates: [\"x\"], masses: {{\"x\": 1}}, contacts: {{{contacts}}}), by: {by}, epsilon: 1e-2)"
        )
    };
    let dry = r#""belt": Coulomb(on: "x", mu: 0.3)"#;
    let sticking = r#""belt": Stiction(on: "x", mu_s: 0.4, mu_d: 0.3)"#;
    let both = format!("{dry}, {}", sticking.replace("belt", "other"));
    for (contacts, by) in [
        (dry, "Tanh"),
        (sticking, "Stiction(delta: 0.5)"),
        (&both, "Law(\"tanh(s)\")"),
    ] {
        assert_eq!(refused(&twin(contacts, by)), "");
    }
    for (text, says) in [
        (twin(dry, "Stiction(delta: 0.5)"), "contact `belt` has none"),
        (twin(sticking, "Tanh"), "never exceeds 1"),
        (twin(&both, "Stiction(delta: 0.5)"), "contact `belt` has none"),
        (
            twin(r#""wall": Gap(on: "x", restitution: 0.5)"#, "Tanh"),
            "no contact has a force that jumps",
        ),
        (
            twin(r#""r": Relay(on: "x", level: 1, hysteresis: 0.1)"#, "Tanh"),
            "no contact has a force that jumps",
        ),
        (twin(dry, "Law(\"s + w\")"), "unknown name `w`"),
        (twin(dry, "Smoothstep(0)"), "1 to 4 derivatives"),
        (twin(sticking, "Stiction(delta: 2)"), "delta < 1"),
        (twin(dry, "Tanh").replace("epsilon: 1e-2", "epsilon: -1"), "epsilon > 0"),
        (
            twin(dry, "Tanh").replace("masses", "parameters: {\"epsilon\": 1}, masses"),
            "already taken",
        ),
        (
            twin(dry, "Tanh").replace("epsilon: 1e-2", "epsilon: 1e-2, start: {\"w\": 1}"),
            "unknown state `w`",
        ),
        (twin(dry, "Tanh").replace("mu: 0.3", "mu: \"nu\""), "unknown name `nu`"),
    ] {
        let message = refused(&text);
        assert!(
            message.contains(says) && message.contains("study.ron:1:"),
            "{text}\n{message}"
        );
    }
}
