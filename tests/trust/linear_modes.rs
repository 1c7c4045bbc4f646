//! Systems with linear modes: cycles that fill a continuum within one of them at its Hopf point, motions that grow
//! without bound, and orbits that meet two surfaces at once.

use super::known::{curve, labels, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::{End, Label};
use slipstick_study::AttractorKind;
use std::f64::consts::TAU;

/// The plane centre x' = a x - w y, y' = w x + a y about (p, q), damped where x exceeds p + d by k (x - p - d), beside
/// a state that decays, in other units. At a = 0 circles of radius up to d fill a continuum; above, there is one cycle,
/// which grows with a from the largest of them. From the cycle down the curve ends at the Hopf point of the linear
/// mode, wherever its range ends; from the Hopf point the continuum is followed to the circle that touches the surface.
#[test]
fn a_continuum_within_a_linear_mode_ends_at_its_hopf_point() {
    let class = "continua in linear modes";
    let count = members(6);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (w, k) = (random.log_between(0.3, 4.0), random.between(0.3, 1.5));
        let (p, q) = (random.between(-2.0, 2.0), random.between(-2.0, 2.0));
        let (size, unit) = (random.log_between(0.05, 20.0), random.log_between(0.1, 10.0));
        let (d, g) = (random.between(0.3, 2.0) * size, random.between(0.5, 2.0));
        let (from, top) = (random.between(0.02, 0.06) * k, random.between(0.07, 0.13) * k);
        let points = 1000 + random.below(2000);
        let system = format!(
            "Filippov(states: [\"x\", \"y\", \"z\"], parameters: {{\"m\": {0:?}}}, surfaces: {{\"s\": \"x - {1:?}\"}}, \
             define: {{\"a\": \"m/{unit:?}\", \"u\": \"x - {p:?}\", \"v\": \"(y - {q:?})\"}}, \
             equations: [\"x' = a*u - {w:?}*v - {k:?}*(x - {1:?})*heaviside(s)\", \"y' = {w:?}*u + a*v\", \"z' = -{g:?}*z + u\"], \
             start: {{\"x\": {2:?}, \"y\": {q:?}}})",
            from * unit,
            p + d,
            p + 0.9 * d
        );
        let text = format!(
            "Study(title: \"centre\", system: {system}, curves: [\
             Curve(name: \"e\", orbit: Equilibrium, start: Settle(at: {{\"m\": {0:?}}}), free: \"m\", range: ({0:?}, {1:?})), \
             Curve(name: \"h\", orbit: Periodic(\"s- free\"), start: Point(from: \"e, HB\"), free: \"m\", range: ({0:?}, {1:?})), \
             Curve(name: \"o\", orbit: Periodic(\"s- cross s+ cross\"), start: Point(from: \"e, HB\"), free: \"m\", range: ({0:?}, {1:?})), \
             Curve(name: \"c\", orbit: Periodic(\"s- cross s+ cross\"), start: Settle(at: {{\"m\": {2:?}}}), free: \"m\", \
             range: ({0:?}, {1:?}), switch: Auto, points: {points})])",
            -0.2 * k * unit,
            top * unit,
            from * unit
        );
        let result = run(&text);
        let mut said: Vec<String> = vec![];
        let zero = 1e-9 * unit;
        let cycle = curve(&result, "c");
        let found: Vec<(Label, f64)> = labels(cycle).iter().map(|l| (l.0, l.1)).collect();
        let mut kinds: Vec<&str> = found.iter().map(|l| l.0.code()).collect();
        kinds.sort_unstable();
        if kinds != ["HB", "VS"] || found.iter().any(|l| l.1.abs() > zero) {
            said.push(format!("labels {found:?}"));
        }
        let hopf = labels(cycle).into_iter().find(|l| l.0 == Label::HB);
        let right = hopf.is_some_and(|(_, _, at)| {
            let period = (at.record.period * w / TAU - 1.0).abs() <= 1e-9;
            let place = [p, q]
                .iter()
                .zip(&at.point.z)
                .all(|(a, b)| (a - b).abs() <= 1e-9 * (a.abs() + d));
            period && place && at.message.contains("continuum")
        });
        if !right {
            said.push(format!("the Hopf point {hopf:?}"));
        }
        // The parameter falls to zero, once.
        let mut values: Vec<f64> = cycle.points().map(|(_, _, at)| at.point.parameter()).collect();
        if values.first() < values.last() {
            values.reverse();
        }
        if !values.is_sorted_by(|a, b| *a >= *b - zero) || (values[0] - top * unit).abs() > zero {
            said.push(format!(
                "the parameter goes back: {} points from {}",
                values.len(),
                values[0]
            ));
        }
        // The circles of the continuum, from the Hopf point to the one that touches the surface.
        let family = curve(&result, "h");
        let ends = family.pieces.last().and_then(|piece| piece.branch.ends.last());
        let widest = family
            .points()
            .map(|(_, _, at)| at.record.monitors[1])
            .fold(f64::NEG_INFINITY, f64::max);
        let circles = family.points().all(|(_, _, at)| {
            let extremes = &at.record.monitors;
            let round = (extremes[1] - extremes[2]) - (extremes[4] - extremes[5]);
            at.point.parameter().abs() <= zero && round.abs() <= 1e-8 * d
        });
        if !circles || !matches!(ends, Some(End::Boundary { .. })) || (widest - p - d).abs() > 1e-7 * d {
            said.push(format!(
                "the continuum from the Hopf point: {ends:?} at {widest}, {} points",
                family.points().count()
            ));
        }
        let refused = result.missing.iter().any(|m| m.reason.contains("`s- free`"));
        if result.missing.len() != 1 || !refused {
            said.push(format!("{:?}", result.missing));
        }
        if !said.is_empty() {
            wrong.push((member, format!("{said:#?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Motions that grow at a given rate for ever: an oscillator with a dead band and negative damping, a state that runs
/// away beside an oscillation, a spiral of a map that is shaken. All are lost, and grow, as it is said.
#[test]
fn motions_that_grow_without_bound_are_no_chaos() {
    let class = "growth without bound";
    let count = members(9);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let rate = random.log_between(2e-3, 6e-2);
        let (w, size) = (random.log_between(0.5, 3.0), random.log_between(0.01, 100.0));
        let system = match member % 3 {
            0 => format!(
                "Filippov(states: [\"x\", \"v\"], parameters: {{\"b\": {:?}}}, surfaces: {{\"u\": \"x - {size:?}\", \"l\": \"x + {size:?}\"}}, \
                 equations: [\"x' = v\", \"v' = {:?}*v - {:?}*((x - {size:?})*heaviside(u) + (x + {size:?})*(1 - heaviside(l)))\"], \
                 start: {{\"x\": {:?}, \"v\": {size:?}}})",
                0.0,
                2.0 * rate,
                w * w,
                1.3 * size
            ),
            1 => format!(
                "Smooth(states: [\"x\", \"y\", \"r\"], parameters: {{\"b\": 0}}, equations: [\"x' = x - {w:?}*y - x*(x^2 + y^2)\", \
                 \"y' = {w:?}*x + y - y*(x^2 + y^2)\", \"r' = {rate:?}*r + 0.1*x\"], start: {{\"x\": 0.5, \"r\": {size:?}}})"
            ),
            _ => {
                let (turn, step) = (random.between(0.3, 2.5), rate.exp());
                format!(
                    "Map(states: [\"x\", \"y\", \"s\"], angles: {{\"s\": \"2*pi\"}}, parameters: {{\"b\": 0}}, \
                     equations: [\"x+ = {step:?}*(cos({turn:?})*x - sin({turn:?})*y) + {size:?}*sin(s)\", \
                     \"y+ = {step:?}*(sin({turn:?})*x + cos({turn:?})*y)\", \"s+ = s + {:?}\"], start: {{\"x\": {size:?}}})",
                    random.between(0.3, 2.5)
                )
            }
        };
        let text = format!(
            "Study(title: \"grows\", system: {system}, attractors: [Attractors(name: \"a\", sweep: \"b\", range: (0, 1e-9), count: 1, starts: 2)])"
        );
        let result = run(&text);
        let found = &result.attractors[0].found;
        let right = !found.is_empty() && found.iter().all(|a| matches!(a.kind, AttractorKind::Lost));
        if !right {
            let found: Vec<_> = found.iter().map(|a| (a.kind.name(), &a.message)).collect();
            wrong.push((member, format!("{found:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Bounded motions that are long on their way, or chaotic: beats of an undamped oscillator forced next to its
/// frequency, oscillators that leave rest slowly for a large cycle, forced double wells. None of them is lost.
#[test]
fn bounded_motions_are_not_lost() {
    let class = "bounded motions";
    let count = members(6);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let size = random.log_between(0.1, 50.0);
        let system = match member % 3 {
            0 => {
                let w = 1.0 + random.sign() * random.log_between(2e-3, 5e-2);
                format!(
                    "Smooth(states: [\"x\", \"v\"], parameters: {{\"b\": 0}}, forcing: Forcing(period: \"2*pi\"), \
                     equations: [\"x' = v\", \"v' = -{:?}*x + {size:?}*cos(t)\"], start: {{\"x\": {:?}}})",
                    w * w,
                    0.1 * size
                )
            }
            1 => {
                let (rate, w) = (random.log_between(2e-3, 1e-2), random.between(0.7, 2.0));
                let square = size * size;
                format!(
                    "Smooth(states: [\"x\", \"y\", \"z\"], parameters: {{\"b\": 0}}, define: {{\"a\": \"{rate:?}*(1 - (x^2 + y^2)/{square:?})\"}}, \
                     equations: [\"x' = a*x - {w:?}*y\", \"y' = {w:?}*x + a*y\", \"z' = x - z\"], start: {{\"x\": {:?}}})",
                    random.log_between(1e-9, 1e-3) * size
                )
            }
            _ => {
                let square = size * size;
                format!(
                    "Smooth(states: [\"x\", \"v\"], parameters: {{\"b\": 0}}, forcing: Forcing(period: \"2*pi\"), \
                     equations: [\"x' = v\", \"v' = -0.25*v + x - x^3/{square:?} + {:?}*cos(t)\"], start: {{\"x\": {size:?}}})",
                    random.between(0.35, 0.45) * size
                )
            }
        };
        let text = format!(
            "Study(title: \"bounded\", system: {system}, attractors: [Attractors(name: \"a\", sweep: \"b\", range: (0, 1e-9), count: 1, starts: 2)])"
        );
        let result = run(&text);
        let found = &result.attractors[0].found;
        if found.is_empty() || found.iter().any(|a| matches!(a.kind, AttractorKind::Lost)) {
            let found: Vec<_> = found.iter().map(|a| (a.kind.name(), &a.message)).collect();
            wrong.push((member, format!("{found:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// y falls at the rate f for one unit of a clock that runs at the rate one; then it is set to r y + h, and the clock to
/// zero. Below y = 0 the clock runs at another rate s, and y falls at g. Where h = f the floor is met just as the clock
/// runs out: both events happen at once. A motion that passes the floor by y comes there y/f before, so that its clock
/// runs out later by (1/s - 1) y/f, and y has changed by -g y/(f s) meanwhile in place of -y.
#[test]
fn two_events_at_once_are_a_corner_collision() {
    let class = "corner collisions";
    let count = members(8);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (f, g) = (random.log_between(0.2, 5.0), random.log_between(0.2, 5.0));
        let (s, r) = (random.log_between(0.3, 3.0), random.between(-0.8, 0.8));
        let (low, high) = (0.6 * f, 1.5 * f);
        let text = format!(
            "Study(title: \"corner\", system: Hybrid(states: [\"c\", \"y\"], parameters: {{\"h\": {high:?}}}, modes: {{\
             \"above\": Mode(equations: [\"c' = 1\", \"y' = -{f:?}\"], events: {{\
             \"out\": Event(guard: \"c - 1\", direction: Up, to: \"above\", reset: {{\"c\": \"0\", \"y\": \"{r:?}*y + h\"}}), \
             \"floor\": Event(guard: \"y\", direction: Down, to: \"below\")}}), \
             \"below\": Mode(equations: [\"c' = {s:?}\", \"y' = -{g:?}\"], events: {{\
             \"out\": Event(guard: \"c - 1\", direction: Up, to: \"above\", reset: {{\"c\": \"0\", \"y\": \"{r:?}*y + h\"}})}})}}, \
             start: Start(mode: \"above\", at: {{\"y\": {high:?}}})), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"above out\"), start: Settle(at: {{\"h\": {high:?}}}), free: \"h\", \
             range: ({low:?}, {high:?}), switch: Auto)])"
        );
        let result = run(&text);
        let mut found = labels(curve(&result, "c"));
        // Beyond, the clock is set where the floor is where h = r g/s, and the segment above it vanishes.
        let floor = r * g / s;
        found.retain(|(label, at, _)| *label != Label::VS || (at - floor).abs() > 1e-9 * f);
        let [(label, at, point)] = &found[..] else {
            wrong.push((
                member,
                format!("{:?}\n{text}", found.iter().map(|l| (l.0, l.1)).collect::<Vec<_>>()),
            ));
            continue;
        };
        // Both behind the reset, where y falls on at the rate f while the clock of the other runs.
        let later = (1.0 / s - 1.0) / f;
        let known = [-later, r * (1.0 - g / (f * s)) + f * later];
        let component = |state: &str| -> Option<f64> {
            let (before, _) = point.message.split_once(&format!(" in {state}"))?;
            before.rsplit([' ', '=']).next()?.parse().ok()
        };
        let told = ["c", "y"].map(|state| component(state).unwrap_or(0.0));
        let size = known[0].abs().max(known[1].abs());
        let same = told.iter().zip(&known).all(|(a, b)| (a - b).abs() <= 1e-9 * size);
        let said = point.message.contains("corner collision") && !point.message.contains("tangent");
        if *label != Label::VS || (at - f).abs() > 1e-9 * f || !same || !said {
            wrong.push((
                member,
                format!("{label} at {at}, {told:?} for {known:?}: {}\n{text}", point.message),
            ));
        }
    }
    none_wrong(class, count, &wrong);
}
