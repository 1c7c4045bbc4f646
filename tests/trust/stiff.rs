//! Equilibria whose states move at very different rates.

use super::known::{Verdict, curve, labels, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::Label;

/// Slow states u, of a rate ε, with a bifurcation at q = 0 of which the followed solution is u1 = `at`(q), and how many
/// of their directions are unstable there.
struct Slow {
    fields: &'static [&'static str],
    start: f64,
    label: Label,
    at: fn(f64) -> f64,
    unstable: fn(f64, f64) -> usize,
}

const SLOW: [Slow; 4] = [
    Slow {
        fields: &["q - u1^2"],
        start: 0.9,
        label: Label::LP,
        at: f64::sqrt,
        unstable: |_, u| usize::from(u < 0.0),
    },
    Slow {
        fields: &["u1*(q - u1^2)"],
        start: -0.9,
        label: Label::BP,
        at: |_| 0.0,
        unstable: |q, _| usize::from(q > 0.0),
    },
    Slow {
        fields: &["u1*(q - u1)", "-u2 + u1^2"],
        start: -0.9,
        label: Label::BP,
        at: |_| 0.0,
        unstable: |q, _| usize::from(q > 0.0),
    },
    Slow {
        fields: &["q*u1 - 1.3*u2 - u1*(u1^2 + u2^2)", "1.3*u1 + q*u2 - u2*(u1^2 + u2^2)"],
        start: -0.9,
        label: Label::HB,
        at: |_| 0.0,
        unstable: |q, _| if q > 0.0 { 2 } else { 0 },
    },
];

/// The equations of slow states, the first of which is driven by v = y - h(u1), and of the fast state y.
fn driven(fields: &[&str], [rate, fast, kappa]: [f64; 3]) -> Vec<String> {
    let slow = fields.iter().enumerate().map(|(i, field)| {
        let driven = if i == 0 {
            format!(" + ({kappa:?})*v")
        } else {
            String::new()
        };
        format!("\"x{}' = ({rate:?})*({field}{driven})\"", i + 1)
    });
    slow.chain([format!("\"y' = -({fast:?})*v\"")]).collect()
}

