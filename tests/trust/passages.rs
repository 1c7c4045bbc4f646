//! Events that lead into their own mode and let the motion go on through their surface: clocks that are kicked as they
//! pass, counters, marks.

use super::curved::Curved;
use super::known::{Verdict, curve, labels, run};
use super::map_forms::Doubling;
use super::normal_forms::{class, coefficient};
use super::smooth_hybrid::{Event, Mode, SCALES, states, written};
use slipstick_bifurcation::{End, Label};
use std::f64::consts::TAU;

/// Pendulum clocks x'' + 2ζ x' + x = 0, kicked where x rises through zero: v is set to e^{ζT} (0.3 + f(v - 0.3)), with
/// f the normal form of a period doubling, and T = 2π/√(1 - ζ²) goes by from kick to kick, whatever v is. A counter c'
/// =
/// -k c is raised by 0.1 at each kick, and in half of them by a random number where x falls through zero; in the others
/// that passage is marked, or goes unnoticed.
#[test]
fn clocks_are_kicked_as_they_pass() {
    class("clocks", 6, |random| {
        let Doubling { q0, field, c, word } = Doubling::random(random);
        let (zeta, k, extra) = (
            random.between(0.02, 0.1),
            random.between(0.1, 0.5),
            random.between(-0.1, 0.1),
        );
        let kind = random.below(4);
        let period = TAU / (1.0 - zeta * zeta).sqrt();
        let grown = (zeta * period).exp();
        let image = field.replace("u1", "(u2 - 0.3)");
        let mut events = vec![Event {
            name: "kick",
            guard: "u1".into(),
            up: true,
            to: 0,
            reset: vec!["u1".into(), format!("({grown:?})*(0.3 + {image})"), "u3 + 0.1".into()],
        }];
        let half = (-0.5 * k * period).exp();
        let added = match kind {
            0 | 1 => extra,
            _ => 0.0,
        };
        let raised = (0.1 + added * half) / (1.0 - half * half);
        let (mut begin, mut durations, mut letters) =
            (vec![[0.0, 0.3 * grown, raised]], vec![period], "m0 kick".to_owned());
        if kind < 3 {
            events.push(Event {
                name: "back",
                guard: "u1".into(),
                up: false,
                to: 0,
                reset: vec!["u1".into(), "u2".into(), format!("u3 + ({added:?})")],
            });
            begin.push([0.0, -0.3 * grown.sqrt(), raised * half + added]);
            durations = vec![0.5 * period; 2];
            letters = "m0 back m0 kick".into();
        }
        let rates = vec![
            "u2".to_owned(),
            format!("-u1 - ({:?})*u2", 2.0 * zeta),
            format!("-({k:?})*u3"),
        ];
        let coordinates = Curved::random(random, 3, SCALES, false);
        let system = written(random, std::slice::from_ref(&coordinates), &[Mode { rates, events }]);
        let from = -0.6;
        let start = if random.below(2) == 0 {
            let given: Vec<String> = begin.iter().map(|u| coordinates.states_text(u)).collect();
            let durations: Vec<f64> = durations.iter().map(|t| t * coordinates.linear.time).collect();
            format!(
                "Guess(at: {{\"p\": {:?}}}, states: [{}], durations: {durations:?})",
                coordinates.p(from),
                given.join(", ")
            )
        } else {
            "Settle(at: {})".into()
        };
        let text = format!(
            "Study(title: \"clock\", system: Hybrid(states: [{}], parameters: {{\"p\": {:?}}}, {system}, \
             start: Start(mode: \"m0\", at: {})), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"{letters}\"), start: {start}, free: \"p\", range: ({:?}, {:?}))])",
            states(3),
            coordinates.p(from),
            coordinates.states_text(&[0.0, 0.31 * grown, raised]),
            coordinates.p(-0.9),
            coordinates.p(0.9),
        );
        let result = run(&text);
        if let Some(missing) = result.missing.first() {
            return Some(format!("{}\n{text}", missing.reason));
        }
        let traced = curve(&result, "c");
        let all = labels(traced);
        let found: Vec<(Label, f64)> = all.iter().map(|l| (l.0, coordinates.linear.q(l.1))).collect();
        let known = [(Label::PD, coordinates.linear.q(coordinates.p(q0)))];
        let verdict = Verdict::of(&found, &known, 1e-9);
        if !verdict.is_right() {
            let said: Vec<&str> = all.iter().map(|l| &*l.2.message).collect();
            return Some(format!("{verdict:?}: {said:?}\n{text}"));
        }
        let lasts = period * coordinates.linear.time;
        let off = |period: f64| (period - lasts).abs() / lasts;
        let worst = traced
            .points()
            .map(|(_, _, p)| off(p.record.period))
            .fold(0.0, f64::max);
        let pushed = coordinates.pushed(&[0.0, 0.3 * grown, raised], &[0.0, grown, 0.0]);
        let wanted = c / pushed.iter().map(|x| x * x).sum::<f64>();
        let message = &all[0].2.message;
        let right = message.contains(word)
            && coefficient(message, "c").is_some_and(|v| (v - wanted).abs() <= 1e-8 * wanted.abs());
        (!right || worst > 1e-9).then(|| format!("period off by {worst:e}, c = {wanted:?}: {message}\n{text}"))
    });
}

