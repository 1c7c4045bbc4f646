//! Canard segments and weak canards in closed form.

use super::known::{curve, run};
use super::random::{Random, members};
use slipstick_bifurcation::{BranchPoint, Label};
use slipstick_slow_fast::{CanardDirection, FoldedClass, Reduction, SlowFastProblem};
use slipstick_study as study;
use slipstick_system::catalogue::regularised_stiction;
use std::f64::consts::TAU;

/// z' = 1, ε y' = z (y + a y³): the sheet y = 0 repels from z = 0 on, and 1/y² + a = (1/y₀² + a) e^{-z²/ε}. The time on
/// the canard segment is known for each radius, and moves with it by (ε/f_y) ln(r'/r).
#[test]
fn the_radius_moves_the_end_of_a_canard_segment_by_its_logarithm() {
    for member in 0..members(20) {
        let mut random = Random::of("radius", member);
        let (epsilon, bend) = (random.log_between(1e-5, 0.03), random.between(-1.0, 1.0));
        // It passes z = 0 so near to the sheet that it leaves next to z = 1, or as near as doubles are to zero.
        let nearest = (random.between(0.5, 1.6) / epsilon).min(1200.0);
        let text = format!(
            "Study(title: \"canard\", system: Smooth(states: [\"z\", \"y\"], parameters: {{\"epsilon\": {epsilon:?}, \"a\": {bend:?}}}, \
             equations: [\"z' = 1\", \"y' = z*(y + a*y^3)/epsilon\"], slow_fast: SlowFast(fast: \"y\", epsilon: \"epsilon\")))"
        );
        let loaded = study::parse("canard.ron".as_ref(), text.clone()).unwrap_or_else(|e| panic!("{e}"));
        let plan = loaded.plan(&[]).unwrap_or_else(|e| panic!("{e}"));
        let system = &plan.systems[0].system;
        let layer = SlowFastProblem::new(system, &[epsilon, bend], Reduction::Finite).unwrap();
        let y = |z: f64| {
            let decayed = (z * z / epsilon - nearest).exp();
            (decayed / (1.0 - bend * decayed)).sqrt()
        };
        let left = |r: f64| (epsilon * (nearest - (1.0 / (r * r) + bend).ln())).sqrt();
        let begin = -0.5 * left(0.3);
        let course = |t: f64| vec![begin + t, y(begin + t)];
        let duration = left(0.3) - begin;
        let time = |radius: Option<f64>| layer.layer_segment(&course, duration, radius).unwrap().canard_time();
        // √ε times the extent of the fast state.
        let radius = epsilon.sqrt() * (0.3 - y(0.0));
        let own = time(None);
        assert!(
            (own - left(radius)).abs() <= 2e-3 * epsilon,
            "{own} {}\n{text}",
            left(radius)
        );
        for r in [0.2 * radius, 3.0 * radius, 0.1] {
            assert!((time(Some(r)) - left(r)).abs() <= 1e-9, "{r}\n{text}");
            let told = epsilon / left(radius) * (r / radius).ln();
            let higher = epsilon * r * r + told * told / left(radius);
            assert!(
                (time(Some(r)) - own - told).abs() <= 0.01 * told.abs() + higher,
                "{r} {told}\n{text}"
            );
        }
    }
}

/// Next to where the eigenvalues of a folded node are as 2 to 1 the weak canard bends by the inverse of the distance
/// from there, and so meets the fold again as soon as that distance is short.
#[test]
fn a_weak_canard_bends_next_to_a_resonance() {
    let system = regularised_stiction();
    let mut pace = vec![];
    for omega in [40.8, 40.8005, 40.801, 40.8015] {
        let layer = SlowFastProblem::new(&system, &[omega, 1.1, 0.4, 0.6, 1e-3], Reduction::Finite).unwrap();
        let found = layer
            .folded_singularities(&[(-0.6, 0.6), (-1.0, 1.0), (0.0, TAU)])
            .unwrap();
        let node = found.iter().find(|f| f.class == FoldedClass::Node).unwrap();
        let [a, b] = node.eigenvalues.map(|l| l.re.abs());
        let canards = layer.singular_canards(node, 2.0).unwrap();
        let weak = canards
            .iter()
            .find(|c| c.direction == Some(CanardDirection::Weak))
            .unwrap();
        let first = weak.points.iter().map(|p| p.time).fold(0.0, f64::min);
        pace.push(-first / (2.0 - a.max(b) / a.min(b)));
    }
    // 0.0158 at a ratio of 1.745, and 0.013 in the limit.
    assert!(
        pace.iter().all(|p| (0.012..0.017).contains(p)) && pace.is_sorted_by(|a, b| a > b),
        "{pace:?}"
    );
}

