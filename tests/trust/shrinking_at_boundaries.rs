//! Sliding cycles that shrink to a boundary focus, written down in coordinates and units of any kind: where they end, at
//! which place, and how long the last of them lasts, which is known from the equations without what is of higher order.

use super::known::{labels, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::{BranchPoint, End, Label};
use slipstick_study::CurveResult;
use std::f64::consts::PI;

/// (u, v)' = A (u, v) + b q + … where v > 0 (roughly), (e, g) + … where v < 0. What is left out is of second order in
/// (u, v, q) on the one side, of first order on the other.
struct BoundaryFocus {
    a: [[f64; 2]; 2],
    b: [f64; 2],
    other: [f64; 2],
    /// The sign of q where the focus is on its side, and the period of the cycle around it in the limit.
    sign: f64,
    period: f64,
}

impl BoundaryFocus {
    /// One with a cycle.
    fn random(random: &mut Random) -> Self {
        loop {
            let (alpha, omega) = (random.between(0.03, 0.35), random.between(0.5, 2.0));
            let (shear, skew) = (random.log_between(0.4, 2.5), random.between(-0.3, 0.3));
            let a = [
                [alpha + skew, -omega * shear],
                [(omega * omega + skew * skew) / (omega * shear), alpha - skew],
            ];
            let b = [random.between(-1.0, 1.0), random.between(-1.0, 1.0)];
            let other = [random.between(-1.0, 1.0), random.between(0.3, 1.5)];
            let (sign, period) = (1.0, 0.0);
            let mut made = Self {
                a,
                b,
                other,
                sign,
                period,
            };
            let height = made.rest(1.0)[1];
            made.sign = height.signum();
            if height.abs() < 0.15 {
                continue;
            }
            if let Some(period) = made.cycle(alpha, omega) {
                return Self { period, ..made };
            }
        }
    }

    /// The focus at q, but for what is of higher order.
    fn rest(&self, q: f64) -> [f64; 2] {
        let ([[a, b], [c, d]], [f, g]) = (self.a, self.b);
        let det = a * d - b * c;
        [-q * (d * f - b * g) / det, -q * (a * g - c * f) / det]
    }

    /// The period of the cycle, if there is one that nowhere slides much more slowly than elsewhere.
    fn cycle(&self, alpha: f64, omega: f64) -> Option<f64> {
        /// The least speed along the surface as a part of the largest.
        const CLEAR: f64 = 0.1;
        let (rest, [[a, b], [c, d]]) = (self.rest(self.sign), self.a);
        let drift = self.b.map(|b| self.sign * b);
        // It leaves the surface where the field is tangent to it, rises for half a turn and falls for less than another.
        let tangency = -drift[1] / c;
        let from = [tangency - rest[0], -rest[1]];
        let flowed = |t: f64| {
            let (sin, cos) = (omega * t).sin_cos();
            let turned = [(a - alpha) * from[0] + b * from[1], c * from[0] + (d - alpha) * from[1]];
            [0, 1].map(|i| rest[i] + (alpha * t).exp() * (cos * from[i] + sin / omega * turned[i]))
        };
        let (mut low, mut high) = (PI / omega, 2.0 * PI / omega);
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if flowed(middle)[1] > 0.0 {
                low = middle
            } else {
                high = middle
            }
        }
        let lands = flowed(low)[0];
        // Next to the boundary equilibrium the other field is constant, and much the faster one of both.
        let slope = self.other[0] / self.other[1];
        let speed = |u: f64| (a - c * slope) * u + drift[0] - drift[1] * slope;
        let [at_landing, at_tangency] = [lands, tangency].map(speed);
        let (least, most) = (at_landing.min(at_tangency), at_landing.max(at_tangency));
        if lands >= tangency || least < CLEAR * most {
            return None;
        }
        let growth = at_tangency / at_landing - 1.0;
        let mean = if growth.abs() < 1e-9 {
            1.0
        } else {
            growth.ln_1p() / growth
        };
        Some(low + (tangency - lands) / at_landing * mean)
    }
}

