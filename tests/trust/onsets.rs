//! Where forces become as large as friction or a weight can hold: bodies begin to slip, or lift off. There all motion
//! against the contact vanishes, and curves in two parameters of that place are known in closed form.

use super::known::{curve, labels, pieces, run};
use super::normal_forms::class;
use super::random::Random;
use slipstick_bifurcation::{BranchPoint, Label};
use std::f64::consts::{FRAC_PI_2, PI};

/// A phase of the forcing: one at which the largest force is met where laps begin, end, or are halved, or any.
fn phase(random: &mut Random) -> f64 {
    match random.below(6) {
        0 => 0.0,
        1 => FRAC_PI_2,
        2 => PI,
        3 => -FRAC_PI_2,
        _ => random.between(-PI, PI),
    }
}

/// A system with a contact that is held up to an amplitude of its force.
struct Onset {
    system: String,
    orbit: String,
    /// The word that sticks all along with its start, where the curve comes from there.
    stuck: Option<(String, String)>,
    /// The parameters: the amplitude, and two others with their values.
    amplitude: &'static str,
    others: [(&'static str, f64); 2],
    /// The amplitude at which the contact gives way, for values of the others.
    law: Box<dyn Fn([f64; 2]) -> f64>,
}

/// What is wrong with the place at which the motion vanishes along the amplitude, and with the curves in two parameters
/// through it.
fn wrong(onset: &Onset) -> Option<String> {
    let Onset { amplitude, others, .. } = onset;
    let at = (onset.law)(others.map(|(_, value)| value));
    // Rounding of slip that hardly lasts may end the curve just before.
    const BEFORE: f64 = 1e-7;
    let slips = (
        onset.orbit.clone(),
        format!("Settle(at: {{\"{amplitude}\": {:?}}})", 1.15 * at),
    );
    let (label, (orbit, start)) = match &onset.stuck {
        Some(stuck) => (Label::OV, stuck.clone()),
        None => (Label::VS, slips),
    };
    let loci = [0, 1].map(|k| {
        let (name, value) = others[k];
        let wide = (1e-3 * at, 1e3 * at);
        format!(
            "Locus(name: \"l{k}\", from: \"c: {label}\", free: (\"{name}\", \"{amplitude}\"), range: ({:?}, {wide:?}))",
            (0.7 * value, 1.4 * value)
        )
    });
    let text = format!(
        "Study(title: \"onset\", system: {}, curves: [Curve(name: \"c\", orbit: {orbit}, start: {start}, \
         free: \"{amplitude}\", range: ({:?}, {:?}), switch: Auto)], loci: [{}])",
        onset.system,
        0.8 * at,
        1.2 * at,
        loci.join(", ")
    );
    let result = run(&text);
    let found = result.curves.first().map_or_else(Vec::new, labels);
    if matches!(found[..], [(Label::MX, place, _)] if place > at && place / at - 1.0 <= BEFORE) {
        return None;
    }
    if let Some(missing) = result.missing.first() {
        return Some(format!("{}\n{text}", missing.reason));
    }
    if !matches!(found[..], [(own, place, _)] if own == label && (place / at - 1.0).abs() <= 1e-8) {
        let found: Vec<_> = found.iter().map(|l| (l.0, l.1 / at)).collect();
        return Some(format!("{found:?}\n{text}"));
    }
    (0..2).find_map(|k| {
        let all = pieces(&result, &format!("l{k}"));
        let [points] = &all[..] else {
            return Some(format!("{} curves l{k}\n{text}", all.len()));
        };
        let off = |p: &&BranchPoint| {
            let value = |name: &str| {
                let names = &curve(&result, "c").parameters;
                names.iter().position(|n| n == name).map(|i| p.record.parameters[i])
            };
            let own = others.map(|(name, _)| value(name).unwrap_or(f64::NAN));
            (value(amplitude).unwrap_or(f64::NAN) / (onset.law)(own) - 1.0).abs()
        };
        let worst = points.iter().map(off).fold(0.0, |a: f64, b| if b <= a { a } else { b });
        let reaches = |part: f64| {
            let end = part * others[k].1;
            points.iter().any(|p| (p.point.parameter() / end - 1.0).abs() <= 1e-9)
        };
        (!(worst <= 1e-9) || !reaches(0.7) || !reaches(1.4)).then(|| format!("l{k}: off by {worst:e}\n{text}"))
    })
}

/// A block on a spring under F cos(ω t + φ) begins to slip at F = μ.
#[test]
fn blocks_begin_to_slip_where_the_force_is_that_of_friction() {
    class("blocks that begin to slip", 8, |random| {
        let (omega, mu, phase) = (
            random.log_between(0.1, 20.0),
            random.log_between(1e-2, 1e2),
            phase(random),
        );
        let (mass, ratio) = (random.between(0.3, 3.0), random.between(0.3, 3.0));
        let stiffness = mass * (omega * ratio).powi(2);
        let damping = mass * omega * ratio * random.between(0.05, 0.4);
        let sign = if random.sign() > 0.0 { "+" } else { "-" };
        wrong(&Onset {
            system: format!(
                "Mechanical(coordinates: [\"x\"], parameters: {{\"F\": {mu:?}, \"w\": {omega:?}, \"mu\": {mu:?}}}, forcing: Forcing(period: \"2*pi/w\"), \
                 masses: {{\"x\": {mass:?}}}, springs: [Spring(on: \"x\", stiffness: {stiffness:?}, damping: {damping:?})], \
                 forces: {{\"x\": \"F*cos(w*t + ({phase:?}))\"}}, contacts: {{\"d\": Coulomb(on: \"x\", mu: \"mu\")}}, \
                 symmetry: {{\"x\": \"-x\", \"phase\": \"phase + pi\"}})"
            ),
            orbit: format!("Symmetric(\"d:slip{sign} d:stick\")"),
            stuck: None,
            amplitude: "F",
            others: [("mu", mu), ("w", omega)],
            law: Box::new(|[mu, _]| mu),
        })
    });
}

/// A body on a table shaken as A cos(ω t + φ), above it or hung below it, with a spring or without, lifts off where
/// A ω² = g.
#[test]
fn bodies_lift_off_where_their_table_accelerates_as_gravity_does() {
    class("bodies that lift off", 8, |random| {
        let (omega, g, phase) = (
            random.log_between(0.1, 20.0),
            random.log_between(1.0, 1e4),
            phase(random),
        );
        let mass = random.log_between(0.02, 50.0);
        let spring = if random.below(2) == 0 {
            0.0
        } else {
            mass * (omega * random.between(0.2, 0.6)).powi(2)
        };
        let (side, up) = if random.sign() > 0.0 {
            ("Below", 1.0)
        } else {
            ("Above", -1.0)
        };
        wrong(&Onset {
            system: format!(
                "Mechanical(coordinates: [\"y\"], parameters: {{\"A\": {:?}, \"w\": {omega:?}, \"g\": {g:?}}}, forcing: Forcing(period: \"2*pi/w\"), \
                 masses: {{\"y\": {mass:?}}}, forces: {{\"y\": \"{:?}*(A*w^2*cos(w*t + ({phase:?})) - g) - {spring:?}*y\"}}, \
                 contacts: {{\"T\": Gap(on: \"y\", side: {side}, restitution: 0)}}, start: {{\"y\": {:?}}})",
                g / (omega * omega),
                up * mass,
                0.1 * up * g / (omega * omega)
            ),
            orbit: "Periodic(\"T:open T:rest\")".into(),
            stuck: None,
            amplitude: "A",
            others: [("g", g), ("w", omega)],
            law: Box::new(|[g, omega]| g / (omega * omega)),
        })
    });
}

/// A damper with dry friction on an oscillator under F cos(ω t + φ) moves with it until the force that takes it along is
/// that of friction, μ = m₂ ω² |x|.
#[test]
fn friction_dampers_begin_to_slip_where_they_are_taken_along_too_fast() {
    class("friction dampers that begin to slip", 8, |random| {
        let (omega, mu, phase) = (
            random.log_between(0.3, 5.0),
            random.log_between(1e-2, 10.0),
            phase(random),
        );
        let (m, k, c) = (
            random.between(0.1, 0.5),
            random.between(0.5, 2.0) * omega * omega,
            random.between(0.05, 0.2) * omega,
        );
        let (own, inner) = (
            random.between(0.1, 0.5) * omega * omega,
            random.between(0.0, 0.05) * omega,
        );
        let law = move |[mu, w]: [f64; 2]| mu * (k - (1.0 + m) * w * w).hypot(c * w) / (m * w * w);
        let force = 0.9 * law([mu, omega]);
        // At phase zero, where the oscillator is at x = X cos(ω t + φ - lag).
        let (reach, lag) = (
            0.9 * mu / (m * omega * omega),
            (c * omega).atan2(k - (1.0 + m) * omega * omega),
        );
        let [x, v] = [reach * (phase - lag).cos(), -reach * omega * (phase - lag).sin()];
        let stuck = (
            "Symmetric(\"d:stick free\")".to_owned(),
            format!(
                "Guess(at: {{\"F\": {force:?}}}, states: [{{\"x\": {x:?}, \"y\": {x:?}, \"v_x\": {v:?}}}], durations: [{:?}])",
                PI / omega
            ),
        );
        wrong(&Onset {
            system: format!(
                "Mechanical(coordinates: [\"x\", \"y\"], parameters: {{\"F\": {:?}, \"w\": {omega:?}, \"mu\": {mu:?}}}, forcing: Forcing(period: \"2*pi/w\"), \
                 masses: {{\"x\": 1, \"y\": {m:?}}}, springs: [Spring(on: \"x\", stiffness: {k:?}, damping: {c:?}), \
                 Spring(on: \"y\", against: Coordinate(\"x\"), stiffness: {own:?}, damping: {inner:?})], \
                 forces: {{\"x\": \"F*cos(w*t + ({phase:?}))\"}}, contacts: {{\"d\": Coulomb(on: \"y\", against: Coordinate(\"x\"), mu: \"mu\")}}, \
                 symmetry: {{\"x\": \"-x\", \"y\": \"-y\", \"phase\": \"phase + pi\"}})",
                law([mu, omega])
            ),
            orbit: "Symmetric(\"d:slip- d:stick\")".into(),
            stuck: (random.below(2) == 0).then_some(stuck),
            amplitude: "F",
            others: [("mu", mu), ("w", omega)],
            law: Box::new(law),
        })
    });
}

/// A block that is held all along comes to rest while the force goes on: what the message says to write is followed up
/// to where it slips, F = μ.
#[test]
fn what_to_write_for_blocks_that_are_held_is_said() {
    class("blocks that are held", 6, |random| {
        let (omega, mu, phase) = (
            random.log_between(0.1, 20.0),
            random.log_between(1e-2, 1e2),
            phase(random),
        );
        let stiffness = random.between(0.3, 3.0);
        let kind = ["Symmetric(\"d:slip- d:stick\")", "Symmetric(\"d:stick free\")"][random.below(2)];
        let study = |orbit: &str, start: &str| {
            format!(
                "Study(title: \"held\", system: Mechanical(coordinates: [\"x\"], parameters: {{\"F\": {:?}, \"mu\": {mu:?}}}, \
                 forcing: Forcing(period: \"2*pi/{omega:?}\"), masses: {{\"x\": 1}}, springs: [Spring(on: \"x\", stiffness: {stiffness:?})], \
                 forces: {{\"x\": \"F*cos({omega:?}*t + ({phase:?}))\"}}, contacts: {{\"d\": Coulomb(on: \"x\", mu: \"mu\")}}, \
                 symmetry: {{\"x\": \"-x\", \"phase\": \"phase + pi\"}}), \
                 curves: [Curve(name: \"c\", orbit: {orbit}, start: {start}, free: \"F\", range: ({:?}, {:?}))])",
                0.5 * mu,
                0.2 * mu,
                2.0 * mu
            )
        };
        let text = study(kind, "Settle(at: {})");
        let result = run(&text);
        let said = result.missing.first().map_or("", |missing| &missing.reason);
        let quoted: Vec<&str> = said.split('`').collect();
        let after = |begin: &str| quoted.iter().find_map(|part| part.strip_prefix(begin));
        let (Some(orbit), Some(start)) = (after("orbit: "), after("start: ")) else {
            return Some(format!("{said}\n{text}"));
        };
        let text = study(orbit, start);
        let result = run(&text);
        let found = result.curves.first().map_or_else(Vec::new, labels);
        let right = matches!(found[..], [(Label::OV, at, _)] if (at / mu - 1.0).abs() <= 1e-10);
        (!right).then(|| format!("{found:?} {:?}\n{text}", result.missing))
    });
}

/// Fields that point away from a surface on both sides have pseudo-equilibria there from which no curve begins: that is
/// said, with the modes from which curves come to them, also where the equations of sliding have another solution,
/// where both fields cross the surface.
#[test]
fn pseudo_equilibria_in_escaping_regions_are_told_as_such() {
    class("pseudo-equilibria in escaping regions", 12, |random| {
        let [above, below] = [0, 1].map(|_| random.between(0.5, 2.0));
        let (rate, a, b) = (
            random.between(0.5, 2.0),
            random.between(-1.0, 1.0),
            random.between(-1.0, 1.0),
        );
        let y = (a / above + b / below) / (1.0 / above + 1.0 / below) / rate;
        // The other solution is (above + below)/slope or more to one side, at which x' < 0 on both sides.
        let slope = [-1.0, 0.0, 1.0][random.below(3)] * random.between(0.1, 0.2) * rate * (above + below);
        let starts = [
            "All(at: {\"q\": 0}, within: {\"y\": (-30, 30)})".to_owned(),
            format!("Guess(at: {{\"q\": 0}}, states: [{{\"y\": {y:?}}}])"),
        ];
        let text = format!(
            "Study(title: \"escaping\", system: Filippov(states: [\"x\", \"y\"], parameters: {{\"q\": 0}}, surfaces: {{\"s\": \"x\"}}, \
             fields: {{\"+\": [\"x' = {above:?} + ({slope:?})*(y - ({y:?}))\", \"y' = q + {a:?} - {rate:?}*y\"], \"-\": [\"x' = -{below:?}\", \"y' = q + {b:?} - {rate:?}*y\"]}}, \
             start: {{\"x\": 1}}), curves: [Curve(name: \"c\", orbit: EquilibriumIn(\"s0\"), start: {}, free: \"q\", range: (-1, 1))])",
            starts[random.below(2)]
        );
        let result = run(&text);
        let said = result.missing.first().map_or("", |missing| &missing.reason);
        let names = ["s+", "s-"].map(|mode| format!("EquilibriumIn(\"{mode}\")"));
        let right = said.contains("escaping region") && names.iter().all(|name| said.contains(name));
        (!right).then(|| format!("{said}\n{text}"))
    });
}
