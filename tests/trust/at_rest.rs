//! Orbits of forced systems that rest at zero or come to rest as the force vanishes, families between two Hopf points,
//! and cycles with friction that shrink to one: what rounding leaves of small orbits is no result.

use super::known::{labels, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::{End, Label};
use slipstick_study::{AttractorKind, CurveResult, RunResult};
use std::f64::consts::TAU;

/// A restoring force in units of its own, with the slope one at zero.
fn force(kind: usize, b: f64) -> String {
    match kind {
        0 => "sin(u)".to_owned(),
        1 => format!("(u + ({b:?})*u^3)"),
        _ => "tanh(u)".to_owned(),
    }
}

/// One step of the classical Runge–Kutta scheme.
fn step(y: [f64; 2], t: f64, dt: f64, rate: &dyn Fn(f64, [f64; 2]) -> [f64; 2]) -> [f64; 2] {
    let add = |a: [f64; 2], k: [f64; 2], s: f64| [a[0] + s * k[0], a[1] + s * k[1]];
    let k1 = rate(t, y);
    let k2 = rate(t + 0.5 * dt, add(y, k1, 0.5 * dt));
    let k3 = rate(t + 0.5 * dt, add(y, k2, 0.5 * dt));
    let k4 = rate(t + dt, add(y, k3, dt));
    let sum = |i: usize| y[i] + dt / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
    [sum(0), sum(1)]
}

/// Where u'' + c u' + (1 + h cos wt) u = 0 has a multiplier -1 between two frequencies: 1 + tr + det = 0.
fn doubling(c: f64, h: f64, mut low: f64, mut high: f64) -> f64 {
    let test = |w: f64| {
        let period = TAU / w;
        let rate = |t: f64, y: [f64; 2]| [y[1], -c * y[1] - (1.0 + h * (w * t).cos()) * y[0]];
        let steps = 2000;
        let over = |mut y: [f64; 2]| {
            for k in 0..steps {
                y = step(
                    y,
                    period * f64::from(k) / f64::from(steps),
                    period / f64::from(steps),
                    &rate,
                );
            }
            y
        };
        1.0 + over([1.0, 0.0])[0] + over([0.0, 1.0])[1] + (-c * period).exp()
    };
    let sign = test(low).signum();
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if test(middle).signum() == sign {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

fn largest(c: &CurveResult, column: &str) -> f64 {
    let column = c.monitors.iter().position(|m| m == column).unwrap();
    c.points()
        .map(|(_, _, p)| p.record.monitors[column])
        .fold(0.0, f64::max)
}

/// What is wrong with a parametrically driven oscillator that is searched everywhere: its rest is one curve with two
/// doublings, and from both orbits set off that are none of rounding.
fn fault_of_driven(result: &RunResult, known: [f64; 2], unit: f64) -> Option<String> {
    let rests: Vec<&CurveResult> = result
        .curves
        .iter()
        .filter(|c| largest(c, "max_abs_x") < 1e-9 * unit)
        .collect();
    let [rest] = rests[..] else {
        return Some(format!("{} curves at rest", rests.len()));
    };
    let found: Vec<(Label, f64)> = labels(rest).iter().map(|l| (l.0, l.1)).collect();
    let mut doublings: Vec<f64> = found.iter().filter(|l| l.0 == Label::PD).map(|l| l.1).collect();
    doublings.sort_by(f64::total_cmp);
    let right =
        doublings.len() == 2 && found.len() == 2 && doublings.iter().zip(known).all(|(a, b)| (a - b).abs() <= 1e-8 * b);
    if !right {
        return Some(format!("{found:?}, not {known:?}"));
    }
    let branches: Vec<&CurveResult> = result
        .curves
        .iter()
        .filter(|c| c.name.starts_with(&format!("{}-PD", rest.name)))
        .collect();
    if branches.is_empty() {
        return Some("no branches".to_owned());
    }
    for branch in branches {
        if largest(branch, "max_abs_x") < 0.05 * unit {
            return Some(format!("{} stays at rest", branch.name));
        }
        if branch.pieces[0]
            .branch
            .ends
            .iter()
            .any(|e| matches!(e, End::Continuum { .. } | End::Failed(_)))
        {
            return Some(format!("{}: {:?}", branch.name, branch.pieces[0].branch.ends));
        }
    }
    None
}

/// x'' + c x' + (1 + h cos wt) g(x) = 0 with states and times in other units, as of a pendulum whose support moves up
/// and down.
#[test]
fn what_rests_at_zero_is_one_curve_and_its_branches_leave_it() {
    let count = members(3);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("driven rest", member);
        let (c, h) = (random.between(0.02, 0.1), random.between(0.3, 0.5));
        let (unit, tau) = (random.log_between(1e-4, 1e4), random.log_between(1e-2, 1e2));
        let text = force(member % 3, random.sign() * random.between(0.1, 1.0));
        let start = ["Everywhere(samples: 2, seeds: 40, ", "All(at: {}, seeds: 60, "][random.below(2)];
        let study = format!(
            "Study(title: \"driven\", system: Smooth(states: [\"x\", \"v\"], parameters: {{\"w\": {:?}}}, forcing: Forcing(period: \"2*pi/w\"), \
             define: {{\"u\": \"x/({unit:?})\", \"g\": \"{text}\"}}, equations: [\"x' = v\", \
             \"v' = -({:?})*v - ({:?})*(1 + ({h:?})*cos(w*t))*g\"], start: {{\"x\": {:?}}}), \
             curves: [Curve(name: \"c\", orbit: PeriodicOrbit, start: {start}within: {{\"x\": ({:?}, {:?}), \"v\": ({:?}, {:?})}}), free: \"w\", range: ({:?}, {:?}), branches: [PD])])",
            1.6 / tau,
            c / tau,
            unit / (tau * tau),
            0.01 * unit,
            -2.0 * unit,
            2.0 * unit,
            -2.0 * unit / tau,
            2.0 * unit / tau,
            1.5 / tau,
            2.6 / tau,
        );
        let known = [doubling(c, h, 1.6, 2.0) / tau, doubling(c, h, 2.0, 2.6) / tau];
        let result = run(&study);
        if let Some(fault) = fault_of_driven(&result, known, unit) {
            let ends: Vec<String> = result
                .curves
                .iter()
                .map(|c| format!("{}: {:?}", c.name, c.pieces[0].branch.ends))
                .collect();
            wrong.push((member, format!("{fault} {ends:?} {:?}\n{study}", result.missing)));
        }
    }
    none_wrong("driven rest", count, &wrong);
}

/// An oscillator in one of two wells, x'' + c x' - x + x³ = F cos ωt, as the force vanishes: the orbit comes to rest at
/// x = 1, where perturbations decay as e^(-ct/2).
#[test]
fn responses_come_to_rest_in_a_well() {
    let count = members(6);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("well", member);
        let (c, w) = (random.between(0.1, 0.5), random.between(0.5, 3.0));
        let (unit, tau) = (random.log_between(1e-4, 1e4), random.log_between(1e-2, 1e2));
        let study = format!(
            "Study(title: \"well\", system: Smooth(states: [\"x\", \"v\"], parameters: {{\"F\": 0.02}}, forcing: Forcing(period: \"{:?}\"), \
             define: {{\"u\": \"x/({unit:?})\"}}, equations: [\"x' = v\", \
             \"v' = -({:?})*v + ({:?})*(u - u^3 + F*cos(phase))\"], start: {{\"x\": {unit:?}}}), \
             curves: [Curve(name: \"c\", orbit: PeriodicOrbit, start: Settle(at: {{}}), free: \"F\", range: (0, 0.03))])",
            TAU / w * tau,
            c / tau,
            unit / (tau * tau),
        );
        let result = run(&study);
        let decay = -0.5 * c * TAU / w / std::f64::consts::LN_10;
        let right = result.curves.first().is_some_and(|curve| {
            let rest = curve
                .points()
                .map(|(_, _, p)| p)
                .min_by(|a, b| a.point.parameter().total_cmp(&b.point.parameter()));
            let rest = rest.unwrap();
            labels(curve).is_empty()
                && curve.pieces[0].branch.ends.iter().all(|e| *e == End::Range)
                && rest.point.parameter().abs() < 1e-15
                && rest.record.multipliers.iter().all(|m| (m.log10 - decay).abs() < 1e-7)
        });
        if !right {
            let seen: Vec<String> = result
                .curves
                .iter()
                .map(|c| {
                    format!(
                        "{:?} {:?}",
                        c.pieces[0].branch.ends,
                        labels(c).iter().map(|l| (l.0, l.1)).collect::<Vec<_>>()
                    )
                })
                .collect();
            wrong.push((member, format!("{seen:?} {:?}\n{study}", result.missing)));
        }
    }
    none_wrong("well", count, &wrong);
}

/// Neurons after FitzHugh with a voltage and a slow variable in units of their own: the family between the two Hopf
/// points is one curve, whichever of them it starts from.
#[test]
fn a_family_between_two_hopf_points_is_one_curve() {
    let count = members(6);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("between Hopf points", member);
        let eps = random.between(0.06, 0.5);
        let (a, b) = (random.between(0.5, 0.8), random.between(0.3, 0.8));
        let (volt, slow) = (random.log_between(0.1, 10.0), random.log_between(0.1, 10.0));
        let (v, s) = (format!("(v/({volt:?}))"), format!("(s/({slow:?}))"));
        let study = format!(
            "Study(title: \"neuron\", system: Smooth(states: [\"v\", \"s\"], parameters: {{\"I\": -1}}, equations: [\
             \"v' = ({volt:?})*({v} - {v}^3/3 - {s} + I)\", \"s' = ({:?})*({v} + {a:?} - {b:?}*{s})\"]), curves: [\
             Curve(name: \"rest\", orbit: Equilibrium, start: All(at: {{\"I\": -1}}, within: {{\"v\": ({:?}, {:?}), \"s\": ({:?}, {:?})}}), free: \"I\", range: (-2, 5)), \
             Curve(name: \"c\", orbit: PeriodicOrbit, start: Point(from: \"rest, HB\"), free: \"I\", range: (-2, 5))])",
            slow * eps,
            -3.0 * volt,
            3.0 * volt,
            -4.0 * slow,
            4.0 * slow,
        );
        let result = run(&study);
        let names: Vec<&str> = result.curves.iter().map(|c| c.name.as_str()).collect();
        let hopf = result
            .curves
            .first()
            .map_or(0, |c| labels(c).iter().filter(|l| l.0 == Label::HB).count());
        let odd = |c: &CurveResult| labels(c).iter().any(|l| !matches!(l.0, Label::HB | Label::LP));
        if names != ["rest", "c"] || hopf != 2 || odd(&result.curves[1]) {
            wrong.push((
                member,
                format!("{names:?}, {hopf} Hopf points {:?}\n{study}", result.missing),
            ));
        }
    }
    none_wrong("between Hopf points", count, &wrong);
}

