//! Curves that go over to another word: to orbits that continue them, gone round once, and each traced once.

use super::known::{none_wrong, run};
use super::random::{Random, members};
use std::f64::consts::TAU;

/// A free mass between two walls, driven by A sin wt: orbits that hit each wall once in many periods of the forcing go
/// over to the motion that hits none, of the amplitude A/(w √(w² + c²)) and of one period.
#[test]
fn what_becomes_a_motion_of_one_period_goes_on_as_that_and_only_once() {
    let class = "free responses";
    let count = members(3);
    let (mut wrong, mut reached) = (vec![], 0);
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (w, c) = (random.between(2.2, 2.4), random.between(0.14, 0.16));
        let text = format!(
            "Study(title: \"rattle\", system: Mechanical(coordinates: [\"x\"], parameters: {{\"A\": 1.2, \"w\": {w:?}, \"c\": {c:?}, \"e\": {:?}, \"d\": {:?}}}, \
             forcing: Forcing(period: \"2*pi/w\"), masses: {{\"x\": 1}}, springs: [Spring(on: \"x\", damping: \"c\")], forces: {{\"x\": \"A*sin(w*t)\"}}, \
             contacts: {{\"g\": Gap(on: \"x\", distance: \"d\", side: Both, restitution: \"e\")}}, symmetry: {{\"x\": \"-x\", \"phase\": \"phase + pi\"}}, start: {{\"x\": 0.1}}), \
             curves: [Curve(name: \"s\", orbit: Symmetric(\"g:open g:hit+\"), start: All(at: {{\"A\": 1.2}}), free: \"A\", range: (0.05, 6), switch: Auto)])",
            random.between(0.68, 0.72),
            random.between(0.48, 0.52),
        );
        let result = run(&text);
        let mut said = vec![];
        let mut free = vec![];
        for found in &result.curves {
            let pieces = found.pieces.iter().filter(|p| p.word.starts_with("g:open free"));
            let points = pieces.flat_map(|p| &p.branch.points);
            let own: Vec<_> = points.collect();
            let top = found.monitors.iter().position(|m| m == "x_max").unwrap();
            let bottom = found.monitors.iter().position(|m| m == "x_min").unwrap();
            for p in &own {
                let amplitude = p.point.parameter() / (w * w.hypot(c));
                let measured = 0.5 * (p.record.monitors[top] - p.record.monitors[bottom]);
                if (p.record.period * w / TAU - 1.0).abs() > 1e-8 || (measured / amplitude - 1.0).abs() > 1e-6 {
                    said.push(format!(
                        "`{}`: period {} of the forcing's, amplitude {measured} for {amplitude}",
                        found.name,
                        p.record.period * w / TAU
                    ));
                }
            }
            if own.len() > 3 {
                free.push(found.name.clone());
            }
        }
        reached += usize::from(!free.is_empty());
        said.truncate(3);
        if free.len() > 1 {
            said.push(format!("the free response is traced as {free:?}"));
        }
        if !said.is_empty() {
            wrong.push((member, format!("{said:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
    assert!(reached > 0);
}
