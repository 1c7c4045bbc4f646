//! Fields that jump at surfaces, declared: the modes that the program makes of them.

use super::support::{STICTION, assert_close, curve, only, points, run, specials, value};
use proptest::prelude::*;
use slipstick_bifurcation::{BranchPoint, Label};
use slipstick_flow::{SimulationOptions, Trajectory, simulate};
use slipstick_study as study;
use slipstick_system::System;

/// The system of a study's text.
pub(super) fn system(declaration: &str) -> System {
    let text = format!("Study(title: \"t\", system: {declaration})");
    let spec = study::parse("study.ron".as_ref(), text).unwrap().spec;
    match spec.system.unwrap().build("system") {
        Ok(built) => {
            assert!(built.warnings.is_empty(), "{:?}", built.warnings);
            built.system
        }
        Err(errors) => panic!("{errors:?}"),
    }
}

/// What is wrong with a study, as a user reads it.
fn refused(declaration: &str) -> String {
    let text = format!("Study(title: \"t\", system: {declaration}, simulations: [Simulation(name: \"m\", time: 1)])");
    let planned = study::parse("study.ron".as_ref(), text).and_then(|loaded| loaded.plan(&[]));
    planned.err().map_or_else(String::new, |e| e.to_string())
}

/// Follow a system from its start, and give all states at the end.
pub(super) fn end(system: &System, time: f64) -> (Vec<f64>, Trajectory) {
    let p = system.default_parameters();
    let options = SimulationOptions {
        t_end: time,
        ..SimulationOptions::default()
    };
    let (mode, x) = &system.start_at(&system.default_parameters());
    let run = simulate(system, *mode, x, &p, &options).unwrap();
    let last = run.segments.last().unwrap();
    (system.full_state(last.mode, &last.end, &p), run)
}

#[test]
fn declared_in_four_lines_the_stiction_oscillator_has_all_its_digits() {
    let declared = r#"Filippov(
        states: ["x", "y", "theta"], angles: {"theta": "2*pi"}, parameters: {"Omega": 2, "mu_s": 1.1, "mu_d": 0.4},
        surfaces: {"dry": "y"}, stiction: {"dry": "mu_s/mu_d"}, modes: {"+": "slip+", "-": "slip-", "0": "stick"},
        equations: ["x' = y", "y' = -Omega^2*x - sin(theta) - mu_d*sgn(dry)", "theta' = 1"],
        symmetry: {"x": "-x", "y": "-y", "theta": "theta + pi"},
    )"#;
    let curves = STICTION.split("    figures: [").next().unwrap();
    let built_in = format!("{curves})");
    let text = built_in.replace("Stiction(mu_s: 1.1, mu_d: 0.4)", declared);
    assert_ne!(text, built_in);
    let (own, wanted) = (run(&text, &[]), run(&built_in, &[]));
    for name in ["stiff", "compliant"] {
        let (own, wanted) = (curve(&own, name), curve(&wanted, name));
        let (found, known) = (specials(own), specials(wanted));
        assert_eq!(
            found.iter().map(|p| p.label).collect::<Vec<_>>(),
            known.iter().map(|p| p.label).collect::<Vec<_>>()
        );
        for (a, b) in found.iter().zip(&known) {
            for column in ["Omega", "max_abs_x", "period"] {
                assert_close(column, value(own, a, column), value(wanted, b, column), 1e-12);
            }
            for (a, b) in a.record.multipliers.iter().zip(&b.record.multipliers) {
                // At a tangency there are some without bound.
                let unbounded = a.log10.min(b.log10) > 12.0;
                assert!(
                    unbounded || a.log10 == b.log10 || (a.log10 - b.log10).abs() < 1e-10,
                    "{} {}",
                    a.log10,
                    b.log10
                );
            }
        }
    }
}

#[test]
fn an_expanded_study_is_the_same_study() {
    let text = r#"Study(title: "t", system: Filippov(
            states: ["x", "v", "phi"], angles: {"phi": "2*pi"}, parameters: {"mu": 0.4, "F": 1.3, "w": 1.5},
            define: {"friction": "mu*sgn(slip)"}, surfaces: {"slip": "v"},
            equations: ["x' = v", "v' = -x - 0.1*v - friction + F*cos(phi)", "phi' = w"],
            symmetry: {"x": "-x", "v": "-v", "phi": "phi + pi"}, start: {"x": 1},
        ),
        curves: [Curve(name: "forced", orbit: Symmetric("slip+"), start: All(at: {"w": 1.5}), free: "w", range: (1, 2))])"#;
    let loaded = study::parse("study.ron".as_ref(), text.to_owned()).unwrap();
    let expanded = loaded.expanded().unwrap();
    assert!(expanded.contains("Hybrid(") && !expanded.contains("sgn("));
    let (own, other) = (run(text, &[]), run(&expanded, &[]));
    let (own, other) = (
        points(curve(&own, "forced")).len(),
        points(curve(&other, "forced")).len(),
    );
    assert!(own == other && own > 10);
}

