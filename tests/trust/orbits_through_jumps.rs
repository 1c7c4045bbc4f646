//! Orbits of which a jump with time sets off events, as a block on a belt, or under a force, that is a square wave: held
//! against a composition of closed forms that knows nothing of guards.

use super::known::{curve, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::{BranchPoint, End, Label};
use slipstick_flow::{AfterTransient, TransientOptions, run_transient};
use slipstick_study as study;
use slipstick_system::System;

/// A unit mass on a spring and a damper that slips, or sticks, on a belt, under a force: both are square waves.
#[derive(Clone, Debug)]
struct Block {
    k: f64,
    c: f64,
    mu: f64,
    /// The period, and the part of it in which the first values hold.
    period: f64,
    part: f64,
    belt: [f64; 2],
    force: [f64; 2],
}

/// Where a motion is: time, place, velocity, and the side to which it slips; zero in stick.
#[derive(Clone, Copy, Debug)]
struct At {
    t: f64,
    x: f64,
    v: f64,
    side: f64,
}

impl Block {
    /// The values that hold just behind a time, and until when.
    fn behind(&self, t: f64) -> (f64, f64, f64) {
        const ASIDE: f64 = 1e-10;
        let rounds = (t / self.period + ASIDE).floor();
        let phase = t / self.period - rounds + ASIDE;
        let (k, until) = if phase < self.part { (0, self.part) } else { (1, 1.0) };
        (self.belt[k], self.force[k], (rounds + until) * self.period)
    }

    /// Place and velocity after so long a slip to one side from `x`, `v` under a force.
    fn slip(&self, (x, v, side, force): (f64, f64, f64, f64), t: f64) -> (f64, f64) {
        let centre = (force - side * self.mu) / self.k;
        let (decay, turn) = (0.5 * self.c, (self.k - 0.25 * self.c * self.c).sqrt());
        let (a, b) = (x - centre, (v + decay * (x - centre)) / turn);
        let (sin, cos) = (turn * t).sin_cos();
        let fading = (-decay * t).exp();
        let place = fading * (a * cos + b * sin);
        let speed = fading * turn * (b * cos - a * sin) - decay * place;
        (centre + place, speed)
    }

    /// The first time within `longest` at which a slip comes to the velocity of the belt.
    fn halt(&self, from: (f64, f64, f64, f64), belt: f64, longest: f64) -> Option<f64> {
        const PIECES: usize = 4000;
        let height = |t: f64| from.2 * (self.slip(from, t).1 - belt);
        let at = |i: usize| longest * i as f64 / PIECES as f64;
        // What begins at the velocity of the belt leaves it first.
        let first = (1..=PIECES).find(|&i| height(at(i)) <= 0.0 && height(at(i - 1)) > 0.0)?;
        let (mut low, mut high) = (at(first - 1), at(first));
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if height(middle) > 0.0 {
                low = middle
            } else {
                high = middle
            }
        }
        Some(high)
    }

    /// The motion until a time; how often a jump changed how it moves.
    fn follow(&self, mut at: At, end: f64) -> (At, usize) {
        let mut set_off = 0;
        loop {
            let (belt, force, jump) = self.behind(at.t);
            let longest = jump.min(end) - at.t;
            let pull = |x: f64| force - self.k * x - self.c * belt;
            let before = at.side;
            if at.side == 0.0 && ((at.v - belt).abs() > 1e-9 || pull(at.x).abs() > self.mu) {
                at.side = if (at.v - belt).abs() > 1e-9 {
                    (at.v - belt).signum()
                } else {
                    pull(at.x).signum()
                };
            } else if at.side != 0.0 && at.side * (at.v - belt) < -1e-9 {
                at.side = -at.side;
            }
            set_off += usize::from(at.side != before);
            // Until the next jump.
            let mut left = longest;
            while left > 0.0 {
                if at.side == 0.0 {
                    at.v = belt;
                    let level = (belt * self.k).signum();
                    let limit = (pull(at.x) + level * self.mu) / (self.k * belt);
                    let time = if belt == 0.0 || limit > left {
                        left
                    } else {
                        limit.max(0.0)
                    };
                    at.x += belt * time;
                    left -= time;
                    if left > 0.0 {
                        at.side = -level;
                    }
                    continue;
                }
                let from = (at.x, at.v, at.side, force);
                let Some(time) = self.halt(from, belt, left) else {
                    (at.x, at.v) = self.slip(from, left);
                    break;
                };
                at.x = self.slip(from, time).0;
                at.v = belt;
                left -= time;
                let pull = pull(at.x);
                at.side = if pull.abs() <= self.mu { 0.0 } else { pull.signum() };
            }
            at.t += longest;
            if at.t >= end {
                return (at, set_off);
            }
        }
    }

    /// The derivative of the motion over a period from a place at which it slips, by rows, by differences of this step.
    fn derivative(&self, at: At, step: f64) -> [f64; 4] {
        let ends = |dx: f64, dv: f64| {
            let start = At {
                x: at.x + dx,
                v: at.v + dv,
                ..at
            };
            let (end, _) = self.follow(start, at.t + self.period);
            [end.x, end.v]
        };
        let slope = |direction: [f64; 2]| -> [f64; 2] {
            let at = |h: f64| ends(h * direction[0], h * direction[1]);
            let (near, far) = ([at(step), at(-step)], [at(2.0 * step), at(-2.0 * step)]);
            [0, 1].map(|i| (8.0 * (near[0][i] - near[1][i]) - (far[0][i] - far[1][i])) / (12.0 * step))
        };
        let (x, v) = (slope([1.0, 0.0]), slope([0.0, 1.0]));
        [x[0], v[0], x[1], v[1]]
    }

    /// The middle of the first segment of an orbit, in which it slips; the phase makes a `turn` in a period.
    fn on_orbit(&self, word: &str, orbit: &BranchPoint, turn: f64) -> At {
        let z = &orbit.point.z;
        let begins = At {
            t: z[2] / turn * self.period,
            x: z[0],
            v: z[1],
            side: if word.starts_with("f:slip+") { 1.0 } else { -1.0 },
        };
        self.follow(begins, begins.t + 0.5 * z[3]).0
    }

    /// The same block with another value of a parameter.
    fn with(&self, name: &str, value: f64) -> Self {
        let mut own = self.clone();
        match name {
            "T" => own.period = value,
            "mu" => own.mu = value,
            "A" => own.belt[0] = value,
            _ => own.force = [value, -value],
        }
        own
    }

    /// A square wave as a formula, in several ways.
    fn wave(&self, way: usize, first: &str, second: &str) -> String {
        let part = self.part;
        match way {
            0 => format!("if(mod(t, T) < {part:?}*T, {first}, {second})"),
            1 => format!("{second} + ({first} - ({second}))*heaviside({part:?} - t/T + floor(t/T))"),
            _ => format!("0.5*({first} + ({second})) + 0.5*({first} - ({second}))*sign({part:?}*T - mod(t, T))"),
        }
    }

    fn study(&self, way: usize, curves: &str) -> String {
        let Self {
            k,
            c,
            mu,
            period,
            belt,
            force,
            ..
        } = self;
        let square = self.wave(way, "A", &format!("{:?}", belt[1]));
        let push = if force[0] == 0.0 {
            "0".to_owned()
        } else if way == 0 && self.part == 0.5 {
            "F*sign(sin(2*pi*t/T))".to_owned()
        } else {
            self.wave(way, "F", "-F")
        };
        let belt_of = if belt[0] == 0.0 {
            String::new()
        } else {
            format!(", against: Belt(\"{square}\")")
        };
        format!(
            "Study(title: \"block\", system: Mechanical(coordinates: [\"x\"], velocities: [\"v\"], \
             parameters: {{\"T\": {period:?}, \"mu\": {mu:?}, \"A\": {:?}, \"F\": {:?}}}, forcing: Forcing(period: \"T\"), \
             masses: {{\"x\": 1}}, forces: {{\"x\": \"{push} - {k:?}*x - {c:?}*v\"}}, contacts: {{\"f\": Coulomb(on: \"x\", mu: \"mu\"{belt_of})}}){curves})",
            belt[0], force[0]
        )
    }
}

