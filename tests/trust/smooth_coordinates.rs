//! Equilibria and maps known in closed form, written down in random smooth coordinates with a random smooth function of
//! the parameter: labels, places, criticality and coefficients, which no such change may touch.

use super::curved::Curved;
use super::known::{Verdict, labels, none_wrong, run};
use super::normal_forms::coefficient;
use super::random::{Random, members};
use slipstick_bifurcation::Label;

/// Scales of the states, the parameter and time, in powers of ten.
const SCALES: [f64; 3] = [7.0, 9.0, 5.0];
/// Distances of two places.
const APART: (f64, f64) = (1e-3, 0.3);
/// Distances of two crossings next to each other.
const CLOSE: (f64, f64) = (1e-4, 1e-2);
/// Errors of an equation move two neighbours by what they are, divided by the distance.
const ROUNDING: f64 = 2e-13;
/// Coefficients agree with the closed form to this.
const COEFFICIENTS: f64 = 1e-8;

/// A label, where it is and what it says.
struct Expected {
    label: Label,
    q: f64,
    /// The states there, and the null vector, real and imaginary part.
    u: Vec<f64>,
    vector: [Vec<f64>; 2],
    /// The coefficient: its name, its modulus or value for a null vector of length one in u, the power of the length
    /// that divides it.
    coefficient: Option<(&'static str, f64, i32)>,
    words: Vec<&'static str>,
}

struct Known {
    map: bool,
    /// Is the system odd in u, and its coordinates?
    odd: bool,
    fields: Vec<String>,
    start: (f64, Vec<f64>),
    labels: Vec<Expected>,
    amplified: f64,
}

/// A direction beside: u_i goes to `drive` u1² at `rate` (negative: away from it), or by the part `rate` in each step.
struct Beside {
    rate: f64,
    drive: f64,
}

/// A known system as it is put together.
struct Sketch<'r> {
    random: &'r mut Random,
    map: bool,
    odd: bool,
    fields: Vec<String>,
    beside: Vec<Beside>,
    first_beside: usize,
}

impl<'r> Sketch<'r> {
    fn new(random: &'r mut Random, map: bool) -> Self {
        Self {
            random,
            map,
            odd: false,
            fields: vec![],
            beside: vec![],
            first_beside: 0,
        }
    }

    /// Directions that grow or decay, up to `n` states in all.
    fn fill(&mut self, n: usize) {
        self.first_beside = self.fields.len();
        for i in self.fields.len() + 1..=n {
            let random = &mut *self.random;
            let rate = if self.map {
                let multiplier = match random.below(3) {
                    0 => random.sign() * random.between(1.3, 3.0),
                    _ => random.between(-0.8, 0.7),
                };
                1.0 - multiplier
            } else {
                random.log_between(0.1, 10.0) * if random.below(3) == 0 { -1.0 } else { 1.0 }
            };
            let drive = if self.odd { 0.0 } else { random.between(-0.5, 0.5) };
            let away = format!("(u{i} - ({drive:?})*u1^2)");
            self.fields.push(match self.map {
                false => format!("-({rate:?})*{away}"),
                true => format!("u{i} - ({rate:?})*{away}"),
            });
            self.beside.push(Beside { rate, drive });
        }
    }

    /// The states with these first ones.
    fn states(&self, first: &[f64]) -> Vec<f64> {
        let mut u = vec![0.0; self.first_beside];
        u[..first.len()].copy_from_slice(first);
        u.extend(self.beside.iter().map(|b| b.drive * first[0] * first[0]));
        u
    }

