//! Random numbers, and random changes of coordinates and scales of a system that is known in its own.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// How many members of a class are drawn: `few` by default, times `SLIPSTICK_TRUST` where that is set.
pub(crate) fn members(few: usize) -> usize {
    let factor = std::env::var("SLIPSTICK_TRUST").map_or(1.0, |f| f.parse::<f64>().unwrap());
    (few as f64 * factor).ceil() as usize
}

/// At least `few` members of a class of which not every member shows what the test is about.
pub(crate) fn members_at_least(few: usize) -> usize {
    members(few).max(few)
}

/// Random numbers of one member of a class: the same in every run, whatever else is drawn.
pub(crate) struct Random(ChaCha8Rng);

impl Random {
    /// Of member number `member` of the class of this name.
    pub(crate) fn of(class: &str, member: usize) -> Self {
        let class = class.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| {
            (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3)
        });
        Self(ChaCha8Rng::seed_from_u64(class ^ (member as u64)))
    }

    /// Uniform in [0, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform between the two.
    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// With a logarithm that is uniform between those of the two.
    pub(crate) fn log_between(&mut self, low: f64, high: f64) -> f64 {
        self.between(low.ln(), high.ln()).exp()
    }

    /// One of 0, …, n - 1.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.0.next_u64() % n as u64) as usize
    }

    /// +1 or -1.
    pub(crate) fn sign(&mut self) -> f64 {
        if self.below(2) == 0 { 1.0 } else { -1.0 }
    }
}

/// Coordinates x = s A u and a parameter p = p0 + P q in which a system u' = f(u, q), known in closed form, is written
/// down with time in units of τ.
#[derive(Clone, Debug)]
pub(crate) struct Coordinates {
    /// A, of condition at most about 20, by rows.
    pub(crate) matrix: Vec<Vec<f64>>,
    pub(crate) inverse: Vec<Vec<f64>>,
    /// The scale s of the states.
    pub(crate) state: f64,
    /// The scale P of the parameter.
    pub(crate) parameter: f64,
    /// The parameter p0 at q = 0.
    pub(crate) origin: f64,
    /// The scale τ of time.
    pub(crate) time: f64,
}

impl Coordinates {
    /// Those in which the system is known.
    pub(crate) fn plain(n: usize) -> Self {
        Self {
            matrix: identity(n),
            inverse: identity(n),
            state: 1.0,
            parameter: 1.0,
            origin: 0.0,
            time: 1.0,
        }
    }

    /// Random ones of dimension `n`; scales are powers of ten up to these exponents, of states, of the parameter, of
    /// time.
    pub(crate) fn random(random: &mut Random, n: usize, exponents: [f64; 3]) -> Self {
        Self::stretched(random, n, (0.22, 4.5), exponents)
    }

    /// The same, stretched along each of some directions by a factor between these two: the condition of A is at most
    /// their quotient.
    pub(crate) fn stretched(random: &mut Random, n: usize, (least, most): (f64, f64), exponents: [f64; 3]) -> Self {
        let rotation = |random: &mut Random| {
            let mut q = identity(n);
            for i in 0..n {
                for j in 0..i {
                    let (s, c) = random.between(0.0, std::f64::consts::TAU).sin_cos();
                    for row in &mut q {
                        (row[i], row[j]) = (c * row[i] - s * row[j], s * row[i] + c * row[j]);
                    }
                }
            }
            q
        };
        let (q, r) = (rotation(random), rotation(random));
        let stretch: Vec<f64> = (0..n).map(|_| random.log_between(least, most)).collect();
        let product =
            |stretch: &dyn Fn(usize) -> f64, a: &dyn Fn(usize, usize) -> f64, b: &dyn Fn(usize, usize) -> f64| {
                let entry = |i: usize, j: usize| (0..n).map(|k| a(i, k) * stretch(k) * b(k, j)).sum::<f64>();
                (0..n)
                    .map(|i| (0..n).map(|j| entry(i, j)).collect())
                    .collect::<Vec<Vec<f64>>>()
            };
        let matrix = product(&|k| stretch[k], &|i, k| q[i][k], &|k, j| r[k][j]);
        let inverse = product(&|k| 1.0 / stretch[k], &|i, k| r[k][i], &|k, j| q[j][k]);
        let mut scale = |e: f64| 10f64.powf(random.between(-e, e));
        let (state, parameter, time) = (scale(exponents[0]), scale(exponents[1]), scale(exponents[2]));
        Self {
            matrix,
            inverse,
            state,
            parameter,
            origin: 0.0,
            time,
        }
    }

