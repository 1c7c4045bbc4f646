//! Searches at several values of the parameter: each solution is traced once, whatever the units, and solutions that lie
//! near each other stay several.

use super::known::{none_wrong, run};
use super::random::{Random, members};
use slipstick_study::{CurveResult, RunResult};

/// The states where the curves take a value of the parameter, between two points each, as lists of all points of a
/// cycle.
fn crossings(result: &RunResult, level: f64) -> Vec<Vec<f64>> {
    let of_curve = |curve: &CurveResult| -> Vec<Vec<f64>> {
        let of_piece = curve.pieces.iter().flat_map(|piece| {
            piece.branch.points.windows(2).filter_map(|pair| {
                let (a, b) = (&pair[0].point, &pair[1].point);
                let (from, to) = (a.parameter() - level, b.parameter() - level);
                let part = from / (from - to);
                let states = || a.z.iter().zip(&b.z).take(a.z.len() - 1);
                (from * to < 0.0).then(|| states().map(|(x, y)| x + part * (y - x)).collect())
            })
        });
        of_piece.collect()
    };
    result.curves.iter().flat_map(of_curve).collect()
}

/// Two of these that are one, begun at whichever of their points of `n` states, in units of the states.
fn twice(found: &[Vec<f64>], n: usize, unit: f64, near: f64) -> Option<(usize, usize)> {
    let alike = |a: &Vec<f64>, b: &Vec<f64>| {
        a.len() == b.len()
            && (0..a.len() / n).any(|shift| {
                let later = |i: usize| b[(i + shift * n) % b.len()];
                (0..a.len()).all(|i| (a[i] - later(i)).abs() <= near * unit)
            })
    };
    let pairs = (0..found.len()).flat_map(|i| (i + 1..found.len()).map(move |j| (i, j)));
    pairs.into_iter().find(|&(i, j)| alike(&found[i], &found[j]))
}

/// x' = y - x - p f(x), y' = x - y + z, z' = -b y with the corners of f at x = ±1, and a y with a decay of its own where
/// there are two states: at rest at zero, and beyond both corners where p is between one and the slope there.
#[test]
fn rest_at_zero_between_corners_is_traced_once() {
    let class = "rest at zero between corners";
    let count = members(8);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let unit = random.log_between(1e-6, 1e6);
        let corner = unit * random.between(0.5, 2.0) * [1.0, 1.0, 1e-4][random.below(3)];
        // Slopes inside, p, and outside.
        let outer = random.between(-0.9, -0.3);
        let (low, high) = (random.between(-1.8, -1.2), random.between(-0.8, -0.5));
        let (rate, beta) = (random.between(2.0, 8.0), random.between(5.0, 20.0));
        let f = match random.below(3) {
            0 => format!("({outer:?})*x + 0.5*(p - ({outer:?}))*(abs(x + {corner:?}) - abs(x - {corner:?}))"),
            1 => format!("({outer:?})*x + (p - ({outer:?}))*max(min(x, {corner:?}), -{corner:?})"),
            _ => format!(
                "({outer:?})*x + (p - ({outer:?}))*if(x > {corner:?}, {corner:?}, if(x < -{corner:?}, -{corner:?}, x))"
            ),
        };
        let (states, equations) = match random.below(2) {
            0 => (
                "\"x\", \"y\", \"z\"",
                format!("\"x' = {rate:?}*(y - x - ({f}))\", \"y' = x - y + z\", \"z' = -{beta:?}*y\""),
            ),
            _ => (
                "\"x\", \"y\"",
                format!("\"x' = {rate:?}*(y - x - ({f}))\", \"y' = -{beta:?}*y\""),
            ),
        };
        let n = states.split(',').count();
        let within: Vec<String> = states
            .split(", ")
            .map(|s| format!("{s}: ({:?}, {:?})", -5.0 * unit, 5.0 * unit))
            .collect();
        let text = format!(
            "Study(title: \"rest\", system: Smooth(states: [{states}], parameters: {{\"p\": {low:?}}}, equations: [{equations}]), \
             curves: [Curve(name: \"c\", orbit: Equilibrium, start: Everywhere(samples: 5, within: {{{}}}), free: \"p\", \
             range: ({low:?}, {high:?}))])",
            within.join(", ")
        );
        let result = run(&text);
        let level = low + 0.413 * (-1.0 - low);
        let found = crossings(&result, level);
        // Beyond the corners (1 + outer) x = (outer - p) corner.
        let beyond = (outer - level) * corner / (1.0 + outer);
        let known: Vec<f64> = if outer > -1.0 {
            vec![0.0, beyond, -beyond]
        } else {
            vec![0.0]
        };
        let missed = known
            .iter()
            .find(|x| !found.iter().any(|z| (z[0] - **x).abs() <= 1e-6 * corner));
        if let Some(pair) = twice(&found, n, corner, 1e-6) {
            wrong.push((member, format!("{pair:?} of {found:?}\n{text}")));
        } else if let Some(missed) = missed {
            wrong.push((member, format!("no {missed} in {found:?}\n{text}")));
        } else if !result.missing.is_empty() {
            wrong.push((member, format!("{:?}\n{text}", result.missing)));
        }
    }
    none_wrong(class, count, &wrong);
}

