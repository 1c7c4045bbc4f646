//! Symmetric orbits whose word may begin with any of their segments, or with its mirror image.

use super::known::{labels, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::Label;

/// The word of a segment in the other half.
fn image(segment: &str) -> String {
    segment.replace('+', "#").replace('-', "+").replace('#', "-")
}

/// The subharmonic of a dry oscillator that sticks once in each half of its three periods. Where a second stick appears
/// the curve goes on in another word and comes back to where both vanish together. That it was there before must not
/// depend on which of the two is left out first, nor on where the word begins.
#[test]
fn closed_curves_are_gone_round_once() {
    const HALF: [&str; 4] = ["slip+ land", "stick release+", "slip- reverse", "slip+ reverse"];
    let class = "half words";
    let count = members(6);
    let (mut wrong, mut closed) = (vec![], 0);
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (stuck, moving) = (random.between(1.08, 1.16), random.between(0.34, 0.4));
        let omega = random.between(1.36, 1.385);
        let other = HALF.map(image);
        let round: Vec<&str> = HALF.iter().copied().chain(other.iter().map(String::as_str)).collect();
        let mut known: Option<Vec<(Label, f64)>> = None;
        for begins in 0..round.len() {
            let word: Vec<&str> = round.iter().cycle().skip(begins).take(HALF.len()).copied().collect();
            let text = format!(
                "Study(title: \"half\", system: Stiction(mu_s: {stuck:?}, mu_d: {moving:?}), curves: [Curve(name: \"c\", orbit: Symmetric(\"{}\"), \
                 start: All(at: {{\"Omega\": {omega:?}}}), free: \"Omega\", range: (0.8, 2), switch: Auto)])",
                word.join(" ")
            );
            let result = run(&text);
            let mut found: Vec<(Label, f64)> = result
                .curves
                .iter()
                .flat_map(labels)
                .map(|(label, at, _)| (label, at))
                .collect();
            found.sort_by(|a, b| a.1.total_cmp(&b.1));
            let alike = |known: &Vec<(Label, f64)>| {
                let pairs = known.iter().zip(&found);
                known.len() == found.len() && pairs.into_iter().all(|(a, b)| a.0 == b.0 && (a.1 - b.1).abs() <= 1e-9)
            };
            match &known {
                Some(known) if !alike(known) => {
                    wrong.push((member, format!("begun at {begins}: {found:?}, not {known:?}\n{text}")));
                }
                Some(_) => {}
                None => {
                    // A curve that closes at a place begins there as well.
                    let twice = found.windows(2).filter(|w| (w[0].1 - w[1].1).abs() <= 1e-9).count();
                    closed += usize::from(twice == 1);
                    if twice > 1 {
                        wrong.push((member, format!("gone round more than once: {found:?}\n{text}")));
                    }
                    known = Some(found);
                }
            }
        }
    }
    none_wrong(class, count, &wrong);
    assert!(2 * closed >= count, "only {closed} of {count} curves close");
}