/// How it is written down: x = c + M (u, v) with a unit for each state and one of time, q = (mu - m)/P.
struct Written {
    matrix: [[f64; 2]; 2],
    place: [f64; 2],
    units: [f64; 2],
    m: f64,
    scale: f64,
    time: f64,
    text: String,
}

/// Which of the terms of second order, or of first, with coefficients of up to `size`.
fn terms(random: &mut Random, size: f64, of: &[&str]) -> String {
    let parts = of
        .iter()
        .map(|term| format!("({:?})*{term}", random.between(-size, size)));
    parts.collect::<Vec<_>>().join(" + ")
}

impl Written {
    fn random(focus: &BoundaryFocus, random: &mut Random, driven: bool) -> Self {
        const SECOND: [&str; 6] = ["u^2", "u*v", "v^2", "u*q", "v*q", "q^2"];
        const FIRST: [&str; 3] = ["u", "v", "q"];
        let (turn, stretch) = (random.between(0.0, 2.0 * PI), random.log_between(0.3, 3.0));
        let (sin, cos) = turn.sin_cos();
        let mirror = random.sign();
        let units = [random.log_between(1e-3, 1e3), random.log_between(1e-3, 1e3)];
        let matrix = [
            [cos * units[0], -sin * stretch * mirror * units[0]],
            [sin * units[1], cos * stretch * mirror * units[1]],
        ];
        let place = units.map(|unit| unit * random.between(-2.0, 2.0));
        let (scale, time) = (random.log_between(1e-2, 1e2), random.log_between(1e-2, 1e2));
        let m = scale * random.between(-1.0, 1.0);
        let det = matrix[0][0] * matrix[1][1] - matrix[0][1] * matrix[1][0];
        let inverse = |row: [f64; 2]| {
            let part = |i: usize, state: &str| format!("({:?})*({state} - ({:?}))", row[i] / det, place[i]);
            format!("{} + {}", part(0, "x"), part(1, "y"))
        };
        let form =
            |row: [f64; 2], own: f64, more: &str| format!("({:?})*u + ({:?})*v + ({own:?})*q + {more}", row[0], row[1]);
        let [f, g] = [0, 1].map(|i| form(focus.a[i], focus.b[i], &terms(random, 0.3, &SECOND)));
        let [k, l] = focus.other.map(|e| format!("({e:?}) + {}", terms(random, 0.3, &FIRST)));
        let side = random.sign();
        let height = format!(
            "({:?})*(v + {})",
            side * random.log_between(1e-2, 1e2),
            terms(random, 0.2, &SECOND)
        );
        let third = if driven { ", \"z' = (u*w - z)/w\"" } else { "" };
        let rates = |f: &str, g: &str| {
            let row = |i: usize| {
                let [a, b] = matrix[i].map(|m| m / time);
                format!("\"{}' = ({a:?})*{f} + ({b:?})*{g}\"", ["x", "y"][i])
            };
            let mut both = [row(0), row(1)];
            if side < 0.0 {
                both.reverse();
            }
            format!("[{}{third}]", both.join(", "))
        };
        let [own, other] = [rates("f", "g"), rates("k", "l")];
        let (plus, minus) = if side > 0.0 { (own, other) } else { (other, own) };
        let mode = if side > 0.0 { "h+" } else { "h-" };
        let order = match (side > 0.0, driven) {
            (true, false) => "\"x\", \"y\"",
            (true, true) => "\"x\", \"y\", \"z\"",
            (false, false) => "\"y\", \"x\"",
            (false, true) => "\"y\", \"x\", \"z\"",
        };
        let q = 0.1 * focus.sign;
        let rest = focus.rest(q);
        let inside = [rest[0] + 0.3 * rest[1], rest[1]];
        let at = [0, 1].map(|i| place[i] + matrix[i][0] * inside[0] + matrix[i][1] * inside[1]);
        let third = if driven {
            format!(", \"z\": {:?}", inside[0])
        } else {
            String::new()
        };
        let mu = m + scale * q;
        let text = format!(
            "Study(title: \"focus\", system: Filippov(states: [{order}], parameters: {{\"mu\": {mu:?}, \"w\": {time:?}}}, \
             define: {{\"q\": \"(mu - ({m:?}))/({scale:?})\", \"u\": \"{}\", \"v\": \"{}\", \"f\": \"{f}\", \"g\": \"{g}\", \"k\": \"{k}\", \"l\": \"{l}\"}}, \
             surfaces: {{\"h\": \"{height}\"}}, fields: {{\"+\": {plus}, \"-\": {minus}}}, \
             start: {{\"x\": {:?}, \"y\": {:?}{third}}}), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"{mode} h0\"), start: Settle(at: {{\"mu\": {mu:?}}}), free: \"mu\", range: ({:?}, {:?}))])",
            inverse([matrix[1][1], -matrix[0][1]]),
            inverse([-matrix[1][0], matrix[0][0]]),
            at[0],
            at[1],
            m - 0.3 * scale,
            m + 0.3 * scale,
        );
        Self {
            matrix,
            place,
            units,
            m,
            scale,
            time,
            text,
        }
    }

