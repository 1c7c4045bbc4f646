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
        if b == 0.0 {
            // An odd function to the last digit.
            return format!("(0.5/({k:?}))*(ln(sqrt({z}^2 + 1) + {z}) - ln(sqrt({z}^2 + 1) - {z}))");
        }
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
        let mut define = self.define_parameter() + &self.define_known("");
        for (i, field) in fields.iter().enumerate() {
            say(&mut define, "fu", i, field);
        }
        define += &if map {
            self.define_states("f")
        } else {
            self.define_rates("", "f")
        };
        // A map moves its states by what v changes: of a matrix and its inverse, rounded, the product is not one, and
        // two branch points near each other would be moved by that, divided by the square of their distance.
        if map {
            for i in 0..n {
                say(&mut define, "moved", i, &format!("fv{} - v{}", i + 1, i + 1));
            }
        }
        let kind = if map { "Map" } else { "Smooth" };
        let states = (1..=n).map(|i| format!("\"x{i}\""));
        let equations = match map {
            true => self.displaced("moved"),
            false => self.rates("f"),
        };
        let mark = if map { "+" } else { "'" };
        let equations = equations.iter().enumerate();
        let equations = equations.map(|(i, right)| format!("\"x{}{mark} = {right}\"", i + 1));
        format!(
            "{kind}(states: [{}], parameters: {{\"p\": {:?}}}, define: {{{define}}}, equations: [{}])",
            states.collect::<Vec<_>>().join(", "),
            self.p(q),
            equations.collect::<Vec<_>>().join(", ")
        )
    }

    /// The definition of `q`.
    pub(crate) fn define_parameter(&self) -> String {
        let t = format!("((p - ({:?}))/({:?}))", self.linear.origin, self.linear.parameter);
        format!("\"q\": \"{}\", ", self.parameter.forward_text(&t))
    }

    /// Definitions of `{at}u1`, … by the states `x1`, …, and of what lies in between.
    pub(crate) fn define_known(&self, at: &str) -> String {
        let (n, c, mut define) = (self.stretch.len(), &self.linear, String::new());
        for i in 0..n {
            say(
                &mut define,
                &format!("{at}v"),
                i,
                &sum(&c.inverse[i], 1.0 / c.state, "x"),
            );
            let text = self.stretch[i].forward_text(&format!("{at}v{}", i + 1));
            say(&mut define, &format!("{at}y"), i, &text);
        }
        let less = |from: &str, i: usize, shear: &Option<Shear>, of: &str| match shear {
            Some(shear) => format!("{at}{from}{} - {}", i + 1, shear.value_text(&format!("{at}{of}"))),
            None => format!("{at}{from}{}", i + 1),
        };
        for i in (0..n).rev() {
            say(&mut define, &format!("{at}a"), i, &less("y", i, &self.upper[i], "a"));
        }
        for i in 0..n {
            say(&mut define, &format!("{at}u"), i, &less("a", i, &self.lower[i], "u"));
        }
        define
    }

    /// Definitions of what `rates` needs, by rates of u named `{of}u1`, …, where u is named `{at}u1`, ….
    pub(crate) fn define_rates(&self, at: &str, of: &str) -> String {
        let mut define = self.define_sheared(of, |shear, name| {
            shear.rate_text(&format!("{at}{name}"), &format!("{of}{name}"))
        });
        for (i, stretch) in self.stretch.iter().enumerate() {
            let slope = stretch.slope_back_text(&format!("{at}v{}", i + 1));
            say(&mut define, &format!("{of}v"), i, &format!("{of}y{}*{slope}", i + 1));
        }
        define
    }

    /// Definitions of what `images` needs, by u named `{of}u1`, ….
    pub(crate) fn define_states(&self, of: &str) -> String {
        let mut define = self.define_sheared(of, |shear, name| shear.value_text(&format!("{of}{name}")));
        for (i, stretch) in self.stretch.iter().enumerate() {
            say(
                &mut define,
                &format!("{of}v"),
                i,
                &stretch.back_text(&format!("{of}y{}", i + 1)),
            );
        }
        define
    }

    /// Definitions of `{of}a1`, … and `{of}y1`, …: u and then a, with what each shear adds to them.
    fn define_sheared(&self, of: &str, added: impl Fn(&Shear, &str) -> String) -> String {
        let mut define = String::new();
        for (to, from, shears) in [("a", "u", &self.lower), ("y", "a", &self.upper)] {
            for (i, shear) in shears.iter().enumerate() {
                let plain = format!("{of}{from}{}", i + 1);
                let text = match shear {
                    Some(shear) => format!("{plain} + {}", added(shear, from)),
                    None => plain,
                };
                say(&mut define, &format!("{of}{to}"), i, &text);
            }
        }
        define
    }

    /// The rates of `x1`, … by what [`Self::define_rates`] defines.
    pub(crate) fn rates(&self, of: &str) -> Vec<String> {
        let factor = self.linear.state / self.linear.time;
        let row = |row: &Vec<f64>| sum(row, factor, &format!("{of}v"));
        self.linear.matrix.iter().map(row).collect()
    }

    /// The states `x1`, … moved by what `{of}1`, … say of v.
    fn displaced(&self, of: &str) -> Vec<String> {
        let rows = self.linear.matrix.iter().enumerate();
        rows.map(|(i, row)| format!("x{} + {}", i + 1, sum(row, self.linear.state, of)))
            .collect()
    }

    /// The states `x1`, … by what [`Self::define_states`] defines.
    pub(crate) fn images(&self, of: &str) -> Vec<String> {
        let row = |row: &Vec<f64>| sum(row, self.linear.state, &format!("{of}v"));
        self.linear.matrix.iter().map(row).collect()
    }
}

/// Add the definition of number `i` of this name.
pub(crate) fn say(define: &mut String, name: &str, i: usize, text: &str) {
    let _ = write!(define, "\"{name}{}\": \"{text}\", ", i + 1);
}

/// A row of a matrix, times a factor, times the vector of this name.
fn sum(row: &[f64], factor: f64, name: &str) -> String {
    let terms = row.iter().enumerate();
    let terms = terms.map(|(j, a)| format!("({:?})*{name}{}", a * factor, j + 1));
    terms.collect::<Vec<_>>().join(" + ")
}