/// Three linear fields' worth of numbers.
fn numbers(count: usize) -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(-1.0..1.0f64, count)
}

/// An independent way: classical Runge-Kutta steps, halved down where a surface is met, with the sliding motion by
/// Filippov's formula from numbers.
struct Stepper<'a> {
    field: &'a dyn Fn(f64, &[f64]) -> Vec<f64>,
    h: &'a dyn Fn(&[f64]) -> f64,
    slope: &'a dyn Fn(&[f64]) -> Vec<f64>,
}

impl Stepper<'_> {
    fn along(&self, sign: f64, x: &[f64]) -> f64 {
        let (f, n) = ((self.field)(sign, x), (self.slope)(x));
        f.iter().zip(&n).map(|(a, b)| a * b).sum()
    }
    /// The field beside the surface, or on it for 0.
    fn rate(&self, side: f64, x: &[f64]) -> Vec<f64> {
        if side != 0.0 {
            return (self.field)(side, x);
        }
        let (up, down) = (self.along(1.0, x), self.along(-1.0, x));
        let share = down / (down - up);
        let (plus, minus) = ((self.field)(1.0, x), (self.field)(-1.0, x));
        plus.iter().zip(&minus).map(|(a, b)| b + share * (a - b)).collect()
    }
    fn step(&self, side: f64, x: &[f64], dt: f64) -> Vec<f64> {
        let add = |k: &[f64], c: f64| -> Vec<f64> { x.iter().zip(k).map(|(x, k)| x + c * k).collect() };
        let a = self.rate(side, x);
        let b = self.rate(side, &add(&a, 0.5 * dt));
        let c = self.rate(side, &add(&b, 0.5 * dt));
        let d = self.rate(side, &add(&c, dt));
        (0..x.len())
            .map(|i| x[i] + dt / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]))
            .collect()
    }
    /// What is positive as long as the motion stays beside or on the surface.
    fn margin(&self, side: f64, x: &[f64]) -> f64 {
        if side == 0.0 {
            (-self.along(1.0, x)).min(self.along(-1.0, x))
        } else {
            side * (self.h)(x)
        }
    }
    /// The state at a time, and the smallest angle at which the surface was met.
    fn run(&self, mut x: Vec<f64>, time: f64, step: f64) -> (Vec<f64>, f64) {
        let mut side = (self.h)(&x).signum();
        let (mut t, mut clear) = (0.0, f64::INFINITY);
        while t < time {
            let mut dt = step.min(time - t);
            let mut next = self.step(side, &x, dt);
            if self.margin(side, &next) >= 0.0 {
                (x, t) = (next, t + dt);
                continue;
            }
            let (mut low, mut high) = (0.0, dt);
            for _ in 0..60 {
                dt = 0.5 * (low + high);
                next = self.step(side, &x, dt);
                if self.margin(side, &next) >= 0.0 {
                    low = dt
                } else {
                    high = dt
                }
            }
            (x, t) = (next, t + dt);
            let (up, down) = (self.along(1.0, &x), self.along(-1.0, &x));
            side = if side == 0.0 {
                clear = clear.min(up.abs().max(down.abs()));
                if up.abs() < down.abs() { 1.0 } else { -1.0 }
            } else {
                clear = clear.min(up.abs()).min(down.abs());
                let beyond = if side > 0.0 { down } else { -up };
                if beyond > 0.0 { 0.0 } else { -side }
            };
            if side != 0.0 {
                // Off the surface, so that it is not met again at once.
                let (h, n) = ((self.h)(&x), (self.slope)(&x));
                let square: f64 = n.iter().map(|v| v * v).sum();
                for (x, n) in x.iter_mut().zip(&n) {
                    *x += (side * 1e-13 - h) * n / square;
                }
            }
        }
        (x, clear)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Linear fields beside a plane, and beside a sphere, of which no state can be solved for.
    #[test]
    fn motions_are_those_of_filippov(
        a in numbers(9), b in numbers(9), c in numbers(3), d in numbers(3), n in numbers(3), start in numbers(3), round in any::<bool>(),
    ) {
        let linear = |m: &[f64], c: &[f64], x: &[f64], i: usize| -> f64 {
            c[i] + (0..3).map(|j| m[3 * i + j] * x[j]).sum::<f64>() - 1.5 * x[i]
        };
        // Both push towards the surface somewhere.
        let field = |sign: f64, x: &[f64]| -> Vec<f64> {
            let (m, c) = if sign > 0.0 { (&a, &c) } else { (&b, &d) };
            (0..3).map(|i| linear(m, c, x, i) - 0.6 * sign * if round { x[i] } else { n[i] }).collect()
        };
        let h = |x: &[f64]| if round {
            x.iter().map(|v| v * v).sum::<f64>() - 0.3
        } else {
            x.iter().zip(&n).map(|(x, n)| x * n).sum::<f64>() - 0.05
        };
        let slope = |x: &[f64]| -> Vec<f64> { if round { x.iter().map(|v| 2.0 * v).collect() } else { n.clone() } };
        prop_assume!(n.iter().any(|v| v.abs() > 0.2) && h(&start).abs() > 0.05);
        let names = ["x", "y", "z"];
        let equations = |m: &[f64], c: &[f64], sign: f64| -> String {
            let one = |i: usize| {
                let sum: Vec<String> = (0..3).map(|j| format!("({:?})*{}", m[3 * i + j], names[j])).collect();
                let pull = if round { names[i].to_owned() } else { format!("({:?})", n[i]) };
                format!("\"{0}' = {1:?} + {2} - 1.5*{0} - ({3:?})*{pull}\"", names[i], c[i], sum.join(" + "), 0.6 * sign)
            };
            format!("[{}, {}, {}]", one(0), one(1), one(2))
        };
        let surface = if round {
            "x^2 + y^2 + z^2 - 0.3".to_owned()
        } else {
            format!("({:?})*x + ({:?})*y + ({:?})*z - 0.05", n[0], n[1], n[2])
        };
        let declared = system(&format!(
            r#"Filippov(states: ["x", "y", "z"], surfaces: {{"h": "{surface}"}},
                fields: {{"+": {}, "-": {}}}, start: {{"x": {:?}, "y": {:?}, "z": {:?}}})"#,
            equations(&a, &c, 1.0), equations(&b, &d, -1.0), start[0], start[1], start[2],
        ));
        let (found, run) = end(&declared, 3.0);
        let stepper = Stepper { field: &field, h: &h, slope: &slope };
        let (coarse, _) = stepper.run(start.clone(), 3.0, 2e-3);
        let (wanted, clear) = stepper.run(start, 3.0, 1e-3);
        // Where a surface is met nearly along it, rounding decides; where both sides nearly touch it, fixed steps are too long.
        let converged = coarse.iter().zip(&wanted).all(|(a, b)| (a - b).abs() < 1e-9);
        prop_assume!(clear > 1e-2 && converged);
        for (a, b) in found.iter().zip(&wanted) {
            prop_assert!((a - b).abs() < 1e-8, "{found:?} {wanted:?} {}", run.describe(&declared));
        }
        for segment in run.segments.iter().filter(|s| s.mode == 2) {
            let x = declared.full_state(2, &segment.end, &[]);
            prop_assert!(h(&x).abs() < 1e-10);
        }
    }

    /// On two surfaces at once the signs are those at which neither switching function changes; with signs in products
    /// that is a quadratic equation.
    #[test]
    fn on_intersections_the_motion_stays_on_both_surfaces(
        coupling in numbers(2), drift in numbers(2), w in numbers(4), mixed in -0.3..0.3f64, k in 0.1..0.5f64,
    ) {
        let [c0, c1] = [0.4 * coupling[0], 0.4 * coupling[1]];
        let [d0, d1] = [0.3 * drift[0], 0.3 * drift[1]];
        let declared = system(&format!(
            r#"Filippov(states: ["x", "y", "z"], surfaces: {{"p": "x - {k:?}*z", "q": "y + x^2"}},
                equations: [
                    "x' = {d0:?} - 2*sgn(p) + ({c0:?})*sgn(q) + ({mixed:?})*sgn(p)*sgn(q)",
                    "y' = {d1:?} + ({c1:?})*sgn(p) - 2*sgn(q)",
                    "z' = 0.3 + ({:?})*sgn(p) + ({:?})*sgn(q) + ({:?})*sgn(p)*sgn(q)",
                ], start: {{"x": 0.1, "y": 0.05}})"#,
            0.1 * w[0], 0.1 * w[1], 0.1 * w[2],
        ));
        let (x, run) = end(&declared, 1.0);
        let last = &declared.modes[run.segments.last().unwrap().mode];
        prop_assert_eq!(&last.name, "p0,q0");
        prop_assert!((x[0] - k * x[2]).abs() < 1e-12 && (x[1] + x[0] * x[0]).abs() < 1e-12);
        // The signs, by Newton's method from zero.
        let (mut u, mut v) = (0.0f64, 0.0f64);
        let z = |u: f64, v: f64| 0.3 + 0.1 * (w[0] * u + w[1] * v + w[2] * u * v);
        let p = |u: f64, v: f64| d0 - 2.0 * u + c0 * v + mixed * u * v - k * z(u, v);
        let q = |u: f64, v: f64| d1 + c1 * u - 2.0 * v + 2.0 * x[0] * (p(u, v) + k * z(u, v));
        for _ in 0..60 {
            (u, v) = (u + p(u, v) / 2.5, v + q(u, v) / 2.5);
        }
        let mut rate = [0.0];
        // One state is left; z follows it, or it follows z.
        let moving = last.states[0];
        last.field.value(&[x[moving]], &[], &mut rate);
        let wanted = [k * z(u, v), f64::NAN, z(u, v)][moving];
        prop_assert!((rate[0] - wanted).abs() < 1e-10, "{} {wanted}", rate[0]);
    }
}