/// How many cycles of so many points x+ = 1 + a x where x < 0, 1 + b x beyond has: one at most in each order of sides.
fn cycles_of_tent(a: f64, b: f64, length: usize) -> usize {
    let mut first: Vec<f64> = vec![];
    for order in 0..1usize << length {
        let slope = |i: usize| if (order >> i) & 1 == 0 { a } else { b };
        let (product, shift) = (0..length).fold((1.0, 0.0), |(p, s), i| (p * slope(i), s * slope(i) + 1.0));
        let mut x = shift / (1.0 - product);
        let mut points = vec![];
        for i in 0..length {
            if (x <= 0.0) != ((order >> i) & 1 == 0) {
                break;
            }
            points.push(x);
            x = 1.0 + slope(i) * x;
        }
        let repeats = (1..points.len()).any(|by| length.is_multiple_of(by) && (points[by] - points[0]).abs() < 1e-9);
        let least = points.iter().fold(f64::INFINITY, |m, x| m.min(*x));
        if points.len() == length && !repeats && first.iter().all(|x| (x - least).abs() > 1e-9) {
            first.push(least);
        }
    }
    first.len()
}

/// x+ = mu + a x where x < 0, mu + b x beyond: cycles of all words are born together at zero, where all their points meet
/// the corner. All of them are found.
#[test]
fn cycles_of_skew_tent_maps_are_traced_once() {
    let class = "cycles of skew tent maps";
    let count = members(40);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (a, b) = (random.between(0.2, 0.9), random.between(-6.0, -1.2));
        let length = 3 + random.below(4);
        let unit = random.log_between(1e-6, 1e6);
        let start = match random.below(2) {
            0 => format!("All(at: {{\"mu\": {unit:?}}}, "),
            _ => "Everywhere(samples: 5, ".to_owned(),
        };
        let text = format!(
            "Study(title: \"tent\", system: Map(states: [\"x\"], parameters: {{\"mu\": {unit:?}}}, equations: [\"x+ = mu + if(x <= 0, {a:?}*x, {b:?}*x)\"]), \
             curves: [Curve(name: \"c\", orbit: Cycle({length}), start: {start}within: {{\"x\": ({:?}, {:?})}}), free: \"mu\", range: ({:?}, {unit:?}))])",
            -12.0 * unit,
            2.0 * unit,
            -unit,
        );
        let result = run(&text);
        for level in [0.4567 * unit, -0.4567 * unit] {
            let found = crossings(&result, level);
            let known = if level > 0.0 { cycles_of_tent(a, b, length) } else { 0 };
            if let Some(pair) = twice(&found, 1, unit, 1e-9) {
                wrong.push((member, format!("{pair:?} of {found:?}\n{text}")));
                break;
            }
            if found.len() != known {
                wrong.push((member, format!("{} cycles of {known}: {found:?}\n{text}", found.len())));
                break;
            }
        }
    }
    none_wrong(class, count, &wrong);
}

/// Equilibria a small part of their size apart, and cycles of maps likewise, are not one.
#[test]
fn neighbours_stay_several() {
    let class = "neighbours at rest";
    let count = members(12);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let unit = random.sign() * random.log_between(1e-6, 1e6);
        let apart = random.log_between(1e-4, 1e-2);
        // Rest at 1, and as far from it as p says, and at -1.
        let x = format!("(x/({unit:?}))");
        let field = format!("{unit:?}*({x} - 1)*({x} - 1 - {apart:?}*p)*({x} + 1)");
        let map = member % 2 == 1;
        let (kind, equation, orbit) = match map {
            true => ("Map", format!("x+ = x - 0.3*{field}"), "FixedPoint"),
            false => ("Smooth", format!("x' = -{field}"), "Equilibrium"),
        };
        let text = format!(
            "Study(title: \"near\", system: {kind}(states: [\"x\"], parameters: {{\"p\": 1}}, equations: [\"{equation}\"]), curves: [Curve(name: \"c\", \
             orbit: {orbit}, start: Everywhere(samples: 4, within: {{\"x\": ({:?}, {:?})}}), free: \"p\", range: (0.7, 1.3))])",
            -2.0 * unit.abs(),
            2.0 * unit.abs()
        );
        let result = run(&text);
        let mut found: Vec<f64> = crossings(&result, 1.113).iter().map(|z| z[0] / unit).collect();
        found.sort_by(f64::total_cmp);
        let known = [-1.0, 1.0, 1.0 + apart * 1.113];
        let right = found.len() == 3 && found.iter().zip(known).all(|(a, b)| (a - b).abs() < 1e-7);
        if !right {
            wrong.push((member, format!("{found:?}, not {known:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}