/// The slow states drive fast ones of rates K, which drive them in turn: u1' = ε (f + κ (y - h(u1))), y' = -K (y -
/// h(u1)). With y = h(u1) at rest the sign of the determinant is that of f by u1, whatever the rates.
#[test]
fn slow_states_beside_fast_ones() {
    let class = "stiff";
    let count = members(12);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let slow = &SLOW[member % SLOW.len()];
        let n = slow.fields.len();
        let rate = random.log_between(1e-7, 1e-2);
        let fast = rate * random.log_between(1e9, 1e16);
        let kappa = random.between(-1.0, 1.0);
        // Away from zero, so that states tell their sizes themselves.
        let shift: Vec<f64> = (0..n + 2).map(|_| random.sign() * random.between(0.8, 2.0)).collect();
        let mut equations = driven(slow.fields, [rate, fast, kappa]);
        // A fast node between the two in rate.
        let middle = (rate * fast).sqrt();
        equations.push(format!("\"z' = -({middle:?})*(z - ({:?}) - u1)\"", shift[n + 1]));
        let list = |of: &dyn Fn(usize) -> String| (0..n).map(of).collect::<Vec<_>>().join(", ");
        let u = (slow.at)(slow.start.abs()) * f64::from(u8::from(slow.start > 0.0));
        let start = |i: usize| shift[i] + if i == 0 { u } else { 0.0 };
        let text = format!(
            "Study(title: \"stiff\", system: Smooth(states: [{}, \"y\", \"z\"], parameters: {{\"q\": {:?}}}, define: {{{}, \"v\": \"y - ({:?}) - 0.4*u1 - u1^2\"}}, equations: [{}]), \
             curves: [Curve(name: \"c\", orbit: Equilibrium, start: Guess(at: {{\"q\": {:?}}}, states: [{{{}, \"y\": {:?}, \"z\": {:?}}}]), free: \"q\", range: (-1, 1))])",
            list(&|i| format!("\"x{}\"", i + 1)),
            slow.start,
            list(&|i| format!("\"u{}\": \"x{} - ({:?})\"", i + 1, i + 1, shift[i])),
            shift[n],
            equations.join(", "),
            slow.start,
            list(&|i| format!("\"x{}\": {:?}", i + 1, start(i))),
            shift[n] + 0.4 * u + u * u,
            shift[n + 1] + u,
        );
        let result = run(&text);
        let c = curve(&result, "c");
        let found: Vec<(Label, f64)> = labels(c).iter().map(|l| (l.0, l.1)).collect();
        let verdict = Verdict::of(&found, &[(slow.label, 0.0)], 1e-7);
        let miscounted = c.points().find(|(_, _, p)| {
            let (q, u) = (p.point.parameter(), p.point.z[0] - shift[0]);
            p.label.is_none() && q.abs() > 1e-6 && p.record.unstable != (slow.unstable)(q, u)
        });
        let miscounted = miscounted.map(|(_, _, p)| (p.point.parameter(), p.record.unstable));
        if !verdict.is_right() || miscounted.is_some() {
            wrong.push((member, format!("{verdict:?} {miscounted:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// What a curve in two parameters passes among slow states u, of a rate ε, at q = r = 0: where it starts, its label and
/// that of the point of codimension two.
struct SlowLocus {
    fields: &'static [&'static str],
    start: [f64; 3],
    labels: [Label; 2],
}

const SLOW_LOCI: [SlowLocus; 4] = [
    SlowLocus {
        fields: &["q + r*u1 - u1^3"],
        start: [-0.897, 1.0, -1.3],
        labels: [Label::LP, Label::CP],
    },
    SlowLocus {
        fields: &["u2", "q + r*u2 + u1^2 + u1*u2"],
        start: [-1.0, -0.5, -1.0],
        labels: [Label::LP, Label::BT],
    },
    SlowLocus {
        fields: &["q*u1 - 1.3*u2 + (r - S)*u1*S", "1.3*u1 + q*u2 + (r - S)*u2*S"],
        start: [-0.9, -0.5, 0.0],
        labels: [Label::HB, Label::GH],
    },
    SlowLocus {
        fields: &["q - u1^2", "(r + u1)*u2 - 1.3*u3", "1.3*u2 + (r + u1)*u3"],
        start: [0.81, -0.4, 0.9],
        labels: [Label::LP, Label::ZH],
    },
];

/// Curves in two parameters through points of codimension two of slow states, which fast ones drive as above. States
/// are counted from the point itself, or from anywhere else.
#[test]
fn curves_in_two_parameters_of_slow_states_beside_fast_ones() {
    let class = "stiff loci";
    let count = members(12);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let slow = &SLOW_LOCI[member % SLOW_LOCI.len()];
        let n = slow.fields.len();
        let rate = random.log_between(1e-6, 1e2);
        let fast = rate * random.log_between(1e8, 1e12);
        let kappa = random.between(-1.0, 1.0);
        let away = if random.sign() > 0.0 { 1.0 } else { 0.0 };
        let mut shift = || away * random.sign() * random.between(0.8, 2.0);
        let shifts: Vec<f64> = (0..n).map(|_| shift()).collect();
        let of_y = shift();
        let equations = driven(slow.fields, [rate, fast, kappa]);
        let list = |of: &dyn Fn(usize) -> String| (0..n).map(of).collect::<Vec<_>>().join(", ");
        let [q, r, u] = slow.start;
        let start = |i: usize| shifts[i] + if i == 0 { u } else { 0.0 };
        let [first, second] = slow.labels;
        let sum = if n > 1 { "u1^2 + u2^2" } else { "0" };
        let text = format!(
            "Study(title: \"stiff\", system: Smooth(states: [{}, \"y\"], parameters: {{\"q\": {q:?}, \"r\": {r:?}}}, \
             define: {{{}, \"S\": \"{sum}\", \"v\": \"y - ({of_y:?}) - 0.4*u1 - u1^2\"}}, equations: [{}]), \
             curves: [Curve(name: \"c\", orbit: Equilibrium, start: Guess(at: {{\"q\": {q:?}}}, states: [{{{}, \"y\": {:?}}}]), free: \"q\", range: (-1.5, 1.5))], \
             loci: [Locus(name: \"d\", from: \"c: {first} 1\", free: (\"q\", \"r\"), range: ((-1.5, 1.5), (-1, 1)))])",
            list(&|i| format!("\"x{}\"", i + 1)),
            list(&|i| format!("\"u{}\": \"x{} - ({:?})\"", i + 1, i + 1, shifts[i])),
            equations.join(", "),
            list(&|i| format!("\"x{}\": {:?}", i + 1, start(i))),
            of_y + 0.4 * u + u * u,
        );
        let result = run(&text);
        let found: Vec<(Label, [f64; 2])> = (result.curves.iter().filter(|c| c.name.starts_with('d')))
            .flat_map(|c| c.points())
            .filter_map(|(_, _, p)| Some((p.label?, [p.record.parameters[0], p.record.parameters[1]])))
            .filter(|(label, _)| *label != Label::EP)
            .collect();
        let right = matches!(found[..], [(label, [q, r])] if label == second && q.abs() < 1e-6 && r.abs() < 1e-6);
        if !right {
            wrong.push((member, format!("{found:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}
