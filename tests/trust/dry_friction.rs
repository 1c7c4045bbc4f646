//! A forced mass on a belt with dry friction, in any units and any order of its states, as `Filippov` and as `Hybrid`:
//! `Settle` without `patience` finds the same, and curves have the same labels, also where a segment of slip between
//! two of stick vanishes.

use super::known::{labels, none_wrong, run};
use super::random::{Random, members, members_at_least};
use slipstick_bifurcation::Label;
use slipstick_study::RunResult;

/// x'' + 2 z x' + x + k3 x³ = F cos(om t + ph) - mu sgn(x' - v0).
struct Belt {
    damping: f64,
    force: f64,
    friction: f64,
    speed: f64,
    cubic: f64,
    phase: f64,
    frequency: f64,
}

/// How it is written: with states in units of `state`, time in those of `time`, the velocity first or last.
#[derive(Clone, Copy)]
struct Writing {
    state: f64,
    time: f64,
    hybrid: bool,
    velocity_first: bool,
}

const PLAIN: Writing = Writing {
    state: 1.0,
    time: 1.0,
    hybrid: false,
    velocity_first: false,
};

impl Writing {
    fn random(random: &mut Random) -> Self {
        Self {
            state: random.log_between(1e-3, 1e3),
            time: random.log_between(1e-3, 1e3),
            hybrid: random.below(2) == 0,
            velocity_first: random.below(2) == 0,
        }
    }
}

impl Belt {
    fn random(random: &mut Random, cubic: f64) -> Self {
        Self {
            damping: random.log_between(0.01, 0.25),
            force: random.between(0.4, 1.5),
            friction: random.between(0.1, 0.6),
            speed: random.between(0.05, 0.8),
            cubic,
            phase: random.between(0.0, 6.0),
            frequency: random.between(0.5, 1.8),
        }
    }

    fn study(&self, word: &str, range: (f64, f64), how: Writing) -> String {
        // x = X state and t = T/time in the units written.
        let (s, t) = (1.0 / how.state, how.time);
        let parameters = format!(
            "\"om\": {:?}, \"z\": {:?}, \"F\": {:?}, \"mu\": {:?}, \"v0\": {:?}, \"k3\": {:?}, \"k\": {:?}, \"ph\": {:?}",
            self.frequency * t,
            self.damping * t,
            self.force * t * t / s,
            self.friction * t * t / s,
            self.speed * t / s,
            self.cubic * s * s * t * t,
            t * t,
            self.phase
        );
        let states = if how.velocity_first {
            "\"v\", \"x\""
        } else {
            "\"x\", \"v\""
        };
        let pull = |v: &str| format!("-k*x - k3*x^3 - 2*z*{v} + F*cos(om*t + ph)");
        let system = if how.hybrid {
            format!(
                "Hybrid(states: [{states}], parameters: {{{parameters}}}, forcing: Forcing(period: \"2*pi/om\"), \
                 define: {{\"a\": \"{}\", \"as\": \"{}\"}}, modes: {{ \
                 \"slip-\": Mode(equations: [\"x' = v\", \"v' = a + mu\"], events: {{\
                 \"land\": Event(guard: \"v - v0\", direction: Up, when: [\"as > -mu\", \"as < mu\"], to: \"stick\"), \
                 \"cross\": Event(guard: \"v - v0\", direction: Up, when: [\"as > mu\"], to: \"slip+\")}}), \
                 \"stick\": Mode(kind: Stick, states: [\"x\"], absent: {{\"v\": \"v0\"}}, equations: [\"x' = v0\"], events: {{\
                 \"leave+\": Event(guard: \"as - mu\", direction: Up, to: \"slip+\"), \
                 \"leave-\": Event(guard: \"as + mu\", direction: Down, to: \"slip-\")}}), \
                 \"slip+\": Mode(equations: [\"x' = v\", \"v' = a - mu\"], events: {{\
                 \"land\": Event(guard: \"v - v0\", direction: Down, when: [\"as < mu\", \"as > -mu\"], to: \"stick\"), \
                 \"cross\": Event(guard: \"v - v0\", direction: Down, when: [\"as < -mu\"], to: \"slip-\")}}) }}, \
                 start: Start(mode: \"stick\"))",
                pull("v"),
                pull("v0")
            )
        } else {
            format!(
                "Filippov(states: [{states}], parameters: {{{parameters}}}, forcing: Forcing(period: \"2*pi/om\"), \
                 surfaces: {{\"dry\": \"v - v0\"}}, modes: {{\"+\": \"slip+\", \"-\": \"slip-\", \"0\": \"stick\"}}, \
                 equations: [\"x' = v\", \"v' = {} - mu*sgn(dry)\"], start: {{\"v\": {:?}}})",
                pull("v"),
                self.speed * t / s
            )
        };
        format!(
            "Study(title: \"dry friction\", system: {system}, curves: [Curve(name: \"c\", orbit: Periodic(\"{word}\"), \
             start: Settle(at: {{\"om\": {:?}}}), free: \"om\", range: ({:?}, {:?}), switch: Auto)])",
            self.frequency * t,
            range.0 * t,
            range.1 * t
        )
    }

