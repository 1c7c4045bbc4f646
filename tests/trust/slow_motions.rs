//! Motions along slow states, which are neither at rest nor seen to come back for long: `Settle` waits for them, or
//! says that they are still under way.

use super::known::{none_wrong, run};
use super::random::{Random, members};

#[test]
fn slow_cycles_are_not_called_rest() {
    let class = "slow cycles";
    let count = members(10);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let epsilon = random.log_between(1e-5, 1e-3);
        let rests = random.below(3) == 0;
        let a = random.sign()
            * if rests {
                random.between(1.1, 2.0)
            } else {
                random.between(0.0, 0.8)
            };
        let (x, y) = (random.log_between(1e-3, 1e3), random.log_between(1e-3, 1e3));
        let from = [random.between(-2.0, 2.0), random.between(-1.0, 1.0)];
        let study = |patience: &str| {
            format!(
                "Study(title: \"slow\", system: Smooth(states: [\"x\", \"y\"], parameters: {{\"a\": {a:?}}}, \
                 equations: [\"x' = {x:?}*(y/{y:?} - (x/{x:?})^3/3 + x/{x:?})\", \"y' = {y:?}*{epsilon:?}*(a - x/{x:?})\"], \
                 start: {{\"x\": {:?}, \"y\": {:?}}}), curves: [Curve(name: \"c\", orbit: PeriodicOrbit, \
                 start: Settle(at: {{\"a\": {a:?}}}{patience}), free: \"a\", range: ({:?}, {:?}), points: 4)])",
                from[0] * x,
                from[1] * y,
                a - 0.01,
                a + 0.01
            )
        };
        let outcome = |patience: &str| {
            let result = run(&study(patience));
            let piece = result.curves.first().and_then(|c| c.pieces.first());
            let period = piece.map(|piece| piece.branch.points[piece.branch.start].record.period);
            (
                period,
                result.missing.first().map_or(String::new(), |m| m.reason.clone()),
            )
        };
        let (period, why) = outcome("");
        let right = if rests {
            period.is_none() && why.contains("ends at rest")
        } else {
            // On the slow branches alone it takes the time of y from one fold to the other and back.
            let branch = |from: f64, to: f64| {
                let steps = 20_000;
                let rate = |x: f64| (x * x - 1.0) / (a - x);
                let at = |k: usize| from + (to - from) * (k as f64 + 0.5) / steps as f64;
                (0..steps).map(|k| rate(at(k))).sum::<f64>() * (to - from) / steps as f64
            };
            let slow = (branch(2.0, 1.0) + branch(-2.0, -1.0)) / epsilon;
            period.is_some_and(|period| period > slow && period < slow * (1.0 + 20.0 * epsilon.powf(2.0 / 3.0)))
        };
        // What is given too little time is not called rest.
        let hasty = if rests {
            None
        } else {
            Some(outcome(&format!(", patience: {:?}", 0.1 / epsilon)))
        };
        let said = hasty
            .as_ref()
            .is_none_or(|(found, why)| found.is_some() || (!why.contains("at rest") && why.contains("patience")));
        if !(right && said) {
            wrong.push((member, format!("{rests} {period:?} {why} {hasty:?}\n{}", study(""))));
        }
    }
    none_wrong(class, count, &wrong);
}
