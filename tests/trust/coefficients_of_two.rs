//! The coefficients that messages give at points of codimension two of equilibria: those of the normal forms that
//! systems are made from, whatever the coordinates.

use super::known::{curve, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::Label;

/// A normal form `u' = f(u)`, with parameters `a` and `b` that unfold it at zero.
struct Form {
    fields: Vec<String>,
    /// An equilibrium at a = -0.5, b = 0.3, and the label on its curve over a at which the other curve begins.
    at: Vec<f64>,
    from: Label,
}

/// The study of a normal form in other states x with `l = s R x`, R made of rotations of neighbours, `u₁ = l₁` and
/// `uᵢ = lᵢ + kᵢ l₁²`, and in another unit of time.
struct Written {
    text: String,
    /// s, and the unit of time.
    scale: f64,
    time: f64,
}

fn written(random: &mut Random, form: &Form, label: Label) -> Written {
    let n = form.fields.len();
    let (scale, time) = (random.log_between(1e-2, 1e2), random.log_between(1e-2, 1e2));
    let mut rotation: Vec<Vec<f64>> = (0..n)
        .map(|i| (0..n).map(|j| if i == j { 1.0 } else { 0.0 }).collect())
        .collect();
    for i in 1..n {
        let (s, c) = random.between(0.3, 2.8).sin_cos();
        for row in &mut rotation {
            let (a, b) = (row[i - 1], row[i]);
            (row[i - 1], row[i]) = (c * a - s * b, s * a + c * b);
        }
    }
    let shear: Vec<f64> = (0..n)
        .map(|i| if i == 0 { 0.0 } else { random.between(-0.6, 0.6) })
        .collect();
    let list = |item: &dyn Fn(usize) -> String| (0..n).map(item).collect::<Vec<_>>().join(", ");
    let sum = |item: &dyn Fn(usize) -> String| (0..n).map(item).collect::<Vec<_>>().join(" + ");
    let straight = |i: usize| {
        format!(
            "\"l{i}\": \"{}\"",
            sum(&|j| format!("({:?})*x{j}", scale * rotation[i][j]))
        )
    };
    let curved = |i: usize| format!("\"u{i}\": \"l{i} + ({:?})*l0^2\"", shear[i]);
    let field = |i: usize| format!("\"f{i}\": \"{}\"", form.fields[i]);
    let along = |i: usize| format!("\"g{i}\": \"f{i} - ({:?})*l0*f0\"", 2.0 * shear[i]);
    let rate = |j: usize| {
        let terms = sum(&|i| format!("({:?})*g{i}", rotation[i][j] / scale / time));
        format!("\"x{j}' = {terms}\"")
    };
    let straight_at: Vec<f64> = (0..n)
        .map(|i| form.at[i] - shear[i] * form.at[0] * form.at[0])
        .collect();
    let state = |j: usize| {
        let x: f64 = (0..n).map(|i| rotation[i][j] * straight_at[i] / scale).sum();
        format!("\"x{j}\": {x:?}")
    };
    let text = format!(
        "Study(title: \"{label}\", system: Smooth(states: [{}], parameters: {{\"a\": -0.5, \"b\": 0.3}}, \
         define: {{{}, {}, {}, {}}}, equations: [{}]), \
         curves: [Curve(name: \"c\", orbit: Equilibrium, start: Guess(at: {{\"a\": -0.5}}, states: [{{{}}}]), \
         free: \"a\", range: (-1, 1))], \
         loci: [Locus(name: \"l\", from: \"c: {}\", free: (\"a\", \"b\"), range: ((-1, 1), (-1, 1)))])",
        list(&|j| format!("\"x{j}\"")),
        list(&straight),
        list(&curved),
        list(&field),
        list(&along),
        list(&rate),
        list(&state),
        form.from
    );
    Written { text, scale, time }
}

/// The number behind `name = ` in a message.
fn number(message: &str, name: &str) -> Option<f64> {
    let start = message.find(&format!("{name} = "))? + name.len() + 3;
    let rest = &message[start..];
    let end = rest
        .find(|c: char| !(c.is_ascii_digit() || "+-.e".contains(c)))
        .unwrap_or(rest.len());
    rest[..end].trim_end_matches('.').parse().ok()
}

/// The numbers of these names, and whether the message has these words, at the only point with this label; else why not.
fn said(study: &Written, label: Label, names: &[&str], words: &str) -> Result<Vec<f64>, String> {
    let result = run(&study.text);
    let points = curve(&result, "l");
    let mut found = points.iter().filter(|p| p.label == Some(label));
    let (Some(point), None) = (found.next(), found.next()) else {
        return Err(format!("not one {label}\n{}", study.text));
    };
    if !point.message.contains(words) {
        return Err(format!("{}\nnot {words}\n{}", point.message, study.text));
    }
    let number = |name: &&str| number(&point.message, name).ok_or_else(|| format!("no {name}: {}", point.message));
    names.iter().map(number).collect()
}

/// Are the numbers these, to this part?
fn compare(found: &[f64], expected: &[f64], part: f64) -> Result<(), String> {
    let close = |(found, expected): (&f64, &f64)| (found - expected).abs() <= part * expected.abs();
    if found.iter().zip(expected).all(close) {
        Ok(())
    } else {
        Err(format!("{found:?} for {expected:?}"))
    }
}

fn signed(random: &mut Random, low: f64, high: f64) -> f64 {
    random.sign() * random.between(low, high)
}

/// Draw members, each with what is wrong with it.
fn check(class: &str, few: usize, member: impl Fn(&mut Random) -> Result<(), String>) {
    let count = members(few);
    let wrong: Vec<(usize, String)> = (0..count)
        .filter_map(|k| Some((k, member(&mut Random::of(class, k)).err()?)))
        .collect();
    none_wrong(class, count, &wrong);
}

#[test]
fn bogdanov_takens_points() {
    check("coefficients of Bogdanov-Takens points", 16, |random| {
        let (a, b) = (signed(random, 0.3, 1.5), signed(random, 0.3, 1.5));
        let form = Form {
            fields: vec!["u1".into(), format!("a + b*u1 + ({a:?})*u0^2 + ({b:?})*u0*u1")],
            at: vec![(0.5 / a.abs()).sqrt(), 0.0],
            from: Label::LP,
        };
        // An equilibrium is there for a of the other sign only.
        let form = if a > 0.0 {
            form
        } else {
            Form {
                fields: vec!["u1".into(), format!("-a + b*u1 + ({a:?})*u0^2 + ({b:?})*u0*u1")],
                ..form
            }
        };
        let study = written(random, &form, Label::BT);
        let stable = if a * b < 0.0 { "are stable" } else { "are unstable" };
        let found = said(&study, Label::BT, &["with a", ", b"], stable)?;
        // u = s R x, so that the vector (1, 0) of u is 1/s long in x; its largest component is made positive.
        let (s, t) = (study.scale, study.time);
        let sign = (found[0] * a).signum();
        compare(&found, &[sign * a * s / (t * t), sign * b * s / t], 1e-9)
    });
}

#[test]
fn cusps() {
    check("coefficients of cusps", 16, |random| {
        let (c, decay) = (signed(random, 0.3, 1.5), random.between(0.5, 2.0));
        let x = 0.9;
        // The equilibrium at a = -0.5, b = 0.3.
        let offset = 0.5 - 0.3 * x - c * x * x * x;
        let form = Form {
            fields: vec![
                format!("a + ({offset:?})*(a + 0.5)*0 + (b - 0.3)*u0 + ({:?})*u0 + ({c:?})*u0^3", 0.0),
                format!("-({decay:?})*u1"),
            ],
            at: vec![0.0, 0.0],
            from: Label::LP,
        };
        let _ = form;
        let roots = |u: f64| -0.5 + 0.3 * u + c * u * u * u;
        let (mut low, mut high) = (-10.0, 10.0);
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            let left = roots(low) * roots(middle) <= 0.0;
            if left { high = middle } else { low = middle }
        }
        let form = Form {
            fields: vec![
                format!("a + {}b*u0 + ({c:?})*u0^3", if c > 0.0 { "-" } else { "" }),
                format!("-({decay:?})*u1"),
            ],
            at: vec![low, 0.0],
            from: Label::LP,
        };
        let study = written(random, &form, Label::CP);
        let words = if c < 0.0 { "middle one unstable" } else { "middle one stable" };
        let found = said(&study, Label::CP, &["with c"], words)?;
        compare(&found, &[c * study.scale * study.scale / study.time], 1e-8)
    });
}