    /// The null vector of the eigenvalue λ (multiplier, of a map) with these first entries, complex.
    fn vector(&self, u1: f64, own: &[(f64, f64)], lambda: (f64, f64)) -> [Vec<f64>; 2] {
        let (mut re, mut im) = (vec![0.0; self.first_beside], vec![0.0; self.first_beside]);
        for (i, v) in own.iter().enumerate() {
            (re[i], im[i]) = *v;
        }
        for b in &self.beside {
            // (λ + rate) N = rate 2 d u1 N1; of a map (λ - 1 + rate).
            let (x, y) = (lambda.0 + b.rate - if self.map { 1.0 } else { 0.0 }, lambda.1);
            let k = 2.0 * b.rate * b.drive * u1 / (x * x + y * y);
            let (a, c) = own[0];
            re.push(k * (a * x + c * y));
            im.push(k * (c * x - a * y));
        }
        [re, im]
    }

    fn lead(&self) -> &'static str {
        if self.map { "u1 + " } else { "" }
    }

    fn known(self, start: (f64, Vec<f64>), labels: Vec<Expected>, amplified: f64) -> Known {
        Known {
            map: self.map,
            odd: self.odd,
            fields: self.fields,
            start,
            labels,
            amplified,
        }
    }
}

/// What is wrong with one member.
fn wrong(known: &Known, coordinates: &Curved) -> Option<String> {
    let (q, u) = &known.start;
    let (orbit, map) = if known.map {
        ("FixedPoint", true)
    } else {
        ("Equilibrium", false)
    };
    let text = format!(
        "Study(title: \"known\", system: {}, curves: [Curve(name: \"c\", orbit: {orbit}, start: Guess(at: {{\"p\": {:?}}}, states: [{}]), \
         free: \"p\", range: ({:?}, {:?}), points: 3000)])",
        coordinates.system(map, &known.fields, *q),
        coordinates.p(*q),
        coordinates.states_text(u),
        coordinates.p(-1.0),
        coordinates.p(1.0),
    );
    let result = run(&text);
    let Some(traced) = result.curves.iter().find(|c| c.name == "c") else {
        return Some(format!("nothing: {:?}\n{text}", result.missing));
    };
    let all = labels(traced);
    let of_range = |p: f64| coordinates.linear.q(p);
    let found: Vec<(Label, f64)> = all.iter().map(|l| (l.0, of_range(l.1))).collect();
    let wanted: Vec<(Label, f64)> = known
        .labels
        .iter()
        .map(|l| (l.label, of_range(coordinates.p(l.q))))
        .collect();
    // Branch points are located with twice the digits.
    let precise = known.labels.iter().all(|l| l.label == Label::BP);
    let tolerance = if precise {
        1e-9
    } else {
        1e-9f64.max(ROUNDING * known.amplified)
    };
    let verdict = Verdict::of(&found, &wanted, tolerance);
    if !verdict.is_right() {
        return Some(format!(
            "{verdict:?} to {tolerance:e}, {} points\n{text}",
            traced.points().count()
        ));
    }
    for (expected, place) in known.labels.iter().zip(&wanted) {
        let near = |l: &&(Label, f64, &slipstick_bifurcation::BranchPoint)| {
            l.0 == expected.label && (of_range(l.1) - place.1).abs() <= tolerance
        };
        let message = &all.iter().find(near)?.2.message;
        if let Some(word) = expected.words.iter().find(|w| !message.contains(**w)) {
            return Some(format!("not `{word}`: {message}\n{text}"));
        }
        let Some((name, value, power)) = expected.coefficient else {
            continue;
        };
        let square = expected.vector.iter().map(|part| {
            let x = coordinates.pushed(&expected.u, part);
            x.iter().map(|x| x * x).sum::<f64>()
        });
        let length = square.sum::<f64>().sqrt();
        let per_time = if known.map || name == "l1" {
            1.0
        } else {
            coordinates.linear.time
        };
        let wanted = value / length.powi(power) / per_time;
        let said = coefficient(message, name);
        // Vectors have no sign.
        let off = |v: f64| (if power == 1 { v.abs() - wanted.abs() } else { v - wanted }).abs();
        let amplified = COEFFICIENTS * (1.0 + 1e-3 * known.amplified);
        if said.is_none_or(|v| !(off(v) <= amplified * wanted.abs())) {
            return Some(format!("{name} is {wanted:?}, not {said:?}: {message}\n{text}"));
        }
    }
    None
}

