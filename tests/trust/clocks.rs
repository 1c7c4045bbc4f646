//! Forces and set points that jump with the time of day: motions and orbits are those that one computes from jump to
//! jump.

use super::known::{none_wrong, run};
use super::random::{Random, members};
use slipstick_flow::{SimulationOptions, simulate};
use slipstick_study as study;
use std::f64::consts::TAU;

/// A thermostat around a set point that changes twice a day, from switch to switch: when it switches, and what the
/// temperature is in the end.
fn thermostat(rates: [f64; 3], set: [f64; 2], (day, part): (f64, f64), end: f64) -> (Vec<f64>, f64) {
    let [loss, heating, outside] = rates;
    let (mut t, mut temperature, mut on, mut switches) = (0.0, set[0], true, vec![]);
    let mut half = 0;
    while t < end {
        let begins = f64::from(half / 2) * day;
        let next = (if half % 2 == 0 {
            begins + part * day
        } else {
            begins + day
        })
        .min(end);
        let level = set[(half % 2) as usize] + if on { 1.0 } else { -1.0 };
        let rest = outside + if on { heating / loss } else { 0.0 };
        let beyond = if on { temperature > level } else { temperature < level };
        let left = ((rest - temperature) / (rest - level)).ln() / loss;
        if beyond || (left > 0.0 && t + left < next) {
            if !beyond {
                (t, temperature) = (t + left, level);
            }
            switches.push(t);
            on = !on;
        } else {
            temperature = rest + (temperature - rest) * (-loss * (next - t)).exp();
            t = next;
            half += 1;
        }
    }
    (switches, temperature)
}

#[test]
fn set_points_that_change_with_the_hour() {
    let class = "set points";
    let count = members(8);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let unit = random.log_between(1e-2, 1e2);
        let (loss, outside) = (random.between(0.05, 0.3) / unit, random.between(-5.0, 8.0));
        let heating = loss * random.between(25.0, 40.0);
        let set = [random.between(19.0, 22.0), random.between(14.0, 18.0)];
        let (day, part) = (24.0 * unit, random.between(0.2, 0.8));
        let end = 10.5 * day;
        let text = format!(
            "Study(title: \"set point\", system: Hybrid(states: [\"T\"], forcing: Forcing(period: \"{day:?}\"), \
             define: {{\"set\": \"if(mod(t, {day:?}) < {:?}, {:?}, {:?})\"}}, modes: {{\
             \"off\": Mode(equations: [\"T' = -{loss:?}*(T - ({outside:?}))\"], events: {{\"on\": Event(guard: \"T - set + 1\", direction: Down, to: \"on\")}}), \
             \"on\": Mode(equations: [\"T' = -{loss:?}*(T - ({outside:?})) + {heating:?}\"], events: {{\"off\": Event(guard: \"T - set - 1\", direction: Up, to: \"off\")}})}}, \
             start: Start(mode: \"on\", at: {{\"T\": {:?}}})))",
            part * day,
            set[0],
            set[1],
            set[0],
        );
        let plan = study::parse("t.ron".as_ref(), text.clone()).unwrap().plan(&[]).unwrap();
        let system = &plan.systems[0].system;
        let options = SimulationOptions {
            t_end: end,
            ..SimulationOptions::default()
        };
        let p = system.default_parameters();
        let (mode, start) = system.start_at(&p);
        let motion = simulate(system, mode, &start, &p, &options).unwrap();
        let found: Vec<f64> = motion
            .segments
            .iter()
            .filter(|s| s.event.is_some())
            .map(|s| s.t0 + s.duration)
            .collect();
        let (switches, last) = thermostat([loss, heating, outside], set, (day, part), end);
        let apart = found
            .iter()
            .zip(&switches)
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, f64::max);
        let ends = motion.segments.last().map_or(f64::NAN, |s| s.end[0]);
        if found.len() != switches.len() || apart > 1e-8 * day || !((ends - last).abs() < 1e-8) {
            wrong.push((
                member,
                format!(
                    "{} switches, not {}, {apart:e}; {ends:?}, not {last:?}\n{text}",
                    found.len(),
                    switches.len()
                ),
            ));
        }
    }
    none_wrong(class, count, &wrong);
}

/// x'' + c x' + x = f in closed form: the states after a time.
fn swing(c: f64, f: f64, [x, v]: [f64; 2], t: f64) -> [f64; 2] {
    let (a, w) = (0.5 * c, (1.0 - 0.25 * c * c).sqrt());
    let u = x - f;
    let (decay, s, k) = ((-a * t).exp(), (w * t).sin(), (w * t).cos());
    [
        f + decay * (u * k + (v + a * u) / w * s),
        decay * (v * k - (u + a * v) / w * s),
    ]
}

