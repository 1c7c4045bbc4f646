//! Cycles of many states, each equation of which sees few: by sparse factors and a Krylov method what is known in closed
//! form, what the dense method gives, and the order of the method.

use nalgebra::Complex;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use slipstick::study;
use slipstick_bifurcation::{Branch, Inspect, Label, Record, TraceOptions, Tracer};
use slipstick_continuation::{Newton, NewtonOptions, Problem, tangent_at};
use slipstick_flow::FlowOptions;
use slipstick_orbit::{Discretisation, LargeCycle, MeshOptions, PeriodicOrbit, Word, large_from_hopf};
use slipstick_system::System;
use std::f64::consts::{PI, TAU};
use std::sync::Arc;

fn quoted(list: &[String]) -> String {
    list.iter().map(|s| format!("{s:?}")).collect::<Vec<_>>().join(", ")
}

fn study_of(states: &[String], parameters: &str, equations: &[String], curves: &str) -> String {
    format!(
        "Study(title: \"many\", system: Smooth(states: [{}], parameters: {{{parameters}}}, equations: [{}]), curves: [{curves}])",
        quoted(states),
        quoted(equations)
    )
}

fn system_of(text: String) -> System {
    let plan = study::parse("many.ron".as_ref(), text).unwrap().plan(&[]).unwrap();
    plan.systems[0].system.clone()
}

/// A chain of oscillators z' = (a + iω) z - (1 + iβ) |z|² z + (d + ie) Δz with free ends, which turn together on the
/// circle of radius √a with the frequency ω - β a. Two more oscillators are driven by the first and drive none: u turns
/// with the frequency ν and grows at the rate a - b, w grows with half the angle of the first.
#[derive(Clone, Copy, Debug)]
struct Chain {
    count: usize,
    beta: f64,
    d: f64,
    e: f64,
    b: f64,
    nu: f64,
    c: f64,
    kappa: f64,
}

const OMEGA: f64 = 2.0;

impl Chain {
    fn unit(&self) -> f64 {
        (self.count as f64 / PI).powi(2)
    }

    fn text(&self, curves: &str) -> String {
        let (mut states, mut equations) = (vec![], vec![]);
        let (d, e, beta) = (self.d * self.unit(), self.e * self.unit(), self.beta);
        for i in 0..self.count {
            let (l, r) = (i.saturating_sub(1), (i + 1).min(self.count - 1));
            let second = |v: &str| format!("({v}{l} - 2*{v}{i} + {v}{r})");
            let square = format!("(x{i}^2 + y{i}^2)");
            states.extend([format!("x{i}"), format!("y{i}")]);
            equations.push(format!(
                "x{i}' = a*x{i} - {OMEGA}*y{i} - (x{i} - {beta}*y{i})*{square} + {d}*{} - ({e})*{}",
                second("x"),
                second("y")
            ));
            equations.push(format!(
                "y{i}' = {OMEGA}*x{i} + a*y{i} - (y{i} + {beta}*x{i})*{square} + {d}*{} + ({e})*{}",
                second("y"),
                second("x")
            ));
        }
        states.extend(["u1", "u2", "w1", "w2"].map(str::to_owned));
        let Self { b, nu, c, kappa, .. } = *self;
        equations.push(format!("u1' = (x0^2 + y0^2 - {b})*u1 - {nu}*u2 - u1*(u1^2 + u2^2)"));
        equations.push(format!("u2' = {nu}*u1 + (x0^2 + y0^2 - {b})*u2 - u2*(u1^2 + u2^2)"));
        equations.push(format!("w1' = ({c})*w1 + {kappa}*(x0*w1 + y0*w2) - w1*(w1^2 + w2^2)"));
        equations.push(format!("w2' = ({c})*w2 + {kappa}*(y0*w1 - x0*w2) - w2*(w1^2 + w2^2)"));
        study_of(&states, "\"a\": 0.1", &equations, curves)
    }

    fn frequency(&self, a: f64) -> f64 {
        OMEGA - self.beta * a
    }

