//! Forced relays in three dimensions: the two-parameter curve of adding-sliding, along which the sliding motion touches
//! the limit at which it would leave, ends where the touch comes to the landing. There it meets the curve of
//! crossing-sliding, which begins with the visit on the other side that shrinks to nothing.

use super::known::{curve, labels, none_wrong, run};
use super::random::{Random, members_at_least};
use slipstick_bifurcation::Label;

/// The points of a curve at which two sliding labels happen at once, by both parameters.
fn meetings(result: &slipstick_study::RunResult, name: &str) -> Vec<[f64; 2]> {
    let found = result.curves.iter().filter(|c| c.name == name);
    let both = Label::codimension_two(Label::VS, Label::VS);
    let points = found.flat_map(labels).filter(|(label, ..)| *label == both);
    points
        .map(|(_, _, p)| [p.record.parameters[0], p.record.parameters[1]])
        .collect()
}

#[test]
fn curves_of_adding_sliding_end_where_they_meet_those_of_crossing_sliding() {
    let class = "adding-sliding meets crossing-sliding";
    let count = members_at_least(6);
    let (mut wrong, mut met) = (vec![], 0);
    for member in 0..count {
        let mut random = Random::of(class, member);
        let w = random.between(1.3, 1.9);
        let system = format!(
            "Filippov(states: [\"x\", \"y\", \"z\"], parameters: {{\"F\": 1, \"w\": {w:?}}}, forcing: Forcing(period: \"2*pi/w\"), \
             surfaces: {{\"s\": \"y + {:?}*z - {:?}\"}}, \
             equations: [\"x' = y\", \"y' = -{:?}*x - {:?}*y - {:?}*sgn(s) + F*cos(w*t)\", \"z' = -{:?}*z + {:?}*y - {:?}*sgn(s)\"])",
            random.between(0.04, 0.12),
            random.between(0.08, 0.13),
            random.between(1.2, 1.6),
            random.between(0.3, 0.35),
            random.between(0.4, 0.6),
            random.between(0.5, 1.8),
            random.between(0.1, 0.8),
            random.between(0.2, 0.7),
        );
        let study = |loci: &str| {
            format!(
                "Study(title: \"relay\", system: {system}, curves: [Curve(name: \"c\", orbit: Periodic(\"s+ cross s- cross\"), \
                 start: Settle(at: {{\"F\": 1.8}}), free: \"F\", range: (0.05, 4), switch: Auto)], loci: [{loci}])"
            )
        };
        let first = run(&study(""));
        if first.curves.is_empty() {
            continue;
        }
        let own = labels(curve(&first, "c")).into_iter();
        let sliding: Vec<_> = own.filter(|(label, ..)| *label == Label::VS).collect();
        // The first crossing-sliding behind adding-sliding is the one whose visit is the same.
        let locus = |kind: &str| {
            let at = sliding
                .iter()
                .position(|(_, _, p)| p.message.contains(&format!("{kind}-sliding")))?;
            Some(format!(
                "Locus(name: \"{kind}\", from: \"c: VS {}\", free: (\"F\", \"w\"), range: ((0.02, 6), ({:?}, {:?})), points: 600)",
                at + 1,
                0.3 * w,
                3.0 * w
            ))
        };
        let (Some(adding), Some(crossing)) = (locus("adding"), locus("crossing")) else {
            continue;
        };
        let text = study(&format!("{adding}, {crossing}"));
        let result = run(&text);
        let failed = curve(&result, "adding")
            .points()
            .any(|(_, _, p)| p.label == Some(Label::MX));
        let [adding, crossing] = ["adding", "crossing"].map(|name| meetings(&result, name));
        let near = |a: &[f64; 2], b: &[f64; 2]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-7 * b.abs());
        met += adding.len();
        if failed || adding.iter().any(|a| !crossing.iter().any(|b| near(a, b))) {
            wrong.push((member, format!("{adding:?}, of crossing-sliding {crossing:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
    assert!(met >= 3, "{met} of {count} meet");
}