/// The largest displacement of x'' + c x' + x + mu sgn(x') = ±1, with +1 for a part of the period, when the start is
/// forgotten; none where the mass ever sticks.
fn largest(c: f64, mu: f64, period: f64, part: f64) -> Option<f64> {
    let mut at: [f64; 2] = [0.6, 0.0];
    let mut most: f64 = 0.0;
    for half in 0..800 {
        let (force, mut left): (f64, f64) = if half % 2 == 0 {
            (1.0, part * period)
        } else {
            (-1.0, (1.0 - part) * period)
        };
        while left > 0.0 {
            let sign = if at[1] == 0.0 {
                (force - at[0]).signum()
            } else {
                at[1].signum()
            };
            if at[1] == 0.0 && (force - at[0]).abs() <= mu {
                return None;
            }
            let state = |t: f64| swing(c, force - sign * mu, at, t);
            let still = |t: f64| sign * state(t)[1] <= 0.0;
            let step = 0.01;
            let mut t = step;
            while t < left && !still(t) {
                t += step;
            }
            if t >= left && !still(left) {
                at = state(left);
                left = 0.0;
            } else {
                let (mut low, mut high) = ((t - step).max(1e-12), t.min(left));
                for _ in 0..60 {
                    let middle = 0.5 * (low + high);
                    *(if still(middle) { &mut high } else { &mut low }) = middle;
                }
                at = [state(high)[0], 0.0];
                left -= high;
                if half >= 798 {
                    most = most.max(at[0].abs());
                }
            }
        }
    }
    Some(most)
}

#[test]
fn orbits_of_dry_friction_under_square_waves() {
    let class = "square waves";
    let count = members(6);
    let mut wrong = vec![];
    let mut member = 0;
    while member < count {
        let mut random = Random::of(class, member);
        member += 1;
        let (c, mu, part) = (
            random.between(0.1, 0.3),
            random.between(0.1, 0.3),
            random.between(0.42, 0.58),
        );
        let levels = [0.82, 0.9, 1.05];
        let known = levels.map(|om| largest(c, mu, TAU / om, part));
        if known.contains(&None) {
            continue;
        }
        let force = if member % 2 == 0 {
            format!("if(mod(t, 2*pi/om) < {part:?}*2*pi/om, 1, -1)")
        } else {
            format!("sign(sin(0.5*om*t)*sin({part:?}*pi - 0.5*om*t))")
        };
        let text = format!(
            "Study(title: \"square\", system: Filippov(states: [\"x\", \"v\"], parameters: {{\"om\": 0.85}}, forcing: Forcing(period: \"2*pi/om\"), \
             surfaces: {{\"s\": \"v\"}}, equations: [\"x' = v\", \"v' = -x - {c:?}*v - {mu:?}*sgn(s) + {force}\"], start: {{\"x\": 0.6}}), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"s- cross s+ cross\"), start: Settle(at: {{\"om\": 0.85}}), free: \"om\", range: (0.8, 1.1), \
             levels: {{\"om\": {levels:?}}})])"
        );
        let result = run(&text);
        let Some(curve) = result.curves.first() else {
            wrong.push((member, format!("{:?}\n{text}", result.missing)));
            continue;
        };
        let column = curve.monitors.iter().position(|m| m == "max_abs_x").unwrap();
        for (om, known) in levels.into_iter().zip(known) {
            let at = curve
                .points()
                .find(|(_, _, p)| p.point.parameter() == om && p.label.is_some());
            let found = at.map(|(_, _, p)| p.record.monitors[column]);
            if !found.zip(known).is_some_and(|(a, b)| (a - b).abs() < 1e-9 * b) {
                wrong.push((member, format!("{found:?}, not {known:?} at {om}\n{text}")));
            }
        }
    }
    none_wrong(class, count, &wrong);
}