/// A block on a belt whose friction falls to a least value and rises again: below the speed of the least friction it
/// oscillates, less and less; its cycles shrink to rest at that speed without any fold.
#[test]
fn cycles_with_friction_shrink_without_folds() {
    let count = members(4);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("friction that shrinks", member);
        let (most, least) = (random.between(0.3, 0.6), random.between(0.1, 0.25));
        let (speed, unit) = (random.between(0.3, 0.8), random.log_between(0.1, 10.0));
        let study = format!(
            "Study(title: \"belt\", system: Mechanical(coordinates: [\"x\"], velocities: [\"v\"], parameters: {{\"v0\": {:?}}}, masses: {{\"x\": 1}}, \
             springs: [Spring(on: \"x\", stiffness: 1)], contacts: {{\"b\": Stribeck(on: \"x\", against: Belt(\"v0\"), normal: {unit:?}, \
             law: \"{most:?} - {:?}*(v/{:?} - (v/{:?})^3/3)\")}}, start: {{\"x\": {:?}, \"v\": \"v0\"}}), curves: [\
             Curve(name: \"c\", orbit: Periodic(\"b:stick b:slip-\"), start: Settle(at: {{}}), free: \"v0\", range: ({:?}, {:?}), switch: Auto)])",
            0.4 * speed * unit,
            1.5 * (most - least),
            speed * unit,
            speed * unit,
            most * unit,
            0.3 * speed * unit,
            1.5 * speed * unit,
        );
        let result = run(&study);
        let right = result.curves.first().is_some_and(|c| {
            let folds = labels(c).iter().filter(|l| l.0 == Label::LP).count();
            let last = c.points().last().map(|(_, _, p)| p.point.parameter());
            folds == 0 && last.is_some_and(|v| (v - speed * unit).abs() < 1e-7 * speed * unit)
        });
        if !right {
            let seen: Vec<_> = result
                .curves
                .iter()
                .map(|c| labels(c).iter().map(|l| (l.0, l.1)).collect::<Vec<_>>())
                .collect();
            wrong.push((member, format!("{seen:?} {:?}\n{study}", result.missing)));
        }
    }
    none_wrong("friction that shrinks", count, &wrong);
}

