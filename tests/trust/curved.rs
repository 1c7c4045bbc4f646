//! Random smooth changes of coordinates and of the parameter: shears of second and third order in both directions, and
//! stretching that differs from place to place, between the linear coordinates and those in which a system is known.

use super::random::{Coordinates, Random};
use std::fmt::Write;

/// `c w² + d w z + e w³`, with w and z the states of these numbers.
struct Shear {
    w: usize,
    z: usize,
    c: f64,
    d: f64,
    e: f64,
}

impl Shear {
    fn random(random: &mut Random, among: std::ops::Range<usize>, odd: bool) -> Option<Self> {
        if among.is_empty() {
            return None;
        }
        let pick = |random: &mut Random| among.start + random.below(among.len());
        let (w, z) = (pick(random), pick(random));
        let mut even = |size: f64| if odd { 0.0 } else { random.between(-size, size) };
        let (c, d) = (even(0.5), even(0.3));
        Some(Self {
            w,
            z,
            c,
            d,
            e: random.between(-0.2, 0.2),
        })
    }

    fn value(&self, u: &[f64]) -> f64 {
        let (w, z) = (u[self.w], u[self.z]);
        self.c * w * w + self.d * w * z + self.e * w * w * w
    }

    fn rate(&self, u: &[f64], du: &[f64]) -> f64 {
        let (w, z) = (u[self.w], u[self.z]);
        (2.0 * self.c * w + self.d * z + 3.0 * self.e * w * w) * du[self.w] + self.d * w * du[self.z]
    }

    fn value_text(&self, u: &str) -> String {
        let (w, z) = (format!("{u}{}", self.w + 1), format!("{u}{}", self.z + 1));
        format!("(({:?})*{w}^2 + ({:?})*{w}*{z} + ({:?})*{w}^3)", self.c, self.d, self.e)
    }

    fn rate_text(&self, u: &str, du: &str) -> String {
        let (w, z) = (format!("{u}{}", self.w + 1), format!("{u}{}", self.z + 1));
        format!(
            "((2*({c:?})*{w} + ({d:?})*{z} + 3*({e:?})*{w}^2)*{du}{} + ({d:?})*{w}*{du}{})",
            self.w + 1,
            self.z + 1,
            c = self.c,
            d = self.d,
            e = self.e
        )
    }
}

/// `y = (sinh(k v + b) - sinh b) / (k cosh b)`: zero at zero, of slope one there.
struct Stretch {
    k: f64,
    b: f64,
}

impl Stretch {
    fn random(random: &mut Random, odd: bool) -> Self {
        let k = random.log_between(0.1, 0.7);
        let b = if odd { 0.0 } else { random.between(-0.7, 0.7) };
        Self { k, b }
    }

    fn forward(&self, v: f64) -> f64 {
        ((self.k * v + self.b).sinh() - self.b.sinh()) / (self.k * self.b.cosh())
    }

    fn back(&self, y: f64) -> f64 {
        ((self.k * self.b.cosh() * y + self.b.sinh()).asinh() - self.b) / self.k
    }

    /// dv/dy at v.
    fn slope_back(&self, v: f64) -> f64 {
        self.b.cosh() / (self.k * v + self.b).cosh()
    }

    fn forward_text(&self, v: &str) -> String {
        let (k, b) = (self.k, self.b);
        format!("(sinh(({k:?})*{v} + ({b:?})) - ({:?}))/({:?})", b.sinh(), k * b.cosh())
    }

    fn back_text(&self, y: &str) -> String {
        let (k, b) = (self.k, self.b);
        let z = format!("(({:?})*{y} + ({:?}))", k * b.cosh(), b.sinh());
        format!("(ln({z} + sqrt({z}^2 + 1)) - ({b:?}))/({k:?})")
    }

    fn slope_back_text(&self, v: &str) -> String {
        format!("({:?})/cosh(({:?})*{v} + ({:?}))", self.b.cosh(), self.k, self.b)
    }
}

/// Coordinates x = s A v with v a smooth function of u and back, and a parameter p of which q is a smooth function, in
/// which a system known in u and q is written down.
pub(crate) struct Curved {
    pub(crate) linear: Coordinates,
    /// a_i = u_i + a function of the u before.
    lower: Vec<Option<Shear>>,
    /// y_i = a_i + a function of the a behind.
    upper: Vec<Option<Shear>>,
    /// y_i as a function of v_i.
    stretch: Vec<Stretch>,
    /// q as a function of (p - p0)/P.
    parameter: Stretch,
}

impl Curved {
    /// Random ones of dimension `n`, `odd` functions if a system keeps a symmetry by it.
    pub(crate) fn random(random: &mut Random, n: usize, exponents: [f64; 3], odd: bool) -> Self {
        let linear = Coordinates::random(random, n, exponents);
        Self {
            linear,
            lower: (0..n).map(|i| Shear::random(random, 0..i, odd)).collect(),
            upper: (0..n).map(|i| Shear::random(random, i + 1..n, odd)).collect(),
            stretch: (0..n).map(|_| Stretch::random(random, odd)).collect(),
            parameter: Stretch::random(random, false),
        }
    }

    fn sheared(&self, u: &[f64]) -> Vec<f64> {
        let value = |(i, s): (usize, &Option<Shear>)| u[i] + s.as_ref().map_or(0.0, |s| s.value(u));
        self.lower.iter().enumerate().map(value).collect()
    }

