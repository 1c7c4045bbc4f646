//! Symmetric orbits beside an elastic friction element that never slips: its force is that of a spring, and one more
//! multiplier stays at -1.

use super::known::{none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::Label;

/// Two masses, one between stops, the other with an element that sticks all along: the curve has the special points
/// that it has with a spring in its place.
#[test]
fn an_element_that_never_slips_is_a_spring() {
    let class = "stuck elements";
    let count = members(3);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let mut some = |low: f64, high: f64| (random.between(low, high) * 1e3).round() / 1e3;
        let (k, k_t, limit) = (some(0.2, 1.5), some(0.5, 1.5), 50.0);
        let (c, coupling, e, gap) = (some(0.02, 0.2), some(0.2, 0.8), some(0.6, 0.9), some(0.1, 0.4));
        let study = |is_element: bool| {
            let (stiffness, element, word) = match is_element {
                true => (
                    k,
                    format!(", \"b\": Jenkins(on: \"y\", k_t: {k_t:?}, limit: {limit:?})"),
                    "a:open,b:stick",
                ),
                false => (k + k_t, String::new(), "a:open"),
            };
            format!(
                "Study(title: \"stuck\", system: Mechanical(coordinates: [\"x\", \"y\"], parameters: {{\"w\": 1.8}}, masses: \
                 {{\"x\": 1, \"y\": 1}}, springs: [Spring(on: \"x\", stiffness: 1, damping: {c:?}), Spring(on: \"x\", \
                 against: Coordinate(\"y\"), stiffness: {coupling:?}, damping: 0.05), Spring(on: \"y\", stiffness: \
                 {stiffness:?}, damping: 0.1)], forces: {{\"x\": \"cos(w*t)\"}}, forcing: Forcing(period: \"2*pi/w\"), \
                 contacts: {{\"a\": Gap(on: \"x\", distance: {gap:?}, side: Both, restitution: {e:?}){element}}}, symmetry: \
                 {{\"x\": \"-x\", \"y\": \"-y\", \"phase\": \"phase + pi\"}}), curves: [Curve(name: \"c\", orbit: \
                 Symmetric(\"{word} a:hit+\"), start: All(at: {{\"w\": 1.8}}), free: \"w\", range: (1.1, 2.9), points: 400)])"
            )
        };
        let found = [false, true].map(|is_element| {
            let result = run(&study(is_element));
            let all = result.curves.iter().flat_map(|curve| curve.points());
            let special = all.filter(|(_, _, p)| {
                let of_multipliers = [Label::SB, Label::NS, Label::LP, Label::PD, Label::BP];
                p.label.is_some_and(|label| of_multipliers.contains(&label))
            });
            let mut special: Vec<(Label, f64)> = special
                .map(|(_, _, p)| (p.label.unwrap(), p.point.parameter()))
                .collect();
            special.sort_by(|a, b| a.1.total_cmp(&b.1));
            special
        });
        let [spring, element] = &found;
        let same = spring.len() == element.len()
            && spring
                .iter()
                .zip(element)
                .all(|(a, b)| a.0 == b.0 && (a.1 - b.1).abs() < 1e-8);
        if !same {
            wrong.push((
                member,
                format!("spring {spring:?}\nelement {element:?}\n{}", study(true)),
            ));
        }
    }
    none_wrong(class, count, &wrong);
}