/// v' = v - v³/3 - w + I, w' = ε(v + a - bw) is mirrored by I to 2a/b - I, and between its two Hopf points cycles make
/// a canard explosion at either end, in which I stays the same to rounding while a multiplier passes +1. Each has one
/// fold, the mirror image of the other's, and nothing else is special.
#[test]
fn folds_of_canard_explosions_are_where_a_multiplier_passes_one() {
    for member in 0..members(6) {
        let mut random = Random::of("canard explosions", member);
        // With b > 1/2 and small ε both Hopf points are subcritical.
        let (a, b, epsilon) = (
            random.between(0.5, 0.8),
            random.between(0.65, 0.9),
            random.log_between(0.03, 0.2),
        );
        let middle = a / b;
        let (low, high) = (middle - 1.5, middle + 1.5);
        let text = format!(
            "Study(title: \"explosions\", system: Smooth(states: [\"v\", \"w\"], parameters: {{\"I\": {low:?}, \"a\": {a:?}, \"b\": {b:?}, \"e\": {epsilon:?}}}, \
             equations: [\"v' = v - v^3/3 - w + I\", \"w' = e*(v + a - b*w)\"]), \
             curves: [Curve(name: \"rest\", orbit: Equilibrium, start: All(at: {{\"I\": {low:?}}}), free: \"I\", range: ({low:?}, {high:?})), \
             Curve(name: \"cycles\", orbit: PeriodicOrbit, start: Point(from: \"rest, HB\"), free: \"I\", range: ({low:?}, {high:?}))])"
        );
        let result = run(&text);
        let cycles: Vec<_> = result.curves.iter().filter(|c| c.name.starts_with("cycles")).collect();
        assert!(!cycles.is_empty(), "{:?}\n{text}", result.missing);
        for curve in cycles {
            let points = || curve.pieces.iter().flat_map(|p| &p.branch.points);
            let others = points().filter(|p| p.label.is_some_and(|l| !matches!(l, Label::LP | Label::HB)));
            assert_eq!(others.count(), 0, "{text}");
            let folds: Vec<_> = points().filter(|p| p.label == Some(Label::LP)).collect();
            assert_eq!(folds.len(), 2, "{text}");
            let [i, j] = [folds[0], folds[1]].map(|p| p.record.parameters[0]);
            assert!((i + j - 2.0 * middle).abs() <= 1e-9, "{i} {j}\n{text}");
            let [s, t] = [folds[0], folds[1]].map(|p| p.record.period);
            assert!((s / t - 1.0).abs() <= 1e-7, "{s} {t}\n{text}");
            for fold in folds {
                let off = fold.record.multipliers[0];
                assert!(off.log10.hypot(off.arg) <= 1e-6, "{off:?}\n{text}");
            }
        }
    }
}

/// An oscillator on a belt with Coulomb friction, regularised: the critical manifold x = c v₀ - v₀³/10 - μ tanh v̂
/// attracts everywhere, and beyond the layer the speed grows slowly. No canards.
#[test]
fn free_slip_beyond_a_layer_is_no_canard() {
    let class = "belt without folds";
    let count = members(2);
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (v0, mu) = (random.between(0.4, 0.6), random.between(0.25, 0.4));
        let epsilon = random.log_between(3e-3, 3e-2);
        let text = format!(
            "Study(title: \"belt\", system: Regularised(of: Filippov(states: [\"x\", \"v\"], parameters: {{\"c\": 0.2}}, surfaces: {{\"s\": \"v - {v0:?}\"}}, \
             equations: [\"x' = v\", \"v' = -x + c*v - {mu:?}*sgn(s) - 0.1*v^3\"], start: {{\"x\": 1, \"v\": 0}}), by: Tanh, epsilon: {epsilon:?}), \
             curves: [Curve(name: \"c\", orbit: PeriodicOrbit, start: Settle(at: {{\"c\": 0.2}}), free: \"c\", range: (0.18, 0.25))])"
        );
        let result = run(&text);
        let found = curve(&result, "c");
        let column = |name: &str| found.monitors.iter().position(|m| m == name).unwrap();
        let (time, delay) = (column("canard_time"), column("delay"));
        for (_, _, p) in found.points() {
            let m = &p.record.monitors;
            assert!(m[time] == 0.0 && m[delay].is_nan(), "{} {}\n{text}", m[time], m[delay]);
        }
    }
}