fn check(class: &str, few: usize, draw: impl Fn(&mut Random) -> Known) {
    let count = members(few);
    let found: Vec<(usize, String)> = (0..count)
        .filter_map(|member| {
            let mut random = Random::of(class, member);
            let known = draw(&mut random);
            let coordinates = Curved::random(&mut random, known.fields.len(), SCALES, known.odd);
            Some((member, wrong(&known, &coordinates)?))
        })
        .collect();
    none_wrong(class, count, &found);
}

/// Where the followed solution lies: u1 = place(q).
fn place(random: &mut Random, odd: bool) -> (String, impl Fn(f64) -> f64 + use<>) {
    let part = if odd || random.below(3) == 0 { 0.0 } else { 1.0 };
    let (a, b, c) = (
        part * random.between(-0.8, 0.8),
        random.between(-1.5, 1.5),
        part * random.between(-0.8, 0.8),
    );
    let text = match part {
        0.0 => "0".into(),
        _ => format!("(({a:?}) + ({c:?})*sin(({b:?})*q))"),
    };
    (text, move |q: f64| a + c * (b * q).sin())
}

fn one_or_two_places(random: &mut Random) -> Vec<f64> {
    if random.below(2) == 0 {
        return vec![random.between(-0.8, 0.8)];
    }
    let d = random.log_between(APART.0, APART.1);
    let q = random.between(-0.9, 0.9 - d);
    vec![q, q + d]
}

fn amplified(places: &[f64]) -> f64 {
    match places {
        [a, b] => (b - a).abs().recip(),
        _ => 0.0,
    }
}

fn zero_at(places: &[f64]) -> String {
    let factors: Vec<String> = places.iter().map(|q| format!("(q - ({q:?}))")).collect();
    factors.join("*")
}

fn criticality(cubic: f64) -> &'static str {
    if cubic < 0.0 { "supercritical" } else { "subcritical" }
}

fn fold(random: &mut Random, map: bool) -> Known {
    let n = 1 + random.below(4);
    let q0 = random.between(-0.5, 0.5);
    let sign = random.sign();
    let mut sketch = Sketch::new(random, map);
    sketch.fields = vec![format!("{}({sign:?})*0.3*(q - ({q0:?}) - u1^2)", sketch.lead())];
    sketch.fill(n);
    let first = sketch.random.sign() * (0.9 - q0).sqrt();
    let start = (0.9, sketch.states(&[first]));
    let expected = Expected {
        label: Label::LP,
        q: q0,
        u: sketch.states(&[0.0]),
        vector: sketch.vector(0.0, &[(1.0, 0.0)], (f64::from(u8::from(map)), 0.0)),
        coefficient: Some(("a", 0.3, 1)),
        words: vec!["fold"],
    };
    sketch.known(start, vec![expected], 0.0)
}

/// An S with folds at two places: q = m + a (u³ - 3 b² u), of critical values m ± 2 a b³.
fn fold_pair(random: &mut Random, map: bool) -> Known {
    let n = 1 + random.below(4);
    let d = random.log_between(APART.0, APART.1);
    let q1 = random.between(-0.9, 0.9 - d);
    let a = random.between(0.5, 2.0);
    let b = (d / (4.0 * a)).cbrt();
    let (middle, slope) = (q1 + 0.5 * d, 3.0 * b * b);
    let mut sketch = Sketch::new(random, map);
    sketch.fields = vec![format!(
        "{}0.1*(q - ({middle:?}) - ({a:?})*(u1^3 - ({slope:?})*u1))",
        sketch.lead()
    )];
    sketch.fill(n);
    let mut u = 2.0;
    for _ in 0..100 {
        u -= (a * (u * u * u - slope * u) + middle - 0.95) / (a * (3.0 * u * u - slope));
    }
    let start = (0.95, sketch.states(&[u]));
    let expected = |(q, u1): (f64, f64)| Expected {
        label: Label::LP,
        q,
        u: sketch.states(&[u1]),
        vector: sketch.vector(u1, &[(1.0, 0.0)], (f64::from(u8::from(map)), 0.0)),
        coefficient: Some(("a", 0.3 * a * b, 1)),
        words: vec!["fold"],
    };
    let labels = [(q1, b), (q1 + d, -b)].map(expected).into();
    sketch.known(start, labels, 1e-3 / d)
}

