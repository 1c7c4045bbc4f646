//! The coefficients that messages give at points of codimension two of equilibria: those of the normal forms that
//! systems are made from, whatever the coordinates.

use super::known::{none_wrong, pieces, run};
use super::random::{Random, members};
use slipstick_bifurcation::Label;

/// A normal form `u' = f(u)`, with parameters `a` and `b` that unfold it at zero.
struct Form {
    fields: Vec<String>,
    /// An equilibrium at a = -0.5, and the label on its curve over a at which the other curve begins.
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

fn written(random: &mut Random, form: &Form, b: &str, label: Label) -> Written {
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
        "Study(title: \"{label}\", system: Smooth(states: [{}], parameters: {{\"a\": -0.5, \"b\": {b}}}, \
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
    let points = pieces(&result, "l").into_iter().flatten();
    let mut found = points.filter(|p| p.label == Some(label));
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
            // Equilibria are there for a < 0.
            fields: vec![
                "u1".into(),
                format!("({:?})*a + b*u1 + ({a:?})*u0^2 + ({b:?})*u0*u1", a.signum()),
            ],
            at: vec![(0.5 / a.abs()).sqrt(), 0.0],
            from: Label::LP,
        };
        let study = written(random, &form, "0.3", Label::BT);
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
        let sign = c.signum();
        // A monotonous cubic at b = 0.3: one equilibrium, with folds where b changes its sign.
        let cubic = |u: f64| -0.5 + sign * 0.3 * u + c * u * u * u;
        let (mut low, mut high) = (-10.0f64, 10.0f64);
        while high - low > 1e-14 {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                break;
            }
            if sign * cubic(middle) > 0.0 {
                high = middle
            } else {
                low = middle
            }
        }
        let form = Form {
            fields: vec![format!("a + {sign:?}*b*u0 + ({c:?})*u0^3"), format!("-({decay:?})*u1")],
            at: vec![low, 0.0],
            from: Label::LP,
        };
        let study = written(random, &form, "-0.3", Label::CP);
        let words = if c < 0.0 {
            "middle one unstable"
        } else {
            "middle one stable"
        };
        let found = said(&study, Label::CP, &["with c"], words)?;
        compare(&found, &[c * study.scale * study.scale / study.time], 1e-8)
    });
}

#[test]
fn generalised_hopf_points() {
    check("second Lyapunov coefficients", 16, |random| {
        let (omega, second) = (random.between(0.5, 2.0), signed(random, 0.3, 1.5));
        let (k, m) = (signed(random, 0.3, 1.5), signed(random, 0.3, 1.5));
        let (grows, turns) = (
            format!("(a + b*(u0^2 + u1^2) + ({second:?})*(u0^2 + u1^2)^2)"),
            format!("({omega:?} + ({k:?})*(u0^2 + u1^2) + ({m:?})*(u0^2 + u1^2)^2)"),
        );
        let form = Form {
            fields: vec![format!("{grows}*u0 - {turns}*u1"), format!("{grows}*u1 + {turns}*u0")],
            at: vec![0.0; 2],
            from: Label::HB,
        };
        let study = written(random, &form, "0.3", Label::GH);
        let words = if second < 0.0 {
            "outer one is stable"
        } else {
            "inner one is stable"
        };
        let found = said(&study, Label::GH, &["l2"], words)?;
        // u = s R x, and the vector (1, -i) of u0 + i u1 = 2 z has the length √2/s in x.
        compare(&found, &[4.0 * study.scale.powi(4) * second / omega], 1e-7)
    });
}

#[test]
fn zero_hopf_points() {
    check("coefficients of zero-Hopf points", 16, |random| {
        let omega = random.between(0.5, 2.0);
        let (s, theta, cubic) = (random.sign(), signed(random, 0.3, 1.5), signed(random, 0.3, 1.5));
        let size = random.between(0.3, 1.5);
        let grows = format!("(b + ({theta:?})*u0 + ({cubic:?})*u0^2)");
        let form = Form {
            fields: vec![
                format!("a + u0^2 + ({:?})*(u1^2 + u2^2)", s * size),
                format!("{grows}*u1 - ({omega:?})*u2"),
                format!("{grows}*u2 + ({omega:?})*u1"),
            ],
            at: vec![0.5f64.sqrt(), 0.0, 0.0],
            from: Label::LP,
        };
        let study = written(random, &form, "0.3", Label::ZH);
        let words = if s * theta < 0.0 {
            "a curve of torus bifurcations"
        } else {
            "no tori"
        };
        let found = said(&study, Label::ZH, &["with s", "θ", ", E"], words)?;
        compare(&found, &[s, theta, cubic * study.time], 1e-8)
    });
}

#[test]
fn double_hopf_points() {
    check("coefficients of double Hopf points", 16, |random| {
        let omegas = [random.between(0.5, 1.5), random.between(2.0, 3.3)];
        let p: Vec<f64> = (0..4).map(|_| signed(random, 0.3, 1.5)).collect();
        let grows = |k: usize, unfolds: &str| {
            format!(
                "({unfolds} + ({:?})*(u0^2 + u1^2) + ({:?})*(u2^2 + u3^2))",
                p[2 * k],
                p[2 * k + 1]
            )
        };
        let turn = |k: usize, grows: &str| {
            let (x, y) = (2 * k, 2 * k + 1);
            [
                format!("{grows}*u{x} - ({:?})*u{y}", omegas[k]),
                format!("{grows}*u{y} + ({:?})*u{x}", omegas[k]),
            ]
        };
        let fields = [turn(0, &grows(0, "a")), turn(1, &grows(1, "b"))].concat();
        let form = Form {
            fields,
            at: vec![0.0; 4],
            from: Label::HB,
        };
        let study = written(random, &form, "0.3", Label::HH);
        let words = if p[0] * p[3] > 0.0 {
            "the simple case"
        } else {
            "the difficult case"
        };
        let found = said(&study, Label::HH, &["with p11", "p22", "p12/p22", "p21/p11"], words)?;
        let both = 2.0 * study.scale * study.scale / study.time;
        compare(&found, &[both * p[0], both * p[3], p[1] / p[3], p[2] / p[0]], 1e-8)
    });
}
