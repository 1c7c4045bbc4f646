//! Families of orbits that end because an orbit rests for ever, or because a segment of it lasts no time.

use super::known::{none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::{End, Label};
use slipstick_study::CurveResult;
use std::f64::consts::TAU;

/// How the curve ends at its low side, and the label, parameter and message there.
fn low_end(c: &CurveResult) -> Option<(&End, Option<Label>, f64, &str)> {
    let branch = &c.pieces.first()?.branch;
    let p = branch
        .points
        .iter()
        .min_by(|a, b| a.point.parameter().total_cmp(&b.point.parameter()))?;
    let end = branch.ends.iter().rfind(|e| !matches!(e, End::Range))?;
    Some((end, p.label, p.point.parameter(), &p.message))
}

/// The number that follows some words in a message.
fn number_after(message: &str, words: &str) -> Option<f64> {
    let rest = message.split_once(words)?.1;
    rest.split([' ', ',', ';']).next()?.trim_end_matches('.').parse().ok()
}

/// Integrate-and-fire neurons, fired at a threshold v = b and reset to r. Leaky ones, v' = (I - v)/τ, have the period τ
/// ln((I - r)/(I - b)), which grows without bound as I falls to b, exponentially. Quadratic ones, v' = a (I - c) + d (v
/// - e)², have a saddle-node on the orbit at I = c.
#[test]
fn neurons_rest_for_ever() {
    let count = members(4);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("neurons", member);
        let leaky = member % 2 == 0;
        // In units of voltage and of time of any size.
        let unit = random.log_between(1e-9, 1e9);
        let tau = random.log_between(1e-5, 1e5);
        let (reset, threshold) = (random.between(-2.0, -0.5), random.between(0.5, 2.0));
        let centre = random.between(-0.3, 0.3);
        let (shift, gain) = (random.between(-2.0, 2.0), random.log_between(0.5, 2.0));
        let (equation, limit) = if leaky {
            ("I - u".to_owned(), threshold)
        } else {
            (format!("({gain:?})*(I - ({shift:?})) + 4*(u - ({centre:?}))^2"), shift)
        };
        let rate = unit / tau;
        let [low, high] = [reset * unit, threshold * unit];
        let start = limit + random.between(0.5, 1.5);
        let text = format!(
            "Study(title: \"neuron\", system: Hybrid(states: [\"v\"], parameters: {{\"I\": {start:?}}}, \
             define: {{\"u\": \"v/({unit:?})\"}}, modes: {{\"rest\": Mode(equations: [\"v' = ({rate:?})*({equation})\"], \
             events: {{\"fire\": Event(guard: \"v - ({high:?})\", direction: Up, to: \"rest\", reset: {{\"v\": \"{low:?}\"}})}})}}, \
             start: Start(mode: \"rest\", at: {{\"v\": {low:?}}})), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"rest fire\"), start: Settle(at: {{}}), free: \"I\", range: ({:?}, {:?}))])",
            limit - 1.0,
            start + 0.5
        );
        let result = run(&text);
        let end = result.curves.first().and_then(low_end);
        let right = end.is_some_and(|(end, label, at, message)| {
            let (nearest, error) = if leaky { (1e-5, 1e-7) } else { (0.1, 1e-7) };
            matches!(end, End::Homoclinic { .. })
                && label == Some(Label::EP)
                && (at - limit).abs() <= nearest
                && number_after(message, "approaches ").is_some_and(|v| (v - limit).abs() <= error)
                && message.contains(if leaky { "equilibrium (v = " } else { "saddle-node" })
        });
        if !right {
            wrong.push((member, format!("limit {limit}: {end:?}, {:?}\n{text}", result.missing)));
        }
    }
    none_wrong("neurons", count, &wrong);
}

