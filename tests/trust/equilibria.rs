//! Equilibria and points of maps whose bifurcations are known in closed form.

use super::known::{Verdict, curve, labels, none_wrong, run};
use super::random::{Coordinates, Random, members};
use slipstick_bifurcation::Label;

const EQUILIBRIUM: &str = "Equilibrium";
const FIXED_POINT: &str = "FixedPoint";

/// Scales of the states, the parameter and time, in powers of ten.
const SCALES: [f64; 3] = [7.0, 9.0, 5.0];
/// The same at the extremes.
const EXTREME: [f64; 3] = [12.0, 12.0, 6.0];
/// Distances of two places.
const WIDE: (f64, f64) = (1e-3, 0.3);
const NARROW: (f64, f64) = (4e-6, 1e-3);
const NARROW_CROSSINGS: (f64, f64) = (1e-4, 1e-3);
/// Where two curves run closely side by side between two crossings, the places move by what rounding leaves of a field
/// (relative, in random coordinates), divided by their distance.
const ROUNDING: f64 = 5e-14;

/// A curve known in closed form, in coordinates u and with a parameter q that is followed over (-1, 1).
struct Known {
    orbit: &'static str,
    fields: Vec<String>,
    /// The value of q where the curve starts, and the states there.
    start: (f64, Vec<f64>),
    labels: Vec<(Label, f64)>,
    /// By how much errors of the equations move the places.
    amplified: f64,
}

/// Where the followed solution lies: u1 = place(q).
struct Place {
    place: String,
    at: Box<dyn Fn(f64) -> f64>,
}

impl Place {
    fn random(random: &mut Random) -> Self {
        if random.below(2) == 0 {
            return Self {
                place: "0".into(),
                at: Box::new(|_| 0.0),
            };
        }
        let (a, b, c) = (
            random.between(-1.0, 1.0),
            random.between(-1.5, 1.5),
            random.between(-1.0, 1.0),
        );
        Self {
            place: format!("(({a:?}) + ({c:?})*sin(({b:?})*q))"),
            at: Box::new(move |q| a + c * (b * q).sin()),
        }
    }
}