/// Another family crosses: at one place or two.
fn crossings(random: &mut Random, map: bool, power: i32, odd: bool) -> Known {
    let n = 1 + random.below(4);
    let places = one_or_two_places(random);
    crossings_at(random, map, power, odd, n, places)
}

/// Two next to each other.
fn close_crossings(random: &mut Random, map: bool, power: i32) -> Known {
    let n = 1 + random.below(4);
    let d = random.log_between(CLOSE.0, CLOSE.1);
    let q = random.between(-0.9, 0.9 - d);
    crossings_at(random, map, power, false, n, vec![q, q + d])
}

fn crossings_at(random: &mut Random, map: bool, power: i32, odd: bool, n: usize, places: Vec<f64>) -> Known {
    let (at, u1) = place(random, odd);
    let (sign, tail) = (random.sign(), random.sign() * random.log_between(0.2, 2.0));
    let mut sketch = Sketch::new(random, map);
    sketch.odd = odd;
    sketch.fields = vec![format!(
        "{}0.3*({sign:?})*{}*(u1 - {at}) + ({tail:?})*(u1 - {at})^{power}",
        sketch.lead(),
        zero_at(&places)
    )];
    sketch.fill(n);
    let q = [0.95, -0.95][sketch.random.below(2)];
    let expected = |&q: &f64| Expected {
        label: Label::BP,
        q,
        u: sketch.states(&[u1(q)]),
        vector: sketch.vector(u1(q), &[(1.0, 0.0)], (f64::from(u8::from(map)), 0.0)),
        coefficient: Some(if power == 2 { ("a", tail, 1) } else { ("b", tail, 2) }),
        words: if power == 2 {
            vec!["transcritical"]
        } else {
            vec!["pitchfork", criticality(tail)]
        },
    };
    let labels = places.iter().map(expected).collect();
    let start = (q, sketch.states(&[u1(q)]));
    sketch.known(start, labels, amplified(&places))
}

/// A complex pair crosses: at one place or two.
fn complex_pairs(random: &mut Random, map: bool) -> Known {
    let n = 2 + random.below(3);
    let places = one_or_two_places(random);
    let (at, u1) = place(random, false);
    let (sign, tail) = (random.sign(), random.sign() * random.log_between(0.2, 2.0));
    let u = format!("(u1 - {at})");
    let growth = format!("(({sign:?})*{} + ({tail:?})*({u}^2 + u2^2))", zero_at(&places));
    let omega = random.log_between(0.3, 3.0);
    // Away from the strong resonances.
    let (s, c) = random.between(0.3, 1.4).sin_cos();
    let mut sketch = Sketch::new(random, map);
    let (label, lambda, name, value) = if map {
        sketch.fields = vec![
            format!("{at} + (1 + 0.3*{growth})*(({c:?})*{u} - ({s:?})*u2)"),
            format!("(1 + 0.3*{growth})*(({s:?})*{u} + ({c:?})*u2)"),
        ];
        (Label::NS, (c, s), "d", 0.6 * tail)
    } else {
        sketch.fields = vec![
            format!("{growth}*{u} - ({omega:?})*u2"),
            format!("{growth}*u2 + ({omega:?})*{u}"),
        ];
        (Label::HB, (0.0, omega), "l1", 2.0 * tail / omega)
    };
    sketch.fill(n);
    let q = [0.95, -0.95][sketch.random.below(2)];
    let half = 0.5f64.sqrt();
    let expected = |&q: &f64| Expected {
        label,
        q,
        u: sketch.states(&[u1(q)]),
        vector: sketch.vector(u1(q), &[(half, 0.0), (0.0, -half)], lambda),
        coefficient: Some((name, value, 2)),
        words: vec![criticality(tail)],
    };
    let labels = places.iter().map(expected).collect();
    let start = (q, sketch.states(&[u1(q)]));
    sketch.known(start, labels, amplified(&places))
}