    /// What is found of the orbit that is settled to, whatever its word; and its study.
    fn settled_to(&self, range: (f64, f64), how: Writing) -> (RunResult, String) {
        let text = self.study("slip+", range, how);
        let result = run(&text);
        let missing = format!("{:?}", result.missing);
        let word = missing
            .split("with word `")
            .nth(1)
            .and_then(|rest| rest.split('`').next());
        match word {
            Some(word) => {
                let text = self.study(word, range, how);
                (run(&text), text)
            }
            None => (result, text),
        }
    }
}

/// Each label with its place in the units of `PLAIN`, and what the message calls it as a bifurcation of sliding.
fn seen(result: &RunResult, how: Writing) -> Vec<(Label, f64, String)> {
    let curves = result.curves.iter().filter(|curve| curve.name == "c");
    let sliding = |message: &str| {
        let parts = message.split([';', ':']).map(str::trim);
        parts.filter(|part| part.ends_with("-sliding")).collect::<String>()
    };
    let all = curves.flat_map(|curve| labels(curve));
    let mut all: Vec<_> = all
        .map(|(label, at, p)| (label, at / how.time, sliding(&p.message)))
        .collect();
    all.sort_by(|a, b| a.1.total_cmp(&b.1));
    all
}

fn same(a: &[(Label, f64, String)], b: &[(Label, f64, String)]) -> bool {
    let close = |(a, b): (&(Label, f64, String), &(Label, f64, String))| {
        a.0 == b.0 && (a.1 / b.1 - 1.0).abs() <= 1e-8 && a.2 == b.2
    };
    a.len() == b.len() && a.iter().zip(b).all(close)
}

/// Most members do not come to the word asked for at the value asked for: then other values are tried. Without the
/// cubic term the motion in stick is one of closed form, but what ends it is not linear as it is written.
#[test]
fn settle_ends_alike_in_all_units() {
    let class = "dry friction, settle";
    let count = members(6);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let cubic = if member % 2 == 0 { 0.0 } else { random.between(0.0, 0.6) };
        let belt = Belt::random(&mut random, cubic);
        let range = (0.25 * belt.frequency, 2.5 * belt.frequency);
        let how = Writing::random(&mut random);
        let started = |how: Writing| {
            let result = run(&belt.study("slip+", range, how));
            let points = result.curves.iter().flat_map(|curve| curve.points());
            let ends: Vec<f64> = points.map(|(_, _, p)| p.point.parameter() / how.time).collect();
            (result.missing.is_empty(), [ends.first().copied(), ends.last().copied()])
        };
        let (plain, scaled) = (started(PLAIN), started(how));
        let close = |(a, b): (&Option<f64>, &Option<f64>)| match (a, b) {
            (Some(a), Some(b)) => (a / b - 1.0).abs() <= 1e-8,
            (a, b) => a == b,
        };
        if plain.0 != scaled.0 || !plain.1.iter().zip(&scaled.1).all(close) {
            wrong.push((
                member,
                format!("{plain:?}\n{scaled:?}\n{}", belt.study("slip+", range, how)),
            ));
        }
    }
    none_wrong(class, count, &wrong);
}

#[test]
fn labels_are_the_same_in_all_writings() {
    let class = "dry friction, labels";
    let count = members_at_least(2);
    let mut wrong = vec![];
    let mut adding = 0;
    for member in 0..count {
        let mut random = Random::of(class, member);
        let cubic = random.between(0.1, 0.3);
        let belt = Belt {
            damping: random.between(0.1, 0.2),
            force: random.between(1.0, 1.4),
            friction: random.between(0.25, 0.35),
            speed: random.between(0.25, 0.35),
            frequency: random.between(0.45, 0.5),
            ..Belt::random(&mut random, cubic)
        };
        let range = (0.36, 0.55);
        let how = Writing::random(&mut random);
        let (plain, _) = belt.settled_to(range, PLAIN);
        let (scaled, text) = belt.settled_to(range, how);
        let (plain, scaled) = (seen(&plain, PLAIN), seen(&scaled, how));
        adding += plain
            .iter()
            .filter(|(label, _, name)| *label == Label::VS && name == "adding-sliding")
            .count();
        if !same(&plain, &scaled) {
            wrong.push((member, format!("{plain:?}\n{scaled:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
    assert!(adding > 0, "no segment of slip vanishes between two of stick");
}
