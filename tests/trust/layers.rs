//! Critical manifolds with narrow knees, and folded singularities close together, in closed form.

use super::known::{none_wrong, run};
use super::random::{Random, members};
use slipstick_slow_fast::{FoldedClass, Reduction, SlowFastProblem};
use slipstick_study as study;
use std::f64::consts::{PI, TAU};

/// z = S(y) of a random kind over a box that is much wider than its knees, and where these are.
fn knees(random: &mut Random) -> (String, (f64, f64), Vec<f64>) {
    let wide = random.log_between(0.5, 20.0);
    match random.below(3) {
        // A cubic with both folds near each other.
        0 => {
            let (middle, gap) = (wide * random.between(-0.8, 0.8), wide * random.log_between(1e-5, 0.1));
            let sign = random.sign();
            let u = format!("(y - {middle:?})");
            let field = format!("{sign:?}*({u}^3/3 - {:?}*{u}) - z", gap * gap);
            (field, (-wide, wide), vec![middle - gap, middle + gap])
        }
        // A knee next to zero, in a rate with a denominator.
        1 => {
            let knee = wide * random.log_between(1e-6, 0.1);
            let low = knee * random.between(0.05, 0.6);
            (format!("y + {:?}/y - z", knee * knee), (low, wide), vec![knee])
        }
        // A steep sigmoid.
        _ => {
            let (steep, middle) = (wide * random.log_between(1e-6, 1e-2), wide * random.between(-0.8, 0.8));
            let step = steep * random.log_between(3.0, 300.0);
            let field = format!("{step:?}*tanh((y - {middle:?})/{steep:?}) - y - z");
            let off = steep * (step / steep).sqrt().acosh();
            (field, (-wide, wide), vec![middle - off, middle + off])
        }
    }
}

