//! The words of orbits along their branches, against integrations that know nothing of words.

use super::known::{curve, labels, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::{BranchPoint, End, Label};
use std::f64::consts::TAU;

/// x'' + 2 d x' + x + k (x - c)₊ = cos φ.
struct Bilinear {
    d: f64,
    k: f64,
    c: f64,
}

impl Bilinear {
    fn random(random: &mut Random) -> Self {
        Self {
            d: random.between(0.05, 0.15),
            k: random.log_between(3.0, 25.0),
            c: random.between(0.05, 0.3),
        }
    }

    /// (x, v, φ) after a time, by the classical method of Runge and Kutta.
    fn follow(&self, mut x: [f64; 3], w: f64, time: f64) -> [f64; 3] {
        const STEPS: usize = 40_000;
        let rate = |x: [f64; 3]| {
            let force = x[2].cos() - 2.0 * self.d * x[1] - x[0] - self.k * (x[0] - self.c).max(0.0);
            [x[1], force, w]
        };
        let h = time / STEPS as f64;
        let moved = |x: [f64; 3], k: [f64; 3], h: f64| std::array::from_fn(|i| x[i] + h * k[i]);
        for _ in 0..STEPS {
            let a = rate(x);
            let b = rate(moved(x, a, 0.5 * h));
            let c = rate(moved(x, b, 0.5 * h));
            let d = rate(moved(x, c, h));
            x = std::array::from_fn(|i| x[i] + h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]));
        }
        x
    }
}

