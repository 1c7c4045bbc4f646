//! Closed branches of orbits of several laps: on the way round, an orbit comes again that begins a lap later.

use super::known::{curve, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::Label;

/// Two masses on a belt, one with static friction, the other with friction that falls with the speed.
fn study(random: &mut Random) -> String {
    let mut near = |value: f64| value * random.between(0.997, 1.003);
    let masses = [near(1.219), near(1.355)];
    let springs = [
        near(0.643),
        near(0.025),
        near(0.887),
        near(0.038),
        near(0.355),
        near(0.026),
    ];
    let friction = [near(0.649), near(0.388), near(1.467), near(0.775)];
    let slip = "b1:slip-,b2:slip- b1:land b1:stick,b2:slip-";
    let (plain, both) = (
        format!("{slip} b1:release-"),
        format!("{slip} b2:land b1:stick,b2:stick b2:release- b1:stick,b2:slip- b1:release-"),
    );
    format!(
        "Study(title: \"belt\", system: Mechanical(coordinates: [\"x\", \"y\"], parameters: {{\"v0\": 0.387}}, \
         masses: {{\"x\": {:?}, \"y\": {:?}}}, springs: [Spring(on: \"x\", stiffness: {:?}, damping: {:?}), \
         Spring(on: \"y\", stiffness: {:?}, damping: {:?}), Spring(on: \"y\", against: Coordinate(\"x\"), stiffness: {:?}, damping: {:?})], \
         contacts: {{\"b1\": Stiction(on: \"x\", against: Belt(\"v0\"), mu_s: {:?}, mu_d: {:?}, normal: {:?}), \
         \"b2\": Stribeck(on: \"y\", against: Belt(\"v0\"), law: \"0.424 + 0.166*exp(-3.37*v)\", normal: {:?})}}, start: {{\"v_x\": 0}}), \
         curves: [Curve(name: \"c\", orbit: Periodic(\"{plain} {both} {both}\"), start: Settle(at: {{}}), free: \"v0\", range: (0.02, 3), \
         switch: Auto, points: 1000)])",
        masses[0],
        masses[1],
        springs[0],
        springs[1],
        springs[2],
        springs[3],
        springs[4],
        springs[5],
        friction[0],
        friction[1],
        friction[2],
        friction[3],
    )
}

#[test]
fn orbits_of_three_laps_are_traced_once_round_their_closed_branch() {
    let class = "three laps on a belt";
    let count = members(2);
    let mut wrong = vec![];
    for member in 0..count {
        let text = study(&mut Random::of(class, member));
        let result = run(&text);
        let found = curve(&result, "c");
        let points: Vec<_> = found.points().map(|(_, _, p)| p).collect();
        let (first, last) = (points[0], points[points.len() - 1]);
        let level = 0.4;
        let parameters = points.iter().map(|p| p.point.parameter()).collect::<Vec<f64>>();
        let crossings = parameters.windows(2).filter(|w| (w[0] - level) * (w[1] - level) < 0.0);
        // Both ends are the orbit of one lap that grazes, told three times; between them the curve turns once.
        let turns = points
            .iter()
            .filter(|p| p.label == Some(Label::VS) || p.label == Some(Label::GR));
        let closed = (first.point.parameter() - last.point.parameter()).abs() <= 1e-9
            && (first.record.period - last.record.period).abs() <= 1e-7;
        let said = points
            .iter()
            .any(|p| p.message.contains("traced before: the curve is closed"));
        if crossings.count() != 2 || turns.count() != 3 || !closed || !said {
            let labelled = points.iter().filter(|p| p.label.is_some());
            let said: Vec<_> = labelled
                .map(|p| (p.label, p.point.parameter(), p.message.clone()))
                .collect();
            wrong.push((member, format!("{said:#?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}
