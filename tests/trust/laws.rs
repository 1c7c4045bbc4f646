//! Contacts by their laws: those that a symmetry takes to each other.

use super::known::none_wrong;
use super::random::{Random, members};
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