/// Hold the labels of random members of a class against those that are known. `tolerance` is relative to the scale of
/// the parameter.
fn check(class: &str, exponents: [f64; 3], tolerance: f64, draw: impl Fn(&mut Random) -> Known) {
    let count = members(8);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let known = draw(&mut random);
        let coordinates = Coordinates::random(&mut random, known.fields.len(), exponents);
        let (found, text) = found(&known, &coordinates);
        let verdict = Verdict::of(&found, &known.labels, tolerance.max(ROUNDING * known.amplified));
        if !verdict.is_right() {
            wrong.push((member, format!("{verdict:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// The same over ranges that are narrow beside their distance from zero: 10^-0.5 to 10^-6 of it.
fn check_shifted(class: &str, draw: impl Fn(&mut Random) -> Known) {
    let count = members(8);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let known = draw(&mut random);
        let coordinates = Coordinates::random(&mut random, known.fields.len(), SCALES).shifted(&mut random, 6.0);
        let (found, text) = found(&known, &coordinates);
        let tolerance = 1e-9f64.max(ROUNDING * known.amplified) + coordinates.rounding() * (1.0 + known.amplified);
        let verdict = Verdict::of(&found, &known.labels, tolerance);
        if !verdict.is_right() {
            wrong.push((member, format!("{verdict:?} to {tolerance:e}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// The labels found in these coordinates, at values of q, and the study.
fn found(known: &Known, coordinates: &Coordinates) -> (Vec<(Label, f64)>, String) {
    let (q, u) = &known.start;
    let system = match known.orbit {
        EQUILIBRIUM => coordinates.smooth(&known.fields, *q),
        _ => coordinates.map(&known.fields, *q),
    };
    let text = format!(
        "Study(title: \"known\", system: {system}, curves: [Curve(name: \"c\", orbit: {}, start: Guess(at: {{\"p\": {:?}}}, states: [{}]), \
         free: \"p\", range: ({:?}, {:?}), points: 3000)])",
        known.orbit,
        coordinates.p(*q),
        coordinates.states_text(u),
        coordinates.p(-1.0),
        coordinates.p(1.0),
    );
    let result = run(&text);
    let Some(traced) = result.curves.iter().find(|c| c.name == "c") else {
        return (vec![(Label::MX, f64::NAN)], format!("{:?}\n{text}", result.missing));
    };
    let found = labels(traced).iter().map(|l| (l.0, coordinates.q(l.1))).collect();
    (found, format!("{} points\n{text}", traced.points().count()))
}

/// Stable directions beside the states of the normal form.
fn beside(random: &mut Random, mut fields: Vec<String>, n: usize, orbit: &str) -> Vec<String> {
    for i in fields.len() + 1..=n {
        let (rate, drive) = (random.log_between(0.1, 10.0), random.between(-0.5, 0.5));
        let away = format!("(u{i} - ({drive:?})*u1^2)");
        fields.push(match orbit {
            EQUILIBRIUM => format!("-({rate:?})*{away}"),
            _ => format!("u{i} - ({:?})*{away}", rate / (1.0 + rate)),
        });
    }
    fields
}

/// The first state of a solution, from which Newton's method finds the others.
fn first(u1: f64, n: usize) -> Vec<f64> {
    let mut u = vec![0.0; n];
    u[0] = u1;
    u
}

/// Two places in (-0.9, 0.9) at a random distance within these bounds.
fn two_places(random: &mut Random, distances: (f64, f64)) -> [f64; 2] {
    let d = random.log_between(distances.0, distances.1);
    let q1 = random.between(-0.9, 0.9 - d);
    [q1, q1 + d]
}

/// A factor that vanishes at the given places.
fn zero_at(places: &[f64]) -> String {
    let factors: Vec<String> = places.iter().map(|q| format!("(q - ({q:?}))")).collect();
    factors.join("*")
}

/// What a map adds to its states to stay where a flow rests.
fn lead(orbit: &str) -> &'static str {
    if orbit == EQUILIBRIUM { "" } else { "u1 + " }
}

fn fold(random: &mut Random, orbit: &'static str) -> Known {
    let n = 1 + random.below(4);
    let q0 = random.between(-0.5, 0.5);
    let sign = random.sign();
    let field = format!("{}({sign:?})*0.3*(q - ({q0:?}) - u1^2)", lead(orbit));
    Known {
        orbit,
        fields: beside(random, vec![field], n, orbit),
        start: (0.9, first(random.sign() * (0.9 - q0).sqrt(), n)),
        labels: vec![(Label::LP, q0)],
        amplified: 0.0,
    }
}

/// An S with folds at the two places: q = m + a (u³ - 3 b² u), of critical values m ± 2 a b³.
fn fold_pair(random: &mut Random, orbit: &'static str, distances: (f64, f64)) -> Known {
    let n = 1 + random.below(4);
    let [q1, q2] = two_places(random, distances);
    let a = random.between(0.5, 2.0);
    let b = ((q2 - q1) / (4.0 * a)).cbrt();
    let (middle, slope) = (0.5 * (q1 + q2), 3.0 * b * b);
    let field = format!(
        "{}0.1*(q - ({middle:?}) - ({a:?})*(u1^3 - ({slope:?})*u1))",
        lead(orbit)
    );
    // The only solution at q = 0.95.
    let mut u = 2.0;
    for _ in 0..100 {
        u -= (a * (u * u * u - slope * u) + middle - 0.95) / (a * (3.0 * u * u - slope));
    }
    Known {
        orbit,
        fields: beside(random, vec![field], n, orbit),
        start: (0.95, first(u, n)),
        labels: vec![(Label::LP, q1), (Label::LP, q2)],
        amplified: 0.0,
    }
}

/// Another family crosses the one that is followed at each of the places.
fn crossings(random: &mut Random, orbit: &'static str, places: &[f64]) -> Known {
    let n = 1 + random.below(4);
    let Place { place, at } = Place::random(random);
    let power = 2 + random.below(2);
    let (sign, tail) = (random.sign(), random.sign());
    let field = format!(
        "{}0.3*({sign:?})*({}*(u1 - {place}) + ({tail:?})*(u1 - {place})^{power})",
        lead(orbit),
        zero_at(places)
    );
    let q = [0.95, -0.95][random.below(2)];
    Known {
        orbit,
        fields: beside(random, vec![field], n, orbit),
        start: (q, first(at(q), n)),
        labels: places.iter().map(|q| (Label::BP, *q)).collect(),
        amplified: match places {
            [a, b] if power == 2 => (b - a).recip(),
            _ => 0.0,
        },
    }
}

/// A complex pair of eigenvalues or multipliers crosses at each of the places.
fn complex_pairs(random: &mut Random, orbit: &'static str, places: &[f64]) -> Known {
    let n = 2 + random.below(3);
    let Place { place, at } = Place::random(random);
    let u = format!("(u1 - {place})");
    let (sign, tail) = (random.sign(), random.sign());
    let growth = format!("(({sign:?})*{} + ({tail:?})*({u}^2 + u2^2))", zero_at(places));
    let fields = if orbit == EQUILIBRIUM {
        let omega = random.log_between(0.3, 3.0);
        vec![
            format!("{growth}*{u} - ({omega:?})*u2"),
            format!("{growth}*u2 + ({omega:?})*{u}"),
        ]
    } else {
        // Away from the strong resonances.
        let (s, c) = random.between(0.3, 1.4).sin_cos();
        vec![
            format!("{place} + (1 + 0.3*{growth})*(({c:?})*{u} - ({s:?})*u2)"),
            format!("(1 + 0.3*{growth})*(({s:?})*{u} + ({c:?})*u2)"),
        ]
    };
    let q = [0.95, -0.95][random.below(2)];
    let label = if orbit == EQUILIBRIUM { Label::HB } else { Label::NS };
    Known {
        orbit,
        fields: beside(random, fields, n, orbit),
        start: (q, first(at(q), n)),
        labels: places.iter().map(|q| (label, *q)).collect(),
        amplified: 0.0,
    }
}

/// A multiplier passes -1 at each of the places.
fn flips_at(random: &mut Random, places: &[f64]) -> Known {
    let n = 1 + random.below(4);
    let (sign, tail) = (random.sign(), random.sign());
    let field = format!("-u1 + 0.3*({sign:?})*({}*u1 + ({tail:?})*u1^3)", zero_at(places));
    let q = [0.95, -0.95][random.below(2)];
    Known {
        orbit: FIXED_POINT,
        fields: beside(random, vec![field], n, FIXED_POINT),
        start: (q, first(0.0, n)),
        labels: places.iter().map(|q| (Label::PD, *q)).collect(),
        amplified: 0.0,
    }
}

/// u1 on an ellipse over q, of any size: two folds, and the curve closes.
fn ellipse(random: &mut Random, orbit: &'static str, sizes: (f64, f64)) -> Known {
    let n = 1 + random.below(4);
    let r = random.log_between(sizes.0, sizes.1);
    let q0 = random.between(-0.9 + r, 0.9 - r);
    let (u0, height) = (random.between(-1.0, 1.0), r * random.log_between(0.1, 10.0));
    let rate = random.sign() * 0.3 * height.min(1.0);
    let field = format!(
        "{}({rate:?})*(1 - ((q - ({q0:?}))/({r:?}))^2 - ((u1 - ({u0:?}))/({height:?}))^2)",
        lead(orbit)
    );
    let (s, c) = random.between(0.0, std::f64::consts::TAU).sin_cos();
    Known {
        orbit,
        fields: beside(random, vec![field], n, orbit),
        start: (q0 + r * c, first(u0 + height * s, n)),
        labels: vec![(Label::LP, q0 - r), (Label::LP, q0 + r)],
        amplified: 0.0,
    }
}

/// One test for each class: its scales, the tolerance, and how its members are drawn.
macro_rules! classes {
    ($($class:ident, $exponents:expr, $tolerance:expr, $draw:expr;)+) => {
        $(#[test] fn $class() { check(stringify!($class), $exponents, $tolerance, $draw); })+
    };
}

classes! {
    folds, SCALES, 1e-9, |r| fold(r, EQUILIBRIUM);
    folds_of_maps, SCALES, 1e-9, |r| fold(r, FIXED_POINT);
    fold_pairs, SCALES, 1e-9, |r| fold_pair(r, EQUILIBRIUM, WIDE);
    fold_pairs_of_maps, SCALES, 1e-9, |r| fold_pair(r, FIXED_POINT, WIDE);
    narrow_fold_pairs, SCALES, 1e-9, |r| fold_pair(r, EQUILIBRIUM, NARROW);
    branch_points, SCALES, 1e-9, |r| { let q = r.between(-0.8, 0.8); crossings(r, EQUILIBRIUM, &[q]) };
    branch_points_of_maps, SCALES, 1e-9, |r| { let q = r.between(-0.8, 0.8); crossings(r, FIXED_POINT, &[q]) };
    branch_point_pairs, SCALES, 1e-9, |r| { let q = two_places(r, WIDE); crossings(r, EQUILIBRIUM, &q) };
    branch_point_pairs_of_maps, SCALES, 1e-9, |r| { let q = two_places(r, WIDE); crossings(r, FIXED_POINT, &q) };
    narrow_branch_point_pairs, SCALES, 1e-9, |r| { let q = two_places(r, NARROW_CROSSINGS); crossings(r, EQUILIBRIUM, &q) };
    hopf_points, SCALES, 1e-9, |r| { let q = r.between(-0.8, 0.8); complex_pairs(r, EQUILIBRIUM, &[q]) };
    neimark_sacker_points, SCALES, 1e-9, |r| { let q = r.between(-0.8, 0.8); complex_pairs(r, FIXED_POINT, &[q]) };
    hopf_pairs, SCALES, 1e-9, |r| { let q = two_places(r, WIDE); complex_pairs(r, EQUILIBRIUM, &q) };
    neimark_sacker_pairs, SCALES, 1e-9, |r| { let q = two_places(r, WIDE); complex_pairs(r, FIXED_POINT, &q) };
    narrow_hopf_pairs, SCALES, 1e-8, |r| { let q = two_places(r, NARROW); complex_pairs(r, EQUILIBRIUM, &q) };
    hopf_triples, SCALES, 1e-9, |r| {
        let [a, b] = two_places(r, (1e-3, 0.1));
        let c = b + r.log_between(1e-3, 0.04);
        complex_pairs(r, EQUILIBRIUM, &[a, b, c])
    };
    flips, SCALES, 1e-9, |r| { let q = r.between(-0.8, 0.8); flips_at(r, &[q]) };
    flip_pairs, SCALES, 1e-9, |r| { let q = two_places(r, WIDE); flips_at(r, &q) };
    narrow_flip_pairs, SCALES, 1e-8, |r| { let q = two_places(r, NARROW); flips_at(r, &q) };
    loops, SCALES, 1e-9, |r| ellipse(r, EQUILIBRIUM, (1e-3, 0.8));
    small_loops, [3.0, 3.0, 3.0], 1e-9, |r| ellipse(r, EQUILIBRIUM, (1e-6, 1e-3));
    loops_of_maps, SCALES, 1e-9, |r| ellipse(r, FIXED_POINT, (1e-3, 0.8));
}

classes! {
    extreme_folds, EXTREME, 1e-9, |r| fold(r, EQUILIBRIUM);
    extreme_folds_of_maps, EXTREME, 1e-9, |r| fold(r, FIXED_POINT);
    extreme_branch_points, EXTREME, 1e-9, |r| { let q = two_places(r, WIDE); crossings(r, EQUILIBRIUM, &q) };
    extreme_hopf_points, EXTREME, 1e-9, |r| { let q = two_places(r, WIDE); complex_pairs(r, EQUILIBRIUM, &q) };
    extreme_flips, EXTREME, 1e-9, |r| { let q = two_places(r, WIDE); flips_at(r, &q) };
    extreme_loops, EXTREME, 1e-9, |r| ellipse(r, EQUILIBRIUM, (1e-2, 0.8));
}

macro_rules! shifted {
    ($($class:ident, $draw:expr;)+) => {
        $(#[test] fn $class() { check_shifted(stringify!($class), $draw); })+
    };
}

shifted! {
    shifted_folds, |r| fold(r, EQUILIBRIUM);
    shifted_folds_of_maps, |r| fold(r, FIXED_POINT);
    shifted_fold_pairs, |r| fold_pair(r, EQUILIBRIUM, WIDE);
    shifted_branch_points, |r| { let q = r.between(-0.8, 0.8); crossings(r, EQUILIBRIUM, &[q]) };
    shifted_branch_point_pairs, |r| { let q = two_places(r, (1e-2, 0.3)); crossings(r, EQUILIBRIUM, &q) };
    shifted_hopf_pairs, |r| { let q = two_places(r, (1e-2, 0.3)); complex_pairs(r, EQUILIBRIUM, &q) };
    shifted_flip_pairs, |r| { let q = two_places(r, (1e-2, 0.3)); flips_at(r, &q) };
    shifted_loops, |r| ellipse(r, EQUILIBRIUM, (1e-2, 0.8));
}

/// θ' = W - a - K sin 2πθ/P, and θ⁺ = θ + the same: closed modulo the period P of the angle, with folds at W = a ± K.
#[test]
fn curves_that_close_modulo_an_angle() {
    let count = members(8);
    let mut wrong = vec![];
    for member in 0..count {
        let mut r = Random::of("modulo", member);
        let (a, k, period) = (r.between(-0.3, 0.3), r.log_between(1e-2, 0.5), r.log_between(0.1, 10.0));
        let rate = format!("W - ({a:?}) - ({k:?})*sin(2*pi/({period:?})*th)");
        let (system, orbit) = match r.below(2) {
            0 => (format!("Smooth(equations: [\"th' = {rate}\"], "), EQUILIBRIUM),
            _ => (
                format!("Map(equations: [\"th+ = th + ({:?})*({rate})\"], ", 0.2 * period),
                FIXED_POINT,
            ),
        };
        let text = format!(
            "Study(title: \"known\", system: {system}states: [\"th\"], angles: {{\"th\": \"{period:?}\"}}, parameters: {{\"W\": {a:?}}}), \
             curves: [Curve(name: \"c\", orbit: {orbit}, start: Guess(at: {{\"W\": {a:?}}}, states: [{{\"th\": 0.0}}]), free: \"W\", \
             range: (-1, 1), points: 3000)])"
        );
        let result = run(&text);
        let found: Vec<(Label, f64)> = labels(curve(&result, "c")).iter().map(|l| (l.0, l.1)).collect();
        let verdict = Verdict::of(&found, &[(Label::LP, a - k), (Label::LP, a + k)], 1e-9);
        if !verdict.is_right() {
            wrong.push((member, format!("{verdict:?}\n{text}")));
        }
    }
    none_wrong("modulo", count, &wrong);
}

/// A stirred tank with a reaction of any activation energy, x' = 1 - x - D x e^(-E/T), T' = 1 - T + b D x e^(-E/T) + 2
/// (c - T): its temperatures at rest are the zeros of a scalar function. Next to T = 0 from below the rates are beyond
/// all numbers.
#[test]
fn stirred_tanks_rest_at_their_temperatures_only() {
    let class = "stirred tanks";
    let count = members(8);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let energy = random.between(3.0, 40.0);
        let rate = (energy * random.between(0.8, 1.1)).exp();
        let (heat, cold) = (random.between(0.1, 1.5), random.between(0.7, 1.0));
        let kelvin = random.log_between(1.0, 400.0);
        let text = format!(
            "Study(title: \"tank\", system: Smooth(states: [\"x\", \"T\"], parameters: {{\"c\": {cold:?}}}, \
             define: {{\"u\": \"T/{kelvin:?}\", \"r\": \"{rate:?}*x*exp(-{energy:?}/u)\"}}, \
             equations: [\"x' = 1 - x - r\", \"T' = {kelvin:?}*(1 - u + {heat:?}*r + 2*(c - u))\"], start: {{\"x\": 1, \"T\": {kelvin:?}}}), \
             curves: [Curve(name: \"c\", orbit: Equilibrium, start: All(at: {{\"c\": {cold:?}}}), free: \"c\", range: (0.5, 1.5), levels: {{\"c\": [{cold:?}]}})])"
        );
        let balance = |t: f64| {
            let k = rate * (-energy / t).exp();
            3.0 * t - 1.0 - 2.0 * cold - heat * k / (1.0 + k)
        };
        let steps = 200_000;
        let at = |k: usize| 0.2 + 2.0 * k as f64 / f64::from(steps);
        let between = (0..steps as usize).filter(|&k| balance(at(k)) * balance(at(k + 1)) <= 0.0);
        let known: Vec<f64> = between.map(|k| kelvin * 0.5 * (at(k) + at(k + 1))).collect();
        let result = run(&text);
        let points = result.curves.iter().flat_map(|c| c.points().map(|(_, _, p)| p));
        let here = points.filter(|p| (p.point.parameter() - cold).abs() < 1e-12);
        let found: Vec<f64> = here.map(|p| p.point.z[1]).collect();
        let near = |a: &f64, b: &f64| (a - b).abs() < 1e-4 * kelvin;
        let right = result.curves.len() <= known.len()
            && found.iter().all(|t| known.iter().any(|k| near(t, k)))
            && known.iter().all(|k| found.iter().any(|t| near(t, k)));
        if !right {
            wrong.push((
                member,
                format!("{} curves, {found:?} for {known:?}\n{text}", result.curves.len()),
            ));
        }
    }
    none_wrong(class, count, &wrong);
}

/// `All` just where solutions meet: at a fold, a transcritical point and a pitchfork, of equilibria and of points of
/// maps, with further solutions elsewhere. All curves through the place are there, with the label.
#[test]
fn all_solutions_where_they_meet() {
    let class = "all where they meet";
    let count = members(18);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let orbit = if member % 2 == 0 { EQUILIBRIUM } else { FIXED_POINT };
        let (a, at, bend) = (random.between(0.3, 1.5), random.between(-0.5, 0.5), random.sign());
        let (q, u) = (
            format!("(q - ({at:?}))"),
            format!("(u1 - ({:?}))", random.between(-0.5, 0.5)),
        );
        // How many solutions there are on both sides at a distance of 0.3 and the label.
        let (field, label) = match member % 3 {
            0 => (format!("{a:?}*{q} + ({bend:?})*{u}^2"), Label::LP),
            1 => (format!("{u}*({a:?}*{q} + ({bend:?})*{u})"), Label::BP),
            _ => (format!("{u}*({a:?}*{q} + ({bend:?})*{u}^2)"), Label::BP),
        };
        let scale = if orbit == EQUILIBRIUM { 1.0 } else { 0.2 };
        let n = 1 + random.below(3);
        let lead = lead(orbit);
        let fields = beside(&mut random, vec![format!("{lead}{scale:?}*({field})")], n, orbit);
        let coordinates = Coordinates::random(&mut random, n, [2.0, 2.0, 2.0]);
        let system = match orbit {
            EQUILIBRIUM => coordinates.smooth(&fields, at),
            _ => coordinates.map(&fields, at),
        };
        let p = |q: f64| coordinates.p(q);
        let text = format!(
            "Study(title: \"meet\", system: {system}, curves: [Curve(name: \"c\", orbit: {orbit}, start: All(at: {{\"p\": {:?}}}), \
             free: \"p\", range: ({:?}, {:?}), branches: [BP], levels: {{\"p\": [{:?}, {:?}]}})])",
            p(at),
            p(at - 1.0),
            p(at + 1.0),
            p(at - 0.1),
            p(at + 0.1),
        );
        let result = run(&text);
        let points = || result.curves.iter().flat_map(|c| c.points().map(|(_, _, p)| p));
        let place = |p: &slipstick_bifurcation::BranchPoint| coordinates.q(p.point.parameter()) - at;
        let labelled: Vec<(Label, f64)> = points()
            .filter(|p| !matches!(p.label, None | Some(Label::EP | Label::UZ)))
            .filter_map(|p| Some((p.label?, place(p))))
            .collect();
        let solutions = |q: f64| {
            points()
                .filter(|p| p.label == Some(Label::UZ) && (place(p) - q).abs() < 1e-6)
                .count()
        };
        let mut counts = [solutions(-0.1), solutions(0.1)];
        counts.sort_unstable();
        let expected = [[0, 2], [2, 2], [1, 3]][member % 3];
        let there = |found: &(Label, f64)| found.0 == label && found.1.abs() < 1e-8;
        if labelled.len() != 1 || !labelled.iter().all(there) || counts != expected {
            wrong.push((
                member,
                format!(
                    "{labelled:?}, {counts:?} for {expected:?}\n{:?}\n{text}",
                    result.missing
                ),
            ));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Goodwin's loops of genes, of which the last one represses the first ever more steeply: the equations saturate, and
/// powers overflow far away. Equilibria follow from an equation of one unknown, and eigenvalues are roots of a number.
#[test]
fn loops_that_repress_steeply() {
    let class = "loops of genes";
    let count = members(12);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let n = 3 + random.below(3);
        let (m, d) = (random.between(6.0, 16.0).round(), random.log_between(0.03, 1.5));
        let unit = random.log_between(1e-3, 1e3);
        let decay = d.powi(n as i32);
        // Followed in the strength s = 10^q of the first gene; in terms of the last one s = d^n u (1 + u^m).
        let strength = |u: f64| decay * u * (1.0 + u.powf(m));
        let slope = |u: f64| strength(u) * m * u.powf(m - 1.0) / (1.0 + u.powf(m)).powi(2);
        let root = |f: &dyn Fn(f64) -> f64| {
            let (mut low, mut high) = (1e-9f64, 1e9f64);
            for _ in 0..400 {
                let middle = (low * high).sqrt();
                if f(middle) < 0.0 { low = middle } else { high = middle }
            }
            low
        };
        let of_strength = |s: f64| root(&|u| strength(u) - s);
        // A pair passes the axis where the slope is (d / cos(π/n))^n.
        let critical = decay / (std::f64::consts::PI / n as f64).cos().powi(n as i32);
        // The slope grows from zero to m times d^n: three genes need a power above eight.
        let pair = (m * decay > 1.001 * critical).then(|| root(&|u| slope(u) - critical));
        let s = pair.map_or(decay, strength) * random.log_between(0.02, 50.0);
        let (low, high) = (1e-3 * s, 1e3 * s);
        let known: Vec<(Label, f64)> = pair.iter().map(|u| (Label::HB, strength(*u).ln())).collect();
        let known: Vec<(Label, f64)> = known
            .into_iter()
            .filter(|k| (low.ln()..high.ln()).contains(&k.1))
            .collect();
        let states: Vec<String> = (1..=n).map(|i| format!("\"x{i}\"")).collect();
        let last = format!("(x{n}/{unit:?})");
        let mut equations = vec![format!("\"x1' = {unit:?}*s/(1 + {last}^{m:?}) - {d:?}*x1\"")];
        equations.extend((2..=n).map(|i| format!("\"x{i}' = x{} - {d:?}*x{i}\"", i - 1)));
        let near = 1.0 + random.between(-0.05, 0.05);
        let u = of_strength(s) * near;
        let start: Vec<String> = (1..=n)
            .map(|i| format!("\"x{i}\": {:?}", unit * u * d.powi((n - i) as i32)))
            .collect();
        let text = format!(
            "Study(title: \"loop\", system: Smooth(states: [{}], parameters: {{\"s\": {s:?}}}, equations: [{}]), \
             curves: [Curve(name: \"c\", orbit: Equilibrium, start: Guess(at: {{\"s\": {s:?}}}, states: [{{{}}}]), free: \"s\", range: ({low:?}, {high:?}))])",
            states.join(", "),
            equations.join(", "),
            start.join(", "),
        );
        let result = run(&text);
        let c = curve(&result, "c");
        let off = |p: &slipstick_bifurcation::BranchPoint| {
            let u = p.point.z[n - 1] / unit;
            (strength(u) / p.point.parameter() - 1.0).abs()
        };
        let off = c.points().map(|(_, _, p)| off(p)).fold(0.0, f64::max);
        let found: Vec<(Label, f64)> = labels(c).into_iter().map(|(label, at, _)| (label, at.ln())).collect();
        let verdict = Verdict::of(&found, &known, 1e-8);
        if !verdict.is_right() || off > 1e-10 {
            wrong.push((member, format!("{verdict:?}, off by {off:e}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}
