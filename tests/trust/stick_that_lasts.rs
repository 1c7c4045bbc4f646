//! Dry friction that sticks all along while the amplitude of a force passes zero, x(t; -F) = x(t + π/ω; F): slip begins
//! at a known amplitude on both sides, once or both ways at the same instant, and the curve goes on there. Coming from
//! slip, it passes through the same: what slip alone excites vanishes there.

use super::known::{curve, labels, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::Label;

/// A body with nothing but damping and dry friction, and an oscillator.
struct Body {
    damping: f64,
    friction: f64,
    omega: f64,
    mass: f64,
    stiffness: f64,
    own_damping: f64,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// On a belt of this speed, with the oscillator mounted on it; both are forced, or the body alone.
    OnBelt { speed: f64, both: bool },
    /// On the oscillator, which is forced: stick has no side, so that both slips begin at once.
    OnOscillator,
}

impl Body {
    fn random(random: &mut Random) -> Self {
        let kind = match random.below(3) {
            0 => Kind::OnOscillator,
            one => Kind::OnBelt {
                speed: random.between(0.05, 0.5),
                both: one == 1,
            },
        };
        Self {
            damping: random.between(0.02, 0.3),
            friction: random.between(0.2, 0.6),
            omega: random.between(0.4, 1.8),
            mass: random.between(0.3, 1.5),
            stiffness: random.between(0.3, 2.0),
            own_damping: random.between(0.05, 0.2),
            kind,
        }
    }

    /// The amplitude of the force at which the friction that stick asks for, in closed form, is as large as it may be.
    fn onset(&self) -> f64 {
        let Self {
            damping: c,
            friction,
            omega: w,
            mass: m,
            stiffness: k,
            own_damping: d,
            ..
        } = *self;
        let size = |re: f64, im: f64| re.hypot(im);
        match self.kind {
            // The body follows the belt: F cos ωt - c v₀, and what the oscillator adds as it swings.
            Kind::OnBelt { speed, both } => {
                // |1 + m ω²/(k - m ω² + i d ω)|
                let (re, im) = (k - m * w * w, d * w);
                let gain = if both { size(k, im) / size(re, im) } else { 1.0 };
                (friction - c * speed) / gain
            }
            // Both move as one: (1 + m) y'' + (c + d) y' + k y = F cos ωt, and friction moves the body.
            Kind::OnOscillator => friction * size(k - (1.0 + m) * w * w, (c + d) * w) / size(w * w, c * w),
        }
    }

    fn study(&self, start: &str, reach: f64) -> String {
        let Self {
            damping: c,
            friction: mu,
            omega: w,
            mass: m,
            stiffness: k,
            own_damping: d,
            ..
        } = self;
        let force = "\"F*cos(w*t)\"";
        let (parts, forces, contact) = match self.kind {
            Kind::OnBelt { speed, both } => (
                format!(
                    "M: [[{:?}, {m:?}], [{m:?}, {m:?}]], springs: [Spring(on: \"x\", damping: {c:?}), Spring(on: \"y\", stiffness: {k:?}, damping: {d:?})]",
                    1.0 + m
                ),
                match both {
                    true => format!("\"x\": {force}, \"y\": {force}"),
                    false => format!("\"x\": {force}"),
                },
                format!("Belt({speed:?})"),
            ),
            Kind::OnOscillator => (
                format!(
                    "masses: {{\"x\": 1, \"y\": {m:?}}}, springs: [Spring(on: \"x\", damping: {c:?}), Spring(on: \"y\", stiffness: {k:?}, damping: {d:?})]"
                ),
                format!("\"y\": {force}"),
                "Coordinate(\"y\")".to_owned(),
            ),
        };
        format!(
            "Study(title: \"stick\", system: Mechanical(coordinates: [\"x\", \"y\"], cyclic: [\"x\"], parameters: {{\"F\": 0, \"w\": {w:?}}}, \
             forcing: Forcing(period: \"2*pi/w\"), {parts}, forces: {{{forces}}}, \
             contacts: {{\"a\": Coulomb(on: \"x\", against: {contact}, mu: {mu:?})}}), \
             curves: [Curve(name: \"c\", {start}, free: \"F\", range: ({:?}, {reach:?}), switch: Auto)])",
            -reach
        )
    }

    /// From stick without any force.
    fn text_from_stick(&self, reach: f64) -> String {
        let state = match self.kind {
            Kind::OnBelt { .. } => "\"y\": 0, \"v_y\": 0",
            Kind::OnOscillator => "\"y\": 0, \"v_x\": 0",
        };
        let period = std::f64::consts::TAU / self.omega;
        self.study(
            &format!(
                "orbit: Periodic(\"a:stick\"), start: Guess(at: {{\"F\": 0}}, states: [{{{state}}}], durations: [{period:?}])"
            ),
            reach,
        )
    }
}

#[test]
fn curves_through_stick_go_on_in_slip_on_both_sides() {
    let class = "stick that lasts";
    let count = members(3);
    let mut wrong = vec![];
    let mut both_ways = 0;
    for member in 0..count {
        let mut random = Random::of(class, member);
        let body = Body::random(&mut random);
        let onset = body.onset();
        let reach = onset * random.between(1.15, 1.4);
        let mut said = vec![];
        let mut check = |text: &str| {
            let result = run(text);
            let Some(found) = result.curves.iter().find(|c| c.name == "c") else {
                return said.push(format!("{:?}\n{text}", result.missing));
            };
            let places: Vec<f64> = labels(found).iter().map(|(_, at, _)| *at).collect();
            // What there is at F is there at -F.
            let mirrored = |at: &f64| places.iter().any(|other| (at + other).abs() <= 1e-8 * onset);
            let begins = [onset, -onset].map(|f| places.iter().any(|at| (at - f).abs() <= 1e-8 * onset));
            let inside = places.iter().any(|at| at.abs() < (1.0 - 1e-8) * onset);
            let ends: Vec<_> = found.points().filter(|(_, _, p)| p.label == Some(Label::EP)).collect();
            let through = ends.len() == 2 && ends.iter().all(|(_, _, p)| p.point.parameter().abs() == reach);
            if !through || begins != [true, true] || inside || !places.iter().all(mirrored) {
                let all: Vec<_> = labels(found)
                    .iter()
                    .map(|(l, at, p)| (*l, at / onset, p.message.clone()))
                    .collect();
                said.push(format!("{through} {begins:?} {all:#?}\n{text}"));
            }
        };
        check(&body.text_from_stick(reach));
        both_ways += usize::from(body.kind == Kind::OnOscillator);
        // The same from slip, if the motion comes to a word that can be asked for.
        let settle = |word: &str| {
            body.study(
                &format!(
                    "orbit: Periodic(\"{word}\"), start: Settle(at: {{\"F\": {:?}}})",
                    0.98 * reach
                ),
                reach,
            )
        };
        let missing = format!("{:?}", run(&settle("a:slip+")).missing);
        if let Some(word) = missing
            .split("with word `")
            .nth(1)
            .and_then(|rest| rest.split('`').next())
        {
            check(&settle(word));
        }
        if !said.is_empty() {
            wrong.push((member, said.join("\n")));
        }
    }
    none_wrong(class, count, &wrong);
    assert!(both_ways > 0, "no slip begins both ways");
}

/// x'' + c x' + x = F cos ωt with dry friction: slip dies out where F is as large as friction, and with it the place of
/// the mass comes to zero.
#[test]
fn slip_dies_out_where_the_force_is_as_large_as_friction() {
    let class = "slip that dies out";
    let count = members(4);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (w, c) = (random.between(0.3, 0.9), random.between(0.02, 0.3));
        let (mu, state) = (random.between(0.1, 0.5), random.log_between(1e-2, 1e2));
        let (friction, force) = (mu * state, mu * state * random.between(1.05, 1.25));
        let study = |word: &str| {
            format!(
                "Study(title: \"slip\", system: Mechanical(coordinates: [\"x\"], parameters: {{\"F\": {force:?}}}, forcing: Forcing(period: \"2*pi/{w:?}\"), \
                 masses: {{\"x\": 1}}, springs: [Spring(on: \"x\", stiffness: 1, damping: {c:?})], forces: {{\"x\": \"F*cos({w:?}*t)\"}}, \
                 contacts: {{\"a\": Coulomb(on: \"x\", mu: {friction:?})}}), curves: [Curve(name: \"c\", orbit: Periodic(\"{word}\"), \
                 start: Settle(at: {{\"F\": {force:?}}}), free: \"F\", range: ({:?}, {:?}), switch: Auto)])",
                0.5 * friction,
                1.2 * force
            )
        };
        let text = study("a:slip+ a:land a:stick a:release- a:slip- a:land a:stick a:release+");
        let result = run(&text);
        let first = result.curves.first().and_then(|found| {
            let found = curve(&result, &found.name);
            found.points().next().map(|(_, _, p)| p)
        });
        let right = first.is_some_and(|p| {
            let there = (p.point.parameter() / friction - 1.0).abs() <= 1e-9;
            p.label == Some(Label::VS) && there && p.message.contains("vanish together: beyond, `a:stick` lasts")
        });
        if !right {
            let first = first.map(|p| (p.label, p.point.parameter() / friction, p.message.clone()));
            wrong.push((member, format!("{first:?} {:?}\n{text}", result.missing)));
        }
    }
    none_wrong(class, count, &wrong);
}
