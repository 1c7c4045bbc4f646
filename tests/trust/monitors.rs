//! Monitors made of formulas, held against closed forms and balances of energy.

use super::known::{curve, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::{BranchPoint, Label};
use slipstick_study::{self as study, CurveResult};
use std::f64::consts::{PI, TAU};

/// A parameter or monitor at a point.
fn value(curve: &CurveResult, point: &BranchPoint, name: &str) -> f64 {
    if name == "period" {
        return point.record.period;
    }
    let parameter = curve.parameters.iter().position(|n| n == name);
    let of_monitor = || point.record.monitors[curve.monitors.iter().position(|n| n == name).unwrap()];
    parameter.map_or_else(of_monitor, |i| point.record.parameters[i])
}

/// Where monitors are not what they should be at the points of a curve, by more than so much of their size; `known`
/// gives each with a size.
fn off(
    curve: &CurveResult,
    tolerance: f64,
    known: &dyn Fn(&dyn Fn(&str) -> f64) -> Vec<(&'static str, f64, f64)>,
) -> Vec<String> {
    let mut wrong = vec![];
    for (_, i, point) in curve.points() {
        let at = |name: &str| value(curve, point, name);
        for (name, right, size) in known(&at) {
            let found = at(name);
            if !((found - right).abs() <= tolerance * size) {
                wrong.push(format!("{} {i:?}: {name} is {found:?}, not {right:?}", curve.name));
            }
        }
    }
    wrong
}

/// Levels that were asked for and not met, to 1e-10.
fn unmet(curve: &CurveResult, name: &str, level: f64) -> Vec<String> {
    let labelled = curve.points().filter(|(_, _, p)| p.label == Some(Label::UZ));
    let met = labelled.filter(|(_, _, p)| (value(curve, p, name) - level).abs() <= 1e-10 * level.abs());
    if met.count() > 0 {
        vec![]
    } else {
        vec![format!("{}: no point at {name} = {level:?}", curve.name)]
    }
}

/// How periodic orbits of smooth systems are solved.
fn method(r: &mut Random) -> String {
    match r.below(4) {
        0 => "Flow".into(),
        1 => format!("Shooting(shots: {})", 1 + r.below(4)),
        2 => format!("Collocation(stages: {})", 5 + r.below(4)),
        _ => "Auto".into(),
    }
}

/// Extremes and integrals of formulas that turn and jump many times as often as the states that they are made of: on
/// the circle x = cos θ, y = sin θ, with sin(k x + e), its square, and what it is beyond a level.
#[test]
fn formulas_that_turn_often() {
    let count = members(4);
    let mut wrong = vec![];
    for member in 0..count {
        let mut r = Random::of("often", member);
        let (k, e, c) = (r.log_between(1.0, 60.0), r.between(0.0, 3.0), r.between(-2.0, 2.0));
        let (level, omega) = (r.between(-0.8, 0.8), r.log_between(0.3, 3.0));
        let text = format!(
            "Study(title: \"often\", system: Smooth(states: [\"x\", \"y\"], parameters: {{\"w\": {omega:?}, \"k\": {k:?}}}, \
             equations: [\"x' = x*(1 - x^2 - y^2) - w*y\", \"y' = y*(1 - x^2 - y^2) + w*x\"], observables: {{\"h\": \"sin(k*x + ({e:?})) + ({c:?})*x\"}}, \
             monitors: {{\"top\": Max(\"h\"), \"low\": Min(\"h\"), \"beyond\": Mean(\"max(h - ({level:?}), 0)\"), \"share\": Mean(\"if(h > ({level:?}), 1, 0)\"), \
             \"peak\": Max(\"abs(h - ({level:?}))\")}}), \
             curves: [Curve(name: \"c\", orbit: PeriodicOrbit, method: {}, start: Guess(at: {{}}, states: [{{\"x\": 1, \"y\": 0}}], durations: [{:?}]), free: \"k\", \
             range: ({:?}, {:?}), points: 12)])",
            method(&mut r),
            TAU / omega,
            0.9 * k,
            1.1 * k,
        );
        let result = run(&text);
        let known = |at: &dyn Fn(&str) -> f64| {
            let k = at("k");
            let h = |x: f64| (k * x + e).sin() + c * x;
            // Turning points of h over x, and its ends.
            let mut turns = vec![-1.0, 1.0];
            if c.abs() < k {
                let first = (-c / k).acos();
                let all = (-60..60).flat_map(|n| [first, -first].map(|p| (p + TAU * f64::from(n) - e) / k));
                turns.extend(all.filter(|x| x.abs() < 1.0));
            }
            turns.sort_by(f64::total_cmp);
            let values = turns.iter().map(|x| h(*x));
            let (top, low) = (values.clone().fold(f64::MIN, f64::max), values.fold(f64::MAX, f64::min));
            // Where h crosses the level, by bisection between turning points; the mean over θ by the rule of the
            // midpoint in θ on each side of them, in which x = -cos θ.
            let mut borders = vec![0.0];
            for pair in turns.windows(2) {
                let (mut a, mut b) = (pair[0], pair[1]);
                if (h(a) - level) * (h(b) - level) < 0.0 {
                    for _ in 0..200 {
                        let m = 0.5 * (a + b);
                        if (h(a) - level) * (h(m) - level) <= 0.0 {
                            b = m
                        } else {
                            a = m
                        }
                    }
                    borders.push((-a).acos());
                }
            }
            borders.push(PI);
            let (mut share, mut beyond) = (0.0, 0.0);
            let gauss = [
                (0.5 - 0.15f64.sqrt(), 5.0 / 18.0),
                (0.5, 4.0 / 9.0),
                (0.5 + 0.15f64.sqrt(), 5.0 / 18.0),
            ];
            for pair in borders.windows(2) {
                let width = pair[1] - pair[0];
                if h(-(0.5 * (pair[0] + pair[1])).cos()) <= level {
                    continue;
                }
                share += width / PI;
                const PARTS: usize = 400;
                for i in 0..PARTS {
                    for (at, weight) in gauss {
                        let theta = pair[0] + width * (i as f64 + at) / PARTS as f64;
                        beyond += weight * width / PARTS as f64 * (h(-theta.cos()) - level) / PI;
                    }
                }
            }
            vec![
                ("top", top, 1.0 + c.abs()),
                ("low", low, 1.0 + c.abs()),
                ("peak", (top - level).abs().max((low - level).abs()), 1.0 + c.abs()),
                ("beyond", beyond, 1.0 + c.abs()),
                ("share", share, 1.0),
            ]
        };
        // What a mesh tells of the states, k times.
        let found = off(curve(&result, "c"), 1e-9 * (1.0 + k), &known);
        if !found.is_empty() {
            wrong.push((member, format!("{}\n{text}", found.join("\n"))));
        }
    }
    none_wrong("formulas that turn often", count, &wrong);
}

/// x'' + c x' + x = A cos Ωt has x = a cos(Ωt - φ), of which everything is known, corners and jumps of what is measured
/// too.
#[test]
fn the_forced_linear_oscillator() {
    let count = members(4);
    let mut wrong = vec![];
    for member in 0..count {
        let mut r = Random::of("linear monitors", member);
        let (c, force, omega) = (r.between(0.2, 0.8), r.log_between(0.3, 3.0), r.between(0.7, 1.4));
        let amplitude = |c: f64, force: f64, omega: f64| force / (1.0 - omega * omega).hypot(c * omega);
        let power = |c: f64, force: f64, omega: f64| 0.5 * c * (amplitude(c, force, omega) * omega).powi(2);
        // Above its resonance the power falls.
        let (wanted, part) = (power(c, force, 1.7), r.between(0.2, 0.5));
        let border = part * amplitude(c, force, 1.8);
        let text = format!(
            "Study(title: \"linear\", system: Smooth(states: [\"x\", \"v\"], parameters: {{\"c\": {c:?}, \"F\": {force:?}, \"W\": {omega:?}, \"b\": {border:?}}}, \
             forcing: Forcing(period: \"2*pi/W\"), equations: [\"x' = v\", \"v' = -c*v - x + F*cos(W*t)\"], observables: {{\"drive\": \"F*cos(W*t)*v\"}}, \
             monitors: {{\"power\": Mean(\"c*v^2\"), \"work\": Integral(\"drive\"), \"size\": Rms(\"x\"), \"way\": Integral(\"abs(v)\"), \"top\": Max(\"abs(x)\"), \
             \"low\": Min(\"x - 1\"), \"x0\": Value(\"x\"), \"share\": Mean(\"if(x > b, 1, 0)\"), \"beyond\": Mean(\"max(x - b, 0)\")}}), \
             curves: [Curve(name: \"c\", orbit: PeriodicOrbit, method: {}, start: All(at: {{}}), free: \"W\", range: (0.6, 2), \
             levels: {{\"power\": [{wanted:?}], \"share\": [{:?}]}}, points: 400)], \
             loci: [Locus(name: \"power\", from: \"c: power={wanted:?}\", free: (\"W\", \"F\"), range: ((0.6, 2), (0.1, 20)), points: 30), \
             Locus(name: \"share\", from: \"c: share={:?}\", free: (\"W\", \"F\"), range: ((0.6, 2), (0.1, 20)), points: 30)])",
            method(&mut r),
            part.acos() / PI,
            part.acos() / PI,
        );
        let result = run(&text);
        let known = |at: &dyn Fn(&str) -> f64| {
            let (c, force, omega, b) = (at("c"), at("F"), at("W"), at("b"));
            let a = amplitude(c, force, omega);
            let phase = (c * omega).atan2(1.0 - omega * omega);
            let inside = (b / a).clamp(-1.0, 1.0).acos();
            vec![
                ("power", power(c, force, omega), power(c, force, omega)),
                (
                    "work",
                    power(c, force, omega) * TAU / omega,
                    power(c, force, omega) * TAU / omega,
                ),
                ("size", a / 2f64.sqrt(), a),
                ("way", 4.0 * a, a),
                ("top", a, a),
                ("low", -a - 1.0, a + 1.0),
                ("x0", a * phase.cos(), a),
                ("share", inside / PI, 1.0),
                ("beyond", (a * inside.sin() - b * inside) / PI, a),
            ]
        };
        if !result.missing.is_empty() {
            wrong.push((member, format!("{}\n{text}", result.missing[0].reason)));
            continue;
        }
        let mut found = vec![];
        for c in &result.curves {
            found.extend(off(c, 1e-10, &known));
        }
        let first = curve(&result, "c");
        found.extend(unmet(first, "power", wanted));
        found.extend(unmet(first, "share", part.acos() / PI));
        // Held: the power, and the part of the time beyond the border, which is a jump's.
        for (name, level) in [("power", wanted), ("share", part.acos() / PI)] {
            let held = curve(&result, name);
            found.extend(off(held, 1e-10, &|_| vec![(name, level, level)]));
            if held.points().count() < 10 {
                found.push(format!("{name}: {} points", held.points().count()));
            }
        }
        if !found.is_empty() {
            wrong.push((member, format!("{}\n{text}", found.join("\n"))));
        }
    }
    none_wrong("forced linear oscillators", count, &wrong);
}

/// r' = r (μ - r²), θ' = ω has the circle of radius √μ for its cycle.
#[test]
fn circles() {
    let count = members(4);
    let mut wrong = vec![];
    for member in 0..count {
        let mut r = Random::of("circles", member);
        let (omega, level) = (r.log_between(0.5, 4.0), r.between(0.5, 1.5));
        let text = format!(
            "Study(title: \"circles\", system: Smooth(states: [\"x\", \"y\"], parameters: {{\"mu\": 1, \"w\": {omega:?}}}, \
             define: {{\"r2\": \"x^2 + y^2\", \"u\": \"w*x + mu*y - y*r2\"}}, equations: [\"x' = mu*x - w*y - x*r2\", \"y' = u\"], \
             monitors: {{\"area\": Integral(\"x*u\"), \"size\": Rms(\"sqrt(r2)\"), \"fourth\": Mean(\"x^4\"), \"far\": Mean(\"abs(x + y)\")}}), \
             curves: [Curve(name: \"c\", orbit: PeriodicOrbit, method: {}, start: Settle(at: {{}}, from: {{\"x\": 1}}), free: \"mu\", range: (0.1, 3), \
             levels: {{\"area\": [{:?}]}}, within: {{\"fourth\": (0, 1.5)}}, points: 300)], \
             loci: [Locus(name: \"l\", from: \"c: area={:?}\", free: (\"mu\", \"w\"), range: ((0.1, 3), (0.1, 10)), points: 20)])",
            method(&mut r),
            PI * level,
            PI * level,
        );
        let result = run(&text);
        let known = |at: &dyn Fn(&str) -> f64| {
            let mu = at("mu");
            vec![
                ("area", PI * mu, mu),
                ("size", mu.sqrt(), mu.sqrt()),
                ("fourth", 0.375 * mu * mu, mu * mu),
                ("far", 8f64.sqrt() * mu.sqrt() / PI, mu.sqrt()),
            ]
        };
        let (first, held) = (curve(&result, "c"), curve(&result, "l"));
        let mut found = off(first, 1e-10, &known);
        found.extend(off(held, 1e-10, &known));
        found.extend(off(held, 1e-10, &|_| vec![("area", PI * level, 1.0)]));
        found.extend(unmet(first, "area", PI * level));
        // It ends where the fourth moment leaves its interval, at μ = 2.
        if !first
            .points()
            .any(|(_, _, p)| p.label == Some(Label::EP) && (value(first, p, "mu") - 2.0).abs() < 1e-9)
        {
            found.push("no end at mu = 2".into());
        }
        if !found.is_empty() {
            wrong.push((member, format!("{}\n{text}", found.join("\n"))));
        }
    }
    none_wrong("circles", count, &wrong);
}

/// A thermostat x' = k (c - x) or -k (a + x) that switches at ±b, in units of x and of time that are far from one.
#[test]
fn thermostats_in_random_units() {
    let count = members(6);
    let mut wrong = vec![];
    for member in 0..count {
        let mut r = Random::of("thermostats", member);
        let (state, time) = (10f64.powi(r.below(13) as i32 - 6), 10f64.powi(r.below(9) as i32 - 4));
        let (a, c, k) = (
            r.between(0.5, 2.0) * state,
            r.between(0.5, 2.0) * state,
            r.between(0.3, 3.0) / time,
        );
        let most = 0.8 * a.min(c);
        let half = |to: f64, b: f64| ((to + b) / (to - b)).ln() / k;
        let text = format!(
            "Study(title: \"thermostat\", system: Hybrid(states: [\"x\"], parameters: {{\"b\": {:?}, \"a\": {a:?}, \"c\": {c:?}, \"k\": {k:?}}}, modes: {{\
             \"cools\": Mode(equations: [\"x' = -k*(a + x)\"], events: {{\"low\": Event(guard: \"x + b\", direction: Down, to: \"heats\")}}), \
             \"heats\": Mode(equations: [\"x' = k*(c - x)\"], events: {{\"high\": Event(guard: \"x - b\", direction: Up, to: \"cools\")}})}}, \
             monitors: {{\"sum\": Integral(\"x\"), \"mean\": Mean(\"x\"), \"off\": Integral(\"abs(x)/b\"), \"high\": AtEvent(events: [\"high\"], of: \"2*x\"), \
             \"cold\": AtEntry(modes: [\"heats\"], of: \"x/b\"), \"peak\": Max(\"x^2/b^2\")}}, start: Start(mode: \"heats\", at: {{\"x\": 0}})), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"cools low heats high\"), start: Settle(at: {{}}), free: \"b\", range: ({:?}, {most:?}))])",
            0.5 * most,
            0.1 * most,
        );
        let result = run(&text);
        let known = |at: &dyn Fn(&str) -> f64| {
            let b = at("b");
            let (t1, t2) = (half(c, b), half(a, b));
            let sum = c * t1 - a * t2;
            // Where x passes zero, on the way up and on the way down.
            let (up, down) = ((1.0 + b / c).ln() / k, (1.0 + b / a).ln() / k);
            vec![
                ("sum", sum, (t1 + t2) * b),
                ("mean", sum / (t1 + t2), b),
                ("off", (c * (t1 - 2.0 * up) + a * (t2 - 2.0 * down)) / b, t1 + t2),
                ("high", 2.0 * b, b),
                ("cold", -1.0, 1.0),
                ("peak", 1.0, 1.0),
            ]
        };
        let found = off(curve(&result, "c"), 1e-10, &known);
        if !found.is_empty() {
            wrong.push((member, format!("{}\n{text}", found.join("\n"))));
        }
    }
    none_wrong("thermostats", count, &wrong);
}

/// A forced oscillator that hits a wall: the work of the forcing is what damping takes, and the impact.
#[test]
fn impacts_balance_energy() {
    let count = members(2);
    let mut wrong = vec![];
    for member in 0..count {
        let mut r = Random::of("impacts", member);
        let (c, e, wall) = (r.between(0.05, 0.15), r.between(0.6, 0.9), r.between(0.0, 0.05));
        let omega = r.between(1.9, 2.2);
        let text = format!(
            "Study(title: \"impacts\", system: Hybrid(states: [\"x\", \"v\"], parameters: {{\"W\": {omega:?}, \"c\": {c:?}, \"e\": {e:?}, \"d\": {wall:?}}}, \
             forcing: Forcing(period: \"2*pi/W\"), modes: {{\"flight\": Mode(equations: [\"x' = v\", \"v' = -c*v - x + cos(W*t)\"], \
             events: {{\"hit\": Event(guard: \"x + d\", direction: Down, to: \"flight\", reset: {{\"v\": \"-e*v\"}})}})}}, \
             monitors: {{\"gain\": Integral(\"cos(W*t)*v\"), \"damped\": Integral(\"c*v^2\"), \"lost\": AtEvent(events: [\"hit\"], of: \"(1 - e^2)*v^2/2\"), \
             \"hit\": AtEvent(events: [\"hit\"], of: \"v\"), \"rebound\": AtEntry(modes: [\"flight\"], of: \"v\")}}, start: Start(mode: \"flight\", at: {{\"x\": 1}})), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"flight\"), start: Everywhere(samples: 6), free: \"W\", range: ({:?}, {:?}), points: 60)])",
            omega - 0.3,
            omega + 0.3,
        );
        let result = run(&text);
        let mut found = vec![];
        let known = |at: &dyn Fn(&str) -> f64| {
            vec![
                ("gain", at("damped") + at("lost"), at("lost") + at("damped")),
                ("rebound", -e * at("hit"), 1.0),
            ]
        };
        for c in &result.curves {
            found.extend(off(c, 1e-10, &known));
        }
        if result.curves.iter().map(|c| c.points().count()).sum::<usize>() < 5 {
            found.push(format!("no curve: {:?}", result.missing));
        }
        if !found.is_empty() {
            wrong.push((member, format!("{}\n{text}", found.join("\n"))));
        }
    }
    none_wrong("impacts", count, &wrong);
}

/// The stiction oscillator, built in: friction takes over the whole period what the forcing gives, told by half of the
/// orbit or by all of it.
#[test]
fn stiction_takes_what_the_forcing_gives() {
    let count = members(2);
    let mut wrong = vec![];
    for member in 0..count {
        let mut r = Random::of("stiction", member);
        let (mu_d, level) = (r.between(0.3, 0.5), r.between(0.25, 0.35));
        let locus = |name: &str| {
            format!(
                "Locus(name: \"held {name}\", from: \"{name}: loss={level:?}\", free: (\"Omega\", \"mu_d\"), range: ((1, 15), (0.1, 0.8)), points: 20)"
            )
        };
        let entry = |name: &str, word: &str| {
            format!(
                "Curve(name: \"{name}\", orbit: {word}, start: All(at: {{\"Omega\": 2}}), free: \"Omega\", range: (1, 8), levels: {{\"loss\": [{level:?}]}})"
            )
        };
        let text = format!(
            "Study(title: \"stiction\", system: Stiction(mu_d: {mu_d:?}, monitors: {{\"loss\": Integral(\"mu_d*abs(y)\"), \"work\": Integral(\"-sin(theta)*y\"), \
             \"top\": Max(\"abs(x)\"), \"landed\": AtEvent(events: [\"land\"], of: \"y\"), \"force\": Max(\"abs(xi)\")}}), curves: [{}, {}], loci: [{}, {}])",
            entry("half", "Symmetric(\"slip- stick\")"),
            entry("whole", "Periodic(\"slip- stick slip+ stick\")"),
            locus("half"),
            locus("whole"),
        );
        let result = run(&text);
        let known = |at: &dyn Fn(&str) -> f64| {
            vec![
                ("loss", at("work"), 1.0),
                ("top", at("max_abs_x"), 1.0),
                ("landed", 0.0, 1.0),
            ]
        };
        let mut found: Vec<String> = result.curves.iter().flat_map(|c| off(c, 1e-10, &known)).collect();
        for name in ["half", "whole"] {
            // The search may find orbits of several families of the word.
            let own = result.curves.iter().filter(|c| c.name.starts_with(name));
            let unmet: Vec<Vec<String>> = own.map(|c| unmet(c, "loss", level)).collect();
            if unmet.iter().all(|said| !said.is_empty()) {
                found.extend(unmet.concat());
            }
            let held = curve(&result, &format!("held {name}"));
            found.extend(off(held, 1e-10, &|_| vec![("loss", level, 1.0)]));
        }
        if !found.is_empty() {
            wrong.push((member, format!("{}\n{text}", found.join("\n"))));
        }
    }
    none_wrong("stiction", count, &wrong);
}

/// The cycle of two points of the logistic map: its sum and its product are known.
#[test]
fn the_logistic_map() {
    let level = Random::of("logistic", 0).between(0.645, 0.66);
    let text = format!(
        "Study(title: \"logistic\", system: Map(states: [\"x\"], parameters: {{\"r\": 3.2, \"s\": 1}}, equations: [\"x+ = r*x*(1 - x)*s\"], \
         monitors: {{\"mean\": Mean(\"x\"), \"sum\": Integral(\"x\"), \"square\": Rms(\"x\"), \"most\": Max(\"2*x\")}}), \
         curves: [Curve(name: \"c\", orbit: Cycle(2), start: All(at: {{\"r\": 3.2}}), free: \"r\", range: (3.05, 3.5), levels: {{\"mean\": [{level:?}]}})], \
         loci: [Locus(name: \"l\", from: \"c: mean={level:?}\", free: (\"r\", \"s\"), range: ((1, 7), (0.5, 3)), points: 20)])"
    );
    let result = run(&text);
    let known = |at: &dyn Fn(&str) -> f64| {
        let r = at("r") * at("s");
        let (sum, product) = ((1.0 + r) / r, (1.0 + r) / (r * r));
        vec![
            ("mean", 0.5 * sum, 1.0),
            ("sum", sum, 1.0),
            ("square", (0.5 * (sum * sum - 2.0 * product)).sqrt(), 1.0),
            ("most", 2.0 * at("x_max"), 1.0),
        ]
    };
    let (first, held) = (curve(&result, "c"), curve(&result, "l"));
    let mut found = off(first, 1e-10, &known);
    found.extend(off(held, 1e-10, &known));
    found.extend(off(held, 1e-10, &|_| vec![("mean", level, 1.0)]));
    found.extend(unmet(first, "mean", level));
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// What is wrong with monitors is told with its line and column, and what to write instead.
#[test]
fn wrong_texts_are_told_with_their_place() {
    let stiction = |monitors: &str, rest: &str| {
        format!(
            "Study(title: \"wrong\", system: Stiction(\nmonitors: {{{monitors}}}), curves: [Curve(name: \"s\", orbit: Symmetric(\"slip- stick\"), \
             start: All(at: {{\"Omega\": 2}}), free: \"Omega\", range: (1, 15), levels: {{\"a\": [0.3]}})]{rest})"
        )
    };
    let locus =
        ",\nloci: [Locus(name: \"l\", from: \"s: a=0.3\", free: (\"Omega\", \"mu_d\"), range: ((1, 15), (0.1, 0.8)))]";
    let smooth = |monitors: &str| {
        format!(
            "Study(title: \"wrong\", system: Smooth(states: [\"x\"], equations: [\"x' = -x\"],\nmonitors: {{{monitors}}}))"
        )
    };
    let cases = [
        (
            stiction("\"a\": Mean(\"mu_d*abs(z)\")", ""),
            "unknown name `z`",
            "study.ron:2:32",
        ),
        (stiction("\"a\": Rms(\"x +\")", ""), "", "study.ron:2:"),
        (
            stiction("\"a\": Max(\"x\"), \"a\": Min(\"x\")", ""),
            "a second `a`",
            "study.ron:2:27",
        ),
        (
            stiction("\"stick\": Max(\"x\")", ""),
            "there is already a column called `stick`",
            "study.ron:2:12",
        ),
        (
            stiction("\"a\": Mean(\"x\"), \"x_max\": Max(\"y\")", ""),
            "the monitor `x_max` has the name of a column",
            "study.ron:2:28",
        ),
        (
            stiction("\"b\": Mean(\"x\")", ""),
            "unknown parameter or monitor `a`",
            "study.ron:2:",
        ),
        (
            stiction("\"a\": AtEvent(events: [\"lnd\"], of: \"x\")", ""),
            "did you mean `land`?",
            "study.ron:2:34",
        ),
        (
            stiction("\"a\": AtEntry(modes: [\"slp-\"], of: \"x\")", ""),
            "did you mean `slip-`?",
            "study.ron:2:33",
        ),
        (
            stiction("\"a\": Max(\"x*y\")", locus),
            "`a` is an extreme, which is not smooth along curves",
            "study.ron:3:31",
        ),
        (
            stiction("\"a\": Max(\"x*y\")", locus),
            "use a level of a `Mean`, `Rms`, `Integral` or `Value`",
            "",
        ),
        (smooth("\"a\": Mean(\"t\")"), "`t` has no value here", "study.ron:2:23"),
        (smooth("\"a\": Value(\"xi\")"), "unknown name `xi`", "study.ron:2:24"),
        (
            smooth("\"a\": Mean(\"x > 0\")"),
            "a number is needed here",
            "study.ron:2:23",
        ),
        (
            smooth("\"a\": Duration(modes: [\"smooth\"])"),
            "`Duration` is for systems with modes and events",
            "study.ron:2:17",
        ),
    ];
    for (text, message, place) in cases {
        let loaded = study::parse("study.ron".as_ref(), text.clone());
        let said = loaded
            .and_then(|l| l.plan(&[]).map(|_| ()))
            .err()
            .map(|e| e.to_string());
        let said = said.unwrap_or_else(|| panic!("nothing is said of {text}"));
        assert!(
            said.contains(message) && said.contains(place),
            "{message} {place}\n{said}"
        );
    }
}

/// Two modes of a beam with dry friction at a point: its stick appears and vanishes along the response, and lasts no
/// time below zero anywhere, not by rounding either.
#[test]
fn stick_that_vanishes_lasts_no_time_below_zero() {
    let class = "vanishing stick";
    let count = members(3);
    let mut wrong = vec![];
    let mut vanishes = 0;
    for member in 0..count {
        let mut random = Random::of(class, member);
        let text = format!(
            "Study(title: \"beam\", system: Mechanical(coordinates: [\"q1\", \"q2\"], parameters: {{\"w\": 0.6}}, forcing: Forcing(period: \"2*pi/w\"), \
             masses: {{\"q1\": 1, \"q2\": 1}}, points: {{\"p\": {{\"q1\": 1, \"q2\": {:?}}}, \"f\": {{\"q1\": 1, \"q2\": -1}}}}, \
             springs: [Spring(on: \"q1\", stiffness: 1, damping: 0.05), Spring(on: \"q2\", stiffness: {:?}, damping: 0.1)], \
             forces: {{\"f\": \"cos(w*t)\"}}, contacts: {{\"c\": Coulomb(on: \"p\", mu: {:?})}}, \
             symmetry: {{\"q1\": \"-q1\", \"q2\": \"-q2\", \"phase\": \"phase + pi\"}}, monitors: {{\"stuck\": Duration(modes: [\"c:stick\"])}}), \
             curves: [Curve(name: \"c\", orbit: Symmetric(\"c:slip+ c:land c:stick c:release-\"), start: Settle(at: {{\"w\": 0.5}}), free: \"w\", \
             range: (0.48, 3.8), switch: Auto)])",
            random.between(0.5, 0.7),
            random.between(8.0, 10.0),
            random.between(0.27, 0.33)
        );
        let result = run(&text);
        let Some(found) = result.curves.iter().find(|curve| curve.name == "c") else {
            wrong.push((member, format!("{:?}\n{text}", result.missing)));
            continue;
        };
        let mut least = f64::INFINITY;
        for (_, _, p) in found.points() {
            vanishes += usize::from(p.label == Some(Label::VS));
            least = least.min(value(found, p, "stuck"));
        }
        if !(least >= 0.0) {
            wrong.push((member, format!("{least:e}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
    assert!(vanishes > 0);
}
