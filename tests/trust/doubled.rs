//! Branches of doubled orbits, which end on the branches that they were born from: one at each doubling.

use super::known::{curve, labels, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::Label;

/// x'' + c x' - a x + b x³ = F cos(w t), over F of both signs, with two generations of doubled orbits. F and -F are
/// mirror images, and so are their branches; steps are not, so that what lies next to the end of a branch is not
/// found by luck on both sides. Stability changes where there is a label.
#[test]
fn doubled_branches_are_mirror_images_up_to_their_ends() {
    let class = "doubled";
    let count = members(3);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let text = format!(
            "Study(title: \"doubled\", system: Smooth(states: [\"x\", \"v\"], parameters: {{\"w\": {:?}, \"F\": 0.21}}, forcing: Forcing(period: \"2*pi/w\"), \
             equations: [\"x' = v\", \"v' = -({:?})*v + ({:?})*x - ({:?})*x^3 + F*cos(w*t)\"], start: {{\"x\": 1}}), \
             curves: [Curve(name: \"r\", orbit: PeriodicOrbit, start: Settle(at: {{\"F\": 0.05}}), free: \"F\", range: (-0.45, 0.45), branches: [PD], generations: 2)])",
            random.between(1.01, 1.04),
            random.between(0.15, 0.2),
            random.between(0.93, 0.98),
            random.between(1.04, 1.08),
        );
        let result = run(&text);
        let mut places: Vec<(usize, Label, f64)> = vec![];
        let mut said = vec![];
        for c in &result.curves {
            let points: Vec<_> = c.points().map(|(_, _, p)| p).collect();
            for pair in points.windows(2) {
                if pair[0].record.unstable != pair[1].record.unstable && pair.iter().all(|p| p.label.is_none()) {
                    said.push(format!(
                        "{}: {} at {}",
                        c.name,
                        pair[1].record.unstable,
                        pair[1].point.parameter()
                    ));
                }
            }
            let special = points.iter().filter_map(|p| Some((p.label?, p.point.parameter())));
            let special = special.filter(|(label, _)| matches!(label, Label::PD | Label::LP | Label::NS));
            let generation = c.name.matches('-').count();
            places.extend(special.map(|(label, at)| (generation, label, at)));
        }
        for (generation, label, at) in &places {
            let mirrored = places
                .iter()
                .any(|(g, l, a)| g == generation && l == label && (a + at).abs() < 1e-8);
            if !mirrored {
                said.push(format!("{label} of generation {generation} at {at} only"));
            }
        }
        if !said.is_empty() || places.iter().all(|p| p.0 < 2) {
            wrong.push((member, format!("{}\n{text}", said.join("; "))));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Neurons that fire and are reset, with a corner in their field: where the orbit doubles, one branch of doubled orbits
/// is born.
#[test]
fn a_doubling_gives_one_branch_whatever_the_corner() {
    let class = "one doubled branch";
    let count = members(3);
    let (mut wrong, mut doubled) = (vec![], 0);
    for member in 0..count {
        let mut random = Random::of(class, member);
        let text = format!(
            "Study(title: \"firing\", system: Hybrid(states: [\"v\", \"u\"], parameters: {{\"I\": 3.5}}, \
             modes: {{\"q\": Mode(equations: [\"v' = v*abs(v)*{:?} + {:?}*v - u + I\", \"u' = {:?}*({:?}*v - u)\"], \
             events: {{\"sp\": Event(guard: \"v - 3\", direction: Up, to: \"q\", reset: {{\"v\": \"-0.8\", \"u\": \"u + {:?}\"}})}})}}), \
             curves: [Curve(name: \"t\", orbit: Periodic(\"q\"), start: Settle(at: {{\"I\": 3.5}}), free: \"I\", range: (0.5, 10), switch: Auto, branches: [PD])])",
            random.between(0.48, 0.52),
            random.between(0.28, 0.32),
            random.between(0.19, 0.21),
            random.between(0.38, 0.42),
            random.between(0.58, 0.62),
        );
        let result = run(&text);
        let doublings = labels(curve(&result, "t")).iter().filter(|l| l.0 == Label::PD).count();
        let branches = result.curves.iter().filter(|c| c.name.starts_with("t-PD")).count();
        doubled += doublings;
        if branches != doublings {
            wrong.push((member, format!("{branches} branches of {doublings} doublings\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
    assert!(doubled > 0);
}