#[test]
fn narrow_knees_of_planar_layers_are_found_whatever_the_mesh() {
    let class = "narrow knees";
    let count = members(60);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (field, (low, high), known) = knees(&mut random);
        let text = format!(
            "Study(title: \"knees\", system: Smooth(states: [\"y\", \"z\"], parameters: {{\"e\": 0.01}}, equations: [\"y' = ({field})/e\", \"z' = y\"], \
             slow_fast: SlowFast(fast: \"y\", epsilon: \"e\")), \
             slow_fast: [Portrait(name: \"layer\", within: {{\"y\": ({low:?}, {high:?}), \"z\": (-1e9, 1e9)}}, time: 1, mesh: (4, 9))])"
        );
        let result = run(&text);
        let mut found: Vec<f64> = result.portraits[0].folds.iter().map(|f| f.points[0][0]).collect();
        found.sort_by(f64::total_cmp);
        let right = found.len() == known.len()
            && found
                .iter()
                .zip(&known)
                .all(|(a, b)| (a - b).abs() <= 1e-9 * (high - low));
        if !right {
            wrong.push((member, format!("{found:?} {known:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// ε x' = y + x - x³/3, y' = -x + a sin 2πnθ, θ' = w has singularities on its folds x = ±1 where sin 2πnθ = ±1/a, with
/// trace -1 and determinants ±4πn w √(a² - 1).
#[test]
fn folded_singularities_close_together_are_found_apart() {
    let class = "pairs of folded singularities";
    let count = members(20);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (turns, w) = (1 + random.below(3), random.log_between(0.01, 3.0));
        let above = random.log_between(1e-8, 0.5);
        let a = 1.0 + above;
        let (x, y) = (random.log_between(1.2, 300.0), random.log_between(0.8, 100.0));
        let text = format!(
            "Study(title: \"forced\", system: Smooth(states: [\"x\", \"y\", \"th\"], angles: {{\"th\": 1}}, parameters: {{\"a\": {a:?}, \"e\": 0.01}}, \
             equations: [\"x' = (y + x - x^3/3)/e\", \"y' = -x + a*sin(2*pi*{turns}*th)\", \"th' = {w:?}\"], slow_fast: SlowFast(fast: \"x\", epsilon: \"e\")))"
        );
        let region = [(-1.1 * x, x), (-1.2 * y, y), (0.0, 1.0)];
        let loaded = study::parse("forced.ron".as_ref(), text.clone()).unwrap_or_else(|e| panic!("{e}"));
        let plan = loaded.plan(&[]).unwrap_or_else(|e| panic!("{e}"));
        let layer = SlowFastProblem::new(&plan.systems[0].system, &[a, 0.01], Reduction::Singular).unwrap();
        let (lines, singularities) = layer.folds(&region).unwrap();
        let determinant = 4.0 * PI * turns as f64 * w * (above * (2.0 + above)).sqrt();
        let class_of = |det: f64| match det {
            d if d < 0.0 => FoldedClass::Saddle,
            d if d < 0.25 => FoldedClass::Node,
            _ => FoldedClass::Focus,
        };
        let angle = (1.0 / a).asin();
        let mut left: Vec<_> = singularities.iter().collect();
        let mut missed = vec![];
        for turn in 0..turns {
            for side in [1.0, -1.0] {
                for (phase, det) in [(angle, -side * determinant), (PI - angle, side * determinant)] {
                    let theta = ((side * phase + TAU * turn as f64) / (TAU * turns as f64)).rem_euclid(1.0);
                    let near = left.iter().position(|at| {
                        let off = (at.state[2] - theta).abs();
                        let same = (at.invariants.1 - det).abs() <= 1e-6 * determinant
                            && (at.invariants.0 + 1.0).abs() <= 1e-9;
                        (at.state[0] - side).abs() <= 1e-9
                            && off.min(1.0 - off) <= 1e-9
                            && same
                            && at.class == class_of(det)
                    });
                    match near {
                        Some(i) => drop(left.remove(i)),
                        None => missed.push((side, theta, det)),
                    }
                }
            }
        }
        if !(missed.is_empty() && left.is_empty() && lines.len() == 2) {
            wrong.push((
                member,
                format!(
                    "{} folds, missed {missed:?}, left {left:?}\n{region:?} {text}",
                    lines.len()
                ),
            ));
        }
    }
    none_wrong(class, count, &wrong);
}

/// 0 = y² + k² - z y with z' = u - m, u' = ±1: a fold line at y = k, z = 2k, with one singularity at u = m, a saddle or
/// a centre of determinant ∓2k.
#[test]
fn fold_lines_next_to_zero_are_one_line_each() {
    let class = "fold lines next to zero";
    let count = members(10);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (k, m, sign) = (
            random.log_between(1e-4, 0.1),
            random.between(-0.99, 0.99),
            random.sign(),
        );
        let text = format!(
            "Study(title: \"knee\", system: Smooth(states: [\"y\", \"z\", \"u\"], parameters: {{\"e\": 0.01}}, \
             equations: [\"y' = (y^2 + {:?} - z*y)/e\", \"z' = u - {m:?}\", \"u' = {sign:?}\"], slow_fast: SlowFast(fast: \"y\", epsilon: \"e\")))",
            k * k
        );
        let loaded = study::parse("knee.ron".as_ref(), text.clone()).unwrap_or_else(|e| panic!("{e}"));
        let plan = loaded.plan(&[]).unwrap_or_else(|e| panic!("{e}"));
        let layer = SlowFastProblem::new(&plan.systems[0].system, &[0.01], Reduction::Singular).unwrap();
        let region = [(0.3 * k, 1.0), (0.0, 1.0), (-1.0, 1.0)];
        let lines = layer.fold_lines(&region).unwrap();
        let ends: Vec<f64> = lines
            .iter()
            .flat_map(|l| [l.points[0][2], l.points[l.points.len() - 1][2]])
            .collect();
        let whole = ends.len() == 2 && (ends[0] * ends[1] + 1.0).abs() <= 1e-6;
        let found = layer.folded_singularities(&region).unwrap();
        let right = found.len() == 1
            && [k, 2.0 * k, m]
                .iter()
                .zip(&found[0].state)
                .all(|(a, b)| (a - b).abs() <= 1e-9)
            && (found[0].invariants.1 + 2.0 * k * sign).abs() <= 1e-9
            && (found[0].class == FoldedClass::Saddle) == (sign > 0.0);
        if !(whole && right) {
            wrong.push((member, format!("{ends:?} {found:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// The autocatalator with two slow states: singular canards of its folded node run off to infinity in finite time, and
/// are traced up to there.
#[test]
fn singular_canards_that_run_off_end_there() {
    let class = "canards to infinity";
    for member in 0..members(4) {
        let mut random = Random::of(class, member);
        let mu = random.between(0.28, 0.32);
        let text = format!(
            "Study(title: \"autocatalator\", system: Smooth(states: [\"b\", \"a\", \"c\"], parameters: {{\"e\": 0.01}}, \
             equations: [\"b' = (a*b^2 + a - b)/e\", \"a' = {mu:?}*(2.5 + c) - a*b^2 - a\", \"c' = b - c\"], start: {{\"b\": 1, \"a\": 0.5, \"c\": 1}}, \
             slow_fast: SlowFast(fast: \"b\", epsilon: \"e\")), \
             slow_fast: [Portrait(name: \"layer\", within: {{\"b\": (0.1, 6), \"a\": (0.05, 1.5), \"c\": (0.1, 4)}}, time: 1, manifolds: 0, orbits: 0)])"
        );
        let result = run(&text);
        let portrait = &result.portraits[0];
        let failed = portrait.missing.iter().any(|why| why.contains("singular canards"));
        assert!(
            !failed && !portrait.canards.is_empty(),
            "{:?}\n{text}",
            portrait.missing
        );
    }
}

/// z' = 1, ε y' = z (y + a y³), as in `canards`: the time on the canard segment does not depend on the times at which
/// the orbit is looked at.
#[test]
fn times_on_canard_segments_do_not_depend_on_meshes() {
    for member in 0..members(20) {
        let mut random = Random::of("looks", member);
        let (epsilon, bend) = (random.log_between(1e-4, 0.03), random.between(0.0, 1.0));
        let nearest = (random.between(0.5, 1.6) / epsilon).min(1200.0);
        let text = format!(
            "Study(title: \"canard\", system: Smooth(states: [\"z\", \"y\"], parameters: {{\"epsilon\": {epsilon:?}, \"a\": {bend:?}}}, \
             equations: [\"z' = 1\", \"y' = z*(y + a*y^3)/epsilon\"], slow_fast: SlowFast(fast: \"y\", epsilon: \"epsilon\")))"
        );
        let loaded = study::parse("canard.ron".as_ref(), text.clone()).unwrap_or_else(|e| panic!("{e}"));
        let plan = loaded.plan(&[]).unwrap_or_else(|e| panic!("{e}"));
        let layer = SlowFastProblem::new(&plan.systems[0].system, &[epsilon, bend], Reduction::Finite).unwrap();
        let y = |z: f64| {
            let decayed = (z * z / epsilon - nearest).exp();
            (decayed / (1.0 - bend * decayed)).sqrt()
        };
        let left = |r: f64| (epsilon * (nearest - (1.0 / (r * r) + bend).ln())).sqrt();
        let begin = -0.5 * left(0.3);
        let duration = left(0.3) - begin;
        let course = |t: f64| vec![begin + t, y(begin + t)];
        let mut measure = |radius: Option<f64>| {
            let mut times: Vec<f64> = (0..200).map(|_| duration * random.unit()).collect();
            times.extend([0.0, duration]);
            times.sort_by(f64::total_cmp);
            layer.layer_segment_at(&course, &times, radius).unwrap().canard_time()
        };
        for radius in [None, Some(0.05), Some(0.2)] {
            let [a, b] = [measure(radius), measure(radius)];
            assert!((a - b).abs() <= 1e-9 && a > 0.0, "{radius:?}: {a} {b}\n{text}");
        }
    }
}
