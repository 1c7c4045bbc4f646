//! Equations with quotients whose numerator and denominator vanish together.

use super::known::{curve, labels, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::Label;

/// The number behind a name in a message.
fn number(message: &str, name: &str) -> Option<f64> {
    let rest = message.split(name).nth(1)?;
    rest.split([',', ' ', ')', ';']).next()?.parse().ok()
}

/// r' = r (q + a r² - r⁴), θ' = 1 + c r²: a Hopf point at q = 0 and a fold at q = -a²/4. Beside it the same times a
/// rate written as a quotient and its inverse, written as another one, both of which are 0/0 within the cycles; the
/// place is a state, or a parameter. Places and coefficients agree.
#[test]
fn rates_that_are_zero_over_zero_within_cycles() {
    let class = "removable";
    let count = members(6);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (a, c) = (random.between(0.7, 1.2), random.between(-0.4, 0.4));
        let (at, width) = (random.between(-0.3, 0.3), random.log_between(0.2, 5.0));
        let study = |factor: &str| {
            let of = |own: &str, other: &str| {
                format!("{own}*(q + ({a:?})*(x^2 + y^2) - (x^2 + y^2)^2) {other}*(1 + ({c:?})*(x^2 + y^2))")
            };
            format!(
                "Study(title: \"rates\", system: Smooth(states: [\"x\", \"y\"], parameters: {{\"q\": -0.1, \"s\": {at:?}, \"k\": {width:?}}}, \
                 equations: [\"x' = ({factor})*({})\", \"y' = ({factor})*({})\"]), curves: [ \
                 Curve(name: \"r\", orbit: Equilibrium, start: Guess(at: {{\"q\": -0.1}}, states: [{{\"x\": 0, \"y\": 0}}]), free: \"q\", range: (-0.6, 0.6)), \
                 Curve(name: \"c\", orbit: PeriodicOrbit, start: Point(from: \"r, HB\"), free: \"q\", range: (-0.6, 0.6))])",
                of("x", "- y"),
                of("y", "+ x"),
            )
        };
        let factor = match member % 3 {
            0 => "(x - s)/(exp((x - s)/k) - 1) * ((1 - exp((s - x)/k))/(x - s)) * exp((x - s)/k)".to_owned(),
            1 => {
                let w = format!("(({at:?}) - x)");
                format!("0.01*{w}/(exp({w}/k) - 1) * ((exp({w}/k) - 1)/(0.01*({at:?}) - 0.01*x))")
            }
            _ => "(x - s)/sinh(k*(x - s)) * (sinh(k*(s - x))/(s - x))".to_owned(),
        };
        let fold_of = |text: &str| {
            let result = run(text);
            let cycles = curve(&result, "c");
            let fold = labels(cycles).into_iter().find(|l| l.0 == Label::LP);
            fold.map(|(_, at, p)| (at, number(&p.message, "quadratic coefficient a = ").unwrap_or(f64::NAN)))
        };
        let (plain, text) = (study("1"), study(&factor));
        let (wanted, found) = (fold_of(&plain), fold_of(&text));
        let right = wanted
            .zip(found)
            .is_some_and(|((p, a), (q, b))| (p - q).abs() < 1e-8 && (a.abs() - b.abs()).abs() < 1e-5 * a.abs());
        if !right {
            wrong.push((member, format!("{wanted:?} {found:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// A pole stays one: a curve does not pass it.
#[test]
fn poles_end_curves_as_before() {
    let class = "poles";
    let count = members(4);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let at = random.between(0.3, 0.8);
        // The numerator vanishes elsewhere.
        let text = format!(
            "Study(title: \"pole\", system: Smooth(states: [\"x\"], parameters: {{\"q\": 0}}, \
             equations: [\"x' = q - x + 1e-9*(x + 1)/(exp(x - ({at:?})) - 1)\"]), \
             curves: [Curve(name: \"c\", orbit: Equilibrium, start: Guess(at: {{\"q\": 0}}, states: [{{\"x\": 0}}]), free: \"q\", range: (-1, 1))])",
        );
        let result = run(&text);
        let most = curve(&result, "c")
            .points()
            .map(|(_, _, p)| p.point.z[0])
            .fold(f64::MIN, f64::max);
        if most >= at {
            wrong.push((member, format!("passes {at}: {most}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}
