//! Belts whose velocity jumps with time, and forces that do: velocities stay what they are, and motions are those that
//! one computes from jump to jump.

use super::known::none_wrong;
use super::random::{Random, members};
use slipstick_flow::{SimulationOptions, Trajectory, simulate};
use slipstick_study as study;
use slipstick_system::{System, with_integral};

/// Values that alternate: the first for a part of the period.
struct Square {
    values: [f64; 2],
    period: f64,
    part: f64,
}

impl Square {
    fn random(random: &mut Random, values: [f64; 2]) -> Self {
        Self {
            values,
            period: random.log_between(0.3, 5.0),
            part: random.between(0.2, 0.8),
        }
    }

    /// As a formula of the time, in several ways.
    fn text(&self, way: usize) -> String {
        let Self { values, period, part } = self;
        let [a, b] = values;
        match way {
            0 => format!("if(mod(t, {period:?}) < {:?}, {a:?}, {b:?})", part * period),
            1 => format!("{b:?} + ({a:?} - ({b:?}))*heaviside({part:?} - t/({period:?}) + floor(t/({period:?})))"),
            _ => format!(
                "{:?} + {:?}*sign({:?} - mod(t, {period:?}))",
                0.5 * (a + b),
                0.5 * (a - b),
                part * period
            ),
        }
    }

    /// The pieces up to a time: value and duration.
    fn until(&self, t: f64) -> Vec<(f64, f64)> {
        let mut pieces = vec![];
        let (mut begins, mut number) = (0.0, 0_u32);
        while begins < t {
            let round = f64::from(number / 2);
            let ends = (round + if number % 2 == 0 { self.part } else { 1.0 }) * self.period;
            pieces.push((self.values[(number % 2) as usize], ends.min(t) - begins));
            (begins, number) = (ends, number + 1);
        }
        pieces
    }
}

/// The velocity of a mass that friction takes to that of a belt.
fn on_belt(belt: &Square, mu: f64, begins: f64, t: f64) -> f64 {
    let towards = |v: f64, (w, time): (f64, f64)| v + (w - v).clamp(-mu * time, mu * time);
    belt.until(t).into_iter().fold(begins, towards)
}

fn system(text: &str) -> System {
    let plan = study::parse("t.ron".as_ref(), text.to_owned())
        .unwrap()
        .plan(&[])
        .unwrap();
    plan.systems[0].system.clone()
}

fn followed(system: &System, end: f64) -> Trajectory {
    let options = SimulationOptions {
        t_end: end,
        ..SimulationOptions::default()
    };
    let p = system.default_parameters();
    let (mode, mut start) = system.start_at(&p);
    start.resize(system.modes[mode].states.len(), 0.0);
    simulate(system, mode, &start, &p, &options).unwrap()
}

/// The largest error of states at the ends of all segments; infinite where the motion ends early.
fn error(system: &System, motion: &Trajectory, end: f64, exact: &[(&str, &dyn Fn(f64) -> f64)]) -> f64 {
    let p = system.default_parameters();
    let mut worst = if (motion.end_time() - end).abs() < 1e-9 {
        0.0
    } else {
        f64::INFINITY
    };
    for s in &motion.segments {
        let t = s.t0 + s.duration;
        let full = system.full_state(s.mode, &s.end, &p);
        for (name, exact) in exact {
            let apart = (full[system.state(name).unwrap()] - exact(t)).abs();
            worst = f64::max(worst, apart);
        }
    }
    worst
}

#[test]
fn masses_on_belts_that_jump() {
    let class = "belts that jump";
    let count = members(12);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let values = [random.between(-1.0, 2.0), random.between(-3.0, 0.5)];
        let belt = Square::random(&mut random, values);
        let scale = (values[0] - values[1]).abs() / belt.period;
        let mu = [0, 1].map(|_| scale * random.log_between(0.1, 10.0));
        let begins = if random.unit() < 0.5 {
            values[0]
        } else {
            random.between(-2.0, 2.0)
        };
        let (period, text) = (belt.period, belt.text(member % 3));
        let end = 7.3 * period;
        let mechanical = format!(
            "Study(title: \"belts\", system: Mechanical(coordinates: [\"x\", \"y\"], velocities: [\"v\", \"w\"], cyclic: [\"x\", \"y\"], \
             forcing: Forcing(period: \"{period:?}\"), define: {{\"belt\": \"{text}\"}}, masses: {{\"x\": 1, \"y\": 1}}, \
             contacts: {{\"f\": Coulomb(on: \"x\", against: Belt(\"belt\"), mu: {:?}), \"g\": Coulomb(on: \"y\", against: Belt(\"belt\"), mu: {:?})}}, \
             start: {{\"v\": {begins:?}, \"w\": {begins:?}}}))",
            mu[0], mu[1]
        );
        let filippov = format!(
            "Study(title: \"belts\", system: Filippov(states: [\"v\", \"w\"], forcing: Forcing(period: \"{period:?}\"), \
             define: {{\"belt\": \"{text}\"}}, surfaces: {{\"f\": \"v - belt\", \"g\": \"3*(belt - w)\"}}, \
             equations: [\"v' = -{:?}*sgn(f)\", \"w' = {:?}*sgn(g)\"], start: {{\"v\": {begins:?}, \"w\": {begins:?}}}))",
            mu[0], mu[1]
        );
        for text in [mechanical, filippov] {
            let system = system(&text);
            let motion = followed(&system, end);
            let exact = mu.map(|mu| {
                let belt = &belt;
                move |t: f64| on_belt(belt, mu, begins, t)
            });
            let off = error(&system, &motion, end, &[("v", &exact[0]), ("w", &exact[1])]);
            if !(off < 1e-9 * (1.0 + mu[0] + mu[1])) {
                wrong.push((member, format!("{off:e} {}\n{text}", motion.describe(&system))));
            }
        }
    }
    none_wrong(class, count, &wrong);
}

