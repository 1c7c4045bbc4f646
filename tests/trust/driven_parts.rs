//! Cycles of autonomous systems of which one part drives another: where the coupling passes zero, all states of the
//! driven part vanish along the whole cycle, and the curve goes on through it.

use super::known::{curve, labels, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::{End, Label};

/// A circle of radius 1 that is gone round at the rate w, in a unit of its own, and attracts.
fn driver(w: f64, unit: f64) -> [String; 2] {
    let square = format!("(u^2 + v^2)/{:?}", unit * unit);
    [
        format!("u' = u*(1 - {square}) + ({w:?})*v"),
        format!("v' = ({:?})*u + v*(1 - {square})", -w),
    ]
}

/// The same equations in another order.
fn shuffled(random: &mut Random, mut equations: Vec<String>) -> Vec<String> {
    for i in (1..equations.len()).rev() {
        equations.swap(i, random.below(i + 1));
    }
    equations
}

fn quoted(words: impl Iterator<Item = String>) -> String {
    words.map(|w| format!("{w:?}")).collect::<Vec<_>>().join(", ")
}

const METHODS: [&str; 2] = ["Collocation()", "Shooting()"];

/// Chains of linear filters, `x₁' = -a₁ x₁ + F u`, `x₂' = -a₂ x₂ + b x₁`: the amplitudes are F over |a₁ + iw|, and so
/// on, and the multipliers do not depend on F.
#[test]
fn filters_are_followed_through_an_amplitude_of_zero() {
    let class = "driven filters";
    let count = members(4);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let w = random.between(0.6, 3.0) * random.sign();
        let length = 1 + random.below(3);
        let rates: Vec<f64> = (0..length).map(|_| random.between(0.2, 0.7)).collect();
        let units: Vec<f64> = (0..=length).map(|_| random.log_between(1e-3, 1e3)).collect();
        let gain = random.between(0.5, 2.0) * random.sign();
        let mut equations = driver(w, units[length]).to_vec();
        let mut size = gain.abs();
        let mut sizes = vec![];
        for k in 0..length {
            let (from, unit) = if k == 0 {
                ("u".to_owned(), units[length])
            } else {
                (format!("x{}", k - 1), units[k - 1])
            };
            let by = if k == 0 { "F*" } else { "" };
            let factor = if k == 0 { gain } else { 1.0 } * units[k] / unit;
            equations.push(format!("x{k}' = -({:?})*x{k} + {by}({factor:?})*{from}", rates[k]));
            size /= rates[k].hypot(w);
            sizes.push(size * units[k]);
        }
        let equations = shuffled(&mut random, equations);
        let states: Vec<String> = equations
            .iter()
            .map(|e| e[..e.find('\'').unwrap()].to_owned())
            .collect();
        let peaks: Vec<String> = (0..length)
            .map(|k| format!("\"peak{k}\": Max(\"abs(x{k})\")"))
            .collect();
        // Through zero, or to it.
        let range = [(-2.0, 3.0), (0.0, 2.0), (-1e-3, 1.0)][random.below(3)];
        let start = random.between(0.3, 0.9);
        // Shooting takes longer.
        for method in &METHODS[..1 + member % 2] {
            let text = format!(
                "Study(title: \"driven\", system: Smooth(states: [{}], parameters: {{\"F\": 1}}, equations: [{}], monitors: {{{}}}, \
                 start: {{\"u\": {:?}}}), curves: [Curve(name: \"c\", orbit: PeriodicOrbit, start: Settle(at: {{\"F\": {start:?}}}), \
                 free: \"F\", range: {range:?}, method: {method})])",
                quoted(states.iter().cloned()),
                quoted(equations.iter().cloned()),
                peaks.join(", "),
                units[length]
            );
            let result = run(&text);
            let c = curve(&result, "c");
            let mut say = |what: String| wrong.push((member, format!("{what}\n{text}")));
            if c.pieces.iter().any(|p| p.branch.ends != [End::Range, End::Range]) || !labels(c).is_empty() {
                say(format!(
                    "ends {:?}, labels {:?}",
                    c.pieces[0].branch.ends,
                    labels(c).len()
                ));
                continue;
            }
            for (_, _, point) in c.points() {
                let f = point.point.parameter().abs();
                let off = (0..length).map(|k| {
                    let column = c.monitors.iter().position(|m| *m == format!("peak{k}")).unwrap();
                    (point.record.monitors[column] / sizes[k] - f).abs()
                });
                let off = off.fold(0.0, f64::max);
                if off > 1e-6 {
                    say(format!("{off:e} off at {f}"));
                    break;
                }
            }
        }
    }
    none_wrong(class, count, &wrong);
}

/// A Duffing oscillator, driven by the circle or by a declared forcing: the same folds on both sides of zero.
#[test]
fn folds_beyond_an_amplitude_of_zero_are_those_of_the_forced_oscillator() {
    let class = "driven oscillators";
    let count = members(1);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (w, damping) = (random.between(1.4, 1.55), random.between(0.15, 0.22));
        let unit = random.log_between(1e-2, 1e2);
        let begin = random.between(0.05, 0.3);
        let study = |system: String, method: &str| {
            format!(
                "Study(title: \"duffing\", system: {system}, curves: [Curve(name: \"c\", orbit: PeriodicOrbit, \
                 start: Settle(at: {{\"F\": {begin:?}}}), free: \"F\", range: (-1.2, 1.2), method: {method})])"
            )
        };
        let equation = format!("y' = -({damping:?})*y - x - x^3 + F*");
        let forced = study(
            format!(
                "Smooth(states: [\"x\", \"y\"], parameters: {{\"F\": 0}}, forcing: Forcing(period: \"2*pi/({w:?})\"), \
                 equations: [\"x' = y\", \"{equation}cos(({w:?})*t)\"])"
            ),
            "Collocation()",
        );
        let [u, v] = driver(w, unit);
        let driven = format!(
            "Smooth(states: [\"x\", \"y\", \"u\", \"v\"], parameters: {{\"F\": 0}}, equations: [\"x' = y\", \"{equation}u/({unit:?})\", \
             \"{u}\", \"{v}\"], start: {{\"u\": {unit:?}}})"
        );
        let folds = |text: &str| -> Vec<f64> {
            let result = run(text);
            let folds = labels(curve(&result, "c")).into_iter().filter(|l| l.0 == Label::LP);
            let mut folds: Vec<f64> = folds.map(|l| l.1).collect();
            folds.sort_by(f64::total_cmp);
            folds
        };
        let known = folds(&forced);
        for method in METHODS {
            let text = study(driven.clone(), method);
            let found = folds(&text);
            let alike = found.len() == known.len() && found.iter().zip(&known).all(|(a, b)| (a - b).abs() < 1e-7);
            if !alike || known.len() != 4 {
                wrong.push((member, format!("{found:?} instead of {known:?}\n{text}")));
            }
        }
    }
    none_wrong(class, count, &wrong);
}