/// The word of the orbit that a simulation settles to, begun in slip.
fn settled_word(system: &System) -> Option<String> {
    let p = system.default_parameters();
    let (mode, mut start) = system.start_at(&p);
    start.resize(system.modes[mode].states.len(), 0.0);
    let Ok(AfterTransient::Orbit(orbit)) = run_transient(system, mode, &start, &p, &TransientOptions::default()) else {
        return None;
    };
    let mut letters = if orbit.symmetric { return None } else { orbit.word };
    let slips = |mode: usize| system.modes[mode].name.contains("slip");
    let first = letters.iter().position(|&(mode, _)| slips(mode))?;
    letters.rotate_left(first);
    let named = letters.iter().map(|&(mode, event)| {
        let mode = &system.modes[mode];
        event.map_or(mode.name.clone(), |e| format!("{} {}", mode.name, mode.events[e].name))
    });
    Some(named.collect::<Vec<_>>().join(" "))
}

/// A block that a closed form takes to an orbit of one period on which jumps change how it moves.
fn random_block(random: &mut Random, by_force: bool) -> (Block, At) {
    const PERIODS: usize = 400;
    loop {
        let k = random.log_between(0.3, 3.0);
        let a = random.between(0.6, 2.0);
        let block = Block {
            k,
            c: random.between(0.05, 0.9) * k.sqrt(),
            mu: random.log_between(0.3, 2.0),
            period: random.log_between(1.0, 12.0),
            part: if by_force { 0.5 } else { random.between(0.25, 0.75) },
            belt: if by_force {
                [0.0; 2]
            } else {
                [a, random.between(-2.0, 0.4) * a]
            },
            force: if by_force { [a, -a] } else { [0.0; 2] },
        };
        let mut at = At {
            t: 0.0,
            x: 0.0,
            v: 0.0,
            side: 0.0,
        };
        let (mut before, mut set_off) = (at, 0);
        for round in 1..=PERIODS {
            before = at;
            (at, set_off) = block.follow(at, round as f64 * block.period);
        }
        let closes = (at.x - before.x).abs() + (at.v - before.v).abs() < 1e-12;
        if closes && set_off > 0 {
            return (block, at);
        }
    }
}

