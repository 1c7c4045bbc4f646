//! Curves of Hopf points, period doublings and Neimark–Sacker points along which the coefficient that decides on which
//! side something is born is zero, or passes zero at one place.

use super::known::{curve, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::Label;

/// Fields that are linear, or conserve something, all along their Hopf curve: the first Lyapunov coefficient is zero on
/// it, in whatever coordinates, and its rounded sign is no generalised Hopf point. With a term of fifth order beside a
/// third one whose factor passes zero there is one, where it does.
#[test]
fn only_coefficients_that_change_their_sign_make_generalised_hopf_points() {
    let class = "no generalised Hopf points";
    let count = members(16);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let [m, k] = [random.log_between(1e-3, 1e3), random.log_between(0.1, 10.0)];
        let scale = random.sign() * random.log_between(0.01, 100.0);
        let x = format!("(x/{scale:?})");
        let field = match member % 4 {
            0 => format!("m/{m:?}*(1 - {x}^2)*y - k*x"),
            1 => format!("m/{m:?}*(1 - {x}^2 - (y/{scale:?})^2)*y - k*x"),
            2 => format!("m/{m:?}*(y - y*(y/{scale:?})^2) - k*{scale:?}*sin({x})"),
            _ => format!("m/{m:?}*y - (k - 1)*y*{x}^2 - y*{x}^4 - k*x"),
        };
        let [low, high] = [
            random.between(0.2, 0.5) * k.min(1.0),
            random.between(2.0, 4.0) * k.max(1.0),
        ];
        let text = format!(
            "Study(title: \"zero\", system: Smooth(states: [\"x\", \"y\"], parameters: {{\"m\": {:?}, \"k\": {k:?}}}, equations: [\"x' = y\", \"y' = {field}\"]), \
             curves: [Curve(name: \"e\", orbit: Equilibrium, start: Guess(at: {{\"m\": {:?}}}, states: [{{\"x\": 0, \"y\": 0}}]), free: \"m\", range: ({:?}, {:?}))], \
             loci: [Locus(name: \"h\", from: \"e: HB\", free: (\"m\", \"k\"), range: (({:?}, {:?}), ({low:?}, {high:?})))])",
            -m,
            -m,
            -2.0 * m,
            3.0 * m,
            -2.0 * m,
            3.0 * m,
        );
        let result = run(&text);
        let found: Vec<f64> = curve(&result, "h")
            .points()
            .filter(|(_, _, p)| p.label == Some(Label::GH))
            .map(|(_, _, p)| p.record.parameters[1])
            .collect();
        let right = match (member % 4, &found[..]) {
            (3, [at]) => (at - 1.0).abs() <= 1e-9,
            (3, _) => false,
            (_, found) => found.is_empty(),
        };
        if !right {
            wrong.push((member, format!("{found:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// The same of maps: linear where the multiplier is on the circle, but for what rounding leaves of the parameter; with a
/// term of third order besides, whose factor passes zero, there is one point where it does.
#[test]
fn only_coefficients_of_maps_that_change_their_sign_make_points_of_codimension_two() {
    let class = "no codimension two of maps";
    let count = members(16);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let [m, k] = [random.log_between(1e-3, 1e3), random.between(0.5, 1.3)];
        let scale = random.sign() * random.log_between(0.01, 100.0);
        let (q, x) = (format!("m/{m:?}"), format!("(x/{scale:?})"));
        let passes = member % 4 >= 2;
        let cubic = if passes {
            "(k - 0.9)".to_owned()
        } else {
            format!("{q}*(k - 0.9)")
        };
        let (label, found_at, states, equations) = if member % 2 == 0 {
            // Of fifth order where the third vanishes, so that the place is one of a generalised period doubling.
            let equations = format!("\"x+ = -(1 + {q})*x + {cubic}*x*{x}^2 + {q}*x*{x}^4\"");
            ("PD", Label::GPD, "\"x\"", equations)
        } else {
            let grown =
                |turned: &str, state: &str| format!("(1 + {q})*({turned}) - {cubic}*{state}*({x}^2 + (y/{scale:?})^2)");
            let equations = format!(
                "\"x+ = {}\", \"y+ = {}\"",
                grown("cos(1.1)*x - sin(1.1)*y", "(cos(1.1)*x - sin(1.1)*y)"),
                grown("sin(1.1)*x + cos(1.1)*y", "(sin(1.1)*x + cos(1.1)*y)"),
            );
            ("NS", Label::CH, "\"x\", \"y\"", equations)
        };
        let rest = states.replace(',', ": 0,") + ": 0";
        let text = format!(
            "Study(title: \"zero\", system: Map(states: [{states}], parameters: {{\"m\": {:?}, \"k\": {k:?}}}, equations: [{equations}]), \
             curves: [Curve(name: \"e\", orbit: FixedPoint, start: Guess(at: {{\"m\": {:?}}}, states: [{{{rest}}}]), free: \"m\", range: ({:?}, {:?}))], \
             loci: [Locus(name: \"h\", from: \"e: {label}\", free: (\"m\", \"k\"), range: (({:?}, {:?}), (0.4, 1.4)))])",
            -0.4 * m,
            -0.4 * m,
            -0.5 * m,
            0.6 * m,
            -0.5 * m,
            0.6 * m,
        );
        let result = run(&text);
        let found: Vec<f64> = curve(&result, "h")
            .points()
            .filter(|(_, _, p)| p.label == Some(found_at))
            .map(|(_, _, p)| p.record.parameters[1])
            .collect();
        let right = match (passes, &found[..]) {
            (true, [at]) => (at - 0.9).abs() <= 1e-9,
            (true, _) => false,
            (false, found) => found.is_empty(),
        };
        if !right {
            wrong.push((member, format!("{found:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}
