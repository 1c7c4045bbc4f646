//! Equilibria that fill a curve, and such that do not, in units of states, equations and parameters that differ by many
//! orders of magnitude: only the former are refused.

use super::known::{labels, none_wrong, run};
use super::random::{Coordinates, Random, members};
use slipstick_bifurcation::Label;

/// Rate-and-state friction with the aging law, regularised at rest: a mass on a spring pulled at a constant speed. Its
/// states in random units.
#[test]
fn equilibria_of_rate_and_state_friction_are_single() {
    let class = "rate-and-state friction";
    let count = members(16);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (a, mass) = (random.log_between(0.01, 1.0), random.log_between(1e-3, 1.0));
        let b = a * random.between(1.2, 3.0);
        let mu: f64 = random.between(0.3, 0.8) + 12.0 * a;
        let speed = random.log_between(0.05, 20.0);
        let [x, v, s, t] = [3.0, 3.0, 1.0, 3.0].map(|e| 10f64.powf(random.between(-e, e)));
        let rest = -speed.ln();
        let u = 0.5 * speed * ((mu + b * rest) / a).exp();
        let r = u / u.hypot(1.0);
        let (by_speed, by_state) = (a * r / speed, b * r);
        let hopf = (1.0 + mass * speed / by_speed) * (by_state - by_speed * speed);
        let friction = a * u.asinh();
        let slows = ["abs(v/_)", "v/_"][random.below(2)].replace('_', &format!("{v:?}"));
        let law = format!("(v/{v:?}/2*exp(({mu:?} + {b:?}*(s/{s:?}))/{a:?}))");
        let law = format!("ln({law} + sqrt({law}^2 + 1))");
        let start = format!(
            "\"x\": {:?}, \"v\": {:?}, \"s\": {:?}",
            x * friction / (0.5 * hopf),
            v * speed,
            s * rest
        );
        let text = format!(
            "Study(title: \"friction\", system: Smooth(states: [\"x\", \"v\", \"s\"], parameters: {{\"k\": {:?}}}, \
             equations: [\"x' = {:?}*({speed:?} - v/{v:?})\", \"v' = {:?}*(k*(x/{x:?}) - {a:?}*{law})/{mass:?}\", \
             \"s' = {:?}*(exp(-s/{s:?}) - {slows})\"]), curves: [Curve(name: \"c\", orbit: Equilibrium, \
             start: Guess(at: {{\"k\": {:?}}}, states: [{{{start}}}]), free: \"k\", range: ({:?}, {:?}))])",
            0.5 * hopf,
            x / t,
            v / t,
            s / t,
            0.5 * hopf,
            0.3 * hopf,
            1.5 * hopf
        );
        let result = run(&text);
        let found: Vec<(Label, f64)> = result
            .curves
            .iter()
            .flat_map(labels)
            .map(|(label, at, _)| (label, at))
            .collect();
        let right = matches!(found[..], [(Label::HB, at)] if (at / hopf - 1.0).abs() <= 1e-6);
        if !right {
            wrong.push((
                member,
                format!("{found:?} for HB at {hopf}: {:?}\n{text}", result.missing),
            ));
        }
    }
    none_wrong(class, count, &wrong);
}

/// A ring of equilibria, or a straight or bent line of them, beside a state that decays; or the same with the continuum
/// broken by as little as a thousandth.
#[test]
fn only_true_continua_are_refused() {
    let class = "continua of equilibria";
    let count = members(30);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let broken = random.below(2) == 0;
        let by = if broken { random.log_between(1e-3, 1.0) } else { 0.0 };
        let angle: f64 = random.between(0.2, 1.3);
        let rate = random.log_between(0.1, 10.0);
        let (fields, at) = match random.below(3) {
            // A ring of the radius √q, on which the angle comes to rest at one place if it is broken.
            0 => {
                let grows = format!("{rate:?}*(q - u1^2 - u2^2)");
                let turns = format!("({by:?}*({:?}*u1 - {:?}*u2))", angle.sin(), angle.cos());
                let fields = vec![
                    format!("{grows}*u1 - {turns}*u2"),
                    format!("{grows}*u2 + {turns}*u1"),
                    "-u3".to_owned(),
                ];
                (fields, vec![angle.cos(), angle.sin(), 0.0])
            }
            // A line u1 = q.
            1 => {
                let away = format!("(u1 - q)*(1 + {rate:?}*u2^2)");
                let fields = vec![
                    "q - u1".to_owned(),
                    format!("{away} - {by:?}*(u2 - {angle:?})"),
                    format!("u2*(u1 - q) - {rate:?}*u3"),
                ];
                (fields, vec![1.0, angle, 0.0])
            }
            // A parabola u1 = q u2².
            _ => {
                let off = "(u1 - q*u2^2)";
                let fields = vec![
                    format!("-{rate:?}*{off}"),
                    format!("{off}*u1 - {by:?}*(u2 - {angle:?})"),
                    format!("exp({off}) - 1 - u3"),
                ];
                (fields, vec![angle * angle, angle, 0.0])
            }
        };
        let coordinates = Coordinates::random(&mut random, 3, [5.0, 5.0, 4.0]);
        let [low, value, high] = [0.8, 1.0, 1.3].map(|q| coordinates.p(q));
        let text = format!(
            "Study(title: \"continua\", system: {}, curves: [Curve(name: \"c\", orbit: Equilibrium, \
             start: Guess(at: {{\"p\": {value:?}}}, states: [{}]), free: \"p\", range: ({low:?}, {high:?}))])",
            coordinates.smooth(&fields, 1.0),
            coordinates.states_text(&at)
        );
        let result = run(&text);
        let why = result.missing.first().map_or(String::new(), |m| m.reason.clone());
        let right = if broken {
            result.curves.len() == 1 && labels(&result.curves[0]).is_empty()
        } else {
            why.contains("continuum")
        };
        if !right {
            wrong.push((
                member,
                format!("broken by {by}: `{why}` {}\n{text}", result.curves.len()),
            ));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Reactions in a closed vessel, and an epidemic among as many as there are: equilibria fill a curve or a plane, as the
/// total is conserved, and `All` says so.
#[test]
fn equilibria_of_closed_systems_are_not_denied() {
    let class = "closed systems";
    let count = members(4);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (back, on) = (random.log_between(0.2, 5.0), random.log_between(0.2, 5.0));
        let fields = if member % 2 == 0 {
            let first = format!("(q*u1 - {back:?}*u2^2)");
            let second = format!("({on:?}*u2 - u1*u3)");
            [format!("-{first}"), format!("{first} - {second}"), second]
        } else {
            let infections = format!("q*{on:?}*u1*u2");
            let recoveries = format!("{back:?}*u2");
            [
                format!("-{infections}"),
                format!("{infections} - {recoveries}"),
                recoveries,
            ]
        };
        let coordinates = Coordinates::random(&mut random, 3, [5.0, 5.0, 4.0]);
        let [low, value, high] = [0.8, 1.0, 1.3].map(|q| coordinates.p(q));
        let text = format!(
            "Study(title: \"closed\", system: {}, curves: [Curve(name: \"c\", orbit: Equilibrium, \
             start: All(at: {{\"p\": {value:?}}}), free: \"p\", range: ({low:?}, {high:?}))])",
            coordinates.smooth(&fields, 1.0),
        );
        let result = run(&text);
        let why = result.missing.first().map_or(String::new(), |m| m.reason.clone());
        if !(result.curves.is_empty() && why.contains("continuum") && why.contains("conserved")) {
            wrong.push((member, format!("`{why}` {}\n{text}", result.curves.len())));
        }
    }
    none_wrong(class, count, &wrong);
}