/// Neurons that run off to infinity, and fire at a voltage b that is passed within an instant, 1/b² of the time: v' = I +
/// v², reset to r, have the period (atan(b/√I) - atan(r/√I))/√I. Beside them a current jumps at each spike and decays.
#[test]
fn neurons_fire_in_an_instant() {
    let count = members(6);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("spikes", member);
        let peak = random.log_between(10.0, 1e6);
        let reset = random.between(-3.0, -0.5);
        let (decay, jump) = (random.between(0.2, 3.0), random.between(0.1, 2.0));
        let unit = random.log_between(1e-2, 1e3);
        let levels: Vec<f64> = (0..3).map(|_| random.between(0.3, 4.0)).collect();
        let text = format!(
            "Study(title: \"neuron\", system: Hybrid(states: [\"v\", \"w\"], parameters: {{\"I\": 1}}, \
             modes: {{\"rest\": Mode(equations: [\"v' = {unit:?}*I + v^2/{unit:?}\", \"w' = -{decay:?}*w\"], \
             events: {{\"fire\": Event(guard: \"v - {:?}\", direction: Up, to: \"rest\", reset: {{\"v\": \"{:?}\", \"w\": \"w + {jump:?}\"}})}})}}, \
             start: Start(mode: \"rest\", at: {{\"v\": {:?}, \"w\": {jump:?}}})), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"rest fire\"), start: All(at: {{\"I\": 1}}, seeds: 40), free: \"I\", range: (0.2, 5), \
             levels: {{\"I\": {levels:?}}})])",
            unit * peak,
            unit * reset,
            unit * reset,
        );
        let result = run(&text);
        let found: Vec<_> = result.curves.iter().flat_map(CurveResult::points).collect();
        let at: Vec<f64> = found.iter().map(|(_, _, p)| p.point.parameter()).collect();
        let ends = [0.2, 5.0].map(|end| at.contains(&end));
        let mut off = vec![];
        for (_, _, p) in found.iter().filter(|(_, _, p)| p.label == Some(Label::UZ)) {
            let root = p.point.parameter().sqrt();
            let period = ((peak / root).atan() - (reset / root).atan()) / root;
            let multiplier = -decay * period / std::f64::consts::LN_10;
            off.push((p.record.period / period - 1.0).abs());
            off.push((p.record.multipliers[0].log10 - multiplier).abs());
        }
        let right =
            result.curves.len() == 1 && ends == [true; 2] && off.len() == 6 && off.iter().all(|off| *off < 1e-8);
        if !right {
            let ended: Vec<String> = result.curves.iter().map(CurveResult::ended).collect();
            wrong.push((member, format!("{off:?}, {ended:?}, {:?}\n{text}", result.missing)));
        }
    }
    none_wrong("spikes", count, &wrong);
}

/// Cycles on the unit circle, r' = r (1 - r²), on which a saddle-node appears: φ' = p - p0 + a (1 - sin φ), with the
/// period 2π/√((p - p0)(p - p0 + 2a)).
#[test]
fn saddle_nodes_appear_on_cycles() {
    let count = members(2);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("saddle-nodes", member);
        let (limit, gain) = (random.between(-2.0, 2.0), random.between(0.5, 2.0));
        let (unit, tau) = (random.log_between(1e-3, 1e3), random.log_between(1e-3, 1e3));
        let start = limit + random.between(0.5, 1.5);
        let turn = format!("(p - ({limit:?}) + ({gain:?})*(1 - v))");
        let text = format!(
            "Study(title: \"circle\", system: Smooth(states: [\"x\", \"y\"], parameters: {{\"p\": {start:?}}}, \
             define: {{\"u\": \"x/({unit:?})\", \"v\": \"y/({unit:?})\", \"c\": \"1 - u^2 - v^2\"}}, \
             equations: [\"x' = ({rate:?})*(u*c - v*{turn})\", \"y' = ({rate:?})*(v*c + u*{turn})\"]), \
             curves: [Curve(name: \"c\", orbit: PeriodicOrbit, start: Guess(at: {{}}, states: [{{\"x\": {unit:?}, \"y\": 0}}], durations: [{:?}]), \
             free: \"p\", range: ({:?}, {:?}))])",
            TAU * tau / ((start - limit) * (start - limit + 2.0 * gain)).sqrt(),
            limit - 1.0,
            start + 0.5,
            rate = unit / tau,
        );
        let result = run(&text);
        let end = result.curves.first().and_then(low_end);
        let right = end.is_some_and(|(end, label, _, message)| {
            matches!(end, End::Homoclinic { .. })
                && label == Some(Label::EP)
                && message.contains("saddle-node")
                && number_after(message, "approaches ").is_some_and(|v| (v - limit).abs() <= 1e-7)
        });
        if !right {
            wrong.push((member, format!("limit {limit}: {end:?}, {:?}\n{text}", result.missing)));
        }
    }
    none_wrong("saddle-nodes on cycles", count, &wrong);
}