    /// The same with the parameter counted from a random origin, up to 10^`exponent` times its scale away from zero.
    pub(crate) fn shifted(mut self, random: &mut Random, exponent: f64) -> Self {
        self.origin = random.sign() * self.parameter * 10f64.powf(random.between(0.5, exponent));
        self
    }

    /// The parameter p at q.
    pub(crate) fn p(&self, q: f64) -> f64 {
        self.origin + self.parameter * q
    }

    /// q at a parameter p.
    pub(crate) fn q(&self, p: f64) -> f64 {
        (p - self.origin) / self.parameter
    }

    /// What rounding of the parameter leaves of q.
    pub(crate) fn rounding(&self) -> f64 {
        4.0 * f64::EPSILON * (self.origin / self.parameter).abs()
    }

    /// The same with the first two states x turned by an angle, or exchanged, and time in other units.
    pub(crate) fn turned(&self, angle: f64, exchanged: bool, time: f64) -> Self {
        let (s, c) = angle.sin_cos();
        let turn = if exchanged {
            [[s, c], [c, -s]]
        } else {
            [[c, -s], [s, c]]
        };
        let mut turned = self.clone();
        for j in 0..self.matrix.len() {
            for i in 0..2 {
                turned.matrix[i][j] = turn[i][0] * self.matrix[0][j] + turn[i][1] * self.matrix[1][j];
                turned.inverse[j][i] = turn[i][0] * self.inverse[j][0] + turn[i][1] * self.inverse[j][1];
            }
        }
        turned.time *= time;
        turned
    }

    /// The states x at u.
    pub(crate) fn states(&self, u: &[f64]) -> Vec<f64> {
        let row = |row: &Vec<f64>| self.state * row.iter().zip(u).map(|(a, u)| a * u).sum::<f64>();
        self.matrix.iter().map(row).collect()
    }

    /// `{"x1": …, …}` at u, as studies write states.
    pub(crate) fn states_text(&self, u: &[f64]) -> String {
        let pairs = self
            .states(u)
            .into_iter()
            .enumerate()
            .map(|(i, x)| format!("\"x{}\": {x:?}", i + 1));
        format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
    }

    /// `Smooth(…)` for u' = f(u, q), with f written in `u1`, …, `un` and `q`; the study's parameter is `p`, with the
    /// value at `q`.
    pub(crate) fn smooth(&self, fields: &[String], q: f64) -> String {
        let rate = self.state / self.time;
        self.text(fields, q, rate, "'")
    }

    /// `Map(…)` for u⁺ = f(u, q), written likewise.
    pub(crate) fn map(&self, fields: &[String], q: f64) -> String {
        self.text(fields, q, self.state, "+")
    }

    fn text(&self, fields: &[String], q: f64, factor: f64, mark: &str) -> String {
        let n = fields.len();
        let quoted = |items: Vec<String>| items.join(", ");
        let states = quoted((1..=n).map(|i| format!("\"x{i}\"")).collect());
        let sum = |row: &[f64], factor: f64, name: &str| {
            let terms = row
                .iter()
                .enumerate()
                .map(|(j, a)| format!("({:?})*{name}{}", a * factor, j + 1));
            terms.collect::<Vec<_>>().join(" + ")
        };
        let mut define: Vec<String> = vec![format!("\"q\": \"(p - ({:?}))/({:?})\"", self.origin, self.parameter)];
        define.extend((0..n).map(|i| format!("\"u{}\": \"{}\"", i + 1, sum(&self.inverse[i], 1.0 / self.state, "x"))));
        define.extend((0..n).map(|i| format!("\"f{}\": \"{}\"", i + 1, fields[i])));
        let equations = (0..n).map(|i| format!("\"x{}{mark} = {}\"", i + 1, sum(&self.matrix[i], factor, "f")));
        let kind = if mark == "'" { "Smooth" } else { "Map" };
        format!(
            "{kind}(states: [{states}], parameters: {{\"p\": {:?}}}, define: {{{}}}, equations: [{}])",
            self.p(q),
            quoted(define),
            quoted(equations.collect())
        )
    }
}

fn identity(n: usize) -> Vec<Vec<f64>> {
    (0..n)
        .map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect())
        .collect()
}
