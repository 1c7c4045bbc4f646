//! Pseudo-equilibria that pass a two-fold: quadratic fields of which one is a negative multiple of the other at a point
//! of the surface, along which both run there.

use super::boundary::{dot, solved};
use super::known::{curve, labels, none_wrong, run};
use super::random::{Coordinates, Random, members};
use slipstick_bifurcation::Label;
use slipstick_study::CurveResult;

const NAMES: [&str; 3] = ["x", "y", "z"];
const OWN: [&str; 3] = ["u", "v", "w"];
/// The parameter, counted from the two-fold, is followed so far to both sides.
const RANGE: f64 = 0.1;

/// c + A u + d q + e (w·u)².
struct Field {
    c: Vec<f64>,
    a: Vec<Vec<f64>>,
    d: Vec<f64>,
    e: Vec<f64>,
    w: Vec<f64>,
}

impl Field {
    fn at(&self, u: &[f64], q: f64) -> Vec<f64> {
        let square = dot(&self.w, u).powi(2);
        let component = |i: usize| self.c[i] + dot(&self.a[i], u) + self.d[i] * q + self.e[i] * square;
        (0..u.len()).map(component).collect()
    }

    fn slopes(&self, u: &[f64]) -> Vec<Vec<f64>> {
        let along = 2.0 * dot(&self.w, u);
        let row = |i: usize| {
            let own = self.a[i].iter().zip(&self.w);
            own.map(|(a, w)| a + along * self.e[i] * w).collect()
        };
        (0..u.len()).map(row).collect()
    }

    fn text(&self, i: usize) -> String {
        let own = &OWN[..self.c.len()];
        let sum = |row: &[f64]| -> String {
            let terms: Vec<String> = row.iter().zip(own).map(|(v, s)| format!("({v:?})*{s}")).collect();
            terms.join(" + ")
        };
        let (c, d, e) = (self.c[i], self.d[i], self.e[i]);
        format!(
            "({c:?}) + {} + ({d:?})*q + ({e:?})*({})^2",
            sum(&self.a[i]),
            sum(&self.w)
        )
    }
}

/// The fields above and below n·u + κ (m·u)² = 0.
struct Member {
    fields: [Field; 2],
    n: Vec<f64>,
    m: Vec<f64>,
    curvature: f64,
    /// The parameter at the two-fold.
    origin: f64,
    /// The weight of the field above there.
    weight: f64,
    /// The sign of q where the motion slides.
    slides: f64,
    /// The numbers of unstable directions on the sliding side and on the escaping one, without that across the surface.
    unstable: [usize; 2],
}

/// A pseudo-equilibrium, with the weight of the field above.
struct Rest {
    u: Vec<f64>,
    weight: f64,
}

impl Member {
    fn random(random: &mut Random, dimension: usize, curved: bool) -> Self {
        loop {
            if let Some(made) = Self::drawn(random, dimension, curved) {
                return made;
            }
        }
    }

    fn drawn(random: &mut Random, dimension: usize, curved: bool) -> Option<Self> {
        let mut vector = |size: f64| -> Vec<f64> { (0..dimension).map(|_| random.between(-size, size)).collect() };
        let (n, m) = (vector(1.0), vector(1.0));
        let along = vector(1.0);
        let across = dot(&along, &n) / dot(&n, &n);
        let below: Vec<f64> = along.iter().zip(&n).map(|(v, n)| v - across * n).collect();
        let mut field = |c: Vec<f64>| Field {
            c,
            a: (0..dimension).map(|_| vector(1.0)).collect(),
            d: vector(1.0),
            e: vector(0.5),
            w: vector(1.0),
        };
        let (above, below) = (field(vec![]), field(below));
        let ratio = random.log_between(0.3, 3.0);
        let c = below.c.iter().map(|v| -ratio * v).collect();
        let mut made = Self {
            fields: [Field { c, ..above }, below],
            n,
            m,
            curvature: if curved { random.between(-0.5, 0.5) } else { 0.0 },
            origin: random.between(-1.0, 1.0),
            weight: 1.0 / (1.0 + ratio),
            slides: 1.0,
            unstable: [0, 0],
        };
        // The path through the two-fold is followed by Newton's method, and decided all along.
        let mut sides = [vec![], vec![]];
        let mut rates = [0.0, 0.0];
        for (side, sign) in [-1.0, 1.0].into_iter().enumerate() {
            let mut rest = Rest {
                u: vec![0.0; dimension],
                weight: made.weight,
            };
            for step in 1..=12 {
                let q = sign * RANGE * f64::from(step) / 12.0;
                rest = made.corrected(rest, q)?;
                let [a, b] = made.rates(&rest.u, q);
                let alike = a * b < 0.0 && (step == 1 || a * rates[side] > 0.0);
                if !alike || !(0.05..0.95).contains(&rest.weight) || rest.u.iter().any(|v| v.abs() > 0.5) {
                    return None;
                }
                if a.abs() < 0.02 * RANGE * f64::from(step) / 12.0 {
                    return None;
                }
                rates[side] = a;
                sides[side].push(made.unstable_of(&rest, q)?);
            }
        }
        let one = |counts: &[usize]| counts.iter().all(|c| *c == counts[0]).then_some(counts[0]);
        let counts = [one(&sides[0])?, one(&sides[1])?];
        if rates[0] * rates[1] > 0.0 {
            return None;
        }
        (made.slides, made.unstable) = match rates[0] < 0.0 {
            true => (-1.0, counts),
            false => (1.0, [counts[1], counts[0]]),
        };
        Some(made)
    }

