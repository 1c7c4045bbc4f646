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