    /// All multipliers but the trivial one, largest modulus first.
    fn multipliers(&self, a: f64) -> Vec<Complex<f64>> {
        let period = TAU / self.frequency(a).abs();
        let mut found = vec![];
        let mut pair = |[p, q, r, s]: [f64; 4], sign: f64| {
            let half = 0.5 * (p + s);
            let root = Complex::new((0.5 * (p - s)).powi(2) + q * r, 0.0).sqrt();
            found.extend([root + half, -root + half].map(|v| (v * period).exp() * sign));
        };
        for k in 0..self.count {
            let wave = -4.0 * self.unit() * (k as f64 * PI / (2.0 * self.count as f64)).sin().powi(2);
            let (d, e) = (self.d * wave, self.e * wave);
            pair([-2.0 * a + d, -e, -2.0 * self.beta * a + e, d], 1.0);
        }
        pair([a - self.b, -self.nu, self.nu, a - self.b], 1.0);
        let (k, half) = (self.kappa * a.sqrt(), 0.5 * self.frequency(a));
        pair([self.c + k, half, -half, self.c - k], -1.0);
        let trivial = (0..found.len())
            .min_by(|&i, &j| (found[i] - 1.0).norm().total_cmp(&(found[j] - 1.0).norm()))
            .unwrap();
        // The homogeneous perturbation along the circle is the first pair's second member, exactly one.
        assert!((found[trivial] - 1.0).norm() < 1e-12);
        found.remove(trivial);
        found.sort_by(|v, w| w.norm().total_cmp(&v.norm()));
        found
    }

    /// Where the wave of `k` half lengths branches off.
    fn wave(&self, k: usize) -> f64 {
        let wave = -4.0 * self.unit() * (k as f64 * PI / (2.0 * self.count as f64)).sin().powi(2);
        wave * (self.d * self.d + self.e * self.e) / (2.0 * (self.d + self.beta * self.e))
    }

    /// Where the torus branches off, and where the period doubles.
    fn torus_and_doubling(&self) -> [(Label, f64); 2] {
        let doubles = |a: f64| self.c * self.c - self.kappa * self.kappa * a + 0.25 * self.frequency(a).powi(2);
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if doubles(middle) * doubles(low) > 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        [(Label::NS, self.b), (Label::PD, 0.5 * (low + high))]
    }

    /// The curve of the cycles in which all turn together.
    fn trace(&self, range: (f64, f64), up: bool, tolerance: f64) -> Branch {
        let system = system_of(self.text(""));
        let a = if up { range.0 } else { range.1 };
        let options = MeshOptions {
            stages: 5,
            tolerance,
            ..MeshOptions::default()
        };
        let mut cycle = LargeCycle::new(&system, vec![a], 0, options).unwrap();
        let guess = self.together(&mut cycle, a);
        let options = TraceOptions {
            directions: vec![if up { 1.0 } else { -1.0 }],
            ..TraceOptions::over(range)
        };
        Tracer::new(&mut cycle, &options).from_guess(guess).unwrap()
    }

    fn together(&self, cycle: &mut LargeCycle<'_>, a: f64) -> Vec<f64> {
        let (radius, frequency, count) = (a.sqrt(), self.frequency(a), self.count);
        cycle.guess(TAU / frequency, &mut |t, x| {
            x.fill(0.0);
            let (sin, cos) = (frequency * t).sin_cos();
            for own in x[..2 * count].chunks_exact_mut(2) {
                own.copy_from_slice(&[radius * cos, radius * sin]);
            }
        })
    }
}

fn plain(count: usize) -> Chain {
    Chain {
        count,
        beta: 1.0,
        d: 0.1,
        e: -0.3,
        b: 0.4,
        nu: 0.7,
        c: -0.3,
        kappa: 1.2,
    }
}