/// Clocks x'' + 2ζ x' + x = 0 whose speed is raised by J where x rises through zero: as ζ vanishes the amplitude
/// J/(1 - exp(-2πζ/√(1 - ζ²))) grows without bound, and the kick is passed all the faster.
#[test]
fn kicked_clocks_grow_without_bound() {
    class("growing clocks", 8, |random| {
        let (kick, frequency) = (random.log_between(1e-3, 1e3), random.log_between(0.1, 10.0));
        let zeta = random.between(0.03, 0.1);
        let text = format!(
            "Study(title: \"clock\", system: Hybrid(states: [\"x\", \"v\"], parameters: {{\"z\": {zeta:?}}}, \
             modes: {{\"m\": Mode(equations: [\"x' = ({frequency:?})*v\", \"v' = ({frequency:?})*(-x - 2*z*v)\"], events: {{\
             \"kick\": Event(guard: \"x\", direction: Up, to: \"m\", reset: {{\"v\": \"v + ({kick:?})\"}})}})}}, \
             start: Start(mode: \"m\", at: {{\"x\": {kick:?}, \"v\": 0}})), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"m kick\"), start: Settle(at: {{}}), free: \"z\", range: (-0.2, 0.2))])"
        );
        let result = run(&text);
        if let Some(missing) = result.missing.first() {
            return Some(format!("{}\n{text}", missing.reason));
        }
        let traced = curve(&result, "c");
        let end = traced.pieces.first().and_then(|piece| piece.branch.ends.first());
        let right = labels(traced).is_empty() && matches!(end, Some(End::Unbounded { .. }));
        (!right).then(|| format!("{end:?}\n{text}"))
    });
}