/// A relay in feedback with a linear system of third order whose numerator is of minimum phase for σ < 0: its orbits
/// slide for ever longer as σ rises to 0, and there the segments between two slides last no time. At σ = 0 the sliding
/// motion is a centre, x2'' = -ρ² x2.
#[test]
fn segments_of_a_relay_vanish() {
    let count = members(6);
    let (mut wrong, mut crossing) = (vec![], 0);
    for member in 0..count {
        let mut random = Random::of("relay", member);
        let (zeta, om, lam) = (
            random.between(0.05, 0.3),
            random.between(0.8, 1.2),
            random.between(0.8, 1.2),
        );
        let (k, rho) = (random.log_between(0.3, 3.0), random.between(0.8, 1.2));
        let mode = |name: &str, u: i32, other: &str, up: bool| {
            let (direction, sign, less, more) = if up {
                ("Up", "-", "<", ">")
            } else {
                ("Down", "+", ">", "<")
            };
            format!(
                "\"{name}\": Mode(equations: [\"x1' = f1({u})\", \"x2' = f2({u})\", \"x3' = f3({u})\"], events: {{\
                 \"cross\": Event(guard: \"x1\", direction: {direction}, when: [\"x2 {sign} k {more} 0\"], to: \"{other}\"), \
                 \"land\": Event(guard: \"x1\", direction: {direction}, when: [\"x2 {sign} k {less} 0\"], to: \"slide\")}})"
            )
        };
        let text = format!(
            "Study(title: \"relay\", system: Hybrid(states: [\"x1\", \"x2\", \"x3\"], \
             parameters: {{\"zeta\": {zeta:?}, \"om\": {om:?}, \"lam\": {lam:?}, \"k\": {k:?}, \"sig\": -0.3, \"rho\": {rho:?}}}, \
             define: {{\"f1(u)\": \"-(2*zeta*om+lam)*x1 + x2 + k*u\", \"f2(u)\": \"-(2*zeta*om*lam+om^2)*x1 + x3 + 2*k*sig*rho*u\", \
             \"f3(u)\": \"-lam*om^2*x1 + k*rho^2*u\"}}, \
             modes: {{{}, {}, \"slide\": Mode(kind: Stick, states: [\"x2\", \"x3\"], absent: {{\"x1\": \"0\"}}, \
             equations: [\"x2' = x3 - 2*sig*rho*x2\", \"x3' = -rho^2*x2\"], \
             events: {{\"out+\": Event(guard: \"x2 - k\", direction: Up, to: \"-\"), \"out-\": Event(guard: \"x2 + k\", direction: Down, to: \"+\")}})}}, \
             symmetry: Symmetry(states: {{\"x1\": \"-x1\", \"x2\": \"-x2\", \"x3\": \"-x3\"}}, modes: {{\"+\": \"-\"}}), \
             start: Start(mode: \"slide\", at: {{\"x2\": {:?}}})), \
             curves: [Curve(name: \"c\", orbit: Symmetric(\"+ land slide out+\"), start: Settle(at: {{\"sig\": -0.03}}), free: \"sig\", range: (-0.2, 0.1))])",
            mode("+", 1, "-", true),
            mode("-", -1, "+", false),
            0.95 * k,
        );
        let result = run(&text);
        if result.missing.iter().any(|m| m.reason.contains("`+ cross | mirrored`")) {
            // Sliding orbits of some of these systems are not stable.
            crossing += 1;
            continue;
        }
        let ends: Vec<_> = result
            .curves
            .iter()
            .flat_map(|c| &c.pieces)
            .flat_map(|p| &p.branch.points)
            .filter(|p| p.message.contains("tends to"))
            .map(|p| (p.label, p.point.parameter(), p.message.clone()))
            .collect();
        let right = !ends.is_empty()
            && ends
                .iter()
                .all(|(label, at, m)| *label == Some(Label::VS) && at.abs() <= 1e-9 && m.contains("vanishes"));
        if !right {
            let labels: Vec<_> = (result.curves.iter())
                .flat_map(|c| &c.pieces)
                .flat_map(|p| &p.branch.points)
                .filter(|p| p.label.is_some())
                .map(|p| (p.label, p.point.parameter(), p.message.clone()))
                .collect();
            wrong.push((member, format!("{labels:?} {:?}\n{text}", result.missing)));
        }
    }
    assert!(crossing <= count.div_ceil(3), "{crossing} of {count}");
    none_wrong("relays", count, &wrong);
}