/// Does an event, or a segment, nearly vanish? Limits of a belt that is stuck to are as near always.
fn is_near_border(orbit: &BranchPoint) -> bool {
    const ALWAYS: f64 = 1e-6;
    const NEAR: f64 = 2e-3;
    let mut margins = orbit.record.inequalities.iter();
    margins.any(|margin| *margin > ALWAYS && *margin < NEAR)
}

/// How well an orbit is known to close: the time of an event without speed is known to the root of rounding.
fn tolerance(orbit: &BranchPoint) -> f64 {
    if is_near_border(orbit) { 1e-7 } else { 1e-9 }
}

/// What is wrong with the points of a curve of orbits of a block.
fn check(block: &Block, way: usize, free: &str, settled: At, member: usize) -> Option<String> {
    let loaded = study::parse("t.ron".as_ref(), block.study(way, "")).unwrap_or_else(|e| panic!("{e}"));
    let system = loaded.plan(&[]).unwrap().systems[0].system.clone();
    let Some(word) = settled_word(&system) else {
        return Some("it does not settle".into());
    };
    let value = system.default_parameters()[system.parameter(free).unwrap()];
    let curves = format!(
        ", curves: [Curve(name: \"c\", orbit: Periodic(\"{word}\"), start: Settle(at: {{\"{free}\": {value:?}}}), free: \"{free}\", \
         range: ({:?}, {:?}))]",
        0.9 * value,
        1.1 * value
    );
    let text = block.study(way, &curves);
    let result = run(&text);
    if !result.missing.is_empty() {
        return Some(format!("missing {:?}\n{text}", result.missing));
    }
    let traced = curve(&result, "c");
    let ends: Vec<_> = traced.pieces.iter().flat_map(|piece| &piece.branch.ends).collect();
    if ends.iter().any(|end| !matches!(end, End::Range | End::Boundary { .. })) {
        return Some(format!("ends {ends:?}\n{text}"));
    }
    let clock = system.states.iter().position(|s| s.period.is_some()).unwrap();
    let turn = system.states[clock].period.unwrap();
    let mut nearest = f64::INFINITY;
    for (_, _, p) in traced.points().filter(|(_, _, p)| p.label.is_none()) {
        let own = block.with(free, p.point.parameter());
        let at = own.on_orbit(&word, p, turn);
        let (end, _) = own.follow(at, at.t + own.period);
        let open = (end.x - at.x).abs().max((end.v - at.v).abs());
        let period = (p.record.period - own.period).abs() / own.period;
        // The longer step tells how well the shorter one knows.
        let [shorter, longer] = [1e-4, 2e-4].map(|step| own.derivative(at, step));
        let [a, b, c, d] = shorter;
        let apart = shorter.iter().zip(&longer).map(|(a, b)| (a - b).abs());
        let known = 1e-9 + apart.fold(0.0, f64::max);
        let m = &p.record.multipliers;
        let size = |k: usize| m.get(k).map_or(0.0, |m| 10f64.powf(m.log10));
        let (real, imaginary) = (
            [0, 1].map(|k| size(k) * m[k].arg.cos()),
            [0, 1].map(|k| size(k) * m[k].arg.sin()),
        );
        let trace = (a + d - real[0] - real[1]).abs();
        let determinant = (a * d - b * c - real[0] * real[1] + imaginary[0] * imaginary[1]).abs();
        let size = 1.0 + at.x.abs() + at.v.abs();
        let same = is_near_border(p) || trace < known && determinant < known;
        if !(open < tolerance(p) * size && period < 1e-12 && same) {
            return Some(format!(
                "{member} {free} = {:?}: open {open:e}, period {period:e}, trace {trace:e} of {:e}, determinant {determinant:e}\n{text}",
                p.point.parameter(),
                a + d
            ));
        }
        if (p.point.parameter() - value).abs() < 1e-12 * value {
            let (end, _) = own.follow(at, (at.t / own.period).ceil() * own.period);
            nearest = nearest.min((end.x - settled.x).abs().max((end.v - settled.v).abs()));
        }
    }
    if nearest.is_finite() && nearest > 1e-9 {
        return Some(format!("{member}: {nearest:e} off the attractor\n{text}"));
    }
    None
}

