//! Cycles known in closed form, written down in random smooth coordinates with a random smooth function of the
//! parameter: labels, places, periods and multipliers, which no such change may touch.

use super::curved::Curved;
use super::cycles::{Bautin, beside_circle};
use super::known::{Verdict, labels, none_wrong, run};
use super::normal_forms::class;
use super::random::{Random, members};
use slipstick_bifurcation::{End, Label};
use slipstick_study::CurveResult;
use std::f64::consts::TAU;

/// The exponents of the scales of states, parameter and time in which cycles are written down.
const SCALES: [f64; 3] = [7.0, 9.0, 5.0];

/// Logarithms of multipliers are as good as the orbit on its mesh, times how fast the divergence changes beside it.
const EXPONENTS: f64 = 3e-6;

fn how(random: &mut Random, coordinates: &Curved) -> String {
    let method = match random.below(4) {
        0 => format!("Shooting(shots: {})", 1 + random.below(6)),
        1 => format!("Collocation(stages: {})", 4 + random.below(5)),
        _ => "Auto".into(),
    };
    format!(
        "method: {method}, step: Step(largest: {:?}), points: 3000",
        coordinates.linear.parameter * random.log_between(0.02, 0.2)
    )
}

/// The study of the cycles through `u` at `q`, of period `period`, with q in (-1, 1).
fn study(c: &Curved, fields: &[String], how: &str, (q, u, period): (f64, &[f64], f64)) -> String {
    format!(
        "Study(title: \"cycles\", system: {}, curves: [Curve(name: \"c\", orbit: PeriodicOrbit, start: Guess(at: {{\"p\": {:?}}}, states: [{}], durations: [{:?}]), free: \"p\", range: ({:?}, {:?}), {how})])",
        c.system(false, fields, q),
        c.p(q),
        c.states_text(u),
        c.linear.time * period,
        c.p(-1.0),
        c.p(1.0),
    )
}

/// Labels against those known at values of q, in parts of the scale of the parameter.
fn verdict(c: &Curved, cycles: &CurveResult, known: &[(Label, f64)], tolerance: f64) -> Verdict {
    let found: Vec<(Label, f64)> = labels(cycles).iter().map(|l| (l.0, c.linear.q(l.1))).collect();
    let known: Vec<(Label, f64)> = known.iter().map(|(label, q)| (*label, c.linear.q(c.p(*q)))).collect();
    Verdict::of(&found, &known, tolerance)
}

/// Families that end at a Hopf point, beyond a fold where that is subcritical.
#[test]
fn ends_at_hopf_points() {
    let count = members(5);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("smooth ends at Hopf points", member);
        let system = Bautin::random(&mut random);
        let fields = system.fields();
        let c = Curved::random(&mut random, fields.len(), SCALES, false);
        let how = how(&mut random, &c);
        let square = system.square(0.9);
        let mut start: Vec<f64> = system.centre.iter().map(|[at, by]| at + 0.9 * by).collect();
        start[0] += square.sqrt();
        let text = study(&c, &fields, &how, (0.9, &start, system.period(square)));
        let result = run(&text);
        let Some(cycles) = result.curves.iter().find(|c| c.name == "c") else {
            wrong.push((member, format!("nothing: {:?}\n{text}", result.missing)));
            continue;
        };
        let verdict = verdict(&c, cycles, &system.known(), 1e-9);
        let ends = cycles.pieces.iter().flat_map(|p| &p.branch.ends);
        let shrunk = ends.filter(|e| matches!(e, End::Shrunk { .. })).count();
        let error = system.error(cycles, (&|p| c.q(p), c.linear.time), !how.contains("Shooting"));
        if !verdict.is_right() || shrunk != 1 || error > EXPONENTS {
            wrong.push((member, format!("{verdict:?} {shrunk} ends, error {error:e}\n{text}")));
        }
    }
    none_wrong("smooth ends at Hopf points", count, &wrong);
}