    fn height(&self, u: &[f64]) -> f64 {
        dot(&self.n, u) + self.curvature * dot(&self.m, u).powi(2)
    }

    fn normal(&self, u: &[f64]) -> Vec<f64> {
        let bend = 2.0 * self.curvature * dot(&self.m, u);
        self.n.iter().zip(&self.m).map(|(n, m)| n + bend * m).collect()
    }

    /// How fast the fields above and below rise.
    fn rates(&self, u: &[f64], q: f64) -> [f64; 2] {
        let normal = self.normal(u);
        [0, 1].map(|side| dot(&normal, &self.fields[side].at(u, q)))
    }

    /// The derivatives of a rate by the states.
    fn slope_of_rate(&self, side: usize, u: &[f64], q: f64) -> Vec<f64> {
        let (normal, f) = (self.normal(u), self.fields[side].at(u, q));
        let bend = 2.0 * self.curvature * dot(&self.m, &f);
        let slopes = self.fields[side].slopes(u);
        let by = |j: usize| (0..u.len()).map(|i| normal[i] * slopes[i][j]).sum::<f64>() + bend * self.m[j];
        (0..u.len()).map(by).collect()
    }

    fn mixed(&self, u: &[f64], weight: f64) -> Vec<Vec<f64>> {
        let [a, b] = [0, 1].map(|side| self.fields[side].slopes(u));
        let row =
            |(a, b): (&Vec<f64>, &Vec<f64>)| a.iter().zip(b).map(|(a, b)| weight * a + (1.0 - weight) * b).collect();
        a.iter().zip(&b).map(row).collect()
    }

    fn jump(&self, u: &[f64], q: f64) -> Vec<f64> {
        let [f, g] = [0, 1].map(|side| self.fields[side].at(u, q));
        f.iter().zip(&g).map(|(f, g)| f - g).collect()
    }

    /// The pseudo-equilibrium at q, by Newton's method.
    fn corrected(&self, mut rest: Rest, q: f64) -> Option<Rest> {
        for _ in 0..20 {
            let [f, g] = [0, 1].map(|side| self.fields[side].at(&rest.u, q));
            let mut rows = self.mixed(&rest.u, rest.weight);
            rows.iter_mut()
                .zip(self.jump(&rest.u, q))
                .for_each(|(row, v)| row.push(v));
            let mut normal = self.normal(&rest.u);
            normal.push(0.0);
            rows.push(normal);
            let both = f.iter().zip(&g);
            let mut left: Vec<f64> = both.map(|(f, g)| rest.weight * f + (1.0 - rest.weight) * g).collect();
            left.push(self.height(&rest.u));
            let change = solved(&rows, &left);
            let size = change.iter().fold(0.0f64, |m, v| m.max(v.abs()));
            rest.u.iter_mut().zip(&change).for_each(|(u, d)| *u -= d);
            rest.weight -= change[rest.u.len()];
            if size < 1e-14 {
                return Some(rest);
            }
            if !(size < 10.0) {
                return None;
            }
        }
        None
    }

