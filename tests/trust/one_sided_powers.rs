//! Powers and roots of what is zero on one side, as forces of contacts by Hertz and maps of grazing impacts, written in
//! several ways: where the base is zero nothing moves, in every order of the derivatives.

use super::known::{Verdict, curve, labels, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::Label;
use slipstick_numerics::scalar::{Affine, Dual, Precise, Scalar, Third, TwoFold};
use slipstick_study::{AttractorKind, CurveResult};
use slipstick_system::Formula;
use slipstick_system::text::{Expression, Scope, Tape};
use std::f64::consts::{LN_10, PI};

const WRITINGS: usize = 6;

/// The power of z where that is positive, and zero elsewhere.
fn power(writing: usize, z: &str, p: f64) -> String {
    match writing {
        0 => format!("max({z}, 0)^{p:?}"),
        1 => format!("max(0, {z})^{p:?}"),
        2 => format!("(({z} + abs({z}))/2)^{p:?}"),
        3 => format!("if({z} > 0, ({z})^{p:?}, 0)"),
        4 => format!("(({z})*heaviside({z}))^{p:?}"),
        _ => format!("sqrt(max({z}, 0))^{:?}", 2.0 * p),
    }
}

/// A power between 0.3 and 3, but not near one.
fn exponent(random: &mut Random) -> f64 {
    match random.below(3) {
        0 => random.between(0.3, 0.9),
        _ => random.between(1.1, 3.0),
    }
}

fn compiled(text: &str) -> Tape {
    let mut scope = Scope::new();
    scope.state("x").unwrap();
    scope.parameter("p").unwrap();
    scope.compile(&[&Expression::parse(text).unwrap()]).unwrap()
}

fn at<T: Scalar>(tape: &Tape, x: T, p: T) -> T {
    let mut value = [T::zero()];
    tape.eval(&[x], &[p], &mut value);
    value[0]
}

#[test]
fn what_does_not_move_has_derivatives_that_are_zero() {
    let class = "derivatives of one-sided powers";
    let count = members(200);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (p, k, d) = (
            exponent(&mut random),
            random.sign() * random.log_between(0.1, 10.0),
            random.between(-2.0, 2.0),
        );
        let writing = random.below(WRITINGS);
        let z = format!("({k:?}*(x - ({d:?})))");
        let off = random.log_between(1e-3, 2.0);
        let (flat, steep) = (d - off * k.signum(), d + off * k.signum());
        let mut said = vec![];
        let clipped = [
            power(writing, &z, p),
            format!("exp(-1/max({z}, 0))"),
            format!("acos(min(1 + max({z}, 0), 1))"),
            format!("max({z}, 0)*sqrt(max({z}, 0))"),
            format!("ln(1 + max({z}, 0)^p)"),
        ];
        for (number, text) in clipped.iter().enumerate() {
            let tape = compiled(text);
            let third = at(&tape, Third::mixed(flat, 1.0, 1.0, 1.0), Third::from_f64(p));
            let by_exponent = at(&tape, Dual::<f64, 1>::constant(flat), Dual::variable(p, 0));
            let precise = at(
                &tape,
                Precise::variable(TwoFold::from_f64(flat), 0),
                Precise::from_f64(p),
            );
            let affine = at(
                &tape,
                Affine::<Third>::constant(Third::from_f64(flat)),
                Affine::from_f64(p),
            );
            let zeros = [
                third == Third::from_f64(0.0),
                by_exponent == Dual::from_f64(0.0),
                precise == Precise::from_f64(0.0),
                // Quotients of constants are products with the inverse there.
                number == 1 || affine.is_constant() && affine.constant == Third::from_f64(0.0),
            ];
            if zeros.contains(&false) {
                said.push(format!("`{text}` at {flat}: {zeros:?} {third:?}"));
            }
        }
        let z_there = k * (steep - d);
        let mut factor = 1.0;
        let wanted: [f64; 4] = std::array::from_fn(|order| {
            let value = factor * z_there.powf(p - order as f64) * k.powi(order as i32);
            factor *= p - order as f64;
            value
        });
        let third = at(
            &compiled(&clipped[0]),
            Third::mixed(steep, 1.0, 1.0, 1.0),
            Third::from_f64(p),
        );
        let found = [
            third.re.re.re,
            third.re.re.eps[0],
            third.re.eps[0].eps[0],
            third.eps[0].eps[0].eps[0],
        ];
        let largest = |order: usize| k.abs().powi(order as i32) * z_there.powf(p - order as f64);
        if (0..4).any(|order| !((found[order] - wanted[order]).abs() <= 1e-11 * largest(order))) {
            said.push(format!("at {steep}: {found:?}, {wanted:?}"));
        }
        let slope = at(
            &compiled(&format!("max({z}, 0)^p")),
            Dual::<f64, 2>::variable(steep, 0),
            Dual::variable(p, 1),
        );
        let known = [wanted[1], wanted[0] * z_there.ln()];
        if (0..2).any(|i| !((slope.eps[i] - known[i]).abs() <= 1e-12 * (known[i].abs() + wanted[0]))) {
            said.push(format!("by base and exponent: {:?}, {known:?}", slope.eps));
        }
        if !said.is_empty() {
            wrong.push((member, format!("p = {p}, {writing}: {said:?}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// The solution of q = (1 - a) y + g max(y, 0)^p, by bisection.
fn fixed_point([p, a, g]: [f64; 3], q: f64) -> f64 {
    let (mut low, mut high) = ((q / (1.0 - a)).min(0.0), (q / (1.0 - a)).max(0.0));
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if (1.0 - a) * middle + g * middle.max(0.0).powf(p) < q {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

/// y → q + a y - g max(y, 0)^p with y = x - d: one fixed point for each q, with a period doubling where its multiplier
/// a - g p y^(p - 1) is -1. At y = 0 the slope jumps to infinity (p < 1), or nothing happens.
#[test]
fn maps_of_one_sided_powers_are_those_of_the_closed_form() {
    let class = "maps of one-sided powers";
    let count = members(36);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (p, writing) = (exponent(&mut random), member % WRITINGS);
        let (a, g, d) = (
            random.between(-0.5, 0.7),
            random.between(0.3, 1.5),
            random.between(-1.0, 1.0),
        );
        let z = format!("(x - ({d:?}))");
        let text = format!(
            "Study(title: \"powers\", system: Map(states: [\"x\"], parameters: {{\"q\": 0.7}}, equations: [\"x+ = {d:?} + q + ({a:?})*{z} - {g:?}*{}\"]),
             curves: [Curve(name: \"c\", orbit: FixedPoint, start: All(at: {{\"q\": -0.3}}), free: \"q\", range: (-0.5, 1))],
             attractors: [Attractors(name: \"s\", sweep: \"q\", range: (-0.3, -0.2), count: 2, starts: 4, within: {{\"x\": ({:?}, {:?})}})])",
            power(writing, &z, p),
            d - 0.5,
            d + 0.5
        );
        let result = run(&text);
        let found = curve(&result, "c");
        let multiplier = |y: f64| if y > 0.0 { a - g * p * y.powf(p - 1.0) } else { a };
        let mut said = vec![];
        for (_, _, point) in found.points() {
            let (y, q) = (point.point.z[0] - d, point.point.parameter());
            let off = y - fixed_point([p, a, g], q);
            if off.abs() > 1e-8 {
                said.push(format!("no fixed point at {q}: {off:e}"));
            }
            let m = point
                .record
                .multipliers
                .first()
                .map(|m| m.arg.cos() * 10f64.powf(m.log10));
            let known = multiplier(y);
            // The digits of y itself are those of x.
            let digits = 1e-9 + 1e-14 * (known - a).abs() / y.abs();
            if y.abs() > 1e-6 && !m.is_some_and(|m| (m - known).abs() <= digits * known.abs().max(1.0)) {
                said.push(format!("multiplier at {q}: {m:?}, {known}"));
            }
        }
        let y = ((1.0 + a) / (g * p)).powf(1.0 / (p - 1.0));
        let q = (1.0 - a) * y + g * y.powf(p);
        let mut known = vec![];
        if q < 1.0 {
            known.push((Label::PD, q));
        }
        if p < 1.0 {
            known.push((Label::GR, 0.0));
        }
        let own: Vec<(Label, f64)> = labels(found).iter().map(|l| (l.0, l.1)).collect();
        let verdict = Verdict::of(&own, &known, 1e-9);
        if !verdict.is_right() {
            said.push(format!("{verdict:?}"));
        }
        if let Some((_, _, doubling)) = labels(found).iter().find(|l| l.0 == Label::PD) {
            let second = -g * p * (p - 1.0) * y.powf(p - 2.0);
            let third = second * (p - 2.0) / y;
            let c = 0.25 * second * second + third / 6.0;
            let words = doubling
                .message
                .split("c = ")
                .nth(1)
                .and_then(|rest| rest.split(',').next());
            let printed: Option<f64> = words.and_then(|word| word.parse().ok());
            let size = 0.25 * second * second + third.abs() / 6.0;
            if !printed.is_some_and(|printed| (printed - c).abs() <= (1e-7 + 1e-9 / y) * size) {
                said.push(format!("coefficient {c}: {}", doubling.message));
            }
        }
        for attractor in &result.attractors[0].found {
            let rest = d + attractor.value / (1.0 - a);
            match &attractor.kind {
                AttractorKind::Orbit { period, .. } if *period != 1.0 => (),
                AttractorKind::Orbit { .. } if (attractor.rows[0][0] - rest).abs() <= 1e-9 => (),
                kind => said.push(format!("sweep: {kind:?} at {:?}, not {rest}", attractor.rows.first())),
            }
        }
        if !said.is_empty() {
            said.truncate(4);
            wrong.push((member, format!("{said:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// The labels of a curve and the multipliers there.
fn summary(found: &CurveResult) -> Vec<(Label, f64, Vec<f64>)> {
    let all = found.points().filter_map(|(_, _, p)| Some((p.label?, p)));
    all.map(|(label, p)| {
        let multipliers = p.record.multipliers.iter().map(|m| m.log10).collect();
        (label, p.point.parameter(), multipliers)
    })
    .collect()
}

/// Forced oscillators with a contact by Hertz: of every kind of system, the same in two writings; and the product of
/// the multipliers is that of the damping (and of the restitution) alone.
#[test]
fn forced_oscillators_with_one_sided_powers_are_the_same_in_every_writing() {
    let class = "forces of one-sided powers";
    let count = members(9);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (p, kind) = (random.between(1.1, 3.0), member % 3);
        let (damping, k, d) = (
            random.between(0.1, 0.3),
            random.between(0.5, 3.0),
            random.between(0.1, 0.4),
        );
        let (force, w) = (random.between(0.5, 0.8), random.between(1.3, 1.7));
        let (first, step) = (random.below(WRITINGS), 1 + random.below(WRITINGS - 1));
        let restitution = 0.7;
        let study = |writing: usize| {
            let hertz = power(writing, &format!("(x - {d:?})"), p);
            let forcing = "forcing: Forcing(period: \"2*pi/w\")";
            let declared = format!("parameters: {{\"w\": {w:?}}}, {forcing}");
            let fields = format!("\"x' = v\", \"v' = {force:?}*cos(w*t) - {damping:?}*v - x - {k:?}*{hertz}\"");
            let (system, orbit) = match kind {
                0 => (
                    format!("Smooth(states: [\"x\", \"v\"], {declared}, equations: [{fields}])"),
                    "PeriodicOrbit",
                ),
                1 => (
                    format!(
                        "Hybrid(states: [\"x\", \"v\"], {declared}, modes: {{\"m\": Mode(equations: [{fields}], events: {{\"hit\": Event(guard: \"x + 0.3\", direction: Down, to: \"m\", reset: {{\"v\": \"-{restitution:?}*v\"}})}})}})"
                    ),
                    "Periodic(\"m hit\")",
                ),
                _ => (
                    format!(
                        "Mechanical(coordinates: [\"x\"], {declared}, masses: {{\"x\": 1}}, springs: [Spring(on: \"x\", stiffness: 1, damping: {damping:?})], \
                         forces: {{\"x\": \"{force:?}*cos(w*t) - {k:?}*{hertz}\"}}, contacts: {{\"dry\": Coulomb(on: \"x\", mu: 0.05)}})"
                    ),
                    "Periodic(\"dry:slip+ dry:reverse dry:slip- dry:reverse\")",
                ),
            };
            format!(
                "Study(title: \"powers\", system: {system}, curves: [Curve(name: \"c\", orbit: {orbit}, start: Settle(at: {{\"w\": {w:?}}}), free: \"w\", range: ({:?}, {:?}), levels: {{\"w\": [{w:?}]}})])",
                w - 0.03,
                w + 0.05
            )
        };
        let texts = [first, (first + step) % WRITINGS].map(study);
        let results = texts.each_ref().map(|text| run(text));
        let mut said = vec![];
        let all: Vec<_> = results.iter().filter_map(|r| r.curves.first()).map(summary).collect();
        match &all[..] {
            [one, other] if one.len() == other.len() && one.len() > 2 => {
                for (a, b) in one.iter().zip(other) {
                    let apart = a.2.iter().zip(&b.2).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
                    if a.0 != b.0 || (a.1 - b.1).abs() > 1e-9 || apart > 1e-9 && a.0 != Label::LP {
                        said.push(format!("{a:?} and {b:?}"));
                    }
                }
            }
            _ => said.push(format!("{all:?} {:?}", results[0].missing)),
        }
        for point in results
            .iter()
            .flat_map(|r| &r.curves)
            .flat_map(|c| c.points())
            .map(|(_, _, p)| p)
        {
            let impacts = if kind == 1 { 2.0 * f64::log10(restitution) } else { 0.0 };
            let rounds = (point.record.period * point.point.parameter() / (2.0 * PI)).round();
            let known = impacts - damping * rounds * 2.0 * PI / point.point.parameter() / LN_10;
            let product: f64 = point.record.multipliers.iter().map(|m| m.log10).sum();
            if kind < 2 && (product - known).abs() > 1e-8 {
                said.push(format!("product of the multipliers {product}, {known}"));
            }
        }
        if !said.is_empty() {
            said.truncate(4);
            wrong.push((member, format!("{said:?}\n{}\n{}", texts[0], texts[1])));
        }
    }
    none_wrong(class, count, &wrong);
}
