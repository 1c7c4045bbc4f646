//! Curves of folds that pass a cusp, and places where the second parameter moves nothing: with that parameter in any
//! unit, and of orbits under a forcing however weak.

use super::known::{none_wrong, pieces, run};
use super::random::{Random, members};
use slipstick_bifurcation::Label;

/// 0 = a + b (u - u₀) - u³ has folds at b = 3 u², a = 3 u₀ u² - 2 u³: a cusp at u = 0, and at u = u₀, where b moves
/// nothing, a alone turns back. With a = p - p₁ and b = K q - b₁, and with a second state that decays; as an
/// equilibrium, the fixed point of a map, or an orbit u = x - A cos(ω t) under a forcing.
#[test]
fn curves_of_folds_pass_where_one_parameter_moves_nothing_and_cusps() {
    let class = "folds past cusps in any unit";
    let count = members(24);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let unit = if random.below(3) == 0 {
            1.0
        } else {
            random.log_between(1e2, 1e8)
        };
        let u0 = random.sign() * random.between(0.15, 0.5);
        let (decay, drawn) = (random.between(0.5, 1.5), random.between(-0.5, 0.5));
        let (back, constant) = (random.between(-0.3, 0.3), random.between(0.5, 1.5));
        let (amplitude, frequency) = (random.log_between(1e-4, 0.3), random.between(1.0, 4.0));
        let [p1, b1] = [0; 2].map(|_| random.sign() * random.between(0.3, 0.8));
        // What u is pulled by is zero where the second state rests, so that it leaves the folds where they are.
        let law = format!(
            "a + b*(u - ({u0:?})) - u^3 + ({back:?})*(y - ({:?})*u - ({:?}))",
            drawn / decay,
            constant / decay
        );
        let other = format!("({drawn:?})*u + {constant:?} - {decay:?}*y");
        let (system, moved, orbit) = match member % 3 {
            0 => (
                format!("Smooth(states: [\"x\", \"y\"], equations: [\"x' = {law}\", \"y' = {other}\"]"),
                "x".to_owned(),
                "Equilibrium",
            ),
            1 => (
                format!(
                    "Map(states: [\"x\", \"y\"], equations: [\"x+ = x + 0.2*({law})\", \"y+ = y + 0.2*({other})\"]"
                ),
                "x".to_owned(),
                "FixedPoint",
            ),
            _ => (
                format!(
                    "Smooth(states: [\"x\", \"y\"], forcing: Forcing(period: \"2*pi/{frequency:?}\"), \
                     equations: [\"x' = {law} - {:?}*sin({frequency:?}*t)\", \"y' = {other}\"]",
                    amplitude * frequency
                ),
                format!("x - {amplitude:?}*cos({frequency:?}*t)"),
                "PeriodicOrbit",
            ),
        };
        let (b, u) = (0.8, -1.4f64);
        let start = p1 + u.powi(3) - b * (u - u0);
        let ranges = [
            "(-3, 3)".to_owned(),
            format!("({:?}, {:?})", (b1 - 0.3) / unit, (b1 + 1.2) / unit),
        ];
        let (free, ranges) = match random.below(2) {
            0 => ("\"p\", \"q\"", format!("{}, {}", ranges[0], ranges[1])),
            _ => ("\"q\", \"p\"", format!("{}, {}", ranges[1], ranges[0])),
        };
        let text = format!(
            "Study(title: \"cusp\", system: {system}, parameters: {{\"p\": 0, \"q\": {:?}}}, \
             define: {{\"a\": \"p - ({p1:?})\", \"b\": \"{unit:?}*q - ({b1:?})\", \"u\": \"{moved}\"}}), \
             curves: [Curve(name: \"c\", orbit: {orbit}, start: Settle(at: {{\"p\": {start:?}}}, from: {{\"x\": {u:?}}}), \
             free: \"p\", range: (-5, 5))], \
             loci: [Locus(name: \"f\", from: \"c: LP 1\", free: ({free}), range: ({ranges}))])",
            (b + b1) / unit
        );
        let result = run(&text);
        let found = pieces(&result, "f");
        let points = || found.iter().flatten();
        let off = points().fold(0.0f64, |most, point| {
            let [p, q] = [0, 1].map(|i| point.record.parameters[i]);
            let u = ((unit * q - b1) / 3.0).max(0.0).sqrt();
            let apart = [u, -u].map(|u| (p - p1 - 3.0 * u0 * u * u + 2.0 * u.powi(3)).abs());
            most.max(apart[0].min(apart[1]))
        });
        let mut special: Vec<(Label, f64)> = points()
            .filter_map(|point| Some((point.label?, unit * point.record.parameters[1] - b1)))
            .collect();
        special.sort_by(|a, b| a.1.total_cmp(&b.1));
        let right = match special[..] {
            [(Label::CP, cusp), (Label::EP, first), (Label::EP, last)] => {
                cusp.abs() <= 1e-8 && (first - 1.2).abs() <= 1e-9 && (last - 1.2).abs() <= 1e-9
            }
            _ => false,
        };
        if found.len() != 1 || !right || off > 1e-8 {
            wrong.push((
                member,
                format!("{special:?}, off {off:.1e}, {:?}\n{text}", result.missing),
            ));
        }
    }
    none_wrong(class, count, &wrong);
}
