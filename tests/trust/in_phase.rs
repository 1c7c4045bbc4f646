//! Equal oscillators that move in phase: their events come at one instant, and their orbits are those of one of them.

use super::known::{labels, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::Label;
use slipstick_study::CurveResult;

/// Places of special points, and the first multiplier, along the curve `c` of a study.
fn places(text: &str) -> Result<Vec<(Label, f64)>, String> {
    let result = run(text);
    let curve: &CurveResult = result
        .curves
        .iter()
        .find(|c| c.name == "c")
        .ok_or_else(|| format!("{:?}", result.missing))?;
    let (low, high) = curve
        .points()
        .map(|(_, _, p)| p.point.parameter())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
    let mut found: Vec<(Label, f64)> = labels(curve).into_iter().map(|f| (f.0, f.1)).collect();
    found.push((Label::EP, low));
    found.push((Label::EP, high));
    Ok(found)
}

#[test]
fn impacts_of_two_oscillators_in_phase_are_those_of_one() {
    let class = "in phase";
    let count = members(3);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (c, e, w, k) = (
            random.between(0.08, 0.15),
            random.between(0.5, 0.8),
            random.between(0.75, 0.85),
            random.between(0.2, 0.5),
        );
        let study = |names: &[&str], more: &str, word: &str| {
            let each = |f: &dyn Fn(&str) -> String| names.iter().map(|n| f(n)).collect::<Vec<_>>().join(", ");
            format!(
                "Study(title: \"in phase\", system: Mechanical(coordinates: [{}], parameters: {{\"F\": 1}}, forcing: Forcing(period: \"2*pi/{w:?}\"), \
                 masses: {{{}}}, springs: [{}{more}], forces: {{{}}}, contacts: {{{}}}), \
                 curves: [Curve(name: \"c\", orbit: Periodic(\"{word}\"), start: Settle(at: {{\"F\": 1}}), free: \"F\", range: (0.6, 1.6))])",
                each(&|n| format!("\"{n}\"")),
                each(&|n| format!("\"{n}\": 1")),
                each(&|n| format!("Spring(on: \"{n}\", stiffness: 1, damping: {c:?})")),
                each(&|n| format!("\"{n}\": \"F*cos({w:?}*t)\"")),
                each(&|n| format!("\"w{n}\": Gap(on: \"{n}\", distance: 1, restitution: {e:?})")),
            )
        };
        let one = study(&["a"], "", "wa:open wa:hit");
        let two = study(
            &["a", "b"],
            &format!(", Spring(on: \"b\", against: Coordinate(\"a\"), stiffness: {k:?})"),
            "wa:open wb:open wa:hit wa:open wb:open wb:hit",
        );
        let (known, found) = (places(&one), places(&two));
        let agree = match (&known, &found) {
            (Ok(known), Ok(found)) => {
                let near = |k: &(Label, f64)| {
                    let is = |f: &(Label, f64)| f.0 == k.0 && (f.1 - k.1).abs() <= 1e-9;
                    found.iter().any(is)
                };
                known.iter().all(near)
            }
            _ => false,
        };
        if !agree {
            wrong.push((member, format!("one: {known:?}, two: {found:?}\n{two}")));
        }
    }
    none_wrong(class, count, &wrong);
}

#[test]
fn stick_and_slip_of_two_blocks_in_phase_are_those_of_one() {
    let class = "blocks in phase";
    let count = members(3);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (c, mu, k) = (
            random.between(0.02, 0.08),
            random.between(0.5, 0.7),
            random.between(0.2, 0.5),
        );
        let study = |names: &[&str], more: &str, word: &str| {
            let each = |f: &dyn Fn(&str) -> String| names.iter().map(|n| f(n)).collect::<Vec<_>>().join(", ");
            format!(
                "Study(title: \"in phase\", system: Mechanical(coordinates: [{}], parameters: {{\"v0\": 0.5}}, \
                 masses: {{{}}}, springs: [{}{more}], contacts: {{{}}}, start: {{{}}}), \
                 curves: [Curve(name: \"c\", orbit: Periodic(\"{word}\"), start: Settle(at: {{\"v0\": 0.5}}), free: \"v0\", range: (0.2, 0.6))])",
                each(&|n| format!("\"{n}\"")),
                each(&|n| format!("\"{n}\": 1")),
                each(&|n| format!("Spring(on: \"{n}\", stiffness: 1, damping: {c:?})")),
                each(&|n| format!("\"f{n}\": Stiction(on: \"{n}\", against: Belt(\"v0\"), mu_s: 1, mu_d: {mu:?})")),
                each(&|n| format!("\"v_{n}\": \"v0\"")),
            )
        };
        let one = study(&["a"], "", "fa:slip- fa:stick");
        let two = study(
            &["a", "b"],
            &format!(", Spring(on: \"b\", against: Coordinate(\"a\"), stiffness: {k:?})"),
            "fa:slip- fb:slip- fa:land fa:stick fb:slip- fb:land fa:stick fb:stick fa:release- fa:slip- fb:stick fb:release-",
        );
        let (known, found) = (places(&one), places(&two));
        // Where friction falls little, and damping does more, a block comes to rest.
        let rests = |found: &Result<_, String>| found.as_ref().is_err_and(|why| why.contains("ends at rest"));
        if rests(&known) && rests(&found) {
            continue;
        }
        let agree = match (&known, &found) {
            (Ok(known), Ok(found)) => known
                .iter()
                .all(|k| found.iter().any(|f| f.0 == k.0 && (f.1 - k.1).abs() <= 1e-9)),
            _ => false,
        };
        if !agree {
            wrong.push((member, format!("one: {known:?}, two: {found:?}\n{two}")));
        }
    }
    none_wrong(class, count, &wrong);
}
