//! Special points of one curve at the same parameters: each has its curve in two parameters. Levels next to each other,
//! in any unit.

use super::known::{curve, none_wrong, pieces, run};
use super::random::{Random, members};

/// States and parameters count in these.
struct InUnits {
    state: f64,
    parameter: f64,
}

impl InUnits {
    fn random(random: &mut Random) -> Self {
        Self {
            state: 2f64.powi(random.below(61) as i32 - 30),
            parameter: 2f64.powi(random.below(41) as i32 - 20),
        }
    }
}

/// Where wells of equal depth lie, at least 0.8 apart.
fn wells(random: &mut Random, count: usize) -> Vec<f64> {
    let mut next = random.between(-2.0, 0.0);
    (0..count)
        .map(|_| {
            let own = (next * 1e3).round() / 1e3;
            next += random.between(0.8, 1.6);
            own
        })
        .collect()
}

/// The field or map p - q ((x - x₁)² (x - x₂)² … - 1) has folds at p = -q at all wells, and between each two of them:
/// as many curves of folds in p and q.
#[test]
fn folds_at_the_same_parameters_have_curves_of_their_own() {
    let class = "wells of equal depth";
    let count = members(12);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let number = 2 + random.below(2);
        let wells = wells(&mut random, number);
        let units = InUnits::random(&mut random);
        let is_map = random.below(2) == 1;
        let state = format!("(x/{:?})", units.state);
        let product: Vec<String> = wells.iter().map(|x| format!("({state} - ({x:?}))^2")).collect();
        let rate = format!(
            "(p/{u:?} - q/{u:?}*({}*(1 + ({bend:?})*{state}) - 1))",
            product.join("*"),
            u = units.parameter,
            bend = random.between(-0.05, 0.05),
        );
        let (system, orbit) = if is_map {
            (
                format!("Map(equations: [\"x+ = x + {:?}*0.01*{rate}\"],", units.state),
                "FixedPoint",
            )
        } else {
            (
                format!("Smooth(equations: [\"x' = {:?}*{rate}\"],", units.state),
                "Equilibrium",
            )
        };
        let of = |value: f64| value * units.parameter;
        let text = format!(
            "Study(title: \"wells\", system: {system} states: [\"x\"], parameters: {{\"p\": {:?}, \"q\": {:?}}}), \
             curves: [Curve(name: \"c\", orbit: {orbit}, start: Guess(at: {{\"p\": {:?}}}, states: [{{\"x\": {:?}}}]), \
             free: \"p\", range: ({:?}, {:?}), points: 2000)], \
             loci: [Locus(name: \"l\", from: \"c: LP\", free: (\"p\", \"q\"), range: (({:?}, {:?}), ({:?}, {:?})))])",
            of(0.0),
            of(1.0),
            of(3.0),
            (wells[number - 1] + 1.2) * units.state,
            of(-2.0),
            of(4.0),
            of(-3.0),
            of(9.0),
            of(0.5),
            of(3.0),
        );
        let result = run(&text);
        let traced = curve(&result, "c");
        let folds = traced
            .points()
            .filter(|(_, _, p)| p.label.is_some_and(|l| l.code() == "LP"));
        // Those at the wells, and those between that lie within the range.
        let folds: Vec<f64> = folds.map(|(_, _, p)| p.point.parameter() / units.parameter).collect();
        let at_wells = folds.iter().filter(|p| (*p + 1.0).abs() < 1e-9).count();
        let curves = pieces(&result, "l").len();
        if at_wells != number || curves != folds.len() {
            let said = format!("{at_wells} of {number} wells, {curves} curves from folds at {folds:?}");
            wrong.push((member, format!("{said}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Points of the cubic p = x³ - 3 x at levels of x that are 1e-4 of each other apart: each is found by its value,
/// and its curve in two parameters keeps it.
#[test]
fn levels_next_to_each_other_are_told_apart_in_any_unit() {
    let class = "levels in any unit";
    let count = members(12);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let units = InUnits::random(&mut random);
        let first = random.between(0.2, 0.8);
        let levels = [first, first * (1.0 + 1e-4), 0.0].map(|level| level * units.state);
        let x = format!("(x/{:?})", units.state);
        let loci = (0..3).map(|k| {
            format!(
                "Locus(name: \"l{k}\", from: \"c: x={:?}\", free: (\"p\", \"q\"), range: (({:?}, {:?}), (-1, 1)))",
                levels[k],
                -9.0 * units.parameter,
                9.0 * units.parameter,
            )
        });
        let text = format!(
            "Study(title: \"levels\", system: Smooth(states: [\"x\"], parameters: {{\"p\": 0, \"q\": 0}}, equations: \
             [\"x' = {:?}*(p/{:?} + q - {x}^3 + 3*{x})\"]), curves: [Curve(name: \"c\", orbit: Equilibrium, start: \
             Guess(at: {{\"p\": {:?}}}, states: [{{\"x\": {:?}}}]), free: \"p\", range: ({:?}, {:?}), levels: {{\"x\": \
             {levels:?}}})], loci: [{}])",
            units.state,
            units.parameter,
            -4.0 * units.parameter,
            -2.2 * units.state,
            -5.0 * units.parameter,
            5.0 * units.parameter,
            loci.collect::<Vec<_>>().join(", "),
        );
        let result = run(&text);
        let mut said: Vec<String> = result.missing.iter().map(|m| m.reason.clone()).collect();
        for (k, level) in levels.iter().enumerate() {
            let found = pieces(&result, &format!("l{k}"));
            let off = found
                .iter()
                .flatten()
                .map(|p| (p.record.monitors[0] - level).abs() / units.state);
            let worst = off.fold(0.0, f64::max);
            if found.len() != 1 || !(worst < 1e-10) {
                said.push(format!("{} curves at x = {level}, {worst:e} off", found.len()));
            }
        }
        if !said.is_empty() {
            wrong.push((member, format!("{}\n{text}", said.join("; "))));
        }
    }
    none_wrong(class, count, &wrong);
}
