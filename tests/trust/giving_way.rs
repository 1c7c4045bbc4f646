//! Several contacts at once: what sticks gives way at the instant at which another force jumps, and slips that end
//! together do. Declared with contacts and as a discontinuous field, a system has the same motions.

use super::known::{curve, labels, none_wrong, run};
use super::random::{Random, members, members_at_least};
use slipstick_bifurcation::Label;
use slipstick_study::{AttractorKind, RunResult};

/// What the sweep of a run found, by value of the parameter: the kind and the extremes of the states.
fn found(result: &RunResult, states: usize) -> Vec<(f64, &'static str, Vec<f64>)> {
    let all = result.attractors[0].found.iter();
    all.filter(|a| !matches!(a.kind, AttractorKind::Chaos { .. } | AttractorKind::Undecided))
        .map(|a| {
            let row = a.rows.first().map_or(vec![], |row| row[..3 * states].to_vec());
            (a.value, a.kind.name(), row)
        })
        .collect()
}

/// Two systems of two masses with dry friction, declared by contacts and by the signs of their velocities.
fn pair(random: &mut Random, stacked: bool) -> [String; 2] {
    let w = random.between(0.4, 0.9);
    let (force, other) = (random.between(1.0, 1.6), random.between(0.1, 0.3));
    let (a, b) = (random.between(0.2, 0.35), random.between(0.2, 0.35));
    let stiffness = random.between(0.5, 0.9);
    let damping = random.between(0.04, 0.08);
    let sweep = format!(
        "attractors: [Attractors(name: \"a\", sweep: \"w\", range: ({w:?}, {:?}), count: 3, starts: 2)])",
        w + 0.4
    );
    let parameters = format!("parameters: {{\"w\": {w:?}}}, forcing: Forcing(period: \"2*pi/w\")");
    let states = "states: [\"x\", \"y\", \"v\", \"u\"]";
    if stacked {
        let mass = random.between(0.6, 1.2);
        let on_both = b + 0.15;
        return [
            format!(
                "Study(title: \"stack\", system: Mechanical(coordinates: [\"x\", \"y\"], {parameters}, masses: {{\"x\": 1, \"y\": {mass:?}}}, \
                 springs: [Spring(on: \"x\", stiffness: 1, damping: {damping:?}), Spring(on: \"y\", stiffness: {stiffness:?}, damping: {damping:?})], \
                 forces: {{\"y\": \"{force:?}*cos(w*t)\"}}, contacts: {{\"a\": Coulomb(on: \"x\", mu: {a:?}), \"b\": Coulomb(on: \"y\", against: Coordinate(\"x\"), mu: {on_both:?})}}), {sweep}"
            ),
            format!(
                "Study(title: \"stack\", system: Filippov({states}, {parameters}, surfaces: {{\"a\": \"v\", \"b\": \"u - v\"}}, \
                 equations: [\"x' = v\", \"y' = u\", \"v' = -x - {damping:?}*v - {a:?}*sgn(a) + {on_both:?}*sgn(b)\", \
                 \"u' = ({force:?}*cos(w*t) - {stiffness:?}*y - {damping:?}*u - {on_both:?}*sgn(b))/{mass:?}\"]), {sweep}"
            ),
        ];
    }
    let (m, n, c) = (
        random.between(0.8, 1.2),
        random.between(0.8, 1.2),
        random.between(0.2, 0.5),
    );
    let det = m * n - c * c;
    [
        format!(
            "Study(title: \"coupled\", system: Mechanical(coordinates: [\"x\", \"y\"], {parameters}, M: [[{m:?}, {c:?}], [{c:?}, {n:?}]], \
             springs: [Spring(on: \"x\", stiffness: 1, damping: {damping:?}), Spring(on: \"y\", stiffness: {stiffness:?}, damping: {damping:?})], \
             forces: {{\"x\": \"{force:?}*cos(w*t)\", \"y\": \"{other:?}*sin(w*t)\"}}, \
             contacts: {{\"a\": Coulomb(on: \"x\", mu: {a:?}), \"b\": Coulomb(on: \"y\", mu: {b:?})}}), {sweep}"
        ),
        format!(
            "Study(title: \"coupled\", system: Filippov({states}, {parameters}, surfaces: {{\"a\": \"v\", \"b\": \"u\"}}, \
             define: {{\"fx\": \"{force:?}*cos(w*t) - x - {damping:?}*v - {a:?}*sgn(a)\", \"fy\": \"{other:?}*sin(w*t) - {stiffness:?}*y - {damping:?}*u - {b:?}*sgn(b)\"}}, \
             equations: [\"x' = v\", \"y' = u\", \"v' = ({n:?}*fx - {c:?}*fy)/{det:?}\", \"u' = ({m:?}*fy - {c:?}*fx)/{det:?}\"]), {sweep}"
        ),
    ]
}

