//! Angles, declared as such or not: curves of equilibria and of folds that come round with a turn of one are closed.

use super::known::{labels, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::{End, Label};
use slipstick_study::{self as study, RunResult};
use std::f64::consts::TAU;

/// `g(u) = Σ a_k sin(k u + φ_k)`.
struct Wave {
    terms: Vec<(f64, f64, f64)>,
}

impl Wave {
    fn random(random: &mut Random, harmonics: &[f64]) -> Self {
        let term = |k: &f64| (*k, random.between(0.2, 1.0) / k, random.between(0.0, TAU));
        Self {
            terms: harmonics.iter().map(term).collect(),
        }
    }
    /// Its derivative of this order.
    fn at(&self, u: f64, order: i32) -> f64 {
        let term =
            |(k, a, phase): &(f64, f64, f64)| a * k.powi(order) * (k * u + phase + f64::from(order) * TAU / 4.0).sin();
        self.terms.iter().map(term).sum()
    }
    fn text(&self) -> String {
        let term = |(k, a, phase): &(f64, f64, f64)| format!("({a:?})*sin({k:?}*u + ({phase:?}))");
        self.terms.iter().map(term).collect::<Vec<_>>().join(" + ")
    }
    /// The zeros in one turn of a combination of derivatives.
    fn zeros(&self, of: impl Fn(&Self, f64) -> f64) -> Vec<f64> {
        const LOOKS: usize = 20_000;
        let place = |i: usize| TAU * (i as f64 + 0.123) / LOOKS as f64;
        let pairs = (0..LOOKS).map(|i| (place(i), place(i + 1)));
        pairs
            .filter(|(a, b)| of(self, *a) * of(self, *b) < 0.0)
            .map(|(mut a, mut b)| {
                for _ in 0..60 {
                    let middle = 0.5 * (a + b);
                    if of(self, a) * of(self, middle) < 0.0 {
                        b = middle;
                    } else {
                        a = middle;
                    }
                }
                0.5 * (a + b)
            })
            .collect()
    }
}

/// The ways to write it: the angle declared or not, alone or with a velocity, as a map.
const FORMS: usize = 5;

/// A system with equilibria where the force vanishes.
fn system(form: usize, force: &str) -> String {
    let angle = if form.is_multiple_of(2) {
        "angles: {\"u\": \"2*pi\"}, "
    } else {
        ""
    };
    let parameters = "parameters: {\"T\": 0, \"S\": 0, \"c\": 0.7}";
    match form {
        0 | 1 => format!("Smooth(states: [\"u\"], {angle}{parameters}, equations: [\"u' = c*({force})\"])"),
        2 | 3 => format!(
            "Smooth(states: [\"w\", \"u\"], {angle}{parameters}, equations: [\"w' = {force} - c*w\", \"u' = w\"])"
        ),
        _ => format!("Map(states: [\"u\"], {angle}{parameters}, equations: [\"u+ = u + c*({force})\"])"),
    }
}

fn object(form: usize) -> &'static str {
    if form < 4 { "Equilibrium" } else { "FixedPoint" }
}

/// A start in the order of the states.
fn start(form: usize, u: f64) -> String {
    let w = if matches!(form, 2 | 3) { "\"w\": 0, " } else { "" };
    format!("{{{w}\"u\": {u:?}}}")
}

/// What is wrong with the curve of this name, if it is not closed, or has not this label at these places and nowhere else.
fn closed_with(result: &RunResult, name: &str, label: Label, places: &[f64]) -> Option<String> {
    let Some(c) = result.curves.iter().find(|c| c.name == name) else {
        return Some(format!("{:?}", result.missing));
    };
    let closed = c.pieces.iter().all(|p| p.branch.ends == [End::Closed]);
    let found: Vec<f64> = labels(c).iter().filter(|l| l.0 == label).map(|l| l.1).collect();
    let right = closed && agree(found.clone(), places.to_vec());
    (!right).then(|| format!("closed: {closed}, {found:?} instead of {places:?}"))
}

/// Are these the same values, in any order?
fn agree(mut a: Vec<f64>, mut b: Vec<f64>) -> bool {
    a.sort_by(f64::total_cmp);
    b.sort_by(f64::total_cmp);
    a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-9)
}

/// `T = g(u)`: the folds are the extremes of the wave, each once.
#[test]
fn curves_of_equilibria_that_come_round_are_closed() {
    let class = "equilibria of angles";
    let count = members(3);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let wave = Wave::random(&mut random, &[1.0, 2.0, 3.0]);
        let u = random.between(-2.0, 9.0);
        let folds: Vec<f64> = wave
            .zeros(|g, u| g.at(u, 1))
            .into_iter()
            .map(|u| wave.at(u, 0))
            .collect();
        for form in 0..FORMS {
            let text = format!(
                "Study(title: \"turn\", system: {}, curves: [Curve(name: \"c\", orbit: {}, \
                 start: Guess(at: {{\"T\": {:?}}}, states: [{}]), free: \"T\", range: (-9, 9))])",
                system(form, &format!("T - ({})", wave.text())),
                object(form),
                wave.at(u, 0),
                start(form, u)
            );
            let result = run(&text);
            let verdict = closed_with(&result, "c", Label::LP, &folds);
            wrong.extend(verdict.map(|why| {
                (
                    member,
                    format!(
                        "{why}
{text}"
                    ),
                )
            }));
        }
    }
    none_wrong(class, count, &wrong);
}