fn monitor(cycle: &LargeCycle<'_>, record: &Record, name: &str) -> f64 {
    record.monitors[cycle.monitor_names().iter().position(|n| n == name).unwrap()]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3, rng_seed: RngSeed::Fixed(5), failure_persistence: None, ..ProptestConfig::default() })]
    /// Period, radius, leading multipliers and the places of branch point, torus and period doubling of random chains.
    #[test]
    fn oscillators_that_turn_together_are_what_they_are_in_closed_form(
        large in prop::bool::ANY,
        beta in 0.8f64..1.2,
        d in 0.08f64..0.12,
        e in -0.34f64..-0.28,
        b in 0.36f64..0.5,
        nu in 0.55f64..0.8,
        c in -0.35f64..-0.25,
        kappa in 1.1f64..1.3,
    ) {
        let chain = Chain { count: if large { 198 } else { 50 }, beta, d, e, b, nu, c, kappa };
        let system = system_of(chain.text(""));
        let cycle = LargeCycle::new(&system, vec![0.1], 0, MeshOptions::default()).unwrap();
        let branch = chain.trace((0.1, 0.85), true, 1e-8);
        for p in &branch.points {
            let (a, record) = (p.point.parameter(), &p.record);
            prop_assert!((record.period * chain.frequency(a) / TAU - 1.0).abs() < 1e-9, "{}", record.period);
            let norm = (a * chain.count as f64).sqrt();
            let found = ["l2_norm", "amplitude"].map(|name| monitor(&cycle, record, name));
            prop_assert!(found.iter().all(|v| (v / norm - 1.0).abs() < 1e-7), "{found:?} {norm}");
            prop_assert!(monitor(&cycle, record, "trivial") < 1e-7);
            let wanted = chain.multipliers(a);
            prop_assert!(record.multipliers.len() >= 6);
            for (m, w) in record.multipliers.iter().zip(&wanted).take(6) {
                prop_assert!((m.modulus() - w.norm()).abs() < 1e-7 * (1.0 + w.norm()), "{m:?} {w}");
                prop_assert!((m.arg.abs() - w.arg().abs()).abs() < 1e-6 || w.norm() < 1e-2, "{m:?} {w}");
            }
            let outside = wanted.iter().filter(|w| w.norm() > 1.0 + 1e-8).count();
            prop_assert!(p.label.is_some() || record.unstable == outside, "{} {outside}", record.unstable);
        }
        let found: Vec<(Label, f64)> = branch.special().map(|(_, p)| (p.label.unwrap(), p.point.parameter())).collect();
        let waves = (1..5).map(|k| (Label::BP, chain.wave(k))).filter(|(_, a)| *a < 0.85);
        let wanted: Vec<(Label, f64)> = chain.torus_and_doubling().into_iter().chain(waves).collect();
        for (label, a) in &wanted {
            let near = found.iter().any(|(l, at)| l == label && (at - a).abs() < 1e-7);
            prop_assert!(near, "{label} {a} {found:?}");
        }
        prop_assert!(found.iter().filter(|(l, _)| *l != Label::EP).count() == wanted.len(), "{found:?} {wanted:?}");
    }
}

#[test]
fn the_family_of_many_oscillators_ends_at_its_hopf_point() {
    let chain = plain(60);
    let branch = chain.trace((-0.1, 0.2), false, 1e-6);
    let last = branch.points.last().unwrap();
    assert_eq!(last.label, Some(Label::HB), "{:?}", branch.ends);
    assert!(last.point.parameter().abs() < 1e-8, "{}", last.point.parameter());
    assert!((last.record.period - TAU / OMEGA).abs() < 1e-8);
}

/// A branch point is found however near to it a point of the curve lies: the factors of a point nearby do not tell
/// how near to singular the equations are.
#[test]
fn a_branch_point_beside_a_point_of_the_curve_is_found() {
    let chain = plain(50);
    let wave = chain.wave(1);
    for before in [3e-2, 6e-3, 1e-3, 1e-4, 1e-6] {
        let branch = chain.trace((wave * (1.0 - before), wave + 0.03), true, 1e-8);
        let found: Vec<(Label, f64)> = branch
            .special()
            .map(|(_, p)| (p.label.unwrap(), p.point.parameter()))
            .collect();
        assert!(
            found.len() == 2 && found[0].0 == Label::BP && (found[0].1 - wave).abs() < 1e-9,
            "{before} {found:?} {wave}"
        );
    }
}