#[test]
fn contacts_and_signs_have_the_same_attractors() {
    let class = "two contacts";
    let count = members(6);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let texts = pair(&mut random, member % 2 == 1);
        let [by_contacts, by_signs] = [run(&texts[0]), run(&texts[1])];
        let [a, b] = [found(&by_contacts, 2), found(&by_signs, 2)];
        let near = |x: &f64, y: &f64| (x - y).abs() <= 1e-7 * (1.0 + x.abs());
        let in_other = |all: &[(f64, &str, Vec<f64>)], one: &(f64, &str, Vec<f64>)| {
            let alike = |other: &(f64, &str, Vec<f64>)| {
                other.0 == one.0 && other.1 == one.1 && other.2.iter().zip(&one.2).all(|(x, y)| near(x, y))
            };
            all.iter().any(alike)
        };
        // Bad luck with the initial states may leave one of two attractors to one of them.
        let alone = a
            .iter()
            .filter(|one| !in_other(&b, one))
            .chain(b.iter().filter(|one| !in_other(&a, one)));
        let alone: Vec<_> = alone.collect();
        if !alone.is_empty() || a.is_empty() {
            wrong.push((member, format!("only one has {alone:?}\n{}\n{}", texts[0], texts[1])));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Two springs in series with dry friction on one mass end their slips at the same instant, at the turning points: a
/// curve traced upwards from low frequencies and one traced downwards from high ones consist of the same orbits.
#[test]
fn parallel_jenkins_elements_stick_together_in_both_directions() {
    let class = "parallel Jenkins elements";
    let count = members(4);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (k1, k2) = (random.between(0.6, 0.8), random.between(0.3, 0.5));
        let (l1, l2) = (random.between(0.25, 0.35), random.between(0.45, 0.6));
        let text = format!(
            "Study(title: \"Iwan\", system: Mechanical(coordinates: [\"x\"], parameters: {{\"w\": 0.9}}, forcing: Forcing(period: \"2*pi/w\"), masses: {{\"x\": 1}}, \
             springs: [Spring(on: \"x\", stiffness: {:?}, damping: {:?})], forces: {{\"x\": \"{:?}*cos(w*t)\"}}, \
             contacts: {{\"j1\": Jenkins(on: \"x\", k_t: {k1:?}, limit: {l1:?}), \"j2\": Jenkins(on: \"x\", k_t: {k2:?}, limit: {l2:?})}}, symmetry: {{\"x\": \"-x\", \"phase\": \"phase + pi\"}}), \
             curves: [Curve(name: \"up\", orbit: Symmetric(\"j1:slip+,j2:stick j1:slip+,j2:slip+ j1:stick,j2:stick\"), start: Settle(at: {{\"w\": 0.9}}), free: \"w\", range: (0.5, 2.6), switch: Auto, levels: {{\"w\": [1.2, 1.5]}}), \
             Curve(name: \"down\", orbit: Symmetric(\"j1:stick,j2:stick\"), start: Settle(at: {{\"w\": 2.5}}), free: \"w\", range: (0.5, 2.6), switch: Auto, levels: {{\"w\": [1.2, 1.5]}})])",
            random.between(0.45, 0.55),
            random.between(0.02, 0.05),
            random.between(0.75, 0.85),
        );
        let result = run(&text);
        let mut said = vec![];
        let largest = |name: &str| -> Vec<(f64, f64)> {
            let found = curve(&result, name);
            let place = found.monitors.iter().position(|m| m == "x_max").unwrap();
            let levels = found.points().filter(|(_, _, p)| {
                let w = p.point.parameter();
                [0.5, 1.2, 1.5, 2.6].contains(&w)
            });
            let mut all: Vec<_> = levels
                .map(|(_, _, p)| (p.point.parameter(), p.record.monitors[place]))
                .collect();
            all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
            all
        };
        let (up, down) = (largest("up"), largest("down"));
        let apart = up.iter().zip(&down).map(|(a, b)| (a.1 - b.1).abs()).fold(0.0, f64::max);
        // The undamped state in which nothing slips is one of a continuum, through which both pass.
        if up.len() != 4 || down.len() != 4 || !(apart < 1e-8) {
            said.push(format!("up {up:?}, down {down:?}"));
        }
        if !said.is_empty() {
            wrong.push((member, format!("{said:?} {:?}\n{text}", result.missing)));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Where the normal force of a contact that slips would become negative for a part of each period, no orbit attracts.
#[test]
fn sweeps_list_no_orbits_without_contact() {
    let class = "normal forces below zero";
    let count = members(3);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let text = format!(
            "Study(title: \"pulsating\", system: Mechanical(coordinates: [\"x\"], parameters: {{\"p\": 0.5}}, forcing: Forcing(period: \"{:?}\"), masses: {{\"x\": 1}}, \
             springs: [Spring(on: \"x\", stiffness: 1, damping: {:?})], \
             contacts: {{\"belt\": Coulomb(on: \"x\", against: Belt({:?}), mu: {:?}, normal: \"1 + p*cos(phase)\")}}), \
             attractors: [Attractors(name: \"a\", sweep: \"p\", range: (0.4, 1.8), count: 5, starts: 2)])",
            random.between(3.0, 4.5),
            random.between(0.15, 0.3),
            random.between(0.6, 0.9),
            random.between(0.2, 0.4),
        );
        let result = run(&text);
        let bad: Vec<_> = result.attractors[0]
            .found
            .iter()
            .filter(|a| {
                let orbit = matches!(a.kind, AttractorKind::Orbit { .. });
                let told = matches!(a.kind, AttractorKind::Lost) && a.message.contains("admissible");
                if a.value < 1.0 { !orbit } else { !told }
            })
            .map(|a| (a.value, a.kind.name(), a.message.clone()))
            .collect();
        if !bad.is_empty() {
            wrong.push((member, format!("{bad:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// A block that sticks for ever, anywhere, beside one that is forced: a continuum of orbits, each of which is that of
/// the linear response.
#[test]
fn orbits_beside_a_contact_that_sticks_for_ever_are_listed() {
    let class = "continua of orbits";
    let count = members(4);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (force, coupling) = (random.between(0.1, 0.3), random.between(0.1, 0.3));
        let (stiffness, damping) = (random.log_between(0.5, 2.0), random.between(0.1, 0.3));
        let (low, high) = (random.between(0.5, 0.8), random.between(1.5, 2.2));
        let text = format!(
            "Study(title: \"beside\", system: Mechanical(coordinates: [\"x\", \"y\"], parameters: {{\"w\": {low:?}}}, forcing: Forcing(period: \"2*pi/w\"), masses: {{\"x\": 1, \"y\": 1}}, \
             springs: [Spring(on: \"x\", stiffness: 1), Spring(on: \"y\", stiffness: {stiffness:?}, damping: {damping:?}), Spring(on: \"x\", against: Coordinate(\"y\"), stiffness: {coupling:?})], \
             forces: {{\"y\": \"{force:?}*cos(w*t)\"}}, contacts: {{\"a\": Coulomb(on: \"x\", mu: 1.5)}}), \
             attractors: [Attractors(name: \"a\", sweep: \"w\", range: ({low:?}, {high:?}), count: 4, starts: 2)])"
        );
        let result = run(&text);
        let sweep = &result.attractors[0].found;
        let off = |a: &&slipstick_study::Attractor| {
            let w = a.value;
            let amplitude = force / (stiffness + coupling - w * w).hypot(damping * w);
            let Some(row) = a.rows.first() else { return true };
            let half = 0.5 * (row[4] - row[5]);
            !a.message.contains("continuum") || !((half / amplitude - 1.0).abs() < 1e-6)
        };
        let bad: Vec<_> = sweep
            .iter()
            .filter(off)
            .map(|a| (a.value, a.kind.name(), &a.message))
            .collect();
        if !bad.is_empty() || sweep.is_empty() {
            wrong.push((member, format!("{bad:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// A block with dry friction, tied by a spring and a damper to a mass that hits a wall: the force of the damper jumps at
/// a hit, and the block gives way at that instant where it is then pulled beyond its level. No stick lasts no time.
#[test]
fn what_sticks_gives_way_at_a_hit_by_the_velocities_after_it() {
    let class = "giving way at hits";
    let count = members_at_least(4);
    let mut wrong = vec![];
    let mut given_way = 0;
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (c, mu, e) = (
            random.between(0.3, 0.8),
            random.between(0.15, 0.4),
            random.between(0.4, 0.7),
        );
        let (w, mass) = (random.between(0.6, 1.1), random.between(0.8, 1.5));
        let text = format!(
            "Study(title: \"hits\", system: Mechanical(coordinates: [\"x\", \"y\"], parameters: {{\"w\": {w:?}}}, forcing: Forcing(period: \"2*pi/w\"), \
             masses: {{\"x\": 1, \"y\": {mass:?}}}, springs: [Spring(on: \"x\", stiffness: 1, damping: 0.05), Spring(on: \"y\", stiffness: 0.8), \
             Spring(on: \"x\", against: Coordinate(\"y\"), stiffness: 0.1, damping: {c:?})], forces: {{\"x\": \"{:?}*cos(w*t)\"}}, \
             contacts: {{\"wall\": Gap(on: \"x\", distance: {:?}, restitution: {e:?}), \"b\": Coulomb(on: \"y\", mu: {mu:?})}}), \
             attractors: [Attractors(name: \"a\", sweep: \"w\", range: ({w:?}, {:?}), count: 3, starts: 2)])",
            random.between(0.9, 1.4),
            random.between(0.2, 0.5),
            w + 0.2
        );
        let result = run(&text);
        for a in &result.attractors[0].found {
            let AttractorKind::Orbit { word, .. } = &a.kind else {
                continue;
            };
            given_way += word.matches("wall:hit,b:slip").count();
            let shortest = a.attracting.iter().flat_map(|orbit| &orbit.durations);
            let shortest = shortest.fold(f64::INFINITY, |least, d| least.min(*d));
            if !(shortest > 1e-9) {
                wrong.push((member, format!("{word}: a segment of {shortest:e}\n{text}")));
            }
        }
    }
    none_wrong(class, count, &wrong);
    assert!(given_way > 0);
}

/// Two coupled blocks on a belt with static friction above kinetic friction, declared by contacts and by signs with
/// their static levels: a block that sticks is not let go by the other one's landing, and the same things happen along
/// the same curves.
#[test]
fn blocks_that_stick_stay_until_their_static_level_is_reached() {
    let class = "static levels of two blocks";
    let count = members_at_least(8);
    let (mut wrong, mut compared) = (vec![], 0);
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (m, n) = (random.between(0.7, 1.5), random.between(0.7, 2.0));
        let [k1, k2, k] = [(); 3].map(|()| random.between(0.8, 1.8));
        let c = random.between(0.03, 0.08);
        let [d1, d2] = [(); 2].map(|()| random.between(0.4, 1.0));
        let [s1, s2] = [d1, d2].map(|d| d * random.between(1.2, 1.6));
        let v0 = random.between(0.1, 0.16);
        let mechanical = format!(
            "Mechanical(coordinates: [\"x\", \"y\"], parameters: {{\"v0\": {v0:?}}}, masses: {{\"x\": {m:?}, \"y\": {n:?}}}, \
             springs: [Spring(on: \"x\", stiffness: {k1:?}, damping: {c:?}), Spring(on: \"y\", stiffness: {k2:?}, damping: {c:?}), \
             Spring(on: \"x\", against: Coordinate(\"y\"), stiffness: {k:?})], contacts: {{\"a\": Stiction(on: \"x\", against: Belt(\"v0\"), mu_s: {s1:?}, mu_d: {d1:?}), \
             \"b\": Stiction(on: \"y\", against: Belt(\"v0\"), mu_s: {s2:?}, mu_d: {d2:?})}})"
        );
        let by_signs = format!(
            "Filippov(states: [\"x\", \"y\", \"v\", \"u\"], parameters: {{\"v0\": {v0:?}}}, surfaces: {{\"a\": \"v - v0\", \"b\": \"u - v0\"}}, \
             stiction: {{\"a\": \"{:?}\", \"b\": \"{:?}\"}}, equations: [\"x' = v\", \"y' = u\", \"v' = (-{k1:?}*x + {k:?}*(y - x) - {c:?}*v - {d1:?}*sgn(a))/{m:?}\", \
             \"u' = (-{k2:?}*y + {k:?}*(x - y) - {c:?}*u - {d2:?}*sgn(b))/{n:?}\"], start: {{\"v\": \"v0\", \"u\": \"v0\"}})",
            s1 / d1,
            s2 / d2
        );
        let sweep = format!(
            "Study(title: \"blocks\", system: {mechanical}, \
             attractors: [Attractors(name: \"a\", sweep: \"v0\", range: ({v0:?}, {:?}), count: 2, starts: 3)])",
            1.0001 * v0
        );
        let settled = run(&sweep);
        let mut words = settled.attractors[0].found.iter().filter_map(|a| match &a.kind {
            AttractorKind::Orbit { word, .. } if a.value == v0 => Some(word.clone()),
            _ => None,
        });
        let Some(word) = words.next() else { continue };
        let in_signs = ["a", "b"].iter().fold(word.clone(), |word, body| {
            let names = [("slip-", "-"), ("slip+", "+"), ("stick", "0")];
            let word = names.iter().fold(word, |word, (contact, sign)| {
                word.replace(&format!("{body}:{contact}"), &format!("{body}{sign}"))
            });
            word.replace("release", "leave")
        });
        let [first, second] = [(&mechanical, word), (&by_signs, in_signs)].map(|(system, word)| {
            let text = format!(
                "Study(title: \"blocks\", system: {system}, curves: [Curve(name: \"c\", orbit: Periodic(\"{word}\"), \
                 start: Settle(at: {{\"v0\": {v0:?}}}), free: \"v0\", range: ({:?}, {:?}), switch: Auto)])",
                0.5 * v0,
                2.0 * v0
            );
            (run(&text), text)
        });
        let happens = |result: &RunResult| -> Vec<(Label, f64)> {
            let curves = result.curves.iter().filter(|c| c.name == "c");
            curves.flat_map(labels).map(|(label, v, _)| (label, v)).collect()
        };
        let (by_contacts, signs) = (happens(&first.0), happens(&second.0));
        // Bad luck with the start may lead to another orbit.
        if first.0.curves.is_empty() || second.0.curves.is_empty() {
            continue;
        }
        compared += 1;
        let alike = |(a, b): (&(Label, f64), &(Label, f64))| a.0 == b.0 && (a.1 - b.1).abs() <= 1e-9;
        if by_contacts.len() != signs.len() || !by_contacts.iter().zip(&signs).all(alike) {
            wrong.push((
                member,
                format!("{by_contacts:?}, by signs {signs:?}\n{}\n{}", first.1, second.1),
            ));
        }
    }
    none_wrong(class, count, &wrong);
    assert!(compared >= 3, "{compared} of {count} with a curve");
}
