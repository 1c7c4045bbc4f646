//! Curves that end because the system does: a requirement on the parameters is violated, or a function stops being
//! defined.

use super::known::{curve, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::Label;

/// The number at the end of a message.
fn last_number(message: &str) -> f64 {
    let words = message.rsplit(" = ").next().unwrap();
    words.trim().parse().unwrap_or(f64::NAN)
}

/// Equilibria, cycles and orbits with impacts whose system requires (p - a)² > w² of a parameter: followed towards a
/// from either side, they end at a ± w.
#[test]
fn families_end_where_a_requirement_ceases_to_hold() {
    let count = members(9);
    let mut wrong = vec![];
    for member in 0..count {
        let mut r = Random::of("require", member);
        let scale = r.log_between(1e-3, 1e3);
        let (a, w) = (r.between(0.8, 1.2), r.log_between(1e-3, 0.1));
        let side = r.sign();
        let (start, end) = (a + side * r.between(0.2, 0.4), a + side * w);
        let require = format!("(p/({scale:?}) - ({a:?}))^2 > ({w:?})^2");
        let (system, orbit, start) = match member % 3 {
            0 => (
                format!(
                    "Smooth(states: [\"x\"], parameters: {{\"p\": {:?}}}, require: [\"{require}\"], equations: [\"x' = p/({scale:?}) - x - 0.1*x^3\"])",
                    start * scale
                ),
                "Equilibrium",
                format!(
                    "Guess(at: {{\"p\": {:?}}}, states: [{{\"x\": {start:?}}}])",
                    start * scale
                ),
            ),
            1 => (
                format!(
                    "Smooth(states: [\"x\", \"y\"], parameters: {{\"p\": {:?}}}, require: [\"{require}\"], define: {{\"q\": \"p/({scale:?})\"}}, \
                     equations: [\"x' = (q - x^2 - y^2)*x - y\", \"y' = x + (q - x^2 - y^2)*y\"])",
                    start * scale
                ),
                "PeriodicOrbit",
                format!(
                    "Guess(at: {{\"p\": {:?}}}, states: [{{\"x\": {:?}, \"y\": 0}}], durations: [6.28]) ",
                    start * scale,
                    start.sqrt()
                ),
            ),
            _ => (
                format!(
                    "Hybrid(states: [\"x\"], parameters: {{\"p\": {:?}}}, require: [\"{require}\"], modes: {{\"grow\": Mode(equations: [\"x' = p/({scale:?})\"], \
                     events: {{\"fire\": Event(guard: \"x - 1\", direction: Up, to: \"grow\", reset: {{\"x\": \"0\"}})}})}}, start: Start(mode: \"grow\"))",
                    start * scale
                ),
                "Periodic(\"grow fire\")",
                format!("Settle(at: {{\"p\": {:?}}})", start * scale),
            ),
        };
        let text = format!(
            "Study(title: \"require\", system: {system}, curves: [Curve(name: \"c\", orbit: {orbit}, start: {start}, free: \"p\", range: ({:?}, {:?}))])",
            0.2 * scale,
            2.0 * scale
        );
        let result = run(&text);
        if !result.missing.is_empty() {
            wrong.push((member, format!("{}\n{text}", result.missing[0].reason)));
            continue;
        }
        let c = curve(&result, "c");
        let ends: Vec<_> = c
            .points()
            .filter(|(_, _, p)| p.message.contains("is violated"))
            .map(|(_, _, p)| p)
            .collect();
        let right = match ends[..] {
            [p] => {
                p.label == Some(Label::EP)
                    && p.message.contains("(p/")
                    && (last_number(&p.message) / scale - end).abs() <= 1e-9
                    && (p.point.parameter() / scale - end).abs() <= 1e-6
            }
            _ => false,
        };
        if !right {
            let said: Vec<&str> = c
                .points()
                .map(|(_, _, p)| &*p.message)
                .filter(|m| !m.is_empty())
                .collect();
            wrong.push((member, format!("{end:?}: {said:?}\n{text}")));
        }
    }
    none_wrong("require", count, &wrong);
}

/// Equilibria that run up to the edge of the domain of a root, a logarithm or an inverse function: the end names it.
#[test]
fn families_end_at_the_edge_of_a_domain() {
    let count = members(8);
    let mut wrong = vec![];
    for member in 0..count {
        let mut r = Random::of("domain", member);
        let (s, p) = (r.log_between(1e-3, 1e3), r.log_between(1e-3, 1e3));
        let a = r.between(-0.5, 0.5);
        // In u = x/s and q = p/P: the equation, where it starts, the function and where it ends.
        let (field, q, u, name, end): (String, f64, f64, &str, f64) = match member % 4 {
            0 => (format!("sqrt(q - ({a:?})) - u"), a + 0.36, 0.6, "sqrt", a),
            1 => (
                format!("q - ({a:?}) - asin(u)"),
                a + 0.5f64.asin(),
                0.5,
                "asin",
                a + std::f64::consts::FRAC_PI_2,
            ),
            2 => (
                format!("q - ({a:?}) + u*(2 + log(u))"),
                a - 2.0 * 0.9 - 0.9 * 0.9f64.ln(),
                0.9,
                "log",
                a,
            ),
            _ => (
                format!("q - ({a:?}) - u - acos(u)"),
                a + 0.5 + 0.5f64.acos(),
                0.5,
                "acos",
                a + 1.0,
            ),
        };
        let text = format!(
            "Study(title: \"domain\", system: Smooth(states: [\"x\"], parameters: {{\"p\": {:?}}}, define: {{\"u\": \"x/({s:?})\", \"q\": \"p/({p:?})\"}}, \
             equations: [\"x' = ({s:?})*({field})\"]), curves: [Curve(name: \"c\", orbit: Equilibrium, start: Guess(at: {{\"p\": {:?}}}, states: [{{\"x\": {:?}}}]), \
             free: \"p\", range: ({:?}, {:?}))])",
            q * p,
            q * p,
            u * s,
            -4.0 * p,
            4.0 * p
        );
        let result = run(&text);
        if !result.missing.is_empty() {
            wrong.push((member, format!("{}\n{text}", result.missing[0].reason)));
            continue;
        }
        let c = curve(&result, "c");
        let named = |m: &str| m.contains(&format!("edge of the domain of {name}"));
        let right = c
            .points()
            .any(|(_, _, point)| named(&point.message) && (point.point.parameter() / p - end).abs() <= 1e-6);
        if !right {
            let said: Vec<(f64, &str)> = c
                .points()
                .map(|(_, _, point)| (point.point.parameter() / p, &*point.message))
                .filter(|m| !m.1.is_empty())
                .collect();
            wrong.push((member, format!("{name} at {end:?}: {said:?}\n{text}")));
        }
    }
    none_wrong("domain", count, &wrong);
}