    fn v(&self, u: &[f64]) -> Vec<f64> {
        let a = self.sheared(u);
        let y = |(i, s): (usize, &Option<Shear>)| a[i] + s.as_ref().map_or(0.0, |s| s.value(&a));
        let y = self.upper.iter().enumerate().map(y);
        y.zip(&self.stretch).map(|(y, s)| s.back(y)).collect()
    }

    /// What a small change of u at `u` is in the states x.
    pub(crate) fn pushed(&self, u: &[f64], du: &[f64]) -> Vec<f64> {
        let rate = |at: &[f64], d: &[f64], shears: &[Option<Shear>]| -> Vec<f64> {
            let one = |(i, s): (usize, &Option<Shear>)| d[i] + s.as_ref().map_or(0.0, |s| s.rate(at, d));
            shears.iter().enumerate().map(one).collect()
        };
        let da = rate(u, du, &self.lower);
        let dy = rate(&self.sheared(u), &da, &self.upper);
        let v = self.v(u);
        let dv: Vec<f64> = (0..u.len()).map(|i| dy[i] * self.stretch[i].slope_back(v[i])).collect();
        self.linear.states(&dv)
    }

    /// The states x at u, as studies write them.
    pub(crate) fn states_text(&self, u: &[f64]) -> String {
        self.linear.states_text(&self.v(u))
    }

    /// The parameter p at q.
    pub(crate) fn p(&self, q: f64) -> f64 {
        self.linear.p(self.parameter.back(q))
    }

    /// q at a parameter p.
    pub(crate) fn q(&self, p: f64) -> f64 {
        self.parameter.forward(self.linear.q(p))
    }

    /// `Smooth(…)` for u' = f(u, q), or `Map(…)` for u⁺ = f(u, q), with f written in `u1`, …, `un` and `q`; the study's
    /// parameter is `p`, with the value at `q`.
    pub(crate) fn system(&self, map: bool, fields: &[String], q: f64) -> String {
        let n = fields.len();
        let (c, mut define) = (&self.linear, String::new());
        let mut say = |name: &str, text: String| {
            let _ = write!(define, "\"{name}\": \"{text}\", ");
        };
        let sum = |row: &[f64], factor: f64, name: &str| {
            let terms = row
                .iter()
                .enumerate()
                .map(|(j, a)| format!("({:?})*{name}{}", a * factor, j + 1));
            terms.collect::<Vec<_>>().join(" + ")
        };
        say("t", format!("(p - ({:?}))/({:?})", c.origin, c.parameter));
        say("q", self.parameter.forward_text("t"));
        for i in 0..n {
            say(&format!("v{}", i + 1), sum(&c.inverse[i], 1.0 / c.state, "x"));
            say(
                &format!("y{}", i + 1),
                self.stretch[i].forward_text(&format!("v{}", i + 1)),
            );
        }
        let less = |from: String, shear: &Option<Shear>, of: &str| match shear {
            Some(shear) => format!("{from} - {}", shear.value_text(of)),
            None => from,
        };
        for i in (0..n).rev() {
            say(&format!("a{}", i + 1), less(format!("y{}", i + 1), &self.upper[i], "a"));
        }
        for i in 0..n {
            say(&format!("u{}", i + 1), less(format!("a{}", i + 1), &self.lower[i], "u"));
        }
        for (i, field) in fields.iter().enumerate() {
            say(&format!("fu{}", i + 1), field.clone());
        }
        let more = |name: &str, i: usize, shear: &Option<Shear>, at: &str| match shear {
            Some(shear) if map => format!("{name}{} + {}", i + 1, shear.value_text(name)),
            Some(shear) => format!("{name}{} + {}", i + 1, shear.rate_text(at, name)),
            None => format!("{name}{}", i + 1),
        };
        for i in 0..n {
            say(&format!("fa{}", i + 1), more("fu", i, &self.lower[i], "u"));
        }
        for i in 0..n {
            say(&format!("fy{}", i + 1), more("fa", i, &self.upper[i], "a"));
        }
        for i in 0..n {
            let (v, fy) = (format!("v{}", i + 1), format!("fy{}", i + 1));
            // A map moves its states by what v changes: of a matrix and its inverse, rounded, the product is not one, and
            // two branch points near each other would be moved by that, divided by the square of their distance.
            let text = match map {
                true => format!("{} - {v}", self.stretch[i].back_text(&fy)),
                false => format!("{fy}*{}", self.stretch[i].slope_back_text(&v)),
            };
            say(&format!("fv{}", i + 1), text);
        }
        let (kind, mark, factor) = match map {
            true => ("Map", "+", c.state),
            false => ("Smooth", "'", c.state / c.time),
        };
        let equations = (0..n).map(|i| {
            let lead = if map { format!("x{} + ", i + 1) } else { String::new() };
            format!("\"x{}{mark} = {lead}{}\"", i + 1, sum(&c.matrix[i], factor, "fv"))
        });
        let states = (1..=n).map(|i| format!("\"x{i}\""));
        format!(
            "{kind}(states: [{}], parameters: {{\"p\": {:?}}}, define: {{{define}}}, equations: [{}])",
            states.collect::<Vec<_>>().join(", "),
            self.p(q),
            equations.collect::<Vec<_>>().join(", ")
        )
    }
}