/// Families that begin at a Hopf point.
#[test]
fn begun_at_hopf_points() {
    let count = members(3);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("smooth begun at Hopf points", member);
        let system = Bautin::random(&mut random);
        let fields = system.fields();
        let c = Curved::random(&mut random, fields.len(), SCALES, false);
        let how = how(&mut random, &c);
        let start: Vec<f64> = system.centre.iter().map(|[at, by]| at - 0.9 * by).collect();
        let range = format!("range: ({:?}, {:?})", c.p(-1.0), c.p(1.0));
        let text = format!(
            "Study(title: \"cycles\", system: {}, curves: [
                Curve(name: \"e\", orbit: Equilibrium, start: Guess(at: {{\"p\": {:?}}}, states: [{}]), free: \"p\", {range}),
                Curve(name: \"c\", orbit: PeriodicOrbit, start: Point(from: \"e, HB\"), free: \"p\", {range}, {how})])",
            c.system(false, &fields, -0.9),
            c.p(-0.9),
            c.states_text(&start),
        );
        let result = run(&text);
        let Some(cycles) = result.curves.iter().find(|c| c.name == "c") else {
            wrong.push((member, format!("nothing: {:?}\n{text}", result.missing)));
            continue;
        };
        let mut known = system.known();
        known.retain(|k| k.0 != Label::HB);
        let verdict = verdict(&c, cycles, &known, 1e-9);
        let error = system.error(cycles, (&|p| c.q(p), c.linear.time), !how.contains("Shooting"));
        let last = cycles.points().last().map(|p| p.2.point.parameter());
        if !verdict.is_right() || error > EXPONENTS || last != Some(c.p(1.0)) {
            wrong.push((member, format!("{verdict:?} up to {last:?}, error {error:e}\n{text}")));
        }
    }
    none_wrong("smooth begun at Hopf points", count, &wrong);
}

/// Doublings, tori or branch points beside a circle, one or two of them.
#[test]
fn beside_a_circle() {
    let count = members(10);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("smooth beside a circle", member);
        let q = random.between(-0.6, 0.5);
        let places = match random.below(2) {
            0 => vec![q],
            _ => vec![q, q + random.log_between(1e-2, 0.3)],
        };
        let slope = random.sign() * random.log_between(0.1, 0.5);
        let factors: Vec<String> = places.iter().map(|q| format!("(q - ({q:?}))")).collect();
        let (label, fields, omega) = beside_circle(&mut random, &format!("({slope:?})*{}", factors.join("*")));
        let c = Curved::random(&mut random, fields.len(), SCALES, false);
        let mut start = vec![0.0; fields.len()];
        start[0] = 1.0;
        let text = study(&c, &fields, "points: 3000", (0.9, &start, TAU / omega));
        let result = run(&text);
        let Some(cycles) = result.curves.iter().find(|c| c.name == "c") else {
            wrong.push((member, format!("nothing: {:?}\n{text}", result.missing)));
            continue;
        };
        let known: Vec<(Label, f64)> = places.iter().map(|q| (label, *q)).collect();
        let verdict = verdict(&c, cycles, &known, 1e-9);
        let period = c.linear.time * TAU / omega;
        let error = cycles
            .points()
            .fold(0.0f64, |m, p| m.max((p.2.record.period / period - 1.0).abs()));
        if !verdict.is_right() || error > 1e-9 {
            wrong.push((member, format!("{label} {verdict:?}, error {error:e}\n{text}")));
        }
    }
    none_wrong("smooth beside a circle", count, &wrong);
}

/// Relaxation oscillators of FitzHugh and Nagumo: after the canard explosion, along which the parameter stays the same
/// to rounding, the cycles turn back. Bounds on the largest v that end the curve anywhere behind the fold, among orbits
/// at what is the same parameter to rounding, do not take it away.
#[test]
fn folds_next_to_the_end_of_a_curve_are_told() {
    class("folds next to an end", 4, |random| {
        let (a, b, e) = (
            random.between(0.65, 0.75),
            random.between(0.7, 0.85),
            random.between(0.07, 0.09),
        );
        let text = |bound: f64| {
            format!(
                "Study(title: \"canard\", system: Smooth(states: [\"v\", \"w\"], parameters: {{\"I\": 0}}, \
                 equations: [\"v' = v - v^3/3 - w + I\", \"w' = ({e:?})*(v + ({a:?}) - ({b:?})*w)\"], monitors: {{\"least\": Max(\"-v\"), \"most\": Max(\"v\")}}), \
                 curves: [Curve(name: \"eq\", orbit: Equilibrium, start: All(at: {{\"I\": 0}}, within: {{\"v\": (-3, 3), \"w\": (-3, 3)}}), free: \"I\", range: (-1, 3)), \
                 Curve(name: \"cyc\", orbit: PeriodicOrbit, start: Point(from: \"eq, HB\"), free: \"I\", range: (0.85, 3), within: {{\"most\": (-2, {bound:?})}})])"
            )
        };
        let fold = |text: &str| {
            let result = run(text);
            let cycles = result.curves.iter().filter(|c| c.name.starts_with("cyc"));
            let found = cycles.flat_map(|c| {
                let column = c.monitors.iter().position(|name| name == "most").unwrap();
                let folds = c.points().filter(|(_, _, p)| p.label == Some(Label::LP));
                folds.map(move |(_, _, p)| (p.point.parameter(), p.record.monitors[column]))
            });
            let why = result.missing.first().map(|missing| missing.reason.to_string());
            found.into_iter().next().ok_or(why)
        };
        let whole = text(5.0);
        let (at, most) = match fold(&whole) {
            Ok(found) => found,
            Err(why) => return Some(format!("no fold at all: {why:?}\n{whole}")),
        };
        let bounded = text(most + random.log_between(1e-3, 1e-2));
        let again = fold(&bounded);
        let right = again.as_ref().is_ok_and(|(found, _)| (found - at).abs() <= 1e-9);
        (!right).then(|| format!("{at:?}, {again:?}\n{bounded}"))
    });
}