/// Pendulums and wells x'' = -x + x³ without damping whose speed v is set to √(r² v² + J) where they pass a place
/// upwards: v² = J/(1 - r²) there before the kick and after it, up to where they reach the upright saddle. The family
/// ends at that homoclinic orbit, whatever rounding makes of its last members.
#[test]
fn kicked_clocks_end_at_a_homoclinic_orbit() {
    class("homoclinic clocks", 8, |random| {
        let (place, r) = (random.between(-0.3, 0.3), random.between(0.4, 0.9));
        let pendulum = random.below(2) == 0;
        let (force, twice) = if pendulum {
            ("-sin(x)", 2.0 * (1.0 + place.cos()))
        } else {
            ("-x + x^3", 0.5 - place * place + 0.5 * place.powi(4))
        };
        let limit = twice * (1.0 - r * r);
        let start = 0.3 * limit;
        let text = format!(
            "Study(title: \"clock\", system: Hybrid(states: [\"x\", \"v\"], parameters: {{\"J\": {start:?}}}, \
             modes: {{\"m\": Mode(equations: [\"x' = v\", \"v' = {force}\"], events: {{\
             \"kick\": Event(guard: \"x - ({place:?})\", direction: Up, to: \"m\", reset: {{\"v\": \"sqrt(({:?})*v^2 + J)\"}})}})}}, \
             start: Start(mode: \"m\", at: {{\"x\": {place:?}, \"v\": {:?}}})), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"m kick\"), start: Settle(at: {{}}), free: \"J\", range: ({:?}, {:?}))])",
            r * r,
            (0.3 * twice).sqrt(),
            0.1 * limit,
            2.0 * limit,
        );
        let result = run(&text);
        if let Some(missing) = result.missing.first() {
            return Some(format!("{}\n{text}", missing.reason));
        }
        let traced = curve(&result, "c");
        let end = traced.pieces.last().and_then(|piece| piece.branch.ends.last());
        let reached = traced.covered().1;
        let right = labels(traced).is_empty()
            && matches!(end, Some(End::Homoclinic { .. }))
            && (reached / limit - 1.0).abs() < 1e-6;
        (!right).then(|| format!("{end:?}, {reached:?} of {limit:?}\n{text}"))
    });
}

/// Relays x'' + 2z x' + ω² x = -k sgn(x + d x'), whose cycle grows as the damping vanishes: the relay, ahead or behind
/// by the angle atan(d ω), and the damping balance where the speed has the amplitude (2k/(π|z|)) sin|atan(d ω)|. The
/// surface is crossed at an angle, however large the cycle.
#[test]
fn relays_grow_without_bound() {
    class("growing relays", 4, |random| {
        let (square, k) = (random.between(0.5, 2.0), random.between(0.5, 2.0));
        let d = random.sign() * random.between(0.2, 0.8);
        // The damping takes what the relay gives.
        let start = -0.1 * d.signum();
        let (low, high) = if start > 0.0 { (-0.2, 0.6) } else { (-0.6, 0.2) };
        let text = format!(
            "Study(title: \"relay\", system: Filippov(states: [\"x\", \"y\"], parameters: {{\"z\": {start:?}}}, surfaces: {{\"s\": \"x + ({d:?})*y\"}}, \
             equations: [\"x' = y\", \"y' = -({square:?})*x - 2*z*y - ({k:?})*sgn(s)\"], start: {{\"x\": 0.5, \"y\": 0.1}}), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"s+ s-\"), start: All(at: {{}}), free: \"z\", range: ({low:?}, {high:?}))])"
        );
        let result = run(&text);
        if let Some(missing) = result.missing.first() {
            return Some(format!("{}\n{text}", missing.reason));
        }
        let traced = curve(&result, "c");
        let largest = traced.points().map(|(_, _, p)| p).min_by(|a, b| {
            let size = |p: &slipstick_bifurcation::BranchPoint| p.point.parameter().abs();
            size(a).total_cmp(&size(b))
        });
        let ends = || traced.pieces.iter().flat_map(|piece| &piece.branch.ends);
        let unbounded = ends().any(|end| matches!(end, End::Unbounded { .. }));
        let amplitude = |z: f64| 2.0 * k / (std::f64::consts::PI * z.abs()) * (d * square.sqrt()).atan().sin().abs();
        let place = traced.monitors.iter().position(|m| m == "y_max");
        let off = largest
            .zip(place)
            .map(|(p, place)| p.record.monitors[place] / amplitude(p.point.parameter()) - 1.0);
        let right = unbounded
            && labels(traced).iter().all(|l| l.0 != Label::GR)
            && off.is_some_and(|off| off.abs() < 1e-3)
            && largest.is_some_and(|p| p.point.parameter().abs() < 1e-4);
        (!right).then(|| {
            let found: Vec<_> = labels(traced).iter().map(|l| (l.0, l.1)).collect();
            format!("{:?} {found:?} {off:?}\n{text}", ends().collect::<Vec<_>>())
        })
    });
}
