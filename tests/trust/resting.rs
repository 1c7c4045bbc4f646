//! Masses that rest on rigid obstacles and on each other, and what they do where nothing presses them any more.

use super::known::{labels, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::Label;

/// What is wrong with the equilibria of one member, if anything is.
fn fault(random: &mut Random) -> Option<String> {
    let (length, force) = (random.log_between(1e-3, 1e3), random.log_between(1e-3, 1e3));
    let (w1, w2) = (force * random.between(0.3, 2.0), force * random.between(0.3, 2.0));
    let (d1, d2) = (length * random.between(0.1, 1.0), length * random.between(0.0, 1.0));
    let k = force / length * random.between(0.2, 0.9) * w1 / force;
    let spring = force / length * random.between(0.5, 2.0);
    let (m1, m2) = (random.log_between(0.1, 10.0), random.log_between(0.1, 10.0));
    let sign = random.sign();
    let side = if sign > 0.0 { "Below" } else { "Above" };
    let rest = format!("rest: {:?}", 1e-6 * (force * length / m1).sqrt());
    let kind = random.below(4);
    let lower = format!("\"w\": Gap(on: \"a\", distance: {d1:?}, side: {side}, restitution: 0.4, {rest})");
    let upper =
        format!("\"u\": Gap(on: \"b\", against: Coordinate(\"a\"), distance: {d2:?}, side: {side}, restitution: 0)");
    let damped = |n: &str, k: f64, m: f64| {
        format!(
            "Spring(on: \"{n}\", stiffness: {k:?}, damping: {:?})",
            0.3 * (k * m).sqrt()
        )
    };
    let between = format!(
        "Spring(on: \"b\", against: Coordinate(\"a\"), stiffness: {spring:?}, damping: {:?})",
        0.3 * (spring * m2).sqrt()
    );
    // Weights, pulled by p against them: where contact ends, and where the masses are then.
    let weight = |w: f64, p: &str| format!("{sign:?}*({p} - {w:?})");
    let (declared, mode, next, at) = match kind {
        0 => (
            format!(
                "coordinates: [\"a\"], masses: {{\"a\": {m1:?}}}, springs: [{}], forces: {{\"a\": \"{}\"}}, contacts: {{{lower}}}, start: {{\"a\": 0}}",
                damped("a", k, m1),
                weight(w1, "p")
            ),
            "w:rest",
            "w:open",
            w1 - k * d1,
        ),
        1 => (
            format!(
                "coordinates: [\"a\", \"b\"], masses: {{\"a\": {m1:?}, \"b\": {m2:?}}}, springs: [{}, {between}], \
                 forces: {{\"a\": \"{}\", \"b\": \"{}\"}}, contacts: {{{lower}}}, start: {{\"a\": 0, \"b\": 0}}",
                damped("a", k, m1),
                weight(w1, "0"),
                weight(w2, "p")
            ),
            "w:rest",
            "w:open",
            w1 + w2 - k * d1,
        ),
        _ => {
            let (on_a, on_b) = if kind == 2 { ("p", "0") } else { ("0", "p") };
            (
                format!(
                    "coordinates: [\"a\", \"b\"], masses: {{\"a\": {m1:?}, \"b\": {m2:?}}}, springs: [{}], \
                     forces: {{\"a\": \"{}\", \"b\": \"{}\"}}, contacts: {{{lower}, {upper}}}, start: {{\"a\": 0, \"b\": {:?}}}",
                    damped("a", k, m1),
                    weight(w1, on_a),
                    weight(w2, on_b),
                    -sign * d2
                ),
                "w:rest,u:rest",
                if kind == 2 { "w:open,u:rest" } else { "w:rest,u:open" },
                if kind == 2 { w1 + w2 - k * d1 } else { w2 },
            )
        }
    };
    let text = format!(
        "Study(title: \"resting\", system: Mechanical({declared}, parameters: {{\"p\": 0}}), \
         curves: [Curve(name: \"c\", orbit: EquilibriumIn(\"{mode}\"), start: All(at: {{\"p\": 0}}), free: \"p\", range: ({:?}, {:?}))])",
        -0.5 * at.abs(),
        at + 0.3 * at.abs(),
    );
    let result = run(&text);
    let Some(curve) = result.curves.iter().find(|c| c.name == "c") else {
        return Some(format!("no curve: {:?}\n{text}", result.missing));
    };
    let events = labels(curve);
    let [(Label::BE, found, ..)] = events[..] else {
        return Some(format!("{events:?}, not BE at {at:?}\n{text}"));
    };
    if (found - at).abs() > 1e-9 * at.abs() {
        return Some(format!("BE at {found:?}, not {at:?}\n{text}"));
    }
    let words: Vec<&str> = curve.pieces.iter().map(|piece| piece.word.as_str()).collect();
    if !words.contains(&next) {
        return Some(format!("{words:?} without {next}\n{text}"));
    }
    let column = curve.monitors.iter().position(|m| m == "a_max").unwrap();
    for (_, _, p) in curve.points() {
        let a = p.record.monitors[column];
        let p = p.point.parameter();
        let place = if p <= at || kind == 3 {
            -sign * d1
        } else {
            sign * ((p - at) / k - d1)
        };
        if (a - place).abs() > 1e-8 * length {
            return Some(format!("a = {a:?} at {p:?}, not {place:?}\n{text}"));
        }
    }
    None
}

/// Equilibria in rest end where the contact force vanishes, and go on off the obstacle where the forces allow.
#[test]
fn what_rests_on_obstacles_leaves_them_where_nothing_presses() {
    let class = "resting masses";
    let count = members(16);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        wrong.extend(fault(&mut random).map(|what| (member, what)));
    }
    none_wrong(class, count, &wrong);
}
