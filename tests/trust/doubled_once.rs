//! Families of doubled orbits between two period doublings of one curve: each is traced once.

use super::known::{curve, labels, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::{BranchPoint, Label};

/// x'' + c x' + x - a x² + b x³ under a forcing with three harmonics. A branch that sets off from one doubling and ends
/// at another is the one that sets off from there, with its folds, however near to the doubling these are. Every other
/// member has a fold just behind a doubling, beside which the second branch would set off.
#[test]
fn a_family_between_two_doublings_is_traced_once() {
    const SAME: f64 = 1e-7;
    let class = "doubled once";
    let count = members(12);
    let mut wrong = vec![];
    let mut families = 0;
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (scale, w) = (random.log_between(1e-2, 1e2), "w*t");
        let mut draw = |(low, high): (f64, f64), place: f64| match member % 2 {
            0 => random.between(low, high),
            _ => place * random.between(0.995, 1.005),
        };
        let text = format!(
            "Study(title: \"doubled\", system: Smooth(states: [\"x\", \"v\"], parameters: {{\"w\": 2.5}}, forcing: Forcing(period: \"2*pi/w\"), \
             equations: [\"x' = v\", \"v' = -({:?})*v - x + ({:?})*x^2 - ({:?})*x^3 + {scale:?}*(({:?})*cos({w}) + ({:?})*sin(2*{w}) + ({:?})*cos(3*{w}))\"]), \
             curves: [Curve(name: \"c\", orbit: PeriodicOrbit, start: Settle(at: {{\"w\": 2.5}}), free: \"w\", range: (0.9, 2.6), branches: [PD])])",
            draw((0.06, 0.11), 0.0776),
            draw((0.36, 0.5), 0.4359) / scale,
            draw((0.3, 0.4), 0.3438) / (scale * scale),
            draw((0.95, 1.3), 1.1229),
            draw((0.05, 0.15), 0.108),
            draw((0.05, 0.15), 0.1077),
        );
        let result = run(&text);
        let doublings: Vec<f64> = labels(curve(&result, "c"))
            .iter()
            .filter(|(label, _, _)| *label == Label::PD)
            .map(|(_, at, _)| *at)
            .collect();
        // For each branch the doublings that it sets off from and ends at.
        let mut between: Vec<(String, usize, usize)> = vec![];
        for branch in &result.curves {
            let Some(number) = branch.name.strip_prefix("c-PD") else {
                continue;
            };
            let first: Result<usize, _> = number.trim_end_matches(char::is_alphabetic).parse();
            let ends = labels(branch);
            let at_end = |(label, _, p): &&(Label, f64, &BranchPoint)| {
                *label == Label::PD && p.message.contains("this branch ends at")
            };
            let Some((_, at, _)) = ends.iter().rfind(at_end) else {
                continue;
            };
            let last = doublings.iter().position(|there| (there - at).abs() < SAME);
            if let (Ok(first), Some(last)) = (first, last) {
                between.push((branch.name.clone(), first - 1, last));
            }
        }
        families += between.iter().filter(|(_, first, last)| first != last).count();
        let twice = between.iter().enumerate().find_map(|(i, (name, first, last))| {
            let again = between[..i]
                .iter()
                .find(|(_, from, to)| from == last && to == first && from != to);
            again.map(|(other, ..)| format!("{name} is {other}"))
        });
        // Where a family ends at a doubling, no other sets off from there.
        let crowded = twice.or_else(|| {
            let mut counts = vec![0; doublings.len()];
            for (_, first, last) in between.iter().filter(|(_, first, last)| first != last) {
                counts[*first] += 1;
                counts[*last] += 1;
            }
            let most = counts.iter().position(|count| *count > 1)?;
            Some(format!("{} families at doubling {}", counts[most], most + 1))
        });
        if let Some(what) = crowded {
            wrong.push((member, format!("{what}; {between:?}\n{text}")));
        }
    }
    assert!(2 * families >= count, "only {families} families in {count} members");
    none_wrong(class, count, &wrong);
}
