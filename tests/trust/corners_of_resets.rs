//! Corners in what events do to the states: random systems that are stirred by a clock, whose maps from one tick to the
//! next are piecewise linear and known in closed form, against that and against the same as a map.

use super::known::{Verdict, curve, labels, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::{End, Label};
use slipstick_study::CurveResult;

/// A system in which y decays at a constant rate between ticks: the reset is a function f of y as it was a tick before.
struct Clock {
    /// The rate of decay, the time between ticks, the scale of the state with its sign, and that of the parameter.
    rate: f64,
    period: f64,
    scale: f64,
    parameter: f64,
    /// A second state, kept by this part and stirred by y with this coupling.
    beside: Option<(f64, f64)>,
}

impl Clock {
    fn random(random: &mut Random) -> Self {
        Self {
            rate: random.between(0.3, 2.0),
            period: random.log_between(0.3, 3.0),
            scale: random.sign() * random.log_between(1e-3, 1e3),
            parameter: random.log_between(1e-2, 1e2),
            beside: (random.below(2) == 0).then(|| (random.between(-0.6, 0.6), random.between(-0.5, 0.5))),
        }
    }

    /// What is written for y, and for the parameter q.
    fn written(&self, decays: bool) -> (String, String) {
        let growth = if decays { (self.rate * self.period).exp() } else { 1.0 };
        (
            format!("(x*({:?}))", growth / self.scale),
            format!("(mu/({:?}))", self.parameter),
        )
    }

    /// The system with a reset y+ = f(y, q), begun at y.
    fn hybrid(&self, f: &dyn Fn(&str, &str) -> String, q: f64, y: f64) -> String {
        let (written, mu) = self.written(true);
        let (names, rates, reset) = match self.beside {
            Some((keep, couple)) => (
                "\"x\", \"w\", \"tau\"",
                "\"w' = 0\", ",
                format!("\"w\": \"({keep:?})*w + ({couple:?})*{written}\", "),
            ),
            None => ("\"x\", \"tau\"", "", String::new()),
        };
        format!(
            "Hybrid(states: [{names}], parameters: {{\"mu\": {:?}}}, modes: {{\"m\": Mode(equations: [\"x' = -({:?})*x\", {rates}\"tau' = {:?}\"], \
             events: {{\"tick\": Event(guard: \"tau - 1\", direction: Up, to: \"m\", reset: {{\"tau\": \"0\", {reset}\"x\": \"({:?})*({})\"}})}})}}, \
             monitors: {{\"y\": AtEvent(events: [\"tick\"], of: \"{written}\")}}, start: Start(mode: \"m\", at: {{\"x\": {:?}}}))",
            q * self.parameter,
            self.rate,
            1.0 / self.period,
            self.scale,
            f(&written, &mu),
            y * self.scale,
        )
    }

    /// The same as a map.
    fn map(&self, f: &dyn Fn(&str, &str) -> String, q: f64, y: f64) -> String {
        let (written, mu) = self.written(false);
        format!(
            "Map(states: [\"x\"], parameters: {{\"mu\": {:?}}}, equations: [\"x+ = ({:?})*({})\"], start: {{\"x\": {:?}}})",
            q * self.parameter,
            self.scale,
            f(&written, &mu),
            y * self.scale,
        )
    }

    /// Labels of a curve, with q for the parameter.
    fn said(&self, curve: &CurveResult) -> Vec<(Label, f64)> {
        let all = labels(curve);
        all.iter().map(|l| (l.0, l.1 / self.parameter)).collect()
    }

    /// A curve of orbits of this kind from a value of q, over a range of it.
    fn study(&self, system: &str, orbit: &str, q: f64, (low, high): (f64, f64)) -> String {
        format!(
            "Study(title: \"clock\", system: {system}, curves: [Curve(name: \"c\", orbit: {orbit}, start: Settle(at: {{\"mu\": {:?}}}), free: \"mu\", \
             range: ({:?}, {:?}))])",
            q * self.parameter,
            low * self.parameter,
            high * self.parameter
        )
    }
}

/// y → q + a (y - c) below c, and with b above, written in several ways.
fn two_pieces(way: usize, (a, b, c): (f64, f64, f64)) -> impl Fn(&str, &str) -> String {
    move |y, mu| {
        let d = format!("({y} - ({c:?}))");
        match way {
            0 => format!("{mu} + if({y} < {c:?}, {a:?}, {b:?})*{d}"),
            1 => format!("{mu} + if({d} >= 0, ({b:?})*{d}, ({a:?})*{d})"),
            2 => format!("{mu} + ({a:?})*min({d}, 0) + ({b:?})*max({d}, 0)"),
            3 => format!("{mu} + ({:?})*{d} + ({:?})*abs({d})", 0.5 * (a + b), 0.5 * (b - a)),
            4 => format!("if({y} > {c:?}, {mu} + ({b:?})*abs({d}), {mu} - ({a:?})*abs({d}))"),
            _ => format!("{mu} + ({a:?})*{d} + ({:?})*{d}*heaviside({d})", b - a),
        }
    }
}
const WAYS: usize = 6;

/// A slope of a stable fixed point, and one that is not near ±1.
fn slopes(random: &mut Random) -> (f64, f64) {
    let a = random.between(-0.8, 0.8);
    let b = match random.below(3) {
        0 => random.between(-3.0, -1.2),
        1 => random.between(-0.8, 0.8),
        _ => random.between(1.2, 3.0),
    };
    (a, if (b - a).abs() < 0.1 { b + 0.2 } else { b })
}

#[test]
fn orbits_that_pass_corners_of_resets_are_labelled_and_go_on() {
    let class = "corners of resets";
    let count = members(16);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let clock = Clock::random(&mut random);
        let (a, b) = slopes(&mut random);
        // Where the corner lies at zero, all states of the orbit vanish there.
        let c = if member % 4 == 3 { 0.0 } else { random.between(0.5, 1.5) };
        let f = two_pieces(member % WAYS, (a, b, c));
        let q = c - random.between(0.2, 0.5);
        let y = c + (q - c) / (1.0 - a);
        let range = (c - 0.8, c + 0.8);
        let hybrid = clock.study(&clock.hybrid(&f, q, y), "Periodic(\"m tick\")", q, range);
        let map = clock.study(&clock.map(&f, q, y), "FixedPoint", q, range);
        let (result, of_map) = (run(&hybrid), run(&map));
        let Some(found) = result.curves.first() else {
            wrong.push((member, format!("{:?}\n{hybrid}", result.missing)));
            continue;
        };
        let known = [(Label::GR, c)];
        let mut said = vec![];
        for curve in [found, curve(&of_map, "c")] {
            let verdict = Verdict::of(&clock.said(curve), &known, 1e-9);
            if !verdict.is_right() {
                said.push(format!("{verdict:?}"));
            }
        }
        let folds = (1.0 - a) * (1.0 - b) < 0.0;
        let word = if folds { "a nonsmooth fold" } else { "persistence" };
        if !labels(found).iter().all(|l| l.2.message.contains(word)) {
            said.push(format!("no {word}"));
        }
        if !found.ends().iter().all(|end| matches!(end, End::Range)) {
            said.push(format!("{:?}", found.ends()));
        }
        // On both sides the orbit and its multipliers are those of the map.
        let column = found.monitors.iter().position(|name| name == "y").unwrap();
        for (_, _, p) in found.points() {
            let d = p.record.parameters[0] / clock.parameter - c;
            let y = p.record.monitors[column];
            let Some((slope, _)) = [(a, -1.0), (b, 1.0)].into_iter().find(|(slope, side)| {
                (y - c - d / (1.0 - slope)).abs() < 1e-9 * (1.0 + y.abs()) && side * d / (1.0 - slope) > -1e-9
            }) else {
                said.push(format!("y = {y} at {d}"));
                break;
            };
            let largest = p.record.multipliers.iter().filter_map(|m| m.to_complex());
            if !largest.clone().any(|m| (m - slope).norm() < 1e-9 * (1.0 + slope.abs())) && d.abs() > 1e-6 {
                said.push(format!(
                    "multipliers {:?} for {slope} at {d}",
                    largest.collect::<Vec<_>>()
                ));
                break;
            }
        }
        if found.pieces.iter().any(|piece| piece.word != "m tick") {
            said.push("another word".into());
        }
        if !said.is_empty() {
            wrong.push((member, format!("a {a} b {b}: {said:?}\n{hybrid}")));
        }
    }
    none_wrong(class, count, &wrong);
}

