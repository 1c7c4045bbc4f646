//! Multipliers in units in which positions and velocities differ by decades: forced structures of two and three masses
//! whose multipliers are those of the matrix exponential.

use super::known::{curve, labels, none_wrong, run};
use super::random::{Random, members};
use nalgebra::DMatrix;
use std::f64::consts::TAU;

/// A chain of masses on the ground: its matrix, and the study with time in units of `unit`.
fn chain(random: &mut Random, n: usize, unit: f64) -> (DMatrix<f64>, String) {
    let mut matrix = DMatrix::zeros(2 * n, 2 * n);
    let (mut masses, mut springs) = (String::new(), String::new());
    let weights: Vec<f64> = (0..n).map(|_| random.between(0.8, 1.6)).collect();
    for (i, mass) in weights.iter().enumerate() {
        matrix[(i, n + i)] = 1.0;
        masses += &format!("\"x{i}\": {mass:?}, ");
    }
    for i in 0..=n {
        let (stiffness, damping) = (random.between(0.8, 2.0), random.between(0.03, 0.1));
        // From the ground to the first mass, from each to the next, from the last to the ground.
        let ends: Vec<usize> = [i.checked_sub(1), (i < n).then_some(i)].into_iter().flatten().collect();
        for &a in &ends {
            for &b in &ends {
                let sign = if a == b { -1.0 } else { 1.0 };
                matrix[(n + a, b)] += sign * stiffness / weights[a];
                matrix[(n + a, n + b)] += sign * damping / weights[a];
            }
        }
        let against = ends
            .get(1)
            .map_or(String::new(), |b| format!("against: Coordinate(\"x{b}\"), "));
        let (stiffness, damping) = (stiffness / (unit * unit), damping / unit);
        springs += &format!(
            "Spring(on: \"x{}\", {against}stiffness: {stiffness:?}, damping: {damping:?}), ",
            ends[0]
        );
    }
    let coordinates: Vec<String> = (0..n).map(|i| format!("\"x{i}\"")).collect();
    let text = format!(
        "Study(title: \"chain\", system: Mechanical(coordinates: [{}], parameters: {{\"om\": {:?}}}, \
         forcing: Forcing(period: \"2*pi/om\"), masses: {{{masses}}}, springs: [{springs}], \
         forces: {{\"x0\": \"{:?}*cos(om*t)\"}}, contacts: {{\"w\": Gap(on: \"x1\", distance: 1000, restitution: 0.6, side: Above)}}), \
         curves: [Curve(name: \"c\", orbit: Periodic(\"w:open free\"), start: Settle(at: {{\"om\": {:?}}}), free: \"om\", \
         range: ({:?}, {:?}), points: 1500)])",
        coordinates.join(", "),
        0.4 / unit,
        random.between(0.5, 1.0) / (unit * unit),
        0.4 / unit,
        0.3 / unit,
        3.0 / unit,
    );
    (matrix, text)
}

#[test]
fn responses_have_the_multipliers_of_the_matrix_exponential_in_any_unit_of_time() {
    let class = "units of multipliers";
    let count = members(12);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let unit = random.log_between(1e-4, 1e3);
        let masses = 2 + random.below(2);
        let (matrix, text) = chain(&mut random, masses, unit);
        let rates = matrix.complex_eigenvalues();
        let result = run(&text);
        let found = curve(&result, "c");
        let mut off: f64 = 0.0;
        for (_, _, p) in found.points() {
            let period = TAU / p.point.parameter();
            // A pair of one modulus for each mode: moduli in order, and the product of all.
            let mut known: Vec<f64> = rates.iter().map(|r| r.re / unit * period / f64::ln(10.0)).collect();
            known.sort_by(|a, b| b.total_cmp(a));
            let pairs = p.record.multipliers.iter().zip(&known);
            off = pairs.fold(off, |m, (a, b)| m.max((a.log10 - b).abs()));
        }
        let reached = found.points().map(|(_, _, p)| p.point.parameter()).fold(0.0, f64::max);
        if off > 1e-10 || !labels(found).is_empty() || reached < 3.0 / unit * (1.0 - 1e-12) {
            let said: Vec<_> = labels(found).iter().map(|l| (l.0, l.1)).collect();
            wrong.push((
                member,
                format!("multipliers off by {off:e}, up to {reached:?} {said:?}\n{text}"),
            ));
        }
    }
    none_wrong(class, count, &wrong);
}
