//! Cycles of autonomous systems with a corner, which are computed by shooting: in any units of the states and of time
//! the curve goes from one end of its range to the other once, as closed forms say; within a mode of a hybrid system, too.

use super::known::{curve, labels, none_wrong, run};
use super::random::{Random, members};

/// x' = τ x - y, y' = δ x - a, with τ and δ of their own for x > 0 and for x < 0: both zones are foci.
#[derive(Clone, Copy, Debug)]
struct Zones {
    tau: [f64; 2],
    delta: [f64; 2],
    a: f64,
}

impl Zones {
    /// One that has an attracting cycle through both zones for τ of the right zone between the two values.
    fn random(random: &mut Random) -> (Self, (f64, f64)) {
        let mut zones = Self {
            tau: [-random.between(0.3, 0.9), 0.0],
            delta: [random.between(0.6, 1.4), random.between(0.6, 1.4)],
            a: random.between(0.2, 0.8),
        };
        // The right zone expands by less than the left one contracts: τ/ω is less there.
        let ratio = -zones.tau[0] / (4.0 * zones.delta[0] - zones.tau[0] * zones.tau[0]).sqrt();
        let most = ratio * (4.0 * zones.delta[1] / (1.0 + ratio * ratio)).sqrt();
        let range = (random.between(0.1, 0.3) * most, random.between(0.7, 0.85) * most);
        zones.tau[1] = 0.5 * (range.0 + range.1);
        (zones, range)
    }

    /// Where the motion from (0, y) through a zone crosses x = 0 again, and when.
    fn crossing(&self, zone: usize, y: f64) -> (f64, f64) {
        let (tau, delta) = (self.tau[zone], self.delta[zone]);
        let alpha = 0.5 * tau;
        let omega = (delta - alpha * alpha).sqrt();
        let rest = [self.a / delta, tau * self.a / delta];
        let start = [-rest[0], y - rest[1]];
        let at = |t: f64| {
            let (s, c) = (omega * t).sin_cos();
            let s = s / omega;
            let grown = (alpha * t).exp();
            [
                rest[0] + grown * (c * start[0] + s * (alpha * start[0] - start[1])),
                rest[1] + grown * (c * start[1] + s * (delta * start[0] - alpha * start[1])),
            ]
        };
        let side = if zone == 1 { 1.0 } else { -1.0 };
        let step = 0.05 / omega;
        let mut low = step;
        while side * at(low + step)[0] > 0.0 {
            low += step;
        }
        let mut high = low + step;
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if side * at(middle)[0] > 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        (high, at(high)[1])
    }

    /// Period and logarithm of the multiplier of the cycle.
    fn cycle(&self) -> (f64, f64) {
        let back = |y: f64| self.crossing(0, self.crossing(1, y).1).1 - y;
        // The secant method, from two states on one side of the cycle.
        let (mut before, mut y) = (-1.0, -1.0 + back(-1.0));
        while (y - before).abs() > 1e-13 * y.abs() {
            let (off, was) = (back(y), back(before));
            (before, y) = (y, y - off * (y - before) / (off - was));
        }
        let (right, above) = self.crossing(1, y);
        let (left, _) = self.crossing(0, above);
        (right + left, self.tau[1] * right + self.tau[0] * left)
    }

    /// The factors of x in both equations, the first with the parameter `tau`, in one of three ways to write corners.
    fn written(&self, way: usize, unit: f64) -> [String; 2] {
        let of = |left: String, right: String| match way {
            0 => format!("if(x > 0, {right}, {left})*(x/{unit:?})"),
            1 => format!("(({right})*max(x, 0) + ({left})*min(x, 0))/{unit:?}"),
            _ => format!("0.5*(({right})*(x + abs(x)) + ({left})*(x - abs(x)))/{unit:?}"),
        };
        [
            of(format!("{:?}", self.tau[0]), "tau".into()),
            of(format!("{:?}", self.delta[0]), format!("{:?}", self.delta[1])),
        ]
    }
}

#[test]
fn cycles_with_corners_are_traced_once_in_any_units() {
    are_traced_once("cycles with corners in other units", 12, false);
}