#[test]
fn saturated_resets_have_both_their_corners() {
    let class = "saturated resets";
    let count = members(10);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let clock = Clock::random(&mut random);
        let gain = match random.below(2) {
            0 => random.between(-3.0, 0.8),
            _ => random.between(1.3, 3.0),
        };
        let f = move |y: &str, mu: &str| match member % 3 {
            0 => format!("{mu} + max(-1, min(1, ({gain:?})*{y}))"),
            1 => format!("{mu} + min(max(({gain:?})*{y}, -1), 1)"),
            _ => format!("{mu} + if(({gain:?})*{y} > 1, 1, if(({gain:?})*{y} < -1, -1, ({gain:?})*{y}))"),
        };
        let corner = ((1.0 - gain) / gain).abs();
        let width = 1.0 + 1.5 * corner;
        let (q, y) = (-0.9 * width, -0.9 * width - gain.signum());
        let text = clock.study(&clock.hybrid(&f, q, y), "Periodic(\"m tick\")", q, (-width, width));
        let result = run(&text);
        let Some(found) = result.curves.first() else {
            wrong.push((member, format!("{:?}\n{text}", result.missing)));
            continue;
        };
        let known = [(Label::GR, -corner), (Label::GR, corner)];
        let verdict = Verdict::of(&clock.said(found), &known, 1e-9 * (1.0 + corner));
        let ends = found.ends().iter().all(|end| matches!(end, End::Range));
        if !verdict.is_right() || !ends {
            wrong.push((member, format!("gain {gain}: {verdict:?} {:?}\n{text}", found.ends())));
        }
    }
    none_wrong(class, count, &wrong);
}

