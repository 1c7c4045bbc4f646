//! Blocks that stick and slip on a belt by a law without a jump: the orbit that motions come to, however thin the layer
//! is in which they stick.

use super::known::{none_wrong, run};
use super::random::{Random, members};
use slipstick_flow::{FlowOptions, Method, SimulationOptions, simulate};
use slipstick_study as study;

/// Stribeck friction by the hyperbolic tangent and by an algebraic law, with ε down to 1e-4 of the speed of the belt:
/// `Settle` starts a curve, and an integrator comes back in its period to where the orbit begins.
#[test]
fn blocks_on_belts_settle_to_their_orbit() {
    let class = "thin layers of belts";
    let count = members(8);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (mass, stiffness) = (random.between(0.5, 2.0), random.between(0.5, 2.0));
        let frequency = (stiffness / mass).sqrt();
        let (level, drop, normal) = (
            random.between(0.2, 0.4),
            random.between(0.15, 0.4),
            random.between(0.5, 1.5),
        );
        // The block oscillates by more than the belt moves in the time of a radian: it slips, and sticks again.
        let belt = random.between(0.1, 0.4) * drop * normal / stiffness * frequency;
        let by = ["Tanh", "Algebraic"][member % 2];
        let epsilon = belt * [1e-3, 3e-4, 1e-4][member / 2 % 3];
        let text = format!(
            "Study(title: \"belt\", system: Regularised(of: Mechanical(coordinates: [\"x\"], velocities: [\"v\"], parameters: {{\"v0\": {belt:?}}}, \
             masses: {{\"x\": {mass:?}}}, springs: [Spring(on: \"x\", stiffness: {stiffness:?}, damping: {:?})], \
             contacts: {{\"b\": Stribeck(on: \"x\", against: Belt(\"v0\"), law: \"{level:?} + ({drop:?})*exp(-v/({:?}))\", normal: {normal:?})}}, \
             start: {{\"x\": {:?}}}), by: {by}, epsilon: {epsilon:?}), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"b:smooth\"), start: Settle(at: {{\"v0\": {belt:?}}}), free: \"v0\", \
             range: ({:?}, {:?}), points: 2)])",
            random.between(0.01, 0.05) * mass * frequency,
            random.between(0.5, 2.0) * belt,
            level * normal / stiffness,
            0.9 * belt,
            1.1 * belt,
        );
        let result = run(&text);
        let plan = study::parse("study.ron".as_ref(), text.clone()).and_then(|loaded| loaded.plan(&[]));
        let plan = plan.unwrap_or_else(|e| panic!("{e}\n{text}"));
        let system = &plan.systems[0].system;
        let Some((_, _, point)) = result.curves.first().and_then(|c| c.points().next()) else {
            wrong.push((member, format!("{:?}\n{text}", result.missing)));
            continue;
        };
        let begin = &point.point.z[..2];
        let options = SimulationOptions {
            t_end: point.record.period / system.units.time,
            flow: FlowOptions {
                method: Method::Stiff,
                ..FlowOptions::default()
            },
            ..SimulationOptions::default()
        };
        let motion =
            simulate(system, 0, begin, &point.record.parameters, &options).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let end = &motion.segments.last().expect("a segment").end;
        let off = (end[0] - begin[0]).abs() / begin[0].abs().max(1e-3);
        if !(off < 1e-6) {
            wrong.push((member, format!("{begin:?} comes to {end:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}