/// The period has the error h^{2m-1} at the ends of the intervals, on meshes that are halved.
#[test]
fn the_error_falls_with_the_order_of_the_method() {
    let chain = plain(50);
    let system = system_of(chain.text(""));
    for stages in [2, 3, 4] {
        let options = MeshOptions {
            stages,
            tolerance: 1e-2,
            ..MeshOptions::default()
        };
        let mut cycle = LargeCycle::new(&system, vec![0.2], 0, options).unwrap();
        let errors: Vec<f64> = [6, 12]
            .iter()
            .map(|count| {
                chain.together(&mut cycle, 0.2);
                let nodes = (0..=*count).map(|i| f64::from(i) / f64::from(*count)).collect();
                cycle.restore(&Some(Arc::new(vec![nodes])));
                let mut z = vec![0.0; cycle.unknowns()];
                let (radius, frequency) = (0.2f64.sqrt(), chain.frequency(0.2));
                let m = stages;
                let c = slipstick_numerics::tableau::Tableau::radau(m).c;
                let points = z.len() - 2;
                for (k, own) in z[..points].chunks_exact_mut(2 * 50 + 4).enumerate() {
                    let sigma = ((k / m) as f64 + c[k % m]) / f64::from(*count);
                    let (sin, cos) = (TAU * sigma).sin_cos();
                    for own in own[..100].chunks_exact_mut(2) {
                        own.copy_from_slice(&[radius * cos, radius * sin]);
                    }
                }
                z[points] = TAU / frequency;
                z[points + 1] = 0.2;
                let mut fixed = vec![0.0; z.len()];
                fixed[points + 1] = 1.0;
                let anchor = z.clone();
                let patient = NewtonOptions {
                    polish: true,
                    iterations: 30,
                    ..NewtonOptions::default()
                };
                Newton::default()
                    .solve(&mut cycle, &mut z, &fixed, &anchor, &[0.0], &patient)
                    .unwrap();
                (cycle.period(&z) - TAU / frequency).abs()
            })
            .collect();
        let order = (errors[0] / errors[1]).log2();
        let wanted = (2 * stages - 1) as f64;
        assert!(
            order > wanted - 0.4 && order < wanted + 1.4,
            "{stages}: {order} {errors:?}"
        );
    }
}

/// The Brusselator on a line, as in the guide on many states.
fn brusselator(points: usize, curves: &str) -> String {
    let (mut states, mut equations) = (vec![], vec![]);
    let at = |name: &str, i: usize, end: &str| match i {
        0 => end.to_owned(),
        i if i > points => end.to_owned(),
        i => format!("{name}{i}"),
    };
    let h = format!("({}/L)^2", points + 1);
    for i in 1..=points {
        let (ul, ur) = (at("u", i - 1, "A"), at("u", i + 1, "A"));
        let (vl, vr) = (at("v", i - 1, "B/A"), at("v", i + 1, "B/A"));
        states.extend([format!("u{i}"), format!("v{i}")]);
        equations.push(format!(
            "u{i}' = A - (B + 1)*u{i} + u{i}^2*v{i} + {h}*0.008*({ul} - 2*u{i} + {ur})"
        ));
        equations.push(format!(
            "v{i}' = B*u{i} - u{i}^2*v{i} + {h}*0.004*({vl} - 2*v{i} + {vr})"
        ));
    }
    let guess: Vec<String> = states
        .iter()
        .map(|s| format!("{s:?}: {}", if s.starts_with('u') { "2" } else { "2.725" }))
        .collect();
    let rest = format!(
        "Curve(name: \"rest\", orbit: Equilibrium, start: Guess(at: {{\"L\": 0.48}}, states: [{{{}}}]), free: \"L\", range: (0.48, 0.52), directions: Up),",
        guess.join(", ")
    );
    study_of(
        &states,
        "\"L\": 0.48, \"A\": 2, \"B\": 5.45",
        &equations,
        &format!("{rest}{curves}"),
    )
}

fn hopf(points: usize) -> f64 {
    let wave = (points + 1) as f64 * (PI / (2.0 * (points + 1) as f64)).sin();
    2.0 * wave * (0.012f64 / 0.45).sqrt()
}

/// From its Hopf point the family sets off with the square root of the parameter and the period of the pair.
#[test]
fn the_brusselator_oscillates_from_its_hopf_point_on() {
    let curves = "Curve(name: \"cycles\", orbit: PeriodicOrbit, start: Point(from: \"rest, HB 1\"), free: \"L\", range: (0.48, 0.515), directions: Up),";
    let plan = study::parse("line.ron".as_ref(), brusselator(100, curves))
        .unwrap()
        .plan(&[])
        .unwrap();
    let result = study::run(&plan, &study::Silent, &false.into());
    assert!(result.missing.is_empty(), "{:?}", result.missing);
    let curve = result.curves.iter().find(|c| c.name == "cycles").unwrap();
    let amplitude = curve.monitors.iter().position(|m| m == "amplitude").unwrap();
    // The pair of the first wave: its determinant at L_H is the square of the frequency.
    let at = hopf(100);
    let mu = 4.0 * (101.0 / at).powi(2) * (PI / 202.0).sin().powi(2);
    let frequency = ((4.45 - 0.008 * mu) * (-4.0 - 0.004 * mu) + 4.0 * 5.45).sqrt();
    let points: Vec<(f64, f64, f64)> = curve
        .points()
        .map(|(_, _, p)| {
            (
                p.point.parameter() - at,
                p.record.monitors[amplitude].powi(2),
                p.record.period,
            )
        })
        .collect();
    assert!(points.len() >= 4 && points.iter().all(|p| p.0 > 0.0));
    // Both are smooth functions of the square of the amplitude: two points tell where it vanishes.
    let mut near = points.clone();
    near.sort_by(|a, b| a.1.total_cmp(&b.1));
    let ((l0, s0, t0), (l1, s1, t1)) = (near[0], near[2]);
    let limit = |v0: f64, v1: f64| v0 - s0 * (v1 - v0) / (s1 - s0);
    assert!(limit(l0, l1).abs() < 1e-4, "{near:?}");
    assert!(
        (limit(t0, t1) * frequency / TAU - 1.0).abs() < 1e-4,
        "{near:?} {frequency}"
    );
}