#[test]
fn curves_end_where_resets_jump_and_where_orbits_are_born_at_corners() {
    let class = "ends at corners of resets";
    let count = members(10);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let clock = Clock::random(&mut random);
        let c = random.between(0.5, 1.5);
        let (jumps, a) = (member % 2 == 0, random.between(0.1, 0.8));
        let (text, label, said) = if jumps {
            let (b, jump) = (random.between(-2.0, 2.0), random.sign() * random.between(0.1, 1.0));
            let f = move |y: &str, mu: &str| {
                format!("{mu} + if({y} < {c:?}, ({a:?})*({y} - {c:?}), ({b:?})*({y} - {c:?}) + ({jump:?}))")
            };
            let q = c - random.between(0.2, 0.5);
            let system = clock.hybrid(&f, q, c - 0.5);
            let text = clock.study(&system, "Periodic(\"m tick\")", q, (c - 0.8, c + 0.8));
            (text, Label::EP, "they jump there")
        } else {
            // A stable cycle of two ticks, one on each side, is born with a product of slopes above -1.
            let b = -random.between(1.1, 0.95 / a.max(0.6)).max(1.1);
            let f = two_pieces(member % WAYS, (a.min(0.6), b, c));
            let q = c + random.between(0.2, 0.5);
            let system = clock.hybrid(&f, q, c - 0.5);
            let text = clock.study(&system, "Periodic(\"m tick m tick\")", q, (c - 0.8, c + 0.8));
            (text, Label::GR, "this orbit is born")
        };
        let result = run(&text);
        let Some(found) = result.curves.first() else {
            wrong.push((member, format!("{:?}\n{text}", result.missing)));
            continue;
        };
        let at = found.points().find(|(_, _, p)| p.message.contains(said));
        let right = at.is_some_and(|(_, _, p)| {
            p.label == Some(label) && (p.point.parameter() / clock.parameter - c).abs() < 1e-9
        });
        if !right {
            let all: Vec<_> = found
                .points()
                .filter_map(|(_, _, p)| Some((p.label?, p.point.parameter() / clock.parameter, &p.message)))
                .collect();
            wrong.push((member, format!("{said} at {c}: {all:?} {:?}\n{text}", found.ends())));
        }
    }
    none_wrong(class, count, &wrong);
}

#[test]
fn borders_at_corners_of_resets_are_followed_in_two_parameters() {
    let class = "borders of resets in two parameters";
    let count = members(4);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let clock = Clock::random(&mut random);
        let (a, b) = slopes(&mut random);
        // The corner at c = 1 - bend² lies at q = c.
        let text = |y: &str, mu: &str| {
            let d = format!("({y} - 1 + bend^2)");
            format!("{mu} + ({a:?})*min({d}, 0) + ({b:?})*max({d}, 0)")
        };
        let system = clock.hybrid(&text, 0.3, 0.3);
        let system = system.replace("parameters: {", "parameters: {\"bend\": 0.5, ");
        let scale = clock.parameter;
        let study = format!(
            "Study(title: \"clock\", system: {system}, curves: [Curve(name: \"c\", orbit: Periodic(\"m tick\"), start: Settle(at: {{\"mu\": {:?}}}), \
             free: \"mu\", range: ({:?}, {:?}))], loci: [Locus(name: \"border\", from: \"c: GR\", free: (\"bend\", \"mu\"), \
             range: ((-0.8, 0.8), ({:?}, {:?})))])",
            0.3 * scale,
            -0.5 * scale,
            1.5 * scale,
            -0.2 * scale,
            1.2 * scale
        );
        let result = run(&study);
        let points = super::known::pieces(&result, "border");
        let (mut least, mut largest, mut off) = (f64::INFINITY, f64::NEG_INFINITY, 0.0f64);
        for p in points.iter().flatten() {
            let place = |name: &str| result.curves[0].parameters.iter().position(|p| p == name).unwrap();
            let (bend, q) = (
                p.record.parameters[place("bend")],
                p.record.parameters[place("mu")] / scale,
            );
            (least, largest) = (least.min(bend), largest.max(bend));
            off = off.max((q - 1.0 + bend * bend).abs());
        }
        if !(least < -0.79 && largest > 0.79 && off < 1e-9) {
            wrong.push((member, format!("{least} {largest} {off} {:?}\n{study}", result.missing)));
        }
    }
    none_wrong(class, count, &wrong);
}