    /// How many directions along the surface are unstable, where that is decided.
    fn unstable_of(&self, rest: &Rest, q: f64) -> Option<usize> {
        let u = &rest.u;
        let [a, b] = self.rates(u, q);
        let [da, db] = [0, 1].map(|side| self.slope_of_rate(side, u, q));
        let by = |j: usize| (db[j] * (b - a) - b * (db[j] - da[j])) / (b - a).powi(2);
        let jump = self.jump(u, q);
        let mut j = self.mixed(u, rest.weight);
        for (row, jump) in j.iter_mut().zip(&jump) {
            row.iter_mut().enumerate().for_each(|(c, v)| *v += jump * by(c));
        }
        // Across the surface one eigenvalue is zero.
        let dimension = u.len();
        let trace: f64 = (0..dimension).map(|i| j[i][i]).sum();
        let size = j.iter().flatten().fold(0.0f64, |m, v| m.max(v.abs()));
        if trace.abs() < 1e-3 * size {
            return None;
        }
        if dimension == 2 {
            return Some(usize::from(trace > 0.0));
        }
        let minor = |a: usize, b: usize| j[a][a] * j[b][b] - j[a][b] * j[b][a];
        let product = minor(0, 1) + minor(0, 2) + minor(1, 2);
        if product.abs() < 1e-2 * size {
            return None;
        }
        Some(match (product < 0.0, trace > 0.0) {
            (true, _) => 1,
            (false, true) => 2,
            (false, false) => 0,
        })
    }

