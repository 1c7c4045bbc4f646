//! Oscillators on a belt with Coulomb friction: through all their words, and the names of the sliding bifurcations.

use super::known::{curve, labels, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::Label;

/// From large forcing down: the words change where they should, with the same places on the way back up.
#[test]
fn orbits_on_a_belt_go_through_sliding_bifurcations_both_ways() {
    let class = "belt";
    let count = members(3);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (z, w, m) = (
            random.between(0.05, 0.2),
            random.between(0.35, 1.4),
            random.between(0.5, 1.5),
        );
        let system = format!(
            "Hybrid(states: [\"x\", \"v\"], parameters: {{\"F\": 40, \"w\": {w:?}, \"m\": {m:?}, \"z\": {z:?}}}, forcing: Forcing(period: \"2*pi/w\"), \
             define: {{\"pull\": \"F*cos(w*t) - x - 2*z\", \"rest\": \"F*cos(w*t) - x - 2*z*v\"}}, modes: {{\
             \"low\": Mode(equations: [\"x' = v\", \"v' = rest + m\"], events: {{\
             \"land\": Event(guard: \"v - 1\", direction: Up, to: \"stick\", when: [\"m - pull > 0\"]), \
             \"cross\": Event(guard: \"v - 1\", direction: Up, to: \"high\", when: [\"pull - m > 0\"])}}), \
             \"high\": Mode(equations: [\"x' = v\", \"v' = rest - m\"], events: {{\
             \"land\": Event(guard: \"v - 1\", direction: Down, to: \"stick\", when: [\"pull + m > 0\"]), \
             \"cross\": Event(guard: \"v - 1\", direction: Down, to: \"low\", when: [\"-pull - m > 0\"])}}), \
             \"stick\": Mode(kind: Stick, states: [\"x\"], absent: {{\"v\": \"1\"}}, equations: [\"x' = 1\"], events: {{\
             \"slow\": Event(guard: \"pull + m\", direction: Down, to: \"low\"), \
             \"fast\": Event(guard: \"pull - m\", direction: Up, to: \"high\")}})}}, start: Start(mode: \"low\"))"
        );
        let study = |word: &str, at: f64| {
            format!(
                "Study(title: \"belt\", system: {system}, curves: [Curve(name: \"c\", orbit: Periodic(\"{word}\"), \
                 start: Settle(at: {{\"F\": {at:?}}}), free: \"F\", range: (0.1, 50), switch: Auto)])"
            )
        };
        let down = study("low cross high cross", 40.0);
        let result = run(&down);
        let mut said: Vec<String> = result.missing.iter().map(|m| format!("{m:?}")).collect();
        let mut places: Vec<f64> = vec![];
        if let Some(c) = result.curves.iter().find(|c| c.name == "c") {
            for (label, at, p) in labels(c) {
                let boundary = matches!(label, Label::VS | Label::GR | Label::OV | Label::VT);
                if label == Label::MX || p.message.contains("no neighbouring word") {
                    said.push(format!("{label} at {at}: {}", p.message));
                } else if boundary && !p.message.contains("-sliding: the discontinuity map") {
                    said.push(format!("{label} at {at} has no name: {}", p.message));
                } else if boundary {
                    places.push(at);
                }
            }
        }
        // With little forcing the friction never turns.
        let up = study("low", 0.11);
        let back = run(&up);
        said.extend(back.missing.iter().map(|m| format!("back: {m:?}")));
        if back.curves.iter().any(|c| c.name == "c") {
            let found: Vec<f64> = labels(curve(&back, "c"))
                .into_iter()
                .filter(|(label, ..)| matches!(label, Label::VS | Label::GR | Label::OV | Label::VT))
                .map(|l| l.1)
                .collect();
            let same = found.len() == places.len()
                && places
                    .iter()
                    .all(|a| found.iter().any(|b| (a - b).abs() <= 1e-9 * a.abs()));
            if !same {
                said.push(format!("places {places:?}, on the way back {found:?}"));
            }
        }
        if !said.is_empty() {
            wrong.push((member, format!("{said:#?}\n{down}")));
        }
    }
    none_wrong(class, count, &wrong);
}
