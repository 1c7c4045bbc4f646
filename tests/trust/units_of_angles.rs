//! Angles in other units than radians: the same curve, in as many points.

use super::known::{curve, labels, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::Label;

/// The stiction oscillator with its phase in parts of a turn of any number.
#[test]
fn phases_of_the_stiction_oscillator_in_other_units() {
    let class = "units of angles";
    let count = members(8);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (mu_s, mu_d) = (random.between(1.05, 1.3), random.between(0.3, 0.6));
        let turn = if member == 0 {
            360.0
        } else {
            random.log_between(1e-2, 1e3)
        };
        let study = |turn: &str| {
            format!(
                "Study(title: \"angles\", system: Hybrid(states: [\"x\", \"y\", \"theta\"], angles: {{\"theta\": \"{turn}\"}}, \
                 parameters: {{\"Omega\": 2, \"mu_s\": {mu_s:?}, \"mu_d\": {mu_d:?}}}, \
                 define: {{\"xi\": \"Omega^2*x + sin(theta*(2*pi/({turn})))\"}}, modes: {{\
                 \"slip+\": Mode(equations: [\"x' = y\", \"y' = -xi - mu_d\", \"theta' = ({turn})/(2*pi)\"], events: {{\
                 \"land\": Event(guard: \"y\", direction: Down, when: [\"xi < mu_s\"], to: \"stick\"), \
                 \"reverse\": Event(guard: \"y\", direction: Down, when: [\"xi > mu_s\"], to: \"slip-\")}}), \
                 \"slip-\": Mode(equations: [\"x' = y\", \"y' = -xi + mu_d\", \"theta' = ({turn})/(2*pi)\"], events: {{\
                 \"land\": Event(guard: \"y\", direction: Up, when: [\"xi > -mu_s\"], to: \"stick\"), \
                 \"reverse\": Event(guard: \"y\", direction: Up, when: [\"xi < -mu_s\"], to: \"slip+\")}}), \
                 \"stick\": Mode(kind: Stick, states: [\"x\", \"theta\"], absent: {{\"y\": \"0\"}}, \
                 equations: [\"x' = 0\", \"theta' = ({turn})/(2*pi)\"], events: {{\
                 \"release+\": Event(guard: \"xi - mu_s\", direction: Up, to: \"slip-\"), \
                 \"release-\": Event(guard: \"xi + mu_s\", direction: Down, to: \"slip+\")}})}}, \
                 symmetry: Symmetry(states: {{\"x\": \"-x\", \"y\": \"-y\", \"theta\": \"theta + ({turn})/2\"}}, modes: {{\"slip+\": \"slip-\"}})), \
                 curves: [Curve(name: \"c\", orbit: Symmetric(\"slip- stick\"), start: Settle(at: {{\"Omega\": 2}}, mode: \"slip-\", from: {{\"x\": 0.5, \"y\": -0.1}}), \
                 free: \"Omega\", range: (1.2, 6), switch: Auto)])"
            )
        };
        let found = |text: &str| -> Option<(Vec<(Label, f64)>, usize)> {
            let result = run(text);
            let found = (!result.curves.is_empty()).then(|| curve(&result, "c"))?;
            Some((labels(found).iter().map(|l| (l.0, l.1)).collect(), found.len()))
        };
        let own = study(&format!("{turn:?}"));
        let (Some((plain, few)), Some((other, points))) = (found(&study("2*pi")), found(&own)) else {
            wrong.push((member, format!("no curve\n{own}")));
            continue;
        };
        let same = plain.len() == other.len()
            && plain
                .iter()
                .zip(&other)
                .all(|(a, b)| a.0 == b.0 && (a.1 - b.1).abs() < 1e-8);
        if !same || 10 * points > 12 * few || 10 * few > 12 * points {
            wrong.push((member, format!("{plain:?} {few}\n{other:?} {points}\n{own}")));
        }
    }
    none_wrong(class, count, &wrong);
}