/// `T cos u + S sin u + g(u) = 0`: the curve of folds is `T = g' sin u - g cos u`, `S = -g sin u - g' cos u`, with a
/// cusp wherever `g + g'' = 0`; for `g = sin(2u)/2` an astroid.
#[test]
fn curves_of_folds_that_come_round_are_closed() {
    let class = "folds of angles";
    let count = members(3);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let wave = Wave::random(&mut random, &[2.0, 3.0]);
        let place = |u: f64| {
            let (g, slope) = (wave.at(u, 0), wave.at(u, 1));
            (slope * u.sin() - g * u.cos(), -g * u.sin() - slope * u.cos())
        };
        let cusps: Vec<f64> = wave
            .zeros(|g, u| g.at(u, 0) + g.at(u, 2))
            .into_iter()
            .map(place)
            .map(|p| p.0)
            .collect();
        let fold = random.between(0.0, TAU);
        // Beside a fold, with the same S.
        let (_, s) = place(fold);
        let u = fold + 0.05;
        let t = -(s * u.sin() + wave.at(u, 0)) / u.cos();
        let reach = t.abs() + 1.0;
        for form in 0..FORMS {
            let text = format!(
                "Study(title: \"turn\", system: {}, curves: [Curve(name: \"c\", orbit: {}, \
                 start: Guess(at: {{\"T\": {t:?}, \"S\": {s:?}}}, states: [{}]), free: \"T\", range: (-{reach:?}, {reach:?}))], \
                 loci: [Locus(name: \"l\", from: \"c, LP 1\", free: (\"T\", \"S\"), range: ((-9, 9), (-9, 9)))])",
                system(form, &format!("T*cos(u) + S*sin(u) + {}", wave.text())),
                object(form),
                start(form, u),
            );
            let result = run(&text);
            let verdict = closed_with(&result, "l", Label::CP, &cusps);
            wrong.extend(verdict.map(|why| {
                (
                    member,
                    format!(
                        "{why}
{text}"
                    ),
                )
            }));
        }
    }
    none_wrong(class, count, &wrong);
}

/// The warning names what is undeclared, with its period, and nothing that only looks like an angle.
#[test]
fn undeclared_angles_are_named() {
    let warnings = |system: &str| -> Vec<String> {
        let text = format!("Study(title: \"turn\", system: {system})");
        let plan = study::parse("turn.ron".as_ref(), text)
            .and_then(|s| s.plan(&[]))
            .expect("a study");
        let all = plan.warnings.iter().map(|w| w.message.clone());
        all.filter(|w| w.contains("everything repeats")).collect()
    };
    let smooth = |equation: &str| {
        format!(
            "Smooth(states: [\"u\", \"w\"], parameters: {{\"k\": 1, \"a\": 0.3}}, equations: [\"u' = w + k - k\", \"w' = -a*w + {equation}\"])"
        )
    };
    for (equation, period) in [
        ("sin(u)", "2*pi"),
        ("a*cos(3*u + k)^2", "2*pi"),
        ("sin(2*pi*u)", "1"),
        ("abs(sin(u)) - 0.2*sign(cos(u))", "2*pi"),
        ("exp(sin(u)) + tan(u/2)^2/(1 + tan(u/2)^2)", "2*pi"),
    ] {
        let found = warnings(&smooth(equation));
        assert!(
            found.len() == 1 && found[0].contains(&format!("`u` grows by {period}")),
            "{equation}: {found:?}"
        );
    }
    for equation in [
        "sin(u) - 0.001*u",
        "sin(k*u)",
        "sin(u) + tanh(100*(u - 3))",
        "sin(u) - max(0, u - 5)",
        "sin(u/2)",
        "1/(1 + exp(-9*u))",
        "a",
        "exp(-u^2)",
        "sin(w)",
    ] {
        let found = warnings(&smooth(equation));
        assert!(
            found.is_empty() || equation == "sin(w)" && found.is_empty(),
            "{equation}: {found:?}"
        );
    }
    // Declared, or with a guard that a turn later is another.
    assert!(
        warnings("Smooth(states: [\"u\"], angles: {\"u\": \"2*pi\"}, equations: [\"u' = 1 + sin(u)\"])").is_empty()
    );
    let wheel = "Hybrid(states: [\"u\", \"w\"], modes: {\"swing\": Mode(equations: [\"u' = w\", \"w' = sin(u)\"], events: {\
                 \"fore\": Event(guard: \"u - 0.4\", direction: Up, to: \"swing\", reset: {\"u\": \"-0.4\", \"w\": \"0.7*w\"})})}, \
                 start: Start(mode: \"swing\", at: {\"u\": 0, \"w\": 1}))";
    assert!(warnings(wheel).is_empty());
}
