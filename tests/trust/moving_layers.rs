//! Forced oscillators with regularised friction or a regularised relay, whose laws reach their limits as a power: the
//! layer in which the force changes sign moves along a curve by many times its width.
//!
//! The forcing is made for the orbit: x = X(phase + kA) has a layer of its own, in its acceleration, where its velocity
//! (friction) or itself (a relay) changes sign. Springs and dampers are passive, so that it is the one attractor; with a
//! relay, the product of its multipliers is that of the dampers alone.

use super::known::{curve, labels, none_wrong, run};
use super::random::{Random, members, members_at_least};
use slipstick_bifurcation::{BranchPoint, End};
use slipstick_study::CurveResult;
use std::f64::consts::TAU;

/// A curve takes about ten steps, and more where the layer moves by many times its width.
const MOST_POINTS: usize = 200;

/// X with amplitude `a` of its cosine, `b` of its layer and the width `h` of that.
struct Motion {
    friction: bool,
    b: f64,
    h: f64,
}

impl Motion {
    /// The study's definitions of X, and of its first two derivatives V and W, with frequency `w`.
    fn definitions(&self, w: f64, shift: f64) -> String {
        let Self { friction, b, h } = self;
        let (q, x, v, a) = if *friction {
            (
                format!("sqrt({h:?}^2 + s^2)"),
                format!("A*c + {b:?}/2*(s*q + {h:?}^2*ln(s/{h:?} + sqrt(1 + (s/{h:?})^2)))"),
                format!("-A*s + {b:?}*c*q"),
                format!("-A*c - {b:?}*s*q + {b:?}*c^2*s/q"),
            )
        } else {
            (
                format!("sqrt({h:?}^2 + c^2)"),
                format!("A*c + {b:?}*c*q"),
                format!("-A*s - {b:?}*s*q - {b:?}*c^2*s/q"),
                format!("-A*c + {b:?}*(-c*q + 3*c*s^2/q - c^3/q - c^3*s^2/q^3)"),
            )
        };
        format!(
            "\"th\": \"phase + ({shift:?})*A\", \"c\": \"cos(th)\", \"s\": \"sin(th)\", \"q\": \"{q}\", \"X\": \"{x}\", \
             \"V\": \"{w:?}*({v})\", \"W\": \"{w:?}^2*({a})\", \"Y\": \"0.5*A*s\""
        )
    }

    /// The largest |X|: where the velocity is zero.
    fn largest(&self, a: f64) -> f64 {
        let Self { friction, b, h } = *self;
        if !friction {
            return a + b * h.hypot(1.0);
        }
        let velocity = |s: f64| -a * s + b * (1.0 - s * s).sqrt() * h.hypot(s);
        let (mut low, mut high) = (0.0f64, 0.5f64);
        for _ in 0..100 {
            let middle = 0.5 * (low + high);
            *(if velocity(middle) > 0.0 { &mut low } else { &mut high }) = middle;
        }
        a * (1.0 - low * low).sqrt() + 0.5 * b * (low * h.hypot(low) + h * h * (low / h).asinh())
    }
}