/// A ramp x' = k (p - p0) that drops from h to 0, of the period h/(k (p - p0)); and a ball that leaves each impact with
/// v = a - (1 - p + p0) v, of the period 2a/(g (p - p0)): the period grows as the inverse of what is left of the way.
/// Where the range ends before, so does the curve.
#[test]
fn motions_become_ever_slower_or_go_ever_further() {
    let count = members(2);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("ever slower", member);
        let limit = random.between(-2.0, 2.0);
        let start = limit + random.between(0.3, 0.6);
        let (a, k) = (random.between(0.5, 2.0), random.between(0.5, 2.0));
        let (states, equations, event, word, begin) = if member % 2 == 0 {
            let drop =
                format!("\"drop\": Event(guard: \"x - {a:?}\", direction: Up, to: \"m\", reset: {{\"x\": \"0\"}})");
            let rate = format!("\"x' = {k:?}*(p - ({limit:?}))\", \"y' = x - y\"");
            ("\"x\", \"y\"", rate, drop, "m drop", "{\"x\": 0}")
        } else {
            let impact = format!(
                "\"impact\": Event(guard: \"x\", direction: Down, to: \"m\", reset: {{\"v\": \"{a:?} - (1 - p + ({limit:?}))*v\"}})"
            );
            let fall = format!("\"x' = v\", \"v' = -{k:?}\"");
            ("\"x\", \"v\"", fall, impact, "m impact", "{\"x\": 0.1, \"v\": 1}")
        };
        let study = |low: f64| {
            format!(
                "Study(title: \"slower\", system: Hybrid(states: [{states}], parameters: {{\"p\": {start:?}}}, modes: {{\"m\": Mode(equations: [{equations}], events: {{{event}}})}}, \
                 start: Start(mode: \"m\", at: {begin})), curves: [Curve(name: \"c\", orbit: Periodic(\"{word}\"), start: Settle(at: {{}}), free: \"p\", \
                 range: ({low:?}, {:?}))])",
                limit + 0.9
            )
        };
        let text = study(limit - 0.05);
        let result = run(&text);
        let end = result.curves.first().and_then(low_end);
        let right = end.is_some_and(|(end, label, at, message)| {
            matches!(end, End::Homoclinic { .. })
                && label == Some(Label::EP)
                && (0.0..1e-2).contains(&(at - limit))
                && message.contains("inverse of the period")
                && number_after(message, "approaches ").is_some_and(|v| (v - limit).abs() <= 1e-7)
        });
        let before = run(&study(limit + 0.1));
        let reached = before.curves.first().is_some_and(|c| c.covered().0 == limit + 0.1);
        if !right || !reached {
            wrong.push((
                member,
                format!("limit {limit}: {end:?}, {:?} {reached}\n{text}", result.missing),
            ));
        }
    }
    none_wrong("ever slower", count, &wrong);
}

/// Adaptive exponential neurons v' = e^v - v - w + I, w' = b (a v - w), fired at v = 4, reset to r with w + d: as I
/// falls their orbits follow what repels them, and come to rest at a saddle. In one shot rounding takes over on the
/// way: the family is followed on meshes, whoever asks for them, with its doublings, and ends near the equilibrium that
/// the value of I told has.
#[test]
fn adaptive_neurons_rest_at_a_saddle_after_a_canard() {
    let count = members(2);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("adaptive neurons", member);
        let (a, b) = (random.between(0.3, 0.8), random.between(0.06, 0.2));
        let (d, reset) = (random.between(0.3, 0.7), random.between(-2.0, -1.0));
        let text = |method: &str| {
            format!(
                "Study(title: \"adaptive\", system: Hybrid(states: [\"v\", \"w\"], parameters: {{\"I\": 1}}, \
                 modes: {{\"rest\": Mode(equations: [\"v' = exp(v) - v - w + I\", \"w' = ({b:?})*(({a:?})*v - w)\"], events: {{\
                 \"fire\": Event(guard: \"v - 4\", direction: Up, to: \"rest\", reset: {{\"v\": \"{reset:?}\", \"w\": \"w + {d:?}\"}})}})}}, \
                 start: Start(mode: \"rest\", at: {{\"v\": {reset:?}, \"w\": 1}})), \
                 curves: [Curve(name: \"c\", orbit: Periodic(\"rest fire\"), {method}start: Settle(at: {{}}), free: \"I\", range: (-4, 1.1), branches: [PD])])"
            )
        };
        let limit = |text: &str| {
            let result = run(text);
            let curve = result.curves.first();
            let (end, doublings) = (curve.and_then(low_end_of_walk), curve.map_or(vec![], doublings));
            let branches = result.curves.len() - 1;
            let value = end.as_ref().and_then(|(homoclinic, message)| {
                let value = number_after(message, "approaches ")?;
                homoclinic.then_some(value)
            });
            // e^v - (1 + a) v + I = 0 at rest, on the right of the minimum of that.
            let right = value.filter(|current| {
                let mut v = (1.0 + a).ln() + 1.0;
                for _ in 0..50 {
                    v -= (v.exp() - (1.0 + a) * v + current) / (v.exp() - 1.0 - a);
                }
                let place = format!("v = {v:.4}");
                end.as_ref().is_some_and(|(_, message)| message.contains(&place[..8]))
            });
            (right, doublings, branches, format!("{end:?} {:?}", result.missing))
        };
        let auto = limit(&text(""));
        let on_meshes = limit(&text("method: Collocation(), "));
        let agree = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-9;
        let right = auto.0.zip(on_meshes.0).is_some_and(|(a, b)| agree((&a, &b)))
            && auto.1.len() == on_meshes.1.len()
            && auto.1.iter().zip(&on_meshes.1).all(agree)
            && auto.2 == on_meshes.2
            && auto.2 >= auto.1.len().min(1);
        if !right {
            wrong.push((member, format!("{auto:?} {on_meshes:?}\n{}", text(""))));
        }
    }
    none_wrong("adaptive neurons", count, &wrong);
}