/// Velocity and place of a unit mass with friction `mu` under a force that jumps.
fn pushed(force: &Square, mu: f64, t: f64) -> [f64; 2] {
    let (mut v, mut x): (f64, f64) = (0.0, 0.0);
    for (f, mut left) in force.until(t) {
        while left > 0.0 {
            if v == 0.0 && f.abs() <= mu {
                break;
            }
            let side = if v == 0.0 { f.signum() } else { v.signum() };
            let rate = f - side * mu;
            let stops = if v != 0.0 && v * rate < 0.0 {
                -v / rate
            } else {
                f64::INFINITY
            };
            let time = left.min(stops);
            x += v * time + 0.5 * rate * time * time;
            v = if stops <= left { 0.0 } else { v + rate * time };
            left -= time;
        }
    }
    [v, x]
}

#[test]
fn sticking_that_ends_where_a_force_jumps() {
    let class = "forces that jump";
    let count = members(12);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let values = [random.between(-0.9, 0.9), random.sign() * random.between(1.2, 2.5)];
        let force = Square::random(&mut random, values);
        let (period, text) = (force.period, force.text(member % 3));
        let end = 9.4 * period;
        let mechanical = format!(
            "Study(title: \"force\", system: Mechanical(coordinates: [\"x\"], velocities: [\"v\"], cyclic: [\"x\"], \
             forcing: Forcing(period: \"{period:?}\"), masses: {{\"x\": 1}}, forces: {{\"x\": \"{text}\"}}, \
             contacts: {{\"f\": Coulomb(on: \"x\", mu: 1)}}, observables: {{\"vel\": \"v\"}}))"
        );
        let filippov = format!(
            "Study(title: \"force\", system: Filippov(states: [\"v\"], forcing: Forcing(period: \"{period:?}\"), surfaces: {{\"f\": \"v\"}}, \
             equations: [\"v' = {text} - sgn(f)\"], observables: {{\"vel\": \"v\"}}))"
        );
        for text in [mechanical, filippov] {
            // An observable that is integrated along leaves the instants of jumps where they are.
            let system = with_integral(&system(&text), "vel", "way").unwrap();
            let motion = followed(&system, end);
            let (v, way) = (|t: f64| pushed(&force, 1.0, t)[0], |t: f64| pushed(&force, 1.0, t)[1]);
            let off = error(&system, &motion, end, &[("v", &v), ("way", &way)]);
            if !(off < 1e-10 * (1.0 + period * period)) {
                wrong.push((member, format!("{off:e} {}\n{text}", motion.describe(&system))));
            }
        }
    }
    none_wrong(class, count, &wrong);
}

#[test]
fn absent_states_do_not_jump_with_what_gives_them_their_value() {
    let class = "absent states that jump";
    let count = members(12);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let values = [random.between(0.5, 2.0), random.between(-2.0, 0.4)];
        let belt = Square::random(&mut random, values);
        let (period, decay) = (belt.period, random.between(0.2, 2.0));
        let (between, until) = (0.5 * (values[0] + values[1]), belt.part * period);
        let text = format!(
            "Study(title: \"absent\", system: Hybrid(states: [\"x\", \"v\"], forcing: Forcing(period: \"{period:?}\"), \
             define: {{\"belt\": \"{}\"}}, modes: {{\
             \"stick\": Mode(states: [\"x\"], absent: {{\"v\": \"belt\"}}, kind: Stick, equations: [\"x' = belt\"], \
             events: {{\"off\": Event(guard: \"belt - {between:?}\", direction: Down, to: \"slip\")}}), \
             \"slip\": Mode(equations: [\"x' = v\", \"v' = -{decay:?}*v\"])}}, start: Start(mode: \"stick\", at: {{\"x\": 0}})))",
            belt.text(member % 3)
        );
        let system = system(&text);
        let end = 3.6 * period;
        let motion = followed(&system, end);
        let v = |t: f64| values[0] * (-decay * (t - until).max(0.0)).exp();
        let x = |t: f64| values[0] * t.min(until) + (values[0] - v(t)) / decay;
        let last = motion.segments.last().unwrap();
        let reached = system.full_state(last.mode, &last.end, &system.default_parameters());
        let apart = (reached[0] - x(end)).abs().max((reached[1] - v(end)).abs());
        if !(apart < 1e-9 && (motion.end_time() - end).abs() < 1e-9) {
            wrong.push((member, format!("{apart:e} {}\n{text}", motion.describe(&system))));
        }
    }
    none_wrong(class, count, &wrong);
}