#[test]
fn layers_of_laws_with_tails_move_along_curves() {
    let class = "moving layers";
    let count = members(16);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let epsilon = random.log_between(1e-3, 1e-1);
        let [friction, two, written] = [member % 2 == 0, (member / 2) % 2 == 1, (member / 4) % 2 == 1];
        let motion = Motion {
            friction,
            b: random.between(0.1, 0.3),
            h: epsilon * random.between(0.5, 2.0),
        };
        let (w, a, shift) = (
            random.between(0.6, 1.7),
            random.between(1.0, 2.0),
            random.between(-1.0, 1.0),
        );
        let (d, e, k) = (
            random.between(0.2, 0.4),
            random.between(0.2, 0.4),
            random.between(0.3, 1.0),
        );
        // A relay that is switched fast is a parametric excitation, below what the dampers take.
        let force = if friction {
            random.between(0.3, 1.0)
        } else {
            random.between(0.03, 0.1)
        };
        let (law, of): (_, fn(&str, f64) -> String) = match random.below(2) {
            0 => ("Algebraic", |z, e| format!("({z})/sqrt(({z})^2 + {e:?}^2)")),
            _ => ("Law(\"atan(s)*2/pi\")", |z, e| format!("2/pi*atan(({z})/{e:?})")),
        };
        let (own, known) = if friction { ("v", "V") } else { ("x", "X") };
        let met = if written { of(own, epsilon) } else { "sgn(f)".into() };
        let (mut rate, mut others, mut states) = (
            format!(
                "W - {d:?}*(v - V) - (x - X) - {force:?}*({met} - {})",
                of(known, epsilon)
            ),
            String::new(),
            "\"x\", \"v\"",
        );
        if two {
            rate += &format!(" - {k:?}*(x - X - y + Y)");
            others = format!(
                ", \"y' = u\", \"u' = 0.5*A*({:?}*c - {:?}*s) - {e:?}*u - {k:?}*(y - Y - x + X)\"",
                e * w,
                w * w
            );
            states = "\"x\", \"v\", \"y\", \"u\"";
        }
        let inner = format!(
            "states: [{states}], parameters: {{\"A\": {a:?}}}, forcing: Forcing(period: \"2*pi/{w:?}\"), define: {{{}}}, \
             equations: [\"x' = v\", \"v' = {rate}\"{others}]",
            motion.definitions(w, shift)
        );
        let system = match written {
            true => format!("Smooth({inner})"),
            false => format!(
                "Regularised(of: Filippov({inner}, surfaces: {{\"f\": \"{own}\"}}), by: {law}, epsilon: {epsilon:?})"
            ),
        };
        let text = format!(
            "Study(title: \"moving\", system: {system}, curves: [Curve(name: \"c\", orbit: PeriodicOrbit, \
             start: Settle(at: {{\"A\": {a:?}}}), free: \"A\", range: ({:?}, {:?}))])",
            a - 0.1,
            a + 0.1
        );
        let result = run(&text);
        if !result.missing.is_empty() {
            wrong.push((member, format!("{:?}\n{text}", result.missing)));
            continue;
        }
        let found = curve(&result, "c");
        let column = found.monitors.iter().position(|m| m == "max_abs_x").unwrap();
        let dampers = if two { d + e } else { d };
        let (mut size, mut product): (f64, f64) = (0.0, 0.0);
        for (_, _, p) in found.points() {
            let exact = motion.largest(p.point.parameter());
            size = size.max((p.record.monitors[column] - exact).abs() / exact);
            let all: f64 = p.record.multipliers.iter().map(|m| m.log10).sum();
            if !friction {
                product = product.max((all + dampers * TAU / w / f64::ln(10.0)).abs());
            }
        }
        let through = found.ends().iter().all(|e| **e == End::Range) && found.ends().len() == 2;
        let right =
            through && labels(found).is_empty() && found.len() <= MOST_POINTS && size <= 1e-7 && product <= 1e-7;
        if !right {
            wrong.push((
                member,
                format!(
                    "{} points, {}, sizes off by {size:e}, multipliers by {product:e}\n{text}",
                    found.len(),
                    found.ended()
                ),
            ));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Forced oscillators with dry friction that is regularised: the layer stays on a node of the mesh, wherever it moves
/// to, so that few points are enough. Orbits and multipliers are those found by shots, within what the columns `error`
/// and `liouville` say.
#[test]
fn layers_of_dry_friction_stay_on_nodes() {
    /// What the range takes without a layer is ten.
    const FEW: usize = 60;
    let class = "layers on nodes";
    let count = members_at_least(5);
    let (mut wrong, mut few, mut compared) = (vec![], 0, 0);
    for member in 0..count {
        let mut random = Random::of(class, member);
        let epsilon = random.log_between(5e-4, 1e-2);
        let law = ["Tanh", "Algebraic"][member % 2];
        let own = "free: \"w\", range: (0.9, 1.1), orbit: PeriodicOrbit, start: Settle(at: {\"w\": 1.0})";
        let text = format!(
            "Study(title: \"nodes\", system: Regularised(of: Filippov(states: [\"x\", \"v\"], parameters: {{\"w\": 1.0}}, \
             forcing: Forcing(period: \"2*pi/w\"), surfaces: {{\"f\": \"v\"}}, \
             equations: [\"x' = v\", \"v' = -{:?}*x - {:?}*v - {:?}*sgn(f) + cos(phase)\"]), by: {law}, epsilon: {epsilon:?}), \
             curves: [Curve(name: \"mesh\", {own}), Curve(name: \"shots\", {own}, method: Shooting())])",
            random.between(0.5, 3.0),
            random.between(0.05, 0.2),
            random.between(0.1, 0.5),
        );
        let result = run(&text);
        let found = curve(&result, "mesh");
        let through = found.ends().iter().all(|e| **e == End::Range) && found.ends().len() == 2;
        if !through {
            wrong.push((member, format!("{} points, {}\n{text}", found.len(), found.ended())));
            continue;
        }
        few += usize::from(found.len() <= FEW);
        let Some(shots) = result.curves.iter().find(|c| c.name == "shots") else {
            continue;
        };
        let ends = |found: &CurveResult| -> Vec<[f64; 5]> {
            let ends = found
                .points()
                .filter(|(_, _, p)| [0.9, 1.1].contains(&p.point.parameter()));
            let row = |(_, _, p): (_, _, &BranchPoint)| {
                let column = |name: &str| {
                    // Shots have no mesh, and no error of one.
                    let place = found.monitors.iter().position(|m| m == name);
                    place.map_or(0.0, |place| p.record.monitors[place])
                };
                let multiplier = p.record.multipliers[0].log10;
                [
                    p.point.parameter(),
                    column("max_abs_x"),
                    multiplier,
                    column("error"),
                    column("liouville"),
                ]
            };
            let mut ends: Vec<_> = ends.map(row).collect();
            ends.sort_by(|a, b| a[0].total_cmp(&b[0]));
            ends
        };
        for (a, b) in ends(found).iter().zip(&ends(shots)) {
            compared += 1;
            let (state, multiplier) = ((a[1] - b[1]).abs(), (a[2] - b[2]).abs());
            let right = a[0] == b[0] && state <= 1e-8 + 10.0 * a[3] && multiplier <= 1e-7 + a[4].abs();
            if !right || a[3] > 3e-8 || a[4].abs() > 1e-4 {
                wrong.push((member, format!("{a:?}, by shots {b:?}\n{text}")));
            }
        }
    }
    none_wrong(class, count, &wrong);
    assert!(
        3 * few >= 2 * count && compared >= count,
        "{few} of {count} with few points, {compared} ends compared"
    );
}