/// Where the period of a family doubles.
fn doublings(c: &CurveResult) -> Vec<f64> {
    let points = c.points().filter(|(_, _, p)| p.label == Some(Label::PD));
    points.map(|(_, _, p)| p.point.parameter()).collect()
}

/// Is the end of a curve that is no end of its range homoclinic, and what is said there.
fn low_end_of_walk(c: &CurveResult) -> Option<(bool, String)> {
    let branch = &c.pieces.first()?.branch;
    let first = branch.points.first()?;
    Some((
        matches!(branch.ends.first()?, End::Homoclinic { .. }),
        first.message.clone(),
    ))
}

/// r' = r (m - r² + a r⁴), θ' = ω in units of their own, in two modes with one field: the cycles shrink to a point as m
/// tends to zero, and turn back at m = 1/(4a). There is nothing else on the curve.
#[test]
fn cycles_with_events_that_shrink_cross_no_other_curve() {
    let class = "shrinking cycles with events";
    let count = members(5);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (a, w) = (random.between(0.3, 0.9), random.between(0.7, 1.5));
        let fold = 0.25 / a;
        let unit = random.log_between(0.2, 5.0);
        let r2 = format!("(x^2 + y^2)*({:?})", 1.0 / (unit * unit));
        let radial = format!("(m - r2 + ({a:?})*r2^2)");
        let equations = format!("[\"x' = {radial}*x - ({w:?})*y\", \"y' = {radial}*y + ({w:?})*x\"]");
        let at = random.between(0.4, 0.8) * fold;
        let radius = unit * ((1.0 - (1.0 - 4.0 * a * at).sqrt()) / (2.0 * a)).sqrt();
        let (system, word) = match member % 2 {
            0 => (
                format!(
                    "Hybrid(states: [\"x\", \"y\"], parameters: {{\"m\": {at:?}}}, define: {{\"r2\": \"{r2}\"}}, \
                     modes: {{\"u\": Mode(equations: {equations}, events: {{\"a\": Event(guard: \"y\", direction: Up, to: \"l\")}}), \
                     \"l\": Mode(equations: {equations}, events: {{\"b\": Event(guard: \"y\", direction: Down, to: \"u\")}})}}, \
                     start: Start(mode: \"l\", at: {{\"x\": {radius:?}, \"y\": {:?}}}))",
                    0.1 * radius
                ),
                "l u",
            ),
            _ => (
                format!(
                    "Filippov(states: [\"x\", \"y\"], parameters: {{\"m\": {at:?}}}, define: {{\"r2\": \"{r2}\"}}, surfaces: {{\"s\": \"y\"}}, \
                     fields: {{\"+\": {equations}, \"-\": {equations}}}, start: {{\"x\": {radius:?}, \"y\": {:?}}})",
                    0.1 * radius
                ),
                "s+ s-",
            ),
        };
        let text = format!(
            "Study(title: \"shrinking\", system: {system}, \
             curves: [Curve(name: \"c\", orbit: Periodic(\"{word}\"), start: Settle(at: {{\"m\": {at:?}}}), free: \"m\", range: ({:?}, {:?}))])",
            -0.5 * fold,
            1.2 * fold
        );
        let result = run(&text);
        let Some(own) = result.curves.first() else {
            wrong.push((member, format!("{:?}\n{text}", result.missing)));
            continue;
        };
        let found: Vec<(Label, f64)> = super::known::labels(own)
            .into_iter()
            .map(|(l, at, _)| (l, at))
            .collect();
        let right = matches!(found[..], [(Label::LP, at)] if (at / fold - 1.0).abs() < 1e-8);
        if !right {
            wrong.push((member, format!("{found:?} for LP at {fold}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}