/// What depends on an angle must repeat after a turn of it, and what depends on the time after a period of the forcing:
/// else the study is refused.
#[test]
fn what_does_not_repeat_after_a_turn_is_refused() {
    let class = "turns of angles";
    let count = members(40);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let period = random.log_between(0.1, 10.0);
        let shift = random.between(-1.0, 1.0) * period;
        let k = 1 + random.below(3);
        let turns = format!("{TAU:?}*{k}*(th - {shift:?})/{period:?}");
        let (repeats, text) = match random.below(4) {
            0 => (true, format!("sin({turns})")),
            1 => (true, format!("cos({turns}) + {k}*sin({turns})^3")),
            2 => (false, format!("th - {shift:?}")),
            _ => (false, format!("sin(0.37*{turns})")),
        };
        let forced = random.below(3) == 0;
        let (text, system) = if forced {
            let text = text.replace("th", "t");
            let system = format!("states: [\"x\"], forcing: Forcing(period: \"{period:?}\"), start: {{\"x\": 0.5}}");
            (text, system)
        } else {
            let system = format!("states: [\"x\", \"th\"], angles: {{\"th\": {period:?}}}, start: {{\"x\": 0.5}}");
            (text, system)
        };
        let rate = if forced { "" } else { ", \"th' = 1\"" };
        let study = match random.below(3) {
            0 => format!("Smooth({system}, equations: [\"x' = -x + {text}\"{rate}])"),
            1 => format!(
                "Filippov({system}, surfaces: {{\"s\": \"{text} + 0.1*x\"}}, equations: [\"x' = -x + sgn(s)\"{rate}])"
            ),
            _ => format!(
                "Hybrid({}, modes: {{\"m\": Mode(equations: [\"x' = -x\"{rate}], events: {{\"e\": Event(guard: \"{text}\", direction: Up, to: \"m\", reset: {{\"x\": \"x + 1\"}})}})}})",
                system.replace("start: {\"x\": 0.5}", "start: Start(mode: \"m\", at: {\"x\": 0.5})")
            ),
        };
        let study = format!(
            "Study(title: \"turns\", system: {study}, simulations: [Simulation(name: \"s\", time: 1, every: 0.5)])"
        );
        let loaded = study::parse("study.ron".as_ref(), study.clone()).unwrap();
        let said = loaded.plan(&[]).err().map(|e| e.to_string()).unwrap_or_default();
        if said.contains("does not repeat") == repeats || repeats && !said.is_empty() {
            wrong.push((member, format!("{repeats}: {said}\n{study}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// What repeats where an entry begins must do so where it leads: a frequency or an amplitude that is free, in curves,
/// curves in two parameters, sweeps and diagrams.
#[test]
fn what_ceases_to_repeat_on_the_way_is_refused() {
    let class = "periods on the way";
    let count = members(40);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (k, m) = (1 + random.below(3), random.between(0.3, 3.0));
        // At w = 1 and e = 0 all of them repeat.
        let (repeats, period, text) = match random.below(5) {
            0 => (true, "2*pi/w".to_owned(), format!("cos({k}*w*t) + e*cos(2*w*t)")),
            1 => (true, format!("{}*pi/w", 2 * k), format!("cos(w*t/{k}) + {m:?}*e")),
            2 => (false, "2*pi".to_owned(), format!("cos({k}*w*t)")),
            3 => (false, "2*pi/w".to_owned(), "cos(w*t) + e*cos(sqrt(2)*w*t)".to_owned()),
            _ => (false, "2*pi".to_owned(), format!("{m:?}*sin({k}*t) + e*cos(t*pi)")),
        };
        // Which of the two parameters makes the difference.
        let free = if text.contains("e*cos(") && !repeats { "e" } else { "w" };
        let angle = random.below(3) == 0;
        let (system, text) = match angle {
            true => (
                format!(
                    "states: [\"x\", \"th\"], angles: {{\"th\": \"{}\"}}, parameters: {{\"w\": 1, \"e\": 0, \"a\": 1}}",
                    period.replace("/w", "")
                ),
                text.replace("w*t", if repeats { "th" } else { "w*th" })
                    .replace("*t)", "*th)")
                    .replace("(t*", "(th*"),
            ),
            false => (
                format!(
                    "states: [\"x\"], forcing: Forcing(period: \"{period}\"), parameters: {{\"w\": 1, \"e\": 0, \"a\": 1}}"
                ),
                text,
            ),
        };
        let rate = if angle { ", \"th' = w\"" } else { "" };
        let entry = match random.below(4) {
            0 => format!(
                "curves: [Curve(name: \"c\", orbit: PeriodicOrbit, start: Settle(at: {{\"{free}\": {}}}), free: \"{free}\", range: ({:?}, 2.5))]",
                if free == "e" { 0 } else { 1 },
                if free == "e" { -0.5 } else { 0.5 }
            ),
            1 => format!(
                "attractors: [Attractors(name: \"a\", sweep: \"{free}\", range: ({:?}, 2), count: 3, starts: 2)]",
                if free == "e" { 0.0 } else { 1.0 }
            ),
            2 => format!(
                "curves: [Curve(name: \"c\", orbit: PeriodicOrbit, start: Settle(at: {{\"a\": 1}}), free: \"a\", range: (0.5, 2)), \
                 Curve(name: \"d\", orbit: PeriodicOrbit, start: Point(from: \"c, EP 1\", at: {{\"{free}\": {:?}}}), free: \"a\", range: (0.5, 2))]",
                random.between(1.1, 1.9)
            ),
            _ => format!("tasks: [OrbitDiagram(name: \"o\", over: {{\"{free}\": Linear(1, 2, 4)}})]"),
        };
        let study = format!(
            "Study(title: \"way\", system: Smooth({system}, equations: [\"x' = -a*x + {text}\"{rate}], start: {{\"x\": 0.5}}), {entry})"
        );
        let loaded = study::parse("study.ron".as_ref(), study.clone()).unwrap();
        let said = loaded.plan(&[]).err().map(|e| e.to_string()).unwrap_or_default();
        if said.contains("does not repeat") == repeats || repeats && !said.is_empty() {
            wrong.push((member, format!("{repeats}: {said}\n{study}")));
        }
    }
    none_wrong(class, count, &wrong);
}
