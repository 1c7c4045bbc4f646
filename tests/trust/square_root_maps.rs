//! Maps with a root on one side of their border, Nordmark's and others, in one and two dimensions, however the sides are
//! written: a root may stand in a branch of a condition that is not taken where the curve comes from.

use super::known::{Verdict, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::{End, Label};

/// x+ = a x + y + q where x < 0, -k x^p + y + q where x > 0, and y+ = g x or h x.
struct RootMap {
    power: f64,
    k: f64,
    a: f64,
    /// In two dimensions.
    plane: Option<(f64, f64)>,
    /// Scales of the states, with a sign, and of the parameter.
    scale: f64,
    parameter: f64,
}

impl RootMap {
    /// What is wrong with the only curve of a study that ought to have the labels of this map over the whole range.
    fn amiss(&self, text: &str, range: (f64, f64)) -> Option<String> {
        let result = run(text);
        let Some(found) = result.curves.first() else {
            return Some(format!("{:?}\n{text}", result.missing));
        };
        let said = super::known::labels(found);
        let said: Vec<(Label, f64)> = said.iter().map(|l| (l.0, l.1 / self.parameter)).collect();
        let verdict = Verdict::of(&said, &self.known(range), 1e-9);
        let ends = found.ends().iter().all(|end| matches!(end, End::Range));
        (!verdict.is_right() || !ends).then(|| format!("{verdict:?} {:?} {said:?}\n{text}", found.ends()))
    }
    fn random(random: &mut Random) -> Self {
        let power = [0.5, 0.5, 1.5, 0.4][random.below(4)];
        let strength = if power < 1.0 {
            random.between(0.4, 1.1)
        } else {
            random.between(0.8, 2.0)
        };
        Self {
            power,
            k: random.sign() * strength,
            a: random.between(0.1, 0.6) * random.sign(),
            plane: (random.below(2) == 0).then(|| (random.between(-0.25, 0.25), random.between(-0.25, 0.25))),
            scale: random.sign() * random.log_between(1e-3, 1e3),
            parameter: random.log_between(1e-3, 1e3),
        }
    }

    fn root(&self, way: usize, x: &str) -> String {
        let p = self.power;
        match (way, p == 0.5) {
            (0, true) => format!("sqrt(abs({x}))"),
            (1, true) => format!("sqrt({x})"),
            (2, true) => format!("sqrt(max({x}, 0))"),
            (3, _) => format!("abs({x})^{p:?}"),
            (4, _) => format!("max({x}, 0)^{p:?}"),
            (0, _) => format!("abs({x})*abs({x})^({p:?} - 1)"),
            (1, _) => format!("({x})^({p:?})"),
            _ => format!("exp({p:?}*ln(abs({x})))"),
        }
    }

    /// Both sides, in one of several orders, with one of several conditions.
    fn sides(order: usize, x: &str, left: &str, right: &str) -> String {
        match order {
            0 => format!("if({x} < 0, {left}, {right})"),
            1 => format!("if({x} <= 0, {left}, {right})"),
            2 => format!("if({x} > 0, {right}, {left})"),
            3 => format!("if({x} >= 0, {right}, {left})"),
            4 => format!("if(-{x} > 0, {left}, {right})"),
            _ => format!("if(0 < {x}, {right}, {left})"),
        }
    }

    /// What x and y become, where x is written as `of`.
    fn next(&self, (order, way): (usize, usize), of: &str) -> (String, Option<String>) {
        let s = self.scale;
        let sides = Self::sides(
            order,
            of,
            &format!("({:?})*{of}", self.a),
            &format!("-({:?})*{}", self.k, self.root(way, of)),
        );
        let y = if self.plane.is_some() { " + y" } else { "" };
        let x = format!("({s:?})*({sides} + mu/({:?}){y})", self.parameter);
        let beside = self
            .plane
            .map(|(g, h)| Self::sides((order + 2) % 6, of, &format!("({g:?})*{of}"), &format!("({h:?})*{of}")));
        (x, beside)
    }

    /// The system, begun at x.
    fn written(&self, ways: (usize, usize), q: f64, x: f64) -> String {
        let (next, beside) = self.next(ways, &format!("(x/({:?}))", self.scale));
        let (names, beside) = match beside {
            Some(beside) => ("\"x\", \"y\"", format!(", \"y+ = {beside}\"")),
            None => ("\"x\"", String::new()),
        };
        format!(
            "Map(states: [{names}], parameters: {{\"mu\": {:?}}}, equations: [\"x+ = {next}\"{beside}], start: {{\"x\": {:?}}})",
            q * self.parameter,
            x * self.scale
        )
    }

    /// The same as the reset of a clock's tick, between two of which x decays.
    fn by_clock(&self, ways: (usize, usize), (rate, period): (f64, f64), q: f64, x: f64) -> String {
        let (next, beside) = self.next(ways, &format!("(x*({:?}))", (rate * period).exp() / self.scale));
        let (names, rates, beside) = match beside {
            Some(beside) => (
                "\"x\", \"y\", \"tau\"",
                "\"y' = 0\", ",
                format!("\"y\": \"{beside}\", "),
            ),
            None => ("\"x\", \"tau\"", "", String::new()),
        };
        format!(
            "Hybrid(states: [{names}], parameters: {{\"mu\": {:?}}}, modes: {{\"m\": Mode(equations: [\"x' = -({rate:?})*x\", {rates}\"tau' = {:?}\"], \
             events: {{\"tick\": Event(guard: \"tau - 1\", direction: Up, to: \"m\", reset: {{\"tau\": \"0\", {beside}\"x\": \"{next}\"}})}})}}, \
             start: Start(mode: \"m\", at: {{\"x\": {:?}}}))",
            q * self.parameter,
            1.0 / period,
            x * self.scale
        )
    }

    /// The fixed point with x > 0, where it is the only one.
    fn beyond(&self, q: f64) -> f64 {
        let (_, h) = self.plane.unwrap_or((0.0, 0.0));
        let (mut low, mut high) = (0.0, 10.0 * q);
        for _ in 0..200 {
            let x: f64 = 0.5 * (low + high);
            if x * (1.0 - h) + self.k * x.powf(self.power) < q {
                low = x;
            } else {
                high = x;
            }
        }
        low
    }

    /// The labels between these values of q: the border, and where the fixed point with x > 0 folds or doubles.
    fn known(&self, (low, high): (f64, f64)) -> Vec<(Label, f64)> {
        let (_, h) = self.plane.unwrap_or((0.0, 0.0));
        // x (1 - h) + k x^p = q; its slope k p x^(p - 1) is (1 - h) at a doubling, and -(1 - h) at a fold.
        let x = ((1.0 - h) / (self.k.abs() * self.power)).powf(1.0 / (self.power - 1.0));
        let at = x * (1.0 - h) + self.k * x.powf(self.power);
        let label = if self.k > 0.0 { Label::PD } else { Label::LP };
        let mut all = vec![(Label::GR, 0.0)];
        all.extend((low < at && at < high).then_some((label, at)));
        all
    }
}

#[test]
fn borders_of_roots_are_passed_however_they_are_written() {
    let class = "square-root maps";
    let count = members(60);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let map = RootMap::random(&mut random);
        let written = (member % 6, random.below(6));
        let (q, range) = (-0.4, (-0.6, 1.7));
        let x = q / (1.0 - map.a - map.plane.map_or(0.0, |p| p.0));
        let text = format!(
            "Study(title: \"root\", system: {}, curves: [Curve(name: \"c\", orbit: FixedPoint, start: Settle(at: {{\"mu\": {:?}}}), free: \"mu\", \
             range: ({:?}, {:?}))])",
            map.written(written, q, x),
            q * map.parameter,
            range.0 * map.parameter,
            range.1 * map.parameter
        );
        wrong.extend(map.amiss(&text, range).map(|what| (member, what)));
    }
    none_wrong(class, count, &wrong);
}

#[test]
fn borders_of_roots_in_resets_are_passed_from_both_sides() {
    let class = "square-root resets";
    let count = members(36);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let map = RootMap::random(&mut random);
        let written = (member % 6, random.below(6));
        let clock = (random.between(0.3, 2.0), random.log_between(0.3, 3.0));
        let range = (-0.6, 1.7);
        // Beyond the border the fixed point is stable again where it is far away.
        let from_beyond = member % 2 == 1 && map.k > 0.0 && map.power < 1.0;
        let (q, x) = match from_beyond {
            true => (1.5, map.beyond(1.5)),
            false => (-0.4, -0.4 / (1.0 - map.a - map.plane.map_or(0.0, |p| p.0))),
        };
        let text = format!(
            "Study(title: \"root\", system: {}, curves: [Curve(name: \"c\", orbit: Periodic(\"m tick\"), start: Settle(at: {{\"mu\": {:?}}}), \
             free: \"mu\", range: ({:?}, {:?}))])",
            map.by_clock(written, clock, q, x),
            q * map.parameter,
            range.0 * map.parameter,
            range.1 * map.parameter
        );
        wrong.extend(map.amiss(&text, range).map(|what| (member, what)));
    }
    none_wrong(class, count, &wrong);
}
