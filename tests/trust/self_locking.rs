//! Friction that grows with the way a mass is carried along, as in self-locking drives: beyond a limit it is carried
//! away for good.

use super::known::{none_wrong, run};
use super::random::{Random, members};
use slipstick_study::{Attractor, AttractorKind};

/// `m x'' = -k x - c x' + μ (N + a x) s` on a belt: released at x = μN/(k - μa) if μa < k, and never else. With a second
/// mass that follows on a spring, and with a weak forcing of that, or without.
#[test]
fn masses_that_lock_drift_on_for_ever_and_others_do_not() {
    let class = "self-locking";
    let count = members(12);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let locks = member % 2 == 0;
        let form = random.below(3);
        let (length, time) = (random.log_between(1e-3, 1e3), random.log_between(1e-2, 1e2));
        let mu = random.between(0.3, 1.5);
        let ratio = if locks {
            random.between(1.1, 3.0)
        } else {
            random.between(0.2, 0.8)
        };
        let stiffness = random.between(0.5, 2.0) / (time * time);
        let normal = format!(
            "({:?}) + ({:?})*x",
            random.between(0.3, 1.0) * length / (time * time),
            ratio * stiffness / mu
        );
        let (coordinates, masses, springs, forcing) = match form {
            0 => ("\"x\"", "\"x\": 1", String::new(), String::new()),
            _ => (
                "\"x\", \"y\"",
                "\"x\": 1, \"y\": 1",
                format!(
                    ", Spring(on: \"x\", against: Coordinate(\"y\"), stiffness: {:?}, damping: {:?}), Spring(on: \"y\", stiffness: 0, damping: {:?})",
                    0.3 / (time * time),
                    0.2 / time,
                    0.1 / time
                ),
                if form == 2 {
                    format!(
                        "forcing: Forcing(period: \"{:?}\"), forces: {{\"y\": \"({:?})*cos(2*pi*t/({:?}))\"}}, ",
                        3.0 * time,
                        1e-3 * length / (time * time),
                        3.0 * time
                    )
                } else {
                    String::new()
                },
            ),
        };
        let text = format!(
            "Study(title: \"locks\", system: Mechanical(coordinates: [{coordinates}], parameters: {{\"b\": {:?}}}, {forcing}masses: {{{masses}}}, \
             springs: [Spring(on: \"x\", stiffness: {stiffness:?}, damping: {:?}){springs}], \
             contacts: {{\"pad\": Coulomb(on: \"x\", against: Belt(\"b\"), mu: {mu:?}, normal: \"{normal}\")}}, \
             start: {{\"x\": {:?}}}), \
             attractors: [Attractors(name: \"a\", sweep: \"b\", range: ({:?}, {:?}), count: 2, starts: 2)])",
            random.between(0.2, 0.6) * length / time,
            0.05 / time,
            0.1 * length,
            0.3 * length / time,
            0.5 * length / time,
        );
        let result = run(&text);
        let found = result.attractors.iter().flat_map(|a| &a.found);
        // Under a forcing the extremes of its rounds tell.
        let grows = |a: &&Attractor| matches!(a.kind, AttractorKind::Lost) || a.message.contains("it has no bounds");
        let lost = found.clone().filter(grows).count();
        let all = found.count();
        if all == 0 || (lost == all) != locks {
            let said: Vec<_> = result
                .attractors
                .iter()
                .flat_map(|a| &a.found)
                .map(|a| &a.message)
                .collect();
            wrong.push((member, format!("{lost} of {all} lost: {said:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}
