//! States of rest of stiff systems: what is fast comes to its place at once, and the rest is waited for, however much
//! slower it is.

use super::known::{none_wrong, run};
use super::random::{Random, members};
use slipstick_study::AttractorKind;

/// x' = x - x³ and z' = z (1 - z²)(1 + 0.3 x) in the slow time, y' = -K (y - x²): rest at x = ±1, y = 1, z = ±1 only.
#[test]
fn stiff_systems_rest_at_their_equilibria_only() {
    let class = "stiff rest";
    let count = members(10);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (ratio, rate, unit) = (
            random.log_between(1e2, 1e7),
            random.log_between(1e-2, 1e2),
            random.log_between(1e-4, 1e3),
        );
        let wide = 2.0 * unit;
        let text = format!(
            "Study(title: \"stiff\", system: Smooth(states: [\"x\", \"y\", \"z\"], parameters: {{\"a\": 1}}, \
             define: {{\"X\": \"x/({unit:?})\", \"Y\": \"y/({unit:?})\", \"Z\": \"z/({unit:?})\"}}, \
             equations: [\"x' = {:?}*(X - X^3)\", \"y' = {:?}*(Y - X^2)\", \"z' = {:?}*Z*(1 - Z^2)*(1 + 0.3*X)\"], \
             start: {{\"x\": {:?}, \"z\": {:?}}}), \
             attractors: [Attractors(name: \"seen\", sweep: \"a\", range: (0, 1), count: 2, starts: 8, \
             within: {{\"x\": (-{wide:?}, {wide:?}), \"y\": (0, {unit:?}), \"z\": (-{wide:?}, {wide:?})}})])",
            unit * rate,
            -unit * rate * ratio,
            unit * rate,
            0.5 * unit,
            0.3 * unit,
        );
        let result = run(&text);
        let seen = &result.attractors[0];
        let at = |row: &[f64]| [1, 4, 7].map(|i| row[i] / unit);
        let is_rest = |row: &[f64]| {
            let [x, y, z] = at(row);
            (x.abs() - 1.0).abs() < 1e-6 && (y - 1.0).abs() < 1e-6 && (z.abs() - 1.0).abs() < 1e-6
        };
        for one in &seen.found {
            let rests = matches!(one.kind, AttractorKind::Rest { .. });
            if !rests || one.rows.len() != 1 || !is_rest(&one.rows[0]) {
                let rows: Vec<_> = one.rows.iter().map(|row| at(row)).collect();
                wrong.push((
                    member,
                    format!("K = {ratio:e}: {:?} {rows:?} {}\n{text}", one.kind, one.message),
                ));
            }
        }
        let starts: usize = seen.found.iter().map(|one| one.starts).sum();
        if starts != 16 {
            wrong.push((member, format!("{starts} of 16 starts\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}
