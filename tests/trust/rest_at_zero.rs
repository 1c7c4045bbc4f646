//! Motions that come to rest where states are zero, of more states than one oscillator has.

use super::known::{curve, none_wrong, run};
use super::random::{Random, members};

/// Two to four damped oscillators, coupled at random, of which the first alone begins away from zero: `Settle` finds
/// the equilibrium there, which attracts, and no cycle.
#[test]
fn coupled_oscillators_come_to_rest_at_zero() {
    let class = "rest at zero";
    let count = members(12);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let n = 2 + random.below(3);
        let time = random.log_between(1e-2, 1e2);
        let (mut states, mut equations) = (vec![], vec![]);
        for i in 0..n {
            let damping = random.between(0.4, 3.0);
            let bend = random.between(0.2, 1.0);
            // No coupling is so strong that rest would not attract.
            let pull = random.between(-0.5, 0.5);
            let stiffness = random.between(0.8, 2.0);
            let own = if i == 0 { "*m" } else { "" };
            let next = (i + 1) % n;
            states.extend([format!("\"x{i}\""), format!("\"v{i}\"")]);
            equations.push(format!("\"x{i}' = v{i}/{time:?}\""));
            equations.push(format!(
                "\"v{i}' = (-{damping:?}*v{i} - {stiffness:?}{own}*x{i} + ({pull:?})*x{next} - {bend:?}*x{i}^3)/{time:?}\""
            ));
        }
        let text = format!(
            "Study(title: \"rest\", system: Smooth(states: [{}], parameters: {{\"m\": 1}}, equations: [{}], start: {{\"x0\": {:?}}}), \
             curves: [Curve(name: \"rest\", orbit: Equilibrium, start: Settle(at: {{\"m\": 1}}), free: \"m\", range: (0.8, 2)), \
             Curve(name: \"cycle\", orbit: PeriodicOrbit, start: Settle(at: {{\"m\": 1}}), free: \"m\", range: (0.8, 2))])",
            states.join(", "),
            equations.join(", "),
            random.log_between(1e-2, 1.0),
        );
        let result = run(&text);
        let said = format!("{:?}", result.missing);
        if result.curves.len() != 1 || !said.contains("AtRest") && !said.contains("rest") {
            wrong.push((member, format!("{said}\n{text}")));
            continue;
        }
        let away = curve(&result, "rest")
            .points()
            .map(|(_, _, p)| p.point.z[..2 * n].iter().fold(0.0, |m: f64, v| m.max(v.abs())))
            .fold(0.0, f64::max);
        if !(away < 1e-9) {
            wrong.push((member, format!("{away:e} from zero\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}