/// ε x' = y - x³/3 + x, y' = a - x in either scale of time: l₁ < 0, and the cycles that are born at a = 1, where the
/// linear part is smaller by √ε than the size of its rates, are stable from the first one on and have no folds.
#[test]
fn cycles_of_a_canard_hopf_point_begin_without_folds() {
    for member in 0..members(6) {
        let mut random = Random::of("canard Hopf points", member);
        let epsilon = random.log_between(1e-6, 1e-2);
        let (x, y) = if random.below(2) == 0 {
            (format!("(y - x^3/3 + x)/{epsilon:?}"), "a - x".to_owned())
        } else {
            ("y - x^3/3 + x".to_owned(), format!("{epsilon:?}*(a - x)"))
        };
        let text = format!(
            "Study(title: \"canard Hopf\", system: Smooth(states: [\"x\", \"y\"], parameters: {{\"a\": 1.2}}, equations: [\"x' = {x}\", \"y' = {y}\"]), \
             curves: [Curve(name: \"rest\", orbit: Equilibrium, start: Guess(at: {{\"a\": 1.2}}, states: [{{\"x\": 1.2, \"y\": -0.624}}]), free: \"a\", range: (0.5, 1.5)), \
             Curve(name: \"cycles\", orbit: PeriodicOrbit, start: Point(from: \"rest, HB\"), free: \"a\", range: (0.9, 1.5), points: 25)])"
        );
        let result = run(&text);
        let cycles = curve(&result, "cycles");
        assert!(cycles.points().count() > 20, "{:?}\n{text}", result.missing);
        for (_, _, p) in cycles.points().filter(|(_, _, p)| p.label != Some(Label::HB)) {
            assert!(
                p.label.is_none() && p.record.unstable == 0,
                "{:?} {}\n{text}",
                p.label,
                p.record.parameters[0]
            );
        }
    }
}

/// Forced van der Pol oscillators, whose harmonic orbits form closed curves with a fold and a pitchfork within 1e-9 of
/// each other: the labels account for how many multipliers are unstable, or a message says that they do not.
#[test]
fn folds_beside_pitchforks_in_canard_explosions_are_accounted_for() {
    for member in 0..members(4) {
        let mut random = Random::of("folds beside pitchforks", member);
        let (a, epsilon) = (random.between(1.37, 1.43), random.log_between(6e-3, 1.2e-2));
        let text = format!(
            "Study(title: \"forced\", system: Smooth(states: [\"x\", \"y\", \"th\"], angles: {{\"th\": 1}}, parameters: {{\"w\": 1.3, \"e\": {epsilon:?}}}, \
             equations: [\"x' = (y + x - x^3/3)/e\", \"y' = -x + {a:?}*sin(2*pi*th)\", \"th' = w\"], slow_fast: SlowFast(fast: \"x\", epsilon: \"e\")), \
             curves: [Curve(name: \"c\", orbit: PeriodicOrbit, start: Settle(at: {{\"w\": 1.3}}, from: {{\"x\": 2}}), free: \"w\", range: (0.3, 6), points: 600)])"
        );
        let result = run(&text);
        let found = curve(&result, "c");
        let points: Vec<_> = found.points().map(|(_, _, p)| p).collect();
        let plain = |i: &usize| points[*i].label.is_none();
        // Where rounding does not tell the two apart they are one label.
        let both = |p: &&BranchPoint| p.message.starts_with("branch point at which the branch turns back");
        let rows: Vec<usize> = (0..points.len()).filter(plain).collect();
        for pair in rows.windows(2) {
            let between = &points[pair[0] + 1..pair[1]];
            let [before, behind] = [pair[0], pair[1]].map(|i| points[i].record.unstable);
            let said = between.iter().any(|p| p.message.contains("not labelled"));
            assert!(
                said || (before.abs_diff(behind) + between.len() + between.iter().copied().filter(both).count()) % 2
                    == 0,
                "{before} {behind} {:?}\n{text}",
                between
                    .iter()
                    .map(|p| (p.label, p.point.parameter()))
                    .collect::<Vec<_>>()
            );
            // A located row counts what its own multipliers say, but for those that pass there.
            for p in between {
                let beyond = p.record.multipliers.iter().filter(|m| m.log10 > 0.01).count();
                assert_eq!(p.record.unstable, beyond, "{:?}\n{text}", p.label);
            }
        }
        let turns = points.iter().copied();
        let turns = turns.filter(|p| p.label == Some(Label::LP) || both(p)).count();
        assert!(
            turns % 2 == 0 && turns >= 2,
            "{turns} folds of a curve that is closed\n{text}"
        );
    }
}