/// Over the frequency and into the branches of doubled orbits: wherever a visit vanishes or begins, a word goes on,
/// doubled branches come back to where others branch off, and the orbits in between close.
#[test]
fn branches_of_bilinear_oscillators_go_on_through_all_their_words() {
    let class = "bilinear";
    let count = members(2);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let system = Bilinear::random(&mut random);
        let Bilinear { d, k, c } = system;
        // Its frequency where it does not touch anything but goes through both modes.
        let w0 = 2.0 * (1.0 + k).sqrt() / (1.0 + (1.0 + k).sqrt());
        let text = format!(
            "Study(title: \"bilinear\", system: Hybrid(states: [\"x\", \"v\"], parameters: {{\"w\": {w0:?}}}, forcing: Forcing(period: \"2*pi/w\"), \
             define: {{\"f\": \"cos(phase) - ({:?})*v - x\"}}, modes: {{\
             \"l\": Mode(equations: [\"x' = v\", \"v' = f\"], events: {{\"in\": Event(guard: \"x - ({c:?})\", direction: Up, to: \"r\")}}), \
             \"r\": Mode(equations: [\"x' = v\", \"v' = f - ({k:?})*(x - ({c:?}))\"], events: {{\"out\": Event(guard: \"x - ({c:?})\", direction: Down, to: \"l\")}})\
             }}, start: Start(mode: \"l\")), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"l r\"), start: Settle(at: {{}}), free: \"w\", range: ({:?}, {:?}), switch: Auto, branches: [PD])])",
            2.0 * d,
            0.9 * w0,
            3.0 * w0,
        );
        let result = run(&text);
        let mut said = vec![];
        for curve in &result.curves {
            for (_, _, p) in curve.points().filter(|(_, _, p)| p.label.is_some()) {
                let lost = p.label == Some(Label::MX);
                if lost || p.message.contains("no neighbouring word") {
                    said.push(format!("{} at {}: {}", curve.name, p.point.parameter(), p.message));
                }
            }
            for piece in &curve.pieces {
                for (index, sample) in piece.between.iter().step_by(1 + piece.between.len() / 4) {
                    let record = &piece.branch.points[*index].record;
                    let (w, start) = (record.parameters[0], &sample.states[0]);
                    let end = system.follow([start[0], start[1], start[2]], w, record.period);
                    let off = (0..2).map(|i| (end[i] - start[i]).abs()).fold(0.0, f64::max);
                    let laps = record.period * w / TAU;
                    if !(off <= 1e-5) || (laps - laps.round()).abs() > 1e-9 {
                        said.push(format!(
                            "{} at {w}: off by {off:e} after {laps} laps in `{}`",
                            curve.name, piece.word
                        ));
                    }
                }
            }
        }
        if result.curves.len() < 2 || !said.is_empty() {
            wrong.push((member, format!("{said:?} {:?}\n{text}", result.missing)));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Oscillators with dry friction between or beside stops: at its turning point a mass comes to rest just as it touches
/// the stop, so that slip begins anew and contact at one instant. Soft stops are then hit in four new segments, rigid
/// ones in place of the reversal.
#[test]
fn stops_beside_dry_friction_are_grazed_and_passed() {
    let class = "stops beside dry friction";
    let count = members(6);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (mu, c) = (random.between(0.05, 0.2), random.between(0.02, 0.1));
        let (force, ratio) = (random.between(0.6, 1.2), random.between(1.35, 1.6));
        let soft = member % 2 == 0;
        // About where the orbit with friction touches at this ratio of frequencies.
        let distance = (force - 1.1 * mu) / (ratio * ratio - 1.0);
        let stop = if soft {
            let (k, c) = (random.between(5.0, 40.0), random.between(0.2, 2.0));
            format!("stiffness: {k:?}, damping: {c:?}")
        } else {
            format!("side: Both, restitution: {:?}", random.between(0.5, 0.9))
        };
        let (symmetry, word) = if soft {
            (
                "",
                "Periodic(\"stop:open,dry:slip+ dry:reverse stop:open,dry:slip- dry:reverse\")",
            )
        } else {
            (
                ", symmetry: {\"x\": \"-x\", \"phase\": \"phase + pi\"}",
                "Symmetric(\"stop:open,dry:slip+ dry:reverse\")",
            )
        };
        let text = format!(
            "Study(title: \"stop\", system: Mechanical(coordinates: [\"x\"], parameters: {{\"w\": 2}}, forcing: Forcing(period: \"2*pi/w\"), \
             masses: {{\"x\": 1}}, springs: [Spring(on: \"x\", stiffness: 1, damping: {c:?})], forces: {{\"x\": \"{force:?}*cos(w*t)\"}}, \
             contacts: {{\"stop\": Gap(on: \"x\", distance: {distance:?}, {stop}), \"dry\": Coulomb(on: \"x\", mu: {mu:?})}}{symmetry}), \
             curves: [Curve(name: \"c\", orbit: {word}, start: Settle(at: {{\"w\": 3}}), free: \"w\", range: (0.9, 3.2), switch: Auto)])",
        );
        let result = run(&text);
        let Some(curve) = result.curves.iter().find(|curve| curve.name == "c") else {
            wrong.push((member, format!("{:?}\n{text}", result.missing)));
            continue;
        };
        let mut grazings = curve.points().filter(|(_, _, p)| p.label == Some(Label::GR));
        let passed = grazings.any(|(_, _, p)| p.message.contains("the word becomes"));
        let ends = curve.points().next().zip(curve.points().last());
        let both = ends.is_some_and(|((_, _, a), (_, _, b))| {
            let low = a.point.parameter().min(b.point.parameter());
            low <= 0.9 + 1e-9
        });
        // Beyond rigid stops the orbits fold, and may go anywhere.
        if !passed || (soft && !both) {
            let said = curve
                .points()
                .filter_map(|(_, _, p)| p.label.map(|l| (l, p.point.parameter(), &p.message)));
            wrong.push((member, format!("{:?}\n{text}", said.collect::<Vec<_>>())));
        }
    }
    none_wrong(class, count, &wrong);
}

/// A mass on a spring, driven by a force of one frequency, on a belt of speed v0.
struct Belt {
    w: f64,
    amplitude: f64,
    damping: f64,
    /// Kinetic friction.
    mu: f64,
}

impl Belt {
    fn random(random: &mut Random) -> Self {
        Self {
            w: random.between(0.6, 1.7),
            amplitude: random.between(0.5, 1.0),
            damping: random.between(0.05, 0.3),
            mu: random.between(0.2, 0.5),
        }
    }

    /// The greatest speed of the mass: on a faster belt it only slips.
    fn fastest(&self) -> f64 {
        self.w * self.amplitude / (1.0 - self.w * self.w).hypot(self.damping * self.w)
    }

    /// With a contact of this law.
    fn mechanical(&self, law: &str) -> String {
        let Self {
            w, amplitude, damping, ..
        } = self;
        format!(
            "Mechanical(coordinates: [\"x\"], parameters: {{\"v0\": 0.3}}, masses: {{\"x\": 1}}, \
             springs: [Spring(on: \"x\", stiffness: 1, damping: {damping:?})], forces: {{\"x\": \"{amplitude:?}*cos({w:?}*t)\"}}, \
             forcing: Forcing(period: \"2*pi/{w:?}\"), contacts: {{\"s\": {law}}})"
        )
    }

    /// With dry friction, as a field that jumps.
    fn filippov(&self) -> String {
        let Self {
            w,
            amplitude,
            damping,
            mu,
        } = self;
        format!(
            "Filippov(states: [\"x\", \"v\"], parameters: {{\"v0\": 0.3}}, surfaces: {{\"s\": \"v - v0\"}}, \
             forcing: Forcing(period: \"2*pi/{w:?}\"), modes: {{\"+\": \"s:slip+\", \"-\": \"s:slip-\", \"0\": \"s:stick\"}}, \
             equations: [\"x' = v\", \"v' = -x - {damping:?}*v + {amplitude:?}*cos({w:?}*t) - {mu:?}*sgn(s)\"])"
        )
    }

    /// From pure slip on a fast belt down to one of speed `slowest`.
    fn slowing_down(&self, system: &str, slowest: f64) -> String {
        let [start, most] = [1.2, 1.3].map(|factor| factor * self.fastest());
        format!(
            "Study(title: \"belt\", system: {system}, curves: [Curve(name: \"c\", orbit: Periodic(\"s:slip- free\"), \
             start: Settle(at: {{\"v0\": {start:?}}}), free: \"v0\", range: ({slowest:?}, {most:?}), switch: Auto)])"
        )
    }
}

/// A forced mass on a belt, from so fast a belt that it only slips down to one that it sticks to most of the time:
/// wherever slip on the other side of the belt's speed appears or vanishes between slip and stick, the branch goes on.
#[test]
fn slip_on_the_other_side_of_a_belt_appears_where_it_is() {
    let class = "switching-sliding from either side";
    let count = members(24);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let belt = Belt::random(&mut random);
        let system = if member % 2 == 0 {
            belt.mechanical(&format!("Coulomb(on: \"x\", against: Belt(\"v0\"), mu: {:?})", belt.mu))
        } else {
            belt.filippov()
        };
        let text = belt.slowing_down(&system, 0.05);
        let result = run(&text);
        let found = curve(&result, "c");
        let ends: Vec<f64> = found
            .points()
            .filter(|(_, _, p)| p.label == Some(Label::EP))
            .map(|(_, _, p)| p.point.parameter())
            .collect();
        // Where a segment appears, its own inequalities are zero to rounding.
        let admissible = |p: &BranchPoint| p.record.inequalities.iter().all(|v| *v > -1e-9);
        let whole = ends.len() == 2 && (ends[0] - 0.05).abs() < 1e-12 && found.points().all(|(_, _, p)| admissible(p));
        if !whole {
            let said: Vec<String> = labels(found)
                .iter()
                .map(|(label, at, p)| format!("{label} {at} {}", p.message))
                .collect();
            wrong.push((member, format!("{ends:?} {said:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// A forced mass on a fast belt only slips backwards. Asked for an orbit that slips forwards, the program says which
/// there is; its motion continued as if friction pulled the other way is none.
#[test]
fn motions_that_never_enter_the_mode_of_the_word_are_named() {
    let class = "the other side of the belt";
    let count = members(6);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let belt = Belt::random(&mut random);
        let mu = belt.mu;
        let coulomb = format!("Coulomb(on: \"x\", against: Belt(\"v0\"), mu: {mu:?})");
        // Continued beyond its surface this law pulls without limit.
        let stribeck = format!("Stribeck(on: \"x\", against: Belt(\"v0\"), law: \"{mu:?}*(0.7 + 0.3*exp(-3*v))\")");
        let system = match member % 3 {
            0 => belt.mechanical(&coulomb),
            1 => belt.mechanical(&stribeck),
            _ => belt.filippov(),
        };
        let text = belt.slowing_down(&system, 1.1 * belt.fastest());
        let missing = |text: &str| run(text).missing.first().map(|m| m.reason.clone());
        let said = missing(&text.replace("s:slip- free", "s:slip+"));
        let named = said.as_ref().is_some_and(|said| said.contains("with word `s:slip-`"));
        if !named || missing(&text).is_some() {
            wrong.push((member, format!("{said:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// A forced mass that only slips, on a belt that slows down until the mass touches its speed: where static friction is
/// stronger than kinetic, it would stick for a while then, and no orbit beyond is near; else the branch goes on.
#[test]
fn slip_that_grazes_sticks_for_a_while_or_for_no_time() {
    let class = "grazing of stick";
    let count = members(12);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let belt = Belt::random(&mut random);
        let (mu, fastest) = (belt.mu, belt.fastest());
        let ratio = random.between(1.05, 2.0);
        let (law, lasts) = match member % 3 {
            0 => (format!("Coulomb(on: \"x\", against: Belt(\"v0\"), mu: {mu:?})"), false),
            1 => (
                format!(
                    "Stiction(on: \"x\", against: Belt(\"v0\"), mu_s: {:?}, mu_d: {mu:?}, normal: 1)",
                    ratio * mu
                ),
                true,
            ),
            _ => (
                format!(
                    "Stribeck(on: \"x\", against: Belt(\"v0\"), law: \"{mu:?}/(1 + 0.1*v)\", mu_s: {:?})",
                    ratio * mu
                ),
                true,
            ),
        };
        let text = belt.slowing_down(&belt.mechanical(&law), 0.9 * fastest);
        let result = run(&text);
        let found = curve(&result, "c");
        let grazings: Vec<_> = labels(found).into_iter().filter(|l| l.0 == Label::GR).collect();
        let said = if lasts {
            "where stick would last"
        } else {
            "piecewise linear"
        };
        let right = matches!(&grazings[..], [(_, at, p)] if p.message.contains(said)
            // The weakening law changes the amplitude.
            && (member % 3 == 2 || (at / fastest - 1.0).abs() < 1e-9));
        let goes_on = found.points().any(|(_, piece, _)| piece.word.contains("stick"));
        if !right || goes_on == lasts {
            let messages: Vec<String> = grazings.iter().map(|l| format!("{} {}", l.1, l.2.message)).collect();
            wrong.push((member, format!("{fastest}: {messages:?}, goes on: {goes_on}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// A forced mass that bounces on a floor on which it may come to rest: where it touches the floor from above, the floor
/// keeps nothing, and the map has a square root. Orbits that bounce several times go on from there.
#[test]
fn floors_on_which_masses_may_rest_are_grazed() {
    let class = "grazing of floors";
    let count = members(8);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let mut about = |v: f64| v * random.between(0.95, 1.05);
        let (stiffness, damping, force, rest) = (about(0.3), about(0.1), about(3.0), about(0.01));
        let text = format!(
            "Study(title: \"floor\", system: Mechanical(coordinates: [\"x\"], parameters: {{\"e\": 0.4}}, masses: {{\"x\": 1}}, \
             springs: [Spring(on: \"x\", stiffness: {stiffness:?}, damping: {damping:?})], forcing: Forcing(period: \"2*pi\"), \
             forces: {{\"x\": \"{force:?}*sin(t)\"}}, start: {{\"x\": 1}}, \
             contacts: {{\"f\": Gap(on: \"x\", side: Below, restitution: \"e\", rest: {rest:?})}}), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"f:open f:hit\"), start: Settle(at: {{\"e\": 0.4}}), free: \"e\", range: (0, 0.9), switch: Auto)])"
        );
        let result = run(&text);
        let found = curve(&result, "c");
        let grazings: Vec<String> = labels(found)
            .into_iter()
            .filter(|l| l.0 == Label::GR)
            .map(|l| format!("{} {}", l.1, l.2.message))
            .collect();
        let right = !grazings.is_empty() && grazings.iter().all(|said| said.contains("square-root"));
        let bounces = found
            .points()
            .any(|(_, piece, _)| piece.word.matches("hit").count() > 1);
        if !right || !bounces {
            wrong.push((
                member,
                format!("{grazings:?}, bounces several times: {bounces}\n{text}"),
            ));
        }
    }
    none_wrong(class, count, &wrong);
}

/// The force on a mass with dry friction weakens: in the word of the whole period the curve goes through the same words
/// whether the symmetry of the system is declared or not.
#[test]
fn words_of_the_whole_period_go_on_where_a_symmetry_is_declared() {
    let class = "declared symmetry";
    let count = members(2);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (w, c, mu, k) = (
            random.between(0.6, 2.0),
            random.between(0.05, 0.3),
            random.between(0.1, 0.5),
            random.between(0.5, 2.0),
        );
        let study = |symmetry: &str| {
            format!(
                "Study(title: \"dry\", system: Mechanical(coordinates: [\"x\"], parameters: {{\"F\": 1}}, forcing: Forcing(period: \"2*pi/{w:?}\"), \
                 masses: {{\"x\": 1}}, springs: [Spring(on: \"x\", stiffness: {k:?}, damping: {c:?})], forces: {{\"x\": \"F*cos({w:?}*t)\"}}, \
                 contacts: {{\"fr\": Coulomb(on: \"x\", mu: {mu:?})}}{symmetry}), curves: [Curve(name: \"c\", \
                 orbit: Periodic(\"fr:slip+ fr:reverse fr:slip- fr:reverse\"), start: Settle(at: {{\"F\": 1.4}}), free: \"F\", \
                 range: ({:?}, 1.5), switch: Auto)])",
                0.5 * mu
            )
        };
        let places = |text: &str| -> Vec<(Label, f64)> {
            let result = run(text);
            result
                .curves
                .iter()
                .flat_map(|c| labels(c).iter().map(|l| (l.0, l.1)).collect::<Vec<_>>())
                .collect()
        };
        let text = study(", symmetry: {\"x\": \"-x\", \"phase\": \"phase + pi\"}");
        let (plain, declared) = (places(&study("")), places(&text));
        // Where symmetry is declared its breaking has a label of its own.
        let borders = |all: &[(Label, f64)]| -> Vec<f64> {
            all.iter()
                .filter(|l| matches!(l.0, Label::VS | Label::EP))
                .map(|l| l.1)
                .collect()
        };
        let (a, b) = (borders(&plain), borders(&declared));
        if a.len() < 2 || a.len() != b.len() || a.iter().zip(&b).any(|(a, b)| (a - b).abs() > 1e-9) {
            wrong.push((member, format!("{plain:?}, {declared:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// The force on a mass with regularised dry friction weakens until the mass never slips beyond the layer: slip on both
/// sides vanishes at one place, and the orbit goes on in the layer, where nothing keeps its value.
#[test]
fn orbits_go_on_within_the_layer_where_slip_on_both_sides_vanishes() {
    let class = "slip on both sides";
    let count = members(4);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (w, c, mu, k) = (
            random.between(0.8, 1.6),
            random.between(0.05, 0.3),
            random.between(0.1, 0.3),
            random.between(0.5, 1.5),
        );
        let text = format!(
            "Study(title: \"layer\", system: Regularised(of: Mechanical(coordinates: [\"x\"], parameters: {{\"F\": 1}}, forcing: Forcing(period: \"2*pi/{w:?}\"), \
             masses: {{\"x\": 1}}, springs: [Spring(on: \"x\", stiffness: {k:?}, damping: {c:?})], forces: {{\"x\": \"F*cos({w:?}*t)\"}}, \
             contacts: {{\"a\": Coulomb(on: \"x\", mu: {mu:?})}}), by: Smoothstep({}), epsilon: 0.1), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"a:slip+ a:enter a:layer a:leave- a:slip- a:enter a:layer a:leave+\"), \
             start: Settle(at: {{\"F\": 1}}), free: \"F\", range: (0.02, 1.2), switch: Auto)])",
            1 + random.below(3)
        );
        let result = run(&text);
        let found = curve(&result, "c");
        let within = found.points().any(|(_, piece, _)| piece.word == "a:layer");
        if found.covered() != (0.02, 1.2) || !within {
            let said: Vec<String> = labels(found)
                .iter()
                .map(|l| format!("{} {} {}", l.0, l.1, l.2.message))
                .collect();
            wrong.push((member, format!("{said:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// A relay of order three whose oscillations slide or do not, and prey of which more is harvested above a threshold than
/// below: where the sliding segment vanishes, the word without it goes on, however near the end of the range is.
#[test]
fn words_are_switched_next_to_the_end_of_the_range() {
    let class = "words next to an end";
    let count = members(4);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let mut about = |v: f64| v * random.between(0.97, 1.03);
        let (system, word, start, free, wide) = if member % 2 == 0 {
            (
                format!(
                    "Filippov(states: [\"x\", \"y\", \"z\"], parameters: {{\"zeta\": {:?}, \"rho\": 0.25}}, surfaces: {{\"relay\": \"x\"}}, \
                     equations: [\"x' = y - (2*zeta + 1)*x - sgn(relay)\", \"y' = z - (2*zeta + 1)*x + 2*rho*sgn(relay)\", \
                     \"z' = -x - rho^2*sgn(relay)\"], symmetry: {{\"x\": \"-x\", \"y\": \"-y\", \"z\": \"-z\"}}, start: {{\"x\": 0.5, \"z\": 1}})",
                    about(0.05)
                ),
                "Symmetric(\"relay+ relay0\")",
                0.25,
                "rho",
                (0.2, 0.35),
            )
        } else {
            (
                format!(
                    "Filippov(states: [\"x\", \"y\"], parameters: {{\"T\": 1.38}}, surfaces: {{\"h\": \"y - T\"}}, \
                     equations: [\"x' = x*(1 - x/({:?})) - ({:?})*x*y/(1 + x)\", \"y' = 0.6638*x*y/(1 + x) - 0.353*y - 0.539*y*heaviside(h)\"], \
                     start: {{\"x\": 1.25, \"y\": 0.77}})",
                    about(3.536),
                    about(1.127)
                ),
                "Periodic(\"h- h0\")",
                1.38,
                "T",
                (1.3, 2.5),
            )
        };
        let study = |range: (f64, f64)| {
            format!(
                "Study(title: \"end\", system: {system}, curves: [Curve(name: \"c\", orbit: {word}, start: Settle(at: {{\"{free}\": {start:?}}}), \
                 free: \"{free}\", range: {range:?}, switch: Auto)])"
            )
        };
        let text = study(wide);
        let result = run(&text);
        let whole = curve(&result, "c");
        let place = labels(whole)
            .iter()
            .find(|l| l.0 == Label::VS && l.1 > start)
            .map(|l| l.1);
        let (Some(place), Some(beyond)) = (place, whole.pieces.get(1)) else {
            wrong.push((member, format!("no word beyond: {:?}\n{text}", result.missing)));
            continue;
        };
        for distance in [1e-2, 1e-3, 1e-5] {
            let text = study((wide.0, place + distance));
            let result = run(&text);
            let last = curve(&result, "c").pieces.last().unwrap();
            if last.word != beyond.word || last.branch.ends.last() != Some(&End::Range) {
                let said = labels(curve(&result, "c")).last().map(|l| l.2.message.clone());
                wrong.push((
                    member,
                    format!("{distance:e} beyond: `{}`, {said:?}\n{text}", last.word),
                ));
            }
        }
    }
    none_wrong(class, count, &wrong);
}