    fn kind(&self) -> &'static str {
        let u = vec![0.0; self.n.len()];
        let second = |side: usize| dot(&self.slope_of_rate(side, &u, 0.0), &self.fields[side].c);
        match (second(0) > 0.0, second(1) < 0.0) {
            (true, true) => "visible–visible",
            (false, false) => "invisible–invisible",
            _ => "visible–invisible",
        }
    }

    /// The study in these coordinates, with the switching function in this unit; a negative one exchanges the sides.
    fn study(&self, coordinates: &Coordinates, unit: f64) -> String {
        let dimension = self.n.len();
        let states = &NAMES[..dimension];
        let sum = |row: &[f64], names: &[String]| -> String {
            let terms: Vec<String> = row.iter().zip(names).map(|(v, s)| format!("({v:?})*{s}")).collect();
            terms.join(" + ")
        };
        let names: Vec<String> = states.iter().map(|s| (*s).to_owned()).collect();
        let own: Vec<String> = OWN[..dimension].iter().map(|s| (*s).to_owned()).collect();
        let mut define = vec![format!("\"q\": \"mu - ({:?})\"", self.origin)];
        for i in 0..dimension {
            let row: Vec<f64> = coordinates.inverse[i].iter().map(|v| v / coordinates.state).collect();
            define.push(format!("\"{}\": \"{}\"", own[i], sum(&row, &names)));
        }
        let mut fields = vec![];
        for (side, letter) in ["a", "b"].into_iter().enumerate() {
            let parts: Vec<String> = (0..dimension).map(|i| format!("f{letter}{i}")).collect();
            for (i, part) in parts.iter().enumerate() {
                define.push(format!("\"{part}\": \"{}\"", self.fields[side].text(i)));
            }
            let factor = coordinates.state / coordinates.time;
            let equation = |i: usize| {
                format!(
                    "\"{}' = ({factor:?})*({})\"",
                    states[i],
                    sum(&coordinates.matrix[i], &parts)
                )
            };
            fields.push((0..dimension).map(equation).collect::<Vec<_>>().join(", "));
        }
        if unit < 0.0 {
            fields.swap(0, 1);
        }
        let q = 0.8 * RANGE * self.slides;
        let from = Rest {
            u: vec![0.0; dimension],
            weight: self.weight,
        };
        let half = self.corrected(from, 0.5 * q).unwrap();
        let start = self.corrected(half, q).unwrap();
        let at = (0..dimension).map(|i| {
            let value = coordinates.state * dot(&coordinates.matrix[i], &start.u);
            format!("\"{}\": {value:?}", states[i])
        });
        let quoted: Vec<String> = states.iter().map(|s| format!("\"{s}\"")).collect();
        format!(
            "Study(title: \"two-fold\", system: Filippov(states: [{}], parameters: {{\"mu\": 0}}, define: {{{}}}, surfaces: {{\"h\": \"({unit:?})*({} + ({:?})*({})^2)\"}}, fields: {{\"+\": [{}], \"-\": [{}]}}), curves: [Curve(name: \"c\", orbit: EquilibriumIn(\"h0\"), start: Guess(at: {{\"mu\": {:?}}}, states: [{{{}}}]), free: \"mu\", range: ({:?}, {:?}))])",
            quoted.join(", "),
            define.join(", "),
            sum(&self.n, &own),
            self.curvature,
            sum(&self.m, &own),
            fields[0],
            fields[1],
            self.origin + q,
            at.collect::<Vec<_>>().join(", "),
            self.origin - RANGE,
            self.origin + RANGE,
        )
    }

    /// What is wrong with a curve in these coordinates.
    fn faults(&self, found: &CurveResult, coordinates: &Coordinates) -> Vec<String> {
        let dimension = self.n.len();
        let mut wrong = vec![];
        let own = |values: &[f64]| -> Vec<f64> {
            let column = |name: &&str| values[found.monitors.iter().position(|m| m == name).unwrap()];
            let x: Vec<f64> = NAMES[..dimension]
                .iter()
                .map(|name| column(name) / coordinates.state)
                .collect();
            coordinates.inverse.iter().map(|row| dot(row, &x)).collect()
        };
        let told = labels(found);
        match &told[..] {
            [(Label::TF, at, p)] => {
                let off = own(&p.record.monitors).iter().fold(0.0f64, |m, v| m.max(v.abs()));
                let off = off.max((at - self.origin).abs());
                if off > 1e-12 {
                    wrong.push(format!("off by {off:.1e}"));
                }
                let kind = p.message.contains(&format!("surface, {}; ", self.kind()));
                if !kind || !p.message.contains("into the escaping region") || p.record.unstable != self.unstable[0] {
                    wrong.push(format!("{} {}, not {}", p.record.unstable, p.message, self.kind()));
                }
            }
            _ => {
                let said = told
                    .iter()
                    .map(|l| format!("{} {:?} {}", l.0, l.1 - self.origin, l.2.message));
                wrong.push(said.collect::<Vec<_>>().join("; "));
            }
        }
        let (mut off, mut counts) = (0.0f64, [0, 0]);
        for (_, _, p) in found.points().filter(|(_, _, p)| p.label != Some(Label::TF)) {
            let (u, q) = (own(&p.record.monitors), p.point.parameter() - self.origin);
            let [f, g] = [0, 1].map(|side| self.fields[side].at(&u, q));
            // The weight with the least field: that of the rates is rounding next to the two-fold.
            let jump = self.jump(&u, q);
            let weight = -dot(&g, &jump) / dot(&jump, &jump);
            let left = f.iter().zip(&g).map(|(f, g)| (weight * f + (1.0 - weight) * g).abs());
            off = left.fold(off, f64::max).max(self.height(&u).abs());
            let escapes = q * self.slides < 0.0;
            let known = self.unstable[usize::from(escapes)] + usize::from(escapes);
            counts[usize::from(escapes)] += 1;
            if p.record.unstable != known {
                wrong.push(format!("{} unstable at q = {q:e}, not {known}", p.record.unstable));
            }
        }
        let (low, high) = found.covered();
        let whole = (low - self.origin + RANGE)
            .abs()
            .max((high - self.origin - RANGE).abs())
            < 1e-12;
        if off > 1e-9 || counts[0] < 3 || counts[1] < 3 || !whole {
            wrong.push(format!(
                "residual {off:.1e}, points {counts:?}, from {low} to {high}: {}",
                found.ended()
            ));
        }
        wrong
    }
}

/// One label at the place, whatever coordinates, unit of time and sides the fields are written in, and the curve goes
/// on into the escaping region.
#[test]
fn pseudo_equilibria_pass_two_folds() {
    let count = members(60);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("two-folds at rest", member);
        let dimension = 2 + member % 2;
        let made = Member::random(&mut random, dimension, member % 3 == 0);
        let exponents = [1.0, 0.0, 2.0];
        for writing in 0..2 {
            let coordinates = Coordinates::random(&mut random, dimension, exponents);
            let unit = if writing == 0 { 1.0 } else { -1.0 } * random.log_between(1e-2, 1e2);
            let text = made.study(&coordinates, unit);
            let result = run(&text);
            let faults = made.faults(curve(&result, "c"), &coordinates);
            if !faults.is_empty() {
                wrong.push((member, format!("{}\n{text}", faults.join("\n"))));
            }
        }
    }
    none_wrong("two-folds at rest", count, &wrong);
}