/// A multiplier passes -1: at one place or two.
fn flips(random: &mut Random, odd: bool) -> Known {
    let n = 1 + random.below(4);
    let places = one_or_two_places(random);
    let (at, u1) = place(random, odd);
    let (sign, tail) = (random.sign(), random.sign() * random.log_between(0.2, 2.0));
    let square = if odd { 0.0 } else { random.between(-1.0, 1.0) };
    let u = format!("(u1 - {at})");
    let mut sketch = Sketch::new(random, true);
    sketch.odd = odd;
    sketch.fields = vec![format!(
        "{at} - {u} + 0.3*({sign:?})*{}*{u} + ({square:?})*{u}^2 + ({tail:?})*{u}^3",
        zero_at(&places)
    )];
    sketch.fill(n);
    let q = [0.95, -0.95][sketch.random.below(2)];
    let cubic = square * square + tail;
    let expected = |&q: &f64| Expected {
        label: Label::PD,
        q,
        u: sketch.states(&[u1(q)]),
        vector: sketch.vector(u1(q), &[(1.0, 0.0)], (-1.0, 0.0)),
        coefficient: Some(("c", cubic, 2)),
        words: vec![criticality(-cubic)],
    };
    let labels = places.iter().map(expected).collect();
    let start = (q, sketch.states(&[u1(q)]));
    sketch.known(start, labels, amplified(&places))
}

/// A crossing of another family and a complex pair in directions of their own, on one curve.
fn mixed(random: &mut Random, map: bool) -> Known {
    let n = 3 + random.below(3);
    let (at, u1) = place(random, false);
    let (b, t) = (
        random.sign() * random.log_between(0.2, 2.0),
        random.sign() * random.log_between(0.2, 2.0),
    );
    let q1 = random.between(-0.8, 0.8);
    let q2 = loop {
        let q = q1 + random.sign() * random.log_between(APART.0, 1.0);
        if q.abs() < 0.9 {
            break q;
        }
    };
    let (r, s) = (random.sign(), random.sign());
    let mut sketch = Sketch::new(random, map);
    let u = format!("(u1 - {at})");
    let growth = format!("(({s:?})*(q - ({q2:?})) + ({t:?})*(u2^2 + u3^2) + 0.3*{u})");
    let omega = sketch.random.log_between(0.3, 3.0);
    let (sine, cosine) = sketch.random.between(0.3, 1.4).sin_cos();
    sketch.fields = vec![format!(
        "{}0.3*({r:?})*(q - ({q1:?}))*{u} + ({b:?})*{u}^3",
        sketch.lead()
    )];
    let (label, lambda) = if map {
        sketch
            .fields
            .push(format!("(1 + 0.3*{growth})*(({cosine:?})*u2 - ({sine:?})*u3)"));
        sketch
            .fields
            .push(format!("(1 + 0.3*{growth})*(({sine:?})*u2 + ({cosine:?})*u3)"));
        (Label::NS, (cosine, sine))
    } else {
        sketch.fields.push(format!("{growth}*u2 - ({omega:?})*u3"));
        sketch.fields.push(format!("{growth}*u3 + ({omega:?})*u2"));
        (Label::HB, (0.0, omega))
    };
    sketch.fill(n);
    let q = [0.95, -0.95][sketch.random.below(2)];
    let half = 0.5f64.sqrt();
    let crossing = Expected {
        label: Label::BP,
        q: q1,
        u: sketch.states(&[u1(q1)]),
        vector: sketch.vector(u1(q1), &[(1.0, 0.0)], (f64::from(u8::from(map)), 0.0)),
        coefficient: Some(("b", b, 2)),
        words: vec!["pitchfork", criticality(b)],
    };
    let pair = Expected {
        label,
        q: q2,
        u: sketch.states(&[u1(q2)]),
        vector: sketch.vector(u1(q2), &[(0.0, 0.0), (half, 0.0), (0.0, -half)], lambda),
        coefficient: Some(if map {
            ("d", 0.6 * t, 2)
        } else {
            ("l1", 2.0 * t / omega, 2)
        }),
        words: vec![criticality(t)],
    };
    let start = (q, sketch.states(&[u1(q)]));
    sketch.known(start, vec![crossing, pair], 0.0)
}

