//! Two eigenvalues that vanish together on curves of branch points, in any units: with an eigenvector each, in rings of
//! equal cells, or with one eigenvector, in oscillators with a symmetry.

use super::known::{none_wrong, pieces, run};
use super::random::{Random, members};
use slipstick_bifurcation::Label;

/// The labels of the curve of branch points but for its ends, with both parameters in these units.
fn labels(text: &str, units: [f64; 2]) -> Vec<(Label, [f64; 2])> {
    let result = run(text);
    let all = pieces(&result, "bp");
    let labelled = all.iter().flatten().filter_map(|p| Some((p.label?, p)));
    let place = |p: &[f64]| [p[0] / units[0], p[1] / units[1]];
    labelled
        .filter(|(label, _)| *label != Label::EP)
        .map(|(label, p)| (label, place(&p.record.parameters)))
        .collect()
}

/// u' = p u - u³ + q (left + right - 2 u) + d (second left + second right - 2 u) - q² u/5: at p = q = 0 as well the
/// mode of all cells in phase as the one in which they alternate is neutral.
#[test]
fn of_rings_are_folds_as_each_has_its_own_eigenvector() {
    let class = "double zeros of rings";
    let count = members(16);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let n = 4 + 2 * (member % 2);
        let mut power = || 10f64.powi(random.below(9) as i32 - 4);
        let (p, q, u, t) = (power(), power(), power(), power());
        let (second, from) = (random.between(0.1, 0.4), random.between(0.2, 0.8));
        let list = |f: &dyn Fn(usize) -> String| (0..n).map(f).collect::<Vec<_>>().join(", ");
        let equation = |i: usize| {
            let at = |k: usize| format!("u{}", (i + k) % n);
            let (a, b, c, d) = (at(1), at(n - 1), at(2), at(n - 2));
            format!(
                "\"u{i}' = (p/{p:?}*u{i} - u{i}^3/{:?} + q/{q:?}*({a} + {b} - 2*u{i}) + {second:?}*({c} + {d} - 2*u{i}) - 0.2*(q/{q:?})^2*u{i})/{t:?}\"",
                u * u
            )
        };
        let text = format!(
            "Study(title: \"ring\", system: Smooth(states: [{}], parameters: {{\"p\": {:?}, \"q\": {:?}}}, equations: [{}]), \
             curves: [Curve(name: \"rest\", orbit: Equilibrium, start: Guess(at: {{\"p\": {:?}}}, states: [{{{}}}]), free: \"p\", range: ({:?}, {p:?}))], \
             loci: [Locus(name: \"bp\", from: \"rest: BP 1\", free: (\"p\", \"q\"), range: (({:?}, {:?}), ({:?}, {:?})))])",
            list(&|i| format!("\"u{i}\"")),
            -p,
            from * q,
            list(&equation),
            -p,
            list(&|i| format!("\"u{i}\": 0")),
            -p,
            -p,
            4.0 * p,
            -2.0 * q,
            2.0 * q,
        );
        let found = labels(&text, [p, q]);
        let known = Label::codimension_two(Label::BP, Label::LP);
        let right = found.len() == 1 && found[0].0 == known && found[0].1.iter().all(|v| v.abs() <= 1e-9);
        if !right {
            wrong.push((member, format!("{found:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// x'' = p x + q x' - x³ - x² x', with a state beside that decays or grows: the branch points p = 0 have a second zero
/// at q = 0, and both one eigenvector.
#[test]
fn of_oscillators_are_bogdanov_takens_as_both_have_one_eigenvector() {
    let class = "double zeros of oscillators";
    let count = members(16);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let mut power = || 10f64.powi(random.below(7) as i32 - 3);
        let (p, q, x, v, t) = (power(), power(), power(), power(), power());
        let from = random.sign() * random.between(0.2, 0.8);
        let rate = random.sign() * random.log_between(0.1, 10.0);
        let text = format!(
            "Study(title: \"oscillator\", system: Smooth(states: [\"x\", \"v\", \"z\"], parameters: {{\"p\": {:?}, \"q\": {:?}}}, \
             define: {{\"X\": \"x/{x:?}\", \"V\": \"v/{v:?}\"}}, equations: [\"x' = {:?}*V\", \"v' = {:?}*(p/{p:?}*X + q/{q:?}*V - X^3 - X^2*V)\", \
             \"z' = ({:?})*z\"]), \
             curves: [Curve(name: \"rest\", orbit: Equilibrium, start: Guess(at: {{\"p\": {:?}}}, states: [{{\"x\": 0, \"v\": 0, \"z\": 0}}]), free: \"p\", range: ({:?}, {p:?}))], \
             loci: [Locus(name: \"bp\", from: \"rest: BP 1\", free: (\"p\", \"q\"), range: (({:?}, {p:?}), ({:?}, {q:?})))])",
            -p,
            from * q,
            x / t,
            v / t,
            rate / t,
            -p,
            -p,
            -p,
            -q,
        );
        let found = labels(&text, [p, q]);
        let right = found.len() == 1 && found[0].0 == Label::BT && found[0].1.iter().all(|v| v.abs() <= 1e-9);
        if !right {
            wrong.push((member, format!("{found:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}
