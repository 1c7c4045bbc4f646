//! Equilibria of hybrid systems written by hand, whose events have side conditions: where their modes end.

use super::known::{curve, labels, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::Label;
use slipstick_study::CurveResult;

/// All labels of a curve, with their places.
fn places(curve: &CurveResult) -> Vec<(Label, f64)> {
    labels(curve).iter().map(|l| (l.0, l.1)).collect()
}

/// A body that a force F pulls against friction μ (1 - b v) and a damper c, which is part of what must overcome the
/// friction, and a state that follows it or that pulls as well: at rest in slip at v = (F - μ)/(c - b μ), on its side
/// of v = 0 only, whatever the conditions of the events say beyond.
#[test]
fn friction_that_weakens_bounds_slip_where_the_velocity_vanishes() {
    let class = "friction by hand";
    let count = members(8);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (mu, c) = (random.between(0.5, 2.0), random.between(0.5, 1.5));
        // Below one the velocity grows with the force, above it falls.
        let weakening = if member % 2 == 0 {
            random.between(0.1, 0.8)
        } else {
            random.between(1.2, 2.0)
        };
        let slope = weakening * c / mu;
        let (unit, side) = (random.log_between(1e-3, 1e3), random.sign());
        let pulls = c * random.between(-0.1, 0.1) * f64::from(u8::from(member % 3 == 0));
        // The state y follows v; with `pulls` its part of the pull moves what v is at rest, not where it vanishes.
        let (v, y) = (format!("({:?}*v)", side / unit), format!("({:?}*y)", 1.0 / unit));
        let pull = format!("(F - {c:?}*{v} - ({pulls:?})*{y})");
        let (up, down) = if side > 0.0 { ("Up", "Down") } else { ("Down", "Up") };
        let rates = |sign: f64| {
            format!(
                "[\"v' = {:?}*({pull} - ({:?})*(1 - {slope:?}*({sign:?})*{v}))\", \"y' = {unit:?}*({v} - {y})\"]",
                side * unit,
                sign * mu
            )
        };
        let text = format!(
            "Study(title: \"friction\", system: Hybrid(states: [\"v\", \"y\"], parameters: {{\"F\": {:?}}}, modes: {{\
             \"slip+\": Mode(equations: {}, events: {{\
             \"land\": Event(guard: \"v\", direction: {down}, when: [\"-({mu:?}) < {pull} < {mu:?}\"], to: \"stick\"), \
             \"reverse\": Event(guard: \"v\", direction: {down}, when: [\"{pull} < -({mu:?})\"], to: \"slip-\")}}), \
             \"slip-\": Mode(equations: {}, events: {{\
             \"land\": Event(guard: \"v\", direction: {up}, when: [\"-({mu:?}) < {pull} < {mu:?}\"], to: \"stick\"), \
             \"reverse\": Event(guard: \"v\", direction: {up}, when: [\"{pull} > {mu:?}\"], to: \"slip+\")}}), \
             \"stick\": Mode(kind: Stick, states: [\"y\"], absent: {{\"v\": \"0\"}}, equations: [\"y' = -y\"], events: {{\
             \"release+\": Event(guard: \"{pull} - {mu:?}\", direction: Up, to: \"slip+\"), \
             \"release-\": Event(guard: \"{pull} + {mu:?}\", direction: Down, to: \"slip-\")}})}}, \
             start: Start(mode: \"slip+\", at: {{\"v\": {:?}}})), \
             curves: [Curve(name: \"c\", orbit: EquilibriumIn(\"slip+\"), start: Guess(at: {{\"F\": {:?}}}, \
             states: [{{\"v\": {:?}, \"y\": {:?}}}]), free: \"F\", range: ({:?}, {:?}))])",
            1.5 * mu,
            rates(1.0),
            rates(-1.0),
            side * unit,
            if weakening < 1.0 { 1.5 * mu } else { 0.5 * mu },
            side * unit * 0.5,
            unit * 0.5,
            0.1 * mu,
            2.0 * mu,
        );
        let result = run(&text);
        if result.curves.is_empty() {
            wrong.push((member, format!("{:?}\n{text}", result.missing)));
            continue;
        }
        let found = curve(&result, "c");
        let ends = places(found);
        let borders: Vec<f64> = ends.iter().filter(|l| l.0 == Label::BE).map(|l| l.1).collect();
        // v of every point, on its side up to rounding.
        let beyond = found
            .points()
            .any(|(_, _, p)| side * p.point.z[0] < -1e-9 * unit && p.point.z.len() > 2);
        let other = ends.iter().any(|l| matches!(l.0, Label::LP | Label::HB | Label::BP));
        let right = borders.len() == 1 && (borders[0] - mu).abs() < 1e-9 * mu;
        if !right || beyond || other {
            wrong.push((member, format!("{ends:?}, beyond: {beyond}, μ = {mu}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// A guard that counts on a part of its surface only: equilibria pass it where motions do.
#[test]
fn equilibria_pass_guards_where_motions_do() {
    let class = "open guards";
    let count = members(8);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (rate, turn) = (random.between(0.5, 2.0), random.between(-1.0, 1.0));
        let (height, unit) = (random.between(0.3, 1.0), random.log_between(1e-3, 1e3));
        // The equilibrium (p, h) passes x = 0 where y is above or below zero, and the event is possible below.
        let side = if member % 2 == 0 { 1.0 } else { -1.0 };
        let text = format!(
            "Study(title: \"open\", system: Hybrid(states: [\"x\", \"y\"], parameters: {{\"p\": 0.5}}, modes: {{\
             \"a\": Mode(equations: [\"x' = -({rate:?})*(x - {unit:?}*p) - ({turn:?})*(y - ({h:?}))\", \"y' = ({turn:?})*(x - {unit:?}*p) - ({rate:?})*(y - ({h:?}))\"], \
             events: {{\"out\": Event(guard: \"x\", direction: Down, when: [\"y < 0\"], to: \"b\")}}), \
             \"b\": Mode(equations: [\"x' = {unit:?}\", \"y' = 0\"], events: {{\"back\": Event(guard: \"x\", direction: Up, to: \"a\")}})}}, \
             start: Start(mode: \"a\", at: {{\"x\": {unit:?}}})), \
             curves: [Curve(name: \"c\", orbit: EquilibriumIn(\"a\"), start: Guess(at: {{\"p\": 0.5}}, states: [{{\"x\": {:?}, \"y\": {h:?}}}]), \
             free: \"p\", range: (-1, 1))])",
            0.5 * unit,
            h = side * height * unit,
        );
        let result = run(&text);
        if result.curves.is_empty() {
            wrong.push((member, format!("{:?}\n{text}", result.missing)));
            continue;
        }
        let found = curve(&result, "c");
        let borders: Vec<f64> = places(found).iter().filter(|l| l.0 == Label::BE).map(|l| l.1).collect();
        let right = if side > 0.0 {
            borders.is_empty() && found.covered() == (-1.0, 1.0)
        } else {
            borders.len() == 1 && borders[0].abs() < 1e-9
        };
        if !right {
            wrong.push((member, format!("{:?} {:?}\n{text}", places(found), found.covered())));
        }
    }
    none_wrong(class, count, &wrong);
}