/// The dense method with Gauss points finds the same cycle of a hundred states.
#[test]
fn sparse_and_dense_collocation_find_the_same_cycle_of_the_brusselator() {
    let system = system_of(brusselator(50, ""));
    let word = Word::connected(&system, &[(0, None)], false).unwrap();
    assert!(LargeCycle::is_for(&system, &word));
    let p = vec![0.6, 2.0, 5.45];
    let fine = MeshOptions {
        stages: 5,
        tolerance: 1e-9,
        ..MeshOptions::default()
    };
    let mut cycle = LargeCycle::new(&system, p.clone(), 0, fine).unwrap();
    let mut point = {
        let at = vec![hopf(50), 2.0, 5.45];
        let mut first = LargeCycle::new(&system, at, 0, fine).unwrap();
        let rest: Vec<f64> = [2.0, 2.725].repeat(50);
        let begin = large_from_hopf(&mut first, &rest, (0.4, 0.7)).unwrap();
        let options = TraceOptions {
            directions: vec![1.0],
            ..TraceOptions::over((0.4, 0.6))
        };
        let branch = Tracer::new(&mut first, &options).onward(begin).unwrap();
        branch.points.last().unwrap().point.clone()
    };
    assert!((point.parameter() - 0.6).abs() < 1e-12);
    cycle.restore(&point.meshes);
    let n = point.z.len();
    let mut fixed = vec![0.0; n];
    fixed[n - 1] = 1.0;
    let anchor = point.z.clone();
    Newton::default()
        .solve(
            &mut cycle,
            &mut point.z,
            &fixed,
            &anchor,
            &[0.0],
            &NewtonOptions::default(),
        )
        .unwrap();
    let point = tangent_at(&mut cycle, point.z, &fixed, 1.0).unwrap();
    let mut sparse = Record::default();
    cycle.inspect(&point, &mut sparse).unwrap();
    let by = Discretisation::Collocation(MeshOptions {
        stages: 4,
        tolerance: 1e-8,
        ..MeshOptions::default()
    });
    let mut orbit = PeriodicOrbit::discretised(&system, word, p, vec![0], FlowOptions::default(), &[by]);
    let sample = cycle.sample(&point, 400);
    let trajectory = |t: f64, x: &mut [f64]| {
        let at = t / sample.t[1];
        let k = (at as usize).min(sample.t.len() - 2);
        for (c, x) in x.iter_mut().enumerate() {
            *x = sample.states[k][c] + (at - k as f64) * (sample.states[k + 1][c] - sample.states[k][c]);
        }
    };
    let mut z = orbit.guess_trajectory(sparse.period, &trajectory).unwrap();
    let mut fixed = vec![0.0; z.len()];
    *fixed.last_mut().unwrap() = 1.0;
    let anchor = z.clone();
    Newton::default()
        .solve(&mut orbit, &mut z, &fixed, &anchor, &[0.0], &NewtonOptions::default())
        .unwrap();
    let there = tangent_at(&mut orbit, z, &fixed, 1.0).unwrap();
    let mut dense = Record::default();
    orbit.inspect(&there, &mut dense).unwrap();
    assert!(
        (sparse.period / dense.period - 1.0).abs() < 1e-8,
        "{} {}",
        sparse.period,
        dense.period
    );
    let norm = dense.monitors[orbit.monitor_names().iter().position(|n| n == "l2_norm").unwrap()];
    assert!((monitor(&cycle, &sparse, "l2_norm") / norm - 1.0).abs() < 1e-7);
    let largest = |names: Vec<String>, record: &Record, name: &str| {
        record.monitors[names.iter().position(|n| n == name).unwrap()]
    };
    for name in ["u25_max", "v25_min", "max_abs_u1"] {
        let (a, b) = (
            largest(cycle.monitor_names(), &sparse, name),
            largest(orbit.monitor_names(), &dense, name),
        );
        assert!((a / b - 1.0).abs() < 1e-7, "{name} {a} {b}");
    }
    assert!(sparse.multipliers.len() >= 6);
    for (a, b) in sparse.multipliers.iter().zip(&dense.multipliers).take(6) {
        assert!((a.modulus() - b.modulus()).abs() < 1e-7, "{a:?} {b:?}");
        assert!((a.arg.abs() - b.arg.abs()).abs() < 1e-6, "{a:?} {b:?}");
    }
}

