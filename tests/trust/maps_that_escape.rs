//! Cycles of maps that drive most motions far away within a few iterations: every cycle that is found is one.

use super::known::{none_wrong, run};
use super::random::{Coordinates, Random, members};

/// The delayed logistic map u1⁺ = q u1 (1 - u2), u2⁺ = u1 in random linear coordinates. Iterated from a seed beyond its
/// basin, the points of a guess grow like the doubles' exponents allow, and beside the largest nothing else is seen.
#[test]
fn cycles_of_a_delayed_logistic_map_return() {
    let class = "maps that escape";
    let count = members(12);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let coordinates = Coordinates::random(&mut random, 2, [1.0, 0.0, 0.0]);
        let fields = ["q*u1*(1 - u2)".to_owned(), "u1".to_owned()];
        let (length, at) = (6 + random.below(7), random.between(2.1, 2.25));
        let width = 4.0 * coordinates.state;
        let text = format!(
            "Study(title: \"delayed\", system: {}, curves: [Curve(name: \"c\", orbit: Cycle({length}), start: All(at: {{\"p\": {at:?}}}, \
             within: {{\"x1\": (-{width:?}, {width:?}), \"x2\": (-{width:?}, {width:?})}}), free: \"p\", range: (1.2, 2.4))])",
            coordinates.map(&fields, at)
        );
        let result = run(&text);
        let u = |x: &[f64], i: usize| {
            let sum: f64 = coordinates.inverse[i].iter().zip(x).map(|(a, x)| a * x).sum();
            sum / coordinates.state
        };
        for curve in &result.curves {
            let misses = curve.points().find_map(|(_, _, p)| {
                let q = coordinates.q(p.point.parameter());
                let points: Vec<&[f64]> = p.point.z[..2 * length].chunks(2).collect();
                (0..length).find_map(|k| {
                    let (here, next) = (points[k], points[(k + 1) % length]);
                    let image = [q * u(here, 0) * (1.0 - u(here, 1)), u(here, 0)];
                    let off = (0..2).map(|i| (image[i] - u(next, i)).abs()).fold(0.0, f64::max);
                    let size = (0..2)
                        .map(|i| u(here, i).abs().max(u(next, i).abs()))
                        .fold(1.0, f64::max);
                    (off > 1e-6 * size).then(|| format!("{here:?} is driven to {image:?}, not {next:?}"))
                })
            });
            if let Some(misses) = misses {
                wrong.push((
                    member,
                    format!("`{}` of {}: {misses}\n{text}", curve.name, result.curves.len()),
                ));
                break;
            }
        }
    }
    none_wrong(class, count, &wrong);
}