#[test]
fn cycles_with_corners_within_a_mode_are_traced_once_in_any_units() {
    are_traced_once("cycles with corners within a mode, in other units", 12, true);
}

fn are_traced_once(class: &str, drawn: usize, within_a_mode: bool) {
    let count = members(drawn);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (zones, range) = Zones::random(&mut random);
        let [x, y, z] = [0; 3].map(|_| random.log_between(1e-4, 1e4));
        let time = random.log_between(1e-3, 1e3);
        let [slope, force] = zones.written(member % 3, x);
        let mut states = vec!["\"x\"", "\"y\""];
        let mut equations = vec![
            format!("x' = ({:?})*({slope} - y/({y:?}))", x / time),
            format!("y' = ({:?})*({force} - ({:?}))", y / time, zones.a),
        ];
        if random.below(2) == 1 {
            // Beside it a state that it drives.
            states.push("\"z\"");
            equations.push(format!("z' = ({:?})*(x/({x:?}) - 2*z/({z:?}))", z / time));
        }
        if random.below(2) == 1 {
            states.reverse();
            equations.reverse();
        }
        let method = ["", "method: Shooting(shots: 1), ", "method: Shooting(), "][random.below(3)];
        let (kind, surfaces, orbit) = if within_a_mode {
            // A field that jumps where no cycle comes.
            let first = equations.iter_mut().find(|e| e.starts_with("x'"));
            first
                .into_iter()
                .for_each(|e| e.push_str(&format!(" - ({:?})*heaviside(s)", x / time)));
            let far = format!("surfaces: {{\"s\": \"x - {:?}\"}}, ", 1e3 * x);
            ("Filippov", far, "Periodic(\"s- free\")")
        } else {
            ("Smooth", String::new(), "PeriodicOrbit")
        };
        let equations: Vec<String> = equations.iter().map(|e| format!("{e:?}")).collect();
        let text = format!(
            "Study(title: \"corner\", system: {kind}(states: [{}], parameters: {{\"tau\": {:?}}}, {surfaces}equations: [{}], start: {{\"x\": {x:?}}}), \
             curves: [Curve(name: \"c\", orbit: {orbit}, start: Settle(at: {{\"tau\": {:?}}}), {method}free: \"tau\", range: {range:?})])",
            states.join(", "),
            zones.tau[1],
            equations.join(", "),
            zones.tau[1],
        );
        let result = run(&text);
        let traced = curve(&result, "c");
        let mut off = vec![];
        if !labels(traced).is_empty() {
            off.push(format!(
                "labels {:?}",
                labels(traced).iter().map(|l| (l.0, l.1)).collect::<Vec<_>>()
            ));
        }
        let at: Vec<f64> = traced.points().map(|(_, _, p)| p.point.parameter()).collect();
        let once = at.is_sorted() || at.iter().rev().is_sorted();
        let ends = [
            at.iter().copied().fold(f64::MAX, f64::min),
            at.iter().copied().fold(f64::MIN, f64::max),
        ];
        if !once || ends != [range.0, range.1] || at.len() > 300 {
            off.push(format!(
                "{} points between {ends:?} of {range:?}, once: {once}",
                at.len()
            ));
        }
        for (_, _, point) in traced.points().step_by(10) {
            let known = Zones {
                tau: [zones.tau[0], point.point.parameter()],
                ..zones
            };
            let (period, log) = known.cycle();
            let found = point
                .record
                .multipliers
                .iter()
                .map(|m| m.log10 * std::f64::consts::LN_10);
            let nearest = found.map(|m| (m - log).abs()).fold(f64::MAX, f64::min);
            let late = (point.record.period / time / period - 1.0).abs();
            if late > 1e-9 || nearest > 1e-7 {
                off.push(format!(
                    "at {:?} the period is off by {late:.1e}, the multiplier by {nearest:.1e}",
                    known.tau[1]
                ));
            }
        }
        if !off.is_empty() {
            wrong.push((member, format!("{}\n{text}", off.join("; "))));
        }
    }
    none_wrong(class, count, &wrong);
}