/// u1 on an ellipse over q: two folds, and the curve closes.
fn ellipse(random: &mut Random, map: bool) -> Known {
    let n = 1 + random.below(4);
    let r = random.log_between(1e-3, 0.8);
    let q0 = random.between(-0.9 + r, 0.9 - r);
    let (u0, height) = (random.between(-0.8, 0.8), (r * random.log_between(0.1, 10.0)).min(1.2));
    let rate = random.sign() * 0.3 * height.min(1.0);
    let (s, c) = random.between(0.0, std::f64::consts::TAU).sin_cos();
    let mut sketch = Sketch::new(random, map);
    sketch.fields = vec![format!(
        "{}({rate:?})*(1 - ((q - ({q0:?}))/({r:?}))^2 - ((u1 - ({u0:?}))/({height:?}))^2)",
        sketch.lead()
    )];
    sketch.fill(n);
    let start = (q0 + r * c, sketch.states(&[u0 + height * s]));
    let expected = |q: f64| Expected {
        label: Label::LP,
        q,
        u: sketch.states(&[u0]),
        vector: sketch.vector(u0, &[(1.0, 0.0)], (f64::from(u8::from(map)), 0.0)),
        coefficient: Some(("a", rate / (height * height), 1)),
        words: vec!["fold"],
    };
    let labels = [q0 - r, q0 + r].map(expected).into();
    sketch.known(start, labels, 1e-3 / r)
}

macro_rules! classes {
    ($($class:ident, $draw:expr;)+) => {
        $(#[test] fn $class() { check(concat!("smooth ", stringify!($class)), 4, $draw); })+
    };
}

classes! {
    folds, |r| fold(r, false);
    folds_of_maps, |r| fold(r, true);
    fold_pairs, |r| fold_pair(r, false);
    fold_pairs_of_maps, |r| fold_pair(r, true);
    transcritical_points, |r| crossings(r, false, 2, false);
    transcritical_points_of_maps, |r| crossings(r, true, 2, false);
    pitchforks, |r| crossings(r, false, 3, false);
    pitchforks_of_maps, |r| crossings(r, true, 3, false);
    pitchforks_by_symmetry, |r| crossings(r, false, 3, true);
    pitchforks_by_symmetry_of_maps, |r| crossings(r, true, 3, true);
    close_transcritical_points, |r| close_crossings(r, false, 2);
    close_transcritical_points_of_maps, |r| close_crossings(r, true, 2);
    close_pitchforks, |r| close_crossings(r, false, 3);
    close_pitchforks_of_maps, |r| close_crossings(r, true, 3);
    hopf_points, |r| complex_pairs(r, false);
    neimark_sacker_points, |r| complex_pairs(r, true);
    doublings, |r| flips(r, false);
    doublings_by_symmetry, |r| flips(r, true);
    crossings_beside_hopf_points, |r| mixed(r, false);
    crossings_beside_tori, |r| mixed(r, true);
    closed_curves, |r| ellipse(r, false);
    closed_curves_of_maps, |r| ellipse(r, true);
}
