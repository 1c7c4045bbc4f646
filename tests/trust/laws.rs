//! Contacts by their laws: those that a symmetry takes to each other, hits that end in contact, combinations that are no
//! modes.

use super::known::{curve, labels, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::Label;
use slipstick_study as study;

/// Pairs of springs that mirror each other, friction and relays between the same bodies, in any order: the image of each
/// state is that of the contact with the same constants. No system with one constant changed has the symmetry.
#[test]
fn a_symmetry_takes_contacts_to_those_of_the_same_law() {
    let class = "contacts of one kind";
    let count = members(12);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        // Contacts of one coordinate, each with the name of its image.
        let mut contacts: Vec<(String, String, String)> = vec![];
        let numbers: Vec<f64> = (0..8).map(|_| random.between(0.2, 2.0)).collect();
        let changed = random.below(2);
        for k in 0..2 {
            let (a, b) = (numbers[2 * k], numbers[2 * k + 1]);
            let mut pair = |kind: &str, law: &dyn Fn(f64, &str) -> String| {
                for (own, other, side) in [("a", "b", "Above"), ("b", "a", "Below")] {
                    contacts.push((format!("{kind}{own}{k}"), format!("{kind}{other}{k}"), law(a, side)));
                }
            };
            match member % 3 {
                0 => pair("w", &|a, side| {
                    format!("Gap(on: \"x\", distance: {a:?}, stiffness: {b:?}, side: {side})")
                }),
                1 => {
                    let law = format!("Jenkins(on: \"x\", k_t: {a:?}, limit: {b:?})");
                    contacts.push((format!("j{k}"), format!("j{k}"), law));
                }
                _ => {
                    let law = format!("Relay(on: \"x\", level: \"p{k}\", hysteresis: {b:?})");
                    contacts.push((format!("r{k}"), format!("r{k}"), law));
                }
            }
        }
        for k in (1..contacts.len()).rev() {
            contacts.swap(k, random.below(k + 1));
        }
        let text = |contacts: &[(String, String, String)]| {
            let laws: Vec<String> = contacts
                .iter()
                .map(|(name, _, law)| format!("\"{name}\": {law}"))
                .collect();
            format!(
                "Study(title: \"laws\", system: Mechanical(coordinates: [\"x\"], parameters: {{\"p0\": {:?}, \"p1\": {:?}, \"w\": 1}}, masses: {{\"x\": 1}}, \
                 springs: [Spring(on: \"x\", stiffness: \"w + p0 + p1\", damping: 0.1)], forcing: Forcing(period: \"2*pi/w\"), forces: {{\"x\": \"cos(w*t)\"}}, \
                 contacts: {{{}}}, symmetry: {{\"x\": \"-x\", \"phase\": \"phase + pi\"}}))",
                numbers[0],
                numbers[2],
                laws.join(", ")
            )
        };
        let built = |text: &str| {
            let loaded = study::parse("study.ron".as_ref(), text.to_owned()).unwrap_or_else(|e| panic!("{e}\n{text}"));
            loaded.plan(&[])
        };
        let right = text(&contacts);
        match built(&right) {
            Err(why) => wrong.push((member, format!("{why}\n{right}"))),
            Ok(plan) => {
                let system = &plan.systems[0].system;
                let images = &system.symmetry.as_ref().unwrap().modes;
                for (mode, &image) in system.modes.iter().zip(images) {
                    let image = &system.modes[image].name;
                    let state = |of: &str, name: &str| {
                        let found = of.split(',').find_map(|part| part.strip_prefix(&format!("{name}:")));
                        found.unwrap().to_owned()
                    };
                    let mirrored = |state: String| match state.strip_suffix('+') {
                        Some(stem) => format!("{stem}-"),
                        None => state.strip_suffix('-').map_or(state.clone(), |stem| format!("{stem}+")),
                    };
                    let is_right = |(name, other, _): &(String, String, String)| {
                        state(image, other) == mirrored(state(&mode.name, name))
                    };
                    if !contacts.iter().all(is_right) {
                        wrong.push((member, format!("`{}` has the image `{image}`\n{right}", mode.name)));
                    }
                }
            }
        }
        if member % 3 == 0 {
            let (name, ..) = contacts[changed].clone();
            let old = format!("{:?}", numbers[2 * usize::from(name.ends_with('1'))]);
            contacts[changed].2 = contacts[changed].2.replace(&old, "2.5");
            let false_one = text(&contacts);
            if built(&false_one).is_ok() {
                wrong.push((member, format!("accepted\n{false_one}")));
            }
        }
    }
    none_wrong(class, count, &wrong);
}