/// Rest on a belt is in the mode in which the block slips, not in that in which it sticks, where motions start.
#[test]
fn rest_in_another_mode_is_named() {
    let result = run(
        "Study(title: \"belt\", system: Mechanical(coordinates: [\"x\"], parameters: {\"v0\": 0.5, \"mu\": 0.3}, masses: {\"x\": 1}, \
         springs: [Spring(on: \"x\", stiffness: 1)], contacts: {\"b\": Coulomb(on: \"x\", against: Belt(\"v0\"), mu: \"mu\")}, start: {\"v_x\": \"v0\"}), \
         curves: [Curve(name: \"rest\", orbit: Equilibrium, start: All(at: {}), free: \"v0\", range: (0.1, 1))])",
    );
    let said = result.missing[0].reason.clone();
    assert!(
        said.contains("there is one in mode `b:slip-`: write `orbit: EquilibriumIn(\"b:slip-\")`"),
        "{said}"
    );
}

/// The value that a search begins with may be one of those that it would try otherwise.
#[test]
fn what_is_found_where_it_was_asked_for_is_not_found_elsewhere() {
    for k in 0..24 {
        let value = (f64::from(k) + 0.5) / 24.0 * 8.0;
        let result = run(&format!(
            "Study(title: \"rest\", system: Smooth(states: [\"x\"], parameters: {{\"a\": 1}}, equations: [\"x' = a - x\"]), \
             curves: [Curve(name: \"c\", orbit: Equilibrium, start: All(at: {{\"a\": {value:?}}}), free: \"a\", range: (0, 8))])"
        ));
        assert!(result.curves[0].note.is_empty(), "{}", result.curves[0].note);
    }
}