/// Branches at the branch point and at the period doubling, and the same bytes by one thread and by two.
#[test]
fn branches_are_traced_and_threads_do_not_matter() {
    let chain = plain(48);
    let (branch, [_, (_, doubling)]) = (chain.wave(1), chain.torus_and_doubling());
    let guess: Vec<String> = (0..48).map(|i| format!("\"x{i}\": 0, \"y{i}\": 0")).collect();
    let rest = format!(
        "Curve(name: \"rest\", orbit: Equilibrium, start: Guess(at: {{\"a\": -0.05}}, states: [{{{}, \"u1\": 0, \"u2\": 0, \"w1\": 0, \"w2\": 0}}]), free: \"a\", range: (-0.05, 0.02), directions: Up),",
        guess.join(", ")
    );
    let cycles = |name: &str, labels: &str| {
        format!(
            "Curve(name: \"{name}\", orbit: PeriodicOrbit, start: Point(from: \"rest, HB 1\"), free: \"a\", range: (-0.01, 0.8), directions: Up, branches: [{labels}], points: 60),"
        )
    };
    let curves = format!("{rest}{}{}", cycles("cycles", "BP, PD"), cycles("again", ""));
    let plan = study::parse("chain.ron".as_ref(), chain.text(&curves))
        .unwrap()
        .plan(&[])
        .unwrap();
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| study::run(&plan, &study::Silent, &false.into()))
    };
    let (one, two) = (run(1), run(2));
    assert!(one.missing.is_empty(), "{:?}", one.missing);
    for (a, b) in one.curves.iter().zip(&two.curves) {
        assert_eq!(a.name, b.name);
        for ((_, _, p), (_, _, q)) in a.points().zip(b.points()) {
            assert!(p.point == q.point && p.record == q.record, "{}", a.name);
        }
    }
    let named = |name: &str| {
        one.curves
            .iter()
            .find(|c| c.name == name)
            .unwrap_or_else(|| panic!("{name}"))
    };
    let born = |name: &str| {
        let first = named(name).points().next().unwrap().2;
        (first.point.parameter(), first.record.period)
    };
    let (a, period) = born("cycles-PD1a");
    assert!((a - doubling).abs() < 0.02, "{a} {doubling}");
    assert!(
        (period * chain.frequency(a) / (2.0 * TAU) - 1.0).abs() < 0.01,
        "{period}"
    );
    let (a, _) = born("cycles-BP1a");
    assert!((a - branch).abs() < 0.02, "{a} {branch}");
}

/// What is not done of thousands of states is refused with its place.
#[test]
fn searches_and_other_methods_for_cycles_of_thousands_of_states_are_refused() {
    let settle = "Curve(name: \"cycles\", orbit: PeriodicOrbit, start: Settle(at: {\"L\": 0.5}, from: {\"u1\": 2}), free: \"L\", range: (0.48, 0.6)),";
    let shooting = "Curve(name: \"cycles\", orbit: PeriodicOrbit, start: Point(from: \"rest, HB 1\"), method: Shooting(), free: \"L\", range: (0.48, 0.6)),";
    for (curve, words) in [
        (settle, ["start: Settle(", "Point(from: \"rest, HB1\")"]),
        (
            shooting,
            ["method: Shooting()", "Collocation(stages: 4, tolerance: 1e-6)"],
        ),
    ] {
        let study = study::parse("line.ron".as_ref(), brusselator(1001, curve)).unwrap();
        let Err(refusal) = study.plan(&[]) else {
            panic!("{curve} is accepted")
        };
        let text = refusal.to_string();
        assert!(words.iter().all(|word| text.contains(word)), "{text}");
    }
}