/// A mass on a floor that shakes, without rebound: whatever `rest` says, every landing that the forces press ends in
/// contact. It leaves where the force vanishes, at sin t = 1/A.
#[test]
fn hits_without_rebound_end_in_contact_whatever_their_speed() {
    let class = "no rebound";
    let count = members(6);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let rest = random.log_between(1e-7, 10.0);
        let (zero, parameters) = match member % 3 {
            0 => ("0", "\"A\": 1.3"),
            1 => ("\"e\"", "\"A\": 1.3, \"e\": 0"),
            _ => ("\"e*(1 - e)\"", "\"A\": 1.3, \"e\": 1"),
        };
        let text = format!(
            "Study(title: \"floor\", system: Mechanical(coordinates: [\"x\"], parameters: {{{parameters}}}, masses: {{\"x\": 1}}, forcing: Forcing(period: \"2*pi\"), \
             forces: {{\"x\": \"-1 + A*sin(t)\"}}, contacts: {{\"f\": Gap(on: \"x\", side: Below, restitution: {zero}, rest: {rest:?})}}, start: {{\"x\": 0}}, \
             monitors: {{\"top\": Max(\"x\")}}), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"f:open f:stop f:rest f:leave\"), start: Settle(at: {{\"A\": 1.3}}), free: \"A\", range: (1.05, 1.8))])"
        );
        let result = run(&text);
        if result.curves.is_empty() {
            let why: Vec<&str> = result.missing.iter().map(|m| &*m.reason).collect();
            wrong.push((member, format!("{why:?}\n{text}")));
            continue;
        }
        let found = curve(&result, "c");
        let (mut off, mut least, mut most) = (0.0f64, f64::INFINITY, 0.0f64);
        for (_, _, p) in found.points() {
            let a = p.point.parameter();
            (least, most) = (least.min(a), most.max(a));
            // The top of the flight, where v = -(t - t₀) - A (cos t - cos t₀) vanishes again.
            let left = (1.0 / a).asin();
            let v = |t: f64| left - t - a * (t.cos() - left.cos());
            let (mut low, mut high) = (std::f64::consts::PI - left, 2.0 * std::f64::consts::PI);
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                if v(middle) > 0.0 { low = middle } else { high = middle }
            }
            let t = low - left;
            let top = a * (t * left.cos() - (low.sin() - left.sin())) - 0.5 * t * t;
            off = off.max((p.record.monitors[0] - top).abs());
        }
        let odd = found.points().any(|(_, _, p)| p.label.is_some_and(|l| l != Label::EP));
        if odd || !(off <= 1e-8) || least > 1.05 + 1e-9 || most < 1.8 - 1e-9 {
            wrong.push((
                member,
                format!("{least} to {most}, off by {off:e}, other labels: {odd}\n{text}"),
            ));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Of many contacts only the combinations that motions from the system's start come through are modes. A motion from
/// elsewhere that comes to another one is not at rest there.
#[test]
fn a_motion_that_comes_to_a_combination_without_a_mode_says_which() {
    let class = "belts";
    let count = members(3);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let names = ["x1", "x2", "x3", "x4"];
        let of = |what: &dyn Fn(&str) -> String| names.map(what).join(", ");
        let coupling = random.between(1.5, 3.0);
        let mut springs = vec![of(&|x| format!("Spring(on: \"{x}\", stiffness: 0.5, damping: 0.05)"))];
        for pair in names.windows(2) {
            let (a, b) = (pair[0], pair[1]);
            springs.push(format!(
                "Spring(on: \"{a}\", against: Coordinate(\"{b}\"), stiffness: {coupling:?})"
            ));
        }
        let masses = of(&|x| format!("\"{x}\": 1"));
        let friction =
            |x: &str| format!("\"b{x}\": Stiction(on: \"{x}\", against: Belt(\"v0\"), mu_s: 0.5, mu_d: 0.3)");
        let start = of(&|x| format!("\"{x}\": 0.1, \"v_{x}\": \"v0\""));
        let shifts: Vec<f64> = names.iter().map(|_| random.between(0.02, 0.2)).collect();
        let from: Vec<String> = names
            .iter()
            .zip(&shifts)
            .map(|(x, by)| format!("\"{x}\": {by:?}"))
            .collect();
        let stuck = names.map(|x| format!("b{x}:stick")).join(",");
        let text = format!(
            "Study(title: \"belts\", system: Mechanical(coordinates: [\"x1\", \"x2\", \"x3\", \"x4\"], parameters: {{\"v0\": {:?}}}, masses: {{{masses}}}, \
             springs: [{}], contacts: {{{}}}, start: {{{start}}}), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"{stuck} free\"), start: Settle(at: {{}}, from: {{{}}}), free: \"v0\", range: (0.05, 1.5))])",
            random.between(0.3, 0.7),
            springs.join(", "),
            of(&friction),
            from.join(", ")
        );
        let result = run(&text);
        let said: Vec<&str> = result.missing.iter().map(|m| &*m.reason).collect();
        if !said
            .iter()
            .any(|why| why.contains("which is no mode: add \"") && !why.contains("at rest"))
        {
            wrong.push((member, format!("{said:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Two inertias that turn, in their twist and the angle of the first, of which nothing depends on the value: friction at
/// the second, which is a point. It slips at rest with the twist -μ/k and the speed v₀ - μ/c, down to v₀ = μ/c.
#[test]
fn points_may_move_with_cyclic_coordinates() {
    let class = "points and cyclic coordinates";
    let count = members(4);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (j1, j2, k) = (
            random.between(1.0, 4.0),
            random.between(0.5, 2.0),
            random.between(1.0, 5.0),
        );
        let (c, mu) = (random.between(0.3, 2.0), random.between(0.2, 1.0));
        let border = mu / c;
        let text = format!(
            "Study(title: \"drive\", system: Mechanical(coordinates: [\"d\", \"x1\"], cyclic: [\"x1\"], parameters: {{\"v0\": {:?}}}, \
             M: [[{j2:?}, {j2:?}], [{j2:?}, {:?}]], K: [[{k:?}, 0], [0, 0]], points: {{\"bit\": {{\"d\": 1, \"x1\": 1}}}}, \
             forces: {{\"x1\": \"{c:?}*(v0 - v_x1)\"}}, contacts: {{\"b\": Coulomb(on: \"bit\", mu: {mu:?})}}), \
             curves: [Curve(name: \"c\", orbit: EquilibriumIn(\"b:slip+\"), start: Guess(at: {{\"v0\": {:?}}}, \
             states: [{{\"d\": {:?}, \"v_d\": 0, \"v_x1\": {border:?}}}]), free: \"v0\", range: ({:?}, {:?}))])",
            2.0 * border,
            j1 + j2,
            2.0 * border,
            -mu / k,
            0.2 * border,
            3.0 * border,
        );
        let result = run(&text);
        let found = curve(&result, "c");
        let ends: Vec<f64> = labels(found).iter().filter(|l| l.0 == Label::BE).map(|l| l.1).collect();
        let slips = found.points().filter(|(_, _, p)| p.point.z.len() == 4);
        let off = slips.fold(0.0f64, |off, (_, _, p)| {
            let (z, v0) = (&p.point.z, p.point.parameter());
            off.max((z[0] + mu / k).abs()).max((z[2] - (v0 - border)).abs())
        });
        if ends.len() != 1 || (ends[0] / border - 1.0).abs() > 1e-9 || off > 1e-9 {
            wrong.push((member, format!("{ends:?} for {border}, off by {off:e}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}
