//! Curves that end because the system does: a requirement on the parameters is violated, or a function stops being
//! defined.

use super::known::{curve, none_wrong, run};
use super::random::{Random, members};
use slipstick::study;
use slipstick_bifurcation::{BranchPoint, Label};

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
            .filter(|(_, _, p)| p.message.contains("reaches its limit"))
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

/// Folds of equilibria, cycles and orbits with events, all at p = -q²/4, followed in p and q up to where a requirement
/// on both ceases to hold; in some of them the equations are not defined beyond.
#[test]
fn curves_in_two_parameters_end_where_a_requirement_ceases_to_hold() {
    let count = members(6);
    let mut wrong = vec![];
    for member in 0..count {
        let mut r = Random::of("require in two parameters", member);
        let (unit, other) = (r.log_between(1e-3, 1e3), r.log_between(1e-3, 1e3));
        let (start, end) = (
            r.between(0.9, 1.1),
            [r.between(0.4, 0.7), r.between(1.3, 1.8)][r.below(2)],
        );
        let (side, bend) = ((start - end).signum(), r.between(-0.5, 0.5));
        // Along the folds this changes by side - bend q/2 for each unit of q.
        let require = format!(
            "({side:?})*(q/({other:?}) - ({end:?})) + ({bend:?})*(p/({unit:?}) + ({:?}))",
            0.25 * end * end
        );
        let rate = match r.below(2) {
            0 => "1".to_owned(),
            _ => format!("(1 + sqrt({require}))"),
        };
        let define = format!("\"P\": \"p/({unit:?})\", \"Q\": \"q/({other:?})\", \"c\": \"{rate}\"");
        let (p, q) = (0.05, start);
        // Two solutions, 2 ± a root that vanishes at the fold.
        let beyond = (p + 0.25 * q * q).sqrt() + 2.0;
        let parameters = format!(
            "parameters: {{\"p\": {:?}, \"q\": {:?}}}, require: [\"{require} > 0\"], define: {{{define}",
            p * unit,
            q * other
        );
        let (system, orbit, begin) = match member % 3 {
            0 => (
                format!("Smooth(states: [\"x\"], {parameters}}}, equations: [\"x' = c*(P + Q^2/4 - (x - 2)^2)\"])"),
                "Equilibrium",
                format!("Guess(at: {{}}, states: [{{\"x\": {beyond:?}}}])"),
            ),
            1 => (
                format!(
                    "Smooth(states: [\"x\", \"y\"], {parameters}, \"s\": \"x^2 + y^2\", \"g\": \"0.3*(P + Q^2/4 - (s - 2)^2)\"}}, equations: [\"x' = c*(g*x - y)\", \"y' = c*(x + g*y)\"])"
                ),
                "PeriodicOrbit",
                format!("Settle(at: {{}}, from: {{\"x\": {:?}, \"y\": 0}})", beyond.sqrt()),
            ),
            _ => (
                format!(
                    "Hybrid(states: [\"x\", \"y\"], {parameters}}}, modes: {{\"m\": Mode(equations: [\"x' = 0\", \"y' = c\"], events: {{\"hit\": Event(guard: \"y - 1\", direction: Up, \
                     to: \"m\", reset: {{\"y\": \"0\", \"x\": \"x + 0.3*(P + Q^2/4 - (x - 2)^2)\"}})}})}}, start: Start(mode: \"m\", at: {{\"x\": {:?}, \"y\": 0}}))",
                    beyond
                ),
                "Periodic(\"m hit\")",
                "Settle(at: {})".to_owned(),
            ),
        };
        let text = format!(
            "Study(title: \"require\", system: {system}, curves: [Curve(name: \"c\", orbit: {orbit}, start: {begin}, free: \"p\", range: ({:?}, {:?}))], \
             loci: [Locus(name: \"f\", from: \"c: LP\", free: (\"p\", \"q\"), range: (({:?}, {:?}), ({:?}, {:?})))])",
            (-0.25 * q * q - 0.05) * unit,
            0.2 * unit,
            -2.0 * unit,
            2.0 * unit,
            0.2 * other,
            2.2 * other
        );
        let result = run(&text);
        if !result.missing.is_empty() {
            wrong.push((member, format!("{}\n{text}", result.missing[0].reason)));
            continue;
        }
        let said: Vec<_> = (curve(&result, "f").points())
            .filter(|(_, _, p)| p.label.is_some())
            .map(|(_, _, p)| (p.label, p.message.clone()))
            .collect();
        let ends: Vec<_> = said
            .iter()
            .filter(|(_, m)| m.contains("reaches its limit, at "))
            .collect();
        let number = |message: &str, name: &str| -> f64 {
            let place = message.rsplit_once("reaches its limit, at ").map_or("", |m| m.1);
            let of = place
                .split(", ")
                .find_map(|part| part.strip_prefix(&format!("{name} = ")));
            of.and_then(|v| v.parse().ok()).unwrap_or(f64::NAN)
        };
        let right = match ends[..] {
            [(label, message)] => {
                *label == Some(Label::EP)
                    && (number(message, "p") / unit + 0.25 * end * end).abs() <= 1e-9
                    && (number(message, "q") / other - end).abs() <= 1e-9
            }
            _ => false,
        };
        if !right || said.iter().any(|(label, _)| *label == Some(Label::MX)) {
            wrong.push((member, format!("q = {end:?}: {said:?}\n{text}")));
        }
    }
    none_wrong("require in two parameters", count, &wrong);
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
             equations: [\"x' = ({s:?})*({field})\"]), curves: [Curve(name: \"c\", orbit: Equilibrium, start: Guess(at: {{\"p\": {:?}}}, states: [{{\"x\": {:?}, \"v\": 0}}]), \
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

/// Requirements with `<=` hold where both sides are equal: curves begin and end there. Those with `<` do not.
#[test]
fn curves_begin_and_end_where_both_sides_of_a_requirement_are_equal() {
    let count = members(16);
    let mut wrong = vec![];
    for member in 0..count {
        let mut r = Random::of("not strict", member);
        let scale = r.log_between(1e-3, 1e3);
        let (border, slope) = (scale * r.between(-1.0, 1.0), r.between(0.5, 2.0));
        let (strict, inwards) = (member % 2 == 1, member % 4 < 2);
        let require = match (strict, member / 4 % 2) {
            (false, 0) => format!("p >= {border:?}"),
            (false, _) => format!("not p < {border:?} and p <= {:?}", border + 9.0 * scale),
            (true, 0) => format!("{border:?} < p"),
            (true, _) => format!("not p <= {border:?}"),
        };
        let inside = border + scale * r.between(0.2, 0.9);
        let (from, range) = (if inwards { border } else { inside }, (border, inside));
        let text = format!(
            "Study(title: \"border\", system: Smooth(states: [\"x\"], parameters: {{\"p\": {from:?}}}, require: [\"{require}\"], equations: [\"x' = ({slope:?})*p/({scale:?}) - x\"]), \
             curves: [Curve(name: \"c\", orbit: Equilibrium, start: Guess(at: {{\"p\": {from:?}}}, states: [{{\"x\": {:?}}}]), free: \"p\", range: ({:?}, {:?}))])",
            slope * from / scale,
            range.0,
            range.1
        );
        let loaded = study::parse("study.ron".as_ref(), text.clone()).unwrap();
        let refused = loaded.plan(&[]).is_err();
        if strict != refused {
            wrong.push((member, format!("refused: {refused}\n{text}")));
        }
        if refused {
            continue;
        }
        let result = run(&text);
        let points: Vec<f64> = curve(&result, "c")
            .points()
            .map(|(_, _, p)| p.point.parameter())
            .collect();
        let least = points.iter().copied().fold(f64::INFINITY, f64::min);
        let largest = points.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-12 * scale;
        let ends = |(_, _, p): (_, _, &BranchPoint)| p.label.is_none_or(|label| label == Label::EP);
        let ends = curve(&result, "c").points().all(ends);
        if !ends || !near(least, border) || !near(largest, inside) || least < border {
            wrong.push((member, format!("{least} to {largest}, {border} to {inside}\n{text}")));
        }
    }
    none_wrong("not strict", count, &wrong);
}

#[test]
fn families_of_cycles_end_at_zeros_of_denominators() {
    let class = "poles";
    let count = members(10);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (c, m) = (random.between(0.05, 0.2), random.between(0.5, 2.0));
        let (unit, time) = (random.log_between(1e-3, 1e3), random.log_between(1e-3, 1e3));
        // An oscillation that grows with q in the potential u²/2 - c ln(1 + u): it comes to u = -1 as fast as its
        // energy grows.
        let rest = 0.5 * ((1.0 + 4.0 * c).sqrt() - 1.0);
        let text = format!(
            "Study(title: \"pole\", system: Smooth(states: [\"x\", \"v\"], parameters: {{\"q\": 0}}, \
             define: {{\"u\": \"x/{unit:?}\", \"w\": \"v/{unit:?}\"}}, \
             equations: [\"x' = v/{time:?}\", \"v' = {unit:?}/{time:?}*(-u + {m:?}*(q - u^2)*w + {c:?}/(1 + u))\"]), \
             curves: [Curve(name: \"rest\", orbit: Equilibrium, start: Guess(at: {{\"q\": 0}}, states: [{{\"x\": {:?}, \"v\": 0}}]), \
             free: \"q\", range: (0, 1)), \
             Curve(name: \"c\", orbit: PeriodicOrbit, start: Point(from: \"rest, HB\"), free: \"q\", range: (0, 100))])",
            rest * unit
        );
        let result = run(&text);
        let found = curve(&result, "c");
        let points: Vec<&BranchPoint> = found.points().map(|(_, _, p)| p).collect();
        let last = points.last().unwrap();
        let named = last.message.contains("zero of the denominator") && last.message.contains("(1 + u)");
        let column = found.monitors.iter().position(|name| name == "x_min").unwrap();
        let gap = 1.0 + last.record.monitors[column] / unit;
        if !named || !(0.0..1e-5).contains(&gap) || points.len() > 150 {
            wrong.push((
                member,
                format!("{} points, {gap}: {}\n{text}", points.len(), last.message),
            ));
        }
    }
    none_wrong(class, count, &wrong);
}
