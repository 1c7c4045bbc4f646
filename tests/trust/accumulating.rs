//! Impacts that accumulate, as those of a ball that comes to rest on an obstacle, where no permanent contact is
//! modelled: the motion ends at a time that is known, and does not grow.

use super::known::{none_wrong, run};
use super::random::{Random, members};
use slipstick_study::AttractorKind;

/// Masses pressed to an obstacle, of the ground or of another mass, with and without a forcing too weak to lift them,
/// with and without a Jenkins element: sweeps, basins and charts say that the impacts accumulate, as simulations do.
#[test]
fn impacts_that_accumulate_do_not_grow() {
    let class = "impacts that accumulate";
    let count = members(8);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let mut some = |low: f64, high: f64| (random.between(low, high) * 1e3).round() / 1e3;
        let (e, gap, load) = (some(0.2, 0.6), some(0.05, 0.3), some(0.5, 0.8));
        let (c, k_t, limit) = (some(0.05, 0.2), some(0.2, 0.6), some(0.02, 0.08));
        let shaken = if member % 2 == 1 { some(0.01, 0.05) } else { 0.0 };
        let (other, spring, across) = match member % 4 > 1 {
            false => ("", String::new(), ""),
            true => (
                ", \"y\"",
                format!(", Spring(on: \"y\", stiffness: {:?}, damping: 0.1)", some(1.0, 2.0)),
                ", against: Coordinate(\"y\")",
            ),
        };
        let mass = if other.is_empty() { "" } else { ", \"y\": 1.3" };
        let within = if other.is_empty() { "" } else { ", \"y\": (0, 0.1)" };
        let element = if member % 3 == 2 {
            format!(", \"j\": Jenkins(on: \"x\", k_t: {k_t:?}, limit: {limit:?})")
        } else {
            String::new()
        };
        let text = format!(
            "Study(title: \"accumulating\", system: Mechanical(coordinates: [\"x\"{other}], parameters: {{\"F\": {load:?}}}, \
             forcing: Forcing(period: \"2*pi\"), masses: {{\"x\": 1{mass}}}, springs: [Spring(on: \"x\", stiffness: 1, \
             damping: {c:?}){spring}], forces: {{\"x\": \"F + {shaken:?}*cos(t)\"}}, contacts: {{\"w\": Gap(on: \"x\"{across}, \
             distance: {gap:?}, restitution: {e:?}){element}}}), attractors: [Attractors(name: \"a\", sweep: \"F\", range: \
             ({load:?}, {:?}), count: 2, starts: 3, within: {{\"x\": (-0.5, 0){within}}})], simulations: [Simulation(name: \
             \"s\", time: 400)], tasks: [Basins(name: \"b\", sample: 3, within: {{\"x\": (-0.5, 0){within}}})])",
            1.1 * load
        );
        let result = run(&text);
        let accumulates = |message: &str| message.contains("accumulate (Zeno)") && message.contains("`w:hit`");
        let simulated = &result.trajectories[0].ended;
        if !accumulates(simulated) {
            wrong.push((member, format!("simulation: {simulated}\n{text}")));
        }
        for a in &result.attractors[0].found {
            if !matches!(a.kind, AttractorKind::Lost) || !accumulates(&a.message) {
                wrong.push((member, format!("{}: {}\n{text}", a.kind.name(), a.message)));
            }
        }
        let said = format!("{:?}", result.analyses[0].tables);
        if said.contains("without bound") || !said.contains("accumulate (Zeno)") {
            wrong.push((member, format!("basins: {said}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}
