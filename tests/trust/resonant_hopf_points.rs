//! Hopf points of two modes, of which one turns nearly two or three times as fast as the other: what is small beside
//! the linear field moves the other mode further than it takes part in the oscillation.

use super::known::{curve, labels, none_wrong, pieces, run};
use super::random::{Random, members};
use nalgebra::DMatrix;
use slipstick_bifurcation::Label;
use std::f64::consts::TAU;

#[test]
fn cycles_set_off_from_each_hopf_point_of_two_modes_in_resonance() {
    let class = "Hopf points of two modes in resonance";
    let count = members(16).max(8);
    let mut wrong = vec![];
    let mut seen = 0;
    for member in 0..count {
        let mut random = Random::of(class, member);
        // A string of two modes under a bow: v the speeds of the modes, w what the string is slower than the bow.
        let ratio = [4.0, 4.0, 4.01, 9.0][member % 4];
        let (a, b) = (random.between(0.6, 1.2), random.between(0.6, 1.5));
        let (damping, force) = (random.between(0.01, 0.05), random.between(0.8, 1.8));
        let units = [0, 1].map(|_| random.log_between(1e-2, 1e2));
        let (law, slope): (_, fn(f64) -> f64) = [
            ("0.8 - w + 0.5*w^3", (|w| 1.5 * w * w - 1.0) as fn(f64) -> f64),
            ("0.3 + 0.1/(0.2 + w)", |w| -0.1 / (0.2 + w).powi(2)),
        ][member / 4 % 2];
        let [u, s] = units;
        let text = format!(
            "Study(title: \"string\", system: Smooth(states: [\"x\", \"y\", \"u\", \"v\"], parameters: {{\"V\": 3}}, \
             define: {{\"w\": \"V - {a:?}*u/{u:?} - {b:?}*v/{s:?}\", \"F\": \"{force:?}*({law})\"}}, \
             equations: [\"x' = u\", \"y' = v\", \"u' = -x - {damping:?}*u + {a:?}*{u:?}*F\", \
             \"v' = -{ratio:?}*y - 2*{damping:?}*v + {b:?}*{s:?}*F\"]), curves: [\
             Curve(name: \"rest\", orbit: Equilibrium, start: Settle(at: {{\"V\": 3}}), free: \"V\", range: (0.3, 3)), \
             Curve(name: \"c\", orbit: PeriodicOrbit, start: Point(from: \"rest, HB\"), free: \"V\", range: (0.2, 3.1), points: 4)])"
        );
        let result = run(&text);
        let rest = labels(curve(&result, "rest"));
        let places = rest
            .iter()
            .filter(|(label, _, _)| *label == Label::HB)
            .map(|(_, at, _)| *at);
        // The frequency there, from the derivatives written by hand.
        let hopf: Vec<(f64, f64)> = places
            .map(|at| {
                let k = -force * slope(at);
                #[rustfmt::skip]
                let rates = DMatrix::from_row_slice(4, 4, &[
                    0.0, 0.0, 1.0, 0.0,
                    0.0, 0.0, 0.0, 1.0,
                    -1.0, 0.0, k * a * a - damping, k * a * b,
                    0.0, -ratio, k * a * b, k * b * b - 2.0 * damping,
                ]);
                let turning = rates.complex_eigenvalues();
                let nearest = turning.iter().min_by(|a, b| a.re.abs().total_cmp(&b.re.abs()));
                (at, nearest.map_or(0.0, |value| value.im.abs()))
            })
            .collect();
        seen += hopf.len();
        let families = pieces(&result, "c");
        let born = |(at, frequency): &(f64, f64)| {
            families.iter().filter_map(|family| family.first()).any(|first| {
                let near = (first.point.parameter() - at).abs() < 0.05 * at;
                near && (first.record.period * frequency / TAU - 1.0).abs() < 0.01
            })
        };
        if families.len() != hopf.len() || !hopf.iter().all(born) {
            let firsts = families.iter().filter_map(|family| family.first());
            let firsts: Vec<_> = firsts.map(|p| (p.point.parameter(), p.record.period)).collect();
            wrong.push((member, format!("{hopf:?} lead to {firsts:?}\n{text}")));
        }
    }
    assert!(seen >= count, "{seen} Hopf points of {count} strings");
    none_wrong(class, count, &wrong);
}
