//! Equilibria of food chains, of which many have species that are missing: each curve is traced once, though Newton's
//! method leaves tiny numbers where a species is missing.

use super::known::{none_wrong, run};
use super::random::{Random, members};
use slipstick_study::CurveResult;

/// A chain of two or three species with saturating appetites, over one of its half-saturations or its capacity.
fn study(random: &mut Random) -> String {
    let three = random.below(3) > 0;
    let unit = random.log_between(1e-2, 1e2);
    let slow = random.log_between(1e-3, 1.0);
    let (b1, b2) = (unit * random.between(0.1, 0.8), unit * random.between(0.1, 0.8));
    let (d1, d2) = (random.between(0.1, 0.5), random.between(0.05, 0.5));
    let (free, range) = match random.below(3) {
        0 => ("b1", (0.1 * unit, 1.5 * unit)),
        1 => ("K", (0.1 * unit, 2.0 * unit)),
        _ => ("d1", (0.02, 1.2)),
    };
    let (last, top, states) = match three {
        true => (
            " - z/(b2 + y)",
            format!(", \"z' = {:?}*z*(y/(b2 + y) - {d2:?})\"", slow * slow),
            "\"x\", \"y\", \"z\"",
        ),
        false => ("", String::new(), "\"x\", \"y\""),
    };
    let within = ["x", "y", "z"][..if three { 3 } else { 2 }]
        .iter()
        .map(|s| format!("\"{s}\": (0, {unit:?})"))
        .collect::<Vec<_>>()
        .join(", ");
    format!(
        "Study(title: \"chain\", system: Smooth(states: [{states}], parameters: {{\"K\": {unit:?}, \"b1\": {b1:?}, \"b2\": {b2:?}, \"d1\": {d1:?}}}, \
         equations: [\"x' = x*(1 - x/K - y/(b1 + x))\", \"y' = {slow:?}*y*(x/(b1 + x) - d1{last})\"{top}]), \
         curves: [Curve(name: \"c\", orbit: Equilibrium, start: Everywhere(within: {{{within}}}), free: \"{free}\", \
         range: ({:?}, {:?}))])",
        range.0, range.1
    )
}

/// Do the middle points of one curve lie on another?
fn lies_on(a: &CurveResult, b: &CurveResult) -> bool {
    let own: Vec<&[f64]> = a.points().map(|(_, _, p)| &p.point.z[..]).collect();
    let other: Vec<&[f64]> = b.points().map(|(_, _, p)| &p.point.z[..]).collect();
    let count = own.len();
    [0.3, 0.5, 0.7].iter().all(|part| {
        let z = own[(part * count as f64) as usize];
        let last = z.len() - 1;
        let size = z[..last].iter().fold(1e-300f64, |m, v| m.max(v.abs()));
        other.windows(2).any(|pair| {
            let (from, to) = (pair[0], pair[1]);
            let fraction = (z[last] - from[last]) / (to[last] - from[last]);
            (0.0..=1.0).contains(&fraction)
                && (0..last).all(|c| (from[c] + fraction * (to[c] - from[c]) - z[c]).abs() < 1e-3 * size)
        })
    })
}

#[test]
fn each_curve_of_a_food_chain_is_traced_once() {
    let class = "food chains";
    let count = members(5);
    let mut wrong = vec![];
    for member in 0..count {
        let text = study(&mut Random::of(class, member));
        let result = run(&text);
        let curves = &result.curves;
        let twice = (0..curves.len()).find_map(|i| {
            let later = (i + 1..curves.len()).find(|&j| lies_on(&curves[j], &curves[i]))?;
            Some(format!(
                "{} lies on {} of {}",
                curves[later].name,
                curves[i].name,
                curves.len()
            ))
        });
        if curves.len() < 2 {
            wrong.push((member, format!("{} curves\n{text}", curves.len())));
        }
        if let Some(what) = twice {
            wrong.push((member, format!("{what}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}