/// A circle map with friction, x → x + y⁺, y⁺ = b y + k sin x + w: its fixed points have y = 0, and their folds lie on
/// k = w, or k = -w, whatever the unit of y.
#[test]
fn folds_of_circle_maps_are_followed() {
    let count = members(6);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("circle maps", member);
        let (b, unit) = (random.between(0.2, 0.9), random.log_between(1e-3, 1e3));
        let w = random.between(0.2, 0.5);
        let next = format!("(({b:?})*y/({unit:?}) + k*sin(x) + w)");
        let study = format!(
            "Study(title: \"circle\", system: Map(states: [\"x\", \"y\"], angles: {{\"x\": \"2*pi\"}}, parameters: {{\"k\": 1, \"w\": {w:?}}}, \
             equations: [\"x+ = x + {next}\", \"y+ = ({unit:?})*{next}\"]), \
             curves: [Curve(name: \"c\", orbit: FixedPoint, start: All(at: {{\"k\": 0.8}}, within: {{\"y\": ({:?}, {:?})}}), free: \"k\", range: (0.05, 1.5))], \
             loci: [Locus(name: \"folds\", from: \"c: LP\", free: (\"k\", \"w\"), range: ((0.01, 2), (0.01, 2)))])",
            -0.5 * unit,
            0.5 * unit,
        );
        let result = run(&study);
        let folds = result.curves.iter().find(|c| c.name == "folds");
        let right = folds.is_some_and(|c| {
            let on_line = |p: &[f64]| (p[0] - p[1]).abs() < 1e-9;
            let values: Vec<f64> = c.points().map(|(_, _, p)| p.record.parameters[0]).collect();
            let (low, high) = values
                .iter()
                .fold((f64::INFINITY, 0.0f64), |(a, b), v| (a.min(*v), b.max(*v)));
            c.points().all(|(_, _, p)| on_line(&p.record.parameters))
                && (low - 0.01).abs() < 1e-9
                && (high - 2.0).abs() < 1e-9
        });
        if !right {
            let seen = folds.map(|c| format!("{:?}", c.pieces[0].branch.ends));
            wrong.push((member, format!("{seen:?} {:?}\n{study}", result.missing)));
        }
    }
    none_wrong("circle maps", count, &wrong);
}