fn orbits(class: &str, by_force: bool) {
    let count = members(12);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (block, settled) = random_block(&mut random, by_force);
        let free = match (by_force, random.below(3)) {
            (_, 0) => "T",
            (_, 1) => "mu",
            (false, _) => "A",
            (true, _) => "F",
        };
        if let Some(why) = check(&block, member % 3, free, settled, member) {
            wrong.push((member, why));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Where an event comes together with a jump curves go on in other words: along all of them orbits close.
#[test]
fn curves_go_on_where_events_come_together_with_jumps() {
    let class = "words with jumps";
    let count = members(12);
    let (mut wrong, mut words) = (vec![], 0);
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (block, _) = random_block(&mut random, false);
        let loaded = study::parse("t.ron".as_ref(), block.study(member % 3, "")).unwrap_or_else(|e| panic!("{e}"));
        let system = loaded.plan(&[]).unwrap().systems[0].system.clone();
        let word = settled_word(&system).unwrap();
        let value = block.mu;
        let curves = format!(
            ", curves: [Curve(name: \"c\", orbit: Periodic(\"{word}\"), start: Settle(at: {{\"mu\": {value:?}}}), free: \"mu\", \
             range: ({:?}, {:?}), switch: Auto)]",
            0.5 * value,
            2.0 * value
        );
        let text = block.study(member % 3, &curves);
        let result = run(&text);
        let traced = curve(&result, "c");
        let astray = traced.points().find(|(_, _, p)| p.label == Some(Label::MX));
        if let Some((_, piece, p)) = astray {
            wrong.push((member, format!("{} of `{}`\n{text}", p.message, piece.word)));
        }
        words += traced.pieces.len() - 1;
        let turn = system.states.iter().find_map(|s| s.period).unwrap();
        let known = traced
            .points()
            .filter(|(_, piece, p)| p.label.is_none() && piece.word.starts_with("f:slip"));
        for (_, piece, p) in known {
            let own = block.with("mu", p.point.parameter());
            let at = own.on_orbit(&piece.word, p, turn);
            let (end, _) = own.follow(at, at.t + p.record.period);
            let open = (end.x - at.x).abs().max((end.v - at.v).abs());
            if !(open < tolerance(p) * (1.0 + at.x.abs() + at.v.abs())) {
                let place = p.point.parameter();
                wrong.push((member, format!("{open:e} at {place:?} of `{}`\n{text}", piece.word)));
                break;
            }
        }
    }
    assert!(words >= count / 3, "{words} other words in {count} curves");
    none_wrong(class, count, &wrong);
}

#[test]
fn blocks_on_belts_that_jump() {
    orbits("blocks on belts that jump", false);
}

#[test]
fn blocks_under_forces_that_jump() {
    orbits("blocks under forces that jump", true);
}