#[test]
fn rest_on_a_surface_is_an_equilibrium_of_its_mode() {
    // Inside and outside push to the circle of radius 1, along which both turn to the angle 0.
    let text = r#"Study(title: "t", system: Filippov(
            states: ["x", "y"], parameters: {"a": 0.5}, surfaces: {"ring": "x^2 + y^2 - 1"},
            equations: ["x' = y^2*a - x*sgn(ring)", "y' = -x*y*a - y*sgn(ring) - 0.2*a"], start: {"x": 0.9}),
        curves: [Curve(name: "rest", orbit: EquilibriumIn("ring0"), start: Settle(at: {"a": 0.5}), free: "a", range: (0.1, 0.9))])"#;
    let result = run(text, &[]);
    let rest = curve(&result, "rest");
    assert!(points(rest).len() > 5, "{:?}", result.missing);
    for p in points(rest) {
        let (x, y) = (value(rest, p, "x"), value(rest, p, "y"));
        assert!((x * x + y * y - 1.0).abs() < 1e-12, "{x} {y}");
        // The rate along the circle vanishes.
        let a = value(rest, p, "a");
        assert!((-y * (y * y * a) + x * (-x * y * a - 0.2 * a)).abs() < 1e-12);
    }
}

#[test]
fn a_declaration_that_is_wrong_is_refused_at_its_place() {
    let base = |surfaces: &str, rest: &str| {
        format!(r#"Filippov(states: ["x", "v"], parameters: {{"mu": 0.3}}, surfaces: {{{surfaces}}}, {rest})"#)
    };
    let good = r#"equations: ["x' = v", "v' = -x - mu*sgn(slip)"]"#;
    assert_eq!(refused(&base(r#""slip": "v""#, good)), "");
    for (text, place, says) in [
        (base("", good), "surfaces", "at least one surface"),
        (base(r#""slip": "mu - 1""#, good), "mu - 1", "depends on no state"),
        (base(r#""slip": "v - w""#, good), "w", "unknown name `w`"),
        (base(r#""v": "v""#, good), "v", "already taken"),
        (base(r#""slip": "v""#, ""), "Filippov", "`equations` with `sgn(...)`"),
        (
            base(r#""slip": "v""#, r#"equations: ["x' = v"]"#),
            "equations",
            "no equation for `v`",
        ),
        (
            base(r#""slip": "v""#, r#"equations: ["x' = v", "v' = -x - mu*sgn(slp)"]"#),
            "slp",
            "unknown name `slp`",
        ),
        (
            base(r#""slip": "v""#, r#"fields: {"+": ["x' = v", "v' = -x - mu"]}"#),
            "fields",
            "no field for `-`",
        ),
        (
            base(r#""slip": "v""#, r#"fields: {"+-": ["x' = v", "v' = -x - mu"]}"#),
            "+-",
            "no pattern of 1 signs",
        ),
        (
            base(r#""slip": "v""#, &format!(r#"{good}, stiction: {{"slop": "2"}}"#)),
            "slop",
            "unknown surface `slop`",
        ),
        (
            base(r#""slip": "v""#, &format!(r#"{good}, symmetry: {{"v": "2*v"}}"#)),
            "2*v",
            "is a state, with a sign",
        ),
        (
            base(
                r#""slip": "v - 0.1""#,
                &format!(r#"{good}, symmetry: {{"x": "-x", "v": "-v"}}"#),
            ),
            "symmetry",
            "no mirror image",
        ),
        (
            base(r#""slip": "v""#, &format!(r#"{good}, modes: {{"0": "a b"}}"#)),
            "a b",
            "cannot name a mode",
        ),
        (
            base(r#""slip": "v""#, &format!(r#"{good}, stiction: {{"slip": "0.8"}}"#)),
            "0.8",
            "0.8 times that in slipping",
        ),
        (
            base(r#""slip": "x""#, &format!(r#"{good}, modes: {{"0": "stick"}}"#)),
            "stick",
            "names no mode",
        ),
        (
            base(r#""slip": "v""#, &format!(r#"{good}, start: {{"w": 1}}"#)),
            "w",
            "unknown state `w`",
        ),
    ] {
        let message = refused(&text);
        assert!(message.contains(says), "{text}\n{message}");
        assert!(
            message.contains("study.ron:1:") && message.contains(place),
            "{text}\n{message}"
        );
    }
}

/// The shipped study of the regularised oscillator.
const REGULARISED: &str = include_str!("../../studies/regularised.ron");

#[test]
fn regularised_the_declared_oscillator_is_the_built_in_one() {
    let declared = r#"Regularised(of: Filippov(
        states: ["x", "y", "theta"], angles: {"theta": "2*pi"}, parameters: {"Omega": 2, "mu_s": 1.1, "mu_d": 0.4},
        surfaces: {"dry": "y"}, stiction: {"dry": "mu_s/mu_d"}, modes: {"+": "slip+", "-": "slip-", "0": "layer"},
        equations: ["x' = y", "y' = -Omega^2*x - sin(theta) - mu_d*sgn(dry)", "theta' = 1"],
        symmetry: {"x": "-x", "y": "-y", "theta": "theta + pi"},
    ), by: Stiction(delta: 0.6), epsilon: 1e-3)"#;
    let curves = REGULARISED.split("    // The layer at").next().unwrap();
    // Below the canards, where orbits grow and shrink by thousands of digits.
    let built_in = format!("{curves})").replace("range: (0.3, 2000.0)", "range: (0.3, 25)");
    let text = built_in.replace(
        "RegularisedStiction(mu_s: 1.1, mu_d: 0.4, delta: 0.6, epsilon: 1e-3)",
        declared,
    );
    assert_ne!(text, built_in);
    let (own, wanted) = (run(&text, &[]), run(&built_in, &[]));
    let (own, wanted) = (curve(&own, "family"), curve(&wanted, "family"));
    let (found, known) = (specials(own), specials(wanted));
    let labels = |of: &[&BranchPoint]| of.iter().map(|p| p.label).collect::<Vec<_>>();
    assert_eq!(labels(&found), labels(&known));
    for (a, b) in found.iter().zip(&known) {
        // Both are known to their own errors.
        let errors = value(own, a, "error").max(value(wanted, b, "error"));
        for column in ["Omega", "max_abs_x", "delay"] {
            assert_close(
                column,
                value(own, a, column),
                value(wanted, b, column),
                10.0 * errors + 1e-11,
            );
        }
    }
}

/// A fast state takes the place of v, which is still a column: v = v0 + ε h.
#[test]
fn smooth_twins_keep_the_columns_of_the_system() {
    for law in ["Tanh", "Algebraic", "Law(\"atan(s)*2/pi\")"] {
        let twin = system(&format!(
            "Regularised(of: Filippov(states: [\"x\", \"v\"], parameters: {{\"v0\": 2}}, surfaces: {{\"slip\": \"v - v0\"}}, \
             equations: [\"x' = v\", \"v' = -x - sgn(slip)\"]), by: {law}, epsilon: 0.25)"
        ));
        let p = twin.default_parameters();
        let v = twin.observables.iter().find(|o| o.name == "v").unwrap();
        let mut found = [0.0];
        v.by_mode[0].value(&[1.0, 3.0], &p, &mut found);
        assert_close(law, found[0], 2.75, 1e-15);
    }
}

#[test]
fn twins_come_as_close_as_epsilon() {
    let belt = r#"Filippov(
        states: ["x", "v"], parameters: {"mu": 0.4, "v0": 0.6}, surfaces: {"slip": "v - v0"},
        equations: ["x' = v", "v' = -x - 0.05*v - mu*sgn(slip)"], start: {"x": 1.5})"#;
    // While it sticks: where it slips off, the distance is larger.
    let (_, motion) = end(&system(belt), 7.0);
    let stick = &motion.segments[1];
    let time = stick.t0 + 0.5 * stick.duration;
    let (limit, _) = end(&system(belt), time);
    for law in [
        "Tanh",
        "Algebraic",
        "Smoothstep(1)",
        "Smoothstep(4)",
        "Law(\"atan(10*s)*2/pi\")",
    ] {
        let distance = |epsilon: f64| {
            let twin = system(&format!("Regularised(of: {belt}, by: {law}, epsilon: {epsilon:?})"));
            let (x, _) = end(&twin, time);
            (x[0] - limit[0]).abs()
        };
        let [far, near] = [1e-2, 1e-3].map(distance);
        let order = (far / near).log10();
        assert!((0.8..1.2).contains(&order), "{law}: {far} {near}");
    }
}

#[test]
fn only_what_a_jump_drives_is_fast() {
    let relay = |equations: &str, law: &str| {
        system(&format!(
            "Regularised(of: Filippov(states: [\"x\", \"v\"], surfaces: {{\"h\": \"x\"}}, equations: [{equations}]), by: {law}, epsilon: 0.01)"
        ))
    };
    for law in ["Tanh", "Smoothstep(2)"] {
        // The relay acts on the velocity: the rate of its switching function does not jump.
        let second = relay(r#""x' = v", "v' = -0.1*v - sgn(h)""#, law);
        let names: Vec<&str> = second.states.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(names, ["x", "v"], "{law}");
        assert!(second.slow_fast.is_none());
        let first = relay(r#""x' = v - sgn(h)", "v' = -x""#, law);
        assert!(
            first.states.iter().any(|s| s.name == "h_hat") && first.slow_fast.is_some(),
            "{law}"
        );
    }
}

#[test]
fn a_regularisation_that_is_none_is_refused_at_its_place() {
    let of = r#"Filippov(states: ["x", "v"], parameters: {"mu": 0.3}, surfaces: {"slip": "v"}, equations: ["x' = v", "v' = -x - mu*sgn(slip)"])"#;
    let two = r#"Filippov(states: ["x", "v"], surfaces: {"a": "x", "b": "v"}, equations: ["x' = -sgn(a)", "v' = -x - sgn(b)"])"#;
    let twin = |of: &str, by: &str| format!("Regularised(of: {of}, by: {by}, epsilon: 1e-2)");
    let sticking = of.replace("surfaces:", "stiction: {\"slip\": \"2\"}, surfaces:");
    assert_eq!(refused(&twin(of, "Tanh")), "");
    assert_eq!(refused(&twin(&sticking, "Stiction(delta: 0.5)")), "");
    assert_eq!(refused(&twin(two, "Algebraic")), "");
    for (text, says) in [
        (twin("Stiction()", "Tanh"), "unknown word `Stiction`"),
        (twin(of, "Smoothstep(5)"), "1 to 4 derivatives, not 5"),
        (twin(two, "Smoothstep(2)"), "smooth everywhere"),
        (twin(of, "Law(\"s + w\")"), "unknown name `w`"),
        (twin(&sticking, "Stiction(delta: 2)"), "delta < 1"),
        (twin(&sticking, "Tanh"), "never exceeds 1"),
        (twin(of, "Stiction(delta: 0.5)"), "the system has none"),
        (twin(&of.replace("-x - mu", "-x - nu"), "Tanh"), "unknown name `nu`"),
        (twin(&of.replace("\"mu\"", "\"epsilon\""), "Tanh"), "already taken"),
        (format!("Regularised(of: {of}, by: Tanh, epsilon: -1)"), "epsilon > 0"),
    ] {
        let message = refused(&text);
        assert!(
            message.contains(says) && message.contains("study.ron:1:"),
            "{text}\n{message}"
        );
    }
}

#[test]
fn self_oscillations_of_the_relay_lose_their_sliding_where_the_half_map_says() {
    let result = run(include_str!("../../studies/benchmarks/relay.ron"), &[]);
    let oscillations = curve(&result, "oscillations");
    let vanishes = only(oscillations, Label::VS);
    // Half a period without sliding from x = 0 with the field of the other side tangent there, y = 1: two equations in
    // the time and rho, solved with thirty digits by the matrix exponential.
    assert_close(
        "rho",
        value(oscillations, vanishes, "rho"),
        0.312_561_555_344_161,
        1e-13,
    );
    assert_close(
        "period",
        value(oscillations, vanishes, "period"),
        7.791_647_110_965_33,
        1e-13,
    );
    // The curve goes on without sliding.
    let last = points(oscillations).pop().unwrap();
    assert_eq!(
        (value(oscillations, last, "rho"), value(oscillations, last, "slide")),
        (1.5, 0.0)
    );
}

/// Between events a motion is taken for smooth where states decide a jump: that is pointed at, once. What jumps with
/// time, a switching function and a corner are not.
#[test]
fn jumps_between_events_are_pointed_at() {
    let warned = |system: &str| -> Vec<String> {
        let text = format!(
            "Study(title: \"jumps\", system: {system}, simulations: [Simulation(name: \"s\", time: 1, every: 1)])"
        );
        let plan = slipstick_study::parse("study.ron".as_ref(), text)
            .unwrap()
            .plan(&[])
            .unwrap();
        let said = plan.warnings.iter().map(|warning| warning.message.clone());
        said.filter(|warning| warning.contains("may jump: between its events"))
            .collect()
    };
    let filippov = |surface: &str, force: &str| {
        format!(
            "Filippov(states: [\"x\", \"v\"], parameters: {{\"a\": 1}}, forcing: Forcing(period: \"2*pi\"), surfaces: {{\"s\": \"{surface}\"}}, \
             equations: [\"x' = v\", \"v' = -x - 0.3*sgn(s) + a*({force})\"])"
        )
    };
    let hybrid = |define: &str, guard: &str| {
        format!(
            "Hybrid(states: [\"T\"], parameters: {{\"h\": 3}}, forcing: Forcing(period: \"2*pi\"), define: {{\"set\": \"{define}\"}}, modes: {{ \
             \"off\": Mode(equations: [\"T' = -T\"], events: {{\"on\": Event(guard: \"{guard}\", direction: Down, to: \"on\")}}), \
             \"on\": Mode(equations: [\"T' = h - T\"], events: {{\"off\": Event(guard: \"{guard} - 1\", direction: Up, to: \"off\")}})}}, \
             start: Start(mode: \"on\", at: {{\"T\": 1}}))"
        )
    };
    let mechanical = |force: &str| {
        format!(
            "Mechanical(coordinates: [\"x\"], parameters: {{\"a\": 1}}, forcing: Forcing(period: \"2*pi\"), masses: {{\"x\": 1}}, \
             springs: [Spring(on: \"x\", stiffness: 1)], forces: {{\"x\": \"a*({force})\"}}, contacts: {{\"dry\": Coulomb(on: \"x\", mu: 0.3)}})"
        )
    };
    for jump in [
        "sign(sin(t))",
        "heaviside(cos(t))",
        "floor(sin(t))",
        "mod(t, 2*pi)",
        "if(sin(t) < 0.5, 0, 1)",
    ] {
        for system in [
            filippov("v", jump),
            filippov(&format!("x - {jump}"), "0"),
            mechanical(jump),
            hybrid(jump, "T - set"),
        ] {
            assert!(warned(&system).is_empty(), "{system}: {:?}", warned(&system));
        }
        assert!(warned(&hybrid("h", &format!("T - set*({jump})"))).is_empty(), "{jump}");
    }
    // States that decide are another matter, also where no guard jumps.
    let by_states = hybrid("2", "T - set").replace("T' = h - T", "T' = h - T - sign(T - 0.5)");
    assert!(warned(&by_states)[0].contains("may jump: between its events"));
    let by_time = hybrid("2", "T - set").replace("T' = h - T", "T' = h - T - sign(sin(t))");
    assert!(warned(&by_time).is_empty());
    for smooth in ["sin(t)", "abs(sin(t))", "max(sin(t), 0)", "if(a < 2, 0, 1)"] {
        for system in [filippov("v", smooth), mechanical(smooth)] {
            assert!(warned(&system).is_empty(), "{system}: {:?}", warned(&system));
        }
    }
}

#[test]
fn what_is_too_long_in_a_mode_that_is_made_names_the_mode() {
    // Each definition doubles the one before; on a surface their derivatives come in.
    let nested = |count: usize| {
        let doubled = (1..=count).map(|i| format!("\"c{i}\": \"c{}*sin(c{})\"", i - 1, i - 1));
        let definitions: Vec<String> = std::iter::once("\"c0\": \"x + y*z\"".to_owned())
            .chain(doubled)
            .collect();
        format!(
            "Filippov(states: [\"x\", \"y\", \"z\"], parameters: {{}}, define: {{{}}}, \
             surfaces: {{\"a\": \"x + 0.1*c{count}\", \"b\": \"y + 0.2*c{count}\"}}, \
             equations: [\"x' = 1 - 2*sgn(a) - sgn(b) + c{count}\", \"y' = 1 - 2*sgn(b) + c{count}*sgn(a)\", \"z' = -z + c{count}\"])",
            definitions.join(", ")
        )
    };
    assert_eq!(refused(&nested(5)), "");
    let why = refused(&nested(7));
    assert!(
        why.contains("operations once its definitions are put in (in the mode `a+,b0`"),
        "{why}"
    );
}

#[test]
fn surfaces_that_never_meet_have_no_motion_on_both() {
    let chua = system(
        r#"Filippov(states: ["x", "y", "z"], parameters: {"al": 8, "be": 14.2857, "a": "-8/7", "b": "-5/7"},
            surfaces: {"p": "x - 1", "m": "x + 1"},
            equations: ["x' = al*(y - x - (b*x + (a - b)*((x + 1)*sgn(m) - (x - 1)*sgn(p))/2))", "y' = x - y + z", "z' = -be*y"],
            symmetry: {"x": "-x", "y": "-y", "z": "-z"})"#,
    );
    let names: Vec<&str> = chua.modes.iter().map(|m| m.name.as_str()).collect();
    assert!(!names.contains(&"p0,m0") && names.contains(&"p+,m+"), "{names:?}");
    // Two that meet, in the same field.
    let crossed = system(
        r#"Filippov(states: ["x", "y"], parameters: {"a": 1}, surfaces: {"p": "x - 1", "q": "y + 1"},
            equations: ["x' = -sgn(p)", "y' = -a*sgn(q)"])"#,
    );
    assert!(crossed.modes.iter().any(|m| m.name == "p0,q0"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    /// A follower on a cam moves as the cam does until the spring and its weight no longer hold it down.
    #[test]
    fn a_mode_has_no_state_where_all_have_values(w in 30.0..80.0f64, spring in 20.0..60.0f64, lift in 0.015..0.03f64) {
        let (weight, pressed) = (9.81, 0.05);
        let follower = system(&format!(
            r#"Hybrid(states: ["y", "v"], parameters: {{"w": {w:?}}}, forcing: Forcing(period: "2*pi/w"),
                define: {{"c": "{lift:?}*(1 - cos(w*t))", "speed": "{lift:?}*w*sin(w*t)"}},
                modes: {{
                    "on": Mode(kind: Stick, absent: {{"y": "c", "v": "speed"}}, equations: [],
                        events: {{"off": Event(guard: "{lift:?}*w^2*cos(w*t) + {weight:?} + {spring:?}*(c + {pressed:?})", direction: Down, to: "fly")}}),
                    "fly": Mode(equations: ["y' = v", "v' = -{weight:?} - {spring:?}*(y + {pressed:?})"],
                        events: {{"on": Event(guard: "y - c", direction: Down, to: "on")}})}},
                start: Start(mode: "on"))"#
        ));
        let run = end(&follower, 3.0 / w).1;
        let force = weight + spring * (lift + pressed);
        let off = (-force / (lift * (w * w - spring))).acos() / w;
        let first = &run.segments[0];
        prop_assert!((first.duration - off).abs() <= 1e-12 * off, "{} {off}", first.duration);
        let next = follower.full_state(run.segments[1].mode, &run.segments[1].start, &follower.default_parameters());
        let (y, v) = (lift * (1.0 - (w * off).cos()), lift * w * (w * off).sin());
        prop_assert!((next[0] - y).abs() < 1e-12 && (next[1] - v).abs() < 1e-10 * v.abs(), "{next:?} {y} {v}");
    }
}