/// Rest at zero of forced systems, with a surface or without one, in units of any size: one orbit, and motions come to
/// it to any number of digits.
#[test]
fn rest_at_zero_is_one_orbit() {
    let count = members(12);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("one rest at zero", member);
        let (size, rate) = (random.log_between(1e-6, 1e6), random.log_between(0.3, 3.0));
        let (stiffness, part) = (random.between(2.0, 4.0), random.between(0.1, 0.8));
        let period = TAU / random.log_between(0.5, 2.0);
        let parametric = format!("[\"x' = v\", \"v' = -({rate:?})*v - ({stiffness:?} + F*cos(phase))*x\"]");
        let (states, modes) = match member % 3 {
            // A guard that moves, at a distance.
            0 => (
                "[\"x\"]",
                format!(
                    "modes: {{\"a\": Mode(equations: [\"x' = -({rate:?})*x\"], events: {{\"out\": Event(guard: \"F*sin(phase) + x/({size:?}) - 1\", direction: Up, to: \"b\")}}), \
                     \"b\": Mode(equations: [\"x' = -x - ({size:?})\"], events: {{\"in\": Event(guard: \"F*sin(phase) + x/({size:?}) - 1\", direction: Down, to: \"a\")}})}}"
                ),
            ),
            // A wall.
            1 => (
                "[\"x\", \"v\"]",
                format!(
                    "modes: {{\"a\": Mode(equations: {parametric}, events: {{\"out\": Event(guard: \"x - ({size:?})\", direction: Up, to: \"a\", reset: {{\"v\": \"-v/2\"}})}})}}"
                ),
            ),
            // Nothing that has a size.
            _ => ("[\"x\", \"v\"]", format!("equations: {parametric}")),
        };
        let (kind, orbit) = match member % 3 {
            2 => ("Smooth", "PeriodicOrbit"),
            _ => ("Hybrid", "Periodic(\"a free\")"),
        };
        let text = format!(
            "Study(title: \"rest\", system: {kind}(states: {states}, parameters: {{\"F\": {part:?}}}, forcing: Forcing(period: \"{period:?}\"), {modes}), \
             curves: [Curve(name: \"z\", orbit: {orbit}, start: All(at: {{\"F\": {part:?}}}, seeds: 100, within: {{\"x\": ({:?}, {:?})}}), free: \"F\", range: (0.05, 0.9))])",
            -0.5 * size,
            0.5 * size,
        );
        let result = run(&text);
        let largest = result.curves.iter().flat_map(CurveResult::points);
        let largest = largest
            .flat_map(|(_, _, p)| p.record.monitors.first().copied())
            .fold(0.0f64, |m, v| m.max(v.abs()));
        if result.curves.len() != 1 || !result.missing.is_empty() || largest > 1e-9 * size {
            wrong.push((
                member,
                format!(
                    "{} curves, {largest:e}: {:?}\n{text}",
                    result.curves.len(),
                    result.missing
                ),
            ));
        }
    }
    none_wrong("one rest at zero", count, &wrong);
}

/// Beside a surface y = h with a constant field (-u, -w) above it, motions leave the unstable focus or node below, and
/// come to slide along the surface to x = -∞, or grow in all directions: nothing is at rest there, however far a motion
/// has got when it is looked at.
#[test]
fn motions_to_infinity_are_no_rest() {
    let class = "to infinity";
    let count = members(3);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (u, w) = (random.between(0.8, 1.2), random.between(0.8, 1.2));
        let (height, from) = (random.between(0.05, 0.2), random.between(3.6, 4.2));
        let text = format!(
            "Study(title: \"away\", system: Filippov(states: [\"x\", \"y\"], parameters: {{\"p\": 4}}, surfaces: {{\"h\": \"y - ({height:?})\"}}, \
             fields: {{\"-\": [\"x' = -x + 2*y\", \"y' = -2*x - y + p*y\"], \"+\": [\"x' = -({u:?})\", \"y' = -({w:?})\"]}}, start: {{\"x\": 0.5, \"y\": -0.4}}), \
             attractors: [Attractors(name: \"seen\", sweep: \"p\", range: ({from:?}, {:?}), count: 3, starts: 8)])",
            from + 0.6
        );
        let result = run(&text);
        for one in &result.attractors[0].found {
            if matches!(one.kind, AttractorKind::Rest { .. }) {
                wrong.push((
                    member,
                    format!("p = {}: {:?} {:?}\n{text}", one.value, one.rows, one.message),
                ));
            }
        }
    }
    none_wrong(class, count, &wrong);
}
