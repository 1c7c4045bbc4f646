//! Masses with dry friction that turn round where a wall begins to be hit: from both sides of that place the branch
//! goes through it. And what happens along a branch does not depend on how wide the range is in which it is traced.

use super::known::{curve, labels, none_wrong, run};
use super::random::{Random, members_at_least};
use slipstick_bifurcation::Label;
use slipstick_study::CurveResult;

/// The word of the motion that does not reach the wall, and those of hits, begun with either of their segments, each
/// with the word that it becomes without them.
const FREE: &str = "f:slip+,w:open f:reverse f:slip-,w:open f:reverse";
const HITS: [(&str, &str); 2] = [
    ("f:slip+,w:open w:hit,f:slip- f:slip-,w:open f:reverse", FREE),
    (
        "f:slip-,w:open f:reverse f:slip+,w:open w:hit,f:slip-",
        "f:slip-,w:open f:reverse f:slip+,w:open f:reverse",
    ),
];

/// The largest place of the mass along a curve, with the wall, for the points of one word.
fn reach(curve: &CurveResult, word: &str) -> Vec<(f64, f64)> {
    let column = curve.monitors.iter().position(|m| m == "x_max").unwrap();
    let of_word = curve.points().filter(|(_, piece, _)| piece.word == word);
    of_word
        .map(|(_, _, p)| (p.point.parameter(), p.record.monitors[column]))
        .collect()
}

/// In units of the undamped oscillator: without hits the amplitude is that of the free motion, whatever the wall, and
/// hits begin where the wall stands there.
#[test]
fn branches_pass_the_wall_that_is_just_reached_from_both_sides() {
    let class = "turning at a wall";
    let count = members_at_least(4);
    let (mut wrong, mut passed) = (vec![], 0);
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (w, c) = (random.between(0.5, 1.2), random.between(0.05, 0.2));
        let (mu, e) = (random.between(0.15, 0.35), random.between(0.4, 0.8));
        let law = match member % 2 {
            0 => format!("Coulomb(on: \"x\", mu: {mu:?})"),
            _ => format!("Stiction(on: \"x\", mu_s: {:?}, mu_d: {mu:?})", 1.1 * mu),
        };
        let study = |name: &str, word: &str, start: &str| {
            format!(
                "Study(title: \"wall\", system: Mechanical(coordinates: [\"x\"], parameters: {{\"d\": 9}}, forcing: Forcing(period: \"{:?}\"), \
                 masses: {{\"x\": 1}}, springs: [Spring(on: \"x\", stiffness: 1, damping: {c:?})], forces: {{\"x\": \"cos(phase)\"}}, \
                 contacts: {{\"f\": {law}, \"w\": Gap(on: \"x\", distance: \"d\", restitution: {e:?})}}), \
                 curves: [Curve(name: \"{name}\", orbit: Periodic(\"{word}\"), start: {start}, free: \"d\", range: (0.7, 10), switch: Auto)])",
                std::f64::consts::TAU / w
            )
        };
        let text = study("free", FREE, "Settle(at: {\"d\": 9})");
        let first = run(&text);
        let Some(free) = first.curves.first() else {
            wrong.push((member, format!("{:?}\n{text}", first.missing)));
            continue;
        };
        let amplitude = reach(free, FREE)[0].1;
        let begins = |found: &CurveResult| {
            let mut grazed = labels(found).into_iter().filter(|(label, ..)| *label == Label::GR);
            grazed.any(|(_, d, _)| (d - amplitude).abs() <= 1e-9)
        };
        if !begins(free) {
            wrong.push((
                member,
                format!("hits begin elsewhere than at {amplitude:?}: {}\n{text}", free.special()),
            ));
        }
        // The orbits with hits may lie on either side of the wall that is just reached.
        let hits = reach(free, HITS[0].0);
        let apart = |(d, _): &&(f64, f64)| (d / amplitude - 1.0).abs() > 0.02;
        let Some((d, _)) = hits.iter().find(apart) else {
            continue;
        };
        let (word, without) = HITS[(member / 2) % 2];
        let text = study("hits", word, &format!("All(at: {{\"d\": {d:?}}})"));
        let second = run(&text);
        let all = second.curves.iter();
        let with_hits: Vec<_> = all.filter(|c| !reach(c, word).is_empty() && begins(c)).collect();
        if with_hits.is_empty() {
            let special: Vec<_> = second.curves.iter().map(CurveResult::special).collect();
            wrong.push((member, format!("{special:?} {:?}\n{text}", second.missing)));
        }
        for found in with_hits {
            let beyond = reach(found, without);
            passed += 1;
            let off = |(_, x_max): &(f64, f64)| (x_max - amplitude).abs() > 1e-9;
            if beyond.is_empty() || beyond.iter().any(off) {
                wrong.push((member, format!("{}\n{text}", found.special())));
            }
        }
    }
    none_wrong(class, count, &wrong);
    assert!(passed >= 2, "{passed} of {count} were traced from the hits");
}

/// On a belt, with static friction above kinetic friction, words end where the map of the motion jumps.
#[test]
fn what_happens_along_a_branch_does_not_depend_on_the_width_of_the_range() {
    let class = "wide ranges";
    let count = members_at_least(12);
    let (mut wrong, mut traced) = (vec![], 0);
    for member in 0..count {
        let mut random = Random::of(class, member);
        let kinetic = random.between(0.15, 0.35);
        let text = format!(
            "Study(title: \"belt\", system: Mechanical(coordinates: [\"x\"], parameters: {{\"w\": 0.6}}, forcing: Forcing(period: \"2*pi/w\"), \
             masses: {{\"x\": 1}}, springs: [Spring(on: \"x\", stiffness: 1, damping: {:?})], forces: {{\"x\": \"cos(w*t)\"}}, \
             contacts: {{\"f\": Stiction(on: \"x\", against: Belt({:?}), mu_s: {:?}, mu_d: {kinetic:?})}}), \
             curves: [CURVES])",
            random.between(0.03, 0.09),
            random.between(0.6, 1.0),
            kinetic * random.between(1.5, 2.2),
        );
        let (low, high) = (0.56, 0.72);
        let ranges = [(low, high), (0.35, 2.2), (0.05, 14.0)];
        let curves = ranges.iter().enumerate().map(|(k, range)| {
            format!(
                "Curve(name: \"c{k}\", orbit: Periodic(\"f:slip- f:land f:stick f:release-\"), start: Settle(at: {{\"w\": 0.63}}), \
                 free: \"w\", range: {range:?}, switch: Auto)"
            )
        });
        let text = text.replace("CURVES", &curves.collect::<Vec<_>>().join(", "));
        let result = run(&text);
        if result.curves.is_empty() {
            continue;
        }
        traced += 1;
        let inside = |name: &str| -> Vec<(Label, f64)> {
            let found = labels(curve(&result, name)).into_iter();
            let own = found.filter(|(_, w, _)| (low + 1e-6..high - 1e-6).contains(w));
            own.map(|(label, w, _)| (label, w)).collect()
        };
        let narrow = inside("c0");
        for name in ["c1", "c2"] {
            let wide = inside(name);
            let alike = |(a, b): (&(Label, f64), &(Label, f64))| a.0 == b.0 && (a.1 - b.1).abs() <= 1e-8;
            if wide.len() != narrow.len() || !wide.iter().zip(&narrow).all(alike) {
                wrong.push((member, format!("{narrow:?}, with a wide range {wide:?}\n{text}")));
            }
        }
    }
    none_wrong(class, count, &wrong);
    assert!(traced >= 3, "{traced} of {count} had an orbit to begin with");
}