    /// What is wrong with the end of the cycles.
    fn fault(&self, focus: &BoundaryFocus, own: &CurveResult, end: &BranchPoint) -> Option<String> {
        let off = (end.point.parameter() - self.m).abs() / self.scale;
        let extreme = |name: &str| {
            let column = own.monitors.iter().position(|m| m == name).unwrap();
            end.record.monitors[column]
        };
        let size = |i: usize| self.matrix[i].iter().fold(self.units[i], |m, v| m.max(v.abs()));
        let apart = ["x", "y"].into_iter().enumerate().flat_map(|(i, state)| {
            ["max", "min"].map(|kind| (extreme(&format!("{state}_{kind}")) - self.place[i]).abs() / size(i))
        });
        let apart = apart.fold(0.0, f64::max);
        let period = (end.record.period / self.time / focus.period - 1.0).abs();
        let right = off <= 1e-9 && apart <= 1e-9 && period <= 1e-7 && end.record.stable();
        (!right).then(|| format!("off by {off:.1e}, {apart:.1e} away, period off by {period:.1e}"))
    }
}

/// They end at the boundary equilibrium, whichever way the system is written, and nothing else is said next to it.
#[test]
fn sliding_cycles_end_at_the_boundary_focus_that_they_shrink_to() {
    let class = "sliding cycles that shrink to a boundary focus";
    let count = members(24);
    let (mut wrong, mut unsettled) = (vec![], 0);
    for member in 0..count {
        let mut random = Random::of(class, member);
        let focus = BoundaryFocus::random(&mut random);
        let written = Written::random(&focus, &mut random, member % 3 == 2);
        let result = run(&written.text);
        let Some(own) = result.curves.first() else {
            unsettled += 1;
            eprintln!("member {member}: {:?}\n{}", result.missing, written.text);
            continue;
        };
        let found = labels(own);
        let near = |mu: f64| (mu - written.m).abs() <= 1e-3 * written.scale;
        let here: Vec<&(Label, f64, &BranchPoint)> = found.iter().filter(|(_, mu, _)| near(*mu)).collect();
        let ends = own.pieces.iter().flat_map(|p| &p.branch.ends);
        let shrunk = ends.filter(|end| matches!(end, End::Shrunk { .. })).count();
        let fault = match here[..] {
            [&(Label::BE, _, end)] if shrunk == 1 => written.fault(&focus, own, end),
            _ => Some(format!("{shrunk} shrunk, {}", own.special())),
        };
        if let Some(fault) = fault {
            wrong.push((member, format!("{fault}\n{}", written.text)));
        }
    }
    assert!(
        unsettled <= count.div_ceil(6),
        "{unsettled} of {count} without a cycle at the start"
    );
    none_wrong(class, count, &wrong);
}
